// Selects the candidates that pass a query. Candidates are rows of one table: of a matching
// archetype, of a pool, or of the list of a group.
//
// A term is *off* in a row where it counts as absent although the row has the component. There are
// two reasons: the component is disabled and the term is not MICA_INCLUDE_DISABLED, or the term's
// change filter fails. A term that can be off is *conditional*.
//
// - Terms in columns of the candidates are tested by masks of 64 rows, computed from flags and
//   ticks. Nothing is read where nothing is disabled (store/table/toggle.h). Runs of unchanged rows
//   are skipped as a whole.
// - Other sparse terms are looked up (lookup_internal.h) if all are required and none filters
//   changes.
// - Otherwise each entity is checked, by words of presence and by its record.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_ROW_FILTER_INTERNAL_H
#define MICAI_QUERY_ROW_FILTER_INTERNAL_H

#include "query/candidates_internal.h"
#include "query/lookup_internal.h"

// A chunk is a group of candidates that are tested together and whose flags lie side by side. Runs
// of at least MICAI_LONG_RUN are segments: docs/decisions/toggles.md has the measurements.
#define MICAI_CHUNK (MICAI_ROWS < 64 ? MICAI_ROWS : UINT32_C(64))
#define MICAI_LONG_RUN (MICAI_CHUNK < 64 ? 2u : 32u) // tests have few rows

// The conditions on one word of presence.
typedef struct micai_presence_filter {
    uint32_t word;
    uint64_t required;
    uint64_t excluded;
    uint64_t any;
    uint64_t optional; // can be read and may be missing
    uint64_t found;    // of these, those of the entity that was checked last
} micai_presence_filter;

// The state of terms in the columns of an archetype.
typedef struct micai_archetype_filter {
    const micai_table *table;
    uint64_t conditional; // terms that may be off in some rows
    uint64_t present;     // readable terms that it has
    bool any_satisfied;   // all rows have one of the MICA_ANY terms
    bool rejected;        // no row passes
} micai_archetype_filter;

typedef struct micai_row_filter {
    const micai_state *state;
    const micai_query *query;
    const micai_pool *pool; // candidates are its rows; NULL: they are rows of an archetype
    micai_table *table;
    uint32_t end; // number of candidates
    uint64_t since;
    micai_archetype_filter archetype; // of the candidates, or of the entity that was checked last
    // Masks of terms that are columns of the candidates. Each mask has a bit per row of a chunk.
    bool masked;             // some candidates may not pass the masks
    bool has_holes;          // some candidates are holes of the pool
    bool single_term;        // only one term has a mask, it is required, and there are no holes
    uint64_t mask_terms;     // terms with a mask, because they may be off in some rows
    uint64_t toggle_terms;   // of these, terms that may be disabled
    uint64_t optional_terms; // of these, terms that can be read and may be missing
    uint32_t base;           // first row of the current chunk
    uint64_t pass;           // rows that pass
    uint64_t any_rows;       // rows in which a MICA_ANY term is on
    uint64_t off[MICA_TERMS_MAX];
    micai_cell cells[MICA_TERMS_MAX]; // of row 0
    // Other sparse terms.
    bool per_entity;             // each entity is checked
    bool checks_archetype;       // and so is its archetype
    uint64_t conditional_sparse; // terms that may be off for some entities
    // readable terms of the entity that was checked last, without sparse optional ones
    uint64_t present;
    uint32_t word_count;
    micai_presence_filter words[MICA_TERMS_MAX];
    micai_lookups lookups; // used unless `per_entity`
} micai_row_filter;

// Opens a filter for the candidates that a walk is at. Returns false if none passes. `block`
// receives pool rows that are looked up; NULL: they are not needed.
bool micai_row_filter_open(micai_row_filter *f, const micai_state *state, const micai_walk *walk,
                           micai_block *block);

// Returns the first candidate at or after `row`, below `end`, that passes the masks. Returns `end`
// if there is none.
uint32_t micai_row_filter_find(micai_row_filter *f, uint32_t row, uint32_t end);

// Makes the chunk of a row the current one. Returns its rows, from `row` to `end`, that pass the
// masks.
uint64_t micai_row_filter_mask(micai_row_filter *f, uint32_t row, uint32_t end);

// Returns the optional columns that are off in a row of the current chunk.
static inline uint64_t micai_row_filter_optional_off(const micai_row_filter *f, uint32_t row)
{
    uint64_t off = 0;
    for (uint64_t rest = f->optional_terms; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        off |= (f->off[t] >> (row - f->base) & 1) << t;
    }
    return off;
}

// Returns the rows of the current chunk in which exactly these optional columns are off.
static inline uint64_t micai_row_filter_same_optional(const micai_row_filter *f, uint64_t off)
{
    uint64_t same = UINT64_MAX;
    for (uint64_t rest = f->optional_terms; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        same &= off >> t & 1 ? f->off[t] : ~f->off[t];
    }
    return same;
}

// Returns the rows of a chunk at which long runs of passing rows begin and stay in the chunk.
static inline uint64_t micai_row_filter_long_runs(uint64_t pass)
{
    for (uint32_t shift = 1; shift < MICAI_LONG_RUN; shift *= 2) {
        pass &= pass >> shift;
    }
    return pass;
}

// Returns the end of the run of passing rows that begins at `row` and has the same optional columns
// off.
uint32_t micai_row_filter_run_end(micai_row_filter *f, uint32_t row, uint32_t end, uint64_t off);

// Returns the first row, from the start of a chunk on, that cannot be skipped together with others.
uint32_t micai_row_filter_skip(const micai_row_filter *f, uint32_t row, uint32_t end);

// Returns true if an entity passes whose row passes the masks. Sets `present`, and `found` of each
// word.
bool micai_row_filter_check_entity(micai_row_filter *f, uint32_t row, mica_entity entity);

// Returns `present` with the sparse optional terms of the entity that was checked last.
uint64_t micai_row_filter_present(const micai_row_filter *f);

// Returns the number of candidates that pass, if no entity has to be checked or looked up.
uint32_t micai_row_filter_count(micai_row_filter *f);

// Returns which of up to 64 rows of the current segment, from `row` on, have the component of a
// term enabled. Works for all queries.
uint64_t micai_row_filter_enabled(const mica_iter *it, uint32_t term, uint32_t row);

#endif
