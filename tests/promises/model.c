// What mica/model.h promises: of what is declared there, and of what its macros generate.
#include "promise.h"

#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Target {
    mica_entity entity;
} Target;

typedef struct Body {
    float x, mass;
} Body;

typedef struct Heat {
    double degrees;
} Heat;

typedef struct Shield {
    int32_t strength;
} Shield;

static const Shield strong = {100};

#define GAME(X)                                                                                    \
    X(TABLE, Position, x, y)                                                                       \
    X(TABLE, Velocity, x, y)                                                                       \
    X(SPARSE, Target, entity)                                                                      \
    X(SPLIT, Body, x, mass)                                                                        \
    X(RING, Heat, degrees)                                                                         \
    X(WITH(storage = MICA_SPARSE, toggle = true, default_value = &strong), Shield, strength)       \
    X(TAG, Frozen)                                                                                 \
    X(SPARSE_TAG, Chosen)                                                                          \
    X(TAG_WITH(storage = MICA_SPARSE, toggle = true), Marked)
MICA_MODEL(game, GAME)

#define MOVERS(X) X(WRITE, Position) X(READ, Velocity) X(WITHOUT, Frozen)
MICA_MODEL_QUERY(game, movers, MOVERS)

#define GUESTS(X)                                                                                  \
    X(READ, Position) X(OPTIONAL, Heat) X(OPTIONAL_WRITE, Shield, MICA_INCLUDE_DISABLED)
MICA_MODEL_QUERY(game, guests, GUESTS)

#define BODIES(X) X(READ, Position) X(WRITE_FIELDS, Body)
MICA_MODEL_QUERY(game, bodies, BODIES)

typedef struct stage {
    test_world t;
    mica_world *world;
    game g;
    mica_entity entities[10];
} stage;

static mica_world *begin(stage *s)
{
    s->world = test_world_begin(&s->t);
    REQUIRE(game_register(s->world, &s->g) == MICA_OK);
    for (int i = 0; i < 10; i++) {
        s->entities[i] =
            mica_spawn(s->world, MICA_VALUE_OF(s->g, Position, (float)i, 0),
                       MICA_VALUE_OF(s->g, Velocity, 1, 2), MICA_VALUE_OF(s->g, Body, 3, 4));
        if (i % 3 == 0) {
            mica_set(s->world, s->entities[i], MICA_VALUE_OF(s->g, Heat, (double)i),
                     MICA_ADD_OF(s->g, Shield));
        }
    }
    return s->world;
}

// The functions of a component do what those behind them do, and fail as they fail.
static void check_functions(stage *s)
{
    mica_world *world = s->world;
    const game *g = &s->g;
    mica_entity e = mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(MICA_OK, Frozen_add(world, e, g->Frozen));
    CHECK(Frozen_has(world, e, g->Frozen) && mica_has(world, e, g->Frozen.type));
    CHECK_EQUAL(MICA_OK, Frozen_remove(world, e, g->Frozen));
    CHECK(!Frozen_has(world, e, g->Frozen));
    mica_type_set set = {0};
    CHECK_EQUAL(MICA_OK, Heat_join(world, &set, g->Heat));
    CHECK(Heat_is_in(world, &set, g->Heat) && !Frozen_is_in(world, &set, g->Frozen));
    CHECK_EQUAL(MICA_OK, Heat_leave(world, &set, g->Heat));
    CHECK(!Heat_is_in(world, &set, g->Heat));

    // [model.types]
    CHECK_EQUAL(MICA_OK, game_types(world, g, &set));
    CHECK_EQUAL(9, mica_type_set_count(&set));
    mica_type_set_free(world, &set);
    game broken = *g;
    broken.Marked.type = (mica_type){0};
    CHECK_EQUAL(MICA_ERROR_TYPE, game_types(world, &broken, &set));
    CHECK_REPORTED(&s->t, MICA_ERROR_TYPE);
    CHECK_EQUAL(0, mica_type_set_count(&set));
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t which = 1; result; which++) {
        test_memory_fail_at(&s->t.memory, which, TEST_MEMORY_ONWARDS);
        result = game_types(world, g, &set);
        uint64_t refusals = s->t.memory.refusals;
        test_memory_fail_at(&s->t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            CHECK_REPORTED(&s->t, MICA_ERROR_MEMORY);
            CHECK_EQUAL(0, mica_type_set_count(&set));
        }
        CHECK(result || refusals == 0);
    }
    CHECK_EQUAL(9, mica_type_set_count(&set));
    mica_type_set_free(world, &set);

    // [model.tag_functions], [model.split_functions]
    Body body = {0, 0};
    CHECK_EQUAL(MICA_OK, Body_set(world, e, g->Body, (Body){5, 6}));
    CHECK(Body_load(world, e, g->Body, &body) && body.mass == 6);
    CHECK_POINTER(NULL, Body_resource(world, g->Body));
    CHECK_EQUAL(MICA_OK, Body_resource_set(world, g->Body, body));
    Body_resource_mut(world, g->Body)->mass = 7;
    CHECK(Body_resource(world, g->Body)->mass == 7);
    CHECK_EQUAL(MICA_OK, Body_send(world, g->Body, body));
    mica_cursor cursor = {0};
    uint32_t count;
    const Body *event = Body_events(world, g->Body, &cursor, &count);
    CHECK(event && count == 1 && event->mass == 6);
    mica_iter own;
    mica_iter_begin(world, mica_query_new(world, &(mica_query_desc){.everything = true}), &own);
    CHECK_POINTER(NULL, Body_unread(&own, g->Body, &count)); // it is no system's
    CHECK_REPORTED(&s->t, MICA_ERROR_ITERATOR);
    mica_iter_end(&own);
    CHECK_EQUAL(MICA_OK, Heat_set(world, e, g->Heat, (Heat){8}));
    CHECK(Heat_get(world, e, g->Heat)->degrees == 8);
    Heat_get_mut(world, e, g->Heat)->degrees = 9;
    Heat_accessor accessor = Heat_accessor_new(world, g->Heat);
    CHECK(Heat_accessor_get(accessor, e)->degrees == 9);
    Heat_accessor_get_mut(accessor, e)->degrees = 10;
    CHECK(Heat_get(world, e, g->Heat)->degrees == 10);
    CHECK_POINTER(NULL, Target_get(world, e, g->Target));
    CHECK_EQUAL(MICA_OK, Target_set(mica_world_later(world), e, g->Target, (Target){e}));
    CHECK(!Target_has(world, e, g->Target));
    mica_commands_apply(world);
    CHECK(MICA_EQUAL(e, Target_get(world, e, g->Target)->entity));
    mica_despawn(world, e);
    CHECK_EQUAL(MICA_ERROR_ENTITY, Heat_set(world, e, g->Heat, (Heat){8}));
    CHECK_REPORTED(&s->t, MICA_ERROR_ENTITY);
}

static void a_model_registers_its_types(void)
{
    // [model.generated]
    stage s;
    mica_world *world = begin(&s);
    CHECK_EQUAL(9, test_type_count(world));
    const mica_type types[9] = {s.g.Position.type, s.g.Velocity.type, s.g.Target.type,
                                s.g.Body.type,     s.g.Heat.type,     s.g.Shield.type,
                                s.g.Frozen.type,   s.g.Chosen.type,   s.g.Marked.type};
    static const mica_storage storages[9] = {MICA_TABLE, MICA_TABLE,  MICA_SPARSE,
                                             MICA_SPLIT, MICA_RING,   MICA_SPARSE,
                                             MICA_TABLE, MICA_SPARSE, MICA_SPARSE};
    static const char *const names[9] = {"Position", "Velocity", "Target", "Body",  "Heat",
                                         "Shield",   "Frozen",   "Chosen", "Marked"};
    for (int i = 0; i < 9; i++) {
        const mica_type_info *info = mica_type_get_info(world, types[i]);
        CHECK_TEXT(names[i], info->name);
        CHECK_EQUAL(storages[i], info->storage);
        CHECK_EQUAL(i > 5, info->size == 0);
        CHECK_EQUAL(i == 5 || i == 8, info->toggle);
    }
    CHECK_EQUAL(100, Shield_get(world, s.entities[0], s.g.Shield)->strength);
    check_functions(&s);
    test_world_end(&s.t);

    // [model.register_fail]
    world = test_world_begin(&s.t);
    mica_type_register(world, &(mica_type_desc){.name = "Marked", .size = 4, .align = 4});
    game g;
    memset(&g, 0xA5, sizeof g);
    CHECK_EQUAL(MICA_ERROR_SHAPE, game_register(world, &g));
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    CHECK(MICA_IS_NONE(g.Position.type) && MICA_IS_NONE(g.Marked.type));
    CHECK_EQUAL(1, test_type_count(world));
    test_world_end(&s.t);
    world = test_world_begin(&s.t);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t which = 1; result; which++) {
        memset(&g, 0xA5, sizeof g);
        test_memory_fail_at(&s.t.memory, which, TEST_MEMORY_ONWARDS);
        result = game_register(world, &g);
        test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            CHECK_EQUAL(MICA_ERROR_MEMORY, result);
            CHECK_EQUAL(1, test_error_clear(&s.t.error));
            CHECK(MICA_IS_NONE(g.Position.type) && MICA_IS_NONE(g.Marked.type));
            CHECK_EQUAL(0, test_type_count(world));
        }
    }
    CHECK_EQUAL(9, test_type_count(world));
    test_world_end(&s.t);
}

static void rows_are_read(void)
{
    stage s;
    mica_world *world = begin(&s);
    movers_query query = movers_new(world, &s.g);
    mica_iter it;
    mica_iter_begin(world, query.query, &it);

    // [model.rows]
    uint32_t rows = 7;
    static const char *const c_types[2] = {"Velocity", NULL};
    REQUIRE(mica_iter_next(&it));
    for (int i = 0; i < 2; i++) {
        CHECK_POINTER(mica_read(&it, 1),
                      mica_rows_read_(&it, 1, sizeof(Velocity), c_types[i], &rows));
        CHECK_EQUAL(7, rows);
    }

    // [model.c_type], [model.rows_fail]
    CHECK_POINTER(NULL, mica_rows_read_(&it, 1, sizeof(Position), "Position", &rows));
    CHECK_EQUAL(0, rows);
    CHECK_REPORTED(&s.t, MICA_ERROR_C_TYPE);
    for (int i = 0; i < 2; i++) {
        rows = 7;
        CHECK_POINTER(NULL, mica_rows_read_(&it, 2, 0, i ? NULL : "Frozen", &rows));
        CHECK_EQUAL(0, rows);
        CHECK_REPORTED(&s.t, MICA_ERROR_TERM);
        rows = 7;
        CHECK_POINTER(NULL, mica_rows_read_(&it, 9, 8, c_types[i], &rows));
        CHECK_EQUAL(0, rows);
        CHECK_REPORTED(&s.t, MICA_ERROR_TERM);
    }
    mica_iter_end(&it);
    for (int i = 0; i < 2; i++) {
        rows = 7;
        CHECK_POINTER(NULL, mica_rows_read_(&it, 1, sizeof(Velocity), c_types[i], &rows));
        CHECK_EQUAL(0, rows);
        CHECK_REPORTED(&s.t, MICA_ERROR_ITERATOR);
        rows = 7;
        CHECK_POINTER(NULL, mica_rows_read_(NULL, 1, sizeof(Velocity), c_types[i], &rows));
        CHECK_EQUAL(0, rows);
    }

    // an optional component that is not there is no failure, and there are none of it
    guests_query guests_q = guests_new(world, &s.g);
    mica_iter_begin(world, guests_q.query, &it);
    while (mica_iter_next(&it)) {
        for (int i = 0; i < 2; i++) {
            rows = 7;
            const void *heat = mica_rows_read_(&it, 1, sizeof(Heat), i ? NULL : "Heat", &rows);
            CHECK_EQUAL(heat ? 7 : 0, rows);
        }
    }

    // [each.rows]
    uint32_t count = 0;
    MICA_EACH(movers, m, world, query) {
        CHECK_POINTER(Position_get(world, *m.entity, s.g.Position), m.Position);
        CHECK_POINTER(Velocity_get(world, *m.entity, s.g.Velocity), m.Velocity);
        count++;
    }
    CHECK_EQUAL(10, count);

    // [each.break]: at each of the rows
    for (uint32_t last = 1; last <= 10; last++) {
        count = 0;
        MICA_EACH(movers, m, world, query) {
            if (++count == last) {
                break;
            }
        }
        CHECK_EQUAL(last, count);
        CHECK_EQUAL(0, mica_world_end_iterations(world));
    }

    // [each.iteration]
    MICA_EACH(movers, m, world, query) {
        mica_despawn(mica_later(&m_it), *m.entity);
    }
    CHECK_EQUAL(0, mica_query_count(world, query.query));
    count = 0;
    MICA_EACH(movers, m, world, query) // of nobody
    {
        count++;
    }
    MICA_EACH(movers, m, world, (movers_query){{0}}) // of no query
    {
        count++;
    }
    CHECK_REPORTED(&s.t, MICA_ERROR_QUERY);
    CHECK_EQUAL(0, count);
    test_world_end(&s.t);
}

static void rows_are_written(void)
{
    stage s;
    mica_world *world = begin(&s);
    movers_query query = movers_new(world, &s.g);
    mica_iter it;
    mica_iter_begin(world, query.query, &it);
    static const char *const c_types[2] = {"Position", NULL};
    REQUIRE(mica_iter_next(&it));
    for (int i = 0; i < 2; i++) {
        uint32_t rows = 7;
        CHECK_POINTER(mica_write(&it, 0),
                      mica_rows_write_(&it, 0, sizeof(Position), c_types[i], &rows));
        CHECK_EQUAL(7, rows);

        // what is only read
        CHECK_POINTER(NULL,
                      mica_rows_write_(&it, 1, sizeof(Velocity), i ? NULL : "Velocity", &rows));
        CHECK_EQUAL(0, rows);
        CHECK_REPORTED(&s.t, MICA_ERROR_TERM);
    }
    mica_iter_end(&it);

    // [each.segment]: of a typed query of every storage; what need not be there is NULL
    guests_query guests_q = guests_new(world, &s.g);
    uint32_t count = 0;
    uint32_t warm = 0;
    mica_iter_begin(world, guests_q.query, &it);
    while (mica_iter_next(&it)) {
        MICA_EACH_ROW(guests, m, &it) {
            CHECK(Position_get(world, *m.entity, s.g.Position)->x == m.Position->x);
            CHECK_EQUAL(Heat_has(world, *m.entity, s.g.Heat), m.Heat != NULL);
            if (m.Heat) {
                CHECK(m.Heat->degrees == (double)m.Position->x);
                warm++;
            }
            if (m.Shield) {
                m.Shield->strength++;
            }
            count++;
        }
    }
    CHECK_EQUAL(10, count);
    CHECK_EQUAL(4, warm);
    CHECK_EQUAL(101, Shield_get(world, s.entities[3], s.g.Shield)->strength);

    // [model.fields], [model.term]
    bodies_query bodies_q = bodies_new(world, &s.g);
    CHECK_EQUAL(1, MICA_TERM(bodies, Body));
    mica_iter_begin(world, bodies_q.query, &it);
    while (mica_iter_next(&it)) {
        mica_write_fields fields = MICA_WRITE_FIELD(&it, MICA_TERM(bodies, Body), Body, mass);
        for (uint32_t i = 0; i < it.count; i++) {
            MICA_WRITE_IN(fields, i, float) += 1;
        }
    }
    Body body;
    CHECK(Body_load(world, s.entities[5], s.g.Body, &body) && body.mass == 5);

    // [model.rows_fail]
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, s.g.Velocity.type, MICA_SPLIT));
    mica_iter_begin(world, query.query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(0, movers_rows(&it).rows);
    CHECK_REPORTED(&s.t, MICA_ERROR_TERM);
    mica_iter_end(&it);

    // [model.desc]: here, .no_entities
    mica_query_desc desc = guests_desc(&s.g);
    desc.no_entities = true;
    mica_query nameless = mica_query_new(world, &desc);
    count = 0;
    MICA_EACH(guests, m, world, (guests_query){nameless}) {
        CHECK(m.entity == NULL && m.Position != NULL);
        count++;
    }
    CHECK_EQUAL(10, count);
    test_world_end(&s.t);
}

TESTS(model, a_model_registers_its_types, rows_are_read, rows_are_written)
