// The store: all tables of a world, found by archetype, connected by transitions.
//
// Room:    store/table. Called by world/ (all), query/ (matching, whole tables).
//
// Tables come and go; who wants to know listens. A listener may refuse a new table (for lack of
// memory); then there is no such table.
//
// Invariants, swept by micai_store_validate():
//   G1  tables.items[id] has that id; by_set finds it by its archetype and nothing else. Ids are in
//       the order of creation, also after some tables were reclaimed. The first is the root. What a
//       table knows of its archetype is right, and none is dying.
//   G3  the tables have as many rows as entities are alive, and each of these is in one row.
//   G4  every sheet number is in use by one sheet, or in the list of free ones once.
//   G6  every listener can hear that tables go.
#ifndef MICAI_STORE_TABLE_STORE_H
#define MICAI_STORE_TABLE_STORE_H

#include <mica/debug.h>

#include "base/map.h"
#include "core/types.h"
#include "store/table/directory.h"
#include "store/table/kind_ring.h"
#include "store/table/transition.h"

typedef struct micai_listener {
    // A table was made. All or nothing: a refusal undoes what the listener did. NULL: never mind.
    mica_result (*made)(void *user, micai_table *table);
    // The tables that are dying are about to go.
    void (*going)(void *user);
    void *user;
} micai_listener;

// A table that has grown, and what its sheet shed then: smaller pages, without their values. They are in a list
// until the change that made it grow is over, so that a pointer into them can be followed to where the value is now.
typedef struct micai_shed {
    struct micai_shed *next; // that was shed before; NULL: nothing
    const micai_table *table;
    micai_sheet *sheet; // NULL: nothing was shed, but values outside may have moved
    uint32_t rows;      // that the pages have room for
    uint32_t page_count;
    micai_page pages[];
} micai_shed;

struct micai_store {
    micai_host *host;
    micai_gate *gate;
    micai_slots *slots;
    const micai_registry *registry;

    micai_directory directory;
    micai_directory flags;             // the same for the flags of types with toggles
    MICAI_ARRAY(micai_sheet *) sheets; // by number; NULL where one was freed
    micai_transitions transitions;
    MICAI_ARRAY(micai_table *) tables; // by id, in the order of creation
    micai_map by_set;
    micai_table *root; // of entities without components
    MICAI_ARRAY(uint32_t) free_sheets;
    MICAI_ARRAY(micai_listener) listeners;
    micai_shed *shed; // NULL: nothing
    micai_rings rings;
    size_t settled; // bytes of tables that the last tidying found in use, roughly
    size_t young;   // and of those made since

    bool relocate_always; // see debug_relocate.h
    const uint64_t *now;  // the present tick, of new values

    // How often a page was put anywhere or taken away. While this stays the same, who has
    // looked up where the pages of tables are need not do so again.
    uint64_t placings;

    uint64_t row_moves;
    uint64_t page_moves;
};

mica_result micai_store_init(micai_store *store, micai_gate *gate, const micai_registry *registry,
                             const uint64_t *now, bool relocate_always);

// Ends all values and gives everything back. Works on a store whose init failed.
void micai_store_free(micai_store *store);

// MICA_ERROR_MEMORY.
mica_result micai_store_listen(micai_store *store, micai_listener listener);

// Is it one of the listeners?
bool micai_store_has_listener(const micai_store *store, micai_listener listener);

// The directories get to know a type that tables keep. MICA_ERROR_MEMORY.
mica_result micai_store_enter(micai_store *store, const micai_type *type);

// The table of an archetype, made if there is none. NULL on failure, which has been reported.
micai_table *micai_store_table(micai_store *store, const mica_type_set *set);

// An archetype's hash; is it the table's? Zero words at the end of a set do not count.
uint64_t micai_store_hash(const mica_type_set *set);
bool micai_store_has_set(const micai_table *table, const mica_type_set *set);

// The archetype of a table, as a set.
mica_result micai_store_set_of(micai_store *store, const micai_table *table,
                               mica_type_set *set_out);

// Room for `count` more entities in a table: slots and rows, or neither. MICA_ERROR_MEMORY,
// MICA_ERROR_LIMIT. The first only if needed.
mica_result micai_store_make_room(micai_store *store, micai_table *table, uint32_t count);

static inline mica_result micai_store_reserve(micai_store *store, micai_table *table,
                                              uint32_t count)
{
    bool ready = micai_slots_are_ready(store->slots, count) && micai_table_is_ready(table, count);
    return ready ? MICA_OK : micai_store_make_room(store, table, count);
}

// Where a value that was given as `data` is, now that a table has grown: the same, unless it lies
// in the table itself, as a value got from the world does.
const void *micai_store_follow(const micai_store *store, const void *data);

// Can there be such a value at all? Not if nothing but first sheets and further ones were added.
static inline bool micai_store_has_moved(const micai_store *store)
{
    return store->shed != NULL;
}

// Does any of these bytes lie in a page of values that end? Looks through them all.
bool micai_store_holds(const micai_store *store, const void *data, size_t size);

// Notes that a table grows: with raw places for the pages that a sheet sheds, or (NULL) because of what it keeps
// outside. NULL: MICA_ERROR_MEMORY.
micai_shed *micai_store_shed(micai_store *store, const micai_table *table, micai_sheet *sheet);

// Gives back what was shed last; by a sheet; or (NULL) by a table; by all.
void micai_store_drop_last_shed(micai_store *store);
void micai_store_drop_shed(micai_store *store, const micai_table *table, const micai_sheet *sheet);
void micai_store_clear_shed(micai_store *store);

// Drops all rows of all tables; the entities' slots are the caller's business.
void micai_store_clear(micai_store *store);

// Takes back the tables from number `first` on, which are without rows: they were made for a change
// that failed.
void micai_store_take_back(micai_store *store, uint32_t first);

// Takes back all tables that have a type, none of which has rows: it is not kept in tables any more.
void micai_store_drop_type(micai_store *store, uint32_t number);

// Reclaiming. First what may fail: sheets without rows are given back, and pages are moved together.
// MICA_ERROR_MEMORY. Then what cannot: empty tables, transitions that no bundle has pinned, room for spots.
mica_result micai_store_reserve_reclaim(micai_store *store);
void micai_store_reclaim(micai_store *store);

// Gives back shelves on which there is no spot.
void micai_store_trim_spots(micai_store *store);

// Tidying, at the end of calls that make tables: an entity that is given a thousand components one by
// one leaves a thousand tables behind, each as wide as what it had. When as much has been added as
// was in use, empty tables lose their sheets, and those that have none, because nobody came by since
// the last time, go. So tables that are empty now and then stay, and the others do not pile up.
// Nothing is done while the gate is shut: an open iteration, or a change that notifies observers, may be
// using a table that is empty.
#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_STORE_UNTIDY ((size_t)8 << 10)
#else
#define MICAI_STORE_UNTIDY ((size_t)4 << 20)
#endif

void micai_store_clean_up(micai_store *store);

static inline void micai_store_tidy(micai_store *store)
{
    if (store->young > MICAI_STORE_UNTIDY && store->young > store->settled &&
        *store->gate->busy == 0) {
        micai_store_clean_up(store);
    }
}

// What lies outside the strips is tidied, after up to `rows` rows have come or gone (UINT32_MAX: in any
// case): micai_rings_settle(). When nobody iterates and no room that was reserved waits to be used.
static inline void micai_store_settle(micai_store *store, uint32_t rows)
{
    if (store->rings.list.count > 0) {
        (void)micai_rings_settle(store, rows);
    }
}

// Fills in what the store counts.
void micai_store_count(const micai_store *store, mica_world_stats *stats_out);

// Is it one of the tables, found under its id?
bool micai_store_knows(const micai_store *store, const micai_table *table);

// Of a store whose slots and types are in order; the second, if the first finds nothing.
mica_result micai_store_validate(micai_store *store);
mica_result micai_store_validate_ticks(micai_store *store, uint64_t now);

#endif
