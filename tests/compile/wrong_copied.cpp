// says: the type cannot be copied
// What can only be moved is handed over.
#include <mica.hpp>

#include <memory>

struct Mesh {
    std::unique_ptr<int> vertices;
};

int main()
{
    mica::world world;
    Mesh mesh;
#ifdef MICA_TEST_WRONG
    world.spawn(mesh);
#else
    world.spawn(std::move(mesh));
#endif
}
