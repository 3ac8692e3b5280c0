// Fills blocks and makes them segments. filtered_internal.h has the contract.
#include "query/filtered_internal.h"

#include <string.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "base/number.h"
#include "query/gather_internal.h"
#include "query/row_filter_internal.h"
#include "query/segment_internal.h"

mica_result micai_filtered_open(mica_world *world, micai_walk *walk)
{
    const micai_query *query = walk->query;
    if (micai_walk_reserve(&world->host, walk, query->block_size, query->block_align)) {
        return MICA_ERROR_MEMORY;
    }
    micai_block *block = walk->memory;
    block->world = world;
    block->table = NULL;
    block->ids = NULL;
    block->count = 0;
    block->run = false;
    walk->since = query->since;
    block->listed_count = block->segment_from = 0;
    block->contiguous = block->write_back = block->writable = 0;
    block->located = block->consecutive = block->located_listed = 0;
    return MICA_OK;
}

void micai_filtered_start(mica_world *world, micai_walk *walk, bool many)
{
    walk->driver = NULL;
    walk->group = NULL;
    if (many) {
        micai_candidates_choose(world->state, walk);
    }
    walk->next = micai_filtered_next;
    walk->leave = micai_gather_leave;
}

// The same for queries with .of.
static void start_sources(mica_world *world, micai_walk *walk, bool many)
{
    micai_filtered_start(world, walk, false);
    if (many) {
        micai_candidates_choose_sources(world->state, walk);
    }
}

// Runs of listed rows

// Marks numbers that are not consecutive to the one before. Returns false if there are more marks
// than allowed.
static bool mark_breaks(micai_block *block, const uint32_t *numbers, uint32_t *allowed)
{
    uint32_t count = block->listed_count;
    for (uint32_t i = 1; i < count; i++) {
        if (numbers[i] - numbers[i - 1] != 1) {
            uint64_t mark = UINT64_C(1) << (i % 64);
            bool fresh = !(block->breaks[i / 64] & mark);
            if (fresh && (*allowed)-- == 0) {
                return false;
            }
            block->breaks[i / 64] |= mark;
        }
    }
    return true;
}

// Finds the runs of the listed rows that are runs in all located pools, too. Returns false if they
// are short.
static bool find_runs(const micai_query *query, micai_block *block)
{
    uint32_t runs = block->listed_count / MICAI_SHORT_RUN;
    uint32_t allowed = runs > 0 ? runs - 1 : 0;
    memset(block->breaks, 0, sizeof block->breaks);
    bool found = block->run || mark_breaks(block, block->rows, &allowed);
    for (uint64_t rest = block->located_listed; found && rest != 0; rest &= rest - 1) {
        const micai_term *term = &query->terms[micai_bits_lowest(rest)];
        found = mark_breaks(block, micai_block_pool_rows(block, term), &allowed);
    }
    return found;
}

// Returns the first row after the start of the segment that is not consecutive, or the end of the
// list.
static uint32_t find_break(const micai_block *block)
{
    uint32_t row = block->segment_from + 1;
    while (row < block->listed_count && !(block->breaks[row / 64] >> (row % 64))) {
        row = (row | 63) + 1;
    }
    if (row < block->listed_count) {
        row += micai_bits_lowest(block->breaks[row / 64] >> (row % 64));
    }
    return micai_smaller(row, block->listed_count);
}

static void show_next_run(micai_block *block)
{
    block->ids = block->entities + block->segment_from;
    block->first = *micai_block_rows(block);
    block->count = find_break(block) - block->segment_from;
    block->run = true;
    block->located = block->consecutive = block->located_listed;
}

// Returns true if entities of a run of candidates are probably in long runs in the pools, too.
// Samples three places.
static bool may_have_runs(const micai_query *query, const micai_block *block)
{
    bool found = block->count < 4 * MICAI_SHORT_RUN;
    for (uint32_t n = 1; !found && n < 4; n++) {
        uint32_t at = block->count * n / 4 - MICAI_SHORT_RUN / 2;
        found = true;
        for (uint64_t rest = block->located_listed; found && rest != 0; rest &= rest - 1) {
            const micai_term *term = &query->terms[micai_bits_lowest(rest)];
            const uint32_t *pool_rows = micai_block_pool_rows(block, term) + at;
            found = pool_rows[MICAI_SHORT_RUN - 1] - pool_rows[0] == MICAI_SHORT_RUN - 1;
        }
    }
    return found;
}

// Splits a block into segments if its rows are in long runs. A run of candidates is listed for
// that.
static void split_runs(const micai_query *query, micai_block *block)
{
    bool listed = block->listed_count > 0;
    if (!listed && !may_have_runs(query, block)) {
        return;
    }
    block->listed_count = block->count;
    if (!find_runs(query, block)) {
        block->listed_count = listed ? block->listed_count : 0;
        return;
    }
    for (uint32_t i = 0; !listed && i < block->count; i++) {
        block->rows[i] = block->first + i;
        block->entities[i] = block->ids[i];
    }
    show_next_run(block);
}

// Filling blocks. Each function takes candidates from a row on, below an end. It returns the first
// row that it did not take.

// Makes a block of a run of candidates. Only their first pool rows are stored.
static uint32_t show_run(micai_block *block, const mica_entity *ids, uint32_t row, uint32_t count)
{
    block->ids = ids;
    block->first = row;
    block->run = true;
    block->count = count;
    block->consecutive = block->located_listed;
    return row + count;
}

// Closes a block of listed rows. If terms are conditional and the block begins with a long run, it
// ends after this run.
MICA_INLINE_ static inline uint32_t close_block(const micai_row_filter *f, micai_block *block,
                                                uint32_t next)
{
    uint32_t count = block->count;
    const uint32_t *rows = block->rows;
    if (count == 0 || block->ids) { // no rows, or a run of candidates
        return next;
    }
    block->listed_count = count;
    block->first = rows[0];
    block->ids = block->entities;
    block->run = rows[count - 1] - rows[0] == count - 1;
    uint32_t run =
        f->query->conditional && f->query->sparse ? micai_count_consecutive(rows, count) : count;
    if (run >= MICAI_SHORT_RUN && run < count) {
        next = rows[run];
        block->count = block->listed_count = run;
        block->run = true;
    }
    return next;
}

// Returns true if an entity that passes has a link that the query asks for. Sources that are visited
// have it.
MICAI_NOINLINE static bool has_link(const micai_row_filter *f, mica_entity entity)
{
    const micai_query *query = f->query;
    return f->pool || f->state->pools.links->ops->leads_to(query->of->relation, query->of_target,
                                                           query->of_below, entity);
}

// Lists candidates that pass and have the same terms as the first. Checks each entity.
static uint32_t fill_per_entity(micai_row_filter *f, micai_block *block, uint32_t row, uint32_t end,
                                uint32_t capacity)
{
    while (row < end && block->count < capacity) {
        row = micai_row_filter_find(f, row, end);
        if (row == end) {
            return end;
        }
        mica_entity entity = micai_table_entity(f->table, row);
        if (micai_row_filter_check_entity(f, row, entity) &&
            (!f->query->of || has_link(f, entity))) {
            uint64_t present = micai_row_filter_present(f);
            if (block->count > 0 && present != block->present) {
                return row;
            }
            block->present = present;
            block->rows[block->count] = row;
            block->entities[block->count++] = entity;
        }
        row++;
    }
    return row;
}

// Lists sources of the query's target that pass, after the last one. Returns false at the end.
static bool list_sources(micai_row_filter *f, const micai_walk *walk, micai_block *block,
                         uint32_t capacity)
{
    const micai_query *query = f->query;
    const micai_links_ops *ops = f->state->pools.links->ops;
    mica_entity source = walk->of_at;
    while (block->count < capacity) {
        source = ops->visit(query->of->relation, query->of_target, query->of_below, source);
        if (MICA_IS_NONE(source)) {
            return false;
        }
        uint32_t row = micai_pool_row(f->pool, mica_entity_slot(source));
        if (micai_row_filter_find(f, row, row + 1) != row ||
            !micai_row_filter_check_entity(f, row, source)) {
            continue;
        }
        uint64_t present = micai_row_filter_present(f);
        if (block->count > 0 && present != block->present) {
            return true;
        }
        block->present = present;
        block->rows[block->count] = row;
        block->entities[block->count++] = source;
    }
    return true;
}

// Returns the end of the candidates that lie side by side, from `row` on, at most `end`. Rows of
// other pools that the group owns must do so, too.
static uint32_t find_contiguous_end(const micai_row_filter *f, const micai_group *group,
                                    uint32_t row, uint32_t end)
{
    if (!f->pool) {
        return micai_segment_contiguous_end(f->table, row, end);
    }
    uint32_t contiguous_end = micai_smaller(end, row + micai_pool_span(f->pool, row));
    for (uint32_t i = 0; group && i < group->owned_count; i++) {
        contiguous_end = micai_smaller(contiguous_end, row + micai_pool_span(group->pools[i], row));
    }
    return contiguous_end;
}

// Lists the given rows of the current chunk. Returns the first row for which there was no capacity,
// or the end of the chunk.
static uint32_t list_rows(const micai_row_filter *f, micai_block *block, uint64_t rows,
                          uint32_t capacity)
{
    const mica_entity *ids = micai_segment_entities(f->table, f->base);
    uint32_t from = block->count;
    uint32_t count = from;
    for (; rows != 0 && count < capacity; rows &= rows - 1) {
        uint32_t i = micai_bits_lowest(rows);
        block->rows[count] = f->base + i;
        block->entities[count++] = ids[i];
    }
    block->count = count;
    if (f->lookups.count > 0) {
        micai_lookups_filter(&f->lookups, block, from);
    }
    return f->base + (uint32_t)(rows ? micai_bits_lowest(rows) : MICAI_CHUNK);
}

// Lists candidates from a passing one on. Stops where the optional terms differ, or at a long run
// that can be its own segment.
static uint32_t list_chunks(micai_row_filter *f, micai_block *block, uint32_t row, uint32_t end,
                            uint32_t capacity)
{
    bool has_lookups = f->lookups.count > 0;
    bool stops = false;
    uint64_t off = ~block->present & f->optional_terms;
    while (row < end && block->count < capacity && !stops) {
        uint64_t pass = micai_row_filter_mask(f, row, end);
        if (!pass) {
            row = micai_row_filter_skip(f, f->base + MICAI_CHUNK, end);
            continue;
        }
        uint64_t same = pass & micai_row_filter_same_optional(f, off);
        uint64_t stop = (pass & ~same) | (has_lookups ? 0 : micai_row_filter_long_runs(same));
        uint32_t last = stop ? micai_bits_lowest(stop) : MICAI_CHUNK;
        same &= stop ? (stop & (0 - stop)) - 1 : UINT64_MAX;
        row = micai_smaller(list_rows(f, block, same, capacity), f->base + last);
        // If the block is empty, the next row may have other optional terms.
        stops = stop || (has_lookups && block->count == 0);
    }
    return micai_smaller(row, end);
}

// Takes candidates if there are no masks. Makes them a run if all are in the pools, and otherwise
// lists those that are. Sets `full` if the block must end after them. Values of pools that a group
// owns then stay side by side.
static uint32_t list_all(micai_row_filter *f, const micai_walk *walk, micai_block *block,
                         uint32_t row, uint32_t end, uint32_t capacity, bool *full)
{
    uint32_t contiguous_end = find_contiguous_end(f, walk->group, row, end);
    uint32_t count = micai_smaller(contiguous_end - row, capacity - block->count);
    const mica_entity *ids = micai_segment_entities(f->table, row);
    bool first = block->count == 0 && !f->lookups.disabled;
    uint32_t found = first ? micai_lookups_find_rows(&f->lookups, ids, count) : 0;
    *full =
        row + count == end || count == capacity || (walk->group && count == contiguous_end - row);
    if (*full && found == count) {
        show_run(block, ids, row, count);
        block->consecutive = 0;
    } else {
        micai_lookups_append(&f->lookups, block, ids, row, count, found);
        *full = walk->group && count == contiguous_end - row;
    }
    return row + count;
}

// Returns how many candidates, from a passing one on, can be a segment without being listed.
// Returns 0 if they are too few.
static uint32_t find_run(micai_row_filter *f, const micai_walk *walk, uint32_t row, uint32_t end,
                         uint32_t most)
{
    if (f->lookups.disabled) {
        return 0;
    }
    uint32_t contiguous_end = find_contiguous_end(f, walk->group, row, end);
    if (f->masked) {
        uint64_t off = micai_row_filter_optional_off(f, row);
        uint64_t same =
            micai_row_filter_mask(f, row, contiguous_end) & micai_row_filter_same_optional(f, off);
        bool found = micai_row_filter_long_runs(same) >> (row - f->base) & 1;
        contiguous_end =
            found || f->query->pinned ? micai_row_filter_run_end(f, row, contiguous_end, off) : row;
    }
    uint32_t count = micai_smaller(contiguous_end - row, most);
    if (count == 0 || f->lookups.count == 0) {
        return count;
    }
    const mica_entity *ids = micai_segment_entities(f->table, row);
    return micai_lookups_find_run(&f->lookups, ids, count, row + count == end);
}

// Takes candidates that pass the masks and are in the pools: a run of them, or a list.
static uint32_t fill_by_masks(micai_row_filter *f, const micai_walk *walk, micai_block *block,
                              uint32_t row, uint32_t end, uint32_t capacity)
{
    // Rows of a table may have to be gathered, unless the simple loop handles the run.
    uint32_t most = f->pool || !f->query->sparse ? UINT32_MAX : capacity;
    bool full = false;
    while (row < end && block->count < capacity && !full) {
        row = micai_row_filter_find(f, row, end);
        if (row == end) {
            return end;
        }
        if (block->count == 0) {
            block->present = f->archetype.present & ~micai_row_filter_optional_off(f, row);
            uint32_t run = find_run(f, walk, row, end, most);
            if (run > 0) {
                return show_run(block, micai_segment_entities(f->table, row), row, run);
            }
        }
        if (f->masked) {
            row = list_chunks(f, block, row, end, capacity);
            full = block->count > 0;
        } else {
            row = list_all(f, walk, block, row, end, capacity, &full);
        }
    }
    return row;
}

// Returns true if the block is a run of an archetype that the simple loop can handle.
static bool is_simple(const micai_query *query, const micai_block *block)
{
    return !query->sparse && block->listed_count == 0;
}

// Takes the next candidates and moves the walk. The walk ends at the start of a
// run for the simple loop, and after other rows.
static void fill_from(micai_row_filter *f, micai_walk *walk, micai_block *block, uint32_t capacity)
{
    uint32_t rest = f->end - walk->row;
    uint32_t end = walk->row + micai_smaller(rest, walk->rows);
    uint32_t row = f->per_entity ? fill_per_entity(f, block, walk->row, end, capacity)
                                 : fill_by_masks(f, walk, block, walk->row, end, capacity);
    row = close_block(f, block, row);
    if (block->count > 0 && is_simple(walk->query, block)) {
        row = block->first;
    }
    walk->rows -= row - walk->row;
    walk->row = row;
    if (row == f->end && f->pool) {
        walk->match = UINT32_MAX;
    } else if (row == f->end) {
        walk->match++;
        walk->row = 0;
    }
}

// Does the same for sources of the query's target.
MICAI_NOINLINE static void fill_from_sources(micai_row_filter *f, micai_walk *walk,
                                             micai_block *block, uint32_t capacity)
{
    bool more = list_sources(f, walk, block, capacity);
    uint32_t listed = block->count;
    (void)close_block(f, block, 0);
    if (block->count > 0) {
        walk->of_at = block->entities[block->count - 1];
    }
    if (!more && block->count == listed) {
        walk->match = UINT32_MAX;
    }
}

// Fills the next block. A block without rows is the end. `locate`: the block is that of the walk,
// and pool rows are stored there.
static void fill(const micai_state *state, micai_walk *walk, micai_block *block, uint32_t capacity,
                 bool locate)
{
    micai_row_filter f;
    block->count = block->listed_count = block->segment_from = 0;
    block->ids = NULL;
    while (block->count == 0 && walk->rows > 0 && walk->match < walk->query->tables.count) {
        block->located_listed = 0;
        if (micai_row_filter_open(&f, state, walk, locate ? block : NULL)) {
            block->table = f.pool ? NULL : f.table;
            if (f.per_entity && f.pool && f.query->of) {
                fill_from_sources(&f, walk, block, capacity);
            } else {
                fill_from(&f, walk, block, capacity);
            }
        } else {
            uint32_t rest = f.end - walk->row;
            walk->rows -= micai_smaller(rest, walk->rows);
            walk->match = f.pool ? UINT32_MAX : walk->match + 1;
            walk->row = 0;
        }
    }
}

// The walk is at the first row of the block's run.
static void show_as_simple(mica_iter *it, micai_block *block)
{
    uint32_t rows = block->count;
    micai_table *table = block->table;
    uint64_t off = it->walk->query->readable & ~block->present;
    block->count = 0;
    block->table = NULL;
    if (MICAI_CANARY("query.off_fields")) {
        block->present |= off;
    }
    micai_segment_show(it, table, rows, off);
}

bool micai_filtered_next(mica_iter *it)
{
    micai_walk *walk = it->walk;
    const micai_query *query = walk->query;
    micai_block *block = walk->memory;
    micai_gather_leave(walk);
    walk->segment_table = NULL;
    if (block->segment_from + block->count < block->listed_count) {
        block->segment_from += block->count;
        show_next_run(block);
    } else {
        fill(it->world->state, walk, block, query->block_rows, true);
        block->located = block->located_listed;
        if (!query->conditional &&
            (block->listed_count > 0 || block->located != block->consecutive)) {
            split_runs(query, block);
        }
    }
    if (block->count == 0) {
        block->table = NULL;
        return micai_iter_finish(it);
    }
    if (is_simple(query, block)) {
        show_as_simple(it, block);
        return true;
    }
    // Values are found when they are accessed: micai_gather_values().
    it->readable = it->writable = 0;
    it->entities = query->no_entities ? NULL : block->ids;
    it->count = block->count;
    return true;
}

// All matches

static micai_walk walk_of(const micai_query *query)
{
    return (micai_walk){.query = (micai_query *)query, .rows = UINT32_MAX, .since = query->since};
}

static void choose(const micai_state *state, micai_walk *walk)
{
    if (walk->query->of) {
        micai_candidates_choose_sources(state, walk);
    } else {
        micai_candidates_choose(state, walk);
    }
}

uint32_t micai_filtered_pool_rows(const micai_state *state, const micai_query *query)
{
    micai_walk walk = walk_of(query);
    choose(state, &walk);
    return walk.match == UINT32_MAX ? 0
           : walk.group             ? micai_group_size(walk.group)
           : walk.driver            ? walk.driver->table.count
                                    : UINT32_MAX;
}

// Without sparse terms, the masks decide alone.
static uint32_t count_rows(const mica_world *world, const micai_query *query)
{
    uint32_t count = 0;
    micai_row_filter f;
    micai_walk walk = walk_of(query);
    for (; walk.match < query->tables.count; walk.match++) {
        if (micai_row_filter_open(&f, world->state, &walk, NULL)) {
            count += micai_row_filter_count(&f);
        }
    }
    return count;
}

uint32_t micai_filtered_list(const mica_world *world, const micai_query *query,
                             mica_entity *entities_out)
{
    micai_block block;
    uint32_t count = 0;
    if (!query->sparse && !entities_out) {
        return count_rows(world, query);
    }
    micai_walk walk = walk_of(query);
    choose(world->state, &walk);
    do {
        fill(world->state, &walk, &block, MICAI_BLOCK_ROWS, false);
        if (entities_out && block.count > 0) {
            memcpy(entities_out + count, block.ids, block.count * sizeof *entities_out);
        }
        if (block.count > 0 && is_simple(query, &block)) { // fill() left the walk at its first row
            walk.row += block.count;
        }
        count += block.count;
    } while (block.count > 0);
    return count;
}

uint32_t micai_filtered_first(const mica_world *world, const micai_query *query, uint32_t most,
                              mica_entity *entities_out)
{
    micai_block block;
    uint32_t count = 0;
    micai_walk walk = walk_of(query);
    choose(world->state, &walk);
    do {
        fill(world->state, &walk, &block, most - count, false);
        for (uint32_t i = 0; i < block.count && count < most; i++) { // a segment may have more
            entities_out[count++] = block.ids[i];
        }
        if (block.count > 0 && is_simple(query, &block)) { // fill() left the walk at its first row
            walk.row += block.count;
        }
    } while (block.count > 0 && count < most);
    return count;
}

bool micai_filtered_has(const mica_world *world, const micai_query *query, micai_entity_ref ref)
{
    micai_block block;
    micai_row row = micai_row_of(&world->state->store, ref.record);
    micai_walk walk = walk_of(query);
    walk.match = micai_query_find_table(query, micai_row_table(row));
    walk.row = micai_row_number(row);
    walk.rows = 1;
    fill(world->state, &walk, &block, 1, false);
    return block.count > 0;
}

static const struct micai_filtered functions = {
    .restrict_to = micai_query_restrict,
    .lay_out = micai_filtered_lay_out,
    .open = micai_filtered_open,
    .start = micai_filtered_start,
    .pool_rows = micai_filtered_pool_rows,
    .list = micai_filtered_list,
    .first = micai_filtered_first,
    .has = micai_filtered_has,
    .has_copies = micai_gather_has_copies,
    .values = micai_gather_values,
    .value = micai_gather_value,
    .field = micai_gather_field,
    .cell = micai_gather_cell,
    .touch = micai_gather_touch,
};

const struct micai_filtered micai_filtered_sources = {
    .restrict_to = micai_query_restrict,
    .lay_out = micai_filtered_lay_out,
    .open = micai_filtered_open,
    .start = start_sources,
    .pool_rows = micai_filtered_pool_rows,
    .list = micai_filtered_list,
    .first = micai_filtered_first,
    .has = micai_filtered_has,
    .has_copies = micai_gather_has_copies,
    .values = micai_gather_values,
    .value = micai_gather_value,
    .field = micai_gather_field,
    .cell = micai_gather_cell,
    .touch = micai_gather_touch,
};

void micai_filtered_use(micai_walks *walks)
{
    walks->filtered = &functions;
    walks->gathers = micai_query_walk_gathers;
}

bool micai_filtered_is_used(const micai_walks *walks)
{
    return walks->filtered == &functions && walks->gathers == micai_query_walk_gathers;
}
