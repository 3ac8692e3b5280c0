// A component type that watches its own values: every value has an identity, and the hooks keep a
// list of those that live. A value ended twice, used after its end, moved without its hook or
// overwritten while alive is counted as an error; one never ended is still alive when all is over.
#ifndef TEST_UNIT_TRACKED_H
#define TEST_UNIT_TRACKED_H

#include <mica/type.h>

enum { TRACKED_IDS = 1 << 15 };

// A value. `self` is where it lives, if its type has a move hook.
typedef struct tracked {
    uint64_t id;
    const void *self;
    int64_t number;
} tracked;

typedef struct tracker {
    uint32_t alive;
    uint32_t errors;
    uint32_t constructs, destructs, copies, moves; // values that went through each hook
    uint32_t until_failure; // constructs and copies up to the value that fails; 0: none does
    uint32_t next;
    bool idle; // values are numbers, and types have no hooks: nobody watches
    bool live[TRACKED_IDS];
} tracker;

// A constructed value has this number.
enum { TRACKED_DEFAULT = 7 };

void tracker_begin(tracker *t);

// All four hooks, or all but move: then values are relocated by their bytes. None, if nobody watches.
mica_type_desc tracked_desc(tracker *t, const char *name, bool has_move);

// A value outside of any world, and its end.
tracked tracked_make(tracker *t, int64_t number);
void tracked_drop(tracker *t, tracked *value);

// Is this a living value, at its place, with this number?
bool tracked_is(const tracker *t, const void *value, int64_t number);

// `alive` values live, and nothing went wrong so far.
#define CHECK_TRACKED(t, expected)                                                                 \
    do {                                                                                           \
        CHECK_EQUAL(0, (t)->errors);                                                               \
        CHECK_EQUAL(expected, (t)->alive);                                                         \
    } while (0)

#endif
