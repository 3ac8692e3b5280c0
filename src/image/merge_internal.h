// Merging: moves the content of a stage into the world, under new handles, and remaps references to
// them. All steps that can fail run first, and are undone if one fails.
//
// Room:    image. Called by load.c.
#ifndef MICAI_IMAGE_MERGE_INTERNAL_H
#define MICAI_IMAGE_MERGE_INTERNAL_H

#include <mica/image.h>

#include "state/state.h"

// The order of the sources of a relation, as handles of the stage.
typedef struct micai_link_order {
    const micai_type *type; // NULL: the world does not have it
    MICAI_ARRAY(mica_entity) sources;
} micai_link_order;

typedef MICAI_ARRAY(micai_link_order) micai_link_orders;

typedef struct micai_merge {
    mica_world *world;
    micai_state *state;  // the world's
    micai_state *staged; // the stage's
    const micai_link_orders *orders;
    const char *call;
    uint32_t tables;      // of the world, before
    uint32_t table_count; // tables of the stage
    // by id of a table: the number of its first row among all rows of the stage
    uint32_t *firsts;
    micai_table **targets; // by id of a table: the world's with the same types; NULL: no rows
    mica_entity *handles;  // by number of a row: its handle in the world
    uint32_t row_count;
    unsigned char *values; // temporary memory for values
    size_t size;
    uint32_t named;   // names of the stage that were processed
    uint32_t faceted; // facets of the stage that were added
    mica_subset_stats stats;
    mica_type_set set; // types that a loaded entity is notified to have set
    micai_arena_mark mark;
} micai_merge;

// reserve() prepares everything, or fails with MICA_ERROR_MEMORY, _LIMIT or _NAME. Then the merge
// is committed or canceled; a merge that was never prepared may be canceled, too. After the stage
// is freed, notify() notifies observers, and end() frees the rest.
mica_result micai_merge_reserve(micai_merge *merge, mica_world *world, micai_state *staged,
                                const micai_link_orders *orders, const char *call, bool drop_names);
void micai_merge_commit(micai_merge *merge);
void micai_merge_cancel(micai_merge *merge);
void micai_merge_notify(micai_merge *merge);
void micai_merge_end(micai_merge *merge);

// Lists the new entities without facets, up to `capacity`.
void micai_merge_list(const micai_merge *merge, mica_entity *entities_out, uint32_t capacity);

#endif
