// Components of C++ types, with nothing but MICA_REGISTER: what they own is made, copied, moved and
// ended as their constructors and destructors say, each once.
#include <mica.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "check.h"

// What lives: every object that was made and has not ended, reported by its own address.
static int alive;
static int astray; // used at another place than it was made at

struct Watched {
    const Watched *self = this;
    Watched()
    {
        alive++;
    }
    Watched(const Watched &other)
    {
        begin(other);
    }
    Watched(Watched &&other) noexcept
    {
        begin(other);
    }
    Watched &operator=(const Watched &) = delete;
    ~Watched()
    {
        astray += self != this;
        self = nullptr;
        alive--;
    }
    void begin(const Watched &other)
    {
        astray += other.self != &other;
        alive++;
    }
};

// A world that keeps the last error to itself.
struct World {
    mica_world *world;
    mica_error last = {};
    int errors = 0;

    World()
    {
        alive = astray = 0;
        mica_world_desc desc = {};
        desc.error_handler = [](mica_world *, const mica_error *error, void *user) {
            static_cast<World *>(user)->last = *error;
            static_cast<World *>(user)->errors++;
        };
        desc.error_user = this;
        world = mica_world_new(&desc);
    }
    World(const World &) = delete;
    World &operator=(const World &) = delete;
    ~World()
    {
        CHECK(mica_world_validate(world) == MICA_OK);
        CHECK(mica_world_free(world) == MICA_OK);
        CHECK(errors == 0);
        CHECK(alive == 0);
        CHECK(astray == 0);
    }
    operator mica_world *() const
    {
        return world;
    }
    bool said(mica_result code, const char *sentence)
    {
        bool right = errors == 1 && last.code == code && std::strcmp(last.sentence, sentence) == 0;
        if (!right) {
            std::printf("  %d errors, the last: %s\n", errors, last.sentence);
        }
        errors = 0;
        return right;
    }
};

template <class T> const T &get(const World &w, mica_entity entity, mica_type type)
{
    const T *value = MICA_GET(w, entity, type, T);
    if (!value) {
        std::printf("no value\n");
        std::abort();
    }
    return *value;
}

static const char long_text[] = "a text that is too long for a string to keep within itself";

struct Name {
    std::string text = "nobody";
    Watched watched;
    Name() = default;
    explicit Name(const char *given) : text(given) {}
};

struct Path {
    std::vector<std::string> steps;
    Watched watched;
};

struct Mesh {
    std::unique_ptr<int> vertices;
    std::string title; // short ones lie in the object itself: bytes are not enough
    Watched watched;
};

static void a_string_goes_through_everything()
{
    World w;
    mica_type name = MICA_REGISTER(w, Name);
    mica_type mark = MICA_TAG(w, Mark);
    CHECK(MICA_REGISTER(w, Name) == name);
    std::vector<mica_entity> all;
    for (int i = 0; i < 9; i++) {
        all.push_back(mica_spawn(w, MICA_VALUE(name, Name, i % 2 ? "x" : long_text)));
    }
    CHECK(alive == 9);
    mica_entity e = mica_spawn(w, MICA_ADD(name));
    CHECK(get<Name>(w, e, name).text == "nobody");
    Name anna("Anna");
    CHECK(mica_set(w, e, MICA_COPY_OF(name, anna)) == MICA_OK);
    CHECK(get<Name>(w, e, name).text == "Anna" && anna.text == "Anna");
    CHECK(mica_set_value(w, all[0], name, &anna, sizeof anna) == MICA_OK);
    for (mica_entity each : all) {
        CHECK(mica_add(w, each, mark) == MICA_OK);
    }
    CHECK(get<Name>(w, all[2], name).text == long_text && get<Name>(w, all[3], name).text == "x");
    CHECK(mica_remove(w, all[2], name) == MICA_OK);
    CHECK(mica_add(w, all[2], name) == MICA_OK);
    CHECK(get<Name>(w, all[2], name).text == "nobody");
    mica_entity twin = mica_clone(w, all[4]);
    CHECK(mica_despawn(w, all[4]) == MICA_OK);
    CHECK(get<Name>(w, twin, name).text == long_text);
    CHECK(alive == 11); // nine, the one that is Anna, and anna
    CHECK(mica_world_clear(w) == MICA_OK);
    CHECK(alive == 1);
    mica_spawn(w, MICA_COPY_OF(name, anna));
}

static void a_vector_goes_through_everything()
{
    World w;
    mica_type path = MICA_REGISTER(w, Path);
    mica_bundle paths = mica_bundle_new(w, &path, 1);
    Path given[5];
    for (Path &each : given) {
        each.steps = {"north", long_text};
    }
    const mica_value array = MICA_COPY_OF_ARRAY(path, given);
    CHECK(mica_spawn_many(w, paths, 5, &array, 1, nullptr) == MICA_OK);
    CHECK(mica_spawn_many(w, paths, 5, nullptr, 0, nullptr) == MICA_OK);
    CHECK(alive == 15);

    mica_query_desc desc = {};
    desc.terms[0] = {path, MICA_WRITE};
    mica_query query = mica_query_new(w, &desc);
    CHECK(query == query && query != mica_query{});
    mica_iter it;
    mica_iter_begin(w, query, &it);
    while (mica_iter_next(&it)) {
        Path *values = MICA_WRITE_AS(&it, 0, Path);
        for (uint32_t i = 0; i < it.count; i++) {
            values[i].steps.push_back("home");
        }
    }
    mica_entity first = mica_query_first(w, query);
    CHECK(get<Path>(w, first, path).steps.back() == "home");
    CHECK(get<Path>(w, first, path).steps.size() == 3);
    CHECK(mica_set_all(w, query, path, &given[0], sizeof given[0], nullptr) == MICA_OK);
    CHECK(get<Path>(w, first, path).steps.size() == 2);
    CHECK(mica_remove_all(w, query, path, nullptr) == MICA_OK);
    CHECK(alive == 5);
}

static Mesh make_mesh(int vertices, const char *title)
{
    Mesh mesh;
    mesh.vertices = std::make_unique<int>(vertices);
    mesh.title = title;
    return mesh;
}

static void what_can_only_be_moved_is_handed_over()
{
    World w;
    mica_type mesh = MICA_REGISTER(w, Mesh);
    mica_type mark = MICA_TAG(w, Mark);
    const mica_type_info *info = mica_type_get_info(w, mesh);
    CHECK(!info->hooks.copy && info->hooks.move && info->hooks.destruct && info->hooks.construct);

    mica_entity e = mica_spawn(w, MICA_COPY_OF(mesh, make_mesh(1, "one")), MICA_ADD(mark));
    CHECK(alive == 1);
    Mesh two = make_mesh(2, long_text);
    CHECK(mica_set(w, e, MICA_COPY_OF(mesh, std::move(two))) == MICA_OK);
    CHECK(alive == 2 && !two.vertices); // what was moved from is empty, and ends later
    CHECK(*get<Mesh>(w, e, mesh).vertices == 2 && get<Mesh>(w, e, mesh).title == long_text);
    std::vector<mica_entity> all;
    for (int i = 0; i < 9; i++) {
        all.push_back(mica_spawn(w, MICA_VALUE(mesh, Mesh, std::make_unique<int>(i), "short", {})));
        CHECK(mica_add(w, all.back(), mark) == MICA_OK);
    }
    CHECK(mica_despawn(w, all[3]) == MICA_OK);
    CHECK(mica_remove(w, all[4], mesh) == MICA_OK);
    CHECK(mica_add(w, all[4], mesh) == MICA_OK);
    CHECK(!get<Mesh>(w, all[4], mesh).vertices);
    CHECK(*get<Mesh>(w, all[8], mesh).vertices == 8 && get<Mesh>(w, all[8], mesh).title == "short");

    CHECK(MICA_IS_NONE(mica_clone(w, e)));
    CHECK(w.said(MICA_ERROR_HOOK, "mica_clone: 'Mesh' has a destruct hook but no copy hook"));
    CHECK(alive == 10);
    CHECK(mica_world_clear(w) == MICA_OK);
    CHECK(alive == 1);
    mica_spawn(w, MICA_COPY_OF(mesh, std::move(two)));
}

static void what_was_not_taken_ends_with_the_statement()
{
    World w;
    mica_type mesh = MICA_REGISTER(w, Mesh);
    mica_entity e = mica_spawn(w);
    mica_despawn(w, e);
    CHECK(mica_set(w, e, MICA_COPY_OF(mesh, make_mesh(1, "one"))) == MICA_ERROR_ENTITY);
    w.errors = 0;
    CHECK(alive == 0);
    // Two values for one component: neither is taken.
    e = mica_spawn(w, MICA_COPY_OF(mesh, make_mesh(1, "one")),
                   MICA_COPY_OF(mesh, make_mesh(2, "two")));
    CHECK(MICA_IS_NONE(e) && alive == 0);
    CHECK(
        w.said(MICA_ERROR_ARGUMENT, "mica_spawn: 'Mesh', which cannot be copied, is given twice"));
}

// The functions that take pointers know nothing of handing over: a value that lies in the world stays
// there. Moved out of it, what is left is an empty one.
static void what_can_only_be_moved_is_in_the_world_once()
{
    World w;
    mica_type mesh = MICA_REGISTER(w, Mesh);
    mica_type mark = MICA_TAG(w, Mark);
    mica_entity a = mica_spawn(w, MICA_COPY_OF(mesh, make_mesh(1, "one")));
    mica_entity b = mica_spawn(w, MICA_COPY_OF(mesh, make_mesh(2, "two")), MICA_ADD(mark));
    auto *own = static_cast<Mesh *>(mica_get_mut(w, a, mesh));
    CHECK(mica_set_value(w, a, mesh, own, sizeof(Mesh)) == MICA_OK);
    CHECK(alive == 2 && *get<Mesh>(w, a, mesh).vertices == 1);
    CHECK(mica_set_value(w, b, mesh, own, sizeof(Mesh)) == MICA_ERROR_ARGUMENT);
    CHECK(w.said(MICA_ERROR_ARGUMENT,
                 "mica_set_value: the value of 'Mesh', which cannot be copied, "
                 "lies in the world already"));
    const mica_value value = {mesh, own, sizeof(Mesh), 1, nullptr};
    CHECK(MICA_IS_NONE(mica_spawn_values(w, &value, 1)));
    CHECK(w.said(MICA_ERROR_ARGUMENT,
                 "mica_spawn: the value of 'Mesh', which cannot be copied, lies "
                 "in the world already"));
    CHECK(alive == 2 && *get<Mesh>(w, a, mesh).vertices == 1);

    CHECK(mica_set(w, a, MICA_COPY_OF(mesh, std::move(*own))) == MICA_OK);
    CHECK(alive == 2 && *get<Mesh>(w, a, mesh).vertices == 1);
    own = static_cast<Mesh *>(mica_get_mut(w, a, mesh));
    CHECK(mica_set(w, b, MICA_COPY_OF(mesh, std::move(*own))) == MICA_OK);
    CHECK(alive == 2 && *get<Mesh>(w, b, mesh).vertices == 1 && !get<Mesh>(w, a, mesh).vertices);
}

struct Number {
    int value;
};

// Inline, in tables of several sheets.
static void a_resource_is_handed_over()
{
    World w;
    mica_type mesh = MICA_REGISTER(w, Mesh);
    Mesh one = make_mesh(1, long_text);
    CHECK(mica_resource_set(w, MICA_COPY_OF(mesh, std::move(one))) == MICA_OK);
    CHECK(alive == 2 && !one.vertices);
    CHECK(*MICA_RESOURCE(w, mesh, Mesh)->vertices == 1);
    CHECK(mica_resource_set(w, MICA_VALUE(mesh, Mesh, std::make_unique<int>(2), "two", {})) ==
          MICA_OK);
    Mesh *own = MICA_RESOURCE_MUT(w, mesh, Mesh);
    CHECK(alive == 2 && *own->vertices == 2 && own->title == "two");
    // Itself: nothing happens. To an entity: it would be there twice.
    const mica_value value = {mesh, own, sizeof(Mesh), 1, nullptr};
    CHECK(mica_resource_set(w, value) == MICA_OK && *own->vertices == 2);
    CHECK(MICA_IS_NONE(mica_spawn(w, value)));
    CHECK(w.said(MICA_ERROR_ARGUMENT, "mica_spawn: the value of 'Mesh', which cannot be copied, "
                                      "lies in the world already"));
    mica_entity e = mica_spawn(w, MICA_ADD(mesh));
    const mica_value of_entity = {mesh, mica_get(w, e, mesh), sizeof(Mesh), 1, nullptr};
    CHECK(mica_resource_set(w, of_entity) == MICA_ERROR_ARGUMENT);
    CHECK(w.said(MICA_ERROR_ARGUMENT, "mica_resource_set: the value of 'Mesh', which cannot be "
                                      "copied, lies in the world already"));
    CHECK(alive == 3 && mica_resource_remove(w, mesh) == MICA_OK && alive == 2);
}

static void accessors_reach_every_row()
{
    World w;
    mica_type number = MICA_REGISTER(w, Number, value);
    mica_type mark = MICA_TAG(w, Mark);
    mica_accessor numbers = mica_accessor_new(w, number);
    std::vector<mica_entity> all;
    for (int i = 0; i < 3000; i++) {
        all.push_back(i % 2 ? mica_spawn(w, MICA_VALUE(number, Number, i))
                            : mica_spawn(w, MICA_VALUE(number, Number, i), MICA_ADD(mark)));
    }
    int wrong = 0;
    for (int i = 0; i < 3000; i++) {
        mica_entity e = all[static_cast<size_t>(i)];
        wrong += static_cast<const Number *>(mica_accessor_get(&numbers, e))->value != i;
        static_cast<Number *>(mica_accessor_get_mut(&numbers, e))->value = -i;
        wrong += get<Number>(w, e, number).value != -i;
    }
    CHECK(wrong == 0);
}

struct Strict {
    int number;
    Watched watched;
    explicit Strict(int n) : number(n) {}
};

struct Id {
    int number;
    explicit Id(int n) : number(n) {}
};

static void without_a_default_constructor_there_is_no_default()
{
    World w;
    mica_type strict = MICA_REGISTER(w, Strict);
    mica_type id = MICA_REGISTER(w, Id, number);
    mica_entity e = mica_spawn(w);
    CHECK(mica_add(w, e, strict) == MICA_ERROR_HOOK);
    CHECK(w.said(MICA_ERROR_HOOK,
                 "mica_add: the construct hook of 'Strict' failed: it has no default constructor"));
    CHECK(mica_add(w, e, id) == MICA_ERROR_HOOK);
    CHECK(w.said(MICA_ERROR_HOOK,
                 "mica_add: the construct hook of 'Id' failed: it has no default constructor"));
    CHECK(MICA_IS_NONE(mica_spawn(w, MICA_ADD(id))));
    w.errors = 0;
    CHECK(!mica_has(w, e, strict) && !mica_has(w, e, id));
    CHECK(mica_set(w, e, MICA_VALUE(strict, Strict, 3), MICA_VALUE(id, Id, 4)) == MICA_OK);
    CHECK(get<Strict>(w, e, strict).number == 3 && get<Id>(w, e, id).number == 4);
}

struct Health {
    int now = 100;
    char after = 0; // and padding
    double most = 100;
};
struct Zero {
    int a = 0;
    float b = 0;
};
struct Ticket { // bytes, but not to be copied
    int number = 7;
    Ticket() = default;
    Ticket(const Ticket &) = delete;
    Ticket(Ticket &&) = default;
};
typedef float Matrix[16];
struct alignas(64) Wide {
    std::string text;
};

static void what_is_bytes_stays_bytes()
{
    World w;
    mica_type health = MICA_REGISTER(w, Health, now, most);
    const mica_type_info *info = mica_type_get_info(w, health);
    CHECK(!info->hooks.construct && !info->hooks.destruct && !info->hooks.copy &&
          !info->hooks.move);
    CHECK(info->default_value != nullptr);
    mica_entity e = mica_spawn(w, MICA_ADD(health));
    CHECK(get<Health>(w, e, health).now == 100 && get<Health>(w, e, health).most == 100);

    info = mica_type_get_info(w, MICA_REGISTER(w, Zero));
    CHECK(!info->hooks.construct && !info->default_value);
    mica_type matrix = MICA_REGISTER(w, Matrix);
    info = mica_type_get_info(w, matrix);
    CHECK(info->size == 64 && !info->hooks.destruct && !info->default_value);
    Matrix one = {1};
    CHECK(mica_set(w, e, MICA_COPY_OF(matrix, one)) == MICA_OK);
    CHECK(get<Matrix>(w, e, matrix)[0] == 1);

    mica_type ticket = MICA_REGISTER(w, Ticket);
    e = mica_spawn(w, MICA_ADD(ticket));
    CHECK(get<Ticket>(w, e, ticket).number == 7);
    CHECK(MICA_IS_NONE(mica_clone(w, e)));
    CHECK(w.said(MICA_ERROR_HOOK, "mica_clone: 'Ticket' has a destruct hook but no copy hook"));

    mica_type wide = MICA_REGISTER(w, Wide);
    e = mica_spawn(w, MICA_ADD(wide));
    CHECK(reinterpret_cast<uintptr_t>(mica_get(w, e, wide)) % 64 == 0);
}

// A class that is not standard-layout: a base with data, and access of two sorts.
struct Base {
    int16_t level = 1;
};
class Derived : public Base {
public:
    float x = 2;
    std::string text;
    struct {
        int deep = 5;
    } inner;
    static mica_type describe(mica_world *world)
    {
        return MICA_REGISTER(world, Derived, level, x, secret, inner.deep);
    }

private:
    int32_t secret = 3;
};

static void fields_of_any_class_are_found()
{
    World w;
    mica_type type = Derived::describe(w);
    const mica_type_info *info = mica_type_get_info(w, type);
    CHECK(info && info->field_count == 4);
    Derived value;
    const unsigned char *bytes = reinterpret_cast<const unsigned char *>(&value);
    for (uint32_t i = 0; info && i < info->field_count; i++) {
        const mica_field_info &field = info->fields[i];
        int32_t number = 0;
        float real = 0;
        std::memcpy(&number, bytes + field.offset, field.size);
        std::memcpy(&real, bytes + field.offset, field.size);
        std::string name = field.name;
        CHECK(name != "level" || (number == 1 && field.kind == MICA_KIND_I16));
        CHECK(name != "x" || (real == 2 && field.kind == MICA_KIND_F32));
        CHECK(name != "secret" || (number == 3 && field.kind == MICA_KIND_I32));
        CHECK(name != "inner.deep" || (number == 5 && field.kind == MICA_KIND_I32));
    }
    // The hash is of the fields, wherever the strings are.
    mica_entity e = mica_spawn(w, MICA_ADD(type));
    uint64_t hash = mica_world_hash(w);
    CHECK(mica_set(w, e, MICA_COPY_OF(type, value)) == MICA_OK);
    CHECK(mica_world_hash(w) == hash);
}

#ifdef __cpp_exceptions

static int until_throw; // constructions up to the one that throws; 0: none does

struct Fragile {
    Watched watched;
    Fragile()
    {
        try_once();
    }
    Fragile(const Fragile &)
    {
        try_once();
    }
    Fragile(Fragile &&) noexcept = default;
    static void try_once()
    {
        if (until_throw > 0 && --until_throw == 0) {
            throw std::runtime_error("out of\npatience");
        }
    }
};
struct Odd {
    Watched watched;
    Odd()
    {
        throw 7;
    }
    Odd(const Odd &) = default;
};

static void a_constructor_that_throws_fails_the_call()
{
    World w;
    mica_type fragile = MICA_REGISTER(w, Fragile);
    mica_type odd = MICA_REGISTER(w, Odd);
    mica_bundle bundle = mica_bundle_new(w, &fragile, 1);
    for (int which = 1; which <= 7; which++) {
        until_throw = which;
        CHECK(mica_spawn_many(w, bundle, 7, nullptr, 0, nullptr) == MICA_ERROR_HOOK);
        CHECK(w.said(MICA_ERROR_HOOK,
                     "mica_spawn_many: the construct hook of 'Fragile' failed: out of patience"));
        CHECK(alive == 0 && mica_entity_count(w) == 0);
    }
    CHECK(mica_spawn_many(w, bundle, 7, nullptr, 0, nullptr) == MICA_OK);
    {
        Fragile given[7];
        const mica_value array = MICA_COPY_OF_ARRAY(fragile, given);
        for (int which = 1; which <= 7; which++) {
            until_throw = which;
            CHECK(mica_spawn_many(w, bundle, 7, &array, 1, nullptr) == MICA_ERROR_HOOK);
            CHECK(w.said(MICA_ERROR_HOOK,
                         "mica_spawn_many: the copy hook of 'Fragile' failed: out of patience"));
            CHECK(alive == 14 && mica_entity_count(w) == 7);
        }
    }
    mica_entity e = mica_entity_next(w, mica_entity{});
    until_throw = 1;
    CHECK(MICA_IS_NONE(mica_clone(w, e)));
    CHECK(
        w.said(MICA_ERROR_HOOK, "mica_clone: the copy hook of 'Fragile' failed: out of patience"));
    CHECK(mica_add(w, e, odd) == MICA_ERROR_HOOK);
    CHECK(w.said(MICA_ERROR_HOOK,
                 "mica_add: the construct hook of 'Odd' failed: its constructor threw"));
    CHECK(alive == 7 && !mica_has(w, e, odd));
}

#endif

static void a_value_made_for_the_call_is_given_in_every_call()
{
    World w;
    mica_type name = MICA_REGISTER(w, Name);
    mica_type mesh = MICA_REGISTER(w, Mesh);
    mica_type mark = MICA_TAG(w, Mark);
    const mica_type types[] = {name, mesh, mark};
    mica_bundle bundle = mica_bundle_new(w, types, 3);
    Name anna;
    anna.text = long_text;
    for (int i = 0; i < 3; i++) { // the long way, then the short one if there is one
        mica_entity e =
            mica_spawn_bundle(w, bundle, MICA_COPY_OF(name, anna),
                              MICA_COPY_OF(mesh, make_mesh(i, "short")), MICA_ADD(mark));
        CHECK(get<Name>(w, e, name).text == long_text && *get<Mesh>(w, e, mesh).vertices == i);
        Name moved = anna;
        CHECK(mica_change(w, e, {mark, mesh}, MICA_COPY_OF(name, std::move(moved))) == MICA_OK);
        CHECK(moved.text == anna.text); // what can be copied is
        CHECK(!mica_has(w, e, mark) && !mica_has(w, e, mesh));
        CHECK(mica_change(w, e, {}, MICA_COPY_OF(mesh, make_mesh(9, long_text)), MICA_ADD(mark)) ==
              MICA_OK);
        CHECK(*get<Mesh>(w, e, mesh).vertices == 9);
    }
    CHECK(alive == 7);
    mica_entity none = mica_spawn_bundle(w, bundle, MICA_COPY_OF(mesh, make_mesh(1, "swapped")),
                                         MICA_COPY_OF(name, anna), MICA_ADD(mark));
    CHECK(MICA_IS_NONE(none) && alive == 7);
    CHECK(w.said(MICA_ERROR_ARGUMENT,
                 "mica_spawn_bundle: value 0 is of 'Mesh', the bundle has 'Name' there"));
    const mica_value kept = MICA_COPY_OF(name, anna); // good for as long as the variable
    CHECK(mica_change(w, mica_spawn(w, kept), {name}, MICA_COPY_OF(name, anna)) ==
          MICA_ERROR_ARGUMENT);
    CHECK(w.said(MICA_ERROR_ARGUMENT, "mica_change: 'Name' is both set and removed"));
}

static void arrays_know_how_many_they_are()
{
    World w;
    mica_type name = MICA_REGISTER(w, Name);
    mica_bundle bundle = mica_bundle_new(w, &name, 1);
    Name four[4];
    std::vector<Name> three(3);
    CHECK(MICA_COPY_OF_ARRAY(name, four).count == 4);
    CHECK(MICA_COPY_OF_ARRAY(name, three.data()).count == 0);
    CHECK(MICA_COPY_OF(name, four[0]).count == 1);
    const mica_value one = MICA_COPY_OF(name, four[0]);
    CHECK(mica_spawn_many(w, bundle, 4, &one, 1, nullptr) == MICA_ERROR_ARGUMENT);
    CHECK(w.said(MICA_ERROR_ARGUMENT, "mica_spawn_many: 1 value of 'Name' for 4 entities"));
    const mica_value all = MICA_COPY_OF_ARRAY(name, four);
    CHECK(mica_spawn_many(w, bundle, 4, &all, 1, nullptr) == MICA_OK);
    CHECK(mica_set(w, mica_entity_next(w, mica_entity{}), all) == MICA_ERROR_ARGUMENT);
    CHECK(w.said(MICA_ERROR_ARGUMENT, "mica_set: 4 values of 'Name' for one entity"));
}

typedef std::vector<std::unique_ptr<int>> Crate;
typedef std::map<int, std::unique_ptr<int>> Shelf;
struct Cart {
    Watched watched;
    std::vector<std::unique_ptr<int>> load;
};
template <> struct mica_can_copy<Cart> : std::false_type {};

static void what_only_claims_to_be_copyable_is_moved()
{
    World w;
    mica_type crate = MICA_REGISTER(w, Crate);
    mica_type shelf = MICA_REGISTER(w, Shelf);
    mica_type cart = MICA_REGISTER(w, Cart);
    CHECK(!mica_type_get_info(w, crate)->hooks.copy && !mica_type_get_info(w, shelf)->hooks.copy);
    CHECK(!mica_type_get_info(w, cart)->hooks.copy && mica_type_get_info(w, cart)->hooks.move);
    Cart full;
    full.load.push_back(std::make_unique<int>(5));
    Crate box;
    box.push_back(std::make_unique<int>(6));
    mica_entity e = mica_spawn(w, MICA_COPY_OF(cart, std::move(full)),
                               MICA_COPY_OF(crate, std::move(box)), MICA_ADD(shelf));
    CHECK(*get<Cart>(w, e, cart).load[0] == 5 && *get<Crate>(w, e, crate)[0] == 6);
    mica_type path = MICA_REGISTER(w, Path);
    CHECK(mica_type_get_info(w, path)->hooks.copy);
}

#ifdef __cpp_exceptions

static void an_exception_passes_through_a_step()
{
    World w;
    mica_type name = MICA_REGISTER(w, Name);
    mica_entity e = mica_spawn(w, MICA_ADD(name));
    mica_system_desc desc = {};
    desc.name = "boom";
    desc.update = [](mica_iter *it) {
        MICA_WRITE_AS(it, 0, Name)->text = long_text;
        throw std::runtime_error("boom");
    };
    desc.query.terms[0] = {name, MICA_WRITE};
    mica_system system = mica_system_add(w, &desc);
    bool caught = false;
    try {
        mica_step(w, 1);
    } catch (const std::runtime_error &) {
        caught = true;
    }
    CHECK(caught);
    CHECK(mica_add(w, e, name) == MICA_OK && mica_despawn(w, e) == MICA_ERROR_ITERATING);
    w.errors = 0;
    CHECK(mica_world_end_iterations(w) == 1);
    CHECK(get<Name>(w, e, name).text == long_text); // what it did is done
    CHECK(mica_system_remove(w, system) == MICA_OK);
    CHECK(mica_step(w, 1) == MICA_OK && mica_despawn(w, e) == MICA_OK);
}

#endif

struct Score {
    int points;
};

struct Hit {
    int number;
};

struct Watch {
    mica_type score;
    mica_type hit;
    mica_cursor seen;
    int begun, updated, ended;
    double sum;
};

struct alignas(32) Quad {
    double values[4];
};

static void a_schedule_is_described_member_by_member()
{
    World w;
    Watch watch = {};
    watch.score = MICA_REGISTER(w, Score);
    watch.hit = MICA_REGISTER(w, Hit);
    mica_resource_set(w, MICA_ADD(watch.score));
    mica_phase_desc phase = {};
    phase.name = "fixed";
    phase.fixed_dt = 0.25;
    phase.before = mica_phase_find(w, "update");
    mica_phase fixed = mica_phase_add(w, &phase);
    CHECK(fixed != mica_phase{} && fixed == mica_phase_find(w, "fixed"));
    mica_system_desc desc = {};
    desc.name = "watch";
    desc.user = &watch;
    desc.phase = fixed;
    desc.when = [](const mica_iter *it) { return it->time < 0.5; };
    desc.begin = [](mica_iter *it) { static_cast<Watch *>(it->user)->begun++; };
    desc.update = [](mica_iter *it) {
        Watch *own = static_cast<Watch *>(it->user);
        double *numbers = MICA_FRAME_ARRAY(it->world, double, 8);
        Quad *wide = MICA_FRAME_ARRAY(it->world, Quad, 3);
        CHECK(numbers && wide && reinterpret_cast<std::uintptr_t>(wide) % alignof(Quad) == 0);
        MICA_RESOURCE_MUT(it->world, own->score, Score)->points++;
        uint32_t count = 0;
        while (MICA_EVENTS(it->world, own->hit, Hit, &own->seen, &count)) {
            own->sum += count;
        }
        own->updated++;
    };
    desc.end = [](mica_iter *it) { static_cast<Watch *>(it->user)->ended++; };
    desc.resources[0] = {watch.score, MICA_WRITE};
    desc.events[0] = {watch.hit, MICA_READ};
    mica_system system = mica_system_add(w, &desc);
    CHECK(system != mica_system{});
    Hit hit = {1};
    mica_send(w, MICA_COPY_OF(watch.hit, hit));
    CHECK(mica_step(w, 1) == MICA_OK);
    CHECK(watch.begun == 2 && watch.updated == 2 && watch.ended == 2 && watch.sum == 1);
    CHECK(MICA_RESOURCE(w, watch.score, Score)->points == 2);
    mica_system_info info;
    CHECK(mica_system_get_info(w, system, &info));
    CHECK(info.stats.runs == 2 && info.stats.skipped == 2 && info.phase == fixed);
    desc = {};
    desc.name = "fails";
    desc.update = [](mica_iter *it) { mica_system_fail(it, 0, "for %s", "a reason"); };
    desc.after[0] = system;
    CHECK(mica_system_add(w, &desc) != mica_system{});
    CHECK(mica_step(w, 0) == MICA_ERROR_FAILED);
    w.errors = 0;
}

static void handles_are_compared_and_hashed()
{
    World w;
    mica_entity a = mica_spawn(w);
    mica_entity b = mica_spawn(w);
    CHECK(a == a && a != b && a < b && !(b < a) && mica_entity{} < a);
    mica_despawn(w, a);
    mica_entity again = mica_spawn(w);
    CHECK(again != a && mica_entity_slot(again) == mica_entity_slot(a));
    std::unordered_set<mica_entity> set = {a, b, again, b};
    CHECK(set.size() == 3 && set.count(again) == 1);
    std::map<mica_entity, int> order = {{again, 3}, {b, 2}, {a, 1}};
    CHECK(order.begin()->first == a && order.rbegin()->first == again);
    mica_type mark = MICA_TAG(w, Mark);
    CHECK(mark == mica_type_find(w, "Mark") && mark != mica_type{});
    mica_bundle bundle = mica_bundle_new(w, &mark, 1);
    CHECK(bundle == bundle && bundle != mica_bundle{});
    CHECK(mica_system{} == mica_system_find(w, "none"));
    CHECK(!(mica_query{} != mica_query{}));
}

int main()
{
    const test_case cases[] = {
        CASE(a_string_goes_through_everything),
        CASE(a_vector_goes_through_everything),
        CASE(what_can_only_be_moved_is_handed_over),
        CASE(what_was_not_taken_ends_with_the_statement),
        CASE(what_can_only_be_moved_is_in_the_world_once),
        CASE(a_resource_is_handed_over),
        CASE(accessors_reach_every_row),
        CASE(a_value_made_for_the_call_is_given_in_every_call),
        CASE(arrays_know_how_many_they_are),
        CASE(what_only_claims_to_be_copyable_is_moved),
        CASE(without_a_default_constructor_there_is_no_default),
        CASE(what_is_bytes_stays_bytes),
        CASE(fields_of_any_class_are_found),
#ifdef __cpp_exceptions
        CASE(a_constructor_that_throws_fails_the_call),
        CASE(an_exception_passes_through_a_step),
#endif
        CASE(a_schedule_is_described_member_by_member),
        CASE(handles_are_compared_and_hashed),
    };
    return run_cases(cases);
}
