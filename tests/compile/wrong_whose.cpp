// says: whose rows they are is not known
// A query that does not ask for entities has none to give.
#include <mica.hpp>

struct Heat {
    float degrees;
};

int main()
{
    mica::world world;
    auto query = world.query<Heat, mica::no_entities>();
#ifdef MICA_TEST_WRONG
    query.each([](mica::entity, Heat &) {});
#else
    query.each([](Heat &) {});
#endif
}
