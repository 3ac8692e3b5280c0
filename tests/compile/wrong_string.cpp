// says: has no kind: leave it out of the list
#include <mica.h>

#include <string>

struct Name {
    int number;
    std::string text;
};

int main()
{
#ifdef MICA_TEST_WRONG
    MICA_REGISTER(nullptr, Name, number, text);
#else
    MICA_REGISTER(nullptr, Name, number);
#endif
}
