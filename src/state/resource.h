// Resources: one value of a type for the whole world.
//
// Room:    state. Called by world/ (making, freeing, hashing, printing, the public functions).
//
// Invariants, swept by mica_world_validate():
//   W10 a resource is kept under its type's number, with the type's handle; its value is a block of its
//       own, of the type's size. Under other numbers there is nothing.
#ifndef MICAI_STATE_RESOURCE_H
#define MICAI_STATE_RESOURCE_H

#include <mica/resource.h>

#include "base/array.h"
#include "core/registry.h"

typedef struct micai_state micai_state;

typedef struct micai_resource {
    uint64_t bits;        // its type's handle; 0: there is none
    unsigned char *value; // NULL if there is none
} micai_resource;

typedef MICAI_ARRAY(micai_resource) micai_resources; // by number of type

// NULL: there is none.
static inline unsigned char *micai_resources_find(const micai_resources *all, mica_type type)
{
    uint32_t number = micai_stamp_number(type.bits);
    return number < all->count && all->items[number].bits == type.bits ? all->items[number].value
                                                                       : NULL;
}

// Do bytes lie in one?
bool micai_resources_overlap(const micai_state *state, const void *data, size_t size);

// For images: a place for a resource of this type, MICA_ERROR_MEMORY; another value, or none (NULL), in the
// place of that which is there; ends one that is in no place; and there are no types from a number on any
// more, and no resources of them.
mica_result micai_resources_reserve(micai_state *state, const micai_type *type);
unsigned char *micai_resources_exchange(micai_state *state, const micai_type *type,
                                        unsigned char *value);
void micai_resources_destroy_value(micai_state *state, const micai_type *type,
                                   unsigned char *value);
void micai_resources_take_back(micai_state *state, uint32_t types);

// Destroys all values.
void micai_resources_clear(micai_state *state);

mica_result micai_resources_validate(micai_host *host, const micai_state *state);

#endif
