// says: takes two values
// What is sorted by is a function of two values, or of two entities.
#include <mica.hpp>

struct Score {
    int points;
};

int main()
{
    mica::world world;
#ifdef MICA_TEST_WRONG
    world.sort<Score>([](const Score &a) { return a.points; });
#else
    world.type<Score>(MICA_SPARSE);
    world.sort<Score>([](const Score &a, const Score &b) { return a.points < b.points; });
#endif
}
