// The same in C++.
#include <mica.hpp>

#include <cstdio>

struct Mark {
    int number;
};

int main()
{
    mica::world world;
    mica::entity entity = world.spawn(Mark{7});
    bool alive = world.alive(entity) && world.get<Mark>(entity)->number == 7;
    std::printf("mica %s, %s\n", mica_version(), alive ? "alive" : "dead");
    return alive ? 0 : 1;
}
