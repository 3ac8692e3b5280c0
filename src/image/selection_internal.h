// Selections: the rows of a world that are saved, and their handles in the image.
//
// Room:    image. Called by save.c.
//
// All rows are numbered, table after table. A bit per row says whether it is selected. The number
// of selected rows before it is its slot in the image.
#ifndef MICAI_IMAGE_SELECTION_INTERNAL_H
#define MICAI_IMAGE_SELECTION_INTERNAL_H

#include "query/query.h"

typedef struct micai_selection {
    const micai_state *state;
    uint32_t table_count;
    uint32_t *firsts; // by id of a table: the number of its first row; one more for the end
    uint64_t *words;  // a bit per row
    uint32_t *ranks;  // per word: the number of bits in all words before; one more for the total
    uint32_t word_count;
} micai_selection;

// Selects the entities that match a query, and all facets whose owners are selected. Other facets
// are not. Fails with MICA_ERROR_MEMORY. micai_selection_end() is also called after a failure.
mica_result micai_selection_begin(micai_selection *subset, mica_world *world,
                                  const micai_query *query);
void micai_selection_end(micai_host *host, micai_selection *subset);

// Return the number of selected rows, of all tables and of one.
uint32_t micai_selection_count(const micai_selection *subset);
uint32_t micai_selection_rows(const micai_selection *subset, const micai_table *table);

// Returns true if an entity is selected; a dead one is not. The second returns its handle in the
// image, or null.
bool micai_selection_has(const micai_selection *subset, mica_entity entity);
mica_entity micai_selection_entity(const micai_selection *subset, mica_entity entity);

#endif
