// The ring kind, and compacting the rings of a store. kind_ring.h has the contract.
//
// Ticks of rows and flags are in strips, as in the paged kind, and move with rows.
#include "store/table/kind_ring.h"

#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "store/table/store.h"

static micai_share *share_in(const micai_table *table, uint32_t column)
{
    return micai_layout_look_outside(&table->layout, column);
}

static const micai_type *type_of(micai_cell cell)
{
    return cell.table->layout.columns[cell.column].type;
}

static void *value_at(micai_cell cell)
{
    return micai_share_at(share_in(cell.table, cell.column), cell.row, type_of(cell)->info.size);
}

// Returns how many of `count` rows from the cell on have adjacent values.
static uint32_t rows_together(micai_cell cell, uint32_t count)
{
    const micai_share *share = share_in(cell.table, cell.column);
    uint32_t reach = cell.row < share->run.length ? micai_run_reach(&share->run, cell.row) : count;
    return reach < count ? reach : count;
}

// Value pointers

// Returns the values of a sheet if all that it has, or has space for, are adjacent. Otherwise
// returns NULL.
static unsigned char *sheet_at(const micai_share *share, const micai_sheet *sheet)
{
    uint32_t length = share->run.length;
    uint32_t first = sheet->index << MICAI_ROW_SHIFT;
    uint32_t end = first + sheet->capacity;
    bool over = end > length && share->table->count > length;
    if (MICAI_CANARY("store.ring_spot")) {
        over = false;
    }
    if (first < length &&
        (over || micai_run_reach(&share->run, first) < (end < length ? end : length) - first)) {
        return NULL;
    }
    return micai_share_at(share, first, share->ring->type->info.size);
}

// Updates the pointers of sheets with rows. Other sheets get a pointer with their first row.
static void show(micai_store *store, micai_table *table, uint32_t column, uint32_t first)
{
    const micai_share *share = share_in(table, column);
    uint32_t strip = table->layout.columns[column].strip;
    uint32_t end = (table->count + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT;
    for (uint32_t i = first; share && i < end; i++) {
        micai_sheet *sheet = table->sheets.items[i];
        micai_sheet_show(store, sheet, strip, share->ring->type, sheet_at(share, sheet));
    }
}

static void show_share(micai_store *store, const micai_share *share, uint32_t first)
{
    micai_table *table = share->table;
    uint32_t column = micai_table_column(table, share->ring->type->number);
    if (share_in(table, column) == share) { // the table may be about to lose it
        show(store, table, column, first);
    }
}

// Updates pointers after runs from number `first` on have moved. Earlier runs only had rows in
// overflow.
static void show_runs(micai_store *store, const micai_ring *ring, uint32_t first)
{
    for (uint32_t i = 0; i < ring->runs.count; i++) {
        const micai_run *run = ring->runs.items[i];
        show_share(store, (const micai_share *)run, i < first ? run->length >> MICAI_ROW_SHIFT : 0);
    }
}

void micai_share_turn(micai_store *store, const micai_share *share, uint32_t row)
{
    const micai_table *table = share->table;
    micai_sheet *sheet = micai_table_sheet(table, row);
    bool comes = (row & (MICAI_ROWS - 1)) == 0;
    if (MICAI_CANARY("store.ring_turn")) {
        return;
    }
    micai_sheet_show(store, sheet, table->layout.columns[share->column].strip, share->ring->type,
                     comes ? sheet_at(share, sheet) : NULL);
}

// Prepares for `count` added values from the cell on; marks the ring when values are removed.
static void enter(micai_store *store, micai_cell cell, uint32_t count)
{
    micai_share *share = share_in(cell.table, cell.column);
    for (uint32_t row = cell.row; row < cell.row + count; row = (row | (MICAI_ROWS - 1)) + 1) {
        uint32_t length = share->run.length;
        uint32_t rows = micai_sheet_rows(row, cell.row + count - row);
        micai_share_enter(store, share, row);
        if (row < length && length - row < rows) {
            micai_share_enter(store, share, length);
        }
    }
}

static void unsettle(micai_cell cell, uint32_t count)
{
    if (count > 0) { // a table that never had capacity has no slice
        share_in(cell.table, cell.column)->ring->unsettled = true;
    }
}

// The kind

static uint32_t describe(const micai_type *type, micai_strip *strips_out)
{
    if (strips_out) {
        strips_out[0] = (micai_strip){.size = type->info.size,
                                      .align_power = micai_align_power(type->info.align),
                                      .careful = true,
                                      .outside = true};
    }
    return micai_kind_describe_rest(type, strips_out, 1);
}

static micai_span read_span(micai_cell cell)
{
    uint32_t count = cell.table->count;
    return (micai_span){value_at(cell),
                        rows_together(cell, count > cell.row ? count - cell.row : 0)};
}

static void touch(micai_cell cell, uint32_t count, uint64_t tick)
{
    uint32_t strip = cell.table->layout.columns[cell.column].strip;
    for (uint32_t row = cell.row; row < cell.row + count; row = (row | (MICAI_ROWS - 1)) + 1) {
        micai_sheet_touch(micai_table_sheet(cell.table, row), strip, tick);
    }
    if (micai_ticks_are_kept(type_of(cell))) {
        micai_ticks_touch(cell, count, tick);
    }
}

// A sweep writes the ring without visiting tables.
static uint64_t tick_of(const micai_table *table, uint32_t column)
{
    const micai_share *share = share_in(table, column);
    return share ? share->ring->tick : 0;
}

static void end_values(micai_store *store, micai_cell cell, uint32_t count)
{
    unsettle(cell, count);
    while (count > 0) {
        uint32_t rows = rows_together(cell, count);
        micai_hook_destruct(store->gate, type_of(cell), value_at(cell), rows);
        cell.row += rows;
        count -= rows;
    }
}

// Returns the flag of a row, or NULL if the type has no toggle.
static unsigned char *flag_at(micai_cell cell)
{
    uint32_t strip = micai_toggle_strip(&cell.table->layout, cell.column);
    return strip ? micai_sheet_at(micai_table_sheet(cell.table, cell.row), strip,
                                  cell.row & (MICAI_ROWS - 1))
                 : NULL;
}

static void enable(micai_cell cell, uint32_t count)
{
    for (; count > 0 && type_of(cell)->info.toggle; cell.row++, count--) {
        *flag_at(cell) = 0;
    }
}

// Creates adjacent values: copies of one value or of many at `data`, or defaults.
static mica_result make_together(micai_store *store, const micai_type *type, unsigned char *target,
                                 uint32_t count, const unsigned char *data, uint32_t stride)
{
    if (!data) {
        return micai_hook_construct(store->gate, type, target, count);
    }
    if (stride > 0) {
        return micai_hook_copy(store->gate, type, target, data, count);
    }
    if (!type->info.hooks.copy && micai_hook_can_copy(type)) {
        micai_hook_repeat(&type->info, target, data, count);
        return MICA_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        void *one = target + (size_t)i * type->info.size;
        mica_result result = micai_hook_copy(store->gate, type, one, data, 1);
        if (result) {
            micai_hook_destruct(store->gate, type, target, i);
            return result;
        }
    }
    return MICA_OK;
}

static mica_result make(micai_store *store, micai_cell cell, uint32_t count, const void *data,
                        uint32_t stride)
{
    const unsigned char *source = data;
    enter(store, cell, count);
    for (uint32_t done = 0; done < count;) {
        micai_cell at = {cell.table, cell.column, cell.row + done};
        uint32_t rows = rows_together(at, count - done);
        mica_result result = make_together(store, type_of(at), value_at(at), rows,
                                           source ? source + (size_t)done * stride : NULL, stride);
        if (result) {
            end_values(store, cell, done);
            return result;
        }
        done += rows;
    }
    enable(cell, count);
    if (micai_ticks_are_kept(type_of(cell))) {
        micai_ticks_make(store, cell, count);
    }
    return MICA_OK;
}

static mica_result load(micai_store *store, micai_cell cell, void *target)
{
    return micai_hook_copy(store->gate, type_of(cell), target, value_at(cell), 1);
}

static void replace(micai_store *store, micai_cell cell, void *source, uint64_t tick)
{
    micai_hook_destruct(store->gate, type_of(cell), value_at(cell), 1);
    micai_hook_relocate(store->gate, type_of(cell), value_at(cell), source, 1);
    touch(cell, 1, tick);
}

// Relocates between rows and adjacent values.
static void relocate(micai_store *store, micai_cell cell, unsigned char *values, uint32_t count,
                     bool give)
{
    const micai_type *type = type_of(cell);
    while (count > 0) {
        uint32_t rows = rows_together(cell, count);
        void *row = value_at(cell);
        micai_hook_relocate(store->gate, type, give ? values : row, give ? row : values, rows);
        values += (size_t)rows * type->info.size;
        cell.row += rows;
        count -= rows;
    }
}

static void take(micai_store *store, micai_cell cell, void *source, uint32_t count)
{
    enter(store, cell, count);
    relocate(store, cell, source, count, false);
}

static void give(micai_store *store, micai_cell cell, void *target, uint32_t count)
{
    unsettle(cell, count);
    relocate(store, cell, target, count, true);
}

static void move(micai_store *store, micai_cell target, micai_cell source)
{
    enter(store, target, 1);
    micai_hook_relocate(store->gate, type_of(target), value_at(target), value_at(source), 1);
    unsigned char *flag = flag_at(target);
    const unsigned char *from = flag_at(source);
    if (flag && from) {
        *flag = *from;
    }
    if (micai_ticks_are_kept(type_of(target))) {
        micai_ticks_move(target, source);
    }
}

// Memory

static void release_overflow(micai_store *store, const micai_type *type, micai_overflow *overflow)
{
    micai_ring_release(store->host, type, overflow->values, overflow->capacity);
    *overflow = (micai_overflow){0};
}

// Returns the number of rows in overflow.
static uint32_t rows_over(const micai_share *share)
{
    uint32_t count = share->table->count;
    return count > share->run.length ? count - share->run.length : 0;
}

// Returns the overflow capacity that a table of this capacity needs.
static uint32_t room_over(const micai_share *share, uint32_t capacity)
{
    return capacity > share->run.length ? capacity - share->run.length : 0;
}

static micai_ring *make_ring(micai_store *store, const micai_type *type)
{
    micai_ring *ring = micai_rings_find(&store->rings, type);
    if (ring || !micai_array_reserve(store->host, &store->rings.list, 1)) {
        return ring;
    }
    ring = micai_alloc_zeroed(store->host, sizeof *ring, _Alignof(micai_ring));
    if (ring) {
        ring->type = type;
        store->rings.list.items[store->rings.list.count++] = ring;
    }
    return ring;
}

// Frees a ring without slices.
static void drop_unused(micai_store *store, micai_ring *ring)
{
    micai_rings *rings = &store->rings;
    uint32_t at = 0;
    if (ring->runs.count > 0) {
        return;
    }
    while (rings->list.items[at] != ring) {
        at++;
    }
    rings->list.count--;
    memmove(&rings->list.items[at], &rings->list.items[at + 1],
            (rings->list.count - at) * sizeof(micai_ring *));
    rings->moves += ring->moves;
    micai_ring_release(store->host, ring->type, ring->values, ring->capacity);
    micai_array_free(store->host, &ring->runs);
    micai_release(store->host, ring, sizeof *ring, _Alignof(micai_ring));
}

// Inserts a run into the list, in the order of tables. It has no slots yet, so it overlaps no other
// run.
static void enter_run(micai_ring *ring, micai_share *share)
{
    uint32_t at = ring->runs.count++;
    micai_run **runs = ring->runs.items;
    for (; at > 0 && ((const micai_share *)runs[at - 1])->table->id > share->table->id; at--) {
        runs[at] = runs[at - 1];
    }
    runs[at] = &share->run;
    share->run.base = at > 0 ? runs[at - 1]->base + runs[at - 1]->length : 0;
}

static micai_share *make_share(micai_store *store, micai_table *table, uint32_t column)
{
    micai_ring *ring = make_ring(store, table->layout.columns[column].type);
    if (!ring) {
        return NULL;
    }
    bool listed = micai_array_reserve(store->host, &ring->runs, 1);
    micai_share *share =
        listed ? micai_alloc_zeroed(store->host, sizeof *share, _Alignof(micai_share)) : NULL;
    if (!share) {
        drop_unused(store, ring);
        return NULL;
    }
    share->ring = ring;
    share->table = table;
    share->column = column;
    *micai_layout_outside(&table->layout, column) = share;
    enter_run(ring, share);
    ring->unsettled =
        ring->unsettled || table->count > 0; // rows that the table had before the slice
    return share;
}

// Moves overflow to other memory. The caller owns the old block. A table's first block takes no
// values even if the table has rows, because those are raw.
static micai_overflow exchange(micai_store *store, micai_share *share, micai_overflow fresh)
{
    micai_overflow old = share->overflow;
    if (rows_over(share) > 0 && old.values) {
        micai_hook_relocate(store->gate, share->ring->type, fresh.values, old.values,
                            rows_over(share));
    }
    share->overflow = fresh;
    show_share(store, share, share->run.length >> MICAI_ROW_SHIFT);
    return old;
}

static mica_result reserve(micai_store *store, micai_table *table, uint32_t column, uint32_t count)
{
    micai_share *share = share_in(table, column);
    share = share ? share : make_share(store, table, column);
    if (!share) {
        return MICA_ERROR_MEMORY;
    }
    const micai_type *type = share->ring->type;
    uint32_t room = room_over(share, count);
    if (room <= share->overflow.capacity) {
        return MICA_OK;
    }
    unsigned char *values =
        micai_alloc_array(store->host, room, type->info.size, micai_ring_align(type));
    if (!values) {
        return MICA_ERROR_MEMORY;
    }
    release_overflow(store, type, &share->old);
    share->old = exchange(store, share, (micai_overflow){values, room});
    return MICA_OK;
}

// Compares addresses as integers, because comparing pointers into different blocks is undefined.
static bool lies_in(const void *data, size_t size, const unsigned char *values, size_t bytes)
{
    return (uintptr_t)data < (uintptr_t)values + bytes &&
           (uintptr_t)values < (uintptr_t)data + size;
}

static const void *follow(const micai_table *table, uint32_t column, const void *data)
{
    const micai_share *share = share_in(table, column);
    size_t size = micai_column_value_size(&table->layout.columns[column]);
    return share && lies_in(data, 1, share->old.values, share->old.capacity * size)
               ? share->overflow.values + ((uintptr_t)data - (uintptr_t)share->old.values)
               : NULL;
}

static bool holds(const micai_table *table, uint32_t column, const void *data, size_t size)
{
    const micai_share *share = share_in(table, column);
    size_t one = micai_column_value_size(&table->layout.columns[column]);
    return share && (lies_in(data, size, share->overflow.values, share->overflow.capacity * one) ||
                     lies_in(data, size, share->ring->values, share->ring->capacity * one));
}

// Resizes overflow, if memory is available. All rows in overflow fit into the new capacity.
static bool resize_overflow(micai_store *store, micai_share *share, uint32_t capacity)
{
    unsigned char *values = micai_ring_alloc(store->host, share->ring->type, capacity);
    if (!values && capacity > 0) {
        return false;
    }
    micai_overflow old = exchange(store, share, (micai_overflow){values, capacity});
    release_overflow(store, share->ring->type, &old);
    return true;
}

static void drop_share(micai_store *store, micai_share *share)
{
    micai_ring *ring = share->ring;
    uint32_t at = 0;
    while (ring->runs.items[at] != &share->run) {
        at++;
    }
    ring->runs.count--;
    memmove(&ring->runs.items[at], &ring->runs.items[at + 1],
            (ring->runs.count - at) * sizeof *ring->runs.items);
    ring->unsettled = ring->unsettled || share->run.length > 0; // it leaves a gap
    release_overflow(store, ring->type, &share->overflow);
    micai_release(store->host, share, sizeof *share, _Alignof(micai_share));
    drop_unused(store, ring);
}

static void trim(micai_store *store, micai_table *table, uint32_t column, uint32_t count)
{
    micai_share *share = share_in(table, column);
    if (!share) {
        return;
    }
    release_overflow(store, share->ring->type, &share->old);
    if (count == 0) {
        drop_share(store, share);
        *micai_layout_outside(&table->layout, column) = NULL;
    } else if (room_over(share, count) < share->overflow.capacity) {
        // on failure it stays as it is
        (void)resize_overflow(store, share, room_over(share, count));
    }
}

// Copies both blocks as bytes, including rows that were constructed but not counted yet. Types with
// a move hook stay, because the hook must not be called for raw rows.
static void debug_relocate(micai_store *store, micai_table *table, uint32_t column)
{
    micai_share *share = share_in(table, column);
    micai_ring *ring = share->ring;
    if (ring->type->info.hooks.move) {
        return;
    }
    size_t size = ring->type->info.size;
    unsigned char *values = micai_ring_alloc(store->host, ring->type, ring->capacity);
    if (values) {
        memcpy(values, ring->values, ring->capacity * size);
        micai_ring_release(store->host, ring->type, ring->values, ring->capacity);
        ring->values = values;
        show_runs(store, ring, 0);
    }
    micai_overflow *over = &share->overflow;
    values = micai_ring_alloc(store->host, ring->type, over->capacity);
    if (values) {
        memcpy(values, over->values, over->capacity * size);
        micai_overflow old = *over;
        over->values = values;
        show(store, table, column, 0);
        release_overflow(store, ring->type, &old);
    }
}

// Compacting

static uint32_t goal_of(const micai_run *run)
{
    return ((const micai_share *)run)->table->count;
}

// Moves the values in overflow to the new rows of the run.
static void fill(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t first)
{
    const micai_share *share = (const micai_share *)run;
    for (uint32_t row = first; row < run->length;) {
        uint32_t rows = micai_run_reach(run, row);
        size_t behind = (size_t)(row - first) * ring->type->info.size;
        if (MICAI_CANARY("store.ring_fill")) {
            behind = 0;
        }
        micai_hook_relocate(gate, ring->type, micai_ring_at(ring, micai_run_slot(run, row)),
                            share->overflow.values + behind, rows);
        row += rows;
    }
}

static const micai_ring_batch batch = {goal_of, fill};

// Reserves overflow for a run that will get shorter. Its overflow is empty. Reserves half more, so
// that a table that shrinks steadily allocates rarely.
static bool reserve_overflow(micai_store *store, micai_share *share)
{
    const micai_table *table = share->table;
    uint32_t needed = table->capacity - table->count;
    if (table->count >= share->run.length || needed <= share->overflow.capacity) {
        return true;
    }
    uint64_t ahead = (uint64_t)needed + needed / 2;
    uint32_t most = table->capacity;
    return resize_overflow(store, share, ahead < most ? (uint32_t)ahead : most);
}

// Moves every run to a new array of `capacity` slots.
static bool refit(micai_store *store, micai_ring *ring, uint32_t capacity)
{
    unsigned char *old = ring->values;
    uint32_t old_capacity = ring->capacity;
    unsigned char *values = micai_ring_alloc(store->host, ring->type, capacity);
    if (!values && capacity > 0) {
        return false;
    }
    micai_ring_refit(store->gate, ring, &batch, values, capacity);
    show_runs(store, ring, 0);
    micai_ring_release(store->host, ring->type, old, old_capacity);
    return true;
}

// Returns the first run whose position or length will change.
static uint32_t first_to_move(const micai_ring *ring)
{
    uint32_t i = 0;
    uint32_t at = 0;
    while (i < ring->runs.count && ring->runs.items[i]->base == at &&
           ring->runs.items[i]->length == goal_of(ring->runs.items[i])) {
        at += ring->runs.items[i++]->length;
    }
    return i;
}

static bool settle_ring(micai_store *store, micai_ring *ring)
{
    for (uint32_t i = 0; i < ring->runs.count; i++) {
        micai_share *share = (micai_share *)ring->runs.items[i];
        release_overflow(store, ring->type, &share->old);
        if (!reserve_overflow(store, share)) {
            return false;
        }
    }
    uint64_t total = micai_ring_total(ring, &batch);
    if (total > ring->capacity) {
        return refit(store, ring, micai_ring_room(ring, total));
    }
    uint32_t first = first_to_move(ring);
    micai_ring_settle(store->gate, ring, &batch);
    show_runs(store, ring, first);
    return true;
}

mica_result micai_rings_settle(micai_store *store, uint32_t rows)
{
    bool settled = true;
    for (uint32_t i = 0; i < store->rings.list.count; i++) {
        micai_ring *ring = store->rings.list.items[i];
        if (ring->unsettled && ring->runs.count <= rows) {
            settled = settle_ring(store, ring) && settled;
        }
    }
    return settled ? MICA_OK : MICA_ERROR_MEMORY;
}

static bool reclaim_ring(micai_store *store, micai_ring *ring)
{
    uint64_t total = micai_ring_total(ring, &batch);
    bool fits = (!ring->unsettled || settle_ring(store, ring)) &&
                (total == ring->capacity || refit(store, ring, (uint32_t)total));
    for (uint32_t i = 0; fits && i < ring->runs.count; i++) {
        micai_share *share = (micai_share *)ring->runs.items[i];
        uint32_t room = room_over(share, share->table->capacity);
        fits = room == share->overflow.capacity || resize_overflow(store, share, room);
    }
    return fits;
}

mica_result micai_rings_reclaim(micai_store *store)
{
    for (uint32_t i = 0; i < store->rings.list.count; i++) {
        const micai_ring *ring = store->rings.list.items[i];
        if (!reclaim_ring(store, store->rings.list.items[i])) {
            return micai_fail_within(store->host, MICA_ERROR_MEMORY,
                                     "no memory to bring the values of '%s' together in",
                                     ring->type->info.name);
        }
    }
    return MICA_OK;
}

void micai_rings_free(micai_store *store)
{
    micai_array_free(store->host, &store->rings.list); // the rings were freed with their tables
}

// Queries

size_t micai_rings_size(const micai_store *store, const micai_type *type)
{
    const micai_ring *ring = micai_rings_find(&store->rings, type);
    size_t slots = ring ? ring->capacity : 0;
    for (uint32_t i = 0; ring && i < ring->runs.count; i++) {
        slots += ((const micai_share *)ring->runs.items[i])->overflow.capacity;
    }
    return slots * type->info.size;
}

uint64_t micai_rings_moves(const micai_store *store)
{
    uint64_t moves = store->rings.moves;
    for (uint32_t i = 0; i < store->rings.list.count; i++) {
        moves += store->rings.list.items[i]->moves;
    }
    return moves;
}

// Validation

static mica_result fail_share(micai_store *store, const char *invariant, const micai_table *table,
                              const micai_type *type)
{
    return micai_fail_invariant(store->host, invariant,
                                "table %" PRIu32 " has lost its share of the ring of '%s'",
                                table->id, type->info.name);
}

static bool is_ring(const micai_store *store, const micai_ring *ring)
{
    bool listed = false;
    for (uint32_t i = 0; i < store->rings.list.count; i++) {
        listed = listed || store->rings.list.items[i] == ring;
    }
    return listed;
}

static mica_result validate(micai_store *store, const micai_table *table, uint32_t column)
{
    const micai_type *type = table->layout.columns[column].type;
    const micai_share *share = share_in(table, column);
    if (!share) {
        return table->capacity == 0 ? MICA_OK : fail_share(store, "R4", table, type);
    }
    if (share->table != table || share->column != column || !is_ring(store, share->ring) ||
        share->ring->type != type) {
        return fail_share(store, "R4", table, type);
    }
    if ((uint64_t)share->run.length + share->overflow.capacity < table->capacity) {
        return fail_share(store, "R5", table, type);
    }
    return MICA_OK;
}

// Requires that the slice's ring is valid.
static bool has_its_spots(micai_store *store, const micai_share *share)
{
    const micai_table *table = share->table;
    uint32_t column = micai_table_column(table, share->ring->type->number);
    uint32_t strip = table->layout.columns[column].strip;
    uint32_t end = (table->count + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT;
    bool right = true;
    for (uint32_t i = 0; right && i < end; i++) {
        const micai_sheet *sheet = table->sheets.items[i];
        right = micai_sheet_shows(store, sheet, strip, sheet_at(share, sheet));
    }
    return right;
}

// Returns true if the runs of a ring are the slices of all tables, in table order. `compact_out`
// receives whether the rows are adjacent.
static bool has_runs(const micai_store *store, const micai_ring *ring, bool *settled_out)
{
    bool listed = true;
    uint32_t count = 0;
    uint32_t end = 0;
    *settled_out = true;
    for (uint32_t id = 0; listed && id < store->tables.count; id++) {
        const micai_table *table = store->tables.items[id];
        uint32_t column = micai_table_column(table, ring->type->number);
        const micai_share *share = column ? share_in(table, column) : NULL;
        if (!share) {
            continue;
        }
        listed = count < ring->runs.count && ring->runs.items[count++] == &share->run;
        *settled_out = *settled_out && share->run.base == end && share->run.length == table->count;
        end = share->run.base + share->run.length;
    }
    return listed && count == ring->runs.count;
}

static mica_result validate_ring(micai_store *store, const micai_ring *ring)
{
    const char *name = ring->type->info.name;
    mica_result result = micai_array_validate(store->host, &ring->runs, "runs of a ring");
    bool settled = false;
    if (!result && (ring->runs.count == 0 || !has_runs(store, ring, &settled))) {
        result = micai_fail_invariant(store->host, "R4", "the runs of '%s' are not those of tables",
                                      name);
    }
    result = result ? result : micai_ring_validate(store->host, ring);
    if (!result && !ring->unsettled && !settled) {
        result = micai_fail_invariant(store->host, "R6", "the ring of '%s' is not settled", name);
    }
    for (uint32_t i = 0; !result && i < ring->runs.count; i++) {
        const micai_share *share = (const micai_share *)ring->runs.items[i];
        if (!has_its_spots(store, share)) {
            result = micai_fail_invariant(
                store->host, "R8", "a spot of table %" PRIu32 " leads astray in the ring of '%s'",
                share->table->id, name);
        }
    }
    return result;
}

mica_result micai_rings_validate(micai_store *store)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < store->rings.list.count; i++) {
        const micai_ring *ring = store->rings.list.items[i];
        bool known = micai_registry_contains(store->registry, ring->type) &&
                     micai_kind_of(ring->type) == &micai_kind_ring;
        result = known ? validate_ring(store, ring)
                       : micai_fail_invariant(store->host, "R4", "ring %" PRIu32 " is none", i);
    }
    return result;
}

mica_result micai_rings_validate_ticks(micai_store *store, uint64_t now)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < store->rings.list.count; i++) {
        const micai_ring *ring = store->rings.list.items[i];
        if (ring->tick > now) {
            result = micai_fail_invariant(store->host, "R7",
                                          "the ring of '%s' was written later than now",
                                          ring->type->info.name);
        }
    }
    return result;
}

const micai_kind micai_kind_ring = {
    .name = "ring",
    .outside = true,
    .describe = describe,
    .read = read_span,
    .at = value_at,
    .touch = touch,
    .tick = tick_of,
    .make = make,
    .end = end_values,
    .load = load,
    .replace = replace,
    .take = take,
    .give = give,
    .move = move,
    .reserve = reserve,
    .follow = follow,
    .trim = trim,
    .holds = holds,
    .show = show,
    .debug_relocate = debug_relocate,
    .validate = validate,
};
