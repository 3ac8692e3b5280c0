// Digests of columns, strip by strip. digest.h has the contract.
#include "store/table/digest.h"

#include "base/number.h"

void micai_digest_ticks(micai_hash_stream *digest, const micai_table *table, uint32_t column)
{
    for (uint32_t row = 0; row < table->count;) {
        uint64_t tick = micai_table_tick(table, column, row, &row);
        micai_hash_put_numbers(digest, &tick, sizeof tick, 1);
    }
}

// Adds a text up to the zero that ends it, or all of its space.
static void put_text(micai_hash_stream *digest, const unsigned char *bytes, uint32_t size)
{
    uint32_t used = micai_value_count_text(bytes, size);
    micai_hash_put(digest, bytes, used < size ? used + 1 : size);
}

// Adds a character of a text that is split into its characters, each in a strip, unless the text has
// ended in one of the strips before.
static void put_letter(micai_hash_stream *digest, const micai_table *table, uint32_t strip,
                       uint32_t row, uint32_t before)
{
    unsigned char letter = 1;
    for (uint32_t s = strip - before; letter && s <= strip; s++) {
        letter = *(const unsigned char *)micai_strip_span(table, s, row).data;
    }
    micai_hash_put(digest, &letter, 1);
}

// Adds a run of `count` adjacent cells.
static void put_run(micai_hash_stream *digest, const micai_table *table, uint32_t strip,
                    uint32_t row, uint32_t count, const micai_value_run *run)
{
    const micai_strip *cells = &table->layout.strips[strip];
    const unsigned char *data = micai_strip_span(table, strip, row).data;
    uint32_t size = run->end - run->begin;
    if (!run->text && size == cells->size) {
        micai_hash_put_numbers(digest, data, run->unit, (size_t)count * (size / run->unit));
        return;
    }
    data += run->begin - cells->offset;
    for (uint32_t i = 0; i < count; i++, data += cells->size) {
        if (!run->text) {
            micai_hash_put_numbers(digest, data, run->unit, size / run->unit);
        } else if (run->before == 0) {
            put_text(digest, data, size);
        } else {
            put_letter(digest, table, strip, row + i, run->before);
        }
    }
}

// Returns the number of rows from `row` on that are all holes, or all not.
static uint32_t count_alike(const micai_table *table, uint32_t row, uint32_t count)
{
    if (!table->index || table->index->hole_count == 0) {
        return count;
    }
    bool hole = micai_is_hole(micai_table_entity(table, row));
    uint32_t alike = 1;
    while (alike < count && micai_is_hole(micai_table_entity(table, row + alike)) == hole) {
        alike++;
    }
    return alike;
}

static void put_rows(micai_hash_stream *digest, const micai_table *table, uint32_t strip,
                     const micai_value_run *run)
{
    bool ids = strip == 0;
    for (uint32_t row = 0, count; row < table->count; row += count) {
        uint32_t adjacent = micai_strip_span(table, strip, row).count;
        count = micai_smaller(adjacent, table->count - row);
        count = ids ? count : count_alike(table, row, count);
        if (ids || !micai_is_hole(micai_table_entity(table, row))) {
            put_run(digest, table, strip, row, count, run);
        }
    }
}

void micai_digest_cells(micai_hash_stream *digest, const micai_registry *types,
                        const micai_table *table, uint32_t column)
{
    const micai_column *in = &table->layout.columns[column];
    for (uint32_t s = 0; s < in->strip_count; s++) {
        const micai_strip *cells = &table->layout.strips[in->strip + s];
        uint32_t end = cells->offset + cells->size;
        micai_value_run run = {.begin = cells->offset, .end = end, .unit = cells->size};
        if (!in->type || cells->ticks || cells->flags) {
            put_rows(digest, table, in->strip + s, &run);
            continue;
        }
        for (; micai_value_next_run(types, in->type, run.begin, end, &run); run.begin = run.end) {
            put_rows(digest, table, in->strip + s, &run);
        }
    }
}
