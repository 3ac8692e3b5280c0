// A complete small simulation: rabbits eat grass, foxes eat rabbits. It uses table and sparse components, tags,
// resources, events, commands, phases with and without a fixed time step, frame memory, and statistics.
#include <mica.h>
#include <stdio.h>

enum { FIELD = 16 }; // a world of 16 by 16 squares, round at the edges

typedef struct {
    int32_t x, y;
} Place;

typedef struct {
    float energy;
} Animal;

typedef struct {
    float grass[FIELD][FIELD];
} Meadow;

typedef struct {
    uint32_t state;
} Dice;

typedef struct {
    uint32_t born, eaten, starved;
} Tally;

typedef struct {
    mica_entity fox, rabbit;
} Meal;

typedef struct {
    mica_type place, animal, rabbit, fox, asleep;
    mica_type meadow, dice, tally; // resources
    mica_type meal;                // an event
    mica_query rabbits;
    mica_entity *prey; // on each square, while foxes hunt
} Park;

static uint32_t roll(Dice *dice, uint32_t sides)
{
    dice->state = dice->state * 1664525u + 1013904223u;
    return (dice->state >> 16) % sides;
}

// Phase "grow", every second: it has no rows to work on, but a resource.
static void grow(mica_iter *it)
{
    const Park *park = it->user;
    Meadow *meadow = MICA_RESOURCE_MUT(it->world, park->meadow, Meadow);
    for (int y = 0; y < FIELD; y++) {
        for (int x = 0; x < FIELD; x++) {
            float grown = meadow->grass[y][x] + 0.04f * it->dt;
            meadow->grass[y][x] = grown < 1 ? grown : 1;
        }
    }
}

// Phase "update": all animals move, unless asleep.
static void wander(mica_iter *it)
{
    const Park *park = it->user;
    Place *places = mica_write(it, 0);
    Animal *animals = mica_write(it, 1);
    Dice *dice = MICA_RESOURCE_MUT(it->world, park->dice, Dice);
    for (uint32_t i = 0; i < it->count; i++) {
        places[i].x = (places[i].x + (int32_t)roll(dice, 3) + FIELD - 1) % FIELD;
        places[i].y = (places[i].y + (int32_t)roll(dice, 3) + FIELD - 1) % FIELD;
        animals[i].energy -= 0.1f;
    }
}

static void graze(mica_iter *it)
{
    const Park *park = it->user;
    const Place *places = mica_read(it, 0);
    Animal *animals = mica_write(it, 1);
    Meadow *meadow = MICA_RESOURCE_MUT(it->world, park->meadow, Meadow);
    for (uint32_t i = 0; i < it->count; i++) {
        float *grass = &meadow->grass[places[i].y][places[i].x];
        float eaten = *grass < 0.3f ? *grass : 0.3f;
        *grass -= eaten;
        animals[i].energy += eaten;
    }
}

// A fox eats a rabbit that it meets, and sleeps. The system begins by listing where all rabbits are, in frame
// memory, which is empty again after the step.
static void look_around(mica_iter *it)
{
    Park *park = it->user;
    park->prey = MICA_FRAME_ARRAY(it->world, mica_entity, FIELD * FIELD);
    if (!park->prey) {
        mica_system_fail(it, 0, "no memory for the list of rabbits");
        return;
    }
    for (int i = 0; i < FIELD * FIELD; i++) {
        park->prey[i] = (mica_entity){0};
    }
    mica_iter others;
    mica_iter_begin(it->world, park->rabbits, &others);
    while (mica_iter_next(&others)) {
        const Place *at = mica_read(&others, 0);
        for (uint32_t i = 0; i < others.count; i++) {
            park->prey[at[i].y * FIELD + at[i].x] = others.entities[i];
        }
    }
}

static void hunt(mica_iter *it)
{
    const Park *park = it->user;
    const Place *places = mica_read(it, 0);
    Animal *foxes = mica_write(it, 1);
    mica_world *later = mica_later(it);
    for (uint32_t i = 0; i < it->count; i++) {
        mica_entity *found = &park->prey[places[i].y * FIELD + places[i].x];
        if (!MICA_IS_NONE(*found)) {
            mica_send(it->world, MICA_VALUE(park->meal, Meal, it->entities[i], *found));
            mica_despawn(later, *found);
            mica_add(later, it->entities[i], park->asleep);
            foxes[i].energy += 1;
            *found = (mica_entity){0}; // a rabbit is eaten once
        }
    }
}

// Phase "lives": animals with enough energy have young, those without die.
static void live(mica_iter *it)
{
    const Park *park = it->user;
    const Place *places = mica_read(it, 0);
    Animal *animals = mica_write(it, 1);
    Tally *tally = MICA_RESOURCE_MUT(it->world, park->tally, Tally);
    mica_world *later = mica_later(it);
    for (uint32_t i = 0; i < it->count; i++) {
        if (animals[i].energy <= 0) {
            mica_despawn(later, it->entities[i]);
            tally->starved++;
        } else if (animals[i].energy > 2) {
            animals[i].energy -= 1;
            bool is_fox = mica_has(it->world, it->entities[i], park->fox);
            mica_spawn(later, MICA_COPY_OF(park->place, places[i]),
                       MICA_VALUE(park->animal, Animal, 1),
                       MICA_ADD(is_fox ? park->fox : park->rabbit));
            tally->born++;
        }
    }
}

static void wake(mica_iter *it)
{
    const Park *park = it->user;
    for (uint32_t i = 0; i < it->count; i++) {
        mica_remove(mica_later(it), it->entities[i], park->asleep);
    }
}

// Phase "report", every eight seconds: it reads the messages sent since.
static void report(mica_iter *it)
{
    const Park *park = it->user;
    Tally *tally = MICA_RESOURCE_MUT(it->world, park->tally, Tally);
    uint32_t count;
    while (mica_events_unread(it, park->meal, &count)) {
        tally->eaten += count;
    }
    printf("%2g s: %2u animals, %2u born, %2u eaten, %2u starved\n", it->time + it->dt,
           (unsigned)mica_entity_count(it->world), (unsigned)tally->born, (unsigned)tally->eaten,
           (unsigned)tally->starved);
}

static void settle(mica_world *w, const Park *park)
{
    Dice dice = {7};
    Meadow meadow;
    for (int i = 0; i < FIELD * FIELD; i++) {
        meadow.grass[i / FIELD][i % FIELD] = 0.5f;
    }
    mica_resource_set(w, MICA_COPY_OF(park->dice, dice), MICA_COPY_OF(park->meadow, meadow),
                      MICA_ADD(park->tally));
    for (uint32_t i = 0; i < 40; i++) {
        Place at = {(int32_t)(i * 5 % FIELD), (int32_t)(i * 3 % FIELD)};
        mica_spawn(w, MICA_COPY_OF(park->place, at), MICA_VALUE(park->animal, Animal, 1),
                   MICA_ADD(i % 8 == 0 ? park->fox : park->rabbit));
    }
}

static void plan(mica_world *w, Park *park)
{
    mica_phase update = mica_phase_find(w, "update");
    mica_phase growing =
        mica_phase_add(w, &(mica_phase_desc){.name = "grow", .fixed_dt = 1, .before = update});
    mica_phase lives = mica_phase_add(w, &(mica_phase_desc){.name = "lives"});
    mica_phase reporting = mica_phase_add(w, &(mica_phase_desc){.name = "report", .fixed_dt = 8});
    const mica_system_desc systems[] = {
        {.name = "grow",
         .update = grow,
         .phase = growing,
         .resources = {{park->meadow, MICA_WRITE}}},
        {.name = "wander",
         .update = wander,
         .resources = {{park->dice, MICA_WRITE}},
         .query.terms = {{park->place, MICA_WRITE},
                         {park->animal, MICA_WRITE},
                         {park->asleep, MICA_WITHOUT}}},
        {.name = "graze",
         .update = graze,
         .resources = {{park->meadow, MICA_WRITE}},
         .query.terms = {{park->place, MICA_READ},
                         {park->animal, MICA_WRITE},
                         {park->rabbit, MICA_WITH}}},
        {.name = "hunt",
         .begin = look_around,
         .update = hunt,
         .queries = {park->rabbits},
         .events = {{park->meal, MICA_WRITE}},
         .query.terms = {{park->place, MICA_READ},
                         {park->animal, MICA_WRITE},
                         {park->fox, MICA_WITH},
                         {park->asleep, MICA_WITHOUT}}},
        {.name = "wake",
         .update = wake,
         .phase = lives,
         .query.terms = {{park->asleep, MICA_WITH}}},
        {.name = "live",
         .update = live,
         .phase = lives,
         .resources = {{park->tally, MICA_WRITE}},
         .query.terms = {{park->place, MICA_READ}, {park->animal, MICA_WRITE}}},
        {.name = "report",
         .update = report,
         .phase = reporting,
         .resources = {{park->tally, MICA_WRITE}},
         .events = {{park->meal, MICA_READ}}}};
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        mica_system_desc desc = systems[i];
        desc.user = park;
        mica_system_add(w, &desc);
    }
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    Park park = {.place = MICA_REGISTER(w, Place, x, y),
                 .animal = MICA_REGISTER(w, Animal, energy),
                 .rabbit = MICA_TAG(w, Rabbit),
                 .fox = MICA_TAG(w, Fox),
                 .asleep = MICA_SPARSE_TAG(w, Asleep), // comes and goes all the time
                 .meadow = MICA_REGISTER(w, Meadow),
                 .dice = MICA_REGISTER(w, Dice, state),
                 .tally = MICA_REGISTER(w, Tally, born, eaten, starved),
                 .meal = MICA_REGISTER(w, Meal, fox, rabbit)};
    park.rabbits = mica_query_new(
        w, &(mica_query_desc){.terms = {{park.place, MICA_READ}, {park.rabbit, MICA_WITH}}});
    settle(w, &park);
    plan(w, &park);
    mica_schedule_print(w, NULL);
    for (int frame = 0; frame < 80; frame++) {
        if (mica_step(w, 0.5)) {
            return 1;
        }
    }
    // mica_timings_print() prints this as a table; with mica_world_set_timing(), also how long each took.
    mica_system_info hunt, report;
    mica_system_get_info(w, mica_system_find(w, "hunt"), &hunt);
    mica_system_get_info(w, mica_system_find(w, "report"), &report);
    printf("hunt ran %u times over %u foxes, report %u times\n", (unsigned)hunt.stats.runs,
           (unsigned)hunt.stats.rows, (unsigned)report.stats.runs);
    mica_world_free(w);
}
