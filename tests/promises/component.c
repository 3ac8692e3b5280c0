// What mica/component.h promises.
#include "promise.h"

#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

static const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_SPLIT, MICA_RING};
enum { STORAGES = sizeof storages / sizeof storages[0] };

// A world with a component in each storage, two marks, and somebody who has nothing yet.
typedef struct stage {
    test_world t;
    mica_world *world;
    mica_type all[STORAGES]; // of Position; its default is (7, 8)
    mica_type tag, mark;     // in tables, sparse
    mica_type foreign;       // of another world
    mica_entity entity, dead;
} stage;

static mica_world *begin(stage *s)
{
    static const Position at = {7, 8};
    static const char *const names[STORAGES] = {"Table", "Sparse", "Split", "Ring"};
    s->world = test_world_begin(&s->t);
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    for (uint32_t i = 0; i < STORAGES; i++) {
        desc.name = names[i];
        desc.default_value = &at;
        desc.storage = storages[i];
        s->all[i] = mica_type_register(s->world, &desc);
    }
    s->tag = MICA_TAG(s->world, Tag);
    s->mark = MICA_SPARSE_TAG(s->world, Mark);
    mica_world *other = mica_world_new(NULL);
    s->foreign = MICA_TAG(other, Tag);
    mica_world_free(other);
    s->dead = mica_spawn_values(s->world, NULL, 0);
    mica_despawn(s->world, s->dead);
    s->entity = mica_spawn_values(s->world, NULL, 0);
    return s->world;
}

static bool is(stage *s, mica_entity entity, mica_type type, float x, float y)
{
    Position value = {-1, -1};
    return MICA_LOAD(s->world, entity, type, value) && value.x == x && value.y == y;
}

static uint64_t moves(stage *s)
{
    return mica_world_get_stats(s->world).row_moves;
}

// What became of a call that gives an entity.
static mica_result code_of(stage *s, mica_entity made)
{
    return MICA_IS_NONE(made) ? s->t.error.last.code : MICA_OK;
}

// One error was reported, this one, and the world is as it was.
#define CHECK_REFUSED(s, expected, call)                                                           \
    do {                                                                                           \
        uint64_t digest_before = mica_world_digest((s)->world);                                    \
        CHECK_EQUAL(expected, call);                                                               \
        CHECK_EQUAL(expected, (s)->t.error.last.code);                                             \
        CHECK_EQUAL(1, test_error_clear(&(s)->t.error));                                           \
        CHECK_EQUAL(digest_before, mica_world_digest((s)->world));                                 \
    } while (0)

// Nothing happened, and nobody was reported of anything.
#define CHECK_NOTHING(s, call)                                                                     \
    do {                                                                                           \
        uint64_t digest_before = mica_world_digest((s)->world);                                    \
        CHECK_EQUAL(MICA_OK, call);                                                                \
        CHECK_EQUAL(digest_before, mica_world_digest((s)->world));                                 \
    } while (0)

// An iteration that is open: what is structural is refused.
#define CHECK_ITERATING(s, call)                                                                   \
    do {                                                                                           \
        mica_query walked = mica_query_new((s)->world, &(mica_query_desc){.everything = true});    \
        mica_iter open;                                                                            \
        mica_iter_begin((s)->world, walked, &open);                                                \
        CHECK_REFUSED(s, MICA_ERROR_ITERATING, call);                                              \
        mica_iter_end(&open);                                                                      \
        mica_query_free((s)->world, walked);                                                       \
    } while (0)

// Values that are more than their bytes, and hooks that fail when they are reported to.
static bool hooks_fail;
static int32_t living; // constructed and copied, less those that ended
static void (*in_hook)(mica_world *world);

static mica_result make_mesh(void *target, uint32_t count, const mica_hook_context *context)
{
    if (in_hook) {
        in_hook(context->user);
    }
    memset(target, 0, count * sizeof(Position));
    living += hooks_fail ? 0 : (int32_t)count;
    return hooks_fail ? MICA_ERROR_HOOK : MICA_OK;
}

static void end_mesh(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)context;
    living -= (int32_t)count;
}

static mica_result copy_mesh(void *target, const void *source, uint32_t count,
                             const mica_hook_context *context)
{
    if (in_hook) {
        in_hook(context->user);
    }
    memcpy(target, source, count * sizeof(Position));
    living += hooks_fail ? 0 : (int32_t)count;
    return hooks_fail ? MICA_ERROR_HOOK : MICA_OK;
}

static mica_type register_mesh(stage *s, mica_storage storage, bool copied)
{
    hooks_fail = false;
    living = 0;
    in_hook = NULL;
    return mica_type_register(s->world,
                              &(mica_type_desc){.name = copied ? "Mesh" : "Handle",
                                                .size = sizeof(Position),
                                                .align = _Alignof(Position),
                                                .storage = storage,
                                                .user = s->world,
                                                .hooks = {.construct = make_mesh,
                                                          .destruct = end_mesh,
                                                          .copy = copied ? copy_mesh : NULL}});
}

// Of entities without components: slots, handles and limits.
static void check_slots(void)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = 6;
    mica_world *world = test_world_open(&t);

    // [spawn.empty]
    mica_entity first = mica_spawn_values(world, NULL, 0);
    CHECK(mica_alive(world, first));
    mica_type_set types = {0};
    CHECK_EQUAL(MICA_OK, mica_entity_types(world, first, &types));
    CHECK_EQUAL(0, mica_type_set_count(&types));
    mica_type_set_free(world, &types);

    // [spawn.taken]
    mica_spawn_at(world, mica_entity_make(1, 0));
    mica_entity third = mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(2, mica_entity_slot(third));

    // [spawn.freed]
    mica_despawn(world, third);
    mica_despawn(world, first);
    CHECK_EQUAL(0, mica_entity_slot(mica_spawn_values(world, NULL, 0)));
    mica_entity again = mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(2, mica_entity_slot(again));
    CHECK_EQUAL(3, mica_entity_slot(mica_spawn_values(world, NULL, 0)));

    // [handle.stale]: the handle that was kept too long
    CHECK(!MICA_EQUAL(third, again));
    CHECK(!mica_alive(world, third));

    // [spawn.fail]
    mica_spawn_values(world, NULL, 0);
    mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(6, mica_entity_count(world));
    CHECK(MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    CHECK_EQUAL(MICA_ERROR_LIMIT, t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t.error));
    test_world_end(&t);
    world = test_world_begin(&t);
    test_memory_fail_at(&t.memory, 1, TEST_MEMORY_ONCE);
    CHECK(MICA_IS_NONE(mica_spawn_values(world, NULL, 0)));
    CHECK_EQUAL(MICA_ERROR_MEMORY, t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t.error));
    CHECK_EQUAL(0, mica_entity_count(world));
    test_world_end(&t);
}

// Values with the name of their C type, in every call that takes values
static void check_c_types_of_values(void)
{
    stage s;
    mica_world *world = begin(&s);
    const Position given = {1, 2};
    for (uint32_t i = 0; i < STORAGES; i++) {
        mica_value right = {s.all[i], &given, sizeof given, 0, "Position"};
        mica_value wrong = {s.all[i], &given, sizeof given, 0, "Velocity"};
        mica_value unknown = {s.all[i], &given, sizeof given, 0, NULL};
        mica_bundle bundle = mica_bundle_new(world, &s.all[i], 1);

        // Twice, because the first spawn and the first set prepare what the second uses
        for (uint32_t time = 0; time < 2; time++) {
            CHECK(is(&s, mica_spawn_values(world, &right, 1), s.all[i], 1, 2));
            CHECK(is(&s, mica_spawn_values(world, &unknown, 1), s.all[i], 1, 2));
            CHECK(is(&s, mica_spawn_bundle(world, bundle, &right, 1), s.all[i], 1, 2));
            CHECK_EQUAL(MICA_OK, mica_set_values(world, s.entity, &right, 1));
            CHECK(is(&s, s.entity, s.all[i], 1, 2));
            CHECK_EQUAL(MICA_OK, mica_change(world, s.entity, &right, 1, NULL, 0));
            CHECK_REFUSED(&s, MICA_ERROR_C_TYPE, code_of(&s, mica_spawn_values(world, &wrong, 1)));
            CHECK_REFUSED(&s, MICA_ERROR_C_TYPE,
                          code_of(&s, mica_spawn_bundle(world, bundle, &wrong, 1)));
            CHECK_REFUSED(&s, MICA_ERROR_C_TYPE,
                          mica_spawn_many(world, bundle, 1, &wrong, 1, NULL));
            CHECK_REFUSED(&s, MICA_ERROR_C_TYPE, mica_set_values(world, s.entity, &wrong, 1));
            CHECK_REFUSED(&s, MICA_ERROR_C_TYPE, mica_change(world, s.entity, &wrong, 1, NULL, 0));
        }
        // With a C type it is one value
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, mica_spawn_many(world, bundle, 2, &right, 1, NULL));
        wrong.size = 4; // the size is checked first
        CHECK_REFUSED(&s, MICA_ERROR_SIZE, code_of(&s, mica_spawn_values(world, &wrong, 1)));
        mica_bundle_free(world, bundle);
    }
    test_world_end(&s.t);
}

PROMISE(mica_spawn_values)
{
    check_c_types_of_values(); // [value.c_type]

    stage s;
    mica_world *world = begin(&s);

    // [spawn.values]
    mica_value values[STORAGES + 2];
    const Position given = {1, 2}, other = {3, 4};
    for (uint32_t i = 0; i < STORAGES; i++) {
        values[i] = MICA_COPY_OF(s.all[i], given);
    }
    values[STORAGES] = MICA_ADD(s.tag);
    values[STORAGES + 1] = MICA_ADD(s.mark);
    mica_entity made = mica_spawn_values(world, values, STORAGES + 2);
    for (uint32_t i = 0; i < STORAGES; i++) {
        CHECK(is(&s, made, s.all[i], 1, 2));
    }
    CHECK(mica_has(world, made, s.tag));
    CHECK(mica_has(world, made, s.mark));

    // [spawn.empty], [spawn.taken], [spawn.freed], [spawn.fail]
    check_slots();

    // [spawn.twice]: with data or without
    for (uint32_t i = 0; i < STORAGES; i++) {
        mica_type type = s.all[i];
        const mica_value twice[] = {MICA_COPY_OF(type, given), MICA_COPY_OF(type, other)};
        const mica_value last_none[] = {MICA_COPY_OF(type, given), MICA_ADD(type)};
        const mica_value first_none[] = {MICA_ADD(type), MICA_COPY_OF(type, other)};
        CHECK(is(&s, mica_spawn_values(world, twice, 2), type, 3, 4));
        CHECK(is(&s, mica_spawn_values(world, last_none, 2), type, 7, 8));
        CHECK(is(&s, mica_spawn_values(world, first_none, 2), type, 3, 4));
        made = mica_spawn_values(world, NULL, 0);
        CHECK_EQUAL(MICA_OK, mica_set_values(world, made, twice, 2));
        CHECK(is(&s, made, type, 3, 4));
        CHECK_EQUAL(MICA_OK, mica_change(world, made, first_none, 2, NULL, 0));
        CHECK(is(&s, made, type, 3, 4));
        made = mica_spawn_values(world, NULL, 0);
        CHECK_EQUAL(MICA_OK, mica_change(world, made, last_none, 2, NULL, 0));
        CHECK(is(&s, made, type, 7, 8));
        made = mica_facet_add_values(world, made, type, 1, twice, 2);
        CHECK(is(&s, made, type, 3, 4));
        mica_world *later = mica_world_later(world);
        made = mica_spawn_values(later, twice, 2);
        mica_entity none_last = mica_spawn_values(later, last_none, 2);
        CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
        CHECK(is(&s, made, type, 3, 4));
        CHECK(is(&s, none_last, type, 7, 8));
    }

    // [spawn.twice]: MICA_ERROR_ARGUMENT; a default is nothing that could be lost
    mica_type handle = register_mesh(&s, MICA_TABLE, false);
    const mica_value lost[] = {MICA_COPY_OF(handle, given), MICA_COPY_OF(handle, other)};
    const mica_value lost_too[] = {MICA_COPY_OF(handle, given), MICA_ADD(handle)};
    const mica_value kept[] = {MICA_ADD(handle), MICA_COPY_OF(handle, other)};
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, code_of(&s, mica_spawn_values(world, lost, 2)));
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, code_of(&s, mica_spawn_values(world, lost_too, 2)));
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, mica_set_values(world, s.entity, lost, 2));
    CHECK_EQUAL(0, living);
    living++; // that one is the world's now
    made = mica_spawn_values(world, kept, 2);
    CHECK(MICA_GET(world, made, handle, Position)->x == 3);
    CHECK_EQUAL(1, living);

    // [spawn.cost]: tests/gate. Codes that the head of the header names
    const mica_value wrong_size = {s.all[0], &given, 4, 1, NULL};
    const mica_value no_data = {s.all[0], NULL, sizeof given, 1, NULL};
    const mica_value several = {s.all[0], &given, sizeof given, 2, NULL};
    const mica_value of_none = MICA_ADD((mica_type){0}), of_other = MICA_ADD(s.foreign);
    const mica_value big_tag = {s.tag, &given, 4, 1, NULL};
    CHECK_REFUSED(&s, MICA_ERROR_SIZE, code_of(&s, mica_spawn_values(world, &wrong_size, 1)));
    CHECK_REFUSED(&s, MICA_ERROR_SIZE, code_of(&s, mica_spawn_values(world, &big_tag, 1)));
    CHECK_REFUSED(&s, MICA_ERROR_NULL, code_of(&s, mica_spawn_values(world, &no_data, 1)));
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, code_of(&s, mica_spawn_values(world, &several, 1)));
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, code_of(&s, mica_spawn_values(world, &of_none, 1)));
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, code_of(&s, mica_spawn_values(world, &of_other, 1)));
    CHECK_REFUSED(&s, MICA_ERROR_NULL, code_of(&s, mica_spawn_values(world, NULL, 1)));
    CHECK_ITERATING(&s, code_of(&s, mica_spawn_values(world, values, 1)));
    CHECK(MICA_IS_NONE(mica_spawn_values(NULL, values, 1)));
    hooks_fail = true;
    CHECK_REFUSED(&s, MICA_ERROR_HOOK, code_of(&s, mica_spawn_values(world, kept, 1)));
    hooks_fail = false;
    test_world_end(&s.t);
    CHECK_EQUAL(0, living);
}

PROMISE(mica_clone)
{
    stage s;
    mica_world *world = begin(&s);
    mica_type mesh = register_mesh(&s, MICA_TABLE, true);
    for (uint32_t i = 0; i < STORAGES; i++) {
        mica_set(world, s.entity, MICA_VALUE(s.all[i], Position, 1, (float)i));
    }
    mica_add(world, s.entity, s.tag);
    mica_add(world, s.entity, s.mark);
    mica_add(world, s.entity, mesh);
    mica_entity_set_name(world, s.entity, "original");
    mica_facet_add(world, s.entity, s.tag, 1, MICA_ADD(s.tag));

    // [clone.values]
    mica_entity copy = mica_clone(world, s.entity);
    mica_type_set had = {0}, has = {0};
    mica_entity_types(world, s.entity, &had);
    mica_entity_types(world, copy, &has);
    CHECK(mica_type_set_equal(&had, &has));
    for (uint32_t i = 0; i < STORAGES; i++) {
        CHECK(is(&s, copy, s.all[i], 1, (float)i));
        mica_set(world, copy, MICA_VALUE(s.all[i], Position, 5, 5));
        CHECK(is(&s, s.entity, s.all[i], 1, (float)i));
    }
    CHECK_EQUAL(2, living);

    // [clone.plain]: also the copy of a facet, which is no facet
    CHECK_TEXT(NULL, mica_entity_name(world, copy));
    CHECK(MICA_IS_NONE(mica_facet_next(world, copy, (mica_entity){0})));
    CHECK(MICA_EQUAL(s.entity, mica_entity_find(world, "original")));
    mica_entity facet = mica_facet_find(world, s.entity, s.tag, 1);
    mica_entity_set_name(world, facet, "facet");
    copy = mica_clone(world, facet);
    CHECK(MICA_EQUAL(copy, mica_facet_owner(world, copy)));
    CHECK_TEXT(NULL, mica_entity_name(world, copy));
    CHECK(MICA_EQUAL(facet, mica_entity_find(world, "facet")));
    mica_type_set_free(world, &had);
    mica_type_set_free(world, &has);

    // What cannot be copied is refused; so are the errors that the head of the header names
    hooks_fail = true;
    CHECK_REFUSED(&s, MICA_ERROR_HOOK, code_of(&s, mica_clone(world, s.entity)));
    hooks_fail = false;
    CHECK_REFUSED(&s, MICA_ERROR_ENTITY, code_of(&s, mica_clone(world, s.dead)));
    CHECK_REFUSED(&s, MICA_ERROR_ENTITY, code_of(&s, mica_clone(world, (mica_entity){0})));
    CHECK_ITERATING(&s, code_of(&s, mica_clone(world, s.entity)));
    CHECK(MICA_IS_NONE(mica_clone(NULL, s.entity)));
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONWARDS);
    mica_result result = MICA_OK;
    while (result == MICA_OK) {
        result = code_of(&s, mica_clone(world, copy));
    }
    test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, result);
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    test_world_end(&s.t);
    CHECK_EQUAL(0, living);
}

PROMISE(mica_despawn_many)
{
    stage s;
    mica_world *world = begin(&s);
    mica_entity all[6];
    for (uint32_t i = 0; i < 6; i++) {
        all[i] = mica_spawn(world, MICA_ADD(s.all[i % STORAGES]), MICA_ADD(s.mark));
    }

    // [despawn.many]
    CHECK_EQUAL(MICA_OK, mica_despawn_many(world, all, 2));
    CHECK(!mica_alive(world, all[0]) && !mica_alive(world, all[1]));
    CHECK(mica_alive(world, all[2]));
    CHECK_NOTHING(&s, mica_despawn_many(world, NULL, 0));

    // [despawn.many_dead]
    const mica_entity some_dead[] = {all[2], all[1], all[0]};
    char text[MICA_ENTITY_TEXT_SIZE];
    const char *first = mica_entity_text(all[1], text);
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn_many(world, some_dead, 3));
    CHECK(strstr(s.t.error.last.sentence, first) != NULL);
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    CHECK_EQUAL(digest, mica_world_digest(world));
    mica_world *later = mica_world_later(world);
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn_many(later, some_dead, 3));
    CHECK(strstr(s.t.error.last.sentence, first) != NULL);
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    CHECK_EQUAL(0, mica_commands_count(later));

    // [despawn.many_twice]: and a facet beside its owner, in whatever order
    const mica_entity twice[] = {all[2], all[3], all[2]};
    CHECK_EQUAL(MICA_OK, mica_despawn_many(world, twice, 3));
    CHECK(!mica_alive(world, all[2]) && !mica_alive(world, all[3]));
    for (uint32_t i = 0; i < 2; i++) {
        mica_entity facet = mica_facet_add(world, all[4 + i], s.tag, 1, MICA_ADD(s.all[0]));
        const mica_entity both[] = {i ? facet : all[4 + i], i ? all[4 + i] : facet};
        CHECK_EQUAL(MICA_OK, mica_despawn_many(world, both, 2));
        CHECK(!mica_alive(world, facet) && !mica_alive(world, all[4 + i]));
    }
    CHECK_EQUAL(1, mica_entity_count(world));

    CHECK_REFUSED(&s, MICA_ERROR_NULL, mica_despawn_many(world, NULL, 1));
    CHECK_ITERATING(&s, mica_despawn_many(world, &s.entity, 1));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_despawn_many(NULL, &s.entity, 1));
    test_world_end(&s.t);
}

PROMISE(mica_add)
{
    stage s;
    mica_world *world = begin(&s);

    // [component.add]
    for (uint32_t i = 0; i < STORAGES; i++) {
        CHECK_EQUAL(MICA_OK, mica_add(world, s.entity, s.all[i]));
        CHECK(is(&s, s.entity, s.all[i], 7, 8));
        mica_set(world, s.entity, MICA_VALUE(s.all[i], Position, 1, 2));
        CHECK_NOTHING(&s, mica_add(world, s.entity, s.all[i]));
        CHECK(is(&s, s.entity, s.all[i], 1, 2));
    }
    CHECK_EQUAL(MICA_OK, mica_add(world, s.entity, s.tag));
    CHECK_EQUAL(MICA_OK, mica_add(world, s.entity, s.mark));
    CHECK_NOTHING(&s, mica_add(world, s.entity, s.tag));
    CHECK_NOTHING(&s, mica_add(world, s.entity, s.mark));

    // Adding is refused while a query is iterated, but for sparse tags that nobody names
    mica_entity bare = mica_spawn_values(world, NULL, 0);
    CHECK_ITERATING(&s, mica_add(world, bare, s.all[0]));
    CHECK_ITERATING(&s, mica_add(world, bare, s.all[1]));
    CHECK_ITERATING(&s, mica_add(world, bare, s.tag));
    mica_query of_mark =
        mica_query_new(world, &(mica_query_desc){.terms = {{s.mark, MICA_WITHOUT}}});
    mica_query of_tag = mica_query_new(world, &(mica_query_desc){.terms = {{s.tag, MICA_WITH}}});
    mica_iter it;
    mica_iter_begin(world, of_mark, &it);
    CHECK_REFUSED(&s, MICA_ERROR_ITERATING, mica_add(world, bare, s.mark));
    CHECK_REFUSED(&s, MICA_ERROR_ITERATING, mica_remove(world, s.entity, s.mark));
    mica_iter_end(&it);
    mica_iter_begin(world, of_tag, &it);
    CHECK_EQUAL(MICA_OK, mica_add(world, bare, s.mark));
    CHECK_EQUAL(MICA_OK, mica_remove(world, s.entity, s.mark));
    mica_iter_end(&it);
    CHECK(mica_has(world, bare, s.mark));
    CHECK(!mica_has(world, s.entity, s.mark));
    mica_group group = mica_group_new(world, &(mica_group_desc){.required = {s.mark, s.all[1]}});
    mica_iter_begin(world, of_tag, &it);
    CHECK_REFUSED(&s, MICA_ERROR_ITERATING, mica_add(world, s.entity, s.mark));
    mica_iter_end(&it);
    mica_group_free(world, group);

    mica_type mesh = register_mesh(&s, MICA_TABLE, true);
    hooks_fail = true;
    CHECK_REFUSED(&s, MICA_ERROR_HOOK, mica_add(world, s.entity, mesh));
    hooks_fail = false;
    CHECK_REFUSED(&s, MICA_ERROR_ENTITY, mica_add(world, s.dead, s.tag));
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, mica_add(world, s.entity, (mica_type){0}));
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, mica_add(world, s.entity, s.foreign));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_add(NULL, s.entity, s.tag));
    test_world_end(&s.t);
}

PROMISE(mica_remove)
{
    stage s;
    mica_world *world = begin(&s);

    // [component.remove]
    for (uint32_t i = 0; i < STORAGES; i++) {
        CHECK_NOTHING(&s, mica_remove(world, s.entity, s.all[i]));
        mica_add(world, s.entity, s.all[i]);
        CHECK_EQUAL(MICA_OK, mica_remove(world, s.entity, s.all[i]));
        CHECK(!mica_has(world, s.entity, s.all[i]));
    }
    mica_add(world, s.entity, s.mark);
    CHECK_EQUAL(MICA_OK, mica_remove(world, s.entity, s.mark));
    CHECK(!mica_has(world, s.entity, s.mark));
    CHECK_NOTHING(&s, mica_remove(world, s.entity, s.mark));
    CHECK_NOTHING(&s, mica_remove(world, s.entity, s.tag));

    // Pointers to values of stable components stay good until these are removed
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.stable = true;
    desc.storage = MICA_SPARSE;
    mica_type stable = mica_type_register(world, &desc);
    const Position *first = NULL;
    mica_entity owner = (mica_entity){0};
    for (uint32_t i = 0; i < 5000; i++) {
        mica_entity made = mica_spawn(world, MICA_VALUE(stable, Position, (float)i, 1));
        first = first ? first : mica_get(world, made, stable);
        owner = MICA_IS_NONE(owner) ? made : owner;
        if (i % 3 == 2) {
            mica_despawn(world, made);
        }
    }
    mica_add(world, owner, s.tag);
    CHECK_POINTER(first, mica_get(world, owner, stable));

    mica_add(world, s.entity, s.tag);
    CHECK_ITERATING(&s, mica_remove(world, s.entity, s.tag));
    CHECK_REFUSED(&s, MICA_ERROR_ENTITY, mica_remove(world, s.dead, s.tag));
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, mica_remove(world, s.entity, (mica_type){0}));
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, mica_remove(world, s.entity, s.foreign));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_remove(NULL, s.entity, s.tag));
    test_world_end(&s.t);
}

PROMISE(mica_set_value)
{
    stage s;
    mica_world *world = begin(&s);
    const Position given = {1, 2}, other = {3, 4};
    for (uint32_t i = 0; i < STORAGES; i++) {
        mica_type type = s.all[i];

        // [component.set]
        CHECK_EQUAL(MICA_OK, mica_set_value(world, s.entity, type, &given, sizeof given));
        CHECK(is(&s, s.entity, type, 1, 2));

        // [component.set_default]
        CHECK_NOTHING(&s, mica_set_value(world, s.entity, type, NULL, 0));
        CHECK(is(&s, s.entity, type, 1, 2));
        mica_entity bare = mica_spawn_values(world, NULL, 0);
        CHECK_EQUAL(MICA_OK, mica_set_value(world, bare, type, NULL, 0));
        CHECK(is(&s, bare, type, 7, 8));

        // [component.set_there]: also of what is iterated
        uint64_t before = moves(&s);
        mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{type, MICA_WRITE}}});
        mica_iter it;
        mica_iter_begin(world, query, &it);
        while (mica_iter_next(&it)) {
            CHECK_EQUAL(MICA_OK, mica_set_value(world, s.entity, type, &other, sizeof other));
            CHECK_EQUAL(MICA_OK, mica_set_value(world, s.entity, type, NULL, 0));
        }
        CHECK(is(&s, s.entity, type, 3, 4));
        CHECK_EQUAL(before, moves(&s));

        // [component.set_there]: not where a segment has copies to be written
        mica_entity apart[9];
        for (uint32_t k = 0; k < 9; k++) {
            apart[k] = mica_spawn(world, MICA_ADD(type));
        }
        for (uint32_t k = 0; k < 9; k += 2) {
            mica_add(world, apart[k], s.mark);
        }
        mica_query gathered = mica_query_new(
            world, &(mica_query_desc){.terms = {{s.mark, MICA_WITH}, {type, MICA_WRITE}}});
        mica_iter_begin(world, gathered, &it);
        REQUIRE(mica_iter_next(&it));
        CHECK_EQUAL(MICA_OK, mica_set_value(world, apart[0], type, &other, sizeof other));
        CHECK(mica_write_field(&it, 1, 0, sizeof(float), NULL).base != NULL);
        CHECK_REFUSED(&s, MICA_ERROR_ITERATING,
                      mica_set_value(world, apart[0], type, &given, sizeof given));
        CHECK_REFUSED(&s, MICA_ERROR_ITERATING,
                      mica_set_value(world, s.entity, type, &given, sizeof given));
        mica_iter_end(&it);
        CHECK(is(&s, apart[0], type, 3, 4));

        // [value.no_data]
        CHECK_REFUSED(&s, MICA_ERROR_NULL,
                      mica_set_value(world, s.entity, type, NULL, sizeof given));
        CHECK_REFUSED(&s, MICA_ERROR_SIZE, mica_set_value(world, s.entity, type, &given, 4));
        CHECK_REFUSED(&s, MICA_ERROR_SIZE, mica_set_value(world, s.entity, type, &given, 0));
        mica_despawn(world, bare);
        bare = mica_spawn_values(world, NULL, 0);
        CHECK_ITERATING(&s, mica_set_value(world, bare, type, &given, sizeof given));
    }
    CHECK_EQUAL(MICA_OK, mica_set_value(world, s.entity, s.tag, NULL, 0));
    CHECK(mica_has(world, s.entity, s.tag));
    CHECK_NOTHING(&s, mica_set_value(world, s.entity, s.tag, &given, 0));

    mica_type mesh = register_mesh(&s, MICA_TABLE, true);
    mica_set_value(world, s.entity, mesh, &given, sizeof given);
    CHECK_EQUAL(1, living);
    hooks_fail = true;
    CHECK_REFUSED(&s, MICA_ERROR_HOOK, mica_set_value(world, s.entity, mesh, &other, sizeof other));
    CHECK_EQUAL(1, living);
    CHECK(((const Position *)mica_get(world, s.entity, mesh))->x == 1);
    hooks_fail = false;
    CHECK_REFUSED(&s, MICA_ERROR_ENTITY, mica_set_value(world, s.dead, s.tag, NULL, 0));
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, mica_set_value(world, s.entity, s.foreign, NULL, 0));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_set_value(NULL, s.entity, s.tag, NULL, 0));
    test_world_end(&s.t);
}

PROMISE(mica_set_values)
{
    stage s;
    mica_world *world = begin(&s);
    const Position given = {1, 2}, other = {3, 4};
    mica_value values[STORAGES + 1], others[STORAGES + 1];
    for (uint32_t i = 0; i < STORAGES; i++) {
        values[i] = MICA_COPY_OF(s.all[i], given);
        others[i] = MICA_COPY_OF(s.all[i], other);
    }
    values[STORAGES] = MICA_ADD(s.tag);
    others[STORAGES] = MICA_ADD(s.tag);

    // [component.set]: several in one move
    uint64_t before = moves(&s);
    CHECK_EQUAL(MICA_OK, mica_set_values(world, s.entity, values, STORAGES + 1));
    CHECK_EQUAL(before + 1, moves(&s));
    for (uint32_t i = 0; i < STORAGES; i++) {
        CHECK(is(&s, s.entity, s.all[i], 1, 2));
    }

    // [component.set_default]
    const mica_value bare[] = {MICA_ADD(s.all[0]), MICA_ADD(s.all[1]), MICA_ADD(s.all[2]),
                               MICA_ADD(s.all[3])};
    CHECK_NOTHING(&s, mica_set_values(world, s.entity, bare, 4));
    CHECK_NOTHING(&s, mica_set_values(world, s.entity, NULL, 0));

    // [component.set_there]: one that is missing, and none is set
    before = moves(&s);
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK_EQUAL(MICA_OK, mica_set_values(world, s.entity, others, STORAGES + 1));
    mica_iter_end(&it);
    CHECK_EQUAL(before, moves(&s));
    for (uint32_t i = 0; i < STORAGES; i++) {
        CHECK(is(&s, s.entity, s.all[i], 3, 4));
    }
    mica_remove(world, s.entity, s.tag);
    mica_iter_begin(world, query, &it);
    CHECK_REFUSED(&s, MICA_ERROR_ITERATING, mica_set_values(world, s.entity, values, STORAGES + 1));
    mica_iter_end(&it);

    // A later value that is none adds only, too
    const mica_value last_none[] = {MICA_COPY_OF(s.all[0], given), MICA_ADD(s.all[0])};
    CHECK_NOTHING(&s, mica_set_values(world, s.entity, last_none, 2));

    values[STORAGES] = MICA_ADD(s.foreign);
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, mica_set_values(world, s.entity, values, STORAGES + 1));
    CHECK_REFUSED(&s, MICA_ERROR_ENTITY, mica_set_values(world, s.dead, values, STORAGES));
    CHECK_REFUSED(&s, MICA_ERROR_NULL, mica_set_values(world, s.entity, NULL, 1));
    values[1].size = 4;
    CHECK_REFUSED(&s, MICA_ERROR_SIZE, mica_set_values(world, s.entity, values, STORAGES));
    values[1] = (mica_value){s.all[1], NULL, 8, 1, NULL};
    CHECK_REFUSED(&s, MICA_ERROR_NULL, mica_set_values(world, s.entity, values, STORAGES));
    values[1] = (mica_value){s.all[1], &given, 8, 3, NULL};
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, mica_set_values(world, s.entity, values, STORAGES));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_set_values(NULL, s.entity, values, STORAGES));
    test_world_end(&s.t);
}

// Adds several types, and removes them.
static void change_several(stage *s)
{
    mica_world *world = s->world;

    // [component.change_add]: all in one move, one of them twice
    mica_type types[] = {s->all[0], s->all[1], s->all[2], s->all[3], s->tag, s->mark, s->all[0]};
    mica_value added[7];
    for (uint32_t i = 0; i < 7; i++) {
        added[i] = MICA_ADD(types[i]);
    }
    uint64_t before = moves(s);
    CHECK_EQUAL(MICA_OK, mica_change(world, s->entity, added, 7, NULL, 0));
    CHECK_EQUAL(before + 1, moves(s));
    for (uint32_t i = 0; i < STORAGES; i++) {
        CHECK(is(s, s->entity, s->all[i], 7, 8));
        mica_set(world, s->entity, MICA_VALUE(s->all[i], Position, 1, 2));
    }
    CHECK(mica_has(world, s->entity, s->tag) && mica_has(world, s->entity, s->mark));
    CHECK_NOTHING(s, mica_change(world, s->entity, added, 7, NULL, 0));

    // [component.change_empty]
    CHECK_NOTHING(s, mica_change(world, s->entity, NULL, 0, NULL, 0));

    // [component.change]: all are removed in one move; those that are not there are no error
    before = moves(s);
    CHECK_EQUAL(MICA_OK, mica_change(world, s->entity, NULL, 0, types, 7));
    CHECK_EQUAL(before + 1, moves(s));
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(!mica_has(world, s->entity, types[i]));
    }
    CHECK_NOTHING(s, mica_change(world, s->entity, NULL, 0, types, 7));

    // One that is wrong, and nothing is changed
    added[6] = MICA_ADD(s->foreign);
    CHECK_REFUSED(s, MICA_ERROR_TYPE, mica_change(world, s->entity, added, 7, NULL, 0));
    CHECK_ITERATING(s, mica_change(world, s->entity, added, 6, NULL, 0));
    mica_change(world, s->entity, added, 6, NULL, 0);
    types[6] = (mica_type){0};
    CHECK_REFUSED(s, MICA_ERROR_TYPE, mica_change(world, s->entity, NULL, 0, types, 7));
    CHECK_ITERATING(s, mica_change(world, s->entity, NULL, 0, types, 6));
}

PROMISE(mica_change)
{
    // [component.change_add], [component.change_empty]
    stage several;
    begin(&several);
    change_several(&several);
    test_world_end(&several.t);

    stage s;
    mica_world *world = begin(&s);
    for (uint32_t i = 0; i < STORAGES; i++) {
        mica_type old = s.all[i], new = s.all[(i + 1) % STORAGES];
        mica_entity entity = mica_spawn(world, MICA_ADD(old), MICA_ADD(s.tag));
        const mica_value values[] = {MICA_VALUE(new, Position, 1, 2), MICA_ADD(s.mark)};

        // [component.change]
        uint64_t before = moves(&s);
        const mica_type removed[] = {old, s.tag};
        CHECK_EQUAL(MICA_OK, mica_change(world, entity, values, 2, removed, 2));
        CHECK_EQUAL(before + 1, moves(&s));
        CHECK(is(&s, entity, new, 1, 2));
        CHECK(!mica_has(world, entity, old) && !mica_has(world, entity, s.tag));
        CHECK(mica_has(world, entity, s.mark));

        // [component.change_twice]
        const mica_type both[] = {s.tag, new};
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, mica_change(world, entity, values, 1, both, 2));
        mica_world *later = mica_world_later(world);
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, mica_change(later, entity, values, 1, both, 2));
        CHECK_ITERATING(&s, mica_change(world, entity, NULL, 0, &new, 1));
    }
    CHECK_NOTHING(&s, mica_change(world, s.entity, NULL, 0, NULL, 0));
    const mica_value value = MICA_ADD(s.tag);
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, mica_change(world, s.entity, &value, 1, &s.foreign, 1));
    CHECK_REFUSED(&s, MICA_ERROR_ENTITY, mica_change(world, s.dead, &value, 1, NULL, 0));
    CHECK_REFUSED(&s, MICA_ERROR_NULL, mica_change(world, s.entity, &value, 1, NULL, 1));
    CHECK_REFUSED(&s, MICA_ERROR_NULL, mica_change(world, s.entity, NULL, 1, NULL, 0));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_change(NULL, s.entity, &value, 1, NULL, 0));
    test_world_end(&s.t);
}

// S0.10
PROMISE(mica_change_sets)
{
    stage s;
    mica_world *world = begin(&s);
    for (uint32_t i = 0; i < STORAGES; i++) {
        mica_type old = s.all[i], new = s.all[(i + 1) % STORAGES];
        mica_entity entity = mica_spawn(world, MICA_ADD(old), MICA_ADD(s.tag));
        mica_type_set added = {0}, removed = {0}, both = {0}, has = {0};
        mica_type_set_add_list(world, &added, (mica_type[]){new, s.mark}, 2);
        mica_type_set_add_list(world, &removed, (mica_type[]){old, s.tag}, 2);
        mica_type_set_add_list(world, &both, (mica_type[]){old, new}, 2);

        // [component.change_sets_twice]: nothing changes, also through a recording world
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, mica_change_sets(world, entity, &added, &both));
        mica_world *later = mica_world_later(world);
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, mica_change_sets(later, entity, &added, &both));
        CHECK_ITERATING(&s, mica_change_sets(world, entity, &added, &removed));

        // [component.change_sets]: in one move
        uint64_t before = moves(&s);
        CHECK_EQUAL(MICA_OK, mica_change_sets(world, entity, &added, &removed));
        CHECK_EQUAL(before + 1, moves(&s));
        CHECK(is(&s, entity, new, 7, 8));
        mica_entity_types(world, entity, &has);
        CHECK(mica_type_set_equal(&has, &added));

        // [component.change_sets]: what it has is not added again, what it has not is not removed
        mica_set(world, entity, MICA_VALUE(new, Position, 1, 2));
        CHECK_NOTHING(&s, mica_change_sets(world, entity, &added, &removed));
        CHECK(is(&s, entity, new, 1, 2));

        // [component.change_sets_null]
        CHECK_EQUAL(MICA_OK, mica_change_sets(world, entity, &removed, NULL));
        CHECK(is(&s, entity, old, 7, 8) && mica_has(world, entity, s.tag));
        CHECK_EQUAL(MICA_OK, mica_change_sets(later, entity, NULL, &removed));
        mica_commands_apply(world);
        CHECK(!mica_has(world, entity, old) && mica_has(world, entity, new));
        CHECK_NOTHING(&s, mica_change_sets(world, entity, NULL, NULL));
    }
    mica_type_set added = {0};
    mica_type_set_add(world, &added, s.tag);
    CHECK_REFUSED(&s, MICA_ERROR_ENTITY, mica_change_sets(world, s.dead, &added, NULL));
    mica_type_set foreign = {.words = {0, 1}};
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, mica_change_sets(world, s.entity, &foreign, NULL));
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, mica_change_sets(world, s.entity, &added, &foreign));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_change_sets(NULL, s.entity, &added, NULL));
    test_world_end(&s.t);
}

// What all that give a pointer have in common; `size` is for the `_sized` forms.
typedef enum getter {
    GET,
    GET_MUT,
    GET_SIZED,
    GET_MUT_SIZED,
    GET_AS,
    GET_MUT_AS,
    TRY_GET,
    TRY_GET_SIZED,
    TRY_GET_AS
} getter;

static const void *get(getter how, mica_world *world, mica_entity entity, mica_type type)
{
    const uint32_t size = sizeof(Position);
    switch (how) {
    case GET: return mica_get(world, entity, type);
    case GET_MUT: return mica_get_mut(world, entity, type);
    case GET_SIZED: return mica_get_as(world, entity, type, size, NULL);
    case GET_MUT_SIZED: return mica_get_mut_as(world, entity, type, size, NULL);
    case GET_AS: return mica_get_as(world, entity, type, size, "Position");
    case TRY_GET: return mica_try_get(world, entity, type);
    case TRY_GET_SIZED: return mica_try_get_as(world, entity, type, size, NULL);
    case TRY_GET_AS: return mica_try_get_as(world, entity, type, size, "Position");
    default: return mica_get_mut_as(world, entity, type, size, "Position");
    }
}

#define CHECK_NULL(s, expected, call)                                                              \
    CHECK_REFUSED(s, expected, (call) == NULL ? (s)->t.error.last.code : MICA_OK)

static void check_getter(getter how)
{
    stage s;
    mica_world *world = begin(&s);
    mica_entity neighbour = (mica_entity){0};
    for (uint32_t i = 0; i < STORAGES; i++) {
        mica_type type = s.all[i];

        // NULL, silently, if it is not there
        CHECK_POINTER(NULL, get(how, world, s.entity, type));
        neighbour = mica_spawn(world, MICA_ADD(type));
        CHECK_POINTER(NULL, get(how, world, s.entity, type));
        mica_set(world, s.entity, MICA_VALUE(type, Position, 1, 2));
        if (storages[i] == MICA_SPLIT) {
            CHECK_NULL(&s, MICA_ERROR_STORAGE, get(how, world, s.entity, type));
            continue;
        }
        const Position *p = get(how, world, s.entity, type);
        REQUIRE(p != NULL);
        CHECK(p->x == 1 && p->y == 2);

        // Nothing ends it but a structural change or a step: values set, iterations, names, marks, other looks
        mica_set(world, s.entity, MICA_VALUE(type, Position, 3, 4));
        mica_set(world, neighbour, MICA_VALUE(type, Position, 5, 6));
        mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{type, MICA_READ}}});
        mica_iter it;
        mica_iter_begin(world, query, &it);
        while (mica_iter_next(&it)) {
            CHECK_POINTER(p, get(how, world, s.entity, type));
        }
        mica_entity_set_name(world, s.entity, "somebody");
        mica_get(world, neighbour, type);
        CHECK_POINTER(p, get(how, world, s.entity, type));
        CHECK(p->x == 3 && p->y == 4);

        // Through the face that records, as it is now
        CHECK_POINTER(p, get(how, mica_world_later(world), s.entity, type));
    }

    // The dead, and who cannot be
    for (uint32_t i = 0; i < STORAGES; i++) {
        if (how >= TRY_GET) {
            CHECK_POINTER(NULL, get(how, world, s.dead, s.all[i]));
            CHECK_POINTER(NULL, get(how, world, (mica_entity){0}, s.all[i]));
        } else {
            CHECK_NULL(&s, MICA_ERROR_ENTITY, get(how, world, s.dead, s.all[i]));
            CHECK_NULL(&s, MICA_ERROR_ENTITY, get(how, world, (mica_entity){0}, s.all[i]));
        }
    }
    CHECK_NULL(&s, MICA_ERROR_TYPE, get(how, world, s.entity, (mica_type){0}));
    CHECK_NULL(&s, MICA_ERROR_TYPE, get(how, world, s.entity, s.foreign));
    CHECK_POINTER(NULL, get(how, NULL, s.entity, s.all[0]));
    test_world_end(&s.t);
}

// Is a value changed, once it was got in this way?
static bool counts_as_change(getter how, mica_storage storage)
{
    stage s;
    mica_world *world = begin(&s);
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.row_stamps = true;
    desc.storage = storage;
    mica_type type = mica_type_register(world, &desc);
    mica_query changed =
        mica_query_new(world, &(mica_query_desc){.terms = {{type, MICA_READ | MICA_CHANGED}}});
    mica_entity entity = mica_spawn(world, MICA_ADD(type));
    mica_spawn(world, MICA_ADD(type));
    mica_query_set_since(world, changed, mica_world_tick(world));
    CHECK(get(how, world, entity, type) != NULL);
    bool has_changed = mica_query_contains(world, changed, entity);
    CHECK_EQUAL(has_changed ? 1 : 0, mica_query_count(world, changed));
    test_world_end(&s.t);
    return has_changed;
}

PROMISE(mica_get)
{
    // [component.get], [component.get_valid], [component.get_split]
    check_getter(GET);
    stage s;
    mica_world *world = begin(&s);
    mica_add(world, s.entity, s.tag);
    mica_add(world, s.entity, s.mark);
    CHECK_POINTER(NULL, mica_get(world, s.entity, s.tag));
    CHECK_POINTER(NULL, mica_get(world, s.entity, s.mark));
    test_world_end(&s.t);

    // [component.get_mut]: reading does not
    CHECK(!counts_as_change(GET, MICA_TABLE));
    CHECK(!counts_as_change(GET, MICA_SPARSE));
    CHECK(!counts_as_change(GET, MICA_RING));
}

PROMISE(mica_get_mut)
{
    check_getter(GET_MUT);
    stage s;
    mica_world *world = begin(&s);
    mica_add(world, s.entity, s.tag);
    mica_add(world, s.entity, s.mark);
    CHECK_POINTER(NULL, mica_get_mut(world, s.entity, s.tag));
    CHECK_POINTER(NULL, mica_get_mut(world, s.entity, s.mark));
    mica_add(world, s.entity, s.all[0]);
    ((Position *)mica_get_mut(world, s.entity, s.all[0]))->x = 9;
    CHECK(is(&s, s.entity, s.all[0], 9, 8));
    test_world_end(&s.t);

    // [component.get_mut]
    CHECK(counts_as_change(GET_MUT, MICA_TABLE));
    CHECK(counts_as_change(GET_MUT, MICA_SPARSE));
    CHECK(counts_as_change(GET_MUT, MICA_RING));
}

static void check_size_of_mica_get(void)
{
    // [component.get_as]: the size,: whether or not the component is there
    check_getter(GET_SIZED);
    stage s;
    mica_world *world = begin(&s);
    for (uint32_t i = 0; i < STORAGES; i++) {
        CHECK_NULL(&s, MICA_ERROR_SIZE, mica_get_as(world, s.entity, s.all[i], 4, NULL));
        mica_add(world, s.entity, s.all[i]);
        CHECK_NULL(&s, MICA_ERROR_SIZE, mica_get_as(world, s.entity, s.all[i], 4, NULL));
        CHECK_NULL(&s, MICA_ERROR_SIZE, mica_get_as(world, s.entity, s.all[i], 0, NULL));
    }
    mica_add(world, s.entity, s.tag);
    CHECK_NULL(&s, MICA_ERROR_SIZE, mica_get_as(world, s.entity, s.tag, 0, NULL));
    CHECK_NULL(&s, MICA_ERROR_SIZE, mica_get_as(world, s.entity, s.tag, 8, NULL));
    test_world_end(&s.t);
    CHECK(!counts_as_change(GET_SIZED, MICA_TABLE));
}

static void check_size_of_mica_get_mut(void)
{
    check_getter(GET_MUT_SIZED);
    stage s;
    mica_world *world = begin(&s);
    for (uint32_t i = 0; i < STORAGES; i++) {
        CHECK_NULL(&s, MICA_ERROR_SIZE, mica_get_mut_as(world, s.entity, s.all[i], 4, NULL));
        mica_add(world, s.entity, s.all[i]);
        CHECK_NULL(&s, MICA_ERROR_SIZE, mica_get_mut_as(world, s.entity, s.all[i], 4, NULL));
    }
    mica_add(world, s.entity, s.mark);
    CHECK_NULL(&s, MICA_ERROR_SIZE, mica_get_mut_as(world, s.entity, s.mark, 0, NULL));
    CHECK_NULL(&s, MICA_ERROR_SIZE, mica_get_mut_as(world, s.entity, s.mark, 8, NULL));
    test_world_end(&s.t);
    CHECK(counts_as_change(GET_MUT_SIZED, MICA_TABLE));
    CHECK(counts_as_change(GET_MUT_SIZED, MICA_SPARSE));
}

PROMISE(mica_get_as)
{
    check_size_of_mica_get();
    // [component.get_as]: the name
    check_getter(GET_AS);
    stage s;
    mica_world *world = begin(&s);
    for (uint32_t i = 0; i < STORAGES; i++) {
        mica_type type = s.all[i];
        CHECK_NULL(&s, MICA_ERROR_C_TYPE, mica_get_as(world, s.entity, type, 8, "Velocity"));
        CHECK_NULL(&s, MICA_ERROR_SIZE, mica_get_as(world, s.entity, type, 4, "Velocity"));
        CHECK_POINTER(NULL, mica_get_as(world, s.entity, type, 8, NULL));
        CHECK_NULL(&s, MICA_ERROR_SIZE, mica_get_as(world, s.entity, type, 4, NULL));
    }
    test_world_end(&s.t);
}

PROMISE(mica_get_mut_as)
{
    check_size_of_mica_get_mut();
    check_getter(GET_MUT_AS);
    stage s;
    mica_world *world = begin(&s);
    for (uint32_t i = 0; i < STORAGES; i++) {
        mica_type type = s.all[i];
        CHECK_NULL(&s, MICA_ERROR_C_TYPE, mica_get_mut_as(world, s.entity, type, 8, "Velocity"));
        CHECK_POINTER(NULL, mica_get_mut_as(world, s.entity, type, 8, NULL));
        CHECK_NULL(&s, MICA_ERROR_SIZE, mica_get_mut_as(world, s.entity, type, 4, NULL));
    }
    test_world_end(&s.t);
    CHECK(counts_as_change(GET_MUT_AS, MICA_TABLE));
}

// S3.12
PROMISE(mica_try_get)
{
    // [component.try_get], of every storage
    check_getter(TRY_GET);
    stage s;
    mica_world *world = begin(&s);
    mica_add(world, s.entity, s.tag);
    CHECK_POINTER(NULL, mica_try_get(world, s.entity, s.tag));
    CHECK_POINTER(NULL, mica_try_get(world, s.dead, s.tag));

    // [component.try_get]: also where its slot has another entity by now
    mica_entity heir = mica_spawn(world, MICA_ADD(s.all[0]), MICA_ADD(s.all[1]));
    mica_despawn(world, heir);
    mica_spawn(world, MICA_ADD(s.all[0]), MICA_ADD(s.all[1]));
    CHECK_POINTER(NULL, mica_try_get(world, heir, s.all[0]));
    CHECK_POINTER(NULL, mica_try_get(world, heir, s.all[1]));

    // [component.try_get_fail]: whether or not the entity lives
    CHECK_NULL(&s, MICA_ERROR_TYPE, mica_try_get(world, s.dead, s.foreign));
    CHECK_NULL(&s, MICA_ERROR_TYPE, mica_try_get(world, (mica_entity){0}, (mica_type){0}));
    test_world_end(&s.t);
    CHECK(!counts_as_change(TRY_GET, MICA_TABLE));
    CHECK(!counts_as_change(TRY_GET, MICA_SPARSE));
}

PROMISE(mica_try_get_as)
{
    check_getter(TRY_GET_SIZED);
    check_getter(TRY_GET_AS);
    stage s;
    mica_world *world = begin(&s);
    for (uint32_t i = 0; i < STORAGES; i++) {
        // [component.try_get_fail]: the size, too, whether or not the entity lives
        mica_add(world, s.entity, s.all[i]);
        CHECK_NULL(&s, MICA_ERROR_SIZE, mica_try_get_as(world, s.entity, s.all[i], 4, NULL));
        CHECK_NULL(&s, MICA_ERROR_SIZE, mica_try_get_as(world, s.dead, s.all[i], 4, NULL));
    }
    CHECK_NULL(&s, MICA_ERROR_SIZE, mica_try_get_as(world, s.entity, s.tag, 0, NULL));
    const Position *p = MICA_TRY_GET(world, s.entity, s.all[0], Position);
    CHECK_POINTER(mica_get(world, s.entity, s.all[0]), p);
    CHECK_POINTER(NULL, MICA_TRY_GET(world, s.dead, s.all[0], Position));

    // [component.try_get_fail]: the name of the C type
    CHECK_NULL(&s, MICA_ERROR_C_TYPE,
               mica_try_get_as(world, s.entity, s.all[0], sizeof(Position), "Velocity"));
    test_world_end(&s.t);
}

PROMISE(mica_load)
{
    stage s;
    mica_world *world = begin(&s);
    const Position untouched = {-5, -6};
    for (uint32_t i = 0; i < STORAGES; i++) {
        mica_type type = s.all[i];
        Position value = untouched;

        // [component.load_fail]: false, without an error
        CHECK(!mica_load(world, s.entity, type, &value, sizeof value));
        CHECK_BYTES(&untouched, &value, sizeof value);

        // [component.load]
        mica_set(world, s.entity, MICA_VALUE(type, Position, 1, 2));
        CHECK(mica_load(world, s.entity, type, &value, sizeof value));
        CHECK(value.x == 1 && value.y == 2);

        // [component.load_fail]: nothing is loaded
        value = untouched;
        CHECK_REFUSED(&s, MICA_ERROR_SIZE,
                      mica_load(world, s.entity, type, &value, 4) ? MICA_OK : s.t.error.last.code);
        CHECK_REFUSED(&s, MICA_ERROR_ENTITY,
                      mica_load(world, s.dead, type, &value, 8) ? MICA_OK : s.t.error.last.code);
        CHECK_REFUSED(&s, MICA_ERROR_NULL,
                      mica_load(world, s.entity, type, NULL, 8) ? MICA_OK : s.t.error.last.code);
        CHECK_BYTES(&untouched, &value, sizeof value);
        CHECK(!mica_load(NULL, s.entity, type, &value, 8));

        // [component.load_variable]
        CHECK(MICA_LOAD(world, s.entity, type, value));
        CHECK(value.x == 1 && value.y == 2);

        // [component.load_why]: longer than the value
        mica_remove(world, s.entity, type);
        CHECK(value.x == 1 && value.y == 2);
    }
    Position value = untouched;
    CHECK_REFUSED(&s, MICA_ERROR_TYPE,
                  mica_load(world, s.entity, s.foreign, &value, 8) ? MICA_OK : s.t.error.last.code);

    // [component.load_fail]: MICA_ERROR_ARGUMENT for values with hooks
    for (uint32_t copied = 0; copied < 2; copied++) {
        mica_type mesh = register_mesh(&s, MICA_TABLE, copied);
        mica_add(world, s.entity, mesh);
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT,
                      mica_load(world, s.entity, mesh, &value, 8) ? MICA_OK : s.t.error.last.code);
        CHECK(mica_get(world, s.entity, mesh) != NULL);
    }
    CHECK_BYTES(&untouched, &value, sizeof value);
    test_world_end(&s.t);
}

PROMISE(mica_has)
{
    stage s;
    mica_world *world = begin(&s);
    const mica_type types[] = {s.all[0], s.all[1], s.all[2], s.all[3], s.tag, s.mark};
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(!mica_has(world, s.entity, types[i]));
        mica_add(world, s.entity, types[i]);
        CHECK(mica_has(world, s.entity, types[i]));

        // [component.has]
        CHECK(!mica_has(world, s.dead, types[i]));
        CHECK(!mica_has(world, (mica_entity){0}, types[i]));
        CHECK(!mica_has(world, mica_entity_make(9999, 0), types[i]));
    }
    CHECK_REFUSED(&s, MICA_ERROR_TYPE,
                  mica_has(world, s.entity, (mica_type){0}) ? MICA_OK : s.t.error.last.code);
    CHECK_REFUSED(&s, MICA_ERROR_TYPE,
                  mica_has(world, s.entity, s.foreign) ? MICA_OK : s.t.error.last.code);
    CHECK_REFUSED(&s, MICA_ERROR_TYPE,
                  mica_has(world, s.dead, s.foreign) ? MICA_OK : s.t.error.last.code);
    CHECK(!mica_has(NULL, s.entity, s.tag));
    test_world_end(&s.t);
}

PROMISE(mica_entity_types)
{
    stage s;
    mica_world *world = begin(&s);
    const mica_type types[] = {s.all[0], s.all[1], s.all[2], s.all[3], s.tag, s.mark};

    // [component.types]: of a facet, too, and no more
    mica_type_set set = {0};
    CHECK_EQUAL(MICA_OK, mica_entity_types(world, s.entity, &set));
    CHECK_EQUAL(0, mica_type_set_count(&set));
    test_add_types(world, s.entity, types, 6);
    CHECK_EQUAL(MICA_OK, mica_entity_types(world, s.entity, &set));
    CHECK_EQUAL(6, mica_type_set_count(&set));
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(mica_type_set_has(world, &set, types[i]));
    }
    mica_entity facet = mica_facet_add(world, s.entity, s.tag, 1, MICA_ADD(s.mark));
    CHECK_EQUAL(MICA_OK, mica_entity_types(world, facet, &set));
    CHECK_EQUAL(1, mica_type_set_count(&set));
    CHECK_EQUAL(MICA_OK, mica_entity_types(world, s.entity, &set));
    CHECK_EQUAL(6, mica_type_set_count(&set));

    // A failure leaves the set as it was
    CHECK_REFUSED(&s, MICA_ERROR_ENTITY, mica_entity_types(world, s.dead, &set));
    CHECK_REFUSED(&s, MICA_ERROR_NULL, mica_entity_types(world, s.entity, NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_entity_types(NULL, s.entity, &set));
    CHECK_EQUAL(6, mica_type_set_count(&set));

    // More types than a set has room for by itself
    mica_type last = s.tag;
    char name[] = "Tag000";
    for (uint32_t i = 0; i < 300; i++) {
        name[3] = (char)('0' + i / 100), name[4] = (char)('0' + i / 10 % 10),
        name[5] = (char)('0' + i % 10);
        last = mica_type_register(world, &(mica_type_desc){.name = name});
    }
    mica_add(world, facet, last);
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_REFUSED(&s, MICA_ERROR_MEMORY, mica_entity_types(world, facet, &set));
    CHECK_EQUAL(6, mica_type_set_count(&set));
    CHECK_EQUAL(MICA_OK, mica_entity_types(world, facet, &set));
    CHECK_EQUAL(2, mica_type_set_count(&set));
    CHECK(mica_type_set_has(world, &set, last));
    CHECK_EQUAL(MICA_OK, mica_entity_types(world, s.entity, &set));
    CHECK_EQUAL(6, mica_type_set_count(&set));
    mica_type_set_free(world, &set);
    test_world_end(&s.t);
}

static mica_result bundle_code(stage *s, mica_bundle bundle)
{
    return MICA_IS_NONE(bundle) ? s->t.error.last.code : MICA_OK;
}

PROMISE(mica_bundle_new)
{
    stage s;
    mica_world *world = begin(&s);

    // [bundle.fail]
    const mica_type twice[] = {s.all[0], s.tag, s.all[0]};
    const mica_type wrong[] = {s.all[0], s.foreign, (mica_type){0}};
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, bundle_code(&s, mica_bundle_new(world, twice, 3)));
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, bundle_code(&s, mica_bundle_new(world, wrong, 2)));
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, bundle_code(&s, mica_bundle_new(world, wrong + 2, 1)));
    CHECK_REFUSED(&s, MICA_ERROR_NULL, bundle_code(&s, mica_bundle_new(world, NULL, 1)));
    CHECK(MICA_IS_NONE(mica_bundle_new(NULL, s.all, 1)));
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_REFUSED(&s, MICA_ERROR_MEMORY, bundle_code(&s, mica_bundle_new(world, s.all, 4)));

    // [bundle.life]: through all that becomes of the world and its tables
    mica_bundle bundle = mica_bundle_new(world, s.all, 4);
    mica_spawn_bundle(world, bundle, NULL, 0);
    mica_world_clear(world);
    mica_world_reclaim(world);
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, s.all[0], MICA_SPARSE));
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, s.all[1], MICA_TABLE));
    mica_entity made = mica_spawn_bundle(world, bundle, NULL, 0);
    for (uint32_t i = 0; i < STORAGES; i++) {
        CHECK(is(&s, made, s.all[i], 7, 8));
    }
    test_world_end(&s.t);
}

PROMISE(mica_bundle_free)
{
    stage s;
    mica_world *world = begin(&s);
    mica_bundle bundle = mica_bundle_new(world, s.all, 4), other = mica_bundle_new(world, s.all, 4);
    mica_entity made = mica_spawn_bundle(world, bundle, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_bundle_free(world, bundle));
    CHECK(is(&s, made, s.all[2], 7, 8));
    CHECK_REFUSED(&s, MICA_ERROR_BUNDLE, code_of(&s, mica_spawn_bundle(world, bundle, NULL, 0)));
    CHECK_REFUSED(&s, MICA_ERROR_BUNDLE, mica_bundle_free(world, bundle));
    CHECK_REFUSED(&s, MICA_ERROR_BUNDLE, mica_bundle_free(world, (mica_bundle){0}));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_bundle_free(NULL, other));
    CHECK(mica_alive(world, mica_spawn_bundle(world, other, NULL, 0)));

    // One that comes after it is another
    mica_bundle next = mica_bundle_new(world, s.all, 1);
    CHECK(!MICA_EQUAL(bundle, next));
    CHECK_REFUSED(&s, MICA_ERROR_BUNDLE, code_of(&s, mica_spawn_bundle(world, bundle, NULL, 0)));
    test_world_end(&s.t);
}

// Spawns `count` of a bundle in one way of many; nothing is asked of the allocator.
enum { WAYS = 5, ROOM = 3000, REFUSED = 50000 };

static void fill(stage *s, mica_bundle bundle, const mica_type *types, uint32_t type_count,
                 uint32_t way)
{
    mica_value values[8];
    for (uint32_t i = 0; i < type_count; i++) {
        values[i] = MICA_ADD(types[type_count - 1 - i]);
    }
    mica_entity first = mica_spawn_bundle(s->world, bundle, NULL, 0);
    if (way == 0) {
        mica_spawn_many(s->world, bundle, ROOM - 1, NULL, 0, NULL);
        return;
    }
    for (uint32_t i = 1; i < ROOM; i++) {
        if (way == 1 || (way == 4 && i % 3 == 1)) {
            mica_spawn_bundle(s->world, bundle, NULL, 0);
        } else if (way == 2 || (way == 4 && i % 3 == 2)) {
            mica_spawn_values(s->world, values, type_count);
        } else {
            mica_clone(s->world, first);
        }
    }
}

PROMISE(mica_bundle_reserve)
{
    // [reserve.memory], [reserve.ring]
    for (uint32_t way = 0; way < WAYS; way++) {
        for (uint32_t one = 0; one <= STORAGES; one++) {
            stage s;
            mica_world *world = begin(&s);
            mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
            desc.toggle = true;
            desc.row_stamps = true;
            desc.storage = one < STORAGES ? storages[one] : MICA_TABLE;
            mica_type rich = mica_type_register(world, &desc);
            const mica_type many[] = {s.all[0], s.all[1], s.all[2], s.all[3], s.tag, s.mark, rich};
            const mica_type *types = one < STORAGES ? &rich : many;
            uint32_t type_count = one < STORAGES ? 1 : 7;
            mica_bundle bundle = mica_bundle_new(world, types, type_count);
            CHECK_EQUAL(MICA_OK, mica_bundle_reserve(world, bundle, ROOM));
            uint64_t allocations = s.t.memory.allocations;
            bool settles = way == 0 && one >= 3;
            if (settles) {
                test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONWARDS);
            }
            fill(&s, bundle, types, type_count, way);
            test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
            CHECK_EQUAL(allocations, s.t.memory.allocations);
            CHECK_EQUAL(ROOM + 1, mica_entity_count(world));
            test_world_end(&s.t);
        }
    }

    // [reserve.hooks]: they are called, as ever
    stage s;
    mica_world *world = begin(&s);
    mica_type mesh = register_mesh(&s, MICA_TABLE, true);
    mica_bundle hooked = mica_bundle_new(world, &mesh, 1);
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(world, hooked, 10));
    CHECK_EQUAL(0, living);
    mica_spawn_many(world, hooked, 10, NULL, 0, NULL);
    CHECK_EQUAL(10, living);

    // [reserve.used]: not by the end of the bundle, nor by another way to keep a component in
    // tables
    const mica_type types[] = {s.all[0], s.all[1], s.all[2], s.tag};
    mica_bundle bundle = mica_bundle_new(world, types, 4), same = mica_bundle_new(world, types, 4);
    mica_spawn_many(world, bundle, 100, NULL, 0, NULL);
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(world, bundle, ROOM));
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{s.tag, MICA_WITH}}});
    mica_despawn_all(world, query, NULL);
    mica_world_clear(world);
    mica_world_compact(world);
    mica_bundle_free(world, bundle);
    mica_type_change_storage(world, s.all[0], MICA_SPLIT);
    mica_type_change_storage(world, s.all[2], MICA_TABLE);
    uint64_t allocations = s.t.memory.allocations;
    mica_spawn_many(world, same, ROOM, NULL, 0, NULL);
    CHECK_EQUAL(allocations, s.t.memory.allocations);
    mica_world_clear(world);
    mica_world_reclaim(world);
    allocations = s.t.memory.allocations;
    mica_spawn_many(world, same, ROOM, NULL, 0, NULL);
    CHECK(s.t.memory.allocations > allocations);

    // [reserve.used]: all but those are still to be had without asking
    mica_world_clear(world);
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(world, same, ROOM));
    for (uint32_t i = 0; i < ROOM / 2; i++) {
        mica_entity late =
            mica_spawn(world, MICA_ADD(s.all[0]), MICA_ADD(s.all[1]), MICA_ADD(s.all[2]));
        mica_add(world, late, s.tag);
    }
    allocations = s.t.memory.allocations;
    mica_spawn_many(world, same, ROOM - ROOM / 2, NULL, 0, NULL);
    CHECK_EQUAL(allocations, s.t.memory.allocations);
    mica_spawn_many(world, same, ROOM, NULL, 0, NULL);
    CHECK(s.t.memory.allocations > allocations);

    // [reserve.by_query]: what was reserved is still there
    mica_world_clear(world);
    mica_world_reclaim(world);
    mica_type first_two[] = {s.all[0], s.all[2]}, all_three[] = {s.all[0], s.all[2], s.tag};
    mica_bundle narrow = mica_bundle_new(world, first_two, 2);
    mica_bundle wide = mica_bundle_new(world, all_three, 3);
    mica_query of_narrow =
        mica_query_new(world, &(mica_query_desc){.terms = {{s.all[0], MICA_WITH}}});
    mica_spawn_many(world, narrow, ROOM, NULL, 0, NULL);
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(world, wide, ROOM));
    CHECK_EQUAL(MICA_OK, mica_add_all(world, of_narrow, s.tag, NULL));
    allocations = s.t.memory.allocations;
    mica_spawn_many(world, wide, ROOM, NULL, 0, NULL);
    CHECK_EQUAL(allocations, s.t.memory.allocations);

    // [reserve.fail]
    const mica_bundle refused[] = {narrow, same}; // without a sparse component, and with one
    for (uint32_t i = 0; i < 2; i++) {
        mica_world_clear(world);
        mica_world_reclaim(world);
        const size_t before = s.t.memory.bytes;
        for (uint64_t k = 1;; k += 1 + k / 4) {
            test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONCE);
            mica_result result = mica_bundle_reserve(world, refused[i], REFUSED);
            test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
            if (result == MICA_OK) {
                break;
            }
            CHECK_EQUAL(MICA_ERROR_MEMORY, result);
            CHECK_EQUAL(1, test_error_clear(&s.t.error));
#ifndef MICAI_TEST_SMALL_PAGES // with tiny pages, lists of them are long
            CHECK(s.t.memory.bytes < before + 10000 + i * 12 * (REFUSED + 4096));
#else
            (void)before;
#endif
        }
    }

    // [reserve.sparse]
    mica_world_clear(world);
    mica_world_reclaim(world);
    mica_bundle sparse = mica_bundle_new(world, &s.all[1], 1);
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(world, sparse, ROOM));
    mica_spawn_many(world, narrow, ROOM, NULL, 0, NULL); // these have the slots now
    mica_entity_reserve(world, 10 * ROOM);
    allocations = s.t.memory.allocations;
    mica_add(world, mica_entity_next(world, (mica_entity){0}), s.all[1]);
    CHECK_EQUAL(allocations, s.t.memory.allocations);
    mica_spawn_many(world, sparse, ROOM - 1, NULL, 0, NULL);
    CHECK(s.t.memory.allocations > allocations);

    CHECK_REFUSED(&s, MICA_ERROR_BUNDLE, mica_bundle_reserve(world, (mica_bundle){0}, 1));
    CHECK_REFUSED(&s, MICA_ERROR_BUNDLE, mica_bundle_reserve(world, bundle, 1));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_bundle_reserve(NULL, same, 1));
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(world, same, 0));
    CHECK_ITERATING(&s, mica_bundle_reserve(world, same, 1));
    CHECK_REFUSED(&s, MICA_ERROR_LIMIT, mica_bundle_reserve(world, same, UINT32_MAX));
    test_world_end(&s.t);
}

PROMISE(mica_spawn_bundle)
{
    stage s;
    mica_world *world = begin(&s);
    const mica_type types[] = {s.all[2], s.tag, s.all[1], s.all[0], s.all[3]};
    mica_bundle bundle = mica_bundle_new(world, types, 5);
    const Position given = {1, 2};

    // [bundle.spawn]
    const mica_value values[] = {MICA_COPY_OF(s.all[2], given), MICA_ADD(s.tag),
                                 MICA_COPY_OF(s.all[1], given), MICA_ADD(s.all[0]),
                                 MICA_COPY_OF(s.all[3], given)};
    mica_entity made = mica_spawn_bundle(world, bundle, values, 5);
    CHECK(is(&s, made, s.all[2], 1, 2) && is(&s, made, s.all[1], 1, 2));
    CHECK(is(&s, made, s.all[0], 7, 8) && is(&s, made, s.all[3], 1, 2));
    CHECK(mica_has(world, made, s.tag));

    // [bundle.defaults]
    made = mica_spawn_bundle(world, bundle, NULL, 0);
    for (uint32_t i = 0; i < STORAGES; i++) {
        CHECK(is(&s, made, s.all[i], 7, 8));
    }
    CHECK(mica_has(world, made, s.tag));

    // [bundle.spawn_fail]: on the world, and recorded
    mica_bundle freed = mica_bundle_new(world, types, 5);
    mica_bundle_free(world, freed);
    mica_world *other_world = mica_world_new(NULL);
    mica_bundle foreign = mica_bundle_new(other_world, NULL, 0);
    mica_world_free(other_world);
    mica_value wrong[5];
    mica_world *faces[] = {world, mica_world_later(world)};
    for (uint32_t i = 0; i < 2; i++) {
        mica_world *face = faces[i];
        const mica_bundle none = (mica_bundle){0};
        CHECK_REFUSED(&s, MICA_ERROR_BUNDLE, code_of(&s, mica_spawn_bundle(face, none, NULL, 0)));
        CHECK_REFUSED(&s, MICA_ERROR_BUNDLE, code_of(&s, mica_spawn_bundle(face, freed, NULL, 0)));
        CHECK_REFUSED(&s, MICA_ERROR_BUNDLE,
                      code_of(&s, mica_spawn_bundle(face, foreign, NULL, 0)));
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT,
                      code_of(&s, mica_spawn_bundle(face, bundle, values, 4)));
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT,
                      code_of(&s, mica_spawn_bundle(face, bundle, values, 6)));
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT,
                      code_of(&s, mica_spawn_bundle(face, bundle, values, 0)));
        memcpy(wrong, values, sizeof values);
        wrong[2].type = s.all[3];
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT,
                      code_of(&s, mica_spawn_bundle(face, bundle, wrong, 5)));
        memcpy(wrong, values, sizeof values);
        wrong[2].count = 2;
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT,
                      code_of(&s, mica_spawn_bundle(face, bundle, wrong, 5)));
        memcpy(wrong, values, sizeof values);
        wrong[2].size = 4;
        CHECK_REFUSED(&s, MICA_ERROR_SIZE, code_of(&s, mica_spawn_bundle(face, bundle, wrong, 5)));
        memcpy(wrong, values, sizeof values);
        wrong[2].data = NULL;
        CHECK_REFUSED(&s, MICA_ERROR_NULL, code_of(&s, mica_spawn_bundle(face, bundle, wrong, 5)));
        CHECK_REFUSED(&s, MICA_ERROR_NULL, code_of(&s, mica_spawn_bundle(face, bundle, NULL, 5)));
    }
    CHECK_EQUAL(0, mica_commands_count(world));
    CHECK_ITERATING(&s, code_of(&s, mica_spawn_bundle(world, bundle, values, 5)));
    CHECK(MICA_IS_NONE(mica_spawn_bundle(NULL, bundle, values, 5)));
    test_world_end(&s.t);
}

PROMISE(mica_spawn_many)
{
    stage s;
    mica_world *world = begin(&s);
    const mica_type types[] = {s.all[0], s.all[1], s.tag, s.all[2], s.all[3], s.mark};
    mica_bundle bundle = mica_bundle_new(world, types, 6);
    static Position array[2000];
    static mica_entity entities[2000];
    for (uint32_t i = 0; i < 2000; i++) {
        array[i] = (Position){(float)i, 1};
    }
    mica_value arrays[] = {
        MICA_COPY_OF_ARRAY(s.all[0], array), MICA_COPY_OF_ARRAY(s.all[1], array), MICA_ADD(s.tag),
        MICA_COPY_OF_ARRAY(s.all[2], array), MICA_COPY_OF_ARRAY(s.all[3], array), MICA_ADD(s.mark)};

    // [spawn.many], [spawn.many_arrays]
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, bundle, 2000, arrays, 6, entities));
    CHECK_EQUAL(2001, mica_entity_count(world));
    for (uint32_t i = 0; i < 2000; i += 37) {
        for (uint32_t k = 0; k < STORAGES; k++) {
            CHECK(is(&s, entities[i], s.all[k], (float)i, 1));
        }
        CHECK(mica_has(world, entities[i], s.tag) && mica_has(world, entities[i], s.mark));
    }

    // [spawn.many_no_out]
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, bundle, 10, arrays, 6, NULL));
    CHECK_EQUAL(2011, mica_entity_count(world));
    CHECK_NOTHING(&s, mica_spawn_many(world, bundle, 0, arrays, 6, NULL));
    CHECK_NOTHING(&s, mica_spawn_many(world, bundle, 0, NULL, 0, NULL));

    // The same for later: handles at once, values then
    mica_world *later = mica_world_later(world);
    CHECK_EQUAL(MICA_OK, mica_spawn_many(later, bundle, 20, arrays, 6, entities));
    CHECK_EQUAL(2011, mica_entity_count(world));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK_EQUAL(2031, mica_entity_count(world));
    for (uint32_t k = 0; k < STORAGES; k++) {
        CHECK(is(&s, entities[19], s.all[k], 19, 1));
    }

    // [spawn.many_fail]
    const mica_value in_tables[] = {arrays[0], arrays[2], arrays[3], arrays[4]};
    const mica_type table_types[] = {s.all[0], s.tag, s.all[2], s.all[3]};
    mica_bundle tables = mica_bundle_new(world, table_types, 4);
    for (uint32_t i = 0; i < 2; i++) {
        mica_world_clear(world);
        mica_world_reclaim(world);
        const size_t before = s.t.memory.bytes;
        const uint64_t digest = mica_world_digest(world);
        for (uint64_t k = 1;; k += 1 + k / 4) {
            test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONCE);
            mica_result result = i ? mica_spawn_many(world, bundle, 2000, arrays, 6, entities)
                                   : mica_spawn_many(world, tables, 2000, in_tables, 4, entities);
            test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
            if (result == MICA_OK) {
                break;
            }
            CHECK_EQUAL(MICA_ERROR_MEMORY, result);
            CHECK_EQUAL(1, test_error_clear(&s.t.error));
            CHECK_EQUAL(digest, mica_world_digest(world));
            CHECK_EQUAL(0, mica_entity_count(world));
#ifndef MICAI_TEST_SMALL_PAGES
            CHECK(i == 1 || s.t.memory.bytes < before + 1000);
#else
            (void)before;
#endif
        }
        CHECK_EQUAL(2000, mica_entity_count(world));
    }

    // Fewer values than there are entities, and the other errors
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT,
                  mica_spawn_many(world, bundle, 2001, arrays, 6, entities));
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, mica_spawn_many(world, bundle, 2, arrays, 5, NULL));
    CHECK_REFUSED(&s, MICA_ERROR_NULL, mica_spawn_many(world, bundle, 2, NULL, 6, NULL));
    CHECK_REFUSED(&s, MICA_ERROR_BUNDLE,
                  mica_spawn_many(world, (mica_bundle){0}, 2, NULL, 0, NULL));
    CHECK_REFUSED(&s, MICA_ERROR_LIMIT, mica_spawn_many(world, bundle, UINT32_MAX, NULL, 0, NULL));
    CHECK_ITERATING(&s, mica_spawn_many(world, bundle, 2, arrays, 6, NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_spawn_many(NULL, bundle, 2, arrays, 6, NULL));
    arrays[1].size = 4;
    CHECK_REFUSED(&s, MICA_ERROR_SIZE, mica_spawn_many(world, bundle, 2, arrays, 6, NULL));
    mica_type mesh = register_mesh(&s, MICA_TABLE, true);
    mica_bundle hooked = mica_bundle_new(world, &mesh, 1);
    hooks_fail = true;
    CHECK_REFUSED(&s, MICA_ERROR_HOOK, mica_spawn_many(world, hooked, 5, NULL, 0, NULL));
    hooks_fail = false;
    test_world_end(&s.t);
}

PROMISE(mica_entity_set_name)
{
    stage s;
    mica_world *world = begin(&s);
    mica_entity other = mica_spawn_values(world, NULL, 0);

    // [name.unique]
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, s.entity, "a"));
    CHECK_TEXT("a", mica_entity_name(world, s.entity));
    CHECK_REFUSED(&s, MICA_ERROR_NAME, mica_entity_set_name(world, other, "a"));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, s.entity, "b"));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, other, "a"));
    CHECK_NOTHING(&s, mica_entity_set_name(world, other, "a"));
    mica_despawn(world, other);
    CHECK(MICA_IS_NONE(mica_entity_find(world, "a")));
    other = mica_spawn_values(world, NULL, 0);
    CHECK_TEXT(NULL, mica_entity_name(world, other));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, other, "a"));
    mica_world_clear(world);
    CHECK(MICA_IS_NONE(mica_entity_find(world, "a")));
    s.entity = mica_spawn_values(world, NULL, 0);
    other = mica_spawn_values(world, NULL, 0);

    // [name.good]
    char longest[257];
    memset(longest, 'n', sizeof longest);
    longest[256] = '\0';
    CHECK_REFUSED(&s, MICA_ERROR_NAME, mica_entity_set_name(world, s.entity, longest));
    longest[255] = '\0';
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, s.entity, longest));
    CHECK_TEXT(longest, mica_entity_name(world, s.entity));
    static const char *const bad[] = {"", "a/b", "/", "#a", "#", "a\nb", "\x7f", "\x1b[m", "a\x01"};
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_REFUSED(&s, MICA_ERROR_NAME, mica_entity_set_name(world, s.entity, bad[i]));
        CHECK_REFUSED(&s, MICA_ERROR_NAME,
                      mica_entity_set_name(mica_world_later(world), s.entity, bad[i]));
    }
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, s.entity, "a #1, of Zürich"));
    CHECK(MICA_EQUAL(s.entity, mica_entity_find(world, "a #1, of Zürich")));

    // [name.set]
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, s.entity, NULL));
    CHECK_TEXT(NULL, mica_entity_name(world, s.entity));
    CHECK_NOTHING(&s, mica_entity_set_name(world, s.entity, NULL));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, s.entity, "a"));

    CHECK_REFUSED(&s, MICA_ERROR_ENTITY, mica_entity_set_name(world, s.dead, "b"));
    CHECK_REFUSED(&s, MICA_ERROR_ENTITY, mica_entity_set_name(world, s.dead, NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_entity_set_name(NULL, s.entity, "b"));
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_REFUSED(&s, MICA_ERROR_MEMORY, mica_entity_set_name(world, other, "other"));
    test_world_end(&s.t);
}

PROMISE(mica_entity_name)
{
    // [name.get]
    stage s;
    mica_world *world = begin(&s);
    CHECK_TEXT(NULL, mica_entity_name(world, s.entity));
    char name[] = "copied";
    mica_entity_set_name(world, s.entity, name);
    name[0] = 'x';
    CHECK_TEXT("copied", mica_entity_name(world, s.entity));
    mica_entity facet = mica_facet_add(world, s.entity, s.tag, 1, MICA_ADD(s.mark));
    CHECK_TEXT(NULL, mica_entity_name(world, facet));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(world, facet, "facet"));
    CHECK_TEXT("facet", mica_entity_name(world, facet));
    mica_despawn(world, s.entity);
    CHECK(MICA_IS_NONE(mica_entity_find(world, "facet")));
    uint64_t digest = mica_world_digest(world);
    CHECK_TEXT(NULL, mica_entity_name(world, s.entity));
    CHECK_EQUAL(MICA_ERROR_ENTITY, s.t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_TEXT(NULL, mica_entity_name(NULL, facet));
    test_world_end(&s.t);
}

PROMISE(mica_entity_find)
{
    // [name.find]: nor could have
    stage s;
    mica_world *world = begin(&s);
    CHECK(MICA_IS_NONE(mica_entity_find(world, "nobody")));
    CHECK(MICA_IS_NONE(mica_entity_find(world, "")));
    CHECK(MICA_IS_NONE(mica_entity_find(world, "/")));
    mica_entity_set_name(world, s.entity, "somebody");
    CHECK(MICA_EQUAL(s.entity, mica_entity_find(world, "somebody")));
    CHECK(MICA_IS_NONE(mica_entity_find(world, "some")));
    mica_add(world, s.entity, s.tag);
    CHECK(MICA_EQUAL(s.entity, mica_entity_find(world, "somebody")));
    CHECK_REFUSED(&s, MICA_ERROR_NULL, code_of(&s, mica_entity_find(world, NULL)));
    CHECK(MICA_IS_NONE(mica_entity_find(NULL, "somebody")));
    test_world_end(&s.t);
}

TESTS(component, promise_of_mica_spawn_values, promise_of_mica_clone, promise_of_mica_despawn_many,
      promise_of_mica_add, promise_of_mica_remove, promise_of_mica_set_value,
      promise_of_mica_set_values, promise_of_mica_change, promise_of_mica_change_sets,
      promise_of_mica_try_get, promise_of_mica_try_get_as, promise_of_mica_get,
      promise_of_mica_get_mut, promise_of_mica_get_as, promise_of_mica_get_mut_as,
      promise_of_mica_load, promise_of_mica_has, promise_of_mica_entity_types,
      promise_of_mica_bundle_new, promise_of_mica_bundle_free, promise_of_mica_bundle_reserve,
      promise_of_mica_spawn_bundle, promise_of_mica_spawn_many, promise_of_mica_entity_set_name,
      promise_of_mica_entity_name, promise_of_mica_entity_find)
