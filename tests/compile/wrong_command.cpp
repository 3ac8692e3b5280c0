// says: copied as bytes
// A command outlives what made it.
#include <mica.hpp>

#include <string>

int main()
{
    mica::world world;
    std::string name = "anna";
#ifdef MICA_TEST_WRONG
    world.later([name](mica::face later) { later.spawn(); });
#else
    world.later([n = name.size()](mica::face later) { later.set_name(later.spawn(), &"anna"[n]); });
#endif
}
