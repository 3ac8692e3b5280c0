// What mica/world.h promises. The model for the others: see promise.h.
#include "promise.h"

#include <setjmp.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

// The handler of worlds that are not made.
static uint32_t calls;
static mica_world *called_with;
static mica_result called_code;

static void note(mica_world *world, const mica_error *error, void *user)
{
    (void)user;
    calls++;
    called_with = world;
    called_code = error->code;
}

static mica_world_desc noted(void)
{
    calls = 0;
    return (mica_world_desc){.error_handler = note};
}

PROMISE(mica_world_new)
{
    // [world.defaults]
    mica_world *world = mica_world_new(NULL);
    REQUIRE(world != NULL);
    CHECK_EQUAL(MICA_OK, mica_last_error(world)->code);
    CHECK(!MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    CHECK_EQUAL(MICA_OK, mica_world_free(world));

    // [world.fail]: a wrong descriptor has no handler that could be trusted: the line goes to
    // standard error
    mica_world_desc desc = noted();
    desc.first_zero = 1;
    CHECK_POINTER(NULL, mica_world_new(&desc));
    CHECK_EQUAL(0, calls);

    // [world.fail]: the handler gets a NULL world
    desc = noted();
    desc.max_types = 16777216;
    called_with = (mica_world *)&desc;
    CHECK_POINTER(NULL, mica_world_new(&desc));
    CHECK_EQUAL(1, calls);
    CHECK_POINTER(NULL, called_with);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, called_code);

    // [world.fail]: MICA_ERROR_MEMORY
    test_world t;
    test_world_prepare(&t);
    test_memory_fail_at(&t.memory, 1, TEST_MEMORY_ONCE);
    desc = noted();
    desc.allocator = t.memory.allocator;
    CHECK_POINTER(NULL, mica_world_new(&desc));
    CHECK_EQUAL(1, calls);
    CHECK_POINTER(NULL, called_with);
    CHECK_EQUAL(MICA_ERROR_MEMORY, called_code);
    CHECK_EQUAL(0, t.memory.blocks);

    // [world.max_entities], [world.max_types]
    test_memory_fail_at(&t.memory, 0, TEST_MEMORY_ONCE);
    t.desc.max_entities = 1;
    t.desc.max_types = 1;
    world = test_world_open(&t);
    mica_spawn_values(world, NULL, 0);
    CHECK(MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    CHECK_EQUAL(MICA_ERROR_LIMIT, t.error.last.code);
    MICA_TAG(world, One);
    CHECK(MICA_IS_NONE(MICA_TAG(world, Two)));
    CHECK_EQUAL(MICA_ERROR_LIMIT, t.error.last.code);
    CHECK_EQUAL(2, test_error_clear(&t.error));
    test_world_end(&t);

    // [world.relocates]
    test_world_prepare(&t);
    t.desc.relocate_always = true;
    world = test_world_open(&t);
    mica_type position = MICA_REGISTER(world, Position, x, y);
    mica_entity entity = mica_spawn(world, MICA_VALUE(position, Position, 1, 2));
    const void *before = mica_get(world, entity, position);
    mica_spawn(world, MICA_VALUE(position, Position, 3, 4));
    const Position *after = mica_get(world, entity, position);
    CHECK(before != after);
    CHECK(after->x == 1 && after->y == 2);
    test_world_end(&t);
}

static uint32_t destroyed;

static void count_destroyed(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)context;
    destroyed += count;
}

// A type whose values are counted when they end.
static mica_type register_counted(mica_world *world, const char *name, mica_storage storage)
{
    return mica_type_register(world, &(mica_type_desc){.name = name,
                                                       .size = sizeof(Position),
                                                       .align = _Alignof(Position),
                                                       .storage = storage,
                                                       .hooks.destruct = count_destroyed});
}

// Notified when a world is freed: nothing is destroyed yet.
static void count_notified(const mica_observer_event *h)
{
    uint32_t *notified = h->user;
    ++*notified;
    CHECK(mica_alive(h->world, h->entity) && h->value);
    CHECK_EQUAL(0, destroyed);
    CHECK_EQUAL(MICA_OK, mica_world_validate(h->world));
    mica_despawn(h->later, h->entity);
}

PROMISE(mica_world_free)
{
    // [world.free_null]
    CHECK_EQUAL(MICA_OK, mica_world_free(NULL));

    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type owned = register_counted(world, "Owned", MICA_TABLE);
    mica_type sparse = register_counted(world, "Sparse", MICA_SPARSE);
    for (int i = 0; i < 10; i++) {
        mica_spawn(world, MICA_ADD(owned), MICA_ADD(sparse));
    }

    // [world.free_iterating]
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{owned, MICA_WITH}}});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    uint64_t blocks = t.memory.blocks;
    destroyed = 0;
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_free(world));
    CHECK_EQUAL(1, test_error_clear(&t.error));
    CHECK_EQUAL(0, destroyed);
    CHECK_EQUAL(blocks, t.memory.blocks);
    CHECK_EQUAL(10, mica_entity_count(world));
    mica_iter_end(&it);

    // [world.free]: nobody is notified
    uint32_t notified = 0;
    mica_observer_new(world, &(mica_observer_desc){.type = owned,
                                                   .events = MICA_ON_REMOVE,
                                                   .call = count_notified,
                                                   .user = &notified});
    CHECK_EQUAL(MICA_OK, mica_world_free(world));
    CHECK_EQUAL(0, notified);
    CHECK_EQUAL(20, destroyed);
    CHECK_EQUAL(0, t.memory.blocks);
    CHECK_EQUAL(0, t.memory.bytes);
    t.world = NULL;
    test_world_end(&t);

    // [world.notify_on_free], [observer.asked]: also [load.notify]
    world = mica_world_new(&(mica_world_desc){.notify_on_free = true});
    owned = register_counted(world, "Owned", MICA_TABLE);
    sparse = register_counted(world, "Sparse", MICA_SPARSE);
    mica_observer_new(world, &(mica_observer_desc){.types = {owned, sparse},
                                                   .events = MICA_ON_REMOVE | MICA_ON_DESPAWN,
                                                   .call = count_notified,
                                                   .user = &notified});
    mica_spawn(world, MICA_ADD(owned), MICA_ADD(sparse));
    destroyed = 0;
    CHECK_EQUAL(MICA_OK, mica_world_free(world));
    CHECK_EQUAL(4, notified);
    CHECK_EQUAL(2, destroyed);
}

static jmp_buf way_out;

static void write_then_jump(mica_iter *it)
{
    Position *position = mica_write(it, 0);
    position->x = 7;
    longjmp(way_out, 1);
}

static void jump_from_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count, (void)context;
    longjmp(way_out, 1);
}

static void end_and_go_on(mica_iter *it)
{
    mica_world_end_iterations(it->world);
}

static void end_in_command(mica_world *world, const void *data)
{
    (void)data;
    mica_world_end_iterations(world);
}

static uint32_t ended_inside;

static void end_in_observer(const mica_observer_event *h)
{
    ended_inside = mica_world_end_iterations(h->world);
}

static bool step_is_left(mica_world *world)
{
    if (setjmp(way_out) == 0) {
        mica_step(world, 0.5f);
        return false;
    }
    return true;
}

static bool despawn_is_left(mica_world *world, mica_entity entity)
{
    if (setjmp(way_out) == 0) {
        mica_despawn(world, entity);
        return false;
    }
    return true;
}

// Memory of a world that will not be freed.
static struct {
    _Alignas(4096) unsigned char bytes[1 << 21];
    size_t used;
} kept;

static void *keep(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    (void)user;
    size_t at = (kept.used + align - 1) / align * align;
    if (new_size == 0 || new_size > sizeof kept.bytes - at) {
        return NULL;
    }
    kept.used = at + new_size;
    if (block != NULL) {
        memcpy(kept.bytes + at, block, old_size < new_size ? old_size : new_size);
    }
    return kept.bytes + at;
}

PROMISE(mica_world_end_iterations)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type position = MICA_REGISTER(world, Position, x, y);
    mica_entity entity = mica_spawn(world, MICA_VALUE(position, Position, 1, 2));
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{position, MICA_WRITE}}});

    // [iterations.end]: changes are refused before
    mica_iter one;
    mica_iter two;
    mica_iter_begin(world, query, &one);
    mica_iter_next(&one);
    mica_iter_begin(world, query, &two);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_despawn(world, entity));
    CHECK_EQUAL(1, test_error_clear(&t.error));

    // [iterations.count]
    CHECK_EQUAL(2, mica_world_end_iterations(world));
    CHECK_EQUAL(0, mica_world_end_iterations(world));
    CHECK(!MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));

    // [iterations.gone]
    CHECK(!mica_iter_next(&one));
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_iter_end(&two));
    CHECK_EQUAL(MICA_ERROR_ITERATOR, t.error.last.code);
    CHECK_EQUAL(2, test_error_clear(&t.error));

    // [iterations.end]: of a step that was left by longjmp()
    mica_system jumper =
        mica_system_add(world, &(mica_system_desc){.name = "jumper",
                                                   .update = write_then_jump,
                                                   .query.terms = {{position, MICA_WRITE}}});
    CHECK(step_is_left(world));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_despawn(world, entity));
    CHECK_EQUAL(1, test_error_clear(&t.error));
    CHECK(mica_world_end_iterations(world) > 0);

    // [iterations.step]
    CHECK(((const Position *)mica_get(world, entity, position))->x == 7);
    mica_system_remove(world, jumper);
    CHECK_EQUAL(MICA_OK, mica_step(world, 0.25f));
    mica_iter_begin(world, query, &one);
    CHECK(one.time == 0.25);
    mica_iter_end(&one);

    // [iterations.inside]
    mica_system careless =
        mica_system_add(world, &(mica_system_desc){.name = "careless", .update = end_and_go_on});
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_step(world, 0.5f));
    CHECK_EQUAL(1, test_error_clear(&t.error));
    mica_system_remove(world, careless);
    mica_defer_call(mica_world_later(world), end_in_command, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_commands_apply(world));
    CHECK_EQUAL(1, test_error_clear(&t.error));

    // [iterations.fail]
    mica_observer_new(world,
                      &(mica_observer_desc){.events = MICA_ON_SPAWN, .call = end_in_observer});
    ended_inside = 99;
    mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(0, ended_inside);
    CHECK_EQUAL(MICA_ERROR_ITERATING, t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t.error));
    CHECK_EQUAL(0, mica_world_end_iterations(NULL));
    test_world_end(&t);

    // [iterations.return]
    mica_world_desc desc = noted();
    desc.allocator = (mica_allocator){keep, NULL};
    world = mica_world_new(&desc);
    mica_type leaving = mica_type_register(
        world, &(mica_type_desc){
                   .name = "Leaving", .size = 4, .align = 4, .hooks.destruct = jump_from_hook});
    entity = mica_spawn(world, MICA_ADD(leaving));
    CHECK(despawn_is_left(world, entity));
    CHECK_EQUAL(0, mica_world_end_iterations(world));
    CHECK(MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_world_free(world));
}

// What mica_world_check_change() returns, of this world, wherever one is.
static mica_world *asked;
static mica_result answer;

static void ask_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count, (void)context;
    answer = mica_world_check_change(asked);
}

static void ask_in_handler(mica_world *world, const mica_error *error, void *user)
{
    (void)world, (void)error, (void)user;
    answer = mica_world_check_change(asked);
}

static void ask_in_system(mica_iter *it)
{
    answer = mica_world_check_change(it->world);
}

static void ask_in_observer(const mica_observer_event *h)
{
    answer = mica_world_check_change(h->later);
}

PROMISE(mica_world_check_change)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    asked = world;
    mica_type hooked = mica_type_register(world, &(mica_type_desc){.name = "Hooked",
                                                                   .size = sizeof(Position),
                                                                   .align = _Alignof(Position),
                                                                   .hooks.destruct = ask_in_hook});

    // [world.check_change]: MICA_OK
    CHECK_EQUAL(MICA_OK, mica_world_check_change(world));

    // [world.check_change]: MICA_ERROR_HOOK
    mica_despawn(world, mica_spawn(world, MICA_ADD(hooked)));
    CHECK_EQUAL(MICA_ERROR_HOOK, answer);

    // [world.check_change]: MICA_ERROR_HANDLER
    mica_world_set_error_handler(world, ask_in_handler, NULL);
    mica_despawn(world, (mica_entity){0});
    CHECK_EQUAL(MICA_ERROR_HANDLER, answer);
    mica_world_set_error_handler(world, test_error_record, &t.error);

    // [world.check_change]: MICA_ERROR_ITERATING in an iteration
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_check_change(world));
    mica_iter_end(&it);

    // [world.check_change]: MICA_ERROR_ITERATING in a system or an observer
    mica_system_add(world, &(mica_system_desc){.name = "ask", .update = ask_in_system});
    answer = MICA_OK;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(MICA_ERROR_ITERATING, answer);
    mica_observer_new(world,
                      &(mica_observer_desc){.events = MICA_ON_SPAWN, .call = ask_in_observer});
    answer = MICA_OK;
    mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_ITERATING, answer);

    // [world.check_recording]
    CHECK_EQUAL(MICA_OK, mica_world_check_change(mica_world_later(world)));

    // [world.check_change]: the same as a change returns; [world.check_silent]
    CHECK_EQUAL(0, test_error_clear(&t.error));

    // [world.check_null]
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_check_change(NULL));
    test_world_end(&t);
}

static void idle(mica_iter *it)
{
    (void)it;
}

PROMISE(mica_world_clear)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type position = register_counted(world, "Position", MICA_TABLE);
    mica_type sparse = register_counted(world, "Sparse", MICA_SPARSE);
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{position, MICA_WITH}}});
    mica_system system =
        mica_system_add(world, &(mica_system_desc){.name = "idle", .update = idle});
    mica_entity first = mica_spawn(world, MICA_ADD(position));
    mica_entity second = mica_spawn(world, MICA_ADD(sparse));
    for (int i = 0; i < 8; i++) {
        mica_spawn(world, MICA_ADD(position), MICA_ADD(sparse));
    }

    // [world.clear_iterating]
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_clear(world));
    CHECK_EQUAL(1, test_error_clear(&t.error));
    mica_iter_end(&it);
    CHECK_EQUAL(10, mica_entity_count(world));

    // [world.clear]: entities
    uint32_t tables = mica_world_get_stats(world).tables;
    destroyed = 0;
    CHECK_EQUAL(MICA_OK, mica_world_clear(world));
    CHECK_EQUAL(18, destroyed);
    CHECK_EQUAL(0, mica_entity_count(world));
    CHECK(!mica_alive(world, first));
    CHECK(!mica_alive(world, second));

    // [world.clear]: what stays
    uint64_t allocations = t.memory.allocations;
    for (int i = 0; i < 8; i++) {
        mica_spawn(world, MICA_ADD(position), MICA_ADD(sparse));
    }
    CHECK_EQUAL(allocations, t.memory.allocations);
    CHECK_EQUAL(tables, mica_world_get_stats(world).tables);
    CHECK(MICA_EQUAL(sparse, mica_type_find(world, "Sparse")));
    CHECK_EQUAL(8, mica_query_count(world, query));
    CHECK(MICA_EQUAL(system, mica_system_find(world, "idle")));

    // [world.clear_slots]
    CHECK_EQUAL(MICA_OK, mica_world_clear(world));
    for (uint32_t i = 0; i < 10; i++) {
        CHECK_EQUAL(9 - i, mica_entity_slot(mica_spawn_values(world, NULL, 0)));
    }
    test_world_end(&t);
}

PROMISE(mica_world_validate)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type position = MICA_REGISTER(world, Position, x, y);
    mica_entity entity = mica_spawn(world, MICA_VALUE(position, Position, 1, 2));
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{position, MICA_READ}}});

    // [validate.result]: MICA_OK
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));

    // [validate.all]: tests/damage breaks a sample of fields. [validate.cost], [validate.result]:
    // MICA_ERROR_CORRUPT
    mica_iter it;
    mica_iter_begin(world, query, &it);
    mica_iter_next(&it);
    mica_entity *overwritten = (mica_entity *)it.entities;
    mica_iter_end(&it);
    overwritten[0] = mica_entity_make(77, 0);
    t.error.blind = true;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(world));
    CHECK(strstr(t.error.last.sentence, "T1") != NULL);
    CHECK_EQUAL(1, test_error_clear(&t.error));
    overwritten[0] = entity;
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));

    // [validate.pointers]
    test_world_end(&t);
}

TESTS(world, promise_of_mica_world_new, promise_of_mica_world_free,
      promise_of_mica_world_end_iterations, promise_of_mica_world_check_change,
      promise_of_mica_world_clear, promise_of_mica_world_validate)
