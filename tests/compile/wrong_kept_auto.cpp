// says: no matching function
// A variable of a value that was made for a call is none that a call takes.
#include <mica.h>

#include <string>

struct Name {
    std::string text;
};

int main()
{
    mica_type name = MICA_REGISTER(nullptr, Name);
#ifdef MICA_TEST_WRONG
    auto value = MICA_VALUE(name, Name, "a name that is longer than what fits");
    mica_spawn(nullptr, value);
#else
    mica_spawn(nullptr, MICA_VALUE(name, Name, "a name that is longer than what fits"));
#endif
}
