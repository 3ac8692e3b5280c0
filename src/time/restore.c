// Restoring: brings the world back to the mirror, whose logs were swapped before. history_internal.h has the
// contract.
//
// Only what differs is copied: the ranges in `covered`, those of the swapped logs, and rows that the world
// does not have now. Their order does not matter, because every range is copied from the mirror as it is
// at last.
#include <string.h>

#include "time/parts_internal.h"

#include "base/canary.h"
#include "base/number.h"
#include "store/table/kind_ring.h"

// Collecting

static bool is_whole(micai_range range)
{
    return range.offset == 0 && range.size == range.block->size;
}

// Adds a range of a swapped log to those that differ, unless all of its block was added. Heads and parts
// are always compared.
static bool add_range(micai_restoring *r, micai_range range)
{
    micai_history *h = r->history;
    micai_time_block *block = range.block;
    if (block->kind == MICAI_BLOCK_TICKS) {
        size_t sheet = block->entry->strip_count * sizeof(uint64_t);
        micai_entry_widen(block->entry, (uint32_t)(range.offset / sheet),
                          (uint32_t)((range.offset + range.size + sheet - 1) / sheet));
    } else if (block->kind == MICAI_BLOCK_PART) {
        r->swapped[block->number] = true;
    }
    if (block->covered || block->kind == MICAI_BLOCK_PART || block->kind == MICAI_BLOCK_HEAD ||
        block->kind == MICAI_BLOCK_TICKS) {
        return true;
    }
    if (!micai_array_reserve(&r->world->host, &h->covered, 1)) {
        return false;
    }
    block->covered = is_whole(range);
    h->covered.items[h->covered.count++] = range;
    return true;
}

// Adds what the swapped logs have to what differs between world and mirror.
static mica_result collect(micai_restoring *r)
{
    micai_history *h = r->history;
    bool added = true;
    for (uint32_t i = 0; i < h->covered.count; i++) {
        h->covered.items[i].block->covered |= is_whole(h->covered.items[i]);
    }
    for (uint32_t k = 0; k < r->kept_count && added; k++) {
        const micai_time_log *log = &r->kept[k].log;
        for (uint32_t i = 0; i < log->changes.count && added; i++) {
            added = add_range(r, log->changes.items[i].range);
        }
    }
    for (uint32_t i = 0; i < h->covered.count; i++) {
        h->covered.items[i].block->covered = false;
    }
    return added ? MICA_OK : MICA_ERROR_MEMORY;
}

typedef void range_fn(micai_restoring *r, micai_range range);

// Visits the ranges that may differ, of blocks of one kind.
static void visit(micai_restoring *r, micai_time_block_kind kind, range_fn *call)
{
    const micai_history *h = r->history;
    for (uint32_t i = 0; i < h->covered.count; i++) {
        if (h->covered.items[i].block->kind == kind) {
            call(r, h->covered.items[i]);
        }
    }
}

static bool is_ids(micai_range range)
{
    return range.block->strip == 0;
}

typedef struct row_range {
    uint32_t row;
    uint32_t end;
} row_range;

// Returns the rows of a range of cells that are below `count`.
static row_range rows_of(micai_range range, uint32_t count)
{
    uint32_t size = range.block->entry->strips[range.block->strip].size;
    uint32_t first = range.block->number << MICAI_ROW_SHIFT;
    row_range rows = {first + (uint32_t)(range.offset / size),
                      first + (uint32_t)((range.offset + range.size + size - 1) / size)};
    rows.end = micai_smaller(rows.end, count);
    return rows;
}

static mica_entity mirrored_id(const micai_entry *entry, uint32_t row)
{
    mica_entity entity;
    memcpy(&entity,
           micai_entry_cells(entry, row >> MICAI_ROW_SHIFT, 0)->bytes +
               (row & (MICAI_ROWS - 1)) * sizeof entity,
           sizeof entity);
    return entity;
}

// The tables of the snapshot

uint32_t micai_rewind_count(const micai_history *h)
{
    uint64_t size;
    memcpy(&size, h->parts[MICAI_PART_TABLES].bytes, sizeof size);
    return (uint32_t)((size - sizeof size) / sizeof(uint32_t));
}

micai_entry *micai_rewind_entry(const micai_history *h, uint32_t id)
{
    uint32_t number;
    memcpy(&number, h->parts[MICAI_PART_TABLES].bytes + sizeof(uint64_t) + id * sizeof number,
           sizeof number);
    return h->entries.items[number];
}

micai_table *micai_restored_table(const micai_history *history, uint32_t id)
{
    return micai_rewind_entry(history, id)->table;
}

// Reserving

micai_table *micai_rewind_make_table(mica_world *world, const micai_entry *entry)
{
    micai_host *host = &world->host;
    mica_type_set set = {0};
    micai_table *table = NULL;
    bool failed = micai_types_reserve(host, &set, entry->word_count) != MICA_OK;
    for (uint32_t n = micai_bits_next(entry->words, entry->word_count, 0);
         n != MICAI_BITS_END && !failed;
         n = micai_bits_next(entry->words, entry->word_count, n + 1)) {
        micai_types_put(&set, n);
    }
    if (!failed) {
        table = micai_store_table(&world->state->store, &set);
    }
    micai_types_free(host, &set);
    return table;
}

static mica_result reserve_rows(micai_restoring *r, const micai_entry *entry)
{
    micai_state *state = r->world->state;
    const micai_head *head = micai_entry_head(entry);
    uint32_t count = micai_larger(head->count, head->promised);
    uint32_t extra = count > entry->table->count ? count - entry->table->count : 0;
    if (extra == 0 || (entry->pool && !entry->pool->type)) {
        return MICA_OK; // the list of a group has the capacity of its first pool
    }
    return entry->pool ? micai_pool_reserve(&state->pools, entry->pool, extra)
                       : micai_table_reserve(&state->store, entry->table, extra);
}

// Reserves the indexes of pools for rows that will have other entities.
static mica_result reserve_index(micai_restoring *r, const micai_entry *entry, row_range rows)
{
    mica_result result = MICA_OK;
    for (; rows.row < rows.end && !result; rows.row++) {
        mica_entity entity = mirrored_id(entry, rows.row);
        if (entry->pool->type && !micai_is_hole(entity)) {
            result = micai_pool_reserve_slot(&r->world->state->pools, entry->pool,
                                             mica_entity_slot(entity));
        }
    }
    return result;
}

static void reserve_rows_of(micai_restoring *r, micai_range range)
{
    const micai_entry *entry = range.block->entry;
    if (is_ids(range) && entry->pool && !r->failed) {
        r->failed = reserve_index(r, entry, rows_of(range, micai_entry_head(entry)->count));
    }
}

static void reserve_slots(micai_restoring *r, micai_range range)
{
    micai_state *state = r->world->state;
    if (!r->failed) {
        r->failed = micai_slots_make_page(state->host, &state->slots, range.block->number);
    }
}

static mica_result reserve_parts(micai_restoring *r)
{
    micai_history *h = r->history;
    h->scratch.host = &r->world->host;
    h->scratch.failed = false;
    for (uint32_t i = 0; i < MICAI_PART_COUNT; i++) {
        micai_part_id id = (micai_part_id)i;
        if (i != MICAI_PART_TABLES && // tables may be new; their order is always restored
            (r->swapped[i] || !micai_part_is_unchanged(r->world, h, id))) {
            r->differs[i] = micai_part_differs(r->world, h, id, &h->scratch);
            if (h->scratch.failed) {
                return MICA_ERROR_MEMORY;
            }
        }
        mica_result result = r->differs[i] ? micai_part_reserve(r, id) : MICA_OK;
        if (result) {
            return result;
        }
    }
    return MICA_OK;
}

micai_restoring micai_rewind_begin(mica_world *world, micai_history *history,
                                   const micai_kept *kept, uint32_t count)
{
    return (micai_restoring){.world = world,
                             .history = history,
                             .kept = kept,
                             .kept_count = count,
                             .tables = world->state->store.tables.count};
}

mica_result micai_rewind_reserve(micai_restoring *r)
{
    micai_history *h = r->history;
    uint32_t tables = micai_rewind_count(h);
    mica_result result = collect(r);
    h->order.count = 0;
    if (!result && !micai_array_reserve(&r->world->host, &h->order, tables)) {
        result = MICA_ERROR_MEMORY;
    }
    for (uint32_t id = 0; id < tables && !result; id++) {
        micai_entry *entry = micai_rewind_entry(h, id);
        entry->table = entry->table ? entry->table : micai_rewind_make_table(r->world, entry);
        result = entry->table ? MICA_OK : r->world->host.failed;
        h->order.items[id] = entry->table;
        h->order.count = id + 1;
    }
    for (uint32_t i = 0; i < h->entries.count; i++) {
        micai_entry *entry = h->entries.items[i];
        entry->was_idle = entry->table && entry->table->idle;
    }
    for (uint32_t i = 0; i < h->entries.count && !result; i++) {
        const micai_entry *entry = h->entries.items[i];
        result = entry->table ? reserve_rows(r, entry) : MICA_OK;
        if (!result && entry->table && entry->pool) {
            result =
                reserve_index(r, entry, (row_range){entry->low, micai_entry_head(entry)->count});
        }
    }
    if (!result) {
        visit(r, MICAI_BLOCK_CELLS, reserve_rows_of);
        visit(r, MICAI_BLOCK_SLOTS, reserve_slots);
        result = r->failed;
    }
    return result ? result : reserve_parts(r);
}

void micai_rewind_cancel(micai_restoring *r)
{
    for (uint32_t i = 0; i < MICAI_PART_COUNT; i++) {
        micai_part_cancel(r, (micai_part_id)i);
    }
    for (uint32_t i = 0; i < r->history->entries.count; i++) {
        micai_entry *entry = r->history->entries.items[i];
        if (!entry->pool && entry->table && entry->table->id >= r->tables) {
            entry->table = NULL; // the end of the call takes it back
        } else if (entry->was_idle && !entry->table->idle) {
            entry->table->idle = true;
            micai_table_trim(&r->world->state->store, entry->table);
        }
    }
}

// Pools: an entity leaves its row before any gets a new one.

static void unlink_rows(micai_restoring *r, const micai_entry *entry, row_range rows)
{
    micai_pool_unlink_rows(&r->world->state->pools, entry->pool, rows.row, rows.end);
}

static void unlink_range(micai_restoring *r, micai_range range)
{
    const micai_entry *entry = range.block->entry;
    if (is_ids(range) && entry->pool && entry->table) {
        unlink_rows(r, entry, rows_of(range, entry->table->count));
    }
}

// Slots. The row of a living entity is set with the row.
static void write_slots(micai_restoring *r, micai_range range)
{
    const micai_record *records = (const micai_record *)(const void *)range.block->bytes;
    uint32_t first = (uint32_t)(range.offset / sizeof *records);
    uint32_t end = (uint32_t)((range.offset + range.size + sizeof *records - 1) / sizeof *records);
    for (uint32_t i = first; i < end; i++) {
        micai_record *record = micai_slots_at(&r->world->state->slots,
                                              range.block->number << MICAI_SLOT_PAGE_SHIFT | i);
        bool alive = records[i].tag < MICAI_SLOT_FREE;
        *record = (micai_record){alive ? record->where : records[i].where, records[i].tag};
    }
}

// Rows

static void copy_cells(const micai_entry *entry, uint32_t strip, row_range rows)
{
    const micai_table *table = entry->table;
    uint32_t size = table->layout.strips[strip].size;
    while (rows.row < rows.end) {
        micai_span span = micai_strip_span(table, strip, rows.row);
        uint32_t count = micai_smaller(span.count, micai_sheet_rows(rows.row, rows.end - rows.row));
        const micai_time_block *block =
            micai_entry_cells(entry, rows.row >> MICAI_ROW_SHIFT, strip);
        memcpy(span.data, block->bytes + (size_t)(rows.row & (MICAI_ROWS - 1)) * size,
               (size_t)count * size);
        rows.row += count;
    }
}

static void link_rows(micai_restoring *r, const micai_entry *entry, row_range rows)
{
    micai_state *state = r->world->state;
    if (entry->pool) {
        micai_pool_link_rows(&state->pools, entry->pool, rows.row, rows.end);
        return;
    }
    for (; rows.row < rows.end; rows.row++) {
        micai_row row = micai_row_at(entry->table, rows.row);
        micai_slots_place(&state->slots, mica_entity_slot(micai_row_entity(row)),
                          micai_sheet_where(row.sheet, row.offset));
    }
}

static void copy_range(micai_restoring *r, micai_range range)
{
    const micai_entry *entry = range.block->entry;
    if (entry->table) {
        row_range rows = rows_of(range, entry->table->count);
        copy_cells(entry, range.block->strip, rows);
        if (is_ids(range)) {
            link_rows(r, entry, rows);
        }
    }
}

// Copies rows that the world did not have.
static void copy_new_rows(micai_restoring *r, const micai_entry *entry)
{
    row_range rows = {entry->low, entry->table->count};
    for (uint32_t strip = 0; strip < entry->strip_count; strip++) {
        copy_cells(entry, strip, rows);
    }
    link_rows(r, entry, rows);
}

void micai_rewind_column(const micai_history *history, micai_table *table, uint32_t column)
{
    const micai_entry *entry = micai_history_find(history, table);
    copy_cells(entry, table->layout.columns[column].strip, (row_range){0, table->count});
}

// Ticks of pages. Sheets without rows must have none from the future either.
static void restore_sheets(micai_restoring *r, micai_entry *entry, uint32_t index, uint32_t end)
{
    micai_store *store = &r->world->state->store;
    uint64_t now = r->world->view.tick;
    end = micai_smaller(end, entry->table->sheets.count);
    for (; index < end; index++) {
        micai_sheet *sheet = entry->table->sheets.items[index];
        for (uint32_t strip = 0; strip < entry->strip_count; strip++) {
            uint64_t tick = micai_entry_tick(entry, index, strip);
            tick = tick < now ? tick : now;
            if (tick != sheet->pages[strip].tick) {
                micai_sheet_rewind(store, sheet, strip, tick);
            }
        }
        micai_entry_settle(entry, sheet);
    }
}

static void restore_head(micai_restoring *r, const micai_entry *entry)
{
    const micai_head *head = micai_entry_head(entry);
    const unsigned char *disabled = (const unsigned char *)(head + 1);
    micai_store *store = &r->world->state->store;
    entry->table->promised = head->promised;
    entry->table->idle = head->idle != 0;
    if (head->idle) {
        micai_table_trim(store, entry->table); // tidying requires that it grows with its first row
    }
    for (uint32_t c = 0; c < entry->column_count; c++) {
        micai_toggle_restore(store, entry->table, c, disabled[c] != 0);
    }
}

static void restore_counts(micai_restoring *r)
{
    const micai_history *h = r->history;
    for (uint32_t i = 0; i < h->entries.count; i++) {
        micai_entry *entry = h->entries.items[i];
        const micai_head *head = micai_entry_head(entry);
        if (!entry->table) {
            continue;
        }
        entry->resized = entry->table->count != head->count;
        if (entry->pool) {
            unlink_rows(
                r, entry,
                (row_range){micai_smaller(head->count, entry->table->count), entry->table->count});
            entry->pool->index.first_hole = head->first_hole;
            entry->pool->index.hole_count = head->hole_count;
        }
        micai_table_set_count(entry->table, head->count);
    }
}

// Frees younger tables, and puts the others into their order.
static void restore_tables(micai_restoring *r)
{
    micai_history *h = r->history;
    micai_store *store = &r->world->state->store;
    uint32_t count = micai_rewind_count(h);
    bool same = count == store->tables.count;
    for (uint32_t id = 0; id < count && same; id++) {
        same = h->order.items[id] == store->tables.items[id];
    }
    if (!same && !MICAI_CANARY("time.order")) {
        for (uint32_t id = 0; id < store->tables.count; id++) {
            micai_table_set_count(store->tables.items[id], 0);
        }
        micai_store_arrange(store, h->order.items, count);
        for (uint32_t i = 0; i < h->entries.count; i++) {
            micai_entry *entry = h->entries.items[i];
            entry->table = entry->pool ? entry->table : NULL;
        }
        for (uint32_t id = 0; id < count; id++) {
            micai_rewind_entry(h, id)->table = h->order.items[id];
        }
    }
}

void micai_rewind_commit(micai_restoring *r)
{
    micai_history *h = r->history;
    micai_state *state = r->world->state;
    visit(r, MICAI_BLOCK_CELLS, unlink_range);
    restore_tables(r);
    restore_counts(r);
    for (uint32_t i = 0; i < MICAI_PART_COUNT; i++) {
        if (r->differs[i]) {
            micai_part_read(r, (micai_part_id)i);
        }
    }
    visit(r, MICAI_BLOCK_SLOTS, write_slots);
    visit(r, MICAI_BLOCK_CELLS, copy_range);
    for (uint32_t i = 0; i < h->entries.count; i++) {
        micai_entry *entry = h->entries.items[i];
        if (entry->table) {
            copy_new_rows(r, entry);
            restore_sheets(r, entry, entry->first_sheet, entry->end_sheet);
            restore_sheets(r, entry, entry->low >> MICAI_ROW_SHIFT, UINT32_MAX);
            restore_head(r, entry);
            if (entry->resized && !entry->pool) {
                micai_rings_update_pointers(&state->store, entry->table);
            }
        }
    }
    state->store.address_changes++;
}
