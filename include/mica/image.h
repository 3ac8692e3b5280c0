// Images: a world in a file, or in memory, and back.
//
//   if (mica_world_save(world, &(mica_stream){.path = "game.mica"}, NULL) != MICA_OK) { ... }
//   if (mica_world_load(world, &(mica_stream){.path = "game.mica"}, NULL) != MICA_OK) { ... }
//
// An image contains all state: entities, with their handles and those that will be given out next; components
// in every storage, in their order, enabled or disabled, with the ticks of their changes; facets; names;
// the order of groups; ticks and time; resources and events of types that are saved (mica_type_desc.saved).
// So a loaded world goes on exactly as the saved one would have. Cursors of events are the program's: new ones read
// the events of the last two frames again.
//
// An image contains no functions and no pointers. The program creates systems, queries, observers and hooks,
// before or after it loads. The image has the state that these go on from, by name: of a system, and of a
// query with a name, the moment since which it asks for changes (mica/change.h); of a phase with a time step
// of its own, its time. State of a name that does not exist is kept until the program creates it, or loads
// another image, and it is saved again. Queries of the same name are matched in the order of their creation.
// Whatever the image does not know begins anew, and so does a query without a name that belongs to no system:
// it sees everything.
//
// An image carries its schema: which types there are, with their fields. It is loaded by names, so that
// a program whose structs have changed reads what an older one has written: see mica_world_load(). What is in
// it is the same on every machine, byte for byte, whatever its byte order, its padding and the size of
// its pointers.
//
// Each section has checksums. An image that is damaged, or was made to do damage, is refused with
// MICA_ERROR_IMAGE, or with MICA_ERROR_LIMIT if it would take too much memory, and the world is as it was.
#ifndef MICA_IMAGE_H
#define MICA_IMAGE_H

#include <mica/query.h>
#include <mica/stream.h>
#include <mica/type.h>

#ifdef __cplusplus
extern "C" {
#endif

// Of images that this version writes. It reads all from 1 on.
#define MICA_IMAGE_VERSION 2u

typedef enum mica_image_format {
    MICA_IMAGE_BINARY = 0,
    MICA_IMAGE_JSON, // the same content as text, to be read and to be compared
    MICA_IMAGE_FORMAT_COUNT
} mica_image_format;

// How. Zero is the default of every field.
typedef struct mica_save_desc {
    uint32_t first_zero; // must be 0

    mica_image_format format;

    uint32_t last_zero; // must be 0
} mica_save_desc;

// Saves the world to a stream: a file, memory, whatever takes bytes. [save.stream] NULL desc: all
// defaults. [save.defaults]
//
// Values are saved field by field; bytes of a value that are no field's are not saved, and are
// those of the default when it is loaded. [save.fields] Values of a type without fields are saved
// as their bytes if it was declared plain (mica_type_desc.plain), or by its save hook (mica_hooks);
// if it has neither, and there are values of it, the world is not saved: MICA_ERROR_TYPE names the
// type. [save.opaque]
//
// The world does not change. [save.unchanged] It is refused while anything is iterated
// (MICA_ERROR_ITERATING), and while commands wait. [save.refused] MICA_ERROR_NULL, _DESC, _ARGUMENT
// (no such format, or stream), _MEMORY, _HOOK, _HANDLER; _STREAM if it could not be
// written. [save.fail]
//
// O(everything). [save.cost] Less than 16 MiB of memory, or four times what a save hook puts for
// one value; and for each type 128 bytes, 64 for each of its fields, and its default
// value. [save.memory]
MICA_USE_RESULT MICA_API mica_result mica_world_save(mica_world *world, const mica_stream *stream,
                                                     const mica_save_desc *desc);

// What happens to types that the image has, and the world has not.
typedef enum mica_unknown {
    MICA_UNKNOWN_REFUSED = 0, // it is not loaded: MICA_ERROR_SCHEMA
    // They are registered as the image describes them, and so will be saved again. What a hook had
    // written is kept as bytes.
    MICA_UNKNOWN_KEPT,
    MICA_UNKNOWN_DROPPED, // they are left out, as if they had been removed from all entities
    MICA_UNKNOWN_COUNT
} mica_unknown;

// A name that was another once: of a type, or of a field of one.
typedef struct mica_alias {
    const char *type;  // as it is called now
    const char *field; // as it is called now; NULL: it is the type that was called otherwise
    const char *was;   // what the image may call it
} mica_alias;

// What was not as it is in the world.
typedef enum mica_difference {
    MICA_TYPE_KEPT,       // the world had no such type, and has it now
    MICA_TYPE_DROPPED,    // the same, and it was left out
    MICA_TYPE_RENAMED,    // found by an alias
    MICA_STORAGE_CHANGED, // the type is stored in another way
    MICA_FIELD_ADDED,     // the image has no such field: it is that of the default
    MICA_FIELD_REMOVED,   // the world has no such field
    MICA_FIELD_RENAMED,   // found by an alias
    MICA_FIELD_CONVERTED, // of another kind, or count
    MICA_DIFFERENCE_COUNT
} mica_difference;

typedef struct mica_load_note {
    mica_difference what;
    const char *type;     // its name in the world; of one that was dropped, in the image
    const char *field;    // NULL: it is about the type
    const char *sentence; // "'Health.points' was u8, and is i32"
} mica_load_note;

// Told once for each difference, in the order of the image's schema, when everything is loaded. The note
// is valid until it returns; the world may be looked at, not changed.
typedef void mica_load_listener(mica_world *world, const mica_load_note *note, void *user);

// How. Zero is the default of every field.
typedef struct mica_load_desc {
    uint32_t first_zero; // must be 0

    mica_unknown unknown;
    const mica_alias *aliases;
    uint32_t alias_count;

    mica_load_listener *listener; // NULL: nobody is told of differences
    void *user;                   // the listener's

    bool drop_names; // of a part: who has a name that is taken comes without; else it is not loaded

    // The most bytes that a load may allocate; 0: 128 MiB, and 128 bytes for each byte of the image.
    uint64_t memory_max;

    uint32_t last_zero; // must be 0
} mica_load_desc;

// Loads an image, of either format, in the place of what the world has: its entities, their
// components and names end, and those of the image are there instead. [load.instead] Types,
// queries, systems, observers, bundles, accessors and groups stay, and work on what was
// loaded. [load.stay] Observers are not told. [load.observers] Resources and events become the
// image's, be they none, where their type is saved both here and in the image; others
// stay. [load.resources] Values that were there end by their hooks. [load.hooks] NULL desc: all
// defaults. [load.defaults]
//
// Types are found by name. [load.types] Where the two differ in their fields: [load.fields]
//
//   a field that the image has not    is that of the type's default value
//   one that the world has not        is left out
//   another order, or place           makes no difference
//   another kind of number            is converted; a value that cannot be is MICA_ERROR_SCHEMA
//   another count, of an array        elements that are missing are the default's; others are left out
//   another name                      is found by an alias
//   another storage                   is the world's; rows may come in another order then
//
// Any integer becomes any other in whose range it is, and any float, if that has exactly this
// value; a float becomes the nearest float, and an integer if it is one; bool becomes 0 or
// 1. [load.numbers] Enums are found by the names of their values; for an integer, they are
// one. [load.enums] Text that is too long is MICA_ERROR_SCHEMA. [load.long_text] Structs are
// matched by fields, and nothing else becomes a struct, an entity or text. [load.structs]
//
// A load may take mica_load_desc.memory_max bytes of memory beyond what the world
// has. [load.memory_max] An image that needs more fails with MICA_ERROR_LIMIT. [load.limit] Worlds
// need less than the default, unless thousands of entities are in slots far from each other
// (mica_spawn_at), or types have become hundreds of times as large. [load.default_max] Memory of
// load hooks is not counted. [load.hook_memory]
//
// All or nothing: a call that fails leaves the world as it was, whatever fails: MICA_ERROR_STREAM
// if it could not be read, _IMAGE if it is damaged, _VERSION if it is of a later version, _SCHEMA
// if types do not fit, _LIMIT, _MEMORY, _HOOK; _NULL, _DESC, _ARGUMENT, _ITERATING, _HANDLER as for
// mica_world_save(). [load.fail] Pointers into the world end. [load.pointers]
// O(everything). [load.cost]
MICA_USE_RESULT MICA_API mica_result mica_world_load(mica_world *world, const mica_stream *stream,
                                                     const mica_load_desc *desc);

// Parts: some entities of a world, saved to be loaded into another, or into the same again, beside those
// that are there.
//
//   mica_part_save(world, wagons, &(mica_stream){.path = "wagons.mica"}, NULL, NULL)
//   mica_part_load(other, &(mica_stream){.path = "wagons.mica"}, NULL, NULL, 0, NULL)
//
// A part is an image like any other, of a world that has these entities and nothing else: it can also be
// loaded with mica_world_load(), and looked into with the same tools.

// What a part that was saved or loaded has.
typedef struct mica_part {
    uint32_t entities; // facets are not among them
    uint32_t facets;
    uint32_t unnamed; // entities that were loaded without their name, which was taken
    uint64_t cut;     // references to entities that are not in it, which are none now
} mica_part;

// Saves the entities that a query matches: with all their components, also those that the query
// does not ask for; with their names; with their facets. [part.whole] A facet goes with its owner,
// whether it matches itself or not, and never alone. [part.facets] Of types the part has those that
// they have. [part.types] Resources, events and the order of groups are not in it. [part.left_out]
//
// Handles are numbered in a part, from slot 0 on. [part.handles] Fields of kind MICA_KIND_ENTITY
// follow: those that lead to an entity of the part lead there again when it is
// loaded. [part.references] All others are none in the part, and are counted (`cut`), unless they
// were none. [part.cut] Handles that no field tells of, in values that are saved as bytes or by a
// hook, are saved as they are. [part.bytes]
//
// The world does not change, nor does the moment of a query that asks for changes. [part.unchanged]
// `part_out` may be NULL. [part.no_out] Failures are those of mica_world_save(), and
// MICA_ERROR_QUERY. [part.fail] O(entities there are, and what is saved); 8 bytes of memory for
// each that matches, and a fifth of one for each that there is, beyond what mica_world_save()
// needs. [part.cost]
MICA_USE_RESULT MICA_API mica_result mica_part_save(mica_world *world, mica_query query,
                                                    const mica_stream *stream,
                                                    const mica_save_desc *desc,
                                                    mica_part *part_out);

// Loads the entities of an image beside those that the world has: of a part, or of a whole
// world. [merge.beside] They are new here, as if they had been spawned one by one in the order they
// have in the image: with the handles that the world gives out next, changed and added now;
// observers are told, when all are there. [merge.new] The first `capacity` of them are copied to
// `entities_out`, in this order, without facets. [merge.entities] Both outs may be NULL, the first
// if `capacity` is 0. [merge.no_out]
//
// References among them are those among the new ones; references to anybody else are none, and
// counted, as in a part that was saved. [merge.references] Whoever is called like somebody in the
// world makes MICA_ERROR_NAME; with mica_load_desc.drop_names, it has no name, and is
// counted. [merge.names] What else an image has (resources, events, time, the order of groups) is
// left out. [merge.left_out] Types are matched as by mica_world_load(). [merge.types]
//
// All or nothing, with the failures of mica_world_load(), and MICA_ERROR_LIMIT if there are not
// enough slots. [merge.fail] Pointers into the world end. [merge.pointers] O(image); on its way,
// what is loaded is in memory twice. [merge.cost]
MICA_USE_RESULT MICA_API mica_result mica_part_load(mica_world *world, const mica_stream *stream,
                                                    const mica_load_desc *desc,
                                                    mica_entity *entities_out, uint32_t capacity,
                                                    mica_part *part_out);

#ifdef __cplusplus
}
#endif

#endif
