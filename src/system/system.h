// Systems: what a step runs.
//
// Room:    system, private to it.
//
// Invariants, swept by the room's validate:
//   Y1  every system has something to do, a good name and a query of its own; names are unique, handles
//       name their systems, and the older ones come first, as their queries do. All are found by their
//       names.
//   Y2  the system that runs is one of them.
#ifndef MICAI_SYSTEM_SYSTEM_H
#define MICAI_SYSTEM_SYSTEM_H

#include <mica/system.h>

#include "base/map.h"
#include "query/query.h"

typedef struct micai_system {
    mica_system handle;
    uint64_t seed; // of the handle: how many had been made with it
    char *name;
    mica_update_fn *update;
    void *user;
    mica_query query;
    bool replay_first;
} micai_system;

// Systems keep their order in `list`, and are found by name. Handles are stamped with the running
// number they were made under and searched for: there are few, and only removing asks.
typedef struct micai_systems {
    MICAI_ARRAY(micai_system) list;
    micai_map by_name; // places in the list
    uint64_t made;     // ever
} micai_systems;

#endif
