// Fields of component types: checking a user's description, completing it, comparing two.
//
// Room:    core. Called by core/registry.
#ifndef MICAI_CORE_FIELD_H
#define MICAI_CORE_FIELD_H

#include <mica/type.h>

#include "base/arena.h"
#include "base/host.h"

struct micai_registry;

// Is it a string of 1 to MICA_NAME_SIZE_MAX printable characters? Anything from 0x80 on counts as
// printable, so UTF-8 passes.
bool micai_name_is_good(const char *name);

// What is wrong with a name that is not, to follow "is" in a sentence. It may be NULL.
const char *micai_name_fault(const char *name);

// Copies the fields of a descriptor into the arena, sorted by offset, with sizes and counts filled
// in, and checks them. MICA_ERROR_FIELD, MICA_ERROR_NAME, MICA_ERROR_MEMORY.
mica_result micai_fields_copy(micai_host *host, const struct micai_registry *types,
                              micai_arena *arena, const mica_type_desc *desc,
                              const mica_field_info **fields_out);

// Is a completed field as large as its kind and its count say, and of a type if it is a struct?
bool micai_field_is_whole(const struct micai_registry *types, const mica_field_info *field);

// The same fields, as completed lists?
bool micai_fields_equal(const mica_field_info *a, const mica_field_info *b, uint32_t count);

#endif
