// Fields of component types: checking a user's description, completing it, comparing two.
//
// Room:    core. Called by core/registry. Checks of names are called by all rooms that have names.
#ifndef MICAI_CORE_FIELD_H
#define MICAI_CORE_FIELD_H

#include <mica/type.h>

#include "base/arena.h"
#include "base/host.h"

struct micai_registry;

// Returns true for a string of 1 to MICA_NAME_SIZE_MAX printable characters. UTF-8 characters other
// than control characters are printable.
bool micai_name_is_valid(const char *name);

// Returns the fault of a name, worded to follow "is" in a sentence, or NULL for a good name. The
// name may be NULL.
const char *micai_name_fault(const char *name);

// Copies the fields of a descriptor to the arena, sorted by offset. Checks them and fills in sizes
// and counts. MICA_ERROR_FIELD, MICA_ERROR_NAME, MICA_ERROR_MEMORY.
mica_result micai_fields_copy(micai_host *host, const struct micai_registry *types,
                              micai_arena *arena, const mica_type_desc *desc,
                              const mica_field_info **fields_out);

// Returns true if the size of a completed field fits its kind and count, and only structs have a
// type.
bool micai_field_is_complete(const struct micai_registry *types, const mica_field_info *field);

// Returns true if both completed lists describe the same fields.
bool micai_fields_equal(const mica_field_info *a, const mica_field_info *b, uint32_t count);

#endif
