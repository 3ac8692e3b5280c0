// The same for a program in C++, which has its world in an object.
#include <mica.hpp>

struct Position {
    float x, y;
};

static void stop_here(const mica::entity &e)
{
    (void)e;
}

int main()
{
    mica::world world;
    mica::entity e = world.spawn(Position{1, 2});
    world.set_name(e, "scout");
    stop_here(e);
    return 0;
}
