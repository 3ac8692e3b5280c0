// Observers: an index that follows a component. It finds the entity at an address without a search, while addresses
// are added, changed and removed.
#include <mica.h>
#include <stdio.h>

enum { STREETS = 8, NUMBERS = 8, ENTITIES = 100 };

typedef struct {
    int street, number;
} Address;

typedef struct {
    mica_entity at[STREETS][NUMBERS];
    Address known[ENTITIES]; // by slot: where the index has each
} Index;

static mica_entity *find(Index *index, Address address)
{
    return &index->at[address.street % STREETS][address.number % NUMBERS];
}

// An observer sees the new value, so the index stores the old one.
static void keep_in_step(const mica_observer_event *h)
{
    Index *index = h->user;
    const Address *address = h->value;
    Address *known = &index->known[mica_entity_slot(h->entity) % ENTITIES];
    if (h->kind == MICA_ON_SET && MICA_EQUAL(*find(index, *known), h->entity)) {
        *find(index, *known) = (mica_entity){0};
    }
    *find(index, *address) = h->kind == MICA_ON_SET ? h->entity : (mica_entity){0};
    *known = *address;
}

static void ask(mica_world *world, Index *index, int street, int number)
{
    mica_entity e = *find(index, (Address){street, number});
    printf("%d, %d: %s\n", street, number, MICA_IS_NONE(e) ? "nobody" : mica_entity_name(world, e));
}

int main(void)
{
    static Index index;
    mica_world *world = mica_world_new(NULL);
    mica_type address = MICA_REGISTER(world, Address, street, number);
    mica_observer_new(world, &(mica_observer_desc){.name = "index",
                                                   .type = address,
                                                   .events = MICA_ON_SET | MICA_ON_REMOVE,
                                                   .call = keep_in_step,
                                                   .user = &index});

    mica_entity ada = mica_spawn(world, MICA_VALUE(address, Address, 1, 2));
    mica_entity bob = mica_spawn_values(world, NULL, 0);
    mica_entity_set_name(world, ada, "Ada");
    mica_entity_set_name(world, bob, "Bob");
    ask(world, &index, 1, 2);

    mica_set(world, ada, MICA_VALUE(address, Address, 3, 4)); // moves
    mica_set(world, bob, MICA_VALUE(address, Address, 1, 2));
    ask(world, &index, 1, 2);
    ask(world, &index, 3, 4);

    mica_remove(world, bob, address);
    mica_despawn(world, ada);
    ask(world, &index, 1, 2);
    ask(world, &index, 3, 4);
    mica_world_free(world);
}
