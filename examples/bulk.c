// Bulk: many entities at a time. Whole arrays go in, whole tables change hands.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    int points;
} Health;

enum { COUNT = 5000 };
static Position positions[COUNT];
static mica_entity entities[COUNT];

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type position = MICA_REGISTER(w, Position, x, y);
    mica_type health = MICA_REGISTER(w, Health, points);
    mica_type burning = MICA_TAG(w, Burning);
    for (int i = 0; i < COUNT; i++) {
        positions[i].x = (float)i;
    }

    // A bundle is looked up once. It is given an array for each of its types, or asked for defaults.
    mica_type types[] = {position, health};
    mica_bundle unit = mica_bundle_new(w, types, 2);
    const mica_value arrays[] = {MICA_COPY_OF_ARRAY(position, positions), MICA_ADD(health)};
    mica_spawn_many(w, unit, COUNT, arrays, 2, entities);
    const Position *last = mica_get(w, entities[COUNT - 1], position);
    printf("%u spawned, the last at %g\n", (unsigned)mica_entity_count(w), last->x);

    // On all that match a query.
    mica_query units = mica_query_new(w, &(mica_query_desc){.terms = {{health, MICA_READ}}});
    uint32_t matched = 0;
    mica_set_all(w, units, health, &(Health){100}, sizeof(Health), NULL);
    mica_add_all(w, units, burning, &matched);
    mica_world_stats stats = mica_world_get_stats(w);
    printf("%u set on fire, %llu rows copied for it\n", (unsigned)matched,
           (unsigned long long)stats.row_moves);

    mica_despawn_many(w, entities, 1000);
    printf("%u left\n", (unsigned)mica_query_count(w, units));
    mica_despawn_all(w, units, &matched);
    printf("%u ended, %u left\n", (unsigned)matched, (unsigned)mica_query_count(w, units));
    mica_world_free(w);
}
