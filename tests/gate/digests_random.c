// The random worlds of the digest gate: 2,000 steps over all storages at once, drawn from a seed.
//
// A step may be refused, as on an entity that is dead or with a component that a group owns. What it is refused with
// goes into the hash of the order.
#include "digests.h"

#include <stdio.h>

enum { STEPS = 2000 };

// How often each step is drawn; `what` is drawn below the limit, and is 0 if there is none.
static const struct {
    uint32_t weight, code, what_limit;
} choices[] = {
    {600, ONE, OPERATION_COUNT},
    {120, FILL, SET(TYPE_COUNT)},
    {6, FILL_MANY, SET(TYPE_COUNT)},
    {4, FILL_BUNDLE, SET(TYPE_COUNT)},
    {2, RESERVE, SET(TYPE_COUNT)},
    {4, EACH, OPERATION_COUNT},
    {3, DESPAWN_MANY, 0},
    {6, BULK, DESPAWN_ALL},
    {20, ITERATE, QUERY_COUNT},
    {6, ITERATE_LATER, OPERATION_COUNT},
    {8, RECORD, 2},
    {12, APPLY, 0},
    {1, DISCARD, 0},
    {4, DEFER_CALL, 0},
    {4, GROUP_NEW, GROUP_COUNT},
    {3, GROUP_FREE, GROUP_COUNT},
    {6, GROUP_SORT, GROUP_COUNT},
    {6, GROUP_SORT_LIKE, GROUP_COUNT},
    {8, SORT, 0},
    {8, SORT_LIKE, TYPE_COUNT},
    {3, STORAGE, MICA_STORAGE_COUNT},
    {3, RECLAIM, 0},
    {4, COMPACT, 0},
    {8, TICK, 0},
    {6, SEND, 0},
    {6, RESOURCE, 0},
    {2, NO_RESOURCE, 0},
    {8, FRAMES, 0},
    {1, LOAD, OTHER_STORAGES},
    {1, COPY_PART, QUERY_COUNT},
};

static uint32_t draw(scene *s, uint32_t limit)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return limit > 0 ? (uint32_t)(s->random >> 33) % limit : 0;
}

static uint32_t draw_choice(scene *s)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        sum += choices[i].weight;
    }
    uint32_t left = draw(s, sum);
    uint32_t choice = 0;
    while (left >= choices[choice].weight) {
        left -= choices[choice++].weight;
    }
    return choice;
}

// An entity: of ten that are drawn the first that is alive, so that few steps are wasted on dead ones.
static uint32_t draw_entity(scene *s)
{
    uint32_t number = draw(s, s->count);
    for (uint32_t i = 0; i < 9 && s->count > 0 && !mica_alive(s->world, s->entities[number]); i++) {
        number = draw(s, s->count);
    }
    return number;
}

// Only sparse types have an order that can be sorted; a step in ten draws from all types.
static uint32_t draw_type(scene *s, uint32_t code)
{
    bool sorts = code == SORT || code == SORT_LIKE || code == GROUP_SORT || code == GROUP_SORT_LIKE;
    return sorts && draw(s, 10) > 0 ? SPARSE + draw(s, TYPE_COUNT - SPARSE) : draw(s, TYPE_COUNT);
}

static uint32_t draw_number(scene *s, uint32_t code)
{
    switch (code) {
    case ONE: return draw_entity(s);
    case EACH:
    case DESPAWN_MANY: return 5 + draw(s, 40);
    case BULK:
    case ITERATE_LATER: return draw(s, QUERY_COUNT);
    case FRAMES: return 1;
    default: return 1 + draw(s, 4);
    }
}

step digests_random_step(scene *s, uint32_t index)
{
    uint32_t choice = draw_choice(s);
    step next = {.code = choices[choice].code};
    next.what = draw(s, choices[choice].what_limit);
    next.type = draw_type(s, next.code);
    next.n = draw_number(s, next.code);
    if (next.code == FILL || next.code == FILL_BUNDLE) {
        next.what &= draw(s, SET(TYPE_COUNT)); // a quarter of the types
    }
    return index < STEPS ? next : (step){.code = END_OF_STEPS};
}

static const step plain[] = {
    STEP(FILL_MIXED, ALL_TYPES),
    STEP(END_OF_STEPS),
};

static const step grouped[] = {
    STEP(GROUP_NEW, OWNING),     STEP(GROUP_NEW, PARTIAL),    STEP(GROUP_NEW, LISTING),
    STEP(GROUP_NEW, OWNING_TAG), STEP(FILL_MIXED, ALL_TYPES), STEP(END_OF_STEPS),
};

static const step busy[] = {
    STEP(FILL_MIXED, ALL_TYPES), STEP(OBSERVE, ALL_OBSERVERS), STEP(SYSTEMS), STEP(RESOURCE),
    STEP(END_OF_STEPS),
};

static const struct {
    const char *name;
    const step *steps;
    uint32_t size;
} randoms[] = {
    {"plain", plain, 10},     {"plain", plain, 200},     {"plain", plain, 2500},
    {"grouped", grouped, 10}, {"grouped", grouped, 200}, {"grouped", grouped, 2500},
    {"busy", busy, 10},       {"busy", busy, 200},       {"busy", busy, 1000},
    {"plain", plain, 100},    {"grouped", grouped, 100}, {"busy", busy, 100},
};

uint32_t digests_random_count(void)
{
    return sizeof randoms / sizeof *randoms;
}

world_row digests_random(uint32_t index)
{
    world_row row = {.size = randoms[index].size, .steps = randoms[index].steps, .seed = index + 1};
    snprintf(row.name, sizeof row.name, "random/%s/%u", randoms[index].name, (unsigned)row.size);
    return row;
}
