// says: Position_whole
// A split component has no whole values to be pointed to. An error, not a warning.
#include <mica.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

#define GAME(X) X(SPLIT, Position, x, y) X(TABLE, Velocity, x, y)
MICA_MODEL(game, GAME)

#ifdef MICA_TEST_WRONG
#define PLACED(X) X(READ, Position)
#else
#define PLACED(X) X(READ_FIELDS, Position)
#endif
MICA_MODEL_QUERY(game, placed, PLACED)

int main(void)
{
    mica_world *world = NULL;
    game g;
    game_register(world, &g);
    return MICA_IS_NONE(placed_new(world, &g).query);
}
