// Transitions: an ordered list of types is added to the entities of a table, another list is removed. A transition says
// where that leads, what is copied on the way, and how each new value is filled in. One without a source is a spawn.
//
// Room:    store/table. Run by entity/ (changes, spawns); row.h moves single rows along transitions, transfer.h whole
//          tables.
//
// A transition is built once and kept in a map until one of its tables goes. There is a map for each kind: one type is added,
// one is removed, a list is added and removed, a list is spawned. The key of the first two is the type's handle, that of
// a list is made of the numbers of its types, in their order; the place also depends on the source. So a hot path looks at
// the last transition found, then at two places, and compares what it finds with what was asked for: no lookup trusts a hash.
// Lists can be many. When a map has too many of them, another list makes room; those that a bundle has pinned stay.
//
// `fast_paths` says how a transition may be run. It depends on types, tables, observers and disabled values, and is found
// anew when one of these changes (micai_transitions_update).
//
// Invariants, swept by micai_transitions_validate() and cited by tests:
//   G2  a transition's target has the source's types, with those it adds and without those it removes. Its copies
//       are what both tables have in common, ids first. Its steps are the types of its list, in their order, and say
//       what the list changes.
//   G5  `fast_paths` and `size` are what micai_transitions_update() would find.
//   G8  every transition is found in the map of its kind, once, and the map counts them. (Pins are counted by bundles: W3.)
#ifndef MICAI_STORE_TABLE_TRANSITION_H
#define MICAI_STORE_TABLE_TRANSITION_H

#include <mica/component.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "core/stamp.h"
#include "core/types.h"
#include "store/table/table.h"

#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_TRANSITION_LISTS 8u // of lists, that are kept beside four for each table
#else
#define MICAI_TRANSITION_LISTS 256u
#endif
#define MICAI_TRANSITION_NO_SIZE UINT64_MAX // which no caller gives

// A strip, or a column, of the source and one of the target.
typedef struct micai_copy {
    uint16_t source;
    uint16_t target;
    uint32_t size; // of a cell; saves a look into either layout
} micai_copy;

// One type of the list.
typedef struct micai_step {
    const micai_type *type;
    uint64_t bits;   // its handle
    uint64_t given;  // what a mica_value of it says: its size, and above that, 1; of tags, 0
    micai_fill fill; // how its value is filled in as bytes; no strip: not this way
    uint16_t column; // in the target, of what is added; 0: none
    bool present;    // the source has the type: it is overwritten, or removed
    bool sparse;     // it is in no table
} micai_step;

typedef enum micai_transition_kind {
    MICAI_TRANSITION_ADD,
    MICAI_TRANSITION_REMOVE,
    MICAI_TRANSITION_LIST,
    MICAI_TRANSITION_SPAWN,
    MICAI_TRANSITION_KINDS
} micai_transition_kind;

struct micai_transition {
    uint64_t key;        // of one type, its handle; of a list, micai_list_key_add()
    micai_table *source; // NULL: entities are spawned
    micai_table *target;
    uint64_t
        size; // of its value, if one type is added on the fast path; MICAI_TRANSITION_NO_SIZE otherwise
    const micai_copy *copies;
    uint8_t fast_paths; // bits: table.h
    uint8_t kind;
    uint32_t pins;        // bundles that have it
    uint32_t given_count; // steps that add; those that remove follow
    uint32_t step_count;
    // How many there are in `copies`, in this order.
    uint32_t eight_count;   // strips both have, of 8 bytes: so common that they are not asked
    uint32_t strip_count;   // and all strips both have that are moved as bytes, those included
    uint32_t dropped_count; // strips only the source has, but for those whose cells lie outside
    uint32_t careful_count; // columns both have whose kind moves them
    uint32_t added_count;   // columns only the target has
    uint32_t removed_count; // columns only the source has
    micai_step steps[];     // the copies stand behind them
};

static inline const micai_copy *micai_transition_dropped(const micai_transition *t)
{
    return t->copies + t->strip_count;
}

static inline const micai_copy *micai_transition_careful(const micai_transition *t)
{
    return micai_transition_dropped(t) + t->dropped_count;
}

static inline const micai_copy *micai_transition_added(const micai_transition *t)
{
    return micai_transition_careful(t) + t->careful_count;
}

static inline const micai_copy *micai_transition_removed(const micai_transition *t)
{
    return micai_transition_added(t) + t->added_count;
}

// Is the value of a step, of a component with values in a table, filled in as bytes?
static inline bool micai_step_is_bytes(const micai_step *step)
{
    return step->fill.strip != 0;
}

// Is a value what is filled in for a step, if it has data? The second asks for the data, too.
static inline bool micai_step_expects(const micai_step *step, const mica_value *value)
{
    uint64_t given = (uint64_t)value->count << 32 | value->size;
    return value->type.bits == step->bits && given == step->given;
}

static inline bool micai_step_takes(const micai_step *step, const mica_value *value)
{
    return micai_step_expects(step, value) && (value->data || !step->given);
}

// The key of a list: the numbers of its types, in their order; of a change, those that are added first, and then how many
// these are. Numbers, not handles, which have a part that differs each time: what is found at once is so in every run.
static inline uint64_t micai_list_key_add(uint64_t key, uint64_t bits)
{
    return micai_stamp_add(key, bits << (64 - MICAI_STAMP_NUMBER_BITS));
}

// One map. Empty places have one transition of no table, and of more steps than any list has.
typedef struct micai_transition_map {
    micai_transition **places; // and one more behind them, which is always empty
    uint32_t count;
    uint32_t shift;         // 64 less the binary logarithm of the number of places
    uint32_t hand;          // where the next list to make room is looked for
    micai_transition *last; // that was found; one of no table if it is gone
} micai_transition_map;

typedef struct micai_transitions {
    micai_transition_map maps[MICAI_TRANSITION_KINDS];
} micai_transitions;

static inline uint64_t micai_transition_place(const micai_transition_map *map, uint64_t key,
                                              uint64_t source_hash)
{
    return micai_stamp_mix((key << (64 - MICAI_STAMP_NUMBER_BITS)) ^ source_hash) >> map->shift;
}

// The transition that was found last. Hot paths compare it first, with all that they look for: that need not wait for
// loads that lead to a place.
static inline micai_transition *micai_transition_last(const micai_transitions *transitions,
                                                      micai_transition_kind kind)
{
    return transitions->maps[kind].last;
}

// The transition that adds one type to a table, or removes it, if it was the last, or is at the first or second place
// where it may be, as nearly all are; NULL otherwise.
static inline micai_transition *micai_transition_peek(micai_transitions *transitions,
                                                      micai_transition_kind kind, uint64_t bits,
                                                      const micai_table *source)
{
    micai_transition_map *map = &transitions->maps[kind];
    if (MICAI_LIKELY(map->last->key == bits && map->last->source == source)) {
        return map->last;
    }
    micai_transition *const *place = map->places + micai_transition_place(map, bits, source->hash);
    place += place[0]->key != bits || place[0]->source != source;
    if (place[0]->key != bits || place[0]->source != source) {
        return NULL;
    }
    return map->last = place[0];
}

// The same of a spawned list.
static inline micai_transition *micai_transition_peek_spawn(micai_transitions *transitions,
                                                            uint64_t key)
{
    micai_transition_map *map = &transitions->maps[MICAI_TRANSITION_SPAWN];
    micai_transition *const *place = map->places + micai_transition_place(map, 0, key);
    place += place[0]->key != key;
    return place[0]->key == key ? map->last = place[0] : NULL;
}

// The transition of a key, wherever it is; NULL: there is none of this key and source. It is moved to the first place.
micai_transition *micai_transition_seek(micai_transitions *transitions, micai_transition_kind kind,
                                        uint64_t key, const micai_table *source);

// May it take the fast path: bytes alone are copied, and no observer is notified?
static inline bool micai_transition_is_fast(const micai_transition *t)
{
    return t->fast_paths == MICAI_FAST_ALL;
}

// A list of types: those that are added, in their order, and behind them those that are removed.
typedef struct micai_list {
    const micai_type *const *types;
    uint32_t given_count;
    uint32_t count;
} micai_list;

// Empty maps; gives back all transitions.
void micai_transitions_init(micai_transitions *transitions);
void micai_transitions_free(micai_store *store);

// The transition that adds one type, or removes it, where that makes a difference. Built if there is none. NULL on
// failure, reported.
micai_transition *micai_transition_one(micai_store *store, micai_table *source,
                                       const micai_type *type, bool remove);

// The transition of a list in which no type is given twice; source NULL: a spawn. If there is none, it is built and kept;
// that of a spawn into rows that were reserved is only built, in scratch memory, since no other may be asked for, unless it
// is for a bundle to pin. NULL on failure, reported.
micai_transition *micai_transition_list(micai_store *store, micai_table *source,
                                        const micai_list *list, micai_arena *scratch, bool pin);

// The same, if there is one; NULL otherwise.
micai_transition *micai_transition_find(micai_store *store, micai_transition_kind kind,
                                        const micai_table *source, const micai_list *list);

// Finds `fast_paths` anew, of those from and to a table; of all (NULL).
void micai_transitions_update(micai_store *store, const micai_table *table);

// Drops those from and to tables that are dying, pinned or not; all that no bundle has pinned.
void micai_transitions_drop_dying(micai_store *store);
void micai_transitions_drop_unpinned(micai_store *store);

// Types are kept in other ways now: fills in the steps of a spawn anew. False: it leads to another table now, and is to
// be unpinned and dropped.
bool micai_transition_refresh(const micai_store *store, micai_transition *t);

// Of a store whose tables are in order. And how often transitions are pinned, which is for bundles to say.
uint32_t micai_transitions_count_pins(const micai_store *store);
mica_result micai_transitions_validate(micai_store *store);

#endif
