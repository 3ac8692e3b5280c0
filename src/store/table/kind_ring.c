// The ring kind, and compacting the rings of a store. kind_ring.h has the contract.
//
// Ticks of rows and flags are in strips, as in the paged kind, and move with rows.
#include "store/table/kind_ring.h"

#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "store/table/row.h"

static micai_ring_slice *slice_in(const micai_table *table, uint32_t column)
{
    return micai_layout_get_outside(&table->layout, column);
}

static const micai_type *type_of(micai_cell cell)
{
    return cell.table->layout.columns[cell.column].type;
}

static void *value_at(micai_cell cell)
{
    return micai_ring_slice_at(slice_in(cell.table, cell.column), cell.row,
                               type_of(cell)->info.size);
}

// Returns how many of `count` rows from the cell on have adjacent values.
static uint32_t count_adjacent(micai_cell cell, uint32_t count)
{
    const micai_ring_slice *slice = slice_in(cell.table, cell.column);
    uint32_t adjacent =
        cell.row < slice->run.length ? micai_run_adjacent(&slice->run, cell.row) : count;
    return adjacent < count ? adjacent : count;
}

// Value pointers

// Returns the values of a sheet if all that it has, or has space for, are adjacent. Otherwise
// returns NULL.
static unsigned char *sheet_at(const micai_ring_slice *slice, const micai_sheet *sheet)
{
    uint32_t length = slice->run.length;
    uint32_t first = sheet->index << MICAI_ROW_SHIFT;
    uint32_t end = first + sheet->capacity;
    bool over = end > length && slice->table->count > length;
    if (MICAI_CANARY("store.ring_spot")) {
        over = false;
    }
    if (first < length &&
        (over || micai_run_adjacent(&slice->run, first) < (end < length ? end : length) - first)) {
        return NULL;
    }
    return micai_ring_slice_at(slice, first, slice->ring->type->info.size);
}

// Updates the pointers of sheets with rows. Other sheets get a pointer with their first row.
static void update_pointers(micai_store *store, micai_table *table, uint32_t column, uint32_t first)
{
    const micai_ring_slice *slice = slice_in(table, column);
    uint32_t strip = table->layout.columns[column].strip;
    uint32_t end = (table->count + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT;
    for (uint32_t i = first; slice && i < end; i++) {
        micai_sheet *sheet = table->sheets.items[i];
        micai_sheet_set_pointer(store, sheet, strip, slice->ring->type, sheet_at(slice, sheet));
    }
}

static void update_slice_pointers(micai_store *store, const micai_ring_slice *slice, uint32_t first)
{
    micai_table *table = slice->table;
    uint32_t column = micai_table_column(table, slice->ring->type->number);
    if (slice_in(table, column) == slice) { // the table may be about to lose it
        update_pointers(store, table, column, first);
    }
}

// Updates pointers after runs from number `first` on have moved. Earlier runs only had rows in
// overflow.
static void update_run_pointers(micai_store *store, const micai_ring *ring, uint32_t first)
{
    for (uint32_t i = 0; i < ring->runs.count; i++) {
        const micai_run *run = ring->runs.items[i];
        update_slice_pointers(store, (const micai_ring_slice *)run,
                              i < first ? run->length >> MICAI_ROW_SHIFT : 0);
    }
}

static void update_pointer(micai_store *store, const micai_ring_slice *slice, uint32_t row)
{
    const micai_table *table = slice->table;
    micai_sheet *sheet = micai_table_sheet(table, row);
    bool comes = (row & (MICAI_ROWS - 1)) == 0;
    if (MICAI_CANARY("store.ring_turn")) {
        return;
    }
    micai_sheet_set_pointer(store, sheet, table->layout.columns[slice->column].strip,
                            slice->ring->type, comes ? sheet_at(slice, sheet) : NULL);
}

// Prepares for `count` added values from the cell on; marks the ring when values are removed.
static void enter(micai_store *store, micai_cell cell, uint32_t count)
{
    micai_ring_slice *slice = slice_in(cell.table, cell.column);
    for (uint32_t row = cell.row; row < cell.row + count; row = (row | (MICAI_ROWS - 1)) + 1) {
        uint32_t length = slice->run.length;
        uint32_t rows = micai_sheet_rows(row, cell.row + count - row);
        micai_ring_slice_add_row(store, slice, row);
        if (row < length && length - row < rows) {
            micai_ring_slice_add_row(store, slice, length);
        }
    }
}

static void mark_fragmented(micai_cell cell, uint32_t count)
{
    if (count > 0) { // a table that never had capacity has no slice
        slice_in(cell.table, cell.column)->ring->fragmented = true;
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
                        count_adjacent(cell, count > cell.row ? count - cell.row : 0)};
}

static void touch(micai_cell cell, uint32_t count, uint64_t tick)
{
    uint32_t strip = cell.table->layout.columns[cell.column].strip;
    for (uint32_t row = cell.row; row < cell.row + count; row = (row | (MICAI_ROWS - 1)) + 1) {
        micai_sheet_stamp(micai_table_sheet(cell.table, row), strip, tick);
    }
    if (micai_ticks_are_kept(type_of(cell))) {
        micai_ticks_touch(cell, count, tick);
    }
}

// A sweep writes the ring without visiting tables.
static uint64_t tick_of(const micai_table *table, uint32_t column)
{
    const micai_ring_slice *slice = slice_in(table, column);
    return slice ? slice->ring->tick : 0;
}

static void destruct_values(micai_store *store, micai_cell cell, uint32_t count)
{
    mark_fragmented(cell, count);
    while (count > 0) {
        uint32_t rows = count_adjacent(cell, count);
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
static mica_result construct_adjacent(micai_store *store, const micai_type *type,
                                      unsigned char *target, uint32_t count,
                                      const unsigned char *data, uint32_t stride)
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

static mica_result construct(micai_store *store, micai_cell cell, uint32_t count, const void *data,
                             uint32_t stride)
{
    const unsigned char *source = data;
    enter(store, cell, count);
    for (uint32_t done = 0; done < count;) {
        micai_cell at = {cell.table, cell.column, cell.row + done};
        uint32_t rows = count_adjacent(at, count - done);
        mica_result result =
            construct_adjacent(store, type_of(at), value_at(at), rows,
                               source ? source + (size_t)done * stride : NULL, stride);
        if (result) {
            destruct_values(store, cell, done);
            return result;
        }
        done += rows;
    }
    enable(cell, count);
    if (micai_ticks_are_kept(type_of(cell))) {
        micai_ticks_init(store, cell, count);
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
        uint32_t rows = count_adjacent(cell, count);
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
    mark_fragmented(cell, count);
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
static uint32_t overflow_rows(const micai_ring_slice *slice)
{
    uint32_t count = slice->table->count;
    return count > slice->run.length ? count - slice->run.length : 0;
}

// Returns the overflow capacity that a table of this capacity needs.
static uint32_t overflow_needed(const micai_ring_slice *slice, uint32_t capacity)
{
    return capacity > slice->run.length ? capacity - slice->run.length : 0;
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
        ring->compact = micai_rings_compact;
        ring->update_pointer = update_pointer;
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
static void enter_run(micai_ring *ring, micai_ring_slice *slice)
{
    uint32_t at = ring->runs.count++;
    micai_run **runs = ring->runs.items;
    for (; at > 0 && ((const micai_ring_slice *)runs[at - 1])->table->id > slice->table->id; at--) {
        runs[at] = runs[at - 1];
    }
    runs[at] = &slice->run;
    slice->run.base = at > 0 ? runs[at - 1]->base + runs[at - 1]->length : 0;
}

static micai_ring_slice *make_slice(micai_store *store, micai_table *table, uint32_t column)
{
    micai_ring *ring = make_ring(store, table->layout.columns[column].type);
    if (!ring) {
        return NULL;
    }
    bool listed = micai_array_reserve(store->host, &ring->runs, 1);
    micai_ring_slice *slice =
        listed ? micai_alloc_zeroed(store->host, sizeof *slice, _Alignof(micai_ring_slice)) : NULL;
    if (!slice) {
        drop_unused(store, ring);
        return NULL;
    }
    slice->ring = ring;
    slice->table = table;
    slice->column = column;
    *micai_layout_outside(&table->layout, column) = slice;
    enter_run(ring, slice);
    ring->fragmented =
        ring->fragmented || table->count > 0; // rows that the table had before the slice
    return slice;
}

// Moves overflow to other memory. The caller owns the old block. A table's first block takes no
// values even if the table has rows, because those are raw.
static micai_overflow exchange(micai_store *store, micai_ring_slice *slice, micai_overflow fresh)
{
    micai_overflow old = slice->overflow;
    if (overflow_rows(slice) > 0 && old.values) {
        micai_hook_relocate(store->gate, slice->ring->type, fresh.values, old.values,
                            overflow_rows(slice));
    }
    slice->overflow = fresh;
    update_slice_pointers(store, slice, slice->run.length >> MICAI_ROW_SHIFT);
    return old;
}

static mica_result reserve(micai_store *store, micai_table *table, uint32_t column, uint32_t count)
{
    micai_ring_slice *slice = slice_in(table, column);
    slice = slice ? slice : make_slice(store, table, column);
    if (!slice) {
        return MICA_ERROR_MEMORY;
    }
    const micai_type *type = slice->ring->type;
    uint32_t needed = overflow_needed(slice, count);
    if (needed <= slice->overflow.capacity) {
        return MICA_OK;
    }
    unsigned char *values =
        micai_alloc_array(store->host, needed, type->info.size, micai_ring_align(type));
    if (!values) {
        return MICA_ERROR_MEMORY;
    }
    release_overflow(store, type, &slice->old);
    slice->old = exchange(store, slice, (micai_overflow){values, needed});
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
    const micai_ring_slice *slice = slice_in(table, column);
    size_t size = micai_column_value_size(&table->layout.columns[column]);
    return slice && lies_in(data, 1, slice->old.values, slice->old.capacity * size)
               ? slice->overflow.values + ((uintptr_t)data - (uintptr_t)slice->old.values)
               : NULL;
}

static bool holds(const micai_table *table, uint32_t column, const void *data, size_t size)
{
    const micai_ring_slice *slice = slice_in(table, column);
    size_t one = micai_column_value_size(&table->layout.columns[column]);
    return slice && (lies_in(data, size, slice->overflow.values, slice->overflow.capacity * one) ||
                     lies_in(data, size, slice->ring->values, slice->ring->capacity * one));
}

// Resizes overflow, if memory is available. All rows in overflow fit into the new capacity.
static bool resize_overflow(micai_store *store, micai_ring_slice *slice, uint32_t capacity)
{
    unsigned char *values = micai_ring_alloc(store->host, slice->ring->type, capacity);
    if (!values && capacity > 0) {
        return false;
    }
    micai_overflow old = exchange(store, slice, (micai_overflow){values, capacity});
    release_overflow(store, slice->ring->type, &old);
    return true;
}

static void drop_slice(micai_store *store, micai_ring_slice *slice)
{
    micai_ring *ring = slice->ring;
    uint32_t at = 0;
    while (ring->runs.items[at] != &slice->run) {
        at++;
    }
    ring->runs.count--;
    memmove(&ring->runs.items[at], &ring->runs.items[at + 1],
            (ring->runs.count - at) * sizeof *ring->runs.items);
    ring->fragmented = ring->fragmented || slice->run.length > 0; // it leaves a gap
    release_overflow(store, ring->type, &slice->overflow);
    micai_release(store->host, slice, sizeof *slice, _Alignof(micai_ring_slice));
    drop_unused(store, ring);
}

static void trim(micai_store *store, micai_table *table, uint32_t column, uint32_t count)
{
    micai_ring_slice *slice = slice_in(table, column);
    if (!slice) {
        return;
    }
    release_overflow(store, slice->ring->type, &slice->old);
    if (count == 0) {
        drop_slice(store, slice);
        *micai_layout_outside(&table->layout, column) = NULL;
    } else if (overflow_needed(slice, count) < slice->overflow.capacity) {
        // on failure it stays as it is
        (void)resize_overflow(store, slice, overflow_needed(slice, count));
    }
}

// Copies both blocks as bytes, including rows that were constructed but not counted yet. Types with
// a move hook stay, because the hook must not be called for raw rows.
static void debug_relocate(micai_store *store, micai_table *table, uint32_t column)
{
    micai_ring_slice *slice = slice_in(table, column);
    micai_ring *ring = slice->ring;
    if (ring->type->info.hooks.move) {
        return;
    }
    size_t size = ring->type->info.size;
    unsigned char *values = micai_ring_alloc(store->host, ring->type, ring->capacity);
    if (values) {
        memcpy(values, ring->values, ring->capacity * size);
        micai_ring_release(store->host, ring->type, ring->values, ring->capacity);
        ring->values = values;
        update_run_pointers(store, ring, 0);
    }
    micai_overflow *over = &slice->overflow;
    values = micai_ring_alloc(store->host, ring->type, over->capacity);
    if (values) {
        memcpy(values, over->values, over->capacity * size);
        micai_overflow old = *over;
        over->values = values;
        update_pointers(store, table, column, 0);
        release_overflow(store, ring->type, &old);
    }
}

// Compacting

static uint32_t goal_of(const micai_run *run)
{
    return ((const micai_ring_slice *)run)->table->count;
}

// Moves the values in overflow to the new rows of the run.
static void fill(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t first)
{
    const micai_ring_slice *slice = (const micai_ring_slice *)run;
    for (uint32_t row = first; row < run->length;) {
        uint32_t rows = micai_run_adjacent(run, row);
        size_t behind = (size_t)(row - first) * ring->type->info.size;
        if (MICAI_CANARY("store.ring_fill")) {
            behind = 0;
        }
        micai_hook_relocate(gate, ring->type, micai_ring_at(ring, micai_run_slot(run, row)),
                            slice->overflow.values + behind, rows);
        row += rows;
    }
}

static const micai_ring_batch batch = {goal_of, fill};

// Reserves overflow for a run that will get shorter. Its overflow is empty. Reserves half more, so
// that a table that shrinks steadily allocates rarely.
static bool reserve_overflow(micai_store *store, micai_ring_slice *slice)
{
    const micai_table *table = slice->table;
    uint32_t needed = table->capacity - table->count;
    if (table->count >= slice->run.length || needed <= slice->overflow.capacity) {
        return true;
    }
    uint64_t ahead = (uint64_t)needed + needed / 2;
    uint32_t most = table->capacity;
    return resize_overflow(store, slice, ahead < most ? (uint32_t)ahead : most);
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
    update_run_pointers(store, ring, 0);
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

static bool compact_ring(micai_store *store, micai_ring *ring)
{
    for (uint32_t i = 0; i < ring->runs.count; i++) {
        micai_ring_slice *slice = (micai_ring_slice *)ring->runs.items[i];
        release_overflow(store, ring->type, &slice->old);
        if (!reserve_overflow(store, slice)) {
            return false;
        }
    }
    uint64_t total = micai_ring_total(ring, &batch);
    if (total > ring->capacity) {
        return refit(store, ring, micai_ring_grown_capacity(ring, total));
    }
    uint32_t first = first_to_move(ring);
    micai_ring_compact(store->gate, ring, &batch);
    update_run_pointers(store, ring, first);
    return true;
}

void micai_rings_sort(micai_store *store)
{
    for (uint32_t i = 0; i < store->rings.list.count; i++) {
        micai_run **runs = store->rings.list.items[i]->runs.items;
        for (uint32_t k = 1; k < store->rings.list.items[i]->runs.count; k++) {
            micai_run *run = runs[k];
            uint32_t id = ((micai_ring_slice *)run)->table->id;
            uint32_t at = k;
            for (; at > 0 && ((const micai_ring_slice *)runs[at - 1])->table->id > id; at--) {
                runs[at] = runs[at - 1];
            }
            runs[at] = run;
        }
    }
}

void micai_rings_update_pointers(micai_store *store, micai_table *table)
{
    for (uint32_t i = 0; i < store->rings.list.count; i++) {
        uint32_t column = micai_table_column(table, store->rings.list.items[i]->type->number);
        if (column) {
            update_pointers(store, table, column, 0);
        }
    }
}

micai_ring_slice *micai_ring_slice_open(micai_store *store, micai_table *table, uint32_t column)
{
    micai_ring_slice *slice = slice_in(table, column);
    return slice ? slice : make_slice(store, table, column);
}

mica_result micai_ring_plan_reserve(micai_store *store, micai_ring_plan *plan)
{
    plan->values = micai_ring_alloc(store->host, plan->type, plan->capacity);
    bool failed = !plan->values && plan->capacity > 0;
    for (uint32_t i = 0; i < plan->places.count && !failed; i++) {
        micai_ring_place *place = &plan->places.items[i];
        uint32_t rows = place->slice->table->capacity;
        uint32_t over = rows > place->run.length ? rows - place->run.length : 0;
        place->overflow.values = micai_ring_alloc(store->host, plan->type, over);
        place->overflow.capacity = place->overflow.values ? over : 0;
        failed = !place->overflow.values && over > 0;
    }
    return failed ? micai_fail_within(store->host, MICA_ERROR_MEMORY,
                                      "no memory to restore the values of '%s' in",
                                      plan->type->info.name)
                  : MICA_OK;
}

// The plan then has the old memory.
void micai_ring_plan_commit(micai_store *store, micai_ring_plan *plan)
{
    micai_ring *ring = micai_rings_find(&store->rings, plan->type);
    unsigned char *values = ring->values;
    uint32_t capacity = ring->capacity;
    ring->values = plan->values;
    ring->capacity = plan->capacity;
    plan->values = values;
    plan->capacity = capacity;
    for (uint32_t i = 0; i < plan->places.count; i++) {
        micai_ring_place *place = &plan->places.items[i];
        micai_overflow old = place->slice->overflow;
        release_overflow(store, plan->type, &place->slice->old);
        place->slice->overflow = place->overflow;
        place->slice->run = place->run;
        place->overflow = old;
    }
    update_run_pointers(store, ring, 0);
}

void micai_ring_plan_cancel(micai_store *store, micai_ring_plan *plan)
{
    micai_ring_release(store->host, plan->type, plan->values, plan->capacity);
    for (uint32_t i = 0; i < plan->places.count; i++) {
        release_overflow(store, plan->type, &plan->places.items[i].overflow);
    }
    micai_array_free(store->host, &plan->places);
}

mica_result micai_rings_compact(micai_store *store, uint32_t rows)
{
    bool compacted = true;
    for (uint32_t i = 0; i < store->rings.list.count; i++) {
        micai_ring *ring = store->rings.list.items[i];
        if (ring->fragmented && ring->runs.count <= rows) {
            compacted = compact_ring(store, ring) && compacted;
        }
    }
    return compacted ? MICA_OK : MICA_ERROR_MEMORY;
}

static bool reclaim_ring(micai_store *store, micai_ring *ring)
{
    uint64_t total = micai_ring_total(ring, &batch);
    bool fits = (!ring->fragmented || compact_ring(store, ring)) &&
                (total == ring->capacity || refit(store, ring, (uint32_t)total));
    for (uint32_t i = 0; fits && i < ring->runs.count; i++) {
        micai_ring_slice *slice = (micai_ring_slice *)ring->runs.items[i];
        uint32_t needed = overflow_needed(slice, slice->table->capacity);
        fits = needed == slice->overflow.capacity || resize_overflow(store, slice, needed);
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

// Queries

size_t micai_rings_size(const micai_store *store, const micai_type *type)
{
    const micai_ring *ring = micai_rings_find(&store->rings, type);
    size_t slots = ring ? ring->capacity : 0;
    for (uint32_t i = 0; ring && i < ring->runs.count; i++) {
        slots += ((const micai_ring_slice *)ring->runs.items[i])->overflow.capacity;
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

static mica_result fail_slice(micai_store *store, const char *invariant, const micai_table *table,
                              const micai_type *type)
{
    return micai_fail_invariant(store->host, invariant,
                                "table %" PRIu32 " has lost its slice of the ring of '%s'",
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
    const micai_ring_slice *slice = slice_in(table, column);
    if (!slice) {
        return table->capacity == 0 ? MICA_OK : fail_slice(store, "R4", table, type);
    }
    if (slice->table != table || slice->column != column || !is_ring(store, slice->ring) ||
        slice->ring->type != type) {
        return fail_slice(store, "R4", table, type);
    }
    if ((uint64_t)slice->run.length + slice->overflow.capacity < table->capacity) {
        return fail_slice(store, "R5", table, type);
    }
    return MICA_OK;
}

// Requires that the slice's ring is valid.
static bool has_its_pointers(micai_store *store, const micai_ring_slice *slice)
{
    const micai_table *table = slice->table;
    uint32_t column = micai_table_column(table, slice->ring->type->number);
    uint32_t strip = table->layout.columns[column].strip;
    uint32_t end = (table->count + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT;
    bool right = true;
    for (uint32_t i = 0; right && i < end; i++) {
        const micai_sheet *sheet = table->sheets.items[i];
        right = micai_sheet_has_pointer(store, sheet, strip, sheet_at(slice, sheet));
    }
    return right;
}

// Returns true if the runs of a ring are the slices of all tables, in table order. `compact_out`
// receives whether the rows are adjacent.
static bool has_runs(const micai_store *store, const micai_ring *ring, bool *compacted_out)
{
    bool listed = true;
    uint32_t count = 0;
    uint32_t end = 0;
    *compacted_out = true;
    for (uint32_t id = 0; listed && id < store->tables.count; id++) {
        const micai_table *table = store->tables.items[id];
        uint32_t column = micai_table_column(table, ring->type->number);
        const micai_ring_slice *slice = column ? slice_in(table, column) : NULL;
        if (!slice) {
            continue;
        }
        listed = count < ring->runs.count && ring->runs.items[count++] == &slice->run;
        *compacted_out =
            *compacted_out && slice->run.base == end && slice->run.length == table->count;
        end = slice->run.base + slice->run.length;
    }
    return listed && count == ring->runs.count;
}

static mica_result validate_ring(micai_store *store, const micai_ring *ring)
{
    const char *name = ring->type->info.name;
    mica_result result = micai_array_validate(store->host, &ring->runs, "runs of a ring");
    bool compacted = false;
    if (!result && (ring->runs.count == 0 || !has_runs(store, ring, &compacted))) {
        result = micai_fail_invariant(store->host, "R4", "the runs of '%s' are not those of tables",
                                      name);
    }
    result = result ? result : micai_ring_validate(store->host, ring);
    if (!result && !ring->fragmented && !compacted) {
        result = micai_fail_invariant(store->host, "R6", "the ring of '%s' is not compact", name);
    }
    for (uint32_t i = 0; !result && i < ring->runs.count; i++) {
        const micai_ring_slice *slice = (const micai_ring_slice *)ring->runs.items[i];
        if (!has_its_pointers(store, slice)) {
            result = micai_fail_invariant(store->host, "R8",
                                          "a value pointer of table %" PRIu32
                                          " is wrong in the ring of '%s'",
                                          slice->table->id, name);
        }
    }
    return result;
}

mica_result micai_rings_validate(micai_store *store)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < store->rings.list.count; i++) {
        const micai_ring *ring = store->rings.list.items[i];
        bool known =
            micai_registry_contains(store->registry, ring->type) && micai_kind_of(ring->type)->ring;
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
    .ring = true,
    .describe = describe,
    .read = read_span,
    .at = value_at,
    .touch = touch,
    .tick = tick_of,
    .construct = construct,
    .destruct = destruct_values,
    .load = load,
    .replace = replace,
    .take = take,
    .give = give,
    .move = move,
    .reserve = reserve,
    .follow = follow,
    .trim = trim,
    .holds = holds,
    .update_pointers = update_pointers,
    .drop_row = micai_row_drop_with_rings,
    .move_row = micai_row_move_with_rings,
    .debug_relocate = debug_relocate,
    .validate = validate,
};
