// Relations: n children of one parent, or a tree in which each has eight.
//
//   link_children     one after the other
//   link_move         to a second parent, children shuffled
//   link_remove       children shuffled
//   link_list         the children of one parent, in order
//   tree_walk         everything below the root, parents first
//   tree_destroy      the root is despawned, and all goes with it
//
// The limit is an array of parents, and the children of each as a list that is linked in both directions. It checks
// nothing, and finds no cycles.
#include <mica/relation.h>
#include <mica/world.h>

#include "harness.h"
#include "kernels.h"
#include "plain.h"
#include "scenarios.h"

enum { FAN_OUT = 8 };

static uint32_t *shuffle_children(uint32_t count)
{
    uint32_t *order = bench_alloc_touched(count * sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    shuffle(order, count);
    return order;
}

// mica

typedef struct mica_state {
    mica_world *world;
    mica_relation child_of;
    mica_entity first, second; // parents
    mica_entity *entities;
    mica_entity *found;
    uint32_t *order;
    uint32_t count;
    uint64_t sum; // of the last run
} mica_state;

static void *unlinked_mica_setup(const bench_case *what)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    mica_state *s = bench_alloc_touched(sizeof *s);
    *s = (mica_state){.world = world,
                      .entities = bench_alloc_touched(what->n * sizeof(mica_entity)),
                      .found = bench_alloc_touched(what->n * sizeof(mica_entity)),
                      .order = shuffle_children(what->n),
                      .count = what->n};
    s->child_of =
        mica_relation_add(world, &(mica_relation_desc){.name = "ChildOf", .cleanup = MICA_CASCADE});
    s->first = mica_spawn_values(world, NULL, 0);
    s->second = mica_spawn_values(world, NULL, 0);
    for (uint32_t i = 0; i < what->n; i++) {
        s->entities[i] = mica_spawn_values(world, NULL, 0);
    }
    return s;
}

static void link_mica_run(void *state)
{
    mica_state *s = state;
    for (uint32_t i = 0; i < s->count; i++) {
        mica_link(s->world, s->entities[i], s->child_of, s->first);
    }
}

static void *mica_setup(const bench_case *what)
{
    mica_state *s = unlinked_mica_setup(what);
    if (s != NULL) {
        link_mica_run(s);
    }
    return s;
}

static void *tree_mica_setup(const bench_case *what)
{
    mica_state *s = unlinked_mica_setup(what);
    for (uint32_t i = 0; s != NULL && i < s->count; i++) {
        mica_entity parent = i == 0 ? s->first : s->entities[(i - 1) / FAN_OUT];
        mica_link(s->world, s->entities[i], s->child_of, parent);
    }
    return s;
}

static void move_mica_run(void *state)
{
    mica_state *s = state;
    for (uint32_t i = 0; i < s->count; i++) {
        mica_link(s->world, s->entities[s->order[i]], s->child_of, s->second);
    }
}

static void remove_mica_run(void *state)
{
    mica_state *s = state;
    for (uint32_t i = 0; i < s->count; i++) {
        mica_unlink(s->world, s->entities[s->order[i]], s->child_of, (mica_entity){0});
    }
}

static void list_mica_run(void *state)
{
    mica_state *s = state;
    s->sum = mica_sources(s->world, s->first, s->child_of, 0, s->found, s->count);
}

static void walk_mica_run(void *state)
{
    mica_state *s = state;
    uint64_t seen = 0;
    mica_descent below = mica_descend(s->world, s->first, s->child_of);
    for (mica_entity e; (e = mica_descent_next(&below)).bits;) {
        seen += e.bits != 0;
    }
    s->sum = seen;
}

static void destroy_mica_run(void *state)
{
    mica_state *s = state;
    mica_despawn(s->world, s->first);
}

static uint64_t mica_check(void *state)
{
    const mica_state *s = state;
    uint64_t sum = s->sum;
    for (uint32_t i = 0; i < s->count; i++) {
        bool alive = mica_alive(s->world, s->entities[i]);
        mica_entity parent =
            alive ? mica_target(s->world, s->entities[i], s->child_of) : (mica_entity){0};
        sum += !alive                          ? 1
               : MICA_EQUAL(parent, s->first)  ? mix(i)
               : MICA_EQUAL(parent, s->second) ? mix(i) * 2
               : MICA_IS_NONE(parent)          ? 3
                                               : 5;
    }
    return sum;
}

static void mica_teardown(void *state)
{
    mica_state *s = state;
    mica_world_free(s->world);
    bench_free(s->entities);
    bench_free(s->found);
    bench_free(s->order);
    bench_free(s);
}

// limit: entities, then the two parents

enum { NONE = -1, DEAD = -2 };

typedef struct limit_node {
    int32_t parent, next, previous, first, last;
} limit_node;

typedef struct limit_state {
    limit_node *nodes;
    uint32_t *order;
    uint32_t *found;
    uint32_t count;
    uint64_t sum;
} limit_state;

static void leave(limit_node *nodes, int32_t child)
{
    limit_node *one = &nodes[child];
    limit_node *parent = &nodes[one->parent];
    *(one->previous == NONE ? &parent->first : &nodes[one->previous].next) = one->next;
    *(one->next == NONE ? &parent->last : &nodes[one->next].previous) = one->previous;
    one->parent = NONE;
}

static void join(limit_node *nodes, int32_t child, int32_t parent)
{
    limit_node *to = &nodes[parent];
    nodes[child].parent = parent;
    nodes[child].previous = to->last;
    nodes[child].next = NONE;
    *(to->last == NONE ? &to->first : &nodes[to->last].next) = child;
    to->last = child;
}

static void *unlinked_limit_setup(const bench_case *what)
{
    limit_state *s = bench_alloc_touched(sizeof *s);
    *s = (limit_state){.nodes = bench_alloc_touched((what->n + 2) * sizeof(limit_node)),
                       .found = bench_alloc_touched(what->n * sizeof(uint32_t)),
                       .order = shuffle_children(what->n),
                       .count = what->n};
    for (uint32_t i = 0; i < what->n + 2; i++) {
        s->nodes[i] = (limit_node){NONE, NONE, NONE, NONE, NONE};
    }
    return s;
}

static void link_limit_run(void *state)
{
    limit_state *s = state;
    for (uint32_t i = 0; i < s->count; i++) {
        join(s->nodes, (int32_t)i, (int32_t)s->count);
    }
}

static void *limit_setup(const bench_case *what)
{
    limit_state *s = unlinked_limit_setup(what);
    link_limit_run(s);
    return s;
}

static void *tree_limit_setup(const bench_case *what)
{
    limit_state *s = unlinked_limit_setup(what);
    for (uint32_t i = 0; i < s->count; i++) {
        join(s->nodes, (int32_t)i, (int32_t)(i == 0 ? s->count : (i - 1) / FAN_OUT));
    }
    return s;
}

static void move_limit_run(void *state)
{
    limit_state *s = state;
    for (uint32_t i = 0; i < s->count; i++) {
        leave(s->nodes, (int32_t)s->order[i]);
        join(s->nodes, (int32_t)s->order[i], (int32_t)s->count + 1);
    }
}

static void remove_limit_run(void *state)
{
    limit_state *s = state;
    for (uint32_t i = 0; i < s->count; i++) {
        leave(s->nodes, (int32_t)s->order[i]);
    }
}

static void list_limit_run(void *state)
{
    limit_state *s = state;
    uint32_t found = 0;
    for (int32_t at = s->nodes[s->count].first; at != NONE; at = s->nodes[at].next) {
        s->found[found++] = (uint32_t)at;
    }
    s->sum = found;
}

// Returns the next node below the root, or NONE.
static int32_t next_below(const limit_node *nodes, int32_t root, int32_t at)
{
    if (nodes[at].first != NONE) {
        return nodes[at].first;
    }
    while (at != root && nodes[at].next == NONE) {
        at = nodes[at].parent;
    }
    return at == root ? NONE : nodes[at].next;
}

static void walk_limit_run(void *state)
{
    limit_state *s = state;
    int32_t root = (int32_t)s->count;
    uint64_t seen = 0;
    for (int32_t at = next_below(s->nodes, root, root); at != NONE;
         at = next_below(s->nodes, root, at)) {
        seen++;
    }
    s->sum = seen;
}

static void destroy_limit_run(void *state)
{
    limit_state *s = state;
    int32_t root = (int32_t)s->count;
    uint32_t found = 0;
    for (int32_t at = next_below(s->nodes, root, root); at != NONE;
         at = next_below(s->nodes, root, at)) {
        s->found[found++] = (uint32_t)at;
    }
    while (found > 0) {
        s->nodes[s->found[--found]].parent = DEAD;
    }
}

static uint64_t limit_check(void *state)
{
    const limit_state *s = state;
    uint64_t sum = s->sum;
    for (uint32_t i = 0; i < s->count; i++) {
        int32_t parent = s->nodes[i].parent;
        sum += parent == DEAD                    ? 1
               : parent == (int32_t)s->count     ? mix(i)
               : parent == (int32_t)s->count + 1 ? mix(i) * 2
               : parent == NONE                  ? 3
                                                 : 5;
    }
    return sum;
}

static void limit_teardown(void *state)
{
    limit_state *s = state;
    bench_free(s->nodes);
    bench_free(s->found);
    bench_free(s->order);
    bench_free(s);
}

#define SIDES(setup_name, run_name)                                                                \
    {                                                                                              \
        [BENCH_MICA] = {.setup = setup_name##mica_setup,                                           \
                        .run = run_name##_mica_run,                                                \
                        .check = mica_check,                                                       \
                        .teardown = mica_teardown},                                                \
        [BENCH_LIMIT] = {.setup = setup_name##limit_setup,                                         \
                         .run = run_name##_limit_run,                                              \
                         .check = limit_check,                                                     \
                         .teardown = limit_teardown},                                              \
    }

static const bench_scenario scenarios[] = {
    {.name = "link_children",
     .text = "children of one parent",
     .fresh = true,
     .sides = SIDES(unlinked_, link)},
    {.name = "link_move",
     .text = "to another parent, children shuffled",
     .fresh = true,
     .sides = SIDES(, move)},
    {.name = "link_remove",
     .text = "from one parent, children shuffled",
     .fresh = true,
     .sides = SIDES(, remove)},
    {.name = "link_list", .text = "the children of one parent, in order", .sides = SIDES(, list)},
    {.name = "tree_walk",
     .text = "everything below a root, parents first",
     .sides = SIDES(tree_, walk)},
    {.name = "tree_destroy",
     .text = "a root with everything below it",
     .fresh = true,
     .sides = SIDES(tree_, destroy)},
};

const bench_family bench_relation = {scenarios, sizeof scenarios / sizeof scenarios[0]};
