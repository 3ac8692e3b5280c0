// The inline code of mica/accessor.h, and the functions that it calls for all other cases. Not for
// users: it may change with every version of the library.
#ifndef MICA_DETAIL_ACCESSOR_H
#define MICA_DETAIL_ACCESSOR_H

#include <mica/accessor.h>
#include <mica/detail/view.h>

#ifdef __cplusplus
extern "C" {
#endif

// Creates an accessor. `layout` is the caller's MICA_VIEW_LAYOUT.
MICA_API mica_accessor mica_accessor_new_any(mica_world *world, mica_type type, uint32_t layout);

// Handle the cases that the inline code does not: missing components, values in small tables of
// large worlds, and errors. They take the world and the type instead of the accessor. So a loop can
// keep the accessor in registers, because its address is not passed on.
MICA_API const void *mica_accessor_get_any(mica_world *world, mica_type type, mica_entity entity);
MICA_API void *mica_accessor_get_mut_any(mica_world *world, mica_type type, mica_entity entity);

// Does the same for calls with a wrong size or with the name of a C type.
MICA_API void *mica_accessor_get_as_any(mica_world *world, mica_type type, mica_entity entity,
                                        uint32_t size, const char *c_type, bool write);

// Do the same for toggles.
MICA_API mica_result mica_accessor_toggle_any(mica_world *world, mica_type type, mica_entity entity,
                                              bool enabled);
MICA_API bool mica_accessor_is_enabled_any(mica_world *world, mica_type type, mica_entity entity);

MICA_INLINE mica_accessor mica_accessor_new(mica_world *world, mica_type type)
{
    return mica_accessor_new_any(world, type, MICA_VIEW_LAYOUT);
}

MICA_INLINE_ALWAYS const void *mica_accessor_get(const mica_accessor *accessor, mica_entity entity)
{
    const mica_type none = {0};
    if (accessor && accessor->rows) {
        const mica_view_record *record = mica_view_slots_find(accessor->slots, entity);
        if (record && mica_view_find_flat(accessor->rows, record->where)->data) {
            return mica_view_find_flat(accessor->rows, record->where)->data +
                   mica_view_offset(record->where, accessor->size);
        }
    } else if (accessor && accessor->pool) {
        uint32_t row = mica_view_pool_visible_row(accessor->pool, accessor->slots, entity,
                                                  accessor->pool->leaf_count);
        if (row != UINT32_MAX) {
            return mica_view_pool_value(accessor->pool, row, accessor->size);
        }
    }
    return mica_accessor_get_any(mica_view_world(accessor ? accessor->face : NULL),
                                 accessor ? accessor->type : none, entity);
}

MICA_INLINE_ALWAYS void *mica_accessor_get_mut(const mica_accessor *accessor, mica_entity entity)
{
    const mica_type none = {0};
    if (accessor && accessor->rows) {
        const mica_view_record *record = mica_view_slots_find(accessor->slots, entity);
        if (record && mica_view_open(mica_view_open_flat(accessor->rows, record->where),
                                     accessor->face->tick)) {
            return mica_view_open_flat(accessor->rows, record->where)->data +
                   mica_view_offset(record->where, accessor->size);
        }
    } else if (accessor && accessor->pool) {
        uint32_t row = mica_view_pool_visible_row(accessor->pool, accessor->slots, entity,
                                                  accessor->pool->open_leaf_count);
        if (row != UINT32_MAX && mica_view_pool_block(accessor->pool, row)->tick) {
            *mica_view_pool_block(accessor->pool, row)->tick = accessor->face->tick;
            return mica_view_pool_value(accessor->pool, row, accessor->size);
        }
    }
    return mica_accessor_get_mut_any(mica_view_world(accessor ? accessor->face : NULL),
                                     accessor ? accessor->type : none, entity);
}

MICA_INLINE_ALWAYS const void *mica_accessor_get_as(const mica_accessor *accessor,
                                                    mica_entity entity, uint32_t size,
                                                    const char *c_type)
{
    const mica_type none = {0};
    return accessor && size == accessor->size && size > 0 && !c_type
               ? mica_accessor_get(accessor, entity)
               : mica_accessor_get_as_any(mica_view_world(accessor ? accessor->face : NULL),
                                          accessor ? accessor->type : none, entity, size, c_type,
                                          false);
}
MICA_INLINE_ALWAYS void *mica_accessor_get_mut_as(const mica_accessor *accessor, mica_entity entity,
                                                  uint32_t size, const char *c_type)
{
    const mica_type none = {0};
    return accessor && size == accessor->size && size > 0 && !c_type
               ? mica_accessor_get_mut(accessor, entity)
               : mica_accessor_get_as_any(mica_view_world(accessor ? accessor->face : NULL),
                                          accessor ? accessor->type : none, entity, size, c_type,
                                          true);
}

MICA_INLINE_ static inline mica_result mica_accessor_toggle_(const mica_accessor *accessor,
                                                             mica_entity entity, bool enabled)
{
    const mica_type none = {0};
    if (accessor && accessor->flags) {
        const mica_view_record *record = mica_view_slots_find(accessor->slots, entity);
        if (record) {
            uint32_t where = record->where;
            mica_view_values *values = mica_view_open_flat(accessor->flags, where);
            if (values->tick) {
                uint32_t row = where & ((UINT32_C(1) << MICA_VIEW_ROW_SHIFT) - 1);
                if (values->data[row] != !enabled && mica_view_open(values, accessor->face->tick)) {
                    values->data[row] = !enabled;
                }
                return MICA_OK;
            }
        }
    } else if (accessor && accessor->pool) {
        uint32_t row = mica_view_pool_row(accessor->pool, accessor->slots, entity,
                                          accessor->pool->open_leaf_count);
        if (row != UINT32_MAX && mica_view_pool_block(accessor->pool, row)->flags_tick) {
            mica_view_block *block = mica_view_pool_block(accessor->pool, row);
            mica_view_switch(block->flags + mica_view_pool_offset(accessor->pool, row),
                             block->flags_tick, accessor->face, !enabled);
            return MICA_OK;
        }
    }
    return mica_accessor_toggle_any(mica_view_world(accessor ? accessor->face : NULL),
                                    accessor ? accessor->type : none, entity, enabled);
}

MICA_INLINE_ALWAYS mica_result mica_accessor_enable(const mica_accessor *accessor,
                                                    mica_entity entity)
{
    return mica_accessor_toggle_(accessor, entity, true);
}
MICA_INLINE_ALWAYS mica_result mica_accessor_disable(const mica_accessor *accessor,
                                                     mica_entity entity)
{
    return mica_accessor_toggle_(accessor, entity, false);
}
MICA_INLINE_ALWAYS bool mica_accessor_is_enabled(const mica_accessor *accessor, mica_entity entity)
{
    const mica_type none = {0};
    if (accessor && accessor->flags) {
        const mica_view_record *record = mica_view_slots_find(accessor->slots, entity);
        if (record && mica_view_find_flat(accessor->flags, record->where)->data) {
            uint32_t row = record->where & ((UINT32_C(1) << MICA_VIEW_ROW_SHIFT) - 1);
            return mica_view_find_flat(accessor->flags, record->where)->data[row] == 0;
        }
    } else if (accessor && accessor->pool) {
        uint32_t row =
            mica_view_pool_row(accessor->pool, accessor->slots, entity, accessor->pool->leaf_count);
        if (row != UINT32_MAX && mica_view_pool_block(accessor->pool, row)->flags) {
            return mica_view_pool_block(accessor->pool, row)
                       ->flags[mica_view_pool_offset(accessor->pool, row)] == 0;
        }
    }
    return mica_accessor_is_enabled_any(mica_view_world(accessor ? accessor->face : NULL),
                                        accessor ? accessor->type : none, entity);
}

#ifdef __cplusplus
}
#endif

#endif
