// What the program and the library of shared_test.cpp have in common.
#ifndef TEST_CPP_SHARED_HPP
#define TEST_CPP_SHARED_HPP

#include <mica.h>

#include <string>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Name {
    std::string text;
};

struct plugin_answer {
    mica_type velocity, name;
    size_t length;
    const void *key;
};

extern "C" __attribute__((visibility("default"))) plugin_answer plugin_visit(mica_world *world,
                                                                             mica_entity e);

#endif
