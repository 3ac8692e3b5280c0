// says: incompatible type|could not convert|cannot convert|no viable conversion|no known conversion|no matching function
// Rows of another query. An error, not a warning.
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
#ifdef MICA_TEST_WRONG
    MICA_EACH(movers, m, world, o)
#else
    MICA_EACH(movers, m, world, q)
#endif
    {
        rows += m.rows;
    }
    return rows > 0;
}
