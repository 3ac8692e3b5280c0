// New values: what entities are given that they have not yet is constructed in raw rows, of tables and of pools, before
// anything is changed. That is the last thing that can fail, and can be undone.
//
// Room:    entity. Called by change.c for one entity, by change_many.c for many.
#ifndef MICAI_ENTITY_NEW_VALUES_INTERNAL_H
#define MICAI_ENTITY_NEW_VALUES_INTERNAL_H

#include "state/state.h"

// The values of one type, in rows that follow each other. Those that were given may lie in the world themselves, and may
// have moved since.
typedef struct micai_new_values {
    micai_pool *pool; // NULL: they are in a table
    micai_cell cell;  // the first; in a table, column 0: there is nothing to construct
    uint32_t count;
    const void *data; // NULL: defaults
    uint32_t stride;  // from one to the next; 0: one for all
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

// Capacity of a pool for entities; for as many as will be spawned next (NULL): MICA_ERROR_MEMORY, MICA_ERROR_LIMIT.
mica_result micai_new_values_reserve(mica_world *world, micai_pool *pool,
                                     const mica_entity *entities, uint32_t count);

// All or none: MICA_ERROR_HOOK. Undone, values that cannot be copied go back to where they were given.
mica_result micai_new_values_construct(mica_world *world, const micai_new_values *values);
void micai_new_values_undo(mica_world *world, const micai_new_values *values);

// What was given, where it is now.
static inline const void *micai_new_values_follow(const micai_store *store, const void *data)
{
    return micai_store_has_moved(store) ? micai_store_follow(store, data) : data;
}

#endif
