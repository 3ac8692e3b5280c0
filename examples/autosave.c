// Saving in the background: the game goes on while a thread saves its state. A snapshot is copied to a twin, a second
// world, at the cost of the changes since the last copy. Then the thread has the twin for itself.
#include <mica.h>
#include <pthread.h>
#include <stdio.h>

enum { SHEEP = 1000, FRAMES = 350, EVERY = 100 };

typedef struct {
    float x, y;
} Position;

static void graze(mica_iter *it)
{
    Position *positions = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        positions[i].x += (float)(mica_entity_slot(it->entities[i]) % 7) * it->dt;
    }
}

// What the thread does: it uses nothing but the twin and the buffer.
typedef struct {
    mica_world *twin;
    mica_buffer image;
    mica_result result;
} Save;

static void *save(void *data)
{
    Save *s = data;
    s->result = mica_world_save(s->twin, &(mica_stream){.buffer = &s->image}, NULL);
    return NULL;
}

// Waits for the thread, and loads what it has saved.
static void finish(Save *s, pthread_t thread, int frame, uint64_t hash)
{
    pthread_join(thread, NULL);
    mica_world *world = mica_world_new(NULL);
    MICA_REGISTER(world, Position, x, y);
    const mica_stream image = {.data = s->image.data, .size = s->image.size};
    bool saved = s->result == MICA_OK && mica_world_load(world, &image, NULL) == MICA_OK &&
                 mica_world_hash(world) == hash;
    printf("frame %d: %s\n", frame, saved ? "saved" : "damaged");
    mica_world_free(world);
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type position = MICA_REGISTER(world, Position, x, y);
    mica_system_add(world, &(mica_system_desc){.name = "graze",
                                               .update = graze,
                                               .query.terms = {{position, MICA_WRITE}}});
    for (int i = 0; i < SHEEP; i++) {
        mica_spawn(world, MICA_VALUE(position, Position, (float)i, 0));
    }
    Save s = {.twin = mica_twin_new(world, NULL)};
    uint64_t hash = 0; // what the thread saves
    pthread_t thread;
    mica_time_begin(world, NULL);
    for (int frame = 1; frame <= FRAMES; frame++) {
        mica_step(world, 0.25);
        if (frame % EVERY == 0) {
            mica_snapshot now = mica_snapshot_take(world);
            mica_snapshot_copy(world, now, s.twin);
            hash = mica_snapshot_hash(world, now);
            pthread_create(&thread, NULL, save, &s);
        } else if (frame % EVERY == EVERY / 2 && frame > EVERY) { // meanwhile, the game went on
            finish(&s, thread, frame - EVERY / 2, hash);
        }
    }
    mica_buffer_free(&s.image);
    mica_world_free(s.twin);
    mica_world_free(world);
}
