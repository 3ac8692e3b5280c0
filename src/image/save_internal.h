// Saving from the inside: what the parts of it share.
//
// Room:    image, private to save.c and section_*.c.
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
    const micai_selection *part; // NULL: everything is saved
    uint64_t lost_references;    // references that lead out of the part
    micai_arena arena;
    unsigned char *bytes; // values on their way
    size_t size;
    size_t capacity;
} micai_saving;

// How the schema describes a type.
static inline const micai_schema_type *micai_save_described(const micai_saving *s,
                                                            const micai_type *type)
{
    return &s->w->schema->types[s->w->numbers[type->number]];
}

// The handle that an entity has in the image; none if it is not in the part.
static inline mica_entity micai_save_handle(const micai_saving *s, mica_entity entity)
{
    return s->part ? micai_selection_entity(s->part, entity) : entity;
}

// Values that lie side by side.
void micai_save_values(micai_archive *a, const char *name, const micai_type *type,
                       const void *values, uint32_t count);

// What its hook saves of one value, as an item of a list.
void micai_save_by_hook(micai_saving *s, const micai_type *type, const void *value);

#endif
