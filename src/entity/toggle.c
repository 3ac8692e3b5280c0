// Disabling and enabling single components. Each function tries the fast path first, which is that
// of accessors. locate.h and change.h provide the rest, including errors.
#include <mica/toggle.h>

#include "base/compiler.h"
#include "entity/change.h"
#include "state/recorder.h"

// Fast path in tables: finds the flags around an entity's flag, and the offset of its own. Returns
// NULL if it cannot use this path. A pointer to writable flags has a tick.
static inline const mica_view_values *find_flags(const mica_world *world, mica_entity entity,
                                                 mica_type type, uint32_t *offset_out)
{
    const micai_record *record = world ? micai_slots_find(&world->state->slots, entity) : NULL;
    const mica_view_type *entry =
        record ? micai_directory_entry(&world->state->store.flags, type) : NULL;
    if (!entry) {
        return NULL;
    }
    *offset_out = record->where & (MICAI_ROWS - 1);
    return mica_view_find(entry, record->where);
}

MICAI_COLD static mica_result set_any(mica_world *world, const char *call, mica_entity entity,
                                      mica_type type, bool off)
{
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    if (world->recorder) {
        return world->recorder->toggle(world, call, entity, type, off);
    }
    mica_result result = micai_world_guard_edit(world, call);
    if (result) {
        return result;
    }
    const micai_record *record = micai_slots_find(&world->state->slots, entity);
    if (!record) {
        return micai_slots_fail(&world->host, call, entity);
    }
    const micai_type *found = micai_world_type(world, call, type);
    if (!found) {
        return MICA_ERROR_TYPE;
    }
    result = micai_value_check_toggle(world, call, found);
    const micai_entity_ref ref = {entity, record};
    if (!result && !micai_value_has(world->state, ref, found)) {
        char id[MICA_ENTITY_TEXT_SIZE];
        result = micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: entity %s has no '%s'", call,
                            mica_entity_text(entity, id), found->info.name);
    }
    result = result ? result : micai_change_check_toggle(world, call, found, true);
    return result ? result
                  : micai_world_finish(world, call,
                                       micai_change_toggle(world, call, entity, found, off));
}

// Not inline, because the path for tables would have to save registers for it.
MICAI_NOINLINE static mica_result set_in_pool(mica_world *world, mica_entity entity, mica_type type,
                                              unsigned char off, const char *call)
{
    micai_pool *pool = world && !world->host.hook && !world->host.handler
                           ? micai_pools_find(&world->state->pools, type)
                           : NULL;
    const uint32_t *entry = pool ? micai_pool_find(pool, entity) : NULL;
    const mica_view_pool *view = entry ? &pool->index.view : NULL;
    const mica_view_block *block = entry ? mica_view_pool_block(view, *entry - 1) : NULL;
    if (!block || !block->flags_tick) {
        return set_any(world, call, entity, type, off);
    }
    mica_view_switch(block->flags + mica_view_pool_offset(view, *entry - 1), block->flags_tick,
                     &world->view, off);
    return MICA_OK;
}

static inline mica_result set(mica_world *world, mica_entity entity, mica_type type,
                              unsigned char off, const char *call)
{
    if (micai_stamp_is_sparse(type.bits)) {
        return set_in_pool(world, entity, type, off, call);
    }
    uint32_t offset;
    const mica_view_values *pointer = find_flags(world, entity, type, &offset);
    if (!pointer || !pointer->tick || world->host.handler) {
        return set_in_pool(world, entity, type, off, call);
    }
    if (pointer->data[offset] != off) {
        pointer->data[offset] = off;
        *pointer->tick = world->view.tick;
    }
    return MICA_OK;
}

mica_result mica_enable(mica_world *world, mica_entity entity, mica_type type)
{
    return set(world, entity, type, 0, "mica_enable");
}

mica_result mica_disable(mica_world *world, mica_entity entity, mica_type type)
{
    return set(world, entity, type, 1, "mica_disable");
}

bool mica_is_enabled(mica_world *world, mica_entity entity, mica_type type)
{
    uint32_t offset;
    const mica_view_values *pointer = find_flags(world, entity, type, &offset);
    return pointer && pointer->data
               ? pointer->data[offset] == 0
               : micai_value_ask(world, "mica_is_enabled", entity, type, micai_value_is_on);
}

// Accessors

mica_result mica_accessor_toggle_any(mica_world *world, mica_type type, mica_entity entity,
                                     bool enabled)
{
    const char *call = enabled ? "mica_accessor_enable" : "mica_accessor_disable";
    return micai_accessor_is_none(world, type, call) ? MICA_ERROR_TYPE
                                                     : set_any(world, call, entity, type, !enabled);
}

bool mica_accessor_is_enabled_any(mica_world *world, mica_type type, mica_entity entity)
{
    static const char call[] = "mica_accessor_is_enabled";
    return !micai_accessor_is_none(world, type, call) &&
           micai_value_ask(world, call, entity, type, micai_value_is_on);
}
