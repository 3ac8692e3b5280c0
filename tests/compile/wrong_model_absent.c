// says: has no member named|no member named|Health
// A component that is not in the model. An error, not a warning.
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
    return mica_set(world, e, MICA_ADD_OF(g, Health)) != MICA_OK;
#else
    return mica_set(world, e, MICA_ADD_OF(g, Frozen)) != MICA_OK;
#endif
}
