// What careless but honest programs do: handlers that clear errors, allocators that do not align,
// iterations that get lost, values that cannot be copied.
#include <mica.h>

#include <stdlib.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Owner {
    int32_t *thing; // ended by the destruct hook; cannot be copied
} Owner;

static int ended;

static void end_owner(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)context;
    Owner *owners = target;
    for (uint32_t i = 0; i < count; i++) {
        ended += owners[i].thing != NULL;
    }
}

static mica_result fail_to_copy(void *target, const void *source, uint32_t count,
                                const mica_hook_context *context)
{
    (void)target, (void)source, (void)count, (void)context;
    return MICA_ERROR_ARGUMENT;
}

static void clear_the_error(mica_world *world, const mica_error *error, void *user)
{
    (void)error;
    ++*(int *)user;
    mica_clear_error(world);
    mica_alive(world, (mica_entity){0});
}

static void a_handler_may_clear_the_error(void)
{
    test_world t;
    test_world_prepare(&t);
    int heard = 0;
    t.desc.error_handler = clear_the_error;
    t.desc.error_user = &heard;
    mica_world *world = test_world_open(&t);
    mica_type tag = MICA_TAG(world, Tag);
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_add(world, mica_entity_make(9, 9), tag));
    CHECK_EQUAL(1, heard);
    int refused = 0;
    for (uint64_t k = 1; k < 40; k++) {
        test_memory_fail_at(&t.memory, k, TEST_MEMORY_ONCE);
        int before = heard;
        mica_entity entity = mica_spawn_values(world, NULL, 0);
        CHECK_EQUAL(MICA_IS_NONE(entity), heard > before);
        refused += MICA_IS_NONE(entity);
        test_memory_fail_at(&t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    CHECK(refused > 0);
    test_world_end(&t);
}

static mica_type register_owner(mica_world *world)
{
    ended = 0;
    return mica_type_register(world, &(mica_type_desc){.name = "Owner",
                                                       .size = sizeof(Owner),
                                                       .align = _Alignof(Owner),
                                                       .hooks.destruct = end_owner});
}

TEST_WITH(test_world, t, what_cannot_be_copied_is_not_given_to_many)
{
    mica_world *world = t->world;
    mica_type owner = register_owner(world);
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_entity first = mica_spawn_values(world, NULL, 0);
    mica_spawn_values(world, NULL, 0);
    int32_t thing = 1;
    const Owner value = {&thing};
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_set_all(world, all, owner, &value, sizeof value, NULL));
    CHECK_ERROR(t, MICA_ERROR_HOOK, "mica_set_all: 'Owner' has a destruct hook but no copy hook");
    CHECK(!mica_has(world, first, owner));
    CHECK_EQUAL(0, ended);
    // One of one is handed over.
    CHECK_EQUAL(MICA_OK, mica_set_value(world, first, owner, &value, sizeof value));
    CHECK_EQUAL(0, ended);
    mica_despawn(world, first);
    CHECK_EQUAL(1, ended);
}

static void a_failed_call_leaves_what_it_was_given_to_the_caller(void)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type owner = register_owner(world);
    mica_type bad = mica_type_register(world, &(mica_type_desc){.name = "Bad",
                                                                .size = sizeof(int32_t),
                                                                .align = _Alignof(int32_t),
                                                                .hooks.copy = fail_to_copy});
    int32_t thing = 1;
    const Owner value = {&thing};
    const mica_value values[] = {{owner, &value, sizeof value, 1, NULL},
                                 {bad, &thing, sizeof thing, 1, NULL}};
    CHECK(MICA_IS_NONE(mica_spawn_values(world, values, 2)));
    CHECK_ERROR(&t, MICA_ERROR_HOOK, "mica_spawn: the copy hook of 'Bad' failed");
    mica_bundle bundle = mica_bundle_new(world, (mica_type[]){owner, bad}, 2);
    CHECK(MICA_IS_NONE(mica_spawn_bundle(world, bundle, values, 2)));
    CHECK_ERROR(&t, MICA_ERROR_HOOK, "mica_spawn_bundle: the copy hook of 'Bad' failed");
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_spawn_many(world, bundle, 1, values, 2, NULL));
    CHECK_ERROR(&t, MICA_ERROR_HOOK, "mica_spawn_many: the copy hook of 'Bad' failed");
    mica_entity entity = mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_set_values(world, entity, values, 2));
    CHECK_ERROR(&t, MICA_ERROR_HOOK, "mica_set: the copy hook of 'Bad' failed");
    CHECK_EQUAL(MICA_OK, test_add_types(world, entity, (mica_type[]){owner, bad}, 2));
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_set_values(world, entity, values, 2));
    CHECK_ERROR(&t, MICA_ERROR_HOOK, "mica_set: the copy hook of 'Bad' failed");
    CHECK_EQUAL(0, ended);
    test_world_end(&t);
    CHECK_EQUAL(0, ended);
}

// As if written by somebody who did not read about alignment.
static void *give_odd_blocks(void *user, void *block, size_t old_size, size_t new_size,
                             size_t align)
{
    (void)old_size, (void)align;
    if (!block) {
        unsigned char *odd = malloc(new_size + 1);
        ++*(int *)user;
        return odd ? odd + 1 : NULL;
    }
    if (new_size == 0) {
        free((unsigned char *)block - 1);
        --*(int *)user;
    }
    return NULL;
}

static void an_allocator_that_does_not_align_is_noticed(void)
{
    test_world t;
    test_world_prepare(&t);
    int blocks = 0;
    t.desc.allocator = (mica_allocator){give_odd_blocks, &blocks};
    CHECK_POINTER(NULL, mica_world_new(&t.desc));
    CHECK_ERROR(&t, MICA_ERROR_MEMORY,
                "mica_world_new: the allocator gave a block not aligned to 64 bytes");
    CHECK_EQUAL(0, blocks);
}

TEST_WITH(test_world, t, iterations_that_got_lost_can_be_ended)
{
    mica_world *world = t->world;
    mica_spawn_values(world, NULL, 0);
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true, .name = "all"});
    mica_iter it;
    mica_iter_begin(world, all, &it);
    CHECK(mica_iter_next(&it));
    memset(&it, 0xa5, sizeof it); // and is lost
    CHECK_EQUAL(MICA_OK, mica_iter_begin(world, all, &it));
    CHECK_EQUAL(2, mica_world_end_iterations(world));
    CHECK_EQUAL(0, mica_world_end_iterations(world));
    CHECK(!mica_iter_next(&it));
    CHECK_ERROR(t, MICA_ERROR_ITERATOR, "mica_iter_next: the iteration has ended");
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(&it));
    CHECK_ERROR(t, MICA_ERROR_ITERATOR, "mica_iter_end: the iteration has ended");
    CHECK(!MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    CHECK_EQUAL(MICA_OK, mica_query_free(world, all));
    CHECK_EQUAL(0, mica_world_end_iterations(NULL));
}

TEST_WITH(test_world, t, only_terms_that_are_written_give_rows_to_write)
{
    mica_world *world = t->world;
    mica_type owner = register_owner(world);
    mica_spawn(world, MICA_ADD(owner));
    mica_query reads = mica_query_new(world, &(mica_query_desc){.terms = {{owner, MICA_READ}}});
    mica_query writes = mica_query_new(world, &(mica_query_desc){.terms = {{owner, MICA_WRITE}}});
    mica_iter it;
    mica_iter_begin(world, reads, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK(mica_read_row(&it, 0, 0) != NULL);
    CHECK_POINTER(NULL, mica_write_row(&it, 0, 0));
    CHECK_ERROR(t, MICA_ERROR_TERM,
                "mica_write_row: term 0 ('Owner') is only read; use mica_read, or declare it "
                "MICA_WRITE");
    mica_iter_end(&it);
    mica_iter_begin(world, writes, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(mica_write(&it, 0), mica_write_row(&it, 0, 0));
    CHECK_POINTER(NULL, mica_write_row(&it, 0, 1));
    CHECK_ERROR(t, MICA_ERROR_ARGUMENT, "mica_write_row: row 1 of a segment of 1");
    mica_iter_end(&it);
    CHECK_POINTER(NULL, mica_read(NULL, 0));
    CHECK_POINTER(NULL, mica_write(NULL, 0));
}

TESTS(care, a_handler_may_clear_the_error, what_cannot_be_copied_is_not_given_to_many,
      a_failed_call_leaves_what_it_was_given_to_the_caller,
      an_allocator_that_does_not_align_is_noticed, iterations_that_got_lost_can_be_ended,
      only_terms_that_are_written_give_rows_to_write)
