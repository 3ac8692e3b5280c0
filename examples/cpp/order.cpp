// Order: sparse components that a group keeps together, sorting, and facets: several rows of one entity.
#include <mica.hpp>

#include <cstdio>

struct Sprite {
    char picture;
};
struct Layer {
    int depth;
};

template <> struct mica::about<Sprite> : mica::stored<Sprite, MICA_SPARSE> {};
template <> struct mica::about<Layer> : mica::stored<Layer, MICA_SPARSE> {};

int main()
{
    mica::world world;
    world.spawn(Sprite{'~'}, Layer{0}); // the sea
    mica::entity ship = world.spawn(Sprite{'_'}, Layer{2});
    world.add_facet<Sprite>(ship, 1, Sprite{'^'}, Layer{3}); // its sail, which goes with it
    world.spawn(Sprite{'o'}, Layer{1});                      // the sun

    // All that is drawn lies together, from back to front: one span, however they came.
    mica::group drawn = world.group<Sprite, Layer>("drawn");
    drawn.sort<Layer>([](const Layer &a, const Layer &b) { return a.depth < b.depth; });
    auto sprites = world.query<const Sprite, const Layer>();
    auto draw = [&] {
        sprites.each_segment([](mica::span<const Sprite> sprite, mica::span<const Layer>) {
            for (const Sprite &one : sprite) {
                std::putchar(one.picture);
            }
            std::printf("  in one span of %u\n", static_cast<unsigned>(sprite.size()));
        });
    };
    draw();
    world.despawn(ship);
    draw();
}
