// What the compiler may be told, where it can be told.
//
// Room:    base. Called by every room.
#ifndef MICAI_BASE_COMPILER_H
#define MICAI_BASE_COMPILER_H

// A function for the unusual case, kept out of the usual one's way: not inlined, so that the caller
// has no registers to save for it.
#if defined(__GNUC__)
#define MICAI_COLD __attribute__((noinline, cold))
#else
#define MICAI_COLD
#endif

// A function beside the usual case, and quick itself: not inlined, for the same reason.
#if defined(__GNUC__)
#define MICAI_NOINLINE __attribute__((noinline))
#else
#define MICAI_NOINLINE
#endif

// Memory that will be written soon; that will be read.
#if defined(__GNUC__)
#define MICAI_PREFETCH(address) __builtin_prefetch(address, 1)
#define MICAI_PREFETCH_READ(address) __builtin_prefetch(address, 0)
#else
#define MICAI_PREFETCH(address) ((void)(address))
#define MICAI_PREFETCH_READ(address) ((void)(address))
#endif

// What nearly always holds: worth a branch that is predicted, not a computed choice.
#if defined(__GNUC__)
#define MICAI_LIKELY(condition) __builtin_expect(!!(condition), 1)
#else
#define MICAI_LIKELY(condition) (condition)
#endif

#endif
