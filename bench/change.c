// Components added to and removed from entities with Position and Velocity.
//
//   addrem1     per entity: add Data with a value, remove it again; in the order of creation
//   toggle_tag  per entity: add a tag, remove it again
//   add_all     add Data to all with one call
//   remove_all  remove Data from all with one call
//
// The limit has Data at the entity's own index and a byte that says what is there, so nothing ever
// moves. The floor moves the entity from table to table. With the policy `group`, one group owns Position
// and Velocity of entities without the tag, another owns Data: every change enters or leaves one.
#include "floor.h"
#include "harness.h"
#include "pairs.h"
#include "plain.h"
#include "scenarios.h"

// mica

typedef struct mica_state {
    pair_world pairs;
    mica_type tag;
    mica_entity *handles;
    uint32_t n;
} mica_state;

static void make_groups(mica_state *s)
{
    pair_world *p = &s->pairs;
    mica_group_free(p->world, p->group);
    p->group = mica_group_new(
        p->world, &(mica_group_desc){.owned = {p->position, p->velocity}, .without = {s->tag}});
    mica_group_new(p->world, &(mica_group_desc){.owned = {p->data}, .required = {p->velocity}});
}

static void *change_mica_setup(const bench_case *what)
{
    pair_world pairs;
    if (!pairs_begin(&pairs, what->policy)) {
        return NULL;
    }
    mica_state *s = bench_alloc(sizeof *s);
    *s = (mica_state){.pairs = pairs,
                      .tag = pairs_storage(what->policy) == MICA_SPARSE
                                 ? MICA_SPARSE_TAG(pairs.world, Tag)
                                 : MICA_TAG(pairs.world, Tag),
                      .handles = bench_alloc(what->n * sizeof(mica_entity)),
                      .n = what->n};
    if (what->policy == BENCH_GROUP) {
        make_groups(s);
    }
    pairs_spawn_all(&s->pairs, s->handles, what->n);
    return s;
}

static void addrem1_mica_run(void *state)
{
    const mica_state *s = state;
    mica_world *world = s->pairs.world;
    mica_type type = s->pairs.data;
    const mica_entity *handles = s->handles;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        Data data = data_of(i);
        mica_set_value(world, handles[i], type, &data, sizeof data);
        mica_remove(world, handles[i], type);
    }
}

static void toggle_tag_mica_run(void *state)
{
    const mica_state *s = state;
    mica_world *world = s->pairs.world;
    mica_type tag = s->tag;
    const mica_entity *handles = s->handles;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        mica_add(world, handles[i], tag);
        mica_remove(world, handles[i], tag);
    }
}

static void add_all_mica_run(void *state)
{
    const mica_state *s = state;
    mica_add_all(s->pairs.world, s->pairs.movers, s->pairs.data, NULL);
}

static void remove_all_mica_run(void *state)
{
    const mica_state *s = state;
    mica_remove_all(s->pairs.world, s->pairs.movers, s->pairs.data, NULL);
}

static uint64_t change_mica_check(void *state)
{
    mica_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        Data data;
        sum += pairs_check(&s->pairs, i, s->handles[i]);
        sum += MICA_LOAD(s->pairs.world, s->handles[i], s->pairs.data, data) ? check_data(i, &data)
                                                                             : 0;
        sum += mica_has(s->pairs.world, s->handles[i], s->tag) ? mix(i) : 0;
    }
    return sum;
}

static void change_mica_teardown(void *state)
{
    mica_state *s = state;
    pairs_end(&s->pairs);
    bench_free(s->handles);
    bench_free(s);
}

// limit

enum { HAS_DATA = 1, HAS_TAG = 2 };

typedef struct plain_state {
    plain_arrays arrays;
    Data *data;
    uint8_t *has;
    uint32_t *names; // in the order they are visited
    uint32_t n;
} plain_state;

static void *change_limit_setup(const bench_case *what)
{
    uint32_t n = what->n;
    plain_state *s = bench_alloc(sizeof *s);
    *s = (plain_state){.arrays = plain_make(n),
                       .data = bench_alloc_touched(n * sizeof(Data)),
                       .has = bench_alloc(n),
                       .names = bench_alloc(n * sizeof(uint32_t)),
                       .n = n};
    memset(s->has, 0, n);
    for (uint32_t i = 0; i < n; i++) {
        s->names[i] = i;
    }
    return s;
}

static void addrem1_limit_run(void *state)
{
    const plain_state *s = state;
    uint8_t *has = s->has;
    Data *data = s->data;
    const uint32_t *names = s->names;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t name = names[i];
        data[name] = data_of(i);
        has[name] |= HAS_DATA;
        bench_barrier();
        has[name] &= (uint8_t)~HAS_DATA;
        bench_barrier();
    }
}

static void toggle_tag_limit_run(void *state)
{
    const plain_state *s = state;
    uint8_t *has = s->has;
    const uint32_t *names = s->names;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t name = names[i];
        has[name] |= HAS_TAG;
        bench_barrier();
        has[name] &= (uint8_t)~HAS_TAG;
        bench_barrier();
    }
}

static void add_all_limit_run(void *state)
{
    const plain_state *s = state;
    Data *restrict data = s->data;
    uint8_t *restrict has = s->has;
    uint32_t n = s->n;
    Data value = pairs_default_data();
    for (uint32_t i = 0; i < n; i++) {
        data[i] = value;
    }
    for (uint32_t i = 0; i < n; i++) {
        has[i] |= HAS_DATA;
    }
}

static void remove_all_limit_run(void *state)
{
    const plain_state *s = state;
    uint8_t *has = s->has;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        has[i] &= (uint8_t)~HAS_DATA;
    }
}

static uint64_t change_limit_check(void *state)
{
    plain_state *s = state;
    uint64_t sum = plain_check(&s->arrays);
    for (uint32_t i = 0; i < s->n; i++) {
        sum += s->has[i] & HAS_DATA ? check_data(i, &s->data[i]) : 0;
        sum += s->has[i] & HAS_TAG ? mix(i) : 0;
    }
    return sum;
}

static void change_limit_teardown(void *state)
{
    plain_state *s = state;
    plain_free(&s->arrays);
    bench_free(s->data);
    bench_free(s->has);
    bench_free(s->names);
    bench_free(s);
}

// floor

typedef struct floor_state {
    floor_world world;
    uint64_t *handles;
    uint32_t n;
} floor_state;

static void *change_floor_setup(const bench_case *what)
{
    uint32_t n = what->n;
    floor_state *s = bench_alloc(sizeof *s);
    *s = (floor_state){.handles = bench_alloc(n * sizeof(uint64_t)), .n = n};
    floor_begin(&s->world);
    for (uint32_t i = 0; i < n; i++) {
        s->handles[i] = floor_spawn(&s->world, position_of(i), velocity_of(i));
    }
    return s;
}

static void addrem1_floor_run(void *state)
{
    floor_state *s = state;
    floor_world *world = &s->world;
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t handle = s->handles[i];
        if (floor_alive(world, handle)) {
            uint32_t row = floor_move(world, (uint32_t)handle, FLOOR_PAIR, FLOOR_WITH_DATA);
            world->tables[FLOOR_WITH_DATA].data[row] = data_of(i);
        }
        bench_barrier();
        if (floor_alive(world, handle)) {
            floor_move(world, (uint32_t)handle, FLOOR_WITH_DATA, FLOOR_PAIR);
        }
        bench_barrier();
    }
}

static void toggle_tag_floor_run(void *state)
{
    floor_state *s = state;
    floor_world *world = &s->world;
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t handle = s->handles[i];
        if (floor_alive(world, handle)) {
            floor_move(world, (uint32_t)handle, FLOOR_PAIR, FLOOR_WITH_TAG);
        }
        bench_barrier();
        if (floor_alive(world, handle)) {
            floor_move(world, (uint32_t)handle, FLOOR_WITH_TAG, FLOOR_PAIR);
        }
        bench_barrier();
    }
}

static void add_all_floor_run(void *state)
{
    floor_state *s = state;
    floor_move_all(&s->world, FLOOR_PAIR, FLOOR_WITH_DATA, pairs_default_data());
}

static void remove_all_floor_run(void *state)
{
    floor_state *s = state;
    floor_move_all(&s->world, FLOOR_WITH_DATA, FLOOR_PAIR, pairs_default_data());
}

static uint64_t change_floor_check(void *state)
{
    floor_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        floor_record record = s->world.records[(uint32_t)s->handles[i]];
        const floor_table *t = &s->world.tables[record.table];
        sum += check_pair(i, &t->position[record.row], &t->velocity[record.row]);
        sum += record.table == FLOOR_WITH_DATA ? check_data(i, &t->data[record.row]) : 0;
        sum += record.table == FLOOR_WITH_TAG ? mix(i) : 0;
    }
    return sum;
}

static void change_floor_teardown(void *state)
{
    floor_state *s = state;
    floor_end(&s->world);
    bench_free(s->handles);
    bench_free(s);
}

static const bench_scenario scenarios[] = {
    {.name = "addrem1",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_ALL,
     .text = "add a component with a value and remove it, per pair",
     .sides = {[BENCH_MICA] = {.setup = change_mica_setup,
                               .run = addrem1_mica_run,
                               .check = change_mica_check,
                               .teardown = change_mica_teardown},
               [BENCH_LIMIT] = {.setup = change_limit_setup,
                                .run = addrem1_limit_run,
                                .check = change_limit_check,
                                .teardown = change_limit_teardown},
               [BENCH_FLOOR] = {.setup = change_floor_setup,
                                .run = addrem1_floor_run,
                                .check = change_floor_check,
                                .teardown = change_floor_teardown}}},
    {.name = "toggle_tag",
     .growth = BENCH_GROWTH_ENTITIES,
     .policies = BENCH_ALSO_ALL,
     .text = "add a tag and remove it, per pair",
     .sides = {[BENCH_MICA] = {.setup = change_mica_setup,
                               .run = toggle_tag_mica_run,
                               .check = change_mica_check,
                               .teardown = change_mica_teardown},
               [BENCH_LIMIT] = {.setup = change_limit_setup,
                                .run = toggle_tag_limit_run,
                                .check = change_limit_check,
                                .teardown = change_limit_teardown},
               [BENCH_FLOOR] = {.setup = change_floor_setup,
                                .run = toggle_tag_floor_run,
                                .check = change_floor_check,
                                .teardown = change_floor_teardown}}},
    {.name = "add_all",
     .policies = BENCH_ALSO_ALL,
     .text = "add a component to all with one call",
     .sides = {[BENCH_MICA] = {.setup = change_mica_setup,
                               .prepare = remove_all_mica_run,
                               .run = add_all_mica_run,
                               .check = change_mica_check,
                               .teardown = change_mica_teardown},
               [BENCH_LIMIT] = {.setup = change_limit_setup,
                                .prepare = remove_all_limit_run,
                                .run = add_all_limit_run,
                                .check = change_limit_check,
                                .teardown = change_limit_teardown},
               [BENCH_FLOOR] = {.setup = change_floor_setup,
                                .prepare = remove_all_floor_run,
                                .run = add_all_floor_run,
                                .check = change_floor_check,
                                .teardown = change_floor_teardown}}},
    {.name = "remove_all",
     .policies = BENCH_ALSO_ALL,
     .text = "remove a component from all with one call",
     .sides = {[BENCH_MICA] = {.setup = change_mica_setup,
                               .prepare = add_all_mica_run,
                               .run = remove_all_mica_run,
                               .check = change_mica_check,
                               .teardown = change_mica_teardown},
               [BENCH_LIMIT] = {.setup = change_limit_setup,
                                .prepare = add_all_limit_run,
                                .run = remove_all_limit_run,
                                .check = change_limit_check,
                                .teardown = change_limit_teardown},
               [BENCH_FLOOR] = {.setup = change_floor_setup,
                                .prepare = add_all_floor_run,
                                .run = remove_all_floor_run,
                                .check = change_floor_check,
                                .teardown = change_floor_teardown}}},
};

const bench_family bench_change = {scenarios, sizeof scenarios / sizeof scenarios[0]};
