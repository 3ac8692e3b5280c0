// Copies of one value, made ahead, to overwrite values that are there: making them may fail,
// overwriting may not.
//
// Room:    entity. Called by plans for many entities.
#ifndef MICAI_ENTITY_COPIES_INTERNAL_H
#define MICAI_ENTITY_COPIES_INTERNAL_H

#include "state/state.h"

typedef struct micai_copies {
    mica_world *world;
    const micai_type *type;
    unsigned char *block; // one after the other; NULL: none
    uint32_t count;       // one for all, if values are nothing but bytes
    uint32_t used;
} micai_copies;

// `count` of them; none if it is 0. MICA_ERROR_MEMORY, MICA_ERROR_HOOK: nothing was made.
mica_result micai_copies_make(micai_copies *copies, mica_world *world, const micai_type *type,
                              const void *data, uint32_t count);

// The next one, to be relocated by who asks for it.
static inline void *micai_copies_take(micai_copies *copies)
{
    void *copy = copies->block + (size_t)copies->used * copies->type->info.size;
    copies->used += !micai_hook_has_none(copies->type);
    return copy;
}

// Ends those that were not taken. Also of none.
void micai_copies_free(micai_copies *copies);

#endif
