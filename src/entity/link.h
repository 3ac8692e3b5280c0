// Links: the rows of relations that are added, changed and removed one by one. relation/ has checked
// them and reserved their seats.
//
// Room:    entity. Called by relation/ and by despawn.c.
#ifndef MICAI_ENTITY_LINK_H
#define MICAI_ENTITY_LINK_H

#include "state/part.h"
#include "state/state.h"
#include "store/pool/link.h"

// Checks new links and reserves their seats. Fails like mica_link(), and with MICA_ERROR_ITERATING if the
// world is not open.
static inline mica_result micai_link_prepare(mica_world *world, const char *call,
                                             const micai_new_links *added)
{
    return world->state->pools.links->ops->prepare(world, call, added);
}

// Links a living entity, whether or not it has a target, as mica_set() does. The world is open. Fails with
// MICA_ERROR_MEMORY, _LIMIT.
mica_result micai_link_set(mica_world *world, const char *call, mica_entity source,
                           const micai_type *type, mica_entity target);

// Unlinks a living entity that has a target, as mica_remove() does. Fails with MICA_ERROR_MEMORY.
mica_result micai_link_remove(mica_world *world, mica_entity source, const micai_type *type);

// Returns the target in the value of an entity, or none if it has no such value.
mica_entity micai_link_target(const micai_state *state, const micai_type *type, mica_entity source);

// Remove the link of a source that stays alive while its target dies; change its target. Observers
// are notified. `matched` has capacity for one entity. They cannot fail.
void micai_link_sever(mica_world *world, const char *call, mica_entity source,
                      const micai_type *type, uint64_t *matched);
void micai_link_lift(mica_world *world, const char *call, mica_entity source,
                     const micai_type *type, mica_entity target);

// Removes a row without notifying anybody.
void micai_link_drop(mica_world *world, mica_entity source, const micai_type *type);

#endif
