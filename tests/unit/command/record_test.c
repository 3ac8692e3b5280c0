#include <string.h>

#include "state/state.h"
#include "unit/command/fixture.h"

// Everything that can be recorded

static void spawning_in_every_form_gives_handles_that_live_later(void) // S3.8
{
    fixture f;
    fixture_begin(&f);
    mica_world *later = fixture_later(&f);
    const mica_type types[] = {f.position, f.health};
    mica_bundle bundle = mica_bundle_new(f.world, types, 2);
    const Position places[] = {{1, 0}, {2, 0}, {3, 0}};
    const Health healths[] = {{1}, {2}, {3}};
    mica_entity made[8];
    made[0] = mica_spawn_values(later, NULL, 0);
    made[1] = mica_spawn(later, MICA_VALUE(f.position, Position, 4, 0));
    made[2] = mica_spawn_bundle(later, bundle, NULL, 0);
    made[3] = mica_spawn_bundle(later, bundle,
                                (const mica_value[]){MICA_COPY_OF(f.position, places[1]),
                                                     MICA_COPY_OF(f.health, healths[1])},
                                2);
    const mica_value arrays[] = {MICA_COPY_OF_ARRAY(f.position, places),
                                 MICA_COPY_OF_ARRAY(f.health, healths)};
    CHECK_EQUAL(MICA_OK, mica_spawn_many(later, bundle, 3, arrays, 2, &made[4]));
    CHECK_EQUAL(MICA_OK, mica_spawn_many(later, bundle, 2, NULL, 0, NULL));
    made[7] = mica_clone(later, made[5]);
    CHECK_EQUAL(10, mica_commands_count(f.world));
    CHECK_EQUAL(0, mica_entity_count(f.world));
    for (int i = 0; i < 8; i++) {
        CHECK(!MICA_IS_NONE(made[i]) && !mica_alive(f.world, made[i]));
        CHECK_EQUAL(MICA_OK, mica_add(later, made[i], f.frozen)); // usable at once
    }
    CHECK(mica_bundle_free(f.world, bundle) == MICA_OK); // no longer needed
    fixture_apply(&f);
    CHECK_EQUAL(10, mica_entity_count(f.world));
    for (int i = 0; i < 8; i++) {
        CHECK(mica_alive(f.world, made[i]) && mica_has(f.world, made[i], f.frozen));
    }
    CHECK(MICA_GET(f.world, made[1], f.position, Position)->x == 4);
    CHECK_EQUAL(100, MICA_GET(f.world, made[2], f.health, Health)->points);
    CHECK_EQUAL(2, MICA_GET(f.world, made[3], f.health, Health)->points);
    CHECK(MICA_GET(f.world, made[6], f.position, Position)->x == 3);
    CHECK_EQUAL(2, MICA_GET(f.world, made[7], f.health, Health)->points);
    fixture_end(&f);
}

static void changing_in_every_form(void) // S3.8
{
    fixture f;
    fixture_begin(&f);
    mica_world *later = fixture_later(&f);
    mica_entity e = mica_spawn(f.world, MICA_ADD(f.position), MICA_ADD(f.burning));
    mica_entity other = mica_spawn_values(f.world, NULL, 0);
    const mica_type added[] = {f.frozen, f.health};
    const mica_type removed[] = {f.position, f.loose};
    CHECK_EQUAL(MICA_OK, test_add_types(later, e, added, 2));
    CHECK_EQUAL(MICA_OK, mica_set(later, e, MICA_VALUE(f.wide, Wide, {3}), MICA_ADD(f.marked)));
    CHECK_EQUAL(MICA_OK, mica_set_value(later, e, f.loose, &(int64_t){1}, 8));
    CHECK_EQUAL(MICA_OK, mica_change(later, e, NULL, 0, removed, 2));
    CHECK_EQUAL(MICA_OK, mica_change(later, e, &MICA_VALUE(f.health, Health, 9), 1, &f.frozen, 1));
    CHECK_EQUAL(MICA_OK, mica_disable(later, e, f.burning));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(later, e, "eve"));
    CHECK_EQUAL(MICA_OK, mica_despawn_many(later, &other, 1));
    fixture_apply(&f);
    CHECK(!mica_has(f.world, e, f.position) && !mica_has(f.world, e, f.frozen));
    CHECK(!mica_has(f.world, e, f.loose) && mica_has(f.world, e, f.marked));
    CHECK_EQUAL(9, MICA_GET(f.world, e, f.health, Health)->points);
    CHECK_EQUAL(3, MICA_GET(f.world, e, f.wide, Wide)->numbers[0]);
    CHECK(!mica_is_enabled(f.world, e, f.burning));
    CHECK_TEXT("eve", mica_entity_name(f.world, e));
    CHECK(!mica_alive(f.world, other));
    CHECK_EQUAL(1, mica_world_get_stats(f.world).row_moves);
    mica_entity_set_name(later, e, NULL);
    fixture_apply(&f);
    CHECK_TEXT(NULL, mica_entity_name(f.world, e));
    fixture_end(&f);
}

TEST_WITH(fixture, f, sparse_tags_that_might_flip_at_once_wait_too)
{
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    mica_iter it;
    mica_iter_begin(f->world, f->all, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(MICA_OK, mica_add(mica_later(&it), e, f->marked));
    CHECK(!mica_has(f->world, e, f->marked));
    CHECK(!mica_iter_next(&it));
    CHECK(mica_has(f->world, e, f->marked));
}

// Values

TEST_WITH(fixture, f, values_are_copied_at_once)
{
    mica_world *later = fixture_later(f);
    Wide wide = {{1, 2}};
    tracked value = tracked_make(&f->tracker, 5);
    mica_entity e = mica_spawn(later, MICA_COPY_OF(f->wide, wide), MICA_COPY_OF(f->moved, value));
    mica_entity same = mica_spawn(f->world, MICA_COPY_OF(f->moved, value));
    mica_set_value(later, e, f->moved, mica_get(f->world, same, f->moved), sizeof value);
    memset(&wide, 0, sizeof wide);
    tracked_drop(&f->tracker, &value);
    mica_despawn(f->world, same);
    CHECK_TRACKED(&f->tracker, 2);
    fixture_apply(f);
    CHECK_TRACKED(&f->tracker, 1);
    CHECK_EQUAL(2, MICA_GET(f->world, e, f->wide, Wide)->numbers[1]);
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->moved), 5));
}

TEST_WITH(fixture, f, values_with_hooks_are_copied_by_them_also_where_the_shape_is_known)
{
    mica_world *later = fixture_later(f);
    mica_type_desc desc = tracked_desc(&f->tracker, "Apart", true);
    desc.storage = MICA_SPARSE;
    const mica_type apart = mica_type_register(f->world, &desc);
    tracked value = tracked_make(&f->tracker, 3);
    mica_entity made[3];
    for (int i = 0; i < 3; i++) {
        made[i] = mica_spawn(i == 0 ? f->world : later, MICA_COPY_OF(apart, value),
                             MICA_VALUE(f->position, Position, 1, 2));
    }
    tracked_drop(&f->tracker, &value);
    fixture_apply(f);
    for (int i = 0; i < 3; i++) {
        CHECK(tracked_is(&f->tracker, mica_get(f->world, made[i], apart), 3));
    }
}

TEST_WITH(fixture, f, values_that_cannot_be_copied_are_handed_over)
{
    mica_world *later = fixture_later(f);
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    tracked a = tracked_make(&f->tracker, 1);
    tracked b = tracked_make(&f->tracker, 2);
    tracked c = tracked_make(&f->tracker, 3);
    CHECK_EQUAL(MICA_OK, mica_set(later, e, fixture_owned(f, &a)));
    CHECK_EQUAL(MICA_OK, mica_set(later, e, fixture_owned(f, &b))); // instead
    mica_entity other = mica_spawn(later, fixture_owned(f, &c));
    CHECK_TRACKED(&f->tracker, 3);
    fixture_apply(f);
    CHECK_TRACKED(&f->tracker, 2);
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->owned), 2));
    CHECK(tracked_is(&f->tracker, mica_get(f->world, other, f->owned), 3));
    const void *there = mica_get(f->world, e, f->owned);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_set_value(later, other, f->owned, there, sizeof a));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_set_value: the value of 'Owned', which cannot be copied, lies in the world "
                "already");
}

TEST_WITH(fixture, f, a_call_that_fails_records_nothing)
{
    mica_world *later = fixture_later(f);
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    tracked a = tracked_make(&f->tracker, 1);
    tracked b = tracked_make(&f->tracker, 2);
    uint64_t digest = mica_world_digest(f->world);
    const mica_value twice[] = {fixture_owned(f, &a), fixture_owned(f, &b)};
    CHECK(MICA_IS_NONE(mica_spawn_values(later, twice, 2)));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_spawn: 'Owned', which cannot be copied, is given twice");
    const mica_value bad[] = {
        fixture_owned(f, &a), {f->moved, &b, sizeof b, 1, NULL}, {f->health, &b, 12, 1, NULL}};
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_set_values(later, e, bad, 3));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_set: component 'Health' has size 4, not 12");
    f->tracker.until_failure = 1;
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_set_values(later, e, bad, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK, "mica_set: the copy hook of 'Moved' failed");
    f->tracker.until_failure = 1;
    CHECK(MICA_IS_NONE(mica_spawn_values(later, bad, 2)));
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK, "mica_spawn: the copy hook of 'Moved' failed");
    const mica_type types[] = {f->frozen, (mica_type){0}};
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_change(later, e, NULL, 0, types, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_change: type 1: the component type is none; was it registered?");
    CHECK_EQUAL(MICA_ERROR_TYPE, test_add_types(later, e, types, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_change: value 1: the component type is none; was it registered?");
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_change(later, e, bad, 1, &f->owned, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_change: 'Owned' is both set and removed");
    const mica_entity two[] = {e, (mica_entity){0}};
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn_many(later, two, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_despawn_many: the entity is none");
    CHECK(tracked_is(&f->tracker, &a, 1) && tracked_is(&f->tracker, &b, 2)); // given back
    CHECK_EQUAL(0, mica_commands_count(f->world));
    CHECK_EQUAL(digest, mica_world_digest(f->world)); // slots too
    tracked_drop(&f->tracker, &a);
    tracked_drop(&f->tracker, &b);
}

TEST_WITH(fixture, f, mistakes_are_reported_when_they_are_recorded)
{
    mica_world *later = fixture_later(f);
    mica_entity dead = mica_spawn_values(f->world, NULL, 0);
    mica_despawn(f->world, dead);
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_add(later, dead, f->frozen));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_add: entity 0.0 is dead, or of another world");
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(later, dead));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_despawn: entity 0.0 is dead, or of another world");
    CHECK(MICA_IS_NONE(mica_clone(later, dead)));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_clone: entity 0.0 is dead, or of another world");
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_entity_set_name(later, dead, "x"));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY,
                "mica_entity_set_name: entity 0.0 is dead, or of another world");
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_NAME, mica_entity_set_name(later, e, "a/b"));
    CHECK_ERROR(&f->t, MICA_ERROR_NAME,
                "mica_entity_set_name: 'a/b' has a '/' in it, which is kept for paths; choose "
                "another name");
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_disable(later, e, f->health));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_enable(later, e, (mica_type){0}));
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_enable: the component type is none; was it registered?");
    CHECK_EQUAL(MICA_ERROR_BUNDLE, mica_spawn_many(later, (mica_bundle){0}, 1, NULL, 0, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_BUNDLE, "mica_spawn_many: the bundle is none");
    CHECK_EQUAL(0, mica_commands_count(f->world));
}

// Facets

TEST_WITH(fixture, f, facets_are_made_later)
{
    mica_world *later = fixture_later(f);
    mica_entity old = mica_spawn(f->world, MICA_ADD(f->position));
    mica_entity first = mica_facet_add(f->world, old, f->health, 1, MICA_ADD(f->health));
    tracked value = tracked_make(&f->tracker, 4);
    mica_iter it;
    mica_iter_begin(f->world, f->all, &it);
    CHECK(mica_iter_next(&it));
    mica_entity to_be = mica_spawn(later, MICA_ADD(f->frozen));
    mica_entity facet =
        mica_facet_add(later, to_be, f->health, 7, MICA_VALUE(f->wide, Wide, {1, 2}),
                       fixture_owned(f, &value), MICA_ADD(f->health));
    mica_set(later, facet, MICA_VALUE(f->position, Position, 8, 9)); // its handle is good at once
    mica_entity_set_name(later, facet, "facet");
    mica_despawn(later, first);
    mica_entity second = mica_facet_add(later, old, f->health, 1, MICA_ADD(f->loose));
    mica_entity none = mica_facet_add_values(later, old, (mica_type){0}, 2, NULL, 0);
    CHECK_EQUAL(7, mica_commands_count(later));
    CHECK(!mica_alive(f->world, facet) && !mica_alive(f->world, none));
    mica_iter_end(&it);
    CHECK_EQUAL(to_be.bits, mica_facet_owner(f->world, facet).bits);
    CHECK_EQUAL(facet.bits, mica_facet_find(f->world, to_be, f->health, 7).bits);
    CHECK_EQUAL(facet.bits, mica_entity_find(f->world, "facet").bits);
    CHECK_EQUAL(2, MICA_GET(f->world, facet, f->wide, Wide)->numbers[1]);
    CHECK_EQUAL(100, MICA_GET(f->world, facet, f->health, Health)->points);
    CHECK(tracked_is(&f->tracker, mica_get(f->world, facet, f->owned), 4));
    CHECK(MICA_GET(f->world, facet, f->position, Position)->y == 9);
    CHECK(!mica_alive(f->world, first)); // so that its key was free
    CHECK_EQUAL(second.bits, mica_facet_find(f->world, old, f->health, 1).bits);
    CHECK_EQUAL(none.bits, mica_facet_next(f->world, old, second).bits);
    CHECK_EQUAL(2, mica_entity_count(f->world));
}

TEST_WITH(fixture, f, a_facet_that_cannot_be_made_then_leaves_nobody)
{
    mica_world *later = fixture_later(f);
    mica_entity a = mica_spawn_values(f->world, NULL, 0);
    mica_entity b = mica_spawn_values(f->world, NULL, 0);
    tracked value = tracked_make(&f->tracker, 1);
    tracked other = tracked_make(&f->tracker, 2);
    mica_entity good = mica_facet_add(later, a, f->health, 1, MICA_ADD(f->frozen));
    mica_entity twice = mica_facet_add(later, a, f->health, 1, fixture_owned(f, &value));
    mica_entity below = mica_facet_add(later, good, f->health, 1, MICA_ADD(f->frozen));
    mica_despawn(later, b);
    mica_entity lost = mica_facet_add(later, b, f->health, 1, fixture_owned(f, &other));
    mica_add(later, lost, f->frozen);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(f->world));
    CHECK_EQUAL(2, test_error_clear(&f->t.error));
    CHECK(mica_alive(f->world, good) && !mica_alive(f->world, twice) &&
          !mica_alive(f->world, below));
    CHECK(!mica_alive(f->world, lost));
    CHECK_EQUAL(
        2,
        mica_world_get_stats(f->world).commands_dropped); // of the dead owner, and for the facet
    CHECK_EQUAL(0, f->tracker.alive);
}

TEST_WITH(fixture, f, mistakes_about_facets_are_reported_when_they_are_recorded)
{
    mica_world *later = fixture_later(f);
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    mica_entity facet = mica_facet_add(f->world, e, f->health, 1, MICA_ADD(f->frozen));
    mica_entity dead = mica_spawn_values(f->world, NULL, 0);
    mica_despawn(f->world, dead);
    tracked value = tracked_make(&f->tracker, 1);
    const mica_value values[] = {fixture_owned(f, &value), {f->health, &value, 3, 1, NULL}};
    CHECK(MICA_IS_NONE(mica_facet_add_values(later, e, f->health, 2, values, 2)));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_facet_add: component 'Health' has size 4, not 3");
    CHECK(MICA_IS_NONE(mica_facet_add_values(later, e, (mica_type){0}, 0, values, 1)));
    CHECK_ERROR(&f->t, MICA_ERROR_KEY,
                "mica_facet_add: (none, 0) is the key of the main row of entity 0.0");
    CHECK(MICA_IS_NONE(mica_facet_add_values(later, facet, f->health, 2, values, 1)));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_facet_add: entity 1.0 is a facet of 0.0, and facets own none");
    CHECK(MICA_IS_NONE(mica_facet_add_values(later, dead, f->health, 2, values, 1)));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY,
                "mica_facet_add: entity 2.0 is dead, or of another world");
    CHECK(MICA_IS_NONE(
        mica_facet_add_values(later, e, (mica_type){f->health.bits + 99}, 2, values, 1)));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK(MICA_IS_NONE(mica_facet_add_values(later, e, f->health, 2, NULL, 1)));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_facet_add: values is null");
    CHECK_EQUAL(0, mica_commands_count(later));
    CHECK(tracked_is(&f->tracker, &value, 1));
    mica_entity never = mica_facet_add_values(later, e, f->health, 2, values, 1);
    CHECK_EQUAL(MICA_OK, mica_commands_discard(later));
    CHECK(!mica_alive(f->world, never));
    CHECK_EQUAL(0, f->tracker.alive);
}

static int never_compare(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)a, (void)b, (void)user;
    return 0;
}

TEST_WITH(fixture, f, what_cannot_be_recorded_is_refused)
{
    mica_world *later = fixture_later(f);
    uint64_t digest = mica_world_digest(f->world);
#define CHECK_REFUSED(call, name)                                                                  \
    do {                                                                                           \
        CHECK(call);                                                                               \
        CHECK_ERROR(&f->t, MICA_ERROR_RECORDING,                                                   \
                    name ": cannot be recorded; do it on the world itself, or have a function "    \
                         "do it that is recorded with mica_defer_call");                           \
    } while (0)
    CHECK_REFUSED(mica_world_free(later), "mica_world_free");
    CHECK_REFUSED(mica_world_clear(later), "mica_world_clear");
    CHECK_REFUSED(mica_world_reclaim(later), "mica_world_reclaim");
    CHECK_REFUSED(mica_world_end_iterations(later) == 0, "mica_world_end_iterations");
    CHECK_REFUSED(mica_step(later, 1), "mica_step");
    CHECK_REFUSED(MICA_IS_NONE(MICA_TAG(later, New)), "mica_type_register");
    CHECK_REFUSED(
        MICA_IS_NONE(mica_query_new(later, &(mica_query_desc){.terms = {{f->frozen, MICA_WITH}}})),
        "mica_query_new");
    CHECK_REFUSED(mica_query_free(later, f->all), "mica_query_free");
    CHECK_REFUSED(MICA_IS_NONE(mica_system_add(
                      later, &(mica_system_desc){.name = "a", .query.everything = true})),
                  "mica_system_add");
    CHECK_REFUSED(MICA_IS_NONE(mica_bundle_new(later, &f->frozen, 1)), "mica_bundle_new");
    CHECK_REFUSED(MICA_IS_NONE(mica_spawn_at(later, mica_entity_make(3, 3))), "mica_spawn_at");
    CHECK_REFUSED(mica_entity_reserve(later, 3), "mica_entity_reserve");
    CHECK_REFUSED(mica_add_all(later, f->all, f->frozen, NULL), "mica_add_all");
    CHECK_REFUSED(mica_despawn_all(later, f->all, NULL), "mica_despawn_all");
    CHECK_REFUSED(mica_disable_all(later, f->all, f->burning, NULL), "mica_disable_all");
    CHECK_REFUSED(mica_enable_all(later, f->all, f->burning, NULL), "mica_enable_all");
    CHECK_REFUSED(mica_remove_all(later, f->all, f->frozen, NULL), "mica_remove_all");
    CHECK_REFUSED(mica_accessor_new(later, f->position).size == 0, "mica_accessor_new");
    CHECK_REFUSED(MICA_IS_NONE(mica_group_new(
                      later, &(mica_group_desc){.owned = {f->loose}, .required = {f->marked}})),
                  "mica_group_new");
    CHECK_REFUSED(mica_sort(later, f->loose, never_compare, NULL), "mica_sort");
    CHECK_REFUSED(mica_type_change_storage(later, f->position, MICA_SPARSE),
                  "mica_type_change_storage");
    CHECK_REFUSED(mica_world_compact(later), "mica_world_compact");
    CHECK_REFUSED(mica_resource_set(later, MICA_VALUE(f->health, Health, 1)), "mica_resource_set");
    CHECK_REFUSED(mica_system_remove(later, (mica_system){0}), "mica_system_remove");
#undef CHECK_REFUSED
    CHECK_EQUAL(digest, mica_world_digest(f->world));
}

// Entities to be

TEST_WITH(fixture, f, a_pending_handle_is_dead_to_everybody_else)
{
    mica_entity e = mica_spawn(fixture_later(f), MICA_ADD(f->position));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_add(f->world, e, f->frozen));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_add: entity 0.0 is dead, or of another world");
    CHECK_POINTER(NULL, mica_get(f->world, e, f->position));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK(MICA_IS_NONE(mica_spawn_at(f->world, e)));
    CHECK_ERROR(&f->t, MICA_ERROR_OCCUPIED,
                "mica_spawn_at: slot 0 is kept for entity 0.0, which a command will spawn");
    CHECK(MICA_IS_NONE(mica_entity_next(f->world, (mica_entity){0})));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(f->world)); // its slot stays
    mica_entity other = mica_spawn_values(f->world, NULL, 0);
    CHECK(mica_entity_slot(other) != mica_entity_slot(e));
    CHECK_EQUAL(MICA_OK, mica_world_clear(f->world));
    fixture_apply(f);
    CHECK(mica_alive(f->world, e));
}

TEST_WITH(fixture, f, slots_are_taken_as_by_direct_calls)
{
    mica_world *later = fixture_later(f);
    mica_entity direct[3];
    for (int i = 0; i < 3; i++) {
        direct[i] = mica_spawn_values(f->world, NULL, 0);
    }
    mica_despawn(f->world, direct[0]);
    mica_despawn(f->world, direct[2]);
    CHECK_EQUAL(2, mica_entity_slot(mica_spawn_values(later, NULL, 0))); // last freed, first used
    CHECK_EQUAL(0, mica_entity_slot(mica_spawn_values(later, NULL, 0)));
    CHECK_EQUAL(3, mica_entity_slot(mica_spawn_values(later, NULL, 0)));
    fixture_apply(f);
    CHECK_EQUAL(4, mica_entity_count(f->world));
}

// In a loop over everybody, some of whom go.
static void record_some(mica_iter *it)
{
    fixture *f = it->user;
    mica_world *later = mica_later(it);
    for (uint32_t i = 0; i < it->count; i++) {
        uint32_t slot = mica_entity_slot(it->entities[i]);
        if (slot % 3 == 0) {
            mica_despawn(later, it->entities[i]);
        }
        if (slot % 5 == 0) {
            mica_spawn(later, MICA_VALUE(f->position, Position, (float)slot, 0),
                       MICA_ADD(f->loose));
        }
    }
}

// The same history in worlds whose memory is another.
static void handles_depend_on_what_happened_and_on_nothing_else(void)
{
    uint64_t hashes[4];
    for (int way = 0; way < 4; way++) {
        fixture f;
        fixture_begin_as(&f, way == 1);
        mica_world *later = fixture_later(&f);
        if (way == 2) {
            mica_entity_reserve(f.world, 20000);
        }
        for (int i = 0; i < 50; i++) {
            mica_spawn(f.world, MICA_ADD(i % 2 ? f.position : f.wide));
        }
        if (way == 3) { // as if they had never been
            mica_world_reclaim(f.world);
            mica_entity never = mica_spawn(later, MICA_ADD(f.wide));
            CHECK_EQUAL(50, mica_entity_slot(never));
            CHECK(MICA_IS_NONE(mica_spawn(later, MICA_VALUE(f.wide, Position, 1, 1))));
            test_error_clear(&f.t.error);
            fixture_apply(&f);
            mica_despawn(f.world, never);
        } else {
            mica_despawn(f.world, mica_spawn_values(f.world, NULL, 0));
        }
        for (int n = 0; n < 2; n++) {
            mica_system_add(f.world, &(mica_system_desc){.name = n ? "b" : "a",
                                                         .update = record_some,
                                                         .user = &f,
                                                         .query = {.everything = true}});
        }
        for (int step = 0; step < 6; step++) {
            CHECK_EQUAL(MICA_OK, mica_step(f.world, 1));
        }
        hashes[way] = mica_world_hash(f.world);
        CHECK_EQUAL(hashes[0], hashes[way]);
        fixture_end(&f);
    }
}

// The slots of those that were recorded before memory was refused are free again, and those between them,
// which others live in, are not.
static void who_could_not_be_recorded_leaves_others_alone(void)
{
    for (uint64_t k = 1; k < 100; k++) {
        fixture f;
        fixture_begin(&f);
        mica_world *later = fixture_later(&f);
        enum { OTHERS = 5, MANY = 40 };
        const mica_bundle bundle = mica_bundle_new(f.world, &f.wide, 1);
        static const Wide values[MANY];
        static mica_entity made[MANY];
        for (uint32_t i = 0; i < OTHERS; i++) {
            CHECK(!MICA_IS_NONE(mica_spawn_at(f.world, mica_entity_make(3 * i + 1, 0))));
        }
        uint32_t single = f.world->state->slots.slabs.single;
        test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = mica_spawn_many(
            later, bundle, MANY, (const mica_value[]){MICA_COPY_OF_ARRAY(f.wide, values)}, 1, made);
        bool reached = f.t.memory.refusals > 0;
        // A slab that is refused is done without.
        bool refused = reached && !(!result && f.world->state->slots.slabs.single > single);
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(refused ? MICA_ERROR_MEMORY : MICA_OK, result);
        CHECK_EQUAL(refused, test_error_clear(&f.t.error));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
        CHECK_EQUAL(MICA_OK, mica_spawn_many(f.world, bundle, MANY, NULL, 0, made));
        CHECK_EQUAL(OTHERS + MANY, mica_entity_count(f.world));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
        fixture_end(&f);
        if (!reached) {
            CHECK(k > 3);
            return;
        }
    }
    CHECK(false);
}

static void a_world_that_is_full_records_no_spawn(void)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = 5;
    mica_world *world = test_world_open(&t);
    mica_world *later = mica_world_later(world);
    mica_type tag = MICA_TAG(world, Tag);
    mica_bundle bundle = mica_bundle_new(world, &tag, 1);
    mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_spawn_many(later, bundle, 3, NULL, 0, NULL));
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_spawn_many(later, bundle, 2, NULL, 0, NULL));
    CHECK_ERROR(&t, MICA_ERROR_LIMIT,
                "mica_spawn_many: the world's limit of 5 entity slots would be passed: 4 in use");
    mica_entity e = mica_spawn_values(later, NULL, 0);
    CHECK(!MICA_IS_NONE(e));
    CHECK(MICA_IS_NONE(mica_spawn_values(later, NULL, 0)));
    CHECK_EQUAL(1, test_error_clear(&t.error));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
    CHECK_EQUAL(5, mica_entity_count(world));
    test_world_end(&t);
}

// Where nothing may be recorded

static mica_world *hooked_face;
static mica_entity hooked_entity;
static mica_type hooked_type;
static mica_result hooked_results[8];
static mica_world *hooked_buffer;

static void call_nothing(mica_world *world, const void *data)
{
    (void)world, (void)data;
}

static mica_result record_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)context;
    memset(target, 0, count);
    hooked_results[0] = mica_add(hooked_face, hooked_entity, hooked_type);
    hooked_results[1] = MICA_IS_NONE(mica_spawn_values(hooked_face, NULL, 0));
    hooked_results[2] = mica_defer_call(hooked_face, call_nothing, NULL, 0);
    hooked_results[3] = mica_alive(hooked_face, hooked_entity);
    hooked_results[4] = mica_world_later(hooked_face) != NULL;
    hooked_results[5] = mica_commands_new(hooked_face) != NULL;
    hooked_results[6] = mica_commands_discard(hooked_face);
    hooked_results[7] = mica_commands_free(hooked_buffer);
    return MICA_OK;
}

TEST_WITH(fixture, f, hooks_record_nothing)
{
    hooked_face = fixture_later(f);
    hooked_buffer = mica_commands_new(f->world);
    hooked_entity = mica_spawn_values(f->world, NULL, 0);
    hooked_type = f->frozen;
    mica_type type = mica_type_register(
        f->world, &(mica_type_desc){
                      .name = "Hook", .size = 1, .align = 1, .hooks.construct = record_in_hook});
    CHECK_EQUAL(MICA_OK, mica_add(f->world, hooked_entity, type));
    CHECK_EQUAL(8, test_error_clear(&f->t.error));
    CHECK_EQUAL(MICA_ERROR_HOOK, hooked_results[0]);
    CHECK_EQUAL(true, hooked_results[1]);
    CHECK_EQUAL(MICA_ERROR_HOOK, hooked_results[2]);
    CHECK_EQUAL(false, hooked_results[3]);
    CHECK_EQUAL(false, hooked_results[4]);
    CHECK_EQUAL(false, hooked_results[5]);
    CHECK_EQUAL(MICA_ERROR_HOOK, hooked_results[6]);
    CHECK_EQUAL(MICA_ERROR_HOOK, hooked_results[7]);
    CHECK_EQUAL(0, mica_commands_count(f->world));
}

TESTS(record, spawning_in_every_form_gives_handles_that_live_later, changing_in_every_form,
      sparse_tags_that_might_flip_at_once_wait_too, values_are_copied_at_once,
      values_with_hooks_are_copied_by_them_also_where_the_shape_is_known,
      values_that_cannot_be_copied_are_handed_over, a_call_that_fails_records_nothing,
      mistakes_are_reported_when_they_are_recorded, facets_are_made_later,
      a_facet_that_cannot_be_made_then_leaves_nobody, who_could_not_be_recorded_leaves_others_alone,
      mistakes_about_facets_are_reported_when_they_are_recorded, what_cannot_be_recorded_is_refused,
      a_pending_handle_is_dead_to_everybody_else, slots_are_taken_as_by_direct_calls,
      handles_depend_on_what_happened_and_on_nothing_else, a_world_that_is_full_records_no_spawn,
      hooks_record_nothing)
