// Archives: how the content of an image is serialized. An archive is written or read, and the calls that walk
// through the content are the same in both directions: each takes a pointer, and either writes what is there or
// reads into it. So the content is described once, by the code that saves and loads it (image/, and modules that
// keep something). How it looks in a file is decided by a codec: binary, or JSON.
//
// Room:    core. Implemented by image/binary.c and image/json.c. Called by image/ and by modules that save.
//
// The content is a tree of things, always in the same order. An image is a few sections. A section and an
// object consist of members, each with a name; a list consists of `count` items, whose name is NULL. Names
// are for readers of the text: the binary codec leaves them out, and knows what comes by its place.
//
// Values of components come in the image's own layout, whatever the machine: field after field as the
// schema lists them, each element little-endian and as large as the schema says, nothing between. So a
// codec need not know how they lie in memory, nor how they are converted when a struct has changed.
//
// A failure is kept: after the first one, everything that is written is ignored, and everything that is
// read is 0, false and empty, so that loops end. `failed` says so; the sentence has been reported.
#ifndef MICAI_CORE_ARCHIVE_H
#define MICAI_CORE_ARCHIVE_H

#include <mica/type.h>

#include "base/map.h"

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
    micai_map by_name;                  // ENUM that is read: to numbers of enumerators
    mica_strips strips;
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

typedef struct micai_archive micai_archive;

#define MICAI_WHERE_SIZE 64u

// What a codec does for an archive, in either direction. Maxima are for what is read: more is a failure. Writing leaves
// lists and values as they are: they may be the world's.
typedef struct micai_archive_calls {
    void (*begin_section)(micai_archive *a, const char *name);
    void (*end_section)(micai_archive *a, const char *name);
    void (*begin_object)(micai_archive *a, const char *name);
    void (*begin_list)(micai_archive *a, const char *name, uint32_t *count, uint32_t max);
    void (*end)(micai_archive *a, const char *name); // of an object or a list
    void (*number)(micai_archive *a, const char *name, uint64_t *number, uint64_t max);
    void (*integer)(micai_archive *a, const char *name, int64_t *number);
    void (*real)(micai_archive *a, const char *name, double *real);
    void (*flag)(micai_archive *a, const char *name, bool *flag);
    // A string of up to MICA_NAME_SIZE_MAX bytes. One that was read is valid until the next is read.
    void (*text)(micai_archive *a, const char *name, const char **text);
    // Those that were read are valid until the next thing is read; NULL after a failure.
    void (*bytes)(micai_archive *a, const char *name, const unsigned char **data, uint32_t *size);
    void (*entity)(micai_archive *a, const char *name, mica_entity *entity);
    void (*type)(micai_archive *a, const char *name, uint32_t *number); // that the schema has
    // So many side by side; the reader knows how many. Flags are 0 or 1.
    void (*numbers)(micai_archive *a, const char *name, uint64_t *list, uint32_t count);
    void (*entities)(micai_archive *a, const char *name, mica_entity *list, uint32_t count);
    void (*flags)(micai_archive *a, const char *name, unsigned char *list, uint32_t count);
    // Values in the image's layout, `type->size` bytes each: of ways FIELDS and BYTES.
    void (*values)(micai_archive *a, const char *name, const micai_schema_type *type,
                   unsigned char *values, uint32_t count);
    // Where the last thing that was read stood, to begin a sentence with: "line 3, column 7: ". NULL: the format
    // has no lines.
    void (*where)(const micai_archive *a, char text[MICAI_WHERE_SIZE]);
} micai_archive_calls;

struct micai_type;

// Modules that save something serialize what is theirs, and values of a type by `values`.
struct micai_archive {
    const micai_archive_calls *calls;
    bool reading;
    bool partial; // written for a part of a world: what modules keep is left out
    micai_host *host;
    const char *call; // the public function, for sentences
    mica_result failed;
    uint32_t version; // of the image that is read
    const micai_schema *schema;
    const uint32_t *numbers; // writing: of the world's types, by number: that in the schema
    const struct micai_type *const
        *types; // by number in the schema: the world's; NULL: it has none
    void *user; // of image/
    // Values of a type of the schema that lie side by side in memory. Reading constructs them there, all or none, or
    // skips them, if the memory is NULL or the world has no such type.
    void (*values)(micai_archive *a, const char *name, uint32_t type, void *values, uint32_t count);
    char text[MICA_NAME_SIZE_MAX + 1]; // the last that was read
};

// Reading fails: the sentence begins with the call. Nothing happens after the first time.
void micai_archive_fail(micai_archive *a, mica_result code, const char *format, ...)
    MICA_PRINTF(3, 4);

// There is no memory, which has been reported.
static inline void micai_archive_fail_memory(micai_archive *a)
{
    a->failed = a->failed ? a->failed : MICA_ERROR_MEMORY;
}

// Items in an arena, zeroed, aligned for anything. NULL after a failure, or it fails now: MICA_ERROR_MEMORY.
void *micai_archive_alloc(micai_archive *a, micai_arena *arena, size_t count, size_t size);

// Shorter to read: `what` is the name of a call. The second is for numbers that are kept in 32 bits.
#define micai_serialize(a, what, ...) ((a)->calls->what(a, __VA_ARGS__))

static inline void micai_serialize_32(micai_archive *a, const char *name, uint32_t *number,
                                      uint32_t max)
{
    uint64_t wide = a->reading ? 0 : *number;
    micai_serialize(a, number, name, &wide, max);
    *number = (uint32_t)wide;
}

// What a module keeps that is state, in a section of its own. Loading creates something that waits, beside what
// exists. Then it takes the place of that, or is released, and neither can fail.
typedef struct micai_saver {
    const char *section;
    // Of a part, lists that are empty.
    void (*save)(mica_world *world, micai_archive *a);
    // NULL: nothing waits, perhaps after a failure
    void *(*load)(mica_world *world, micai_archive *a);
    void (*commit)(mica_world *world, void *waiting); // NULL if nothing waits
    void (*cancel)(mica_world *world, void *waiting); // only if something waits
} micai_saver;

#endif
