// Sections of an image that are walked by one function in both directions. Each gets what it needs from the user of
// the archive: saving or loading, of which the other is NULL.
//
// Room:    image. Called by save.c and load.c.
//
//   section_slot.c   "entities": slots without entities
//   section_side.c   "world", "facets", "names", "resources": what is kept beside rows
#ifndef MICAI_IMAGE_SECTION_INTERNAL_H
#define MICAI_IMAGE_SECTION_INTERNAL_H

#include "image/load_internal.h"
#include "image/save_internal.h"

static inline micai_saving *micai_saving_of(const micai_archive *a)
{
    return a->reading ? NULL : a->user;
}

static inline micai_loading *micai_loading_of(const micai_archive *a)
{
    return a->reading ? a->user : NULL;
}

// Some entities at once: at most MICAI_IMAGE_BATCH, and none only after a failure.
void micai_serialize_batch(micai_archive *a, mica_entity *entities, uint32_t *count);

// How many facets are saved; and whether there is a resource of a type, by number, that is.
uint32_t micai_save_count_facets(const micai_saving *s);
bool micai_save_has_resource(const micai_saving *s, uint32_t number);

void micai_serialize_world(micai_archive *a);
void micai_serialize_slots(micai_archive *a);
void micai_serialize_facets(micai_archive *a);
void micai_serialize_names(micai_archive *a);
void micai_serialize_resources(micai_archive *a);

#endif
