// mica.hpp: systems, resources, events, commands and observers from functions.
#include <mica.hpp>

#include <stdexcept>
#include <vector>

#include "fixture.hpp"

struct Gravity {
    float y;
};
struct Score {
    int points;
};
struct Hit {
    mica::entity who;
    int damage;
};

static void a_system_runs_over_rows_and_segments()
{
    Fixture f;
    mica::entity e = f.world.spawn(Position{0, 0}, Velocity{1, 2});
    mica_system move = f.world.system<Position, const Velocity>("move").each(
        [](Position &p, const Velocity &v, float dt) {
            p.x += v.x * dt;
            p.y += v.y * dt;
        });
    size_t rows = 0;
    mica_system look = f.world.system<const Position>("look").each_segment(
        [&rows](mica::iter &it, mica::span<const Position> p) {
            rows += p.size();
            CHECK(it.dt() == 0.5f);
        });
    CHECK(move && look && f.world.find_system("move") == move);
    CHECK(f.world.step(0.5) == MICA_OK && f.world.step(0.5) == MICA_OK);
    CHECK(f.world.get<Position>(e)->y == 2 && rows == 2);
    CHECK(f.world.disable(move) == MICA_OK && f.world.step(0.5) == MICA_OK);
    CHECK(f.world.get<Position>(e)->y == 2 && f.world.enable(move) == MICA_OK);
    CHECK(!f.world.system<const Position>("move").each([](const Position &) {}));
    CHECK(f.said.once(MICA_ERROR_NAME));
    CHECK(!f.world.system<const Position, Position>("twice").each(
        [](const Position &, Position &) {}));
    CHECK(f.said.once(MICA_ERROR_TERMS));
}

static void phases_order_and_conditions_are_said_in_words()
{
    Fixture f;
    std::string order;
    auto note = [&order](char letter) { return [&order, letter] { order += letter; }; };
    mica_phase physics = f.world.add_phase("physics", 0.25, f.world.find_phase("update"));
    mica_system b = f.world.system<>("b").run(note('b'));
    mica_system a = f.world.system<>("a").before(b).run(note('a'));
    bool open = true;
    mica_system d = f.world.system<>("d").after(a, b).when([&] { return open; }).run(note('d'));
    f.world.system<>("p").in(physics).begin(note('(')).end(note(')')).run(note('p'));
    f.world.system<>("off").disabled().run(note('x'));
    f.world.system<>("e").after(d).when([](mica::iter &it) { return it.dt() > 0; }).run(note('e'));
    CHECK(f.world.step(0.5) == MICA_OK && order == "(p)(p)abde");
    open = false;
    order.clear();
    CHECK(f.world.step(0) == MICA_OK && order == "ab");
    CHECK(!f.world.system<>("wrong").before(a).after(b).run(note('w')));
    CHECK(f.said.once(MICA_ERROR_ORDER));
}

static void phases_and_systems_run_in_lists() // S1.6
{
    Fixture f;
    std::string order;
    auto note = [&order](char letter) { return [&order, letter] { order += letter; }; };
    mica_phase one = f.world.add_manual_phase("one", f.world.find_phase("update"));
    mica_phase two = f.world.add_manual_phase("two");
    mica_system a = f.world.system<>("a").in(one).run(note('a'));
    mica_system b = f.world.system<>("b").in(two).run(note('b'));
    f.world.system<>("u").run(note('u'));
    CHECK(f.world.step(1) == MICA_OK && order == "u");
    CHECK(f.world.run({two, one, two}, 1) == MICA_OK && order == "ubab");
    CHECK(f.world.run({one}, 1) == MICA_OK && order == "ubaba");
    CHECK(f.world.run({b, a}, 1) == MICA_OK && order == "ubababa");
    const std::vector<mica_phase> schedule = {one, two};
    order.clear();
    CHECK(f.world.run(schedule, 1) == MICA_OK && order == "ab");
    const mica_system systems[] = {a, a};
    CHECK(f.world.run(systems, 1) == MICA_OK && order == "abaa");
    CHECK(f.world.run({mica_phase{}}, 1) == MICA_ERROR_PHASE && f.said.once(MICA_ERROR_PHASE));
}

static void what_a_system_reaches_is_declared_in_its_words()
{
    Fixture f;
    mica::entity e = f.world.spawn(Position{0, 0});
    f.world.set_resource(Gravity{-10}, Score{0});
    f.world.system<Position, mica::res<const Gravity>>("fall").each(
        [](Position &p, const Gravity &g, float dt) { p.y += g.y * dt; });
    f.world.system<const Position, mica::sends<Hit>>("land").each(
        [](mica::iter &it, mica::entity who, const Position &p) {
            if (p.y < 0) {
                CHECK(it.world().send(Hit{who, 5}) == MICA_OK);
            }
        });
    f.world.system<mica::receives<Hit>, mica::res<Score>, mica::uses<const Gravity>>("count").run(
        [](mica::iter &it, Score &score) {
            for (const Hit &hit : it.unread<Hit>()) {
                score.points += hit.damage;
            }
            CHECK(it.world().resource<Gravity>()->y == -10);
        });
    CHECK(f.world.step(1) == MICA_OK && f.world.step(1) == MICA_OK);
    CHECK(f.world.get<Position>(e)->y == -20 && f.world.resource<Score>()->points == 10);

    mica_system sly = f.world.system<>("sly").run(
        [](mica::iter &it) { CHECK(it.world().resource_mut<Score>() == nullptr); });
    CHECK(f.world.step(1) == MICA_OK && f.said.once(MICA_ERROR_UNDECLARED));
    CHECK(f.world.remove(sly) == MICA_OK);

    CHECK(f.world.remove_resource<Gravity>() == MICA_OK && !f.world.has_resource<Gravity>());
    CHECK(f.world.step(1) == MICA_ERROR_FAILED);
    CHECK(std::strstr(f.said.last.sentence, "system 'fall': there is no resource 'Gravity'"));
    CHECK(f.said.once(MICA_ERROR_FAILED));
}

static void a_system_may_iterate_queries_of_its_own()
{
    Fixture f;
    f.world.spawn(Position{1, 0});
    f.world.spawn(Position{2, 0});
    auto positions = f.world.query<const Position>();
    float sum = 0;
    f.world.system<const Position>("pairs").iterates(positions).each(
        [&](const Position &a) { positions.each([&](const Position &b) { sum += a.x * b.x; }); });
    CHECK(f.world.step(1) == MICA_OK && sum == 9);
    mica_system sly = f.world.system<>("sly").run([&] { positions.each([](const Position &) {}); });
    CHECK(f.world.step(1) == MICA_OK && f.said.once(MICA_ERROR_UNDECLARED));
    CHECK(f.world.remove(sly) == MICA_OK);
}

static void what_a_function_captured_ends_with_its_system()
{
    auto counted = std::make_shared<int>(0);
    {
        Fixture f;
        mica_system once =
            f.world.system<>("once").begin([counted] {}).run([counted] { ++*counted; });
        f.world.system<>("stays").run([counted] { ++*counted; });
        CHECK(counted.use_count() == 4 && f.world.step(1) == MICA_OK);
        CHECK(f.world.remove(once) == MICA_OK && counted.use_count() == 2);
        CHECK(!f.world.system<>("stays").run([counted] {}) && f.said.once(MICA_ERROR_NAME));
        CHECK(counted.use_count() == 2 && f.world.step(1) == MICA_OK);
        f.world
            .observe(MICA_ON_SPAWN, [counted](const mica::observer_event<void> &) { ++*counted; })
            .keep();
        f.world.spawn();
        CHECK(counted.use_count() == 3);
    }
    CHECK(counted.use_count() == 1 && *counted == 4);
}

static void functions_may_be_such_that_can_only_be_moved()
{
    Fixture f;
    int runs = 0;
    mica_system system =
        f.world.system<>("count")
            .when([often = std::make_unique<int>(2)](mica::iter &) { return --*often >= 0; })
            .begin(
                [one = std::make_unique<int>(1), &runs] { return runs += *one; }) // not asked for
            .end([ten = std::make_unique<int>(10), &runs] { runs += *ten; })
            .run([hundred = std::make_unique<int>(100), &runs] { runs += *hundred; });
    CHECK(system);
    for (int i = 0; i < 3; i++) {
        CHECK(f.world.step(1) == MICA_OK);
    }
    CHECK(runs == 222);
}

static void a_function_may_fail_the_step()
{
    Fixture f;
    bool bad = true;
    mica_system load = f.world.system<>("load").run([&](mica::iter &it) {
        if (bad) {
            it.fail(-7, "no such level");
        }
    });
    CHECK(f.world.step(1) == MICA_ERROR_FAILED);
    CHECK(std::strstr(f.said.last.sentence, "system 'load': no such level"));
    CHECK(f.said.last.value == -7 && f.world.last_error().value == -7); // S1.7
    CHECK(f.said.once(MICA_ERROR_FAILED));
    bad = false;
    CHECK(f.world.step(1) == MICA_OK && f.world.remove(load) == MICA_OK);
#ifdef __cpp_exceptions
    f.world.spawn(Position{1, 0});
    mica_system boom = f.world.system<const Position>("boom").each(
        [](const Position &) { throw std::runtime_error("too much"); });
    CHECK(f.world.step(1) == MICA_ERROR_FAILED);
    CHECK(std::strstr(f.said.last.sentence, "system 'boom': too much"));
    CHECK(f.said.last.value == 0);
    CHECK(f.said.once(MICA_ERROR_FAILED) && f.world.remove(boom) == MICA_OK);
    mica_system ask = f.world.system<>("ask").when([]() -> bool { throw 1; }).run([] {});
    CHECK(f.world.step(1) == MICA_ERROR_FAILED && f.said.once(MICA_ERROR_FAILED));
    CHECK(f.world.remove(ask) == MICA_OK && f.world.step(1) == MICA_OK);
#endif
}

static void events_are_read_once_by_each_cursor()
{
    Fixture f;
    mica::cursor one, two; // which have read nothing
    CHECK(f.world.send(Hit{{}, 1}, Hit{{}, 2}) == MICA_OK);
    auto sum = [&](mica::cursor &seen) {
        int damage = 0;
        for (const Hit &hit : f.world.events<Hit>(seen)) {
            damage += hit.damage;
        }
        return damage;
    };
    CHECK(sum(one) == 3 && sum(one) == 0);
    Hit more = {{}, 4};
    CHECK(f.world.send(more) == MICA_OK && sum(one) == 4 && sum(two) == 7);
    mica_event_info hits;
    CHECK(mica_event_get_info(f.world, f.world.type<Hit>(), &hits) && hits.now + hits.last == 3);
    CHECK(f.world.events<Score>(one).begin() != mica::event_range<Score>::end_mark{} ? false
                                                                                     : true);
    CHECK(f.said.once(MICA_ERROR_ARGUMENT)); // that cursor has read another type
    mica::cursor hud("hud"), same("hud");
    CHECK(sum(hud) == 7 && sum(same) == 0);
    CHECK(f.world.remove_cursor("hud") == MICA_OK && sum(hud) == 7);
}

static void changes_are_recorded_for_later()
{
    Fixture f;
    mica::entity a = f.world.spawn(Health{});
    mica::entity b = f.world.spawn(Health{});
    auto living = f.world.query<const Health>();
    mica::entity born = {};
    living.each([&](mica::iter &it, mica::entity e, const Health &) {
        CHECK(it.world().despawn(e) == MICA_ERROR_ITERATING && f.said.once(MICA_ERROR_ITERATING));
        if (e == a) {
            it.later().despawn(e);
            born = it.later().spawn(Health{}, Name{"born later, with a name that is long"});
            it.later().add<Frozen>(b);
        }
    });
    CHECK(!f.world.alive(a) && f.world.alive(born) && f.world.has<Frozen>(b));
    CHECK(f.world.get<Name>(born)->text.size() > 20);

    CHECK(f.world.later([b](mica::face world) { world.remove<Frozen>(b); }) == MICA_OK);
    CHECK(f.world.has<Frozen>(b) && f.world.apply() == MICA_OK && !f.world.has<Frozen>(b));
    CHECK(f.world.call([b](mica::face world) { world.add<Frozen>(b); }) == MICA_OK);
    CHECK(f.world.has<Frozen>(b)); // on the world itself, at once

    mica::commands plan = f.world.commands();
    mica::entity planned = plan.spawn(Position{1, 2});
    CHECK(plan.waiting() > 0 && !f.world.alive(planned));
    mica::commands moved = std::move(plan);
    CHECK(moved.apply() == MICA_OK && f.world.get<Position>(planned)->y == 2);
    moved.despawn(planned);
    CHECK(moved.discard() == MICA_OK && moved.apply() == MICA_OK && f.world.alive(planned));
}

static void an_observer_is_reported_as_long_as_it_lives()
{
    Fixture f;
    int burning = 0, ticks = 0;
    {
        mica::observer watch = f.world.observe<Burning>(
            MICA_ON_ADD | MICA_ON_REMOVE, [&](const mica::observer_event<Burning> &h) {
                burning += h.kind() == MICA_ON_ADD ? 1 : -1;
                ticks = h.value()->ticks;
                CHECK(h.world().alive(h.entity()) && h.raw()->kind == h.kind());
            });
        CHECK(watch);
        mica::entity e = f.world.spawn(Burning{3});
        f.world.spawn(Burning{4});
        CHECK(burning == 2 && ticks == 4);
        mica::observer moved = std::move(watch);
        f.world.remove<Burning>(e);
        CHECK(burning == 1 && ticks == 3 && !watch);
    }
    f.world.spawn(Burning{5});
    CHECK(burning == 1);
    mica::observer wrong =
        f.world.observe<Burning>(MICA_ON_ENTER, [](const mica::observer_event<Burning> &) {});
    CHECK(!wrong && f.said.once(MICA_ERROR_ARGUMENT));
    CHECK(!mica_observer(wrong));
}

static void an_observer_may_change_things_later_and_end_itself()
{
    Fixture f;
    mica::observer watch;
    auto counted = std::make_shared<int>(0);
    watch = f.world.observe<Health>(MICA_ON_ADD,
                                    [&watch, counted](const mica::observer_event<Health> &h) {
                                        h.later().add<Frozen>(h.entity());
                                        watch = mica::observer(); // and goes on
                                        ++*counted;
                                    });
    mica::entity a = f.world.spawn(Health{});
    mica::entity b = f.world.spawn(Health{});
    CHECK(f.world.has<Frozen>(a) && !f.world.has<Frozen>(b));
    CHECK(*counted == 1 && counted.use_count() == 1);
}

static void observers_hear_of_what_is_there_and_of_signals()
{
    Fixture f;
    const mica::face world = f.world;
    int calls = 0;
    mica::entity e = world.spawn(Position{1, 2});
    mica::observer come = world.observe<Position>(
        MICA_ON_ADD | MICA_ON_SET | MICA_ON_SIGNAL | mica::existing,
        [&](const mica::observer_event<Position> &h) {
            calls += h.kind() == MICA_ON_ADD ? 1 : h.kind() == MICA_ON_SET ? 10 : 100;
        });
    CHECK(calls == 11);
    world.get_mut<Position>(e)->x = 5;
    CHECK(world.modified<Position>(e) == MICA_OK && calls == 21);
    CHECK(world.signal(e, Position{3, 4}) == MICA_OK && calls == 121);
    CHECK(world.signal<Position>(e) == MICA_OK && calls == 221);
    CHECK(world.disable(come) == MICA_OK && world.signal<Position>(e) == MICA_OK && calls == 221);
    CHECK(world.enable(come) == MICA_OK && world.signal<Position>(e) == MICA_OK && calls == 321);
}

static void an_observer_of_a_query_is_reported_who_comes_and_goes()
{
    Fixture f;
    std::vector<mica::entity> inside;
    mica::observer watch = f.world.observe_query<const Position, mica::without<Frozen>>(
        MICA_ON_ENTER | MICA_ON_LEAVE, [&](const mica::observer_event<void> &h) {
            if (h.kind() == MICA_ON_ENTER) {
                inside.push_back(h.entity());
            } else {
                inside.pop_back();
            }
            CHECK(h.value() == nullptr);
        });
    mica::entity e = f.world.spawn(Position{});
    CHECK(inside.size() == 1 && inside[0] == e);
    f.world.add<Frozen>(e);
    CHECK(inside.empty());
}

static void a_guest_leaves_the_world_of_c_as_it_found_it()
{
    Said said;
    mica_world_desc desc = said.desc();
    mica_world *raw = mica_world_new(&desc);
    auto counted = std::make_shared<int>(0);
    mica::entity e = {};
    {
        mica::guest guest(raw);
        e = guest.spawn(Position{1, 0});
        guest.system<Position>("guest").each([counted](Position &p) {
            p.x++;
            ++*counted;
        });
        guest.observe(MICA_ON_SPAWN, [counted](const mica::observer_event<void> &) { ++*counted; })
            .keep();
        mica_spawn(raw);
        CHECK(mica_step(raw, 1) == MICA_OK && *counted == 2);
    }
    CHECK(counted.use_count() == 1 && MICA_IS_NONE(mica_system_find(raw, "guest")));
    mica_spawn(raw);
    CHECK(mica_step(raw, 1) == MICA_OK && *counted == 2);
    mica::guest again(raw);
    CHECK(again.get<Position>(e)->x == 2 && again.validate() == MICA_OK);
    CHECK(said.errors == 0 && mica_world_free(raw) == MICA_OK);
}

int main()
{
    const test_case cases[] = {
        CASE(a_system_runs_over_rows_and_segments),
        CASE(phases_order_and_conditions_are_said_in_words),
        CASE(phases_and_systems_run_in_lists),
        CASE(what_a_system_reaches_is_declared_in_its_words),
        CASE(a_system_may_iterate_queries_of_its_own),
        CASE(what_a_function_captured_ends_with_its_system),
        CASE(functions_may_be_such_that_can_only_be_moved),
        CASE(a_function_may_fail_the_step),
        CASE(events_are_read_once_by_each_cursor),
        CASE(changes_are_recorded_for_later),
        CASE(an_observer_is_reported_as_long_as_it_lives),
        CASE(an_observer_may_change_things_later_and_end_itself),
        CASE(observers_hear_of_what_is_there_and_of_signals),
        CASE(an_observer_of_a_query_is_reported_who_comes_and_goes),
        CASE(a_guest_leaves_the_world_of_c_as_it_found_it),
    };
    return run_cases(cases);
}
