// The fast path of changes: bytes are written, moved, added and removed, and at most a few
// observers are notified. Nothing is reserved and nothing can fail. The public calls check whether
// a change can run this way (micai_fast_record, and a transition or pool with the right
// `fast_paths`). A micai_change does everything else.
//
// Room:    entity. Called by component.c, change_several.c, spawn.c and command/replay.
#ifndef MICAI_ENTITY_FAST_H
#define MICAI_ENTITY_FAST_H

#include "base/compiler.h"
#include "entity/notify.h"
#include "store/table/row.h"

// Returns the record of a living entity if the world may be changed. Returns NULL otherwise, and
// always in recording worlds.
static inline micai_record *micai_fast_record(const mica_world *world, mica_entity entity)
{
    return world && world->busy == 0 ? micai_slots_find(&world->state->slots, entity) : NULL;
}

static inline micai_row micai_fast_row(const mica_world *world, const micai_record *record)
{
    return micai_row_of(&world->state->store, record);
}

// Values

// Writes the values of a transition that admits the fast path. Returns false if one is missing or
// invalid.
static inline bool micai_fast_fill(const micai_transition *t, const mica_value *values)
{
    const micai_row raw = micai_row_raw(t->target);
    const micai_step *end = t->steps + t->given_count;
    for (const micai_step *step = t->steps; step < end; step++, values++) {
        if (!micai_step_expects(step, values)) {
            return false;
        }
        if (MICAI_LIKELY(values->data)) {
            micai_row_fill(raw, step->fill, values->data);
        } else if (step->expected) {
            return false;
        }
    }
    return true;
}

// Moves

// Moves a row by a transition that admits the fast path and has capacity, after its values were
// written. `memory` is that of the row.
mica_result micai_fast_move(mica_world *world, const micai_transition *t, micai_row_memory *memory,
                            micai_record *record);

// Add one type with data or its default (NULL), or remove it, by a transition of bytes with
// capacity. They notify the observers of that type. micai_fast_matched() does both and also
// notifies query observers, at most 64.
mica_result micai_fast_add(mica_world *world, const char *call, const micai_transition *t,
                           micai_record *record, const void *data);
mica_result micai_fast_remove(mica_world *world, const char *call, const micai_transition *t,
                              micai_record *record);
mica_result micai_fast_matched(mica_world *world, const char *call, const micai_transition *t,
                               micai_record *record, const void *data);

// Return true if all is bytes and there are no query observers to notify, or at most 64.
static inline bool micai_fast_is_unmatched(uint32_t fast_paths)
{
    enum { NEEDED = MICAI_FAST_BYTES | MICAI_FAST_UNMATCHED };
    return (fast_paths & NEEDED) == NEEDED;
}

static inline bool micai_fast_can_match(const mica_world *world, uint32_t fast_paths)
{
    return (fast_paths & MICAI_FAST_BYTES) &&
           ((fast_paths & MICAI_FAST_UNMATCHED) || world->state->query_observers <= 64);
}

// Moves a row by the transition of a list of bytes that no observer watches. Every type gets its
// value, or all get defaults (NULL).
void micai_fast_move_list(mica_world *world, const micai_transition *t, micai_record *record,
                          const mica_value *values);

// Overwrites an existing value of a type that can be copied, and notifies its observers.
mica_result micai_fast_overwrite(mica_world *world, const char *call, micai_entity_ref ref,
                                 const micai_type *type, const void *data);

// Pools

// Notifies observers of a type that will be removed.
static inline void micai_fast_notify_removed(mica_world *world, const char *call,
                                             mica_entity entity, const micai_type *type,
                                             const void *value)
{
    micai_callback *callback = micai_notify_find_single(world, type, MICA_ON_REMOVE);
    if (callback) {
        micai_notify_single(world, call, callback, entity, MICA_ON_REMOVE, value);
    } else {
        micai_notify_one(world, call, entity, type, MICA_ON_REMOVE, value);
    }
}

// Returns the pool of a living entity's type, if the world may be changed.
static inline micai_pool *micai_fast_pool(const mica_world *world, mica_entity entity,
                                          mica_type type)
{
    return micai_fast_record(world, entity) ? micai_pools_find(&world->state->pools, type) : NULL;
}

// Returns the index entry of an entity that can be added to a pool of bytes, whose type may be
// observed. Returns NULL otherwise.
static inline uint32_t *micai_fast_entry(const micai_pool *pool, mica_entity entity)
{
    return micai_pool_ready_if(pool, micai_fast_is_unmatched(pool->fast_paths),
                               mica_entity_slot(entity), false);
}

// Does the same for a pool that admits the fast path.
static inline uint32_t *micai_fast_entry_plain(const micai_pool *pool, mica_entity entity)
{
    return micai_pool_ready_if(pool, micai_pool_is_fast(pool), mica_entity_slot(entity), false);
}

static inline void micai_fast_pool_add_plain(mica_world *world, micai_pool *pool, uint32_t *entry,
                                             mica_entity entity, const void *data)
{
    micai_pool_add_fast(&world->state->pools, pool, entry, entity, data, world->view.tick);
}

static inline void micai_fast_pool_remove_plain(mica_world *world, micai_pool *pool,
                                                uint32_t *entry, mica_entity entity)
{
    micai_pool_remove_fast(&world->state->pools, pool, entry, mica_entity_slot(entity),
                           world->view.tick);
}

// Add an entity to a pool of bytes, with data or its default (NULL), and return its value; remove
// it. `entry` is the index entry of its slot.
static inline const void *micai_fast_pool_append(mica_world *world, micai_pool *pool,
                                                 uint32_t *entry, mica_entity entity,
                                                 const void *data)
{
    micai_pools *pools = &world->state->pools;
    const void *value = data ? data : pool->type->info.default_value;
    if (MICAI_LIKELY(pool->fast_paths & MICAI_FAST_PLAIN)) {
        return micai_pool_add_fast(pools, pool, entry, entity, value, world->view.tick);
    }
    micai_pool_add_bytes(pools, pool, entry, entity, value, world->view.tick);
    return micai_pool_value(pool, *entry - 1);
}

static inline void micai_fast_pool_drop(mica_world *world, micai_pool *pool, uint32_t *entry,
                                        mica_entity entity)
{
    uint32_t slot = mica_entity_slot(entity);
    if (MICAI_LIKELY(pool->fast_paths & MICAI_FAST_PLAIN)) {
        micai_pool_remove_fast(&world->state->pools, pool, entry, slot, world->view.tick);
    } else {
        micai_pool_remove_bytes(&world->state->pools, pool, entry, slot, world->view.tick);
    }
}

// Do the same and notify observers of the type.
static inline mica_result micai_fast_pool_add(mica_world *world, const char *call, micai_pool *pool,
                                              uint32_t *entry, mica_entity entity, const void *data)
{
    const void *value = micai_fast_pool_append(world, pool, entry, entity, data);
    return pool->fast_paths & MICAI_FAST_UNOBSERVED
               ? MICA_OK
               : micai_notify_added_and_finish(world, call, entity, pool->type, value,
                                               data != NULL);
}

static inline mica_result micai_fast_pool_remove(mica_world *world, const char *call,
                                                 micai_pool *pool, uint32_t *entry,
                                                 mica_entity entity)
{
    if (micai_type_is_watched(pool->type, MICA_ON_REMOVE)) {
        uint32_t row = *entry - 1;
        micai_fast_notify_removed(world, call, entity, pool->type,
                                  MICAI_LIKELY(pool->fast_paths & MICAI_FAST_PLAIN)
                                      ? micai_pool_value_fast(pool, row)
                                      : micai_pool_value(pool, row));
    }
    micai_fast_pool_drop(world, pool, entry, entity);
    return micai_world_finish(world, call, MICA_OK);
}

// Does the same and also notifies query observers, at most 64. Removes the entity if it is in the
// pool.
mica_result micai_fast_pool_matched(mica_world *world, const char *call, micai_pool *pool,
                                    uint32_t *entry, mica_entity entity, const void *data);

// Spawns

// Returns true if there is capacity for one more entity.
static inline bool micai_fast_has_room(const micai_state *state, const micai_table *table)
{
    return micai_row_has_capacity(table) &&
           (state->slots.free_first != MICAI_SLOT_NONE || state->slots.fresh < state->slots.ready);
}

// Append a new entity to a table after its values were written: with any handle; with that of a
// slot that was taken for it.
static inline mica_entity micai_fast_append(mica_world *world, micai_table *table)
{
    mica_entity entity = micai_slots_take(&world->state->slots, table->next);
    micai_row_append(table, entity, world->view.tick);
    return entity;
}

static inline void micai_fast_append_pending(mica_world *world, micai_table *table,
                                             mica_entity pending)
{
    micai_slots_activate(&world->state->slots, pending, table->next);
    micai_row_append(table, pending, world->view.tick);
}

// Spawns by a transition of bytes that no observer watches, including pools, flags and rings.
// Checks everything before it changes anything. Uses the handle `pending` or, if that is null, any.
// Returns none if it cannot spawn this way, which includes lists of more than 32 sparse types.
mica_entity micai_fast_spawn(mica_world *world, const micai_transition *t, const mica_value *values,
                             mica_entity pending);

// Clones a living entity by copying its row. The table must be plain and unobserved, and the entity
// without sparse components. Uses the handle `pending` or, if that is null, any. Returns none if it
// cannot clone this way.
mica_entity micai_fast_clone(mica_world *world, mica_entity entity, mica_entity pending);

// Despawns

// Returns the record and memory of an entity that can be despawned as bytes, if its table admits
// `needed`. Returns NULL otherwise, and for the last generation of a slot, which is reported
// elsewhere.
static inline micai_record *micai_fast_find(const mica_world *world, mica_entity entity,
                                            uint8_t needed, micai_row_memory **memory_out)
{
    micai_record *record = micai_fast_record(world, entity);
    if (record && !micai_slots_is_last(entity) && world->state->side_tables_in_use == 0) {
        micai_row row = micai_fast_row(world, record);
        *memory_out = micai_row_get_memory(row);
        return (micai_row_table(row)->fast_paths & needed) == needed ? record : NULL;
    }
    return NULL;
}

// Despawn an entity of a plain table; of a plain table and pools; of a table of bytes.
mica_result micai_fast_despawn(mica_world *world, mica_entity entity, micai_record *record,
                               micai_row_memory *memory);
mica_result micai_fast_despawn_from_pools(mica_world *world, mica_entity entity,
                                          micai_record *record, micai_row_memory *memory);
mica_result micai_fast_despawn_bytes(mica_world *world, mica_entity entity, micai_record *record,
                                     micai_row_memory *memory);

// Despawns all entities in order if each can be despawned as bytes. Returns false if it did
// nothing.
bool micai_fast_despawn_many(mica_world *world, const mica_entity *entities, uint32_t count);

#endif
