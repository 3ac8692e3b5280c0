// What must grow with n as n does, or as n log n: each case is done for a few and for many, each time
// in a function of its own, so that growth.sh finds what it cost under callgrind.
//
// usage: growth            all cases, with the sizes in the list
//        growth CASE N     one case with N; prints the memory of the world at its end
//
// To add a case: two functions, one that makes what is needed and one that is measured, and a line in
// CASES. `power` says how the whole may grow: 1, or 2 where each of n things is n large; `each` is what
// one of many may cost, 0 if that is no matter here: budget.list has what things cost in the benchmark.
#include "growth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES(X)                                                                                   \
    X(spawn_at_used, 500, 4000, 1, 1000)                                                           \
    X(spawn_between, 500, 4000, 1, 1000)                                                           \
    X(end_oldest_first, 500, 4000, 1, 0)                                                           \
    X(spawn_wide, 125, 1000, 1, 0)                                                                 \
    X(spawn_wide_twice, 125, 1000, 1, 0)                                                           \
    X(set_wide, 125, 1000, 1, 0)                                                                   \
    X(remove_wide, 125, 1000, 1, 0)                                                                \
    X(bundle_wide, 125, 1000, 1, 0)                                                                \
    X(add_systems, 125, 1000, 1, 0)                                                                \
    X(step_idle, 125, 1000, 1, 0)                                                                  \
    X(step_busy, 125, 1000, 1, 0)                                                                  \
    X(load_program, 125, 1000, 1, 0)                                                               \
    X(load_before_program, 125, 1000, 1, 0)                                                        \
    X(send_events, 1000, 8000, 1, 0)                                                               \
    X(read_events, 1000, 8000, 1, 0)                                                               \
    X(edges_upwards, 125, 1000, 1, 0)                                                              \
    X(edges_downwards, 125, 1000, 1, 0)                                                            \
    X(add_one_by_one, 50, 400, 2, 0)                                                               \
    X(wander, 500, 4000, 1, 0)                                                                     \
    X(validate_systems, 125, 1000, 1, 0)                                                           \
    X(validate_bundle, 125, 1000, 1, 0)                                                            \
    X(validate_tables, 125, 1000, 1, 0)                                                            \
    X(load_types, 125, 1000, 1, 0)                                                                 \
    X(load_types_as_json, 125, 1000, 1, 0)                                                         \
    X(load_types_kept, 125, 1000, 1, 0)                                                            \
    X(load_aliases, 125, 1000, 1, 0)                                                               \
    X(load_enums, 125, 1000, 1, 0)                                                                 \
    X(load_enums_as_json, 125, 1000, 1, 0)                                                         \
    X(load_names, 125, 1000, 1, 0)                                                                 \
    X(load_floors, 125, 1000, 1, 0)                                                                \
    X(locate, 500, 4000, 1, 500)

void growth_require(bool right)
{
    if (!right) {
        fprintf(stderr, "growth: a call failed\n");
        exit(1);
    }
}

void *growth_get(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    growth_require(memory != NULL);
    return memory;
}

void growth_make_types(scene *s, uint32_t n, uint32_t size)
{
    s->types = growth_get(n, sizeof *s->types);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%" PRIu32, i);
        mica_type_desc desc = {.name = name, .size = size, .align = size};
        s->types[i] = mica_type_register(s->world, &desc);
    }
}

// Values of n types, twice.
static void make_values(scene *s, uint32_t n)
{
    growth_make_types(s, n, 4);
    s->values = growth_get(2 * (size_t)n, sizeof *s->values);
    for (uint32_t i = 0; i < 2 * n; i++) {
        s->values[i] = MICA_ADD(s->types[i % n]);
    }
    s->entity = mica_spawn_values(s->world, NULL, 0);
}

static void prepare_spawn_at_used(scene *s, uint32_t n)
{
    s->entities = growth_get(n, sizeof *s->entities);
    for (uint32_t i = 0; i < n; i++) {
        s->entities[i] = mica_spawn_values(s->world, NULL, 0);
    }
    growth_require(!mica_despawn_many(s->world, s->entities, n));
}

static void run_spawn_at_used(scene *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        growth_require(!MICA_IS_NONE(mica_spawn_at(s->world, mica_entity_make(i, 1))));
    }
}

static void prepare_spawn_between(scene *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        mica_spawn_at(s->world, mica_entity_make(2 * i + 1, 0));
    }
}

static void run_spawn_between(scene *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        growth_require(mica_entity_slot(mica_spawn_values(s->world, NULL, 0)) == 2 * i);
    }
}

static void prepare_end_oldest_first(scene *s, uint32_t n)
{
    mica_spawn_values(s->world, NULL, 0);
    s->query = mica_query_new(s->world, &(mica_query_desc){.everything = true});
    s->iterations = growth_get(n, sizeof *s->iterations);
    for (uint32_t i = 0; i < n; i++) {
        growth_require(!mica_iter_begin(s->world, s->query, &s->iterations[i]));
    }
}

static void run_end_oldest_first(scene *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        growth_require(!mica_iter_end(&s->iterations[i]));
    }
}

static void prepare_spawn_wide(scene *s, uint32_t n)
{
    make_values(s, n);
}

static void run_spawn_wide(scene *s, uint32_t n)
{
    growth_require(!MICA_IS_NONE(mica_spawn_values(s->world, s->values, n)));
}

static void prepare_spawn_wide_twice(scene *s, uint32_t n)
{
    make_values(s, n);
}

static void run_spawn_wide_twice(scene *s, uint32_t n)
{
    growth_require(!MICA_IS_NONE(mica_spawn_values(s->world, s->values, 2 * n)));
}

static void prepare_set_wide(scene *s, uint32_t n)
{
    make_values(s, n);
}

static void run_set_wide(scene *s, uint32_t n)
{
    growth_require(!mica_set_values(s->world, s->entity, s->values, n));
}

static void prepare_remove_wide(scene *s, uint32_t n)
{
    make_values(s, n);
    growth_require(!mica_set_values(s->world, s->entity, s->values, n));
}

static void run_remove_wide(scene *s, uint32_t n)
{
    growth_require(!mica_change(s->world, s->entity, NULL, 0, s->types, n));
}

static void prepare_bundle_wide(scene *s, uint32_t n)
{
    make_values(s, n);
}

static void run_bundle_wide(scene *s, uint32_t n)
{
    mica_bundle bundle = mica_bundle_new(s->world, s->types, n);
    growth_require(!MICA_IS_NONE(mica_spawn_bundle(s->world, bundle, NULL, 0)));
}

static void prepare_add_systems(scene *s, uint32_t n)
{
    (void)s;
    (void)n;
}

static void do_nothing(mica_iter *it)
{
    (void)it;
}

static void run_add_systems(scene *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%" PRIu32, i);
        mica_system system = mica_system_add(
            s->world,
            &(mica_system_desc){.name = name, .update = do_nothing, .query.everything = true});
        growth_require(!MICA_IS_NONE(system));
    }
}

// Systems that match nothing, and one step of them.
static void prepare_step_idle(scene *s, uint32_t n)
{
    growth_make_types(s, 2, 4);
    mica_spawn(s->world, MICA_ADD(s->types[0]));
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%" PRIu32, i);
        mica_system system = mica_system_add(
            s->world, &(mica_system_desc){
                          .name = name,
                          .update = do_nothing,
                          .query.terms = {{s->types[0], MICA_WRITE}, {s->types[1], MICA_READ}}});
        growth_require(!MICA_IS_NONE(system));
    }
    growth_require(!mica_step(s->world, 0));
}

static void run_step_idle(scene *s, uint32_t n)
{
    (void)n;
    growth_require(!mica_step(s->world, 0));
}

// The same where each has a row.
static void prepare_step_busy(scene *s, uint32_t n)
{
    prepare_step_idle(s, n);
    mica_spawn(s->world, MICA_ADD(s->types[0]), MICA_ADD(s->types[1]));
    growth_require(!mica_step(s->world, 0));
}

static void run_step_busy(scene *s, uint32_t n)
{
    run_step_idle(s, n);
}

// A program whose queries and systems go on from an image by their names, created before it is loaded, or after.
static void add_program(scene *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%" PRIu32, i);
        mica_query_desc desc = {.name = name, .terms = {{s->types[0], MICA_READ | MICA_CHANGED}}};
        growth_require(!MICA_IS_NONE(mica_query_new(s->world, &desc)));
        desc.name = NULL;
        mica_system system = mica_system_add(
            s->world, &(mica_system_desc){.name = name, .update = do_nothing, .query = desc});
        growth_require(!MICA_IS_NONE(system));
    }
}

static void prepare_load_program(scene *s, uint32_t n)
{
    growth_make_types(s, 1, 4);
    add_program(s, n);
    growth_require(!mica_world_save(s->world, &(mica_stream){.buffer = &s->image}, NULL));
}

static void run_load_program(scene *s, uint32_t n)
{
    (void)n;
    growth_require(!mica_world_load(s->world, &(mica_stream){.buffer = &s->image}, NULL));
}

static void prepare_load_before_program(scene *s, uint32_t n)
{
    prepare_load_program(s, n);
    growth_require(!mica_world_free(s->world));
    free(s->types);
    s->world = mica_world_new(NULL);
    growth_require(s->world != NULL);
    growth_make_types(s, 1, 4);
}

static void run_load_before_program(scene *s, uint32_t n)
{
    run_load_program(s, n);
    add_program(s, n);
}

// The chunks are there: those of the frame before last.
static void prepare_send_events(scene *s, uint32_t n)
{
    growth_make_types(s, 1, 8);
    for (uint32_t frame = 0; frame < 3; frame++) {
        for (uint32_t i = 0; i < n; i++) {
            growth_require(!mica_send(s->world, MICA_ADD(s->types[0])));
        }
        growth_require(!mica_step(s->world, 0));
    }
    growth_require(!mica_step(s->world, 0));
}

static void run_send_events(scene *s, uint32_t n)
{
    uint64_t number = 7;
    for (uint32_t i = 0; i < n; i++) {
        growth_require(!mica_send(s->world, MICA_COPY_OF(s->types[0], number)));
    }
}

static void prepare_read_events(scene *s, uint32_t n)
{
    prepare_send_events(s, n);
    run_send_events(s, n);
}

static void run_read_events(scene *s, uint32_t n)
{
    mica_cursor cursor = {0};
    uint32_t count;
    uint64_t sum = 0;
    for (const uint64_t *numbers;
         (numbers = MICA_EVENTS(s->world, s->types[0], uint64_t, &cursor, &count)) != NULL;) {
        for (uint32_t i = 0; i < count; i++) {
            sum += numbers[i];
        }
    }
    growth_require(sum == 7 * (uint64_t)n);
}

static void prepare_edges_upwards(scene *s, uint32_t n)
{
    growth_make_types(s, n, 4);
    s->entity = mica_spawn_values(s->world, NULL, 0);
}

static void toggle(scene *s, mica_type type)
{
    growth_require(!mica_add(s->world, s->entity, type) && !mica_remove(s->world, s->entity, type));
}

static void run_edges_upwards(scene *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        toggle(s, s->types[i]);
    }
}

static void prepare_edges_downwards(scene *s, uint32_t n)
{
    prepare_edges_upwards(s, n);
}

static void run_edges_downwards(scene *s, uint32_t n)
{
    for (uint32_t i = n; i-- > 0;) {
        toggle(s, s->types[i]);
    }
}

static void prepare_add_one_by_one(scene *s, uint32_t n)
{
    prepare_edges_upwards(s, n);
}

static void run_add_one_by_one(scene *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        growth_require(!mica_add(s->world, s->entity, s->types[i]));
    }
}

enum { WANDER_TYPES = 8 };

static void prepare_wander(scene *s, uint32_t n)
{
    (void)n;
    prepare_edges_upwards(s, WANDER_TYPES);
}

// One entity from one set of types to another, which are as good as any.
static void run_wander(scene *s, uint32_t n)
{
    uint32_t now = 0;
    uint32_t random = 1;
    for (uint32_t i = 0; i < n; i++) {
        random = random * 1664525 + 1013904223;
        uint32_t next = random >> 24;
        mica_value added[WANDER_TYPES];
        mica_type removed[WANDER_TYPES];
        uint32_t added_count = 0;
        uint32_t removed_count = 0;
        for (uint32_t t = 0; t < WANDER_TYPES; t++) {
            if (next & ~now & 1u << t) {
                added[added_count++] = MICA_ADD(s->types[t]);
            } else if (now & ~next & 1u << t) {
                removed[removed_count++] = s->types[t];
            }
        }
        growth_require(
            !mica_change(s->world, s->entity, added, added_count, removed, removed_count));
        now = next;
    }
}

// Validation looks at everything, but at each thing a few times only.
static void prepare_validate_systems(scene *s, uint32_t n)
{
    run_add_systems(s, n);
}
static void run_validate_systems(scene *s, uint32_t n)
{
    (void)n;
    growth_require(!mica_world_validate(s->world));
}

static void prepare_validate_bundle(scene *s, uint32_t n)
{
    growth_make_types(s, n, 4);
    growth_require(!MICA_IS_NONE(mica_bundle_new(s->world, s->types, n)));
}
static void run_validate_bundle(scene *s, uint32_t n)
{
    run_validate_systems(s, n);
}

// Of one type each, with an edge there and one back.
static void prepare_validate_tables(scene *s, uint32_t n)
{
    growth_make_types(s, n, 4);
    for (uint32_t i = 0; i < n; i++) {
        mica_entity entity = mica_spawn_values(s->world, NULL, 0);
        growth_require(!mica_add(s->world, entity, s->types[i]));
        growth_require(!mica_remove(s->world, entity, s->types[i]));
        growth_require(!mica_add(s->world, entity, s->types[i]));
    }
}
static void run_validate_tables(scene *s, uint32_t n)
{
    run_validate_systems(s, n);
}

// Loading: an image of another world is prepared, and then loaded into this one.
static void save_image(scene *s, mica_world *world, mica_image_format format)
{
    growth_require(!mica_world_save(world, &(mica_stream){.buffer = &s->image},
                                    &(mica_save_desc){.format = format}));
    growth_require(!mica_world_free(world));
}

static void run_load(scene *s, uint32_t n)
{
    (void)n;
    growth_require(!mica_world_load(s->world, &(mica_stream){.buffer = &s->image}, &s->how));
}

// Types of a number, each with an entity, a resource and an event.
static mica_type make_number_type(mica_world *world, const char *type, const char *number)
{
    const mica_field_info field = {.name = number, .kind = MICA_KIND_U32};
    mica_type_desc desc = {.name = type, .size = 4, .align = 4, .fields = &field, .field_count = 1};
    desc.saved = true;
    return mica_type_register(world, &desc);
}

static void make_names(scene *s, uint32_t n)
{
    s->names = growth_get(n, sizeof *s->names);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            snprintf(s->names[i][k], sizeof s->names[i][k], "name %" PRIu32 " %" PRIu32, k, i);
        }
    }
}

static void save_types(scene *s, uint32_t n, mica_image_format format)
{
    mica_world *world = mica_world_new(NULL);
    make_names(s, n);
    for (uint32_t i = 0; i < n; i++) {
        mica_type type = make_number_type(world, s->names[i][0], s->names[i][1]);
        growth_require(!MICA_IS_NONE(mica_spawn(world, MICA_ADD(type))));
        growth_require(!mica_resource_set(world, MICA_ADD(type)));
        growth_require(!mica_send(world, MICA_ADD(type)));
    }
    save_image(s, world, format);
}

static void prepare_load_types(scene *s, uint32_t n)
{
    save_types(s, n, MICA_IMAGE_BINARY);
    for (uint32_t i = 0; i < n; i++) {
        make_number_type(s->world, s->names[i][0], s->names[i][1]);
    }
}
static void run_load_types(scene *s, uint32_t n)
{
    run_load(s, n);
}

static void prepare_load_types_as_json(scene *s, uint32_t n)
{
    save_types(s, n, MICA_IMAGE_JSON);
    for (uint32_t i = 0; i < n; i++) {
        make_number_type(s->world, s->names[i][0], s->names[i][1]);
    }
}
static void run_load_types_as_json(scene *s, uint32_t n)
{
    run_load(s, n);
}

static void prepare_load_types_kept(scene *s, uint32_t n)
{
    save_types(s, n, MICA_IMAGE_BINARY);
    s->how.unknown = MICA_UNKNOWN_KEPT;
}
static void run_load_types_kept(scene *s, uint32_t n)
{
    run_load(s, n);
}

// All types, and all their fields, are called otherwise.
static void prepare_load_aliases(scene *s, uint32_t n)
{
    save_types(s, n, MICA_IMAGE_BINARY);
    s->aliases = growth_get(2 * (size_t)n, sizeof *s->aliases);
    for (uint32_t i = 0; i < n; i++) {
        char(*names)[32] = s->names[i];
        make_number_type(s->world, names[2], names[3]);
        s->aliases[i] = (mica_alias){names[2], NULL, names[0]};
        s->aliases[n + i] = (mica_alias){names[2], names[3], names[1]};
    }
    s->how.aliases = s->aliases;
    s->how.alias_count = 2 * n;
}
static void run_load_aliases(scene *s, uint32_t n)
{
    run_load(s, n);
}

// An enum of n values, each of which one entity has. Names lead to other numbers in each world.
static mica_type make_enum_type(scene *s, mica_world *world, uint32_t n, uint32_t base)
{
    mica_enumerator *list = growth_get((size_t)n + 1, sizeof *list);
    for (uint32_t i = 0; i < n; i++) {
        list[i] = (mica_enumerator){s->names[i][0], (int64_t)base + i};
    }
    const mica_field_info field = {
        .name = "e", .kind = MICA_KIND_ENUM, .size = 4, .count = 1, .enumerators = list};
    mica_type type = mica_type_register(
        world, &(mica_type_desc){
                   .name = "Enum", .size = 4, .align = 4, .fields = &field, .field_count = 1});
    free(list);
    return type;
}

static void save_enums(scene *s, uint32_t n, mica_image_format format)
{
    mica_world *world = mica_world_new(NULL);
    make_names(s, n);
    mica_type type = make_enum_type(s, world, n, 0);
    for (uint32_t i = 0; i < n; i++) {
        const mica_value value = {type, &i, 4, 1, NULL};
        growth_require(!MICA_IS_NONE(mica_spawn_values(world, &value, 1)));
    }
    make_enum_type(s, s->world, n, 5);
    save_image(s, world, format);
}

static void prepare_load_enums(scene *s, uint32_t n)
{
    save_enums(s, n, MICA_IMAGE_BINARY);
}
static void run_load_enums(scene *s, uint32_t n)
{
    run_load(s, n);
}

static void prepare_load_enums_as_json(scene *s, uint32_t n)
{
    save_enums(s, n, MICA_IMAGE_JSON);
}
static void run_load_enums_as_json(scene *s, uint32_t n)
{
    run_load(s, n);
}

// Entities with names and facets.
static void prepare_load_names(scene *s, uint32_t n)
{
    mica_world *world = mica_world_new(NULL);
    make_names(s, n);
    for (uint32_t i = 0; i < n; i++) {
        mica_entity entity = mica_spawn_values(world, NULL, 0);
        growth_require(!mica_entity_set_name(world, entity, s->names[i][0]));
        growth_require(
            !MICA_IS_NONE(mica_facet_add_values(world, entity, (mica_type){0}, 1, NULL, 0)));
    }
    save_image(s, world, MICA_IMAGE_BINARY);
}
static void run_load_names(scene *s, uint32_t n)
{
    run_load(s, n);
}

// Pages of slots that were given back.
static void prepare_load_floors(scene *s, uint32_t n)
{
    mica_world *world = mica_world_new(NULL);
    for (uint32_t i = 0; i < n; i++) {
        mica_entity entity = mica_spawn_at(world, mica_entity_make(i * 4096, 3));
        growth_require(!mica_despawn(world, entity));
    }
    growth_require(!mica_world_reclaim(world));
    save_image(s, world, MICA_IMAGE_BINARY);
}
static void run_load_floors(scene *s, uint32_t n)
{
    run_load(s, n);
}

// S0.11, [location.cost]: of the last rows, in a table and in a pool.
static void prepare_locate(scene *s, uint32_t n)
{
    s->types = growth_get(2, sizeof *s->types);
    s->types[0] =
        mica_type_register(s->world, &(mica_type_desc){.name = "table", .size = 4, .align = 4});
    s->types[1] = mica_type_register(
        s->world, &(mica_type_desc){.name = "pool", .size = 4, .align = 4, .storage = MICA_SPARSE});
    for (uint32_t i = 0; i < n; i++) {
        s->entity = mica_spawn(s->world, MICA_ADD(s->types[0]), MICA_ADD(s->types[1]));
    }
}

static void run_locate(scene *s, uint32_t n)
{
    mica_location at;
    for (uint32_t i = 0; i < n; i++) {
        growth_require(mica_entity_get_location(s->world, s->entity, s->types[i % 2], &at));
        growth_require(at.row == n - 1);
    }
}

// What is measured: never inlined, or it would not be found.
#if defined(__GNUC__)
#define APART __attribute__((noinline))
#else
#define APART
#endif

#define MEASURED(name, few, many, power, each)                                                     \
    APART void few_##name(scene *s, uint32_t n);                                                   \
    APART void many_##name(scene *s, uint32_t n);                                                  \
    APART void few_##name(scene *s, uint32_t n)                                                    \
    {                                                                                              \
        run_##name(s, n);                                                                          \
    }                                                                                              \
    APART void many_##name(scene *s, uint32_t n)                                                   \
    {                                                                                              \
        run_##name(s, n);                                                                          \
    }
CASES(MEASURED)
THING_CASES(MEASURED)

typedef void step(scene *s, uint32_t n);

static void run(step *prepare, step *measured, uint32_t n, bool says)
{
    scene s = {.world = mica_world_new(NULL)};
    growth_require(s.world != NULL);
    prepare(&s, n);
    measured(&s, n);
    if (says) {
        printf("%lu bytes\n", (unsigned long)mica_world_get_stats(s.world).memory.bytes);
    }
    mica_world_end_iterations(s.world);
    growth_require(!mica_world_free(s.world));
    free(s.entities);
    free(s.types);
    free(s.values);
    free(s.iterations);
    free(s.handles);
    free(s.buffers);
    free(s.aliases);
    free(s.names);
    mica_buffer_free(&s.image);
}

int main(int count, char **words)
{
#define ONE(name, few, many, power, each)                                                          \
    if (count > 2 && strcmp(words[1], #name) == 0) {                                               \
        run(prepare_##name, many_##name, (uint32_t)strtoul(words[2], NULL, 10), true);             \
        return 0;                                                                                  \
    }
    CASES(ONE)
    THING_CASES(ONE)
#define BOTH(name, few, many, power, each)                                                         \
    printf(#name " %d %d %d %d\n", few, many, power, each);                                        \
    run(prepare_##name, few_##name, few, false);                                                   \
    run(prepare_##name, many_##name, many, false);
    CASES(BOTH)
    THING_CASES(BOTH)
    return 0;
}
