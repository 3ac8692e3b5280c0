// Queries with terms that only count where they are enabled: of the rows of a table, which pass?
//
// Room:    query, private to it.
//
// A term of a type with a toggle is *fickle*, unless it is MICA_EVEN_DISABLED: where the component is
// disabled, it is as if it was not there. In tables whose columns are not dimmed (store/table/toggle.h)
// that makes no difference, and they are iterated like any others. In those that are, flags are looked
// at 64 rows at a time. Runs of rows that pass are segments; where they are short they are brought
// together in a block, as rows of queries with sparse terms are (query/mixed.h).
//
// Queries that also have sparse terms ask row by row, in query/mixed.
#ifndef MICAI_QUERY_SCREEN_H
#define MICAI_QUERY_SCREEN_H

#include "query/query.h"

static inline bool micai_screen_is_fickle(const micai_term *term)
{
    return term->type->info.toggle && !term->even;
}

// Which fickle terms have a dimmed column in a table that matches, as bits. False: no row of it passes.
bool micai_screen_enter(const micai_query *query, const micai_table *table, uint64_t *dimmed_out);

// For walk->next(), of queries with fickle terms and none that are sparse.
bool micai_screen_next(mica_iter *it);

// Of the rows of the present segment from one on, up to 64: which have the component of a term enabled,
// of any query?
uint64_t micai_screen_enabled(const mica_iter *it, uint32_t term, uint32_t row);

// How many rows pass, of such a query.
uint32_t micai_screen_count(const micai_query *query);

#endif
