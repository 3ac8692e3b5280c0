// Tests of images that are damaged, cut off, or made to do damage: S2.9, safety.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/test.h"
#include "unit/image/cast.h"

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
    for (size_t size = 0; size < image.size; size++) {
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
    for (size_t bit = 0; bit < image.size * 8; bit++) {
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

// The same as in src/image/binary.c, where it is explained.
static uint64_t get(const unsigned char *bytes, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        number |= (uint64_t)bytes[i] << (8 * i);
    }
    return number;
}

static uint64_t mix(uint64_t x)
{
    for (int i = 0; i < 2; i++) {
        x ^= x >> 32;
        x *= UINT64_C(0xd6e8feb86659fd93);
    }
    return x ^ x >> 32;
}

static uint64_t add(uint64_t hash, uint64_t value)
{
    return mix(hash ^ mix(value + UINT64_C(0x9e3779b97f4a7c15)));
}

static uint64_t sum_of(uint64_t before, const unsigned char *bytes, size_t size)
{
    uint64_t sums[4] = {before, before + 1, before + 2, before + 3};
    size_t at = 0;
    for (uint32_t i = 0; at < size; i = (i + 1) % 4) {
        size_t some = size - at < 8 ? size - at : 8;
        bool whole = at / 32 < size / 32; // of a block of four
        uint64_t *sum = &sums[whole ? i : 0];
        *sum = (*sum ^ get(bytes + at, some)) * UINT64_C(0x9e3779b97f4a7c15);
        *sum ^= *sum >> 29;
        at += some;
    }
    uint64_t sum = mix(size);
    for (uint32_t i = 0; i < 4; i++) {
        sum = add(sum, sums[i]);
    }
    return sum;
}

// Makes all checksums right.
static void mend(unsigned char *data, size_t size)
{
    for (size_t at = 24; at + 8 <= size;) {
        uint64_t sum = sum_of(0, data + at, 8);
        at += 8;
        for (size_t payload = 1; payload > 0 && at + 4 <= size;) {
            payload = (size_t)get(data + at, 4);
            if (payload > size - at - 4 || size - at - 4 - payload < 8) {
                return;
            }
            sum = sum_of(sum, data + at + 4, payload);
            for (uint32_t i = 0; i < 8; i++) {
                data[at + 4 + payload + i] = (unsigned char)(sum >> (8 * i));
            }
            at += 4 + payload + 8;
        }
    }
}

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
    for (uint32_t i = 0; i < 20000; i++) {
        memcpy(copy, image.data, image.size);
        uint64_t n = cast_random(&random);
        for (uint32_t k = 0; k <= (n & 3); k++) { // one lie, or a few
            uint64_t lie = cast_random(&random);
            size_t at = (size_t)(lie >> 16) % image.size;
            copy[at] = lie & 1 ? (unsigned char)(copy[at] ^ 1u << (lie >> 1 & 7))
                               : (unsigned char)(lie >> 8);
        }
        mend(copy, image.size);
        loaded += try_load(&d, copy, image.size, &digest);
    }
    CHECK(loaded > 100); // there are lies that nobody can tell
    CHECK_EQUAL(MICA_OK, mica_world_validate(d.world));
    free(copy);
    mica_buffer_free(&image);
    cast_end(&c);
    cast_end(&d);
}

TESTS(damage, an_image_that_is_cut_off_anywhere_is_refused,
      an_image_with_any_bit_flipped_is_refused, the_checksums_of_these_tests_are_those_of_images,
      an_image_that_lies_is_refused_or_is_a_world)
