// Tests of images that are made to do damage: small ones that would take much memory, or time. They are written
// as JSON, which has no checksums.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

#include <mica.h>

#define MIB ((size_t)1 << 20)
#define PAGE (UINT32_C(1) << MICA_VIEW_SLOT_SHIFT) // slots that are allocated together

// What mica/image.h allows for an image of so many bytes.
static size_t allowance(size_t size)
{
    return 128 * MIB + 128 * size;
}

typedef struct image {
    char *text;
    size_t size;
    size_t capacity;
} image;

static void put(image *i, const char *format, ...)
{
    if (i->size + 1024 > i->capacity) {
        i->capacity = i->capacity * 2 + 65536;
        i->text = realloc(i->text, i->capacity);
        REQUIRE(i->text != NULL);
    }
    va_list arguments;
    va_start(arguments, format);
    i->size += (size_t)vsnprintf(i->text + i->size, 1024, format, arguments);
    va_end(arguments);
}

// Sections: each is written by hand, or left empty.
static void put_head(image *i)
{
    put(i, "{\"mica_image\":1,\"world\":{\"tick\":5,\"time\":0.0},");
}

static void put_no_types(image *i)
{
    put(i, "\"types\":{\"types_count\":0,\"types\":[]},");
}

static void put_no_entities(image *i)
{
    put(i, "\"entities\":{\"fresh\":0,\"floors_count\":0,\"floors\":[],\"retired_count\":0,"
           "\"retired\":[],\"free_count\":0,\"free\":[]},");
}

static void put_no_tables(image *i)
{
    put(i, "\"tables\":{\"settled\":0,\"young\":0,\"tables_count\":0,\"tables\":[]},");
}

static void put_rest(image *i)
{
    put(i, "\"groups\":{\"groups_count\":0,\"groups\":[]},\"facets\":{\"facets_count\":0,"
           "\"facets\":[]},\"names\":{\"names_count\":0,\"names\":[]},\"resources\":"
           "{\"resources_count\":0,\"resources\":[]},\"events\":{\"queues_count\":0,\"queues\":[]},"
           "\"queries\":{\"queries_count\":0,\"queries\":[]},\"phases\":{\"phases_count\":0,"
           "\"phases\":[],\"heard_count\":0,\"heard\":[]}}");
}

static void put_tail(image *i)
{
    put(i, "\"pools\":{\"pools_count\":0,\"pools\":[]},");
    put_rest(i);
}

// Loads it into a world of its own, and frees it. The peak is what was in use beyond an empty world.
static mica_result load(image *i, const mica_load_desc *desc, size_t *peak_out)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    size_t before = mica_world_get_stats(world).memory.bytes;
    mica_result result =
        mica_world_load(world, &(mica_stream){.data = i->text, .size = i->size}, desc);
    *peak_out = mica_world_get_stats(world).memory.peak_bytes - before;
    CHECK_EQUAL(result != MICA_OK, test_error_clear(&t.error));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    test_world_end(&t);
    free(i->text);
    *i = (image){0};
    return result;
}

// Floors

static void put_floors(image *i, const uint32_t (*floors)[2], uint32_t count)
{
    put_head(i);
    put_no_types(i);
    put(i, "\"entities\":{\"fresh\":0,\"floors_count\":%" PRIu32 ",\"floors\":[", count);
    for (uint32_t f = 0; f < count; f++) {
        put(i, "%s{\"first\":%" PRIu32 ",\"count\":%" PRIu32 ",\"floor\":2}", f ? "," : "",
            floors[f][0], floors[f][1]);
    }
    put(i, "],\"retired_count\":0,\"retired\":[],\"free_count\":0,\"free\":[]},");
    put_no_tables(i);
    put_tail(i);
}

static void floors_that_overlap_or_are_not_in_order_are_refused(void)
{
    const uint32_t last = UINT32_MAX - PAGE + 1; // the first slot of the last page
    const struct {
        uint32_t floors[2][2];
        mica_result result;
    } rows[] = {
        {{{0, PAGE}, {PAGE, PAGE}}, MICA_OK},
        {{{0, PAGE}, {2 * PAGE, 1}}, MICA_OK},
        {{{0, PAGE}, {PAGE - 1, PAGE}}, MICA_ERROR_IMAGE},
        {{{PAGE, PAGE}, {0, PAGE}}, MICA_ERROR_IMAGE},
        {{{0, 1000 * PAGE}, {0, 1000 * PAGE}}, MICA_ERROR_IMAGE},
        {{{0, 0}, {0, 1}}, MICA_ERROR_IMAGE},
        {{{0, 1}, {last, PAGE + 1}}, MICA_ERROR_IMAGE},
        // Small pages are so many that a list of them is too large.
        {{{0, 1}, {last, PAGE}}, MICA_VIEW_SLOT_SHIFT < 12 ? MICA_ERROR_LIMIT : MICA_OK},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        image i = {0};
        size_t peak;
        put_floors(&i, rows[row].floors, 2);
        CHECK_EQUAL(rows[row].result, load(&i, NULL, &peak));
    }
}

// Slots that are far from each other, each in a page of its own

typedef enum far_slots { FAR_ALIVE, FAR_FREE, FAR_RETIRED, FAR_SPARSE, FAR_COUNT } far_slots;

static uint32_t far_slot(uint32_t n)
{
    return n * PAGE;
}

// Some thousand of them, in batches of a thousand.
static void put_batches(image *i, uint32_t thousands, uint32_t generation, const char *end)
{
    for (uint32_t b = 0; b < thousands; b++) {
        put(i, "%s{\"count\":1000,%s\"entities\":[", b ? "," : "", *end ? "\"tick\":1," : "");
        for (uint32_t e = 0; e < 1000; e++) {
            put(i, "%s\"%" PRIu32 ".%" PRIu32 "\"", e ? "," : "", far_slot(b * 1000 + e),
                generation);
        }
        put(i, "]%s}", end);
    }
}

static void put_far_entities(image *i, far_slots kind, uint32_t thousands)
{
    bool free = kind == FAR_FREE;
    bool retired = kind == FAR_RETIRED;
    put(i,
        "\"entities\":{\"fresh\":0,\"floors_count\":0,\"floors\":[],\"retired_count\":%" PRIu32
        ",\"retired\":[",
        retired ? thousands * 1000 : 0);
    for (uint32_t n = 0; retired && n < thousands * 1000; n++) {
        put(i, "%s%" PRIu32, n ? "," : "", far_slot(n) + 1);
    }
    put(i, "],\"free_count\":%" PRIu32 ",\"free\":[", free ? thousands : 0);
    put_batches(i, free ? thousands : 0, 1, "");
    put(i, "]},");
}

static void put_far(image *i, far_slots kind, uint32_t thousands)
{
    bool alive = kind == FAR_ALIVE || kind == FAR_SPARSE;
    put_head(i);
    put(i, "\"types\":{\"types_count\":1,\"types\":[{\"name\":\"Mark\",\"way\":\"none\","
           "\"storage\":\"sparse\",\"stable\":false,\"toggle\":false,\"row_stamps\":false,"
           "\"saved\":false,\"has_default\":false}]},");
    put_far_entities(i, kind, thousands);
    put(i,
        "\"tables\":{\"settled\":0,\"young\":0,\"tables_count\":1,\"tables\":[{\"types_count\":0,"
        "\"types\":[],\"facets\":false,\"idle\":false,\"rows_count\":%" PRIu32 ",\"rows\":[",
        alive ? thousands : 0);
    put_batches(i, alive ? thousands : 0, 0, ",\"columns_count\":0,\"columns\":[]");
    put(i,
        "]}]},\"pools\":{\"pools_count\":1,\"pools\":[{\"type\":\"Mark\",\"places_count\":%" PRIu32
        ",\"places\":[",
        kind == FAR_SPARSE ? thousands : 0);
    if (kind == FAR_SPARSE) {
        put_batches(i, thousands, 0, " ");
    }
    put(i, "],\"holes_count\":0,\"holes\":[]}]},");
    put_rest(i);
}

static void slots_far_from_each_other_take_no_more_memory_than_allowed(void)
{
    const bool small = MICA_VIEW_SLOT_SHIFT < 12; // then pages take little memory
    for (uint32_t kind = 0; kind < FAR_COUNT; kind++) {
        const mica_load_desc more = {.unknown = MICA_UNKNOWN_KEPT, .memory_max = 1000 * MIB};
        const mica_load_desc usual = {.unknown = MICA_UNKNOWN_KEPT};
        const mica_load_desc little = {.unknown = MICA_UNKNOWN_KEPT, .memory_max = 40 * MIB};
        for (uint32_t thousands = 1; thousands <= 10; thousands += 9) {
            image i = {0};
            size_t peak;
            put_far(&i, (far_slots)kind, thousands);
            size_t size = i.size;
            mica_result expected = small || thousands == 1 ? MICA_OK : MICA_ERROR_LIMIT;
            CHECK_EQUAL(expected, load(&i, &usual, &peak));
            CHECK(peak <= allowance(size));
            put_far(&i, (far_slots)kind, thousands);
            CHECK_EQUAL(MICA_OK, load(&i, &more, &peak));
            CHECK(peak <= 1000 * MIB);
            CHECK((peak > allowance(size)) == (expected != MICA_OK));
            put_far(&i, (far_slots)kind, thousands);
            bool fits = small || (kind != FAR_SPARSE && thousands == 1);
            CHECK_EQUAL(fits ? MICA_OK : MICA_ERROR_LIMIT, load(&i, &little, &peak));
            CHECK(peak <= 40 * MIB);
        }
    }
}

// The worlds that mica_spawn_at() makes, from a file and from a function.
static size_t read_some(void *user, void *data, size_t size)
{
    mica_stream *rest = user;
    size_t some = size < rest->size ? size : rest->size;
    memcpy(data, rest->data, some);
    rest->data = (const char *)rest->data + some;
    rest->size -= some;
    return some;
}

TEST_WITH(test_world, t, a_thousand_entities_far_from_each_other_are_saved_and_loaded)
{
    mica_world *world = t->world;
    mica_buffer buffer = {0};
    mica_type mark = MICA_SPARSE_TAG(world, Mark);
    for (uint32_t n = 0; n < 1000; n++) {
        mica_entity e = mica_spawn_at(world, mica_entity_make(far_slot(n * 1000), 1));
        CHECK_EQUAL(MICA_OK, mica_add(world, e, mark));
    }
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.buffer = &buffer}, NULL));
    CHECK_EQUAL(MICA_OK, mica_world_load(world, &(mica_stream){.buffer = &buffer}, NULL));
    CHECK_EQUAL(digest, mica_world_digest(world));
    mica_stream rest = {.data = buffer.data, .size = buffer.size};
    CHECK_EQUAL(MICA_OK,
                mica_world_load(world, &(mica_stream){.read = read_some, .user = &rest}, NULL));
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    mica_buffer_free(&buffer);
}

// Of a stream whose size is not known, counts are not believed, and what has come is what counts.
TEST_WITH(test_world, t, streams_of_unknown_size_are_allowed_memory_as_they_come)
{
    mica_world *world = t->world;
    size_t before = mica_world_get_stats(world).memory.bytes;
    image i = {0};
    put_head(&i);
    put(&i, "\"types\":{\"types_count\":1,\"types\":[{\"name\":\"Many\",\"way\":\"fields\","
            "\"storage\":\"table\",\"stable\":false,\"toggle\":false,\"row_stamps\":false,"
            "\"saved\":false,\"fields_count\":1,\"fields\":[{\"name\":\"e\",\"kind\":\"enum\","
            "\"count\":1,\"pieces\":\"fields\",\"size\":1,\"values_count\":4294967294,"
            "\"values\":[");
    mica_stream rest = {.data = i.text, .size = i.size};
    mica_result result =
        mica_world_load(world, &(mica_stream){.read = read_some, .user = &rest}, NULL);
    CHECK(result == MICA_ERROR_IMAGE || result == MICA_ERROR_LIMIT);
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK(mica_world_get_stats(world).memory.peak_bytes - before <= allowance(i.size));
    free(i.text);
}

// Structs of structs

static void put_struct(image *i, const char *name, uint32_t number, const char *inner,
                       uint32_t fields, const char *storage)
{
    put(i,
        "%s{\"name\":\"%s%" PRIu32 "\",\"way\":\"fields\",\"storage\":\"%s\",\"stable\":false,"
        "\"toggle\":false,\"row_stamps\":false,\"saved\":false,\"fields_count\":%" PRIu32
        ",\"fields\":[",
        i->text[i->size - 1] == '[' ? "" : ",", name, number, storage, fields);
    for (uint32_t f = 0; f < fields; f++) {
        put(i, "%s{\"name\":\"f%" PRIu32 "\",\"kind\":\"%s\",\"count\":1,\"pieces\":\"fields\"",
            f ? "," : "", f, inner ? "struct" : "u8");
        if (inner) {
            put(i, ",\"type\":\"%s\"", inner);
        }
        put(i, "}");
    }
    put(i, "],\"has_default\":false}");
}

// Types that are three of the one before, and some that are three of the last.
static void put_nested(image *i, uint32_t depth, uint32_t tops, const char *storage)
{
    char inner[16];
    put_head(i);
    put(i, "\"types\":{\"types_count\":%" PRIu32 ",\"types\":[", depth + tops);
    for (uint32_t d = 0; d < depth; d++) {
        snprintf(inner, sizeof inner, "N%" PRIu32, d - 1);
        put_struct(i, "N", d, d ? inner : NULL, d ? 3 : 1, "table");
    }
    snprintf(inner, sizeof inner, "N%" PRIu32, depth - 1);
    for (uint32_t n = 0; n < tops; n++) {
        put_struct(i, "Top", n, inner, 3, storage);
    }
    put(i, "]},");
    put_no_entities(i);
    put_no_tables(i);
    put_tail(i);
}

static void structs_of_structs_take_memory_for_each_type_once(void)
{
    const mica_load_desc keep = {.unknown = MICA_UNKNOWN_KEPT};
    image i = {0};
    size_t peak;
    put_nested(&i, 12, 20, "table");
    CHECK_EQUAL(MICA_OK, load(&i, &keep, &peak));
    CHECK(peak < MIB);
    // Too many arrays to be split into.
    put_nested(&i, 12, 1, "split");
    CHECK_EQUAL(MICA_ERROR_LIMIT, load(&i, &keep, &peak));
    CHECK(peak < MIB);
}

TESTS(hostile, floors_that_overlap_or_are_not_in_order_are_refused,
      slots_far_from_each_other_take_no_more_memory_than_allowed,
      a_thousand_entities_far_from_each_other_are_saved_and_loaded,
      streams_of_unknown_size_are_allowed_memory_as_they_come,
      structs_of_structs_take_memory_for_each_type_once)
