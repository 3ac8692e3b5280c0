// Streaming: parts of a large world are loaded and unloaded as whole tables. Each region is a tag, registered at
// run time. So its entities lie together, and one call removes them.
#include <mica.h>
#include <stdio.h>

enum { REGIONS = 8, TREES = 5000 };

typedef struct {
    float x, y;
} Position;

typedef struct {
    mica_world *world;
    mica_type position;
    struct {
        mica_type tag;
        mica_bundle tree;
        mica_query all;
        bool there;
    } regions[REGIONS];
} Land;

static void prepare(Land *land)
{
    land->position = MICA_REGISTER(land->world, Position, x, y);
    for (int i = 0; i < REGIONS; i++) {
        char name[32];
        snprintf(name, sizeof name, "region %d", i);
        mica_type tag = mica_type_register(land->world, &(mica_type_desc){.name = name});
        const mica_type types[] = {land->position, tag};
        land->regions[i].tag = tag;
        land->regions[i].tree = mica_bundle_new(land->world, types, 2);
        land->regions[i].all =
            mica_query_new(land->world, &(mica_query_desc){.terms = {{tag, MICA_WITH}}});
    }
}

static void bring(Land *land, int region)
{
    static Position places[TREES]; // from a file, usually
    for (int i = 0; i < TREES; i++) {
        places[i] = (Position){(float)(region * 100 + i % 100), (float)(i / 100)};
    }
    const mica_value arrays[] = {MICA_COPY_OF_ARRAY(land->position, places),
                                 MICA_ADD(land->regions[region].tag)};
    mica_spawn_many(land->world, land->regions[region].tree, TREES, arrays, 2, NULL);
}

int main(void)
{
    Land land = {.world = mica_world_new(NULL)};
    prepare(&land);
    for (int at = 0; at < REGIONS; at += 3) { // a traveller passes
        for (int i = 0; i < REGIONS; i++) {
            bool near = i >= at - 1 && i <= at + 1;
            if (near && !land.regions[i].there) {
                bring(&land, i);
            } else if (!near && land.regions[i].there) {
                mica_despawn_all(land.world, land.regions[i].all, NULL);
            }
            land.regions[i].there = near;
        }
        mica_world_stats stats = mica_world_get_stats(land.world);
        printf("at region %d: %u trees, %u rows were moved\n", at, (unsigned)stats.entities,
               (unsigned)stats.row_moves);
    }
    mica_world_free(land.world);
}
