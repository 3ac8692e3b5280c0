// says: incompatible type|could not convert|cannot convert|no viable conversion|no known conversion|no matching function
// The accessor of another component. An error, not a warning.
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
    Velocity_accessor v = Velocity_accessor_new(world, g.Velocity);
    Position_accessor p = Position_accessor_new(world, g.Position);
    const Velocity *speed = Velocity_accessor_get(v, e);
    const Position *place = Position_accessor_get(p, e);
#ifdef MICA_TEST_WRONG
    place = Position_accessor_get(v, e);
#else
    place = Position_accessor_get(p, e);
#endif
    return place && speed;
}
