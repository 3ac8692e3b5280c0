// What mica/resource.h promises.
#include "promise.h"

#include "unit/tracked.h"

#include <string.h>

typedef struct Gravity {
    float x, y;
} Gravity;

typedef struct Other {
    float x, y;
} Other;

// A world with types to be resources: of every storage, which makes no difference, with hooks, and a tag.
typedef struct vault {
    test_world t;
    tracker tracker;
    mica_world *world;
    mica_type gravity, split, copied, owned, tag;
} vault;

static mica_world *vault_begin(vault *v)
{
    v->world = test_world_begin(&v->t);
    tracker_begin(&v->tracker);
    v->gravity = MICA_REGISTER(v->world, Gravity, x, y);
    mica_type_desc split = MICA_DESCRIBE(Gravity, x, y);
    split.name = "Split";
    split.storage = MICA_SPLIT;
    v->split = mica_type_register(v->world, &split);
    mica_type_desc desc = tracked_desc(&v->tracker, "Copied", true);
    v->copied = mica_type_register(v->world, &desc);
    desc.name = "Owned";
    desc.hooks.copy = NULL;
    v->owned = mica_type_register(v->world, &desc);
    v->tag = MICA_TAG(v->world, Tag);
    return v->world;
}

static void vault_end(vault *v)
{
    test_world_end(&v->t);
    CHECK_TRACKED(&v->tracker, 0);
}

static void check_refused(vault *v, mica_result code, mica_result result, uint64_t hash)
{
    CHECK_EQUAL(code, result);
    CHECK_REPORTED(&v->t, code);
    CHECK_EQUAL(hash, mica_world_hash(v->world));
}

// What calls have given that were made inside of something.
static struct {
    mica_result set, removed;
    const void *got;
    void *got_mut;
} inside;

static void act(vault *v)
{
    inside.set = mica_resource_set(v->world, MICA_VALUE(v->gravity, Gravity, 7, 7));
    inside.removed = mica_resource_remove(v->world, v->gravity);
    inside.got = mica_resource_get(v->world, v->gravity);
    inside.got_mut = mica_resource_get_mut(v->world, v->gravity);
}

static mica_result act_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 0, 4 * (size_t)count);
    act(context->user);
    return MICA_OK;
}

static void act_in_handler(mica_world *world, const mica_error *error, void *user)
{
    (void)world, (void)error;
    act(user);
}

static void act_in_system(mica_iter *it)
{
    act(it->user);
}

PROMISE(mica_resource_set_values)
{
    // [resource.set_cost]: tests/gate/growth.c
    vault v;
    mica_world *world = vault_begin(&v);

    // [resource.set]
    const Gravity down = {0, -10};
    const mica_value values[2] = {MICA_COPY_OF(v.gravity, down), MICA_COPY_OF(v.split, down)};
    uint64_t empty = mica_world_hash(world);
    CHECK_EQUAL(MICA_OK, mica_resource_set_values(world, values, 2));
    const Gravity *kept = mica_resource_get(world, v.gravity);
    CHECK(kept && kept != &down && kept->y == -10);
    CHECK(((const Gravity *)mica_resource_get(world, v.split))->y == -10);
    CHECK(mica_world_hash(world) != empty); // [resource.world]

    // [resource.list]
    CHECK_EQUAL(MICA_OK, mica_resource_set(world, MICA_VALUE(v.gravity, Gravity, 1, 2),
                                           MICA_VALUE(v.split, Gravity, 3, 4)));
    CHECK(kept->y == 2);
    CHECK_EQUAL(MICA_OK, mica_resource_set_values(world, NULL, 0));

    // [resource.address]
    CHECK_EQUAL(MICA_OK, mica_resource_set(world, MICA_COPY_OF(v.gravity, *kept))); // itself
    for (int i = 0; i < 100; i++) {
        mica_type_desc desc = {.size = 64, .align = 64};
        char name[16] = "many";
        name[4] = (char)('0' + i / 10);
        name[5] = (char)('0' + i % 10);
        desc.name = name;
        CHECK_EQUAL(MICA_OK, mica_resource_set(world, MICA_ADD(mica_type_register(world, &desc))));
    }
    mica_type_change_storage(world, v.gravity, MICA_SPARSE);
    mica_step(world, 0);
    mica_world_reclaim(world);
    mica_world_clear(world); // [resource.world]
    CHECK_POINTER(kept, mica_resource_get(world, v.gravity));
    CHECK(kept->x == 1 && kept->y == 2);

    // [resource.copied]
    tracked made = tracked_make(&v.tracker, 5);
    CHECK_EQUAL(MICA_OK, mica_resource_set(world, MICA_COPY_OF(v.copied, made)));
    CHECK_TRACKED(&v.tracker, 2);
    CHECK(tracked_is(&v.tracker, mica_resource_get(world, v.copied), 5));
    CHECK_EQUAL(MICA_OK, mica_resource_set(world, MICA_COPY_OF(v.owned, made))); // handed over
    CHECK_TRACKED(&v.tracker, 2);
    const void *owned = mica_resource_get(world, v.owned);
    CHECK(tracked_is(&v.tracker, owned, 5));
    CHECK_EQUAL(MICA_OK, mica_resource_set(world, MICA_ADD(v.owned)));
    CHECK_POINTER(owned, mica_resource_get(world, v.owned));
    CHECK(tracked_is(&v.tracker, owned, TRACKED_DEFAULT));
    CHECK_TRACKED(&v.tracker, 2);
    mica_value itself = {v.owned, owned, sizeof(tracked), 1, NULL};
    CHECK_EQUAL(MICA_OK, mica_resource_set_values(world, &itself, 1));
    CHECK_TRACKED(&v.tracker, 2);

    // [resource.all_or_none]: the k-th hook, and the k-th allocation
    uint64_t hash = mica_world_hash(world);
    made = tracked_make(&v.tracker, 9);
    for (uint32_t k = 1; k <= 2; k++) {
        v.tracker.until_failure = k;
        check_refused(&v, MICA_ERROR_HOOK,
                      mica_resource_set(world, MICA_VALUE(v.gravity, Gravity, 8, 8),
                                        MICA_COPY_OF(v.copied, made), MICA_ADD(v.owned)),
                      hash);
        v.tracker.until_failure = 0;
        CHECK_TRACKED(&v.tracker, 3);
    }
    mica_resource_remove(world, v.gravity);
    mica_resource_remove(world, v.owned);
    hash = mica_world_hash(world);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t which = 1; result; which++) {
        test_memory_fail_at(&v.t.memory, which, TEST_MEMORY_ONWARDS);
        result = mica_resource_set(world, MICA_VALUE(v.gravity, Gravity, 8, 8),
                                   MICA_COPY_OF(v.owned, made), MICA_VALUE(v.split, Gravity, 8, 8));
        test_memory_fail_at(&v.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            check_refused(&v, MICA_ERROR_MEMORY, result, hash);
            CHECK_TRACKED(&v.tracker, 2);
        }
    }
    CHECK_TRACKED(&v.tracker, 2);

    // [resource.set_fail]: all codes but MICA_ERROR_ARGUMENT
    hash = mica_world_hash(world);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_resource_set(NULL, MICA_ADD(v.gravity)));
    check_refused(&v, MICA_ERROR_NULL, mica_resource_set_values(world, NULL, 1), hash);
    check_refused(&v, MICA_ERROR_NULL,
                  mica_resource_set(world, MICA_VALUE(v.gravity, Gravity, 6, 6),
                                    (mica_value){v.split, NULL, 8, 1, NULL}),
                  hash);
    check_refused(
        &v, MICA_ERROR_TYPE,
        mica_resource_set(world, MICA_VALUE(v.gravity, Gravity, 6, 6), MICA_ADD((mica_type){0})),
        hash);
    check_refused(&v, MICA_ERROR_SIZE,
                  mica_resource_set(world, MICA_VALUE(v.gravity, Gravity, 6, 6), MICA_ADD(v.tag)),
                  hash);
    check_refused(&v, MICA_ERROR_SIZE,
                  mica_resource_set(world, (mica_value){v.gravity, &down, 4, 1, NULL}), hash);

    // [resource.set_fail]: MICA_ERROR_ARGUMENT
    check_refused(&v, MICA_ERROR_ARGUMENT,
                  mica_resource_set(world, MICA_VALUE(v.gravity, Gravity, 6, 6), MICA_ADD(v.split),
                                    MICA_VALUE(v.gravity, Gravity, 7, 7)),
                  hash);
    const Gravity several[2] = {{1, 1}, {2, 2}};
    check_refused(&v, MICA_ERROR_ARGUMENT,
                  mica_resource_set(world, MICA_COPY_OF_ARRAY(v.gravity, several)), hash);

    // [resource.any_time]: not from hooks, nor changes from handlers
    mica_type hooked = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Hooked", .size = 4, .align = 4, .user = &v, .hooks.construct = act_in_hook});
    mica_despawn(world, mica_spawn(world, MICA_ADD(hooked)));
    CHECK_EQUAL(MICA_ERROR_HOOK, inside.set);
    CHECK_EQUAL(MICA_ERROR_HOOK, inside.removed);
    CHECK(!inside.got && !inside.got_mut);
    CHECK_EQUAL(4, test_error_clear(&v.t.error));
    mica_world_set_error_handler(world, act_in_handler, &v);
    mica_despawn(world, (mica_entity){0});
    mica_world_set_error_handler(world, test_error_record, &v.t.error);
    CHECK_EQUAL(MICA_ERROR_HANDLER, inside.set);
    CHECK_EQUAL(MICA_ERROR_HANDLER, inside.removed);
    CHECK(inside.got);

    // [resource.any_time]: not on a world that records
    mica_world *later = mica_world_later(world);
    check_refused(&v, MICA_ERROR_RECORDING,
                  mica_resource_set(later, MICA_VALUE(v.gravity, Gravity, 1, 1)), hash);
    check_refused(&v, MICA_ERROR_RECORDING, mica_resource_remove(later, v.gravity), hash);
    CHECK_POINTER(mica_resource_get(world, v.gravity), mica_resource_get(later, v.gravity));

    // [resource.declared]
    mica_system_desc desc = {.name = "acting", .update = act_in_system, .user = &v};
    mica_system system = mica_system_add(world, &desc);
    mica_step(world, 0);
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, inside.set);
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, inside.removed);
    CHECK(!inside.got && !inside.got_mut);
    CHECK_EQUAL(4, test_error_clear(&v.t.error));
    CHECK_EQUAL(hash, mica_world_hash(world));
    mica_system_remove(world, system);
    desc.resources[0] = (mica_term){v.gravity, MICA_WRITE};
    mica_system_add(world, &desc);
    mica_step(world, 0);
    CHECK_EQUAL(MICA_OK, inside.set);
    CHECK_EQUAL(MICA_OK, inside.removed);

    // [resource.any_time]: during iterations
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, all, &it);
    CHECK_EQUAL(MICA_OK, mica_resource_set(world, MICA_VALUE(v.gravity, Gravity, 1, 1)));
    CHECK_EQUAL(MICA_OK, mica_resource_remove(world, v.gravity));
    mica_iter_end(&it);
    vault_end(&v);
}

PROMISE(mica_resource_get)
{
    vault v;
    mica_world *world = vault_begin(&v);

    // [resource.get]: NULL
    CHECK_POINTER(NULL, mica_resource_get(world, v.gravity));
    CHECK_POINTER(NULL, mica_resource_get(world, v.tag));

    // [resource.get]: the value
    mica_resource_set(world, MICA_VALUE(v.gravity, Gravity, 1, 2));
    const Gravity *gravity = mica_resource_get(world, v.gravity);
    CHECK(gravity && gravity->x == 1);

    // [resource.get_cost]: tests/gate. What does not exist, and who is not to ask, is an error
    CHECK_POINTER(NULL, mica_resource_get(NULL, v.gravity));
    CHECK_POINTER(NULL, mica_resource_get(world, (mica_type){0}));
    CHECK_REPORTED(&v.t, MICA_ERROR_TYPE);
    vault_end(&v);
}

PROMISE(mica_resource_get_mut)
{
    vault v;
    mica_world *world = vault_begin(&v);
    CHECK_POINTER(NULL, mica_resource_get_mut(world, v.split));
    mica_resource_set(world, MICA_VALUE(v.split, Gravity, 1, 2));
    Gravity *gravity = mica_resource_get_mut(world, v.split);
    REQUIRE(gravity != NULL);
    gravity->x = 5;
    CHECK(((const Gravity *)mica_resource_get(world, v.split))->x == 5);
    CHECK_POINTER(NULL, mica_resource_get_mut(world, (mica_type){0}));
    CHECK_REPORTED(&v.t, MICA_ERROR_TYPE);
    vault_end(&v);
}

TEST_WITH(vault, v, check_size_of_mica_resource_get)
{
    mica_world *world = v->world;
    CHECK_POINTER(NULL, mica_resource_get_as(world, v->gravity, sizeof(Gravity), NULL));
    mica_resource_set(world, MICA_ADD(v->gravity));

    // [resource.as]: the size
    CHECK(mica_resource_get_as(world, v->gravity, sizeof(Gravity), NULL) != NULL);
    CHECK_POINTER(NULL, mica_resource_get_as(world, v->gravity, 4, NULL));
    CHECK_REPORTED(&v->t, MICA_ERROR_SIZE);
}

TEST_WITH(vault, v, check_size_of_mica_resource_get_mut)
{
    mica_world *world = v->world;
    mica_resource_set(world, MICA_ADD(v->gravity));
    CHECK_POINTER(mica_resource_get(world, v->gravity),
                  mica_resource_get_mut_as(world, v->gravity, sizeof(Gravity), NULL));
    CHECK_POINTER(NULL, mica_resource_get_mut_as(world, v->gravity, 4, NULL));
    CHECK_REPORTED(&v->t, MICA_ERROR_SIZE);
}

PROMISE(mica_resource_get_as)
{
    check_size_of_mica_resource_get();
    vault v;
    mica_world *world = vault_begin(&v);
    mica_resource_set(world, MICA_ADD(v.gravity));

    // [resource.as]: the name
    CHECK(MICA_RESOURCE(world, v.gravity, Gravity) != NULL);
    CHECK_POINTER(NULL, MICA_RESOURCE(world, v.gravity, Other));
    CHECK_REPORTED(&v.t, MICA_ERROR_C_TYPE);
    CHECK(mica_resource_get_as(world, v.gravity, sizeof(Gravity), NULL) != NULL);
    vault_end(&v);
}

PROMISE(mica_resource_get_mut_as)
{
    check_size_of_mica_resource_get_mut();
    vault v;
    mica_world *world = vault_begin(&v);
    mica_resource_set(world, MICA_ADD(v.gravity));
    Gravity *gravity = MICA_RESOURCE_MUT(world, v.gravity, Gravity);
    REQUIRE(gravity != NULL);
    gravity->y = 3;
    CHECK_POINTER(NULL, MICA_RESOURCE_MUT(world, v.gravity, Other));
    CHECK_REPORTED(&v.t, MICA_ERROR_C_TYPE);
    CHECK_POINTER(gravity, mica_resource_get_mut_as(world, v.gravity, sizeof(Gravity), NULL));
    vault_end(&v);
}

PROMISE(mica_resource_remove)
{
    vault v;
    mica_world *world = vault_begin(&v);
    uint64_t hash = mica_world_hash(world);

    // [resource.remove]
    mica_resource_set(world, MICA_ADD(v.owned));
    CHECK_TRACKED(&v.tracker, 1);
    CHECK_EQUAL(MICA_OK, mica_resource_remove(world, v.owned));
    CHECK_TRACKED(&v.tracker, 0);
    CHECK(!mica_resource_get(world, v.owned));
    CHECK_EQUAL(hash, mica_world_hash(world));

    // [resource.remove]: there is none
    CHECK_EQUAL(MICA_OK, mica_resource_remove(world, v.owned));
    CHECK_EQUAL(MICA_OK, mica_resource_remove(world, v.tag));
    check_refused(&v, MICA_ERROR_TYPE, mica_resource_remove(world, (mica_type){0}), hash);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_resource_remove(NULL, v.owned));
    vault_end(&v);
}

TESTS(resource, promise_of_mica_resource_set_values, promise_of_mica_resource_get,
      promise_of_mica_resource_get_mut, promise_of_mica_resource_get_as,
      promise_of_mica_resource_get_mut_as, promise_of_mica_resource_remove)
