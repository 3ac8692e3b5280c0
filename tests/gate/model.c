// The same work done twice, through the functions behind a model and through the model, for model.sh: the
// functions plain_* and model_* are counted. Compiled as a program with NDEBUG.
#define MICA_CHECK_C_TYPES 0
#include <mica.h>

#include <stdio.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

#define GAME(X)                                                                                    \
    X(TABLE, Position, x, y)                                                                       \
    X(TABLE, Velocity, x, y)                                                                       \
    X(TAG, Frozen)
MICA_MODEL(game, GAME)

#define MOVERS(X)                                                                                  \
    X(WRITE, Position)                                                                             \
    X(READ, Velocity)
MICA_MODEL_QUERY(game, movers, MOVERS)

enum { COUNT = 1000 };

typedef struct lab {
    mica_world *world;
    game g;
    mica_query plain;
    movers_query typed;
    mica_accessor accessor;
    Position_accessor typed_accessor;
    mica_entity entities[COUNT]; // have both components
    mica_entity *end;
    float sum;
} lab;

#if defined(__GNUC__)
#define APART __attribute__((noinline))
#else
#define APART
#endif

// PAIR(what, plain, model): a function each, which does it with every entity.
#define PAIR(what, plain, model)                                                                   \
    APART static void plain_##what(lab *l)                                                         \
    {                                                                                              \
        for (const mica_entity *e = l->entities; e < l->end; e++) {                                \
            plain;                                                                                 \
        }                                                                                          \
    }                                                                                              \
    APART static void model_##what(lab *l)                                                         \
    {                                                                                              \
        for (const mica_entity *e = l->entities; e < l->end; e++) {                                \
            model;                                                                                 \
        }                                                                                          \
    }

PAIR(get, l->sum += ((const Position *)mica_get(l->world, *e, l->g.Position.type))->x,
     l->sum += Position_get(l->world, *e, l->g.Position)->x)
PAIR(get_mut, ((Position *)mica_get_mut(l->world, *e, l->g.Position.type))->x = 1,
     Position_get_mut(l->world, *e, l->g.Position)->x = 1)
PAIR(set, mica_set(l->world, *e, MICA_VALUE(l->g.Position.type, Position, 3, 4)),
     Position_set(l->world, *e, l->g.Position, ((Position){3, 4})))
PAIR(has, l->sum += mica_has(l->world, *e, l->g.Velocity.type),
     l->sum += Velocity_has(l->world, *e, l->g.Velocity))
PAIR(add, mica_add(l->world, *e, l->g.Frozen.type), Frozen_add(l->world, *e, l->g.Frozen))
PAIR(remove, mica_remove(l->world, *e, l->g.Frozen.type), Frozen_remove(l->world, *e, l->g.Frozen))
PAIR(spawn,
     mica_spawn(l->world, MICA_VALUE(l->g.Position.type, Position, 1, 2),
                MICA_VALUE(l->g.Velocity.type, Velocity, 3, 4)),
     mica_spawn(l->world, MICA_VALUE_OF(l->g, Position, 1, 2), MICA_VALUE_OF(l->g, Velocity, 3, 4)))

// An accessor is kept in a variable, as they are meant to be: a loop then has it in registers.
APART static void plain_accessor(lab *l)
{
    const mica_accessor positions = l->accessor;
    for (const mica_entity *e = l->entities; e < l->end; e++) {
        l->sum += ((const Position *)mica_accessor_get(&positions, *e))->x;
    }
}

APART static void model_accessor(lab *l)
{
    const Position_accessor positions = l->typed_accessor;
    for (const mica_entity *e = l->entities; e < l->end; e++) {
        l->sum += Position_accessor_get(positions, *e)->x;
    }
}

APART static void plain_each(lab *l)
{
    mica_iter it;
    mica_iter_begin(l->world, l->plain, &it);
    while (mica_iter_next(&it)) {
        Position *p = mica_write(&it, 0);
        const Velocity *v = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
    }
}

APART static void model_each(lab *l)
{
    MICA_EACH(movers, m, l->world, l->typed) {
        m.Position->x += m.Velocity->x;
        m.Position->y += m.Velocity->y;
    }
}

static void plain_move(mica_iter *it)
{
    Position *p = mica_write(it, 0);
    const Velocity *v = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].x += v[i].x * it->dt;
    }
}

static void model_move(mica_iter *it)
{
    MICA_EACH_ROW(movers, m, it) {
        m.Position->x += m.Velocity->x * it->dt;
    }
}

static void step(lab *l, void (*update)(mica_iter *))
{
    const mica_system_desc desc = {.name = "move", .update = update, .query = movers_desc(&l->g)};
    mica_system system = mica_system_add(l->world, &desc);
    mica_step(l->world, 1.0 / 64);
    mica_system_remove(l->world, system);
}

// What is done for the first time makes room, and is not counted. Spawned are as many as there is room for.
static void run(lab *l, void (*what[])(lab *))
{
    for (size_t i = 0; what[i]; i++) {
        what[i](l);
    }
}

int main(void)
{
    static lab l;
    l.world = mica_world_new(NULL);
    if (game_register(l.world, &l.g)) {
        return 1;
    }
    l.typed = movers_new(l.world, &l.g);
    l.plain =
        mica_query_new(l.world, &(mica_query_desc){.terms = {{l.g.Position.type, MICA_WRITE},
                                                             {l.g.Velocity.type, MICA_READ}}});
    l.accessor = mica_accessor_new(l.world, l.g.Position.type);
    l.typed_accessor = Position_accessor_new(l.world, l.g.Position);
    const mica_type types[] = {l.g.Position.type, l.g.Velocity.type, l.g.Frozen.type};
    mica_bundle warm = mica_bundle_new(l.world, types, 3);
    mica_bundle bundle = mica_bundle_new(l.world, types, 2);
    mica_bundle_reserve(l.world, warm, COUNT);
    mica_bundle_reserve(l.world, bundle, 4 * COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        l.entities[i] = mica_spawn(l.world, MICA_VALUE_OF(l.g, Position, 1, 2),
                                   MICA_VALUE_OF(l.g, Velocity, 3, 4));
    }
    for (uint32_t i = 0; i < COUNT; i++) { // as it is done below
        Frozen_add(l.world, l.entities[i], l.g.Frozen);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        Frozen_remove(l.world, l.entities[i], l.g.Frozen);
    }
    l.end = l.entities + COUNT;
    run(&l, (void (*[])(lab *)){plain_get, model_get, plain_get_mut, model_get_mut, plain_set,
                                model_set, plain_has, model_has, plain_accessor, model_accessor,
                                plain_add, plain_remove, model_add, model_remove, plain_each,
                                model_each, plain_spawn, model_spawn, NULL});
    step(&l, plain_move);
    step(&l, model_move);
    printf("get get_mut set has accessor add remove each spawn move\n");
    mica_world_free(l.world);
    return l.sum < 0;
}
