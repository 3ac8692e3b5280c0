#include "pairs.h"

#include <mica/debug.h>

mica_type pairs_register(mica_world *world, bench_policy policy, mica_type_desc desc)
{
    desc.storage = pairs_storage(policy);
    return mica_type_register(world, &desc);
}

static mica_type register_data(mica_world *world, bench_policy policy)
{
    const Data value = pairs_default_data();
    mica_type_desc desc = MICA_DESCRIBE(Data, number, real, flag, seed);
    desc.default_value = &value;
    return pairs_register(world, policy, desc);
}

bool pairs_begin(pair_world *pairs_out, bench_policy policy)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return false;
    }
    pair_world p = {.world = world, .split = policy == BENCH_SPLIT};
    p.position = pairs_register(world, policy, MICA_DESCRIBE(Position, x, y));
    p.velocity = pairs_register(world, policy, MICA_DESCRIBE(Velocity, x, y));
    p.data = register_data(world, policy);
    p.health = pairs_register(world, policy, MICA_DESCRIBE(Health, hp, maxhp, status));
    p.damage = pairs_register(world, policy, MICA_DESCRIBE(Damage, atk, def));
    p.sprite = pairs_register(world, policy, MICA_DESCRIBE(Sprite, character));
    p.movers = mica_query_new(
        world, &(mica_query_desc){.terms = {{p.position, MICA_WRITE}, {p.velocity, MICA_READ}}});
    p.bundle = mica_bundle_new(world, (mica_type[]){p.position, p.velocity}, 2);
    if (policy == BENCH_GROUP) {
        p.group = mica_group_new(world, &(mica_group_desc){.owned = {p.position, p.velocity}});
    }
    bool has_group = !MICA_IS_NONE(p.group);
    if (mica_world_get_stats(world).types != 6 || MICA_IS_NONE(p.movers) || p.bundle.bits == 0 ||
        has_group != (policy == BENCH_GROUP)) {
        mica_world_free(world);
        return false;
    }
    *pairs_out = p;
    return true;
}

void pairs_end(pair_world *pairs)
{
    mica_world_free(pairs->world);
}

void pairs_spawn_all(const pair_world *pairs, mica_entity *entities_out, uint32_t n)
{
    mica_world *world = pairs->world;
    mica_bundle bundle = pairs->bundle;
    Position position;
    Velocity velocity;
    const mica_value values[] = {MICA_COPY_OF(pairs->position, position),
                                 MICA_COPY_OF(pairs->velocity, velocity)};
    for (uint32_t i = 0; i < n; i++) {
        position = position_of(i);
        velocity = velocity_of(i);
        mica_entity entity = mica_spawn_bundle(world, bundle, values, 2);
        if (entities_out) {
            entities_out[i] = entity;
        }
    }
}

uint64_t pairs_check(pair_world *pairs, uint32_t i, mica_entity entity)
{
    mica_world *world = pairs->world;
    if (!mica_alive(world, entity)) {
        return 0;
    }
    Position position;
    Velocity velocity;
    return MICA_LOAD(world, entity, pairs->position, position) &&
                   MICA_LOAD(world, entity, pairs->velocity, velocity)
               ? check_pair(i, &position, &velocity)
               : 0;
}

uint64_t pairs_check_rows(pair_world *pairs)
{
    uint64_t sum = 0;
    uint32_t row = 0;
    mica_iter it;
    mica_iter_begin(pairs->world, pairs->movers, &it);
    while (mica_iter_next(&it)) {
        const mica_read_fields at[] = {MICA_READ_FIELD(&it, 0, Position, x),
                                       MICA_READ_FIELD(&it, 0, Position, y)};
        const mica_read_fields by[] = {MICA_READ_FIELD(&it, 1, Velocity, x),
                                       MICA_READ_FIELD(&it, 1, Velocity, y)};
        for (uint32_t i = 0; i < it.count; i++) {
            const Position position = {MICA_READ_IN(at[0], i, float),
                                       MICA_READ_IN(at[1], i, float)};
            const Velocity velocity = {MICA_READ_IN(by[0], i, float),
                                       MICA_READ_IN(by[1], i, float)};
            sum += check_pair(row++, &position, &velocity);
        }
    }
    return sum;
}
