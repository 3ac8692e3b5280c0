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

static mica_world *hall_begin(hall *h)
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

static void hall_end(hall *h)
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
    mica_world *world = hall_begin(&h);
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
    hall_end(&h);
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
    mica_world *world = hall_begin(&h);
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

    // [cursor.fail]: MICA_ERROR_NAME, MICA_ERROR_MEMORY when the name first reads
    mica_cursor named = {.name = ""};
    CHECK_POINTER(NULL, mica_events(world, h.hit, &named, &count));
    CHECK_REPORTED(&h.t, MICA_ERROR_NAME);
    named.name = "named";
    for (uint64_t k = 1; k < 3; k++) {
        test_memory_fail_at(&h.t.memory, k, TEST_MEMORY_ONCE);
        CHECK_POINTER(NULL, mica_events(world, h.hit, &named, &count));
        CHECK_REPORTED(&h.t, MICA_ERROR_MEMORY);
        CHECK_EQUAL(0, count);
    }
    test_memory_fail_at(&h.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK(mica_events(world, h.hit, &named, &count) != NULL);
    allocations = h.t.memory.allocations;
    while (mica_events(world, h.hit, &named, &count)) {
    }
    CHECK_EQUAL(allocations, h.t.memory.allocations);
    hall_end(&h);
}

TEST_WITH(hall, h, check_size_of_mica_events)
{
    mica_world *world = h->world;
    mica_send(world, MICA_VALUE(h->hit, Hit, 1));

    // [event.read]: side by side
    mica_cursor cursor = {0};
    uint32_t count = 7;

    // [event.as]: the size
    CHECK_POINTER(NULL, mica_events_as(world, h->hit, 8, NULL, &cursor, &count));
    CHECK_REPORTED(&h->t, MICA_ERROR_SIZE);
    CHECK_EQUAL(0, count);
    CHECK(mica_events_as(world, h->hit, sizeof(Hit), NULL, &cursor, &count) != NULL);
    CHECK_EQUAL(1, count);
}

PROMISE(mica_events_as)
{
    check_size_of_mica_events();
    hall h;
    mica_world *world = hall_begin(&h);
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
    hall_end(&h);
}

// Readers that are systems. Each step, `listener` reads with a function, and adds up what it gets.
typedef struct listener {
    hall *hall;
    uint32_t heard;   // in all
    int32_t last;     // the damage of the last one
    uint32_t answers; // that it sends while it reads
    mica_query query; // that it may iterate
} listener;

static void listen(mica_iter *it)
{
    listener *l = it->user;
    uint32_t count;
    for (const Hit *hit; (hit = MICA_UNREAD(it, l->hall->hit, Hit, &count)) != NULL;) {
        CHECK(count > 0);
        l->heard += count;
        l->last = hit[count - 1].damage;
        const Hit first = hit[0];
        for (; l->answers > 0; l->answers--) {
            mica_send(it->world, MICA_VALUE(l->hall->hit, Hit, 77));
        }
        CHECK_EQUAL(first.damage, hit[0].damage);
    }
    CHECK_EQUAL(0, count);
}

static void listen_once(mica_iter *it)
{
    listener *l = it->user;
    uint32_t count;
    const Hit *hit = mica_events_unread(it, l->hall->hit, &count);
    l->heard += count;
    l->last = hit ? hit[0].damage : l->last;
}

static bool listen_first(const mica_iter *it)
{
    const listener *l = it->user;
    uint32_t count;
    const Hit *hit = mica_events_unread(it, l->hall->hit, &count);
    return hit && hit[0].damage < 0;
}

static mica_system add_listener(listener *l, const char *name, mica_update_fn *update)
{
    return mica_system_add(
        l->hall->world,
        &(mica_system_desc){.name = name,
                            .update = update,
                            .user = l,
                            .events = {{l->hall->hit, MICA_READ}, {l->hall->hit, MICA_WRITE}}});
}

static void send_and_step(hall *h, int32_t damage)
{
    mica_send(h->world, MICA_VALUE(h->hit, Hit, damage));
    CHECK_EQUAL(MICA_OK, mica_step(h->world, 0));
}

static void read_wrongly(mica_iter *it)
{
    listener *l = it->user;
    hall *h = l->hall;
    uint32_t count = 7;

    // [event.unread_fail]: MICA_ERROR_TYPE, MICA_ERROR_NULL, MICA_ERROR_UNDECLARED
    CHECK_POINTER(NULL, mica_events_unread(it, (mica_type){0}, &count));
    CHECK_REPORTED(&h->t, MICA_ERROR_TYPE);
    CHECK_EQUAL(0, count);
    CHECK_POINTER(NULL, mica_events_unread(it, h->hit, NULL));
    CHECK_REPORTED(&h->t, MICA_ERROR_NULL);
    CHECK_POINTER(NULL, mica_events_unread(it, h->owned, &count));
    CHECK_REPORTED(&h->t, MICA_ERROR_UNDECLARED);

    // [event.unread_fail]: MICA_ERROR_ITERATOR, an iteration inside the system
    mica_iter own;
    mica_iter_begin(it->world, l->query, &own);
    CHECK_POINTER(NULL, mica_events_unread(&own, h->hit, &count));
    CHECK_REPORTED(&h->t, MICA_ERROR_ITERATOR);
    mica_iter_end(&own);

    // [event.unread_as]
    CHECK_POINTER(NULL, mica_events_unread_as(it, h->hit, 8, NULL, &count));
    CHECK_REPORTED(&h->t, MICA_ERROR_SIZE);
    CHECK_POINTER(NULL, MICA_UNREAD(it, h->hit, Other, &count));
    CHECK_REPORTED(&h->t, MICA_ERROR_C_TYPE);
    CHECK(mica_events_unread_as(it, h->hit, sizeof(Hit), NULL, &count) != NULL);
    CHECK_EQUAL(1, count);
    l->heard += count;
}

static const mica_iter *listening; // the system's own, for what runs inside it

static mica_result read_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    hall *h = context->user;
    mica_cursor named = {.name = "named"};
    uint32_t events;
    memset(target, 0, 4 * (size_t)count);
    CHECK_POINTER(NULL, mica_events_unread(listening, h->hit, &events));
    CHECK_POINTER(NULL, mica_events(h->world, h->hit, &named, &events));
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_cursor_remove(h->world, "named"));
    return MICA_OK;
}

static mica_type hooked;

static void send_hooked(mica_iter *it)
{
    const listener *l = it->user;
    listening = it;
    CHECK_EQUAL(MICA_OK, mica_send(it->world, MICA_ADD(hooked)));
    CHECK_EQUAL(MICA_ERROR_HOOK, l->hall->t.error.last.code);
    CHECK_EQUAL(3, test_error_clear(&l->hall->t.error));
}

static void read_in_handler(mica_world *world, const mica_error *error, void *user)
{
    hall *h = user;
    uint32_t count;
    (void)world, (void)error;
    inside[0] = mica_events_unread(listening, h->hit, &count) ? MICA_OK : MICA_ERROR_HANDLER;
    mica_cursor named = {.name = "named"};
    inside[1] = mica_events(h->world, h->hit, &named, &count) ? MICA_OK : MICA_ERROR_HANDLER;
    inside[2] = mica_cursor_remove(h->world, "named");
    mica_cursor plain = {0};
    CHECK(mica_events(h->world, h->hit, &plain, &count) != NULL);
}

static void read_inside(mica_iter *it)
{
    const listener *l = it->user;
    listening = it;
    mica_world_set_error_handler(it->world, read_in_handler, l->hall);
    CHECK(mica_despawn(it->world, (mica_entity){0}) != MICA_OK);
    mica_world_set_error_handler(it->world, test_error_record, &l->hall->t.error);
}

PROMISE(mica_events_unread)
{
    hall h;
    mica_world *world = hall_begin(&h);
    listener a = {.hall = &h};
    listener b = {.hall = &h};
    mica_system first = add_listener(&a, "first", listen);
    CHECK_EQUAL(MICA_OK, mica_step(world, 0)); // [event.unread_end]: none was ever sent
    CHECK_EQUAL(0, a.heard);

    // [event.unread]: in the order of sending, each once
    for (int32_t i = 1; i <= 300; i++) {
        mica_send(world, MICA_VALUE(h.hit, Hit, i));
    }
    send_and_step(&h, 301);
    CHECK_EQUAL(301, a.heard);
    CHECK_EQUAL(301, a.last);

    // [event.once]: a new reader gets all events of both frames
    mica_system second = add_listener(&b, "second", listen);
    send_and_step(&h, 302);
    CHECK_EQUAL(302, a.heard);
    CHECK_EQUAL(302, b.heard);

    // [event.unread_stay]
    a.answers = 3000;
    send_and_step(&h, 303);
    CHECK_EQUAL(3303, a.heard);
    CHECK_EQUAL(77, a.last);
    CHECK_EQUAL(3303, b.heard);

    // [event.unread_new]: removed and added again
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, second));
    second = add_listener(&b, "second", listen);
    CHECK_EQUAL(MICA_OK, mica_step(world, 0));
    CHECK_EQUAL(3303, a.heard);
    CHECK_EQUAL(3303 + 3001, b.heard);

    // [event.unread_cost]
    send_and_step(&h, 1);
    send_and_step(&h, 1);
    uint64_t allocations = h.t.memory.allocations;
    send_and_step(&h, 1);
    CHECK_EQUAL(allocations, h.t.memory.allocations);

    // [event.unread_functions]: `when`, `begin`, `update` and `end`
    mica_system_remove(world, first);
    mica_system_remove(world, second);
    mica_step(world, 0);
    mica_step(world, 0);
    listener all = {.hall = &h};
    mica_system functions =
        mica_system_add(world, &(mica_system_desc){.name = "functions",
                                                   .when = listen_first,
                                                   .begin = listen_once,
                                                   .update = listen,
                                                   .end = listen_once,
                                                   .user = &all,
                                                   .events = {{h.hit, MICA_READ}}});
    send_and_step(&h, 1); // `when` has read it
    CHECK_EQUAL(0, all.heard);
    send_and_step(&h, 11);
    CHECK_EQUAL(0, all.heard);
    mica_system_remove(world, functions);

    // [event.unread_fail]
    mica_step(world, 0);
    mica_step(world, 0);
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true});
    a.query = query;
    mica_system wrong = mica_system_add(world, &(mica_system_desc){.name = "wrong",
                                                                   .update = read_wrongly,
                                                                   .user = &a,
                                                                   .queries = {query},
                                                                   .events = {{h.hit, MICA_READ}}});
    a.heard = 0;
    send_and_step(&h, 5);
    CHECK_EQUAL(1, a.heard); // what failed has read nothing
    mica_system_remove(world, wrong);

    // [event.unread_fail]: MICA_ERROR_NULL, MICA_ERROR_ITERATOR
    uint32_t count = 7;
    CHECK_POINTER(NULL, mica_events_unread(NULL, h.hit, &count));
    CHECK_EQUAL(0, count);
    mica_iter it = {0};
    CHECK_POINTER(NULL, mica_events_unread(&it, h.hit, &count));
    mica_iter_begin(world, query, &it);
    CHECK_POINTER(NULL, mica_events_unread(&it, h.hit, &count));
    CHECK_REPORTED(&h.t, MICA_ERROR_ITERATOR);
    mica_iter_end(&it);

    // [event.any_time]: in error handlers, only plain cursors work
    mica_system nested = mica_system_add(
        world,
        &(mica_system_desc){
            .name = "nested", .update = read_inside, .user = &a, .events = {{h.hit, MICA_READ}}});
    send_and_step(&h, 5);
    CHECK_EQUAL(MICA_ERROR_HANDLER, inside[0]);
    CHECK_EQUAL(MICA_ERROR_HANDLER, inside[1]);
    CHECK_EQUAL(MICA_ERROR_HANDLER, inside[2]);
    mica_system_remove(world, nested);

    // [event.any_time], [event.unread_fail]: MICA_ERROR_HOOK
    hooked = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Hooked", .size = 4, .align = 4, .user = &h, .hooks.construct = read_in_hook});
    mica_system_add(world,
                    &(mica_system_desc){.name = "hooked",
                                        .update = send_hooked,
                                        .user = &a,
                                        .events = {{h.hit, MICA_READ}, {hooked, MICA_WRITE}}});
    send_and_step(&h, 5);
    hall_end(&h);
}

PROMISE(mica_events_unread_as)
{
    // [event.unread_as], [event.unread_fail]: read_wrongly()
    hall h;
    mica_world *world = hall_begin(&h);
    listener a = {.hall = &h};
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true});
    a.query = query;
    mica_system_add(world, &(mica_system_desc){.name = "wrong",
                                               .update = read_wrongly,
                                               .user = &a,
                                               .queries = {query},
                                               .events = {{h.hit, MICA_READ}}});
    send_and_step(&h, 5);
    CHECK_EQUAL(1, a.heard);
    hall_end(&h);
}

static uint32_t read_named(hall *h, const char *name, int32_t expected)
{
    mica_cursor cursor = {.name = name};
    return read_all(h, &cursor, expected);
}

PROMISE(mica_cursor_remove)
{
    hall h;
    mica_world *world = hall_begin(&h);
    for (int32_t i = 0; i < 4; i++) {
        mica_send(world, MICA_VALUE(h.hit, Hit, i));
    }

    // [cursor.named]: one reader, wherever its cursors are; [cursor.new]
    CHECK_EQUAL(4, read_named(&h, "hud", 0));
    CHECK_EQUAL(0, read_named(&h, "hud", 4));
    CHECK_EQUAL(4, read_named(&h, "log", 0));
    mica_send(world, MICA_VALUE(h.hit, Hit, 4));
    char name[] = "hud";
    mica_cursor hud = {.name = name};
    CHECK_EQUAL(1, read_all(&h, &hud, 4));
    CHECK_EQUAL(0, hud.missed);

    // [cursor.named]: for each type
    uint32_t count;
    mica_send(world, MICA_ADD(h.owned));
    CHECK(mica_events(world, h.owned, &hud, &count) != NULL);
    CHECK_POINTER(NULL, mica_events(world, h.owned, &hud, &count));

    // [cursor.missed]
    mica_step(world, 0);
    mica_step(world, 0);
    mica_cursor log = {.name = "log"};
    CHECK_POINTER(NULL, mica_events(world, h.hit, &log, &count));
    CHECK_EQUAL(1, log.missed);
    log.missed = 9;
    CHECK_POINTER(NULL, mica_events(world, h.hit, &log, &count));
    CHECK_EQUAL(1, log.missed); // the world has it

    // [cursor.remove]: for all types
    uint64_t digest = mica_world_digest(world);
    mica_send(world, MICA_VALUE(h.hit, Hit, 5), MICA_ADD(h.owned));
    CHECK_EQUAL(1, read_named(&h, "hud", 5));
    CHECK(mica_events(world, h.owned, &hud, &count) != NULL);
    CHECK_EQUAL(MICA_OK, mica_cursor_remove(world, "hud"));
    CHECK(digest != mica_world_digest(world));
    CHECK_EQUAL(1, read_named(&h, "hud", 5));
    CHECK(mica_events(world, h.owned, &hud, &count) != NULL);
    CHECK_EQUAL(0, hud.missed);
    CHECK_EQUAL(1, read_named(&h, "log", 5)); // the other stays

    // [cursor.none]
    digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_OK, mica_cursor_remove(world, "none"));
    CHECK_EQUAL(digest, mica_world_digest(world));

    // [event.clear]
    CHECK_EQUAL(MICA_OK, mica_world_clear(world));
    CHECK_EQUAL(0, read_named(&h, "hud", 6));

    // [cursor.remove_fail], [cursor.fail]: MICA_ERROR_HANDLER, _HOOK: promise_of_mica_events_unread()
    CHECK_EQUAL(MICA_ERROR_NULL, mica_cursor_remove(NULL, "hud"));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_cursor_remove(world, NULL));
    CHECK_REPORTED(&h.t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_ERROR_NAME, mica_cursor_remove(world, ""));
    CHECK_REPORTED(&h.t, MICA_ERROR_NAME);
    hall_end(&h);
}

// What a world has that reads events of a saved type: a system and a named cursor.
static mica_type begin_saved(hall *h, listener *l)
{
    *l = (listener){.hall = h};
    hall_begin(h);
    mica_type_desc desc = MICA_DESCRIBE(Hit, damage);
    desc.name = "Saved";
    desc.saved = true;
    h->hit = mica_type_register(h->world, &desc);
    add_listener(l, "listener", listen_once);
    return h->hit;
}

// [reader.state]: a world that is loaded reads on where the saved one was
static void check_readers_are_saved(mica_image_format format)
{
    hall saved, loaded;
    listener a, b;
    mica_buffer image = {0};
    begin_saved(&saved, &a);
    send_and_step(&saved, 1);
    mica_send(saved.world, MICA_VALUE(saved.hit, Hit, 2));
    CHECK_EQUAL(2, read_named(&saved, "hud", 1));
    REQUIRE_EQUAL(MICA_OK, mica_world_save(saved.world, &(mica_stream){.buffer = &image},
                                           &(mica_save_desc){.format = format}));
    begin_saved(&loaded, &b);
    const mica_stream stream = {.data = image.data, .size = image.size};
    send_and_step(&loaded, 5); // this world has read another
    read_named(&loaded, "gone", 5);
    REQUIRE_EQUAL(MICA_OK, mica_world_load(loaded.world, &stream, NULL));
    CHECK_EQUAL(mica_world_digest(saved.world), mica_world_digest(loaded.world));
    b.heard = 0;
    a.heard = 0;
    send_and_step(&saved, 3);
    send_and_step(&loaded, 3);
    CHECK_EQUAL(2, a.heard);
    CHECK_EQUAL(2, b.heard);
    CHECK_EQUAL(1, read_named(&saved, "hud", 3));
    CHECK_EQUAL(1, read_named(&loaded, "hud", 3));
    CHECK_EQUAL(2, read_named(&saved, "gone", 2));
    CHECK_EQUAL(2, read_named(&loaded, "gone", 2)); // a new reader, since the image has none
    CHECK_EQUAL(mica_world_digest(saved.world), mica_world_digest(loaded.world));
    mica_buffer_free(&image);
    hall_end(&saved);
    hall_end(&loaded);
}

// [event.unread_new]: a system that the image does not have is a new reader; those that are added after loading read on
static void check_readers_are_found_later(void)
{
    hall saved, loaded;
    listener a, b;
    mica_buffer image = {0};
    begin_saved(&saved, &a);
    send_and_step(&saved, 1);
    REQUIRE_EQUAL(MICA_OK, mica_world_save(saved.world, &(mica_stream){.buffer = &image}, NULL));
    begin_saved(&loaded, &b);
    mica_system_remove(loaded.world, mica_system_find(loaded.world, "listener"));
    const mica_stream stream = {.data = image.data, .size = image.size};
    REQUIRE_EQUAL(MICA_OK, mica_world_load(loaded.world, &stream, NULL));
    CHECK_EQUAL(mica_world_digest(saved.world), mica_world_digest(loaded.world));
    listener other = {.hall = &loaded};
    add_listener(&b, "listener", listen_once);
    add_listener(&other, "other", listen_once);
    CHECK_EQUAL(mica_world_digest(saved.world), mica_world_digest(loaded.world));
    CHECK_EQUAL(MICA_OK, mica_step(loaded.world, 0));
    CHECK_EQUAL(0, b.heard);
    CHECK_EQUAL(1, other.heard);
    mica_buffer_free(&image);
    hall_end(&saved);
    hall_end(&loaded);
}

static void readers_are_part_of_images(void)
{
    check_readers_are_saved(MICA_IMAGE_BINARY);
    check_readers_are_saved(MICA_IMAGE_JSON);
    check_readers_are_found_later();
}

// Without memory, nothing changes.
static void restore(hall *h, mica_snapshot snapshot)
{
    mica_result result = MICA_ERROR_MEMORY;
    uint64_t before = mica_world_digest(h->world);
    for (uint64_t k = 1; result; k++) {
        test_memory_fail_at(&h->t.memory, k, TEST_MEMORY_ONCE);
        result = mica_snapshot_restore(h->world, snapshot);
        test_memory_fail_at(&h->t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            CHECK_EQUAL(MICA_ERROR_MEMORY, result);
            CHECK_REPORTED(&h->t, MICA_ERROR_MEMORY);
            CHECK_EQUAL(before, mica_world_digest(h->world));
            CHECK_EQUAL(MICA_OK, mica_world_validate(h->world));
        }
    }
}

// Without types that have hooks, which a world with snapshots may not have.
static void readers_are_part_of_snapshots(void)
{
    hall h = {0};
    listener a = {.hall = &h};
    listener b = {.hall = &h};
    mica_cursor plain = {0};
    h.world = test_world_begin(&h.t);
    h.hit = MICA_REGISTER(h.world, Hit, damage);
    add_listener(&a, "listener", listen_once);
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(h.world, NULL));
    mica_snapshot empty = mica_snapshot_take(h.world);
    send_and_step(&h, 1);
    mica_send(h.world, MICA_VALUE(h.hit, Hit, 2));
    CHECK_EQUAL(2, read_named(&h, "hud", 1));
    CHECK_EQUAL(2, read_all(&h, &plain, 1));
    uint64_t digest = mica_world_digest(h.world);
    mica_snapshot snapshot = mica_snapshot_take(h.world);
    for (int i = 0; i < 3; i++) {
        a.heard = 0;
        send_and_step(&h, 3);

        // [reader.state]: as the first time
        CHECK_EQUAL(2, a.heard);
        CHECK_EQUAL(1, read_named(&h, "hud", 3));
        CHECK_EQUAL(2, read_named(&h, "new", 2));

        // [cursor.plain]: it has read this one the first time
        CHECK_EQUAL(i == 0 ? 1 : 0, read_all(&h, &plain, 3));
        if (i == 1) {
            mica_cursor_remove(h.world, "hud");
            add_listener(&b, "later", listen);
        }
        send_and_step(&h, 4);
        restore(&h, snapshot);
        CHECK_EQUAL(digest, mica_world_digest(h.world));
        CHECK_EQUAL(MICA_OK, mica_world_validate(h.world));
    }
    CHECK_EQUAL(3 + 4, b.heard); // a new reader again after the restore
    REQUIRE_EQUAL(MICA_OK, mica_snapshot_restore(h.world, empty));
    CHECK_EQUAL(MICA_OK, mica_world_validate(h.world));
    mica_send(h.world, MICA_VALUE(h.hit, Hit, 9));
    CHECK_EQUAL(1, read_named(&h, "hud", 9));
    test_world_end(&h.t);
}

TESTS(event, promise_of_mica_send_values, promise_of_mica_events, promise_of_mica_events_as,
      promise_of_mica_events_unread, promise_of_mica_events_unread_as,
      promise_of_mica_cursor_remove, readers_are_part_of_images, readers_are_part_of_snapshots)
