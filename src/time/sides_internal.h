// Sides: the rows that may differ between two states of the mirror, with their bytes in one of them.
//
// Room:    time. Called by compare.c and hash.c.
//
//     ranges    rows of entries that some log has touched
//     side      a piece per row of a range that has an entity, in the order of entities
//     piece     a row of a table, or of the pool of one type, with a copy of its bytes
#ifndef MICAI_TIME_SIDES_INTERNAL_H
#define MICAI_TIME_SIDES_INTERNAL_H

#include "time/history_internal.h"

typedef struct micai_rows {
    const micai_entry *entry;
    uint32_t row;
    uint32_t end;
} micai_rows;

typedef struct micai_ranges {
    micai_host *host;
    MICAI_ARRAY(micai_rows) list; // by entry and row; they do not overlap
    bool parts[MICAI_PART_COUNT]; // that some log has touched
} micai_ranges;

typedef struct micai_piece {
    mica_entity entity;
    const micai_entry *entry;
    size_t place; // of its bytes: those of its strips, one after the other
} micai_piece;

typedef struct micai_side {
    micai_host *host;
    MICAI_ARRAY(micai_piece) pieces;
    micai_blob bytes;
    size_t names; // places of the parts in the bytes
    size_t facets;
    size_t resources;
} micai_side;

// Lists the rows that logs have touched, from one place on. False: MICA_ERROR_MEMORY. It adds the changes
// of each log, and joins the ranges in the end.
bool micai_ranges_collect(micai_ranges *ranges, const micai_history *history, uint32_t first_log,
                          uint32_t end_log);
bool micai_ranges_add(micai_ranges *ranges, const micai_time_log *log);
void micai_ranges_join(micai_ranges *ranges);
void micai_ranges_free(micai_ranges *ranges);

// Lists all rows and parts.
bool micai_ranges_collect_all(micai_ranges *ranges, const micai_history *history);

// Copies the rows as the mirror has them now. False: MICA_ERROR_MEMORY.
bool micai_side_copy(micai_side *side, const micai_history *history, const micai_ranges *ranges);
void micai_side_free(micai_side *side);

// Returns the entity of a row in the mirror, and appends all cells of the row to `to`.
mica_entity micai_entry_entity(const micai_entry *entry, uint32_t row);
void micai_entry_copy_row(const micai_entry *entry, uint32_t row, micai_blob *to);
uint32_t micai_entry_row_size(const micai_entry *entry); // of all cells

// A component of an entity in one state.
typedef struct micai_component {
    bool there;
    bool off;
    const void *value; // NULL: there is none, or a tag
} micai_component;

// Reads a component from the cells of a row, strip by strip. A value is assembled in `value`.
micai_component micai_component_read(const micai_entry *entry, const unsigned char *cells,
                                     const micai_type *type, unsigned char *value);

// Memory for two values of any type. `bytes` is NULL on MICA_ERROR_MEMORY.
typedef struct micai_value_memory {
    size_t size;
    size_t align;
    unsigned char *bytes;
} micai_value_memory;

micai_value_memory micai_value_memory_new(micai_host *host, const micai_registry *registry);
void micai_value_memory_free(micai_host *host, micai_value_memory *memory);

// Orders by slot, then by generation.
static inline int micai_entities_compare(mica_entity a, mica_entity b)
{
    uint64_t x = a.bits << 32 | a.bits >> 32;
    uint64_t y = b.bits << 32 | b.bits >> 32;
    return x < y ? -1 : x > y;
}

// Calls the function for each difference, until it returns false. Fails with MICA_ERROR_MEMORY.
mica_result micai_sides_compare(mica_world *world, const char *call, const micai_side *before,
                                const micai_side *after, mica_state_difference_fn *function,
                                void *user);

#endif
