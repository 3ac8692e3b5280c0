// A model is registered, with the k-th allocation refused, for all k: no type is new in the world.
#include <mica.h>

#include <string.h>

#include "oom/sites.h"
#include "runner/test.h"
#include "runner/world.h"

typedef struct Large {
    char text[30000]; // more than the types before it left room for
} Large;

typedef struct Larger {
    char text[60000];
} Larger;

typedef struct Small {
    int32_t a, b;
} Small;

static const Large filled = {.text = "default values take memory, too"};
static const Larger filled_too = {.text = "and more"};

#define MODEL(X)                                                                                   \
    X(TABLE, Small, a, b)                                                                          \
    X(WITH(default_value = &filled), Large, text)                                                  \
    X(WITH(default_value = &filled_too, storage = MICA_SPARSE), Larger, text)                      \
    X(SPARSE_TAG, Mark)                                                                            \
    X(TAG_WITH(name = "a tag of another name"), Tag)
MICA_MODEL(model, MODEL)

static void a_model_survives_every_refusal(void)
{
    test_world t;
    test_world_prepare(&t);
    sites_watch(&t);
    mica_world *world = test_world_open(&t);
    mica_type first = MICA_TAG(world, first);
    mica_entity e = mica_spawn(world, MICA_ADD(first));
    model made;
    uint64_t refused = 0;
    for (uint64_t k = 1;; k++) {
        uint64_t digest = mica_world_digest(world);
        memset(&made, 0xA5, sizeof made);
        test_memory_fail_at(&t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = model_register(world, &made);
        uint64_t refusals = t.memory.refusals;
        test_memory_fail_at(&t.memory, 0, TEST_MEMORY_ONCE);
        if (refusals == 0) {
            CHECK_EQUAL(MICA_OK, result);
            break;
        }
        refused++;
        CHECK_EQUAL(MICA_ERROR_MEMORY, result);
        test_error_clear(&t.error);
        CHECK_EQUAL(1, test_type_count(world));
        CHECK(MICA_IS_NONE(mica_type_find(world, "Small")));
        CHECK(MICA_IS_NONE(made.Small.type) && MICA_IS_NONE(made.Tag.type));
        CHECK_EQUAL(digest, mica_world_digest(world));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    CHECK(refused >= 2);
    CHECK_EQUAL(6, test_type_count(world));
    CHECK_EQUAL(MICA_OK, Mark_add(world, e, made.Mark));
    CHECK_EQUAL(MICA_OK, Large_add(world, e, made.Large));
    CHECK_TEXT(filled.text, Large_get(world, e, made.Large)->text);
    test_world_end(&t);
}

TESTS(model, a_model_survives_every_refusal)
