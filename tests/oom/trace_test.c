// Tracing, with the k-th allocation refused, for all k: it does not begin, and nothing has changed.
#include <mica.h>

#include "oom/sites.h"
#include "runner/test.h"
#include "runner/world.h"

static void ignore(const mica_trace_point *point)
{
    (void)point;
}

static bool swallow(void *user, const void *data, size_t size)
{
    (void)data;
    *(size_t *)user += size;
    return true;
}

static mica_result begin_trace(mica_world *world, bool written, size_t *size)
{
    return written ? mica_trace_begin(world, &(mica_stream){.write = swallow, .user = size}, NULL)
                   : mica_trace_set(world, ignore, NULL);
}

static void tracing_survives_every_refusal(void)
{
    test_world t;
    test_world_prepare(&t);
    sites_watch(&t);
    mica_world *world = test_world_open(&t);
    for (int written = 0; written < 2; written++) {
        size_t size = 0;
        uint64_t digest = mica_world_digest(world);
        mica_result result = MICA_ERROR_MEMORY;
        uint64_t refused = 0;
        for (uint64_t k = 1; result == MICA_ERROR_MEMORY; k++) {
            test_memory_fail_at(&t.memory, k, TEST_MEMORY_ONCE);
            result = begin_trace(world, written, &size);
            refused += t.memory.refusals;
            CHECK_EQUAL(t.memory.refusals, test_error_clear(&t.error));
            test_memory_fail_at(&t.memory, 0, TEST_MEMORY_ONCE);
            CHECK_EQUAL(digest, mica_world_digest(world));
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
            CHECK_EQUAL(0, size);
        }
        CHECK_EQUAL(MICA_OK, result);
        CHECK(refused > 0);
        CHECK_EQUAL(MICA_OK, mica_step(world, 1));
        CHECK_EQUAL(MICA_OK, written ? mica_trace_end(world) : mica_trace_set(world, NULL, NULL));
        CHECK(written == (size > 0));
    }
    test_world_end(&t);
}

TESTS(trace, tracing_survives_every_refusal)
