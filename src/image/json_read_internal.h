// Reads JSON from a stream, token by token. So only one token of the document is in memory. The
// reader accepts JSON as of RFC 8259. It rejects some valid documents:
//   a string with a zero in it (\u0000)
//   an object with a key twice, or with more than MICAI_JSON_KEYS_MAX keys
//   more than MICAI_JSON_DEPTH_MAX nested objects and lists
//   a number of more than MICAI_JSON_NUMBER_MAX characters
//   anything behind the end
//
// Room:    image. Called by json.c and json_item.c.
//
// Failures are MICA_ERROR_IMAGE with a position: "mica_world_load: line 3, column 7: a comma, or ],
// is missing". Columns count characters. After the first failure every token is MICAI_JSON_END.
#ifndef MICAI_IMAGE_JSON_READ_INTERNAL_H
#define MICAI_IMAGE_JSON_READ_INTERNAL_H

#include "base/array.h"
#include "image/json_number_internal.h"
#include "image/json_write_internal.h"

#define MICAI_JSON_KEYS_MAX 4096u

typedef enum micai_json_token {
    MICAI_JSON_END = 0, // the end of the document, or a failure
    MICAI_JSON_OBJECT,  // {
    MICAI_JSON_LIST,    // [
    MICAI_JSON_CLOSE,   // } or ]
    MICAI_JSON_KEY,     // including the colon behind it
    MICAI_JSON_TEXT,
    MICAI_JSON_INTEGER, // a number without fraction and exponent
    MICAI_JSON_REAL,    // a number with either
    MICAI_JSON_TRUE,
    MICAI_JSON_FALSE,
    MICAI_JSON_NULL
} micai_json_token;

typedef struct micai_json_reader {
    micai_host *host;
    const char *call;
    micai_input *input;
    mica_result failed;
    micai_json_token token; // the last token that was read
    // the key, text or number: `size` characters without zeroes, and a terminating zero
    char *text;
    size_t size;
    size_t capacity;
    uint64_t line; // where the token begins; counts from 1
    uint64_t column;
    // Private.
    uint64_t next_line; // position of the next character
    uint64_t next_column;
    uint32_t depth;
    bool ready; // a value is expected; otherwise one was read, or none can follow
    struct {
        bool object;
        bool empty;         // no member or item so far
        uint32_t key_start; // the index of its first key
    } open[MICAI_JSON_DEPTH_MAX];
    MICAI_ARRAY(uint64_t) keys; // hashes of the keys of all open objects
} micai_json_reader;

void micai_json_reader_begin(micai_json_reader *r, micai_host *host, const char *call,
                             micai_input *input);
void micai_json_reader_end(micai_json_reader *r);

// Reads the next token.
micai_json_token micai_json_next(micai_json_reader *r);

// Fails at the position of the token.
void micai_json_fail(micai_json_reader *r, const char *format, ...) MICA_PRINTF(2, 3);

// Pass out the value of an MICAI_JSON_INTEGER. Return false if it is out of range.
bool micai_json_to_unsigned(const micai_json_reader *r, uint64_t *value_out);
bool micai_json_to_signed(const micai_json_reader *r, int64_t *value_out);

#endif
