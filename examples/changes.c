// A board of stones. A renderer uploads only the stones that moved. A player who looks again sees the changes since
// the last look.
#include <mica.h>
#include <stdio.h>

typedef struct {
    int x, y;
} Stone;

static void upload(mica_iter *it)
{
    printf("  uploaded: %u\n", (unsigned)it->count);
}

// May move every stone, and says which it did.
static void slide(mica_iter *it)
{
    Stone *stones = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        if (stones[i].x < 2) {
            stones[i].x++;
            mica_touch(it, 0, i);
        }
    }
}

typedef struct {
    const char *name;
    uint64_t seen; // the tick of the last look
} Player;

static void tell(mica_world *world, mica_query moved, Player *player)
{
    mica_iter it;
    printf("%s hears of", player->name);
    mica_query_set_since(world, moved, player->seen);
    mica_iter_begin(world, moved, &it);
    while (mica_iter_next(&it)) {
        const Stone *stones = mica_read(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            printf(" (%d, %d)", stones[i].x, stones[i].y);
        }
    }
    printf("\n");
    player->seen = mica_query_since(world, moved);
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type_desc desc = MICA_DESCRIBE(Stone, x, y);
    desc.row_stamps = true; // to know of each stone, not only of those around it
    mica_type stone = mica_type_register(world, &desc);
    mica_entity stones[6];
    for (int i = 0; i < 6; i++) {
        stones[i] = mica_spawn(world, MICA_VALUE(stone, Stone, i, 0));
    }
    mica_system_add(world, &(mica_system_desc){.name = "slide",
                                               .update = slide,
                                               .query.terms = {{stone, MICA_WRITE | MICA_TOUCH}}});
    mica_system_add(world, &(mica_system_desc){.name = "upload",
                                               .update = upload,
                                               .query.terms = {{stone, MICA_READ | MICA_CHANGED}}});
    mica_query moved =
        mica_query_new(world, &(mica_query_desc){.terms = {{stone, MICA_READ | MICA_CHANGED}}});

    Player ada = {"Ada", mica_world_tick(world)}; // this player has seen the start
    Player bob = {"Bob", mica_world_tick(world)};
    for (int turn = 1; turn <= 4; turn++) {
        printf("turn %d\n", turn);
        if (turn == 3) {
            mica_set(world, stones[5], MICA_VALUE(stone, Stone, 5, 1));
        }
        mica_step(world, 1);
        if (turn % 2 == 0) {
            tell(world, moved, &ada);
        }
    }
    tell(world, moved, &bob);
    mica_world_free(world);
}
