// Verifying, for debugging: the world has a mirror of its own, without snapshots. At the end of calls it is
// brought up to date as a snapshot would be; then every byte is compared with it. So a write that no tick and
// no card reports is found in the call that follows.
//
// Nothing happens while a snapshot could not be taken, or while the program itself keeps time: cards are
// cleared for one mirror only. Values with hooks are left out, as they are no bytes for snapshots. Memory is
// that of the C library, so that limits and statistics of the world stay.
#include <inttypes.h>

#include "time/history_internal.h"

typedef struct verifier {
    micai_history history;
    mica_memory_stats memory; // of the mirror
    bool running;
} verifier;

// What the world's host is during a comparison.
typedef struct saved_host {
    mica_allocator allocator;
    mica_memory_stats memory;
    size_t memory_max;
    mica_result failed;
} saved_host;

static saved_host begin_memory(micai_host *host, const verifier *v)
{
    const saved_host saved = {host->allocator, host->memory, host->memory_max, host->failed};
    host->allocator = (mica_allocator){0};
    host->memory = v->memory;
    host->memory_max = 0;
    return saved;
}

static void end_memory(micai_host *host, verifier *v, const saved_host *saved)
{
    v->memory = host->memory;
    host->allocator = saved->allocator;
    host->memory = saved->memory;
    host->memory_max = saved->memory_max;
    host->failed = saved->failed;
}

static mica_result fail_row(mica_world *world, const char *call, const micai_entry *entry,
                            uint32_t strip, uint32_t row)
{
    const micai_table *table = entry->table;
    const micai_type *type = table->layout.columns[table->layout.strips[strip].column].type;
    const char *column = type ? type->info.name : "the entities";
    if (entry->pool && entry->pool->type) {
        return micai_fail(&world->host, MICA_ERROR_CORRUPT,
                          "%s: row %" PRIu32 " of the pool of '%.80s' was written without a notice",
                          call, row, entry->pool->type->info.name);
    }
    return micai_fail(&world->host, MICA_ERROR_CORRUPT,
                      "%s: row %" PRIu32 " of '%.80s' in %s %" PRIu32
                      " was written without a notice",
                      call, row, column, entry->pool ? "the list of a group" : "table", table->id);
}

// Compares a strip of one sheet, row by row.
static mica_result compare_cells(mica_world *world, const char *call, const micai_entry *entry,
                                 uint32_t strip, uint32_t row, uint32_t end)
{
    const micai_time_block *block = micai_entry_cells(entry, row >> MICAI_ROW_SHIFT, strip);
    size_t size = entry->table->layout.strips[strip].size;
    for (; row < end; row++) {
        const micai_span span = micai_strip_span(entry->table, strip, row);
        size_t at = (row & (MICAI_ROWS - 1)) * size;
        if (!block || at + size > block->size || memcmp(block->bytes + at, span.data, size) != 0) {
            return fail_row(world, call, entry, strip, row);
        }
    }
    return MICA_OK;
}

static bool keeps_bytes(const micai_entry *entry, uint32_t strip)
{
    const micai_layout *layout = &entry->table->layout;
    const micai_type *type = layout->columns[layout->strips[strip].column].type;
    return !type || micai_hook_allows_byte_copy(type);
}

static mica_result compare_entry(mica_world *world, const char *call, const micai_entry *entry)
{
    mica_result result = MICA_OK;
    uint32_t count = entry->table ? entry->table->count : 0;
    for (uint32_t row = 0; row < count; row += MICAI_ROWS) {
        for (uint32_t strip = 0; strip < entry->strip_count && !result; strip++) {
            uint32_t end = row + micai_sheet_rows(row, count - row);
            result = keeps_bytes(entry, strip) ? compare_cells(world, call, entry, strip, row, end)
                                               : MICA_OK;
        }
    }
    return result;
}

static mica_result compare_slots(mica_world *world, const char *call, const micai_history *h)
{
    uint32_t slot = micai_scan_unnoticed_slot(world->state, h);
    return slot == MICAI_SLOT_NONE
               ? MICA_OK
               : micai_fail(&world->host, MICA_ERROR_CORRUPT,
                            "%s: slot %" PRIu32 " has changed without a notice", call, slot);
}

static mica_result compare_all(mica_world *world, const char *call, const micai_history *h)
{
    mica_result result = compare_slots(world, call, h);
    for (uint32_t i = 0; i < h->entries.count && !result; i++) {
        result = compare_entry(world, call, h->entries.items[i]);
    }
    return result;
}

static bool is_open(mica_world *world)
{
    const micai_state *state = world->state;
    return world->busy == 0 && !world->host.hook && !world->host.handler && !state->waiting &&
           !state->replaying && !state->midway && state->notifying == 0 && !state->needs_flush &&
           state->slots.pending == 0 && !state->store.replaced;
}

// Brings the mirror up to date, or copies the world if snapshots would be unusable.
static bool update(mica_world *world, micai_history *h)
{
    if (h->scans > 0 && h->structure != world->state->store.structure) {
        micai_mirror_free(&world->host, h);
    }
    bool updated = micai_scan_take(world, h, NULL);
    if (updated) {
        micai_scan_settle(world, h);
    }
    return updated;
}

static mica_result verify(mica_world *world, verifier *v, const char *call)
{
    micai_history *h = &v->history;
    micai_host *host = &world->host;
    if (v->running || !is_open(world)) {
        return MICA_OK;
    }
    v->running = true;
    saved_host saved = begin_memory(host, v);
    mica_result result = MICA_OK;
    if (micai_history_of(world) || !update(world, h)) {
        micai_mirror_free(host, h);
    } else {
        result = compare_all(world, call, h);
        if (result) {
            micai_mirror_free(host, h); // reported once
        }
    }
    micai_array_free(host, &h->scratch.bytes);
    end_memory(host, v, &saved);
    v->running = false;
    return result;
}

static mica_result verify_after(mica_world *world, const char *call)
{
    verifier *v = world->state ? world->state->modules[MICAI_MODULE_VERIFY].data : NULL;
    return v ? verify(world, v, call) : MICA_OK;
}

static void close_module(mica_world *world, void *data)
{
    verifier *v = data;
    saved_host saved = begin_memory(&world->host, v);
    micai_mirror_free(&world->host, &v->history);
    end_memory(&world->host, v, &saved);
    world->host.verify = NULL;
    micai_release(&world->host, v, sizeof *v, _Alignof(verifier));
}

mica_result mica_time_verify(mica_world *world)
{
    static const char call[] = "mica_time_verify";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_idle(world, call);
    if (result || world->host.verify) {
        return result;
    }
    micai_host_begin(&world->host, call);
    verifier *v = micai_alloc_zeroed(&world->host, sizeof *v, _Alignof(verifier));
    if (v) {
        world->state->modules[MICAI_MODULE_VERIFY] =
            (micai_module){.data = v, .close = close_module};
        world->host.verify = verify_after;
    }
    micai_host_end(&world->host);
    return v ? MICA_OK : MICA_ERROR_MEMORY;
}
