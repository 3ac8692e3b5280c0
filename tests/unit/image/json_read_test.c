// Tests of src/image/json_read.c: S2.9, JSON that is read, and what is not JSON.
#include "image/json_read_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/host.h"
#include "runner/test.h"

// Reads a document to its end, and tells its tokens: { [ ) for what closes, k t i r with their text, and
// T F N.
static mica_result tell(micai_host *host, const mica_stream *stream, char *reported, size_t room)
{
    static const char letters[] = ".{[)ktirTFN";
    micai_input input;
    micai_json_reader r;
    REQUIRE_EQUAL(MICA_OK, micai_input_open(&input, host, "mica_x", stream));
    micai_json_reader_begin(&r, host, "mica_x", &input);
    size_t used = 0;
    reported[0] = '\0';
    for (micai_json_token token = micai_json_next(&r); token; token = micai_json_next(&r)) {
        bool text = token >= MICAI_JSON_KEY && token <= MICAI_JSON_REAL;
        CHECK(!text || r.text[r.size] == '\0');
        if (used < room) {
            used += (size_t)snprintf(reported + used, room - used, "%c%s", letters[token],
                                     text ? r.text : "");
        }
    }
    CHECK_EQUAL(MICAI_JSON_END, micai_json_next(&r)); // and stays so
    mica_result result = r.failed;
    micai_json_reader_end(&r);
    micai_input_close(&input);
    return result;
}

static mica_result tell_text(micai_host *host, const char *text, char *reported, size_t room)
{
    return tell(host, &(mica_stream){.data = text, .size = strlen(text)}, reported, room);
}

static void good_documents_are_read(void) // S2.9
{
    static const struct {
        const char *text;
        const char *tokens;
    } rows[] = {
        {"{}", "{)"},
        {"[]", "[)"},
        {" \t\r\n[ \n] \n", "[)"},
        {"0", "i0"},
        {"-0", "i-0"},
        {"12345678901234567890123", "i12345678901234567890123"},
        {"1.5", "r1.5"},
        {"1e5", "r1e5"},
        {"-1.25E+10", "r-1.25E+10"},
        {"0e-0", "r0e-0"},
        {"true", "T"},
        {"[true,false,null]", "[TFN)"},
        {"\"\"", "t"},
        {"\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "ta\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u20AC\\ud83d\\ude42\"", "tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82"},
        {"\"\xf0\x9f\x99\x82\"", "t\xf0\x9f\x99\x82"},
        {"{\"a\":1,\"b\":[2,{\"a\":3}],\"\":null}", "{kai1kb[i2{kai3))kN)"},
        {"[{\"a\" : 1 } , {\"a\" : 2 }]", "[{kai1){kai2))"},
        {"[[[[[]]]],1]", "[[[[[))))i1)"},
    };
    test_host t;
    micai_host *host = test_host_begin(&t);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char reported[256];
        CHECK_EQUAL(MICA_OK, tell_text(host, rows[i].text, reported, sizeof reported));
        CHECK_TEXT(rows[i].tokens, reported);
    }
    test_host_end(&t);
}

static void bad_documents_are_refused_with_line_and_column(void)
{
    static const struct {
        const char *text;
        const char *sentence; // behind "mica_x: "
    } rows[] = {
        {"", "line 1, column 1: the document ends too early"},
        {"  \n ", "line 2, column 2: the document ends too early"},
        {"[1", "line 1, column 3: a comma, or ], is missing"},
        {"[1,", "line 1, column 4: the document ends too early"},
        {"[1,]", "line 1, column 4: a value is missing"},
        {"[,1]", "line 1, column 2: a value is missing"},
        {"[1 2]", "line 1, column 4: a comma, or ], is missing"},
        {"[1}", "line 1, column 3: a comma, or ], is missing"},
        {"{]", "line 1, column 2: a key, in quotes, is missing"},
        {"{\"a\":1,}", "line 1, column 8: a key, in quotes, is missing"},
        {"{\"a\" 1}", "line 1, column 6: a colon is missing"},
        {"{\"a\"", "line 1, column 5: a colon is missing"},
        {"{\"a\":}", "line 1, column 6: a value is missing"},
        {"{\"a\":1 \"b\":2}", "line 1, column 8: a comma, or }, is missing"},
        {"{a:1}", "line 1, column 2: a key, in quotes, is missing"},
        {"{'a':1}", "line 1, column 2: a key, in quotes, is missing"},
        {"{\"a\":1,\n \"b\":2,\n \"a\":3}", "line 3, column 2: the key \"a\" occurs twice"},
        {"{\"x\":{\"a\":1},\"a\":1,\"\\u0061\":3}",
         "line 1, column 20: the key \"a\" occurs twice"},
        {"{} {}", "line 1, column 4: there is text behind the end"},
        {"1\nx", "line 2, column 1: there is text behind the end"},
        {"]", "line 1, column 1: a value is missing"},
        {"01", "line 1, column 2: a number begins with 0"},
        {"-", "line 1, column 2: a digit is missing"},
        {"-a", "line 1, column 2: a digit is missing"},
        {"+1", "line 1, column 1: a value is missing"},
        {"1.", "line 1, column 3: a digit is missing"},
        {".5", "line 1, column 1: a value is missing"},
        {"1e", "line 1, column 3: a digit is missing"},
        {"1e+", "line 1, column 4: a digit is missing"},
        {"0x10", "line 1, column 2: there is text behind the end"},
        {"NaN", "line 1, column 1: a value is missing"},
        {"Infinity", "line 1, column 1: a value is missing"},
        {"tru", "line 1, column 1: no such word: only true, false and null are"},
        {"[nul]", "line 1, column 2: no such word: only true, false and null are"},
        {"True", "line 1, column 1: a value is missing"},
        {"truefalse", "line 1, column 5: there is text behind the end"},
        {"\"a", "line 1, column 3: the document ends inside a string"},
        {"\"a\nb\"", "line 1, column 3: a control character in a string, which must be escaped"},
        {"\"\t\"", "line 1, column 2: a control character in a string, which must be escaped"},
        {"\"\\x\"", "line 1, column 3: no such escape"},
        {"\"\\", "line 1, column 3: no such escape"},
        {"\"\\u12\"", "line 1, column 6: \\u wants four hexadecimal digits"},
        {"\"a\\u0000b\"", "line 1, column 9: a zero in a string"},
        {"{\"a\":1,\"a\\u0000\":2}", "line 1, column 16: a zero in a string"},
        {"\"\\ud800\"", "line 1, column 8: half a surrogate pair"},
        {"\"\\ud800\\n\"", "line 1, column 9: half a surrogate pair"},
        {"\"\\ud800\\u0041\"", "line 1, column 14: half a surrogate pair"},
        {"\"\\udc00\"", "line 1, column 8: half a surrogate pair"},
        {"[\"\xc3\xa9\", \"\xff\"]", "line 1, column 7: a string that is not UTF-8"},
        {"\xef\xbb\xbf{}", "line 1, column 1: a value is missing"}, // a byte order mark
        {"// no\n1", "line 1, column 1: a value is missing"},
    };
    test_host t;
    micai_host *host = test_host_begin(&t);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char reported[256];
        char sentence[256];
        snprintf(sentence, sizeof sentence, "mica_x: %s", rows[i].sentence);
        CHECK_EQUAL(MICA_ERROR_IMAGE, tell_text(host, rows[i].text, reported, sizeof reported));
        CHECK_ERROR(&t, MICA_ERROR_IMAGE, sentence);
    }
    test_host_end(&t);
}

static void every_beginning_of_a_document_is_refused(void)
{
    static const char whole[] =
        "{\"a\": [1, -2.5e3, \"x\\u20ac\\n\", true, false, null], \"b\": {\"c\": {}}}";
    test_host t;
    micai_host *host = test_host_begin(&t);
    char reported[256];
    for (size_t size = 0; size < sizeof whole - 1; size++) {
        char *part = malloc(size + 1); // so that sanitizers see who reads beyond it
        memcpy(part, whole, size);
        mica_stream stream = {.data = part, .size = size};
        CHECK_EQUAL(MICA_ERROR_IMAGE, tell(host, &stream, reported, sizeof reported));
        CHECK_EQUAL(1, test_error_clear(&t.error));
        free(part);
    }
    CHECK_EQUAL(MICA_OK, tell_text(host, whole, reported, sizeof reported));
    test_host_end(&t);
}

static char *repeat(const char *head, const char *piece, uint32_t count, const char *tail)
{
    char *text = malloc(strlen(head) + strlen(piece) * count + strlen(tail) + 1);
    char *end = text + strlen(head);
    memcpy(text, head, strlen(head));
    for (uint32_t i = 0; i < count; i++) {
        memcpy(end, piece, strlen(piece));
        end += strlen(piece);
    }
    memcpy(end, tail, strlen(tail) + 1);
    return text;
}

TEST_WITH(test_host, t, there_are_limits)
{
    micai_host *host = &t->host;
    char reported[256];
    char *text =
        repeat("", "[", 64, "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
    CHECK_EQUAL(MICA_OK, tell_text(host, text, reported, sizeof reported));
    free(text);
    text = repeat("", "[", 100000, "");
    CHECK_EQUAL(MICA_ERROR_IMAGE, tell_text(host, text, reported, sizeof reported));
    CHECK_ERROR(t, MICA_ERROR_IMAGE,
                "mica_x: line 1, column 65: more than 64 objects and lists inside each other");
    free(text);
    text = repeat("", "1", 128, "");
    CHECK_EQUAL(MICA_OK, tell_text(host, text, reported, sizeof reported));
    free(text);
    text = repeat("0.", "1", 128, "");
    CHECK_EQUAL(MICA_ERROR_IMAGE, tell_text(host, text, reported, sizeof reported));
    CHECK_ERROR(t, MICA_ERROR_IMAGE,
                "mica_x: line 1, column 1: a number of more than 128 characters");
    free(text);
    text = malloc(100000);
    for (uint32_t extra = 0; extra < 2; extra++) {
        char *end = text + sprintf(text, "{");
        for (uint32_t i = 0; i < MICAI_JSON_KEYS_MAX + extra; i++) {
            end += sprintf(end, "%s\"%u\":0", i ? "," : "", i);
        }
        strcpy(end, "}");
        CHECK_EQUAL(extra ? MICA_ERROR_IMAGE : MICA_OK,
                    tell_text(host, text, reported, sizeof reported));
    }
    CHECK_ERROR(t, MICA_ERROR_IMAGE,
                "mica_x: line 1, column 35756: more than 4096 keys in an object");
    free(text);
}

TEST_WITH(test_host, t, long_strings_are_read_whole)
{
    micai_host *host = &t->host;
    char *text = repeat("\"", "\\u20ac", 100000, "\"");
    micai_input input;
    micai_json_reader r;
    const mica_stream stream = {.data = text, .size = strlen(text)};
    REQUIRE_EQUAL(MICA_OK, micai_input_open(&input, host, "mica_x", &stream));
    micai_json_reader_begin(&r, host, "mica_x", &input);
    CHECK_EQUAL(MICAI_JSON_TEXT, micai_json_next(&r));
    CHECK_EQUAL(300000, r.size);
    CHECK_EQUAL(300000, strlen(r.text));
    CHECK_EQUAL(MICAI_JSON_END, micai_json_next(&r));
    CHECK_EQUAL(MICA_OK, r.failed);
    micai_json_reader_end(&r);
    micai_input_close(&input);
    free(text);
}

static size_t fail_to_read(void *user, void *data, size_t size)
{
    const char **rest = user;
    if (!**rest) {
        return MICA_STREAM_FAILED;
    }
    *(char *)data = *(*rest)++;
    return size > 0;
}

TEST_WITH(test_host, t, a_stream_that_fails_is_no_bad_document)
{
    micai_host *host = &t->host;
    char reported[64];
    const char *rest = "[1, \"a";
    const mica_stream stream = {.read = fail_to_read, .user = &rest};
    CHECK_EQUAL(MICA_ERROR_STREAM, tell(host, &stream, reported, sizeof reported));
    CHECK_ERROR(t, MICA_ERROR_STREAM, "mica_x: the stream's read function failed");
}

TEST_WITH(test_host, t, memory_that_is_refused_is_no_bad_document)
{
    micai_host *host = &t->host;
    char reported[64];
    for (uint64_t k = 1; k <= 3; k++) {
        test_memory_fail_at(&t->memory, k, TEST_MEMORY_ONCE);
        CHECK_EQUAL(
            MICA_ERROR_MEMORY,
            tell_text(
                host,
                "{\"a\": \"0123456789012345678901234567890123456789012345678901234567890123\"}",
                reported, sizeof reported));
        CHECK_EQUAL(1, test_error_clear(&t->error));
    }
    test_memory_fail_at(&t->memory, 0, TEST_MEMORY_ONCE);
}

static void integers_are_exact(void)
{
    static const struct {
        const char *text;
        bool is_unsigned;
        uint64_t value;
        bool is_signed;
        int64_t signed_value;
    } rows[] = {
        {"0", true, 0, true, 0},
        {"-0", true, 0, true, 0},
        {"9223372036854775807", true, INT64_MAX, true, INT64_MAX},
        {"9223372036854775808", true, (uint64_t)INT64_MAX + 1, false, 0},
        {"-9223372036854775808", false, 0, true, INT64_MIN},
        {"-9223372036854775809", false, 0, false, 0},
        {"18446744073709551615", true, UINT64_MAX, false, 0},
        {"18446744073709551616", false, 0, false, 0},
        {"184467440737095516150", false, 0, false, 0},
        {"99999999999999999999999999999999999999", false, 0, false, 0},
        {"-1", false, 0, true, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", rows[i].text);
        const micai_json_reader r = {.text = text, .size = strlen(text)};
        uint64_t value;
        int64_t signed_value;
        CHECK_EQUAL(rows[i].is_unsigned, micai_json_to_unsigned(&r, &value));
        CHECK_EQUAL(rows[i].value, value);
        CHECK_EQUAL(rows[i].is_signed, micai_json_to_signed(&r, &signed_value));
        CHECK_EQUAL(rows[i].signed_value, signed_value);
    }
}

TESTS(json_read, good_documents_are_read, bad_documents_are_refused_with_line_and_column,
      every_beginning_of_a_document_is_refused, there_are_limits, long_strings_are_read_whole,
      a_stream_that_fails_is_no_bad_document, memory_that_is_refused_is_no_bad_document,
      integers_are_exact)
