// Plans for many entities at once: those of a bundle, of whole tables; and ends. plan.h has the
// contract.
#include <inttypes.h>
#include <stdlib.h>

#include "base/canary.h"
#include "entity/bundle.h"
#include "entity/change.h"
#include "entity/copies.h"
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
static void tell_of_rows(mica_world *world, const char *call, const micai_table *table,
                         uint32_t first, const mica_types *set)
{
    micai_tidings tidings = micai_tidings_begin(world, call);
    tidings.spawns = true;
    tidings.set = set;
    tidings.is_peer = micai_tidings_is_row_behind;
    for (uint32_t row = first; row < table->count; row++) {
        tidings.who = find_living(world->state, micai_table_entity(table, row));
        micai_tidings_tell(world, &tidings, MICAI_WATCH_AFTER);
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
            tell_of_rows(world, "mica_spawn_many", table, first, &set);
        }
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

// Whole tables

// Tables that are changed as a whole, and what was reserved for that.
typedef struct sweep {
    mica_world *world;
    const micai_type *type;
    micai_table **tables; // those with rows
    uint32_t count;
    micai_transfer *moves; // of those that lack the type; that have it, to remove it
    uint32_t move_count;
    micai_copies copies; // to overwrite what is there
} sweep;

// The list is copied: working out an edge may make a table, and a query's list of tables grow.
static mica_result begin_sweep(sweep *all, mica_world *world, micai_table *const *tables,
                               uint32_t count, const micai_type *type)
{
    *all = (sweep){.world = world, .type = type};
    all->tables = micai_arena_alloc_array(&world->host, &world->scratch, count, sizeof *tables,
                                          _Alignof(micai_table *));
    if (!all->tables) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (tables[i]->count > 0) {
            all->tables[all->count++] = tables[i];
        }
    }
    all->moves = micai_arena_alloc_array(&world->host, &world->scratch, all->count,
                                         sizeof *all->moves, _Alignof(micai_transfer));
    return all->moves ? MICA_OK : MICA_ERROR_MEMORY;
}

static mica_result reserve_moves(sweep *all, bool remove, const void *data)
{
    micai_store *store = &all->world->state->store;
    for (uint32_t i = 0; i < all->count; i++) {
        if (micai_table_has(all->tables[i], all->type->number) != remove) {
            continue;
        }
        const micai_transition *t = micai_transition_one(store, all->tables[i], all->type, remove);
        micai_transfer *move = &all->moves[all->move_count];
        mica_result result = t ? micai_transfer_reserve(store, t, data, move) : store->host->failed;
        if (result) {
            return result;
        }
        all->move_count++;
    }
    return MICA_OK;
}

static void commit_moves(sweep *all)
{
    micai_store *store = &all->world->state->store;
    for (uint32_t i = 0; i < all->move_count; i++) {
        const micai_transition *t = all->moves[i].t;
        micai_transfer_commit(store, &all->moves[i], all->world->view.tick);
        micai_stir_from(store, t->source, 0);
        micai_stir_from(store, t->target, 0);
    }
    all->move_count = 0;
    micai_store_tidy(store);
}

// Gives back what was not used up, which is everything if something failed.
static void end_sweep(sweep *all)
{
    while (all->move_count > 0) {
        micai_transfer_cancel(&all->world->state->store, &all->moves[--all->move_count]);
    }
    micai_copies_free(&all->copies);
}

// How many values there are to be overwritten.
static uint32_t count_present(const sweep *all)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const micai_table *table = all->tables[i];
        rows += micai_table_column(table, all->type->number) ? table->count : 0;
    }
    return rows;
}

static void overwrite_present(sweep *all)
{
    micai_store *store = &all->world->state->store;
    for (uint32_t i = 0; i < all->count; i++) {
        micai_table *table = all->tables[i];
        uint32_t column = micai_table_column(table, all->type->number);
        const micai_kind *kind = micai_table_kind(table, column);
        for (uint32_t row = 0; column && row < table->count; row++) {
            kind->replace(store, (micai_cell){table, column, row}, micai_copies_take(&all->copies),
                          all->world->view.tick);
        }
    }
}

static mica_result set_all(sweep *all, const void *data)
{
    uint32_t present = data ? count_present(all) : 0;
    mica_result result = micai_copies_make(&all->copies, all->world, all->type, data, present);
    result = result ? result : reserve_moves(all, false, data);
    if (!result) {
        if (data) { // before others join these tables
            overwrite_present(all);
        }
        commit_moves(all);
    }
    end_sweep(all);
    return result;
}

mica_result micai_change_set_tables(mica_world *world, micai_table *const *tables, uint32_t count,
                                    const micai_type *type, const void *data)
{
    sweep all;
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    micai_copies aside; // the data may lie in the world, and move when room is made
    mica_result result = micai_copies_make(&aside, world, type, data, data ? 1 : 0);
    if (!result) {
        result = begin_sweep(&all, world, tables, count, type);
        result = result ? result : set_all(&all, aside.block);
        micai_copies_free(&aside);
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

mica_result micai_change_remove_tables(mica_world *world, micai_table *const *tables,
                                       uint32_t count, const micai_type *type)
{
    sweep all;
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    mica_result result = begin_sweep(&all, world, tables, count, type);
    result = result ? result : reserve_moves(&all, true, NULL);
    if (!result) {
        commit_moves(&all);
    }
    end_sweep(&all);
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

// Ends

// Is anything kept by entity beside its row?
static bool is_kept(const micai_state *state)
{
    return (state->keepers | state->pools.kept) != 0;
}

// Everybody who keeps something by entity lets go of it. To be asked only if there is somebody.
static void tell_of_end(mica_world *world, mica_entity entity)
{
    if (MICAI_CANARY("entity.name_of_the_dead")) {
        return;
    }
    if (world->state->keepers > 0) {
        micai_sides_remove(world->state, entity);
    }
    if (world->state->pools.kept > 0) {
        micai_pools_forget(&world->state->pools, mica_entity_slot(entity), world->view.tick);
    }
}

mica_result micai_change_validate(mica_world *world)
{
    bool known = micai_watch_is_right(world->state);
    uint32_t keepers =
        micai_sides_count_used(world->state) + (uint32_t)(known && world->state->pools_watched > 0);
    if (!known || keepers != world->state->keepers) {
        return micai_fail_invariant(&world->host, "W6",
                                    "there are %" PRIu32 " keepers, not %" PRIu32, keepers,
                                    world->state->keepers);
    }
    return micai_change_keeps_promise(world)
               ? MICA_OK
               : micai_fail_invariant(&world->host, "W7",
                                      "scratch memory was promised and is not there");
}

// Despawning

static void end_row(mica_world *world, mica_entity entity, micai_row row)
{
    micai_state *state = world->state;
    micai_table *table = micai_row_table(row);
    uint32_t number = micai_row_number(row);
    if (is_kept(state)) {
        tell_of_end(world, entity);
    }
    micai_table_end_values(&state->store, table, number, 1);
    micai_row_drop(&state->store, row, world->view.tick);
    micai_slots_give(state->host, &state->slots, entity);
    micai_stir_row(&state->store, table, number);
}

static void end_entity(mica_world *world, mica_entity entity)
{
    micai_state *state = world->state;
    for (;;) {
        micai_dependents dependents = {.state = state, .owner = entity};
        if (MICAI_CANARY("entity.dead_owner") || !micai_dependents_next(&dependents)) {
            break;
        }
        mica_entity one = dependents.entity;
        const micai_record *record = micai_slots_at(&state->slots, mica_entity_slot(one));
        end_row(world, one, micai_row_of(&state->store, record));
    }
    const micai_record *record = micai_slots_at(&state->slots, mica_entity_slot(entity));
    end_row(world, entity, micai_row_of(&state->store, record));
}

mica_result micai_despawn_many(mica_world *world, const char *call, const mica_entity *entities,
                               uint32_t count)
{
    micai_state *state = world->state;
    mica_result result = state->observers > 0
                             ? micai_despawn_notify_list(world, call, entities, count)
                             : MICA_OK;
    for (uint32_t i = 0; !result && i < count; i++) {
        // One that stands in the list twice has ended, and so may have a facet.
        if (micai_slots_find(&state->slots, entities[i])) {
            end_entity(world, entities[i]);
        }
    }
    if (!result && count > 1) {
        micai_store_settle(&state->store, count);
    }
    return result;
}

void micai_despawn_table(mica_world *world, micai_table *table)
{
    bool kept = is_kept(world->state);
    for (uint32_t row = 0; kept && row < table->count; row++) {
        tell_of_end(world, micai_table_entity(table, row));
    }
    for (uint32_t row = 0; row < table->count; row++) {
        micai_slots_give(world->state->host, &world->state->slots, micai_table_entity(table, row));
    }
    micai_table_clear(&world->state->store, table);
}

void micai_despawn_all(mica_world *world, const char *call)
{
    micai_state *state = world->state;
    micai_despawn_notify_tables(world, call, state->store.tables.items, state->store.tables.count);
    micai_sides_clear(state);
    micai_pools_clear(&state->pools);
    micai_store_clear(&state->store);
    micai_store_settle(&state->store, UINT32_MAX);
    micai_slots_clear(state->host, &state->slots);
}
