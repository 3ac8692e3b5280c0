// What it costs to have a component added and removed later, and at once: it is measured in a function of its
// own, so that later.sh finds it under callgrind. What is done is what the benchmark's deferred_addrem does.
//
// usage: later now|later COUNT
#include <mica.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Data {
    uint64_t number;
} Data;

typedef struct scene {
    mica_world *world;
    mica_type data;
    mica_query movers, with_data;
    mica_entity *entities;
    uint32_t count;
} scene;

static void require(bool right)
{
    if (!right) {
        fprintf(stderr, "later: a call failed\n");
        exit(1);
    }
}

static void change_now(const scene *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const Data data = {i};
        mica_set_value(s->world, s->entities[i], s->data, &data, sizeof data);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        mica_remove(s->world, s->entities[i], s->data);
    }
}

static void change_later(const scene *s)
{
    mica_iter it;
    uint32_t number = 0;
    mica_iter_begin(s->world, s->movers, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            const Data data = {number++};
            mica_set_value(mica_later(&it), it.entities[i], s->data, &data, sizeof data);
        }
    }
    mica_iter_begin(s->world, s->with_data, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            mica_remove(mica_later(&it), it.entities[i], s->data);
        }
    }
}

#if defined(__GNUC__)
__attribute__((noinline))
#endif
void change_measured(const scene *s, bool later)
{
    if (later) {
        change_later(s);
    } else {
        change_now(s);
    }
}

int main(int argc, char **words)
{
    bool later = argc > 2 && strcmp(words[1], "later") == 0;
    scene s = {.count = argc > 2 ? (uint32_t)strtoul(words[2], NULL, 10) : 0};
    s.world = mica_world_new(NULL);
    s.entities = calloc(s.count, sizeof *s.entities);
    require(s.count > 0 && s.world && s.entities);
    mica_type position = MICA_REGISTER(s.world, Position, x, y);
    mica_type velocity = MICA_REGISTER(s.world, Velocity, x, y);
    s.data = MICA_REGISTER(s.world, Data, number);
    s.movers = mica_query_new(
        s.world, &(mica_query_desc){.terms = {{position, MICA_WRITE}, {velocity, MICA_READ}}});
    s.with_data = mica_query_new(s.world, &(mica_query_desc){.terms = {{s.data, MICA_WITH}}});
    mica_bundle both = mica_bundle_new(s.world, (mica_type[]){position, velocity}, 2);
    require(!mica_spawn_many(s.world, both, s.count, NULL, 0, s.entities));
    for (uint32_t round = 0; round < 3; round++) { // room, edges and short cuts are there
        if (later) {
            change_later(&s);
        } else {
            change_now(&s);
        }
    }
    change_measured(&s, later);
    require(mica_query_count(s.world, s.with_data) == 0 && !mica_world_validate(s.world));
    require(!mica_world_free(s.world));
    free(s.entities);
    return 0;
}
