// Bitsets of any width, over plain 64-bit words that the caller owns. Sets of different lengths
// compare as if the shorter one were padded with zeroes.
//
// Room:    base. Called by core/ (component sets), store/ (archetypes), query/ and event/ (matching).
#ifndef MICAI_BASE_BITS_H
#define MICAI_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define MICAI_BITS_END UINT32_MAX

static inline uint32_t micai_bits_words(uint32_t bit_count)
{
    return bit_count / 64 + (bit_count % 64 != 0);
}

// Counts the bits that are 1. Uses the machine instruction if the compiler targets it. Otherwise it
// adds in parallel, which beats the library call that gcc would emit.
static inline uint32_t micai_bits_ones(uint64_t word)
{
#if defined(__GNUC__) && defined(__POPCNT__)
    return (uint32_t)__builtin_popcountll(word);
#else
    word -= (word >> 1) & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + ((word >> 2) & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)((word * UINT64_C(0x0101010101010101)) >> 56);
#endif
}

// Returns the index of the lowest 1. The word must not be 0.
static inline uint32_t micai_bits_lowest(uint64_t word)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(word);
#else
    return micai_bits_ones((word & (0 - word)) - 1);
#endif
}

// Returns the index of the highest 1. The word must not be 0.
static inline uint32_t micai_bits_highest(uint64_t word)
{
#if defined(__GNUC__)
    return 63 - (uint32_t)__builtin_clzll(word);
#else
    for (uint32_t shift = 1; shift < 64; shift *= 2) {
        word |= word >> shift;
    }
    return micai_bits_ones(word) - 1;
#endif
}

// Returns false for bits beyond the end.
static inline bool micai_bits_has(const uint64_t *words, uint32_t count, uint32_t bit)
{
    return bit / 64 < count && (words[bit / 64] >> (bit % 64) & 1) != 0;
}

static inline void micai_bits_set(uint64_t *words, uint32_t bit)
{
    words[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static inline void micai_bits_clear(uint64_t *words, uint32_t bit)
{
    words[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

// Counts the bits that are set.
uint32_t micai_bits_count(const uint64_t *words, uint32_t count);

// Returns the first set bit at or after `from`, or MICAI_BITS_END.
uint32_t micai_bits_next(const uint64_t *words, uint32_t count, uint32_t from);

bool micai_bits_equal(const uint64_t *a, uint32_t a_count, const uint64_t *b, uint32_t b_count);
bool micai_bits_contain(const uint64_t *whole, uint32_t whole_count, const uint64_t *part,
                        uint32_t part_count);
bool micai_bits_overlap(const uint64_t *a, uint32_t a_count, const uint64_t *b, uint32_t b_count);

// Equal sets have equal hashes, also if their lengths differ: trailing zero words are ignored.
uint64_t micai_bits_hash(const uint64_t *words, uint32_t count);

#endif
