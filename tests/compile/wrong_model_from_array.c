// says: _Generic|of another type than the component
// An array of another type. An error, not a warning.
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
    game g;
    game_register(world, &g);
    Velocity v[2] = {{1, 2}, {3, 4}};
    Position p[2] = {{1, 2}, {3, 4}};
    p[0].x = v[1].x;
#ifdef MICA_TEST_WRONG
    return mica_send(world, MICA_ARRAY_OF(g, Position, v)) != MICA_OK;
#else
    return mica_send(world, MICA_ARRAY_OF(g, Position, p)) != MICA_OK;
#endif
}
