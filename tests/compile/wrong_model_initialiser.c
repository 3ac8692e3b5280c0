// says: has no member|unknown|too many|excess elements|no matching|cannot convert|field designator
// What is no value of the type.
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
    return mica_set(world, e, MICA_VALUE_OF(g, Position, 1, 2, 3)) != MICA_OK;
#else
    return mica_set(world, e, MICA_VALUE_OF(g, Position, 1, 2)) != MICA_OK;
#endif
}
