// Which candidates a filtered query has: rows of tables that match, of the pool of a sparse component that all have,
// or of a group that serves the query, which asks for all that the group does, so that whatever matches is in it.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_CANDIDATES_INTERNAL_H
#define MICAI_QUERY_CANDIDATES_INTERNAL_H

#include "query/query.h"
#include "store/pool/group.h"

// The driver of a walk over all there is: the smallest set.
void micai_candidates_find(const micai_state *state, micai_walk *walk);

// How many rows of a driver are candidates.
static inline uint32_t micai_candidates_end(const micai_walk *walk)
{
    return walk->group    ? micai_group_size(walk->group)
           : walk->driver ? walk->driver->table.count
                          : 0;
}

// Are rows of a pool those of the driver?
static inline bool micai_candidates_are_in(const micai_walk *walk, const micai_pool *pool)
{
    return pool == walk->driver || (walk->group && pool->owner == walk->group);
}

// Is a walk, whose driver or group may be none, driven as it can be, and at a row that there is?
bool micai_candidates_are_right(const micai_state *state, const micai_walk *walk);

#endif
