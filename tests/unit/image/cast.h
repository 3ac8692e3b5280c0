// Worlds for tests of images: types in every storage and of every sort, and operations that are chosen by
// numbers, so that two worlds can be reported to do the same.
#ifndef TEST_UNIT_IMAGE_CAST_H
#define TEST_UNIT_IMAGE_CAST_H

#include <mica.h>

#include "runner/world.h"

typedef struct Vec2 {
    float x, y;
} Vec2;

// Every kind of field, and padding.
typedef struct Sheet {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    bool flag;
    char letter;
    char name[7];
    mica_entity target;
    Vec2 at;
    Vec2 path[3];
    int16_t mood;
    uint16_t few[3];
} Sheet;

typedef struct Text {
    uint32_t size; // the only field
    char *text;    // NULL: none
} Text;

enum {
    CAST_TAG,
    CAST_POSITION, // table
    CAST_SHEET,    // table, all fields
    CAST_SPLIT,    // split, toggle
    CAST_RING,     // ring, row stamps
    CAST_SPARSE,   // sparse, toggle, row stamps
    CAST_MARK,     // sparse tag, toggle
    CAST_STABLE,   // sparse and stable
    CAST_TEXT,     // table, saved by hooks
    CAST_BYTES,    // table, plain, toggle and row stamps
    CAST_LOOSE,    // sparse, nothing beside
    CAST_TYPES
};

typedef struct cast {
    test_world t;
    bool hookless;
    mica_world *world;
    mica_type vec2;
    mica_type types[CAST_TYPES];
    mica_type score;  // a resource and events, saved
    mica_type secret; // the same, not saved
    mica_type call;   // events of systems, saved
    mica_group owning;
    mica_group listing;
    mica_query moved; // what changed
    mica_accessor positions;
    mica_accessor sparse;
} cast;

extern const mica_hooks cast_text_hooks;

// With groups, queries, systems and accessors. The second: no type has hooks. The third: types alone, in other
// storages.
void cast_begin(cast *c);
void cast_begin_hookless(cast *c, mica_world *twin_of);
void cast_begin_otherwise(cast *c);

// The same for a world that there is, c->world.
void cast_fill(cast *c);
void cast_fill_otherwise(cast *c);
void cast_end(cast *c);

// An operation, chosen by a number. Who asks two casts that are the same for the same gets the same.
void cast_do(cast *c, uint64_t choice);

// Numbers in which nothing repeats.
uint64_t cast_random(uint64_t *state);

// So many operations.
void cast_play(cast *c, uint64_t seed, uint32_t count);

// Saves to the buffer; loads from it: MICA_OK, or the test fails.
void cast_save(cast *c, mica_buffer *buffer);
void cast_load(cast *c, const mica_buffer *buffer);

#endif
