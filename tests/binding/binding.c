// What a binding does: it opens the shared library, finds every function by its name, and has no header's
// code to help. The headers are here for structs only; the program is not linked with mica.
//
// Arguments: the shared library.
#include <mica.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// A function by its name: `get` of the program is mica_<name> of the library.
#define FUNCTIONS(X)                                                                               \
    X(mica_world *, world_new, const mica_world_desc *)                                            \
    X(mica_result, world_free, mica_world *)                                                       \
    X(mica_type, type_register, mica_world *, const mica_type_desc *)                              \
    X(mica_entity, spawn_values, mica_world *, const mica_value *, uint32_t)                       \
    X(mica_entity, entity_make, uint32_t, uint32_t)                                                \
    X(uint32_t, entity_slot, mica_entity)                                                          \
    X(mica_query, query_new, mica_world *, const mica_query_desc *)                                \
    X(mica_result, iter_begin, mica_world *, mica_query, mica_iter *)                              \
    X(bool, iter_next, mica_iter *)                                                                \
    X(const void *, read, const mica_iter *, uint32_t)                                             \
    X(void *, write, const mica_iter *, uint32_t)                                                  \
    X(mica_write_fields, write_field, const mica_iter *, uint32_t, uint32_t, uint32_t)             \
    X(void *, write_in, mica_write_fields, uint32_t)                                               \
    X(mica_accessor, accessor_new, mica_world *, mica_type)                                        \
    X(const void *, accessor_get_sized, const mica_accessor *, mica_entity, uint32_t)              \
    X(void *, accessor_get_mut, const mica_accessor *, mica_entity)                                \
    X(mica_result, accessor_disable, const mica_accessor *, mica_entity)                           \
    X(bool, accessor_is_enabled, const mica_accessor *, mica_entity)                               \
    X(mica_system, system_add, mica_world *, const mica_system_desc *)                             \
    X(mica_result, step, mica_world *, double)

#define DECLARE(result, name, ...) static result (*name##_found)(__VA_ARGS__);
FUNCTIONS(DECLARE)

typedef struct Position {
    float x, y;
} Position;

static int failures;

static void expect(bool condition, const char *what)
{
    if (!condition) {
        printf("FAILED: %s\n", what);
        failures++;
    }
}

static bool find_all(void *library)
{
    void *found;
#define FIND(result, name, ...)                                                                    \
    found = dlsym(library, "mica_" #name);                                                         \
    if (!found) {                                                                                  \
        printf("FAILED: mica_" #name " is not exported\n");                                        \
        return false;                                                                              \
    }                                                                                              \
    memcpy(&name##_found, &found, sizeof found);
    FUNCTIONS(FIND)
    return true;
}

static void move(mica_iter *it)
{
    Position *p = write_found(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].x += *(const float *)it->user;
    }
}

static mica_type describe(mica_world *world)
{
    const mica_field_info fields[] = {
        {.name = "x", .kind = MICA_KIND_F32, .offset = 0},
        {.name = "y", .kind = MICA_KIND_F32, .offset = 4},
    };
    return type_register_found(world, &(mica_type_desc){.name = "Position",
                                                        .size = sizeof(Position),
                                                        .align = 4,
                                                        .fields = fields,
                                                        .field_count = 2,
                                                        .toggle = true});
}

static void iterate(mica_world *world, mica_type position)
{
    mica_query query =
        query_new_found(world, &(mica_query_desc){.terms = {{position, MICA_WRITE}}});
    mica_iter it = {0};
    uint32_t rows = 0;
    expect(iter_begin_found(world, query, &it) == MICA_OK, "an iteration begins");
    while (iter_next_found(&it)) {
        rows += it.count;
        mica_write_fields y = write_field_found(&it, 0, 4, 4);
        *(float *)write_in_found(y, 0) = 7;
        expect(((const Position *)read_found(&it, 0))->y == 7, "mica_read()");
    }
    expect(rows == 1, "one row");
}

static void reach(mica_world *world, mica_type position, mica_entity e)
{
    mica_accessor positions = accessor_new_found(world, position);
    const Position *p = accessor_get_sized_found(&positions, e, sizeof *p);
    expect(p && p->x == 3.5F && p->y == 7, "mica_accessor_get_sized()");
    expect(accessor_get_mut_found(&positions, e) == p, "mica_accessor_get_mut()");
    expect(accessor_disable_found(&positions, e) == MICA_OK, "mica_accessor_disable()");
    expect(!accessor_is_enabled_found(&positions, e), "mica_accessor_is_enabled()");
}

int main(int count, char **arguments)
{
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (!library || !find_all(library)) {
        printf("FAILED: %s\n", library ? "functions are missing" : "no library");
        return 1;
    }
    static float speed = 2.5F;
    mica_world *world = world_new_found(NULL);
    mica_type position = describe(world);
    expect(!MICA_IS_NONE(position), "a type");
    Position start = {1, 2};
    mica_entity e = spawn_values_found(
        world, (const mica_value[]){{position, &start, sizeof start, 1, NULL}}, 1);
    expect(MICA_EQUAL(e, entity_make_found(0, 0)), "the first entity");
    expect(entity_slot_found(e) == 0, "its slot");
    system_add_found(world, &(mica_system_desc){.name = "move",
                                                .update = move,
                                                .query.terms = {{position, MICA_WRITE}},
                                                .user = &speed});
    expect(step_found(world, 1) == MICA_OK, "a step");
    iterate(world, position);
    reach(world, position, e);
    expect(world_free_found(world) == MICA_OK, "the end");
    dlclose(library);
    printf("%d passed, %d failed, 0 skipped\n", failures == 0, failures);
    return failures > 0;
}
