// What mica/frame.h promises.
#include "promise.h"

#include <string.h>

// What a function that is called from inside has got.
static void *inside;

static void take(mica_iter *it)
{
    float *floats = MICA_FRAME_ARRAY(it->world, float, 100);
    floats[0] = 1;
    floats[99] = 2;
    inside = floats;
}

static mica_result take_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 0, count * sizeof(float));
    inside = mica_frame_alloc(context->user, 1, 4, 4);
    return MICA_OK;
}

static void take_in_handler(mica_world *world, const mica_error *error, void *user)
{
    (void)error, (void)user;
    inside = mica_frame_alloc(world, 1, 4, 4);
}

static void fail(mica_iter *it)
{
    mica_system_fail(it, 0, "on purpose");
}

PROMISE(mica_frame_alloc)
{
    test_world t;
    mica_world *world = test_world_begin(&t);

    // [frame.any_time]; [frame.good_until]: to be written by the program
    unsigned char *bytes = mica_frame_alloc(world, 1, 100, 64);
    REQUIRE(bytes != NULL);
    CHECK_EQUAL(0, (uintptr_t)bytes % 64);
    memset(bytes, 1, 100);
    unsigned char *others = mica_frame_alloc(world, 1, 100, 1);
    memset(others, 2, 100);
    CHECK(bytes[0] == 1 && bytes[99] == 1);

    // [frame.array]
    float *floats = MICA_FRAME_ARRAY(world, float, 100);
    REQUIRE(floats != NULL);
    floats[99] = 1;
    CHECK_EQUAL(0, (uintptr_t)floats % _Alignof(float));
    double *doubles = mica_frame_alloc(world, 100, sizeof(double), _Alignof(double));
    for (int i = 0; i < 100; i++) {
        doubles[i] = i;
    }
    CHECK(floats[99] == 1);
    CHECK_POINTER(NULL, mica_frame_alloc(world, SIZE_MAX / 4, 8, 8));
    CHECK_EQUAL(1, test_error_clear(&t.error));

    // [frame.good_until]: the end of a step, also of one that fails
    mica_step(world, 0);
    CHECK_POINTER(bytes, mica_frame_alloc(world, 1, 100, 64));
    mica_system failing =
        mica_system_add(world, &(mica_system_desc){.name = "failing", .update = fail});
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(world, 0));
    CHECK_EQUAL(1, test_error_clear(&t.error));
    CHECK_POINTER(bytes, mica_frame_alloc(world, 1, 100, 64));
    mica_system_remove(world, failing);
    mica_step(world, 0);
    mica_system_add(world, &(mica_system_desc){.name = "taking", .update = take});
    mica_step(world, 0);
    CHECK_POINTER(inside, mica_frame_alloc(world, 1, 400, 4));

    // [frame.kept]: the next frame asks for nothing
    for (int i = 0; i < 100; i++) {
        mica_frame_alloc(world, 1, 1000, 8);
    }
    mica_step(world, 0);
    uint64_t allocations = t.memory.allocations;
    for (int i = 0; i < 100; i++) {
        mica_frame_alloc(world, 1, 1000, 8);
    }
    CHECK_EQUAL(allocations, t.memory.allocations);
    mica_step(world, 0);

    // [frame.kept]: until mica_world_reclaim()
    size_t size = t.memory.bytes;
    mica_world_reclaim(world);
    CHECK(t.memory.bytes + 100 * 1000 <= size);

    // [frame.any_time]: but not from hooks and handlers, nor on a world that records
    mica_type hooked =
        mica_type_register(world, &(mica_type_desc){.name = "Hooked",
                                                    .size = sizeof(float),
                                                    .align = _Alignof(float),
                                                    .user = world,
                                                    .hooks.construct = take_in_hook});
    inside = world;
    mica_spawn(world, MICA_ADD(hooked));
    CHECK_POINTER(NULL, inside);
    CHECK_EQUAL(MICA_ERROR_HOOK, t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t.error));
    mica_world_set_error_handler(world, take_in_handler, NULL);
    inside = world;
    mica_despawn(world, (mica_entity){0});
    CHECK_POINTER(NULL, inside);
    mica_world_set_error_handler(world, test_error_record, &t.error);
    CHECK_POINTER(NULL, mica_frame_alloc(mica_world_later(world), 1, 4, 4));
    CHECK_EQUAL(MICA_ERROR_RECORDING, t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t.error));

    // [frame.cost]: it is cut from a block. [frame.empty]
    CHECK(mica_frame_alloc(world, 1, 0, 1) != NULL);
    CHECK(mica_frame_alloc(world, 0, 8, 8) != NULL);

    // [frame.fail]
    CHECK_POINTER(NULL, mica_frame_alloc(NULL, 1, 4, 4));
    CHECK(mica_frame_alloc(world, 1, 4, 4096) != NULL);
    static const size_t impossible[] = {0, 3, 8192};
    for (int i = 0; i < 3; i++) {
        CHECK_POINTER(NULL, mica_frame_alloc(world, 1, 4, impossible[i]));
        CHECK_EQUAL(MICA_ERROR_ALIGNMENT, t.error.last.code);
    }
    test_memory_fail_at(&t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_POINTER(NULL, mica_frame_alloc(world, 1, 1 << 24, 8));
    CHECK_EQUAL(MICA_ERROR_MEMORY, t.error.last.code);
    CHECK_EQUAL(4, test_error_clear(&t.error));
    test_world_end(&t);
}

static mica_allocator of_world;

static mica_result resize_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)context;
    memset(target, 0, count * sizeof(float));
    inside = of_world.resize(of_world.user, NULL, 0, 8, 8);
    return MICA_OK;
}

static void resize_in_handler(mica_world *world, const mica_error *error, void *user)
{
    (void)world, (void)error, (void)user;
    inside = of_world.resize(of_world.user, NULL, 0, 8, 8);
}

PROMISE(mica_frame_allocator)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_allocator frame = of_world = mica_frame_allocator(world);

    // [frame.allocator]
    unsigned char *first = frame.resize(frame.user, NULL, 0, 100, 64);
    REQUIRE(first != NULL);
    CHECK_EQUAL(0, (uintptr_t)first % 64);
    memset(first, 7, 100);
    mica_step(world, 0);
    CHECK_POINTER(first, frame.resize(frame.user, NULL, 0, 100, 64));
    memset(first, 7, 100);

    // [frame.allocator_resize]
    CHECK_POINTER(first, frame.resize(frame.user, first, 100, 200, 64));
    unsigned char *second = frame.resize(frame.user, NULL, 0, 10, 1);
    CHECK_POINTER(first, frame.resize(frame.user, first, 200, 100, 64));
    unsigned char *copy = frame.resize(frame.user, first, 100, 300, 64);
    CHECK(copy != first && second != NULL && copy[0] == 7 && copy[99] == 7);

    // [frame.allocator_free]: also when a step has ended
    CHECK_POINTER(NULL, frame.resize(frame.user, copy, 300, 0, 64));
    CHECK(frame.resize(frame.user, NULL, 0, 300, 64) != (void *)copy);
    mica_step(world, 0);
    CHECK_POINTER(first, mica_frame_alloc(world, 1, 100, 64));
    CHECK_POINTER(NULL, frame.resize(frame.user, first, 100, 0, 64));
    CHECK(mica_frame_alloc(world, 1, 100, 64) != (void *)first);

    // [frame.allocator]: refused where frame memory is
    mica_type hooked =
        mica_type_register(world, &(mica_type_desc){.name = "Hooked",
                                                    .size = sizeof(float),
                                                    .align = _Alignof(float),
                                                    .hooks.construct = resize_in_hook});
    inside = world;
    mica_spawn(world, MICA_ADD(hooked));
    CHECK_POINTER(NULL, inside);
    CHECK_EQUAL(MICA_ERROR_HOOK, t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t.error));
    mica_world_set_error_handler(world, resize_in_handler, NULL);
    inside = world;
    mica_despawn(world, (mica_entity){0});
    CHECK_POINTER(NULL, inside);
    mica_world_set_error_handler(world, test_error_record, &t.error);
    mica_allocator later = mica_frame_allocator(mica_world_later(world));
    CHECK_POINTER(NULL, later.resize(later.user, NULL, 0, 8, 8));
    CHECK_EQUAL(MICA_ERROR_RECORDING, t.error.last.code);
    CHECK_POINTER(NULL, frame.resize(frame.user, NULL, 0, 8, 12));
    CHECK_EQUAL(MICA_ERROR_ALIGNMENT, t.error.last.code);
    CHECK_EQUAL(2, test_error_clear(&t.error));

    // [frame.allocator_null]
    CHECK(mica_frame_allocator(NULL).resize == NULL);
    test_world_end(&t);
}

TESTS(frame, promise_of_mica_frame_alloc, promise_of_mica_frame_allocator)
