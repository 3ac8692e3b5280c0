// JSON as text that is read: one token after the other, from a stream, so that no more of the document is
// in memory than the token. Nothing but JSON is accepted (RFC 8259), and of that: no string with a zero in it
// (\u0000), no object with a key twice, no more than MICAI_JSON_DEPTH_MAX objects and lists inside each
// other, no more than MICAI_JSON_KEYS_MAX keys in an object, no number of more than MICAI_JSON_NUMBER_MAX
// characters, and nothing behind the end.
//
// Room:    image. Called by json.c and json_item.c.
//
// Failures are MICA_ERROR_IMAGE and say where: "mica_world_load: line 3, column 7: a comma, or ], is missing".
// Columns are characters. After the first failure every token is MICAI_JSON_END.
#ifndef MICAI_IMAGE_JSON_READ_INTERNAL_H
#define MICAI_IMAGE_JSON_READ_INTERNAL_H

#include "base/array.h"
#include "image/json_number_internal.h"
#include "image/json_write_internal.h"

#define MICAI_JSON_KEYS_MAX 4096u

typedef enum micai_json_token {
    MICAI_JSON_END = 0, // of the document, or a failure
    MICAI_JSON_OBJECT,  // {
    MICAI_JSON_LIST,    // [
    MICAI_JSON_CLOSE,   // } or ]
    MICAI_JSON_KEY,     // and the colon behind it
    MICAI_JSON_TEXT,
    MICAI_JSON_INTEGER, // a number without fraction and exponent
    MICAI_JSON_REAL,    // one with
    MICAI_JSON_TRUE,
    MICAI_JSON_FALSE,
    MICAI_JSON_NULL
} micai_json_token;

typedef struct micai_json_reader {
    micai_host *host;
    const char *call;
    micai_input *input;
    mica_result failed;
    micai_json_token token; // the last that was read
    char *text; // of a key, text or number: `size` characters, none of them zero, and a zero
    size_t size;
    size_t capacity;
    uint64_t line; // where the token begins; from 1
    uint64_t column;
    // Private.
    uint64_t next_line; // of the next character
    uint64_t next_column;
    uint32_t depth;
    bool ready; // for a value; otherwise one has come, or none
    struct {
        bool object;
        bool empty;         // so far
        uint32_t key_start; // of its keys
    } open[MICAI_JSON_DEPTH_MAX];
    MICAI_ARRAY(uint64_t) keys; // of all objects that are open: their hashes
} micai_json_reader;

void micai_json_reader_begin(micai_json_reader *r, micai_host *host, const char *call,
                             micai_input *input);
void micai_json_reader_end(micai_json_reader *r);

// Reads the next token.
micai_json_token micai_json_next(micai_json_reader *r);

// Fails where the token begins.
void micai_json_fail(micai_json_reader *r, const char *format, ...) MICA_PRINTF(2, 3);

// The number that an MICAI_JSON_INTEGER is. False: it is beyond the range.
bool micai_json_to_unsigned(const micai_json_reader *r, uint64_t *value_out);
bool micai_json_to_signed(const micai_json_reader *r, int64_t *value_out);

#endif
