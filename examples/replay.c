// Replay: the same inputs give the same world, so the inputs of the players are enough to store a match. A digest of
// the exact state after each frame finds the frame in which two runs differ.
#include <mica.h>
#include <stdio.h>

enum { FRAMES = 100 };

typedef struct {
    float x, speed;
} Racer;

typedef struct {
    uint32_t random; // chance is state, too: a resource, never rand()
} Chance;

typedef struct {
    mica_type racer, chance;
    const char *keys; // the pressed keys, a character per frame
    uint64_t digests[FRAMES];
} Match;

static void drive(mica_iter *it)
{
    Match *m = it->user;
    Chance *chance = MICA_RESOURCE_MUT(it->world, m->chance, Chance);
    Racer *racers = mica_write(it, 0);
    char key = m->keys[(int)(it->time + 0.5) % 4]; // frames are a second long
    for (uint32_t i = 0; i < it->count; i++) {
        chance->random = chance->random * 1664525u + 1013904223u;
        float wind = (float)(chance->random >> 24) / 256;
        racers[i].speed = racers[i].speed * 0.9f + (key == '+' ? 1 : 0) - wind * 0.1f;
        racers[i].x += racers[i].speed * it->dt;
        if (racers[i].x > 500) {
            mica_despawn(mica_later(it), it->entities[i]); // over the line
        }
    }
}

static void play(Match *m, const char *keys)
{
    mica_world *world = mica_world_new(NULL);
    m->racer = MICA_REGISTER(world, Racer, x, speed);
    m->chance = MICA_REGISTER(world, Chance, random);
    m->keys = keys;
    mica_resource_set(world, MICA_VALUE(m->chance, Chance, 42));
    mica_system_add(world, &(mica_system_desc){.name = "drive",
                                               .update = drive,
                                               .user = m,
                                               .query.terms = {{m->racer, MICA_WRITE}},
                                               .resources = {{m->chance, MICA_WRITE}}});
    for (int i = 0; i < 20; i++) {
        mica_spawn(world, MICA_VALUE(m->racer, Racer, (float)(i % 7), 0));
    }
    for (int frame = 0; frame < FRAMES; frame++) {
        mica_step(world, 1);
        m->digests[frame] = mica_world_digest(world);
    }
    mica_world_free(world);
}

static void compare(const char *what, const Match *a, const Match *b)
{
    int frame = 0;
    while (frame < FRAMES && a->digests[frame] == b->digests[frame]) {
        frame++;
    }
    printf("%s: the same for %d of %d frames\n", what, frame, FRAMES);
}

int main(void)
{
    static Match first, again, other;
    play(&first, "+++-");
    play(&again, "+++-");
    play(&other, "++--");
    compare("the same keys", &first, &again);
    compare("one key differs", &first, &other);
}
