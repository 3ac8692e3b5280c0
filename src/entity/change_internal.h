// Declarations that the files that build and run a change share.
//
// Room:    entity.
#ifndef MICAI_ENTITY_CHANGE_INTERNAL_H
#define MICAI_ENTITY_CHANGE_INTERNAL_H

#include "entity/change.h"
#include "entity/new_values_internal.h"

// A type that is given to the entity. If a type is given several values, the last counts.
typedef struct micai_assignment {
    const micai_type *type;
    const void *data; // NULL: the default, or the existing value
    void *copy;       // copy of the data, to overwrite the existing value; NULL: no copy
    bool present;     // the entity has the type already
    bool constructed; // must be undone if a later step fails
    micai_new_values made;
} micai_assignment;

// Returns true if the entity has the type before the change. False for a spawn.
bool micai_change_has(const micai_change *change, const micai_type *type);

#endif
