// What mica/accessor.h promises.
#include "promise.h"

typedef struct Position {
    float x, y;
} Position;

// Ways to keep a component; an accessor is to know them all, and a change from one to the other.
typedef struct way {
    mica_storage storage;
    bool stable, row_stamps, toggle;
} way;

static const way ways[] = {{MICA_TABLE, false, false, false}, {MICA_TABLE, false, true, false},
                           {MICA_TABLE, false, false, true},  {MICA_SPARSE, false, false, false},
                           {MICA_SPARSE, true, false, false}, {MICA_SPARSE, false, true, false},
                           {MICA_SPARSE, false, false, true}, {MICA_SPARSE, true, true, true},
                           {MICA_RING, false, false, false},  {MICA_RING, false, true, true},
                           {MICA_SPLIT, false, false, false}, {MICA_SPLIT, false, false, true}};
enum { WAYS = sizeof ways / sizeof ways[0] };

// A world with a component, an accessor of it, somebody who has it, and somebody who has not.
typedef struct stage {
    test_world t;
    mica_world *world;
    mica_type position, tag, mark;
    mica_accessor positions;
    mica_entity entity, bare, dead;
} stage;

static mica_world *begin(stage *s, way how)
{
    s->world = test_world_begin(&s->t);
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.storage = how.storage;
    desc.stable = how.stable;
    desc.row_stamps = how.row_stamps;
    desc.toggle = how.toggle;
    s->position = mica_type_register(s->world, &desc);
    s->tag = MICA_TAG(s->world, Tag);
    s->mark = MICA_SPARSE_TAG(s->world, Mark);
    s->dead = mica_spawn(s->world, MICA_ADD(s->position));
    s->entity = mica_spawn(s->world, MICA_VALUE(s->position, Position, 1, 2));
    s->bare = mica_spawn(s->world, MICA_ADD(s->tag));
    mica_despawn(s->world, s->dead);
    s->positions = mica_accessor_new(s->world, s->position);
    CHECK_EQUAL(0, s->t.error.calls);
    return s->world;
}

static const way plain = {MICA_TABLE, false, false, false};

// One error was reported, this one, and the world is as it was.
static void check_reported(stage *s, mica_result code, uint64_t digest)
{
    CHECK_EQUAL(code, s->t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK_EQUAL(digest, mica_world_digest(s->world));
}

#define CHECK_NULL(s, expected, call)                                                              \
    do {                                                                                           \
        uint64_t digest_before = mica_world_digest((s)->world);                                    \
        CHECK((call) == NULL);                                                                     \
        check_reported(s, expected, digest_before);                                                \
    } while (0)

#define CHECK_REFUSED(s, expected, call)                                                           \
    do {                                                                                           \
        uint64_t digest_before = mica_world_digest((s)->world);                                    \
        CHECK_EQUAL(expected, call);                                                               \
        check_reported(s, expected, digest_before);                                                \
    } while (0)

// Gives NULL for every entity, and says so each time.
static void check_useless(stage *s, mica_accessor accessor)
{
    const mica_entity all[] = {s->entity, s->bare, s->dead, (mica_entity){0}};
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(mica_accessor_get(&accessor, all[i]) == NULL);
        CHECK(mica_accessor_get_mut(&accessor, all[i]) == NULL);
        CHECK(mica_accessor_get_as(&accessor, all[i], sizeof(Position), NULL) == NULL);
        CHECK(mica_accessor_get_mut_as(&accessor, all[i], sizeof(Position), NULL) == NULL);
        CHECK(mica_accessor_get_as(&accessor, all[i], sizeof(Position), "Position") == NULL);
        CHECK(mica_accessor_get_mut_as(&accessor, all[i], sizeof(Position), "Position") == NULL);
        const void *read[] = {s, s};
        void *write[] = {s, s};
        const mica_entity twice[] = {all[i], all[i]};
        CHECK_EQUAL(0, mica_accessor_get_many(&accessor, twice, 2, read));
        CHECK_EQUAL(0, mica_accessor_get_mut_many(&accessor, twice, 2, write));
        CHECK(!read[0] && !read[1] && !write[0] && !write[1]);
        if (accessor.face) {
            CHECK_EQUAL(MICA_ERROR_TYPE, s->t.error.last.code);
            CHECK_EQUAL(8, test_error_clear(&s->t.error));
        }
    }
}

// A hook that makes an accessor, and asks one that was made before.
static mica_accessor made_inside;

static mica_result try_inside(void *target, uint32_t count, const mica_hook_context *context)
{
    stage *s = context->user;
    (void)target, (void)count;
    made_inside = mica_accessor_new(s->world, s->position);
    CHECK(mica_accessor_get(&s->positions, s->entity) == NULL);
    return MICA_OK;
}

PROMISE(mica_accessor_new)
{
    stage s;
    mica_world *world = begin(&s, plain);

    // [accessor.cost]: for others, no memory, whatever there is. An accessor can be copied
    const mica_type wide =
        mica_type_register(world, &(mica_type_desc){.name = "Wide", .size = 64, .align = 8});
    mica_accessor_new(world, wide);
    uint64_t allocations = s.t.memory.allocations;
    CHECK(mica_accessor_new(world, wide).size > 0);
    mica_accessor accessor = mica_accessor_new(world, s.position), copy = accessor;
    CHECK_EQUAL(allocations, s.t.memory.allocations);
    CHECK_POINTER(mica_get(world, s.entity, s.position), mica_accessor_get(&copy, s.entity));

    // [accessor.fail]
    mica_world *other = mica_world_new(NULL);
    mica_type foreign = MICA_TAG(other, Tag);
    mica_world_free(other);
    const mica_type wrong[] = {(mica_type){0}, foreign, s.tag, s.mark};
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t digest = mica_world_digest(world);
        accessor = mica_accessor_new(world, wrong[i]);
        check_reported(&s, i < 2 ? MICA_ERROR_TYPE : MICA_ERROR_SIZE, digest);
        check_useless(&s, accessor);
    }
    check_useless(&s, mica_accessor_new(NULL, s.position));
    mica_type_desc sparse = MICA_DESCRIBE(Position, x, y);
    sparse.name = "Sparse";
    sparse.storage = MICA_SPARSE;
    mica_type type = mica_type_register(world, &sparse);
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONCE);
    accessor = mica_accessor_new(world, type);
    CHECK_EQUAL(MICA_ERROR_MEMORY, s.t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    check_useless(&s, accessor);
    accessor = (mica_accessor){0};
    check_useless(&s, accessor);
    accessor = mica_accessor_new(mica_world_later(world), s.position);
    CHECK_EQUAL(MICA_ERROR_RECORDING, s.t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    check_useless(&s, accessor);
    mica_type hooked = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Hooked", .size = 8, .align = 4, .hooks.construct = try_inside, .user = &s});
    mica_spawn(world, MICA_ADD(hooked));
    CHECK_EQUAL(MICA_ERROR_HOOK, s.t.error.last.code);
    CHECK_EQUAL(2, test_error_clear(&s.t.error));
    check_useless(&s, made_inside);

    // [accessor.version]
    accessor = mica_accessor_new_any(world, s.position, MICA_VIEW_LAYOUT + 1);
    CHECK_EQUAL(MICA_ERROR_VERSION, s.t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    check_useless(&s, accessor);
    test_world_end(&s.t);
}

// Every second of nine entities has the mark, so that an iteration over both copies what it writes.
static void check_iterating(stage *s)
{
    mica_entity apart[9];
    for (uint32_t i = 0; i < 9; i++) {
        apart[i] = mica_spawn(s->world, MICA_ADD(s->position));
        if (i % 2 == 0) {
            mica_add(s->world, apart[i], s->mark);
        }
    }
    mica_query gathered = mica_query_new(
        s->world, &(mica_query_desc){.terms = {{s->mark, MICA_WITH}, {s->position, MICA_WRITE}}});
    mica_iter it;
    mica_iter_begin(s->world, gathered, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK(mica_write_field(&it, 1, 0, sizeof(float), NULL).base != NULL);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_NULL(s, MICA_ERROR_ITERATING, mica_accessor_get(&s->positions, apart[i]));
        CHECK_NULL(s, MICA_ERROR_ITERATING, mica_accessor_get_mut(&s->positions, apart[i]));
    }
    mica_iter_end(&it);
}

PROMISE(mica_accessor_get)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        stage s;
        mica_world *world = begin(&s, ways[w]);

        // [accessor.get]
        CHECK_POINTER(NULL, mica_accessor_get(&s.positions, s.bare));
        CHECK_NULL(&s, MICA_ERROR_ENTITY, mica_accessor_get(&s.positions, s.dead));
        CHECK_NULL(&s, MICA_ERROR_ENTITY, mica_accessor_get(&s.positions, (mica_entity){0}));
        CHECK_NULL(&s, MICA_ERROR_ENTITY,
                   mica_accessor_get(&s.positions, mica_entity_make(UINT32_MAX, 0)));

        // [accessor.get_fail]
        const mica_accessor none = {.face = s.positions.face};
        CHECK_NULL(&s, MICA_ERROR_TYPE, mica_accessor_get(&none, s.entity));
        CHECK(mica_accessor_get(NULL, s.entity) == NULL);
        check_iterating(&s);

        // It is good for as long as its world: through changes of all kinds, and another storage
        mica_entity kept[600];
        for (uint32_t i = 0; i < 3000; i++) {
            mica_entity made = mica_spawn(world, MICA_VALUE(s.position, Position, (float)i, 0));
            if (i % 5 == 0) {
                kept[i / 5] = made;
                if (i % 2) {
                    mica_add(world, made, s.tag);
                }
                if (i % 3) {
                    mica_add(world, made, s.mark);
                }
            }
        }
        const mica_storage then[] = {ways[w].storage, MICA_RING, MICA_SPARSE, MICA_TABLE};
        for (uint32_t k = 0; k < 4; k++) {
            if (ways[w].stable && k > 0) {
                break;
            }
            CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, s.position, then[k]));
            if (then[k] == MICA_SPLIT) {
                CHECK_NULL(&s, MICA_ERROR_STORAGE, mica_accessor_get(&s.positions, s.entity));
                continue;
            }
            for (uint32_t i = 0; i < 600; i++) {
                const Position *p = mica_accessor_get(&s.positions, kept[i]);
                REQUIRE(p != NULL);
                CHECK(p->x == (float)(5 * i));
                CHECK_POINTER(mica_get(world, kept[i], s.position), p);
            }
            CHECK_POINTER(NULL, mica_accessor_get(&s.positions, s.bare));
        }
        mica_world_clear(world);
        mica_world_reclaim(world);
        CHECK_NULL(&s, MICA_ERROR_ENTITY, mica_accessor_get(&s.positions, kept[0]));
        mica_entity again = mica_spawn(world, MICA_VALUE(s.position, Position, 4, 0));
        const Position *p = mica_accessor_get(&s.positions, again);
        REQUIRE(p != NULL);
        CHECK(p->x == 4);
        test_world_end(&s.t);
    }
}

// Entities of all kinds, shuffled, more than are reached at once: who has it, in several tables, who has not, and
// some who are dead.
enum { MANY = 300 };

static void spawn_many(stage *s, mica_entity *entities_out)
{
    for (uint32_t i = 0; i < MANY; i++) {
        mica_entity e = mica_spawn(s->world, MICA_VALUE(s->position, Position, (float)i, 0));
        if (i % 3 == 0) {
            mica_add(s->world, e, i % 2 ? s->tag : s->mark);
        }
        if (i % 7 == 0) {
            mica_remove(s->world, e, s->position);
        }
        if (i % 11 == 0) {
            mica_despawn(s->world, e);
        }
        entities_out[i] = e;
    }
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t other = i * 97 % MANY;
        mica_entity e = entities_out[i];
        entities_out[i] = entities_out[other];
        entities_out[other] = e;
    }
    entities_out[5] = (mica_entity){0};
    entities_out[6] = mica_entity_make(UINT32_MAX, 0);
    entities_out[7] = (mica_entity){UINT64_MAX};
    entities_out[8] = entities_out[9]; // the same twice
}

static uint32_t count_dead(stage *s, const mica_entity *entities, uint32_t count)
{
    uint32_t dead = 0;
    for (uint32_t i = 0; i < count; i++) {
        dead += !mica_alive(s->world, entities[i]);
    }
    return dead;
}

PROMISE(mica_accessor_get_many)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        stage s;
        begin(&s, ways[w]);
        mica_entity entities[MANY];
        spawn_many(&s, entities);

        // [accessor.many], [accessor.many_cost]: the same whatever the number
        const uint32_t counts[] = {0, 1, 63, 64, 65, 128, MANY};
        for (uint32_t k = 0; k < 7; k++) {
            const void *expected[MANY], *values[MANY + 1];
            uint32_t there = 0;
            values[counts[k]] = &s;
            for (uint32_t i = 0; i < counts[k]; i++) {
                expected[i] = mica_accessor_get(&s.positions, entities[i]);
                there += expected[i] != NULL;
            }
            uint32_t errors = test_error_clear(&s.t.error);
            CHECK_EQUAL(there, mica_accessor_get_many(&s.positions, entities, counts[k], values));
            for (uint32_t i = 0; i < counts[k]; i++) {
                CHECK_POINTER(expected[i], values[i]);
            }
            CHECK_POINTER(&s, values[counts[k]]); // nothing is written behind the last

            // [accessor.many_fail]
            uint32_t dead = count_dead(&s, entities, counts[k]);
            CHECK_EQUAL(errors - dead + (dead > 0), test_error_clear(&s.t.error));
            CHECK(counts[k] < MANY ||
                  (errors > 20 && (there > 200) == (ways[w].storage != MICA_SPLIT)));
        }

        // [accessor.many_lists]: there is no C type to check
        const void *value = &s;
        CHECK_EQUAL(0, mica_accessor_get_many(&s.positions, NULL, 1, &value));
        CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
        CHECK_EQUAL(0, mica_accessor_get_many(&s.positions, entities, 1, NULL));
        CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
        CHECK_POINTER(&s, value);
        CHECK_EQUAL(0, mica_accessor_get_many(&s.positions, NULL, 0, NULL));
        test_world_end(&s.t);
    }
}

static bool has_changed(stage *s, mica_query changed, mica_entity entity)
{
    bool changed_now = mica_query_contains(s->world, changed, entity);
    mica_query_set_since(s->world, changed, mica_world_tick(s->world));
    CHECK(!mica_query_contains(s->world, changed, entity));
    return changed_now;
}

PROMISE(mica_accessor_get_mut)
{
    // [accessor.get_mut]
    for (uint32_t w = 0; w < WAYS; w++) {
        stage s;
        mica_world *world = begin(&s, ways[w]);
        CHECK_POINTER(NULL, mica_accessor_get_mut(&s.positions, s.bare));
        CHECK_NULL(&s, MICA_ERROR_ENTITY, mica_accessor_get_mut(&s.positions, s.dead));
        CHECK_NULL(&s, MICA_ERROR_ENTITY, mica_accessor_get_mut(&s.positions, (mica_entity){0}));
        CHECK(mica_accessor_get_mut(NULL, s.entity) == NULL);
        mica_query changed = mica_query_new(
            world, &(mica_query_desc){.terms = {{s.position, MICA_WITH | MICA_CHANGED}}});
        if (ways[w].storage == MICA_SPLIT) {
            CHECK_NULL(&s, MICA_ERROR_STORAGE, mica_accessor_get_mut(&s.positions, s.entity));
            test_world_end(&s.t);
            continue;
        }
        has_changed(&s, changed, s.entity);
        for (uint32_t i = 0; i < 3; i++) {
            CHECK(mica_accessor_get(&s.positions, s.entity) != NULL);
            CHECK(!has_changed(&s, changed, s.entity));
            Position *p = mica_accessor_get_mut(&s.positions, s.entity);
            REQUIRE(p != NULL);
            CHECK(has_changed(&s, changed, s.entity));
            p->x = (float)i;
            CHECK(((const Position *)mica_get(world, s.entity, s.position))->x == (float)i);
        }

        // Inside an iteration, too
        mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
        mica_iter it;
        mica_iter_begin(world, all, &it);
        CHECK_POINTER(mica_get(world, s.entity, s.position),
                      mica_accessor_get_mut(&s.positions, s.entity));
        mica_iter_end(&it);
        CHECK(has_changed(&s, changed, s.entity));
        test_world_end(&s.t);
    }
}

PROMISE(mica_accessor_get_mut_many)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        stage s;
        mica_world *world = begin(&s, ways[w]);
        mica_entity entities[MANY];
        spawn_many(&s, entities);
        void *expected[MANY], *values[MANY];
        uint32_t there = 0;
        for (uint32_t i = 0; i < MANY; i++) {
            expected[i] = mica_accessor_get_mut(&s.positions, entities[i]);
            there += expected[i] != NULL;
        }
        uint32_t errors = test_error_clear(&s.t.error);
        CHECK_EQUAL(there, mica_accessor_get_mut_many(&s.positions, entities, MANY, values));
        uint32_t dead = count_dead(&s, entities, MANY);
        CHECK_EQUAL(errors - dead + 1, test_error_clear(&s.t.error));
        for (uint32_t i = 0; i < MANY; i++) {
            CHECK_POINTER(expected[i], values[i]);
        }
        values[0] = &s;
        CHECK_EQUAL(0, mica_accessor_get_mut_many(&s.positions, NULL, 1, values));
        CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
        CHECK_EQUAL(0, mica_accessor_get_mut_many(&s.positions, entities, 1, NULL));
        CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
        CHECK_POINTER(&s, values[0]);
        CHECK_EQUAL(0, mica_accessor_get_mut_many(&s.positions, NULL, 0, NULL));

        // It counts as a change, as the single call does; reading does not
        mica_query changed = mica_query_new(
            world, &(mica_query_desc){.terms = {{s.position, MICA_WITH | MICA_CHANGED}}});
        has_changed(&s, changed, s.entity);
        const void *read;
        for (uint32_t i = 0; i < 3 && ways[w].storage != MICA_SPLIT; i++) {
            CHECK_EQUAL(1, mica_accessor_get_many(&s.positions, &s.entity, 1, &read));
            CHECK(!has_changed(&s, changed, s.entity));
            CHECK_EQUAL(1, mica_accessor_get_mut_many(&s.positions, &s.entity, 1, values));
            CHECK(has_changed(&s, changed, s.entity));
        }
        test_world_end(&s.t);
    }
}

PROMISE(mica_accessor_get_as)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        stage s;
        begin(&s, ways[w]);
        const mica_accessor *a = &s.positions;
        static const char *const names[] = {NULL, "Position"};
        for (uint32_t i = 0; i < 2; i++) {
            // [accessor.size]
            CHECK_NULL(&s, MICA_ERROR_SIZE, mica_accessor_get_as(a, s.entity, 4, names[i]));
            CHECK_NULL(&s, MICA_ERROR_SIZE, mica_accessor_get_as(a, s.bare, 0, names[i]));
            CHECK_POINTER(NULL, mica_accessor_get_as(a, s.bare, 8, names[i]));
            CHECK_NULL(&s, MICA_ERROR_ENTITY, mica_accessor_get_as(a, s.dead, 8, names[i]));
            CHECK(mica_accessor_get_as(NULL, s.entity, 8, names[i]) == NULL);
            if (ways[w].storage != MICA_SPLIT) {
                CHECK_POINTER(mica_accessor_get(a, s.entity),
                              mica_accessor_get_as(a, s.entity, 8, names[i]));
            }
        }

        // [accessor.c_type]
        CHECK_NULL(&s, MICA_ERROR_C_TYPE, mica_accessor_get_as(a, s.entity, 8, "Velocity"));
        CHECK_NULL(&s, MICA_ERROR_SIZE, mica_accessor_get_as(a, s.entity, 4, "Velocity"));
        test_world_end(&s.t);
    }
}

PROMISE(mica_accessor_get_mut_as)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        stage s;
        begin(&s, ways[w]);
        const mica_accessor *a = &s.positions;
        static const char *const names[] = {NULL, "Position"};
        for (uint32_t i = 0; i < 2; i++) {
            CHECK_NULL(&s, MICA_ERROR_SIZE, mica_accessor_get_mut_as(a, s.entity, 4, names[i]));
            CHECK_POINTER(NULL, mica_accessor_get_mut_as(a, s.bare, 8, names[i]));
            CHECK_NULL(&s, MICA_ERROR_ENTITY, mica_accessor_get_mut_as(a, s.dead, 8, names[i]));
            CHECK(mica_accessor_get_mut_as(NULL, s.entity, 8, names[i]) == NULL);
            if (ways[w].storage != MICA_SPLIT) {
                CHECK_POINTER(mica_accessor_get_mut(a, s.entity),
                              mica_accessor_get_mut_as(a, s.entity, 8, names[i]));
            }
        }
        CHECK_NULL(&s, MICA_ERROR_C_TYPE, mica_accessor_get_mut_as(a, s.entity, 8, "Velocity"));
        CHECK_NULL(&s, MICA_ERROR_SIZE, mica_accessor_get_mut_as(a, s.entity, 4, "Velocity"));
        test_world_end(&s.t);
    }
}

// A handler that tries both ways to switch.
typedef struct meddler {
    mica_accessor positions;
    mica_type position;
    mica_entity entity;
    mica_result plainly, by_accessor;
    bool asked;
} meddler;

static void meddle(mica_world *world, const mica_error *error, void *user)
{
    meddler *m = user;
    (void)error;
    if (!m->asked) {
        m->asked = true;
        m->plainly = mica_disable(world, m->entity, m->position);
        m->by_accessor = mica_accessor_disable(&m->positions, m->entity);
    }
}

PROMISE(mica_accessor_enable)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        stage s;
        mica_world *world = begin(&s, ways[w]);

        // [accessor.enable]: whatever those answer
        mica_result expected = ways[w].toggle ? MICA_OK : MICA_ERROR_ARGUMENT;
        CHECK_EQUAL(expected, mica_disable(world, s.entity, s.position));
        CHECK_EQUAL(expected, mica_accessor_enable(&s.positions, s.entity));
        CHECK(mica_is_enabled(world, s.entity, s.position));
        CHECK_EQUAL(expected == MICA_OK ? 0 : 2, test_error_clear(&s.t.error));
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, mica_accessor_enable(&s.positions, s.bare));
        CHECK_REFUSED(&s, MICA_ERROR_ENTITY, mica_accessor_enable(&s.positions, s.dead));

        // [accessor.enable_none]
        uint64_t digest = mica_world_digest(world);
        mica_accessor none = mica_accessor_new(world, (mica_type){0});
        check_reported(&s, MICA_ERROR_TYPE, digest);
        CHECK_REFUSED(&s, MICA_ERROR_TYPE, mica_accessor_enable(&none, s.entity));
        CHECK_REFUSED(&s, MICA_ERROR_TYPE, mica_accessor_disable(&none, s.entity));
        CHECK(mica_accessor_enable(NULL, s.entity) != MICA_OK);

        // It counts as a change
        if (ways[w].toggle) {
            mica_query changed = mica_query_new(
                world, &(mica_query_desc){.terms = {{s.position, MICA_WITH | MICA_CHANGED}}});
            mica_disable(world, s.entity, s.position);
            has_changed(&s, changed, s.entity);
            mica_accessor_enable(&s.positions, s.entity);
            CHECK(mica_query_contains(world, changed, s.entity));
        }
        test_world_end(&s.t);
    }

    // [accessor.enable_handler]
    uint32_t done = 0, refused = 0;
    for (uint32_t w = 0; w < WAYS; w++) {
        if (!ways[w].toggle) {
            continue;
        }
        meddler m = {.asked = false};
        mica_world *world =
            mica_world_new(&(mica_world_desc){.error_handler = meddle, .error_user = &m});
        mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
        desc.storage = ways[w].storage;
        desc.stable = ways[w].stable;
        desc.row_stamps = ways[w].row_stamps;
        desc.toggle = true;
        m.position = mica_type_register(world, &desc);
        m.positions = mica_accessor_new(world, m.position);
        m.entity = mica_spawn(world, MICA_ADD(m.position));
        mica_disable(world, mica_spawn(world, MICA_ADD(m.position)),
                     m.position); // the first is never inline
        mica_despawn(world, (mica_entity){0});
        CHECK_EQUAL(MICA_ERROR_HANDLER, m.plainly);
        CHECK(m.by_accessor == MICA_OK || m.by_accessor == MICA_ERROR_HANDLER);
        CHECK_EQUAL(m.by_accessor != MICA_OK, mica_is_enabled(world, m.entity, m.position));
        done += m.by_accessor == MICA_OK;
        refused += m.by_accessor != MICA_OK;
        mica_world_free(world);
    }
    CHECK(done > 0 && refused > 0);
}

PROMISE(mica_accessor_disable)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        stage s;
        mica_world *world = begin(&s, ways[w]);
        mica_result expected = ways[w].toggle ? MICA_OK : MICA_ERROR_ARGUMENT;
        CHECK_EQUAL(expected, mica_accessor_disable(&s.positions, s.entity));
        CHECK_EQUAL(!ways[w].toggle, mica_is_enabled(world, s.entity, s.position));
        CHECK_EQUAL(expected == MICA_OK ? 0 : 1, test_error_clear(&s.t.error));
        CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, mica_accessor_disable(&s.positions, s.bare));
        CHECK_REFUSED(&s, MICA_ERROR_ENTITY, mica_accessor_disable(&s.positions, s.dead));

        // Queries and iterations see it
        mica_query query =
            mica_query_new(world, &(mica_query_desc){.terms = {{s.position, MICA_WITH}}});
        CHECK_EQUAL(ways[w].toggle ? 0 : 1, mica_query_count(world, query));
        test_world_end(&s.t);
    }
}

PROMISE(mica_accessor_is_enabled)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        stage s;
        mica_world *world = begin(&s, ways[w]);
        CHECK(mica_accessor_is_enabled(&s.positions, s.entity));
        CHECK(!mica_accessor_is_enabled(&s.positions, s.bare));
        CHECK(!mica_accessor_is_enabled(&s.positions, s.dead));
        if (ways[w].toggle) {
            mica_disable(world, s.entity, s.position);
            CHECK(!mica_accessor_is_enabled(&s.positions, s.entity));
        }
        CHECK(!mica_accessor_is_enabled(NULL, s.entity));
        mica_accessor none = mica_accessor_new(world, (mica_type){0});
        CHECK(!mica_accessor_is_enabled(&none, s.entity));
        CHECK_EQUAL(MICA_ERROR_TYPE, s.t.error.last.code);
        CHECK_EQUAL(2, test_error_clear(&s.t.error));
        test_world_end(&s.t);
    }
}

TESTS(accessor, promise_of_mica_accessor_new, promise_of_mica_accessor_get,
      promise_of_mica_accessor_get_mut, promise_of_mica_accessor_get_many,
      promise_of_mica_accessor_get_mut_many, promise_of_mica_accessor_get_as,
      promise_of_mica_accessor_get_mut_as, promise_of_mica_accessor_enable,
      promise_of_mica_accessor_disable, promise_of_mica_accessor_is_enabled)
