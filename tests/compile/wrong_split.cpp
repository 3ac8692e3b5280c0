// says: a split component names its fields
// A structure of arrays needs to know the fields.
#include <mica.hpp>

struct Body {
    float x, y, mass;
};
#ifdef MICA_TEST_WRONG
template <> struct mica::about<Body> : mica::stored<Body, MICA_SPLIT> {};
#else
template <> struct mica::about<Body> {
    static mica_type_desc describe()
    {
        mica_type_desc desc = MICA_DESCRIBE(Body, x, y, mass);
        desc.storage = MICA_SPLIT;
        return desc;
    }
};
#endif

int main()
{
    mica::world world;
    return MICA_IS_NONE(world.spawn(Body{1, 2, 3}));
}
