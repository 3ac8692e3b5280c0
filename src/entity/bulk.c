// Changing whole tables, and the storage of a component. bulk.h and change.h have the contracts.
#include "entity/bulk.h"

#include "entity/change.h"
#include "entity/copies_internal.h"
#include "entity/data.h"
#include "store/pool/transfer.h"
#include "store/table/debug_relocate.h"

// Changes by query

// Tables that change as a whole, and their reservations.
typedef struct sweep {
    mica_world *world;
    const micai_type *type;
    uint32_t known;       // tables of the store, before
    micai_table **tables; // those with rows
    uint32_t count;
    micai_transfer *moves; // for tables that lack the type (to add) or have it (to remove)
    uint32_t move_count;
    micai_copies copies; // for overwriting existing values
} sweep;

// Copies the list, because finding a transition may create a table and grow a query's list of
// tables.
static mica_result begin_sweep(sweep *all, mica_world *world, micai_table *const *tables,
                               uint32_t count, const micai_type *type)
{
    *all = (sweep){.world = world, .type = type, .known = world->state->store.tables.count};
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
        micai_debug_relocate_from(store, t->source, 0);
        micai_debug_relocate_from(store, t->target, 0);
    }
    all->move_count = 0;
    micai_store_tidy(store, all->known);
}

// Releases unused reservations: all of them after a failure.
static void end_sweep(sweep *all)
{
    while (all->move_count > 0) {
        micai_transfer_cancel(&all->world->state->store, &all->moves[--all->move_count]);
    }
    micai_copies_free(&all->copies);
}

// Returns the number of values to overwrite.
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

static mica_result run(sweep *all, bool remove, const void *data)
{
    mica_result result =
        data ? micai_copies_make(&all->copies, all->world, all->type, data, count_present(all))
             : MICA_OK;
    result = result ? result : reserve_moves(all, remove, data);
    if (!result) {
        if (data) { // before other rows join these tables
            overwrite_present(all);
        }
        commit_moves(all);
    }
    return result;
}

mica_result micai_change_tables(mica_world *world, micai_table *const *tables, uint32_t count,
                                const micai_type *type, bool remove, const void *data)
{
    sweep all;
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    micai_copies aside = {0}; // the data may lie in the world and move when capacity grows
    mica_result result = data ? micai_copies_make(&aside, world, type, data, 1) : MICA_OK;
    if (!result) {
        result = begin_sweep(&all, world, tables, count, type);
        result = result ? result : run(&all, remove, aside.block);
        end_sweep(&all);
        micai_copies_free(&aside);
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

void micai_despawn_table(mica_world *world, micai_table *table)
{
    bool sides = (world->state->side_tables_in_use | world->state->pools.row_count) != 0;
    for (uint32_t row = 0; sides && row < table->count; row++) {
        micai_change_remove_sides(world, micai_table_entity(table, row));
    }
    for (uint32_t row = 0; row < table->count; row++) {
        micai_slots_release(world->state->host, &world->state->slots,
                            micai_table_entity(table, row));
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
    micai_store_compact_rings(&state->store, UINT32_MAX);
    micai_slots_clear(state->host, &state->slots);
}

// Storage

static void *allocate(const micai_storage_change *c, uint32_t count, size_t size)
{
    return micai_arena_alloc_array(&c->world->host, &c->world->scratch, count, size,
                                   _Alignof(max_align_t));
}

// Migrations

static mica_result reserve_migration(micai_storage_change *c, micai_migration *m,
                                     micai_table *table, bool remove)
{
    micai_store *store = &c->world->state->store;
    m->t = micai_transition_one(store, table, c->type, remove);
    return m->t ? micai_transfer_reserve_raw(store, m->t, m->entities, m->count, &m->transfer)
                : c->world->host.failed;
}

// Reserves the moves of all tables with the type to tables without it.
static mica_result reserve_to_pool(micai_storage_change *c)
{
    micai_store *store = &c->world->state->store;
    uint32_t count = store->tables.count; // tables created here lack the type
    uint32_t values = 0;
    mica_result result = MICA_OK;
    c->list = allocate(c, count, sizeof *c->list);
    if (!c->list) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t id = 0; !result && id < count; id++) {
        micai_table *table = store->tables.items[id];
        if (micai_table_has(table, c->type->number) && table->count > 0) {
            micai_migration *m = &c->list[c->count];
            *m = (micai_migration){.count = table->count};
            result = reserve_migration(c, m, table, true);
            c->count += !result;
            values += table->count;
        }
    }
    micai_pools *pools = &c->world->state->pools;
    c->pool = result ? NULL : micai_pools_open(pools, c->type);
    if (!c->pool) {
        return c->world->host.failed;
    }
    result = values > 0 ? micai_pool_reserve(pools, c->pool, values) : MICA_OK;
    return result || values == 0
               ? result
               : micai_pool_reserve_slots(pools, c->pool, (micai_slot_capacity){0});
}

// Lists the entities of a table that are in the pool, unless that is all of them.
static mica_result list_entities(micai_storage_change *c, micai_migration *m,
                                 const micai_table *table)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < table->count; row++) {
        uint32_t slot = mica_entity_slot(micai_table_entity(table, row));
        count += micai_pool_row(c->pool, slot) != MICAI_INDEX_NONE;
    }
    *m = (micai_migration){.count = count};
    if (count == 0 || count == table->count) {
        return MICA_OK;
    }
    m->entities = allocate(c, count, sizeof *m->entities);
    count = 0;
    for (uint32_t row = 0; m->entities && row < table->count; row++) {
        mica_entity entity = micai_table_entity(table, row);
        if (micai_pool_row(c->pool, mica_entity_slot(entity)) != MICAI_INDEX_NONE) {
            m->entities[count++] = entity;
        }
    }
    return m->entities ? MICA_OK : MICA_ERROR_MEMORY;
}

// Reserves the moves of all entities in the pool to tables with the type.
static mica_result reserve_to_tables(micai_storage_change *c)
{
    micai_store *store = &c->world->state->store;
    uint32_t count = store->tables.count;
    mica_result result = MICA_OK;
    c->pool = micai_pools_find(&c->world->state->pools, c->type->info.type);
    c->list = allocate(c, count, sizeof *c->list);
    if (!c->list) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t id = 0; c->pool && !result && id < count; id++) {
        micai_table *table = store->tables.items[id];
        micai_migration *m = &c->list[c->count];
        result = list_entities(c, m, table);
        if (!result && m->count > 0) {
            result = reserve_migration(c, m, table, false);
            c->count += !result;
        }
    }
    return result;
}

void micai_storage_cancel(micai_storage_change *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        micai_transfer_cancel(&c->world->state->store, &c->list[i].transfer);
    }
    if (c->pool && c->before != MICA_SPARSE) {
        micai_pool_abandon(&c->world->state->pools, c->pool);
    }
    micai_rebuild_cancel(&c->world->state->store, &c->rebuild);
    micai_transitions_drop_unpinned(
        &c->world->state->store); // some assume the new storage of the type
}

mica_result micai_storage_reserve(micai_storage_change *c)
{
    bool to_pool = c->type->info.storage == MICA_SPARSE;
    return to_pool ? reserve_to_pool(c)
           : c->before == MICA_SPARSE
               ? reserve_to_tables(c)
               : micai_rebuild_reserve(&c->world->state->store, c->type, &c->rebuild);
}

void micai_storage_commit(micai_storage_change *c)
{
    micai_state *state = c->world->state;
    bool to_pool = c->type->info.storage == MICA_SPARSE;
    for (uint32_t i = 0; i < c->count; i++) {
        if (to_pool) {
            micai_pool_take_table(&state->pools, c->pool, c->list[i].t->source);
        }
        micai_transfer_commit(&state->store, &c->list[i].transfer, c->world->view.tick);
    }
    if (c->pool && !to_pool) {
        micai_pool_give_tables(&state->pools, c->pool);
        micai_pool_abandon(&state->pools, c->pool);
    }
    micai_rebuild_commit(&state->store, &c->rebuild);
    micai_bundles_refresh(state);
}

void micai_storage_finish(const micai_storage_change *c)
{
    micai_store *store = &c->world->state->store;
    if (c->type->info.storage == MICA_SPARSE) {
        micai_store_drop_type(store, c->type->number);
    }
    micai_store_compact_rings(store, UINT32_MAX);
}

mica_result micai_storage_check(mica_world *world, const char *call, const micai_type *type,
                                mica_storage storage)
{
    if (type->info.size == 0) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: '%.80s' is a tag and has no values that could be kept elsewhere",
                          call, type->info.name);
    }
    if (type->info.storage == storage) {
        return MICA_OK;
    }
    if (type->relation) {
        return micai_fail(&world->host, MICA_ERROR_STORAGE,
                          "%s: '%.80s' is a relation, and its links are sparse", call,
                          type->info.name);
    }
    if (type->info.stable) {
        return micai_fail(&world->host, MICA_ERROR_STORAGE,
                          "%s: '%.80s' is stable: its values stay where they are", call,
                          type->info.name);
    }
    const micai_pool *pool = micai_pools_find(&world->state->pools, type->info.type);
    if (pool && pool->groups.count > 0) {
        return micai_fail(&world->host, MICA_ERROR_OWNED, "%s: '%.80s' is in %s", call,
                          type->info.name, micai_group_describe(pool->groups.items[0]).text);
    }
    return MICA_OK;
}
