// The hash map: probing, growing, removal.
//
// Room:    base. Called by core/, store/, entity/, image/ and system/.
//
// An entry stores the low 32 bits of its hash. They give the ideal position again when the map
// grows. They also rule out all but one in four billion key comparisons.
#include "base/map.h"

#include "base/canary.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum { CAPACITY_MIN = 8 };
static const uint32_t capacity_max = UINT32_C(1) << 31;

static uint32_t entries_max(uint32_t capacity)
{
    return capacity - capacity / 4;
}

static bool is_free(const micai_map_entry *entry)
{
    return entry->value == MICAI_MAP_NONE;
}

static void free_entries(micai_map_entry *entries, uint32_t capacity)
{
    for (uint32_t i = 0; i < capacity; i++) {
        entries[i] = (micai_map_entry){0, MICAI_MAP_NONE};
    }
}

static void insert_entry(micai_map_entry *entries, uint32_t capacity, micai_map_entry entry)
{
    uint32_t mask = capacity - 1;
    uint32_t at = entry.hash & mask;
    while (!is_free(&entries[at])) {
        at = (at + 1) & mask;
    }
    entries[at] = entry;
}

uint32_t micai_map_find(const micai_map *map, uint64_t hash, micai_map_match *match,
                        const void *context, const void *key)
{
    if (map->count == 0) {
        return MICAI_MAP_NONE;
    }
    uint32_t mask = map->capacity - 1;
    uint32_t short_hash = (uint32_t)hash;
    for (uint32_t at = short_hash & mask;; at = (at + 1) & mask) {
        const micai_map_entry *entry = &map->entries[at];
        if (is_free(entry)) {
            return MICAI_MAP_NONE;
        }
        if (entry->hash == short_hash && match(context, entry->value, key)) {
            return entry->value;
        }
    }
}

// Copies the entries to a new block before it releases the old one, so a failed allocation changes
// nothing.
static bool grow(micai_host *host, micai_map *map, uint32_t capacity)
{
    micai_map_entry *entries =
        micai_alloc_array(host, capacity, sizeof *entries, _Alignof(micai_map_entry));
    if (entries == NULL) {
        return false;
    }
    free_entries(entries, capacity);
    for (uint32_t i = 0; i < map->capacity; i++) {
        if (!is_free(&map->entries[i])) {
            insert_entry(entries, capacity, map->entries[i]);
        }
    }
    micai_release(host, map->entries, map->capacity * sizeof *entries, _Alignof(micai_map_entry));
    map->entries = entries;
    map->capacity = capacity;
    return true;
}

// Returns the smallest capacity, at least that of the map, that can hold `count` entries.
static uint32_t find_capacity(uint32_t capacity, uint32_t count)
{
    capacity = capacity < CAPACITY_MIN ? CAPACITY_MIN : capacity;
    while (entries_max(capacity) < count) {
        capacity *= 2;
    }
    return capacity;
}

static bool can_hold(micai_host *host, uint32_t count, uint32_t extra)
{
    if (extra > entries_max(capacity_max) - count) {
        micai_fail_within(host, MICA_ERROR_MEMORY, "%llu entries are more than a map can hold",
                          (unsigned long long)count + extra);
        return false;
    }
    return true;
}

bool micai_map_open(micai_host *host, micai_arena *arena, uint32_t count, micai_map *map_out)
{
    *map_out = (micai_map){0};
    if (!can_hold(host, 0, count)) {
        return false;
    }
    uint32_t capacity = find_capacity(0, count);
    micai_map_entry *entries =
        micai_arena_alloc_array(host, arena, capacity, sizeof *entries, _Alignof(micai_map_entry));
    if (entries == NULL) {
        return false;
    }
    free_entries(entries, capacity);
    *map_out = (micai_map){.entries = entries, .capacity = capacity};
    return true;
}

bool micai_map_reserve(micai_host *host, micai_map *map, uint32_t extra)
{
    if (extra <= entries_max(map->capacity) - map->count) {
        return true;
    }
    return can_hold(host, map->count, extra) &&
           grow(host, map, find_capacity(map->capacity, map->count + extra));
}

void micai_map_insert(micai_map *map, uint64_t hash, uint32_t value)
{
    assert(map->count < entries_max(map->capacity) && value != MICAI_MAP_NONE);
    insert_entry(map->entries, map->capacity, (micai_map_entry){(uint32_t)hash, value});
    map->count++;
}

// Moves later entries back into the gap until a free entry ends the run. An entry may move if the
// gap lies between its ideal position and its place.
static void close_gap(micai_map_entry *entries, uint32_t mask, uint32_t gap)
{
    uint32_t at = (gap + 1) & mask;
    if (MICAI_CANARY("base.map_gap")) {
        at = gap; // that entry is freed here
        entries[at] = (micai_map_entry){0, MICAI_MAP_NONE};
    }
    for (; !is_free(&entries[at]); at = (at + 1) & mask) {
        uint32_t from_ideal = (at - entries[at].hash) & mask;
        uint32_t from_gap = (at - gap) & mask;
        if (from_ideal >= from_gap) {
            entries[gap] = entries[at];
            gap = at;
        }
    }
    entries[gap] = (micai_map_entry){0, MICAI_MAP_NONE};
}

bool micai_map_remove(micai_map *map, uint64_t hash, uint32_t value)
{
    if (map->count == 0 || value == MICAI_MAP_NONE) {
        return false;
    }
    uint32_t mask = map->capacity - 1;
    uint32_t short_hash = (uint32_t)hash;
    uint32_t at = short_hash & mask;
    while (map->entries[at].hash != short_hash || map->entries[at].value != value) {
        if (is_free(&map->entries[at])) {
            return false;
        }
        at = (at + 1) & mask;
    }
    close_gap(map->entries, mask, at);
    map->count--;
    return true;
}

void micai_map_clear(micai_map *map)
{
    free_entries(map->entries, map->capacity);
    map->count = 0;
}

void micai_map_free(micai_host *host, micai_map *map)
{
    micai_release(host, map->entries, map->capacity * sizeof *map->entries,
                  _Alignof(micai_map_entry));
    *map = (micai_map){0};
}

// H2 for the entry at `at`.
static bool is_reachable(const micai_map *map, uint32_t at)
{
    uint32_t mask = map->capacity - 1;
    for (uint32_t i = map->entries[at].hash & mask; i != at; i = (i + 1) & mask) {
        if (is_free(&map->entries[i])) {
            return false;
        }
    }
    return true;
}

mica_result micai_map_validate(micai_host *host, const micai_map *map, uint32_t limit)
{
    if ((map->capacity & (map->capacity - 1)) != 0) {
        return micai_fail_invariant(host, "H1", "a map has a capacity of %lu",
                                    (unsigned long)map->capacity);
    }
    uint32_t in_use = 0;
    for (uint32_t i = 0; i < map->capacity; i++) {
        in_use += !is_free(&map->entries[i]);
    }
    if (in_use != map->count || in_use > entries_max(map->capacity)) {
        return micai_fail_invariant(
            host, "H1", "a map of %lu entries counts %lu, with room for %lu", (unsigned long)in_use,
            (unsigned long)map->count, (unsigned long)entries_max(map->capacity));
    }
    for (uint32_t i = 0; i < map->capacity; i++) {
        if (!is_free(&map->entries[i]) && !is_reachable(map, i)) {
            return micai_fail_invariant(
                host, "H2", "entry %lu of a map is not reached from its home", (unsigned long)i);
        }
        if (!is_free(&map->entries[i]) && map->entries[i].value >= limit) {
            return micai_fail_invariant(host, "H3", "entry %lu of a map leads to %lu, beyond %lu",
                                        (unsigned long)i, (unsigned long)map->entries[i].value,
                                        (unsigned long)limit);
        }
    }
    return MICA_OK;
}
