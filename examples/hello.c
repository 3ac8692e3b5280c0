// Things that move: two components, one system, sixty frames.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;

static void move(mica_iter *it)
{
    Position *p = mica_write(it, 0);
    const Velocity *v = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].x += v[i].x * it->dt;
        p[i].y += v[i].y * it->dt;
    }
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type pos = MICA_REGISTER(w, Position, x, y);
    mica_type vel = MICA_REGISTER(w, Velocity, x, y);
    mica_entity e = mica_spawn(w, MICA_VALUE(pos, Position, 0, 0), MICA_VALUE(vel, Velocity, 1, 2));
    mica_system_add(w, &(mica_system_desc){.name = "move",
                                           .update = move,
                                           .query.terms = {{pos, MICA_WRITE}, {vel, MICA_READ}}});
    for (int frame = 0; frame < 60; frame++) {
        mica_step(w, 1.0 / 60);
    }
    const Position *p = mica_get(w, e, pos);
    printf("%g %g\n", p->x, p->y);
    mica_world_free(w);
}
