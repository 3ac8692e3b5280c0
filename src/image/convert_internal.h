// Between values as they lie in memory and as they are in an image: field after field, little-endian,
// without padding.
//
// Room:    image. Called by schema.c, save.c, load.c.
//
// To save, a value is walked through by its type's fields. To load, a plan is made first, of what the
// image has and what the world wants: which fields are the same, which are converted, and how. Where
// both have the same bytes, everything is one copy.
#ifndef MICAI_IMAGE_CONVERT_INTERNAL_H
#define MICAI_IMAGE_CONVERT_INTERNAL_H

#include <mica/image.h>

#include "core/archive.h"
#include "core/registry.h"
#include "image/alias_internal.h"

// How large a value of a type that is saved by fields, or as bytes, is in an image; and an element of a field.
uint32_t micai_convert_size(const micai_registry *registry, const micai_type *type);
uint32_t micai_convert_element_size(const micai_registry *registry, const mica_field_info *field);

// Has a value the same bytes in memory and in an image?
bool micai_convert_is_same(const micai_registry *registry, const micai_type *type);

// Puts a value into the image's layout; returns where it ends.
unsigned char *micai_convert_out(const micai_registry *registry, const micai_type *type,
                                 const unsigned char *value, unsigned char *out);

typedef struct micai_plan_in micai_plan_in;

// What was found when a plan was made: told when everything is loaded.
typedef struct micai_note {
    struct micai_note *next;
    mica_difference what;
    const char *type;
    const char *field; // NULL: it is about the type
    const char *sentence;
} micai_note;

// What plans are made with.
typedef struct micai_matcher {
    micai_archive *archive; // to fail with
    micai_arena *arena;
    const micai_registry *registry;
    micai_aliases aliases;
    uint32_t
        *sources; // by number of a world's type: which type of the schema it is; UINT32_MAX: none
    micai_plan_in **plans; // that were made, by number in the schema, in lists
    micai_note *notes;
    micai_note **notes_end; // where the next one is put
} micai_matcher;

// Adds a note; without memory for it, the archive fails.
void micai_matcher_note(micai_matcher *m, mica_difference what, const char *type, const char *field,
                        const char *format, ...) MICA_PRINTF(5, 6);

// How values of a schema's type become those of a world's. One that was made before is used again. NULL: the archive has
// failed.
const micai_plan_in *micai_convert_plan(micai_matcher *m, uint32_t source,
                                        const micai_type *target);

// Has every byte of such a value its place in the image, as it is there?
bool micai_plan_in_is_same(const micai_plan_in *plan);

// Overwrites what the image has in `count` values, which have been made; false, and the archive has
// failed, if one does not fit.
bool micai_convert_in(micai_archive *a, const micai_plan_in *plan, const unsigned char *source,
                      unsigned char *values, uint32_t count);

#endif
