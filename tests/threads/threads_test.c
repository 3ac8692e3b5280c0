// What docs/caveats.md says of threads, for the thread sanitizer to look at: worlds on different threads
// share nothing that can change, and a world can go from one thread to the next.
#include <mica.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

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

TESTS(threads, worlds_on_different_threads_share_nothing, a_world_goes_from_thread_to_thread)
