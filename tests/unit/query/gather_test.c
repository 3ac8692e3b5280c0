// What is brought together to be written is in the segment alone: who else wants it is refused until the
// segment is left.
#include <string.h>

#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

typedef struct Health {
    int32_t points;
} Health;

typedef struct Shield {
    int32_t strength;
} Shield;

typedef struct Target {
    mica_entity who;
} Target;

enum { COUNT = 12 };

// Entities with health, in a table, and shields, in a pool, which no query finds side by side: every
// other one has a target, and the last of these joined first.
typedef struct duel {
    test_world t;
    mica_world *world;
    mica_type health, shield, target, other, mark;
    mica_entity e[COUNT];
    mica_query fights; // writes health and shields, reads targets
} duel;

static mica_world *duel_begin(duel *d)
{
    mica_world *world = d->world = test_world_begin(&d->t);
    d->health = MICA_REGISTER(world, Health, points);
    d->other = mica_type_register(
        world, &(mica_type_desc){.name = "Other", .size = sizeof(Health), .align = 4});
    d->shield = MICA_REGISTER_SPARSE(world, Shield, strength);
    d->target = MICA_REGISTER_SPARSE(world, Target, who);
    d->mark = MICA_SPARSE_TAG(world, Mark);
    for (int32_t i = 0; i < COUNT; i++) {
        d->e[i] = mica_spawn(world, MICA_VALUE(d->health, Health, 100 + i),
                             MICA_VALUE(d->other, Health, i));
    }
    for (int32_t i = COUNT; i-- > 0;) {
        REQUIRE(!mica_set(world, d->e[i], MICA_VALUE(d->shield, Shield, 50 + i)));
    }
    for (int32_t i = 0; i < COUNT; i += 2) {
        REQUIRE(!mica_set(world, d->e[i], MICA_VALUE(d->target, Target, d->e[COUNT - 1 - i])));
    }
    d->fights = mica_query_new(world, &(mica_query_desc){.name = "fights",
                                                         .terms = {{d->health, MICA_WRITE},
                                                                   {d->shield, MICA_WRITE},
                                                                   {d->target, MICA_READ}}});
    REQUIRE(!MICA_IS_NONE(d->fights));
    return world;
}

static void duel_end(duel *d)
{
    test_world_end(&d->t);
}

static int32_t health_of(duel *d, uint32_t i)
{
    const Health *health = mica_get(d->world, d->e[i], d->health);
    return health ? health->points : INT32_MIN;
}

static int32_t shield_of(duel *d, uint32_t i)
{
    const Shield *shield = mica_get(d->world, d->e[i], d->shield);
    return shield ? shield->strength : INT32_MIN;
}

// A type, where it is, and an entity in the segment (0) or not (1).
static mica_type type_of(const duel *d, uint32_t n)
{
    return n ? d->shield : d->health;
}

#define REFUSED(d, n, call)                                                                        \
    CHECK_ERROR(&(d)->t, MICA_ERROR_ITERATING,                                                     \
                (n) ? call ": 'Shield' is gathered by the iteration of 'fights', which "           \
                           "has its values until it goes on; use mica_write_row there"             \
                    : call ": 'Health' is gathered by the iteration of 'fights', which "           \
                           "has its values until it goes on; use mica_write_row there")

static void refuse_all(duel *d, uint32_t n, mica_entity who)
{
    mica_world *world = d->world;
    const mica_type type = type_of(d, n);
    const int32_t number = 7;
    CHECK_POINTER(NULL, mica_get(world, who, type));
    REFUSED(d, n, "mica_get");
    CHECK_POINTER(NULL, mica_get_mut(world, who, type));
    REFUSED(d, n, "mica_get_mut");
    CHECK_POINTER(NULL, mica_get_as(world, who, type, sizeof number, NULL));
    REFUSED(d, n, "MICA_GET");
    CHECK_POINTER(NULL, mica_get_mut_as(world, who, type, sizeof number, NULL));
    REFUSED(d, n, "MICA_GET_MUT");
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_set_value(world, who, type, &number, sizeof number));
    REFUSED(d, n, "mica_set_value");
    const mica_value one = {type, &number, sizeof number, 1, NULL};
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_set_values(world, who, &one, 1));
    REFUSED(d, n, "mica_set");
    const mica_value two[] = {MICA_VALUE(d->other, Health, -1), one};
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_set_values(world, who, two, 2));
    REFUSED(d, n, "mica_set");
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_change(world, who, two, 2, NULL, 0));
    REFUSED(d, n, "mica_change");
    CHECK(((const Health *)mica_get(world, who, d->other))->points >= 0); // had no effect
    CHECK(mica_has(world, who, type));
}

static void refuse_accessors(duel *d, uint32_t n, const mica_accessor *accessor, mica_entity who)
{
    CHECK_POINTER(NULL, mica_accessor_get(accessor, who));
    REFUSED(d, n, "mica_accessor_get");
    CHECK_POINTER(NULL, mica_accessor_get_mut(accessor, who));
    REFUSED(d, n, "mica_accessor_get_mut");
    CHECK_POINTER(NULL, mica_accessor_get_as(accessor, who, sizeof(int32_t), NULL));
    REFUSED(d, n, "mica_accessor_get");
    CHECK_POINTER(NULL, mica_accessor_get_mut_as(accessor, who, sizeof(int32_t), NULL));
    REFUSED(d, n, "mica_accessor_get_mut");
}

static void values_of_a_segment_are_out_of_reach_until_it_is_left(void)
{
    for (uint32_t n = 0; n < 2; n++) {
        duel d;
        mica_world *world = duel_begin(&d);
        mica_type type = type_of(&d, n);
        const mica_accessor early = mica_accessor_new(world, type);
        mica_iter it;
        mica_iter_begin(world, d.fights, &it);
        REQUIRE(mica_iter_next(&it));
        REQUIRE(it.count > 1);
        CHECK(mica_read(&it, n) && mica_get(world, it.entities[0], type)); // reading hides nothing
        Health *values = mica_write(&it, n);
        REQUIRE(values != NULL);
        values[0].points = 1000;
        const mica_accessor late = mica_accessor_new(world, type);
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        const mica_entity some[] = {it.entities[0], d.e[1], d.e[COUNT - 1]};
        for (uint32_t i = 0; i < 3; i++) {
            refuse_all(&d, n, some[i]);
            refuse_accessors(&d, n, &early, some[i]);
            refuse_accessors(&d, n, &late, some[i]);
        }
        CHECK(mica_get(world, d.e[0], type_of(&d, !n))); // the other is where it was
        CHECK_EQUAL(1000, ((const Health *)mica_read_row(&it, n, 0))->points);
        mica_entity first = it.entities[0];
        mica_iter_end(&it);
        CHECK_EQUAL(1000, ((const Health *)mica_get(world, first, type))->points);
        CHECK_EQUAL(1000, ((const Health *)mica_accessor_get(&early, first))->points);
        CHECK(mica_accessor_get_mut(&late, first) && mica_get_mut(world, first, type));
        const int32_t number = 3;
        CHECK_EQUAL(MICA_OK, mica_set(world, first, MICA_COPY_OF(type, number)));
        duel_end(&d);
    }
}

TEST_WITH(duel, d, who_has_no_value_is_reported_so_as_ever)
{
    mica_world *world = d->world;
    mica_entity bare = mica_spawn_values(world, NULL, 0);
    mica_entity dead = mica_spawn_values(world, NULL, 0);
    mica_despawn(world, dead);
    mica_iter it;
    mica_iter_begin(world, d->fights, &it);
    REQUIRE(mica_iter_next(&it) && mica_write(&it, 0) && mica_write(&it, 1));
    CHECK_POINTER(NULL, mica_get(world, bare, d->health));
    CHECK_POINTER(NULL, mica_get_mut(world, bare, d->shield));
    mica_accessor shields = mica_accessor_new(world, d->shield);
    CHECK_POINTER(NULL, mica_accessor_get(&shields, bare));
    CHECK_EQUAL(0, d->t.error.calls);
    CHECK_POINTER(NULL, mica_get(world, dead, d->health));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_last_error(world)->code);
    d->t.error.calls = 0;
    mica_iter_end(&it);
}

// Whichever way a segment is left.
static void leaving_a_segment_gives_its_values_back(void)
{
    for (uint32_t way = 0; way < 4; way++) {
        duel d;
        mica_world *world = duel_begin(&d);
        mica_iter it;
        mica_iter_begin(world, d.fights, &it);
        REQUIRE(mica_iter_next(&it));
        Health *health = mica_write(&it, 0);
        Shield *shield = mica_write(&it, 1);
        REQUIRE(health && shield);
        for (uint32_t i = 0; i < it.count; i++) {
            health[i].points = shield[i].strength = -5;
        }
        mica_entity who = it.entities[0];
        if (way == 0) {
            mica_iter_next(&it);
        } else if (way == 1) {
            mica_iter_end(&it);
        } else if (way == 2) {
            CHECK_EQUAL(1, mica_world_end_iterations(world));
        } else {
            for (uint32_t i = 0; i < 100; i++) { // the directory moves
                char name[] = {'T', (char)('0' + i / 10), (char)('0' + i % 10), 0};
                mica_type_register(world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
            }
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
            mica_iter_end(&it);
        }
        const Health *h = mica_get(world, who, d.health);
        const Shield *s = mica_get(world, who, d.shield);
        CHECK(h && h->points == -5 && s && s->strength == -5);
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        if (way == 0 && mica_iter_end(&it)) {
            test_fail(__FILE__, __LINE__, "the iteration did not end well");
        }
        duel_end(&d);
    }
}

TEST_WITH(duel, d, what_looks_at_all_values_sees_the_older_ones)
{
    mica_world *world = d->world;
    uint64_t hash = mica_world_hash(world);
    mica_iter it;
    mica_iter_begin(world, d->fights, &it);
    REQUIRE(mica_iter_next(&it));
    ((Health *)mica_write(&it, 0))->points = 12345;
    CHECK_EQUAL(hash, mica_world_hash(world));
    mica_iter_end(&it);
    CHECK(hash != mica_world_hash(world));
}

// Iterations inside of others

static mica_query query_of(duel *d, mica_type type, mica_access access)
{
    return mica_query_new(d->world, &(mica_query_desc){.name = "inner", .terms = {{type, access}}});
}

static void no_iteration_begins_that_reads_them(void)
{
    for (uint32_t n = 0; n < 2; n++) {
        duel d;
        mica_world *world = duel_begin(&d);
        static const mica_access reading[] = {MICA_READ, MICA_WRITE};
        mica_iter it;
        mica_iter inner;
        for (uint32_t a = 0; a < 2; a++) {
            mica_query query = query_of(&d, type_of(&d, n), reading[a]);
            mica_iter_begin(world, d.fights, &it);
            REQUIRE(mica_iter_next(&it) && mica_write(&it, n));
            CHECK_EQUAL(MICA_ERROR_ITERATING, mica_iter_begin(world, query, &inner));
            REFUSED(&d, n, "mica_iter_begin");
            CHECK(!mica_iter_next(&inner));
            CHECK_EQUAL(MICA_ERROR_ITERATING, mica_iter_end(&inner));
            CHECK_EQUAL(MICA_ERROR_ITERATING, mica_iter_begin_entity(world, query, d.e[1], &inner));
            REFUSED(&d, n, "mica_iter_begin_entity");
            mica_iter_end(&it);
            CHECK_EQUAL(MICA_OK, mica_iter_begin(world, query, &inner));
            mica_iter_end(&inner);
        }
        mica_iter_begin(world, d.fights, &it);
        REQUIRE(mica_iter_next(&it) && mica_write(&it, n));
        CHECK_EQUAL(MICA_OK,
                    mica_iter_begin(world, query_of(&d, type_of(&d, n), MICA_WITH), &inner));
        mica_iter_end(&inner);
        CHECK_EQUAL(MICA_OK,
                    mica_iter_begin(world, query_of(&d, type_of(&d, !n), MICA_READ), &inner));
        mica_iter_end(&inner);
        mica_iter_end(&it);
        duel_end(&d);
    }
}

TEST_WITH(duel, d, what_an_open_iteration_reads_is_not_brought_together)
{
    mica_world *world = d->world;
    mica_query query = query_of(d, d->health, MICA_READ);
    mica_iter outer;
    mica_iter it;
    mica_iter_begin(world, query, &outer);
    REQUIRE(mica_iter_next(&outer));
    const Health *seen = mica_read(&outer, 0);
    mica_iter_begin(world, d->fights, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_ERROR(&d->t, MICA_ERROR_TERM,
                "mica_write: values of 'Health' do not lie side by side here, and the iteration of "
                "'inner' reaches them, too; use mica_write_row");
    CHECK(mica_write(&it, 1)); // nobody reads these
    ((Health *)mica_write_row(&it, 0, 0))->points = 77;
    CHECK_EQUAL(77, seen[0].points);
    CHECK(mica_read(&it, 0));
    CHECK_POINTER(NULL, mica_write_row(&it, 0, 1));
    CHECK_ERROR(&d->t, MICA_ERROR_TERM,
                "mica_write_row: values of 'Health' do not lie side by side here, and the "
                "iteration of 'inner' reaches them, too; use mica_read_row and mica_write_row");
    mica_iter_end(&outer);
    CHECK(mica_write(&it, 0));
    mica_iter_end(&it);
    CHECK_EQUAL(77, health_of(d, 0));
}

// Systems

static void fight_through_the_world(mica_iter *it)
{
    duel *d = it->user;
    Health *own = mica_write(it, 0);
    const Target *t = mica_read(it, 2);
    REQUIRE(own && t);
    for (uint32_t i = 0; i < it->count; i++) {
        own[i].points += 1;
        CHECK_POINTER(NULL, mica_get_mut(it->world, t[i].who, d->health));
        CHECK_ERROR(&d->t, MICA_ERROR_ITERATING,
                    "mica_get_mut: 'Health' is gathered by the iteration of system "
                    "'fight', which has its values until it goes on; use mica_write_row there");
    }
}

static void fight_row_by_row(mica_iter *it)
{
    const duel *d = it->user;
    const Target *t = mica_read(it, 2);
    REQUIRE(t != NULL);
    for (uint32_t i = 0; i < it->count; i++) {
        ((Health *)mica_write_row(it, 0, i))->points += 1;
        ((Shield *)mica_write_row(it, 1, i))->strength += 1;
        ((Health *)mica_get_mut(it->world, t[i].who, d->health))->points -= 10;
        ((Shield *)mica_get_mut(it->world, t[i].who, d->shield))->strength -= 10;
    }
}

static void a_system_reaches_others_where_it_writes_row_by_row(void)
{
    for (uint32_t by_row = 0; by_row < 2; by_row++) {
        duel d;
        mica_world *world = duel_begin(&d);
        for (int32_t i = 0; i < COUNT; i += 2) { // some hit each other, some hit who is elsewhere
            mica_set(world, d.e[i], MICA_VALUE(d.target, Target, d.e[(i + 3 * (i % 4)) % COUNT]));
        }
        mica_system_add(world, &(mica_system_desc){.name = "fight",
                                                   .user = &d,
                                                   .update = by_row ? fight_row_by_row
                                                                    : fight_through_the_world,
                                                   .query.terms = {{d.health, MICA_WRITE},
                                                                   {d.shield, MICA_WRITE},
                                                                   {d.target, MICA_READ}}});
        CHECK_EQUAL(MICA_OK, mica_step(world, 1));
        int32_t health = 0;
        int32_t shield = 0;
        for (int32_t i = 0; i < COUNT; i++) {
            health += health_of(&d, (uint32_t)i) - 100 - i;
            shield += shield_of(&d, (uint32_t)i) - 50 - i;
        }
        CHECK_EQUAL(by_row ? -9 * COUNT / 2 : COUNT / 2, health);
        CHECK_EQUAL(by_row ? -9 * COUNT / 2 : 0, shield);
        duel_end(&d);
    }
}

// Hooks

// Of values that end or are copied by hooks, one that is set meanwhile would be ended twice.
static void values_with_any_hook_are_never_in_two_places(void)
{
    for (uint32_t which = 0; which < 8; which++) {
        static tracker track;
        duel d;
        mica_world *world = duel_begin(&d);
        tracker_begin(&track);
        mica_type_desc desc = tracked_desc(&track, "Hooked", (which & 2) != 0);
        desc.storage = which & 1 ? MICA_SPARSE : MICA_TABLE;
        desc.hooks.copy = which & 4 ? NULL : desc.hooks.copy;
        mica_type hooked = mica_type_register(world, &desc);
        for (uint32_t i = COUNT; i-- > 0;) {
            mica_add(world, d.e[i], hooked);
        }
        mica_query query = mica_query_new(
            world, &(mica_query_desc){.terms = {{hooked, MICA_WRITE}, {d.target, MICA_WITH}}});
        mica_iter it;
        mica_iter_begin(world, query, &it);
        REQUIRE(mica_iter_next(&it));
        CHECK_POINTER(NULL, mica_read(&it, 0));
        CHECK_ERROR(&d.t, MICA_ERROR_TERM,
                    "mica_read: values of 'Hooked' have hooks, and do not lie side by side here; "
                    "use mica_read_row");
        CHECK_POINTER(NULL, mica_write(&it, 0));
        CHECK_ERROR(&d.t, MICA_ERROR_TERM,
                    "mica_write: values of 'Hooked' have hooks, and do not lie side by side here; "
                    "use mica_write_row");
        for (uint32_t i = 0; i < it.count; i++) {
            tracked *value = mica_write_row(&it, 0, i);
            CHECK(tracked_is(&track, value, TRACKED_DEFAULT));
            CHECK_POINTER(value, mica_get_mut(world, it.entities[i], hooked));
        }
        mica_iter_end(&it);
        duel_end(&d);
        CHECK_TRACKED(&track, 0);
    }
}

TESTS(gather, values_of_a_segment_are_out_of_reach_until_it_is_left,
      who_has_no_value_is_reported_so_as_ever, leaving_a_segment_gives_its_values_back,
      what_looks_at_all_values_sees_the_older_ones, no_iteration_begins_that_reads_them,
      what_an_open_iteration_reads_is_not_brought_together,
      a_system_reaches_others_where_it_writes_row_by_row,
      values_with_any_hook_are_never_in_two_places)
