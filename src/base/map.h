// A hash map from keys that live elsewhere to 32-bit numbers: a name to a type, a set to a table.
// The map stores hash and number only; whoever asks brings the hash and a way to tell whether the
// thing of a given number has the key that is looked for.
//
// Room:    base. Called by core/ (types by name), store/ (tables by set), world/ (entities by
// name).
//
// Open addressing with linear probing; removal shifts followers back, so that there are no
// tombstones and a map that shrinks is as fast as one that never grew.
//
// Invariants, swept by micai_map_validate():
//   H1  `count` entries are in use, at most three quarters of `capacity`, a power of two or 0.
//   H2  every entry is reached from its home (hash modulo capacity) without crossing a free entry.
//   H3  numbers are of things that there are.
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

// Has the thing numbered `value` the key that is looked for?
typedef bool micai_map_match(const void *context, uint32_t value, const void *key);

// The number; MICAI_MAP_NONE if there is none.
uint32_t micai_map_find(const micai_map *map, uint64_t hash, micai_map_match *match,
                        const void *context, const void *key);

// A map for up to `count` entries, in an arena: it is not freed, and nothing more is reserved. False on
// refusal, which has been reported.
bool micai_map_open(micai_host *host, micai_arena *arena, uint32_t count, micai_map *map_out);

// Room for `extra` more entries. False on refusal, which has been reported.
bool micai_map_reserve(micai_host *host, micai_map *map, uint32_t extra);

// Room must have been reserved and the key must be new. Cannot fail.
void micai_map_insert(micai_map *map, uint64_t hash, uint32_t value);

// The entry with this hash and number; false if there is none.
bool micai_map_remove(micai_map *map, uint64_t hash, uint32_t value);

void micai_map_clear(micai_map *map);
void micai_map_free(micai_host *host, micai_map *map);

// Numbers must be below `limit`.
mica_result micai_map_validate(micai_host *host, const micai_map *map, uint32_t limit);

#endif
