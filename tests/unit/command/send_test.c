// Tests of events that are recorded: src/command/record.c and replay.c.
#include "unit/command/fixture.h"

// All events of health that a cursor has not read yet, as one number: 1, 2, 3 are 123.
static int64_t read_points(fixture *f, mica_cursor *cursor)
{
    int64_t all = 0;
    uint32_t count;
    for (const Health *h; (h = MICA_EVENTS(f->world, f->health, Health, cursor, &count)) != NULL;) {
        for (uint32_t i = 0; i < count; i++) {
            all = 10 * all + h[i].points;
        }
    }
    return all;
}

static void what_is_sent_is_sent_when_commands_are_carried_out(void) // S3.8
{
    fixture f;
    fixture_begin(&f);
    mica_cursor seen = {0};
    mica_world *later = fixture_later(&f);
    Health several[] = {{2}, {3}, {4}};
    Health one = {1};
    CHECK_EQUAL(MICA_OK, mica_send(later, MICA_COPY_OF(f.health, one)));
    one.points = 9; // it was copied in
    CHECK_EQUAL(MICA_OK, mica_send(later, MICA_COPY_OF_ARRAY(f.health, several),
                                   MICA_VALUE(f.health, Health, 5)));
    several[0].points = 9;
    CHECK_EQUAL(3, mica_commands_count(later));
    CHECK_EQUAL(0, test_event_count(f.world, f.health));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    fixture_apply(&f);
    CHECK_EQUAL(12345, read_points(&f, &seen));
    CHECK_EQUAL(MICA_OK, mica_send(later, MICA_ADD(f.health), MICA_ADD(f.wide)));
    fixture_apply(&f);
    uint32_t count;
    const Health *health = MICA_EVENTS(f.world, f.health, Health, &seen, &count);
    CHECK(health && count == 1 && health->points == 100);
    CHECK_EQUAL(1, test_event_count(f.world, f.wide));
    CHECK_EQUAL(MICA_OK, mica_send_values(later, NULL, 0));
    CHECK_EQUAL(0, mica_commands_count(later));
    fixture_end(&f);
}

static void send_one(mica_world *world, const void *data)
{
    const mica_type *health = data;
    mica_send(world, MICA_VALUE(*health, Health, 2));
}

TEST_WITH(fixture, f, sending_keeps_its_place_among_events_and_changes_stay_one)
{
    mica_cursor seen = {0};
    mica_world *later = fixture_later(f);
    mica_entity e = mica_spawn(f->world, MICA_ADD(f->position));
    mica_send(later, MICA_VALUE(f->health, Health, 1));
    mica_defer_call(later, send_one, &f->health, sizeof f->health);
    mica_add(later, e, f->burning);
    mica_send(later, MICA_VALUE(f->health, Health, 3));
    mica_add(later, e, f->wide);
    mica_send(later, MICA_VALUE(f->health, Health, 4));
    mica_entity made = mica_spawn(later, MICA_ADD(f->position));
    mica_send(later, MICA_VALUE(f->health, Health, 5));
    mica_add(later, made, f->wide);
    uint64_t moves = mica_world_get_stats(f->world).row_moves;
    fixture_apply(f);
    CHECK_EQUAL(12345, read_points(f, &seen));
    CHECK_EQUAL(moves + 1, mica_world_get_stats(f->world).row_moves);
    CHECK(mica_has(f->world, e, f->burning) && mica_has(f->world, made, f->wide));
}

TEST_WITH(fixture, f, values_that_are_sent_end_once)
{
    mica_world *later = fixture_later(f);
    tracked made[2] = {tracked_make(&f->tracker, 1), tracked_make(&f->tracker, 2)};
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(MICA_OK,
                    mica_send(later, MICA_COPY_OF_ARRAY(f->moved, made), MICA_ADD(f->moved)));
        CHECK_TRACKED(&f->tracker, 2 + 2 + (i > 1 ? 3 : 0));
        if (i == 0) {
            mica_commands_discard(later);
            CHECK_TRACKED(&f->tracker, 2);
        } else if (i == 1) {
            fixture_apply(f);
            CHECK_TRACKED(&f->tracker, 2 + 3);
        } // the last ones end with the world
    }
    tracked_drop(&f->tracker, &made[0]);
    tracked_drop(&f->tracker, &made[1]);
}

TEST_WITH(fixture, f, what_cannot_be_copied_is_handed_over)
{
    mica_world *later = fixture_later(f);
    tracked given[2] = {tracked_make(&f->tracker, 1), tracked_make(&f->tracker, 2)};
    mica_value values[] = {fixture_owned(f, &given[0]), fixture_owned(f, &given[1])};
    const mica_value twice[] = {values[0], values[0]};
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_send_values(later, twice, 2));
    CHECK_EQUAL(0, mica_commands_count(later));
    test_error_clear(&f->t.error);
    CHECK_EQUAL(MICA_OK, mica_send_values(later, values, 2));
    CHECK_TRACKED(&f->tracker, 2);
    fixture_apply(f);
    CHECK_TRACKED(&f->tracker, 2);
    CHECK_EQUAL(2, test_event_count(f->world, f->owned));
}

TEST_WITH(fixture, f, what_is_wrong_is_reported_when_it_is_recorded)
{
    mica_world *later = fixture_later(f);
    const mica_value good = MICA_VALUE(f->health, Health, 1);
    const mica_value bad[] = {good, {f->health, &good, 7, 1, NULL}};
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_send_values(later, bad, 2));
    CHECK_TEXT("mica_send: component 'Health' has size 4, not 7", f->t.error.last.sentence);
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_send(later, MICA_ADD(f->frozen)));
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_send(later, (mica_value){.type.bits = 77}));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_send_values(later, NULL, 1));
    CHECK_EQUAL(4, test_error_clear(&f->t.error));
    CHECK_EQUAL(0, mica_commands_count(later));
}

TEST_WITH(fixture, f, a_copy_that_fails_records_nothing_and_one_that_fails_later_is_dropped)
{
    mica_cursor seen = {0};
    mica_world *later = fixture_later(f);
    tracked made = tracked_make(&f->tracker, 1);
    const mica_value values[] = {MICA_COPY_OF(f->moved, made), MICA_COPY_OF(f->moved, made)};
    f->tracker.until_failure = 2;
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_send_values(later, values, 2));
    CHECK_EQUAL(0, mica_commands_count(later));
    CHECK_TRACKED(&f->tracker, 1);
    f->tracker.until_failure = 0;
    mica_send(later, MICA_VALUE(f->health, Health, 1));
    mica_send(later, MICA_COPY_OF(f->moved, made));
    mica_send(later, MICA_VALUE(f->health, Health, 2));
    f->tracker.until_failure = 1;
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK_EQUAL(MICA_ERROR_HOOK, f->t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_EQUAL(12, read_points(f, &seen));
    CHECK_EQUAL(0, test_event_count(f->world, f->moved));
    f->tracker.until_failure = 0;
    tracked_drop(&f->tracker, &made);
}

typedef struct game {
    fixture f;
    mica_cursor seen;
    uint32_t frame;
    int64_t read[4];
} game;

static void read_and_send(mica_iter *it)
{
    game *g = it->user;
    g->read[g->frame] = read_points(&g->f, &g->seen);
    mica_send(mica_later(it), MICA_VALUE(g->f.health, Health, (int32_t)++g->frame));
}

static void what_a_system_sends_later_is_sent_in_its_frame(void)
{
    static game g;
    g = (game){0};
    fixture_begin(&g.f);
    mica_spawn_values(g.f.world, NULL, 0);
    mica_system_add(g.f.world, &(mica_system_desc){
                                   .name = "game",
                                   .update = read_and_send,
                                   .user = &g,
                                   .query.everything = true,
                                   .events = {{g.f.health, MICA_READ}, {g.f.health, MICA_WRITE}}});
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(MICA_OK, mica_step(g.f.world, 1));
    }
    CHECK_EQUAL(0, g.read[0]);
    CHECK_EQUAL(1, g.read[1]);
    CHECK_EQUAL(2, g.read[2]);
    CHECK_EQUAL(1, test_event_count(g.f.world, g.f.health)); // that of the last frame
    fixture_end(&g.f);
}

TESTS(send, what_is_sent_is_sent_when_commands_are_carried_out,
      sending_keeps_its_place_among_events_and_changes_stay_one, values_that_are_sent_end_once,
      what_cannot_be_copied_is_handed_over, what_is_wrong_is_reported_when_it_is_recorded,
      a_copy_that_fails_records_nothing_and_one_that_fails_later_is_dropped,
      what_a_system_sends_later_is_sent_in_its_frame)
