// The paged kind: whole values in one strip, in the pages of the sheets. Ticks and flags are in
// strips after it and move with the values. New values are enabled.
//
// Values of stable types are in blocks beside the sheets and use the same functions. Tags have no
// value.
#include "base/canary.h"
#include "store/table/kind_stable.h"
#include "store/table/store.h"

static uint32_t describe(const micai_type *type, micai_strip *strips_out)
{
    if (type->info.size == 0) {
        return micai_kind_describe_rest(type, strips_out, 0);
    }
    if (strips_out) {
        *strips_out = (micai_strip){.size = type->info.size,
                                    .align_power = micai_align_power(type->info.align),
                                    .hooked = !micai_hook_has_none(type),
                                    .careful = type->info.hooks.move != NULL,
                                    .whole = true};
    }
    return micai_kind_describe_rest(type, strips_out, 1);
}

static const micai_column *column_of(micai_cell cell)
{
    return &cell.table->layout.columns[cell.column];
}

static bool is_stable(micai_cell cell)
{
    return cell.table->layout.strips[column_of(cell)->strip].outside;
}

static void *value_at(micai_cell cell)
{
    if (is_stable(cell)) {
        return micai_stable_at(cell);
    }
    return micai_sheet_at(micai_table_sheet(cell.table, cell.row), column_of(cell)->strip,
                          cell.row & (MICAI_ROWS - 1));
}

// Returns the flag of a row, followed by those of the rest of its sheet. NULL if the type has no
// toggle.
static unsigned char *flags_at(micai_cell cell)
{
    uint32_t strip = micai_toggle_strip(&cell.table->layout, cell.column);
    return strip ? micai_sheet_at(micai_table_sheet(cell.table, cell.row), strip,
                                  cell.row & (MICAI_ROWS - 1))
                 : NULL;
}

// Returns how many of `count` values are adjacent.
static uint32_t count_rows(micai_cell cell, uint32_t count)
{
    return is_stable(cell) ? micai_stable_rows(cell, count) : micai_sheet_rows(cell.row, count);
}

// Sheets that are adjacent in every strip are adjacent in this one and need no check each.
static micai_span read_span(micai_cell cell)
{
    const micai_table *table = cell.table;
    uint32_t strip = column_of(cell)->strip;
    const micai_sheet *sheet = micai_table_sheet(table, cell.row);
    uint32_t end = (sheet->index + sheet->adjacent) << MICAI_ROW_SHIFT;
    while (end < table->count) {
        const micai_sheet *last = micai_table_sheet(table, end - 1);
        sheet = micai_table_sheet(table, end);
        if (!micai_page_adjoins(&last->pages[strip], &sheet->pages[strip])) {
            break;
        }
        end = (sheet->index + sheet->adjacent) << MICAI_ROW_SHIFT;
    }
    return (micai_span){value_at(cell), (end < table->count ? end : table->count) - cell.row};
}

void micai_paged_touch(micai_cell cell, uint32_t count, uint64_t tick)
{
    for (uint32_t row = cell.row; row < cell.row + count; row = (row | (MICAI_ROWS - 1)) + 1) {
        micai_sheet_stamp(micai_table_sheet(cell.table, row), column_of(cell)->strip, tick);
    }
    if (micai_ticks_are_kept(column_of(cell)->type)) {
        micai_ticks_touch(cell, count, tick);
    }
}

void micai_paged_destruct(micai_store *store, micai_cell cell, uint32_t count)
{
    const micai_column *column = column_of(cell);
    while (column->type->info.hooks.destruct && count > 0) {
        uint32_t rows = count_rows(cell, count);
        micai_hook_destruct(store->gate, column->type, value_at(cell), rows);
        cell.row += rows;
        count -= rows;
    }
}

// Creates `count` adjacent copies of one value, or none.
static mica_result repeat(micai_store *store, const micai_type *type, unsigned char *target,
                          uint32_t count, const void *data)
{
    uint32_t size = type->info.size;
    if (!type->info.hooks.copy && micai_hook_can_copy(type)) {
        micai_hook_repeat(&type->info, target, data, count);
        return MICA_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        mica_result result = micai_hook_copy(store->gate, type, target + (size_t)i * size, data, 1);
        if (result) {
            micai_hook_destruct(store->gate, type, target, i);
            return result;
        }
    }
    return MICA_OK;
}

mica_result micai_paged_construct(micai_store *store, micai_cell cell, uint32_t count,
                                  const void *data, uint32_t stride)
{
    const micai_type *type = column_of(cell)->type;
    const unsigned char *source = data;
    for (uint32_t done = 0; done < count;) {
        micai_cell at = {cell.table, cell.column, cell.row + done};
        uint32_t rows = count_rows(at, count - done);
        mica_result result = MICA_OK;
        if (type->info.size == 0) {
            // tags have nothing to construct
        } else if (!data) {
            result = micai_hook_construct(store->gate, type, value_at(at), rows);
        } else if (stride == 0 || rows == 1) {
            result = repeat(store, type, value_at(at), rows, source + (size_t)done * stride);
        } else {
            result = micai_hook_copy(store->gate, type, value_at(at),
                                     source + (size_t)done * stride, rows);
        }
        if (result) {
            micai_paged_destruct(store, cell, done);
            return result;
        }
        unsigned char *flags = flags_at(at);
        if (flags) {
            memset(flags, 0, rows);
        }
        done += rows;
    }
    if (micai_ticks_are_kept(type)) {
        micai_ticks_init(store, cell, count);
    }
    return MICA_OK;
}

mica_result micai_paged_load(micai_store *store, micai_cell cell, void *target)
{
    return micai_hook_copy(store->gate, column_of(cell)->type, target, value_at(cell), 1);
}

void micai_paged_replace(micai_store *store, micai_cell cell, void *source, uint64_t tick)
{
    const micai_type *type = column_of(cell)->type;
    if (!MICAI_CANARY("store.replace")) {
        micai_hook_destruct(store->gate, type, value_at(cell), 1);
    }
    micai_hook_relocate(store->gate, type, value_at(cell), source, 1);
    micai_paged_touch(cell, 1, tick);
}

// Relocates between rows and adjacent values.
static void relocate(micai_store *store, micai_cell cell, unsigned char *values, uint32_t count,
                     bool give)
{
    const micai_type *type = column_of(cell)->type;
    while (count > 0) {
        uint32_t rows = count_rows(cell, count);
        void *row = value_at(cell);
        micai_hook_relocate(store->gate, type, give ? values : row, give ? row : values, rows);
        values += (size_t)rows * type->info.size;
        cell.row += rows;
        count -= rows;
    }
}

void micai_paged_take(micai_store *store, micai_cell cell, void *source, uint32_t count)
{
    relocate(store, cell, source, count, false);
}

void micai_paged_give(micai_store *store, micai_cell cell, void *target, uint32_t count)
{
    relocate(store, cell, target, count, true);
}

static void move(micai_store *store, micai_cell target, micai_cell source)
{
    micai_hook_relocate(store->gate, column_of(target)->type, value_at(target), value_at(source),
                        1);
    const unsigned char *from = flags_at(source);
    unsigned char *to = flags_at(target);
    if (MICAI_CANARY("store.toggle_move")) {
        to = NULL;
    }
    if (from && to) {
        *to = *from;
    }
    if (micai_ticks_are_kept(column_of(target)->type)) {
        micai_ticks_move(target, source);
    }
}

const micai_kind micai_kind_paged = {
    .name = "paged",
    .describe = describe,
    .read = read_span,
    .at = value_at,
    .touch = micai_paged_touch,
    .construct = micai_paged_construct,
    .destruct = micai_paged_destruct,
    .load = micai_paged_load,
    .replace = micai_paged_replace,
    .take = micai_paged_take,
    .give = micai_paged_give,
    .move = move,
};
