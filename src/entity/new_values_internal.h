// New values: values that entities gain are constructed in raw rows of tables and pools before
// anything changes. This is the last step that can fail, and it can be undone.
//
// Room:    entity. Called by change.c for one entity, by change_many.c for many.
#ifndef MICAI_ENTITY_NEW_VALUES_INTERNAL_H
#define MICAI_ENTITY_NEW_VALUES_INTERNAL_H

#include "state/state.h"

// The values of one type in consecutive rows. Given values may lie in the world themselves, and may
// have moved since.
typedef struct micai_new_values {
    micai_pool *pool; // NULL: they are in a table
    micai_cell cell;  // the first one; column 0 of a table: nothing to construct
    uint32_t count;
    const void *data; // NULL: defaults
    uint32_t stride;  // bytes from one value to the next; 0 repeats one
} micai_new_values;

static inline micai_new_values micai_new_values_in_table(micai_table *table, uint32_t column,
                                                         uint32_t count)
{
    return (micai_new_values){.cell = micai_row_next(table, column), .count = count};
}

static inline micai_new_values micai_new_values_in_pool(micai_pool *pool, uint32_t row,
                                                        uint32_t count)
{
    return (micai_new_values){.pool = pool, .cell = micai_pool_cell(pool, row), .count = count};
}

// Reserves rows and index entries of a pool for entities, or for the next `count` entities to be
// spawned (NULL). Fails with MICA_ERROR_MEMORY or MICA_ERROR_LIMIT.
mica_result micai_new_values_reserve(mica_world *world, micai_pool *pool,
                                     const mica_entity *entities, uint32_t count);

// Construct all values or none; undo that. Construction fails with MICA_ERROR_HOOK. Undo moves
// values that cannot be copied back to where they were given.
mica_result micai_new_values_construct(mica_world *world, const micai_new_values *values);
void micai_new_values_undo(mica_world *world, const micai_new_values *values);

// Returns the current address of a given value.
static inline const void *micai_new_values_follow(const micai_store *store, const void *data)
{
    return micai_store_has_moved(store) ? micai_store_follow(store, data) : data;
}

#endif
