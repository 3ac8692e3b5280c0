// Merging: what was made on a stage joins what the world has, with handles of its own, which references
// follow. All that may fail comes first, and is taken back if anything does.
//
// Room:    image. Called by load.c.
#ifndef MICAI_IMAGE_MERGE_INTERNAL_H
#define MICAI_IMAGE_MERGE_INTERNAL_H

#include <mica/image.h>

#include "state/state.h"

typedef struct micai_merge {
    mica_world *world;
    micai_state *state; // the world's
    micai_state *made;  // the stage's
    const char *call;
    uint32_t table_count; // of the stage
    uint32_t *firsts;     // by id of a table: the number of its first row, among all of the stage
    micai_table *
        *targets;         // by id of a table: the world's with the same types; NULL: it has no rows
    mica_entity *handles; // by number of a row: what it will be in the world
    uint32_t row_count;
    unsigned char *values; // on their way
    size_t size;
    uint32_t named;   // of the stage's names, those that have been looked at
    uint32_t faceted; // of its facets
    mica_subset_stats part;
    mica_type_set set; // of types that are set, of one entity: to tell observers
    micai_arena_mark mark;
} micai_merge;

// Gets everything ready: MICA_ERROR_MEMORY, _LIMIT, _NAME. Then it is committed, or cancelled; what was
// never got ready can be cancelled, too. Then, without the stage, observers can be told, and it is ended.
mica_result micai_merge_reserve(micai_merge *merge, mica_world *world, micai_state *made,
                                const char *call, bool drop_names);
void micai_merge_commit(micai_merge *merge);
void micai_merge_cancel(micai_merge *merge);
void micai_merge_notify(micai_merge *merge);
void micai_merge_end(micai_merge *merge);

// The first of the new entities, without facets, as many as there is room for.
void micai_merge_list(const micai_merge *merge, mica_entity *entities_out, uint32_t capacity);

#endif
