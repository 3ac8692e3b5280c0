// Field strips: a split type stores one array per strip of its value. A strip is usually one field;
// fields of nested structs are strips of their own.
//
// Room:    core. Called by core/registry. store/table reads a type's strips.
#ifndef MICAI_CORE_FIELD_STRIP_H
#define MICAI_CORE_FIELD_STRIP_H

#include "core/registry.h"

// A range of bytes in a value.
struct micai_field_strip {
    uint32_t offset;
    uint32_t size;
    uint32_t align; // alignment of the array
};

// Creates the strips of a type, in the arena. Its fields must be complete. MICA_ERROR_ARGUMENT if it
// has hooks or no fields, MICA_ERROR_FIELD if bytes would be lost, MICA_ERROR_LIMIT,
// MICA_ERROR_MEMORY. The registry calls it as registry->split.
mica_result micai_field_strips_make(micai_host *host, const micai_registry *registry,
                                    micai_arena *arena, const char *call, micai_type *type);

// Returns true if the strips match the fields of the type.
bool micai_field_strips_are_valid(const micai_registry *registry, const micai_type *type);

#endif
