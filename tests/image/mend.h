// Makes the checksums of a binary image right, whatever it says: so that tests and fuzzers get past
// them. The format is explained in src/image/binary.c.
#ifndef TEST_IMAGE_MEND_H
#define TEST_IMAGE_MEND_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t mend_get(const unsigned char *bytes, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        number |= (uint64_t)bytes[i] << (8 * i);
    }
    return number;
}

static inline void mend_put(unsigned char *bytes, uint64_t number)
{
    for (size_t i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(number >> (8 * i));
    }
}

static inline uint64_t mend_mix(uint64_t x)
{
    for (int i = 0; i < 2; i++) {
        x ^= x >> 32;
        x *= UINT64_C(0xd6e8feb86659fd93);
    }
    return x ^ x >> 32;
}

static inline uint64_t mend_sum(uint64_t before, const unsigned char *bytes, size_t size)
{
    uint64_t sums[4] = {before, before + 1, before + 2, before + 3};
    for (size_t at = 0, lane = 0; at < size; lane = (lane + 1) % 4) {
        size_t some = size - at < 8 ? size - at : 8;
        uint64_t *sum = &sums[at / 32 < size / 32 ? lane : 0];
        *sum = (*sum ^ mend_get(bytes + at, some)) * UINT64_C(0x9e3779b97f4a7c15);
        *sum ^= *sum >> 29;
        at += some;
    }
    uint64_t sum = mend_mix(size);
    for (int i = 0; i < 4; i++) {
        sum = mend_mix(sum ^ mend_mix(sums[i] + UINT64_C(0x9e3779b97f4a7c15)));
    }
    return sum;
}

static inline void mend(unsigned char *data, size_t size)
{
    if (size >= 24) {
        mend_put(data + 16, mend_sum(0, data, 16));
    }
    for (size_t at = 24; size >= 8 && at <= size - 8;) {
        uint64_t sum = mend_sum(0, data + at, 8);
        at += 8;
        for (size_t payload = 1; payload > 0 && at <= size - 8;) {
            payload = (size_t)mend_get(data + at, 4);
            if (payload > size - at - 4 || size - at - 4 - payload < 8) {
                return;
            }
            sum = mend_sum(sum, data + at + 4, payload);
            mend_put(data + at + 4 + payload, sum);
            at += 4 + payload + 8;
        }
    }
}

#endif
