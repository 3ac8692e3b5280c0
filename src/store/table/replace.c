// Replacing the content of a store. replace.h has the contract.
#include "store/table/replace.h"

// Directories

// Enters all types of a directory in the other one. Types that are flat in the first become flat in
// the other.
static mica_result know_types(micai_host *host, const micai_registry *registry,
                              const micai_directory *directory, micai_directory *other)
{
    mica_result result = MICA_OK;
    for (uint32_t n = 0; !result && n < directory->view.type_count; n++) {
        const mica_view_type *entry = directory->view.types[n];
        if (entry == &micai_directory_unknown) {
            continue;
        }
        result = micai_directory_enter(host, other, registry->list.items[n]);
        if (!result && entry->visible_flat) {
            result = micai_directory_flatten(host, other, n);
        }
    }
    return result;
}

mica_result micai_replace_begin(const micai_store *store, micai_store *other)
{
    mica_result result =
        know_types(store->host, store->registry, &store->directory, &other->directory);
    return result ? result : know_types(store->host, store->registry, &store->flags, &other->flags);
}

// After the swap, moves the entries of types back, because accessors point at them.
static void keep_entries(micai_directory *directory, micai_directory *other)
{
    for (uint32_t n = 0; n < other->view.type_count; n++) {
        mica_view_type *entry = other->view.types[n];
        if (entry != &micai_directory_unknown) {
            mica_view_type *fresh = directory->view.types[n];
            const mica_view_type old = *entry;
            *entry = *fresh;
            *fresh = old;
            directory->view.types[n] = entry;
            other->view.types[n] = fresh;
        }
    }
}

// Stores

static void notify_freeing(const micai_store *store, micai_store *going)
{
    for (uint32_t id = 0; id < going->tables.count; id++) {
        going->tables.items[id]->dying = true;
    }
    for (uint32_t i = store->listeners.count; i-- > 0;) {
        store->listeners.items[i].freeing(store->listeners.items[i].user);
    }
}

mica_result micai_replace_reserve(micai_store *store, micai_store *other)
{
    mica_result result = MICA_OK;
    for (uint32_t id = 0; !result && id < other->tables.count; id++) {
        for (uint32_t i = 0; !result && i < store->listeners.count; i++) {
            const micai_listener *listener = &store->listeners.items[i];
            result = listener->created ? listener->created(listener->user, other->tables.items[id])
                                       : MICA_OK;
        }
    }
    if (result) {
        notify_freeing(store, other);
    }
    return result;
}

void micai_replace_take_back(micai_store *store, uint32_t types)
{
    micai_directory_take_back(store->host, &store->directory, types);
    micai_directory_take_back(store->host, &store->flags, types);
}

void micai_replace_commit(micai_store *store, micai_store *other)
{
    notify_freeing(store, store);
    micai_store_clear_replaced(other);
    const micai_store old = *store;
    const micai_store fresh = *other;
    *store = fresh;
    *other = old;
    keep_entries(&store->directory, &other->directory);
    keep_entries(&store->flags, &other->flags);
    // Swap back the parts that belong to the store itself, and the totals.
    store->slots = old.slots;
    store->now = old.now;
    store->listeners = old.listeners;
    store->row_moves = old.row_moves;
    store->page_moves = old.page_moves;
    store->address_changes = old.address_changes + 1;
    store->structure = old.structure + 1;
    other->slots = fresh.slots;
    other->now = fresh.now;
    other->listeners = fresh.listeners;
}

// Rows

uint32_t micai_table_run_length(const micai_table *table, uint32_t row)
{
    return micai_sheet_rows(row, table->count - row);
}

const mica_entity *micai_table_entities(const micai_table *table, uint32_t row)
{
    return micai_sheet_ids(micai_table_sheet(table, row)) + (row & (MICAI_ROWS - 1));
}

uint64_t micai_table_own_tick(const micai_table *table, uint32_t column, uint32_t row)
{
    const micai_sheet *sheet = micai_table_sheet(table, row);
    const micai_column *strips = &table->layout.columns[column];
    uint64_t tick = 0;
    for (uint32_t s = 0; s < strips->strip_count; s++) {
        uint64_t one = sheet->pages[strips->strip + s].tick;
        tick = one > tick ? one : tick;
    }
    return tick;
}

uint64_t micai_table_sweep_tick(const micai_table *table, uint32_t column)
{
    const micai_kind *kind = micai_table_kind(table, column);
    return kind->tick ? kind->tick(table, column) : 0;
}

void micai_replace_flags(micai_store *store, micai_cell cell, const unsigned char *flags,
                         uint32_t count)
{
    uint32_t strip = micai_toggle_strip(&cell.table->layout, cell.column);
    unsigned char off = 0;
    for (uint32_t done = 0; done < count;) {
        uint32_t row = cell.row + done;
        uint32_t rows = micai_sheet_rows(row, count - done);
        unsigned char *target =
            micai_sheet_at(micai_table_sheet(cell.table, row), strip, row & (MICAI_ROWS - 1));
        memcpy(target, flags + done, rows);
        for (uint32_t i = 0; i < rows; i++) {
            off |= target[i];
        }
        done += rows;
    }
    if (off) {
        micai_toggle_mark(store, cell.table, cell.column);
    }
}

void micai_replace_ticks(micai_cell cell, const uint64_t *changed, const uint64_t *added,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        micai_ticks_set((micai_cell){cell.table, cell.column, cell.row + i},
                        (micai_ticks){changed[i], added[i]});
    }
}

// A sheet that has rows already keeps the later tick of each column.
static void touch(micai_sheet *sheet, const micai_layout *layout, const uint64_t *ticks)
{
    for (uint32_t c = 0; c < layout->column_count; c++) {
        uint64_t *tick = &sheet->pages[layout->columns[c].strip].tick;
        *tick = ticks[c] > *tick ? ticks[c] : *tick;
    }
}

void micai_replace_rows(micai_store *store, micai_table *table, const mica_entity *entities,
                        uint32_t count, const uint64_t *ticks)
{
    for (uint32_t done = 0; done < count;) {
        uint32_t row = table->count + done;
        uint32_t rows = micai_sheet_rows(row, count - done);
        micai_sheet *sheet = micai_table_sheet(table, row);
        uint32_t offset = row & (MICAI_ROWS - 1);
        memcpy(micai_sheet_ids(sheet) + offset, entities + done, rows * sizeof *entities);
        for (uint32_t i = 0; i < rows; i++) {
            micai_slots_place(store->slots, mica_entity_slot(entities[done + i]),
                              micai_sheet_where(sheet, offset + i));
        }
        touch(sheet, &table->layout, ticks);
        done += rows;
    }
    micai_table_set_count(table, table->count + count);
}

void micai_replace_sweep_tick(micai_store *store, const micai_type *type, uint64_t tick)
{
    micai_ring *ring = micai_rings_find(&store->rings, type);
    if (ring) {
        ring->tick = tick > ring->tick ? tick : ring->tick;
    }
}
