// mica.hpp: facets, groups, sorting, images, and words about a query as a whole.
#include "fixture.hpp"

#include <new>
#include <utility>
#include <vector>

// Memory of C++ that is refused, once.
static bool refusing;

void *operator new(size_t size, const std::nothrow_t &) noexcept
{
    return std::exchange(refusing, false) ? nullptr : ::operator new(size);
}

enum { FRONT = 1, REAR };

struct Collider {
    float radius;
};
struct Place {
    int x;
};
struct Speed {
    int x;
};
struct Fuse {
    int seconds;
};
template <> struct mica::about<Place> : mica::stored<Place, MICA_SPARSE> {};
template <> struct mica::about<Speed> : mica::stored<Speed, MICA_SPARSE> {};
template <> struct mica::about<Fuse> {
    static mica_type_desc describe()
    {
        mica_type_desc desc = MICA_DESCRIBE(Fuse, seconds);
        desc.storage = MICA_SPARSE;
        return desc;
    }
};

static void an_entity_has_further_rows()
{
    Fixture f;
    mica::entity car = f.world.spawn(Position{3, 4});
    mica::entity front = f.world.add_facet<Collider>(car, FRONT, Collider{0.5f}, Frozen{});
    mica::entity rear = f.world.add_facet<Collider>(car, REAR, Collider{0.7f});
    mica::entity driver = f.world.add_facet(car, 1); // empty, and of no component
    CHECK(f.world.facet<Collider>(car, FRONT) == front && f.world.facet(car, 1) == driver);
    CHECK(!f.world.facet<Collider>(car) && f.world.facet(car) == car);
    CHECK(f.world.get<Collider>(rear)->radius == 0.7f && f.world.has<Frozen>(front));
    CHECK(f.world.owner(rear) == car && f.world.owner(car) == car);
    CHECK(!f.world.add_facet<Collider>(car, REAR) && f.said.once(MICA_ERROR_KEY));
    std::vector<mica::entity> all;
    for (mica::entity facet : f.world.facets(car)) {
        all.push_back(facet);
    }
    CHECK(all == std::vector<mica::entity>({front, rear, driver}));
    for (mica::entity facet : f.world.facets(f.world.spawn())) {
        CHECK(!facet);
    }

    int rows = 0;
    f.world.query<const Collider>().each_segment([&](mica::iter &it, mica::span<const Collider>) {
        for (mica::entity owner : it.owners()) {
            rows += owner == car;
        }
    });
    CHECK(rows == 2);
    CHECK((f.world.query<const Collider, mica::no_facets>().count()) == 0);
    CHECK(f.world.later().add_facet<Collider>(car, 3, Collider{1}) && f.world.apply() == MICA_OK);
    CHECK(f.world.query<const Collider>().count() == 3);
    f.world.despawn(car);
    CHECK(!f.world.alive(front) && !f.world.alive(driver));
}

static void who_does_not_ask_whose_rows_they_are_has_one_span()
{
    Fixture f;
    f.world.type<Velocity>(MICA_RING);
    for (int i = 0; i < 40; i++) {
        mica::entity e = f.world.spawn(Velocity{static_cast<float>(i), 0});
        if (i % 2) {
            f.world.add<Frozen>(e);
        }
    }
    mica_world_compact(f.world);
    int spans = 0;
    float sum = 0;
    auto all = f.world.query<const Velocity, mica::no_entities>();
    all.each_segment([&](mica::iter &it, mica::span<const Velocity> v) {
        spans++;
        sum += v[39].x;
        CHECK(it.entities().empty() && it.count() == 40);
    });
    all.each([&](const Velocity &v) { sum += v.x; });
    CHECK(spans == 1 && sum > 780);
    // About everything, too; and in systems.
    CHECK((f.world.query<mica::no_facets>().count()) == 40);
    mica_system system = f.world.system<Velocity, mica::no_entities>("move").each(
        [](Velocity &v, float dt) { v.y += dt; });
    CHECK(system && f.world.step(1) == MICA_OK);
    CHECK(f.world.get<Velocity>(f.world.query<Velocity>().first())->y == 1);
}

static void groups_bring_together_what_belongs_together()
{
    Fixture f;
    for (int i = 0; i < 10; i++) {
        mica::entity e = f.world.spawn(Place{i});
        if (i % 2) {
            f.world.set(e, Speed{10 * i});
        }
        if (i % 3 == 0) {
            f.world.set(e, Fuse{i});
        }
    }
    mica::group movers = f.world.group<Place, Speed>("movers");
    CHECK(movers && movers.count() == 5);
    CHECK(movers.sort<Place>([](const Place &a, const Place &b) { return a.x > b.x; }) == MICA_OK);
    std::vector<int> order;
    auto query = f.world.query<const Place, const Speed>();
    query.each([&](const Place &p, const Speed &s) {
        order.push_back(p.x);
        CHECK(s.x == 10 * p.x);
    });
    CHECK(order == std::vector<int>({9, 7, 5, 3, 1}));
    CHECK(!(f.world.group<Place, Fuse>("others")) && f.said.once(MICA_ERROR_OWNED));

    mica::group burning =
        f.world.group<mica::required<Fuse>, mica::required<Place>, mica::without<Speed>>();
    CHECK(burning.count() == 2); // 0 and 6
    CHECK(f.world.sort<Fuse>([](mica::entity a, mica::entity b) { return b < a; }) == MICA_OK);
    CHECK(f.world.get<Fuse>(f.world.query<const Fuse>().first())->seconds == 9);
    CHECK(burning.sort_like<Fuse>() == MICA_OK);
    CHECK((f.world.sort_like<Fuse, Place>()) == MICA_OK);
    CHECK(f.world.get<Fuse>(f.world.query<const Fuse>().first())->seconds ==
          9); // as the movers are

    // It ends with its object, unless it is kept.
    movers = mica::group();
    mica_group kept = f.world.group<Place, Fuse>().keep();
    mica_group_info of_kept;
    CHECK(mica_group_get_info(f.world, kept, &of_kept) && of_kept.count == 4);
    mica::group gone;
    {
        mica::world other;
        gone = other.group<Place, Fuse>();
        CHECK(gone);
    }
    CHECK(gone); // it names nothing any more, and frees nothing
#ifdef __cpp_exceptions
    int asked = 0;
    try {
        (void)f.world.sort<Speed>([&](const Speed &, const Speed &) -> bool {
            asked++;
            throw 7;
        });
    } catch (int seven) {
        asked += seven * 10;
    }
    CHECK(asked == 71);
#endif
}

static void a_world_is_saved_and_loaded()
{
    Fixture f;
    f.world.spawn(Fuse{4});
    mica::entity e = f.world.spawn(Fuse{5});
    mica::buffer image;
    CHECK(image.size() == 0 && f.world.save(image) == MICA_OK && image.size() > 0);
    f.world.get_mut<Fuse>(e)->seconds = 0;
    f.world.clear();
    CHECK(f.world.load(image) == MICA_OK && f.world.get<Fuse>(e)->seconds == 5);

    Fixture g;
    mica::buffer text;
    CHECK(f.world.save(text, MICA_IMAGE_JSON) == MICA_OK && text.data()[0] == '{');
    mica_load_desc how = {};
    how.unknown = MICA_UNKNOWN_DROPPED;
    CHECK(g.world.load(text) == MICA_ERROR_SCHEMA && g.said.once(MICA_ERROR_SCHEMA));
    CHECK(g.world.load(text, how) == MICA_OK && g.world.count() == 2 && !g.world.has<Fuse>(e));
    g.world.type<Fuse>();
    mica::buffer moved = std::move(text);
    CHECK(text.size() == 0 && g.world.load(moved) == MICA_OK && g.world.has<Fuse>(e));
    const char path[] = "no such folder/part_test.mica";
    CHECK(g.world.save(path) == MICA_ERROR_STREAM && g.said.once(MICA_ERROR_STREAM));
    CHECK(g.world.load(path) == MICA_ERROR_STREAM && g.said.once(MICA_ERROR_STREAM));

    g.world.spawn(Position{1, 2}); // of which nobody said what its fields are
    CHECK(g.world.save(moved) == MICA_ERROR_TYPE && g.said.once(MICA_ERROR_TYPE));
}

static void many_have_handles_and_accessors_switch()
{
    Fixture f;
    mica::entity made[3];
    const Burning ticks[] = {{1}, {2}, {3}};
    CHECK(f.world.bundle<Burning>().spawn_many(made, ticks) == MICA_OK);
    CHECK(f.world.get<Burning>(made[2])->ticks == 3);
    mica::accessor<Burning> burning = f.world.accessor<Burning>();
    CHECK(burning.disable(made[1]) == MICA_OK && !burning.is_enabled(made[1]));
    CHECK(f.world.query<Burning>().count() == 2 && burning.enable(made[1]) == MICA_OK);
    CHECK(f.world.is_enabled<Burning>(made[1]));
    CHECK(f.world.set_storage<Burning>(MICA_SPARSE) == MICA_OK);
    CHECK(mica_type_get_info(f.world, f.world.type<Burning>())->storage == MICA_SPARSE);
    CHECK(f.world.get<Burning>(made[2])->ticks == 3);
    mica::span<int> numbers = f.world.frame_array<int>(10);
    CHECK(numbers.size() == 10);
    numbers[9] = 1;
}

static void without_memory_there_is_no_world()
{
    Said said;
    refusing = true;
    mica::world world{said.desc()};
    CHECK(!refusing && static_cast<mica_world *>(world) == nullptr && !world.spawn());
    CHECK(!world.system<>("none").run([] {}));
    mica_world *made = mica_world_new(nullptr);
    refusing = true;
    {
        mica::guest guest(made);
        CHECK(static_cast<mica_world *>(guest) == nullptr);
    }
    CHECK(mica_alive(made, mica_spawn(made)) && mica_world_free(made) == MICA_OK);
}

int main()
{
    const test_case cases[] = {
        CASE(an_entity_has_further_rows),
        CASE(who_does_not_ask_whose_rows_they_are_has_one_span),
        CASE(groups_bring_together_what_belongs_together),
        CASE(a_world_is_saved_and_loaded),
        CASE(many_have_handles_and_accessors_switch),
        CASE(without_memory_there_is_no_world),
    };
    return run_cases(cases);
}
