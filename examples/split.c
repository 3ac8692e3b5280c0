// Split components: an array for each field, for loops that read one of them.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y, z;
    float charge;
    float mass;
    char name[12];
} Particle;

// The same loop runs over any storage; split, it reads eight bytes of each particle, not 32.
static void fall(mica_iter *it)
{
    mica_write_fields y = MICA_WRITE_FIELD(it, 0, Particle, y);
    mica_read_fields mass = MICA_READ_FIELD(it, 0, Particle, mass);
    for (uint32_t i = 0; i < it->count; i++) {
        MICA_WRITE_IN(y, i, float) -= MICA_READ_IN(mass, i, float) * it->dt;
    }
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type particle = MICA_REGISTER_SPLIT(w, Particle, x, y, z, charge, mass, name);
    mica_entity e = (mica_entity){0};
    for (int i = 0; i < 1000; i++) {
        e = mica_spawn(w,
                       MICA_VALUE(particle, Particle, .y = 100, .mass = (float)i, .name = "dust"));
    }
    mica_system_add(w, &(mica_system_desc){.name = "fall",
                                           .update = fall,
                                           .query.terms = {{particle, MICA_WRITE}}});
    for (int frame = 0; frame < 10; frame++) {
        mica_step(w, 0.0125);
    }

    // In a loop, the whole value of a row.
    mica_query all = mica_query_new(w, &(mica_query_desc){.terms = {{particle, MICA_WRITE}}});
    mica_iter it;
    mica_iter_begin(w, all, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            Particle heavy;
            if (MICA_LOAD_ROW(&it, 0, i, heavy) && heavy.mass == 999) {
                heavy.x = 1;
                MICA_STORE_ROW(&it, 0, i, heavy);
            }
        }
    }

    // One value: loaded, changed, set.
    Particle p;
    if (MICA_LOAD(w, e, particle, p)) {
        printf("%s at %.3f\n", p.name, p.y);
        p.charge = -1;
        mica_set(w, e, MICA_COPY_OF(particle, p));
    }
    mica_entity_print(w, e, NULL);
    mica_world_free(w);
}
