// Items of JSON in both directions, from which the JSON codec is built. Each function takes a
// pointer, and either writes the item or reads into it.
//
// Room:    image. Called by json.c.
//
// A function that reads an item starts at its token, which micai_json_member() or
// micai_json_items() has read. `name` is the key to write, or NULL in a list. Error sentences use
// it, too. After a failure, the token is MICAI_JSON_END, and items read as 0, false or empty.
#ifndef MICAI_IMAGE_JSON_ITEM_INTERNAL_H
#define MICAI_IMAGE_JSON_ITEM_INTERNAL_H

#include "core/archive.h"
#include "image/json_read_internal.h"
#include "image/json_write_internal.h"

typedef struct micai_json {
    micai_archive base;
    micai_json_writer out; // for writing
    micai_json_reader in;  // for reading
} micai_json;

// Fails at the position of the last token. After the first failure, does nothing.
#define micai_json_refuse(j, ...)                                                                  \
    ((j)->base.failed ? (void)0 : micai_json_fail(&(j)->in, __VA_ARGS__),                          \
     micai_json_take_failure(j))

// Takes over a failure of the reader or the output.
void micai_json_take_failure(micai_json *j);

// Returns the name of an item in error sentences.
const char *micai_json_label(const char *name);

// Reads the next token. The end of the document is an error.
micai_json_token micai_json_take(micai_json *j);

// Reads the token behind a key or, in a list, the next token. Does nothing while writing.
void micai_json_member(micai_json *j, const char *name);

// Reads the same token, which must be `token`. `what` describes it in error sentences. Returns
// false after a failure.
bool micai_json_expect(micai_json *j, const char *name, micai_json_token token, const char *what);

// Ends an object or list.
void micai_json_end_container(micai_json *j, const char *what);

void micai_json_flag(micai_json *j, const char *name, bool *flag);
void micai_json_entity(micai_json *j, const char *name, mica_entity *entity);

// Integers. `kind` is the kind of the field, or NULL if the number belongs to no field.
void micai_json_unsigned(micai_json *j, const char *name, const char *kind, uint64_t *number,
                         uint64_t max);
void micai_json_signed(micai_json *j, const char *name, const char *kind, int64_t *number,
                       int64_t max);

// The bits of a float of `size` bytes, 4 or 8.
void micai_json_real(micai_json *j, const char *name, uint64_t *bits, uint32_t size);

// Text of at most `max` bytes without zeroes, and bytes. While reading, neither is terminated by a
// zero, and both are valid until the next text is read. They are NULL after a failure.
void micai_json_text(micai_json *j, const char *name, const char **text, size_t *size, size_t max);
void micai_json_bytes(micai_json *j, const char *name, const unsigned char **bytes, size_t *size);

// A list of `count` items of `size` bytes each. Reading starts before the token of the list. After
// a failure, all items are zero.
typedef void micai_json_item(micai_json *j, const void *how, unsigned char *item);
void micai_json_items(micai_json *j, const char *name, micai_json_style style, uint32_t count,
                      micai_json_item *item, const void *how, void *list, size_t size);

#endif
