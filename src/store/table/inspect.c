// The layout of a table's rows. inspect.h has the contract.
#include "store/table/inspect.h"

#include "store/table/kind_ring.h"

static size_t strip_size(const micai_table *table, uint32_t strip)
{
    const micai_strip *cells = &table->layout.strips[strip];
    size_t size = 0;
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        const micai_sheet *sheet = table->sheets.items[i];
        size += sheet->pages[strip].data ? (size_t)sheet->capacity * cells->size : 0;
    }
    return size;
}

size_t micai_column_size(const micai_table *table, uint32_t column)
{
    const micai_column *asked = &table->layout.columns[column];
    size_t size = 0;
    for (uint32_t s = 0; s < asked->strip_count; s++) {
        size += strip_size(table, asked->strip + s);
    }
    const micai_ring_slice *slice = micai_column_kind(asked) == &micai_kind_ring
                                        ? *micai_layout_outside(&table->layout, column)
                                        : NULL;
    if (slice) {
        size +=
            ((size_t)slice->run.length + slice->overflow.capacity) * micai_column_value_size(asked);
    }
    if (micai_column_kind(asked) == &micai_kind_stable) {
        size += (size_t)table->capacity * micai_column_value_size(asked);
    }
    return size;
}

const char *micai_column_storage(const micai_table *table, uint32_t column)
{
    const micai_kind *kind = micai_table_kind(table, column);
    return kind == &micai_kind_paged ? "table" : kind->name;
}

void micai_table_inspect(const micai_table *table, mica_table_info *info_out)
{
    info_out->rows = table->count;
    info_out->capacity = table->capacity;
    info_out->sheets = table->sheets.count;
    info_out->facets = table->facet;
    for (uint32_t column = 0; column < table->layout.column_count; column++) {
        info_out->bytes += micai_column_size(table, column);
    }
}

void micai_table_inspect_rows(const micai_table *table, uint32_t column, uint32_t row,
                              mica_row_range *range_out)
{
    const micai_sheet *sheet = micai_table_sheet(table, row);
    uint32_t end;
    range_out->row = row;
    range_out->changed = micai_table_tick(table, column, row, &end);
    range_out->count = end - row;
    range_out->entities = &micai_sheet_ids(sheet)[row & (MICAI_ROWS - 1)];
    if (column > 0) {
        micai_cell cell = {(micai_table *)table, column, row};
        micai_span span = micai_table_kind(table, column)->read(cell);
        range_out->data = span.data;
        range_out->count = span.count < range_out->count ? span.count : range_out->count;
    }
}

micai_field_span micai_table_field(micai_cell cell, uint32_t offset, uint32_t size)
{
    const micai_kind *kind = micai_table_kind(cell.table, cell.column);
    if (kind->find) {
        return kind->find(cell, offset, size);
    }
    unsigned char *values = micai_table_at(cell);
    return (micai_field_span){values + offset,
                              micai_column_value_size(&cell.table->layout.columns[cell.column])};
}
