// Hashing of bytes and text.
//
// Room:    base. Called by base/map, core/ (names), world/ (content hash and digest).
//
// One mix per 8 bytes. A lighter step (one multiplication, one shift) was not taken: with it, the
// changed signs of three neighbouring floats cancel each other out.
#include "base/hash.h"

#include <string.h>

// The next `size` bytes, at most 8, as a little-endian number.
static inline uint64_t read_bytes(const unsigned char *bytes, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) {
        word |= (uint64_t)bytes[i] << (8 * i);
    }
    return word;
}

// The same for exactly 8, written so that compilers see a single load.
static inline uint64_t read_word(const unsigned char *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
           (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

uint64_t micai_hash_bytes(const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    // The size goes in first, so that trailing zero bytes make a difference.
    uint64_t hash = (uint64_t)size + UINT64_C(0x9e3779b97f4a7c15);
    for (; size >= 8; size -= 8) {
        hash = micai_hash_mix(hash ^ read_word(next));
        next += 8;
    }
    return micai_hash_mix(hash ^ read_bytes(next, size));
}

uint64_t micai_hash_text(const char *text)
{
    return micai_hash_bytes(text, strlen(text));
}
