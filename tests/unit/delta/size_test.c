// How large deltas are: docs/decisions/deltas.md has these figures.
#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"

enum { BIRDS = 100000 };

typedef struct Vec2 {
    float x, y;
} Vec2;

typedef struct flock {
    test_world t;
    mica_world *world;
    mica_type position, velocity;
    mica_entity birds[BIRDS];
    uint64_t random;
    mica_buffer delta;
} flock;

static uint32_t below(flock *f, uint32_t end)
{
    f->random ^= f->random << 13;
    f->random ^= f->random >> 7;
    f->random ^= f->random << 17;
    return (uint32_t)(f->random % end);
}

static mica_type add_type(flock *f, const char *name)
{
    mica_type_desc desc = MICA_DESCRIBE(Vec2, x, y);
    desc.name = name;
    return mica_type_register(f->world, &desc);
}

// Numbers from -1 to 1.
static float any(flock *f)
{
    return (float)below(f, 20001) / 10000 - 1;
}

static void begin(flock *f)
{
    f->world = test_world_begin(&f->t);
    f->random = 88172645463325252u;
    f->position = add_type(f, "Position");
    f->velocity = add_type(f, "Velocity");
    for (int i = 0; i < BIRDS; i++) {
        f->birds[i] =
            mica_spawn(f->world, MICA_VALUE(f->position, Vec2, any(f) * 500, any(f) * 500),
                       MICA_VALUE(f->velocity, Vec2, any(f) * 20, any(f) * 20));
    }
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(f->world, NULL));
}

// A frame: birds turn by up to 0.05, and fly on.
static void fly(flock *f)
{
    for (int i = 0; i < BIRDS; i++) {
        Vec2 *p = mica_get_mut(f->world, f->birds[i], f->position);
        Vec2 *v = mica_get_mut(f->world, f->birds[i], f->velocity);
        float turn = any(f) * 0.05f;
        *v = (Vec2){v->x - v->y * turn, v->y + v->x * turn};
        p->x += v->x / 60;
        p->y += v->y / 60;
    }
}

static size_t save(flock *f, mica_snapshot from, const mica_delta_field *fields, uint32_t count)
{
    const mica_delta_desc desc = {.fields = fields, .field_count = count};
    mica_snapshot to = mica_snapshot_previous(f->world, (mica_snapshot){0}); // the newest
    REQUIRE_EQUAL(MICA_OK,
                  mica_delta_save(f->world, from, to, &(mica_stream){.buffer = &f->delta}, &desc));
    return f->delta.size;
}

// The figure may be less than a hundredth above the measured one.
#define CHECK_SIZE(bytes, measured) CHECK((bytes) <= (size_t)(measured) + (size_t)(measured) / 100)

static void deltas_are_as_large_as_the_changes(void)
{
    static flock f;
    begin(&f);
    const mica_delta_field fields[] = {{f.position, "x", 0.01},
                                       {f.position, "y", 0.01},
                                       {f.velocity, "x", 0.01},
                                       {f.velocity, "y", 0.01}};
    mica_snapshot first = mica_snapshot_take(f.world);
    CHECK_SIZE(save(&f, first, NULL, 0), 34);

    fly(&f);
    mica_snapshot second = mica_snapshot_take(f.world);
    CHECK_SIZE(save(&f, first, NULL, 0), 1600107);
    CHECK_SIZE(save(&f, first, fields, 2), 1006337);
    CHECK_SIZE(save(&f, first, fields, 4), 430613);

    for (int i = 0; i < BIRDS / 100; i++) {
        Vec2 *p = mica_get_mut(f.world, f.birds[below(&f, BIRDS)], f.position);
        *p = (Vec2){p->x + 0.3f, p->y + 0.2f};
    }
    mica_snapshot third = mica_snapshot_take(f.world);
    CHECK_SIZE(save(&f, second, NULL, 0), 9283);
    CHECK_SIZE(save(&f, second, fields, 4), 3331);

    for (int i = 0; i < BIRDS / 100; i++) {
        mica_despawn(f.world, f.birds[i * 7]);
        mica_spawn(f.world, MICA_VALUE(f.position, Vec2, any(&f), any(&f)),
                   MICA_VALUE(f.velocity, Vec2, any(&f), any(&f)));
    }
    REQUIRE(!MICA_IS_NONE(mica_snapshot_take(f.world)));
    CHECK_SIZE(save(&f, third, NULL, 0), 21079);
    mica_buffer_free(&f.delta);
    test_world_end(&f.t);
}

TESTS(delta_size, deltas_are_as_large_as_the_changes)
