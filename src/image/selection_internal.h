// Selections: which rows of a world are saved, and which handles they have in the image.
//
// Room:    image. Called by save.c.
//
// Rows of all tables are numbered, tables one after the other; a bit of each says whether it is in the
// part, and how many are in front of it is its slot in the image.
#ifndef MICAI_IMAGE_SELECTION_INTERNAL_H
#define MICAI_IMAGE_SELECTION_INTERNAL_H

#include "query/query.h"

typedef struct micai_selection {
    const micai_state *state;
    uint32_t table_count;
    uint32_t *firsts; // by id of a table: the number of its first row; one more, for the end
    uint64_t *words;  // a bit per row
    uint32_t *ranks;  // per word, how many are in those below; one more, for all
    uint32_t word_count;
} micai_selection;

// What a query matches, with facets, of which none is there without its owner. MICA_ERROR_MEMORY. The second
// also after a failure.
mica_result micai_selection_begin(micai_selection *part, mica_world *world,
                                  const micai_query *query);
void micai_selection_end(micai_host *host, micai_selection *part);

// How many rows are in it: of all tables, and of one.
uint32_t micai_selection_count(const micai_selection *part);
uint32_t micai_selection_rows(const micai_selection *part, const micai_table *table);

// Is an entity in it, which may be dead? Its handle in the image; none, if it is not.
bool micai_selection_has(const micai_selection *part, mica_entity entity);
mica_entity micai_selection_entity(const micai_selection *part, mica_entity entity);

#endif
