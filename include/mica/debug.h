// Debugging: statistics, hashes, freeing unused memory, printing.
#ifndef MICA_DEBUG_H
#define MICA_DEBUG_H

#include <mica/component.h>
#include <mica/memory.h>
#include <mica/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_world_stats {
    uint32_t entities;   // alive; facets are not counted
    uint32_t facets;     // alive
    uint32_t types;      // registered
    uint32_t tables;     // existing, also empty ones
    uint32_t rows;       // in all tables
    uint32_t queries;    // existing: all that mica_query_next() returns, also those of systems
                         // [stats.queries]
    uint32_t observers;  // existing
    uint64_t row_moves;  // total of rows that structural changes copied within or between tables
                         // [stats.row_moves]
    uint64_t page_moves; // total of whole pages moved from table to table [stats.page_moves]
    uint64_t ring_moves; // total of values moved within rings to compact them [stats.ring_moves]
    uint64_t commands;   // total of applied commands [stats.commands]
    uint64_t commands_dropped; // total of commands that were dropped because of dead entities
    mica_memory_stats memory;
} mica_world_stats;

typedef struct mica_type_stats {
    uint32_t tables; // tables that have the type
    uint32_t rows;   // entities that have it
    size_t bytes;    // column memory, used or reserved
} mica_type_stats;

// Return statistics of the world, in O(1), and of a type, in O(tables). [stats.cost] All zero on
// failure. [stats.fail]
MICA_API mica_world_stats mica_world_get_stats(mica_world *world);
MICA_API mica_type_stats mica_type_get_stats(mica_world *world, mica_type type);

// Returns a hash of the world's logical content. It covers all living entities: their handles and
// names, and the owners and keys of facets. For each component it includes the type name, field
// values and whether it is disabled. It also includes the type names and field values of all
// resources. [hash.content] It does not depend on the order of rows, tables, or types, the storage,
// the page size, the padding, or the byte order. [hash.same] Types without fields are hashed by
// their bytes. [hash.bytes] O(everything). [hash.cost] This hash and the digest are 0 on failure:
// MICA_ERROR_NULL, _HOOK. The hash also fails with MICA_ERROR_MEMORY if there is no memory to
// assemble a split value; the digest needs no memory. [hash.fail]
MICA_API uint64_t mica_world_hash(mica_world *world);

// Returns a hash of the exact state, for determinism tests. It also includes row order, free and
// retired slots, generations and ticks. It includes the order of the tables, even of empty ones, and
// which types are split. [digest.exact] It leaves out padding, and bytes after the end of a
// text. [digest.padding] Worlds with the same history have the same digest. [digest.same]
MICA_API uint64_t mica_world_digest(mica_world *world);

// Frees unused memory. It removes tables without rows, which are created again when needed. It
// frees capacity of tables, reserved or not, and memory of commands and events if no commands wait
// and no events exist. It frees cached transitions between tables (edges of the archetype graph)
// that no change has used since the last call. It also frees entity slots, in blocks of 4,096
// without a living entity. It keeps up to 2 MiB of these in a world that had more than 262,144
// entities. [reclaim.unused]
//
// Values may move in memory. [reclaim.moves] Later entities use the freed slots like new ones: in
// ascending order, and only when no slot of a despawned entity waits for reuse. Old handles to
// these slots stay invalid. [reclaim.slots] O(everything). [reclaim.cost] Fails with
// MICA_ERROR_ITERATING during iteration. [reclaim.iterating] Fails with MICA_ERROR_MEMORY if it has
// no memory to move values to. It has then freed some memory; the contents of the world are
// unchanged. Fails with MICA_ERROR_HOOK inside a hook. [reclaim.fail]
MICA_API mica_result mica_world_reclaim(mica_world *world);

// Compacts the rings of MICA_RING components: moves the values of each ring together without gaps,
// table by table. [rings.together] Entities that were added since the last time may have their
// values elsewhere in the ring; removed ones leave holes. Until a ring is compacted, iterating it
// takes more segments; nothing else changes. [rings.segments] Calling this is optional. A step
// begins with it. Calls that change many entities (mica_spawn_many, mica_despawn_many, mica_add_all
// and the like), and applied commands, end with it. They do so only if they change at least as many
// entities as there are tables with the component. [rings.when]
//
// Values move in memory. A table moves about one value for each entity that was added to or removed
// from it and the tables before it. [rings.moves] Fails with MICA_ERROR_MEMORY if an array cannot
// grow. Some rings are then not compacted; the contents of the world do not change. [rings.memory]
// Steps and other calls that compact rings ignore this failure. [rings.silent] Fails with
// MICA_ERROR_ITERATING during iteration, and with MICA_ERROR_HOOK inside a hook. [rings.fail]
MICA_API mica_result mica_world_compact(mica_world *world);

// Print text for people. An entity is one line with its name and its components. A world is a line
// for each table or pool of values, and for each resource. [print.line] A field that is an entity
// is printed as its name, or as "12.3", "12.3 (dead)", "none". [print.entity] Names and texts are
// quoted as by mica_text_quote(). So the output stays one line, and contains no control sequences
// for terminals. [print.quotes]
//
// `stream` is the destination (mica/stream.h): a path, a buffer or a callback. NULL means standard
// output, also from a debugger: `call mica_entity_print(world, e, 0)`. [print.stream] In a buffer,
// the text is a C string: a zero follows it.
//
//   mica_buffer text = {0};
//   mica_entity_print(world, e, &(mica_stream){.buffer = &text});
//   draw_text((const char *)text.data);
//   mica_buffer_free(&text);
//
// They fail with MICA_ERROR_NULL, and with MICA_ERROR_HOOK inside a hook of a type. They fail with
// MICA_ERROR_MEMORY if there is no memory for a stream, or to assemble a split value. A wrong
// stream, or one that cannot be written, fails with MICA_ERROR_DESC, _ARGUMENT or _STREAM. A failed
// call prints nothing; a path or buffer keeps its old content. [print.fail]
MICA_API mica_result mica_entity_print(mica_world *world, mica_entity entity,
                                       const mica_stream *stream);
MICA_API mica_result mica_world_print(mica_world *world, const mica_stream *stream);

// Writes a text, such as a field of characters, in double quotes and safe to print. The text ends
// after `count` bytes or at the first zero. [quote.text] Double quotes, backslashes, control
// characters and bytes that are not UTF-8 are written in hexadecimal, as \x0a, two digits for each
// byte. [quote.numbers] Truncates to `size` bytes including the terminating zero, and returns the
// length of the whole text without that zero. [quote.length] `bytes` may be NULL if `count` is 0,
// and `text` if `size` is 0. [quote.null] Returns 0 on failure: MICA_ERROR_NULL. [quote.fail]
MICA_API size_t mica_text_quote(const void *bytes, size_t count, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
