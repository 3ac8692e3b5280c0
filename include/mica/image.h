// Images: serialize a world to a file or to memory, and load it again (snapshots, saved games).
// Parts of a world can be saved and loaded, too, like prefabs.
//
//   if (mica_world_save(world, &(mica_stream){.path = "game.mica"}, NULL) != MICA_OK) { ... }
//   if (mica_world_load(world, &(mica_stream){.path = "game.mica"}, NULL) != MICA_OK) { ... }
//
// An image contains the complete state: entities, and components of every storage, with their
// order, disabled state and change ticks. The loaded world will also create the same handles next.
// It also contains facets, names, the order of groups, ticks and time. It contains the resources
// and events of saved types (mica_type_desc.saved), and how far systems and named cursors have read
// these events (mica/event.h). So a loaded world continues exactly as the saved one would have.
// Plain cursors belong to the program: begin with new ones.
//
// An image contains no functions and no pointers. The program creates systems, queries, observers
// and hooks, before or after loading. The image has their state, by name. For a system or a named
// query, this is the moment after which changes count (mica/change_detection.h). For a manual
// phase, or one with a fixed time step, this is its time. If the program has no such name yet, the
// world keeps the state until that name is created or another image is loaded. Saving before that
// saves the state again. Queries of the same name are matched in order of creation. Everything else
// starts anew. So does a query without a name that belongs to no system: it sees all changes.
//
// An image contains its schema: its types and their fields. Types and fields are matched by name,
// so that a program with changed structs can read old images: see mica_world_load(). The bytes of
// an image are the same on every machine, whatever the byte order, padding and pointer size. The
// exception is values that are saved as bytes: see mica_world_save().
//
// Each section has checksums. Loading a damaged or malicious image fails and leaves the world as it
// was. The error is MICA_ERROR_IMAGE, or MICA_ERROR_LIMIT if it would take too much memory.
#ifndef MICA_IMAGE_H
#define MICA_IMAGE_H

#include <mica/query.h>
#include <mica/stream.h>
#include <mica/type.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of images that this library writes. It reads all versions from 1 on.
#define MICA_IMAGE_VERSION 4u

typedef enum mica_image_format {
    MICA_IMAGE_BINARY = 0,
    MICA_IMAGE_JSON, // the same content as text, to read and to compare
    MICA_IMAGE_FORMAT_COUNT
} mica_image_format;

// How to save. Zero is the default of every field.
typedef struct mica_save_desc {
    uint32_t first_zero; // must be 0

    mica_image_format format;

    uint32_t last_zero; // must be 0
} mica_save_desc;

// Saves the world to a stream: a file, memory, or a callback. [save.stream] A NULL `desc` means all
// defaults. [save.defaults]
//
// Saves values field by field. Bytes outside of fields are not saved; loading takes them from the
// default value. [save.fields] Values of a type without fields are saved as bytes if the type is
// declared plain (mica_type_desc.plain), or by its save hook (mica_hooks). If such a type has
// neither and has values, saving fails: MICA_ERROR_TYPE names the type. [save.opaque]
//
// Does not change the world. [save.unchanged] Refused during iteration (MICA_ERROR_ITERATING), and
// while commands wait. [save.refused] Fails with MICA_ERROR_NULL, _DESC, _MEMORY, _HOOK, _HANDLER;
// with _ARGUMENT for an unknown format or stream; with _STREAM if writing fails. [save.fail]
//
// O(everything). [save.cost] Needs less than 4 MiB of memory: about 1.2 MiB unless single values
// are large. A save hook that writes much may raise this to four times the bytes of one value. Each
// type adds 128 bytes, 64 bytes per field, and its default value. [save.memory]
MICA_USE_RESULT MICA_API mica_result mica_world_save(mica_world *world, const mica_stream *stream,
                                                     const mica_save_desc *desc);

// What to do with types that the image has and the world does not have.
typedef enum mica_unknown {
    MICA_UNKNOWN_REFUSED = 0, // loading fails if the image uses them: MICA_ERROR_SCHEMA
    // Register them as the image describes them, so that they are saved again. Data of a save hook
    // is kept as bytes.
    MICA_UNKNOWN_KEPT,
    MICA_UNKNOWN_DROPPED, // leave them out, as if removed from all entities
    MICA_UNKNOWN_COUNT
} mica_unknown;

// An old name of a type, or of a field.
typedef struct mica_alias {
    const char *type;  // present name of the type
    const char *field; // present name of the field; NULL: the type was renamed
    const char *was;   // old name, which the image may use
} mica_alias;

// A difference between the image and the world.
typedef enum mica_difference {
    MICA_TYPE_KEPT,       // the world did not have the type; it was added
    MICA_TYPE_DROPPED,    // the world did not have the type; it was left out
    MICA_TYPE_RENAMED,    // found by an alias
    MICA_STORAGE_CHANGED, // the type has another storage
    MICA_FIELD_ADDED,     // the image does not have the field; it gets its default
    MICA_FIELD_REMOVED,   // the world does not have the field
    MICA_FIELD_RENAMED,   // found by an alias
    MICA_FIELD_CONVERTED, // the kind or the count differs
    MICA_DIFFERENCE_COUNT
} mica_difference;

typedef struct mica_load_note {
    mica_difference what;
    const char *type;     // its name in the world, or in the image if it was dropped
    const char *field;    // NULL: the note is about the type
    const char *sentence; // "'Health.points' was u8, and is i32"
} mica_load_note;

// Called once for each difference, in the order of the image's schema, after everything is loaded.
// The note is valid until the listener returns. The listener may read the world but not change it.
typedef void mica_load_listener(mica_world *world, const mica_load_note *note, void *user);

// How to load. Zero is the default of every field.
typedef struct mica_load_desc {
    uint32_t first_zero; // must be 0

    mica_unknown unknown;
    const mica_alias *aliases;
    uint32_t alias_count;

    mica_load_listener *listener; // NULL: differences are not reported
    void *user;                   // passed to the listener

    bool drop_names; // for parts: drop names that are in use; otherwise loading fails

    // mica_world_load() notifies observers of all loaded entities, as if they had just been spawned
    // with their values. Entities that the load removes are not reported: if observers need them,
    // call mica_world_clear() first. [load.notify] mica_subset_load() always notifies observers.
    bool notify;

    // The maximum of bytes that a load may allocate; 0: 128 MiB, plus 128 bytes for each byte of
    // the image.
    uint64_t memory_max;

    uint32_t last_zero; // must be 0
} mica_load_desc;

// Loads an image, of either format, and replaces the contents of the world: its entities with their
// components and names. [load.instead] Types, queries, systems, observers, bundles, accessors and
// groups stay, and work with the loaded entities. [load.stay] Observers are not notified, unless
// `notify` asks for it. [load.observers] If a type is saved (mica_type_desc.saved) both here and in the image,
// its resource and events are replaced, or removed if the image has none. Others
// stay. [load.resources] Systems and named cursors read events of saved types on from where the
// image says. Those that the image does not have are new readers. [load.readers] Old values are
// destroyed with their hooks. [load.hooks] A NULL `desc` means all defaults. [load.defaults]
//
// Types are matched by name. [load.types] Differences in their fields: [load.fields]
//
//   a field is missing in the image   it gets the value of the type's default value
//   a field is missing in the world   it is left out
//   another order, or offset          makes no difference
//   another kind of number            is converted; MICA_ERROR_SCHEMA if a value does not fit
//   another count, of an array        missing elements get the default; others are left out
//   another name                      is found by an alias
//   another storage                   the world's is used; rows may come in another order
//
// An integer can become any integer type whose range contains it, and any float type that
// represents it exactly. A float becomes the nearest float, or an integer if it is a whole number;
// a bool becomes 0 or 1. [load.numbers] Enums are matched by the names of their values, and count
// as integers if the other side is an integer. [load.enums] Text that is too long fails with
// MICA_ERROR_SCHEMA. [load.long_text] Structs are matched by fields. No other kind is converted to
// a struct, an entity or text. [load.structs]
//
// A load may take mica_load_desc.memory_max bytes of memory in addition to the world's present
// memory. [load.memory_max] An image that needs more fails with MICA_ERROR_LIMIT. [load.limit]
// Worlds need less than the default, unless thousands of entities have slots far from each other
// (mica_spawn_at), or types have become hundreds of times larger. [load.default_max] Memory of load
// hooks is not counted. [load.hook_memory]
//
// All or nothing: any failure leaves the world as it was. Fails with MICA_ERROR_STREAM if reading
// fails, _IMAGE if the image is damaged, and _SCHEMA if types do not fit. Fails with _VERSION if
// its version is later than MICA_IMAGE_VERSION. Fails with _LIMIT, _MEMORY, _HOOK, and with _NULL,
// _DESC, _ARGUMENT, _ITERATING, _HANDLER like mica_world_save(). [load.fail] Invalidates pointers
// into the world. [load.pointers] O(everything). [load.cost]
MICA_USE_RESULT MICA_API mica_result mica_world_load(mica_world *world, const mica_stream *stream,
                                                     const mica_load_desc *desc);

// Parts: save some entities of a world, and load them into another world, or into the same one, in
// addition to its entities.
//
//   mica_subset_save(world, wagons, &(mica_stream){.path = "wagons.mica"}, NULL, NULL)
//   mica_subset_load(other, &(mica_stream){.path = "wagons.mica"}, NULL, NULL, 0, NULL)
//
// A part is an ordinary image of a world that has only these entities. mica_world_load() and all
// tools for images accept it.

// Statistics of a saved or loaded part.
typedef struct mica_subset_stats {
    uint32_t entities; // facets are not counted
    uint32_t facets;
    uint32_t unnamed; // entities that were loaded without their name, because it was in use
    uint64_t
        lost_references; // references to entities outside of the part, which became null handles
} mica_subset_stats;

// Saves the entities that a query matches, with their names, their facets and all their components,
// also those that the query does not name. [part.whole] A facet is saved exactly if its owner is,
// whether the facet matches or not. [part.facets] The part has the types of these
// entities. [part.types] Resources, events and the order of groups are not saved. [part.left_out]
//
// A part numbers its handles from slot 0 on. [part.handles] Fields of kind MICA_KIND_ENTITY are
// adjusted: references to an entity of the part refer to it again after loading. [part.references]
// All other references become null handles and are counted (`lost_references`), unless they were
// null. [part.lost_references] Handles in values that are saved as bytes or by a hook are saved
// unchanged. [part.bytes]
//
// Does not change the world, nor the moment of a query with change filters. [part.unchanged]
// `stats_out` may be NULL. [part.no_out] Fails with the errors of mica_world_save(), and with
// MICA_ERROR_QUERY. [part.fail] O(all entities and the saved data). In addition to
// mica_world_save(), needs 8 bytes of memory for each matching entity, and a fifth of a byte for
// each entity of the world. [part.cost]
MICA_USE_RESULT MICA_API mica_result mica_subset_save(mica_world *world, mica_query query,
                                                      const mica_stream *stream,
                                                      const mica_save_desc *desc,
                                                      mica_subset_stats *stats_out);

// Loads the entities of an image, which is a part or a whole world, in addition to the world's
// own. [merge.beside] They are new entities, as if they had been spawned one by one in the order of
// the image. They get the next handles of the world, and count as changed and added now. Observers
// are notified after all have been created. [merge.new] Copies the first `capacity` handles to
// `entities_out`, in this order, without facets. [merge.entities] `stats_out` may be NULL, and so
// may `entities_out` if `capacity` is 0. [merge.no_out]
//
// References between the loaded entities refer to the new handles. Other references become null
// handles and are counted, as for a saved part. [merge.references] Fails with MICA_ERROR_NAME if a
// name is in use in the world. With mica_load_desc.drop_names, the new entity then has no name, and
// is counted (`unnamed`). [merge.names] Other contents of the image (resources, events, time, the
// order of groups) are ignored. [merge.left_out] Types are matched as in
// mica_world_load(). [merge.types]
//
// All or nothing, with the errors of mica_world_load(), and MICA_ERROR_LIMIT if there are not
// enough slots. [merge.fail] Invalidates pointers into the world. [merge.pointers] O(image). While
// loading, the data is in memory twice. [merge.cost]
MICA_USE_RESULT MICA_API mica_result mica_subset_load(mica_world *world, const mica_stream *stream,
                                                      const mica_load_desc *desc,
                                                      mica_entity *entities_out, uint32_t capacity,
                                                      mica_subset_stats *stats_out);

#ifdef __cplusplus
}
#endif

#endif
