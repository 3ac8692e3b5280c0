// Stamped handles: how types, and other things that live in one world, are named outside of it. A
// handle is a number in the world's own list and a stamp; the list keeps the handle it gave out,
// and a handle is good if it is that one. So a handle of another world, or of a thing that is gone,
// is told by one comparison, without reading anything it points to.
//
//   bits  63 ........ 24 23 ...... 0
//         stamp          number + 1        0 is no handle
//
// The stamp is the world's address exclusive-or a seed. Worlds are aligned to 256 bytes, so 40 bits
// hold all of an address of 48 bits: two worlds that live at the same time never agree on the same
// seed. The seed is the name's hash for types: the handle of a world that is gone, used in a new
// one at its address, works if it means a type of the same name at the same place, and is caught
// otherwise. (A counter of all worlds would be simpler, and a hidden global.)
//
// Room:    core. Called by core/ and every room that hands out handles.
#ifndef MICAI_CORE_STAMP_H
#define MICAI_CORE_STAMP_H

#include <stdint.h>

#include "base/hash.h"

#define MICAI_STAMP_NUMBER_BITS 24
#define MICAI_STAMP_NUMBER_MAX ((UINT32_C(1) << MICAI_STAMP_NUMBER_BITS) - 2)
#define MICAI_STAMP_WORLD_ALIGN 256

static inline uint64_t micai_stamp_make(const void *world, uint64_t seed, uint32_t number)
{
    uint64_t stamp = (uint64_t)(uintptr_t)world / MICAI_STAMP_WORLD_ALIGN ^ micai_hash_mix(seed);
    return stamp << MICAI_STAMP_NUMBER_BITS | ((uint64_t)number + 1);
}

// Past any list, for 0 and for what was never a handle.
static inline uint32_t micai_stamp_number(uint64_t bits)
{
    return ((uint32_t)bits & ((UINT32_C(1) << MICAI_STAMP_NUMBER_BITS) - 1)) - 1;
}

#endif
