// says: give it a member
// What is sent has a value; a struct without members is a tag.
#include <mica.hpp>

#ifdef MICA_TEST_WRONG
struct Leaked {};
#else
struct Leaked {
    mica::entity who;
};
#endif

int main()
{
    mica::world world;
    world.system<mica::receives<Leaked>>("count").run([] {});
    world.send(Leaked{});
}
