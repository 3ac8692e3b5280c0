// The loops as one writes them in C.
#include "each.h"

void c_move(mica_world *world, mica_query query)
{
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        Position *p = mica_write(&it, 0);
        const Velocity *v = mica_read(&it, 1);
        const uint32_t count = it.count;
        for (uint32_t i = 0; i < count; i++) {
            p[i].x += v[i].x * 0.5f;
            p[i].y += v[i].y * 0.5f;
        }
    }
}

uint64_t c_pick(mica_world *world, mica_query query)
{
    uint64_t picked = 0;
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        const Position *p = mica_write(&it, 0);
        const Velocity *v = mica_read(&it, 1);
        const mica_entity *entities = it.entities;
        const uint32_t count = it.count;
        for (uint32_t i = 0; i < count; i++) {
            if (p[i].x > v[i].x) {
                picked += entities[i].bits;
            }
        }
    }
    return picked;
}

float c_sum(mica_world *world, mica_query query)
{
    float sum = 0;
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        const Position *p = mica_write(&it, 0);
        const Velocity *v = mica_read(&it, 1);
        const uint32_t count = it.count;
        for (uint32_t i = 0; i < count; i++) {
            sum += p[i].x * v[i].y;
        }
    }
    return sum;
}

void c_update(mica_iter *it)
{
    Position *p = mica_write(it, 0);
    const Velocity *v = mica_read(it, 1);
    const float dt = it->dt;
    const uint32_t count = it->count;
    for (uint32_t i = 0; i < count; i++) {
        p[i].x += v[i].x * dt;
        p[i].y += v[i].y * dt;
    }
}
