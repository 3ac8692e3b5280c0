// Reading JSON. json_read_internal.h has the rules.
#include "image/json_read_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"

#define END_OF_INPUT (-1)

void micai_json_reader_begin(micai_json_reader *r, micai_host *host, const char *call,
                             micai_input *input)
{
    *r = (micai_json_reader){.host = host,
                             .call = call,
                             .input = input,
                             .ready = true,
                             .next_line = 1,
                             .next_column = 1};
}

void micai_json_reader_end(micai_json_reader *r)
{
    micai_array_free(r->host, &r->keys);
    micai_release(r->host, r->text, r->capacity, 1);
    r->text = NULL;
    r->capacity = 0;
}

void micai_json_fail(micai_json_reader *r, const char *format, ...)
{
    if (r->failed) {
        return;
    }
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(what, sizeof what, format, arguments) < 0) {
        what[0] = '\0';
    }
    va_end(arguments);
    r->failed =
        micai_fail(r->host, MICA_ERROR_IMAGE, "%s: line %" PRIu64 ", column %" PRIu64 ": %s",
                   r->call, r->line, r->column, what);
}

// Characters

static int peek(micai_json_reader *r)
{
    micai_input *input = r->input;
    if (input->at == input->end && !micai_input_fill(input)) {
        r->failed = r->failed ? r->failed : input->failed;
        return END_OF_INPUT;
    }
    return input->block[input->at];
}

// Consumes the character that peek() returned.
static void step(micai_json_reader *r)
{
    unsigned char c = r->input->block[r->input->at++];
    if (c == '\n') {
        r->next_line++;
        r->next_column = 1;
    } else {
        r->next_column += c >> 6 != 2; // counts the first byte of a character
    }
}

static void mark_position(micai_json_reader *r)
{
    r->line = r->next_line;
    r->column = r->next_column;
}

static void fail_here(micai_json_reader *r, const char *what)
{
    mark_position(r);
    micai_json_fail(r, "%s", what);
}

static int skip_spaces(micai_json_reader *r)
{
    int c = peek(r);
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
        step(r);
        c = peek(r);
    }
    return c;
}

// Appends a character, and keeps the text terminated by a zero.
static bool put(micai_json_reader *r, char c)
{
    if (r->size + 2 > r->capacity) {
        size_t capacity = r->capacity < 64 ? 64 : r->capacity + r->capacity / 2;
        char *text = micai_resize(r->host, r->text, r->capacity, capacity, 1);
        if (!text) {
            r->failed = MICA_ERROR_MEMORY;
            return false;
        }
        r->text = text;
        r->capacity = capacity;
    }
    r->text[r->size++] = c;
    r->text[r->size] = '\0';
    return true;
}

// Strings

static void put_character(micai_json_reader *r, uint32_t code)
{
    static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    uint32_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (size == 1) {
        put(r, (char)code);
        return;
    }
    put(r, (char)(heads[size] | code >> (6 * (size - 1))));
    for (uint32_t i = size - 1; i-- > 0;) {
        put(r, (char)(0x80 | (code >> (6 * i) & 0x3f)));
    }
}

static int hex_digit(int c)
{
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : micai_json_hex_digit(c);
}

static bool read_hex(micai_json_reader *r, uint32_t *code_out)
{
    *code_out = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(peek(r));
        if (digit < 0) {
            fail_here(r, "\\u wants four hexadecimal digits");
            return false;
        }
        *code_out = *code_out << 4 | (uint32_t)digit;
        step(r);
    }
    return true;
}

// Reads the code behind "\u".
static void read_code(micai_json_reader *r)
{
    uint32_t code;
    uint32_t low;
    if (!read_hex(r, &code)) {
        return;
    }
    if (code == 0) { // a C string would end here, and could be taken for another
        fail_here(r, "a zero in a string");
        return;
    }
    if (code >= 0xd800 && code < 0xdc00) {
        bool pair = peek(r) == '\\';
        if (pair) {
            step(r);
            pair = peek(r) == 'u';
        }
        if (pair) {
            step(r);
            pair = read_hex(r, &low) && low >= 0xdc00 && low < 0xe000;
        }
        if (!pair) {
            fail_here(r, "half a surrogate pair");
            return;
        }
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        fail_here(r, "half a surrogate pair");
        return;
    }
    put_character(r, code);
}

static void read_escape(micai_json_reader *r)
{
    static const char escapes[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    int c = peek(r);
    const char *found = c > 0 && c < 0x80 ? strchr(escapes, c) : NULL;
    if (c == 'u') {
        step(r);
        read_code(r);
    } else if (found) {
        step(r);
        put(r, meant[found - escapes]);
    } else {
        fail_here(r, "no such escape");
    }
}

// Reads a string from its quote on. The text ends with a zero, and contains no others.
static bool read_string(micai_json_reader *r)
{
    step(r);
    r->size = 0;
    for (int c = peek(r); c != '"' && !r->failed; c = peek(r)) {
        if (c == '\\') {
            step(r);
            read_escape(r);
        } else if (c == END_OF_INPUT) {
            fail_here(r, "the document ends inside a string");
        } else if (c < 0x20) {
            fail_here(r, "a control character in a string, which must be escaped");
        } else {
            step(r);
            put(r, (char)c);
        }
    }
    if (r->failed) {
        return false;
    }
    step(r);
    if (r->size == 0) { // appends the terminating zero
        put(r, '\0');
        r->size = 0;
    }
    if (!r->failed && !micai_json_is_utf8(r->text, r->size)) {
        micai_json_fail(r, "a string that is not UTF-8");
    }
    return !r->failed;
}

// Numbers and words

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static void take(micai_json_reader *r)
{
    if (r->size == MICAI_JSON_NUMBER_MAX) {
        micai_json_fail(r, "a number of more than %u characters", MICAI_JSON_NUMBER_MAX);
    } else {
        put(r, (char)peek(r));
        step(r);
    }
}

static void take_digits(micai_json_reader *r)
{
    if (!is_digit(peek(r))) {
        fail_here(r, "a digit is missing");
    }
    while (!r->failed && is_digit(peek(r))) {
        take(r);
    }
}

static micai_json_token read_number(micai_json_reader *r)
{
    micai_json_token token = MICAI_JSON_INTEGER;
    r->size = 0;
    if (peek(r) == '-') {
        take(r);
    }
    if (peek(r) == '0') {
        take(r);
        if (is_digit(peek(r))) {
            fail_here(r, "a number begins with 0");
        }
    } else {
        take_digits(r);
    }
    if (!r->failed && peek(r) == '.') {
        token = MICAI_JSON_REAL;
        take(r);
        take_digits(r);
    }
    if (!r->failed && (peek(r) == 'e' || peek(r) == 'E')) {
        token = MICAI_JSON_REAL;
        take(r);
        if (peek(r) == '+' || peek(r) == '-') {
            take(r);
        }
        take_digits(r);
    }
    return token;
}

static micai_json_token read_word(micai_json_reader *r, const char *word, micai_json_token token)
{
    for (; *word && !r->failed; word++) {
        if (peek(r) != *word) {
            micai_json_fail(r, "no such word: only true, false and null are");
            break;
        }
        step(r);
    }
    return token;
}

// Structure

static micai_json_token open_container(micai_json_reader *r, bool object)
{
    if (r->depth == MICAI_JSON_DEPTH_MAX) {
        micai_json_fail(r, "more than %u objects and lists inside each other",
                        MICAI_JSON_DEPTH_MAX);
        return MICAI_JSON_END;
    }
    step(r);
    r->open[r->depth].object = object;
    r->open[r->depth].empty = true;
    r->open[r->depth].key_start = r->keys.count;
    r->depth++;
    r->ready = false;
    return object ? MICAI_JSON_OBJECT : MICAI_JSON_LIST;
}

static micai_json_token close_container(micai_json_reader *r)
{
    step(r);
    r->depth--;
    r->keys.count = r->open[r->depth].key_start;
    r->ready = false;
    return MICAI_JSON_CLOSE;
}

static void add_key(micai_json_reader *r)
{
    uint64_t hash = micai_hash_bytes(r->text, r->size);
    uint32_t start = r->open[r->depth - 1].key_start;
    for (uint32_t i = start; i < r->keys.count; i++) {
        bool same = r->keys.items[i] == hash;
        if (MICAI_CANARY("image.key_twice")) {
            same = same && i == start;
        }
        if (same) {
            micai_json_fail(r, "the key \"%.60s\" occurs twice", r->text);
            return;
        }
    }
    if (r->keys.count - start == MICAI_JSON_KEYS_MAX) {
        micai_json_fail(r, "more than %u keys in an object", MICAI_JSON_KEYS_MAX);
    } else if (!micai_array_reserve(r->host, &r->keys, 1)) {
        r->failed = MICA_ERROR_MEMORY;
    } else {
        r->keys.items[r->keys.count++] = hash;
    }
}

static micai_json_token read_key(micai_json_reader *r, int c)
{
    if (c != '"') {
        micai_json_fail(r, "a key, in quotes, is missing");
        return MICAI_JSON_END;
    }
    if (!read_string(r)) {
        return MICAI_JSON_END;
    }
    add_key(r);
    if (!r->failed && skip_spaces(r) != ':') {
        fail_here(r, "a colon is missing");
    }
    if (!r->failed) {
        step(r);
    }
    r->ready = true;
    return MICAI_JSON_KEY;
}

static micai_json_token read_value(micai_json_reader *r, int c)
{
    r->ready = false;
    switch (c) {
    case '{': return open_container(r, true);
    case '[': return open_container(r, false);
    case '"': return read_string(r) ? MICAI_JSON_TEXT : MICAI_JSON_END;
    case 't': return read_word(r, "true", MICAI_JSON_TRUE);
    case 'f': return read_word(r, "false", MICAI_JSON_FALSE);
    case 'n': return read_word(r, "null", MICAI_JSON_NULL);
    default:
        if (c != '-' && !is_digit(c)) {
            micai_json_fail(r, c == END_OF_INPUT ? "the document ends too early"
                                                 : "a value is missing");
            return MICAI_JSON_END;
        }
        return read_number(r);
    }
}

// Reads the next token inside an object or list.
static micai_json_token read_inside(micai_json_reader *r, int c)
{
    bool object = r->open[r->depth - 1].object;
    bool empty = r->open[r->depth - 1].empty;
    r->open[r->depth - 1].empty = false;
    if (c == (object ? '}' : ']')) {
        return close_container(r);
    }
    if (!empty) {
        if (c != ',') {
            micai_json_fail(r, "a comma, or %c, is missing", object ? '}' : ']');
            return MICAI_JSON_END;
        }
        step(r);
        c = skip_spaces(r);
        mark_position(r);
    }
    return object ? read_key(r, c) : read_value(r, c);
}

micai_json_token micai_json_next(micai_json_reader *r)
{
    micai_json_token token = MICAI_JSON_END;
    if (r->failed) {
        r->token = token;
        return token;
    }
    int c = skip_spaces(r);
    mark_position(r);
    if (r->failed) {
        token = MICAI_JSON_END;
    } else if (r->ready) {
        token = read_value(r, c);
    } else if (r->depth > 0) {
        token = read_inside(r, c);
    } else if (c != END_OF_INPUT) {
        micai_json_fail(r, "there is text behind the end");
    }
    r->token = r->failed ? MICAI_JSON_END : token;
    return r->token;
}

// Converts digits to a number. Returns false if it is greater than `limit`.
static bool scan_digits(const char *digits, uint64_t limit, uint64_t *value_out)
{
    uint64_t value = 0;
    bool fits = true;
    for (; fits && *digits; digits++) {
        uint64_t digit = (uint64_t)(*digits - '0');
        fits = value < limit / 10 || (value == limit / 10 && digit <= limit % 10);
        value = value * 10 + digit;
    }
    *value_out = fits ? value : 0;
    return fits;
}

bool micai_json_to_unsigned(const micai_json_reader *r, uint64_t *value_out)
{
    bool negative = r->text[0] == '-';
    return scan_digits(r->text + negative, negative ? 0 : UINT64_MAX, value_out);
}

bool micai_json_to_signed(const micai_json_reader *r, int64_t *value_out)
{
    bool negative = r->text[0] == '-';
    uint64_t value;
    bool fits = scan_digits(r->text + negative, (uint64_t)INT64_MAX + negative, &value);
    // The least number has no positive counterpart.
    *value_out = negative && value > 0 ? -(int64_t)(value - 1) - 1 : (int64_t)value;
    return fits;
}
