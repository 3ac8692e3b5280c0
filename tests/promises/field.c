// What mica/field.h promises.
#include "promise.h"

#include <string.h>

PROMISE(mica_kind_name)
{
    // [kind.name]: each has one of its own
    CHECK_TEXT("i32", mica_kind_name(MICA_KIND_I32));
    CHECK_TEXT("f32", mica_kind_name(MICA_KIND_F32));
    CHECK_TEXT("struct", mica_kind_name(MICA_KIND_STRUCT));
    CHECK_TEXT("none", mica_kind_name(MICA_KIND_NONE));
    CHECK_TEXT("none", mica_kind_name(MICA_KIND_COUNT));
    CHECK_TEXT("none", mica_kind_name((mica_kind)-1));
    CHECK_TEXT("none", mica_kind_name((mica_kind)255));
    for (int a = 1; a < MICA_KIND_COUNT; a++) {
        for (int b = 0; b < a; b++) {
            CHECK(strcmp(mica_kind_name((mica_kind)a), mica_kind_name((mica_kind)b)) != 0);
        }
    }

    // [kind.name]: the same string each time
    CHECK_POINTER(mica_kind_name(MICA_KIND_I32), mica_kind_name(MICA_KIND_I32));
}

typedef struct Body {
    float axes[3];
    float mass;
} Body;

// How many arrays a split type has, by the fields that can be reached in one piece.
static bool is_in_one_piece(mica_strips pieces, uint32_t offset, uint32_t size)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    const mica_field_info fields[] = {mica_field_with_strips(MICA_FIELD(Body, axes), pieces),
                                      MICA_FIELD(Body, mass)};
    mica_type body = mica_type_register(world, &(mica_type_desc){.name = "Body",
                                                                 .storage = MICA_SPLIT,
                                                                 .size = sizeof(Body),
                                                                 .align = _Alignof(Body),
                                                                 .fields = fields,
                                                                 .field_count = 2});
    mica_entity entity = mica_spawn(world, MICA_VALUE(body, Body, {1, 2, 3}, 4));
    Body loaded = {0};
    CHECK(MICA_LOAD(world, entity, body, loaded));
    CHECK(loaded.axes[0] == 1 && loaded.axes[1] == 2 && loaded.axes[2] == 3 && loaded.mass == 4);
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{body, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    REQUIRE(mica_iter_next(&it));
    bool in_one = mica_read_field(&it, 0, offset, size, NULL).base != NULL;
    CHECK_EQUAL(in_one ? 0 : 1, test_error_clear(&t.error));
    mica_iter_end(&it);
    test_world_end(&t);
    return in_one;
}

PROMISE(mica_field_with_strips)
{
    // [field.strips]
    mica_field_info field = MICA_FIELD(Body, axes);
    mica_field_info other = mica_field_with_strips(field, MICA_STRIPS_EACH);
    CHECK_EQUAL(MICA_STRIPS_FIELDS, field.strips);
    CHECK_EQUAL(MICA_STRIPS_EACH, other.strips);
    other.strips = MICA_STRIPS_FIELDS;
    CHECK_TEXT(field.name, other.name);
    CHECK_EQUAL(field.kind, other.kind);
    CHECK_EQUAL(field.offset, other.offset);
    CHECK_EQUAL(field.size, other.size);
    CHECK(is_in_one_piece(MICA_STRIPS_FIELDS, 0, sizeof(float[3])));
    CHECK(is_in_one_piece(MICA_STRIPS_WHOLE, 0, sizeof(float[3])));
    CHECK(!is_in_one_piece(MICA_STRIPS_EACH, 0, sizeof(float[3])));
    CHECK(is_in_one_piece(MICA_STRIPS_EACH, sizeof(float), sizeof(float)));
}

TESTS(field, promise_of_mica_kind_name, promise_of_mica_field_with_strips)
