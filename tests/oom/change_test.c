// What has to do with changes, with the k-th allocation refused, for all k: the call it happens in fails with
// MICA_ERROR_MEMORY and changes nothing, no tick and no moment; the same call then succeeds.
#include <mica.h>

#include "oom/refuse.h"
#include "oom/sites.h"
#include "runner/test.h"
#include "runner/world.h"
#include "state/state.h"
#include "store/table/row.h"

enum { COUNT = 30, CALLS_MAX = 400 };

typedef struct Pair {
    uint32_t a, b;
} Pair;

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_storage kept; // of the column
    mica_type column, pooled;
    mica_entity entities[COUNT];
    mica_query changed, written;
    uint32_t met;
} scene;

static mica_type register_one(mica_world *world, const char *name, mica_storage kept)
{
    mica_type_desc desc = MICA_DESCRIBE(Pair, a, b);
    desc.name = name;
    desc.storage = kept;
    desc.toggle = kept != MICA_SPARSE;
    desc.row_stamps = true;
    return mica_type_register(world, &desc);
}

static mica_query ask(scene *s, uint32_t access)
{
    return mica_query_new(s->world,
                          &(mica_query_desc){.terms = {{s->column, access},
                                                       {s->pooled, MICA_OPTIONAL | MICA_ADDED}}});
}

// Iterates, and says of the first row that it has changed.
static bool walk(scene *s, mica_query query, bool touches)
{
    mica_iter it;
    bool done = mica_iter_begin(s->world, query, &it) == MICA_OK;
    for (s->met = 0; mica_iter_next(&it); s->met += it.count) {
        done = done && (!touches || mica_touch(&it, 0, 0) == MICA_OK);
    }
    return mica_iter_end(&it) == MICA_OK && done;
}

// Two commands that leave their entity where it is.
static bool record(scene *s)
{
    mica_world *later = mica_world_later(s->world);
    const Pair value = {9, 10};
    return !mica_set_value(later, s->entities[0], s->column, &value, sizeof value) &&
           !mica_disable(later, s->entities[0], s->column);
}

// The calls, by number; false: there is none. `done` says whether it did what it should.
static bool call(void *given, uint32_t number, bool *done)
{
    scene *s = given;
    mica_world *world = s->world;
    const mica_entity e = s->entities[0];
    const Pair value = {7, 8};
    switch (number) {
    case 0: *done = (s->column = register_one(world, "Column", s->kept)).bits != 0; break;
    case 1: *done = (s->pooled = register_one(world, "Pooled", MICA_SPARSE)).bits != 0; break;
    case 2: *done = (s->changed = ask(s, MICA_READ | MICA_CHANGED)).bits != 0; break;
    case 3: *done = (s->written = ask(s, MICA_WRITE | MICA_TOUCH)).bits != 0; break;
    case 4: *done = walk(s, s->changed, false); break;
    case 5: *done = mica_set_value(world, e, s->column, &value, sizeof value) == MICA_OK; break;
    case 6: // values that are split have no address
        *done = s->kept == MICA_SPLIT || mica_get_mut(world, e, s->column) != NULL;
        break;
    case 7: *done = mica_disable(world, e, s->column) == MICA_OK; break;
    case 8: *done = mica_enable(world, e, s->column) == MICA_OK; break;
    case 9: *done = walk(s, s->written, true); break;
    case 10: *done = walk(s, s->changed, false); break;
    case 11: *done = mica_world_later(world) && record(s); break;
    case 12: *done = mica_commands_apply(world) == MICA_OK; break;
    case 13: *done = mica_clone(world, e).bits != 0; break;
    case 14: *done = mica_add_all(world, s->changed, s->pooled, NULL) == MICA_OK; break;
    case 15: *done = mica_type_change_storage(world, s->column, MICA_RING) == MICA_OK; break;
    case 16: *done = mica_type_change_storage(world, s->column, MICA_SPARSE) == MICA_OK; break;
    case 17: *done = mica_type_change_storage(world, s->column, s->kept) == MICA_OK; break;
    case 18: *done = mica_world_reclaim(world) == MICA_OK; break;
    case 19: *done = mica_despawn_all(world, s->written, NULL) == MICA_OK; break;
    default: return false;
    }
    return true;
}

static void populate(scene *s)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        s->entities[i] = mica_spawn(s->world, MICA_ADD(s->column));
        if (i % 2 == 0) {
            mica_add(s->world, s->entities[i], s->pooled);
        }
    }
}

// Where rows are touched one by one, those before the one that fails stay so.
static uint64_t look(void *given, uint32_t number)
{
    const scene *s = given;
    uint64_t since = number > 3 ? mica_query_since(s->world, s->changed) : 0;
    return since + (number == 9 ? 0 : mica_world_digest(s->world));
}

// All calls, the k-th allocation of each refused until it needs fewer. Returns the refusals.
static uint64_t run(scene *s, uint64_t first)
{
    const refusing what = {&s->t, s->world, s, call, look, first};
    uint64_t refused = 0;
    bool is = true;
    for (uint32_t number = 0; is && number < CALLS_MAX; number++) {
        if (number == 4) {
            populate(s);
        }
        refused += refuse_each(&what, number, &is);
        CHECK(number != 10 || s->met > 0);
    }
    return refused;
}

static void changes_survive_every_refusal(void)
{
    static const mica_storage storages[] = {MICA_TABLE, MICA_SPLIT, MICA_RING};
    for (uint32_t i = 0; i < REFUSE_FIRST_MAX * (sizeof storages / sizeof *storages); i++) {
        uint64_t first = i % REFUSE_FIRST_MAX + 1;
        scene s = {.kept = storages[i / REFUSE_FIRST_MAX]};
        test_world_prepare(&s.t);
        sites_watch(&s.t);
        s.world = test_world_open(&s.t);
        CHECK(run(&s, first) > 10 || first > 1);
        test_world_end(&s.t);
    }
}

TESTS(change, changes_survive_every_refusal)
