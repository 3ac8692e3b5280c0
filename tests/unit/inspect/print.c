// What mica_entity_print(), mica_world_print(), mica_table_print() and mica_query_print() print, compared
// with print.expected.
#include <mica.h>

#include <stdio.h>
#include <string.h>

typedef enum Mood { SAD = -1, GLAD = 1 } Mood;

typedef struct Vec {
    float x, y;
} Vec;

typedef struct Everything {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    bool flag;
    bool flags[2];
    char text[6];
    mica_entity other;
    Vec at;
    Vec path[2];
    Mood mood;
    Mood odd;
    int16_t numbers[3];
} Everything;

static mica_type register_everything(mica_world *world, mica_type vec)
{
    static const mica_enumerator moods[] = {{"sad", SAD}, {"glad", GLAD}, {0}};
    const mica_field_info fields[] = {MICA_FIELD(Everything, i8),
                                      MICA_FIELD(Everything, i16),
                                      MICA_FIELD(Everything, i32),
                                      MICA_FIELD(Everything, i64),
                                      MICA_FIELD(Everything, u8),
                                      MICA_FIELD(Everything, u16),
                                      MICA_FIELD(Everything, u32),
                                      MICA_FIELD(Everything, u64),
                                      MICA_FIELD(Everything, f32),
                                      MICA_FIELD(Everything, f64),
                                      MICA_FIELD(Everything, flag),
                                      MICA_FIELD(Everything, flags),
                                      MICA_FIELD(Everything, text),
                                      MICA_FIELD(Everything, other),
                                      MICA_FIELD_STRUCT(Everything, at, vec),
                                      MICA_FIELD_STRUCT(Everything, path, vec),
                                      MICA_FIELD_ENUM(Everything, mood, moods),
                                      MICA_FIELD_ENUM(Everything, odd, moods),
                                      MICA_FIELD(Everything, numbers)};
    mica_type_desc desc = MICA_DESCRIBE(Everything);
    desc.fields = fields;
    desc.field_count = sizeof fields / sizeof fields[0];
    return mica_type_register(world, &desc);
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type frozen = MICA_TAG(world, Frozen);
    mica_type vec = MICA_REGISTER(world, Vec, x, y);
    mica_type everything = register_everything(world, vec);
    mica_type raw =
        mica_type_register(world, &(mica_type_desc){.name = "Raw", .size = 3, .align = 1});
    Everything value = {.i8 = -8,
                        .i16 = -16,
                        .i32 = -32,
                        .i64 = INT64_MIN,
                        .u8 = 255,
                        .u16 = 65535,
                        .u32 = UINT32_MAX,
                        .u64 = UINT64_MAX,
                        .f32 = 0.5F,
                        .f64 = -1e100,
                        .flag = true,
                        .flags = {false, true},
                        .at = {1, 2},
                        .path = {{3, 4}, {5, 6}},
                        .mood = SAD,
                        .odd = (Mood)0,
                        .numbers = {-1, 0, 1}};
    memcpy(value.text, "sixsix", 6); // no zero at its end
    mica_entity empty = mica_spawn_values(world, NULL, 0);
    value.other = empty;
    mica_entity full = mica_spawn(world, ((mica_value){everything, &value, sizeof value, 1, NULL}));
    mica_entity named =
        mica_spawn(world, MICA_ADD(frozen), MICA_VALUE(vec, Vec, 7, 8), MICA_ADD(raw));
    mica_entity_set_name(world, named, "Anna");
    mica_entity dead = mica_spawn_values(world, NULL, 0);
    mica_despawn(world, dead);

    mica_entity facet = mica_facet_add(world, named, vec, 2, MICA_VALUE(vec, Vec, 9, 10));
    mica_entity other = mica_facet_add(world, named, (mica_type){0}, 1, MICA_ADD(frozen));
    mica_entity_set_name(world, other, "Anna's");

    mica_entity_print(world, empty, NULL);
    mica_entity_print(world, full, NULL);
    mica_entity_print(world, named, NULL);
    mica_entity_print(world, facet, NULL);
    mica_entity_print(world, other, NULL);
    mica_entity_print(world, dead, NULL);
    mica_entity_print(world, (mica_entity){0}, NULL);
    mica_world_reclaim(world);
    mica_world_print(world, NULL);
    mica_resource_set(world, MICA_VALUE(vec, Vec, 11, 12), MICA_ADD(raw));
    mica_despawn(world, full);
    mica_world_reclaim(world);
    mica_world_print(world, NULL);

    mica_type_desc on_off = {.name = "OnOff", .size = 4, .align = 4, .toggle = true};
    mica_type toggled = mica_type_register(world, &on_off);
    mica_entity off = mica_spawn(world, MICA_ADD(toggled), MICA_ADD(frozen));
    mica_disable(world, off, toggled);
    for (uint32_t i = 0; i < mica_world_get_stats(world).tables; i++) {
        mica_table_print(world, i, NULL);
    }
    mica_table_print(world, 100, NULL);
    mica_query_print(world, mica_query_new(world, &(mica_query_desc){.everything = true}), NULL);
    mica_query query = mica_query_new(
        world, &(mica_query_desc){.name = "some",
                                  .no_entities = true,
                                  .no_facets = true,
                                  .terms = {{vec, MICA_READ | MICA_CHANGED},
                                            {toggled, MICA_OPTIONAL | MICA_INCLUDE_DISABLED},
                                            {raw, MICA_WRITE | MICA_TOUCH},
                                            {everything, MICA_WITHOUT}}});
    mica_query_print(world, query, NULL);
    mica_query_print(world, (mica_query){0}, NULL);
    mica_world_free(world);
}
