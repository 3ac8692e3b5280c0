// Sides: the rows that may differ between two states of the mirror, with their bytes in one of them.
//
// Room:    time. Called by compare.c and the calls that compare.
//
//     ranges    rows of entries that some log has touched
//     side      a piece per row of a range that has an entity, in the order of entities
//     piece     a row of a table, or of the pool of one type, with a copy of its bytes
#ifndef MICAI_TIME_COMPARE_INTERNAL_H
#define MICAI_TIME_COMPARE_INTERNAL_H

#include "time/history_internal.h"

typedef struct micai_rows {
    const micai_entry *entry;
    uint32_t row;
    uint32_t end;
} micai_rows;

typedef struct micai_ranges {
    micai_host *host;
    MICAI_ARRAY(micai_rows) list; // by entry and row; they do not overlap
    bool parts[MICAI_PART_COUNT]; // that some log has touched
} micai_ranges;

typedef struct micai_piece {
    mica_entity entity;
    const micai_entry *entry;
    size_t place; // of its bytes: those of its strips, one after the other
} micai_piece;

typedef struct micai_side {
    micai_host *host;
    MICAI_ARRAY(micai_piece) pieces;
    micai_blob bytes;
    size_t names; // places of the parts in the bytes
    size_t resources;
} micai_side;

// Lists the rows that logs have touched, from one place on. False: MICA_ERROR_MEMORY.
bool micai_ranges_collect(micai_ranges *ranges, const micai_history *history, uint32_t first_log,
                          uint32_t end_log);
void micai_ranges_free(micai_ranges *ranges);

// Copies the rows as the mirror has them now. False: MICA_ERROR_MEMORY.
bool micai_side_copy(micai_side *side, const micai_history *history, const micai_ranges *ranges);
void micai_side_free(micai_side *side);

// Calls the function for each difference, until it returns false. Fails with MICA_ERROR_MEMORY.
mica_result micai_sides_compare(mica_world *world, const char *call, const micai_side *before,
                                const micai_side *after, mica_state_difference_fn *function,
                                void *user);

#endif
