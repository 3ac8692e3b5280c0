// Access to the values of a block (query/filtered_internal.h). Values that lie side by side are
// accessed in place. Others are gathered, and written back when the walk leaves the block.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_GATHER_INTERNAL_H
#define MICAI_QUERY_GATHER_INTERNAL_H

#include "query/filtered_internal.h"

// Returns the values of a term in the current segment. Returns NULL if the component is missing.
// Returns NULL with MICA_ERROR_TERM, reported, if values do not lie side by side and must not be
// gathered. That is so if they have hooks, or are to be written while another iteration reads them.
//
// Values gathered for writing exist in the block only. Until the walk leaves it, neither the
// directory nor a view of the pool finds them. General paths fail (micai_world_guard_access).
void *micai_gather_values(const mica_iter *it, uint32_t term, bool write, const char *call);

// Stamps a row of a term as changed, unless the component is missing.
void micai_gather_touch(const mica_iter *it, uint32_t term, uint32_t row);

// Returns the cell of a row of a term. The table is NULL if the component is missing.
micai_cell micai_gather_cell(const mica_iter *it, uint32_t term, uint32_t row);

// Returns true if the term's values were copied to the block, where they are read and written
// instead.
bool micai_gather_has_copies(const mica_iter *it, uint32_t term);

// Returns the value of one row, in place or, if gathered, in the block.
void *micai_gather_value(const mica_iter *it, uint32_t term, uint32_t row, bool write);

// Finds some bytes of the values of a split term, in place or in gathered values. The data is NULL
// as above. Returns MICA_ERROR_FIELD if the bytes are in several pieces.
mica_result micai_gather_field(const mica_iter *it, uint32_t term, uint32_t offset, uint32_t size,
                               bool write, const char *call, micai_field_span *field_out);

// Writes gathered values back before the walk leaves a block. Is also walk->leave().
void micai_gather_leave(micai_walk *walk);

#endif
