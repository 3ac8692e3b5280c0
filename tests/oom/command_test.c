// What has to do with commands, with the k-th allocation refused, for all k. A call that records fails
// with MICA_ERROR_MEMORY and has recorded nothing; the same call then succeeds. Where commands are
// carried out, those that were done stay done, the others wait, and the world is valid; in the end all
// are done, once.
#include <mica.h>

#include "oom/sites.h"
#include "runner/test.h"
#include "runner/world.h"
#include "state/state.h"
#include "unit/tracked.h"

enum { COUNT = 40, CALLS = 24, MANY = 20 };

typedef struct Wide {
    int64_t numbers[9];
} Wide;

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_world *face; // later, or a buffer
    tracker tracker;
    mica_type wide, moved, owned, loose, mark, burning;
    mica_query all;
    mica_bundle bundle;
    mica_entity old[COUNT];
    mica_entity made[10];
    uint32_t called;
} scene;

static void begin(scene *s)
{
    tracker_begin(&s->tracker);
    test_world_prepare(&s->t);
    sites_watch(&s->t);
    mica_world *w = s->world = test_world_open(&s->t);
    s->wide = mica_type_register(
        w, &(mica_type_desc){.name = "Wide", .size = sizeof(Wide), .align = _Alignof(Wide)});
    const mica_field_info number = MICA_FIELD(tracked, number); // not where it is, nor which
    mica_type_desc moved = tracked_desc(&s->tracker, "Moved", true);
    moved.fields = &number;
    moved.field_count = 1;
    s->moved = mica_type_register(w, &moved);
    mica_type_desc owned = tracked_desc(&s->tracker, "Owned", true);
    owned.hooks.copy = NULL;
    owned.fields = &number;
    owned.field_count = 1;
    s->owned = mica_type_register(w, &owned);
    s->loose = mica_type_register(
        w, &(mica_type_desc){
               .name = "Loose", .storage = MICA_SPARSE, .size = 8, .align = 8, .toggle = true});
    s->mark = MICA_SPARSE_TAG(w, Mark);
    s->burning = mica_type_register(
        w, &(mica_type_desc){.name = "Burning", .size = 4, .align = 4, .toggle = true});
    s->all = mica_query_new(w, &(mica_query_desc){.everything = true});
    s->bundle = mica_bundle_new(w, (mica_type[]){s->moved, s->burning}, 2);
    mica_spawn_at(w, mica_entity_make(COUNT, 0)); // slots in use ahead of those that come next
    mica_spawn_at(w, mica_entity_make(COUNT + 1, 0));
    for (uint32_t i = 0; i < COUNT; i++) {
        s->old[i] = mica_spawn(w, MICA_ADD(i % 2 ? s->wide : s->burning));
    }
    mica_despawn(w, s->old[COUNT - 1]);
}

static void note(mica_world *world, const void *data)
{
    (void)world;
    scene *s = *(scene *const *)data;
    s->called++;
}

// A value that is handed over, or stays.
static bool give(scene *s, bool spawn)
{
    tracked value = tracked_make(&s->tracker, 3);
    const mica_value values[] = {{s->owned, &value, sizeof value, 1, NULL},
                                 MICA_VALUE(s->wide, Wide, {1, 2})};
    bool done;
    if (spawn) {
        s->made[1] = mica_spawn_values(s->face, values, 2);
        done = !MICA_IS_NONE(s->made[1]);
    } else {
        done = mica_set_values(s->face, s->old[0], values, 2) == MICA_OK;
    }
    if (!done) {
        CHECK(tracked_is(&s->tracker, &value, 3));
        tracked_drop(&s->tracker, &value);
    }
    return done;
}

static bool spawn_many(scene *s)
{
    tracked values[3];
    for (int i = 0; i < 3; i++) {
        values[i] = tracked_make(&s->tracker, i);
    }
    const int32_t burning[] = {1, 2, 3};
    const mica_value arrays[] = {MICA_COPY_OF_ARRAY(s->moved, values),
                                 MICA_COPY_OF_ARRAY(s->burning, burning)};
    bool done = mica_spawn_many(s->face, s->bundle, 3, arrays, 2, &s->made[2]) == MICA_OK;
    for (int i = 0; i < 3; i++) {
        tracked_drop(&s->tracker, &values[i]);
    }
    return done;
}

// A facet with values, one of which is handed over, or stays.
static bool extend(scene *s)
{
    tracked value = tracked_make(&s->tracker, 5);
    const mica_value values[] = {{s->owned, &value, sizeof value, 1, NULL},
                                 MICA_VALUE(s->wide, Wide, {3})};
    s->made[7] = mica_facet_add_values(s->face, s->made[0], s->wide, 2, values, 2);
    bool done = !MICA_IS_NONE(s->made[7]);
    if (!done) {
        CHECK(tracked_is(&s->tracker, &value, 5));
        tracked_drop(&s->tracker, &value);
    }
    return done;
}

// More values than there is room for beside the usual; of each type the last counts.
static bool spawn_wide(scene *s, bool facet)
{
    const Wide wide = {{9}};
    mica_value values[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        values[i] = (mica_value){s->wide, &wide, sizeof wide, 1, NULL};
    }
    mica_entity made = facet ? mica_facet_add_values(s->face, s->made[0], s->wide, 3, values, MANY)
                             : mica_spawn_values(s->face, values, MANY);
    s->made[facet ? 8 : 9] = made;
    return !MICA_IS_NONE(made);
}

// More changes of one entity than that, too.
static bool change_often(scene *s)
{
    mica_type types[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        types[i] = i % 2 ? s->loose : s->burning;
    }
    return test_add_types(s->face, s->old[32], types, MANY) == MICA_OK;
}

// Values with and without hooks, several at once.
static bool send(scene *s)
{
    const Wide wide[3] = {{{1}}, {{2}}, {{3}}};
    tracked moved = tracked_make(&s->tracker, 4);
    bool sent = mica_send(s->face, MICA_COPY_OF_ARRAY(s->wide, wide), MICA_COPY_OF(s->moved, moved),
                          MICA_ADD(s->moved), MICA_COPY_OF(s->moved, moved)) == MICA_OK;
    tracked_drop(&s->tracker, &moved);
    return sent;
}

static bool hand_over(scene *s)
{
    tracked owned = tracked_make(&s->tracker, 5);
    bool sent = mica_send(s->face, MICA_COPY_OF(s->owned, owned), MICA_ADD(s->wide)) == MICA_OK;
    if (!sent) {
        tracked_drop(&s->tracker, &owned);
    }
    return sent;
}

static bool record(scene *s, uint32_t number)
{
    mica_world *f = s->face;
    switch (number) {
    case 0: return mica_add(f, s->old[1], s->mark) == MICA_OK;
    case 1: return give(s, false);
    case 2: return mica_set(f, s->old[2], MICA_VALUE(s->wide, Wide, {7})) == MICA_OK;
    case 3: return mica_remove(f, s->old[3], s->wide) == MICA_OK;
    case 4: return mica_despawn_many(f, &s->old[4], 20) == MICA_OK;
    case 5: return !MICA_IS_NONE(s->made[0] = mica_spawn_values(f, NULL, 0));
    case 6: return give(s, true);
    case 7: return spawn_many(s);
    case 8: return !MICA_IS_NONE(s->made[5] = mica_clone(f, s->old[30]));
    case 9: return mica_entity_set_name(f, s->made[0], "made") == MICA_OK;
    case 10: return mica_disable(f, s->old[30], s->burning) == MICA_OK;
    case 11: return test_add_types(f, s->made[0], (mica_type[]){s->loose, s->wide}, 2) == MICA_OK;
    case 12: return mica_defer_call(f, note, &s, sizeof s) == MICA_OK;
    case 13: return mica_change(f, s->made[1], &MICA_ADD(s->loose), 1, &s->wide, 1) == MICA_OK;
    case 14: return !MICA_IS_NONE(s->made[6] = mica_spawn_bundle(f, s->bundle, NULL, 0));
    case 15: return mica_despawn(f, s->made[6]) == MICA_OK;
    case 16: return mica_disable(f, s->made[0], s->loose) == MICA_OK;
    case 17:
        return mica_change(f, s->old[31], NULL, 0, (mica_type[]){s->wide, s->mark}, 2) == MICA_OK;
    case 18: return extend(s);
    case 19: return spawn_wide(s, false);
    case 20: return spawn_wide(s, true);
    case 21: return change_often(s);
    case 22: return send(s);
    case 23: return hand_over(s);
    default: return false;
    }
}

// With refusals, or without. Returns how many there were.
static uint64_t record_all(scene *s, bool refusing)
{
    uint64_t refused = 0;
    for (uint32_t number = 0; number < CALLS; number++) {
        for (uint64_t k = 1;; k++) {
            uint64_t digest = mica_world_digest(s->world);
            uint32_t count = mica_commands_count(s->face);
            uint32_t alive = s->tracker.alive;
            uint32_t single = s->world->state->slots.slabs.single;
            test_memory_fail_at(&s->t.memory, refusing ? k : 0, TEST_MEMORY_ONCE);
            bool done = record(s, number);
            uint64_t refusals = s->t.memory.refusals;
            test_memory_fail_at(&s->t.memory, 0, TEST_MEMORY_ONCE);
            refused += refusals;
            if (done) {
                // That a slab was refused nobody is reported: a page is a block of its own then.
                CHECK(refusals == 0 || s->world->state->slots.slabs.single > single);
                break;
            }
            CHECK_EQUAL(MICA_ERROR_MEMORY, s->t.error.last.code);
            CHECK(test_error_names_call(&s->t.error));
            CHECK_EQUAL(1, test_error_clear(&s->t.error));
            CHECK_EQUAL(digest, mica_world_digest(s->world));
            CHECK_EQUAL(count, mica_commands_count(s->face));
            CHECK_EQUAL(alive, s->tracker.alive);
            CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
        }
    }
    return refused;
}

// Carries all out; of each attempt the k-th allocation is refused.
static uint64_t apply_all(scene *s, uint64_t k)
{
    uint64_t refused = 0;
    for (;;) {
        test_memory_fail_at(&s->t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = mica_commands_apply(s->face);
        uint64_t refusals = s->t.memory.refusals;
        test_memory_fail_at(&s->t.memory, 0, TEST_MEMORY_ONCE);
        refused += refusals;
        if (result == MICA_OK) {
            CHECK_EQUAL(0, test_error_clear(&s->t.error));
            break;
        }
        CHECK_EQUAL(MICA_ERROR_MEMORY, result);
        CHECK_EQUAL(1, test_error_clear(&s->t.error));
        CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
        k += refusals > 0 && refused % 3 == 0; // or it would never get beyond the first
    }
    return refused;
}

static uint64_t hash_of_all(bool refusing, bool own, uint64_t k, uint64_t *refused_out)
{
    static scene s;
    s = (scene){0};
    begin(&s);
    if (refusing) { // the face as well
        for (uint64_t n = 1; !s.face; n++) {
            test_memory_fail_at(&s.t.memory, n, TEST_MEMORY_ONCE);
            s.face = own ? mica_commands_new(s.world) : mica_world_later(s.world);
            test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
            CHECK_EQUAL(s.face ? 0 : 1, test_error_clear(&s.t.error));
        }
    } else {
        s.face = own ? mica_commands_new(s.world) : mica_world_later(s.world);
    }
    *refused_out = record_all(&s, refusing);
    *refused_out += apply_all(&s, refusing ? k : 0);
    CHECK_EQUAL(1, s.called);
    CHECK_EQUAL(4, test_event_count(s.world, s.wide));
    CHECK_EQUAL(3, test_event_count(s.world, s.moved));
    CHECK_EQUAL(1, test_event_count(s.world, s.owned));
    CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    uint64_t hash = mica_world_hash(s.world);
    test_world_end(&s.t);
    CHECK_TRACKED(&s.tracker, 0);
    return hash;
}

static void commands_survive_every_refusal(void)
{
    for (int own = 0; own < 2; own++) {
        uint64_t all = 0;
        uint64_t refused;
        uint64_t right = hash_of_all(false, own, 0, &refused);
        CHECK_EQUAL(0, refused);
        for (uint64_t k = 1; k < 30; k++) {
            CHECK_EQUAL(right, hash_of_all(true, own, k, &refused));
            all += refused;
        }
        CHECK(all > 100);
    }
}

TESTS(command, commands_survive_every_refusal)
