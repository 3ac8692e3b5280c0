// Bundles: lists of types prepared for spawning. A bundle pins the transition that spawns its list,
// so that spawning needs no lookup.
//
// Room:    entity. Called by spawn.c, command/, image/ and inspect/.
#ifndef MICAI_ENTITY_BUNDLE_H
#define MICAI_ENTITY_BUNDLE_H

#include <mica/component.h>

#include "base/array.h"
#include "core/handles.h"
#include "store/pool/pool.h"
#include "store/table/transition.h"

struct micai_state;

typedef struct micai_bundle {
    mica_bundle handle;
    micai_transition *spawn; // NULL after its table was reclaimed, until it is needed again
    uint64_t seed;           // for the handle: number of bundles created so far
    uint32_t count;
    const micai_type *types[];
} micai_bundle;

// A recently used bundle with its transition: all that a hot path compares. Bundles share places by
// their handles. An empty place has the bits of a handle that belongs to another place.
typedef struct micai_bundle_place {
    uint64_t bits;
    micai_transition *spawn;
} micai_bundle_place;

#define MICAI_BUNDLE_PLACES 4u

typedef struct micai_bundles {
    micai_handles handles;
    micai_bundle_place places[MICAI_BUNDLE_PLACES];
} micai_bundles;

static inline micai_bundle_place *micai_bundle_place_of(micai_bundles *bundles, mica_bundle bundle)
{
    return &bundles->places[bundle.bits % MICAI_BUNDLE_PLACES];
}

// Initializes an empty list.
void micai_bundles_init(micai_bundles *bundles);

// Starts listening for freed tables. Fails with MICA_ERROR_MEMORY.
mica_result micai_bundles_listen(struct micai_state *state);

void micai_bundles_free(micai_host *host, micai_bundles *bundles);

// Drops all transitions, after the store that has them was replaced.
void micai_bundles_forget(micai_bundles *bundles);

// Refreshes pinned transitions after storages have changed.
void micai_bundles_refresh(struct micai_state *state);

// Requires that types and tables are valid.
mica_result micai_bundles_validate(const struct micai_state *state);

// micai_bundle_find() returns the bundle of a handle, or NULL, reported. micai_bundle_open() also
// prepares it for spawning, even if the world may not be changed now.
micai_bundle *micai_bundle_find(mica_world *world, const char *call, mica_bundle bundle);
micai_bundle *micai_bundle_open(mica_world *world, const char *call, mica_bundle bundle);

#endif
