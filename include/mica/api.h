// Version, visibility, and macros for the other public headers, which all include this one.
#ifndef MICA_API_H
#define MICA_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MICA_VERSION_MAJOR 0
#define MICA_VERSION_MINOR 2
#define MICA_VERSION_PATCH 0

// The CMake target of the shared library defines MICA_SHARED for its users. MICA_BUILD is defined
// while the library itself is compiled.
#if defined(_WIN32) && defined(MICA_SHARED)
#ifdef MICA_BUILD
#define MICA_API __declspec(dllexport)
#else
#define MICA_API __declspec(dllimport)
#endif
#elif defined(__GNUC__) && defined(MICA_BUILD)
#define MICA_API __attribute__((visibility("default")))
#else
#define MICA_API
#endif

// Marks functions that take a printf format.
#if defined(__GNUC__)
#define MICA_PRINTF(format_index, first_index)                                                     \
    __attribute__((format(printf, format_index, first_index)))
#else
#define MICA_PRINTF(format_index, first_index)
#endif

// Marks functions whose result must not be ignored, because data may be lost.
#if defined(__GNUC__)
#define MICA_USE_RESULT __attribute__((warn_unused_result))
#else
#define MICA_USE_RESULT
#endif

// Marks functions that must be inlined, so that their arguments stay in registers.
#if defined(__GNUC__)
#define MICA_INLINE_ __attribute__((always_inline))
#else
#define MICA_INLINE_
#endif

// Marks functions that are defined in the headers. They are compiled into the program; the library
// also exports each one, under the same name, for other languages. (For that, one file of the
// library is compiled with MICA_EXPORT_INLINES.)
#if defined(MICA_EXPORT_INLINES)
#define MICA_INLINE MICA_API
#define MICA_INLINE_ALWAYS MICA_API
#else
#define MICA_INLINE static inline
#define MICA_INLINE_ALWAYS MICA_INLINE_ static inline
#endif

// A cast for both languages, because C++ programs may be compiled with -Wold-style-cast.
#ifdef __cplusplus
#define MICA_CAST_(T, value) static_cast<T>(value)
#else
#define MICA_CAST_(T, value) ((T)(value))
#endif

// const T, also if T is const already.
#ifdef __cplusplus
template <class T> using mica_const_ = const T;
#define MICA_CONST_(T) mica_const_<T>
#elif defined(__GNUC__)
#define MICA_CONST_(T) const __typeof__(T)
#else
#define MICA_CONST_(T) const T
#endif

// The alignment of a type.
#ifdef __cplusplus
#define MICA_ALIGNOF_(T) alignof(T)
#else
#define MICA_ALIGNOF_(T) _Alignof(T)
#endif

// Checks that an enum has 32 bits with every compiler, so that other languages know the layout of
// structs.
#ifdef __cplusplus
#define MICA_ENUM_(T)                                                                              \
    static_assert(sizeof(T) == 4, #T " has 32 bits: compile without -fshort-enums")
#else
#define MICA_ENUM_(T)                                                                              \
    _Static_assert(sizeof(T) == 4, #T " has 32 bits: compile without -fshort-enums")
#endif

// C++: == and != for a handle.
#define MICA_HANDLE_OPERATORS_(handle)                                                             \
    constexpr bool operator==(handle a, handle b)                                                  \
    {                                                                                              \
        return a.bits == b.bits;                                                                   \
    }                                                                                              \
    constexpr bool operator!=(handle a, handle b)                                                  \
    {                                                                                              \
        return a.bits != b.bits;                                                                   \
    }

// A member of every handle. C++: the null handle converts to false.
#ifdef __cplusplus
#define MICA_HANDLE_BOOL_                                                                          \
    explicit constexpr operator bool() const                                                       \
    {                                                                                              \
        return bits != 0;                                                                          \
    }
#else
#define MICA_HANDLE_BOOL_
#endif

// Handles are structs with one member, `bits`: mica_entity, mica_type, mica_query and others. { 0 }
// is the null handle. MICA_IS_NONE() is true for the null handle. [handle.is_none] MICA_EQUAL() is
// true if both are the same handle. [handle.equal]
#define MICA_IS_NONE(handle) ((handle).bits == 0)
#define MICA_EQUAL(a, b) ((a).bits == (b).bits)

#ifdef __cplusplus
extern "C" {
#endif

// Returns the version of the linked library as "major.minor.patch". The macros above are the
// version of the headers. [version.text]
MICA_API const char *mica_version(void);

#ifdef __cplusplus
}
#endif

#endif
