#include "unit/store/table/kinds.h"

#include <string.h>

#include "base/hash.h"
#include "runner/test.h"
#include "store/table/store.h"

bool kinds_are_chosen = true;

enum { SIZE_MAX_HERE = 64 };

// A whole value on its way.
typedef union whole {
    max_align_t align;
    unsigned char bytes[SIZE_MAX_HERE];
} whole;

static const micai_column *column_of(micai_cell cell)
{
    return &cell.table->layout.columns[cell.column];
}

// The cell of the column's `which`-th strip.
static unsigned char *part_at(micai_cell cell, uint32_t which)
{
    return micai_sheet_at(micai_table_sheet(cell.table, cell.row), column_of(cell)->strip + which,
                          cell.row & (MICAI_ROWS - 1));
}

static uint32_t part_size(micai_cell cell, uint32_t which)
{
    return cell.table->layout.strips[column_of(cell)->strip + which].size;
}

static micai_cell next_cell(micai_cell cell, uint32_t rows)
{
    return (micai_cell){cell.table, cell.column, cell.row + rows};
}

// What all kinds with two strips do.

static void touch_strips(micai_cell cell, uint32_t count, uint64_t tick)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t s = 0; s < column_of(cell)->strip_count; s++) {
            micai_sheet_touch(micai_table_sheet(cell.table, cell.row + i),
                              column_of(cell)->strip + s, tick);
        }
    }
}

// A value that is ended is overwritten, so that whoever uses it finds out.
static void end_strips(micai_store *store, micai_cell cell, uint32_t count)
{
    (void)store;
    for (uint32_t i = 0; i < count; i++) {
        micai_cell at = next_cell(cell, i);
        for (uint32_t s = 0; s < column_of(cell)->strip_count; s++) {
            memset(part_at(at, s), 0xDD, part_size(at, s));
        }
    }
}

// Puts a value in its place; takes it from there.
typedef void put_function(micai_cell cell, const void *value);

static mica_result make_by(put_function *put, micai_store *store, micai_cell cell, uint32_t count,
                           const void *data, uint32_t stride)
{
    whole value;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *source =
            data ? (const unsigned char *)data + (size_t)i * stride : NULL;
        if (!source) {
            mica_result result =
                micai_hook_construct(store->gate, column_of(cell)->type, value.bytes, 1);
            REQUIRE_EQUAL(MICA_OK, result); // there are no hooks
            source = value.bytes;
        }
        put(next_cell(cell, i), source);
    }
    return MICA_OK;
}

// Halves

static uint32_t describe_halves(const micai_type *type, micai_strip *strips_out)
{
    REQUIRE(micai_hook_has_none(type) && type->info.size >= 2 && type->info.size <= SIZE_MAX_HERE);
    bool careful = strncmp(type->info.name, "Careful", 7) == 0;
    uint32_t first = (type->info.size + 1) / 2;
    if (strips_out) {
        strips_out[0] = (micai_strip){.size = first, .careful = careful};
        strips_out[1] = (micai_strip){.size = type->info.size - first, .careful = careful};
    }
    return 2;
}

static void split(micai_cell cell, const void *value)
{
    uint32_t first = part_size(cell, 0);
    memcpy(part_at(cell, 0), value, first);
    memcpy(part_at(cell, 1), (const unsigned char *)value + first, part_size(cell, 1));
}

static void join(micai_cell cell, void *value)
{
    uint32_t first = part_size(cell, 0);
    memcpy(value, part_at(cell, 0), first);
    memcpy((unsigned char *)value + first, part_at(cell, 1), part_size(cell, 1));
}

static micai_span read_halves(micai_cell cell)
{
    return (micai_span){NULL, cell.table->count - cell.row};
}

static mica_result make_halves(micai_store *store, micai_cell cell, uint32_t count,
                               const void *data, uint32_t stride)
{
    return make_by(split, store, cell, count, data, stride);
}

static mica_result load_halves(micai_store *store, micai_cell cell, void *target)
{
    (void)store;
    join(cell, target);
    return MICA_OK;
}

static void replace_halves(micai_store *store, micai_cell cell, void *source, uint64_t tick)
{
    (void)store;
    split(cell, source);
    touch_strips(cell, 1, tick);
}

static void move_halves(micai_store *store, micai_cell target, micai_cell source)
{
    whole value;
    CHECK(target.table->layout.strips[column_of(target)->strip].careful);
    join(source, value.bytes);
    split(target, value.bytes);
    end_strips(store, source, 1);
}

static const micai_kind kind_halves = {
    .name = "halves",
    .describe = describe_halves,
    .read = read_halves,
    .touch = touch_strips,
    .construct = make_halves,
    .destruct = end_strips,
    .load = load_halves,
    .replace = replace_halves,
    .move = move_halves,
};

// Noted

static uint32_t describe_noted(const micai_type *type, micai_strip *strips_out)
{
    REQUIRE(micai_hook_has_none(type));
    if (strips_out) {
        strips_out[0] = (micai_strip){.size = type->info.size,
                                      .align_power = micai_align_power(type->info.align),
                                      .whole = true};
        strips_out[1] = (micai_strip){.size = sizeof(uint64_t),
                                      .align_power = micai_align_power(_Alignof(uint64_t))};
    }
    return 2;
}

static void put_noted(micai_cell cell, const void *value)
{
    uint64_t note = micai_hash_bytes(value, micai_column_value_size(column_of(cell)));
    memcpy(part_at(cell, 0), value, micai_column_value_size(column_of(cell)));
    memcpy(part_at(cell, 1), &note, sizeof note);
}

// Segment by segment would do, too: one row is allowed.
static micai_span read_noted(micai_cell cell)
{
    return (micai_span){part_at(cell, 0), 1};
}

static mica_result make_noted(micai_store *store, micai_cell cell, uint32_t count, const void *data,
                              uint32_t stride)
{
    return make_by(put_noted, store, cell, count, data, stride);
}

static mica_result load_noted(micai_store *store, micai_cell cell, void *target)
{
    (void)store;
    memcpy(target, part_at(cell, 0), micai_column_value_size(column_of(cell)));
    return MICA_OK;
}

static void replace_noted(micai_store *store, micai_cell cell, void *source, uint64_t tick)
{
    (void)store;
    put_noted(cell, source);
    touch_strips(cell, 1, tick);
}

static void move_noted(micai_store *store, micai_cell target, micai_cell source)
{
    (void)store, (void)target, (void)source;
    CHECK(false); // there is nothing to be careful with
}

static mica_result validate_noted(micai_store *store, const micai_table *table, uint32_t column)
{
    for (uint32_t row = 0; row < table->count; row++) {
        micai_cell cell = {table->sheets.items[0]->table, column, row};
        uint64_t note;
        memcpy(&note, part_at(cell, 1), sizeof note);
        if (note != micai_hash_bytes(part_at(cell, 0), micai_column_value_size(column_of(cell)))) {
            return micai_fail_invariant(store->host, "X1", "row %u has another's note",
                                        (unsigned)row);
        }
    }
    return MICA_OK;
}

static const micai_kind kind_noted = {
    .name = "noted",
    .describe = describe_noted,
    .read = read_noted,
    .touch = touch_strips,
    .construct = make_noted,
    .destruct = end_strips,
    .load = load_noted,
    .replace = replace_noted,
    .move = move_noted,
    .validate = validate_noted,
};

// Boxed

typedef struct box {
    unsigned char *values;
    uint32_t capacity;
    unsigned char *old; // where the values were before it grew last
    size_t old_size;
} box;

static box *box_of(micai_cell cell)
{
    return micai_layout_get_outside(&cell.table->layout, cell.column);
}

static void *boxed_at(micai_cell cell)
{
    REQUIRE(cell.row < box_of(cell)->capacity);
    return box_of(cell)->values + (size_t)cell.row * micai_column_value_size(column_of(cell));
}

// One strip, of which there are only ticks.
static uint32_t describe_boxed(const micai_type *type, micai_strip *strips_out)
{
    if (strips_out) {
        *strips_out = (micai_strip){.size = type->info.size,
                                    .align_power = micai_align_power(type->info.align),
                                    .outside = true};
    }
    return 1;
}

static micai_span read_boxed(micai_cell cell)
{
    return (micai_span){boxed_at(cell), cell.table->count - cell.row};
}

static void end_boxed(micai_store *store, micai_cell cell, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        void *value = boxed_at(next_cell(cell, i));
        micai_hook_destruct(store->gate, column_of(cell)->type, value, 1);
        memset(value, 0xDD, micai_column_value_size(column_of(cell)));
    }
}

static mica_result make_boxed(micai_store *store, micai_cell cell, uint32_t count, const void *data,
                              uint32_t stride)
{
    const micai_type *type = column_of(cell)->type;
    for (uint32_t i = 0; i < count; i++) {
        void *target = boxed_at(next_cell(cell, i));
        const unsigned char *source =
            data ? (const unsigned char *)data + (size_t)i * stride : NULL;
        mica_result result = source ? micai_hook_copy(store->gate, type, target, source, 1)
                                    : micai_hook_construct(store->gate, type, target, 1);
        if (result) {
            end_boxed(store, cell, i);
            return result;
        }
    }
    return MICA_OK;
}

static mica_result load_boxed(micai_store *store, micai_cell cell, void *target)
{
    return micai_hook_copy(store->gate, column_of(cell)->type, target, boxed_at(cell), 1);
}

static void replace_boxed(micai_store *store, micai_cell cell, void *source, uint64_t tick)
{
    micai_hook_destruct(store->gate, column_of(cell)->type, boxed_at(cell), 1);
    micai_hook_relocate(store->gate, column_of(cell)->type, boxed_at(cell), source, 1);
    touch_strips(cell, 1, tick);
}

static void move_boxed(micai_store *store, micai_cell target, micai_cell source)
{
    micai_hook_relocate(store->gate, column_of(target)->type, boxed_at(target), boxed_at(source),
                        1);
}

static void take_boxed(micai_store *store, micai_cell cell, void *source, uint32_t count)
{
    micai_hook_relocate(store->gate, column_of(cell)->type, boxed_at(cell), source, count);
}

static void give_boxed(micai_store *store, micai_cell cell, void *target, uint32_t count)
{
    micai_hook_relocate(store->gate, column_of(cell)->type, target, boxed_at(cell), count);
}

static size_t size_of_box(const micai_column *column, const box *b)
{
    return (size_t)b->capacity * micai_column_value_size(column);
}

static mica_result reserve_boxed(micai_store *store, micai_table *table, uint32_t column,
                                 uint32_t count)
{
    const micai_column *boxes = &table->layout.columns[column];
    uint32_t align = boxes->type->info.align;
    box *b = *micai_layout_outside(&table->layout, column);
    if (!b) {
        *micai_layout_outside(&table->layout, column) = b =
            micai_alloc_zeroed(store->host, sizeof *b, _Alignof(box));
        if (!b) {
            return MICA_ERROR_MEMORY;
        }
    }
    if (count <= b->capacity) {
        return MICA_OK;
    }
    unsigned char *values =
        micai_alloc(store->host, (size_t)count * micai_column_value_size(boxes), align);
    if (!values) {
        return MICA_ERROR_MEMORY;
    }
    if (table->count > 0) {
        micai_hook_relocate(store->gate, boxes->type, values, b->values, table->count);
    }
    micai_release(store->host, b->old, b->old_size, align);
    *b = (box){values, count, b->values, size_of_box(boxes, b)};
    return MICA_OK;
}

static const void *follow_boxed(const micai_table *table, uint32_t column, const void *data)
{
    const box *b = micai_layout_get_outside(&table->layout, column);
    uintptr_t inside = b ? (uintptr_t)data - (uintptr_t)b->old : 0;
    return b && inside < b->old_size ? b->values + inside : NULL;
}

static void trim_boxed(micai_store *store, micai_table *table, uint32_t column, uint32_t count)
{
    const micai_column *boxes = &table->layout.columns[column];
    box *b = *micai_layout_outside(&table->layout, column);
    if (b) {
        micai_release(store->host, b->old, b->old_size, boxes->type->info.align);
        b->old = NULL;
        b->old_size = 0;
    }
    if (b && count == 0) {
        micai_release(store->host, b->values, size_of_box(boxes, b), boxes->type->info.align);
        micai_release(store->host, b, sizeof *b, _Alignof(box));
        *micai_layout_outside(&table->layout, column) = NULL;
    }
}

static bool holds_boxed(const micai_table *table, uint32_t column, const void *data, size_t size)
{
    const box *b = micai_layout_get_outside(&table->layout, column);
    return b && (uintptr_t)data + size > (uintptr_t)b->values &&
           (uintptr_t)data < (uintptr_t)b->values + size_of_box(&table->layout.columns[column], b);
}

static mica_result validate_boxed(micai_store *store, const micai_table *table, uint32_t column)
{
    const box *b = micai_layout_get_outside(&table->layout, column);
    return table->capacity <= (b ? b->capacity : 0)
               ? MICA_OK
               : micai_fail_invariant(store->host, "X2", "a box is too small");
}

static const micai_kind kind_boxed = {
    .name = "boxed",
    .outside = true,
    .describe = describe_boxed,
    .read = read_boxed,
    .touch = touch_strips,
    .construct = make_boxed,
    .destruct = end_boxed,
    .load = load_boxed,
    .replace = replace_boxed,
    .take = take_boxed,
    .give = give_boxed,
    .move = move_boxed,
    .reserve = reserve_boxed,
    .follow = follow_boxed,
    .trim = trim_boxed,
    .holds = holds_boxed,
    .validate = validate_boxed,
};

// The choice

const micai_kind *const micai_kinds[] = {&micai_kind_paged, &kind_halves, &kind_noted, &kind_boxed,
                                         &micai_kind_ring};

uint8_t micai_kind_place(const micai_type *type)
{
    static const struct {
        const char *prefix;
        const micai_kind *kind;
    } kinds[] = {{"Halves", &kind_halves},
                 {"Careful", &kind_halves},
                 {"Noted", &kind_noted},
                 {"Boxed", &kind_boxed},
                 {"Ringed", &micai_kind_ring}};
    uint8_t place = 0;
    for (size_t i = 0; kinds_are_chosen && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strncmp(type->info.name, kinds[i].prefix, strlen(kinds[i].prefix)) == 0) {
            while (micai_kinds[place] != kinds[i].kind) {
                place++;
            }
            break;
        }
    }
    return place;
}
