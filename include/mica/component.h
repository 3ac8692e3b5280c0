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
// _MEMORY, _LIMIT, and _HOOK if a construct or copy hook failed, or if the call comes from a hook.
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

// A new entity with these components. Of two values of one type the later one counts, here and
// wherever several are given; MICA_ERROR_ARGUMENT if the first of them would be lost, because its type
// has a destruct hook and no copy hook. Types are looked up in every call; where thousands are
// spawned, a bundle is quicker.
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
//   const mica_value values[] = {MICA_FROM(position, p), MICA_FROM(velocity, v)};
//   mica_spawn_bundle(world, mover, values, 2);
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

// A new entity. `values` are those of the bundle's types, one each, in its order; without data, the
// default. NULL and 0 means all defaults. MICA_ERROR_BUNDLE for a bundle that is none, freed or
// foreign; MICA_ERROR_ARGUMENT for more or fewer values, or of other types; MICA_ERROR_SIZE.
MICA_API mica_entity mica_spawn_bundle(mica_world *world, mica_bundle bundle,
                                       const mica_value *values, uint32_t value_count);

// `count` new entities in one go. Each of `arrays` is the same as above, but its data is an array of
// `count` values; its size is that of one. `entities_out` may be NULL. All or none.
MICA_API mica_result mica_spawn_many(mica_world *world, mica_bundle bundle, uint32_t count,
                                     const mica_value *arrays, uint32_t array_count,
                                     mica_entity *entities_out);

// Names. An entity may have one, unique in its world; it goes with the entity. 1 to 255 printable
// characters, without '/' and without '#' in front: those are kept for paths.
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
//   MICA_FROM_ARRAY(type, array)           an array of values, for mica_spawn_many()
//   MICA_ADD(type)                         a tag, or a default value
// MICA_GET(world, entity, type, T) and MICA_GET_MUT give a T *, checked the same way.
#define MICA_GET(world, entity, type, T)                                                           \
    (MICA_CAST_(const T *, mica_get_sized(world, entity, type, MICA_CAST_(uint32_t, sizeof(T)))))
#define MICA_GET_MUT(world, entity, type, T)                                                       \
    (MICA_CAST_(T *, mica_get_mut_sized(world, entity, type, MICA_CAST_(uint32_t, sizeof(T)))))

#ifndef __cplusplus

#define MICA_VALUE(type, T, ...) ((mica_value){(type), &(T){__VA_ARGS__}, (uint32_t)sizeof(T)})
#define MICA_FROM(type, variable) ((mica_value){(type), &(variable), (uint32_t)sizeof(variable)})
#define MICA_FROM_ARRAY(type, array) ((mica_value){(type), (array), (uint32_t)sizeof *(array)})
#define MICA_ADD(type) ((mica_value){(type), NULL, 0})
#define mica_spawn(world, ...) mica_spawn_values(world, MICA_VALUES_(__VA_ARGS__))
#define mica_set(world, entity, ...) mica_set_values(world, entity, MICA_VALUES_(__VA_ARGS__))
#define MICA_VALUES_(...)                                                                          \
    (const mica_value[]){__VA_ARGS__},                                                             \
        (uint32_t)(sizeof((const mica_value[]){__VA_ARGS__}) / sizeof(mica_value))

#else // C++

// A value of a type that can be moved but not copied is handed over, as MICA_VALUE(mesh, Mesh, ...)
// or MICA_FROM(mesh, std::move(variable)): the world has it if the call succeeds; if not, it ends with
// the statement. (The functions that take pointers know nothing of this: what they are given is
// theirs, as in C.)

MICA_HANDLE_OPERATORS_(mica_bundle)

#define MICA_VALUE(type, T, ...) (mica_value_from((type), T{__VA_ARGS__}))
#define MICA_FROM(type, variable) (mica_value_from((type), variable))
#define MICA_FROM_ARRAY(type, array)                                                               \
    (mica_value{(type), (array), static_cast<uint32_t>(sizeof *(array))})
#define MICA_ADD(type) (mica_value{(type), nullptr, 0})

// A value with its data, until it is known who has it.
template <class T> struct mica_handed : mica_value {
    mica_handed(mica_type handed_type, T &&value)
        : mica_value{handed_type, bytes, static_cast<uint32_t>(sizeof(T))}
    {
        ::new (static_cast<void *>(bytes)) T(std::move(value));
    }
    mica_handed(const mica_handed &) = delete;
    mica_handed &operator=(const mica_handed &) = delete;
    ~mica_handed()
    {
        if (!taken) {
            mica_lifetime<T>::destruct(bytes, 1, nullptr);
        }
    }

    mutable bool taken = false;
    alignas(T) unsigned char bytes[sizeof(T)];
};

template <class T> auto mica_value_from(mica_type type, T &&value)
{
    using V = std::remove_reference_t<T>;
    if constexpr (mica_lifetime<std::remove_cv_t<V>>::can_copy) {
        return mica_value{type, mica_address_of(value), static_cast<uint32_t>(sizeof(V))};
    } else {
        static_assert(std::is_rvalue_reference<T &&>::value && !std::is_const<V>::value,
                      "the type cannot be copied: hand the value over, with std::move");
        return mica_handed<V>(type, std::forward<T>(value));
    }
}

inline void mica_value_settle(const mica_value &, bool) {}

template <class T> void mica_value_settle(const mica_handed<T> &value, bool taken)
{
    value.taken = taken;
}

template <class... Values> mica_entity mica_spawn(mica_world *world, const Values &...values)
{
    const mica_value list[] = {values...};
    mica_entity entity = mica_spawn_values(world, list, static_cast<uint32_t>(sizeof...(values)));
    (mica_value_settle(values, !mica_entity_is_none(entity)), ...);
    return entity;
}

template <class... Values>
mica_result mica_set(mica_world *world, mica_entity entity, const Values &...values)
{
    const mica_value list[] = {values...};
    mica_result result =
        mica_set_values(world, entity, list, static_cast<uint32_t>(sizeof...(values)));
    (mica_value_settle(values, result == MICA_OK), ...);
    return result;
}

#endif

#endif
