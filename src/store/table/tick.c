// Row stamps in tables. tick.h has the contract.
#include "store/table/tick.h"

#include <inttypes.h>

#include "base/canary.h"
#include "store/table/store.h"

static uint32_t strip_of(micai_cell cell)
{
    return micai_ticks_strip(&cell.table->layout, cell.column);
}

// Returns the tick of a row, followed by those of the rest of its sheet.
static uint64_t *ticks_at(const micai_table *table, uint32_t strip, uint32_t row)
{
    return micai_sheet_at(micai_table_sheet(table, row), strip, row & (MICAI_ROWS - 1));
}

micai_ticks micai_ticks_get(micai_cell cell)
{
    uint32_t strip = strip_of(cell);
    return (micai_ticks){*ticks_at(cell.table, strip, cell.row),
                         *ticks_at(cell.table, strip + 1, cell.row)};
}

void micai_ticks_set(micai_cell cell, micai_ticks ticks)
{
    uint32_t strip = strip_of(cell);
    *ticks_at(cell.table, strip, cell.row) = ticks.changed;
    *ticks_at(cell.table, strip + 1, cell.row) = ticks.added;
}

// Sets `count` rows of a strip.
static void fill(micai_cell cell, uint32_t strip, uint32_t count, uint64_t tick)
{
    uint32_t end = cell.row + count;
    for (uint32_t row = cell.row; row < end;) {
        uint32_t rows = micai_sheet_rows(row, end - row);
        uint64_t *ticks = ticks_at(cell.table, strip, row);
        for (uint32_t i = 0; i < rows; i++) {
            ticks[i] = tick;
        }
        row += rows;
    }
}

// Does not touch the pages. The change may still fail, and its commit touches the page of ids.
void micai_ticks_init(micai_store *store, micai_cell cell, uint32_t count)
{
    uint32_t strip = strip_of(cell);
    fill(cell, strip, count, *store->now);
    fill(cell, strip + 1, count, *store->now);
}

void micai_ticks_touch(micai_cell cell, uint32_t count, uint64_t tick)
{
    if (MICAI_CANARY("store.row_tick")) {
        return;
    }
    uint32_t strip = strip_of(cell);
    uint32_t end = cell.row + count;
    fill(cell, strip, count, tick);
    for (uint32_t row = cell.row; row < end; row += micai_sheet_rows(row, end - row)) {
        micai_sheet_stamp(micai_table_sheet(cell.table, row), strip, tick);
    }
}

void micai_ticks_move(micai_cell target, micai_cell source)
{
    micai_ticks_set(target, micai_ticks_get(source));
}

// An added row has a new id. In sparse tables, images store one tick for ids and values, so the ids
// have no tick of their own.
static uint64_t latest(micai_cell cell, bool added, uint32_t *end_out)
{
    bool ids = added && !cell.table->index;
    return micai_table_tick(cell.table, ids ? 0 : cell.column, cell.row, end_out);
}

bool micai_ticks_are_old(micai_cell cell, bool added, uint64_t since, uint32_t *end_out)
{
    return latest(cell, added, end_out) <= since;
}

uint64_t micai_ticks_find_newer(micai_cell cell, uint32_t count, bool added, uint64_t since)
{
    uint32_t end;
    uint64_t newer = 0;
    uint32_t strip = strip_of(cell);
    if (latest(cell, added, &end) <= since) {
        return 0;
    }
    if (!strip) {
        return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    }
    const uint64_t *ticks = ticks_at(cell.table, strip + added, cell.row);
    // Ticks are far below 2^63, so the highest bit of the difference is the result.
    for (uint32_t i = 0; i < count; i++) {
        newer |= (since - ticks[i]) >> 63 << i;
    }
    return newer;
}

static bool are_right(const micai_table *table, uint32_t column)
{
    micai_cell cell = {(micai_table *)table, column, 0};
    bool right = true;
    for (uint32_t end = 0; right && cell.row < table->count;) {
        uint64_t touched = micai_table_tick(table, column, cell.row, &end);
        for (; right && cell.row < end; cell.row++) {
            const micai_ticks ticks = micai_ticks_get(cell);
            right = (ticks.added <= ticks.changed && ticks.changed <= touched) ||
                    micai_is_hole(micai_table_entity(table, cell.row));
        }
    }
    return right;
}

mica_result micai_ticks_validate(micai_store *store, const micai_table *table)
{
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        if (micai_ticks_strip(&table->layout, c) && !are_right(table, c)) {
            return micai_fail_invariant(store->host, "T10",
                                        "a tick of '%s' in table %" PRIu32 " cannot be",
                                        table->layout.columns[c].type->info.name, table->id);
        }
    }
    return MICA_OK;
}
