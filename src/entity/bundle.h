// Bundles: lists of types, prepared for spawning; and shapes, the same for entities that are spawned of
// values without a bundle, remembered from the last of them.
//
// Shapes have a fixed place each: remembering one asks nobody for memory, so that it can neither fail
// nor break what mica_bundle_reserve() promises.
//
// Room:    entity. Called by world/spawn; what depends on where values are kept is the plan's.
#ifndef MICAI_ENTITY_BUNDLE_H
#define MICAI_ENTITY_BUNDLE_H

#include <mica/component.h>

#include "base/array.h"
#include "core/handles.h"
#include "store/pool/pool.h"
#include "store/table/table.h"

struct micai_state;
struct micai_plan;

typedef struct micai_bundle_item {
    const micai_type *type;
    uint64_t bits;    // its handle
    micai_fill fill;  // how its value is filled in, where the bundle is quick; of tags, nothing
    uint32_t given;   // values, each time: 1; of tags, 0. Behind the size, as in a mica_value
    uint32_t column;  // in the table; 0: it has none there
    micai_pool *pool; // NULL: none
} micai_bundle_item;

// How entities are spawned of a list of items, as the plan admits them: micai_plan_way().
typedef enum micai_way {
    MICAI_WAY_LONG,  // by the plan
    MICAI_WAY_APART, // by a short cut that asks each item for a pool, a flag, and a ring
    MICAI_WAY_QUICK, // by one that fills in bytes and asks nothing
} micai_way;

typedef struct micai_bundle {
    mica_bundle
        quick; // its handle, if that is its way; none otherwise. So one comparison tells both
    mica_bundle handle;
    uint64_t seed;      // of the handle: how many had been made with it
    micai_table *table; // NULL after it was reclaimed, until it is needed again
    micai_way way;
    uint32_t count;
    micai_bundle_item items[];
} micai_bundle;

#define MICAI_SHAPES 8u       // that are remembered: a power of two
#define MICAI_SHAPE_TYPES 12u // that each may have at most

// What entities were spawned of: types in the order they were given in, none of them twice.
typedef struct micai_shape {
    uint64_t key;       // micai_shape_key() of the types
    micai_table *table; // NULL: there is no shape here
    uint32_t count;
    micai_way way; // not the long one
    micai_bundle_item items[MICAI_SHAPE_TYPES];
} micai_shape;

typedef struct micai_bundles {
    micai_handles handles;
    uint32_t newcomers; // shapes that found no free place
    uint64_t newcomer;  // and the key of the last
    micai_shape shapes[MICAI_SHAPES];
} micai_bundles;

// The key of the types of values.
static inline uint64_t micai_shape_key(const mica_value *values, uint32_t count)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < count; i++) {
        key = micai_stamp_add(key, values[i].type.bits);
    }
    return micai_stamp_mix(key);
}

// Where a key is looked for in turn: at its own place first, where most are, then everywhere behind it.
static inline uint32_t micai_shape_place(uint64_t key, uint32_t turn)
{
    return ((uint32_t)(key >> 32) + turn) % MICAI_SHAPES;
}

// The shape of a key; NULL if none is remembered.
static inline const micai_shape *micai_shape_find(const micai_bundles *bundles, uint64_t key)
{
    for (uint32_t turn = 0; turn < MICAI_SHAPES; turn++) {
        const micai_shape *shape = &bundles->shapes[micai_shape_place(key, turn)];
        if (shape->key == key && shape->table) {
            return shape;
        }
    }
    return NULL;
}

// Is this what is filled in for an item, if there is data? Size and count are compared in one go; a
// value that does not say that there is one takes the long way. The second asks for the data, too.
static inline bool micai_bundle_expects(const micai_bundle_item *item, const mica_value *value)
{
    uint64_t given = (uint64_t)value->count << 32 | value->size;
    uint64_t wanted = (uint64_t)item->given << 32 | item->fill.size;
    return value->type.bits == item->bits && given == wanted;
}

static inline bool micai_bundle_takes(const micai_bundle_item *item, const mica_value *value)
{
    return micai_bundle_expects(item, value) && (value->data || item->fill.size == 0);
}

// A bundle's table was found, judged anew, or goes (NULL).
static inline void micai_bundle_set(micai_bundle *bundle, micai_table *table, micai_way way)
{
    bundle->table = table;
    bundle->way = way;
    bundle->quick = way == MICAI_WAY_QUICK ? bundle->handle : (mica_bundle){0};
}

// Remembers what an entity was spawned of by a plan that was carried out, if the next can take the short cut.
// Another shape may be forgotten for it.
void micai_shape_remember(struct micai_state *state, const struct micai_plan *plan,
                          const mica_value *values, uint32_t count);

// From now on, bundles are told of tables that go: MICA_ERROR_MEMORY.
mica_result micai_bundles_listen(struct micai_state *state);

void micai_bundles_free(micai_host *host, micai_bundles *bundles);

// Tables that are dying are about to go: bundles and shapes forget them. A table was judged anew.
void micai_bundles_forget(micai_bundles *bundles);
void micai_bundles_judge(micai_bundles *bundles, micai_table *table);

// Types are kept in other ways: bundles and shapes forget all they knew of where values go.
void micai_bundles_forget_all(micai_bundles *bundles);

// Of a state whose types and tables are in order.
mica_result micai_bundles_validate(const struct micai_state *state);

// The bundle of a handle, as it is: NULL, reported, if there is none. With its table, to be spawned
// from: also if the world may not be changed now.
micai_bundle *micai_bundle_find(mica_world *world, const char *call, mica_bundle bundle);
micai_bundle *micai_bundle_open(mica_world *world, const char *call, mica_bundle bundle);

#endif
