// A world with components of every storage, and observers that write down what they are reported.
#ifndef TEST_EVENT_FIXTURE_H
#define TEST_EVENT_FIXTURE_H

#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

typedef struct Number {
    int32_t n;
} Number;

#define FIXTURE_TYPES 4

typedef struct fixture fixture;

// What an observer that takes notes has as its user: who it is.
typedef struct listener {
    fixture *f;
    const char *label;
    void (*and_then)(const mica_observer_event *h); // done when it was noted; NULL: nothing
} listener;

struct fixture {
    test_world t;
    mica_world *world;
    mica_type a, b;   // of one storage, with values; b can be toggled
    mica_type tag;    // in tables
    mica_type marked; // a sparse tag
    mica_query all;
    listener listeners[64];
    uint32_t listener_count;
    char log[4096]; // "add A 3, set A 3, ..." with slots
    bool values;    // are noted, too: "set A 3=7"
};

// With types of a storage.
void fixture_begin(fixture *f, mica_storage storage);
void fixture_end(fixture *f);

// All storages, one after the other: for (fixture_each(i)) { fixture_begin(&f, fixture_storages[i]); ... }
extern const mica_storage fixture_storages[];
#define FIXTURE_STORAGES 4
#define fixture_each(i)                                                                            \
    uint32_t i = 0;                                                                                \
    i < FIXTURE_STORAGES;                                                                          \
    i++

// Observers that take notes, under a label. They see that the world is whole.
mica_observer fixture_hear(fixture *f, const char *label, mica_type type, uint32_t on);
mica_observer fixture_hear_query(fixture *f, const char *label, mica_query_desc query, uint32_t on);
mica_observer fixture_hear_and(fixture *f, const char *label, mica_type type, uint32_t on,
                               void (*and_then)(const mica_observer_event *h));

// The same with more of a descriptor.
mica_observer fixture_hear_as(fixture *f, const char *label, mica_observer_desc desc,
                              void (*and_then)(const mica_observer_event *h));

// An observer's own state, as it was made by these.
listener *fixture_listener(const mica_observer_event *h);

// What was noted since the last time.
#define CHECK_LOG(f, expected)                                                                     \
    do {                                                                                           \
        CHECK_TEXT(expected, (f)->log);                                                            \
        (f)->log[0] = 0;                                                                           \
    } while (0)

// One error was reported, of this code.
#define CHECK_CODE(f, expected)                                                                    \
    do {                                                                                           \
        CHECK_EQUAL(1, (f)->t.error.calls);                                                        \
        CHECK_EQUAL(expected, (f)->t.error.last.code);                                             \
        test_error_clear(&(f)->t.error);                                                           \
    } while (0)

#define NUMBER(type, value) MICA_VALUE(type, Number, value)

// The value of an entity, whatever the storage.
int32_t fixture_load(fixture *f, mica_entity entity, mica_type type);

#endif
