// says: _Generic|of another type than the component
// A variable of another type. An error, not a warning.
#include <mica.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

#define GAME(X) X(TABLE, Position, x, y) X(TABLE, Velocity, x, y) X(TAG, Frozen)
MICA_MODEL(game, GAME)

int main(void)
{
    mica_world *world = NULL;
    mica_entity e = mica_spawn_values(world, NULL, 0);
    game g;
    game_register(world, &g);
    Velocity v = {1, 2};
    Position p = {1, 2};
    p.x = v.x;
#ifdef MICA_TEST_WRONG
    return mica_set(world, e, MICA_VARIABLE_OF(g, Position, v)) != MICA_OK;
#else
    return mica_set(world, e, MICA_VARIABLE_OF(g, Position, p)) != MICA_OK;
#endif
}
