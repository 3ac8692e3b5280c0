// The same for a program in C++, whose world is an object, and not in a function.
#include <mica.hpp>

struct Position {
    float x, y;
};

static mica::world world;

static void stop_here(const mica::entity &e)
{
    (void)e;
}

int main()
{
    mica::entity e = world.spawn(Position{1, 2});
    world.set_name(e, "scout");
    stop_here(e);
    return 0;
}
