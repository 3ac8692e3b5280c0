// The C++ half of mica/field.h: fields of classes, their kinds and offsets.
#ifndef MICA_HPP_FIELD_HPP
#define MICA_HPP_FIELD_HPP

#include <mica/field.h>

#include <type_traits>

MICA_HANDLE_OPERATORS_(mica_type)

#define MICA_FIELD_SIZE(T, field) (static_cast<uint32_t>(sizeof(T::field)))
#define MICA_FIELD_OFFSET(T, field) (static_cast<uint32_t>(MICA_OFFSET_(T, field)))

#define MICA_FIELD(T, field)                                                                       \
    (mica_field_info_make(#field, mica_kind_of<decltype(T::field)>::kind, MICA_OFFSET_(T, field),  \
                          MICA_FIELD_SIZE(T, field)))
#define MICA_FIELD_STRUCT(T, field, struct_type)                                                   \
    (mica_field_info_make(#field, MICA_KIND_STRUCT, MICA_OFFSET_(T, field),                        \
                          MICA_FIELD_SIZE(T, field), (struct_type)))
#define MICA_FIELD_ENUM(T, field, names)                                                           \
    (mica_field_info_make(#field, MICA_KIND_ENUM, MICA_OFFSET_(T, field),                          \
                          MICA_FIELD_SIZE(T, field), mica_type{}, (names)))

inline mica_field_info mica_field_info_make(const char *name, mica_kind kind, size_t offset,
                                            uint32_t size, mica_type type = mica_type{},
                                            const mica_enumerator *enumerators = nullptr)
{
    return mica_field_info{name,
                           kind,
                           static_cast<uint32_t>(offset),
                           size,
                           enumerators ? 1u : 0u,
                           type,
                           enumerators,
                           MICA_STRIPS_FIELDS};
}

// offsetof() supports only standard-layout types; compilers warn of others (with private members,
// or with members in several bases). For these, the offset is computed from an address in static
// memory, where no object exists. The result is correct if no base is virtual.
#define MICA_OFFSET_(T, field)                                                                     \
    ([](auto mica_some_) -> size_t {                                                               \
        using mica_struct_ = typename decltype(mica_some_)::type;                                  \
        if constexpr (std::is_standard_layout<mica_struct_>::value) {                              \
            return offsetof(mica_struct_, field);                                                  \
        } else {                                                                                   \
            return mica_some_.offset(mica_address_of(mica_some_.nowhere().field));                 \
        }                                                                                          \
    }(mica_some<T>{}))

// The address of an object, without the operator & of its class.
template <class T> const void *mica_address_of(const T &thing)
{
    return &reinterpret_cast<const unsigned char &>(thing);
}

template <class T> struct mica_some {
    using type = T;
    static const unsigned char *memory()
    {
        alignas(T) static const unsigned char bytes[sizeof(T)] = {};
        return bytes;
    }
    const T &nowhere() const
    {
        static_assert(!std::is_polymorphic<T>::value, "fields of a polymorphic type");
        return *reinterpret_cast<const T *>(memory());
    }
    size_t offset(const void *field) const
    {
        return static_cast<size_t>(static_cast<const unsigned char *>(field) - memory());
    }
};

// The kind of T, or of the elements of an array of T.
template <class T, class = void> struct mica_kind_of {
    static_assert(!std::is_pointer<T>::value, "a pointer is no field: leave it out of the list");
    static_assert(std::is_pointer<T>::value || sizeof(T) == 0,
                  "a field of this type (a class such as std::string, a struct, a union) has no "
                  "kind: leave it out of the list; for a struct that is registered, "
                  "MICA_FIELD_STRUCT()");
};
template <class T, size_t N> struct mica_kind_of<T[N], void> : mica_kind_of<T> {
    static_assert(!std::is_array<T>::value, "an array of arrays: describe the field by hand");
};
template <mica_kind Kind> struct mica_kind_is {
    static constexpr mica_kind kind = Kind;
};
template <> struct mica_kind_of<float> : mica_kind_is<MICA_KIND_F32> {};
template <> struct mica_kind_of<double> : mica_kind_is<MICA_KIND_F64> {};
template <> struct mica_kind_of<bool> : mica_kind_is<MICA_KIND_BOOL> {};
template <> struct mica_kind_of<char> : mica_kind_is<MICA_KIND_CHAR> {};
template <> struct mica_kind_of<mica_entity> : mica_kind_is<MICA_KIND_ENTITY> {};
template <class T>
struct mica_kind_of<T, std::enable_if_t<std::is_integral<T>::value && std::is_signed<T>::value>>
    : mica_kind_is<(sizeof(T) == 1   ? MICA_KIND_I8
                    : sizeof(T) == 2 ? MICA_KIND_I16
                    : sizeof(T) == 4 ? MICA_KIND_I32
                                     : MICA_KIND_I64)> {};
template <class T>
struct mica_kind_of<T, std::enable_if_t<std::is_integral<T>::value && std::is_unsigned<T>::value>>
    : mica_kind_is<(sizeof(T) == 1   ? MICA_KIND_U8
                    : sizeof(T) == 2 ? MICA_KIND_U16
                    : sizeof(T) == 4 ? MICA_KIND_U32
                                     : MICA_KIND_U64)> {};
template <class T>
struct mica_kind_of<T, std::enable_if_t<std::is_enum<T>::value>>
    : mica_kind_of<std::underlying_type_t<T>> {};

#endif
