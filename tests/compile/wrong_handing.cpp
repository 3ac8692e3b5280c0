// says: cannot be copied: hand the value over, with std::move
#include <mica.h>

#include <memory>
#include <utility>

struct Mesh {
    std::unique_ptr<int> data;
};

int main()
{
    Mesh mesh;
    mica_type type = MICA_REGISTER(nullptr, Mesh);
#ifdef MICA_TEST_WRONG
    mica_spawn(nullptr, MICA_COPY_OF(type, mesh));
#else
    mica_spawn(nullptr, MICA_COPY_OF(type, std::move(mesh)));
#endif
}
