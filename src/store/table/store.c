// The store: tables by archetype, and reclaiming. In order: archetypes as sets and as words,
// tables, the whole, validation.
#include "store/table/store.h"

#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"
#include "store/table/shrink.h"

// Sets and tables store an archetype with different word counts. Zero words at the end do not
// count.

static uint32_t used_words(const mica_type_set *set)
{
    uint32_t more = set->more_count;
    while (more > 0 && set->more[more - 1] == 0) {
        more--;
    }
    uint32_t count = MICA_TYPE_SET_INLINE_WORDS;
    while (more == 0 && count > 0 && set->words[count - 1] == 0) {
        count--;
    }
    return count + more;
}

uint64_t micai_store_hash(const mica_type_set *set)
{
    uint64_t hash = 0;
    uint32_t count = used_words(set);
    for (uint32_t i = 0; i < count; i++) {
        hash = micai_hash_add(hash, micai_types_word(set, i));
    }
    return hash;
}

bool micai_store_has_set(const micai_table *table, const mica_type_set *set)
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
    return micai_store_has_set(store->tables.items[value], key);
}

mica_result micai_store_set_of(micai_store *store, const micai_table *table, mica_type_set *set_out)
{
    mica_result result = micai_types_reserve(store->host, set_out, table->word_count);
    if (result) {
        return result;
    }
    for (uint32_t i = 0; i < micai_types_word_count(set_out); i++) {
        uint64_t word = i < table->word_count ? table->words[i] : 0;
        if (i < MICA_TYPE_SET_INLINE_WORDS) {
            set_out->words[i] = word;
        } else {
            set_out->more[i - MICA_TYPE_SET_INLINE_WORDS] = word;
        }
    }
    return MICA_OK;
}

// Tables

static size_t table_size(uint32_t word_count)
{
    return sizeof(micai_table) + (2 * sizeof(uint64_t) + sizeof(uint16_t)) * word_count;
}

// Returns the approximate size of a table with its layout, a small sheet and a transition. It
// ignores the kinds of columns and the machine, so that tables are freed at the same time
// everywhere.
static size_t estimate_size(const micai_table *table)
{
    return 256 + table->word_count * (size_t)18 + table->layout.column_count * (size_t)256;
}

static void free_table(micai_store *store, micai_table *table)
{
    micai_store_drop_replaced(store, table, NULL);
    micai_table_set_count(table, 0);
    micai_table_trim(store, table);
    micai_layout_free(store->host, &table->layout);
    micai_release(store->host, table, table_size(table->word_count), _Alignof(micai_table));
}

mica_result micai_store_enter(micai_store *store, const micai_type *type)
{
    mica_result result = micai_directory_enter(store->host, &store->directory, type);
    return result || !type->info.toggle ? result
                                        : micai_directory_enter(store->host, &store->flags, type);
}

// Enters all types of a layout in the directories.
static mica_result enter_types(micai_store *store, const micai_layout *layout)
{
    mica_result result = MICA_OK;
    for (uint32_t c = 1; !result && c < layout->column_count; c++) {
        const micai_type *type = layout->columns[c].type;
        bool known = !type->info.toggle && micai_directory_knows(&store->directory, type->number);
        result = known ? MICA_OK : micai_store_enter(store, type);
    }
    return result;
}

// Allocates a table and its archetype as one block, not yet listed in the store. Returns NULL on
// failure.
static micai_table *build_table(micai_store *store, const mica_type_set *set, uint64_t hash)
{
    uint32_t words = used_words(set);
    const uint64_t *columns = store->registry->column_words.items;
    micai_table *table = micai_alloc(store->host, table_size(words), _Alignof(micai_table));
    if (!table) {
        return NULL;
    }
    *table = (micai_table){.word_count = words, .hash = hash};
    table->words = (uint64_t *)(void *)(table + 1);
    uint64_t *column_words = micai_table_column_words(table);
    uint16_t *ranks = micai_table_ranks(table);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < words; i++) {
        table->words[i] = micai_types_word(set, i);
        column_words[i] = table->words[i] & columns[i];
        ranks[i] = (uint16_t)rank; // overflows only beyond the column limit
        rank += micai_bits_ones(column_words[i]);
    }
    table->facet = micai_bits_has(table->words, words, store->registry->hidden);
    mica_result result = micai_layout_make(store->host, store->registry->list.items, column_words,
                                           words, &table->layout);
    if (result || enter_types(store, &table->layout)) {
        free_table(store, table);
        return NULL;
    }
    micai_table_update_fast_paths(store, table);
    return table;
}

// Notifies the listeners of a new table. If one fails, the earlier ones are notified that the table
// is going.
static mica_result announce(micai_store *store, micai_table *table)
{
    for (uint32_t i = 0; i < store->listeners.count; i++) {
        const micai_listener *listener = &store->listeners.items[i];
        mica_result result = listener->created ? listener->created(listener->user, table) : MICA_OK;
        if (result) {
            table->dying = true;
            while (i-- > 0) {
                store->listeners.items[i].freeing(store->listeners.items[i].user);
            }
            return result;
        }
    }
    return MICA_OK;
}

static micai_table *make_table(micai_store *store, const mica_type_set *set, uint64_t hash)
{
    if (!micai_array_reserve(store->host, &store->tables, 1) ||
        !micai_map_reserve(store->host, &store->by_set, 1)) {
        return NULL;
    }
    micai_table *table = build_table(store, set, hash);
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
    store->new_bytes += estimate_size(table);
    return table;
}

micai_table *micai_store_table(micai_store *store, const mica_type_set *set)
{
    uint64_t hash = micai_store_hash(set);
    uint32_t id = micai_map_find(&store->by_set, hash, match_set, store, set);
    return id != MICAI_MAP_NONE ? store->tables.items[id] : make_table(store, set, hash);
}

mica_result micai_store_grow(micai_store *store, micai_table *table, uint32_t count)
{
    micai_slot_capacity pages;
    mica_result result = micai_slots_prepare(store->host, store->slots, count, &pages);
    if (result) {
        return result;
    }
    result = micai_table_reserve(store, table, count);
    if (result) {
        micai_slots_cancel(store->host, store->slots, pages);
    } else {
        micai_slots_commit(store->slots, pages);
    }
    return result;
}

// Old pages

micai_replaced *micai_store_keep_replaced(micai_store *store, const micai_table *table,
                                          micai_sheet *sheet)
{
    uint32_t pages = sheet ? table->layout.strip_count : 0;
    size_t size = sizeof(micai_replaced) + pages * sizeof(micai_page);
    micai_replaced *replaced = micai_alloc_zeroed(store->host, size, _Alignof(micai_replaced));
    if (replaced) {
        replaced->next = store->replaced;
        replaced->table = table;
        replaced->sheet = sheet;
        replaced->page_count = pages;
        store->replaced = replaced;
    }
    return replaced;
}

// Removes the first entry of a list.
static void drop_first(micai_store *store, micai_replaced **list)
{
    micai_replaced *replaced = *list;
    *list = replaced->next;
    for (uint32_t s = 0; s < replaced->page_count; s++) {
        if (replaced->pages[s].data) {
            micai_page_release(store->host, &replaced->pages[s]);
        }
    }
    micai_release(store->host, replaced,
                  sizeof *replaced + replaced->page_count * sizeof *replaced->pages,
                  _Alignof(micai_replaced));
}

void micai_store_drop_last_replaced(micai_store *store)
{
    drop_first(store, &store->replaced);
}

void micai_store_drop_replaced(micai_store *store, const micai_table *table,
                               const micai_sheet *sheet)
{
    for (micai_replaced **list = &store->replaced; *list;) {
        if ((*list)->table == table && (!sheet || (*list)->sheet == sheet)) {
            drop_first(store, list);
        } else {
            list = &(*list)->next;
        }
    }
}

void micai_store_clear_replaced(micai_store *store)
{
    while (store->replaced) {
        drop_first(store, &store->replaced);
    }
}

// Asks the kinds with values outside the strips. Returns NULL if none of them had the value.
static const void *follow_outside(const micai_table *table, const void *data)
{
    const void *found = NULL;
    for (uint32_t c = 1; !found && table->layout.outside && c < table->layout.column_count; c++) {
        const micai_kind *kind = micai_table_kind(table, c);
        found = kind->outside ? kind->follow(table, c, data) : NULL;
    }
    return found;
}

// Checks the old pages of one entry. Returns NULL if the value was not there.
static const void *follow_replaced(const micai_replaced *replaced, const void *data)
{
    const micai_strip *strips = replaced->table->layout.strips;
    for (uint32_t s = 1; s < replaced->page_count; s++) {
        const micai_page *page = &replaced->pages[s];
        // Compares addresses as integers, because comparing pointers into different blocks is
        // undefined.
        uintptr_t inside = (uintptr_t)data - (uintptr_t)page->data;
        if (page->data && inside < (size_t)replaced->rows * strips[s].size) {
            return replaced->sheet->pages[s].data + inside;
        }
    }
    return replaced->sheet ? NULL : follow_outside(replaced->table, data);
}

const void *micai_store_follow(const micai_store *store, const void *data)
{
    const void *found = NULL;
    for (const micai_replaced *replaced = data ? store->replaced : NULL; replaced && !found;
         replaced = replaced->next) {
        found = follow_replaced(replaced, data);
    }
    return found ? found : data;
}

// Checks adjacent sheets as one range.
static bool strip_holds(const micai_table *table, uint32_t strip, uintptr_t data, size_t size)
{
    for (uint32_t i = 0; i < table->sheets.count;) {
        const micai_sheet *sheet = table->sheets.items[i];
        uintptr_t start = (uintptr_t)sheet->pages[strip].data;
        size_t bytes = (size_t)sheet->capacity * table->layout.strips[strip].size * sheet->adjacent;
        if (data + size > start && data < start + bytes) {
            return true;
        }
        i += sheet->adjacent;
    }
    return false;
}

// Asks the kinds with values outside the strips.
static bool is_held_outside(const micai_table *table, const void *data, size_t size)
{
    bool held = false;
    for (uint32_t c = 1; !held && table->layout.outside && c < table->layout.column_count; c++) {
        const micai_column *column = &table->layout.columns[c];
        const micai_kind *kind = micai_column_kind(column);
        held =
            kind->outside && column->type->info.hooks.destruct && kind->holds(table, c, data, size);
    }
    return held;
}

bool micai_store_holds(const micai_store *store, const void *data, size_t size)
{
    for (uint32_t id = 0; id < store->tables.count; id++) {
        const micai_layout *layout = &store->tables.items[id]->layout;
        if (is_held_outside(store->tables.items[id], data, size)) {
            return true;
        }
        for (uint32_t s = 1; !layout->plain && s < layout->strip_count; s++) {
            const micai_type *type = micai_layout_hooked(layout, s);
            if (type && type->info.hooks.destruct &&
                strip_holds(store->tables.items[id], s, (uintptr_t)data, size)) {
                return true;
            }
        }
    }
    return false;
}

// The whole

mica_result micai_store_init(micai_store *store, micai_gate *gate, const micai_registry *registry,
                             const uint64_t *now, bool relocate_always)
{
    memset(store, 0, sizeof *store);
    store->host = gate->host;
    store->gate = gate;
    store->slots = gate->slots;
    store->registry = registry;
    store->relocate_always = relocate_always;
    store->now = now;
    store->address_changes = 1;
    micai_transitions_init(&store->transitions);
    const mica_type_set empty = {0};
    store->root = micai_store_table(store, &empty);
    return store->root ? MICA_OK : store->host->failed;
}

void micai_store_free(micai_store *store)
{
    micai_store_clear_replaced(store);
    store->listeners.count = 0; // no notifications from here on
    micai_transitions_free(store);
    for (uint32_t id = 0; id < store->tables.count; id++) {
        micai_table_clear(store, store->tables.items[id]);
        free_table(store, store->tables.items[id]);
    }
    micai_array_free(store->host, &store->rings.list); // the rings were freed with their tables
    micai_array_free(store->host, &store->tables);
    micai_array_free(store->host, &store->sheets);
    micai_array_free(store->host, &store->free_sheets);
    micai_array_free(store->host, &store->listeners);
    micai_map_free(store->host, &store->by_set);
    micai_directory_free(store->host, &store->directory);
    micai_directory_free(store->host, &store->flags);
}

mica_result micai_store_listen(micai_store *store, micai_listener listener)
{
    if (!micai_array_reserve(store->host, &store->listeners, 1)) {
        return MICA_ERROR_MEMORY;
    }
    store->listeners.items[store->listeners.count++] = listener;
    return MICA_OK;
}

bool micai_store_has_listener(const micai_store *store, micai_listener listener)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < store->listeners.count; i++) {
        const micai_listener *one = &store->listeners.items[i];
        found = one->created == listener.created && one->freeing == listener.freeing &&
                one->user == listener.user;
    }
    return found;
}

void micai_store_clear(micai_store *store)
{
    for (uint32_t id = 0; id < store->tables.count; id++) {
        micai_table_clear(store, store->tables.items[id]);
    }
}

// Reclaiming

// Frees the dying tables and all transitions from and to them. Renumbers the others, so that ids
// stay in creation order.
static void drop_dying(micai_store *store)
{
    micai_table **tables = store->tables.items;
    uint32_t count = store->tables.count;
    for (uint32_t i = store->listeners.count; i-- > 0;) {
        store->listeners.items[i].freeing(store->listeners.items[i].user);
    }
    micai_transitions_drop_dying(store);
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

// Counts all existing tables as in use, until one is found idle.
static void count_bytes_in_use(micai_store *store)
{
    store->bytes_in_use = store->new_bytes = 0;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        store->bytes_in_use += estimate_size(store->tables.items[id]);
    }
}

void micai_store_take_back(micai_store *store, uint32_t first)
{
    for (uint32_t id = first; id < store->tables.count; id++) {
        store->tables.items[id]->dying = true;
        store->new_bytes -= estimate_size(store->tables.items[id]);
    }
    drop_dying(store);
}

void micai_store_drop_type(micai_store *store, uint32_t number)
{
    for (uint32_t id = 0; id < store->tables.count; id++) {
        micai_table *table = store->tables.items[id];
        table->dying = micai_table_has(table, number);
    }
    drop_dying(store);
    count_bytes_in_use(store);
}

mica_result micai_store_reserve_reclaim(micai_store *store)
{
    micai_store_clear_replaced(store);
    for (uint32_t id = 0; id < store->tables.count; id++) {
        micai_table_trim(store, store->tables.items[id]);
    }
    mica_result result = MICA_OK;
    for (uint32_t id = 0; !result && id < store->tables.count; id++) {
        result = micai_shrink_table(store, store->tables.items[id]);
    }
    return result ? result : micai_rings_reclaim(store);
}

void micai_store_reclaim(micai_store *store)
{
    for (uint32_t id = 0; id < store->tables.count; id++) {
        micai_toggle_unmark(store, store->tables.items[id]);
    }
    for (uint32_t id = 0; id < store->tables.count; id++) {
        micai_table *table = store->tables.items[id];
        table->dying = table->count == 0 && table != store->root;
    }
    micai_transitions_drop_unpinned(store);
    drop_dying(store);
    count_bytes_in_use(store);
    micai_store_trim_pointers(store);
}

void micai_store_trim_pointers(micai_store *store)
{
    micai_directory_trim(store->host, &store->directory);
    micai_directory_trim(store->host, &store->flags);
}

void micai_store_arrange(micai_store *store, micai_table *const *order, uint32_t count)
{
    for (uint32_t id = 0; id < store->tables.count; id++) {
        store->tables.items[id]->dying = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        order[i]->dying = false;
    }
    if (store->tables.count > count) {
        drop_dying(store);
    }
    bool reordered = false;
    micai_map_clear(&store->by_set);
    for (uint32_t id = 0; id < count; id++) {
        reordered = reordered || order[id]->id != id;
        store->tables.items[id] = order[id];
        order[id]->id = id;
        micai_map_insert(&store->by_set, order[id]->hash, id);
    }
    for (uint32_t i = store->listeners.count; reordered && i-- > 0;) {
        if (store->listeners.items[i].reordered) {
            store->listeners.items[i].reordered(store->listeners.items[i].user);
        }
    }
    if (reordered) {
        micai_rings_sort(store);
    }
}

void micai_store_clean_up(micai_store *store)
{
    for (uint32_t id = 0; id < store->tables.count; id++) {
        micai_table *table = store->tables.items[id];
        bool idle = table->count == 0 && table->promised == 0 && table != store->root;
        table->dying = idle && table->idle;
        table->idle = idle;
        if (idle && !table->dying) {
            micai_table_trim(store, table);
        }
    }
    drop_dying(store);
    count_bytes_in_use(store);
}

void micai_store_count(const micai_store *store, mica_world_stats *stats_out)
{
    stats_out->tables = store->tables.count;
    stats_out->row_moves = store->row_moves;
    stats_out->page_moves = store->page_moves;
    stats_out->ring_moves = micai_rings_moves(store);
}

// Validation

bool micai_store_knows(const micai_store *store, const micai_table *table)
{
    return table && table->id < store->tables.count && store->tables.items[table->id] == table;
}

static mica_result validate_lists(micai_store *store)
{
    micai_host *host = store->host;
    mica_result result = micai_array_validate(host, &store->tables, "tables");
    result = result ? result : micai_array_validate(host, &store->sheets, "sheets");
    result = result ? result : micai_array_validate(host, &store->free_sheets, "free sheets");
    result = result ? result : micai_array_validate(host, &store->listeners, "listeners");
    result = result ? result : micai_array_validate(host, &store->rings.list, "rings");
    result = result ? result : micai_map_validate(host, &store->by_set, store->tables.count);
    if (!result && store->tables.count != store->by_set.count) {
        result = micai_fail_invariant(host, "G1", "%" PRIu32 " tables are not %" PRIu32,
                                      store->tables.count, store->by_set.count);
    }
    result = result ? result
                    : micai_directory_validate(host, &store->directory, store->registry,
                                               store->sheets.count);
    return result ? result
                  : micai_directory_validate(host, &store->flags, store->registry,
                                             store->sheets.count);
}

// Returns true if the table's archetype consists of existing types and its words agree.
static bool has_archetype(const micai_store *store, const micai_table *table)
{
    uint32_t count = table->word_count;
    if (count > store->registry->column_words.count ||
        micai_bits_next(table->words, count, store->registry->list.count) != MICAI_BITS_END) {
        return false;
    }
    uint64_t hash = 0;
    uint32_t rank = 0;
    bool right = count == 0 || table->words[count - 1] != 0;
    for (uint32_t i = 0; i < count; i++) {
        hash = micai_hash_add(hash, table->words[i]);
        uint64_t columns = micai_table_column_words(table)[i];
        right = right && micai_table_ranks(table)[i] == (uint16_t)rank &&
                columns == (table->words[i] & store->registry->column_words.items[i]);
        rank += micai_bits_ones(columns);
    }
    return right && hash == table->hash &&
           table->facet == micai_bits_has(table->words, count, store->registry->hidden);
}

static bool match_table(const void *context, uint32_t value, const void *key)
{
    const micai_store *store = context;
    const micai_table *a = store->tables.items[value];
    const micai_table *b = key;
    return micai_bits_equal(a->words, a->word_count, b->words, b->word_count);
}

static mica_result validate_identities(micai_store *store)
{
    bool right = store->tables.count > 0 && store->root == store->tables.items[0];
    uint32_t id = 0;
    for (; right && id < store->tables.count; id++) {
        const micai_table *table = store->tables.items[id];
        right = micai_store_knows(store, table) && table->id == id && has_archetype(store, table) &&
                !table->dying && (table->word_count == 0) == (id == 0);
    }
    for (id = 0; right && id < store->tables.count; id++) {
        const micai_table *table = store->tables.items[id];
        right = micai_map_find(&store->by_set, table->hash, match_table, store, table) == id;
    }
    return right ? MICA_OK
                 : micai_fail_invariant(store->host, "G1", "table %" PRIu32 " is not found",
                                        id > 0 ? id - 1 : 0);
}

// Returns true if the sheet list and the free list have the same free numbers. Compares sums of
// hashes, because there is no memory for marks.
static bool has_free_sheets(const micai_store *store)
{
    uint64_t listed = 0;
    uint64_t free = 0;
    for (uint32_t i = 0; i < store->free_sheets.count; i++) {
        listed += micai_hash_mix((uint64_t)store->free_sheets.items[i] + 1);
    }
    for (uint32_t i = 0; i < store->sheets.count; i++) {
        free += store->sheets.items[i] ? 0 : micai_hash_mix((uint64_t)i + 1);
    }
    return listed == free;
}

static mica_result validate_counts(micai_store *store)
{
    uint32_t rows = 0;
    uint32_t sheets = 0;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        rows += store->tables.items[id]->count;
        sheets += store->tables.items[id]->sheets.count;
    }
    if (rows != store->slots->alive) {
        return micai_fail_invariant(store->host, "G3", "%" PRIu32 " rows for %" PRIu32 " entities",
                                    rows, store->slots->alive);
    }
    if (sheets + store->free_sheets.count != store->sheets.count || !has_free_sheets(store)) {
        return micai_fail_invariant(store->host, "G4", "%" PRIu32 " sheets are lost",
                                    store->sheets.count - sheets - store->free_sheets.count);
    }
    return MICA_OK;
}

static bool is_known(const micai_directory *directory, const micai_type *type)
{
    const mica_view_store *view = &directory->view;
    return type->number < view->type_count && view->types[type->number]->blocks;
}

// D3: every type with a column is known.
static mica_result validate_known(micai_store *store, const micai_table *table)
{
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        const micai_type *type = table->layout.columns[c].type;
        if (!is_known(&store->directory, type) ||
            (type->info.toggle && !is_known(&store->flags, type))) {
            return micai_fail_invariant(store->host, "D3", "the directory does not know '%s'",
                                        type->info.name);
        }
    }
    return MICA_OK;
}

// D2 for one type and the sheets of one index block.
static mica_result validate_block(micai_store *store, const micai_directory *directory,
                                  uint32_t type, uint32_t first)
{
    const mica_view_values *pointers = micai_directory_pointer(directory, type, first);
    for (uint32_t i = 0; pointers && i < MICAI_INDEX_BLOCK_SIZE; i++) {
        uint32_t number = first + i;
        const micai_sheet *sheet =
            number < store->sheets.count ? store->sheets.items[number] : NULL;
        if (!micai_value_pointer_is_empty(&pointers[i]) &&
            (!sheet || !micai_table_column(sheet->table, type))) {
            return micai_fail_invariant(store->host, "D2",
                                        "type %" PRIu32 " has a value pointer for sheet %" PRIu32,
                                        type, number);
        }
    }
    return MICA_OK;
}

static mica_result validate_blocks(micai_store *store, const micai_directory *directory)
{
    mica_result result = MICA_OK;
    for (uint32_t n = 0; n < directory->view.type_count; n++) {
        for (uint32_t i = 0; !result && i < directory->block_count; i++) {
            result = validate_block(store, directory, n, i << MICA_VIEW_INDEX_SHIFT);
        }
    }
    return result;
}

static mica_result validate_directory(micai_store *store)
{
    mica_result result = MICA_OK;
    for (uint32_t id = 0; !result && id < store->tables.count; id++) {
        result = validate_known(store, store->tables.items[id]);
    }
    result = result ? result : validate_blocks(store, &store->directory);
    return result ? result : validate_blocks(store, &store->flags);
}
static mica_result validate_listeners(micai_store *store)
{
    bool right = true;
    for (uint32_t i = 0; i < store->listeners.count; i++) {
        right = right && store->listeners.items[i].freeing;
    }
    return right ? MICA_OK
                 : micai_fail_invariant(store->host, "G6",
                                        "a listener is not notified of freed tables");
}

mica_result micai_store_validate(micai_store *store)
{
    mica_result result = validate_lists(store);
    result = result ? result : validate_identities(store);
    for (uint32_t id = 0; !result && id < store->tables.count; id++) {
        result = micai_table_validate(store, store->tables.items[id]);
    }
    result = result ? result : validate_counts(store);
    result = result ? result : micai_transitions_validate(store);
    result = result ? result : validate_directory(store);
    result = result ? result : micai_rings_validate(store);
    return result ? result : validate_listeners(store);
}

mica_result micai_store_validate_ticks(micai_store *store, uint64_t now)
{
    mica_result result = MICA_OK;
    for (uint32_t id = 0; !result && id < store->tables.count; id++) {
        result = micai_table_validate_ticks(store, store->tables.items[id], now);
    }
    return result ? result : micai_rings_validate_ticks(store, now);
}
