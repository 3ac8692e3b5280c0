// Commands: bullets that destroy their target, and themselves, in the middle of an iteration.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, speed;
} Bullet;

typedef struct {
    float x;
    int health;
} Target;

typedef struct {
    mica_query targets;
    mica_type spark;
} Game;

static void fly(mica_iter *it)
{
    Bullet *bullets = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        bullets[i].x += bullets[i].speed * it->dt;
    }
}

// Nothing is changed here and now: the calls on mica_later() wait until the step ends. A target that
// two bullets hit is despawned twice, and the second time does no harm.
static void hit(mica_iter *it)
{
    const Game *game = it->user;
    const Bullet *bullets = mica_read(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        mica_iter other;
        mica_iter_begin(it->world, game->targets, &other);
        while (mica_iter_next(&other)) {
            Target *targets = mica_write(&other, 0);
            for (uint32_t k = 0; k < other.count; k++) {
                if (bullets[i].x < targets[k].x) {
                    continue;
                }
                mica_despawn(mica_later(it), it->entities[i]);
                mica_entity spark = mica_spawn(mica_later(it), MICA_ADD(game->spark));
                mica_entity_set_name(mica_later(it), spark, "spark"); // its handle is good already
                if (--targets[k].health <= 0) {
                    mica_despawn(mica_later(it), other.entities[k]);
                }
            }
        }
    }
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type bullet = MICA_REGISTER(world, Bullet, x, speed);
    mica_type target = MICA_REGISTER(world, Target, x, health);
    Game game = {.spark = MICA_TAG(world, Spark)};
    game.targets = mica_query_new(world, &(mica_query_desc){.terms = {{target, MICA_WRITE}}});
    mica_system_add(
        world,
        &(mica_system_desc){.name = "fly", .update = fly, .query.terms = {{bullet, MICA_WRITE}}});
    mica_system_add(world, &(mica_system_desc){.name = "hit",
                                               .update = hit,
                                               .user = &game,
                                               .query.terms = {{bullet, MICA_READ}},
                                               .queries = {game.targets}});

    mica_entity wall = mica_spawn(world, MICA_VALUE(target, Target, 10, 1));
    mica_spawn(world, MICA_VALUE(bullet, Bullet, 0, 4));
    mica_spawn(world, MICA_VALUE(bullet, Bullet, 0, 1));
    for (int step = 1; mica_alive(world, wall); step++) {
        mica_step(world, 1);
        printf("step %d: %u entities, the wall is %s\n", step, mica_entity_count(world),
               mica_alive(world, wall) ? "there" : "gone");
    }
    mica_entity_print(world, mica_entity_find(world, "spark"), NULL);
    mica_world_free(world);
}
