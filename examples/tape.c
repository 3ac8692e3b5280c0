// A match is recorded, and played again (mica/tape.h): first as a whole, then step by step by a viewer that jumps back. The tape
// has the input of two players. Everything else follows from it.
#include <mica.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Controls {
    int8_t turn;
    bool fire;
} Controls;

typedef struct Bullet {
    mica_entity owner;
    float speed;
} Bullet;

typedef struct Score {
    int32_t points;
} Score;

enum { PLAYERS = 2, STEPS = 300 };

// The simulation. Its types, systems and first entities are the same in each world that plays a tape.
typedef struct match {
    mica_world *world;
    mica_type position, controls, bullet, score;
} match;

static void check(mica_result result)
{
    if (result != MICA_OK) {
        exit(EXIT_FAILURE);
    }
}

static void steer(mica_iter *it)
{
    const match *m = it->user;
    Position *p = mica_write(it, 0);
    const Controls *c = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].y += 4 * (float)c[i].turn * it->dt;
        p[i].y = p[i].y < -2 ? -2 : p[i].y > 2 ? 2 : p[i].y;
        if (c[i].fire) {
            mica_spawn(mica_later(it), MICA_VALUE(m->position, Position, p[i].x, p[i].y),
                       MICA_VALUE(m->bullet, Bullet, it->entities[i], p[i].x < 5 ? 9.0f : -9.0f));
        }
    }
}

// A bullet that leaves the field is a point if the other player is not far away.
static void fly(mica_iter *it)
{
    const match *m = it->user;
    Position *p = mica_write(it, 0);
    const Bullet *b = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].x += b[i].speed * it->dt;
        if (p[i].x > 0 && p[i].x < 10) {
            continue;
        }
        mica_entity target = mica_entity_find(it->world, b[i].speed > 0 ? "right" : "left");
        const Position *at = mica_get(it->world, target, m->position);
        Score *score = mica_get_mut(it->world, b[i].owner, m->score);
        if (at->y - p[i].y < 1 && p[i].y - at->y < 1) {
            score->points++;
        }
        mica_despawn(mica_later(it), it->entities[i]);
    }
}

static mica_entity add_player(const match *m, const char *name, float x)
{
    mica_entity player = mica_spawn(m->world, MICA_VALUE(m->position, Position, x, 0),
                                    MICA_ADD(m->controls), MICA_ADD(m->score));
    mica_entity_set_name(m->world, player, name);
    return player;
}

static void open_match(match *m)
{
    m->world = mica_world_new(NULL);
    m->position = MICA_REGISTER(m->world, Position, x, y);
    m->controls = MICA_REGISTER(m->world, Controls, turn, fire);
    m->bullet = MICA_REGISTER(m->world, Bullet, owner, speed);
    m->score = MICA_REGISTER(m->world, Score, points);
    mica_system_add(m->world, &(mica_system_desc){.name = "steer",
                                                  .update = steer,
                                                  .user = m,
                                                  .query.terms = {{m->position, MICA_WRITE},
                                                                  {m->controls, MICA_READ}}});
    mica_system_add(m->world, &(mica_system_desc){.name = "fly",
                                                  .update = fly,
                                                  .user = m,
                                                  .query.terms = {{m->position, MICA_WRITE},
                                                                  {m->bullet, MICA_READ}}});
    add_player(m, "left", 1);
    add_player(m, "right", 9);
}

static void print_score(const match *m, uint64_t step)
{
    const Score *left = mica_get(m->world, mica_entity_find(m->world, "left"), m->score);
    const Score *right = mica_get(m->world, mica_entity_find(m->world, "right"), m->score);
    printf("step %3d: %d to %d\n", (int)step, (int)left->points, (int)right->points);
}

// Plays a match with made-up input, which only the tape knows afterwards.
static void record(mica_buffer *tape)
{
    match m;
    open_match(&m);
    const mica_entity players[PLAYERS] = {mica_entity_find(m.world, "left"),
                                          mica_entity_find(m.world, "right")};
    mica_world *input = mica_tape_begin(m.world, &(mica_stream){.buffer = tape},
                                        &(mica_tape_desc){.hash_steps = 60});
    if (!input) {
        exit(EXIT_FAILURE);
    }
    uint32_t random = 1;
    for (int step = 1; step <= STEPS; step++) {
        for (int i = 0; i < PLAYERS; i++) {
            random = random * 1664525 + 1013904223;
            if (random >> 29 == 0) { // a key is pressed or released
                check(mica_set(input, players[i],
                               MICA_VALUE(m.controls, Controls, (int8_t)((random >> 20) % 3) - 1,
                                          (random >> 24) % 4 == 0)));
            }
        }
        check(mica_step(m.world, 1.0 / 60));
        if (step % 100 == 0) {
            print_score(&m, (uint64_t)step);
        }
    }
    check(mica_tape_end(m.world));
    mica_world_free(m.world);
}

int main(void)
{
    mica_buffer tape = {0};
    puts("The match:");
    record(&tape);
    printf("%d steps take %zu bytes\n", STEPS, tape.size);

    match viewer;
    const mica_stream stream = {.data = tape.data, .size = tape.size};
    uint64_t played;
    open_match(&viewer);
    puts("Played again:");
    check(mica_tape_play(viewer.world, &stream, 0, 0, &played));
    print_score(&viewer, played);
    mica_world_free(viewer.world);

    open_match(&viewer);
    puts("In a viewer that keeps snapshots:");
    check(mica_time_begin(viewer.world, NULL));
    mica_snapshot middle = {0};
    for (uint64_t step = 0; step < STEPS; step++) {
        if (step == 150) {
            middle = mica_snapshot_take(viewer.world);
        }
        check(mica_tape_play(viewer.world, &stream, step, 1, NULL));
    }
    print_score(&viewer, STEPS);
    check(mica_snapshot_restore(viewer.world, middle));
    print_score(&viewer, 150);
    check(mica_tape_play(viewer.world, &stream, 150, 50, NULL));
    print_score(&viewer, 200);

    mica_world_free(viewer.world);
    mica_buffer_free(&tape);
    return EXIT_SUCCESS;
}
