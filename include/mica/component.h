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
// Adding or removing moves the entity to another table, unless the component is sparse. Either, like
// spawning and despawning, ends the validity of every pointer got from the world (those to values of
// stable components stay good until these are removed), and is refused with MICA_ERROR_ITERATING
// while a query is being iterated, but for sparse tags that no open iteration names and no group
// has: these may be added and removed at any time. Every failed call leaves the world as it was.
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

// A component with its value, as it is handed to the world. The size must be the type's; a tag has
// size 0, and its data is not looked at: MICA_ERROR_SIZE. Without data the size must be 0, here and
// in all functions that take data: MICA_ERROR_NULL. [value.no_data] Several values for one entity,
// or fewer than there are entities: MICA_ERROR_ARGUMENT, where the count is known.
typedef struct mica_value {
    mica_type type;
    const void *data; // the value, or an array of them; NULL, with size 0: the type's default
    uint32_t size;    // of one value; with MICA_NAMED, the name of its C type lies behind it
    uint32_t count;   // how many there are; 0: that is not known, which is slower in a bundle
} mica_value;

// Where C types are compared (mica/type.h), MICA_VALUE() in C gives the sizeof(T) | MICA_NAMED, and data that
// is followed by the name, a const char *, as in struct { T value; const char *c_type; }. Whoever is
// given such a value looks at that: MICA_ERROR_C_TYPE if the component is of another C type.
#define MICA_NAMED UINT32_C(0x4e000000)

// Makes ordinary values of those that are named and of the right C type: for these there are short
// cuts. [value.named] Others, and those that are wrong in any way, are left to whoever they are
// given to; it looks no further than the first that is of no type. [value.left] The functions that
// end in `_compared` do that first. [value.compared]
MICA_API void mica_values_compare(mica_world *world, mica_value *values, uint32_t count);

// A new entity with these components. [spawn.values] Of two values of one type the later one
// counts, here and wherever several are given; MICA_ERROR_ARGUMENT if the first of them would be
// lost, because its type has a destruct hook and no copy hook. [spawn.twice] Types are looked up in
// every call; where thousands are spawned, a bundle is quicker. [spawn.cost]
MICA_API mica_entity mica_spawn_values(mica_world *world, const mica_value *values, uint32_t count);
MICA_INLINE mica_entity mica_spawn_compared(mica_world *world, mica_value *values, uint32_t count)
{
    mica_values_compare(world, values, count);
    return mica_spawn_values(world, values, count);
}

// A copy of an entity: the same components with copied values. [clone.values] It has no name, and
// no facets. [clone.plain]
MICA_API mica_entity mica_clone(mica_world *world, mica_entity entity);

// Ends many entities. [despawn.many] If any of them is dead, none is ended and the sentence names
// the first. [despawn.many_dead] One that stands in the list twice is ended
// once. [despawn.many_twice]
MICA_API mica_result mica_despawn_many(mica_world *world, const mica_entity *entities,
                                       uint32_t count);

// Adds a component with its default value; nothing happens if it is there. [component.add]
MICA_API mica_result mica_add(mica_world *world, mica_entity entity, mica_type type);
MICA_API mica_result mica_add_types(mica_world *world, mica_entity entity, const mica_type *types,
                                    uint32_t count);

// Nothing happens if it is not there. [component.remove]
MICA_API mica_result mica_remove(mica_world *world, mica_entity entity, mica_type type);
MICA_API mica_result mica_remove_types(mica_world *world, mica_entity entity,
                                       const mica_type *types, uint32_t count);

// Gives a component a value, adding it if it is not there. [component.set] Without data: adds
// only. [component.set_default] Setting what is there moves nothing and is allowed during
// iteration, but for components of which a segment has copies to be written:
// mica_write(). [component.set_there]
MICA_API mica_result mica_set_value(mica_world *world, mica_entity entity, mica_type type,
                                    const void *data, uint32_t size);
MICA_API mica_result mica_set_values(mica_world *world, mica_entity entity,
                                     const mica_value *values, uint32_t count);
MICA_INLINE mica_result mica_set_compared(mica_world *world, mica_entity entity, mica_value *values,
                                          uint32_t count)
{
    mica_values_compare(world, values, count);
    return mica_set_values(world, entity, values, count);
}

// Both at once, in one move: sets the values, removes the types. [component.change] A type in both
// lists is MICA_ERROR_ARGUMENT. [component.change_twice]
MICA_API mica_result mica_change(mica_world *world, mica_entity entity, const mica_value *values,
                                 uint32_t value_count, const mica_type *removed,
                                 uint32_t removed_count);

// The value, to read or to change; NULL, silently, if the component is not there or is a tag; NULL
// and MICA_ERROR_ENTITY if the entity is dead. [component.get] Valid until the next structural
// change, or step. [component.get_valid] The `_sized` forms also check the size: MICA_ERROR_SIZE,
// for a tag whatever it is. [component.get_sized] Taking it mutable counts as a
// change. [component.get_mut] Split values are nowhere whole: NULL and
// MICA_ERROR_STORAGE. [component.get_split]
MICA_API const void *mica_get(mica_world *world, mica_entity entity, mica_type type);
MICA_API void *mica_get_mut(mica_world *world, mica_entity entity, mica_type type);
MICA_API const void *mica_get_sized(mica_world *world, mica_entity entity, mica_type type,
                                    uint32_t size);
MICA_API void *mica_get_mut_sized(mica_world *world, mica_entity entity, mica_type type,
                                  uint32_t size);

// The same with the name of the C type compared, too, unless that is NULL:
// MICA_ERROR_C_TYPE. [component.get_c_type]
MICA_INLINE_ALWAYS const void *mica_get_as(mica_world *world, mica_entity entity, mica_type type,
                                           uint32_t size, const char *c_type)
{
    return !c_type || mica_type_is_c(world, type, size, c_type, "MICA_GET")
               ? mica_get_sized(world, entity, type, size)
               : NULL;
}
MICA_INLINE_ALWAYS void *mica_get_mut_as(mica_world *world, mica_entity entity, mica_type type,
                                         uint32_t size, const char *c_type)
{
    return !c_type || mica_type_is_c(world, type, size, c_type, "MICA_GET_MUT")
               ? mica_get_mut_sized(world, entity, type, size)
               : NULL;
}

// A copy of the value, into `value_out`, whatever the storage: true. [component.load] False,
// silently, if the component is not there; false and an error of those above, or
// MICA_ERROR_ARGUMENT if its values have hooks for copying or ending, which a copy in the caller's
// hands would go without: mica_get() then. [component.load_fail] For loading a variable,
// MICA_LOAD(). [component.load_variable]
//
// (Split values are loaded, and not got as a copy that the world keeps, because nobody could say
// for how long: until the next one is got, until the step ends? A variable knows how long it
// lives.) [component.load_why]
MICA_API bool mica_load(mica_world *world, mica_entity entity, mica_type type, void *value_out,
                        uint32_t size);

// False, silently, on the dead; an error if the type is none or foreign. [component.has]
MICA_API bool mica_has(mica_world *world, mica_entity entity, mica_type type);

// All types the entity has, into a set that was { 0 } or used before. [component.types]
MICA_API mica_result mica_entity_types(mica_world *world, mica_entity entity,
                                       mica_types *types_out);

// Bundles: a list of types prepared for spawning.
//
//   mica_type types[] = {position, velocity};
//   mica_bundle mover = mica_bundle_new(world, types, 2);
//   const mica_value values[] = {MICA_FROM(position, p), MICA_FROM(velocity, v)};
//   mica_spawn_bundle(world, mover, values, 2);
//
// In C++ the values can also be listed, as in mica_spawn():
//
//   mica_spawn_bundle(world, mover, MICA_VALUE(position, Position, 1, 2), MICA_FROM(velocity, v));
typedef struct mica_bundle {
    uint64_t bits; // private; 0 is none
    MICA_HANDLE_BOOL_
} mica_bundle;

// Returns the null handle. [bundle.none]
MICA_INLINE mica_bundle mica_bundle_none(void)
{
    mica_bundle none = {0};
    return none;
}

// Returns true for the null handle. [bundle.is_none]
MICA_INLINE bool mica_bundle_is_none(mica_bundle bundle)
{
    return bundle.bits == 0;
}

// Returns true if both are the same handle. [bundle.equal]
MICA_INLINE bool mica_bundle_equal(mica_bundle a, mica_bundle b)
{
    return a.bits == b.bits;
}

// None on failure; MICA_ERROR_ARGUMENT if a type is listed twice. [bundle.fail] A bundle lives
// until it or the world is freed. [bundle.life]
MICA_API mica_bundle mica_bundle_new(mica_world *world, const mica_type *types, uint32_t count);
MICA_API mica_result mica_bundle_free(mica_world *world, mica_bundle bundle);

// Makes room for `count` more entities of this bundle: the next `count` that are spawned ask for no
// memory, be it with mica_spawn_bundle(), mica_spawn_many(), mica_spawn() of the same types,
// whatever their order, or mica_clone(), one by one or at once. [reserve.memory] (What a type's
// hooks do is their business.) [reserve.hooks]
//
// No call takes that room away but mica_world_reclaim(), and mica_type_set_storage() to MICA_SPARSE
// or from there; it is used up by entities that come to have exactly these types one by one, also
// by mica_add() and the like, and slots are used up by whoever is spawned. [reserve.used] Changes
// by query bring their own room. [reserve.by_query] A call that is refused keeps nothing of what it
// had got but lists of a few bytes per thousand rows and, of sparse components, 12 bytes per
// slot. [reserve.fail]
//
// Of sparse components, room is used up by whoever gets one; and it is for the slots there are when
// it is made: who is spawned into slots that were made later may ask for memory. [reserve.sparse]
// Where components are in rings mica_spawn_many() may ask for memory to settle them with, and does
// as well without. [reserve.ring]
MICA_API mica_result mica_bundle_reserve(mica_world *world, mica_bundle bundle, uint32_t count);

// A new entity. `values` are those of the bundle's types, one each, in its order; without data, the
// default. [bundle.spawn] NULL and 0 means all defaults. [bundle.defaults] MICA_ERROR_BUNDLE for a
// bundle that is none, freed or foreign; MICA_ERROR_ARGUMENT for more or fewer values, or of other
// types; MICA_ERROR_SIZE. [bundle.spawn_fail]
MICA_API mica_entity mica_spawn_bundle(mica_world *world, mica_bundle bundle,
                                       const mica_value *values, uint32_t value_count);

// `count` new entities in one go. [spawn.many] Each of `arrays` is the same as above, but its data
// is an array of `count` values, one for each entity: MICA_FROM_ARRAY(). [spawn.many_arrays]
// `entities_out` may be NULL. [spawn.many_no_out] All or none: if there is no memory for all, what
// was got is given back, but for room for rows, which may be kept where a component is
// sparse. [spawn.many_fail]
MICA_API mica_result mica_spawn_many(mica_world *world, mica_bundle bundle, uint32_t count,
                                     const mica_value *arrays, uint32_t array_count,
                                     mica_entity *entities_out);

// Names. An entity may have one, unique in its world; it goes with the entity. [name.unique] 1 to
// 255 printable characters, without '/' and without '#' in front: those are kept for
// paths. [name.good]
// set: NULL takes the name away; MICA_ERROR_NAME if it is not a good name or another's. [name.set]
// name: NULL, silently, if it has none. [name.get]
// find: none, silently, if nobody has it. [name.find]
MICA_API mica_result mica_entity_set_name(mica_world *world, mica_entity entity, const char *name);
MICA_API const char *mica_entity_name(mica_world *world, mica_entity entity);
MICA_API mica_entity mica_entity_find(mica_world *world, const char *name);

#ifdef __cplusplus
}
#endif

// mica_spawn(world, values...), mica_set(world, entity, values...): the calls above, with a list of
//   MICA_VALUE(type, T, initialisers...)   a value of C type T, its size checked against the type's
//   MICA_FROM(type, variable)              the value of a variable, checked the same way
//   MICA_FROM_ARRAY(type, array)           an array of values, for mica_spawn_many(); of a pointer
//                                          to the first, nobody knows how many there are
//   MICA_ADD(type)                         a tag, or a default value
// MICA_GET(world, entity, type, T) and MICA_GET_MUT give a T *, checked the same way; so is the size of what
// MICA_LOAD(world, entity, type, variable) loads.
//
// MICA_FROM() of a pointer does not compile, where the compiler can tell (C++, gcc, clang): what is
// meant is MICA_FROM(type, *pointer). A component that is a pointer itself is given as a MICA_VALUE().
#define MICA_GET(world, entity, type, T)                                                           \
    (MICA_CAST_(MICA_CONST_(T) *, mica_get_as(world, entity, type,                                 \
                                              MICA_CAST_(uint32_t, sizeof(T)), MICA_C_TYPE_(T))))
#define MICA_GET_MUT(world, entity, type, T)                                                       \
    (MICA_CAST_(T *, mica_get_mut_as(world, entity, type, MICA_CAST_(uint32_t, sizeof(T)),         \
                                     MICA_C_TYPE_(T))))
#define MICA_LOAD(world, entity, type, variable)                                                   \
    (mica_load(world, entity, type, &(variable), MICA_CAST_(uint32_t, sizeof(variable))))

#ifndef __cplusplus

#include <string.h>

#if MICA_CHECK_C_TYPES
#define MICA_VALUE(type, T, ...)                                                                   \
    ((mica_value){(type),                                                                          \
                  memcpy(&(struct {                                                                \
                      T value;                                                                     \
                      const char *c_type;                                                          \
                  }){.c_type = MICA_TEXT_(T)},                                                     \
                         &(T){__VA_ARGS__}, sizeof(T)),                                            \
                  (uint32_t)sizeof(T) | MICA_NAMED, 1})
#define MICA_LISTED_(call) call##_compared
#define MICA_LIST_ mica_value
#else
#define MICA_VALUE(type, T, ...) ((mica_value){(type), &(T){__VA_ARGS__}, (uint32_t)sizeof(T), 1})
#define MICA_LISTED_(call) call##_values
#define MICA_LIST_ const mica_value
#endif
#define mica_spawn(world, ...) MICA_LISTED_(mica_spawn)(world, MICA_VALUES_(__VA_ARGS__))
#define mica_set(world, entity, ...)                                                               \
    MICA_LISTED_(mica_set)(world, entity, MICA_VALUES_(__VA_ARGS__))
#define MICA_VALUES_(...)                                                                          \
    (MICA_LIST_[]){__VA_ARGS__},                                                                   \
        (uint32_t)(sizeof((const mica_value[]){__VA_ARGS__}) / sizeof(mica_value))
#define MICA_FROM(type, variable)                                                                  \
    ((mica_value){(type), &(variable), (uint32_t)sizeof(variable), 1 + MICA_NO_POINTER_(variable)})
#define MICA_FROM_ARRAY(type, array)                                                               \
    ((mica_value){(type), (array), (uint32_t)sizeof *(array), MICA_COUNT_OF_(array)})
#define MICA_ADD(type) ((mica_value){(type), NULL, 0, 0})

// 0, or no program: a pointer is of the class of pointers and, unlike an array, of the type that it
// has as an operand. And the elements of an array; 0 for a pointer, whose type is that of its first
// element's address.
#ifdef __GNUC__
#define MICA_NO_POINTER_(variable)                                                                 \
    (0 * (uint32_t)sizeof(struct {                                                                 \
         _Static_assert(__builtin_classify_type(variable) != 5 ||                                  \
                            !__builtin_types_compatible_p(__typeof__(variable),                    \
                                                          __typeof__(((void)0, variable))),        \
                        "MICA_FROM takes a variable, not a pointer to one: write *pointer");       \
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

#else // C++

// A value that was made for the call, as MICA_VALUE() or MICA_FROM(type, std::move(variable)), ends
// with the statement. So it can be given to mica_spawn(), mica_set(), mica_spawn_bundle() and
// mica_change() in the call itself, and to nothing else: it is no mica_value. MICA_FROM() of a variable
// is one, and good for as long as the variable.
//
// A value of a type that can be moved but not copied is handed over in this way: the world has it if
// the call succeeds; if not, it ends with the statement. One that can be copied is copied, also from
// std::move(variable), which stays as it is. (The functions that take pointers know
// nothing of this: what they are given is theirs, as in C.)

#include <initializer_list>

MICA_HANDLE_OPERATORS_(mica_bundle)

#if MICA_CHECK_C_TYPES
#define MICA_VALUE(type, T, ...) (mica_value_named((type), T{__VA_ARGS__}))
#else
#define MICA_VALUE(type, T, ...) (mica_value_made((type), T{__VA_ARGS__}))
#endif
#define MICA_FROM(type, variable) (mica_value_from((type), variable))
#define MICA_FROM_ARRAY(type, array) (mica_value_array((type), array))
#define MICA_ADD(type) (mica_value{(type), nullptr, 0, 0})

// A value with its data, until it is known who has it. One that is copied stays where it was made.
template <class T, bool Copied = mica_lifetime<std::remove_cv_t<T>>::can_copy> class mica_handed {
public:
    mica_handed(mica_type type, const T &made)
        : value{type, mica_address_of(made), static_cast<uint32_t>(sizeof(T)), 1}
    {}
    mica_handed(const mica_handed &) = delete;
    mica_handed &operator=(const mica_handed &) = delete;
    operator mica_value() const = delete; // it would outlive its data: MICA_FROM(type, variable)

private:
    friend struct mica_hand;
    void settle(bool) {}

    mica_value value;
};

template <class T> class mica_handed<T, false> {
public:
    mica_handed(mica_type type, T &&made) : value{type, bytes, static_cast<uint32_t>(sizeof(T)), 1}
    {
        ::new (static_cast<void *>(bytes)) T(std::move(made));
    }
    mica_handed(const mica_handed &) = delete;
    mica_handed &operator=(const mica_handed &) = delete;
    operator mica_value() const =
        delete; // it would outlive its data: it is handed over in the call
    ~mica_handed()
    {
        if (!taken) {
            mica_lifetime<T>::destruct(bytes, 1, nullptr);
        }
    }

private:
    friend struct mica_hand;
    void settle(bool success)
    {
        taken = success;
    }

    mica_value value;
    bool taken = false;
    alignas(T) unsigned char bytes[sizeof(T)];
};

template <class T> auto mica_value_made(mica_type type, T &&value)
{
    return mica_handed<T>(type, std::forward<T>(value));
}

// The same, whose C type is compared by whoever it is given to.
template <class T> class mica_named {
public:
    mica_named(mica_type type, T &&made) : handed(type, std::forward<T>(made)) {}
    mica_named(const mica_named &) = delete;
    mica_named &operator=(const mica_named &) = delete;
    operator mica_value() const = delete; // as above

private:
    friend struct mica_hand;

    mica_handed<T> handed;
};

template <class T> auto mica_value_named(mica_type type, T &&value)
{
    return mica_named<T>(type, std::forward<T>(value));
}

template <class T> auto mica_value_from(mica_type type, T &&value)
{
    using V = std::remove_reference_t<T>;
    static_assert(!std::is_pointer<V>::value,
                  "MICA_FROM takes a variable, not a pointer to one: write *pointer");
    constexpr bool can_copy = mica_lifetime<std::remove_cv_t<V>>::can_copy;
    constexpr bool handed = std::is_rvalue_reference<T &&>::value && !std::is_const<V>::value;
    static_assert(can_copy || handed,
                  "the type cannot be copied: hand the value over, with std::move");
    if constexpr (std::is_lvalue_reference<T>::value) {
        return mica_value{type, mica_address_of(value), static_cast<uint32_t>(sizeof(V)), 1};
    } else {
        return mica_handed<V>(type, std::forward<T>(value));
    }
}

// An array, or a pointer to its first element.
template <class A> mica_value mica_value_array(mica_type type, const A &array)
{
    return mica_value{type, array, static_cast<uint32_t>(sizeof *array),
                      static_cast<uint32_t>(std::extent<A>::value)};
}

// What the functions below take: nobody else gets at a value that is handed over.
struct mica_hand {
    template <class T> struct can_hold : std::is_same<std::decay_t<T>, mica_value> {};
    template <class T, bool Copied> struct can_hold<mica_handed<T, Copied>> : std::true_type {};
    template <class T> struct can_hold<mica_named<T>> : std::true_type {};

    static const mica_value &see(const mica_value &value)
    {
        return value;
    }
    template <class T, bool Copied> static const mica_value &see(mica_handed<T, Copied> &&value)
    {
        return value.value;
    }

    template <class T> static const mica_value &see(mica_named<T> &&value)
    {
        return value.handed.value;
    }

    // Is it of the component's C type, as far as that is known? The caller says which function it is.
    template <class Value> static bool fits(mica_world *, const char *, const Value &)
    {
        return true;
    }
    template <class T>
    static bool fits(mica_world *world, const char *call, const mica_named<T> &value)
    {
        return mica_type_is_c(world, value.handed.value.type, value.handed.value.size,
                              mica_c_type<T>::name(), call);
    }

    static void settle(const mica_value &, bool) {}
    template <class T, bool Copied> static void settle(mica_handed<T, Copied> &&value, bool success)
    {
        value.settle(success);
    }
    template <class T> static void settle(mica_named<T> &&value, bool success)
    {
        value.handed.settle(success);
    }
};

template <class... Values>
using mica_if_values =
    std::enable_if_t<sizeof...(Values) != 0 && (mica_hand::can_hold<Values>::value && ...), bool>;

template <class... Values, mica_if_values<Values...> = true>
mica_entity mica_spawn(mica_world *world, Values &&...values)
{
    if (!(mica_hand::fits(world, "mica_spawn", values) && ...)) {
        return mica_entity{};
    }
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_entity entity = mica_spawn_values(world, list, static_cast<uint32_t>(sizeof...(values)));
    (mica_hand::settle(std::forward<Values>(values), !mica_entity_is_none(entity)), ...);
    return entity;
}

template <class... Values, mica_if_values<Values...> = true>
mica_result mica_set(mica_world *world, mica_entity entity, Values &&...values)
{
    if (!(mica_hand::fits(world, "mica_set", values) && ...)) {
        return MICA_ERROR_C_TYPE;
    }
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_result result =
        mica_set_values(world, entity, list, static_cast<uint32_t>(sizeof...(values)));
    (mica_hand::settle(std::forward<Values>(values), result == MICA_OK), ...);
    return result;
}

template <class... Values, mica_if_values<Values...> = true>
mica_entity mica_spawn_bundle(mica_world *world, mica_bundle bundle, Values &&...values)
{
    if (!(mica_hand::fits(world, "mica_spawn_bundle", values) && ...)) {
        return mica_entity{};
    }
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_entity entity =
        mica_spawn_bundle(world, bundle, list, static_cast<uint32_t>(sizeof...(values)));
    (mica_hand::settle(std::forward<Values>(values), !mica_entity_is_none(entity)), ...);
    return entity;
}

// mica_change(world, entity, {removed...}, values...)
template <class... Values, mica_if_values<Values...> = true>
mica_result mica_change(mica_world *world, mica_entity entity,
                        std::initializer_list<mica_type> removed, Values &&...values)
{
    if (!(mica_hand::fits(world, "mica_change", values) && ...)) {
        return MICA_ERROR_C_TYPE;
    }
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_result result = mica_change(world, entity, list, static_cast<uint32_t>(sizeof...(values)),
                                     removed.begin(), static_cast<uint32_t>(removed.size()));
    (mica_hand::settle(std::forward<Values>(values), result == MICA_OK), ...);
    return result;
}

#endif

#endif
