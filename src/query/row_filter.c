// Looking at flags and ticks, many at a time; and asking entities. row_filter_internal.h has the contract.
#include "query/row_filter_internal.h"

#include <string.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "base/number.h"
#include "query/segment_internal.h"

static uint64_t bit_of(uint32_t term)
{
    return UINT64_C(1) << term;
}

static uint64_t first_bits(uint32_t count)
{
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

// Opening

// What an archetype says, which may be none that matches.
static void enter_archetype(micai_row_filter *f, const micai_table *table, uint32_t match)
{
    const micai_query *query = f->query;
    micai_archetype_filter *a = &f->archetype;
    *a = (micai_archetype_filter){.table = table,
                                  .present = query->readable & ~query->optional,
                                  .barred = match == UINT32_MAX};
    uint64_t columns = a->barred ? 0 : ~query->sparse;
    const micai_found *found =
        a->barred ? NULL : &query->found.items[(size_t)match * query->term_count];
    for (uint64_t rest = query->conditional & columns; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        const micai_term *term = &query->terms[t];
        uint32_t column = found[t].column;
        bool filtered = term->news != MICAI_NEWS_NONE && micai_table_has(table, term->type->number);
        if (filtered ||
            (table->layout.columns[column].has_disabled && micai_term_is_toggled(term))) {
            a->conditional |= bit_of(t);
        } else if (column && (query->excluded >> t & 1)) {
            a->barred = true; // all have it
        }
    }
    for (uint64_t rest = query->optional & columns; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        a->present |= (uint64_t)(found[t].column != 0) << t;
    }
    for (uint64_t rest = query->any_of & columns & ~a->conditional; rest != 0; rest &= rest - 1) {
        const micai_type *type = query->terms[micai_bits_lowest(rest)].type;
        a->granted = a->granted || micai_table_has(table, type->number);
    }
}

// A term is a column of the candidates, and may be off somewhere.
static void watch(micai_row_filter *f, uint32_t t, micai_table *table, uint32_t column)
{
    const micai_term *term = &f->query->terms[t];
    bool toggled = table->layout.columns[column].has_disabled && micai_term_is_toggled(term);
    if (!toggled && term->news == MICAI_NEWS_NONE) {
        return;
    }
    f->watched |= bit_of(t);
    f->toggled |= toggled ? bit_of(t) : 0;
    f->cells[t] = (micai_cell){table, column, 0};
}

// When all that are watched are known.
static void prepare_masks(micai_row_filter *f)
{
    f->optional = f->watched & f->query->optional;
    f->holes = f->pool && f->pool->index.hole_count > 0;
    f->masked = f->watched || f->holes;
    f->single = f->watched && (f->watched & (f->watched - 1)) == 0 && !f->holes &&
                (f->watched & f->query->required);
}

static micai_presence_filter *word_of(micai_row_filter *f, uint32_t word)
{
    uint32_t i = 0;
    while (i < f->word_count && f->words[i].word != word) {
        i++;
    }
    if (i == f->word_count) {
        f->words[f->word_count++] = (micai_presence_filter){.word = word};
    }
    return &f->words[i];
}

static void ask_presence(micai_row_filter *f, uint32_t t)
{
    const micai_type *type = f->query->terms[t].type;
    const micai_query *query = f->query;
    micai_presence_filter *word = word_of(f, type->sparse / 64);
    uint64_t bit = UINT64_C(1) << (type->sparse % 64);
    word->needed |= query->required >> t & 1 ? bit : 0;
    word->forbidden |= query->excluded >> t & 1 ? bit : 0;
    word->any |= query->any_of >> t & 1 ? bit : 0;
    word->optional |= query->optional >> t & 1 ? bit : 0;
}

// Does a group say of all candidates that they are in a pool, or are not?
static bool is_known(const micai_group *group, const micai_pool *pool)
{
    bool known = false;
    for (uint32_t i = 0; group && i < group->pool_count; i++) {
        known = known || group->pools[i] == pool;
    }
    return known;
}

static void look_up(micai_row_filter *f, uint32_t t, bool known, micai_block *block)
{
    const micai_term *term = &f->query->terms[t];
    uint64_t bit = bit_of(t) & f->query->readable;
    bool watched = f->asked >> t & 1;
    if (MICAI_CANARY("query.certain") && known) {
        watched = false;
    }
    if (known && !watched && !(block && bit)) {
        return;
    }
    micai_lookups_add(&f->lookups, micai_term_pool(f->state, f->query, t), known, watched,
                      block && bit ? micai_block_places(block, term) : NULL);
    if (block) {
        block->noted |= bit;
    }
}

// May a sparse term be off somewhere in its pool?
static bool may_be_off(const micai_term *term, const micai_pool *pool)
{
    return term->news != MICAI_NEWS_NONE ||
           (micai_pool_has_disabled(pool) && micai_term_is_toggled(term));
}

// Sparse terms. False: one is needed that no entity has.
static bool open_sparse(micai_row_filter *f, const micai_walk *walk, micai_block *block)
{
    const micai_query *query = f->query;
    uint64_t others = 0;
    uint64_t known = 0;
    for (uint64_t rest = query->sparse; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        micai_pool *pool = micai_term_pool(f->state, query, t);
        if (pool && micai_candidates_are_in(walk, pool)) {
            watch(f, t, &pool->table, pool->column);
            continue;
        }
        if (!pool && (query->required >> t & 1)) {
            return false;
        }
        others |= bit_of(t);
        known |= walk->group && is_known(walk->group, pool) ? bit_of(t) : 0;
        if (pool && (query->conditional >> t & 1) && may_be_off(&query->terms[t], pool)) {
            f->asked |= bit_of(t);
        }
    }
    uint64_t silent = known & ~f->asked; // needs no question
    uint64_t lookups = others & query->required & ~(f->asked & query->change_filtered);
    f->asks = f->by_record || (others & ~lookups & ~silent) ||
              micai_bits_ones(lookups) > MICAI_LOOKUPS_MAX;
    for (uint64_t rest = f->asks ? others & ~silent : lookups; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        if (f->asks) {
            ask_presence(f, t);
        } else {
            look_up(f, t, known >> t & 1, block);
        }
    }
    return true;
}

// Terms in columns of an archetype. False: no row passes.
static bool open_columns(micai_row_filter *f, uint32_t match)
{
    enter_archetype(f, f->table, match);
    for (uint64_t rest = f->archetype.conditional; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        watch(f, t, f->table, micai_table_column(f->table, f->query->terms[t].type->number));
    }
    return !f->archetype.barred;
}

bool micai_row_filter_open(micai_row_filter *f, const micai_state *state, const micai_walk *walk,
                           micai_block *block)
{
    const micai_query *query = walk->query;
    f->state = state;
    f->query = query;
    f->pool = walk->driver;
    f->table = walk->driver ? &walk->driver->table : query->tables.items[walk->match];
    f->end = walk->driver ? micai_candidates_end(walk) : f->table->count;
    f->since = walk->since;
    f->by_record = walk->driver && !query->anywhere;
    f->base = UINT32_MAX;
    f->watched = f->toggled = f->asked = f->any = 0;
    f->word_count = 0;
    micai_lookups_begin(&f->lookups);
    f->archetype.table = NULL;
    f->archetype.granted = false;
    f->archetype.present = query->readable & ~query->optional;
    bool passes = (walk->driver || open_columns(f, walk->match)) && open_sparse(f, walk, block);
    prepare_masks(f);
    return passes;
}

// Masks

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

static uint64_t collect_holes(const mica_entity *ids, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        bits |= (uint64_t)micai_is_hole(ids[i]) << i;
    }
    return bits;
}

// Rows to which nothing happened that a term asks for.
static uint64_t find_old(const micai_term *term, micai_cell cell, uint32_t count, uint64_t since)
{
    bool added = term->news == MICAI_NEWS_ADDED;
    return first_bits(count) & ~micai_ticks_find_newer(cell, count, added, since);
}

bool micai_term_is_off(const micai_term *term, micai_cell cell, uint64_t since)
{
    return (micai_term_is_toggled(term) && micai_toggle_is_off(cell)) ||
           (term->news != MICAI_NEWS_NONE && find_old(term, cell, 1, since));
}

// Most queries ask for nothing but flags, which the compiler is to know (`changes`).
static inline uint64_t find_off(const micai_row_filter *f, uint32_t t, uint32_t count, bool changes)
{
    micai_cell cell = f->cells[t];
    cell.row = f->base;
    bool toggled = !changes || (f->toggled >> t & 1);
    uint64_t off = toggled ? collect_flags(micai_toggle_flags(cell), count) : 0;
    if (changes && (f->query->change_filtered >> t & 1)) {
        off |= find_old(&f->query->terms[t], cell, count, f->since);
    }
    return MICAI_CANARY("query.disabled") ? 0 : off;
}

static inline void look(micai_row_filter *f, uint32_t base, bool changes)
{
    const micai_query *query = f->query;
    uint32_t count = micai_smaller(f->end - base, MICAI_CHUNK);
    f->base = base;
    f->any = 0;
    f->pass = first_bits(count);
    if (f->holes && !MICAI_CANARY("query.holes")) {
        f->pass &= ~collect_holes(micai_segment_entities(f->table, base), count);
    }
    for (uint64_t rest = f->watched; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        uint64_t off = find_off(f, t, count, changes);
        f->pass &= query->required >> t & 1 ? ~off : query->excluded >> t & 1 ? off : UINT64_MAX;
        f->any |= query->any_of >> t & 1 ? ~off : 0;
        f->off[t] = off;
    }
    if (!f->asks && query->any_of && !f->archetype.granted) {
        f->pass &= f->any;
    }
}

uint64_t micai_row_filter_look(micai_row_filter *f, uint32_t row, uint32_t end)
{
    uint32_t base = row & ~(MICAI_CHUNK - 1);
    if (f->base != base && f->query->change_filtered) {
        look(f, base, true);
    } else if (f->base != base) {
        look(f, base, false);
    }
    return f->pass & first_bits(end - base) & ~first_bits(row - base);
}

// Rows that are alike as a whole: most are, and that is known without looking at them one by one. Chunks that are all
// enabled, or all disabled; rows to which something happened, where ticks are kept of many together.
static uint32_t skip_alike(const micai_row_filter *f, uint32_t row, uint32_t end, bool off)
{
    if (!f->single || row >= end) {
        return row;
    }
    uint32_t t = micai_bits_lowest(f->watched);
    micai_cell cell = f->cells[t];
    cell.row = row;
    const micai_term *term = &f->query->terms[t];
    if (term->news == MICAI_NEWS_NONE) {
        return micai_toggle_skip(cell, end, off);
    }
    bool together = !off && !f->toggled && !term->type->info.row_stamps;
    uint32_t until = row;
    while (together && cell.row < end &&
           !micai_ticks_are_old(cell, term->news == MICAI_NEWS_ADDED, f->since, &until)) {
        cell.row = until;
    }
    return micai_smaller(cell.row, end);
}

// Is some column that is needed off in all rows from one on up to an end, because nothing happened to it? The end is that
// of what can be said at once.
static bool is_idle(const micai_row_filter *f, uint32_t row, uint32_t end, uint32_t *end_out)
{
    bool idle = false;
    *end_out = end;
    uint64_t rest = f->watched & f->query->change_filtered & f->query->required;
    for (; !idle && rest != 0; rest &= rest - 1) {
        uint32_t until;
        uint32_t t = micai_bits_lowest(rest);
        micai_cell cell = f->cells[t];
        cell.row = row;
        bool added = f->query->terms[t].news == MICAI_NEWS_ADDED;
        idle = micai_ticks_are_old(cell, added, f->since, &until);
        *end_out = micai_smaller(until, end);
    }
    if (MICAI_CANARY("query.idle")) {
        *end_out = end;
    }
    return idle;
}

static uint32_t skip_idle(const micai_row_filter *f, uint32_t row, uint32_t end)
{
    uint32_t until;
    while (f->query->change_filtered && row < end && is_idle(f, row, end, &until)) {
        row = until;
    }
    return row;
}

uint32_t micai_row_filter_skip(const micai_row_filter *f, uint32_t row, uint32_t end)
{
    return micai_smaller(skip_idle(f, skip_alike(f, row, end, true), end), end);
}

uint32_t micai_row_filter_find(micai_row_filter *f, uint32_t row, uint32_t end)
{
    if (!f->masked) {
        return row;
    }
    if (f->base != (row & ~(MICAI_CHUNK - 1))) {
        row = skip_idle(f, row, end);
    }
    while (row < end) {
        uint64_t pass = micai_row_filter_look(f, row, end);
        if (pass) {
            return f->base + micai_bits_lowest(pass);
        }
        row = micai_row_filter_skip(f, f->base + MICAI_CHUNK, end);
    }
    return end;
}

uint32_t micai_row_filter_end(micai_row_filter *f, uint32_t row, uint32_t end, uint64_t off)
{
    while (f->masked && row < end) {
        uint64_t pass = micai_row_filter_look(f, row, end) & micai_row_filter_alike(f, off);
        uint64_t gaps = ~pass & ~first_bits(row - f->base);
        if (gaps && micai_bits_lowest(gaps) < MICAI_CHUNK) {
            return f->base + micai_bits_lowest(gaps);
        }
        row = skip_alike(f, f->base + MICAI_CHUNK, end, false);
    }
    return end;
}

uint32_t micai_row_filter_count(micai_row_filter *f)
{
    uint32_t count = f->masked ? 0 : f->end;
    for (uint32_t row = 0; f->masked && row < f->end;) {
        count += micai_bits_ones(micai_row_filter_look(f, row, f->end));
        row = skip_idle(f, row + MICAI_CHUNK, f->end);
    }
    return count;
}

// Entities

// Is the archetype of an entity one that matches?
static inline bool enter_record(micai_row_filter *f, const micai_record *record)
{
    const micai_table *table = micai_row_table(micai_row_of(&f->state->store, record));
    if (table != f->archetype.table) {
        enter_archetype(f, table, micai_query_match(f->query, table));
    }
    return !f->archetype.barred;
}

// Terms that are off for an entity, of those that may be.
static uint64_t ask_terms(const micai_row_filter *f, micai_entity_ref ref, uint64_t terms)
{
    uint64_t off = 0;
    for (uint64_t rest = terms; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        const micai_term *term = &f->query->terms[t];
        const micai_cell cell = micai_locate(f->state, ref, term->type);
        if (MICAI_CANARY("query.disabled_sparse") && (f->query->sparse >> t & 1)) {
            continue;
        }
        off |= cell.table && micai_term_is_off(term, cell, f->since) ? bit_of(t) : 0;
    }
    return off;
}

// Which sparse terms of a word are off, as bits there.
static uint64_t off_in(const micai_row_filter *f, uint32_t word, uint64_t off)
{
    uint64_t bits = 0;
    for (uint64_t rest = off & f->asked; rest != 0; rest &= rest - 1) {
        uint32_t number = f->query->terms[micai_bits_lowest(rest)].type->sparse;
        bits |= (uint64_t)(number / 64 == word) << (number % 64);
    }
    return bits;
}

bool micai_row_filter_ask(micai_row_filter *f, uint32_t row, mica_entity entity)
{
    const micai_query *query = f->query;
    uint32_t slot = mica_entity_slot(entity);
    bool any = f->masked && (f->any >> (row - f->base) & 1);
    uint64_t off = f->optional ? micai_row_filter_off(f, row) : 0;
    uint64_t columns = 0;
    if (f->by_record || f->asked) {
        const micai_entity_ref ref = {entity, micai_slots_at(&f->state->slots, slot)};
        if (f->by_record && !enter_record(f, ref.record)) {
            return false;
        }
        columns = f->by_record ? f->archetype.conditional : 0;
        off |= ask_terms(f, ref, f->asked | columns);
    }
    if ((columns & query->required & off) || (columns & query->excluded & ~off)) {
        return false;
    }
    any = any || (columns & query->any_of & ~off);
    for (uint32_t i = 0; i < f->word_count; i++) {
        micai_presence_filter *word = &f->words[i];
        uint64_t in = micai_presence_of(&f->state->pools, word->word, slot);
        in &= f->asked ? ~off_in(f, word->word, off) : UINT64_MAX;
        if ((in & word->needed) != word->needed || (in & word->forbidden) != 0) {
            return false;
        }
        any = any || (in & word->any) != 0;
        word->seen = in & word->optional;
    }
    f->present = f->archetype.present & ~off;
    return any || !query->any_of || f->archetype.granted;
}

uint64_t micai_row_filter_present(const micai_row_filter *f)
{
    uint64_t present = f->present & ~(f->query->optional & f->query->sparse);
    for (uint64_t rest = f->query->optional & f->query->sparse; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        uint32_t number = f->query->terms[t].type->sparse;
        for (uint32_t i = 0; i < f->word_count; i++) {
            bool here = f->words[i].word == number / 64;
            present |= here ? (f->words[i].seen >> (number % 64) & 1) << t : 0;
        }
    }
    return present;
}

// Enabled rows

// Of rows of a column, which share memory, up to 64: as bits, from the lowest on.
static uint64_t enabled_in(micai_cell cell, uint32_t count)
{
    bool disabled = cell.table->layout.columns[cell.column].has_disabled;
    return first_bits(count) & ~(disabled ? collect_flags(micai_toggle_flags(cell), count) : 0);
}

// Of a run of them.
static uint64_t enabled_in_run(micai_cell cell, uint32_t count)
{
    uint64_t enabled = 0;
    for (uint32_t i = 0, here; i < count; i += here) {
        here = micai_smaller(MICAI_ROWS - (cell.row & (MICAI_ROWS - 1)), count - i);
        enabled |= enabled_in(cell, here) << i;
        cell.row += here;
    }
    return enabled;
}

// Do the rows of the present segment follow each other where they have a term?
static bool is_run(const mica_iter *it, uint32_t term)
{
    const micai_walk *walk = it->walk;
    const micai_query *query = walk->query;
    const micai_block *block = walk->memory;
    if (!micai_query_goes_by_rows(query) || walk->segment_table) {
        return true;
    }
    const micai_pool *pool =
        query->sparse >> term & 1 ? micai_term_pool(it->world->state, query, term) : NULL;
    return block->run && (pool ? micai_candidates_are_in(walk, pool) : block->table != NULL);
}

uint64_t micai_row_filter_enabled(const mica_iter *it, uint32_t term, uint32_t row)
{
    const micai_state *state = it->world->state;
    const micai_type *type = it->walk->query->terms[term].type;
    uint32_t count = micai_smaller(it->count - row, 64);
    bool run = is_run(it, term);
    uint64_t enabled = 0;
    for (uint32_t i = 0; i < count; i++) {
        mica_entity entity = it->entities[row + i];
        const micai_record *record = micai_slots_at(&state->slots, mica_entity_slot(entity));
        const micai_cell cell = micai_locate(state, (micai_entity_ref){entity, record}, type);
        if (run) {
            return cell.table ? enabled_in_run(cell, count) : 0;
        }
        bool on = cell.table && !(type->info.toggle && micai_toggle_is_off(cell));
        enabled |= (uint64_t)on << i;
    }
    return enabled;
}
