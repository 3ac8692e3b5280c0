// says: redefinition|conflicting|duplicate|redeclar
// A component that is listed twice. An error, not a warning.
#include <mica.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

#ifdef MICA_TEST_WRONG
#define GAME(X) X(TABLE, Position, x, y) X(TABLE, Velocity, x, y) X(SPARSE, Position, x, y)
#else
#define GAME(X) X(TABLE, Position, x, y) X(TABLE, Velocity, x, y)
#endif
MICA_MODEL(game, GAME)

int main(void)
{
    mica_world *world = NULL;
    game g;
    return game_register(world, &g) != MICA_OK;
}
