// says: words of systems
// A query finds entities. Resources are declared by systems.
#include <mica.hpp>

struct Position {
    float x;
};
struct Gravity {
    float y;
};

int main()
{
    mica::world world;
#ifdef MICA_TEST_WRONG
    world.query<Position, mica::res<const Gravity>>();
#else
    world.system<Position, mica::res<const Gravity>>("fall").each(
        [](Position &p, const Gravity &g) { p.x += g.y; });
#endif
}
