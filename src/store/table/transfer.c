// Whole tables along an edge: how by-query changes move a million rows by handing over pages.
//
//   source   full full tail          target   full part | room
//   after    -                       target   full full' full' part+tail | room
//
// Full sheets of the source go before the target's partly filled one, so that it stays the last. Of
// each, the shared pages change hands, pages of removed columns are let go, pages for added columns
// were made and filled in the reserve phase. The sheet's number stays, so no record is touched. The
// source's partly filled sheet goes the same way if the target has none of its own; otherwise its
// rows are moved one by one.
#include <string.h>

#include "base/canary.h"
#include "store/table/store.h"

static bool hands_over_tail(const micai_edge *edge)
{
    return (edge->source->count & (MICAI_ROWS - 1)) != 0 &&
           (edge->target->count & (MICAI_ROWS - 1)) == 0;
}

// `rows` copies of one value, or defaults; all or none.
static mica_result fill_values(micai_store *store, const micai_column *column,
                               unsigned char *target, const void *data, uint32_t rows)
{
    if (!data) {
        return micai_hook_construct(store->gate, column->type, target, rows);
    }
    for (uint32_t i = 0; i < rows; i++) {
        mica_result result =
            micai_column_copy(store->gate, column, target + (size_t)i * column->size, data, 1);
        if (result) {
            micai_column_destruct(store->gate, column, target, i);
            return result;
        }
    }
    return MICA_OK;
}

// Fills `rows` rows of the columns that only the target has, from row `offset` on.
static mica_result construct_added(micai_store *store, const micai_transfer *transfer,
                                   micai_sheet *sheet, uint32_t offset, uint32_t rows)
{
    const micai_edge *edge = transfer->edge;
    const micai_copy *added = edge->copies + edge->shared_count;
    for (uint32_t i = 0; i < edge->added_count; i++) {
        const micai_column *column = &edge->target->columns[added[i].target];
        mica_result result = fill_values(
            store, column, micai_sheet_at(sheet, added[i].target, offset), transfer->data, rows);
        if (result) {
            while (i-- > 0) {
                micai_column_destruct(store->gate, &edge->target->columns[added[i].target],
                                      micai_sheet_at(sheet, added[i].target, offset), rows);
            }
            return result;
        }
    }
    return MICA_OK;
}

static void destruct_added(micai_store *store, const micai_edge *edge, micai_sheet *sheet,
                           uint32_t offset, uint32_t rows)
{
    const micai_copy *added = edge->copies + edge->shared_count;
    for (uint32_t i = 0; i < edge->added_count; i++) {
        micai_column_destruct(store->gate, &edge->target->columns[added[i].target],
                              micai_sheet_at(sheet, added[i].target, offset), rows);
    }
}

// New sheets in the target's layout, numbers and shared pages still missing, for source sheets
// `from` to `to`: added pages side by side as in a table that grows.
static mica_result make_sheets(micai_store *store, micai_transfer *transfer, uint32_t from,
                               uint32_t to)
{
    const micai_edge *edge = transfer->edge;
    const micai_copy *added = edge->copies + edge->shared_count;
    uint32_t capacity = edge->source->sheets.items[from]->capacity;
    uint32_t first = transfer->sheets.count;
    for (uint32_t i = from; i < to; i++) {
        micai_sheet *sheet = micai_sheet_make(store, edge->target, capacity);
        if (!sheet) {
            return MICA_ERROR_MEMORY;
        }
        transfer->sheets.items[transfer->sheets.count++] = sheet;
    }
    for (uint32_t a = 0; a < edge->added_count; a++) {
        const micai_column *column = &edge->target->columns[added[a].target];
        micai_extent *extent = micai_extent_new(store->host, column, capacity, to - from);
        if (!extent) {
            return MICA_ERROR_MEMORY;
        }
        for (uint32_t i = 0; i < to - from; i++) {
            transfer->sheets.items[first + i]->pages[added[a].target] =
                micai_extent_page(extent, i);
        }
    }
    return MICA_OK;
}

static uint32_t used_in(const micai_edge *edge, uint32_t sheet)
{
    return micai_sheet_used(edge->source->sheets.items[sheet]);
}

// The added values of all rows, all or none: `made` counts the sheets that are done.
static mica_result construct_all(micai_store *store, micai_transfer *transfer, uint32_t tail)
{
    const micai_edge *edge = transfer->edge;
    uint32_t made = 0;
    mica_result result = MICA_OK;
    while (!result && made < transfer->sheets.count) {
        result =
            construct_added(store, transfer, transfer->sheets.items[made], 0, used_in(edge, made));
        made += result == MICA_OK;
    }
    micai_table *target = edge->target;
    uint32_t done = 0;
    while (!result && done < tail) {
        uint32_t row = target->count + done;
        result = construct_added(store, transfer, micai_table_sheet(target, row),
                                 row & (MICAI_ROWS - 1), 1);
        done += result == MICA_OK;
    }
    if (result) {
        while (done-- > 0) {
            uint32_t row = target->count + done;
            destruct_added(store, edge, micai_table_sheet(target, row), row & (MICAI_ROWS - 1), 1);
        }
        while (made-- > 0) {
            destruct_added(store, edge, transfer->sheets.items[made], 0, used_in(edge, made));
        }
    }
    return result;
}

static uint32_t tail_rows(const micai_edge *edge)
{
    return hands_over_tail(edge) ? 0 : edge->source->count & (MICAI_ROWS - 1);
}

static void release_all(micai_store *store, micai_transfer *transfer)
{
    while (transfer->sheets.count > 0) {
        micai_sheet_release(store, transfer->sheets.items[--transfer->sheets.count]);
    }
    micai_array_free(store->host, &transfer->sheets);
}

mica_result micai_transfer_reserve(micai_store *store, const micai_edge *edge, const void *data,
                                   micai_transfer *transfer_out)
{
    *transfer_out = (micai_transfer){.edge = edge, .data = data, .rows = edge->source->count};
    micai_table *source = edge->source;
    uint32_t full = source->count >> MICAI_ROW_SHIFT;
    uint32_t sheets = full + hands_over_tail(edge);
    uint32_t tail = tail_rows(edge);
    if (sheets > full && source->sheets.items[full]->capacity < MICAI_ROWS) {
        micai_table_trim(store, edge->target); // nothing may follow a small sheet
    }
    mica_result result = micai_table_reserve(store, edge->target, tail);
    if (!result && store->sharing && tail > 0) {
        result = micai_sheet_own(store, source->sheets.items[full]);
    }
    if (!result && (!micai_array_reserve(store->host, &transfer_out->sheets, sheets) ||
                    !micai_array_reserve(store->host, &edge->target->sheets, sheets))) {
        result = MICA_ERROR_MEMORY;
    }
    for (uint32_t from = 0; !result && from < sheets;) {
        // A tail that is small gets pages of its own size.
        uint32_t end = from < full ? full : sheets;
        uint32_t to = end - from > MICAI_SHEETS_AT_ONCE ? from + MICAI_SHEETS_AT_ONCE : end;
        result = make_sheets(store, transfer_out, from, to);
        from = to;
    }
    result = result ? result : construct_all(store, transfer_out, tail);
    if (result) {
        release_all(store, transfer_out);
    }
    return result;
}

void micai_transfer_cancel(micai_store *store, micai_transfer *transfer)
{
    const micai_edge *edge = transfer->edge;
    for (uint32_t i = 0; i < transfer->sheets.count; i++) {
        destruct_added(store, edge, transfer->sheets.items[i], 0, used_in(edge, i));
    }
    for (uint32_t i = 0; i < tail_rows(edge); i++) {
        uint32_t row = edge->target->count + i;
        destruct_added(store, edge, micai_table_sheet(edge->target, row), row & (MICAI_ROWS - 1),
                       1);
    }
    release_all(store, transfer);
}

// Turns `fresh` into what `old` was: shared pages and the number change hands, the rest of the old
// one goes.
static void hand_over(micai_store *store, const micai_edge *edge, micai_sheet *old,
                      micai_sheet *fresh, uint64_t tick)
{
    uint32_t used = micai_sheet_used(old);
    for (uint32_t i = 0; i < edge->shared_count; i++) {
        micai_copy copy = edge->copies[i];
        fresh->pages[copy.target] = old->pages[copy.source];
        old->pages[copy.source] = (micai_page){0};
        store->page_moves++;
    }
    const micai_copy *removed = edge->copies + edge->shared_count + edge->added_count;
    for (uint32_t i = 0; i < edge->removed_count; i++) {
        micai_page *page = &old->pages[removed[i].source];
        if (micai_page_references(page) == 1) {
            micai_column_destruct(store->gate, &edge->source->columns[removed[i].source],
                                  page->data, used);
        }
    }
    fresh->number = old->number;
    fresh->shared = old->shared;
    store->view.sheets[fresh->number] = fresh;
    micai_sheet_stamp(fresh, tick);
    micai_sheet_release(store, old);
}

static void renumber(micai_table *table, uint32_t from)
{
    for (uint32_t i = from; i < table->sheets.count; i++) {
        table->sheets.items[i]->index = i;
    }
}

// Takes the first `count` sheets out of the source's list; puts the new ones into the target's.
static void change_lists(const micai_transfer *transfer, uint32_t at)
{
    micai_table *source = transfer->edge->source;
    micai_table *target = transfer->edge->target;
    uint32_t count = transfer->sheets.count;
    memmove(&source->sheets.items[0], &source->sheets.items[count],
            (source->sheets.count - count) * sizeof *source->sheets.items);
    source->sheets.count -= count;
    renumber(source, 0);
    micai_table_find_runs(source, 0, 1);
    memmove(&target->sheets.items[at + count], &target->sheets.items[at],
            (target->sheets.count - at) * sizeof *target->sheets.items);
    memcpy(&target->sheets.items[at], transfer->sheets.items, count * sizeof *target->sheets.items);
    target->sheets.count += count;
    renumber(target, at);
    micai_table_find_runs(target, at, at + count);
}

void micai_transfer_commit(micai_store *store, micai_transfer *transfer, uint64_t tick)
{
    const micai_edge *edge = transfer->edge;
    micai_table *source = edge->source;
    micai_table *target = edge->target;
    uint32_t count = transfer->sheets.count;
    uint32_t tail = tail_rows(edge);
    uint32_t rows = transfer->rows - tail;
    for (uint32_t i = 0; i < count; i++) {
        source->capacity -= source->sheets.items[i]->capacity;
        target->capacity += transfer->sheets.items[i]->capacity;
        hand_over(store, edge, source->sheets.items[i], transfer->sheets.items[i], tick);
    }
    if (count > 0) {
        change_lists(transfer, target->count >> MICAI_ROW_SHIFT);
    }
    micai_table_set_count(source, tail);
    micai_table_set_count(target, target->count + rows);
    while (source->count > (MICAI_CANARY("store.transfer_tail") ? 1 : 0)) {
        uint32_t last = source->count - 1; // leaves no hole to fill
        micai_place place = {micai_table_sheet(source, last), last & (MICAI_ROWS - 1)};
        mica_entity entity = micai_sheet_ids(place.sheet)[place.offset];
        micai_store_move(store, edge, place, micai_slots_at(store->slots, mica_entity_slot(entity)),
                         tick);
    }
    micai_array_free(store->host, &transfer->sheets);
}
