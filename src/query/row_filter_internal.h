// Which candidates pass a query. Candidates are rows of one table: of an archetype that matches, of a pool, or of the
// list of a group.
//
// A term of a type with a toggle is *conditional*, unless it is MICA_INCLUDE_DISABLED: where the component is disabled, it
// is as if it was not there. So is a term that asks for changes: where nothing happened since a tick, the component counts
// as little. Where a term does not count, it is *off*.
//
// - Terms that are columns of the candidates make masks: flags and ticks are looked at 64 rows at a time, and not at
//   all where nothing is disabled (store/table/toggle.h). Runs of rows to which nothing happened are passed over as
//   a whole.
// - Other sparse terms, if all of them are needed and none asks for changes, are looked up (lookup_internal.h).
// - What else there is, is asked of each entity, by words of presence and by its record.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_ROW_FILTER_INTERNAL_H
#define MICAI_QUERY_ROW_FILTER_INTERNAL_H

#include "query/candidates_internal.h"
#include "query/lookup_internal.h"

// Candidates that are looked at together, whose flags lie side by side. Runs at least as long as MICAI_LONG_RUN
// are segments: docs/decisions/toggles.md has the figures.
#define MICAI_CHUNK (MICAI_ROWS < 64 ? MICAI_ROWS : UINT32_C(64))
#define MICAI_LONG_RUN (MICAI_CHUNK < 64 ? 2u : 32u) // tests have few rows

// What is asked of presence: a word of it.
typedef struct micai_presence_filter {
    uint32_t word;
    uint64_t needed;
    uint64_t forbidden;
    uint64_t any;
    uint64_t optional; // whose values can be read, and may be missing
    uint64_t seen;     // those of the entity that was asked last
} micai_presence_filter;

// What an archetype says of the terms in its columns.
typedef struct micai_archetype_filter {
    const micai_table *table;
    uint64_t conditional; // terms that may be off somewhere
    uint64_t present;     // that can be read, and are there
    bool granted;         // of several terms of which any will do, one is there in all rows
    bool barred;          // no row passes
} micai_archetype_filter;

typedef struct micai_row_filter {
    const micai_state *state;
    const micai_query *query;
    const micai_pool *pool; // whose rows the candidates are; NULL: an archetype's
    micai_table *table;
    uint32_t end; // of the candidates
    uint64_t since;
    micai_archetype_filter archetype; // of the candidates, or of the entity that was asked last
    // Masks, of terms that are columns of the candidates.
    bool masked;       // some candidates may not pass
    bool holes;        // some are none
    bool single;       // one term matters, which is needed, and nothing else
    uint64_t watched;  // those that may be off somewhere
    uint64_t toggled;  // because they may be disabled
    uint64_t optional; // those that can be read and may be missing
    uint32_t base;     // the first row of the present chunk
    uint64_t pass;     // rows of it, as bits
    uint64_t any;      // where a term is on of which any will do
    uint64_t off[MICA_TERMS_MAX];
    micai_cell cells[MICA_TERMS_MAX]; // of row 0
    // Sparse terms that are none.
    bool asks;      // each entity, one by one
    bool by_record; // its archetype, too
    uint64_t asked; // terms that may be off somewhere
    uint64_t
        present; // terms that the entity that was asked last has; and by words, what has been seen
    uint32_t word_count;
    micai_presence_filter words[MICA_TERMS_MAX];
    micai_lookups lookups; // if no entity is asked
} micai_row_filter;

// Of the candidates that a walk is at. `block`: where rows that are looked up are noted; NULL: nowhere. False: none of
// them passes.
bool micai_row_filter_open(micai_row_filter *f, const micai_state *state, const micai_walk *walk,
                           micai_block *block);

// The first candidate from one on, below `end`, that the masks let pass; `end` if there is none.
uint32_t micai_row_filter_find(micai_row_filter *f, uint32_t row, uint32_t end);

// Of the chunk of a row, the rows from that one on, below `end`, that the masks let pass.
uint64_t micai_row_filter_look(micai_row_filter *f, uint32_t row, uint32_t end);

// Which optional columns are off in a row of the present chunk; and rows of it in which these are.
static inline uint64_t micai_row_filter_off(const micai_row_filter *f, uint32_t row)
{
    uint64_t off = 0;
    for (uint64_t rest = f->optional; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        off |= (f->off[t] >> (row - f->base) & 1) << t;
    }
    return off;
}

static inline uint64_t micai_row_filter_alike(const micai_row_filter *f, uint64_t off)
{
    uint64_t alike = UINT64_MAX;
    for (uint64_t rest = f->optional; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        alike &= off >> t & 1 ? f->off[t] : ~f->off[t];
    }
    return alike;
}

// Where in the chunk long runs begin, as far as can be seen there.
static inline uint64_t micai_row_filter_long(uint64_t pass)
{
    for (uint32_t shift = 1; shift < MICAI_LONG_RUN; shift *= 2) {
        pass &= pass >> shift;
    }
    return pass;
}

// How far the run goes that begins with a row which passes, of rows with the same optional columns.
uint32_t micai_row_filter_end(micai_row_filter *f, uint32_t row, uint32_t end, uint64_t off);

// Behind a chunk: the first row that is not passed over as a whole.
uint32_t micai_row_filter_skip(const micai_row_filter *f, uint32_t row, uint32_t end);

// Does an entity pass whose row the masks let pass? If so, `present` has the columns, and words what was seen.
bool micai_row_filter_ask(micai_row_filter *f, uint32_t row, mica_entity entity);

// The same with the sparse terms that were seen.
uint64_t micai_row_filter_present(const micai_row_filter *f);

// How many candidates pass, where masks are all there is.
uint32_t micai_row_filter_count(micai_row_filter *f);

// Of the rows of the present segment from one on, up to 64: which have the component of a term enabled,
// of any query?
uint64_t micai_row_filter_enabled(const mica_iter *it, uint32_t term, uint32_t row);

#endif
