// What growth.c and growth_things.c share: a world with what a case needs, and the cases of things.
#ifndef GATE_GROWTH_H
#define GATE_GROWTH_H

#include <mica.h>

typedef struct scene {
    mica_world *world;
    mica_entity entity;
    mica_entity *entities;
    mica_type *types;
    mica_value *values;
    mica_query query;
    mica_iter *iterations;
    void *handles;        // of the things a case is about
    mica_world **buffers; // of commands
    mica_buffer image;
    mica_load_desc how;
    mica_alias *aliases;
    char (*names)[4][32];
} scene;

// Ends the program unless this is right.
void growth_require(bool right);

// Zeroed memory.
void *growth_get(size_t count, size_t size);

// The types t0, t1 and so on, in scene.types.
void growth_make_types(scene *s, uint32_t n, uint32_t size);

// Every public call that creates, frees, removes, finds or steps over a thing of a kind, done to n of them. A
// whole that grows with n squared is a call that takes time in proportion to the number of things. Where the
// header says so, the power is 2, with the reason beside it.
#define THING_CASES(X)                                                                             \
    X(observe_type, 500, 4000, 1, 0)                                                               \
    X(observe_types, 500, 4000, 1, 0)                                                              \
    X(observe_existing, 500, 4000, 1, 900)                                                         \
    X(observe_existing_sparse, 500, 4000, 1, 900)                                                  \
    X(observe_existing_query, 500, 4000, 1, 900)                                                   \
    X(set_unheard, 500, 4000, 1, 200)                                                              \
    X(observe_query, 500, 4000, 1, 0)                                                              \
    X(observe_entities, 500, 4000, 1, 0)                                                           \
    X(free_observers_of_type, 500, 4000, 1, 0)                                                     \
    X(free_observers_of_query, 500, 4000, 1, 0)                                                    \
    X(free_observers_of_entities, 500, 4000, 1, 0)                                                 \
    X(free_observers_newest_first, 500, 4000, 1, 0)                                                \
    X(free_observers_while_reported, 500, 4000, 1, 0)                                              \
    X(observer_next, 500, 4000, 1, 0)                                                              \
    X(observer_inspect, 500, 4000, 1, 0)                                                           \
    X(validate_observers, 500, 4000, 1, 0)                                                         \
    X(query_new, 500, 4000, 1, 0)                                                                  \
    X(query_free, 500, 4000, 1, 0)                                                                 \
    X(query_free_newest_first, 500, 4000, 1, 0)                                                    \
    X(query_next, 500, 4000, 1, 0)                                                                 \
    X(query_inspect, 500, 4000, 1, 0)                                                              \
    X(query_free_among_observers, 500, 4000, 1, 0)                                                 \
    X(query_free_among_systems, 500, 4000, 1, 0)                                                   \
    X(group_new, 500, 4000, 1, 0)                                                                  \
    X(group_free, 500, 4000, 1, 0)                                                                 \
    X(group_next, 500, 4000, 1, 0)                                                                 \
    X(bundle_new, 500, 4000, 1, 0)                                                                 \
    X(bundle_free, 500, 4000, 1, 0)                                                                \
    X(system_add, 500, 4000, 1, 0)                                                                 \
    X(system_add_to_first_phase, 500, 4000, 1, 0)                                                  \
    X(system_remove, 500, 4000, 1, 0)                                                              \
    X(system_remove_newest_first, 500, 4000, 1, 0)                                                 \
    X(system_next, 500, 4000, 1, 0)                                                                \
    X(system_find, 500, 4000, 1, 0)                                                                \
    X(system_inspect, 500, 4000, 1, 0)                                                             \
    X(system_switch, 500, 4000, 1, 0)                                                              \
    X(system_move_to_end, 125, 1000, 2, 0) /* every system may name it */                          \
    X(phase_add, 500, 4000, 1, 0)                                                                  \
    X(phase_add_first, 500, 4000, 1, 0)                                                            \
    X(phase_remove, 125, 1000, 2, 0) /* later phases get other places */                           \
    X(phase_next, 500, 4000, 1, 0)                                                                 \
    X(phase_find, 500, 4000, 1, 0)                                                                 \
    X(phase_inspect, 500, 4000, 1, 0)                                                              \
    X(phase_move_to_end, 125, 1000, 2, 0) /* later phases get other places */                      \
    X(phase_fill, 500, 4000, 1, 0)                                                                 \
    X(commands_new, 500, 4000, 1, 0)                                                               \
    X(commands_free, 500, 4000, 1, 0)                                                              \
    X(commands_free_newest_first, 500, 4000, 1, 0)                                                 \
    X(validate_commands, 500, 4000, 1, 0)                                                          \
    X(name_set, 500, 4000, 1, 0)                                                                   \
    X(name_find, 500, 4000, 1, 0)                                                                  \
    X(name_remove, 500, 4000, 1, 0)                                                                \
    X(facet_add, 500, 4000, 1, 0)                                                                  \
    X(facet_find, 500, 4000, 1, 0)                                                                 \
    X(facet_next, 500, 4000, 1, 0)                                                                 \
    X(facet_despawn, 500, 4000, 1, 0)                                                              \
    X(facet_despawn_newest_first, 500, 4000, 1, 0)                                                 \
    X(resource_set_one_by_one, 500, 4000, 1, 0)                                                    \
    X(resource_set_at_once, 500, 4000, 1, 0)                                                       \
    X(resource_next, 500, 4000, 1, 0)                                                              \
    X(resource_remove, 500, 4000, 1, 0)                                                            \
    X(queue_new, 500, 4000, 1, 0)                                                                  \
    X(queue_read, 500, 4000, 1, 0)                                                                 \
    X(queue_inspect, 500, 4000, 1, 0)                                                              \
    X(accessor_new, 500, 4000, 1, 0)                                                               \
    X(begin_iterations, 125, 1000, 2, 0) /* an iterator may be one of those that are open */       \
    X(query_system, 125, 1000, 2, 0)     /* a query does not know its system */                    \
    X(end_newest_first, 500, 4000, 1, 0)                                                           \
    X(type_register, 500, 4000, 1, 0)                                                              \
    X(type_find, 500, 4000, 1, 0)                                                                  \
    X(type_next, 500, 4000, 1, 0)                                                                  \
    X(pool_new, 500, 4000, 1, 0)                                                                   \
    X(pool_inspect, 500, 4000, 1, 0)                                                               \
    X(table_inspect, 250, 2000, 1, 0)                                                              \
    X(table_reclaim, 250, 2000, 1, 0)                                                              \
    X(entity_next, 1000, 8000, 1, 0)                                                               \
    X(entity_despawn, 1000, 8000, 1, 0)

#define GROWTH_DECLARE(name, few, many, power, each)                                               \
    void prepare_##name(scene *s, uint32_t n);                                                     \
    void run_##name(scene *s, uint32_t n);
THING_CASES(GROWTH_DECLARE)

#endif
