// Changes of many entities at once: spawning those of a bundle; adding, setting, removing, disabling and enabling one
// type of those in a list. change.h has the contract.
//
// First all values are constructed, in raw rows or in a pool, and the copies that will overwrite others; then
// all entities move.
#include <inttypes.h>
#include <stdlib.h>

#include "base/canary.h"
#include "entity/bundle.h"
#include "entity/change.h"
#include "entity/copies_internal.h"
#include "entity/locate.h"
#include "store/table/debug_relocate.h"
#include "store/table/transfer.h"

static micai_living find_living(const micai_state *state, mica_entity entity)
{
    return (micai_living){entity, micai_slots_at(&state->slots, mica_entity_slot(entity))};
}

// Bundles

static const void *array_of(const mica_value *arrays, uint32_t i)
{
    return arrays ? arrays[i].data : NULL;
}

static micai_pool *pool_of(const mica_world *world, const micai_step *step)
{
    return step->sparse ? world->state->pools.by_type.items[step->type->number] : NULL;
}

// Undoes the values of the first `steps` steps in `count` raw rows. Values that were given, of a type
// that cannot be copied, go back.
static void undo_columns(mica_world *world, const micai_transition *t, uint32_t steps,
                         uint32_t count, const mica_value *arrays)
{
    while (steps-- > 0) {
        const micai_step *step = &t->steps[steps];
        const void *data = array_of(arrays, steps);
        uint32_t size = step->type->info.size;
        micai_pool *pool = pool_of(world, step);
        if (pool) {
            micai_pool_undo(&world->state->pools, pool, pool->table.count, count, data, size);
            continue;
        }
        if (!step->column) {
            continue;
        }
        const micai_kind *kind = micai_table_kind(t->target, step->column);
        micai_cell cell = micai_row_next(t->target, step->column);
        if (!data || micai_hook_can_copy(step->type)) {
            kind->end(&world->state->store, cell, count);
            continue;
        }
        unsigned char *array = (unsigned char *)data;
        for (uint32_t i = 0; i < count; i++, cell.row++) {
            kind->load(&world->state->store, cell, array + (size_t)i * size);
        }
    }
}

// Values for the slots that `count` new entities will have, behind the last in a pool.
static mica_result construct_in_pool(mica_world *world, micai_pool *pool, uint32_t count,
                                     const void *array)
{
    micai_state *state = world->state;
    micai_slot_ahead ahead = micai_slots_look_ahead(&state->slots);
    mica_result result = micai_pool_reserve(&state->pools, pool, count);
    for (uint32_t i = 0; !result && i < count; i++) {
        result = micai_pool_reserve_slot(&state->pools, pool, ahead.slot);
        micai_slots_look_on(&state->slots, &ahead);
    }
    array = micai_store_follow(&state->store, array);
    return result ? result
                  : micai_pool_construct(&state->pools, pool, pool->table.count, count, array,
                                         pool->type->info.size);
}

// The values of `count` raw rows, column by column, all or none.
static mica_result construct_columns(mica_world *world, const micai_transition *t, uint32_t count,
                                     const mica_value *arrays)
{
    micai_store *store = &world->state->store;
    for (uint32_t i = 0; i < t->step_count; i++) {
        const micai_step *step = &t->steps[i];
        const void *array = array_of(arrays, i);
        mica_result result = MICA_OK;
        if (step->sparse) {
            result = construct_in_pool(world, pool_of(world, step), count, array);
        } else if (step->column) {
            result = micai_table_kind(t->target, step->column)
                         ->make(store, micai_row_next(t->target, step->column), count,
                                micai_store_follow(store, array), step->type->info.size);
        }
        if (result) {
            undo_columns(world, t, i, count, arrays);
            return result;
        }
    }
    return MICA_OK;
}

// New rows join the pools of the bundle, where their values are.
static void join_pools(mica_world *world, const micai_transition *t, uint32_t first, uint32_t count)
{
    micai_pools *pools = &world->state->pools;
    for (uint32_t i = 0; i < t->step_count; i++) {
        micai_pool *pool = pool_of(world, &t->steps[i]);
        if (!pool) {
            continue;
        }
        for (uint32_t row = first; row < first + count; row++) {
            micai_pool_add(pools, pool, pool->table.count, micai_table_entity(t->target, row),
                           world->view.tick);
        }
        micai_pool_relocate(pools, pool);
    }
}

// Which types of a bundle are given values; what is watched of entities that are spawned of it.
static mica_result note_arrays(mica_world *world, const micai_bundle *bundle,
                               const mica_value *arrays, mica_types *set, uint32_t *watched)
{
    mica_result result = MICA_OK;
    *watched = world->state->registry.watched;
    for (uint32_t i = 0; !result && i < bundle->count; i++) {
        const micai_type *type = bundle->types[i];
        *watched |= type->watched;
        if (arrays && arrays[i].data && micai_watches(type, MICA_ON_SET)) {
            result = micai_types_add(&world->host, set, type->number);
        }
    }
    return result;
}

// Of new rows, from one on up to the last.
static void notify_of_rows(mica_world *world, const char *call, const micai_table *table,
                           uint32_t first, const mica_types *set)
{
    micai_notification notification = micai_notification_begin(world, call);
    notification.spawns = true;
    notification.set = set;
    notification.is_peer = micai_notification_is_row_behind;
    for (uint32_t row = first; row < table->count; row++) {
        notification.who = find_living(world->state, micai_table_entity(table, row));
        micai_notify(world, &notification, MICAI_WATCH_AFTER);
    }
}

mica_result micai_spawn_many(mica_world *world, const micai_bundle *bundle, uint32_t count,
                             const mica_value *arrays, mica_entity *entities_out)
{
    const micai_transition *t = bundle->spawn;
    micai_table *table = t->target;
    mica_types set;
    uint32_t watched = 0;
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    mica_result result = micai_change_begin_set(world, &set);
    result = result ? result : note_arrays(world, bundle, arrays, &set, &watched);
    result = result ? result : micai_store_reserve(&world->state->store, table, count);
    result = result ? result : construct_columns(world, t, count, arrays);
    if (!result) {
        uint32_t first = table->count;
        micai_row_append_many(&world->state->store, table, count, entities_out, world->view.tick);
        micai_stir_from(&world->state->store, table, first);
        join_pools(world, t, first, count);
        micai_store_settle(&world->state->store, count);
        if ((watched & MICAI_WATCH_AFTER) != 0) {
            notify_of_rows(world, "mica_spawn_many", table, first, &set);
        }
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

// Lists

// Entities of one table, which follow each other in the list, and the edge they go along.
typedef struct batch {
    const micai_transition *t;
    uint32_t count;
    uint32_t column; // in the target, of the values that were made; 0: none
} batch;

typedef struct each {
    mica_world *world;
    const char *call;
    const micai_type *type;
    const void *data; // NULL: the default
    bool remove;
    mica_entity *moved; // who lack the type, or have it to lose it
    uint32_t moved_count;
    mica_entity *present; // who have it, and get another value
    uint32_t present_count;
    micai_copies copies;
    micai_pool *pool; // of the type; NULL: it has none
    batch *batches;
    uint32_t batch_count;
    const mica_entity *entities; // all of them, as they were listed
    uint32_t count;
    bool observed;
    micai_notification notification;
    bool *moves;       // by place in the list: does the type come, or go?
    uint64_t *matched; // for each of them: notification.h
    micai_listed_peers peers;
} each;

static micai_table *table_of(const each *all, mica_entity entity)
{
    return micai_row_table(
        micai_row_of(&all->world->state->store, find_living(all->world->state, entity).record));
}

static void *allocate(const each *all, uint32_t count, size_t size)
{
    return micai_arena_alloc_array(&all->world->host, &all->world->scratch, count, size,
                                   _Alignof(max_align_t));
}

// Who moves, and who stays.
static mica_result sort_out(each *all, const mica_entity *entities, uint32_t count)
{
    all->moved = allocate(all, count, sizeof *all->moved);
    all->present = all->moved ? allocate(all, count, sizeof *all->present) : NULL;
    if (!all->present) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool has = micai_value_has(all->world->state, find_living(all->world->state, entities[i]),
                                   all->type);
        if (has == all->remove) {
            all->moved[all->moved_count++] = entities[i];
        } else if (all->data) {
            all->present[all->present_count++] = entities[i];
        }
    }
    return MICA_OK;
}

// Overwriting

static void commit_present(each *all)
{
    for (uint32_t i = 0; i < all->present_count; i++) {
        micai_value value = micai_value_find(
            all->world->state, find_living(all->world->state, all->present[i]), all->type);
        micai_value_replace(all->world, value, micai_copies_take(&all->copies));
    }
}

// Pools

static mica_result reserve_pool(each *all)
{
    micai_pools *pools = &all->world->state->pools;
    all->pool = micai_pools_open(pools, all->type);
    if (!all->pool) {
        return MICA_ERROR_MEMORY;
    }
    if (all->remove) {
        return MICA_OK;
    }
    mica_result result = micai_pool_reserve(pools, all->pool, all->moved_count);
    for (uint32_t i = 0; !result && i < all->moved_count; i++) {
        result = micai_pool_reserve_slot(pools, all->pool, mica_entity_slot(all->moved[i]));
    }
    return result ? result
                  : micai_pool_construct(pools, all->pool, all->pool->table.count, all->moved_count,
                                         all->data, 0);
}

static void commit_pool(each *all)
{
    micai_pools *pools = &all->world->state->pools;
    uint64_t tick = all->world->view.tick;
    for (uint32_t i = 0; i < all->moved_count; i++) {
        if (all->remove) {
            micai_pool_remove(pools, all->pool, mica_entity_slot(all->moved[i]), tick);
        } else {
            micai_pool_add(pools, all->pool, all->pool->table.count, all->moved[i], tick);
        }
    }
    micai_pool_relocate(pools, all->pool);
}

// Tables

typedef struct sort_key {
    mica_entity entity;
    uint32_t table;
    uint32_t row;
} sort_key;

static int compare_keys(const void *a, const void *b)
{
    const sort_key *x = a;
    const sort_key *y = b;
    return x->table != y->table ? (x->table < y->table ? -1 : 1)
                                : (x->row > y->row) - (x->row < y->row);
}

// By tables, in the order of their rows.
static mica_result sort_moved(each *all)
{
    sort_key *keys = allocate(all, all->moved_count, sizeof *keys);
    if (!keys) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < all->moved_count; i++) {
        micai_row row = micai_row_of(&all->world->state->store,
                                     find_living(all->world->state, all->moved[i]).record);
        keys[i] = (sort_key){all->moved[i], micai_row_table(row)->id, micai_row_number(row)};
    }
    qsort(keys, all->moved_count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < all->moved_count; i++) {
        all->moved[i] = keys[i].entity;
    }
    return MICA_OK;
}

static mica_result reserve_batch(each *all, micai_table *source, batch *one)
{
    micai_store *store = &all->world->state->store;
    one->t = micai_transition_one(store, source, all->type, all->remove);
    if (!one->t) {
        return all->world->host.failed;
    }
    micai_table *target = one->t->target;
    mica_result result = micai_table_reserve(store, target, one->count);
    uint32_t column = all->remove ? 0 : micai_table_column(target, all->type->number);
    if (!result && column) {
        result = micai_table_kind(target, column)
                     ->make(store, micai_row_next(target, column), one->count, all->data, 0);
        one->column = result ? 0 : column;
    }
    return result;
}

static mica_result reserve_batches(each *all)
{
    mica_result result = sort_moved(all);
    all->batches = result ? NULL : allocate(all, all->moved_count, sizeof *all->batches);
    if (!all->batches) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; !result && i < all->moved_count;) {
        micai_table *source = table_of(all, all->moved[i]);
        batch *one = &all->batches[all->batch_count++];
        *one = (batch){0};
        for (; i < all->moved_count && table_of(all, all->moved[i]) == source; i++) {
            one->count++;
        }
        result = reserve_batch(all, source, one);
    }
    return result;
}

static void commit_batches(each *all)
{
    micai_state *state = all->world->state;
    const mica_entity *entity = all->moved;
    for (uint32_t i = 0; i < all->batch_count; i++) {
        const batch *one = &all->batches[i];
        for (uint32_t n = 0; n < one->count; n++, entity++) {
            micai_record *record = micai_slots_at(&state->slots, mica_entity_slot(*entity));
            micai_row_move(&state->store, one->t, micai_row_of(&state->store, record), record,
                           all->world->view.tick);
        }
        micai_stir_from(&state->store, one->t->source, 0);
        micai_stir_from(&state->store, one->t->target, 0);
    }
    micai_store_tidy(&state->store);
}

// Observers

static mica_result reserve_notifications(each *all)
{
    mica_world *world = all->world;
    all->observed = world->state->observers > 0 && micai_watches(all->type, MICAI_WATCH_CHANGES);
    if (!all->observed) {
        return MICA_OK;
    }
    all->notification = micai_notification_begin(world, all->call);
    all->notification.one = all->type;
    all->notification.is_peer = micai_notification_is_listed;
    all->notification.peers = &all->peers;
    all->moves = allocate(all, all->count, sizeof *all->moves);
    all->peers = (micai_listed_peers){all->entities, all->moves, all->count};
    mica_result result = all->moves ? MICA_OK : MICA_ERROR_MEMORY;
    result = result ? result : micai_notification_reserve(world, all->count, &all->matched);
    for (uint32_t i = 0; !result && i < all->count; i++) {
        bool has = micai_value_has(world->state, find_living(all->world->state, all->entities[i]),
                                   all->type);
        all->moves[i] = has == all->remove;
    }
    return result;
}

// Of kinds that come before, or after.
static void notify_each(each *all, uint32_t kinds)
{
    uint32_t words = micai_notification_words(all->world->state);
    for (uint32_t i = 0; i < all->count; i++) {
        micai_notification *notification = &all->notification;
        notification->who = find_living(all->world->state, all->entities[i]);
        notification->comes = all->moves[i] && !all->remove;
        notification->goes = all->moves[i] && all->remove;
        notification->given = all->data != NULL;
        notification->matched = all->matched ? all->matched + (size_t)i * words : NULL;
        if (notification->comes || notification->goes || notification->given) {
            micai_notify(all->world, notification, kinds);
        }
    }
}

// Ends what was made, if not all of it could be.
static void undo(each *all)
{
    micai_state *state = all->world->state;
    for (uint32_t i = 0; all->batches && i < all->batch_count; i++) {
        const batch *one = &all->batches[i];
        if (one->column) {
            micai_table *target = one->t->target;
            micai_table_kind(target, one->column)
                ->end(&state->store, micai_row_next(target, one->column), one->count);
        }
    }
}

static mica_result run(each *all, const mica_entity *entities, uint32_t count)
{
    bool pooled = micai_pool_keeps(all->type);
    mica_result result = reserve_notifications(all);
    result = result ? result : sort_out(all, entities, count);
    result = result ? result
                    : micai_copies_make(&all->copies, all->world, all->type, all->data,
                                        all->present_count);
    result = result ? result : pooled ? reserve_pool(all) : reserve_batches(all);
    if (result) {
        undo(all);
    } else {
        if (all->observed) {
            notify_each(all, MICAI_WATCH_BEFORE);
        }
        commit_present(all);
        if (pooled) {
            commit_pool(all);
        } else {
            commit_batches(all);
        }
        if (all->observed) {
            notify_each(all, MICAI_WATCH_AFTER);
        }
    }
    micai_copies_free(&all->copies);
    return result;
}

bool micai_change_moves_tables(const micai_type *type)
{
    return !micai_pool_keeps(type) && !micai_watches(type, MICAI_WATCH_CHANGES);
}

mica_result micai_change_each(mica_world *world, const char *call, const mica_entity *entities,
                              uint32_t count, const micai_type *type, bool remove, const void *data)
{
    each all = {.world = world,
                .call = call,
                .type = type,
                .remove = remove,
                .entities = entities,
                .count = count};
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    micai_copies aside; // the data may lie in the world, and move when room is made
    mica_result result = micai_copies_make(&aside, world, type, data, data ? 1 : 0);
    if (!result) {
        all.data = aside.block;
        result = run(&all, entities, count);
        micai_copies_free(&aside);
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

// Toggles

// Nothing moves; but observers are notified of it as of everything else.

bool micai_toggle_sweeps_tables(const micai_type *type)
{
    return !micai_pool_keeps(type) && !micai_watches(type, MICAI_WATCH_TOGGLES);
}

mica_result micai_change_check_toggle(mica_world *world, const char *call, const micai_type *type,
                                      bool recordable)
{
    if (world->state->telling == 0 || !micai_watches(type, MICAI_WATCH_TOGGLES)) {
        return MICA_OK;
    }
    return recordable ? micai_world_refuse_change(world, call) : micai_world_refuse(world, call);
}

mica_result micai_change_toggle(mica_world *world, const char *call, micai_living who,
                                const micai_type *type, bool off)
{
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    micai_notification notification = micai_notification_begin(world, call);
    bool observed = micai_watches(type, MICAI_WATCH_TOGGLES) &&
                    micai_value_is_on(world->state, who, type) == off;
    notification.who = who;
    notification.toggled = type;
    notification.off = off;
    micai_host_begin(&world->host, call);
    mica_result result = micai_notification_reserve(world, 1, &notification.matched);
    if (!result && observed) {
        micai_notify(world, &notification, MICAI_WATCH_BEFORE);
    }
    if (!result) {
        micai_value_toggle(world, who, type, off);
    }
    if (!result && observed) {
        micai_notify(world, &notification, MICAI_WATCH_AFTER);
    }
    micai_host_end(&world->host);
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

typedef struct toggling {
    mica_world *world;
    const micai_type *type;
    bool off;
    mica_entity *changed; // those for whom it makes a difference
    uint32_t count;
    uint64_t *matched;
    micai_notification notification;
} toggling;

// Who changes, of those that are listed, and memory to notify observers of queries.
static mica_result reserve_toggling(toggling *all, const mica_entity *entities, uint32_t count)
{
    mica_world *world = all->world;
    all->changed = micai_arena_alloc_array(&world->host, &world->scratch, count,
                                           sizeof *all->changed, _Alignof(mica_entity));
    mica_result result = all->changed ? MICA_OK : MICA_ERROR_MEMORY;
    for (uint32_t i = 0; !result && i < count; i++) {
        const micai_living who = find_living(all->world->state, entities[i]);
        if (micai_value_has(world->state, who, all->type) &&
            micai_value_is_on(world->state, who, all->type) == all->off) {
            all->changed[all->count++] = entities[i];
        }
    }
    bool matches = micai_watches(all->type, MICAI_WATCH_MATCHES);
    return result || !matches ? result
                              : micai_notification_reserve(world, all->count, &all->matched);
}

static void notify_toggled(toggling *all, uint32_t kinds)
{
    uint32_t words = micai_notification_words(all->world->state);
    for (uint32_t i = 0; i < all->count; i++) {
        all->notification.who = find_living(all->world->state, all->changed[i]);
        all->notification.matched = all->matched ? all->matched + (size_t)i * words : NULL;
        micai_notify(all->world, &all->notification, kinds);
    }
}

mica_result micai_change_toggle_each(mica_world *world, const char *call,
                                     const mica_entity *entities, uint32_t count,
                                     const micai_type *type, bool off)
{
    toggling all = {.world = world, .type = type, .off = off};
    bool observed = micai_watches(type, MICAI_WATCH_TOGGLES);
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    mica_result result = reserve_toggling(&all, entities, count);
    if (!result) {
        all.notification = micai_notification_begin(world, call);
        all.notification.toggled = type;
        all.notification.off = off;
        if (observed) {
            notify_toggled(&all, MICAI_WATCH_BEFORE);
        }
        for (uint32_t i = 0; i < all.count; i++) {
            micai_value_toggle(world, find_living(world->state, all.changed[i]), type, off);
        }
        if (observed) {
            notify_toggled(&all, MICAI_WATCH_AFTER);
        }
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}
