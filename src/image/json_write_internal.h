// Writes JSON, indented, always in the same way. Equal content gives equal text, and differences
// show line by line.
//
// Room:    image. Called by json.c and json_item.c.
//
//   {
//     "speed": 1.5,
//     "numbers": [1, 2, 3],          a list of small items breaks where a line is full
//     "values": [
//       {"x": 1.0, "y": -0.0},       an object in one line
//       {"x": "NaN", "y": 2.5}
//     ],
//     "name": "caf\u00e9"            escapes: only ", \ and control characters
//   }
//
// Text is UTF-8. Bytes, and text that is not UTF-8, become an object: {"bytes": "ff00"}, two digits
// for each byte.
#ifndef MICAI_IMAGE_JSON_WRITE_INTERNAL_H
#define MICAI_IMAGE_JSON_WRITE_INTERNAL_H

#include "base/stream.h"

#define MICAI_JSON_DEPTH_MAX 64u // nested objects and lists; the reader rejects more

// The layout of an object or list.
typedef enum micai_json_style {
    MICAI_JSON_TALL, // one line for each member
    MICAI_JSON_FULL, // as many in a line as fit
    MICAI_JSON_LINE, // everything in one line, including nested objects and lists
} micai_json_style;

typedef struct micai_json_writer {
    micai_output *output;
    uint32_t depth;
    uint32_t column;
    bool first; // the innermost object or list is empty so far
    struct {
        micai_json_style style;
        char end; // its closing character
    } open[MICAI_JSON_DEPTH_MAX];
} micai_json_writer;

void micai_json_begin(micai_json_writer *w, micai_output *output);

// Ends the last line.
void micai_json_end(micai_json_writer *w);

// In all of these, `key` is NULL in a list and for the outermost value.
void micai_json_open_object(micai_json_writer *w, const char *key, micai_json_style style);
void micai_json_open_list(micai_json_writer *w, const char *key, micai_json_style style);
void micai_json_close(micai_json_writer *w);

// Changes the innermost list to MICAI_JSON_FULL if it is still empty.
void micai_json_fill(micai_json_writer *w);

void micai_json_write_null(micai_json_writer *w, const char *key);
void micai_json_write_bool(micai_json_writer *w, const char *key, bool value);
void micai_json_write_unsigned(micai_json_writer *w, const char *key, uint64_t value);
void micai_json_write_signed(micai_json_writer *w, const char *key, int64_t value);
void micai_json_write_text(micai_json_writer *w, const char *key, const char *text, size_t size);
void micai_json_write_bytes(micai_json_writer *w, const char *key, const void *bytes, size_t size);

// Writes the float of `size` bytes, 4 or 8, with these bits.
void micai_json_write_real(micai_json_writer *w, const char *key, uint64_t bits, uint32_t size);

// Returns true for valid UTF-8: shortest forms only, no surrogates, nothing beyond U+10FFFF.
bool micai_json_is_utf8(const char *text, size_t size);

#endif
