// The state of loading, and the functions that its files share.
//
// Room:    image. Private to load.c and section_*.c.
#ifndef MICAI_IMAGE_LOAD_INTERNAL_H
#define MICAI_IMAGE_LOAD_INTERNAL_H

#include <mica/image.h>

#include "image/codec_internal.h"
#include "image/image_internal.h"
#include "image/match_internal.h"
#include "image/merge_internal.h"

// Temporary memory for values.
typedef struct micai_scratch {
    unsigned char *data;
    size_t size;
} micai_scratch;

#define SCRATCH_ALIGN MICA_TYPE_ALIGN_MAX // sufficient for all types

typedef struct micai_loading {
    micai_archive *r;
    mica_world *world;
    micai_state *state;
    const mica_load_desc *desc;
    mica_type_set set; // for all types, if observers are to be notified
    micai_stage stage;
    micai_arena arena;
    micai_schema schema;
    micai_matcher matcher;
    micai_match match;
    bool merges; // the image is added to the world, and does not replace its content
    micai_merge merge;
    uint32_t tables;      // how many tables the world had
    uint32_t fresh;       // the lowest slot that no entity has ever used
    micai_scratch source; // values in the image's layout
    micai_scratch values; // values in the layout of memory
    void *loaded[8];      // loaded state of each saver, not committed yet
    micai_link_orders orders;
} micai_loading;

// Fails because the image is damaged. After the first failure, does nothing.
void micai_load_fail(micai_loading *l, const char *what);

// Takes over a result that has been reported. MICA_ERROR_CORRUPT has not: it becomes a failure of
// the image, with the sentence `what`. Returns true if nothing has failed so far.
bool micai_load_check(micai_loading *l, mica_result result, const char *what);

// Reserves memory for `size` bytes. Returns false if the archive has failed.
bool micai_load_reserve(micai_loading *l, micai_scratch *memory, size_t size);

// Loads values into raw memory, all or none. Skips them if the memory is NULL or the world has no
// such type.
void micai_load_values(micai_archive *r, const char *name, uint32_t number, void *values,
                       uint32_t count);

// Fails if the image must not have anything of this type. Returns true if the archive has failed.
bool micai_load_is_refused(micai_loading *l, uint32_t number);

#endif
