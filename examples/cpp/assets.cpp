// Components that own something, tags, and types in other storages.
#include <mica.hpp>

#include <cstdio>
#include <memory>
#include <string>

struct Name {
    std::string text;
};
struct Mesh { // can be moved, not copied
    std::unique_ptr<int[]> vertices;
    int count = 0;
    explicit Mesh(int n) : vertices(new int[static_cast<size_t>(n)]()), count(n) {}
};
struct Selected {};
struct Body {
    float x, y, mass;
};

// Said before they are used: a tag that flips often, and an array for each field.
template <> struct mica::about<Selected> : mica::stored<Selected, MICA_SPARSE> {};
template <> struct mica::about<Body> {
    static mica_type_desc describe()
    {
        mica_type_desc desc = MICA_DESCRIBE(Body, x, y, mass);
        desc.storage = MICA_SPLIT;
        return desc;
    }
};

int main()
{
    mica::world world;
    Mesh cube(8);
    mica::entity e = world.spawn(Name{"a cube"}, std::move(cube), Body{0, 10, 2});
    world.spawn(Name{"a ghost"}, Body{0, 20, 0});
    world.add<Selected>(e);

    // A class with constructors and destructors is a component like any other.
    world.query<Name, const Mesh, Selected>().each([](Name &name, const Mesh &mesh) {
        name.text += " of " + std::to_string(mesh.count) + " vertices";
    });
    std::printf("%s\n", world.get<Name>(e)->text.c_str());

    // A split component is reached field by field, and single ones are loaded.
    world.query<mica::by_field<Body>>().each_segment([](mica::fields<Body> body) {
        mica::span<float> y = body(&Body::y).packed();
        for (float &one : y) {
            one -= 1;
        }
    });
    std::printf("y is %g\n", world.load<Body>(e)->y);

    // A type that can only be moved cannot be cloned. That is an error, not an exception.
    mica_world_set_error_handler(
        world, [](mica_world *, const mica_error *error, void *) { std::puts(error->sentence); },
        nullptr);
    if (!world.clone(e)) {
        std::puts("no clone");
    }

    // All functions of C take the world, too.
    mica_entity_print(world, world.spawn(Body{1, 2, 3}), NULL);
}
