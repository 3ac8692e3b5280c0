// What only some types and queries need: column kinds, pools, and filtered queries. It is
// used before the first such type or query exists. Nothing else refers to it, so that a program
// without such types and queries does not link it. docs/decisions/size.md has the figures.
#include "query/query.h"

void micai_use_all(micai_state *state)
{
    micai_kinds_use_all(&state->registry);
    micai_pools_use(&state->pools);
    micai_filtered_use(&state->walks);
}

void mica_use_sparse_(mica_world *world)
{
    if (world) {
        micai_kinds_use_stable(&world->state->registry);
        micai_pools_use(&world->state->pools);
        micai_filtered_use(&world->state->walks);
    }
}

void mica_use_split_(mica_world *world)
{
    if (world) {
        micai_kinds_use_split(&world->state->registry);
    }
}

void mica_use_ring_(mica_world *world)
{
    if (world) {
        micai_kinds_use_ring(&world->state->registry);
    }
}

// Queries check whether a value is disabled row by row.
void mica_use_toggle_(mica_world *world)
{
    if (world) {
        micai_filtered_use(&world->state->walks);
    }
}

void mica_use_filters_(mica_world *world)
{
    if (world) {
        micai_filtered_use(&world->state->walks);
    }
}
