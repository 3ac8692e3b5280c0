// Stamped handles: they name types and other objects of a world. A handle consists of a number in
// the world's list and a stamp. The list stores each handle, and a handle is valid if it equals the
// stored one. So one comparison detects handles of other worlds and of removed objects, without
// access to the object.
//
//   bits  63 ........ 24 23 ...... 0
//         stamp          number + 1        0 is no handle
//
// The stamp is the seal of the state XOR a mixed seed; for types, the seed is the hash of the name.
// The seal is made from the state's address and the time. So two worlds, past or present, share a
// seal with a chance of only 1 in 2^39. A copy of a state keeps the seal, so handles stay valid
// there. (A counter of all worlds would be simpler, but is hidden global state.)
//
// In the handle of a type, the highest bit tells whether it was registered as sparse. It lets fast
// paths choose the first place to look without a load. The bit is only a hint, because storages can
// change. If the value is not there, the general path finds it.
//
// Room:    core. Called by core/ and all rooms that return handles.
#ifndef MICAI_CORE_STAMP_H
#define MICAI_CORE_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/hash.h"

#define MICAI_STAMP_NUMBER_BITS 24
#define MICAI_STAMP_NUMBER_MAX ((UINT32_C(1) << MICAI_STAMP_NUMBER_BITS) - 2)
#define MICAI_STAMP_SPARSE (UINT64_C(1) << 63)

// Makes the seal of a new state at this address.
static inline uint64_t micai_stamp_seal(const void *state)
{
    return micai_hash_add(micai_hash_mix(micai_clock_ns()), (uintptr_t)state);
}

static inline uint64_t micai_stamp_make(uint64_t seal, uint64_t seed, uint32_t number)
{
    return (seal ^ micai_hash_mix(seed)) << MICAI_STAMP_NUMBER_BITS | ((uint64_t)number + 1);
}

// Makes the handle of a type.
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

// Returns the number in a handle. For 0, the result is beyond every list.
static inline uint32_t micai_stamp_number(uint64_t bits)
{
    return ((uint32_t)bits & ((UINT32_C(1) << MICAI_STAMP_NUMBER_BITS) - 1)) - 1;
}

// Keys of ordered lists of handles. add appends one handle; mix is called once, at the end.
static inline uint64_t micai_stamp_add(uint64_t key, uint64_t bits)
{
    return (key << 7 | key >> 57) ^ bits;
}

static inline uint64_t micai_stamp_mix(uint64_t key)
{
    return key * UINT64_C(0x9e3779b97f4a7c15);
}

#endif
