// The cases of things: created, freed, found and stepped over, n at a time. growth.h has the list.
#include "growth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// A function of a case, and one that does what another does.
#define RUN(name) void run_##name(scene *s, uint32_t n)
#define PREPARE(name) void prepare_##name(scene *s, uint32_t n)
#define PREPARE_BY(name, other)                                                                    \
    PREPARE(name)                                                                                  \
    {                                                                                              \
        other(s, n);                                                                               \
    }
#define PREPARE_NOTHING(name)                                                                      \
    PREPARE(name)                                                                                  \
    {                                                                                              \
        (void)s;                                                                                   \
        (void)n;                                                                                   \
    }

#define OK(call) growth_require((call) == MICA_OK)

static const char *number_name(uint32_t i)
{
    static char name[16];
    snprintf(name, sizeof name, "n%" PRIu32, i);
    return name;
}

static void make_tables(scene *s, uint32_t n)
{
    growth_make_types(s, n, 4);
    s->handles = growth_get(n, sizeof(uint64_t));
}

static void make_pools(scene *s, uint32_t n)
{
    s->types = growth_get(n, sizeof *s->types);
    for (uint32_t i = 0; i < n; i++) {
        s->types[i] = mica_type_register(
            s->world, &(mica_type_desc){
                          .name = number_name(i), .size = 4, .align = 4, .storage = MICA_SPARSE});
    }
}

// Observers

static void do_nothing(const mica_observer_event *h)
{
    (void)h;
}

static void observe(scene *s, uint32_t i, mica_observer_desc desc)
{
    mica_observer *observers = s->handles;
    desc.call = do_nothing;
    observers[i] = mica_observer_new(s->world, &desc);
    growth_require(!MICA_IS_NONE(observers[i]));
}

PREPARE_BY(observe_type, make_tables)
RUN(observe_type)
{
    for (uint32_t i = 0; i < n; i++) {
        observe(s, i,
                (mica_observer_desc){.events = MICA_ON_ADD | MICA_ON_SET, .type = s->types[0]});
    }
}

PREPARE_BY(observe_types, make_tables)
RUN(observe_types)
{
    for (uint32_t i = 0; i < n; i++) {
        observe(s, i, (mica_observer_desc){.events = MICA_ON_ADD, .type = s->types[i]});
    }
}

PREPARE_BY(observe_query, make_tables)
RUN(observe_query)
{
    for (uint32_t i = 0; i < n; i++) {
        observe(s, i,
                (mica_observer_desc){
                    .events = MICA_ON_ENTER,
                    .query.terms = {{s->types[0], MICA_READ}, {s->types[1], MICA_READ}}});
    }
}

PREPARE_BY(observe_entities, make_tables)
RUN(observe_entities)
{
    for (uint32_t i = 0; i < n; i++) {
        observe(s, i, (mica_observer_desc){.events = MICA_ON_SPAWN});
    }
}

// What is there already is reported once each.
static void make_values(scene *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        growth_require(!MICA_IS_NONE(mica_spawn(s->world, MICA_ADD(s->types[0]))));
    }
    s->handles = growth_get(n, sizeof(mica_observer));
}

PREPARE(observe_existing)
{
    growth_make_types(s, 1, 4);
    make_values(s, n);
}
RUN(observe_existing)
{
    (void)n;
    observe(s, 0,
            (mica_observer_desc){.events = MICA_ON_ADD, .type = s->types[0], .existing = true});
}

PREPARE(observe_existing_sparse)
{
    make_pools(s, 1);
    make_values(s, n);
}
RUN(observe_existing_sparse)
{
    run_observe_existing(s, n);
}

PREPARE_BY(observe_existing_query, prepare_observe_existing)
RUN(observe_existing_query)
{
    (void)n;
    observe(s, 0,
            (mica_observer_desc){.events = MICA_ON_ENTER,
                                 .query.terms = {{s->types[0], MICA_READ}},
                                 .existing = true});
}

// Disabled observers cost nothing.
PREPARE(set_unheard)
{
    prepare_observe_existing(s, n);
    for (uint32_t i = 0; i < n; i++) {
        observe(s, i, (mica_observer_desc){.events = MICA_ON_SET, .type = s->types[0]});
        OK(mica_observer_disable(s->world, ((mica_observer *)s->handles)[i]));
    }
    s->entity = mica_spawn(s->world, MICA_ADD(s->types[0]));
}
RUN(set_unheard)
{
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_set_value(s->world, s->entity, s->types[0], &i, 4));
    }
}

static void prepare_observers(scene *s, uint32_t n)
{
    make_tables(s, n);
    run_observe_type(s, n);
}

static void free_observers(scene *s, uint32_t n)
{
    const mica_observer *observers = s->handles;
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_observer_free(s->world, observers[i]));
    }
}

PREPARE_BY(free_observers_of_type, prepare_observers)
RUN(free_observers_of_type)
{
    free_observers(s, n);
}

PREPARE(free_observers_of_query)
{
    make_tables(s, n);
    run_observe_query(s, n);
}
RUN(free_observers_of_query)
{
    free_observers(s, n);
}

PREPARE(free_observers_of_entities)
{
    make_tables(s, n);
    run_observe_entities(s, n);
}
RUN(free_observers_of_entities)
{
    free_observers(s, n);
}

PREPARE_BY(free_observers_newest_first, prepare_observers)
RUN(free_observers_newest_first)
{
    const mica_observer *observers = s->handles;
    for (uint32_t i = n; i-- > 0;) {
        OK(mica_observer_free(s->world, observers[i]));
    }
}

// The last that is notified frees all others; they go when the call that was observed ends.
static void free_all(const mica_observer_event *h)
{
    scene *s = h->user;
    mica_observer next = mica_observer_next(h->world, (mica_observer){0});
    while (!MICA_IS_NONE(next)) {
        mica_observer one = next;
        next = mica_observer_next(h->world, next);
        OK(mica_observer_free(s->world, one));
    }
}

PREPARE(free_observers_while_reported)
{
    prepare_observers(s, n);
    s->entity = mica_spawn_values(s->world, NULL, 0);
    mica_observer_new(s->world,
                      &(mica_observer_desc){
                          .events = MICA_ON_ADD, .type = s->types[0], .call = free_all, .user = s});
}
RUN(free_observers_while_reported)
{
    (void)n;
    OK(mica_add(s->world, s->entity, s->types[0]));
}

PREPARE_BY(observer_next, prepare_observers)
RUN(observer_next)
{
    mica_observer one = (mica_observer){0};
    for (uint32_t i = 0; i < n; i++) {
        one = mica_observer_next(s->world, one);
    }
    growth_require(MICA_IS_NONE(mica_observer_next(s->world, one)));
}

PREPARE_BY(observer_inspect, prepare_observers)
RUN(observer_inspect)
{
    const mica_observer *observers = s->handles;
    mica_observer_info info;
    for (uint32_t i = 0; i < n; i++) {
        growth_require(mica_observer_get_info(s->world, observers[i], &info));
    }
}

// Of all sorts, with numbers that are free among them.
PREPARE(validate_observers)
{
    make_tables(s, n);
    run_observe_entities(s, n);
    free_observers(s, n);
    run_observe_type(s, n / 2);
    for (uint32_t i = 0; i < n / 4; i++) {
        observe(s, i,
                (mica_observer_desc){.events = MICA_ON_ENTER,
                                     .query.terms = {{s->types[i], MICA_READ}}});
    }
}
RUN(validate_observers)
{
    (void)n;
    OK(mica_world_validate(s->world));
}

// Queries

static void make_queries(scene *s, uint32_t n)
{
    mica_query *queries = s->handles = growth_get(n, sizeof *queries);
    for (uint32_t i = 0; i < n; i++) {
        queries[i] = mica_query_new(
            s->world, &(mica_query_desc){.terms = {{s->types[0], MICA_READ}}, .no_facets = i % 2});
        growth_require(!MICA_IS_NONE(queries[i]));
    }
}

static void make_one_type(scene *s, uint32_t n)
{
    (void)n;
    growth_make_types(s, 1, 4);
}

static void prepare_queries(scene *s, uint32_t n)
{
    make_one_type(s, n);
    make_queries(s, n);
}

PREPARE_BY(query_new, make_one_type)
RUN(query_new)
{
    make_queries(s, n);
}

PREPARE_BY(query_free, prepare_queries)
RUN(query_free)
{
    const mica_query *queries = s->handles;
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_query_free(s->world, queries[i]));
    }
}

PREPARE_BY(query_free_newest_first, prepare_queries)
RUN(query_free_newest_first)
{
    const mica_query *queries = s->handles;
    for (uint32_t i = n; i-- > 0;) {
        OK(mica_query_free(s->world, queries[i]));
    }
}

PREPARE_BY(query_next, prepare_queries)
RUN(query_next)
{
    mica_query one = (mica_query){0};
    for (uint32_t i = 0; i < n; i++) {
        one = mica_query_next(s->world, one);
    }
    growth_require(MICA_IS_NONE(mica_query_next(s->world, one)));
}

PREPARE_BY(query_inspect, prepare_queries)
RUN(query_inspect)
{
    const mica_query *queries = s->handles;
    mica_query_info info;
    for (uint32_t i = 0; i < n; i++) {
        growth_require(mica_query_get_info(s->world, queries[i], &info));
    }
}

PREPARE(query_free_among_observers)
{
    prepare_queries(s, n);
    for (uint32_t i = 0; i < n; i++) {
        mica_observer_new(s->world, &(mica_observer_desc){.events = MICA_ON_ENTER,
                                                          .query.terms = {{s->types[0], MICA_READ}},
                                                          .call = do_nothing});
    }
}
RUN(query_free_among_observers)
{
    run_query_free(s, n);
}

// Groups and bundles

static void make_groups(scene *s, uint32_t n)
{
    mica_group *groups = s->handles = growth_get(n, sizeof *groups);
    for (uint32_t i = 0; i < n; i++) {
        groups[i] = mica_group_new(
            s->world, &(mica_group_desc){.owned = {s->types[2 * i], s->types[2 * i + 1]}});
        growth_require(!MICA_IS_NONE(groups[i]));
    }
}

static void make_twice_as_many_pools(scene *s, uint32_t n)
{
    make_pools(s, 2 * n);
}

static void prepare_groups(scene *s, uint32_t n)
{
    make_twice_as_many_pools(s, n);
    make_groups(s, n);
}

PREPARE_BY(group_new, make_twice_as_many_pools)
RUN(group_new)
{
    make_groups(s, n);
}

PREPARE_BY(group_free, prepare_groups)
RUN(group_free)
{
    const mica_group *groups = s->handles;
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_group_free(s->world, groups[i]));
    }
}

PREPARE_BY(group_next, prepare_groups)
RUN(group_next)
{
    mica_group one = (mica_group){0};
    for (uint32_t i = 0; i < n; i++) {
        one = mica_group_next(s->world, one);
    }
    growth_require(MICA_IS_NONE(mica_group_next(s->world, one)));
}

static void make_bundles(scene *s, uint32_t n)
{
    mica_bundle *bundles = s->handles = growth_get(n, sizeof *bundles);
    for (uint32_t i = 0; i < n; i++) {
        bundles[i] = mica_bundle_new(s->world, s->types, 1);
        growth_require(!MICA_IS_NONE(bundles[i]));
    }
}

PREPARE_BY(bundle_new, make_one_type)
RUN(bundle_new)
{
    make_bundles(s, n);
}

PREPARE(bundle_free)
{
    make_one_type(s, n);
    make_bundles(s, n);
}
RUN(bundle_free)
{
    const mica_bundle *bundles = s->handles;
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_bundle_free(s->world, bundles[i]));
    }
}

// Systems

static void update(mica_iter *it)
{
    (void)it;
}

static void make_systems(scene *s, uint32_t n, mica_phase phase)
{
    mica_system *systems = s->handles = growth_get(n, sizeof *systems);
    for (uint32_t i = 0; i < n; i++) {
        systems[i] = mica_system_add(
            s->world,
            &(mica_system_desc){.name = number_name(i), .update = update, .phase = phase});
        growth_require(!MICA_IS_NONE(systems[i]));
    }
}

static void prepare_systems(scene *s, uint32_t n)
{
    make_systems(s, n, (mica_phase){0});
}

PREPARE_NOTHING(system_add)
RUN(system_add)
{
    prepare_systems(s, n);
}

// Systems of a later phase are there.
PREPARE(system_add_to_first_phase)
{
    mica_phase last = mica_phase_add(s->world, &(mica_phase_desc){.name = "last"});
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "last%" PRIu32, i);
        mica_system_add(s->world,
                        &(mica_system_desc){.name = name, .update = update, .phase = last});
    }
}
RUN(system_add_to_first_phase)
{
    prepare_systems(s, n);
}

PREPARE_BY(system_remove, prepare_systems)
RUN(system_remove)
{
    const mica_system *systems = s->handles;
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_system_remove(s->world, systems[i]));
    }
}

PREPARE_BY(system_remove_newest_first, prepare_systems)
RUN(system_remove_newest_first)
{
    const mica_system *systems = s->handles;
    for (uint32_t i = n; i-- > 0;) {
        OK(mica_system_remove(s->world, systems[i]));
    }
}

PREPARE_BY(system_next, prepare_systems)
RUN(system_next)
{
    mica_system one = (mica_system){0};
    for (uint32_t i = 0; i < n; i++) {
        one = mica_system_next(s->world, one);
    }
    growth_require(MICA_IS_NONE(mica_system_next(s->world, one)));
}

PREPARE_BY(system_find, prepare_systems)
RUN(system_find)
{
    for (uint32_t i = 0; i < n; i++) {
        growth_require(!MICA_IS_NONE(mica_system_find(s->world, number_name(i))));
    }
}

PREPARE_BY(system_inspect, prepare_systems)
RUN(system_inspect)
{
    const mica_system *systems = s->handles;
    mica_system_info info;
    for (uint32_t i = 0; i < n; i++) {
        growth_require(mica_system_get_info(s->world, systems[i], &info));
    }
}

PREPARE_BY(system_switch, prepare_systems)
RUN(system_switch)
{
    const mica_system *systems = s->handles;
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_system_disable(s->world, systems[i]));
        OK(mica_system_enable(s->world, systems[i]));
    }
}

// The systems' own queries.
PREPARE(query_system)
{
    growth_make_types(s, 1, 4);
    mica_query *queries = s->handles = growth_get(n, sizeof *queries);
    for (uint32_t i = 0; i < n; i++) {
        mica_system system = mica_system_add(
            s->world, &(mica_system_desc){.name = number_name(i),
                                          .update = update,
                                          .query.terms = {{s->types[0], MICA_READ}}});
        mica_system_info info;
        growth_require(mica_system_get_info(s->world, system, &info));
        queries[i] = info.query;
    }
}
RUN(query_system)
{
    const mica_query *queries = s->handles;
    for (uint32_t i = 0; i < n; i++) {
        mica_query_info info;
        growth_require(mica_query_get_info(s->world, queries[i], &info));
        growth_require(!MICA_IS_NONE(info.system));
    }
}

PREPARE_BY(system_move_to_end, prepare_systems)
RUN(system_move_to_end)
{
    const mica_system *systems = s->handles;
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_system_move(s->world, systems[i], (mica_phase){0}, (mica_system){0}));
    }
}

PREPARE(query_free_among_systems)
{
    prepare_systems(s, n);
    free(s->handles);
    prepare_queries(s, n);
}
RUN(query_free_among_systems)
{
    run_query_free(s, n);
}

// Phases

static void make_phases(scene *s, uint32_t n, mica_phase before)
{
    mica_phase *phases = s->handles = growth_get(n, sizeof *phases);
    for (uint32_t i = 0; i < n; i++) {
        phases[i] =
            mica_phase_add(s->world, &(mica_phase_desc){.name = number_name(i), .before = before});
        growth_require(!MICA_IS_NONE(phases[i]));
    }
}

static void prepare_phases(scene *s, uint32_t n)
{
    make_phases(s, n, (mica_phase){0});
}

PREPARE_NOTHING(phase_add)
RUN(phase_add)
{
    prepare_phases(s, n);
}

PREPARE_NOTHING(phase_add_first)
RUN(phase_add_first)
{
    make_phases(s, n, mica_phase_find(s->world, "update"));
}

PREPARE_BY(phase_remove, prepare_phases)
RUN(phase_remove)
{
    const mica_phase *phases = s->handles;
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_phase_remove(s->world, phases[i]));
    }
}

PREPARE_BY(phase_next, prepare_phases)
RUN(phase_next)
{
    mica_phase one = (mica_phase){0};
    for (uint32_t i = 0; i < n + 1; i++) {
        one = mica_phase_next(s->world, one);
    }
    growth_require(MICA_IS_NONE(mica_phase_next(s->world, one)));
}

PREPARE_BY(phase_find, prepare_phases)
RUN(phase_find)
{
    for (uint32_t i = 0; i < n; i++) {
        growth_require(!MICA_IS_NONE(mica_phase_find(s->world, number_name(i))));
    }
}

PREPARE_BY(phase_inspect, prepare_phases)
RUN(phase_inspect)
{
    const mica_phase *phases = s->handles;
    mica_phase_info info;
    for (uint32_t i = 0; i < n; i++) {
        growth_require(mica_phase_get_info(s->world, phases[i], &info));
    }
}

PREPARE_BY(phase_move_to_end, prepare_phases)
RUN(phase_move_to_end)
{
    const mica_phase *phases = s->handles;
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_phase_move(s->world, phases[i], (mica_phase){0}));
    }
}

// A system for each phase, the first phase first.
PREPARE_BY(phase_fill, prepare_phases)
RUN(phase_fill)
{
    const mica_phase *phases = s->handles;
    for (uint32_t i = 0; i < n; i++) {
        growth_require(!MICA_IS_NONE(mica_system_add(
            s->world,
            &(mica_system_desc){.name = number_name(i), .update = update, .phase = phases[i]})));
    }
}

// Buffers of commands

static void make_buffers(scene *s, uint32_t n)
{
    s->buffers = growth_get(n, sizeof *s->buffers);
    for (uint32_t i = 0; i < n; i++) {
        s->buffers[i] = mica_commands_new(s->world);
        growth_require(s->buffers[i] != NULL);
    }
}

PREPARE_NOTHING(commands_new)
RUN(commands_new)
{
    make_buffers(s, n);
}

PREPARE_BY(commands_free, make_buffers)
RUN(commands_free)
{
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_commands_free(s->buffers[i]));
    }
}

PREPARE_BY(commands_free_newest_first, make_buffers)
RUN(commands_free_newest_first)
{
    for (uint32_t i = n; i-- > 0;) {
        OK(mica_commands_free(s->buffers[i]));
    }
}

PREPARE_BY(validate_commands, make_buffers)
RUN(validate_commands)
{
    (void)n;
    OK(mica_world_validate(s->world));
}

// Names and facets

static void make_entities(scene *s, uint32_t n)
{
    s->entities = growth_get(n, sizeof *s->entities);
    for (uint32_t i = 0; i < n; i++) {
        s->entities[i] = mica_spawn_values(s->world, NULL, 0);
    }
}

PREPARE_BY(name_set, make_entities)
RUN(name_set)
{
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_entity_set_name(s->world, s->entities[i], number_name(i)));
    }
}

static void prepare_names(scene *s, uint32_t n)
{
    make_entities(s, n);
    run_name_set(s, n);
}

PREPARE_BY(name_find, prepare_names)
RUN(name_find)
{
    for (uint32_t i = 0; i < n; i++) {
        growth_require(!MICA_IS_NONE(mica_entity_find(s->world, number_name(i))));
        growth_require(mica_entity_name(s->world, s->entities[i]) != NULL);
    }
}

PREPARE_BY(name_remove, prepare_names)
RUN(name_remove)
{
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_entity_set_name(s->world, s->entities[i], NULL));
    }
}

static void make_owner(scene *s, uint32_t n)
{
    s->entities = growth_get(n, sizeof *s->entities);
    s->entity = mica_spawn_values(s->world, NULL, 0);
}

PREPARE_BY(facet_add, make_owner)
RUN(facet_add)
{
    for (uint32_t i = 0; i < n; i++) {
        s->entities[i] = mica_facet_add_values(s->world, s->entity, (mica_type){0}, i + 1, NULL, 0);
        growth_require(!MICA_IS_NONE(s->entities[i]));
    }
}

static void prepare_facets(scene *s, uint32_t n)
{
    make_owner(s, n);
    run_facet_add(s, n);
}

PREPARE_BY(facet_find, prepare_facets)
RUN(facet_find)
{
    for (uint32_t i = 0; i < n; i++) {
        growth_require(!MICA_IS_NONE(mica_facet_find(s->world, s->entity, (mica_type){0}, i + 1)));
    }
}

PREPARE_BY(facet_next, prepare_facets)
RUN(facet_next)
{
    mica_entity one = (mica_entity){0};
    for (uint32_t i = 0; i < n; i++) {
        one = mica_facet_next(s->world, s->entity, one);
    }
    growth_require(MICA_IS_NONE(mica_facet_next(s->world, s->entity, one)));
}

static void despawn_entities(scene *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_despawn(s->world, s->entities[i]));
    }
}

PREPARE_BY(facet_despawn, prepare_facets)
RUN(facet_despawn)
{
    despawn_entities(s, n);
}

PREPARE_BY(facet_despawn_newest_first, prepare_facets)
RUN(facet_despawn_newest_first)
{
    for (uint32_t i = n; i-- > 0;) {
        OK(mica_despawn(s->world, s->entities[i]));
    }
}

// Resources

static void make_resource_values(scene *s, uint32_t n)
{
    growth_make_types(s, n, 4);
    s->values = growth_get(n, sizeof *s->values);
    for (uint32_t i = 0; i < n; i++) {
        s->values[i] = MICA_ADD(s->types[i]);
    }
}

PREPARE_BY(resource_set_one_by_one, make_resource_values)
RUN(resource_set_one_by_one)
{
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_resource_set_values(s->world, &s->values[i], 1));
    }
}

PREPARE_BY(resource_set_at_once, make_resource_values)
RUN(resource_set_at_once)
{
    OK(mica_resource_set_values(s->world, s->values, n));
}

static void prepare_resources(scene *s, uint32_t n)
{
    make_resource_values(s, n);
    run_resource_set_one_by_one(s, n);
}

PREPARE_BY(resource_next, prepare_resources)
RUN(resource_next)
{
    mica_type one = (mica_type){0};
    for (uint32_t i = 0; i < n; i++) {
        one = mica_resource_next(s->world, one);
    }
    growth_require(MICA_IS_NONE(mica_resource_next(s->world, one)));
}

PREPARE_BY(resource_remove, prepare_resources)
RUN(resource_remove)
{
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_resource_remove(s->world, s->types[i]));
    }
}

// Queues of events

PREPARE_BY(queue_new, make_resource_values)
RUN(queue_new)
{
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_send_values(s->world, &s->values[i], 1));
    }
}

static void prepare_queues(scene *s, uint32_t n)
{
    make_resource_values(s, n);
    run_queue_new(s, n);
}

PREPARE_BY(queue_read, prepare_queues)
RUN(queue_read)
{
    for (uint32_t i = 0; i < n; i++) {
        mica_cursor cursor = {0};
        uint32_t count;
        growth_require(mica_events(s->world, s->types[i], &cursor, &count) != NULL);
    }
}

PREPARE_BY(queue_inspect, prepare_queues)
RUN(queue_inspect)
{
    mica_event_info info;
    for (uint32_t i = 0; i < n; i++) {
        growth_require(mica_event_get_info(s->world, s->types[i], &info));
    }
}

// Accessors and iterations

PREPARE(accessor_new)
{
    growth_make_types(s, n, 4);
    s->entity = mica_spawn_values(s->world, NULL, 0);
}
RUN(accessor_new)
{
    for (uint32_t i = 0; i < n; i++) {
        mica_accessor accessor = mica_accessor_new(s->world, s->types[i]);
        growth_require(mica_accessor_get(&accessor, s->entity) == NULL);
    }
}

static void make_everything(scene *s, uint32_t n)
{
    mica_spawn_values(s->world, NULL, 0);
    s->query = mica_query_new(s->world, &(mica_query_desc){.everything = true});
    s->iterations = growth_get(n, sizeof *s->iterations);
}

PREPARE_BY(begin_iterations, make_everything)
RUN(begin_iterations)
{
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_iter_begin(s->world, s->query, &s->iterations[i]));
    }
}

PREPARE(end_newest_first)
{
    make_everything(s, n);
    run_begin_iterations(s, n);
}
RUN(end_newest_first)
{
    for (uint32_t i = n; i-- > 0;) {
        OK(mica_iter_end(&s->iterations[i]));
    }
}

// Types, pools and tables

PREPARE_NOTHING(type_register)
RUN(type_register)
{
    growth_make_types(s, n, 4);
}

static void prepare_types(scene *s, uint32_t n)
{
    growth_make_types(s, n, 4);
}

PREPARE_BY(type_find, prepare_types)
RUN(type_find)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%" PRIu32, i);
        growth_require(!MICA_IS_NONE(mica_type_find(s->world, name)));
        growth_require(mica_type_get_info(s->world, s->types[i]) != NULL);
    }
}

PREPARE_BY(type_next, prepare_types)
RUN(type_next)
{
    mica_type one = (mica_type){0};
    for (uint32_t i = 0; i < n; i++) {
        one = mica_type_next(s->world, one);
    }
    growth_require(MICA_IS_NONE(mica_type_next(s->world, one)));
}

PREPARE(pool_new)
{
    make_pools(s, n);
    s->entity = mica_spawn_values(s->world, NULL, 0);
}
RUN(pool_new)
{
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_add(s->world, s->entity, s->types[i]));
    }
}

PREPARE(pool_inspect)
{
    prepare_pool_new(s, n);
    run_pool_new(s, n);
}
RUN(pool_inspect)
{
    mica_pool_info info;
    for (uint32_t i = 0; i < n; i++) {
        growth_require(mica_pool_get_info(s->world, s->types[i], &info));
    }
}

static void make_empty_tables(scene *s, uint32_t n)
{
    growth_make_types(s, n, 4);
    s->entity = mica_spawn_values(s->world, NULL, 0);
    for (uint32_t i = 0; i < n; i++) {
        OK(mica_add(s->world, s->entity, s->types[i]));
        OK(mica_remove(s->world, s->entity, s->types[i]));
    }
}

PREPARE_BY(table_inspect, make_empty_tables)
RUN(table_inspect)
{
    mica_table_info info;
    for (uint32_t i = 0; i < n; i++) {
        growth_require(mica_table_get_info(s->world, i, &info));
    }
}

PREPARE_BY(table_reclaim, make_empty_tables)
RUN(table_reclaim)
{
    (void)n;
    OK(mica_world_reclaim(s->world));
}

// Entities

PREPARE_BY(entity_next, make_entities)
RUN(entity_next)
{
    mica_entity one = (mica_entity){0};
    for (uint32_t i = 0; i < n; i++) {
        one = mica_entity_next(s->world, one);
    }
    growth_require(MICA_IS_NONE(mica_entity_next(s->world, one)));
}

PREPARE_BY(entity_despawn, make_entities)
RUN(entity_despawn)
{
    despawn_entities(s, n);
}
