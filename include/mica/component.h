// Components: spawn entities with components, and add, set, get and remove the components of an
// entity.
//
//   mica_entity e = mica_spawn(world, MICA_VALUE(position, Position, 0, 0), MICA_ADD(frozen));
//   mica_set(world, e, MICA_VALUE(velocity, Velocity, 1, 2));
//   const Position *p = mica_get(world, e, position);
//   mica_remove(world, e, frozen);
//
// Adding a component that is there, and removing one that is not, does nothing. Values are copied
// into the world, with the type's copy hook if it has one. Changing several components in one call
// moves the entity once.
//
// Adding or removing a component moves the entity to another table, unless the component is sparse.
// Like spawning and despawning, it invalidates all pointers into the world. Only pointers to values
// of stable components stay valid, until the value is removed. All these changes fail with
// MICA_ERROR_ITERATING while a query is being iterated. One exception: sparse tags that no open
// iteration names and no group contains can be added and removed at any time. A failed call leaves
// the world unchanged.
//
// Errors of all functions here, unless they say otherwise: MICA_ERROR_NULL, _ENTITY, _TYPE,
// _ITERATING, _MEMORY, _LIMIT, _HOOK. The last means that a construct or copy hook has failed, or
// that a hook made the call.
#ifndef MICA_COMPONENT_H
#define MICA_COMPONENT_H

#include <mica/entity.h>
#include <mica/type.h>
#include <mica/type_set.h>

#ifdef __cplusplus
extern "C" {
#endif

// A component and its value, as an argument of a call; the macros below create it. `size` must be
// the size of the type, or the call fails with MICA_ERROR_SIZE. A tag has size 0, and its `data` is
// ignored. NULL as `data` means the type's default value. The size must then be 0, here and in all
// functions that take data, or the call fails with MICA_ERROR_NULL. [value.no_data]
//
// If `count` is above 0, it is the number of values in `data`. Several values for one entity, or
// fewer values than entities, fail with MICA_ERROR_ARGUMENT. If `count` is 0 and `c_type` is not
// NULL, `data` is one value of that C type. If the component has another C type, the call fails
// with MICA_ERROR_C_TYPE. [value.c_type] If `count` is 0 and `c_type` is NULL, the number of values
// is not checked.
typedef struct mica_value {
    mica_type type;
    const void *data;   // the value, or an array of values; NULL, with size 0: the type's default
    uint32_t size;      // size of one value
    uint32_t count;     // number of values; 0: unknown, or one value of type `c_type`
    const char *c_type; // only with count 0: the name of the C type; NULL: not compared
} mica_value;

// Creates an entity with these components. [spawn.values] With NULL and 0, it has no components. In
// C++, this is mica_spawn(world). [spawn.empty] Each call looks up the types. To spawn thousands of
// entities, use a bundle, which is faster. [spawn.cost] If a list, here or elsewhere, has two
// values of one type, the later one counts. If the type has a destruct hook and no copy hook, the
// earlier value would be lost: that fails with MICA_ERROR_ARGUMENT. [spawn.twice]
//
// Slots that mica_spawn_at() has taken are skipped. [spawn.taken] Freed slots are reused first, the
// last freed one first. Then come slots that were never used, or that mica_world_reclaim() has
// reset. [spawn.freed] Returns the null handle on failure, with MICA_ERROR_LIMIT at the world's
// entity limit. [spawn.fail]
MICA_API mica_entity mica_spawn_values(mica_world *world, const mica_value *values, uint32_t count);

// Creates a copy of an entity: the same components with copied values. [clone.values] The copy has
// no name and no facets. [clone.plain]
MICA_API mica_entity mica_clone(mica_world *world, mica_entity entity);

// Destroys many entities. [despawn.many] If one of them is dead, destroys none, and the error names
// the first dead one. [despawn.many_dead] An entity may be in the list twice. [despawn.many_twice]
MICA_API mica_result mica_despawn_many(mica_world *world, const mica_entity *entities,
                                       uint32_t count);

// Adds a component with its default value. Does nothing if the entity has it. [component.add]
MICA_API mica_result mica_add(mica_world *world, mica_entity entity, mica_type type);

// Removes a component. Does nothing if the entity does not have it. [component.remove]
MICA_API mica_result mica_remove(mica_world *world, mica_entity entity, mica_type type);

// Sets the value of a component; adds the component if it is missing. [component.set] Without data,
// does the same as mica_add(). [component.set_default] Setting an existing component moves nothing
// and is allowed during iteration, except while a segment has writable copies of that component:
// see mica_write(). [component.set_there]
MICA_API mica_result mica_set_value(mica_world *world, mica_entity entity, mica_type type,
                                    const void *data, uint32_t size);
MICA_API mica_result mica_set_values(mica_world *world, mica_entity entity,
                                     const mica_value *values, uint32_t count);

// Sets the values of one list and removes the types of another, in one move. [component.change]
// MICA_ADD() adds a type with its default value, and does nothing if the entity has
// it. [component.change_add] Either list may be empty: NULL and 0. [component.change_empty] Fails
// with MICA_ERROR_ARGUMENT if a type is in both lists. [component.change_twice]
MICA_API mica_result mica_change(mica_world *world, mica_entity entity, const mica_value *values,
                                 uint32_t value_count, const mica_type *removed,
                                 uint32_t removed_count);

// Adds the types of one set, each with its default value, and removes those of another, in one
// move. Types to add that the entity has, and types to remove that it lacks, change
// nothing. [component.change_sets] Either set may be NULL. [component.change_sets_null] Fails with
// MICA_ERROR_ARGUMENT if a type is in both sets. [component.change_sets_twice]
MICA_API mica_result mica_change_sets(mica_world *world, mica_entity entity,
                                      const mica_type_set *added, const mica_type_set *removed);

// Returns a pointer to the value, to read or to write. Returns NULL, without an error, if the
// component is missing or is a tag. Returns NULL and reports MICA_ERROR_ENTITY if the entity is
// dead. [component.get] The pointer is valid until the next structural change or
// step. [component.get_valid] The `_mut` forms count as a change. [component.get_mut] For split
// components, returns NULL and reports MICA_ERROR_STORAGE, because their values are not stored in
// one piece. [component.get_split]
//
// The `_as` forms also check the C type. They fail with MICA_ERROR_SIZE if its size differs, or if
// the component is a tag. They fail with MICA_ERROR_C_TYPE if its name differs, unless `c_type` is
// NULL. [component.get_as]
MICA_API const void *mica_get(mica_world *world, mica_entity entity, mica_type type);
MICA_API void *mica_get_mut(mica_world *world, mica_entity entity, mica_type type);
MICA_API const void *mica_get_as(mica_world *world, mica_entity entity, mica_type type,
                                 uint32_t size, const char *c_type);
MICA_API void *mica_get_mut_as(mica_world *world, mica_entity entity, mica_type type, uint32_t size,
                               const char *c_type);

// The same as mica_get() and mica_get_as(), but NULL without an error if the entity is dead or the
// null handle. [component.try_get] All other errors are reported, also those of the C
// type. [component.try_get_fail]
MICA_API const void *mica_try_get(mica_world *world, mica_entity entity, mica_type type);
MICA_API const void *mica_try_get_as(mica_world *world, mica_entity entity, mica_type type,
                                     uint32_t size, const char *c_type);

// Copies the value into `value_out`, whatever the storage, and returns true. [component.load]
// Returns false, without an error, if the component is missing. Fails with the errors of
// mica_get_as(), and with MICA_ERROR_ARGUMENT if the type has hooks that copy or destroy values:
// use mica_get() for those. [component.load_fail] MICA_LOAD() loads into a
// variable. [component.load_variable] The copy belongs to the caller: later changes of the world do
// not affect it. [component.load_why]
MICA_API bool mica_load(mica_world *world, mica_entity entity, mica_type type, void *value_out,
                        uint32_t size);

// Returns true if the entity has the component. Returns false, without an error, if the entity is
// dead. Reports an error if the type is the null handle or belongs to another
// world. [component.has]
MICA_API bool mica_has(mica_world *world, mica_entity entity, mica_type type);

// Writes all component types of the entity into a set. Zero a set before its first
// use. [component.types]
MICA_API mica_result mica_entity_types(mica_world *world, mica_entity entity,
                                       mica_type_set *types_out);

// Bundles: a list of types prepared for fast spawning.
//
//   mica_type types[] = {position, velocity};
//   mica_bundle mover = mica_bundle_new(world, types, 2);
//   const mica_value values[] = {MICA_COPY_OF(position, p), MICA_COPY_OF(velocity, v)};
//   mica_spawn_bundle(world, mover, values, 2);
//
// In C++ the values can also be listed, as in mica_spawn():
//
//   mica_spawn_bundle(world, mover, MICA_VALUE(position, Position, 1, 2),
//                     MICA_COPY_OF(velocity, v));
typedef struct mica_bundle {
    uint64_t bits; // private; 0: the null handle
    MICA_HANDLE_BOOL_
} mica_bundle;

// Creates a bundle. Returns the null handle on failure, with MICA_ERROR_ARGUMENT if a type is
// listed twice. [bundle.fail] A bundle lives until it is freed with mica_bundle_free() or with its
// world. [bundle.life]
MICA_API mica_bundle mica_bundle_new(mica_world *world, const mica_type *types, uint32_t count);
MICA_API mica_result mica_bundle_free(mica_world *world, mica_bundle bundle);

// Reserves memory for `count` more entities of this bundle. The next `count` of them allocate no
// memory, whether they are created with mica_spawn_bundle(), mica_spawn_many(), mica_clone(), or
// mica_spawn() with the same types in any order. [reserve.memory] Hooks of types may still
// allocate. [reserve.hooks]
//
// The reserved memory stays until mica_world_reclaim(), or until mica_type_change_storage() changes
// a component to or from MICA_SPARSE. Entities that get exactly these types by mica_add() or
// similar calls use it up, too. Every spawned entity uses up a reserved slot. [reserve.used]
// Changes by query, such as mica_add_all(), do not use it. [reserve.by_query] A failed call frees
// what it allocated, except lists of a few bytes per thousand rows and, for sparse components, 12
// bytes per slot. [reserve.fail]
//
// For sparse components, any entity that gains one uses up reserved capacity. The capacity covers
// only entity slots that exist now: entities in later slots may allocate. [reserve.sparse] For
// components in rings, mica_spawn_many() may ask for memory to compact them, but does not need
// it. [reserve.ring]
MICA_API mica_result mica_bundle_reserve(mica_world *world, mica_bundle bundle, uint32_t count);

// Creates an entity. `values` has one value for each type of the bundle, in its order. A value
// without data means the default. [bundle.spawn] NULL and 0 mean all defaults. [bundle.defaults]
// Fails with MICA_ERROR_BUNDLE if the bundle is null, freed or from another world. Fails with
// MICA_ERROR_ARGUMENT for a wrong number of values or other types, and with
// MICA_ERROR_SIZE. [bundle.spawn_fail]
MICA_API mica_entity mica_spawn_bundle(mica_world *world, mica_bundle bundle,
                                       const mica_value *values, uint32_t value_count);

// Creates `count` entities at once. [spawn.many] Each of `arrays` is like a value above, but its
// `data` is an array of `count` values, one for each entity:
// MICA_COPY_OF_ARRAY(). [spawn.many_arrays] `entities_out` may be NULL. [spawn.many_no_out] Creates
// all or none. A failed call frees what it allocated, except, perhaps, capacity of sparse
// components. [spawn.many_fail]
MICA_API mica_result mica_spawn_many(mica_world *world, mica_bundle bundle, uint32_t count,
                                     const mica_value *arrays, uint32_t array_count,
                                     mica_entity *entities_out);

// Names. An entity may have one name, which is unique in its world and ends with the
// entity. [name.unique] A name has 1 to 255 printable characters, contains no '/' and does not
// begin with '#': both are reserved for paths. [name.good] mica_entity_set_name() with NULL removes
// the name. Fails with MICA_ERROR_NAME if the name is invalid or in use. [name.set]
// mica_entity_name() returns NULL, without an error, if the entity has no name. [name.get]
// mica_entity_find() returns the null handle, without an error, if no entity has the
// name. [name.find]
MICA_API mica_result mica_entity_set_name(mica_world *world, mica_entity entity, const char *name);
MICA_API const char *mica_entity_name(mica_world *world, mica_entity entity);
MICA_API mica_entity mica_entity_find(mica_world *world, const char *name);

#ifdef __cplusplus
}
#endif

// mica_spawn(world, values...) and mica_set(world, entity, values...) take a list of
//   MICA_VALUE(type, T, initializers...)   a value of C type T; checks its size and C type
//   MICA_COPY_OF(type, variable)           the value of a variable; checks its size
//   MICA_COPY_OF_ARRAY(type, array)        an array of values, for mica_spawn_many(); its length
//                                          is unknown if `array` is a pointer
//   MICA_ADD(type)                         a tag, or a default value
// MICA_GET(world, entity, type, T) and MICA_TRY_GET return a const T *, MICA_GET_MUT a T *. They
// check the size and the C type of T. MICA_LOAD(world, entity, type, variable) loads a value into a
// variable, and checks its size.
//
// With gcc, clang and C++, MICA_COPY_OF() of a pointer does not compile: write MICA_COPY_OF(type,
// *pointer). For a component that is a pointer itself, use MICA_VALUE().
#define MICA_GET(world, entity, type, T)                                                           \
    (MICA_CAST_(MICA_CONST_(T) *, mica_get_as(world, entity, type,                                 \
                                              MICA_CAST_(uint32_t, sizeof(T)), MICA_C_TYPE_(T))))
#define MICA_GET_MUT(world, entity, type, T)                                                       \
    (MICA_CAST_(T *, mica_get_mut_as(world, entity, type, MICA_CAST_(uint32_t, sizeof(T)),         \
                                     MICA_C_TYPE_(T))))
#define MICA_TRY_GET(world, entity, type, T)                                                       \
    (MICA_CAST_(                                                                                   \
        MICA_CONST_(T) *,                                                                          \
        mica_try_get_as(world, entity, type, MICA_CAST_(uint32_t, sizeof(T)), MICA_C_TYPE_(T))))
#define MICA_LOAD(world, entity, type, variable)                                                   \
    (mica_load(world, entity, type, &(variable), MICA_CAST_(uint32_t, sizeof(variable))))

#ifndef __cplusplus

#define MICA_VALUE(type, T, ...)                                                                   \
    ((mica_value){(type), &(T){__VA_ARGS__}, (uint32_t)sizeof(T), !MICA_CHECK_C_TYPES,             \
                  MICA_C_TYPE_(T)})
#define mica_spawn(world, ...) mica_spawn_values(world, MICA_VALUES_(__VA_ARGS__))
#define mica_set(world, entity, ...) mica_set_values(world, entity, MICA_VALUES_(__VA_ARGS__))
#define MICA_VALUES_(...)                                                                          \
    (const mica_value[]){__VA_ARGS__},                                                             \
        (uint32_t)(sizeof((const mica_value[]){__VA_ARGS__}) / sizeof(mica_value))
#define MICA_COPY_OF(type, variable)                                                               \
    ((mica_value){(type), &(variable), (uint32_t)sizeof(variable), 1 + MICA_NO_POINTER_(variable), \
                  NULL})
#define MICA_COPY_OF_ARRAY(type, array)                                                            \
    ((mica_value){(type), (array), (uint32_t)sizeof *(array), MICA_COUNT_OF_(array), NULL})
#define MICA_ADD(type) ((mica_value){(type), NULL, 0, 0, NULL})

// MICA_NO_POINTER_() is 0, or does not compile for a pointer. A pointer has the type class of
// pointers. Unlike an array, it keeps its type as an operand of a comma. MICA_COUNT_OF_() is the
// number of elements of an array. It is 0 for a pointer. A pointer has the same type as the address
// of its first element; an array does not.
#ifdef __GNUC__
#define MICA_NO_POINTER_(variable)                                                                 \
    (0 * (uint32_t)sizeof(struct {                                                                 \
         _Static_assert(__builtin_classify_type(variable) != 5 ||                                  \
                            !__builtin_types_compatible_p(__typeof__(variable),                    \
                                                          __typeof__(((void)0, variable))),        \
                        "MICA_COPY_OF takes a variable, not a pointer to one: write *pointer");    \
         char unused;                                                                              \
     }))
#define MICA_COUNT_OF_(array)                                                                      \
    (__builtin_types_compatible_p(__typeof__(array), __typeof__(&(array)[0]))                      \
         ? 0                                                                                       \
         : (uint32_t)(sizeof(array)) / (uint32_t)(sizeof *(array)))
#else
#define MICA_NO_POINTER_(variable) 0
#define MICA_COUNT_OF_(array) 0
#endif

#else

#include <mica/hpp/component.hpp>

#endif

#endif
