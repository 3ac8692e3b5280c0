// Entities with Position and Velocity, made and ended.
//
//   create2         one by one, values set, in a fresh world: new memory
//   recreate2       the same after all were ended: used memory
//   spawn2          like recreate2, but listing the values in the call instead of using a bundle
//   create2_bulk    in one call, from arrays, in a fresh world
//   recreate2_bulk  the same after all were ended
//   destroy2        one by one, in the order they were made
//   destroy_random  one by one, shuffled
//   despawn_all     all that a query matches, in one call
//
// The limit of making is two arrays that grow. To end an entity one must find its row: the limit of
// ending and remaking has the two index arrays which that takes, and a stack of free names, but no
// generations.
#include "floor.h"
#include "harness.h"
#include "pairs.h"
#include "plain.h"
#include "scenarios.h"

// create2: limit. The names handed out are row numbers.

typedef struct growing_state {
    plain_growing arrays;
    uint32_t *names;
    uint32_t n;
} growing_state;

static void *create2_limit_setup(const bench_case *what)
{
    growing_state *s = bench_alloc_touched(sizeof *s);
    *s = (growing_state){.names = bench_alloc_touched(what->n * sizeof(uint32_t)), .n = what->n};
    return s;
}

static void create2_limit_run(void *state)
{
    growing_state *s = state;
    plain_growing arrays = s->arrays;
    uint32_t *names = s->names;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        names[i] = plain_push(&arrays, position_of(i), velocity_of(i));
    }
    s->arrays = arrays;
}

static uint64_t create2_limit_check(void *state)
{
    growing_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t row = s->names[i];
        sum += check_pair(i, &s->arrays.position[row], &s->arrays.velocity[row]);
    }
    return sum;
}

static void create2_limit_teardown(void *state)
{
    growing_state *s = state;
    plain_drop(&s->arrays);
    bench_free(s->names);
    bench_free(s);
}

// recreate2, destroy2, destroy_random: limit.

typedef struct indexed_state {
    plain_arrays arrays; // rows 0 to count-1 are in use
    uint32_t count;
    uint32_t free_count;
    uint32_t *row_of;  // by name
    uint32_t *name_of; // by row
    uint32_t *free;    // names, last freed on top
    uint32_t *names;   // by entity
    uint32_t *order;   // in which entities are ended
} indexed_state;

static uint32_t *make_order(uint32_t n, bool shuffled)
{
    uint32_t *order = bench_alloc(n * sizeof *order);
    if (shuffled) {
        shuffle(order, n);
        return order;
    }
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    return order;
}

static void *indexed_setup(const bench_case *what, bool shuffled)
{
    uint32_t n = what->n;
    indexed_state *s = bench_alloc(sizeof *s);
    *s = (indexed_state){.arrays = plain_make(n),
                         .count = n,
                         .row_of = make_order(n, false),
                         .name_of = make_order(n, false),
                         .free = bench_alloc_touched(n * sizeof(uint32_t)),
                         .names = make_order(n, false),
                         .order = make_order(n, shuffled)};
    return s;
}

static void *indexed_setup_in_order(const bench_case *what)
{
    return indexed_setup(what, false);
}

static void *indexed_setup_shuffled(const bench_case *what)
{
    return indexed_setup(what, true);
}

static void indexed_teardown(void *state)
{
    indexed_state *s = state;
    plain_free(&s->arrays);
    bench_free(s->row_of);
    bench_free(s->name_of);
    bench_free(s->free);
    bench_free(s->names);
    bench_free(s->order);
    bench_free(s);
}

static void destroy_limit_run(void *state)
{
    indexed_state *state_in = state;
    indexed_state s = *state_in;
    for (uint32_t i = 0; i < s.arrays.n; i++) {
        uint32_t name = s.names[s.order[i]];
        uint32_t row = s.row_of[name];
        uint32_t last = --s.count;
        uint32_t moved = s.name_of[last];
        s.arrays.position[row] = s.arrays.position[last];
        s.arrays.velocity[row] = s.arrays.velocity[last];
        s.name_of[row] = moved;
        s.row_of[moved] = row;
        s.free[s.free_count++] = name;
    }
    *state_in = s;
}

static void despawn_all_limit_run(void *state)
{
    indexed_state *s = state;
    memcpy(s->free + s->free_count, s->name_of, s->count * sizeof(uint32_t));
    s->free_count += s->count;
    s->count = 0;
}

static uint64_t destroy_limit_check(void *state)
{
    indexed_state *s = state;
    return s->count;
}

static void recreate2_limit_run(void *state)
{
    indexed_state *state_in = state;
    indexed_state s = *state_in;
    for (uint32_t i = 0; i < s.arrays.n; i++) {
        uint32_t name = s.free[--s.free_count];
        uint32_t row = s.count++;
        s.arrays.position[row] = position_of(i);
        s.arrays.velocity[row] = velocity_of(i);
        s.row_of[name] = row;
        s.name_of[row] = name;
        s.names[i] = name;
    }
    *state_in = s;
}

static uint64_t recreate2_limit_check(void *state)
{
    indexed_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->arrays.n; i++) {
        uint32_t row = s->row_of[s->names[i]];
        sum += check_pair(i, &s->arrays.position[row], &s->arrays.velocity[row]);
    }
    return sum;
}

// All of one by one: mica, by a bundle.

typedef struct mica_state {
    pair_world pairs;
    mica_entity *handles;
    uint32_t *order;
    uint32_t n;
} mica_state;

static mica_state *mica_make(const bench_case *what, bool shuffled)
{
    uint32_t n = what->n;
    pair_world pairs;
    if (!pairs_begin(&pairs, what->policy)) {
        return NULL;
    }
    mica_state *s = bench_alloc_touched(sizeof *s);
    *s = (mica_state){.pairs = pairs,
                      .handles = bench_alloc_touched(n * sizeof(mica_entity)),
                      .order = make_order(n, shuffled),
                      .n = n};
    return s;
}

static void create2_mica_run(void *state)
{
    mica_state *s = state;
    pairs_spawn_all(&s->pairs, s->handles, s->n);
}

static void spawn2_mica_run(void *state)
{
    mica_state *s = state;
    const pair_world pairs = s->pairs;
    mica_entity *handles = s->handles;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        const Position position = position_of(i);
        const Velocity velocity = velocity_of(i);
        handles[i] = mica_spawn(pairs.world, MICA_COPY_OF(pairs.position, position),
                                MICA_COPY_OF(pairs.velocity, velocity));
    }
}

static void destroy_mica_run(void *state)
{
    mica_state *s = state;
    mica_world *world = s->pairs.world;
    const mica_entity *handles = s->handles;
    const uint32_t *order = s->order;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        mica_despawn(world, handles[order[i]]);
    }
}

static void despawn_all_mica_run(void *state)
{
    mica_state *s = state;
    mica_despawn_all(s->pairs.world, s->pairs.movers, NULL);
}

static void *create2_mica_setup(const bench_case *what)
{
    return mica_make(what, false);
}

static void *mica_setup_full(const bench_case *what, bool shuffled)
{
    mica_state *s = mica_make(what, shuffled);
    if (s != NULL) {
        create2_mica_run(s);
    }
    return s;
}

static void *mica_setup_in_order(const bench_case *what)
{
    return mica_setup_full(what, false);
}

static void *mica_setup_shuffled(const bench_case *what)
{
    return mica_setup_full(what, true);
}

static uint64_t create2_mica_check(void *state)
{
    mica_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += pairs_check(&s->pairs, i, s->handles[i]);
    }
    return sum;
}

// How many are left: none.
static uint64_t destroy_mica_check(void *state)
{
    mica_state *s = state;
    uint64_t left = mica_query_count(s->pairs.world, s->pairs.movers);
    for (uint32_t i = 0; i < s->n; i++) {
        left += mica_alive(s->pairs.world, s->handles[i]);
    }
    return left;
}

static void mica_teardown(void *state)
{
    mica_state *s = state;
    pairs_end(&s->pairs);
    bench_free(s->handles);
    bench_free(s->order);
    bench_free(s);
}

// All of one by one: floor.

typedef struct floor_state {
    floor_world world;
    uint64_t *handles;
    uint32_t *order;
    uint32_t n;
} floor_state;

static floor_state *floor_make(uint32_t n, bool shuffled)
{
    floor_state *s = bench_alloc_touched(sizeof *s);
    *s = (floor_state){.handles = bench_alloc_touched(n * sizeof(uint64_t)),
                       .order = make_order(n, shuffled),
                       .n = n};
    floor_begin(&s->world);
    return s;
}

static void create2_floor_run(void *state)
{
    floor_state *s = state;
    floor_world world = s->world;
    uint64_t *handles = s->handles;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        handles[i] = floor_spawn(&world, position_of(i), velocity_of(i));
    }
    s->world = world;
}

static void destroy_floor_run(void *state)
{
    floor_state *s = state;
    floor_world world = s->world;
    const uint64_t *handles = s->handles;
    const uint32_t *order = s->order;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        floor_despawn(&world, handles[order[i]]);
    }
    s->world = world;
}

static void despawn_all_floor_run(void *state)
{
    floor_state *s = state;
    floor_table *t = &s->world.tables[FLOOR_PAIR];
    for (uint32_t row = 0; row < t->count; row++) {
        floor_free_slot(&s->world, t->slots[row]);
    }
    t->count = 0;
}

static void *create2_floor_setup(const bench_case *what)
{
    return floor_make(what->n, false);
}

static void *floor_setup_in_order(const bench_case *what)
{
    floor_state *s = floor_make(what->n, false);
    create2_floor_run(s);
    return s;
}

static void *floor_setup_shuffled(const bench_case *what)
{
    floor_state *s = floor_make(what->n, true);
    create2_floor_run(s);
    return s;
}

static uint64_t create2_floor_check(void *state)
{
    floor_state *s = state;
    const floor_table *t = &s->world.tables[FLOOR_PAIR];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t row = s->world.records[(uint32_t)s->handles[i]].row;
        bool alive = floor_alive(&s->world, s->handles[i]);
        sum += alive ? check_pair(i, &t->position[row], &t->velocity[row]) : 0;
    }
    return sum;
}

// How many are left: none.
static uint64_t destroy_floor_check(void *state)
{
    floor_state *s = state;
    uint64_t left = s->world.tables[FLOOR_PAIR].count;
    for (uint32_t i = 0; i < s->n; i++) {
        left += floor_alive(&s->world, s->handles[i]);
    }
    return left;
}

static void floor_teardown(void *state)
{
    floor_state *s = state;
    floor_end(&s->world);
    bench_free(s->handles);
    bench_free(s->order);
    bench_free(s);
}

// create2_bulk, recreate2_bulk. The values come from arrays that were filled before.

typedef struct bulk_state {
    plain_arrays source;
    plain_arrays target; // limit
    floor_world world;   // floor
} bulk_state;

static void *bulk_setup(const bench_case *what)
{
    bulk_state *s = bench_alloc_touched(sizeof *s);
    *s = (bulk_state){.source = plain_make(what->n)};
    floor_begin(&s->world);
    return s;
}

static void bulk_teardown(void *state)
{
    bulk_state *s = state;
    plain_free(&s->source);
    plain_free(&s->target);
    floor_end(&s->world);
    bench_free(s);
}

static void bulk_limit_copy(bulk_state *s)
{
    size_t n = s->source.n;
    memcpy(s->target.position, s->source.position, n * sizeof(Position));
    memcpy(s->target.velocity, s->source.velocity, n * sizeof(Velocity));
    s->target.n = s->source.n;
}

static void create2_bulk_limit_run(void *state)
{
    bulk_state *s = state;
    s->target.position = bench_alloc(s->source.n * sizeof(Position));
    s->target.velocity = bench_alloc(s->source.n * sizeof(Velocity));
    bulk_limit_copy(s);
}

static void *recreate2_bulk_limit_setup(const bench_case *what)
{
    bulk_state *s = bulk_setup(what);
    create2_bulk_limit_run(s);
    return s;
}

static void recreate2_bulk_limit_prepare(void *state)
{
    bulk_state *s = state;
    s->target.n = 0;
}

static void recreate2_bulk_limit_run(void *state)
{
    bulk_limit_copy(state);
}

static uint64_t bulk_limit_check(void *state)
{
    bulk_state *s = state;
    return plain_check(&s->target);
}

static void bulk_floor_run(void *state)
{
    bulk_state *s = state;
    floor_spawn_many(&s->world, s->source.position, s->source.velocity, s->source.n);
}

static void *recreate2_bulk_floor_setup(const bench_case *what)
{
    bulk_state *s = bulk_setup(what);
    bulk_floor_run(s);
    return s;
}

static void recreate2_bulk_floor_prepare(void *state)
{
    bulk_state *s = state;
    floor_table *t = &s->world.tables[FLOOR_PAIR];
    while (t->count > 0) {
        floor_despawn(&s->world, floor_handle(&s->world, t->slots[t->count - 1]));
    }
}

static uint64_t bulk_floor_check(void *state)
{
    bulk_state *s = state;
    const floor_table *t = &s->world.tables[FLOOR_PAIR];
    uint64_t sum = 0;
    for (uint32_t row = 0; row < t->count; row++) {
        bool placed = s->world.records[t->slots[row]].row == row;
        sum += placed ? check_pair(row, &t->position[row], &t->velocity[row]) : 0;
    }
    return sum;
}

// create2_bulk, recreate2_bulk: mica.

typedef struct mica_bulk_state {
    plain_arrays source;
    pair_world pairs;
} mica_bulk_state;

static void *bulk_mica_setup(const bench_case *what)
{
    pair_world pairs;
    if (!pairs_begin(&pairs, what->policy)) {
        return NULL;
    }
    mica_bulk_state *s = bench_alloc_touched(sizeof *s);
    *s = (mica_bulk_state){.source = plain_make(what->n), .pairs = pairs};
    return s;
}

static void bulk_mica_run(void *state)
{
    mica_bulk_state *s = state;
    const plain_arrays *source = &s->source;
    const mica_value arrays[] = {MICA_COPY_OF_ARRAY(s->pairs.position, source->position),
                                 MICA_COPY_OF_ARRAY(s->pairs.velocity, source->velocity)};
    mica_spawn_many(s->pairs.world, s->pairs.bundle, source->n, arrays, 2, NULL);
}

static void *recreate2_bulk_mica_setup(const bench_case *what)
{
    mica_bulk_state *s = bulk_mica_setup(what);
    if (s != NULL) {
        bulk_mica_run(s);
    }
    return s;
}

static void recreate2_bulk_mica_prepare(void *state)
{
    mica_bulk_state *s = state;
    mica_despawn_all(s->pairs.world, s->pairs.movers, NULL);
}

static uint64_t bulk_mica_check(void *state)
{
    mica_bulk_state *s = state;
    return pairs_check_rows(&s->pairs);
}

static void bulk_mica_teardown(void *state)
{
    mica_bulk_state *s = state;
    plain_free(&s->source);
    pairs_end(&s->pairs);
    bench_free(s);
}

static const bench_scenario scenarios[] = {
    {.name = "create2",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_ALL,
     .text = "spawn with two components, one by one, in a fresh world",
     .fresh = true,
     .sides = {[BENCH_MICA] = {.setup = create2_mica_setup,
                               .run = create2_mica_run,
                               .check = create2_mica_check,
                               .teardown = mica_teardown},
               [BENCH_LIMIT] = {.setup = create2_limit_setup,
                                .run = create2_limit_run,
                                .check = create2_limit_check,
                                .teardown = create2_limit_teardown},
               [BENCH_FLOOR] = {.setup = create2_floor_setup,
                                .run = create2_floor_run,
                                .check = create2_floor_check,
                                .teardown = floor_teardown}}},
    {.name = "recreate2",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_ALL,
     .text = "the same after all were despawned",
     .sides = {[BENCH_MICA] = {.setup = mica_setup_in_order,
                               .prepare = destroy_mica_run,
                               .run = create2_mica_run,
                               .check = create2_mica_check,
                               .teardown = mica_teardown},
               [BENCH_LIMIT] = {.setup = indexed_setup_in_order,
                                .prepare = destroy_limit_run,
                                .run = recreate2_limit_run,
                                .check = recreate2_limit_check,
                                .teardown = indexed_teardown},
               [BENCH_FLOOR] = {.setup = floor_setup_in_order,
                                .prepare = destroy_floor_run,
                                .run = create2_floor_run,
                                .check = create2_floor_check,
                                .teardown = floor_teardown}}},
    {.name = "spawn2",
     .policies = BENCH_ALSO_ALL,
     .text = "the same, listing the values in the call instead of using a bundle",
     .sides = {[BENCH_MICA] = {.setup = mica_setup_in_order,
                               .prepare = destroy_mica_run,
                               .run = spawn2_mica_run,
                               .check = create2_mica_check,
                               .teardown = mica_teardown},
               [BENCH_LIMIT] = {.setup = indexed_setup_in_order,
                                .prepare = destroy_limit_run,
                                .run = recreate2_limit_run,
                                .check = recreate2_limit_check,
                                .teardown = indexed_teardown},
               [BENCH_FLOOR] = {.setup = floor_setup_in_order,
                                .prepare = destroy_floor_run,
                                .run = create2_floor_run,
                                .check = create2_floor_check,
                                .teardown = floor_teardown}}},
    {.name = "create2_bulk",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_ALL,
     .text = "spawn all with one call, in a fresh world",
     .fresh = true,
     .sides = {[BENCH_MICA] = {.setup = bulk_mica_setup,
                               .run = bulk_mica_run,
                               .check = bulk_mica_check,
                               .teardown = bulk_mica_teardown},
               [BENCH_LIMIT] = {.setup = bulk_setup,
                                .run = create2_bulk_limit_run,
                                .check = bulk_limit_check,
                                .teardown = bulk_teardown},
               [BENCH_FLOOR] = {.setup = bulk_setup,
                                .run = bulk_floor_run,
                                .check = bulk_floor_check,
                                .teardown = bulk_teardown}}},
    {.name = "recreate2_bulk",
     .policies = BENCH_ALSO_ALL,
     .text = "the same after all were despawned",
     .sides = {[BENCH_MICA] = {.setup = recreate2_bulk_mica_setup,
                               .prepare = recreate2_bulk_mica_prepare,
                               .run = bulk_mica_run,
                               .check = bulk_mica_check,
                               .teardown = bulk_mica_teardown},
               [BENCH_LIMIT] = {.setup = recreate2_bulk_limit_setup,
                                .prepare = recreate2_bulk_limit_prepare,
                                .run = recreate2_bulk_limit_run,
                                .check = bulk_limit_check,
                                .teardown = bulk_teardown},
               [BENCH_FLOOR] = {.setup = recreate2_bulk_floor_setup,
                                .prepare = recreate2_bulk_floor_prepare,
                                .run = bulk_floor_run,
                                .check = bulk_floor_check,
                                .teardown = bulk_teardown}}},
    {.name = "destroy2",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_ALL,
     .text = "despawn all, in the order they were spawned",
     .fresh = true,
     .sides = {[BENCH_MICA] = {.setup = mica_setup_in_order,
                               .run = destroy_mica_run,
                               .check = destroy_mica_check,
                               .teardown = mica_teardown},
               [BENCH_LIMIT] = {.setup = indexed_setup_in_order,
                                .run = destroy_limit_run,
                                .check = destroy_limit_check,
                                .teardown = indexed_teardown},
               [BENCH_FLOOR] = {.setup = floor_setup_in_order,
                                .run = destroy_floor_run,
                                .check = destroy_floor_check,
                                .teardown = floor_teardown}}},
    {.name = "destroy_random",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_ALL,
     .text = "despawn all, shuffled",
     .fresh = true,
     .sides = {[BENCH_MICA] = {.setup = mica_setup_shuffled,
                               .run = destroy_mica_run,
                               .check = destroy_mica_check,
                               .teardown = mica_teardown},
               [BENCH_LIMIT] = {.setup = indexed_setup_shuffled,
                                .run = destroy_limit_run,
                                .check = destroy_limit_check,
                                .teardown = indexed_teardown},
               [BENCH_FLOOR] = {.setup = floor_setup_shuffled,
                                .run = destroy_floor_run,
                                .check = destroy_floor_check,
                                .teardown = floor_teardown}}},
    {.name = "despawn_all",
     .policies = BENCH_ALSO_ALL,
     .text = "despawn all that a query matches with one call",
     .fresh = true,
     .sides = {[BENCH_MICA] = {.setup = mica_setup_in_order,
                               .run = despawn_all_mica_run,
                               .check = destroy_mica_check,
                               .teardown = mica_teardown},
               [BENCH_LIMIT] = {.setup = indexed_setup_in_order,
                                .run = despawn_all_limit_run,
                                .check = destroy_limit_check,
                                .teardown = indexed_teardown},
               [BENCH_FLOOR] = {.setup = floor_setup_in_order,
                                .run = despawn_all_floor_run,
                                .check = destroy_floor_check,
                                .teardown = floor_teardown}}},
};

const bench_family bench_create = {scenarios, sizeof scenarios / sizeof scenarios[0]};
