// Bundles: lists of types, prepared for spawning.
//
// Room:    world. Called by world/spawn; what depends on where values are kept is the plan's.
#ifndef MICAI_WORLD_BUNDLE_H
#define MICAI_WORLD_BUNDLE_H

#include <mica/component.h>

#include "base/array.h"
#include "store/table/table.h"

struct micai_core;

typedef struct micai_bundle_item {
    const micai_type *type;
    uint64_t bits;   // its handle
    micai_fill fill; // how its value is filled in, where the bundle is quick; of tags, nothing
    uint32_t given;  // values, each time: 1; of tags, 0. Behind the size, as in a mica_value
    uint32_t column; // in the table; 0: it has none there
} micai_bundle_item;

typedef struct micai_bundle {
    mica_bundle handle;
    uint64_t seed;      // of the handle: how many had been made with it
    micai_table *table; // NULL after it was reclaimed, until it is needed again
    bool quick;         // the plan admits it: the table is quick, all values are filled in as bytes
    uint32_t count;
    micai_bundle_item items[];
} micai_bundle;

typedef struct micai_bundles {
    MICAI_ARRAY(micai_bundle *) list; // NULL where one was freed
    MICAI_ARRAY(uint32_t) free_list;
    uint64_t made; // ever: the seed of handles
} micai_bundles;

void micai_bundles_free(micai_host *host, micai_bundles *bundles);

// Tables that are dying are about to go: bundles forget them. A table was judged anew.
void micai_bundles_forget(micai_bundles *bundles);
void micai_bundles_judge(micai_bundles *bundles, const micai_table *table);

// Of a core whose types and tables are in order.
mica_result micai_bundles_validate(const struct micai_core *core);

// The bundle of a handle, with its table, to be spawned from: NULL, reported, if there is none or
// if the world may not be changed now.
micai_bundle *micai_bundle_open(mica_world *world, const char *call, mica_bundle bundle);

#endif
