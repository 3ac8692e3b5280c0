// Flags of values in tables. toggle.h has the contract.
#include "store/table/toggle.h"

#include <inttypes.h>

#include "base/canary.h"
#include "store/table/store.h"

static unsigned char *flags_at(const micai_table *table, uint32_t strip, uint32_t row)
{
    return micai_table_sheet(table, row)->pages[strip].data + (row & (MICAI_ROWS - 1));
}

const unsigned char *micai_toggle_flags(micai_cell cell)
{
    uint32_t strip = micai_toggle_strip(&cell.table->layout, cell.column);
    return flags_at(cell.table, strip, cell.row);
}

bool micai_toggle_is_off(micai_cell cell)
{
    uint32_t strip = micai_toggle_strip(&cell.table->layout, cell.column);
    return strip && cell.table->layout.columns[cell.column].has_disabled &&
           *flags_at(cell.table, strip, cell.row) != 0;
}

static bool are_all(const unsigned char *flags, uint32_t count, unsigned char flag)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < count; i++) {
        same += flags[i] == flag;
    }
    return same == count;
}

#define STEP (MICAI_ROWS < 64 ? MICAI_ROWS : UINT32_C(64)) // sheets are smaller in tests

// Returns true if all flags of one step equal `flag`.
static bool are_like(const unsigned char *flags, unsigned char flag)
{
    unsigned char others = 0;
    uint32_t count = STEP;
    if (MICAI_CANARY("store.toggle_skip")) {
        count--;
    }
    for (uint32_t i = 0; i < count; i++) {
        others |= flags[i] ^ flag;
    }
    return others == 0;
}

uint32_t micai_toggle_skip(micai_cell cell, uint32_t end, bool off)
{
    uint32_t strip = micai_toggle_strip(&cell.table->layout, cell.column);
    uint32_t row = cell.row;
    while (row < end && micai_sheet_rows(row, end - row) >= STEP) {
        const unsigned char *flags = flags_at(cell.table, strip, row);
        for (uint32_t rows = micai_sheet_rows(row, end - row); rows >= STEP; rows -= STEP) {
            if (!are_like(flags, off)) {
                return row;
            }
            flags += STEP;
            row += STEP;
        }
    }
    return row;
}

// Sets the ticks of values that will change.
static void touch_others(micai_cell cell, uint32_t count, bool off, uint64_t tick)
{
    const unsigned char *flags = micai_toggle_flags(cell);
    for (uint32_t i = 0; cell.table->layout.columns[cell.column].type->info.row_stamps && i < count;
         i++) {
        if (flags[i] != off) {
            micai_ticks_touch((micai_cell){cell.table, cell.column, cell.row + i}, 1, tick);
        }
    }
}

void micai_toggle_set(micai_store *store, micai_cell cell, uint32_t count, bool off, uint64_t tick)
{
    micai_table *table = cell.table;
    uint32_t strip = micai_toggle_strip(&table->layout, cell.column);
    uint32_t end = cell.row + count;
    if (off && count > 0) {
        micai_toggle_mark(store, table, cell.column);
    }
    for (uint32_t row = cell.row; row < end;) {
        uint32_t rows = micai_sheet_rows(row, end - row);
        if (!are_all(flags_at(table, strip, row), rows, off)) {
            touch_others((micai_cell){table, cell.column, row}, rows, off, tick);
            memset(flags_at(table, strip, row), off, rows);
            micai_sheet_touch(micai_table_sheet(table, row), strip, tick);
        }
        row += rows;
    }
}

void micai_toggle_init(micai_store *store, micai_cell cell, bool off)
{
    uint32_t strip = micai_toggle_strip(&cell.table->layout, cell.column);
    if (off) {
        micai_toggle_mark(store, cell.table, cell.column);
    }
    *flags_at(cell.table, strip, cell.row) = off;
}

void micai_toggle_update_pointers(micai_store *store, micai_table *table, uint32_t column)
{
    uint32_t strip = micai_toggle_strip(&table->layout, column);
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        micai_sheet *sheet = table->sheets.items[i];
        micai_sheet_set_page(store, sheet, strip, sheet->pages[strip]);
        if (table->index) {
            micai_sheet_update_blocks(sheet);
        }
    }
}

void micai_toggle_watch(micai_store *store, const micai_type *type)
{
    for (uint32_t id = 0; type->info.toggle && id < store->tables.count; id++) {
        micai_table *table = store->tables.items[id];
        uint32_t column = micai_table_column(table, type->number);
        if (column) {
            micai_toggle_update_pointers(store, table, column);
        }
    }
}

static void set_has_disabled(micai_store *store, micai_table *table, uint32_t column,
                             bool has_disabled)
{
    table->layout.columns[column].has_disabled = has_disabled;
    table->disabled_columns = (uint16_t)(table->disabled_columns + (has_disabled ? 1 : -1));
    micai_toggle_update_pointers(store, table, column);
    if (!table->index) {
        micai_transitions_update(store, table);
    }
}

void micai_toggle_mark(micai_store *store, micai_table *table, uint32_t column)
{
    if (!table->layout.columns[column].has_disabled) {
        set_has_disabled(store, table, column, true);
    }
}

void micai_toggle_restore(micai_store *store, micai_table *table, uint32_t column,
                          bool has_disabled)
{
    if (table->layout.columns[column].has_disabled != has_disabled) {
        set_has_disabled(store, table, column, has_disabled);
    }
}

static bool has_disabled(const micai_table *table, uint32_t strip)
{
    for (uint32_t row = 0; row < table->count;) {
        uint32_t rows = micai_sheet_rows(row, table->count - row);
        if (!are_all(flags_at(table, strip, row), rows, 0)) {
            return true;
        }
        row += rows;
    }
    return false;
}

void micai_toggle_unmark(micai_store *store, micai_table *table)
{
    for (uint32_t c = 1; table->disabled_columns > 0 && c < table->layout.column_count; c++) {
        if (table->layout.columns[c].has_disabled &&
            !has_disabled(table, micai_toggle_strip(&table->layout, c))) {
            set_has_disabled(store, table, c, false);
        }
    }
}

// Returns the next column of the source that has disabled values while the target's does not, or 0.
// `target_out` receives the target's column.
static uint32_t find_uncovered(const micai_transition *t, uint32_t column, uint32_t *target_out)
{
    const micai_table *source = t->source;
    for (; source->disabled_columns > 0 && column < source->layout.column_count; column++) {
        const micai_column *from = &source->layout.columns[column];
        uint32_t target =
            from->has_disabled ? micai_table_column(t->target, from->type->number) : 0;
        if (target && !t->target->layout.columns[target].has_disabled) {
            *target_out = target;
            return column;
        }
    }
    return 0;
}

void micai_toggle_spread(micai_store *store, const micai_transition *t)
{
    uint32_t target;
    if (MICAI_CANARY("store.toggle_spread")) {
        return;
    }
    for (uint32_t c = find_uncovered(t, 1, &target); c; c = find_uncovered(t, c, &target)) {
        set_has_disabled(store, t->target, target, true);
    }
}

bool micai_toggle_covers(const micai_transition *t)
{
    uint32_t target;
    return find_uncovered(t, 1, &target) == 0;
}

// Validation

static bool are_flags(const micai_table *table, uint32_t strip, unsigned char most)
{
    for (uint32_t row = 0; row < table->count;) {
        uint32_t rows = micai_sheet_rows(row, table->count - row);
        for (uint32_t i = 0; i < rows; i++) {
            if (flags_at(table, strip, row)[i] > most) {
                return false;
            }
        }
        row += rows;
    }
    return true;
}

mica_result micai_toggle_validate(micai_store *store, const micai_table *table)
{
    uint32_t disabled_columns = 0;
    for (uint32_t c = 0; c < table->layout.column_count; c++) {
        const micai_column *column = &table->layout.columns[c];
        uint32_t strip = micai_toggle_strip(&table->layout, c);
        if (column->has_disabled && !strip) {
            return micai_fail_invariant(store->host, "F3",
                                        "column %" PRIu32 " of table %" PRIu32
                                        " has disabled values and has no flags",
                                        c, table->id);
        }
        disabled_columns += column->has_disabled;
        if (strip && !are_flags(table, strip, 1)) {
            return micai_fail_invariant(store->host, "F1",
                                        "a flag of '%s' in table %" PRIu32 " is none",
                                        column->type->info.name, table->id);
        }
        if (strip && !column->has_disabled && !are_flags(table, strip, 0)) {
            return micai_fail_invariant(
                store->host, "F2", "'%s' is disabled in table %" PRIu32 ", which does not know",
                column->type->info.name, table->id);
        }
    }
    return disabled_columns == table->disabled_columns
               ? MICA_OK
               : micai_fail_invariant(
                     store->host, "F3",
                     "table %" PRIu32 " has %" PRIu32 " columns with disabled values, not %" PRIu32,
                     table->id, disabled_columns, (uint32_t)table->disabled_columns);
}
