// Sheets: their pages, numbers and value pointers. sheet.h has the contract.
#include "store/table/sheet.h"

#include <inttypes.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "core/watch.h"
#include "store/table/kind_stable.h"
#include "store/table/store.h"

void *micai_sheet_at(const micai_sheet *sheet, uint32_t strip, uint32_t offset)
{
    return sheet->pages[strip].data + (size_t)offset * sheet->table->layout.strips[strip].size;
}

uint32_t micai_sheet_used(const micai_sheet *sheet)
{
    uint32_t first = sheet->index << MICAI_ROW_SHIFT;
    uint32_t rows = sheet->table->count > first ? sheet->table->count - first : 0;
    return rows < MICAI_ROWS ? rows : MICAI_ROWS;
}

// Blocks of indexes

// Builds the block for the rows that begin at `offset` in the sheet.
static mica_view_block describe_block(const micai_sheet *sheet, uint32_t offset)
{
    micai_table *table = sheet->table;
    const micai_layout *layout = &table->layout;
    mica_view_block block = {.entities = micai_sheet_ids(sheet) + offset};
    if (layout->column_count == 1) {
        return block;
    }
    const micai_column *column = &layout->columns[1];
    micai_page *pages = (micai_page *)sheet->pages;
    uint32_t flags = micai_toggle_strip(layout, 1);
    bool ticked = micai_ticks_are_kept(column->type);
    if (column->type->info.size > 0) {
        uint32_t row = (sheet->index << MICAI_ROW_SHIFT) + offset;
        block.data = layout->outside ? micai_stable_at((micai_cell){table, 1, row})
                                     : pages[column->strip].data;
        block.tick = ticked ? NULL : &pages[column->strip].tick;
    }
    if (flags) {
        bool open = column->has_disabled && !ticked &&
                    !micai_type_is_watched(column->type, MICAI_WATCH_TOGGLES);
        block.flags = pages[flags].data + offset;
        block.flags_tick = open ? &pages[flags].tick : NULL;
    }
    return block;
}

// Return the number of rows per block, and the first block of a sheet.
static uint32_t block_rows(const micai_sheet *sheet)
{
    return UINT32_C(1) << sheet->table->index->view.block_shift;
}

static mica_view_block *first_block(const micai_sheet *sheet)
{
    const mica_view_pool *view = &sheet->table->index->view;
    return &view->blocks[(sheet->index << MICAI_ROW_SHIFT) >> view->block_shift];
}

void micai_sheet_update_blocks(const micai_sheet *sheet)
{
    mica_view_block *block = first_block(sheet);
    for (uint32_t offset = 0; offset < sheet->capacity; offset += block_rows(sheet)) {
        *block++ = describe_block(sheet, offset);
    }
}

bool micai_sheet_has_blocks(const micai_sheet *sheet)
{
    const mica_view_block *block = first_block(sheet);
    bool right = true;
    for (uint32_t offset = 0; right && offset < sheet->capacity; offset += block_rows(sheet)) {
        const mica_view_block described = describe_block(sheet, offset);
        right = block->data == described.data && block->tick == described.tick &&
                block->entities == described.entities && block->flags == described.flags &&
                block->flags_tick == described.flags_tick;
        block++;
    }
    return right;
}

// Value pointers

static bool has_pointers(uint32_t number, uint32_t capacity)
{
    return number < MICAI_DIRECTORY_SMALL || capacity > MICAI_ROWS_FIRST;
}

// Returns the type whose whole values or flags a strip holds, in pages or outside. Only such strips
// have value pointers. Returns NULL for others.
static const micai_type *type_of_strip(const micai_layout *layout, uint32_t strip)
{
    const micai_strip *cells = &layout->strips[strip];
    return cells->whole || cells->flags || cells->outside ? layout->columns[cells->column].type
                                                          : NULL;
}

static micai_directory *directory_of(micai_store *store, const micai_layout *layout, uint32_t strip)
{
    return layout->strips[strip].flags ? &store->flags : &store->directory;
}

// Reserves the pointers of strips `from` to `to`.
static mica_result reserve_pointers(micai_store *store, const micai_layout *layout, uint32_t from,
                                    uint32_t to, uint32_t number)
{
    for (uint32_t s = from; s < to; s++) {
        const micai_type *type = type_of_strip(layout, s);
        if (type && micai_directory_reserve(store->host, directory_of(store, layout, s),
                                            type->number, number)) {
            return MICA_ERROR_MEMORY;
        }
    }
    return MICA_OK;
}

mica_result micai_sheet_reserve_pointers(micai_store *store, const micai_table *table,
                                         uint32_t number, uint32_t capacity)
{
    return has_pointers(number, capacity) && !table->index
               ? reserve_pointers(store, &table->layout, 1, table->layout.strip_count, number)
               : MICA_OK;
}

mica_result micai_sheet_reserve_column(micai_store *store, const micai_table *table,
                                       uint32_t column, uint32_t number, uint32_t capacity)
{
    uint32_t from = table->layout.columns[column].strip;
    uint32_t to = from + table->layout.columns[column].strip_count;
    return has_pointers(number, capacity)
               ? reserve_pointers(store, &table->layout, from, to, number)
               : MICA_OK;
}

static mica_view_values *find_pointer(micai_store *store, const micai_sheet *sheet, uint32_t strip)
{
    const micai_layout *layout = &sheet->table->layout;
    const micai_type *type = type_of_strip(layout, strip);
    return type ? micai_directory_pointer(directory_of(store, layout, strip), type->number,
                                          sheet->number)
                : NULL;
}

// Returns true if the strip's column has a tick per row.
static bool is_ticked(const micai_layout *layout, uint32_t strip)
{
    return micai_ticks_strip(layout, layout->strips[strip].column) != 0;
}

// Returns true if callers may write through the value pointer. Values: only if the column has
// nothing else but flags, because the kind must see other writes. Flags: only if some may be 1 and
// no observer watches them. Neither if each row has its own ticks.
static bool is_open(const micai_layout *layout, uint32_t strip)
{
    const micai_column *column = &layout->columns[layout->strips[strip].column];
    return !is_ticked(layout, strip) &&
           (layout->strips[strip].flags
                ? column->has_disabled && !micai_type_is_watched(column->type, MICAI_WATCH_TOGGLES)
                : column->strip_count - (column->type->info.toggle ? 1 : 0) == 1);
}

static void clear_pointer(micai_store *store, const micai_sheet *sheet, uint32_t strip)
{
    store->address_changes++;
    mica_view_values *pointer = find_pointer(store, sheet, strip);
    if (pointer) {
        *pointer = (mica_view_values){0};
    }
}

static void set_pointer(micai_store *store, micai_sheet *sheet, uint32_t strip)
{
    if (!MICAI_CANARY("store.address_changes")) {
        store->address_changes++;
    }
    mica_view_values *pointer = find_pointer(store, sheet, strip);
    if (!pointer) {
        return;
    }
    micai_page *page = &sheet->pages[strip];
    bool entered = page->data && has_pointers(sheet->number, sheet->capacity);
    bool open = entered && is_open(&sheet->table->layout, strip);
    *pointer = (mica_view_values){entered ? page->data : NULL, open ? &page->tick : NULL, 0};
}

void micai_sheet_rewind(micai_store *store, micai_sheet *sheet, uint32_t strip, uint64_t tick)
{
    mica_view_values *pointer = sheet->table->index ? NULL : find_pointer(store, sheet, strip);
    sheet->pages[strip].tick = tick;
    if (pointer && !MICAI_CANARY("store.written_tick")) {
        pointer->written_tick = 0;
    }
}

void micai_sheet_set_pointer(micai_store *store, micai_sheet *sheet, uint32_t strip,
                             const micai_type *type, unsigned char *data)
{
    mica_view_values *pointer =
        micai_directory_pointer(&store->directory, type->number, sheet->number);
    if (pointer && data && has_pointers(sheet->number, sheet->capacity)) {
        uint64_t *tick = micai_ticks_are_kept(type) ? NULL : &sheet->pages[strip].tick;
        *pointer = (mica_view_values){data, tick, 0};
    } else if (pointer) {
        *pointer = (mica_view_values){0};
    }
}

// Returns true if the pointer's written tick is not later than the tick of the page, if it has one.
static bool has_seen(const mica_view_values *pointer)
{
    return pointer->written_tick <= (pointer->tick ? *pointer->tick : 0);
}

bool micai_sheet_has_pointer(micai_store *store, const micai_sheet *sheet, uint32_t strip,
                             const unsigned char *data)
{
    const mica_view_values *pointer = find_pointer(store, sheet, strip);
    const uint64_t *tick =
        is_ticked(&sheet->table->layout, strip) ? NULL : &sheet->pages[strip].tick;
    return !pointer || micai_value_pointer_is_empty(pointer) ||
           (data && pointer->data == data && pointer->tick == tick && has_seen(pointer));
}

void micai_sheet_set_page(micai_store *store, micai_sheet *sheet, uint32_t strip, micai_page page)
{
    sheet->pages[strip] = page;
    if (!sheet->table->index) {
        set_pointer(store, sheet, strip);
    }
}

// A new sheet needs no clearing: the value pointers of its number were cleared before (D2).
void micai_sheet_enter_pages(micai_store *store, micai_sheet *sheet)
{
    if (sheet->table->index) {
        micai_sheet_update_blocks(sheet);
        return;
    }
    uint32_t count =
        has_pointers(sheet->number, sheet->capacity) ? sheet->table->layout.strip_count : 0;
    for (uint32_t s = 0; s < count; s++) {
        set_pointer(store, sheet, s);
    }
    store->address_changes++;
}

void micai_sheet_drop_page(micai_store *store, micai_sheet *sheet, uint32_t strip)
{
    clear_pointer(store, sheet, strip);
    micai_page_release(store->host, &sheet->pages[strip]);
    sheet->pages[strip] = (micai_page){0};
}

MICAI_COLD void micai_sheet_move_page(micai_store *store, micai_sheet *sheet, uint32_t strip,
                                      micai_page page)
{
    const micai_strip *cells = &sheet->table->layout.strips[strip];
    micai_page old = sheet->pages[strip];
    uint32_t used = micai_sheet_used(sheet);
    page.tick = old.tick;
    const micai_type *hooked = micai_layout_hooked(&sheet->table->layout, strip);
    if (hooked) {
        micai_hook_relocate(store->gate, hooked, page.data, old.data, used);
    } else {
        memcpy(page.data, old.data, (size_t)used * cells->size);
    }
    micai_sheet_set_page(store, sheet, strip, page);
    if (sheet->table->index) {
        micai_sheet_update_blocks(sheet);
    }
    micai_page_release(store->host, &old);
}

void micai_sheet_transfer_page(micai_store *store, micai_sheet *source, uint32_t source_strip,
                               micai_sheet *target, uint32_t target_strip)
{
    micai_page *page = &target->pages[target_strip];
    *page = source->pages[source_strip];
    source->pages[source_strip] = (micai_page){0};
    store->page_moves++;
    store->address_changes++;
    const micai_layout *layout = &target->table->layout;
    const micai_type *type = type_of_strip(layout, target_strip);
    if (!type) {
        return;
    }
    if (layout->strips[target_strip].flags) {
        // The column may have disabled values here but not in the source.
        set_pointer(store, target, target_strip);
        return;
    }
    mica_view_values *pointer =
        micai_directory_pointer(&store->directory, type->number, target->number);
    if (pointer && pointer->tick) {
        pointer->tick = &page->tick;
    }
}

// Creating and freeing

static size_t size_of_sheet(const micai_table *table)
{
    return sizeof(micai_sheet) + table->layout.strip_count * sizeof(micai_page);
}

micai_sheet *micai_sheet_make(micai_store *store, micai_table *table, uint32_t capacity)
{
    micai_sheet *sheet =
        micai_alloc_zeroed(store->host, size_of_sheet(table), _Alignof(micai_sheet));
    if (sheet) {
        sheet->table = table;
        sheet->number = UINT32_MAX;
        sheet->capacity = (uint16_t)capacity;
        micai_sheet_mark_rows(sheet, 0, MICAI_ROWS);
    }
    return sheet;
}

void micai_sheet_release_bare(micai_store *store, micai_sheet *sheet)
{
    if (!sheet->table->index) {
        store->address_changes++;
    }
    micai_store_drop_replaced(store, sheet->table, sheet);
    micai_release(store->host, sheet, size_of_sheet(sheet->table), _Alignof(micai_sheet));
}

void micai_sheet_release(micai_store *store, micai_sheet *sheet)
{
    for (uint32_t s = 0; s < sheet->table->layout.strip_count; s++) {
        if (sheet->pages[s].data) {
            micai_page_release(store->host, &sheet->pages[s]);
        }
    }
    micai_sheet_release_bare(store, sheet);
}

// Creates a sheet of a table with an index.
static micai_sheet *new_indexed(micai_store *store, micai_table *table, uint32_t index,
                                uint32_t capacity)
{
    micai_sheet *sheet = micai_index_reserve_blocks(store->host, table->index, index + 1)
                             ? micai_sheet_make(store, table, capacity)
                             : NULL;
    if (sheet) {
        sheet->number = sheet->index = index;
    }
    return sheet;
}

micai_sheet *micai_sheet_new(micai_store *store, micai_table *table, uint32_t index,
                             uint32_t capacity)
{
    if (table->index) {
        return new_indexed(store, table, index, capacity);
    }
    uint32_t in_use = store->sheets.count - store->free_sheets.count;
    if (in_use >= UINT32_MAX >> MICAI_ROW_SHIFT) {
        micai_fail_within(store->host, MICA_ERROR_LIMIT,
                          "the world is full: %" PRIu32 " sheets of rows", in_use);
        return NULL;
    }
    // Reserve an entry in the free list for every number, so that returning a number cannot fail.
    if (store->free_sheets.count == 0 &&
        (!micai_array_reserve(store->host, &store->sheets, 1) ||
         !micai_array_reserve(store->host, &store->free_sheets, store->sheets.count + 1))) {
        return NULL;
    }
    uint32_t number = store->free_sheets.count > 0
                          ? store->free_sheets.items[store->free_sheets.count - 1]
                          : store->sheets.count;
    if (micai_directory_grow(store->host, &store->directory, number + 1) ||
        micai_directory_grow(store->host, &store->flags, number + 1) ||
        micai_sheet_reserve_pointers(store, table, number, capacity)) {
        return NULL;
    }
    micai_sheet *sheet = micai_sheet_make(store, table, capacity);
    if (!sheet) {
        return NULL;
    }
    if (number < store->sheets.count) {
        store->free_sheets.count--;
    } else {
        store->sheets.count++;
    }
    sheet->number = number;
    sheet->index = index;
    store->sheets.items[number] = sheet;
    return sheet;
}

MICAI_COLD void micai_sheet_free(micai_store *store, micai_sheet *sheet)
{
    if (sheet->table->index) {
        micai_sheet_release(store, sheet);
        return;
    }
    store->sheets.items[sheet->number] = NULL;
    store->free_sheets.items[store->free_sheets.count++] = sheet->number;
    for (uint32_t s = 1; s < sheet->table->layout.strip_count; s++) {
        clear_pointer(store, sheet, s);
    }
    micai_sheet_release(store, sheet);
}

bool micai_sheet_adjoins(const micai_sheet *a, const micai_sheet *b)
{
    for (uint32_t s = 0; s < a->table->layout.strip_count; s++) {
        if (a->pages[s].data && !micai_page_adjoins(&a->pages[s], &b->pages[s])) {
            return false;
        }
    }
    return true;
}

// Validation

static mica_result validate_pointer(micai_store *store, const micai_sheet *sheet, uint32_t strip)
{
    const mica_view_values *pointer = find_pointer(store, sheet, strip);
    const micai_page *page = &sheet->pages[strip];
    bool right = !pointer || micai_value_pointer_is_empty(pointer) ||
                 (pointer->data == page->data &&
                  (!pointer->tick ||
                   (pointer->tick == &page->tick && is_open(&sheet->table->layout, strip))) &&
                  has_seen(pointer));
    return right ? MICA_OK
                 : micai_fail_invariant(store->host, "D1",
                                        "strip %" PRIu32 " of sheet %" PRIu32
                                        " has a wrong value pointer",
                                        strip, sheet->number);
}

static mica_result validate_pages(micai_store *store, const micai_sheet *sheet)
{
    const micai_layout *layout = &sheet->table->layout;
    for (uint32_t s = 0; s < layout->strip_count; s++) {
        const micai_page *page = &sheet->pages[s];
        const micai_strip *cells = &layout->strips[s];
        if (!page->data && !page->extent && cells->outside) {
            continue;
        }
        mica_result result = micai_page_validate(
            store->host, page, (size_t)sheet->capacity * cells->size, micai_strip_align(cells));
        result =
            result || s == 0 || sheet->table->index ? result : validate_pointer(store, sheet, s);
        if (result) {
            return result;
        }
    }
    return MICA_OK;
}

mica_result micai_sheet_validate(micai_store *store, const micai_table *table, uint32_t index)
{
    const micai_sheet *sheet = table->sheets.items[index];
    bool listed = table->index ? sheet->number == index
                               : sheet->number < store->sheets.count &&
                                     store->sheets.items[sheet->number] == sheet;
    if (sheet->table != table || sheet->index != index || !listed) {
        return micai_fail_invariant(store->host, "T4",
                                    "sheet %" PRIu32 " of table %" PRIu32 " is not where it thinks",
                                    index, table->id);
    }
    bool small = sheet->capacity < MICAI_ROWS;
    if (sheet->capacity == 0 || sheet->capacity > MICAI_ROWS ||
        (small && index + 1 < table->sheets.count)) {
        return micai_fail_invariant(store->host, "T2",
                                    "sheet %" PRIu32 " of table %" PRIu32 " has room for %" PRIu32
                                    " rows",
                                    index, table->id, sheet->capacity);
    }
    return validate_pages(store, sheet);
}
