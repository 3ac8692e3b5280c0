// Pools on a host of their own, with types of every sort, for tests below the world.
#ifndef TEST_STORE_POOL_FIXTURE_H
#define TEST_STORE_POOL_FIXTURE_H

#include <string.h>

#include "runner/host.h"
#include "runner/test.h"
#include "store/pool/pool.h"
#include "unit/tracked.h"

// Type numbers, in order of registration. One is kept in tables. Full has hooks, a toggle and row
// stamps.
enum { NOTE, TABLED, MARK, STABLE, MOVED, HOOKED, STABLE_HOOKED, WIDE, FULL, TYPES };

typedef struct note {
    uint64_t low, high;
} note;

typedef struct fixture {
    test_host t;
    micai_host *host;
    micai_slots slots;
    micai_gate gate;
    uint32_t busy; // of the gate
    micai_registry registry;
    micai_store store;
    micai_pools pools;
    uint64_t tick;
    tracker tracker;
} fixture;

void fixture_begin(fixture *f, bool relocate_always);

// Validates, frees, and checks that every tracked value has ended.
void fixture_end(fixture *f);

// All types anew, into a registry that has none.
void fixture_register_all(fixture *f);

const micai_type *fixture_type(const fixture *f, uint32_t number);

// One more sparse tag; its number is the next one.
uint32_t fixture_register_tag(fixture *f);

// The pool of a type, made if there is none.
micai_pool *fixture_pool(fixture *f, uint32_t number);

// An entity with nothing; its end, and that of all it has.
mica_entity fixture_spawn(fixture *f);
void fixture_despawn(fixture *f, mica_entity entity);
void fixture_spawn_many(fixture *f, uint32_t count, mica_entity *entities_out);

// Adds the entity to a pool, its value saying `say`; removes it.
mica_result fixture_try_give(fixture *f, uint32_t number, mica_entity entity, uint32_t say);
void fixture_give(fixture *f, uint32_t number, mica_entity entity, uint32_t say);
void fixture_take(fixture *f, uint32_t number, mica_entity entity);

bool fixture_has(const fixture *f, uint32_t number, mica_entity entity);
void *fixture_value(const fixture *f, uint32_t number, mica_entity entity);

// Does the entity's value say this?
bool fixture_says(const fixture *f, uint32_t number, mica_entity entity, uint32_t say);

// Validation reports exactly the invariant `which`.
#define CHECK_BROKEN(f, which)                                                                     \
    do {                                                                                           \
        CHECK_EQUAL(MICA_ERROR_CORRUPT,                                                            \
                    micai_pools_validate(&(f)->pools, &(f)->registry, (f)->tick));                 \
        CHECK(strstr((f)->t.error.last.sentence, "invariant " which " is broken") != NULL);        \
        CHECK_EQUAL(1, test_error_clear(&(f)->t.error));                                           \
    } while (0)

#define CHECK_VALID(f)                                                                             \
    CHECK_EQUAL(MICA_OK, micai_pools_validate(&(f)->pools, &(f)->registry, (f)->tick))

#endif
