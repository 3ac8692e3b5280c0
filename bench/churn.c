// Changes in no order that helps.
//
//   addrem_rand  per entity: add Data with a value, remove it again; shuffled, rows of three components
//   multi_add    per entity: add Data, Health, Damage and Sprite with values, in one call
//   churn        a steady number of entities: one ends at random, one comes, one is given Data, one loses
//                it; per call
//
// The limit has everything at the entity's own index and a byte that says what is there.
#include "harness.h"
#include "pairs.h"
#include "plain.h"
#include "scenarios.h"

enum { PART_DATA = 1, PART_HEALTH = 2, PART_DAMAGE = 4, PART_SPRITE = 8, PART_ALL = 15 };

// What entity i is given.

static Health health_of(uint32_t i)
{
    return (Health){.hp = (int32_t)i, .maxhp = 100, .status = STATUS_ALIVE};
}

static Damage damage_of(uint32_t i)
{
    return (Damage){.atk = (int32_t)(i & 15), .def = (int32_t)(i & 7)};
}

static Sprite sprite_of(uint32_t i)
{
    return (Sprite){.character = (char)('a' + i % 26)};
}

static uint64_t check_parts(uint32_t i, const Data *data, const Health *health,
                            const Damage *damage, const Sprite *sprite)
{
    uint64_t sum = data != NULL ? check_data(i, data) : 0;
    sum += health != NULL ? mix((uint64_t)(uint32_t)health->hp << 8 | health->status) : 0;
    sum += damage != NULL ? mix((uint64_t)(uint32_t)damage->atk << 32 | (uint32_t)damage->def) : 0;
    return sum + (sprite != NULL ? mix(~(uint64_t)(unsigned char)sprite->character + i) : 0);
}

// mica

typedef struct mica_state {
    pair_world pairs;
    mica_entity *handles;
    uint32_t *order; // in which entities are visited
    uint32_t n;
    uint32_t made; // entities, ever
    uint32_t rng[4];
} mica_state;

static void *mica_setup(const bench_case *what)
{
    pair_world pairs;
    if (!pairs_begin(&pairs, what->policy)) {
        return NULL;
    }
    mica_state *s = bench_alloc(sizeof *s);
    *s = (mica_state){.pairs = pairs,
                      .handles = bench_alloc(what->n * sizeof(mica_entity)),
                      .order = bench_alloc(what->n * sizeof(uint32_t)),
                      .n = what->n,
                      .made = what->n};
    shuffle(s->order, what->n);
    rng_seed(s->rng, 1);
    pairs_spawn_all(&s->pairs, s->handles, what->n);
    return s;
}

static void *rows_of_three_setup(const bench_case *what)
{
    mica_state *s = mica_setup(what);
    for (uint32_t i = 0; s != NULL && i < s->n; i++) {
        const Health health = health_of(i);
        mica_set(s->pairs.world, s->handles[i], MICA_COPY_OF(s->pairs.health, health));
    }
    return s;
}

static void addrem_rand_run(void *state)
{
    const mica_state *s = state;
    mica_world *world = s->pairs.world;
    mica_type type = s->pairs.data;
    const mica_entity *handles = s->handles;
    const uint32_t *order = s->order;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        mica_entity entity = handles[order[i]];
        Data data = data_of(order[i]);
        mica_set_value(world, entity, type, &data, sizeof data);
        mica_remove(world, entity, type);
    }
}

static void multi_add_run(void *state)
{
    const mica_state *s = state;
    const pair_world pairs = s->pairs;
    const mica_entity *handles = s->handles;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        const Data data = data_of(i);
        const Health health = health_of(i);
        const Damage damage = damage_of(i);
        const Sprite sprite = sprite_of(i);
        mica_set(pairs.world, handles[i], MICA_COPY_OF(pairs.data, data),
                 MICA_COPY_OF(pairs.health, health), MICA_COPY_OF(pairs.damage, damage),
                 MICA_COPY_OF(pairs.sprite, sprite));
    }
}

static void multi_remove(void *state)
{
    const mica_state *s = state;
    const mica_type types[] = {s->pairs.data, s->pairs.health, s->pairs.damage, s->pairs.sprite};
    for (uint32_t i = 0; i < s->n; i++) {
        mica_change(s->pairs.world, s->handles[i], NULL, 0, types, 4);
    }
}

static void churn_run(void *state)
{
    mica_state *s = state;
    const pair_world pairs = s->pairs;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i += 4) {
        uint32_t place = rng_next(s->rng) % n;
        const Position position = position_of(s->made);
        const Velocity velocity = velocity_of(s->made);
        const Data data = data_of(s->made++);
        const mica_value values[] = {MICA_COPY_OF(pairs.position, position),
                                     MICA_COPY_OF(pairs.velocity, velocity)};
        mica_despawn(pairs.world, s->handles[place]);
        s->handles[place] = mica_spawn_bundle(pairs.world, pairs.bundle, values, 2);
        place = rng_next(s->rng) % n;
        mica_set_value(pairs.world, s->handles[place], pairs.data, &data, sizeof data);
        place = rng_next(s->rng) % n;
        mica_remove(pairs.world, s->handles[place], pairs.data);
    }
}

static uint64_t mica_check(void *state)
{
    mica_state *s = state;
    const pair_world *p = &s->pairs;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        Data data;
        Health health;
        Damage damage;
        Sprite sprite;
        bool has_data = MICA_LOAD(p->world, s->handles[i], p->data, data);
        bool has_health = MICA_LOAD(p->world, s->handles[i], p->health, health);
        bool has_damage = MICA_LOAD(p->world, s->handles[i], p->damage, damage);
        bool has_sprite = MICA_LOAD(p->world, s->handles[i], p->sprite, sprite);
        sum += pairs_check(&s->pairs, i, s->handles[i]);
        sum += check_parts(i, has_data ? &data : NULL, has_health ? &health : NULL,
                           has_damage ? &damage : NULL, has_sprite ? &sprite : NULL);
    }
    return sum;
}

static void mica_teardown(void *state)
{
    mica_state *s = state;
    pairs_end(&s->pairs);
    bench_free(s->handles);
    bench_free(s->order);
    bench_free(s);
}

// limit

typedef struct plain_state {
    plain_arrays arrays;
    Data *data;
    Health *health;
    Damage *damage;
    Sprite *sprite;
    uint8_t *has; // parts
    uint32_t *order;
    uint32_t n;
    uint32_t made;
    uint32_t rng[4];
} plain_state;

static void *limit_setup(const bench_case *what)
{
    uint32_t n = what->n;
    plain_state *s = bench_alloc(sizeof *s);
    *s = (plain_state){.arrays = plain_make(n),
                       .data = bench_alloc_touched(n * sizeof(Data)),
                       .health = bench_alloc_touched(n * sizeof(Health)),
                       .damage = bench_alloc_touched(n * sizeof(Damage)),
                       .sprite = bench_alloc_touched(n * sizeof(Sprite)),
                       .has = bench_alloc(n),
                       .order = bench_alloc(n * sizeof(uint32_t)),
                       .n = n,
                       .made = n};
    memset(s->has, 0, n);
    shuffle(s->order, n);
    rng_seed(s->rng, 1);
    return s;
}

static void *limit_of_three_setup(const bench_case *what)
{
    plain_state *s = limit_setup(what);
    for (uint32_t i = 0; i < s->n; i++) {
        s->health[i] = health_of(i);
        s->has[i] = PART_HEALTH;
    }
    return s;
}

static void addrem_rand_limit_run(void *state)
{
    const plain_state *s = state;
    uint8_t *has = s->has;
    Data *data = s->data;
    const uint32_t *order = s->order;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i++) {
        data[order[i]] = data_of(order[i]);
        has[order[i]] |= PART_DATA;
        bench_barrier();
        has[order[i]] &= (uint8_t)~PART_DATA;
        bench_barrier();
    }
}

static void multi_add_limit_run(void *state)
{
    const plain_state s = *(const plain_state *)state;
    for (uint32_t i = 0; i < s.n; i++) {
        s.data[i] = data_of(i);
        s.health[i] = health_of(i);
        s.damage[i] = damage_of(i);
        s.sprite[i] = sprite_of(i);
        s.has[i] = PART_ALL;
        bench_barrier();
    }
}

static void multi_remove_limit(void *state)
{
    const plain_state *s = state;
    memset(s->has, 0, s->n);
}

static void churn_limit_run(void *state)
{
    plain_state *s = state;
    uint32_t n = s->n;
    for (uint32_t i = 0; i < n; i += 4) {
        uint32_t place = rng_next(s->rng) % n;
        s->has[place] = 0;
        s->arrays.position[place] = position_of(s->made);
        s->arrays.velocity[place] = velocity_of(s->made);
        bench_barrier();
        place = rng_next(s->rng) % n;
        s->data[place] = data_of(s->made++);
        s->has[place] |= PART_DATA;
        bench_barrier();
        place = rng_next(s->rng) % n;
        s->has[place] &= (uint8_t)~PART_DATA;
        bench_barrier();
    }
}

static uint64_t limit_check(void *state)
{
    const plain_state *s = state;
    uint64_t sum = plain_check(&s->arrays);
    for (uint32_t i = 0; i < s->n; i++) {
        sum += check_parts(i, s->has[i] & PART_DATA ? &s->data[i] : NULL,
                           s->has[i] & PART_HEALTH ? &s->health[i] : NULL,
                           s->has[i] & PART_DAMAGE ? &s->damage[i] : NULL,
                           s->has[i] & PART_SPRITE ? &s->sprite[i] : NULL);
    }
    return sum;
}

static void limit_teardown(void *state)
{
    plain_state *s = state;
    plain_free(&s->arrays);
    bench_free(s->data);
    bench_free(s->health);
    bench_free(s->damage);
    bench_free(s->sprite);
    bench_free(s->has);
    bench_free(s->order);
    bench_free(s);
}

static uint32_t churned(uint32_t n)
{
    return (n + 3) / 4 * 4;
}

static const bench_scenario scenarios[] = {
    {.name = "addrem_rand",
     .policies = BENCH_ALSO_ALL,
     .text = "add a component with a value and remove it, shuffled, rows of three; per pair",
     .sides = {[BENCH_MICA] = {.setup = rows_of_three_setup,
                               .run = addrem_rand_run,
                               .check = mica_check,
                               .teardown = mica_teardown},
               [BENCH_LIMIT] = {.setup = limit_of_three_setup,
                                .run = addrem_rand_limit_run,
                                .check = limit_check,
                                .teardown = limit_teardown}}},
    {.name = "multi_add",
     .policies = BENCH_ALSO_ALL,
     .text = "add four components with values in one call, per call",
     .sides = {[BENCH_MICA] = {.setup = mica_setup,
                               .prepare = multi_remove,
                               .run = multi_add_run,
                               .check = mica_check,
                               .teardown = mica_teardown},
               [BENCH_LIMIT] = {.setup = limit_setup,
                                .prepare = multi_remove_limit,
                                .run = multi_add_limit_run,
                                .check = limit_check,
                                .teardown = limit_teardown}}},
    {.name = "churn",
     .policies = BENCH_ALSO_ALL,
     .text = "random spawn, despawn, add and remove among as many as ever, per call",
     .sizes = {65536},
     .items = churned,
     .sides = {[BENCH_MICA] = {.setup = mica_setup,
                               .run = churn_run,
                               .check = mica_check,
                               .teardown = mica_teardown},
               [BENCH_LIMIT] = {.setup = limit_setup,
                                .run = churn_limit_run,
                                .check = limit_check,
                                .teardown = limit_teardown}}},
};

const bench_family bench_churn = {scenarios, sizeof scenarios / sizeof scenarios[0]};
