// Moving rows: within a table, to fill a hole; along an edge, to another table. The inner loops of
// every structural change.
//
//   move     target row  <- place      shared columns, then what only the source has is ended
//   fill     place       <- last row   all columns of the source
//
// Where no column has hooks, a move does both in one walk over the columns. Rows are bytes to the
// compiler, which may be anything: what a loop needs is read before it.
#include "base/canary.h"
#include "base/compiler.h"
#include "store/table/store.h"

static inline void point_record(micai_store *store, mica_entity entity, const micai_sheet *sheet,
                                uint32_t offset)
{
    micai_slots_at(store->slots, mica_entity_slot(entity))->where =
        micai_sheet_where(sheet, offset);
}

// The last row's id goes to the hole, and its record follows.
static inline void fill_id(micai_store *store, micai_sheet *to, uint32_t to_offset,
                           const micai_sheet *from, uint32_t from_offset, uint64_t tick)
{
    mica_entity moved = micai_sheet_ids(from)[from_offset];
    micai_sheet_ids(to)[to_offset] = moved;
    micai_sheet_stamp(to, tick);
    if (!MICAI_CANARY("store.moved_record")) {
        point_record(store, moved, to, to_offset);
    }
}

static inline void copy_cell(micai_page *to, uint32_t to_offset, const micai_page *from,
                             uint32_t from_offset, uint32_t size)
{
    micai_copy_bytes(to->data + (size_t)to_offset * size, from->data + (size_t)from_offset * size,
                     size);
}

static inline void fill_plain(const micai_table *table, micai_page *to, uint32_t to_offset,
                              const micai_page *from, uint32_t from_offset)
{
    const micai_column *end = table->columns + table->column_count;
    for (const micai_column *column = table->columns + 1; column < end; column++) {
        copy_cell(++to, to_offset, ++from, from_offset, column->size);
    }
}

MICAI_COLD static void fill_hooked(micai_store *store, const micai_table *table, micai_page *to,
                                   uint32_t to_offset, const micai_page *from, uint32_t from_offset)
{
    for (uint32_t c = 1; c < table->column_count; c++) {
        const micai_column *column = &table->columns[c];
        micai_column_relocate(store->gate, column, to[c].data + (size_t)to_offset * column->size,
                              from[c].data + (size_t)from_offset * column->size, 1);
    }
}

void micai_store_drop(micai_store *store, micai_place place, uint64_t tick)
{
    micai_table *table = place.sheet->table;
    micai_table_pop(table);
    uint32_t last = table->count;
    if (micai_place_row(place) == last) {
        return;
    }
    micai_sheet *from = micai_table_sheet(table, last);
    uint32_t from_offset = last & (MICAI_ROWS - 1);
    store->row_moves++;
    fill_id(store, place.sheet, place.offset, from, from_offset, tick);
    if (table->plain) {
        fill_plain(table, place.sheet->pages, place.offset, from->pages, from_offset);
    } else {
        fill_hooked(store, table, place.sheet->pages, place.offset, from->pages, from_offset);
    }
}

MICAI_COLD static mica_result move_hooked(micai_store *store, const micai_edge *edge,
                                          micai_place place, micai_sheet *to, uint32_t to_offset,
                                          uint64_t tick)
{
    store->row_moves++;
    const micai_page *from = place.sheet->pages;
    for (uint32_t i = 1; i < edge->shared_count; i++) {
        micai_copy copy = edge->copies[i];
        micai_column_relocate(store->gate, &edge->target->columns[copy.target],
                              to->pages[copy.target].data + (size_t)to_offset * copy.size,
                              from[copy.source].data + (size_t)place.offset * copy.size, 1);
    }
    const micai_copy *removed = edge->copies + edge->shared_count + edge->added_count;
    for (uint32_t i = 0; i < edge->removed_count; i++) {
        micai_column_destruct(store->gate, &edge->source->columns[removed[i].source],
                              from[removed[i].source].data + (size_t)place.offset * removed[i].size,
                              1);
    }
    micai_store_drop(store, place, tick);
    return MICA_OK;
}

static inline void *word_at(const micai_page *page, uint32_t offset)
{
    return page->data + (size_t)offset * 8;
}

// Move and fill in one walk, since the shared columns are most of the source's. Columns of 8 bytes
// are so common that they come first and are not asked for their size.
static inline void move_and_fill(const micai_edge *edge, micai_page *to, uint32_t to_offset,
                                 micai_page *hole, uint32_t hole_offset, const micai_page *last,
                                 uint32_t last_offset)
{
    const micai_copy *copy = edge->copies + 1;
    const micai_copy *end = edge->copies + edge->word_count;
    for (; copy < end; copy++) {
        void *cell = word_at(&hole[copy->source], hole_offset);
        memcpy(word_at(&to[copy->target], to_offset), cell, 8);
        memcpy(cell, word_at(&last[copy->source], last_offset), 8);
    }
    for (end = edge->copies + edge->shared_count; copy < end; copy++) {
        micai_page *cell = &hole[copy->source];
        copy_cell(&to[copy->target], to_offset, cell, hole_offset, copy->size);
        copy_cell(cell, hole_offset, &last[copy->source], last_offset, copy->size);
    }
    copy += edge->added_count;
    for (end = copy + edge->removed_count; copy < end && !MICAI_CANARY("store.fill"); copy++) {
        copy_cell(&hole[copy->source], hole_offset, &last[copy->source], last_offset, copy->size);
    }
}

static inline void move_only(const micai_edge *edge, micai_page *to, uint32_t to_offset,
                             const micai_page *from, uint32_t from_offset)
{
    const micai_copy *copy = edge->copies + 1;
    const micai_copy *end = edge->copies + edge->word_count;
    for (; copy < end; copy++) {
        memcpy(word_at(&to[copy->target], to_offset), word_at(&from[copy->source], from_offset), 8);
    }
    for (end = edge->copies + edge->shared_count; copy < end; copy++) {
        copy_cell(&to[copy->target], to_offset, &from[copy->source], from_offset, copy->size);
    }
}

// The record is given because the next change may well be of the same entity: it then waits for
// this store, whose address must not wait for the id to be read.
mica_result micai_store_move(micai_store *store, const micai_edge *edge, micai_place place,
                             micai_record *record, uint64_t tick)
{
    micai_table *target = edge->target;
    micai_sheet *to = target->tail;
    uint32_t to_offset = target->next & (MICAI_ROWS - 1);
    record->where = target->next;
    micai_table_push(target);
    micai_sheet_ids(to)[to_offset] = micai_sheet_ids(place.sheet)[place.offset];
    micai_sheet_stamp(to, tick);
    if (!edge->plain) {
        return move_hooked(store, edge, place, to, to_offset, tick);
    }
    micai_table *source = place.sheet->table;
    micai_table_pop(source);
    uint32_t last = source->count;
    if (micai_place_row(place) == last) {
        store->row_moves++;
        move_only(edge, to->pages, to_offset, place.sheet->pages, place.offset);
        return MICA_OK;
    }
    store->row_moves += 2;
    micai_sheet *from = micai_table_sheet(source, last);
    uint32_t from_offset = last & (MICAI_ROWS - 1);
    fill_id(store, place.sheet, place.offset, from, from_offset, tick);
    move_and_fill(edge, to->pages, to_offset, place.sheet->pages, place.offset, from->pages,
                  from_offset);
    return MICA_OK;
}
