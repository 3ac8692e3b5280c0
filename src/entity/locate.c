// Access to single values. locate.h has the contract.
#include "entity/locate.h"

#include <assert.h>
#include <inttypes.h>

#include "base/compiler.h"
#include "store/pool/group.h"
#include "store/table/row.h"

static uint32_t slot_of(micai_entity_ref ref)
{
    return mica_entity_slot(ref.entity);
}

// A place is a table, a column and a row. Sparse types use their pool's table.
static micai_cell cell_of(micai_value value)
{
    return (micai_cell){value.place.home, value.place.part, value.place.index};
}

static const micai_kind *kind_of(micai_value value)
{
    return micai_table_kind(value.place.home, value.place.part);
}

micai_cell micai_locate(const micai_state *state, micai_entity_ref ref, const micai_type *type)
{
    const micai_cell nowhere = {0};
    if (micai_pool_keeps(type)) {
        const micai_pool *pool = micai_pools_find(&state->pools, type->info.type);
        uint32_t row = pool ? micai_pool_row(pool, slot_of(ref)) : MICAI_INDEX_NONE;
        return row != MICAI_INDEX_NONE ? micai_pool_cell(pool, row) : nowhere;
    }
    micai_row row = micai_row_of(&state->store, ref.record);
    micai_table *table = micai_row_table(row);
    return micai_table_has(table, type->number)
               ? micai_row_cell(row, micai_table_column(table, type->number))
               : nowhere;
}

micai_value micai_value_find(const micai_state *state, micai_entity_ref ref, const micai_type *type)
{
    const micai_cell cell = type->info.size > 0 ? micai_locate(state, ref, type) : (micai_cell){0};
    return (micai_value){type, {cell.table, cell.column, cell.row}};
}

bool micai_value_has(const micai_state *state, micai_entity_ref ref, const micai_type *type)
{
    if (micai_pool_keeps(type)) {
        uint64_t in = micai_presence_of(&state->pools, type->sparse / 64, slot_of(ref));
        return in >> (type->sparse % 64) & 1;
    }
    return micai_table_has(micai_row_table(micai_row_of(&state->store, ref.record)), type->number);
}

bool micai_value_is_on(const micai_state *state, micai_entity_ref ref, const micai_type *type)
{
    const micai_cell cell = micai_locate(state, ref, type);
    return cell.table && !(type->info.toggle && micai_toggle_is_off(cell));
}

bool micai_value_is_newer(const micai_state *state, micai_entity_ref ref, const micai_type *type,
                          bool added, uint64_t since)
{
    const micai_cell cell = micai_locate(state, ref, type);
    return cell.table && micai_ticks_find_newer(cell, 1, added, since) != 0;
}

bool micai_value_ask(mica_world *world, const char *call, mica_entity entity, mica_type type,
                     bool (*question)(const micai_state *state, micai_entity_ref ref,
                                      const micai_type *type))
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return false;
    }
    if (micai_world_guard_read(world, call)) {
        return false;
    }
    const micai_type *found = micai_world_type(world, call, type);
    const micai_record *record = micai_slots_find(&world->state->slots, entity);
    return found && record && question(world->state, (micai_entity_ref){entity, record}, found);
}

mica_result micai_value_check_toggle(mica_world *world, const char *call, const micai_type *type)
{
    return type->info.toggle ? MICA_OK
                             : micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                                          "%s: '%s' has no toggle; register it with .toggle = true",
                                          call, type->info.name);
}

void micai_value_toggle(mica_world *world, micai_entity_ref ref, const micai_type *type, bool off)
{
    micai_state *state = world->state;
    const micai_cell cell = micai_locate(state, ref, type);
    micai_toggle_set(&state->store, cell, 1, off, world->view.tick);
}

void micai_value_look(const mica_world *world, const micai_type *type)
{
    micai_pool *pool = micai_pools_find(&world->state->pools, type->info.type);
    if (pool) {
        micai_toggle_unmark(&world->state->store, &pool->table);
    }
}

void micai_value_toggle_tables(mica_world *world, micai_table *const *tables, uint32_t count,
                               const micai_type *type, bool off)
{
    micai_store *store = &world->state->store;
    for (uint32_t i = 0; i < count; i++) {
        micai_cell cell = {tables[i], micai_table_column(tables[i], type->number), 0};
        if (cell.column) {
            micai_toggle_set(store, cell, cell.table->count, off, world->view.tick);
            micai_toggle_unmark(store, cell.table);
        }
    }
}

uint32_t micai_value_next(const micai_state *state, micai_entity_ref ref, uint32_t number)
{
    const micai_table *table = micai_row_table(micai_row_of(&state->store, ref.record));
    uint32_t in_table = micai_bits_next(table->words, table->word_count, number);
    if (table->facet && in_table == state->registry.hidden) {
        in_table = micai_bits_next(table->words, table->word_count, in_table + 1);
    }
    uint32_t in_pool = state->pools.row_count > 0
                           ? micai_pools_next(&state->pools, slot_of(ref), number)
                           : MICAI_BITS_END;
    return in_table < in_pool ? in_table : in_pool;
}

const void *micai_value_read(micai_value value)
{
    return micai_table_at(cell_of(value));
}

const void *micai_value_look_at(const micai_state *state, micai_entity_ref ref,
                                const micai_type *type)
{
    if (!micai_pool_keeps(type)) {
        micai_directory_value found =
            micai_directory_find(&state->store.directory, type->info.type, ref.record->where);
        if (micai_directory_value_is_readable(found)) {
            return micai_directory_value_data(found);
        }
    }
    micai_value value = micai_value_find(state, ref, type);
    return micai_value_is_there(value) ? micai_value_read(value) : NULL;
}

static void *refuse_split(mica_world *world, const char *call, micai_value value)
{
    micai_fail(&world->host, MICA_ERROR_STORAGE,
               "%s: '%.80s' is split, and its values are nowhere whole; use mica_load and mica_set",
               call, value.type->info.name);
    return NULL;
}

const void *micai_value_get(mica_world *world, const char *call, micai_value value)
{
    const void *data = micai_value_read(value);
    return data ? data : refuse_split(world, call, value);
}

void micai_value_load(mica_world *world, micai_value value, void *target)
{
    const void *data = micai_value_read(value);
    if (data) {
        memcpy(target, data, value.type->info.size);
    } else {
        kind_of(value)->load(&world->state->store, cell_of(value), target);
    }
}

const void *micai_value_see(mica_world *world, const char *call, micai_value value)
{
    const void *data = micai_value_read(value);
    if (data) {
        return data;
    }
    const mica_type_info *info = &value.type->info;
    micai_host_begin(&world->host, call);
    void *copy = micai_arena_alloc(&world->host, &world->scratch, info->size, info->align);
    bool loaded = copy && !kind_of(value)->load(&world->state->store, cell_of(value), copy);
    micai_host_end(&world->host);
    return loaded ? copy : NULL;
}

void *micai_value_open(mica_world *world, const char *call, micai_value value)
{
    const micai_cell cell = cell_of(value);
    if (value.type->relation) {
        micai_fail(&world->host, MICA_ERROR_STORAGE,
                   "%s: '%.80s' is a relation, and its links cannot be written; use mica_link",
                   call, value.type->info.name);
        return NULL;
    }
    void *data = micai_table_at(cell);
    if (!data) {
        return refuse_split(world, call, value);
    }
    kind_of(value)->touch(cell, 1, world->view.tick);
    return data;
}

void *micai_value_open_ticked(const mica_world *world, micai_entity_ref ref, mica_type type)
{
    const micai_state *state = world->state;
    const micai_type *found = ref.record ? micai_registry_find(&state->registry, type) : NULL;
    if (!found || !found->info.row_stamps || state->walks.gathered > 0) {
        return NULL;
    }
    uint64_t tick = world->view.tick;
    if (!micai_pool_keeps(found)) {
        return micai_row_open_ticked(micai_row_of(&state->store, ref.record), found->number, tick);
    }
    const micai_value value = micai_value_find(state, ref, found);
    if (!micai_value_is_there(value)) {
        return NULL;
    }
    micai_paged_touch(cell_of(value), 1, tick);
    return micai_table_at(cell_of(value));
}

void micai_values_close(micai_state *state, bool closed)
{
    micai_directory_close(&state->store.directory, closed);
    micai_directory_close(&state->store.flags, closed);
    micai_pools_close(&state->pools, closed);
}

void micai_value_hide(micai_state *state, const micai_type *type, bool hidden)
{
    if (!micai_pool_keeps(type)) {
        if (micai_directory_knows(&state->store.directory, type->number)) {
            micai_directory_hide(&state->store.directory, type->number, hidden);
        }
        return;
    }
    micai_pool *pool = micai_pools_find(&state->pools, type->info.type);
    if (pool) {
        pool->index.view.hidden = hidden;
    }
}

bool micai_value_is_hidden(const micai_state *state, const micai_type *type)
{
    if (!micai_pool_keeps(type)) {
        return micai_directory_is_hidden(&state->store.directory, type->number);
    }
    const micai_pool *pool = micai_pools_find(&state->pools, type->info.type);
    return pool && pool->index.view.hidden;
}

void micai_value_touch(mica_world *world, micai_entity_ref ref, const micai_type *type)
{
    const micai_value value = micai_value_find(world->state, ref, type);
    kind_of(value)->touch(cell_of(value), 1, world->view.tick);
}

bool micai_value_overlaps(const void *a, size_t a_size, const void *b, size_t b_size)
{
    // Compares addresses as integers, because comparing pointers into different blocks is
    // undefined.
    return (uintptr_t)a < (uintptr_t)b + b_size && (uintptr_t)b < (uintptr_t)a + a_size;
}

// Returns true if any of the bytes are in a value of the world.
static bool hold(const micai_state *state, const void *data, size_t size)
{
    bool holds =
        micai_store_holds(&state->store, data, size) ||
        (state->pools.functions && state->pools.functions->hold(&state->pools, data, size)) ||
        micai_resources_overlap(state, data, size);
    for (uint32_t i = 0; !holds && i < MICAI_MODULE_COUNT; i++) {
        const micai_module *module = &state->modules[i];
        holds = module->data && module->hold && module->hold(module->data, data, size);
    }
    return holds;
}

MICAI_COLD mica_result micai_value_check_source(mica_world *world, const char *call,
                                                const micai_type *type, const void *data,
                                                uint32_t count)
{
    const mica_type_info *info = &type->info;
    size_t size = (size_t)count * info->size;
    if (!data || size == 0 || micai_hook_can_copy(type)) {
        return MICA_OK;
    }
    if (!hold(world->state, data, size) &&
        !(info->default_value &&
          micai_value_overlaps(data, size, info->default_value, info->size))) {
        return MICA_OK;
    }
    return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                      "%s: the value of '%s', which cannot be copied, lies in the world already",
                      call, info->name);
}

mica_result micai_value_check_overlap(mica_world *world, const char *call, const micai_type *a,
                                      const void *a_data, const micai_type *b, const void *b_data,
                                      uint32_t count)
{
    if (!a_data || !b_data || micai_hook_can_copy(a) || micai_hook_can_copy(b) ||
        !micai_value_overlaps(a_data, (size_t)count * a->info.size, b_data,
                              (size_t)count * b->info.size)) {
        return MICA_OK;
    }
    return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                      "%s: '%s' and '%s', which cannot be copied, are given the same value", call,
                      a->info.name, b->info.name);
}

void micai_value_replace(mica_world *world, micai_value value, void *source)
{
    micai_state *state = world->state;
    if (value.type->relation) {
        const micai_cell cell = cell_of(value);
        state->pools.links->ops->write(state->pools.links, value.type, &cell, source);
    }
    kind_of(value)->replace(&state->store, cell_of(value), source, world->view.tick);
}

// Creates the copy first, because that may fail, and because the data may be the old value itself.
// Then the copy replaces the old value.
mica_result micai_value_write(mica_world *world, const char *call, micai_value value,
                              const void *data)
{
    const mica_type_info *info = &value.type->info;
    micai_host_begin(&world->host, call);
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    void *copy = micai_arena_alloc(&world->host, &world->scratch, info->size, info->align);
    mica_result result =
        copy ? micai_hook_copy(&world->state->gate, value.type, copy, data, 1) : MICA_ERROR_MEMORY;
    if (!result) {
        micai_value_replace(world, value, copy);
    }
    micai_arena_rewind(&world->scratch, mark);
    micai_host_end(&world->host);
    return result;
}

static mica_result prepare_rows(micai_store *store, const micai_type *type,
                                mica_accessor *accessor_out)
{
    mica_result result = micai_store_enter(store, type);
    result =
        result ? result : micai_directory_flatten(store->host, &store->directory, type->number);
    if (!result && type->info.toggle) {
        result = micai_directory_flatten(store->host, &store->flags, type->number);
    }
    if (!result) {
        accessor_out->rows = micai_directory_entry(&store->directory, type->info.type);
        accessor_out->flags =
            type->info.toggle ? micai_directory_entry(&store->flags, type->info.type) : NULL;
    }
    return result;
}

mica_result micai_value_prepare(mica_world *world, const micai_type *type,
                                mica_accessor *accessor_out)
{
    world->state->has_accessors = true;
    if (!micai_pool_keeps(type)) {
        return prepare_rows(&world->state->store, type, accessor_out);
    }
    micai_pool *pool = micai_pools_open(&world->state->pools, type);
    accessor_out->pool = pool ? &pool->index.view : NULL;
    return pool ? MICA_OK : MICA_ERROR_MEMORY;
}

// All values

// Returns the bytes per row of a type's values in a table, or 0 if they are outside the table.
static uint32_t column_size(const micai_table *table, const micai_type *type)
{
    uint32_t column = micai_table_column(table, type->number);
    return column && !micai_table_kind(table, column)->outside ? type->info.size : 0;
}

void micai_value_count(const micai_state *state, const micai_type *type, mica_type_stats *stats)
{
    const micai_pool *pool = micai_pools_find(&state->pools, type->info.type);
    if (pool) {
        stats->rows += micai_pool_size(pool);
        stats->bytes += (size_t)pool->table.capacity * type->info.size;
    }
    for (uint32_t id = 0; id < state->store.tables.count; id++) {
        const micai_table *table = state->store.tables.items[id];
        if (micai_table_has(table, type->number)) {
            stats->tables++;
            stats->rows += table->count;
            stats->bytes += (size_t)table->capacity * column_size(table, type);
        }
    }
    stats->bytes += micai_rings_size(&state->store, type);
}

static void print_ring(micai_printer *to, const micai_ring *ring)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < ring->runs.count; i++) {
        rows += ring->runs.items[i]->length;
    }
    micai_print(to,
                "  ring of %s: %" PRIu32 " values in %" PRIu32 " runs, room for %" PRIu32 "%s\n",
                ring->type->info.name, rows, ring->runs.count, ring->capacity,
                ring->fragmented ? ", not settled" : "");
}

static void print_pool(micai_printer *to, const micai_pool *pool)
{
    micai_print(to, "  pool of %s: %" PRIu32 " values, room for %" PRIu32 "\n",
                pool->type->info.name, micai_pool_size(pool), pool->table.capacity);
}

void micai_value_print(micai_printer *to, const micai_state *state)
{
    for (uint32_t id = 0; id < state->store.tables.count; id++) {
        const micai_table *table = state->store.tables.items[id];
        micai_print(to, "  table %" PRIu32 ": %" PRIu32 " rows, room for %" PRIu32 ":", id,
                    table->count, table->capacity);
        for (uint32_t n = micai_bits_next(table->words, table->word_count, 0); n != MICAI_BITS_END;
             n = micai_bits_next(table->words, table->word_count, n + 1)) {
            micai_print(to, " %s", state->registry.list.items[n]->info.name);
        }
        micai_print(to, "\n");
    }
    for (uint32_t i = 0; i < state->store.rings.list.count; i++) {
        print_ring(to, state->store.rings.list.items[i]);
    }
    for (uint32_t n = 0; n < state->pools.list.count; n++) {
        if (state->pools.list.items[n]) {
            print_pool(to, state->pools.list.items[n]);
        }
    }
    for (uint32_t n = 0; n < state->pools.groups.list.count; n++) {
        const micai_group *group = state->pools.groups.list.items[n];
        if (group) {
            micai_print(to, "  %s: %" PRIu32 " entities\n", micai_group_describe(group).text,
                        micai_group_size(group));
        }
    }
}
