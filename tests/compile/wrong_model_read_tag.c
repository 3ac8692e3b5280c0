// says: Frozen_whole
// A tag has no values to be read. An error, not a warning.
#include <mica.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

#define GAME(X) X(TABLE, Position, x, y) X(TABLE, Velocity, x, y) X(TAG, Frozen)
MICA_MODEL(game, GAME)

#ifdef MICA_TEST_WRONG
#define MARKED(X) X(READ, Frozen)
#else
#define MARKED(X) X(WITH, Frozen)
#endif
MICA_MODEL_QUERY(game, marked, MARKED)

int main(void)
{
    mica_world *world = NULL;
    game g;
    game_register(world, &g);
    return MICA_IS_NONE(marked_new(world, &g).query);
}
