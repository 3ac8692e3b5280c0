// Transfers. transfer.h has the contract.
//
//     source   full full tail          target   full part | free
//     after    -                       target   full full' full' part+tail | free
//
// Full sheets of the source are inserted before the target's partly filled sheet, which stays the
// last. The pages of common strips are handed over. Pages of removed strips are freed. Pages of
// added strips were created in the reserve phase. A sheet keeps its number, so no record changes.
// The source's partly filled sheet moves the same way if the target has none and if no reserved
// capacity of either table is lost. Otherwise its rows move one by one.
//
// If a kind keeps values outside the strips, rows do not move by page, unless those values are
// added or removed by the transfer. They are copied in runs, as many at once as are adjacent in
// both tables. In raw transfers, and if only some rows move, each row moves by itself and sheets
// follow:
//
//     source   full full full tail     target   part | space for the first
//     later    full full               target   full full | full' full'
//
// When the target is full, the source has one sheet less in use. So capacity for two sheets of rows
// is enough, however many rows move.
#include "store/table/transfer.h"

#include <assert.h>
#include <string.h>

#include "base/canary.h"

// Returns true if a column of both tables keeps values outside the strips.
static bool carries_outside(const micai_transition *t)
{
    bool carries = false;
    for (uint32_t i = 0; i < t->careful_count; i++) {
        uint32_t column = micai_transition_careful(t)[i].target;
        carries = carries || micai_table_kind(t->target, column)->outside;
    }
    return carries;
}

// In a raw transfer the caller creates added values outside, except for rows that exist already.
static bool moves_by_page(const micai_transition *t, bool raw)
{
    bool outside = t->target->layout.outside && !(raw && t->target->count == 0);
    return raw ? !outside && !carries_outside(t) : !outside && !t->source->layout.outside;
}

// Returns true if the source's partly filled sheet moves as a whole. A small sheet must become the
// target's last, so the target's spare sheets are freed. Its own free rows move with it. Reserved
// capacity of either table must not be lost.
static bool moves_tail(const micai_transition *t, bool raw)
{
    const micai_table *source = t->source;
    const micai_table *target = t->target;
    uint32_t rows = source->count & (MICAI_ROWS - 1);
    if (!moves_by_page(t, raw) || rows == 0 || (target->count & (MICAI_ROWS - 1)) != 0) {
        return false;
    }
    uint32_t capacity = micai_table_sheet(source, source->count)->capacity;
    bool last = target->sheets.count == target->count >> MICAI_ROW_SHIFT;
    uint32_t left = source->capacity - source->count - (capacity - rows);
    bool goes = capacity < MICAI_ROWS && !last;
    return !(goes && micai_table_kept(target) > 0) && left >= micai_table_kept(source);
}

// Returns the number of rows that do not move by page.
static uint32_t single_rows(const micai_transition *t, bool raw)
{
    if (!moves_by_page(t, raw)) {
        return t->source->count;
    }
    return moves_tail(t, raw) ? 0 : t->source->count & (MICAI_ROWS - 1);
}

// Wraps the new sheets in a table, so that kinds can create values in them.
static micai_table make_stage(const micai_transfer *transfer)
{
    micai_table stage = {.layout = transfer->t->target->layout};
    stage.sheets.items = transfer->sheets.items;
    stage.sheets.count = transfer->sheets.count;
    return stage;
}

// Destructs the first `columns` added columns in `rows` rows from `row` on.
static void destruct_added(micai_store *store, const micai_transition *t, uint32_t columns,
                           micai_table *table, uint32_t row, uint32_t rows)
{
    const micai_copy *added = micai_transition_added(t);
    while (columns-- > 0) {
        uint32_t column = added[columns].target;
        micai_table_kind(table, column)->destruct(store, (micai_cell){table, column, row}, rows);
    }
}

// Creates the values that only the target has, in `rows` rows from `row` on. All or none.
static mica_result construct_added(micai_store *store, const micai_transfer *transfer,
                                   micai_table *table, uint32_t row, uint32_t rows)
{
    const micai_copy *added = micai_transition_added(transfer->t);
    for (uint32_t i = 0; rows > 0 && i < transfer->t->added_count; i++) {
        uint32_t column = added[i].target;
        mica_result result =
            micai_table_kind(table, column)
                ->construct(store, (micai_cell){table, column, row}, rows, transfer->data, 0);
        if (result) {
            destruct_added(store, transfer->t, i, table, row, rows);
            return result;
        }
    }
    return MICA_OK;
}

// Creates sheets in the target's layout for source sheets `from` to `to`. They have adjacent added
// pages, as in a growing table. Numbers and common pages follow later.
static mica_result make_sheets(micai_store *store, micai_transfer *transfer, uint32_t from,
                               uint32_t to)
{
    const micai_transition *t = transfer->t;
    const micai_layout *layout = &t->target->layout;
    uint32_t capacity = t->source->sheets.items[from]->capacity;
    uint32_t first = transfer->sheets.count;
    for (uint32_t i = from; i < to; i++) {
        micai_sheet *sheet = micai_sheet_make(store, t->target, capacity);
        if (!sheet) {
            return MICA_ERROR_MEMORY;
        }
        transfer->sheets.items[transfer->sheets.count++] = sheet;
    }
    for (uint32_t a = 0; a < t->added_count; a++) {
        uint32_t added = micai_transition_added(t)[a].target;
        const micai_column *column = &layout->columns[added];
        for (uint32_t i = from; i < to; i++) { // the pointers of other columns are handed over
            uint32_t number = t->source->sheets.items[i]->number;
            if (micai_sheet_reserve_column(store, t->target, added, number, capacity)) {
                return MICA_ERROR_MEMORY;
            }
        }
        for (uint32_t s = column->strip; s < (uint32_t)column->strip + column->strip_count; s++) {
            if (layout->strips[s].outside) {
                continue;
            }
            micai_extent *extent =
                micai_extent_new(store->host, layout->strips[s].size,
                                 micai_strip_align(&layout->strips[s]), capacity, to - from);
            for (uint32_t i = 0; extent && i < to - from; i++) {
                micai_sheet_set_page(store, transfer->sheets.items[first + i], s,
                                     micai_extent_page(extent, i));
            }
            if (!extent) {
                return MICA_ERROR_MEMORY;
            }
        }
    }
    return MICA_OK;
}

static bool reserve_list(micai_store *store, micai_transfer *transfer, uint32_t sheets)
{
    if (sheets <= MICAI_TRANSFER_FEW) {
        transfer->sheets.items = transfer->few;
        return true;
    }
    return micai_array_reserve(store->host, &transfer->sheets, sheets);
}

static void free_list(micai_store *store, micai_transfer *transfer)
{
    if (transfer->sheets.items != transfer->few) {
        micai_array_free(store->host, &transfer->sheets);
    }
}

static void release_all(micai_store *store, micai_transfer *transfer)
{
    while (transfer->sheets.count > 0) {
        micai_sheet_release(store, transfer->sheets.items[--transfer->sheets.count]);
    }
    free_list(store, transfer);
}

// Creates sheets for the first `sheets` of the source, which start with `full` full-sized ones.
static inline mica_result make_all_sheets(micai_store *store, micai_transfer *transfer,
                                          uint32_t sheets, uint32_t full)
{
    const micai_transition *t = transfer->t;
    if (!reserve_list(store, transfer, sheets) ||
        !micai_table_reserve_list(store->host, t->target, sheets)) {
        return MICA_ERROR_MEMORY;
    }
    mica_result result = MICA_OK;
    for (uint32_t from = 0; !result && from < sheets;) {
        // A small last sheet gets pages of its own size.
        uint32_t end = from < full ? full : sheets;
        uint32_t to = end - from > MICAI_SHEETS_AT_ONCE ? from + MICAI_SHEETS_AT_ONCE : end;
        result = make_sheets(store, transfer, from, to);
        from = to;
    }
    return result;
}

// Reserves capacity for the rows that do not move by page, in addition to rows reserved before.
static mica_result reserve_single(micai_store *store, micai_table *target, uint32_t rows, bool raw)
{
    uint32_t kept = micai_table_kept(target);
    if (rows > UINT32_MAX - kept) {
        rows = UINT32_MAX - kept; // exceeds the limit, so it fails below
    }
    if (rows == 0) {
        return MICA_OK;
    }
    return raw ? micai_table_reserve_exact(store, target, rows + kept)
               : micai_table_reserve(store, target, rows + kept);
}

// Creates the added values of all rows: those in new sheets and those that move one by one.
static mica_result construct_all_added(micai_store *store, const micai_transfer *transfer)
{
    micai_table *target = transfer->t->target;
    uint32_t staged = transfer->rows - transfer->single;
    micai_table stage = make_stage(transfer);
    mica_result result = construct_added(store, transfer, &stage, 0, staged);
    if (!result) {
        result = construct_added(store, transfer, target, target->count, transfer->single);
        if (result) {
            destruct_added(store, transfer->t, transfer->t->added_count, &stage, 0, staged);
        }
    }
    return result;
}

// Reserves a transfer of all rows, by page or in runs.
static inline mica_result reserve_whole(micai_store *store, micai_transfer *transfer)
{
    const micai_transition *t = transfer->t;
    uint32_t single = transfer->single;
    uint32_t staged = transfer->rows - single;
    uint32_t sheets = (staged + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT;
    mica_result result = reserve_single(store, t->target, single, transfer->raw);
    result = result ? result : make_all_sheets(store, transfer, sheets, staged >> MICAI_ROW_SHIFT);
    if (!result && staged > 0 && t->target->layout.outside) { // added by a raw transfer
        uint32_t total = t->target->capacity + (sheets << MICAI_ROW_SHIFT);
        result = micai_table_reserve_outside(store, t->target, total);
    }
    return result;
}

// Reserves value pointers of added columns for every sheet of the source that may move to the
// target.
static mica_result reserve_pointers(micai_store *store, const micai_transition *t)
{
    mica_result result = MICA_OK;
    for (uint32_t a = 0; a < t->added_count; a++) {
        uint32_t column = micai_transition_added(t)[a].target;
        for (uint32_t i = 0; !result && i < t->source->sheets.count; i++) {
            result = micai_sheet_reserve_column(store, t->target, column,
                                                t->source->sheets.items[i]->number, MICAI_ROWS);
        }
    }
    return result;
}

// Reserves rows that move one by one with following sheets: capacity for the first rows, and the
// sheets that follow. When the target is full, it has received two sheets of rows, plus one per
// sheet that followed. So another sheet of the source is empty, besides one that may be small.
static mica_result reserve_following(micai_store *store, micai_transfer *transfer)
{
    const micai_transition *t = transfer->t;
    micai_table *target = t->target;
    uint64_t filled = (uint64_t)target->count + micai_table_kept(target);
    uint64_t first = filled + UINT64_C(2) * MICAI_ROWS;
    uint64_t wanted = target->capacity > first ? target->capacity : first;
    uint64_t capacity = (wanted + MICAI_ROWS - 1) & ~(uint64_t)(MICAI_ROWS - 1); // as full sheets
    uint64_t free_rows = capacity - filled;
    uint64_t more = transfer->rows > free_rows ? transfer->rows - free_rows : 0;
    uint32_t sheets = (uint32_t)((more + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT);
    uint64_t rows = capacity + ((uint64_t)sheets << MICAI_ROW_SHIFT);
    if (rows > UINT32_MAX) {
        return reserve_single(store, target, UINT32_MAX, true); // exceeds the limit, so it fails
    }
    mica_result result = micai_table_reserve_outside(store, target, (uint32_t)rows);
    uint32_t extra = (uint32_t)capacity - target->count;
    result = result ? result : micai_table_reserve_exact(store, target, extra);
    result = result ? result : make_all_sheets(store, transfer, sheets, sheets);
    return result ? result : reserve_pointers(store, t);
}

// Reserves some rows or all, one by one. Sheets with reserved capacity stay.
MICAI_COLD static mica_result reserve_some(micai_store *store, micai_transfer *transfer)
{
    return transfer->rows > 2 * MICAI_ROWS && transfer->t->source->promised == 0
               ? reserve_following(store, transfer)
               : reserve_single(store, transfer->t->target, transfer->rows, true);
}

mica_result micai_transfer_reserve(micai_store *store, const micai_transition *t, const void *data,
                                   micai_transfer *transfer_out)
{
    *transfer_out = (micai_transfer){.t = t,
                                     .data = data,
                                     .by_page = moves_by_page(t, false),
                                     .rows = t->source->count,
                                     .single = single_rows(t, false)};
    mica_result result = reserve_whole(store, transfer_out);
    if (!result && t->added_count > 0) {
        result = construct_all_added(store, transfer_out);
    }
    if (result) {
        release_all(store, transfer_out);
    }
    return result;
}

mica_result micai_transfer_reserve_raw(micai_store *store, const micai_transition *t,
                                       const mica_entity *entities, uint32_t count,
                                       micai_transfer *transfer_out)
{
    bool by_page = !entities && moves_by_page(t, true);
    *transfer_out = (micai_transfer){.t = t,
                                     .entities = entities,
                                     .raw = true,
                                     .by_page = by_page,
                                     .rows = entities ? count : t->source->count};
    transfer_out->single = by_page ? single_rows(t, true) : transfer_out->rows;
    mica_result result =
        by_page ? reserve_whole(store, transfer_out) : reserve_some(store, transfer_out);
    if (result) {
        release_all(store, transfer_out);
    }
    return result;
}

void micai_transfer_cancel(micai_store *store, micai_transfer *transfer)
{
    const micai_transition *t = transfer->t;
    uint32_t added = transfer->raw ? 0 : t->added_count;
    uint32_t single = transfer->single;
    micai_table stage = make_stage(transfer);
    destruct_added(store, t, added, &stage, 0, transfer->rows - single);
    destruct_added(store, t, added, t->target, t->target->count, single);
    release_all(store, transfer);
}

// Destructs the values that only the source has, in its first `rows` rows.
static void destruct_removed(micai_store *store, const micai_transition *t, uint32_t rows)
{
    const micai_copy *removed = micai_transition_removed(t);
    for (uint32_t i = 0; rows > 0 && i < t->removed_count; i++) {
        micai_cell cell = {t->source, removed[i].source, 0};
        micai_table_kind(t->source, cell.column)->destruct(store, cell, rows);
    }
}

// Makes `fresh` the successor of `old`: it takes over common pages and the number. Frees the rest
// of `old`.
static inline void replace_sheet(micai_store *store, const micai_transition *t, micai_sheet *old,
                                 micai_sheet *fresh, uint64_t tick)
{
    const micai_copy *dropped = micai_transition_dropped(t);
    for (uint32_t i = 0; i < t->dropped_count; i++) {
        micai_sheet_drop_page(store, old, dropped[i].source);
    }
    const micai_copy *removed = micai_transition_removed(t);
    for (uint32_t i = 0; t->source->layout.outside && i < t->removed_count; i++) {
        const micai_column *column = &t->source->layout.columns[removed[i].source];
        if (micai_column_kind(column)->outside) {
            micai_sheet_set_pointer(store, old, column->strip, column->type, NULL);
        }
    }
    fresh->number = old->number;
    store->sheets.items[fresh->number] = fresh;
    for (uint32_t i = 0; i < t->strip_count; i++) {
        micai_sheet_transfer_page(store, old, t->copies[i].source, fresh, t->copies[i].target);
    }
    const micai_copy *careful = micai_transition_careful(t);
    for (uint32_t i = 0; i < t->careful_count; i++) {
        const micai_column *from = &t->source->layout.columns[careful[i].source];
        const micai_column *to = &t->target->layout.columns[careful[i].target];
        for (uint32_t s = 0; s < from->strip_count; s++) {
            micai_sheet_transfer_page(store, old, from->strip + s, fresh, to->strip + s);
        }
    }
    const micai_copy *added = micai_transition_added(t);
    for (uint32_t i = 0; i < t->added_count; i++) { // now that it has a number
        const micai_column *to = &t->target->layout.columns[added[i].target];
        for (uint32_t s = to->strip; s < (uint32_t)to->strip + to->strip_count; s++) {
            micai_sheet_set_page(store, fresh, s, fresh->pages[s]);
        }
    }
    micai_sheet_touch(fresh, 0, tick);
    micai_sheet_release_bare(store, old);
}

static void renumber(micai_table *table, uint32_t from)
{
    for (uint32_t i = from; i < table->sheets.count; i++) {
        table->sheets.items[i]->index = i;
        micai_sheet_mark_rows(table->sheets.items[i], 0, MICAI_ROWS);
    }
}

// Removes the first `count` sheets from the source's list and inserts the new ones into the
// target's.
static void change_lists(const micai_transfer *transfer, uint32_t at)
{
    micai_table *source = transfer->t->source;
    micai_table *target = transfer->t->target;
    uint32_t count = transfer->sheets.count;
    memmove(&source->sheets.items[0], &source->sheets.items[count],
            (source->sheets.count - count) * sizeof *source->sheets.items);
    source->sheets.count -= count;
    renumber(source, 0);
    micai_table_update_adjacent(source, 0, 1);
    memmove(&target->sheets.items[at + count], &target->sheets.items[at],
            (target->sheets.count - at) * sizeof *target->sheets.items);
    memcpy(&target->sheets.items[at], transfer->sheets.items, count * sizeof *target->sheets.items);
    target->sheets.count += count;
    renumber(target, at);
    micai_table_update_adjacent(target, at, at + count);
}

static void move_single_rows(micai_store *store, const micai_transfer *transfer, uint64_t tick)
{
    const micai_transition *t = transfer->t;
    micai_table *source = t->source;
    if (MICAI_CANARY("store.transfer_tail")) {
        return;
    }
    while (source->count > 0) {
        uint32_t last = source->count - 1; // leaves no hole to fill
        uint32_t slot = mica_entity_slot(micai_table_entity(source, last));
        micai_record *record = micai_slots_at(store->slots, slot);
        micai_row row = micai_row_of(store, record);
        if (transfer->raw) {
            micai_row_move_raw(store, t, row, record, tick);
        } else {
            micai_row_move(store, t, row, record, tick);
        }
    }
}

// Copies cells of a strip, from `row` of the source to the end of the target.
static void copy_cells(const micai_transition *t, const micai_copy *copy, uint32_t row,
                       uint32_t rows)
{
    const micai_sheet *from = micai_table_sheet(t->source, row);
    const micai_sheet *to = t->target->tail;
    uint32_t offset = t->target->count & (MICAI_ROWS - 1);
    memcpy(micai_sheet_at(to, copy->target, offset),
           micai_sheet_at(from, copy->source, row & (MICAI_ROWS - 1)), (size_t)rows * copy->size);
}

// Does the same for values that their kind moves, with their ticks and flags.
static void take_values(micai_store *store, const micai_transition *t, const micai_copy *copy,
                        uint32_t row, uint32_t rows)
{
    const micai_kind *kind = micai_table_kind(t->target, copy->target);
    micai_cell from = {t->source, copy->source, row};
    micai_cell to = micai_row_next(t->target, copy->target);
    const micai_layout *source = &t->source->layout;
    const micai_layout *target = &t->target->layout;
    for (uint32_t done = 0; done < rows;) {
        micai_span span = kind->read(from);
        uint32_t some = span.count < rows - done ? span.count : rows - done;
        if (span.data) {
            kind->take(store, to, span.data, some);
        } else {
            some = 1;
            kind->move(store, to, from);
        }
        from.row += some;
        to.row += some;
        done += some;
    }
    for (uint32_t s = 0; s < source->columns[copy->source].strip_count; s++) {
        uint32_t strip = source->columns[copy->source].strip + s;
        if (source->strips[strip].ticks || source->strips[strip].flags) {
            const micai_copy rest = {(uint16_t)strip,
                                     (uint16_t)(target->columns[copy->target].strip + s),
                                     source->strips[strip].size};
            copy_cells(t, &rest, row, rows);
        }
    }
}

// Moves rows from one sheet to one sheet.
static void move_run(micai_store *store, const micai_transition *t, uint32_t row, uint32_t rows,
                     uint64_t tick)
{
    micai_sheet *sheet = t->target->tail;
    assert(sheet); // capacity for all of them was reserved
    uint32_t offset = t->target->count & (MICAI_ROWS - 1);
    for (uint32_t i = 0; i < t->strip_count; i++) {
        copy_cells(t, &t->copies[i], row, rows);
    }
    for (uint32_t i = 0; i < t->careful_count; i++) {
        take_values(store, t, &micai_transition_careful(t)[i], row, rows);
    }
    const mica_entity *ids = micai_sheet_ids(sheet) + offset;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t where = micai_sheet_where(sheet, offset + i);
        micai_slots_place(store->slots, mica_entity_slot(ids[i]), where);
    }
    micai_sheet_touch(sheet, 0, tick);
    micai_sheet_mark_rows(sheet, offset, rows);
    micai_table_set_count(t->target, t->target->count + rows);
    store->row_moves += rows;
}

static void move_runs(micai_store *store, const micai_transfer *transfer, uint64_t tick)
{
    const micai_transition *t = transfer->t;
    destruct_removed(store, t, transfer->rows);
    for (uint32_t row = 0; row < transfer->rows;) {
        uint32_t rows = micai_sheet_rows(row, transfer->rows - row);
        if (!MICAI_CANARY("store.stretch")) {
            rows = micai_sheet_rows(t->target->count, rows);
        }
        move_run(store, t, row, rows, tick);
        row += rows;
    }
    micai_table_set_count(t->source, 0);
}

// Moves the last sheet of the source, which is empty, to the target. A small sheet cannot have a
// successor, so it is freed first.
static void send_sheet(micai_store *store, micai_transfer *transfer, uint64_t tick)
{
    const micai_transition *t = transfer->t;
    micai_table *source = t->source;
    micai_table *target = t->target;
    micai_sheet *old = source->sheets.items[--source->sheets.count];
    source->capacity -= old->capacity;
    if (old->capacity < MICAI_ROWS) {
        micai_sheet_free(store, old);
        old = source->sheets.items[--source->sheets.count];
        source->capacity -= old->capacity;
    }
    assert(old->index << MICAI_ROW_SHIFT >= source->count && old->capacity == MICAI_ROWS);
    // Clears value pointers to memory outside.
    for (uint32_t i = 0; source->layout.outside && i < t->careful_count; i++) {
        const micai_column *column = &source->layout.columns[micai_transition_careful(t)[i].source];
        if (micai_column_kind(column)->outside) {
            micai_sheet_set_pointer(store, old, column->strip, column->type, NULL);
        }
    }
    assert(target->capacity == target->sheets.count << MICAI_ROW_SHIFT);
    micai_sheet *fresh = transfer->sheets.items[--transfer->sheets.count];
    replace_sheet(store, t, old, fresh, tick);
    fresh->index = target->sheets.count;
    target->sheets.items[target->sheets.count++] = fresh;
    if (!MICAI_CANARY("store.sent_sheet")) {
        target->capacity += fresh->capacity;
    }
    micai_table_find_tail(source);
    micai_table_find_tail(target);
    micai_table_update_adjacent(source, source->sheets.count, source->sheets.count);
    micai_table_update_adjacent(target, fresh->index, fresh->index + 1);
}

// Moves all rows of the source from the last one on, so that no row fills a hole. They arrive in
// reverse order.
static void move_records(micai_store *store, micai_transfer *transfer, uint64_t tick)
{
    const micai_transition *t = transfer->t;
    for (uint32_t i = 0; i < transfer->rows; i++) {
        mica_entity entity = transfer->entities
                                 ? transfer->entities[i]
                                 : micai_table_entity(t->source, t->source->count - 1);
        micai_record *record = micai_slots_at(store->slots, mica_entity_slot(entity));
        if (!t->target->tail) {
            send_sheet(store, transfer, tick);
        }
        micai_row_move_raw(store, t, micai_row_of(store, record), record, tick);
    }
    while (transfer->sheets.count > 0) { // capacity that is reserved beyond these rows
        send_sheet(store, transfer, tick);
    }
}

// Returns the new `promised` of a table that receives rows which were not counted in it.
static uint32_t move_promise(const micai_table *table, uint32_t rows)
{
    return micai_table_kept(table) > 0 ? table->promised + rows : 0;
}

MICAI_COLD static void commit_some(micai_store *store, micai_transfer *transfer, uint64_t tick)
{
    micai_table *source = transfer->t->source;
    micai_table *target = transfer->t->target;
    target->idle = false;
    source->promised = transfer->entities ? source->promised : micai_table_kept(source);
    target->promised = move_promise(target, transfer->rows);
    move_records(store, transfer, tick);
    free_list(store, transfer);
}

void micai_transfer_commit(micai_store *store, micai_transfer *transfer, uint64_t tick)
{
    if (transfer->raw && !transfer->by_page) {
        commit_some(store, transfer, tick);
        return;
    }
    const micai_transition *t = transfer->t;
    micai_table *source = t->source;
    micai_table *target = t->target;
    uint32_t count = transfer->sheets.count;
    uint32_t single = transfer->single;
    if (count > 0 && transfer->sheets.items[count - 1]->capacity < MICAI_ROWS) {
        micai_table_drop_unused(store, target); // a small sheet cannot have a successor
    }
    target->idle = false;
    if (source->disabled_columns > 0) {
        micai_toggle_spread(store, t);
    }
    if (!transfer->raw) {
        destruct_removed(store, t, transfer->rows - single);
    }
    source->promised = micai_table_kept(source);
    target->promised = move_promise(target, transfer->rows);
    for (uint32_t i = 0; i < count; i++) {
        source->capacity -= source->sheets.items[i]->capacity;
        target->capacity += transfer->sheets.items[i]->capacity;
        replace_sheet(store, t, source->sheets.items[i], transfer->sheets.items[i], tick);
    }
    if (count > 0) {
        change_lists(transfer, target->count >> MICAI_ROW_SHIFT);
    }
    micai_table_set_count(source, single);
    micai_table_set_count(target, target->count + transfer->rows - single);
    if (transfer->by_page) {
        move_single_rows(store, transfer, tick);
    } else {
        move_runs(store, transfer, tick);
    }
    free_list(store, transfer);
}
