// Resources: values that a world has once (singletons), and how systems reach them without globals.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float y; // metres per second squared
} Gravity;

typedef struct {
    uint32_t bounces;
} Score;

typedef struct {
    float height, speed;
} Ball;

// The user data of the systems: handles of types.
typedef struct {
    mica_type gravity, score;
} Game;

static void fall(mica_iter *it)
{
    const Game *game = it->user;
    const Gravity *gravity = MICA_RESOURCE(it->world, game->gravity, Gravity);
    Score *score = MICA_RESOURCE_MUT(it->world, game->score, Score);
    Ball *ball = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        ball[i].speed += gravity->y * it->dt;
        ball[i].height += ball[i].speed * it->dt;
        if (ball[i].height < 0) {
            ball[i].height = -ball[i].height;
            ball[i].speed = -ball[i].speed;
            score->bounces++;
        }
    }
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type ball = MICA_REGISTER(w, Ball, height, speed);
    Game game = {.gravity = MICA_REGISTER(w, Gravity, y),
                 .score = MICA_REGISTER(w, Score, bounces)};
    mica_resource_set(w, MICA_VALUE(game.gravity, Gravity, -9.81f), MICA_ADD(game.score));
    for (int i = 1; i <= 10; i++) {
        mica_spawn(w, MICA_VALUE(ball, Ball, (float)i, 0));
    }
    mica_system_add(
        w, &(mica_system_desc){.name = "fall",
                               .update = fall,
                               .user = &game,
                               .query.terms = {{ball, MICA_WRITE}},
                               .resources = {{game.gravity, MICA_READ}, {game.score, MICA_WRITE}}});

    for (int frame = 0; frame < 120; frame++) {
        mica_step(w, 1.0 / 60);
    }
    printf("on earth: %u bounces\n", MICA_RESOURCE(w, game.score, Score)->bounces);

    mica_resource_set(w, MICA_VALUE(game.gravity, Gravity, -1.62f), MICA_ADD(game.score));
    for (int frame = 0; frame < 120; frame++) {
        mica_step(w, 1.0 / 60);
    }
    printf("on the moon: %u bounces\n", MICA_RESOURCE(w, game.score, Score)->bounces);

    mica_resource_remove(w, game.gravity);
    printf("gravity: %s\n", mica_resource_get(w, game.gravity) ? "yes" : "no");
    mica_world_free(w);
    return 0;
}
