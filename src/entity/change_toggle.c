// Plans for switching a type off and on, of one entity or many. plan.h has the contract.
//
// Nothing moves, so that there is little to plan; but observers are told of it as of everything else.
#include "entity/change.h"

bool micai_toggle_sweeps_tables(const micai_type *type)
{
    return !micai_pool_keeps(type) && !micai_watches(type, MICAI_WATCH_TOGGLES);
}

mica_result micai_change_check_toggle(mica_world *world, const char *call, const micai_type *type,
                                      bool recordable)
{
    if (world->state->telling == 0 || !micai_watches(type, MICAI_WATCH_TOGGLES)) {
        return MICA_OK;
    }
    return recordable ? micai_world_refuse_change(world, call) : micai_world_refuse(world, call);
}

void micai_change_toggle(mica_world *world, micai_tidings *tidings, const micai_type *type,
                         bool off)
{
    bool told = micai_watches(type, MICAI_WATCH_TOGGLES) &&
                micai_value_is_on(world->state, tidings->who, type) == off;
    tidings->toggled = type;
    tidings->off = off;
    if (told) {
        micai_tidings_tell(world, tidings, MICAI_WATCH_BEFORE);
    }
    micai_value_toggle(world, tidings->who, type, off);
    if (told) {
        micai_tidings_tell(world, tidings, MICAI_WATCH_AFTER);
    }
}

typedef struct toggling {
    mica_world *world;
    const micai_type *type;
    bool off;
    mica_entity *changed; // those for whom it makes a difference
    uint32_t count;
    uint64_t *matched;
    micai_tidings tidings;
} toggling;

static micai_living find_living(const toggling *all, mica_entity entity)
{
    return (micai_living){entity,
                          micai_slots_at(&all->world->state->slots, mica_entity_slot(entity))};
}

// Who changes, of those that are listed, and memory to notify observers of queries.
static mica_result reserve(toggling *all, const mica_entity *entities, uint32_t count)
{
    mica_world *world = all->world;
    all->changed = micai_arena_alloc_array(&world->host, &world->scratch, count,
                                           sizeof *all->changed, _Alignof(mica_entity));
    mica_result result = all->changed ? MICA_OK : MICA_ERROR_MEMORY;
    for (uint32_t i = 0; !result && i < count; i++) {
        const micai_living who = find_living(all, entities[i]);
        if (micai_value_has(world->state, who, all->type) &&
            micai_value_is_on(world->state, who, all->type) == all->off) {
            all->changed[all->count++] = entities[i];
        }
    }
    bool matches = micai_watches(all->type, MICAI_WATCH_MATCHES);
    return result || !matches ? result : micai_tidings_reserve(world, all->count, &all->matched);
}

static void tell(toggling *all, uint32_t kinds)
{
    uint32_t words = micai_tidings_words(all->world->state);
    for (uint32_t i = 0; i < all->count; i++) {
        all->tidings.who = find_living(all, all->changed[i]);
        all->tidings.matched = all->matched ? all->matched + (size_t)i * words : NULL;
        micai_tidings_tell(all->world, &all->tidings, kinds);
    }
}

mica_result micai_change_toggle_each(mica_world *world, const char *call,
                                     const mica_entity *entities, uint32_t count,
                                     const micai_type *type, bool off)
{
    toggling all = {.world = world, .type = type, .off = off};
    bool told = micai_watches(type, MICAI_WATCH_TOGGLES);
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    mica_result result = reserve(&all, entities, count);
    if (!result) {
        all.tidings = micai_tidings_begin(world, call);
        all.tidings.toggled = type;
        all.tidings.off = off;
        if (told) {
            tell(&all, MICAI_WATCH_BEFORE);
        }
        for (uint32_t i = 0; i < all.count; i++) {
            micai_value_toggle(world, find_living(&all, all.changed[i]), type, off);
        }
        if (told) {
            tell(&all, MICAI_WATCH_AFTER);
        }
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}
