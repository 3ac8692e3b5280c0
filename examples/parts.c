// Parts: a train leaves one world and arrives in another one, which has trains already.
#include <mica.h>
#include <stdio.h>

typedef struct {
    mica_entity to;   // the wagon in front of it
    mica_entity home; // a station, which does not travel
} Coupled;

typedef struct {
    mica_type coupled;
    mica_query train; // the coupled wagon
} Rail;

static mica_world *build(Rail *rail)
{
    mica_world *world = mica_world_new(NULL);
    rail->coupled = MICA_REGISTER(world, Coupled, to, home);
    rail->train = mica_query_new(world, &(mica_query_desc){.terms = {{rail->coupled, MICA_WITH}}});
    return world;
}

static bool leave(mica_buffer *buffer)
{
    Rail rail;
    mica_world *world = build(&rail);
    mica_entity station = mica_spawn_values(world, NULL, 0);
    mica_entity last = mica_spawn(world, MICA_VALUE(rail.coupled, Coupled, {0}, station));
    mica_entity_set_name(world, last, "engine");
    for (int i = 0; i < 2; i++) {
        last = mica_spawn(world, MICA_VALUE(rail.coupled, Coupled, last, station));
    }
    mica_subset_stats part;
    const mica_stream stream = {.buffer = buffer};
    bool saved = mica_subset_save(world, rail.train, &stream, NULL, &part) == MICA_OK;
    if (saved) {
        printf("%u leave, and %u of their references stay behind\n", (unsigned)part.entities,
               (unsigned)part.lost_references);
        mica_despawn_all(world, rail.train, NULL);
    }
    mica_world_free(world);
    return saved;
}

static bool arrive(const mica_buffer *buffer)
{
    Rail rail;
    mica_world *world = build(&rail);
    mica_entity engine = mica_spawn(world, MICA_VALUE(rail.coupled, Coupled, {0}, {0}));
    mica_entity_set_name(world, engine, "shunter");
    mica_entity train[3];
    const mica_stream stream = {.data = buffer->data, .size = buffer->size};
    bool loaded = mica_subset_load(world, &stream, NULL, train, 3, NULL) == MICA_OK;
    for (int i = 0; loaded && i < 3; i++) {
        char text[2][MICA_ENTITY_TEXT_SIZE];
        const Coupled *wagon = mica_get(world, train[i], rail.coupled);
        printf("%s is coupled to %s\n", mica_entity_text(train[i], text[0]),
               mica_entity_text(wagon->to, text[1]));
    }
    // The same train once more: its engine has to do without a name, which the first has by now.
    mica_subset_stats part;
    const mica_load_desc how = {.drop_names = true};
    loaded = loaded && mica_subset_load(world, &stream, &how, NULL, 0, &part) == MICA_OK;
    if (loaded) {
        printf("%u more, %u of them without its name\n", (unsigned)part.entities,
               (unsigned)part.unnamed);
        printf("%u in all, and one engine of that name: %d\n", (unsigned)mica_entity_count(world),
               MICA_EQUAL(mica_entity_find(world, "engine"), train[0]));
    }
    mica_world_free(world);
    return loaded;
}

int main(void)
{
    mica_buffer buffer = {0};
    bool good = leave(&buffer) && arrive(&buffer);
    mica_buffer_free(&buffer);
    return good ? 0 : 1;
}
