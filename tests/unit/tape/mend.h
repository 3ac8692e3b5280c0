// Makes the sums of a tape right, for tests of hostile bytes.
#ifndef TEST_UNIT_TAPE_MEND_H
#define TEST_UNIT_TAPE_MEND_H

#include "base/bytes.h"
#include "tape/tape_internal.h"

// Also the head, which then fits a world. Stops at the first record that is too long.
static inline void mend_tape(unsigned char *bytes, size_t size, uint64_t hash, double time)
{
    if (size < MICAI_TAPE_HEAD_SIZE) {
        return;
    }
    memcpy(bytes, MICAI_TAPE_MAGIC, MICAI_TAPE_MAGIC_SIZE);
    bytes[MICAI_TAPE_MAGIC_SIZE] = MICA_TAPE_VERSION;
    micai_put_little(bytes + 4, hash, 8);
    micai_put_little(bytes + 12, micai_tape_bits(time), 8);
    uint64_t sum = micai_hash_bytes(bytes, MICAI_TAPE_HEAD_SIZE);
    size_t at = MICAI_TAPE_HEAD_SIZE;
    while (at < size) {
        uint64_t length = 0;
        uint32_t shift = 0;
        bool more = true;
        for (; more && at < size && shift <= 28; shift += 7) {
            length |= (uint64_t)(bytes[at] & 0x7f) << shift;
            more = (bytes[at++] & 0x80) != 0;
        }
        if (more || length + 1 + MICAI_TAPE_SUM_SIZE > size - at) {
            return;
        }
        bytes[at] %= MICAI_TAPE_KINDS;
        sum = micai_tape_sum(sum, (micai_tape_kind)bytes[at], bytes + at + 1, (size_t)length);
        at += 1 + (size_t)length;
        micai_put_little(bytes + at, sum & 0xffff, MICAI_TAPE_SUM_SIZE);
        at += MICAI_TAPE_SUM_SIZE;
    }
}

#endif
