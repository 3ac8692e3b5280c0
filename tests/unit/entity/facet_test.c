#include "unit/world/fixture.h"

#include <inttypes.h>
#include <string.h>

enum { FRONT = 1, REAR, DRIVER, PASSENGER };

static mica_entity extend(fixture *f, mica_entity owner, uint32_t role, int32_t points)
{
    return mica_facet_add(f->world, owner, f->health, role, MICA_VALUE(f->health, Health, points));
}

static int32_t points_of(fixture *f, mica_entity entity)
{
    const Health *health = mica_get(f->world, entity, f->health);
    return health ? health->points : -1;
}

// Are these the facets of an entity, in this order?
static bool has_facets(fixture *f, mica_entity owner, const mica_entity *facets, uint32_t count)
{
    mica_entity facet = mica_facet_next(f->world, owner, (mica_entity){0});
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        same = same && MICA_EQUAL(facets[i], facet);
        facet = mica_facet_next(f->world, owner, facet);
    }
    return same && MICA_IS_NONE(facet);
}

static bool has_key(fixture *f, mica_entity facet, mica_type component, uint32_t role)
{
    mica_type type = f->frozen;
    uint32_t number = 77;
    return mica_facet_key(f->world, facet, &type, &number) == MICA_OK &&
           MICA_EQUAL(type, component) && number == role;
}

// S0.6
TEST_WITH(fixture, f, an_entity_owns_further_rows_each_under_its_key)
{
    mica_entity car = mica_spawn(f->world, MICA_VALUE(f->position, Position, 3, 4));
    mica_entity front = extend(f, car, FRONT, 50);
    mica_entity rear = extend(f, car, REAR, 70);
    mica_entity other = mica_facet_add(f->world, car, (mica_type){0}, FRONT, MICA_ADD(f->player));
    mica_entity empty = mica_facet_add_values(f->world, car, f->frozen, 0, NULL, 0);
    REQUIRE(mica_alive(f->world, front) && mica_alive(f->world, rear));
    REQUIRE(mica_alive(f->world, other) && mica_alive(f->world, empty));
    CHECK(MICA_EQUAL(front, mica_facet_find(f->world, car, f->health, FRONT)));
    CHECK(MICA_EQUAL(rear, mica_facet_find(f->world, car, f->health, REAR)));
    CHECK(MICA_EQUAL(other, mica_facet_find(f->world, car, (mica_type){0}, FRONT)));
    CHECK(MICA_EQUAL(empty, mica_facet_find(f->world, car, f->frozen, 0)));
    CHECK(MICA_IS_NONE(mica_facet_find(f->world, car, f->health, 0)));
    CHECK(MICA_IS_NONE(mica_facet_find(f->world, front, f->health, REAR)));
    CHECK_EQUAL(50, points_of(f, front));
    CHECK_EQUAL(70, points_of(f, rear));
    CHECK(!mica_has(f->world, car, f->health));
    CHECK(has_key(f, front, f->health, FRONT) && has_key(f, other, (mica_type){0}, FRONT));
    CHECK(has_key(f, empty, f->frozen, 0) && has_key(f, car, (mica_type){0}, 0));
    CHECK_EQUAL(MICA_OK, mica_facet_key(f->world, rear, NULL, NULL));
    const mica_entity all[] = {front, rear, other, empty};
    CHECK(has_facets(f, car, all, 4));
    CHECK(has_facets(f, front, NULL, 0));
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(MICA_EQUAL(car, mica_facet_owner(f->world, all[i])));
    }
    CHECK(MICA_EQUAL(car, mica_facet_owner(f->world, car)));
}

// S0.6
TEST_WITH(fixture, f, the_key_of_the_main_row_is_none_and_it_may_be_empty)
{
    mica_entity entity = mica_spawn_values(f->world, NULL, 0);
    CHECK(MICA_EQUAL(entity, mica_facet_find(f->world, entity, (mica_type){0}, 0)));
    CHECK(MICA_IS_NONE(mica_facet_add(f->world, entity, (mica_type){0}, 0, MICA_ADD(f->player))));
    CHECK_ERROR(&f->t, MICA_ERROR_KEY,
                "mica_facet_add: (none, 0) is the key of the main row of entity 0.0");
    mica_entity facet = extend(f, entity, FRONT, 1);
    CHECK(MICA_EQUAL(facet, mica_facet_find(f->world, facet, (mica_type){0}, 0)));
    mica_type_set types = {0};
    CHECK_EQUAL(MICA_OK, mica_entity_types(f->world, entity, &types));
    CHECK_EQUAL(0, mica_type_set_count(&types));
}

// S0.6
TEST_WITH(fixture, f, a_key_that_is_used_is_an_error_that_names_it)
{
    mica_entity car = mica_spawn_values(f->world, NULL, 0);
    extend(f, car, FRONT, 50);
    mica_facet_add(f->world, car, (mica_type){0}, 9, MICA_ADD(f->player));
    uint64_t digest = mica_world_digest(f->world);
    CHECK(MICA_IS_NONE(extend(f, car, FRONT, 60)));
    CHECK_ERROR(&f->t, MICA_ERROR_KEY,
                "mica_facet_add: entity 0.0 has a facet under ('Health', 1) already, which is 1.0");
    CHECK(MICA_IS_NONE(mica_facet_add(f->world, car, (mica_type){0}, 9, MICA_ADD(f->player))));
    CHECK_ERROR(&f->t, MICA_ERROR_KEY,
                "mica_facet_add: entity 0.0 has a facet under (none, 9) already, which is 2.0");
    CHECK_EQUAL(digest, mica_world_digest(f->world));
    mica_entity next = mica_spawn_values(f->world, NULL, 0); // whose keys are its own
    CHECK(!MICA_IS_NONE(extend(f, next, FRONT, 50)));
}

TEST_WITH(fixture, f, facets_own_no_facets)
{
    mica_entity car = mica_spawn_values(f->world, NULL, 0);
    mica_entity front = extend(f, car, FRONT, 50);
    CHECK(MICA_IS_NONE(extend(f, front, FRONT, 50)));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_facet_add: entity 1.0 is a facet of 0.0, and facets own none");
    CHECK(MICA_IS_NONE(mica_facet_next(f->world, front, front)));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_facet_next: entity 1.0 is no facet of 1.0");
}

// What ends is written down: the order of ends.
typedef struct diary {
    int32_t ended[16];
    uint32_t count;
} diary;

static void note_end(void *values, uint32_t count, const mica_hook_context *context)
{
    diary *d = context->user;
    const int32_t *numbers = values;
    for (uint32_t i = 0; i < count && d->count < 16; i++) {
        d->ended[d->count++] = numbers[i];
    }
}

static mica_result copy_number(void *target, const void *source, uint32_t count,
                               const mica_hook_context *context)
{
    (void)context;
    memcpy(target, source, count * sizeof(int32_t));
    return MICA_OK;
}

// S0.6
TEST_WITH(fixture, f, deleting_the_entity_removes_all_its_rows_first_in_order_of_creation)
{
    static diary d;
    d.count = 0;
    mica_type noted = mica_type_register(
        f->world, &(mica_type_desc){.name = "Noted",
                                    .size = sizeof(int32_t),
                                    .align = _Alignof(int32_t),
                                    .hooks = {.destruct = note_end, .copy = copy_number},
                                    .user = &d});
    mica_entity car = mica_spawn(f->world, MICA_VALUE(noted, int32_t, 100));
    mica_entity facets[5];
    for (int32_t i = 0; i < 5; i++) {
        facets[i] = mica_facet_add(f->world, car, (mica_type){0}, (uint32_t)(10 - i),
                                   MICA_VALUE(noted, int32_t, i));
    }
    mica_despawn(f->world, facets[1]);
    mica_add(f->world, facets[3], f->player); // which is in another table now
    facets[1] = mica_facet_add(f->world, car, noted, 0, MICA_VALUE(noted, int32_t, 5));
    mica_entity_set_name(f->world, facets[2], "spoiler");
    mica_entity other = mica_spawn(f->world, MICA_VALUE(noted, int32_t, 200));
    mica_entity kept = mica_facet_add(f->world, other, noted, 0, MICA_VALUE(noted, int32_t, 201));
    d.count = 0;
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, car));
    const int32_t expected[] = {0, 2, 3, 4, 5, 100};
    REQUIRE_EQUAL(6, d.count);
    CHECK_BYTES(expected, d.ended, sizeof expected);
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(!mica_alive(f->world, facets[i]));
    }
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, "spoiler")));
    CHECK(mica_alive(f->world, kept) && has_facets(f, other, &kept, 1));
    CHECK_EQUAL(1, mica_entity_count(f->world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    d.count = 0;
}

// S0.6
TEST_WITH(fixture, f, a_facet_is_changed_by_the_calls_that_change_entities)
{
    mica_type lit = mica_type_register(
        f->world, &(mica_type_desc){.name = "Lit", .size = 4, .align = 4, .toggle = true});
    mica_type loose = mica_type_register(
        f->world,
        &(mica_type_desc){.name = "Loose", .storage = MICA_SPARSE, .size = 4, .align = 4});
    mica_entity car = mica_spawn(f->world, MICA_VALUE(f->health, Health, 7));
    mica_entity facet = extend(f, car, FRONT, 50);
    CHECK_EQUAL(MICA_OK, mica_add(f->world, facet, lit));
    CHECK_EQUAL(MICA_OK, mica_disable(f->world, facet, lit));
    CHECK(!mica_is_enabled(f->world, facet, lit));
    CHECK_EQUAL(MICA_OK, mica_set(f->world, facet, MICA_VALUE(f->health, Health, 51)));
    CHECK_EQUAL(51, points_of(f, facet));
    CHECK_EQUAL(7, points_of(f, car));
    CHECK_EQUAL(MICA_OK, mica_set(f->world, facet, MICA_VALUE(loose, int32_t, 3)));
    CHECK(mica_has(f->world, facet, loose) && !mica_has(f->world, car, loose));
    const mica_value more[] = {MICA_VALUE(f->position, Position, 1, 2), MICA_ADD(f->player)};
    CHECK_EQUAL(MICA_OK, mica_change(f->world, facet, more, 2, &f->health, 1));
    CHECK_EQUAL(-1, points_of(f, facet));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, facet, "bumper"));
    CHECK(MICA_EQUAL(facet, mica_entity_find(f->world, "bumper")));
    mica_type_set types = {0};
    CHECK_EQUAL(MICA_OK, mica_entity_types(f->world, facet, &types));
    CHECK_EQUAL(4, mica_type_set_count(&types)); // and nothing that was not given to it
    CHECK(mica_type_set_has(f->world, &types, f->position) &&
          mica_type_set_has(f->world, &types, loose));
    CHECK_EQUAL(MICA_OK, mica_remove(f->world, facet, f->position));
    CHECK_EQUAL(MICA_OK, mica_remove(f->world, facet, f->player));
    CHECK_EQUAL(MICA_OK, mica_remove(f->world, facet, lit));
    CHECK(MICA_EQUAL(facet, mica_facet_find(f->world, car, f->health, FRONT)));
    CHECK(has_key(f, facet, f->health, FRONT) && has_facets(f, car, &facet, 1));
}

// S0.6
TEST_WITH(fixture, f, a_facet_is_removed_alone_and_its_key_is_free_again)
{
    mica_entity car = mica_spawn_values(f->world, NULL, 0);
    mica_entity facets[5];
    for (uint32_t i = 0; i < 5; i++) {
        facets[i] = extend(f, car, 1 + i, (int32_t)i);
    }
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, facets[0]));
    CHECK(has_facets(f, car, facets + 1, 4));
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, facets[4]));
    CHECK(has_facets(f, car, facets + 1, 3));
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, facets[2]));
    CHECK(MICA_IS_NONE(mica_facet_find(f->world, car, f->health, 3)));
    mica_entity again = extend(f, car, 3, 30);
    const mica_entity left[] = {facets[1], facets[3], again};
    CHECK(has_facets(f, car, left, 3));
    CHECK(MICA_EQUAL(again, mica_facet_find(f->world, car, f->health, 3)));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(f->world, facets[2]));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_despawn: entity 3.0 is dead, or of another world");
    CHECK(mica_alive(f->world, car));
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQUAL(MICA_OK, mica_despawn(f->world, left[i]));
    }
    CHECK(has_facets(f, car, NULL, 0));
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, car));
}

// S0.7: the row that fills the hole is of the entity that has lost one, or of another with several there.
TEST_WITH(fixture, f, a_hole_is_filled_with_the_row_of_an_entity_that_has_several_there)
{
    enum { OWNERS = 3, EACH = 7 };
    mica_entity owners[OWNERS];
    mica_entity facets[OWNERS][EACH];
    for (uint32_t o = 0; o < OWNERS; o++) {
        owners[o] = mica_spawn_values(f->world, NULL, 0);
    }
    for (uint32_t i = 0; i < EACH; i++) {
        for (uint32_t o = 0; o < OWNERS; o++) {
            facets[o][i] = extend(f, owners[o], 1 + i, (int32_t)(100 * o + i));
        }
    }
    // Some go, some move away and back, so that rows of all of them change places.
    for (uint32_t i = 0; i < EACH; i += 2) {
        CHECK_EQUAL(MICA_OK, mica_despawn(f->world, facets[i % OWNERS][i]));
        facets[i % OWNERS][i] = (mica_entity){0};
        mica_entity moves = facets[(i + 1) % OWNERS][i];
        CHECK_EQUAL(MICA_OK, mica_add(f->world, moves, f->moved));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
        CHECK_EQUAL(MICA_OK, mica_remove(f->world, moves, f->moved));
    }
    for (uint32_t o = 0; o < OWNERS; o++) {
        for (uint32_t i = 0; i < EACH; i++) {
            mica_entity facet = mica_facet_find(f->world, owners[o], f->health, 1 + i);
            CHECK(MICA_EQUAL(facets[o][i], facet));
            if (!MICA_IS_NONE(facet)) {
                CHECK_EQUAL(100 * o + i, points_of(f, facet));
                CHECK(MICA_EQUAL(owners[o], mica_facet_owner(f->world, facet)));
            }
        }
    }
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, owners[1]));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    CHECK_EQUAL(105, 100 + points_of(f, facets[0][5]));
}

TEST_WITH(fixture, f, counts_and_walks_of_entities_leave_facets_out)
{
    mica_entity a = mica_spawn_values(f->world, NULL, 0);
    extend(f, a, FRONT, 1);
    extend(f, a, REAR, 1);
    mica_entity b = mica_spawn_values(f->world, NULL, 0);
    mica_entity last = extend(f, b, REAR, 1);
    CHECK_EQUAL(2, mica_entity_count(f->world));
    CHECK(MICA_EQUAL(a, mica_entity_next(f->world, (mica_entity){0})));
    CHECK(MICA_EQUAL(b, mica_entity_next(f->world, a)));
    CHECK(MICA_IS_NONE(mica_entity_next(f->world, b)));
    CHECK(MICA_IS_NONE(mica_entity_next(f->world, last)));
    mica_world_stats stats = mica_world_get_stats(f->world);
    CHECK_EQUAL(2, stats.entities);
    CHECK_EQUAL(3, stats.facets);
    CHECK_EQUAL(5, stats.rows);
    CHECK_EQUAL(3, mica_type_get_stats(f->world, f->health).rows);
}

TEST_WITH(fixture, f, nobody_finds_the_type_that_facets_have)
{
    uint32_t types = test_type_count(f->world);
    mica_entity car = mica_spawn_values(f->world, NULL, 0);
    extend(f, car, FRONT, 1);
    mica_type later = MICA_TAG(f->world, Later);
    CHECK_EQUAL(types + 1, test_type_count(f->world));
    CHECK_EQUAL(types + 1, mica_world_get_stats(f->world).types);
    uint32_t walked = 0;
    mica_type last = (mica_type){0};
    for (mica_type type = mica_type_next(f->world, last); !MICA_IS_NONE(type);
         type = mica_type_next(f->world, type)) {
        CHECK(MICA_EQUAL(type, mica_type_find(f->world, mica_type_get_info(f->world, type)->name)));
        last = type;
        walked++;
    }
    CHECK_EQUAL(types + 1, walked);
    CHECK(MICA_EQUAL(later, last));
    CHECK(MICA_IS_NONE(mica_type_find(f->world, "#facet")));
}

static void a_limit_of_types_is_for_those_that_are_registered(void)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_types = 2;
    mica_world *world = test_world_open(&t);
    mica_type a = MICA_TAG(world, A);
    mica_entity car = mica_spawn_values(world, NULL, 0);
    CHECK(!MICA_IS_NONE(mica_facet_add(world, car, a, 0, MICA_ADD(a))));
    CHECK(!MICA_IS_NONE(MICA_TAG(world, B)));
    CHECK(MICA_IS_NONE(MICA_TAG(world, C)));
    CHECK_ERROR(&t, MICA_ERROR_LIMIT,
                "mica_type_register: 'C' is one more than the world's limit of 2 types");
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    test_world_end(&t);
}

TEST_WITH(fixture, f, a_clone_is_of_one_row)
{
    mica_entity car = mica_spawn(f->world, MICA_VALUE(f->health, Health, 9));
    mica_entity front = extend(f, car, FRONT, 50);
    mica_entity clone = mica_clone(f->world, car);
    CHECK_EQUAL(9, points_of(f, clone));
    CHECK(has_facets(f, clone, NULL, 0));
    mica_entity alone = mica_clone(f->world, front);
    CHECK_EQUAL(50, points_of(f, alone));
    CHECK(MICA_EQUAL(alone, mica_facet_owner(f->world, alone)));
    CHECK(has_facets(f, car, &front, 1));
    CHECK_EQUAL(3, mica_entity_count(f->world));
}

// A world with facets of these roles; what is made and removed again leaves the same handles.
static uint64_t hash_of(uint32_t first, uint32_t second, bool reorder, uint64_t *digest_out)
{
    fixture f;
    fixture_begin(&f);
    mica_entity car = mica_spawn_values(f.world, NULL, 0);
    mica_entity a = extend(&f, car, first, 1);
    if (!reorder) {
        mica_despawn(f.world, a);
        a = extend(&f, car, first, 1);
    }
    extend(&f, car, second, 2);
    if (reorder) {
        mica_despawn(f.world, a);
        extend(&f, car, first, 1);
    }
    uint64_t hash = mica_world_hash(f.world);
    *digest_out = mica_world_digest(f.world);
    fixture_end(&f);
    return hash;
}

static void the_hash_tells_keys_and_owners_and_not_the_order(void)
{
    uint64_t digest, same, reordered;
    uint64_t hash = hash_of(FRONT, REAR, false, &digest);
    CHECK_EQUAL(hash, hash_of(FRONT, REAR, false, &same));
    CHECK_EQUAL(digest, same);
    CHECK_EQUAL(hash, hash_of(FRONT, REAR, true, &reordered));
    CHECK(digest != reordered);
    CHECK(hash != hash_of(FRONT, DRIVER, false, &same));
    fixture f;
    fixture_begin(&f);
    mica_entity owners[2] = {mica_spawn_values(f.world, NULL, 0),
                             mica_spawn_values(f.world, NULL, 0)};
    mica_entity facet = extend(&f, owners[0], FRONT, 1);
    hash = mica_world_hash(f.world);
    CHECK_EQUAL(MICA_OK, mica_despawn(f.world, facet));
    mica_entity entity = mica_spawn(f.world, MICA_VALUE(f.health, Health, 1));
    CHECK_EQUAL(mica_entity_slot(facet), mica_entity_slot(entity));
    uint64_t plain = mica_world_hash(f.world);
    mica_despawn(f.world, entity);
    mica_entity other = extend(&f, owners[1], FRONT, 1);
    CHECK_EQUAL(mica_entity_slot(facet), mica_entity_slot(other));
    CHECK(hash != mica_world_hash(f.world) && plain != mica_world_hash(f.world));
    fixture_end(&f);
}

TEST_WITH(fixture, f, a_world_that_is_cleared_has_no_facets)
{
    mica_entity car = mica_spawn_values(f->world, NULL, 0);
    mica_entity facet =
        mica_facet_add(f->world, car, f->moved, FRONT, MICA_ADD(f->moved), MICA_ADD(f->hooked));
    CHECK_EQUAL(MICA_OK, mica_world_clear(f->world));
    CHECK_TRACKED(&f->tracker, 0);
    CHECK(!mica_alive(f->world, facet));
    CHECK_EQUAL(0, mica_world_get_stats(f->world).facets);
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    car = mica_spawn_values(f->world, NULL, 0);
    facet = extend(f, car, FRONT, 2);
    CHECK(has_facets(f, car, &facet, 1));
    CHECK_EQUAL(MICA_OK, mica_world_clear(f->world));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(f->world));
}

TEST_WITH(fixture, f, many_end_at_once_with_their_facets_listed_or_not)
{
    mica_entity list[6];
    for (uint32_t i = 0; i < 3; i++) {
        list[i] = fixture_spawn(f, (int32_t)i);
        mica_facet_add(f->world, list[i], f->hooked, REAR, MICA_ADD(f->hooked));
        list[3 + i] = mica_facet_add(f->world, list[i], f->hooked, FRONT, MICA_ADD(f->hooked));
    }
    mica_entity kept = fixture_spawn(f, 9);
    mica_entity facet = mica_facet_add(f->world, kept, f->hooked, FRONT, MICA_ADD(f->hooked));
    CHECK_EQUAL(MICA_OK, mica_despawn_many(f->world, list, 6));
    CHECK_EQUAL(1, mica_entity_count(f->world));
    CHECK_EQUAL(1, mica_world_get_stats(f->world).facets);
    CHECK(fixture_holds(f, kept, 9) && has_facets(f, kept, &facet, 1));
    CHECK_TRACKED(&f->tracker, 3);
}

TEST_WITH(fixture, f, all_that_match_end_with_their_facets)
{
    mica_query players =
        mica_query_new(f->world, &(mica_query_desc){.terms = {{f->player, MICA_WITH}}});
    mica_entity kept = mica_spawn(f->world, MICA_ADD(f->frozen));
    mica_facet_add(f->world, kept, f->player, FRONT,
                   MICA_ADD(f->player)); // it matches, its owner does not
    for (int32_t i = 0; i < 5; i++) {
        mica_entity entity = fixture_spawn(f, i);
        mica_facet_add(f->world, entity, f->moved, FRONT, MICA_ADD(f->moved), MICA_ADD(f->player));
        mica_facet_add(f->world, entity, f->moved, REAR, MICA_ADD(f->moved));
    }
    uint32_t matched = 0;
    CHECK_EQUAL(MICA_OK, mica_despawn_all(f->world, players, &matched));
    CHECK_EQUAL(11, matched);
    CHECK_EQUAL(1, mica_entity_count(f->world));
    CHECK_EQUAL(0, mica_world_get_stats(f->world).facets);
    CHECK_TRACKED(&f->tracker, 0);
}

TEST_WITH(fixture, f, all_that_match_change_facets_too)
{
    mica_query healthy =
        mica_query_new(f->world, &(mica_query_desc){.terms = {{f->health, MICA_READ}}});
    mica_entity car = mica_spawn(f->world, MICA_VALUE(f->health, Health, 1));
    mica_entity facets[12];
    for (uint32_t i = 0; i < 12; i++) {
        facets[i] = extend(f, car, 1 + i, (int32_t)i);
    }
    uint32_t matched = 0;
    CHECK_EQUAL(MICA_OK, mica_add_all(f->world, healthy, f->hooked, &matched));
    CHECK_EQUAL(13, matched);
    const Health health = {77};
    CHECK_EQUAL(MICA_OK, mica_set_all(f->world, healthy, f->health, &health, sizeof health, NULL));
    CHECK_EQUAL(77, points_of(f, facets[11]));
    CHECK_EQUAL(MICA_OK, mica_remove_all(f->world, healthy, f->hooked, NULL));
    CHECK(has_facets(f, car, facets, 12));
    for (uint32_t i = 0; i < 12; i++) {
        CHECK(has_key(f, facets[i], f->health, 1 + i));
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
}

TEST_WITH(fixture, f, storages_change_under_facets)
{
    mica_entity car = mica_spawn(f->world, MICA_VALUE(f->health, Health, 1));
    mica_entity facets[9];
    for (uint32_t i = 0; i < 9; i++) {
        facets[i] = extend(f, car, 1 + i, (int32_t)i);
    }
    uint64_t hash = mica_world_hash(f->world);
    // From each to each other.
    const mica_storage ways[] = {MICA_SPARSE, MICA_TABLE, MICA_RING,  MICA_SPARSE, MICA_RING,
                                 MICA_TABLE,  MICA_SPLIT, MICA_RING,  MICA_SPLIT,  MICA_SPARSE,
                                 MICA_SPLIT,  MICA_TABLE, MICA_SPARSE};
    for (uint32_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        CHECK_EQUAL(MICA_OK, mica_type_change_storage(f->world, f->health, ways[i]));
        CHECK_EQUAL(hash, mica_world_hash(f->world));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
        CHECK(has_facets(f, car, facets, 9));
    }
    CHECK_EQUAL(8, points_of(f, facets[8]));
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, car));
}

TEST_WITH(fixture, f, values_that_are_given_may_be_those_of_the_owner)
{
    mica_entity car = fixture_spawn(f, 3);
    for (uint32_t i = 1; i < 20; i++) {
        const mica_value value = {f->hooked, mica_get(f->world, car, f->hooked), sizeof(tracked), 1,
                                  NULL};
        mica_entity facet = mica_facet_add_values(f->world, car, f->hooked, i, &value, 1);
        CHECK(tracked_is(&f->tracker, mica_get(f->world, facet, f->hooked), 3));
    }
    CHECK(fixture_holds(f, car, 3));
}

TEST_WITH(fixture, f, what_a_world_with_facets_says_of_the_wrong_is_right)
{
    mica_entity car = mica_spawn_values(f->world, NULL, 0);
    mica_entity other = mica_spawn_values(f->world, NULL, 0);
    mica_entity front = extend(f, car, FRONT, 1);
    mica_entity gone = extend(f, car, REAR, 1);
    mica_despawn(f->world, gone);
    CHECK(MICA_IS_NONE(mica_facet_next(f->world, other, front)));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_facet_next: entity 2.0 is no facet of 1.0");
    CHECK(MICA_IS_NONE(mica_facet_next(f->world, car, other)));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_facet_next: entity 1.0 is no facet of 0.0");
    CHECK(MICA_IS_NONE(mica_facet_next(f->world, car, gone)));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY,
                "mica_facet_next: entity 3.0 is dead, or of another world");
}

TESTS(facet, an_entity_owns_further_rows_each_under_its_key,
      the_key_of_the_main_row_is_none_and_it_may_be_empty,
      a_key_that_is_used_is_an_error_that_names_it, facets_own_no_facets,
      deleting_the_entity_removes_all_its_rows_first_in_order_of_creation,
      a_facet_is_changed_by_the_calls_that_change_entities,
      a_facet_is_removed_alone_and_its_key_is_free_again,
      a_hole_is_filled_with_the_row_of_an_entity_that_has_several_there,
      counts_and_walks_of_entities_leave_facets_out, nobody_finds_the_type_that_facets_have,
      a_limit_of_types_is_for_those_that_are_registered, a_clone_is_of_one_row,
      the_hash_tells_keys_and_owners_and_not_the_order, a_world_that_is_cleared_has_no_facets,
      many_end_at_once_with_their_facets_listed_or_not, all_that_match_end_with_their_facets,
      all_that_match_change_facets_too, storages_change_under_facets,
      values_that_are_given_may_be_those_of_the_owner,
      what_a_world_with_facets_says_of_the_wrong_is_right)
