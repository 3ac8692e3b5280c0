// Tests of worlds as JSON: S2.9, the same content as a binary image, and back.
#include <mica.h>

#include <stdlib.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/image/cast.h"

static const mica_save_desc as_json = {.format = MICA_IMAGE_JSON};

static void save_json(cast *c, mica_buffer *buffer)
{
    REQUIRE_EQUAL(MICA_OK, mica_world_save(c->world, &(mica_stream){.buffer = buffer}, &as_json));
}

static void check_same_bytes(const mica_buffer *a, const mica_buffer *b)
{
    REQUIRE_EQUAL(a->size, b->size);
    CHECK(memcmp(a->data, b->data, a->size) == 0);
}

// Binary, loaded, JSON, loaded, binary: nothing is lost on the way, and JSON that is saved again is the same.
static void check_way_round(uint64_t seed, uint32_t operations)
{
    cast original;
    cast second;
    cast third;
    mica_buffer first = {0};
    mica_buffer json = {0};
    mica_buffer json_again = {0};
    mica_buffer last = {0};
    cast_begin(&original);
    cast_begin(&second);
    cast_begin(&third);
    cast_play(&original, seed, operations);
    cast_save(&original, &first);
    cast_load(&second, &first);
    save_json(&second, &json);
    cast_play(&third, seed + 1, operations / 2); // it has other things before
    cast_load(&third, &json);
    cast_save(&third, &last);
    check_same_bytes(&first, &last);
    save_json(&third, &json_again);
    check_same_bytes(&json, &json_again);
    CHECK_EQUAL(mica_world_digest(original.world), mica_world_digest(third.world));
    CHECK_EQUAL(mica_world_hash(original.world), mica_world_hash(third.world));
    mica_buffer_free(&first);
    mica_buffer_free(&json);
    mica_buffer_free(&json_again);
    mica_buffer_free(&last);
    cast_end(&original);
    cast_end(&second);
    cast_end(&third);
}

static void a_world_goes_from_binary_to_json_and_back(void) // S2.9
{
    check_way_round(0, 0);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        check_way_round(seed, (uint32_t)(seed * seed * 3));
    }
}

// A small world as JSON, in which everything is that an image has.
static void save_small(mica_buffer *json)
{
    cast c;
    cast_begin(&c);
    cast_play(&c, 3, 40);
    save_json(&c, json);
    cast_end(&c);
}

static void every_beginning_of_an_image_is_refused(void)
{
    mica_buffer json = {0};
    cast c;
    save_small(&json);
    cast_begin(&c);
    cast_play(&c, 5, 30);
    uint64_t before = mica_world_digest(c.world);
    size_t whole = json.size - 1; // without the end of the last line
    for (size_t size = 0; size < whole; size += size < 200 ? 1 : 37) {
        const mica_stream stream = {.data = json.data, .size = size};
        CHECK_EQUAL(MICA_ERROR_IMAGE, mica_world_load(c.world, &stream, NULL));
        CHECK_EQUAL(1, test_error_clear(&c.t.error));
    }
    CHECK_EQUAL(before, mica_world_digest(c.world));
    const mica_stream stream = {.data = json.data, .size = whole};
    CHECK_EQUAL(MICA_OK, mica_world_load(c.world, &stream, NULL));
    mica_buffer_free(&json);
    cast_end(&c);
}

static void types_of_an_image_that_is_refused_are_not_kept(void)
{
    mica_buffer json = {0};
    test_world t;
    mica_world *world = test_world_begin(&t);
    save_small(&json);
    const mica_load_desc desc = {.unknown = MICA_UNKNOWN_KEPT};
    for (size_t size = json.size / 50; size < json.size - 1; size += json.size / 50) {
        const mica_stream stream = {.data = json.data, .size = size};
        CHECK_EQUAL(MICA_ERROR_IMAGE, mica_world_load(world, &stream, &desc));
        CHECK_EQUAL(1, test_error_clear(&t.error));
        CHECK_EQUAL(0, test_type_count(world));
        REQUIRE_EQUAL(MICA_OK, mica_world_validate(world));
    }
    CHECK_EQUAL(MICA_OK, mica_world_load(world, &(mica_stream){.buffer = &json}, &desc));
    mica_buffer_free(&json);
    test_world_end(&t);
}

// Text has no checksums: what was changed may well be another image. Then it is a good one.
static void an_image_that_was_changed_is_refused_or_loaded(void)
{
    mica_buffer json = {0};
    cast c;
    save_small(&json);
    cast_begin(&c);
    cast_play(&c, 5, 30);
    uint32_t loaded = 0;
    uint64_t state = 1;
    for (int i = 0; i < 1500; i++) {
        uint64_t before = mica_world_digest(c.world);
        uint64_t choice = cast_random(&state);
        unsigned char *byte = json.data + (choice >> 8) % json.size;
        unsigned char kept = *byte;
        unsigned flipped = kept ^ 1u << (choice >> 1 & 7);
        *byte = (unsigned char)(choice % 2 ? flipped : (unsigned)"09ae,]}["[choice >> 1 & 7]);
        mica_result result = mica_world_load(c.world, &(mica_stream){.buffer = &json}, NULL);
        *byte = kept;
        if (result) {
            CHECK_EQUAL(1, test_error_clear(&c.t.error));
            REQUIRE_EQUAL(before, mica_world_digest(c.world));
        } else {
            loaded++;
            REQUIRE_EQUAL(MICA_OK, mica_world_validate(c.world));
        }
    }
    CHECK(loaded > 0);
    mica_buffer_free(&json);
    cast_end(&c);
}

// C strings end at their first zero: a string that is compared up to there could be taken for another. So no key,
// name or text may have one, wherever it is in the image.
static void a_zero_in_any_string_is_refused(void)
{
    static const char zero[] = "\\u0000";
    mica_buffer json = {0};
    cast c;
    save_small(&json);
    cast_begin(&c);
    uint64_t before = mica_world_digest(c.world);
    const char *text = (const char *)json.data;
    char *changed = malloc(json.size + sizeof zero);
    uint32_t strings = 0;
    for (size_t at = 1; at < json.size; at++) {
        // At the end of a string, and at its beginning.
        bool quote = text[at - (text[at] != '"')] == '"' && text[at - 1] != '\\';
        if (quote) {
            memcpy(changed, text, at);
            memcpy(changed + at, zero, sizeof zero - 1);
            memcpy(changed + at + sizeof zero - 1, text + at, json.size - at);
            const mica_stream stream = {.data = changed, .size = json.size + sizeof zero - 1};
            CHECK_EQUAL(MICA_ERROR_IMAGE, mica_world_load(c.world, &stream, NULL));
            CHECK_EQUAL(1, test_error_clear(&c.t.error));
            strings++;
        }
    }
    CHECK(strings > 1000);
    CHECK_EQUAL(before, mica_world_digest(c.world));
    free(changed);
    mica_buffer_free(&json);
    cast_end(&c);
}

static void a_world_of_an_older_program_is_loaded_by_names(void) // S2.9
{
    typedef struct Health {
        double shield;
        int32_t points;
        int16_t mood;
    } Health;
    static const mica_enumerator moods[] = {{"sad", 5}, {"glad", 6}, {0}};
    static const char image[] =
        "{\"mica_image\": 1,\n"
        "\"world\": {\"tick\": 9, \"time\": 1.5},\n"
        "\"types\": {\"types_count\": 1, \"types\": [{\n"
        "  \"name\": \"Health\", \"way\": \"fields\", \"storage\": \"table\",\n"
        "  \"stable\": false, \"toggle\": false, \"row_stamps\": false,\n"
        "  \"saved\": false, \"fields_count\": 3, \"fields\": [\n"
        "    {\"name\": \"hits\", \"kind\": \"u8\", \"count\": 1, \"pieces\": \"fields\"},\n"
        "    {\"name\": \"gone\", \"kind\": \"f32\", \"count\": 1, \"pieces\": \"fields\"},\n"
        "    {\"name\": \"mood\", \"kind\": \"enum\", \"count\": 1, \"pieces\": \"fields\",\n"
        "     \"size\": 4, \"values_count\": 1, \"values\": [{\"name\": \"glad\", \"value\": 1}]}],\n"
        "  \"has_default\": false}]},\n"
        "\"entities\": {\"fresh\": 1, \"floors_count\": 0, \"floors\": [],\n"
        "  \"retired_count\": 0, \"retired\": [], \"free_count\": 0, \"free\": []},\n"
        "\"tables\": {\"settled\": 0, \"young\": 0, \"tables_count\": 2, \"tables\": [\n"
        "  {\"types_count\": 0, \"types\": [], \"facets\": false, \"idle\": false,\n"
        "   \"rows_count\": 0, \"rows\": []},\n"
        "  {\"types_count\": 1, \"types\": [\"Health\"], \"facets\": false, \"idle\": false,\n"
        "   \"rows_count\": 1, \"rows\": [{\"count\": 1, \"tick\": 1, \"entities\": [\"0.0\"],\n"
        "     \"columns_count\": 1, \"columns\": [{\"type\": \"Health\", \"tick\": 1, \"swept\": 0,\n"
        "       \"values\": [{\"mood\": \"glad\", \"hits\": 200, \"gone\": \"NaN\"}]}]}]}]},\n"
        "\"pools\": {\"pools_count\": 0, \"pools\": []},\n"
        "\"groups\": {\"groups_count\": 0, \"groups\": []},\n"
        "\"facets\": {\"facets_count\": 0, \"facets\": []},\n"
        "\"names\": {\"names_count\": 0, \"names\": []},\n"
        "\"resources\": {\"resources_count\": 0, \"resources\": []},\n"
        "\"events\": {\"queues_count\": 0, \"queues\": []},\n"
        "\"queries\": {\"queries_count\": 0, \"queries\": []},\n"
        "\"phases\": {\"phases_count\": 0, \"phases\": [], \"heard_count\": 0, \"heard\": []}}\n";
    test_world t;
    mica_world *world = test_world_begin(&t);
    const Health usual = {7.5, 100, 5};
    const mica_field_info fields[] = {MICA_FIELD(Health, shield), MICA_FIELD(Health, points),
                                      MICA_FIELD_ENUM(Health, mood, moods)};
    mica_type health = mica_type_register(world, &(mica_type_desc){.name = "Health",
                                                                   .size = sizeof(Health),
                                                                   .align = _Alignof(Health),
                                                                   .fields = fields,
                                                                   .field_count = 3,
                                                                   .default_value = &usual});
    const mica_alias alias = {.type = "Health", .field = "points", .was = "hits"};
    const mica_load_desc desc = {.aliases = &alias, .alias_count = 1};
    const mica_stream stream = {.data = image, .size = sizeof image - 1};
    REQUIRE_EQUAL(MICA_OK, mica_world_load(world, &stream, &desc));
    const Health *loaded = MICA_GET(world, mica_entity_make(0, 0), health, Health);
    REQUIRE(loaded != NULL);
    CHECK_EQUAL(200, loaded->points);
    CHECK_EQUAL(6, loaded->mood);
    CHECK(loaded->shield == 7.5);
    test_world_end(&t);
}

// The k-th allocation fails, for all k: nothing has happened.
static void memory_that_is_refused_leaves_everything_as_it_was(void)
{
    mica_buffer json = {0};
    cast c;
    save_small(&json);
    cast_begin(&c);
    cast_play(&c, 5, 30);
    uint64_t before = mica_world_digest(c.world);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = 1; result; k++) {
        mica_buffer other = {0};
        test_memory_fail_at(&c.t.memory, k, TEST_MEMORY_ONCE);
        result = mica_world_save(c.world, &(mica_stream){.buffer = &other}, &as_json);
        test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            CHECK_EQUAL(1, test_error_clear(&c.t.error));
            CHECK_POINTER(NULL, other.data);
        }
        mica_buffer_free(&other);
    }
    result = MICA_ERROR_MEMORY;
    for (uint64_t k = 1; result; k++) {
        REQUIRE_EQUAL(before, mica_world_digest(c.world));
        test_memory_fail_at(&c.t.memory, k, TEST_MEMORY_ONCE);
        result = mica_world_load(c.world, &(mica_stream){.buffer = &json}, NULL);
        test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            CHECK(test_error_clear(&c.t.error) > 0);
        }
    }
    CHECK(before != mica_world_digest(c.world));
    mica_buffer_free(&json);
    cast_end(&c);
}

TESTS(json_world, a_world_goes_from_binary_to_json_and_back, every_beginning_of_an_image_is_refused,
      types_of_an_image_that_is_refused_are_not_kept,
      an_image_that_was_changed_is_refused_or_loaded, a_zero_in_any_string_is_refused,
      a_world_of_an_older_program_is_loaded_by_names,
      memory_that_is_refused_leaves_everything_as_it_was)
