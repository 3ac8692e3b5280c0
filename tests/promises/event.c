// What mica/event.h promises.
#include "promise.h"

#include "unit/tracked.h"

#include <string.h>

typedef struct Hit {
    int32_t damage;
} Hit;

typedef struct Other {
    int32_t damage;
} Other;

// A world with types of events: plain ones, ones whose values cannot be copied, and a tag.
typedef struct hall {
    test_world t;
    tracker tracker;
    mica_world *world;
    mica_type hit, owned, copied, tag;
} hall;

static mica_world *begin(hall *h)
{
    h->world = test_world_begin(&h->t);
    tracker_begin(&h->tracker);
    h->hit = MICA_REGISTER(h->world, Hit, damage);
    mica_type_desc desc = tracked_desc(&h->tracker, "Copied", true);
    h->copied = mica_type_register(h->world, &desc);
    desc.name = "Owned";
    desc.hooks.copy = NULL;
    h->owned = mica_type_register(h->world, &desc);
    h->tag = MICA_TAG(h->world, Tag);
    return h->world;
}

static void end(hall *h)
{
    test_world_end(&h->t);
    CHECK_TRACKED(&h->tracker, 0);
}

static void check_refused(hall *h, mica_result code, mica_result result)
{
    CHECK_EQUAL(code, result);
    CHECK_REPORTED(&h->t, code);
    CHECK_EQUAL(0, test_event_count(h->world, h->hit));
}

// The damages that a cursor has not read, added up; each number it gets is checked to follow the last.
static uint32_t read_all(hall *h, mica_cursor *cursor, int32_t expected)
{
    uint32_t read = 0;
    uint32_t count;
    for (const Hit *hit; (hit = MICA_EVENTS(h->world, h->hit, Hit, cursor, &count)) != NULL;) {
        CHECK(count > 0);
        for (uint32_t i = 0; i < count; i++) {
            CHECK_EQUAL(expected, hit[i].damage);
            expected++;
        }
        read += count;
    }
    CHECK_EQUAL(0, count);
    return read;
}

static mica_result inside[3];

static mica_result act_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    hall *h = context->user;
    memset(target, 0, 4 * (size_t)count);
    mica_cursor cursor = {0};
    uint32_t events = 9;
    inside[0] = mica_send(h->world, MICA_VALUE(h->hit, Hit, 1));
    inside[1] = mica_events(h->world, h->hit, &cursor, &events) ? MICA_OK : MICA_ERROR_HOOK;
    inside[2] = test_event_count(h->world, h->hit) ? MICA_OK : MICA_ERROR_HOOK;
    return MICA_OK;
}

static void act_in_handler(mica_world *world, const mica_error *error, void *user)
{
    (void)error;
    hall *h = user;
    mica_cursor cursor = {0};
    uint32_t events;
    inside[0] = mica_send(world, MICA_VALUE(h->hit, Hit, 1));
    inside[1] = mica_events(world, h->hit, &cursor, &events) ? MICA_OK : MICA_ERROR_HANDLER;
}

static void fail(mica_iter *it)
{
    mica_system_fail(it, 0, "on purpose");
}

static void send_undeclared(mica_iter *it)
{
    hall *h = it->user;
    mica_cursor cursor = {0};
    uint32_t events;
    inside[0] = mica_send(it->world, MICA_VALUE(h->hit, Hit, 1));
    mica_events(it->world, h->hit, &cursor, &events);
}

PROMISE(mica_send_values)
{
    hall h;
    mica_world *world = begin(&h);
    mica_cursor cursor = {0};

    // [event.send]
    const Hit array[3] = {{2}, {3}, {4}};
    const Hit one = {1};
    const mica_value values[2] = {MICA_COPY_OF(h.hit, one), MICA_COPY_OF_ARRAY(h.hit, array)};
    CHECK_EQUAL(MICA_OK, mica_send_values(world, values, 2));
    CHECK_EQUAL(4, read_all(&h, &cursor, 1));
    CHECK_EQUAL(MICA_OK, mica_send_values(world, NULL, 0));

    // [event.send_list]
    mica_send(world, MICA_VALUE(h.hit, Hit, 5), MICA_VALUE(h.hit, Hit, 6));
    CHECK_EQUAL(2, read_all(&h, &cursor, 5));

    // [event.copied]: handed over, if they cannot be
    tracked made = tracked_make(&h.tracker, 5);
    CHECK_EQUAL(MICA_OK, mica_send(world, MICA_COPY_OF(h.copied, made)));
    CHECK_TRACKED(&h.tracker, 2);
    CHECK_EQUAL(MICA_OK, mica_send(world, MICA_COPY_OF(h.owned, made)));
    CHECK_TRACKED(&h.tracker, 2);

    // [event.copied]: the default, without data
    CHECK_EQUAL(MICA_OK, mica_send(world, MICA_ADD(h.owned)));
    mica_cursor owned = {0};
    uint32_t count;
    const tracked *events = mica_events(world, h.owned, &owned, &count);
    REQUIRE(events && count == 2);
    CHECK(tracked_is(&h.tracker, &events[0], 5));
    CHECK(tracked_is(&h.tracker, &events[1], TRACKED_DEFAULT));

    // [event.two_frames]: gone after the second, and the values end
    mica_step(world, 0);
    CHECK_TRACKED(&h.tracker, 3);
    mica_step(world, 0);
    CHECK_TRACKED(&h.tracker, 0);

    // [event.all_or_none]: where the k-th copy fails
    tracked several[3];
    for (int i = 0; i < 3; i++) {
        several[i] = tracked_make(&h.tracker, i);
    }
    for (uint32_t k = 1; k <= 4; k++) {
        h.tracker.until_failure = k;
        mica_result result = mica_send(world, MICA_VALUE(h.hit, Hit, 1),
                                       MICA_COPY_OF_ARRAY(h.copied, several), MICA_ADD(h.owned));
        h.tracker.until_failure = 0;
        check_refused(&h, MICA_ERROR_HOOK, result);
        CHECK_EQUAL(0, test_event_count(world, h.copied));
        CHECK_TRACKED(&h.tracker, 3);
    }

    // [event.send_fail]: MICA_ERROR_NULL, MICA_ERROR_TYPE, MICA_ERROR_MEMORY, MICA_ERROR_HOOK
    CHECK_EQUAL(MICA_ERROR_NULL, mica_send(NULL, MICA_ADD(h.hit)));
    check_refused(&h, MICA_ERROR_NULL, mica_send_values(world, NULL, 1));
    check_refused(&h, MICA_ERROR_TYPE,
                  mica_send(world, MICA_VALUE(h.hit, Hit, 1), MICA_ADD((mica_type){0})));
    static Hit many[10000];
    test_memory_fail_at(&h.t.memory, 1, TEST_MEMORY_ONWARDS);
    check_refused(&h, MICA_ERROR_MEMORY,
                  mica_send(world, MICA_ADD(h.hit), MICA_COPY_OF_ARRAY(h.hit, many)));
    test_memory_fail_at(&h.t.memory, 0, TEST_MEMORY_ONCE);
    mica_type hooked = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Hooked", .size = 4, .align = 4, .user = &h, .hooks.construct = act_in_hook});
    mica_spawn(world, MICA_ADD(hooked));
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(MICA_ERROR_HOOK, inside[i]);
    }
    CHECK_EQUAL(MICA_ERROR_HOOK, h.t.error.last.code);
    CHECK_EQUAL(3, test_error_clear(&h.t.error));

    // [event.send_fail]: MICA_ERROR_SIZE
    check_refused(&h, MICA_ERROR_SIZE, mica_send(world, MICA_ADD(h.hit), MICA_ADD(h.tag)));
    check_refused(&h, MICA_ERROR_SIZE,
                  mica_send_values(world, &(mica_value){h.hit, many, 3, 1, NULL}, 1));

    // [event.send_fail]: MICA_ERROR_LIMIT
    check_refused(
        &h, MICA_ERROR_LIMIT,
        mica_send_values(world, &(mica_value){h.hit, many, sizeof(Hit), UINT32_C(0x80000001), NULL},
                         1));

    // [event.send_fail]: MICA_ERROR_ARGUMENT, a value that cannot be copied, given twice
    check_refused(
        &h, MICA_ERROR_ARGUMENT,
        mica_send(world, MICA_COPY_OF(h.owned, several[0]), MICA_COPY_OF(h.owned, several[0])));
    CHECK_TRACKED(&h.tracker, 3);

    // [event.any_time]: not from handlers
    mica_world_set_error_handler(world, act_in_handler, &h);
    mica_despawn(world, (mica_entity){0});
    mica_world_set_error_handler(world, test_error_record, &h.t.error);
    CHECK_EQUAL(MICA_ERROR_HANDLER, inside[0]);
    CHECK_EQUAL(0, test_event_count(world, h.hit));

    // [event.declared]
    mica_system system = mica_system_add(
        world, &(mica_system_desc){.name = "careless", .update = send_undeclared, .user = &h});
    mica_step(world, 0);
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, inside[0]);
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, h.t.error.last.code);
    CHECK_EQUAL(2, test_error_clear(&h.t.error));
    mica_system_remove(world, system);

    // [event.recorded]
    mica_world *later = mica_world_later(world);
    Hit changing = {10};
    mica_send(later, MICA_COPY_OF(h.hit, changing));
    mica_defer_call(later, (mica_call_fn *)NULL, NULL, 0);
    CHECK_EQUAL(1, test_error_clear(&h.t.error));
    changing.damage = 11;
    mica_send(later, MICA_COPY_OF(h.hit, changing));
    changing.damage = 99;
    CHECK_EQUAL(0, test_event_count(later, h.hit));
    mica_commands_apply(world);
    mica_cursor fresh = {0};
    CHECK_EQUAL(2, read_all(&h, &fresh, 10));

    // [event.clear]
    mica_world_clear(world);
    CHECK_EQUAL(2, test_event_count(world, h.hit));

    // [event.any_time]: during iterations
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, all, &it);
    CHECK_EQUAL(MICA_OK, mica_send(world, MICA_VALUE(h.hit, Hit, 12)));
    CHECK_EQUAL(1, read_all(&h, &fresh, 12));
    mica_iter_end(&it);

    // [event.send_cost]: a frame like the last one asks for no memory
    for (int i = 0; i < 6; i++) {
        uint64_t allocations = h.t.memory.allocations;
        mica_send(world, MICA_COPY_OF_ARRAY(h.hit, many));
        CHECK(i < 2 || allocations == h.t.memory.allocations);
        mica_step(world, 0);
    }
    for (int i = 0; i < 3; i++) {
        tracked_drop(&h.tracker, &several[i]);
    }
    end(&h);
}

static uint32_t runs;

static void hear(mica_iter *it)
{
    hall *h = it->user;
    CHECK_EQUAL(1, test_event_count(it->world, h->hit));
    runs++;
}

PROMISE(mica_events)
{
    hall h;
    mica_world *world = begin(&h);
    mica_cursor early = {0};
    mica_cursor late = {0};
    uint32_t count = 7;

    // [event.read_end]: also where none was ever sent
    CHECK_POINTER(NULL, mica_events(world, h.hit, &early, &count));
    CHECK_EQUAL(0, count);

    // [event.read]: in the order they were sent in
    for (int32_t i = 0; i < 500; i++) {
        mica_send(world, MICA_VALUE(h.hit, Hit, i));
        if (i == 100) {
            CHECK_EQUAL(101, read_all(&h, &early, 0));
        }
    }
    CHECK_EQUAL(399, read_all(&h, &early, 101));

    // [cursor.copy]
    mica_cursor copy = early;
    mica_send(world, MICA_VALUE(h.hit, Hit, 500));
    CHECK_EQUAL(1, read_all(&h, &early, 500));
    CHECK_EQUAL(1, read_all(&h, &copy, 500));

    // [event.two_frames]: read in both; [event.once]: a new cursor
    mica_step(world, 0);
    mica_send(world, MICA_VALUE(h.hit, Hit, 501));
    CHECK_EQUAL(502, read_all(&h, &late, 0));
    CHECK_EQUAL(1, read_all(&h, &early, 501));

    // [event.stay]
    mica_step(world, 0);
    mica_step(world, 0);
    mica_send(world, MICA_VALUE(h.hit, Hit, 0));
    const Hit *kept = MICA_EVENTS(world, h.hit, Hit, &early, &count);
    REQUIRE(kept && count == 1);
    for (int32_t i = 1; i < 5000; i++) {
        mica_send(world, MICA_COPY_OF(h.hit, kept[0]));
    }
    mica_step(world, 0);
    mica_world_reclaim(world);
    mica_send(world, MICA_VALUE(h.hit, Hit, 1));
    CHECK_EQUAL(0, kept->damage);
    mica_cursor again = {0};
    CHECK_POINTER(kept, mica_events(world, h.hit, &again, &count));
    uint32_t read = 0;
    while (mica_events(world, h.hit, &early, &count)) {
        read += count;
    }
    CHECK_EQUAL(5000, read);
    CHECK_EQUAL(0, early.missed);

    // [cursor.missed]
    mica_step(world, 0);
    mica_step(world, 0);
    CHECK_EQUAL(0, test_event_count(world, h.hit));
    CHECK_POINTER(NULL, mica_events(world, h.hit, &late, &count));
    CHECK_EQUAL(5001, late.missed);
    mica_type never =
        mica_type_register(world, &(mica_type_desc){.name = "Never", .size = 4, .align = 4});
    mica_cursor waiting = {0};
    CHECK_POINTER(NULL, mica_events(world, never, &waiting, &count)); // none was ever sent
    mica_send(world, (mica_value){.type = never});
    mica_step(world, 0);
    mica_step(world, 0);
    CHECK_POINTER(NULL, mica_events(world, never, &waiting, &count));
    CHECK_EQUAL(1, waiting.missed);

    // [event.frame]
    mica_send(world, MICA_VALUE(h.hit, Hit, 1));
    mica_system failing =
        mica_system_add(world, &(mica_system_desc){.name = "failing", .update = fail});
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(world, 0));
    }
    CHECK_EQUAL(3, test_error_clear(&h.t.error));
    CHECK_EQUAL(1, test_event_count(world, h.hit));
    mica_system_remove(world, failing);

    // [event.fixed]
    mica_phase fixed = mica_phase_add(world, &(mica_phase_desc){.name = "fixed", .fixed_dt = 1});
    mica_system hearing =
        mica_system_add(world, &(mica_system_desc){.name = "hearing",
                                                   .update = hear,
                                                   .user = &h,
                                                   .phase = fixed,
                                                   .events = {{h.hit, MICA_READ}}});
    for (int i = 0; i < 8; i++) {
        CHECK_EQUAL(MICA_OK, mica_step(world, 0.25f));
    }
    CHECK_EQUAL(2, runs);
    CHECK_EQUAL(0, test_event_count(world, h.hit));
    mica_system_remove(world, hearing);

    // [event.read_cost]: it asks for nothing, and points to them
    mica_send(world, MICA_VALUE(h.hit, Hit, 1));
    uint64_t allocations = h.t.memory.allocations;
    CHECK(mica_events(world, h.hit, &early, &count));
    CHECK_EQUAL(allocations, h.t.memory.allocations);

    // [event.read_fail]
    CHECK_POINTER(NULL, mica_events(NULL, h.hit, &early, &count));
    CHECK_POINTER(NULL, mica_events(world, h.hit, NULL, &count));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    CHECK_POINTER(NULL, mica_events(world, h.hit, &early, NULL));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    count = 7;
    CHECK_POINTER(NULL, mica_events(world, (mica_type){0}, &early, &count));
    CHECK_REPORTED(&h.t, MICA_ERROR_TYPE);
    CHECK_EQUAL(0, count);
    mica_send(world, MICA_ADD(h.owned));
    CHECK_POINTER(NULL, mica_events(world, h.owned, &early, &count));
    CHECK_REPORTED(&h.t, MICA_ERROR_ARGUMENT);
    mica_send(world, MICA_VALUE(h.hit, Hit, 2));
    CHECK_EQUAL(1, read_all(&h, &early, 2)); // it is as it was
    end(&h);
}

static void check_size_of_mica_events(void)
{
    hall h;
    mica_world *world = begin(&h);
    mica_send(world, MICA_VALUE(h.hit, Hit, 1));

    // [event.read]: side by side
    mica_cursor cursor = {0};
    uint32_t count = 7;

    // [event.as]: the size
    CHECK_POINTER(NULL, mica_events_as(world, h.hit, 8, NULL, &cursor, &count));
    CHECK_REPORTED(&h.t, MICA_ERROR_SIZE);
    CHECK_EQUAL(0, count);
    CHECK(mica_events_as(world, h.hit, sizeof(Hit), NULL, &cursor, &count) != NULL);
    CHECK_EQUAL(1, count);
    end(&h);
}

PROMISE(mica_events_as)
{
    check_size_of_mica_events();
    hall h;
    mica_world *world = begin(&h);
    mica_send(world, MICA_VALUE(h.hit, Hit, 1));

    // [event.as]: the name
    mica_cursor cursor = {0};
    uint32_t count = 7;
    CHECK_POINTER(NULL, MICA_EVENTS(world, h.hit, Other, &cursor, &count));
    CHECK_REPORTED(&h.t, MICA_ERROR_C_TYPE);
    CHECK_EQUAL(0, count);
    mica_cursor copy = cursor;
    CHECK(MICA_EVENTS(world, h.hit, Hit, &cursor, &count) != NULL);
    CHECK(mica_events_as(world, h.hit, sizeof(Hit), NULL, &copy, &count) != NULL);
    CHECK_EQUAL(1, count);
    end(&h);
}

TESTS(event, promise_of_mica_send_values, promise_of_mica_events, promise_of_mica_events_as)
