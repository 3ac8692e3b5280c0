// Tests of src/core/value_hash.c. The suite of inspect/hash shows which fields count.
#include "core/value_hash.h"

#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "core/field_strip.h"
#include "runner/host.h"
#include "runner/test.h"

typedef struct fixture {
    test_host t;
    micai_host *host;
    micai_registry types;
} fixture;

static void fixture_begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    f->host = test_host_begin(&f->t);
    micai_registry_init(&f->types, 0, 7);
    f->types.split = micai_field_strips_make;
}

static void fixture_end(fixture *f)
{
    micai_registry_free(f->host, &f->types);
    test_host_end(&f->t);
}

static const micai_type *add(fixture *f, const mica_type_desc *desc)
{
    mica_type type = micai_registry_register(f->host, &f->types, "mica_type_register", desc);
    REQUIRE(!MICA_IS_NONE(type));
    return micai_registry_find(&f->types, type);
}

typedef struct Plain {
    float x, y;
    int32_t z;
    uint8_t flags[4];
} Plain;

typedef struct Mixed {
    uint8_t a;
    uint32_t b;
    char text[5];
    bool last;
    uint64_t c;
    char letter;
} Mixed;

typedef struct Outer {
    uint16_t first;
    Mixed mixed[2];
    Plain plain[2];
} Outer;

static const micai_type *add_plain(fixture *f)
{
    return add(f, &MICA_DESCRIBE(Plain, x, y, z, flags));
}

static const micai_type *add_mixed(fixture *f)
{
    return add(f, &MICA_DESCRIBE(Mixed, a, b, text, last, c, letter));
}

static void check_run(const fixture *f, const micai_type *type, uint32_t *from, uint32_t end,
                      uint32_t begin_expected, uint32_t end_expected, bool text)
{
    micai_value_run run;
    REQUIRE(micai_value_next_run(&f->types, type, *from, end, &run));
    CHECK_EQUAL(begin_expected, run.begin);
    CHECK_EQUAL(end_expected, run.end);
    CHECK_EQUAL(text, run.text);
    CHECK_EQUAL(0, run.before);
    *from = run.end;
}

static void check_end(const fixture *f, const micai_type *type, uint32_t from, uint32_t end)
{
    micai_value_run run;
    CHECK(!micai_value_next_run(&f->types, type, from, end, &run));
}

TEST_WITH(fixture, f, values_without_padding_are_one_run)
{
    const micai_type *plain = add_plain(f);
    const micai_type *raw = add(f, &(mica_type_desc){.name = "Raw", .size = 24, .align = 8});
    uint32_t from = 0;
    check_run(f, raw, &from, 24, 0, 24, false);
    check_end(f, raw, from, 24);
    if (micai_is_little_endian()) {
        from = 0;
        check_run(f, plain, &from, sizeof(Plain), 0, sizeof(Plain), false);
        check_end(f, plain, from, sizeof(Plain));
    }
}

// The runs of a Mixed that begins at `at` in a value.
static void check_mixed(const fixture *f, const micai_type *type, uint32_t *from, uint32_t at)
{
    uint32_t end = type->info.size;
    check_run(f, type, from, end, at, at + 1, false);
    check_run(f, type, from, end, at + (uint32_t)offsetof(Mixed, b), at + 8, false);
    check_run(f, type, from, end, at + 8, at + 13, true);
    check_run(f, type, from, end, at + 13, at + 14, false);
    uint32_t c = at + (uint32_t)offsetof(Mixed, c);
    check_run(f, type, from, end, c, micai_is_little_endian() ? c + 9 : c + 8, false);
    if (!micai_is_little_endian()) {
        check_run(f, type, from, end, c + 8, c + 9, false);
    }
}

TEST_WITH(fixture, f, padding_is_in_no_run_and_a_text_is_one_by_itself)
{
    const micai_type *mixed = add_mixed(f);
    uint32_t from = 0;
    check_mixed(f, mixed, &from, 0);
    check_end(f, mixed, from, sizeof(Mixed));
}

TEST_WITH(fixture, f, structs_in_arrays_have_their_runs)
{
    const micai_type *mixed = add_mixed(f);
    const micai_type *plain = add_plain(f);
    const mica_field_info fields[] = {MICA_FIELD(Outer, first),
                                      MICA_FIELD_STRUCT(Outer, mixed, mixed->info.type),
                                      MICA_FIELD_STRUCT(Outer, plain, plain->info.type)};
    mica_type_desc desc = MICA_DESCRIBE(Outer);
    desc.fields = fields;
    desc.field_count = 3;
    const micai_type *outer = add(f, &desc);
    uint32_t from = 0;
    check_run(f, outer, &from, sizeof(Outer), 0, 2, false);
    check_mixed(f, outer, &from, offsetof(Outer, mixed));
    check_mixed(f, outer, &from, offsetof(Outer, mixed) + sizeof(Mixed));
    if (micai_is_little_endian()) {
        uint32_t at = offsetof(Outer, plain);
        check_run(f, outer, &from, sizeof(Outer), at, at + 2 * sizeof(Plain), false);
        check_end(f, outer, from, sizeof(Outer));
        // A strip within an element.
        from = at + sizeof(Plain) + 4;
        check_run(f, outer, &from, from + 4, at + sizeof(Plain) + 4, at + sizeof(Plain) + 8, false);
    }
}

TEST_WITH(fixture, f, a_strip_within_a_text_is_known)
{
    const micai_type *mixed = add_mixed(f);
    micai_value_run run;
    uint32_t at = offsetof(Mixed, text) + 3;
    REQUIRE(micai_value_next_run(&f->types, mixed, at, at + 1, &run));
    CHECK(run.text);
    CHECK_EQUAL(3, run.before);
    CHECK_EQUAL(at, run.begin);
    CHECK_EQUAL(at + 1, run.end);
}

static void texts_end_at_a_zero_or_with_their_space(void)
{
    CHECK_EQUAL(0, micai_value_count_text((const unsigned char *)"\0ab", 3));
    CHECK_EQUAL(2, micai_value_count_text((const unsigned char *)"ab\0", 3));
    CHECK_EQUAL(3, micai_value_count_text((const unsigned char *)"abc", 3));
}

TEST_WITH(fixture, f, values_hash_the_same_on_every_machine)
{
    const micai_type *mixed = add_mixed(f);
    Mixed value;
    memset(&value, 0xA5, sizeof value);
    value.a = 1;
    value.b = 2;
    memcpy(value.text, "abc", 4);
    value.last = true;
    value.c = 3;
    value.letter = 'x';
    CHECK_EQUAL(UINT64_C(0x0334c0356acf2901),
                micai_hash_value(&f->types, mixed, (const unsigned char *)&value));
}

TESTS(value_hash, values_without_padding_are_one_run,
      padding_is_in_no_run_and_a_text_is_one_by_itself, structs_in_arrays_have_their_runs,
      a_strip_within_a_text_is_known, texts_end_at_a_zero_or_with_their_space,
      values_hash_the_same_on_every_machine)
