// Room and its end: what is reserved is there, what is refused leaves nothing behind, what is not used
// is given back.
#include "entity/data.h"
#include "unit/world/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state/state.h"

enum { WIDE = 300, ROOM = 100 };

// Bundles of every sort.
typedef enum sort { EMPTY, PLAIN, TAGGED, HOOKED, FAR, SPARSE, SORTS } sort;

typedef struct scene {
    fixture f;
    mica_type types[WIDE];
    uint32_t count;
    mica_bundle bundle;
    mica_entity one; // of these types
} scene;

static void begin(scene *s, sort what)
{
    fixture_begin(&s->f);
    s->count = 0;
    if (what == PLAIN || what == TAGGED) {
        s->types[s->count++] = s->f.velocity;
        s->types[s->count++] = s->f.position;
    }
    if (what == TAGGED) {
        s->types[s->count++] = s->f.frozen;
    }
    if (what == HOOKED) {
        s->types[s->count++] = s->f.moved;
        s->types[s->count++] = s->f.hooked;
    }
    for (uint32_t i = 0; what == FAR && i < WIDE; i++) { // beyond what a set holds by itself
        char name[16];
        snprintf(name, sizeof name, "far %u", i);
        mica_type_desc desc = {.name = name, .size = i % 3 * 4, .align = i % 3 ? 4 : 0};
        s->types[s->count++] = mica_type_register(s->f.world, &desc);
    }
    if (what == SPARSE) {
        s->types[s->count++] = s->f.position;
        for (uint32_t stable = 0; stable < 2; stable++) {
            mica_type_desc desc = {.name = stable ? "Stays" : "Loose",
                                   .size = 8,
                                   .align = 4,
                                   .storage = MICA_SPARSE,
                                   .stable = stable};
            s->types[s->count++] = mica_type_register(s->f.world, &desc);
        }
        s->types[s->count++] = MICA_SPARSE_TAG(s->f.world, Mark);
    }
    s->bundle = mica_bundle_new(s->f.world, s->types, s->count);
    s->one = mica_spawn_bundle(s->f.world, s->bundle, NULL, 0);
    REQUIRE(!MICA_IS_NONE(s->one));
}

// The table of its bundle, the first there is.
static const micai_table *table_of(const scene *s)
{
    const micai_bundles *bundles = micai_bundles_of(s->f.world->state);
    const micai_bundle *bundle = micai_handles_at(&bundles->handles, 0);
    return bundle->spawn->target;
}

static void end(scene *s)
{
    fixture_end(&s->f);
}

// The ways of spawning, one entity each; the last makes all at once.
enum {
    BY_BUNDLE,
    BY_DEFAULTS,
    BY_MANY,
    BY_VALUES,
    BY_VALUES_BACKWARDS,
    BY_VALUES_TWICE,
    BY_CLONE,
    AT_ONCE,
    WAYS
};

static bool spawn_one(scene *s, uint32_t way)
{
    mica_world *world = s->f.world;
    static mica_value values[2 * WIDE];
    static const uint64_t zero[8] = {0};
    for (uint32_t i = 0; i < 2 * s->count; i++) {
        uint32_t at = i % s->count;
        at = way == BY_VALUES_BACKWARDS ? s->count - 1 - at : at;
        const mica_type_info *info = mica_type_get_info(world, s->types[at]);
        bool given = info->size > 0 && !info->hooks.copy;
        values[i] =
            given ? (mica_value){info->type, zero, info->size, 1, NULL} : MICA_ADD(info->type);
    }
    mica_entity entity = s->one;
    switch (way) {
    case BY_BUNDLE: entity = mica_spawn_bundle(world, s->bundle, values, s->count); break;
    case BY_DEFAULTS: entity = mica_spawn_bundle(world, s->bundle, NULL, 0); break;
    case BY_MANY: return !mica_spawn_many(world, s->bundle, 1, values, s->count, NULL);
    case BY_VALUES:
    case BY_VALUES_BACKWARDS: entity = mica_spawn_values(world, values, s->count); break;
    case BY_VALUES_TWICE: entity = mica_spawn_values(world, values, 2 * s->count); break;
    default: entity = mica_clone(world, s->one); break;
    }
    return !MICA_IS_NONE(entity);
}

// Spawns as many as there should be room for, from an allocator that gives nothing.
static void check_room(scene *s, uint32_t way, uint32_t room)
{
    test_memory_fail_at(&s->f.t.memory, 1, TEST_MEMORY_ONWARDS);
    uint32_t spawned = 0;
    if (way == AT_ONCE) {
        spawned = mica_spawn_many(s->f.world, s->bundle, room, NULL, 0, NULL) ? 0 : room;
    }
    while (way != AT_ONCE && spawned < room && spawn_one(s, way)) {
        spawned++;
    }
    CHECK_EQUAL(room, spawned);
    CHECK_EQUAL(0, s->f.t.memory.refusals);
    test_memory_fail_at(&s->f.t.memory, 0, TEST_MEMORY_ONCE);
    test_error_clear(&s->f.t.error);
}

static void after_a_reserve_no_way_of_spawning_asks_for_memory(void)
{
    for (sort what = EMPTY; what < SORTS; what++) {
        for (uint32_t way = 0; way < WAYS; way++) {
            scene s;
            begin(&s, what);
            // The first to use scratch memory after this may be the first spawn.
            REQUIRE_EQUAL(MICA_OK, mica_world_reclaim(s.f.world));
            REQUIRE_EQUAL(MICA_OK, mica_bundle_reserve(s.f.world, s.bundle, ROOM));
            check_room(&s, way, ROOM);
            end(&s);
        }
    }
}

TEST_WITH(fixture, f, after_a_reserve_of_slots_spawning_asks_for_none)
{
    mica_spawn_at(f->world, mica_entity_make(7, 0)); // in the way
    REQUIRE_EQUAL(MICA_OK, mica_entity_reserve(f->world, ROOM));
    REQUIRE_EQUAL(MICA_OK,
                  micai_table_reserve(&f->world->state->store, f->world->state->store.root, ROOM));
    test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONWARDS);
    for (uint32_t i = 0; i < ROOM; i++) {
        CHECK(!MICA_IS_NONE(mica_spawn_values(f->world, NULL, 0)));
    }
    test_memory_fail_at(&f->t.memory, 0, TEST_MEMORY_ONCE);
}

// Who dies gives a slot back; who takes one by its handle uses up one at most.
static void slots_that_are_reserved_stay_until_they_are_used(void)
{
    enum { PAGE = 1 << MICA_VIEW_SLOT_SHIFT, BEFORE = 20, COUNT = PAGE + 30 };
    for (uint32_t how = 0; how < 4; how++) {
        scene s;
        begin(&s, EMPTY);
        mica_entity entities[BEFORE];
        for (uint32_t i = 0; i < BEFORE; i++) {
            entities[i] = mica_spawn_values(s.f.world, NULL, 0);
        }
        REQUIRE_EQUAL(MICA_OK, mica_bundle_reserve(s.f.world, s.bundle, COUNT));
        uint32_t used = 0;
        for (uint32_t i = 0; how == 1 && i < BEFORE; i++) {
            CHECK_EQUAL(MICA_OK, mica_despawn(s.f.world, entities[i]));
        }
        if (how == 2) {
            CHECK_EQUAL(MICA_OK, mica_world_clear(s.f.world));
        }
        for (uint32_t i = 0; how == 3 && i < BEFORE; i++, used++) {
            mica_entity at = mica_entity_make(BEFORE + 5 + i * (PAGE / 8 + 1), i % 3);
            CHECK(MICA_EQUAL(at, mica_spawn_at(s.f.world, at)));
        }
        check_room(&s, BY_DEFAULTS, COUNT - used);
        end(&s);
    }
}

static void who_comes_to_have_the_types_uses_up_room_one_by_one(void)
{
    scene s;
    begin(&s, PLAIN);
    mica_entity movers[ROOM / 2];
    for (uint32_t i = 0; i < ROOM / 2; i++) {
        movers[i] = mica_spawn(s.f.world, MICA_ADD(s.f.position));
    }
    mica_add(s.f.world, s.one, s.f.frozen); // all tables and transitions are there
    mica_remove(s.f.world, s.one, s.f.frozen);
    mica_remove(s.f.world, s.one, s.f.velocity);
    mica_add(s.f.world, s.one, s.f.velocity);
    REQUIRE_EQUAL(MICA_OK, mica_bundle_reserve(s.f.world, s.bundle, ROOM));
    test_memory_fail_at(&s.f.t.memory, 1, TEST_MEMORY_ONWARDS);
    for (uint32_t i = 0; i < ROOM / 2; i++) {
        CHECK_EQUAL(MICA_OK, mica_add(s.f.world, movers[i], s.f.velocity));
    }
    check_room(&s, BY_BUNDLE, ROOM - ROOM / 2);
    end(&s);
}

// What may happen between a reserve and the spawning.
typedef struct disturbance {
    mica_query plain;  // with a position and no health
    mica_query bundle; // with all the bundle's types
    mica_entity movers[7];
    uint32_t mover_count;
} disturbance;

static void prepare(scene *s, disturbance *d, uint32_t movers)
{
    mica_world *world = s->f.world;
    d->mover_count = movers;
    for (uint32_t i = 0; i < movers; i++) {
        d->movers[i] = mica_spawn(world, MICA_ADD(s->f.position));
        // The tables on the way and the transitions are there.
        mica_add(world, d->movers[i], s->f.velocity);
        mica_remove(world, d->movers[i], s->f.velocity);
    }
    d->plain = mica_query_new(world, &(mica_query_desc){.terms = {{s->f.position, MICA_READ},
                                                                  {s->f.velocity, MICA_WITHOUT}}});
    d->bundle = mica_query_new(world, &(mica_query_desc){.terms = {{s->f.position, MICA_READ},
                                                                   {s->f.velocity, MICA_READ}}});
}

enum {
    NOTHING,
    JOIN_BY_QUERY,
    LEAVE_BY_QUERY,
    LEAVE_AND_JOIN,
    END_BY_QUERY,
    TO_AND_FRO,
    END_ALL,
    DISTURBANCES
};

static void disturb(scene *s, disturbance *d, uint32_t how)
{
    mica_world *world = s->f.world;
    mica_type velocity = s->f.velocity;
    switch (how) {
    case JOIN_BY_QUERY: mica_add_all(world, d->plain, velocity, NULL); break;
    case LEAVE_BY_QUERY: mica_remove_all(world, d->bundle, velocity, NULL); break;
    case LEAVE_AND_JOIN:
        mica_remove_all(world, d->bundle, velocity, NULL);
        mica_add_all(world, d->plain, velocity, NULL);
        mica_remove_all(world, d->bundle, velocity, NULL);
        break;
    case END_BY_QUERY: mica_despawn_all(world, d->bundle, NULL); break;
    case TO_AND_FRO:
        for (uint32_t i = 0; i < d->mover_count; i++) {
            mica_add(world, d->movers[i], velocity);
            mica_remove(world, d->movers[i], velocity);
        }
        break;
    case END_ALL: mica_world_clear(world); break;
    default: break;
    }
}

// With memory, and with every allocation of it refused in turn.
static void no_call_takes_room_away_that_was_reserved(void)
{
    for (uint32_t how = 0; how < DISTURBANCES; how++) {
        for (uint32_t movers = 1; movers < 8; movers += 2) {
            for (uint64_t refused = 0; refused < 12; refused++) {
                scene s;
                begin(&s, PLAIN);
                disturbance d;
                prepare(&s, &d, movers);
                REQUIRE_EQUAL(MICA_OK, mica_bundle_reserve(s.f.world, s.bundle, ROOM));
                check_room(&s, BY_DEFAULTS, movers); // part of it
                test_memory_fail_at(&s.f.t.memory, refused, TEST_MEMORY_ONCE);
                disturb(&s, &d, how);
                test_memory_fail_at(&s.f.t.memory, 0, TEST_MEMORY_ONCE);
                test_error_clear(&s.f.t.error);
                CHECK_EQUAL(MICA_OK, mica_world_validate(s.f.world));
                check_room(&s, BY_DEFAULTS, ROOM - movers);
                end(&s);
            }
        }
    }
}

// More of them than there was room for, several times; few enough to be moved row by row.
static void changes_by_query_bring_their_own_room_each_time(void)
{
    enum { SPARE = 5, TIMES = 8 };
    for (uint32_t movers = 1; movers < 8; movers++) {
        scene s;
        begin(&s, PLAIN);
        disturbance d;
        prepare(&s, &d, movers);
        REQUIRE_EQUAL(MICA_OK, mica_bundle_reserve(s.f.world, s.bundle, SPARE));
        for (uint32_t time = 0; time < TIMES; time++) {
            disturb(&s, &d, JOIN_BY_QUERY);
            for (uint32_t i = 0; i < movers; i++) {
                mica_spawn(s.f.world, MICA_ADD(s.f.position));
            }
        }
        REQUIRE_EQUAL(MICA_OK, mica_entity_reserve(s.f.world, SPARE));
        check_room(&s, BY_DEFAULTS, SPARE);
        CHECK_EQUAL(MICA_OK, mica_world_validate(s.f.world));
        end(&s);
    }
}

// A change cuts sets of types, and places by type, from scratch memory: the more there are, the more.
static void types_that_are_registered_later_take_no_room(void)
{
    enum { LATER = 5000, FEW = 3 };
    for (sort what = EMPTY; what < SORTS; what++) {
        scene s;
        begin(&s, what);
        REQUIRE_EQUAL(MICA_OK, mica_bundle_reserve(s.f.world, s.bundle, WAYS * FEW));
        for (uint32_t i = 0; i < LATER; i++) {
            char name[16];
            snprintf(name, sizeof name, "later %u", i);
            REQUIRE(!MICA_IS_NONE(mica_type_register(s.f.world, &(mica_type_desc){.name = name})));
        }
        for (uint32_t way = 0; way < WAYS; way++) {
            check_room(&s, way, FEW);
        }
        end(&s);
    }
}

// Refusal

typedef mica_result reserving(scene *s, uint32_t count);

static mica_result reserve_slots(scene *s, uint32_t count)
{
    return mica_entity_reserve(s->f.world, count);
}

static mica_result reserve_bundle(scene *s, uint32_t count)
{
    return mica_bundle_reserve(s->f.world, s->bundle, count);
}

static mica_result spawn_many(scene *s, uint32_t count)
{
    return mica_spawn_many(s->f.world, s->bundle, count, NULL, 0, NULL);
}

static reserving *const reservings[] = {reserve_slots, reserve_bundle, spawn_many};

static void four_thousand_million_are_refused_at_once(void)
{
    for (uint32_t i = 0; i < 3; i++) {
        scene s;
        begin(&s, PLAIN);
        REQUIRE_EQUAL(MICA_OK, reserve_bundle(&s, 1)); // scratch memory
        mica_memory_stats before = mica_world_get_stats(s.f.world).memory;
        size_t peak = s.f.t.memory.peak_bytes;
        CHECK_EQUAL(MICA_ERROR_MEMORY, reservings[i](&s, 4000000000u));
        CHECK_EQUAL(1, test_error_clear(&s.f.t.error));
        mica_memory_stats after = mica_world_get_stats(s.f.world).memory;
        CHECK_BYTES(&before, &after, sizeof before);
        CHECK_EQUAL(peak, s.f.t.memory.peak_bytes);
        end(&s);
    }
}

static void what_is_refused_at_the_limit_keeps_nothing(void)
{
    for (uint32_t i = 0; i < 3; i++) {
        scene s = {0};
        s.f.world = mica_world_new(&(mica_world_desc){.max_entities = 3 * MICAI_ROWS,
                                                      .error_handler = test_error_record,
                                                      .error_user = &s.f.t.error});
        s.bundle = mica_bundle_new(s.f.world, NULL, 0);
        REQUIRE_EQUAL(MICA_OK, reserve_bundle(&s, 1)); // scratch memory
        size_t before = mica_world_get_stats(s.f.world).memory.bytes;
        CHECK_EQUAL(MICA_ERROR_LIMIT, reservings[i](&s, 3 * MICAI_ROWS + 1));
        CHECK_EQUAL(before, mica_world_get_stats(s.f.world).memory.bytes);
        CHECK_EQUAL(MICA_OK, reservings[i](&s, 3 * MICAI_ROWS));
        CHECK_EQUAL(MICA_OK, mica_world_free(s.f.world));
    }
}

// But for lists of what there was, which are a few bytes per sheet.
static void a_refused_call_gives_back_what_it_got(void)
{
    enum { COUNT = 40 * MICAI_ROWS };
    for (uint32_t i = 0; i < 3; i++) {
        mica_result result = MICA_ERROR_MEMORY;
        for (uint64_t refused = 1; result; refused++) {
            scene s;
            begin(&s, PLAIN);
            REQUIRE_EQUAL(MICA_OK, reserve_bundle(&s, 1));
            size_t before = s.f.t.memory.bytes;
            uint32_t capacity = table_of(&s)->capacity;
            test_memory_fail_at(&s.f.t.memory, refused, TEST_MEMORY_ONCE);
            result = reservings[i](&s, COUNT);
            test_memory_fail_at(&s.f.t.memory, 0, TEST_MEMORY_ONCE);
            if (result) {
                CHECK_EQUAL(MICA_ERROR_MEMORY, result);
                CHECK_EQUAL(1, test_error_clear(&s.f.t.error));
                CHECK(s.f.t.memory.bytes <= before + 48 * 40);
                CHECK_EQUAL(capacity, table_of(&s)->capacity);
            }
            end(&s);
        }
    }
}

// Reclaiming

static void one_row_of_many_costs_little_when_reclaimed(void)
{
    enum { ROWS = MICAI_ROWS * 1024, LEFT = 3 << 20 }; // 2 MiB are slots, as mica/debug.h says
    mica_entity *entities = malloc(ROWS * sizeof *entities);
    REQUIRE(entities != NULL);
    for (uint32_t which = 0; which < 3; which++) {
        mica_world *world = mica_world_new(NULL);
        mica_type_desc desc = {.name = "Wide", .size = 64, .align = 8};
        mica_type type = mica_type_register(world, &desc);
        mica_bundle bundle = mica_bundle_new(world, &type, 1);
        size_t before = mica_world_get_stats(world).memory.bytes;
        REQUIRE_EQUAL(MICA_OK, mica_spawn_many(world, bundle, ROWS, NULL, 0, entities));
        uint32_t kept = which == 0 ? 0 : which == 1 ? ROWS / 2 : ROWS - 1;
        mica_entity one = entities[kept];
        memset(mica_get_mut(world, one, type), 7, 64);
        entities[kept] = entities[0];
        entities[0] = one;
        CHECK_EQUAL(MICA_OK, mica_despawn_many(world, entities + 1, ROWS - 1));
        size_t full = mica_world_get_stats(world).memory.bytes;
        CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
        size_t left = mica_world_get_stats(world).memory.bytes - before;
        CHECK(left < LEFT && left < full / 4);
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        const unsigned char *value = mica_get(world, one, type);
        CHECK(value && value[0] == 7 && value[63] == 7);
        for (uint32_t i = 1; i < ROWS; i += 777) {
            CHECK(!mica_alive(world, entities[i]));
        }
        CHECK_EQUAL(MICA_OK, mica_world_free(world));
    }
    free(entities);
}

// Of room, lists remain that were made longer for it: a few bytes for each sheet and type; of sparse
// types, for each page of slots.
static void reclaiming_gives_back_what_was_reserved(void)
{
    for (sort what = EMPTY; what < SORTS; what++) {
        scene s;
        begin(&s, what);
        REQUIRE_EQUAL(MICA_OK, mica_world_reclaim(s.f.world));
        size_t before = s.f.t.memory.bytes;
        REQUIRE_EQUAL(MICA_OK, mica_bundle_reserve(s.f.world, s.bundle, 40 * MICAI_ROWS));
        CHECK(s.f.t.memory.bytes >= before + (size_t)40 * MICAI_ROWS * sizeof(mica_entity));
        REQUIRE_EQUAL(MICA_OK, mica_world_reclaim(s.f.world));
        size_t each = 4 * s.count + (what == SPARSE ? 24 * s.count : 0);
        CHECK(s.f.t.memory.bytes <= before + 40 * (48 + each));
        CHECK_EQUAL(MICA_OK, mica_world_validate(s.f.world));
        end(&s);
    }
}

static void the_dead_stay_dead_after_reclaiming(void)
{
    enum { COUNT = 100 };
    fixture f;
    fixture_begin(&f);
    mica_entity old[COUNT];
    for (uint32_t round = 0; round < 5; round++) {
        mica_entity now[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) {
            now[i] = mica_spawn_values(f.world, NULL, 0);
            if (round > 0) {
                CHECK(!mica_alive(f.world, old[i]));
                CHECK(MICA_IS_NONE(mica_spawn_at(f.world, old[i])));
                test_error_clear(&f.t.error);
            }
        }
        memcpy(old, now, sizeof old);
        mica_entity again = now[round];
        CHECK_EQUAL(MICA_OK, mica_despawn(f.world, again)); // one is a generation ahead
        again = mica_spawn_values(f.world, NULL, 0);
        CHECK_EQUAL(MICA_OK, mica_world_clear(f.world));
        CHECK_EQUAL(MICA_OK, mica_world_reclaim(f.world));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
        CHECK(MICA_IS_NONE(mica_spawn_at(f.world, again)));
        test_error_clear(&f.t.error);
    }
    fixture_end(&f);
}

static void reclaiming_makes_slots_of_idle_pages_fresh_again(void)
{
    enum { PAGE = 1 << MICA_VIEW_SLOT_SHIFT };
    fixture f;
    fixture_begin(&f);
    static mica_entity entities[3 * PAGE];
    for (uint32_t i = 0; i < 3 * PAGE; i++) {
        entities[i] = mica_spawn_values(f.world, NULL, 0);
    }
    CHECK_EQUAL(MICA_OK, mica_despawn_many(f.world, entities, 2 * PAGE));
    CHECK_EQUAL(MICA_OK, mica_despawn(f.world, entities[2 * PAGE + 2]));
    CHECK_EQUAL(MICA_OK, mica_despawn(f.world, entities[2 * PAGE + 1]));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(f.world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    // Last freed first, where somebody lives; then the others, lowest first.
    const uint32_t slots[] = {2 * PAGE + 1, 2 * PAGE + 2, 0, 1};
    for (uint32_t i = 0; i < 4; i++) {
        mica_entity entity = mica_spawn_values(f.world, NULL, 0);
        CHECK_EQUAL(slots[i], mica_entity_slot(entity));
        CHECK_EQUAL(1, mica_entity_generation(entity));
    }
    fixture_end(&f);
}

// Growth

static void components_added_one_by_one_leave_no_trail(void)
{
    enum { COUNT = 300 };
    fixture f;
    fixture_begin(&f);
    mica_entity entity = fixture_spawn(&f, 5);
    mica_type types[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        types[i] =
            mica_type_register(f.world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK_EQUAL(MICA_OK, mica_set_value(f.world, entity, types[i], &i, sizeof i));
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK_EQUAL(i, *(const uint32_t *)mica_get(f.world, entity, types[i]));
    }
    CHECK(mica_world_get_stats(f.world).tables < 250);
    CHECK(fixture_holds(&f, entity, 5));
    fixture_end(&f);
}

static void a_table_that_was_reserved_stays_while_others_go(void)
{
    scene s;
    begin(&s, TAGGED);
    REQUIRE_EQUAL(MICA_OK, mica_despawn(s.f.world, s.one));
    REQUIRE_EQUAL(MICA_OK, mica_bundle_reserve(s.f.world, s.bundle, ROOM));
    const micai_table *table = table_of(&s);
    mica_entity entity = mica_spawn_values(s.f.world, NULL, 0);
    for (uint32_t i = 0; i < 400; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        mica_add(
            s.f.world, entity,
            mica_type_register(s.f.world, &(mica_type_desc){.name = name, .size = 4, .align = 4}));
    }
    CHECK_POINTER(table, table_of(&s));
    CHECK_EQUAL(MICA_OK, mica_entity_reserve(s.f.world, ROOM));
    check_room(&s, BY_BUNDLE, ROOM);
    end(&s);
}

TESTS(change_reserve, after_a_reserve_no_way_of_spawning_asks_for_memory,
      after_a_reserve_of_slots_spawning_asks_for_none,
      slots_that_are_reserved_stay_until_they_are_used,
      who_comes_to_have_the_types_uses_up_room_one_by_one,
      no_call_takes_room_away_that_was_reserved, changes_by_query_bring_their_own_room_each_time,
      types_that_are_registered_later_take_no_room, four_thousand_million_are_refused_at_once,
      what_is_refused_at_the_limit_keeps_nothing, a_refused_call_gives_back_what_it_got,
      one_row_of_many_costs_little_when_reclaimed, reclaiming_gives_back_what_was_reserved,
      the_dead_stay_dead_after_reclaiming, reclaiming_makes_slots_of_idle_pages_fresh_again,
      components_added_one_by_one_leave_no_trail, a_table_that_was_reserved_stays_while_others_go)
