// C++: how MICA_REGISTER() and MICA_DESCRIBE() turn a type's constructors and destructor into
// hooks. See also docs/guide/types.md.
//
//   trivially copyable       no hooks: plain bytes. If the default constructor sets anything but
//                            zeroes, its result is the default value
//   copyable                 construct, destruct, copy, move
//   movable only             construct, destruct, move; copying is refused
//   neither                  does not compile
//
// Without a default constructor, the construct hook fails: such a component needs a value. If a
// constructor throws, its hook fails, and earlier values of the call are destroyed. The error has
// the exception's what(). If a move constructor or destructor throws, the program is terminated.
#ifndef MICA_HPP_LIFETIME_HPP
#define MICA_HPP_LIFETIME_HPP

#include <mica/type.h>

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

// Is the type copyable? The standard library says yes for containers of elements that cannot be
// copied, so this looks at the elements. It cannot look at the members of a struct. For a struct
// with such a container, declare its move constructor, which deletes its copy constructor, or write
//
//   template <> struct mica_can_copy<Bag> : std::false_type {};
//
// before it is registered.
template <class T, class = void> struct mica_can_copy : std::is_copy_constructible<T> {};
template <class T>
struct mica_can_copy<T, std::void_t<typename T::value_type, typename T::allocator_type>>
    : std::bool_constant<std::is_copy_constructible<T>::value &&
                         mica_can_copy<typename T::value_type>::value> {};
template <class A, class B>
struct mica_can_copy<std::pair<A, B>>
    : std::bool_constant<mica_can_copy<std::remove_const_t<A>>::value && mica_can_copy<B>::value> {
};

// The compiler's name for a type; nullptr if it is unknown or too long.
template <class T> struct mica_c_type {
    static const char *name()
    {
        return text.bytes[0] ? text.bytes : nullptr;
    }

private:
    struct letters {
        char bytes[MICA_NAME_SIZE_MAX + 1];
    };

    // Extracts the name from "... [with T = game::Position]", as gcc writes it; clang omits the
    // "with".
    static constexpr letters find()
    {
        letters found = {};
#ifdef __GNUC__
        const char *said = __PRETTY_FUNCTION__;
        while (!(said[0] == 'T' && said[1] == ' ' && said[2] == '=')) {
            said++;
        }
        said += 4;
        uint32_t size = 0;
        while (said[size]) {
            size++;
        }
        for (uint32_t i = 0; size <= MICA_NAME_SIZE_MAX && i + 1 < size; i++) {
            found.bytes[i] = said[i];
        }
#endif
        return found;
    }

    static constexpr letters text = find();
};
template <class T> struct mica_c_type<const T> : mica_c_type<T> {};

template <class T> struct mica_lifetime {
    static_assert(std::is_array<T>::value ? std::is_trivially_copyable<T>::value
                                          : std::is_move_constructible<T>::value,
                  "a component is moved about in memory: its type needs a move constructor");

    static constexpr bool has_default = std::is_default_constructible<T>::value;
    static constexpr bool can_copy = std::is_array<T>::value || mica_can_copy<T>::value;
    static constexpr bool is_bytes = std::is_trivially_copyable<T>::value;

    static mica_result construct(void *target, uint32_t count, const mica_hook_context *context)
    {
        if constexpr (has_default) {
            return make(target, count, context, [](void *at, uint32_t) { ::new (at) T(); });
        } else {
            (void)target;
            (void)count;
            mica_hook_explain(context, "it has no default constructor");
            return MICA_ERROR_HOOK;
        }
    }

    static mica_result copy(void *target, const void *source, uint32_t count,
                            const mica_hook_context *context)
    {
        const T *sources = static_cast<const T *>(source);
        return make(target, count, context,
                    [sources](void *at, uint32_t i) { ::new (at) T(sources[i]); });
    }

    static void move(void *target, void *source, uint32_t count, const mica_hook_context *) noexcept
    {
        T *targets = static_cast<T *>(target);
        T *sources = static_cast<T *>(source);
        for (uint32_t i = 0; i < count; i++) {
            ::new (static_cast<void *>(targets + i)) T(std::move(sources[i]));
            sources[i].~T();
        }
    }

    static void destruct(void *target, uint32_t count, const mica_hook_context *) noexcept
    {
        T *values = static_cast<T *>(target);
        for (uint32_t i = 0; i < count; i++) {
            values[i].~T();
        }
    }

    // Returns size, alignment, hooks and default value.
    static mica_type_desc describe()
    {
        mica_type_desc desc = {};
        desc.size = static_cast<uint32_t>(sizeof(T));
        desc.align = static_cast<uint32_t>(alignof(T));
        desc.c_type = mica_c_type<T>::name();
        if constexpr (!is_bytes || !has_default) {
            desc.hooks.construct = construct;
        } else if constexpr (!std::is_trivially_default_constructible<T>::value) {
            desc.default_value = default_value();
        }
        if constexpr (!is_bytes) {
            desc.hooks.move = move;
        }
        if constexpr (!is_bytes && can_copy) {
            desc.hooks.copy = copy;
        }
        // Set it even if it does nothing: destruct without copy means that values cannot be copied.
        if constexpr (!std::is_trivially_destructible<T>::value || !can_copy) {
            desc.hooks.destruct = destruct;
        }
        return desc;
    }

private:
    // Creates values one by one, all or none.
    template <class Make>
    static mica_result make(void *target, uint32_t count, const mica_hook_context *context,
                            Make make_one)
    {
        T *values = static_cast<T *>(target);
        uint32_t made = 0;
#ifdef __cpp_exceptions
        try {
            for (; made < count; made++) {
                make_one(static_cast<void *>(values + made), made);
            }
            return MICA_OK;
        } catch (const std::exception &exception) {
            mica_hook_explain(context, exception.what());
        } catch (...) {
            mica_hook_explain(context, "its constructor threw");
        }
        destruct(target, made, context);
        return MICA_ERROR_HOOK;
#else
        (void)context;
        for (; made < count; made++) {
            make_one(static_cast<void *>(values + made), made);
        }
        return MICA_OK;
#endif
    }

    // Constructed in static memory, which is zero, so that padding is zero. Returns nullptr for a
    // value of zeroes, which is the default anyway.
    static const void *default_value()
    {
        struct holder {
            alignas(T) unsigned char bytes[sizeof(T)];
            holder()
            {
                ::new (static_cast<void *>(bytes)) T();
            }
        };
        static const holder made;
        for (unsigned char byte : made.bytes) {
            if (byte != 0) {
                return made.bytes;
            }
        }
        return nullptr;
    }
};

#endif
