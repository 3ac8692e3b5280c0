// Queries as observers ask them: about one entity, and how it will be.
//
// Room:    query. Called by event/.
#ifndef MICAI_QUERY_FIT_H
#define MICAI_QUERY_FIT_H

#include "entity/notify.h"
#include "query/query.h"

// Does the entity of some notification match, before the change or after it? It is asked while the change is
// still to come; or about how things are, which is before another change.
bool micai_query_fits(const micai_state *state, const micai_query *query,
                      const micai_notification *notification, bool after);

// May an entity match that has none of the types in its terms?
bool micai_query_is_open(const micai_query *query);

#endif
