// Tables: fast paths, growth, destruction, validation. table.h has the drawing.
//
// A table grows in two ways. Its last sheet, while it is small, gets larger pages and its values
// move there. The old pages stay alive until the change is over (micai_replaced), because an
// argument of the current call may point into them. Full-sized sheets stay where they are. More
// sheets are added, many at once, with adjacent pages. If a growth needs both, it adds sheets
// first. If enlarging the last sheet fails then, the added sheets are freed and the table is
// unchanged.
#include "store/table/table.h"

#include <inttypes.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "core/watch.h"
#include "store/table/kind_stable.h"
#include "store/table/store.h"

// Returns true if no observer watches spawns, despawns or changes of any type of the table.
static bool is_unobserved(const micai_store *store, const micai_table *table)
{
    const micai_registry *registry = store->registry;
    bool watched = registry->watched != 0;
    for (uint32_t w = 0; !watched && w < table->word_count; w++) {
        for (uint64_t rest = table->words[w]; !watched && rest != 0; rest &= rest - 1) {
            uint32_t number = w * 64 + micai_bits_lowest(rest);
            watched = micai_type_is_watched(registry->list.items[number], MICAI_WATCH_ROWS);
        }
    }
    if (MICAI_CANARY("store.watched")) {
        watched = false;
    }
    return !watched;
}

uint8_t micai_table_find_fast_paths(const micai_store *store, const micai_table *table)
{
    bool bytes = table->layout.bytes && !store->relocate_always;
    return (
        uint8_t)((bytes ? MICAI_FAST_BYTES : 0) | (table->layout.plain ? MICAI_FAST_PLAIN : 0) |
                 (is_unobserved(store, table) ? MICAI_FAST_UNOBSERVED | MICAI_FAST_UNMATCHED : 0));
}

void micai_table_update_fast_paths(const micai_store *store, micai_table *table)
{
    table->fast_paths = micai_table_find_fast_paths(store, table);
}

micai_fill micai_table_fill(const micai_table *table, uint32_t column)
{
    const micai_column *filled = &table->layout.columns[column];
    const micai_strip *strip = &table->layout.strips[filled->strip];
    uint32_t flags = micai_toggle_strip(&table->layout, column);
    uint32_t ticks = micai_ticks_strip(&table->layout, column);
    uint32_t field_strips = filled->strip_count - (flags ? 1u : 0u) - (ticks ? 2u : 0u);
    const micai_kind *kind = micai_column_kind(filled);
    bool split = kind->find != NULL;
    bool ring = kind->ring && micai_hook_has_none(filled->type);
    bool bytes = split || ring || (strip->whole && !strip->hooked && field_strips == 1);
    return bytes ? (micai_fill){.strip = filled->strip,
                                .flags = (uint16_t)flags,
                                .ticks = (uint16_t)ticks,
                                .strips = (uint16_t)(split ? field_strips : 0),
                                .outside = (uint16_t)(ring ? column : 0),
                                .size = micai_column_value_size(filled)}
                 : (micai_fill){0};
}

micai_span micai_strip_span(const micai_table *table, uint32_t strip, uint32_t row)
{
    const micai_strip *cells = &table->layout.strips[strip];
    if (cells->outside) {
        return micai_table_kind(table, cells->column)
            ->read((micai_cell){(micai_table *)table, cells->column, row});
    }
    uint32_t offset = row & (MICAI_ROWS - 1);
    return (micai_span){micai_sheet_at(micai_table_sheet(table, row), strip, offset),
                        MICAI_ROWS - offset};
}

uint64_t micai_table_tick(const micai_table *table, uint32_t column, uint32_t row,
                          uint32_t *end_out)
{
    const micai_sheet *sheet = micai_table_sheet(table, row);
    uint32_t end = (row | (MICAI_ROWS - 1)) + 1;
    *end_out = end < table->count ? end : table->count;
    const micai_column *strips = &table->layout.columns[column];
    const micai_kind *kind = micai_column_kind(strips);
    uint64_t tick = kind->tick ? kind->tick(table, column) : 0;
    for (uint32_t s = 0; s < strips->strip_count; s++) {
        uint64_t one = micai_sheet_tick(sheet, strips->strip + s);
        tick = one > tick ? one : tick;
    }
    return tick;
}

// The list of sheets

bool micai_table_reserve_list(micai_host *host, micai_table *table, uint32_t extra)
{
    if (table->sheets.capacity == 0 && extra == 1) {
        table->sheets.items = &table->only;
        table->sheets.capacity = 1;
        return true;
    }
    if (table->sheets.capacity != 1 || extra <= 1 - table->sheets.count) {
        return micai_array_reserve(host, &table->sheets, extra);
    }
    MICAI_ARRAY(micai_sheet *) list = {0};
    if (!micai_array_reserve(host, &list, extra + 1)) { // the sum cannot overflow to 0
        return false;
    }
    list.items[0] = table->only;
    table->only = NULL;
    table->sheets.items = list.items;
    table->sheets.capacity = list.capacity;
    return true;
}

// Also releases a list that is stored in another table temporarily (rebuild.c).
void micai_table_free_list(micai_host *host, micai_table *table)
{
    if (table->sheets.capacity == 1) {
        table->sheets.items[0] = NULL;
        table->sheets.items = NULL;
        table->sheets.capacity = 0;
    } else {
        micai_array_free(host, &table->sheets);
    }
}

// Growth

// Allocates adjacent pages of strip `strip` for `count` sheets from `first` on.
static bool make_strip(micai_store *store, micai_table *table, uint32_t strip, uint32_t first,
                       uint32_t count)
{
    const micai_strip *cells = &table->layout.strips[strip];
    if (cells->outside) {
        return true;
    }
    uint32_t rows = table->sheets.items[first]->capacity;
    micai_extent *extent =
        micai_extent_new(store->host, cells->size, micai_strip_align(cells), rows, count);
    for (uint32_t i = 0; extent && i < count; i++) {
        micai_sheet_set_page(store, table->sheets.items[first + i], strip,
                             micai_extent_page(extent, i));
    }
    return extent != NULL;
}

// Largest sheet whose pages share one extent. Tables have few larger sheets. Below MICAI_ROWS,
// because the pages of full-sized sheets are adjacent to those of other sheets.
#define MIXED_ROWS_MAX (4 * MICAI_ROWS_FIRST < MICAI_ROWS ? 4 * MICAI_ROWS_FIRST : MICAI_ROWS / 2)

// Returns the number of units that a sheet of `rows` rows takes in a mixed extent, or 0 if it must
// not use one.
static uint32_t count_units(const micai_layout *layout, uint32_t rows)
{
    uint32_t units = 0;
    for (uint32_t s = 0; s < layout->strip_count; s++) {
        const micai_strip *cells = &layout->strips[s];
        uint32_t own = cells->outside ? 0 : micai_units((size_t)rows * cells->size);
        if (own > MICAI_UNITS_MAX - units || micai_strip_align(cells) > MICAI_PAGE_ALIGN) {
            return 0;
        }
        units += own;
    }
    return rows <= MIXED_ROWS_MAX && layout->strip_count > 1 ? units : 0;
}

// Allocates the pages of a sheet in a mixed extent of `units` units.
static bool make_mixed_pages(micai_store *store, const micai_layout *layout, uint32_t rows,
                             uint32_t units, micai_page *pages_out)
{
    micai_extent *extent = micai_extent_new_mixed(store->host, units);
    unsigned char *data = extent ? micai_extent_data(extent) : NULL;
    uint32_t unit = 0;
    for (uint32_t s = 0; extent && s < layout->strip_count; s++) {
        const micai_strip *cells = &layout->strips[s];
        uint32_t own = cells->outside ? 0 : micai_units((size_t)rows * cells->size);
        if (own > 0) {
            pages_out[s] = micai_extent_add_page(extent, data, unit);
            unit += own;
        }
    }
    return extent != NULL;
}

// Allocates the pages of a new sheet: in one extent if they are small, otherwise one extent each.
// After a failure, the pages allocated so far remain.
static bool make_sheet_pages(micai_store *store, const micai_table *table, uint32_t rows,
                             micai_page *pages_out)
{
    uint32_t units = count_units(&table->layout, rows);
    if (units > 0) {
        return make_mixed_pages(store, &table->layout, rows, units, pages_out);
    }
    bool made = true;
    for (uint32_t s = 0; made && s < table->layout.strip_count; s++) {
        const micai_strip *cells = &table->layout.strips[s];
        if (!cells->outside) {
            micai_extent *extent =
                micai_extent_new(store->host, cells->size, micai_strip_align(cells), rows, 1);
            made = extent != NULL;
            pages_out[s] = made ? micai_extent_page(extent, 0) : (micai_page){0};
        }
    }
    return made;
}

// Allocates the pages for `count` new sheets from `first` on.
static bool make_pages(micai_store *store, micai_table *table, uint32_t first, uint32_t count)
{
    micai_sheet *sheet = table->sheets.items[first];
    bool made = count > 1 || make_sheet_pages(store, table, sheet->capacity, sheet->pages);
    if (count == 1 && made) {
        micai_sheet_enter_pages(store, sheet);
    }
    for (uint32_t s = 0; count > 1 && made && s < table->layout.strip_count; s++) {
        made = make_strip(store, table, s, first, count);
    }
    for (uint32_t i = 0; count > 1 && made && table->index && i < count; i++) {
        micai_sheet_update_blocks(table->sheets.items[first + i]);
    }
    return made;
}

void micai_table_drop_sheets(micai_store *store, micai_table *table, uint32_t count)
{
    while (table->sheets.count > count) {
        micai_sheet *sheet = table->sheets.items[--table->sheets.count];
        table->capacity -= sheet->capacity;
        micai_sheet_free(store, sheet);
    }
    micai_table_find_tail(table);
    micai_table_update_adjacent(table, count, count);
}

// Appends `count` sheets with adjacent pages.
static bool append_sheets(micai_store *store, micai_table *table, uint32_t count, uint32_t rows)
{
    if (!micai_table_reserve_list(store->host, table, count)) {
        return false;
    }
    uint32_t first = table->sheets.count;
    uint32_t made = 0;
    while (made < count && (table->sheets.items[first + made] =
                                micai_sheet_new(store, table, first + made, rows)) != NULL) {
        made++;
    }
    if (made < count || !make_pages(store, table, first, count)) {
        while (made > 0) {
            micai_sheet_free(store, table->sheets.items[first + --made]);
        }
        return false;
    }
    table->sheets.count += count;
    table->capacity += count * rows;
    micai_table_find_tail(table);
    micai_table_update_adjacent(table, first, first + count);
    return true;
}

// Updates the value pointers of a resized sheet for values outside the strips.
static void update_outside_pointers(micai_store *store, micai_table *table, uint32_t index)
{
    for (uint32_t c = 1; table->layout.outside && c < table->layout.column_count; c++) {
        const micai_kind *kind = micai_table_kind(table, c);
        if (kind->update_pointers) {
            kind->update_pointers(store, table, c, index);
        }
    }
}

// Moves a sheet's rows to pages of another size.
static bool resize_sheet(micai_store *store, micai_table *table, uint32_t index, uint32_t rows)
{
    micai_sheet *sheet = table->sheets.items[index];
    micai_replaced *replaced = micai_sheet_reserve_pointers(store, table, sheet->number, rows)
                                   ? NULL
                                   : micai_store_keep_replaced(store, table, sheet);
    if (!replaced) {
        return false;
    }
    micai_page *pages = replaced->pages;
    if (!make_sheet_pages(store, table, rows, pages)) {
        micai_store_drop_last_replaced(store);
        return false;
    }
    uint32_t used = micai_sheet_used(sheet);
    uint32_t before = sheet->capacity;
    table->capacity += rows - before;
    sheet->capacity = (uint16_t)rows;
    for (uint32_t s = 0; s < table->layout.strip_count; s++) {
        const micai_strip *cells = &table->layout.strips[s];
        micai_page old = sheet->pages[s];
        pages[s].tick = old.tick;
        const micai_type *hooked = micai_layout_hooked(&table->layout, s);
        if (hooked && old.data) {
            micai_hook_relocate(store->gate, hooked, pages[s].data, old.data, used);
        } else if (old.data) {
            memcpy(pages[s].data, old.data, (size_t)used * cells->size);
        }
        micai_sheet_set_page(store, sheet, s, pages[s]);
        pages[s] = old;
    }
    replaced->rows = before;
    if (table->index) {
        micai_sheet_update_blocks(sheet);
    }
    micai_table_find_tail(table);
    update_outside_pointers(store, table, index);
    return true;
}

// Returns the capacity of the first sheet. In a table with an index, large values get fewer rows:
// such tables often have one row.
static uint32_t first_capacity(const micai_table *table)
{
    const micai_type *type = table->layout.column_count > 1 ? table->layout.columns[1].type : NULL;
    uint32_t rows = MICAI_ROWS_FIRST;
    while (table->index && type && rows > 1 &&
           rows * (uint64_t)type->info.size > MICAI_BLOCK_BYTES) {
        rows /= 2;
    }
    return rows;
}

static uint32_t small_capacity(const micai_table *table, uint32_t rows)
{
    uint32_t capacity = first_capacity(table);
    while (capacity < rows && capacity < MICAI_ROWS) {
        capacity *= 2;
    }
    return capacity;
}

// Returns how many sheets to add ahead without allocating more than 8 MiB at once. Tables with
// large components grow sheet by sheet.
static uint32_t sheets_in_reason(const micai_table *table)
{
    size_t largest = 1;
    for (uint32_t s = 0; s < table->layout.strip_count; s++) {
        uint32_t size = table->layout.strips[s].size;
        largest = size > largest ? size : largest;
    }
    return (uint32_t)(((size_t)8 << 20) / (largest * MICAI_ROWS));
}

// One step of growth: add `sheets` sheets of `rows` rows. If `sheets` is 0, the last sheet grows to
// `rows`.
typedef struct growth {
    uint32_t sheets;
    uint32_t rows;
} growth;

// Returns the next step for a table of `sheets` sheets with `capacity` rows: first grow the small
// last sheet, then add sheets. Few extents make iteration fast. Memory reserved ahead costs only
// address space until it is used. `only` reserves nothing ahead.
static growth plan_growth(const micai_table *table, uint32_t sheets, uint32_t capacity,
                          uint32_t needed, bool only)
{
    if (sheets == 0 && needed <= MICAI_ROWS) {
        return (growth){1, small_capacity(table, needed)};
    }
    if (capacity < sheets << MICAI_ROW_SHIFT) {
        return (growth){0, small_capacity(table, needed - ((sheets - 1) << MICAI_ROW_SHIFT))};
    }
    uint32_t wanted = (needed - capacity + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT;
    uint32_t ahead = sheets < MICAI_SHEETS_FOURFOLD ? sheets * 3 : sheets;
    ahead = ahead < sheets_in_reason(table) ? ahead : sheets_in_reason(table);
    uint32_t count = wanted > ahead || only ? wanted : ahead;
    return (growth){count < MICAI_SHEETS_AT_ONCE ? count : MICAI_SHEETS_AT_ONCE, MICAI_ROWS};
}

mica_result micai_table_reserve_outside(micai_store *store, micai_table *table, uint32_t rows)
{
    mica_result result = MICA_OK;
    for (uint32_t c = 1; table->layout.outside && !result && c < table->layout.column_count; c++) {
        const micai_kind *kind = micai_table_kind(table, c);
        result = kind->outside ? kind->reserve(store, table, c, rows) : MICA_OK;
    }
    return result;
}

// Returns the capacity of a table after growing to `needed` rows.
static uint32_t plan_capacity(const micai_table *table, uint32_t needed, bool only)
{
    uint32_t sheets = table->sheets.count;
    uint64_t capacity = table->capacity; // may exceed the limit of a table
    while (capacity < needed) {
        growth step = plan_growth(table, sheets, (uint32_t)capacity, needed, only);
        sheets += step.sheets;
        capacity = step.sheets > 0 ? capacity + (uint64_t)step.sheets * step.rows
                                   : ((sheets - 1) << MICAI_ROW_SHIFT) + step.rows;
    }
    return capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX;
}

uint32_t micai_table_plan_capacity(const micai_table *table, uint32_t extra)
{
    uint32_t most = UINT32_MAX - (MICAI_ROWS << 1) - table->count;
    return plan_capacity(table, table->count + (extra < most ? extra : most), false);
}

// Reserves the memory of kinds outside the strips for all steps of growth, so that values move at
// most once.
static bool grow_outside(micai_store *store, micai_table *table, uint32_t needed, bool only)
{
    return micai_table_reserve_outside(store, table, plan_capacity(table, needed, only)) == MICA_OK;
}

// Returns true if memory for `rows` more rows is likely available. Large tables call it first,
// because growing step by step until failure would take long.
static bool probe_rows(micai_store *store, const micai_table *table, uint64_t rows)
{
    uint64_t size = 0;
    for (uint32_t s = 0; s < table->layout.strip_count; s++) {
        size += table->layout.strips[s].size;
    }
    return micai_probe(store->host, size > UINT64_MAX / rows ? UINT64_MAX : size * rows);
}

// Appends sheets until `needed` rows fit, counting the last existing sheet as full-sized.
static bool append_for(micai_store *store, micai_table *table, uint32_t needed, bool only)
{
    uint32_t before = table->sheets.count;
    uint32_t capacity = before << MICAI_ROW_SHIFT;
    while (capacity < needed) {
        growth step = plan_growth(table, table->sheets.count, capacity, needed, only);
        step.sheets = store->relocate_always ? 1 : step.sheets;
        if (!append_sheets(store, table, step.sheets, step.rows)) {
            micai_table_drop_sheets(store, table, before);
            return false;
        }
        capacity += step.sheets * step.rows;
    }
    return true;
}

static bool grow_sheets(micai_store *store, micai_table *table, uint32_t needed, bool only)
{
    uint32_t sheets = table->sheets.count;
    uint32_t last = sheets - 1;
    bool small = table->capacity < sheets << MICAI_ROW_SHIFT;
    if (!append_for(store, table, needed, only)) {
        return false;
    }
    uint32_t rows = small ? needed - (last << MICAI_ROW_SHIFT) : 0;
    if (small && !resize_sheet(store, table, last, small_capacity(table, rows))) {
        micai_table_drop_sheets(store, table, sheets);
        return false;
    }
    return true;
}

static mica_result grow(micai_store *store, micai_table *table, uint32_t extra, bool only)
{
    if (extra > UINT32_MAX - (MICAI_ROWS << 1) - table->count) {
        return micai_fail_within(store->host, MICA_ERROR_LIMIT,
                                 "a table of %" PRIu32 " rows cannot take %" PRIu32 " more",
                                 table->count, extra);
    }
    uint32_t needed = table->count + extra;
    if (!probe_rows(store, table, needed - table->capacity)) {
        return MICA_ERROR_MEMORY;
    }
    bool outside = table->layout.outside;
    bool grown = (!outside || (micai_store_keep_replaced(store, table, NULL) &&
                               grow_outside(store, table, needed, only))) &&
                 grow_sheets(store, table, needed, only);
    if (!grown) {
        micai_store_trim_pointers(store); // also of sheets that were just freed
        return store->host->failed;
    }
    table->idle = false;
    return MICA_OK;
}

mica_result micai_table_grow(micai_store *store, micai_table *table, uint32_t extra)
{
    return grow(store, table, extra, false);
}

mica_result micai_table_reserve_exact(micai_store *store, micai_table *table, uint32_t extra)
{
    return micai_table_is_ready(table, extra) ? MICA_OK : grow(store, table, extra, true);
}

// Destruction

MICAI_NOINLINE static void destruct_columns(micai_store *store, micai_table *table, uint32_t row,
                                            uint32_t count)
{
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        micai_table_kind(table, c)->destruct(store, (micai_cell){table, c, row}, count);
    }
}

void micai_table_destruct_values(micai_store *store, micai_table *table, uint32_t row,
                                 uint32_t count)
{
    if (!table->layout.plain) {
        destruct_columns(store, table, row, count);
    }
}

void micai_table_clear(micai_store *store, micai_table *table)
{
    micai_table_destruct_values(store, table, 0, table->count);
    micai_table_set_count(table, 0);
    micai_toggle_unmark(store, table);
    if (store->relocate_always) {
        micai_table_trim(store, table);
    }
}

void micai_table_drop_unused(micai_store *store, micai_table *table)
{
    micai_table_drop_sheets(store, table, (table->count + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT);
    table->promised = 0;
}

MICAI_COLD void micai_table_trim(micai_store *store, micai_table *table)
{
    micai_table_drop_unused(store, table);
    if (table->sheets.count == 0) {
        micai_table_free_list(store->host, table);
    }
    for (uint32_t c = 1; table->layout.outside && c < table->layout.column_count; c++) {
        const micai_kind *kind = micai_table_kind(table, c);
        if (kind->outside) {
            kind->trim(store, table, c, table->capacity);
        }
    }
}

mica_result micai_table_shrink(micai_store *store, micai_table *table)
{
    uint32_t last = table->sheets.count - 1;
    const micai_sheet *sheet = table->sheets.count > 0 ? table->sheets.items[last] : NULL;
    if (!sheet) {
        return MICA_OK;
    }
    uint32_t rows = small_capacity(table, micai_sheet_used(sheet));
    bool shrunk = rows >= sheet->capacity || resize_sheet(store, table, last, rows);
    micai_store_drop_replaced(store, table, sheet);
    micai_table_update_adjacent(table, last, last + 1);
    return shrunk ? MICA_OK : store->host->failed;
}

// Adjacent sheets

uint32_t micai_table_count_adjacent(const micai_table *table, uint32_t index)
{
    micai_sheet *const *sheets = table->sheets.items;
    bool continues =
        index + 1 < table->sheets.count && micai_sheet_adjoins(sheets[index], sheets[index + 1]);
    return continues ? sheets[index + 1]->adjacent + 1 : 1;
}

// From the end to the front, until a value before `first` is unchanged.
void micai_table_update_adjacent(micai_table *table, uint32_t first, uint32_t end)
{
    micai_sheet **sheets = table->sheets.items;
    for (uint32_t i = end < table->sheets.count ? end : table->sheets.count; i-- > 0;) {
        uint32_t adjacent = micai_table_count_adjacent(table, i);
        if (i < first && sheets[i]->adjacent == adjacent) {
            break;
        }
        sheets[i]->adjacent = adjacent;
    }
}

// Validation

static mica_result validate_rows(micai_store *store, const micai_table *table)
{
    if (table->index) {
        return micai_index_validate(store, table);
    }
    for (uint32_t row = 0; row < table->count; row++) {
        const micai_record *record = micai_slots_find(store->slots, micai_table_entity(table, row));
        if (!record || record->where != micai_sheet_where(micai_table_sheet(table, row),
                                                          row & (MICAI_ROWS - 1))) {
            return micai_fail_invariant(store->host, "T1",
                                        "row %" PRIu32 " of table %" PRIu32 " is not its entity's",
                                        row, table->id);
        }
    }
    return MICA_OK;
}

static mica_result validate_kinds(micai_store *store, const micai_table *table)
{
    mica_result result = MICA_OK;
    for (uint32_t c = 1; !result && c < table->layout.column_count; c++) {
        const micai_kind *kind = micai_table_kind(table, c);
        result = kind->validate ? kind->validate(store, table, c) : MICA_OK;
    }
    return result;
}

static mica_result validate_state(micai_store *store, const micai_table *table, uint32_t capacity)
{
    if (capacity != table->capacity || table->count > capacity || table->promised > capacity) {
        return micai_fail_invariant(store->host, "T5",
                                    "table %" PRIu32 " has room for %" PRIu32 " rows, not %" PRIu32,
                                    table->id, capacity, table->capacity);
    }
    micai_table found = *table;
    micai_table_find_tail(&found);
    if (table->tail != found.tail || table->next != found.next || table->end != found.end) {
        return micai_fail_invariant(store->host, "T6", "table %" PRIu32 " has lost its tail",
                                    table->id);
    }
    if (table->index) {
        return MICA_OK; // the pool checks its own fast paths
    }
    if (table->fast_paths != micai_table_find_fast_paths(store, table)) {
        return micai_fail_invariant(store->host, "T8", "table %" PRIu32 " has wrong fast paths",
                                    table->id);
    }
    return MICA_OK;
}

// From the end, because each value depends on the next one.
static mica_result validate_adjacent(micai_store *store, const micai_table *table)
{
    for (uint32_t i = table->sheets.count; i-- > 0;) {
        if (table->sheets.items[i]->adjacent != micai_table_count_adjacent(table, i)) {
            return micai_fail_invariant(store->host, "T7",
                                        "sheet %" PRIu32 " of table %" PRIu32
                                        " has a wrong number of adjacent sheets",
                                        i, table->id);
        }
    }
    return MICA_OK;
}

static mica_result validate_list(micai_store *store, const micai_table *table)
{
    bool alone = table->sheets.items == &table->only;
    bool right = alone ? table->sheets.capacity == 1 && table->sheets.count <= 1
                       : table->sheets.capacity != 1 && !table->only;
    mica_result result =
        alone ? MICA_OK : micai_array_validate(store->host, &table->sheets, "a table's sheets");
    return result || right
               ? result
               : micai_fail_invariant(store->host, "T11",
                                      "the list of sheets of table %" PRIu32 " is out of place",
                                      table->id);
}

mica_result micai_table_validate(micai_store *store, const micai_table *table)
{
    mica_result result =
        micai_layout_validate(store->host, store->registry->list.items,
                              micai_table_column_words(table), table->word_count, &table->layout);
    return result ? result : micai_table_validate_sheets(store, table);
}

mica_result micai_table_validate_sheets(micai_store *store, const micai_table *table)
{
    mica_result result = validate_list(store, table);
    uint32_t capacity = 0;
    for (uint32_t i = 0; !result && i < table->sheets.count; i++) {
        result = micai_sheet_validate(store, table, i);
        if (!result) {
            capacity += table->sheets.items[i]->capacity;
        }
    }
    result = result ? result : validate_adjacent(store, table);
    result = result ? result : validate_state(store, table, capacity);
    result = result ? result : validate_rows(store, table);
    result = result ? result : micai_toggle_validate(store, table);
    return result ? result : validate_kinds(store, table);
}

mica_result micai_table_validate_ticks(micai_store *store, const micai_table *table, uint64_t now)
{
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        for (uint32_t s = 0; s < table->layout.strip_count; s++) {
            if (micai_sheet_tick(table->sheets.items[i], s) > now) {
                return micai_fail_invariant(
                    store->host, "T9", "a page of table %" PRIu32 " was written later than now",
                    table->id);
            }
        }
    }
    return micai_ticks_validate(store, table);
}
