// A model: the components of a program, declared once. Its handles, functions and queries have C types, so a swapped
// handle does not compile.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;

typedef struct {
    float x, y;
} Velocity;

typedef struct {
    int points;
} Health;

static const Health healthy = {100};

#define GAME(X)                                                                                    \
    X(TABLE, Position, x, y)                                                                       \
    X(TABLE, Velocity, x, y)                                                                       \
    X(WITH(storage = MICA_SPARSE, default_value = &healthy), Health, points)                       \
    X(TAG, Frozen)
MICA_MODEL(game, GAME)

#define MOVERS(X)                                                                                  \
    X(WRITE, Position)                                                                             \
    X(READ, Velocity)                                                                              \
    X(WITHOUT, Frozen)
MICA_MODEL_QUERY(game, movers, MOVERS)

static void move(mica_iter *it)
{
    MICA_EACH_ROW(movers, m, it) {
        m.Position->x += m.Velocity->x * it->dt;
        m.Position->y += m.Velocity->y * it->dt;
    }
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    game g;
    game_register(world, &g);

    mica_entity runner = mica_spawn(world, MICA_VALUE_OF(g, Position, 0, 0),
                                    MICA_VALUE_OF(g, Velocity, 1, 2), MICA_ADD_OF(g, Health));
    mica_entity statue = mica_clone(world, runner);
    Frozen_add(world, statue, g.Frozen);
    Velocity_set(world, statue, g.Velocity, (Velocity){9, 9});
    Health_get_mut(world, runner, g.Health)->points -= 30;

    mica_system_add(world,
                    &(mica_system_desc){.name = "move", .update = move, .query = movers_desc(&g)});
    for (int frame = 0; frame < 60; frame++) {
        mica_step(world, 1.0 / 60);
    }

    const Position *p = Position_get(world, runner, g.Position);
    printf("the runner is at %g %g, with %d points\n", p->x, p->y,
           Health_get(world, runner, g.Health)->points);
    p = Position_get(world, statue, g.Position);
    printf("the statue is at %g %g, with %d points\n", p->x, p->y,
           Health_get(world, statue, g.Health)->points);

    Frozen_remove(world, statue, g.Frozen);
    movers_query all = movers_new(world, &g);
    MICA_EACH(movers, m, world, all) {
        printf("%u moves at %g %g\n", (unsigned)mica_entity_slot(*m.entity), m.Velocity->x,
               m.Velocity->y);
    }
    mica_world_free(world);
    return 0;
}
