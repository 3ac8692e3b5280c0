// Unclaimed state: state in an image for objects that the program has not created yet: the moments
// of queries, the times of phases. It is stored by name. When the program creates an object of that
// name, the object claims its state and continues from there. Unclaimed state is saved again.
//
// Room:    core. Called by query/ and system/; each has one list.
//
// A key is a kind, a name and a detail. Several items may share a key. They are claimed in the
// order in which they were added.
//
// Invariants, swept by micai_unclaimed_validate():
//   V1  An unclaimed item has a name. A claimed item is all zero.
//   V2  The map has the first item of each key. From there `next` leads to every other item of that
//       key, in list order. `last` of the first item is the last one.
#ifndef MICAI_CORE_UNCLAIMED_H
#define MICAI_CORE_UNCLAIMED_H

#include "base/array.h"
#include "core/archive.h"

typedef struct micai_unclaimed_item {
    char *name;         // NULL: the item is claimed
    uint64_t detail;    // part of the key; the caller defines its meaning
    uint64_t values[2]; // the state
    uint32_t kind;      // part of the key
    uint32_t next;      // next item of the same key; MICAI_MAP_NONE: none
    uint32_t last;      // last item of the key, in the first item of that key; otherwise 0
} micai_unclaimed_item;

typedef struct micai_unclaimed {
    MICAI_ARRAY(micai_unclaimed_item) items;
    micai_map by_key;
    uint32_t left; // unclaimed items
} micai_unclaimed;

// Adds an item and copies its name. Returns false if there is no memory, which is reported.
bool micai_unclaimed_add(micai_host *host, micai_unclaimed *all, micai_unclaimed_item item);

// Claims the first item of a key. Returns false if there is no such item. Frees the list's memory
// when no item is left.
bool micai_unclaimed_claim(micai_host *host, micai_unclaimed *all, uint32_t kind, const char *name,
                           uint64_t detail, uint64_t values_out[2]);

// Returns the next unclaimed item of a kind, from `place` on, or NULL. Moves `place` past it.
const micai_unclaimed_item *micai_unclaimed_next(const micai_unclaimed *all, uint32_t kind,
                                                 uint32_t *place);

// Counts the unclaimed items of a kind.
uint32_t micai_unclaimed_count(const micai_unclaimed *all, uint32_t kind);

void micai_unclaimed_free(micai_host *host, micai_unclaimed *all);

// A separate list, for an image that is being loaded. new returns NULL if there is no memory, which
// is reported. replace moves its items to another list. release frees it.
micai_unclaimed *micai_unclaimed_new(micai_host *host);
void micai_unclaimed_replace(micai_host *host, micai_unclaimed *all, micai_unclaimed *made);
void micai_unclaimed_release(micai_host *host, micai_unclaimed *made);

// For images: add an item, or all items of another list, to a list that will be saved.
void micai_unclaimed_gather(micai_archive *a, micai_unclaimed *all, micai_unclaimed_item item);
void micai_unclaimed_gather_all(micai_archive *a, micai_unclaimed *all,
                                const micai_unclaimed *others);

// Serializes the items of a kind as a list with this name. The callback serializes one item as an
// object. When reading, items that get a name are added to `all`.
void micai_unclaimed_serialize(micai_archive *a, const char *name, uint32_t kind,
                               void (*serialize)(micai_archive *a, micai_unclaimed_item *item),
                               micai_unclaimed *all);

mica_result micai_unclaimed_validate(micai_host *host, const micai_unclaimed *all);

#endif
