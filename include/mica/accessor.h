// Accessors: a component type prepared for quick, checked access to single entities. They do what
// mica_get() and mica_get_mut() do, inline, without looking anything up by type.
//
//   mica_accessor positions = mica_accessor_new(world, position);
//   const Position *p = mica_accessor_get(&positions, e);
//   Position *q = mica_accessor_get_mut(&positions, e);
//
// MICA_ACCESSOR_GET(&positions, e, Position) and MICA_ACCESSOR_GET_MUT() also check the C type, as MICA_GET()
// does.
//
// An accessor is good for as long as its world. It owns nothing and can be copied.
#ifndef MICA_ACCESSOR_H
#define MICA_ACCESSOR_H

#include <mica/type.h>
#include <mica/view.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_accessor {
    // private
    const mica_view_face *face; // NULL: no accessor, of no world
    const mica_view_slots *slots;
    const mica_view_type *rows;  // NULL: the type is sparse, or it is no accessor
    const mica_view_type *flags; // beside the rows; NULL: they have none
    mica_view_pool *pool;        // NULL: the type is not sparse
    mica_type type;              // none: no accessor
    uint32_t size;               // of its values; 0: no accessor
} mica_accessor;

// O(1); the first of a type, O(pages of rows in the world), with 24 bytes for each. [accessor.cost]
// On failure (MICA_ERROR_NULL, _TYPE, _MEMORY, _HOOK; of a tag, which has no value, _SIZE; of a
// face that records, since what is written through it would not wait, _RECORDING) the accessor
// gives NULL for every entity, reporting each time. [accessor.fail] A program compiled with the
// headers of another version than the library's gets MICA_ERROR_VERSION: what is inline in the one
// does not fit the other. [accessor.version]
MICA_INLINE mica_accessor mica_accessor_new(mica_world *world, mica_type type);

// Behind that: `layout` is MICA_VIEW_LAYOUT as the caller was compiled with it. [accessor.layout]
MICA_API mica_accessor mica_accessor_make(mica_world *world, mica_type type, uint32_t layout);

MICA_INLINE mica_accessor mica_accessor_new(mica_world *world, mica_type type)
{
    return mica_accessor_make(world, type, MICA_VIEW_LAYOUT);
}

// Behind the functions below, for all they do not do inline: components that are not there, values
// in small tables of large worlds, and errors (MICA_ERROR_ENTITY; MICA_ERROR_TYPE for an accessor that
// is none; MICA_ERROR_ITERATING for values that an iteration has:
// mica_write()). [accessor.behind_get] They are given the world and the type of an accessor, and
// not the accessor: a loop keeps one in registers if its address goes nowhere. [accessor.by_value]
MICA_API const void *mica_accessor_get_any(mica_world *world, mica_type type, mica_entity entity);
MICA_API void *mica_accessor_get_mut_any(mica_world *world, mica_type type, mica_entity entity);

// NULL, silently, if the component is not there; NULL and an error if the entity is
// dead. [accessor.get]
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
        uint32_t row = mica_view_pool_reach(accessor->pool, accessor->slots, entity);
        if (row != UINT32_MAX) {
            return mica_view_pool_value(accessor->pool, row, accessor->size);
        }
    }
    return mica_accessor_get_any(mica_view_world(accessor ? accessor->face : NULL),
                                 accessor ? accessor->type : none, entity);
}

// The same, to be written: counts as a change. [accessor.get_mut]
MICA_INLINE_ALWAYS void *mica_accessor_get_mut(const mica_accessor *accessor, mica_entity entity)
{
    const mica_type none = {0};
    if (accessor && accessor->rows) {
        const mica_view_record *record = mica_view_slots_find(accessor->slots, entity);
        if (record && mica_view_open(mica_view_find_flat(accessor->rows, record->where),
                                     accessor->face->tick)) {
            return mica_view_find_flat(accessor->rows, record->where)->data +
                   mica_view_offset(record->where, accessor->size);
        }
    } else if (accessor && accessor->pool) {
        uint32_t row = mica_view_pool_reach(accessor->pool, accessor->slots, entity);
        if (row != UINT32_MAX && mica_view_pool_block(accessor->pool, row)->tick) {
            *mica_view_pool_block(accessor->pool, row)->tick = accessor->face->tick;
            return mica_view_pool_value(accessor->pool, row, accessor->size);
        }
    }
    return mica_accessor_get_mut_any(mica_view_world(accessor ? accessor->face : NULL),
                                     accessor ? accessor->type : none, entity);
}

// For a size that is not the type's, and for an accessor that is none: reports MICA_ERROR_SIZE or
// MICA_ERROR_TYPE, gives NULL. [accessor.refuse]
MICA_API void *mica_accessor_refuse(mica_world *world, mica_type type, uint32_t size, bool write);

// The same with the size of the C type checked: MICA_ERROR_SIZE. [accessor.size]
MICA_INLINE_ALWAYS const void *mica_accessor_get_sized(const mica_accessor *accessor,
                                                       mica_entity entity, uint32_t size)
{
    const mica_type none = {0};
    return accessor && size == accessor->size && size > 0
               ? mica_accessor_get(accessor, entity)
               : mica_accessor_refuse(mica_view_world(accessor ? accessor->face : NULL),
                                      accessor ? accessor->type : none, size, false);
}
MICA_INLINE_ALWAYS void *mica_accessor_get_mut_sized(const mica_accessor *accessor,
                                                     mica_entity entity, uint32_t size)
{
    const mica_type none = {0};
    return accessor && size == accessor->size && size > 0
               ? mica_accessor_get_mut(accessor, entity)
               : mica_accessor_refuse(mica_view_world(accessor ? accessor->face : NULL),
                                      accessor ? accessor->type : none, size, true);
}

// The same with the name of the C type compared, too, unless that is NULL:
// MICA_ERROR_C_TYPE. [accessor.c_type]
MICA_INLINE_ALWAYS const void *mica_accessor_get_as(const mica_accessor *accessor,
                                                    mica_entity entity, uint32_t size,
                                                    const char *c_type)
{
    return !c_type || !accessor ||
                   mica_type_is_c(mica_view_world(accessor->face), accessor->type, size, c_type,
                                  "MICA_ACCESSOR_GET")
               ? mica_accessor_get_sized(accessor, entity, size)
               : NULL;
}
MICA_INLINE_ALWAYS void *mica_accessor_get_mut_as(const mica_accessor *accessor, mica_entity entity,
                                                  uint32_t size, const char *c_type)
{
    return !c_type || !accessor ||
                   mica_type_is_c(mica_view_world(accessor->face), accessor->type, size, c_type,
                                  "MICA_ACCESSOR_GET_MUT")
               ? mica_accessor_get_mut_sized(accessor, entity, size)
               : NULL;
}

// Many at once: `values_out` gets what mica_accessor_get() or mica_accessor_get_mut() gives for each of them, NULL
// for the dead, too, and who calls is told how many are not NULL. [accessor.many] For entities that
// lie anywhere (targets, neighbours, who is named in events): memory is asked for what many need
// before the first is waited for. Take a few hundred at a time, which are in the cache
// then. [accessor.many_cost]
//
//   const void *found[256];
//   mica_accessor_get_many(&positions, targets, 256, found);
//   for (uint32_t i = 0; i < 256; i++) {
//       const Position *p = found[i];
//
// Errors are those of the single calls and take nothing from the others; of the dead, only the first is reported,
// and an accessor that is none once. [accessor.many_fail] The C type is not checked.
// MICA_ERROR_NULL if a list is missing: nothing is written. The lists must not
// overlap. [accessor.many_lists]
MICA_API uint32_t mica_accessor_get_many(const mica_accessor *accessor, const mica_entity *entities,
                                         uint32_t count, const void **values_out);
MICA_API uint32_t mica_accessor_get_mut_many(const mica_accessor *accessor,
                                             const mica_entity *entities, uint32_t count,
                                             void **values_out);

// Toggles: mica/toggle.h.

// Behind the functions below, for all they do not do inline. [accessor.behind_enable]
MICA_API mica_result mica_accessor_toggle_any(mica_world *world, mica_type type, mica_entity entity,
                                              bool enabled);
MICA_API bool mica_accessor_is_enabled_any(mica_world *world, mica_type type, mica_entity entity);

// Switches a value on or off. [accessor.switch]
MICA_INLINE_ALWAYS mica_result mica_accessor_switch(const mica_accessor *accessor,
                                                    mica_entity entity, bool enabled)
{
    const mica_type none = {0};
    if (accessor && accessor->flags) {
        const mica_view_record *record = mica_view_slots_find(accessor->slots, entity);
        if (record) {
            uint32_t where = record->where;
            mica_view_spot *spot = mica_view_find_flat(accessor->flags, where);
            if (spot->tick) {
                uint32_t row = where & ((UINT32_C(1) << MICA_VIEW_ROW_SHIFT) - 1);
                if (spot->data[row] != !enabled && mica_view_open(spot, accessor->face->tick)) {
                    spot->data[row] = !enabled;
                }
                return MICA_OK;
            }
        }
    } else if (accessor && accessor->pool) {
        uint32_t row = mica_view_pool_row(accessor->pool, accessor->slots, entity);
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

// mica_enable(), mica_disable() and mica_is_enabled() of an accessor's type. [accessor.enable]
// MICA_ERROR_TYPE for an accessor that is none. [accessor.enable_none] Handlers, which are to
// change nothing, are refused with MICA_ERROR_HANDLER only where this is not done
// inline. [accessor.enable_handler]
MICA_INLINE_ALWAYS mica_result mica_accessor_enable(const mica_accessor *accessor,
                                                    mica_entity entity)
{
    return mica_accessor_switch(accessor, entity, true);
}
MICA_INLINE_ALWAYS mica_result mica_accessor_disable(const mica_accessor *accessor,
                                                     mica_entity entity)
{
    return mica_accessor_switch(accessor, entity, false);
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
        uint32_t row = mica_view_pool_row(accessor->pool, accessor->slots, entity);
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

#define MICA_ACCESSOR_GET(accessor, entity, T)                                                     \
    (MICA_CAST_(                                                                                   \
        MICA_CONST_(T) *,                                                                          \
        mica_accessor_get_as(accessor, entity, MICA_CAST_(uint32_t, sizeof(T)), MICA_C_TYPE_(T))))
#define MICA_ACCESSOR_GET_MUT(accessor, entity, T)                                                 \
    (MICA_CAST_(T *, mica_accessor_get_mut_as(accessor, entity, MICA_CAST_(uint32_t, sizeof(T)),   \
                                              MICA_C_TYPE_(T))))

#endif
