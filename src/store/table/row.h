// Rows: one entity's row and the operations on it. The inner loops of every structural change.
//
// Room:    store/table. Called by entity/, command/, query/, image/ and store/pool. These
//          operations hide the contents of a row from their callers.
//
//     append   adds a row after the last; its values were filled in or constructed before
//     drop     removes a row; the last row fills the hole
//     move     moves a row by a transition to another table, where new values were filled in or
//              constructed before; the last row of the source fills the hole
#ifndef MICAI_STORE_TABLE_ROW_H
#define MICAI_STORE_TABLE_ROW_H

#include "base/canary.h"
#include "store/table/store.h"

// The position of an entity.
typedef struct micai_row {
    micai_sheet *sheet;
    uint32_t offset; // in the sheet
    uint32_t where;  // sheet number and offset, as in records
} micai_row;

// The sheet of a row, for callers that pass it on without using it. Together with the record it
// identifies the row, and it takes one register.
typedef micai_sheet micai_row_memory;

static inline micai_row_memory *micai_row_get_memory(micai_row row)
{
    return row.sheet;
}

// Return the row at a record's position. micai_row_in() takes the sheet, if the caller knows it.
static inline micai_row micai_row_in(micai_row_memory *memory, uint32_t where)
{
    return (micai_row){memory, where & (MICAI_ROWS - 1), where};
}

// Returns row `number` of a table. In a table with an index, `number` is also `where`.
static inline micai_row micai_row_at(const micai_table *table, uint32_t number)
{
    return micai_row_in(table->sheets.items[number >> MICAI_ROW_SHIFT], number);
}

static inline micai_row micai_row_of(const micai_store *store, const micai_record *record)
{
    uint32_t where = record->where;
    return micai_row_in(store->sheets.items[where >> MICAI_ROW_SHIFT], where);
}

// Returns true if the record is `rows` rows after `row` in the same sheet.
static inline bool micai_row_follows(micai_row row, const micai_record *record, uint32_t rows)
{
    return record->where == row.where + rows && row.offset + rows < MICAI_ROWS;
}

static inline micai_table *micai_row_table(micai_row row)
{
    return row.sheet->table;
}

static inline mica_entity micai_row_entity(micai_row row)
{
    return micai_sheet_ids(row.sheet)[row.offset];
}

static inline uint32_t micai_row_number(micai_row row)
{
    return row.sheet->index << MICAI_ROW_SHIFT | row.offset;
}

static inline micai_cell micai_row_cell(micai_row row, uint32_t column)
{
    return (micai_cell){row.sheet->table, column, micai_row_number(row)};
}

// Returns the cell of a column in the raw row after the last.
static inline micai_cell micai_row_next(micai_table *table, uint32_t column)
{
    return (micai_cell){table, column, table->count};
}

// Touches a whole value with ticks and returns it for writing. Returns NULL if the value is not
// whole or has no ticks.
static inline void *micai_row_open_ticked(micai_row row, uint32_t number, uint64_t tick)
{
    micai_sheet *sheet = row.sheet;
    const micai_layout *layout = &sheet->table->layout;
    uint32_t column = micai_table_column(sheet->table, number);
    uint32_t ticks = column ? micai_ticks_strip(layout, column) : 0;
    uint32_t strip = layout->columns[column].strip;
    if (!ticks || !layout->strips[strip].whole) {
        return NULL;
    }
    micai_sheet_touch(sheet, strip, tick);
    micai_sheet_touch(sheet, ticks, tick);
    memcpy(sheet->pages[ticks].data + (size_t)row.offset * sizeof tick, &tick, sizeof tick);
    return sheet->pages[strip].data + (size_t)row.offset * layout->strips[strip].size;
}

// Returns true if there is space for one more row without growth.
static inline bool micai_row_has_capacity(const micai_table *table)
{
    return table->tail != NULL;
}

// Returns the raw row after the last of a table.
static inline micai_row micai_row_raw(const micai_table *table)
{
    return micai_row_in(table->tail, table->next);
}

// Write a value to a raw row. micai_row_fill() requires a whole value. micai_row_fill_value()
// accepts all, and writes zeros if `data` is NULL.
static inline void micai_row_fill(micai_row raw, micai_fill fill, const void *data)
{
    unsigned char *cells = raw.sheet->pages[fill.strip].data;
    if (MICAI_LIKELY(fill.size == 8)) {
        memcpy(cells + (size_t)raw.offset * 8, data, 8);
    } else {
        micai_copy_bytes(cells + (size_t)raw.offset * fill.size, data, fill.size);
    }
}

// Return the value that a single-type transition adds, in the raw row of its target, or removes, in
// a row of its source. NULL if the type has no data. The transition admits MICAI_FAST_PLAIN.
static inline void *micai_row_added_value(const micai_transition *t, micai_row raw)
{
    uint32_t strip = t->steps->fill.strip;
    return strip > 0 ? raw.sheet->pages[strip].data + (size_t)raw.offset * t->steps->fill.size
                     : NULL;
}

static inline const void *micai_row_removed_value(const micai_transition *t, micai_row row)
{
    const micai_copy *dropped = micai_transition_dropped(t);
    return t->dropped_count > 0
               ? row.sheet->pages[dropped->source].data + (size_t)row.offset * dropped->size
               : NULL;
}

void micai_row_fill_strips(micai_row raw, micai_fill fill, const void *data);
void micai_row_fill_ring(micai_store *store, micai_row raw, micai_fill fill, const void *data);

static inline void micai_row_fill_value(micai_store *store, micai_row raw, micai_fill fill,
                                        const void *data)
{
    if (fill.outside) {
        micai_row_fill_ring(store, raw, fill, data);
    } else if (fill.strips) {
        micai_row_fill_strips(raw, fill, data);
    } else if (data) {
        micai_row_fill(raw, fill, data);
    } else {
        memset(raw.sheet->pages[fill.strip].data + (size_t)raw.offset * fill.size, 0, fill.size);
    }
    if (fill.flags) {
        raw.sheet->pages[fill.flags].data[raw.offset] = 0;
    }
    if (fill.ticks) {
        uint64_t tick = *store->now;
        memcpy(raw.sheet->pages[fill.ticks].data + (size_t)raw.offset * sizeof tick, &tick,
               sizeof tick);
        memcpy(raw.sheet->pages[fill.ticks + 1].data + (size_t)raw.offset * sizeof tick, &tick,
               sizeof tick);
    }
}

// Returns true if writing the value takes only one copy. Then strip and size are enough. Otherwise
// micai_table_fill() describes how to write it.
static inline bool micai_row_takes_copy(const micai_table *table, uint32_t column)
{
    const micai_column *filled = &table->layout.columns[column];
    return filled->strip_count == 1 && table->layout.plain && !micai_column_kind(filled)->find;
}

static inline micai_fill micai_row_find_fill(const micai_table *table, uint32_t column)
{
    const micai_column *filled = &table->layout.columns[column];
    return micai_row_takes_copy(table, column)
               ? (micai_fill){.strip = filled->strip, .size = micai_column_value_size(filled)}
               : micai_table_fill(table, column);
}

// Writes a value, or zeros (NULL), to the raw row of a table of bytes. Returns false if it did
// nothing. The column's kind must then create the value.
bool micai_row_fill_column(micai_store *store, const micai_table *table, uint32_t column,
                           const void *data);

// Commits. They cannot fail: capacity was reserved and values were constructed.

// Appends the entity as the row after the last. The caller has set its record.
static inline void micai_row_append(micai_table *table, mica_entity entity, uint64_t tick)
{
    micai_sheet_ids(table->tail)[table->next & (MICAI_ROWS - 1)] = entity;
    micai_sheet_touch_row(table->tail, table->next & (MICAI_ROWS - 1), tick);
    micai_table_push(table);
}

// Appends `count` new entities and copies them to `entities_out` unless that is NULL.
void micai_row_append_many(micai_store *store, micai_table *table, uint32_t count,
                           mica_entity *entities_out, uint64_t tick);

// Drops a row of a table with an index. Its value has been moved away or destructed. Returns true
// if the last row has filled the hole. The caller then corrects the index.
bool micai_row_drop_indexed(micai_store *store, micai_row row, uint64_t tick,
                            mica_entity *moved_out);

// Operations on rows of one table without values outside, including ids. Relocate moves a row to a
// raw row. Exchange swaps two rows; `memory` holds one row of values that are not bytes. Lift and
// lower move a row to such memory and back.
void micai_row_relocate(micai_store *store, micai_row to, micai_row from);
void micai_row_exchange(micai_store *store, micai_row a, micai_row b, void *memory);
void micai_row_lift(micai_store *store, micai_row row, void *memory_out);
void micai_row_lower(micai_store *store, micai_row row, void *memory);

// Returns the size of that memory, and its alignment.
size_t micai_layout_row_size(const micai_layout *layout, uint32_t *align_out);

// Copies a row of a table of bytes, except its id, to a raw row of the table. Its values count as
// added at `tick`.
void micai_row_copy(micai_row to, micai_row from, uint64_t tick);

// The row's values have been moved away or destructed.
void micai_row_drop(micai_store *store, micai_row row, uint64_t tick);

// `record` is that of the row's entity. Destructs values that only the source has.
void micai_row_move(micai_store *store, const micai_transition *t, micai_row row,
                    micai_record *record, uint64_t tick);

// Does the same, but values that only the source has are raw already.
void micai_row_move_raw(micai_store *store, const micai_transition *t, micai_row row,
                        micai_record *record, uint64_t tick);

// Both operations for rows of bytes, some of them in rings. They are called through the ring kind, so that only
// programs that have rings link them.
void micai_row_drop_with_rings(micai_store *store, micai_row row, uint64_t tick);
void micai_row_move_with_rings(micai_store *store, const micai_transition *t, micai_row row,
                               micai_record *record, uint64_t tick);

// Both operations on the fast path, for tables and transitions that admit it. All but the copying
// is inline, because copying needs more registers than the rest. Rows are bytes that may alias
// anything, so loops read their parameters before they start.

static inline void micai_row_copy_cell(micai_page *to, uint32_t to_offset, const micai_page *from,
                                       uint32_t from_offset, uint32_t size)
{
    if (MICAI_LIKELY(size == 8)) { // also saves the multiplications
        memcpy(to->data + (size_t)to_offset * 8, from->data + (size_t)from_offset * 8, 8);
    } else {
        micai_copy_bytes(to->data + (size_t)to_offset * size,
                         from->data + (size_t)from_offset * size, size);
    }
}

// Removes the last row of a table and returns its position.
static inline micai_row micai_row_pop(micai_table *table)
{
    micai_table_pop(table);
    return micai_row_in(table->tail, table->next);
}

static inline bool micai_row_equal(micai_row a, micai_row b)
{
    return a.where == b.where;
}

// Moves the last row's id to the hole and returns it.
static inline mica_entity micai_row_fill_id(micai_row hole, micai_row last, uint64_t tick)
{
    mica_entity moved = micai_sheet_ids(last.sheet)[last.offset];
    micai_sheet_ids(hole.sheet)[hole.offset] = moved;
    micai_sheet_touch_row(hole.sheet, hole.offset, tick);
    return moved;
}

// Updates the record of an entity that has moved to another row of its archetype's table.
static inline void micai_row_correct(micai_store *store, mica_entity moved, micai_row row)
{
    if (!MICAI_CANARY("store.moved_record")) {
        micai_slots_place(store->slots, mica_entity_slot(moved), row.where);
    }
}

// Copies the rest of the last row to the hole, in a table of bytes without values outside.
static inline void micai_row_fill_hole(micai_row hole, micai_row last)
{
    const micai_layout *layout = &hole.sheet->table->layout;
    micai_page *to = hole.sheet->pages;
    const micai_page *from = last.sheet->pages;
    const micai_strip *end = layout->strips + layout->strip_count;
    for (const micai_strip *strip = layout->strips + 1; strip < end; strip++) {
        micai_row_copy_cell(++to, hole.offset, ++from, last.offset, strip->size);
    }
}

static inline void micai_row_drop_fast(micai_store *store, micai_row row, uint64_t tick)
{
    micai_row last = micai_row_pop(row.sheet->table);
    if (!micai_row_equal(row, last)) {
        store->row_moves++;
        micai_row_correct(store, micai_row_fill_id(row, last, tick), row);
        micai_row_fill_hole(row, last);
    }
}

// Returns a cell of 8 bytes. Such strips are so common that transitions list them first and copy
// them without reading their size.
static inline unsigned char *micai_row_eight(const micai_page *page, uint32_t offset)
{
    return page->data + (size_t)offset * 8;
}

// Copy the strips of other sizes that both tables have. micai_row_fill_others() also fills the hole
// with the removed last row of the source, including strips that only the source has.
void micai_row_copy_others(const micai_transition *t, micai_sheet *sheet, uint32_t offset,
                           const micai_sheet *from, uint32_t from_offset);
void micai_row_fill_others(const micai_transition *t, micai_sheet *sheet, uint32_t offset,
                           micai_sheet *hole, uint32_t hole_offset);

// Copies the strips that both tables have to the last row of the target.
static inline void micai_row_copy_strips(const micai_transition *t, micai_row to, micai_row from)
{
    const micai_copy *end = t->copies + t->eight_count;
    for (const micai_copy *copy = t->copies + 1; copy < end; copy++) {
        memcpy(micai_row_eight(&to.sheet->pages[copy->target], to.offset),
               micai_row_eight(&from.sheet->pages[copy->source], from.offset), 8);
    }
    if (t->strip_count > t->eight_count) {
        micai_row_copy_others(t, to.sheet, to.offset, from.sheet, from.offset);
    }
}

// Does the same and also fills the hole with the last row of the source, in one loop. Both copies
// share most strips of the source.
static inline void micai_row_copy_and_fill(const micai_transition *t, micai_row to, micai_row hole,
                                           micai_row last)
{
    const micai_copy *end = t->copies + t->eight_count;
    for (const micai_copy *copy = t->copies + 1; copy < end; copy++) {
        const unsigned char *from = micai_row_eight(&last.sheet->pages[copy->source], last.offset);
        unsigned char *cell = micai_row_eight(&hole.sheet->pages[copy->source], hole.offset);
        memcpy(micai_row_eight(&to.sheet->pages[copy->target], to.offset), cell, 8);
        memcpy(cell, from, 8);
    }
    if (t->strip_count + t->dropped_count > t->eight_count) {
        micai_row_fill_others(t, to.sheet, to.offset, hole.sheet, hole.offset);
    }
}

// Takes the record as a parameter, because the next change is often of the same entity and waits
// for this store. So the store's address must not depend on loading the id.
static inline void micai_row_move_fast(micai_store *store, const micai_transition *t, micai_row row,
                                       micai_record *record, uint64_t tick)
{
    micai_row to = micai_row_raw(t->target);
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
}

#endif
