// says: a component is a class, or a number
// A text is no component, and would be a pointer to one.
#include <mica.hpp>

struct Name {
    char text[16];
};

int main()
{
    mica::world world;
#ifdef MICA_TEST_WRONG
    world.spawn("anna");
#else
    world.spawn(Name{"anna"});
#endif
}
