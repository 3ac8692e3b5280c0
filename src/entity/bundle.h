// Bundles: lists of types, prepared for spawning. A bundle pins the transition that spawns its list, so that spawning
// finds it without looking.
//
// Room:    entity. Called by spawn.c and image/.
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
    uint64_t seed;           // of the handle: how many had been made with it
    uint32_t count;
    const micai_type *types[];
} micai_bundle;

// A bundle that was spawned from, with its transition: all that a hot path compares. Several bundles share a place, by
// their handles. What is not a bundle's has the bits of a handle whose place is another.
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

// Before there are any.
void micai_bundles_init(micai_bundles *bundles);

// From now on, bundles are notified when tables go: MICA_ERROR_MEMORY.
mica_result micai_bundles_listen(struct micai_state *state);

void micai_bundles_free(micai_host *host, micai_bundles *bundles);

// Another store has taken the place of the one whose transitions they have.
void micai_bundles_forget(micai_bundles *bundles);

// Types are kept in other ways now: bundles look anew at what they have pinned.
void micai_bundles_refresh(struct micai_state *state);

// Of a state whose types and tables are in order.
mica_result micai_bundles_validate(const struct micai_state *state);

// The bundle of a handle, as it is: NULL, reported, if there is none. Ready to be spawned
// from: also if the world may not be changed now.
micai_bundle *micai_bundle_find(mica_world *world, const char *call, mica_bundle bundle);
micai_bundle *micai_bundle_open(mica_world *world, const char *call, mica_bundle bundle);

#endif
