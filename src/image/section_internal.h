// The sections of an image, each serialized by one function in both directions. `user` of the
// archive is the state of saving or of loading. The accessor of the other state returns NULL.
//
// Room:    image. Called by save.c and load.c.
//
//   section_slot.c   "entities": slots without entities
//   section_table.c  "tables"
//   section_pool.c   "pools", and "groups": the order of non-owning groups
//   section_rows.c   rows of both
//   section_link.c   the order of sources, in "groups"
//   section_side.c   "world", "facets", "names", "resources"
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

// Serializes a list. While saving, `next` returns the next item, or NULL after the last. `one`
// serializes an item, which is NULL while loading.
typedef void *micai_next_item_fn(const micai_saving *s, uint32_t *cursor);
typedef void micai_item_fn(micai_archive *a, void *item, void *user);
void micai_serialize_list(micai_archive *a, const char *name, uint32_t max,
                          micai_next_item_fn *next, micai_item_fn *one, void *user);

// Serializes entities in batches. While saving, there are `count`, and `call` fills in each batch.
// While loading, `call` takes each batch that was read.
typedef void micai_entities_fn(micai_archive *a, void *user, mica_entity *entities, uint32_t count);
void micai_serialize_entities(micai_archive *a, const char *name, uint32_t count,
                              micai_entities_fn *call, void *user);

// Serializes a tick, which must not be later than the world's.
void micai_serialize_tick(micai_archive *a, const char *name, uint64_t *tick);

// A batch of rows of a table or pool.
typedef struct micai_batch {
    micai_table *table;
    uint32_t count;
    uint32_t values;   // rows without holes; holes have no entity and no values
    uint64_t row_tick; // the tick of the rows
    uint64_t tick;     // the latest tick of a type that is being read
    mica_entity entities[MICAI_IMAGE_BATCH]; // set while reading, and if some rows are holes
    // Flags and ticks of the values.
    unsigned char flags[MICAI_IMAGE_BATCH];
    uint64_t changed[MICAI_IMAGE_BATCH];
    uint64_t added[MICAI_IMAGE_BATCH];
    // For saving: which rows.
    uint32_t first;
    uint32_t next;  // where to search for the next batch
    uint32_t most;  // the maximum size of a batch
    bool scattered; // rows are `numbers`; otherwise they are contiguous
    uint32_t numbers[MICAI_IMAGE_BATCH];
} micai_batch;

// Allocates a batch in the arena. Returns NULL if the archive has failed.
micai_batch *micai_batch_alloc(micai_archive *a);

static inline uint32_t micai_batch_at(const micai_batch *rows, uint32_t i)
{
    return rows->scattered ? rows->numbers[i] : rows->first + i;
}

// micai_begin_rows() begins the list of rows, and returns the number of batches to save. Each batch
// has its size, a tick and entities; `call` serializes the rest.
uint32_t micai_begin_rows(micai_archive *a, const char *name, micai_table *table,
                          micai_batch *rows);
typedef void micai_rows_fn(micai_archive *a, micai_batch *rows, void *user);
void micai_serialize_rows(micai_archive *a, const char *name, uint32_t batches, micai_batch *rows,
                          micai_rows_fn *call, void *user);

// Serializes the values of a type in a batch, with flags and ticks. Loaded values are contiguous in
// l->values. Returns true if they were loaded; the caller owns them then.
bool micai_serialize_column(micai_archive *a, micai_batch *rows, uint32_t number, uint32_t column);

// Move `count` loaded rows, from `first` of the batch, into raw rows of a table; or destroy loaded
// values.
void micai_load_store(micai_loading *l, micai_cell cell, const micai_type *type,
                      const micai_batch *rows, uint32_t first, uint32_t count,
                      unsigned char *values);
void micai_load_discard(micai_loading *l, const micai_type *type, void *values, uint32_t count);

// Adds loaded values of a type that is sparse in this world to its pool. Destroys them on failure.
void micai_load_add_to_pool(micai_loading *l, const micai_type *type, micai_batch *rows);

// Returns true if rows of the table are saved.
bool micai_save_has_rows(const micai_saving *s, const micai_table *table);

// Return how many facets are saved, and whether the resource of a type, by number, is saved.
uint32_t micai_save_count_facets(const micai_saving *s);
bool micai_save_has_resource(const micai_saving *s, uint32_t number);

void micai_serialize_world(micai_archive *a);
void micai_serialize_slots(micai_archive *a);
void micai_serialize_tables(micai_archive *a, micai_batch *rows);
void micai_serialize_pools(micai_archive *a, micai_batch *rows);
void micai_serialize_groups(micai_archive *a);
void micai_serialize_facets(micai_archive *a);
void micai_serialize_links(micai_archive *a);
void micai_serialize_names(micai_archive *a);
void micai_serialize_resources(micai_archive *a);

// Links of a world whose content is replaced: check those of the stage; reserve seats; end and begin to follow
// pools, before and after the content is exchanged; free the orders that were loaded.
void micai_links_check_loaded(micai_loading *l);
mica_result micai_links_reserve_loaded(micai_loading *l);
void micai_links_begin_loaded(micai_loading *l);
void micai_links_end_loaded(micai_loading *l);
void micai_links_free_loaded(micai_loading *l);

#endif
