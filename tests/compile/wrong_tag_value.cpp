// says: a tag has no value
// A tag is there or not.
#include <mica.hpp>

struct Frozen {};

int main()
{
    mica::world world;
    mica::entity e = world.spawn(Frozen{});
#ifdef MICA_TEST_WRONG
    return world.get<Frozen>(e) != nullptr;
#else
    return world.has<Frozen>(e);
#endif
}
