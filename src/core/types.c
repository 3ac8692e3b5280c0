// Component sets by type number. The set itself holds 256 types, the rest is in a separate block of
// words. Every operation loops over words with micai_types_word(), which returns zero beyond the
// end. So sets of different lengths need no special cases.
#include "core/types.h"

#include <string.h>

#include "base/memory.h"

mica_result micai_types_reserve(micai_host *host, mica_type_set *set, uint32_t word_count)
{
    if (word_count <= micai_types_word_count(set)) {
        return MICA_OK;
    }
    uint32_t more_count = word_count - MICA_TYPE_SET_INLINE_WORDS;
    uint64_t *more = micai_resize(host, set->more, set->more_count * sizeof *more,
                                  more_count * sizeof *more, _Alignof(uint64_t));
    if (!more) {
        return MICA_ERROR_MEMORY;
    }
    memset(more + set->more_count, 0, (more_count - set->more_count) * sizeof *more);
    set->more = more;
    set->more_count = more_count;
    return MICA_OK;
}

void micai_types_free(micai_host *host, mica_type_set *set)
{
    micai_release(host, set->more, set->more_count * sizeof *set->more, _Alignof(uint64_t));
    *set = (mica_type_set){0};
}

static uint64_t *word_at(mica_type_set *set, uint32_t word)
{
    return word < MICA_TYPE_SET_INLINE_WORDS ? &set->words[word]
                                             : &set->more[word - MICA_TYPE_SET_INLINE_WORDS];
}

mica_result micai_types_add(micai_host *host, mica_type_set *set, uint32_t number)
{
    mica_result result = micai_types_reserve(host, set, number / 64 + 1);
    if (!result) {
        *word_at(set, number / 64) |= UINT64_C(1) << (number % 64);
    }
    return result;
}

void micai_types_remove(mica_type_set *set, uint32_t number)
{
    if (number / 64 < micai_types_word_count(set)) {
        *word_at(set, number / 64) &= ~(UINT64_C(1) << (number % 64));
    }
}

uint32_t micai_types_next(const mica_type_set *set, uint32_t number)
{
    uint64_t from = ~UINT64_C(0) << (number % 64);
    for (uint32_t word = number / 64; word < micai_types_word_count(set); word++) {
        uint64_t bits = micai_types_word(set, word) & from;
        if (bits) {
            return word * 64 + micai_bits_lowest(bits);
        }
        from = ~UINT64_C(0);
    }
    return MICAI_BITS_END;
}

static uint32_t larger_word_count(const mica_type_set *a, const mica_type_set *b)
{
    uint32_t a_count = micai_types_word_count(a);
    uint32_t b_count = micai_types_word_count(b);
    return a_count > b_count ? a_count : b_count;
}

static uint64_t combine_word(const mica_type_set *a, const mica_type_set *b, unsigned parts,
                             uint32_t word)
{
    uint64_t in_a = micai_types_word(a, word);
    uint64_t in_b = micai_types_word(b, word);
    return (parts & MICAI_TYPES_BOTH ? in_a & in_b : 0) |
           (parts & MICAI_TYPES_ONLY_A ? in_a & ~in_b : 0) |
           (parts & MICAI_TYPES_ONLY_B ? in_b & ~in_a : 0);
}

// Reserves only the words of the result, which may be fewer than those of the sources.
mica_result micai_types_combine(micai_host *host, mica_type_set *target, const mica_type_set *a,
                                const mica_type_set *b, unsigned parts)
{
    uint32_t needed = larger_word_count(a, b);
    while (needed > MICA_TYPE_SET_INLINE_WORDS && combine_word(a, b, parts, needed - 1) == 0) {
        needed--;
    }
    if (micai_types_reserve(host, target, needed)) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t word = 0; word < micai_types_word_count(target); word++) {
        *word_at(target, word) = combine_word(a, b, parts, word);
    }
    return MICA_OK;
}

uint32_t micai_types_rank(const mica_type_set *set, const uint64_t *mask, uint32_t mask_words,
                          uint32_t number)
{
    uint32_t rank = 0;
    for (uint32_t word = 0; word < mask_words && word * 64 < number; word++) {
        uint64_t bits = micai_types_word(set, word) & mask[word];
        if (number - word * 64 < 64) {
            bits &= (UINT64_C(1) << (number % 64)) - 1;
        }
        rank += micai_bits_ones(bits);
    }
    return rank;
}

// Public functions that need no world

static const mica_type_set empty = {0};

bool mica_type_set_contains(const mica_type_set *whole, const mica_type_set *part)
{
    whole = whole ? whole : &empty;
    part = part ? part : &empty;
    for (uint32_t word = 0; word < micai_types_word_count(part); word++) {
        if (micai_types_word(part, word) & ~micai_types_word(whole, word)) {
            return false;
        }
    }
    return true;
}

bool mica_type_set_overlaps(const mica_type_set *a, const mica_type_set *b)
{
    a = a ? a : &empty;
    b = b ? b : &empty;
    for (uint32_t word = 0; word < micai_types_word_count(a); word++) {
        if (micai_types_word(a, word) & micai_types_word(b, word)) {
            return true;
        }
    }
    return false;
}

bool mica_type_set_equal(const mica_type_set *a, const mica_type_set *b)
{
    return mica_type_set_contains(a, b) && mica_type_set_contains(b, a);
}

uint32_t mica_type_set_count(const mica_type_set *set)
{
    set = set ? set : &empty;
    uint32_t count = 0;
    for (uint32_t word = 0; word < micai_types_word_count(set); word++) {
        count += micai_bits_ones(micai_types_word(set, word));
    }
    return count;
}
