// What mica/command.h promises.
#include "promise.h"

#include "unit/tracked.h"

#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Hit {
    int32_t damage;
} Hit;

// A world with somebody in it, and types of every storage. What the tracker counts are values that cannot be
// copied.
typedef struct court {
    test_world t;
    tracker tracker;
    mica_world *world;
    mica_type position, split, ring, sparse, tag, burning, owned, hit;
    mica_entity entity;
    mica_query all;
} court;

static mica_type register_stored(mica_world *world, const char *name, mica_storage storage)
{
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.name = name;
    desc.storage = storage;
    desc.toggle = strcmp(name, "Burning") == 0;
    return mica_type_register(world, &desc);
}

static mica_world *begin(court *c)
{
    c->world = test_world_begin(&c->t);
    tracker_begin(&c->tracker);
    c->position = register_stored(c->world, "Position", MICA_TABLE);
    c->split = register_stored(c->world, "Split", MICA_SPLIT);
    c->ring = register_stored(c->world, "Ring", MICA_RING);
    c->sparse = register_stored(c->world, "Sparse", MICA_SPARSE);
    c->burning = register_stored(c->world, "Burning", MICA_TABLE);
    c->tag = MICA_TAG(c->world, Tag);
    c->hit = MICA_REGISTER(c->world, Hit, damage);
    mica_type_desc owned = tracked_desc(&c->tracker, "Owned", true);
    owned.hooks.copy = NULL;
    c->owned = mica_type_register(c->world, &owned);
    c->entity = mica_spawn(c->world, MICA_VALUE(c->position, Position, 1, 2));
    c->all = mica_query_new(c->world, &(mica_query_desc){.everything = true});
    return c->world;
}

static void end(court *c)
{
    test_world_end(&c->t);
    CHECK_TRACKED(&c->tracker, 0);
}

static float x_of(court *c, mica_entity entity, mica_type type)
{
    Position value = {-1, -1};
    MICA_LOAD(c->world, entity, type, value);
    return value.x;
}

static mica_world *found; // what was given inside

static mica_result find_later_in_hook(void *target, uint32_t count,
                                      const mica_hook_context *context)
{
    memset(target, 0, 4 * (size_t)count);
    found = mica_world_later(context->user);
    return MICA_OK;
}

static mica_result find_new_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 0, 4 * (size_t)count);
    found = mica_commands_new(context->user);
    return MICA_OK;
}

static mica_result discarded;

static mica_result discard_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 0, 4 * (size_t)count);
    discarded = mica_commands_discard(context->user);
    return MICA_OK;
}

// Calls something inside of a hook.
static void run_hook(court *c, const char *name,
                     mica_result (*construct)(void *, uint32_t, const mica_hook_context *))
{
    mica_type type = mica_type_register(
        c->world,
        &(mica_type_desc){
            .name = name, .size = 4, .align = 4, .user = c->world, .hooks.construct = construct});
    mica_despawn(c->world, mica_spawn(c->world, MICA_ADD(type)));
}

static void despawn_all_later(mica_iter *it)
{
    for (uint32_t i = 0; i < it->count; i++) {
        mica_despawn(mica_later(it), it->entities[i]);
    }
}

static void fail(mica_iter *it)
{
    mica_system_fail(it, 0, "on purpose");
}

static uint32_t counted;

static void count_all(mica_iter *it)
{
    counted = mica_entity_count(it->world);
}

// A command without an end.
static void go_on(mica_world *world, const void *data)
{
    counted++;
    mica_defer_call(mica_world_later(world), go_on, data, 0);
}

// Every call that is recorded: nothing of it is seen before, all of it after. Then how many live.
static void check_recorded(court *c, mica_world *later)
{
    mica_world *world = c->world;
    mica_type types[2] = {c->position, c->tag};
    mica_bundle bundle = mica_bundle_new(world, types, 2);
    mica_entity gone[3];
    mica_spawn_many(world, bundle, 3, NULL, 0, gone);
    mica_entity other = mica_spawn(world, MICA_VALUE(c->burning, Position, 3, 3));
    mica_disable(world, other, c->burning);
    mica_entity born[8];
    born[0] = mica_spawn_values(later, NULL, 0);
    born[1] = mica_spawn(later, MICA_VALUE(c->split, Position, 4, 4), MICA_ADD(c->sparse));
    born[2] = mica_spawn_bundle(later, bundle, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_spawn_many(later, bundle, 2, NULL, 0, born + 3));
    born[5] = mica_clone(later, c->entity);
    born[6] =
        mica_facet_add(later, c->entity, c->position, 3, MICA_VALUE(c->position, Position, 5, 5));
    born[7] = mica_facet_add_values(later, born[0], (mica_type){0}, 1, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_despawn(later, gone[0]));
    CHECK_EQUAL(MICA_OK, mica_despawn_many(later, gone + 1, 2));
    CHECK_EQUAL(MICA_OK, mica_add(later, c->entity, c->tag));
    CHECK_EQUAL(MICA_OK, test_add_types(later, c->entity, &c->sparse, 1));
    CHECK_EQUAL(MICA_OK, mica_set(later, c->entity, MICA_VALUE(c->ring, Position, 6, 6),
                                  MICA_VALUE(c->split, Position, 7, 7)));
    CHECK_EQUAL(MICA_OK, mica_set(later, born[0], MICA_VALUE(c->sparse, Position, 8, 8)));
    CHECK_EQUAL(MICA_OK, mica_remove(later, born[2], c->tag));
    CHECK_EQUAL(MICA_OK, mica_change(later, born[3], NULL, 0, types, 2));
    mica_value value = MICA_VALUE(c->ring, Position, 9, 9);
    value.size = sizeof(Position);
    CHECK_EQUAL(MICA_OK, mica_change(later, born[4], &value, 1, types, 1));
    CHECK_EQUAL(MICA_OK, mica_enable(later, other, c->burning));
    CHECK_EQUAL(MICA_OK, mica_set(later, born[5], MICA_ADD(c->burning)));
    CHECK_EQUAL(MICA_OK, mica_disable(later, born[5], c->burning));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(later, born[1], "somebody"));
    CHECK_EQUAL(MICA_OK, mica_send(later, MICA_VALUE(c->hit, Hit, 5)));

    // [command.looks], [command.handle]
    CHECK_EQUAL(mica_entity_count(world), mica_entity_count(later));
    CHECK(!mica_has(later, c->entity, c->tag));
    CHECK(mica_alive(later, gone[0]));
    CHECK(MICA_IS_NONE(mica_entity_find(later, "somebody")));
    for (int i = 0; i < 8; i++) {
        CHECK(!MICA_IS_NONE(born[i]));
        CHECK(!mica_alive(world, born[i]));
    }
    CHECK_EQUAL(mica_query_count(world, c->all), mica_query_count(later, c->all));
    CHECK_EQUAL(0, test_event_count(world, c->hit));
    Position *now = mica_get_mut(later, c->entity, c->position);
    CHECK(now && now->x == 1); // [command.looks]

    // [command.looks]: since when queries ask for changes
    mica_query changed = mica_query_new(
        world, &(mica_query_desc){.terms = {{c->position, MICA_READ | MICA_CHANGED}}});
    CHECK_EQUAL(MICA_OK, mica_query_set_since(later, changed, mica_world_tick(later)));
    CHECK_EQUAL(mica_query_since(world, changed), mica_query_since(later, changed));
    CHECK_EQUAL(0, mica_query_count(later, changed));
    mica_query_free(world, changed);

    // [command.errors]
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(world, (mica_entity){0}));
    CHECK_REPORTED(&c->t, MICA_ERROR_ENTITY);
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_last_error(later)->code);
    test_error elsewhere = {0};
    CHECK_EQUAL(MICA_OK, mica_world_set_error_handler(later, test_error_record, &elsewhere));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(world, (mica_entity){0}));
    CHECK_EQUAL(1, elsewhere.calls);
    mica_world_set_error_handler(world, test_error_record, &c->t.error);

    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    for (int i = 0; i < 8; i++) {
        CHECK(mica_alive(world, born[i]));
    }
    for (int i = 0; i < 3; i++) {
        CHECK(!mica_alive(world, gone[i]));
    }
    CHECK(x_of(c, born[1], c->split) == 4);
    CHECK(x_of(c, born[5], c->position) == 1);
    CHECK(MICA_EQUAL(born[6], mica_facet_find(world, c->entity, c->position, 3)));
    CHECK(MICA_EQUAL(born[0], mica_facet_owner(world, born[7])));
    CHECK(mica_has(world, c->entity, c->tag) && mica_has(world, c->entity, c->sparse));
    CHECK(x_of(c, c->entity, c->ring) == 6 && x_of(c, c->entity, c->split) == 7);
    CHECK(x_of(c, born[0], c->sparse) == 8);
    CHECK(!mica_has(world, born[2], c->tag) && mica_has(world, born[2], c->position));
    CHECK(!mica_has(world, born[3], c->tag) && !mica_has(world, born[3], c->position));
    CHECK(!mica_has(world, born[4], c->position) && x_of(c, born[4], c->ring) == 9);
    CHECK(mica_is_enabled(world, other, c->burning));
    CHECK(!mica_is_enabled(world, born[5], c->burning));
    CHECK(MICA_EQUAL(born[1], mica_entity_find(world, "somebody")));
    CHECK_EQUAL(1, test_event_count(world, c->hit));
    mica_bundle_free(world, bundle);
}

static int compare_nothing(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)a, (void)b, (void)user;
    return 0;
}

static void hear_nothing(const mica_observer_event *h)
{
    (void)h;
}

// One call that a face does not take; nothing has happened.
static void check_unrecorded(court *c, uint64_t digest)
{
    CHECK_REPORTED(&c->t, MICA_ERROR_RECORDING);
    CHECK_EQUAL(digest, mica_world_digest(c->world));
    CHECK_EQUAL(0, mica_commands_count(c->world));
}

// [command.refused]
static void check_refusals(court *c, mica_world *later)
{
    uint64_t digest = mica_world_digest(c->world);
    mica_type type = c->position;
    mica_query all = c->all;
#define REFUSED(...)                                                                               \
    do {                                                                                           \
        __VA_ARGS__;                                                                               \
        check_unrecorded(c, digest);                                                               \
    } while (0)
    REFUSED(mica_spawn_at(later, mica_entity_make(77, 0)));
    REFUSED(mica_add_all(later, all, c->tag, NULL));
    REFUSED(mica_remove_all(later, all, type, NULL));
    REFUSED(mica_set_all(later, all, type, &(Position){1, 2}, sizeof(Position), NULL));
    REFUSED(mica_despawn_all(later, all, NULL));
    REFUSED(mica_resource_set(later, MICA_VALUE(type, Position, 1, 1)));
    REFUSED(mica_resource_remove(later, type));
    REFUSED(MICA_TAG(later, Other));
    REFUSED(mica_type_change_storage(later, type, MICA_SPARSE));
    REFUSED(mica_query_new(later, &(mica_query_desc){.everything = true}));
    REFUSED(mica_query_free(later, all));
    REFUSED(mica_bundle_new(later, &type, 1));
    REFUSED(mica_group_new(later, &(mica_group_desc){.owned = {c->sparse}}));
    REFUSED(mica_system_add(later, &(mica_system_desc){.name = "none", .update = fail}));
    REFUSED(mica_phase_add(later, &(mica_phase_desc){.name = "none"}));
    REFUSED(mica_step(later, 0));
    REFUSED(mica_enable_all(later, all, c->burning, NULL));
    REFUSED(mica_disable_all(later, all, c->burning, NULL));
    REFUSED(mica_sort(later, c->sparse, compare_nothing, NULL));
    REFUSED(mica_entity_reserve(later, 1));
    REFUSED(mica_observer_new(
        later, &(mica_observer_desc){.events = MICA_ON_SPAWN, .call = hear_nothing}));
    REFUSED(mica_accessor_new(later, type));
    REFUSED(mica_world_end_iterations(later));
    REFUSED(mica_world_clear(later));
    REFUSED(mica_world_reclaim(later));
    REFUSED(mica_world_compact(later));
    REFUSED(mica_world_free(later));
#undef REFUSED
}

PROMISE(mica_later)
{
    court c;
    mica_world *world = begin(&c);
    mica_iter outer;
    mica_iter inner;
    mica_iter_begin(world, c.all, &outer);
    REQUIRE(mica_iter_next(&outer));

    // [later.records]
    mica_world *later = mica_later(&outer);
    REQUIRE(later != NULL);
    CHECK(later != world);
    mica_entity born = mica_spawn(later, MICA_VALUE(c.position, Position, 3, 4));
    CHECK(!mica_alive(world, born));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_despawn(world, c.entity));
    CHECK_EQUAL(1, test_error_clear(&c.t.error));

    // [later.cost]
    mica_iter_begin(world, c.all, &inner);
    uint64_t allocations = c.t.memory.allocations;
    CHECK_POINTER(later, mica_later(&inner));
    CHECK_EQUAL(allocations, c.t.memory.allocations);

    // [later.end]: the last open iteration decides which is the outermost
    mica_iter_end(&outer);
    CHECK(!mica_alive(world, born));
    mica_iter_end(&inner);
    CHECK(mica_alive(world, born));
    mica_iter_begin(world, c.all, &outer);
    mica_despawn(mica_later(&outer), born);
    while (mica_iter_next(&outer)) {
        CHECK(mica_alive(world, born));
    }
    CHECK(!mica_alive(world, born));

    // [later.end]: MICA_ERROR_MEMORY; [command.memory]
    for (int way = 0; way < 2; way++) {
        mica_iter_begin(world, c.all, &outer);
        CHECK_POINTER(later, mica_later(&outer)); // [later.cost]: the same
        mica_entity first = mica_spawn_values(later, NULL, 0);
        mica_entity second = mica_spawn_values(later, NULL, 0);
        mica_set(later, second, MICA_ADD(c.owned), MICA_ADD(way ? c.ring : c.split));
        test_memory_fail_at(&c.t.memory, 1, TEST_MEMORY_ONWARDS);
        while (way == 0 && mica_iter_next(&outer)) {
        }
        CHECK_EQUAL(MICA_ERROR_MEMORY, mica_iter_end(&outer));
        CHECK_REPORTED(&c.t, MICA_ERROR_MEMORY);
        test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK(!mica_alive(world, second));
        CHECK(mica_commands_count(world) > 0);
        mica_iter_begin(world, c.all, &outer);
        CHECK_EQUAL(MICA_OK, mica_iter_end(&outer));
        CHECK(mica_alive(world, first) && mica_has(world, second, c.owned));
        CHECK_EQUAL(0, mica_commands_count(world));
        mica_despawn(world, first);
        mica_despawn(world, second);
    }

    // [later.end]: MICA_ERROR_LIMIT
    mica_iter_begin(world, c.all, &outer);
    mica_defer_call(mica_later(&outer), go_on, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_iter_end(&outer));
    CHECK_REPORTED(&c.t, MICA_ERROR_LIMIT);
    mica_iter_begin(world, c.all, &outer);
    mica_defer_call(mica_later(&outer), go_on, NULL, 0);
    while (mica_iter_next(&outer)) {
    }
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_iter_end(&outer));
    CHECK_REPORTED(&c.t, MICA_ERROR_LIMIT);

    // [later.step]: after the phase, or before a system with `replay_first`
    mica_system_desc despawn = {
        .name = "despawn", .update = despawn_all_later, .query.everything = true};
    mica_system_desc count = {.name = "count", .update = count_all};
    mica_system systems[3];
    systems[0] = mica_system_add(world, &despawn);
    systems[1] = mica_system_add(world, &count);
    mica_step(world, 0);
    CHECK_EQUAL(1, counted);
    CHECK_EQUAL(0, mica_entity_count(world));
    mica_spawn_values(world, NULL, 0);
    mica_system_remove(world, systems[1]);
    count.replay_first = true;
    systems[1] = mica_system_add(world, &count);
    mica_step(world, 0);
    CHECK_EQUAL(0, counted);

    // [later.step]: in a step that fails
    systems[2] = mica_system_add(world, &(mica_system_desc){.name = "fail", .update = fail});
    mica_spawn_values(world, NULL, 0);
    mica_system_remove(world, systems[1]);
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(world, 0));
    CHECK_EQUAL(1, test_error_clear(&c.t.error));
    CHECK_EQUAL(0, mica_entity_count(world));
    mica_system_remove(world, systems[0]);
    mica_system_remove(world, systems[2]);

    // [later.fail]: MICA_ERROR_ITERATOR
    CHECK_POINTER(NULL, mica_later(&outer));
    CHECK_REPORTED(&c.t, MICA_ERROR_ITERATOR);
    mica_iter nothing = {0};
    CHECK_POINTER(NULL, mica_later(&nothing));
    CHECK_POINTER(NULL, mica_later(NULL));
    CHECK_EQUAL(0, test_error_clear(&c.t.error)); // of no world
    CHECK_EQUAL(MICA_ERROR_NULL, mica_despawn(NULL, c.entity));
    CHECK(MICA_IS_NONE(mica_spawn(NULL, MICA_ADD(c.tag))));

    // [command.recorded]
    c.entity = mica_spawn(world, MICA_VALUE(c.position, Position, 1, 2));
    check_recorded(&c, later);
    mica_world *buffer = mica_commands_new(world);
    mica_world_clear(world);
    mica_step(world, 0);
    mica_step(world, 0);
    c.entity = mica_spawn(world, MICA_VALUE(c.position, Position, 1, 2));
    check_recorded(&c, buffer);
    check_refusals(&c, later);
    mica_commands_free(buffer);
    end(&c);

    // [later.fail]: MICA_ERROR_MEMORY
    begin(&c);
    mica_iter_begin(c.world, c.all, &outer);
    test_memory_fail_at(&c.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_POINTER(NULL, mica_later(&outer));
    CHECK_REPORTED(&c.t, MICA_ERROR_MEMORY);
    test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
    mica_iter_end(&outer);
    end(&c);
}

static void record_spawn(mica_world *world, const void *data)
{
    mica_entity *born = *(mica_entity *const *)data;
    *born = mica_spawn_values(mica_world_later(world), NULL, 0);
    CHECK(!mica_alive(world, *born));
}

// Commands that are recorded while others are applied.

typedef struct meanwhile {
    mica_entity entity, other;
    mica_type tag;
    mica_type added; // to `other`, by the observer
    uint32_t looked;
} meanwhile;

static void record_meanwhile(const mica_observer_event *h)
{
    const meanwhile *m = h->user;
    mica_add(h->later, m->other, m->added);
}

static void look_meanwhile(mica_world *world, const void *data)
{
    meanwhile *m = *(meanwhile *const *)data;
    m->looked++;
    CHECK(mica_has(world, m->entity, m->tag) && !mica_has(world, m->other, m->added));
}

static void check_meanwhile(mica_world *world, mica_type tag, mica_type added)
{
    meanwhile m = {.tag = tag, .added = added};
    meanwhile *address = &m;
    m.entity = mica_spawn_values(world, NULL, 0);
    m.other = mica_spawn_values(world, NULL, 0);
    mica_observer observer = mica_observer_new(
        world, &(mica_observer_desc){
                   .type = tag, .events = MICA_ON_ADD, .call = record_meanwhile, .user = &m});
    mica_world *later = mica_world_later(world);
    mica_add(later, m.entity, tag);
    mica_defer_call(later, look_meanwhile, &address, sizeof address);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
    CHECK_EQUAL(1, m.looked);
    CHECK(mica_has(world, m.other, added));
    mica_observer_free(world, observer);
}

PROMISE(mica_world_later)
{
    court c;
    mica_world *world = begin(&c);

    // [later.world]
    mica_world *later = mica_world_later(world);
    mica_iter it;
    mica_iter_begin(world, c.all, &it);
    CHECK_POINTER(later, mica_later(&it));
    mica_iter_end(&it);
    CHECK_POINTER(later, mica_world_later(later));
    mica_entity born = (mica_entity){0};
    mica_entity *address = &born;
    mica_defer_call(later, record_spawn, &address, sizeof address);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
    CHECK(mica_alive(world, born));

    // [command.meanwhile]: the observer of the first command records; its commands come last
    check_meanwhile(world, c.tag, c.ring);

    // [later.outside]: the end of an iteration
    mica_entity waiting = mica_spawn_values(later, NULL, 0);
    mica_iter_begin(world, c.all, &it);
    CHECK(!mica_alive(world, waiting));
    mica_iter_end(&it);
    CHECK(mica_alive(world, waiting));

    // [later.outside]: the end of a step, which need not have systems; mica_commands_apply()
    waiting = mica_spawn_values(later, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_step(world, 0));
    CHECK(mica_alive(world, waiting));
    waiting = mica_spawn_values(later, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK(mica_alive(world, waiting));

    // [later.world_fail]
    CHECK_POINTER(NULL, mica_world_later(NULL));
    found = world;
    run_hook(&c, "Hooked", find_later_in_hook);
    CHECK_POINTER(NULL, found);
    CHECK_REPORTED(&c.t, MICA_ERROR_HOOK);
    end(&c);
    begin(&c);
    test_memory_fail_at(&c.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_POINTER(NULL, mica_world_later(c.world));
    CHECK_REPORTED(&c.t, MICA_ERROR_MEMORY);
    test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
    end(&c);
}

static void find_new_in_handler(mica_world *world, const mica_error *error, void *user)
{
    (void)error, (void)user;
    found = mica_commands_new(world);
}

PROMISE(mica_commands_new)
{
    court c;
    mica_world *world = begin(&c);

    // [buffer.new]
    mica_world *buffer = mica_commands_new(world);
    mica_world *other = mica_commands_new(world);
    REQUIRE(buffer && other && buffer != other);
    mica_entity one = mica_spawn(buffer, MICA_VALUE(c.position, Position, 1, 1));
    mica_entity two = mica_spawn(other, MICA_VALUE(c.position, Position, 2, 2));
    mica_iter it;
    mica_iter_begin(world, c.all, &it);
    mica_iter_end(&it);
    mica_step(world, 0);
    mica_commands_apply(world);
    CHECK(!mica_alive(world, one) && !mica_alive(world, two));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(other));
    CHECK(!mica_alive(world, one) && mica_alive(world, two));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(buffer));
    CHECK(x_of(&c, one, c.position) == 1 && x_of(&c, two, c.position) == 2);

    // of a face: one of its world
    mica_world *third = mica_commands_new(buffer);
    CHECK(third && third != buffer);
    CHECK_EQUAL(MICA_OK, mica_commands_free(third));

    // [buffer.fail]
    CHECK_POINTER(NULL, mica_commands_new(NULL));
    found = world;
    run_hook(&c, "Hooked", find_new_in_hook);
    CHECK_POINTER(NULL, found);
    CHECK_REPORTED(&c.t, MICA_ERROR_HOOK);
    found = world;
    mica_world_set_error_handler(world, find_new_in_handler, NULL);
    mica_despawn(world, (mica_entity){0});
    CHECK_POINTER(NULL, found);
    mica_world_set_error_handler(world, test_error_record, &c.t.error);
    test_memory_fail_at(&c.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_POINTER(NULL, mica_commands_new(world));
    CHECK_REPORTED(&c.t, MICA_ERROR_MEMORY);
    test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);

    // [buffer.life]: with what it holds, here
    tracked made = tracked_make(&c.tracker, 5);
    mica_spawn(buffer, (mica_value){c.owned, &made, sizeof made, 1, NULL});
    end(&c);
}

static mica_result inside[4];

static void apply_inside(mica_world *world, const void *data)
{
    (void)data;
    inside[0] = mica_commands_apply(world);
    inside[1] = mica_commands_apply(mica_world_later(world));
}

static mica_result fail_to_construct(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count;
    mica_hook_explain(context, "on purpose");
    return MICA_ERROR_HOOK;
}

PROMISE(mica_commands_apply)
{
    court c;
    mica_iter it;
    mica_world *world = begin(&c);
    mica_world *buffer = mica_commands_new(world);
    mica_world *later = mica_world_later(world);

    // [apply.all]
    mica_entity born = (mica_entity){0};
    mica_entity *address = &born;
    mica_defer_call(buffer, record_spawn, &address, sizeof address);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(buffer));
    CHECK(mica_alive(world, born));

    // [apply.world]
    mica_entity one = mica_spawn_values(later, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
    mica_entity two = mica_spawn_values(later, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK(mica_alive(world, one) && mica_alive(world, two));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later)); // of nothing

    // [command.order], [command.one_change]
    uint64_t moves = mica_world_get_stats(world).row_moves;
    mica_set(later, one, MICA_VALUE(c.position, Position, 1, 1));
    mica_add(later, one, c.tag);
    mica_set(later, one, MICA_VALUE(c.split, Position, 5, 5));
    mica_set(later, one, MICA_VALUE(c.position, Position, 2, 2), MICA_ADD(c.owned));
    mica_remove(later, one, c.owned);
    uint32_t constructs = c.tracker.constructs;
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK_EQUAL(constructs, c.tracker.constructs); // "only what it comes to have is made"
    CHECK(mica_world_get_stats(world).row_moves <= moves + 2); // it, and who takes its place
    CHECK(x_of(&c, one, c.position) == 2 && x_of(&c, one, c.split) == 5);

    // [command.remove_add]
    moves = mica_world_get_stats(world).row_moves;
    mica_remove(later, one, c.position);
    mica_add(later, one, c.position);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK(mica_world_get_stats(world).row_moves >= moves + 2);
    CHECK(x_of(&c, one, c.position) == 0);
    // by a list of two values, too, of which the later one is none
    mica_set(world, one, MICA_VALUE(c.position, Position, 2, 2));
    mica_remove(later, one, c.position);
    mica_set(later, one, MICA_VALUE(c.position, Position, 3, 3), MICA_ADD(c.position));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK(x_of(&c, one, c.position) == 0);

    // [command.dead]
    uint64_t dropped = mica_world_get_stats(world).commands_dropped;
    mica_set(later, two, MICA_ADD(c.tag));
    mica_despawn(world, two);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK_EQUAL(dropped + 1, mica_world_get_stats(world).commands_dropped);

    // [command.values]
    tracked made = tracked_make(&c.tracker, 1);
    two = mica_spawn_values(world, NULL, 0);
    mica_set(later, two, (mica_value){c.owned, &made, sizeof made, 1, NULL});
    mica_despawn(world, two);
    CHECK_TRACKED(&c.tracker, 1);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK_TRACKED(&c.tracker, 0);

    // [command.checks]
    mica_entity facet = mica_facet_add_values(world, one, c.tag, 1, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_add(later, one, (mica_type){0}));
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_set_value(later, one, c.position, &made, 3));
    CHECK_EQUAL(MICA_ERROR_NAME, mica_entity_set_name(later, one, "a/b"));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_add(later, two, c.tag));
    CHECK_EQUAL(4, test_error_clear(&c.t.error));
    CHECK(MICA_IS_NONE(mica_facet_add_values(later, facet, c.tag, 1, NULL, 0)));
    CHECK_REPORTED(&c.t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(0, mica_commands_count(later));

    // [command.fail]
    mica_entity_set_name(later, one, "same");
    mica_entity_set_name(later, c.entity, "same");
    two = mica_spawn_values(later, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK(strstr(c.t.error.last.sentence, "mica_entity_set_name: ") == c.t.error.last.sentence);
    CHECK_REPORTED(&c.t, MICA_ERROR_NAME);
    CHECK(mica_alive(world, two));
    CHECK_TEXT("same", mica_entity_name(world, one));
    mica_type failing = mica_type_register(
        world, &(mica_type_desc){
                   .name = "Failing", .size = 4, .align = 4, .hooks.construct = fail_to_construct});
    // [command.fail_apart]
    for (int way = 0; way < 2; way++) {
        mica_add(later, one, failing);
        if (way == 1) {
            mica_add(later, one, c.sparse);
        }
        mica_add(later, two, c.tag);
        CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
        CHECK_TEXT("mica_add: the construct hook of 'Failing' failed: on purpose",
                   c.t.error.last.sentence);
        CHECK_EQUAL(1, test_error_clear(&c.t.error));
        CHECK(!mica_has(world, one, failing));
        CHECK_EQUAL(way == 1, mica_has(world, one, c.sparse));
        CHECK(mica_has(world, two, c.tag));
        mica_remove(world, two, c.tag);
    }
    mica_entity none = mica_spawn(later, MICA_ADD(failing));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK_TEXT("mica_spawn: the construct hook of 'Failing' failed: on purpose",
               c.t.error.last.sentence);
    CHECK_REPORTED(&c.t, MICA_ERROR_HOOK);
    CHECK(!mica_alive(world, none));
    CHECK_TEXT(NULL, mica_entity_name(world, c.entity));

    // [apply.fail]: MICA_ERROR_NULL
    CHECK_EQUAL(MICA_ERROR_NULL, mica_commands_apply(NULL));

    // [apply.fail]: MICA_ERROR_ITERATING
    mica_iter_begin(world, c.all, &it);
    one = mica_spawn_values(buffer, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_commands_apply(buffer));
    CHECK_REPORTED(&c.t, MICA_ERROR_ITERATING);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_commands_apply(world));
    CHECK_REPORTED(&c.t, MICA_ERROR_ITERATING);
    CHECK_EQUAL(1, mica_commands_count(buffer));
    mica_iter_end(&it);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(buffer));
    CHECK(mica_alive(world, one));
    mica_defer_call(buffer, apply_inside, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(buffer));
    CHECK_EQUAL(MICA_ERROR_ITERATING, inside[0]);
    CHECK_EQUAL(MICA_ERROR_ITERATING, inside[1]);
    CHECK_EQUAL(2, test_error_clear(&c.t.error));

    // [apply.fail]: MICA_ERROR_MEMORY, MICA_ERROR_LIMIT
    for (uint64_t which = 1, refusals = 1; refusals > 0; which++) {
        one = mica_spawn(buffer, MICA_VALUE(c.ring, Position, 1, 1), MICA_ADD(c.sparse));
        two = mica_spawn(buffer, MICA_VALUE(c.split, Position, 2, 2), MICA_ADD(c.owned));
        test_memory_fail_at(&c.t.memory, which, TEST_MEMORY_ONWARDS);
        mica_result result = mica_commands_apply(buffer);
        refusals = c.t.memory.refusals;
        test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            CHECK_EQUAL(MICA_ERROR_MEMORY, result);
            CHECK_REPORTED(&c.t, MICA_ERROR_MEMORY);
            CHECK(mica_commands_count(buffer) > 0);
            CHECK_EQUAL(MICA_OK, mica_commands_apply(buffer));
        }
        CHECK(x_of(&c, one, c.ring) == 1 && x_of(&c, two, c.split) == 2);
        mica_world_clear(world);
        mica_world_reclaim(world);
    }
    mica_defer_call(buffer, go_on, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_commands_apply(buffer));
    CHECK_REPORTED(&c.t, MICA_ERROR_LIMIT);
    CHECK_EQUAL(0, mica_commands_count(world));
    end(&c);
}

static void discard_inside(mica_world *world, const void *data)
{
    mica_world *const *buffers = data;
    inside[0] = mica_commands_discard(buffers[0]); // these
    inside[1] = mica_commands_discard(buffers[1]); // others
    inside[2] = mica_commands_discard(world);
}

static void discard_in_handler(mica_world *world, const mica_error *error, void *user)
{
    (void)error;
    *(mica_result *)user = mica_commands_discard(world);
}

PROMISE(mica_commands_discard)
{
    court c;
    mica_world *world = begin(&c);
    mica_world *buffer = mica_commands_new(world);
    mica_world *faces[3] = {buffer, mica_world_later(world), world};

    // [discard.all]
    for (int i = 0; i < 3; i++) {
        mica_world *records = i == 2 ? faces[1] : faces[i];
        tracked made = tracked_make(&c.tracker, i);
        mica_entity given = mica_spawn(records, (mica_value){c.owned, &made, sizeof made, 1, NULL});
        CHECK_TRACKED(&c.tracker, 1);
        CHECK_EQUAL(MICA_OK, mica_commands_discard(faces[i]));
        CHECK_TRACKED(&c.tracker, 0);
        CHECK_EQUAL(0, mica_commands_count(records));
        CHECK_EQUAL(MICA_OK, mica_commands_apply(records));
        CHECK(!mica_alive(world, given));
        mica_entity next = mica_spawn_values(world, NULL, 0);
        CHECK(!MICA_EQUAL(given, next));
        CHECK(MICA_IS_NONE(mica_spawn_at(world, given)));
        CHECK_EQUAL(1, test_error_clear(&c.t.error));
        mica_despawn(world, next);
    }

    // [discard.fail]: MICA_ERROR_NULL, MICA_ERROR_HOOK, MICA_ERROR_HANDLER
    CHECK_EQUAL(MICA_ERROR_NULL, mica_commands_discard(NULL));
    mica_spawn_values(faces[1], NULL, 0);
    run_hook(&c, "Hooked", discard_in_hook);
    CHECK_EQUAL(MICA_ERROR_HOOK, discarded);
    CHECK_REPORTED(&c.t, MICA_ERROR_HOOK);
    mica_world_set_error_handler(world, discard_in_handler, &discarded);
    discarded = MICA_OK;
    mica_despawn(world, (mica_entity){0});
    CHECK_EQUAL(MICA_ERROR_HANDLER, discarded);
    mica_world_set_error_handler(world, test_error_record, &c.t.error);
    CHECK(mica_commands_count(world) > 0);
    mica_commands_discard(world);

    // [discard.fail]: MICA_ERROR_ITERATING
    mica_spawn_values(faces[1], NULL, 0);
    mica_defer_call(buffer, discard_inside, faces, sizeof faces);
    mica_entity behind = mica_spawn_values(buffer, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(buffer));
    CHECK_EQUAL(MICA_ERROR_ITERATING, inside[0]);
    CHECK_EQUAL(MICA_OK, inside[1]);
    CHECK_EQUAL(MICA_OK, inside[2]);
    CHECK_REPORTED(&c.t, MICA_ERROR_ITERATING);
    CHECK(mica_alive(world, behind));
    CHECK_EQUAL(0, mica_commands_count(world));

    // also while the world is iterated
    mica_iter it;
    mica_iter_begin(world, c.all, &it);
    mica_entity never = mica_spawn_values(mica_later(&it), NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_commands_discard(mica_later(&it)));
    mica_iter_end(&it);
    CHECK(!mica_alive(world, never));
    end(&c);
}

PROMISE(mica_commands_free)
{
    court c;
    mica_world *world = begin(&c);
    mica_commands_free(mica_commands_new(world));
    uint64_t blocks = c.t.memory.blocks;
    size_t bytes = c.t.memory.bytes;
    mica_world *buffer = mica_commands_new(world);
    tracked made = tracked_make(&c.tracker, 1);
    mica_entity given = mica_spawn(buffer, (mica_value){c.owned, &made, sizeof made, 1, NULL});

    // [buffer.free]
    CHECK_EQUAL(MICA_OK, mica_commands_free(buffer));
    CHECK_TRACKED(&c.tracker, 0);
    CHECK(!mica_alive(world, given));
    CHECK_EQUAL(blocks, c.t.memory.blocks);
    CHECK_EQUAL(bytes, c.t.memory.bytes);

    // [buffer.free_null]
    CHECK_EQUAL(MICA_OK, mica_commands_free(NULL));

    // [buffer.free_fail]
    mica_world *later = mica_world_later(world);
    mica_entity kept = mica_spawn_values(later, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_commands_free(world));
    CHECK_REPORTED(&c.t, MICA_ERROR_RECORDING);
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_commands_free(later));
    CHECK_REPORTED(&c.t, MICA_ERROR_RECORDING);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
    CHECK(mica_alive(world, kept));
    end(&c);
}

PROMISE(mica_commands_count)
{
    court c;
    mica_world *world = begin(&c);
    mica_world *buffer = mica_commands_new(world);
    CHECK_EQUAL(0, mica_commands_count(world));
    mica_world *later = mica_world_later(world);

    // [command.count]
    mica_despawn(buffer, c.entity);
    mica_add(buffer, c.entity, c.tag);
    CHECK_EQUAL(2, mica_commands_count(buffer));

    // [command.count]: of the world itself
    CHECK_EQUAL(0, mica_commands_count(world));
    mica_add(later, c.entity, c.tag);
    CHECK_EQUAL(1, mica_commands_count(world));
    CHECK_EQUAL(1, mica_commands_count(later));
    mica_commands_apply(later);
    CHECK_EQUAL(0, mica_commands_count(world));

    // [command.count_several]
    mica_type removed[2] = {c.tag, c.position};
    mica_value set = MICA_ADD(c.sparse);
    mica_change(later, c.entity, &set, 1, removed, 2);
    CHECK_EQUAL(3, mica_commands_count(world));
    mica_commands_discard(world);
    CHECK_EQUAL(0, mica_commands_count(NULL));
    end(&c);
}

typedef struct seen {
    mica_world *world;
    const void *data;
    long double value;
} seen;

static seen last_seen;

static void see(mica_world *world, const void *data)
{
    last_seen = (seen){world, data, 0};
    if (data) {
        memcpy(&last_seen.value, data, sizeof last_seen.value);
    }
}

static void change_now(mica_world *world, const void *data)
{
    mica_entity entity;
    memcpy(&entity, data, sizeof entity);
    CHECK_EQUAL(MICA_OK, mica_despawn(world, entity));
    CHECK(!MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    MICA_TAG(world, Made);
    inside[0] = mica_world_free(world);
    inside[1] = mica_commands_apply(world);
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, all, &it);
}

static char order[8];

static void write_order(mica_world *world, const void *data)
{
    size_t length = strlen(order);
    order[length] = *(const char *)data;
    if (order[length] == 'a') {
        mica_defer_call(mica_world_later(world), write_order, "c", 1);
    }
}

PROMISE(mica_defer_call)
{
    court c;
    mica_world *world = begin(&c);
    mica_world *later = mica_world_later(world);

    // [call.data]
    long double value = 3;
    CHECK_EQUAL(MICA_OK, mica_defer_call(later, see, &value, sizeof value));
    value = 4;
    CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
    CHECK_POINTER(world, last_seen.world);
    CHECK(last_seen.value == 3);
    CHECK_EQUAL(0, (uintptr_t)last_seen.data % _Alignof(max_align_t));

    // [call.records]
    mica_defer_call(later, write_order, "a", 1);
    mica_defer_call(later, write_order, "b", 1);
    mica_commands_apply(world);
    CHECK_TEXT("abc", order);

    // [call.endless], [call.later]
    counted = 0;
    mica_defer_call(later, go_on, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_commands_apply(world));
    CHECK_REPORTED(&c.t, MICA_ERROR_LIMIT);
    CHECK_EQUAL(MICA_COMMAND_ROUNDS, counted);
    CHECK_EQUAL(0, mica_commands_count(world));

    // [call.limits]
    mica_defer_call(later, change_now, &c.entity, sizeof c.entity);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
    CHECK_EQUAL(MICA_ERROR_ITERATING, inside[0]);
    CHECK_EQUAL(MICA_ERROR_ITERATING, inside[1]);
    CHECK_EQUAL(3, test_error_clear(&c.t.error));
    CHECK_EQUAL(0, mica_world_end_iterations(world));
    CHECK(!MICA_IS_NONE(mica_type_find(world, "Made")));

    // [call.now]: at once, with the data as it is
    CHECK_EQUAL(MICA_OK, mica_defer_call(world, see, &value, sizeof value));
    CHECK_POINTER(&value, last_seen.data);
    CHECK_POINTER(world, last_seen.world);
    CHECK_EQUAL(MICA_OK, mica_defer_call(world, see, NULL, 0));
    CHECK_POINTER(NULL, last_seen.data);

    // [call.now]: MICA_ERROR_ITERATING
    last_seen.world = NULL;
    mica_iter it;
    mica_iter_begin(world, c.all, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_defer_call(world, see, &value, sizeof value));
    mica_iter_end(&it);
    CHECK_REPORTED(&c.t, MICA_ERROR_ITERATING);
    CHECK_POINTER(NULL, last_seen.world);

    // [call.fail]
    CHECK_EQUAL(MICA_ERROR_NULL, mica_defer_call(NULL, see, &value, sizeof value));
    mica_world *faces[2] = {world, later};
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(MICA_ERROR_NULL, mica_defer_call(faces[i], NULL, &value, sizeof value));
        CHECK_REPORTED(&c.t, MICA_ERROR_NULL);
        CHECK_EQUAL(MICA_ERROR_NULL, mica_defer_call(faces[i], see, NULL, 4));
        CHECK_REPORTED(&c.t, MICA_ERROR_NULL);
    }
    CHECK_POINTER(NULL, last_seen.world);
    static char large[1 << 16];
    test_memory_fail_at(&c.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_defer_call(later, see, large, sizeof large));
    CHECK_REPORTED(&c.t, MICA_ERROR_MEMORY);
    test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(0, mica_commands_count(world));
    end(&c);
}

TESTS(command, promise_of_mica_later, promise_of_mica_world_later, promise_of_mica_commands_new,
      promise_of_mica_commands_apply, promise_of_mica_commands_discard,
      promise_of_mica_commands_free, promise_of_mica_commands_count, promise_of_mica_defer_call)
