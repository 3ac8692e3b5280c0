// Component sets: the implementation of mica_type_set, by type number. mica/type_set.h has the
// contract.
//
// Room:    core. Called by store/, entity/, query/ (terms) and world/ (the public functions).
//
// Invariants:
//   C1  Words beyond those at `more` read as zero.
//   C2  `more` is NULL exactly if more_count is 0. Otherwise it points to that many words.
#ifndef MICAI_CORE_TYPES_H
#define MICAI_CORE_TYPES_H

#include <mica/type_set.h>

#include <assert.h>

#include "base/bits.h"
#include "base/host.h"

static inline uint32_t micai_types_word_count(const mica_type_set *set)
{
    return MICA_TYPE_SET_INLINE_WORDS + set->more_count;
}

static inline uint64_t micai_types_word(const mica_type_set *set, uint32_t word)
{
    if (word < MICA_TYPE_SET_INLINE_WORDS) {
        return set->words[word];
    }
    word -= MICA_TYPE_SET_INLINE_WORDS;
    return word < set->more_count ? set->more[word] : 0;
}

// Reserves words 0 to word_count-1. On MICA_ERROR_MEMORY, the set is unchanged.
mica_result micai_types_reserve(micai_host *host, mica_type_set *set, uint32_t word_count);
void micai_types_free(micai_host *host, mica_type_set *set);

mica_result micai_types_add(micai_host *host, mica_type_set *set, uint32_t number);
void micai_types_remove(mica_type_set *set, uint32_t number);

static inline bool micai_types_has(const mica_type_set *set, uint32_t number)
{
    return (micai_types_word(set, number / 64) >> (number % 64) & 1) != 0;
}

// Adds a type. The set must have capacity for it. Returns true if the type was not in the set.
static inline bool micai_types_put(mica_type_set *set, uint32_t number)
{
    uint32_t word = number / 64;
    uint64_t bit = UINT64_C(1) << (number % 64);
    assert(word < MICA_TYPE_SET_INLINE_WORDS || set->more);
    uint64_t *at = word < MICA_TYPE_SET_INLINE_WORDS
                       ? &set->words[word]
                       : &set->more[word - MICA_TYPE_SET_INLINE_WORDS];
    bool is_new = (*at & bit) == 0;
    *at |= bit;
    return is_new;
}

// Returns the first type at or after `number`, or MICAI_BITS_END.
uint32_t micai_types_next(const mica_type_set *set, uint32_t number);

// target = the union of the selected parts: in both, only in a, only in b. This covers union,
// intersection, difference and copy. The target may be one of the sources.
typedef enum micai_types_parts {
    MICAI_TYPES_BOTH = 1,
    MICAI_TYPES_ONLY_A = 2,
    MICAI_TYPES_ONLY_B = 4
} micai_types_parts;
mica_result micai_types_combine(micai_host *host, mica_type_set *target, const mica_type_set *a,
                                const mica_type_set *b, unsigned parts);

// Counts the types of the set that are in `mask` and below `number` (MICAI_BITS_END: all).
uint32_t micai_types_rank(const mica_type_set *set, const uint64_t *mask, uint32_t mask_words,
                          uint32_t number);

#endif
