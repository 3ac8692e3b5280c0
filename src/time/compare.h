// Comparing two snapshots, for rooms above: what mica_snapshot_compare() reports, and a little more.
//
// Room:    time. Called by delta/.
#ifndef MICAI_TIME_COMPARE_H
#define MICAI_TIME_COMPARE_H

#include <mica/time.h>

#include "state/state.h"

struct micai_facet;

typedef struct micai_difference {
    mica_state_difference state;
    bool off;   // ADDED: the value is disabled
    bool whole; // ADDED, REMOVED: the entity was spawned, or despawned
} micai_difference;

// The functions return false to end the comparison.
typedef struct micai_compare_calls {
    bool (*differs)(const micai_difference *difference, void *user);
    // Called last, for each facet that is there only afterwards: those of one owner in their order. NULL:
    // facets are entities like any other.
    bool (*facet)(const struct micai_facet *facet, void *user);
    void *user;
    bool foreign; // the functions are the program's: they may not change the world
} micai_compare_calls;

// Fails like mica_snapshot_compare().
mica_result micai_snapshots_compare(mica_world *world, const char *call, mica_snapshot from,
                                    mica_snapshot to, const micai_compare_calls *calls);

// Fails where snapshots are refused, also if the world keeps no time.
mica_result micai_snapshots_guard(mica_world *world, const char *call);

// Passes out the hash of the world, if it is known to be as it was at the current snapshot. O(changes since the
// last snapshot whose hash is known). Otherwise returns false, without an error.
bool micai_snapshots_hash_world(mica_world *world, uint64_t *hash_out);

// Passes out mica_snapshot_hash().
mica_result micai_snapshot_get_hash(mica_world *world, const char *call, mica_snapshot snapshot,
                                    uint64_t *hash_out);

#endif
