#include "state/state.h"

#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

static void all_defaults_make_a_world(void)
{
    mica_world *world = mica_world_new(NULL);
    REQUIRE(world != NULL);
    CHECK_EQUAL(MICA_OK, mica_last_error(world)->code);
    CHECK_TEXT("", mica_last_error(world)->sentence);
    CHECK_EQUAL(0, mica_entity_count(world));
    CHECK_EQUAL(0, test_type_count(world));
    CHECK_EQUAL(UINT32_MAX, world->state->slots.limit);
    CHECK_EQUAL(16777215, world->state->registry.limit);
    CHECK(mica_alive(world, mica_spawn_values(world, NULL, 0)));
    CHECK(!MICA_IS_NONE(MICA_TAG(world, Tag)));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    CHECK_EQUAL(MICA_OK, mica_world_free(world));

    world = mica_world_new(&(mica_world_desc){0});
    CHECK(world != NULL);
    CHECK_EQUAL(MICA_OK, mica_world_free(world));
    CHECK_EQUAL(MICA_OK, mica_world_free(NULL));
}

static void limits_can_be_lowered(void)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = 1;
    t.desc.max_types = 1;
    mica_world *world = test_world_open(&t);
    CHECK(!MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    CHECK(MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    CHECK_ERROR(&t, MICA_ERROR_LIMIT,
                "mica_spawn: the world's limit of 1 entity slots would be passed: 1 in use");
    CHECK(!MICA_IS_NONE(MICA_TAG(world, A)));
    CHECK(MICA_IS_NONE(MICA_TAG(world, B)));
    CHECK_ERROR(&t, MICA_ERROR_LIMIT,
                "mica_type_register: 'B' is one more than the world's limit of 1 types");
    test_world_end(&t);
}

static void the_highest_limits_are_those_of_the_format(void)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = UINT32_MAX;
    t.desc.max_types = 16777215;
    test_world_open(&t);
    test_world_end(&t);

    test_world_prepare(&t);
    t.desc.max_types = 16777216;
    CHECK_POINTER(NULL, mica_world_new(&t.desc));
    CHECK_ERROR(&t, MICA_ERROR_ARGUMENT,
                "mica_world_new: a limit of 16777216 types is beyond 16777215");
    test_world_end(&t);
}

static void a_descriptor_that_was_not_zeroed_makes_no_world(void)
{
    test_world t;
    test_world_prepare(&t);
    mica_world_desc desc;
    memset(&desc, 0xA5, sizeof desc); // its handler must not be called either
    CHECK_POINTER(NULL, mica_world_new(&desc));
    t.desc.first_zero = 1;
    CHECK_POINTER(NULL, mica_world_new(&t.desc));
    t.desc.first_zero = 0;
    t.desc.last_zero = 1;
    CHECK_POINTER(NULL, mica_world_new(&t.desc));
    CHECK_EQUAL(0, t.error.calls);
    CHECK_EQUAL(0, t.memory.allocations);
    test_world_end(&t);
}

static void too_little_memory_makes_no_world(void)
{
    test_world t;
    test_world_prepare(&t);
    mica_world *world = mica_world_new(&t.desc);
    uint64_t allocations = t.memory.allocations;
    CHECK(allocations > 0);
    mica_world_free(world);
    for (uint64_t which = 1; which <= allocations; which++) {
        test_memory_fail_at(&t.memory, which, TEST_MEMORY_ONCE);
        CHECK_POINTER(NULL, mica_world_new(&t.desc));
        CHECK_EQUAL(MICA_ERROR_MEMORY, t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&t.error));
        CHECK_EQUAL(0, t.memory.blocks);
    }
    test_world_end(&t);
}

// Every function that takes a world. They report to standard error: there is no handler to ask.
static void without_a_world_functions_return_null_things(void)
{
    mica_type_set set = {0};
    mica_type type = {1};
    mica_entity entity = mica_entity_make(0, 0);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_validate(NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_clear(NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_reclaim(NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_set_error_handler(NULL, NULL, NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_set_abort_on_error(NULL, true));
    CHECK_POINTER(NULL, mica_last_error(NULL));
    mica_clear_error(NULL);
    mica_memory_stats stats = mica_world_get_stats(NULL).memory;
    CHECK_BYTES(&(mica_memory_stats){0}, &stats, sizeof stats);

    CHECK(MICA_IS_NONE(mica_spawn_values(NULL, NULL, 0)));
    CHECK(MICA_IS_NONE(mica_spawn_at(NULL, entity)));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_despawn(NULL, entity));
    CHECK(!mica_alive(NULL, entity));
    CHECK_EQUAL(0, mica_entity_count(NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_entity_reserve(NULL, 1));
    CHECK(MICA_IS_NONE(mica_entity_next(NULL, (mica_entity){0})));

    CHECK(MICA_IS_NONE(mica_type_register(NULL, &(mica_type_desc){.name = "A"})));
    CHECK(MICA_IS_NONE(mica_type_register(NULL, NULL)));
    CHECK(MICA_IS_NONE(MICA_TAG(NULL, A)));
    CHECK(MICA_IS_NONE(mica_type_find(NULL, "A")));
    CHECK_POINTER(NULL, mica_type_get_info(NULL, type));
    CHECK(MICA_IS_NONE(mica_type_next(NULL, (mica_type){0})));

    mica_type_set_free(NULL, &set);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_add(NULL, &set, type));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_remove(NULL, &set, type));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_copy(NULL, &set, &set));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_union(NULL, &set, &set, &set));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_intersection(NULL, &set, &set, &set));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_set_difference(NULL, &set, &set, &set));
    CHECK(!mica_type_set_has(NULL, &set, type));
    CHECK(MICA_IS_NONE(mica_type_set_next(NULL, &set, (mica_type){0})));
    CHECK_EQUAL(0, mica_type_set_column_count(NULL, &set));
    CHECK_EQUAL(-1, mica_type_set_column(NULL, &set, type));
}

TEST_WITH(test_world, t, the_last_error_stays_until_it_is_cleared)
{
    mica_world *world = t->world;
    const mica_error *error = mica_last_error(world);
    CHECK_EQUAL(MICA_OK, error->code);
    mica_despawn(world, (mica_entity){0});
    test_error_clear(&t->error);
    mica_spawn_values(world, NULL, 0); // success does not clear it
    CHECK_EQUAL(MICA_ERROR_ENTITY, error->code);
    CHECK_TEXT("mica_despawn: the entity is none", error->sentence);
    mica_type_find(world, NULL);
    test_error_clear(&t->error);
    CHECK_POINTER(error, mica_last_error(world));
    CHECK_EQUAL(MICA_ERROR_NULL, error->code);
    mica_clear_error(world);
    CHECK_EQUAL(MICA_OK, error->code);
    CHECK_TEXT("", error->sentence);
}

typedef struct heard {
    uint32_t calls;
    mica_world *world;
    mica_result code;
} heard;

static void hear_error(mica_world *world, const mica_error *error, void *user)
{
    heard *h = user;
    h->calls++;
    h->world = world;
    h->code = error->code;
    // A handler may look at the world.
    CHECK_EQUAL(0, mica_entity_count(world));
    CHECK_EQUAL(error->code, mica_last_error(world)->code);
}

TEST_WITH(test_world, t, the_error_handler_can_be_replaced)
{
    mica_world *world = t->world;
    heard h = {0};
    CHECK_EQUAL(MICA_OK, mica_world_set_error_handler(world, hear_error, &h));
    mica_despawn(world, (mica_entity){0});
    CHECK_EQUAL(1, h.calls);
    CHECK_POINTER(world, h.world);
    CHECK_EQUAL(MICA_ERROR_ENTITY, h.code);
    CHECK_EQUAL(0, t->error.calls);
    CHECK_EQUAL(MICA_OK, mica_world_set_error_handler(world, NULL, NULL)); // standard error
    mica_despawn(world, (mica_entity){0});
    CHECK_EQUAL(1, h.calls);
    CHECK_EQUAL(MICA_OK, mica_world_set_error_handler(world, test_error_record, &t->error));
    mica_despawn(world, (mica_entity){0});
    CHECK_ERROR(t, MICA_ERROR_ENTITY, "mica_despawn: the entity is none");
}

TEST_WITH(test_world, t, not_aborting_on_errors_is_a_setting)
{
    mica_world *world = t->world;
    CHECK_EQUAL(MICA_OK, mica_world_set_abort_on_error(world, true));
    CHECK(world->host.abort_on_error);
    CHECK_EQUAL(MICA_OK, mica_world_set_abort_on_error(world, false));
    mica_despawn(world, (mica_entity){0});
    CHECK_ERROR(t, MICA_ERROR_ENTITY, "mica_despawn: the entity is none");
}

static void two_worlds_share_nothing(void)
{
    test_world a;
    test_world b;
    test_world_begin(&a);
    test_world_begin(&b);
    mica_entity entity = mica_spawn_values(a.world, NULL, 0);
    mica_entity other = mica_spawn_values(a.world, NULL, 0);
    CHECK_EQUAL(0, mica_entity_count(b.world));
    CHECK(!mica_alive(b.world, entity));
    // Handles carry no world: the same slot and generation look the same.
    CHECK(MICA_EQUAL(entity, mica_spawn_values(b.world, NULL, 0)));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(b.world, other));
    CHECK_ERROR(&b, MICA_ERROR_ENTITY, "mica_despawn: entity 1.0 is dead, or of another world");
    CHECK_EQUAL(MICA_OK, mica_last_error(a.world)->code);
    CHECK_EQUAL(0, a.error.calls);

    mica_type type = MICA_TAG(a.world, Tag);
    CHECK(MICA_IS_NONE(mica_type_find(b.world, "Tag")));
    CHECK(!MICA_EQUAL(type, MICA_TAG(b.world, Tag)));
    CHECK_EQUAL(MICA_OK, mica_despawn(b.world, entity));
    CHECK(mica_alive(a.world, entity));
    test_world_end(&b);
    CHECK(mica_alive(a.world, entity));
    test_world_end(&a);
}

static void check_memory(const test_world *t)
{
    mica_memory_stats stats = mica_world_get_stats(t->world).memory;
    CHECK_EQUAL(t->memory.bytes, stats.bytes);
    CHECK_EQUAL(t->memory.blocks, stats.blocks);
    CHECK_EQUAL(t->memory.allocations, stats.allocations);
    // Lower than the allocator's, which has old and new block at once when one is resized.
    CHECK(stats.peak_bytes >= stats.bytes && stats.peak_bytes <= t->memory.peak_bytes);
}

TEST_WITH(test_world, t, memory_is_counted_as_it_was_asked_for)
{
    mica_world *world = t->world;
    check_memory(t);
    CHECK(mica_world_get_stats(world).memory.bytes >= sizeof *world);
    for (int i = 0; i < 100; i++) {
        mica_spawn_values(world, NULL, 0);
        MICA_TAG(world, Tag);
        check_memory(t);
    }
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_entity_reserve(world, 1000 * MICAI_SLOT_PAGE_SIZE));
    test_memory_fail_at(&t->memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(1, test_error_clear(&t->error));
    check_memory(t); // what was refused is not counted
}

// The invariants themselves are broken one by one in the tests of src/core.
TEST_WITH(test_world, t, validation_sweeps_slots_and_types)
{
    mica_world *world = t->world;
    mica_spawn_values(world, NULL, 0);
    MICA_TAG(world, Tag);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));

    world->state->slots.alive = 7;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT, "invariant S1 is broken: 1 slots are alive, not 7");
    world->state->slots.alive = 1;

    world->state->registry.list.items[0]->number = 7;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT, "invariant K1 is broken: type 0 thinks it is another");
    world->state->registry.list.items[0]->number = 0;
}

TEST_WITH(test_world, t, validation_finds_a_broken_w1)
{
    mica_world *world = t->world;
    mica_world *other = mica_world_new(NULL);
    const mica_view_face view = world->view;
    world->view = other->view;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT,
                "invariant W1 is broken: the face and the state of the world do not match");
    world->view = view;
    world->state->host = &other->host;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT,
                "invariant W1 is broken: the face and the state of the world do not match");
    world->state->host = &world->host;
    mica_world_free(other);
}

TEST_WITH(test_world, t, validation_finds_a_broken_w8)
{
    mica_world *world = t->world;
    world->state->observers_created = 1;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT,
                "invariant W8 is broken: observer state exists without observers");
    world->state->observers_created = 0;
}

TEST_WITH(test_world, t, validation_finds_a_broken_b2)
{
    mica_world *world = t->world;
    world->host.hook = "copy";
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT, "invariant B2 is broken: a running hook has no type");
    world->host.hook = NULL;
}

TEST_WITH(test_world, t, validation_finds_a_broken_w7)
{
    mica_world *world = t->world;
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    REQUIRE(micai_arena_alloc(&world->host, &world->scratch, 8, 8) != NULL);
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT,
                "invariant W7 is broken: scratch memory is in use between calls");
    micai_arena_rewind(&world->scratch, mark);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
}

static void the_version_is_that_of_the_header(void)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", MICA_VERSION_MAJOR, MICA_VERSION_MINOR,
             MICA_VERSION_PATCH);
    CHECK_TEXT(version, mica_version());
}

// An allocator whose blocks lie where those of the world before lay.
typedef struct same_place {
    _Alignas(64) unsigned char bytes[1 << 18];
    size_t used;
} same_place;

static void *give_same_place(void *user, void *block, size_t old_size, size_t new_size,
                             size_t align)
{
    same_place *place = user;
    if (new_size == 0) {
        return NULL;
    }
    size_t start = (place->used + align - 1) / align * align;
    if (start + new_size > sizeof place->bytes) {
        return NULL;
    }
    place->used = start + new_size;
    if (block) {
        memcpy(place->bytes + start, block, old_size < new_size ? old_size : new_size);
    }
    return place->bytes + start;
}

static void update_nothing(mica_iter *it)
{
    (void)it;
}

static void handles_of_a_dead_world_are_nothing_in_one_at_its_address(void)
{
    static same_place place;
    mica_world *worlds[2];
    mica_type tags[2];
    mica_query queries[2];
    mica_bundle bundles[2];
    mica_system systems[2];
    test_error error = {0};
    for (int i = 0; i < 2; i++) {
        place.used = 0;
        mica_world *world = worlds[i] =
            mica_world_new(&(mica_world_desc){.allocator = {give_same_place, &place},
                                              .error_handler = test_error_record,
                                              .error_user = &error});
        REQUIRE(world != NULL);
        tags[i] = MICA_TAG(world, Tag);
        queries[i] = mica_query_new(world, &(mica_query_desc){.terms = {{tags[i], MICA_WITH}}});
        bundles[i] = mica_bundle_new(world, &tags[i], 1);
        systems[i] = mica_system_add(
            world,
            &(mica_system_desc){.name = "s", .update = update_nothing, .query.everything = true});
        CHECK_EQUAL(0, error.calls);
        if (i == 0) {
            CHECK_EQUAL(MICA_OK, mica_world_free(world));
        }
    }
    mica_world *world = worlds[1];
    CHECK_POINTER(worlds[0], world);
    mica_entity e = mica_spawn(world, MICA_ADD(tags[1]));
    CHECK(!mica_has(world, e, tags[0]));
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_remove(world, e, tags[0]));
    CHECK_EQUAL(MICA_ERROR_QUERY, mica_despawn_all(world, queries[0], NULL));
    CHECK_EQUAL(MICA_ERROR_BUNDLE, mica_bundle_free(world, bundles[0]));
    CHECK_EQUAL(MICA_ERROR_SYSTEM, mica_system_remove(world, systems[0]));
    CHECK_EQUAL(5, test_error_clear(&error));
    CHECK(mica_has(world, e, tags[1]));
    CHECK_EQUAL(1, mica_query_count(world, queries[1]));
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, systems[1]));
    CHECK_EQUAL(MICA_OK, mica_world_free(world));
    CHECK_EQUAL(0, error.calls);
}

static void the_allocator_of_a_world_can_be_used_by_others(void) // S1.3
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_allocator own = mica_world_allocator(world);
    mica_memory_stats before = mica_world_get_stats(world).memory;
    void *block = own.resize(own.user, NULL, 0, 100, 16);
    REQUIRE(block != NULL);
    CHECK_EQUAL(before.blocks, mica_world_get_stats(world).memory.blocks); // not counted
    CHECK_EQUAL(before.blocks + 1, t.memory.blocks);
    block = own.resize(own.user, block, 100, 200, 16);
    own.resize(own.user, block, 200, 0, 16);
    test_world_end(&t);
    // The C library's, too, and after the world is gone.
    world = mica_world_new(NULL);
    own = mica_world_allocator(world);
    REQUIRE(own.resize != NULL);
    block = own.resize(own.user, NULL, 0, 100, 16);
    CHECK_EQUAL(MICA_OK, mica_world_free(world));
    memset(block, 1, 100);
    own.resize(own.user, block, 100, 0, 16);
    CHECK(mica_world_allocator(NULL).resize == NULL); // on standard error
}

TESTS(world, all_defaults_make_a_world, limits_can_be_lowered,
      the_highest_limits_are_those_of_the_format, a_descriptor_that_was_not_zeroed_makes_no_world,
      too_little_memory_makes_no_world, without_a_world_functions_return_null_things,
      the_last_error_stays_until_it_is_cleared, the_error_handler_can_be_replaced,
      not_aborting_on_errors_is_a_setting, two_worlds_share_nothing,
      memory_is_counted_as_it_was_asked_for, the_allocator_of_a_world_can_be_used_by_others,
      validation_sweeps_slots_and_types, validation_finds_a_broken_w1, validation_finds_a_broken_w7,
      validation_finds_a_broken_w8, validation_finds_a_broken_b2, the_version_is_that_of_the_header,
      handles_of_a_dead_world_are_nothing_in_one_at_its_address)
