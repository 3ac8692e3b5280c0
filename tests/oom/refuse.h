// Calls that are made again and again, the k-th allocation of each refused, until it needs fewer than k.
#ifndef TEST_OOM_REFUSE_H
#define TEST_OOM_REFUSE_H

#include "runner/world.h"

// Makes the call of this number; false: there is none. Says whether it succeeded.
typedef bool refuse_call(void *scene, uint32_t number, bool *done_out);

// What a call that fails leaves as it was, beside the hash of the world, as a number.
typedef uint64_t refuse_look(void *scene, uint32_t number);

typedef struct refusing {
    test_world *t;
    mica_world *world;
    void *scene;
    refuse_call *call;
    refuse_look *look; // NULL: the digest of the world
    // Of each call, the allocation that is refused first. Room that was made before it may stay, and then the
    // next refusal passes some by; beginning with each of the first few meets them all.
    uint64_t first;
} refusing;

enum { REFUSE_FIRST_MAX = 9 };

// Checks that a call which fails says so once and leaves everything as it was. Some can do without what
// is refused. Returns the refusals; `is_out`: there is such a call.
uint64_t refuse_each(const refusing *what, uint32_t number, bool *is_out);

#endif
