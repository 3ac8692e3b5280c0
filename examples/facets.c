// A car with two bumpers, a driver and a passenger: additional rows of one entity, each under a key.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;

typedef struct {
    float at, radius; // along the car
} Collider;

typedef struct {
    char name[16];
    int weight;
} Person;

enum { FRONT = 1, REAR };       // roles of colliders
enum { DRIVER = 1, PASSENGER }; // roles of persons

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type position = MICA_REGISTER(world, Position, x, y);
    mica_type collider = MICA_REGISTER(world, Collider, at, radius);
    mica_type person = MICA_REGISTER(world, Person, name, weight);

    mica_entity car = mica_spawn(world, MICA_VALUE(position, Position, 10, 0));
    mica_facet_add(world, car, collider, FRONT, MICA_VALUE(collider, Collider, 2, 0.5f));
    mica_facet_add(world, car, collider, REAR, MICA_VALUE(collider, Collider, -2, 0.5f));
    mica_facet_add(world, car, person, DRIVER, MICA_VALUE(person, Person, "Ada", 60));
    mica_facet_add(world, car, person, PASSENGER, MICA_VALUE(person, Person, "Ben", 80));
    printf("%u entity, %u facets\n", (unsigned)mica_entity_count(world),
           (unsigned)mica_world_get_stats(world).facets);

    // A row is found by its key.
    mica_entity driver = mica_facet_find(world, car, person, DRIVER);
    printf("driver: %s\n", MICA_GET(world, driver, person, Person)->name);

    // A loop over all colliders of all entities.
    mica_query colliders =
        mica_query_new(world, &(mica_query_desc){.terms = {{collider, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(world, colliders, &it);
    while (mica_iter_next(&it)) {
        const Collider *c = mica_read(&it, 0);
        const mica_entity *owners = mica_iter_owners(&it);
        for (uint32_t i = 0; i < it.count; i++) {
            const Position *p = mica_get(world, owners[i], position);
            printf("collider at %g\n", (double)(p->x + c[i].at));
        }
    }

    // A key is used once; removing the facet frees it.
    mica_entity passenger = mica_facet_find(world, car, person, PASSENGER);
    mica_despawn(world, passenger);
    mica_facet_add(world, car, person, PASSENGER, MICA_VALUE(person, Person, "Cleo", 50));
    for (mica_entity f = mica_facet_next(world, car, (mica_entity){0}); !MICA_IS_NONE(f);
         f = mica_facet_next(world, car, f)) {
        const Person *p = mica_get(world, f, person);
        printf("%s\n", p ? p->name : "a collider");
    }

    mica_despawn(world, car); // and all its rows with it
    printf("%u rows\n", (unsigned)mica_world_get_stats(world).rows);
    mica_world_free(world);
}
