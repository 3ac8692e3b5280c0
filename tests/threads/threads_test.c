// What docs/caveats.md says of threads, for the thread sanitizer to look at: worlds on different threads
// share nothing that can change, and a world can go from one thread to the next. Also with systems on threads.
#define _POSIX_C_SOURCE 200809L // for nanosleep
#include <mica.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "runner/test.h"

enum { THREADS = 4, ROUNDS = 8, ENTITIES = 3000 };

typedef struct Position {
    float x, y;
} Position;
typedef struct Body {
    float mass;
    int32_t parts;
} Body;
typedef struct Age {
    uint32_t frames;
} Age;
typedef struct Target {
    mica_entity entity;
} Target;
typedef struct Hit {
    uint32_t damage;
} Hit;

// One thread's: nothing in it is looked at by another while that runs.
typedef struct lane {
    mica_world *world;
    mica_type position, body, age, target, mark, hit;
    mica_query query;
    mica_cursor cursor;
    uint32_t seen;   // by an observer
    uint32_t heard;  // events
    uint32_t errors; // reported to its handler
    char last_sentence[sizeof((mica_error *)0)->sentence];
    uint64_t hash;
    bool held; // whatever had to hold did
} lane;

static void hear(mica_world *world, const mica_error *error, void *user)
{
    (void)world;
    lane *l = user;
    l->errors++;
    memcpy(l->last_sentence, error->sentence, sizeof l->last_sentence);
}

static void count(const mica_observer_event *h)
{
    lane *l = h->user;
    l->seen++;
}

static void grow(mica_iter *it)
{
    lane *l = it->user;
    Age *ages = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        ages[i].frames++;
        if (ages[i].frames % 3 == 0 && i % 50 == 0) {
            mica_despawn(mica_later(it), it->entities[i]);
            mica_spawn(mica_later(it), MICA_ADD(l->age), MICA_VALUE(l->position, Position, 1, 2));
            mica_send(it->world, MICA_VALUE(l->hit, Hit, 1));
        }
    }
}

static void begin(lane *l)
{
    l->held = true;
    l->world = mica_world_new(&(mica_world_desc){.error_handler = hear, .error_user = l});
    l->position = MICA_REGISTER(l->world, Position, x, y);
    l->body = MICA_REGISTER_SPLIT(l->world, Body, mass, parts);
    l->age = MICA_REGISTER_RING(l->world, Age, frames);
    l->target = MICA_REGISTER_SPARSE(l->world, Target, entity);
    l->mark = MICA_SPARSE_TAG(l->world, Mark);
    l->hit = MICA_REGISTER(l->world, Hit, damage);
    l->query = mica_query_new(
        l->world, &(mica_query_desc){.terms = {{l->position, MICA_WRITE}, {l->mark, MICA_WITH}}});
    mica_observer_new(l->world, &(mica_observer_desc){.type = l->mark,
                                                      .events = MICA_ON_ADD | MICA_ON_REMOVE,
                                                      .call = count,
                                                      .user = l});
    mica_system_add(l->world, &(mica_system_desc){.name = "grow",
                                                  .update = grow,
                                                  .user = l,
                                                  .query.terms = {{l->age, MICA_WRITE}},
                                                  .events = {{l->hit, MICA_WRITE}}});
}

static void relocate(lane *l)
{
    mica_world *world = l->world;
    for (uint32_t i = 0; i < ENTITIES / ROUNDS; i++) {
        mica_entity entity = mica_spawn(world, MICA_VALUE(l->position, Position, (float)i, 1));
        mica_add(world, entity, i % 2 ? l->age : l->body);
        if (i % 3 == 0) {
            mica_set(world, entity, MICA_VALUE(l->target, Target, entity));
            mica_add(world, entity, l->mark);
        }
        if (i % 7 == 0) {
            mica_despawn(world, entity);
        }
    }
    mica_iter it;
    mica_iter_begin(world, l->query, &it);
    while (mica_iter_next(&it)) {
        Position *positions = mica_write(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            positions[i].x += 1;
        }
    }
    l->held = mica_step(world, 0.5f) == MICA_OK && l->held;
    uint32_t events;
    while (mica_events(world, l->hit, &l->cursor, &events)) {
        l->heard += events;
    }
    mica_despawn(world, (mica_entity){0}); // whose sentence nobody else's mixes with
}

static void reload(lane *l)
{
    mica_buffer buffer = {0};
    uint64_t hash = mica_world_hash(l->world);
    l->held =
        mica_world_save(l->world, &(mica_stream){.buffer = &buffer}, NULL) == MICA_OK && l->held;
    mica_world_clear(l->world);
    l->held =
        mica_world_load(l->world, &(mica_stream){.buffer = &buffer}, NULL) == MICA_OK && l->held;
    l->held = mica_world_hash(l->world) == hash && l->held;
    l->held = mica_world_validate(l->world) == MICA_OK && l->held;
    mica_buffer_free(&buffer);
}

static void *live(void *user)
{
    lane *l = user;
    begin(l);
    for (int round = 0; round < ROUNDS; round++) {
        relocate(l);
    }
    reload(l);
    l->hash = mica_world_hash(l->world);
    l->held = mica_world_free(l->world) == MICA_OK && l->held;
    return NULL;
}

static void *live_for_a_round(void *user)
{
    relocate(user);
    return NULL;
}

static void check_lane(const lane *l)
{
    CHECK(l->held);
    CHECK(l->seen > 0);
    CHECK(l->heard > 0);
    CHECK_EQUAL(ROUNDS, l->errors);
    CHECK_TEXT("mica_despawn: the entity is none", l->last_sentence);
}

static void worlds_on_different_threads_share_nothing(void)
{
    static lane lanes[THREADS];
    static pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        REQUIRE_EQUAL(0, pthread_create(&threads[i], NULL, live, &lanes[i]));
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        check_lane(&lanes[i]);
        CHECK_EQUAL(lanes[0].hash, lanes[i].hash);
    }
}

static void a_world_goes_from_thread_to_thread(void)
{
    static lane alone;
    static lane handed;
    live(&alone);
    begin(&handed);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread;
        REQUIRE_EQUAL(0, pthread_create(&thread, NULL, live_for_a_round, &handed));
        pthread_join(thread, NULL);
    }
    reload(&handed);
    check_lane(&handed);
    CHECK_EQUAL(alone.hash, mica_world_hash(handed.world));
    CHECK_EQUAL(MICA_OK, mica_world_free(handed.world));
}

// Systems on threads

// A world whose systems run on several threads, stepped by one of them.
typedef struct crew {
    mica_world *world;
    mica_type position, age;
    uint32_t threads; // 0: those of an engine
    uint64_t hash;
    bool held;
} crew;

static void move(mica_iter *it)
{
    Position *positions = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        positions[i].x += positions[i].y * it->dt;
    }
}

static void renew(mica_iter *it)
{
    const crew *c = it->user;
    Age *ages = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        if (++ages[i].frames % 7 == 0) {
            mica_despawn(it->world, it->entities[i]);
            mica_entity made = mica_spawn(it->world, MICA_VALUE(c->age, Age, i % 5),
                                          MICA_VALUE(c->position, Position, 1, (float)i));
            mica_despawn(it->world, i % 100 == 3 ? made : (mica_entity){0}); // an error for most
        }
    }
}

typedef struct work {
    mica_work_fn *run;
    void *data;
    uint32_t number;
} work;

static void *do_work(void *data)
{
    const work *w = data;
    w->run(w->data, w->number);
    return NULL;
}

// An engine that begins a thread for each call.
static void run_on_threads(void *user, mica_work_fn *run, void *data, uint32_t count)
{
    (void)user;
    pthread_t threads[8];
    work works[8];
    for (uint32_t i = 0; i < count; i++) {
        works[i] = (work){run, data, i};
        pthread_create(&threads[i], NULL, do_work, &works[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void ignore(mica_world *world, const mica_error *error, void *user)
{
    (void)world, (void)error;
    crew *c = user;
    c->hash++;
}

static void crew_begin(crew *c, uint32_t threads)
{
    memset(c, 0, sizeof *c);
    c->threads = threads;
    c->world = mica_world_new(&(mica_world_desc){.error_handler = ignore, .error_user = c});
    c->position = MICA_REGISTER(c->world, Position, x, y);
    c->age = MICA_REGISTER_RING(c->world, Age, frames);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        mica_spawn(c->world, MICA_VALUE(c->position, Position, 0, (float)i),
                   MICA_VALUE(c->age, Age, i % 7));
    }
    mica_system_desc desc = {.name = "move",
                             .update = move,
                             .user = c,
                             .run = MICA_PARALLEL,
                             .batch_rows = 256,
                             .query.terms = {{c->position, MICA_WRITE}}};
    mica_system_add(c->world, &desc);
    desc.name = "renew";
    desc.update = renew;
    desc.spawns = 256;
    desc.query.terms[0].type = c->age;
    mica_system_add(c->world, &desc);
    const mica_workers engine = {.run = run_on_threads, .count = 3};
    c->held = (threads > 0 ? mica_world_start_workers(c->world, threads)
                           : mica_world_use_workers(c->world, &engine)) == MICA_OK;
}

static void *step_crew(void *user)
{
    crew *c = user;
    for (uint64_t i = 0; i < 40; i++) {
        c->held = mica_world_shuffle_workers(c->world, 1 + i) == MICA_OK && c->held;
        c->held = mica_step(c->world, 0.5) == MICA_OK && c->held;
    }
    c->held = mica_world_validate(c->world) == MICA_OK && c->held;
    c->hash = c->hash * 31 + mica_world_digest(c->world);
    return NULL;
}

static void worlds_with_workers_step_on_different_threads(void)
{
    static crew crews[4];
    static pthread_t threads[4];
    const uint32_t counts[4] = {1, 2, 2, 0}; // the first is stepped alone
    for (uint32_t i = 0; i < 4; i++) {
        crew_begin(&crews[i], counts[i]);
    }
    step_crew(&crews[0]);
    for (uint32_t i = 1; i < 4; i++) {
        REQUIRE_EQUAL(0, pthread_create(&threads[i], NULL, step_crew, &crews[i]));
    }
    for (uint32_t i = 0; i < 4; i++) {
        if (i > 0) {
            pthread_join(threads[i], NULL);
        }
        CHECK(crews[i].held);
        CHECK_EQUAL(crews[0].hash, crews[i].hash);
        CHECK_EQUAL(MICA_OK, mica_world_free(crews[i].world));
    }
}

// A world with workers goes from thread to thread, too.
static void a_world_with_workers_goes_from_thread_to_thread(void)
{
    static crew alone;
    static crew handed;
    crew_begin(&alone, 1);
    step_crew(&alone);
    step_crew(&alone);
    crew_begin(&handed, 3);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        REQUIRE_EQUAL(0, pthread_create(&thread, NULL, step_crew, &handed));
        pthread_join(thread, NULL);
    }
    CHECK(alone.held && handed.held);
    CHECK_EQUAL(alone.hash, handed.hash);
    CHECK_EQUAL(MICA_OK, mica_world_free(alone.world));
    CHECK_EQUAL(MICA_OK, mica_world_free(handed.world));
}

static void workers_sleep_between_steps(void)
{
    crew c;
    crew_begin(&c, 3);
    step_crew(&c);
    clock_t before = clock(); // of the processor, for all threads
    const struct timespec while_idle = {0, 300 * 1000 * 1000};
    nanosleep(&while_idle, NULL);
    CHECK((double)(clock() - before) / CLOCKS_PER_SEC < 0.15);
    CHECK_EQUAL(MICA_OK, mica_step(c.world, 1)); // they wake up again
    CHECK_EQUAL(MICA_OK, mica_world_free(c.world));
}

TESTS(threads, worlds_on_different_threads_share_nothing, a_world_goes_from_thread_to_thread,
      worlds_with_workers_step_on_different_threads,
      a_world_with_workers_goes_from_thread_to_thread, workers_sleep_between_steps)
