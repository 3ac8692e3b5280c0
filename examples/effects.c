// Timed effects: components that remove themselves when their time is over, and command buffers that are filled
// now and applied later.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float seconds;
} Poison;

typedef struct {
    float points;
} Health;

typedef struct {
    mica_type poison, health;
} Types;

static void suffer(mica_iter *it)
{
    const Types *types = it->user;
    Poison *poison = mica_write(it, 0);
    Health *health = mica_write(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        poison[i].seconds -= it->dt;
        health[i].points -= 10 * it->dt;
        if (health[i].points <= 0) {
            mica_despawn(mica_later(it), it->entities[i]);
        } else if (poison[i].seconds <= 0) {
            mica_remove(mica_later(it), it->entities[i], types->poison);
        }
    }
}

// A function as a command: it runs when all that was recorded before it is done.
static void report(mica_world *world, const void *data)
{
    const char *name = data;
    mica_entity who = mica_entity_find(world, name);
    printf("%s: ", name);
    if (MICA_IS_NONE(who)) {
        printf("dead\n");
    } else {
        mica_entity_print(world, who, NULL);
    }
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    Types types = {MICA_REGISTER(world, Poison, seconds), MICA_REGISTER(world, Health, points)};
    mica_system_add(world, &(mica_system_desc){.name = "suffer",
                                               .update = suffer,
                                               .user = &types,
                                               .query.terms = {{types.poison, MICA_WRITE},
                                                               {types.health, MICA_WRITE}}});

    mica_world *plan = mica_commands_new(world); // nothing of this happens yet
    mica_entity strong = mica_spawn(plan, MICA_VALUE(types.health, Health, 100));
    mica_entity weak = mica_spawn(plan, MICA_VALUE(types.health, Health, 15));
    mica_entity_set_name(plan, strong, "strong");
    mica_entity_set_name(plan, weak, "weak");
    mica_set(plan, strong, MICA_VALUE(types.poison, Poison, 2));
    mica_set(plan, weak, MICA_VALUE(types.poison, Poison, 2));
    printf("%u commands, %u entities\n", mica_commands_count(plan), mica_entity_count(world));
    mica_commands_apply(plan);
    printf("%u commands, %u entities\n", mica_commands_count(plan), mica_entity_count(world));

    for (int second = 1; second <= 3; second++) {
        mica_defer_call(plan, report, "strong", sizeof "strong");
        mica_defer_call(plan, report, "weak", sizeof "weak");
        mica_step(world, 1);
        mica_commands_apply(plan);
    }
    mica_world_free(world);
}
