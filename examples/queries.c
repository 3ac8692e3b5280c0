// Queries: entities in segments, and why a query skips an entity.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;
typedef struct {
    float kilos;
} Mass;

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type position = MICA_REGISTER(w, Position, x, y);
    mica_type velocity = MICA_REGISTER(w, Velocity, x, y);
    mica_type mass = MICA_REGISTER(w, Mass, kilos);
    mica_type frozen = MICA_TAG(w, Frozen);

    mica_spawn(w, MICA_VALUE(position, Position, 0, 0), MICA_VALUE(velocity, Velocity, 1, 0));
    mica_spawn(w, MICA_VALUE(position, Position, 5, 0), MICA_VALUE(velocity, Velocity, 2, 0));
    mica_spawn(w, MICA_VALUE(position, Position, 9, 0), MICA_VALUE(velocity, Velocity, 3, 0),
               MICA_VALUE(mass, Mass, 10));
    mica_entity rock = mica_spawn(w, MICA_VALUE(position, Position, 7, 7), MICA_ADD(frozen));

    mica_query movers = mica_query_new(w, &(mica_query_desc){.terms = {{position, MICA_WRITE},
                                                                       {velocity, MICA_READ},
                                                                       {mass, MICA_OPTIONAL},
                                                                       {frozen, MICA_WITHOUT}}});
    mica_iter it;
    mica_iter_begin(w, movers, &it);
    while (mica_iter_next(&it)) {
        Position *p = mica_write(&it, 0);
        const Velocity *v = mica_read(&it, 1);
        const Mass *m = mica_read(&it, 2); // NULL where these entities have none
        for (uint32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
        }
        printf("a segment of %u, %s mass\n", (unsigned)it.count, m ? "with" : "without");
    }
    mica_iter_begin(w, movers, &it);
    while (mica_iter_next(&it)) {
        const Position *p = mica_read(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            printf("at %g\n", p[i].x);
        }
    }
    char why[128];
    mica_query_explain(w, movers, rock, why, sizeof why);
    printf("%s\n", why);
    mica_world_free(w);
}
