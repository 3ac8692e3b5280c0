// Changing how a component is kept while the world runs. In this room, because queries are compiled
// for the storages of their terms.
//
// Everything is got ready beside what there is; then values are relocated, and tables, pools and queries are
// exchanged, which cannot fail.
//
//   table, split, ring         the tables get other layouts: store/table/rebuild
//   tables -> pool             whole tables go where removing the component would lead, without its values,
//                              which join the pool
//   pool   -> tables           tables of which all entities have the component go whole where adding it
//                              would lead; of others, those that have it go one by one
//
// So beside what there is, memory is needed for the values, and where rows go one by one, for some of them and
// for what others keep of them in rings: transfer.h. Room that tables grow by otherwise is not kept ready here.
#include <assert.h>

#include "base/canary.h"
#include "entity/data.h"
#include "entity/notify.h"
#include "query/query.h"
#include "query/segment.h"
#include "store/pool/group.h"
#include "store/table/rebuild.h"
#include "store/table/transfer.h"

// Entities of a table that go along an edge: all of them, or some.
typedef struct train {
    micai_edge *edge;
    micai_transfer transfer;
    mica_entity *riders; // if they are some
    uint32_t count;
} train;

typedef struct change {
    mica_world *world;
    const micai_type *type;
    mica_storage before;
    micai_rebuild rebuild;
    micai_pool *pool;
    train *trains;
    uint32_t train_count;
    micai_query **again; // by number of the query; NULL: it stays as it is
    uint32_t again_count;
} change;

static void *cut(const change *c, uint32_t count, size_t size)
{
    return micai_arena_alloc_array(&c->world->host, &c->world->scratch, count, size,
                                   _Alignof(max_align_t));
}

// Trains

static mica_result reserve_train(change *c, train *t, micai_table *table, bool remove)
{
    micai_store *store = &c->world->state->store;
    t->edge = micai_edge_of(store, table, c->type->number, remove);
    return t->edge ? micai_transfer_reserve_raw(store, t->edge, t->riders, t->count, &t->transfer)
                   : c->world->host.failed;
}

// All tables that have the type, to where they have it not.
static mica_result reserve_leaving(change *c)
{
    micai_store *store = &c->world->state->store;
    uint32_t count = store->tables.count; // and those that are made here have not the type
    uint32_t values = 0;
    mica_result result = MICA_OK;
    c->trains = cut(c, count, sizeof *c->trains);
    if (!c->trains) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t id = 0; !result && id < count; id++) {
        micai_table *table = store->tables.items[id];
        if (micai_table_has(table, c->type->number) && table->count > 0) {
            train *t = &c->trains[c->train_count];
            *t = (train){.count = table->count};
            result = reserve_train(c, t, table, true);
            c->train_count += !result;
            values += table->count;
        }
    }
    micai_pools *pools = &c->world->state->pools;
    c->pool = result ? NULL : micai_pools_open(pools, c->type);
    if (!c->pool) {
        return c->world->host.failed;
    }
    result = values > 0 ? micai_pool_reserve(pools, c->pool, values) : MICA_OK;
    return result || values == 0 ? result
                                 : micai_pool_reserve_slots(pools, c->pool, (micai_slot_room){0});
}

// Who of a table has the type, in the pool that it is in; all of them are not listed.
static mica_result find_riders(change *c, train *t, const micai_table *table)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < table->count; row++) {
        uint32_t slot = mica_entity_slot(micai_table_entity(table, row));
        count += micai_pool_place(c->pool, slot) != MICAI_POOL_NONE;
    }
    *t = (train){.count = count};
    if (count == 0 || count == table->count) {
        return MICA_OK;
    }
    t->riders = cut(c, count, sizeof *t->riders);
    count = 0;
    for (uint32_t row = 0; t->riders && row < table->count; row++) {
        mica_entity entity = micai_table_entity(table, row);
        if (micai_pool_place(c->pool, mica_entity_slot(entity)) != MICAI_POOL_NONE) {
            t->riders[count++] = entity;
        }
    }
    return t->riders ? MICA_OK : MICA_ERROR_MEMORY;
}

// Those who are in the pool, to where they have the type in tables.
static mica_result reserve_coming(change *c)
{
    micai_store *store = &c->world->state->store;
    uint32_t count = store->tables.count;
    mica_result result = MICA_OK;
    c->pool = micai_pools_find(&c->world->state->pools, c->type->info.type);
    c->trains = cut(c, count, sizeof *c->trains);
    if (!c->trains) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t id = 0; c->pool && !result && id < count; id++) {
        micai_table *table = store->tables.items[id];
        train *t = &c->trains[c->train_count];
        result = find_riders(c, t, table);
        if (!result && t->count > 0) {
            result = reserve_train(c, t, table, false);
            c->train_count += !result;
        }
    }
    return result;
}

static void cancel_trains(change *c)
{
    for (uint32_t i = 0; i < c->train_count; i++) {
        micai_transfer_cancel(&c->world->state->store, &c->trains[i].transfer);
    }
    if (c->pool) {
        micai_pool_cancel(&c->world->state->pools, c->pool);
        if (c->before != MICA_SPARSE) {
            micai_pool_abandon(&c->world->state->pools, c->pool);
        }
    }
}

// How many rows of a table, from one on, can join the pool at once: those of which one tick speaks, and
// that find room side by side.
static uint32_t rows_to_join(const change *c, micai_cell cell, uint64_t *tick_out)
{
    uint32_t end;
    *tick_out = micai_table_tick(cell.table, cell.column, cell.row, &end);
    uint32_t block = UINT32_C(1) << c->pool->view.block_shift;
    uint32_t room = block - (c->pool->count & (block - 1));
    return end - cell.row < room ? end - cell.row : room;
}

// The entity of a row joins the pool, which has got its value, with its flag and its ticks.
static void join_pool(const change *c, micai_cell cell, uint64_t tick)
{
    micai_pool *pool = c->pool;
    uint32_t place = pool->count;
    uint64_t *written = &pool->room.ticks[place >> MICAI_POOL_TICK_SHIFT];
    uint64_t before = place & ((1u << MICAI_POOL_TICK_SHIFT) - 1) ? *written : 0;
    micai_pool_join(&c->world->state->pools, pool, place, micai_table_entity(cell.table, cell.row),
                    tick);
    bool off = c->type->info.toggle && micai_toggle_is_off(cell);
    if (MICAI_CANARY("query.storage_flag")) {
        off = false;
    }
    if (off) {
        micai_pool_toggle(pool, place, true, tick);
    }
    *written = before > tick ? before : tick;
    if (pool->room.changed) {
        const micai_ticks ticks = micai_ticks_get(cell);
        pool->room.changed[place] = ticks.changed;
        pool->room.added[place] = ticks.added;
    }
}

static void fill_pool(const change *c, micai_table *table)
{
    micai_cell cell = {table, micai_table_column(table, c->type->number), 0};
    assert(c->pool); // it was opened with the first that leaves
    while (cell.row < table->count) {
        uint64_t tick;
        uint32_t rows = rows_to_join(c, cell, &tick);
        micai_table_kind(table, cell.column)
            ->give(&c->world->state->store, cell, micai_pool_value(c->pool, c->pool->count), rows);
        for (; rows > 0; rows--, cell.row++) {
            join_pool(c, cell, tick);
        }
    }
}

static const micai_record *record_at(const change *c, uint32_t place)
{
    uint32_t slot = mica_entity_slot(c->pool->room.entities[place]);
    return micai_slots_at(&c->world->state->slots, slot);
}

// How many values of the pool, from a place on, lie side by side and go to rows that follow one another.
static uint32_t places_to_leave(const change *c, uint32_t place)
{
    const micai_store *store = &c->world->state->store;
    uint32_t most = micai_pool_span(c->pool, place);
    const micai_row first = micai_row_of(store, record_at(c, place));
    uint32_t count = 1;
    while (count < most && micai_row_follows(first, record_at(c, place + count), count)) {
        count++;
    }
    return count;
}

// The values of the pool go to the rows of their entities, which have room for them.
static void fill_tables(const change *c)
{
    micai_store *store = &c->world->state->store;
    const micai_pool *pool = c->pool;
    for (uint32_t place = 0; place < pool->count;) {
        uint32_t count = places_to_leave(c, place);
        micai_row row = micai_row_of(store, record_at(c, place));
        uint32_t column = micai_table_column(micai_row_table(row), c->type->number);
        micai_cell cell = micai_row_cell(row, column);
        micai_table_kind(cell.table, column)
            ->take(store, cell, micai_pool_value(pool, place), count);
        for (; count > 0; place++, cell.row++, count--) {
            if (c->type->info.toggle) {
                micai_toggle_make(store, cell, micai_pool_is_off(pool, place));
            }
            if (pool->room.changed) {
                micai_ticks_set(cell,
                                (micai_ticks){pool->room.changed[place], pool->room.added[place]});
            }
        }
    }
}

// Queries

static micai_queries *queries_of(const change *c)
{
    return c->world->state->modules[MICAI_MODULE_QUERY].data;
}

static mica_result reserve_queries(change *c)
{
    const micai_queries *queries = queries_of(c);
    uint32_t count = queries ? queries->handles.list.count : 0;
    c->again = count > 0 ? cut(c, count, sizeof *c->again) : NULL;
    if (count > 0 && !c->again) {
        return MICA_ERROR_MEMORY;
    }
    for (; c->again_count < count; c->again_count++) {
        const micai_query *query = queries->handles.list.items[c->again_count];
        micai_query **again = &c->again[c->again_count];
        bool named = query && micai_query_has_term(query, c->type);
        *again = named ? micai_query_compile_again(c->world, query) : NULL;
        if (named && !*again) {
            return c->world->host.failed;
        }
    }
    return MICA_OK;
}

static void cancel_queries(change *c)
{
    for (uint32_t i = 0; i < c->again_count; i++) {
        if (c->again[i]) {
            micai_query_drop(c->world, c->again[i]);
        }
    }
}

static void commit_queries(change *c)
{
    micai_queries *queries = queries_of(c);
    if (MICAI_CANARY("query.storage")) {
        cancel_queries(c);
        return;
    }
    for (uint32_t i = 0; i < c->again_count; i++) {
        if (c->again[i]) {
            micai_query_replace(c->world, queries->handles.list.items[i], c->again[i]);
        }
    }
    for (uint32_t i = 0; queries && i < queries->handles.list.count; i++) {
        if (queries->handles.list.items[i]) {
            micai_query_look_again(queries->handles.list.items[i]);
        }
    }
}

// All of it

static mica_result reserve(change *c)
{
    bool from_pool = c->before == MICA_SPARSE;
    bool to_pool = c->type->info.storage == MICA_SPARSE;
    mica_result result = to_pool ? reserve_leaving(c)
                         : from_pool
                             ? reserve_coming(c)
                             : micai_rebuild_reserve(&c->world->state->store, c->type, &c->rebuild);
    return result ? result : reserve_queries(c);
}

static void cancel(change *c)
{
    cancel_queries(c);
    cancel_trains(c);
    micai_rebuild_cancel(&c->world->state->store, &c->rebuild);
}

static void commit(change *c)
{
    micai_state *state = c->world->state;
    bool to_pool = c->type->info.storage == MICA_SPARSE;
    if (c->pool) {
        micai_pool_settle(&state->pools, c->pool);
    }
    for (uint32_t i = 0; i < c->train_count; i++) {
        if (to_pool) {
            fill_pool(c, c->trains[i].edge->source);
        }
        micai_transfer_commit(&state->store, &c->trains[i].transfer, c->world->view.tick);
    }
    if (c->pool && !to_pool) {
        fill_tables(c);
        micai_pool_abandon(&state->pools, c->pool);
    }
    micai_rebuild_commit(&state->store, &c->rebuild);
    micai_bundles_forget_all(micai_bundles_of(state));
    commit_queries(c);
    if (to_pool) {
        micai_store_drop_type(&state->store, c->type->number);
    }
    micai_store_settle(&state->store, UINT32_MAX);
}

static mica_result carry_out(mica_world *world, const char *call, const micai_type *type,
                             mica_storage storage)
{
    micai_registry *registry = &world->state->registry;
    change c = {.world = world, .type = type, .before = type->info.storage};
    uint32_t tables = micai_world_begin(world, call);
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    mica_result result = micai_registry_check_storage(&world->host, registry, call, type, storage);
    if (!result) {
        micai_registry_set_storage(registry, type, storage);
        result = reserve(&c);
        if (!result) {
            commit(&c);
        } else {
            cancel(&c);
        }
    }
    micai_arena_rewind(&world->scratch, mark);
    if (result) { // before anybody is told, who may look
        micai_store_take_back(&world->state->store, tables);
        micai_registry_set_storage(registry, type, c.before);
    }
    micai_watch_pools(world->state);
    return micai_world_end(world, tables, result);
}

static mica_result check(mica_world *world, const char *call, const micai_type *type,
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

mica_result mica_type_set_storage(mica_world *world, mica_type type, mica_storage storage)
{
    static const char call[] = "mica_type_set_storage";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    const micai_type *found =
        micai_world_guard(world, call) ? NULL : micai_world_type(world, call, type);
    if (!found) {
        return micai_world_failed(world);
    }
    mica_result result = check(world, call, found, storage);
    if (result || found->info.storage == storage) {
        return result;
    }
    return carry_out(world, call, found, storage);
}
