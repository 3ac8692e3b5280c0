// Moving values between a pool and archetype tables, when the storage of their type changes.
//
// Room:    store/pool. Called by entity/bulk.
#ifndef MICAI_STORE_POOL_TRANSFER_H
#define MICAI_STORE_POOL_TRANSFER_H

#include "store/pool/group.h"

// Adds all entities of a table to the pool, which has the capacity and is in no group. The table
// has a column of the pool's type. Relocates the values, which are then raw in the table, and
// copies flags and ticks.
void micai_pool_take_table(micai_pools *pools, micai_pool *pool, const micai_table *table);

// Relocates all values of a pool to the rows of their entities, whose column of the type is raw.
// Also copies flags and ticks. The caller then abandons the pool.
void micai_pool_give_tables(micai_pools *pools, micai_pool *pool);

#endif
