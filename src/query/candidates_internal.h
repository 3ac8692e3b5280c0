// The candidates of a filtered query: rows of its matching tables, of a pool, or of a group. A pool
// or a group *drives* the walk if every match is in it.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_CANDIDATES_INTERNAL_H
#define MICAI_QUERY_CANDIDATES_INTERNAL_H

#include "query/query.h"
#include "store/pool/group.h"

// Sets the driver of a walk over all rows to the smallest set that contains all matches. Moves the
// walk to its end if nothing can match.
void micai_candidates_choose(const micai_state *state, micai_walk *walk);

// The same for a query with .of: the candidates are the sources that its target has.
void micai_candidates_choose_sources(const micai_state *state, micai_walk *walk);

// Returns the number of candidates in the driver.
static inline uint32_t micai_candidates_count(const micai_walk *walk)
{
    return walk->group    ? micai_group_size(walk->group)
           : walk->driver ? walk->driver->table.count
                          : 0;
}

// Returns true if row numbers of the driver are also row numbers of the pool.
static inline bool micai_candidates_are_rows_of(const micai_walk *walk, const micai_pool *pool)
{
    return pool == walk->driver || (walk->group && pool->owner == walk->group);
}

// Returns true if the driver or group of a walk suits its query and has its row.
bool micai_candidates_are_valid(const micai_state *state, const micai_walk *walk);

#endif
