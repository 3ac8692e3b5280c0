// Which type of the world each type of an image is, and how its values become that.
//
// Room:    image. Called by load.c.
#ifndef MICAI_IMAGE_MATCH_INTERNAL_H
#define MICAI_IMAGE_MATCH_INTERNAL_H

#include "image/convert_internal.h"
#include "image/stage_internal.h"

typedef struct micai_match {
    const micai_type **types;    // of the world, by number in the schema; NULL: it has none
    const micai_plan_in **plans; // of those by fields or as bytes
    bool *refused;               // it has none, and there may be nothing of it
} micai_match;

// Finds, registers or leaves out every type of the archive's schema. The archive fails: MICA_ERROR_SCHEMA,
// _MEMORY, _LIMIT.
void micai_match_types(micai_matcher *m, micai_stage *stage, const mica_load_desc *desc,
                       micai_match *match_out);

#endif
