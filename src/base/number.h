// Arithmetic for several rooms.
//
// Room:    base. Called by every room.
#ifndef MICAI_BASE_NUMBER_H
#define MICAI_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t micai_smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t micai_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// Rounds up to a multiple of `align`, which must be a power of two.
static inline size_t micai_round_up(size_t size, size_t align)
{
    return (size + align - 1) & ~(align - 1);
}

#endif
