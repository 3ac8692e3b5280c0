// JSON as text that is written: indented, always the same way, so that what is the same looks the same and
// what differs can be seen line by line.
//
// Room:    image. Called by json.c and json_item.c.
//
//   {
//     "speed": 1.5,
//     "numbers": [1, 2, 3],          a list of small things goes on in the next line when one is full
//     "values": [
//       {"x": 1.0, "y": -0.0},       an object in one line
//       {"x": "NaN", "y": 2.5}
//     ],
//     "name": "caf\u00e9"            characters stand for themselves, but for ", \ and those that do nothing
//   }                                but control
//
// Text is UTF-8. What is not, and bytes, are an object: {"bytes": "ff00"}, two digits for each.
#ifndef MICAI_IMAGE_JSON_WRITE_INTERNAL_H
#define MICAI_IMAGE_JSON_WRITE_INTERNAL_H

#include "base/stream.h"

#define MICAI_JSON_DEPTH_MAX 64u // objects and lists inside each other; deeper ones are not read

// Of an object or list.
typedef enum micai_json_style {
    MICAI_JSON_TALL, // each member has a line
    MICAI_JSON_FULL, // as many in a line as fit
    MICAI_JSON_LINE, // all in the line that it begins in, and so what is inside
} micai_json_style;

typedef struct micai_json_writer {
    micai_output *output;
    uint32_t depth;
    uint32_t column;
    bool first; // nothing is in the innermost object or list yet
    struct {
        micai_json_style style;
        char end; // what it ends with
    } open[MICAI_JSON_DEPTH_MAX];
} micai_json_writer;

void micai_json_begin(micai_json_writer *w, micai_output *output);

// The last line ends too.
void micai_json_end(micai_json_writer *w);

// All of these: `key` is NULL in a list, and of what is outermost.
void micai_json_open_object(micai_json_writer *w, const char *key, micai_json_style style);
void micai_json_open_list(micai_json_writer *w, const char *key, micai_json_style style);
void micai_json_close(micai_json_writer *w);

// If nothing is in the innermost list yet, it is MICAI_JSON_FULL after all.
void micai_json_fill(micai_json_writer *w);

void micai_json_write_null(micai_json_writer *w, const char *key);
void micai_json_write_bool(micai_json_writer *w, const char *key, bool value);
void micai_json_write_unsigned(micai_json_writer *w, const char *key, uint64_t value);
void micai_json_write_signed(micai_json_writer *w, const char *key, int64_t value);
void micai_json_write_text(micai_json_writer *w, const char *key, const char *text, size_t size);
void micai_json_write_bytes(micai_json_writer *w, const char *key, const void *bytes, size_t size);

// The float of `size` bytes, 4 or 8, that these bits are.
void micai_json_write_real(micai_json_writer *w, const char *key, uint64_t bits, uint32_t size);

// Is it UTF-8: no more bytes than needed, no surrogates, nothing beyond U+10FFFF?
bool micai_json_is_utf8(const char *text, size_t size);

#endif
