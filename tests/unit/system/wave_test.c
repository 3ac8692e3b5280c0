// Tests of src/system/wave.c, worker.c, parallel.c and of mica/thread.h. Z4: systems on threads have the same result
// on any number of them.
#include <mica.h>

#include <inttypes.h>
#include <string.h>

#include "base/thread.h"
#include "core/slot.h"
#include "runner/print.h"
#include "runner/test.h"
#include "runner/tier.h"
#include "runner/world.h"
#include "system/wave.h"

// A world that does everything that systems on threads may do

typedef struct Place {
    float x, y;
} Place;

typedef struct Life {
    uint32_t left;
} Life;

typedef struct Aim {
    mica_entity at;
} Aim;

typedef struct Total {
    double sum;
    uint64_t rows;
} Total;

typedef struct Cry {
    mica_entity from;
} Cry;

typedef struct Heard {
    uint64_t count;
} Heard;

typedef struct crowd {
    test_world t;
    mica_world *world;
    mica_type place, speed, life, aim, total, cry, heard, mark, sparse, mood;
    mica_query aimed;
    uint32_t batch_rows;
} crowd;

static void move(mica_iter *it)
{
    Place *places = mica_write(it, 0);
    const Place *speeds = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        places[i].x += speeds[i].x * it->dt;
        places[i].y += speeds[i].y * it->dt;
    }
}

// Spawns, despawns, adds, sets, toggles, sends, names and adds up.
static void live(mica_iter *it)
{
    const crowd *c = it->user;
    Life *lives = mica_write(it, 0);
    Total *total = mica_reduce(it);
    mica_world *later = mica_later(it);
    for (uint32_t i = 0; i < it->count; i++) {
        mica_entity self = it->entities[i];
        uint32_t left = --lives[i].left;
        total->sum += left * 0.1;
        total->rows++;
        if (left == 0) {
            mica_despawn(later, self);
        } else if (left % 5 == 0) {
            mica_entity child =
                mica_spawn(it->world, MICA_VALUE(c->place, Place, (float)left, 1),
                           MICA_VALUE(c->life, Life, 3 + (uint32_t)(mica_batch_seed(it) % 11)));
            mica_set(later, child, MICA_VALUE(c->aim, Aim, self));
            mica_add(later, child, c->mood);
            mica_send(later, MICA_VALUE(c->cry, Cry, child));
        } else if (left % 7 == 0) {
            mica_add(later, self, c->mark);
            mica_set(later, self, MICA_VALUE(c->sparse, Life, left));
        } else if (left % 7 == 1) {
            mica_remove(later, self, c->mark);
            if (mica_has(it->world, self, c->mood)) {
                mica_disable(later, self, c->mood);
            }
        }
    }
}

// Reads values of other entities, events, and an inner query.
static void look(mica_iter *it)
{
    const crowd *c = it->user;
    const Aim *aims = mica_read(it, 0);
    Place *speeds = mica_write(it, 1);
    uint32_t cries = 0;
    uint32_t count;
    while (MICA_UNREAD(it, c->cry, Cry, &count)) {
        cries += count;
    }
    for (uint32_t i = 0; i < it->count; i++) {
        const Place *place = mica_try_get(it->world, aims[i].at, c->place);
        speeds[i].x = place ? place->x * 0.25f : speeds[i].x;
        speeds[i].y += (float)cries;
    }
}

// Values in a pool, of which each row has another place there.
static void decay(mica_iter *it)
{
    Life *values = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        values[i].left = values[i].left * 3 + 1;
    }
}

static void count_calls(mica_iter *it)
{
    const crowd *c = it->user;
    MICA_RESOURCE_MUT(it->world, c->heard, Heard)->count += mica_query_count(it->world, c->aimed);
}

static void combine(void *total, const void *value)
{
    Total *all = total;
    const Total *one = value;
    all->sum += one->sum;
    all->rows += one->rows;
}

// Some parallel systems, and two concurrent ones. Types have different storages.
static void add_systems(crowd *c)
{
    mica_system_desc systems[] = {
        {.name = "move",
         .update = move,
         .run = MICA_PARALLEL,
         .query.terms = {{c->place, MICA_WRITE}, {c->speed, MICA_READ}}},
        {.name = "live",
         .update = live,
         .run = MICA_PARALLEL,
         .spawns = c->batch_rows,
         .reduce = {c->total, combine},
         .events = {{c->cry, MICA_WRITE}},
         .query.terms = {{c->life, MICA_WRITE}}},
        {.name = "look",
         .update = look,
         .run = MICA_PARALLEL,
         .others = {c->place},
         .events = {{c->cry, MICA_READ}},
         .query.terms = {{c->aim, MICA_READ}, {c->speed, MICA_WRITE}}},
        {.name = "decay",
         .update = decay,
         .run = MICA_PARALLEL,
         .query.terms = {{c->sparse, MICA_WRITE}}},
        {.name = "count",
         .update = count_calls,
         .run = MICA_CONCURRENT,
         .queries = {c->aimed},
         .resources = {{c->heard, MICA_WRITE}}},
    };
    for (uint32_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        systems[i].user = c;
        systems[i].batch_rows = systems[i].run == MICA_PARALLEL ? c->batch_rows : 0;
        CHECK(!MICA_IS_NONE(mica_system_add(c->world, &systems[i])));
    }
}

static void crowd_begin(crowd *c, uint32_t batch_rows, uint32_t entities)
{
    mica_world *world = test_world_begin(&c->t);
    c->world = world;
    c->batch_rows = batch_rows;
    c->place = MICA_REGISTER(world, Place, x, y);
    c->speed = mica_type_register(
        world, &(mica_type_desc){.name = "speed", .size = 8, .align = 4, .storage = MICA_RING});
    c->life = MICA_REGISTER(world, Life, left);
    c->aim = MICA_REGISTER_SPARSE(world, Aim, at);
    c->total = MICA_REGISTER(world, Total, sum, rows);
    c->cry = MICA_REGISTER(world, Cry, from);
    c->heard = MICA_REGISTER(world, Heard, count);
    c->mark = MICA_TAG(world, Mark);
    c->mood = mica_type_register(
        world, &(mica_type_desc){.name = "mood", .size = 1, .align = 1, .toggle = true});
    c->sparse = mica_type_register(world, &(mica_type_desc){.name = "sparse",
                                                            .size = sizeof(Life),
                                                            .align = 4,
                                                            .row_stamps = true,
                                                            .storage = MICA_SPARSE});
    mica_resource_set(world, MICA_VALUE(c->heard, Heard, 0));
    c->aimed = mica_query_new(world, &(mica_query_desc){.terms = {{c->aim, MICA_WITH}}});
    for (uint32_t i = 0; i < entities; i++) {
        mica_entity e = mica_spawn(world, MICA_VALUE(c->place, Place, (float)i, 0),
                                   MICA_VALUE(c->life, Life, 3 + i * 7919 % 23));
        if (i % 3 != 0) {
            mica_set(world, e, MICA_VALUE(c->speed, Place, 1, (float)i));
        }
        if (i % 4 == 0) {
            mica_set(world, e, MICA_VALUE(c->aim, Aim, e));
        }
        if (i % 5 == 0) {
            mica_set(world, e, MICA_VALUE(c->sparse, Life, i));
        }
    }
    add_systems(c);
}

static void crowd_end(crowd *c)
{
    test_world_end(&c->t);
}

typedef struct outcome {
    uint64_t digests[12]; // of every second step
    uint64_t order;       // of the commands that waited before they were applied
    double sum;
} outcome;

// Steps, and notes what came of it.
static outcome play(crowd *c, uint32_t threads, uint64_t seed)
{
    outcome o = {0};
    if (threads > 1) {
        CHECK_EQUAL(MICA_OK, mica_world_start_workers(c->world, threads));
        CHECK_EQUAL(threads, mica_world_worker_count(c->world));
    }
    CHECK_EQUAL(MICA_OK, mica_world_shuffle_workers(c->world, seed));
    for (uint32_t i = 0; i < 24; i++) {
        REQUIRE_EQUAL(MICA_OK, mica_step(c->world, 0.125));
        if (i % 2 == 1) {
            CHECK_EQUAL(MICA_OK, mica_world_validate(c->world));
            o.digests[i / 2] = mica_world_digest(c->world);
        }
    }
    o.sum = MICA_RESOURCE(c->world, c->total, Total)->sum;
    return o;
}

static outcome play_crowd(uint32_t batch_rows, uint32_t entities, uint32_t threads, uint64_t seed)
{
    crowd c;
    crowd_begin(&c, batch_rows, entities);
    outcome o = play(&c, threads, seed);
    crowd_end(&c);
    return o;
}

static void the_world_is_the_same_on_any_number_of_threads(void)
{
    const uint32_t sizes[] = {4, 64, 1024};
    const uint32_t seeds = test_tier_is_small() ? 2 : 4;
    for (uint32_t b = 0; b < 3; b++) {
        const outcome alone = play_crowd(sizes[b], 700, 1, 0);
        CHECK(alone.sum > 0);
        for (uint32_t threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
            for (uint64_t seed = 0; seed < seeds; seed++) {
                const outcome other = play_crowd(sizes[b], 700, threads, seed);
                if (memcmp(&alone, &other, sizeof alone) != 0) {
                    test_fail(__FILE__, __LINE__,
                              "batches of %u rows, %u threads, seed %u: another outcome", sizes[b],
                              threads, (unsigned)seed);
                }
            }
        }
    }
}

static void the_schedule_shows_waves_and_why_systems_are_in_them(void)
{
    crowd c;
    crowd_begin(&c, 64, 10);
    mica_system_add(c.world,
                    &(mica_system_desc){.name = "alone", .update = count_calls, .user = &c});
    mica_system_add(c.world, &(mica_system_desc){.name = "begun",
                                                 .update = decay,
                                                 .begin = decay,
                                                 .run = MICA_PARALLEL,
                                                 .query.terms = {{c.mark, MICA_WITH}}});
    mica_system_add(c.world, &(mica_system_desc){.name = "late",
                                                 .update = decay,
                                                 .run = MICA_CONCURRENT,
                                                 .replay_first = true});
    mica_buffer buffer = {0};
    const mica_stream stream = {.buffer = &buffer};
    CHECK_EQUAL(MICA_OK, mica_schedule_print(c.world, &stream));
    CHECK_TEXT("phase update\n"
               "  move (parallel, wave 1)\n"
               "    writes Place\n"
               "    reads  speed\n"
               "  live (parallel, wave 1)\n"
               "    writes Life, resource Total, event Cry\n"
               "  look (parallel, wave 2: conflicts with move, Place, speed)\n"
               "    writes speed\n"
               "    reads  Place, Aim, event Cry\n"
               "    after  move: Place, speed\n"
               "  decay (parallel, wave 2)\n"
               "    writes sparse\n"
               "  count (concurrent, wave 2)\n"
               "    writes resource Heard\n"
               "  alone\n"
               "  begun (parallel, wave 3: has functions without rows)\n"
               "  late (after commands) (concurrent, wave 4: has commands applied first)\n",
               (const char *)buffer.data);
    mica_buffer_free(&buffer);
    crowd_end(&c);
}

// Numbers the rows in the order in which batches happen to run.
static uint32_t numbered;

static void number(mica_iter *it)
{
    Life *lives = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        lives[i].left = numbered++ % 64;
    }
}

static void grow(mica_iter *it)
{
    Place *places = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        places[i].x += 1;
    }
}

static void a_sync_test_finds_what_depends_on_the_order_of_batches(void)
{
    crowd c;
    mica_desync found;
    crowd_begin(&c, 64, 256);
    CHECK_EQUAL(MICA_OK, mica_time_begin(c.world, NULL));
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(MICA_OK, mica_sync_test(c.world, 0.125, NULL));
    }
    CHECK_EQUAL(MICA_OK, mica_time_end(c.world));
    crowd_end(&c);

    numbered = 0;
    mica_world *world = test_world_begin(&c.t);
    c.life = MICA_REGISTER(world, Life, left);
    c.place = MICA_REGISTER(world, Place, x, y);
    for (uint32_t i = 0; i < 64; i++) {
        mica_spawn(world, MICA_ADD(c.life), MICA_ADD(c.place));
    }
    mica_system_desc grown = {.name = "grow",
                              .update = grow,
                              .run = MICA_PARALLEL,
                              .batch_rows = 8,
                              .query.terms = {{c.place, MICA_WRITE}}};
    mica_system_desc bad = {.name = "number",
                            .update = number,
                            .run = MICA_PARALLEL,
                            .batch_rows = 8,
                            .query.terms = {{c.life, MICA_WRITE}}};
    mica_system_add(world, &grown);
    mica_system_add(world, &bad);
    CHECK_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    CHECK_EQUAL(MICA_ERROR_DESYNC, mica_sync_test(world, 0.125, &found));
    CHECK_TEXT("grow", found.system); // the first of those that ran together
    CHECK_EQUAL(c.life.bits, found.type.bits);
    CHECK_EQUAL(1, test_error_clear(&c.t.error));
    CHECK_EQUAL(MICA_OK, mica_time_end(world));
    test_world_end(&c.t);
}

static void validating_finds_a_worker_that_is_not_at_rest(void)
{
    crowd c;
    crowd_begin(&c, 64, 10);
    micai_worker *worker = micai_waves_of(c.world)->workers.items[0];
    worker->face.busy++;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(c.world));
    worker->face.busy--;
    CHECK_ERROR(&c.t, MICA_ERROR_CORRUPT,
                "invariant Y6 is broken: workers are not as between waves");
    crowd_end(&c);
}

TESTS(wave, the_world_is_the_same_on_any_number_of_threads,
      the_schedule_shows_waves_and_why_systems_are_in_them,
      a_sync_test_finds_what_depends_on_the_order_of_batches,
      validating_finds_a_worker_that_is_not_at_rest)
