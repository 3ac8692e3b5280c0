// A fuzz target: deltas, loaded into a world with some of everything. What they say of the world before is made right
// first, and the checksum. Run by tools/fuzz.sh, and over its corpus by `make test-full`.
#include "fuzz/world.h"

#include "base/bytes.h"
#include "base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FLAGS = 4, BEFORE = 5, AFTER = 13, HEAD = 21, SUM = 8 }; // offsets; the size of the checksum

typedef struct Pair {
    float x, y;
} Pair;

typedef struct Plate {
    char name[6];
    bool flag;
    int16_t number;
    double wide[2];
    mica_entity target;
    Pair at[2];
} Plate;

static mica_type add_type(mica_world *world, const char *name, mica_storage storage, bool toggle)
{
    mica_type_desc desc = MICA_DESCRIBE(Pair, x, y);
    desc.name = name;
    desc.storage = storage;
    desc.toggle = toggle;
    desc.row_stamps = toggle;
    return mica_type_register(world, &desc);
}

static mica_type add_plate(mica_world *world)
{
    mica_type pair = MICA_REGISTER(world, Pair, x, y);
    static const Plate normal = {.number = 7};
    const mica_field_info fields[] = {
        MICA_FIELD(Plate, name), MICA_FIELD(Plate, flag),   MICA_FIELD(Plate, number),
        MICA_FIELD(Plate, wide), MICA_FIELD(Plate, target), MICA_FIELD_STRUCT(Plate, at, pair)};
    return mica_type_register(world, &(mica_type_desc){.name = "Plate",
                                                       .size = sizeof(Plate),
                                                       .align = _Alignof(Plate),
                                                       .fields = fields,
                                                       .field_count = 6,
                                                       .default_value = &normal});
}

enum { TYPES = 8 };

// Some of everything.
static mica_world *new_crowd(mica_type types[TYPES])
{
    mica_world *world = new_world();
    const mica_type all[TYPES] = {add_type(world, "Position", MICA_TABLE, false),
                                  add_type(world, "Split", MICA_SPLIT, true),
                                  add_type(world, "Ring", MICA_RING, true),
                                  add_type(world, "Sparse", MICA_SPARSE, true),
                                  add_type(world, "Loose", MICA_SPARSE, false),
                                  MICA_TAG(world, Tag),
                                  MICA_SPARSE_TAG(world, Mark),
                                  add_plate(world)};
    memcpy(types, all, sizeof all);
    mica_group_new(world, &(mica_group_desc){.owned = {all[4]}, .required = {all[3]}});
    mica_group_new(world, &(mica_group_desc){.required = {all[3], all[4]}});
    for (uint32_t i = 0; i < 20; i++) {
        mica_entity entity = mica_spawn_values(world, NULL, 0);
        for (uint32_t k = 0; k < TYPES; k++) {
            if (i * 37 >> k & 1) {
                mica_add(world, entity, all[k]);
            }
        }
        if (i % 5 == 0) {
            mica_facet_add(world, entity, all[i % TYPES], i, MICA_ADD(all[0]));
        }
    }
    mica_entity first = mica_entity_next(world, (mica_entity){0});
    mica_entity_set_name(world, mica_entity_next(world, first), "name 1");
    mica_despawn(world, first);
    mica_resource_set(world, MICA_VALUE(all[0], Pair, 1, 2));
    return world;
}

static void mend(unsigned char *bytes, size_t size, uint64_t before)
{
    if (size >= HEAD + SUM) {
        memcpy(bytes, "\x8emd\x01", FLAGS);
        micai_put_little(bytes + BEFORE, before, 8);
        micai_put_little(bytes + size - SUM, micai_hash_bytes(bytes, size - SUM), SUM);
    }
}

// What has the hash that the delta led to says so: a delta without content, from there, is accepted.
static void check_hash(mica_world *world, const unsigned char *bytes)
{
    unsigned char empty[HEAD + 5 + SUM] = "";
    memcpy(empty, bytes, HEAD);
    empty[FLAGS] = 0;
    memcpy(empty + BEFORE, bytes + AFTER, 8);
    micai_put_little(empty + HEAD + 5, micai_hash_bytes(empty, HEAD + 5), SUM);
    must(mica_delta_load(world, &(mica_stream){.data = empty, .size = sizeof empty}) == MICA_OK,
         "a world with the hash that was predicted");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mica_type types[TYPES];
    mica_world *world = new_crowd(types);
    unsigned char *copy = malloc(size + 1);
    must(copy != NULL, "memory");
    if (size > 0) {
        memcpy(copy, data, size);
    }
    mend(copy, size, mica_world_hash(world));
    uint64_t before = mica_world_digest(world);
    size_t bytes = mica_world_get_stats(world).memory.bytes;
    mica_result result = mica_delta_load(world, &(mica_stream){.data = copy, .size = size});
    check_memory(world, bytes, size);
    must(mica_world_validate(world) == MICA_OK, "a world that is valid");
    must(!result || before == mica_world_digest(world), "a world that is as it was");
    must(result != MICA_ERROR_BASE, "the state that the delta begins with");
    if (!result) {
        check_hash(world, copy);
        must(mica_time_begin(world, NULL) == MICA_OK, "time");
        mica_snapshot snapshot = mica_snapshot_take(world);
        must(mica_snapshot_hash(world, snapshot) == mica_world_hash(world), "equal hashes");
        must(mica_time_end(world) == MICA_OK, "the end of time");
        use(world);
    }
    mica_world_free(world);
    free(copy);
    return 0;
}
