// The history of a world: the mirror and the snapshots.
//
// Room:    time. Opened by mica_time_begin() as a module of the world.
//
//     entries    a table, pool or list of a group each: its head, the ticks of its pages, its cells
//     slots      the records of slots, page by page
//     parts      all else that is small, as bytes: part_internal.h
//     kept       snapshots, the oldest first, each with the log of what came after it
//
// The mirror equals the world at the last take or restore (`synced`). What has changed in the world
// since then is found by scan.c: by cards, where rows were added or moved; by the ticks of pages, where
// values were written; at the head of the list of free slots. A page whose tick equals `synced` may have
// been written before or after that moment, so its bytes are compared.
//
//     kept[0] --log--> kept[1] --log--> kept[2] --log--> the world as it was synced
//
// The logs below `here` undo: they lead from the mirror back to their snapshot. The others redo.
//
// Invariants, checked by micai_history_validate() and cited by tests:
//   Z1  Snapshots are in the order in which they were taken. `here` is at most their number.
//
// In the mirror, the record of a living entity has no row: rows tell where entities are.
#ifndef MICAI_TIME_HISTORY_INTERNAL_H
#define MICAI_TIME_HISTORY_INTERNAL_H

#include <mica/time.h>

#include "base/number.h"
#include "state/state.h"
#include "store/pool/group.h"
#include "time/mirror_internal.h"
#include "time/part_internal.h"

// A table, the pool of a type, or the list of a group. The mirror keeps it after its table was freed.
struct micai_entry {
    micai_pool *pool;   // NULL: a table of the store
    micai_table *table; // NULL: the store has none of this archetype now
    uint64_t *words;    // the archetype, for tables of the store
    uint64_t hash;
    uint32_t word_count;
    uint32_t number; // in the list of entries
    uint32_t strip_count;
    uint32_t column_count;
    micai_strip *strips; // like those of the table
    micai_column *columns;
    uint32_t low;         // while restoring: the fewest rows on the way
    bool resized;         // while restoring: the number of rows differs
    uint32_t first_sheet; // while restoring: the first of the sheets that may differ, and their end
    uint32_t end_sheet;
    bool was_idle; // while restoring: the table, before rows were reserved
    uint64_t seen; // the last scan that met the table
    micai_time_block head;
    micai_time_block ticks;
    MICAI_ARRAY(micai_time_block *) cells; // by sheet and strip
    MICAI_ARRAY(micai_sheet *) sheets; // the world's, when they were synced; only to be compared
};

// The head of an entry. A byte per column follows: 1 if it may have disabled values.
typedef struct micai_head {
    uint32_t count;
    uint32_t first_hole;
    uint32_t hole_count;
    uint32_t promised; // rows that capacity is reserved for
    uint32_t idle;
} micai_head;

typedef struct micai_kept {
    uint64_t number; // of snapshots ever taken, with this one
    bool pinned;
    bool hashed;
    uint64_t hash; // of the state, if it is known
    micai_time_log log;
} micai_kept;

typedef struct micai_included {
    void *data;
    size_t size;
    char *name;
    uint64_t number; // unique, so that memory that was excluded does not return
} micai_included;

typedef struct micai_history micai_history;

// A running test. If it was left by longjmp() or an exception, abandon() takes the mirror back to the last
// snapshot.
typedef struct micai_test {
    void (*abandon)(mica_world *world, micai_history *history);
} micai_test;

struct micai_history {
    mica_time_desc desc;
    micai_time_heap heap;
    MICAI_ARRAY(micai_entry *) entries;
    micai_map by_words;                    // entries of tables
    MICAI_ARRAY(micai_entry *) by_id;      // by table id, as far as known
    MICAI_ARRAY(micai_time_block *) slots; // by page
    micai_time_block parts[MICAI_PART_COUNT];
    uint64_t revisions[MICAI_PART_COUNT]; // of parts that have one, when they were synced
    micai_blob scratch;                   // for the bytes of parts
    MICAI_ARRAY(micai_kept) kept;
    uint32_t here;    // number of logs that undo
    uint64_t current; // the number of the snapshot that was taken or restored last
    uint64_t synced;  // the world's tick when the mirror equalled the world
    uint64_t scans;
    uint64_t included_ever;
    MICAI_ARRAY(micai_included) included;
    MICAI_ARRAY(micai_range) covered; // while restoring: what differs between world and mirror
    MICAI_ARRAY(micai_table *) order; // while restoring: the tables of the snapshot
    uint64_t structure;               // of the pools and the store, when they were synced
    size_t mirror_size;
    uint32_t types;   // that were checked: they have no hooks
    uint64_t copied;  // the snapshot of another world that the mirror is at; 0: it is at none
    micai_test *test; // the running sync test, or NULL
    mica_time_stats stats;
};

static inline micai_history *micai_history_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_TIME].data;
}

static inline const micai_head *micai_entry_head(const micai_entry *entry)
{
    return (const micai_head *)(const void *)entry->head.bytes;
}

static inline micai_time_block *micai_entry_cells(const micai_entry *entry, uint32_t sheet,
                                                  uint32_t strip)
{
    size_t at = (size_t)sheet * entry->strip_count + strip;
    return at < entry->cells.count ? entry->cells.items[at] : NULL;
}

// While restoring, notes that sheets may differ.
static inline void micai_entry_widen(micai_entry *entry, uint32_t first, uint32_t end)
{
    entry->first_sheet = micai_smaller(entry->first_sheet, first);
    entry->end_sheet = micai_larger(entry->end_sheet, end);
}

// Returns the tick of a page, or 0 if it is unknown.
static inline uint64_t micai_entry_tick(const micai_entry *entry, uint32_t sheet, uint32_t strip)
{
    size_t at = ((size_t)sheet * entry->strip_count + strip) * sizeof(uint64_t);
    uint64_t tick = 0;
    if (at < entry->ticks.size) {
        memcpy(&tick, entry->ticks.bytes + at, sizeof tick);
    }
    return tick;
}

// Scanning. micai_scan_take() brings the mirror up to the world and logs what it overwrites (`log` NULL:
// nothing); it returns false on MICA_ERROR_MEMORY. Then micai_scan_settle() notes that the mirror equals the
// world; or the caller undoes the log, and micai_scan_forget() has the next scan compare all.
// micai_scan_cover() lists in `covered` what differs, and sets `low` of entries. micai_entry_settle() notes
// that a sheet equals the mirror.
bool micai_scan_take(mica_world *world, micai_history *history, micai_time_log *log);
bool micai_scan_cover(mica_world *world, micai_history *history);
void micai_scan_settle(mica_world *world, micai_history *history);
void micai_scan_forget(mica_world *world, micai_history *history);
void micai_entry_settle(micai_entry *entry, micai_sheet *sheet);

// Writes bytes to the begin of a block, and logs those that differ. Returns false on MICA_ERROR_MEMORY.
bool micai_scan_write(mica_world *world, micai_history *history, micai_time_log *log,
                      micai_time_block *block, const void *bytes, size_t size);

// Returns a slot whose record differs from the mirror, which is up to date; MICAI_SLOT_NONE: there is none.
uint32_t micai_scan_unnoticed_slot(const micai_state *state, const micai_history *history);

// Checks a call: passes out the history of a world on which time has begun. Checks types that were not
// checked before: MICA_ERROR_TYPE if one has hooks.
mica_result micai_history_check_begun(mica_world *world, const char *call,
                                      micai_history **history_out);
mica_result micai_history_check_types(mica_world *world, const char *call, uint32_t *checked);

// Returns false if a storage or a group has changed, or an image was loaded, since the mirror was brought up
// to date. Its snapshots cannot be restored then. prepare() starts anew in this case: MICA_ERROR_MEMORY.
bool micai_history_is_usable(const mica_world *world, const micai_history *history);
mica_result micai_history_prepare(mica_world *world, micai_history *history);

// Restores the world at a place of the logs. Fails with MICA_ERROR_MEMORY; nothing has changed then.
mica_result micai_history_go_to(mica_world *world, micai_history *history, uint32_t place);

// Finds a snapshot and passes out its place among those that are kept. Fails with MICA_ERROR_TIME and
// where snapshots are refused.
mica_result micai_snapshot_find(mica_world *world, const char *call, mica_snapshot snapshot,
                                micai_history **history_out, uint32_t *place_out);

// Computes the hash of a snapshot, unless it is known. Returns false on MICA_ERROR_MEMORY.
bool micai_snapshot_hash_at(micai_history *history, const micai_registry *registry, uint32_t place);

// Makes a log of changes part of the last snapshot's, and drops what could be redone. Without snapshots, it
// is freed. Returns false on MICA_ERROR_MEMORY; nothing has changed then.
bool micai_history_keep_log(micai_history *history, micai_time_log *log);

// Returns the place of a snapshot, or UINT32_MAX if it is not kept.
uint32_t micai_snapshot_place(const mica_world *world, const micai_history *history,
                              mica_snapshot snapshot);

// Swaps the logs between two places. The mirror is at `from` and then at `to`. The caller notes `here`, or
// swaps them back.
void micai_history_swap(micai_history *history, uint32_t from, uint32_t to);

// Frees the mirror with all entries.
void micai_mirror_free(micai_host *host, micai_history *history);

// Restores the world from the mirror, whose logs were swapped already. What differs is in `covered`, and
// in the changes of some logs. reserve() fails with MICA_ERROR_MEMORY; cancel() then frees what was staged.
// commit() cannot fail.
typedef struct micai_restoring {
    mica_world *world;
    micai_history *history;
    const micai_kept *kept; // whose logs were swapped
    uint32_t kept_count;
    uint32_t tables; // of the store before
    mica_result failed;
    void *staged[MICAI_PART_COUNT];
    bool swapped[MICAI_PART_COUNT]; // logs had bytes of the part
    bool differs[MICAI_PART_COUNT];
} micai_restoring;

micai_restoring micai_rewind_begin(mica_world *world, micai_history *history,
                                   const micai_kept *kept, uint32_t count);
mica_result micai_rewind_reserve(micai_restoring *r);
void micai_rewind_commit(micai_restoring *r);
void micai_rewind_cancel(micai_restoring *r);

// The tables of the state that the mirror has: their number, and their entries by id. make_table() finds or
// creates the table of an entry, which may be of another world with the same types. Returns NULL on failure.
uint32_t micai_rewind_count(const micai_history *history);
micai_entry *micai_rewind_entry(const micai_history *history, uint32_t id);
micai_table *micai_rewind_make_table(mica_world *world, const micai_entry *entry);

// Return a table of the snapshot that is being restored, by its id there, or its entry. The second copies
// all values of a column to the world.
micai_table *micai_restored_table(const micai_history *history, uint32_t id);
void micai_rewind_column(const micai_history *history, micai_table *table, uint32_t column);

#endif
