// Neighbours: a spatial grid that is a resource of the world. One system fills it in every step, which is faster
// than keeping it up to date. Systems that are added after it search in it.
#include <mica.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 8, ROOM = 4 }; // cells, each a metre wide, and how many fit into one

typedef struct {
    float x, y;
} Position;

typedef struct {
    uint32_t count[SIDE][SIDE];
    mica_entity who[SIDE][SIDE][ROOM];
} Grid;

typedef struct {
    mica_type grid, position;
} Types;

static void clear(mica_iter *it)
{
    const Types *t = it->user;
    Grid *grid = MICA_RESOURCE_MUT(it->world, t->grid, Grid);
    memset(grid->count, 0, sizeof grid->count);
}

static void enter(mica_iter *it)
{
    const Types *t = it->user;
    Grid *grid = MICA_RESOURCE_MUT(it->world, t->grid, Grid);
    const Position *p = mica_read(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        int x = (int)p[i].x, y = (int)p[i].y;
        if (grid->count[y][x] < ROOM) {
            grid->who[y][x][grid->count[y][x]++] = it->entities[i];
        }
    }
}

static void meet(mica_iter *it)
{
    const Types *t = it->user;
    const Grid *grid = MICA_RESOURCE(it->world, t->grid, Grid);
    const Position *p = mica_read(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        int x = (int)p[i].x, y = (int)p[i].y;
        for (uint32_t k = 0; k < grid->count[y][x]; k++) {
            mica_entity other = grid->who[y][x][k];
            if (it->entities[i].bits < other.bits) { // each pair once
                const Position *at = MICA_GET(it->world, other, t->position, Position);
                printf("(%g, %g) meets (%g, %g)\n", p[i].x, p[i].y, at->x, at->y);
            }
        }
    }
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type_desc plain = MICA_DESCRIBE(Grid); // never printed or saved: no fields
    Types t = {mica_type_register(world, &plain), MICA_REGISTER(world, Position, x, y)};
    mica_resource_set(world, MICA_ADD(t.grid));
    mica_system_desc filling = {.name = "enter",
                                .begin = clear,
                                .update = enter,
                                .user = &t,
                                .query.terms = {{t.position, MICA_READ}},
                                .resources = {{t.grid, MICA_WRITE}}};
    mica_system_desc meeting = {.name = "meet",
                                .update = meet,
                                .user = &t,
                                .query.terms = {{t.position, MICA_READ}},
                                .resources = {{t.grid, MICA_READ}}};
    mica_system_add(world, &filling);
    mica_system_add(world, &meeting);
    const Position places[] = {{1.5f, 2.5f}, {6, 6}, {1.25f, 2}, {6.5f, 2}, {1.75f, 2.25f}};
    for (int i = 0; i < 5; i++) {
        mica_spawn(world, MICA_COPY_OF(t.position, places[i]));
    }
    mica_step(world, 1);
    mica_world_free(world);
}
