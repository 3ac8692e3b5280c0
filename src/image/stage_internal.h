// The stage: loading creates the content of an image here, beside the world. Committing swaps it
// with the content of the world. Until then, nothing visible in the world has changed. After a
// failure, the stage is freed.
//
// Room:    image. Called by load.c.
#ifndef MICAI_IMAGE_STAGE_INTERNAL_H
#define MICAI_IMAGE_STAGE_INTERNAL_H

#include "state/state.h"

typedef struct micai_stage {
    mica_world *world;
    micai_state *state; // its slots, tables, pools, names, facets; the types are the world's
    uint64_t now;       // the tick of everything created here: 0
    uint64_t tick;      // the world's tick after loading
    double time;
    micai_registry_mark types; // the world's types before loading
    // by type number; `bits` is set for resources that loading replaces
    MICAI_ARRAY(micai_resource) resources;
} micai_stage;

// Fails with MICA_ERROR_MEMORY. micai_stage_end() must be called even then.
mica_result micai_stage_begin(micai_stage *stage, mica_world *world);
void micai_stage_end(micai_stage *stage);

// Unregisters the types that loading has registered. Called after a failure.
void micai_stage_unregister_types(micai_stage *stage);

// Returns an entry for the resource of a type. Returns NULL with MICA_ERROR_MEMORY.
micai_resource *micai_stage_resource(micai_stage *stage, const micai_type *type);

// reserve() prepares the swap, and may fail with MICA_ERROR_MEMORY. commit() swaps: the stage has
// the old content of the world then.
mica_result micai_stage_reserve(micai_stage *stage);
void micai_stage_commit(micai_stage *stage);

#endif
