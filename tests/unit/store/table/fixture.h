// A store on a host of its own, with types of every sort, for tests below the world.
#ifndef TEST_STORE_TABLE_FIXTURE_H
#define TEST_STORE_TABLE_FIXTURE_H

#include "runner/host.h"
#include "store/table/row.h"
#include "unit/tracked.h"

// Type numbers, in order of registration. Tags stand between the others.
enum { TAG_0, A, B, TAG_3, MOVED, HOOKED, E, TYPES };

// B is 4 bytes, A 8, E 16 with a default; MOVED and HOOKED are tracked, MOVED with a move hook.
typedef struct big {
    uint64_t low, high;
} big;

typedef struct fixture {
    test_host t;
    micai_host *host;
    micai_slots slots;
    micai_gate gate;
    uint32_t busy; // of the gate
    uint64_t now;  // the store's tick
    micai_registry registry;
    micai_store store;
    uint64_t tick;
    tracker tracker;
    micai_arena scratch;
} fixture;

void fixture_begin(fixture *f);

// Validates, frees, and checks that every tracked value has ended.
void fixture_end(fixture *f);

// One more type, of a few plain bytes or a tag; its number is the next one.
void fixture_register(fixture *f, uint32_t number, uint32_t size);

// The table of the types with these bits.
micai_table *fixture_table(fixture *f, uint64_t bits);
#define BIT(number) (UINT64_C(1) << (number))

mica_type_set fixture_set(uint64_t bits);

// An entity whose components all say `number`; none if memory is refused.
mica_entity fixture_spawn(fixture *f, micai_table *table, uint32_t number);
void fixture_despawn(fixture *f, mica_entity entity);

// Gives back what is not used.
void fixture_reclaim(fixture *f);

// `count` of them, saying 0, 1, 2 and so on.
void fixture_spawn_many(fixture *f, micai_table *table, uint32_t count, mica_entity *entities_out);

micai_row fixture_row(fixture *f, mica_entity entity);
micai_table *fixture_table_of(fixture *f, mica_entity entity);

// The value of a type that an entity has, as its kind finds it.
void *fixture_value(fixture *f, mica_entity entity, uint32_t number);

// The transition that adds one type to a table, or removes it; that adds `given` of `count` types, in their order, and
// removes the others; that leads to the table of some bits, its types in the order of their numbers.
micai_transition *fixture_one(fixture *f, micai_table *source, uint32_t number, bool remove);
micai_transition *fixture_list(fixture *f, micai_table *source, const uint32_t *numbers,
                               uint32_t given, uint32_t count);
micai_transition *fixture_to(fixture *f, micai_table *source, uint64_t bits);

// How many there are.
uint32_t fixture_transitions(const fixture *f);

// Moves an entity by a transition, its new components saying `number`.
void fixture_move(fixture *f, const micai_transition *t, mica_entity entity, uint32_t number);

// Do all components of the entity say `number`, but those in `defaults`, which say their default?
bool fixture_holds(fixture *f, mica_entity entity, uint32_t number, uint64_t defaults);

// Takes a table and its transitions off the fast path, and puts them back on it. Validation reports T8 meanwhile.
void fixture_set_bytes(fixture *f, micai_table *table, bool bytes);

// The spot of a type for a sheet; {0} if there is none.
mica_view_values fixture_spot(const fixture *f, uint32_t number, uint32_t sheet);

// Validation reports exactly the invariant `which`, and changes nothing by looking.
#define CHECK_BROKEN(f, which)                                                                     \
    do {                                                                                           \
        uint32_t tables = (f)->store.tables.count;                                                 \
        CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_store_validate(&(f)->store));                        \
        CHECK(strstr((f)->t.error.last.sentence, "invariant " which " is broken") != NULL);        \
        CHECK_EQUAL(1, test_error_clear(&(f)->t.error));                                           \
        CHECK_EQUAL(tables, (f)->store.tables.count);                                              \
    } while (0)

#endif
