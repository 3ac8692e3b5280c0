// The same loops with each(), and the world that both run in: for each.sh, which counts instructions.
//
// usage: each c_move|cpp_move|c_pick|cpp_pick|c_sum|cpp_sum|c_step|cpp_step ROWS
//
// What is counted is the function measured().
#include <mica.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "each.h"

using movers = mica::query<Position, const Velocity>;

void cpp_move(const movers &query);
uint64_t cpp_pick(const movers &query);
float cpp_sum(const movers &query);

void cpp_move(const movers &query)
{
    query.each([](Position &p, const Velocity &v) {
        p.x += v.x * 0.5f;
        p.y += v.y * 0.5f;
    });
}

uint64_t cpp_pick(const movers &query)
{
    uint64_t picked = 0;
    query.each([&](mica::entity e, const Position &p, const Velocity &v) {
        if (p.x > v.x) {
            picked += e.bits;
        }
    });
    return picked;
}

float cpp_sum(const movers &query)
{
    float sum = 0;
    query.each([&](const Position &p, const Velocity &v) { sum += p.x * v.y; });
    return sum;
}

static const char *const names[] = {"c_move", "cpp_move", "c_pick", "cpp_pick",
                                    "c_sum",  "cpp_sum",  "c_step", "cpp_step"};

extern "C" double measured(mica::world *world, const movers *query, int what);

extern "C" __attribute__((noinline)) double measured(mica::world *world, const movers *query,
                                                     int what)
{
    switch (what) {
    case 0: c_move(*world, *query); return 0;
    case 1: cpp_move(*query); return 0;
    case 2: return static_cast<double>(c_pick(*world, *query));
    case 3: return static_cast<double>(cpp_pick(*query));
    case 4: return static_cast<double>(c_sum(*world, *query));
    case 5: return static_cast<double>(cpp_sum(*query));
    default: world->step(0.5); return 0;
    }
}

int main(int count, char **arguments)
{
    if (count != 3) {
        return EXIT_FAILURE;
    }
    int what = 0;
    while (what < 7 && std::strcmp(names[what], arguments[1]) != 0) {
        what++;
    }
    mica::world world;
    for (int i = 0; i < std::atoi(arguments[2]); i++) {
        world.spawn(Position{static_cast<float>(i % 7), 1}, Velocity{3, static_cast<float>(i % 5)});
    }
    movers query = world.query<Position, const Velocity>();
    if (what == 6) {
        mica_system_desc desc = {};
        desc.name = "move";
        desc.update = c_update;
        desc.query.terms[0] = {world.type<Position>(), MICA_WRITE};
        desc.query.terms[1] = {world.type<Velocity>(), MICA_READ};
        mica_system_add(world, &desc);
    } else if (what == 7) {
        world.system<Position, const Velocity>("move").each(
            [](Position &p, const Velocity &v, float dt) {
                p.x += v.x * dt;
                p.y += v.y * dt;
            });
    }
    double answer = measured(&world, &query, what);
    float sum = 0;
    query.each([&](const Position &p, const Velocity &) { sum += p.x + p.y; });
    std::printf("%.9g %.9g\n", answer, static_cast<double>(sum));
    return world.validate() == MICA_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
