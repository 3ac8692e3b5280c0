// Matches the types of an image with the types of the world, and plans the conversion of their
// values.
//
// Room:    image. Called by load.c.
#ifndef MICAI_IMAGE_MATCH_INTERNAL_H
#define MICAI_IMAGE_MATCH_INTERNAL_H

#include "image/convert_internal.h"
#include "image/stage_internal.h"

typedef struct micai_match {
    const micai_type **types;    // types of the world, by number in the schema; NULL: no match
    const micai_plan_in **plans; // for types that are saved by fields or as bytes
    bool *refused;               // no match, and the image must have nothing of the type
} micai_match;

// Finds, registers or leaves out every type of the archive's schema. On failure, the archive fails
// with MICA_ERROR_SCHEMA, _MEMORY or _LIMIT.
void micai_match_types(micai_matcher *m, micai_stage *stage, const mica_load_desc *desc,
                       micai_match *match_out);

#endif
