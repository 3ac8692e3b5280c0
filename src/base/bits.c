// Bitsets: counting, iterating, comparing.
//
// Room:    base. Called by core/, store/, query/ and event/.
#include "base/bits.h"

#include "base/hash.h"
#include "base/number.h"

uint32_t micai_bits_count(const uint64_t *words, uint32_t count)
{
    uint32_t ones = 0;
    for (uint32_t i = 0; i < count; i++) {
        ones += micai_bits_ones(words[i]);
    }
    return ones;
}

uint32_t micai_bits_next(const uint64_t *words, uint32_t count, uint32_t from)
{
    uint32_t word = from / 64;
    if (word >= count) {
        return MICAI_BITS_END;
    }
    uint64_t rest = words[word] & (UINT64_MAX << (from % 64));
    while (rest == 0) {
        word++;
        if (word == count) {
            return MICAI_BITS_END;
        }
        rest = words[word];
    }
    return word * 64 + micai_bits_lowest(rest);
}

// Returns true if all words from `from` on are zero.
static bool is_zero_from(const uint64_t *words, uint32_t count, uint32_t from)
{
    for (uint32_t i = from; i < count; i++) {
        if (words[i] != 0) {
            return false;
        }
    }
    return true;
}

bool micai_bits_equal(const uint64_t *a, uint32_t a_count, const uint64_t *b, uint32_t b_count)
{
    uint32_t shared = micai_smaller(a_count, b_count);
    for (uint32_t i = 0; i < shared; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return is_zero_from(a, a_count, shared) && is_zero_from(b, b_count, shared);
}

bool micai_bits_contain(const uint64_t *whole, uint32_t whole_count, const uint64_t *part,
                        uint32_t part_count)
{
    uint32_t shared = micai_smaller(whole_count, part_count);
    for (uint32_t i = 0; i < shared; i++) {
        if ((part[i] & ~whole[i]) != 0) {
            return false;
        }
    }
    return is_zero_from(part, part_count, shared);
}

bool micai_bits_overlap(const uint64_t *a, uint32_t a_count, const uint64_t *b, uint32_t b_count)
{
    uint32_t shared = micai_smaller(a_count, b_count);
    for (uint32_t i = 0; i < shared; i++) {
        if ((a[i] & b[i]) != 0) {
            return true;
        }
    }
    return false;
}

uint64_t micai_bits_hash(const uint64_t *words, uint32_t count)
{
    uint32_t used = 0; // words up to the last one that is not 0
    for (uint32_t i = 0; i < count; i++) {
        used = words[i] != 0 ? i + 1 : used;
    }
    uint64_t hash = micai_hash_mix(used);
    for (uint32_t i = 0; i < used; i++) {
        hash = micai_hash_add(hash, words[i]);
    }
    return hash;
}
