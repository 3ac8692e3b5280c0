// What mica/change_detection.h promises.
#include "promise.h"

typedef struct Position {
    float x, y;
} Position;

// Somebody whose position is stamped exactly, and a query of what changed.
typedef struct news {
    test_world t;
    mica_world *world;
    mica_type position;
    mica_entity first, second;
    mica_query changed, plain;
} news;

static mica_world *begin(news *n)
{
    n->world = test_world_begin(&n->t);
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.row_stamps = true;
    n->position = mica_type_register(n->world, &desc);
    n->first = mica_spawn(n->world, MICA_VALUE(n->position, Position, 1, 1));
    n->second = mica_spawn(n->world, MICA_VALUE(n->position, Position, 2, 2));
    n->changed = mica_query_new(
        n->world, &(mica_query_desc){.terms = {{n->position, MICA_READ | MICA_CHANGED}}});
    n->plain = mica_query_new(n->world, &(mica_query_desc){.terms = {{n->position, MICA_WRITE}}});
    return n->world;
}

static void set_first(news *n)
{
    mica_set(n->world, n->first, MICA_VALUE(n->position, Position, 5, 5));
}

// An iteration to its end; how many came.
static uint32_t walk(news *n)
{
    uint32_t count = 0;
    mica_iter it;
    mica_iter_begin(n->world, n->changed, &it);
    while (mica_iter_next(&it)) {
        count += it.count;
    }
    return count;
}

static void check_refused(news *n, mica_result code, mica_result result)
{
    CHECK_EQUAL(code, result);
    CHECK_EQUAL(code, n->t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&n->t.error));
}

static uint64_t marked_inside;

static mica_result mark_inside(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count;
    marked_inside = mica_world_tick(context->user);
    return MICA_OK;
}

PROMISE(mica_world_tick)
{
    news n;
    mica_world *world = begin(&n);

    // [moment.mark]
    set_first(&n);
    uint64_t mark = mica_world_tick(world);
    CHECK_EQUAL(MICA_OK, mica_query_set_since(world, n.changed, mark));
    CHECK_EQUAL(0, mica_query_count(world, n.changed));
    set_first(&n);
    CHECK_EQUAL(1, mica_query_count(world, n.changed));
    CHECK(MICA_EQUAL(n.first, mica_query_first(world, n.changed)));

    // [moment.grows]
    CHECK(mark > 0);
    uint64_t later = mica_world_tick(world);
    CHECK(later > mark);
    set_first(&n);
    CHECK(mica_world_tick(world) > later);

    // [moment.iterating]
    mica_world_tick(world);
    mica_iter it;
    mica_iter_begin(world, n.plain, &it);
    REQUIRE(mica_iter_next(&it));
    mica_write(&it, 0);
    mark = mica_world_tick(world);
    mica_iter_end(&it);
    mica_query_set_since(world, n.changed, mark);
    CHECK_EQUAL(2, mica_query_count(world, n.changed));

    // [moment.fail]
    CHECK_EQUAL(0, mica_world_tick(NULL));
    mica_type hooked = mica_type_register(world, &(mica_type_desc){.name = "Hooked",
                                                                   .size = 4,
                                                                   .align = 4,
                                                                   .user = world,
                                                                   .hooks.construct = mark_inside});
    marked_inside = 99;
    mica_spawn(world, MICA_ADD(hooked));
    CHECK_EQUAL(0, marked_inside);
    CHECK_EQUAL(MICA_ERROR_HOOK, n.t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&n.t.error));
    test_world_end(&n.t);
}

PROMISE(mica_query_since)
{
    news n;
    mica_world *world = begin(&n);

    // [since.get]: 0 at first
    CHECK_EQUAL(0, mica_query_since(world, n.changed));
    CHECK_EQUAL(2, walk(&n));

    // [since.get]: only an iteration that comes to its end moves it
    uint64_t since = mica_query_since(world, n.changed);
    CHECK(since > 0);
    CHECK_EQUAL(0, walk(&n));
    set_first(&n);
    since = mica_query_since(world, n.changed);
    mica_iter it;
    mica_iter_begin(world, n.changed, &it);
    CHECK(mica_iter_next(&it));
    mica_iter_end(&it);
    CHECK_EQUAL(since, mica_query_since(world, n.changed));
    CHECK_EQUAL(1, walk(&n));
    CHECK(mica_query_since(world, n.changed) > since);
    test_world_end(&n.t);
}

PROMISE(mica_query_set_since)
{
    news n;
    mica_world *world = begin(&n);

    // [since.set]
    uint64_t clients[2] = {0, 0};
    mica_query_set_since(world, n.changed, clients[0]);
    CHECK_EQUAL(2, walk(&n));
    clients[0] = mica_query_since(world, n.changed);
    set_first(&n);
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(MICA_OK, mica_query_set_since(world, n.changed, clients[i]));
        CHECK_EQUAL(i == 0 ? 1 : 2, walk(&n));
        clients[i] = mica_query_since(world, n.changed);
    }

    // [since.fail]: MICA_ERROR_ARGUMENT
    check_refused(&n, MICA_ERROR_ARGUMENT, mica_query_set_since(world, n.plain, clients[0]));
    check_refused(&n, MICA_ERROR_ARGUMENT, mica_query_set_since(world, n.changed, UINT64_MAX));
    check_refused(&n, MICA_ERROR_QUERY, mica_query_set_since(world, (mica_query){0}, clients[0]));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_query_set_since(NULL, n.changed, clients[0]));

    // [since.fail]: MICA_ERROR_ITERATING
    mica_iter it;
    mica_iter_begin(world, n.changed, &it);
    check_refused(&n, MICA_ERROR_ITERATING, mica_query_set_since(world, n.changed, 0));
    mica_iter_end(&it);
    test_world_end(&n.t);
}

PROMISE(mica_touch)
{
    news n;
    mica_world *world = begin(&n);
    mica_type tag = MICA_TAG(world, Tag);
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.name = "Elsewhere";
    mica_type other = mica_type_register(world, &desc);
    mica_query query = mica_query_new(
        world, &(mica_query_desc){.terms = {{n.position, MICA_WRITE | MICA_TOUCH},
                                            {other, MICA_OPTIONAL_WRITE | MICA_TOUCH},
                                            {tag, MICA_WITHOUT}}});
    walk(&n);

    // [touch.only]
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_touch(&it, 0, 0)); // [touch.fail]
    REQUIRE(mica_iter_next(&it));
    Position *positions = mica_write(&it, 0);
    positions[0].x = 8;
    mica_iter_end(&it);
    CHECK_EQUAL(1, test_error_clear(&n.t.error));
    CHECK(((const Position *)mica_get(world, n.first, n.position))->x == 8);
    CHECK_EQUAL(0, walk(&n));

    // [touch.row]
    mica_iter_begin(world, query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(MICA_OK, mica_touch(&it, 0, 1));

    // [touch.memory]
    test_memory_fail_at(&n.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_OK, mica_touch(&it, 0, 1));
    test_memory_fail_at(&n.t.memory, 0, TEST_MEMORY_ONCE);

    // [touch.absent]
    CHECK_EQUAL(MICA_OK, mica_touch(&it, 1, 1));

    // [touch.fail]
    check_refused(&n, MICA_ERROR_TERM, mica_touch(&it, 3, 0));
    check_refused(&n, MICA_ERROR_TERM, mica_touch(&it, 2, 0));
    check_refused(&n, MICA_ERROR_ARGUMENT, mica_touch(&it, 0, it.count));
    mica_entity touched = it.entities[1];
    mica_iter_end(&it);
    CHECK_EQUAL(1, mica_query_count(world, n.changed));
    CHECK(MICA_EQUAL(touched, mica_query_first(world, n.changed)));
    check_refused(&n, MICA_ERROR_ITERATOR, mica_touch(&it, 0, 0));
    test_world_end(&n.t);
}

TESTS(change_detection, promise_of_mica_world_tick, promise_of_mica_query_since,
      promise_of_mica_query_set_since, promise_of_mica_touch)
