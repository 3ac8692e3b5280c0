// Matching one entity with a query before and after a change, for observers of queries.
//
// Room:    query. Called by event/.
#ifndef MICAI_QUERY_MATCH_ENTITY_H
#define MICAI_QUERY_MATCH_ENTITY_H

#include "entity/notify.h"
#include "query/query.h"

// Returns true if the entity of a notification matches before the change, or `after` it. Called
// before the change is applied.
bool micai_query_matches_entity(const micai_state *state, const micai_query *query,
                                const micai_notification *notification, bool after);

// Returns true if an entity can match that has none of the types of the terms.
bool micai_query_requires_nothing(const micai_query *query);

#endif
