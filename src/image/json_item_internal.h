// Items of JSON, in either direction: what the JSON codec consists of. Each takes a pointer, and either writes
// what is there or reads into it.
//
// Room:    image. Called by json.c.
//
// Reading an item begins at its token, which micai_json_member() or micai_json_items() has read. `name` is the key
// that is written, NULL in a list; and, in sentences, the name of what is wrong. After a failure, the token is
// MICAI_JSON_END, and what is read is 0, false and empty.
#ifndef MICAI_IMAGE_JSON_ITEM_INTERNAL_H
#define MICAI_IMAGE_JSON_ITEM_INTERNAL_H

#include "core/archive.h"
#include "image/json_read_internal.h"
#include "image/json_write_internal.h"

typedef struct micai_json {
    micai_archive base;
    micai_json_writer out; // if it is written
    micai_json_reader in;  // if it is read
} micai_json;

// Fails where the last token stands. Nothing happens after the first failure.
#define micai_json_refuse(j, ...)                                                                  \
    ((j)->base.failed ? (void)0 : micai_json_fail(&(j)->in, __VA_ARGS__), micai_json_note(j))

// Takes over a failure of the text, or of its output.
void micai_json_note(micai_json *j);

// How a thing is called in sentences.
const char *micai_json_called(const char *name);

// Reads the next token. It must not be the end.
micai_json_token micai_json_take(micai_json *j);

// Reads the token behind a key or, in a list, the next. Writing, it does nothing.
void micai_json_member(micai_json *j, const char *name);

// The same, to read. The token must be this one; `what` is how it is called. False after a failure.
bool micai_json_expect(micai_json *j, const char *name, micai_json_token token, const char *what);

// The end of an object or list.
void micai_json_end_thing(micai_json *j, const char *what);

void micai_json_flag(micai_json *j, const char *name, bool *flag);
void micai_json_entity(micai_json *j, const char *name, mica_entity *entity);

// Integers of a field of a kind, NULL if they are none's.
void micai_json_unsigned(micai_json *j, const char *name, const char *kind, uint64_t *number,
                         uint64_t max);
void micai_json_signed(micai_json *j, const char *name, const char *kind, int64_t *number,
                       int64_t max);

// The bits of a float of `size` bytes, 4 or 8.
void micai_json_real(micai_json *j, const char *name, uint64_t *bits, uint32_t size);

// Text of up to so many bytes, without zeroes; and bytes. Those that were read have no zero behind them, and are
// valid until the next text is. NULL after a failure.
void micai_json_text(micai_json *j, const char *name, const char **text, size_t *size, size_t max);
void micai_json_bytes(micai_json *j, const char *name, const unsigned char **bytes, size_t *size);

// A list of so many items of `size` bytes each. Its token is still to be read. All are zeroes after a failure.
typedef void micai_json_item(micai_json *j, const void *how, unsigned char *item);
void micai_json_items(micai_json *j, const char *name, micai_json_style style, uint32_t count,
                      micai_json_item *item, const void *how, void *list, size_t size);

#endif
