// What mica/error.h promises.
#include "promise.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "runner/capture.h"

PROMISE(mica_result_name)
{
    // [result.texts]: the name
    CHECK_TEXT("MICA_OK", mica_result_name(MICA_OK));
    CHECK_TEXT("MICA_ERROR_MEMORY", mica_result_name(MICA_ERROR_MEMORY));

    // [result.texts]: static strings
    CHECK_POINTER(mica_result_name(MICA_ERROR_MEMORY), mica_result_name(MICA_ERROR_MEMORY));
}

PROMISE(mica_result_text)
{
    // [result.texts]: the text, also for a number that is no code
    CHECK_TEXT("the allocator refused", mica_result_text(MICA_ERROR_MEMORY));
    CHECK_TEXT("no such code", mica_result_text(MICA_RESULT_COUNT));
    CHECK_TEXT("MICA_ERROR_UNKNOWN", mica_result_name(MICA_RESULT_COUNT));
    CHECK_TEXT("MICA_ERROR_UNKNOWN", mica_result_name((mica_result)-1));
}

PROMISE(mica_last_error)
{
    test_world t;
    mica_world *world = test_world_begin(&t);

    // [error.last]: MICA_OK at first
    const mica_error *last = mica_last_error(world);
    CHECK_EQUAL(MICA_OK, last->code);
    CHECK_TEXT("", last->sentence);

    // [error.valid]
    mica_despawn(world, (mica_entity){0});
    CHECK_EQUAL(MICA_ERROR_ENTITY, last->code);
    CHECK_TEXT("mica_despawn: the entity is none", last->sentence);
    mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_ENTITY, last->code);
    mica_entity_reserve(world, UINT32_MAX);
    CHECK(strncmp("mica_entity_reserve: ", last->sentence, 21) == 0);
    CHECK_POINTER(last, mica_last_error(world));
    CHECK_EQUAL(2, test_error_clear(&t.error));

    // [error.value]: others are in tests/promises/system.c
    CHECK(last->value == 0);

    // [error.no_world]
    CHECK_POINTER(NULL, mica_last_error(NULL));
    test_world_end(&t);
}

PROMISE(mica_clear_error)
{
    test_world t;
    mica_world *world = test_world_begin(&t);

    // [error.last]: MICA_OK again
    mica_despawn(world, (mica_entity){0});
    CHECK_EQUAL(1, test_error_clear(&t.error));
    mica_clear_error(world);
    CHECK_EQUAL(MICA_OK, mica_last_error(world)->code);
    CHECK_TEXT("", mica_last_error(world)->sentence);
    mica_clear_error(NULL);
    test_world_end(&t);
}

static uint32_t heard;
static mica_world *heard_world;

static void hear(mica_world *world, const mica_error *error, void *user)
{
    (void)error;
    heard_world = world;
    heard += *(const uint32_t *)user;
}

static mica_world *noisy;

static void fail_by_default(void)
{
    mica_despawn(noisy, (mica_entity){0});
}

PROMISE(mica_world_set_error_handler)
{
    test_world t;
    mica_world *world = test_world_begin(&t);

    // [error.handler]
    uint32_t weight = 3;
    heard = 0;
    CHECK_EQUAL(MICA_OK, mica_world_set_error_handler(world, hear, &weight));
    mica_despawn(world, (mica_entity){0});
    CHECK_EQUAL(3, heard);
    CHECK_POINTER(world, heard_world);
    CHECK_EQUAL(0, t.error.calls);

    // [error.default]
    CHECK_EQUAL(MICA_OK, mica_world_set_error_handler(world, NULL, NULL));
    noisy = world;
    char text[200];
    test_capture_stderr(fail_by_default, text, sizeof text);
    CHECK_TEXT("mica: mica_despawn: the entity is none\n", text);
    CHECK_EQUAL(3, heard);
    test_world_end(&t);
}

static jmp_buf after_abort;

static void leave(int number)
{
    (void)number;
    longjmp(after_abort, 1);
}

static bool aborts(mica_world *world)
{
    if (setjmp(after_abort) == 0) {
        signal(SIGABRT, leave);
        mica_despawn(world, (mica_entity){0});
        signal(SIGABRT, SIG_DFL);
        return false;
    }
    signal(SIGABRT, SIG_DFL);
    return true;
}

PROMISE(mica_world_set_abort_on_error)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    uint32_t weight = 1;
    heard = 0;
    mica_world_set_error_handler(world, hear, &weight);
    CHECK_EQUAL(MICA_OK, mica_world_set_abort_on_error(world, false));
    CHECK(!aborts(world));
    CHECK_EQUAL(1, heard);

    // [error.abort], [error.abort_inside]: tests/unit/base/host_test.c
    CHECK_EQUAL(MICA_OK, mica_world_set_abort_on_error(world, true));
    CHECK(aborts(world));
    CHECK_EQUAL(2, heard);
    mica_world_set_abort_on_error(world, false);
    test_world_end(&t);
}

TESTS(error, promise_of_mica_result_name, promise_of_mica_result_text, promise_of_mica_last_error,
      promise_of_mica_clear_error, promise_of_mica_world_set_error_handler,
      promise_of_mica_world_set_abort_on_error)
