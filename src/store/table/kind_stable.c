// Blocks of stable values. kind_stable.h has the contract.
#include "store/table/kind_stable.h"

#include <stddef.h>

#include "base/number.h"
#include "store/table/store.h"

// The column's data outside the strips.
typedef struct stable {
    unsigned char **blocks;
    uint32_t count;
    uint32_t capacity;
} stable;

uint32_t micai_stable_shift(uint32_t size)
{
    uint32_t shift = MICAI_ROW_SHIFT;
    while (shift > 0 && (uint64_t)size << shift > MICAI_BLOCK_BYTES) {
        shift--;
    }
    return shift;
}

static const micai_type *type_of(const micai_table *table, uint32_t column)
{
    return table->layout.columns[column].type;
}

static stable *stable_of(const micai_table *table, uint32_t column)
{
    return micai_layout_get_outside(&table->layout, column);
}

void *micai_stable_at(micai_cell cell)
{
    uint32_t size = type_of(cell.table, cell.column)->info.size;
    uint32_t shift = micai_stable_shift(size);
    uint32_t inside = cell.row & ((UINT32_C(1) << shift) - 1);
    return stable_of(cell.table, cell.column)->blocks[cell.row >> shift] + (size_t)inside * size;
}

uint32_t micai_stable_rows(micai_cell cell, uint32_t count)
{
    uint32_t rows = UINT32_C(1) << micai_stable_shift(type_of(cell.table, cell.column)->info.size);
    return micai_smaller(rows - (cell.row & (rows - 1)), count);
}

static size_t block_size(const micai_type *type)
{
    return (size_t)type->info.size << micai_stable_shift(type->info.size);
}

// A cache line, or the alignment of the type if that is larger.
static uint32_t block_align(const micai_type *type)
{
    return type->info.align > 64 ? type->info.align : 64;
}

static uint32_t describe(const micai_type *type, micai_strip *strips_out)
{
    if (strips_out) {
        *strips_out = (micai_strip){.size = type->info.size,
                                    .align_power = micai_align_power(type->info.align),
                                    .outside = true};
    }
    return micai_kind_describe_rest(type, strips_out, 1);
}

static micai_span read_span(micai_cell cell)
{
    return (micai_span){micai_stable_at(cell),
                        micai_stable_rows(cell, cell.table->count - cell.row)};
}

static void release_blocks(micai_store *store, stable *s, const micai_type *type, uint32_t count)
{
    while (s->count > count) {
        micai_release(store->host, s->blocks[--s->count], block_size(type), block_align(type));
    }
}

static mica_result reserve(micai_store *store, micai_table *table, uint32_t column, uint32_t rows)
{
    const micai_type *type = type_of(table, column);
    void **outside = micai_layout_outside(&table->layout, column);
    *outside =
        *outside ? *outside : micai_alloc_zeroed(store->host, sizeof(stable), _Alignof(stable));
    stable *s = *outside;
    uint32_t shift = micai_stable_shift(type->info.size);
    uint32_t count = (uint32_t)(((uint64_t)rows + (UINT32_C(1) << shift) - 1) >> shift);
    if (!s || (count > s->count &&
               !micai_array_grow(store->host, &s->blocks, &s->capacity, s->count, count - s->count,
                                 sizeof *s->blocks, _Alignof(max_align_t)))) {
        return MICA_ERROR_MEMORY;
    }
    uint32_t had = s->count;
    while (s->count < count) {
        s->blocks[s->count] = micai_alloc(store->host, block_size(type), block_align(type));
        if (!s->blocks[s->count]) {
            release_blocks(store, s, type, had);
            return MICA_ERROR_MEMORY;
        }
        s->count++;
    }
    return MICA_OK;
}

// Values never move.
static const void *follow(const micai_table *table, uint32_t column, const void *data)
{
    (void)table, (void)column, (void)data;
    return NULL;
}

static void trim(micai_store *store, micai_table *table, uint32_t column, uint32_t rows)
{
    const micai_type *type = type_of(table, column);
    void **outside = micai_layout_outside(&table->layout, column);
    stable *s = *outside;
    if (!s) {
        return;
    }
    uint32_t shift = micai_stable_shift(type->info.size);
    release_blocks(store, s, type,
                   (uint32_t)(((uint64_t)rows + (UINT32_C(1) << shift) - 1) >> shift));
    if (rows == 0) {
        micai_array_drop(store->host, &s->blocks, &s->capacity, sizeof *s->blocks,
                         _Alignof(max_align_t));
        micai_release(store->host, s, sizeof *s, _Alignof(stable));
        *outside = NULL;
    }
}

static bool holds(const micai_table *table, uint32_t column, const void *data, size_t size)
{
    const stable *s = stable_of(table, column);
    uintptr_t begin = (uintptr_t)data;
    bool held = false;
    for (uint32_t i = 0; s && !held && i < s->count; i++) {
        uintptr_t block = (uintptr_t)s->blocks[i];
        held = begin < block + block_size(type_of(table, column)) && block < begin + size;
    }
    return held;
}

static mica_result validate(micai_store *store, const micai_table *table, uint32_t column)
{
    const stable *s = stable_of(table, column);
    uint32_t shift = micai_stable_shift(type_of(table, column)->info.size);
    uint32_t rows = s ? s->count << shift : 0;
    return rows >= table->capacity && (!s || s->count <= s->capacity)
               ? MICA_OK
               : micai_fail_invariant(store->host, "P17", "'%s' has too few blocks",
                                      type_of(table, column)->info.name);
}

// Rows of such a table never move: removing one leaves a hole. So there is no `move`.
const micai_kind micai_kind_stable = {
    .name = "stable",
    .outside = true,
    .describe = describe,
    .read = read_span,
    .at = micai_stable_at,
    .touch = micai_paged_touch,
    .construct = micai_paged_construct,
    .destruct = micai_paged_destruct,
    .load = micai_paged_load,
    .replace = micai_paged_replace,
    .take = micai_paged_take,
    .give = micai_paged_give,
    .reserve = reserve,
    .follow = follow,
    .trim = trim,
    .holds = holds,
    .validate = validate,
};
