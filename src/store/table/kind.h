// Kinds of column: how the values of one component are kept for the rows of a table. Everything that
// is done to values goes through the functions of their kind, but for short cuts, which are taken
// only where a table was admitted to them (micai_table.quick).
//
// Room:    store/table. Signed by kind_*.c; called by this room, by world/ (value, plan,
//          spawn) and by query/ (spans).
//
// To add a kind: a file that defines a micai_kind, its place in micai_kinds, and a line in
// micai_kind_place(). Values of types with hooks lie whole, in a strip of their type or outside: pages are
// copied and enlarged without asking the kind.
//
// Memory that lies in the sheets of a table, a cell per row, is a strip. A column has as many as its
// kind describes. What moves rows moves strips, cell by cell or page by page, and knows nothing of
// kinds; only values that are more than the bytes of their strips are moved by their kind (`careful`
// strips, and kinds whose values lie `outside`).
//
// Rows behind the last of a table, for which room was made, are raw: their values are made first and
// the row joins the table afterwards. Whatever may fail comes before whatever may not.
#ifndef MICAI_STORE_TABLE_KIND_H
#define MICAI_STORE_TABLE_KIND_H

#include "base/bits.h"
#include "core/hook.h"

typedef struct micai_table micai_table;
typedef struct micai_store micai_store;
typedef struct micai_kind micai_kind;

// What has a page in every sheet of a table. A world of many kinds of entity has ten of these, and of columns,
// for each of them: so they have 12 and 16 bytes, and what is seldom asked is found through the type.
typedef struct micai_strip {
    uint32_t size;       // of a cell
    uint32_t offset;     // of what it has of a value, in that
    uint16_t column;     // whose it is
    uint8_t align_power; // of two: its alignment
    union {
        struct {
            bool hooked : 1;  // cells are whole values of a type that has hooks; else, their bytes
            bool careful : 1; // cells are not moved as bytes: the column's kind does it
            bool whole : 1;   // a cell is a value: spots lead there. At most one strip of a column
            bool flags : 1; // a cell says if the value is disabled: toggle.h. At most one, the last
            bool ticks : 1; // a cell is a tick: tick.h. None or two, the last but for flags
            bool outside : 1;  // has no pages, but ticks: its cells lie outside
            bool unused_1 : 1; // false, as is the next one: so all can be compared at once
            bool unused_2 : 1;
        };
        uint8_t traits; // all of them
    };
} micai_strip;

static inline uint32_t micai_strip_align(const micai_strip *strip)
{
    return UINT32_C(1) << strip->align_power;
}

// The power of two that an alignment is.
static inline uint8_t micai_align_power(size_t align)
{
    return (uint8_t)micai_bits_lowest(align);
}

// A component of a table, or the ids of its entities.
typedef struct micai_column {
    const micai_type *type; // NULL: entity ids
    uint16_t strip;         // its first one
    uint16_t strip_count;   // side by side
    uint8_t kind;           // its place in micai_kinds
    bool has_disabled;      // some value may be disabled: toggle.h
} micai_column;

// One value of a table, present or to be.
typedef struct micai_cell {
    micai_table *table;
    uint32_t column;
    uint32_t row;
} micai_cell;

// Some bytes of a row's value, and how many bytes further those of the next row are.
typedef struct micai_part {
    unsigned char *data;
    uint32_t stride;
} micai_part;

// A row and how many follow it side by side.
typedef struct micai_span {
    void *data;
    uint32_t count;
} micai_span;

struct micai_kind {
    const char *name;

    // Values lie outside the strips: no row changes hands with its page.
    bool outside;

    // Layout: how many strips a column of the type has, and what they are, unless NULL. `column`
    // is for the caller to fill in. At least one, of at least a byte.
    uint32_t (*describe)(const micai_type *type, micai_strip *strips_out);

    // Read span: where a row's value is, and how many rows follow it side by side. NULL data where
    // values do not lie whole: load() then.
    micai_span (*read)(micai_cell cell);

    // The first half of that alone, for who wants one value; NULL: nobody knows it quicker.
    void *(*at)(micai_cell cell);

    // Where `size` bytes at `offset` of a row's value are, and how far it is to the next row's, for
    // as many rows as a read span has. NULL data: they are in several pieces. Only for kinds whose
    // values do not lie whole.
    micai_part (*find)(micai_cell cell, uint32_t offset, uint32_t size);

    // The tick of having written the values of `count` rows.
    void (*touch)(micai_cell cell, uint32_t count, uint64_t tick);

    // The tick of a write to the values of all rows at once, for which no row was touched; NULL: there
    // are none such.
    uint64_t (*tick)(const micai_table *table, uint32_t column);

    // Makes the values of `count` raw rows: copies of values at `data`, `stride` bytes from one to
    // the next (0: the same one for all), or of defaults (NULL). Values that cannot be copied are
    // relocated. All or none. MICA_ERROR_HOOK.
    mica_result (*make)(micai_store *store, micai_cell cell, uint32_t count, const void *data,
                        uint32_t stride);

    // Ends the values of `count` rows, which are raw then.
    void (*end)(micai_store *store, micai_cell cell, uint32_t count);

    // Makes a copy of a row's value in raw memory: MICA_ERROR_HOOK. A value that cannot be copied is
    // relocated there, and the row is raw.
    mica_result (*load)(micai_store *store, micai_cell cell, void *target);

    // Ends a row's value and relocates the one at `source` into its place, and touches it.
    void (*replace)(micai_store *store, micai_cell cell, void *source, uint64_t tick);

    // Relocates `count` values, side by side at `source`, into raw rows; and values of rows to raw memory,
    // side by side: the rows are raw then. Flags are the caller's business.
    void (*take)(micai_store *store, micai_cell cell, void *source, uint32_t count);
    void (*give)(micai_store *store, micai_cell cell, void *target, uint32_t count);

    // Relocates a row's value to a raw row of the same component. Only for careful strips and for
    // kinds that keep values outside, but for stable ones, whose rows stay.
    void (*move)(micai_store *store, micai_cell target, micai_cell source);

    // Room outside for `count` rows in all. Only for kinds that keep values outside: the strips
    // have got theirs.
    mica_result (*reserve)(micai_store *store, micai_table *table, uint32_t column, uint32_t count);

    // Where a value is that lay at `data` before room was made last; NULL: it did not lie in this
    // column then. Only for kinds that keep values outside, which do not give the memory back
    // before room is made again: else somebody else's value might lie there.
    const void *(*follow)(const micai_table *table, uint32_t column, const void *data);

    // Gives back what is kept outside for rows from `count` on.
    void (*trim)(micai_store *store, micai_table *table, uint32_t column, uint32_t count);

    // Does any of these bytes lie in what is kept outside? Only for kinds that do so.
    bool (*holds)(const micai_table *table, uint32_t column, const void *data, size_t size);

    // Leads the spots of sheets from number `first` of the table on, as far as they have rows, to where
    // their values are, or nowhere. Only for kinds that keep values outside; NULL: there are no spots.
    void (*show)(micai_store *store, micai_table *table, uint32_t column, uint32_t first);

    // Moves what is kept outside to other memory, if there is some: debug_relocate.h. NULL: it stays.
    void (*debug_relocate)(micai_store *store, micai_table *table, uint32_t column);

    // NULL: nothing but what the strips are swept for.
    mica_result (*validate)(micai_store *store, const micai_table *table, uint32_t column);
};

// What columns of every kind have behind the `count` strips of their values, if their type wants it: ticks of
// rows, flags. Describes them, unless NULL; returns how many strips that makes.
uint32_t micai_kind_describe_rest(const micai_type *type, micai_strip *strips_out, uint32_t count);

static inline uint32_t micai_kind_count_rest(const micai_type *type, uint32_t count)
{
    return count + (type->info.row_stamps ? 2u : 0u) + (type->info.toggle ? 1u : 0u);
}

// Each row's value whole, in one strip, in the pages of the sheets.
extern const micai_kind micai_kind_paged;

// A strip for each piece of a value (core/piece), in the pages of the sheets.
extern const micai_kind micai_kind_split;

// Those of all tables in one array: kind_ring.h.
extern const micai_kind micai_kind_ring;

// In blocks that stay where they are: kind_stable.h. Most of what it does is what the paged kind does.
extern const micai_kind micai_kind_stable;
void micai_paged_touch(micai_cell cell, uint32_t count, uint64_t tick);
mica_result micai_paged_make(micai_store *store, micai_cell cell, uint32_t count, const void *data,
                             uint32_t stride);
void micai_paged_end(micai_store *store, micai_cell cell, uint32_t count);
mica_result micai_paged_load(micai_store *store, micai_cell cell, void *target);
void micai_paged_replace(micai_store *store, micai_cell cell, void *source, uint64_t tick);
void micai_paged_take(micai_store *store, micai_cell cell, void *source, uint32_t count);
void micai_paged_give(micai_store *store, micai_cell cell, void *target, uint32_t count);

// All kinds there are; columns name theirs by its place here. The ids are of the first, which is paged.
extern const micai_kind *const micai_kinds[];

// The kind of a type's columns, by its place: the one function that chooses. In one library for tests, the
// program does, and has a list of its own.
#ifdef MICAI_TEST_KINDS
uint8_t micai_kind_place(const micai_type *type);
#else
static inline uint8_t micai_kind_place(const micai_type *type)
{
    switch (type->info.storage) {
    case MICA_SPLIT: return 1;
    case MICA_RING: return 2;
    case MICA_SPARSE: return type->info.stable ? 3 : 0;
    default: return 0;
    }
}
#endif

static inline const micai_kind *micai_kind_of(const micai_type *type)
{
    return micai_kinds[micai_kind_place(type)];
}

static inline const micai_kind *micai_column_kind(const micai_column *column)
{
    return micai_kinds[column->kind];
}

// The size of a whole value.
static inline uint32_t micai_column_value_size(const micai_column *column)
{
    return column->type ? column->type->info.size : (uint32_t)sizeof(mica_entity);
}

#endif
