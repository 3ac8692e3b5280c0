// Archives: how the content of an image is serialized. The same calls serve both directions: each
// takes a pointer and either writes what it points to or reads into it. So the code that saves and
// loads (image/, and modules with state) describes the content once. A codec, binary or JSON,
// decides how the content looks in a file.
//
// Room:    core. Implemented by image/binary.c and image/json.c. Called by image/ and by modules that save
//          state (query/, event/, system/).
//
// The content is a tree with a fixed order. An image has a few sections. A section or an object has
// named members. A list has `count` items, whose name is NULL. Names serve human readers: the
// binary codec omits them and identifies members by position.
//
// Component values are passed in the image's own layout, on every machine. The fields follow each
// other without gaps, in the order of the schema. Elements are little-endian and have the size that
// the schema gives. So a codec need not know the layout in memory, nor how values are converted
// after a struct has changed.
//
// Failures are sticky. After the first one, writes are ignored, and reads yield 0, false and empty
// lists, so loops end. `failed` has the code; the sentence is already reported.
#ifndef MICAI_CORE_ARCHIVE_H
#define MICAI_CORE_ARCHIVE_H

#include <mica/type.h>

#include "base/map.h"

// How an image represents the values of a type.
typedef enum micai_schema_way {
    MICAI_SCHEMA_NONE = 0, // tags: there are no values
    MICAI_SCHEMA_FIELDS,   // field by field
    MICAI_SCHEMA_BYTES,    // raw bytes: plain types without fields
    MICAI_SCHEMA_HOOKS,    // bytes from the save hook: use bytes(), not values()
    MICAI_SCHEMA_CLOSED,   // the type cannot be serialized; the image has no values
    MICAI_SCHEMA_WAY_COUNT
} micai_schema_way;

typedef struct micai_schema_field {
    const char *name;
    mica_kind kind;
    uint32_t count;  // elements; for kind CHAR with more than one, text up to the first zero
    uint32_t size;   // size of an element in the image; for STRUCT, that of the type
    uint32_t offset; // offset in the image's layout
    uint32_t type;   // STRUCT: schema number of its type, lower than that of the enclosing type
    uint32_t enumerator_count;
    const mica_enumerator *enumerators; // ENUM: the names
    micai_map by_name;                  // ENUM, while reading: from names to enumerator indexes
    mica_strips strips;
} micai_schema_field;

// A type as the image describes it.
typedef struct micai_schema_type {
    const char *name;
    micai_schema_way way;
    mica_storage storage;
    bool pooled; // the type is sparse
    bool stable;
    bool toggle;
    bool row_stamps;
    bool saved;
    uint32_t size;  // size of a value in the image; 0: tags, and types with save hooks
    uint32_t align; // BYTES: alignment in memory
    uint32_t depth; // FIELDS: 1, or one more than the deepest struct field
    uint32_t field_count;
    // FIELDS
    const micai_schema_field *fields;
    const unsigned char *default_value; // in the image's layout; NULL: zeroes
} micai_schema_type;

typedef struct micai_schema {
    micai_schema_type *types;
    uint32_t count;
} micai_schema;

typedef struct micai_archive micai_archive;

#define MICAI_WHERE_SIZE 64u

// The functions of a codec, for both directions. Maxima apply to reading; larger values are a
// failure. Writing leaves lists and values unchanged, because they may belong to the world.
typedef struct micai_archive_calls {
    void (*begin_section)(micai_archive *a, const char *name);
    void (*end_section)(micai_archive *a, const char *name);
    void (*begin_object)(micai_archive *a, const char *name);
    void (*begin_list)(micai_archive *a, const char *name, uint32_t *count, uint32_t max);
    void (*end)(micai_archive *a, const char *name); // ends an object or a list
    void (*number)(micai_archive *a, const char *name, uint64_t *number, uint64_t max);
    void (*integer)(micai_archive *a, const char *name, int64_t *number);
    void (*real)(micai_archive *a, const char *name, double *real);
    void (*flag)(micai_archive *a, const char *name, bool *flag);
    // A string of up to MICA_NAME_SIZE_MAX bytes. When reading, it is valid until the next string
    // is read.
    void (*text)(micai_archive *a, const char *name, const char **text);
    // When reading, the bytes are valid until the next read; NULL after a failure.
    void (*bytes)(micai_archive *a, const char *name, const unsigned char **data, uint32_t *size);
    void (*entity)(micai_archive *a, const char *name, mica_entity *entity);
    void (*type)(micai_archive *a, const char *name, uint32_t *number); // a schema number
    // Lists whose length the reader already knows. Flags are 0 or 1.
    void (*numbers)(micai_archive *a, const char *name, uint64_t *list, uint32_t count);
    void (*entities)(micai_archive *a, const char *name, mica_entity *list, uint32_t count);
    void (*flags)(micai_archive *a, const char *name, unsigned char *list, uint32_t count);
    // Values in the image's layout, `type->size` bytes each, for FIELDS and BYTES.
    void (*values)(micai_archive *a, const char *name, const micai_schema_type *type,
                   unsigned char *values, uint32_t count);
    // Writes the position of the last read to `text`, to begin an error sentence: "line 3, column
    // 7: ". NULL if the format has no lines.
    void (*where)(const micai_archive *a, char text[MICAI_WHERE_SIZE]);
} micai_archive_calls;

struct micai_type;

// Modules serialize their own state, and values of a type through `values`.
struct micai_archive {
    const micai_archive_calls *calls;
    bool reading;
    bool partial; // saves a subset of the world; modules save empty state
    micai_host *host;
    const char *call; // the public function, for error sentences
    mica_result failed;
    uint32_t version; // version of the image being read
    const micai_schema *schema;
    const uint32_t *numbers; // writing: schema numbers by the world's type number
    // by schema number: the world's types; NULL: it has no such type
    const struct micai_type *const *types;
    void *user; // for image/
    // Serializes values of a schema type that are adjacent in memory. Reading constructs all of
    // them there, or none. If the memory is NULL or the world has no such type, reading skips them.
    void (*values)(micai_archive *a, const char *name, uint32_t type, void *values, uint32_t count);
    char text[MICA_NAME_SIZE_MAX + 1]; // the last text that was read
};

// Reports an error, with the public call at its front. Does nothing after the first failure.
void micai_archive_fail(micai_archive *a, mica_result code, const char *format, ...)
    MICA_PRINTF(3, 4);

// Records MICA_ERROR_MEMORY, which is already reported.
static inline void micai_archive_fail_memory(micai_archive *a)
{
    a->failed = a->failed ? a->failed : MICA_ERROR_MEMORY;
}

// Allocates zeroed items in an arena, with maximum alignment. Returns NULL after a failure. Fails
// with MICA_ERROR_MEMORY.
void *micai_archive_alloc(micai_archive *a, micai_arena *arena, size_t count, size_t size);

// Shorthands: `what` is the name of a member of micai_archive_calls. The function is for numbers
// stored in 32 bits.
#define micai_serialize(a, what, ...) ((a)->calls->what(a, __VA_ARGS__))

static inline void micai_serialize_32(micai_archive *a, const char *name, uint32_t *number,
                                      uint32_t max)
{
    uint64_t wide = a->reading ? 0 : *number;
    micai_serialize(a, number, name, &wide, max);
    *number = (uint32_t)wide;
}

// The state of a module, saved in its own section. Loading creates a staged copy beside the current
// state. It then either replaces the current state or is released; neither can fail.
typedef struct micai_saver {
    const char *section;
    // For a subset of the world, saves empty lists.
    void (*save)(mica_world *world, micai_archive *a);
    // Returns the staged copy. NULL means that nothing is staged, perhaps after a failure.
    void *(*load)(mica_world *world, micai_archive *a);
    void (*commit)(mica_world *world, void *waiting); // NULL: nothing is staged
    void (*cancel)(mica_world *world, void *waiting); // called only if something is staged
} micai_saver;

#endif
