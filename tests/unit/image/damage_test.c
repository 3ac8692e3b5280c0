// Tests of images that are damaged, cut off, or made to do damage: S2.9, safety.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/mend.h"
#include "runner/test.h"
#include "unit/image/cast.h"

// In the long tier everything is tried; elsewhere, a part of it.
#ifdef TEST_ALL_DAMAGE
enum { EVERY_SIZE = 1, EVERY_BIT = 1, LIES = 20000 };
#else
enum { EVERY_SIZE = 8, EVERY_BIT = 9, LIES = 1000 };
#endif

// An image of some of everything, of about 8 KiB.
static void make_image(cast *c, mica_buffer *buffer)
{
    cast_begin(c);
    for (uint64_t seed = 9; buffer->size < 8192; seed++) {
        cast_play(c, seed, 10);
        cast_save(c, buffer);
    }
}

// Loads bytes that may be anything: an error, and nothing has happened, or a world that is one, which is
// worked with.
static bool try_load(cast *c, const unsigned char *data, size_t size, uint64_t *digest)
{
    const mica_stream stream = {.data = data, .size = size};
    mica_result result = mica_world_load(c->world, &stream, NULL);
    bool loaded = result == MICA_OK;
    if (loaded) {
        CHECK_EQUAL(MICA_OK, mica_world_validate(c->world));
        cast_play(c, size, 20);
        *digest = mica_world_digest(c->world);
    } else {
        CHECK_EQUAL(1, test_error_clear(&c->t.error));
    }
    return loaded;
}

static void an_image_that_is_cut_off_anywhere_is_refused(void)
{
    cast c, d;
    mica_buffer image = {0};
    uint64_t digest = 0;
    make_image(&c, &image);
    cast_begin(&d);
    cast_play(&d, 1, 50);
    digest = mica_world_digest(d.world);
    for (size_t size = 0; size < image.size; size += EVERY_SIZE) {
        // In a block of its own, so that reading on is noticed.
        unsigned char *copy = malloc(size + 1);
        memcpy(copy, image.data, size);
        CHECK(!try_load(&d, copy, size, &digest));
        free(copy);
    }
    CHECK_EQUAL(digest, mica_world_digest(d.world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(d.world));
    CHECK(try_load(&d, image.data, image.size, &digest));
    mica_buffer_free(&image);
    cast_end(&c);
    cast_end(&d);
}

static void an_image_with_any_bit_flipped_is_refused(void)
{
    cast c, d;
    mica_buffer image = {0};
    uint64_t digest = 0;
    make_image(&c, &image);
    cast_begin(&d);
    cast_play(&d, 1, 50);
    digest = mica_world_digest(d.world);
    for (size_t bit = 0; bit < image.size * 8; bit += EVERY_BIT) {
        image.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        CHECK(!try_load(&d, image.data, image.size, &digest));
        image.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    CHECK_EQUAL(digest, mica_world_digest(d.world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(d.world));
    mica_buffer_free(&image);
    cast_end(&c);
    cast_end(&d);
}

// Hostile images: checksums are right, and what they say is not.

static void the_checksums_of_these_tests_are_those_of_images(void)
{
    cast c;
    mica_buffer image = {0};
    make_image(&c, &image);
    unsigned char *copy = malloc(image.size);
    memcpy(copy, image.data, image.size);
    mend(copy, image.size);
    CHECK_BYTES(image.data, copy, image.size);
    free(copy);
    mica_buffer_free(&image);
    cast_end(&c);
}

static void an_image_that_lies_is_refused_or_is_a_world(void)
{
    cast c, d;
    mica_buffer image = {0};
    uint64_t digest = 0;
    uint64_t random = 3;
    uint32_t loaded = 0;
    make_image(&c, &image);
    unsigned char *copy = malloc(image.size);
    cast_begin(&d);
    for (uint32_t i = 0; i < LIES; i++) {
        memcpy(copy, image.data, image.size);
        uint64_t n = cast_random(&random);
        for (uint32_t k = 0; k <= (n & 3); k++) { // one lie, or a few
            uint64_t lie = cast_random(&random);
            size_t at = (size_t)(lie >> 16) % image.size;
            uint64_t flipped = copy[at] ^ UINT64_C(1) << (lie >> 1 & 7);
            copy[at] = (unsigned char)(lie & 1 ? flipped : lie >> 8);
        }
        mend(copy, image.size);
        loaded += try_load(&d, copy, image.size, &digest);
    }
    CHECK(loaded > LIES / 200); // there are lies that nobody can tell
    CHECK_EQUAL(MICA_OK, mica_world_validate(d.world));
    free(copy);
    mica_buffer_free(&image);
    cast_end(&c);
    cast_end(&d);
}

TESTS(damage, an_image_that_is_cut_off_anywhere_is_refused,
      an_image_with_any_bit_flipped_is_refused, the_checksums_of_these_tests_are_those_of_images,
      an_image_that_lies_is_refused_or_is_a_world)
