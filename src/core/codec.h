// Codecs: how the content of an image is written and read. What the content is, is said once, by those
// who save and load it (image/, and modules that keep something); how it looks in a file, by a codec:
// binary, or JSON.
//
// Room:    core. Signed by image/binary and image/json; called by image/ and by modules that save.
//
// The content is a tree of things, always in the same order: an image is a few sections; a section and
// an object consist of members, each with a name; a list, of `count` items, whose name is NULL. Names
// are for those who read the text: the binary codec leaves them out, and knows what comes by its place.
//
// Values of components come in the image's own layout, whatever the machine: field after field as the
// schema lists them, each element little-endian and as large as the schema says, nothing between. So a
// codec need not know how they lie in memory, and what is converted when a struct has changed is none
// of its business.
//
// Failure stays: after the first one, everything that is written is ignored, and everything that is
// read is 0, false and empty, so that loops end. `failed` says so; the sentence has been reported.
#ifndef MICAI_CORE_CODEC_H
#define MICAI_CORE_CODEC_H

#include <mica/type.h>

#include "base/host.h"

// How values of a type are in an image.
typedef enum micai_schema_way {
    MICAI_SCHEMA_NONE = 0, // not at all: a tag has none
    MICAI_SCHEMA_FIELDS,   // field after field
    MICAI_SCHEMA_BYTES,    // as their bytes: plain types without fields
    MICAI_SCHEMA_HOOKS,    // each as what its save hook writes: bytes(), not values()
    MICAI_SCHEMA_CLOSED,   // not at all: there is no way, and the image has none
    MICAI_SCHEMA_WAY_COUNT
} micai_schema_way;

typedef struct micai_schema_field {
    const char *name;
    mica_kind kind;
    uint32_t count;  // elements; more than one of kind CHAR: text, which ends before its first zero
    uint32_t size;   // of an element, in the image. Of STRUCT, that of the type
    uint32_t offset; // in the image's layout of a value
    uint32_t type;   // STRUCT: number in the schema, below that of the type it is a field of
    uint32_t enumerator_count;
    const mica_enumerator *enumerators; // ENUM: its names
    mica_pieces pieces;
} micai_schema_field;

// A type as the image describes it.
typedef struct micai_schema_type {
    const char *name;
    micai_schema_way way;
    mica_storage storage;
    bool pooled; // which is sparse
    bool stable;
    bool toggle;
    bool row_stamps;
    bool saved;
    uint32_t size;  // of a value, in the image; 0: tags, and what hooks save
    uint32_t align; // BYTES: in memory
    uint32_t depth; // FIELDS: 1, or one more than that of the deepest struct among them
    uint32_t field_count;
    const micai_schema_field *fields;   // FIELDS
    const unsigned char *default_value; // in the image's layout; NULL: zeroes
} micai_schema_type;

typedef struct micai_schema {
    micai_schema_type *types;
    uint32_t count;
} micai_schema;

typedef struct micai_writer micai_writer;
typedef struct micai_reader micai_reader;

typedef struct micai_encoder {
    void (*begin_section)(micai_writer *w, const char *name);
    void (*begin_object)(micai_writer *w, const char *name);
    void (*begin_list)(micai_writer *w, const char *name, uint32_t count);
    void (*end_section)(micai_writer *w);
    void (*end)(micai_writer *w, const char *name); // of an object or a list
    void (*number)(micai_writer *w, const char *name, uint64_t number);
    void (*integer)(micai_writer *w, const char *name, int64_t number);
    void (*real)(micai_writer *w, const char *name, double real);
    void (*flag)(micai_writer *w, const char *name, bool flag);
    void (*text)(micai_writer *w, const char *name, const char *text);
    void (*bytes)(micai_writer *w, const char *name, const void *data, uint32_t size);
    void (*entity)(micai_writer *w, const char *name, mica_entity entity);
    void (*type)(micai_writer *w, const char *name, uint32_t number); // in the schema
    // So many side by side; how many is known to who reads. Flags are 0 or 1.
    void (*numbers)(micai_writer *w, const char *name, const uint64_t *list, uint32_t count);
    void (*entities)(micai_writer *w, const char *name, const mica_entity *list, uint32_t count);
    void (*flags)(micai_writer *w, const char *name, const unsigned char *list, uint32_t count);
    // Values in the image's layout, `type->size` bytes each: of ways FIELDS and BYTES.
    void (*values)(micai_writer *w, const char *name, const micai_schema_type *type,
                   const unsigned char *values, uint32_t count);
} micai_encoder;

#define MICAI_WHERE_SIZE 64u

// The same things, read. What is beyond a maximum is a failure.
typedef struct micai_decoder {
    void (*begin_section)(micai_reader *r, const char *name);
    void (*begin_object)(micai_reader *r, const char *name);
    uint32_t (*begin_list)(micai_reader *r, const char *name, uint32_t max);
    void (*end_section)(micai_reader *r);
    void (*end)(micai_reader *r, const char *name);
    uint64_t (*number)(micai_reader *r, const char *name, uint64_t max);
    int64_t (*integer)(micai_reader *r, const char *name);
    double (*real)(micai_reader *r, const char *name);
    bool (*flag)(micai_reader *r, const char *name);
    // A string of up to MICA_NAME_SIZE_MAX bytes, zero behind it.
    void (*text)(micai_reader *r, const char *name, char text_out[MICA_NAME_SIZE_MAX + 1]);
    // Valid until the next thing is read; NULL after a failure.
    const unsigned char *(*bytes)(micai_reader *r, const char *name, uint32_t *size_out);
    mica_entity (*entity)(micai_reader *r, const char *name);
    uint32_t (*type)(micai_reader *r,
                     const char *name); // there is one of this number; or a failure
    void (*numbers)(micai_reader *r, const char *name, uint64_t *list_out, uint32_t count);
    void (*entities)(micai_reader *r, const char *name, mica_entity *list_out, uint32_t count);
    void (*flags)(micai_reader *r, const char *name, unsigned char *list_out, uint32_t count);
    void (*values)(micai_reader *r, const char *name, const micai_schema_type *type,
                   unsigned char *values_out, uint32_t count);
    // Where the last thing stood, to begin a sentence with: "line 3, column 7: ". NULL: nobody could look.
    void (*where)(const micai_reader *r, char text[MICAI_WHERE_SIZE]);
} micai_decoder;

struct micai_type;

// What the walk over the content writes to. Rooms that save something call the codec for what is
// theirs, and `values` for values of a type, wherever they lie side by side.
struct micai_writer {
    const micai_encoder *encoder;
    micai_host *host;
    const char *call; // the public function, for sentences
    mica_result failed;
    const micai_schema *schema;
    const uint32_t *numbers; // of the world's types, by number: that in the schema
    void *user;              // of who walks
    void (*values)(micai_writer *w, const char *name, const struct micai_type *type,
                   const void *values, uint32_t count);
};

// What the loader reads from. Things that are read name types by their number in the schema.
struct micai_reader {
    const micai_decoder *decoder;
    micai_host *host;
    const char *call;
    mica_result failed;
    uint32_t version; // of the image
    const micai_schema *schema;
    const struct micai_type *const
        *types; // of the world, by number in the schema; NULL: it has none
    void *user; // of who loads
    // Makes values in raw memory, all or none. Skips them if the memory is NULL, or the world has no such type.
    void (*values)(micai_reader *r, const char *name, uint32_t type, void *values, uint32_t count);
};

// Reading fails: the sentence begins with the call. Nothing happens after the first time.
void micai_reader_fail(micai_reader *r, mica_result code, const char *format, ...)
    MICA_PRINTF(3, 4);

// Shorter to read. What is written and read has the names of the encoder's functions.
#define micai_write(w, what, ...) ((w)->encoder->what(w, __VA_ARGS__))
#define micai_read(r, what, ...) ((r)->decoder->what(r, __VA_ARGS__))

// What a room above the world keeps that is state, in a section of its own. Loading makes something that
// waits, beside what there is; then it takes the place of that, or goes, and neither can fail.
typedef struct micai_saver {
    const char *section;
    const char *lists[3]; // what its section consists of, in this order; NULL behind the last
    void (*save)(mica_world *world, micai_writer *w);
    void *(*load)(mica_world *world,
                  micai_reader *r); // NULL: nothing waits, perhaps after a failure
    void (*commit)(mica_world *world, void *waiting); // NULL if nothing waits
    void (*cancel)(mica_world *world, void *waiting); // only if something waits
} micai_saver;

#endif
