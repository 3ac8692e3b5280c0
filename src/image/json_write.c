// Writing JSON: line breaks and escapes.
#include "image/json_write_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/canary.h"
#include "base/text.h"
#include "image/json_number_internal.h"

#define COLUMNS 96u // a full line ends here

static void put(micai_json_writer *w, const char *text, size_t size)
{
    micai_output_write(w->output, text, size);
    w->column += (uint32_t)size;
}

static void break_line(micai_json_writer *w)
{
    put(w, "\n", 1);
    w->column = 0;
    for (uint32_t i = 0; i < w->depth; i++) {
        put(w, "  ", 2);
    }
}

static const char *escape_of(unsigned char c, char text[8])
{
    switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: snprintf(text, 8, "\\u%04x", c); return text;
    }
}

static bool is_escaped(unsigned char c)
{
    if (MICAI_CANARY("image.escape")) {
        return c < 0x20 || c == '"';
    }
    return c < 0x20 || c == '"' || c == '\\' || c == 0x7f;
}

static void put_string(micai_json_writer *w, const char *text, size_t size)
{
    put(w, "\"", 1);
    size_t from = 0;
    for (size_t i = 0; i < size; i++) {
        if (is_escaped((unsigned char)text[i])) {
            char buffer[8];
            const char *escape = escape_of((unsigned char)text[i], buffer);
            put(w, text + from, i - from);
            put(w, escape, strlen(escape));
            from = i + 1;
        }
    }
    put(w, text + from, size - from);
    put(w, "\"", 1);
}

// Writes everything before an item of `size` characters: a comma, a line break, its key.
static void begin_item(micai_json_writer *w, const char *key, size_t size)
{
    if (w->depth > 0) {
        micai_json_style style = w->open[w->depth - 1].style;
        bool full = style == MICAI_JSON_FULL && !w->first && w->column + 2 + size > COLUMNS;
        if (!w->first) {
            put(w, ",", 1);
        }
        if (style == MICAI_JSON_TALL || full) {
            break_line(w);
        } else if (!w->first) {
            put(w, " ", 1);
        }
    }
    w->first = false;
    if (key) {
        put_string(w, key, strlen(key));
        put(w, ": ", 2);
    }
}

void micai_json_begin(micai_json_writer *w, micai_output *output)
{
    *w = (micai_json_writer){.output = output};
}

void micai_json_end(micai_json_writer *w)
{
    assert(w->depth == 0);
    put(w, "\n", 1);
}

static void open_container(micai_json_writer *w, const char *key, micai_json_style style,
                           const char *ends)
{
    assert(w->depth < MICAI_JSON_DEPTH_MAX);
    bool inside_line = w->depth > 0 && w->open[w->depth - 1].style == MICAI_JSON_LINE;
    begin_item(w, key, 1);
    put(w, ends, 1);
    w->open[w->depth].style = inside_line ? MICAI_JSON_LINE : style;
    w->open[w->depth].end = ends[1];
    w->depth++;
    w->first = true;
}

void micai_json_open_object(micai_json_writer *w, const char *key, micai_json_style style)
{
    open_container(w, key, style, "{}");
}

void micai_json_open_list(micai_json_writer *w, const char *key, micai_json_style style)
{
    open_container(w, key, style, "[]");
}

void micai_json_close(micai_json_writer *w)
{
    assert(w->depth > 0);
    w->depth--;
    if (!w->first && w->open[w->depth].style == MICAI_JSON_TALL) {
        break_line(w);
    }
    put(w, &w->open[w->depth].end, 1);
    w->first = false;
}

void micai_json_fill(micai_json_writer *w)
{
    if (w->first && w->open[w->depth - 1].style == MICAI_JSON_TALL) {
        w->open[w->depth - 1].style = MICAI_JSON_FULL;
    }
}

static void write_word(micai_json_writer *w, const char *key, const char *word, size_t size)
{
    begin_item(w, key, size);
    put(w, word, size);
}

void micai_json_write_null(micai_json_writer *w, const char *key)
{
    write_word(w, key, "null", 4);
}

void micai_json_write_bool(micai_json_writer *w, const char *key, bool value)
{
    write_word(w, key, value ? "true" : "false", value ? 4 : 5);
}

void micai_json_write_unsigned(micai_json_writer *w, const char *key, uint64_t value)
{
    char text[24];
    write_word(w, key, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, value));
}

void micai_json_write_signed(micai_json_writer *w, const char *key, int64_t value)
{
    char text[24];
    write_word(w, key, text, (size_t)snprintf(text, sizeof text, "%" PRId64, value));
}

void micai_json_write_real(micai_json_writer *w, const char *key, uint64_t bits, uint32_t size)
{
    char text[MICAI_JSON_REAL_SIZE];
    bool number;
    uint32_t count = micai_json_print_real(bits, size, text, &number);
    if (number) {
        write_word(w, key, text, count);
    } else {
        begin_item(w, key, count + 2);
        put_string(w, text, count);
    }
}

void micai_json_write_text(micai_json_writer *w, const char *key, const char *text, size_t size)
{
    if (!micai_json_is_utf8(text, size)) {
        micai_json_write_bytes(w, key, text, size);
        return;
    }
    begin_item(w, key, size + 2);
    put_string(w, text, size);
}

void micai_json_write_bytes(micai_json_writer *w, const char *key, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = bytes;
    micai_json_open_object(w, key, MICAI_JSON_LINE);
    begin_item(w, "bytes", 0);
    put(w, "\"", 1);
    for (size_t i = 0; i < size; i++) {
        const char pair[2] = {digits[from[i] >> 4], digits[from[i] & 15]};
        put(w, pair, 2);
    }
    put(w, "\"", 1);
    micai_json_close(w);
}

// UTF-8

bool micai_json_is_utf8(const char *text, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t step = micai_text_character(text + done, size - done);
        if (step == 0) {
            return false;
        }
        done += step;
    }
    return true;
}
