// Hashing. Results are the same on all machines, little-endian or big-endian.
//
// Room:    base. Called by every room.
#ifndef MICAI_BASE_HASH_H
#define MICAI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// A bijection of 64-bit numbers. Every input bit affects every output bit.
static inline uint64_t micai_hash_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

// Adds a value to a running hash. The order of values matters.
static inline uint64_t micai_hash_add(uint64_t hash, uint64_t value)
{
    return micai_hash_mix(hash ^ micai_hash_mix(value + UINT64_C(0x9e3779b97f4a7c15)));
}

uint64_t micai_hash_bytes(const void *bytes, size_t size);
uint64_t micai_hash_text(const char *text);

#endif
