// Tidings. tidings.h has the contract.
#include "world/tidings.h"

#include "base/canary.h"

micai_tidings micai_tidings_begin(const mica_world *world, const char *call)
{
    return (micai_tidings){.call = call, .made = world->core->observers_made};
}

void micai_tidings_tell(mica_world *world, micai_tidings *tidings, uint32_t kinds)
{
    const micai_room *room = &world->core->rooms[MICAI_ROOM_OBSERVER];
    if (room->state) {
        room->tell(world, room->state, tidings, kinds);
    }
}

static bool holds(const mica_types *set, const micai_type *type)
{
    return set && micai_types_has(set, type->number);
}

static bool comes(const micai_tidings *tidings, const micai_type *type)
{
    return (tidings->one == type && tidings->comes) || holds(tidings->more, type);
}

static bool goes(const micai_tidings *tidings, const micai_type *type)
{
    return (tidings->one == type && tidings->goes) || holds(tidings->less, type);
}

bool micai_tidings_has(const micai_core *core, const micai_tidings *tidings, const micai_type *type,
                       bool after)
{
    if (after && (comes(tidings, type) || goes(tidings, type))) {
        return comes(tidings, type);
    }
    return micai_value_has(core, tidings->who, type);
}

bool micai_tidings_is_on(const micai_core *core, const micai_tidings *tidings,
                         const micai_type *type, bool after)
{
    bool flips = after && holds(tidings->flips, type);
    if (MICAI_CANARY("world.flips")) {
        flips = false;
    }
    if (after && (comes(tidings, type) || goes(tidings, type))) {
        return comes(tidings, type) && !flips;
    }
    return after && tidings->toggled == type ? !tidings->off
                                             : micai_value_is_on(core, tidings->who, type) != flips;
}

mica_result micai_tidings_reserve(mica_world *world, uint32_t count, uint64_t **matched_out)
{
    uint32_t words = micai_tidings_words(world->core);
    *matched_out = NULL;
    if (words == 0) {
        return MICA_OK;
    }
    *matched_out = micai_arena_alloc_array(&world->host, &world->scratch, count,
                                           words * sizeof **matched_out, _Alignof(uint64_t));
    return *matched_out ? MICA_OK : MICA_ERROR_MEMORY;
}

uint32_t micai_tidings_watched(const micai_core *core, micai_living who)
{
    uint32_t watched = core->registry.watched;
    for (uint32_t n = micai_value_next(core, who, 0); n != MICAI_BITS_END;
         n = micai_value_next(core, who, n + 1)) {
        watched |= core->registry.list.items[n]->watched;
    }
    return watched;
}

mica_result micai_tidings_check_depth(mica_world *world, const char *call)
{
    const micai_core *core = world->core;
    if (core->telling < MICA_OBSERVER_DEPTH) {
        return MICA_OK;
    }
    const char *name = core->observer;
    return micai_fail(&world->host, MICA_ERROR_LIMIT,
                      "%s: refused inside %s%.80s%s: %d observers are being told, each of what the "
                      "one before it has set",
                      call, name ? "observer '" : "an observer", name ? name : "", name ? "'" : "",
                      MICA_OBSERVER_DEPTH);
}
