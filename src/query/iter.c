// Iterations: begin, next and end, and access to the values of a segment.
#include "query/query.h"

#include <mica/change_detection.h>
#include <mica/facet.h>
#include <mica/toggle.h>

#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "entity/facet.h"
#include "query/gather_internal.h"
#include "query/row_filter_internal.h"
#include "query/segment_internal.h"
#include "state/declared.h"
#include "state/recorder.h"

// Begin

static micai_walk *open_walk(mica_world *world, const char *call, micai_query *query,
                             const char *name)
{
    micai_state *state = world->state;
    micai_walk *walk = micai_walk_open(&state->walks, &state->gate, call, name);
    if (walk) {
        walk->query = query;
        walk->held_by_step = false;
        walk->segment_table = NULL;
        if (query->filtered && query->filtered->open(world, walk)) {
            micai_walk_close(&state->walks, &state->gate, walk);
            return NULL;
        }
    }
    return walk;
}

// Only filtered queries allocate memory. During that the walk is open without it.
micai_walk *micai_query_open_walk(mica_world *world, const char *call, micai_query *query,
                                  const char *name)
{
    if (!micai_query_is_filtered(query)) {
        return open_walk(world, call, query, name);
    }
    micai_host_begin(&world->host, call);
    micai_walk *walk = open_walk(world, call, query, name);
    micai_host_end(&world->host);
    return walk;
}

// Writes the fields in their order, so that zeroes are combined into few stores.
static inline void set_fields(mica_iter *it_out, mica_world *world, micai_walk *walk,
                              uint64_t serial, mica_result result)
{
    it_out->world = world;
    it_out->time = world->state->time;
    it_out->count = 0;
    it_out->dt = 0;
    it_out->entities = NULL;
    it_out->user = NULL;
    it_out->pointers = NULL; // set by the first segment
    it_out->readable = it_out->writable = 0;
    it_out->result = result;
    it_out->walk = walk;
    it_out->serial = serial;
    it_out->check = micai_iter_checksum(world, walk, serial);
}

void micai_iter_init_failed(mica_iter *it_out, mica_world *world, mica_result result)
{
    set_fields(it_out, world, NULL, 0, result);
}

void micai_iter_init(mica_iter *it_out, mica_world *world, micai_walk *walk, uint32_t match,
                     uint32_t row, uint32_t rows)
{
    walk->match = match;
    walk->row = row;
    walk->rows = rows;
    walk->iter = it_out;
    if (walk->query->filtered) {
        walk->whole = rows == UINT32_MAX;
        walk->query->filtered->start(world, walk, rows != 1);
        set_fields(it_out, world, walk, walk->serial, MICA_OK);
        return;
    }
    walk->next = rows == UINT32_MAX ? walk->query->next_segment : micai_segment_next;
    set_fields(it_out, world, walk, walk->serial, MICA_OK);
}

// Begins an iteration over all rows of a query that is not filtered.
static inline void begin_tables(mica_iter *it_out, mica_world *world, micai_walk *walk,
                                micai_query *query)
{
    walk->query = query;
    walk->held_by_step = false;
    walk->segment_table = NULL;
    walk->match = 0;
    walk->row = 0;
    walk->rows = UINT32_MAX;
    walk->iter = it_out;
    walk->next = query->next_segment;
    set_fields(it_out, world, walk, walk->serial, MICA_OK);
}

micai_walk *micai_iter_begin_part(mica_iter *it_out, mica_world *world, const char *call,
                                  micai_query *query, const char *name, micai_query_part part)
{
    if (part.rows == UINT32_MAX) {
        return micai_iter_begin_all(it_out, world, call, query, name, NULL);
    }
    micai_walk *walk = micai_query_open_walk(world, call, query, name);
    if (walk) {
        micai_iter_init(it_out, world, walk, part.match, part.row, part.rows);
        if (query->filtered && part.rows == 1) { // this looked like the iteration of an entity
            query->filtered->start(world, walk, true);
        }
    }
    return walk;
}

uint32_t micai_query_pool_rows(const micai_state *state, const micai_query *query)
{
    return query->filtered ? query->filtered->pool_rows(state, query) : UINT32_MAX;
}

micai_walk *micai_iter_begin_all(mica_iter *it_out, mica_world *world, const char *call,
                                 micai_query *query, const char *name, micai_walk *before)
{
    micai_state *state = world->state;
    if (MICAI_LIKELY(before && query->next_segment)) {
        micai_walk_restart(&state->walks, before, name);
        begin_tables(it_out, world, before, query);
        return before;
    }
    if (before) {
        micai_walk_close(&state->walks, &state->gate, before);
    }
    micai_walk *walk = micai_query_open_walk(world, call, query, name);
    if (walk) {
        micai_iter_init(it_out, world, walk, 0, 0, UINT32_MAX);
    }
    return walk;
}

// Begins an iteration if no other iteration is open, so that nothing can conflict. Returns false
// otherwise, or if the query is filtered.
static inline bool begin_fast(mica_iter *it_out, mica_world *world, mica_query query)
{
    micai_state *state = world->state;
    micai_query *found = micai_query_look_up(world, query);
    bool fast = found && found->next_segment && state->walks.outer;
    if (fast) {
        begin_tables(it_out, world, micai_walk_open_outer(&state->walks, &state->gate, found->name),
                     found);
    }
    return fast;
}

// Returns true if the iterator has an open iteration. It may be uninitialized memory. So it is read
// only if an open walk has its address.
static bool is_in_use(const mica_world *world, const mica_iter *it)
{
    const micai_walk *walk = world->state->walks.newest;
    while (walk && walk->iter != it) {
        walk = walk->older;
    }
    return walk && micai_iter_is_open(it) && it->walk == walk;
}

// Returns MICA_OK if an iteration can begin now. Otherwise reports why and initializes the iterator
// without rows. An open iteration is not changed.
static mica_result check_begin(mica_world *world, const char *call, mica_iter *it_out)
{
    if (!it_out) {
        micai_fail_null(micai_world_host(world), call, "it_out");
        return MICA_ERROR_NULL;
    }
    if (!world) {
        memset(it_out, 0, sizeof *it_out);
        micai_fail_null(NULL, call, "world");
        return MICA_ERROR_NULL;
    }
    if (is_in_use(world, it_out)) {
        char of[MICAI_WALK_TEXT];
        micai_query_describe(it_out->walk->query, of, sizeof of);
        return micai_fail(
            &world->host, MICA_ERROR_ITERATOR,
            "%s: this iterator has an iteration of %s open; end that with mica_iter_end or, if it is lost, mica_world_end_iterations",
            call, of);
    }
    if (world->host.hook) {
        micai_iter_init_failed(it_out, world, MICA_ERROR_HOOK);
        return micai_world_refuse(world, call);
    }
    return MICA_OK;
}

// Returns MICA_ERROR_ITERATING, reported, if another iteration has gathered values that the query
// accesses.
static mica_result check_accessible(mica_world *world, const char *call, const micai_query *query)
{
    mica_result result = MICA_OK;
    // In a wave, queries are declared.
    bool gathered = world->state->walks.gathered > 0 && !world->state->original;
    uint64_t rest = gathered ? query->readable : 0;
    for (; !result && rest != 0; rest &= rest - 1) {
        result = micai_world_guard_access(world, call, query->terms[micai_bits_lowest(rest)].type);
    }
    return result;
}

// Opens a walk of a query, or of none (NULL, reported). Returns NULL, reported, on failure.
static micai_walk *open_checked_walk(mica_world *world, const char *call, micai_query *query,
                                     mica_iter *it_out)
{
    bool declared = query && !micai_world_use_query(world, call, query->handle, query->name);
    if (MICAI_CANARY("query.undeclared")) {
        declared = query != NULL;
    }
    bool free = declared && check_accessible(world, call, query) == MICA_OK;
    micai_walk *walk = free ? micai_query_open_walk(world, call, query, query->name) : NULL;
    if (!walk) {
        micai_iter_init_failed(it_out, world, world->host.failed);
    }
    return walk;
}

MICAI_NOINLINE static mica_result begin_checked(mica_world *world, mica_query query,
                                                mica_iter *it_out)
{
    static const char call[] = "mica_iter_begin";
    mica_result result = check_begin(world, call, it_out);
    if (result) {
        return result;
    }
    world = micai_world_main(world);
    micai_walk *walk = open_checked_walk(world, call, micai_query_find(world, call, query), it_out);
    if (!walk) {
        return it_out->result;
    }
    micai_iter_init(it_out, world, walk, 0, 0, UINT32_MAX);
    return MICA_OK;
}

mica_result mica_iter_begin(mica_world *world, mica_query query, mica_iter *it_out)
{
    bool begun = world && it_out && world->busy == 0 && begin_fast(it_out, world, query);
    return begun ? MICA_OK : begin_checked(world, query, it_out);
}

mica_result mica_iter_begin_entity(mica_world *world, mica_query query, mica_entity entity,
                                   mica_iter *it_out)
{
    static const char call[] = "mica_iter_begin_entity";
    mica_result result = check_begin(world, call, it_out);
    if (result) {
        return result;
    }
    world = micai_world_main(world);
    micai_query *found = micai_query_find(world, call, query);
    const micai_record *record = micai_slots_find(&world->state->slots, entity);
    if (found && !record) {
        micai_slots_fail(&world->host, call, entity);
        found = NULL;
    }
    micai_walk *walk = open_checked_walk(world, call, found, it_out);
    if (!walk) {
        return it_out->result;
    }
    micai_row row = micai_row_of(&world->state->store, record);
    micai_iter_init(it_out, world, walk, micai_query_find_table(found, micai_row_table(row)),
                    micai_row_number(row), 1);
    return MICA_OK;
}

// Next and end

// Reports why an iteration cannot be advanced or ended: it is invalid, has ended, or a step holds
// it.
static MICAI_COLD mica_result refuse(const mica_iter *it, const char *call)
{
    if (!micai_iter_is_valid(it)) {
        return micai_fail(NULL, MICA_ERROR_ITERATOR, "%s: this is no iteration", call);
    }
    if (it->world->host.hook) {
        return micai_hook_refuse(&it->world->host, call);
    }
    if (!micai_iter_is_open(it)) {
        return micai_fail(&it->world->host, MICA_ERROR_ITERATOR, "%s: the iteration has ended",
                          call);
    }
    return micai_fail(&it->world->host, MICA_ERROR_ITERATOR,
                      "%s: this is the iteration of system '%s', which mica_step advances and ends",
                      call, it->walk->name);
}

bool mica_iter_next(mica_iter *it)
{
    if (MICAI_LIKELY(micai_iter_is_open(it) && !it->walk->held_by_step && !it->world->host.hook)) {
        return it->walk->next(it);
    }
    // An iteration that failed to begin has already reported why. Anything else is a mistake.
    if (!micai_iter_is_valid(it) || it->serial != 0) {
        refuse(it, "mica_iter_next");
    }
    return false;
}

// Ends an iteration that has nothing to write back.
static inline void close_walk(mica_iter *it)
{
    micai_state *state = it->world->state;
    micai_walk_close(&state->walks, &state->gate, it->walk);
    it->count = 0;
    it->readable = it->writable = 0;
    it->walk = NULL;
    it->check = micai_iter_checksum(it->world, NULL, it->serial);
    it->result = MICA_OK;
}

// Values may have to be written back first, and commands may have to be replayed afterwards.
MICAI_NOINLINE static void stop_general(mica_iter *it, const char *call)
{
    micai_walk_leave(it->walk);
    close_walk(it);
    it->result = micai_world_replay_waiting(it->world, call);
}

static inline void stop(mica_iter *it, const char *call)
{
    if (MICAI_LIKELY(!it->walk->leave && !it->world->state->waiting)) {
        close_walk(it);
    } else {
        stop_general(it, call);
    }
}

bool micai_iter_stop(mica_iter *it)
{
    stop(it, "mica_iter_next");
    return false;
}

bool micai_iter_finish(mica_iter *it)
{
    micai_walk *walk = it->walk;
    if (MICAI_CANARY("query.moment")) {
        walk->whole = true;
    }
    if (walk->query->change_filtered && walk->whole && !it->world->state->original) {
        walk->query->since = micai_query_tick(it->world, walk);
    }
    return micai_iter_stop(it);
}

mica_result mica_iter_end(mica_iter *it)
{
    if (micai_iter_is_valid(it) && !it->walk) {
        return it->result;
    }
    if (!micai_iter_is_open(it) || it->walk->held_by_step || it->world->host.hook) {
        return refuse(it, "mica_iter_end");
    }
    stop(it, "mica_iter_end");
    return it->result;
}

void micai_iter_refuse(const mica_iter *it, const char *call)
{
    refuse(it, call);
}

// Access to values

// Returns the end of a sentence that says how a term can be accessed.
static const char *advise(mica_access access, bool fields)
{
    switch (access) {
    case MICA_READ:
        return fields ? "is only read; use mica_read_field, or declare it MICA_WRITE"
                      : "is only read; use mica_read, or declare it MICA_WRITE";
    case MICA_OPTIONAL:
        return fields ? "is only read; use mica_read_field, or declare it MICA_OPTIONAL_WRITE"
                      : "is only read; use mica_read, or declare it MICA_OPTIONAL_WRITE";
    case MICA_ANY:
        return fields ? "is only read, as MICA_ANY is; use mica_read_field, or mica_set per entity"
                      : "is only read, as MICA_ANY is; use mica_read, or mica_get_mut per entity";
    default: return "only filters; declare it MICA_READ or MICA_WRITE";
    }
}

static void refuse_unopened(const mica_iter *it, const char *call)
{
    if (it->walk->held_by_step) {
        micai_fail(&it->world->host, MICA_ERROR_ITERATOR,
                   "%s: system '%.80s' has no rows here; those of its query are for its update",
                   call, it->walk->name);
    } else {
        micai_fail(&it->world->host, MICA_ERROR_ITERATOR,
                   "%s: there is no segment before mica_iter_next", call);
    }
}

mica_result micai_iter_check_segment(const mica_iter *it, const char *call)
{
    if (!micai_iter_is_open(it)) {
        refuse(it, call);
        return MICA_ERROR_ITERATOR;
    }
    if (it->count == 0) {
        refuse_unopened(it, call);
        return MICA_ERROR_ITERATOR;
    }
    return MICA_OK;
}

// `fields`: the call is about fields, not about whole values.
static MICAI_COLD void *refuse_access(const mica_iter *it, uint32_t term, const char *call,
                                      bool fields)
{
    if (!micai_iter_is_open(it)) {
        refuse(it, call);
        return NULL;
    }
    micai_host *host = &it->world->host;
    const micai_query *query = it->walk->query;
    if (it->count == 0) {
        refuse_unopened(it, call);
        return NULL;
    }
    const char *of = query->name ? " of query '" : "";
    const char *name = query->name ? query->name : "";
    const char *end = query->name ? "'" : "";
    if (term >= query->term_count) {
        micai_fail(host, MICA_ERROR_TERM,
                   "%s: there is no term %" PRIu32 "%s%.80s%s; it has %" PRIu32, call, term,
                   query->name ? of : " of the query", name, end, query->term_count);
        return NULL;
    }
    const micai_term *wrong = &query->terms[term];
    bool split = !fields && (query->split >> term & 1);
    micai_fail(
        host, MICA_ERROR_TERM, "%s: term %" PRIu32 " ('%.80s')%s%.80s%s %s", call, term,
        wrong->type->info.name, of, name, end,
        wrong->type->info.size == 0 ? "is a tag and has no values"
        : split
            ? "is split: use mica_read_field or mica_write_field, or mica_load_row and mica_store_row"
            : advise(wrong->access, fields));
    return NULL;
}

static void *refuse_term(const mica_iter *it, uint32_t term, const char *call)
{
    return refuse_access(it, term, call, false);
}

// Returns true if the segment is a block, whose values are found when they are accessed.
static bool is_at_block(const mica_iter *it)
{
    return micai_iter_is_open(it) && micai_query_is_filtered(it->walk->query) &&
           !it->walk->segment_table && it->count > 0;
}

static bool can_access(const mica_iter *it, uint32_t term, bool write)
{
    if (!micai_iter_is_open(it) || term >= MICA_TERMS_MAX) {
        return false;
    }
    const micai_query *query = it->walk->query;
    uint64_t readable = is_at_block(it) ? query->readable & ~query->split : it->readable;
    uint64_t writable = is_at_block(it) ? query->writable & ~query->split : it->writable;
    return (write ? writable : readable) >> term & 1;
}

static void *get_values(const mica_iter *it, uint32_t term, bool write, const char *call)
{
    return is_at_block(it) ? it->walk->query->filtered->values(it, term, write, call)
                           : it->pointers[term];
}

void *mica_iter_values_any(const mica_iter *it, uint32_t term, bool write)
{
    const char *call = write ? "mica_write" : "mica_read";
    return can_access(it, term, write) ? get_values(it, term, write, call)
                                       : refuse_term(it, term, call);
}

// Returns true if the row is in the segment. Reports it otherwise.
static bool check_row(const mica_iter *it, uint32_t row, const char *call)
{
    if (row >= it->count) {
        micai_fail(&it->world->host, MICA_ERROR_ARGUMENT,
                   "%s: row %" PRIu32 " of a segment of %" PRIu32, call, row, it->count);
    }
    return row < it->count;
}

static void *find_value(const mica_iter *it, uint32_t term, uint32_t row, bool write,
                        const char *call)
{
    if (!check_row(it, row, call)) {
        return NULL;
    }
    if (is_at_block(it)) {
        return it->walk->query->filtered->value(it, term, row, write);
    }
    unsigned char *values = it->pointers[term];
    return values ? values + (size_t)row * it->walk->query->terms[term].size : NULL;
}

const void *mica_read_row(const mica_iter *it, uint32_t term, uint32_t row)
{
    if (!can_access(it, term, false)) {
        return refuse_term(it, term, "mica_read_row");
    }
    return find_value(it, term, row, false, "mica_read_row");
}

void *mica_write_row(const mica_iter *it, uint32_t term, uint32_t row)
{
    if (!can_access(it, term, true)) {
        return refuse_term(it, term, "mica_write_row");
    }
    return find_value(it, term, row, true, "mica_write_row");
}

// Whole values of rows, also of split types

// Returns true if the term may be read, or written, in the current segment.
static bool has_access(const mica_iter *it, uint32_t term, bool write)
{
    const micai_query *query = micai_iter_is_open(it) && it->count > 0 ? it->walk->query : NULL;
    return query && term < MICA_TERMS_MAX &&
           ((write ? query->writable : query->readable) >> term & 1);
}

// Returns MICA_OK if a value of a term can be copied from or to a row. Reports errors.
static mica_result check_copy(const mica_iter *it, uint32_t term, uint32_t row, const char *call,
                              const void *value, uint32_t size, bool write)
{
    if (!micai_iter_is_open(it)) {
        return refuse(it, call);
    }
    if (!has_access(it, term, write)) {
        refuse_access(it, term, call, true);
        return it->count > 0 ? MICA_ERROR_TERM : MICA_ERROR_ITERATOR;
    }
    micai_host *host = &it->world->host;
    const micai_type *type = it->walk->query->terms[term].type;
    if (!value) {
        return micai_fail_null(host, call, write ? "value" : "value_out");
    }
    mica_result result = micai_world_check_size(it->world, call, type, size);
    if (!result && !micai_hook_allows_byte_copy(type)) {
        result =
            micai_fail(host, MICA_ERROR_ARGUMENT,
                       "%s: values of '%.80s' have hooks, which a copy would go without; use %s",
                       call, type->info.name, write ? "mica_write_row" : "mica_read_row");
    }
    return result ? result : check_row(it, row, call) ? MICA_OK : MICA_ERROR_ARGUMENT;
}

// Returns true if the values of a term are stored in pieces and were not gathered for this segment.
static bool is_split(const mica_iter *it, uint32_t term)
{
    return (it->walk->query->split >> term & 1) &&
           !(is_at_block(it) && it->walk->query->filtered->has_copies(it, term));
}

static micai_cell find_cell(const mica_iter *it, uint32_t term, uint32_t row)
{
    return is_at_block(it) ? it->walk->query->filtered->cell(it, term, row)
                           : micai_segment_cell(it, term, row);
}

bool mica_load_row(const mica_iter *it, uint32_t term, uint32_t row, void *value_out, uint32_t size)
{
    static const char call[] = "mica_load_row";
    if (check_copy(it, term, row, call, value_out, size, false)) {
        return false;
    }
    if (is_split(it, term)) {
        const micai_cell cell = find_cell(it, term, row);
        if (cell.table) { // a value without hooks; cannot fail
            micai_table_kind(cell.table, cell.column)
                ->load(&it->world->state->store, cell, value_out);
        }
        return cell.table != NULL;
    }
    const void *value = find_value(it, term, row, false, call);
    if (value) {
        memmove(value_out, value, size);
    }
    return value != NULL;
}

static mica_result refuse_missing(const mica_iter *it, uint32_t term, const char *call)
{
    return micai_fail(&it->world->host, MICA_ERROR_TERM,
                      "%s: term %" PRIu32 " ('%.80s') is missing in this segment; mica_set adds it",
                      call, term, it->walk->query->terms[term].type->info.name);
}

// Stores a split value. Only mica_touch() stamps a MICA_TOUCH term.
static bool store_split(const mica_iter *it, uint32_t term, uint32_t row, const void *value)
{
    const micai_cell cell = find_cell(it, term, row);
    if (!cell.table) {
        return false;
    }
    // The type has no hooks, so that the value is only read.
    micai_table_kind(cell.table, cell.column)
        ->take(&it->world->state->store, cell, (void *)value, 1);
    if (!(it->walk->query->touch >> term & 1)) {
        micai_segment_touch(it->world, cell, 1);
    }
    return true;
}

mica_result mica_store_row(const mica_iter *it, uint32_t term, uint32_t row, const void *value,
                           uint32_t size)
{
    static const char call[] = "mica_store_row";
    mica_result result = check_copy(it, term, row, call, value, size, true);
    if (result) {
        return result;
    }
    if (is_split(it, term)) {
        return store_split(it, term, row, value) ? MICA_OK : refuse_missing(it, term, call);
    }
    bool copies = is_at_block(it) && it->walk->query->filtered->has_copies(it, term);
    void *target = find_value(it, term, row, true, call);
    if (!target) { // another iteration may read the copied values; this was reported
        return copies ? MICA_ERROR_TERM : refuse_missing(it, term, call);
    }
    memmove(target, value, size);
    return MICA_OK;
}

mica_result mica_touch(const mica_iter *it, uint32_t term, uint32_t row)
{
    static const char call[] = "mica_touch";
    if (!micai_iter_is_open(it)) {
        return refuse(it, call);
    }
    if (it->count == 0 || term >= it->walk->query->term_count) {
        refuse_term(it, term, call);
        return it->count == 0 ? MICA_ERROR_ITERATOR : MICA_ERROR_TERM;
    }
    if (!(it->walk->query->touch >> term & 1)) {
        return micai_fail(&it->world->host, MICA_ERROR_TERM,
                          "%s: term %" PRIu32 " ('%.80s') is not MICA_TOUCH: what is written of it "
                          "counts as changed anyway",
                          call, term, it->walk->query->terms[term].type->info.name);
    }
    if (!check_row(it, row, call)) {
        return MICA_ERROR_ARGUMENT;
    }
    if (is_at_block(it)) {
        it->walk->query->filtered->touch(it, term, row);
    } else {
        micai_segment_touch_row(it, term, row);
    }
    return MICA_OK;
}

// Owners

// The rows may be in any tables, and some may be facets.
static const mica_entity *gather_owners(const mica_iter *it)
{
    const micai_facets *facets = micai_facets_of(it->world->state);
    uint32_t first = 0;
    while (first < it->count && !micai_facets_get(facets, it->entities[first])) {
        first++;
    }
    if (first == it->count) {
        return it->entities;
    }
    micai_walk *walk = it->walk;
    micai_host_begin(&it->world->host, "mica_iter_owners");
    mica_result result = micai_walk_reserve_owners(&it->world->host, walk, it->count);
    micai_host_end(&it->world->host);
    for (uint32_t i = 0; !result && i < it->count; i++) {
        const micai_facet *facet = micai_facets_get(facets, it->entities[i]);
        walk->owners[i] = facet ? facet->owner : it->entities[i];
    }
    return result ? NULL : walk->owners;
}

const mica_entity *mica_iter_owners(const mica_iter *it)
{
    if (micai_iter_check_segment(it, "mica_iter_owners")) {
        return NULL;
    }
    const micai_state *state = it->world->state;
    if (micai_facets_of(state)->count == 0 || !it->entities) {
        return it->entities;
    }
    const micai_record *record = micai_slots_at(&state->slots, mica_entity_slot(it->entities[0]));
    micai_row row = micai_row_of(&state->store, record);
    micai_table *table = micai_row_table(row);
    if (is_at_block(it) || !table->facet) { // otherwise all rows are in one table, side by side
        return is_at_block(it) ? gather_owners(it) : it->entities;
    }
    uint32_t column = micai_table_column(table, state->registry.hidden);
    micai_span span = micai_table_kind(table, column)->read(micai_row_cell(row, column));
    return span.data && span.count >= it->count ? span.data : gather_owners(it);
}

// Fields

// Returns a field of split values, if it lies side by side in this segment. Reports it otherwise.
static micai_field_span find_split_field(const mica_iter *it, uint32_t term, uint32_t offset,
                                         uint32_t size, bool write, const char *call)
{
    micai_field_span part = {0};
    mica_result result = is_at_block(it) ? it->walk->query->filtered->field(it, term, offset, size,
                                                                            write, call, &part)
                                         : micai_segment_field(it, term, offset, size, &part);
    if (result == MICA_ERROR_FIELD) {
        micai_fail(&it->world->host, result,
                   "%s: bytes %" PRIu32 " to %" PRIu32
                   " of '%.80s', which is split, are in several "
                   "pieces",
                   call, offset, offset + size - 1, it->walk->query->terms[term].type->info.name);
    }
    return part;
}

static micai_field_span find_field(const mica_iter *it, uint32_t term, uint32_t offset,
                                   uint32_t size, const char *c_type, bool write)
{
    const char *call = write    ? c_type ? "MICA_WRITE_FIELD" : "mica_write_field"
                       : c_type ? "MICA_READ_FIELD"
                                : "mica_read_field";
    if (!has_access(it, term, write)) {
        refuse_access(it, term, call, true);
        return (micai_field_span){0};
    }
    const micai_query *query = it->walk->query;
    const mica_type_info *info = &query->terms[term].type->info;
    if (size == 0 || offset >= info->size || size > info->size - offset) {
        micai_fail(&it->world->host, MICA_ERROR_FIELD,
                   "%s: '%.80s' has %" PRIu32 " bytes, and no field of %" PRIu32 " at %" PRIu32,
                   call, info->name, info->size, size, offset);
        return (micai_field_span){0};
    }
    if (c_type && micai_world_check_c_type(it->world, call, query->terms[term].type, c_type)) {
        return (micai_field_span){0};
    }
    if (query->split >> term & 1) {
        return find_split_field(it, term, offset, size, write, call);
    }
    unsigned char *values = get_values(it, term, write, call);
    return values ? (micai_field_span){values + offset, info->size} : (micai_field_span){0};
}

mica_read_fields mica_read_field(const mica_iter *it, uint32_t term, uint32_t offset, uint32_t size,
                                 const char *c_type)
{
    const micai_field_span part = find_field(it, term, offset, size, c_type, false);
    return (mica_read_fields){part.data, part.stride};
}

mica_write_fields mica_write_field(const mica_iter *it, uint32_t term, uint32_t offset,
                                   uint32_t size, const char *c_type)
{
    const micai_field_span part = find_field(it, term, offset, size, c_type, true);
    return (mica_write_fields){part.data, part.stride};
}

uint64_t mica_read_enabled(const mica_iter *it, uint32_t term, uint32_t row)
{
    static const char call[] = "mica_read_enabled";
    if (!micai_iter_is_open(it) || it->count == 0 || term >= it->walk->query->term_count) {
        refuse_term(it, term, call);
        return 0;
    }
    if (!it->entities) {
        micai_fail(&it->world->host, MICA_ERROR_TERM,
                   "%s: the query has .no_entities, by which rows are known", call);
        return 0;
    }
    return check_row(it, row, call) ? micai_row_filter_enabled(it, term, row) : 0;
}

// Returns true if the term's component has this size and, unless `c_type` is NULL, this C type.
static bool check_term_type(const mica_iter *it, const char *call, uint32_t term, uint32_t size,
                            const char *c_type)
{
    const micai_type *type = it->walk->query->terms[term].type;
    return !micai_world_check_size(it->world, call, type, size) &&
           (!c_type || !micai_world_check_c_type(it->world, call, type, c_type));
}

const void *mica_read_as(const mica_iter *it, uint32_t term, uint32_t size, const char *c_type)
{
    static const char call[] = "MICA_READ_AS";
    if (!can_access(it, term, false)) {
        return refuse_term(it, term, call);
    }
    return check_term_type(it, call, term, size, c_type) ? get_values(it, term, false, call) : NULL;
}

void *mica_write_as(const mica_iter *it, uint32_t term, uint32_t size, const char *c_type)
{
    static const char call[] = "MICA_WRITE_AS";
    if (!can_access(it, term, true)) {
        return refuse_term(it, term, call);
    }
    return check_term_type(it, call, term, size, c_type) ? get_values(it, term, true, call) : NULL;
}
