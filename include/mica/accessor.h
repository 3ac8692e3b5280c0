// Accessors: fast random access to one component type of single entities. They do the same as
// mica_get() and mica_get_mut(), with the same checks, but inline and without looking up the type.
//
//   mica_accessor positions = mica_accessor_new(world, position);
//   const Position *p = mica_accessor_get(&positions, e);
//   Position *q = mica_accessor_get_mut(&positions, e);
//
// MICA_ACCESSOR_GET(&positions, e, Position) and MICA_ACCESSOR_GET_MUT() also check the C type,
// like MICA_GET().
//
// An accessor is valid as long as its world. It owns nothing and can be copied.
#ifndef MICA_ACCESSOR_H
#define MICA_ACCESSOR_H

#include <mica/type.h>
#include <mica/view.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_accessor {
    // private
    const mica_view_face *face; // NULL: invalid accessor, of no world
    const mica_view_slots *slots;
    const mica_view_type *rows;  // NULL: the type is sparse, or the accessor is invalid
    const mica_view_type *flags; // toggles of the rows; NULL: they have none
    mica_view_pool *pool;        // NULL: the type is not sparse
    mica_type type;              // null handle: invalid accessor
    uint32_t size;               // size of a value; 0: invalid accessor
} mica_accessor;

// Creates an accessor. O(1); for the first one of a type, O(pages of rows in the world), with 24
// bytes for each page. [accessor.cost] Fails with MICA_ERROR_NULL, _TYPE, _MEMORY, _HOOK, and with
// _SIZE for a tag, which has no value. Fails with _RECORDING on a recording world, because writes
// through pointers cannot be recorded. The invalid accessor then returns NULL for every entity, and
// reports an error each time. [accessor.fail] Fails with MICA_ERROR_VERSION if the program was
// compiled with headers of another version than the library, because inline code would not fit
// it. [accessor.version]
MICA_INLINE mica_accessor mica_accessor_new(mica_world *world, mica_type type);

// The function behind mica_accessor_new(). `layout` is the caller's
// MICA_VIEW_LAYOUT. [accessor.layout]
MICA_API mica_accessor mica_accessor_make(mica_world *world, mica_type type, uint32_t layout);

MICA_INLINE mica_accessor mica_accessor_new(mica_world *world, mica_type type)
{
    return mica_accessor_make(world, type, MICA_VIEW_LAYOUT);
}

// Handle the cases that the functions below do not handle inline: missing components, values in
// small tables of large worlds, and errors. These are MICA_ERROR_ENTITY, MICA_ERROR_TYPE for an
// invalid accessor, and MICA_ERROR_ITERATING for values that an iteration has copied for writing
// (see mica_write()). [accessor.behind_get] They take the world and the type instead of the
// accessor. So a loop can keep the accessor in registers, because its address is not passed
// on. [accessor.by_value]
MICA_API const void *mica_accessor_get_any(mica_world *world, mica_type type, mica_entity entity);
MICA_API void *mica_accessor_get_mut_any(mica_world *world, mica_type type, mica_entity entity);

// Returns a pointer to the value. Returns NULL, without an error, if the component is missing.
// Returns NULL and reports an error if the entity is dead. [accessor.get]
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

// The same for writing: counts as a change. [accessor.get_mut]
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

// Returns NULL and reports MICA_ERROR_SIZE for a wrong size, or MICA_ERROR_TYPE for an invalid
// accessor. [accessor.refuse]
MICA_API void *mica_accessor_refuse(mica_world *world, mica_type type, uint32_t size, bool write);

// The same, and check the size of the C type: MICA_ERROR_SIZE if it differs. [accessor.size]
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

// The same, and compare the name of the C type, unless `c_type` is NULL: MICA_ERROR_C_TYPE if it
// differs. [accessor.c_type]
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

// Get many values at once. For each entity, `values_out` receives the result of mica_accessor_get()
// or mica_accessor_get_mut(), and NULL for dead entities. Return the number of values that are not
// NULL. [accessor.many] Use them for entities in arbitrary places: targets, neighbors, entities in
// events. They prefetch the memory of many values before they use the first. Pass a few hundred at
// a time, which stay in the cache. [accessor.many_cost]
//
//   const void *found[256];
//   mica_accessor_get_many(&positions, targets, 256, found);
//   for (uint32_t i = 0; i < 256; i++) {
//       const Position *p = found[i];
//
// Errors are those of the single calls and do not affect the other values. Only the first dead
// entity is reported, and an invalid accessor once. [accessor.many_fail] The C type is not checked.
// Fails with MICA_ERROR_NULL if a list is NULL, and writes nothing. The lists must not
// overlap. [accessor.many_lists]
MICA_API uint32_t mica_accessor_get_many(const mica_accessor *accessor, const mica_entity *entities,
                                         uint32_t count, const void **values_out);
MICA_API uint32_t mica_accessor_get_mut_many(const mica_accessor *accessor,
                                             const mica_entity *entities, uint32_t count,
                                             void **values_out);

// Toggles: mica/toggle.h.

// Handle the cases that the functions below do not handle inline. [accessor.behind_enable]
MICA_API mica_result mica_accessor_toggle_any(mica_world *world, mica_type type, mica_entity entity,
                                              bool enabled);
MICA_API bool mica_accessor_is_enabled_any(mica_world *world, mica_type type, mica_entity entity);

// Enables or disables a value. [accessor.switch]
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

// Like mica_enable(), mica_disable() and mica_is_enabled(), for the accessor's
// type. [accessor.enable] Fail with MICA_ERROR_TYPE for an invalid accessor. [accessor.enable_none]
// Inside handlers, which must change nothing, they fail with MICA_ERROR_HANDLER only if the inline
// code does not handle the entity. [accessor.enable_handler]
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
