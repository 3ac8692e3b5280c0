// Tests of src/image/json_write.c: S2.9, JSON that is written.
#include "image/json_write_internal.h"

#include <string.h>

#include "runner/host.h"
#include "runner/test.h"

// A document that is written into a buffer.
typedef struct paper {
    test_host host;
    mica_buffer buffer;
    mica_stream stream;
    micai_output output;
    micai_json_writer writer;
} paper;

static micai_json_writer *paper_begin(paper *p)
{
    micai_host *host = test_host_begin(&p->host);
    p->buffer = (mica_buffer){0};
    p->stream = (mica_stream){.buffer = &p->buffer};
    REQUIRE_EQUAL(MICA_OK,
                  micai_output_open(&p->output, host, "mica_x", &p->stream, MICAI_OUTPUT_SMALL));
    micai_json_begin(&p->writer, &p->output);
    return &p->writer;
}

static void paper_end(paper *p, const char *expected)
{
    micai_json_end(&p->writer);
    micai_output_write(&p->output, "", 1);
    CHECK_EQUAL(MICA_OK, micai_output_close(&p->output, MICA_OK));
    CHECK_TEXT(expected, (const char *)p->buffer.data);
    mica_buffer_free(&p->buffer);
    test_host_end(&p->host);
}

static void every_thing_has_its_place(void) // S2.9
{
    paper p;
    micai_json_writer *w = paper_begin(&p);
    micai_json_open_object(w, NULL, MICAI_JSON_TALL);
    micai_json_write_unsigned(w, "most", UINT64_MAX);
    micai_json_write_signed(w, "least", INT64_MIN);
    micai_json_open_list(w, "list", MICAI_JSON_FULL);
    for (int i = 0; i < 40; i++) {
        micai_json_write_signed(w, NULL, i);
    }
    micai_json_close(w);
    micai_json_open_list(w, "objects", MICAI_JSON_TALL);
    micai_json_open_object(w, NULL, MICAI_JSON_LINE);
    micai_json_write_real(w, "x", 0x3f800000, 4);
    micai_json_open_object(w, "inside", MICAI_JSON_TALL); // in the same line all the same
    micai_json_write_bool(w, "y", true);
    micai_json_write_bool(w, "n", false);
    micai_json_close(w);
    micai_json_close(w);
    micai_json_open_object(w, NULL, MICAI_JSON_TALL);
    micai_json_close(w);
    micai_json_open_list(w, NULL, MICAI_JSON_TALL);
    micai_json_close(w);
    micai_json_write_null(w, NULL);
    micai_json_write_real(w, NULL, UINT64_C(0x7ff0000000000000), 8);
    micai_json_close(w);
    micai_json_close(w);
    paper_end(&p,
              "{\n"
              "  \"most\": 18446744073709551615,\n"
              "  \"least\": -9223372036854775808,\n"
              "  \"list\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, "
              "20, 21, 22, 23,\n"
              "    24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39],\n"
              "  \"objects\": [\n"
              "    {\"x\": 1.0, \"inside\": {\"y\": true, \"n\": false}},\n"
              "    {},\n"
              "    [],\n"
              "    null,\n"
              "    \"Infinity\"\n"
              "  ]\n"
              "}\n");
}

static void text_is_escaped_where_it_must_be(void)
{
    paper p;
    micai_json_writer *w = paper_begin(&p);
    static const char control[] = "\b\f\n\r\t\"\\/\x01\x1f\x7f";
    static const char zero[] = "a\0b";
    micai_json_open_list(w, NULL, MICAI_JSON_TALL);
    micai_json_write_text(w, NULL, control, sizeof control - 1);
    micai_json_write_text(w, NULL, zero, 3);
    micai_json_write_text(w, NULL, "", 0);
    micai_json_write_text(w, NULL, "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82", 14);
    micai_json_write_text(w, NULL, "caf\xe9", 4); // Latin-1
    micai_json_write_bytes(w, NULL, "\x00\xff", 2);
    micai_json_write_bytes(w, NULL, NULL, 0);
    micai_json_close(w);
    paper_end(&p, "[\n"
                  "  \"\\b\\f\\n\\r\\t\\\"\\\\/\\u0001\\u001f\\u007f\",\n"
                  "  \"a\\u0000b\",\n"
                  "  \"\",\n"
                  "  \"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82\",\n"
                  "  {\"bytes\": \"636166e9\"},\n"
                  "  {\"bytes\": \"00ff\"},\n"
                  "  {\"bytes\": \"\"}\n"
                  "]\n");
}

static void keys_are_escaped_too(void)
{
    paper p;
    micai_json_writer *w = paper_begin(&p);
    micai_json_open_object(w, NULL, MICAI_JSON_LINE);
    micai_json_write_null(w, "a \"b\"");
    micai_json_close(w);
    paper_end(&p, "{\"a \\\"b\\\"\": null}\n");
}

static void utf8_is_reported_from_what_only_looks_like_it(void)
{
    static const struct {
        const char *text;
        bool good;
    } rows[] = {
        {"", true},
        {"plain", true},
        {"\xc2\x80", true},
        {"\xdf\xbf", true},
        {"\xe0\xa0\x80", true},
        {"\xed\x9f\xbf", true},
        {"\xee\x80\x80", true},
        {"\xef\xbf\xbf", true},
        {"\xf0\x90\x80\x80", true},
        {"\xf4\x8f\xbf\xbf", true},
        {"\x80", false},
        {"\xbf", false},
        {"\xc0\x80", false}, // longer than needed
        {"\xc1\xbf", false},
        {"\xe0\x9f\xbf", false},
        {"\xf0\x8f\xbf\xbf", false},
        {"\xed\xa0\x80", false}, // a surrogate
        {"\xed\xbf\xbf", false},
        {"\xf4\x90\x80\x80", false}, // beyond U+10FFFF
        {"\xf5\x80\x80\x80", false},
        {"\xff", false},
        {"\xc3", false}, // cut off
        {"\xe2\x82", false},
        {"\xf0\x9f\x99", false},
        {"\xc3(", false},
        {"\xe2\x28\xa1", false},
        {"\xe2\x82\x28", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_EQUAL(rows[i].good, micai_json_is_utf8(rows[i].text, strlen(rows[i].text)));
    }
}

TESTS(json_write, every_thing_has_its_place, text_is_escaped_where_it_must_be, keys_are_escaped_too,
      utf8_is_reported_from_what_only_looks_like_it)
