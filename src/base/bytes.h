// Copies of single values, and numbers in a fixed byte order.
//
// Room:    base. Called by store/ and command/ (values), hash.c and image/ (numbers).
#ifndef MICAI_BASE_BYTES_H
#define MICAI_BASE_BYTES_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Copies one value. A memcpy call whose size the compiler does not know costs more than the copy.
// It also forces the surrounding loop to save its registers. A switch over sizes was tried; its
// jump is often mispredicted. So this uses moves of 4, 8 and 16 bytes. The last two moves overlap
// if the size is not a power of two.
static inline void micai_copy_bytes(void *target, const void *source, uint32_t size)
{
    unsigned char *to = (unsigned char *)target;
    const unsigned char *from = (const unsigned char *)source;
    if (size == 8) {
        memcpy(to, from, 8);
    } else if (size >= 16) {
        uint32_t i = 0;
        do {
            memcpy(to + i, from + i, 16);
            i += 16;
        } while (i < size - 16);
        memcpy(to + size - 16, from + size - 16, 16);
    } else if (size > 8) {
        memcpy(to, from, 8);
        memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, from, 4);
        memcpy(to + size - 4, from + size - 4, 4);
    } else {
        for (uint32_t i = 0; i < size; i++) {
            to[i] = from[i];
        }
    }
}

// Returns true if this machine stores the lowest byte of a number first.
static inline bool micai_is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

// Reads a little-endian number of up to 8 bytes, on any machine. The signed variant extends the
// sign from the highest bit.
static inline uint64_t micai_get_little(const unsigned char *bytes, uint32_t size)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < size; i++) {
        number |= (uint64_t)bytes[i] << (8 * i);
    }
    return number;
}

static inline int64_t micai_get_little_signed(const unsigned char *bytes, uint32_t size)
{
    assert(size >= 1 && size <= 8);
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    uint64_t number = (micai_get_little(bytes, size) ^ sign) - sign;
    int64_t result;
    memcpy(&result, &number, sizeof result);
    return result;
}

// Reads exactly 8 bytes. Compilers turn this form into a single load.
static inline uint64_t micai_get_little_8(const unsigned char *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
           (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

static inline void micai_put_little(unsigned char *bytes, uint64_t number, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(number >> (8 * i));
    }
}

#endif
