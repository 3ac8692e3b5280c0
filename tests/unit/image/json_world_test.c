// Tests of worlds as JSON: S2.9, the same content as a binary image, and back.
#include <mica.h>

#include <string.h>

#include "runner/test.h"
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

TESTS(json_world, a_world_goes_from_binary_to_json_and_back)
