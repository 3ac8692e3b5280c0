// The public functions on entities that involve no component.
//
// Room:    world.
#include <mica/entity.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "entity/facet.h"
#include "state/state.h"

// There is no record: the slot was never used, or the call is a mistake.
MICAI_COLD static bool report_missing(mica_world *world)
{
    static const char call[] = "mica_alive";
    if (!world) {
        micai_fail_null(NULL, call, "world");
    } else {
        micai_world_guard_read(world, call); // reported: inside a hook, no entity is found
    }
    return false;
}

bool mica_alive(mica_world *world, mica_entity entity)
{
    const micai_record *record =
        world ? micai_slots_look(&world->state->slots, mica_entity_slot(entity)) : NULL;
    return record ? micai_record_is_of(record, entity) : report_missing(world);
}

uint32_t mica_entity_count(mica_world *world)
{
    if (!world) {
        micai_fail_null(NULL, "mica_entity_count", "world");
        return 0;
    }
    return micai_facets_count_others(world->state);
}

mica_result mica_entity_reserve(mica_world *world, uint32_t count)
{
    static const char call[] = "mica_entity_reserve";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_edit(world, call);
    if (result) {
        return result;
    }
    uint32_t tables = micai_world_begin(world, call);
    result = micai_slots_reserve(&world->host, &world->state->slots, count);
    return micai_world_end(world, tables, result);
}

mica_entity mica_entity_next(mica_world *world, mica_entity previous)
{
    static const char call[] = "mica_entity_next";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return (mica_entity){0};
    }
    if (micai_world_guard_read(world, call)) {
        return (mica_entity){0};
    }
    const micai_state *state = world->state;
    uint32_t slot = MICA_IS_NONE(previous) ? 0 : mica_entity_slot(previous) + 1;
    bool ended = !MICA_IS_NONE(previous) && slot == 0; // after the last possible slot
    mica_entity next = ended ? (mica_entity){0} : micai_slots_next(&state->slots, slot);
    while (!MICAI_CANARY("world.next_facet") && micai_facets_get(micai_facets_of(state), next)) {
        next = micai_slots_next(&state->slots, mica_entity_slot(next) + 1);
    }
    return next;
}
