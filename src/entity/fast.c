// The fast path of changes. fast.h has the contract.
#include "entity/fast.h"

#include "base/compiler.h"
#include "entity/link.h"

// Moves

mica_result micai_fast_move(mica_world *world, const micai_transition *t, micai_row_memory *memory,
                            micai_record *record)
{
    micai_row row = micai_row_in(memory, record->where);
    micai_row_move_fast(&world->state->store, t, row, record, world->view.tick);
    return MICA_OK;
}

void micai_fast_move_list(mica_world *world, const micai_transition *t, micai_record *record,
                          const mica_value *values)
{
    micai_store *store = &world->state->store;
    const micai_row raw = micai_row_raw(t->target);
    for (uint32_t i = 0; i < t->given_count; i++) {
        const micai_step *step = &t->steps[i];
        if (step->expected) {
            micai_row_fill_value(store, raw, step->fill,
                                 values[i].data ? values[i].data : step->type->info.default_value);
        }
    }
    micai_row_move(store, t, micai_fast_row(world, record), record, world->view.tick);
}

// A single observed type

// A change with query observers, which use one bit each. It notifies before and after.
typedef struct matched_change {
    micai_notification notification;
    uint64_t matched[1];
} matched_change;

static void begin_matched(matched_change *c, mica_world *world, const char *call,
                          mica_entity entity, const micai_type *type, bool remove, bool given)
{
    c->matched[0] = 0;
    c->notification = micai_notification_begin(world, call);
    c->notification.ref = micai_entity_ref_of(world->state, entity);
    c->notification.one = type;
    c->notification.comes = !remove;
    c->notification.goes = remove;
    c->notification.given = given;
    c->notification.matched = c->matched;
    micai_notify(world, &c->notification, MICAI_WATCH_BEFORE);
}

static mica_result end_matched(matched_change *c, mica_world *world)
{
    micai_notify(world, &c->notification, MICAI_WATCH_AFTER);
    return micai_world_finish(world, c->notification.call, MICA_OK);
}

// Adds a type with data or its default (NULL), by a known transition with capacity.
static inline void commit_added(mica_world *world, const micai_transition *t, micai_row row,
                                micai_record *record, const void *data)
{
    micai_store *store = &world->state->store;
    const micai_step *step = t->steps;
    if (step->column) {
        micai_row_fill_value(store, micai_row_raw(t->target), step->fill,
                             data ? data : step->type->info.default_value);
    }
    if (t->fast_paths & MICAI_FAST_PLAIN) {
        micai_row_move_fast(store, t, row, record, world->view.tick);
    } else {
        const micai_kind *ring = store->registry->kinds[MICAI_KIND_RING];
        if (ring) {
            ring->move_row(store, t, row, record, world->view.tick);
        } else {
            micai_row_move(store, t, row, record, world->view.tick);
        }
    }
}

// Removes a type. Observers may have disabled a value, which micai_row_move() marks in the target.
static void commit_removed(mica_world *world, const micai_transition *t, micai_record *record)
{
    micai_row_move(&world->state->store, t, micai_fast_row(world, record), record,
                   world->view.tick);
}

mica_result micai_fast_matched(mica_world *world, const char *call, const micai_transition *t,
                               micai_record *record, const void *data)
{
    matched_change c;
    bool remove = t->kind == MICAI_TRANSITION_REMOVE;
    micai_row row = micai_fast_row(world, record);
    begin_matched(&c, world, call, micai_row_entity(row), t->steps->type, remove, data != NULL);
    if (remove) {
        commit_removed(world, t, record);
    } else {
        commit_added(world, t, row, record, data);
    }
    return end_matched(&c, world);
}

mica_result micai_fast_add(mica_world *world, const char *call, const micai_transition *t,
                           micai_record *record, const void *data)
{
    uint32_t fast_paths = t->fast_paths;
    micai_row row = micai_fast_row(world, record);
    mica_entity entity = micai_row_entity(row);
    commit_added(world, t, row, record, data);
    if (fast_paths & MICAI_FAST_UNOBSERVED) {
        return MICA_OK;
    }
    const micai_type *type = t->steps->type;
    const void *value =
        fast_paths & MICAI_FAST_PLAIN
            ? micai_row_added_value(t, micai_fast_row(world, record))
            : micai_value_look_at(world->state, (micai_entity_ref){entity, record}, type);
    return micai_notify_added_and_finish(world, call, entity, type, value, data != NULL);
}

mica_result micai_fast_remove(mica_world *world, const char *call, const micai_transition *t,
                              micai_record *record)
{
    uint32_t fast_paths = t->fast_paths;
    const micai_type *type = t->steps->type;
    if (micai_type_is_watched(type, MICA_ON_REMOVE)) {
        micai_row row = micai_fast_row(world, record);
        mica_entity entity = micai_row_entity(row);
        micai_fast_notify_removed(
            world, call, entity, type,
            fast_paths & MICAI_FAST_PLAIN
                ? micai_row_removed_value(t, row)
                : micai_value_look_at(world->state, (micai_entity_ref){entity, record}, type));
    }
    if ((fast_paths & MICAI_FAST_PLAIN) && t->source->disabled_columns == 0) {
        micai_row_move_fast(&world->state->store, t, micai_fast_row(world, record), record,
                            world->view.tick);
    } else {
        commit_removed(world, t, record);
    }
    return micai_world_finish(world, call, MICA_OK);
}

mica_result micai_fast_pool_matched(mica_world *world, const char *call, micai_pool *pool,
                                    uint32_t *entry, mica_entity entity, const void *data)
{
    matched_change c;
    bool remove = *entry != 0;
    begin_matched(&c, world, call, entity, pool->type, remove, data != NULL);
    if (remove) {
        micai_fast_pool_drop(world, pool, entry, entity);
    } else {
        micai_fast_pool_append(world, pool, entry, entity, data);
    }
    return end_matched(&c, world);
}

mica_result micai_fast_overwrite(mica_world *world, const char *call, micai_entity_ref ref,
                                 const micai_type *type, const void *data)
{
    bool observed = micai_type_is_watched(type, MICA_ON_SET);
    mica_result result = micai_world_guard_access(world, call, type);
    if (type->relation && !result) {
        const micai_new_links added = {type, &ref.entity, 1, data, 0};
        result = micai_link_prepare(world, call, &added);
    }
    result = result || !observed ? result : micai_notification_reserve_sets(world, call, 1);
    result = result
                 ? result
                 : micai_value_write(world, call, micai_value_find(world->state, ref, type), data);
    if (observed && !result) {
        ref.record = micai_slots_find(&world->state->slots, ref.entity);
        micai_notify_one(world, call, ref.entity, type, MICA_ON_SET,
                         micai_value_look_at(world->state, ref, type));
    }
    return observed ? micai_world_finish(world, call, result) : result;
}

// Spawns

// A value of a spawn that is added to a pool.
typedef struct pool_value {
    micai_pool *pool;
    uint32_t *entry; // of the new entity's slot
    const void *data;
} pool_value;

enum { SPAWN_POOLS = 32 }; // most pools that one spawn adds to on this path

// Finds where a sparse value can be added as bytes, without notifying an observer. Returns false if
// it cannot, which includes a pool that does not exist yet.
static inline bool find_in_pool(const micai_state *state, const micai_step *step, uint32_t slot,
                                pool_value *value)
{
    enum { NEEDED = MICAI_FAST_BYTES | MICAI_FAST_UNOBSERVED };
    uint32_t number = micai_stamp_number(step->bits);
    value->pool = number < state->pools.by_type.count ? state->pools.by_type.items[number] : NULL;
    value->entry =
        value->pool
            ? micai_pool_ready_if(value->pool, micai_pool_admits(value->pool, NEEDED), slot, false)
            : NULL;
    return value->entry != NULL;
}

// Not inline, because calls by pointer cost the caller registers.
MICAI_NOINLINE static void append_bytes(micai_pools *pools, micai_pool *pool, uint32_t *entry,
                                        mica_entity entity, const void *data, uint64_t tick)
{
    pools->functions->append_bytes(pools, pool, entry, entity, data, tick);
}

MICAI_NOINLINE static void regroup(micai_pools *pools, const micai_pool *pool, uint32_t slot,
                                   uint64_t tick)
{
    pools->functions->regroup(pools, pool, slot, tick);
}

static inline void add_to_pools(micai_state *state, const pool_value *values, uint32_t count,
                                mica_entity entity, uint64_t tick)
{
    micai_pools *pools = &state->pools;
    const pool_value *end = values + count;
    bool grouped = false;
    for (const pool_value *v = values; v < end; v++) {
        if (MICAI_LIKELY(v->pool->fast_paths & MICAI_FAST_PLAIN)) {
            micai_pool_add_fast(pools, v->pool, v->entry, entity, v->data, tick);
        } else {
            append_bytes(pools, v->pool, v->entry, entity, v->data, tick);
            grouped = true;
        }
    }
    for (const pool_value *v = values; grouped && v < end; v++) {
        // groups check after all types were added
        regroup(pools, v->pool, mica_entity_slot(entity), tick);
    }
}

// Checks the values of a spawn and lists those that are added to pools. Returns their number, or
// UINT32_MAX if one is invalid or cannot be added on this path.
static inline uint32_t find_pool_values(const micai_state *state, const micai_transition *t,
                                        const mica_value *values, uint32_t slot,
                                        pool_value *found_out)
{
    uint32_t found = 0;
    const micai_step *end = t->steps + t->step_count;
    for (const micai_step *step = t->steps; step < end; step++, values++) {
        if (!micai_step_takes(step, values)) {
            return UINT32_MAX;
        }
        if (step->sparse) {
            if (found == SPAWN_POOLS || !find_in_pool(state, step, slot, &found_out[found])) {
                return UINT32_MAX;
            }
            found_out[found++].data = values->data;
        }
    }
    return found;
}

mica_entity micai_fast_spawn(mica_world *world, const micai_transition *t, const mica_value *values,
                             mica_entity pending)
{
    enum { NEEDED = MICAI_FAST_BYTES | MICAI_FAST_UNOBSERVED };
    micai_state *state = world->state;
    const micai_slots *slots = &state->slots;
    bool any = MICA_IS_NONE(pending);
    uint32_t slot = !any                                   ? mica_entity_slot(pending)
                    : slots->free_first != MICAI_SLOT_NONE ? slots->free_first
                                                           : slots->fresh;
    pool_value sparse[SPAWN_POOLS];
    uint32_t sparse_count = (t->fast_paths & NEEDED) == NEEDED
                                ? find_pool_values(state, t, values, slot, sparse)
                                : UINT32_MAX;
    if (sparse_count == UINT32_MAX) {
        return (mica_entity){0};
    }
    for (uint32_t i = 0; t->target->layout.column_count > 1 && i < t->step_count; i++) {
        if (t->steps[i].column) {
            micai_row_fill_value(&state->store, micai_row_raw(t->target), t->steps[i].fill,
                                 values[i].data);
        }
    }
    mica_entity entity = pending;
    if (any) {
        entity = micai_fast_append(world, t->target);
    } else {
        micai_fast_append_pending(world, t->target, pending);
    }
    add_to_pools(state, sparse, sparse_count, entity, world->view.tick);
    return entity;
}

mica_entity micai_fast_clone(mica_world *world, mica_entity entity, mica_entity pending)
{
    micai_state *state = world->state;
    const micai_record *record = micai_fast_record(world, entity);
    if (!record) {
        return (mica_entity){0};
    }
    micai_row row = micai_fast_row(world, record);
    micai_table *table = micai_row_table(row);
    bool any = MICA_IS_NONE(pending);
    bool sparse = state->pools.row_count > 0 &&
                  micai_pools_next(&state->pools, mica_entity_slot(entity), 0) != MICAI_BITS_END;
    if (table->fast_paths != MICAI_FAST_ALL || table->facet || sparse ||
        !(any ? micai_fast_has_room(state, table) : micai_row_has_capacity(table))) {
        return (mica_entity){0};
    }
    micai_row_copy(micai_row_raw(table), row, world->view.tick);
    if (any) {
        return micai_fast_append(world, table);
    }
    micai_fast_append_pending(world, table, pending);
    return pending;
}

// Despawns

// Releases the slot first, so that the rest has fewer registers to save.
mica_result micai_fast_despawn(mica_world *world, mica_entity entity, micai_record *record,
                               micai_row_memory *memory)
{
    micai_state *state = world->state;
    micai_row row = micai_row_in(memory, record->where);
    micai_slots_recycle(&state->slots, mica_entity_slot(entity), record);
    micai_row_drop_fast(&state->store, row, world->view.tick);
    return MICA_OK;
}

mica_result micai_fast_despawn_from_pools(mica_world *world, mica_entity entity,
                                          micai_record *record, micai_row_memory *memory)
{
    micai_pools_forget(&world->state->pools, mica_entity_slot(entity), world->view.tick);
    return micai_fast_despawn(world, entity, record, memory);
}

mica_result micai_fast_despawn_bytes(mica_world *world, mica_entity entity, micai_record *record,
                                     micai_row_memory *memory)
{
    micai_state *state = world->state;
    micai_row row = micai_row_in(memory, record->where);
    if (state->pools.row_count > 0) {
        micai_pools_forget(&state->pools, mica_entity_slot(entity), world->view.tick);
    }
    micai_slots_recycle(&state->slots, mica_entity_slot(entity), record);
    micai_row_drop(&state->store, row, world->view.tick);
    return MICA_OK;
}

// Checks all entities first, then despawns them, which cannot fail. Prefetches records some
// entities ahead.
bool micai_fast_despawn_many(mica_world *world, const mica_entity *entities, uint32_t count)
{
    enum { AHEAD = 16 };
    micai_state *state = world->state;
    micai_row_memory *memory;
    bool fast = world->busy == 0;
    for (uint32_t i = 0; fast && i < count; i++) {
        fast = micai_fast_find(world, entities[i], MICAI_FAST_ALL, &memory) != NULL;
    }
    if (!fast) {
        return false;
    }
    bool pools = state->pools.row_count > 0;
    for (uint32_t i = 0; i < count; i++) {
        if (count - i > AHEAD) {
            MICAI_PREFETCH(micai_slots_at(&state->slots, mica_entity_slot(entities[i + AHEAD])));
        }
        uint32_t slot = mica_entity_slot(entities[i]);
        micai_record *record = micai_slots_at(&state->slots, slot);
        if (!micai_record_is_of(record, entities[i])) {
            continue; // a duplicate in the list
        }
        micai_row row = micai_row_of(&state->store, record);
        if (pools) {
            micai_pools_forget(&state->pools, slot, world->view.tick);
        }
        micai_slots_recycle(&state->slots, slot, record);
        micai_row_drop_fast(&state->store, row, world->view.tick);
    }
    return true;
}
