// Systems: named functions over a query, with a state of their own, run in order by each step.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float celsius;
} Heat;

typedef struct {
    float room; // degrees that things cool down to
} Weather;

static void cool(mica_iter *it)
{
    const Weather *weather = it->user;
    Heat *heat = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        heat[i].celsius += (weather->room - heat[i].celsius) * it->dt;
    }
}

static void report(mica_iter *it)
{
    const Heat *heat = mica_read(it, 0);
    printf("after %g minutes\n", it->time + it->dt);
    for (uint32_t i = 0; i < it->count; i++) {
        printf("%s: %g\n", mica_entity_name(it->world, it->entities[i]), heat[i].celsius);
    }
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type heat = MICA_REGISTER(w, Heat, celsius);
    mica_entity_set_name(w, mica_spawn(w, MICA_VALUE(heat, Heat, 84)), "tea");
    mica_entity_set_name(w, mica_spawn(w, MICA_VALUE(heat, Heat, 4)), "milk");

    Weather mild = {20};
    mica_system_add(
        w, &(mica_system_desc){
               .name = "cool", .update = cool, .user = &mild, .query.terms = {{heat, MICA_WRITE}}});
    mica_system_add(w, &(mica_system_desc){
                           .name = "report", .update = report, .query.terms = {{heat, MICA_READ}}});
    for (int step = 0; step < 3; step++) {
        if (mica_step(w, 0.5)) {
            return 1;
        }
    }
    mica_system_remove(w, mica_system_find(w, "cool"));
    mica_result result = mica_step(w, 0.5); // reports once more, unchanged
    mica_world_free(w);
    return result != MICA_OK;
}
