#include "command/command.h"

#include <string.h>

#include "runner/capture.h"
#include "unit/command/fixture.h"

// What is recorded, and when it is carried out

static void what_an_iteration_records_is_done_when_it_ends(void) // S3.8
{
    fixture f;
    fixture_begin(&f);
    for (int i = 0; i < 10; i++) {
        mica_spawn(f.world, MICA_VALUE(f.position, Position, (float)i, 0));
    }
    mica_iter it;
    mica_iter_begin(f.world, f.all, &it);
    uint32_t rows = 0;
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++, rows++) {
            mica_entity e = it.entities[i];
            CHECK_EQUAL(MICA_OK, rows % 2 ? mica_despawn(mica_later(&it), e)
                                          : mica_add(mica_later(&it), e, f.frozen));
            mica_spawn(mica_later(&it), MICA_ADD(f.health));
            CHECK_EQUAL(10, mica_entity_count(f.world));
            CHECK(!mica_has(f.world, e, f.frozen));
        }
    }
    CHECK_EQUAL(10, rows);
    CHECK_EQUAL(15, mica_entity_count(f.world));
    CHECK_EQUAL(0, mica_commands_count(f.world));
    CHECK_EQUAL(20, mica_world_get_stats(f.world).commands);
    fixture_end(&f);
}

TEST_WITH(fixture, f, it_waits_for_the_outermost_iteration)
{
    mica_entity e = mica_spawn(f->world, MICA_ADD(f->position));
    mica_iter outer, inner;
    mica_iter_begin(f->world, f->all, &outer);
    REQUIRE(mica_iter_next(&outer));
    mica_iter_begin(f->world, f->all, &inner);
    CHECK_EQUAL(MICA_OK, mica_add(mica_later(&inner), e, f->frozen));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&inner));
    CHECK(!mica_has(f->world, e, f->frozen));
    CHECK_EQUAL(1, mica_commands_count(f->world));
    CHECK_EQUAL(MICA_OK, mica_iter_end(&outer)); // left early
    CHECK(mica_has(f->world, e, f->frozen));
}

TEST_WITH(fixture, f, iterations_that_are_ended_from_outside_leave_commands_waiting)
{
    mica_entity e = mica_spawn(f->world, MICA_ADD(f->position));
    mica_iter it;
    mica_iter_begin(f->world, f->all, &it);
    mica_add(mica_later(&it), e, f->frozen);
    CHECK_EQUAL(1, mica_world_end_iterations(f->world));
    CHECK(!mica_has(f->world, e, f->frozen));
    CHECK_EQUAL(1, mica_commands_count(f->world));
    mica_iter_begin(f->world, f->all, &it);
    while (mica_iter_next(&it)) {
    }
    CHECK(mica_has(f->world, e, f->frozen)); // with the next one
}

static mica_world *kept;

static void record_despawn(mica_iter *it)
{
    kept = mica_later(it);
    for (uint32_t i = 0; i < it->count; i++) {
        mica_despawn(mica_later(it), it->entities[i]);
    }
}

static void count_rows(mica_iter *it)
{
    *(uint32_t *)it->user += it->count;
}

TEST_WITH(fixture, f, a_step_does_it_at_its_end_or_before_a_system_that_asks)
{
    uint32_t before = 0, after = 0;
    mica_system_add(f->world, &(mica_system_desc){.name = "end",
                                                  .update = record_despawn,
                                                  .query.terms = {{f->position, MICA_READ}}});
    mica_system_add(f->world, &(mica_system_desc){.name = "before",
                                                  .update = count_rows,
                                                  .user = &before,
                                                  .query.everything = true});
    mica_spawn(f->world, MICA_ADD(f->position));
    mica_spawn(f->world, MICA_ADD(f->health));
    CHECK_EQUAL(MICA_OK, mica_step(f->world, 1));
    CHECK_EQUAL(2, before);
    CHECK_EQUAL(1, mica_entity_count(f->world));
    mica_system_add(f->world, &(mica_system_desc){.name = "after",
                                                  .update = count_rows,
                                                  .user = &after,
                                                  .replay_first = true,
                                                  .query.everything = true});
    mica_spawn(f->world, MICA_ADD(f->position));
    CHECK_EQUAL(MICA_OK, mica_step(f->world, 1));
    CHECK_EQUAL(4, before);
    CHECK_EQUAL(1, after);
    CHECK_POINTER(mica_world_later(f->world), kept); // the same for all
}

static void leave_open(mica_iter *it)
{
    mica_spawn(mica_later(it), MICA_ADD(*(mica_type *)it->user));
    static mica_iter own;
    mica_iter_begin_entity(it->world, (mica_query){0}, it->entities[0], &own);
    mica_iter_begin(it->world, (mica_query){*(uint64_t *)((mica_type *)it->user + 1)}, &own);
}

TEST_WITH(fixture, f, a_step_that_fails_does_what_was_recorded_until_then)
{
    struct {
        mica_type type;
        uint64_t query;
    } user = {f->health, f->all.bits};
    mica_system_add(f->world, &(mica_system_desc){.name = "open",
                                                  .update = leave_open,
                                                  .user = &user,
                                                  .queries = {f->all},
                                                  .query.everything = true});
    mica_spawn_values(f->world, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(f->world, 1));
    CHECK_EQUAL(2, test_error_clear(&f->t.error));
    CHECK_EQUAL(2, mica_entity_count(f->world));
}

// Buffers of one's own

static void a_buffer_is_filled_at_any_time_and_done_when_asked(void) // S3.8
{
    fixture f;
    fixture_begin(&f);
    mica_world *own = mica_commands_new(f.world);
    REQUIRE(own != NULL);
    mica_entity e = mica_spawn(own, MICA_VALUE(f.position, Position, 1, 2));
    mica_iter it;
    mica_iter_begin(f.world, f.all, &it);
    mica_set(own, e, MICA_VALUE(f.health, Health, 5));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_commands_apply(own));
    CHECK_ERROR(&f.t, MICA_ERROR_ITERATING,
                "mica_commands_apply: refused while 'all' is being iterated; do it afterwards, or "
                "end that with mica_iter_end or, if it is lost, mica_world_end_iterations");
    CHECK(!mica_iter_next(&it));
    CHECK(!mica_alive(f.world, e)); // it is not the world's own
    CHECK_EQUAL(2, mica_commands_count(own));
    CHECK_EQUAL(0, mica_commands_count(f.world));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(own));
    CHECK(mica_alive(f.world, e));
    CHECK_EQUAL(5, MICA_GET(f.world, e, f.health, Health)->points);
    CHECK_EQUAL(0, mica_world_get_stats(f.world).row_moves);
    CHECK_EQUAL(MICA_OK, mica_commands_free(own));
    CHECK_EQUAL(MICA_OK, mica_commands_free(NULL));
    fixture_end(&f);
}

TEST_WITH(fixture, f, what_is_discarded_or_freed_never_happens)
{
    mica_world *own = mica_commands_new(f->world);
    mica_entity old = mica_spawn(f->world, MICA_ADD(f->moved));
    for (int i = 0; i < 2; i++) {
        tracked a = tracked_make(&f->tracker, 1);
        tracked b = tracked_make(&f->tracker, 2);
        mica_entity e = mica_spawn(own, ((mica_value){f->moved, &a, sizeof a, 1, NULL}),
                                   fixture_owned(f, &b)); // the second is handed over
        tracked_drop(&f->tracker, &a);
        mica_despawn(own, old);
        CHECK_TRACKED(&f->tracker, 3);
        CHECK_EQUAL(MICA_OK, i ? mica_commands_free(own) : mica_commands_discard(own));
        CHECK_TRACKED(&f->tracker, 1);
        CHECK(mica_alive(f->world, old));
        mica_entity other =
            mica_spawn_values(f->world, NULL, 0); // the slot, but not the handle, is used again
        CHECK_EQUAL(mica_entity_slot(e), mica_entity_slot(other));
        CHECK(!MICA_EQUAL(e, other) && !mica_alive(f->world, e));
        mica_despawn(f->world, other);
    }
}

TEST_WITH(fixture, f, a_world_ends_with_what_waits_in_it)
{
    mica_world *own = mica_commands_new(f->world);
    for (int i = 0; i < 20; i++) {
        mica_spawn(i % 2 ? own : fixture_later(f), MICA_ADD(f->position));
        tracked a = tracked_make(&f->tracker, 1);
        mica_spawn(i % 2 ? own : fixture_later(f), fixture_owned(f, &a));
        mica_defer_call(own, NULL, NULL, 0);
        CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_defer_call: function is null");
    }
}

TEST_WITH(fixture, f, the_worlds_own_buffer_can_be_discarded_but_not_freed)
{
    CHECK_EQUAL(MICA_OK, mica_commands_apply(f->world)); // there is none yet
    CHECK_EQUAL(MICA_OK, mica_commands_discard(f->world));
    CHECK_EQUAL(0, mica_commands_count(f->world));
    static const char sentence[] =
        "mica_commands_free: these commands are the world's own, and are freed with it";
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_commands_free(f->world));
    CHECK_ERROR(&f->t, MICA_ERROR_RECORDING, sentence);
    mica_entity e = mica_spawn_values(fixture_later(f), NULL, 0);
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_commands_free(fixture_later(f)));
    CHECK_ERROR(&f->t, MICA_ERROR_RECORDING, sentence);
    CHECK_EQUAL(MICA_OK, mica_commands_discard(f->world));
    fixture_apply(f);
    CHECK(!mica_alive(f->world, e));
}

TEST_WITH(fixture, f, buffers_of_a_world_keep_apart)
{
    mica_world *a = mica_commands_new(f->world);
    mica_world *b = mica_commands_new(mica_world_later(a)); // whichever face is asked
    mica_entity e = mica_spawn(a, MICA_ADD(f->position));
    CHECK_EQUAL(MICA_OK, mica_add(b, e, f->frozen)); // known to all that record
    CHECK_EQUAL(MICA_OK, mica_commands_apply(b));
    CHECK_EQUAL(1, mica_world_get_stats(f->world).commands_dropped); // but nobody lives there yet
    CHECK_EQUAL(MICA_OK, mica_commands_apply(a));
    CHECK(mica_alive(f->world, e) && !mica_has(f->world, e, f->frozen));
    CHECK_EQUAL(MICA_OK, mica_commands_free(a));
    CHECK_EQUAL(MICA_OK, mica_add(b, e, f->frozen));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(b));
    CHECK(mica_has(f->world, e, f->frozen));
}

TEST_WITH(fixture, f, an_iteration_that_has_ended_gives_no_face)
{
    mica_iter it;
    mica_iter_begin(f->world, f->all, &it);
    CHECK(!mica_iter_next(&it));
    CHECK_POINTER(NULL, mica_later(&it));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR, "mica_later: the iteration has ended");
}

TEST_WITH(fixture, f, memory_is_kept_for_the_next_time)
{
    mica_world *later = fixture_later(f);
    mica_entity e = mica_spawn(f->world, MICA_ADD(f->position));
    uint64_t allocations = 0;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 100; i++) {
            mica_set(later, e, MICA_VALUE(f->wide, Wide, {i}));
        }
        fixture_apply(f);
        CHECK_EQUAL(99, MICA_GET(f->world, e, f->wide, Wide)->numbers[0]);
        mica_remove(f->world, e, f->wide);
        CHECK(round < 2 || allocations == f->t.memory.allocations);
        allocations = f->t.memory.allocations;
    }
}

// The faces

TEST_WITH(fixture, f, a_face_sees_the_world_as_it_is)
{
    mica_world *later = fixture_later(f);
    mica_entity e =
        mica_spawn(f->world, MICA_VALUE(f->position, Position, 1, 2), MICA_ADD(f->burning));
    mica_entity_set_name(f->world, e, "eve");
    mica_set(later, e, MICA_VALUE(f->position, Position, 3, 4)); // waits, though it is there
    mica_disable(later, e, f->burning);
    CHECK(mica_alive(later, e) && mica_has(later, e, f->position));
    CHECK(MICA_GET(later, e, f->position, Position)->x == 1);
    CHECK(mica_is_enabled(later, e, f->burning));
    CHECK_TEXT("eve", mica_entity_name(later, e));
    CHECK(MICA_EQUAL(e, mica_entity_find(later, "eve")));
    CHECK_EQUAL(1, mica_entity_count(later));
    CHECK_EQUAL(1, mica_query_count(later, f->all));
    CHECK(MICA_EQUAL(f->position, mica_type_find(later, "Position")));
    CHECK_EQUAL(mica_world_hash(f->world), mica_world_hash(later));
    CHECK_EQUAL(mica_world_digest(f->world), mica_world_digest(later));
    CHECK_EQUAL(mica_world_get_stats(f->world).memory.bytes,
                mica_world_get_stats(later).memory.bytes);
    CHECK_EQUAL(MICA_OK, mica_world_validate(later));
    mica_type_set types = {0};
    CHECK_EQUAL(MICA_OK, mica_entity_types(later, e, &types));
    CHECK_EQUAL(2, mica_type_set_count(&types));
    mica_type_set_free(f->world, &types);
    MICA_GET_MUT(later, e, f->position, Position)->y =
        7; // at once: it is no change of what is where
    CHECK(MICA_GET(f->world, e, f->position, Position)->y == 7);
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(later, f->all, &it));
    CHECK_POINTER(f->world, it.world); // what is iterated is the world
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    CHECK(MICA_GET(f->world, e, f->position, Position)->x == 3);
    CHECK(!mica_is_enabled(f->world, e, f->burning));
}

TEST_WITH(fixture, f, a_face_has_the_errors_of_its_world)
{
    mica_world *later = fixture_later(f);
    CHECK_POINTER(NULL, mica_get(later, mica_entity_make(9, 9), f->position));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_last_error(f->world)->code);
    CHECK_POINTER(mica_last_error(f->world), mica_last_error(later));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_get: entity 9.9 is dead, or of another world");
    mica_clear_error(later);
    CHECK_EQUAL(MICA_OK, mica_last_error(f->world)->code);
    test_error other = {0};
    CHECK_EQUAL(MICA_OK, mica_world_set_error_handler(later, test_error_record, &other));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(f->world, (mica_entity){0}));
    CHECK_EQUAL(1, other.calls);
    CHECK_EQUAL(MICA_OK, mica_world_set_abort_on_error(later, false));
    CHECK_EQUAL(MICA_OK, mica_world_set_error_handler(f->world, test_error_record, &f->t.error));
}

static void touch(mica_iter *it)
{
    MICA_GET_MUT(mica_later(it), it->entities[0], *(mica_type *)it->user, Position);
}

TEST_WITH(fixture, f, faces_have_the_time_of_their_world)
{
    mica_world *own = mica_commands_new(f->world);
    mica_spawn(f->world, MICA_ADD(f->position));
    mica_system_add(f->world, &(mica_system_desc){.name = "touch",
                                                  .update = touch,
                                                  .user = &f->position,
                                                  .query.everything = true});
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(MICA_OK, mica_step(f->world, 1));
        CHECK_EQUAL(f->world->view.tick, own->view.tick);
        CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    }
}

static mica_world *handled;
static mica_result handled_results[3];

static void handle(mica_world *world, const mica_error *error, void *user)
{
    (void)world, (void)error, (void)user;
    handled_results[0] = mica_commands_new(handled) != NULL;
    handled_results[1] = mica_commands_discard(handled);
    handled_results[2] = mica_spawn_values(mica_world_later(handled), NULL, 0).bits != 0;
}

static void make_a_mistake(void)
{
    mica_despawn(handled, (mica_entity){0});
}

TEST_WITH(fixture, f, handlers_record_nothing)
{
    fixture_later(f);
    handled = f->world;
    CHECK_EQUAL(MICA_OK, mica_world_set_error_handler(f->world, handle, NULL));
    char text[400];
    test_capture_stderr(make_a_mistake, text, sizeof text);
    CHECK(strstr(text, "mica_commands_new: refused inside the error handler") != NULL);
    CHECK(strstr(text, "mica_commands_discard: refused inside the error handler") != NULL);
    CHECK_EQUAL(false, handled_results[0]);
    CHECK_EQUAL(MICA_ERROR_HANDLER, handled_results[1]);
    CHECK_EQUAL(false, handled_results[2]);
    CHECK_EQUAL(0, mica_commands_count(f->world));
}

// Some memory is for rows that are there, and for the face itself.
TEST_WITH(fixture, f, reclaiming_gives_back_the_room_of_commands_that_are_done)
{
    mica_world *own = mica_commands_new(f->world);
    mica_world *later = fixture_later(f);
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(f->world));
    size_t before = mica_world_get_stats(f->world).memory.bytes;
    mica_world *faces[] = {own, later};
    for (int i = 0; i < 2; i++) {
        for (int n = 0; n < 3000; n++) {
            mica_entity e = mica_spawn(faces[i], MICA_VALUE(f->wide, Wide, {1}));
            test_add_types(faces[i], e, (mica_type[]){f->frozen, f->health}, 2);
            mica_despawn(faces[i], e);
        }
        CHECK_EQUAL(MICA_OK, mica_commands_apply(faces[i]));
    }
    size_t full = mica_world_get_stats(f->world).memory.bytes;
    mica_entity waiting = mica_spawn(own, MICA_VALUE(f->wide, Wide, {4}));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(f->world)); // not what waits
    size_t less = mica_world_get_stats(f->world).memory.bytes;
    CHECK(less < full && less > before);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(own));
    CHECK_EQUAL(4, MICA_GET(f->world, waiting, f->wide, Wide)->numbers[0]);
    mica_despawn(f->world, waiting);
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(f->world));
    CHECK(mica_world_get_stats(f->world).memory.bytes <
          before + (full - before) / 8); // of slots something is kept
    mica_add(own, mica_spawn(own, MICA_VALUE(f->wide, Wide, {4})),
             f->frozen); // and it is got again
    CHECK_EQUAL(MICA_OK, mica_commands_apply(own));
}

static void reclaim_inside(mica_world *world, const void *data)
{
    const uint64_t *numbers = data;
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK_EQUAL(77, numbers[9]);
}

TEST_WITH(fixture, f, a_command_may_reclaim)
{
    mica_world *later = fixture_later(f);
    const uint64_t numbers[10] = {[9] = 77};
    mica_entity a = mica_spawn(later, MICA_VALUE(f->wide, Wide, {4}));
    mica_defer_call(later, reclaim_inside, numbers, sizeof numbers);
    mica_entity b = mica_spawn(later, MICA_VALUE(f->wide, Wide, {5}));
    mica_defer_call(later, reclaim_inside, numbers, sizeof numbers);
    fixture_apply(f);
    CHECK_EQUAL(4, MICA_GET(f->world, a, f->wide, Wide)->numbers[0]);
    CHECK_EQUAL(5, MICA_GET(f->world, b, f->wide, Wide)->numbers[0]);
}

TESTS(buffer, what_an_iteration_records_is_done_when_it_ends, it_waits_for_the_outermost_iteration,
      iterations_that_are_ended_from_outside_leave_commands_waiting,
      a_step_does_it_at_its_end_or_before_a_system_that_asks,
      a_step_that_fails_does_what_was_recorded_until_then,
      a_buffer_is_filled_at_any_time_and_done_when_asked, what_is_discarded_or_freed_never_happens,
      a_world_ends_with_what_waits_in_it, the_worlds_own_buffer_can_be_discarded_but_not_freed,
      buffers_of_a_world_keep_apart, an_iteration_that_has_ended_gives_no_face,
      memory_is_kept_for_the_next_time, a_face_sees_the_world_as_it_is,
      a_face_has_the_errors_of_its_world, faces_have_the_time_of_their_world,
      handlers_record_nothing, reclaiming_gives_back_the_room_of_commands_that_are_done,
      a_command_may_reclaim)
