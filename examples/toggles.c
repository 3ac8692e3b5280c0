// Torches that go out and are lit again: a component that is disabled and enabled in place.
#include <mica.h>
#include <stdio.h>

typedef struct {
    int fuel;
} Torch;

static void burn(mica_world *world, mica_query lit, mica_type torch)
{
    mica_iter it;
    mica_iter_begin(world, lit, &it);
    while (mica_iter_next(&it)) {
        Torch *torches = mica_write(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            if (--torches[i].fuel == 0) {
                mica_disable(world, it.entities[i], torch); // it stays, and is not met again
            }
        }
    }
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type_desc desc = MICA_DESCRIBE(Torch, fuel);
    desc.toggle = true;
    mica_type torch = mica_type_register(world, &desc);
    mica_entity torches[4];
    for (int i = 0; i < 4; i++) {
        torches[i] = mica_spawn(world, MICA_VALUE(torch, Torch, i + 1));
    }

    mica_query lit = mica_query_new(world, &(mica_query_desc){.terms = {{torch, MICA_WRITE}}});
    mica_query all = mica_query_new(
        world, &(mica_query_desc){.terms = {{torch, MICA_WRITE | MICA_INCLUDE_DISABLED}}});
    for (int night = 1; night <= 3; night++) {
        burn(world, lit, torch);
        printf("night %d: %u of %u burn\n", night, (unsigned)mica_query_count(world, lit),
               (unsigned)mica_query_count(world, all));
    }

    char why[80];
    mica_query_explain(world, lit, torches[0], why, sizeof why);
    printf("%s\n", why);

    mica_set(world, torches[0], MICA_VALUE(torch, Torch, 9)); // refilled, still out
    printf("refilled: %s\n", mica_is_enabled(world, torches[0], torch) ? "burns" : "is out");
    mica_enable_all(world, all, torch, NULL);
    printf("lit: %u burn\n", (unsigned)mica_query_count(world, lit));
    mica_world_free(world);
}
