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

// What a term finds in a table that matches.
micai_found micai_segment_find(const micai_table *table, const micai_type *type);

#endif
