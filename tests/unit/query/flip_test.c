// Sparse tags that flip, also while others are iterated, where that could have a catch.
#include "state/state.h"
#include "unit/query/small.h"

// S3.7
TEST_WITH(small, s, sparse_tags_flip_without_moving_anything)
{
    mica_world *world = s->world;
    mica_entity e[10];
    for (int32_t i = 0; i < 10; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s->column, Num, i));
        if (i % 2) {
            mica_add(world, e[i], s->mark);
        }
    }
    mica_query marked =
        small_query(s, (mica_term){s->mark, MICA_WITH}, (mica_term){s->column, MICA_READ}, NO_TERM);
    uint32_t tables = mica_world_get_stats(world).tables;
    const void *place = mica_get(world, e[4], s->column);
    uint64_t moves = world->state->store.row_moves;
    for (uint32_t i = 0; i < 10; i++) {
        if (mica_has(world, e[i], s->mark)) {
            CHECK_EQUAL(MICA_OK, mica_remove(world, e[i], s->mark));
        } else {
            CHECK_EQUAL(MICA_OK, mica_add(world, e[i], s->mark));
        }
    }
    CHECK_EQUAL(tables, mica_world_get_stats(world).tables);
    CHECK_EQUAL(moves, world->state->store.row_moves);
    CHECK_POINTER(place, mica_get(world, e[4], s->column));
    CHECK_EQUAL(5, mica_query_count(world, marked));
    CHECK(mica_query_contains(world, marked, e[4]) && !mica_query_contains(world, marked, e[5]));
    mica_despawn(world, e[4]); // which clears its marks
    CHECK_EQUAL(4, mica_query_count(world, marked));
    mica_entity heir = mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(mica_entity_slot(e[4]), mica_entity_slot(heir));
    CHECK(!mica_has(world, heir, s->mark));
}

// S3.7. Nothing moves that anybody looks at.
TEST_WITH(small, s, sparse_tags_flip_while_others_are_iterated)
{
    mica_world *world = s->world;
    mica_type fresh = MICA_SPARSE_TAG(world, Fresh); // that nobody has ever had
    mica_entity e[40];
    for (int32_t i = 0; i < 40; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s->column, Num, i));
    }
    mica_query others = small_query(s, (mica_term){s->column, MICA_WRITE}, NO_TERM, NO_TERM);
    mica_query naming = small_query(s, (mica_term){s->column, MICA_WRITE},
                                    (mica_term){s->mark, MICA_OPTIONAL}, NO_TERM);
    mica_iter it;
    mica_iter_begin(world, others, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) { // more than there is room for
            CHECK_EQUAL(MICA_OK, mica_add(world, it.entities[i], s->mark));
            CHECK_EQUAL(MICA_OK, mica_add(world, it.entities[i], fresh));
            CHECK_EQUAL(MICA_OK, test_add_types(world, it.entities[i], &s->mark, 1));
        }
    }
    CHECK(mica_has(world, e[39], s->mark) && mica_has(world, e[39], fresh));
    mica_iter_begin(world, others, &it);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(MICA_OK, mica_remove(world, e[3], s->mark));
    const mica_type both[] = {s->mark, fresh};
    CHECK_EQUAL(MICA_OK, mica_change(world, e[4], NULL, 0, both, 2));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_add(world, e[3], s->loose)); // which has values
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_despawn(world, e[3]));
    CHECK_EQUAL(2, test_error_clear(&s->t.error));
    mica_iter inner;
    mica_iter_begin(world, naming, &inner);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_add(world, e[3], s->mark));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_remove(world, e[5], s->mark));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_change(world, e[5], NULL, 0, both, 2));
    CHECK_EQUAL(3, test_error_clear(&s->t.error));
    CHECK_EQUAL(MICA_OK, mica_remove(world, e[5], fresh));
    mica_iter_end(&inner);
    CHECK_EQUAL(MICA_OK, mica_add(world, e[3], s->mark));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    mica_iter_end(&it);
    CHECK(mica_has(world, e[5], s->mark) && !mica_has(world, e[5], fresh));
    CHECK(!mica_has(world, e[4], s->mark) && !mica_has(world, e[4], fresh));
}

static void update_flip(mica_iter *it)
{
    mica_type mark = *(const mica_type *)it->user;
    for (uint32_t i = 0; i < it->count; i++) {
        bool has = mica_has(it->world, it->entities[i], mark);
        CHECK_EQUAL(MICA_OK, has ? mica_remove(it->world, it->entities[i], mark)
                                 : mica_add(it->world, it->entities[i], mark));
    }
}

// In systems, step after step; relocate_always worlds give the same results.
static void tags_flip_in_systems_and_in_relocating_worlds(void)
{
    for (uint32_t relocate_always = 0; relocate_always < 2; relocate_always++) {
        mica_world *world = mica_world_new(&(mica_world_desc){.relocate_always = relocate_always});
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
        CHECK(!MICA_IS_NONE(flip));
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

TESTS(flip, sparse_tags_flip_without_moving_anything, sparse_tags_flip_while_others_are_iterated,
      tags_flip_in_systems_and_in_relocating_worlds)
