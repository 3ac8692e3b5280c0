// Queries: compiled terms and the tables that match them.
//
// Room:    query. Called by system/ (its queries, its iterations).
//
// Invariants, swept by the room's validate and cited by tests:
//   Q1  `tables` is exactly the tables that match, by creation.
//   Q2  columns[m * term_count + t] is the column of term t in table m; 0: none.
//   Q3  `walks` counts the open iterations of the query.
#ifndef MICAI_QUERY_QUERY_H
#define MICAI_QUERY_QUERY_H

#include <mica/query.h>

#include "world/world.h"

typedef struct micai_term {
    const micai_type *type;
    mica_access access;
} micai_term;

typedef struct micai_query {
    mica_query handle;
    char *name; // NULL: none
    uint32_t term_count;
    micai_term terms[MICA_TERMS_MAX];
    mica_types needed;
    mica_types forbidden;
    mica_types any;    // at least one of these, unless empty
    uint32_t readable; // bit per term with data
    uint32_t writable;
    uint32_t walks;
    MICAI_ARRAY(micai_table *) tables;
    MICAI_ARRAY(uint16_t) columns;
} micai_query;

typedef struct micai_queries {
    MICAI_ARRAY(micai_query *) list; // NULL where one was freed
    MICAI_ARRAY(uint32_t) free_list;
    uint64_t made; // ever: the seed of handles
} micai_queries;

// The query of a handle; NULL if it is none, freed or foreign. find() reports that.
micai_query *micai_query_look_up(mica_world *world, mica_query query);
micai_query *micai_query_find(mica_world *world, const char *call, mica_query query);

bool micai_query_matches(const micai_query *query, const micai_table *table);

// Iterations, for systems too. begin: MICA_ERROR_MEMORY, and MICA_ERROR_QUERY if there is none,
// leave `it_out` without segments.
mica_result micai_iter_begin(mica_world *world, micai_query *query, const char *name,
                             mica_iter *it_out);
bool micai_iter_is_open(const mica_iter *it);

#endif
