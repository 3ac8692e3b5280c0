// Bytes.
//
// Room:    base. Called by the stores, where values are copied one at a time, and by
// hash.c and image/, where bytes are numbers.
#ifndef MICAI_BASE_BYTES_H
#define MICAI_BASE_BYTES_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Copies one value. A call of memcpy with a size unknown to the compiler costs more than the copy,
// and makes the loop around it save its registers; a switch over sizes was tried, and its jump is
// often mispredicted. So there are moves of 4, 8 and 16 bytes, of which the last two overlap where
// the size is not a power of two.
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

// Is the first byte of a number its lowest, on this machine?
static inline bool micai_is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

// A number of up to 8 bytes, the lowest first, whatever the machine. In the second its highest bit is its sign.
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

// The same for exactly 8 bytes, written so that compilers see a single load.
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
