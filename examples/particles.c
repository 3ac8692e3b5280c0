// Structure of arrays: split components as plain arrays of float, so the compiler can process four, eight or sixteen
// at a time (SIMD).
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;   // metres
    float vx, vy; // metres per second
} Particle;

// The rows of one array. None of them overlaps another, which is what `restrict` tells the compiler.
static void add_scaled(float *restrict to, const float *restrict from, float scale, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        to[i] += from[i] * scale;
    }
}

static void move(mica_iter *it)
{
    mica_write_fields x = MICA_WRITE_FIELD(it, 0, Particle, x);
    mica_write_fields y = MICA_WRITE_FIELD(it, 0, Particle, y);
    mica_write_fields vx = MICA_WRITE_FIELD(it, 0, Particle, vx);
    mica_write_fields vy = MICA_WRITE_FIELD(it, 0, Particle, vy);
    if (vy.stride != sizeof(float)) { // stored in another way
        mica_system_fail(it, 0, "particles are to be split");
        return;
    }
    float *fall = vy.base;
    for (uint32_t i = 0; i < it->count; i++) {
        fall[i] -= 10 * it->dt;
    }
    add_scaled(x.base, vx.base, it->dt, it->count);
    add_scaled(y.base, vy.base, it->dt, it->count);
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type particle = MICA_REGISTER_SPLIT(world, Particle, x, y, vx, vy);
    mica_entity last = (mica_entity){0};
    for (int i = 0; i < 10000; i++) {
        last = mica_spawn(world, MICA_VALUE(particle, Particle, .vx = (float)(i % 100), .vy = 20));
    }
    mica_system_add(world, &(mica_system_desc){.name = "move",
                                               .update = move,
                                               .query.terms = {{particle, MICA_WRITE}}});
    for (int frame = 0; frame < 32; frame++) {
        mica_step(world, 1.0 / 16);
    }
    Particle p;
    if (MICA_LOAD(world, last, particle, p)) {
        printf("the last one is at %g %g\n", p.x, p.y);
    }
    mica_world_free(world);
}
