// Tests of src/event/queue.c: S3.6, events that can be read in two frames.
#include "event/queue.h"

#include <mica.h>

#include <stdio.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

typedef struct Hit {
    uint32_t number;
    float damage;
} Hit;

typedef struct scene {
    test_world t;
    mica_world *world;
    tracker tracker;
    mica_type hit, other, note, tag;
} scene;

static void scene_begin(scene *s)
{
    s->world = test_world_begin(&s->t);
    tracker_begin(&s->tracker);
    s->hit = MICA_REGISTER(s->world, Hit, number, damage);
    s->other =
        mica_type_register(s->world, &(mica_type_desc){.name = "Other", .size = 8, .align = 4});
    mica_type_desc desc = tracked_desc(&s->tracker, "Note", true);
    s->note = mica_type_register(s->world, &desc);
    s->tag = MICA_TAG(s->world, Tag);
}

static void scene_end(scene *s)
{
    CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
    test_world_end(&s->t);
    CHECK_TRACKED(&s->tracker, 0);
}

static void send(scene *s, uint32_t number)
{
    CHECK_EQUAL(MICA_OK, mica_send(s->world, MICA_VALUE(s->hit, Hit, number, 0.5f)));
}

// Reads all there is, checks that the numbers rise by one, and returns how many; the first, if any.
static uint32_t read_all(scene *s, mica_cursor *cursor, uint32_t *first_out)
{
    uint32_t total = 0;
    uint32_t count;
    for (const Hit *hits; (hits = MICA_EVENTS(s->world, s->hit, Hit, cursor, &count)) != NULL;) {
        CHECK(count > 0);
        for (uint32_t i = 0; i < count; i++, total++) {
            if (total == 0) {
                *first_out = hits[i].number;
            }
            CHECK_EQUAL(*first_out + total, hits[i].number);
        }
    }
    CHECK_EQUAL(0, count);
    return total;
}

static void what_is_sent_in_a_frame_is_read_in_it_and_in_the_next(void) // S3.6
{
    scene s;
    scene_begin(&s);
    uint32_t first = 0;
    CHECK_EQUAL(0, test_event_count(s.world, s.hit));
    send(&s, 1);
    send(&s, 2);
    for (uint32_t frame = 0; frame < 4; frame++) {
        mica_cursor fresh = {0};
        CHECK_EQUAL(frame < 2 ? 2 : 0, test_event_count(s.world, s.hit));
        CHECK_EQUAL(frame < 2 ? 2 : 0, read_all(&s, &fresh, &first));
        CHECK_EQUAL(0, fresh.missed);
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
    }
    CHECK_EQUAL(1, first);
    scene_end(&s);
}

// Whatever the order of systems: one that sends between one that reads before and one that reads behind.
typedef struct party {
    scene *scene;
    mica_cursor seen;
    uint32_t met;
} party;

static void speak(mica_iter *it)
{
    const party *p = it->user;
    send(p->scene, (uint32_t)it->time + 1);
}

static void hear(mica_iter *it)
{
    party *p = it->user;
    uint32_t first;
    p->met += read_all(p->scene, &p->seen, &first);
}

TEST_WITH(scene, s, every_reader_gets_every_event_once)
{
    mica_spawn(s->world, MICA_ADD(s->tag));
    party early = {.scene = s}, speaker = {.scene = s}, late = {.scene = s};
    const mica_system_desc systems[] = {
        {.name = "early",
         .update = hear,
         .user = &early,
         .query.terms = {{s->tag, MICA_WITH}},
         .events = {{s->hit, MICA_READ}}},
        {.name = "speak",
         .update = speak,
         .user = &speaker,
         .query.terms = {{s->tag, MICA_WITH}},
         .events = {{s->hit, MICA_WRITE}}},
        {.name = "late",
         .update = hear,
         .user = &late,
         .query.terms = {{s->tag, MICA_WITH}},
         .events = {{s->hit, MICA_READ}}},
    };
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(!MICA_IS_NONE(mica_system_add(s->world, &systems[i])));
    }
    for (uint32_t frame = 0; frame < 20; frame++) {
        CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
        CHECK_EQUAL(frame, early.met);
        CHECK_EQUAL(frame + 1, late.met);
    }
    CHECK_EQUAL(0, early.seen.missed + late.seen.missed);
}

TEST_WITH(scene, s, who_comes_late_has_missed_some)
{
    uint32_t first = 0;
    mica_cursor seen = {0};
    send(s, 1);
    CHECK_EQUAL(1, read_all(s, &seen, &first));
    for (uint32_t n = 2; n < 10; n++) { // one a frame, the last two of which can be read
        send(s, n);
        mica_step(s->world, 1);
    }
    CHECK_EQUAL(1, read_all(s, &seen, &first)); // what was sent in the frame that has ended
    CHECK_EQUAL(9, first);
    CHECK_EQUAL(7, seen.missed);
    mica_cursor fresh = {0};
    CHECK_EQUAL(1, read_all(s, &fresh, &first));
    CHECK_EQUAL(0, fresh.missed); // it has missed what it never waited for
}

TEST_WITH(scene, s, events_stay_where_they_are_while_more_are_sent)
{
    for (uint32_t n = 0; n < 3; n++) {
        send(s, n);
    }
    mica_cursor seen = {0};
    uint32_t count;
    const Hit *hits = MICA_EVENTS(s->world, s->hit, Hit, &seen, &count);
    REQUIRE(hits && count > 0);
    for (uint32_t n = 3; n < 5000; n++) {
        send(s, n);
    }
    for (uint32_t i = 0; i < count; i++) {
        CHECK_EQUAL(i, hits[i].number);
    }
    uint32_t first = 0;
    CHECK_EQUAL(5000 - count, read_all(s, &seen, &first)); // those that came meanwhile, too
    CHECK_EQUAL(count, first);
    const Hit *again = hits;
    mica_step(s->world, 1);
    CHECK_EQUAL(0, again[0].number); // for the next frame, too
}

TEST_WITH(scene, s, an_array_is_as_many_events)
{
    Hit hits[1000];
    for (uint32_t i = 0; i < 1000; i++) {
        hits[i] = (Hit){i, 1};
    }
    CHECK_EQUAL(MICA_OK, mica_send(s->world, MICA_COPY_OF_ARRAY(s->hit, hits)));
    mica_cursor seen = {0};
    uint32_t first = 1;
    CHECK_EQUAL(1000, read_all(s, &seen, &first));
    CHECK_EQUAL(0, first);
}

static void values_are_made_and_ended_once(void)
{
    scene s;
    scene_begin(&s);
    tracked note = tracked_make(&s.tracker, 3);
    for (uint32_t i = 0; i < 100; i++) {
        CHECK_EQUAL(MICA_OK, mica_send(s.world, MICA_COPY_OF(s.note, note), MICA_ADD(s.note)));
    }
    CHECK_TRACKED(&s.tracker, 201);
    mica_step(s.world, 1);
    CHECK_TRACKED(&s.tracker, 201);
    mica_send(s.world, MICA_ADD(s.note));
    mica_step(s.world, 1);
    CHECK_TRACKED(&s.tracker, 2);
    mica_cursor seen = {0};
    uint32_t count;
    const void *events = mica_events(s.world, s.note, &seen, &count);
    CHECK_EQUAL(1, count);
    CHECK(tracked_is(&s.tracker, events, TRACKED_DEFAULT));
    tracked_drop(&s.tracker, &note);
    scene_end(&s); // the last ends with the world
}

TEST_WITH(scene, s, all_are_sent_or_none)
{
    tracked notes[7];
    for (uint32_t i = 0; i < 7; i++) {
        notes[i] = tracked_make(&s->tracker, i);
    }
    send(s, 1);
    mica_send(s->world, MICA_COPY_OF(s->note, notes[0]));
    for (uint32_t k = 1; k <= 8; k++) {
        uint64_t digest = mica_world_digest(s->world);
        s->tracker.until_failure = k;
        mica_result result =
            mica_send(s->world, MICA_VALUE(s->hit, Hit, 2, 0), MICA_COPY_OF_ARRAY(s->note, notes),
                      MICA_VALUE(s->hit, Hit, 3, 0), MICA_ADD(s->note));
        CHECK_EQUAL(MICA_ERROR_HOOK, result);
        CHECK_EQUAL(1, test_error_clear(&s->t.error));
        CHECK_EQUAL(digest, mica_world_digest(s->world));
        CHECK_TRACKED(&s->tracker, 8);
    }
    CHECK_EQUAL(1, test_event_count(s->world, s->hit));
    CHECK_EQUAL(1, test_event_count(s->world, s->note));
    for (uint32_t i = 0; i < 7; i++) {
        tracked_drop(&s->tracker, &notes[i]);
    }
}

TEST_WITH(scene, s, memory_is_used_again_and_given_back)
{
    for (uint32_t frame = 0; frame < 4; frame++) {
        for (uint32_t n = 0; n < 3000; n++) {
            send(s, n);
        }
        mica_step(s->world, 1);
    }
    mica_memory_stats full = mica_world_get_stats(s->world).memory;
    for (uint32_t frame = 0; frame < 4; frame++) {
        for (uint32_t n = 0; n < 3000; n++) {
            send(s, n);
        }
        mica_step(s->world, 1);
    }
    CHECK_EQUAL(full.allocations, mica_world_get_stats(s->world).memory.allocations);
    for (uint32_t frame = 0; frame < 40; frame++) {
        mica_step(s->world, 1);
    }
    CHECK(mica_world_get_stats(s->world).memory.bytes + 2 * 2000 * sizeof(Hit) < full.bytes);
    send(s, 1);
    mica_step(s->world, 1);
    size_t bytes = mica_world_get_stats(s->world).memory.bytes;
    mica_world_reclaim(s->world); // the chunk of the frame that is empty
    CHECK(mica_world_get_stats(s->world).memory.bytes < bytes);
    CHECK_EQUAL(1, test_event_count(s->world, s->hit));
    send(s, 2);
}

TEST_WITH(scene, s, mistakes_are_reported)
{
    mica_cursor seen = {0};
    uint32_t count = 7;
    send(s, 1);
    CHECK(mica_events(s->world, s->hit, &seen, &count) != NULL);
    CHECK_POINTER(NULL, mica_events(s->world, s->other, &seen, &count));
    CHECK_ERROR(&s->t, MICA_ERROR_ARGUMENT,
                "mica_events: the cursor has read events of 'Hit', not of 'Other'");
    CHECK_EQUAL(0, count);
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_send(s->world, MICA_ADD(s->tag)));
    CHECK_ERROR(&s->t, MICA_ERROR_SIZE, "mica_send: 'Tag' is a tag and has no value");
    mica_cursor fresh = {0};
    CHECK_POINTER(NULL, MICA_EVENTS(s->world, s->hit, tracked, &fresh, &count));
    char sentence[80];
    snprintf(sentence, sizeof sentence, "MICA_EVENTS: component 'Hit' has size 8, not %u",
             (unsigned)sizeof(tracked));
    CHECK_ERROR(&s->t, MICA_ERROR_SIZE, sentence);
    mica_world *later = mica_world_later(s->world);
    CHECK(mica_events(later, s->hit, &fresh, &count) != NULL); // who only looks may
}

TEST_WITH(scene, s, a_frame_has_an_end)
{
    send(s, 1);
    const Hit one = {2, 0};
    const mica_value many = {s->hit, &one, sizeof one, UINT32_C(1) << 31,
                             NULL}; // with the first, one more
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_send_values(s->world, &many, 1));
    CHECK_ERROR(&s->t, MICA_ERROR_LIMIT,
                "mica_send: more than 2147483648 events of 'Hit' in a frame");
    CHECK_EQUAL(1, test_event_count(s->world, s->hit));
}

static void go_on(mica_world *world, const void *data)
{
    (void)data;
    CHECK_EQUAL(MICA_OK, mica_defer_call(mica_world_later(world), go_on, NULL, 0));
}

static void begin_something(mica_iter *it)
{
    CHECK_EQUAL(MICA_OK, mica_defer_call(mica_later(it), go_on, NULL, 0));
}

static void fail(mica_iter *it)
{
    CHECK_EQUAL(MICA_OK, mica_system_fail(it, 0, "no"));
}

TEST_WITH(scene, s, a_frame_ends_when_all_systems_have_run_and_not_before)
{
    send(s, 1);
    mica_system system =
        mica_system_add(s->world, &(mica_system_desc){.name = "fail", .update = fail});
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(s->world, 1));
        CHECK_EQUAL(1, test_error_clear(&s->t.error));
        CHECK_EQUAL(1, test_event_count(s->world, s->hit));
    }
    CHECK_EQUAL(MICA_OK, mica_system_remove(s->world, system));
    mica_system_add(s->world, &(mica_system_desc){.name = "begin", .update = begin_something});
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_EQUAL(1, test_event_count(s->world, s->hit));
        CHECK_EQUAL(MICA_ERROR_LIMIT, mica_step(s->world, 1)); // though its commands had no end
        CHECK_EQUAL(1, test_error_clear(&s->t.error));
    }
    CHECK_EQUAL(0, test_event_count(s->world, s->hit));
}

TEST_WITH(scene, s, events_outlive_entities_and_cursors_can_be_copied)
{
    mica_spawn(s->world, MICA_ADD(s->hit));
    send(s, 1);
    uint32_t first = 0;
    mica_cursor seen = {0};
    CHECK_EQUAL(1, read_all(s, &seen, &first));
    send(s, 2);
    CHECK_EQUAL(MICA_OK, mica_world_clear(s->world));
    CHECK_EQUAL(2, test_event_count(s->world, s->hit));
    mica_cursor other = seen;
    CHECK_EQUAL(1, read_all(s, &seen, &first));
    CHECK_EQUAL(1, read_all(s, &other, &first)); // it has read as far as the first had
    CHECK_EQUAL(2, first);
}

// The digest tells worlds apart that will go on differently; the hash does not count messages.
TEST_WITH(scene, s, the_digest_counts_events_in)
{
    uint64_t hash = mica_world_hash(s->world);
    uint64_t digest = mica_world_digest(s->world);
    send(s, 1);
    CHECK_EQUAL(hash, mica_world_hash(s->world));
    CHECK(digest != mica_world_digest(s->world));
}

TESTS(queue, what_is_sent_in_a_frame_is_read_in_it_and_in_the_next,
      every_reader_gets_every_event_once, who_comes_late_has_missed_some,
      events_stay_where_they_are_while_more_are_sent, an_array_is_as_many_events,
      values_are_made_and_ended_once, all_are_sent_or_none, memory_is_used_again_and_given_back,
      mistakes_are_reported, a_frame_has_an_end,
      a_frame_ends_when_all_systems_have_run_and_not_before,
      events_outlive_entities_and_cursors_can_be_copied, the_digest_counts_events_in)
