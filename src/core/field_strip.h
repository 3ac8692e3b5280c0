// Pieces: what the values of a split type are cut into, an array of which is kept for each. Usually its
// fields, and those of the structs among them.
//
// Room:    core. Called by core/registry; store/table reads a type's strips.
#ifndef MICAI_CORE_FIELD_STRIP_H
#define MICAI_CORE_FIELD_STRIP_H

#include "core/registry.h"

// Some bytes of a value.
struct micai_field_strip {
    uint32_t offset;
    uint32_t size;
    uint32_t align; // of an array of them
};

// Can a type that was described be split? MICA_ERROR_ARGUMENT if it has no fields, or hooks.
mica_result micai_field_strips_check(micai_host *host, const char *call,
                                     const mica_type_desc *desc);

// Gives a type, whose fields are complete, its strips, cut from the arena. MICA_ERROR_FIELD if bytes would be
// lost, MICA_ERROR_LIMIT, MICA_ERROR_MEMORY.
mica_result micai_field_strips_make(micai_host *host, const micai_registry *registry,
                                    micai_arena *arena, const char *call, micai_type *type);

// Are they those of the type?
bool micai_field_strips_are_right(const micai_registry *registry, const micai_type *type);

#endif
