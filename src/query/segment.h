// Segments: where rows of matching tables lie. The one part of this room that knows how tables keep
// their rows.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_SEGMENT_H
#define MICAI_QUERY_SEGMENT_H

#include "query/query.h"

// Can the simple loop iterate the query? Asked once, when it is compiled.
bool micai_segment_is_simple(const micai_query *query);

// The functions for walk->next(): each aims the iterator of an open walk at the next segment, or
// ends it and gives false. For all rows of a simple query; for one of its rows; for anything.
bool micai_segment_next_simple(mica_iter *it);
bool micai_segment_next_one(mica_iter *it);
bool micai_segment_next_general(mica_iter *it);

// Whose the first row of a table is; it must have one.
mica_entity micai_segment_first(const micai_table *table);

// Where an entity is.
typedef struct micai_row {
    micai_table *table;
    uint32_t row;
} micai_row;

micai_row micai_segment_place(mica_world *world, const micai_record *record);

#endif
