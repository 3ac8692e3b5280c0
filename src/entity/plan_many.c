// Plans for many entities at once: those of a bundle, of whole tables; and ends. plan.h has the
// contract.
#include <inttypes.h>
#include <stdlib.h>

#include "base/canary.h"
#include "entity/bundle.h"
#include "entity/copies_internal.h"
#include "entity/plan.h"
#include "store/table/debug_relocate.h"
#include "store/table/transfer.h"

static micai_living find_living(const micai_state *state, mica_entity entity)
{
    return (micai_living){entity, micai_slots_at(&state->slots, mica_entity_slot(entity))};
}

// Bundles

// The table of a bundle, without what is kept in pools.
static micai_table *find_table(mica_world *world, const micai_bundle *bundle)
{
    mica_types set = {0};
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < bundle->count; i++) {
        const micai_type *type = bundle->items[i].type;
        result =
            micai_pool_keeps(type) ? MICA_OK : micai_types_add(&world->host, &set, type->number);
    }
    micai_table *table = result ? NULL : micai_store_table(&world->state->store, &set);
    micai_types_free(&world->host, &set);
    return table;
}

static mica_result open_pools(mica_world *world, micai_bundle *bundle)
{
    for (uint32_t i = 0; i < bundle->count; i++) {
        micai_bundle_item *item = &bundle->items[i];
        if (micai_pool_keeps(item->type)) {
            item->pool = micai_pools_open(&world->state->pools, item->type);
            if (!item->pool) {
                return MICA_ERROR_MEMORY;
            }
        }
    }
    return MICA_OK;
}

mica_result micai_plan_prepare(mica_world *world, micai_bundle *bundle)
{
    micai_table *table = find_table(world, bundle);
    if (!table || open_pools(world, bundle)) {
        return world->host.failed;
    }
    micai_plan_prepare_items(table, bundle->items, bundle->count);
    micai_bundle_set(bundle, table, micai_plan_way(table, bundle->items, bundle->count));
    return MICA_OK;
}

// How the value of an item gets into a table; of one that is kept in a pool, only how large it is.
static micai_fill find_fill(const micai_table *table, const micai_type *type, uint32_t column)
{
    micai_fill fill = column ? micai_row_find_fill(table, column) : (micai_fill){0};
    fill.size = micai_pool_keeps(type) ? type->info.size : fill.size;
    return fill;
}

// Of one whose column is known.
void micai_plan_prepare_item(const micai_table *table, micai_bundle_item *item)
{
    item->fill = find_fill(table, item->type, item->column);
    item->given = item->type->info.size > 0 ? 1 : 0;
}

void micai_plan_prepare_items(const micai_table *table, micai_bundle_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        items[i].column = micai_table_column(table, items[i].type->number);
        micai_plan_prepare_item(table, &items[i]);
    }
}

micai_way micai_plan_way(const micai_table *table, const micai_bundle_item *items, uint32_t count)
{
    micai_way way = table->quick   ? MICAI_WAY_QUICK
                    : table->light ? MICAI_WAY_APART
                                   : MICAI_WAY_LONG;
    for (uint32_t i = 0; way != MICAI_WAY_LONG && i < count; i++) {
        const micai_bundle_item *item = &items[i];
        if (item->fill.size != item->type->info.size) {
            way = MICAI_WAY_LONG; // not as bytes
        } else if (item->pool || !micai_fill_is_plain(item->fill)) {
            way = MICAI_WAY_APART;
        }
    }
    return way;
}

bool micai_plan_fits(const micai_state *state, const micai_table *table,
                     const micai_bundle_item *items, uint32_t count)
{
    uint32_t pools = 0;
    bool fits = true;
    for (uint32_t i = 0; fits && i < count; i++) {
        const micai_bundle_item *item = &items[i];
        const micai_type *type = item->type;
        bool pooled = micai_pool_keeps(type);
        uint32_t column = micai_table_column(table, type->number);
        const micai_pool *pool = pooled ? micai_pools_find(&state->pools, type->info.type) : NULL;
        pools += pooled;
        fits = micai_table_has(table, type->number) != pooled && column == item->column &&
               micai_fill_equal(item->fill, find_fill(table, type, column)) &&
               item->given == (type->info.size > 0 ? 1 : 0) && item->pool == pool &&
               !pool == !pooled;
    }
    return fits && micai_bits_count(table->words, table->word_count) == count - pools;
}

// Undoes the values of the first `items` items in `count` raw rows. Values that were given, of a type
// that cannot be copied, go back.
static void unmake_columns(mica_world *world, const micai_bundle *bundle, uint32_t items,
                           uint32_t count, const mica_value *arrays)
{
    while (items-- > 0) {
        const micai_bundle_item *item = &bundle->items[items];
        const void *data = arrays ? arrays[items].data : NULL;
        if (item->pool) {
            micai_pool_undo(&world->state->pools, item->pool, item->pool->table.count, count, data,
                            item->type->info.size);
            continue;
        }
        if (item->type->info.size == 0) {
            continue;
        }
        const micai_kind *kind = micai_table_kind(bundle->table, item->column);
        micai_cell cell = micai_row_next(bundle->table, item->column);
        if (!data || micai_hook_can_copy(item->type)) {
            kind->end(&world->state->store, cell, count);
            continue;
        }
        unsigned char *array = (unsigned char *)data;
        for (uint32_t i = 0; i < count; i++, cell.row++) {
            kind->load(&world->state->store, cell, array + (size_t)i * item->type->info.size);
        }
    }
}

// Values for the slots that `count` new entities will have, behind the last in a pool.
static mica_result make_in_pool(mica_world *world, micai_pool *pool, uint32_t count,
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
static mica_result make_columns(mica_world *world, const micai_bundle *bundle, uint32_t count,
                                const mica_value *arrays)
{
    micai_store *store = &world->state->store;
    for (uint32_t i = 0; i < bundle->count; i++) {
        const micai_bundle_item *item = &bundle->items[i];
        const void *array = arrays ? arrays[i].data : NULL;
        mica_result result = MICA_OK;
        if (item->pool) {
            result = make_in_pool(world, item->pool, count, array);
        } else if (item->column) {
            result = micai_table_kind(bundle->table, item->column)
                         ->make(store, micai_row_next(bundle->table, item->column), count,
                                micai_store_follow(store, array), item->type->info.size);
        }
        if (result) {
            unmake_columns(world, bundle, i, count, arrays);
            return result;
        }
    }
    return MICA_OK;
}

// The new rows of a bundle's table join its pools, where their values are.
static void join_pools(mica_world *world, const micai_bundle *bundle, uint32_t first,
                       uint32_t count)
{
    micai_pools *pools = &world->state->pools;
    for (uint32_t i = 0; i < bundle->count; i++) {
        micai_pool *pool = bundle->items[i].pool;
        if (!pool) {
            continue;
        }
        for (uint32_t row = first; row < first + count; row++) {
            micai_pool_add(pools, pool, pool->table.count, micai_table_entity(bundle->table, row),
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
        const micai_type *type = bundle->items[i].type;
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
    for (uint32_t row = first; row < table->count; row++) {
        tidings.who = find_living(world->state, micai_table_entity(table, row));
        micai_tidings_tell(world, &tidings, MICAI_WATCH_AFTER);
    }
}

mica_result micai_plan_spawn_many(mica_world *world, const micai_bundle *bundle, uint32_t count,
                                  const mica_value *arrays, mica_entity *entities_out)
{
    micai_table *table = bundle->table;
    mica_types set;
    uint32_t watched = 0;
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    mica_result result = micai_plan_begin_note(world, &set);
    result = result ? result : note_arrays(world, bundle, arrays, &set, &watched);
    result = result ? result : micai_store_reserve(&world->state->store, table, count);
    result = result ? result : make_columns(world, bundle, count, arrays);
    if (!result) {
        uint32_t first = table->count;
        micai_row_append_many(&world->state->store, table, count, entities_out, world->view.tick);
        micai_stir_from(&world->state->store, table, first);
        join_pools(world, bundle, first, count);
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
        micai_edge *edge = micai_edge_of(store, all->tables[i], all->type->number, remove);
        micai_transfer *move = &all->moves[all->move_count];
        mica_result result =
            edge ? micai_transfer_reserve(store, edge, data, move) : store->host->failed;
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
        const micai_edge *edge = all->moves[i].edge;
        micai_transfer_commit(store, &all->moves[i], all->world->view.tick);
        micai_stir_from(store, edge->source, 0);
        micai_stir_from(store, edge->target, 0);
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

mica_result micai_plan_set_tables(mica_world *world, micai_table *const *tables, uint32_t count,
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

mica_result micai_plan_remove_tables(mica_world *world, micai_table *const *tables, uint32_t count,
                                     const micai_type *type)
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

mica_result micai_plan_validate(mica_world *world)
{
    bool known = micai_watch_is_right(world->state);
    uint32_t keepers =
        micai_sides_count_used(world->state) + (uint32_t)(known && world->state->pools_watched > 0);
    if (!known || keepers != world->state->keepers) {
        return micai_fail_invariant(&world->host, "W6",
                                    "there are %" PRIu32 " keepers, not %" PRIu32, keepers,
                                    world->state->keepers);
    }
    return micai_plan_keeps_promise(world)
               ? MICA_OK
               : micai_fail_invariant(&world->host, "W7",
                                      "scratch memory was promised and is not there");
}

// Observers of ends

static void tell_end(mica_world *world, micai_tidings *tidings, mica_entity entity)
{
    tidings->who = find_living(world->state, entity);
    if ((micai_tidings_watched(world->state, tidings->who) & MICAI_WATCH_BEFORE) != 0) {
        micai_tidings_tell(world, tidings, MICAI_WATCH_BEFORE);
    }
}

static micai_tidings begin_ends(const mica_world *world, const char *call)
{
    micai_tidings tidings = micai_tidings_begin(world, call);
    tidings.ends = true;
    return tidings;
}

// Facets come with their owners, right before them.
void micai_plan_tell_table(mica_world *world, const char *call, const micai_table *table)
{
    if (world->state->observers == 0 || table->facet) {
        return;
    }
    micai_tidings tidings = begin_ends(world, call);
    for (uint32_t row = 0; row < table->count; row++) {
        mica_entity entity = micai_table_entity(table, row);
        micai_dependents dependents = {.state = world->state, .owner = entity};
        while (micai_dependents_next(&dependents)) {
            tell_end(world, &tidings, dependents.entity);
        }
        tell_end(world, &tidings, entity);
    }
}

// An entity in a list of those that end, and its place there.
typedef struct ending {
    mica_entity entity;
    uint32_t place;
} ending;

static int compare_endings(const void *a, const void *b)
{
    const ending *x = a;
    const ending *y = b;
    return x->entity.bits != y->entity.bits ? (x->entity.bits < y->entity.bits ? -1 : 1)
                                            : (x->place > y->place) - (x->place < y->place);
}

static int compare_places(const void *a, const void *b)
{
    const ending *x = a;
    const ending *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

// How many there are with their facets, those that are listed twice counted twice; puts them into a
// list, unless that is NULL.
static uint32_t list_endings(const micai_state *state, const mica_entity *entities, uint32_t count,
                             ending *list)
{
    uint32_t listed = 0;
    for (uint32_t i = 0; i < count; i++) {
        micai_dependents dependents = {.state = state, .owner = entities[i]};
        while (micai_dependents_next(&dependents)) {
            if (list) {
                list[listed] = (ending){dependents.entity, listed};
            }
            listed++;
        }
        if (list) {
            list[listed] = (ending){entities[i], listed};
        }
        listed++;
    }
    return listed;
}

// Leaves each in the list once, where it came first.
static uint32_t drop_repeated(ending *list, uint32_t count)
{
    uint32_t kept = 0;
    qsort(list, count, sizeof *list, compare_endings);
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || list[kept - 1].entity.bits != list[i].entity.bits) {
            list[kept++] = list[i];
        }
    }
    qsort(list, kept, sizeof *list, compare_places);
    return kept;
}

// All who will end, each once, facets before their owners. NULL: MICA_ERROR_MEMORY, which `alone` is
// not asked for.
static ending *find_endings(mica_world *world, const mica_entity *entities, uint32_t count,
                            ending *alone, uint32_t *count_out)
{
    uint32_t listed = list_endings(world->state, entities, count, NULL);
    ending *list = listed == 1 ? alone
                               : micai_arena_alloc_array(&world->host, &world->scratch, listed,
                                                         sizeof *list, _Alignof(ending));
    if (list) {
        list_endings(world->state, entities, count, list);
        *count_out = count > 1 ? drop_repeated(list, listed) : listed;
    }
    return list;
}

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

mica_result micai_plan_end_many(mica_world *world, const char *call, const mica_entity *entities,
                                uint32_t count)
{
    micai_state *state = world->state;
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    mica_result result = MICA_OK;
    ending alone;
    ending *list = NULL;
    uint32_t listed = 0;
    if (state->observers > 0) {
        list = find_endings(world, entities, count, &alone, &listed);
        result = list ? MICA_OK : MICA_ERROR_MEMORY;
    }
    micai_tidings tidings = begin_ends(world, call);
    for (uint32_t i = 0; !result && i < listed; i++) {
        tell_end(world, &tidings, list[i].entity);
    }
    micai_arena_rewind(&world->scratch, mark);
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

void micai_plan_end_table(mica_world *world, micai_table *table)
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

void micai_plan_end_all(mica_world *world, const char *call)
{
    micai_state *state = world->state;
    for (uint32_t id = 0; id < state->store.tables.count; id++) {
        micai_plan_tell_table(world, call, state->store.tables.items[id]);
    }
    micai_sides_clear(state);
    micai_pools_clear(&state->pools);
    micai_store_clear(&state->store);
    micai_store_settle(&state->store, UINT32_MAX);
    micai_slots_clear(state->host, &state->slots);
}
