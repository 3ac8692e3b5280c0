// says: its type needs a move constructor
#include <mica.h>

struct Lock {
    int held = 0;
    Lock() = default;
#ifdef MICA_TEST_WRONG
    Lock(Lock &&) = delete;
#endif
};

int main()
{
    return MICA_IS_NONE(MICA_REGISTER(nullptr, Lock, held));
}
