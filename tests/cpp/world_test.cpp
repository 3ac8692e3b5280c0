// mica.hpp: the world, its types and values, queries and loops.
#include <mica.hpp>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fixture.hpp"

static void a_world_is_owned_and_can_be_moved()
{
    Said said;
    mica::world first(said.desc());
    mica::entity e = first.spawn(Position{1, 2});
    mica::query<const Position> query = first.query<const Position>();
    mica::face borrowed = first;
    mica_world *raw = first;
    mica::world second = std::move(first);
    CHECK(!first && second && static_cast<mica_world *>(second) == raw);
    CHECK(query.count() == 1 && borrowed.get<Position>(e)->y == 2);
    first = std::move(second);
    CHECK(first && !second && first.alive(e));
    CHECK(said.errors == 0);
    CHECK(second.spawn(Position{}) == mica::entity{}); // a world that is none
    CHECK(said.errors == 0);                           // has no handler of its own
    CHECK(first.validate() == MICA_OK);
}

static void a_handle_that_is_none_is_false()
{
    Fixture f;
    mica::entity none = {};
    CHECK(!none && f.world.spawn());
    CHECK(!mica_type{} && f.world.type<Position>());
    CHECK(!mica::query<Position>() && f.world.query<Position>());
    CHECK(!mica::observer() && !mica_system{} && !mica_phase{} && !mica_bundle{});
    CHECK(!f.world.find("nobody") && !f.world.find_system("none") && f.world.find_phase("update"));
}

static void a_type_is_registered_when_it_is_first_named()
{
    Fixture f;
    CHECK(mica_world_get_stats(f.world).types == 0);
    mica::entity e = f.world.spawn(Position{1, 2}, Frozen{}, Health{}, Target{}, Selected{});
    CHECK(mica_world_get_stats(f.world).types == 5);
    CHECK(f.world.type<Position>().raw == mica_type_find(f.world, "game::Position"));
    CHECK(f.world.type<const Position>().raw == f.world.type<Position>().raw);
    CHECK(std::strcmp(mica::name_of<Position>(), "game::Position") == 0);
    CHECK(std::strcmp(mica::name_of<const Frozen>(), "Frozen") == 0);
    CHECK(mica_type_get_info(f.world, f.world.type<Frozen>())->size == 0); // a tag
    CHECK(mica_type_get_info(f.world, f.world.type<Target>())->storage == MICA_SPARSE);
    CHECK(mica_type_get_info(f.world, f.world.type<Selected>())->storage == MICA_SPARSE);
    CHECK(mica_type_get_info(f.world, f.world.type<Selected>())->size == 0);
    CHECK(mica_type_get_info(f.world, f.world.type<Body>())->field_count == 3);
    CHECK(f.world.has<Frozen>(e) && f.world.get<Health>(e)->most == 100);
}

static void how_a_type_is_registered_can_be_said_in_the_world()
{
    Fixture f;
    mica::type<Position> position = f.world.type<Position>(MICA_RING);
    CHECK(position && mica_type_get_info(f.world, position)->storage == MICA_RING);
    mica::entity e = f.world.spawn(Position{1, 2});
    CHECK(f.world.has<Position>(e));
    mica_type_desc desc = mica::describe<Velocity>();
    desc.name = "speed";
    CHECK(f.world.type<Velocity>(desc) &&
          f.world.type<Velocity>().raw == mica_type_find(f.world, "speed"));
    CHECK(f.world.type<Velocity>(desc)); // the same again
    CHECK(!f.world.type<Position>(MICA_SPARSE) && f.said.once(MICA_ERROR_SHAPE));
}

// Of one use each, so that they are new to the world.
template <int Use, int Place> struct Written {
    int value;
};
template <int Place>
struct mica::about<Written<100, Place>> : mica::stored<Written<100, Place>, MICA_SPARSE> {};
template <int Place>
struct mica::about<Written<101, Place>> : mica::stored<Written<101, Place>, MICA_SPARSE> {};

// Are the last types of the world these, in this order?
template <int Use, int... Place> static bool are_last(const mica::world &world)
{
    std::vector<std::string> all, expected = {mica::name_of<Written<Use, Place>>()...};
    for (mica_type type = mica_type_next(world, {}); type; type = mica_type_next(world, type)) {
        all.push_back(mica_type_get_info(world, type)->name);
    }
    return all.size() >= expected.size() &&
           std::equal(expected.rbegin(), expected.rend(), all.rbegin());
}

template <int Use, int Place> using N = Written<Use, Place>;

// Not in the order in which a compiler evaluates arguments: hashes, observers and images follow the order of types.
static void types_are_registered_in_the_order_in_which_they_are_written()
{
    Fixture f;
    mica::world &w = f.world;
    mica::entity e = w.spawn(N<0, 0>{1}, N<0, 1>{2}, N<0, 2>{3}, N<0, 3>{4});
    CHECK(are_last<0, 0, 1, 2, 3>(w));
    w.set(e, N<1, 0>{1}, N<1, 1>{2}, N<1, 2>{3});
    CHECK(are_last<1, 0, 1, 2>(w));
    w.change<N<2, 0>, N<2, 1>>(e, N<2, 2>{1}, N<2, 3>{2});
    CHECK(are_last<2, 0, 1, 2, 3>(w));
    w.add<N<3, 0>, N<3, 1>>(e);
    CHECK(are_last<3, 0, 1>(w));
    w.remove<N<4, 0>, N<4, 1>>(e);
    CHECK(are_last<4, 0, 1>(w));
    w.add_facet<N<5, 0>>(e, 1, N<5, 1>{1}, N<5, 2>{2});
    CHECK(are_last<5, 0, 1, 2>(w));
    w.set_resource(N<6, 0>{1}, N<6, 1>{2}, N<6, 2>{3});
    CHECK(are_last<6, 0, 1, 2>(w));
    w.send(N<7, 0>{1}, N<7, 1>{2}, N<7, 2>{3});
    CHECK(are_last<7, 0, 1, 2>(w));
    (void)w.query<N<8, 0>, const N<8, 1>, mica::without<N<8, 2>>, mica::maybe<N<8, 3>>>();
    CHECK(are_last<8, 0, 1, 2, 3>(w));
    (void)w.bundle<N<9, 0>, N<9, 1>, N<9, 2>>();
    CHECK(are_last<9, 0, 1, 2>(w));
    w.system<mica::receives<N<10, 0>>, mica::res<N<10, 1>>, N<10, 2>, mica::uses<N<10, 3>>,
             const N<10, 4>>("all")
        .each([](N<10, 1> &, N<10, 2> &, const N<10, 4> &) {});
    CHECK(are_last<10, 0, 1, 2, 3, 4>(w));
    (void)w.observe_query<N<11, 0>, mica::with<N<11, 1>>>(
        MICA_ON_ENTER, [](const mica::observer_event<void> &) {});
    CHECK(are_last<11, 0, 1>(w));
    w.later().spawn(N<12, 0>{1}, N<12, 1>{2}, N<12, 2>{3});
    CHECK(are_last<12, 0, 1, 2>(w));
    (void)w.group<mica::without<N<100, 0>>, N<100, 1>, N<100, 2>>();
    CHECK(are_last<100, 0, 1, 2>(w));
    w.sort_like<N<101, 0>, N<101, 1>>();
    CHECK(are_last<101, 0, 1>(w));
}

static void what_c_has_registered_is_found()
{
    Fixture f;
    mica_type health = mica_type_register(f.world, [] {
        static mica_type_desc desc = {};
        desc.name = "Health";
        desc.size = sizeof(Health);
        desc.align = alignof(Health);
        return &desc;
    }());
    CHECK(f.world.type<Health>().raw == health);
    mica_entity e = mica_spawn(f.world, MICA_VALUE(health, Health, ));
    f.world.get_mut<Health>(e)->now = 5;
    CHECK(MICA_GET(f.world, e, health, Health)->now == 5);
}

// Whoever has registered it: a T is not to be looked for in values of another size.
static void a_type_of_that_name_and_another_size_is_refused()
{
    Fixture f;
    mica_type_desc desc = {};
    desc.name = "Health";
    desc.size = 4;
    desc.align = 4;
    mica_type small = mica_type_register(f.world, &desc);
    mica::entity e = mica_spawn(f.world, MICA_ADD(small));
    CHECK(!f.world.type<Health>() && f.said.once(MICA_ERROR_SHAPE));
    CHECK(std::strstr(f.said.last.sentence, "'Health'"));
    int rows = 0;
    mica::query<const Health> query = f.world.query<const Health>();
    f.said.errors = 0;
    CHECK(!query && query.each([&](const Health &) { rows++; }) == MICA_ERROR_QUERY && rows == 0);
    CHECK(f.said.once(MICA_ERROR_QUERY));
    CHECK(!f.world.system<Health>("heal").each([](Health &) {}));
    CHECK(!f.world.observe<Health>(MICA_ON_SET, [](const mica::observer_event<Health> &) {}));
    CHECK(!f.world.get<Health>(e) && !f.world.spawn(Health{}));
    f.said.errors = 0;
    desc.name = "Frozen"; // a tag is one everywhere
    CHECK(mica_type_register(f.world, &desc) && !f.world.type<Frozen>());
    CHECK(f.said.once(MICA_ERROR_SHAPE));
}

template <int> struct Numbered {
    int value;
};
template <int... N> static bool spawn_numbered(mica::world &world, std::integer_sequence<int, N...>)
{
    return ((world.get<Numbered<N>>(world.spawn(Numbered<N>{N}))->value == N) && ...);
}

static void there_may_be_many_types()
{
    Fixture f;
    CHECK(spawn_numbered(f.world, std::make_integer_sequence<int, 100>{}));
    CHECK(spawn_numbered(f.world, std::make_integer_sequence<int, 100>{}));
    CHECK(mica_world_get_stats(f.world).types == 100);
}

// Both register the same types in another order, again and again: nothing of it is shared.
static void two_worlds_in_two_threads_share_nothing()
{
    int right[2] = {0, 0};
    auto work = [](int *right_out, bool forward) {
        for (int i = 0; i < 50; i++) {
            mica::world world;
            if (forward) {
                world.type<Position>();
            }
            world.type<Velocity>();
            mica::entity e = world.spawn(Position{1, 0}, Velocity{2, 0});
            world.system<Position, const Velocity>("move").each(
                [](Position &p, const Velocity &v, float dt) { p.x += v.x * dt; });
            world.step(1);
            *right_out += world.get<Position>(e)->x == 3;
        }
    };
    std::thread other(work, &right[0], true);
    work(&right[1], false);
    other.join();
    CHECK(right[0] == 50 && right[1] == 50);
}

struct Fixed {
    explicit Fixed(int of) : value(of) {}
    int value;
};

static void values_are_given_changed_and_taken()
{
    Fixture f;
    const mica::world &world = f.world;
    mica::entity e = world.spawn(Position{1, 2});
    Velocity v = {3, 4};
    CHECK(world.set(e, v, Frozen{}) == MICA_OK && world.get<Velocity>(e)->y == 4);
    CHECK(world.has<Frozen>(e) && !world.has<Health>(e) && world.get<Health>(e) == nullptr);
    CHECK(world.add<Health>(e) == MICA_OK && world.get<Health>(e)->now == 100);
    CHECK(world.remove<Frozen, Velocity>(e) == MICA_OK && !world.has<Frozen>(e));
    CHECK(world.change<Health>(e, Velocity{5, 6}, Frozen{}) == MICA_OK);
    CHECK(!world.has<Health>(e) && world.get<Velocity>(e)->x == 5 && world.has<Frozen>(e));
    CHECK(world.change<Frozen>(e) == MICA_OK && !world.has<Frozen>(e)); // nothing to set
    CHECK(world.load<Fixed>(world.spawn(Fixed(3)))->value == 3);        // no default constructor
    CHECK(world.count() == 2 && world.despawn(world.query<Fixed>().first()) == MICA_OK);
    world.get_mut<Position>(e)->x = 7;
    mica::entity copy = world.clone(e);
    CHECK(world.get<Position>(copy)->x == 7 && world.count() == 2);
    CHECK(world.set_name(e, "anna") == MICA_OK && world.find("anna") == e);
    CHECK(std::strcmp(world.name(e), "anna") == 0 && world.name(copy) == nullptr);
    CHECK(world.despawn(copy) == MICA_OK && !world.alive(copy));
    CHECK(world.try_get<Position>(e)->x == 7 && !world.try_get<Health>(e)); // S3.12
    CHECK(!world.try_get<Position>(copy) && !world.try_get<Position>({}) && f.said.errors == 0);
    CHECK(world.get<Position>(copy) == nullptr && f.said.once(MICA_ERROR_ENTITY));
    CHECK(world.last_error().code == MICA_ERROR_ENTITY);
    mica::entity split = world.spawn(Body{1, 2, 3});
    CHECK(world.load<Body>(split)->mass == 3 && !world.load<Body>(e));
    CHECK(world.clear() == MICA_OK && world.count() == 0);
}

static void a_component_is_switched_off_and_on()
{
    Fixture f;
    mica::entity e = f.world.spawn(Burning{3});
    auto burning = f.world.query<const Burning>();
    auto all = f.world.query<mica::include_disabled<const Burning>>();
    CHECK(f.world.disable<Burning>(e) == MICA_OK && !f.world.is_enabled<Burning>(e));
    CHECK(burning.count() == 0 && all.count() == 1);
    CHECK(all.enable_all<Burning>() == MICA_OK && f.world.is_enabled<Burning>(e));
    CHECK(all.disable_all<Burning>() == MICA_OK && burning.count() == 0);
    uint64_t enabled = 1;
    all.each_segment(
        [&](mica::iter &it, mica::span<const Burning>) { enabled = it.enabled(0, 0); });
    CHECK(enabled == 0 && f.world.enable<Burning>(e) == MICA_OK && burning.count() == 1);
}

static void what_can_only_be_moved_is_handed_over()
{
    Fixture f;
    Mesh cube{std::make_unique<int>(8)};
    mica::entity e = f.world.spawn(std::move(cube), Name{"a cube, of which the name is not short"});
    CHECK(*f.world.get<Mesh>(e)->vertices == 8);
    CHECK(f.world.get<Name>(e)->text == "a cube, of which the name is not short");
    CHECK(f.world.set(e, Mesh{std::make_unique<int>(4)}) == MICA_OK);
    CHECK(*f.world.get<Mesh>(e)->vertices == 4);
    CHECK(!f.world.clone(e) && f.said.once(MICA_ERROR_HOOK));
    CHECK(f.world.set_resource(Mesh{std::make_unique<int>(1)}) == MICA_OK);
    CHECK(f.world.send(Mesh{std::make_unique<int>(2)}) == MICA_OK);
    mica::cursor seen = {};
    int vertices = 0;
    for (const Mesh &mesh : f.world.events<Mesh>(seen)) {
        vertices += *mesh.vertices;
    }
    CHECK(vertices == 2 && *f.world.resource<Mesh>()->vertices == 1);
    mica::entity later = f.world.later().spawn(Mesh{std::make_unique<int>(6)});
    CHECK(f.world.apply() == MICA_OK && *f.world.get<Mesh>(later)->vertices == 6);
    int sum = 0;
    f.world.query<Mesh>().each([&](Mesh &mesh) { sum += *mesh.vertices; });
    CHECK(sum == 10);
}

static void each_gives_what_the_words_say()
{
    Fixture f;
    const mica::world &world = f.world;
    mica::entity a = world.spawn(Position{1, 0}, Velocity{10, 0}, Frozen{});
    mica::entity b = world.spawn(Position{2, 0}, Velocity{20, 0});
    mica::entity c = world.spawn(Position{3, 0});
    auto movers = world.query<Position, const Velocity>("movers");
    CHECK(movers.each([](Position &p, const Velocity &v) { p.x += v.x; }) == MICA_OK);
    CHECK(world.get<Position>(a)->x == 11 && world.get<Position>(b)->x == 22);
    CHECK(world.get<Position>(c)->x == 3);

    mica::entity last = {};
    world.query<const Position, Frozen>().each([&](mica::entity e, const Position &) { last = e; });
    CHECK(last == a); // a tag is needed, and gives nothing
    world.query<const Position, mica::without<Velocity>>().each(
        [&](mica::entity e, const Position &) { last = e; });
    CHECK(last == c);
    int rows = 0;
    world.query<mica::with<Velocity>>().each([&] { rows++; });
    CHECK(rows == 2);
    world.query<>().each([&](mica::entity) { rows++; }); // everything
    CHECK(rows == 5);

    float sum = 0;
    world.query<const Position, mica::maybe<const Velocity>>().each(
        [&](const Position &p, const Velocity *v) { sum += p.x + (v ? v->x : 1000); });
    CHECK(sum == 11 + 22 + 3 + 10 + 20 + 1000);
    world.query<mica::maybe<Velocity>, const Position>().each([](Velocity *v, const Position &) {
        if (v) {
            v->x = 0;
        }
    });
    CHECK(world.get<Velocity>(b)->x == 0);
    int any = 0;
    world.query<mica::any<const Velocity>, mica::any<const Health>>().each(
        [&](const Velocity *v, const Health *h) { any += v != nullptr && h == nullptr; });
    CHECK(any == 2);
    world.query<const Position, mica::any<Frozen>, mica::any<const Health>>().each(
        [&](const Position &, const Health *h) { any += h == nullptr; }); // a tag gives nothing
    CHECK(any == 3);

    // Whatever else the function asks for.
    movers.each([&](auto &p, const auto &v) { sum = p.x + v.x; });
    movers.each([&](mica::iter &it, Position &, const Velocity &) {
        CHECK(it.count() >= 1 && it.entities().size() == it.count() && it.time() == 0);
        CHECK(it.world().alive(a) && it.raw()->count == it.count());
    });
    movers.each([&](mica::iter &it, mica::entity e, Position &, const Velocity &) {
        it.later().despawn(e);
    });
    CHECK(world.count() == 1);
    movers.each([](Position &, const Velocity &, float dt) { CHECK(dt == 0); });
    movers.each([](mica::entity, Position &, const Velocity &, float dt) { CHECK(dt == 0); });
    movers.each([](mica::iter &, Position &, const Velocity &, float dt) { CHECK(dt == 0); });
    movers.each([](mica::iter &, mica::entity, Position &, const Velocity &, float) {});
    movers.each_segment(
        [](mica::iter &, mica::span<Position>, mica::span<const Velocity>, float) {});
}

static void a_query_answers_and_changes_all_that_match()
{
    Fixture f;
    const mica::world &world = f.world;
    mica::entity a = world.spawn(Position{1, 0});
    mica::entity b = world.spawn(Position{2, 0}, Frozen{});
    auto free = world.query<const Position, mica::without<Frozen>>();
    CHECK(free.count() == 1 && free.first() == a && free.contains(a) && !free.contains(b));
    float x = 0;
    CHECK(free.each_of(a, [&](const Position &p) { x = p.x; }) == MICA_OK && x == 1);
    CHECK(free.each_of(b, [&](const Position &) { x = 9; }) == MICA_OK && x == 1);
    CHECK(free.add_all<Health>() == MICA_OK && world.has<Health>(a) && !world.has<Health>(b));
    CHECK(free.set_all(Velocity{4, 5}) == MICA_OK && world.get<Velocity>(a)->y == 5);
    CHECK(free.set_all(Name{"all of them have this name now"}) == MICA_OK);
    CHECK(world.get<Name>(a)->text == "all of them have this name now");
    CHECK(free.remove_all<Name>() == MICA_OK && !world.has<Name>(a));
    CHECK(free.despawn_all() == MICA_OK && !world.alive(a) && world.alive(b));
    mica::query<const Position, mica::without<Frozen>> moved = std::move(free);
    CHECK(!free && moved && moved.count() == 0);
    CHECK(mica_query_count(world, moved) == 0); // C takes it, too
    CHECK(free.count() == 0);                   // none, and of no world: nobody hears of it
    CHECK(!world.query<const Position, Position>() && f.said.once(MICA_ERROR_TERMS));
}

static void segments_are_spans()
{
    Fixture f;
    std::vector<Position> positions;
    for (int i = 0; i < 100; i++) {
        positions.push_back({static_cast<float>(i), 0});
    }
    auto many = f.world.bundle<Position, Velocity, Frozen>();
    CHECK(many.spawn_many(100, positions, {}, {}) == MICA_OK);
    size_t rows = 0;
    float sum = 0;
    auto query = f.world.query<const Position, Velocity, mica::maybe<const Health>>();
    CHECK(query.each_segment([&](mica::span<const Position> p, mica::span<Velocity> v,
                                 mica::span<const Health> h) {
        CHECK(p.size() == v.size() && h.empty() && h.data() == nullptr);
        rows += p.size();
        for (size_t i = 0; i < p.size(); i++) {
            v[i].x = p[i].x;
        }
        for (const Velocity &one : v) {
            sum += one.x;
        }
    }) == MICA_OK);
    CHECK(rows == 100 && sum == 4950);
    query.each_segment([&](mica::iter &it, mica::span<const Position> p, mica::span<Velocity>,
                           mica::span<const Health>) {
        rows -= p.size();
        CHECK(it.entities().size() == p.size());
    });
    CHECK(rows == 0);
}

static void a_span_is_made_of_what_lies_side_by_side()
{
    int plain[] = {1, 2, 3};
    std::vector<int> vector = {4, 5};
    const mica::span<int> a = plain;
    const mica::span<const int> b = vector;
    const mica::span<const int> c = a;
    CHECK(a.size() == 3 && a[2] == 3 && b.size() == 2 && b.data() == vector.data());
    CHECK(c.begin() == plain && c.end() == plain + 3 && mica::span<int>().empty());
    static_assert(!std::is_constructible_v<mica::span<int>, mica::span<const int>>);
}

static void fields_are_reached_whatever_the_storage()
{
    Fixture f;
    mica::entity e = f.world.spawn(Body{1, 2, 3});
    f.world.spawn(Body{4, 5, 6});
    f.world.spawn(Position{7, 8});
    auto bodies = f.world.query<mica::by_field<Body>>();
    CHECK(bodies.each_segment([](mica::fields<Body> body) {
        mica::column<float> mass = body(&Body::mass);
        for (size_t i = 0; i < mass.size(); i++) {
            mass[i] *= 10;
        }
        for (float &y : body(&Body::y).packed()) { // a split field is an array
            y = 0;
        }
    }) == MICA_OK);
    CHECK(f.world.load<Body>(e)->mass == 30 && f.world.load<Body>(e)->y == 0);
    bodies.each_segment([](mica::fields<Body> body) { // S1.9
        Body whole = *body.load(0);
        whole.y = whole.mass + 1;
        CHECK(body.store(0, whole) == MICA_OK);
    });
    CHECK(f.world.load<Body>(e)->mass == 30 && f.world.load<Body>(e)->y == 31);
    float sum = 0;
    f.world.query<mica::by_field<const Position>>().each_segment(
        [&](mica::fields<const Position> p) {
            mica::column<const float> y = p(&Position::y);
            CHECK(y.size() == 1 && y.packed().empty()); // those of a struct are not
            sum += y[0];
        });
    CHECK(sum == 8);
    // As a whole it is nowhere.
    CHECK(f.world.query<const Body>().each([](const Body &) {}) == MICA_ERROR_TERM);
    CHECK(f.said.once(MICA_ERROR_TERM));
}

static void only_what_changed_is_looked_at()
{
    Fixture f;
    mica::entity a = f.world.spawn(Burning{1});
    f.world.spawn(Burning{2});
    auto changed = f.world.query<mica::changed<const Burning>>();
    auto added = f.world.query<mica::added<const Burning>>();
    int seen = 0;
    auto count = [&](const Burning &) { seen++; };
    changed.each(count);
    added.each(count);
    CHECK(seen == 4);
    f.world.get_mut<Burning>(a)->ticks = 5;
    CHECK(f.world.get<Burning>(a)->ticks == 5); // looking is no change
    changed.each(count);
    CHECK(seen == 5);
    added.each(count);
    CHECK(seen == 5);
    auto touching = f.world.query<mica::touched<Burning>>();
    touching.each_segment([](mica::iter &it, mica::span<Burning> burning) {
        for (uint32_t i = 0; i < it.count(); i++) {
            if (burning[i].ticks == 2) {
                CHECK(it.touch(0, i) == MICA_OK);
            }
        }
    });
    changed.each(count);
    CHECK(seen == 6);
}

struct Title {
    std::string text;
};
template <> struct mica::about<Title> : mica::stored<Title, MICA_SPARSE> {};

// Sparse beside a table, and with toggles: nothing can be brought together, and everything is met.
static void values_with_hooks_are_reached_wherever_they_lie()
{
    Fixture f;
    for (int i = 0; i < 40; i++) {
        mica::entity e = f.world.spawn(Position{static_cast<float>(i), 0}, Burning{i},
                                       Name{"a name that is too long to be kept inside"});
        if (i % 3 != 0) {
            f.world.set(e, Title{"a title that is too long to be kept inside"});
        }
        if (i % 4 == 0) {
            f.world.disable<Burning>(e);
        }
    }
    int rows = 0;
    auto titled = f.world.query<Title, const Position, const Name>();
    CHECK(titled.each([&](Title &title, const Position &, const Name &name) {
        title.text += '!';
        rows += name.text.size() > 20 && title.text.size() > 20;
    }) == MICA_OK);
    CHECK(rows == 26);
    auto maybe = f.world.query<mica::maybe<const Title>, const Burning, Name>();
    int with = 0, without = 0;
    CHECK(maybe.each([&](const Title *title, const Burning &burning, Name &name) {
        CHECK(burning.ticks % 4 != 0);
        CHECK((title != nullptr) == (burning.ticks % 3 != 0));
        name.text = "short";
        with += title && title->text.back() == '!';
        without += title == nullptr;
    }) == MICA_OK);
    CHECK(with == 20 && without == 10);
    rows = 0;
    f.world.query<const Name>().each([&](const Name &name) { rows += name.text == "short"; });
    CHECK(rows == 30);
}

static void a_bundle_spawns_many_and_an_accessor_looks_at_one()
{
    Fixture f;
    auto movers = f.world.bundle<Position, Frozen, Name>();
    CHECK(movers && movers.reserve(10) == MICA_OK);
    mica::entity a = movers.spawn(Position{1, 2}, Frozen{}, Name{"anna"});
    mica::entity b = movers.spawn();
    CHECK(f.world.get<Position>(a)->y == 2 && f.world.has<Frozen>(b));
    CHECK(f.world.get<Name>(a)->text == "anna" && f.world.get<Name>(b)->text.empty());
    const Position positions[] = {{3, 0}, {4, 0}};
    CHECK(movers.spawn_many(2, positions, {}, {}) == MICA_OK && f.world.count() == 4);
    CHECK(movers.spawn_many(3, positions, {}, {}) == MICA_ERROR_ARGUMENT);
    CHECK(f.said.once(MICA_ERROR_ARGUMENT) && f.world.count() == 4);
    mica::bundle<Position, Frozen, Name> moved = std::move(movers);
    CHECK(!movers && moved.spawn(Position{9, 9}, Frozen{}, Name{"berta"}));

    mica::accessor<const Position> reading = f.world.accessor<const Position>();
    mica::accessor<Position> writing = f.world.accessor<Position>();
    writing.get(a)->x = 8;
    CHECK(reading.get(a)->x == 8 && reading.get(f.world.spawn()) == nullptr);
    static_assert(std::is_same_v<decltype(reading.get(a)), const Position *>);
    CHECK(mica::accessor<Position>().get(a) == nullptr);
}

static void handles_may_outlive_their_world()
{
    mica::query<Position> query;
    mica::bundle<Position> bundle;
    mica::observer observer;
    std::unique_ptr<mica::commands> commands;
    {
        mica::world world;
        query = world.query<Position>();
        bundle = world.bundle<Position>();
        observer =
            world.observe<Position>(MICA_ON_ADD, [](const mica::observer_event<Position> &) {});
        commands = std::make_unique<mica::commands>(world.commands());
        commands->spawn(Name{"a name that is too long to be kept inside"});
        CHECK(query && bundle && observer && commands->waiting() > 0);
    }
    CHECK(query && bundle && observer); // they name nothing any more, and free nothing
}

#ifdef __cpp_exceptions

static void an_exception_ends_the_loop()
{
    Fixture f;
    f.world.spawn(Position{1, 0});
    f.world.spawn(Position{2, 0});
    int rows = 0;
    try {
        f.world.query<const Position>().each([&](const Position &) {
            rows++;
            throw std::runtime_error("enough");
        });
    } catch (const std::runtime_error &) {
        rows += 10;
    }
    CHECK(rows == 11);
    CHECK(f.world.spawn(Position{3, 0})); // nothing is iterated any more
}

#endif

int main()
{
    const test_case cases[] = {
        CASE(a_world_is_owned_and_can_be_moved),
        CASE(a_handle_that_is_none_is_false),
        CASE(a_type_is_registered_when_it_is_first_named),
        CASE(how_a_type_is_registered_can_be_said_in_the_world),
        CASE(types_are_registered_in_the_order_in_which_they_are_written),
        CASE(what_c_has_registered_is_found),
        CASE(a_type_of_that_name_and_another_size_is_refused),
        CASE(there_may_be_many_types),
        CASE(two_worlds_in_two_threads_share_nothing),
        CASE(values_are_given_changed_and_taken),
        CASE(a_component_is_switched_off_and_on),
        CASE(what_can_only_be_moved_is_handed_over),
        CASE(each_gives_what_the_words_say),
        CASE(a_query_answers_and_changes_all_that_match),
        CASE(segments_are_spans),
        CASE(a_span_is_made_of_what_lies_side_by_side),
        CASE(fields_are_reached_whatever_the_storage),
        CASE(only_what_changed_is_looked_at),
        CASE(values_with_hooks_are_reached_wherever_they_lie),
        CASE(a_bundle_spawns_many_and_an_accessor_looks_at_one),
        CASE(handles_may_outlive_their_world),
#ifdef __cpp_exceptions
        CASE(an_exception_ends_the_loop),
#endif
    };
    return run_cases(cases);
}
