// Worlds for tests of snapshots: those of cast.h, with more types, queries over them, and more operations
// that are chosen by numbers.
#ifndef TEST_UNIT_TIME_RICH_H
#define TEST_UNIT_TIME_RICH_H

#include "unit/image/cast.h"

enum {
    RICH_BIG = CAST_TYPES, // table, a page of it is large
    RICH_SWEPT,            // ring without row stamps
    RICH_STEADY,           // sparse, stable, toggle, row stamps
    RICH_FIELDS,           // split, row stamps
    RICH_ORDER,            // sparse, in no group
    RICH_TYPES
};

enum {
    RICH_TOUCHED,       // table
    RICH_TOUCHED_POOL,  // sparse
    RICH_TOUCHED_RING,  // ring with row stamps
    RICH_TOUCHED_BYTES, // with a toggle
    RICH_TOUCHED_STABLE,
    RICH_TOUCHED_STEADY, // disabled ones, too
    RICH_WRITTEN,        // enabled ones: gathered
    RICH_SWEEP,          // one segment
    RICH_WRITTEN_FIELDS,
    RICH_ALL,
    RICH_TAGGED,
    RICH_MIXED,
    RICH_GROUPED,
    RICH_CHANGED,
    RICH_QUERIES
};

typedef struct rich {
    cast c;
    mica_type types[RICH_TYPES];
    mica_query queries[RICH_QUERIES];
    mica_bundle bundle;
    mica_accessor stable;
    mica_accessor steady;
    mica_accessor bytes;
    mica_system writer; // changes values and sends
    mica_phase manual;
    unsigned char memory[700]; // of the program
    uint32_t notified;         // by an observer
    bool tests;                // steps are sync tests, which makes no difference
} rich;

// Types have no hooks. `twin_of` may be NULL.
void rich_begin(rich *r, mica_world *twin_of);
void rich_end(rich *r);

// Creates one of the queries, and what a system may do: nothing.
void rich_add_query(rich *r, uint32_t which);
void rich_follow(mica_iter *it);

// An operation, chosen by a number. Worlds that are the same stay the same.
void rich_do(rich *r, uint64_t choice);

// A value of a number, of the size of the type.
void rich_set(rich *r, mica_entity entity, uint32_t type, uint64_t number);

// An entity, chosen by a number, or a facet of one; none if there are none.
mica_entity rich_choose(const rich *r, uint64_t number);

// What can be read of the world by its public functions: all values through entities and through queries, names,
// facets, resources, systems.
uint64_t rich_look(rich *r);

// The digest of the world, and of its image: that has empty tables, too.
uint64_t rich_digest(rich *r);

#endif
