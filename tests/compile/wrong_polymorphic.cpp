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
    return mica_type_is_none(MICA_REGISTER(nullptr, Shape, sides));
}
