// Queries with terms that do not count in all rows: of those of a table, which pass?
//
// Room:    query, private to it.
//
// A term of a type with a toggle is *fickle*, unless it is MICA_EVEN_DISABLED: where the component is
// disabled, it is as if it was not there. So is a term that asks for changes (it is *timed*): where nothing
// happened since a tick, the component counts as little. Where a term does not count, it is *off*.
//
// In tables whose columns are not dimmed (store/table/toggle.h) toggles make no difference, and if that is
// all they are iterated like any others. In the rest, flags and ticks are looked at 64 rows at a time. Runs
// of rows that pass are segments; where they are short they are brought together in a block, as rows of
// queries with sparse terms are (query/mixed_internal.h). Stretches of rows in which nothing happened are passed over
// as a whole.
//
// Queries that also have sparse terms ask row by row, in query/mixed.
#ifndef MICAI_QUERY_SCREEN_H
#define MICAI_QUERY_SCREEN_H

#include "query/query.h"

// Does it matter whether a term's component is enabled? Or when something happened to it?
static inline bool micai_screen_is_toggled(const micai_term *term)
{
    return term->type->info.toggle && !term->even;
}

static inline bool micai_screen_is_fickle(const micai_term *term)
{
    return micai_screen_is_toggled(term) || term->news != MICAI_NEWS_NONE;
}

// Which fickle terms may be off somewhere in a table that matches, as bits. False: no row of it passes.
bool micai_screen_enter(const micai_query *query, const micai_table *table, uint64_t *watched_out);

// Is a term, which is fickle, off in a row of a table that has its component? 1 or 0.
uint64_t micai_screen_find_off(const micai_term *term, micai_cell cell, uint64_t since);

// Is some term that all rows of a table need off in all of them, from one on up to the end, because nothing
// happened to it? The end is that of what can be told at once, and may be given: below `end`.
bool micai_screen_is_idle(const micai_query *query, const micai_table *table, uint32_t row,
                          uint32_t end, uint64_t since, uint32_t *end_out);

// For walk->next(), of queries with fickle terms and none that are sparse.
bool micai_screen_next(mica_iter *it);

// Of the rows of the present segment from one on, up to 64: which have the component of a term enabled,
// of any query?
uint64_t micai_screen_enabled(const mica_iter *it, uint32_t term, uint32_t row);

// How many rows pass, of such a query, by its own cursor.
uint32_t micai_screen_count(const micai_query *query);

#endif
