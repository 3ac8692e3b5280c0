// The directory of the mirror: entries of tables and pools, and their blocks. entries_internal.h has the
// contract.
#include "time/entries_internal.h"

#include <stddef.h>

#include "time/parts_internal.h"

bool micai_mirror_grow(micai_host *host, micai_history *h, micai_time_block *block, size_t size)
{
    size_t had = block->size;
    bool grown = micai_time_block_grow(host, block, size);
    h->mirror_size += block->size - had;
    return grown;
}

static micai_time_block *make_block(micai_host *host, micai_time_block_kind kind,
                                    micai_entry *entry, uint32_t number, uint32_t strip)
{
    micai_time_block *block = micai_alloc_zeroed(host, sizeof *block, _Alignof(micai_time_block));
    if (block) {
        block->kind = (uint8_t)kind;
        block->entry = entry;
        block->number = number;
        block->strip = (uint16_t)strip;
    }
    return block;
}

micai_time_block *micai_mirror_slots(micai_host *host, micai_history *h, uint32_t page)
{
    if (page < h->slots.count && h->slots.items[page]) {
        return h->slots.items[page];
    }
    if (page >= h->slots.count) {
        if (!micai_array_reserve(host, &h->slots, page + 1 - h->slots.count)) {
            return NULL;
        }
        while (h->slots.count <= page) {
            h->slots.items[h->slots.count++] = NULL;
        }
    }
    micai_time_block *block = make_block(host, MICAI_BLOCK_SLOTS, NULL, page, 0);
    size_t size = MICAI_SLOT_PAGE_SIZE * sizeof(micai_record);
    if (!block || !micai_time_block_grow(host, block, size)) {
        micai_release(host, block, sizeof *block, _Alignof(micai_time_block));
        return NULL;
    }
    micai_record *records = (micai_record *)(void *)block->bytes;
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        records[i] = (micai_record){.where = MICAI_SLOT_NONE, .tag = MICAI_SLOT_FREE | 1};
    }
    h->mirror_size += size;
    h->slots.items[page] = block;
    return block;
}

bool micai_mirror_sheet(micai_host *host, micai_history *h, micai_entry *entry, uint32_t index,
                        uint32_t capacity)
{
    uint32_t end = (index + 1) * entry->strip_count;
    if (end > entry->cells.count &&
        (!micai_array_reserve(host, &entry->cells, end - entry->cells.count) ||
         !micai_array_reserve(host, &entry->sheets, index + 1 - entry->sheets.count))) {
        return false;
    }
    while (entry->cells.count < end) {
        uint32_t at = entry->cells.count;
        micai_time_block *block = make_block(host, MICAI_BLOCK_CELLS, entry,
                                             at / entry->strip_count, at % entry->strip_count);
        if (!block) {
            return false;
        }
        entry->cells.items[entry->cells.count++] = block;
    }
    while (entry->sheets.count <= index) {
        entry->sheets.items[entry->sheets.count++] = NULL;
    }
    bool grown = micai_mirror_grow(host, h, &entry->ticks, (size_t)end * sizeof(uint64_t));
    for (uint32_t strip = 0; strip < entry->strip_count && grown; strip++) {
        grown = micai_mirror_grow(host, h, micai_entry_cells(entry, index, strip),
                                  (size_t)capacity * entry->strips[strip].size);
    }
    return grown;
}

static bool has_words(const void *context, uint32_t value, const void *key)
{
    const micai_history *history = context;
    const micai_entry *entry = history->entries.items[value];
    const micai_table *table = key;
    return entry->word_count == table->word_count &&
           (entry->word_count == 0 ||
            memcmp(entry->words, table->words, entry->word_count * sizeof *entry->words) == 0);
}

static void free_entry(micai_host *host, micai_entry *entry)
{
    for (uint32_t k = 0; k < entry->cells.count; k++) {
        micai_time_block_free(host, entry->cells.items[k]);
        micai_release(host, entry->cells.items[k], sizeof(micai_time_block),
                      _Alignof(micai_time_block));
    }
    micai_array_free(host, &entry->cells);
    micai_array_free(host, &entry->sheets);
    micai_time_block_free(host, &entry->head);
    micai_time_block_free(host, &entry->ticks);
    micai_release(host, entry->words, entry->word_count * sizeof(uint64_t), _Alignof(max_align_t));
    micai_release(host, entry->strips, entry->strip_count * sizeof(micai_strip),
                  _Alignof(max_align_t));
    micai_release(host, entry->columns, entry->column_count * sizeof(micai_column),
                  _Alignof(max_align_t));
    micai_release(host, entry, sizeof *entry, _Alignof(micai_entry));
}

// Copies an array to `*copy_out`. False: a failure.
static bool copy_items(micai_host *host, const void *items, size_t count, size_t size,
                       void *copy_out)
{
    void *copy = micai_alloc_array(host, count, size, _Alignof(max_align_t));
    if (copy) {
        memcpy(copy, items, count * size);
    }
    memcpy(copy_out, &copy, sizeof copy);
    return copy || count == 0;
}

static bool fill_entry(micai_host *host, micai_entry *entry, const micai_table *table)
{
    const micai_layout *layout = &table->layout;
    entry->strip_count = layout->strip_count;
    entry->column_count = layout->column_count;
    entry->word_count = entry->pool ? 0 : table->word_count;
    return copy_items(host, layout->strips, entry->strip_count, sizeof(micai_strip),
                      &entry->strips) &&
           copy_items(host, layout->columns, entry->column_count, sizeof(micai_column),
                      &entry->columns) &&
           copy_items(host, table->words, entry->word_count, sizeof(uint64_t), &entry->words) &&
           micai_time_block_grow(host, &entry->head, sizeof(micai_head) + entry->column_count);
}

static micai_entry *make_entry(micai_host *host, micai_history *h, micai_table *table,
                               micai_pool *pool)
{
    micai_entry *entry = micai_alloc_zeroed(host, sizeof *entry, _Alignof(micai_entry));
    if (entry) {
        entry->pool = pool;
        entry->table = table;
        entry->hash = pool ? 0 : table->hash;
        entry->number = h->entries.count;
        entry->head.entry = entry->ticks.entry = entry;
        entry->head.kind = MICAI_BLOCK_HEAD;
        entry->ticks.kind = MICAI_BLOCK_TICKS;
    }
    if (!entry || !fill_entry(host, entry, table) || !micai_array_reserve(host, &h->entries, 1) ||
        !micai_map_reserve(host, &h->by_words, 1)) {
        if (entry) {
            free_entry(host, entry);
        }
        return NULL;
    }
    if (pool) { // in older states, it was empty
        const micai_head empty = {.first_hole = MICAI_INDEX_NONE};
        memcpy(entry->head.bytes, &empty, sizeof empty);
    }
    h->entries.items[h->entries.count++] = entry;
    if (!pool) {
        micai_map_insert(&h->by_words, entry->hash, entry->number);
    }
    return entry;
}

micai_entry *micai_history_find(const micai_history *history, const micai_table *table)
{
    uint32_t found = micai_map_find(&history->by_words, table->hash, has_words, history, table);
    return found == MICAI_MAP_NONE ? NULL : history->entries.items[found];
}

micai_entry *micai_mirror_table(micai_host *host, micai_history *h, micai_table *table)
{
    micai_entry *entry = table->id < h->by_id.count ? h->by_id.items[table->id] : NULL;
    if (entry && entry->table == table && has_words(h, entry->number, table)) {
        return entry;
    }
    entry = micai_history_find(h, table);
    entry = entry ? entry : make_entry(host, h, table, NULL);
    if (!entry) {
        return NULL;
    }
    entry->table = table;
    if (table->id >= h->by_id.count &&
        !micai_array_reserve(host, &h->by_id, table->id + 1 - h->by_id.count)) {
        return NULL;
    }
    while (h->by_id.count <= table->id) {
        h->by_id.items[h->by_id.count++] = NULL;
    }
    h->by_id.items[table->id] = entry;
    return entry;
}

micai_entry *micai_mirror_pool(micai_host *host, micai_history *h, micai_pool *pool)
{
    for (uint32_t i = 0; i < h->entries.count; i++) {
        if (h->entries.items[i]->pool == pool) {
            return h->entries.items[i];
        }
    }
    return make_entry(host, h, &pool->table, pool);
}

void micai_mirror_free(micai_host *host, micai_history *history)
{
    for (uint32_t i = 0; i < history->entries.count; i++) {
        free_entry(host, history->entries.items[i]);
    }
    for (uint32_t page = 0; page < history->slots.count; page++) {
        if (history->slots.items[page]) {
            micai_time_block_free(host, history->slots.items[page]);
            micai_release(host, history->slots.items[page], sizeof(micai_time_block),
                          _Alignof(micai_time_block));
        }
    }
    for (uint32_t i = 0; i < MICAI_PART_COUNT; i++) {
        micai_time_block_free(host, &history->parts[i]);
    }
    micai_array_free(host, &history->entries);
    micai_array_free(host, &history->slots);
    micai_array_free(host, &history->by_id);
    micai_map_free(host, &history->by_words);
    history->mirror_size = 0;
    history->scans = 0;
}
