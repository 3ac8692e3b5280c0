// Relocating for debugging. debug_relocate.h has the purpose.
#include "store/table/debug_relocate.h"

static void relocate_page(micai_store *store, micai_sheet *sheet, uint32_t strip)
{
    const micai_strip *cells = &sheet->table->layout.strips[strip];
    if (!sheet->pages[strip].data) {
        return;
    }
    micai_extent *extent =
        micai_extent_try(store->host, cells->size, micai_strip_align(cells), sheet->capacity, 1);
    if (!extent) {
        return;
    }
    micai_sheet_move_page(store, sheet, strip, micai_extent_page(extent, 0));
}

void micai_debug_relocate_sheets(micai_store *store, micai_table *table, uint32_t first,
                                 uint32_t end)
{
    micai_store_clear_replaced(store);
    if (table->count == 0) {
        micai_table_trim(store, table);
        return;
    }
    end = end < table->count ? end : table->count;
    for (uint32_t row = first; row < end; row = (row | (MICAI_ROWS - 1)) + 1) {
        micai_sheet *sheet = micai_table_sheet(table, row);
        for (uint32_t s = 0; s < table->layout.strip_count; s++) {
            relocate_page(store, sheet, s);
        }
        micai_table_update_adjacent(table, sheet->index, sheet->index + 1);
    }
    for (uint32_t c = 1; table->layout.outside && c < table->layout.column_count; c++) {
        const micai_kind *kind = micai_table_kind(table, c);
        if (kind->debug_relocate) {
            kind->debug_relocate(store, table, c);
        }
    }
}
