// Copies of one value that are created ahead, to overwrite existing values. Creating them can fail.
// Overwriting cannot.
//
// Room:    entity. Called by changes of many entities.
#ifndef MICAI_ENTITY_COPIES_INTERNAL_H
#define MICAI_ENTITY_COPIES_INTERNAL_H

#include "state/state.h"

typedef struct micai_copies {
    mica_world *world;
    const micai_type *type;
    unsigned char *block; // adjacent copies; NULL: none
    uint32_t count;       // at most one if values are bytes
    uint32_t used;
} micai_copies;

// Creates `count` copies. Fails with MICA_ERROR_MEMORY or MICA_ERROR_HOOK and creates none.
mica_result micai_copies_make(micai_copies *copies, mica_world *world, const micai_type *type,
                              const void *data, uint32_t count);

// Returns the next copy, which the caller relocates.
static inline void *micai_copies_take(micai_copies *copies)
{
    void *copy = copies->block + (size_t)copies->used * copies->type->info.size;
    copies->used += !micai_hook_has_none(copies->type);
    return copy;
}

// Destructs unused copies and frees the block. Also accepts an empty one.
void micai_copies_free(micai_copies *copies);

#endif
