// Scanning: what differs between the world and the mirror. history_internal.h has the contract.
//
// One walk serves both directions. A take writes what differs to the mirror; a restore lists it.
#include "time/entries_internal.h"
#include "time/parts_internal.h"

#include "base/canary.h"
#include "base/number.h"

// Bytes that are compared at once: at first, and at most.
#define CHUNK 256u
#define CHUNK_MOST 4096u

typedef struct scan {
    mica_world *world;
    micai_state *state;
    micai_history *history;
    micai_time_log *log; // NULL: nothing is logged
    bool cover;          // lists what differs and writes nothing
    bool failed;         // MICA_ERROR_MEMORY
} scan;

static void note(scan *s, micai_time_block *block, size_t offset, const void *bytes, size_t size)
{
    micai_range range = {block, offset, size};
    if (s->failed || size == 0) {
        return;
    }
    if (!s->cover) {
        s->failed = !micai_time_log_write(&s->history->heap, s->log, range, bytes);
        s->history->stats.changed_bytes += size;
    } else if (micai_array_reserve(&s->world->host, &s->history->covered, 1)) {
        s->history->covered.items[s->history->covered.count++] = range;
    } else {
        s->failed = true;
    }
}

// Notes the bytes that differ, chunk by chunk. Where many differ, chunks become larger: noting a few bytes
// too many costs less than comparing all.
static void note_changed(scan *s, micai_time_block *block, size_t offset, const void *bytes,
                         size_t size)
{
    const unsigned char *now = bytes;
    const unsigned char *then = block->bytes + offset;
    size_t from = SIZE_MAX;
    size_t chunk = CHUNK;
    for (size_t done = 0; done < size && !s->failed;) {
        size_t count = size - done < chunk ? size - done : chunk;
        if (memcmp(now + done, then + done, count) != 0) {
            from = from == SIZE_MAX ? done : from;
            chunk = chunk < CHUNK_MOST ? chunk * 2 : chunk;
        } else {
            if (from != SIZE_MAX) {
                note(s, block, offset + from, now + from, done - from);
                from = SIZE_MAX;
            }
            chunk = CHUNK;
        }
        done += count;
    }
    if (from != SIZE_MAX) {
        note(s, block, offset + from, now + from, size - from);
    }
}

// Ensures the size of a block. While covering, blocks stay as they are, and the caller must not go beyond
// them.
static bool grow(scan *s, micai_time_block *block, size_t size)
{
    if (!s->cover && !s->failed) {
        s->failed = !micai_mirror_grow(&s->world->host, s->history, block, size);
    }
    return !s->failed;
}

// Slots

static micai_record canonical(const micai_state *state, uint32_t slot)
{
    const micai_record *record = micai_slots_look(&state->slots, slot);
    if (!record) {
        uint32_t floor = micai_slots_floor(&state->slots, slot >> MICAI_SLOT_PAGE_SHIFT);
        return (micai_record){.where = MICAI_SLOT_NONE, .tag = MICAI_SLOT_FREE | floor};
    }
    bool alive = record->tag < MICAI_SLOT_FREE;
    return (micai_record){.where = alive ? 0 : record->where, .tag = record->tag};
}

static micai_time_block *slot_block(scan *s, uint32_t page)
{
    micai_time_block *block = micai_mirror_slots(&s->world->host, s->history, page);
    s->failed = s->failed || !block;
    return block;
}

// Notes the record of a slot if it differs. Returns true if it did.
static bool scan_slot(scan *s, uint32_t slot)
{
    micai_time_block *block = s->failed ? NULL : slot_block(s, slot >> MICAI_SLOT_PAGE_SHIFT);
    if (!block) {
        return false;
    }
    size_t offset = (slot & (MICAI_SLOT_PAGE_SIZE - 1)) * sizeof(micai_record);
    micai_record now = canonical(s->state, slot);
    bool differs = memcmp(block->bytes + offset, &now, sizeof now) != 0;
    if (differs) {
        note(s, block, offset, &now, sizeof now);
    }
    return differs;
}

static void scan_slot_page(scan *s, uint32_t page)
{
    micai_record records[MICAI_SLOT_PAGE_SIZE];
    micai_time_block *block = slot_block(s, page);
    for (uint32_t i = 0; block && i < MICAI_SLOT_PAGE_SIZE; i++) {
        records[i] = canonical(s->state, page << MICAI_SLOT_PAGE_SHIFT | i);
    }
    if (block) {
        note_changed(s, block, 0, records, sizeof records);
    }
}

// The slots of entities that came, went or moved were noted with their rows.
static void scan_slots(scan *s)
{
    micai_slots *slots = &s->state->slots;
    bool relinked = slots->relinked && !MICAI_CANARY("time.relinked");
    if (relinked || s->history->scans == 1) {
        uint32_t count = micai_larger(slots->view.page_count, slots->floors.count);
        count = micai_larger(count, s->history->slots.count);
        for (uint32_t page = 0; page < count && !s->failed; page++) {
            scan_slot_page(s, page);
        }
        return;
    }
    uint32_t slot = slots->free_first;
    while (slot != MICAI_SLOT_NONE && !s->failed && scan_slot(s, slot)) {
        slot = micai_slots_at(slots, slot)->where;
    }
}

uint32_t micai_scan_unnoticed_slot(const micai_state *state, const micai_history *history)
{
    for (uint32_t page = 0; page < history->slots.count; page++) {
        const micai_time_block *block = history->slots.items[page];
        for (uint32_t i = 0; block && i < MICAI_SLOT_PAGE_SIZE; i++) {
            const micai_record now = canonical(state, page << MICAI_SLOT_PAGE_SHIFT | i);
            if (memcmp(block->bytes + i * sizeof now, &now, sizeof now) != 0) {
                return page << MICAI_SLOT_PAGE_SHIFT | i;
            }
        }
    }
    return MICAI_SLOT_NONE;
}

// Tables

static bool keeps_records(const micai_entry *entry)
{
    return entry->pool == NULL;
}

// Notes the slots of entities that are, or were, in these rows.
static void scan_entities(scan *s, const micai_entry *entry, const micai_table *table, uint32_t row,
                          uint32_t end)
{
    uint32_t then = micai_entry_head(entry)->count;
    uint32_t now = table ? table->count : 0;
    for (; row < end && !s->failed; row++) {
        const micai_time_block *ids = micai_entry_cells(entry, row >> MICAI_ROW_SHIFT, 0);
        size_t at = (row & (MICAI_ROWS - 1)) * sizeof(mica_entity);
        mica_entity old = {0};
        if (row < then && ids && at < ids->size) {
            memcpy(&old, ids->bytes + at, sizeof old);
        }
        mica_entity entity = row < now ? micai_table_entity(table, row) : (mica_entity){0};
        if (old.bits != entity.bits) {
            if (old.bits != 0) {
                scan_slot(s, mica_entity_slot(old));
            }
            if (entity.bits != 0) {
                scan_slot(s, mica_entity_slot(entity));
            }
        }
    }
}

// Ensures that a sheet of the table has its blocks. While covering, returns false if it has none.
static bool open_sheet(scan *s, micai_entry *entry, uint32_t index, uint32_t capacity)
{
    if (s->cover) {
        return (index + 1) * entry->strip_count <= entry->cells.count;
    }
    s->failed = !micai_mirror_sheet(&s->world->host, s->history, entry, index, capacity);
    return !s->failed;
}

typedef void note_fn(scan *s, micai_time_block *block, size_t offset, const void *bytes,
                     size_t size);

// Notes the cells of a strip, from a row of the table up to another one of the same sheet.
static void scan_cells(scan *s, const micai_entry *entry, uint32_t strip, uint32_t row,
                       uint32_t end, note_fn *how)
{
    micai_table *table = entry->table;
    const micai_strip *cells = &table->layout.strips[strip];
    micai_time_block *block = micai_entry_cells(entry, row >> MICAI_ROW_SHIFT, strip);
    uint32_t sheet_end = (row & ~(MICAI_ROWS - 1)) + (uint32_t)(block->size / cells->size);
    end = end < sheet_end ? end : sheet_end; // while covering, the mirror may have fewer rows
    while (row < end && !s->failed) {
        micai_span span = micai_strip_span(table, strip, row);
        uint32_t count = span.count < end - row ? span.count : end - row;
        how(s, block, (size_t)(row & (MICAI_ROWS - 1)) * cells->size, span.data,
            (size_t)count * cells->size);
        row += count;
    }
}

// Returns the first card from `card` on that is set, or `end`.
static uint32_t next_card(const micai_sheet *sheet, uint32_t card, uint32_t end)
{
    enum { SOME = 8 };
    static const uint8_t none[SOME];
    while (card < end && !sheet->cards[card]) {
        bool some =
            card + SOME <= MICAI_CARDS && memcmp(sheet->cards + card, none, sizeof none) == 0;
        card += some ? SOME : 1;
    }
    return micai_smaller(card, end);
}

// Notes rows that were added or moved: whole rows.
static void scan_rows(scan *s, micai_entry *entry, uint32_t row, uint32_t end)
{
    if (keeps_records(entry)) {
        scan_entities(s, entry, entry->table, row, end);
    }
    for (uint32_t strip = 0; strip < entry->strip_count; strip++) {
        scan_cells(s, entry, strip, row, end, note);
    }
}

// Scattered rows are in no cache: all strips of one are fetched at once.
static void prefetch_row(const micai_entry *entry, const micai_sheet *sheet, uint32_t offset)
{
    for (uint32_t strip = 0; strip < entry->strip_count; strip++) {
        const micai_time_block *block = micai_entry_cells(entry, sheet->index, strip);
        size_t at = (size_t)offset * entry->strips[strip].size;
        if (at < block->size) {
            MICAI_PREFETCH(block->bytes + at);
        }
        if (!entry->strips[strip].outside) {
            MICAI_PREFETCH_READ(micai_sheet_at(sheet, strip, offset));
        }
    }
}

static void scan_cards(scan *s, micai_entry *entry, const micai_sheet *sheet, uint32_t rows)
{
    uint32_t first = sheet->index << MICAI_ROW_SHIFT;
    uint32_t end = (rows + MICAI_CARD_ROWS - 1) >> MICAI_CARD_SHIFT;
    for (uint32_t card = next_card(sheet, 0, end); card < end && !s->failed;
         card = next_card(sheet, card, end)) {
        uint32_t from = card << MICAI_CARD_SHIFT;
        prefetch_row(entry, sheet, from);
        while (card < end && sheet->cards[card]) {
            card++;
        }
        scan_rows(s, entry, first + from, first + micai_smaller(card << MICAI_CARD_SHIFT, rows));
    }
}

// Returns true if values of a type may be written without a tick.
static bool is_untold(const micai_type *type)
{
    return type && (type->unstamped || type->info.stable) && !MICAI_CANARY("time.unstamped");
}

static uint64_t kind_tick(const micai_table *table, uint32_t column)
{
    const micai_kind *kind = micai_table_kind(table, column);
    return kind->tick ? kind->tick(table, column) : 0;
}

// Returns true if the ticks of a table's pages do not tell of all writes.
static bool is_any_untold(const micai_entry *entry, uint64_t synced)
{
    const micai_table *table = entry->table;
    bool any = table->index &&
               (entry->pool->index.hole_count > 0 || micai_entry_head(entry)->hole_count > 0);
    for (uint32_t c = 1; c < entry->column_count && !any; c++) {
        any = is_untold(table->layout.columns[c].type) || kind_tick(table, c) >= synced;
    }
    return any;
}

// Returns true if a page of the sheet has been written since.
static bool is_written(const micai_sheet *sheet, uint32_t strip_count, uint64_t synced)
{
    uint64_t newest = 0;
    for (uint32_t strip = 0; strip < strip_count; strip++) {
        newest = sheet->pages[strip].tick > newest ? sheet->pages[strip].tick : newest;
    }
    return newest >= synced;
}

// Notes the values of a strip if they were, or may have been, written. Writes to a column that has several
// strips may touch only the first.
static void scan_strip(scan *s, const micai_entry *entry, const micai_sheet *sheet, uint32_t strip,
                       uint32_t rows)
{
    const micai_table *table = entry->table;
    uint64_t synced = s->history->synced;
    uint32_t column = table->layout.strips[strip].column;
    uint32_t first = table->layout.columns[column].strip;
    uint32_t row = sheet->index << MICAI_ROW_SHIFT;
    uint64_t tick = kind_tick(table, column);
    tick = sheet->pages[first].tick > tick ? sheet->pages[first].tick : tick;
    tick = sheet->pages[strip].tick > tick ? sheet->pages[strip].tick : tick;
    if (tick > synced) {
        scan_cells(s, entry, strip, row, row + rows, note);
    } else if (tick == synced || is_untold(table->layout.columns[column].type)) {
        scan_cells(s, entry, strip, row, row + rows, note_changed);
    }
}

// While covering, only tells that the sheet differs.
static void scan_ticks(scan *s, micai_entry *entry, const micai_sheet *sheet)
{
    if (s->cover) {
        micai_entry_widen(entry, sheet->index, sheet->index + 1);
        return;
    }
    size_t offset = (size_t)sheet->index * entry->strip_count * sizeof(uint64_t);
    for (uint32_t strip = 0; strip < entry->strip_count; strip++) {
        uint64_t tick = sheet->pages[strip].tick;
        if (tick != micai_entry_tick(entry, sheet->index, strip)) {
            note(s, &entry->ticks, offset + strip * sizeof tick, &tick, sizeof tick);
        }
    }
}

static void scan_sheet(scan *s, micai_entry *entry, micai_sheet *sheet)
{
    micai_table *table = entry->table;
    uint32_t index = sheet->index;
    uint32_t row = index << MICAI_ROW_SHIFT;
    uint32_t rows = micai_sheet_rows(row, table->count - row);
    bool other = index >= entry->sheets.count || entry->sheets.items[index] != sheet;
    if (!open_sheet(s, entry, index, sheet->capacity)) {
        if (keeps_records(entry)) {
            scan_entities(s, entry, table, row, row + rows);
        }
        return;
    }
    if (other) {
        scan_rows(s, entry, row, row + rows);
    } else if (sheet->pages[0].tick >= s->history->synced || table->index) { // holes have no tick
        scan_cards(s, entry, sheet, rows);
    }
    for (uint32_t strip = 1; strip < entry->strip_count && !other; strip++) {
        scan_strip(s, entry, sheet, strip, rows);
    }
    scan_ticks(s, entry, sheet);
    if (!s->cover) {
        micai_entry_settle(entry, sheet);
    }
}

static void scan_sheets(scan *s, micai_entry *entry)
{
    const micai_table *table = entry->table;
    uint64_t synced = s->history->synced;
    uint32_t count = (table->count + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT;
    bool all = count > 0 && is_any_untold(entry, synced);
    for (uint32_t i = 0; i < count && !s->failed; i++) {
        micai_sheet *sheet = table->sheets.items[i];
        if (all || is_written(sheet, entry->strip_count, synced) || i >= entry->sheets.count ||
            entry->sheets.items[i] != sheet) {
            scan_sheet(s, entry, sheet);
        }
    }
}

static void scan_head(scan *s, micai_entry *entry)
{
    const micai_table *table = entry->table;
    micai_head head = {.count = table ? table->count : 0,
                       .promised = table ? table->promised : 0,
                       .idle = table && table->idle};
    if (entry->pool) {
        head.first_hole = entry->pool->index.first_hole;
        head.hole_count = entry->pool->index.hole_count;
    }
    note_changed(s, &entry->head, 0, &head, sizeof head);
    for (uint32_t c = 0; c < entry->column_count; c++) {
        unsigned char disabled = table && table->layout.columns[c].has_disabled;
        if (disabled != entry->head.bytes[sizeof head + c]) {
            note(s, &entry->head, sizeof head + c, &disabled, 1);
        }
    }
}

static void scan_table(scan *s, micai_entry *entry)
{
    const micai_table *table = entry->table;
    uint32_t now = table ? table->count : 0;
    uint32_t then = micai_entry_head(entry)->count;
    entry->seen = s->history->scans;
    entry->low = micai_smaller(now, then);
    entry->first_sheet = UINT32_MAX;
    entry->end_sheet = 0;
    if (now > 0) {
        scan_sheets(s, entry);
    }
    if (keeps_records(entry) && then > now) {
        scan_entities(s, entry, table, now, then);
    }
    if (!s->cover && !s->failed) {
        scan_head(s, entry);
    }
}

static micai_entry *entry_of_pool(scan *s, micai_pool *pool)
{
    micai_entry *entry = micai_mirror_pool(&s->world->host, s->history, pool);
    s->failed = s->failed || !entry;
    return entry;
}

static void scan_pools(scan *s)
{
    const micai_pools *pools = &s->state->pools;
    for (uint32_t i = 0; i < pools->list.count && !s->failed; i++) {
        micai_pool *pool = pools->list.items[i];
        micai_entry *entry = pool ? entry_of_pool(s, pool) : NULL;
        if (entry) {
            scan_table(s, entry);
        }
    }
    MICAI_FOR_HANDLES(micai_group, group, &pools->groups)
    {
        micai_entry *entry = group->list && !s->failed ? entry_of_pool(s, group->list) : NULL;
        if (entry) {
            scan_table(s, entry);
        }
    }
}

static void scan_tables(scan *s)
{
    const micai_store *store = &s->state->store;
    for (uint32_t id = 0; id < store->tables.count && !s->failed; id++) {
        micai_entry *entry =
            micai_mirror_table(&s->world->host, s->history, store->tables.items[id]);
        s->failed = !entry;
        if (entry) {
            scan_table(s, entry);
        }
    }
    for (uint32_t i = 0; i < s->history->entries.count && !s->failed; i++) {
        micai_entry *entry = s->history->entries.items[i];
        if (!entry->pool && entry->seen != s->history->scans) {
            entry->table = NULL;
            scan_table(s, entry);
        }
    }
}

// Parts are compared as a whole by the restore itself.
static void scan_parts(scan *s)
{
    micai_blob *to = &s->history->scratch;
    for (uint32_t i = 0; i < MICAI_PART_COUNT && !s->failed; i++) {
        micai_time_block *block = &s->history->parts[i];
        block->kind = MICAI_BLOCK_PART;
        block->number = i;
        if (!micai_part_is_unchanged(s->world, s->history, (micai_part_id)i) &&
            micai_part_differs(s->world, s->history, (micai_part_id)i, to)) {
            s->failed = s->failed || to->failed;
            if (grow(s, block, to->bytes.count)) {
                note_changed(s, block, 0, to->bytes.items, to->bytes.count);
            }
        }
    }
}

static bool scan_all(scan *s)
{
    s->history->scratch.host = &s->world->host;
    s->history->scratch.failed = false;
    s->history->scans++;
    scan_slots(s); // before rows, which would note some records of the free list
    scan_tables(s);
    scan_pools(s);
    if (!s->cover) {
        scan_parts(s);
    }
    return !s->failed;
}

bool micai_scan_take(mica_world *world, micai_history *history, micai_time_log *log)
{
    history->stats.changed_bytes = 0;
    scan s = {.world = world, .state = world->state, .history = history, .log = log};
    return scan_all(&s);
}

void micai_scan_forget(mica_world *world, micai_history *history)
{
    world->state->slots.relinked = true;
    if (!MICAI_CANARY("time.revisions")) {
        memset(history->revisions, 0xff, sizeof history->revisions);
    }
    for (uint32_t i = 0; i < history->entries.count; i++) {
        micai_entry *entry = history->entries.items[i];
        for (uint32_t k = 0; k < entry->sheets.count; k++) {
            entry->sheets.items[k] = NULL; // its cards are cleared: it is scanned as another one
        }
    }
}

bool micai_scan_cover(mica_world *world, micai_history *history)
{
    history->covered.count = 0;
    scan s = {.world = world, .state = world->state, .history = history, .cover = true};
    return scan_all(&s);
}

void micai_entry_settle(micai_entry *entry, micai_sheet *sheet)
{
    if (sheet->index < entry->sheets.count) {
        entry->sheets.items[sheet->index] = sheet;
        memset(sheet->cards, 0, sizeof sheet->cards);
    }
}

bool micai_scan_write(mica_world *world, micai_history *history, micai_time_log *log,
                      micai_time_block *block, const void *bytes, size_t size)
{
    scan s = {.world = world, .history = history, .log = log};
    note_changed(&s, block, 0, bytes, size);
    return !s.failed;
}

void micai_scan_settle(mica_world *world, micai_history *history)
{
    history->copied = 0;
    world->state->slots.relinked = false;
    history->synced = world->view.tick;
    history->structure = world->state->store.structure;
    micai_parts_settle(world, history);
}
