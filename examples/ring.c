// Rings: one component of all entities in one array, whatever other components they have.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float degrees;
} Heat;

// Its only term is in a ring, and it does not need entity ids: one segment has all values.
static void cool(mica_iter *it)
{
    Heat *heat = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        heat[i].degrees -= it->dt;
    }
    printf("cooled %u\n", (unsigned)it->count);
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type heat = MICA_REGISTER_RING(w, Heat, degrees);
    mica_type marks[] = {MICA_TAG(w, Wood), MICA_TAG(w, Iron), MICA_TAG(w, Broken)};
    mica_entity e = (mica_entity){0};
    for (uint32_t i = 0; i < 800; i++) { // eight kinds of entity
        e = mica_spawn(w, MICA_VALUE(heat, Heat, 100));
        for (uint32_t m = 0; m < 3; m++) {
            if (i >> m & 1) {
                mica_add(w, e, marks[m]);
            }
        }
    }
    mica_system_add(
        w, &(mica_system_desc){.name = "cool",
                               .update = cool,
                               .query = {.terms = {{heat, MICA_WRITE}}, .no_entities = true}});
    mica_step(w, 0.5);

    // The next step begins by putting added and removed values in order.
    for (uint32_t i = 0; i < 50; i++) {
        mica_spawn(w, MICA_VALUE(heat, Heat, 20));
    }
    mica_despawn(w, e);
    mica_step(w, 0.5);
    mica_world_free(w);
}
