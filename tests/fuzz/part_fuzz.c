// A fuzz target: images of either format, loaded beside what a world has. Checksums of binary ones are made
// right first. Run by tools/fuzz.sh, and over its corpus by `make test`.
#include "fuzz/world.h"

#include "image/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Pair {
    float x, y;
} Pair;

static void hear(const mica_observer_event *h)
{
    must(mica_alive(h->world, h->entity), "somebody who is there");
}

static mica_type add_type(mica_world *world, const char *name, mica_storage storage, bool toggle)
{
    mica_type_desc desc = MICA_DESCRIBE(Pair, x, y);
    desc.name = name;
    desc.storage = storage;
    desc.toggle = toggle;
    desc.row_stamps = toggle;
    return mica_type_register(world, &desc);
}

// Some of everything, under names that images of the corpus have, too.
static mica_world *new_crowd(void)
{
    mica_world *world = new_world();
    const mica_type types[] = {add_type(world, "Position", MICA_TABLE, false),
                               add_type(world, "Split", MICA_SPLIT, true),
                               add_type(world, "Ring", MICA_RING, true),
                               add_type(world, "Sparse", MICA_SPARSE, true),
                               add_type(world, "Loose", MICA_SPARSE, false),
                               MICA_TAG(world, Tag)};
    enum { TYPES = sizeof types / sizeof *types };
    mica_group_new(world, &(mica_group_desc){.owned = {types[4]}, .required = {types[3]}});
    mica_group_new(world, &(mica_group_desc){.required = {types[3], types[4]}});
    mica_observer_new(world, &(mica_observer_desc){.events = MICA_ON_SPAWN, .call = hear});
    mica_observer_new(world,
                      &(mica_observer_desc){.type = types[3], .events = MICA_ON_SET, .call = hear});
    for (uint32_t i = 0; i < 20; i++) {
        mica_entity entity = mica_spawn_values(world, NULL, 0);
        for (uint32_t k = 0; k < TYPES; k++) {
            if (i * 7 >> k & 1) {
                mica_add(world, entity, types[k]);
            }
        }
        if (i % 5 == 0) {
            mica_facet_add(world, entity, types[i % TYPES], i, MICA_ADD(types[0]));
        }
    }
    mica_entity first = mica_entity_next(world, (mica_entity){0});
    mica_entity_set_name(world, mica_entity_next(world, first), "name 1");
    mica_despawn(world, first);
    return world;
}

// Everything together is a world that can be saved, and of which everything is a part.
static void look_again(mica_world *world)
{
    mica_buffer image = {0};
    mica_world *other = new_world();
    save(world, MICA_IMAGE_BINARY, &image);
    must(load_again(other, &image), "an image that is loaded");
    must(mica_entity_count(other) == mica_entity_count(world), "as many as there were");
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_subset_stats part;
    must(mica_subset_save(world, all, &(mica_stream){.buffer = &image}, NULL, &part) == MICA_OK,
         "a part that is saved");
    must(part.entities == mica_entity_count(world), "a part of everything");
    mica_query_free(world, all);
    mica_buffer_free(&image);
    mica_world_free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size + 1);
    must(copy != NULL, "memory");
    if (size > 0) {
        memcpy(copy, data, size);
    }
    if (size > 0 && copy[0] == 0x8e) {
        mend(copy, size);
    }
    mica_world *world = new_crowd();
    uint64_t before = mica_world_digest(world);
    uint32_t count = mica_entity_count(world);
    const mica_load_desc how = {.unknown = MICA_UNKNOWN_KEPT, .drop_names = true};
    mica_subset_stats part = {0};
    size_t bytes = mica_world_get_stats(world).memory.bytes;
    mica_result result =
        mica_subset_load(world, &(mica_stream){.data = copy, .size = size}, &how, NULL, 0, &part);
    check_memory(world, bytes, size);
    must(mica_world_validate(world) == MICA_OK, "a world that is valid");
    must(!result || before == mica_world_digest(world), "a world that is as it was");
    must(mica_entity_count(world) == count + part.entities, "as many more as were loaded");
    if (!result) {
        look_again(world);
        use(world);
    }
    mica_world_free(world);
    free(copy);
    return 0;
}
