#include "unit/world/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "state/state.h"
#include "store/table/row.h"

void fixture_prepare(fixture *f)
{
    memset(f, 0, sizeof *f);
    tracker_begin(&f->tracker);
    test_world_prepare(&f->t);
}

void fixture_open(fixture *f)
{
    mica_world *world = f->world = test_world_open(&f->t);
    f->frozen = MICA_TAG(world, Frozen);
    f->position = MICA_REGISTER(world, Position, x, y);
    f->velocity = MICA_REGISTER(world, Velocity, x, y);
    f->player = MICA_TAG(world, Player);
    const mica_type_desc moved = tracked_desc(&f->tracker, "Moved", true);
    const mica_type_desc hooked = tracked_desc(&f->tracker, "Hooked", false);
    f->moved = mica_type_register(world, &moved);
    f->hooked = mica_type_register(world, &hooked);
    mica_type_desc health = MICA_DESCRIBE(Health, points);
    health.default_value = &(Health){100};
    f->health = mica_type_register(world, &health);
    REQUIRE_EQUAL(7, mica_type_count(world));
}

void fixture_begin(fixture *f)
{
    fixture_prepare(f);
    fixture_open(f);
}

void fixture_end(fixture *f)
{
    test_world_end(&f->t);
    CHECK_TRACKED(&f->tracker, 0);
}

mica_entity fixture_spawn(fixture *f, int32_t n)
{
    tracked value = tracked_make(&f->tracker, n);
    mica_entity entity =
        mica_spawn(f->world, MICA_VALUE(f->position, Position, (float)n, -(float)n),
                   MICA_VALUE(f->velocity, Velocity, 2 * (float)n, 0), MICA_ADD(f->player),
                   ((mica_value){f->moved, &value, sizeof value, 1, NULL}),
                   ((mica_value){f->hooked, &value, sizeof value, 1, NULL}));
    tracked_drop(&f->tracker, &value);
    return entity;
}

bool fixture_holds(fixture *f, mica_entity entity, int32_t n)
{
    const Position *p = MICA_GET(f->world, entity, f->position, Position);
    const Velocity *v = MICA_GET(f->world, entity, f->velocity, Velocity);
    return p && p->x == (float)n && p->y == -(float)n && v && v->x == 2 * (float)n && v->y == 0 &&
           mica_has(f->world, entity, f->player) &&
           tracked_is(&f->tracker, mica_get(f->world, entity, f->moved), n) &&
           tracked_is(&f->tracker, mica_get(f->world, entity, f->hooked), n);
}

mica_type fixture_foreign(test_world *other)
{
    return MICA_REGISTER(test_world_begin(other), Position, x, y);
}

micai_table *fixture_table(const fixture *f, mica_entity entity)
{
    const micai_state *state = f->world->state;
    const micai_record *record = micai_slots_find(&state->slots, entity);
    REQUIRE(record != NULL);
    return micai_row_table(micai_row_of(&state->store, record));
}

const micai_transition *fixture_transition(const fixture *f, mica_entity entity,
                                           const mica_type *types, uint32_t given, uint32_t count)
{
    enum { MOST = 32 };
    REQUIRE(count <= MOST);
    micai_state *state = f->world->state;
    const micai_type *found[MOST];
    for (uint32_t i = 0; i < count; i++) {
        found[i] = micai_registry_find(&state->registry, types[i]);
        REQUIRE(found[i] != NULL);
    }
    bool spawned = MICA_IS_NONE(entity);
    micai_transition_kind kind = spawned      ? MICAI_TRANSITION_SPAWN
                                 : count != 1 ? MICAI_TRANSITION_LIST
                                 : given > 0  ? MICAI_TRANSITION_ADD
                                              : MICAI_TRANSITION_REMOVE;
    const micai_list list = {found, given, count};
    return micai_transition_find(&state->store, kind, spawned ? NULL : fixture_table(f, entity),
                                 &list);
}

uint64_t fixture_moves(const fixture *f)
{
    return mica_world_get_stats(f->world).row_moves;
}
