// Cooldowns: a component stores the time at which a weapon is ready again, not the time left. So no system counts
// down, and unused cooldowns cost nothing.
#include <mica.h>
#include <stdio.h>

typedef struct {
    double period;   // seconds between two shots
    double ready_at; // on the clock of the phase: it->time
} Gun;

static void fire(mica_iter *it)
{
    Gun *guns = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        if (it->time >= guns[i].ready_at) {
            printf("%.3f  %s\n", it->time, mica_entity_name(it->world, it->entities[i]));
            // From when it was due, not from now: late frames do not add up.
            guns[i].ready_at += guns[i].period;
        }
    }
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type gun = MICA_REGISTER(world, Gun, period, ready_at);
    mica_entity quick = mica_spawn(world, MICA_VALUE(gun, Gun, .period = 0.5));
    mica_entity slow = mica_spawn(world, MICA_VALUE(gun, Gun, .period = 1.25, .ready_at = 0.25));
    mica_entity_set_name(world, quick, "pistol");
    mica_entity_set_name(world, slow, "cannon");
    mica_system_add(world, &(mica_system_desc){
                               .name = "fire", .update = fire, .query.terms = {{gun, MICA_WRITE}}});

    const double frames[] = {0.25, 0.25, 0.375, 0.25, 0.5, 0.125, 0.25, 0.25};
    for (int i = 0; i < 8; i++) {
        mica_step(world, frames[i]);
    }
    mica_world_free(world);
}
