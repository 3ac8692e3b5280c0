// Tests of models: S1.5 and S3.11, the components of a program declared once. What must not compile is in
// tests/compile (wrong_model_*), what it costs in tests/gate (model.sh).
#define MICA_CHECK_C_TYPES 1
#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Health {
    int32_t points;
} Health;

typedef struct Target {
    mica_entity entity;
} Target;

typedef struct Body {
    float x, mass;
} Body;

typedef struct Heat {
    double degrees;
} Heat;

static const Health healthy = {100};

#define GAME(X)                                                                                    \
    X(TABLE, Position, x, y)                                                                       \
    X(TAG, Frozen)                                                                                 \
    X(TABLE, Velocity, x, y)                                                                       \
    X(WITH(default_value = &healthy, toggle = true, row_stamps = true), Health, points)            \
    X(SPARSE, Target, entity)                                                                      \
    X(SPLIT, Body, x, mass)                                                                        \
    X(RING, Heat, degrees)                                                                         \
    X(SPARSE_TAG, Chosen)                                                                          \
    X(TAG_WITH(name = "Marked!", storage = MICA_SPARSE, toggle = true), Marked)
MICA_MODEL(game, GAME)

typedef struct Late {
    uint8_t bytes[3];
} Late;

#define OTHER(X) X(TABLE, Late)
MICA_MODEL(other, OTHER) // a program may have several

#define MOVERS(X)                                                                                  \
    X(WRITE, Position)                                                                             \
    X(READ, Velocity)                                                                              \
    X(WITHOUT, Frozen)
MICA_MODEL_QUERY(game, movers, MOVERS)

#define GUESTS(X)                                                                                  \
    X(READ, Position)                                                                              \
    X(OPTIONAL, Velocity)                                                                          \
    X(OPTIONAL_WRITE, Health, MICA_INCLUDE_DISABLED)                                               \
    X(ANY, Target)                                                                                 \
    X(ANY, Heat)                                                                                   \
    X(WITH, Chosen)
MICA_MODEL_QUERY(game, guests, GUESTS)

#define BODIES(X)                                                                                  \
    X(WITH, Frozen)                                                                                \
    X(WRITE_FIELDS, Body)
MICA_MODEL_QUERY(game, bodies, BODIES)

#define WEIGHED(X) X(READ_FIELDS, Body)
MICA_MODEL_QUERY(game, weighed, WEIGHED)

#define CHANGED(X) X(READ, Health, MICA_CHANGED)
MICA_MODEL_QUERY(game, changed, CHANGED)

typedef struct lab {
    test_world t;
    mica_world *world;
    game g;
} lab;

static void lab_begin(lab *l)
{
    l->world = test_world_begin(&l->t);
    REQUIRE(game_register(l->world, &l->g) == MICA_OK);
}

static void lab_end(lab *l)
{
    test_world_end(&l->t);
}

static void a_model_registers_what_it_lists(void) // S3.11
{
    lab l;
    lab_begin(&l);
    CHECK_EQUAL(9, test_type_count(l.world));
    static const char *const names[] = {"Position", "Frozen", "Velocity", "Health", "Target",
                                        "Body",     "Heat",   "Chosen",   "Marked!"};
    mica_type type = (mica_type){0};
    for (uint32_t i = 0; i < 9; i++) {
        type = mica_type_next(l.world, type);
        CHECK_TEXT(names[i], mica_type_get_info(l.world, type)->name);
    }
    CHECK(MICA_EQUAL(type, l.g.Marked.type));
    const mica_type_info *info = mica_type_get_info(l.world, l.g.Health.type);
    CHECK_EQUAL(sizeof(Health), info->size);
    CHECK_EQUAL(MICA_TABLE, info->storage);
    CHECK_EQUAL(100, ((const Health *)info->default_value)->points);
    CHECK(info->toggle && info->row_stamps);
    CHECK_TEXT("points", info->fields[0].name);
    CHECK_TEXT("Health", info->c_type);
    CHECK_EQUAL(MICA_SPARSE, mica_type_get_info(l.world, l.g.Target.type)->storage);
    CHECK_EQUAL(MICA_SPLIT, mica_type_get_info(l.world, l.g.Body.type)->storage);
    CHECK_EQUAL(MICA_RING, mica_type_get_info(l.world, l.g.Heat.type)->storage);
    CHECK_EQUAL(0, mica_type_get_info(l.world, l.g.Frozen.type)->size);
    info = mica_type_get_info(l.world, l.g.Marked.type);
    CHECK(info->size == 0 && info->toggle && info->storage == MICA_SPARSE);

    game again; // the same handles, whoever asks
    CHECK_EQUAL(MICA_OK, game_register(l.world, &again));
    CHECK(memcmp(&again, &l.g, sizeof again) == 0);
    other o;
    CHECK_EQUAL(MICA_OK, other_register(l.world, &o));
    CHECK_EQUAL(3, mica_type_get_info(l.world, o.Late.type)->size);
    CHECK_EQUAL(10, test_type_count(l.world));
    lab_end(&l);
}

TEST_WITH(test_world, t, a_model_that_cannot_be_registered_leaves_nothing)
{
    mica_world *world = t->world;
    mica_type_register(world, &(mica_type_desc){.name = "Heat", .size = 4, .align = 4});
    uint64_t digest = mica_world_digest(world);
    game g;
    memset(&g, 0xA5, sizeof g);
    CHECK_EQUAL(MICA_ERROR_SHAPE, game_register(world, &g));
    CHECK_ERROR(t, MICA_ERROR_SHAPE,
                "mica_type_register_all: 'Heat' is registered with another size");
    CHECK_EQUAL(1, test_type_count(world));
    CHECK(MICA_IS_NONE(mica_type_find(world, "Position")));
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK(MICA_IS_NONE(g.Position.type) && MICA_IS_NONE(g.Marked.type));
    memset(&g, 0xA5, sizeof g);
    CHECK_EQUAL(MICA_ERROR_NULL, game_register(NULL, &g));
    CHECK(MICA_IS_NONE(g.Position.type) && MICA_IS_NONE(g.Marked.type));
    CHECK_EQUAL(MICA_ERROR_NULL, game_register(world, NULL));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_register_all: types_out is null");
}

static void components_have_functions_of_their_own(void) // S1.5
{
    lab l;
    lab_begin(&l);
    mica_world *world = l.world;
    const Velocity velocity = {3, 4};
    mica_entity e = mica_spawn(world, MICA_VALUE_OF(l.g, Position, 1, 2),
                               MICA_VARIABLE_OF(l.g, Velocity, velocity), MICA_ADD_OF(l.g, Health),
                               MICA_ADD_OF(l.g, Frozen));
    CHECK(Position_get(world, e, l.g.Position)->y == 2);
    CHECK(Velocity_get(world, e, l.g.Velocity)->y == 4);
    CHECK_EQUAL(100, Health_get(world, e, l.g.Health)->points);
    CHECK(Frozen_has(world, e, l.g.Frozen) && !Chosen_has(world, e, l.g.Chosen));
    CHECK_EQUAL(MICA_OK, Frozen_remove(world, e, l.g.Frozen));
    CHECK_EQUAL(MICA_OK, Chosen_add(world, e, l.g.Chosen));
    CHECK(!Frozen_has(world, e, l.g.Frozen) && Chosen_has(world, e, l.g.Chosen));

    CHECK_EQUAL(MICA_OK, Position_set(world, e, l.g.Position, (Position){5, 6}));
    Position_get_mut(world, e, l.g.Position)->x = 7;
    CHECK(Position_get(world, e, l.g.Position)->x == 7);
    CHECK_EQUAL(MICA_OK, Target_set(world, e, l.g.Target, (Target){e}));
    CHECK(MICA_EQUAL(Target_get(world, e, l.g.Target)->entity, e));
    CHECK_EQUAL(MICA_OK, Target_remove(world, e, l.g.Target));
    CHECK_POINTER(NULL, Target_get(world, e, l.g.Target));
    CHECK_EQUAL(MICA_OK, Body_set(world, e, l.g.Body, (Body){8, 9}));
    Body body;
    CHECK(Body_load(world, e, l.g.Body, &body) && body.mass == 9);
    CHECK_EQUAL(MICA_OK, Heat_add(world, e, l.g.Heat));
    CHECK(Heat_get(world, e, l.g.Heat)->degrees == 0);
    CHECK_EQUAL(MICA_OK, mica_set(world, e, MICA_VALUE_OF(l.g, Heat, 36.6)));
    CHECK(Heat_get(world, e, l.g.Heat)->degrees == 36.6);
    lab_end(&l);
}

TEST_WITH(lab, l, typed_functions_fail_as_those_behind_them)
{
    mica_entity dead = mica_spawn_values(l->world, NULL, 0);
    mica_despawn(l->world, dead);
    CHECK_POINTER(NULL, Position_get(l->world, dead, l->g.Position));
    CHECK_ERROR(&l->t, MICA_ERROR_ENTITY, "mica_get: entity 0.0 is dead, or of another world");
    CHECK_EQUAL(MICA_ERROR_ENTITY, Position_set(l->world, dead, l->g.Position, (Position){1, 2}));
    CHECK_ERROR(&l->t, MICA_ERROR_ENTITY,
                "mica_set_value: entity 0.0 is dead, or of another world");
    const game none = {0};
    mica_entity e = mica_spawn_values(l->world, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_TYPE, Frozen_add(l->world, e, none.Frozen));
    CHECK_ERROR(&l->t, MICA_ERROR_TYPE, "mica_add: the component type is none; was it registered?");
}

TEST_WITH(lab, l, changes_wait_on_a_face_that_records)
{
    mica_world *later = mica_world_later(l->world);
    mica_entity e = mica_spawn(later, MICA_VALUE_OF(l->g, Position, 1, 2));
    Frozen_add(later, e, l->g.Frozen);
    Velocity_set(later, e, l->g.Velocity, (Velocity){3, 4});
    CHECK(!mica_alive(l->world, e));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK(Frozen_has(l->world, e, l->g.Frozen));
    CHECK(Velocity_get(l->world, e, l->g.Velocity)->x == 3);
}

static void accessors_know_what_they_are_for(void) // S1.5
{
    lab l;
    lab_begin(&l);
    Position_accessor positions = Position_accessor_new(l.world, l.g.Position);
    Target_accessor targets = Target_accessor_new(l.world, l.g.Target);
    for (uint32_t i = 0; i < 10; i++) {
        mica_entity e = mica_spawn(l.world, MICA_VALUE_OF(l.g, Position, (float)i, 0));
        CHECK(Position_accessor_get(positions, e)->x == (float)i);
        Position_accessor_get_mut(positions, e)->y = 5;
        CHECK(Position_get(l.world, e, l.g.Position)->y == 5);
        CHECK_POINTER(NULL, Target_accessor_get(targets, e));
        Target_set(l.world, e, l.g.Target, (Target){e});
        CHECK(MICA_EQUAL(Target_accessor_get_mut(targets, e)->entity, e));
    }
    lab_end(&l);
}

// A value may have more bytes than the C type; each is found where it begins.
TEST_WITH(lab, l, an_accessor_steps_by_the_size_of_the_type)
{
    Position_type wide = {mica_type_register(
        l->world, &(mica_type_desc){.name = "Wide", .size = 2 * sizeof(Position), .align = 8})};
    Position_accessor positions = Position_accessor_new(l->world, wide);
    for (uint32_t i = 0; i < 3; i++) {
        mica_entity e = mica_spawn(l->world, MICA_ADD(wide.type));
        CHECK_POINTER(mica_get(l->world, e, wide.type), Position_accessor_get(positions, e));
        CHECK_POINTER(mica_get(l->world, e, wide.type), Position_accessor_get_mut(positions, e));
    }
}

TEST_WITH(lab, l, many_are_spawned_of_typed_arrays)
{
    const mica_type types[] = {l->g.Position.type, l->g.Velocity.type};
    mica_bundle bundle = mica_bundle_new(l->world, types, 2);
    const Position positions[] = {{1, 2}, {3, 4}, {5, 6}};
    const Velocity velocities[] = {{7, 8}, {9, 10}, {11, 12}};
    const mica_value arrays[] = {MICA_ARRAY_OF(l->g, Position, positions),
                                 MICA_ARRAY_OF(l->g, Velocity, velocities)};
    mica_entity entities[3];
    CHECK_EQUAL(MICA_OK, mica_spawn_many(l->world, bundle, 3, arrays, 2, entities));
    CHECK(Position_get(l->world, entities[2], l->g.Position)->y == 6);
    CHECK(Velocity_get(l->world, entities[1], l->g.Velocity)->x == 9);
}

TEST_WITH(lab, l, sets_are_made_of_a_model)
{
    mica_world *world = l->world;
    mica_type_set set = {0};
    mica_type_set all = {0};
    other o;
    other_register(world, &o);
    CHECK_EQUAL(MICA_OK, Late_join(world, &all, o.Late));
    CHECK_EQUAL(MICA_OK, game_types(world, &l->g, &all)); // beside what there was
    CHECK_EQUAL(10, mica_type_set_count(&all));
    CHECK_EQUAL(MICA_OK, Position_join(world, &set, l->g.Position));
    CHECK_EQUAL(MICA_OK, Frozen_join(world, &set, l->g.Frozen));
    CHECK(Position_is_in(world, &set, l->g.Position) && Frozen_is_in(world, &set, l->g.Frozen));
    CHECK(!Velocity_is_in(world, &set, l->g.Velocity));
    CHECK(mica_type_set_contains(&all, &set));
    CHECK_EQUAL(MICA_OK, Frozen_leave(world, &set, l->g.Frozen));
    CHECK_EQUAL(1, mica_type_set_count(&set));
    const game none = {0};
    CHECK_EQUAL(MICA_ERROR_TYPE, game_types(world, &none, &set)); // all or none
    test_error_clear(&l->t.error);
    CHECK_EQUAL(1, mica_type_set_count(&set));
    mica_type_set_free(world, &set);
    mica_type_set_free(world, &all);
}

TEST_WITH(lab, l, resources_and_events_are_typed)
{
    mica_world *world = l->world;
    CHECK_POINTER(NULL, Heat_resource(world, l->g.Heat));
    CHECK_EQUAL(MICA_OK, Heat_resource_set(world, l->g.Heat, (Heat){20}));
    Heat_resource_mut(world, l->g.Heat)->degrees += 1;
    CHECK(Heat_resource(world, l->g.Heat)->degrees == 21);

    mica_cursor seen = {0};
    uint32_t count = 0;
    CHECK_EQUAL(MICA_OK, Body_send(world, l->g.Body, (Body){1, 2}));
    CHECK_EQUAL(MICA_OK, Body_send(world, l->g.Body, (Body){3, 4}));
    const Body *sent = Body_events(world, l->g.Body, &seen, &count);
    REQUIRE(sent && count == 2);
    CHECK(sent[0].mass == 2 && sent[1].x == 3);
    CHECK_POINTER(NULL, Body_events(world, l->g.Body, &seen, &count));
}

static void populate(lab *l)
{
    for (uint32_t i = 0; i < 20; i++) {
        mica_entity e = mica_spawn(l->world, MICA_VALUE_OF(l->g, Position, (float)i, 0),
                                   MICA_VALUE_OF(l->g, Velocity, 1, 2));
        if (i % 5 == 0) {
            Frozen_add(l->world, e, l->g.Frozen);
        }
        if (i % 2 == 0) {
            Heat_add(l->world, e, l->g.Heat);
        }
    }
}

static void a_query_gives_typed_rows(void) // S1.5
{
    lab l;
    lab_begin(&l);
    populate(&l);
    movers_query query = movers_new(l.world, &l.g);
    uint32_t rows = 0;
    float sum = 0;
    MICA_EACH(movers, m, l.world, query) {
        CHECK(m.rows > 0 && Velocity_has(l.world, *m.entity, l.g.Velocity));
        m.Position->y += m.Velocity->y;
        if (m.Position->x < 10) {
            continue;
        }
        sum += m.Position->x;
        rows++;
    }
    CHECK_EQUAL(8, rows);
    CHECK(sum == 11 + 12 + 13 + 14 + 16 + 17 + 18 + 19);
    rows = 0;
    MICA_EACH(movers, m, l.world, query) {
        rows += m.Position->y == 2;
    }
    CHECK_EQUAL(16, rows);
    CHECK_EQUAL(16, mica_query_count(l.world, query.query));
    CHECK_EQUAL(0, MICA_TERM(movers, Position));
    CHECK_EQUAL(2, MICA_TERM(movers, Frozen));
    char text[200];
    mica_query_explain(l.world, query.query, mica_entity_make(0, 0), text, sizeof text);
    CHECK(strstr(text, "Frozen") != NULL);
    lab_end(&l);
}

TEST_WITH(lab, l, a_loop_over_rows_can_be_left)
{
    populate(l);
    movers_query query = movers_new(l->world, &l->g);
    for (uint32_t stop = 1; stop <= 16; stop++) { // the last of a segment, too
        uint32_t rows = 0;
        MICA_EACH(movers, m, l->world, query) {
            rows += m.Velocity->x == 1;
            if (rows == stop) {
                break;
            }
        }
        CHECK_EQUAL(stop, rows);
        mica_entity e = mica_spawn_values(l->world, NULL, 0); // the iteration has ended
        CHECK_EQUAL(MICA_OK, mica_despawn(l->world, e));
    }
    // Loops in loops, and a query that is none.
    uint32_t pairs = 0;
    MICA_EACH(movers, a, l->world, query) {
        MICA_EACH(movers, b, l->world, query) {
            if (b.Position->x > a.Position->x) {
                break;
            }
            pairs++;
        }
        mica_despawn(mica_later(&a_it), *a.entity);
    }
    CHECK(pairs >= 16);
    CHECK_EQUAL(4, mica_entity_count(l->world));
    const movers_query none = {{0}};
    MICA_EACH(movers, m, l->world, none) {
        CHECK(m.rows == 0); // never
    }
    CHECK_ERROR(&l->t, MICA_ERROR_QUERY, "mica_iter_begin: the query is none");
}

TEST_WITH(lab, l, what_need_not_be_there_is_null_where_it_is_not)
{
    populate(l);
    guests_query query = guests_new(l->world, &l->g);
    mica_entity ends[2] = {mica_entity_make(2, 0), mica_entity_make(3, 0)};
    Chosen_add(l->world, ends[0], l->g.Chosen); // has heat
    Chosen_add(l->world, ends[1], l->g.Chosen);
    Target_set(l->world, ends[1], l->g.Target, (Target){ends[0]});
    Velocity_remove(l->world, ends[1], l->g.Velocity);
    Health_add(l->world, ends[1], l->g.Health);
    mica_disable(l->world, ends[1], l->g.Health.type);
    uint32_t rows = 0;
    MICA_EACH(guests, r, l->world, query) {
        bool first = MICA_EQUAL(*r.entity, ends[0]);
        CHECK(first || MICA_EQUAL(*r.entity, ends[1]));
        CHECK_EQUAL(first, r.Velocity != NULL);
        CHECK_EQUAL(first, r.Heat != NULL);
        CHECK_EQUAL(!first, r.Target != NULL);
        CHECK_EQUAL(!first, r.Health != NULL);
        CHECK(r.Position->x == (first ? 2 : 3));
        if (r.Health) {
            r.Health->points = 7;
        }
        rows++;
    }
    CHECK_EQUAL(2, rows);
    CHECK_EQUAL(7, Health_get(l->world, ends[1], l->g.Health)->points);
}

TEST_WITH(lab, l, filters_are_the_third_word_of_a_term)
{
    mica_entity e = mica_spawn(l->world, MICA_ADD_OF(l->g, Health));
    mica_spawn(l->world, MICA_ADD_OF(l->g, Health));
    changed_query query = changed_new(l->world, &l->g);
    uint32_t rows = 0;
    MICA_EACH(changed, r, l->world, query) {
        rows += r.Health->points == 100;
    }
    CHECK_EQUAL(2, rows);
    Health_get_mut(l->world, e, l->g.Health)->points = 50;
    MICA_EACH(changed, r, l->world, query) {
        CHECK_EQUAL(50, r.Health->points);
        rows++;
    }
    CHECK_EQUAL(3, rows);
}

TEST_WITH(lab, l, fields_of_split_components_are_found_by_their_term)
{
    for (uint32_t i = 0; i < 10; i++) {
        mica_entity e = mica_spawn(l->world, MICA_VALUE_OF(l->g, Body, 1, 2));
        Frozen_add(l->world, e, l->g.Frozen);
    }
    bodies_query query = bodies_new(l->world, &l->g);
    mica_iter it;
    mica_iter_begin(l->world, query.query, &it);
    while (mica_iter_next(&it)) {
        CHECK_EQUAL(it.count, bodies_rows(&it).rows);
        mica_write_fields mass = MICA_WRITE_FIELD(&it, MICA_TERM(bodies, Body), Body, mass);
        for (uint32_t i = 0; i < it.count; i++) {
            MICA_WRITE_IN(mass, i, float) += 1;
        }
    }
    float sum = 0;
    MICA_EACH(weighed, w, l->world, weighed_new(l->world, &l->g)) {
        Body body;
        CHECK(Body_load(l->world, *w.entity, l->g.Body, &body));
        sum += body.mass;
    }
    CHECK(sum == 30);
}

static void move(mica_iter *it)
{
    lab *l = it->user;
    MICA_EACH_ROW(movers, m, it) {
        m.Position->x += m.Velocity->x * it->dt;
        if (m.Position->x > 15) {
            Frozen_add(mica_later(it), *m.entity, l->g.Frozen);
        }
    }
    const movers all = movers_rows(it);
    for (uint32_t i = 0; i < all.rows; i++) {
        all.Position[i].y -= all.Velocity[i].y;
    }
}

static void systems_run_over_typed_queries(void) // S1.5
{
    lab l;
    lab_begin(&l);
    populate(&l);
    mica_system_desc desc = {.name = "move", .update = move, .user = &l};
    desc.query = movers_desc(&l.g);
    REQUIRE(!MICA_IS_NONE(mica_system_add(l.world, &desc)));
    CHECK_EQUAL(MICA_OK, mica_step(l.world, 0.5));
    const Position *p = Position_get(l.world, mica_entity_make(1, 0), l.g.Position);
    CHECK(p->x == 1.5f && p->y == -2);
    p = Position_get(l.world, mica_entity_make(5, 0), l.g.Position);
    CHECK(p->x == 5 && p->y == 0); // is frozen
    CHECK(Frozen_has(l.world, mica_entity_make(19, 0), l.g.Frozen));
    lab_end(&l);
}

// Rows of an iteration that is that of another query, that is none, or whose values cannot be had.
TEST_WITH(lab, l, rows_that_cannot_be_had_are_none)
{
    populate(l);
    mica_query_desc swapped = {
        .terms = {{l->g.Velocity.type, MICA_WRITE}, {l->g.Position.type, MICA_READ}}};
    mica_query query = mica_query_new(l->world, &swapped);
    mica_iter it;
    mica_iter_begin(l->world, query, &it);
    while (mica_iter_next(&it)) {
        CHECK_EQUAL(0, movers_rows(&it).rows);
        CHECK_EQUAL(MICA_ERROR_C_TYPE, mica_last_error(l->world)->code);
        CHECK_TEXT("MICA_READ_AS: component 'Position' is of C type 'Position', not 'Velocity'",
                   mica_last_error(l->world)->sentence);
        test_error_clear(&l->t.error);
    }
    CHECK_EQUAL(0, movers_rows(&it).rows); // it has ended
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_last_error(l->world)->code);
    test_error_clear(&l->t.error);
    mica_type_change_storage(l->world, l->g.Velocity.type, MICA_SPLIT);
    MICA_EACH(movers, m, l->world, movers_new(l->world, &l->g)) {
        CHECK(m.rows == 0); // never
    }
    CHECK_EQUAL(MICA_ERROR_TERM, mica_last_error(l->world)->code);
    test_error_clear(&l->t.error);
    CHECK_EQUAL(MICA_OK, mica_despawn(l->world, mica_entity_make(0, 0))); // and it has ended
}

TESTS(model, a_model_registers_what_it_lists, a_model_that_cannot_be_registered_leaves_nothing,
      components_have_functions_of_their_own, typed_functions_fail_as_those_behind_them,
      changes_wait_on_a_face_that_records, accessors_know_what_they_are_for,
      an_accessor_steps_by_the_size_of_the_type, many_are_spawned_of_typed_arrays,
      sets_are_made_of_a_model, resources_and_events_are_typed, a_query_gives_typed_rows,
      a_loop_over_rows_can_be_left, what_need_not_be_there_is_null_where_it_is_not,
      filters_are_the_third_word_of_a_term, fields_of_split_components_are_found_by_their_term,
      systems_run_over_typed_queries, rows_that_cannot_be_had_are_none)
