#include <mica.h>

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"
#include "system/system.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

enum { NOTES = 64 };

// What updates leave behind.
typedef struct journal {
    char names[NOTES]; // the first letter of who ran
    uint32_t count;
    uint32_t rows;
    float dt;
    void *user;
} journal;

static journal notes;

static void note(mica_iter *it, char name)
{
    if (notes.count + 1 < NOTES) {
        notes.names[notes.count++] = name;
    }
    notes.rows += it->count;
    notes.dt = it->dt;
    notes.user = it->user;
}

static void note_a(mica_iter *it)
{
    note(it, 'a');
}

static void note_b(mica_iter *it)
{
    note(it, 'b');
}

static void note_c(mica_iter *it)
{
    note(it, 'c');
}

static mica_query inner_query; // another, iterated while all is tried; or none

typedef struct fixture {
    test_world t;
    mica_world *world;
    mica_type position, velocity, frozen;
} fixture;

static mica_world *fixture_begin(fixture *f)
{
    memset(&notes, 0, sizeof notes);
    inner_query = (mica_query){0};
    f->world = test_world_begin(&f->t);
    f->position = MICA_REGISTER(f->world, Position, x, y);
    f->velocity = MICA_REGISTER(f->world, Velocity, x, y);
    f->frozen = MICA_TAG(f->world, Frozen);
    return f->world;
}

static void fixture_end(fixture *f)
{
    test_world_end(&f->t);
}

static mica_system add(fixture *f, const char *name, mica_update_fn *update)
{
    mica_system system =
        mica_system_add(f->world, &(mica_system_desc){.name = name,
                                                      .update = update,
                                                      .query.terms = {{f->position, MICA_READ}},
                                                      .queries = {inner_query}});
    REQUIRE(system.bits != 0);
    return system;
}

TEST_WITH(fixture, f, systems_run_in_the_order_they_were_added)
{
    mica_world *world = f->world;
    mica_spawn(world, MICA_ADD(f->position));
    add(f, "b", note_b);
    add(f, "c", note_c);
    add(f, "a", note_a);
    CHECK_EQUAL(MICA_OK, mica_step(world, 0.5f));
    CHECK_EQUAL(MICA_OK, mica_step(world, 0));
    CHECK_TEXT("bcabca", notes.names);
}

static void move(mica_iter *it)
{
    Position *p = mica_write(it, 0);
    const Velocity *v = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].x += v[i].x * it->dt;
        p[i].y += v[i].y * it->dt;
    }
    *(uint32_t *)it->user += it->count;
}

static void a_system_gets_its_terms_its_time_and_its_own_state(void) // S1.2
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    uint32_t moved = 0;
    mica_entity mover = mica_spawn(world, MICA_VALUE(f.position, Position, 1, 2),
                                   MICA_VALUE(f.velocity, Velocity, 4, 8));
    mica_entity frozen = mica_spawn(world, MICA_VALUE(f.position, Position, 1, 2),
                                    MICA_VALUE(f.velocity, Velocity, 4, 8), MICA_ADD(f.frozen));
    mica_system system =
        mica_system_add(world, &(mica_system_desc){.name = "move",
                                                   .update = move,
                                                   .query.terms = {{f.position, MICA_WRITE},
                                                                   {f.velocity, MICA_READ},
                                                                   {f.frozen, MICA_WITHOUT}},
                                                   .user = &moved});
    CHECK(system.bits != 0);
    CHECK_EQUAL(1, mica_world_get_stats(world).queries);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(MICA_OK, mica_step(world, 0.25f));
    }
    const Position *p = MICA_GET(world, mover, f.position, Position);
    CHECK(p->x == 5 && p->y == 10);
    p = MICA_GET(world, frozen, f.position, Position);
    CHECK(p->x == 1 && p->y == 2);
    CHECK_EQUAL(4, moved);
    fixture_end(&f);
}

static void an_update_is_called_once_per_segment_and_not_for_empty_tables(void) // S1.2
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    int own = 0;
    mica_system_add(world, &(mica_system_desc){.name = "a",
                                               .update = note_a,
                                               .query.terms = {{f.position, MICA_READ}},
                                               .user = &own});
    CHECK_EQUAL(MICA_OK, mica_step(world, 1)); // no table at all
    mica_entity gone = mica_spawn(world, MICA_ADD(f.position));
    mica_despawn(world, gone);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1)); // an empty one
    CHECK_EQUAL(0, notes.count);
    mica_spawn(world, MICA_ADD(f.position), MICA_ADD(f.velocity));
    mica_spawn(world, MICA_ADD(f.position), MICA_ADD(f.frozen));
    mica_spawn(world, MICA_ADD(f.velocity));
    CHECK_EQUAL(MICA_OK, mica_step(world, 2));
    CHECK_EQUAL(2, notes.count);
    CHECK_EQUAL(2, notes.rows);
    CHECK(notes.dt == 2);
    CHECK_POINTER(&own, notes.user);
    fixture_end(&f);
}

TEST_WITH(fixture, f, a_world_without_systems_steps)
{
    mica_world *world = f->world;
    uint64_t hash = mica_world_hash(world);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(hash, mica_world_hash(world));
}

// Names and handles

TEST_WITH(fixture, f, systems_are_found_by_name)
{
    mica_world *world = f->world;
    CHECK_EQUAL(0, mica_system_find(world, "a").bits); // silently
    char name[] = "a";
    mica_system a = add(f, name, note_a);
    name[0] = 'x'; // it was copied
    mica_system b = add(f, "b", note_b);
    CHECK(a.bits != b.bits);
    CHECK_EQUAL(a.bits, mica_system_find(world, "a").bits);
    CHECK_EQUAL(b.bits, mica_system_find(world, "b").bits);
    CHECK_EQUAL(0, mica_system_find(world, "x").bits);
    CHECK_EQUAL(0, mica_system_find(world, NULL).bits);
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_system_find: name is null");
}

TEST_WITH(fixture, f, a_removed_system_runs_no_more_and_the_others_keep_their_order)
{
    mica_world *world = f->world;
    mica_spawn(world, MICA_ADD(f->position));
    mica_system a = add(f, "a", note_a);
    mica_system b = add(f, "b", note_b);
    mica_system c = add(f, "c", note_c);
    CHECK_EQUAL(3, mica_world_get_stats(world).queries);
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, b));
    CHECK_EQUAL(2, mica_world_get_stats(world).queries);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_TEXT("ac", notes.names);
    // Its name is free again; it comes last.
    mica_system again = add(f, "b", note_b);
    CHECK(again.bits != b.bits);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_TEXT("acacb", notes.names);
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, a));
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, again));
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, c));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_TEXT("acacb", notes.names);
}

static void systems_that_are_none_removed_or_foreign_are_not_removed(void)
{
    fixture f;
    fixture g;
    mica_world *world = fixture_begin(&f);
    fixture_begin(&g);
    CHECK_EQUAL(MICA_ERROR_SYSTEM, mica_system_remove(world, (mica_system){0}));
    CHECK_ERROR(&f.t, MICA_ERROR_SYSTEM, "mica_system_remove: the system is none");
    mica_system system = add(&f, "a", note_a);
    mica_system foreign = add(&g, "a", note_a);
    CHECK_EQUAL(MICA_ERROR_SYSTEM, mica_system_remove(world, foreign));
    CHECK_ERROR(&f.t, MICA_ERROR_SYSTEM,
                "mica_system_remove: the system is removed, or of another world");
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, system));
    CHECK_EQUAL(MICA_ERROR_SYSTEM, mica_system_remove(world, system));
    CHECK_ERROR(&f.t, MICA_ERROR_SYSTEM,
                "mica_system_remove: the system is removed, or of another world");
    CHECK_EQUAL(MICA_ERROR_SYSTEM, mica_system_remove(world, (mica_system){0}));
    CHECK_ERROR(&f.t, MICA_ERROR_SYSTEM, "mica_system_remove: the system is none");
    fixture_end(&f);
    fixture_end(&g);
}

#define CHECK_NO_SYSTEM(f, code, sentence, ...)                                                    \
    do {                                                                                           \
        CHECK_EQUAL(0, mica_system_add((f)->world, &(mica_system_desc){__VA_ARGS__}).bits);        \
        CHECK_ERROR(&(f)->t, code, sentence);                                                      \
    } while (0)

TEST_WITH(fixture, f, bad_descriptors_make_no_system)
{
    mica_world *world = f->world;
    add(f, "taken", note_a);
    CHECK_NO_SYSTEM(f, MICA_ERROR_DESC,
                    "mica_system_add: the descriptor was not zeroed before it was filled in",
                    .first_zero = 1);
    CHECK_NO_SYSTEM(f, MICA_ERROR_DESC,
                    "mica_system_add: the descriptor was not zeroed before it was filled in",
                    .name = "a", .update = note_a, .last_zero = 1);
    CHECK_NO_SYSTEM(f, MICA_ERROR_NAME, "mica_system_add: the name is missing", .update = note_a);
    CHECK_NO_SYSTEM(f, MICA_ERROR_NAME, "mica_system_add: the name is not printable",
                    .update = note_a, .name = "\n");
    CHECK_NO_SYSTEM(f, MICA_ERROR_NAME, "mica_system_add: there is a system 'taken' already",
                    .update = note_a, .name = "taken");
    CHECK_NO_SYSTEM(f, MICA_ERROR_NULL, "mica_system_add: update of system 'a' is null",
                    .name = "a");
    CHECK_NO_SYSTEM(f, MICA_ERROR_TYPE,
                    "mica_system_add: system 'a', term 0: the component type is none; was it "
                    "registered?",
                    .name = "a", .update = note_a, .query.terms = {{(mica_type){0}, MICA_READ}});
    CHECK_NO_SYSTEM(f, MICA_ERROR_ARGUMENT,
                    "mica_system_add: system 'a', term 0: the access of 'Position' must be named: "
                    "MICA_READ, MICA_WITH or another",
                    .name = "a", .update = note_a, .query.terms = {{f->position, 0}});
    CHECK_NO_SYSTEM(f, MICA_ERROR_TERMS,
                    "mica_system_add: system 'a', term 1: 'Position' stands in term 0 already",
                    .name = "a", .update = note_a,
                    .query.terms = {{f->position, MICA_READ}, {f->position, MICA_READ}});
    CHECK_NO_SYSTEM(f, MICA_ERROR_DESC,
                    "mica_system_add: the descriptor was not zeroed before it was filled in",
                    .name = "a", .update = note_a, .query.last_zero = 1);
    mica_system_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    CHECK_EQUAL(0, mica_system_add(world, &garbage).bits);
    CHECK_ERROR(&f->t, MICA_ERROR_DESC,
                "mica_system_add: the descriptor was not zeroed before it was filled in");
    CHECK_EQUAL(0, mica_system_add(world, NULL).bits);
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_system_add: desc is null");
    CHECK_EQUAL(1, mica_world_get_stats(world).queries);
    CHECK_EQUAL(0, mica_system_find(world, "a").bits);
}

static void what_a_system_declares_must_be_there_and_listed_without_gaps(void)
{
    fixture f;
    fixture g;
    mica_world *world = fixture_begin(&f);
    fixture_begin(&g);
    mica_type foreign = MICA_TAG(g.world, Frozen);
    for (uint32_t i = 0; i < 8; i++) { // one of a number that the first world does not have
        char name[] = {'t', (char)('0' + (int)i), '\0'};
        foreign = mica_type_register(g.world, &(mica_type_desc){.name = name});
    }
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_query freed = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_query_free(world, freed);
    mica_query other = mica_query_new(g.world, &(mica_query_desc){.everything = true});
    mica_system system = add(&f, "taken", note_a);
    uint32_t queries = mica_world_get_stats(world).queries;
    CHECK_NO_SYSTEM(&f, MICA_ERROR_QUERY,
                    "mica_system_add: system 'a', query 0: it is freed, or of another world",
                    .name = "a", .update = note_a, .queries = {freed});
    CHECK_NO_SYSTEM(&f, MICA_ERROR_QUERY,
                    "mica_system_add: system 'a', query 1: it is freed, or of another world",
                    .name = "a", .update = note_a, .queries = {query, other});
    CHECK_NO_SYSTEM(&f, MICA_ERROR_ARGUMENT,
                    "mica_system_add: system 'a', query 1: it is listed twice", .name = "a",
                    .update = note_a, .queries = {query, query});
    CHECK_NO_SYSTEM(
        &f, MICA_ERROR_ARGUMENT,
        "mica_system_add: system 'a': .queries has a gap; the handles behind it would be lost",
        .name = "a", .update = note_a, .queries = {[1] = query});
    CHECK_NO_SYSTEM(
        &f, MICA_ERROR_ARGUMENT,
        "mica_system_add: system 'a': .resources has a gap; the handles behind it would be lost",
        .name = "a", .update = note_a, .resources = {[15] = {f.position, MICA_READ}});
    CHECK_NO_SYSTEM(
        &f, MICA_ERROR_ARGUMENT,
        "mica_system_add: system 'a': .events has a gap; the handles behind it would be lost",
        .name = "a", .update = note_a, .events = {{f.position, MICA_READ}, [2] = {{0}, MICA_READ}});
    CHECK_NO_SYSTEM(
        &f, MICA_ERROR_ARGUMENT,
        "mica_system_add: system 'a': .before has a gap; the handles behind it would be lost",
        .name = "a", .update = note_a, .before = {[3] = system});
    CHECK_NO_SYSTEM(
        &f, MICA_ERROR_ARGUMENT,
        "mica_system_add: system 'a': .after has a gap; the handles behind it would be lost",
        .name = "a", .update = note_a, .after = {[3] = system});
    CHECK_NO_SYSTEM(&f, MICA_ERROR_TYPE,
                    "mica_system_add: system 'a': resource 0: the component type is none; was it "
                    "registered?",
                    .name = "a", .update = note_a, .resources = {{{0}, MICA_READ}});
    CHECK_NO_SYSTEM(
        &f, MICA_ERROR_TYPE,
        "mica_system_add: system 'a': event 0: the component type is of another world, or no type at all",
        .name = "a", .update = note_a, .events = {{foreign, MICA_READ}});
    CHECK_NO_SYSTEM(&f, MICA_ERROR_ARGUMENT,
                    "mica_system_add: system 'a', resource 0: the access of 'Position' must be "
                    "MICA_READ or MICA_WRITE",
                    .name = "a", .update = note_a, .resources = {{f.position, MICA_WITH}});
    CHECK_NO_SYSTEM(&f, MICA_ERROR_ARGUMENT,
                    "mica_system_add: system 'a', event 0: the access of 'Position' must be "
                    "MICA_READ or MICA_WRITE",
                    .name = "a", .update = note_a, .events = {{f.position, 0}});
    CHECK_NO_SYSTEM(&f, MICA_ERROR_SIZE,
                    "mica_system_add: system 'a', resource 0: 'Frozen' is a tag", .name = "a",
                    .update = note_a, .resources = {{f.frozen, MICA_READ}});
    CHECK_NO_SYSTEM(&f, MICA_ERROR_ARGUMENT,
                    "mica_system_add: system 'a', resource 1: 'Position' is listed twice",
                    .name = "a", .update = note_a,
                    .resources = {{f.position, MICA_READ}, {f.position, MICA_WRITE}});
    CHECK_NO_SYSTEM(&f, MICA_ERROR_ARGUMENT,
                    "mica_system_add: system 'a', event 2: 'Position' is listed twice", .name = "a",
                    .update = note_a,
                    .events = {{f.position, MICA_READ},
                               {f.position, MICA_WRITE}, // which is to send
                               {f.position, MICA_READ}});
    CHECK_NO_SYSTEM(
        &f, MICA_ERROR_TERMS,
        "mica_system_add: system 'a': no terms; a query of all entities says so with .everything = true",
        .name = "a", .update = note_a, .query.no_entities = true);
    CHECK_EQUAL(queries, mica_world_get_stats(world).queries);
    CHECK_EQUAL(MICA_OK, mica_query_free(world, query)); // nobody has declared it
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    fixture_end(&g);
    fixture_end(&f);
}

TEST_WITH(fixture, f, lists_may_be_full)
{
    mica_world *world = f->world;
    mica_system_desc desc = {.name = "full", .update = note_a};
    for (uint32_t i = 0; i < MICA_SYSTEM_USES_MAX; i++) {
        char name[8];
        snprintf(name, sizeof name, "T%u", (unsigned)i);
        mica_type type =
            mica_type_register(world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
        desc.resources[i] = (mica_term){type, MICA_WRITE};
        desc.events[i] = (mica_term){type, MICA_READ};
    }
    for (uint32_t i = 0; i < MICA_SYSTEM_QUERIES_MAX; i++) {
        desc.queries[i] = mica_query_new(world, &(mica_query_desc){.everything = true});
    }
    for (uint32_t i = 0; i < MICA_SYSTEM_ORDER_MAX; i++) {
        char name[] = {'a', (char)('0' + (int)i), '\0'};
        desc.after[i] = add(f, name, note_b);
    }
    mica_system full = mica_system_add(world, &desc);
    CHECK(!MICA_IS_NONE(full));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_TEXT("a", notes.names);
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, full));
    for (uint32_t i = 0; i < MICA_SYSTEM_QUERIES_MAX; i++) {
        CHECK_EQUAL(MICA_OK, mica_query_free(world, desc.queries[i]));
    }
}

// They report to standard error: there is no world to ask for its handler.
static void without_a_world_there_are_no_systems(void)
{
    CHECK_EQUAL(0, mica_system_add(NULL, &(mica_system_desc){0}).bits);
    CHECK_EQUAL(0, mica_system_find(NULL, "a").bits);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_system_remove(NULL, (mica_system){1}));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_step(NULL, 1));
}

TEST_WITH(fixture, f, a_time_step_is_a_number_that_is_not_negative)
{
    mica_world *world = f->world;
    mica_spawn(world, MICA_ADD(f->position));
    add(f, "a", note_a);
    uint64_t digest = mica_world_digest(world);
    const double bad[] = {-1, -1e-300, NAN, INFINITY, -INFINITY, 3.5e38}; // no float is the last
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_step(world, bad[i]));
        CHECK_EQUAL(MICA_ERROR_ARGUMENT, f->t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f->t.error));
    }
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_step(world, -1));
    CHECK_ERROR(
        &f->t, MICA_ERROR_ARGUMENT,
        "mica_step: a time step of -1; it must be 0 or more, and no more than a float can hold");
    CHECK_EQUAL(0, notes.count);
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(MICA_OK, mica_step(world, 0));
    CHECK_EQUAL(MICA_OK, mica_step(world, -0.0));
    CHECK_EQUAL(MICA_OK, mica_step(world, 3e38));
    CHECK_EQUAL(3, notes.count);
}

// Inside a step

static fixture *inner;
static mica_system inner_system;

// All of these must be refused, whatever the update did to its iterator.
static void check_closed(const char *name)
{
    mica_world *world = inner->world;
    char sentence[252];
#define REFUSED_AS(call, holds, advice)                                                            \
    CHECK(holds);                                                                                  \
    snprintf(sentence, sizeof sentence,                                                            \
             call ": refused while system '%s' runs; " advice " do it after mica_step", name);     \
    CHECK_ERROR(&inner->t, MICA_ERROR_ITERATING, sentence)
#define REFUSED(call, holds) REFUSED_AS(call, holds, "note what is to be done and")
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(world, 1));
    snprintf(
        sentence, sizeof sentence,
        "mica_step: a step is running, which ends when its systems have returned or, if one was "
        "left by longjmp or an exception, with mica_world_end_iterations (in system '%s')",
        name);
    CHECK_ERROR(&inner->t, MICA_ERROR_ITERATING, sentence);
    REFUSED_AS("mica_spawn", MICA_IS_NONE(mica_spawn_values(world, NULL, 0)),
               "record it with mica_later, or");
    REFUSED("mica_world_clear", mica_world_clear(world) == MICA_ERROR_ITERATING);
    REFUSED("mica_world_free", mica_world_free(world) == MICA_ERROR_ITERATING);
    REFUSED("mica_system_remove", mica_system_remove(world, inner_system) == MICA_ERROR_ITERATING);
    REFUSED("mica_system_add",
            mica_system_add(world, &(mica_system_desc){.name = "new", .update = note_c}).bits == 0);
#undef REFUSED
#undef REFUSED_AS
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
}

static void try_everything(mica_iter *it)
{
    note(it, 'a');
    mica_iter own;
    mica_iter_begin(it->world, inner_query, &own);
    check_closed("first");
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_query_free(it->world, inner_query));
    CHECK_ERROR(&inner->t, MICA_ERROR_ITERATING,
                "mica_query_free: refused while system 'first' runs; note what is to be done and "
                "do it after mica_step");
    mica_iter_end(&own);
}

static void begin_inner(fixture *f, mica_update_fn *update)
{
    fixture_begin(f);
    inner = f;
    mica_spawn(f->world, MICA_ADD(f->position));
    mica_spawn(f->world, MICA_ADD(f->position), MICA_ADD(f->velocity));
    inner_query = mica_query_new(f->world, &(mica_query_desc){.everything = true, .name = "all"});
    inner_system = add(f, "first", update);
    add(f, "second", note_b);
}

static void changes_and_steps_inside_a_step_are_refused(void)
{
    fixture f;
    begin_inner(&f, try_everything);
    CHECK_EQUAL(MICA_OK, mica_step(f.world, 1));
    CHECK_TEXT("aabb", notes.names);
    CHECK_EQUAL(MICA_OK, mica_system_remove(f.world, inner_system));
    fixture_end(&f);
}

static void end_and_walk_on(mica_iter *it)
{
    note(it, 'a');
    mica_iter copy = *it;
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(it));
    CHECK_ERROR(&inner->t, MICA_ERROR_ITERATOR,
                "mica_iter_end: this is the iteration of system 'first', which mica_step advances "
                "and ends");
    CHECK(!mica_iter_next(it));
    CHECK_ERROR(&inner->t, MICA_ERROR_ITERATOR,
                "mica_iter_next: this is the iteration of system 'first', which mica_step advances "
                "and ends");
    CHECK(!mica_iter_next(&copy));
    CHECK_EQUAL(1, test_error_clear(&inner->t.error));
    CHECK(mica_read(it, 0) != NULL); // the segment stands
    check_closed("first");
}

static void a_system_can_neither_end_nor_advance_its_own_iteration(void)
{
    fixture f;
    begin_inner(&f, end_and_walk_on);
    CHECK_EQUAL(MICA_OK, mica_step(f.world, 1));
    CHECK_TEXT("aabb", notes.names);
    CHECK_EQUAL(0, f.world->state->walks.count);
    fixture_end(&f);
}

static void take_its_iterator_for_another(mica_iter *it)
{
    note(it, 'a');
    mica_iter other;
    mica_iter_begin(it->world, inner_query, &other);
    *it = other;
    while (mica_iter_next(it)) {
    }
}

static void a_system_that_takes_its_iterator_for_another_ends_the_step(void)
{
    fixture f;
    begin_inner(&f, take_its_iterator_for_another);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(f.world, 1));
    CHECK_ERROR(
        &f.t, MICA_ERROR_ITERATING,
        "mica_step: system 'first' left an iteration of a query of 'Position' open; mica_iter_end ends one");
    CHECK_TEXT("a", notes.names);
    CHECK_EQUAL(0, f.world->busy);
    fixture_end(&f);
}

static void begin_with_its_own_iterator(mica_iter *it)
{
    note(it, 'a');
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_begin(it->world, inner_query, it));
    CHECK_ERROR(
        &inner->t, MICA_ERROR_ITERATOR,
        "mica_iter_begin: this iterator has an iteration of a query of 'Position' open; end that with mica_iter_end or, if it is lost, mica_world_end_iterations (in system 'first')");
    CHECK(mica_read(it, 0) != NULL); // the segment stands
}

static void a_system_cannot_begin_an_iteration_with_its_own_iterator(void)
{
    fixture f;
    begin_inner(&f, begin_with_its_own_iterator);
    CHECK_EQUAL(MICA_OK, mica_step(f.world, 1));
    CHECK_TEXT("aabb", notes.names);
    CHECK_EQUAL(0, f.world->state->walks.count);
    fixture_end(&f);
}

// Time

static double times[8];
static uint32_t time_count;

static void note_time(mica_iter *it)
{
    times[time_count++ % 8] = it->time;
    mica_iter own;
    mica_iter_begin(it->world, inner_query, &own);
    CHECK(own.time == it->time && own.dt == 0);
    mica_iter_end(&own);
}

static void the_time_is_that_of_all_steps_before(void)
{
    fixture f;
    begin_inner(&f, note_time);
    mica_system_remove(f.world, mica_system_find(f.world, "second"));
    time_count = 0;
    uint64_t before = mica_world_digest(f.world);
    CHECK_EQUAL(MICA_OK, mica_step(f.world, 0.1));
    CHECK_EQUAL(MICA_OK, mica_step(f.world, 1.0 / 3));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_step(f.world, -1)); // does not count
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK_EQUAL(MICA_OK, mica_step(f.world, 0));
    CHECK_EQUAL(6, time_count); // twice per step
    CHECK(times[0] == 0 && times[1] == 0);
    CHECK(times[2] == 0.1 && times[3] == 0.1); // not rounded to a float
    CHECK(times[4] == 0.1 + 1.0 / 3 && times[5] == times[4]);
    CHECK(before != mica_world_digest(f.world));
    fixture_end(&f);
}

TEST_WITH(fixture, f, the_time_is_part_of_the_digest)
{
    mica_world *world = f->world;
    uint64_t hash = mica_world_hash(world);
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_OK, mica_step(world, 0));
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(MICA_OK, mica_step(world, 0.5));
    CHECK_EQUAL(hash, mica_world_hash(world));
    CHECK(digest != mica_world_digest(world));
}

// Leaving

static jmp_buf way_out;

static void jump_out(mica_iter *it)
{
    note(it, 'a');
    mica_iter own;
    mica_iter_begin(it->world, inner_query, &own);
    if (notes.count == 1) {
        longjmp(way_out, 1);
    }
    mica_iter_end(&own);
}

static void after_a_longjmp_out_of_a_system_iterations_are_ended_and_steps_go_on(void)
{
    static fixture f; // not changed by what the jump undoes
    begin_inner(&f, jump_out);
    uint64_t digest = 0;
    if (!setjmp(way_out)) {
        mica_step(f.world, 1);
        CHECK(false);
    }
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(f.world, 1));
    CHECK_ERROR(
        &f.t, MICA_ERROR_ITERATING,
        "mica_step: a step is running, which ends when its systems have returned or, if one was left by longjmp or an exception, with mica_world_end_iterations (in system 'first')");
    CHECK_EQUAL(2, mica_world_end_iterations(f.world));
    CHECK_EQUAL(0, mica_world_end_iterations(f.world));
    CHECK_EQUAL(0, f.world->busy);
    CHECK(f.world->state->time == 0); // it does not count
    CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    CHECK(!MICA_IS_NONE(mica_spawn(f.world, MICA_ADD(f.position))));
    digest = mica_world_digest(f.world);
    CHECK_EQUAL(MICA_OK, mica_step(f.world, 1));
    CHECK_TEXT("aaabb", notes.names);
    CHECK(digest != mica_world_digest(f.world));
    fixture_end(&f);
}

static void end_the_step(mica_iter *it)
{
    note(it, 'a');
    mica_world *world = it->world;
    CHECK_EQUAL(1, mica_world_end_iterations(world));
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, inner_system)); // the world is open
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
}

static void end_the_step_and_stay(mica_iter *it)
{
    note(it, 'a');
    mica_world_end_iterations(it->world);
}

static void a_step_names_the_system_that_has_ended_it(void)
{
    fixture f;
    begin_inner(&f, end_the_step_and_stay);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_step(f.world, 1));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATOR,
                "mica_step: system 'first' has ended the step with mica_world_end_iterations");
    CHECK_EQUAL(0, f.world->busy);
    fixture_end(&f);
}

static void a_step_notices_that_a_system_has_ended_it(void)
{
    fixture f;
    begin_inner(&f, end_the_step);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_step(f.world, 1));
    CHECK_ERROR(
        &f.t, MICA_ERROR_ITERATOR,
        "mica_step: a system that is gone has ended the step with mica_world_end_iterations");
    CHECK_TEXT("abb", notes.names); // the others ran in the step inside
    CHECK_EQUAL(0, f.world->busy);
    CHECK_EQUAL(MICA_OK, mica_step(f.world, 1));
    CHECK_TEXT("abbbb", notes.names);
    fixture_end(&f);
}

static mica_iter left_open;

static void leave_an_iteration_open(mica_iter *it)
{
    mica_iter_begin(it->world, inner_query, &left_open);
    note(it, 'a');
}

TEST_WITH(fixture, f, a_system_that_leaves_an_iteration_open_ends_the_step)
{
    mica_spawn(f->world, MICA_ADD(f->position));
    inner_query =
        mica_query_new(f->world, &(mica_query_desc){.everything = true, .name = "forgotten"});
    add(f, "a", leave_an_iteration_open);
    add(f, "b", note_b);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(f->world, 1));
    CHECK_ERROR(
        &f->t, MICA_ERROR_ITERATING,
        "mica_step: system 'a' left an iteration of 'forgotten' open; mica_iter_end ends one");
    CHECK_TEXT("a", notes.names);
    CHECK(!mica_iter_next(&left_open));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "mica_iter_next: the iteration has ended");
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(&left_open));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "mica_iter_end: the iteration has ended");
    mica_spawn(f->world, MICA_ADD(f->position)); // the world is open again
}

// Ticks

static uint64_t ticks[4];
static uint32_t tick_count;

static void note_tick(mica_iter *it)
{
    ticks[tick_count++ % 4] = it->world->view.tick;
}

TEST_WITH(fixture, f, every_system_writes_under_a_tick_of_its_own)
{
    mica_world *world = f->world;
    mica_spawn(world, MICA_ADD(f->position));
    tick_count = 0;
    add(f, "a", note_tick);
    add(f, "b", note_tick);
    uint64_t before = world->view.tick;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(before + 1 + i, ticks[i]);
    }
    CHECK_EQUAL(before + 4, world->view.tick);
}

TEST_WITH(fixture, f, a_step_that_gets_no_memory_changes_nothing)
{
    mica_world *world = f->world;
    mica_spawn(world, MICA_ADD(f->position));
    add(f, "a", note_a);
    uint64_t digest = mica_world_digest(world);
    test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_step(world, 1));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(0, notes.count);
    CHECK_EQUAL(0, world->state->walks.count);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(1, notes.count);
}

static void validate_finds_a_system_that_lost_its_query(void) // Y1
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    add(&f, "a", note_a);
    micai_systems *systems = world->state->modules[MICAI_MODULE_SYSTEM].data;
    micai_system *one = systems->systems.list.items[0];
    one->query.bits++;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT,
                "invariant Y1 is broken: a system is not as it was added");
    one->query.bits--;
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    fixture_end(&f);
}

TESTS(system, systems_run_in_the_order_they_were_added,
      a_system_gets_its_terms_its_time_and_its_own_state,
      an_update_is_called_once_per_segment_and_not_for_empty_tables, a_world_without_systems_steps,
      systems_are_found_by_name, a_removed_system_runs_no_more_and_the_others_keep_their_order,
      systems_that_are_none_removed_or_foreign_are_not_removed, bad_descriptors_make_no_system,
      what_a_system_declares_must_be_there_and_listed_without_gaps, lists_may_be_full,
      without_a_world_there_are_no_systems, a_time_step_is_a_number_that_is_not_negative,
      changes_and_steps_inside_a_step_are_refused,
      a_system_can_neither_end_nor_advance_its_own_iteration,
      a_system_that_takes_its_iterator_for_another_ends_the_step,
      a_system_cannot_begin_an_iteration_with_its_own_iterator,
      the_time_is_that_of_all_steps_before, the_time_is_part_of_the_digest,
      after_a_longjmp_out_of_a_system_iterations_are_ended_and_steps_go_on,
      a_step_notices_that_a_system_has_ended_it, a_step_names_the_system_that_has_ended_it,
      a_system_that_leaves_an_iteration_open_ends_the_step,
      every_system_writes_under_a_tick_of_its_own, a_step_that_gets_no_memory_changes_nothing,
      validate_finds_a_system_that_lost_its_query)
