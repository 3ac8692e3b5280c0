// says: writes what the query only reads
// A term that is const is read.
#include <mica.hpp>

struct Position {
    float x;
};

int main()
{
    mica::world world;
    auto query = world.query<const Position>();
#ifdef MICA_TEST_WRONG
    query.each([](Position &p) { p.x = 1; });
#else
    query.each([](const Position &) {});
#endif
}
