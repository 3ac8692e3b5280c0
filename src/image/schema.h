// The schema of an image: its types.
//
// Room:    image. Called by save.c and load.c.
#ifndef MICAI_IMAGE_SCHEMA_H
#define MICAI_IMAGE_SCHEMA_H

#include "core/codec.h"
#include "core/registry.h"

#include "base/arena.h"

// Is a type of the world sparse, so that what an image has of it goes to a pool?
bool micai_schema_is_sparse(const micai_type *type);

// How values of a type are saved.
micai_schema_way micai_schema_way_of(const micai_registry *registry, const micai_type *type);

// The schema of the types of a world that are wanted, by number (NULL: all), in its order, but for the
// hidden one. `numbers_out`: by number of the type, that in the schema; of others, UINT32_MAX.
// MICA_ERROR_MEMORY.
mica_result micai_schema_make(micai_host *host, micai_arena *arena, const micai_registry *registry,
                              const bool *wanted, micai_schema *schema_out, uint32_t **numbers_out);

// The section of types. Reading cuts from the arena, and puts the schema into the reader as it grows.
void micai_schema_write(micai_writer *w);
void micai_schema_read(micai_reader *r, micai_arena *arena, micai_schema *schema_out);

// A descriptor of a type as the schema describes it, for registering it: fields in their order, each
// where it is aligned. Structs among its fields are `types`, by number in the schema. Cut from the arena;
// false: the reader has failed.
bool micai_schema_describe(micai_reader *r, micai_arena *arena, uint32_t number,
                           const micai_type *const *types, mica_type_desc *desc_out);

#endif
