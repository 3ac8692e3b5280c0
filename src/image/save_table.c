// Saving tables: their types, then their rows, some at a time, column by column.
#include <string.h>

#include "image/save_internal.h"
#include "store/table/replace.h"

// Values of a column that do not lie side by side, or not whole, or whose references are to follow.
static void convert_cells(micai_saving *s, micai_cell cell, const micai_batch *rows,
                          const micai_type *type)
{
    const micai_kind *kind = micai_table_kind(cell.table, cell.column);
    micai_arena_mark mark = micai_arena_here(&s->arena);
    s->size = 0;
    for (uint32_t done = 0; done < rows->count && !s->w->failed;) {
        cell.row = micai_batch_at(rows, done);
        micai_span span = kind->read(cell);
        uint32_t left = rows->picked ? 1 : rows->count - done;
        uint32_t some = span.data && span.count < left ? span.count : left;
        const unsigned char *values = span.data;
        if (!values) { // one by one
            some = 1;
            void *copy =
                micai_arena_alloc(s->w->host, &s->arena, type->info.size, type->info.align);
            mica_result result =
                copy ? kind->load(&s->state->store, cell, copy) : MICA_ERROR_MEMORY;
            s->w->failed = result;
            values = copy;
        }
        micai_save_convert(s, type, values, some);
        micai_arena_rewind(&s->arena, mark);
        done += some;
    }
}

static void save_cells(micai_saving *s, micai_cell cell, const micai_batch *rows,
                       const micai_type *type)
{
    const micai_kind *kind = micai_table_kind(cell.table, cell.column);
    cell.row = rows->first;
    micai_span span = kind->read(cell);
    if (span.data && span.count >= rows->count && !rows->picked) {
        micai_save_values(s->w, "values", type, span.data, rows->count);
    } else if (micai_save_described(s, type)->way == MICAI_SCHEMA_HOOKS) { // which are never cut
        micai_write(s->w, begin_list, "values", rows->count);
        for (uint32_t i = 0; i < rows->count; i++) {
            cell.row = micai_batch_at(rows, i);
            micai_save_by_hook(s, type, micai_table_at(cell));
        }
        micai_write(s->w, end, "values");
    } else {
        convert_cells(s, cell, rows, type);
        micai_save_converted(s, type, rows->count);
    }
}

static void save_row_ticks(micai_saving *s, micai_cell cell, const micai_batch *rows)
{
    uint64_t ticks[MICAI_IMAGE_BATCH];
    for (uint32_t added = 0; added < 2; added++) {
        for (uint32_t i = 0; i < rows->count; i++) {
            const micai_ticks both =
                micai_ticks_get((micai_cell){cell.table, cell.column, micai_batch_at(rows, i)});
            ticks[i] = added ? both.added : both.changed;
        }
        micai_write(s->w, numbers, added ? "added" : "changed", ticks, rows->count);
    }
}

static void save_flags(micai_saving *s, micai_cell cell, const micai_batch *rows)
{
    unsigned char flags[MICAI_IMAGE_BATCH];
    cell.row = rows->first;
    const unsigned char *all = micai_toggle_flags(cell);
    for (uint32_t i = 0; i < rows->count; i++) {
        flags[i] = all[micai_batch_at(rows, i) - rows->first];
    }
    micai_write(s->w, flags, "disabled", flags, rows->count);
}

static void save_column(micai_saving *s, micai_cell cell, const micai_batch *rows)
{
    const micai_type *type = cell.table->layout.columns[cell.column].type;
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, type, "type", s->w->numbers[type->number]);
    micai_write(s->w, number, "tick", micai_table_own_tick(cell.table, cell.column, rows->first));
    micai_write(s->w, number, "swept", micai_table_sweep_tick(cell.table, cell.column));
    save_cells(s, cell, rows, type);
    if (type->info.toggle) {
        save_flags(s, cell, rows);
    }
    if (type->info.row_stamps) {
        save_row_ticks(s, cell, rows);
    }
    micai_write(s->w, end, NULL);
}

// The column of owners, of a table of facets; 0: it has none.
static uint32_t owners_in(const micai_saving *s, const micai_table *table)
{
    return table->facet ? micai_table_column(table, s->state->registry.hidden) : 0;
}

static void save_owners(micai_saving *s, micai_cell cell, const micai_batch *rows)
{
    mica_entity owners[MICAI_IMAGE_BATCH];
    for (uint32_t i = 0; i < rows->count; i++) {
        cell.row = micai_batch_at(rows, i);
        memcpy(&owners[i], micai_table_at(cell), sizeof owners[i]);
        owners[i] = micai_save_handle(s, owners[i]);
    }
    micai_write(s->w, entities, "owners", owners, rows->count);
}

// Whose rows they are: written from where they lie, unless they have other handles in the image.
static void save_ids(micai_saving *s, const micai_table *table, const micai_batch *rows)
{
    mica_entity entities[MICAI_IMAGE_BATCH];
    if (!s->part) {
        micai_write(s->w, entities, "entities", micai_table_entities(table, rows->first),
                    rows->count);
        return;
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        entities[i] = micai_save_handle(s, micai_table_entity(table, micai_batch_at(rows, i)));
    }
    micai_write(s->w, entities, "entities", entities, rows->count);
}

static void save_batch(micai_saving *s, micai_table *table, const micai_batch *rows)
{
    uint32_t owners = owners_in(s, table);
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, number, "count", rows->count);
    micai_write(s->w, number, "tick", micai_table_own_tick(table, 0, rows->first));
    save_ids(s, table, rows);
    if (owners) {
        save_owners(s, (micai_cell){table, owners, rows->first}, rows);
    }
    micai_write(s->w, begin_list, "columns",
                (uint32_t)table->layout.column_count - 1 - (owners > 0));
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        if (c != owners) {
            save_column(s, (micai_cell){table, c, rows->first}, rows);
        }
    }
    micai_write(s->w, end, "columns");
    micai_write(s->w, end, NULL);
}

static bool is_in(const micai_saving *s, const void *of, uint32_t number)
{
    return micai_excerpt_has_row(s->part, of, number);
}

// The next rows that come at once: false, there are none.
static bool next_rows(micai_saving *s, const micai_table *table, uint32_t most, micai_batch *rows)
{
    rows->count = 0;
    while (rows->next < table->count && rows->count == 0) {
        uint32_t count = micai_table_stretch(table, rows->next);
        micai_save_pick(s, table, count < most ? count : most, is_in, rows);
    }
    return rows->count > 0;
}

static void save_rows(micai_saving *s, micai_table *table)
{
    uint32_t largest = 0;
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        uint32_t size = micai_column_value_size(&table->layout.columns[c]);
        largest = size > largest ? size : largest;
    }
    uint32_t most = micai_image_rows(largest);
    uint32_t batches = 0;
    for (micai_batch rows = {0}; next_rows(s, table, most, &rows);) {
        batches++;
    }
    micai_write(s->w, begin_list, "rows", batches);
    for (micai_batch rows = {0}; !s->w->failed && next_rows(s, table, most, &rows);) {
        save_batch(s, table, &rows);
    }
    micai_write(s->w, end, "rows");
}

static void save_table(micai_saving *s, micai_table *table)
{
    uint32_t types = 0;
    uint32_t hidden = s->state->registry.hidden;
    for (uint32_t i = 0; i < table->word_count; i++) {
        types += micai_bits_ones(table->words[i]);
    }
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, begin_list, "types", types - table->facet);
    for (uint32_t n = micai_bits_next(table->words, table->word_count, 0); n != MICAI_BITS_END;
         n = micai_bits_next(table->words, table->word_count, n + 1)) {
        if (n != hidden) {
            micai_write(s->w, type, NULL, s->w->numbers[n]);
        }
    }
    micai_write(s->w, end, "types");
    micai_write(s->w, flag, "facets", table->facet);
    micai_write(s->w, flag, "idle", table->idle);
    save_rows(s, table);
    micai_write(s->w, end, NULL);
}

// Of a part, tables that have rows in it.
static bool is_saved(const micai_saving *s, const micai_table *table)
{
    return !s->part || micai_excerpt_rows(s->part, table) > 0;
}

void micai_save_tables(micai_saving *s)
{
    const micai_store *store = &s->state->store;
    uint32_t count = 0;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        count += is_saved(s, store->tables.items[id]);
    }
    micai_write(s->w, begin_section, "tables");
    micai_write(s->w, number, "settled", s->part ? 0 : store->settled);
    micai_write(s->w, number, "young", s->part ? 0 : store->young);
    micai_write(s->w, begin_list, "tables", count);
    for (uint32_t id = 0; id < store->tables.count && !s->w->failed; id++) {
        if (is_saved(s, store->tables.items[id])) {
            save_table(s, store->tables.items[id]);
        }
    }
    micai_write(s->w, end, "tables");
    micai_write(s->w, end_section, "tables");
}
