// A world with some of everything, for fuzz targets.
#ifndef TEST_FUZZ_CROWD_H
#define TEST_FUZZ_CROWD_H

#include "fuzz/world.h"

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

static inline mica_type add_type(mica_world *world, const char *name, mica_storage storage,
                                 bool toggle)
{
    mica_type_desc desc = MICA_DESCRIBE(Pair, x, y);
    desc.name = name;
    desc.storage = storage;
    desc.toggle = toggle;
    desc.row_stamps = toggle;
    return mica_type_register(world, &desc);
}

static inline mica_type add_plate(mica_world *world)
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
static inline mica_world *new_crowd(mica_type types[TYPES])
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

#endif
