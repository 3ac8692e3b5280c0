// Components: giving entities values, changing them, reading them.
//
//   mica_entity e = mica_spawn(world, MICA_VALUE(position, Position, 0, 0), MICA_ADD(frozen));
//   mica_set(world, e, MICA_VALUE(velocity, Velocity, 1, 2));
//   const Position *p = mica_get(world, e, position);
//   mica_remove(world, e, frozen);
//
// Adding what is there, and removing what is not, does nothing. Values are copied into the world
// (by the type's copy hook, if it has one). A change of several components at once is one move.
//
// Adding or removing moves the entity to another table. That, like spawning and despawning, ends
// the validity of every pointer got from the world, and is refused with MICA_ERROR_ITERATING while
// a query is being iterated. Every failed call leaves the world as it was.
//
// Errors of all functions here, unless said otherwise: MICA_ERROR_NULL, _ENTITY, _TYPE, _ITERATING,
// _MEMORY, _LIMIT, and _HOOK if a construct or copy hook failed.
#ifndef MICA_COMPONENT_H
#define MICA_COMPONENT_H

#include <mica/entity.h>
#include <mica/type.h>
#include <mica/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// A component with its value, as it is handed to the world.
typedef struct mica_value {
    mica_type type;
    const void *data; // NULL: the type's default; must be NULL for tags
    uint32_t size;    // of the data, checked against the type: MICA_ERROR_SIZE
} mica_value;

// A new entity with these components. Of two values of one type the later one counts. Named types
// are looked up once per call; where thousands are spawned, a bundle is quicker.
MICA_API mica_entity mica_spawn_values(mica_world *world, const mica_value *values, uint32_t count);

// A copy of an entity: the same components with copied values. It has no name.
MICA_API mica_entity mica_clone(mica_world *world, mica_entity entity);

// Ends many entities. If any of them is dead, none is ended and the sentence names the first. One
// that stands in the list twice is ended once.
MICA_API mica_result mica_despawn_many(mica_world *world, const mica_entity *entities,
                                       uint32_t count);

// Adds a component with its default value; nothing happens if it is there.
MICA_API mica_result mica_add(mica_world *world, mica_entity entity, mica_type type);
MICA_API mica_result mica_add_types(mica_world *world, mica_entity entity, const mica_type *types,
                                    uint32_t count);

// Nothing happens if it is not there.
MICA_API mica_result mica_remove(mica_world *world, mica_entity entity, mica_type type);
MICA_API mica_result mica_remove_types(mica_world *world, mica_entity entity,
                                       const mica_type *types, uint32_t count);

// Gives a component a value, adding it if it is not there. Without data: adds only. Setting what is
// there moves nothing and is allowed during iteration.
MICA_API mica_result mica_set_value(mica_world *world, mica_entity entity, mica_type type,
                                    const void *data, uint32_t size);
MICA_API mica_result mica_set_values(mica_world *world, mica_entity entity,
                                     const mica_value *values, uint32_t count);

// Both at once, in one move: sets the values, removes the types. A type in both lists is
// MICA_ERROR_ARGUMENT.
MICA_API mica_result mica_change(mica_world *world, mica_entity entity, const mica_value *values,
                                 uint32_t value_count, const mica_type *removed,
                                 uint32_t removed_count);

// The value, to read or to change; NULL, silently, if the component is not there or is a tag; NULL
// and MICA_ERROR_ENTITY if the entity is dead. Valid until the next structural change. The
// `_sized` forms also check the size: MICA_ERROR_SIZE. Taking it mutable counts as a change.
MICA_API const void *mica_get(mica_world *world, mica_entity entity, mica_type type);
MICA_API void *mica_get_mut(mica_world *world, mica_entity entity, mica_type type);
MICA_API const void *mica_get_sized(mica_world *world, mica_entity entity, mica_type type,
                                    uint32_t size);
MICA_API void *mica_get_mut_sized(mica_world *world, mica_entity entity, mica_type type,
                                  uint32_t size);

// False, silently, on the dead; an error if the type is none or foreign.
MICA_API bool mica_has(mica_world *world, mica_entity entity, mica_type type);

// All types the entity has, into a set that was { 0 } or used before.
MICA_API mica_result mica_entity_types(mica_world *world, mica_entity entity,
                                       mica_types *types_out);

// Bundles: a list of types prepared for spawning.
//
//   mica_type types[] = {position, velocity};
//   mica_bundle mover = mica_bundle_new(world, types, 2);
//   mica_spawn_bundle(world, mover, (const void *[]){&p, &v});
typedef struct mica_bundle {
    uint64_t bits; // private; 0 is none
} mica_bundle;

static inline mica_bundle mica_bundle_none(void)
{
    mica_bundle none = {0};
    return none;
}

static inline bool mica_bundle_is_none(mica_bundle bundle)
{
    return bundle.bits == 0;
}

static inline bool mica_bundle_equal(mica_bundle a, mica_bundle b)
{
    return a.bits == b.bits;
}

// None on failure; MICA_ERROR_ARGUMENT if a type is listed twice. A bundle lives until it or the
// world is freed.
MICA_API mica_bundle mica_bundle_new(mica_world *world, const mica_type *types, uint32_t count);
MICA_API mica_result mica_bundle_free(mica_world *world, mica_bundle bundle);

// Makes room for `count` more entities of this bundle: spawning them will not allocate.
MICA_API mica_result mica_bundle_reserve(mica_world *world, mica_bundle bundle, uint32_t count);

// A new entity. values[i] is the value of the i-th type of the bundle, NULL for its default; NULL
// for `values` means all defaults. MICA_ERROR_BUNDLE for one that is none, freed or foreign.
MICA_API mica_entity mica_spawn_bundle(mica_world *world, mica_bundle bundle,
                                       const void *const *values);

// `count` new entities in one go. arrays[i] is an array of `count` values of the i-th type, NULL
// for defaults. `entities_out` may be NULL. All or none.
MICA_API mica_result mica_spawn_many(mica_world *world, mica_bundle bundle, uint32_t count,
                                     const void *const *arrays, mica_entity *entities_out);

// Names. An entity may have one, unique in its world; it goes with the entity.
// set: NULL takes the name away; MICA_ERROR_NAME if it is not a good name or another's.
// name: NULL, silently, if it has none. find: none, silently, if nobody has it.
MICA_API mica_result mica_entity_set_name(mica_world *world, mica_entity entity, const char *name);
MICA_API const char *mica_entity_name(mica_world *world, mica_entity entity);
MICA_API mica_entity mica_entity_find(mica_world *world, const char *name);

#ifdef __cplusplus
}
#endif

// mica_spawn(world, values...), mica_set(world, entity, values...): the calls above, with a list of
//   MICA_VALUE(type, T, initialisers...)   a value of C type T, its size checked against the type's
//   MICA_FROM(type, variable)              the value of a variable, checked the same way
//   MICA_ADD(type)                         a tag, or a default value
// MICA_GET(world, entity, type, T) and MICA_GET_MUT give a T *, checked the same way.
#define MICA_GET(world, entity, type, T)                                                           \
    ((const T *)mica_get_sized(world, entity, type, (uint32_t)sizeof(T)))
#define MICA_GET_MUT(world, entity, type, T)                                                       \
    ((T *)mica_get_mut_sized(world, entity, type, (uint32_t)sizeof(T)))

#ifndef __cplusplus

#define MICA_VALUE(type, T, ...) ((mica_value){(type), &(T){__VA_ARGS__}, (uint32_t)sizeof(T)})
#define MICA_FROM(type, variable) ((mica_value){(type), &(variable), (uint32_t)sizeof(variable)})
#define MICA_ADD(type) ((mica_value){(type), NULL, 0})
#define mica_spawn(world, ...) mica_spawn_values(world, MICA_VALUES_(__VA_ARGS__))
#define mica_set(world, entity, ...) mica_set_values(world, entity, MICA_VALUES_(__VA_ARGS__))
#define MICA_VALUES_(...)                                                                          \
    (const mica_value[]){__VA_ARGS__},                                                             \
        (uint32_t)(sizeof((const mica_value[]){__VA_ARGS__}) / sizeof(mica_value))

#else // C++

#define MICA_VALUE(type, T, ...)                                                                   \
    (mica_value{(type), &static_cast<const T &>(T{__VA_ARGS__}), (uint32_t)sizeof(T)})
#define MICA_FROM(type, variable)                                                                  \
    (mica_value{(type), &(variable), static_cast<uint32_t>(sizeof(variable))})
#define MICA_ADD(type) (mica_value{(type), nullptr, 0})

template <class... Values> mica_entity mica_spawn(mica_world *world, const Values &...values)
{
    const mica_value list[] = {values...};
    return mica_spawn_values(world, list, (uint32_t)sizeof...(values));
}

template <class... Values>
mica_result mica_set(mica_world *world, mica_entity entity, const Values &...values)
{
    const mica_value list[] = {values...};
    return mica_set_values(world, entity, list, (uint32_t)sizeof...(values));
}

#endif

#endif
