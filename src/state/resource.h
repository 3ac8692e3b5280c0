// Resources: one value of a type for the whole world.
//
// Room:    state. Called by world/ (the public functions), image/ (loading) and inspect/ (hashing,
//          printing).
//
// Invariants, swept by mica_world_validate():
//   W10 A resource has the number and the handle of its type. Its value is a block of its own, with
//       the size of the type. All other entries are zero.
#ifndef MICAI_STATE_RESOURCE_H
#define MICAI_STATE_RESOURCE_H

#include <mica/resource.h>

#include "base/array.h"
#include "core/registry.h"

typedef struct micai_state micai_state;

typedef struct micai_resource {
    uint64_t bits;        // handle of the type; 0: no resource
    unsigned char *value; // NULL: no resource
} micai_resource;

typedef MICAI_ARRAY(micai_resource) micai_resources; // by type number

// Returns NULL if the world has no resource of this type.
static inline unsigned char *micai_resources_find(const micai_resources *all, mica_type type)
{
    uint32_t number = micai_stamp_number(type.bits);
    return number < all->count && all->items[number].bits == type.bits ? all->items[number].value
                                                                       : NULL;
}

// Returns true if the bytes overlap the value of a resource.
bool micai_resources_overlap(const micai_state *state, const void *data, size_t size);

// For images. reserve makes space for a resource of a type: MICA_ERROR_MEMORY. exchange installs
// another value, or NULL for none, and returns the previous one. destroy_value destroys a value
// that is not installed. take_back removes the entries of all types from number `types` on.
mica_result micai_resources_reserve(micai_state *state, const micai_type *type);
unsigned char *micai_resources_exchange(micai_state *state, const micai_type *type,
                                        unsigned char *value);
void micai_resources_destroy_value(micai_state *state, const micai_type *type,
                                   unsigned char *value);
void micai_resources_take_back(micai_state *state, uint32_t types);

// Destroys all resources.
void micai_resources_clear(micai_state *state);

mica_result micai_resources_validate(micai_host *host, const micai_state *state);

#endif
