// A world of every sort of thing, in memory of its own: what the tests of damage break.
#ifndef TEST_DAMAGE_EVERYTHING_H
#define TEST_DAMAGE_EVERYTHING_H

#include <mica.h>

#include "runner/host.h"
#include "system/system.h"

// One region that blocks are cut from and never given back to, so that whatever leads into it can be
// read: a test that looks at memory which was freed is of no use here. In a region that keeps blocks
// apart, each has pages of its own and none beside them: whatever leads astray by a page is noticed.
typedef struct region {
    mica_allocator allocator;
    unsigned char *bytes;
    size_t used;
    size_t capacity;
    bool apart;
    struct region_block {
        unsigned char *bytes;
        size_t size; // 0: given back
    } * blocks;
    uint32_t count;
} region;

typedef struct everything {
    region region;
    mica_world *world;
    test_error error;
    mica_iter outer, inner;   // open
    mica_iter driven, sieved; // the same, of queries with sparse terms: by a pool, by tables
    mica_iter grouped;        // by a group
    mica_iter timed;          // by what changed
} everything;

// `types` in all: of a dozen or so there are several sorts, the rest are tags. Beyond 256 some queries
// need more words than they have inside.
void everything_begin(everything *e, uint32_t types, bool apart);
void everything_end(everything *e);

#endif
