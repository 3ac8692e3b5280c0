// Tests of base/hash. The constants were computed apart from this code; they are what makes the
// hashes the same on machines of either byte order.
#include "base/hash.h"

#include "runner/test.h"

#include <string.h>

static void mixing_is_the_same_on_every_machine(void)
{
    CHECK_EQUAL(0, micai_hash_mix(0));
    CHECK_EQUAL(UINT64_C(0x4179b061e0c0e0d0), micai_hash_mix(1));
    CHECK_EQUAL(UINT64_C(0x1c9963305febc252), micai_hash_mix(2));
    CHECK_EQUAL(UINT64_C(0x3efdea49c590f4ec), micai_hash_mix(UINT64_C(0x0123456789abcdef)));
    CHECK_EQUAL(UINT64_C(0x448e29ced4103459), micai_hash_mix(UINT64_MAX));
}

static void adding_is_the_same_on_every_machine_and_the_order_matters(void)
{
    CHECK_EQUAL(UINT64_C(0x3da4588b8c08334f), micai_hash_add(0, 0));
    CHECK_EQUAL(UINT64_C(0x70e120d927458bc3), micai_hash_add(1, 2));
    CHECK_EQUAL(UINT64_C(0x7dd9e39f72d8905e), micai_hash_add(2, 1));
}

static void bytes_hash_the_same_on_every_machine(void)
{
    unsigned char bytes[64];
    for (unsigned char i = 0; i < 64; i++) {
        bytes[i] = i;
    }
    CHECK_EQUAL(UINT64_C(0xc962670450a72bc0), micai_hash_bytes(bytes, 64));
    CHECK_EQUAL(UINT64_C(0x68cb58c58e88561b), micai_hash_bytes("", 1));
    CHECK_EQUAL(UINT64_C(0x695b48ea9758cff0), micai_hash_bytes("\0\0\0\0\0\0\0", 8));
    CHECK_EQUAL(UINT64_C(0xf7f60e36b33a1ed2), micai_hash_bytes("\xff\xff\xff\xff\xff\xff\xff", 7));
    CHECK_EQUAL(UINT64_C(0x4e17cf67001b3979), micai_hash_bytes(NULL, 0));
}

static void text_hashes_the_same_on_every_machine_and_as_its_bytes(void)
{
    CHECK_EQUAL(UINT64_C(0x4e17cf67001b3979), micai_hash_text(""));
    CHECK_EQUAL(UINT64_C(0xd4cd7f32bec2ede0), micai_hash_text("a"));
    CHECK_EQUAL(UINT64_C(0xfddf21252b41f238), micai_hash_text("ab"));
    CHECK_EQUAL(UINT64_C(0x6e2ff436f8d9031a), micai_hash_text("Position"));
    CHECK_EQUAL(UINT64_C(0xbc865482696b3c09), micai_hash_text("Position2"));
    CHECK_EQUAL(UINT64_C(0x33562c6ccecbdad8), micai_hash_text("the quick brown fox"));
    CHECK_EQUAL(micai_hash_bytes("name", 4), micai_hash_text("name"));
}

static void bytes_hash_the_same_at_every_address(void)
{
    unsigned char bytes[64];
    for (size_t size = 0; size <= 40; size++) {
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes, "the bytes that are hashed, more than forty", size);
        uint64_t hash = micai_hash_bytes(bytes, size);
        for (size_t offset = 1; offset < 16; offset++) {
            memmove(bytes + offset, bytes + offset - 1, size);
            REQUIRE_EQUAL(hash, micai_hash_bytes(bytes + offset, size));
        }
    }
}

static void every_length_of_zeroes_hashes_differently(void)
{
    enum { LENGTHS = 100 };
    unsigned char zeroes[LENGTHS] = {0};
    uint64_t hashes[LENGTHS];
    for (size_t i = 0; i < LENGTHS; i++) {
        hashes[i] = micai_hash_bytes(zeroes, i);
        for (size_t earlier = 0; earlier < i; earlier++) {
            REQUIRE(hashes[earlier] != hashes[i]);
        }
    }
}

static void no_two_changed_bits_cancel_out(void)
{
    enum { SIZE = 24, BITS = SIZE * 8 };
    unsigned char bytes[SIZE];
    static uint64_t hashes[BITS * BITS];
    size_t count = 0;
    for (size_t a = 0; a < BITS; a++) {
        for (size_t b = a; b < BITS; b++) {
            memset(bytes, 0x3c, sizeof bytes);
            bytes[a / 8] ^= (unsigned char)(1 << a % 8);
            if (b != a) {
                bytes[b / 8] ^= (unsigned char)(1 << b % 8);
            }
            hashes[count++] = micai_hash_bytes(bytes, SIZE);
        }
    }
    memset(bytes, 0x3c, sizeof bytes);
    hashes[count++] = micai_hash_bytes(bytes, SIZE);
    // Any two alike of 18,529 would be a wonder among 2^64; look by sorting into buckets.
    static uint32_t heads[65536];
    static uint32_t nexts[BITS * BITS];
    memset(heads, 0, sizeof heads);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bucket = (uint32_t)(hashes[i] & 0xffff);
        for (uint32_t other = heads[bucket]; other != 0; other = nexts[other - 1]) {
            REQUIRE(hashes[other - 1] != hashes[i]);
        }
        nexts[i] = heads[bucket];
        heads[bucket] = i + 1;
    }
    CHECK_EQUAL(BITS * (BITS + 1) / 2 + 1, count);
}

static void the_changed_signs_of_neighbouring_floats_do_not_cancel_out(void)
{
    // Which a lighter step would let happen; see hash.c.
    uint64_t hashes[256];
    for (unsigned signs = 0; signs < 256; signs++) {
        unsigned char bytes[32] = {0};
        for (unsigned i = 0; i < 8; i++) {
            bytes[i * 4 + 2] = 0x80;
            bytes[i * 4 + 3] = (unsigned char)(0x3f | (signs >> i & 1) << 7);
        }
        hashes[signs] = micai_hash_bytes(bytes, sizeof bytes);
        for (unsigned other = 0; other < signs; other++) {
            REQUIRE(hashes[other] != hashes[signs]);
        }
    }
}

static void every_input_bit_reaches_every_output_bit(void)
{
    enum { TRIALS = 2000 };
    for (uint32_t in = 0; in < 64; in++) {
        uint32_t flips[64] = {0};
        for (uint64_t i = 0; i < TRIALS; i++) {
            uint64_t x = micai_hash_add(99, i);
            uint64_t changed = micai_hash_mix(x) ^ micai_hash_mix(x ^ UINT64_C(1) << in);
            for (uint32_t out = 0; out < 64; out++) {
                flips[out] += (uint32_t)(changed >> out & 1);
            }
        }
        for (uint32_t out = 0; out < 64; out++) {
            REQUIRE(flips[out] > TRIALS * 2 / 5);
            REQUIRE(flips[out] < TRIALS * 3 / 5);
        }
    }
}

static uint64_t hash_stream(const unsigned char *bytes, size_t size, size_t piece)
{
    micai_hash_stream stream;
    micai_hash_begin(&stream);
    for (size_t at = 0; at < size; at += piece) {
        micai_hash_put(&stream, bytes + at, size - at < piece ? size - at : piece);
    }
    return micai_hash_end(&stream);
}

static void a_stream_does_not_depend_on_its_pieces(void)
{
    enum { SIZE = 200 };
    unsigned char bytes[SIZE];
    for (unsigned i = 0; i < SIZE; i++) {
        bytes[i] = (unsigned char)(i * 7 + 1);
    }
    for (size_t size = 1; size <= SIZE; size++) {
        uint64_t hash = hash_stream(bytes, size, size);
        for (size_t piece = 1; piece < size; piece++) {
            REQUIRE_EQUAL(hash, hash_stream(bytes, size, piece));
        }
        REQUIRE(hash != hash_stream(bytes, size - 1, SIZE));
    }
    CHECK_EQUAL(UINT64_C(0xe137250356e17c0a), hash_stream(bytes, 200, 200));
    CHECK_EQUAL(UINT64_C(0xb8c46f93d1ee19c6), hash_stream(bytes, 0, 1));
}

static void every_two_changed_bits_change_a_stream(void)
{
    enum { SIZE = 72, BITS = SIZE * 8 };
    unsigned char bytes[SIZE];
    memset(bytes, 0x3c, sizeof bytes);
    const uint64_t hash = hash_stream(bytes, SIZE, SIZE);
    for (size_t a = 0; a < BITS; a++) {
        bytes[a / 8] ^= (unsigned char)(1 << a % 8);
        REQUIRE(hash != hash_stream(bytes, SIZE, SIZE));
        for (size_t b = 0; b < a; b++) {
            bytes[b / 8] ^= (unsigned char)(1 << b % 8);
            REQUIRE(hash != hash_stream(bytes, SIZE, SIZE));
            bytes[b / 8] ^= (unsigned char)(1 << b % 8);
        }
        bytes[a / 8] ^= (unsigned char)(1 << a % 8);
    }
}

// Over three blocks, so that words of the same sum change.
static void every_change_of_signs_changes_a_stream(void)
{
    enum { FLOATS = 24, SIGNS = 12 };
    static uint64_t hashes[1 << SIGNS];
    for (uint32_t signs = 0; signs < 1 << SIGNS; signs++) {
        unsigned char bytes[FLOATS * 4] = {0};
        for (uint32_t i = 0; i < FLOATS; i++) {
            uint32_t sign = i % 4 < 2 ? signs >> (i / 4 * 2 + i % 4) & 1 : 0;
            bytes[i * 4 + 2] = 0x80;
            bytes[i * 4 + 3] = (unsigned char)(0x3f | sign << 7);
        }
        hashes[signs] = hash_stream(bytes, sizeof bytes, sizeof bytes);
        for (uint32_t other = 0; other < signs; other++) {
            REQUIRE(hashes[other] != hashes[signs]);
        }
    }
}

static void numbers_enter_a_stream_with_their_lowest_byte_first(void)
{
    const uint16_t two[] = {0x0201, 0x0403};
    const uint32_t four[] = {0x04030201, 0x08070605};
    const uint64_t eight = UINT64_C(0x0807060504030201);
    const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
    micai_hash_stream stream;
    micai_hash_begin(&stream);
    micai_hash_put_numbers(&stream, two, 2, 2);
    CHECK_EQUAL(hash_stream(bytes, 4, 4), micai_hash_end(&stream));
    micai_hash_begin(&stream);
    micai_hash_put_numbers(&stream, four, 4, 2);
    CHECK_EQUAL(hash_stream(bytes, 8, 8), micai_hash_end(&stream));
    micai_hash_begin(&stream);
    micai_hash_put_numbers(&stream, &eight, 8, 1);
    CHECK_EQUAL(hash_stream(bytes, 8, 8), micai_hash_end(&stream));
    micai_hash_begin(&stream);
    micai_hash_put_numbers(&stream, bytes, 1, 8);
    CHECK_EQUAL(hash_stream(bytes, 8, 8), micai_hash_end(&stream));
    // What machines of the other byte order do, seen from here.
    const unsigned char turned[] = {4, 3, 2, 1, 8, 7, 6, 5};
    micai_hash_begin(&stream);
    micai_hash_put_turned(&stream, bytes, 4, 2);
    CHECK_EQUAL(hash_stream(turned, 8, 8), micai_hash_end(&stream));
}

TESTS(hash, mixing_is_the_same_on_every_machine,
      adding_is_the_same_on_every_machine_and_the_order_matters,
      bytes_hash_the_same_on_every_machine, text_hashes_the_same_on_every_machine_and_as_its_bytes,
      bytes_hash_the_same_at_every_address, every_length_of_zeroes_hashes_differently,
      no_two_changed_bits_cancel_out, the_changed_signs_of_neighbouring_floats_do_not_cancel_out,
      every_input_bit_reaches_every_output_bit, a_stream_does_not_depend_on_its_pieces,
      every_two_changed_bits_change_a_stream, every_change_of_signs_changes_a_stream,
      numbers_enter_a_stream_with_their_lowest_byte_first)
