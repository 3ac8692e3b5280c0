// Loading from the inside: what the parts of it share.
//
// Room:    image, private to load*.c and section*.c.
//
//   load.c         the call; values; what is told
//   load_table.c   tables and their rows
//   load_pool.c    pools and groups
#ifndef MICAI_IMAGE_LOAD_INTERNAL_H
#define MICAI_IMAGE_LOAD_INTERNAL_H

#include <mica/image.h>

#include "image/codec_internal.h"
#include "image/graft_internal.h"
#include "image/image_internal.h"
#include "image/match_internal.h"

// Names that load_table.c and load_pool.c use, until tables and pools are serialized by one function, too.
typedef micai_archive micai_reader;
#define micai_reader_fail micai_archive_fail

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
    bool grafts; // it comes beside what the world has, and not in the place of that
    micai_graft graft;
    uint32_t tables;      // that the world had
    uint32_t fresh;       // the slot that will be the next that was never used
    micai_scratch source; // in the image's layout
    micai_scratch values; // in that of memory
    void *waiting[8];     // of savers
} micai_loading;

// What comes beside the values of a batch: flags, and ticks of each.
typedef struct micai_beside {
    uint64_t tick; // of all of them
    unsigned char flags[MICAI_IMAGE_BATCH];
    uint64_t changed[MICAI_IMAGE_BATCH];
    uint64_t added[MICAI_IMAGE_BATCH];
} micai_beside;

// The image cannot be. Nothing happens after the first failure.
void micai_load_fail(micai_loading *l, const char *what);

// Takes a result that has been reported, unless it is MICA_ERROR_CORRUPT: then the image is damaged, and
// `what` says how. Has nothing failed so far?
bool micai_load_take(micai_loading *l, mica_result result, const char *what);

// Room for so many bytes: false, and it has failed.
bool micai_load_reserve(micai_loading *l, micai_scratch *memory, size_t size);

// A tick, no later than that of the world; how many things come at once, which are some.
uint64_t micai_load_tick(micai_loading *l, const char *name);
uint32_t micai_load_count(micai_loading *l);

// Makes values in raw memory, all or none. Skips them if the memory is NULL, or the world has no such type.
void micai_load_values(micai_archive *r, const char *name, uint32_t number, void *values,
                       uint32_t count);

// Reads what comes beside the values of a batch, whose tick is known.
void micai_load_beside(micai_loading *l, uint32_t number, uint32_t count, micai_beside *b);

// Some entities, which are alive, have values of a type, side by side in l->values: they join its pool, in
// the world's storage. If it has failed, or fails, values end.
void micai_load_join(micai_loading *l, const micai_type *type, mica_entity *entities,
                     uint32_t count, micai_beside *b);

// Fails if there may be nothing of a type. Has it failed?
bool micai_load_is_refused(micai_loading *l, uint32_t number);

// Sections.
void micai_load_tables(micai_loading *l, uint32_t fresh, micai_beside *b);
void micai_load_pools(micai_loading *l, micai_beside *b);
void micai_load_groups(micai_loading *l);

#endif
