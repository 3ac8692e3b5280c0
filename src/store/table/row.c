// Moving rows whose values are not all bytes, through the kinds of their columns. row.h has the
// contract and the fast path.
//
//     move     target row  <- row        strips and careful columns; values that only the source
//                                        has are destructed
//     fill     row         <- last row   all strips of the source and careful columns
//
// Also here: the copying of fast moves, and moves of rows of bytes, some of them in rings.
#include "store/table/row.h"

#include "base/number.h"

void micai_row_copy_others(const micai_transition *t, micai_sheet *sheet, uint32_t offset,
                           const micai_sheet *from, uint32_t from_offset)
{
    micai_page *target = sheet->pages;
    const micai_page *source = from->pages;
    const micai_copy *end = t->copies + t->strip_count;
    for (const micai_copy *copy = t->copies + t->eight_count; copy < end; copy++) {
        const micai_copy strip = *copy;
        micai_copy_bytes(target[strip.target].data + (size_t)offset * strip.size,
                         source[strip.source].data + (size_t)from_offset * strip.size, strip.size);
    }
}

void micai_row_fill_others(const micai_transition *t, micai_sheet *sheet, uint32_t offset,
                           micai_sheet *hole, uint32_t hole_offset)
{
    const micai_row last = micai_row_raw(t->source); // the row that was just removed
    const micai_page *filler = last.sheet->pages;
    micai_page *target = sheet->pages;
    micai_page *source = hole->pages;
    const micai_copy *dropped = t->copies + t->strip_count;
    const micai_copy *end = dropped + t->dropped_count;
    for (const micai_copy *copy = t->copies + t->eight_count; copy < dropped; copy++) {
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

// Writes each field strip of a value, or zeros (NULL).
void micai_row_fill_strips(micai_row raw, micai_fill fill, const void *data)
{
    const micai_strip *strips = &raw.sheet->table->layout.strips[fill.strip];
    micai_page *pages = &raw.sheet->pages[fill.strip];
    for (uint32_t p = 0; p < fill.strips; p++) {
        uint32_t size = strips[p].size;
        unsigned char *cell = pages[p].data + (size_t)raw.offset * size;
        if (!data) {
            memset(cell, 0, size);
        } else {
            micai_copy_bytes(cell, (const unsigned char *)data + strips[p].offset, size);
        }
    }
}

bool micai_row_fill_column(micai_store *store, const micai_table *table, uint32_t column,
                           const void *data)
{
    const micai_row raw = micai_row_raw(table);
    if (data && micai_row_takes_copy(table, column)) {
        micai_row_fill(raw, micai_row_find_fill(table, column), data);
        return true;
    }
    micai_fill fill = micai_table_fill(table, column);
    if (!fill.strip || fill.outside) {
        return false;
    }
    micai_row_fill_value(store, raw, fill, data);
    return true;
}

// Rows of bytes with rings

static inline void copy_value(unsigned char *to, const unsigned char *from, uint32_t size)
{
    if (MICAI_LIKELY(size == 8)) {
        memcpy(to, from, 8);
    } else {
        micai_copy_bytes(to, from, size);
    }
}

void micai_ring_slice_update_pointer(micai_store *store, const micai_ring_slice *slice,
                                     uint32_t row)
{
    slice->ring->update_pointer(store, slice, row);
}

void micai_row_fill_ring(micai_store *store, micai_row raw, micai_fill fill, const void *data)
{
    const micai_table *table = raw.sheet->table;
    micai_ring_slice *slice = *micai_layout_outside(&table->layout, fill.outside);
    micai_ring_slice_add_row(store, slice, table->count);
    unsigned char *value = micai_ring_slice_at(slice, table->count, fill.size);
    if (data) {
        copy_value(value, data, fill.size);
    } else {
        memset(value, 0, fill.size);
    }
}

// Copies a value that is removed to `to`, unless NULL. The value of the last row takes its place.
static inline void fill_hole(const micai_ring_slice *slice, uint32_t hole, uint32_t last,
                             uint32_t size, unsigned char *to)
{
    unsigned char *value = micai_ring_slice_at(slice, hole, size);
    if (to) {
        copy_value(to, value, size);
    }
    if (hole != last) {
        copy_value(value, micai_ring_slice_at(slice, last, size), size);
    }
    slice->ring->fragmented = true;
}

void micai_row_drop_with_rings(micai_store *store, micai_row row, uint64_t tick)
{
    micai_table *table = row.sheet->table;
    const micai_layout *layout = &table->layout;
    uint32_t hole = micai_row_number(row);
    micai_row last = micai_row_pop(table);
    for (uint32_t c = 1; c < layout->column_count; c++) {
        const micai_ring_slice *slice = micai_layout_get_outside(layout, c);
        if (slice) {
            fill_hole(slice, hole, table->count, layout->columns[c].type->info.size, NULL);
        }
    }
    if (micai_row_equal(row, last)) {
        return;
    }
    store->row_moves++;
    micai_row_correct(store, micai_row_fill_id(row, last, tick), row);
    for (uint32_t s = 1; s < layout->strip_count; s++) {
        if (!layout->strips[s].outside) {
            micai_row_copy_cell(&row.sheet->pages[s], row.offset, &last.sheet->pages[s],
                                last.offset, layout->strips[s].size);
        }
    }
}

// Copies the ticks and flags of a component that both tables keep in a ring.
static void carry_rest(const micai_column *target, micai_row to, const micai_column *source,
                       micai_row hole, micai_row last)
{
    const micai_strip *strips = hole.sheet->table->layout.strips;
    for (uint32_t s = 1; s < target->strip_count; s++) {
        uint32_t strip = source->strip + s;
        uint32_t size = strips[strip].size;
        micai_page *page = &hole.sheet->pages[strip];
        micai_row_copy_cell(&to.sheet->pages[target->strip + s], to.offset, page, hole.offset,
                            size);
        micai_row_copy_cell(page, hole.offset, &last.sheet->pages[strip], last.offset, size);
    }
}

void micai_row_move_with_rings(micai_store *store, const micai_transition *t, micai_row row,
                               micai_record *record, uint64_t tick)
{
    micai_row to = micai_row_raw(t->target);
    uint32_t next = t->target->count;
    uint32_t hole = micai_row_number(row);
    micai_record_place(record, to.where);
    micai_row_append(t->target, micai_sheet_ids(row.sheet)[row.offset], tick);
    micai_row last = micai_row_pop(t->source);
    if (micai_row_equal(row, last)) {
        store->row_moves++;
        micai_row_copy_strips(t, to, row);
    } else {
        store->row_moves += 2;
        micai_row_correct(store, micai_row_fill_id(row, last, tick), row);
        micai_row_copy_and_fill(t, to, row, last);
    }
    const micai_copy *copy = micai_transition_careful(t);
    for (uint32_t i = 0; i < t->careful_count; i++, copy++) {
        const micai_column *source = &t->source->layout.columns[copy->source];
        const micai_column *target = &t->target->layout.columns[copy->target];
        micai_ring_slice *slice = *micai_layout_outside(&t->target->layout, copy->target);
        micai_ring_slice_add_row(store, slice, next);
        fill_hole(*micai_layout_outside(&t->source->layout, copy->source), hole, t->source->count,
                  copy->size, micai_ring_slice_at(slice, next, copy->size));
        carry_rest(target, to, source, row, last);
    }
    copy = micai_transition_removed(t);
    const micai_layout *layout = &t->source->layout;
    const uint32_t removed = layout->outside ? t->removed_count : 0;
    for (uint32_t i = 0; i < removed; i++, copy++) {
        const micai_ring_slice *slice = *micai_layout_outside(layout, copy->source);
        if (slice) {
            fill_hole(slice, hole, t->source->count, copy->size, NULL);
        }
    }
}

// All other rows

// Fills a row column by column: strips as bytes, or values through their kind.
static void fill_by_kinds(micai_store *store, micai_row to, micai_row from)
{
    micai_table *table = micai_row_table(to);
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        const micai_column *column = &table->layout.columns[c];
        if (table->layout.columns[c].careful) {
            micai_column_kind(column)->move(store, micai_row_cell(to, c), micai_row_cell(from, c));
            continue;
        }
        for (uint32_t s = column->strip; s < (uint32_t)column->strip + column->strip_count; s++) {
            micai_row_copy_cell(&to.sheet->pages[s], to.offset, &from.sheet->pages[s], from.offset,
                                table->layout.strips[s].size);
        }
    }
}

void micai_row_relocate(micai_store *store, micai_row to, micai_row from)
{
    micai_row_copy_cell(&to.sheet->pages[0], to.offset, &from.sheet->pages[0], from.offset,
                        sizeof(mica_entity));
    fill_by_kinds(store, to, from);
}

static unsigned char *cell_at(micai_row row, uint32_t strip, uint32_t size)
{
    return row.sheet->pages[strip].data + (size_t)row.offset * size;
}

static inline void exchange_bytes(unsigned char *a, unsigned char *b, uint32_t size)
{
    unsigned char bytes[16];
    for (; size >= 16; size -= 16, a += 16, b += 16) {
        memcpy(bytes, a, 16);
        memcpy(a, b, 16);
        memcpy(b, bytes, 16);
    }
    for (; size >= 4; size -= 4, a += 4, b += 4) {
        memcpy(bytes, a, 4);
        memcpy(a, b, 4);
        memcpy(b, bytes, 4);
    }
    for (; size > 0; size--, a++, b++) {
        bytes[0] = *a;
        *a = *b;
        *b = bytes[0];
    }
}

void micai_row_exchange(micai_store *store, micai_row a, micai_row b, void *memory)
{
    const micai_layout *layout = &a.sheet->table->layout;
    for (uint32_t s = 0; s < layout->strip_count; s++) {
        uint32_t size = layout->strips[s].size;
        unsigned char *x = cell_at(a, s, size);
        unsigned char *y = cell_at(b, s, size);
        if (size == 8 && !layout->strips[s].careful) {
            uint64_t eight[2];
            memcpy(&eight[0], x, 8);
            memcpy(&eight[1], y, 8);
            memcpy(x, &eight[1], 8);
            memcpy(y, &eight[0], 8);
        } else if (layout->strips[s].careful) {
            const micai_type *type = layout->columns[layout->strips[s].column].type;
            micai_hook_relocate(store->gate, type, memory, x, 1);
            micai_hook_relocate(store->gate, type, x, y, 1);
            micai_hook_relocate(store->gate, type, y, memory, 1);
        } else {
            exchange_bytes(x, y, size);
        }
    }
}

size_t micai_layout_row_size(const micai_layout *layout, uint32_t *align_out)
{
    size_t size = 0;
    *align_out = 1;
    for (uint32_t s = 0; s < layout->strip_count; s++) {
        uint32_t align = micai_strip_align(&layout->strips[s]);
        *align_out = align > *align_out ? align : *align_out;
        size = micai_round_up(size, align) + layout->strips[s].size;
    }
    return size;
}

// Moves a row between its cells and memory.
static void carry(micai_store *store, micai_row row, unsigned char *memory, bool back)
{
    const micai_layout *layout = &row.sheet->table->layout;
    size_t offset = 0;
    uint32_t count = layout->strip_count;
    if (MICAI_CANARY("store.sort_flag") && layout->strips[count - 1].flags) {
        count--;
    }
    for (uint32_t s = 0; s < count; s++) {
        const micai_strip *strip = &layout->strips[s];
        offset = micai_round_up(offset, micai_strip_align(strip));
        unsigned char *cell = cell_at(row, s, strip->size);
        unsigned char *to = back ? cell : memory + offset;
        unsigned char *from = back ? memory + offset : cell;
        if (strip->careful) {
            micai_hook_relocate(store->gate, layout->columns[strip->column].type, to, from, 1);
        } else {
            micai_copy_bytes(to, from, strip->size);
        }
        offset += strip->size;
    }
}

void micai_row_lift(micai_store *store, micai_row row, void *memory_out)
{
    carry(store, row, memory_out, false);
}

void micai_row_lower(micai_store *store, micai_row row, void *memory)
{
    carry(store, row, memory, true);
}

bool micai_row_drop_indexed(micai_store *store, micai_row row, uint64_t tick,
                            mica_entity *moved_out)
{
    micai_row last = micai_row_pop(row.sheet->table);
    if (micai_row_equal(row, last)) {
        return false;
    }
    *moved_out = micai_row_fill_id(row, last, tick);
    fill_by_kinds(store, row, last);
    return true;
}

void micai_row_copy(micai_row to, micai_row from, uint64_t tick)
{
    const micai_layout *layout = &from.sheet->table->layout;
    const micai_strip *end = layout->strips + layout->strip_count;
    micai_page *target = to.sheet->pages;
    const micai_page *source = from.sheet->pages;
    for (const micai_strip *strip = layout->strips + 1; strip < end; strip++) {
        target++;
        source++;
        if (strip->ticks) {
            memcpy(micai_row_eight(target, to.offset), &tick, sizeof tick);
        } else if (!MICAI_CANARY("store.copied_row")) {
            micai_row_copy_cell(target, to.offset, source, from.offset, strip->size);
        }
    }
}

// Rows of bytes, some of which are outside. Kinds of tests may have such values, too.
static void drop_outside(micai_store *store, micai_row row, uint64_t tick)
{
#ifdef MICAI_TEST_KINDS
    micai_row_drop_with_rings(store, row, tick);
#else
    store->registry->kinds[MICAI_KIND_RING]->drop_row(store, row, tick);
#endif
}

static void move_outside(micai_store *store, const micai_transition *t, micai_row row,
                         micai_record *record, uint64_t tick)
{
#ifdef MICAI_TEST_KINDS
    micai_row_move_with_rings(store, t, row, record, tick);
#else
    store->registry->kinds[MICAI_KIND_RING]->move_row(store, t, row, record, tick);
#endif
}

void micai_row_drop(micai_store *store, micai_row row, uint64_t tick)
{
    micai_table *table = row.sheet->table;
    if (micai_table_is_bytes(table) && table->layout.plain) {
        micai_row_drop_fast(store, row, tick);
        return;
    }
    if (micai_table_is_bytes(table)) {
        drop_outside(store, row, tick);
        return;
    }
    micai_row last = micai_row_pop(table);
    if (!micai_row_equal(row, last)) {
        store->row_moves++;
        micai_row_correct(store, micai_row_fill_id(row, last, tick), row);
        fill_by_kinds(store, row, last);
    }
}

static void move_by_kinds(micai_store *store, const micai_transition *t, micai_row row,
                          micai_record *record, bool raw, uint64_t tick)
{
    micai_row to = micai_row_raw(t->target);
    micai_record_place(record, to.where);
    micai_row_append(t->target, micai_sheet_ids(row.sheet)[row.offset], tick);
    store->row_moves++;
    micai_row_copy_strips(t, to, row);
    const micai_copy *copy = micai_transition_careful(t);
    for (uint32_t i = 0; i < t->careful_count; i++, copy++) {
        micai_table_kind(t->target, copy->target)
            ->move(store, micai_row_cell(to, copy->target), micai_row_cell(row, copy->source));
    }
    copy = micai_transition_removed(t);
    for (uint32_t i = 0; !raw && i < t->removed_count; i++, copy++) {
        micai_table_kind(t->source, copy->source)
            ->destruct(store, micai_row_cell(row, copy->source), 1);
    }
    micai_row_drop(store, row, tick);
}

static void move(micai_store *store, const micai_transition *t, micai_row row, micai_record *record,
                 bool raw, uint64_t tick)
{
    if (t->source->disabled_columns > 0) {
        micai_toggle_spread(store, t);
    }
    bool bytes = micai_table_is_bytes(t->source) && micai_table_is_bytes(t->target);
    if (bytes && t->source->layout.plain && t->target->layout.plain) {
        micai_row_move_fast(store, t, row, record, tick);
    } else if (bytes) {
        move_outside(store, t, row, record, tick);
    } else {
        move_by_kinds(store, t, row, record, raw, tick);
    }
}

void micai_row_move(micai_store *store, const micai_transition *t, micai_row row,
                    micai_record *record, uint64_t tick)
{
    move(store, t, row, record, false, tick);
}

void micai_row_move_raw(micai_store *store, const micai_transition *t, micai_row row,
                        micai_record *record, uint64_t tick)
{
    move(store, t, row, record, true, tick);
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
        micai_sheet_mark_rows(sheet, offset, rows);
        micai_table_set_count(table, table->count + rows);
        done += rows;
    }
}
