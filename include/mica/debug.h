// Looking inside: figures, hashes, invariants, printers.
#ifndef MICA_DEBUG_H
#define MICA_DEBUG_H

#include <mica/component.h>
#include <mica/memory.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_stats {
    uint32_t entities;   // alive, without facets
    uint32_t facets;     // of them
    uint32_t types;      // registered
    uint32_t tables;     // existing, empty ones included
    uint32_t rows;       // in all tables
    uint32_t queries;    // existing: all of mica_query_next(), those of systems included
                         // [stats.queries]
    uint32_t observers;  // existing
    uint64_t row_moves;  // rows copied within or between tables by structural changes, ever
                         // [stats.row_moves]
    uint64_t page_moves; // whole pages handed from table to table, ever [stats.page_moves]
    uint64_t ring_moves; // values moved within rings by settling them, ever [stats.ring_moves]
    uint64_t commands;   // carried out, ever; and dropped, because the entity was dead by then
                         // [stats.commands]
    uint64_t commands_dropped;
    mica_memory_stats memory;
} mica_stats;

typedef struct mica_type_stats {
    uint32_t tables; // tables that have the type
    uint32_t rows;   // entities that have it
    size_t bytes;    // of column memory, used or kept ready
} mica_type_stats;

// O(1); O(tables) for the second. [stats.cost] Zeroes on failure. [stats.fail]
MICA_API mica_stats mica_world_stats(mica_world *world);
MICA_API mica_type_stats mica_type_get_stats(mica_world *world, mica_type type);

// The logical content: a sum over all living entities of a hash of handle, name, owner and key of a
// facet, and each component's type name, field values and whether it is disabled; and over all
// resources of their type's name and field values. [hash.content] The same whatever the order of
// rows, tables, or types, the storage, the page size, the padding, the byte order. [hash.same] (A
// type without fields counts by its bytes.) [hash.bytes] O(everything). [hash.cost] Both are 0 on
// failure: MICA_ERROR_NULL, _HOOK, and MICA_ERROR_MEMORY if there is none to put a split value
// together. [hash.fail]
MICA_API uint64_t mica_world_hash(mica_world *world);

// The exact state, for determinism tests: also row order, free and retired slots, generations,
// ticks, and which tables there are, in which order, be they empty. [digest.exact] Worlds of the
// same history have the same digest. [digest.same]
MICA_API uint64_t mica_world_digest(mica_world *world);

// Gives back what is not used: tables without rows, which come back when they are needed; room in
// tables, reserved or not; slots of entities, where of 4,096 neighbours nobody lives, but for up to
// 2 MiB in a world that had more than 262,144 entities; ways from table to table that no change has
// taken since the last time; that of commands, where none wait, and of events, where there are
// none. [reclaim.unused]
//
// Values may move in memory for that. [reclaim.moves] Slots that were given back are used as if
// they were new, after those freed otherwise and lowest first; handles of their dead stay
// dead. [reclaim.slots] O(everything). [reclaim.cost] MICA_ERROR_ITERATING during
// iteration. [reclaim.iterating] MICA_ERROR_MEMORY if there was none to move values to: then some
// is given back, and the world is as it was; MICA_ERROR_HOOK from inside a hook. [reclaim.fail]
MICA_API mica_result mica_world_reclaim(mica_world *world);

// Settles the rings of components that are MICA_RING: brings the values of each together, those of
// one set of components behind those of another, with nothing between them. [rings.together]
// Entities that came or went since the last time have their values elsewhere, or have left holes;
// until a ring is settled it is iterated in more segments, and everything else is the
// same. [rings.segments] Nobody need call this: a step begins with it, and what changes many at
// once (mica_spawn_many, mica_despawn_many, mica_add_all and the like, and commands that are
// carried out) ends with it, where it changed at least as many entities as there are sets of
// components with the type. [rings.when]
//
// Values move in memory for that: as few of a set as entities came or went before it, and a bit
// more for its own. [rings.moves] MICA_ERROR_MEMORY if an array had to grow and could not: then
// some are not settled, and the world is as it was. [rings.memory] Steps and other calls do not say
// so, and go on. [rings.silent] MICA_ERROR_ITERATING during iteration; MICA_ERROR_HOOK from inside
// a hook. [rings.fail]
MICA_API mica_result mica_world_settle(mica_world *world);

// Print text for people: a line about an entity, with its name and its components; and a line for
// each place where values are kept, and for each resource. [print.line] A field that is an entity
// is printed as its name, or as "12.3", "12.3 (dead)", "none". [print.entity] Names and texts are
// in quotes, as mica_text_quote() writes them: whatever they contain, it is one line, and a
// terminal does not obey it. [print.quotes]
//
// Each comes in three forms, as C's own printf() does: to standard output, also from a debugger
// (`call mica_entity_print(world, e)`); to a file; and into `text`, cut to `size` bytes, the zero
// at its end included. [print.forms] The last returns how long the whole is, without that zero; to
// ask for nothing else, `text` may be NULL if `size` is 0. [print.length] Failures: MICA_ERROR_NULL
// for no file, or no text; MICA_ERROR_HOOK inside a hook of a type; MICA_ERROR_MEMORY if there is
// none to put a split value together; nothing is printed then, and the length is 0. [print.fail]
// What a file refuses, ferror() tells. [print.file]
MICA_API void mica_entity_print(mica_world *world, mica_entity entity);
MICA_API mica_result mica_entity_fprint(mica_world *world, mica_entity entity, FILE *file);
MICA_API size_t mica_entity_snprint(mica_world *world, mica_entity entity, char *text, size_t size);
MICA_API void mica_world_print(mica_world *world);
MICA_API mica_result mica_world_fprint(mica_world *world, FILE *file);
MICA_API size_t mica_world_snprint(mica_world *world, char *text, size_t size);

// Writes a text, as from a field of characters, in double quotes and safe to print: up to `count`
// bytes, or the first zero among them. [quote.text] Double quotes, backslashes, control characters
// and bytes that are not UTF-8 are written by number, as \x0a: two hexadecimal digits for each
// byte. [quote.numbers] Cut to `size` bytes, the zero at its end included; returns how long the
// whole is, without that zero. [quote.length] `bytes` may be NULL if `count` is 0, and `text` if
// `size` is 0. [quote.null] 0 on failure: MICA_ERROR_NULL. [quote.fail]
MICA_API size_t mica_text_quote(const void *bytes, size_t count, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
