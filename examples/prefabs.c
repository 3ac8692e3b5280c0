// Prefabs: entities to be copied. A tag keeps them out of queries. A copy loses the tag, and gets the values that
// the call lists.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;

typedef struct {
    int now, most;
} Health;

typedef struct {
    mica_type prefab, position, health, flying;
} Types;

static mica_entity make(mica_world *world, const Types *t, const char *name, float x, float y)
{
    mica_entity made = mica_clone(world, mica_entity_find(world, name));
    const mica_value place = MICA_VALUE(t->position, Position, x, y);
    mica_change(world, made, &place, 1, &t->prefab, 1); // gives the one, takes the other: one move
    return made;
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    const Types t = {MICA_TAG(world, Prefab), MICA_REGISTER(world, Position, x, y),
                     MICA_REGISTER(world, Health, now, most), MICA_TAG(world, Flying)};

    // They could as well be loaded from an image that an editor has written.
    mica_entity rat = mica_spawn(world, MICA_ADD(t.prefab), MICA_VALUE(t.health, Health, 5, 5));
    mica_entity_set_name(world, rat, "rat");
    mica_entity bat = mica_clone(world, rat); // what a rat is, and more
    mica_add(world, bat, t.flying);
    mica_entity_set_name(world, bat, "bat");

    make(world, &t, "rat", 1, 2);
    make(world, &t, "bat", 3, 4);
    mica_set(world, make(world, &t, "rat", 5, 6),
             MICA_VALUE(t.health, Health, 50, 50)); // their king

    mica_query creatures = mica_query_new(
        world, &(mica_query_desc){.terms = {{t.health, MICA_READ}, {t.prefab, MICA_WITHOUT}}});
    mica_iter it;
    mica_iter_begin(world, creatures, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            mica_entity_print(world, it.entities[i], NULL);
        }
    }
    mica_world_free(world);
}
