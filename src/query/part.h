// The moments of queries as a part of snapshots.
//
// Room:    query. Called by time/.
#ifndef MICAI_QUERY_PART_H
#define MICAI_QUERY_PART_H

#include "state/part.h"

extern const micai_part micai_queries_part;

#endif
