// Moving rows: within a table, to fill a hole; along an edge, to another table. The inner loops of
// every structural change.
//
// Rows are bytes to the compiler, which may be anything: what a loop needs is read before it.
#include "base/compiler.h"
#include "store/table/store.h"

static void point_record(micai_store *store, mica_entity entity, const micai_sheet *sheet,
                         uint32_t offset)
{
    micai_slots_at(store->slots, mica_entity_slot(entity))->where =
        micai_sheet_where(sheet, offset);
}

// Columns from the second on; the first, the ids, is known to be plain.
static inline void relocate_plain(const micai_table *table, micai_page *to, uint32_t to_offset,
                                  const micai_page *from, uint32_t from_offset, uint64_t tick)
{
    const micai_column *end = table->columns + table->column_count;
    for (const micai_column *column = table->columns + 1; column < end; column++) {
        to++;
        from++;
        micai_copy_bytes(to->data + (size_t)to_offset * column->size,
                         from->data + (size_t)from_offset * column->size, column->size);
        to->tick = tick;
    }
}

MICAI_COLD static void relocate_hooked(const micai_table *table, micai_page *to, uint32_t to_offset,
                                       const micai_page *from, uint32_t from_offset, uint64_t tick)
{
    for (uint32_t c = 1; c < table->column_count; c++) {
        const micai_column *column = &table->columns[c];
        micai_column_relocate(column, to[c].data + (size_t)to_offset * column->size,
                              from[c].data + (size_t)from_offset * column->size, 1);
        to[c].tick = tick;
    }
}

static inline void fill_hole(micai_store *store, micai_table *table, micai_sheet *to,
                             uint32_t to_offset)
{
    uint32_t last = --table->count;
    if ((to->index << MICAI_ROW_SHIFT | to_offset) == last) {
        return;
    }
    micai_sheet *from = micai_table_sheet(table, last);
    uint32_t from_offset = last & (MICAI_ROWS - 1);
    uint64_t tick = store->view.tick;
    mica_entity moved = micai_sheet_ids(from)[from_offset];
    micai_sheet_ids(to)[to_offset] = moved;
    to->pages[0].tick = tick;
    if (table->plain) {
        relocate_plain(table, to->pages, to_offset, from->pages, from_offset, tick);
    } else {
        relocate_hooked(table, to->pages, to_offset, from->pages, from_offset, tick);
    }
    store->row_moves++;
    point_record(store, moved, to, to_offset);
}

void micai_store_drop(micai_store *store, micai_place place)
{
    fill_hole(store, place.sheet->table, place.sheet, place.offset);
}

static inline void move_plain(const micai_edge *edge, micai_page *to, uint32_t to_offset,
                              const micai_page *from, uint32_t from_offset, uint64_t tick)
{
    const micai_copy *end = edge->copies + edge->shared_count;
    for (const micai_copy *copy = edge->copies + 1; copy < end; copy++) {
        micai_page *target = &to[copy->target];
        micai_copy_bytes(target->data + (size_t)to_offset * copy->size,
                         from[copy->source].data + (size_t)from_offset * copy->size, copy->size);
        target->tick = tick;
    }
}

MICAI_COLD static void move_hooked(const micai_edge *edge, micai_page *to, uint32_t to_offset,
                                   const micai_page *from, uint32_t from_offset, uint64_t tick)
{
    for (uint32_t i = 1; i < edge->shared_count; i++) {
        micai_copy copy = edge->copies[i];
        micai_column_relocate(&edge->target->columns[copy.target],
                              to[copy.target].data + (size_t)to_offset * copy.size,
                              from[copy.source].data + (size_t)from_offset * copy.size, 1);
        to[copy.target].tick = tick;
    }
    const micai_copy *removed = edge->copies + edge->shared_count + edge->added_count;
    for (uint32_t i = 0; i < edge->removed_count; i++) {
        micai_column_destruct(&edge->source->columns[removed[i].source],
                              from[removed[i].source].data + (size_t)from_offset * removed[i].size,
                              1);
    }
}

mica_result micai_store_move(micai_store *store, const micai_edge *edge, micai_place place)
{
    micai_table *target = edge->target;
    uint32_t row = target->count++;
    micai_sheet *to = micai_table_sheet(target, row);
    uint32_t offset = row & (MICAI_ROWS - 1);
    uint64_t tick = store->view.tick;
    mica_entity entity = micai_sheet_ids(place.sheet)[place.offset];
    micai_sheet_ids(to)[offset] = entity;
    to->pages[0].tick = tick;
    if (edge->plain) {
        move_plain(edge, to->pages, offset, place.sheet->pages, place.offset, tick);
    } else {
        move_hooked(edge, to->pages, offset, place.sheet->pages, place.offset, tick);
    }
    store->row_moves++;
    point_record(store, entity, to, offset);
    fill_hole(store, edge->source, place.sheet, place.offset);
    return MICA_OK;
}
