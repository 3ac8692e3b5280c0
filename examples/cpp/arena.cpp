// Systems, resources, events, commands and observers: two fighters, one winner.
#include <mica.hpp>

#include <cstdio>

struct Health {
    int points;
};
struct Blow { // a component: the weapon and the target
    mica::entity target;
    int damage;
};
struct Hit { // an event
    mica::entity target;
    int damage;
};
struct Round { // a resource
    int number;
};

int main()
{
    mica::world world;
    world.set_resource(Round{0});
    mica::entity troll = world.spawn(Health{12});
    mica::entity knight = world.spawn(Health{20}, Blow{troll, 5});
    world.set(troll, Blow{knight, 3});
    world.set_name(troll, "troll");
    world.set_name(knight, "knight");

    mica_system strike = world.system<const Blow, mica::sends<Hit>>("strike").each(
        [](mica::iter &it, const Blow &blow) {
            it.world().send(Hit{blow.target, blow.damage});
        });

    // It reads each event once.
    world.system<mica::receives<Hit>, mica::res<Round>>("suffer").after(strike).run(
        [](mica::iter &it, Round &round) {
            round.number++;
            for (const Hit &hit : it.unread<Hit>()) {
                Health *health = it.world().get_mut<Health>(hit.target);
                health->points -= hit.damage;
                std::printf("round %d: %s has %d left\n", round.number, it.world().name(hit.target),
                            health->points);
            }
        });

    // Entities are not to go while a system runs over them: later.
    world.system<const Health>("die").each(
        [](mica::iter &it, mica::entity e, const Health &health) {
            if (health.points <= 0) {
                it.later().despawn(e);
            }
        });

    bool over = false;
    mica::observer end =
        world.observe<Health>(MICA_ON_REMOVE, [&over](const mica::observer_event<Health> &h) {
            std::printf("the %s falls\n", h.world().name(h.entity()));
            over = true;
        });
    while (!over) {
        world.step(1);
    }
    std::printf("%u left\n", static_cast<unsigned>(world.count()));
}
