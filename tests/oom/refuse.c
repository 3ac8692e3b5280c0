// refuse.h has the contract.
#include "oom/refuse.h"

#include <mica/debug.h>

#include "runner/test.h"

static uint64_t look(const refusing *what, uint32_t number)
{
    return what->look ? what->look(what->scene, number) : mica_world_digest(what->world);
}

uint64_t refuse_each(const refusing *what, uint32_t number, bool *is_out)
{
    uint64_t refused = 0;
    for (uint64_t k = what->first;; k++) {
        const uint64_t hash = mica_world_hash(what->world);
        const uint64_t seen = look(what, number);
        bool done = false;
        test_memory_fail_at(&what->t->memory, k, TEST_MEMORY_ONCE);
        *is_out = what->call(what->scene, number, &done);
        const uint64_t refusals = what->t->memory.refusals;
        test_memory_fail_at(&what->t->memory, 0, TEST_MEMORY_ONCE);
        refused += refusals;
        if (!*is_out || done || refusals == 0) {
            CHECK(!*is_out || done);
            uint32_t reported = test_error_clear(&what->t->error);
            CHECK(refusals > 0 || reported == 0);
            return refused;
        }
        CHECK_EQUAL(MICA_ERROR_MEMORY, what->t->error.last.code);
        CHECK_EQUAL(1, test_error_clear(&what->t->error));
        CHECK_EQUAL(hash, mica_world_hash(what->world));
        CHECK_EQUAL(seen, look(what, number));
        CHECK_EQUAL(MICA_OK, mica_world_validate(what->world));
    }
}
