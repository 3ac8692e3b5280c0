// Loading from the inside: what the parts of it share.
//
// Room:    image, private to load.c and section_*.c.
#ifndef MICAI_IMAGE_LOAD_INTERNAL_H
#define MICAI_IMAGE_LOAD_INTERNAL_H

#include <mica/image.h>

#include "image/codec_internal.h"
#include "image/image_internal.h"
#include "image/match_internal.h"
#include "image/merge_internal.h"

// Memory for values on their way.
typedef struct micai_scratch {
    unsigned char *data;
    size_t size;
} micai_scratch;

#define SCRATCH_ALIGN MICA_TYPE_ALIGN_MAX // of whatever type they are

typedef struct micai_loading {
    micai_archive *r;
    mica_world *world;
    micai_state *state;
    const mica_load_desc *desc;
    micai_stage stage;
    micai_arena arena;
    micai_schema schema;
    micai_matcher matcher;
    micai_match match;
    bool merges; // it comes beside what the world has, and not in the place of that
    micai_merge merge;
    uint32_t tables;      // that the world had
    uint32_t fresh;       // the slot that will be the next that was never used
    micai_scratch source; // in the image's layout
    micai_scratch values; // in that of memory
    void *waiting[8];     // of savers
} micai_loading;

// The image cannot be. Nothing happens after the first failure.
void micai_load_fail(micai_loading *l, const char *what);

// Takes a result that has been reported, unless it is MICA_ERROR_CORRUPT: then the image is damaged, and
// `what` says how. Has nothing failed so far?
bool micai_load_take(micai_loading *l, mica_result result, const char *what);

// Room for so many bytes: false, and it has failed.
bool micai_load_reserve(micai_loading *l, micai_scratch *memory, size_t size);

// Makes values in raw memory, all or none. Skips them if the memory is NULL, or the world has no such type.
void micai_load_values(micai_archive *r, const char *name, uint32_t number, void *values,
                       uint32_t count);

// Fails if there may be nothing of a type. Has it failed?
bool micai_load_is_refused(micai_loading *l, uint32_t number);

#endif
