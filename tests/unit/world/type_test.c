#include <mica/type.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entity/data.h"
#include "runner/test.h"
#include "runner/world.h"

typedef struct Vec2 {
    float x, y;
} Vec2;

typedef struct Everything {
    signed char i8;
    short i16;
    int i32;
    long l;
    long long i64;
    unsigned char u8;
    unsigned short u16;
    unsigned int u32;
    unsigned long ul;
    unsigned long long u64;
    float f32;
    double f64;
    bool yes;
    char letter;
    mica_entity entity;
    char name[16];
    float matrix[9];
    mica_entity friends[3];
} Everything;

TEST_WITH(test_world, t, every_kind_is_seen_by_the_macro)
{
    mica_world *world = t->world;
    mica_type type = MICA_REGISTER(world, Everything, i8, i16, i32, l, i64, u8, u16, u32, ul, u64,
                                   f32, f64, yes, letter, entity, name, matrix, friends);
    const mica_type_info *info = mica_type_get_info(world, type);
    REQUIRE(info != NULL);
    CHECK_TEXT("Everything", info->name);
    CHECK_EQUAL(sizeof(Everything), info->size);
    CHECK_EQUAL(_Alignof(Everything), info->align);
    mica_kind i_long = sizeof(long) == 8 ? MICA_KIND_I64 : MICA_KIND_I32;
    mica_kind u_long = sizeof(long) == 8 ? MICA_KIND_U64 : MICA_KIND_U32;
#define ROW(field, kind, count)                                                                    \
    {                                                                                              \
#field, kind, offsetof(Everything, field), MICA_FIELD_SIZE(Everything, field), count,      \
            {0 }, NULL, MICA_STRIPS_FIELDS                                                         \
    }
    const mica_field_info expected[] = {
        ROW(i8, MICA_KIND_I8, 1),
        ROW(i16, MICA_KIND_I16, 1),
        ROW(i32, MICA_KIND_I32, 1),
        ROW(l, i_long, 1),
        ROW(i64, MICA_KIND_I64, 1),
        ROW(u8, MICA_KIND_U8, 1),
        ROW(u16, MICA_KIND_U16, 1),
        ROW(u32, MICA_KIND_U32, 1),
        ROW(ul, u_long, 1),
        ROW(u64, MICA_KIND_U64, 1),
        ROW(f32, MICA_KIND_F32, 1),
        ROW(f64, MICA_KIND_F64, 1),
        ROW(yes, MICA_KIND_BOOL, 1),
        ROW(letter, MICA_KIND_CHAR, 1),
        ROW(entity, MICA_KIND_ENTITY, 1),
        ROW(name, MICA_KIND_CHAR, 16),
        ROW(matrix, MICA_KIND_F32, 9),
        ROW(friends, MICA_KIND_ENTITY, 3),
    };
#undef ROW
    REQUIRE_EQUAL(sizeof expected / sizeof expected[0], info->field_count);
    for (uint32_t i = 0; i < info->field_count; i++) {
        CHECK_TEXT(expected[i].name, info->fields[i].name);
        CHECK_EQUAL(expected[i].kind, info->fields[i].kind);
        CHECK_EQUAL(expected[i].offset, info->fields[i].offset);
        CHECK_EQUAL(expected[i].size, info->fields[i].size);
        CHECK_EQUAL(expected[i].count, info->fields[i].count);
    }
}

typedef struct Wide {
    int a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7;
    int c0, c1, c2, c3, c4, c5, c6, c7, d0, d1, d2, d3, d4, d5, d6, d7;
} Wide;

TEST_WITH(test_world, t, the_macro_takes_0_to_32_fields)
{
    mica_world *world = t->world;
    typedef struct Opaque {
        void *pointer;
    } Opaque;
    mica_type none = MICA_REGISTER(world, Opaque);
    CHECK_EQUAL(sizeof(Opaque), mica_type_get_info(world, none)->size);
    CHECK_EQUAL(0, mica_type_get_info(world, none)->field_count);
    CHECK_POINTER(NULL, mica_type_get_info(world, none)->fields);

    mica_type all =
        MICA_REGISTER(world, Wide, a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7,
                      c0, c1, c2, c3, c4, c5, c6, c7, d0, d1, d2, d3, d4, d5, d6, d7);
    const mica_type_info *info = mica_type_get_info(world, all);
    REQUIRE_EQUAL(32, info->field_count);
    for (uint32_t i = 0; i < 32; i++) {
        CHECK_EQUAL(i * sizeof(int), info->fields[i].offset);
    }
    CHECK_TEXT("d7", info->fields[31].name);
}

typedef enum Mood { SAD = -1, CALM = 0, HAPPY = 7 } Mood;

typedef struct Guest {
    Vec2 at;
    Mood mood;
    Vec2 path[4];
    char name[8];
} Guest;

TEST_WITH(test_world, t, structs_and_enums_are_fields_too)
{
    mica_world *world = t->world;
    static const mica_enumerator moods[] = {{"sad", SAD}, {"calm", CALM}, {"happy", HAPPY}, {0}};
    mica_type vec2 = MICA_REGISTER(world, Vec2, x, y);
    const mica_field_info fields[] = {
        MICA_FIELD_STRUCT(Guest, path, vec2),
        MICA_FIELD_STRUCT(Guest, at, vec2),
        MICA_FIELD_ENUM(Guest, mood, moods),
        MICA_FIELD(Guest, name),
    };
    mica_type_desc desc = MICA_DESCRIBE(Guest);
    desc.fields = fields;
    desc.field_count = 4;
    mica_type type = mica_type_register(world, &desc);
    const mica_type_info *info = mica_type_get_info(world, type);
    REQUIRE(info != NULL && info->field_count == 4);
    const mica_field_info *at = &info->fields[0];
    CHECK(at->kind == MICA_KIND_STRUCT && MICA_EQUAL(at->type, vec2) && at->count == 1);
    const mica_field_info *mood = &info->fields[1];
    CHECK(mood->kind == MICA_KIND_ENUM && mood->size == sizeof(Mood) && mood->count == 1);
    CHECK_TEXT("happy", mood->enumerators[2].name);
    CHECK_EQUAL(HAPPY, mood->enumerators[2].value);
    CHECK_EQUAL(SAD, mood->enumerators[0].value);
    const mica_field_info *path = &info->fields[2];
    CHECK(path->kind == MICA_KIND_STRUCT && path->count == 4 && path->size == 4 * sizeof(Vec2));
    CHECK_TEXT("name", info->fields[3].name);
    CHECK(MICA_EQUAL(type, mica_type_register(world, &desc)));
}

static void end_value(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 0, (size_t)count * context->type->size);
}

TEST_WITH(test_world, t, a_described_type_can_be_filled_in_further)
{
    mica_world *world = t->world;
    mica_type_desc desc = MICA_DESCRIBE(Vec2, x, y);
    const Vec2 value = {3, 4};
    int user = 0;
    desc.default_value = &value;
    desc.hooks.destruct = end_value;
    desc.user = &user;
    const mica_type_info *info = mica_type_get_info(world, mica_type_register(world, &desc));
    REQUIRE(info != NULL);
    CHECK_BYTES(&value, info->default_value, sizeof value);
    CHECK(info->default_value != &value);
    CHECK(info->hooks.destruct == end_value);
    CHECK_POINTER(&user, info->user);
    CHECK_EQUAL(2, info->field_count);
}

TEST_WITH(test_world, t, a_tag_has_no_data)
{
    mica_world *world = t->world;
    mica_type frozen = MICA_TAG(world, Frozen);
    const mica_type_info *info = mica_type_get_info(world, frozen);
    REQUIRE(info != NULL);
    CHECK_TEXT("Frozen", info->name);
    CHECK_EQUAL(0, info->size);
    CHECK_EQUAL(frozen.bits, info->type.bits);
    CHECK(MICA_EQUAL(frozen, MICA_TAG(world, Frozen)));
    CHECK(MICA_EQUAL(frozen, mica_type_register(world, &(mica_type_desc){.name = "Frozen"})));
}

TEST_WITH(test_world, t, types_are_found_by_name_and_walked_in_order)
{
    mica_world *world = t->world;
    CHECK_EQUAL(0, test_type_count(world));
    CHECK(MICA_IS_NONE(mica_type_next(world, (mica_type){0})));
    mica_type a = MICA_TAG(world, A);
    mica_type vec2 = MICA_REGISTER(world, Vec2, x, y);
    mica_type b = MICA_TAG(world, B);
    CHECK_EQUAL(3, test_type_count(world));
    CHECK(MICA_EQUAL(a, mica_type_find(world, "A")));
    CHECK(MICA_EQUAL(vec2, mica_type_find(world, "Vec2")));
    CHECK(MICA_EQUAL(b, mica_type_find(world, "B")));
    CHECK(MICA_IS_NONE(mica_type_find(world, "C")));
    CHECK(MICA_IS_NONE(mica_type_find(world, "")));
    CHECK(MICA_EQUAL(a, mica_type_next(world, (mica_type){0})));
    CHECK(MICA_EQUAL(vec2, mica_type_next(world, a)));
    CHECK(MICA_EQUAL(b, mica_type_next(world, vec2)));
    CHECK(MICA_IS_NONE(mica_type_next(world, b)));
    CHECK_EQUAL(0, t->error.calls);
}

TEST_WITH(test_world, t, the_same_again_is_the_same_type_and_another_shape_an_error)
{
    mica_world *world = t->world;
    mica_type first = MICA_REGISTER(world, Vec2, x, y);
    mica_type again = MICA_REGISTER(world, Vec2, y, x);
    CHECK(MICA_EQUAL(first, again));
    CHECK(MICA_IS_NONE(MICA_REGISTER(world, Vec2, x)));
    CHECK_ERROR(t, MICA_ERROR_SHAPE, "mica_type_register: 'Vec2' is registered with other fields");
    CHECK(MICA_IS_NONE(MICA_TAG(world, Vec2)));
    CHECK_ERROR(t, MICA_ERROR_SHAPE, "mica_type_register: 'Vec2' is registered with another size");
    CHECK_EQUAL(1, test_type_count(world));
}

TEST_WITH(test_world, t, sparse_types_are_registered_in_all_ways)
{
    mica_world *world = t->world;
    mica_type sparse = MICA_REGISTER_SPARSE(world, Vec2, x, y);
    mica_type mark = MICA_SPARSE_TAG(world, Mark);
    mica_type_desc desc = MICA_DESCRIBE(Vec2, x, y);
    desc.storage = MICA_SPARSE;
    CHECK(MICA_EQUAL(sparse, mica_type_register(world, &desc)));
    const mica_type_info *info = mica_type_get_info(world, sparse);
    CHECK(info->storage == MICA_SPARSE && !info->stable);
    info = mica_type_get_info(world, mark);
    CHECK(info->storage == MICA_SPARSE && info->size == 0);
    const mica_type_desc lasting = {
        .name = "Lasting", .size = 4, .align = 4, .storage = MICA_SPARSE, .stable = true};
    CHECK(mica_type_get_info(world, mica_type_register(world, &lasting))->stable);

    desc.storage = MICA_TABLE;
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(t, MICA_ERROR_SHAPE,
                "mica_type_register: 'Vec2' is registered with another storage");
    desc.storage = MICA_SPARSE;
    desc.stable = true;
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK(MICA_IS_NONE(MICA_TAG(world, Mark)));
    CHECK_EQUAL(1, test_error_clear(&t->error));
}

static void several_types_are_registered_or_none(void)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type first = MICA_TAG(world, first);
    const mica_type_desc good[] = {MICA_DESCRIBE(Vec2, x, y),
                                   {.name = "Tag"},
                                   {.name = "first"}, // is there
                                   {.name = "Sparse", .storage = MICA_SPARSE},
                                   {.name = "Tag"}}; // is there by then
    mica_type_desc bad[] = {good[0], good[1], good[2], good[3], {.name = "Vec2"}};
    mica_type types[5];
    for (int i = 0; i < 2; i++) {
        memset(types, 0xA5, sizeof types);
        CHECK_EQUAL(MICA_ERROR_SHAPE, mica_type_register_all(world, bad, 5, types));
        CHECK_ERROR(&t, MICA_ERROR_SHAPE,
                    "mica_type_register_all: 'Vec2' is registered with another size");
        for (int k = 0; k < 5; k++) {
            CHECK(MICA_IS_NONE(types[k]));
        }
        CHECK_EQUAL(1, test_type_count(world));
        CHECK(MICA_IS_NONE(mica_type_find(world, "Vec2")));
        CHECK(MICA_IS_NONE(mica_type_find(world, "Sparse")));
        CHECK(MICA_EQUAL(first, mica_type_find(world, "first")));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(MICA_OK, mica_type_register_all(world, good, 5, types));
        CHECK(MICA_EQUAL(types[0], mica_type_find(world, "Vec2")));
        CHECK(MICA_EQUAL(first, types[2]) && MICA_EQUAL(types[1], types[4]));
        CHECK_EQUAL(4, test_type_count(world));
    }
    mica_entity e = mica_spawn(world, MICA_VALUE(types[0], Vec2, 1, 2), MICA_ADD(types[3]));
    CHECK(mica_has(world, e, types[3]) && MICA_GET(world, e, types[0], Vec2)->y == 2);
    // More than the world may have: none of them, not the first few.
    CHECK_EQUAL(MICA_OK, mica_type_register_all(world, NULL, 0, NULL));
    test_world_end(&t);
    test_world_prepare(&t);
    t.desc.max_types = 2;
    world = test_world_open(&t);
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_type_register_all(world, good, 2 + 1, types));
    CHECK_ERROR(&t, MICA_ERROR_LIMIT,
                "mica_type_register_all: 3 types, and the world's limit is 2");
    MICA_TAG(world, Tag);
    CHECK_EQUAL(MICA_OK, mica_type_register_all(world, good, 2, types)); // one of them is there
    CHECK_EQUAL(2, test_type_count(world));
    test_world_end(&t);
}

TEST_WITH(test_world, t, a_storage_that_cannot_be_is_refused)
{
    mica_world *world = t->world;
    mica_type_desc desc = MICA_DESCRIBE(Vec2, x, y);
    desc.storage = MICA_STORAGE_COUNT;
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    char sentence[64];
    snprintf(sentence, sizeof sentence, "mica_type_register: there is no storage %d (of 'Vec2')",
             (int)MICA_STORAGE_COUNT);
    CHECK_ERROR(t, MICA_ERROR_ARGUMENT, sentence);
    desc.storage = (mica_storage)-1;
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_EQUAL(1, test_error_clear(&t->error));
    desc.storage = MICA_TABLE;
    desc.stable = true;
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(t, MICA_ERROR_ARGUMENT,
                "mica_type_register: 'Vec2' is to be stable, which only sparse components with "
                "values can be");
    CHECK(MICA_IS_NONE(mica_type_register(
        world, &(mica_type_desc){.name = "T", .storage = MICA_SPARSE, .stable = true})));
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK_EQUAL(0, test_type_count(world));
}

TEST_WITH(test_world, t, a_garbage_descriptor_is_refused)
{
    mica_world *world = t->world;
    mica_type_desc desc;
    memset(&desc, 0xA5, sizeof desc);
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(t, MICA_ERROR_DESC,
                "mica_type_register: the descriptor was not zeroed before it was filled in");
    CHECK_EQUAL(0, test_type_count(world));
}

static void the_limit_of_types_is_an_error(void)
{
    test_world t;
    test_world_prepare(&t);
    t.desc.max_types = 2;
    mica_world *world = test_world_open(&t);
    MICA_TAG(world, A);
    mica_type b = MICA_TAG(world, B);
    CHECK(MICA_IS_NONE(MICA_TAG(world, C)));
    CHECK_ERROR(&t, MICA_ERROR_LIMIT,
                "mica_type_register: 'C' is one more than the world's limit of 2 types");
    CHECK(MICA_EQUAL(b, MICA_TAG(world, B)));
    test_world_end(&t);
}

TEST_WITH(test_world, t, nulls_are_reported_by_name)
{
    mica_world *world = t->world;
    CHECK(MICA_IS_NONE(mica_type_register(world, NULL)));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_register: desc is null");
    CHECK(MICA_IS_NONE(mica_type_register(world, &(mica_type_desc){.name = NULL})));
    CHECK_ERROR(t, MICA_ERROR_NAME, "mica_type_register: the name is missing");
    CHECK(MICA_IS_NONE(mica_type_find(world, NULL)));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_find: name is null");
    CHECK(MICA_IS_NONE(mica_type_register(
        world, &(mica_type_desc){.name = "T", .size = 4, .align = 4, .field_count = 1})));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_type_register: type 'T' has 1 fields at null");
}

// The type is refused by every function on types that takes one.
static void check_refused(test_world *t, mica_type type)
{
    CHECK_POINTER(NULL, mica_type_get_info(t->world, type));
    CHECK_ERROR(t, MICA_ERROR_TYPE,
                "mica_type_get_info: the component type is of another world, or no type at all");
    CHECK(MICA_IS_NONE(mica_type_next(t->world, type)));
    CHECK_ERROR(t, MICA_ERROR_TYPE,
                "mica_type_next: the component type is of another world, or no type at all");
    const mica_field_info field = {.name = "f", .kind = MICA_KIND_STRUCT, .type = type};
    CHECK(MICA_IS_NONE(mica_type_register(
        t->world, &(mica_type_desc){
                      .name = "T", .size = 8, .align = 4, .fields = &field, .field_count = 1})));
    CHECK_ERROR(
        t, MICA_ERROR_FIELD,
        "mica_type_register: field 'f' of type 'T' is a struct of a type that is none, or of another world");
}

static void types_of_another_living_world_are_caught_everywhere(void)
{
    test_world t;
    test_world other;
    test_world_begin(&t);
    test_world_begin(&other);
    mica_type here = MICA_REGISTER(t.world, Vec2, x, y);
    mica_type there = MICA_REGISTER(other.world, Vec2, x, y); // the same name and number
    CHECK(!MICA_EQUAL(here, there));
    check_refused(&t, there);
    check_refused(&other, here);
    mica_type second = MICA_TAG(other.world, Second); // a number that is not here
    check_refused(&t, second);
    test_world_end(&other);
    check_refused(&t, there);
    test_world_end(&t);
}

TEST_WITH(test_world, t, what_was_never_a_type_is_caught)
{
    mica_world *world = t->world;
    mica_type type = MICA_TAG(world, A);
    const uint64_t bits[] = {1, UINT64_MAX, UINT64_C(0xA5A5A5A5A5A5A5A5), type.bits + 1,
                             type.bits ^ UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        check_refused(t, (mica_type){bits[i]});
    }
    CHECK_POINTER(NULL, mica_type_get_info(world, (mica_type){0}));
    CHECK_ERROR(t, MICA_ERROR_TYPE,
                "mica_type_get_info: the component type is none; was it registered?");
}

// An allocator that gives every world the same place.
typedef struct one_place {
    test_memory memory;
    _Alignas(64) unsigned char face[sizeof(mica_world)];
    _Alignas(max_align_t) unsigned char state[sizeof(micai_state) + sizeof(micai_entity_data)];
} one_place;

static void *resize_in_one_place(void *user, void *block, size_t old_size, size_t new_size,
                                 size_t align)
{
    one_place *place = user;
    if (block == place->face || new_size == sizeof place->face) {
        return new_size ? place->face : NULL;
    }
    if (block == place->state || new_size == sizeof place->state) {
        return new_size ? place->state : NULL;
    }
    return place->memory.allocator.resize(&place->memory, block, old_size, new_size, align);
}

static void a_type_of_a_freed_world_is_caught_in_one_at_its_address(void)
{
    static one_place place;
    test_memory_begin(&place.memory);
    test_world t;
    test_world_prepare(&t);
    t.desc.allocator = (mica_allocator){resize_in_one_place, &place};
    mica_world *world = test_world_open(&t);
    CHECK_POINTER(place.face, world);
    CHECK_POINTER(place.state, world->state);
    mica_type old_a = MICA_TAG(world, A);
    mica_type old_b = MICA_TAG(world, B);
    mica_world_free(world);

    CHECK_POINTER(world, test_world_open(&t));
    check_refused(&t, old_a); // no types yet
    MICA_TAG(world, B);
    mica_type new_c = MICA_TAG(world, C);
    check_refused(&t, old_a); // another name
    check_refused(&t, old_b);
    mica_world_free(world);

    // The same name at the same place is another type all the same.
    CHECK_POINTER(world, test_world_open(&t));
    MICA_TAG(world, A);
    check_refused(&t, old_a);
    check_refused(&t, new_c);
    test_world_end(&t);
    test_memory_end(&place.memory);
}

TESTS(type, every_kind_is_seen_by_the_macro, the_macro_takes_0_to_32_fields,
      structs_and_enums_are_fields_too, a_described_type_can_be_filled_in_further,
      a_tag_has_no_data, types_are_found_by_name_and_walked_in_order,
      the_same_again_is_the_same_type_and_another_shape_an_error,
      sparse_types_are_registered_in_all_ways, several_types_are_registered_or_none,
      a_storage_that_cannot_be_is_refused, a_garbage_descriptor_is_refused,
      the_limit_of_types_is_an_error, nulls_are_reported_by_name,
      types_of_another_living_world_are_caught_everywhere, what_was_never_a_type_is_caught,
      a_type_of_a_freed_world_is_caught_in_one_at_its_address)
