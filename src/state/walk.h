// Walks: the iterations that are open. While there is one the gate is shut.
//
// Room:    state. Opened and closed by query/; the world names the innermost when it refuses a
//          change, and can close them all.
//
// A walk is the part of an iteration that its inline readers have no need of; the iterator points
// to it. The memory of walks is kept until the world is freed, and used again: so that an iterator
// whose walk was closed, and is perhaps another's by now, can look and see that by the serial.
//
// Invariants, swept by micai_walks_validate():
//   J1  the list from `newest` on has `count` walks, linked both ways. Each has a serial of its own,
//       the newer the higher, up to `last_serial`.
//   J2  all others of the `made` ones have no serial. They are in the list of the closed, but for the
//       outer one, which has no neighbours while it is closed, and none older while it is open.
//   J3  only a step holds walks.
//   J4  the memory of a walk, open or closed, is as large and as aligned as it says; or there is none. The
//       same holds for its owners.
#ifndef MICAI_STATE_WALK_H
#define MICAI_STATE_WALK_H

#include <mica/query.h>

#include "core/gate.h"
#include "store/pool/pool.h"

typedef struct micai_walk micai_walk;

struct micai_walk {
    uint64_t serial;             // of its iteration; 0: it is closed
    bool (*next)(mica_iter *it); // aims the iterator at the next segment; false: ended it
    struct micai_query *query;
    const mica_iter *iter; // that was aimed at it; only its address: it may be gone
    uint32_t match;        // where the next segment begins: the table, as numbered in the query
                           // (UINT32_MAX: none, ever),
    uint32_t row;          // and the row in it
    uint32_t rows;         // that may still come; UINT32_MAX: all there are
    struct micai_table
        *segment_table;   // whose rows the present segment is, from `shown_row` on; NULL: it is a
    uint32_t segment_row; // block, or the query is simple, of whose segments nobody asks that
    bool held_by_step;    // a step's: nobody else may advance or end it
    bool whole;           // over all there are, not one entity; of queries that go by rows
    uint64_t since;       // what it asks for must have happened after this tick; of the same
    micai_pool *driver;   // whose places are the rows; NULL: tables
    const micai_group *group;        // whose entities they are, if they are not all of the pool's
    void (*leave)(micai_walk *walk); // to be done before it is closed; NULL: nothing
    void *memory;                    // of its own, for those who need some; kept when it is closed
    size_t memory_size;
    uint32_t memory_align;
    uint32_t owner_capacity;
    mica_entity
        *owners;      // of the rows of a segment, where they had to be brought together; kept, too
    const char *name; // of what it walks, for the sentence that refuses a change; NULL: none
    micai_walk *newer;
    micai_walk *older;              // of the closed: the next one
    void *pointers[MICA_TERMS_MAX]; // to the values of each term in the present segment
};

typedef struct micai_walks {
    bool (*names)(const micai_walk *walk,
                  const micai_type *type); // the query room's: is it a term?
    bool (*gathers)(const micai_walk *walk,
                    const micai_type *type); // has it the values, to be written back?
    micai_walk *outer; // is opened where no other is open; NULL: none ever was
    micai_walk *newest;
    micai_walk *closed; // to be used again; not the outer one
    uint32_t count;     // open
    uint32_t made;      // and all there are
    uint32_t gathered;  // types whose values an open one has: short cuts do not see them, and the
                        // long ways ask (micai_world_guard_access)
    uint64_t last_serial;
} micai_walks;

// Another closed walk; the first is the outer one. False: MICA_ERROR_MEMORY, as a failure of the call.
bool micai_walks_add(micai_host *host, const char *call, micai_walks *walks);

// Gives all of them back. None may be open.
void micai_walks_free(micai_host *host, micai_walks *walks);

// `stepping`: a step runs.
mica_result micai_walks_validate(micai_host *host, const micai_walks *walks, bool stepping);

// Memory of at least this size and alignment, with nothing in it. MICA_ERROR_MEMORY.
mica_result micai_walk_reserve(micai_host *host, micai_walk *walk, size_t size, uint32_t align);

// Room for the owners of so many rows. MICA_ERROR_MEMORY.
mica_result micai_walk_reserve_owners(micai_host *host, micai_walk *walk, uint32_t count);

// The outer walk, which must have been made, where no other is open. What the query room keeps in it
// is for that to fill in.
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

// One of those that are closed, where others are open; as above, the query room fills it in.
micai_walk *micai_walk_open_inner(micai_walks *walks, micai_gate *gate, const char *call,
                                  const char *name);

// Whichever it is. NULL: MICA_ERROR_MEMORY, as a failure of the call.
static inline micai_walk *micai_walk_open(micai_walks *walks, micai_gate *gate, const char *call,
                                          const char *name)
{
    if (walks->newest) {
        return micai_walk_open_inner(walks, gate, call, name);
    }
    bool there = walks->outer || micai_walks_add(gate->host, call, walks);
    return there ? micai_walk_open_outer(walks, gate, name) : NULL;
}

// A walk that is the newest goes on as another iteration, as if it had been closed and opened.
static inline void micai_walk_restart(micai_walks *walks, micai_walk *walk, const char *name)
{
    walk->serial = ++walks->last_serial;
    walk->name = name;
}

// What is to be done before a walk is closed.
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
