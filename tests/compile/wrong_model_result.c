// says: incompatible|cannot convert|cannot initialize
// What is got is of its type.
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
    const Velocity *got = Position_get(world, e, g.Position);
#else
    const Position *got = Position_get(world, e, g.Position);
#endif
    return got != NULL;
}
