// mica.hpp: systems on several threads.
#include <mica.hpp>

#include <stdexcept>

#include "fixture.hpp"

struct Aim {
    mica::entity at;
};
struct Life {
    uint32_t left;
};
struct Score {
    int points;
};
struct Total {
    float sum;
    uint32_t rows;

    Total &operator+=(const Total &other)
    {
        sum += other.sum;
        rows += other.rows;
        return *this;
    }
};
struct Most {
    uint32_t left;
};

static void take_most(Most &most, const Most &other)
{
    most.left = other.left > most.left ? other.left : most.left;
}

// A world with systems of all kinds; after some steps, its digest.
static uint64_t play(uint32_t threads, uint64_t seed)
{
    Fixture f;
    f.world.set_resource(Score{0});
    mica::accessor<const Velocity> velocities = f.world.accessor<const Velocity>();
    f.world.system<Position, const Aim>("follow").parallel(16).reads_others<Velocity, Life>().each(
        [velocities](mica::iter &it, Position &p, const Aim &aim) {
            const Velocity *v = it.world().alive(aim.at) ? velocities.get(aim.at) : nullptr;
            const Life *life = v ? it.world().get<Life>(aim.at) : nullptr;
            p.x += v ? v->x : 0;
            p.y += life ? static_cast<float>(life->left) : 0;
        });
    f.world.system<mica::res<Score>>("count").concurrent().run([](Score &s) { s.points++; });
    f.world.system<Life>("live").parallel(16).spawns(16).each(
        [](mica::iter &it, mica::entity self, Life &life) {
            if (--life.left == 0) {
                it.later().despawn(self);
            } else if (life.left % 5 == 0) {
                uint32_t more = static_cast<uint32_t>(it.batch_seed() % 7) + it.batch();
                it.later().spawn(Life{3 + more}, Velocity{1, 2}, Position{0, 0}, Aim{self});
            }
        });
    f.world.system<const Position>("weigh").parallel(16).reduce<Total>().each_segment(
        [](mica::iter &it, mica::span<const Position> all) {
            for (const Position &p : all) {
                it.reduce<Total>()->sum += p.x * 0.1f;
                it.reduce<Total>()->rows++;
            }
        });
    f.world.system<const Life>("most").parallel(16).reduce<Most, take_most>().each(
        [](mica::iter &it, const Life &life) { take_most(*it.reduce<Most>(), Most{life.left}); });
    mica::entity last;
    for (uint32_t i = 0; i < 300; i++) {
        last = f.world.spawn(Position{0, 0}, Velocity{1, 0}, Life{2 + i % 19}, Aim{last});
    }
    CHECK(f.world.start_workers(threads) == MICA_OK && f.world.worker_count() == threads);
    CHECK(mica_world_shuffle_workers(f.world, seed) == MICA_OK);
    for (int i = 0; i < 20; i++) {
        CHECK(f.world.step(0.5) == MICA_OK);
    }
    const Total *total = f.world.resource<Total>();
    CHECK(total && total->sum > 0 && total->rows > 100 && f.world.resource<Score>()->points == 20);
    CHECK(f.world.resource<Most>()->left > 0);
    return mica_world_digest(f.world);
}

static void systems_from_lambdas_have_the_same_result_on_any_number_of_threads() // Z4
{
    const uint64_t alone = play(1, 0);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        CHECK(play(threads, 0) == alone && play(threads, threads) == alone);
    }
}

static void an_exception_on_a_worker_ends_the_step()
{
#ifdef __cpp_exceptions
    Fixture f;
    for (int i = 0; i < 100; i++) {
        f.world.spawn(Position{static_cast<float>(i), 0});
    }
    CHECK(f.world.start_workers(3) == MICA_OK);
    CHECK(mica_world_shuffle_workers(f.world, 5) == MICA_OK);
    mica_system boom = f.world.system<Position>("boom").parallel(8).each([](Position &p) {
        if (p.x == 33 || p.x == 66) {
            throw std::runtime_error(p.x < 50 ? "thirty-three" : "sixty-six");
        }
        p.y = 1;
    });
    CHECK(f.world.step(1) == MICA_ERROR_FAILED);
    CHECK(std::strstr(f.said.last.sentence, "system 'boom': "));
    CHECK(f.said.errors == 2); // both are reported
    f.said.errors = 0;
    float sum = 0;
    f.world.query<const Position>().each([&](const Position &p) { sum += p.y; });
    CHECK(sum == 100 - 7 - 6); // the rest of their batches is left out: 33 to 39, and 66 to 71
    CHECK(f.world.remove(boom) == MICA_OK && f.world.step(1) == MICA_OK);
    mica_system odd = f.world.system<>("odd").concurrent().run([] { throw 1; });
    CHECK(f.world.step(1) == MICA_ERROR_FAILED && f.said.once(MICA_ERROR_FAILED));
    CHECK(f.world.remove(odd) == MICA_OK && f.world.step(1) == MICA_OK);
#endif
}

static void what_is_refused_says_what_to_write()
{
    Fixture f;
    f.world.spawn(Position{1, 2}, Velocity{3, 4});
    (void)f.world.type<Life>();
    mica::world &world = f.world;
    mica_system wrong = f.world.system<Position>("wrong").parallel().each(
        [&world](mica::entity self, Position &) { CHECK(!world.get<Velocity>(self)); });
    CHECK(f.world.step(1) == MICA_OK && f.said.once(MICA_ERROR_ITERATING));
    CHECK(f.world.remove(wrong) == MICA_OK);
    wrong = f.world.system<Position>("wrong").parallel().each(
        [](mica::iter &it, mica::entity self, Position &) {
            CHECK(!it.world().get<Velocity>(self));
        });
    CHECK(f.world.step(1) == MICA_OK && f.said.once(MICA_ERROR_UNDECLARED));
    CHECK(f.world.remove(wrong) == MICA_OK);
    wrong = f.world.system<Position>("wrong").parallel().each(
        [](mica::iter &it, Position &) { CHECK(!it.later().spawn(Life{1})); });
    CHECK(f.world.step(1) == MICA_OK && f.said.once(MICA_ERROR_LIMIT));
    CHECK(f.world.remove(wrong) == MICA_OK);
    mica::accessor<const Position> written = f.world.accessor<const Position>();
    wrong = f.world.system<Position>("wrong").parallel().each(
        [written](mica::entity self, Position &) { CHECK(!written.get(self)); });
    CHECK(f.world.step(1) == MICA_OK && f.said.once(MICA_ERROR_UNDECLARED));
    CHECK(f.world.remove(wrong) == MICA_OK);
    CHECK(!f.world.system<Position>("wrong").parallel().reads_others<Position>().each(
        [](Position &) {}));
    CHECK(f.said.once(MICA_ERROR_ARGUMENT));
    CHECK(!f.world.system<Position>("wrong").reads_others<Velocity>().each([](Position &) {}));
    CHECK(f.said.once(MICA_ERROR_ARGUMENT));
}

int main()
{
    const test_case cases[] = {
        CASE(systems_from_lambdas_have_the_same_result_on_any_number_of_threads),
        CASE(an_exception_on_a_worker_ends_the_step),
        CASE(what_is_refused_says_what_to_write),
    };
    return run_cases(cases);
}
