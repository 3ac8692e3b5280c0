// Inspection of tables, pools, resources and names. The stores describe how values are laid out
// (store/table/inspect, store/pool/inspect).
#include "inspect/inspect_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "base/print.h"
#include "entity/locate.h"
#include "entity/name.h"
#include "store/pool/inspect.h"
#include "store/table/inspect.h"

bool micai_inspect_begin(mica_world *world, const char *call, const char *name, void *info_out,
                         size_t size)
{
    if (info_out) {
        memset(info_out, 0, size);
    }
    if (!world || !info_out) {
        micai_fail_null(micai_world_host(world), call, world ? name : "world");
        return false;
    }
    return !micai_world_guard_whole(world, call);
}

// Tables

// Returns NULL if there is no table with this number.
static micai_table *table_at(const mica_world *world, uint32_t number)
{
    const micai_store *store = &world->state->store;
    return number < store->tables.count ? store->tables.items[number] : NULL;
}

// Returns the number of a table's first type from `number` on that is not hidden, or
// MICAI_BITS_END.
static uint32_t next_type(const micai_state *state, const micai_table *table, uint32_t number)
{
    uint32_t next = micai_bits_next(table->words, table->word_count, number);
    if (MICAI_CANARY("inspect.inspect_hidden")) {
        return next;
    }
    return next == MICAI_BITS_END || next != state->registry.hidden
               ? next
               : micai_bits_next(table->words, table->word_count, next + 1);
}

bool mica_table_get_info(mica_world *world, uint32_t table, mica_table_info *info_out)
{
    if (!micai_inspect_begin(world, "mica_table_get_info", "info_out", info_out,
                             sizeof *info_out)) {
        return false;
    }
    const micai_table *found = table_at(world, table);
    if (!found) {
        return false;
    }
    micai_table_inspect(found, info_out);
    for (uint32_t n = next_type(world->state, found, 0); n != MICAI_BITS_END;
         n = next_type(world->state, found, n + 1)) {
        info_out->components++;
    }
    return true;
}

bool mica_column_get_info(mica_world *world, uint32_t table, uint32_t index,
                          mica_column_info *info_out)
{
    if (!micai_inspect_begin(world, "mica_column_get_info", "info_out", info_out,
                             sizeof *info_out)) {
        return false;
    }
    const micai_table *found = table_at(world, table);
    uint32_t n = found ? next_type(world->state, found, 0) : MICAI_BITS_END;
    for (uint32_t i = 0; i < index && n != MICAI_BITS_END; i++) {
        n = next_type(world->state, found, n + 1);
    }
    if (n == MICAI_BITS_END) {
        return false;
    }
    const mica_type_info *type = &world->state->registry.list.items[n]->info;
    uint32_t column = micai_table_column(found, n);
    *info_out =
        (mica_column_info){.type = type->type,
                           .storage = type->storage,
                           .bytes = column ? micai_column_size(found, column) : 0,
                           .has_disabled = column && found->layout.columns[column].has_disabled};
    return true;
}

// Returns the cell of a row, after checking access to the type. Without a type, the column is 0.
// The cell has no table if the table or row does not exist, if the table lacks the type, or after a
// reported error.
static micai_cell cell_at(mica_world *world, const char *call, uint32_t table, mica_type type,
                          uint32_t row)
{
    const micai_cell nothing = {0};
    const micai_type *found = NULL;
    if (!MICA_IS_NONE(type)) {
        found = micai_world_type(world, call, type);
        if (!found || micai_world_guard_access(world, call, found)) {
            return nothing;
        }
    }
    micai_table *asked = table_at(world, table);
    if (!asked || row >= asked->count || (found && !micai_table_has(asked, found->number))) {
        return nothing;
    }
    return (micai_cell){asked, found ? micai_table_column(asked, found->number) : 0, row};
}

bool mica_table_range(mica_world *world, uint32_t table, mica_type type, uint32_t row,
                      mica_row_range *range_out)
{
    static const char call[] = "mica_table_range";
    if (!micai_inspect_begin(world, call, "range_out", range_out, sizeof *range_out)) {
        return false;
    }
    micai_cell cell = cell_at(world, call, table, type, row);
    if (cell.table) {
        micai_table_inspect_rows(cell.table, cell.column, row, range_out);
    }
    if (MICAI_CANARY("inspect.stretch_tick")) {
        range_out->changed = 0;
    }
    return cell.table != NULL;
}

mica_read_fields mica_table_field(mica_world *world, uint32_t table, mica_type type, uint32_t row,
                                  uint32_t offset, uint32_t size)
{
    static const char call[] = "mica_table_field";
    const mica_read_fields none = {0};
    const micai_type *found =
        micai_inspect_enter(world, call) ? micai_world_type(world, call, type) : NULL;
    if (!found) {
        return none;
    }
    const char *name = found->info.name;
    uint32_t whole = found->info.size;
    if (whole > 0 && (size == 0 || offset > whole || size > whole - offset)) {
        micai_fail(&world->host, MICA_ERROR_FIELD,
                   "%s: values of '%s' have %" PRIu32 " bytes, not %" PRIu32 " at %" PRIu32, call,
                   name, whole, size, offset);
        return none;
    }
    micai_cell cell = cell_at(world, call, table, type, row);
    if (!cell.column) {
        return none;
    }
    micai_field_span part = micai_table_field(cell, offset, size);
    if (!part.data) {
        micai_fail(&world->host, MICA_ERROR_FIELD,
                   "%s: %" PRIu32 " bytes at %" PRIu32 " of '%s' are in several pieces", call, size,
                   offset, name);
        return none;
    }
    return (mica_read_fields){part.data, part.stride};
}

// Pools

// Returns NULL if the type has no pool. Reports a wrong type.
static const micai_pool *pool_of(mica_world *world, const char *call, mica_type type)
{
    const micai_type *found = micai_world_type(world, call, type);
    return found ? micai_pools_find(&world->state->pools, found->info.type) : NULL;
}

bool mica_pool_get_info(mica_world *world, mica_type type, mica_pool_info *info_out)
{
    static const char call[] = "mica_pool_get_info";
    const micai_pool *pool =
        micai_inspect_begin(world, call, "info_out", info_out, sizeof *info_out)
            ? pool_of(world, call, type)
            : NULL;
    if (pool) {
        micai_pool_inspect(pool, info_out);
    }
    return pool != NULL;
}

bool mica_pool_range(mica_world *world, mica_type type, uint32_t row, mica_row_range *range_out)
{
    static const char call[] = "mica_pool_range";
    const micai_pool *pool =
        micai_inspect_begin(world, call, "range_out", range_out, sizeof *range_out)
            ? pool_of(world, call, type)
            : NULL;
    if (pool && !micai_world_guard_access(world, call, pool->type)) {
        micai_pool_inspect_rows(pool, row, range_out);
    }
    return pool && range_out->count > 0;
}

// Locations

bool mica_entity_get_location(mica_world *world, mica_entity entity, mica_type component,
                              mica_location *location_out)
{
    static const char call[] = "mica_entity_get_location";
    if (!micai_inspect_begin(world, call, "location_out", location_out, sizeof *location_out)) {
        return false;
    }
    const micai_state *state = world->state;
    const micai_entity_ref ref = {entity, micai_slots_find(&state->slots, entity)};
    if (!ref.record) {
        micai_slots_fail(&world->host, call, entity);
        return false;
    }
    micai_cell cell = micai_row_cell(micai_row_of(&state->store, ref.record), 0);
    if (!MICA_IS_NONE(component)) {
        const micai_type *found = micai_world_type(world, call, component);
        cell = found ? micai_locate(state, ref, found) : (micai_cell){0};
    }
    if (cell.table) { // the table of a pool has an index, and no number
        uint32_t table = cell.table->index ? UINT32_MAX : cell.table->id;
        *location_out = (mica_location){table, cell.row};
    }
    return cell.table != NULL;
}

// Resources and names

mica_type mica_resource_next(mica_world *world, mica_type previous)
{
    static const char call[] = "mica_resource_next";
    bool first = MICA_IS_NONE(previous);
    if (!micai_inspect_enter(world, call) || (!first && !micai_world_type(world, call, previous))) {
        return (mica_type){0};
    }
    const micai_resources *all = &world->state->resources;
    uint32_t next = first ? 0 : micai_stamp_number(previous.bits) + 1;
    while (next < all->count && !all->items[next].value) {
        next++;
    }
    mica_type found = {next < all->count ? all->items[next].bits : 0};
    return found;
}

mica_entity mica_entity_named(mica_world *world, uint32_t index)
{
    if (!micai_inspect_enter(world, "mica_entity_named")) {
        return (mica_entity){0};
    }
    const micai_names *names = micai_names_of(world->state);
    return index < names->list.count ? names->list.items[index].entity : (mica_entity){0};
}

// Printing

static void print_column(micai_printer *to, const micai_table *table, const micai_type *type)
{
    uint32_t column = micai_table_column(table, type->number);
    micai_print(to, "  %s: %s", type->info.name,
                column ? micai_column_storage(table, column) : "tag");
    if (column) {
        micai_print(to, ", %" PRIu32 " bytes each, %" PRIu64 " in all%s", type->info.size,
                    (uint64_t)micai_column_size(table, column),
                    table->layout.columns[column].has_disabled ? ", some may be disabled" : "");
    }
    micai_print(to, "\n");
}

static void print_table(micai_printer *to, const micai_state *state, const micai_table *table)
{
    mica_table_info info = {0};
    micai_table_inspect(table, &info);
    micai_print(to, "table %" PRIu32 ": %" PRIu32 " %s, room for %" PRIu32 ", %" PRIu64 " bytes\n",
                table->id, info.rows, info.facets ? "facets" : "entities", info.capacity,
                (uint64_t)info.bytes);
    for (uint32_t n = next_type(state, table, 0); n != MICAI_BITS_END;
         n = next_type(state, table, n + 1)) {
        print_column(to, table, state->registry.list.items[n]);
    }
}

mica_result mica_table_print(mica_world *world, uint32_t table, const mica_stream *stream)
{
    micai_printer to;
    mica_result result = micai_world_begin_print(world, "mica_table_print", stream, &to);
    if (result) {
        return result;
    }
    const micai_table *found = table_at(world, table);
    if (found) {
        print_table(&to, world->state, found);
    } else {
        micai_print(&to, "no table %" PRIu32 "\n", table);
    }
    return micai_print_end(&to, MICA_OK);
}
