// References: entities that values lead to, which are known by fields of kind MICA_KIND_ENTITY. When a
// part of a world is saved, or loaded beside others, they follow their entities to other handles.
//
// Room:    image. Called by save.c, load.c, merge.c.
//
// A value that is loaded may have references that the image knows nothing of: those of the type's default,
// in fields that the image has not. These lead to entities of the world, and stay. So references of the
// image are marked while they are in its layout, with a bit that no handle has.
#ifndef MICAI_IMAGE_REMAP_INTERNAL_H
#define MICAI_IMAGE_REMAP_INTERNAL_H

#include "core/archive.h"
#include "core/registry.h"

#define MICAI_REMAP_MARK (UINT64_C(1) << 63)

// What a reference that is not none becomes.
typedef mica_entity micai_follow(void *user, mica_entity entity);

// Have values of a type references?
bool micai_remap_is_needed(const micai_registry *registry, const micai_type *type);

// Every reference of `count` values follows: in memory, and in the image's layout.
void micai_remap_values(const micai_registry *registry, const micai_type *type, void *values,
                        uint32_t count, micai_follow *follow, void *user);

void micai_remap_saved(const micai_schema *schema, const micai_schema_type *type,
                       unsigned char *values, uint32_t count, micai_follow *follow, void *user);

// Marks those of `count` values in the image's layout.
void micai_remap_mark(const micai_schema *schema, const micai_schema_type *type,
                      unsigned char *values, uint32_t count);

#endif
