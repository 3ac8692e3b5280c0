// says: does not take what the words give
// The function of a loop takes what the words give, in their order.
#include <mica.hpp>

struct Position {
    float x;
};
struct Velocity {
    float x;
};

int main()
{
    mica::world world;
    auto query = world.query<Position, const Velocity>();
#ifdef MICA_TEST_WRONG
    query.each([](const Velocity &, Position &) {});
#else
    query.each([](Position &, const Velocity &) {});
#endif
}
