// Changes of many entities at once: spawning entities of a bundle; adding, setting, removing,
// disabling and enabling one type for a list. change.h has the contract.
//
// First all new values are constructed, in raw rows or in a pool, and all copies that will
// overwrite values. Then all entities move.
#include <inttypes.h>
#include <stdlib.h>

#include "base/canary.h"
#include "entity/bundle.h"
#include "entity/change.h"
#include "entity/copies_internal.h"
#include "entity/link.h"
#include "entity/locate.h"
#include "entity/new_values_internal.h"
#include "store/table/debug_relocate.h"
#include "store/table/transfer.h"

// Bundles

static const void *array_of(const mica_value *arrays, uint32_t i)
{
    return arrays ? arrays[i].data : NULL;
}

static micai_pool *pool_of(const mica_world *world, const micai_step *step)
{
    return step->sparse ? world->state->pools.by_type.items[step->type->number] : NULL;
}

// Returns the values of a step, in raw rows after the last.
static micai_new_values values_of(const mica_world *world, const micai_transition *t, uint32_t i,
                                  uint32_t count, const mica_value *arrays)
{
    const micai_step *step = &t->steps[i];
    micai_pool *pool = pool_of(world, step);
    micai_new_values values = pool ? micai_new_values_in_pool(pool, pool->table.count, count)
                                   : micai_new_values_in_table(t->target, step->column, count);
    values.data = array_of(arrays, i);
    values.stride = step->type->info.size;
    return values;
}

// Constructs the values of `count` raw rows by column. All or none.
static mica_result construct_columns(mica_world *world, const micai_transition *t, uint32_t count,
                                     const mica_value *arrays)
{
    mica_result result = MICA_OK;
    uint32_t done = 0;
    while (!result && done < t->step_count) {
        const micai_new_values values = values_of(world, t, done, count, arrays);
        const micai_type *type = t->steps[done].type;
        if (type->relation) {
            const micai_new_links added = {type, NULL, count, values.data, values.stride};
            result = micai_link_prepare(world, "mica_spawn_many", &added);
        }
        result = result        ? result
                 : values.pool ? micai_new_values_reserve(world, values.pool, NULL, count)
                               : MICA_OK;
        result = result ? result : micai_new_values_construct(world, &values);
        done += !result;
    }
    while (result && done-- > 0) {
        const micai_new_values values = values_of(world, t, done, count, arrays);
        micai_new_values_undo(world, &values);
    }
    return result;
}

// Adds new rows to the pools of the bundle. Their values are there already.
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

// Fills `set` with the types that are given watched values. `watched` receives the watched events
// of the new entities.
static mica_result note_arrays(mica_world *world, const micai_bundle *bundle,
                               const mica_value *arrays, mica_type_set *set, uint32_t *watched)
{
    mica_result result = MICA_OK;
    *watched = world->state->registry.watched;
    for (uint32_t i = 0; !result && i < bundle->count; i++) {
        const micai_type *type = bundle->types[i];
        *watched |= type->watched;
        if (arrays && arrays[i].data && micai_type_is_watched(type, MICA_ON_SET)) {
            result = micai_types_add(&world->host, set, type->number);
        }
    }
    return result;
}

// Notifies observers of the new rows from `first` on.
static void notify_of_rows(mica_world *world, const char *call, const micai_table *table,
                           uint32_t first, const mica_type_set *set)
{
    micai_notification notification = micai_notification_begin(world, call);
    notification.spawns = true;
    notification.set = set;
    notification.is_peer = micai_notification_is_row_behind;
    for (uint32_t row = first; row < table->count; row++) {
        notification.ref = micai_entity_ref_of(world->state, micai_table_entity(table, row));
        micai_notify(world, &notification, MICAI_WATCH_AFTER);
    }
}

mica_result micai_spawn_many(mica_world *world, const micai_bundle *bundle, uint32_t count,
                             const mica_value *arrays, mica_entity *entities_out)
{
    const micai_transition *t = bundle->spawn;
    micai_table *table = t->target;
    mica_type_set set;
    uint32_t watched = 0;
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    mica_result result = micai_change_begin_set(world, &set);
    result = result ? result : note_arrays(world, bundle, arrays, &set, &watched);
    result = result ? result : micai_store_reserve(&world->state->store, table, count);
    result = result ? result : construct_columns(world, t, count, arrays);
    if (!result) {
        uint32_t first = table->count;
        micai_row_append_many(&world->state->store, table, count, entities_out, world->view.tick);
        micai_debug_relocate_from(&world->state->store, table, first);
        join_pools(world, t, first, count);
        micai_store_compact_rings(&world->state->store, count);
        if ((watched & MICAI_WATCH_AFTER) != 0) {
            notify_of_rows(world, "mica_spawn_many", table, first, &set);
        }
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

// Lists

// Consecutive entities of the list in one table, and their transition.
typedef struct batch {
    const micai_transition *t;
    uint32_t count;
    micai_new_values made; // {0} until they are constructed
} batch;

// The entities of a list, for observers.
typedef struct listed {
    mica_world *world;
    const mica_entity *entities;
    uint32_t count;
    const bool *moves; // by index: whether the type is added or removed; NULL: for none
    bool remove;
    uint64_t *matched; // for each of them: notify.h
    micai_notification notification;
} listed;

static void notify_listed(listed *all, uint32_t kinds)
{
    uint32_t words = micai_notification_words(all->world->state);
    micai_notification *notification = &all->notification;
    for (uint32_t i = 0; i < all->count; i++) {
        bool moves = all->moves && all->moves[i];
        notification->ref = micai_entity_ref_of(all->world->state, all->entities[i]);
        notification->comes = moves && !all->remove;
        notification->goes = moves && all->remove;
        notification->matched = all->matched ? all->matched + (size_t)i * words : NULL;
        if (moves || notification->given || notification->toggled) {
            micai_notify(all->world, notification, kinds);
        }
    }
}

typedef struct each {
    mica_world *world;
    const char *call;
    const micai_type *type;
    const void *data; // NULL: the default
    bool remove;
    uint32_t tables;    // of the store, before
    mica_entity *moved; // entities to add the type to, or to remove it from
    uint32_t moved_count;
    mica_entity *present; // entities that have the type and get another value
    uint32_t present_count;
    micai_copies copies;
    micai_pool *pool; // pool of the type; NULL: it has none
    batch *batches;
    uint32_t batch_count;
    listed listed; // all of them
    bool observed;
    micai_listed_peers peers;
} each;

static micai_table *table_of(const each *all, mica_entity entity)
{
    return micai_row_table(micai_row_of(&all->world->state->store,
                                        micai_entity_ref_of(all->world->state, entity).record));
}

static void *allocate(const each *all, uint32_t count, size_t size)
{
    return micai_arena_alloc_array(&all->world->host, &all->world->scratch, count, size,
                                   _Alignof(max_align_t));
}

// Splits the list into entities that move and entities that stay.
static mica_result sort_out(each *all)
{
    const mica_entity *entities = all->listed.entities;
    const uint32_t count = all->listed.count;
    all->moved = allocate(all, count, sizeof *all->moved);
    all->present = all->moved ? allocate(all, count, sizeof *all->present) : NULL;
    if (!all->present) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool has = micai_value_has(all->world->state,
                                   micai_entity_ref_of(all->world->state, entities[i]), all->type);
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
            all->world->state, micai_entity_ref_of(all->world->state, all->present[i]), all->type);
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
    micai_new_values values =
        micai_new_values_in_pool(all->pool, all->pool->table.count, all->moved_count);
    values.data = all->data;
    mica_result result =
        micai_new_values_reserve(all->world, all->pool, all->moved, all->moved_count);
    return result ? result : micai_new_values_construct(all->world, &values);
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

// Sorts by table and row.
static mica_result sort_moved(each *all)
{
    sort_key *keys = allocate(all, all->moved_count, sizeof *keys);
    if (!keys) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < all->moved_count; i++) {
        micai_row row = micai_row_of(&all->world->state->store,
                                     micai_entity_ref_of(all->world->state, all->moved[i]).record);
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
    uint32_t column = one->t->steps->column;
    if (!result && column) {
        micai_new_values values = micai_new_values_in_table(target, column, one->count);
        values.data = all->data;
        result = micai_new_values_construct(all->world, &values);
        one->made = result ? one->made : values;
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
        micai_debug_relocate_from(&state->store, one->t->source, 0);
        micai_debug_relocate_from(&state->store, one->t->target, 0);
    }
    micai_store_tidy(&state->store, all->tables);
}

// Observers

static mica_result reserve_notifications(each *all)
{
    mica_world *world = all->world;
    listed *list = &all->listed;
    all->observed =
        world->state->observers > 0 && micai_type_is_watched(all->type, MICAI_WATCH_CHANGES);
    if (!all->observed) {
        return MICA_OK;
    }
    bool *moves = allocate(all, list->count, sizeof *moves);
    mica_result result = moves ? MICA_OK : MICA_ERROR_MEMORY;
    result = result ? result : micai_notification_reserve(world, list->count, &list->matched);
    for (uint32_t i = 0; !result && i < list->count; i++) {
        moves[i] =
            micai_value_has(world->state, micai_entity_ref_of(world->state, list->entities[i]),
                            all->type) == all->remove;
    }
    all->peers = (micai_listed_peers){list->entities, moves, list->count};
    list->moves = moves;
    list->remove = all->remove;
    list->notification = micai_notification_begin(world, all->call);
    list->notification.one = all->type;
    list->notification.given = all->data != NULL;
    list->notification.is_peer = micai_notification_is_listed;
    list->notification.peers = &all->peers;
    return result;
}

static mica_result run(each *all)
{
    bool pooled = micai_pool_keeps(all->type);
    const micai_new_links added = {all->type, all->listed.entities, all->listed.count, all->data,
                                   0};
    mica_result result = all->type->relation && !all->remove
                             ? micai_link_prepare(all->world, all->call, &added)
                             : MICA_OK;
    result = result ? result : reserve_notifications(all);
    result = result ? result : sort_out(all);
    result = result ? result
                    : micai_copies_make(&all->copies, all->world, all->type, all->data,
                                        all->present_count);
    result = result ? result : pooled ? reserve_pool(all) : reserve_batches(all);
    for (uint32_t i = 0; result && i < all->batch_count; i++) {
        micai_new_values_undo(all->world, &all->batches[i].made);
    }
    if (!result) {
        if (all->observed) {
            notify_listed(&all->listed, MICAI_WATCH_BEFORE);
        }
        commit_present(all);
        if (pooled) {
            commit_pool(all);
        } else {
            commit_batches(all);
        }
        if (all->observed) {
            notify_listed(&all->listed, MICAI_WATCH_AFTER);
        }
    }
    micai_copies_free(&all->copies);
    return result;
}

bool micai_change_moves_tables(const micai_type *type)
{
    return !micai_pool_keeps(type) && !micai_type_is_watched(type, MICAI_WATCH_CHANGES);
}

mica_result micai_change_each(mica_world *world, const char *call, const mica_entity *entities,
                              uint32_t count, const micai_type *type, bool remove, const void *data)
{
    each all = {.world = world,
                .call = call,
                .type = type,
                .remove = remove,
                .tables = world->state->store.tables.count,
                .listed = {.world = world, .entities = entities, .count = count}};
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    micai_copies aside; // the data may lie in the world and move when capacity grows
    mica_result result = micai_copies_make(&aside, world, type, data, data ? 1 : 0);
    if (!result) {
        all.data = aside.block;
        result = run(&all);
        micai_copies_free(&aside);
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

// Toggles

// Toggles move no rows, but notify observers like all changes.

bool micai_toggle_sweeps_tables(const micai_type *type)
{
    return !micai_pool_keeps(type) && !micai_type_is_watched(type, MICAI_WATCH_TOGGLES);
}

mica_result micai_change_check_toggle(mica_world *world, const char *call, const micai_type *type,
                                      bool recordable)
{
    if (world->state->notifying == 0 || !micai_type_is_watched(type, MICAI_WATCH_TOGGLES)) {
        return MICA_OK;
    }
    return recordable ? micai_world_refuse_change(world, call) : micai_world_refuse(world, call);
}

// Lists the entities whose flag changes, and reserves memory to notify query observers.
static mica_result list_toggled(listed *all, const mica_entity *entities, uint32_t count,
                                const micai_type *type, bool off)
{
    mica_world *world = all->world;
    mica_entity *changed = micai_arena_alloc_array(&world->host, &world->scratch, count,
                                                   sizeof *changed, _Alignof(mica_entity));
    if (!changed) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const micai_entity_ref ref = micai_entity_ref_of(world->state, entities[i]);
        if (micai_value_has(world->state, ref, type) &&
            micai_value_is_on(world->state, ref, type) == off) {
            changed[all->count++] = entities[i];
        }
    }
    all->entities = changed;
    bool matches = micai_type_is_watched(type, MICAI_WATCH_MATCHES);
    return matches ? micai_notification_reserve(world, all->count, &all->matched) : MICA_OK;
}

mica_result micai_change_toggle_each(mica_world *world, const char *call,
                                     const mica_entity *entities, uint32_t count,
                                     const micai_type *type, bool off)
{
    listed all = {.world = world};
    bool observed = micai_type_is_watched(type, MICAI_WATCH_TOGGLES);
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    mica_result result = list_toggled(&all, entities, count, type, off);
    if (!result) {
        all.notification = micai_notification_begin(world, call);
        all.notification.toggled = type;
        all.notification.off = off;
        if (observed) {
            notify_listed(&all, MICAI_WATCH_BEFORE);
        }
        for (uint32_t i = 0; i < all.count; i++) {
            micai_value_toggle(world, micai_entity_ref_of(world->state, all.entities[i]), type,
                               off);
        }
        if (observed) {
            notify_listed(&all, MICAI_WATCH_AFTER);
        }
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

mica_result micai_change_toggle(mica_world *world, const char *call, mica_entity entity,
                                const micai_type *type, bool off)
{
    micai_host_begin(&world->host, call);
    mica_result result = micai_change_toggle_each(world, call, &entity, 1, type, off);
    micai_host_end(&world->host);
    return result;
}
