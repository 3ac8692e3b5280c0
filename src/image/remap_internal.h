// References: the entities in fields of kind MICA_KIND_ENTITY. They are remapped to other handles
// when a subset of a world is saved, or when an image is added to a world.
//
// Room:    image. Called by save.c, load.c, merge.c.
//
// A loaded value may also have references that are not in the image. They come from the type's
// default, in fields that the image does not have. These are entities of the world, and stay as
// they are. To tell both apart, references of the image are marked while they are in its layout,
// with a bit that no handle has.
#ifndef MICAI_IMAGE_REMAP_INTERNAL_H
#define MICAI_IMAGE_REMAP_INTERNAL_H

#include "core/archive.h"
#include "core/registry.h"

#define MICAI_REMAP_MARK (UINT64_C(1) << 63)

// Returns the new handle for a reference that is not null.
typedef mica_entity micai_remap_fn(void *user, mica_entity entity);

// Returns true if values of a type have references.
bool micai_remap_is_needed(const micai_registry *registry, const micai_type *type);

// Remap every reference of `count` values: in memory, and in the image's layout.
void micai_remap_values(const micai_registry *registry, const micai_type *type, void *values,
                        uint32_t count, micai_remap_fn *remap, void *user);

void micai_remap_saved(const micai_schema *schema, const micai_schema_type *type,
                       unsigned char *values, uint32_t count, micai_remap_fn *remap, void *user);

// Marks every reference of `count` values in the image's layout.
void micai_remap_mark(const micai_schema *schema, const micai_schema_type *type,
                      unsigned char *values, uint32_t count);

#endif
