// Images: one version of a program saves a game, and the next version, with changed types, loads it.
#include <mica.h>
#include <stdio.h>

// Version 1.
typedef struct {
    float x, y;
} Place;

typedef struct {
    uint8_t points;
} Health;

// Version 2: health has other numbers and a limit, and places are three-dimensional.
typedef struct {
    float x, y, z;
} Position;

typedef struct {
    int32_t points;
    int32_t limit;
} Health2;

static bool save(mica_buffer *buffer)
{
    mica_world *world = mica_world_new(NULL);
    mica_type place = MICA_REGISTER(world, Place, x, y);
    mica_type health = MICA_REGISTER(world, Health, points);
    mica_entity ada =
        mica_spawn(world, MICA_VALUE(place, Place, 3, 4), MICA_VALUE(health, Health, 80));
    mica_entity_set_name(world, ada, "Ada");
    mica_spawn(world, MICA_VALUE(place, Place, 1, 1));
    // To a file: &(mica_stream){.path = "game.mica"}
    bool saved = mica_world_save(world, &(mica_stream){.buffer = buffer}, NULL) == MICA_OK;
    mica_world_free(world);
    return saved;
}

static void tell(mica_world *world, const mica_load_note *note, void *user)
{
    (void)world, (void)user;
    printf("%s\n", note->sentence);
}

static bool load(const mica_buffer *buffer)
{
    static const Health2 healthy = {.points = 100, .limit = 100};
    mica_world *world = mica_world_new(NULL);
    mica_type position = MICA_REGISTER(world, Position, x, y, z);
    mica_type_desc desc = MICA_DESCRIBE(Health2, points, limit);
    desc.name = "Health";
    desc.default_value = &healthy;
    mica_type health = mica_type_register(world, &desc);
    const mica_alias renamed = {"Position", NULL, "Place"};
    const mica_load_desc how = {.aliases = &renamed, .alias_count = 1, .listener = tell};
    const mica_stream stream = {.data = buffer->data, .size = buffer->size};
    bool loaded = mica_world_load(world, &stream, &how) == MICA_OK;
    mica_entity ada = mica_entity_find(world, "Ada");
    if (loaded) {
        const Position *p = mica_get(world, ada, position);
        const Health2 *h = mica_get(world, ada, health);
        printf("%u entities\n", (unsigned)mica_entity_count(world));
        printf("Ada is at %g %g %g, health %d of %d\n", p->x, p->y, p->z, h->points, h->limit);
    }
    mica_world_free(world);
    return loaded;
}

int main(void)
{
    mica_buffer buffer = {0};
    bool good = save(&buffer) && load(&buffer);
    mica_buffer_free(&buffer);
    return good ? 0 : 1;
}
