// The C++ half of mica/component.h: values as arguments of mica_spawn(), mica_set() and others.
//
// MICA_VALUE() and MICA_COPY_OF(type, std::move(variable)) make a temporary value, which ends with
// the statement. Pass it directly to mica_spawn(), mica_set(), mica_spawn_bundle() or
// mica_change(): it is not a mica_value. MICA_COPY_OF() of a variable is a mica_value, and is valid
// as long as the variable.
//
// Values of move-only types are moved in this way. The world owns the value if the call succeeds;
// if it fails, the value ends with the statement. Copyable values are copied, even with
// std::move(variable): the variable keeps its value. Functions that take a list of mica_value take
// ownership of such values, as in C.
#ifndef MICA_HPP_COMPONENT_HPP
#define MICA_HPP_COMPONENT_HPP

#include <mica/component.h>
#include <mica/hpp/lifetime.hpp>

#include <initializer_list>

MICA_HANDLE_OPERATORS_(mica_bundle)

#define MICA_VALUE(type, T, ...) (mica_value_made((type), T{__VA_ARGS__}, MICA_C_TYPE_(T)))
#define MICA_COPY_OF(type, variable) (mica_value_from((type), variable))
#define MICA_COPY_OF_ARRAY(type, array) (mica_value_array((type), array))
#define MICA_ADD(type) (mica_value{(type), nullptr, 0, 0, nullptr})

// A value with its data, until its ownership is known. A copyable value stays where it was created.
template <class T, bool Copied = mica_lifetime<std::remove_cv_t<T>>::can_copy>
class mica_passed_value {
public:
    mica_passed_value(mica_type type, const T &made, const char *c_type)
        : value{type, mica_address_of(made), static_cast<uint32_t>(sizeof(T)), c_type ? 0u : 1u,
                c_type}
    {}
    mica_passed_value(const mica_passed_value &) = delete;
    mica_passed_value &operator=(const mica_passed_value &) = delete;
    operator mica_value() const = delete; // it would outlive its data: MICA_COPY_OF(type, variable)

private:
    friend struct mica_hand;
    void finish(bool) {}

    mica_value value;
};

template <class T> class mica_passed_value<T, false> {
public:
    mica_passed_value(mica_type type, T &&made, const char *c_type)
        : value{type, bytes, static_cast<uint32_t>(sizeof(T)), c_type ? 0u : 1u, c_type}
    {
        ::new (static_cast<void *>(bytes)) T(std::move(made));
    }
    mica_passed_value(const mica_passed_value &) = delete;
    mica_passed_value &operator=(const mica_passed_value &) = delete;
    operator mica_value() const = delete; // it would outlive its data: pass it directly to the call
    ~mica_passed_value()
    {
        if (!taken) {
            mica_lifetime<T>::destruct(bytes, 1, nullptr);
        }
    }

private:
    friend struct mica_hand;
    void finish(bool success)
    {
        taken = success;
    }

    mica_value value;
    bool taken = false;
    alignas(T) unsigned char bytes[sizeof(T)];
};

// A new value. The call compares `c_type` with the component's, unless it is nullptr.
template <class T> auto mica_value_made(mica_type type, T &&value, const char *c_type)
{
    return mica_passed_value<T>(type, std::forward<T>(value), c_type);
}

template <class T> auto mica_value_from(mica_type type, T &&value)
{
    using V = std::remove_reference_t<T>;
    static_assert(!std::is_pointer<V>::value,
                  "MICA_COPY_OF takes a variable, not a pointer to one: write *pointer");
    constexpr bool can_copy = mica_lifetime<std::remove_cv_t<V>>::can_copy;
    constexpr bool handed = std::is_rvalue_reference<T &&>::value && !std::is_const<V>::value;
    static_assert(can_copy || handed,
                  "the type cannot be copied: hand the value over, with std::move");
    if constexpr (std::is_lvalue_reference<T>::value) {
        return mica_value{type, mica_address_of(value), static_cast<uint32_t>(sizeof(V)), 1,
                          nullptr};
    } else {
        return mica_passed_value<V>(type, std::forward<T>(value), nullptr);
    }
}

// Returns `type`, and compiles only if the variable has the C type T.
template <class T, class V> mica_type mica_if_same(mica_type type)
{
    static_assert(std::is_same<std::remove_cv_t<std::remove_reference_t<V>>, T>::value,
                  "the variable is of another type than the component");
    return type;
}

// From an array, or a pointer to its first element.
template <class A> mica_value mica_value_array(mica_type type, const A &array)
{
    return mica_value{type, array, static_cast<uint32_t>(sizeof *array),
                      static_cast<uint32_t>(std::extent<A>::value), nullptr};
}

// Gives the functions below, and only them, access to values that are moved.
struct mica_hand {
    template <class T> struct can_hold : std::is_same<std::decay_t<T>, mica_value> {};
    template <class T, bool Copied>
    struct can_hold<mica_passed_value<T, Copied>> : std::true_type {};

    static const mica_value &see(const mica_value &value)
    {
        return value;
    }
    template <class T, bool Copied>
    static const mica_value &see(mica_passed_value<T, Copied> &&value)
    {
        return value.value;
    }

    static void finish(const mica_value &, bool) {}
    template <class T, bool Copied>
    static void finish(mica_passed_value<T, Copied> &&value, bool success)
    {
        value.finish(success);
    }
};

template <class... Values>
using mica_if_values =
    std::enable_if_t<sizeof...(Values) != 0 && (mica_hand::can_hold<Values>::value && ...), bool>;

inline mica_entity mica_spawn(mica_world *world)
{
    return mica_spawn_values(world, nullptr, 0);
}

template <class... Values, mica_if_values<Values...> = true>
mica_entity mica_spawn(mica_world *world, Values &&...values)
{
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_entity entity = mica_spawn_values(world, list, static_cast<uint32_t>(sizeof...(values)));
    (mica_hand::finish(std::forward<Values>(values), !MICA_IS_NONE(entity)), ...);
    return entity;
}

template <class... Values, mica_if_values<Values...> = true>
mica_result mica_set(mica_world *world, mica_entity entity, Values &&...values)
{
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_result result =
        mica_set_values(world, entity, list, static_cast<uint32_t>(sizeof...(values)));
    (mica_hand::finish(std::forward<Values>(values), result == MICA_OK), ...);
    return result;
}

template <class... Values, mica_if_values<Values...> = true>
mica_entity mica_spawn_bundle(mica_world *world, mica_bundle bundle, Values &&...values)
{
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_entity entity =
        mica_spawn_bundle(world, bundle, list, static_cast<uint32_t>(sizeof...(values)));
    (mica_hand::finish(std::forward<Values>(values), !MICA_IS_NONE(entity)), ...);
    return entity;
}

// mica_change(world, entity, {removed...}, values...)
template <class... Values, mica_if_values<Values...> = true>
mica_result mica_change(mica_world *world, mica_entity entity,
                        std::initializer_list<mica_type> removed, Values &&...values)
{
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_result result = mica_change(world, entity, list, static_cast<uint32_t>(sizeof...(values)),
                                     removed.begin(), static_cast<uint32_t>(removed.size()));
    (mica_hand::finish(std::forward<Values>(values), result == MICA_OK), ...);
    return result;
}

#endif
