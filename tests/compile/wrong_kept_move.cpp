// says: deleted function|no viable conversion from .mica_passed_value
// Nor what is handed over: the list would have its address, and nobody the value.
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
    mica_bundle bundle = mica_bundle_new(nullptr, &type, 1);
#ifdef MICA_TEST_WRONG
    const mica_value list[] = {MICA_COPY_OF(type, std::move(mesh))};
    mica_spawn_bundle(nullptr, bundle, list, 1);
#else
    mica_spawn_bundle(nullptr, bundle, MICA_COPY_OF(type, std::move(mesh)));
#endif
}
