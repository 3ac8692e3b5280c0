// Looking at flags and ticks, many at a time. screen.h has the contract.
#include "query/row_filter_internal.h"

#include <assert.h>
#include <string.h>

#include "base/canary.h"
#include "query/gather_internal.h"
#include "query/segment.h"

// Rows that are looked at together, whose flags lie side by side. Runs at least as long as LONG_RUN
// are segments: docs/decisions/toggles.md has the figures.
#define CHUNK (MICAI_ROWS < 64 ? MICAI_ROWS : UINT32_C(64))
#define LONG_RUN (CHUNK < 64 ? 2u : 32u) // tests have few rows

bool micai_screen_enter(const micai_query *query, const micai_table *table, uint64_t *watched_out)
{
    *watched_out = 0;
    for (uint64_t rest = query->fickle & ~query->loose; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        uint32_t column = micai_table_column(table, query->terms[t].type->number);
        bool timed =
            (query->timed >> t & 1) && micai_table_has(table, query->terms[t].type->number);
        if (timed ||
            (table->layout.columns[column].dimmed && micai_screen_is_toggled(&query->terms[t]))) {
            *watched_out |= UINT64_C(1) << t;
        } else if (column && micai_query_use(query->terms[t].access).forbidden) {
            return false; // all have it
        }
    }
    return true;
}

// What is asked of the rows of a table.
typedef struct screen {
    const micai_query *query;
    micai_table *table;
    uint64_t since;
    uint64_t watched;                 // terms that may be off somewhere
    uint64_t dimmed;                  // those of them that may be disabled
    uint64_t varying;                 // those of them that can be read and may be missing
    bool any;                         // at least one of several is wanted, some of which may be off
    bool granted;                     // which one that never is grants
    bool stiff;                       // some values may not be brought together
    bool single;                      // flags of one term matter, which is needed, and nothing else
    uint16_t columns[MICA_TERMS_MAX]; // by term
    micai_use uses[MICA_TERMS_MAX];
    uint32_t base;                // the first row of the present chunk
    uint64_t pass;                // rows of it, as bits
    uint64_t off[MICA_TERMS_MAX]; // where a term that varies is off
} screen;

// Terms of which any will do: is one there that counts in all rows?
static bool is_granted(const screen *s)
{
    bool granted = false;
    for (uint32_t t = 0; t < s->query->term_count; t++) {
        const micai_term *term = &s->query->terms[t];
        granted = granted || (term->access == MICA_ANY && !(s->watched >> t & 1) &&
                              micai_table_has(s->table, term->type->number));
    }
    return granted;
}

// Are there terms whose values must stay where they are?
static bool is_stiff(const micai_query *query)
{
    bool found = false;
    for (uint64_t rest = query->readable; rest != 0; rest &= rest - 1) {
        found = found || !micai_hook_can_lend(query->terms[micai_bits_lowest(rest)].type);
    }
    return found;
}

// False: no row passes.
static bool open_screen(screen *s, const micai_query *query, micai_table *table, uint64_t since)
{
    s->query = query;
    s->table = table;
    s->since = since;
    s->base = UINT32_MAX;
    s->varying = s->dimmed = 0;
    s->any = false;
    if (!micai_screen_enter(query, table, &s->watched)) {
        return false;
    }
    for (uint64_t rest = s->watched; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        uint32_t column = micai_table_column(table, query->terms[t].type->number);
        micai_use use = micai_query_use(query->terms[t].access);
        bool dimmed = table->layout.columns[column].dimmed;
        s->dimmed |= dimmed && micai_screen_is_toggled(&query->terms[t]) ? rest & (0 - rest) : 0;
        s->columns[t] = (uint16_t)column;
        s->uses[t] = use;
        s->any = s->any || use.any;
        s->varying |= use.read && !use.needed ? UINT64_C(1) << t : 0;
    }
    s->granted = s->any && is_granted(s);
    s->single = !query->timed && s->watched && (s->watched & (s->watched - 1)) == 0 &&
                s->uses[micai_bits_lowest(s->watched)].needed;
    s->stiff = is_stiff(query);
    return true;
}

// Eight flags, the first in the lowest byte.
static uint64_t load_flags(const unsigned char *flags)
{
    uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&word, flags, sizeof word);
#else
    for (uint32_t i = 0; i < 8; i++) {
        word |= (uint64_t)flags[i] << (i * 8);
    }
#endif
    return word;
}

// Flags as bits: the product has each of the eight at its place in the highest byte. Mostly all are
// the same.
static uint64_t collect_flags(const unsigned char *flags, uint32_t count)
{
    uint64_t bits = 0;
    uint32_t i = 0;
    if (count == 64) {
        uint64_t some = 0;
        uint64_t all = UINT64_MAX;
        for (uint32_t n = 0; n < 64; n += 8) {
            uint64_t eight = load_flags(flags + n);
            some |= eight;
            all &= eight;
        }
        if (some == 0 || all == UINT64_C(0x0101010101010101)) {
            return some ? UINT64_MAX : 0;
        }
    }
    for (; i + 8 <= count; i += 8) {
        uint64_t eight = (load_flags(flags + i) * UINT64_C(0x0102040810204080)) >> 56;
        bits |= eight << i;
    }
    for (; i < count; i++) {
        bits |= (uint64_t)flags[i] << i;
    }
    return bits;
}

static uint64_t first_bits(uint32_t count)
{
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

// Rows to which nothing happened that a term asks for.
static uint64_t find_old(const micai_term *term, micai_cell cell, uint32_t count, uint64_t since)
{
    bool added = term->news == MICAI_NEWS_ADDED;
    return first_bits(count) & ~micai_ticks_find_newer(cell, count, added, since);
}

uint64_t micai_screen_find_off(const micai_term *term, micai_cell cell, uint64_t since)
{
    uint64_t off = micai_screen_is_toggled(term) && micai_toggle_is_off(cell);
    return term->news != MICAI_NEWS_NONE ? off | find_old(term, cell, 1, since) : off;
}

bool micai_screen_is_idle(const micai_query *query, const micai_table *table, uint32_t row,
                          uint32_t end, uint64_t since, uint32_t *end_out)
{
    bool idle = false;
    *end_out = end;
    for (uint64_t rest = query->timed & ~query->loose; !idle && rest != 0; rest &= rest - 1) {
        const micai_term *term = &query->terms[micai_bits_lowest(rest)];
        if (micai_query_use(term->access).needed) {
            uint32_t until;
            uint32_t column = micai_table_column(table, term->type->number);
            micai_cell cell = {(micai_table *)table, column, row};
            idle = micai_ticks_are_old(cell, term->news == MICAI_NEWS_ADDED, since, &until);
            *end_out = until < end ? until : end;
        }
    }
    if (MICAI_CANARY("query.idle")) {
        *end_out = end;
    }
    return idle;
}

// Looks at a chunk. Most queries ask for nothing but flags, of which the compiler is to know.
static inline void look(screen *s, uint32_t base, bool timed)
{
    uint32_t rest = s->table->count - base;
    uint32_t count = rest < CHUNK ? rest : CHUNK;
    uint64_t any = 0;
    s->base = base;
    s->pass = first_bits(count);
    for (uint64_t terms = s->watched; terms != 0; terms &= terms - 1) {
        uint32_t t = micai_bits_lowest(terms);
        const micai_cell cell = {s->table, s->columns[t], base};
        bool dimmed = !timed || (s->dimmed >> t & 1);
        uint64_t off = dimmed ? collect_flags(micai_toggle_flags(cell), count) : 0;
        if (timed && (s->query->timed >> t & 1)) {
            off |= find_old(&s->query->terms[t], cell, count, s->since);
        }
        if (MICAI_CANARY("query.disabled")) {
            off = 0;
        }
        s->pass &= s->uses[t].needed ? ~off : s->uses[t].forbidden ? off : UINT64_MAX;
        any |= s->uses[t].any ? ~off : 0;
        s->off[t] = off;
    }
    s->pass &= !s->any || s->granted ? UINT64_MAX : any;
}

// Looks at the chunk of a row; returns which of its rows from that one on pass, below `end`.
static uint64_t look_at(screen *s, uint32_t row, uint32_t end)
{
    uint32_t base = row & ~(CHUNK - 1);
    if (s->base != base) {
        if (s->query->timed) {
            look(s, base, true);
        } else {
            look(s, base, false);
        }
    }
    uint32_t last = end - base;
    return s->pass & first_bits(last) & ~first_bits(row - base);
}

// The first row of a chunk behind whole ones that are all enabled, or all disabled: most are, and that is
// told without looking at them one by one.
static uint32_t skip(const screen *s, uint32_t row, uint32_t end, bool off)
{
    if (!s->single || row >= end) {
        return row;
    }
    uint32_t column = s->columns[micai_bits_lowest(s->watched)];
    return micai_toggle_skip((micai_cell){s->table, column, row}, end, off);
}

// The same behind rows to which nothing happened that is asked for.
static uint32_t skip_idle(const screen *s, uint32_t row, uint32_t end)
{
    uint32_t until;
    while (s->query->timed && row < end &&
           micai_screen_is_idle(s->query, s->table, row, end, s->since, &until)) {
        row = until;
    }
    return row;
}

// Of the present chunk: rows that have the same terms as a row of it.
static uint64_t find_alike(const screen *s, uint64_t like_off)
{
    uint64_t alike = UINT64_MAX;
    for (uint64_t terms = s->varying; terms != 0; terms &= terms - 1) {
        uint32_t t = micai_bits_lowest(terms);
        alike &= like_off >> t & 1 ? s->off[t] : ~s->off[t];
    }
    return alike;
}

// Which terms that vary are off in a row of the present chunk.
static uint64_t find_off(const screen *s, uint32_t row)
{
    uint64_t off = 0;
    for (uint64_t terms = s->varying; terms != 0; terms &= terms - 1) {
        uint32_t t = micai_bits_lowest(terms);
        off |= (s->off[t] >> (row - s->base) & 1) << t;
    }
    return off;
}

// The first row from one on, below `end`, that passes; `end` if there is none.
static uint32_t find_row(screen *s, uint32_t row, uint32_t end)
{
    row = skip_idle(s, row, end);
    while (row < end) {
        uint64_t pass = look_at(s, row, end);
        if (pass) {
            return s->base + micai_bits_lowest(pass);
        }
        row = skip_idle(s, skip(s, s->base + CHUNK, end, true), end);
    }
    return end;
}

// How far the run goes that begins with a row which passes: the first row beyond it.
static uint32_t find_end(screen *s, uint32_t row, uint32_t end, uint64_t off)
{
    while (row < end) {
        uint64_t pass = look_at(s, row, end) & find_alike(s, off);
        uint64_t gaps = ~pass & ~first_bits(row - s->base);
        if (gaps && s->base + micai_bits_lowest(gaps) < s->base + CHUNK) {
            return s->base + micai_bits_lowest(gaps);
        }
        row = skip(s, s->base + CHUNK, end, false);
    }
    return end;
}

// Rows with which runs begin that are long, as far as can be seen in one chunk.
static uint64_t find_long(uint64_t pass)
{
    for (uint32_t shift = 1; shift < LONG_RUN; shift *= 2) {
        pass &= pass >> shift;
    }
    return pass;
}

// Takes rows of the present chunk into a block; returns the first row that is not looked at any more.
static uint32_t take(const screen *s, micai_block *block, uint64_t rows, uint32_t capacity)
{
    const mica_entity *ids = micai_segment_entities(s->table, s->base);
    uint32_t count = block->count;
    for (; rows != 0 && count < capacity; rows &= rows - 1) {
        uint32_t i = micai_bits_lowest(rows);
        block->rows[count] = s->base + i;
        block->entities[count++] = ids[i];
    }
    block->count = count;
    return s->base + (rows ? micai_bits_lowest(rows) : CHUNK);
}

// Brings short runs together, from a row that passes on, until a long one begins, or others that have
// not the same terms. Returns the first row beyond.
static uint32_t fill(screen *s, micai_block *block, uint32_t row, uint32_t end, uint32_t capacity,
                     uint64_t off)
{
    while (row < end && block->count < capacity) {
        uint64_t pass = look_at(s, row, end);
        if (!pass) {
            row = skip_idle(s, skip(s, s->base + CHUNK, end, true), end);
            continue;
        }
        uint64_t alike = pass & find_alike(s, off);
        uint64_t stop = find_long(alike) | (pass & ~alike);
        if (stop) {
            uint32_t first = micai_bits_lowest(stop);
            uint64_t before = alike & first_bits(first);
            row = take(s, block, before, capacity);
            return row < s->base + first ? row : s->base + first;
        }
        row = take(s, block, alike, capacity);
    }
    return row < end ? row : end;
}

// Which terms that may be missing are there.
static uint64_t find_present(const screen *s, uint64_t off)
{
    uint64_t present = 0;
    for (uint64_t rest = s->query->readable; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        bool there = micai_table_column(s->table, s->query->terms[t].type->number) != 0;
        present |= (uint64_t)there << t;
    }
    return present & ~off;
}

static void show_block(mica_iter *it, const screen *s, uint64_t off)
{
    micai_block *block = it->walk->memory;
    block->table = s->table;
    block->sieved = block->count;
    block->ids = block->entities;
    block->run = block->rows[block->count - 1] - block->rows[0] == block->count - 1;
    block->first = block->rows[0];
    block->present = find_present(s, off);
    it->walk->shown = NULL;
    it->readable = it->writable = 0; // what is asked for is looked for: query/gather
    it->entities = it->walk->query->no_entities ? NULL : block->ids;
    it->count = block->count;
}

// The end of the rows of a table that may still come.
static uint32_t end_of(const micai_walk *walk, const micai_table *table)
{
    uint32_t rest = table->count - walk->row;
    return walk->row + (rest < walk->rows ? rest : walk->rows);
}

static void advance(micai_walk *walk, const micai_table *table, uint32_t row)
{
    walk->rows -= row - walk->row;
    walk->match += row == table->count;
    walk->row = row == table->count ? 0 : row;
}

// The next segment of a table where some terms may be off. False: there is none, and the walk is behind it.
static bool next_in(mica_iter *it, screen *s)
{
    micai_walk *walk = it->walk;
    micai_block *block = walk->memory;
    uint32_t end = end_of(walk, s->table);
    uint32_t row = find_row(s, walk->row, end);
    if (row == end) {
        advance(walk, s->table, end);
        return false;
    }
    uint64_t off = find_off(s, row);
    uint64_t alike = look_at(s, row, end) & find_alike(s, off);
    advance(walk, s->table, row);
    if (s->stiff || (find_long(alike) >> (row - s->base) & 1)) {
        uint32_t most = micai_segment_reach(s->table, row, end);
        micai_segment_show(it, s->table, find_end(s, row, most, off) - row, off);
        block->present = walk->query->readable & ~off;
        if (MICAI_CANARY("query.off_fields")) {
            block->present = walk->query->readable;
        }
        for (; off != 0; off &= off - 1) {
            walk->pointers[micai_bits_lowest(off)] = NULL;
        }
        return true;
    }
    block->count = 0;
    advance(walk, s->table, fill(s, block, row, end, walk->query->block_rows, off));
    show_block(it, s, off);
    return true;
}

// The next segment of a table where all rows pass, as if nothing could be disabled.
static bool next_whole(mica_iter *it, micai_table *table)
{
    micai_walk *walk = it->walk;
    micai_block *block = walk->memory;
    block->present = walk->query->readable;
    bool whole = walk->query->simple && walk->rows >= table->count - walk->row &&
                 (walk->row & (MICAI_ROWS - 1)) == 0;
    if (!whole) {
        return micai_segment_next_general(it);
    }
    walk->shown = table;
    walk->shown_row = walk->row;
    bool found = micai_segment_next_simple(it);
    walk->rows -= found ? it->count : 0;
    return found;
}

bool micai_screen_next(mica_iter *it)
{
    micai_walk *walk = it->walk;
    const micai_query *query = walk->query;
    micai_gather_leave(walk);
    while (walk->rows > 0 && walk->match < query->tables.count) {
        micai_table *table = query->tables.items[walk->match];
        screen s;
        if (table->count == 0 || !open_screen(&s, query, table, walk->since)) {
            advance(walk, table, end_of(walk, table));
            continue;
        }
        if (s.watched == 0) {
            return next_whole(it, table);
        }
        if (next_in(it, &s)) {
            return true;
        }
    }
    return micai_iter_finish(it);
}

uint32_t micai_screen_count(const micai_query *query)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        micai_table *table = query->tables.items[m];
        screen s;
        if (!open_screen(&s, query, table, query->since)) {
            continue;
        }
        for (uint32_t row = 0; s.watched && row < table->count;) {
            uint32_t until;
            bool idle = query->timed &&
                        micai_screen_is_idle(query, table, row, table->count, s.since, &until);
            count += idle ? 0 : micai_bits_ones(look_at(&s, row, table->count));
            row = idle ? until : row + CHUNK;
        }
        count += s.watched ? 0 : table->count;
    }
    return count;
}

// Masks

// Rows of a table that share memory, up to 64: as bits, from the lowest on.
static uint64_t enabled_in(const micai_table *table, uint32_t row, uint32_t count,
                           const micai_type *type)
{
    uint32_t column = micai_table_column(table, type->number);
    if (!micai_table_has(table, type->number)) {
        return 0;
    }
    uint64_t off = 0;
    if (table->layout.columns[column].dimmed) {
        off = collect_flags(micai_toggle_flags((micai_cell){(micai_table *)table, column, row}),
                            count);
    }
    return ~off & first_bits(count);
}

// The block that is the present segment; NULL: that is a run of rows of one table.
static const micai_block *find_block(const mica_iter *it)
{
    const micai_block *block = micai_query_goes_by_rows(it->walk->query) ? it->walk->memory : NULL;
    return block && block->ids == it->entities ? block : NULL;
}

static uint64_t enabled_in_tables(const mica_iter *it, const micai_type *type, uint32_t row,
                                  uint32_t count)
{
    const micai_state *state = it->world->state;
    const micai_block *block = find_block(it);
    bool run = !block || (block->table && block->run);
    uint64_t enabled = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t slot = mica_entity_slot(it->entities[row + i]);
        const micai_cell cell =
            micai_row_cell(micai_row_of(&state->store, micai_slots_at(&state->slots, slot)), 0);
        uint32_t rest = MICAI_ROWS - (cell.row & (MICAI_ROWS - 1));
        uint32_t rows = !run ? 1 : rest < count - i ? rest : count - i;
        enabled |= enabled_in(cell.table, cell.row, rows, type) << i;
        i += rows;
    }
    return enabled;
}

static uint64_t enabled_in_pool(const mica_iter *it, const micai_type *type, uint32_t row,
                                uint32_t count)
{
    const micai_pool *pool = micai_pools_find(&it->world->state->pools, type->info.type);
    uint64_t enabled = 0;
    for (uint32_t i = 0; pool && i < count; i++) {
        uint32_t place = micai_pool_row(pool, mica_entity_slot(it->entities[row + i]));
        bool on = place != MICAI_INDEX_NONE && !micai_pool_is_off(pool, place);
        enabled |= (uint64_t)on << i;
    }
    return enabled;
}

uint64_t micai_screen_enabled(const mica_iter *it, uint32_t term, uint32_t row)
{
    const micai_query *query = it->walk->query;
    const micai_type *type = query->terms[term].type;
    uint32_t rest = it->count - row;
    uint32_t count = rest < 64 ? rest : 64;
    return query->loose >> term & 1 ? enabled_in_pool(it, type, row, count)
                                    : enabled_in_tables(it, type, row, count);
}
