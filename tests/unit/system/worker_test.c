// Tests of src/system/worker.c, and of what wave.c joins: batches, errors, events, sums and failures.
#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Count {
    uint32_t number, visits;
} Count;

typedef struct Sum {
    uint64_t order;
} Sum;

enum { ENTITIES = 60, TYPES = 3 };

typedef struct crew {
    test_world t;
    mica_world *world;
    mica_type count, loose, ring, sum, hit;
    mica_type tags[TYPES];
    mica_entity entities[ENTITIES];
    uint32_t events; // read by batch 0
    uint32_t stale;  // batches that have seen an error of another
} crew;

static void crew_begin(crew *c)
{
    memset(c, 0, sizeof *c);
    mica_world *world = c->world = test_world_begin(&c->t);
    mica_type_desc desc = {.name = "count", .size = sizeof(Count), .align = 4};
    c->count = mica_type_register(world, &desc);
    desc.name = "loose";
    desc.storage = MICA_SPARSE;
    c->loose = mica_type_register(world, &desc);
    desc.name = "ring";
    desc.storage = MICA_RING;
    c->ring = mica_type_register(world, &desc);
    c->sum = MICA_REGISTER(world, Sum, order);
    c->hit = mica_type_register(
        world, &(mica_type_desc){.name = "hit", .size = sizeof(Count), .align = 4});
    for (uint32_t i = 0; i < TYPES; i++) {
        char name[] = {'t', (char)('a' + i), 0};
        c->tags[i] = mica_type_register(world, &(mica_type_desc){.name = name});
    }
    for (uint32_t i = 0; i < ENTITIES; i++) { // tables of 1, 2 and many rows
        uint32_t tag = i < 1 ? 0 : i < 3 ? 1 : 2;
        c->entities[i] = mica_spawn(world, MICA_VALUE(c->count, Count, i, 0),
                                    MICA_ADD(c->tags[tag]), MICA_VALUE(c->ring, Count, i, 0));
    }
    for (uint32_t i = 0; i < ENTITIES; i++) {
        uint32_t k = i * 7 % ENTITIES;
        mica_set(world, c->entities[k], MICA_VALUE(c->loose, Count, k, 0));
    }
}

static void crew_end(crew *c)
{
    test_world_end(&c->t);
}

static mica_system add(crew *c, const char *name, mica_update_fn *update, mica_type type,
                       uint32_t batch_rows)
{
    mica_system_desc desc = {.name = name,
                             .update = update,
                             .user = c,
                             .run = MICA_PARALLEL,
                             .batch_rows = batch_rows,
                             .events = {{c->hit, MICA_READ}},
                             .query.terms = {{type, MICA_WRITE}}};
    return mica_system_add(c->world, &desc);
}

static void visit(mica_iter *it)
{
    Count *counts = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        counts[i].visits += 1 + 1000 * (mica_batch(it) + 1);
    }
}

// Rows of batches follow each other, over the ends of tables and pools.
static void check_visits(crew *c, mica_type type, uint32_t batch_rows, uint32_t threads)
{
    mica_system system = add(c, "visit", visit, type, batch_rows);
    mica_world_start_workers(c->world, threads);
    CHECK_EQUAL(MICA_OK, mica_step(c->world, 1));
    CHECK_EQUAL(ENTITIES, test_system_info(c->world, system).stats.rows);
    uint32_t batches[ENTITIES] = {0};
    for (uint32_t i = 0; i < ENTITIES; i++) {
        Count *count = mica_get_mut(c->world, c->entities[i], type);
        uint32_t batch = count->visits / 1000 - 1;
        CHECK_EQUAL(1, count->visits % 1000);
        CHECK_EQUAL(i, count->number);
        REQUIRE(batch < ENTITIES);
        batches[batch]++;
        count->visits = 0;
    }
    for (uint32_t k = 0; k < (ENTITIES + batch_rows - 1) / batch_rows; k++) {
        uint32_t left = ENTITIES - k * batch_rows;
        CHECK_EQUAL(left < batch_rows ? left : batch_rows, batches[k]);
    }
    mica_system_remove(c->world, system);
}

TEST_WITH(crew, c, batches_have_all_rows_once)
{
    const mica_type types[] = {c->count, c->ring, c->loose};
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t batch_rows = 1; batch_rows < 70; batch_rows += batch_rows < 9 ? 1 : 30) {
            mica_world_shuffle_workers(c->world, batch_rows);
            check_visits(c, types[i], batch_rows, 1 + batch_rows % 2);
        }
    }
}

static void read_events(mica_iter *it)
{
    crew *c = it->user;
    uint32_t count;
    while (mica_events_unread(it, c->hit, &count)) {
        c->events += mica_batch(it) == 0 ? count : 0;
    }
}

TEST_WITH(crew, c, events_are_read_once)
{
    add(c, "read", read_events, c->count, 16);
    for (uint32_t i = 1; i < 4; i++) {
        mica_send(c->world, MICA_VALUE(c->hit, Count, i, i));
        CHECK_EQUAL(MICA_OK, mica_step(c->world, 1));
        CHECK_EQUAL(i, c->events);
    }
    CHECK_EQUAL(MICA_OK, mica_step(c->world, 1));
    CHECK_EQUAL(3, c->events);
}

static char said[4000];

static void note(mica_world *world, const mica_error *error, void *user)
{
    (void)world, (void)user;
    unsigned number = 0;
    (void)sscanf(error->sentence, "mica_despawn: entity %u", &number);
    size_t used = strlen(said);
    snprintf(said + used, sizeof said - used, "%u ", number);
}

static void err(mica_iter *it)
{
    crew *c = it->user;
    c->stale += mica_last_error(it->world)->code != MICA_OK;
    const Count *counts = mica_read(it, 0);
    for (uint32_t i = 0; i < 2 * it->count; i++) {
        mica_despawn(it->world, mica_entity_make(1000 + counts[i / 2].number * 2 + i % 2, 0));
    }
}

TEST_WITH(crew, c, the_last_errors_of_each_batch_are_reported)
{
    mica_world_set_error_handler(c->world, note, NULL);
    mica_system_add(c->world, &(mica_system_desc){
                                  .name = "err",
                                  .update = err,
                                  .user = c,
                                  .run = MICA_PARALLEL,
                                  .batch_rows = 6,
                                  .query.terms = {{c->count, MICA_READ}, {c->tags[2], MICA_WITH}}});
    char expected[sizeof said] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < 2 * (ENTITIES - 3); i++) { // 12 for each of 9 batches, and 6
        if (i % 12 >= 4 || i >= 108) {
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%u ",
                                     (unsigned)(1006 + i));
        }
    }
    for (uint64_t seed = 0; seed < 3; seed++) {
        said[0] = '\0';
        mica_world_shuffle_workers(c->world, seed);
        CHECK_EQUAL(MICA_OK, mica_step(c->world, 1));
        CHECK_TEXT(expected, said);
    }
    mica_world_set_error_handler(c->world, test_error_record, &c->t.error);
}

static void err_once(mica_iter *it)
{
    crew *c = it->user;
    c->stale += mica_last_error(it->world)->code != MICA_OK;
    mica_despawn(it->world, (mica_entity){0});
}

TEST_WITH(crew, c, a_batch_begins_without_an_error)
{
    add(c, "err", err_once, c->count, 1); // no batch has two segments
    CHECK_EQUAL(MICA_OK, mica_step(c->world, 1));
    CHECK_EQUAL(0, c->stale);
    CHECK_EQUAL(ENTITIES, test_error_clear(&c->t.error));
}

static void add_up(mica_iter *it)
{
    Sum *sum = mica_reduce(it);
    sum->order = mica_batch(it);
}

static void combine(void *total, const void *value)
{
    Sum *all = total;
    all->order = all->order * 31 + ((const Sum *)value)->order;
}

TEST_WITH(crew, c, sums_are_combined_in_the_order_of_batches)
{
    mica_system_add(c->world, &(mica_system_desc){.name = "sum",
                                                  .update = add_up,
                                                  .run = MICA_PARALLEL,
                                                  .batch_rows = 7,
                                                  .reduce = {c->sum, combine},
                                                  .query.terms = {{c->count, MICA_READ}}});
    uint64_t expected = 0;
    for (uint64_t i = 0; i * 7 < ENTITIES; i++) {
        expected = expected * 31 + i;
    }
    for (uint64_t seed = 0; seed < 5; seed++) {
        mica_world_shuffle_workers(c->world, seed);
        CHECK_EQUAL(MICA_OK, mica_step(c->world, 1));
        CHECK_EQUAL(expected, MICA_RESOURCE(c->world, c->sum, Sum)->order);
    }
}

static void fail_late(mica_iter *it)
{
    if (mica_batch(it) >= 2) {
        mica_system_fail(it, mica_batch(it), "batch %u", (unsigned)mica_batch(it));
    }
}

TEST_WITH(crew, c, failures_of_any_batch_end_the_step)
{
    add(c, "fail", fail_late, c->count, 20);
    add(c, "later", visit, c->count, 20);
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(c->world, 1));
    CHECK_ERROR(&c->t, MICA_ERROR_FAILED, "mica_step: system 'fail': batch 2");
    CHECK_EQUAL(0, test_system_info(c->world, mica_system_find(c->world, "later")).stats.runs);
}

// A value that the wave writes is hidden from accessors, and shown again after it.
static mica_accessor written;

static void look(mica_iter *it)
{
    crew *c = it->user;
    c->stale += mica_accessor_get(&written, c->entities[mica_batch(it)]) != NULL;
}

TEST_WITH(crew, c, what_is_written_is_hidden_from_accessors)
{
    const mica_type types[] = {c->count, c->loose};
    for (uint32_t i = 0; i < 2; i++) {
        written = mica_accessor_new(c->world, types[i]);
        mica_system system = add(c, "look", look, types[i], ENTITIES);
        CHECK_EQUAL(MICA_OK, mica_step(c->world, 1));
        CHECK_EQUAL(0, c->stale);
        CHECK(test_error_clear(&c->t.error) > 0);
        CHECK(mica_accessor_get(&written, c->entities[0]) != NULL);
        CHECK(mica_accessor_get_mut(&written, c->entities[0]) != NULL);
        mica_system_remove(c->world, system);
    }
}

TESTS(worker, batches_have_all_rows_once, events_are_read_once,
      the_last_errors_of_each_batch_are_reported, a_batch_begins_without_an_error,
      sums_are_combined_in_the_order_of_batches, failures_of_any_batch_end_the_step,
      what_is_written_is_hidden_from_accessors)
