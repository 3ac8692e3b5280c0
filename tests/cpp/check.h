// A few checks for tests in C++, which the runner's macros are not made for. Each program counts its
// cases and ends with the line that the scripts add up.
#ifndef TEST_CPP_CHECK_H
#define TEST_CPP_CHECK_H

#include <cstdio>
#include <cstring>

static int checks_failed;

inline void check(bool holds, const char *text, int line)
{
    if (!holds) {
        checks_failed++;
        std::printf("  line %d: %s\n", line, text);
    }
}

#define CHECK(...) check((__VA_ARGS__) ? true : false, #__VA_ARGS__, __LINE__)

struct test_case {
    const char *name;
    void (*run)();
};
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }

template <size_t Count> int run_cases(const test_case (&cases)[Count])
{
    int passed = 0;
    int failed = 0;
    for (const test_case &each : cases) {
        checks_failed = 0;
        each.run();
        passed += checks_failed == 0;
        failed += checks_failed != 0;
        if (checks_failed) {
            std::printf("FAILED %s\n", each.name);
        }
    }
    std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}

#endif
