// Gathering values and writing them back. gather_internal.h has the contract.
#include "query/gather_internal.h"

#include <assert.h>

#include "base/canary.h"
#include "query/segment.h"

// Where the values of a term are, for one row after the other.
typedef struct source {
    mica_world *world;
    const char *call; // that wants them
    const micai_block *block;
    const micai_term *term;
    micai_pool *pool;            // NULL: in columns
    bool known;                  // rows of the block are places in the pool
    const mica_view_type *entry; // of columns, in the directory; NULL: the long way
} source;

// Are the rows places in a pool?
static bool is_known(const micai_walk *walk, const micai_pool *pool)
{
    const micai_block *block = walk->memory;
    return !block->table && (pool == walk->driver || (walk->group && pool->owner == walk->group));
}

static source open_source(const micai_walk *walk, uint32_t t, const char *call)
{
    const micai_query *query = walk->query;
    const micai_block *block = walk->memory;
    source from = {.world = block->world, .call = call, .block = block, .term = &query->terms[t]};
    const micai_state *state = from.world->state;
    const micai_type *type = from.term->type;
    if (query->loose >> t & 1) {
        from.pool = micai_pools_find(&state->pools, type->info.type);
        from.known = from.pool && is_known(walk, from.pool);
    } else {
        from.entry = micai_directory_entry(&state->store.directory, type->info.type);
    }
    return from;
}

static inline uint32_t row_of(const micai_block *block, uint32_t i)
{
    return block->run ? block->first + i : micai_mixed_rows(block)[i];
}

static inline uint32_t place_of(const source *from, uint32_t i)
{
    return from->known ? row_of(from->block, i)
                       : micai_pool_row(from->pool, mica_entity_slot(from->block->ids[i]));
}

// The places of all rows in the pool of a term, which are looked for once.
static const uint32_t *find_places(micai_walk *walk, const source *from)
{
    micai_block *block = walk->memory;
    uint32_t *places = micai_mixed_places(block, from->term);
    uint64_t bit = UINT64_C(1) << (from->term - walk->query->terms);
    for (uint32_t i = 0; !(block->placed & bit) && i < block->count; i++) {
        places[i] = place_of(from, i);
    }
    block->placed |= bit;
    return places;
}

static inline const micai_record *record_of(const source *from, uint32_t i)
{
    return micai_slots_at(&from->world->state->slots, mica_entity_slot(from->block->ids[i]));
}

static micai_cell cell_of(const source *from, uint32_t i)
{
    micai_row row = micai_row_of(&from->world->state->store, record_of(from, i));
    uint32_t column = micai_table_column(micai_row_table(row), from->term->type->number);
    return micai_row_cell(row, column);
}

// Puts the tick of a write on values in a table, unless that is for mica_touch() to say.
static void stamp_cells(const source *from, micai_cell cell, uint32_t count)
{
    if (!from->term->touch) {
        micai_table_kind(cell.table, cell.column)->touch(cell, count, from->world->view.tick);
    }
}

// The long way to values in a table, to be written or read.
static void *open_cell(const source *from, uint32_t i, uint32_t count, bool write)
{
    micai_cell cell = cell_of(from, i);
    if (write) {
        stamp_cells(from, cell, count);
    }
    return micai_table_at(cell);
}

// A value where it lies; writing puts the tick on it, as above.
static inline void *open_value(const source *from, uint32_t i, bool write)
{
    uint64_t tick = from->world->view.tick;
    bool stamps = write && !from->term->touch;
    if (from->pool) {
        uint32_t place = place_of(from, i);
        if (stamps) {
            micai_pool_stamp(from->pool, place, 1, tick);
        }
        return micai_pool_value(from->pool, place);
    }
    if (from->entry) {
        uint32_t where = record_of(from, i)->where;
        mica_view_spot *spot = mica_view_find(from->entry, where);
        if (write ? spot->tick != NULL : spot->data != NULL) {
            if (stamps) {
                (void)mica_view_open(spot, tick);
            }
            return spot->data + mica_view_offset(where, from->entry->size);
        }
    }
    return open_cell(from, i, 1, write);
}

// Side by side

// Do all rows lie side by side?
static bool is_direct(micai_walk *walk, const source *from)
{
    const micai_block *block = from->block;
    uint32_t count = block->count;
    if (!from->pool) {
        if (!block->table || !block->run) {
            return false;
        }
        micai_cell cell = cell_of(from, 0);
        return micai_table_kind(cell.table, cell.column)->read(cell).count >= count;
    }
    if (from->known) {
        return block->run && micai_pool_span(from->pool, block->first) >= count;
    }
    const uint32_t *places = find_places(walk, from);
    bool straight = block->straight >> (from->term - walk->query->terms) & 1;
    return (straight || micai_mixed_run(places, count) == count) &&
           micai_pool_span(from->pool, places[0]) >= count;
}

// The first of as many values as the block has rows, all to be written or read.
static void *open_places(const micai_block *block, const micai_term *term, micai_pool *pool,
                         uint32_t first, bool write)
{
    if (write && !term->touch) {
        micai_pool_stamp(pool, first, block->count, block->world->view.tick);
    }
    return micai_pool_value(pool, first);
}

static void *open_all(const source *from, bool write)
{
    return from->pool ? open_places(from->block, from->term, from->pool, place_of(from, 0), write)
                      : open_cell(from, 0, from->block->count, write);
}

// Brought together

static void **homes_of(const micai_walk *walk, const micai_term *term)
{
    return (void **)(void *)((unsigned char *)walk->memory + term->homes);
}

// Where each row's value is, so that it can be written back.
static void find_homes(const source *from, void **homes, bool write)
{
    for (uint32_t i = 0; i < from->block->count; i++) {
        homes[i] = open_value(from, i, write);
    }
}

static void bring(unsigned char *values, void *const *homes, uint32_t count, uint32_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        micai_copy_bytes(values + (size_t)i * size, homes[i], size);
    }
}

// From a pool or back there, of values of a size that the compiler knows: most have one of a few.
static inline void copy_sized(const mica_view_pool *pool, const uint32_t *places, uint32_t count,
                              unsigned char *values, uint32_t size, bool back)
{
    uint32_t shift = size <= 16 ? MICAI_ROW_SHIFT : pool->block_shift;
    for (uint32_t i = 0; i < count; i++) {
        unsigned char *home = pool->blocks[places[i] >> shift].data +
                              (size_t)(places[i] & ((UINT32_C(1) << shift) - 1)) * size;
        unsigned char *value = values + (size_t)i * size;
        memcpy(back ? home : value, back ? value : home, size);
    }
}

static void copy_places(const micai_pool *pool, const uint32_t *places, uint32_t count,
                        unsigned char *values, bool back)
{
    const mica_view_pool view = pool->index.view; // that need not be read again for every row
    switch (view.size) {
    case 4: copy_sized(&view, places, count, values, 4, back); break;
    case 8: copy_sized(&view, places, count, values, 8, back); break;
    case 12: copy_sized(&view, places, count, values, 12, back); break;
    case 16: copy_sized(&view, places, count, values, 16, back); break;
    default: copy_sized(&view, places, count, values, view.size, back);
    }
}

static void stamp_places(micai_pool *pool, const uint32_t *places, uint32_t count, uint64_t tick)
{
    for (uint32_t i = 0; i < count; i++) {
        micai_pool_stamp(pool, places[i], 1, tick);
    }
}

static void take_back(const unsigned char *values, void *const *homes, uint32_t count,
                      uint32_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        micai_copy_bytes(homes[i], values + (size_t)i * size, size);
    }
}

// The rows of a block, if they are of one table and a term's values are reached by row there; nothing
// otherwise.
static micai_rows rows_of(const micai_walk *walk, const micai_term *term)
{
    const micai_block *block = walk->memory;
    bool loose = walk->query->loose >> (term - walk->query->terms) & 1;
    return block->table && !loose && !block->run
               ? micai_segment_rows(block->table, term->type, micai_mixed_rows(block), block->count)
               : (micai_rows){0};
}

// Values in pieces are put together, and taken apart again.

static bool is_split(const micai_walk *walk, const micai_term *term)
{
    return walk->query->split >> (term - walk->query->terms) & 1;
}

static void join(const source *from, unsigned char *values, bool write, bool again)
{
    for (uint32_t i = 0; i < from->block->count; i++) {
        micai_cell cell = cell_of(from, i);
        if (write) {
            stamp_cells(from, cell, 1);
        }
        if (!again) { // it has no hooks, and cannot fail
            micai_table_kind(cell.table, cell.column)
                ->load(&from->world->state->store, cell, values + (size_t)i * from->term->size);
        }
    }
}

static void part(const source *from, unsigned char *values)
{
    if (MICAI_CANARY("query.part")) {
        return;
    }
    for (uint32_t i = 0; i < from->block->count; i++) {
        micai_cell cell = cell_of(from, i); // that was stamped when it was opened, or will not be
        micai_table_kind(cell.table, cell.column)
            ->take(&from->world->state->store, cell, values + (size_t)i * from->term->size, 1);
    }
}

static void *gather(micai_walk *walk, const source *from, bool write, bool again)
{
    const micai_term *term = from->term;
    unsigned char *values = (unsigned char *)walk->memory + term->values;
    if (is_split(walk, term)) {
        join(from, values, write, again);
        return values;
    }
    void **homes = homes_of(walk, term);
    const micai_rows rows = rows_of(walk, term);
    if (rows.table) {
        if (write && !term->touch) {
            micai_segment_stamp_rows(from->world, &rows);
        }
        if (!again) {
            micai_segment_copy_rows(&rows, values, false);
        }
        return values;
    }
    if (from->pool) {
        const uint32_t *places = find_places(walk, from);
        if (write && !term->touch) {
            stamp_places(from->pool, places, from->block->count, from->world->view.tick);
        }
        if (!again) {
            copy_places(from->pool, places, from->block->count, values, false);
        }
        return values;
    }
    find_homes(from, homes, write);
    if (!again) {
        bring(values, homes, from->block->count, term->size);
    }
    return values;
}

// Whether values that may be missing are there.
static bool is_present(const micai_walk *walk, uint32_t t)
{
    const micai_block *block = walk->memory;
    return micai_query_use(walk->query->terms[t].access).needed || (block->present >> t & 1);
}

// Was the term reached before, as much as is needed now?
static bool is_reached(const micai_block *block, uint32_t t, bool write)
{
    return (write ? block->gathered & block->touched : block->gathered) >> t & 1;
}

// While values are brought together to be written, they are nowhere else.

static void hide(micai_state *state, const micai_query *query, uint32_t t, bool hidden)
{
    const micai_type *type = query->terms[t].type;
    if (MICAI_CANARY("query.hide")) {
        return;
    }
    if (query->loose >> t & 1) {
        micai_pools_find(&state->pools, type->info.type)->index.view.hidden = hidden;
    } else {
        micai_directory_hide(&state->store.directory, type->number, hidden);
    }
    state->walks.gathered += hidden ? 1 : UINT32_MAX;
}

bool micai_query_gathers(const micai_walk *walk, const micai_type *type)
{
    const micai_query *query = walk->query;
    const micai_block *block = micai_query_goes_by_rows(query) ? walk->memory : NULL;
    bool gathers = false;
    for (uint64_t rest = block ? block->written : 0; rest != 0; rest &= rest - 1) {
        gathers = gathers || query->terms[micai_bits_lowest(rest)].type == type;
    }
    return gathers;
}

// Another walk that reads what this one is about to take; NULL: none.
static const micai_walk *find_reader(const micai_walk *walk, const micai_state *state,
                                     const micai_type *type)
{
    const micai_walk *other = state->walks.newest;
    while (other && (other == walk || !micai_query_reads(other->query, type))) {
        other = other->older;
    }
    return other;
}

// Values that end, or are copied or moved, by hooks are never in two places. Those that are to be
// written are not taken from another iteration.
static bool may_gather(const mica_iter *it, const source *from, bool write)
{
    micai_host *host = &it->world->host;
    const mica_type_info *info = &from->term->type->info;
    if (!micai_hook_can_lend(from->term->type)) {
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
                   is_split(it->walk, from->term) ? "mica_load and mica_set"
                   : from->block->gathered & bit  ? "mica_read_row and mica_write_row"
                                                  : "mica_write_row");
    }
    return !other;
}

// Of a stretch of the driver it is known where the values of a sparse term begin, which lie side by side. NULL:
// that is not known of this term, or the block is no stretch of the driver.
static void *open_stretch(const micai_walk *walk, uint32_t t, bool write)
{
    const micai_block *block = walk->memory;
    const micai_term *term = &walk->query->terms[t];
    bool straight = block->straight >> t & 1;
    if (block->sieved > 0 || block->table || !(walk->query->loose >> t & 1)) {
        return NULL;
    }
    micai_pool *pool = micai_pools_find(&block->world->state->pools, term->type->info.type);
    uint32_t first = straight ? micai_mixed_places(block, term)[0] : block->first;
    assert(pool); // what drives, or was looked into
    bool known = (straight || is_known(walk, pool)) && micai_pool_span(pool, first) >= block->count;
    return known ? open_places(block, term, pool, first, write) : NULL;
}

// The values of a term are at these from now on.
static void *show_values(micai_walk *walk, uint32_t t, void *values, bool write)
{
    micai_block *block = walk->memory;
    uint64_t bit = UINT64_C(1) << t;
    walk->pointers[t] = values;
    block->gathered |= bit;
    block->touched |= write ? bit : 0;
    return values;
}

void *micai_gather_reach(const mica_iter *it, uint32_t t, bool write, const char *call)
{
    micai_walk *walk = it->walk;
    micai_block *block = walk->memory;
    uint64_t bit = UINT64_C(1) << t;
    if (!is_present(walk, t)) {
        return NULL;
    }
    if (is_reached(block, t, write)) {
        return walk->pointers[t];
    }
    void *stretch = open_stretch(walk, t, write);
    if (stretch) {
        return show_values(walk, t, stretch, write);
    }
    source from = open_source(walk, t, call);
    unsigned char *together = (unsigned char *)walk->memory + from.term->values;
    bool again = (block->gathered & bit) && walk->pointers[t] == together;
    bool direct = !is_split(walk, from.term) && is_direct(walk, &from);
    if (!direct && !may_gather(it, &from, write)) {
        return NULL;
    }
    void *values = direct ? open_all(&from, write) : gather(walk, &from, write, again);
    show_values(walk, t, values, write);
    if (write && !direct) {
        block->written |= bit;
        hide(it->world->state, walk->query, t, true);
    }
    return values;
}

void *micai_gather_reach_row(const mica_iter *it, uint32_t t, uint32_t row, bool write)
{
    const micai_walk *walk = it->walk;
    micai_block *block = walk->memory;
    uint64_t bit = UINT64_C(1) << t;
    if (!is_present(walk, t)) {
        return NULL;
    }
    const char *call = write ? "mica_write_row" : "mica_read_row";
    const micai_term *term = &walk->query->terms[t];
    bool copied = walk->pointers[t] == (unsigned char *)block + term->values;
    if ((block->gathered & bit) && (copied || (block->touched & bit))) {
        unsigned char *values = micai_gather_reach(it, t, write, call); // this one is there, too
        return values ? values + (size_t)row * term->size : NULL;
    }
    source from = open_source(walk, t, call);
    return open_value(&from, row, write);
}

mica_result micai_gather_find_part(const mica_iter *it, uint32_t t, uint32_t offset, uint32_t size,
                                   bool write, const char *call, micai_part *part_out)
{
    micai_walk *walk = it->walk;
    const micai_block *block = walk->memory;
    *part_out = (micai_part){0};
    if (!is_present(walk, t)) {
        return MICA_OK;
    }
    source from = open_source(walk, t, call);
    micai_cell cell = cell_of(&from, 0);
    const micai_kind *kind = micai_table_kind(cell.table, cell.column);
    if (!kind->find(cell, offset, size).data) {
        return MICA_ERROR_FIELD;
    }
    if (!(block->gathered >> t & 1) && is_direct(walk, &from)) {
        if (write) {
            stamp_cells(&from, cell, block->count);
        }
        *part_out = kind->find(cell, offset, size);
        return MICA_OK;
    }
    unsigned char *values = micai_gather_reach(it, t, write, call);
    if (values) {
        *part_out = (micai_part){values + offset, from.term->size};
    }
    return MICA_OK;
}

void micai_gather_touch(const mica_iter *it, uint32_t t, uint32_t row)
{
    micai_walk *walk = it->walk;
    if (!is_present(walk, t)) {
        return;
    }
    source from = open_source(walk, t, "mica_touch");
    if (from.pool) {
        micai_pool_stamp(from.pool, place_of(&from, row), 1, from.world->view.tick);
    } else {
        micai_segment_touch(from.world, cell_of(&from, row));
    }
}

void micai_gather_leave(micai_walk *walk)
{
    micai_block *block = walk->memory;
    uint64_t written = block->written;
    for (uint64_t rest = written; rest != 0; rest &= rest - 1) {
        hide(block->world->state, walk->query, micai_bits_lowest(rest), false);
    }
    if (MICAI_CANARY("query.write_back")) {
        written = 0;
    }
    for (; written != 0; written &= written - 1) {
        const uint32_t t = micai_bits_lowest(written);
        const micai_term *term = &walk->query->terms[t];
        const micai_rows rows = rows_of(walk, term);
        if (is_split(walk, term)) {
            const source from = open_source(walk, t, "mica_iter_next");
            part(&from, walk->pointers[t]);
        } else if (rows.table) {
            micai_segment_copy_rows(&rows, walk->pointers[t], true);
        } else if (walk->query->loose >> t & 1) {
            const micai_pool *pool =
                micai_pools_find(&block->world->state->pools, term->type->info.type);
            assert(pool); // what is written came from there
            copy_places(pool, micai_mixed_places(block, term), block->count, walk->pointers[t],
                        true);
        } else {
            take_back(walk->pointers[t], homes_of(walk, term), block->count, term->size);
        }
    }
    block->gathered = block->written = block->touched = 0;
    block->placed = block->straight = 0;
}
