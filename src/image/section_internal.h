// Sections of an image that are walked by one function in both directions. Each gets what it needs from the user of
// the archive: saving or loading, of which the other is NULL.
//
// Room:    image. Called by save.c and load.c.
//
//   section_slot.c   "entities": slots without entities
//   section_table.c  "tables"
//   section_pool.c   "pools", and "groups": the order of those that own nothing
//   section_rows.c   rows of both
//   section_side.c   "world", "facets", "names", "resources": what is kept beside rows
#ifndef MICAI_IMAGE_SECTION_INTERNAL_H
#define MICAI_IMAGE_SECTION_INTERNAL_H

#include "image/load_internal.h"
#include "image/save_internal.h"

static inline micai_saving *micai_saving_of(const micai_archive *a)
{
    return a->reading ? NULL : a->user;
}

static inline micai_loading *micai_loading_of(const micai_archive *a)
{
    return a->reading ? a->user : NULL;
}

static inline micai_arena *micai_arena_of(const micai_archive *a)
{
    return a->reading ? &micai_loading_of(a)->arena : &micai_saving_of(a)->arena;
}

// A list, written or read. `next` is the next item that is saved, NULL after the last; `one` serializes an item: NULL, it
// is read.
typedef void *micai_next_item(const micai_saving *s, uint32_t *cursor);
typedef void micai_one_item(micai_archive *a, void *item, void *user);
void micai_serialize_list(micai_archive *a, const char *name, uint32_t max, micai_next_item *next,
                          micai_one_item *one, void *user);

// Some entities at once, all in all `count` if they are written: `some` fills them in, or takes those that were read.
typedef void micai_some_entities(micai_archive *a, void *user, mica_entity *entities,
                                 uint32_t count);
void micai_serialize_entities(micai_archive *a, const char *name, uint32_t count,
                              micai_some_entities *some, void *user);

// A tick, no later than that of the world.
void micai_serialize_tick(micai_archive *a, const char *name, uint64_t *tick);

// Rows of a table, or of a pool, that come at once.
typedef struct micai_batch {
    micai_table *table;
    uint32_t count;
    uint32_t values; // fewer than rows if some are holes, which have no entity
    uint64_t came;   // their tick
    uint64_t tick;   // the latest of what is read of a type
    mica_entity entities[MICAI_IMAGE_BATCH]; // set if they are read, or some are holes
    // What comes with values
    unsigned char flags[MICAI_IMAGE_BATCH];
    uint64_t changed[MICAI_IMAGE_BATCH];
    uint64_t added[MICAI_IMAGE_BATCH];
    // Writing: which rows they are
    uint32_t first;
    uint32_t next; // from which on the next are looked for
    uint32_t most; // at once
    bool picked;   // they are `numbers`; else, they follow one another
    uint32_t numbers[MICAI_IMAGE_BATCH];
} micai_batch;

// Room for some, which is of the arena. NULL: it has failed.
micai_batch *micai_batch_alloc(micai_archive *a);

static inline uint32_t micai_batch_at(const micai_batch *rows, uint32_t i)
{
    return rows->picked ? rows->numbers[i] : rows->first + i;
}

// Begins the list of rows of a table, which is written: returns in how many batches they come. Of each come how many they
// are, a tick, and entities; then `some` has the rest.
uint32_t micai_begin_rows(micai_archive *a, const char *name, micai_table *table,
                          micai_batch *rows);
typedef void micai_some_rows(micai_archive *a, micai_batch *rows, void *user);
void micai_serialize_rows(micai_archive *a, const char *name, uint32_t batches, micai_batch *rows,
                          micai_some_rows *some, void *user);

// The values of a type in rows, with flags and ticks. Those that were read are side by side in l->values. True: they
// are there, and the caller's.
bool micai_serialize_column(micai_archive *a, micai_batch *rows, uint32_t number, uint32_t column);

// What was read of `count` rows from number `first` on, into raw rows; or their values end.
void micai_load_put(micai_loading *l, micai_cell cell, const micai_type *type,
                    const micai_batch *rows, uint32_t first, uint32_t count, unsigned char *values);
void micai_load_discard(micai_loading *l, const micai_type *type, void *values, uint32_t count);

// What was read of a type that is sparse here joins its pool; or, if it fails, its values end.
void micai_load_join(micai_loading *l, const micai_type *type, micai_batch *rows);

// Are rows of a table saved?
bool micai_save_has_rows(const micai_saving *s, const micai_table *table);

// How many facets are saved; and whether there is a resource of a type, by number, that is.
uint32_t micai_save_count_facets(const micai_saving *s);
bool micai_save_has_resource(const micai_saving *s, uint32_t number);

void micai_serialize_world(micai_archive *a);
void micai_serialize_slots(micai_archive *a);
void micai_serialize_tables(micai_archive *a, micai_batch *rows);
void micai_serialize_pools(micai_archive *a, micai_batch *rows);
void micai_serialize_groups(micai_archive *a);
void micai_serialize_facets(micai_archive *a);
void micai_serialize_names(micai_archive *a);
void micai_serialize_resources(micai_archive *a);

#endif
