// The scenario of kernel_test.c: what it works on, and its steps.
#ifndef TEST_OOM_KERNEL_H
#define TEST_OOM_KERNEL_H

#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"
#include "store/table/page.h"

enum {
    FILLERS = 256, // types, so that those after them need sets with memory of their own
    ENTITIES = 190,
    QUERIES = 9,
    SYSTEMS = 3,
    ITERATIONS = 20,
    CALLS_MAX = 512
};

typedef struct Position {
    int32_t x, y;
} Position;

// A value that knows whether it is one.
typedef struct Handle {
    uint32_t magic;
    int32_t number;
} Handle;

enum { MAGIC = 0x600df00d };

typedef struct tally {
    int64_t alive;
    uint32_t wrong;
    uint64_t calls;    // of construct and copy
    uint64_t fail_at;  // the call that fails; 0: none
    uint64_t refusals; // that did
} tally;

typedef struct scenario {
    test_world t;
    mica_world *world;
    mica_type position, weight, handle, mover, tag; // handle has no move hook, mover has
    mica_type far_weight, far_handle, far_tag;      // types beyond the first 256
    mica_entity entities[ENTITIES];
    mica_bundle bundles[3];
    mica_query queries[QUERIES];
    mica_system systems[SYSTEMS];
    mica_iter iterations[ITERATIONS];
    uint32_t open;
    uint32_t changed; // as changes by query say
    uint32_t logged;
    tally tally;
} scenario;

// A call, or several, that may fail: do they succeed?
typedef struct kernel_step {
    bool (*run)(scenario *s, uint32_t i);
    const char *name;
    uint32_t times;
    uint32_t first;   // the i of the first time
    bool within_tick; // the tick goes on after it
} kernel_step;

extern const kernel_step kernel_steps[];
extern const uint32_t kernel_step_count;

// Steps that are taken at the end, too.
bool kernel_close_iterations(scenario *s, uint32_t i);

#endif
