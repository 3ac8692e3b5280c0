// The worlds of the digest gate: what happens in each of them.
//
// To add a world: a list of steps and a line in `worlds`, or a line in `randoms`; then write digests.list again
// (digests.c says how). Lines of other worlds must not change by that. A new operation, type or query changes all
// random worlds: do that in a commit of its own, before a change of the library.
#include "digests.h"

#include <stdio.h>

// One component comes, changes and goes among others, while entities come and go. For each type, in several sizes.
static const step life[] = {
    STEP(FILL_MIXED, SET(PLACE) | SET(TAG) | SET(SUBJECT)),
    STEP(EACH, SET_VALUE, SUBJECT, 2),
    STEP(EACH, REMOVE, SUBJECT, 3),
    STEP(TICK),
    STEP(EACH, DESPAWN, 0, 5),
    STEP(EACH, ADD, SUBJECT, 4),
    STEP(BACK, ACCESS, SUBJECT, 7),
    STEP(EACH, CLONE, 0, 3),
    STEP(EACH, DISABLE, SUBJECT, 2),
    STEP(TICK),
    STEP(EACH, REMOVE, PLACE, 6),
    STEP(FILL, SET(PLACE) | SET(SUBJECT), 0, 7),
    STEP(EACH, WRITE, SUBJECT, 5),
    STEP(EACH, ENABLE, SUBJECT, 4),
    STEP(BACK, DESPAWN, 0, 7),
    STEP(EACH, SET_SEVERAL, SUBJECT, 4),
    STEP(EACH, CHANGE, SUBJECT, 9),
    STEP(BULK, ADD_ALL, SUBJECT, TAGGED),
    STEP(BULK, REMOVE_ALL, TAG, MIXED),
    STEP(FILL_MIXED, SET(SUBJECT) | SET(RING), 0, 9),
    STEP(END_OF_STEPS),
};

static const step tables[] = {
    STEP(FILL_MIXED, ALL_TYPES),        STEP(EACH, REMOVE_SEVERAL, WIDE, 2),
    STEP(EACH, ADD_SEVERAL, RING, 3),   STEP(EACH, DESPAWN, 0, 4),
    STEP(FILL_MIXED, ALL_TYPES, 0, 50), STEP(END_OF_STEPS),
};

static const step swap_remove[] = {
    STEP(FILL, SET(PLACE) | SET(SPARSE) | SET(STABLE)),
    STEP(ONE, DESPAWN, 0, 0),
    STEP(EACH, DESPAWN, 0, 3),
    STEP(BACK, DESPAWN, 0, 4),
    STEP(FILL, SET(PLACE) | SET(STABLE), 0, 5),
    STEP(DESPAWN_MANY, 0, 0, 2),
    STEP(FILL, SET(SPARSE) | SET(STABLE), 0, 4),
    STEP(END_OF_STEPS),
};

static const step slots[] = {
    STEP(FILL, SET(PLACE)),         STEP(FILL_AT, 0, 0, 40),
    STEP(EACH, DESPAWN, 0, 2),      STEP(EACH, SET_SEVERAL, SPARSE, 3),
    STEP(FILL, SET(STABLE), 0, 30), STEP(END_OF_STEPS),
};

static const step bundles[] = {
    STEP(RESERVE, SET(PLACE) | SET(SPLIT) | SET(SPARSE), 0, 100),
    STEP(FILL_MANY, SET(PLACE) | SET(SPLIT) | SET(SPARSE)),
    STEP(FILL_MANY, SET(WIDE) | SET(RING) | SET(STABLE) | SET(MARK) | SET(OWNED)),
    STEP(FILL_BUNDLE, SET(PLACE) | SET(RING_OWNED) | SET(STABLE_OWNED) | SET(TAG), 0, 60),
    STEP(DESPAWN_MANY, 0, 0, 3),
    STEP(FILL_MANY, ALL_TYPES, 0, 40),
    STEP(END_OF_STEPS),
};

// Several components at once, along ways that the library remembers, and has to forget with their tables.
static const step several[] = {
    STEP(FILL, SET(PLACE)),
    STEP(EACH, ADD_SEVERAL, WIDE, 1),
    STEP(EACH, REMOVE_SEVERAL, WIDE, 2),
    STEP(EACH, SET_SEVERAL, TAG, 2),
    STEP(EACH, CHANGE, SPARSE, 3),
    STEP(EACH, REMOVE_SEVERAL, TAG, 1),
    STEP(EACH, REMOVE_SEVERAL, WIDE, 1),
    STEP(RECLAIM),
    STEP(EACH, SET_SEVERAL, WIDE, 1),
    STEP(EACH, ADD_SEVERAL, STAMPED, 2),
    STEP(BACK, DESPAWN, 0, 1),
    STEP(RECLAIM),
    STEP(FILL, SET(PLACE)),
    STEP(EACH, ADD_SEVERAL, WIDE, 1),
    STEP(EACH, SET_SEVERAL, SPLIT, 3),
    STEP(EACH, REMOVE_SEVERAL, SPARSE, 4),
    STEP(END_OF_STEPS),
};

static const step facets_names[] = {
    STEP(FILL, SET(PLACE) | SET(SPARSE)),
    STEP(EACH, FACET, STABLE, 2),
    STEP(EACH, NAME, PLACE, 2),
    STEP(EACH, FACET, PLACE, 3),
    STEP(EACH, UNNAME, 0, 6),
    STEP(EACH, SET_SEVERAL, SPARSE_STAMPED, 5),
    STEP(EACH, DESPAWN, 0, 4),
    STEP(EACH, NAME, STABLE, 5),
    STEP(ITERATE, PLACES),
    STEP(EACH, CLONE, 0, 7),
    STEP(END_OF_STEPS),
};

static const step messages[] = {
    STEP(RESOURCE),     STEP(FILL, SET(PLACE)), STEP(SEND),
    STEP(SEND),         STEP(FRAMES, 0, 0, 1),  STEP(SEND),
    STEP(NO_RESOURCE),  STEP(RECORD, 1),        STEP(SEND),
    STEP(APPLY),        STEP(FRAMES, 0, 0, 1),  STEP(SEND),
    STEP(END_OF_STEPS),
};

static const step toggles[] = {
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(EACH, DISABLE, STAMPED, 2),
    STEP(EACH, DISABLE, SPLIT, 3),
    STEP(EACH, DISABLE, RING_STAMPED, 2),
    STEP(EACH, DISABLE, SPARSE_STAMPED, 3),
    STEP(EACH, DISABLE, STABLE_OWNED, 2),
    STEP(EACH, DISABLE, MARK, 3),
    STEP(EACH, DESPAWN, 0, 5),
    STEP(BULK, ENABLE_ALL, SPLIT, PLACES),
    STEP(BULK, DISABLE_ALL, MARK, LISTED),
    STEP(EACH, CLONE, 0, 6),
    STEP(ITERATE, SPLITS),
    STEP(EACH, REMOVE_SEVERAL, SPLIT, 4),
    STEP(EACH, ENABLE, SPARSE_STAMPED, 6),
    STEP(END_OF_STEPS),
};

static const step queries[] = {
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(ITERATE, CHANGED),
    STEP(ITERATE, ADDED),
    STEP(ITERATE, MIXED),
    STEP(ITERATE, PAIRS),
    STEP(ITERATE, RINGS),
    STEP(ITERATE, SPLITS),
    STEP(ITERATE, TOUCHED),
    STEP(EACH, WRITE, STAMPED, 3),
    STEP(ITERATE, CHANGED),
    STEP(ITERATE, OPTIONALS),
    STEP(ITERATE, STABLES),
    STEP(EACH, ADD, SPARSE_STAMPED, 5),
    STEP(ITERATE, ADDED),
    STEP(ITERATE, ANY_OF),
    STEP(END_OF_STEPS),
};

static const step bulk[] = {
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(BULK, ADD_ALL, WIDE, PLACES),
    STEP(BULK, ADD_ALL, SPARSE_TWIN, MIXED),
    STEP(BULK, ADD_ALL, STABLE_OWNED, TAGGED),
    STEP(BULK, SET_ALL, OWNED, SPLITS),
    STEP(BULK, SET_ALL, RING, STABLES),
    STEP(BULK, SET_ALL, SPARSE_STAMPED, EVERYTHING),
    STEP(BULK, REMOVE_ALL, STABLE, LISTED),
    STEP(BULK, REMOVE_ALL, PLACE, TAGGED),
    STEP(BULK, REMOVE_ALL, SPARSE, PAIRS),
    STEP(BULK, DISABLE_ALL, RING_STAMPED, EVERYTHING),
    STEP(BULK, DESPAWN_ALL, 0, MARKED),
    STEP(FILL_MIXED, ALL_TYPES, 0, 60),
    STEP(BULK, DESPAWN_ALL, 0, RINGS),
    STEP(FILL, SET(PLACE) | SET(STABLE), 0, 20),
    STEP(END_OF_STEPS),
};

// Bulk changes of tables with whole pages of rows, which move and are written again.
static const step pages[] = {
    STEP(FILL, SET(PLACE) | SET(STAMPED) | SET(SPLIT)),
    STEP(FILL, SET(PLACE) | SET(RING)),
    STEP(ITERATE, CHANGED),
    STEP(TICK),
    STEP(EACH, SET_VALUE, STAMPED, 1100),
    STEP(ITERATE, CHANGED),
    STEP(BULK, ADD_ALL, WIDE, PLACES),
    STEP(EACH, SET_VALUE, WIDE, 700),
    STEP(BULK, SET_ALL, BYTES, PLACES),
    STEP(BULK, ADD_ALL, OWNED, SPLITS),
    STEP(BULK, ADD_ALL, TAG, EVERYTHING),
    STEP(EACH, WRITE, OWNED, 900),
    STEP(BULK, REMOVE_ALL, TAG, EVERYTHING),
    STEP(BULK, DISABLE_ALL, STAMPED, EVERYTHING),
    STEP(EACH, ENABLE, STAMPED, 192),
    STEP(ITERATE, ENABLED),
    STEP(ITERATE, SPLITS),
    STEP(BULK, DISABLE_ALL, SPLIT, EVERYTHING),
    STEP(EACH, ENABLE, SPLIT, 64),
    STEP(EACH, ENABLE, SPLIT, 101),
    STEP(ITERATE, SPLITS),
    STEP(BULK, REMOVE_ALL, STAMPED, EVERYTHING),
    STEP(BULK, ADD_ALL, STABLE, SPLITS),
    STEP(EACH, DESPAWN, 0, 11),
    STEP(FILL, SET(PLACE) | SET(STAMPED) | SET(SPLIT)),
    STEP(BULK, REMOVE_ALL, RING, EVERYTHING),
    STEP(FILL, SET(PLACE) | SET(WIDE) | SET(BYTES), 0, 100),
    STEP(BULK, DESPAWN_ALL, 0, STABLES),
    STEP(END_OF_STEPS),
};

// Groups first, and then entities.
static const step groups_before[] = {
    STEP(GROUP_NEW, OWNING),
    STEP(GROUP_NEW, PARTIAL),
    STEP(GROUP_NEW, LISTING),
    STEP(GROUP_NEW, OWNING_TAG),
    STEP(FILL_MIXED, SPARSE_TYPES | SET(PLACE)),
    STEP(EACH, ADD, SPARSE, 2),
    STEP(EACH, REMOVE, SPARSE_TWIN, 3),
    STEP(EACH, REMOVE, STABLE, 4),
    STEP(EACH, SET_VALUE, SPARSE_STAMPED, 3),
    STEP(EACH, DESPAWN, 0, 5),
    STEP(EACH, CLONE, 0, 6),
    STEP(BULK, ADD_ALL, MARK, PAIRS),
    STEP(ITERATE, PAIRS),
    STEP(END_OF_STEPS),
};

// Entities first; groups go while entities stay.
static const step groups_after[] = {
    STEP(FILL_MIXED, SPARSE_TYPES | SET(PLACE)),
    STEP(GROUP_NEW, OWNING),
    STEP(GROUP_NEW, PARTIAL),
    STEP(GROUP_NEW, LISTING),
    STEP(EACH, REMOVE_SEVERAL, SPARSE, 3),
    STEP(GROUP_FREE, PARTIAL),
    STEP(GROUP_NEW, OWNING_TAG),
    STEP(EACH, ADD_SEVERAL, SPARSE, 4),
    STEP(GROUP_FREE, OWNING),
    STEP(EACH, DESPAWN, 0, 3),
    STEP(GROUP_NEW, PARTIAL),
    STEP(END_OF_STEPS),
};

static const step sorted[] = {
    STEP(FILL_MIXED, SPARSE_TYPES | SET(PLACE)),
    STEP(EACH, DISABLE, SPARSE_STAMPED, 3),
    STEP(SORT, 0, SPARSE),
    STEP(SORT, 0, SPARSE_STAMPED),
    STEP(SORT, 0, SPARSE_TAG),
    STEP(SORT, 0, SPARSE_OWNED),
    STEP(SORT_LIKE, SPARSE, SPARSE_TWIN),
    STEP(SORT_LIKE, STABLE, MARK),
    STEP(EACH, REMOVE, SPARSE, 4),
    STEP(EACH, ADD, SPARSE_TWIN, 3),
    STEP(ITERATE, PAIRS),
    STEP(END_OF_STEPS),
};

static const step sorted_groups[] = {
    STEP(GROUP_NEW, OWNING),
    STEP(GROUP_NEW, PARTIAL),
    STEP(GROUP_NEW, LISTING),
    STEP(FILL_MIXED, SPARSE_TYPES | SET(PLACE)),
    STEP(GROUP_SORT, OWNING, SPARSE_TWIN),
    STEP(GROUP_SORT, PARTIAL, SPARSE_STAMPED),
    STEP(GROUP_SORT, LISTING, SPARSE_STAMPED),
    STEP(EACH, REMOVE, SPARSE_STAMPED, 3),
    STEP(GROUP_SORT_LIKE, OWNING, STABLE),
    STEP(GROUP_SORT_LIKE, LISTING, SPARSE),
    STEP(EACH, DESPAWN, 0, 4),
    STEP(SORT_LIKE, SPARSE, SPARSE_TAG),
    STEP(END_OF_STEPS),
};

// Every operation for every third entity, in a buffer; several for some entities become one change.
static const step commands[] = {
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(RECORD),
    STEP(EACH, SET_VALUE, SPARSE, 3),
    STEP(EACH, REMOVE_SEVERAL, WIDE, 3),
    STEP(EACH, ADD, STABLE, 3),
    STEP(EACH, REMOVE, SPARSE, 6),
    STEP(EACH, ADD, SPARSE, 12),
    STEP(EACH, CHANGE, OWNED, 2),
    STEP(EACH, DISABLE, SPLIT, 4),
    STEP(EACH, DISABLE, SPARSE_STAMPED, 2),
    STEP(EACH, ENABLE, SPARSE_STAMPED, 4),
    STEP(EACH, NAME, PLACE, 5),
    STEP(EACH, FACET, SPARSE_STAMPED, 6),
    STEP(EACH, CLONE, 0, 7),
    STEP(FILL, SET(PLACE) | SET(STABLE_OWNED), 0, 5),
    STEP(FILL_MANY, SET(RING) | SET(SPARSE), 0, 8),
    STEP(FILL_BUNDLE, SET(SPLIT) | SET(MARK), 0, 6),
    STEP(NEW, SET_VALUE, SPARSE_TWIN, 2),
    STEP(NEW, REMOVE_SEVERAL, SPARSE, 3),
    STEP(NEW, DESPAWN, 0, 4),
    STEP(DESPAWN_MANY, 0, 0, 8),
    STEP(DEFER_CALL, 0, 0, 2),
    STEP(EACH, SET_SEVERAL, BYTES, 9),
    STEP(APPLY),
    STEP(RECORD),
    STEP(EACH, SET_VALUE, OWNED, 2),
    STEP(FILL, SET(PLACE), 0, 4),
    STEP(DISCARD),
    STEP(RECORD, 1),
    STEP(EACH, ENABLE, SPARSE_STAMPED, 2),
    STEP(EACH, ENABLE, SPLIT, 3),
    STEP(APPLY),
    STEP(FILL, SET(PLACE) | SET(SPARSE), 0, 6),
    STEP(END_OF_STEPS),
};

static const step commands_later[] = {
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(ITERATE_LATER, SET_VALUE, SPARSE_TWIN, PLACES),
    STEP(ITERATE_LATER, REMOVE_SEVERAL, SPARSE, MIXED),
    STEP(ITERATE_LATER, CLONE, 0, SPLITS),
    STEP(ITERATE_LATER, DESPAWN, 0, STABLES),
    STEP(ITERATE_LATER, ADD_SEVERAL, STABLE, EVERYTHING),
    STEP(ITERATE_LATER, CHANGE, RING, LISTED),
    STEP(END_OF_STEPS),
};

static const step observed[] = {
    STEP(OBSERVE, ALL_OBSERVERS),
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(EACH, SET_VALUE, SPARSE, 2),
    STEP(EACH, REMOVE, STABLE, 3),
    STEP(EACH, DISABLE, SPARSE_STAMPED, 2),
    STEP(EACH, ADD_SEVERAL, MARK, 4),
    STEP(EACH, ENABLE, SPARSE_STAMPED, 4),
    STEP(EACH, CHANGE, SPARSE, 5),
    STEP(BULK, SET_ALL, SPARSE, MARKED),
    STEP(BULK, REMOVE_ALL, PLACE, PAIRS),
    STEP(EACH, DISABLE, MARK, 3),
    STEP(EACH, CLONE, 0, 3),
    STEP(FILL_MANY, SET(PLACE) | SET(SPARSE) | SET(STABLE), 0, 20),
    STEP(RECORD),
    STEP(EACH, ADD_DISABLED, MARK, 2),
    STEP(EACH, SET_SEVERAL, SPARSE_STAMPED, 3),
    STEP(EACH, DESPAWN, 0, 7),
    STEP(APPLY),
    STEP(DESPAWN_MANY, 0, 0, 4),
    STEP(BULK, DESPAWN_ALL, 0, LISTED),
    STEP(UNOBSERVE),
    STEP(EACH, SET_SEVERAL, SPARSE, 5),
    STEP(END_OF_STEPS),
};

// A single observer for each of four components.
static const step observed_alone[] = {
    STEP(FILL, SET(PLACE) | SET(SPARSE)),
    STEP(OBSERVE, 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10),
    STEP(EACH, ADD, STABLE, 2),
    STEP(EACH, SET_VALUE, RING, 3),
    STEP(EACH, ADD, SPARSE_TWIN, 2),
    STEP(EACH, SET_VALUE, BYTES, 2),
    STEP(EACH, REMOVE, STABLE, 4),
    STEP(EACH, REMOVE, RING, 5),
    STEP(EACH, REMOVE, SPARSE_TWIN, 3),
    STEP(EACH, REMOVE, BYTES, 5),
    STEP(EACH, SET_VALUE, SPARSE_TWIN, 3),
    STEP(FILL, SET(PLACE) | SET(STABLE) | SET(RING), 0, 20),
    STEP(EACH, DESPAWN, 0, 7),
    STEP(END_OF_STEPS),
};

// To each storage and back, among other components and with toggles and row stamps.
static const step storages[] = {
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(EACH, DISABLE, STAMPED, 3),
    STEP(STORAGE, MICA_SPARSE, PLACE),
    STEP(STORAGE, MICA_SPARSE, STAMPED),
    STEP(STORAGE, MICA_TABLE, SPARSE),
    STEP(STORAGE, MICA_RING, SPARSE_STAMPED),
    STEP(EACH, ADD_SEVERAL, PLACE, 3),
    STEP(EACH, REMOVE_SEVERAL, SPARSE, 4),
    STEP(STORAGE, MICA_SPLIT, PLACE),
    STEP(STORAGE, MICA_SPLIT, RING),
    STEP(STORAGE, MICA_SPARSE, RING_OWNED),
    STEP(STORAGE, MICA_SPARSE, SPLIT_WIDE),
    STEP(EACH, DESPAWN, 0, 5),
    STEP(STORAGE, MICA_SPARSE, SPLIT),
    STEP(STORAGE, MICA_TABLE, SPARSE_OWNED),
    STEP(STORAGE, MICA_TABLE, STAMPED),
    STEP(EACH, CHANGE, SPLIT, 3),
    STEP(STORAGE, MICA_SPARSE, SPARSE),
    STEP(STORAGE, MICA_RING, PLACE),
    STEP(END_OF_STEPS),
};

// The same with tables that have whole pages of rows.
static const step storages_pages[] = {
    STEP(FILL, SET(PLACE) | SET(RING) | SET(STAMPED)),
    STEP(FILL, SET(PLACE) | SET(RING)),
    STEP(FILL, SET(PLACE) | SET(SPARSE) | SET(SPARSE_STAMPED)),
    STEP(STORAGE, MICA_SPARSE, STAMPED),
    STEP(STORAGE, MICA_SPARSE, RING),
    STEP(EACH, DESPAWN, 0, 7),
    STEP(STORAGE, MICA_TABLE, SPARSE),
    STEP(STORAGE, MICA_SPLIT, SPARSE_STAMPED),
    STEP(FILL, SET(PLACE) | SET(RING) | SET(STAMPED), 0, 700),
    STEP(STORAGE, MICA_TABLE, RING),
    STEP(STORAGE, MICA_SPARSE, SPARSE),
    STEP(EACH, REMOVE_SEVERAL, RING, 5),
    STEP(FILL, SET(PLACE), 0, 100),
    STEP(END_OF_STEPS),
};

static const step cleared[] = {
    STEP(GROUP_NEW, OWNING),
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(EACH, DESPAWN, 0, 3),
    STEP(EACH, NAME, PLACE, 4),
    STEP(CLEAR),
    STEP(FILL_MIXED, ALL_TYPES, 0, 100),
    STEP(END_OF_STEPS),
};

static const step reclaimed[] = {
    STEP(FILL_MIXED, SET(PLACE) | SET(SPARSE) | SET(STABLE_OWNED) | SET(MARK)),
    STEP(BACK, DESPAWN, 0, 1),
    STEP(FILL, SET(PLACE) | SET(STABLE) | SET(SPARSE), 0, 20),
    STEP(RECLAIM),
    STEP(FILL_MIXED, ALL_TYPES, 0, 200),
    STEP(EACH, DESPAWN, 0, 2),
    STEP(RECLAIM),
    STEP(FILL, SET(RING) | SET(SPARSE_STAMPED), 0, 30),
    STEP(END_OF_STEPS),
};

static const step rings[] = {
    STEP(FILL_MIXED, SET(RING) | SET(RING_STAMPED) | SET(RING_OWNED) | SET(PLACE) | SET(SPARSE)),
    STEP(COMPACT),
    STEP(EACH, REMOVE, RING, 3),
    STEP(EACH, ADD, RING_OWNED, 4),
    STEP(ITERATE, RINGS),
    STEP(COMPACT),
    STEP(EACH, DESPAWN, 0, 5),
    STEP(ITERATE, TOUCHED),
    STEP(END_OF_STEPS),
};

static const step loaded[] = {
    STEP(GROUP_NEW, OWNING),
    STEP(GROUP_NEW, LISTING),
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(EACH, DISABLE, SPARSE_STAMPED, 3),
    STEP(EACH, NAME, PLACE, 5),
    STEP(EACH, FACET, STABLE, 4),
    STEP(EACH, DESPAWN, 0, 6),
    STEP(ITERATE, CHANGED),
    STEP(SEND),
    STEP(RESOURCE),
    STEP(LOAD, BINARY),
    STEP(EACH, SET_SEVERAL, SPARSE, 3),
    STEP(ITERATE, CHANGED),
    STEP(LOAD, JSON),
    STEP(FILL_MIXED, ALL_TYPES, 0, 30),
    STEP(END_OF_STEPS),
};

static const step loaded_otherwise[] = {
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(EACH, DISABLE, SPARSE_STAMPED, 3),
    STEP(EACH, DESPAWN, 0, 6),
    STEP(LOAD, OTHER_STORAGES),
    STEP(EACH, SET_SEVERAL, SPARSE, 3),
    STEP(LOAD, BINARY),
    STEP(EACH, REMOVE_SEVERAL, SPARSE, 4),
    STEP(END_OF_STEPS),
};

static const step parts[] = {
    STEP(FILL_MIXED, ALL_TYPES & ~SET(BYTES)),
    STEP(EACH, NAME, WIDE, 3),
    STEP(EACH, FACET, PLACE, 4),
    STEP(COPY_PART, MIXED),
    STEP(EACH, DESPAWN, 0, 3),
    STEP(COPY_PART, STABLES),
    STEP(END_OF_STEPS),
};

static const step frames[] = {
    STEP(RESOURCE),
    STEP(SYSTEMS),
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(FRAMES, 0, 0, 3),
    STEP(EACH, SET_VALUE, STAMPED, 3),
    STEP(FILL, SET(PLACE) | SET(STABLE), 0, 20),
    STEP(FRAMES, 0, 0, 4),
    STEP(LOAD, BINARY),
    STEP(FRAMES, 0, 0, 3),
    STEP(END_OF_STEPS),
};

static const step frames_observed[] = {
    STEP(OBSERVE, ALL_OBSERVERS), STEP(GROUP_NEW, OWNING),
    STEP(GROUP_NEW, OWNING_TAG),  STEP(SYSTEMS),
    STEP(FILL_MIXED, ALL_TYPES),  STEP(FRAMES, 0, 0, 6),
    STEP(END_OF_STEPS),
};

// So many tables that the library removes empty ones by itself.
static const step many_tables[] = {
    STEP(STORAGE, MICA_TABLE, SPARSE),
    STEP(STORAGE, MICA_TABLE, SPARSE_TWIN),
    STEP(STORAGE, MICA_TABLE, SPARSE_STAMPED),
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(EACH, DESPAWN, 0, 2),
    STEP(EACH, REMOVE_SEVERAL, SPARSE, 3),
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(EACH, DESPAWN, 0, 3),
    STEP(END_OF_STEPS),
};

static const struct {
    const char *name;
    uint32_t size;
    const step *steps;
} worlds[] = {
    {"tables", 10, tables},
    {"tables", 3000, tables},
    {"swap_remove", 10, swap_remove},
    {"swap_remove", 70000, swap_remove},
    {"slots", 3000, slots},
    {"bundles", 10, bundles},
    {"bundles", 3000, bundles},
    {"several", 10, several},
    {"several", 300, several},
    {"facets_names", 10, facets_names},
    {"facets_names", 3000, facets_names},
    {"messages", 10, messages},
    {"toggles", 10, toggles},
    {"toggles", 3000, toggles},
    {"queries", 3000, queries},
    {"bulk", 10, bulk},
    {"bulk", 3000, bulk},
    {"pages", 10, pages},
    {"pages", 3000, pages},
    {"groups_before", 10, groups_before},
    {"groups_before", 3000, groups_before},
    {"groups_before", 70000, groups_before},
    {"groups_after", 10, groups_after},
    {"groups_after", 3000, groups_after},
    {"sorted", 10, sorted},
    {"sorted", 3000, sorted},
    {"sorted_groups", 10, sorted_groups},
    {"sorted_groups", 3000, sorted_groups},
    {"commands", 10, commands},
    {"commands", 3000, commands},
    {"commands_later", 10, commands_later},
    {"commands_later", 3000, commands_later},
    {"observed", 10, observed},
    {"observed", 3000, observed},
    {"observed_alone", 300, observed_alone},
    {"storages", 10, storages},
    {"storages", 3000, storages},
    {"storages_pages", 3000, storages_pages},
    {"cleared", 3000, cleared},
    {"reclaimed", 70000, reclaimed},
    {"rings", 3000, rings},
    {"loaded", 10, loaded},
    {"loaded", 3000, loaded},
    {"loaded_otherwise", 3000, loaded_otherwise},
    {"parts", 300, parts},
    {"many_tables", 3000, many_tables},
    {"frames", 10, frames},
    {"frames", 3000, frames},
    {"frames_observed", 300, frames_observed},
};

static const uint32_t large_subjects[] = {PLACE, SPLIT, RING, SPARSE, STABLE, SPARSE_TAG};

enum {
    SMALL_LIVES = 2 * TYPE_COUNT, // of 10 entities and of 3,000
    LARGE_LIVES = sizeof large_subjects / sizeof *large_subjects,
    LIVES = SMALL_LIVES + LARGE_LIVES,
    FIXED = LIVES + sizeof worlds / sizeof *worlds
};

uint32_t digests_world_count(void)
{
    return FIXED + digests_random_count();
}

static world_row get_life(uint32_t index)
{
    world_row row = {.steps = life};
    bool large = index >= SMALL_LIVES;
    row.subject = large ? large_subjects[index - SMALL_LIVES] : index / 2;
    row.size = large ? 70000 : index % 2 ? 3000 : 10;
    snprintf(row.name, sizeof row.name, "life/%s/%u", digests_type_name(row.subject),
             (unsigned)row.size);
    return row;
}

world_row digests_world(uint32_t index)
{
    if (index < LIVES) {
        return get_life(index);
    }
    if (index >= FIXED) {
        return digests_random(index - FIXED);
    }
    world_row row = {.size = worlds[index - LIVES].size, .steps = worlds[index - LIVES].steps};
    snprintf(row.name, sizeof row.name, "%s/%u", worlds[index - LIVES].name, (unsigned)row.size);
    return row;
}
