// Directories: per type, from a sheet's number to its values, for access to single entities.
// mica/detail/view.h has the structs, because accessors look values up inline.
//
//     type    blocks[0]           blocks[1]  empty  ...      one value pointer per possible sheet
//             sheet 0, 1, ... 63                               {data, tick, seen}
//
// A value pointer grants access. Callers may read its data if that is not NULL. They may write the
// data if its tick is not NULL, and must then set that tick. They need not set it again while
// `seen` equals it. Values without a pointer are accessed through the slow path, so omitting a
// pointer is always correct. Once a world has many sheets, small sheets get no pointers. Ten
// thousand archetypes of ten entities each would need more memory for pointers than for values.
//
// Room:    store/table. Only sheets update it (micai_sheet_set_page, micai_sheet_set_pointer). entity/,
//          query/ and accessors read it.
//
// Invariants, checked by micai_directory_validate() and micai_sheet_validate():
//   D1  A pointer's data and tick are those of the sheet's page with the type's whole values. R8
//       covers values outside. Its `seen` is at most its tick, or 0 without a tick.
//   D2  A sheet that does not exist, or whose table lacks the type, has no pointer.
//   D3  A known type has its handle, its size, and at least `block_count` index blocks, enough for
//       all sheets. Other types have nothing. All types with columns in a table are known. Entries
//       never move, because accessors point at them.
//   D4  A type's visible index blocks are its own. While an iteration uses its values
//       (query/gather), they are as many blank ones. The query room checks which types are hidden
//       (Q6).
//   D5  The index blocks of a *flat* type are one array, in order, at least `block_count` of them.
//       So a pointer is found by the sheet's number alone. While the type is hidden, a blank array
//       is visible instead.
#ifndef MICAI_STORE_TABLE_DIRECTORY_H
#define MICAI_STORE_TABLE_DIRECTORY_H

#include <mica/detail/view.h>

#include "core/registry.h"

#define MICAI_INDEX_BLOCK_SIZE (UINT32_C(1) << MICA_VIEW_INDEX_SHIFT)

// Small sheets numbered below this have value pointers.
#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_DIRECTORY_SMALL 8u
#else
#define MICAI_DIRECTORY_SMALL 256u
#endif

typedef struct micai_directory {
    mica_view_store view;
    uint32_t type_capacity;
    uint32_t block_count;         // minimum number of index blocks of every known type
    mica_view_values **blank;     // at least as many empty index blocks, visible for hidden types
    mica_view_values *blank_flat; // the same as one array; NULL if no type is flat
    uint32_t blank_count;
    uint32_t blank_flat_count;
} micai_directory;

void micai_directory_free(micai_host *host, micai_directory *directory);

// Forgets types from number `types` on, which no table has any more.
void micai_directory_take_back(micai_host *host, micai_directory *directory, uint32_t types);

// Enter a type; reserve index blocks of all types for sheet numbers below `sheets`; reserve a
// type's own index block for one sheet. Fail with MICA_ERROR_MEMORY.
mica_result micai_directory_enter(micai_host *host, micai_directory *directory,
                                  const micai_type *type);
mica_result micai_directory_grow(micai_host *host, micai_directory *directory, uint32_t sheets);
mica_result micai_directory_reserve(micai_host *host, micai_directory *directory, uint32_t type,
                                    uint32_t sheet);

// Makes a known type flat, which speeds up its accessors. It costs a value pointer per existing
// sheet, whether or not the sheet has the type. Fails with MICA_ERROR_MEMORY.
mica_result micai_directory_flatten(micai_host *host, micai_directory *directory, uint32_t type);

// Frees index blocks without pointers.
void micai_directory_trim(micai_host *host, micai_directory *directory);

// Hides or shows the pointers of a known type for lookups. micai_directory_pointer() finds them in
// both cases. Cannot fail.
void micai_directory_hide(micai_directory *directory, uint32_t type, bool hidden);

// While closed, accessors can write no value of any type.
void micai_directory_close(micai_directory *directory, bool closed);

static inline bool micai_directory_is_hidden(const micai_directory *directory, uint32_t type)
{
    return type < directory->view.type_count &&
           directory->view.types[type]->blocks != directory->view.types[type]->visible_blocks;
}

// An empty index block, and the entry of unknown types. Shared by all worlds and never written.
extern const mica_view_values micai_directory_empty[MICAI_INDEX_BLOCK_SIZE];
extern const mica_view_type micai_directory_unknown;

static inline bool micai_directory_knows(const micai_directory *directory, uint32_t type)
{
    return type < directory->view.type_count &&
           directory->view.types[type] != &micai_directory_unknown;
}

// Returns the value pointer of a known type, hidden or not, or NULL if none was reserved.
static inline mica_view_values *micai_directory_pointer(const micai_directory *directory,
                                                        uint32_t type, uint32_t sheet)
{
    uint32_t block = sheet >> MICA_VIEW_INDEX_SHIFT;
    if (type >= directory->view.type_count || block >= directory->block_count) {
        return NULL;
    }
    mica_view_values **kept = directory->view.types[type]->visible_blocks;
    return kept && kept[block] != micai_directory_empty
               ? &kept[block][sheet & (MICAI_INDEX_BLOCK_SIZE - 1)]
               : NULL;
}

static inline bool micai_value_pointer_is_empty(const mica_view_values *pointer)
{
    return !pointer->data && !pointer->tick && !pointer->written_tick;
}

// Checks D3, D4 and D5 for sheet numbers below `sheets`. Pointers can be checked afterwards.
mica_result micai_directory_validate(micai_host *host, const micai_directory *directory,
                                     const micai_registry *registry, uint32_t sheets);

// The result of looking up one value.
typedef struct micai_directory_value {
    bool known; // false if the type is unknown; the other members are then unset
    mica_view_values *pointer;
    size_t offset; // in bytes from the pointer's data to the value
    size_t size;   // size of the value in bytes
} micai_directory_value;

// Returns the entry of a type, or NULL if it is unknown or the handle is invalid.
static inline const mica_view_type *micai_directory_entry(const micai_directory *directory,
                                                          mica_type type)
{
    uint32_t number = micai_stamp_number(type.bits);
    const mica_view_type *entry =
        number < directory->view.type_count ? directory->view.types[number] : NULL;
    return entry && entry->bits == type.bits ? entry : NULL;
}

// Looks up the value of a type in the row of a record. The result is not `known` if the handle is
// invalid.
static inline micai_directory_value micai_directory_find(const micai_directory *directory,
                                                         mica_type type, uint32_t where)
{
    uint32_t number = micai_stamp_number(type.bits);
    if (number >= directory->view.type_count) {
        return (micai_directory_value){0};
    }
    const mica_view_type *entry = directory->view.types[number];
    if (entry->bits != type.bits) {
        return (micai_directory_value){0};
    }
    return (micai_directory_value){true, mica_view_find(entry, where),
                                   mica_view_offset(where, entry->size), entry->size};
}

// Return true if the value can be read, or written, through its pointer.
static inline bool micai_directory_value_is_readable(micai_directory_value value)
{
    return value.known && value.pointer->data;
}

static inline bool micai_directory_value_is_writable(micai_directory_value value)
{
    return value.known && value.pointer->tick;
}

// Does the same for a known type, and sets the tick of the page if it returns true.
static inline bool micai_directory_value_open(micai_directory_value value, uint64_t tick)
{
    return mica_view_open(value.pointer, tick);
}

// Returns the value, which must be readable.
static inline void *micai_directory_value_data(micai_directory_value value)
{
    return value.pointer->data + value.offset;
}

#endif
