// Kinds: how a column stores the values of one component. All operations on values go through the
// functions of their kind. Fast paths bypass them, but only in tables that admit it
// (micai_table.fast_paths).
//
// Room:    store/table. Implemented by kind_*.c. Called by this room, entity/ (single values, new
//          values), query/ (segments) and image/.
//
// To add a kind, write a file that defines a micai_kind, give it a number, add it to
// micai_kind_place(), and write a function that uses it. Values with hooks must be whole, in a strip
// of their type or outside. Pages are copied and enlarged without calling the kind.
//
// A strip is memory in the sheets of a table, one cell per row. A kind describes how many strips a
// column has. Code that moves rows moves strips, by cell or by page, and does not know kinds. Kinds
// move only values that are more than the bytes of their strips: `careful` strips and values
// `outside`.
//
// Rows after the last of a table, within its capacity, are raw. Their values are constructed first,
// then the row is appended. All steps that may fail come before those that cannot.
#ifndef MICAI_STORE_TABLE_KIND_H
#define MICAI_STORE_TABLE_KIND_H

#include "base/bits.h"
#include "core/field_strip.h"
#include "core/hook.h"

typedef struct micai_table micai_table;
typedef struct micai_store micai_store;
typedef struct micai_kind micai_kind;
struct micai_row;
struct micai_transition;

// Describes one page per sheet of a table. A world with many archetypes has about ten strips and
// columns in each. So they take 12 and 16 bytes, and rarely used data is found through the type.
typedef struct micai_strip {
    uint32_t size;       // size of a cell in bytes
    uint32_t offset;     // offset of the cell's bytes in the whole value
    uint16_t column;     // its column
    uint8_t align_power; // log2 of the alignment
    union {
        struct {
            bool hooked : 1;   // cells are whole values of a type with hooks, not bytes
            bool careful : 1;  // the column's kind moves the cells, which are not only bytes
            bool whole : 1;    // a cell is a whole value with a value pointer; at most one
            bool flags : 1;    // a cell is 1 if the value is disabled: toggle.h; the last strip
            bool ticks : 1;    // a cell is a tick: tick.h; two strips or none, before the flags
            bool outside : 1;  // cells are outside: the page has a tick but no memory
            bool unused_1 : 1; // always false, so that all bits can be compared at once
            bool unused_2 : 1;
        };
        uint8_t traits; // all bits
    };
} micai_strip;

static inline uint32_t micai_strip_align(const micai_strip *strip)
{
    return UINT32_C(1) << strip->align_power;
}

// Returns log2 of an alignment.
static inline uint8_t micai_align_power(size_t align)
{
    return (uint8_t)micai_bits_lowest(align);
}

// A component of a table, or the ids of its entities.
typedef struct micai_column {
    const micai_type *type; // NULL: entity ids
    uint16_t strip;         // the first strip
    uint16_t strip_count;   // adjacent strips
    uint8_t kind;           // number of its kind
    bool careful;           // its kind moves its values, which are not only bytes of strips
    bool has_disabled;      // some value may be disabled: toggle.h
} micai_column;

// One value of a table, existing or about to be created.
typedef struct micai_cell {
    micai_table *table;
    uint32_t column;
    uint32_t row;
} micai_cell;

// Some bytes of a row's value, and the distance in bytes to those of the next row.
typedef struct micai_field_span {
    unsigned char *data;
    uint32_t stride;
} micai_field_span;

// The value of a row, and the number of adjacent values from it on.
typedef struct micai_span {
    void *data;
    uint32_t count;
} micai_span;

struct micai_kind {
    const char *name;

    // Values are outside the strips, so moving a page does not move them.
    bool outside;

    // Of these, values in a ring. Those without hooks are moved as bytes, by store/table/row.
    bool ring;

    // Returns how many strips a column of the type has and describes them, unless NULL. The caller
    // sets `column`. There is at least one strip, of at least one byte.
    uint32_t (*describe)(const micai_type *type, micai_strip *strips_out);

    // Returns the value of a row and the number of adjacent values from it on. `data` is NULL if
    // values are not stored whole. Use load() then.
    micai_span (*read)(micai_cell cell);

    // Returns only the address of one value. NULL if the kind has no faster way than read().
    void *(*at)(micai_cell cell);

    // Finds `size` bytes at `offset` of a row's value, and the distance to those of the next row,
    // for as many rows as read() returns. `data` is NULL if the bytes are in several strips. Only
    // for kinds whose values are not whole.
    micai_field_span (*find)(micai_cell cell, uint32_t offset, uint32_t size);

    // Sets the tick of the values of `count` rows.
    void (*touch)(micai_cell cell, uint32_t count, uint64_t tick);

    // Returns the tick of the last write to all rows at once that touched no single row. NULL if
    // the kind has no such writes.
    uint64_t (*tick)(const micai_table *table, uint32_t column);

    // Creates the values of `count` raw rows. They are copies of the values at `data`, `stride`
    // bytes apart, or defaults (NULL). Stride 0 repeats one value. Relocates values that cannot be
    // copied. Creates all or none. Fails with MICA_ERROR_HOOK.
    mica_result (*construct)(micai_store *store, micai_cell cell, uint32_t count, const void *data,
                             uint32_t stride);

    // Destructs the values of `count` rows, which are then raw.
    void (*destruct)(micai_store *store, micai_cell cell, uint32_t count);

    // Copies a row's value to raw memory. Fails with MICA_ERROR_HOOK. Relocates a value that cannot
    // be copied, and the row is then raw.
    mica_result (*load)(micai_store *store, micai_cell cell, void *target);

    // Destructs a row's value, relocates the one at `source` into its place, and touches it.
    void (*replace)(micai_store *store, micai_cell cell, void *source, uint64_t tick);

    // take() relocates `count` adjacent values at `source` to raw rows. give() relocates the values
    // of rows to adjacent raw memory, and the rows are then raw. The caller handles flags.
    void (*take)(micai_store *store, micai_cell cell, void *source, uint32_t count);
    void (*give)(micai_store *store, micai_cell cell, void *target, uint32_t count);

    // Relocates a row's value to a raw row of the same component. Only for careful strips and kinds
    // with values outside. Stable kinds have none, because their rows stay.
    void (*move)(micai_store *store, micai_cell target, micai_cell source);

    // Reserves memory outside for `count` rows in total. Only for kinds with values outside. The
    // strips have been reserved already.
    mica_result (*reserve)(micai_store *store, micai_table *table, uint32_t column, uint32_t count);

    // Returns the new address of a value that was at `data` before the last reserve(), or NULL if
    // it was not in this column. Only for kinds with values outside. They keep the old memory until
    // the next reserve(), so that no other value can have that address.
    const void *(*follow)(const micai_table *table, uint32_t column, const void *data);

    // Frees the memory outside for rows from `count` on.
    void (*trim)(micai_store *store, micai_table *table, uint32_t column, uint32_t count);

    // Returns true if any of these bytes are in the memory outside. Only for kinds with values
    // outside.
    bool (*holds)(const micai_table *table, uint32_t column, const void *data, size_t size);

    // Updates the value pointers of the table's sheets from `first` on that have rows. Only for
    // kinds with values outside. NULL if there are no value pointers.
    void (*update_pointers)(micai_store *store, micai_table *table, uint32_t column,
                            uint32_t first);

    // Moves the memory outside to another address, if allocated (debug_relocate.h). NULL: it stays.
    void (*debug_relocate)(micai_store *store, micai_table *table, uint32_t column);

    // Ring kinds only, as micai_row_drop() and micai_row_move() of tables with such columns: only programs that
    // have some link them.
    void (*drop_row)(micai_store *store, struct micai_row row, uint64_t tick);
    void (*move_row)(micai_store *store, const struct micai_transition *t, struct micai_row row,
                     mica_view_record *record, uint64_t tick);

    // NULL: checking the strips is enough.
    mica_result (*validate)(micai_store *store, const micai_table *table, uint32_t column);
};

// Describes the strips that follow the `count` value strips in columns of every kind: ticks of rows
// and flags, if the type has them. Returns the total number of strips. `strips_out` may be NULL.
uint32_t micai_kind_describe_rest(const micai_type *type, micai_strip *strips_out, uint32_t count);

static inline uint32_t micai_kind_count_rest(const micai_type *type, uint32_t count)
{
    return count + (type->info.row_stamps ? 2u : 0u) + (type->info.toggle ? 1u : 0u);
}

// Whole values in one strip, in the pages of the sheets.
extern const micai_kind micai_kind_paged;

// One strip per field strip of a value (core/field_strip), in the pages of the sheets.
extern const micai_kind micai_kind_split;

// The values of all tables in one array: kind_ring.h.
extern const micai_kind micai_kind_ring;

// Values in blocks that never move: kind_stable.h. It shares most functions with the paged kind.
extern const micai_kind micai_kind_stable;
void micai_paged_touch(micai_cell cell, uint32_t count, uint64_t tick);
mica_result micai_paged_construct(micai_store *store, micai_cell cell, uint32_t count,
                                  const void *data, uint32_t stride);
void micai_paged_destruct(micai_store *store, micai_cell cell, uint32_t count);
mica_result micai_paged_load(micai_store *store, micai_cell cell, void *target);
void micai_paged_replace(micai_store *store, micai_cell cell, void *source, uint64_t tick);
void micai_paged_take(micai_store *store, micai_cell cell, void *source, uint32_t count);
void micai_paged_give(micai_store *store, micai_cell cell, void *target, uint32_t count);

// Columns refer to their kinds by number. Number 0 is the paged kind, which stores the ids.
enum { MICAI_KIND_PAGED, MICAI_KIND_SPLIT, MICAI_KIND_RING, MICAI_KIND_STABLE };

// Only these functions refer to the other kinds. So a program that uses none does not link it. A
// kind is used before a type of it is registered, or changes its storage.
static inline void micai_kinds_use_split(micai_registry *registry)
{
    registry->kinds[MICAI_KIND_SPLIT] = &micai_kind_split;
    registry->split = micai_field_strips_make;
}

static inline void micai_kinds_use_ring(micai_registry *registry)
{
    registry->kinds[MICAI_KIND_RING] = &micai_kind_ring;
}

static inline void micai_kinds_use_stable(micai_registry *registry)
{
    registry->kinds[MICAI_KIND_STABLE] = &micai_kind_stable;
}

static inline void micai_kinds_use_all(micai_registry *registry)
{
    micai_kinds_use_split(registry);
    micai_kinds_use_ring(registry);
    micai_kinds_use_stable(registry);
}

// micai_kind_place() returns the number of the kind for a type. This is the only place that chooses
// a kind. micai_kind_at() returns the kind with a number, for this type. In a library for tests,
// the program chooses from its own list.
#ifdef MICAI_TEST_KINDS
extern const micai_kind *const micai_kinds[];
uint8_t micai_kind_place(const micai_type *type);

static inline const micai_kind *micai_kind_at(const micai_type *type, uint8_t place)
{
    (void)type;
    return micai_kinds[place];
}
#else
static inline uint8_t micai_kind_place(const micai_type *type)
{
    switch (type->info.storage) {
    case MICA_SPLIT: return MICAI_KIND_SPLIT;
    case MICA_RING: return MICAI_KIND_RING;
    case MICA_SPARSE: return type->info.stable ? MICAI_KIND_STABLE : MICAI_KIND_PAGED;
    default: return MICAI_KIND_PAGED;
    }
}

static inline const micai_kind *micai_kind_at(const micai_type *type, uint8_t place)
{
    return place == MICAI_KIND_PAGED ? &micai_kind_paged : type->kinds[place];
}
#endif

static inline const micai_kind *micai_kind_of(const micai_type *type)
{
    return micai_kind_at(type, micai_kind_place(type));
}

static inline const micai_kind *micai_column_kind(const micai_column *column)
{
    return micai_kind_at(column->type, column->kind);
}

// Returns the size of a whole value.
static inline uint32_t micai_column_value_size(const micai_column *column)
{
    return column->type ? column->type->info.size : (uint32_t)sizeof(mica_entity);
}

#endif
