// The split kind: one strip per field strip of a value, so that a loop over one field reads only
// that. Types have no hooks: a value is the bytes of its strips, and moves as bytes. Strips of
// ticks and flags come last.
//
// The tick of a column is on its first strip.
#include "base/canary.h"
#include "core/field_strip.h"
#include "store/table/store.h"

static uint32_t describe(const micai_type *type, micai_strip *strips_out)
{
    for (uint32_t p = 0; strips_out && p < type->field_strip_count; p++) {
        const micai_field_strip *strip = &type->strips[p];
        strips_out[p] = (micai_strip){.size = strip->size,
                                      .align_power = micai_align_power(strip->align),
                                      .offset = strip->offset};
    }
    return micai_kind_describe_rest(type, strips_out, type->field_strip_count);
}

// The field strips of a column.
typedef struct strips {
    const micai_strip *strips;
    uint32_t first;
    uint32_t count;
} strips;

static strips strips_of(micai_cell cell)
{
    const micai_layout *layout = &cell.table->layout;
    const micai_column *column = &layout->columns[cell.column];
    return (strips){&layout->strips[column->strip], column->strip, column->type->field_strip_count};
}

static const micai_type *type_of(micai_cell cell)
{
    return cell.table->layout.columns[cell.column].type;
}

static unsigned char *strip_at(micai_cell cell, uint32_t strip)
{
    return micai_sheet_at(micai_table_sheet(cell.table, cell.row), strip,
                          cell.row & (MICAI_ROWS - 1));
}

// Sheets that are adjacent in every strip hold one span.
static micai_span read_span(micai_cell cell)
{
    const micai_sheet *sheet = micai_table_sheet(cell.table, cell.row);
    uint32_t end = (sheet->index + sheet->adjacent) << MICAI_ROW_SHIFT;
    return (micai_span){NULL, (end < cell.table->count ? end : cell.table->count) - cell.row};
}

static micai_field_span find(micai_cell cell, uint32_t offset, uint32_t size)
{
    const strips all = strips_of(cell);
    uint32_t low = 0; // the last strip that begins at or before the offset
    for (uint32_t high = all.count; high - low > 1;) {
        uint32_t middle = (low + high) / 2;
        *(all.strips[middle].offset <= offset ? &low : &high) = middle;
    }
    const micai_strip *strip = &all.strips[low];
    uint32_t into = offset - strip->offset;
    return offset >= strip->offset && into < strip->size && size <= strip->size - into
               ? (micai_field_span){strip_at(cell, all.first + low) + into, strip->size}
               : (micai_field_span){0};
}

static void touch(micai_cell cell, uint32_t count, uint64_t tick)
{
    for (uint32_t done = 0; done < count;) {
        micai_sheet_stamp(micai_table_sheet(cell.table, cell.row + done), strips_of(cell).first,
                          tick);
        done += micai_sheet_rows(cell.row + done, count - done);
    }
    if (micai_ticks_are_kept(type_of(cell))) {
        micai_ticks_touch(cell, count, tick);
    }
}

// Copies one field strip of `count` whole values to its strip.
static inline void scatter_sized(unsigned char *target, const unsigned char *source, uint32_t count,
                                 uint32_t stride, uint32_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        memcpy(target + (size_t)i * size, source + (size_t)i * stride, size);
    }
}

// Most field strips have a size for which the compiler generates fast copies.
static void scatter(unsigned char *target, const unsigned char *source, uint32_t count,
                    uint32_t stride, uint32_t size)
{
    switch (size) {
    case 4: scatter_sized(target, source, count, stride, 4); break;
    case 8: scatter_sized(target, source, count, stride, 8); break;
    default: scatter_sized(target, source, count, stride, size);
    }
}

// Copies in the other direction.
static inline void gather_sized(unsigned char *target, const unsigned char *source, uint32_t count,
                                uint32_t stride, uint32_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        memcpy(target + (size_t)i * stride, source + (size_t)i * size, size);
    }
}

static void gather(unsigned char *target, const unsigned char *source, uint32_t count,
                   uint32_t stride, uint32_t size)
{
    switch (size) {
    case 4: gather_sized(target, source, count, stride, 4); break;
    case 8: gather_sized(target, source, count, stride, 8); break;
    default: gather_sized(target, source, count, stride, size);
    }
}

static void construct_rows(micai_cell cell, uint32_t count, const unsigned char *data,
                           uint32_t stride)
{
    const strips all = strips_of(cell);
    for (uint32_t p = 0; p < all.count; p++) {
        const micai_strip *strip = &all.strips[p];
        unsigned char *target = strip_at(cell, all.first + p);
        if (MICAI_CANARY("store.split_cut")) {
            stride = strip->size;
        }
        if (data) {
            scatter(target, data + strip->offset, count, stride, strip->size);
        } else {
            memset(target, 0, (size_t)count * strip->size);
        }
    }
    uint32_t flags = micai_toggle_strip(&cell.table->layout, cell.column);
    if (flags) {
        memset(strip_at(cell, flags), 0, count);
    }
}

static mica_result construct(micai_store *store, micai_cell cell, uint32_t count, const void *data,
                             uint32_t stride)
{
    const unsigned char *source = data ? data : type_of(cell)->info.default_value;
    uint32_t step = data ? stride : 0;
    if (micai_ticks_are_kept(type_of(cell))) {
        micai_ticks_init(store, cell, count);
    }
    while (count > 0) {
        uint32_t rows = micai_sheet_rows(cell.row, count);
        construct_rows(cell, rows, source, step);
        source = source ? source + (size_t)rows * step : NULL;
        cell.row += rows;
        count -= rows;
    }
    return MICA_OK;
}

static void destruct_values(micai_store *store, micai_cell cell, uint32_t count)
{
    (void)store, (void)cell, (void)count;
}

static void take(micai_store *store, micai_cell cell, void *source, uint32_t count)
{
    (void)store;
    unsigned char *values = source;
    uint32_t size = type_of(cell)->info.size;
    while (count > 0) {
        uint32_t rows = micai_sheet_rows(cell.row, count);
        const strips all = strips_of(cell);
        for (uint32_t p = 0; p < all.count; p++) {
            scatter(strip_at(cell, all.first + p), values + all.strips[p].offset, rows, size,
                    all.strips[p].size);
        }
        values += (size_t)rows * size;
        cell.row += rows;
        count -= rows;
    }
}

// Copies 64 rows at a time, so that the cache lines of the target stay cached from one strip to the
// next.
static void give(micai_store *store, micai_cell cell, void *target, uint32_t count)
{
    enum { ROWS = 64 };
    (void)store;
    const strips all = strips_of(cell);
    uint32_t size = type_of(cell)->info.size;
    unsigned char *values = target;
    while (count > 0) {
        uint32_t rows = micai_sheet_rows(cell.row, count < ROWS ? count : ROWS);
        memset(values, 0, (size_t)rows * size); // padding between the fields
        for (uint32_t p = 0; p < all.count; p++) {
            gather(values + all.strips[p].offset, strip_at(cell, all.first + p), rows, size,
                   all.strips[p].size);
        }
        values += (size_t)rows * size;
        cell.row += rows;
        count -= rows;
    }
}

static mica_result load(micai_store *store, micai_cell cell, void *target)
{
    give(store, cell, target, 1);
    return MICA_OK;
}

static void replace(micai_store *store, micai_cell cell, void *source, uint64_t tick)
{
    (void)store;
    const strips all = strips_of(cell);
    for (uint32_t p = 0; p < all.count; p++) {
        micai_copy_bytes(strip_at(cell, all.first + p),
                         (const unsigned char *)source + all.strips[p].offset, all.strips[p].size);
    }
    touch(cell, 1, tick);
}

const micai_kind micai_kind_split = {
    .name = "split",
    .describe = describe,
    .read = read_span,
    .find = find,
    .touch = touch,
    .construct = construct,
    .destruct = destruct_values,
    .load = load,
    .replace = replace,
    .take = take,
    .give = give,
};
