// The same program over every storage: one word differs. The results are the same. The times go to standard error.
#include <mica.h>
#include <stdio.h>
#include <time.h>

typedef struct {
    float x, y, z;
} Position;

typedef struct {
    float x, y, z;
} Velocity;

enum { COUNT = 100000, FRAMES = 20 };

// One field of each: the systems do not know how it is kept.
static void rise(mica_iter *it)
{
    mica_write_fields y = MICA_WRITE_FIELD(it, 0, Position, y);
    mica_read_fields speed = MICA_READ_FIELD(it, 1, Velocity, y);
    for (uint32_t i = 0; i < it->count; i++) {
        MICA_WRITE_IN(y, i, float) += MICA_READ_IN(speed, i, float);
    }
}

static double milliseconds(clock_t since)
{
    return (double)(clock() - since) * 1000 / CLOCKS_PER_SEC;
}

static void run(const char *name, mica_storage storage)
{
    mica_world *w = mica_world_new(NULL);
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y, z);
    desc.storage = storage;
    mica_type position = mica_type_register(w, &desc);
    desc = MICA_DESCRIBE(Velocity, x, y, z);
    desc.storage = storage;
    mica_type velocity = mica_type_register(w, &desc);
    mica_type even = MICA_TAG(w, Even); // two tables

    clock_t start = clock();
    static mica_entity e[COUNT];
    for (int i = 0; i < COUNT; i++) {
        e[i] = mica_spawn(w, MICA_VALUE(position, Position, 0, 0, 0),
                          MICA_VALUE(velocity, Velocity, 0, (float)(i % 7), 0));
        if (i % 2 == 0) {
            mica_add(w, e[i], even);
        }
    }
    double spawned = milliseconds(start);

    mica_system_add(
        w, &(mica_system_desc){.name = "rise",
                               .update = rise,
                               .query.terms = {{position, MICA_WRITE}, {velocity, MICA_READ}}});
    start = clock();
    for (int frame = 0; frame < FRAMES; frame++) {
        mica_step(w, 1);
    }
    double stepped = milliseconds(start);

    start = clock();
    for (int i = 0; i < COUNT; i += 2) {
        mica_remove(w, e[i], velocity);
    }
    for (int i = 0; i < COUNT; i += 2) {
        mica_set(w, e[i], MICA_VALUE(velocity, Velocity, 0, 1, 0));
    }
    double changed = milliseconds(start);

    Position p;
    double sum = 0;
    for (int i = 0; i < COUNT && MICA_LOAD(w, e[i], position, p); i++) {
        sum += p.y;
    }
    printf("%-6s sum %.0f, hash %016llx\n", name, sum, (unsigned long long)mica_world_hash(w));
    fprintf(stderr, "%-6s spawn %6.2f ms, %d steps %6.2f ms, remove and set %6.2f ms\n", name,
            spawned, FRAMES, stepped, changed);
    mica_world_free(w);
}

int main(void)
{
    run("table", MICA_TABLE);
    run("split", MICA_SPLIT);
    run("sparse", MICA_SPARSE);
    run("ring", MICA_RING);
}
