// The schema of an image: its types.
//
// Room:    image. Called by save.c and load.c.
#ifndef MICAI_IMAGE_SCHEMA_INTERNAL_H
#define MICAI_IMAGE_SCHEMA_INTERNAL_H

#include "core/archive.h"
#include "core/registry.h"

#include "base/arena.h"
#include "image/way.h"

// Describes the types of a world that are wanted, by number (NULL: all), in order and without the
// hidden type. Sets the archive's schema, with its numbers and types. Fails with MICA_ERROR_MEMORY.
mica_result micai_schema_make(micai_archive *a, micai_arena *arena, const micai_registry *registry,
                              const bool *wanted, micai_schema *schema_out);

// Serializes the section of types. While loading, types are allocated in the arena and added to the
// archive's schema.
void micai_schema_serialize(micai_archive *a, micai_arena *arena, micai_schema *schema);

// Returns the field with this name, or NULL. Tries the index `likely` first.
const micai_schema_field *micai_schema_find_field(const micai_schema_type *type, uint32_t likely,
                                                  const char *name);

// Index the enumerators of a field that was read, and return the number of one by its name, or
// MICAI_MAP_NONE. If several have the same name, the first counts. Indexing returns false with a
// report without memory.
bool micai_schema_index_names(micai_host *host, micai_arena *arena, micai_schema_field *field);
uint32_t micai_schema_find_name(const micai_schema_field *field, const char *name);

// Creates a descriptor to register a type as the schema describes it, with fields in their order,
// each aligned. `types` are the registered types of nested structs, by number in the schema.
// Allocates in the arena. Returns false if the archive has failed.
bool micai_schema_describe(micai_archive *a, micai_arena *arena, uint32_t number,
                           const micai_type *const *types, mica_type_desc *desc_out);

#endif
