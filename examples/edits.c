// Undo of single values, while the rest of the world goes on; snapshots (undo.c) take all of it back. A query finds the
// values that changed since the last time. Their old values go to a list.
#include <mica.h>
#include <stdio.h>

enum { ROOM = 64 };

typedef struct {
    int height;
} Tile;

typedef struct {
    int height;
} Before; // what a tile was when the last edit ended

typedef struct {
    mica_entity tile;
    int height;
    int edit;
} Old;

typedef struct {
    mica_world *world;
    mica_type tile, before;
    mica_query changed;
    Old old[ROOM];
    int used, edit;
} Editor;

// Ends an edit, which consists of all changes since the last one.
static void end_edit(Editor *e)
{
    mica_iter it;
    e->edit++;
    mica_iter_begin(e->world, e->changed, &it);
    while (mica_iter_next(&it)) {
        const Tile *tile = mica_read(&it, 0);
        Before *before = mica_write(&it, 1);
        for (uint32_t i = 0; i < it.count && e->used < ROOM; i++) {
            e->old[e->used++] = (Old){it.entities[i], before[i].height, e->edit};
            before[i].height = tile[i].height;
        }
    }
    printf("edit %d: %d values are kept\n", e->edit, e->used);
}

static void undo(Editor *e)
{
    for (; e->used > 0 && e->old[e->used - 1].edit == e->edit; e->used--) {
        const Old *old = &e->old[e->used - 1];
        mica_set(e->world, old->tile, MICA_VALUE(e->tile, Tile, old->height),
                 MICA_VALUE(e->before, Before, old->height));
    }
    e->edit--;
    mica_query_set_since(e->world, e->changed, mica_world_tick(e->world)); // undoing is no edit
}

static void show(const Editor *e, const mica_entity *tiles)
{
    printf("%d %d\n", MICA_GET(e->world, tiles[7], e->tile, Tile)->height,
           MICA_GET(e->world, tiles[8], e->tile, Tile)->height);
}

int main(void)
{
    Editor e = {.world = mica_world_new(NULL)};
    mica_type_desc desc = MICA_DESCRIBE(Tile, height);
    desc.row_stamps = true; // to know of each tile, not only of those around it
    e.tile = mica_type_register(e.world, &desc);
    e.before = MICA_REGISTER(e.world, Before, height);
    e.changed = mica_query_new(
        e.world,
        &(mica_query_desc){.terms = {{e.tile, MICA_READ | MICA_CHANGED}, {e.before, MICA_WRITE}}});
    mica_entity tiles[1000];
    for (int i = 0; i < 1000; i++) {
        tiles[i] = mica_spawn(e.world, MICA_ADD(e.tile), MICA_ADD(e.before));
    }
    mica_query_set_since(e.world, e.changed, mica_world_tick(e.world)); // so it began

    mica_set(e.world, tiles[7], MICA_VALUE(e.tile, Tile, 5));
    mica_set(e.world, tiles[8], MICA_VALUE(e.tile, Tile, 6));
    end_edit(&e);
    mica_set(e.world, tiles[7], MICA_VALUE(e.tile, Tile, 9));
    end_edit(&e);
    show(&e, tiles);
    undo(&e);
    show(&e, tiles);
    undo(&e);
    show(&e, tiles);
    mica_world_free(e.world);
}
