// Version and visibility. Every other public header includes this one.
#ifndef MICA_API_H
#define MICA_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MICA_VERSION_MAJOR 0
#define MICA_VERSION_MINOR 1
#define MICA_VERSION_PATCH 0

// MICA_SHARED is defined by the CMake target of the shared library for its users, MICA_BUILD while
// the library itself is compiled.
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

// Marks functions whose result tells whether something is lost.
#if defined(__GNUC__)
#define MICA_USE_RESULT __attribute__((warn_unused_result))
#else
#define MICA_USE_RESULT
#endif

// For functions that are only worth having where they are called: what they are given should stay in
// registers.
#if defined(__GNUC__)
#define MICA_INLINE_ __attribute__((always_inline))
#else
#define MICA_INLINE_
#endif

// Marks functions whose bodies stand in the headers. They are compiled into whoever includes them; the
// library exports each one, too, under the same name, for other languages to call. (One of its files is
// compiled with MICA_TWINS for that.)
#if defined(MICA_TWINS)
#define MICA_INLINE MICA_API
#define MICA_INLINE_ALWAYS MICA_API
#else
#define MICA_INLINE static inline
#define MICA_INLINE_ALWAYS MICA_INLINE_ static inline
#endif

// A cast in both languages, where C++ programs are compiled with -Wold-style-cast.
#ifdef __cplusplus
#define MICA_CAST_(T, value) static_cast<T>(value)
#else
#define MICA_CAST_(T, value) ((T)(value))
#endif

// What is looked at only; T may have been said with a const of its own.
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

// Enums in structs have 32 bits, whatever compiles them, so that other languages know where things are.
#ifdef __cplusplus
#define MICA_ENUM_(T)                                                                              \
    static_assert(sizeof(T) == 4, #T " has 32 bits: compile without -fshort-enums")
#else
#define MICA_ENUM_(T)                                                                              \
    _Static_assert(sizeof(T) == 4, #T " has 32 bits: compile without -fshort-enums")
#endif

// C++: == and != for a handle, which is a struct of `bits`.
#define MICA_HANDLE_OPERATORS_(handle)                                                             \
    constexpr bool operator==(handle a, handle b)                                                  \
    {                                                                                              \
        return a.bits == b.bits;                                                                   \
    }                                                                                              \
    constexpr bool operator!=(handle a, handle b)                                                  \
    {                                                                                              \
        return a.bits != b.bits;                                                                   \
    }

// A member of every handle. C++: one that is none is false.
#ifdef __cplusplus
#define MICA_HANDLE_BOOL_                                                                          \
    explicit constexpr operator bool() const                                                       \
    {                                                                                              \
        return bits != 0;                                                                          \
    }
#else
#define MICA_HANDLE_BOOL_
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The version of the library that is linked, as "major.minor.patch"; the macros above are the
// version that was compiled against. [version.text]
MICA_API const char *mica_version(void);

#ifdef __cplusplus
}
#endif

#endif
