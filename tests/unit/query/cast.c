#include "unit/query/cast.h"

void cast_register(cast *c)
{
    c->world = test_world_begin(&c->t);
    c->position = MICA_REGISTER(c->world, Position, x, y);
    c->velocity = MICA_REGISTER(c->world, Velocity, x, y);
    c->health = MICA_REGISTER(c->world, Health, points);
    c->frozen = MICA_TAG(c->world, Frozen);
}

mica_entity cast_spawn(cast *c, uint32_t shape)
{
    mica_value values[TYPES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        if (shape >> i & 1) {
            values[count++] = MICA_ADD(c->types[i]);
        }
    }
    return mica_spawn_values(c->world, values, count);
}

mica_world *cast_begin(cast *c)
{
    cast_register(c);
    for (uint32_t shape = 0; shape < SHAPES; shape++) {
        c->entities[shape] = cast_spawn(c, shape);
    }
    return c->world;
}

void cast_end(cast *c)
{
    test_world_end(&c->t);
}

micai_query *cast_inside(mica_world *world, mica_query query)
{
    micai_query *found = micai_query_find(world, "test", query);
    REQUIRE(found != NULL);
    return found;
}
