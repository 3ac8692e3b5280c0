// A mirror of a world, kept by observers from what they are reported and nothing else, and compared with the
// world: who there is, which components they have, which of those are disabled, which values they were
// given, and who matches some queries.
#ifndef TEST_RUNNER_MIRROR_H
#define TEST_RUNNER_MIRROR_H

#include <mica.h>

enum { MIRROR_SLOTS = 160, MIRROR_TYPES = 12, MIRROR_QUERIES = 4, MIRROR_VALUE_SIZE = 40 };

// Who lives in a slot, as far as was reported.
typedef struct mirror_being {
    mica_entity entity; // none: nobody
    uint32_t has;       // bit per type
    uint32_t off;       // of those
    uint32_t matches;   // bit per query
    unsigned char values[MIRROR_TYPES][MIRROR_VALUE_SIZE];
} mirror_being;

// Must not be moved while observers are there.
typedef struct mirror {
    mica_world *world;
    bool whole; // spawns and ends are observed, too
    uint32_t type_count;
    mica_type types[MIRROR_TYPES];
    uint32_t query_count;
    mica_query queries[MIRROR_QUERIES];
    uint32_t observer_count;
    mica_observer observers[MIRROR_TYPES + MIRROR_QUERIES + 1];
    mirror_being beings[MIRROR_SLOTS];
    uint64_t reported;
    const char *wrong; // the first thing that was reported and cannot be; NULL: none
} mirror;

// Begins with what there is. Of values with hooks, the first field, if there is
// one, is what they are. False: something was
// refused.
bool mirror_begin(mirror *m, mica_world *world, const mica_type *types, uint32_t type_count,
                  const mica_query_desc *queries, uint32_t query_count, bool whole);
void mirror_end(mirror *m);

// Values were written through pointers, of which nobody is reported.
void mirror_look_again(mirror *m);

// NULL, or how the two differ.
const char *mirror_compare(mirror *m);

#endif
