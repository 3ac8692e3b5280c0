// Walks: the open iterations. The gate is closed while there is one.
//
// Room:    state. Opened and closed by query/. The state names the innermost walk when it refuses a change,
//          and can close all walks.
//
// A walk is the part of an iteration that inline code does not need; the iterator points to it. The
// memory of walks is reused and stays allocated until the world is freed. So an iterator can detect
// by the serial that its walk was closed or now serves another iteration.
//
// Invariants, swept by micai_walks_validate():
//   J1  The list from `newest` has `count` walks, linked in both directions. Their serials are
//       unique, decrease along the list and are at most `last_serial`.
//   J2  All other walks have serial 0 and are in the list `closed`, except the outer walk. `made`
//       counts all walks. The outer walk has no neighbors while closed, and no older one while
//       open.
//   J3  Only a running step holds walks.
//   J4  Every walk, open or closed, has memory of the size and alignment that it stores, or none.
//       The same holds for its owners.
#ifndef MICAI_STATE_WALK_H
#define MICAI_STATE_WALK_H

#include <mica/query.h>

#include "core/gate.h"
#include "store/pool/pool.h"

typedef struct micai_walk micai_walk;

// Bytes of the text that names an iterated query.
enum { MICAI_WALK_TEXT = 128 };

struct micai_walk {
    uint64_t serial; // identifies the iteration; 0: the walk is closed
    // moves the iterator to the next segment; returns false after the last
    bool (*next)(mica_iter *it);
    struct micai_query *query;
    const mica_iter *iter; // only its address is used: the iterator may be gone
    // start of the next segment: the table's number in the query (UINT32_MAX: there is no next one)
    uint32_t match;
    uint32_t row;  // and the row in that table
    uint32_t rows; // rows left to visit; UINT32_MAX: all
    // table of the current segment; NULL: the segment is a block, or the query is simple and needs
    // no table
    struct micai_table *segment_table;
    uint32_t segment_row;     // first row of the segment in that table
    bool held_by_step;        // only the step may advance or end it
    bool whole;               // filtered queries: iterates over all entities, not a single one
    uint64_t since;           // filtered queries: changes must be later than this tick
    micai_pool *driver;       // pool whose rows are iterated; NULL: tables
    mica_entity of_at;        // queries with .of: the source that was visited last; none: none yet
    const micai_group *group; // iterates over this group's entities; NULL: all of the pool
    void (*leave)(micai_walk *walk); // called before the walk is closed; NULL: none
    void *memory;                    // optional memory; kept when the walk is closed
    size_t memory_size;
    uint32_t memory_align;
    uint32_t owner_capacity;
    // owners of the rows of a gathered segment; kept when the walk is closed
    mica_entity *owners;
    const char *name; // name of the query, for refusals; NULL: unnamed
    micai_walk *newer;
    micai_walk *older;              // in the list of closed walks: the next one
    void *pointers[MICA_TERMS_MAX]; // values of each term in the current segment
};

typedef struct micai_walks {
    // set by query/: returns true if the type is a term of the walk
    bool (*has_term)(const micai_walk *walk, const micai_type *type);
    // set by query/: writes the iterated query as text for a sentence
    void (*describe)(const struct micai_query *query, char *text, size_t size);
    // set by query/, if queries may be filtered: their functions, and one that returns true if the
    // walk has gathered values of the type to write back
    const struct micai_filtered *filtered;
    bool (*gathers)(const micai_walk *walk, const micai_type *type);
    // set in copies for waves of systems: guards access to single values; NULL: they are gathered
    mica_result (*guard)(mica_world *world, const char *call, const micai_type *type);
    micai_walk *outer; // used if no other walk is open; NULL: not allocated yet
    micai_walk *newest;
    micai_walk *closed; // for reuse, without the outer walk
    uint32_t count;     // open walks
    uint32_t made;      // allocated walks
    // Types whose values open walks have gathered. Fast paths do not see them. General paths call
    // micai_world_guard_access().
    uint32_t gathered;
    uint64_t last_serial;
} micai_walks;

// Allocates a closed walk; the first one is the outer walk. Returns false on MICA_ERROR_MEMORY,
// reported on behalf of `call`.
bool micai_walks_add(micai_host *host, const char *call, micai_walks *walks);

// Frees all walks. None may be open.
void micai_walks_free(micai_host *host, micai_walks *walks);

// `stepping`: a step runs.
mica_result micai_walks_validate(micai_host *host, const micai_walks *walks, bool stepping);

// Ensures memory of this size and alignment. Its content is undefined. MICA_ERROR_MEMORY.
mica_result micai_walk_reserve(micai_host *host, micai_walk *walk, size_t size, uint32_t align);

// Ensures memory for the owners of `count` rows. MICA_ERROR_MEMORY.
mica_result micai_walk_reserve_owners(micai_host *host, micai_walk *walk, uint32_t count);

// Opens the outer walk, which must be allocated. No other walk may be open. The caller in query/
// fills in the rest.
static inline micai_walk *micai_walk_open_outer(micai_walks *walks, micai_gate *gate,
                                                const char *name)
{
    micai_walk *walk = walks->outer;
    walk->serial = ++walks->last_serial;
    walk->name = name;
    walks->newest = walk;
    walks->count++;
    micai_gate_shut(gate);
    return walk;
}

// Opens a closed walk while others are open. The caller in query/ fills in the rest.
micai_walk *micai_walk_open_inner(micai_walks *walks, micai_gate *gate, const char *call,
                                  const char *name);

// Opens the outer or an inner walk. Returns NULL on MICA_ERROR_MEMORY, reported on behalf of
// `call`.
static inline micai_walk *micai_walk_open(micai_walks *walks, micai_gate *gate, const char *call,
                                          const char *name)
{
    if (walks->newest) {
        return micai_walk_open_inner(walks, gate, call, name);
    }
    bool there = walks->outer || micai_walks_add(gate->host, call, walks);
    return there ? micai_walk_open_outer(walks, gate, name) : NULL;
}

// Reuses the newest walk for another iteration, as if it had been closed and opened.
static inline void micai_walk_restart(micai_walks *walks, micai_walk *walk, const char *name)
{
    walk->serial = ++walks->last_serial;
    walk->name = name;
}

// Runs the pending work of a walk, before it is closed.
static inline void micai_walk_leave(micai_walk *walk)
{
    if (walk->leave) {
        walk->leave(walk);
        walk->leave = NULL;
        walk->driver = NULL;
        walk->group = NULL;
    }
}

static inline void micai_walk_close(micai_walks *walks, micai_gate *gate, micai_walk *walk)
{
    micai_walk *newer = walk->newer;
    micai_walk *older = walk->older;
    if (newer) {
        newer->older = older;
        walk->newer = NULL;
    } else {
        walks->newest = older;
    }
    if (older) {
        older->newer = newer;
    }
    walk->serial = 0;
    if (walk != walks->outer) {
        walk->older = walks->closed;
        walks->closed = walk;
    }
    walks->count--;
    micai_gate_open(gate);
}

#endif
