// Computes masks from flags and ticks, and checks entities. row_filter_internal.h has the contract.
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

// Sets the state of terms in an archetype. `match` is its number in the query; UINT32_MAX: it does
// not match.
static void set_archetype(micai_row_filter *f, const micai_table *table, uint32_t match)
{
    const micai_query *query = f->query;
    micai_archetype_filter *a = &f->archetype;
    *a = (micai_archetype_filter){.table = table,
                                  .present = query->readable & ~query->optional,
                                  .rejected = match == UINT32_MAX};
    uint64_t columns = a->rejected ? 0 : ~query->sparse;
    const micai_term_column *found =
        a->rejected ? NULL : &query->term_columns.items[(size_t)match * query->term_count];
    for (uint64_t rest = query->conditional & columns; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        const micai_term *term = &query->terms[t];
        uint32_t column = found[t].column;
        bool filtered =
            term->change_filter != MICAI_FILTER_NONE && micai_table_has(table, term->type->number);
        if (filtered ||
            (table->layout.columns[column].has_disabled && micai_term_ignores_disabled(term))) {
            a->conditional |= bit_of(t);
        } else if (column && (query->excluded >> t & 1)) {
            a->rejected = true; // all rows have it, and it is excluded
        }
    }
    for (uint64_t rest = query->optional & columns; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        a->present |= (uint64_t)(found[t].column != 0) << t;
    }
    for (uint64_t rest = query->any_of & columns & ~a->conditional; rest != 0; rest &= rest - 1) {
        const micai_type *type = query->terms[micai_bits_lowest(rest)].type;
        a->any_satisfied = a->any_satisfied || micai_table_has(table, type->number);
    }
}

// Adds a mask for a term in a column of the candidates, unless the term is on in all rows.
static void add_mask(micai_row_filter *f, uint32_t t, micai_table *table, uint32_t column)
{
    const micai_term *term = &f->query->terms[t];
    bool toggled = table->layout.columns[column].has_disabled && micai_term_ignores_disabled(term);
    if (!toggled && term->change_filter == MICAI_FILTER_NONE) {
        return;
    }
    f->mask_terms |= bit_of(t);
    f->toggle_terms |= toggled ? bit_of(t) : 0;
    f->cells[t] = (micai_cell){table, column, 0};
}

// Called after all masks were added.
static void prepare_masks(micai_row_filter *f)
{
    f->optional_terms = f->mask_terms & f->query->optional;
    f->has_holes = f->pool && f->pool->index.hole_count > 0;
    f->masked = f->mask_terms || f->has_holes;
    f->single_term = f->mask_terms && (f->mask_terms & (f->mask_terms - 1)) == 0 && !f->has_holes &&
                     (f->mask_terms & f->query->required);
}

static micai_presence_filter *find_word(micai_row_filter *f, uint32_t word)
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

static void add_presence(micai_row_filter *f, uint32_t t)
{
    const micai_type *type = f->query->terms[t].type;
    const micai_query *query = f->query;
    micai_presence_filter *word = find_word(f, type->sparse / 64);
    uint64_t bit = UINT64_C(1) << (type->sparse % 64);
    word->required |= query->required >> t & 1 ? bit : 0;
    word->excluded |= query->excluded >> t & 1 ? bit : 0;
    word->any |= query->any_of >> t & 1 ? bit : 0;
    word->optional |= query->optional >> t & 1 ? bit : 0;
}

// Returns true if the group determines whether candidates are in the pool.
static bool is_pool_of_group(const micai_group *group, const micai_pool *pool)
{
    bool known = false;
    for (uint32_t i = 0; group && i < group->pool_count; i++) {
        known = known || group->pools[i] == pool;
    }
    return known;
}

static void add_lookup(micai_row_filter *f, uint32_t t, bool known, micai_block *block)
{
    const micai_term *term = &f->query->terms[t];
    uint64_t bit = bit_of(t) & f->query->readable;
    bool disabled = f->conditional_sparse >> t & 1;
    if (MICAI_CANARY("query.contains_all") && known) {
        disabled = false;
    }
    if (known && !disabled && !(block && bit)) {
        return;
    }
    micai_lookups_add(&f->lookups, micai_term_pool(f->state, f->query, t), known, disabled,
                      block && bit ? micai_block_pool_rows(block, term) : NULL);
    if (block) {
        block->located_listed |= bit;
    }
}

// Returns true if a sparse term may be off for some entities.
static bool may_be_off(const micai_term *term, const micai_pool *pool)
{
    return term->change_filter != MICAI_FILTER_NONE ||
           (micai_pool_has_disabled(pool) && micai_term_ignores_disabled(term));
}

// Opens the sparse terms. Returns false if a required pool does not exist.
static bool open_sparse(micai_row_filter *f, const micai_walk *walk, micai_block *block)
{
    const micai_query *query = f->query;
    uint64_t others = 0;
    uint64_t known = 0;
    for (uint64_t rest = query->sparse; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        micai_pool *pool = micai_term_pool(f->state, query, t);
        if (pool && micai_candidates_are_rows_of(walk, pool)) {
            add_mask(f, t, &pool->table, pool->column);
            continue;
        }
        if (!pool && (query->required >> t & 1)) {
            return false;
        }
        others |= bit_of(t);
        known |= walk->group && is_pool_of_group(walk->group, pool) ? bit_of(t) : 0;
        if (pool && (query->conditional >> t & 1) && may_be_off(&query->terms[t], pool)) {
            f->conditional_sparse |= bit_of(t);
        }
    }
    uint64_t decided = known & ~f->conditional_sparse; // no check needed
    uint64_t lookups = others & query->required & ~(f->conditional_sparse & query->change_filtered);
    f->per_entity = f->checks_archetype || (others & ~lookups & ~decided) ||
                    micai_bits_ones(lookups) > MICAI_LOOKUPS_MAX || query->of;
    for (uint64_t rest = f->per_entity ? others & ~decided : lookups; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        if (f->per_entity) {
            add_presence(f, t);
        } else {
            add_lookup(f, t, known >> t & 1, block);
        }
    }
    return true;
}

// Opens the terms in columns of an archetype. Returns false if no row passes.
static bool open_columns(micai_row_filter *f, uint32_t match)
{
    set_archetype(f, f->table, match);
    for (uint64_t rest = f->archetype.conditional; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        add_mask(f, t, f->table, micai_table_column(f->table, f->query->terms[t].type->number));
    }
    return !f->archetype.rejected;
}

bool micai_row_filter_open(micai_row_filter *f, const micai_state *state, const micai_walk *walk,
                           micai_block *block)
{
    const micai_query *query = walk->query;
    f->state = state;
    f->query = query;
    f->pool = walk->driver;
    f->table = walk->driver ? &walk->driver->table : query->tables.items[walk->match];
    f->end = walk->driver ? micai_candidates_count(walk) : f->table->count;
    f->since = walk->since;
    f->checks_archetype = walk->driver && !query->pools_only;
    f->base = UINT32_MAX;
    f->mask_terms = f->toggle_terms = f->conditional_sparse = f->any_rows = 0;
    f->word_count = 0;
    micai_lookups_begin(&f->lookups);
    f->archetype.table = NULL;
    f->archetype.any_satisfied = false;
    f->archetype.present = query->readable & ~query->optional;
    bool passes = (walk->driver || open_columns(f, walk->match)) && open_sparse(f, walk, block);
    prepare_masks(f);
    return passes;
}

// Masks

// Returns eight flags, the first one in the lowest byte.
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

// Returns flags as bits. The multiplication moves each of eight flags to its bit of the highest
// byte. Usually all flags are equal.
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

// Returns the rows that the change filter of a term rejects.
static uint64_t find_unchanged(const micai_term *term, micai_cell cell, uint32_t count,
                               uint64_t since)
{
    bool added = term->change_filter == MICAI_FILTER_ADDED;
    return first_bits(count) & ~micai_ticks_find_newer(cell, count, added, since);
}

bool micai_term_is_off(const micai_term *term, micai_cell cell, uint64_t since)
{
    return (micai_term_ignores_disabled(term) && micai_toggle_is_off(cell)) ||
           (term->change_filter != MICAI_FILTER_NONE && find_unchanged(term, cell, 1, since));
}

// Most queries have no change filter. The compiler creates a variant for them (`changes`).
static inline uint64_t find_off(const micai_row_filter *f, uint32_t t, uint32_t count, bool changes)
{
    micai_cell cell = f->cells[t];
    cell.row = f->base;
    bool toggled = !changes || (f->toggle_terms >> t & 1);
    uint64_t off = toggled ? collect_flags(micai_toggle_flags(cell), count) : 0;
    if (changes && (f->query->change_filtered >> t & 1)) {
        off |= find_unchanged(&f->query->terms[t], cell, count, f->since);
    }
    return MICAI_CANARY("query.disabled") ? 0 : off;
}

static inline void compute_masks(micai_row_filter *f, uint32_t base, bool changes)
{
    const micai_query *query = f->query;
    uint32_t count = micai_smaller(f->end - base, MICAI_CHUNK);
    f->base = base;
    f->any_rows = 0;
    f->pass = first_bits(count);
    if (f->has_holes && !MICAI_CANARY("query.holes")) {
        f->pass &= ~collect_holes(micai_segment_entities(f->table, base), count);
    }
    for (uint64_t rest = f->mask_terms; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        uint64_t off = find_off(f, t, count, changes);
        f->pass &= query->required >> t & 1 ? ~off : query->excluded >> t & 1 ? off : UINT64_MAX;
        f->any_rows |= query->any_of >> t & 1 ? ~off : 0;
        f->off[t] = off;
    }
    if (!f->per_entity && query->any_of && !f->archetype.any_satisfied) {
        f->pass &= f->any_rows;
    }
}

uint64_t micai_row_filter_mask(micai_row_filter *f, uint32_t row, uint32_t end)
{
    uint32_t base = row & ~(MICAI_CHUNK - 1);
    if (f->base != base && f->query->change_filtered) {
        compute_masks(f, base, true);
    } else if (f->base != base) {
        compute_masks(f, base, false);
    }
    return f->pass & first_bits(end - base) & ~first_bits(row - base);
}

// Skips rows whose state is known without testing each one. These are chunks that are all enabled
// or all disabled. They are also rows that share a tick and have changed.
static uint32_t skip_uniform(const micai_row_filter *f, uint32_t row, uint32_t end, bool off)
{
    if (!f->single_term || row >= end) {
        return row;
    }
    uint32_t t = micai_bits_lowest(f->mask_terms);
    micai_cell cell = f->cells[t];
    cell.row = row;
    const micai_term *term = &f->query->terms[t];
    if (term->change_filter == MICAI_FILTER_NONE) {
        return micai_toggle_skip(cell, end, off);
    }
    bool together = !off && !f->toggle_terms && !term->type->info.row_stamps;
    uint32_t until = row;
    while (
        together && cell.row < end &&
        !micai_ticks_are_old(cell, term->change_filter == MICAI_FILTER_ADDED, f->since, &until)) {
        cell.row = until;
    }
    return micai_smaller(cell.row, end);
}

// Returns true if a required column is unchanged in all rows from `row` on, up to the end that is
// returned.
static bool is_unchanged(const micai_row_filter *f, uint32_t row, uint32_t end, uint32_t *end_out)
{
    bool unchanged = false;
    *end_out = end;
    uint64_t rest = f->mask_terms & f->query->change_filtered & f->query->required;
    for (; !unchanged && rest != 0; rest &= rest - 1) {
        uint32_t until;
        uint32_t t = micai_bits_lowest(rest);
        micai_cell cell = f->cells[t];
        cell.row = row;
        bool added = f->query->terms[t].change_filter == MICAI_FILTER_ADDED;
        unchanged = micai_ticks_are_old(cell, added, f->since, &until);
        *end_out = micai_smaller(until, end);
    }
    if (MICAI_CANARY("query.unchanged")) {
        *end_out = end;
    }
    return unchanged;
}

static uint32_t skip_unchanged(const micai_row_filter *f, uint32_t row, uint32_t end)
{
    uint32_t until;
    while (f->query->change_filtered && row < end && is_unchanged(f, row, end, &until)) {
        row = until;
    }
    return row;
}

uint32_t micai_row_filter_skip(const micai_row_filter *f, uint32_t row, uint32_t end)
{
    return micai_smaller(skip_unchanged(f, skip_uniform(f, row, end, true), end), end);
}

uint32_t micai_row_filter_find(micai_row_filter *f, uint32_t row, uint32_t end)
{
    if (!f->masked) {
        return row;
    }
    if (f->base != (row & ~(MICAI_CHUNK - 1))) {
        row = skip_unchanged(f, row, end);
    }
    while (row < end) {
        uint64_t pass = micai_row_filter_mask(f, row, end);
        if (pass) {
            return f->base + micai_bits_lowest(pass);
        }
        row = micai_row_filter_skip(f, f->base + MICAI_CHUNK, end);
    }
    return end;
}

uint32_t micai_row_filter_run_end(micai_row_filter *f, uint32_t row, uint32_t end, uint64_t off)
{
    while (f->masked && row < end) {
        uint64_t pass = micai_row_filter_mask(f, row, end) & micai_row_filter_same_optional(f, off);
        uint64_t gaps = ~pass & ~first_bits(row - f->base);
        if (gaps && micai_bits_lowest(gaps) < MICAI_CHUNK) {
            return f->base + micai_bits_lowest(gaps);
        }
        row = skip_uniform(f, f->base + MICAI_CHUNK, end, false);
    }
    return end;
}

uint32_t micai_row_filter_count(micai_row_filter *f)
{
    uint32_t count = f->masked ? 0 : f->end;
    for (uint32_t row = 0; f->masked && row < f->end;) {
        count += micai_bits_ones(micai_row_filter_mask(f, row, f->end));
        row = skip_unchanged(f, row + MICAI_CHUNK, f->end);
    }
    return count;
}

// Entities

// Sets the archetype of an entity. Returns false if it does not match.
static inline bool set_archetype_of(micai_row_filter *f, const micai_record *record)
{
    const micai_table *table = micai_row_table(micai_row_of(&f->state->store, record));
    if (table != f->archetype.table) {
        set_archetype(f, table, micai_query_find_table(f->query, table));
    }
    return !f->archetype.rejected;
}

// Returns which of some conditional terms are off for an entity.
static uint64_t find_off_terms(const micai_row_filter *f, micai_entity_ref ref, uint64_t terms)
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

// Returns which sparse terms of a word of presence are off, as bits of the word.
static uint64_t off_bits(const micai_row_filter *f, uint32_t word, uint64_t off)
{
    uint64_t bits = 0;
    for (uint64_t rest = off & f->conditional_sparse; rest != 0; rest &= rest - 1) {
        uint32_t number = f->query->terms[micai_bits_lowest(rest)].type->sparse;
        bits |= (uint64_t)(number / 64 == word) << (number % 64);
    }
    return bits;
}

bool micai_row_filter_check_entity(micai_row_filter *f, uint32_t row, mica_entity entity)
{
    const micai_query *query = f->query;
    uint32_t slot = mica_entity_slot(entity);
    bool any = f->masked && (f->any_rows >> (row - f->base) & 1);
    uint64_t off = f->optional_terms ? micai_row_filter_optional_off(f, row) : 0;
    uint64_t columns = 0;
    if (f->checks_archetype || f->conditional_sparse) {
        const micai_entity_ref ref = {entity, micai_slots_at(&f->state->slots, slot)};
        if (f->checks_archetype && !set_archetype_of(f, ref.record)) {
            return false;
        }
        columns = f->checks_archetype ? f->archetype.conditional : 0;
        off |= find_off_terms(f, ref, f->conditional_sparse | columns);
    }
    if ((columns & query->required & off) || (columns & query->excluded & ~off)) {
        return false;
    }
    any = any || (columns & query->any_of & ~off);
    for (uint32_t i = 0; i < f->word_count; i++) {
        micai_presence_filter *word = &f->words[i];
        uint64_t in = micai_presence_of(&f->state->pools, word->word, slot);
        in &= f->conditional_sparse ? ~off_bits(f, word->word, off) : UINT64_MAX;
        if ((in & word->required) != word->required || (in & word->excluded) != 0) {
            return false;
        }
        any = any || (in & word->any) != 0;
        word->found = in & word->optional;
    }
    f->present = f->archetype.present & ~off;
    return any || !query->any_of || f->archetype.any_satisfied;
}

uint64_t micai_row_filter_present(const micai_row_filter *f)
{
    uint64_t present = f->present & ~(f->query->optional & f->query->sparse);
    for (uint64_t rest = f->query->optional & f->query->sparse; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        uint32_t number = f->query->terms[t].type->sparse;
        for (uint32_t i = 0; i < f->word_count; i++) {
            bool here = f->words[i].word == number / 64;
            present |= here ? (f->words[i].found >> (number % 64) & 1) << t : 0;
        }
    }
    return present;
}

// Enabled rows

// Returns which of up to 64 rows of a column, whose flags lie side by side, are enabled.
static uint64_t enabled_in(micai_cell cell, uint32_t count)
{
    bool disabled = cell.table->layout.columns[cell.column].has_disabled;
    return first_bits(count) & ~(disabled ? collect_flags(micai_toggle_flags(cell), count) : 0);
}

// Returns which of up to 64 consecutive rows of a column are enabled.
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

// Returns true if the rows of the current segment are consecutive where the term is stored.
static bool is_run(const mica_iter *it, uint32_t term)
{
    const micai_walk *walk = it->walk;
    const micai_query *query = walk->query;
    const micai_block *block = walk->memory;
    if (!micai_query_is_filtered(query) || walk->segment_table) {
        return true;
    }
    const micai_pool *pool =
        query->sparse >> term & 1 ? micai_term_pool(it->world->state, query, term) : NULL;
    return block->run && (pool ? micai_candidates_are_rows_of(walk, pool) : block->table != NULL);
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
