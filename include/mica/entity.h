// Entity handles: create and destroy entities, and test whether they are alive.
//
// A handle names an entity slot and a generation. Despawning an entity increments the generation of
// its slot, so that old handles are recognized as stale for ever. A slot that has used all its
// generations is never used again. [handle.stale] The handle { 0 } is the null
// handle. [handle.none]
//
// A handle does not name its world. Another world detects it as wrong, unless that world has an
// entity with the same slot and generation.
//
// In C++, entities have ==, !=, < and a std::hash, so that they can be keys. The order of < is by
// generation, then by slot, and has no other meaning. Other handles have == and !=. Every handle
// converts to bool: the null handle is false.
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

// The last generation of a slot. [handle.last] When its entity is destroyed, the slot is retired.
#define MICA_GENERATION_LAST UINT32_C(0x7ffffffe)

// The size of the buffer for mica_entity_text().
#define MICA_ENTITY_TEXT_SIZE 24

// Returns the handle of a slot and a generation. [entity.make]
static inline mica_entity mica_entity_make(uint32_t slot, uint32_t generation)
{
    mica_entity entity = {(MICA_CAST_(uint64_t, generation) + 1) << 32 | slot};
    return entity;
}

// Returns the slot of a handle. [entity.slot]
static inline uint32_t mica_entity_slot(mica_entity entity)
{
    return MICA_CAST_(uint32_t, entity.bits);
}

// Returns the generation of a handle; meaningless for the null handle. [entity.generation]
static inline uint32_t mica_entity_generation(mica_entity entity)
{
    return MICA_CAST_(uint32_t, entity.bits >> 32) - 1;
}

// Writes "slot.generation", or "none", into `text` and returns it. [entity.text] If `text` is NULL,
// returns NULL without an error. [entity.text_null]
MICA_API char *mica_entity_text(mica_entity entity, char text[MICA_ENTITY_TEXT_SIZE]);

// Creates an entity with exactly this handle, to restore a saved state or to mirror a remote
// one. [spawn.at] The slot may be any up to the world's limit. Slot 100,000,000 costs one page of
// 4,096 slots, and a pointer for each page before it. [spawn.at_memory] O(1) for a slot that was
// never used. For other slots, the first call searches all free slots. Later calls search only
// slots freed since the previous call. [spawn.at_cost] Returns `entity`, or the null handle on
// failure. Fails with MICA_ERROR_OCCUPIED if the slot is in use or its generation is already higher
// than the handle's. Fails with MICA_ERROR_ENTITY for an impossible handle, MICA_ERROR_LIMIT beyond
// the limit, and MICA_ERROR_MEMORY. [spawn.at_fail]
MICA_API mica_entity mica_spawn_at(mica_world *world, mica_entity entity);

// Destroys an entity, after its facets (mica/facet.h). [despawn.facets] O(1), plus O(1) for each
// facet. [despawn.cost] Fails with MICA_ERROR_ENTITY, without effect, for dead, null and impossible
// handles. [despawn.dead]
MICA_API mica_result mica_despawn(mica_world *world, mica_entity entity);

// Returns true if the entity is alive. Returns false, without an error, for dead, null and unknown
// handles. [entity.alive]
MICA_API bool mica_alive(mica_world *world, mica_entity entity);

// Returns the number of living entities, without facets. O(1). [entity.count]
MICA_API uint32_t mica_entity_count(mica_world *world);

// Reserves slots for `count` more entities: the next `count` spawned entities need no memory for
// their slots. Entities of mica_spawn_at() are the exception, because each needs its own
// slot. [entity.reserve] The slots stay reserved until they are used, or until
// mica_world_reclaim(). [entity.reserve_kept] Fails with MICA_ERROR_MEMORY or MICA_ERROR_LIMIT, and
// then keeps no memory. [entity.reserve_fail]
MICA_API mica_result mica_entity_reserve(mica_world *world, uint32_t count);

// Iterates all living entities, without facets, in slot order. Returns the first one after
// `previous`, or the null handle at the end. To begin, `previous` is the null handle. It may be any
// handle, even that of a dead entity. [entity.next]
MICA_API mica_entity mica_entity_next(mica_world *world, mica_entity previous);

#ifdef __cplusplus
}

#include <mica/hpp/entity.hpp>

#endif

#endif
