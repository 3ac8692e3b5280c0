// Rows and parts that differ between states, and their bytes. sides_internal.h has the contract.
#include "time/sides_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/number.h"

// Ranges

static bool add_rows(micai_ranges *ranges, const micai_entry *entry, uint32_t row, uint32_t end)
{
    if (row < end) {
        if (!micai_array_reserve(ranges->host, &ranges->list, 1)) {
            return false;
        }
        ranges->list.items[ranges->list.count++] = (micai_rows){entry, row, end};
    }
    return true;
}

// Adds the rows that are there with one of the counts only.
static bool add_counts(micai_ranges *ranges, const micai_time_log *log,
                       const micai_time_change *change)
{
    const micai_entry *entry = change->range.block->entry;
    uint32_t now = micai_entry_head(entry)->count;
    uint32_t then = now;
    if (change->range.offset == 0) {
        memcpy(&then, log->bytes.items + change->place, sizeof then);
    }
    return add_rows(ranges, entry, micai_smaller(now, then), micai_larger(now, then));
}

static bool add_change(micai_ranges *ranges, const micai_time_log *log,
                       const micai_time_change *change)
{
    const micai_time_block *block = change->range.block;
    if (block->kind == MICAI_BLOCK_PART) {
        ranges->parts[block->number] = true;
    }
    if (block->kind == MICAI_BLOCK_HEAD) {
        return add_counts(ranges, log, change);
    }
    if (block->kind != MICAI_BLOCK_CELLS) {
        return true;
    }
    uint32_t size = block->entry->strips[block->strip].size;
    uint32_t first = block->number << MICAI_ROW_SHIFT;
    return add_rows(ranges, block->entry, first + (uint32_t)(change->range.offset / size),
                    first +
                        (uint32_t)((change->range.offset + change->range.size + size - 1) / size));
}

static int compare_rows(const void *a, const void *b)
{
    const micai_rows *one = a;
    const micai_rows *other = b;
    uint32_t x = one->entry->number;
    uint32_t y = other->entry->number;
    if (x == y) {
        x = one->row;
        y = other->row;
    }
    return x < y ? -1 : x > y;
}

bool micai_ranges_add(micai_ranges *ranges, const micai_time_log *log)
{
    bool added = true;
    for (uint32_t i = 0; added && i < log->changes.count; i++) {
        added = add_change(ranges, log, &log->changes.items[i]);
    }
    return added;
}

void micai_ranges_join(micai_ranges *ranges)
{
    micai_rows *list = ranges->list.items;
    uint32_t joined = 0;
    if (ranges->list.count > 0) {
        qsort(list, ranges->list.count, sizeof *list, compare_rows);
    }
    for (uint32_t i = 0; i < ranges->list.count; i++) {
        micai_rows *last = joined > 0 ? &list[joined - 1] : NULL;
        if (last && last->entry == list[i].entry && list[i].row <= last->end) {
            last->end = micai_larger(last->end, list[i].end);
        } else {
            list[joined++] = list[i];
        }
    }
    ranges->list.count = joined;
}

bool micai_ranges_collect(micai_ranges *ranges, const micai_history *history, uint32_t first_log,
                          uint32_t end_log)
{
    bool added = true;
    for (uint32_t k = first_log; added && k < end_log; k++) {
        added = micai_ranges_add(ranges, &history->kept.items[k].log);
    }
    micai_ranges_join(ranges);
    return added;
}

bool micai_ranges_collect_all(micai_ranges *ranges, const micai_history *history)
{
    for (uint32_t i = 0; i < history->entries.count; i++) {
        const micai_entry *entry = history->entries.items[i];
        if (!add_rows(ranges, entry, 0, micai_entry_head(entry)->count)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < MICAI_PART_COUNT; i++) {
        ranges->parts[i] = true;
    }
    return true;
}

void micai_ranges_free(micai_ranges *ranges)
{
    micai_array_free(ranges->host, &ranges->list);
}

// Sides

static const unsigned char *cell_at(const micai_entry *entry, uint32_t row, uint32_t strip)
{
    return micai_entry_cells(entry, row >> MICAI_ROW_SHIFT, strip)->bytes +
           (size_t)(row & (MICAI_ROWS - 1)) * entry->strips[strip].size;
}

mica_entity micai_entry_entity(const micai_entry *entry, uint32_t row)
{
    mica_entity entity;
    memcpy(&entity, cell_at(entry, row, 0), sizeof entity);
    return entity;
}

uint32_t micai_entry_row_size(const micai_entry *entry)
{
    uint32_t size = 0;
    for (uint32_t strip = 0; strip < entry->strip_count; strip++) {
        size += entry->strips[strip].size;
    }
    return size;
}

void micai_entry_copy_row(const micai_entry *entry, uint32_t row, micai_blob *to)
{
    uint32_t size = micai_entry_row_size(entry);
    if (to->failed || !micai_array_reserve(to->host, &to->bytes, size)) {
        to->failed = true;
        return;
    }
    unsigned char *at = to->bytes.items + to->bytes.count;
    for (uint32_t strip = 0; strip < entry->strip_count; strip++) {
        micai_copy_bytes(at, cell_at(entry, row, strip), entry->strips[strip].size);
        at += entry->strips[strip].size;
    }
    to->bytes.count += size;
}

static bool copy_row(micai_side *side, const micai_entry *entry, uint32_t row)
{
    mica_entity entity = micai_entry_entity(entry, row);
    if (micai_is_hole(entity)) {
        return true;
    }
    if (!micai_array_reserve(side->host, &side->pieces, 1)) {
        return false;
    }
    side->pieces.items[side->pieces.count++] =
        (micai_piece){entity, entry, side->bytes.bytes.count};
    micai_entry_copy_row(entry, row, &side->bytes);
    return !side->bytes.failed;
}

// The row of an entity in its table comes first, then its rows in pools by type.
static int compare_pieces(const void *a, const void *b)
{
    const micai_piece *one = a;
    const micai_piece *other = b;
    int order = micai_entities_compare(one->entity, other->entity);
    if (order == 0) {
        uint32_t x = one->entry->pool ? one->entry->pool->type->number + 1 : 0;
        uint32_t y = other->entry->pool ? other->entry->pool->type->number + 1 : 0;
        order = x < y ? -1 : x > y;
    }
    return order;
}

// Returns the place of a copy of a part, which is empty if no log has touched it.
static size_t copy_part(micai_side *side, const micai_history *history, const micai_ranges *ranges,
                        micai_part_id id)
{
    static const unsigned char none[sizeof(uint32_t)];
    size_t place = side->bytes.bytes.count;
    uint64_t size;
    memcpy(&size, history->parts[id].bytes, sizeof size);
    if (ranges->parts[id]) {
        micai_blob_write(&side->bytes, history->parts[id].bytes + sizeof size,
                         (size_t)size - sizeof size);
    } else {
        micai_blob_write(&side->bytes, none, sizeof none);
    }
    return place;
}

// Rows often lie in the order of their entities.
static bool are_ordered(const micai_side *side)
{
    uint32_t i = 1;
    while (i < side->pieces.count &&
           compare_pieces(&side->pieces.items[i - 1], &side->pieces.items[i]) < 0) {
        i++;
    }
    return i >= side->pieces.count;
}

bool micai_side_copy(micai_side *side, const micai_history *history, const micai_ranges *ranges)
{
    side->bytes.host = side->host;
    for (uint32_t i = 0; i < ranges->list.count; i++) {
        const micai_rows *rows = &ranges->list.items[i];
        uint32_t end = micai_smaller(rows->end, micai_entry_head(rows->entry)->count);
        bool of_group = rows->entry->pool && !rows->entry->pool->type;
        for (uint32_t row = rows->row; row < end && !of_group; row++) {
            if (!copy_row(side, rows->entry, row)) {
                return false;
            }
        }
    }
    if (!are_ordered(side)) {
        qsort(side->pieces.items, side->pieces.count, sizeof *side->pieces.items, compare_pieces);
    }
    side->names = copy_part(side, history, ranges, MICAI_PART_NAMES);
    side->facets = copy_part(side, history, ranges, MICAI_PART_FACETS);
    side->resources = copy_part(side, history, ranges, MICAI_PART_RESOURCES);
    return !side->bytes.failed;
}

void micai_side_free(micai_side *side)
{
    micai_array_free(side->host, &side->pieces);
    micai_array_free(side->host, &side->bytes.bytes);
}

// Components

// Assembles a value from the strips of its column.
micai_component micai_component_read(const micai_entry *entry, const unsigned char *cells,
                                     const micai_type *type, unsigned char *value)
{
    micai_component one = {.there = true};
    for (uint32_t s = 0; s < entry->strip_count; s++) {
        const micai_strip *strip = &entry->strips[s];
        if (entry->columns[strip->column].type != type) {
            cells += strip->size;
            continue;
        }
        if (strip->flags) {
            one.off = *cells != 0;
        } else if (!strip->ticks) {
            memcpy(value + strip->offset, cells, strip->size);
            one.value = value;
        }
        cells += strip->size;
    }
    return one;
}

micai_value_memory micai_value_memory_new(micai_host *host, const micai_registry *registry)
{
    micai_value_memory memory = {.size = 1, .align = 1};
    for (uint32_t n = 0; n < registry->list.count; n++) {
        const mica_type_info *info = &registry->list.items[n]->info;
        memory.size = info->size > memory.size ? info->size : memory.size;
        memory.align = info->align > memory.align ? info->align : memory.align;
    }
    memory.size = micai_round_up(memory.size, memory.align) * 2;
    memory.bytes = micai_alloc_zeroed(host, memory.size, memory.align);
    return memory;
}

void micai_value_memory_free(micai_host *host, micai_value_memory *memory)
{
    micai_release(host, memory->bytes, memory->size, memory->align);
}
