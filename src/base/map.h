// A hash map to 32-bit numbers, from keys that are stored elsewhere: a name to a type, a set to a
// table. The map stores only the hash and the number. The caller passes the hash and a function
// that compares the key of a number.
//
// Room:    base. Called by core/ (types by name), store/ (tables by set), entity/ (entities by name),
//          image/ and system/.
//
// The map uses open addressing with linear probing. Removal shifts later entries back, so there are
// no tombstones. A map that shrank is as fast as one that never grew.
//
// Invariants, swept by micai_map_validate():
//   H1  `count` entries are in use, at most three quarters of `capacity`. The capacity is a power
//       of two or 0.
//   H2  No free entry lies between an entry and its ideal position (hash modulo capacity).
//   H3  Numbers are below the limit that the owner passes.
#ifndef MICAI_BASE_MAP_H
#define MICAI_BASE_MAP_H

#include "base/arena.h"

#define MICAI_MAP_NONE UINT32_MAX

typedef struct micai_map_entry {
    uint32_t hash;
    uint32_t value; // MICAI_MAP_NONE: free
} micai_map_entry;

typedef struct micai_map {
    micai_map_entry *entries;
    uint32_t count;
    uint32_t capacity;
} micai_map;

// Returns true if the item with number `value` has this key.
typedef bool micai_map_match(const void *context, uint32_t value, const void *key);

// Returns the number, or MICAI_MAP_NONE.
uint32_t micai_map_find(const micai_map *map, uint64_t hash, micai_map_match *match,
                        const void *context, const void *key);

// Creates a map for up to `count` entries in an arena. It must be neither freed nor grown. Returns
// false on failure, which is reported.
bool micai_map_open(micai_host *host, micai_arena *arena, uint32_t count, micai_map *map_out);

// Reserves capacity for `extra` more entries. Returns false on failure, which is reported.
bool micai_map_reserve(micai_host *host, micai_map *map, uint32_t extra);

// Capacity must be reserved, and the key must be new. Cannot fail.
void micai_map_insert(micai_map *map, uint64_t hash, uint32_t value);

// Removes the entry with this hash and number. Returns false if the map has no such entry.
bool micai_map_remove(micai_map *map, uint64_t hash, uint32_t value);

void micai_map_clear(micai_map *map);
void micai_map_free(micai_host *host, micai_map *map);

// Every number must be below `limit`.
mica_result micai_map_validate(micai_host *host, const micai_map *map, uint32_t limit);

#endif
