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

#include <mica/detail/view.h>
#include <mica/type.h>

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

// Creates an accessor. O(1). The first accessor of a type takes O(sheets) time, and 24 bytes for
// each sheet (1,024 rows) of the world. [accessor.cost] Fails with MICA_ERROR_NULL, _TYPE, _MEMORY,
// _HOOK, and with _SIZE for a tag, which has no value. Fails with _RECORDING on a recording world,
// because writes through pointers cannot be recorded. On failure, returns an invalid accessor,
// which returns NULL for every entity and reports an error each time. [accessor.fail] Fails with
// MICA_ERROR_VERSION if the headers of the program and the library have different versions, because
// inline code must fit the library. [accessor.version]
MICA_INLINE mica_accessor mica_accessor_new(mica_world *world, mica_type type);

// Returns a pointer to the value. Returns NULL, without an error, if the component is missing.
// Returns NULL and reports an error if the entity is dead. [accessor.get] Errors are
// MICA_ERROR_ENTITY, MICA_ERROR_TYPE for an invalid accessor, and MICA_ERROR_ITERATING for values
// that an iteration has copied for writing (see mica_write()). [accessor.get_fail]
MICA_INLINE_ALWAYS const void *mica_accessor_get(const mica_accessor *accessor, mica_entity entity);

// The same for writing: counts as a change. [accessor.get_mut]
MICA_INLINE_ALWAYS void *mica_accessor_get_mut(const mica_accessor *accessor, mica_entity entity);

// The same, and check the C type: MICA_ERROR_SIZE if its size differs. [accessor.size] If `c_type`
// is not NULL, also compare its name: MICA_ERROR_C_TYPE if it differs. [accessor.c_type]
MICA_INLINE_ALWAYS const void *mica_accessor_get_as(const mica_accessor *accessor,
                                                    mica_entity entity, uint32_t size,
                                                    const char *c_type);
MICA_INLINE_ALWAYS void *mica_accessor_get_mut_as(const mica_accessor *accessor, mica_entity entity,
                                                  uint32_t size, const char *c_type);

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

// Like mica_enable(), mica_disable() and mica_is_enabled(), for the accessor's
// type. [accessor.enable] Fail with MICA_ERROR_TYPE for an invalid accessor. [accessor.enable_none]
// Do not call them in handlers: the inline code does not check that. Only calls that it passes on
// to the library fail with MICA_ERROR_HANDLER. [accessor.enable_handler]
MICA_INLINE_ALWAYS mica_result mica_accessor_enable(const mica_accessor *accessor,
                                                    mica_entity entity);
MICA_INLINE_ALWAYS mica_result mica_accessor_disable(const mica_accessor *accessor,
                                                     mica_entity entity);
MICA_INLINE_ALWAYS bool mica_accessor_is_enabled(const mica_accessor *accessor, mica_entity entity);

#ifdef __cplusplus
}
#endif

#include <mica/detail/accessor.h>

#define MICA_ACCESSOR_GET(accessor, entity, T)                                                     \
    (MICA_CAST_(                                                                                   \
        MICA_CONST_(T) *,                                                                          \
        mica_accessor_get_as(accessor, entity, MICA_CAST_(uint32_t, sizeof(T)), MICA_C_TYPE_(T))))
#define MICA_ACCESSOR_GET_MUT(accessor, entity, T)                                                 \
    (MICA_CAST_(T *, mica_accessor_get_mut_as(accessor, entity, MICA_CAST_(uint32_t, sizeof(T)),   \
                                              MICA_C_TYPE_(T))))

#endif
