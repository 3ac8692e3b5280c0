// Hints to the compiler, where it supports them.
//
// Room:    base. Called by every room.
#ifndef MICAI_BASE_COMPILER_H
#define MICAI_BASE_COMPILER_H

// A function for a rare case. It is not inlined, so its caller does not save registers for it.
#if defined(__GNUC__)
#define MICAI_COLD __attribute__((noinline, cold))
#else
#define MICAI_COLD
#endif

// A function that is not rare, but must not be inlined into the more common path, for the same
// reason.
#if defined(__GNUC__)
#define MICAI_NOINLINE __attribute__((noinline))
#else
#define MICAI_NOINLINE
#endif

// Prefetches memory for a write, or for a read.
#if defined(__GNUC__)
#define MICAI_PREFETCH(address) __builtin_prefetch(address, 1)
#define MICAI_PREFETCH_READ(address) __builtin_prefetch(address, 0)
#else
#define MICAI_PREFETCH(address) ((void)(address))
#define MICAI_PREFETCH_READ(address) ((void)(address))
#endif

// Stores a number that other threads may store at the same time, and no thread reads then.
#if defined(__GNUC__)
#define MICAI_STORE_RELAXED(address, value) __atomic_store_n(address, value, __ATOMIC_RELAXED)
#else
#define MICAI_STORE_RELAXED(address, value) (*(address) = (value))
#endif

// A condition that nearly always holds. The compiler emits a predicted branch instead of a computed
// choice.
#if defined(__GNUC__)
#define MICAI_LIKELY(condition) __builtin_expect(!!(condition), 1)
#else
#define MICAI_LIKELY(condition) (condition)
#endif

#endif
