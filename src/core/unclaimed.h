// State that an image has of things the program has not created yet: moments of queries, time of phases.
// It is kept by name. When the program creates a thing of that name, the thing claims its state and goes on
// from there. What is never claimed is saved again.
//
// Room:    core. Called by query/ and system/, one list in each.
//
// A key is a kind, a name and a detail. Several items may have the same key: they are claimed in the order in
// which they were added.
//
// Invariants, swept by micai_unclaimed_validate():
//   V1  an item that is not claimed has a name; one that is claimed is all zero.
//   V2  the map has the first item of each key. From there `next` leads to every other item of that key, in
//       the order of the list, and `last` of the first item names the last one.
#ifndef MICAI_CORE_UNCLAIMED_H
#define MICAI_CORE_UNCLAIMED_H

#include "base/array.h"
#include "core/archive.h"

typedef struct micai_unclaimed_item {
    char *name;         // NULL: it is claimed
    uint64_t detail;    // a number that is part of the key; its meaning is the caller's
    uint64_t values[2]; // the state
    uint32_t kind;      // part of the key, too
    uint32_t next;      // the next item of the same key; MICAI_MAP_NONE: there is none
    uint32_t last;      // in the first item of a key: the last one; 0 in others
} micai_unclaimed_item;

typedef struct micai_unclaimed {
    MICAI_ARRAY(micai_unclaimed_item) items;
    micai_map by_key;
    uint32_t left; // items that are not claimed
} micai_unclaimed;

// Adds an item. The name is copied. False if there is no memory, which has been reported.
bool micai_unclaimed_add(micai_host *host, micai_unclaimed *all, micai_unclaimed_item item);

// Takes the first item of a key out of the list: true, and its values. Cannot fail otherwise. When nothing is
// left, the memory of the list is released.
bool micai_unclaimed_claim(micai_host *host, micai_unclaimed *all, uint32_t kind, const char *name,
                           uint64_t detail, uint64_t values_out[2]);

// The next item of a kind from a place on that is not claimed; NULL if there is none. Moves the place behind it.
const micai_unclaimed_item *micai_unclaimed_next(const micai_unclaimed *all, uint32_t kind,
                                                 uint32_t *place);

// How many items of a kind are not claimed.
uint32_t micai_unclaimed_count(const micai_unclaimed *all, uint32_t kind);

void micai_unclaimed_free(micai_host *host, micai_unclaimed *all);

// A list of its own, for an image that is being loaded: NULL, reported, if there is no memory. It takes the place of
// another, if the image is loaded, and is released.
micai_unclaimed *micai_unclaimed_new(micai_host *host);
void micai_unclaimed_replace(micai_host *host, micai_unclaimed *all, micai_unclaimed *made);
void micai_unclaimed_release(micai_host *host, micai_unclaimed *made);

// In images: adds an item, or those of another list, to a list that is to be saved.
void micai_unclaimed_gather(micai_archive *a, micai_unclaimed *all, micai_unclaimed_item item);
void micai_unclaimed_gather_all(micai_archive *a, micai_unclaimed *all,
                                const micai_unclaimed *others);

// The items of a kind, as a list of that name. Each is serialized by a function, as an object; one that was read is
// added, unless that has left it without a name.
void micai_unclaimed_serialize(micai_archive *a, const char *name, uint32_t kind,
                               void (*serialize)(micai_archive *a, micai_unclaimed_item *item),
                               micai_unclaimed *all);

mica_result micai_unclaimed_validate(micai_host *host, const micai_unclaimed *all);

#endif
