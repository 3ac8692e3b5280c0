// Converts values between their layout in memory and in an image. An image has field after field,
// little-endian, without padding.
//
// Room:    image. Called by schema.c, save.c, load.c.
//
// Saving walks through the fields of a value's type. Loading first makes a plan from the type in
// the image and the type in the world. It says which fields are the same, and how others are
// converted. If the bytes are the same on both sides, one copy converts everything.
#ifndef MICAI_IMAGE_CONVERT_INTERNAL_H
#define MICAI_IMAGE_CONVERT_INTERNAL_H

#include <mica/image.h>

#include "core/archive.h"
#include "core/registry.h"
#include "image/alias_internal.h"

// Return the size in an image of a value that is saved by fields or as bytes, and of one element of
// a field.
uint32_t micai_convert_size(const micai_registry *registry, const micai_type *type);
uint32_t micai_convert_element_size(const micai_registry *registry, const mica_field_info *field);

// Returns true if values of the type have the same bytes in memory and in an image.
bool micai_convert_is_same(const micai_registry *registry, const micai_type *type);

// Writes a value in the image's layout, and returns the end of it.
unsigned char *micai_convert_out(const micai_registry *registry, const micai_type *type,
                                 const unsigned char *value, unsigned char *out);

typedef struct micai_plan_in micai_plan_in;

// A difference that was found while plans were made. The listener gets it when everything is
// loaded.
typedef struct micai_note {
    struct micai_note *next;
    mica_difference what;
    const char *type;
    const char *field; // NULL: it concerns the type
    const char *sentence;
} micai_note;

// The state that plans are made with.
typedef struct micai_matcher {
    micai_archive *archive; // reports failures
    micai_arena *arena;
    const micai_registry *registry;
    micai_aliases aliases;
    uint32_t *sources;     // by number of a world's type: its type in the schema, or UINT32_MAX
    micai_plan_in **plans; // lists of the plans made so far, by number in the schema
    micai_note *notes;
    micai_note **notes_end; // where to link the next one
} micai_matcher;

// Adds a note. Without memory for it, the archive fails.
void micai_matcher_note(micai_matcher *m, mica_difference what, const char *type, const char *field,
                        const char *format, ...) MICA_PRINTF(5, 6);

// Returns the plan that converts values of a schema's type to values of a world's type. Reuses a
// plan that exists. Returns NULL if the archive has failed.
const micai_plan_in *micai_convert_plan(micai_matcher *m, uint32_t source,
                                        const micai_type *target);

// Returns true if the plan is one copy of the whole value.
bool micai_plan_in_is_same(const micai_plan_in *plan);

// Overwrites `count` constructed values with those of the image. Returns false if one does not fit;
// the archive has failed then.
bool micai_convert_in(micai_archive *a, const micai_plan_in *plan, const unsigned char *source,
                      unsigned char *values, uint32_t count);

#endif
