// The stage: what an image has is made here, beside what the world has, and then takes the place of
// that. Until then, nothing of the world has changed but what nobody can see; if anything fails, all of
// it goes.
//
// Room:    image. Called by load.c.
#ifndef MICAI_IMAGE_STAGE_INTERNAL_H
#define MICAI_IMAGE_STAGE_INTERNAL_H

#include "state/state.h"

typedef struct micai_stage {
    mica_world *world;
    micai_state *state; // its slots, tables, pools, names, facets; types are the world's
    uint64_t now;       // the tick of what is made there: 0
    uint64_t tick;      // the world's, as it is to be
    double time;
    micai_registry_mark types;             // the world's types before
    MICAI_ARRAY(micai_resource) resources; // by number of type; bits: it takes part
} micai_stage;

// MICA_ERROR_MEMORY. The second also if `begin` failed.
mica_result micai_stage_begin(micai_stage *stage, mica_world *world);
void micai_stage_end(micai_stage *stage);

// Before the first type is registered, and after anything has failed: takes types back.
void micai_stage_forget_types(micai_stage *stage);

// A place for a resource of a type, to be filled. NULL: MICA_ERROR_MEMORY.
micai_resource *micai_stage_resource(micai_stage *stage, const micai_type *type);

// Everything is there: gets ready to exchange it, which may fail, MICA_ERROR_MEMORY; and does so. What
// the world had is on the stage then.
mica_result micai_stage_reserve(micai_stage *stage);
void micai_stage_commit(micai_stage *stage);

#endif
