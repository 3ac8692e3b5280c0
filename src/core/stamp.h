// Stamped handles: how types, and other things that live in one world, are named outside of it. A
// handle is a number in the world's own list and a stamp; the list keeps the handle it gave out,
// and a handle is good if it is that one. So a handle of another world, or of a thing that is gone,
// is told by one comparison, without reading anything it points to.
//
//   bits  63 ........ 24 23 ...... 0
//         stamp          number + 1        0 is no handle
//
// The stamp is the seal of the core exclusive-or a seed, which is the name's hash for types. A seal
// is made of the core's address and the time, so that neither a world that lives nor one that is
// gone has it too, but for one chance in 2^39; a copy of a core keeps it, so that handles go on
// meaning the same there. (A counter of all worlds would be simpler, and a hidden global.)
//
// In handles of types, the highest bit of the stamp says whether the type was registered as sparse, so
// that short cuts know where to look first, before they have looked at anything. It is a hint, since
// storages can be changed: what is not found there is looked for elsewhere.
//
// Room:    core. Called by core/ and every room that hands out handles.
#ifndef MICAI_CORE_STAMP_H
#define MICAI_CORE_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/hash.h"

#define MICAI_STAMP_NUMBER_BITS 24
#define MICAI_STAMP_NUMBER_MAX ((UINT32_C(1) << MICAI_STAMP_NUMBER_BITS) - 2)
#define MICAI_STAMP_SPARSE (UINT64_C(1) << 63)

// The seal of a new core at this address.
static inline uint64_t micai_stamp_seal(const void *core)
{
    return micai_hash_add(micai_hash_mix(micai_clock_ns()), (uintptr_t)core);
}

static inline uint64_t micai_stamp_make(uint64_t seal, uint64_t seed, uint32_t number)
{
    return (seal ^ micai_hash_mix(seed)) << MICAI_STAMP_NUMBER_BITS | ((uint64_t)number + 1);
}

// The same for a type.
static inline uint64_t micai_stamp_make_type(uint64_t seal, uint64_t seed, uint32_t number,
                                             bool sparse)
{
    uint64_t bits = micai_stamp_make(seal, seed, number);
    return sparse ? bits | MICAI_STAMP_SPARSE : bits & ~MICAI_STAMP_SPARSE;
}

static inline bool micai_stamp_is_sparse(uint64_t bits)
{
    return bits >= MICAI_STAMP_SPARSE;
}

// Past any list, for 0 and for what was never a handle.
static inline uint32_t micai_stamp_number(uint64_t bits)
{
    return ((uint32_t)bits & ((UINT32_C(1) << MICAI_STAMP_NUMBER_BITS) - 1)) - 1;
}

// The key of a list of handles, in their order: one more at the end of it; then, once, all are mixed.
static inline uint64_t micai_stamp_add(uint64_t key, uint64_t bits)
{
    return (key << 7 | key >> 57) ^ bits;
}

static inline uint64_t micai_stamp_mix(uint64_t key)
{
    return key * UINT64_C(0x9e3779b97f4a7c15);
}

#endif
