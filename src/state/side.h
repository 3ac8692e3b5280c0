// Side tables: what the world stores by entity beside its rows and its sparse values, such as names and facets.
// Code that destroys entities walks the list of side tables and names none of them.
//
// Room:    state. Filled in by entity/ (micai_sides_open).
#ifndef MICAI_STATE_SIDE_H
#define MICAI_STATE_SIDE_H

#include <mica/entity.h>

typedef struct micai_state micai_state;

typedef enum micai_side_id { MICAI_SIDE_NAMES, MICAI_SIDE_FACETS, MICAI_SIDE_COUNT } micai_side_id;

typedef struct micai_side_ops {
    uint32_t (*count)(const micai_state *state); // entries
    // Removes the entry of an entity that is being destroyed; nothing happens if it has none.
    void (*remove)(micai_state *state, mica_entity entity);
    // Entities that must be destroyed before another: the first one, and the one after `previous`. None: there
    // are no more. NULL: there never are any.
    mica_entity (*dependent)(const micai_state *state, mica_entity entity, mica_entity previous);
    void (*clear)(micai_state *state);
    void (*free)(micai_state *state);
    size_t size; // of what it has in the state
} micai_side_ops;

#define MICAI_SIDE_SIZE_MAX 256u

typedef struct micai_side_table {
    const micai_side_ops *ops; // NULL: it is not open
    void *data;
} micai_side_table;

// The entities that must be destroyed before another one, in order:
//
//   micai_dependents dependents = {.state = state, .owner = entity};
//   while (micai_dependents_next(&dependents)) { ... dependents.entity ... }
typedef struct micai_dependents {
    const micai_state *state;
    mica_entity owner;
    uint32_t side;
    mica_entity entity;
} micai_dependents;

bool micai_dependents_find(micai_dependents *dependents);

// How many side tables have entries.
uint32_t micai_sides_count_used(const micai_state *state);

// An entity is being destroyed. All of them are.
void micai_sides_remove(micai_state *state, mica_entity entity);
void micai_sides_clear(micai_state *state);

// Exchanges the contents with those of another state, whose side tables are open too.
void micai_sides_exchange(micai_state *state, micai_state *other);

#endif
