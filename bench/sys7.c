// A frame of seven systems over entities of many kinds, after the "complex systems, mixed entities"
// of abeimler's ecs_benchmark.
//
// Entity i has Position unless i is a multiple of 70, Velocity unless of 110, Stuff unless of 130;
// even ones are units: Player, Health, Damage and Sprite too.
//
//   move    Position, Velocity          a step
//   stuff   Stuff                       counts, adds up, draws a random number
//   steer   Position, Velocity, Stuff   every tenth frame a new velocity
//   health  Health                      dead, spawning or alive
//   damage  Health, Damage              what a unit suffers
//   sprite  Sprite, Player, Health      the character it is drawn as
//   render  Position, Sprite            drawn, if on the screen
//
// Each system is a loop over rows that all sides share, so that only the way to the rows differs. As a group,
// movers own Position and Velocity, and units all they have.
#include <mica/debug.h>
#include <mica/group.h>
#include <mica/system.h>
#include <mica/world.h>

#include "harness.h"
#include "host.h"
#include "kernels.h"
#include "pairs.h"
#include "scenarios.h"

enum { STEER_EVERY = 10, COUNT_WRAP = 1000000, WARM_FRAMES = 25 };

// A unit's first values.
typedef struct Unit {
    Player player;
    Health health;
    Damage damage;
    Sprite sprite;
} Unit;

static bool has_position(uint32_t i)
{
    return i % 70 != 0;
}

static bool has_velocity(uint32_t i)
{
    return i % 110 != 0;
}

static bool has_stuff(uint32_t i)
{
    return i % 130 != 0;
}

static bool is_unit(uint32_t i)
{
    return i % 2 == 0;
}

// On the screen or up to 100 to the left of it or above it.
static Position first_position(uint32_t i)
{
    uint64_t random = mix(i);
    return (Position){(float)(int32_t)(random % 420) - 100.0f,
                      (float)(int32_t)((random >> 32) % 340) - 100.0f};
}

static Velocity first_velocity(void)
{
    return (Velocity){1.0f, 1.0f};
}

static Stuff first_stuff(uint32_t i)
{
    Stuff stuff = {.seed = i};
    rng_seed(stuff.rng, i);
    return stuff;
}

// 3 of 100 are bystanders, 47 heroes, 50 monsters.
static Unit first_unit(uint32_t i)
{
    Unit unit = {.sprite = {'_'}};
    uint32_t *rng = unit.player.rng;
    rng_seed(rng, ~i);
    uint32_t dice = rng_between(rng, 1, 100);
    unit.player.kind = dice <= 3 ? KIND_NPC : dice <= 50 ? KIND_HERO : KIND_MONSTER;
    unit.health.maxhp = (int32_t)rng_between(rng, 4, 15);
    unit.health.hp = unit.health.maxhp;
    unit.damage.def = (int32_t)rng_between(rng, 2, 8);
    unit.damage.atk = unit.player.kind == KIND_NPC ? 0 : (int32_t)rng_between(rng, 3, 10);
    return unit;
}

// The systems, over rows.

static void move_rows(Position *restrict position, const Velocity *restrict velocity,
                      uint32_t count, float dt)
{
    for (uint32_t i = 0; i < count; i++) {
        kernel_move(&position[i], &velocity[i], dt);
    }
}

static void stuff_rows(Stuff *restrict stuff, uint32_t count, float dt)
{
    for (uint32_t i = 0; i < count; i++) {
        Stuff *s = &stuff[i];
        s->count = (s->count + 1) % COUNT_WRAP;
        s->sum += 0.0001 * (double)dt;
        s->flag = !s->flag;
        s->last = rng_next(s->rng);
    }
}

static void steer_rows(const Position *restrict position, Velocity *restrict velocity,
                       Stuff *restrict stuff, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (stuff[i].count % STEER_EVERY != 0) {
            continue;
        }
        uint32_t *rng = stuff[i].rng;
        float turn = (float)(int32_t)rng_between(rng, 3, 19) - 10.0f;
        float drift = (float)(int32_t)rng_between(rng, 0, 5);
        bool along_x = position[i].x > position[i].y;
        velocity[i] = along_x ? (Velocity){turn, drift} : (Velocity){drift, turn};
    }
}

static void health_rows(Health *restrict health, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        Health *h = &health[i];
        if (h->hp <= 0 && h->status != STATUS_DEAD) {
            h->hp = 0;
            h->status = STATUS_DEAD;
        } else if (h->hp == 0 && h->status == STATUS_DEAD) {
            h->hp = h->maxhp;
            h->status = STATUS_SPAWN;
        } else if (h->hp >= h->maxhp && h->status != STATUS_ALIVE) {
            h->hp = h->maxhp;
            h->status = STATUS_ALIVE;
        } else {
            h->status = STATUS_ALIVE;
        }
    }
}

static void damage_rows(Health *restrict health, const Damage *restrict damage, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t hurt = damage[i].atk - damage[i].def;
        int32_t hp = health[i].hp;
        if (hp > 0 && hurt > 0) {
            health[i].hp = hp > hurt ? hp - hurt : 0;
        }
    }
}

static void sprite_rows(Sprite *restrict sprite, const Player *restrict player,
                        const Health *restrict health, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char character = ' ';
        switch (health[i].status) {
        case STATUS_ALIVE:
            character = player[i].kind == KIND_HERO      ? '@'
                        : player[i].kind == KIND_MONSTER ? 'k'
                                                         : 'h';
            break;
        case STATUS_DEAD: character = '|'; break;
        case STATUS_SPAWN: character = '_'; break;
        }
        sprite[i].character = character;
    }
}

static void render_rows(char *restrict screen, const Position *restrict position,
                        const Sprite *restrict sprite, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t x = (int32_t)position[i].x;
        int32_t y = (int32_t)position[i].y;
        if (x >= 0 && x < SCREEN_WIDTH && y >= 0 && y < SCREEN_HEIGHT) {
            screen[y * SCREEN_WIDTH + x] = sprite[i].character;
        }
    }
}

// Checksums

static uint64_t check_stuff(uint32_t i, const Stuff *stuff)
{
    uint64_t sum;
    memcpy(&sum, &stuff->sum, sizeof sum);
    uint64_t numbers = (uint64_t)(uint32_t)stuff->count << 32 | stuff->last;
    return mix(mix(numbers) + mix(sum + stuff->flag) + i);
}

static uint64_t check_unit(uint32_t i, const Health *health, const Sprite *sprite)
{
    uint64_t numbers = (uint64_t)(uint32_t)health->hp << 32 | (uint32_t)health->maxhp;
    return mix(mix(numbers) + health->status + (uint64_t)(unsigned char)sprite->character * 256 +
               i);
}

// How much of the screen was drawn on. What is seen where two meet depends on the order of rows.
static uint64_t check_screen(const char *screen)
{
    uint64_t drawn = 0;
    for (int i = 0; i < SCREEN_WIDTH * SCREEN_HEIGHT; i++) {
        drawn += screen[i] != 0;
    }
    return mix(drawn);
}

// mica

typedef struct mica_state {
    mica_world *world;
    mica_type position, velocity, stuff, player, health, damage, sprite;
    mica_entity *entities;
    char *screen;
    uint32_t n;
} mica_state;

static void update_move(mica_iter *it)
{
    move_rows(mica_write(it, 0), mica_read(it, 1), it->count, it->dt);
}

static void update_stuff(mica_iter *it)
{
    stuff_rows(mica_write(it, 0), it->count, it->dt);
}

static void update_steer(mica_iter *it)
{
    steer_rows(mica_read(it, 0), mica_write(it, 1), mica_write(it, 2), it->count);
}

static void update_health(mica_iter *it)
{
    health_rows(mica_write(it, 0), it->count);
}

static void update_damage(mica_iter *it)
{
    damage_rows(mica_write(it, 0), mica_read(it, 1), it->count);
}

static void update_sprite(mica_iter *it)
{
    sprite_rows(mica_write(it, 0), mica_read(it, 1), mica_read(it, 2), it->count);
}

static void update_render(mica_iter *it)
{
    render_rows(it->user, mica_read(it, 0), mica_read(it, 1), it->count);
}

static bool register_types(mica_state *s, bench_policy policy)
{
    mica_world *world = s->world;
    s->position = pairs_register(world, policy, MICA_DESCRIBE(Position, x, y));
    s->velocity = pairs_register(world, policy, MICA_DESCRIBE(Velocity, x, y));
    s->stuff =
        pairs_register(world, policy, MICA_DESCRIBE(Stuff, count, sum, flag, seed, rng, last));
    s->player = pairs_register(world, policy, MICA_DESCRIBE(Player, rng, kind));
    s->health = pairs_register(world, policy, MICA_DESCRIBE(Health, hp, maxhp, status));
    s->damage = pairs_register(world, policy, MICA_DESCRIBE(Damage, atk, def));
    s->sprite = pairs_register(world, policy, MICA_DESCRIBE(Sprite, character));
    return mica_world_get_stats(world).types == 7;
}

static bool add_groups(const mica_state *s)
{
    const mica_group_desc movers = {.owned = {s->position, s->velocity}};
    const mica_group_desc units = {.owned = {s->player, s->health, s->damage, s->sprite}};
    return !MICA_IS_NONE(mica_group_new(s->world, &movers)) &&
           !MICA_IS_NONE(mica_group_new(s->world, &units));
}

static bool add_systems(mica_state *s)
{
    const mica_system_desc descs[] = {
        {.name = "move",
         .update = update_move,
         .query.terms = {{s->position, MICA_WRITE}, {s->velocity, MICA_READ}}},
        {.name = "stuff", .update = update_stuff, .query.terms = {{s->stuff, MICA_WRITE}}},
        {.name = "steer",
         .update = update_steer,
         .query.terms = {{s->position, MICA_READ},
                         {s->velocity, MICA_WRITE},
                         {s->stuff, MICA_WRITE}}},
        {.name = "health", .update = update_health, .query.terms = {{s->health, MICA_WRITE}}},
        {.name = "damage",
         .update = update_damage,
         .query.terms = {{s->health, MICA_WRITE}, {s->damage, MICA_READ}}},
        {.name = "sprite",
         .update = update_sprite,
         .query.terms = {{s->sprite, MICA_WRITE}, {s->player, MICA_READ}, {s->health, MICA_READ}}},
        {.name = "render",
         .update = update_render,
         .query.terms = {{s->position, MICA_READ}, {s->sprite, MICA_READ}},
         .user = s->screen},
    };
    for (size_t i = 0; i < sizeof descs / sizeof descs[0]; i++) {
        if (mica_system_add(s->world, &descs[i]).bits == 0) {
            return false;
        }
    }
    return true;
}

static mica_entity spawn(const mica_state *s, uint32_t i)
{
    Position position = first_position(i);
    Velocity velocity = first_velocity();
    Stuff stuff = first_stuff(i);
    Unit unit = first_unit(i);
    mica_value values[7];
    uint32_t count = 0;
    if (has_position(i)) {
        values[count++] = MICA_COPY_OF(s->position, position);
    }
    if (has_velocity(i)) {
        values[count++] = MICA_COPY_OF(s->velocity, velocity);
    }
    if (has_stuff(i)) {
        values[count++] = MICA_COPY_OF(s->stuff, stuff);
    }
    if (is_unit(i)) {
        values[count++] = MICA_COPY_OF(s->player, unit.player);
        values[count++] = MICA_COPY_OF(s->health, unit.health);
        values[count++] = MICA_COPY_OF(s->damage, unit.damage);
        values[count++] = MICA_COPY_OF(s->sprite, unit.sprite);
    }
    return mica_spawn_values(s->world, values, count);
}

static void sys7_mica_teardown(void *state)
{
    mica_state *s = state;
    mica_world_free(s->world);
    bench_free(s->entities);
    bench_free(s->screen);
    bench_free(s);
}

static void *sys7_mica_setup(const bench_case *what)
{
    mica_state *s = bench_alloc(sizeof *s);
    *s = (mica_state){.world = mica_world_new(NULL),
                      .entities = bench_alloc(what->n * sizeof(mica_entity)),
                      .screen = bench_alloc(SCREEN_WIDTH * SCREEN_HEIGHT),
                      .n = what->n};
    memset(s->screen, 0, SCREEN_WIDTH * SCREEN_HEIGHT);
    if (s->world == NULL || !register_types(s, what->policy) ||
        (what->policy == BENCH_GROUP && !add_groups(s)) || !add_systems(s)) {
        sys7_mica_teardown(s);
        return NULL;
    }
    for (uint32_t i = 0; i < what->n; i++) {
        s->entities[i] = spawn(s, i);
    }
    return s;
}

static void sys7_mica_run(void *state)
{
    const mica_state *s = state;
    mica_step(s->world, BENCH_DT);
}

static uint64_t sys7_mica_check(void *state)
{
    const mica_state *s = state;
    uint64_t sum = check_screen(s->screen);
    for (uint32_t i = 0; i < s->n; i++) {
        mica_entity entity = s->entities[i];
        const Position *position = MICA_GET(s->world, entity, s->position, Position);
        const Stuff *stuff = MICA_GET(s->world, entity, s->stuff, Stuff);
        const Health *health = MICA_GET(s->world, entity, s->health, Health);
        const Sprite *sprite = MICA_GET(s->world, entity, s->sprite, Sprite);
        sum += position != NULL ? check_position(i, position) : 0;
        sum += stuff != NULL ? check_stuff(i, stuff) : 0;
        sum += health != NULL && sprite != NULL ? check_unit(i, health, sprite) : 0;
    }
    return sum;
}

// limit: for each combination of components, arrays of those it has.

enum { PART_POSITION = 1, PART_VELOCITY = 2, PART_STUFF = 4, PART_UNIT = 8, PART_SETS = 16 };

typedef struct plain_table {
    Position *position;
    Velocity *velocity;
    Stuff *stuff;
    Player *player;
    Health *health;
    Damage *damage;
    Sprite *sprite;
    uint32_t *entities;
    uint32_t count;
} plain_table;

// Which tables a system visits. Systems that visit the same ones share a list.
enum { LIST_MOVE = 0, LIST_STUFF, LIST_STEER, LIST_UNIT, LIST_RENDER, LIST_COUNT };

static const uint32_t list_parts[LIST_COUNT] = {
    [LIST_MOVE] = PART_POSITION | PART_VELOCITY,
    [LIST_STUFF] = PART_STUFF,
    [LIST_STEER] = PART_POSITION | PART_VELOCITY | PART_STUFF,
    [LIST_UNIT] = PART_UNIT,
    [LIST_RENDER] = PART_POSITION | PART_UNIT,
};

typedef struct plain_list {
    const plain_table *tables[PART_SETS];
    uint32_t count;
} plain_list;

typedef struct plain_state {
    plain_table tables[PART_SETS];
    plain_list lists[LIST_COUNT];
    char *screen;
} plain_state;

static uint32_t parts_of(uint32_t i)
{
    return (has_position(i) ? PART_POSITION : 0) | (has_velocity(i) ? PART_VELOCITY : 0) |
           (has_stuff(i) ? PART_STUFF : 0) | (is_unit(i) ? PART_UNIT : 0);
}

static void make_table(plain_table *t, uint32_t parts, uint32_t count)
{
    *t = (plain_table){.entities = bench_alloc(count * sizeof(uint32_t))};
    if (parts & PART_POSITION) {
        t->position = bench_alloc(count * sizeof(Position));
    }
    if (parts & PART_VELOCITY) {
        t->velocity = bench_alloc(count * sizeof(Velocity));
    }
    if (parts & PART_STUFF) {
        t->stuff = bench_alloc(count * sizeof(Stuff));
    }
    if (parts & PART_UNIT) {
        t->player = bench_alloc(count * sizeof(Player));
        t->health = bench_alloc(count * sizeof(Health));
        t->damage = bench_alloc(count * sizeof(Damage));
        t->sprite = bench_alloc(count * sizeof(Sprite));
    }
}

static void push(plain_table *t, uint32_t parts, uint32_t i)
{
    uint32_t row = t->count++;
    t->entities[row] = i;
    if (parts & PART_POSITION) {
        t->position[row] = first_position(i);
    }
    if (parts & PART_VELOCITY) {
        t->velocity[row] = first_velocity();
    }
    if (parts & PART_STUFF) {
        t->stuff[row] = first_stuff(i);
    }
    if (parts & PART_UNIT) {
        Unit unit = first_unit(i);
        t->player[row] = unit.player;
        t->health[row] = unit.health;
        t->damage[row] = unit.damage;
        t->sprite[row] = unit.sprite;
    }
}

static void list_tables(plain_state *s)
{
    for (int i = 0; i < LIST_COUNT; i++) {
        plain_list *list = &s->lists[i];
        list->count = 0;
        for (uint32_t parts = 0; parts < PART_SETS; parts++) {
            if ((parts & list_parts[i]) == list_parts[i] && s->tables[parts].count > 0) {
                list->tables[list->count++] = &s->tables[parts];
            }
        }
    }
}

static void *sys7_limit_setup(const bench_case *what)
{
    plain_state *s = bench_alloc(sizeof *s);
    uint32_t counts[PART_SETS] = {0};
    for (uint32_t i = 0; i < what->n; i++) {
        counts[parts_of(i)]++;
    }
    for (uint32_t parts = 0; parts < PART_SETS; parts++) {
        make_table(&s->tables[parts], parts, counts[parts]);
    }
    for (uint32_t i = 0; i < what->n; i++) {
        push(&s->tables[parts_of(i)], parts_of(i), i);
    }
    list_tables(s);
    s->screen = bench_alloc(SCREEN_WIDTH * SCREEN_HEIGHT);
    memset(s->screen, 0, SCREEN_WIDTH * SCREEN_HEIGHT);
    return s;
}

static void sys7_limit_run(void *state)
{
    const plain_state *s = state;
    for (uint32_t i = 0; i < s->lists[LIST_MOVE].count; i++) {
        const plain_table *t = s->lists[LIST_MOVE].tables[i];
        move_rows(t->position, t->velocity, t->count, BENCH_DT);
    }
    for (uint32_t i = 0; i < s->lists[LIST_STUFF].count; i++) {
        const plain_table *t = s->lists[LIST_STUFF].tables[i];
        stuff_rows(t->stuff, t->count, BENCH_DT);
    }
    for (uint32_t i = 0; i < s->lists[LIST_STEER].count; i++) {
        const plain_table *t = s->lists[LIST_STEER].tables[i];
        steer_rows(t->position, t->velocity, t->stuff, t->count);
    }
    for (uint32_t i = 0; i < s->lists[LIST_UNIT].count; i++) {
        const plain_table *t = s->lists[LIST_UNIT].tables[i];
        health_rows(t->health, t->count);
    }
    for (uint32_t i = 0; i < s->lists[LIST_UNIT].count; i++) {
        const plain_table *t = s->lists[LIST_UNIT].tables[i];
        damage_rows(t->health, t->damage, t->count);
    }
    for (uint32_t i = 0; i < s->lists[LIST_UNIT].count; i++) {
        const plain_table *t = s->lists[LIST_UNIT].tables[i];
        sprite_rows(t->sprite, t->player, t->health, t->count);
    }
    for (uint32_t i = 0; i < s->lists[LIST_RENDER].count; i++) {
        const plain_table *t = s->lists[LIST_RENDER].tables[i];
        render_rows(s->screen, t->position, t->sprite, t->count);
    }
}

static uint64_t sys7_limit_check(void *state)
{
    const plain_state *s = state;
    uint64_t sum = check_screen(s->screen);
    for (uint32_t parts = 0; parts < PART_SETS; parts++) {
        const plain_table *t = &s->tables[parts];
        for (uint32_t row = 0; row < t->count; row++) {
            uint32_t i = t->entities[row];
            sum += parts & PART_POSITION ? check_position(i, &t->position[row]) : 0;
            sum += parts & PART_STUFF ? check_stuff(i, &t->stuff[row]) : 0;
            sum += parts & PART_UNIT ? check_unit(i, &t->health[row], &t->sprite[row]) : 0;
        }
    }
    return sum;
}

static void sys7_limit_teardown(void *state)
{
    plain_state *s = state;
    for (uint32_t parts = 0; parts < PART_SETS; parts++) {
        plain_table *t = &s->tables[parts];
        bench_free(t->position);
        bench_free(t->velocity);
        bench_free(t->stuff);
        bench_free(t->player);
        bench_free(t->health);
        bench_free(t->damage);
        bench_free(t->sprite);
        bench_free(t->entities);
    }
    bench_free(s->screen);
    bench_free(s);
}

static uint32_t one_frame(uint32_t n)
{
    (void)n;
    return 1;
}

#define SIDES                                                                                      \
    {                                                                                              \
        [BENCH_MICA] = {.setup = sys7_mica_setup,                                                  \
                        .run = sys7_mica_run,                                                      \
                        .check = sys7_mica_check,                                                  \
                        .teardown = sys7_mica_teardown},                                           \
        [BENCH_LIMIT] = {.setup = sys7_limit_setup,                                                \
                         .run = sys7_limit_run,                                                    \
                         .check = sys7_limit_check,                                                \
                         .teardown = sys7_limit_teardown},                                         \
    }

static const bench_scenario scenarios[] = {
    {.name = "sys7",
     .text = "a frame of seven systems, per entity",
     .sizes = {64, 1024, 65536, 1048576},
     .policies = BENCH_ALSO_GROUP,
     .warm_runs = WARM_FRAMES,
     .sides = SIDES},
    {.name = "step_small",
     .text = "the same with few entities, per frame",
     .sizes = {64},
     .fixed_size = true,
     .warm_runs = WARM_FRAMES,
     .items = one_frame,
     .sides = SIDES},
};

const bench_family bench_sys7 = {scenarios, sizeof scenarios / sizeof scenarios[0]};
