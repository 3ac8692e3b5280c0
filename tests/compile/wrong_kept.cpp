// says: deleted function|no viable conversion from .mica_passed_value
// A value that was made for a call ends with its statement: it cannot be kept in a list.
#include <mica.h>

#include <string>

struct Name {
    std::string text;
};

int main()
{
    Name variable{"a name that is longer than what fits in a string itself"};
    mica_type name = MICA_REGISTER(nullptr, Name);
    mica_bundle bundle = mica_bundle_new(nullptr, &name, 1);
#ifdef MICA_TEST_WRONG
    const mica_value list[] = {MICA_VALUE(name, Name, "a name that is longer than what fits")};
#else
    const mica_value list[] = {MICA_COPY_OF(name, variable)};
#endif
    mica_spawn_bundle(nullptr, bundle, list, 1);
}
