// Tests of src/entity/change.c.
#include "entity/change.h"

#include <stdio.h>

#include "unit/world/fixture.h"

static mica_result finish(micai_change *c, mica_result result, mica_entity *entity_out)
{
    result = result ? result : micai_change_run(c);
    mica_entity entity = micai_change_end(c);
    if (entity_out) {
        *entity_out = entity;
    }
    return result;
}

TEST_WITH(fixture, f, a_change_is_what_is_given_and_removed_in_the_end)
{
    mica_entity e = fixture_spawn(f, 3);
    uint64_t moves = fixture_moves(f);
    tracked value = tracked_make(&f->tracker, 50);
    const Position p = {8, 9};
    micai_change c;
    mica_result result = micai_change_begin(&c, f->world, "test", e, 5);
    result = result ? result : micai_change_set(&c, &MICA_ADD(f->health), MICAI_NO_POSITION);
    result =
        result ? result : micai_change_set(&c, &MICA_COPY_OF(f->position, p), MICAI_NO_POSITION);
    result =
        result ? result : micai_change_set(&c, &MICA_COPY_OF(f->moved, value), MICAI_NO_POSITION);
    result = result ? result : micai_change_remove(&c, f->hooked, MICAI_NO_POSITION);
    result = result ? result : micai_change_remove(&c, f->frozen, MICAI_NO_POSITION); // it has none
    mica_entity same;
    CHECK_EQUAL(MICA_OK, finish(&c, result, &same));
    CHECK(MICA_EQUAL(e, same));
    CHECK_EQUAL(moves + 1, fixture_moves(f));
    CHECK_EQUAL(100, MICA_GET(f->world, e, f->health, Health)->points);
    CHECK_BYTES(&p, mica_get(f->world, e, f->position), sizeof p);
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->moved), 50));
    CHECK(!mica_has(f->world, e, f->hooked) && mica_has(f->world, e, f->player));
    tracked_drop(&f->tracker, &value);
    CHECK_TRACKED(&f->tracker, 1);
}

TEST_WITH(fixture, f, a_change_of_no_entity_is_a_spawn)
{
    const Position p = {1, 2};
    micai_change c;
    mica_result result = micai_change_begin_spawn(&c, f->world, "test", 2);
    result =
        result ? result : micai_change_set(&c, &MICA_COPY_OF(f->position, p), MICAI_NO_POSITION);
    result = result ? result : micai_change_set(&c, &MICA_ADD(f->moved), MICAI_NO_POSITION);
    mica_entity e;
    CHECK_EQUAL(MICA_OK, finish(&c, result, &e));
    CHECK_BYTES(&p, mica_get(f->world, e, f->position), sizeof p);
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->moved), TRACKED_DEFAULT));

    f->tracker.until_failure = 1;
    result = micai_change_begin_spawn(&c, f->world, "test", 1);
    result = result ? result : micai_change_set(&c, &MICA_ADD(f->moved), MICAI_NO_POSITION);
    CHECK_EQUAL(MICA_ERROR_HOOK, finish(&c, result, &e));
    CHECK(MICA_IS_NONE(e));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_EQUAL(1, mica_entity_count(f->world));
}

TEST_WITH(fixture, f, a_change_that_is_not_run_leaves_no_trace)
{
    mica_entity e = fixture_spawn(f, 3);
    tracked value = tracked_make(&f->tracker, 50);
    uint64_t digest = mica_world_digest(f->world);
    uint32_t tables = mica_world_get_stats(f->world).tables;
    for (int spawns = 0; spawns < 2; spawns++) {
        micai_change c;
        CHECK_EQUAL(MICA_OK, spawns ? micai_change_begin_spawn(&c, f->world, "test", 2)
                                    : micai_change_begin(&c, f->world, "test", e, 2));
        CHECK_EQUAL(MICA_OK,
                    micai_change_set(&c, &MICA_COPY_OF(f->moved, value), MICAI_NO_POSITION));
        CHECK_EQUAL(MICA_OK, micai_change_remove(&c, f->position, MICAI_NO_POSITION));
        CHECK(MICA_EQUAL(spawns ? (mica_entity){0} : e, micai_change_end(&c)));
    }
    CHECK_EQUAL(digest, mica_world_digest(f->world));
    CHECK_EQUAL(tables, mica_world_get_stats(f->world).tables);
    CHECK(fixture_holds(f, e, 3));
    tracked_drop(&f->tracker, &value);
    CHECK_TRACKED(&f->tracker, 2);
}

TEST_WITH(fixture, f, a_change_that_could_not_begin_can_be_ended)
{
    micai_change c;
    CHECK_EQUAL(MICA_ERROR_NULL, micai_change_begin(&c, NULL, "test", (mica_entity){0}, 1));
    CHECK(MICA_IS_NONE(micai_change_end(&c)));
    CHECK_EQUAL(MICA_ERROR_NULL, micai_change_begin_spawn(&c, NULL, "test", 1));
    CHECK(MICA_IS_NONE(micai_change_end(&c)));
    CHECK_EQUAL(MICA_ERROR_ENTITY, micai_change_begin(&c, f->world, "test", (mica_entity){0}, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "test: the entity is none");
    CHECK(MICA_IS_NONE(micai_change_end(&c)));
    mica_iter it;
    mica_iter_begin(f->world, mica_query_new(f->world, &(mica_query_desc){.everything = true}),
                    &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, micai_change_begin_spawn(&c, f->world, "test", 1));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    mica_iter_end(&it);
    CHECK(MICA_IS_NONE(micai_change_end(&c)));
}

// What is given is what counts, whether it is there or not; it cannot also go.
TEST_WITH(fixture, f, what_is_given_cannot_also_be_removed)
{
    mica_entity e = fixture_spawn(f, 3);
    const mica_type types[] = {f->position, f->health};
    for (uint32_t i = 0; i < 2; i++) {
        micai_change c;
        mica_result result = micai_change_begin(&c, f->world, "test", e, 2);
        result = result ? result : micai_change_set(&c, &MICA_ADD(types[i]), MICAI_NO_POSITION);
        result = result ? result : micai_change_remove(&c, types[i], MICAI_NO_POSITION);
        CHECK_EQUAL(MICA_ERROR_ARGUMENT, finish(&c, result, NULL));
        CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                    i ? "test: 'Health' is both set and removed"
                      : "test: 'Position' is both set and removed");
    }
    CHECK(fixture_holds(f, e, 3));
}

// Each value is in one place: those that were made for a row that never came have ended.
TEST_WITH(fixture, f, whichever_hook_fails_everything_made_so_far_has_ended)
{
    mica_entity e =
        mica_spawn(f->world, MICA_ADD(f->moved), MICA_VALUE(f->position, Position, 1, 2));
    tracked value = tracked_make(&f->tracker, 50);
    const Position p = {8, 9};
    uint64_t hash = mica_world_hash(f->world);
    for (uint32_t which = 1; which <= 2; which++) { // an overwriting copy, then a new value
        f->tracker.until_failure = which;
        micai_change c;
        mica_result result = micai_change_begin(&c, f->world, "test", e, 3);
        result = result ? result
                        : micai_change_set(&c, &MICA_COPY_OF(f->hooked, value), MICAI_NO_POSITION);
        result = result ? result
                        : micai_change_set(&c, &MICA_COPY_OF(f->moved, value), MICAI_NO_POSITION);
        result = result ? result
                        : micai_change_set(&c, &MICA_COPY_OF(f->position, p), MICAI_NO_POSITION);
        CHECK_EQUAL(MICA_ERROR_HOOK, finish(&c, result, NULL));
        CHECK_ERROR(&f->t, MICA_ERROR_HOOK,
                    which == 1 ? "test: the copy hook of 'Moved' failed"
                               : "test: the copy hook of 'Hooked' failed");
        CHECK_TRACKED(&f->tracker, 2);
        CHECK_EQUAL(hash, mica_world_hash(f->world));
    }
    tracked_drop(&f->tracker, &value);
}

// Values that cannot be copied

// A type whose values end and are not copied, and values of it.
typedef struct uniques {
    mica_type type;
    tracked a, b;
} uniques;

static uniques begin_uniques(fixture *f)
{
    mica_type_desc desc = tracked_desc(&f->tracker, "Unique", false);
    desc.hooks.copy = NULL;
    uniques u = {.type = mica_type_register(f->world, &desc)};
    u.a = tracked_make(&f->tracker, 1);
    u.b = tracked_make(&f->tracker, 2);
    return u;
}

// In every way to give several values; `present` is an entity that has one, `absent` one that has
// none.
static void check_given_twice(fixture *f, const uniques *u, const mica_value *values,
                              mica_entity present, mica_entity absent)
{
    static const char *const sentences[] = {
        "mica_spawn: 'Unique', which cannot be copied, is given twice",
        "mica_set: 'Unique', which cannot be copied, is given twice",
        "mica_change: 'Unique', which cannot be copied, is given twice"};
    const mica_entity both[] = {present, absent};
    for (uint32_t i = 0; i < 5; i++) {
        mica_entity e = both[i % 2];
        switch (i) {
        case 0: CHECK(MICA_IS_NONE(mica_spawn_values(f->world, values, 2))); break;
        case 1:
        case 2: CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_set_values(f->world, e, values, 2)); break;
        default:
            CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_change(f->world, e, values, 2, &f->position, 1));
        }
        CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, sentences[i == 0 ? 0 : i < 3 ? 1 : 2]);
        CHECK(tracked_is(&f->tracker, &u->a, 1) && tracked_is(&f->tracker, &u->b, 2));
        CHECK(tracked_is(&f->tracker, mica_get(f->world, present, u->type), TRACKED_DEFAULT));
        CHECK(!mica_has(f->world, absent, u->type) && mica_has(f->world, absent, f->position));
        CHECK_EQUAL(2, mica_entity_count(f->world));
        CHECK_TRACKED(&f->tracker, 3);
    }
}

TEST_WITH(fixture, f, a_value_that_cannot_be_copied_is_not_given_twice)
{
    uniques u = begin_uniques(f);
    mica_entity present = mica_spawn(f->world, MICA_ADD(u.type), MICA_ADD(f->position));
    mica_entity absent = mica_spawn(f->world, MICA_ADD(f->position));
    const mica_value same[] = {MICA_COPY_OF(u.type, u.a), MICA_COPY_OF(u.type, u.a)};
    const mica_value two[] = {MICA_COPY_OF(u.type, u.a), MICA_COPY_OF(u.type, u.b)};
    const mica_value lost[] = {MICA_COPY_OF(u.type, u.a), MICA_ADD(u.type)};
    check_given_twice(f, &u, same, present, absent);
    check_given_twice(f, &u, two, present, absent);
    check_given_twice(f, &u, lost, present, absent); // the first would be nobody's
    tracked_drop(&f->tracker, &u.a);
    tracked_drop(&f->tracker, &u.b);
}

TEST_WITH(fixture, f, a_value_that_cannot_be_copied_is_handed_over_once)
{
    uniques u = begin_uniques(f);
    // Asked for twice, but one value only.
    const mica_value values[] = {MICA_ADD(u.type), MICA_COPY_OF(u.type, u.a)};
    mica_entity e = mica_spawn_values(f->world, values, 2);
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, u.type), 1));
    CHECK_TRACKED(&f->tracker, 2);
    const mica_value next[] = {MICA_ADD(u.type), MICA_COPY_OF(u.type, u.b)};
    CHECK_EQUAL(MICA_OK, mica_set_values(f->world, e, next, 2)); // the one before it ends
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, u.type), 2));
    CHECK_TRACKED(&f->tracker, 1);
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, e));
    CHECK_TRACKED(&f->tracker, 0);
}

// A value that lies in the world, got from there as the caller pleases.
static void set_from_itself(fixture *f, const uniques *u, mica_entity e, int way)
{
    const void *own = mica_get(f->world, e, u->type);
    const mica_value values[] = {{u->type, own, sizeof(tracked), 1, NULL},
                                 MICA_VALUE(f->position, Position, 3, 4),
                                 {u->type, own, sizeof(tracked), 1, NULL}};
    switch (way) {
    case 0: CHECK_EQUAL(MICA_OK, mica_set_value(f->world, e, u->type, own, sizeof(tracked))); break;
    case 1: CHECK_EQUAL(MICA_OK, mica_set_values(f->world, e, values, 1)); break;
    case 2: CHECK_EQUAL(MICA_OK, mica_set_values(f->world, e, values, 3)); break;
    case 3: CHECK_EQUAL(MICA_OK, mica_change(f->world, e, values, 2, &f->frozen, 1)); break;
    default: CHECK_EQUAL(MICA_OK, mica_change(f->world, e, values, 1, NULL, 0));
    }
}

static void a_value_that_is_set_from_itself_stays_what_it_is(void)
{
    for (int way = 0; way < 5; way++) {
        fixture f;
        fixture_begin(&f);
        uniques u = begin_uniques(&f);
        mica_entity e = mica_spawn(f.world, MICA_COPY_OF(u.type, u.a), MICA_ADD(f.frozen));
        mica_entity other = mica_spawn(f.world, MICA_COPY_OF(u.type, u.b), MICA_ADD(f.frozen));
        uint64_t digest = mica_world_digest(f.world);
        f.world->view.tick++;
        set_from_itself(&f, &u, e, way);
        f.world->view.tick--; // for the digest
        CHECK(tracked_is(&f.tracker, mica_get(f.world, e, u.type), 1));
        CHECK(tracked_is(&f.tracker, mica_get(f.world, other, u.type), 2));
        CHECK_EQUAL(way == 2 || way == 3, mica_has(f.world, e, f.position));
        CHECK_EQUAL(way != 3, mica_has(f.world, e, f.frozen));
        CHECK_EQUAL(way == 2 || way == 3, digest != mica_world_digest(f.world));
        CHECK_TRACKED(&f.tracker, 2);
        CHECK_EQUAL(0, f.tracker.destructs);
        f.world->view.tick++; // nothing was written later than now
        fixture_end(&f);
    }
}

// In every way to give a value of a type, `data` is refused, and all is as it was.
static void check_refused_source(fixture *f, const uniques *u, mica_entity e, const void *data)
{
    static const char *const calls[] = {"mica_spawn",     "mica_set_value", "mica_set",
                                        "mica_set",       "mica_change",    "mica_spawn_bundle",
                                        "mica_spawn_many"};
    const mica_type types[] = {f->position, u->type};
    mica_bundle bundle = mica_bundle_new(f->world, types, 2);
    const mica_value values[] = {MICA_VALUE(f->position, Position, 3, 4),
                                 {u->type, data, sizeof(tracked), 1, NULL}};
    uint64_t digest = mica_world_digest(f->world);
    uint32_t alive = f->tracker.alive;
    for (int i = 0; i < 7; i++) {
        switch (i) {
        case 0: CHECK_EQUAL(0, mica_spawn_values(f->world, values, 2).bits); break;
        case 1:
            CHECK_EQUAL(MICA_ERROR_ARGUMENT,
                        mica_set_value(f->world, e, u->type, data, sizeof(tracked)));
            break;
        case 2: CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_set_values(f->world, e, values, 2)); break;
        case 3:
            CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_set_values(f->world, e, values + 1, 1));
            break;
        case 4:
            CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_change(f->world, e, values, 2, &f->frozen, 1));
            break;
        case 5: CHECK_EQUAL(0, mica_spawn_bundle(f->world, bundle, values, 2).bits); break;
        default:
            CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_spawn_many(f->world, bundle, 1, values, 2, NULL));
        }
        char sentence[200];
        snprintf(sentence, sizeof sentence,
                 "%s: the value of 'Unique', which cannot be copied, lies in the world already",
                 calls[i]);
        CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, sentence);
        CHECK_EQUAL(digest, mica_world_digest(f->world));
        CHECK_TRACKED(&f->tracker, alive);
    }
    CHECK_EQUAL(MICA_OK, mica_bundle_free(f->world, bundle));
}

// A component that has a value of another one in it.
typedef struct Holder {
    int64_t before;
    tracked inner;
} Holder;

static void end_nothing(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count, (void)context;
}

TEST_WITH(fixture, f, a_value_that_cannot_be_copied_does_not_come_from_within_the_world)
{
    uniques u = begin_uniques(f);
    mica_type holder =
        mica_type_register(f->world, &(mica_type_desc){.name = "Holder",
                                                       .size = sizeof(Holder),
                                                       .align = _Alignof(Holder),
                                                       .hooks.destruct = end_nothing});
    mica_entity from = mica_spawn(f->world, MICA_COPY_OF(u.type, u.a), MICA_ADD(holder));
    mica_entity with = mica_spawn(f->world, MICA_COPY_OF(u.type, u.b));
    mica_entity without = mica_spawn(f->world, MICA_ADD(f->position));
    mica_entity many[2100]; // more than two sheets
    mica_bundle bundle = mica_bundle_new(f->world, &u.type, 1);
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f->world, bundle, 2100, NULL, 0, many));
    for (int i = 0; i < 2; i++) {
        mica_entity e = i == 0 ? with : without;
        check_refused_source(f, &u, e, mica_get(f->world, from, u.type));
        check_refused_source(f, &u, e, mica_get(f->world, many[2099], u.type));
        check_refused_source(f, &u, e, (const tracked *)mica_get(f->world, many[1023], u.type));
        const Holder *held = mica_get(f->world, from, holder);
        check_refused_source(f, &u, e, &held->inner);
        // Half of it.
        check_refused_source(f, &u, e, (const char *)mica_get(f->world, many[0], u.type) - 8);
    }
    // Not its own place, though it is its own.
    check_refused_source(f, &u, with, (const char *)mica_get(f->world, with, u.type) + 8);
}

TEST_WITH(fixture, f, a_default_that_cannot_be_copied_is_not_taken_either)
{
    const tracked zero = {0};
    mica_type type = mica_type_register(f->world, &(mica_type_desc){.name = "Unique",
                                                                    .size = sizeof zero,
                                                                    .align = _Alignof(tracked),
                                                                    .default_value = &zero,
                                                                    .hooks.destruct = end_nothing});
    mica_entity e = mica_spawn(f->world, MICA_ADD(type));
    const uniques u = {.type = type};
    check_refused_source(f, &u, e, mica_type_get_info(f->world, type)->default_value);
}

static void one_value_is_not_given_as_two_types(void)
{
    fixture f;
    fixture_begin(&f);
    uniques u = begin_uniques(&f);
    mica_type_desc desc = tracked_desc(&f.tracker, "Second", false);
    desc.hooks.copy = NULL;
    mica_type second = mica_type_register(f.world, &desc);
    const mica_value values[] = {MICA_COPY_OF(u.type, u.a), MICA_COPY_OF(second, u.a)};
    CHECK_EQUAL(0, mica_spawn_values(f.world, values, 2).bits);
    CHECK_ERROR(
        &f.t, MICA_ERROR_ARGUMENT,
        "mica_spawn: 'Unique' and 'Second', which cannot be copied, are given the same value");
    const mica_type both[] = {u.type, second};
    mica_bundle bundle = mica_bundle_new(f.world, both, 2);
    CHECK_EQUAL(0, mica_spawn_bundle(f.world, bundle, values, 2).bits);
    CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT,
                "mica_spawn_bundle: 'Unique' and 'Second', which cannot be copied, are given the "
                "same value");
    tracked array[3] = {u.a, u.b, {0}};
    const mica_value arrays[] = {{u.type, array, sizeof *array, 0, NULL},
                                 {second, array + 1, sizeof *array, 0, NULL}};
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_spawn_many(f.world, bundle, 2, arrays, 2, NULL));
    CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT,
                "mica_spawn_many: 'Unique' and 'Second', which cannot be copied, are given the "
                "same value");
    CHECK_TRACKED(&f.tracker, 2);
    const mica_value good[] = {MICA_COPY_OF(u.type, u.a), MICA_COPY_OF(second, u.b)};
    CHECK(!MICA_IS_NONE(mica_spawn_values(f.world, good, 2)));
    fixture_end(&f);
    CHECK_TRACKED(&f.tracker, 0);
}

// Of two values of a type that can be copied the later one counts, and the first stays the caller's.
TEST_WITH(fixture, f, of_two_copies_the_later_one_is_made)
{
    tracked a = tracked_make(&f->tracker, 1);
    tracked b = tracked_make(&f->tracker, 2);
    const mica_value values[] = {MICA_COPY_OF(f->hooked, a), MICA_COPY_OF(f->hooked, b)};
    mica_entity e = mica_spawn_values(f->world, values, 2);
    CHECK(tracked_is(&f->tracker, mica_get(f->world, e, f->hooked), 2));
    CHECK_TRACKED(&f->tracker, 3);
    tracked_drop(&f->tracker, &a);
    tracked_drop(&f->tracker, &b);
}

TESTS(change_run, a_change_is_what_is_given_and_removed_in_the_end,
      a_change_of_no_entity_is_a_spawn, a_change_that_is_not_run_leaves_no_trace,
      a_change_that_could_not_begin_can_be_ended, what_is_given_cannot_also_be_removed,
      whichever_hook_fails_everything_made_so_far_has_ended,
      a_value_that_cannot_be_copied_is_not_given_twice,
      a_value_that_cannot_be_copied_is_handed_over_once,
      a_value_that_is_set_from_itself_stays_what_it_is,
      a_value_that_cannot_be_copied_does_not_come_from_within_the_world,
      a_default_that_cannot_be_copied_is_not_taken_either, one_value_is_not_given_as_two_types,
      of_two_copies_the_later_one_is_made)
