// Tests of saving and loading whole worlds: S2.9, images.
#include "unit/image/cast.h"

#include <string.h>

#include "runner/test.h"

static void a_world_that_was_saved_is_loaded_as_it_was(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        cast a, b;
        mica_buffer first = {0};
        mica_buffer second = {0};
        cast_begin(&a);
        cast_begin(&b);
        cast_play(&a, seed, 40 * (uint32_t)seed);
        cast_play(&b, seed + 100, 200);
        cast_save(&a, &first);
        cast_load(&b, &first);
        CHECK_EQUAL(mica_world_hash(a.world), mica_world_hash(b.world));
        CHECK_EQUAL(mica_world_digest(a.world), mica_world_digest(b.world));
        cast_save(&b, &second);
        REQUIRE_EQUAL(first.size, second.size);
        CHECK_BYTES(first.data, second.data, first.size);
        mica_buffer_free(&first);
        mica_buffer_free(&second);
        cast_end(&a);
        cast_end(&b);
    }
}

static void a_world_that_was_loaded_goes_on_as_the_other_would_have(void)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        cast a, b;
        mica_buffer image = {0};
        cast_begin(&a);
        cast_begin(&b);
        cast_play(&a, seed, 300);
        cast_save(&a, &image);
        cast_load(&b, &image);
        uint64_t one = seed * 7;
        uint64_t other = one;
        for (uint32_t i = 0; i < 1000; i++) {
            cast_do(&a, cast_random(&one));
            cast_do(&b, cast_random(&other));
            REQUIRE_EQUAL(mica_world_digest(a.world), mica_world_digest(b.world));
        }
        mica_entity x = mica_spawn_empty(a.world);
        CHECK(mica_entity_equal(x, mica_spawn_empty(b.world)));
        mica_buffer_free(&image);
        cast_end(&a);
        cast_end(&b);
    }
}

TESTS(image, a_world_that_was_saved_is_loaded_as_it_was,
      a_world_that_was_loaded_goes_on_as_the_other_would_have)
