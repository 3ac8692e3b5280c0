// Facets: the rows of an entity under additional keys. A side table (state/side.h).
//
// Room:    entity. Called by command/, query/ (owners), inspect/ and image/.
//
// A facet has a slot, a handle and a row like every entity. Its table has the hidden type
// (micai_registry.hidden) beside its own types, and `micai_table.facet` is set. The values of the
// hidden type are the owners, so the owners of adjacent rows are adjacent. Keys and order are in a
// list with stable places. So removing a facet writes to no other row and cannot fail.
//
// Invariants, checked by micai_facets_validate() and cited by tests:
//   X1  A place is free and in the free list, or has a living facet in a facet table. The owner is
//       alive and not a facet. There are as many facets as facet tables have rows.
//   X2  The owner in a facet's row is the one in the list.
//   X3  A facet is found by its key and by its handle, and the first facet of each owner by the
//       owner. The type of a key exists, and no key is (none, 0).
//   X4  The facets of an owner are linked in both directions. The first one's `previous` is the
//       last.
#ifndef MICAI_ENTITY_FACET_H
#define MICAI_ENTITY_FACET_H

#include <mica/facet.h>

#include "base/array.h"
#include "base/map.h"
#include "core/hash_term.h"
#include "state/part.h"
#include "state/state.h"

#define MICAI_FACET_NONE UINT32_MAX // no place; no component

typedef struct micai_facet {
    mica_entity facet; // none: the place is free
    mica_entity owner;
    uint32_t component; // the number of a type
    uint32_t role;
    uint32_t next;     // place of the owner's next facet; of a free place: the next free one
    uint32_t previous; // the first facet: the owner's last one
} micai_facet;

typedef struct micai_facets {
    MICAI_ARRAY(micai_facet) list;
    uint64_t revision; // raised by each change
    micai_map by_key;  // places
    micai_map by_handle;
    micai_map by_owner; // the first facets
    uint32_t free_first;
    uint32_t count;
} micai_facets;

extern const micai_side_ops micai_facets_side;
extern const micai_part micai_facets_part;

mica_result micai_facets_validate(mica_world *world);

static inline micai_facets *micai_facets_of(const micai_state *state)
{
    return state->sides[MICAI_SIDE_FACETS].data;
}

// Returns the term of a facet in mica_world_hash().
static inline uint64_t micai_facet_hash(const micai_registry *types, const micai_facet *facet)
{
    const micai_type *component =
        facet->component == MICAI_FACET_NONE ? NULL : types->list.items[facet->component];
    return micai_hash_facet(facet->facet, facet->owner, component, facet->role);
}

// Registers the hidden type, unless it exists. MICA_ERROR_MEMORY, _LIMIT.
mica_result micai_facets_use(mica_world *world, const char *call);

// Return the first facet of an entity; the next facet of its owner. Return none at the end.
mica_entity micai_facets_first(const micai_facets *facets, mica_entity owner);
mica_entity micai_facets_next(const micai_facets *facets, mica_entity facet);

// Returns the facet of an owner under a key, which is not that of the main row; or none.
mica_entity micai_facets_find(const micai_facets *facets, mica_entity owner, uint32_t component,
                              uint32_t role);

// Returns the facet data of a living entity, or NULL if it is not a facet.
const micai_facet *micai_facets_get(const micai_facets *facets, mica_entity entity);

// Checks a future facet, as far as possible before the owner's keys at that time are known. Fails
// with MICA_ERROR_ARGUMENT if the owner is a facet. Fails with MICA_ERROR_KEY if the key is that of
// the main row.
mica_result micai_facets_check(mica_world *world, const char *call, mica_entity owner,
                               uint32_t component, uint32_t role);

// Spawns a facet of a living entity, with the handle `pending` or, if that is null, any. Returns
// none, reported, on failure. The world must admit changes.
mica_entity micai_facets_extend(mica_world *world, const char *call, mica_entity owner,
                                uint32_t component, uint32_t role, const mica_value *values,
                                uint32_t count, mica_entity pending);

// Reserves so many more facets, and the hidden type of their tables. Fails with MICA_ERROR_MEMORY, _LIMIT.
mica_result micai_facets_reserve(mica_world *world, const char *call, uint32_t count);

// Enters a facet whose row exists and contains its owner, as the last of the owner. Fails with
// MICA_ERROR_MEMORY. Fails with MICA_ERROR_CORRUPT, unreported, if it is known already or its key
// is in use or that of the main row.
mica_result micai_facets_revive(micai_state *state, mica_entity facet, mica_entity owner,
                                uint32_t component, uint32_t role);

// Returns the number of living entities that are not facets.
uint32_t micai_facets_count_others(const micai_state *state);

// Does nothing if the entity is not a facet. The facets of an owner have been despawned before it.
void micai_facets_remove(micai_state *state, mica_entity entity);

#endif
