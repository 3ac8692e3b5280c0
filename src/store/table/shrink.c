// Shrinking a table, strip by strip. An extent lives as long as one of its pages. A table that
// shrank from a million rows to one would keep 256 pages per strip.
//
//     extent   | page | -    | -    | page | page | -    | ...       - is unused
//     after    | page |                | page | page |                adjacent pages stay together
#include "store/table/shrink.h"

#include "store/table/store.h"

// Returns true if a quarter of an extent is unused. Moving pages for less costs more than it saves.
static bool is_wasteful(const micai_extent *extent)
{
    uint32_t unused = extent->page_count - extent->live;
    return unused > extent->page_count / 4;
}

// Returns how many pages of a strip are adjacent from sheet `first` on. `moves_out` receives
// whether they should move.
static uint32_t measure_run(const micai_table *table, uint32_t strip, uint32_t first,
                            bool *moves_out)
{
    micai_sheet *const *sheets = table->sheets.items;
    const micai_page *page = &sheets[first]->pages[strip];
    uint32_t count = 1;
    *moves_out = page->data && is_wasteful(page->extent);
    while (first + count < table->sheets.count && page->data &&
           micai_page_adjoins(&sheets[first + count - 1]->pages[strip],
                              &sheets[first + count]->pages[strip])) {
        count++;
    }
    return count;
}

static bool move_run(micai_store *store, micai_table *table, uint32_t strip, uint32_t first,
                     uint32_t count)
{
    const micai_strip *cells = &table->layout.strips[strip];
    uint32_t rows = table->sheets.items[first]->capacity;
    micai_extent *extent =
        micai_extent_new(store->host, cells->size, micai_strip_align(cells), rows, count);
    for (uint32_t i = 0; extent && i < count; i++) {
        micai_sheet_move_page(store, table->sheets.items[first + i], strip,
                              micai_extent_page(extent, i));
    }
    return extent != NULL;
}

static bool shrink_strip(micai_store *store, micai_table *table, uint32_t strip)
{
    bool moved = true;
    for (uint32_t first = 0; moved && first < table->sheets.count;) {
        bool moves;
        uint32_t count = measure_run(table, strip, first, &moves);
        moved = !moves || move_run(store, table, strip, first, count);
        first += count;
    }
    return moved;
}

mica_result micai_shrink_table(micai_store *store, micai_table *table)
{
    mica_result result = micai_table_shrink(store, table);
    for (uint32_t s = 0; !result && s < table->layout.strip_count; s++) {
        result = shrink_strip(store, table, s) ? MICA_OK : store->host->failed;
    }
    micai_table_update_adjacent(table, 0, table->sheets.count);
    return result;
}
