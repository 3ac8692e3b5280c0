// Swapping layouts. rebuild.h has the contract.
#include "store/table/rebuild.h"

#include <assert.h>

#include "base/canary.h"
#include "base/memory.h"

// Creating the new layouts

// Allocates adjacent pages of the type's strips for sheets `from` to `to`, which have one size.
static bool make_pages(micai_store *store, micai_rebuilt *one, uint32_t from, uint32_t to)
{
    const micai_layout *layout = &one->aside.layout;
    const micai_column *column = &layout->columns[one->column];
    uint32_t capacity = one->aside.sheets.items[from]->capacity;
    for (uint32_t s = column->strip; s < (uint32_t)column->strip + column->strip_count; s++) {
        const micai_strip *cells = &layout->strips[s];
        if (cells->flags || cells->ticks || micai_column_kind(column)->outside) {
            continue; // flags and ticks are handed over; kinds with values outside have no pages
        }
        micai_extent *extent = micai_extent_new(store->host, cells->size, micai_strip_align(cells),
                                                capacity, to - from);
        if (!extent) {
            return false;
        }
        for (uint32_t i = 0; i < to - from; i++) {
            one->aside.sheets.items[from + i]->pages[s] = micai_extent_page(extent, i);
        }
    }
    return true;
}

static bool make_sheets(micai_store *store, micai_rebuilt *one)
{
    const micai_table *table = one->table;
    micai_table *aside = &one->aside;
    if (!micai_array_reserve(store->host, &aside->sheets, table->sheets.count)) {
        return false;
    }
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        const micai_sheet *old = table->sheets.items[i];
        micai_sheet *fresh = micai_sheet_reserve_pointers(store, aside, old->number, old->capacity)
                                 ? NULL
                                 : micai_sheet_make(store, aside, old->capacity);
        if (!fresh) {
            return false;
        }
        aside->sheets.items[aside->sheets.count++] = fresh;
    }
    for (uint32_t from = 0; from < aside->sheets.count;) {
        uint32_t to = from + 1;
        while (to < aside->sheets.count && to - from < MICAI_SHEETS_AT_ONCE &&
               aside->sheets.items[to]->capacity == aside->sheets.items[from]->capacity) {
            to++;
        }
        if (!make_pages(store, one, from, to)) {
            return false;
        }
        from = to;
    }
    return true;
}

static void free_aside(micai_store *store, micai_rebuilt *one)
{
    micai_table *aside = &one->aside;
    while (aside->sheets.count > 0) {
        micai_sheet_release(store, aside->sheets.items[--aside->sheets.count]);
    }
    micai_table_free_list(store->host, aside);
    if (aside->layout.columns) {
        micai_layout_free(store->host, &aside->layout);
    }
}

static mica_result make_aside(micai_store *store, const micai_type *type, micai_rebuilt *one)
{
    micai_table *table = one->table;
    mica_result result =
        micai_layout_make(store->host, store->registry->list.items, micai_table_column_words(table),
                          table->word_count, &one->aside.layout);
    result = result ? result : micai_store_enter(store, type);
    one->aside.count = table->count;
    if (!result && !make_sheets(store, one)) {
        result = store->host->failed;
    }
    if (result) {
        free_aside(store, one);
    }
    return result;
}

// Swapping

// Returns the strip of the other layout that corresponds to strip `s`, or UINT32_MAX. Both have the
// same columns. In the rebuilt column, only ticks and flags correspond.
static uint32_t strip_across(const micai_layout *from, const micai_layout *to, uint32_t s,
                             uint32_t column)
{
    uint32_t of = from->strips[s].column;
    if (of == column && from->strips[s].ticks) {
        return micai_ticks_strip(to, of) + (s - micai_ticks_strip(from, of));
    }
    if (of == column) {
        return from->strips[s].flags ? micai_toggle_strip(to, of) : UINT32_MAX;
    }
    return to->columns[of].strip + (s - from->columns[of].strip);
}

// Hands over the pages of all columns except one to the new sheet.
static void exchange_sheet(micai_store *store, const micai_rebuilt *one, uint32_t i)
{
    micai_sheet *old = one->aside.sheets.items[i];
    micai_sheet *fresh = one->table->sheets.items[i];
    const micai_layout *from = &old->table->layout;
    fresh->number = old->number;
    fresh->index = old->index;
    store->sheets.items[fresh->number] = fresh;
    const micai_kind *kind = micai_column_kind(&from->columns[one->column]);
    uint64_t tick = kind->tick ? kind->tick(old->table, one->column) : 0;
    for (uint32_t s = 0; s < from->strip_count; s++) {
        uint32_t target = strip_across(from, &fresh->table->layout, s, one->column);
        if (target != UINT32_MAX) {
            micai_sheet_transfer_page(store, old, s, fresh, target);
            continue;
        }
        micai_page page = old->pages[s];
        micai_sheet_set_page(store, old, s, (micai_page){0}); // clear its value pointer
        old->pages[s] = page;
        tick = page.tick > tick ? page.tick : tick;
    }
    const micai_column *column = &fresh->table->layout.columns[one->column];
    for (uint32_t s = column->strip; s < (uint32_t)column->strip + column->strip_count; s++) {
        const micai_strip *cells = &fresh->table->layout.strips[s];
        if (!cells->flags && !cells->ticks) {
            fresh->pages[s].tick = tick;
            micai_sheet_set_page(store, fresh, s, fresh->pages[s]);
        }
    }
    old->number = UINT32_MAX;
}

static void claim_sheets(micai_table *table)
{
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        table->sheets.items[i]->table = table;
    }
}

static void exchange(micai_store *store, micai_rebuilt *one)
{
    micai_table *table = one->table;
    micai_table *aside = &one->aside;
    micai_layout layout = table->layout;
    table->layout = aside->layout;
    aside->layout = layout;
    for (uint32_t c = 1; c < layout.column_count; c++) {
        table->layout.columns[c].has_disabled = layout.columns[c].has_disabled;
        if (c != one->column && layout.outside && table->layout.outside) {
            *micai_layout_outside(&table->layout, c) = *micai_layout_outside(&layout, c);
        }
    }
    micai_sheet **sheets = table->sheets.items;
    uint32_t capacity = table->sheets.capacity;
    table->sheets.items = aside->sheets.items;
    table->sheets.capacity = aside->sheets.capacity;
    aside->sheets.items = sheets;
    aside->sheets.capacity = capacity;
    claim_sheets(table);
    claim_sheets(aside);
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        exchange_sheet(store, one, i);
    }
    micai_table_find_tail(table);
    micai_table_update_adjacent(table, 0, table->sheets.count);
    micai_table_update_fast_paths(store, table);
}

mica_result micai_rebuild_reserve(micai_store *store, const micai_type *type,
                                  micai_rebuild *rebuild_out)
{
    micai_rebuild rebuild = {.type = type};
    uint32_t count = 0;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        count += micai_table_column(store->tables.items[id], type->number) != 0;
    }
    micai_store_clear_replaced(store);
    rebuild.list = count > 0 ? micai_alloc_zeroed(store->host, count * sizeof *rebuild.list,
                                                  _Alignof(micai_rebuilt))
                             : NULL;
    mica_result result = count > 0 && !rebuild.list ? MICA_ERROR_MEMORY : MICA_OK;
    rebuild.count = rebuild.list ? count : 0;
    for (uint32_t id = 0; !result && id < store->tables.count; id++) {
        micai_table *table = store->tables.items[id];
        uint32_t column = micai_table_column(table, type->number);
        if (column) {
            micai_rebuilt *one = &rebuild.list[rebuild.made];
            assert(rebuild.list); // it was counted above
            one->table = table;
            one->column = column;
            result = make_aside(store, type, one);
            rebuild.made += !result;
        }
    }
    for (uint32_t i = 0; !result && i < rebuild.count; i++) {
        micai_rebuilt *one = &rebuild.list[i];
        const micai_kind *kind = micai_kind_of(type);
        exchange(store, one);
        rebuild.exchanged++;
        result = kind->outside && one->table->capacity > 0
                     ? kind->reserve(store, one->table, one->column, one->table->capacity)
                     : MICA_OK;
    }
    if (result) {
        micai_rebuild_cancel(store, &rebuild);
    }
    *rebuild_out = rebuild;
    return result;
}

static void end_rebuild(micai_store *store, micai_rebuild *rebuild)
{
    for (uint32_t i = 0; i < rebuild->made; i++) {
        free_aside(store, &rebuild->list[i]);
    }
    if (rebuild->list) {
        micai_release(store->host, rebuild->list, rebuild->count * sizeof *rebuild->list,
                      _Alignof(micai_rebuilt));
    }
    *rebuild = (micai_rebuild){0};
}

void micai_rebuild_cancel(micai_store *store, micai_rebuild *rebuild)
{
    while (rebuild->exchanged > 0) {
        micai_rebuilt *one = &rebuild->list[--rebuild->exchanged];
        const micai_kind *kind = micai_table_kind(one->table, one->column);
        if (kind->outside) {
            kind->trim(store, one->table, one->column, 0);
        }
        exchange(store, one);
    }
    end_rebuild(store, rebuild);
}

// Relocates from the old rows to the new ones, as many at once as are adjacent where they are
// whole.
static void relocate(micai_store *store, micai_rebuilt *one)
{
    micai_cell from = {&one->aside, one->column, 0};
    micai_cell to = {one->table, one->column, 0};
    const micai_kind *old = micai_table_kind(from.table, from.column);
    const micai_kind *fresh = micai_table_kind(to.table, to.column);
    while (from.row < one->table->count) {
        micai_span source = old->read(from);
        micai_span target = fresh->read(to);
        uint32_t count = source.data ? source.count : target.count;
        if (source.data) {
            fresh->take(store, to, source.data, count);
        } else {
            old->give(store, from, target.data, count);
        }
        from.row = to.row = to.row + count;
    }
}

void micai_rebuild_commit(micai_store *store, micai_rebuild *rebuild)
{
    store->structure++;
    micai_transitions_drop_unpinned(store); // their copies refer to the old strips
    for (uint32_t i = 0; i < rebuild->count; i++) {
        micai_rebuilt *one = &rebuild->list[i];
        const micai_kind *old = micai_table_kind(&one->aside, one->column);
        if (!MICAI_CANARY("store.rebuild")) {
            relocate(store, one);
        }
        if (old->outside) {
            old->trim(store, &one->aside, one->column, 0);
        }
    }
    end_rebuild(store, rebuild);
}
