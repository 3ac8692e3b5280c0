// Every result code is provoked here, by a function that is named after it: a code without one does
// not compile. The sentences of all its causes are checked by the unit tests.
#include <mica.h>

#include <string.h>

#include "base/stream.h"
#include "base/thread.h"
#include "runner/capture.h"
#include "runner/test.h"
#include "runner/world.h"
#include "state/state.h"

// Exactly one failure was reported, with this code; the world kept it as its last error.
static void check_code(test_world *t, mica_result code)
{
    CHECK_EQUAL(1, t->error.calls);
    CHECK_TEXT(mica_result_name(code), mica_result_name(t->error.last.code));
    CHECK(t->error.last.sentence[0] != '\0');
    if (t->world != NULL) {
        CHECK_EQUAL(code, mica_last_error(t->world)->code);
        CHECK_TEXT(t->error.last.sentence, mica_last_error(t->world)->sentence);
    }
    test_error_clear(&t->error);
}

TEST_WITH(test_world, t, provoke_OK)
{
    mica_world *world = t->world;
    CHECK_EQUAL(MICA_OK, mica_despawn(world, mica_spawn_values(world, NULL, 0)));
    CHECK_EQUAL(MICA_OK, mica_last_error(world)->code);
    CHECK_EQUAL(0, t->error.calls);
}

TEST_WITH(test_world, t, provoke_ERROR_NULL)
{
    mica_world *world = t->world;
    CHECK(MICA_IS_NONE(mica_type_register(world, NULL)));
    check_code(t, MICA_ERROR_NULL);
}

TEST_WITH(test_world, t, provoke_ERROR_MEMORY)
{
    mica_world *world = t->world;
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_entity_reserve(world, 100000));
    check_code(t, MICA_ERROR_MEMORY);
}

static void provoke_ERROR_LIMIT(void)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = 1;
    mica_world *world = test_world_open(&t);
    mica_spawn_values(world, NULL, 0);
    CHECK(MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    check_code(&t, MICA_ERROR_LIMIT);
    test_world_end(&t);
}

static void provoke_ERROR_ARGUMENT(void)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_types = UINT32_MAX;
    CHECK_POINTER(NULL, mica_world_new(&t.desc));
    check_code(&t, MICA_ERROR_ARGUMENT);
    test_world_end(&t);
}

TEST_WITH(test_world, t, provoke_ERROR_DESC)
{
    mica_world *world = t->world;
    CHECK(MICA_IS_NONE(mica_type_register(world, &(mica_type_desc){.name = "A", .last_zero = 1})));
    check_code(t, MICA_ERROR_DESC);
}

TEST_WITH(test_world, t, provoke_ERROR_NAME)
{
    mica_world *world = t->world;
    CHECK(MICA_IS_NONE(mica_type_register(world, &(mica_type_desc){.name = ""})));
    check_code(t, MICA_ERROR_NAME);
}

TEST_WITH(test_world, t, provoke_ERROR_ENTITY)
{
    mica_world *world = t->world;
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(world, (mica_entity){0}));
    check_code(t, MICA_ERROR_ENTITY);
}

TEST_WITH(test_world, t, provoke_ERROR_OCCUPIED)
{
    mica_world *world = t->world;
    CHECK(MICA_IS_NONE(mica_spawn_at(world, mica_spawn_values(world, NULL, 0))));
    check_code(t, MICA_ERROR_OCCUPIED);
}

TEST_WITH(test_world, t, provoke_ERROR_TYPE)
{
    mica_world *world = t->world;
    CHECK_POINTER(NULL, mica_type_get_info(world, (mica_type){0}));
    check_code(t, MICA_ERROR_TYPE);
}

TEST_WITH(test_world, t, provoke_ERROR_SHAPE)
{
    mica_world *world = t->world;
    MICA_TAG(world, A);
    CHECK(MICA_IS_NONE(
        mica_type_register(world, &(mica_type_desc){.name = "A", .size = 1, .align = 1})));
    check_code(t, MICA_ERROR_SHAPE);
}

TEST_WITH(test_world, t, provoke_ERROR_SIZE)
{
    mica_world *world = t->world;
    CHECK(MICA_IS_NONE(
        mica_type_register(world, &(mica_type_desc){.name = "A", .size = 3, .align = 2})));
    check_code(t, MICA_ERROR_SIZE);
}

TEST_WITH(test_world, t, provoke_ERROR_ALIGNMENT)
{
    mica_world *world = t->world;
    CHECK(MICA_IS_NONE(
        mica_type_register(world, &(mica_type_desc){.name = "A", .size = 3, .align = 3})));
    check_code(t, MICA_ERROR_ALIGNMENT);
}

TEST_WITH(test_world, t, provoke_ERROR_FIELD)
{
    mica_world *world = t->world;
    const mica_field_info field = {.name = "f", .kind = MICA_KIND_I32, .offset = 1};
    CHECK(MICA_IS_NONE(mica_type_register(
        world, &(mica_type_desc){
                   .name = "A", .size = 4, .align = 4, .fields = &field, .field_count = 1})));
    check_code(t, MICA_ERROR_FIELD);
}

TEST_WITH(test_world, t, provoke_ERROR_CORRUPT)
{
    mica_world *world = t->world;
    world->state->slots.alive++;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    check_code(t, MICA_ERROR_CORRUPT);
    world->state->slots.alive--;
}

static mica_result refuse(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target;
    (void)count;
    (void)context;
    return MICA_ERROR_ARGUMENT;
}

TEST_WITH(test_world, t, provoke_ERROR_HOOK)
{
    mica_world *world = t->world;
    mica_type type = mica_type_register(
        world,
        &(mica_type_desc){.name = "A", .size = 4, .align = 4, .hooks = {.construct = refuse}});
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_add(world, mica_spawn_values(world, NULL, 0), type));
    check_code(t, MICA_ERROR_HOOK);
}

TEST_WITH(test_world, t, provoke_ERROR_BUNDLE)
{
    mica_world *world = t->world;
    CHECK(MICA_IS_NONE(mica_spawn_bundle(world, (mica_bundle){0}, NULL, 0)));
    check_code(t, MICA_ERROR_BUNDLE);
}

TEST_WITH(test_world, t, provoke_ERROR_ITERATING)
{
    mica_world *world = t->world;
    mica_iter it;
    mica_iter_begin(world, mica_query_new(world, &(mica_query_desc){.everything = true}), &it);
    CHECK(MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    check_code(t, MICA_ERROR_ITERATING);
    mica_iter_end(&it);
}

TEST_WITH(test_world, t, provoke_ERROR_QUERY)
{
    mica_world *world = t->world;
    CHECK_EQUAL(0, mica_query_count(world, (mica_query){0}));
    check_code(t, MICA_ERROR_QUERY);
}

TEST_WITH(test_world, t, provoke_ERROR_TERMS)
{
    mica_world *world = t->world;
    mica_type tag = MICA_TAG(world, A);
    CHECK(MICA_IS_NONE(mica_query_new(
        world, &(mica_query_desc){.terms = {{tag, MICA_WITH}, {tag, MICA_WITHOUT}}})));
    check_code(t, MICA_ERROR_TERMS);
}

TEST_WITH(test_world, t, provoke_ERROR_TERM)
{
    mica_world *world = t->world;
    mica_spawn_values(world, NULL, 0);
    mica_iter it;
    mica_iter_begin(world, mica_query_new(world, &(mica_query_desc){.everything = true}), &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(NULL, mica_read(&it, 0));
    check_code(t, MICA_ERROR_TERM);
    mica_iter_end(&it);
}

TEST_WITH(test_world, t, provoke_ERROR_ITERATOR)
{
    mica_world *world = t->world;
    mica_iter it;
    mica_iter_begin(world, mica_query_new(world, &(mica_query_desc){.everything = true}), &it);
    mica_iter_end(&it);
    CHECK(!mica_iter_next(&it));
    check_code(t, MICA_ERROR_ITERATOR);
}

TEST_WITH(test_world, t, provoke_ERROR_SYSTEM)
{
    mica_world *world = t->world;
    CHECK_EQUAL(MICA_ERROR_SYSTEM, mica_system_remove(world, (mica_system){0}));
    check_code(t, MICA_ERROR_SYSTEM);
}

TEST_WITH(test_world, t, provoke_ERROR_VERSION)
{
    mica_world *world = t->world;
    mica_type type =
        mica_type_register(world, &(mica_type_desc){.name = "A", .size = 4, .align = 4});
    CHECK_EQUAL(0, mica_accessor_new_any(world, type, MICA_VIEW_LAYOUT + 1).size);
    check_code(t, MICA_ERROR_VERSION);
}

static void spawn_and_record(mica_world *world, const mica_error *error, void *user)
{
    CHECK(MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    test_error_record(world, error, user);
}

static mica_world *handled;

static void despawn_nobody(void)
{
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(handled, (mica_entity){0}));
}

// Reported to standard error and not to the handler, which might go on like that for ever.
static void provoke_ERROR_HANDLER(void)
{
    test_world t;
    handled = test_world_begin(&t);
    CHECK_EQUAL(MICA_OK, mica_world_set_error_handler(handled, spawn_and_record, &t.error));
    char text[400];
    test_capture_stderr(despawn_nobody, text, sizeof text);
    CHECK_TEXT("mica: mica_spawn: refused inside the error handler, which may look at the "
               "world but not change it\n",
               text);
    check_code(&t, MICA_ERROR_ENTITY);
    CHECK_EQUAL(0, mica_entity_count(handled));
    test_world_end(&t);
}

TEST_WITH(test_world, t, provoke_ERROR_GROUP)
{
    mica_world *world = t->world;
    CHECK_EQUAL(MICA_ERROR_GROUP, mica_group_free(world, (mica_group){0}));
    check_code(t, MICA_ERROR_GROUP);
}

TEST_WITH(test_world, t, provoke_ERROR_OWNED)
{
    mica_world *world = t->world;
    mica_type a = MICA_SPARSE_TAG(world, A);
    mica_type b = MICA_SPARSE_TAG(world, B);
    mica_group_new(world, &(mica_group_desc){.owned = {a}, .required = {b}});
    CHECK_EQUAL(MICA_ERROR_OWNED, mica_sort_like(world, a, b));
    check_code(t, MICA_ERROR_OWNED);
}

TEST_WITH(test_world, t, provoke_ERROR_STORAGE)
{
    mica_world *world = t->world;
    typedef struct Position {
        float x, y;
    } Position;
    mica_type position = MICA_REGISTER_SPLIT(world, Position, x, y);
    mica_entity e = mica_spawn(world, MICA_ADD(position));
    CHECK_POINTER(NULL, mica_get(world, e, position));
    check_code(t, MICA_ERROR_STORAGE);
}

TEST_WITH(test_world, t, provoke_ERROR_RECORDING)
{
    mica_world *world = t->world;
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_world_clear(mica_world_later(world)));
    check_code(t, MICA_ERROR_RECORDING);
}

TEST_WITH(test_world, t, provoke_ERROR_KEY)
{
    mica_world *world = t->world;
    mica_entity e = mica_spawn_values(world, NULL, 0);
    mica_facet_add_values(world, e, (mica_type){0}, 1, NULL, 0);
    CHECK(MICA_IS_NONE(mica_facet_add_values(world, e, (mica_type){0}, 1, NULL, 0)));
    check_code(t, MICA_ERROR_KEY);
}

TEST_WITH(test_world, t, provoke_ERROR_OBSERVER)
{
    mica_world *world = t->world;
    CHECK_EQUAL(MICA_ERROR_OBSERVER, mica_observer_free(world, (mica_observer){0}));
    check_code(t, MICA_ERROR_OBSERVER);
}

TEST_WITH(test_world, t, provoke_ERROR_PHASE)
{
    mica_world *world = t->world;
    CHECK_EQUAL(MICA_ERROR_PHASE, mica_phase_remove(world, (mica_phase){0}));
    check_code(t, MICA_ERROR_PHASE);
}

static void send_a_hit(mica_iter *it)
{
    mica_type hit = mica_type_find(it->world, "Hit");
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, mica_send(it->world, MICA_ADD(hit)));
}

TEST_WITH(test_world, t, provoke_ERROR_ORDER)
{
    mica_world *world = t->world;
    mica_system first =
        mica_system_add(world, &(mica_system_desc){.name = "first", .update = send_a_hit});
    mica_phase early = mica_phase_add(
        world, &(mica_phase_desc){.name = "early", .before = mica_phase_find(world, "update")});
    CHECK(MICA_IS_NONE(mica_system_add(
        world, &(mica_system_desc){
                   .name = "second", .update = send_a_hit, .phase = early, .after = {first}})));
    check_code(t, MICA_ERROR_ORDER);
}

TEST_WITH(test_world, t, provoke_ERROR_UNDECLARED)
{
    mica_world *world = t->world;
    mica_type_register(world, &(mica_type_desc){.name = "Hit", .size = 4, .align = 4});
    mica_system_add(world, &(mica_system_desc){.name = "send", .update = send_a_hit});
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_code(t, MICA_ERROR_UNDECLARED);
}

static void say_so(mica_iter *it)
{
    mica_system_fail(it, 0, "no such level");
}

TEST_WITH(test_world, t, provoke_ERROR_FAILED)
{
    mica_world *world = t->world;
    mica_system_add(world, &(mica_system_desc){.name = "load", .update = say_so});
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(world, 1));
    check_code(t, MICA_ERROR_FAILED);
}

TEST_WITH(test_world, t, provoke_ERROR_C_TYPE)
{
    mica_world *world = t->world;
    mica_type real = MICA_REGISTER(world, float);
    mica_entity e = mica_spawn(world, MICA_ADD(real));
    CHECK(!mica_get_as(world, e, real, sizeof(float), "int"));
    check_code(t, MICA_ERROR_C_TYPE);
}

TEST_WITH(test_world, t, provoke_ERROR_STREAM)
{
    mica_world *world = t->world;
    micai_input input;
    const mica_stream stream = {.path = "/no/such/file"};
    CHECK_EQUAL(MICA_ERROR_STREAM,
                micai_input_open(&input, &world->host, "mica_world_load", &stream));
    check_code(t, MICA_ERROR_STREAM);
}

TEST_WITH(test_world, t, provoke_ERROR_IMAGE)
{
    mica_world *world = t->world;
    const mica_stream stream = {.data = "a letter, and no image", .size = 22};
    CHECK_EQUAL(MICA_ERROR_IMAGE, mica_world_load(world, &stream, NULL));
    check_code(t, MICA_ERROR_IMAGE);
}

static void provoke_ERROR_SCHEMA(void)
{
    test_world t, other;
    mica_world *world = test_world_begin(&t);
    mica_world *source = test_world_begin(&other);
    mica_buffer buffer = {0};
    const mica_stream stream = {.buffer = &buffer};
    mica_add(source, mica_spawn_values(source, NULL, 0), MICA_SPARSE_TAG(source, Mark));
    CHECK_EQUAL(MICA_OK, mica_world_save(source, &stream, NULL));
    CHECK_EQUAL(MICA_ERROR_SCHEMA, mica_world_load(world, &stream, NULL));
    check_code(&t, MICA_ERROR_SCHEMA);
    mica_buffer_free(&buffer);
    test_world_end(&other);
    test_world_end(&t);
}

TEST_WITH(test_world, t, provoke_ERROR_TIME)
{
    mica_world *world = t->world;
    CHECK(MICA_IS_NONE(mica_snapshot_take(world)));
    check_code(t, MICA_ERROR_TIME);
}

static void count_in_memory(mica_iter *it)
{
    uint32_t *runs = it->user;
    mica_type number = mica_type_find(it->world, "uint32_t");
    MICA_RESOURCE_MUT(it->world, number, uint32_t)[0] = ++*runs;
}

TEST_WITH(test_world, t, provoke_ERROR_DESYNC)
{
    mica_world *world = t->world;
    uint32_t runs = 0;
    mica_type number = MICA_REGISTER(world, uint32_t);
    mica_resource_set(world, MICA_VALUE(number, uint32_t, 0));
    mica_system_add(world, &(mica_system_desc){.name = "count",
                                               .update = count_in_memory,
                                               .user = &runs,
                                               .resources = {{number, MICA_WRITE}}});
    mica_time_begin(world, NULL);
    CHECK_EQUAL(MICA_ERROR_DESYNC, mica_sync_test(world, 1, NULL));
    check_code(t, MICA_ERROR_DESYNC);
}

TEST_WITH(test_world, t, provoke_ERROR_BASE)
{
    mica_world *world = t->world;
    mica_buffer buffer = {0};
    const mica_stream stream = {.buffer = &buffer};
    CHECK_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    mica_snapshot before = mica_snapshot_take(world);
    mica_spawn_values(world, NULL, 0);
    mica_snapshot after = mica_snapshot_take(world);
    CHECK_EQUAL(MICA_OK, mica_delta_save(world, before, after, &stream, NULL));
    CHECK_EQUAL(MICA_ERROR_BASE, mica_delta_load(world, &stream));
    check_code(t, MICA_ERROR_BASE);
    mica_buffer_free(&buffer);
}

TEST_WITH(test_world, t, provoke_ERROR_THREAD)
{
    for (uint32_t started = 0; started < 3; started++) { // which are stopped again
        micai_threads_left = started;
        CHECK_EQUAL(MICA_ERROR_THREAD, mica_world_start_workers(t->world, 4));
        micai_threads_left = UINT32_MAX;
        CHECK_EQUAL(1, mica_world_worker_count(t->world));
        CHECK_EQUAL(MICA_OK, mica_step(t->world, 1));
        check_code(t, MICA_ERROR_THREAD);
    }
}

static mica_relation add_relation(mica_world *world, mica_cleanup cleanup)
{
    return mica_relation_add(world, &(mica_relation_desc){.name = "DockedTo", .cleanup = cleanup});
}

static void provoke_ERROR_RELATION(void)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_entity entity = mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_RELATION, mica_link(world, entity, (mica_relation){0}, entity));
    CHECK_ERROR(&t, MICA_ERROR_RELATION, "mica_link: the relation is none");
    test_world_end(&t);
}

static void provoke_ERROR_CYCLE(void)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_relation docked_to = add_relation(world, MICA_UNLINK);
    mica_entity entity = mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_CYCLE, mica_link(world, entity, docked_to, entity));
    CHECK_ERROR(&t, MICA_ERROR_CYCLE,
                "mica_link: 'DockedTo' of entity 0.0 would lead to itself, 0.0");
    test_world_end(&t);
}

static void provoke_ERROR_LINKED(void)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_relation docked_to = add_relation(world, MICA_REFUSE);
    mica_entity dock = mica_spawn_values(world, NULL, 0);
    mica_entity ship = mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_link(world, ship, docked_to, dock));
    CHECK_EQUAL(MICA_ERROR_LINKED, mica_despawn(world, dock));
    CHECK_ERROR(&t, MICA_ERROR_LINKED,
                "mica_despawn: entity 0.0 cannot be despawned: 'DockedTo' of entity 1.0 leads to "
                "it, and refuses");
    test_world_end(&t);
}

static void (*const provoked[])(void) = {
#define PROVOKE(name, text) [MICA_##name] = provoke_##name,
    MICA_RESULTS(PROVOKE)
#undef PROVOKE
};

static void every_code_has_a_test_a_name_and_a_text(void)
{
    _Static_assert(sizeof provoked / sizeof provoked[0] == MICA_RESULT_COUNT, "one per code");
    for (int code = 0; code < MICA_RESULT_COUNT; code++) {
        CHECK(provoked[code] != NULL);
        CHECK(strncmp(mica_result_name((mica_result)code), "MICA_", 5) == 0);
        for (int other = 0; other < code; other++) {
            CHECK(strcmp(mica_result_text((mica_result)code),
                         mica_result_text((mica_result)other)) != 0);
        }
    }
    CHECK_TEXT("MICA_ERROR_UNKNOWN", mica_result_name(MICA_RESULT_COUNT));
    CHECK_TEXT("no such code", mica_result_text((mica_result)-1));
}

TESTS(codes, every_code_has_a_test_a_name_and_a_text, provoke_OK, provoke_ERROR_NULL,
      provoke_ERROR_MEMORY, provoke_ERROR_LIMIT, provoke_ERROR_ARGUMENT, provoke_ERROR_DESC,
      provoke_ERROR_NAME, provoke_ERROR_ENTITY, provoke_ERROR_OCCUPIED, provoke_ERROR_TYPE,
      provoke_ERROR_SHAPE, provoke_ERROR_SIZE, provoke_ERROR_ALIGNMENT, provoke_ERROR_FIELD,
      provoke_ERROR_CORRUPT, provoke_ERROR_ITERATING, provoke_ERROR_HOOK, provoke_ERROR_BUNDLE,
      provoke_ERROR_QUERY, provoke_ERROR_TERMS, provoke_ERROR_TERM, provoke_ERROR_ITERATOR,
      provoke_ERROR_SYSTEM, provoke_ERROR_VERSION, provoke_ERROR_HANDLER, provoke_ERROR_GROUP,
      provoke_ERROR_OWNED, provoke_ERROR_STORAGE, provoke_ERROR_RECORDING, provoke_ERROR_KEY,
      provoke_ERROR_OBSERVER, provoke_ERROR_PHASE, provoke_ERROR_ORDER, provoke_ERROR_UNDECLARED,
      provoke_ERROR_FAILED, provoke_ERROR_C_TYPE, provoke_ERROR_STREAM, provoke_ERROR_IMAGE,
      provoke_ERROR_SCHEMA, provoke_ERROR_TIME, provoke_ERROR_DESYNC, provoke_ERROR_BASE,
      provoke_ERROR_RELATION, provoke_ERROR_CYCLE, provoke_ERROR_LINKED)
