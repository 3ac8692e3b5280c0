// The store: all tables of a world, found by archetype and connected by transitions.
//
// Room:    store/table. Called by entity/, query/ (matching, whole tables), image/ and inspect/.
//
// Listeners are notified when tables are created and freed. A listener may refuse a new table if
// memory is short. Then the table is not created.
//
// Invariants, checked by micai_store_validate():
//   G1  tables.items[id] has that id, and by_set finds it by its archetype. Ids are in creation
//       order, also after tables were reclaimed. Table 0 is the root. A table's words, hash and
//       ranks agree. No table is dying.
//   G3  The tables have as many rows as living entities, and each living entity is in one row.
//   G4  Every sheet number is in use by one sheet, or once in the free list.
//   G6  Every listener has a `freeing` function.
#ifndef MICAI_STORE_TABLE_STORE_H
#define MICAI_STORE_TABLE_STORE_H

#include <mica/debug.h>

#include "base/map.h"
#include "core/types.h"
#include "store/table/directory.h"
#include "store/table/kind_ring.h"
#include "store/table/transition.h"

typedef struct micai_listener {
    // A table was created. On failure the listener undoes its work, and the table is not created.
    // May be NULL.
    mica_result (*created)(void *user, micai_table *table);
    // The tables marked `dying` are about to be freed.
    void (*freeing)(void *user);
    // Tables have other ids. May be NULL.
    void (*reordered)(void *user);
    void *user;
} micai_listener;

// The old pages of a sheet after its table grew, without values. They stay in a list until the
// change that caused the growth is over. So a pointer into them can be translated to the new place
// of its value.
typedef struct micai_replaced {
    struct micai_replaced *next; // the entry before; NULL at the end
    const micai_table *table;
    micai_sheet *sheet; // NULL: no old pages, but values outside may have moved
    uint32_t rows;      // capacity of the old pages
    uint32_t page_count;
    micai_page pages[];
} micai_replaced;

struct micai_store {
    micai_host *host;
    micai_gate *gate;
    micai_slots *slots;
    const micai_registry *registry;

    micai_directory directory;
    micai_directory flags;             // the same for the flags of types with toggles
    MICAI_ARRAY(micai_sheet *) sheets; // by number; NULL where one was freed
    micai_transitions transitions;
    MICAI_ARRAY(micai_table *) tables; // by id, in creation order
    micai_map by_set;
    micai_table *root; // the table of entities without components
    MICAI_ARRAY(uint32_t) free_sheets;
    MICAI_ARRAY(micai_listener) listeners;
    micai_replaced *replaced; // NULL if empty
    micai_rings rings;
    size_t bytes_in_use; // approximate bytes of tables in use at the last tidying
    size_t new_bytes;    // approximate bytes of tables created since

    bool relocate_always; // see debug_relocate.h
    const uint64_t *now;  // the current tick, for new values

    // Counts how often a page was placed anywhere or removed. Cached addresses of pages are valid
    // while it is unchanged.
    uint64_t address_changes;

    // Counts changes of storages, of groups, and of the whole content at once. Snapshots (time/) of
    // another structure cannot be restored.
    uint64_t structure;

    uint64_t row_moves;
    uint64_t page_moves;
};

mica_result micai_store_init(micai_store *store, micai_gate *gate, const micai_registry *registry,
                             const uint64_t *now, bool relocate_always);

// Destructs all values and frees everything. Also accepts a store whose init failed.
void micai_store_free(micai_store *store);

// Fails with MICA_ERROR_MEMORY.
mica_result micai_store_listen(micai_store *store, micai_listener listener);

// Returns true if the listener is in the list.
bool micai_store_has_listener(const micai_store *store, micai_listener listener);

// Enters a type that tables have in the directories. Fails with MICA_ERROR_MEMORY.
mica_result micai_store_enter(micai_store *store, const micai_type *type);

// Returns the table of an archetype, creating it if needed. Returns NULL on failure, which it
// reports.
micai_table *micai_store_table(micai_store *store, const mica_type_set *set);

// Return the hash of an archetype, and whether it is the table's. Zero words at the end of a set do
// not count.
uint64_t micai_store_hash(const mica_type_set *set);
bool micai_store_has_set(const micai_table *table, const mica_type_set *set);

// Copies the archetype of a table to a set.
mica_result micai_store_set_of(micai_store *store, const micai_table *table,
                               mica_type_set *set_out);

// Reserve slots and rows for `count` more entities of a table, or neither. Fail with
// MICA_ERROR_MEMORY or MICA_ERROR_LIMIT. micai_store_reserve() first checks inline whether the
// capacity is enough.
mica_result micai_store_grow(micai_store *store, micai_table *table, uint32_t count);

static inline mica_result micai_store_reserve(micai_store *store, micai_table *table,
                                              uint32_t count)
{
    bool ready = micai_slots_are_ready(store->slots, count) && micai_table_is_ready(table, count);
    return ready ? MICA_OK : micai_store_grow(store, table, count);
}

// Returns the current address of a value that was passed as `data` before a table grew. It is
// unchanged unless it pointed into that table.
const void *micai_store_follow(const micai_store *store, const void *data);

// Returns true if a growth may have moved values. Adding a first sheet or further sheets moves
// none.
static inline bool micai_store_has_moved(const micai_store *store)
{
    return store->replaced != NULL;
}

// Returns true if any of these bytes are in memory of values with a destructor. Searches all
// tables.
bool micai_store_holds(const micai_store *store, const void *data, size_t size);

// Records that a table grows: with empty entries for the old pages of a sheet, or (NULL) because
// values outside may move. Returns NULL on MICA_ERROR_MEMORY.
micai_replaced *micai_store_keep_replaced(micai_store *store, const micai_table *table,
                                          micai_sheet *sheet);

// Free old pages: the last entry; those of a sheet, or of a table (sheet NULL); all.
void micai_store_drop_last_replaced(micai_store *store);
void micai_store_drop_replaced(micai_store *store, const micai_table *table,
                               const micai_sheet *sheet);
void micai_store_clear_replaced(micai_store *store);

// Removes all rows of all tables. The caller releases the entities' slots.
void micai_store_clear(micai_store *store);

// Frees the tables from number `first` on, which have no rows, after the change that created them
// failed.
void micai_store_take_back(micai_store *store, uint32_t first);

// Frees all tables with a type, which have no rows, because the type is no longer stored in tables.
void micai_store_drop_type(micai_store *store, uint32_t number);

// Reclaiming. First the steps that can fail with MICA_ERROR_MEMORY: free sheets without rows and
// compact pages. Then the rest: free empty tables, unpinned transitions and unused index blocks.
mica_result micai_store_reserve_reclaim(micai_store *store);
void micai_store_reclaim(micai_store *store);

// Frees index blocks without pointers.
void micai_store_trim_pointers(micai_store *store);

// Tidying, at the end of calls that create tables. An entity that gets a thousand components one by
// one leaves a thousand tables behind, each as wide as its archetype. Once the new tables are as
// large as those in use before, empty tables lose their sheets. Tables that were already empty at
// the last tidying are freed. So tables that are empty only temporarily stay, and the others do not
// accumulate. Nothing happens while the gate is shut. An open iteration, or a change that notifies
// observers, may be using an empty table. Calls that create no table do not tidy: whether a change
// finds spare capacity, and so needs no such call, must not make a difference.
#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_STORE_UNTIDY ((size_t)8 << 10)
#else
#define MICAI_STORE_UNTIDY ((size_t)4 << 20)
#endif

void micai_store_clean_up(micai_store *store);

// `tables` is the number of tables when the call began.
static inline void micai_store_tidy(micai_store *store, uint32_t tables)
{
    if (store->tables.count > tables && *store->gate->busy == 0 &&
        store->new_bytes > MICAI_STORE_UNTIDY && store->new_bytes > store->bytes_in_use) {
        micai_store_clean_up(store);
    }
}

// Compacts values outside the strips after up to `rows` rows were added or removed (UINT32_MAX:
// always). See micai_rings_compact(); the result may be ignored. Requires that no iteration is open
// and no reserved capacity waits to be used.
static inline mica_result micai_store_compact_rings(micai_store *store, uint32_t rows)
{
    return store->rings.list.count > 0 ? store->rings.list.items[0]->compact(store, rows) : MICA_OK;
}

// Frees the tables without a place in a list, which have no rows, and puts the others into its order.
// `order` has `count` tables, the root first. Cannot fail.
void micai_store_arrange(micai_store *store, micai_table *const *order, uint32_t count);

// Fills in the counters of the store.
void micai_store_count(const micai_store *store, mica_world_stats *stats_out);

// Returns true if the store has the table under its id.
bool micai_store_knows(const micai_store *store, const micai_table *table);

// Both require valid slots and types. The second requires that the first found no error.
mica_result micai_store_validate(micai_store *store);
mica_result micai_store_validate_ticks(micai_store *store, uint64_t now);

#endif
