// Entity handles: creating and destroying entities, telling the living from the dead.
//
// A handle names a slot and the generation of its occupant. When an entity is despawned its slot's
// generation moves on, so that a handle kept too long is recognised as stale for ever; a slot that
// has run out of generations is never used again. [handle.stale] The handle { 0 } is no
// entity. [handle.none]
//
// A handle carries no world. Used in another world it is caught unless that world has an entity of
// the same slot and generation.
//
// In C++ entities have ==, !=, < (by generation, then by slot: an order to sort by, no more) and a
// std::hash, so that they can be keys; the other handles have == and !=. A handle that is none is false.
#ifndef MICA_ENTITY_H
#define MICA_ENTITY_H

#include <mica/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_entity {
    uint64_t bits; // slot in the low half, generation + 1 in the high half
    MICA_HANDLE_BOOL_
} mica_entity;

// The last generation of a slot. [handle.last] Its occupant's death retires the slot.
#define MICA_GENERATION_LAST UINT32_C(0x7ffffffe)

// Room for mica_entity_text().
#define MICA_ENTITY_TEXT_SIZE 24

// Returns the null handle. [entity.none]
MICA_INLINE mica_entity mica_entity_none(void)
{
    mica_entity none = {0};
    return none;
}

// Returns the handle of a slot and a generation. [entity.make]
MICA_INLINE mica_entity mica_entity_make(uint32_t slot, uint32_t generation)
{
    mica_entity entity = {(MICA_CAST_(uint64_t, generation) + 1) << 32 | slot};
    return entity;
}

// Returns true for the null handle. [entity.is_none]
MICA_INLINE bool mica_entity_is_none(mica_entity entity)
{
    return entity.bits == 0;
}

// Returns true if both are the same handle. [entity.equal]
MICA_INLINE bool mica_entity_equal(mica_entity a, mica_entity b)
{
    return a.bits == b.bits;
}

// Returns the slot of a handle. [entity.slot]
MICA_INLINE uint32_t mica_entity_slot(mica_entity entity)
{
    return MICA_CAST_(uint32_t, entity.bits);
}

// Meaningless for none. [entity.generation]
MICA_INLINE uint32_t mica_entity_generation(mica_entity entity)
{
    return MICA_CAST_(uint32_t, entity.bits >> 32) - 1;
}

// Writes "slot.generation", or "none", into `text` and returns it. [entity.text] NULL text: NULL,
// silently. [entity.text_null]
MICA_API char *mica_entity_text(mica_entity entity, char text[MICA_ENTITY_TEXT_SIZE]);

// A new entity without components. [spawn.empty] O(1); slots taken by handle are stepped over, each
// once. [spawn.taken] Freed slots are used again, last freed first, before any that were never used
// or that mica_world_reclaim() has made as good as new. [spawn.freed]
// Fails with MICA_ERROR_LIMIT at the world's entity limit, MICA_ERROR_MEMORY; then returns
// none. [spawn.fail]
MICA_API mica_entity mica_spawn_empty(mica_world *world);

// A new entity with exactly this handle, for restoring a state that was saved or is mirrored from
// elsewhere. [spawn.at] The slot may be any up to the world's limit: one at 100,000,000 costs a
// page of 4,096 slots, and a pointer for each such page before it. [spawn.at_memory] O(1); for a
// slot that was used before, the first time looks at all free slots, and each further time at those
// freed since. [spawn.at_cost] Returns `entity`; or none, with MICA_ERROR_OCCUPIED if the slot is
// in use or its generation has moved past the handle's (the dead stay dead), MICA_ERROR_ENTITY if
// no handle can look like this, MICA_ERROR_LIMIT beyond the limit,
// MICA_ERROR_MEMORY. [spawn.at_fail]
MICA_API mica_entity mica_spawn_at(mica_world *world, mica_entity entity);

// Ends an entity, and its facets before it (mica/facet.h). [despawn.facets] O(1), and O(1) for each
// of those. [despawn.cost] The dead, none and impossible handles: MICA_ERROR_ENTITY, no
// effect. [despawn.dead]
MICA_API mica_result mica_despawn(mica_world *world, mica_entity entity);

// False, silently, for the dead, for none, for handles that were never given out. [entity.alive]
MICA_API bool mica_alive(mica_world *world, mica_entity entity);

// How many entities are alive, facets (mica/facet.h) not counted. O(1). [entity.count]
MICA_API uint32_t mica_entity_count(mica_world *world);

// Makes room for `count` more entities: the next `count` that are spawned, in whatever way but with
// mica_spawn_at(), which needs its own slot, need no memory for their slots. [entity.reserve] That
// room stays until it is used, or until mica_world_reclaim(). [entity.reserve_kept] A call that is
// refused, MICA_ERROR_MEMORY or MICA_ERROR_LIMIT, keeps nothing of what it had
// got. [entity.reserve_fail]
MICA_API mica_result mica_entity_reserve(mica_world *world, uint32_t count);

// Walks all living entities, without facets, in slot order: the first one after `previous`, which
// may be none, to begin, or a handle that has died meanwhile. None at the end. [entity.next]
MICA_API mica_entity mica_entity_next(mica_world *world, mica_entity previous);

#ifdef __cplusplus
}

#include <typeindex> // for std::hash: the lightest of the headers that have it

MICA_HANDLE_OPERATORS_(mica_entity)

constexpr bool operator<(mica_entity a, mica_entity b)
{
    return a.bits < b.bits;
}

namespace std {
template <> struct hash<mica_entity> {
    size_t operator()(mica_entity entity) const noexcept
    {
        size_t generation = mica_entity_generation(entity);
        return mica_entity_slot(entity) + generation * 0x9e3779b1u;
    }
};
} // namespace std

#endif

#endif
