// The schema of an image: its types.
//
// Room:    image. Called by save.c and load.c.
#ifndef MICAI_IMAGE_SCHEMA_INTERNAL_H
#define MICAI_IMAGE_SCHEMA_INTERNAL_H

#include "core/archive.h"
#include "core/registry.h"

#include "base/arena.h"

// Is a type of the world sparse, so that what an image has of it goes to a pool?
bool micai_schema_is_sparse(const micai_type *type);

// The schema of the types of a world that are wanted, by number (NULL: all), in its order, but for the
// hidden one. It becomes the archive's, with the numbers and types that belong to it. MICA_ERROR_MEMORY.
mica_result micai_schema_make(micai_archive *a, micai_arena *arena, const micai_registry *registry,
                              const bool *wanted, micai_schema *schema_out);

// The section of types. What is read is allocated in the arena, and is the archive's schema as it grows.
void micai_schema_serialize(micai_archive *a, micai_arena *arena, micai_schema *schema);

// The field of that name; NULL: there is none. Most often, it is the one that is likely.
const micai_schema_field *micai_schema_find_field(const micai_schema_type *type, uint32_t likely,
                                                  const char *name);

// The number of an enumerator of a field that was read; MICAI_MAP_NONE: none has that name. Of several with the same
// name, it is the first. Indexing comes before: false, reported, if there is no memory.
bool micai_schema_index_names(micai_host *host, micai_arena *arena, micai_schema_field *field);
uint32_t micai_schema_find_name(const micai_schema_field *field, const char *name);

// A descriptor of a type as the schema describes it, for registering it: fields in their order, each
// where it is aligned. Structs among its fields are `types`, by number in the schema. Allocated in the
// arena. False: the archive has failed.
bool micai_schema_describe(micai_archive *a, micai_arena *arena, uint32_t number,
                           const micai_type *const *types, mica_type_desc *desc_out);

#endif
