// Reaching the values of a block (query/filtered_internal.h): where they lie, if they do so side by side, or
// brought together and written back when the block is left.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_GATHER_H
#define MICAI_QUERY_GATHER_H

#include "query/filtered_internal.h"

// The values of a term in the present segment. NULL: it is not there; or, reported, MICA_ERROR_TERM
// for values that can only be reached one by one: they have hooks, or are to be written while another
// iteration reaches them.
//
// What is brought together to be written is in the block alone: until that is left, nobody finds it by the
// directory or in a view of the pool, and the long ways refuse (micai_world_guard_access).
void *micai_gather_reach(const mica_iter *it, uint32_t term, bool write, const char *call);

// Says that a row of a term, which may be missing, has changed.
void micai_gather_touch(const mica_iter *it, uint32_t term, uint32_t row);

// Where a row of a term is stored; no table: the component is missing. And whether its values were
// copied to the block, where they are read and written instead.
micai_cell micai_gather_cell(const mica_iter *it, uint32_t term, uint32_t row);
bool micai_gather_has_copies(const mica_iter *it, uint32_t term);

// The value of one row, where it lies; or where it was brought to.
void *micai_gather_reach_row(const mica_iter *it, uint32_t term, uint32_t row, bool write);

// Some bytes of the values of a term that are in pieces: where they lie, or where they were brought to, whole.
// NULL data as above. MICA_ERROR_FIELD: they are in several pieces.
mica_result micai_gather_find_part(const mica_iter *it, uint32_t term, uint32_t offset,
                                   uint32_t size, bool write, const char *call,
                                   micai_field_span *part_out);

// Leaving a block: what was brought together to be written goes back to where it came from. For
// walk->leave(), too.
void micai_gather_leave(micai_walk *walk);

#endif
