// says: array
// An array cannot be given by value. An error, not a warning.
#include <mica.h>

#ifdef MICA_TEST_WRONG
typedef float Matrix[16];
#else
typedef struct Matrix {
    float cells[16];
} Matrix;
#endif

#define GAME(X) X(TABLE, Matrix)
MICA_MODEL(game, GAME)

int main(void)
{
    mica_world *world = NULL;
    game g;
    return game_register(world, &g) != MICA_OK;
}
