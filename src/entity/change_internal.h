// What the files that build and run a change share.
//
// Room:    entity.
#ifndef MICAI_ENTITY_CHANGE_INTERNAL_H
#define MICAI_ENTITY_CHANGE_INTERNAL_H

#include "entity/change.h"
#include "entity/new_values_internal.h"

// A type that is given to the entity. Of several values of one type the last counts.
typedef struct micai_assignment {
    const micai_type *type;
    const void *data; // NULL: the default, or what is there
    void *copy;       // of the data, to overwrite what is there; NULL: none
    bool present;     // the entity has the type already
    bool constructed; // and to be undone if the rest fails
    micai_new_values made;
} micai_assignment;

// Has the entity the type now? One that is to be spawned has none.
bool micai_change_has(const micai_change *change, const micai_type *type);

#endif
