// Entity names, found by text and by entity: a side table (state/side.h).
//
// Room:    entity. Called by inspect/, image/ and delta/.
#ifndef MICAI_ENTITY_NAME_H
#define MICAI_ENTITY_NAME_H

#include <mica/entity.h>

#include "base/array.h"
#include "base/map.h"
#include "state/part.h"
#include "state/state.h"

typedef struct micai_name {
    char *text;
    uint64_t hash;
    mica_entity entity;
} micai_name;

typedef struct micai_names {
    MICAI_ARRAY(micai_name) list; // unordered
    uint64_t revision;            // raised by each change
    micai_map by_text;            // places in the list
    micai_map by_slot;
} micai_names;

extern const micai_side_ops micai_names_side;
extern const micai_part micai_names_part;

mica_result micai_names_validate(mica_world *world);

static inline micai_names *micai_names_of(const micai_state *state)
{
    return state->sides[MICAI_SIDE_NAMES].data;
}

// micai_names_get() returns NULL if the entity has no name. micai_names_find() returns none if no
// entity has the name.
const char *micai_names_get(const micai_names *names, mica_entity entity);
mica_entity micai_names_find(const micai_names *names, const char *text);

// Returns true if an entity can have this name.
bool micai_names_accept(const char *text);

// Sets a name that is valid and not in use. Fails with MICA_ERROR_MEMORY.
mica_result micai_names_set(micai_state *state, mica_entity entity, const char *text);

// The same in two phases. reserve() returns false on MICA_ERROR_MEMORY. put() cannot fail, and takes a text of
// micai_copy_text().
bool micai_names_reserve(micai_state *state, uint32_t count);
void micai_names_put(micai_state *state, mica_entity entity, char *text);

// Does nothing if the entity has no name.
void micai_names_remove(micai_state *state, mica_entity entity);

#endif
