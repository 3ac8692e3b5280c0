// Queries: the terms, and what each passes to the loop.
#include <mica.hpp>

#include <cstdio>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Health {
    int points;
};
struct Frozen {}; // no members: a tag

int main()
{
    mica::world world;
    world.set_name(world.spawn(Position{0, 0}, Velocity{1, 1}, Health{10}), "anna");
    world.set_name(world.spawn(Position{5, 5}, Velocity{2, 0}, Frozen{}), "berta");
    world.set_name(world.spawn(Position{9, 9}, Health{3}), "tree");

    // Written, read, and not frozen.
    auto movers = world.query<Position, const Velocity, mica::without<Frozen>>();
    movers.each([](Position &p, const Velocity &v) {
        p.x += v.x;
        p.y += v.y;
    });

    // The entity is the first parameter, if the lambda has it. An optional component is a pointer.
    world.query<const Position, mica::maybe<const Health>>().each(
        [&](mica::entity e, const Position &p, const Health *health) {
            std::printf("%s at %g %g, health %d\n", world.name(e), p.x, p.y,
                        health ? health->points : 0);
        });

    // By segments: rows that lie side by side, as spans.
    float sum = 0;
    world.query<const Position>().each_segment([&](mica::span<const Position> positions) {
        for (const Position &p : positions) {
            sum += p.x;
        }
    });
    std::printf("the sum of x is %g\n", sum);

    // All at once.
    world.query<const Health, mica::without<Velocity>>().set_all(Health{99});
    std::printf("the tree has %d\n", world.get<Health>(world.find("tree"))->points);
}
