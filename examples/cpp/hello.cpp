// The hello-world, in C++.
#include <mica.hpp>

#include <cstdio>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};

int main()
{
    mica::world world;
    mica::entity e = world.spawn(Position{0, 0}, Velocity{1, 2});
    world.system<Position, const Velocity>("move").each(
        [](Position &p, const Velocity &v, float dt) {
            p.x += v.x * dt;
            p.y += v.y * dt;
        });
    for (int frame = 0; frame < 60; frame++) {
        world.step(1.0 / 60);
    }
    const Position *p = world.get<Position>(e);
    std::printf("%g %g\n", p->x, p->y);
}
