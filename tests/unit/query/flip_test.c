// Sparse tags that flip while others are iterated, where that could have a catch.
#include <mica.h>

#include "runner/test.h"

static void update_flip(mica_iter *it)
{
    mica_type mark = *(const mica_type *)it->user;
    for (uint32_t i = 0; i < it->count; i++) {
        bool has = mica_has(it->world, it->entities[i], mark);
        CHECK_EQUAL(MICA_OK, has ? mica_remove(it->world, it->entities[i], mark)
                                 : mica_add(it->world, it->entities[i], mark));
    }
}

// In systems, step after step; restless worlds give the same results.
static void tags_flip_in_systems_and_in_restless_worlds(void)
{
    for (uint32_t restless = 0; restless < 2; restless++) {
        mica_world *world = mica_world_new(&(mica_world_desc){.restless = restless});
        mica_type body = MICA_TAG(world, Body);
        mica_type mark = MICA_SPARSE_TAG(world, Mark);
        mica_entity e[100];
        for (uint32_t i = 0; i < 100; i++) {
            e[i] = mica_spawn(world, MICA_ADD(body));
        }
        mica_system flip =
            mica_system_add(world, &(mica_system_desc){.name = "flip",
                                                       .update = update_flip,
                                                       .user = &mark,
                                                       .query.terms = {{body, MICA_WITH}}});
        CHECK(!mica_system_is_none(flip));
        mica_query marked = mica_query_new(world, &(mica_query_desc){.terms = {{mark, MICA_WITH}}});
        for (uint32_t step = 0; step < 4; step++) {
            CHECK_EQUAL(MICA_OK, mica_step(world, 1));
            CHECK_EQUAL(step % 2 == 0 ? 100 : 0, mica_query_count(world, marked));
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        }
        CHECK(!mica_has(world, e[99], mark));
        mica_world_free(world);
    }
}

TESTS(flip, tags_flip_in_systems_and_in_restless_worlds)
