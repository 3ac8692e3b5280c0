// Values between a pool and the tables of archetypes, when the storage of their type changes.
//
// Room:    store/pool. Called by query/storage.
#ifndef MICAI_STORE_POOL_TRANSFER_H
#define MICAI_STORE_POOL_TRANSFER_H

#include "store/pool/group.h"

// All entities of a table that has a column of the pool's type are added to the pool, which has capacity for them
// and is in no group. Values are relocated, and raw in the table then; flags and ticks are copied.
void micai_pool_take_table(micai_pools *pools, micai_pool *pool, const micai_table *table);

// The values of a pool go to the rows of their entities, which are raw in a column of its type; so do flags and ticks.
// The pool is to be abandoned then.
void micai_pool_give_tables(micai_pools *pools, micai_pool *pool);

#endif
