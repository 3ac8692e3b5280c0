// Split components (S1.1): an array for each field, reached field by field, loaded and stored whole.
#include <stdlib.h>
#include <string.h>

#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

typedef struct Spot {
    float x, y;
} Spot;

typedef struct Body {
    Spot at;
    char name[6];
    int16_t tag;
    _Alignas(8) double mass; // the same layout where doubles are aligned to 4
    int32_t parts[3];
} Body;

typedef struct Load {
    int32_t a, b;
} Load;

enum { COUNT = 40 };

typedef struct bodies {
    test_world t;
    mica_world *world;
    mica_type spot, body, load, mark, odd; // odd: a sparse tag
    mica_entity e[COUNT];
    mica_query all; // bodies written, loads optional
} bodies;

static Body body_of(int32_t n)
{
    Body body;
    memset(&body, 0, sizeof body);
    body.at = (Spot){(float)n, (float)-n};
    body.name[0] = (char)('a' + n % 26);
    body.tag = (int16_t)(n * 3);
    body.mass = n * 0.5;
    body.parts[0] = n;
    body.parts[2] = n + 2;
    return body;
}

static mica_type_desc describe_body(mica_type spot, mica_field_info *fields)
{
    const mica_field_info all[] = {
        MICA_FIELD_STRUCT(Body, at, spot),
        MICA_FIELD(Body, name),
        MICA_FIELD(Body, tag),
        MICA_FIELD(Body, mass),
        MICA_FIELD(Body, parts),
    };
    memcpy(fields, all, sizeof all);
    return (mica_type_desc){.name = "Body",
                            .size = sizeof(Body),
                            .align = _Alignof(Body),
                            .storage = MICA_SPLIT,
                            .fields = fields,
                            .field_count = sizeof all / sizeof *all};
}

static mica_world *bodies_begin(bodies *b)
{
    mica_world *world = b->world = test_world_begin(&b->t);
    mica_field_info fields[5];
    b->spot = MICA_REGISTER(world, Spot, x, y);
    mica_type_desc desc = describe_body(b->spot, fields);
    desc.toggle = true;
    b->body = mica_type_register(world, &desc);
    REQUIRE(!MICA_IS_NONE(b->body));
    b->load = MICA_REGISTER_SPLIT(world, Load, a, b);
    b->mark = MICA_TAG(world, Mark);
    b->odd = MICA_SPARSE_TAG(world, Odd);
    for (int32_t i = 0; i < COUNT; i++) {
        const Body body = body_of(i);
        b->e[i] = mica_spawn(world, MICA_COPY_OF(b->body, body));
        REQUIRE(i % 2 == 0 || !mica_add(world, b->e[i], b->odd));
    }
    b->all = mica_query_new(
        world, &(mica_query_desc){.name = "bodies",
                                  .terms = {{b->body, MICA_WRITE}, {b->load, MICA_OPTIONAL}}});
    return world;
}

static void bodies_end(bodies *b)
{
    test_world_end(&b->t);
}

static bool holds(bodies *b, mica_entity entity, int32_t n)
{
    Body is;
    const Body should = body_of(n);
    return MICA_LOAD(b->world, entity, b->body, is) && memcmp(&is, &should, sizeof is) == 0;
}

typedef struct Seal {
    unsigned char wax[3];
} Seal;

typedef struct Letter {
    int32_t to;
    Seal seals[2];
    Seal last;
} Letter;

// Of which nobody says what is in it.
TEST_WITH(test_world, t, a_field_of_a_type_without_fields_is_kept_whole)
{
    mica_world *world = t->world;
    mica_type seal =
        mica_type_register(world, &(mica_type_desc){.name = "Seal", .size = 3, .align = 1});
    mica_field_info fields[] = {MICA_FIELD(Letter, to), MICA_FIELD_STRUCT(Letter, seals, seal),
                                MICA_FIELD_STRUCT(Letter, last, seal)};
    fields[1].strips = MICA_STRIPS_EACH;
    mica_type type = mica_type_register(world, &(mica_type_desc){.name = "Letter",
                                                                 .storage = MICA_SPLIT,
                                                                 .size = sizeof(Letter),
                                                                 .align = _Alignof(Letter),
                                                                 .fields = fields,
                                                                 .field_count = 3});
    Letter letter = {5, {{{1, 2, 3}}, {{4, 5, 6}}}, {{7, 8, 9}}};
    mica_entity e = mica_spawn(world, MICA_COPY_OF(type, letter));
    Letter loaded = {0};
    REQUIRE(MICA_LOAD(world, e, type, loaded));
    CHECK_EQUAL(letter.to, loaded.to);
    CHECK_BYTES(letter.seals, loaded.seals, sizeof letter.seals);
    CHECK_BYTES(&letter.last, &loaded.last, sizeof letter.last);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
}

static void every_field_has_an_array_of_its_own(void) // S1.1
{
    bodies b;
    mica_world *world = bodies_begin(&b);
    uint32_t rows = 0;
    mica_iter it;
    mica_iter_begin(world, b.all, &it);
    while (mica_iter_next(&it)) {
        mica_write_fields x = MICA_WRITE_FIELD(&it, 0, Body, at.x);
        mica_read_fields y = MICA_READ_FIELD(&it, 0, Body, at.y);
        mica_read_fields mass = MICA_READ_FIELD(&it, 0, Body, mass);
        mica_read_fields parts = MICA_READ_FIELD(&it, 0, Body, parts);
        mica_read_fields last = MICA_READ_FIELD(&it, 0, Body, parts[2]);
        CHECK_EQUAL(sizeof(float), x.stride);
        CHECK_EQUAL(sizeof(double), mass.stride);
        CHECK_EQUAL(3 * sizeof(int32_t), parts.stride);
        CHECK_EQUAL(parts.stride, last.stride);
        CHECK((const unsigned char *)last.base - (const unsigned char *)parts.base == 8);
        for (uint32_t i = 0; i < it.count; i++) {
            const int32_t n = (int32_t)(rows + i);
            CHECK(MICA_WRITE_IN(x, i, float) == (float)n);
            CHECK(MICA_READ_IN(y, i, float) == (float)-n);
            CHECK(MICA_READ_IN(mass, i, double) == n * 0.5);
            CHECK_EQUAL(n + 2, MICA_READ_IN(last, i, int32_t));
            MICA_WRITE_IN(x, i, float) += 100;
        }
        rows += it.count;
    }
    CHECK_EQUAL(COUNT, rows);
    for (int32_t i = 0; i < COUNT; i++) {
        Body body;
        REQUIRE(MICA_LOAD(world, b.e[i], b.body, body));
        CHECK(body.at.x == (float)(i + 100));
        body.at.x -= 100;
        const Body should = body_of(i);
        CHECK_BYTES(&should, &body, sizeof body);
    }
    bodies_end(&b);
}

static void values_are_loaded_and_stored_whole(void) // S1.1
{
    bodies b;
    mica_world *world = bodies_begin(&b);
    const Body other = body_of(1000);
    CHECK_EQUAL(MICA_OK, mica_set(world, b.e[3], MICA_COPY_OF(b.body, other)));
    CHECK(holds(&b, b.e[3], 1000));
    CHECK(holds(&b, b.e[4], 4));
    mica_entity copy = mica_clone(world, b.e[3]);
    CHECK(holds(&b, copy, 1000));
    CHECK_EQUAL(MICA_OK, mica_add(world, b.e[3], b.mark)); // to another table
    CHECK(holds(&b, b.e[3], 1000));
    for (int32_t i = 4; i < COUNT; i++) {
        CHECK(holds(&b, b.e[i], i));
    }
    Body body;
    CHECK_EQUAL(MICA_OK, mica_remove(world, b.e[3], b.body));
    CHECK(!MICA_LOAD(world, b.e[3], b.body, body)); // it is not there: silently
    mica_entity empty = mica_spawn(world, MICA_ADD(b.body));
    REQUIRE(MICA_LOAD(world, empty, b.body, body));
    const Body zero = {0};
    CHECK_BYTES(&zero, &body, sizeof body);
    // What is between fields and behind the last is not kept.
    Body padded = body_of(8);
    const size_t end = offsetof(Body, parts) + sizeof padded.parts;
    REQUIRE(end < sizeof padded);
    memset((unsigned char *)&padded + end, 0xEE, sizeof padded - end);
    CHECK_EQUAL(MICA_OK, mica_set(world, empty, MICA_COPY_OF(b.body, padded)));
    CHECK(holds(&b, empty, 8));
    bodies_end(&b);
}

TEST_WITH(test_world, t, values_of_every_storage_can_be_loaded)
{
    mica_world *world = t->world;
    mica_type_desc desc = MICA_DESCRIBE(Load, a, b);
    static const char *const names[] = {"T", "P", "S", "R"};
    static const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_SPLIT, MICA_RING};
    for (uint32_t i = 0; i < 4; i++) {
        desc.name = names[i];
        desc.storage = storages[i];
        mica_type type = mica_type_register(world, &desc);
        mica_entity e = mica_spawn(world, MICA_VALUE(type, Load, 7, (int32_t)i));
        Load load;
        REQUIRE(MICA_LOAD(world, e, type, load));
        CHECK_EQUAL(7, load.a);
        CHECK_EQUAL(i, load.b);
    }
}

TEST_WITH(test_world, t, fields_are_reached_in_the_same_way_whatever_the_storage)
{
    mica_world *world = t->world;
    mica_type_desc desc = MICA_DESCRIBE(Load, a, b);
    static const char *const names[] = {"T", "P", "S", "R"};
    static const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_SPLIT, MICA_RING};
    static const size_t strides[] = {sizeof(Load), sizeof(Load), sizeof(int32_t), sizeof(Load)};
    for (uint32_t s = 0; s < 4; s++) {
        desc.name = names[s];
        desc.storage = storages[s];
        mica_type type = mica_type_register(world, &desc);
        for (int32_t i = 0; i < COUNT; i++) {
            REQUIRE(!MICA_IS_NONE(mica_spawn(world, MICA_VALUE(type, Load, i, -i))));
        }
        mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{type, MICA_WRITE}}});
        mica_iter it;
        int64_t sum = 0;
        mica_iter_begin(world, query, &it);
        while (mica_iter_next(&it)) {
            mica_read_fields a = MICA_READ_FIELD(&it, 0, Load, a);
            mica_write_fields b = MICA_WRITE_FIELD(&it, 0, Load, b);
            CHECK_EQUAL(strides[s], a.stride);
            CHECK_EQUAL(strides[s], b.stride);
            for (uint32_t i = 0; i < it.count; i++) {
                MICA_WRITE_IN(b, i, int32_t) += 2 * MICA_READ_IN(a, i, int32_t);
                Load load;
                REQUIRE(storages[s] == MICA_SPARSE || MICA_LOAD(world, it.entities[i], type, load));
                sum += MICA_WRITE_IN(b, i, int32_t);
            }
        }
        CHECK_EQUAL(COUNT * (COUNT - 1) / 2, sum);
    }
}

TEST_WITH(bodies, b, nobody_gets_a_pointer_to_a_split_value)
{
    mica_world *world = b->world;
#define WHOLE ": 'Body' is split, and its values are nowhere whole; use mica_load and mica_set"
    CHECK_POINTER(NULL, mica_get(world, b->e[0], b->body));
    CHECK_ERROR(&b->t, MICA_ERROR_STORAGE, "mica_get" WHOLE);
    CHECK_POINTER(NULL, mica_get_mut(world, b->e[0], b->body));
    CHECK_ERROR(&b->t, MICA_ERROR_STORAGE, "mica_get_mut" WHOLE);
    CHECK_POINTER(NULL, MICA_GET(world, b->e[0], b->body, Body));
    CHECK_ERROR(&b->t, MICA_ERROR_STORAGE, "MICA_GET" WHOLE);
    mica_accessor accessor = mica_accessor_new(world, b->body);
    CHECK_POINTER(NULL, mica_accessor_get(&accessor, b->e[0]));
    CHECK_ERROR(&b->t, MICA_ERROR_STORAGE, "mica_accessor_get" WHOLE);
    CHECK_POINTER(NULL, mica_accessor_get_mut(&accessor, b->e[0]));
    CHECK_ERROR(&b->t, MICA_ERROR_STORAGE, "mica_accessor_get_mut" WHOLE);
    mica_iter it;
    mica_iter_begin(world, b->all, &it);
    REQUIRE(mica_iter_next(&it));
#define USE                                                                                        \
    ": term 0 ('Body') of query 'bodies' is split: use mica_read_field or mica_write_field, or "   \
    "mica_load_row and mica_store_row"
    CHECK_POINTER(NULL, mica_read(&it, 0));
    CHECK_ERROR(&b->t, MICA_ERROR_TERM, "mica_read" USE);
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_ERROR(&b->t, MICA_ERROR_TERM, "mica_write" USE);
    CHECK_POINTER(NULL, mica_read_row(&it, 0, 0));
    CHECK_ERROR(&b->t, MICA_ERROR_TERM, "mica_read_row" USE);
    CHECK_POINTER(NULL, mica_write_row(&it, 0, 0));
    CHECK_ERROR(&b->t, MICA_ERROR_TERM, "mica_write_row" USE);
    CHECK_POINTER(NULL, MICA_READ_AS(&it, 0, Body));
    CHECK_ERROR(&b->t, MICA_ERROR_TERM, "MICA_READ_AS" USE);
    mica_iter_end(&it);
}

TEST_WITH(bodies, b, bytes_that_are_no_field_are_refused)
{
    mica_world *world = b->world;
    mica_iter it;
    mica_iter_begin(world, b->all, &it);
    CHECK_POINTER(NULL, mica_read_field(&it, 0, 0, 4, NULL).base);
    CHECK_ERROR(&b->t, MICA_ERROR_ITERATOR,
                "mica_read_field: there is no segment before mica_iter_next");
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(NULL, mica_read_field(&it, 0, 0, 0, NULL).base);
    CHECK_ERROR(&b->t, MICA_ERROR_FIELD,
                "mica_read_field: 'Body' has 40 bytes, and no field of 0 at 0");
    CHECK_POINTER(NULL, mica_read_field(&it, 0, 36, 8, NULL).base);
    CHECK_ERROR(&b->t, MICA_ERROR_FIELD,
                "mica_read_field: 'Body' has 40 bytes, and no field of 8 at 36");
    CHECK_POINTER(NULL, MICA_READ_FIELD(&it, 0, Body, at).base);
    CHECK_ERROR(&b->t, MICA_ERROR_FIELD,
                "MICA_READ_FIELD: bytes 0 to 7 of 'Body', which is split, are in several pieces");
    CHECK_POINTER(NULL, mica_write_field(&it, 0, 6, 4, NULL).base);
    CHECK_ERROR(&b->t, MICA_ERROR_FIELD,
                "mica_write_field: bytes 6 to 9 of 'Body', which is split, are in several pieces");
    CHECK_POINTER(NULL, mica_read_field(&it, 1, 0, 4, NULL).base); // nobody has it: silently
    CHECK_POINTER(NULL, mica_write_field(&it, 1, 0, 4, NULL).base);
    CHECK_ERROR(
        &b->t, MICA_ERROR_TERM,
        "mica_write_field: term 1 ('Load') of query 'bodies' is only read; use mica_read_field, or declare it MICA_OPTIONAL_WRITE");
    CHECK_POINTER(NULL, mica_read_field(&it, 2, 0, 4, NULL).base);
    CHECK_ERROR(&b->t, MICA_ERROR_TERM,
                "mica_read_field: there is no term 2 of query 'bodies'; it has 2");
    mica_iter_end(&it);
    CHECK_POINTER(NULL, mica_read_field(&it, 0, 0, 4, NULL).base);
    CHECK_ERROR(&b->t, MICA_ERROR_ITERATOR, "mica_read_field: the iteration has ended");
}

static size_t stride_of(mica_world *world, mica_type type, uint32_t offset, uint32_t size)
{
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{type, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    REQUIRE(mica_iter_next(&it));
    size_t stride = mica_read_field(&it, 0, offset, size, NULL).stride;
    mica_iter_end(&it);
    return stride;
}

TEST_WITH(test_world, t, a_field_is_in_the_pieces_that_were_declared)
{
    mica_world *world = t->world;
    mica_type spot = MICA_REGISTER(world, Spot, x, y);
    mica_field_info fields[5];
    mica_type_desc desc = describe_body(spot, fields);
    fields[0] = mica_field_with_strips(fields[0], MICA_STRIPS_WHOLE);
    fields[4] = mica_field_with_strips(fields[4], MICA_STRIPS_EACH);
    mica_type body = mica_type_register(world, &desc);
    const Body value = body_of(5);
    mica_entity e = mica_spawn(world, MICA_COPY_OF(body, value));
    CHECK_EQUAL(sizeof(Spot), stride_of(world, body, offsetof(Body, at.y), 4));
    CHECK_EQUAL(sizeof(Spot), stride_of(world, body, offsetof(Body, at), sizeof(Spot)));
    CHECK_EQUAL(6, stride_of(world, body, offsetof(Body, name), 6));
    CHECK_EQUAL(4, stride_of(world, body, offsetof(Body, parts[1]), 4));
    Body is;
    REQUIRE(MICA_LOAD(world, e, body, is));
    CHECK_BYTES(&value, &is, sizeof is);
    CHECK_EQUAL(MICA_STRIPS_EACH, mica_type_get_info(world, body)->fields[4].strips);
    // The same again is the same type; in other pieces it is another shape.
    CHECK(MICA_EQUAL(body, mica_type_register(world, &desc)));
    fields[4].strips = MICA_STRIPS_FIELDS;
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(t, MICA_ERROR_SHAPE, "mica_type_register: 'Body' is registered with other fields");
}

TEST_WITH(test_world, t, what_cannot_be_split_is_refused)
{
    mica_world *world = t->world;
    mica_type spot = MICA_REGISTER(world, Spot, x, y);
    mica_field_info fields[5];
    mica_type_desc desc = describe_body(spot, fields);
    desc.field_count = 0;
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(
        t, MICA_ERROR_ARGUMENT,
        "mica_type_register: 'Body' has no fields to split it into; name them with MICA_DESCRIBE "
        "(in C++ in a mica::about)");
    desc = describe_body(spot, fields);
    desc.hooks.destruct = (void (*)(void *, uint32_t, const mica_hook_context *))abort;
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(
        t, MICA_ERROR_ARGUMENT,
        "mica_type_register: 'Body' has hooks, which work on whole values; it cannot be split");
    desc = describe_body(spot, fields);
    desc.field_count = 4; // without the parts
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(
        t, MICA_ERROR_FIELD,
        "mica_type_register: bytes 24 to 39 of 'Body' are of no field, and would be lost when it is split");
    desc = describe_body(spot, fields);
    fields[1] = fields[4]; // without the name
    desc.field_count = 4;
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(
        t, MICA_ERROR_FIELD,
        "mica_type_register: bytes 8 to 13 of 'Body' are of no field, and would be lost when it is split");
    desc = describe_body(spot, fields);
    fields[1].strips = MICA_STRIPS_COUNT;
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(
        t, MICA_ERROR_FIELD,
        "mica_type_register: field 'name' of type 'Body' is to be in pieces that there are not");
    mica_field_info many = {.name = "many",
                            .kind = MICA_KIND_U8,
                            .size = MICA_STRIPS_MAX + 1,
                            .strips = MICA_STRIPS_EACH};
    desc = (mica_type_desc){.name = "Many",
                            .size = many.size,
                            .align = 1,
                            .storage = MICA_SPLIT,
                            .fields = &many,
                            .field_count = 1};
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(
        t, MICA_ERROR_LIMIT,
        "mica_type_register: 'Many' would be split into more than 1024 strips, which is the most");
    CHECK(MICA_IS_NONE(
        mica_type_register(world, &(mica_type_desc){.name = "None", .storage = MICA_SPLIT})));
    CHECK_ERROR(
        t, MICA_ERROR_ARGUMENT,
        "mica_type_register: 'None' has no fields to split it into; name them with MICA_DESCRIBE "
        "(in C++ in a mica::about)");
}

static void values_with_hooks_are_not_loaded(void)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    tracker track;
    tracker_begin(&track);
    mica_type_desc desc = tracked_desc(&track, "Tracked", false);
    mica_type hooked = mica_type_register(world, &desc);
    mica_type load = MICA_REGISTER(world, Load, a, b);
    mica_entity e = mica_spawn(world, MICA_VALUE(load, Load, 1, 2), MICA_ADD(hooked));
    Load is;
    CHECK(!mica_load(world, e, load, &is, 4));
    CHECK_ERROR(&t, MICA_ERROR_SIZE, "mica_load: component 'Load' has size 8, not 4");
    tracked copy;
    CHECK(!MICA_LOAD(world, e, hooked, copy));
    CHECK_ERROR(&t, MICA_ERROR_ARGUMENT,
                "mica_load: values of 'Tracked' have hooks, which a copy would go without; use "
                "mica_get");
    CHECK(!mica_load(world, e, load, NULL, 8));
    CHECK_ERROR(&t, MICA_ERROR_NULL, "mica_load: value_out is null");
    REQUIRE(!mica_despawn(world, e));
    CHECK(!MICA_LOAD(world, e, load, is));
    CHECK_ERROR(&t, MICA_ERROR_ENTITY, "mica_load: entity 0.0 is dead, or of another world");
    test_world_end(&t);
    CHECK_TRACKED(&track, 0);
}

// Rows that do not lie side by side, because a sparse tag or a toggle picks them: brought together whole, taken
// apart when the segment is left.
TEST_WITH(bodies, b, fields_of_scattered_rows_go_back_to_where_they_came_from)
{
    mica_world *world = b->world;
    mica_query odd = mica_query_new(
        world, &(mica_query_desc){.terms = {{b->body, MICA_WRITE}, {b->odd, MICA_WITH}}});
    mica_iter it;
    uint32_t rows = 0;
    mica_iter_begin(world, odd, &it);
    while (mica_iter_next(&it)) {
        mica_read_fields before = MICA_READ_FIELD(&it, 0, Body, mass);
        CHECK(MICA_READ_IN(before, 0, double) >= 0);
        mica_write_fields mass = MICA_WRITE_FIELD(&it, 0, Body, mass);
        CHECK_POINTER(NULL, MICA_READ_FIELD(&it, 0, Body, at).base);
        CHECK_ERROR(
            &b->t, MICA_ERROR_FIELD,
            "MICA_READ_FIELD: bytes 0 to 7 of 'Body', which is split, are in several pieces");
        for (uint32_t i = 0; i < it.count; i++) {
            MICA_WRITE_IN(mass, i, double) += 1000;
        }
        Body body;
        CHECK(!MICA_LOAD(world, it.entities[0], b->body, body));
        CHECK_ERROR(
            &b->t, MICA_ERROR_ITERATING,
            "mica_load: 'Body' is gathered by the iteration of a query, which has its values until it goes on; use mica_load_row and mica_store_row there");
        rows += it.count;
    }
    CHECK_EQUAL(COUNT / 2, rows);
    for (int32_t i = 0; i < COUNT; i++) {
        Body body;
        REQUIRE(MICA_LOAD(world, b->e[i], b->body, body));
        CHECK(body.mass == i * 0.5 + (i % 2 ? 1000 : 0));
        CHECK(i % 2 || holds(b, b->e[i], i));
    }
}

TEST_WITH(bodies, b, a_split_component_can_be_disabled)
{
    mica_world *world = b->world;
    for (int32_t i = 0; i < COUNT; i++) {
        REQUIRE(i % 3 != 0 || !mica_disable(world, b->e[i], b->body));
    }
    REQUIRE(!mica_add(world, b->e[3], b->mark)); // which takes the flag along
    CHECK(!mica_is_enabled(world, b->e[3], b->body));
    mica_iter it;
    uint32_t rows = 0;
    mica_iter_begin(world, b->all, &it);
    while (mica_iter_next(&it)) {
        mica_write_fields tag = MICA_WRITE_FIELD(&it, 0, Body, tag);
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK(MICA_WRITE_IN(tag, i, int16_t) % 9 != 0);
            MICA_WRITE_IN(tag, i, int16_t) = -1;
        }
        rows += it.count;
    }
    CHECK_EQUAL(COUNT - (COUNT + 2) / 3, rows);
    for (int32_t i = 0; i < COUNT; i++) {
        Body body;
        REQUIRE(MICA_LOAD(world, b->e[i], b->body, body));
        CHECK_EQUAL(i % 3 ? -1 : i * 3, body.tag);
    }
}

TEST_WITH(bodies, b, where_a_split_component_is_disabled_there_are_no_fields)
{
    mica_world *world = b->world;
    mica_query maybe = mica_query_new(
        world,
        &(mica_query_desc){.terms = {{b->body, MICA_OPTIONAL_WRITE}, {b->mark, MICA_WITHOUT}}});
    for (int32_t some = 0; some < 2; some++) { // all of them; then all but some, here and there
        for (int32_t i = 0; i < COUNT; i++) {
            bool on = some && i % 5 == 0;
            REQUIRE_EQUAL(MICA_OK, on ? mica_enable(world, b->e[i], b->body)
                                      : mica_disable(world, b->e[i], b->body));
        }
        uint32_t rows = 0;
        uint32_t written = 0;
        mica_iter it;
        mica_iter_begin(world, maybe, &it);
        while (mica_iter_next(&it)) {
            mica_read_fields mass = MICA_READ_FIELD(&it, 0, Body, mass);
            mica_write_fields tag = MICA_WRITE_FIELD(&it, 0, Body, tag);
            bool on = mica_is_enabled(world, it.entities[0], b->body);
            CHECK((mass.base != NULL) == on && (tag.base != NULL) == on);
            rows += it.count;
            written += on ? it.count : 0;
        }
        CHECK_EQUAL(COUNT, rows);
        CHECK_EQUAL(some ? COUNT / 5 : 0, written);
    }
}

// Two worlds, the same tape: one has its components split, one in tables.

typedef struct twin {
    test_world t;
    mica_world *world;
    mica_type body, load, mark;
    mica_query query, loaded;
    mica_bundle bundle;
} twin;

static void twin_begin(twin *w, mica_storage storage)
{
    w->world = test_world_begin(&w->t);
    mica_type spot = MICA_REGISTER(w->world, Spot, x, y);
    mica_field_info fields[5];
    mica_type_desc desc = describe_body(spot, fields);
    const Body usual = body_of(77);
    desc.storage = storage;
    desc.default_value = &usual;
    w->body = mica_type_register(w->world, &desc);
    desc = MICA_DESCRIBE(Load, a, b);
    desc.storage = storage;
    desc.toggle = true;
    w->load = mica_type_register(w->world, &desc);
    w->mark = MICA_TAG(w->world, Mark);
    w->query = mica_query_new(
        w->world, &(mica_query_desc){.terms = {{w->body, MICA_WRITE}, {w->mark, MICA_WITHOUT}}});
    w->loaded = mica_query_new(w->world, &(mica_query_desc){.terms = {{w->load, MICA_WITH}}});
    w->bundle = mica_bundle_new(w->world, (mica_type[]){w->body, w->load}, 2);
}

static void iterate(twin *w, int32_t n)
{
    mica_iter it;
    mica_iter_begin(w->world, w->query, &it);
    while (mica_iter_next(&it)) {
        mica_write_fields tag = MICA_WRITE_FIELD(&it, 0, Body, tag);
        for (uint32_t i = 0; i < it.count; i++) {
            MICA_WRITE_IN(tag, i, int16_t) = (int16_t)(MICA_WRITE_IN(tag, i, int16_t) + n);
        }
    }
}

static void step(twin *w, mica_entity *list, uint32_t *count, uint32_t op, uint32_t pick, int32_t n)
{
    mica_world *world = w->world;
    const Body body = body_of(n % 100);
    const Load load = {n, -n};
    mica_entity e = *count > 0 ? list[pick % *count] : (mica_entity){0};
    if (*count == 0 || (op == 0 && *count < 200)) {
        list[(*count)++] = mica_spawn(world, MICA_COPY_OF(w->body, body));
        return;
    }
    switch (op) {
    case 1: mica_set(world, e, MICA_COPY_OF(w->load, load)); break;
    case 2: mica_remove(world, e, pick % 2 ? w->load : w->body); break;
    case 3: mica_set(world, e, MICA_COPY_OF(w->body, body)); break;
    case 4: mica_add(world, e, pick % 2 ? w->mark : w->body); break;
    case 5:
        mica_despawn(world, e);
        list[pick % *count] = list[*count - 1];
        --*count;
        break;
    case 6: iterate(w, n); break;
    case 7: mica_set_all(world, w->loaded, w->load, &load, sizeof load, NULL); break;
    case 8: mica_add_all(world, w->loaded, pick % 2 ? w->body : w->mark, NULL); break;
    case 9: mica_remove_all(world, w->query, w->load, NULL); break;
    case 10:
        if (*count < 190) {
            const Body some[3] = {body, body_of(1), body_of(2)};
            mica_value arrays[] = {MICA_COPY_OF_ARRAY(w->body, some), MICA_ADD(w->load)};
            mica_spawn_many(world, w->bundle, 3, arrays, 2, list + *count);
            *count += 3;
        }
        break;
    case 11: mica_disable(world, e, w->load); break;
    default: list[*count] = mica_clone(world, e); *count += *count < 199;
    }
    mica_clear_error(world);
}

// A number below `end`, of a row that is the same in every run.
static uint32_t next(uint64_t *state, uint32_t end)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % end;
}

static void a_world_of_split_components_is_the_same_as_one_of_tables(void)
{
    static mica_entity lists[2][256];
    twin twins[2];
    uint32_t counts[2] = {0, 0};
    uint64_t random = 1;
    twin_begin(&twins[0], MICA_TABLE);
    twin_begin(&twins[1], MICA_SPLIT);
    for (uint32_t i = 0; i < 4000; i++) {
        uint32_t op = next(&random, 13);
        uint32_t pick = next(&random, 1000);
        for (uint32_t w = 0; w < 2; w++) {
            step(&twins[w], lists[w], &counts[w], op, pick, (int32_t)(i % 1000));
            test_error_clear(&twins[w].t.error);
        }
        REQUIRE(mica_world_hash(twins[0].world) == mica_world_hash(twins[1].world));
        REQUIRE(i % 50 != 0 || mica_world_validate(twins[1].world) == MICA_OK);
    }
    test_world_end(&twins[0].t);
    test_world_end(&twins[1].t);
}

TESTS(split, a_field_of_a_type_without_fields_is_kept_whole, every_field_has_an_array_of_its_own,
      values_are_loaded_and_stored_whole, values_of_every_storage_can_be_loaded,
      fields_are_reached_in_the_same_way_whatever_the_storage,
      nobody_gets_a_pointer_to_a_split_value, bytes_that_are_no_field_are_refused,
      a_field_is_in_the_pieces_that_were_declared, what_cannot_be_split_is_refused,
      values_with_hooks_are_not_loaded, fields_of_scattered_rows_go_back_to_where_they_came_from,
      a_split_component_can_be_disabled, where_a_split_component_is_disabled_there_are_no_fields,
      a_world_of_split_components_is_the_same_as_one_of_tables)
