// Gathers values and writes them back. gather_internal.h has the contract.
#include "query/gather_internal.h"

#include "base/canary.h"
#include "query/candidates_internal.h"
#include "query/segment_internal.h"

// How to find the values of a term row by row.
typedef struct source {
    mica_world *world;
    const char *call; // call that needs the values
    micai_block *block;
    const micai_term *term;
    uint64_t bit;                // bit of the term in masks
    const micai_pool *pool;      // NULL: the values are in columns
    bool same_rows;              // row numbers of the block are those of the pool
    const mica_view_type *entry; // directory entry of columns; NULL: use the general path
} source;

static source open_source(const micai_walk *walk, uint32_t t, const char *call)
{
    const micai_query *query = walk->query;
    micai_block *block = walk->memory;
    source from = {.world = block->world,
                   .call = call,
                   .block = block,
                   .term = &query->terms[t],
                   .bit = UINT64_C(1) << t};
    const micai_state *state = from.world->state;
    if (query->sparse >> t & 1) {
        from.pool = micai_term_pool(state, query, t);
        from.same_rows =
            from.pool && !block->table && micai_candidates_are_rows_of(walk, from.pool);
    } else {
        from.entry = micai_directory_entry(&state->store.directory, from.term->type->info.type);
    }
    return from;
}

static inline uint32_t row_of(const micai_block *block, uint32_t i)
{
    return block->run ? block->first + i : micai_block_rows(block)[i];
}

// Returns the pool row of row `i` of the block.
static inline uint32_t pool_row_of(const source *from, uint32_t i)
{
    const micai_block *block = from->block;
    return from->same_rows ? row_of(block, i)
                           : micai_pool_row(from->pool, mica_entity_slot(block->ids[i]));
}

// Finds the pool rows of all rows of the block, once.
static const uint32_t *find_pool_rows(const source *from)
{
    micai_block *block = from->block;
    uint32_t *pool_rows = micai_block_pool_rows(block, from->term);
    for (uint32_t i = 0; !(block->located & from->bit) && i < block->count; i++) {
        pool_rows[i] = pool_row_of(from, i);
    }
    block->located |= from->bit;
    return pool_rows;
}

static inline const micai_record *record_of(const source *from, uint32_t i)
{
    return micai_slots_at(&from->world->state->slots, mica_entity_slot(from->block->ids[i]));
}

static micai_cell cell_of(const source *from, uint32_t i)
{
    if (from->pool) {
        return micai_pool_cell(from->pool, pool_row_of(from, i));
    }
    micai_row row = micai_row_of(&from->world->state->store, record_of(from, i));
    uint32_t column = micai_table_column(micai_row_table(row), from->term->type->number);
    return micai_row_cell(row, column);
}

// Returns true if a write stamps ticks. Only mica_touch() stamps a MICA_TOUCH term.
static bool writes_ticks(const source *from, bool write)
{
    return write && !from->term->touch;
}

// Returns the address of `count` values that lie side by side. Stamps them if they are to be
// written.
static void *open_cells(const source *from, micai_cell cell, uint32_t count, bool write)
{
    if (writes_ticks(from, write)) {
        micai_segment_touch(from->world, cell, count);
    }
    return micai_table_at(cell);
}

// Returns the address of one value. Stamps it if it is to be written.
static inline void *open_value(const source *from, uint32_t i, bool write)
{
    if (from->entry) {
        uint32_t where = record_of(from, i)->where;
        mica_view_values *values = mica_view_find(from->entry, where);
        if (write ? values->tick != NULL : values->data != NULL) {
            if (writes_ticks(from, write)) {
                (void)mica_view_open(values, from->world->view.tick);
            }
            return values->data + mica_view_offset(where, from->entry->size);
        }
    }
    return open_cells(from, cell_of(from, i), 1, write);
}

// In place

// Returns the first pool row of a term if the pool rows of the block are consecutive. Returns
// MICAI_INDEX_NONE otherwise.
static uint32_t find_first_pool_row(const source *from)
{
    const micai_block *block = from->block;
    if (from->same_rows) {
        return block->run ? block->first : MICAI_INDEX_NONE;
    }
    const uint32_t *pool_rows = find_pool_rows(from);
    bool run = (block->consecutive & from->bit) ||
               micai_count_consecutive(pool_rows, block->count) == block->count;
    return run ? pool_rows[0] : MICAI_INDEX_NONE;
}

// Returns all values if they lie side by side, for reading or writing. Returns NULL otherwise.
static void *open_run(const source *from, bool write)
{
    const micai_block *block = from->block;
    if (from->pool) {
        uint32_t first = find_first_pool_row(from);
        if (first == MICAI_INDEX_NONE || micai_pool_span(from->pool, first) < block->count) {
            return NULL;
        }
        if (writes_ticks(from, write)) {
            micai_pool_stamp((micai_pool *)from->pool, first, block->count, from->world->view.tick);
        }
        return micai_pool_value(from->pool, first);
    }
    if (!block->run || !block->table) {
        return NULL;
    }
    const micai_cell cell = cell_of(from, 0);
    bool whole = micai_table_kind(cell.table, cell.column)->read(cell).count >= block->count;
    return whole ? open_cells(from, cell, block->count, write) : NULL;
}

// Gathered

// Returns the rows of the values if they are in one table. Its table is NULL if they cannot be
// accessed like this.
static micai_column_rows find_rows(const source *from)
{
    const micai_block *block = from->block;
    if (from->pool) {
        const micai_cell cell = micai_pool_cell(from->pool, 0);
        return micai_segment_column_rows(cell.table, cell.column, find_pool_rows(from),
                                         block->count);
    }
    if (!block->table || block->run) {
        return (micai_column_rows){0};
    }
    uint32_t column = micai_table_column(block->table, from->term->type->number);
    return micai_segment_column_rows(block->table, column, micai_block_rows(block), block->count);
}

// Returns the array of the original addresses of gathered values.
static void **addresses_of(const source *from)
{
    return (void **)(void *)((unsigned char *)from->block + from->term->locations_offset);
}

static void find_addresses(const source *from, void **addresses, bool write)
{
    for (uint32_t i = 0; i < from->block->count; i++) {
        addresses[i] = open_value(from, i, write);
    }
}

static void copy_addressed(void *const *addresses, uint32_t count, unsigned char *values,
                           uint32_t size, bool write_back)
{
    for (uint32_t i = 0; i < count; i++) {
        unsigned char *value = values + (size_t)i * size;
        micai_copy_bytes(write_back ? addresses[i] : value, write_back ? value : addresses[i],
                         size);
    }
}

// Split values

static bool is_split(const micai_walk *walk, const source *from)
{
    return (walk->query->split & from->bit) != 0;
}

static void load_split(const source *from, unsigned char *values, bool write, bool again)
{
    for (uint32_t i = 0; i < from->block->count; i++) {
        micai_cell cell = cell_of(from, i);
        if (writes_ticks(from, write)) {
            micai_segment_touch(from->world, cell, 1);
        }
        if (!again) { // a value without hooks; cannot fail
            micai_table_kind(cell.table, cell.column)
                ->load(&from->world->state->store, cell, values + (size_t)i * from->term->size);
        }
    }
}

static void store_split(const source *from, unsigned char *values)
{
    if (MICAI_CANARY("query.split")) {
        return;
    }
    for (uint32_t i = 0; i < from->block->count; i++) {
        micai_cell cell = cell_of(from, i); // load_split() has stamped it, unless it is MICA_TOUCH
        micai_table_kind(cell.table, cell.column)
            ->take(&from->world->state->store, cell, values + (size_t)i * from->term->size, 1);
    }
}

// Gathers values. `again`: they were gathered for reading, and are now to be written, too.
static void *gather(const micai_walk *walk, const source *from, bool write, bool again)
{
    const micai_block *block = from->block;
    unsigned char *values = (unsigned char *)walk->memory + from->term->values_offset;
    if (is_split(walk, from)) {
        load_split(from, values, write, again);
        return values;
    }
    const micai_column_rows rows = find_rows(from);
    if (rows.table && writes_ticks(from, write)) {
        micai_segment_stamp_rows(from->world, &rows);
    } else if (!rows.table) {
        find_addresses(from, addresses_of(from), write);
    }
    if (rows.table && !again) {
        micai_segment_copy_rows(&rows, values, false);
    } else if (!again) {
        copy_addressed(addresses_of(from), block->count, values, from->term->size, false);
    }
    return values;
}

static void write_back(const micai_walk *walk, uint32_t t)
{
    const source from = open_source(walk, t, "mica_iter_next");
    unsigned char *values = walk->pointers[t];
    if (is_split(walk, &from)) {
        store_split(&from, values);
        return;
    }
    const micai_column_rows rows = find_rows(&from);
    if (rows.table) {
        micai_segment_copy_rows(&rows, values, true);
    } else {
        copy_addressed(addresses_of(&from), from.block->count, values, from.term->size, true);
    }
}

// Returns false if an optional term is missing in this segment.
static bool is_present(const micai_walk *walk, uint32_t t)
{
    const micai_block *block = walk->memory;
    return block->present >> t & 1;
}

// Returns true if the term was already accessed in this segment, for writing if needed.
static bool is_contiguous(const micai_block *block, uint32_t t, bool write)
{
    return (write ? block->contiguous & block->writable : block->contiguous) >> t & 1;
}

// Values that were gathered for writing are hidden in their storage.

static void set_hidden(micai_state *state, const micai_query *query, uint32_t t, bool hidden)
{
    const micai_type *type = query->terms[t].type;
    if (MICAI_CANARY("query.hide")) {
        return;
    }
    if (state->original) { // all that is written in a wave of systems is hidden already
        return;
    }
    if (query->sparse >> t & 1) {
        micai_pools_find(&state->pools, type->info.type)->index.view.hidden = hidden;
    } else {
        micai_directory_hide(&state->store.directory, type->number, hidden);
    }
    state->walks.gathered += hidden ? 1 : UINT32_MAX;
}

bool micai_query_walk_gathers(const micai_walk *walk, const micai_type *type)
{
    const micai_query *query = walk->query;
    const micai_block *block = micai_query_is_filtered(query) ? walk->memory : NULL;
    bool gathers = false;
    for (uint64_t rest = block ? block->write_back : 0; rest != 0; rest &= rest - 1) {
        gathers = gathers || query->terms[micai_bits_lowest(rest)].type == type;
    }
    return gathers;
}

// Returns another walk that reads values of a type, or NULL.
static const micai_walk *find_reader(const micai_walk *walk, const micai_state *state,
                                     const micai_type *type)
{
    const micai_walk *other = state->walks.newest;
    while (other && (other == walk || !micai_query_reads(other->query, type))) {
        other = other->older;
    }
    return other;
}

// Values with hooks must not be in two places. Values that another iteration reads must not be
// gathered for writing.
static bool may_gather(const mica_iter *it, const source *from, bool write)
{
    micai_host *host = &it->world->host;
    const mica_type_info *info = &from->term->type->info;
    if (!micai_hook_allows_byte_copy(from->term->type)) {
        micai_fail(host, MICA_ERROR_TERM,
                   "%s: values of '%.80s' have hooks, and do not lie side by side here; use %s",
                   from->call, info->name, write ? "mica_write_row" : "mica_read_row");
        return false;
    }
    const micai_walk *other =
        write ? find_reader(it->walk, it->world->state, from->term->type) : NULL;
    if (other) {
        uint64_t bit = UINT64_C(1) << (from->term - it->walk->query->terms);
        micai_fail(host, MICA_ERROR_TERM,
                   "%s: values of '%.80s' do not lie side by side here, and the iteration of "
                   "%s%.80s%s reaches them, too; use %s",
                   from->call, info->name, other->name ? "'" : "",
                   other->name ? other->name : "a query", other->name ? "'" : "",
                   is_split(it->walk, from)        ? "mica_load_row and mica_store_row"
                   : from->block->contiguous & bit ? "mica_read_row and mica_write_row"
                                                   : "mica_write_row");
    }
    return !other;
}

// Sets where the values of a term are in this segment.
static void *set_values(micai_walk *walk, uint32_t t, void *values, bool write)
{
    micai_block *block = walk->memory;
    uint64_t bit = UINT64_C(1) << t;
    walk->pointers[t] = values;
    block->contiguous |= bit;
    block->writable |= write ? bit : 0;
    return values;
}

void *micai_gather_values(const mica_iter *it, uint32_t t, bool write, const char *call)
{
    micai_walk *walk = it->walk;
    micai_block *block = walk->memory;
    uint64_t bit = UINT64_C(1) << t;
    if (!is_present(walk, t)) {
        return NULL;
    }
    if (is_contiguous(block, t, write)) {
        return walk->pointers[t];
    }
    source from = open_source(walk, t, call);
    void *run = is_split(walk, &from) ? NULL : open_run(&from, write);
    if (run) {
        return set_values(walk, t, run, write);
    }
    unsigned char *copies = (unsigned char *)walk->memory + from.term->values_offset;
    bool again = (block->contiguous & bit) && walk->pointers[t] == copies;
    if (!may_gather(it, &from, write)) {
        return NULL;
    }
    void *values = set_values(walk, t, gather(walk, &from, write, again), write);
    if (write) {
        block->write_back |= bit;
        set_hidden(it->world->state, walk->query, t, true);
    }
    return values;
}

void *micai_gather_value(const mica_iter *it, uint32_t t, uint32_t row, bool write)
{
    const micai_walk *walk = it->walk;
    micai_block *block = walk->memory;
    uint64_t bit = UINT64_C(1) << t;
    if (!is_present(walk, t)) {
        return NULL;
    }
    const char *call = write ? "mica_write_row" : "mica_read_row";
    const micai_term *term = &walk->query->terms[t];
    bool copied = walk->pointers[t] == (unsigned char *)block + term->values_offset;
    if ((block->contiguous & bit) && (copied || (block->writable & bit))) {
        unsigned char *values = micai_gather_values(it, t, write, call);
        return values ? values + (size_t)row * term->size : NULL;
    }
    source from = open_source(walk, t, call);
    return open_value(&from, row, write);
}

mica_result micai_gather_field(const mica_iter *it, uint32_t t, uint32_t offset, uint32_t size,
                               bool write, const char *call, micai_field_span *field_out)
{
    micai_walk *walk = it->walk;
    const micai_block *block = walk->memory;
    *field_out = (micai_field_span){0};
    if (!is_present(walk, t)) {
        return MICA_OK;
    }
    source from = open_source(walk, t, call);
    micai_cell cell = cell_of(&from, 0);
    const micai_kind *kind = micai_table_kind(cell.table, cell.column);
    const micai_field_span first = kind->find(cell, offset, size);
    if (!first.data) {
        return MICA_ERROR_FIELD;
    }
    bool run = block->table && block->run && kind->read(cell).count >= block->count;
    if (run && !(block->contiguous >> t & 1)) {
        if (writes_ticks(&from, write)) {
            micai_segment_touch(from.world, cell, block->count);
        }
        *field_out = first;
        return MICA_OK;
    }
    unsigned char *values = micai_gather_values(it, t, write, call);
    if (values) {
        *field_out = (micai_field_span){values + offset, from.term->size};
    }
    return MICA_OK;
}

micai_cell micai_gather_cell(const mica_iter *it, uint32_t t, uint32_t row)
{
    if (!is_present(it->walk, t)) {
        return (micai_cell){0};
    }
    source from = open_source(it->walk, t, NULL);
    return cell_of(&from, row);
}

bool micai_gather_has_copies(const mica_iter *it, uint32_t t)
{
    const micai_walk *walk = it->walk;
    const micai_block *block = walk->memory;
    return (block->contiguous >> t & 1) &&
           walk->pointers[t] == (unsigned char *)walk->memory + walk->query->terms[t].values_offset;
}

void micai_gather_touch(const mica_iter *it, uint32_t t, uint32_t row)
{
    const micai_cell cell = micai_gather_cell(it, t, row);
    if (cell.table) {
        micai_segment_touch(it->world, cell, 1);
    }
}

void micai_gather_leave(micai_walk *walk)
{
    micai_block *block = walk->memory;
    uint64_t written = block->write_back;
    for (uint64_t rest = written; rest != 0; rest &= rest - 1) {
        set_hidden(block->world->state, walk->query, micai_bits_lowest(rest), false);
    }
    if (MICAI_CANARY("query.write_back")) {
        written = 0;
    }
    for (; written != 0; written &= written - 1) {
        write_back(walk, micai_bits_lowest(written));
    }
    block->contiguous = block->write_back = block->writable = 0;
    block->located = block->consecutive = 0;
}
