// Events: systems that do not know each other send each other messages.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, speed;
} Ball;

typedef struct {
    mica_entity ball;
    float speed;
} Bounce;

typedef struct {
    mica_type bounce;
    uint32_t count;
} Game;

static void move(mica_iter *it)
{
    const Game *game = it->user;
    Ball *ball = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        ball[i].x += ball[i].speed * it->dt;
        if (ball[i].x < 0 || ball[i].x > 10) {
            ball[i].speed = -ball[i].speed;
            mica_send(it->world, MICA_VALUE(game->bounce, Bounce, it->entities[i], ball[i].speed));
        }
    }
}

// Runs before the balls move, so it gets the messages of the frame before.
static void count(mica_iter *it)
{
    Game *game = it->user;
    uint32_t count;
    for (const Bounce *b; (b = MICA_UNREAD(it, game->bounce, Bounce, &count)) != NULL;) {
        game->count += count;
        for (uint32_t i = 0; i < count; i++) {
            printf("second %g: %s turns, and goes %g a second\n", it->time,
                   mica_entity_name(it->world, b[i].ball), b[i].speed);
        }
    }
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type ball = MICA_REGISTER(w, Ball, x, speed);
    Game game = {.bounce = MICA_REGISTER(w, Bounce, ball, speed)};
    mica_entity_set_name(w, mica_spawn(w, MICA_VALUE(ball, Ball, 5, 3)), "red");
    mica_entity_set_name(w, mica_spawn(w, MICA_VALUE(ball, Ball, 5, -2)), "blue");
    mica_system_add(w, &(mica_system_desc){.name = "count",
                                           .update = count,
                                           .user = &game,
                                           .events = {{game.bounce, MICA_READ}}});
    mica_system_add(w, &(mica_system_desc){.name = "move",
                                           .update = move,
                                           .user = &game,
                                           .query.terms = {{ball, MICA_WRITE}},
                                           .events = {{game.bounce, MICA_WRITE}}});
    for (int second = 0; second < 8; second++) {
        mica_step(w, 1);
    }
    mica_event_info bounces;
    mica_event_get_info(w, game.bounce, &bounces);
    printf("%u turns counted, %u can still be read\n", game.count, bounces.now + bounces.last);
    mica_world_free(w);
    return 0;
}
