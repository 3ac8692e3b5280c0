// Facets: which rows belong to which entity, under which keys. A side table (state/side.h).
//
// Room:    entity. Called by entity/, query/ (owners), inspect/ and image/.
//
// A facet has a slot, a handle and a row like every entity. Its table has the type that is hidden
// (micai_registry.hidden) beside those that it was given, and says so (micai_table.facet); the values of
// that type are the owners, so that those of rows side by side lie side by side. Keys and order are here, in
// a list with places that stay: so that a facet that goes writes to no row but its own, and cannot fail.
//
// Invariants, swept by micai_facets_validate() and cited by tests:
//   X1  a place is in the list of free ones, or has a facet that is alive in a table of facets, of an
//       owner that is alive and in none; and there are as many as such tables have rows.
//   X2  what its row says of the owner is right.
//   X3  a facet is found by its key, which is that of a type that there is, and not (none, 0); by its
//       handle; and the first of each owner by that.
//   X4  the facets of an owner are linked both ways, and the first leads back to the last.
#ifndef MICAI_ENTITY_FACET_H
#define MICAI_ENTITY_FACET_H

#include <mica/facet.h>

#include "base/array.h"
#include "base/map.h"
#include "state/state.h"

#define MICAI_FACET_NONE UINT32_MAX // no place; no component

typedef struct micai_facet {
    mica_entity facet; // none: the place is free
    mica_entity owner;
    uint32_t component; // the number of a type
    uint32_t role;
    uint32_t next;     // place of the owner's next one; of a free place, the next free one
    uint32_t previous; // of the first: the last
} micai_facet;

typedef struct micai_facets {
    MICAI_ARRAY(micai_facet) list;
    micai_map by_key; // places
    micai_map by_handle;
    micai_map by_owner; // the first ones
    uint32_t free_first;
    uint32_t count;
} micai_facets;

extern const micai_side_ops micai_facets_side;

mica_result micai_facets_validate(mica_world *world);

static inline micai_facets *micai_facets_of(const micai_state *state)
{
    return state->sides[MICAI_SIDE_FACETS].data;
}

// The first facet of an entity, and the one that was made after another; none, if there is none.
mica_entity micai_facets_first(const micai_facets *facets, mica_entity owner);
mica_entity micai_facets_next(const micai_facets *facets, mica_entity facet);

// Of a living entity; NULL if it is no facet.
const micai_facet *micai_facets_get(const micai_facets *facets, mica_entity entity);

// What can be told of a facet to be, before it is known which keys its owner, if that lives, will have then:
// MICA_ERROR_ARGUMENT, the owner is a facet; MICA_ERROR_KEY, the key is that of the main row.
mica_result micai_facets_check(mica_world *world, const char *call, mica_entity owner,
                               uint32_t component, uint32_t role);

// A facet of a living entity, with a handle that was given out for it or, with none, any; none, reported,
// on failure. The world may be changed.
mica_entity micai_facets_extend(mica_world *world, const char *call, mica_entity owner,
                                uint32_t component, uint32_t role, const mica_value *values,
                                uint32_t count, mica_entity pending);

// A facet whose row is there, and says whose it is, becomes known, behind the last of its owner. MICA_ERROR_MEMORY;
// MICA_ERROR_CORRUPT, unreported, if it is known already, or has a key that is another's, or the main row's.
mica_result micai_facets_revive(micai_state *state, mica_entity facet, mica_entity owner,
                                uint32_t component, uint32_t role);

// How many of the living are entities.
uint32_t micai_facets_count_others(const micai_state *state);

// Nothing happens if it is none. An owner's facets have ended before it.
void micai_facets_remove(micai_state *state, mica_entity entity);

#endif
