#include <setjmp.h>
#include <string.h>

#include "unit/command/fixture.h"

static uint64_t moves(const fixture *f)
{
    return mica_world_get_stats(f->world).row_moves;
}

// One change

TEST_WITH(fixture, f, several_changes_of_one_entity_are_one_move)
{
    mica_world *later = fixture_later(f);
    mica_entity a = mica_spawn(f->world, MICA_ADD(f->position));
    mica_entity b = mica_spawn(f->world, MICA_ADD(f->position));
    uint64_t before = moves(f);
    mica_add(later, a, f->frozen); // in turns, as two systems would
    mica_add(later, b, f->frozen);
    mica_set(later, a, MICA_VALUE(f->health, Health, 1));
    mica_remove(later, b, f->position);
    mica_set(later, a, MICA_VALUE(f->health, Health, 2));
    mica_remove(later, a, f->position);
    fixture_apply(f);
    CHECK_EQUAL(before + 2 + 1, moves(f)); // one each, and b took the place that a left
    CHECK_EQUAL(2, MICA_GET(f->world, a, f->health, Health)->points);
    CHECK(mica_has(f->world, b, f->frozen) && !mica_has(f->world, b, f->position));
}

TEST_WITH(fixture, f, what_is_spawned_moves_never)
{
    mica_world *later = fixture_later(f);
    mica_entity e = mica_spawn(later, MICA_VALUE(f->position, Position, 1, 1));
    mica_add(later, e, f->frozen);
    mica_remove(later, e, f->position);
    mica_set(later, e, MICA_VALUE(f->wide, Wide, {4}));
    fixture_apply(f);
    CHECK_EQUAL(0, moves(f));
    CHECK(!mica_has(f->world, e, f->position) && mica_has(f->world, e, f->frozen));
}

TEST_WITH(fixture, f, only_what_comes_of_it_is_made)
{
    mica_world *later = fixture_later(f);
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    mica_add(later, e, f->moved);
    mica_remove(later, e, f->moved);
    mica_entity never = mica_spawn(later, MICA_ADD(f->moved));
    mica_despawn(later, never);
    mica_set(later, never, MICA_VALUE(f->health, Health, 1)); // it is dead by then
    fixture_apply(f);
    CHECK_EQUAL(0, f->tracker.constructs);
    CHECK_EQUAL(0, moves(f));
    CHECK(!mica_alive(f->world, never));
    CHECK_EQUAL(1, mica_world_get_stats(f->world).commands_dropped);
    CHECK_EQUAL(4, mica_world_get_stats(f->world).commands);
}

TEST_WITH(fixture, f, what_comes_to_one_change_or_none_is_that)
{
    mica_world *later = fixture_later(f);
    mica_entity e = mica_spawn(f->world, MICA_VALUE(f->health, Health, 1), MICA_ADD(f->loose));
    mica_set(later, e, MICA_VALUE(f->position, Position, 1, 1)); // to nothing
    mica_remove(later, e, f->position);
    mica_add(later, e, f->health);
    fixture_apply(f);
    CHECK_EQUAL(0, moves(f));
    CHECK_EQUAL(1, MICA_GET(f->world, e, f->health, Health)->points);
    mica_set(later, e, MICA_VALUE(f->health, Health, 2)); // to a value
    mica_set(later, e, MICA_VALUE(f->health, Health, 3));
    fixture_apply(f);
    CHECK_EQUAL(0, moves(f));
    CHECK_EQUAL(3, MICA_GET(f->world, e, f->health, Health)->points);
    mica_add(later, e, f->frozen); // to one that comes
    mica_add(later, e, f->frozen);
    fixture_apply(f);
    mica_set(later, e, MICA_VALUE(f->health, Health, 4)); // to one that goes
    mica_remove(later, e, f->health);
    fixture_apply(f);
    CHECK_EQUAL(2, moves(f));
    CHECK(mica_has(f->world, e, f->frozen) && !mica_has(f->world, e, f->health));
    mica_set(later, e, MICA_VALUE(f->health, Health, 5)); // what was given and taken is gone
    mica_remove(later, e, f->health);
    mica_add(later, e, f->health);
    fixture_apply(f);
    CHECK_EQUAL(100, MICA_GET(f->world, e, f->health, Health)->points);
    CHECK_EQUAL(3, moves(f));
    mica_add(later, e, f->loose); // to one that is in no table
    mica_remove(later, e, f->loose);
    fixture_apply(f);
    CHECK(!mica_has(f->world, e, f->loose));
    CHECK_EQUAL(3, moves(f));
}

// Of shapes that are known when they are recorded, not yet, or no longer; some in between belong together.
static void many_spawns_of_many_shapes(void)
{
    enum { COUNT = 3000, SHAPES = 16 };
    static mica_entity entities[COUNT];
    fixture f;
    fixture_begin(&f);
    mica_world *later = fixture_later(&f);
    const mica_type types[] = {f.position, f.health, f.loose, f.frozen};
    for (int round = 0; round < 3; round++) {
        uint64_t before = moves(&f);
        for (uint32_t i = 0; i < COUNT; i++) {
            Position p = {(float)i, 1};
            Health h = {(int32_t)i};
            int64_t loose = i;
            uint32_t shape = i * 7 / 5 % SHAPES;
            const mica_value all[] = {MICA_COPY_OF(f.position, p), MICA_COPY_OF(f.health, h),
                                      MICA_COPY_OF(f.loose, loose), MICA_ADD(f.frozen)};
            mica_value values[4];
            uint32_t count = 0;
            for (uint32_t n = 0; n < 4; n++) {
                if (shape >> n & 1) {
                    values[count++] = all[n];
                }
            }
            entities[i] = mica_spawn_values(later, values, count);
            if (i % 9 == 0) {
                mica_remove(later, entities[i], f.frozen);
            }
        }
        fixture_apply(&f);
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t shape = i * 7 / 5 % SHAPES & (i % 9 == 0 ? 7u : 15u);
            for (uint32_t n = 0; n < 4; n++) {
                CHECK_EQUAL(shape >> n & 1, mica_has(f.world, entities[i], types[n]));
            }
            const Position *p = mica_get(f.world, entities[i], f.position);
            const Health *h = mica_get(f.world, entities[i], f.health);
            const int64_t *loose = mica_get(f.world, entities[i], f.loose);
            CHECK(!p || p->x == (float)i);
            CHECK(!h || h->points == (int32_t)i);
            CHECK(!loose || *loose == i);
            mica_despawn(later, entities[i]);
        }
        CHECK_EQUAL(before, moves(&f));
        fixture_apply(&f);
        CHECK_EQUAL(0, mica_entity_count(f.world));
    }
    fixture_end(&f);
}

TEST_WITH(fixture, f, what_goes_and_comes_is_new)
{
    mica_world *later = fixture_later(f);
    mica_entity e = mica_spawn(f->world, MICA_VALUE(f->health, Health, 1), MICA_ADD(f->burning),
                               MICA_VALUE(f->position, Position, 1, 1));
    mica_disable(f->world, e, f->burning);
    mica_remove(later, e, f->health);
    mica_add(later, e, f->health); // its default again
    mica_remove(later, e, f->burning);
    mica_set_value(later, e, f->burning, &(int32_t){5}, 4); // enabled again
    mica_remove(later, e, f->position);
    mica_set(later, e, MICA_VALUE(f->position, Position, 2, 2));
    fixture_apply(f);
    CHECK_EQUAL(100, MICA_GET(f->world, e, f->health, Health)->points);
    CHECK(mica_is_enabled(f->world, e, f->burning));
    CHECK(MICA_GET(f->world, e, f->position, Position)->x == 2);
}

TEST_WITH(fixture, f, toggles_are_those_of_the_last_word)
{
    mica_world *later = fixture_later(f);
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    mica_enable(later, e, f->burning); // not there yet
    mica_add(later, e, f->burning);
    mica_enable(later, e, f->burning);
    mica_disable(later, e, f->burning);
    mica_add(later, e, f->frozen);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(f->world));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_enable: entity 0.0 has no 'Burning'");
    CHECK(mica_has(f->world, e, f->burning) && !mica_is_enabled(f->world, e, f->burning));
    CHECK_EQUAL(1, moves(f));
}

// Those that are dead

TEST_WITH(fixture, f, commands_for_the_dead_are_dropped_and_counted)
{
    mica_world *later = fixture_later(f);
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    mica_entity other = mica_spawn_values(f->world, NULL, 0);
    tracked value = tracked_make(&f->tracker, 1);
    mica_despawn(later, e);
    mica_add(later, e, f->frozen);
    mica_set(later, e, fixture_owned(f, &value));
    mica_add(later, other, f->frozen);
    mica_entity_set_name(later, other, "other");
    mica_entity clone = mica_clone(later, other);
    mica_despawn(f->world, other); // meanwhile
    fixture_apply(f);
    CHECK_EQUAL(5, mica_world_get_stats(f->world).commands_dropped);
    CHECK_EQUAL(1, mica_world_get_stats(f->world).commands);
    CHECK_EQUAL(0, mica_entity_count(f->world));
    CHECK(!mica_alive(f->world, clone));
    CHECK_TRACKED(&f->tracker, 0);
}

// Those that stay in their place

static uint32_t seen;

static void look(mica_world *world, const void *data)
{
    const struct {
        mica_entity e;
        mica_type has, has_not;
    } *what = data;
    seen += mica_has(world, what->e, what->has) && !mica_has(world, what->e, what->has_not);
}

static void calls_names_and_clones_come_in_their_place(void) // S3.8
{
    fixture f;
    fixture_begin(&f);
    mica_world *later = fixture_later(&f);
    mica_entity a = mica_spawn_values(f.world, NULL, 0);
    mica_entity b = mica_spawn_values(f.world, NULL, 0);
    struct {
        mica_entity e;
        mica_type has, has_not;
    } what = {a, f.frozen, f.health};
    seen = 0;
    mica_add(later, a, f.frozen);
    mica_defer_call(later, look, &what, sizeof what);
    what.e = b; // a copy was recorded
    mica_entity clone = mica_clone(later, a);
    mica_add(later, a, f.health);
    mica_entity_set_name(later, a, "x");
    mica_entity_set_name(later, a, NULL);
    mica_entity_set_name(later, b, "x"); // free again
    fixture_apply(&f);
    CHECK_EQUAL(1, seen);
    CHECK(mica_has(f.world, clone, f.frozen) && !mica_has(f.world, clone, f.health));
    CHECK_TEXT("x", mica_entity_name(f.world, b));
    CHECK_EQUAL(MICA_OK,
                mica_defer_call(f.world, look, &what, sizeof what)); // on the world: at once
    CHECK_EQUAL(1, seen);
    fixture_end(&f);
}

TEST_WITH(fixture, f, a_command_that_fails_is_reported_and_the_others_go_on)
{
    mica_world *later = fixture_later(f);
    mica_entity a = mica_spawn_values(f->world, NULL, 0);
    mica_entity b = mica_spawn_values(f->world, NULL, 0);
    mica_entity_set_name(f->world, a, "a");
    mica_entity_set_name(later, b, "a");
    mica_add(later, a, f->moved); // will fail
    mica_add(later, b, f->frozen);
    mica_set(later, a, MICA_VALUE(f->health, Health, 3)); // together with the one that fails
    f->tracker.until_failure = 1;
    CHECK_EQUAL(MICA_OK, mica_commands_apply(f->world));
    f->tracker.until_failure = 0;
    CHECK_EQUAL(1, test_error_clear(&f->t.error)); // the name: what failed together went well apart
    CHECK(mica_has(f->world, a, f->moved));
    CHECK_EQUAL(3, MICA_GET(f->world, a, f->health, Health)->points);
    CHECK(mica_has(f->world, b, f->frozen));
}

static mica_result refuse_to_be(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target;
    (void)count;
    (void)context;
    return MICA_ERROR_HOOK;
}

static mica_type register_refusing(fixture *f)
{
    return mica_type_register(
        f->world, &(mica_type_desc){
                      .name = "Refusing", .size = 4, .align = 4, .hooks.construct = refuse_to_be});
}

TEST_WITH(fixture, f, one_of_several_that_fails_is_reported_once)
{
    mica_world *later = fixture_later(f);
    const mica_type refusing = register_refusing(f);
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    mica_entity both[2] = {e, mica_spawn_values(later, NULL, 0)};
    for (int i = 0; i < 2; i++) {
        mica_add(later, both[i], f->frozen);
        mica_disable(later, both[i], f->burning);
        mica_add(later, both[i], f->burning);
        mica_add(later, both[i], refusing);
        mica_disable(later, both[i], f->burning);
    }
    CHECK_EQUAL(MICA_OK, mica_commands_apply(f->world));
    CHECK_TEXT("mica_add: the construct hook of 'Refusing' failed", f->t.error.last.sentence);
    CHECK_EQUAL(4, test_error_clear(&f->t.error));
    for (int i = 0; i < 2; i++) {
        CHECK(mica_has(f->world, both[i], f->frozen) && !mica_has(f->world, both[i], refusing));
        CHECK(mica_has(f->world, both[i], f->burning));
        CHECK(!mica_is_enabled(f->world, both[i], f->burning));
    }
    mica_add(later, e, refusing); // which comes to one change
    mica_remove(later, e, f->health);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(f->world));
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK, "mica_add: the construct hook of 'Refusing' failed");
}

TEST_WITH(fixture, f, a_mistake_beside_what_waits_for_memory_is_reported_once)
{
    mica_world *later = fixture_later(f);
    for (int ends = 0; ends < 2; ends++) {
        mica_entity e = mica_spawn_values(f->world, NULL, 0);
        mica_enable(later, e, f->burning);
        mica_set(later, e, MICA_VALUE(f->wide, Wide, {7}), MICA_ADD(f->loose));
        if (ends) {
            mica_despawn(later, e);
        } else {
            test_memory_fail_at(&f->t.memory, 2, TEST_MEMORY_ONCE); // the first is for the marks
            CHECK_EQUAL(MICA_ERROR_MEMORY, mica_commands_apply(f->world));
            test_memory_fail_at(&f->t.memory, 0, TEST_MEMORY_ONCE);
            CHECK_EQUAL(MICA_ERROR_MEMORY, f->t.error.last.code);
            CHECK_EQUAL(1, test_error_clear(&f->t.error));
        }
        CHECK_EQUAL(MICA_OK, mica_commands_apply(f->world));
        CHECK_EQUAL(MICA_ERROR_ARGUMENT, f->t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f->t.error));
        CHECK_EQUAL(!ends, mica_alive(f->world, e));
    }
}

TEST_WITH(fixture, f, a_spawn_that_fails_leaves_nobody)
{
    mica_world *later = fixture_later(f);
    mica_entity a = mica_spawn(later, MICA_ADD(f->moved));
    mica_entity b = mica_spawn(later, MICA_ADD(f->moved));
    mica_add(later, b, f->frozen);
    mica_entity has = mica_spawn(f->world, MICA_ADD(f->owned));
    mica_entity clone = mica_clone(later, has);
    f->tracker.until_failure = 1;
    CHECK_EQUAL(MICA_OK, mica_commands_apply(f->world));
    CHECK_EQUAL(2, test_error_clear(&f->t.error)); // the first spawn, the clone
    CHECK(!mica_alive(f->world, a) && mica_alive(f->world, b) && !mica_alive(f->world, clone));
}

// Commands that record commands

typedef struct chain {
    mica_type type;
    uint32_t left;
} chain;

static void go_on(mica_world *world, const void *data)
{
    chain next = *(const chain *)data;
    mica_spawn(world, MICA_ADD(next.type));
    if (next.left-- > 0) {
        mica_defer_call(mica_world_later(world), go_on, &next, sizeof next);
    }
}

static void commands_may_record_commands(void) // S3.8
{
    fixture f;
    fixture_begin(&f);
    mica_world *own = mica_commands_new(f.world);
    chain start = {f.health, 20};
    mica_defer_call(own, go_on, &start, sizeof start);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(own));
    CHECK_EQUAL(21, mica_entity_count(f.world));
    mica_defer_call(fixture_later(&f), go_on, &start, sizeof start);
    fixture_apply(&f);
    CHECK_EQUAL(42, mica_entity_count(f.world));
    fixture_end(&f);
}

TEST_WITH(fixture, f, commands_without_an_end_are_stopped)
{
    mica_world *later = fixture_later(f);
    chain start = {f->health, UINT32_MAX};
    mica_defer_call(later, go_on, &start, sizeof start);
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_commands_apply(f->world));
    CHECK_ERROR(&f->t, MICA_ERROR_LIMIT,
                "mica_commands_apply: commands have recorded further ones 1000 times in a row; "
                "those that wait (1) are dropped");
    CHECK_EQUAL(MICA_COMMAND_ROUNDS, mica_entity_count(f->world));
    CHECK_EQUAL(1, mica_world_get_stats(f->world).commands_dropped);
    CHECK_EQUAL(0, mica_commands_count(f->world));
    mica_spawn_values(later, NULL, 0);
    fixture_apply(f);
}

static void iterate_and_record(mica_world *world, const void *data)
{
    const fixture *f = *(const fixture *const *)data;
    mica_iter it;
    mica_iter_begin(world, f->all, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            mica_add(mica_later(&it), it.entities[i], f->frozen);
        }
    }
    seen = mica_commands_count(world);
    mica_spawn_values(world, NULL, 0); // it is open, though
}

static void what_a_call_records_follows_in_turn(void) // S3.8
{
    fixture f;
    fixture_begin(&f);
    mica_world *later = fixture_later(&f);
    const fixture *at = &f;
    mica_entity e = mica_spawn_values(f.world, NULL, 0);
    mica_defer_call(later, iterate_and_record, &at, sizeof at);
    mica_set(later, e, MICA_VALUE(f.health, Health, 1));
    fixture_apply(&f);
    CHECK_EQUAL(2, seen); // behind what waits
    CHECK_EQUAL(2, mica_entity_count(f.world));
    CHECK(mica_has(f.world, e, f.frozen) && mica_has(f.world, e, f.health));
    fixture_end(&f);
}

static void do_what_is_refused(mica_world *world, const void *data)
{
    const fixture *f = *(const fixture *const *)data;
    mica_world *later = mica_world_later(world);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_free(world));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_commands_apply(world));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_commands_discard(later));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(world, 1));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_system_remove(world, (mica_system){0}));
    CHECK(MICA_IS_NONE(
        mica_system_add(world, &(mica_system_desc){.name = "new", .query.everything = true})));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    mica_iter it;
    mica_iter_begin(world, f->all, &it); // and is left open
}

TEST_WITH(fixture, f, a_call_may_not_pull_the_world_away)
{
    const fixture *at = f;
    mica_defer_call(fixture_later(f), do_what_is_refused, &at, sizeof at);
    mica_entity e = mica_spawn_values(fixture_later(f), NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(f->world));
    CHECK_EQUAL(MICA_ERROR_ITERATING, f->t.error.last.code);
    CHECK_TEXT("mica_commands_apply: a function that was called by a command left an iteration of "
               "'all' open; mica_iter_end ends one",
               f->t.error.last.sentence);
    CHECK_EQUAL(7, test_error_clear(&f->t.error));
    CHECK(mica_alive(f->world, e)); // the others go on
}

// In order

typedef struct order_list {
    uint32_t count;
    struct {
        int system;
        uint32_t slot;
    } items[40];
} order_list;

typedef struct observation {
    order_list *list;
    int system;
    uint32_t slot;
} observation;

static void note_order(mica_world *world, const void *data)
{
    (void)world;
    const observation *o = data;
    CHECK_EQUAL(0, (uintptr_t)data % _Alignof(max_align_t));
    o->list->items[o->list->count].system = o->system;
    o->list->items[o->list->count++].slot = o->slot;
}

static order_list order;

static void do_nothing(mica_world *world, const void *data)
{
    (void)world, (void)data;
}

static void record_order(mica_iter *it)
{
    for (uint32_t i = 0; i < it->count; i++) {
        const observation o = {&order, *(int *)it->user, mica_entity_slot(it->entities[i])};
        mica_defer_call(mica_later(it), note_order, &o, sizeof o);
        mica_defer_call(mica_later(it), do_nothing, "odd",
                        3); // what follows is not aligned by chance
    }
}

TEST_WITH(fixture, f, the_order_is_that_of_systems_then_of_rows)
{
    order.count = 0;
    for (int i = 0; i < 9; i++) {
        mica_spawn(f->world, MICA_ADD(i % 2 ? f->position : f->health));
    }
    int numbers[] = {0, 1, 2};
    const char *const names[] = {"b", "a", "c"};
    for (int i = 0; i < 3; i++) {
        mica_system_add(f->world, &(mica_system_desc){.name = names[i],
                                                      .update = record_order,
                                                      .user = &numbers[i],
                                                      .replay_first = i == 2,
                                                      .query.everything = true});
    }
    CHECK_EQUAL(MICA_OK, mica_step(f->world, 1));
    CHECK_EQUAL(27, order.count);
    mica_iter it;
    mica_iter_begin(f->world, f->all, &it);
    uint32_t row = 0;
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++, row++) {
            for (uint32_t system = 0; system < 3; system++) {
                CHECK_EQUAL((int)system, order.items[system * 9 + row].system);
                CHECK_EQUAL(mica_entity_slot(it.entities[i]), order.items[system * 9 + row].slot);
            }
        }
    }
}

// Ends of iterations and steps

TEST_WITH(fixture, f, iterations_and_steps_tell_that_memory_was_refused)
{
    mica_spawn_values(f->world, NULL, 0);
    for (int way = 0; way < 3; way++) {
        mica_iter it;
        mica_result result = MICA_OK;
        if (way < 2) {
            mica_iter_begin(f->world, f->all, &it);
            REQUIRE(mica_iter_next(&it));
            mica_spawn(mica_later(&it), MICA_ADD(way ? f->moved : f->owned));
        } else {
            mica_spawn(fixture_later(f), MICA_ADD(f->wide)); // it waits for a step as well
        }
        test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONWARDS);
        if (way == 0) {
            result = mica_iter_end(&it);
        } else if (way == 1) {
            while (mica_iter_next(&it)) {
            }
            result = f->t.error.last.code;
        } else {
            result = mica_step(f->world, 1);
        }
        test_memory_fail_at(&f->t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_ERROR_MEMORY, result);
        CHECK_EQUAL(1, test_error_clear(&f->t.error));
        CHECK_EQUAL(1, mica_commands_count(f->world));
        uint32_t count = mica_entity_count(f->world);
        mica_iter_begin(f->world, f->all, &it); // the next time
        CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
        CHECK_EQUAL(count + 1, mica_entity_count(f->world));
    }
}

static void see_data(mica_world *world, const void *data)
{
    (void)world;
    **(const void ***)data = data;
}

TEST_WITH(fixture, f, on_the_world_itself_a_function_is_called_at_once)
{
    const void *data = NULL;
    const void **at = &data;
    CHECK_EQUAL(MICA_OK, mica_defer_call(f->world, see_data, &at, sizeof at));
    CHECK_POINTER(&at, data); // as it is
    mica_iter it;
    mica_iter_begin(f->world, f->all, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_defer_call(f->world, see_data, &at, sizeof at));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_EQUAL(MICA_OK, mica_defer_call(mica_later(&it), see_data, &at, sizeof at));
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_defer_call(mica_later(&it), see_data, &at, SIZE_MAX - 8));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    mica_iter_end(&it);
    CHECK(data != &at); // a copy
}

TEST_WITH(fixture, f, several_things_are_several_commands)
{
    mica_world *later = fixture_later(f);
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    const mica_value values[] = {MICA_ADD(f->health), MICA_ADD(f->loose)};
    mica_change(later, e, values, 2, &f->frozen, 1);
    CHECK_EQUAL(3, mica_commands_count(later));
    mica_spawn_values(later, values, 2);           // one
    CHECK_EQUAL(4, mica_commands_count(f->world)); // the world's own
    fixture_apply(f);
    CHECK_EQUAL(4, mica_world_get_stats(f->world).commands);
}

static jmp_buf away;

static void jump_away(mica_world *world, const void *data)
{
    (void)world, (void)data;
    longjmp(away, 1);
}

TEST_WITH(fixture, f, a_call_that_is_left_by_a_jump_can_be_mended)
{
    mica_defer_call(fixture_later(f), jump_away, NULL, 0);
    mica_spawn_values(fixture_later(f), NULL, 0);
    if (setjmp(away) == 0) {
        mica_commands_apply(f->world);
    }
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(f->world, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATING,
                "mica_step: refused while commands are carried out; do it afterwards or, if one "
                "was left by longjmp or an exception, after mica_world_end_iterations");
    CHECK_EQUAL(0, mica_world_end_iterations(f->world));
    CHECK_EQUAL(1, mica_commands_count(f->world)); // what was called is done
    fixture_apply(f);
    CHECK_EQUAL(1, mica_entity_count(f->world));
}

static void end_everything(mica_world *world, const void *data)
{
    mica_world *own = *(mica_world *const *)data;
    CHECK_EQUAL(0, mica_world_end_iterations(world));
    CHECK_EQUAL(MICA_OK, mica_commands_free(own));
}

TEST_WITH(fixture, f, commands_stop_where_everything_is_ended)
{
    mica_world *own = mica_commands_new(f->world);
    mica_spawn_values(own, NULL, 0);
    mica_defer_call(own, end_everything, &own, sizeof own); // which is gone then,
    mica_spawn_values(own, NULL, 0);                        // with all it has
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_commands_apply(own));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR,
                "mica_commands_apply: a function that was called by a command has called "
                "mica_world_end_iterations; what waits behind it still does");
    CHECK_EQUAL(1, mica_entity_count(f->world));
    own = mica_commands_new(f->world);
    mica_defer_call(fixture_later(f), end_everything, &own, sizeof own);
    mica_spawn_values(fixture_later(f), NULL, 0);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_commands_apply(f->world));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    CHECK_EQUAL(1, mica_commands_count(f->world));
    fixture_apply(f);
    CHECK_EQUAL(2, mica_entity_count(f->world));
}

// Large and small

TEST_WITH(fixture, f, many_values_and_many_commands)
{
    mica_world *later = fixture_later(f);
    mica_type types[20];
    mica_value values[20];
    int64_t numbers[20];
    for (int i = 0; i < 20; i++) { // more than a shape has
        const char name[] = {'T', (char)('a' + i), '\0'};
        types[i] =
            mica_type_register(f->world, &(mica_type_desc){.name = name, .size = 8, .align = 8});
        numbers[i] = i;
        values[i] = (mica_value){types[i], &numbers[i], 8, 1, NULL};
    }
    mica_entity e = mica_spawn_values(later, values, 20);
    mica_entity many[300];
    for (int i = 0; i < 300; i++) {
        many[i] = mica_spawn(later, MICA_VALUE(f->position, Position, (float)i, 0));
    }
    fixture_apply(f);
    CHECK_EQUAL(19, *(const int64_t *)mica_get(f->world, e, types[19]));
    for (int i = 0; i < 300; i++) {
        mica_despawn(later, many[299 - i]);
        CHECK(MICA_GET(f->world, many[i], f->position, Position)->x == (float)i);
    }
    fixture_apply(f);
    CHECK_EQUAL(1, mica_entity_count(f->world));
}

TEST_WITH(fixture, f, rings_are_settled_afterwards)
{
    mica_world *later = fixture_later(f);
    mica_type heat = mica_type_register(
        f->world, &(mica_type_desc){.name = "Heat", .size = 8, .align = 8, .storage = MICA_RING});
    for (int i = 0; i < 40; i++) {
        mica_entity e = mica_spawn(later, MICA_ADD(heat));
        if (i % 2) {
            mica_add(later, e, f->frozen);
        }
    }
    fixture_apply(f);
    mica_query query = mica_query_new(
        f->world, &(mica_query_desc){.terms = {{heat, MICA_READ}}, .no_entities = true});
    mica_iter it;
    uint32_t segments = 0;
    mica_iter_begin(f->world, query, &it);
    while (mica_iter_next(&it)) {
        segments++;
        CHECK_EQUAL(40, it.count);
    }
    CHECK_EQUAL(1, segments);
}

// Lack of memory

static void what_memory_was_refused_for_waits(void)
{
    for (uint64_t k = 1; k < 100; k++) {
        fixture f;
        fixture_begin(&f);
        mica_world *later = fixture_later(&f);
        mica_entity old = mica_spawn(f.world, MICA_ADD(f.position));
        mica_entity made[6];
        for (int i = 0; i < 6; i++) {
            tracked value = tracked_make(&f.tracker, i);
            made[i] = mica_spawn(later, fixture_owned(&f, &value), MICA_ADD(f.loose));
            mica_add(later, i % 2 ? made[i] : old, f.frozen);
        }
        mica_set(later, old, MICA_VALUE(f.wide, Wide, {7}));
        mica_entity_set_name(later, old, "old");
        test_memory_fail_at(&f.t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = mica_commands_apply(f.world);
        bool refused = f.t.memory.refusals > 0;
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(refused ? MICA_ERROR_MEMORY : MICA_OK, result);
        CHECK_EQUAL(refused, test_error_clear(&f.t.error));
        CHECK_EQUAL(refused, mica_commands_count(f.world) > 0);
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
        fixture_apply(&f); // the rest, now
        for (int i = 0; i < 6; i++) {
            CHECK(tracked_is(&f.tracker, mica_get(f.world, made[i], f.owned), i));
            CHECK_EQUAL(i % 2, mica_has(f.world, made[i], f.frozen));
        }
        CHECK_TEXT("old", mica_entity_name(f.world, old));
        CHECK_EQUAL(7, MICA_GET(f.world, old, f.wide, Wide)->numbers[0]);
        CHECK_EQUAL(0, mica_world_get_stats(f.world).commands_dropped);
        fixture_end(&f);
        if (!refused) {
            CHECK(k > 5);
            return;
        }
    }
    CHECK(false);
}

TESTS(replay, several_changes_of_one_entity_are_one_move, what_is_spawned_moves_never,
      only_what_comes_of_it_is_made, what_comes_to_one_change_or_none_is_that,
      many_spawns_of_many_shapes, what_goes_and_comes_is_new, toggles_are_those_of_the_last_word,
      commands_for_the_dead_are_dropped_and_counted, calls_names_and_clones_come_in_their_place,
      a_command_that_fails_is_reported_and_the_others_go_on,
      one_of_several_that_fails_is_reported_once,
      a_mistake_beside_what_waits_for_memory_is_reported_once, a_spawn_that_fails_leaves_nobody,
      the_order_is_that_of_systems_then_of_rows, iterations_and_steps_tell_that_memory_was_refused,
      on_the_world_itself_a_function_is_called_at_once, several_things_are_several_commands,
      commands_may_record_commands, commands_without_an_end_are_stopped,
      what_a_call_records_follows_in_turn, a_call_may_not_pull_the_world_away,
      a_call_that_is_left_by_a_jump_can_be_mended, commands_stop_where_everything_is_ended,
      many_values_and_many_commands, rings_are_settled_afterwards,
      what_memory_was_refused_for_waits)
