// A mica::world that keeps the last error to itself, and what the tests of mica.hpp put into it.
#ifndef TEST_CPP_FIXTURE_HPP
#define TEST_CPP_FIXTURE_HPP

#include <mica.hpp>

#include <memory>
#include <string>

#include "check.h"

struct Said {
    mica_error last = {};
    int errors = 0;

    static void hear(mica_world *, const mica_error *error, void *user)
    {
        static_cast<Said *>(user)->last = *error;
        static_cast<Said *>(user)->errors++;
    }
    mica_world_desc desc()
    {
        mica_world_desc desc = {};
        desc.error_handler = hear;
        desc.error_user = this;
        return desc;
    }
    // One error, of this code; and none from now on.
    bool once(mica_result code)
    {
        bool right = errors == 1 && last.code == code;
        if (!right) {
            std::printf("  %d errors, the last: %s\n", errors, last.sentence);
        }
        errors = 0;
        return right;
    }
};

struct Fixture {
    Said said;
    mica::world world{said.desc()};

    Fixture() = default;
    Fixture(const Fixture &) = delete;
    Fixture &operator=(const Fixture &) = delete;
    ~Fixture()
    {
        CHECK(world.validate() == MICA_OK);
        CHECK(said.errors == 0);
        if (said.errors) {
            std::printf("  %d errors, the last: %s\n", said.errors, said.last.sentence);
        }
    }
};

namespace game {
struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
} // namespace game
using game::Position;
using game::Velocity;

struct Frozen {};
struct Health {
    int now = 100, most = 100;
};
struct Name {
    std::string text;
};
struct Mesh {
    std::unique_ptr<int> vertices;
};
struct Target {
    mica::entity who;
};
struct Body {
    float x, y, mass;
};
struct Burning {
    int ticks;
};
struct Selected {};

template <> struct mica::about<Target> : mica::stored<Target, MICA_SPARSE> {};
template <> struct mica::about<Selected> : mica::stored<Selected, MICA_SPARSE> {};
template <> struct mica::about<Body> {
    static mica_type_desc describe()
    {
        mica_type_desc desc = MICA_DESCRIBE(Body, x, y, mass);
        desc.storage = MICA_SPLIT;
        return desc;
    }
};
template <> struct mica::about<Burning> {
    static mica_type_desc describe()
    {
        mica_type_desc desc = MICA_DESCRIBE(Burning, ticks);
        desc.toggle = true;
        desc.row_stamps = true;
        return desc;
    }
};

#endif
