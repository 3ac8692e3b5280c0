// Directories: per type, the way from a sheet's number to its values, for access to single entities.
// mica/view.h has the structs, because accessors look things up inline.
//
//   type    shelves[0]           shelves[1]  empty  ...           one for every sheet there may be
//            spot of sheet 0, 1, ... 63             {data, tick, seen}
//
// A spot is a promise: whoever finds data there may read it, whoever finds a tick there may write
// the data and put the tick of that in its place; not again where `seen` is that tick. What may not be reached
// this way has no spot and is reached the long way; so leaving a spot out is always right. Small sheets have none
// once a world has many sheets: ten thousand archetypes of ten entities each would pay more for spots than for
// values.
//
// Room:    store/table. Kept by sheets alone (micai_sheet_set_page, micai_sheet_show); looked into by
//          world/ and accessors.
//
// Invariants, swept by micai_directory_validate() and micai_sheet_validate():
//   D1  a spot's data is that of the page its sheet has for the type's whole values; its tick is that
//       page's. Where values lie outside, R8 says what it is. What was seen of the tick is not later than it
//       is, and nothing where there is none.
//   D2  a sheet that does not exist, or has not the type, has no spot.
//   D3  what is known of a type is its handle and its size, and at least `shelf_count` shelves, which
//       are enough for all sheets; of others, nothing. All types that a table has columns of are
//       known. Entries stay where they are: accessors point at them.
//   D4  what is seen of a type is its shelves or, while an iteration has its values (query/gather), blank
//       ones, as many and all empty. Which types that are is for the query room to say (Q6).
//   D5  the shelves of a *flat* type are one block, in order, at least `shelf_count` of them: a spot is
//       found by its sheet's number alone. What is seen of it is that block or, while it is hidden, a
//       blank one.
#ifndef MICAI_STORE_TABLE_DIRECTORY_H
#define MICAI_STORE_TABLE_DIRECTORY_H

#include <mica/view.h>

#include "core/registry.h"

#define MICAI_SHELF_SIZE (UINT32_C(1) << MICA_VIEW_SHELF_SHIFT)

// Small sheets numbered below this have spots.
#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_DIRECTORY_SMALL 8u
#else
#define MICAI_DIRECTORY_SMALL 256u
#endif

typedef struct micai_directory {
    mica_view_store view;
    uint32_t type_capacity;
    uint32_t shelf_count;       // that every known type has at least
    mica_view_spot **blank;     // empty ones, at least as many: all that is seen of hidden types
    mica_view_spot *blank_flat; // the same as a block; NULL: no type is flat
    uint32_t blank_count;
    uint32_t blank_flat_count;
} micai_directory;

void micai_directory_free(micai_host *host, micai_directory *directory);

// Forgets types from number `types` on, which no table has any more.
void micai_directory_take_back(micai_host *host, micai_directory *directory, uint32_t types);

// Gets to know a type; shelves for sheets numbered below `sheets`, for every type; a shelf of its own
// for a type's spot of a sheet. MICA_ERROR_MEMORY.
mica_result micai_directory_enter(micai_host *host, micai_directory *directory,
                                  const micai_type *type);
mica_result micai_directory_grow(micai_host *host, micai_directory *directory, uint32_t sheets);
mica_result micai_directory_reserve(micai_host *host, micai_directory *directory, uint32_t type,
                                    uint32_t sheet);

// Puts the shelves of a type that is known side by side, from now on. That costs a spot for each sheet
// there is, whether it has the type or not, and is for types whose accessors want to be quick.
// MICA_ERROR_MEMORY.
mica_result micai_directory_flatten(micai_host *host, micai_directory *directory, uint32_t type);

// Gives back shelves on which nothing is.
void micai_directory_trim(micai_host *host, micai_directory *directory);

// Hides the spots of a type that is known from all who look for values, or shows them again. Those who
// keep them (micai_directory_spot) find them all the same. Cannot fail.
void micai_directory_hide(micai_directory *directory, uint32_t type, bool hidden);

static inline bool micai_directory_is_hidden(const micai_directory *directory, uint32_t type)
{
    return type < directory->view.type_count &&
           directory->view.types[type]->shelves != directory->view.types[type]->kept;
}

// A shelf on which nothing is; what is known of a type of which nothing is known. Shared by all worlds,
// and never written.
extern const mica_view_spot micai_directory_empty[MICAI_SHELF_SIZE];
extern const mica_view_type micai_directory_unknown;

static inline bool micai_directory_knows(const micai_directory *directory, uint32_t type)
{
    return type < directory->view.type_count &&
           directory->view.types[type] != &micai_directory_unknown;
}

// The spot of a type that is known, hidden or not; NULL if no room was made for it.
static inline mica_view_spot *micai_directory_spot(const micai_directory *directory, uint32_t type,
                                                   uint32_t sheet)
{
    uint32_t shelf = sheet >> MICA_VIEW_SHELF_SHIFT;
    if (type >= directory->view.type_count || shelf >= directory->shelf_count) {
        return NULL;
    }
    mica_view_spot **kept = directory->view.types[type]->kept;
    return kept && kept[shelf] != micai_directory_empty
               ? &kept[shelf][sheet & (MICAI_SHELF_SIZE - 1)]
               : NULL;
}

static inline bool micai_spot_is_empty(const mica_view_spot *spot)
{
    return !spot->data && !spot->tick && !spot->seen;
}

// D3, D4; spots can be looked at then. For sheets numbered below `sheets`.
mica_result micai_directory_validate(micai_host *host, const micai_directory *directory,
                                     const micai_registry *registry, uint32_t sheets);

// What a directory says of one value.
typedef struct micai_reach {
    bool known; // it says something of such a type; otherwise the rest means nothing
    mica_view_spot *spot;
    size_t offset; // from there to the value
    size_t size;   // of it
} micai_reach;

// What is known of a type; NULL: nothing, or the handle is no type's.
static inline const mica_view_type *micai_directory_entry(const micai_directory *directory,
                                                          mica_type type)
{
    uint32_t number = micai_stamp_number(type.bits);
    const mica_view_type *entry =
        number < directory->view.type_count ? directory->view.types[number] : NULL;
    return entry && entry->bits == type.bits ? entry : NULL;
}

// Of the value of a type for the row that a record says; of a handle that is no type's, nothing.
static inline micai_reach micai_directory_reach(const micai_directory *directory, mica_type type,
                                                uint32_t where)
{
    uint32_t number = micai_stamp_number(type.bits);
    if (number >= directory->view.type_count) {
        return (micai_reach){0};
    }
    const mica_view_type *entry = directory->view.types[number];
    if (entry->bits != type.bits) {
        return (micai_reach){0};
    }
    return (micai_reach){true, mica_view_find(entry, where), mica_view_offset(where, entry->size),
                         entry->size};
}

// Can the value be reached this way, to be read? To be written?
static inline bool micai_reach_shows(micai_reach reach)
{
    return reach.known && reach.spot->data;
}

static inline bool micai_reach_opens(micai_reach reach)
{
    return reach.known && reach.spot->tick;
}

// The same, of one that is known; if so, its page has the tick from now on.
static inline bool micai_reach_open(micai_reach reach, uint64_t tick)
{
    return mica_view_open(reach.spot, tick);
}

// The value, if it can be reached.
static inline void *micai_reach_value(micai_reach reach)
{
    return reach.spot->data + reach.offset;
}

#endif
