// Tests of src/image/json.c and json_item.c: S2.9, the content of an image as JSON. What an image
// of a world looks like is tested with saving and loading; here is every thing that a codec can be given.
#include "image/codec_internal.h"
#include "image/schema_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/host.h"
#include "runner/test.h"
#include "unit/image/one_way.h"

// A schema: a struct with two floats, and a type with a field of every kind.

static const mica_enumerator moods[] = {{"glad", 1}, {"sad", -1}, {"glad too", 1}, {NULL, 0}};
static const micai_schema_field pair_fields[] = {
    {.name = "x", .kind = MICA_KIND_F32, .count = 1, .size = 4, .offset = 0},
    {.name = "y", .kind = MICA_KIND_F32, .count = 1, .size = 4, .offset = 4},
};

static micai_schema_field mood_field = {.name = "mood",
                                        .kind = MICA_KIND_ENUM,
                                        .count = 1,
                                        .size = 2,
                                        .enumerator_count = 3,
                                        .enumerators = moods};

#define SCALAR(named, of_kind, bytes, at)                                                          \
    {                                                                                              \
        .name = (named), .kind = MICA_KIND_##of_kind, .count = 1, .size = (bytes), .offset = (at)  \
    }
static micai_schema_field all_fields[] = {
    SCALAR("i8", I8, 1, 0),
    SCALAR("i16", I16, 2, 1),
    SCALAR("i32", I32, 4, 3),
    SCALAR("i64", I64, 8, 7),
    SCALAR("u8", U8, 1, 15),
    SCALAR("u16", U16, 2, 16),
    SCALAR("u32", U32, 4, 18),
    SCALAR("u64", U64, 8, 22),
    SCALAR("f32", F32, 4, 30),
    SCALAR("f64", F64, 8, 34),
    SCALAR("bool", BOOL, 1, 42),
    SCALAR("char", CHAR, 1, 43),
    SCALAR("entity", ENTITY, 8, 44),
    {.name = "text", .kind = MICA_KIND_CHAR, .count = 5, .size = 1, .offset = 52},
    {.name = "pairs", .kind = MICA_KIND_STRUCT, .count = 2, .size = 8, .offset = 57, .type = 0},
    {.name = "mood",
     .kind = MICA_KIND_ENUM,
     .count = 1,
     .size = 2,
     .offset = 73,
     .enumerator_count = 3,
     .enumerators = moods},
    {.name = "list", .kind = MICA_KIND_I16, .count = 3, .size = 2, .offset = 75},
};
enum { ALL_SIZE = 81 };

static micai_schema_type types[] = {
    {.name = "Pair",
     .way = MICAI_SCHEMA_FIELDS,
     .size = 8,
     .field_count = 2,
     .fields = pair_fields},
    {.name = "All",
     .way = MICAI_SCHEMA_FIELDS,
     .size = ALL_SIZE,
     .field_count = sizeof all_fields / sizeof all_fields[0],
     .fields = all_fields},
    {.name = "Blob", .way = MICAI_SCHEMA_BYTES, .size = 3},
    {.name = "caf\xe9", .way = MICAI_SCHEMA_NONE}, // Latin-1
};
static const micai_schema schema = {types, 4};

static const unsigned char all_most[ALL_SIZE] = {
    0x7f, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,       // i8, i16, i32
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, // i64
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,       // u8, u16, u32
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, // u64
    0xcd, 0xcc, 0xcc, 0x3d,                         // 0.1f
    0,    0,    0,    0,    0,    0,    0xf8, 0x7f, // NaN
    1,    'c',                                      // bool, char
    12,   0,    0,    0,    4,    0,    0,    0,    // 12.3
    'a',  '"',  'b',  0,    0,                      // text
    0,    0,    0x80, 0x7f, 0,    0,    0x80, 0xff, // Infinity, -Infinity
    1,    0,    0x80, 0x7f, 0,    0,    0,    0x80, // a NaN of another sort, -0.0
    0xff, 0xff,                                     // sad
    1,    0,    0xff, 0xff, 0,    0x80};            // 1, -1, -32768
static const unsigned char all_least[ALL_SIZE] = {
    0x80, 0,    0x80, 0,   0,   0, 0x80,       // i8, i16, i32
    0,    0,    0,    0,   0,   0, 0,    0x80, // i64
    0,    0,    0,    0,   0,   0, 0,          // u8, u16, u32
    0,    0,    0,    0,   0,   0, 0,    0,    // u64
    1,    0,    0,    0,                       // the smallest
    1,    0,    0,    0,   0,   0, 0,    0,    // the smallest
    0,    0,                                   // bool, char
    0,    0,    0,    0,   0,   0, 0,    0,    // none
    0xc3, 0xa9, 0xff, 'x', 'y',                // no UTF-8
    0,    0,    0,    0,   0,   0, 0,    0,    // zeroes
    0,    0,    0,    0,   0,   0, 0,    0,    //
    7,    0,                                   // has no name
    0,    0,    0,    0,   0,   0};

// A document that is written, and one that is read.
typedef struct paper {
    test_host host;
    mica_buffer buffer;
    mica_stream stream;
    micai_output output;
    micai_input input;
    micai_arena arena;
    micai_archive *w;
    micai_archive *r;
} paper;

static micai_archive *begin_writing(paper *p)
{
    micai_host *host = test_host_begin(&p->host);
    p->buffer = (mica_buffer){0};
    p->stream = (mica_stream){.buffer = &p->buffer};
    REQUIRE_EQUAL(MICA_OK,
                  micai_output_open(&p->output, host, "mica_x", &p->stream, MICAI_OUTPUT_SMALL));
    p->w = micai_codec_json.open(host, "mica_x", &p->output, NULL);
    REQUIRE(p->w != NULL);
    p->w->schema = &schema;
    return p->w;
}

static mica_result end_writing(paper *p)
{
    mica_result result = micai_codec_json.close(p->w, MICA_OK);
    return micai_output_close(&p->output, result);
}

static micai_archive *begin_reading(paper *p)
{
    micai_host *host = &p->host.host;
    REQUIRE_EQUAL(MICA_OK, micai_input_open(&p->input, host, "mica_x", &p->stream));
    p->r = micai_codec_json.open(host, "mica_x", NULL, &p->input);
    p->arena = (micai_arena){0};
    if (p->r) {
        p->r->schema = &schema;
    }
    return p->r;
}

// What reading a schema does.
static void index_moods(paper *p)
{
    micai_schema_field *field = &all_fields[sizeof all_fields / sizeof all_fields[0] - 2];
    REQUIRE(micai_schema_index_names(&p->host.host, &p->arena, &mood_field));
    REQUIRE(micai_schema_index_names(&p->host.host, &p->arena, field));
}

static mica_result end_reading(paper *p)
{
    mica_result result = p->r ? micai_codec_json.close(p->r, MICA_OK) : p->host.host.failed;
    micai_input_close(&p->input);
    micai_arena_free(&p->host.host, &p->arena);
    return result;
}

static void end_paper(paper *p)
{
    mica_buffer_free(&p->buffer);
    test_host_end(&p->host);
}

static void write_things(micai_archive *w)
{
    static const uint64_t numbers[] = {0, UINT64_MAX};
    static const mica_entity entities[] = {{0}, {UINT64_C(0x100000000)}, {5}};
    static const unsigned char flags[] = {0, 1, 1};
    micai_write(w, begin_section, "things");
    micai_write(w, number, "number", UINT64_MAX);
    micai_write(w, integer, "integer", INT64_MIN);
    micai_write(w, real, "real", -0.0);
    micai_write(w, flag, "flag", true);
    micai_write(w, text, "text", "a\tb");
    micai_write(w, bytes, "bytes", "\x01\xfe", 2);
    micai_write(w, entity, "entity", mica_entity_make(12, 3));
    micai_write(w, type, "type", 3);
    micai_write(w, numbers, "numbers", numbers, 2);
    micai_write(w, entities, "entities", entities, 3);
    micai_write(w, flags, "flags", flags, 3);
    micai_write(w, begin_list, "objects", 2);
    micai_write(w, begin_object, NULL);
    micai_write(w, end, NULL);
    micai_write(w, begin_object, NULL);
    micai_write(w, type, "type", 0);
    micai_write(w, end, NULL);
    micai_write(w, end, "objects");
    micai_write(w, begin_list, "names", 1); // small objects
    micai_write(w, begin_object, NULL);
    micai_write(w, flag, "a", false);
    micai_write(w, flag, "b", true);
    micai_write(w, end, NULL);
    micai_write(w, end, "names");
    micai_write(w, begin_list, "types", 2);
    micai_write(w, type, NULL, 2);
    micai_write(w, type, NULL, 0);
    micai_write(w, end, "types");
    micai_write(w, end_section, "things");
    micai_write(w, begin_section, "values");
    unsigned char both[2 * ALL_SIZE];
    memcpy(both, all_most, ALL_SIZE);
    memcpy(both + ALL_SIZE, all_least, ALL_SIZE);
    micai_write(w, values, "all", &types[1], both, 2);
    micai_write(w, values, "blobs", &types[2], (const unsigned char *)"\x00\x01\x02", 1);
    micai_write(w, values, "none", &types[0], NULL, 0);
    micai_write(w, end_section, "values");
}

static const char things[] =
    "{\n"
    "  \"mica_image\": 4,\n"
    "  \"things\": {\n"
    "    \"number\": 18446744073709551615,\n"
    "    \"integer\": -9223372036854775808,\n"
    "    \"real\": -0.0,\n"
    "    \"flag\": true,\n"
    "    \"text\": \"a\\tb\",\n"
    "    \"bytes\": {\"bytes\": \"01fe\"},\n"
    "    \"entity\": \"12.3\",\n"
    "    \"type\": {\"bytes\": \"636166e9\"},\n"
    "    \"numbers\": [0, 18446744073709551615],\n"
    "    \"entities\": [null, \"0.0\", 5],\n"
    "    \"flags\": [0, 1, 1],\n"
    "    \"objects_count\": 2,\n"
    "    \"objects\": [\n"
    "      {},\n"
    "      {\n"
    "        \"type\": \"Pair\"\n"
    "      }\n"
    "    ],\n"
    "    \"names_count\": 1,\n"
    "    \"names\": [\n"
    "      {\"a\": false, \"b\": true}\n"
    "    ],\n"
    "    \"types_count\": 2,\n"
    "    \"types\": [\"Blob\", \"Pair\"]\n"
    "  },\n"
    "  \"values\": {\n"
    "    \"all\": [\n"
    "      {\"i8\": 127, \"i16\": 32767, \"i32\": 2147483647, \"i64\": 9223372036854775807, "
    "\"u8\": 255, \"u16\": 65535, \"u32\": 4294967295, \"u64\": 18446744073709551615, "
    "\"f32\": 0.1, \"f64\": \"NaN\", \"bool\": true, \"char\": \"c\", \"entity\": \"12.3\", "
    "\"text\": \"a\\\"b\", \"pairs\": [{\"x\": \"Infinity\", \"y\": \"-Infinity\"}, "
    "{\"x\": \"NaN(0x7f800001)\", \"y\": -0.0}], \"mood\": \"sad\", \"list\": [1, -1, -32768]},\n"
    "      {\"i8\": -128, \"i16\": -32768, \"i32\": -2147483648, \"i64\": -9223372036854775808, "
    "\"u8\": 0, \"u16\": 0, \"u32\": 0, \"u64\": 0, \"f32\": 1e-45, \"f64\": 5e-324, "
    "\"bool\": false, \"char\": \"\", \"entity\": null, \"text\": {\"bytes\": \"c3a9ff7879\"}, "
    "\"pairs\": [{\"x\": 0.0, \"y\": 0.0}, {\"x\": 0.0, \"y\": 0.0}], \"mood\": 7, "
    "\"list\": [0, 0, 0]}\n"
    "    ],\n"
    "    \"blobs\": [\n"
    "      {\"bytes\": \"000102\"}\n"
    "    ],\n"
    "    \"none\": []\n"
    "  }\n"
    "}\n";

static void everything_looks_as_it_should(void) // S2.9
{
    paper p;
    write_things(begin_writing(&p));
    CHECK_EQUAL(MICA_OK, end_writing(&p));
    CHECK_EQUAL(strlen(things), p.buffer.size);
    CHECK_BYTES(things, p.buffer.data, strlen(things));
    end_paper(&p);
}

static void read_things(micai_archive *r)
{
    uint32_t size;
    uint64_t numbers[2];
    mica_entity entities[3];
    unsigned char flags[3];
    micai_read(r, begin_section, "things");
    CHECK_EQUAL(UINT64_MAX, micai_read(r, number, "number", UINT64_MAX));
    CHECK_EQUAL(INT64_MIN, micai_read(r, integer, "integer"));
    double real = micai_read(r, real, "real");
    CHECK(real == 0 && 1 / real < 0);
    CHECK(micai_read(r, flag, "flag"));
    CHECK_TEXT("a\tb", micai_read(r, text, "text"));
    const unsigned char *bytes = micai_read(r, bytes, "bytes", &size);
    REQUIRE_EQUAL(2, size);
    CHECK_BYTES("\x01\xfe", bytes, 2);
    CHECK_EQUAL(mica_entity_make(12, 3).bits, micai_read(r, entity, "entity").bits);
    CHECK_EQUAL(3, micai_read(r, type, "type"));
    micai_read(r, numbers, "numbers", numbers, 2);
    CHECK(numbers[0] == 0 && numbers[1] == UINT64_MAX);
    micai_read(r, entities, "entities", entities, 3);
    CHECK(entities[0].bits == 0 && entities[1].bits == UINT64_C(0x100000000) &&
          entities[2].bits == 5);
    micai_read(r, flags, "flags", flags, 3);
    CHECK(flags[0] == 0 && flags[1] == 1 && flags[2] == 1);
    CHECK_EQUAL(2, micai_read(r, begin_list, "objects", 2));
    micai_read(r, begin_object, NULL);
    micai_read(r, end, NULL);
    micai_read(r, begin_object, NULL);
    CHECK_EQUAL(0, micai_read(r, type, "type"));
    micai_read(r, end, NULL);
    micai_read(r, end, "objects");
    CHECK_EQUAL(1, micai_read(r, begin_list, "names", 1));
    micai_read(r, begin_object, NULL);
    CHECK(!micai_read(r, flag, "a"));
    CHECK(micai_read(r, flag, "b"));
    micai_read(r, end, NULL);
    micai_read(r, end, "names");
    CHECK_EQUAL(2, micai_read(r, begin_list, "types", 4));
    CHECK_EQUAL(2, micai_read(r, type, NULL));
    CHECK_EQUAL(0, micai_read(r, type, NULL));
    micai_read(r, end, "types");
    micai_read(r, end_section, "things");
    unsigned char both[2 * ALL_SIZE];
    unsigned char blob[3];
    micai_read(r, begin_section, "values");
    micai_read(r, values, "all", &types[1], both, 2);
    CHECK_BYTES(all_most, both, ALL_SIZE);
    CHECK_BYTES(all_least, both + ALL_SIZE, ALL_SIZE);
    micai_read(r, values, "blobs", &types[2], blob, 1);
    CHECK_BYTES("\x00\x01\x02", blob, 3);
    micai_read(r, values, "none", &types[0], both, 0);
    micai_read(r, end_section, "values");
}

static void everything_comes_back(void) // S2.9
{
    paper p;
    write_things(begin_writing(&p));
    CHECK_EQUAL(MICA_OK, end_writing(&p));
    REQUIRE(begin_reading(&p) != NULL);
    index_moods(&p);
    read_things(p.r);
    CHECK_EQUAL(MICA_OK, end_reading(&p));
    end_paper(&p);
}

static void bytes_of_a_value_that_are_behind_the_end_of_a_text_are_not_written(void)
{
    paper p;
    const micai_schema_field field = {.name = "t", .kind = MICA_KIND_CHAR, .count = 4, .size = 1};
    const micai_schema_type type = {
        .name = "T", .way = MICAI_SCHEMA_FIELDS, .size = 4, .field_count = 1, .fields = &field};
    micai_archive *w = begin_writing(&p);
    micai_write(w, values, "values", &type, (const unsigned char *)"a\0bc", 1);
    CHECK_EQUAL(MICA_OK, end_writing(&p));
    unsigned char back[4];
    REQUIRE(begin_reading(&p) != NULL);
    micai_read(p.r, values, "values", &type, back, 1);
    CHECK_BYTES("a\0\0\0", back, 4);
    CHECK_EQUAL(MICA_OK, end_reading(&p));
    end_paper(&p);
}

static void names_of_fields_must_be_utf8(void)
{
    paper p;
    const micai_schema_field field = {.name = "\xff", .kind = MICA_KIND_U8, .count = 1, .size = 1};
    const micai_schema_type type = {
        .name = "T", .way = MICAI_SCHEMA_FIELDS, .size = 1, .field_count = 1, .fields = &field};
    micai_archive *w = begin_writing(&p);
    micai_write(w, values, "values", &type, (const unsigned char *)"a", 1);
    CHECK_EQUAL(MICA_ERROR_NAME, end_writing(&p));
    CHECK_ERROR(&p.host, MICA_ERROR_NAME,
                "mica_x: field 0 of 'T' has a name that is not UTF-8, as keys of JSON must be");
    end_paper(&p);
}

// Reads one value of type All, but for what a row has changed in it, or Pair, or Blob.
typedef enum thing {
    NUMBER,
    INTEGER,
    REAL,
    FLAG,
    TEXT,
    BYTES,
    ENTITY,
    TYPE,
    NUMBERS,
    FLAGS,
    LIST,
    OBJECT,
    PAIRS,
    BLOBS,
    MOODS,
    SMALL
} thing;

static const micai_schema_field small_fields[] = {
    SCALAR("i8", I8, 1, 0),
    SCALAR("u8", U8, 1, 1),
    {.name = "text", .kind = MICA_KIND_CHAR, .count = 2, .size = 1, .offset = 2},
    {.name = "list", .kind = MICA_KIND_U8, .count = 2, .size = 1, .offset = 4},
};
static const micai_schema_type small = {.name = "Small",
                                        .way = MICAI_SCHEMA_FIELDS,
                                        .size = 6,
                                        .field_count = 4,
                                        .fields = small_fields};
static const micai_schema_type mood = {
    .name = "Mood", .way = MICAI_SCHEMA_FIELDS, .size = 2, .field_count = 1, .fields = &mood_field};

static void read_thing(micai_archive *r, thing what)
{
    unsigned char bytes[16];
    uint64_t numbers[2] = {7, 7};
    uint32_t size;
    switch (what) {
    case NUMBER: micai_read(r, number, "x", 10); break;
    case INTEGER: micai_read(r, integer, "x"); break;
    case REAL: micai_read(r, real, "x"); break;
    case FLAG: micai_read(r, flag, "x"); break;
    case TEXT: micai_read(r, text, "x"); break;
    case BYTES: micai_read(r, bytes, "x", &size); break;
    case ENTITY: micai_read(r, entity, "x"); break;
    case TYPE: micai_read(r, type, "x"); break;
    case NUMBERS:
        micai_read(r, numbers, "x", numbers, 2);
        CHECK(!r->failed || (numbers[0] == 0 && numbers[1] == 0));
        break;
    case FLAGS: micai_read(r, flags, "x", bytes, 2); break;
    case LIST:
        for (uint32_t rest = micai_read(r, begin_list, "x", 10); rest > 0; rest--) {
            micai_read(r, begin_object, NULL);
            micai_read(r, end, NULL);
        }
        micai_read(r, end, "x");
        break;
    case OBJECT:
        micai_read(r, begin_object, "x");
        micai_read(r, end, "x");
        break;
    case PAIRS: micai_read(r, values, "x", &types[0], bytes, 1); break;
    case BLOBS: micai_read(r, values, "x", &types[2], bytes, 1); break;
    case MOODS: micai_read(r, values, "x", &mood, bytes, 1); break;
    case SMALL: micai_read(r, values, "x", &small, bytes, 1); break;
    }
}

static void what_does_not_fit_is_refused_with_line_and_column(void)
{
    static const struct {
        thing what;
        const char *text;     // behind {"mica_image": 1, and with } behind it
        const char *sentence; // behind "mica_x: line "; NULL: it is fine
    } rows[] = {
        {NUMBER, "\"x\": 10", NULL},
        {NUMBER, "\"x\": 11", "2, column 6: x cannot be 11"},
        {NUMBER, "\"x\": -1", "2, column 6: x cannot be -1"},
        {NUMBER, "\"x\": 1.0", "2, column 6: x must be a whole number"},
        {NUMBER, "\"y\": 1", "2, column 1: \"x\" is missing"},
        {NUMBER, "\"x\": 1, \"y\": 2", "2, column 9: an image has more than it can have"},
        {INTEGER, "\"x\": -9223372036854775808", NULL},
        {INTEGER, "\"x\": -9223372036854775809", "2, column 6: x cannot be -9223372036854775809"},
        {INTEGER, "\"x\": \"1\"", "2, column 6: x must be a whole number"},
        {REAL, "\"x\": 1", NULL},
        {REAL, "\"x\": \"-Infinity\"", NULL},
        {REAL, "\"x\": 1e999", "2, column 6: x cannot be 1e999: that is beyond all floats"},
        {REAL, "\"x\": \"1\"", "2, column 6: x must be a number, or \"NaN\" or \"Infinity\""},
        {REAL, "\"x\": \"NaN\\u0000\"", "2, column 16: a zero in a string"},
        {REAL, "\"x\": null", "2, column 6: x must be a number, or \"NaN\" or \"Infinity\""},
        {FLAG, "\"x\": false", NULL},
        {FLAG, "\"x\": 0", "2, column 6: x must be true or false"},
        {TEXT, "\"x\": {\"bytes\": \"ff\"}", NULL},
        {TEXT, "\"x\": 5", "2, column 6: x must be a string"},
        {TEXT, "\"x\": \"a\\u0000\"", "2, column 14: a zero in a string"},
        {TEXT, "\"x\": {\"bytes\": \"00\"}", "2, column 20: x has a zero in it"},
        {BYTES, "\"x\": {\"bytes\": \"\"}", NULL},
        {BYTES, "\"x\": \"00\"", "2, column 6: x must be an object with bytes"},
        {BYTES, "\"x\": {\"byte\": \"00\"}", "2, column 7: \"bytes\" is missing"},
        {BYTES, "\"x\": {\"bytes\": 0}", "2, column 16: bytes must be a string"},
        {BYTES, "\"x\": {\"bytes\": \"0\"}",
         "2, column 16: bytes are written in pairs of digits: 0 to 9, a to f"},
        {BYTES, "\"x\": {\"bytes\": \"0G\"}",
         "2, column 16: bytes are written in pairs of digits: 0 to 9, a to f"},
        {BYTES, "\"x\": {\"bytes\": \"\", \"a\": 1}", "2, column 20: x has more than it can have"},
        {ENTITY, "\"x\": null", NULL},
        {ENTITY, "\"x\": \"4294967295.4294967294\"", NULL},
        {ENTITY, "\"x\": \"4294967296.0\"",
         "2, column 6: x must be an entity, such as \"12.3\", or null"},
        {ENTITY, "\"x\": \"1.4294967295\"",
         "2, column 6: x must be an entity, such as \"12.3\", or null"},
        {ENTITY, "\"x\": \"99999999999999999999999.0\"",
         "2, column 6: x must be an entity, such as \"12.3\", or null"},
        {ENTITY, "\"x\": \"01.0\"", "2, column 6: x must be an entity, such as \"12.3\", or null"},
        {ENTITY, "\"x\": \"1.\"", "2, column 6: x must be an entity, such as \"12.3\", or null"},
        {ENTITY, "\"x\": \"1\"", "2, column 6: x must be an entity, such as \"12.3\", or null"},
        {ENTITY, "\"x\": \".1\"", "2, column 6: x must be an entity, such as \"12.3\", or null"},
        {ENTITY, "\"x\": \"1.0 \"", "2, column 6: x must be an entity, such as \"12.3\", or null"},
        {ENTITY, "\"x\": -1", "2, column 6: x must be an entity, such as \"12.3\", or null"},
        {TYPE, "\"x\": \"Blob\"", NULL},
        {TYPE, "\"x\": \"Blo\"", "2, column 6: there is no type 'Blo' in the image"},
        {TYPE, "\"x\": 2", "2, column 6: x must be a string"},
        {NUMBERS, "\"x\": [1, 2]", NULL},
        {NUMBERS, "\"x\": [1]", "2, column 8: x has 1 items and not 2"},
        {NUMBERS, "\"x\": [1, 2, 3]", "2, column 13: x has more than it can have"},
        {NUMBERS, "\"x\": [1, -2]", "2, column 10: an item must be a whole number"},
        {NUMBERS, "\"x\": {}", "2, column 6: x must be a list"},
        {FLAGS, "\"x\": [0, 1]", NULL},
        {FLAGS, "\"x\": [0, 2]", "2, column 10: an item must be 0 or 1"},
        {FLAGS, "\"x\": [0, true]", "2, column 10: an item must be 0 or 1"},
        {LIST, "\"x_count\": 1, \"x\": [{}]", NULL},
        {LIST, "\"x\": [{}]", "2, column 1: \"x_count\" is missing"},
        {LIST, "\"x_count\": 11, \"x\": []", "2, column 12: x_count cannot be 11"},
        {LIST, "\"x_count\": 2, \"x\": [{}]", "2, column 23: an item must be an object"},
        {LIST, "\"x_count\": 1, \"x\": [{}, {}]", "2, column 25: x has more than it can have"},
        {LIST, "\"x_count\": 10", "2, column 12: there cannot be 10 items of x"},
        {OBJECT, "\"x\": {}", NULL},
        {OBJECT, "\"x\": []", "2, column 6: x must be an object"},
        {OBJECT, "\"x\": {\"a\": 1}", "2, column 7: x has more than it can have"},
        {PAIRS, "\"x\": [{\"y\": 1, \"x\": 2}]", NULL}, // in any order
        {PAIRS, "\"x\": [{\"x\": 1}]", "2, column 14: a value of 'Pair' has 1 fields and not 2"},
        {PAIRS, "\"x\": [{\"x\": 1, \"z\": 1}]", "2, column 16: 'Pair' has no field 'z'"},
        {PAIRS, "\"x\": [{\"x\": 1, \"x\": 1}]", "2, column 16: the key \"x\" occurs twice"},
        {PAIRS, "\"x\": [{\"x\": 1, \"y\": []}]",
         "2, column 21: y must be a number, or \"NaN\" or \"Infinity\""},
        {PAIRS, "\"x\": [[]]", "2, column 7: a value of 'Pair' must be an object"},
        {PAIRS, "\"x\": []", "2, column 7: x has 0 items and not 1"},
        {BLOBS, "\"x\": [{\"bytes\": \"000000\"}]", NULL},
        {BLOBS, "\"x\": [{\"bytes\": \"0000\"}]",
         "2, column 23: a value of 'Blob' must be 3 bytes"},
        {BLOBS, "\"x\": [0]", "2, column 7: a value of 'Blob' must be 3 bytes"},
        {MOODS, "\"x\": [{\"mood\": \"glad too\"}]", NULL},
        {MOODS, "\"x\": [{\"mood\": -32768}]", NULL},
        {MOODS, "\"x\": [{\"mood\": \"angry\"}]", "2, column 16: mood has no value 'angry'"},
        {MOODS, "\"x\": [{\"mood\": 32768}]", "2, column 16: mood, of kind enum, cannot be 32768"},
        {SMALL, "\"x\": [{\"i8\": -128, \"u8\": 255, \"text\": \"ab\", \"list\": [1, 2]}]", NULL},
        {SMALL, "\"x\": [{\"i8\": 128}]", "2, column 14: i8, of kind i8, cannot be 128"},
        {SMALL, "\"x\": [{\"i8\": -129}]", "2, column 14: i8, of kind i8, cannot be -129"},
        {SMALL, "\"x\": [{\"i8\": true}]", "2, column 14: i8 must be a whole number"},
        {SMALL, "\"x\": [{\"u8\": 256}]", "2, column 14: u8, of kind u8, cannot be 256"},
        {SMALL, "\"x\": [{\"u8\": 1e1}]", "2, column 14: u8 must be a whole number"},
        {SMALL, "\"x\": [{\"text\": \"abc\"}]", "2, column 16: text is longer than 2 bytes"},
        {SMALL, "\"x\": [{\"list\": [1]}]", "2, column 18: an item has 1 items and not 2"},
        {SMALL, "\"x\": [{\"list\": [1, 2, 3]}]",
         "2, column 23: an item has more than it can have"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        paper p;
        char text[256];
        char sentence[256];
        test_host_begin(&p.host);
        snprintf(text, sizeof text, "{\"mica_image\": 1,\n%s}", rows[i].text);
        p.stream = (mica_stream){.data = text, .size = strlen(text)};
        p.buffer = (mica_buffer){0};
        REQUIRE(begin_reading(&p) != NULL);
        index_moods(&p);
        read_thing(p.r, rows[i].what);
        mica_result expected = rows[i].sentence ? MICA_ERROR_IMAGE : MICA_OK;
        CHECK_EQUAL(expected, end_reading(&p));
        if (rows[i].sentence) {
            snprintf(sentence, sizeof sentence, "mica_x: line %s", rows[i].sentence);
            CHECK_ERROR(&p.host, expected, sentence);
        }
        end_paper(&p);
    }
}

static void an_image_begins_and_ends_as_it_should(void)
{
    static const struct {
        const char *text;
        mica_result code;
        const char *sentence;
    } rows[] = {
        {"{\"mica_image\": 1}", MICA_OK, NULL},
        {"", MICA_ERROR_IMAGE, "mica_x: line 1, column 1: the document ends too early"},
        {"[]", MICA_ERROR_IMAGE, "mica_x: line 1, column 1: an image is an object"},
        {"{}", MICA_ERROR_IMAGE, "mica_x: line 1, column 2: \"mica_image\" is missing"},
        {"{\"mica_image\": 0}", MICA_ERROR_IMAGE,
         "mica_x: line 1, column 16: there is no version 0"},
        {"{\"mica_image\": 2}", MICA_OK, NULL},
        {"{\"mica_image\": 4}", MICA_OK, NULL},
        {"{\"mica_image\": 5}", MICA_ERROR_VERSION,
         "mica_x: line 1, column 16: the image is of version 5; up to 4 can be read"},
        {"{\"mica_image\": 1} 1", MICA_ERROR_IMAGE,
         "mica_x: line 1, column 19: there is text behind the end"},
        {"{\"mica_image\": 1", MICA_ERROR_IMAGE,
         "mica_x: line 1, column 17: a comma, or }, is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        paper p;
        test_host_begin(&p.host);
        p.stream = (mica_stream){.data = rows[i].text, .size = strlen(rows[i].text)};
        p.buffer = (mica_buffer){0};
        begin_reading(&p);
        CHECK_EQUAL(rows[i].code, end_reading(&p));
        if (rows[i].code) {
            CHECK_ERROR(&p.host, rows[i].code, rows[i].sentence);
        }
        end_paper(&p);
    }
}

static void after_a_failure_everything_is_nothing(void)
{
    paper p;
    test_host_begin(&p.host);
    static const char text[] = "{\"mica_image\": 1, \"x\": oops}";
    p.stream = (mica_stream){.data = text, .size = strlen(text)};
    p.buffer = (mica_buffer){0};
    micai_archive *r = begin_reading(&p);
    REQUIRE(r != NULL);
    CHECK_EQUAL(0, micai_read(r, number, "x", 10));
    CHECK_EQUAL(1, test_error_clear(&p.host.error));
    index_moods(&p);
    for (int what = NUMBER; what <= SMALL; what++) {
        read_thing(r, (thing)what);
    }
    uint32_t size = 7;
    CHECK_EQUAL(0, micai_read(r, number, "x", 10));
    CHECK_EQUAL(0, micai_read(r, begin_list, "x", 10));
    CHECK_EQUAL(0, micai_read(r, entity, "x").bits);
    CHECK_POINTER(NULL, micai_read(r, bytes, "x", &size));
    CHECK_EQUAL(0, size);
    CHECK_EQUAL(MICA_ERROR_IMAGE, end_reading(&p));
    end_paper(&p);
}

static void memory_that_is_refused_is_reported(void)
{
    for (uint64_t k = 1; k <= 4; k++) {
        paper p;
        write_things(begin_writing(&p));
        CHECK_EQUAL(MICA_OK, end_writing(&p));
        test_memory_fail_at(&p.host.memory, k, TEST_MEMORY_ONCE);
        if (begin_reading(&p)) {
            micai_read(p.r, begin_section, "things");
            micai_read(p.r, text, "number");
        }
        CHECK(end_reading(&p) != MICA_OK);
        CHECK_EQUAL(1, test_error_clear(&p.host.error));
        test_memory_fail_at(&p.host.memory, 0, TEST_MEMORY_ONCE);
        end_paper(&p);
    }
}

TESTS(json, everything_looks_as_it_should, everything_comes_back,
      bytes_of_a_value_that_are_behind_the_end_of_a_text_are_not_written,
      names_of_fields_must_be_utf8, what_does_not_fit_is_refused_with_line_and_column,
      an_image_begins_and_ends_as_it_should, after_a_failure_everything_is_nothing,
      memory_that_is_refused_is_reported)
