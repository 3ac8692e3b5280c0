// What mica/toggle.h promises.
#include "promise.h"

typedef struct Burning {
    float seconds;
} Burning;

// A world with a type that can be switched, one that cannot, and somebody who has the first. The sentences hold
// whatever the storage: each case is run for all.
typedef struct fire {
    test_world t;
    mica_world *world;
    mica_type burning, tag;
    mica_entity entity;
} fire;

typedef mica_result toggle_fn(mica_world *world, mica_entity entity, mica_type type);

static const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_SPLIT, MICA_RING};
enum { STORAGES = sizeof storages / sizeof storages[0] };

static mica_world *begin(fire *f, mica_storage storage)
{
    f->world = test_world_begin(&f->t);
    mica_type_desc desc = MICA_DESCRIBE(Burning, seconds);
    desc.toggle = true;
    desc.storage = storage;
    f->burning = mica_type_register(f->world, &desc);
    f->tag = MICA_TAG(f->world, Tag);
    f->entity = mica_spawn(f->world, MICA_VALUE(f->burning, Burning, 5));
    return f->world;
}

static float seconds_of(fire *f, mica_entity entity)
{
    Burning burning = {-1};
    MICA_LOAD(f->world, entity, f->burning, burning);
    return burning.seconds;
}

// One error was reported, this one, and nothing has changed.
static void check_refused(fire *f, mica_result code, mica_result result, uint64_t digest)
{
    CHECK_EQUAL(code, result);
    CHECK_EQUAL(code, f->t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_EQUAL(digest, mica_world_digest(f->world));
}

static void ignore(const mica_observer_event *h)
{
    (void)h;
}

// Memory is needed for those who are reported, and for nothing else. A call that lacks it changes nothing.
static void check_memory(fire *f, toggle_fn *call, toggle_fn *back)
{
    test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_OK, call(f->world, f->entity, f->burning));
    CHECK_EQUAL(MICA_OK, back(f->world, f->entity, f->burning));
    test_memory_fail_at(&f->t.memory, 0, TEST_MEMORY_ONCE);
    mica_observer observer =
        mica_observer_new(f->world, &(mica_observer_desc){.query.terms = {{f->burning, MICA_WITH}},
                                                          .events = MICA_ON_ENTER | MICA_ON_LEAVE,
                                                          .call = ignore});
    mica_world_reclaim(f->world);
    uint64_t digest = mica_world_digest(f->world);
    mica_world_reclaim(f->world); // of what that has kept
    test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONWARDS);
    mica_result result = call(f->world, f->entity, f->burning);
    test_memory_fail_at(&f->t.memory, 0, TEST_MEMORY_ONCE);
    check_refused(f, MICA_ERROR_MEMORY, result, digest);
    CHECK_EQUAL(MICA_OK, call(f->world, f->entity, f->burning));
    CHECK_EQUAL(MICA_OK, back(f->world, f->entity, f->burning));
    CHECK_EQUAL(MICA_OK, mica_observer_free(f->world, observer));
}

// Switches what somebody is reported of, and something else.
typedef struct switching {
    toggle_fn *call;
    mica_entity entity;
    mica_type reported, other;
    mica_result results[2];
} switching;

static void toggle_inside(const mica_observer_event *h)
{
    switching *s = h->user;
    s->results[0] = s->call(h->world, s->entity, s->reported);
    s->results[1] = s->call(h->world, s->entity, s->other);
}

// Whoever is reported may not have others reported.
static void check_observers(fire *f, toggle_fn *call)
{
    mica_world *world = f->world;
    mica_type_desc desc = MICA_DESCRIBE(Burning, seconds);
    desc.name = "Other";
    desc.toggle = true;
    switching s = {.call = call, .entity = f->entity, .reported = f->burning};
    s.other = mica_type_register(world, &desc);
    mica_add(world, f->entity, s.other);
    mica_observer observer = mica_observer_new(
        world, &(mica_observer_desc){
                   .type = f->tag, .events = MICA_ON_ADD, .call = toggle_inside, .user = &s});
    mica_observer reported = mica_observer_new(
        world, &(mica_observer_desc){
                   .type = f->burning, .events = MICA_ON_ENABLE | MICA_ON_DISABLE, .call = ignore});
    bool enabled = mica_is_enabled(world, f->entity, f->burning);
    CHECK_EQUAL(MICA_OK, mica_add(world, f->entity, f->tag));
    CHECK_EQUAL(MICA_ERROR_ITERATING, s.results[0]);
    CHECK_EQUAL(MICA_OK, s.results[1]);
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_EQUAL(enabled, mica_is_enabled(world, f->entity, f->burning));
    mica_observer_free(world, observer);
    mica_observer_free(world, reported);
}

static void check_errors(fire *f, toggle_fn *call)
{
    uint64_t digest = mica_world_digest(f->world);
    mica_entity bare = mica_entity_make(9999, 0);
    check_refused(f, MICA_ERROR_ENTITY, call(f->world, bare, f->burning), digest);
    check_refused(f, MICA_ERROR_TYPE, call(f->world, f->entity, (mica_type){0}), digest);
    check_refused(f, MICA_ERROR_ARGUMENT, call(f->world, f->entity, f->tag), digest);
    bare = mica_spawn_values(f->world, NULL, 0);
    digest = mica_world_digest(f->world);
    check_refused(f, MICA_ERROR_ARGUMENT, call(f->world, bare, f->burning), digest);
    CHECK_EQUAL(MICA_ERROR_NULL, call(NULL, f->entity, f->burning));
}

PROMISE(mica_enable)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        fire f;
        mica_world *world = begin(&f, storages[s]);

        // [toggle.switch], [toggle.stays]
        mica_disable(world, f.entity, f.burning);
        uint64_t moves = mica_world_get_stats(world).row_moves;
        CHECK_EQUAL(MICA_OK, mica_enable(world, f.entity, f.burning));
        CHECK(mica_is_enabled(world, f.entity, f.burning));
        CHECK(seconds_of(&f, f.entity) == 5);
        CHECK_EQUAL(moves, mica_world_get_stats(world).row_moves);

        // [toggle.enabled]
        CHECK(mica_is_enabled(world, mica_spawn(world, MICA_ADD(f.burning)), f.burning));

        // [toggle.fail]: MICA_ERROR_ARGUMENT
        check_errors(&f, mica_enable);

        // [toggle.fail]: MICA_ERROR_MEMORY
        CHECK_EQUAL(MICA_OK, mica_disable(world, f.entity, f.burning));
        check_memory(&f, mica_enable, mica_disable);

        // [toggle.fail]: MICA_ERROR_ITERATING
        check_observers(&f, mica_enable);
        test_world_end(&f.t);
    }
}

PROMISE(mica_disable)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        fire f;
        mica_world *world = begin(&f, storages[s]);
        CHECK_EQUAL(MICA_OK, mica_disable(world, f.entity, f.burning));
        CHECK(!mica_is_enabled(world, f.entity, f.burning));

        // [toggle.there]
        CHECK(mica_has(world, f.entity, f.burning));
        CHECK(seconds_of(&f, f.entity) == 5);
        CHECK_EQUAL(MICA_OK, mica_set(world, f.entity, MICA_VALUE(f.burning, Burning, 6)));
        CHECK(!mica_is_enabled(world, f.entity, f.burning));
        CHECK(!mica_is_enabled(world, mica_clone(world, f.entity), f.burning));

        // [toggle.switch]: it is so already
        uint64_t digest = mica_world_digest(world);
        CHECK_EQUAL(MICA_OK, mica_disable(world, f.entity, f.burning));
        CHECK_EQUAL(digest, mica_world_digest(world));

        // [toggle.again]
        mica_remove(world, f.entity, f.burning);
        mica_add(world, f.entity, f.burning);
        CHECK(mica_is_enabled(world, f.entity, f.burning));
        check_errors(&f, mica_disable);
        check_memory(&f, mica_disable, mica_enable);
        check_observers(&f, mica_disable);
        test_world_end(&f.t);
    }
}

PROMISE(mica_is_enabled)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        fire f;
        mica_world *world = begin(&f, storages[s]);

        // [toggle.is_enabled]
        CHECK(mica_is_enabled(world, f.entity, f.burning));
        CHECK(!mica_is_enabled(world, f.entity, f.tag));
        mica_disable(world, f.entity, f.burning);
        CHECK(!mica_is_enabled(world, f.entity, f.burning));

        // [toggle.no_toggle]
        mica_add(world, f.entity, f.tag);
        CHECK(mica_is_enabled(world, f.entity, f.tag));

        // [toggle.dead]
        CHECK(!mica_is_enabled(world, mica_entity_make(9999, 0), f.burning));
        CHECK_EQUAL(0, f.t.error.calls);
        CHECK(!mica_is_enabled(world, f.entity, (mica_type){0}));
        CHECK_EQUAL(MICA_ERROR_TYPE, f.t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        test_world_end(&f.t);
    }
}

PROMISE(mica_read_enabled)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        fire f;
        mica_world *world = begin(&f, storages[s]);
        for (int i = 1; i < 100; i++) {
            mica_entity entity = mica_spawn(world, MICA_ADD(f.burning), MICA_ADD(f.tag));
            i % 3 ? 0 : mica_disable(world, entity, f.burning);
        }
        mica_query query = mica_query_new(
            world, &(mica_query_desc){.terms = {{f.burning, MICA_READ | MICA_INCLUDE_DISABLED},
                                                {f.tag, MICA_OPTIONAL}}});
        mica_iter it;
        mica_iter_begin(world, query, &it);
        CHECK_EQUAL(0, mica_read_enabled(&it, 0, 0)); // [flags.fail]
        CHECK_EQUAL(MICA_ERROR_ITERATOR, f.t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        while (mica_iter_next(&it)) {
            // [flags.rows]. [flags.loops]
            for (uint32_t row = 0; row < it.count; row += 64) {
                uint64_t enabled = mica_read_enabled(&it, 0, row);
                uint64_t tagged = mica_read_enabled(&it, 1, row);
                for (uint32_t i = 0; i < 64; i++) {
                    // [flags.behind]
                    bool inside = row + i < it.count;
                    mica_entity entity = inside ? it.entities[row + i] : (mica_entity){0};
                    CHECK_EQUAL(inside && mica_is_enabled(world, entity, f.burning),
                                enabled >> i & 1);

                    // [flags.any_term]
                    CHECK_EQUAL(inside && mica_has(world, entity, f.tag), tagged >> i & 1);
                }
            }

            // [flags.now]
            bool first = mica_is_enabled(world, it.entities[0], f.burning);
            first ? mica_disable(world, it.entities[0], f.burning)
                  : mica_enable(world, it.entities[0], f.burning);
            CHECK_EQUAL(!first, mica_read_enabled(&it, 0, 0) & 1);

            // [flags.fail]: MICA_ERROR_TERM, MICA_ERROR_ARGUMENT
            CHECK_EQUAL(0, mica_read_enabled(&it, 2, 0));
            CHECK_EQUAL(MICA_ERROR_TERM, f.t.error.last.code);
            CHECK_EQUAL(0, mica_read_enabled(&it, 0, it.count));
            CHECK_EQUAL(MICA_ERROR_ARGUMENT, f.t.error.last.code);
            CHECK_EQUAL(2, test_error_clear(&f.t.error));
        }

        // [flags.fail]: MICA_ERROR_TERM of a query with .no_entities
        mica_query bare = mica_query_new(
            world, &(mica_query_desc){.terms = {{f.burning, MICA_WITH}}, .no_entities = true});
        mica_iter_begin(world, bare, &it);
        CHECK(mica_iter_next(&it));
        CHECK_EQUAL(0, mica_read_enabled(&it, 0, 0));
        CHECK_EQUAL(MICA_ERROR_TERM, f.t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&f.t.error));
        mica_iter_end(&it);
        test_world_end(&f.t);
    }
}

PROMISE(mica_enable_all)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        fire f;
        mica_world *world = begin(&f, storages[s]);
        mica_query needs =
            mica_query_new(world, &(mica_query_desc){.terms = {{f.burning, MICA_WITH}}});
        mica_query even = mica_query_new(
            world, &(mica_query_desc){.terms = {{f.burning, MICA_WITH | MICA_INCLUDE_DISABLED}}});
        mica_disable(world, f.entity, f.burning);

        // [toggle.own_term]
        uint32_t matched = 99;
        CHECK_EQUAL(MICA_OK, mica_enable_all(world, needs, f.burning, &matched));
        CHECK_EQUAL(0, matched);
        CHECK(!mica_is_enabled(world, f.entity, f.burning));
        CHECK_EQUAL(MICA_OK, mica_enable_all(world, even, f.burning, &matched));
        CHECK_EQUAL(1, matched);
        CHECK(mica_is_enabled(world, f.entity, f.burning));
        test_world_end(&f.t);
    }
}

PROMISE(mica_disable_all)
{
    for (uint32_t s = 0; s < STORAGES; s++) {
        fire f;
        mica_world *world = begin(&f, storages[s]);
        mica_entity other = mica_spawn(world, MICA_VALUE(f.burning, Burning, 7));
        mica_spawn_values(world, NULL, 0);
        mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true});

        // [toggle.all], [toggle.matched]
        uint32_t matched = 99;
        CHECK_EQUAL(MICA_OK, mica_disable_all(world, query, f.burning, &matched));
        CHECK_EQUAL(3, matched);
        CHECK(!mica_is_enabled(world, f.entity, f.burning));
        CHECK(!mica_is_enabled(world, other, f.burning));

        // [toggle.matched]: NULL
        CHECK_EQUAL(MICA_OK, mica_enable_all(world, query, f.burning, NULL));
        CHECK(mica_is_enabled(world, other, f.burning));

        // [toggle.all_or_none], [toggle.matched]: not after a failure
        matched = 99;
        uint64_t digest = mica_world_digest(world);
        check_refused(&f, MICA_ERROR_ARGUMENT, mica_disable_all(world, query, f.tag, &matched),
                      digest);
        CHECK_EQUAL(99, matched);
        test_world_end(&f.t);
    }
}

TESTS(toggle, promise_of_mica_enable, promise_of_mica_disable, promise_of_mica_is_enabled,
      promise_of_mica_read_enabled, promise_of_mica_enable_all, promise_of_mica_disable_all)
