// Entity names, found both ways. Names are a keeper of the core (micai_core.keepers) while there are
// any, so a world without pays for none.
//
// Room:    world. Called by world/ (despawn, clear, hash, the public functions).
#ifndef MICAI_WORLD_NAME_H
#define MICAI_WORLD_NAME_H

#include <mica/entity.h>

#include "base/array.h"
#include "base/map.h"
#include "core/slot.h"

typedef struct micai_core micai_core;

typedef struct micai_name {
    char *text;
    uint64_t hash;
    mica_entity entity;
} micai_name;

typedef struct micai_names {
    MICAI_ARRAY(micai_name) list; // in no order
    micai_map by_text;            // places in the list
    micai_map by_slot;
} micai_names;

// NULL if the entity has no name.
const char *micai_names_get(const micai_names *names, mica_entity entity);
mica_entity micai_names_find(const micai_names *names, const char *text);

// Can an entity be called like this?
bool micai_names_accept(const char *text);

// Gives a name that is good and free. MICA_ERROR_MEMORY.
mica_result micai_names_set(micai_core *core, mica_entity entity, const char *text);

// Nothing happens if it has none.
void micai_names_remove(micai_core *core, mica_entity entity);

void micai_names_clear(micai_core *core);
void micai_names_free(micai_core *core);
mica_result micai_names_validate(micai_host *host, const micai_names *names,
                                 const micai_slots *slots);

#endif
