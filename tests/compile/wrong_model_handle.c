// says: incompatible type|could not convert|cannot convert|no viable conversion|no known conversion|no matching function
// The handle of another component. An error, not a warning.
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
#ifdef MICA_TEST_WRONG
    return Position_get(world, e, g.Velocity) != NULL;
#else
    return Position_get(world, e, g.Position) != NULL;
#endif
}
