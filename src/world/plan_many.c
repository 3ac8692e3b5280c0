// Plans for many entities at once: those of a bundle, of whole tables; and ends. plan.h has the
// contract.
#include <inttypes.h>

#include "base/canary.h"
#include "store/table/stir.h"
#include "store/table/transfer.h"
#include "world/plan.h"

// Bundles

mica_result micai_plan_prepare(mica_world *world, micai_bundle *bundle)
{
    mica_types set = {0};
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < bundle->count; i++) {
        result = micai_types_add(&world->host, &set, bundle->items[i].type->number);
    }
    micai_table *table = result ? NULL : micai_store_table(&world->core->store, &set);
    micai_types_free(&world->host, &set);
    if (!table) {
        return world->host.failed;
    }
    micai_plan_prepare_items(table, bundle->items, bundle->count);
    bundle->table = table;
    bundle->quick = micai_plan_admits(table, bundle->items, bundle->count);
    return MICA_OK;
}

void micai_plan_prepare_items(const micai_table *table, micai_bundle_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        micai_bundle_item *item = &items[i];
        item->column = micai_table_column(table, item->type->number);
        item->fill = item->column ? micai_table_fill(table, item->column) : (micai_fill){0};
        item->given = item->column ? 1 : 0;
    }
}

bool micai_plan_admits(const micai_table *table, const micai_bundle_item *items, uint32_t count)
{
    bool quick = table->quick;
    for (uint32_t i = 0; quick && i < count; i++) {
        quick = items[i].fill.size == items[i].type->info.size;
    }
    return quick;
}

bool micai_plan_fits(const micai_bundle *bundle)
{
    const micai_table *table = bundle->table;
    bool fits = micai_bits_count(table->words, table->word_count) == bundle->count;
    for (uint32_t i = 0; i < bundle->count; i++) {
        uint32_t number = bundle->items[i].type->number;
        fits = fits && micai_table_has(table, number) &&
               micai_table_column(table, number) == bundle->items[i].column;
    }
    return fits;
}

// Undoes the values of the first `items` items in `count` raw rows. Values that were given, of a type
// that cannot be copied, go back.
static void unmake_columns(mica_world *world, const micai_bundle *bundle, uint32_t items,
                           uint32_t count, const mica_value *arrays)
{
    while (items-- > 0) {
        const micai_bundle_item *item = &bundle->items[items];
        if (item->type->info.size == 0) {
            continue;
        }
        const micai_kind *kind = micai_table_kind(bundle->table, item->column);
        micai_cell cell = micai_row_next(bundle->table, item->column);
        if (!arrays || !arrays[items].data || micai_hook_can_copy(item->type)) {
            kind->end(&world->core->store, cell, count);
            continue;
        }
        unsigned char *array = (unsigned char *)arrays[items].data;
        for (uint32_t i = 0; i < count; i++, cell.row++) {
            kind->load(&world->core->store, cell, array + (size_t)i * item->type->info.size);
        }
    }
}

// The values of `count` raw rows, column by column, all or none.
static mica_result make_columns(mica_world *world, const micai_bundle *bundle, uint32_t count,
                                const mica_value *arrays)
{
    micai_store *store = &world->core->store;
    for (uint32_t i = 0; i < bundle->count; i++) {
        const micai_bundle_item *item = &bundle->items[i];
        if (item->type->info.size == 0) {
            continue;
        }
        const void *array = arrays ? micai_store_follow(store, arrays[i].data) : NULL;
        mica_result result = micai_table_kind(bundle->table, item->column)
                                 ->make(store, micai_row_next(bundle->table, item->column), count,
                                        array, item->type->info.size);
        if (result) {
            unmake_columns(world, bundle, i, count, arrays);
            return result;
        }
    }
    return MICA_OK;
}

mica_result micai_plan_spawn_many(mica_world *world, const micai_bundle *bundle, uint32_t count,
                                  const mica_value *arrays, mica_entity *entities_out)
{
    micai_table *table = bundle->table;
    mica_result result = micai_store_reserve(&world->core->store, table, count);
    result = result ? result : make_columns(world, bundle, count, arrays);
    if (!result) {
        uint32_t first = table->count;
        micai_row_append_many(&world->core->store, table, count, entities_out, world->view.tick);
        micai_stir_from(&world->core->store, table, first);
    }
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
    unsigned char *copies; // to overwrite what is there, one after the other
    uint32_t copy_count;   // one for all, if values are nothing but bytes
    uint32_t used;         // of them
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
    micai_store *store = &all->world->core->store;
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
    micai_store *store = &all->world->core->store;
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
    mica_world *world = all->world;
    uint32_t size = all->type->info.size;
    while (all->move_count > 0) {
        micai_transfer_cancel(&world->core->store, &all->moves[--all->move_count]);
    }
    if (all->copies) {
        micai_hook_destruct(&world->core->gate, all->type, all->copies + (size_t)all->used * size,
                            all->copy_count - all->used);
        micai_release(&world->host, all->copies, (size_t)all->copy_count * size,
                      all->type->info.align);
    }
}

// The right to overwrite what is there, and `rows_out` values in all.
static mica_result own_present(const sweep *all, uint32_t *rows_out)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < all->count; i++) {
        micai_table *table = all->tables[i];
        uint32_t column = micai_table_column(table, all->type->number);
        if (column) {
            result =
                micai_table_kind(table, column)
                    ->own(&all->world->core->store, (micai_cell){table, column, 0}, table->count);
            *rows_out += table->count;
        }
    }
    return result;
}

// As many copies as there are values to overwrite are all made first, into one block, because making
// them may fail. Values that are nothing but bytes need only one.
static mica_result make_copies(sweep *all, uint32_t count, const void *data)
{
    mica_world *world = all->world;
    const mica_type_info *info = &all->type->info;
    count = micai_hook_has_none(all->type) && count > 1 ? 1 : count;
    if (count == 0) {
        return MICA_OK;
    }
    unsigned char *block = micai_alloc_array(&world->host, count, info->size, info->align);
    if (!block) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        mica_result result =
            micai_hook_copy(&world->core->gate, all->type, block + (size_t)i * info->size, data, 1);
        if (result) {
            micai_hook_destruct(&world->core->gate, all->type, block, i);
            micai_release(&world->host, block, (size_t)count * info->size, info->align);
            return result;
        }
    }
    all->copies = block;
    all->copy_count = count;
    return MICA_OK;
}

static void overwrite_present(sweep *all)
{
    micai_store *store = &all->world->core->store;
    uint32_t size = all->type->info.size;
    bool one = micai_hook_has_none(all->type);
    for (uint32_t i = 0; i < all->count; i++) {
        micai_table *table = all->tables[i];
        uint32_t column = micai_table_column(table, all->type->number);
        const micai_kind *kind = micai_table_kind(table, column);
        for (uint32_t row = 0; column && row < table->count; row++) {
            kind->replace(store, (micai_cell){table, column, row},
                          all->copies + (size_t)all->used * size, all->world->view.tick);
            all->used += !one;
        }
    }
}

static mica_result set_all(sweep *all, const void *data)
{
    uint32_t present = 0;
    mica_result result = data ? own_present(all, &present) : MICA_OK;
    result = result ? result : make_copies(all, present, data);
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
    mica_result result = begin_sweep(&all, world, tables, count, type);
    void *copy = NULL;
    if (!result && data) { // it may lie in the world, and move when room is made
        const mica_type_info *info = &type->info;
        copy = micai_arena_alloc(&world->host, &world->scratch, info->size, info->align);
        result =
            copy ? micai_hook_copy(&world->core->gate, type, copy, data, 1) : MICA_ERROR_MEMORY;
    }
    if (!result) {
        result = set_all(&all, copy);
        if (copy) {
            micai_hook_destruct(&world->core->gate, type, copy, 1);
        }
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

// Everybody who keeps something by entity lets go of it. To be asked only if there is somebody.
static void tell_of_end(mica_world *world, mica_entity entity)
{
    if (MICAI_CANARY("world.name_of_the_dead")) {
        return;
    }
    micai_names_remove(world->core, entity);
}

mica_result micai_plan_validate(mica_world *world)
{
    uint32_t keepers = world->core->names.list.count > 0;
    if (keepers != world->core->keepers) {
        return micai_fail_invariant(&world->host, "W6",
                                    "there are %" PRIu32 " keepers, not %" PRIu32, keepers,
                                    world->core->keepers);
    }
    return micai_plan_keeps_promise(world)
               ? MICA_OK
               : micai_fail_invariant(&world->host, "W7",
                                      "scratch memory was promised and is not there");
}

// The right to take an entity's row out: alone, or among others of which nobody knows how they will
// fill each other's holes.
static mica_result reserve_end(mica_world *world, mica_entity entity, bool alone)
{
    micai_store *store = &world->core->store;
    micai_row row =
        micai_row_of(store, micai_slots_at(&world->core->slots, mica_entity_slot(entity)));
    micai_table *table = micai_row_table(row);
    return alone ? micai_table_reserve_remove(store, table, micai_row_number(row))
                 : micai_table_own_from(store, table, micai_row_number(row));
}

static void end_entity(mica_world *world, mica_entity entity, micai_row row)
{
    micai_core *core = world->core;
    micai_table *table = micai_row_table(row);
    uint32_t number = micai_row_number(row);
    if (core->keepers > 0) {
        tell_of_end(world, entity);
    }
    micai_table_end_values(&core->store, table, number, 1);
    micai_row_drop(&core->store, row, world->view.tick);
    micai_slots_give(core->host, &core->slots, entity);
    micai_stir_row(&core->store, table, number);
}

mica_result micai_plan_end_many(mica_world *world, const mica_entity *entities, uint32_t count)
{
    micai_core *core = world->core;
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < count; i++) {
        result = reserve_end(world, entities[i], count == 1);
    }
    for (uint32_t i = 0; !result && i < count; i++) {
        const micai_record *record = micai_slots_find(&core->slots, entities[i]);
        if (record) { // one that stands in the list twice has ended
            end_entity(world, entities[i], micai_row_of(&core->store, record));
        }
    }
    return result;
}

void micai_plan_end_table(mica_world *world, micai_table *table)
{
    bool kept = world->core->keepers > 0;
    for (uint32_t row = 0; kept && row < table->count; row++) {
        tell_of_end(world, micai_table_entity(table, row));
    }
    for (uint32_t row = 0; row < table->count; row++) {
        micai_slots_give(world->core->host, &world->core->slots, micai_table_entity(table, row));
    }
    micai_table_clear(&world->core->store, table);
}

void micai_plan_end_all(mica_world *world)
{
    micai_core *core = world->core;
    micai_names_clear(core);
    micai_store_clear(&core->store);
    micai_slots_clear(core->host, &core->slots);
}
