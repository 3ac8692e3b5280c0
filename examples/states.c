// A state machine: each state is a tag with a system that decides when to leave it. The tags are sparse, so changing
// the state moves nothing else. A query finds the entities in a state.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float distance; // to the intruder
} Guard;

typedef struct {
    mica_type guard, sleeping, chasing, biting;
} Types;

// From one state to another, in one change, when the step is over.
static void go(mica_iter *it, uint32_t row, mica_type from, mica_type to)
{
    const mica_value added = MICA_ADD(to);
    mica_change(mica_later(it), it->entities[row], &added, 1, &from, 1);
}

static void sleep_on(mica_iter *it)
{
    const Types *t = it->user;
    Guard *guard = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        guard[i].distance -= 1; // the intruder comes nearer
        if (guard[i].distance < 4) {
            go(it, i, t->sleeping, t->chasing);
        }
    }
}

static void chase(mica_iter *it)
{
    const Types *t = it->user;
    Guard *guard = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        guard[i].distance -= 2;
        if (guard[i].distance <= 0) {
            go(it, i, t->chasing, t->biting);
        }
    }
}

// An observer runs once when a state begins.
static void bite(const mica_observer_event *h)
{
    printf("  %s bites\n", mica_entity_name(h->world, h->entity));
}

static void add(mica_world *world, const char *name, mica_update_fn *update, Types *t, mica_type in)
{
    mica_system_add(world,
                    &(mica_system_desc){.name = name,
                                        .update = update,
                                        .user = t,
                                        .query.terms = {{t->guard, MICA_WRITE}, {in, MICA_WITH}}});
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    Types t = {MICA_REGISTER(world, Guard, distance), MICA_SPARSE_TAG(world, Sleeping),
               MICA_SPARSE_TAG(world, Chasing), MICA_SPARSE_TAG(world, Biting)};
    mica_observer_new(world,
                      &(mica_observer_desc){.events = MICA_ON_ADD, .type = t.biting, .call = bite});
    add(world, "sleep on", sleep_on, &t, t.sleeping);
    add(world, "chase", chase, &t, t.chasing);
    const char *names[] = {"Rex", "Fido"};
    for (int i = 0; i < 2; i++) {
        mica_entity dog =
            mica_spawn(world, MICA_VALUE(t.guard, Guard, 5 + 2 * (float)i), MICA_ADD(t.sleeping));
        mica_entity_set_name(world, dog, names[i]);
    }
    for (int second = 1; second <= 6; second++) {
        mica_step(world, 1);
        printf("after %d: %u asleep, %u after him\n", second,
               (unsigned)mica_type_get_stats(world, t.sleeping).rows,
               (unsigned)mica_type_get_stats(world, t.chasing).rows);
    }
    mica_world_free(world);
}
