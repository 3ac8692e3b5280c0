// Cached segments: addresses of the values of small tables, for the loop of simple queries.
//
// Room:    query. Called by system/, whose step moves to the next segment inline.
#ifndef MICAI_QUERY_CACHED_SEGMENT_H
#define MICAI_QUERY_CACHED_SEGMENT_H

#include "query/query.h"

// The addresses that the simple loop would find in a small table. Only the number of rows is read
// from the table.
typedef struct micai_cached_segment {
    micai_table *table;
    mica_entity *entities;
    uintptr_t max_rows; // a table with more rows is not iterated by its cached segment
    // values of each term; then addresses of the ticks of written columns, up to a NULL
    void *pointers[];
} micai_cached_segment;

static inline micai_cached_segment *micai_cached_segment_of(const micai_query *query,
                                                            uint32_t match)
{
    return (micai_cached_segment *)(void *)((unsigned char *)query->cached +
                                            match * query->cached_stride);
}

// walk->next() for all rows of a simple query.
bool micai_segment_next_cached(mica_iter *it);

// Moves the iterator to the next table with rows, by its cached segment. Returns false if the
// caches are not valid, the table is too large, or there is no such table. The walk is at that
// table then, or at the end.
static inline bool micai_segment_step_cached(mica_iter *it, micai_walk *walk,
                                             const micai_query *query)
{
    uint32_t match = walk->match;
    uint32_t end = query->tables.count;
    if (query->cached_at != it->world->state->store.address_changes) {
        return false;
    }
    const micai_cached_segment *cached = micai_cached_segment_of(query, match);
    uint32_t rows = 0;
    while (match < end && (rows = cached->table->count) == 0) {
        cached = micai_cached_segment_of(query, ++match);
    }
    if (match >= end || rows > cached->max_rows) {
        walk->match = match;
        return false;
    }
    for (void *const *ticks = &cached->pointers[query->term_count]; *ticks; ticks++) {
        *(uint64_t *)*ticks = it->world->view.tick;
    }
    it->pointers = cached->pointers;
    it->readable = query->readable;
    it->writable = query->writable;
    it->entities = cached->entities;
    it->count = rows;
    walk->match = match + 1;
    return true;
}

#endif
