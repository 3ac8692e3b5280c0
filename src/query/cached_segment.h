// Cached segments: where the values of small tables are, for the loop of simple queries.
//
// Room:    query. Called by system/, which takes the step to the next one inline.
#ifndef MICAI_QUERY_CACHED_SEGMENT_H
#define MICAI_QUERY_CACHED_SEGMENT_H

#include "query/query.h"

// What the simple loop finds in a small table, beside what it finds in the others: none but its count is
// asked of the table then.
typedef struct micai_cached_segment {
    micai_table *table;
    mica_entity *entities;
    uintptr_t rows;   // up to so many lie side by side; more are to be looked for in the table
    void *pointers[]; // to the values of each term; then to ticks of what is written, up to a NULL
} micai_cached_segment;

static inline micai_cached_segment *micai_cached_segment_of(const micai_query *query,
                                                            uint32_t match)
{
    return (micai_cached_segment *)(void *)((unsigned char *)query->cached +
                                            match * query->cached_stride);
}

// For walk->next(), of all rows of a simple query.
bool micai_segment_next_cached(mica_iter *it);

// Aims the iterator at the next table by its cached segment, if that can be done: there is one with rows, and not with
// too many; and nothing has moved since the iteration began. Otherwise the walk is at the table that is to be
// asked, or at the end.
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
    if (match >= end || rows > cached->rows) {
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
