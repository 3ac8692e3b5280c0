// Systems on threads, with the k-th allocation refused, for all k. One worker runs all batches, so that
// the k-th allocation is always the same.
#include <mica.h>

#include <string.h>

#include "oom/sites.h"
#include "oom/stride.h"
#include "runner/test.h"
#include "runner/world.h"

typedef struct Place {
    float x, y;
} Place;

typedef struct Total {
    double sum;
} Total;

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type place, loose, ring, note, total, hit, tag;
    mica_query all;
    uint32_t count; // workers of the engine, whose last one runs all batches; 0: no engine
    uint32_t calls; // of functions of systems
} scene;

enum { ENTITIES = 30 };

static void run_in_turn(void *user, mica_work_fn *work, void *data, uint32_t count)
{
    (void)user;
    for (uint32_t i = count; i-- > 0;) {
        work(data, i);
    }
}

static void count_call(mica_world *world, const void *data)
{
    (void)world;
    scene *s = *(scene *const *)data;
    s->calls++;
}

static void combine(void *total, const void *value)
{
    ((Total *)total)->sum += ((const Total *)value)->sum;
}

// Needs memory for commands and their values, of a frame, and for gathered values.
static void act(mica_iter *it)
{
    scene *s = it->user;
    mica_world *world = it->world;
    Place *loose = mica_write(it, 0); // gathered
    Total *total = mica_reduce(it);
    static const char long_text[2000] = "much";
    for (uint32_t i = 0; loose && i < it->count; i++) {
        loose[i].x += 1;
        total->sum += loose[i].x;
        mica_entity self = it->entities[i];
        if (i % 2 == 0) {
            mica_entity made = mica_spawn(world, MICA_VALUE(s->place, Place, 1, 2));
            if (!MICA_IS_NONE(made)) {
                char name[MICA_ENTITY_TEXT_SIZE];
                (void)mica_entity_set_name(world, made, mica_entity_text(made, name));
                (void)mica_set(world, made, MICA_VALUE(s->ring, Place, 1, 1));
            }
        } else {
            (void)mica_despawn(world, self);
        }
        (void)mica_set_value(world, self, s->note, long_text, sizeof long_text);
        (void)mica_send(world, MICA_VALUE(s->hit, Place, 3, 4));
        mica_defer_call(world, count_call, &s, sizeof s);
        (void)mica_frame_alloc(world, 1, 700, 16);
    }
    s->calls++;
}

static void look(mica_iter *it)
{
    const scene *s = it->user;
    mica_iter own;
    uint32_t rows = 0;
    if (!mica_iter_begin(it->world, s->all, &own)) {
        while (mica_iter_next(&own)) {
            rows += own.count;
        }
        mica_iter_end(&own);
    }
    Place *places = mica_write(it, 0);
    for (uint32_t i = 0; places && i < it->count; i++) {
        places[i].x += (float)rows;
    }
}

static bool add_systems(scene *s)
{
    const mica_system_desc acts = {.name = "act",
                                   .update = act,
                                   .user = s,
                                   .run = MICA_PARALLEL,
                                   .batch_rows = 8,
                                   .spawns = 8,
                                   .reduce = {s->total, combine},
                                   .events = {{s->hit, MICA_WRITE}},
                                   .query.terms = {{s->loose, MICA_WRITE}, {s->tag, MICA_WITH}}};
    const mica_system_desc looks = {.name = "look",
                                    .update = look,
                                    .user = s,
                                    .run = MICA_CONCURRENT,
                                    .queries = {s->all},
                                    .events = {{s->hit, MICA_READ}},
                                    .query.terms = {{s->ring, MICA_WRITE}}};
    bool there = !MICA_IS_NONE(mica_system_find(s->world, "act"));
    return (there || !MICA_IS_NONE(mica_system_add(s->world, &acts))) &&
           !MICA_IS_NONE(mica_system_add(s->world, &looks));
}

static void begin(scene *s, uint32_t count)
{
    memset(s, 0, sizeof *s);
    s->count = count;
    test_world_prepare(&s->t);
    sites_watch(&s->t);
    mica_world *world = s->world = test_world_open(&s->t);
    mica_type_desc desc = {.name = "place", .size = sizeof(Place), .align = 4};
    s->place = mica_type_register(world, &desc);
    desc.name = "hit";
    s->hit = mica_type_register(world, &desc);
    desc.name = "loose";
    desc.storage = MICA_SPARSE;
    s->loose = mica_type_register(world, &desc);
    desc.name = "ring";
    desc.storage = MICA_RING;
    s->ring = mica_type_register(world, &desc);
    s->note =
        mica_type_register(world, &(mica_type_desc){.name = "note", .size = 2000, .align = 1});
    s->total = mica_type_register(
        world, &(mica_type_desc){.name = "total", .size = sizeof(Total), .align = 8});
    s->tag = mica_type_register(world, &(mica_type_desc){.name = "tag"});
    s->all = mica_query_new(world, &(mica_query_desc){.terms = {{s->place, MICA_READ}}});
    mica_entity made[ENTITIES];
    for (uint32_t i = 0; i < ENTITIES; i++) {
        made[i] = mica_spawn(world, MICA_VALUE(s->place, Place, (float)i, 0), MICA_ADD(s->tag));
        mica_set(world, made[i], MICA_VALUE(s->ring, Place, 0, 0));
    }
    for (uint32_t i = ENTITIES; i-- > 0;) { // in another order than the rows of the table
        mica_set(world, made[i], MICA_VALUE(s->loose, Place, (float)i, 0));
    }
    mica_despawn(world, made[0]);
}

static void end(scene *s)
{
    test_world_end(&s->t);
}

static void use_engine(scene *s)
{
    if (s->count > 0) {
        const mica_workers workers = {.run = run_in_turn, .count = s->count};
        CHECK_EQUAL(MICA_OK, mica_world_use_workers(s->world, &workers));
        CHECK_EQUAL(MICA_OK, mica_world_shuffle_workers(s->world, 7));
    }
}

static bool step(scene *s)
{
    return mica_step(s->world, 1) == MICA_OK && s->t.error.calls == 0;
}

// The second step, or the first, with the k-th allocation refused, and then one that gets all it asks for. `whole`
// is the digest after the step if nothing is refused. Returns false if no allocation was refused.
static bool try_step(uint32_t count, uint32_t before, uint64_t k, test_memory_mode mode,
                     uint64_t *whole)
{
    static scene s;
    begin(&s, count);
    CHECK(add_systems(&s));
    use_engine(&s);
    for (uint32_t i = 0; i < before; i++) {
        CHECK(step(&s));
    }
    test_memory_fail_at(&s.t.memory, k, mode);
    bool good = step(&s);
    bool refused = s.t.memory.refusals > 0;
    test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    if (k == 0) {
        *whole = mica_world_digest(s.world);
    }
    CHECK(good || refused);
    if (good) { // what was refused was not needed, and nothing is missing
        CHECK_EQUAL(*whole, mica_world_digest(s.world));
    } else {
        CHECK(s.t.error.calls > 0);
        CHECK_EQUAL(MICA_ERROR_MEMORY, s.t.error.last.code);
    }
    test_error_clear(&s.t.error);
    CHECK(step(&s));
    CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    CHECK(step(&s));
    CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    end(&s);
    return refused;
}

static void try_steps(uint32_t count, test_memory_mode mode)
{
    for (uint32_t before = 0; before < 2; before++) {
        uint64_t whole = 0;
        CHECK(!try_step(count, before, 0, mode, &whole));
        uint64_t k = oom_first();
        while (try_step(count, before, k, mode, &whole)) {
            k += oom_stride();
        }
        CHECK(k > 5);
    }
}

static void steps_survive_every_refusal(void)
{
    try_steps(0, TEST_MEMORY_ONCE);
}

static void steps_survive_memory_that_is_used_up(void)
{
    try_steps(0, TEST_MEMORY_ONWARDS);
}

static void steps_with_workers_survive_every_refusal(void)
{
    try_steps(3, TEST_MEMORY_ONCE);
    try_steps(3, TEST_MEMORY_ONWARDS);
}

// Calls between steps

static bool start(scene *s)
{
    return mica_world_start_workers(s->world, 3) == MICA_OK;
}

static bool use(scene *s)
{
    const mica_workers workers = {.run = run_in_turn, .count = 3};
    return mica_world_use_workers(s->world, &workers) == MICA_OK;
}

static bool shuffle(scene *s)
{
    return mica_world_shuffle_workers(s->world, 3) == MICA_OK;
}

// Ever later allocations are refused. A call that fails changes nothing, and is made again.
static void try_call(bool (*call)(scene *s), bool adds, test_memory_mode mode)
{
    static scene s;
    for (uint64_t k = 1, refused = 1; refused > 0; k++) {
        begin(&s, 0);
        if (!adds) {
            CHECK(add_systems(&s));
        }
        uint64_t digest = mica_world_digest(s.world);
        uint32_t queries = mica_world_get_stats(s.world).queries;
        test_memory_fail_at(&s.t.memory, k, mode);
        bool good = call(&s);
        refused = s.t.memory.refusals;
        test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK(good || refused > 0);
        if (!good) {
            CHECK_EQUAL(MICA_ERROR_MEMORY, s.t.error.last.code);
            CHECK(test_error_names_call(&s.t.error));
            CHECK_EQUAL(1, test_error_clear(&s.t.error));
            CHECK_EQUAL(digest, mica_world_digest(s.world));
            CHECK_EQUAL(1, mica_world_worker_count(s.world));
            uint32_t now = mica_world_get_stats(s.world).queries;
            bool first = !MICA_IS_NONE(mica_system_find(s.world, "act"));
            CHECK_EQUAL(queries + (adds && first), now);
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
        CHECK(good || call(&s));
        CHECK(add_systems == call || !adds || add_systems(&s));
        CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
        CHECK_EQUAL(MICA_OK, mica_world_start_workers(s.world, 1));
        CHECK(step(&s));
        end(&s);
        CHECK(refused > 0 || k > 1);
    }
}

static void calls_survive_every_refusal(void)
{
    const test_memory_mode modes[] = {TEST_MEMORY_ONCE, TEST_MEMORY_ONWARDS};
    for (uint32_t i = 0; i < 2; i++) {
        try_call(add_systems, true, modes[i]);
        try_call(start, true, modes[i]);
        try_call(use, true, modes[i]);
        try_call(shuffle, true, modes[i]);
        try_call(start, false, modes[i]);
        try_call(use, false, modes[i]);
    }
}

TESTS(thread, steps_survive_every_refusal, steps_survive_memory_that_is_used_up,
      steps_with_workers_survive_every_refusal, calls_survive_every_refusal)
