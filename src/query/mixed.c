// Who drives, who matches. mixed_internal.h has the contract.
#include "query/mixed_internal.h"

#include "base/canary.h"
#include "base/compiler.h"
#include "base/number.h"
#include "query/gather_internal.h"
#include "query/iterate_pools_internal.h"
#include "query/match_group_internal.h"
#include "query/row_filter_internal.h"
#include "query/segment.h"

// Driving

static uint64_t count_rows(const micai_query *query)
{
    uint64_t rows = 0;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        rows += query->tables.items[m]->count;
    }
    return rows;
}

static micai_pool *pool_of(const micai_state *state, const micai_query *query, uint32_t term)
{
    return micai_pools_find(&state->pools, query->terms[term].type->info.type);
}

// Who drives a walk. Nothing can match if there is something that nobody has.
typedef struct driver {
    micai_pool *pool;         // NULL: tables
    const micai_group *group; // whose entities come first there; NULL: all of them
    bool nothing;
} driver;

// Rows of tables come side by side, places of a pool are anywhere in tables: a pool drives tables
// only if it is a good deal smaller.
static driver find_driver(const micai_state *state, const micai_query *query)
{
    driver best = {0};
    uint64_t least = query->anywhere ? UINT64_MAX : count_rows(query) / 2;
    for (uint64_t rest = query->loose; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        if (!micai_query_use(query->terms[t].access).needed) {
            continue;
        }
        micai_pool *pool = pool_of(state, query, t);
        if (!pool) {
            return (driver){.nothing = true};
        }
        if (pool->table.count < least) {
            least = pool->table.count;
            best.pool = pool;
        }
    }
    // No group is larger than a pool it needs.
    best.group = micai_serve_find(state, query, least + (best.pool != NULL));
    best.pool = best.group ? micai_group_front(best.group) : best.pool;
    return best;
}

bool micai_mixed_is_driven(const micai_state *state, const micai_walk *walk)
{
    const micai_query *query = walk->query;
    const micai_pool *pool = walk->driver;
    const micai_group *group = walk->group;
    bool found = false;
    if (group) {
        return micai_groups_have(&state->pools, group) && micai_serve_is_by(query, group) &&
               pool == micai_group_front(group) && walk->row <= micai_group_size(group);
    }
    for (uint64_t rest = query->loose; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        found = found || (micai_query_use(query->terms[t].access).needed &&
                          pool_of(state, query, t) == pool);
    }
    return found && pool && walk->row <= pool->table.count;
}

// How many places of a driver are walked.
static uint32_t end_of(const micai_pool *pool, const micai_group *group)
{
    return group ? micai_group_size(group) : pool ? pool->table.count : 0;
}

// Are the rows listed in the block as they should, or do they lie side by side in the driver or the table?
static bool has_rows(const micai_walk *walk, const micai_block *block)
{
    if (block->sieved > 0) {
        if (block->sieved > walk->query->block_rows || block->from >= block->sieved ||
            block->count > block->sieved - block->from) {
            return false;
        }
        const uint32_t *rows = micai_mixed_rows(block);
        bool part = block->count < block->sieved;
        return (!part || (block->run && !walk->query->fickle)) &&
               block->ids == block->entities + block->from && block->first == rows[0] &&
               block->run == (micai_mixed_run(rows, block->count) == block->count);
    }
    const micai_pool *pool = walk->driver;
    uint32_t end = pool ? end_of(pool, walk->group) : block->table ? block->table->count : 0;
    if (!block->run || block->from > 0 || block->first >= end ||
        block->count > end - block->first) {
        return false;
    }
    micai_ids ids = micai_segment_ids(pool ? &pool->table : block->table, block->first, end);
    return block->ids == ids.entities && block->count <= ids.count;
}

// Are the places that are known those of the rows? Of those that follow each other, the first may be all
// that is known.
static bool has_places(const micai_state *state, const micai_query *query, const micai_block *block)
{
    bool right = (block->placed & ~(query->loose & query->readable)) == 0 &&
                 (block->straight & ~block->placed) == 0 && (block->noted & ~block->placed) == 0;
    for (uint64_t rest = right ? block->placed : 0; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        const micai_pool *pool = pool_of(state, query, t);
        const uint32_t *places = micai_mixed_places(block, &query->terms[t]);
        bool straight = block->straight >> t & 1;
        for (uint32_t i = 0; right && i < block->count; i++) {
            uint32_t place = straight ? places[0] + i : places[i];
            right = pool && micai_pool_row(pool, mica_entity_slot(block->ids[i])) == place;
        }
    }
    return right;
}

bool micai_mixed_is_block(const mica_world *world, const micai_walk *walk)
{
    const micai_query *query = walk->query;
    const micai_block *block = walk->memory;
    if (!block || walk->memory_size < query->block_size ||
        walk->memory_align < query->block_align || block->world != world) {
        return false;
    }
    if (block->count == 0) {
        return !block->table && !block->gathered;
    }
    bool in_order = (block->written & ~block->touched) == 0 &&
                    (block->touched & ~(block->gathered & query->writable)) == 0 &&
                    ((block->gathered | block->present) & ~query->readable) == 0;
    bool placed = walk->driver ? !block->table : micai_query_has_table(query, block->table);
    return in_order && placed && has_rows(walk, block) && has_places(world->state, query, block);
}

bool micai_mixed_is_hidden(const micai_state *state, const micai_type *type)
{
    if (!micai_mixed_is_loose(type)) {
        return micai_directory_is_hidden(&state->store.directory, type->number);
    }
    const micai_pool *pool = micai_pools_find(&state->pools, type->info.type);
    return pool && pool->index.view.hidden;
}

mica_result micai_mixed_open(mica_world *world, micai_walk *walk)
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
    block->sieved = block->from = 0;
    block->gathered = block->written = block->touched = 0;
    block->placed = block->straight = block->noted = 0;
    return MICA_OK;
}

void micai_mixed_aim(mica_world *world, micai_walk *walk, bool whole)
{
    driver by = find_driver(world->state, walk->query);
    walk->match = by.nothing ? UINT32_MAX : walk->match;
    walk->driver = whole ? by.pool : NULL;
    walk->group = whole ? by.group : NULL;
    walk->next = micai_mixed_next;
    walk->leave = micai_gather_leave;
}

// Sieving

// What a row is held against, one after the other.
typedef struct sifter {
    const micai_state *state;
    const micai_query *query;
    uint64_t seen[MICA_TERMS_MAX];  // what varies, of the present row, by sieve
    uint32_t first_count;           // 0: the block has no row yet
    uint64_t first[MICA_TERMS_MAX]; // of the first row of the block
    bool varies;
    const micai_table *table; // of the row, where tables matter
    uint32_t match;           // of that
    uint64_t columns;         // bit per term that may be missing, and is in a column of the row
    uint64_t first_columns;
    uint64_t table_columns; // of the table
    uint64_t since;         // terms that ask for changes do so since this tick
    uint64_t watched;       // fickle terms that may be off somewhere: in pools,
    uint64_t dimmed;        // and in columns of the table
    bool barred;            // no row of the table passes
    bool notes;             // places are noted in the block, which is that of a walk
} sifter;

static void begin_sifting(sifter *s, const micai_state *state, const micai_query *query,
                          uint64_t since)
{
    s->since = since;
    s->state = state;
    s->query = query;
    s->notes = false;
    s->varies = false;
    s->table = NULL;
    s->match = UINT32_MAX;
    s->first_count = 0;
    s->columns = s->first_columns = s->table_columns = 0;
    s->watched = s->dimmed = 0;
    s->barred = false;
    for (uint64_t rest = query->fickle & query->loose; rest != 0; rest &= rest - 1) {
        const uint32_t t = micai_bits_lowest(rest);
        const micai_pool *pool = pool_of(state, query, t);
        bool disabled =
            pool && micai_pool_has_disabled(pool) && micai_screen_is_toggled(&query->terms[t]);
        s->watched |= disabled || (query->timed >> t & 1) ? rest & (0 - rest) : 0;
    }
    for (uint32_t i = 0; i < query->sieves.count; i++) {
        s->varies = s->varies || query->sieves.items[i].varying != 0;
    }
}

// Which terms of a kind that may be missing are columns of a table.
static void enter_table(sifter *s, const micai_table *table, uint32_t match)
{
    const micai_query *query = s->query;
    s->table = table;
    s->match = match;
    s->columns = s->dimmed = 0;
    for (uint64_t rest = query->readable & ~query->loose; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        if (match != UINT32_MAX && !micai_query_use(query->terms[t].access).needed &&
            query->found.items[(size_t)match * query->term_count + t].column) {
            s->columns |= UINT64_C(1) << t;
        }
    }
    s->table_columns = s->columns;
    s->barred = match != UINT32_MAX && !micai_screen_enter(query, table, &s->dimmed);
}

// Has that happened to a row of its pool which a term asks for?
static bool is_newer(const sifter *s, const micai_term *term, const micai_pool *pool, uint32_t row)
{
    return micai_ticks_find_newer(micai_pool_cell(pool, row), 1, term->news == MICAI_NEWS_ADDED,
                                  s->since) != 0;
}

// Is a term that may be off so in a row of its pool?
static bool is_off(const sifter *s, const micai_term *term, const micai_pool *pool, uint32_t place)
{
    return (micai_screen_is_toggled(term) && micai_pool_is_off(pool, place)) ||
           (term->news != MICAI_NEWS_NONE && !is_newer(s, term, pool, place));
}

// Of the pools of a word that a slot is in: those of terms that are off for it, as bits.
static uint64_t find_off(const sifter *s, uint32_t word, uint32_t slot)
{
    uint64_t off = 0;
    for (uint64_t rest = s->watched; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        const micai_type *type = s->query->terms[t].type;
        const micai_pool *pool = pool_of(s->state, s->query, t);
        uint32_t place =
            pool && type->sparse / 64 == word ? micai_pool_row(pool, slot) : MICAI_INDEX_NONE;
        if (MICAI_CANARY("query.disabled_sparse")) {
            continue;
        }
        if (place != MICAI_INDEX_NONE && is_off(s, &s->query->terms[t], pool, place)) {
            off |= UINT64_C(1) << (type->sparse % 64);
        }
    }
    return off;
}

// Do terms in columns that may be off let a slot pass? `any`: of several terms of which one
// will do, one is there, tables apart.
static bool sift_columns(sifter *s, uint32_t slot, bool any)
{
    const micai_query *query = s->query;
    const micai_row row = micai_row_of(&s->state->store, micai_slots_at(&s->state->slots, slot));
    uint64_t off = 0;
    for (uint64_t rest = s->dimmed; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        uint32_t column = micai_table_column(s->table, query->terms[t].type->number);
        micai_use use = micai_query_use(query->terms[t].access);
        uint64_t one =
            micai_screen_find_off(&query->terms[t], micai_row_cell(row, column), s->since);
        if (one ? use.needed : use.forbidden) {
            return false;
        }
        off |= one << t;
    }
    s->columns = s->table_columns & ~off;
    bool asked = false;
    for (uint32_t t = 0; !any && t < query->term_count; t++) {
        const micai_term *term = &query->terms[t];
        asked = asked || term->access == MICA_ANY;
        any = term->access == MICA_ANY && !(off >> t & 1) &&
              micai_table_has(s->table, term->type->number);
    }
    return any || !asked;
}

// Does a slot pass? If so, what of it varies has been seen. Of a wish for any of several, the table
// may grant it.
static inline bool sift(sifter *s, uint32_t slot)
{
    const micai_query *query = s->query;
    bool any = false;
    for (uint32_t i = 0; i < query->sieves.count; i++) {
        const micai_sieve *sieve = &query->sieves.items[i];
        uint64_t in = micai_presence_of(&s->state->pools, sieve->word, slot);
        if (s->watched) {
            in &= ~find_off(s, sieve->word, slot);
        }
        if ((in & sieve->needed) != sieve->needed || (in & sieve->forbidden) != 0) {
            return false;
        }
        any = any || (in & sieve->any) != 0;
        s->seen[i] = in & sieve->varying;
    }
    if (s->dimmed) {
        return sift_columns(s, slot, any);
    }
    return any || !query->loose_any || (s->table && micai_query_overlaps(s->table, &query->any));
}

// Does the present row have the same optional terms as the first of the block?
static inline bool is_alike(const sifter *s)
{
    bool alike = s->columns == s->first_columns;
    for (uint32_t i = 0; s->varies && i < s->query->sieves.count; i++) {
        alike = alike && s->seen[i] == s->first[i];
    }
    return alike;
}

static void note_first(sifter *s)
{
    s->first_columns = s->columns;
    s->first_count = s->query->sieves.count;
    memcpy(s->first, s->seen, s->first_count * sizeof *s->first);
}

// Filling blocks

// Where the next block begins.
typedef struct cursor {
    micai_pool *driver;       // NULL: tables
    const micai_group *group; // NULL: all of the driver
    uint32_t end;             // of the places there
    uint32_t match;
    uint32_t row; // of the table, or place in the driver
    uint32_t rows;
} cursor;

// Closes a block of what was taken. Where terms are fickle and many rows at the beginning follow each other, it
// ends with these, as who is disabled meanwhile is met as he is then. Returns the row that the next begins with.
static uint32_t end_block(const sifter *s, micai_block *block, uint32_t next)
{
    uint32_t count = block->count;
    const uint32_t *rows = block->rows;
    if (count == 0 || block->ids) { // nothing was, or it is a stretch
        return next;
    }
    block->sieved = count;
    block->first = rows[0];
    block->ids = block->entities;
    block->run = rows[count - 1] - rows[0] == count - 1;
    uint32_t run = s->notes && s->query->fickle ? micai_mixed_run(rows, count) : count;
    if (run >= MICAI_SHORT_RUN && run < count) {
        next = rows[run];
        block->count = block->sieved = run;
        block->run = true;
    }
    return next;
}

// Takes a row into the block; false if it is not like the others.
static inline bool take(sifter *s, micai_block *block, uint32_t row, mica_entity entity)
{
    if (block->count == 0) {
        note_first(s);
    } else if (!is_alike(s)) {
        return false;
    }
    block->rows[block->count] = row;
    block->entities[block->count++] = entity;
    return true;
}

// Is the slot's table one that matches?
static inline bool find_table(sifter *s, uint32_t slot)
{
    const micai_row row = micai_row_of(&s->state->store, micai_slots_at(&s->state->slots, slot));
    const micai_table *table = micai_row_table(row);
    if (table != s->table) {
        enter_table(s, table, micai_query_match(s->query, table));
    }
    return s->match != UINT32_MAX && !s->barred;
}

// The pools that a plain query looks into for rows of the driver, or of tables.
static void open_others(const sifter *s, const cursor *at, micai_block *block, micai_others *all)
{
    const micai_query *query = s->query;
    micai_others_begin(all);
    for (uint64_t rest = query->loose; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        const micai_pool *pool = pool_of(s->state, query, t);
        uint64_t bit = rest & (0 - rest);
        bool known = pool == at->driver;
        for (uint32_t i = 0; at->group && i < at->group->needed_count; i++) {
            known = known || pool == at->group->pools[i];
        }
        if (known && (pool == at->driver || !(s->watched & bit))) {
            continue;
        }
        bool noted = s->notes && (query->readable & bit);
        block->noted |= noted ? bit : 0;
        micai_others_add(all, pool, s->watched & bit,
                         noted ? micai_mixed_places(block, &query->terms[t]) : NULL);
    }
}

// A block that is a stretch of somebody's entities. What is noted are the places of the first.
static void show_stretch(micai_block *block, const mica_entity *ids, uint32_t first, uint32_t count)
{
    block->ids = ids;
    block->first = first;
    block->run = true;
    block->count = count;
    block->straight = block->noted;
}

static uint32_t sift_rows(sifter *s, const cursor *at, micai_block *block, micai_table *table,
                          uint32_t end, uint32_t capacity)
{
    micai_others all;
    bool plain = s->query->plain && s->dimmed == 0;
    if (plain) {
        open_others(s, at, block, &all);
    }
    uint32_t row = at->row;
    while (row < end && block->count < capacity) {
        uint32_t until = end;
        if (s->query->timed && micai_screen_is_idle(s->query, table, row, end, s->since, &until)) {
            row = until;
            continue;
        }
        micai_ids ids = micai_segment_ids(table, row, until);
        uint32_t count = micai_smaller(ids.count, capacity - block->count);
        for (uint32_t i = 0; !plain && i < count; i++) {
            mica_entity entity = ids.entities[i];
            if (sift(s, mica_entity_slot(entity)) && !take(s, block, row + i, entity)) {
                return row + i;
            }
        }
        uint32_t common = plain && block->count == 0 && !s->watched
                              ? micai_others_agree(&all, ids.entities, count, count == end - row)
                              : 0;
        if (common > 0) {
            show_stretch(block, ids.entities, row, common);
            return row + common;
        }
        if (plain) {
            micai_others_take(&all, block, ids.entities, row, count);
        }
        row += count;
    }
    return row;
}

static void fill_from_table(sifter *s, cursor *at, micai_block *block, uint32_t capacity)
{
    micai_table *table = s->query->tables.items[at->match];
    uint32_t rest = table->count - at->row;
    uint32_t end = at->row + (rest < at->rows ? rest : at->rows);
    enter_table(s, table, at->match);
    s->first_columns = s->columns;
    block->table = table;
    uint32_t row =
        s->barred ? end : end_block(s, block, sift_rows(s, at, block, table, end, capacity));
    at->rows -= row - at->row;
    bool last = row == table->count;
    at->match += last;
    at->row = last ? 0 : row;
}

// Does it matter which values of a driver are disabled?
static bool is_filtered(const sifter *s, const micai_pool *pool)
{
    bool found = false;
    for (uint64_t rest = s->watched; rest != 0; rest &= rest - 1) {
        const micai_term *term = &s->query->terms[micai_bits_lowest(rest)];
        found = found || (term->type == pool->type && micai_screen_is_toggled(term));
    }
    return found;
}

// The term of a driver, if it matters when something happened to what is in there; NULL otherwise.
static const micai_term *find_timed(const sifter *s, const micai_pool *pool)
{
    const micai_term *found = NULL;
    for (uint64_t rest = s->watched & s->query->timed; rest != 0; rest &= rest - 1) {
        const micai_term *term = &s->query->terms[micai_bits_lowest(rest)];
        bool driven = term->type == pool->type && micai_query_use(term->access).needed;
        found = driven ? term : found;
    }
    return found;
}

// The first row from one on, below `end`, that has an entity and is not disabled, or the first that is
// not like this; `end` if there is none.
MICAI_APART static uint32_t find_place(const micai_pool *pool, bool filtered, uint32_t row,
                                       uint32_t end, bool passes)
{
    while (row < end && (micai_pool_is_hole(pool, row) ||
                         (filtered && micai_pool_is_off(pool, row))) == passes) {
        row++;
    }
    return row;
}

// The first row from one on, below `end`, to which something happened that a term of its pool asks for;
// `end` if there is none. And the first to which nothing did.
static uint32_t find_newer(const sifter *s, const micai_term *term, const micai_pool *pool,
                           uint32_t row, uint32_t end)
{
    uint32_t until;
    while (row < end) {
        if (micai_ticks_are_old(micai_pool_cell(pool, row), false, s->since, &until)) {
            row = until;
        } else if (is_newer(s, term, pool, row)) {
            return row;
        } else {
            row++;
        }
    }
    return end;
}

static uint32_t find_older(const sifter *s, const micai_term *term, const micai_pool *pool,
                           uint32_t row, uint32_t end)
{
    bool exact = pool->type->info.row_stamps;
    while (row < end && is_newer(s, term, pool, row)) {
        row = exact ? row + 1 : (row | (MICAI_ROWS - 1)) + 1;
    }
    return micai_smaller(row, end);
}

// Places of a driver that all pass as far as that is concerned, and whose table does not matter: as
// many at a time as there is room for and follow each other.
static uint32_t sift_plain_places(const sifter *s, const cursor *at, micai_block *block,
                                  bool filtered, uint32_t capacity)
{
    micai_others all;
    const micai_pool *pool = at->driver;
    bool whole = !filtered && pool->index.hole_count == 0;
    uint32_t place = at->row;
    open_others(s, at, block, &all);
    if (whole && place < at->end && !s->watched) {
        uint32_t rest = micai_smaller(at->end - place, micai_pool_span(pool, place));
        // A walk may be given as many as there are; what is beside a group's own may have to be copied.
        uint32_t most = at->group || !s->notes ? micai_smaller(rest, capacity) : rest;
        const mica_entity *ids = micai_pool_entities(pool, place);
        uint32_t common = micai_others_agree(&all, ids, most, most == at->end - place);
        if (common > 0) {
            show_stretch(block, ids, place, common);
            return place + common;
        }
    }
    while (place < at->end && block->count < capacity) {
        uint32_t first = whole ? place : find_place(pool, filtered, place, at->end, true);
        uint32_t rest = first < at->end ? micai_pool_span(pool, first) : 0;
        uint32_t end =
            first + micai_smaller(micai_smaller(rest, at->end - first), capacity - block->count);
        place = whole ? end : find_place(pool, filtered, first, end, false);
        if (place > first) {
            micai_others_take(&all, block, micai_pool_entities(pool, first), first, place - first);
        }
    }
    return place;
}

static uint32_t sift_places(sifter *s, const cursor *at, micai_block *block, uint32_t capacity)
{
    const micai_pool *pool = at->driver;
    bool filtered = is_filtered(s, pool);
    if (s->query->plain && s->query->anywhere) {
        return sift_plain_places(s, at, block, filtered, capacity);
    }
    const micai_term *timed = find_timed(s, pool);
    uint32_t place = at->row;
    for (; place < at->end && block->count < capacity; place++) {
        place = timed ? find_newer(s, timed, pool, place, at->end) : place;
        if (place == at->end) {
            break;
        }
        mica_entity entity = micai_pool_entity(pool, place);
        uint32_t slot = mica_entity_slot(entity);
        if (micai_is_hole(entity) || (filtered && micai_pool_is_off(pool, place))) {
            continue;
        }
        if ((s->query->anywhere || find_table(s, slot)) && sift(s, slot) &&
            !take(s, block, place, entity)) {
            break;
        }
    }
    return place;
}

// How many rows come from the present place on without being asked about: all that is in the driver is
// in the query, and nothing else read, or nothing that would not have to be gathered. 0: none.
static uint32_t find_stretch(const sifter *s, const cursor *at, uint32_t capacity)
{
    const micai_query *query = s->query;
    uint32_t rest = at->end - at->row;
    if (s->watched) {
        return 0;
    }
    if (!at->group) {
        bool pure = query->plain && query->anywhere && query->term_count == 1 &&
                    at->driver->index.hole_count == 0;
        return pure && rest > 0 ? micai_pool_span(at->driver, at->row) : 0;
    }
    if (rest == 0 || !micai_serve_is_bare(query, at->group)) {
        return 0;
    }
    bool all = rest <= capacity || micai_serve_is_whole(s->state, query, at->group);
    uint32_t stretch = micai_smaller(all ? rest : capacity, micai_pool_span(at->driver, at->row));
    for (uint32_t i = 0; i < at->group->owned_count; i++) {
        stretch = micai_smaller(stretch, micai_pool_span(at->group->pools[i], at->row));
    }
    return stretch;
}

// The same where the driver is all there is, and what matters is when something happened there: moves on to
// the first place that passes, and says how many do from there on, if they are many.
static uint32_t find_timed_stretch(const sifter *s, cursor *at)
{
    const micai_query *query = s->query;
    const micai_pool *pool = at->driver;
    const micai_term *timed = query->timed ? find_timed(s, pool) : NULL;
    bool pure = timed && query->anywhere && query->term_count == 1 && pool->index.hole_count == 0 &&
                !at->group && !is_filtered(s, pool);
    if (!pure) {
        return 0;
    }
    at->row = find_newer(s, timed, pool, at->row, at->end);
    if (at->row == at->end) {
        return 0;
    }
    uint32_t end = at->row + micai_pool_span(pool, at->row);
    uint32_t run = find_older(s, timed, pool, at->row, end) - at->row;
    return run >= MICAI_SHORT_RUN ? run : 0;
}

static void fill_from_pool(sifter *s, cursor *at, micai_block *block, uint32_t capacity)
{
    uint32_t stretch = find_stretch(s, at, capacity);
    stretch = stretch > 0 ? stretch : find_timed_stretch(s, at);
    block->table = NULL;
    if (stretch > 0) {
        show_stretch(block, micai_pool_entities(at->driver, at->row), at->row, stretch);
        at->row += stretch;
    } else {
        at->row = end_block(s, block, sift_places(s, at, block, capacity));
    }
    at->match = at->row == at->end ? UINT32_MAX : 0;
}

// The next block; one without rows is the end.
static void fill(sifter *s, cursor *at, micai_block *block, uint32_t capacity)
{
    block->count = block->sieved = block->from = 0;
    block->ids = NULL;
    while (block->count == 0 && at->rows > 0 && at->match < s->query->tables.count) {
        block->noted = 0;
        if (at->driver) {
            fill_from_pool(s, at, block, capacity);
        } else {
            fill_from_table(s, at, block, capacity);
        }
    }
}

static cursor begin_at(driver by)
{
    return (cursor){.driver = by.pool,
                    .group = by.group,
                    .end = end_of(by.pool, by.group),
                    .match = by.nothing ? UINT32_MAX : 0,
                    .rows = UINT32_MAX};
}

uint32_t micai_mixed_list(const mica_world *world, const micai_query *query,
                          mica_entity *entities_out)
{
    sifter s;
    micai_block block;
    uint32_t count = 0;
    driver by = find_driver(world->state, query);
    begin_sifting(&s, world->state, query, query->since);
    if (by.group && !entities_out && !s.watched && micai_serve_is_bare(query, by.group)) {
        return micai_group_size(by.group);
    }
    cursor at = begin_at(by);
    do {
        fill(&s, &at, &block, MICAI_BLOCK_ROWS);
        for (uint32_t i = 0; entities_out && i < block.count; i++) {
            entities_out[count + i] = block.ids[i];
        }
        count += block.count;
    } while (block.count > 0);
    return count;
}

mica_entity micai_mixed_first(const mica_world *world, const micai_query *query)
{
    sifter s;
    micai_block block;
    begin_sifting(&s, world->state, query, query->since);
    cursor at = begin_at(find_driver(world->state, query));
    fill(&s, &at, &block, 1);
    return block.count > 0 ? block.ids[0] : mica_entity_none();
}

bool micai_mixed_has(const mica_world *world, const micai_query *query, micai_living who)
{
    sifter s;
    begin_sifting(&s, world->state, query, query->since);
    uint32_t slot = mica_entity_slot(who.entity);
    return find_table(&s, slot) && sift(&s, slot);
}

// Which optional terms the rows of a block have.
static uint64_t find_present(const sifter *s)
{
    const micai_query *query = s->query;
    uint64_t present = s->first_columns;
    for (uint64_t rest = query->readable & query->loose; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        const micai_type *type = query->terms[t].type;
        if (micai_query_use(query->terms[t].access).needed) {
            continue; // nobody asks, and where all are needed nothing was seen
        }
        for (uint32_t i = 0; i < s->first_count; i++) {
            if (query->sieves.items[i].word == type->sparse / 64) {
                present |= (s->first[i] >> (type->sparse % 64) & 1) << t;
            }
        }
    }
    return present;
}

// Sieves as many rows as there is room for, and shows them, or the first run of them.
static void sieve(const mica_world *world, micai_walk *walk)
{
    micai_block *block = walk->memory;
    sifter s;
    begin_sifting(&s, world->state, walk->query, walk->since);
    s.notes = true;
    cursor at = {.driver = walk->driver,
                 .group = walk->group,
                 .end = end_of(walk->driver, walk->group),
                 .match = walk->match,
                 .row = walk->row,
                 .rows = walk->rows};
    fill(&s, &at, block, walk->query->block_rows);
    walk->match = at.match;
    walk->row = at.row;
    walk->rows = at.rows;
    block->present = find_present(&s);
    block->placed = block->noted;
    if (block->sieved > 0 && !walk->query->fickle && micai_runs_find(walk->query, block)) {
        micai_runs_show(block);
    }
}

bool micai_mixed_next(mica_iter *it)
{
    micai_walk *walk = it->walk;
    micai_block *block = walk->memory;
    micai_gather_leave(walk);
    if (block->from + block->count < block->sieved) {
        block->from += block->count;
        micai_runs_show(block);
    } else if (walk->match == UINT32_MAX) {
        block->count = 0; // the driver has come to its end
    } else {
        sieve(it->world, walk);
    }
    if (block->count == 0) {
        return micai_iter_finish(it);
    }
    it->readable = it->writable = 0; // what is asked for is looked for: micai_gather_reach
    it->entities = walk->query->no_entities ? NULL : block->ids;
    it->count = block->count;
    return true;
}
