// Bytes.
//
// Room:    base. Called by the stores, where values are copied one at a time.
#ifndef MICAI_BASE_BYTES_H
#define MICAI_BASE_BYTES_H

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

#endif
