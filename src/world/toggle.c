// Switching components off and on, one at a time. Each function tries the short cut first, which is
// that of accessors; the router does everything else, errors included.
#include <mica/toggle.h>

#include "base/compiler.h"
#include "world/value.h"

// The short cut: the flag of a value, and the tick of writes to it (NULL: not to be written this
// way). NULL if it is not found like this.
static inline unsigned char *find_flag(const mica_world *world, mica_entity entity, mica_type type,
                                       uint64_t **tick_out)
{
    const micai_record *record = world ? micai_slots_find(&world->core->slots, entity) : NULL;
    const micai_reach found =
        record ? micai_directory_reach(&world->core->store.flags, type, record->where)
               : (micai_reach){0};
    if (!found.spot || !found.spot->data) {
        return NULL;
    }
    *tick_out = found.spot->tick;
    return found.spot->data + (record->where & (MICAI_ROWS - 1));
}

// The same in a pool: the place of the value. MICAI_POOL_NONE if it is not found.
static inline uint32_t find_place(const mica_world *world, mica_entity entity, mica_type type,
                                  micai_pool **pool_out)
{
    const micai_core *core = world ? world->core : NULL;
    micai_pool *pool = core && micai_slots_find(&core->slots, entity)
                           ? micai_pools_find(&core->pools, type)
                           : NULL;
    *pool_out = pool;
    return pool && pool->room.flags ? micai_pool_place(pool, mica_entity_slot(entity))
                                    : MICAI_POOL_NONE;
}

static mica_result set_slowly(mica_world *world, const char *call, mica_entity entity,
                              mica_type type, bool off)
{
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_edit(world, call);
    if (result) {
        return result;
    }
    const micai_record *record = micai_slots_find(&world->core->slots, entity);
    if (!record) {
        return micai_slots_fail(&world->host, call, entity);
    }
    const micai_type *found = micai_world_type(world, call, type);
    if (!found) {
        return MICA_ERROR_TYPE;
    }
    result = micai_value_check_toggle(world, call, found);
    const micai_living who = {entity, record};
    if (!result && !micai_value_has(world->core, who, found)) {
        char id[MICA_ENTITY_TEXT_SIZE];
        result = micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: entity %s has no '%s'", call,
                            mica_entity_text(entity, id), found->info.name);
    }
    if (!result) {
        micai_host_begin(&world->host, call);
        result = micai_value_own_toggle(world, who, found);
        micai_host_end(&world->host);
    }
    if (!result) {
        micai_value_toggle(world, who, found, off);
    }
    return result;
}

MICAI_COLD static mica_result set_in_pool(mica_world *world, const char *call, mica_entity entity,
                                          mica_type type, bool off)
{
    micai_pool *pool;
    uint32_t place = find_place(world, entity, type, &pool);
    if (place == MICAI_POOL_NONE || world->host.handler) {
        return set_slowly(world, call, entity, type, off);
    }
    micai_pool_toggle(pool, place, off, world->view.tick);
    return MICA_OK;
}

static inline mica_result set(mica_world *world, const char *call, mica_entity entity,
                              mica_type type, unsigned char off)
{
    uint64_t *tick;
    unsigned char *flag = find_flag(world, entity, type, &tick);
    if (!flag || !tick || world->host.handler) {
        return set_in_pool(world, call, entity, type, off);
    }
    if (*flag != off) {
        *flag = off;
        *tick = world->view.tick;
    }
    return MICA_OK;
}

mica_result mica_enable(mica_world *world, mica_entity entity, mica_type type)
{
    return set(world, "mica_enable", entity, type, 0);
}

mica_result mica_disable(mica_world *world, mica_entity entity, mica_type type)
{
    return set(world, "mica_disable", entity, type, 1);
}

bool mica_is_enabled(mica_world *world, mica_entity entity, mica_type type)
{
    uint64_t *tick;
    const unsigned char *flag = find_flag(world, entity, type, &tick);
    return flag ? *flag == 0
                : micai_value_ask(world, "mica_is_enabled", entity, type, micai_value_is_on);
}

// Accessors

mica_result mica_accessor_toggle_slowly(const mica_accessor *accessor, mica_entity entity,
                                        bool enabled)
{
    const char *call = enabled ? "mica_accessor_enable" : "mica_accessor_disable";
    return micai_accessor_is_none(accessor, call)
               ? MICA_ERROR_TYPE
               : set_slowly(accessor->world, call, entity, accessor->type, !enabled);
}

bool mica_accessor_is_enabled_slowly(const mica_accessor *accessor, mica_entity entity)
{
    static const char call[] = "mica_accessor_is_enabled";
    return !micai_accessor_is_none(accessor, call) &&
           micai_value_ask(accessor->world, call, entity, accessor->type, micai_value_is_on);
}
