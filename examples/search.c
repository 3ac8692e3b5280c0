// Search: an AI tries its moves in the world itself. It takes a snapshot, makes a move, looks further, and restores the
// snapshot. The rules of the game are written once, and the world is never copied. A skier who looks ten steps ahead
// collects coins, and avoids trees and bears.
#include <mica.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 16, LENGTH = 24, FALL = -100 };

typedef struct {
    int x, y;
} Place;

typedef struct {
    char letter; // a coin (o), a tree (T) or a bear (b)
    int speed;
} Thing;

typedef struct {
    int turn; // to the left or to the right: -1 or 1
    int coins;
    bool fallen;
} Skier;

typedef struct {
    mica_world *world;
    mica_type place, thing, skier;
    mica_query things;
    mica_entity hero;
    int tried; // moves
} Game;

static void move_bears(mica_iter *it)
{
    Place *p = mica_write(it, 0);
    Thing *t = mica_write(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        if (p[i].x + t[i].speed < 0 || p[i].x + t[i].speed >= WIDTH) {
            t[i].speed = -t[i].speed;
        }
        p[i].x += t[i].speed;
    }
}

static void ski(mica_iter *it)
{
    Place *p = mica_write(it, 0);
    Skier *s = mica_write(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        int x = p[i].x + s[i].turn;
        p[i].x = x >= 0 && x < WIDTH ? x : p[i].x;
        p[i].y++;
    }
}

static void meet(mica_iter *it)
{
    const Game *g = it->user;
    const Place *at = MICA_GET(it->world, g->hero, g->place, Place);
    const Place *p = mica_read(it, 0);
    const Thing *t = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        if (p[i].x == at->x && p[i].y == at->y) {
            Skier *skier = MICA_GET_MUT(it->world, g->hero, g->skier, Skier);
            if (t[i].letter == 'o') {
                skier->coins++;
                mica_despawn(mica_later(it), it->entities[i]);
            } else {
                skier->fallen = true;
            }
        }
    }
}

static void begin(Game *g)
{
    mica_world *world = mica_world_new(NULL);
    *g = (Game){.world = world};
    g->place = MICA_REGISTER(world, Place, x, y);
    g->thing = MICA_REGISTER(world, Thing, letter, speed);
    g->skier = MICA_REGISTER(world, Skier, turn, coins, fallen);
    mica_query_desc things = {.terms = {{g->place, MICA_READ}, {g->thing, MICA_READ}}};
    g->things = mica_query_new(world, &things);
    mica_system_add(world, &(mica_system_desc){
                               .name = "move bears",
                               .update = move_bears,
                               .query.terms = {{g->place, MICA_WRITE}, {g->thing, MICA_WRITE}}});
    mica_system_add(world, &(mica_system_desc){
                               .name = "ski",
                               .update = ski,
                               .query.terms = {{g->place, MICA_WRITE}, {g->skier, MICA_WRITE}}});
    mica_system_add(
        world, &(mica_system_desc){.name = "meet", .update = meet, .user = g, .query = things});

    g->hero = mica_spawn(world, MICA_VALUE(g->place, Place, WIDTH / 2, 0), MICA_ADD(g->skier));
    uint32_t random = 6;
    for (int y = 2; y < LENGTH; y++) {
        for (int i = 0; i < 6; i++) {
            random = random * 1664525u + 1013904223u;
            int x = (int)(random >> 16) % WIDTH;
            char letter = i < 2 ? 'o' : i == 2 && y % 3 == 0 ? 'b' : 'T';
            mica_spawn(world, MICA_VALUE(g->place, Place, x, y),
                       MICA_VALUE(g->thing, Thing, letter, letter == 'b' ? 1 : 0));
        }
    }
}

static const Skier *move(Game *g, int turn)
{
    MICA_GET_MUT(g->world, g->hero, g->skier, Skier)->turn = turn;
    mica_step(g->world, 1);
    g->tried++;
    return MICA_GET(g->world, g->hero, g->skier, Skier);
}

// Returns the most coins that the skier can have after so many steps, and the first move on that way.
static int search(Game *g, int steps, int *turn_out)
{
    int best = FALL;
    mica_snapshot here = mica_snapshot_take(g->world);
    for (int turn = -1; turn <= 1; turn += 2) {
        const Skier *skier = move(g, turn);
        int next;
        int coins = skier->fallen ? FALL : steps == 1 ? skier->coins : search(g, steps - 1, &next);
        if (coins > best || turn == -1) {
            best = coins;
            *turn_out = turn;
        }
        if (mica_snapshot_restore(g->world, here) != MICA_OK) {
            return FALL;
        }
    }
    mica_snapshot_drop(g->world, here);
    return best;
}

// Draws the row of the hill that the skier is in.
static void draw(const Game *g)
{
    char row[WIDTH + 1] = {0};
    memset(row, ' ', WIDTH);
    const Place *at = MICA_GET(g->world, g->hero, g->place, Place);
    mica_iter it;
    mica_iter_begin(g->world, g->things, &it);
    while (mica_iter_next(&it)) {
        const Place *p = mica_read(&it, 0);
        const Thing *t = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            if (p[i].y == at->y) {
                row[p[i].x] = t[i].letter;
            }
        }
    }
    row[at->x] = '@';
    printf("|%s|\n", row);
}

static void play(int steps)
{
    Game g;
    begin(&g);
    mica_time_begin(g.world, NULL);
    printf("looking %d steps ahead\n", steps);
    const Skier *skier;
    int rows = 0;
    do {
        int turn;
        search(&g, steps, &turn);
        skier = move(&g, turn);
        draw(&g);
    } while (!skier->fallen && ++rows < LENGTH);
    printf("%s with %d coins, after %d moves tried\n\n", skier->fallen ? "fallen" : "at the goal",
           skier->coins, g.tried);
    mica_world_free(g.world);
}

int main(void)
{
    play(2);
    play(10);
}
