// mica.hpp: objects of C++ that own something in C, and end at any time: before and after their world or guest, inside
// hooks, handlers, iterations, systems, observers and their own functions. Wherever that is, C does not call what has
// ended, what a function captured ends, and what was made in C is freed as soon as C allows it.
#include "fixture.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

using Thing = std::shared_ptr<void>;
using Captured = std::shared_ptr<int>; // what functions capture: they count their calls there

struct Left {
    int x;
};
struct Right {
    int x;
};
template <> struct mica::about<Left> : mica::stored<Left, MICA_SPARSE> {};
template <> struct mica::about<Right> : mica::stored<Right, MICA_SPARSE> {};

// One object is part of a component, so that it ends in a hook.
struct Holder {
    Thing thing;
};

template <class T> static Thing hold(T &&thing)
{
    return std::make_shared<std::decay_t<T>>(std::move(thing));
}

struct Kind {
    const char *name;
    Thing (*make)(mica::face world, const Captured &counted);
    bool calls; // it has a function, which a new Burning calls
};

static const Kind kinds[] = {
    {"query",
     [](mica::face world, const Captured &) { return hold(world.query<const Burning>("of mine")); },
     false},
    {"bundle",
     [](mica::face world, const Captured &) { return hold(world.bundle<Burning, Frozen>()); },
     false},
    {"group", [](mica::face world, const Captured &) { return hold(world.group<Left, Right>()); },
     false},
    {"commands",
     [](mica::face world, const Captured &) {
         mica::commands commands = world.commands();
         commands.spawn(Name{"a name that is too long to be kept inside"});
         return hold(std::move(commands));
     },
     false},
    {"observer of a component",
     [](mica::face world, const Captured &counted) {
         return hold(world.observe<Burning>(
             MICA_ON_ADD, [counted](const mica::observer_event<Burning> &) { ++*counted; }));
     },
     true},
    {"observer of a query",
     [](mica::face world, const Captured &counted) {
         return hold(world.observe_query<const Burning>(
             MICA_ON_ENTER, [counted](const mica::observer_event<void> &) { ++*counted; }));
     },
     true},
    {"observer of entities",
     [](mica::face world, const Captured &counted) {
         return hold(world.observe(MICA_ON_SPAWN, [counted](const mica::observer_event<void> &h) {
             *counted += h.world().has<Burning>(h.entity());
         }));
     },
     true},
};

// A world, the one object in it, and how many queries and observers there are without it.
struct Scene : Fixture {
    Captured counted = std::make_shared<int>(0);
    mica_world_stats before = {};
    Thing thing;

    explicit Scene(const Kind &kind)
    {
        world.type<Burning>();
        world.type<Holder>();
        world.type<Left>();
        world.type<Right>();
        world.later();
        before = mica_world_get_stats(world);
        thing = kind.make(world, counted);
        CHECK(thing);
    }

    // It has ended: nothing is called, what was captured has ended, and C has freed it after the next step.
    void check_ended()
    {
        int calls = *counted;
        world.spawn(Burning{2});
        CHECK(*counted == calls && counted.use_count() == 1 && !thing);
        CHECK(world.validate() == MICA_OK);
        CHECK(world.step(0) == MICA_OK);
        mica_world_stats after = mica_world_get_stats(world);
        CHECK(after.queries == before.queries && after.observers == before.observers);
        CHECK((world.group<Left, Right>())); // which there cannot be twice
    }
};

// Where an object ends: `thing` is the last that holds it, when this is called.
struct Place {
    const char *name;
    void (*end)(Scene &scene);
};

struct Once {
    int dummy;
};

static const Place places[] = {
    {"at once", [](Scene &s) { s.thing.reset(); }},
    {"with the entity it is in",
     [](Scene &s) {
         mica::entity e = s.world.spawn(Holder{std::move(s.thing)});
         s.world.despawn(e);
     }},
    {"with the component it is in",
     [](Scene &s) {
         mica::entity e = s.world.spawn(Holder{std::move(s.thing)}, Burning{1});
         s.world.remove<Holder>(e);
     }},
    {"with the value it was in",
     [](Scene &s) {
         mica::entity e = s.world.spawn(Holder{std::move(s.thing)});
         s.world.set(e, Holder{});
     }},
    {"with all entities",
     [](Scene &s) {
         s.world.spawn(Holder{std::move(s.thing)});
         s.world.clear();
     }},
    {"with a resource",
     [](Scene &s) {
         s.world.set_resource(Holder{std::move(s.thing)});
         s.world.remove_resource<Holder>();
     }},
    {"with a command that is forgotten",
     [](Scene &s) {
         s.world.later().spawn(Holder{std::move(s.thing)});
         mica_commands_discard(s.world.later());
     }},
    {"with an entity that a command ends",
     [](Scene &s) {
         mica::entity e = s.world.spawn(Holder{std::move(s.thing)});
         s.world.later().despawn(e);
         s.world.apply();
     }},
    {"in an iteration",
     [](Scene &s) {
         s.world.spawn(Once{1});
         s.world.query<const Once>().each([&](const Once &) { s.thing.reset(); });
     }},
    {"in an observer of an entity that spawns",
     [](Scene &s) {
         mica::observer other = s.world.observe<Once>(
             MICA_ON_ADD, [&](const mica::observer_event<Once> &) { s.thing.reset(); });
         s.world.spawn(Once{1}, Burning{1});
     }},
    {"in an observer of an entity that ends",
     [](Scene &s) {
         mica::observer other = s.world.observe<Once>(
             MICA_ON_REMOVE, [&](const mica::observer_event<Once> &) { s.thing.reset(); });
         s.world.despawn(s.world.spawn(Once{1}, Burning{1}));
     }},
    {"in a system",
     [](Scene &s) {
         mica_system system = s.world.system<>("ends it").run([&] { s.thing.reset(); });
         CHECK(s.world.step(1) == MICA_OK && s.world.remove(system) == MICA_OK);
     }},
    {"with a system that captured it",
     [](Scene &s) {
         mica_system system = s.world.system<>("has it").run([thing = std::move(s.thing)] {});
         CHECK(s.world.step(1) == MICA_OK && s.world.remove(system) == MICA_OK);
     }},
    {"with an observer that captured it",
     [](Scene &s) {
         mica::observer other = s.world.observe<Once>(
             MICA_ON_ADD, [thing = std::move(s.thing)](const mica::observer_event<Once> &) {});
     }},
    {"in a function that was recorded",
     [](Scene &s) {
         s.world.later([at = &s.thing](mica::face) { at->reset(); });
         s.world.apply();
     }},
    {"in the error handler",
     [](Scene &s) {
         mica_world_set_error_handler(
             s.world,
             [](mica_world *, const mica_error *, void *user) {
                 static_cast<Scene *>(user)->thing.reset();
             },
             &s);
         s.world.despawn(mica::entity{});
         mica_world_set_error_handler(s.world, Said::hear, &s.said);
     }},
};

static void an_object_may_end_anywhere()
{
    for (const Kind &kind : kinds) {
        for (const Place &place : places) {
            int failed = checks_failed;
            Scene s(kind);
            s.world.spawn(Burning{1});
            CHECK(*s.counted == kind.calls);
            place.end(s);
            s.check_ended();
            if (checks_failed != failed) {
                std::printf("  a %s, %s\n", kind.name, place.name);
            }
        }
    }
}

// The world first: in what order members are declared is not to matter.
static void an_object_may_end_after_its_world_or_with_it()
{
    for (const Kind &kind : kinds) {
        Captured counted = std::make_shared<int>(0);
        Thing thing, held;
        {
            mica::world world;
            thing = kind.make(world, counted);
        }
        CHECK(counted.use_count() == 1);
        thing.reset();
        {
            mica::world world;
            world.spawn(Holder{kind.make(world, counted)});
            world.set_resource(Holder{hold(world.query<Burning>())});
            world.send(Holder{hold(world.query<Burning>())});
            world.later().spawn(Holder{hold(world.query<Burning>())});
        }
        CHECK(counted.use_count() == 1 && *counted == 0);
    }
}

// A world of C, with a guest in it.
struct Visit {
    Said said;
    mica_world *raw;
    std::unique_ptr<mica::guest> guest;
    mica_type burning = {};
    Captured counted = std::make_shared<int>(0);

    Visit()
    {
        mica_world_desc desc = said.desc();
        raw = mica_world_new(&desc);
        guest = std::make_unique<mica::guest>(raw);
        burning = guest->type<Burning>();
    }
    Visit(const Visit &) = delete;
    Visit &operator=(const Visit &) = delete;
    ~Visit()
    {
        guest.reset();
        CHECK(said.errors == 0);
        CHECK(mica_world_validate(raw) == MICA_OK && mica_world_free(raw) == MICA_OK);
        CHECK(counted.use_count() == 1);
    }
    // Whether somebody noticed.
    bool burn()
    {
        int calls = *counted;
        Burning value = {1};
        CHECK(mica_spawn(raw, mica_value_from(burning, value)));
        return *counted != calls;
    }
};

static void an_object_may_end_after_its_guest()
{
    for (const Kind &kind : kinds) {
        Visit v;
        Thing thing = kind.make(*v.guest, v.counted);
        CHECK(v.burn() == kind.calls);
        v.guest.reset();
        CHECK(!v.burn() && v.counted.use_count() == 1);
        CHECK(mica_world_get_stats(v.raw).observers == 0);
        thing.reset();
        CHECK(!v.burn());
    }
}

static void an_object_in_a_component_may_end_after_its_guest()
{
    for (const Kind &kind : kinds) {
        Visit v;
        mica::entity e = v.guest->spawn(Holder{kind.make(*v.guest, v.counted)});
        v.guest.reset();
        CHECK(!v.burn() && v.counted.use_count() == 1);
        CHECK(mica_despawn(v.raw, e) == MICA_OK && !v.burn());
        Visit w; // and with the world
        w.guest->spawn(Holder{kind.make(*w.guest, w.counted)});
    }
}

static void a_guest_may_end_inside_its_observers()
{
    Visit v;
    mica::observer self = v.guest->observe<Burning>(
        MICA_ON_ADD, [&v, counted = v.counted](const mica::observer_event<Burning> &h) {
            v.guest.reset();
            ++*counted; // this is still there
            CHECK(h.value()->ticks == 1);
        });
    v.guest
        ->observe<Burning>(MICA_ON_ADD, [counted = v.counted](
                                            const mica::observer_event<Burning> &) { ++*counted; })
        .keep();
    CHECK(v.burn() && *v.counted == 1 && v.counted.use_count() == 1);
    CHECK(!v.burn() && mica_world_get_stats(v.raw).observers == 0);
}

// C refuses to let go of them, which is reported. A bit of memory is lost, so this world stays.
static void a_guest_that_ends_in_a_step_is_silent_from_then_on()
{
    static Visit *v = new Visit;
    v->guest->system<>("first").run([counted = v->counted] {
        v->guest.reset();
        ++*counted; // this is still there
    });
    v->guest->system<>("second")
        .when([counted = v->counted] { return true; })
        .begin([counted = v->counted] { ++*counted; })
        .run([counted = v->counted] { ++*counted; });
    CHECK(mica_step(v->raw, 1) == MICA_OK && *v->counted == 1);
    CHECK(v->said.errors == 2 && v->said.last.code == MICA_ERROR_ITERATING);
    CHECK(mica_step(v->raw, 1) == MICA_OK && *v->counted == 1);
    CHECK(v->counted.use_count() == 1 && mica_world_validate(v->raw) == MICA_OK);
}

static void a_recorded_function_is_not_called_after_its_guest()
{
    Visit v;
    int *calls = v.counted.get();
    v.guest->later([calls](mica::face world) { *calls += static_cast<int>(world.count()); });
    v.guest->later([calls](mica::face) { ++*calls; });
    v.guest.reset();
    CHECK(mica_commands_apply(v.raw) == MICA_OK && *calls == 0);
    v.guest = std::make_unique<mica::guest>(v.raw);
    v.guest->later([calls](mica::face world) { *calls += world.count() == 0; });
    CHECK(mica_commands_apply(v.raw) == MICA_OK && *calls == 1);
}

static void what_a_recorded_function_was_refused_is_not_waited_for()
{
    Visit v;
    int *calls = v.counted.get();
    mica::entity e = v.guest->spawn(Once{1});
    auto one = v.guest->query<const Once>();
    one.each([&](const Once &) {
        CHECK(v.guest->call([calls](mica::face) { ++*calls; }) == MICA_ERROR_ITERATING);
        CHECK(v.said.once(MICA_ERROR_ITERATING));
    });
    CHECK(v.guest->call([calls, e](mica::face world) { *calls += world.alive(e); }) == MICA_OK);
    CHECK(*calls == 1);
}

static void an_observer_may_end_in_its_own_function_and_in_a_nested_call_of_it()
{
    Fixture f;
    Captured counted = std::make_shared<int>(0);
    mica::observer watch;
    watch = f.world.observe<Burning>(
        MICA_ON_SET, [&watch, counted](const mica::observer_event<Burning> &h) {
            if (++*counted < 3) {
                h.world().set(h.entity(), Burning{*counted}); // which calls it again
            } else {
                watch = mica::observer();
            }
            CHECK(counted.use_count() >= 2);
        });
    mica::entity e = f.world.spawn(Burning{0});
    CHECK(*counted == 3 && counted.use_count() == 1 && f.world.get<Burning>(e)->ticks == 2);
    f.world.set(e, Burning{9});
    CHECK(*counted == 3);
}

static void a_query_that_ends_while_it_is_iterated_is_freed_afterwards()
{
    Fixture f;
    f.world.spawn(Burning{1});
    uint32_t queries = mica_world_get_stats(f.world).queries;
    auto query = f.world.query<const Burning>("mine");
    mica_iter it = {};
    CHECK(mica_iter_begin(f.world, query, &it) == MICA_OK);
    query = mica::query<const Burning>();
    CHECK(f.said.once(MICA_ERROR_ITERATING)); // C says so
    CHECK(mica_world_get_stats(f.world).queries == queries + 1);
    {
        auto other = f.world.query<const Frozen>(); // not a moment to try it again
    }
    CHECK(f.said.errors == 0 && mica_iter_next(&it) && mica_iter_end(&it) == MICA_OK);
    CHECK(f.world.step(0) == MICA_OK && mica_world_get_stats(f.world).queries == queries);
}

// They are freed when the next are made, too: a world in which no step runs does not fill with them.
static void objects_in_components_do_not_pile_up()
{
    Fixture f;
    Captured counted = std::make_shared<int>(0);
    f.world.type<Burning>();
    uint32_t queries = mica_world_get_stats(f.world).queries;
    for (int i = 0; i < 100; i++) {
        mica::entity a = f.world.spawn(Holder{kinds[0].make(f.world, counted)});
        mica::entity b = f.world.spawn(Holder{kinds[4].make(f.world, counted)});
        f.world.despawn(a);
        f.world.despawn(b);
        CHECK(mica_world_get_stats(f.world).queries <= queries + 1);
        CHECK(mica_world_get_stats(f.world).observers <= 1);
    }
    CHECK(counted.use_count() == 1);
}

// Also one that owns the world it is in.
static void a_function_may_own_its_world()
{
    Captured counted = std::make_shared<int>(0);
    mica::observer last;
    {
        auto world = std::make_shared<mica::world>();
        last = world->observe<Burning>(
            MICA_ON_ADD, [world, counted](const mica::observer_event<Burning> &) { ++*counted; });
        world->spawn(Burning{1});
    }
    CHECK(*counted == 1 && counted.use_count() == 2);
    last = mica::observer();
    CHECK(counted.use_count() == 1);
}

// As a function that keeps its observer, or another's, until it has been called.
static void functions_may_own_the_observers_of_their_guest()
{
    Fixture f;
    Captured counted = std::make_shared<int>(0);
    {
        mica::guest guest(f.world);
        auto self = std::make_shared<mica::observer>();
        auto first = std::make_shared<mica::observer>();
        auto second = std::make_shared<mica::observer>();
        *self = guest.observe<Burning>(
            MICA_ON_ADD, [self, counted](const mica::observer_event<Burning> &) { ++*counted; });
        *first = guest.observe<Burning>(
            MICA_ON_ADD, [second, counted](const mica::observer_event<Burning> &) { ++*counted; });
        *second = guest.observe<Burning>(
            MICA_ON_ADD, [first, counted](const mica::observer_event<Burning> &) { ++*counted; });
    }
    f.world.spawn(Burning{1});
    CHECK(*counted == 0 && counted.use_count() == 1);
}

static void moved_objects_end_once()
{
    Fixture f;
    Captured counted = std::make_shared<int>(0);
    mica::observer a = f.world.observe<Burning>(
        MICA_ON_ADD, [counted](const mica::observer_event<Burning> &) { ++*counted; });
    mica::observer &same = a;
    a = std::move(same);
    mica::observer b = std::move(a);
    mica_observer handle = b;
    CHECK(b && !a && handle && !mica_observer(a));
    f.world.spawn(Burning{1});
    CHECK(*counted == 1);
    CHECK(b.keep() == handle && !b && !mica_observer(b) && !b.keep());
    f.world.spawn(Burning{1});
    CHECK(*counted == 2);
    CHECK(mica_observer_free(f.world, handle) == MICA_OK); // by C: the world ends the function

    auto query = f.world.query<const Burning>();
    auto &same_query = query;
    query = std::move(same_query);
    CHECK(query && query.count() == 2);
    auto bundle = f.world.bundle<Burning>();
    auto &same_bundle = bundle;
    bundle = std::move(same_bundle);
    CHECK(bundle.spawn(Burning{3}));
    mica::group group = f.world.group<Left, Right>();
    mica::group &same_group = group;
    group = std::move(same_group);
    CHECK(group && group.count() == 0);
    mica::commands commands = f.world.commands();
    mica::commands &same_commands = commands;
    commands = std::move(same_commands);
    commands.spawn(Frozen{});
    CHECK(commands.waiting() > 0 && commands.apply() == MICA_OK);
    mica::world &same_world = f.world;
    f.world = std::move(same_world);
    CHECK(f.world.count() > 0);
}

// Worlds change places: what belongs to each follows.
static void objects_follow_a_world_that_is_moved()
{
    Captured counted = std::make_shared<int>(0);
    for (const Kind &kind : kinds) {
        mica::world a, b;
        Thing thing = kind.make(a, counted);
        b = std::move(a); // a has b's
        mica::world c = std::move(b);
        int calls = *counted;
        c.spawn(Burning{1});
        CHECK(*counted - calls == kind.calls);
        a.spawn(Burning{1});
        CHECK(*counted - calls == kind.calls);
        thing.reset();
        CHECK(counted.use_count() == 1 && c.validate() == MICA_OK);
    }
}

int main()
{
    const test_case cases[] = {
        CASE(an_object_may_end_anywhere),
        CASE(an_object_may_end_after_its_world_or_with_it),
        CASE(an_object_may_end_after_its_guest),
        CASE(an_object_in_a_component_may_end_after_its_guest),
        CASE(a_guest_may_end_inside_its_observers),
        CASE(a_guest_that_ends_in_a_step_is_silent_from_then_on),
        CASE(a_recorded_function_is_not_called_after_its_guest),
        CASE(what_a_recorded_function_was_refused_is_not_waited_for),
        CASE(an_observer_may_end_in_its_own_function_and_in_a_nested_call_of_it),
        CASE(a_query_that_ends_while_it_is_iterated_is_freed_afterwards),
        CASE(objects_in_components_do_not_pile_up),
        CASE(a_function_may_own_its_world),
        CASE(functions_may_own_the_observers_of_their_guest),
        CASE(moved_objects_end_once),
        CASE(objects_follow_a_world_that_is_moved),
    };
    return run_cases(cases);
}
