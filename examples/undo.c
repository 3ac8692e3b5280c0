// Undo by images: each step of the user first saves the whole world to memory, and a step back loads it. Code that
// changes the world does not need to know how to undo that. Handles stay valid.
#include <mica.h>
#include <stdio.h>

enum { DEPTH = 8 };

typedef struct {
    int x, y;
} Stone;

typedef struct {
    mica_buffer images[DEPTH];
    int used; // the others are behind us: to be done again
    int known;
} History;

static bool save(mica_world *world, mica_buffer *image)
{
    return mica_world_save(world, &(mica_stream){.buffer = image}, NULL) == MICA_OK;
}

// The world as it is now is a step.
static bool remember(mica_world *world, History *h)
{
    bool kept = h->used < DEPTH && save(world, &h->images[h->used]);
    h->used += kept;
    h->known = h->used; // a redo of undone steps is no longer possible
    return kept;
}

// By so many steps, back or forth.
static bool travel(mica_world *world, History *h, int by)
{
    int target = h->used + by;
    bool good = target >= 1 && target <= h->known &&
                !mica_world_load(world, &(mica_stream){.buffer = &h->images[target - 1]}, NULL);
    h->used = good ? target : h->used;
    return good;
}

static void show(mica_world *world, const char *what, mica_entity stone)
{
    printf("%-6s stones: %u; ", what, (unsigned)mica_entity_count(world));
    mica_entity_print(world, stone, NULL);
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type stone = MICA_REGISTER(world, Stone, x, y);
    History history = {0};
    mica_entity first = mica_spawn(world, MICA_VALUE(stone, Stone, 1, 1));
    bool good = remember(world, &history);
    mica_set(world, first, MICA_VALUE(stone, Stone, 7, 7));
    good = good && remember(world, &history);
    mica_spawn(world, MICA_VALUE(stone, Stone, 2, 2));
    mica_spawn(world, MICA_VALUE(stone, Stone, 3, 3));
    mica_despawn(world, first);
    good = good && remember(world, &history);

    show(world, "now:", first);
    good = good && travel(world, &history, -1);
    show(world, "undo:", first); // the same handle: it lives again
    good = good && travel(world, &history, -1);
    show(world, "undo:", first);
    good = good && travel(world, &history, +1);
    show(world, "redo:", first);
    printf("there is %s before the beginning\n", travel(world, &history, -5) ? "much" : "nothing");

    for (int i = 0; i < DEPTH; i++) {
        mica_buffer_free(&history.images[i]);
    }
    mica_world_free(world);
    return good ? 0 : 1;
}
