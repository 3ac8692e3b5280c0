// Moving rows carefully: what is not nothing but bytes is moved by its kind. row.h has the contract, and
// the quick way.
//
//   move     target row  <- row        strips, and columns that need care; what only the source
//                                      has is ended
//   fill     row         <- last row   all strips of the source, and columns that need care
//
// Beside that, the copying of quick moves.
#include "store/table/row.h"

void micai_row_copy_others(const micai_edge *edge, micai_sheet *sheet, uint32_t offset,
                           const micai_sheet *from, uint32_t from_offset)
{
    micai_page *target = sheet->pages;
    const micai_page *source = from->pages;
    const micai_copy *end = edge->copies + edge->strip_count;
    for (const micai_copy *copy = edge->copies + edge->eight_count; copy < end; copy++) {
        const micai_copy strip = *copy;
        micai_copy_bytes(target[strip.target].data + (size_t)offset * strip.size,
                         source[strip.source].data + (size_t)from_offset * strip.size, strip.size);
    }
}

void micai_row_fill_others(const micai_edge *edge, micai_sheet *sheet, uint32_t offset,
                           micai_sheet *hole, uint32_t hole_offset)
{
    const micai_row last = micai_row_raw(edge->source); // as it was taken out
    const micai_page *filler = last.sheet->pages;
    micai_page *target = sheet->pages;
    micai_page *source = hole->pages;
    const micai_copy *dropped = edge->copies + edge->strip_count;
    const micai_copy *end = dropped + edge->dropped_count;
    for (const micai_copy *copy = edge->copies + edge->eight_count; copy < dropped; copy++) {
        const micai_copy strip = *copy;
        unsigned char *cell = source[strip.source].data + (size_t)hole_offset * strip.size;
        const unsigned char *from = filler[strip.source].data + (size_t)last.offset * strip.size;
        micai_copy_bytes(target[strip.target].data + (size_t)offset * strip.size, cell, strip.size);
        micai_copy_bytes(cell, from, strip.size);
    }
    if (MICAI_CANARY("store.fill")) {
        return;
    }
    for (const micai_copy *copy = dropped; copy < end; copy++) {
        micai_row_copy_cell(&source[copy->source], hole_offset, &filler[copy->source], last.offset,
                            copy->size);
    }
}

// One piece after the other, or zeros (NULL).
void micai_row_cut(micai_row raw, micai_fill fill, const void *data)
{
    const micai_strip *strips = &raw.sheet->table->layout.strips[fill.strip];
    micai_page *pages = &raw.sheet->pages[fill.strip];
    for (uint32_t p = 0; p < fill.pieces; p++) {
        uint32_t size = strips[p].size;
        unsigned char *cell = pages[p].data + (size_t)raw.offset * size;
        if (!data) {
            memset(cell, 0, size);
        } else {
            micai_copy_bytes(cell, (const unsigned char *)data + strips[p].offset, size);
        }
    }
}

// Of each column, its strips as bytes or its values by their kind.
static void fill_carefully(micai_store *store, micai_row to, micai_row from)
{
    micai_table *table = micai_row_table(to);
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        const micai_column *column = &table->layout.columns[c];
        if (micai_column_needs_care(&table->layout, c)) {
            column->kind->move(store, micai_row_cell(to, c), micai_row_cell(from, c));
            continue;
        }
        for (uint32_t s = column->strip; s < (uint32_t)column->strip + column->strip_count; s++) {
            micai_row_copy_cell(&to.sheet->pages[s], to.offset, &from.sheet->pages[s], from.offset,
                                table->layout.strips[s].size);
        }
    }
}

void micai_row_drop(micai_store *store, micai_row row, uint64_t tick)
{
    micai_table *table = row.sheet->table;
    if (table->quick) {
        micai_row_drop_quickly(store, row, tick);
        return;
    }
    micai_row last = micai_row_pop(table);
    if (!micai_row_equal(row, last)) {
        store->row_moves++;
        micai_row_fill_id(store, row, last, tick);
        fill_carefully(store, row, last);
    }
}

static void move_carefully(micai_store *store, const micai_edge *edge, micai_row row,
                           micai_record *record, bool raw, uint64_t tick)
{
    micai_row to = micai_row_raw(edge->target);
    micai_record_place(record, to.where);
    micai_row_append(edge->target, micai_sheet_ids(row.sheet)[row.offset], tick);
    store->row_moves++;
    micai_row_copy_strips(edge, to, row);
    const micai_copy *copy = micai_edge_careful(edge);
    for (uint32_t i = 0; i < edge->careful_count; i++, copy++) {
        micai_table_kind(edge->target, copy->target)
            ->move(store, micai_row_cell(to, copy->target), micai_row_cell(row, copy->source));
    }
    copy = micai_edge_removed(edge);
    for (uint32_t i = 0; !raw && i < edge->removed_count; i++, copy++) {
        micai_table_kind(edge->source, copy->source)
            ->end(store, micai_row_cell(row, copy->source), 1);
    }
    micai_row_drop(store, row, tick);
}

static void move(micai_store *store, const micai_edge *edge, micai_row row, micai_record *record,
                 bool raw, uint64_t tick)
{
    if (edge->source->dimmed > 0) {
        micai_toggle_spread(store, edge);
    }
    if (edge->source->quick && edge->target->quick) {
        micai_row_move_quickly(store, edge, row, record, tick);
    } else {
        move_carefully(store, edge, row, record, raw, tick);
    }
}

void micai_row_move(micai_store *store, const micai_edge *edge, micai_row row, micai_record *record,
                    uint64_t tick)
{
    move(store, edge, row, record, false, tick);
}

void micai_row_move_raw(micai_store *store, const micai_edge *edge, micai_row row,
                        micai_record *record, uint64_t tick)
{
    move(store, edge, row, record, true, tick);
}

void micai_row_append_many(micai_store *store, micai_table *table, uint32_t count,
                           mica_entity *entities_out, uint64_t tick)
{
    for (uint32_t done = 0; done < count;) {
        micai_sheet *sheet = micai_table_sheet(table, table->count);
        uint32_t offset = table->count & (MICAI_ROWS - 1);
        uint32_t rows = MICAI_ROWS - offset < count - done ? MICAI_ROWS - offset : count - done;
        mica_entity *ids = micai_sheet_ids(sheet) + offset;
        micai_slots_take_many(store->slots, micai_sheet_where(sheet, offset), rows, ids);
        if (entities_out) {
            memcpy(entities_out + done, ids, rows * sizeof *ids);
        }
        micai_sheet_touch(sheet, 0, tick);
        micai_table_set_count(table, table->count + rows);
        done += rows;
    }
}
