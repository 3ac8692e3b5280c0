// says: fields of a polymorphic type
#include <mica.h>

struct Shape {
    int sides = 0;
#ifdef MICA_TEST_WRONG
    virtual ~Shape() = default;
#endif
};

int main()
{
    return MICA_IS_NONE(MICA_REGISTER(nullptr, Shape, sides));
}
