// While an iteration is open, every structural change is refused, by every function that makes one.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "query/query.h"
#include "unit/query/fixture.h"

typedef struct attempt {
    fixture *f;
    mica_entity entity; // has position and velocity
    mica_system system;
} attempt;

static bool try_spawn_values(attempt *a)
{
    return !MICA_IS_NONE(mica_spawn(a->f->world, MICA_ADD(a->f->position)));
}
static bool try_spawn_empty(attempt *a)
{
    return !MICA_IS_NONE(mica_spawn_values(a->f->world, NULL, 0));
}
static bool try_spawn_at(attempt *a)
{
    return !MICA_IS_NONE(mica_spawn_at(a->f->world, mica_entity_make(100000, 3)));
}
static bool try_spawn_bundle(attempt *a)
{
    return !MICA_IS_NONE(mica_spawn_bundle(a->f->world, a->f->mover, NULL, 0));
}
static bool try_spawn_many(attempt *a)
{
    return !mica_spawn_many(a->f->world, a->f->mover, 3, NULL, 0, NULL);
}
static bool try_bundle_reserve(attempt *a)
{
    return !mica_bundle_reserve(a->f->world, a->f->mover, 3);
}
static bool try_clone(attempt *a)
{
    return !MICA_IS_NONE(mica_clone(a->f->world, a->entity));
}
static bool try_despawn(attempt *a)
{
    return !mica_despawn(a->f->world, a->entity);
}
static bool try_despawn_many(attempt *a)
{
    return !mica_despawn_many(a->f->world, &a->entity, 1);
}
static bool try_add(attempt *a)
{
    return !mica_add(a->f->world, a->entity, a->f->weight);
}
static bool try_add_types(attempt *a)
{
    return !test_add_types(a->f->world, a->entity, (mica_type[]){a->f->position, a->f->frozen}, 2);
}
static bool try_remove(attempt *a)
{
    return !mica_remove(a->f->world, a->entity, a->f->position);
}
static bool try_remove_types(attempt *a)
{
    return !mica_change(a->f->world, a->entity, NULL, 0,
                        (mica_type[]){a->f->weight, a->f->position}, 2);
}
static bool try_set_value(attempt *a)
{
    return !mica_set_value(a->f->world, a->entity, a->f->weight, (int32_t[3]){1, 2, 3}, 12);
}
static bool try_set_values(attempt *a)
{
    return !mica_set(a->f->world, a->entity, MICA_VALUE(a->f->position, Position, 1, 1),
                     MICA_ADD(a->f->frozen));
}
static bool try_change(attempt *a)
{
    return !mica_change(a->f->world, a->entity, &MICA_VALUE(a->f->position, Position, 1, 1), 1,
                        &a->f->velocity, 1);
}
static bool try_clear(attempt *a)
{
    return !mica_world_clear(a->f->world);
}
static bool try_reclaim(attempt *a)
{
    return !mica_world_reclaim(a->f->world);
}
static bool try_query_add(attempt *a)
{
    return !mica_add_all(a->f->world, a->f->query, a->f->weight, NULL);
}
static bool try_query_remove(attempt *a)
{
    return !mica_remove_all(a->f->world, a->f->query, a->f->position, NULL);
}
static bool try_query_set(attempt *a)
{
    return !mica_set_all(a->f->world, a->f->query, a->f->position, &(Position){1, 1}, 8, NULL);
}
static bool try_query_despawn(attempt *a)
{
    return !mica_despawn_all(a->f->world, a->f->query, NULL);
}
static void do_nothing(mica_iter *it)
{
    (void)it;
}
static bool try_system_add(attempt *a)
{
    return mica_system_add(a->f->world, &(mica_system_desc){.name = "another",
                                                            .update = do_nothing,
                                                            .query.everything = true})
               .bits != 0;
}
static bool try_system_remove(attempt *a)
{
    return !mica_system_remove(a->f->world, a->system);
}
static bool try_step(attempt *a)
{
    return !mica_step(a->f->world, 1);
}
static bool try_world_free(attempt *a)
{
    return !mica_world_free(a->f->world);
}

static const struct {
    const char *call;
    bool (*run)(attempt *a); // did it work?
    bool recordable;
} attempts[] = {
    {"mica_spawn", try_spawn_values, true},
    {"mica_spawn", try_spawn_empty, true},
    {"mica_spawn_at", try_spawn_at, false},
    {"mica_spawn_bundle", try_spawn_bundle, true},
    {"mica_spawn_many", try_spawn_many, true},
    {"mica_bundle_reserve", try_bundle_reserve, false},
    {"mica_clone", try_clone, true},
    {"mica_despawn", try_despawn, true},
    {"mica_despawn_many", try_despawn_many, true},
    {"mica_add", try_add, true},
    {"mica_change", try_add_types, true},
    {"mica_remove", try_remove, true},
    {"mica_change", try_remove_types, true},
    {"mica_set_value", try_set_value, true},
    {"mica_set", try_set_values, true},
    {"mica_change", try_change, true},
    {"mica_world_clear", try_clear, false},
    {"mica_world_reclaim", try_reclaim, false},
    {"mica_add_all", try_query_add, false},
    {"mica_remove_all", try_query_remove, false},
    {"mica_set_all", try_query_set, false},
    {"mica_despawn_all", try_query_despawn, false},
    {"mica_system_add", try_system_add, false},
    {"mica_system_remove", try_system_remove, false},
    {"mica_step", try_step, false},
    {"mica_world_free", try_world_free, false}, // the last: outside of an iteration it works
};
enum { ATTEMPTS = sizeof attempts / sizeof attempts[0] };

static void begin_attempts(fixture *f, attempt *a)
{
    fixture_begin(f);
    a->f = f;
    fixture_spawn_movers(f, MICAI_ROWS + 1, NULL);
    a->entity = mica_spawn(f->world, MICA_ADD(f->position), MICA_ADD(f->velocity));
    a->system = mica_system_add(
        f->world,
        &(mica_system_desc){.name = "nothing", .update = do_nothing, .query.everything = true});
    REQUIRE(a->system.bits != 0);
}

static void check_all_refused(attempt *a, const char *what)
{
    mica_world *world = a->f->world;
    uint64_t hash = mica_world_hash(world);
    uint64_t digest = mica_world_digest(world);
    mica_world_stats before = mica_world_get_stats(world);
    for (uint32_t i = 0; i < ATTEMPTS; i++) {
        char sentence[252];
        snprintf(sentence, sizeof sentence,
                 "%s: refused while %s is being iterated; %sdo it afterwards, or end that with "
                 "mica_iter_end or, if it is lost, mica_world_end_iterations",
                 attempts[i].call, what,
                 attempts[i].recordable ? "record it with mica_later, " : "");
        CHECK(!attempts[i].run(a));
        CHECK_ERROR(&a->f->t, MICA_ERROR_ITERATING, sentence);
        CHECK_EQUAL(digest, mica_world_digest(world));
    }
    mica_world_stats after = mica_world_get_stats(world);
    CHECK_EQUAL(hash, mica_world_hash(world));
    CHECK_EQUAL(before.tables, after.tables);
    CHECK_EQUAL(before.queries, after.queries);
    CHECK_EQUAL(before.row_moves, after.row_moves);
    CHECK_EQUAL(before.page_moves, after.page_moves);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
}

static void an_open_iteration_refuses_every_structural_change(void)
{
    fixture f;
    attempt a;
    begin_attempts(&f, &a);
    mica_iter it;
    mica_iter_begin(f.world, f.query, &it);
    check_all_refused(&a, "'movers'"); // before its first segment
    REQUIRE(mica_iter_next(&it));
    Position *p = mica_write(&it, 0);
    check_all_refused(&a, "'movers'");
    CHECK_POINTER(p, mica_write(&it, 0));
    mica_iter_end(&it);
    // Freeing a world that is iterated reported it and freed nothing.
    for (uint32_t i = 0; i < ATTEMPTS; i++) {
        if (attempts[i].run == try_world_free) {
            continue;
        }
        // Each works once the iteration is over; some take the entity away.
        if (!mica_alive(f.world, a.entity) || !mica_has(f.world, a.entity, f.position)) {
            a.entity = mica_spawn(f.world, MICA_ADD(f.position), MICA_ADD(f.velocity));
        }
        CHECK(attempts[i].run(&a));
    }
    fixture_end(&f);
}

static void a_query_without_a_name_refuses_too(void)
{
    fixture f;
    attempt a;
    begin_attempts(&f, &a);
    mica_query query =
        mica_query_new(f.world, &(mica_query_desc){.terms = {{f.weight, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(f.world, query, &it); // that nothing matches makes no difference
    check_all_refused(&a, "a query of 'Weight'");
    mica_iter one;
    mica_iter_begin_entity(f.world, f.query, a.entity, &one);
    check_all_refused(&a, "'movers'"); // the innermost is named
    mica_iter_end(&one);
    CHECK(!mica_iter_next(&it));
    fixture_end(&f);
}

TEST_WITH(fixture, f, a_world_that_is_being_iterated_is_not_freed)
{
    mica_world *world = f->world;
    fixture_spawn_movers(f, 3, NULL);
    mica_iter it;
    mica_iter_begin(world, f->query, &it);
    uint64_t blocks = f->t.memory.blocks;
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_free(world));
    CHECK_ERROR(
        &f->t, MICA_ERROR_ITERATING,
        "mica_world_free: refused while 'movers' is being iterated; do it afterwards, or end that with mica_iter_end or, if it is lost, mica_world_end_iterations");
    CHECK_EQUAL(blocks, f->t.memory.blocks);
    CHECK(mica_iter_next(&it));
    mica_iter_end(&it);
}

TEST_WITH(fixture, f, types_can_be_registered_and_queries_made_while_one_is_iterated)
{
    mica_world *world = f->world;
    fixture_spawn_movers(f, 3, NULL);
    mica_iter it;
    mica_iter_begin(world, f->query, &it);
    REQUIRE(mica_iter_next(&it));
    mica_type late = MICA_TAG(world, Late);
    CHECK(!MICA_IS_NONE(late));
    mica_query query = mica_query_new(
        world, &(mica_query_desc){.terms = {{f->position, MICA_READ}, {late, MICA_WITHOUT}}});
    CHECK_EQUAL(3, mica_query_count(world, query));
    CHECK(!MICA_IS_NONE(mica_bundle_new(world, &late, 1)));
    CHECK(mica_read(&it, 0) != NULL);
    CHECK(!mica_iter_next(&it));
}

TESTS(refused, an_open_iteration_refuses_every_structural_change,
      a_query_without_a_name_refuses_too, a_world_that_is_being_iterated_is_not_freed,
      types_can_be_registered_and_queries_made_while_one_is_iterated)
