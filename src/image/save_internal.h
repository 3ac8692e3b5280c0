// The state of saving, and the functions that its files share.
//
// Room:    image. Private to save.c and section_*.c.
#ifndef MICAI_IMAGE_SAVE_INTERNAL_H
#define MICAI_IMAGE_SAVE_INTERNAL_H

#include <mica/image.h>

#include "base/arena.h"
#include "image/codec_internal.h"
#include "image/image_internal.h"
#include "image/selection_internal.h"

typedef struct micai_saving {
    micai_archive *w;
    mica_world *world;
    micai_state *state;
    const micai_selection *subset; // NULL: the whole world is saved
    uint64_t lost_references;      // references to entities outside the subset
    micai_arena arena;
    unsigned char *bytes; // temporary memory for values
    size_t size;
    size_t capacity;
} micai_saving;

// Returns the schema's description of a type.
static inline const micai_schema_type *micai_save_described(const micai_saving *s,
                                                            const micai_type *type)
{
    return &s->w->schema->types[s->w->numbers[type->number]];
}

// Returns the handle that an entity has in the image, or null if the subset does not contain it.
static inline mica_entity micai_save_handle(const micai_saving *s, mica_entity entity)
{
    return s->subset ? micai_selection_entity(s->subset, entity) : entity;
}

// Saves contiguous values.
void micai_save_values(micai_archive *a, const char *name, const micai_type *type,
                       const void *values, uint32_t count);

// Saves the output of the type's hook for one value, as an item of a list.
void micai_save_by_hook(micai_saving *s, const micai_type *type, const void *value);

#endif
