// says: incompatible|cannot convert|cannot initialize
// Two columns that are swapped.
#include <mica.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

#define GAME(X) X(TABLE, Position, x, y) X(TABLE, Velocity, x, y) X(TAG, Frozen)
MICA_MODEL(game, GAME)

#define MOVERS(X) X(WRITE, Position) X(READ, Velocity)
MICA_MODEL_QUERY(game, movers, MOVERS)
#define OTHERS(X) X(WRITE, Velocity) X(READ, Position)
MICA_MODEL_QUERY(game, others, OTHERS)

int main(void)
{
    mica_world *world = NULL;
    game g;
    game_register(world, &g);
    movers_query q = movers_new(world, &g);
    others_query o = others_new(world, &g);
    uint32_t rows = mica_query_count(world, q.query) + mica_query_count(world, o.query);
    MICA_EACH(movers, m, world, q) {
#ifdef MICA_TEST_WRONG
        const Position *p = m.Velocity;
#else
        const Position *p = m.Position;
#endif
        rows += p != NULL;
    }
    return rows > 0;
}
