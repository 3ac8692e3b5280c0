// What mica/time.h promises.
#include "promise.h"

#include <time.h>

#include "unit/tracked.h"

typedef struct Young {
    float x, y;
} Young;

typedef struct Place {
    float x, y;
} Place;

// A world on which time has begun, with a few entities.
typedef struct fleet {
    test_world t;
    mica_world *world;
    mica_type place, speed, tag;
    mica_entity ships[4];
} fleet;

static mica_world *prepare(fleet *f)
{
    f->world = test_world_begin(&f->t);
    f->place = MICA_REGISTER(f->world, Place, x, y);
    mica_type_desc desc = MICA_DESCRIBE(Place, x, y);
    desc.name = "Speed";
    desc.storage = MICA_SPARSE;
    f->speed = mica_type_register(f->world, &desc);
    f->tag = MICA_TAG(f->world, Tag);
    for (int i = 0; i < 4; i++) {
        f->ships[i] = mica_spawn(f->world, MICA_VALUE(f->place, Place, (float)i, 0));
    }
    return f->world;
}

static mica_world *begin(fleet *f, const mica_time_desc *desc)
{
    prepare(f);
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(f->world, desc));
    return f->world;
}

static void end(fleet *f)
{
    test_world_end(&f->t);
}

static float x_of(const fleet *f, int ship)
{
    const Place *place = mica_get(f->world, f->ships[ship], f->place);
    return place ? place->x : -1;
}

static void put(const fleet *f, int ship, float x)
{
    REQUIRE_EQUAL(MICA_OK, mica_set(f->world, f->ships[ship], MICA_VALUE(f->place, Place, x, 0)));
}

static mica_snapshot take(const fleet *f)
{
    mica_snapshot snapshot = mica_snapshot_take(f->world);
    REQUIRE(!MICA_IS_NONE(snapshot));
    return snapshot;
}

static void check_refused(fleet *f, mica_result code, mica_result result, uint64_t digest)
{
    CHECK_EQUAL(code, result);
    CHECK_REPORTED(&f->t, code);
    CHECK_EQUAL(digest, mica_world_digest(f->world));
}

static void check_not_taken(fleet *f, mica_result code, mica_world *world)
{
    mica_time_stats before = mica_time_get_stats(f->world);
    CHECK(MICA_IS_NONE(mica_snapshot_take(world)));
    CHECK_REPORTED(&f->t, code);
    CHECK_EQUAL(before.taken, mica_time_get_stats(f->world).taken);
}

// Where snapshots are refused. `call` is one of the calls of time; it returns its result.
typedef mica_result call_fn(fleet *f, mica_world *world);

static struct {
    fleet *fleet;
    call_fn *call;
    mica_result result;
} inside;

static mica_result call_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)context;
    memset(target, 0, 4 * (size_t)count);
    inside.result = inside.call(inside.fleet, inside.fleet->world);
    return MICA_OK;
}

static void call_in_handler(mica_world *world, const mica_error *error, void *user)
{
    (void)error, (void)user;
    inside.result = inside.call(inside.fleet, world);
}

static void call_in_system(mica_iter *it)
{
    (void)it;
    inside.result = inside.call(inside.fleet, inside.fleet->world);
}

static void call_in_observer(const mica_observer_event *h)
{
    inside.result = inside.call(inside.fleet, h->world);
}

static void check_inside(fleet *f, mica_result code)
{
    CHECK_EQUAL(code, inside.result);
    CHECK_REPORTED(&f->t, code);
}

// Checks that a call is refused wherever taking a snapshot is.
static void check_refused_inside(fleet *f, call_fn *call)
{
    mica_world *world = f->world;
    inside.fleet = f;
    inside.call = call;

    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, all, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, call(f, world));
    CHECK_REPORTED(&f->t, MICA_ERROR_ITERATING);
    mica_iter_end(&it);

    CHECK_EQUAL(MICA_ERROR_RECORDING, call(f, mica_world_later(world)));
    CHECK_REPORTED(&f->t, MICA_ERROR_RECORDING);

    mica_world *commands = mica_commands_new(world);
    mica_entity entity = mica_spawn_values(commands, NULL, 0); // reserved
    CHECK_EQUAL(MICA_ERROR_ITERATING, call(f, world));
    CHECK_REPORTED(&f->t, MICA_ERROR_ITERATING);
    mica_commands_apply(commands);
    mica_commands_free(commands);
    mica_add(mica_world_later(world), entity, f->tag); // waits
    CHECK_EQUAL(MICA_ERROR_ITERATING, call(f, world));
    CHECK_REPORTED(&f->t, MICA_ERROR_ITERATING);
    mica_commands_apply(world);
    mica_despawn(world, entity);

    mica_system system =
        mica_system_add(world, &(mica_system_desc){.name = "calling", .update = call_in_system});
    mica_step(world, 0);
    check_inside(f, MICA_ERROR_ITERATING);
    mica_system_remove(world, system);

    mica_observer observer = mica_observer_new(
        world,
        &(mica_observer_desc){.type = f->tag, .events = MICA_ON_ADD, .call = call_in_observer});
    mica_add(world, f->ships[3], f->tag);
    check_inside(f, MICA_ERROR_ITERATING);
    mica_observer_free(world, observer);
    mica_remove(world, f->ships[3], f->tag);

    mica_world_set_error_handler(world, call_in_handler, NULL);
    mica_despawn(world, (mica_entity){0});
    mica_world_set_error_handler(world, test_error_record, &f->t.error);
    CHECK_EQUAL(MICA_ERROR_HANDLER, inside.result);
}

static mica_result call_take(fleet *f, mica_world *world)
{
    (void)f;
    uint32_t calls = f->t.error.calls;
    mica_snapshot snapshot = mica_snapshot_take(world);
    CHECK(MICA_IS_NONE(snapshot));
    return calls < f->t.error.calls ? f->t.error.last.code : MICA_ERROR_HANDLER;
}

// The newest snapshot.
static mica_snapshot newest(const fleet *f)
{
    return mica_snapshot_previous(f->world, (mica_snapshot){0});
}

static mica_result call_begin(fleet *f, mica_world *world)
{
    (void)f;
    return mica_time_begin(world, NULL);
}

static mica_result call_verify(fleet *f, mica_world *world)
{
    (void)f;
    return mica_time_verify(world);
}

static mica_result call_end(fleet *f, mica_world *world)
{
    (void)f;
    return mica_time_end(world);
}

static mica_result call_restore(fleet *f, mica_world *world)
{
    return mica_snapshot_restore(world, newest(f));
}

// [time.gap]: old snapshots are as far apart as they may be, and then the oldest go
static void check_gaps(fleet *f)
{
    enum { GAP = 16, COUNT = 1000 };
    const mica_time_desc desc = {.budget = 16384, .thin = true, .dense = 1, .gap = GAP};
    mica_snapshot taken[COUNT];
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(f->world, &desc));
    for (int i = 0; i < COUNT; i++) {
        put(f, 0, (float)i);
        taken[i] = take(f);
    }
    int last = -1;
    int widest = 0;
    for (int i = 0; i < COUNT; i++) {
        if (mica_snapshot_is_kept(f->world, taken[i])) {
            widest = last >= 0 && i - last > widest ? i - last : widest;
            last = i;
        }
    }
    CHECK_EQUAL(GAP, widest);
    CHECK_EQUAL(COUNT - 1, last);
    CHECK(!mica_snapshot_is_kept(f->world, taken[0]));
    CHECK(mica_time_get_stats(f->world).snapshots > 2);
    CHECK(mica_time_get_stats(f->world).log_bytes <= desc.budget);
    mica_time_end(f->world);
}

PROMISE(mica_time_begin)
{
    fleet f;
    mica_world *world = prepare(&f);

    // [time.not_begun]
    check_not_taken(&f, MICA_ERROR_TIME, world);

    // [time.begin_fail]: what is wrong with the arguments
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_time_begin(NULL, NULL));
    check_refused(&f, MICA_ERROR_DESC, mica_time_begin(world, &(mica_time_desc){.first_zero = 1}),
                  digest);
    check_refused(&f, MICA_ERROR_DESC, mica_time_begin(world, &(mica_time_desc){.last_zero = 1}),
                  digest);
    check_refused(&f, MICA_ERROR_ARGUMENT, mica_time_begin(world, &(mica_time_desc){.thin = true}),
                  digest);
    check_refused(&f, MICA_ERROR_ARGUMENT,
                  mica_time_begin(world, &(mica_time_desc){.fail_when_full = true}), digest);
    check_refused(&f, MICA_ERROR_ARGUMENT,
                  mica_time_begin(world, &(mica_time_desc){.budget = 99, .gap = 9}), digest);
    check_refused(&f, MICA_ERROR_ARGUMENT,
                  mica_time_begin(
                      world, &(mica_time_desc){.budget = 99, .thin = true, .fail_when_full = true}),
                  digest);

    // [time.begin_fail]: where it is called, and memory
    check_refused_inside(&f, call_begin);
    digest = mica_world_digest(world);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t which = 1; result; which++) {
        test_memory_fail_at(&f.t.memory, which, TEST_MEMORY_ONCE);
        result = mica_time_begin(world, NULL);
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            check_refused(&f, MICA_ERROR_MEMORY, result, digest);
            CHECK(!mica_time_get_stats(world).begun);
        }
    }

    // [time.begin], [time.defaults]: NULL is all zero
    mica_time_stats stats = mica_time_get_stats(world);
    CHECK(stats.begun && stats.mirror_bytes >= 4 * (sizeof(mica_entity) + sizeof(Place)));
    CHECK_EQUAL(digest, mica_world_digest(world));

    // [time.begun]
    check_refused(&f, MICA_ERROR_TIME, mica_time_begin(world, NULL), digest);

    // [time.begin_cost]: the mirror grows with the world
    mica_time_end(world);
    for (int i = 0; i < 1000; i++) {
        mica_spawn(world, MICA_VALUE(f.place, Place, 1, 1));
    }
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(world, &(mica_time_desc){0}));
    CHECK(mica_time_get_stats(world).mirror_bytes >= 1000 * (sizeof(mica_entity) + sizeof(Place)));
    mica_time_end(world);
    check_gaps(&f);

    // [time.hooks]
    mica_type_register(
        world, &(mica_type_desc){
                   .name = "Hooked", .size = 4, .align = 4, .hooks.construct = call_in_hook});
    CHECK_EQUAL(MICA_OK, mica_time_begin(world, NULL)); // values that are made are bytes
    mica_time_end(world);
    digest = mica_world_digest(world);
    tracker hooks;
    tracker_begin(&hooks);
    mica_type_desc owned = tracked_desc(&hooks, "Tracked", true);
    mica_type_register(world, &owned);
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_time_begin(world, NULL));
    CHECK_ERROR(&f.t, MICA_ERROR_TYPE,
                "mica_time_begin: 'Tracked' has hooks that copy, move or destroy values; snapshots "
                "keep only bytes");
    end(&f);
}

PROMISE(mica_time_end)
{
    fleet f;
    mica_world *world = begin(&f, NULL);
    uint64_t digest = mica_world_digest(world);
    mica_snapshot snapshot = take(&f);
    check_refused_inside(&f, call_end);

    // [time.end]
    CHECK_EQUAL(MICA_OK, mica_time_end(world));
    CHECK(!mica_time_get_stats(world).begun);
    CHECK(!mica_snapshot_is_kept(world, snapshot));

    // [time.end_fail]
    digest = mica_world_digest(world);
    check_refused(&f, MICA_ERROR_TIME, mica_time_end(world), digest);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_time_end(NULL));
    CHECK_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    end(&f);
}

PROMISE(mica_time_include)
{
    fleet f;
    mica_world *world = begin(&f, NULL);
    int scores[2] = {1, 2};
    int other = 7;
    mica_snapshot before = take(&f);

    // [time.include]
    CHECK_EQUAL(MICA_OK, mica_time_include(world, scores, sizeof scores, "scores"));
    mica_snapshot with = take(&f);
    scores[0] = 5;
    mica_snapshot later = take(&f);
    scores[1] = 6;
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, later));
    CHECK(scores[0] == 5 && scores[1] == 2);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, with));
    CHECK(scores[0] == 1 && scores[1] == 2);

    // [time.include_fail]
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_time_include(NULL, &other, 4, "other"));
    check_refused(&f, MICA_ERROR_NULL, mica_time_include(world, NULL, 4, "other"), digest);
    check_refused(&f, MICA_ERROR_NAME, mica_time_include(world, &other, 4, ""), digest);
    check_refused(&f, MICA_ERROR_NULL, mica_time_include(world, &other, 4, NULL), digest);
    check_refused(&f, MICA_ERROR_ARGUMENT, mica_time_include(world, &other, 0, "other"), digest);
    check_refused(&f, MICA_ERROR_LIMIT, mica_time_include(world, &other, UINT32_MAX, "other"),
                  digest);
    check_refused(&f, MICA_ERROR_ARGUMENT, mica_time_include(world, &scores[1], 4, "other"),
                  digest);
    for (uint64_t which = 1; which <= 2; which++) { // the list has no space, then the name
        test_memory_fail_at(&f.t.memory, which, TEST_MEMORY_ONCE);
        mica_result result = mica_time_include(world, &other, 4, "other");
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            check_refused(&f, MICA_ERROR_MEMORY, result, digest);
        } else {
            CHECK_EQUAL(MICA_OK, mica_time_exclude(world, &other));
        }
    }

    // [time.include_later]
    scores[0] = 9;
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, before));
    CHECK_EQUAL(9, scores[0]);
    mica_time_end(world);
    CHECK_EQUAL(MICA_ERROR_TIME, mica_time_include(world, &other, 4, "other"));
    CHECK_REPORTED(&f.t, MICA_ERROR_TIME);
    end(&f);
}

PROMISE(mica_time_exclude)
{
    fleet f;
    mica_world *world = begin(&f, NULL);
    int scores[2] = {1, 2};
    CHECK_EQUAL(MICA_OK, mica_time_include(world, scores, sizeof scores, "scores"));
    mica_snapshot with = take(&f);

    // [time.include_fail]
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_time_exclude(NULL, scores));
    check_refused(&f, MICA_ERROR_NULL, mica_time_exclude(world, NULL), digest);
    check_refused(&f, MICA_ERROR_ARGUMENT, mica_time_exclude(world, &scores[1]), digest);
    check_refused(&f, MICA_ERROR_ARGUMENT, mica_time_exclude(world, &f), digest);

    // [time.exclude]: what was excluded is never written, even if it is included again
    CHECK_EQUAL(MICA_OK, mica_time_exclude(world, scores));
    scores[0] = 3;
    CHECK_EQUAL(MICA_OK, mica_time_include(world, scores, sizeof scores, "scores"));
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, with));
    CHECK_EQUAL(3, scores[0]);
    CHECK_EQUAL(MICA_OK, mica_time_exclude(world, scores));
    check_refused(&f, MICA_ERROR_ARGUMENT, mica_time_exclude(world, scores), digest);
    mica_time_end(world);
    CHECK_EQUAL(MICA_ERROR_TIME, mica_time_exclude(world, scores));
    CHECK_REPORTED(&f.t, MICA_ERROR_TIME);
    end(&f);
}

PROMISE(mica_snapshot_take)
{
    fleet f;
    mica_world *world = begin(&f, NULL);

    // [take.digest]
    uint64_t digest = mica_world_digest(world);
    mica_snapshot snapshot = take(&f);
    CHECK_EQUAL(digest, mica_world_digest(world));

    // [take.state]
    put(&f, 0, 5);
    mica_despawn(world, f.ships[1]);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshot));
    CHECK(x_of(&f, 0) == 0 && x_of(&f, 1) == 1);
    CHECK_EQUAL(digest, mica_world_digest(world));

    // [take.cost]: a value was written, so its page is copied
    for (int i = 0; i < 5000; i++) {
        mica_spawn(world, MICA_VALUE(f.speed, Place, 1, 1));
    }
    CHECK_EQUAL(MICA_OK, mica_time_end(world));
    CHECK_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    snapshot = take(&f);
    mica_world_tick(world);
    snapshot = take(&f);
    CHECK(mica_time_get_stats(world).changed_bytes < 300); // the tick, and what else is small
    put(&f, 0, 5);
    snapshot = take(&f);
    CHECK(mica_time_get_stats(world).changed_bytes < 300 + 4 * sizeof(Place) + 64);

    // [take.refused]
    check_refused_inside(&f, call_take);

    // [take.fail]: memory, at any point
    digest = mica_world_digest(world);
    mica_time_stats stats = mica_time_get_stats(world);
    for (int ship = 0; ship < 4; ship++) {
        mica_set(world, f.ships[ship], MICA_VALUE(f.speed, Place, 1, 1));
    }
    digest = mica_world_digest(world);
    for (uint64_t which = 1; stats.taken == mica_time_get_stats(world).taken; which++) {
        test_memory_fail_at(&f.t.memory, which, TEST_MEMORY_ONCE);
        mica_snapshot last = mica_snapshot_take(world);
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        if (MICA_IS_NONE(last)) {
            CHECK_REPORTED(&f.t, MICA_ERROR_MEMORY);
            CHECK_EQUAL(digest, mica_world_digest(world));
            CHECK_EQUAL(snapshot.bits, newest(&f).bits);
        }
    }
    put(&f, 0, 77);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, newest(&f)));
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshot));
    CHECK(!mica_has(world, f.ships[0], f.speed));

    // [take.fail]: the budget
    CHECK_EQUAL(MICA_OK, mica_time_end(world));
    CHECK_EQUAL(MICA_OK, mica_time_begin(
                             world, &(mica_time_desc){.budget = 1 << 12, .fail_when_full = true}));
    (void)take(&f);
    mica_world_tick(world);
    mica_query speeds = mica_query_new(world, &(mica_query_desc){.terms = {{f.speed, MICA_WRITE}}});
    mica_iter it;
    mica_iter_begin(world, speeds, &it);
    while (mica_iter_next(&it)) {
        Place *speed = mica_write(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            speed[i].x += 1;
        }
    }
    snapshot = newest(&f);
    check_not_taken(&f, MICA_ERROR_LIMIT, world);
    CHECK_EQUAL(snapshot.bits, newest(&f).bits);

    // [take.fail]: what else
    CHECK(MICA_IS_NONE(mica_snapshot_take(NULL)));
    tracker hooks;
    tracker_begin(&hooks);
    mica_type_desc owned = tracked_desc(&hooks, "Tracked", true);
    mica_type_register(world, &owned);
    check_not_taken(&f, MICA_ERROR_TYPE, world);
    mica_time_end(world);
    check_not_taken(&f, MICA_ERROR_TIME, world);
    end(&f);
}

static uint32_t changes;

static void count_change(const mica_observer_event *h)
{
    (void)h;
    changes++;
}

PROMISE(mica_snapshot_restore)
{
    fleet f;
    mica_world *world = begin(&f, NULL);
    mica_observer_new(world, &(mica_observer_desc){.type = f.place,
                                                   .events = MICA_ON_SET | MICA_ON_ADD |
                                                             MICA_ON_REMOVE | MICA_ON_DESPAWN,
                                                   .call = count_change});

    // [restore.state]: the digest is that of the moment, again and again
    uint64_t digests[3];
    mica_snapshot snapshots[3];
    for (int i = 0; i < 3; i++) {
        mica_entity ship = mica_spawn(world, MICA_VALUE(f.speed, Place, 1, (float)i));
        mica_set(world, ship, MICA_VALUE(f.place, Place, 2, 2));
        mica_despawn(world, f.ships[i]);
        mica_entity_set_name(world, ship, i == 0 ? "first" : i == 1 ? "second" : "third");
        mica_resource_set(world, MICA_VALUE(f.place, Place, (float)i, 1));
        mica_step(world, 0.25);
        snapshots[i] = take(&f);
        digests[i] = mica_world_digest(world);
    }
    mica_despawn(world, f.ships[3]);
    changes = 0;
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshots[2]));
        CHECK_EQUAL(digests[2], mica_world_digest(world));
        CHECK(mica_alive(world, f.ships[3]));

        // [restore.cost]: a byte that nobody wrote is not copied
        size_t changed = mica_time_get_stats(world).changed_bytes;
        CHECK(i == 0 ? changed > 0 && changed < 4096 : changed == 0);
    }
    CHECK_EQUAL(0, changes); // [snapshot.observers]

    // [restore.memory]
    for (int i = 0; i < 600; i++) {
        mica_spawn(world, MICA_VALUE(f.speed, Place, 1, 1));
    }
    mica_snapshot big = take(&f);
    uint64_t big_digest = mica_world_digest(world);
    mica_time_desc redo = {.redo = true};
    mica_world_clear(world);
    mica_world_reclaim(world);
    uint64_t digest = mica_world_digest(world);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t which = 1; result; which++) {
        test_memory_fail_at(&f.t.memory, which, TEST_MEMORY_ONCE);
        result = mica_snapshot_restore(world, big);
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            check_refused(&f, MICA_ERROR_MEMORY, result, digest);
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        }
    }
    CHECK_EQUAL(big_digest, mica_world_digest(world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));

    // [restore.later]: without redo
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshots[0]));
    CHECK_EQUAL(digests[0], mica_world_digest(world));
    CHECK(!mica_snapshot_is_kept(world, snapshots[1]));
    check_refused(&f, MICA_ERROR_TIME, mica_snapshot_restore(world, snapshots[1]), digests[0]);

    // [restore.refused]
    check_refused_inside(&f, call_restore);

    // [restore.gone]
    digest = mica_world_digest(world);
    check_refused(&f, MICA_ERROR_TIME, mica_snapshot_restore(world, (mica_snapshot){0}), digest);
    check_refused(&f, MICA_ERROR_TIME,
                  mica_snapshot_restore(world, (mica_snapshot){snapshots[0].bits ^ 1}), digest);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_snapshot_restore(NULL, snapshots[0]));
    mica_time_end(world);
    check_refused(&f, MICA_ERROR_TIME, mica_snapshot_restore(world, snapshots[0]), digest);

    // [restore.later]: with it
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(world, &redo));
    for (int i = 0; i < 3; i++) {
        put(&f, 3, 10 + (float)i);
        snapshots[i] = take(&f);
    }
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshots[0]));
    CHECK(x_of(&f, 3) == 10);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshots[2]));
    CHECK(x_of(&f, 3) == 12);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshots[1]));
    CHECK(x_of(&f, 3) == 11);
    snapshots[0] = take(&f);
    CHECK(!mica_snapshot_is_kept(world, snapshots[2]));
    CHECK(mica_snapshot_is_kept(world, snapshots[1]));

    // [snapshot.definitions]
    mica_type young = MICA_REGISTER(world, Young, x, y);
    mica_query_new(world, &(mica_query_desc){.terms = {{young, MICA_WRITE}}});
    mica_entity ship = mica_spawn(world, MICA_VALUE(young, Young, 1, 1));
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshots[1]));
    CHECK(!mica_alive(world, ship));
    CHECK(mica_type_get_info(world, young) != NULL);

    // [snapshot.structure]
    mica_type_change_storage(world, young, MICA_SPARSE);
    digest = mica_world_digest(world);
    check_refused(&f, MICA_ERROR_TIME, mica_snapshot_restore(world, snapshots[1]), digest);
    mica_snapshot fresh = take(&f);
    CHECK(!mica_snapshot_is_kept(world, snapshots[1]));
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, fresh));
    mica_group group = mica_group_new(world, &(mica_group_desc){.required = {f.speed, young}});
    CHECK(!mica_snapshot_is_kept(world, fresh));
    fresh = take(&f);
    mica_group_free(world, group);
    CHECK(!mica_snapshot_is_kept(world, fresh));
    fresh = take(&f);
    mica_buffer buffer = {0};
    CHECK_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.buffer = &buffer}, NULL));
    CHECK_EQUAL(
        MICA_OK,
        mica_world_load(world, &(mica_stream){.data = buffer.data, .size = buffer.size}, NULL));
    mica_buffer_free(&buffer);
    CHECK(!mica_snapshot_is_kept(world, fresh));
    end(&f);
}

PROMISE(mica_snapshot_drop)
{
    fleet f;
    mica_world *world = begin(&f, NULL);
    mica_snapshot snapshots[4];
    for (int i = 0; i < 4; i++) {
        put(&f, 0, (float)i);
        snapshots[i] = take(&f);
    }

    // [drop.frees]: nothing needs those of the oldest
    size_t bytes = mica_time_get_stats(world).log_bytes;
    CHECK_EQUAL(MICA_OK, mica_snapshot_drop(world, snapshots[0]));
    CHECK(mica_time_get_stats(world).log_bytes < bytes);
    CHECK(!mica_snapshot_is_kept(world, snapshots[0]));

    // [drop.frees]: the others are still what they were
    CHECK_EQUAL(MICA_OK, mica_snapshot_drop(world, snapshots[2]));
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshots[3]));
    CHECK(x_of(&f, 0) == 3);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshots[1]));
    CHECK(x_of(&f, 0) == 1);

    // [drop.fail]
    uint64_t digest = mica_world_digest(world);
    check_refused(&f, MICA_ERROR_TIME, mica_snapshot_drop(world, snapshots[2]), digest);
    check_refused(&f, MICA_ERROR_TIME, mica_snapshot_drop(world, (mica_snapshot){0}), digest);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_snapshot_drop(NULL, snapshots[1]));

    // [drop.redo]
    mica_time_end(world);
    mica_time_begin(world, &(mica_time_desc){.redo = true});
    for (int i = 0; i < 4; i++) {
        put(&f, 0, (float)i);
        snapshots[i] = take(&f);
    }
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshots[1]));
    CHECK(mica_snapshot_is_kept(world, snapshots[3]));
    CHECK_EQUAL(MICA_OK, mica_snapshot_drop(world, snapshots[1]));
    CHECK(mica_snapshot_is_kept(world, snapshots[0]));
    CHECK(!mica_snapshot_is_kept(world, snapshots[2]));
    CHECK(!mica_snapshot_is_kept(world, snapshots[3]));
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, snapshots[0]));
    CHECK(x_of(&f, 0) == 0);
    end(&f);
}

PROMISE(mica_snapshot_pin)
{
    fleet f;
    mica_world *world = begin(&f, &(mica_time_desc){.budget = 4096});

    // [pin.kept]
    put(&f, 0, 42);
    mica_snapshot pinned = take(&f);
    CHECK_EQUAL(MICA_OK, mica_snapshot_pin(world, pinned, true));
    mica_snapshot second = take(&f);
    for (int i = 0; i < 100; i++) {
        put(&f, 0, (float)i);
        (void)take(&f);
    }
    CHECK(mica_snapshot_is_kept(world, pinned));
    CHECK(!mica_snapshot_is_kept(world, second));
    CHECK(mica_time_get_stats(world).thinned > 0);
    CHECK_EQUAL(MICA_OK, mica_snapshot_pin(world, pinned, false));
    for (int i = 0; i < 100; i++) {
        put(&f, 0, (float)i);
        (void)take(&f);
    }
    CHECK(!mica_snapshot_is_kept(world, pinned));

    // [pin.fail]
    uint64_t digest = mica_world_digest(world);
    check_refused(&f, MICA_ERROR_TIME, mica_snapshot_pin(world, pinned, true), digest);
    check_refused(&f, MICA_ERROR_TIME, mica_snapshot_pin(world, (mica_snapshot){0}, true), digest);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_snapshot_pin(NULL, pinned, true));
    end(&f);
}

PROMISE(mica_snapshot_is_kept)
{
    fleet f;
    mica_world *world = begin(&f, NULL);
    mica_snapshot snapshot = take(&f);

    // [kept.true]
    CHECK(mica_snapshot_is_kept(world, snapshot));
    put(&f, 0, 9);
    CHECK(mica_snapshot_is_kept(world, snapshot));

    // [kept.false]
    fleet other;
    begin(&other, NULL);
    mica_snapshot foreign = take(&other);
    CHECK(!mica_snapshot_is_kept(world, foreign));
    end(&other);
    CHECK(!mica_snapshot_is_kept(world, (mica_snapshot){0}));
    mica_snapshot_drop(world, snapshot);
    CHECK(!mica_snapshot_is_kept(world, snapshot));
    CHECK(!mica_snapshot_is_kept(NULL, snapshot));
    mica_time_end(world);
    mica_time_begin(world, NULL);
    take(&f);
    CHECK(!mica_snapshot_is_kept(world, snapshot)); // of the time before
    end(&f);
}

typedef mica_snapshot walk_fn(mica_world *world, mica_snapshot snapshot);

// Checks one of the calls that walk over the snapshots, from the oldest on or from the newest.
static void check_walk(walk_fn *walk, bool oldest)
{
    fleet f;
    mica_world *world = begin(&f, NULL);
    const mica_snapshot none = {0};

    // [next.order]
    CHECK(MICA_IS_NONE(walk(world, none)));
    mica_snapshot older = take(&f);
    mica_snapshot newer = take(&f);
    mica_snapshot first = oldest ? older : newer;
    mica_snapshot last = oldest ? newer : older;
    CHECK_EQUAL(first.bits, walk(world, none).bits);
    CHECK_EQUAL(last.bits, walk(world, first).bits);
    CHECK(MICA_IS_NONE(walk(world, last)));

    // [next.fail]
    CHECK(MICA_IS_NONE(walk(NULL, first)));
    CHECK(MICA_IS_NONE(walk(world, (mica_snapshot){first.bits ^ 1})));
    CHECK_REPORTED(&f.t, MICA_ERROR_TIME);
    mica_time_end(world);
    CHECK(MICA_IS_NONE(walk(world, first)));
    CHECK_REPORTED(&f.t, MICA_ERROR_TIME);
    end(&f);
}

PROMISE(mica_snapshot_next)
{
    check_walk(mica_snapshot_next, true); // [next.order], [next.fail]
}

PROMISE(mica_snapshot_previous)
{
    check_walk(mica_snapshot_previous, false); // [next.order], [next.fail]
}

PROMISE(mica_snapshot_current)
{
    fleet f;
    mica_world *world = begin(&f, &(mica_time_desc){.redo = true});

    // [current.last]
    CHECK(MICA_IS_NONE(mica_snapshot_current(world)));
    mica_snapshot first = take(&f);
    CHECK_EQUAL(first.bits, mica_snapshot_current(world).bits);
    put(&f, 0, 3);
    CHECK_EQUAL(first.bits, mica_snapshot_current(world).bits);
    mica_snapshot second = take(&f);
    CHECK_EQUAL(second.bits, mica_snapshot_current(world).bits);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, first));
    CHECK_EQUAL(first.bits, mica_snapshot_current(world).bits);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, second));
    CHECK_EQUAL(MICA_OK, mica_snapshot_drop(world, second));
    CHECK(MICA_IS_NONE(mica_snapshot_current(world)));
    mica_snapshot third = take(&f); // of the same state as the next one
    CHECK_EQUAL(MICA_OK, mica_snapshot_drop(world, take(&f)));
    CHECK(MICA_IS_NONE(mica_snapshot_current(world)));
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, third));
    CHECK_EQUAL(third.bits, mica_snapshot_current(world).bits);

    // [next.fail]
    CHECK(MICA_IS_NONE(mica_snapshot_current(NULL)));
    mica_time_end(world);
    CHECK(MICA_IS_NONE(mica_snapshot_current(world)));
    CHECK_REPORTED(&f.t, MICA_ERROR_TIME);
    end(&f);
}

// Returns the least time of hashing a new snapshot, in ticks of clock().
static clock_t time_hash(fleet *f)
{
    clock_t least = 0;
    for (uint32_t i = 0; i < 5; i++) {
        put(f, (int)i % 3, 100 + (float)i);
        mica_snapshot snapshot = take(f);
        clock_t began = clock();
        uint64_t hash = mica_snapshot_hash(f->world, snapshot);
        clock_t took = clock() - began;
        CHECK_EQUAL(mica_world_hash(f->world), hash);
        least = i == 0 || took < least ? took : least;
    }
    return least;
}

PROMISE(mica_snapshot_hash)
{
    fleet f;
    mica_world *world = begin(&f, NULL);

    // [snapshot.hash]: whichever is asked for first
    uint64_t hashes[3];
    mica_snapshot snapshots[3];
    for (uint32_t i = 0; i < 3; i++) {
        mica_world_tick(world);
        put(&f, (int)i, 50 + (float)i);
        mica_spawn(world, MICA_VALUE(f.speed, Place, 1, 1));
        mica_entity_set_name(world, f.ships[0], i == 0 ? "flagship" : "other");
        mica_resource_set(world, MICA_VALUE(f.place, Place, (float)i, 1));
        snapshots[i] = take(&f);
        hashes[i] = mica_world_hash(world);
    }
    uint64_t digest = mica_world_digest(world);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQUAL(hashes[(i + 1) % 3], mica_snapshot_hash(world, snapshots[(i + 1) % 3]));
    }
    CHECK_EQUAL(digest, mica_world_digest(world));

    // [snapshot.hash_fail]
    CHECK_EQUAL(0, mica_snapshot_hash(world, (mica_snapshot){0}));
    check_refused(&f, MICA_ERROR_TIME, f.t.error.last.code, digest);
    CHECK_EQUAL(0, mica_snapshot_hash(NULL, snapshots[0]));
    mica_snapshot last = take(&f);
    mica_snapshot_drop(world, snapshots[2]);
    uint64_t hash = 0;
    for (uint64_t which = 1; hash == 0; which++) {
        test_memory_fail_at(&f.t.memory, which, TEST_MEMORY_ONCE);
        hash = mica_snapshot_hash(world, last);
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        if (hash == 0) {
            check_refused(&f, MICA_ERROR_MEMORY, f.t.error.last.code, digest);
        }
    }
    CHECK_EQUAL(hashes[2], hash);

    // [snapshot.hash_cost]
    for (int i = 0; i < 50000; i++) {
        mica_spawn(world, MICA_VALUE(f.place, Place, 1, 1));
    }
    clock_t known = time_hash(&f);
    mica_time_end(world);
    mica_time_begin(world, NULL);
    mica_snapshot first = take(&f);
    clock_t began = clock();
    CHECK(mica_snapshot_hash(world, first) != 0);
    CHECK(known < (clock() - began) / 10);
    end(&f);
}

// What a difference function was given.
typedef struct reports {
    fleet *fleet;
    uint32_t count;
    uint32_t most; // it ends the comparison with so many
    mica_state_difference seen[8];
    float before, after;
    mica_result changing;
} reports;

static bool keep_report(const mica_state_difference *difference)
{
    reports *r = difference->user;
    if (difference->kind == MICA_STATE_CHANGED) {
        r->before = ((const Place *)difference->before)->x;
        r->after = ((const Place *)difference->after)->x;
    }
    r->changing = mica_despawn(r->fleet->world, r->fleet->ships[0]);
    CHECK(mica_alive(r->fleet->world, r->fleet->ships[0]));
    r->seen[r->count++] = *difference;
    return r->count < r->most;
}

PROMISE(mica_snapshot_compare)
{
    fleet f;
    mica_world *world = begin(&f, NULL);
    mica_snapshot before = take(&f);
    put(&f, 2, 7);
    mica_entity ship = mica_spawn(world, MICA_VALUE(f.speed, Place, 1, 1));
    mica_entity_set_name(world, f.ships[1], "flagship");
    mica_resource_set(world, MICA_VALUE(f.place, Place, 1, 1));
    mica_world_tick(world);
    mica_snapshot after = take(&f);
    mica_world_tick(world);
    uint64_t digest = mica_world_digest(world);

    // [differ.report]: in this order
    reports r = {.fleet = &f, .most = 8};
    CHECK_EQUAL(MICA_OK, mica_snapshot_compare(world, before, after, keep_report, &r));
    REQUIRE_EQUAL(5, r.count);
    CHECK_EQUAL(MICA_STATE_CHANGED, r.seen[0].kind);
    CHECK_EQUAL(f.ships[2].bits, r.seen[0].entity.bits);
    CHECK_EQUAL(f.place.bits, r.seen[0].type.bits);
    CHECK_TEXT("x", r.seen[0].field);
    CHECK(r.before == 2 && r.after == 7);
    CHECK_EQUAL(MICA_STATE_SPAWNED, r.seen[1].kind);
    CHECK_EQUAL(ship.bits, r.seen[1].entity.bits);
    CHECK_EQUAL(MICA_STATE_ADDED, r.seen[2].kind);
    CHECK_EQUAL(f.speed.bits, r.seen[2].type.bits);
    CHECK_EQUAL(MICA_STATE_NAME, r.seen[3].kind);
    CHECK_EQUAL(MICA_STATE_RESOURCE, r.seen[4].kind);
    CHECK(!r.seen[4].before && r.seen[4].after);
    CHECK_EQUAL(digest, mica_world_digest(world));

    // [differ.looks]
    CHECK_EQUAL(MICA_ERROR_HANDLER, r.changing);

    // [differ.direction]
    r.count = 0;
    CHECK_EQUAL(MICA_OK, mica_snapshot_compare(world, after, before, keep_report, &r));
    REQUIRE_EQUAL(5, r.count);
    CHECK(r.before == 7 && r.after == 2);
    CHECK_EQUAL(MICA_STATE_REMOVED, r.seen[1].kind);
    CHECK_EQUAL(MICA_STATE_DESPAWNED, r.seen[2].kind);

    // [differ.ends]
    r.count = 0;
    r.most = 1;
    CHECK_EQUAL(MICA_OK, mica_snapshot_compare(world, before, after, keep_report, &r));
    CHECK_EQUAL(1, r.count);

    // [differ.content]: ticks, and the order of rows
    r = (reports){.fleet = &f, .most = 8};
    before = take(&f);
    Place same = {7, 0};
    mica_set(world, f.ships[2], MICA_COPY_OF(f.place, same));
    mica_world_tick(world);
    mica_add(world, f.ships[0], f.tag);
    mica_remove(world, f.ships[0], f.tag);
    after = take(&f);
    CHECK_EQUAL(MICA_OK, mica_snapshot_compare(world, before, after, keep_report, &r));
    CHECK_EQUAL(0, r.count);

    // [differ.cost]: the memory is that of what differs
    for (int i = 0; i < 5000; i++) {
        mica_spawn(world, MICA_VALUE(f.place, Place, 1, 1));
    }
    mica_world_tick(world);
    before = take(&f);
    mica_world_tick(world);
    mica_despawn(world, ship);
    after = take(&f);
    size_t peak = f.t.memory.peak_bytes = f.t.memory.bytes;
    CHECK_EQUAL(MICA_OK, mica_snapshot_compare(world, before, after, keep_report, &r));
    CHECK(f.t.memory.peak_bytes < peak + 4096);

    // [differ.fail]
    digest = mica_world_digest(world);
    check_refused(&f, MICA_ERROR_NULL, mica_snapshot_compare(world, before, after, NULL, NULL),
                  digest);
    check_refused(&f, MICA_ERROR_TIME,
                  mica_snapshot_compare(world, before, (mica_snapshot){0}, keep_report, &r),
                  digest);
    check_refused(&f, MICA_ERROR_TIME,
                  mica_snapshot_compare(world, (mica_snapshot){0}, after, keep_report, &r), digest);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_snapshot_compare(NULL, before, after, keep_report, &r));
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t which = 1; result; which++) {
        r.count = 0;
        test_memory_fail_at(&f.t.memory, which, TEST_MEMORY_ONCE);
        result = mica_snapshot_compare(world, before, after, keep_report, &r);
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            check_refused(&f, MICA_ERROR_MEMORY, result, digest);
            CHECK_EQUAL(0, r.count);
        }
    }
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, before));
    CHECK(mica_alive(world, ship));
    end(&f);
}

// Copies a state to a twin, and returns the least time of some further copies, in ticks of clock().
static clock_t time_copies(fleet *f, mica_world *twin)
{
    clock_t least = 0;
    for (uint32_t i = 0; i < 5; i++) {
        mica_world_tick(f->world);
        put(f, 1 + (int)i % 3, 200 + (float)i);
        mica_snapshot snapshot = take(f);
        clock_t began = clock();
        CHECK_EQUAL(MICA_OK, mica_snapshot_copy(f->world, snapshot, twin));
        clock_t took = clock() - began;
        CHECK_EQUAL(mica_world_hash(f->world), mica_world_hash(twin));
        least = i == 0 || took < least ? took : least;
    }
    return least;
}

static void look_around(mica_iter *it)
{
    (void)it;
}

static void add_mover(const fleet *f, mica_world *world)
{
    mica_system_add(world,
                    &(mica_system_desc){.name = "look",
                                        .update = look_around,
                                        .query.terms = {{f->place, MICA_READ | MICA_CHANGED}}});
}

PROMISE(mica_twin_new)
{
    fleet f;
    mica_world *world = begin(&f, NULL);

    // [twin.new], [twin.desc], [twin.free]
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = 1;
    mica_world *twin = mica_twin_new(world, &t.desc);
    CHECK_EQUAL(0, mica_entity_count(twin));
    CHECK_EQUAL(0, test_type_count(twin));
    CHECK(MICA_EQUAL(f.place, MICA_REGISTER(twin, Place, x, y)));
    CHECK(!MICA_IS_NONE(mica_spawn(twin, MICA_VALUE(f.place, Place, 1, 2))));
    CHECK(!MICA_IS_NONE(mica_spawn(twin, MICA_VALUE(f.place, Place, 1, 2))));
    mica_world *last = mica_twin_new(world, NULL);
    CHECK_EQUAL(MICA_OK, mica_world_free(twin));
    CHECK_EQUAL(0, t.memory.blocks);
    end(&f);
    CHECK_EQUAL(MICA_OK, mica_world_free(last));

    // [twin.fail]
    CHECK_POINTER(NULL, mica_twin_new(NULL, NULL));
    world = begin(&f, NULL);
    t.desc.first_zero = 1;
    CHECK_POINTER(NULL, mica_twin_new(world, &t.desc));
    t.desc.first_zero = 0;
    test_memory_fail_at(&t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_POINTER(NULL, mica_twin_new(world, &t.desc));
    CHECK_EQUAL(MICA_ERROR_MEMORY, t.error.last.code);
    end(&f);
}

PROMISE(mica_snapshot_copy)
{
    fleet f;
    mica_world *world = begin(&f, NULL);
    uint32_t number = 7;
    mica_time_include(world, &number, sizeof number, "number");
    mica_entity_set_name(world, f.ships[1], "flagship");
    mica_resource_set(world, MICA_VALUE(f.place, Place, 3, 1));
    mica_send(world, MICA_VALUE(f.speed, Place, 3, 1));
    mica_snapshot early = take(&f);
    mica_world_tick(world);
    put(&f, 2, 7);
    mica_despawn(world, f.ships[0]);
    mica_snapshot late = take(&f);
    mica_world_tick(world);

    // [copy.state], [copy.types], [copy.begin], [copy.included]
    test_world t;
    mica_world *twin = test_world_begin_twin(&t, world);
    number = 8;
    CHECK_EQUAL(MICA_OK, mica_snapshot_copy(world, late, twin));
    CHECK_EQUAL(mica_snapshot_hash(world, late), mica_world_hash(twin));
    CHECK(((const Place *)mica_get(twin, f.ships[2], f.place))->x == 7);
    CHECK_EQUAL(f.ships[1].bits, mica_entity_find(twin, "flagship").bits);
    CHECK_EQUAL(1, test_event_count(twin, f.speed));
    CHECK(MICA_RESOURCE(twin, f.place, Place)->x == 3);
    CHECK_EQUAL(8, number);
    CHECK(mica_time_get_stats(twin).begun);
    CHECK_EQUAL(MICA_OK, mica_world_validate(twin));

    // [copy.restore]
    mica_snapshot own = mica_snapshot_take(twin);
    uint64_t digest = mica_world_digest(twin);
    mica_despawn(twin, f.ships[2]);
    CHECK_EQUAL(MICA_OK, mica_snapshot_copy(world, early, twin));
    CHECK(mica_alive(twin, f.ships[0]) && mica_alive(twin, f.ships[2]));
    CHECK_EQUAL(mica_snapshot_hash(world, early), mica_world_hash(twin));
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(twin, own));
    CHECK_EQUAL(digest, mica_world_digest(twin));
    CHECK(!mica_alive(twin, f.ships[0]));

    // [copy.fail]: a type of the same number that differs
    test_world u;
    mica_world *other = test_world_begin_twin(&u, world);
    mica_type_register(other, &(mica_type_desc){.name = "else", .size = 4, .align = 4});
    CHECK_EQUAL(MICA_ERROR_SHAPE, mica_snapshot_copy(world, late, other));
    CHECK_REPORTED(&f.t, MICA_ERROR_SHAPE);
    test_world_end(&u);
    mica_type cargo =
        mica_type_register(twin, &(mica_type_desc){.name = "cargo", .storage = MICA_SPARSE});
    mica_group_new(twin, &(mica_group_desc){.required = {f.speed, cargo}});
    digest = mica_world_digest(twin);
    CHECK_EQUAL(MICA_ERROR_GROUP, mica_snapshot_copy(world, late, twin));
    CHECK_REPORTED(&f.t, MICA_ERROR_GROUP);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_snapshot_copy(world, late, world));
    CHECK_REPORTED(&f.t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_snapshot_copy(world, late, NULL));
    CHECK_REPORTED(&f.t, MICA_ERROR_NULL);
    CHECK_EQUAL(MICA_ERROR_TIME, mica_snapshot_copy(world, own, twin));
    CHECK_REPORTED(&f.t, MICA_ERROR_TIME);
    CHECK_EQUAL(digest, mica_world_digest(twin));
    test_world_end(&t);

    // [copy.setup]
    twin = test_world_begin_twin(&t, world);
    CHECK_EQUAL(MICA_OK, mica_snapshot_copy(world, late, twin));
    add_mover(&f, world);
    add_mover(&f, twin);
    for (int i = 0; i < 3; i++) {
        mica_step(world, 0.5);
    }
    late = take(&f);
    digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_OK, mica_snapshot_copy(world, late, twin));
    CHECK_EQUAL(digest, mica_world_digest(twin));
    mica_step(world, 0.5);
    mica_step(twin, 0.5);
    CHECK_EQUAL(mica_world_digest(world), mica_world_digest(twin));

    // [copy.back]
    put(&f, 1, 99);
    own = mica_snapshot_take(twin);
    mica_despawn(world, f.ships[3]);
    digest = mica_world_digest(twin);
    CHECK_EQUAL(MICA_OK, mica_snapshot_copy(twin, own, world));
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK(mica_alive(world, f.ships[3]) && x_of(&f, 1) != 99);
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, late));
    test_world_end(&t);

    // [copy.cost]
    for (int i = 0; i < 50000; i++) {
        mica_spawn(world, MICA_VALUE(f.place, Place, 1, 1));
    }
    twin = test_world_begin_twin(&t, world);
    mica_world_tick(world);
    late = take(&f);
    clock_t began = clock();
    CHECK_EQUAL(MICA_OK, mica_snapshot_copy(world, late, twin));
    clock_t first = clock() - began;
    CHECK(time_copies(&f, twin) < first / 10);
    test_world_end(&t);
    end(&f);
}

// A system that counts outside of the world, from a run on.
typedef struct forgetful {
    fleet *fleet;
    uint32_t runs;
    uint32_t from;
} forgetful;

static void count_outside(mica_iter *it)
{
    forgetful *one = it->user;
    Place *places = mica_write(it, 0);
    one->runs++;
    for (uint32_t i = 0; i < it->count; i++) {
        places[i].x += one->runs < one->from ? 1 : (float)one->runs;
    }
}

static void count_steps(const mica_trace_point *point)
{
    *(uint32_t *)point->user += point->kind == MICA_TRACE_STEP && point->ended;
}

PROMISE(mica_sync_test)
{
    fleet f;
    mica_world *world = begin(&f, NULL);
    forgetful one = {.fleet = &f, .from = UINT32_MAX};
    mica_system_add(world, &(mica_system_desc){.name = "count",
                                               .update = count_outside,
                                               .user = &one,
                                               .query.terms = {{f.place, MICA_WRITE}}});
    mica_snapshot before = take(&f);
    mica_step(world, 1);
    uint64_t digest = mica_world_digest(world);
    mica_snapshot_restore(world, before);

    // [sync.same], [sync.none], [sync.once], [sync.snapshots]
    mica_desync desync = {.phase = "some"};
    CHECK_EQUAL(MICA_OK, mica_sync_test(world, 1, &desync));
    CHECK(!desync.phase && !desync.system && !desync.field);
    CHECK(MICA_IS_NONE(desync.entity) && MICA_IS_NONE(desync.type));
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(before.bits, mica_snapshot_current(world).bits);
    CHECK_EQUAL(1, mica_time_get_stats(world).snapshots);

    // [sync.order], [sync.together]: tests/unit/system/wave_test.c. [sync.trace]
    uint32_t steps = 0;
    mica_trace_set(world, count_steps, &steps);
    CHECK_EQUAL(MICA_OK, mica_sync_test(world, 1, NULL));
    CHECK_EQUAL(2, steps);
    mica_trace_set(world, NULL, NULL);

    // [sync.differ]
    one.from = 0;
    CHECK_EQUAL(MICA_ERROR_DESYNC, mica_sync_test(world, 1, &desync));
    CHECK_REPORTED(&f.t, MICA_ERROR_DESYNC);
    CHECK_TEXT("update", desync.phase);
    CHECK_TEXT("count", desync.system);
    CHECK_EQUAL(f.place.bits, desync.type.bits);
    CHECK_EQUAL(f.ships[0].bits, desync.entity.bits);
    CHECK_TEXT("x", desync.field);
    CHECK_TEXT(
        "mica_sync_test: two runs of the step differ after system 'count': 'Place.x' of entity "
        "0.0",
        mica_last_error(world)->sentence);
    CHECK_EQUAL(MICA_ERROR_DESYNC, mica_sync_test(world, 1, NULL));
    CHECK_REPORTED(&f.t, MICA_ERROR_DESYNC);

    // [sync.fail]
    digest = mica_world_digest(world);
    check_refused(&f, MICA_ERROR_ARGUMENT, mica_sync_test(world, -1, &desync), digest);
    CHECK(!desync.system);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_sync_test(NULL, 1, NULL));
    mica_buffer tape = {0};
    CHECK(mica_tape_begin(world, &(mica_stream){.buffer = &tape}, NULL));
    check_refused(&f, MICA_ERROR_ARGUMENT, mica_sync_test(world, 1, &desync), digest);
    CHECK_EQUAL(MICA_OK, mica_tape_end(world));
    mica_buffer_free(&tape);
    one.from = UINT32_MAX;
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONWARDS);
    mica_result result = mica_sync_test(world, 1, NULL);
    test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, result);
    CHECK_REPORTED(&f.t, MICA_ERROR_MEMORY);
    mica_time_end(world);
    digest = mica_world_digest(world);
    check_refused(&f, MICA_ERROR_TIME, mica_sync_test(world, 1, NULL), digest);
    end(&f);
}

PROMISE(mica_time_verify)
{
    // [verify.finds]
    test_world t;
    mica_world *world = test_world_begin(&t);
    CHECK_EQUAL(MICA_OK, mica_time_verify(world));
    mica_type place = MICA_REGISTER(world, Place, x, y);
    mica_entity entity = mica_spawn(world, MICA_VALUE(place, Place, 1, 2));
    Place *kept = mica_get_mut(world, entity, place);
    kept->x = 3;
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    mica_world_tick(world);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    kept->x = 4;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    CHECK_ERROR(&t, MICA_ERROR_CORRUPT,
                "mica_world_validate: row 0 of 'Place' in table 1 was written without a notice");
    CHECK_EQUAL(MICA_OK, mica_world_validate(world)); // reported once

    kept = mica_get_mut(world, entity, place);
    mica_world_tick(world);
    REQUIRE_EQUAL(MICA_OK, mica_entity_set_name(world, entity, "one"));
    kept->x = 5;
    REQUIRE_EQUAL(MICA_OK, mica_entity_set_name(world, entity, "two"));
    CHECK_ERROR(&t, MICA_ERROR_CORRUPT,
                "mica_entity_set_name: row 0 of 'Place' in table 1 was written without a notice");

    // [verify.waits]
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(world, NULL)); // the program's own mirror
    kept->x = 6;
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    REQUIRE_EQUAL(MICA_OK, mica_time_end(world));
    test_world_end(&t);

    // [verify.fail]
    CHECK_EQUAL(MICA_ERROR_NULL, mica_time_verify(NULL));
    fleet f;
    prepare(&f);
    check_refused_inside(&f, call_verify);
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
    mica_result result = mica_time_verify(f.world);
    test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
    check_refused(&f, MICA_ERROR_MEMORY, result, mica_world_digest(f.world));
    end(&f);
}

PROMISE(mica_time_get_stats)
{
    fleet f;
    mica_world *world = prepare(&f);

    // [time.stats_null]
    mica_time_stats stats = mica_time_get_stats(world);
    CHECK(!stats.begun && stats.snapshots == 0 && stats.taken == 0 && stats.mirror_bytes == 0);
    stats = mica_time_get_stats(NULL);
    CHECK(!stats.begun && stats.snapshots == 0 && stats.taken == 0 && stats.mirror_bytes == 0);

    // [time.stats]
    mica_time_begin(world, NULL);
    mica_snapshot first = take(&f);
    put(&f, 0, 3);
    (void)take(&f);
    uint64_t allocations = f.t.memory.allocations;
    stats = mica_time_get_stats(world);
    CHECK_EQUAL(allocations, f.t.memory.allocations);
    CHECK(stats.begun && stats.snapshots == 2 && stats.taken == 2 && stats.restored == 0);
    CHECK(stats.mirror_bytes > 0 && stats.log_bytes > 0 && stats.changed_bytes > 0);
    CHECK_EQUAL(0, stats.thinned);
    mica_snapshot_restore(world, first);
    CHECK_EQUAL(1, mica_time_get_stats(world).restored);
    CHECK_EQUAL(1, mica_time_get_stats(world).snapshots);
    end(&f);
}

TESTS(time, promise_of_mica_time_begin, promise_of_mica_time_end, promise_of_mica_time_include,
      promise_of_mica_time_exclude, promise_of_mica_snapshot_take, promise_of_mica_snapshot_restore,
      promise_of_mica_snapshot_drop, promise_of_mica_snapshot_pin, promise_of_mica_snapshot_is_kept,
      promise_of_mica_snapshot_next, promise_of_mica_snapshot_previous,
      promise_of_mica_snapshot_current, promise_of_mica_snapshot_hash,
      promise_of_mica_snapshot_compare, promise_of_mica_twin_new, promise_of_mica_snapshot_copy,
      promise_of_mica_sync_test, promise_of_mica_time_verify, promise_of_mica_time_get_stats)
