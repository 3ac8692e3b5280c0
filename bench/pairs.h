// Worlds of mica with entities that have Position and Velocity, as the scenarios start from them:
// the six component types registered, a query of Position and Velocity present, and a bundle of the
// two prepared.
//
// Called by the mica sides of the scenario files. Public headers of mica only.
#ifndef BENCH_PAIRS_H
#define BENCH_PAIRS_H

#include <mica/component.h>
#include <mica/group.h>
#include <mica/query.h>
#include <mica/world.h>

#include "harness.h"
#include "kernels.h"

typedef struct pair_world {
    mica_world *world;
    mica_type position, velocity, data, health, damage, sprite;
    mica_query movers;  // Position written, Velocity read
    mica_bundle bundle; // Position, Velocity
    mica_group group;   // that owns both; none, unless that is the policy
    bool split;         // that is the policy: values are reached by field, or as copies
} pair_world;

// How components are kept that are measured.
static inline mica_storage pairs_storage(bench_policy policy)
{
    static const mica_storage storages[BENCH_POLICY_COUNT] = {
        [BENCH_TABLE] = MICA_TABLE, [BENCH_SPARSE] = MICA_SPARSE, [BENCH_GROUP] = MICA_SPARSE,
        [BENCH_RING] = MICA_RING,   [BENCH_SPLIT] = MICA_SPLIT,
    };
    return storages[policy];
}

// A component, in the storage that is measured.
mica_type pairs_register(mica_world *world, bench_policy policy, mica_type_desc desc);

// The default of Data: what everyone is given who is given no value.
static inline Data pairs_default_data(void)
{
    return data_of(7);
}

// False if it could not be made; then there is nothing to end.
bool pairs_begin(pair_world *pairs_out, bench_policy policy);
void pairs_end(pair_world *pairs);

// Entities 0 to n-1, one by one; their handles unless NULL.
void pairs_spawn_all(const pair_world *pairs, mica_entity *entities_out, uint32_t n);

// Checksums: of entity i, 0 if it is dead; of all, where rows lie in the order of entities.
uint64_t pairs_check(pair_world *pairs, uint32_t i, mica_entity entity);
uint64_t pairs_check_rows(pair_world *pairs);

#endif
