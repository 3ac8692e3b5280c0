// says: writes what the query only reads
// By segments, too.
#include <mica.hpp>

struct Position {
    float x;
};

int main()
{
    mica::world world;
#ifdef MICA_TEST_WRONG
    world.system<const Position>("move").each_segment([](mica::span<Position>) {});
#else
    world.system<const Position>("move").each_segment([](mica::span<const Position>) {});
#endif
}
