// Ownership: an item stores its holder. So it is in one place at any time, and one write moves it to another holder.
// There is no list that could be wrong: a query over the items finds what a holder has.
#include <mica.h>
#include <stdio.h>

typedef struct {
    mica_entity holder;
} HeldBy;

typedef struct {
    float kilos;
} Weight;

typedef struct {
    mica_query things;
    mica_type held;
} Bags;

static void print(mica_world *world, const Bags *bags, mica_entity who)
{
    mica_iter it;
    float sum = 0;
    printf("%s has", mica_entity_name(world, who));
    mica_iter_begin(world, bags->things, &it);
    while (mica_iter_next(&it)) {
        const HeldBy *held = mica_read(&it, 0);
        const Weight *weight = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            if (MICA_EQUAL(held[i].holder, who)) {
                printf(" %s,", mica_entity_name(world, it.entities[i]));
                sum += weight[i].kilos;
            }
        }
    }
    printf(" %g kg\n", sum);
}

// A despawned holder drops everything: the items lose their HeldBy.
static void drop(const mica_observer_event *h)
{
    const Bags *bags = h->user;
    mica_iter it;
    mica_iter_begin(h->world, bags->things, &it);
    while (mica_iter_next(&it)) {
        const HeldBy *held = mica_read(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            if (MICA_EQUAL(held[i].holder, h->entity)) {
                mica_remove(h->later, it.entities[i], bags->held);
                printf("%s falls to the ground\n", mica_entity_name(h->world, it.entities[i]));
            }
        }
    }
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type held = MICA_REGISTER(world, HeldBy, holder);
    mica_type weight = MICA_REGISTER(world, Weight, kilos);
    Bags bags = {mica_query_new(
                     world, &(mica_query_desc){.terms = {{held, MICA_READ}, {weight, MICA_READ}}}),
                 held};
    mica_observer_new(
        world, &(mica_observer_desc){.events = MICA_ON_DESPAWN, .call = drop, .user = &bags});

    const char *names[] = {"Ada", "Bob", "lamp", "rope", "book"};
    mica_entity e[5];
    for (int i = 0; i < 5; i++) {
        e[i] = mica_spawn_values(world, NULL, 0);
        mica_entity_set_name(world, e[i], names[i]);
        if (i >= 2) {
            mica_set(world, e[i], MICA_VALUE(held, HeldBy, e[0]),
                     MICA_VALUE(weight, Weight, (float)i));
        }
    }
    print(world, &bags, e[0]);
    mica_set(world, e[3], MICA_VALUE(held, HeldBy, e[1])); // Ada gives Bob the rope
    print(world, &bags, e[0]);
    print(world, &bags, e[1]);
    mica_despawn(world, e[0]);
    mica_entity_print(world, e[2], NULL);
    mica_world_free(world);
}
