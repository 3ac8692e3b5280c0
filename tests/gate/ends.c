// What an entity's end costs where so many sparse types are registered, and there are values of all of
// them: it is measured in a function of its own, so that ends.sh finds it under callgrind.
//
// usage: ends TYPES COUNT
#include <mica.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__GNUC__)
__attribute__((noinline))
#endif
void end_measured(mica_world *world, const mica_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        mica_despawn(world, entities[i]);
    }
}

static void require(bool right)
{
    if (!right) {
        fprintf(stderr, "ends: a call failed\n");
        exit(1);
    }
}

int main(int argc, char **words)
{
    uint32_t types = argc > 2 ? (uint32_t)strtoul(words[1], NULL, 10) : 0;
    uint32_t count = argc > 2 ? (uint32_t)strtoul(words[2], NULL, 10) : 0;
    mica_world *world = mica_world_new(NULL);
    mica_type *all = calloc(types, sizeof *all);
    mica_entity *entities = calloc(count, sizeof *entities);
    require(types > 1 && world && all && entities);
    mica_entity other = mica_spawn_values(world, NULL, 0);
    for (uint32_t t = 0; t < types; t++) {
        char name[16];
        snprintf(name, sizeof name, "t%" PRIu32, t);
        all[t] = mica_type_register(
            world, &(mica_type_desc){.name = name, .size = 8, .align = 8, .storage = MICA_SPARSE});
        require(!mica_add(world, other, all[t]));
    }
    // One component of the first types, one of the last.
    for (uint32_t i = 0; i < count; i++) {
        entities[i] = mica_spawn_values(world, NULL, 0);
        require(!mica_add(world, entities[i], all[0]));
        require(!mica_add(world, entities[i], all[types - 1]));
    }
    end_measured(world, entities, count);
    require(mica_entity_count(world) == 1 && !mica_world_validate(world));
    require(!mica_world_free(world));
    free(all);
    free(entities);
    return 0;
}
