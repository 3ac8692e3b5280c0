// says: incompatible type|could not convert|cannot convert|no viable conversion|no known conversion|no matching function
// S1.5: a value of another type. An error, not a warning.
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
    return Position_set(world, e, g.Position, v) != MICA_OK;
#else
    return Position_set(world, e, g.Position, p) != MICA_OK;
#endif
}
