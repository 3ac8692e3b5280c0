// Groups that serve a query: the query asks for all that the group does, so that whatever matches is
// in the group.
//
// Room:    query, private to it.
#ifndef MICAI_QUERY_SERVE_H
#define MICAI_QUERY_SERVE_H

#include "query/query.h"
#include "store/pool/group.h"

bool micai_serve_is_by(const micai_query *query, const micai_group *group);

// The smallest of them, of fewer than `most` entities; of those that are as small one that owns
// something, or else the first. NULL: there is none.
const micai_group *micai_serve_find(const micai_state *state, const micai_query *query,
                                    uint64_t most);

// Of a group that serves: does the query ask for nothing else, so that all of it matches? And is all
// that can be read owned by the group, so that it lies side by side?
bool micai_serve_is_bare(const micai_query *query, const micai_group *group);
bool micai_serve_is_whole(const micai_state *state, const micai_query *query,
                          const micai_group *group);

#endif
