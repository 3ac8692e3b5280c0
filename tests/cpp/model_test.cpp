// Models and names of C types in C++: classes as components, in a namespace, and templates.
#include <mica.h>

#include <memory>
#include <string>

#include "check.h"

namespace zoo {

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Name {
    std::string text = "nobody";
};
struct Mesh {
    std::unique_ptr<int> vertices; // so it can be moved, not copied
};
struct Body {
    float x, mass;
};

#define ZOO(X)                                                                                     \
    X(TABLE, Position, x, y)                                                                       \
    X(RING, Velocity, x, y)                                                                        \
    X(TABLE, Name)                                                                                 \
    X(WITH(storage = MICA_SPARSE, stable = true), Mesh)                                            \
    X(SPLIT, Body, x, mass)                                                                        \
    X(TAG, Asleep)                                                                                 \
    X(TAG_WITH(storage = MICA_SPARSE, toggle = true), Chosen)
MICA_MODEL(animals, ZOO)

#define MOVERS(X)                                                                                  \
    X(WRITE, Position)                                                                             \
    X(READ, Velocity)                                                                              \
    X(OPTIONAL, Name)                                                                              \
    X(WITHOUT, Asleep)
MICA_MODEL_QUERY(animals, movers, MOVERS)

} // namespace zoo

using namespace zoo;

static void classes_are_components_of_a_model() // S1.5, S3.11
{
    mica_world *world = mica_world_new(nullptr);
    animals a;
    CHECK(animals_register(world, &a) == MICA_OK);
    CHECK(mica_world_get_stats(world).types == 7);
    CHECK(mica_type_get_info(world, a.Mesh.type)->stable);
    Position here{1, 2};
    mica_entity e = mica_spawn(world, MICA_VARIABLE_OF(a, Position, here),
                               MICA_VALUE_OF(a, Velocity, 3, 4), MICA_VALUE_OF(a, Name, "Anna"));
    CHECK(Mesh_set(world, e, a.Mesh, Mesh{std::make_unique<int>(7)}) == MICA_OK);
    CHECK(*Mesh_get(world, e, a.Mesh)->vertices == 7);
    CHECK(Name_set(world, e, a.Name, Name{"a name that is longer than what fits"}) == MICA_OK);
    CHECK(Name_get(world, e, a.Name)->text.size() == 36);
    Mesh mesh{std::make_unique<int>(8)};
    CHECK(mica_set(world, e, MICA_VARIABLE_OF(a, Mesh, std::move(mesh))) == MICA_OK);
    CHECK(*Mesh_get(world, e, a.Mesh)->vertices == 8);
    CHECK(Body_set(world, e, a.Body, Body{5, 6}) == MICA_OK);
    Body body;
    CHECK(Body_load(world, e, a.Body, &body) && body.mass == 6);
    CHECK(Chosen_add(world, e, a.Chosen) == MICA_OK && Chosen_has(world, e, a.Chosen));
    CHECK(Name_send(world, a.Name, Name{"an event"}) == MICA_OK);
    mica_cursor seen = {};
    uint32_t count = 0;
    CHECK(Name_events(world, a.Name, &seen, &count)->text == "an event" && count == 1);
    CHECK(Mesh_resource_set(world, a.Mesh, Mesh{std::make_unique<int>(9)}) == MICA_OK);
    CHECK(*Mesh_resource(world, a.Mesh)->vertices == 9);
    Name_accessor names = Name_accessor_new(world, a.Name);
    CHECK(Name_accessor_get(names, e)->text.size() == 36);

    uint32_t rows = 0;
    mica_spawn(world, MICA_VALUE_OF(a, Position, 0, 0), MICA_VALUE_OF(a, Velocity, 1, 1));
    MICA_EACH(movers, m, world, movers_new(world, &a)) {
        m.Position->x += m.Velocity->x;
        rows += m.Name ? 10 : 1;
    }
    CHECK(rows == 11);
    CHECK(Position_get(world, e, a.Position)->x == 4);
    CHECK(mica_world_free(world) == MICA_OK);
}

template <class T> static const T *get(mica_world *world, mica_entity e, mica_type type)
{
    return MICA_GET(world, e, type, T);
}

static void count_errors(mica_world *, const mica_error *error, void *user)
{
    *static_cast<int *>(user) += error->code == MICA_ERROR_C_TYPE;
}

static void types_are_compared_whatever_they_are_called()
{
    mica_world *world = mica_world_new(nullptr);
    int errors = 0;
    mica_world_set_error_handler(world, count_errors, &errors);
    using Place = Position;
    mica_type place = MICA_REGISTER(world, Place, x, y);
    mica_type velocity = MICA_REGISTER(world, zoo::Velocity, x, y);
    mica_entity e =
        mica_spawn(world, MICA_VALUE(place, Position, 1, 2), MICA_VALUE(velocity, Velocity, 3, 4));
    CHECK(get<Position>(world, e, place) && get<zoo::Position>(world, e, place));
    CHECK(get<Velocity>(world, e, velocity)->y == 4);
    CHECK(errors == 0);
#if MICA_CHECK_C_TYPES
    CHECK(!get<Velocity>(world, e, place));
    CHECK(errors == 1);
    CHECK(mica_set(world, e, MICA_VALUE(velocity, Place, 5, 6)) == MICA_ERROR_C_TYPE);
    CHECK(mica_spawn(world, MICA_VALUE(velocity, Place, 5, 6)) == mica_entity{});
    CHECK(mica_send(world, MICA_VALUE(velocity, Place, 5, 6)) == MICA_ERROR_C_TYPE);
    CHECK(mica_resource_set(world, MICA_VALUE(velocity, Place, 5, 6)) == MICA_ERROR_C_TYPE);
    CHECK(mica_change(world, e, {}, MICA_VALUE(velocity, Place, 5, 6)) == MICA_ERROR_C_TYPE);
    CHECK(mica_facet_add(world, e, place, 1, MICA_VALUE(velocity, Place, 5, 6)) == mica_entity{});
    mica_bundle bundle = mica_bundle_new(world, &velocity, 1);
    CHECK(mica_spawn_bundle(world, bundle, MICA_VALUE(velocity, Place, 5, 6)) == mica_entity{});
    CHECK(errors == 8);
    CHECK(std::string(mica_last_error(world)->sentence) ==
          "mica_spawn_bundle: component 'zoo::Velocity' is of C type 'zoo::Velocity', not "
          "'zoo::Position'");
#endif
    CHECK(mica_entity_count(world) == 1 && get<Velocity>(world, e, velocity)->y == 4);
    CHECK(mica_world_free(world) == MICA_OK);
}

int main()
{
    const test_case cases[] = {
        CASE(classes_are_components_of_a_model),
        CASE(types_are_compared_whatever_they_are_called),
    };
    return run_cases(cases);
}
