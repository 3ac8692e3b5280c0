// Tables: spans, sheets, growth, runs, validation. table.h has the drawing and the contract.
//
// A table grows in two ways. Its last sheet, while it is small, gets larger pages, and its values
// move there; the old pages are left until the next growth (micai_left), because the call that made
// the table grow may have been given a value that lay in them. Full-sized sheets stay where they
// are; more are added, many at once, their pages side by side.
#include "store/table/table.h"

#include <inttypes.h>

#include "base/canary.h"
#include "store/table/store.h"

micai_span micai_table_read_span(const micai_table *table, uint32_t column, uint32_t row)
{
    micai_sheet *sheet = micai_table_sheet(table, row);
    uint32_t offset = row & (MICAI_ROWS - 1);
    micai_span span = {micai_sheet_at(sheet, column, offset), micai_sheet_used(sheet) - offset};
    // Pages of one extent that follow each other lie side by side.
    const micai_page *page = &sheet->pages[column];
    while (row + span.count < table->count) {
        const micai_page *next = &micai_table_sheet(table, row + span.count)->pages[column];
        if (next->extent != page->extent || next->data != page->data + page->extent->page_size) {
            break;
        }
        uint32_t left = table->count - (row + span.count);
        span.count += left < MICAI_ROWS ? left : MICAI_ROWS;
        page = next;
    }
    return span;
}

micai_span micai_table_write_span(micai_store *store, micai_table *table, uint32_t column,
                                  uint32_t row, uint64_t tick)
{
    if (micai_sheet_own_page(store, micai_table_sheet(table, row), column)) {
        return (micai_span){0};
    }
    micai_span span = micai_table_read_span(table, column, row);
    uint32_t end = row + span.count;
    for (uint32_t r = row; r < end; r = (r | (MICAI_ROWS - 1)) + 1) {
        micai_sheet *sheet = micai_table_sheet(table, r);
        if (sheet->shared && micai_page_references(&sheet->pages[column]) > 1) {
            span.count = r - row; // whoever goes on from here makes that page his own
            break;
        }
        sheet->pages[column].tick = tick;
    }
    return span;
}

mica_result micai_sheet_own_page(micai_store *store, micai_sheet *sheet, uint32_t column)
{
    if (!sheet->shared || micai_page_references(&sheet->pages[column]) == 1 ||
        MICAI_CANARY("store.shared_page")) {
        return MICA_OK;
    }
    mica_result result =
        micai_page_own(store->gate, &sheet->pages[column], &sheet->table->columns[column],
                       sheet->capacity, micai_sheet_used(sheet));
    if (!result) {
        store->page_copies++;
        micai_table_find_runs(sheet->table, sheet->index, sheet->index + 1);
    }
    return result;
}

mica_result micai_sheet_own(micai_store *store, micai_sheet *sheet)
{
    if (!sheet->shared) {
        return MICA_OK;
    }
    for (uint32_t c = 0; c < sheet->table->column_count; c++) {
        mica_result result = micai_sheet_own_page(store, sheet, c);
        if (result) {
            return result;
        }
    }
    sheet->shared = false;
    return MICA_OK;
}

void micai_sheet_share_page(micai_store *store, micai_sheet *sheet, uint32_t column)
{
    micai_page_share(&sheet->pages[column]);
    sheet->shared = true;
    store->sharing = true;
}

static size_t size_of_sheet(const micai_table *table)
{
    return sizeof(micai_sheet) + table->column_count * sizeof(micai_page);
}

micai_sheet *micai_sheet_make(micai_store *store, micai_table *table, uint32_t capacity)
{
    micai_sheet *sheet =
        micai_alloc_zeroed(store->host, size_of_sheet(table), _Alignof(micai_sheet));
    if (!sheet) {
        return NULL;
    }
    sheet->table = table;
    sheet->capacity = capacity;
    for (uint32_t c = 1; c < table->column_count; c++) {
        uint32_t number = table->columns[c].type->number;
        if (number < MICA_VIEW_QUICK) {
            sheet->quick[number] = (uint8_t)c;
        }
    }
    return sheet;
}

void micai_sheet_release(micai_store *store, micai_sheet *sheet)
{
    if (store->left.sheet == sheet) {
        micai_store_clear_left(store);
    }
    for (uint32_t c = 0; c < sheet->table->column_count; c++) {
        if (sheet->pages[c].data) {
            micai_page_release(store->host, &sheet->pages[c]);
        }
    }
    micai_release(store->host, sheet, size_of_sheet(sheet->table), _Alignof(micai_sheet));
}

micai_sheet *micai_sheet_new(micai_store *store, micai_table *table, uint32_t capacity)
{
    uint32_t in_use = store->sheet_count - store->free_sheets.count;
    if (in_use >= UINT32_MAX >> MICAI_ROW_SHIFT) {
        micai_fail(store->host, MICA_ERROR_LIMIT, "the world is full: %" PRIu32 " sheets of rows",
                   in_use);
        return NULL;
    }
    // Room in the list of free numbers for every number there is, so that giving back cannot fail.
    if (store->free_sheets.count == 0 &&
        (!micai_array_grow(store->host, &store->view.sheets, &store->sheet_capacity,
                           store->sheet_count, 1, sizeof *store->view.sheets,
                           _Alignof(max_align_t)) ||
         !micai_array_reserve(store->host, &store->free_sheets, store->sheet_count + 1))) {
        return NULL;
    }
    micai_sheet *sheet = micai_sheet_make(store, table, capacity);
    if (!sheet) {
        return NULL;
    }
    sheet->number = store->free_sheets.count > 0
                        ? store->free_sheets.items[--store->free_sheets.count]
                        : store->sheet_count++;
    store->view.sheets[sheet->number] = sheet;
    return sheet;
}

void micai_sheet_free(micai_store *store, micai_sheet *sheet)
{
    store->view.sheets[sheet->number] = NULL;
    store->free_sheets.items[store->free_sheets.count++] = sheet->number;
    micai_sheet_release(store, sheet);
}

// `count` sheets at the end of the table, their pages side by side.
static bool append_sheets(micai_store *store, micai_table *table, uint32_t count, uint32_t rows)
{
    if (!micai_array_reserve(store->host, &table->sheets, count)) {
        return false;
    }
    uint32_t first = table->sheets.count;
    uint32_t made = 0;
    while (made < count &&
           (table->sheets.items[first + made] = micai_sheet_new(store, table, rows)) != NULL) {
        table->sheets.items[first + made]->index = first + made;
        made++;
    }
    uint32_t c = 0;
    for (; made == count && c < table->column_count; c++) {
        micai_extent *extent = micai_extent_new(store->host, &table->columns[c], rows, count);
        if (!extent) {
            break;
        }
        for (uint32_t i = 0; i < count; i++) {
            table->sheets.items[first + i]->pages[c] = micai_extent_page(extent, i);
        }
    }
    if (made < count || c < table->column_count) {
        while (made > 0) {
            micai_sheet_free(store, table->sheets.items[first + --made]);
        }
        return false;
    }
    table->sheets.count += count;
    table->capacity += count * rows;
    micai_table_find_tail(table);
    micai_table_find_runs(table, first, first + count);
    return true;
}

void micai_store_clear_left(micai_store *store)
{
    micai_left *left = &store->left;
    if (left->sheet) {
        uint32_t columns = left->sheet->table->column_count;
        for (uint32_t c = 0; c < columns; c++) {
            micai_page_release(store->host, &left->pages[c]);
        }
        micai_release(store->host, left->pages, columns * sizeof *left->pages,
                      _Alignof(micai_page));
        *left = (micai_left){0};
    }
}

const void *micai_store_follow(const micai_store *store, const void *data)
{
    const micai_left *left = &store->left;
    for (uint32_t c = 1; data && left->sheet && c < left->sheet->table->column_count; c++) {
        const micai_page *page = &left->pages[c];
        // As numbers: pointers into different blocks may not be compared.
        uintptr_t inside = (uintptr_t)data - (uintptr_t)page->data;
        if (inside < page->extent->page_size) {
            return left->sheet->pages[c].data + inside;
        }
    }
    return data;
}

// Larger pages for a sheet, its own to be put in their place. NULL on refusal.
static micai_page *make_pages(micai_store *store, const micai_table *table, uint32_t rows)
{
    micai_page *pages =
        micai_alloc_array(store->host, table->column_count, sizeof *pages, _Alignof(micai_page));
    for (uint32_t c = 0; pages && c < table->column_count; c++) {
        micai_extent *extent = micai_extent_new(store->host, &table->columns[c], rows, 1);
        if (!extent) {
            while (c-- > 0) {
                micai_page_release(store->host, &pages[c]);
            }
            micai_release(store->host, pages, table->column_count * sizeof *pages,
                          _Alignof(micai_page));
            return NULL;
        }
        pages[c] = micai_extent_page(extent, 0);
    }
    return pages;
}

// The last sheet's rows into larger pages.
static bool enlarge_last(micai_store *store, micai_table *table, uint32_t rows)
{
    micai_sheet *sheet = table->sheets.items[table->sheets.count - 1];
    if (micai_sheet_own(store, sheet)) {
        return false;
    }
    micai_page *pages = make_pages(store, table, rows);
    if (!pages) {
        return false;
    }
    uint32_t used = micai_sheet_used(sheet);
    for (uint32_t c = 0; c < table->column_count; c++) {
        pages[c].tick = sheet->pages[c].tick;
        micai_column_relocate(store->gate, &table->columns[c], pages[c].data, sheet->pages[c].data,
                              used);
        micai_page old = sheet->pages[c];
        sheet->pages[c] = pages[c];
        pages[c] = old;
    }
    store->left = (micai_left){sheet, pages};
    table->capacity += rows - sheet->capacity;
    sheet->capacity = rows;
    micai_table_find_tail(table);
    return true;
}

static uint32_t small_capacity(uint32_t rows)
{
    uint32_t capacity = MICAI_ROWS_FIRST;
    while (capacity < rows && capacity < MICAI_ROWS) {
        capacity *= 2;
    }
    return capacity;
}

// How many sheets may be kept ready without asking for more than 8 MiB at once: large components
// grow sheet by sheet.
static uint32_t sheets_in_reason(const micai_table *table)
{
    size_t largest = 1;
    for (uint32_t c = 0; c < table->column_count; c++) {
        largest = table->columns[c].size > largest ? table->columns[c].size : largest;
    }
    return (uint32_t)(((size_t)8 << 20) / (largest * MICAI_ROWS));
}

// Grows the last sheet while it is small, then adds sheets: few extents are quick to iterate, and
// what is kept ready costs addresses, not memory, until it is touched.
static mica_result grow(micai_store *store, micai_table *table, uint32_t extra)
{
    if (extra > UINT32_MAX - (MICAI_ROWS << 1) - table->count) {
        return micai_fail(store->host, MICA_ERROR_LIMIT,
                          "a table of %" PRIu32 " rows cannot take %" PRIu32 " more", table->count,
                          extra);
    }
    uint32_t needed = table->count + extra;
    micai_store_clear_left(store);
    while (table->capacity < needed) {
        uint32_t sheets = table->sheets.count;
        bool grown;
        if (sheets == 0 && needed <= MICAI_ROWS) {
            grown = append_sheets(store, table, 1, small_capacity(needed));
        } else if (sheets > 0 && table->sheets.items[sheets - 1]->capacity < MICAI_ROWS) {
            uint32_t first = (sheets - 1) << MICAI_ROW_SHIFT;
            grown = enlarge_last(store, table, small_capacity(needed - first));
        } else {
            uint32_t wanted = (needed - table->capacity + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT;
            uint32_t ahead = sheets < MICAI_SHEETS_LEAP ? sheets * 3 : sheets;
            ahead = ahead < sheets_in_reason(table) ? ahead : sheets_in_reason(table);
            uint32_t count = wanted > ahead ? wanted : ahead;
            count = count < MICAI_SHEETS_AT_ONCE ? count : MICAI_SHEETS_AT_ONCE;
            grown = append_sheets(store, table, count, MICAI_ROWS);
        }
        if (!grown) {
            return store->host->failed;
        }
    }
    return MICA_OK;
}

static mica_result own_append(micai_store *store, micai_table *table, uint32_t extra)
{
    uint32_t end = (table->count + extra - 1) >> MICAI_ROW_SHIFT;
    for (uint32_t sheet = table->count >> MICAI_ROW_SHIFT; extra > 0 && sheet <= end; sheet++) {
        mica_result result = micai_sheet_own(store, table->sheets.items[sheet]);
        if (result) {
            return result;
        }
    }
    return MICA_OK;
}

mica_result micai_table_make_room(micai_store *store, micai_table *table, uint32_t extra)
{
    if (extra > table->capacity - table->count) {
        mica_result result = grow(store, table, extra);
        if (result) {
            return result;
        }
    }
    return store->sharing ? own_append(store, table, extra) : MICA_OK;
}

mica_result micai_table_own_ends(micai_store *store, micai_table *table, uint32_t row)
{
    mica_result result = micai_sheet_own(store, micai_table_sheet(table, row));
    return result ? result : micai_sheet_own(store, micai_table_sheet(table, table->count - 1));
}

void micai_table_destruct_row(micai_store *store, micai_table *table, uint32_t row)
{
    if (table->plain) {
        return;
    }
    micai_sheet *sheet = micai_table_sheet(table, row);
    for (uint32_t c = 1; c < table->column_count; c++) {
        micai_column_destruct(store->gate, &table->columns[c],
                              micai_sheet_at(sheet, c, row & (MICAI_ROWS - 1)), 1);
    }
}

// Values in pages shared with others are the others' to end.
void micai_table_destruct_all(micai_store *store, micai_table *table)
{
    for (uint32_t i = 0; !table->plain && i < table->sheets.count; i++) {
        micai_sheet *sheet = table->sheets.items[i];
        for (uint32_t c = 1; c < table->column_count; c++) {
            if (micai_page_references(&sheet->pages[c]) == 1) {
                micai_column_destruct(store->gate, &table->columns[c], sheet->pages[c].data,
                                      micai_sheet_used(sheet));
            }
        }
    }
}

static bool adjoin(const micai_sheet *a, const micai_sheet *b)
{
    for (uint32_t c = 0; c < a->table->column_count; c++) {
        const micai_page *page = &a->pages[c];
        if (b->pages[c].extent != page->extent ||
            b->pages[c].data != page->data + page->extent->page_size) {
            return false;
        }
    }
    return true;
}

static uint32_t find_run(const micai_table *table, uint32_t i)
{
    micai_sheet *const *sheets = table->sheets.items;
    bool runs_on = i + 1 < table->sheets.count && adjoin(sheets[i], sheets[i + 1]);
    return runs_on ? sheets[i + 1]->run + 1 : 1;
}

// From the end, and further to the front as long as that makes a difference.
void micai_table_find_runs(micai_table *table, uint32_t first, uint32_t end)
{
    micai_sheet **sheets = table->sheets.items;
    for (uint32_t i = end < table->sheets.count ? end : table->sheets.count; i-- > 0;) {
        uint32_t run = find_run(table, i);
        if (i < first && sheets[i]->run == run) {
            break;
        }
        sheets[i]->run = run;
    }
}

void micai_table_trim(micai_store *store, micai_table *table)
{
    uint32_t needed = (table->count + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT;
    while (table->sheets.count > needed) {
        micai_sheet *sheet = table->sheets.items[--table->sheets.count];
        table->capacity -= sheet->capacity;
        micai_sheet_free(store, sheet);
    }
    if (table->sheets.count == 0) {
        micai_array_free(store->host, &table->sheets);
    }
    micai_table_find_tail(table);
    micai_table_find_runs(table, needed, needed);
}

// P1
static bool page_is_placed(const micai_page *page, size_t size)
{
    const micai_extent *extent = page->extent;
    return page->data && extent->page_size == size && page->data >= extent->data &&
           (size_t)(page->data - extent->data) < extent->page_count * size &&
           (size_t)(page->data - extent->data) % size == 0;
}

static uint32_t count_live(const micai_extent *extent)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < extent->page_count; i++) {
        live += extent->references[i] > 0;
    }
    return live;
}

static mica_result validate_sheet(micai_store *store, const micai_table *table, uint32_t index)
{
    const micai_sheet *sheet = table->sheets.items[index];
    bool knows = true;
    for (uint32_t n = 0; n < MICA_VIEW_QUICK; n++) {
        knows = knows && sheet->quick[n] == micai_table_column(table, n);
    }
    if (sheet->table != table || !knows || sheet->index != index ||
        sheet->number >= store->sheet_count || store->view.sheets[sheet->number] != sheet) {
        return micai_fail_invariant(store->host, "T4",
                                    "sheet %" PRIu32 " of table %" PRIu32 " is not where it thinks",
                                    index, table->id);
    }
    if (sheet->run != find_run(table, index)) {
        return micai_fail_invariant(store->host, "T7",
                                    "sheet %" PRIu32 " of table %" PRIu32 " has a wrong run", index,
                                    table->id);
    }
    bool small = sheet->capacity < MICAI_ROWS;
    if (sheet->capacity > MICAI_ROWS || (small && index + 1 < table->sheets.count)) {
        return micai_fail_invariant(store->host, "T2",
                                    "sheet %" PRIu32 " of table %" PRIu32 " has room for %" PRIu32
                                    " rows",
                                    index, table->id, sheet->capacity);
    }
    for (uint32_t c = 0; c < table->column_count; c++) {
        const micai_page *page = &sheet->pages[c];
        if (!page_is_placed(page, (size_t)sheet->capacity * table->columns[c].size)) {
            return micai_fail_invariant(
                store->host, "P1", "page %" PRIu32 " of sheet %" PRIu32 " lies outside its extent",
                c, sheet->number);
        }
        if (micai_page_references(page) == 0 || page->extent->live != count_live(page->extent) ||
            (micai_page_references(page) > 1 && !sheet->shared)) {
            return micai_fail_invariant(store->host, "P2",
                                        "page %" PRIu32 " of sheet %" PRIu32 " is miscounted", c,
                                        sheet->number);
        }
    }
    return MICA_OK;
}

mica_result micai_table_validate(micai_store *store, const micai_table *table)
{
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        mica_result result = validate_sheet(store, table, i);
        if (result) {
            return result;
        }
        capacity += table->sheets.items[i]->capacity;
    }
    if (capacity != table->capacity || table->count > capacity) {
        return micai_fail_invariant(store->host, "T5",
                                    "table %" PRIu32 " has room for %" PRIu32 " rows, not %" PRIu32,
                                    table->id, capacity, table->capacity);
    }
    if (table->count < capacity || (table->count & (MICAI_ROWS - 1)) != 0) {
        const micai_sheet *tail = micai_table_sheet(table, table->count);
        if (table->tail != tail ||
            table->next != micai_sheet_where(tail, table->count & (MICAI_ROWS - 1))) {
            return micai_fail_invariant(store->host, "T6", "table %" PRIu32 " has lost its tail",
                                        table->id);
        }
    }
    for (uint32_t row = 0; row < table->count; row++) {
        const micai_sheet *sheet = micai_table_sheet(table, row);
        uint32_t offset = row & (MICAI_ROWS - 1);
        const micai_record *record = micai_slots_find(store->slots, micai_sheet_ids(sheet)[offset]);
        if (!record || record->where != micai_sheet_where(sheet, offset)) {
            return micai_fail_invariant(store->host, "T1",
                                        "row %" PRIu32 " of table %" PRIu32 " is not its entity's",
                                        row, table->id);
        }
    }
    return MICA_OK;
}
