// The store: tables by archetype, edges between them, and reclaiming. In this order: archetypes as
// sets and as words, tables, edges, the whole, validation. Rows move in move.c, whole tables in
// transfer.c.
#include "store/table/store.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"

// Sets and tables spell the same archetype in words of different counts: zero words at the end do
// not matter.

static uint32_t used_words(const mica_types *set)
{
    uint32_t count = micai_types_word_count(set);
    while (count > 0 && micai_types_word(set, count - 1) == 0) {
        count--;
    }
    return count;
}

static uint64_t hash_set(const mica_types *set)
{
    uint64_t hash = 0;
    uint32_t count = used_words(set);
    for (uint32_t i = 0; i < count; i++) {
        hash = micai_hash_add(hash, micai_types_word(set, i));
    }
    return hash;
}

static bool has_set(const micai_table *table, const mica_types *set)
{
    uint32_t count = used_words(set);
    if (count != table->word_count) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (table->words[i] != micai_types_word(set, i)) {
            return false;
        }
    }
    return true;
}

static bool match_set(const void *context, uint32_t value, const void *key)
{
    const micai_store *store = context;
    return has_set(store->tables.items[value], key);
}

mica_result micai_store_set_of(micai_store *store, const micai_table *table, mica_types *set_out)
{
    mica_result result = micai_types_reserve(store->host, set_out, table->word_count);
    if (result) {
        return result;
    }
    for (uint32_t i = 0; i < micai_types_word_count(set_out); i++) {
        uint64_t word = i < table->word_count ? table->words[i] : 0;
        if (i < MICA_TYPES_INLINE_WORDS) {
            set_out->words[i] = word;
        } else {
            set_out->more[i - MICA_TYPES_INLINE_WORDS] = word;
        }
    }
    return MICA_OK;
}

// Tables

static size_t table_size(uint32_t word_count, uint32_t column_count)
{
    return sizeof(micai_table) + 2 * sizeof(uint64_t) * word_count +
           column_count * sizeof(micai_column);
}

static void fill_columns(micai_store *store, micai_table *table)
{
    table->columns[0] = (micai_column){.size = (uint32_t)sizeof(mica_entity)};
    table->plain = true;
    uint32_t column = 1;
    for (uint32_t n = micai_bits_next(table->data_words, table->word_count, 0); n != MICAI_BITS_END;
         n = micai_bits_next(table->data_words, table->word_count, n + 1)) {
        const micai_type *type = store->registry->list.items[n];
        const mica_hooks *hooks = &type->info.hooks;
        table->columns[column++] =
            (micai_column){.type = type, .size = type->info.size, .has_move = hooks->move != NULL};
        table->plain =
            table->plain && !hooks->construct && !hooks->destruct && !hooks->copy && !hooks->move;
    }
}

// A table and its archetype in one block, unknown to the store yet. NULL on failure.
static micai_table *build_table(micai_store *store, const mica_types *set)
{
    uint32_t words = used_words(set);
    const uint64_t *data = store->registry->data_words.items;
    uint32_t columns = 1;
    for (uint32_t i = 0; i < words; i++) {
        columns += micai_bits_ones(micai_types_word(set, i) & data[i]);
    }
    if (columns > MICAI_COLUMNS_MAX) {
        micai_fail(store->host, MICA_ERROR_LIMIT,
                   "%" PRIu32 " components of one entity; %u is the most", columns - 1,
                   MICAI_COLUMNS_MAX - 1);
        return NULL;
    }
    micai_table *table =
        micai_alloc(store->host, table_size(words, columns), _Alignof(micai_table));
    if (!table) {
        return NULL;
    }
    *table = (micai_table){.word_count = words, .column_count = columns, .hash = hash_set(set)};
    table->words = (uint64_t *)(void *)(table + 1);
    table->data_words = table->words + words;
    table->columns = (micai_column *)(void *)(table->data_words + words);
    for (uint32_t i = 0; i < words; i++) {
        table->words[i] = micai_types_word(set, i);
        table->data_words[i] = table->words[i] & data[i];
    }
    fill_columns(store, table);
    return table;
}

static void free_edges(micai_store *store, micai_table *table, bool all);

static void free_table(micai_store *store, micai_table *table)
{
    micai_table_set_count(table, 0);
    micai_table_trim(store, table);
    free_edges(store, table, true);
    micai_array_free(store->host, &table->edges);
    micai_release(store->host, table, table_size(table->word_count, table->column_count),
                  _Alignof(micai_table));
}

// Tells the listeners; if one refuses, those who agreed hear that it is going again.
static mica_result announce(micai_store *store, micai_table *table)
{
    for (uint32_t i = 0; i < store->listener_count; i++) {
        const micai_listener *listener = &store->listeners[i];
        mica_result result = listener->made ? listener->made(listener->user, table) : MICA_OK;
        if (result) {
            table->dying = true;
            while (i-- > 0) {
                store->listeners[i].going(store->listeners[i].user);
            }
            return result;
        }
    }
    return MICA_OK;
}

static micai_table *make_table(micai_store *store, const mica_types *set)
{
    if (!micai_array_reserve(store->host, &store->tables, 1) ||
        !micai_map_reserve(store->host, &store->by_set, 1)) {
        return NULL;
    }
    micai_table *table = build_table(store, set);
    if (!table) {
        return NULL;
    }
    table->id = store->tables.count;
    if (announce(store, table)) {
        free_table(store, table);
        return NULL;
    }
    store->tables.items[store->tables.count++] = table;
    micai_map_insert(&store->by_set, table->hash, table->id);
    return table;
}

// NULL if there is none.
static micai_table *find_table(const micai_store *store, const mica_types *set)
{
    uint32_t id = micai_map_find(&store->by_set, hash_set(set), match_set, store, set);
    return id != MICAI_MAP_NONE ? store->tables.items[id] : NULL;
}

micai_table *micai_store_table(micai_store *store, const mica_types *set)
{
    micai_table *table = find_table(store, set);
    return table ? table : make_table(store, set);
}

// Edges

static size_t edge_size(const micai_edge *edge)
{
    return sizeof *edge +
           (edge->shared_count + edge->added_count + edge->removed_count) * sizeof(micai_copy);
}

// Frees the edges that lead to tables that are dying, or all.
static void free_edges(micai_store *store, micai_table *table, bool all)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->edges.count; i++) {
        micai_edge *edge = table->edges.items[i];
        if (!all && !edge->target->dying) {
            table->edges.items[kept++] = edge;
        } else {
            micai_release(store->host, edge, edge_size(edge), _Alignof(micai_edge));
        }
    }
    table->edges.count = kept;
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        micai_sheet *sheet = table->sheets.items[i];
        if (!MICAI_CANARY("store.recent_edge")) {
            sheet->recent[false] = sheet->recent[true] = NULL;
        }
    }
}

// The place of the first edge whose key is not below.
static uint32_t lower_bound(const micai_table *table, uint64_t key)
{
    uint32_t from = 0;
    uint32_t to = table->edges.count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (table->edges.items[middle]->key < key) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

// Writes down the copies of an edge: both tables' columns are in order of type
// number, so one walk over both finds them.
static void plan_copies(micai_edge *edge)
{
    const micai_table *source = edge->source;
    const micai_table *target = edge->target;
    micai_copy *words = edge->copies;
    micai_copy *others = words + edge->word_count;
    micai_copy *added = words + edge->shared_count;
    micai_copy *removed = added + edge->added_count;
    *words++ = (micai_copy){0, 0, source->columns[0].size};
    uint32_t s = 1;
    uint32_t t = 1;
    while (s < source->column_count || t < target->column_count) {
        uint32_t in_source =
            s < source->column_count ? source->columns[s].type->number : UINT32_MAX;
        uint32_t in_target =
            t < target->column_count ? target->columns[t].type->number : UINT32_MAX;
        if (in_source == in_target) {
            uint32_t size = source->columns[s].size;
            *(size == 8 ? words++ : others++) = (micai_copy){(uint16_t)s, (uint16_t)t, size};
            s++;
            t++;
        } else if (in_source < in_target) {
            *removed++ = (micai_copy){(uint16_t)s, 0, source->columns[s].size};
            s++;
        } else {
            *added++ = (micai_copy){0, (uint16_t)t, target->columns[t].size};
            t++;
        }
    }
}

// How many columns of `a` are of 8 bytes and in `b` too, ids included.
static uint32_t count_words(const micai_table *a, const micai_table *b)
{
    uint32_t words = 1;
    for (uint32_t c = 1; c < a->column_count; c++) {
        words += a->columns[c].size == 8 && micai_table_column(b, a->columns[c].type->number) != 0;
    }
    return words;
}

static uint32_t count_shared(const micai_table *a, const micai_table *b)
{
    uint32_t words = a->word_count < b->word_count ? a->word_count : b->word_count;
    uint32_t shared = 1; // the ids
    for (uint32_t i = 0; i < words; i++) {
        shared += micai_bits_ones(a->data_words[i] & b->data_words[i]);
    }
    return shared;
}

static micai_edge *make_edge(micai_store *store, micai_table *source, micai_table *target,
                             uint64_t key)
{
    uint32_t shared = count_shared(source, target);
    micai_edge head = {.key = key,
                       .source = source,
                       .target = target,
                       .shared_count = shared,
                       .word_count = count_words(source, target),
                       .added_count = target->column_count - shared,
                       .removed_count = source->column_count - shared,
                       .plain = source->plain && target->plain};
    if (!micai_array_reserve(store->host, &source->edges, 1)) {
        return NULL;
    }
    micai_edge *edge = micai_alloc(store->host, edge_size(&head), _Alignof(micai_edge));
    if (!edge) {
        return NULL;
    }
    memcpy(edge, &head, sizeof head);
    plan_copies(edge);
    uint32_t at = lower_bound(source, key);
    memmove(&source->edges.items[at + 1], &source->edges.items[at],
            (source->edges.count - at) * sizeof *source->edges.items);
    source->edges.items[at] = edge;
    source->edges.count++;
    return edge;
}

static micai_edge *make_single_edge(micai_store *store, micai_table *table, uint32_t number,
                                    bool remove)
{
    mica_types set = {0};
    micai_edge *edge = NULL;
    if (micai_store_set_of(store, table, &set) == MICA_OK) {
        mica_result result = MICA_OK;
        if (remove) {
            micai_types_remove(&set, number);
        } else {
            result = micai_types_add(store->host, &set, number);
        }
        micai_table *target = result ? NULL : micai_store_table(store, &set);
        if (target) {
            edge = make_edge(store, table, target, micai_edge_key(number, remove));
        }
        if (edge) {
            edge->type = store->registry->list.items[number]->info.type;
            edge->size = store->registry->list.items[number]->info.size;
        }
    }
    micai_types_free(store->host, &set);
    return edge;
}

micai_edge *micai_store_edge(micai_store *store, micai_table *table, uint32_t number, bool remove)
{
    uint64_t key = micai_edge_key(number, remove);
    uint32_t at = lower_bound(table, key);
    return at < table->edges.count && table->edges.items[at]->key == key
               ? table->edges.items[at]
               : make_single_edge(store, table, number, remove);
}

// Changes of several types are keyed by the target's hash, in the upper half of all keys.
micai_edge *micai_store_edge_to(micai_store *store, micai_table *table, const mica_types *set)
{
    uint64_t key = hash_set(set) | UINT64_C(1) << 63;
    for (uint32_t at = lower_bound(table, key);
         at < table->edges.count && table->edges.items[at]->key == key; at++) {
        if (has_set(table->edges.items[at]->target, set)) {
            return table->edges.items[at];
        }
    }
    micai_table *target = micai_store_table(store, set);
    return target ? make_edge(store, table, target, key) : NULL;
}

// The whole

mica_result micai_store_init(micai_store *store, micai_gate *gate, const micai_registry *registry)
{
    memset(store, 0, sizeof *store);
    store->host = gate->host;
    store->gate = gate;
    store->slots = gate->slots;
    store->registry = registry;
    const mica_types empty = {0};
    store->root = micai_store_table(store, &empty);
    return store->root ? MICA_OK : store->host->failed;
}

void micai_store_free(micai_store *store)
{
    for (uint32_t id = 0; id < store->tables.count; id++) {
        micai_table_destruct_all(store, store->tables.items[id]);
        free_table(store, store->tables.items[id]);
    }
    micai_array_free(store->host, &store->tables);
    micai_map_free(store->host, &store->by_set);
    micai_array_drop(store->host, &store->view.sheets, &store->sheet_capacity,
                     sizeof *store->view.sheets, _Alignof(max_align_t));
    micai_array_free(store->host, &store->free_sheets);
}

void micai_store_listen(micai_store *store, micai_listener listener)
{
    assert(store->listener_count < MICAI_LISTENERS_MAX);
    store->listeners[store->listener_count++] = listener;
}

void micai_store_clear(micai_store *store)
{
    for (uint32_t id = 0; id < store->tables.count; id++) {
        micai_table_destruct_all(store, store->tables.items[id]);
        micai_table_set_count(store->tables.items[id], 0);
        if (store->sharing) { // the values left in shared pages are the others' alone
            micai_table_trim(store, store->tables.items[id]);
        }
    }
}

// Tables that stay close ranks, so that ids go on telling who came first.
void micai_store_reclaim(micai_store *store)
{
    micai_table **tables = store->tables.items;
    uint32_t count = store->tables.count;
    micai_store_clear_left(store);
    for (uint32_t id = 0; id < count; id++) {
        tables[id]->dying = tables[id]->count == 0 && tables[id] != store->root;
    }
    for (uint32_t i = store->listener_count; i-- > 0;) {
        store->listeners[i].going(store->listeners[i].user);
    }
    for (uint32_t id = 0; id < count; id++) {
        free_edges(store, tables[id], tables[id]->dying);
        micai_table_trim(store, tables[id]);
    }
    micai_map_clear(&store->by_set);
    store->tables.count = 0;
    for (uint32_t id = 0; id < count; id++) {
        if (tables[id]->dying) {
            free_table(store, tables[id]);
            continue;
        }
        micai_table *table = tables[id];
        table->id = store->tables.count++;
        tables[table->id] = table;
        micai_map_insert(&store->by_set, table->hash, table->id);
    }
}

// Is the target what the key says it is?
static bool leads_to_target(const micai_edge *edge)
{
    const micai_table *source = edge->source;
    const micai_table *target = edge->target;
    if (edge->key >> 63) {
        return edge->key == (target->hash | UINT64_C(1) << 63);
    }
    uint32_t number = (uint32_t)(edge->key >> 1);
    uint32_t words =
        source->word_count > target->word_count ? source->word_count : target->word_count;
    bool right = number / 64 < words;
    for (uint32_t i = 0; i < words; i++) {
        uint64_t before = i < source->word_count ? source->words[i] : 0;
        uint64_t after = i < target->word_count ? target->words[i] : 0;
        uint64_t changed = i == number / 64 ? UINT64_C(1) << (number % 64) : 0;
        right = right && (before ^ after) == changed &&
                ((edge->key & 1 ? before : after) & changed) == changed;
    }
    return right;
}

static bool copies_all_columns(const micai_edge *edge)
{
    const micai_table *source = edge->source;
    const micai_table *target = edge->target;
    uint32_t shared = count_shared(source, target);
    bool right = edge->shared_count == shared &&
                 edge->added_count == target->column_count - shared &&
                 edge->removed_count == source->column_count - shared &&
                 edge->plain == (source->plain && target->plain);
    for (uint32_t i = 0; right && i < shared; i++) {
        micai_copy copy = edge->copies[i];
        right = (i == 0) == (copy.source == 0) &&
                source->columns[copy.source].type == target->columns[copy.target].type &&
                copy.size == target->columns[copy.target].size;
    }
    return right;
}

// G5 for one sheet and direction. The edge may be gone: it is not looked into before it is found.
static bool remembers_rightly(const micai_table *table, const micai_sheet *sheet, bool remove)
{
    const micai_edge *recent = sheet->recent[remove];
    bool there = recent == NULL;
    for (uint32_t i = 0; !there && i < table->edges.count; i++) {
        const micai_edge *edge = table->edges.items[i];
        there = edge == recent && edge->key >> 63 == 0 && (edge->key & 1) == remove;
    }
    return there;
}

static mica_result validate_recent(micai_store *store, const micai_table *table)
{
    for (uint32_t i = 0; i < table->sheets.count; i++) {
        const micai_sheet *sheet = table->sheets.items[i];
        if (!remembers_rightly(table, sheet, false) || !remembers_rightly(table, sheet, true)) {
            return micai_fail_invariant(store->host, "G5",
                                        "sheet %" PRIu32 " of table %" PRIu32
                                        " remembers an edge that is not there",
                                        i, table->id);
        }
    }
    return MICA_OK;
}

static mica_result validate_edges(micai_store *store, const micai_table *table)
{
    for (uint32_t i = 0; i < table->edges.count; i++) {
        const micai_edge *edge = table->edges.items[i];
        bool sorted = i == 0 || table->edges.items[i - 1]->key <= edge->key;
        if (!sorted || edge->source != table || !leads_to_target(edge) ||
            !copies_all_columns(edge)) {
            return micai_fail_invariant(store->host, "G2",
                                        "edge %" PRIu32 " of table %" PRIu32 " leads astray", i,
                                        table->id);
        }
    }
    return MICA_OK;
}

static bool match_table(const void *context, uint32_t value, const void *key)
{
    const micai_store *store = context;
    const micai_table *a = store->tables.items[value];
    const micai_table *b = key;
    return micai_bits_equal(a->words, a->word_count, b->words, b->word_count);
}

static mica_result validate_counts(micai_store *store, uint32_t rows, uint32_t sheets)
{
    if (store->tables.count != store->by_set.count) {
        return micai_fail_invariant(store->host, "G1", "%" PRIu32 " tables are not %" PRIu32,
                                    store->tables.count, store->by_set.count);
    }
    if (rows != store->slots->alive) {
        return micai_fail_invariant(store->host, "G3", "%" PRIu32 " rows for %" PRIu32 " entities",
                                    rows, store->slots->alive);
    }
    bool free = true;
    for (uint32_t i = 0; i < store->free_sheets.count; i++) {
        uint32_t number = store->free_sheets.items[i];
        free = free && number < store->sheet_count && !store->view.sheets[number];
    }
    if (!free || sheets + store->free_sheets.count != store->sheet_count) {
        return micai_fail_invariant(store->host, "G4", "%" PRIu32 " sheets are lost",
                                    store->sheet_count - sheets - store->free_sheets.count);
    }
    return micai_map_validate(store->host, &store->by_set);
}

mica_result micai_store_validate(micai_store *store)
{
    uint32_t rows = 0;
    uint32_t sheets = 0;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        const micai_table *table = store->tables.items[id];
        mica_result result = MICA_OK;
        if (table->id != id ||
            micai_map_find(&store->by_set, table->hash, match_table, store, table) != id) {
            result = micai_fail_invariant(store->host, "G1", "table %" PRIu32 " is not found", id);
        }
        result = result ? result : micai_table_validate(store, table);
        result = result ? result : validate_edges(store, table);
        result = result ? result : validate_recent(store, table);
        if (result) {
            return result;
        }
        rows += table->count;
        sheets += table->sheets.count;
    }
    return validate_counts(store, rows, sheets);
}
