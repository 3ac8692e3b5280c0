// Segments: which rows of matching tables match, and where they lie. The one part of this room that knows how tables keep
// their rows.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_SEGMENT_H
#define MICAI_QUERY_SEGMENT_H

#include "query/query.h"
#include "world/value.h"

// Can the simple loop iterate the query? Asked once, when it is compiled.
bool micai_segment_is_simple(const micai_query *query);

// The functions for walk->next(): each aims the iterator of an open walk at the next segment, or
// ends it and gives false. For all rows of a simple query; for one of its rows; for anything.
bool micai_segment_next_simple(mica_iter *it);
bool micai_segment_next_one(mica_iter *it);
bool micai_segment_next_general(mica_iter *it);

// Of what matches: how many entities, all of them (the same number), the first of them (none, if there is none), and whether a living
// one is among them. Where whole tables match, the world need not be asked.
uint32_t micai_segment_count(const mica_world *world, const micai_query *query);
uint32_t micai_segment_list(const mica_world *world, const micai_query *query,
                            mica_entity *entities_out);
mica_entity micai_segment_first(const mica_world *world, const micai_query *query);
bool micai_segment_has(const mica_world *world, const micai_query *query, micai_living who);

// What a term finds in a table that matches.
micai_found micai_segment_find(const micai_table *table, const micai_type *type);

// The entities of rows of a table, from one on: up to `end`, as many as lie side by side.
typedef struct micai_ids {
    const mica_entity *entities;
    uint32_t count;
} micai_ids;

micai_ids micai_segment_ids(const micai_table *table, uint32_t row, uint32_t end);

#endif
