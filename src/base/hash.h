// Hashing. Results are the same on all machines, little-endian or big-endian.
//
// Room:    base. Called by every room.
#ifndef MICAI_BASE_HASH_H
#define MICAI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

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

// Sums of many bytes, at one multiplication for 8 bytes. Each word is mixed in by
// sum = (sum ^ word) * FACTOR, then sum ^ sum >> 29. This is a bijection, so a change of any single
// word changes the sum. Sums are stored before the second half, which is done while the next word is
// mixed in. So each step waits for one operation less. micai_hash_fold() does the second half, and
// micai_hash_unfold() undoes it.
static inline uint64_t micai_hash_fold(uint64_t sum)
{
    return sum ^ sum >> 29;
}

static inline uint64_t micai_hash_unfold(uint64_t sum)
{
    return sum ^ sum >> 29 ^ sum >> 58;
}

static inline uint64_t micai_hash_step(uint64_t sum, uint64_t word)
{
    return (sum ^ word ^ sum >> 29) * UINT64_C(0x9e3779b97f4a7c15);
}

// A hash of many bytes that are added in pieces. It depends on the bytes and their order, and not on
// where pieces end. Four sums run side by side, over blocks of four words.
#define MICAI_HASH_BLOCK 32u

typedef struct micai_hash_stream {
    uint64_t sums[4];
    uint64_t size;                        // bytes that were added
    unsigned char rest[MICAI_HASH_BLOCK]; // those after the last whole block
} micai_hash_stream;

void micai_hash_begin(micai_hash_stream *stream);
void micai_hash_put(micai_hash_stream *stream, const void *bytes, size_t size);
uint64_t micai_hash_end(const micai_hash_stream *stream);

// Adds numbers of `size` bytes each (1, 2, 4 or 8), the lowest byte of each first. The first function
// is for machines that store the highest byte first.
void micai_hash_put_turned(micai_hash_stream *stream, const void *numbers, uint32_t size,
                           size_t count);

static inline void micai_hash_put_numbers(micai_hash_stream *stream, const void *numbers,
                                          uint32_t size, size_t count)
{
    if (size == 1 || micai_is_little_endian()) {
        micai_hash_put(stream, numbers, size * count);
    } else {
        micai_hash_put_turned(stream, numbers, size, count);
    }
}

#endif
