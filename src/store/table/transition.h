// Transitions: a list of types is added to the entities of a table, and another list is removed. A
// transition contains the target table, the copies to make, and how to write each new value. A
// transition without a source is a spawn.
//
// Room:    store/table. Run by entity/ (changes, spawns). row.h moves single rows along
//          transitions, transfer.h whole tables.
//
// A transition is built once and kept in a map until one of its tables is freed. There are four
// maps: add one type, remove one type, add and remove a list, spawn a list. The key of the first
// two is the type's handle. The key of a list combines the numbers of its types, in order. The
// place in the map also depends on the source. So a hot path checks the last transition found, then
// two places, and compares each with the request. No lookup trusts a hash. There can be many lists.
// When a map has too many, a new list replaces another one. Those that a bundle has pinned stay.
//
// `fast_paths` says how a transition may run. It depends on types, tables, observers and disabled
// values, and is recomputed when one of these changes (micai_transitions_update).
//
// Invariants, checked by micai_transitions_validate() and cited by tests:
//   G2  A transition's target has the source's types, plus those it adds, minus those it removes.
//       Its copies are the strips and columns of both tables, ids first. Its steps are the types of
//       its list, in order, with their effects.
//   G5  `fast_paths` and `size` are the results of micai_transitions_update().
//   G8  Every transition is found once in the map of its kind, and the map's count is right.
//       (Bundles count the pins: W3.)
#ifndef MICAI_STORE_TABLE_TRANSITION_H
#define MICAI_STORE_TABLE_TRANSITION_H

#include <mica/component.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "core/stamp.h"
#include "core/types.h"
#include "store/table/table.h"

#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_TRANSITION_LISTS 8u // number of lists kept, in addition to four per table
#else
#define MICAI_TRANSITION_LISTS 256u
#endif
#define MICAI_TRANSITION_NO_SIZE UINT64_MAX // no caller passes this size

// A strip or column of the source and one of the target.
typedef struct micai_copy {
    uint16_t source;
    uint16_t target;
    uint32_t size; // size of a cell in bytes; saves reading the layouts
} micai_copy;

// One type of the list.
typedef struct micai_step {
    const micai_type *type;
    uint64_t bits;     // its handle
    uint64_t expected; // expected mica_value: its size, plus 1 << 32; 0 for tags
    micai_fill fill;   // how its value is written as bytes; strip 0 if it is not
    uint16_t column;   // column in the target of an added type; 0 if it has none
    bool present;      // the source has the type: it is overwritten or removed
    bool sparse;       // the type is in no table
} micai_step;

typedef enum micai_transition_kind {
    MICAI_TRANSITION_ADD,
    MICAI_TRANSITION_REMOVE,
    MICAI_TRANSITION_LIST,
    MICAI_TRANSITION_SPAWN,
    MICAI_TRANSITION_KINDS
} micai_transition_kind;

struct micai_transition {
    uint64_t key;        // handle of the type; of a list, micai_list_key_add()
    micai_table *source; // NULL: entities are spawned
    micai_table *target;
    uint64_t
        // size of the value if one type is added on the fast path; MICAI_TRANSITION_NO_SIZE
        // otherwise
        size;
    const micai_copy *copies;
    uint8_t fast_paths; // bits: table.h
    uint8_t kind;
    uint32_t pins;        // number of bundles that pin it
    uint32_t given_count; // steps that add; those that remove follow
    uint32_t step_count;
    // Numbers of entries in `copies`, in this order.
    uint32_t eight_count;   // strips of both tables with 8 bytes, copied without reading their size
    uint32_t strip_count;   // all strips of both tables that move as bytes, including those
    uint32_t dropped_count; // strips of the source only, except those with cells outside
    uint32_t careful_count; // columns of both tables whose kind moves them
    uint32_t added_count;   // columns of the target only
    uint32_t removed_count; // columns of the source only
    micai_step steps[];     // the copies follow in memory
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

// Returns true if the value of a step, a component in a table, is written as bytes.
static inline bool micai_step_is_bytes(const micai_step *step)
{
    return step->fill.strip != 0;
}

// Return true if a value has the type and size that the step expects. micai_step_takes() also
// requires the data.
static inline bool micai_step_expects(const micai_step *step, const mica_value *value)
{
    uint64_t given = (uint64_t)value->count << 32 | value->size;
    return value->type.bits == step->bits && given == step->expected;
}

static inline bool micai_step_takes(const micai_step *step, const mica_value *value)
{
    return micai_step_expects(step, value) && (value->data || !step->expected);
}

// Adds a type to the key of a list. The key combines the numbers of the types, in order. For a
// change, the added types come first, and their count is added last. Numbers instead of handles,
// which have a random part: so lookups cost the same in every run.
static inline uint64_t micai_list_key_add(uint64_t key, uint64_t bits)
{
    return micai_stamp_add(key, bits << (64 - MICAI_STAMP_NUMBER_BITS));
}

// One map. Empty places point at a transition without tables, whose step count exceeds that of any
// list.
typedef struct micai_transition_map {
    micai_transition **places; // followed by one more that is always empty
    uint32_t count;
    uint32_t shift;         // 64 minus log2 of the number of places
    uint32_t hand;          // next place to search for a list to replace
    micai_transition *last; // the last one found; an empty one after it was freed
} micai_transition_map;

typedef struct micai_transitions {
    micai_transition_map maps[MICAI_TRANSITION_KINDS];
} micai_transitions;

static inline uint64_t micai_transition_place(const micai_transition_map *map, uint64_t key,
                                              uint64_t source_hash)
{
    return micai_stamp_mix((key << (64 - MICAI_STAMP_NUMBER_BITS)) ^ source_hash) >> map->shift;
}

// Returns the transition found last. Hot paths compare it first with the whole request, because
// that needs no dependent loads.
static inline micai_transition *micai_transition_last(const micai_transitions *transitions,
                                                      micai_transition_kind kind)
{
    return transitions->maps[kind].last;
}

// Returns the transition that adds one type to a table, or removes it. Checks only the last one and
// the first two places, where nearly all are. Returns NULL otherwise.
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

// Does the same for a spawned list.
static inline micai_transition *micai_transition_peek_spawn(micai_transitions *transitions,
                                                            uint64_t key)
{
    micai_transition_map *map = &transitions->maps[MICAI_TRANSITION_SPAWN];
    micai_transition *const *place = map->places + micai_transition_place(map, 0, key);
    place += place[0]->key != key;
    return place[0]->key == key ? map->last = place[0] : NULL;
}

// Returns the transition of a key and source at any place, or NULL. Moves it to the first place.
micai_transition *micai_transition_seek(micai_transitions *transitions, micai_transition_kind kind,
                                        uint64_t key, const micai_table *source);

// Returns true if the transition admits the fast path: it copies only bytes and notifies no
// observer.
static inline bool micai_transition_is_fast(const micai_transition *t)
{
    return t->fast_paths == MICAI_FAST_ALL;
}

// A list of types: the added ones in order, followed by the removed ones.
typedef struct micai_list {
    const micai_type *const *types;
    uint32_t given_count;
    uint32_t count;
} micai_list;

// Initialize empty maps; free all transitions.
void micai_transitions_init(micai_transitions *transitions);
void micai_transitions_free(micai_store *store);

// Returns the transition that adds or removes one type, where that has an effect. Builds it if
// needed. Returns NULL on failure, reported.
micai_transition *micai_transition_one(micai_store *store, micai_table *source,
                                       const micai_type *type, bool remove);

// Returns the transition of a list without duplicate types. A NULL source means a spawn. Builds and
// stores it if needed. A spawn into reserved rows is only built, in scratch memory, because it must
// not allocate otherwise. `pin` stores it in any case, for a bundle. Returns NULL on failure,
// reported.
micai_transition *micai_transition_list(micai_store *store, micai_table *source,
                                        const micai_list *list, micai_arena *scratch, bool pin);

// Does the same if the transition exists. Otherwise returns NULL.
micai_transition *micai_transition_find(micai_store *store, micai_transition_kind kind,
                                        const micai_table *source, const micai_list *list);

// Recomputes `fast_paths` of the transitions from and to a table, or of all (NULL).
void micai_transitions_update(micai_store *store, const micai_table *table);

// Free transitions from and to dying tables, pinned or not; all that no bundle has pinned.
void micai_transitions_drop_dying(micai_store *store);
void micai_transitions_drop_unpinned(micai_store *store);

// Refreshes the steps of a spawn after storages have changed. Returns false if it now leads to
// another table. The caller then unpins and frees it.
bool micai_transition_refresh(const micai_store *store, micai_transition *t);

// micai_transitions_validate() requires valid tables. Bundles compare the number of pins with their
// own.
uint32_t micai_transitions_count_pins(const micai_store *store);
mica_result micai_transitions_validate(micai_store *store);

#endif
