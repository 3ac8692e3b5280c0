// Side tables: data by entity beside its row and its sparse values, such as names and facets. Code
// that destroys entities iterates over the list of side tables. It does not name any of them.
//
// Room:    state. entity/data.c fills in the list (micai_state_alloc()).
#ifndef MICAI_STATE_SIDE_H
#define MICAI_STATE_SIDE_H

#include <mica/entity.h>

typedef struct micai_state micai_state;

typedef enum micai_side_id { MICAI_SIDE_NAMES, MICAI_SIDE_FACETS, MICAI_SIDE_COUNT } micai_side_id;

typedef struct micai_side_ops {
    uint32_t (*count)(const micai_state *state); // number of entries
    // Removes the entry of an entity that is being destroyed. Does nothing if there is no such
    // entry.
    void (*remove)(micai_state *state, mica_entity entity);
    // Returns the next entity after `previous` that must be destroyed before `entity`, or the null
    // handle at the end. NULL: entities never depend on others.
    mica_entity (*dependent)(const micai_state *state, mica_entity entity, mica_entity previous);
    void (*clear)(micai_state *state);
    void (*free)(micai_state *state);
    size_t size; // size of the table's data in the state
} micai_side_ops;

#define MICAI_SIDE_SIZE_MAX 256u

typedef struct micai_side_table {
    const micai_side_ops *ops; // NULL: not open yet
    void *data;
} micai_side_table;

// Iterates over the entities that must be destroyed before another one:
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

// Counts the side tables that have entries, and 1 if there are links.
uint32_t micai_sides_count_used(const micai_state *state);

// Called when an entity is destroyed, and when all entities are.
void micai_sides_remove(micai_state *state, mica_entity entity);
void micai_sides_clear(micai_state *state);

// Exchanges the contents with those of another state, whose side tables must be open.
void micai_sides_exchange(micai_state *state, micai_state *other);

#endif
