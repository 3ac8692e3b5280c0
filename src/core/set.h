// Component sets as values: the inside of mica_type_set, by type number. mica/set.h has the
// contract.
//
// Room:    core. Called by world/ (the public functions), query/ (what a query needs).
//
// Invariants:
//   C1  words beyond those at `more` are zero, wherever they are read.
//   C2  `more` is NULL exactly if more_count is 0.
#ifndef MICAI_CORE_SET_H
#define MICAI_CORE_SET_H

#include <mica/set.h>

#include "base/bits.h"
#include "base/host.h"

static inline uint32_t micai_set_word_count(const mica_type_set *set)
{
    return MICA_SET_INLINE_WORDS + set->more_count;
}

static inline uint64_t micai_set_word(const mica_type_set *set, uint32_t word)
{
    if (word < MICA_SET_INLINE_WORDS) {
        return set->words[word];
    }
    word -= MICA_SET_INLINE_WORDS;
    return word < set->more_count ? set->more[word] : 0;
}

// Makes room for words 0 to count-1. MICA_ERROR_MEMORY leaves the set as it was.
mica_result micai_set_reserve(micai_host *host, mica_type_set *set, uint32_t word_count);
void micai_set_free(micai_host *host, mica_type_set *set);

mica_result micai_set_add(micai_host *host, mica_type_set *set, uint32_t number);
void micai_set_remove(mica_type_set *set, uint32_t number);
bool micai_set_has(const mica_type_set *set, uint32_t number);

// The first type at or after `number`; MICAI_BITS_END if there is none.
uint32_t micai_set_next(const mica_type_set *set, uint32_t number);

// target = both | a only | b only, each part as asked for: how union, intersection, difference and
// copy are all the same. The target may be one of the sources.
typedef enum micai_set_parts {
    MICAI_SET_BOTH = 1,
    MICAI_SET_ONLY_A = 2,
    MICAI_SET_ONLY_B = 4
} micai_set_parts;
mica_result micai_set_combine(micai_host *host, mica_type_set *target, const mica_type_set *a,
                              const mica_type_set *b, unsigned parts);

// How many types of the set are in `mask` and below `number` (MICAI_BITS_END: all).
uint32_t micai_set_rank(const mica_type_set *set, const uint64_t *mask, uint32_t mask_words,
                        uint32_t number);

#endif
