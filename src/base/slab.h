// Slabs: pages of one size, many to a block.
//
// Room:    base. Called by core/ (the pages of slots).
//
//   slabs -> | page 0 | page 1 | ... | page 63 | next, taken | -> the next slab
//
// Few pages are got one by one, so that a small world stays small. Who has as many as a slab, or asks for more
// at once, gets slabs: the default allocator lays so large a block on a page of the system that is as
// large (memory.c), which is one fault for 512. Where a slab is refused, pages are got one by one as before. A slab
// goes with the last of its pages.
//
// Invariants, swept by micai_slabs_validate() and by those who have the pages:
//   M5  at least one page of a slab is taken.
//   M6  of the pages that somebody has, `single` are in no slab, and the others are those that are taken.
#ifndef MICAI_BASE_SLAB_H
#define MICAI_BASE_SLAB_H

#include "base/host.h"

#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_SLAB_PAGES 2u
#else
#define MICAI_SLAB_PAGES 64u
#endif

// Behind the pages of one.
typedef struct micai_slab {
    struct micai_slab *next;
    uint64_t taken; // by page, from the lowest bit on
} micai_slab;

typedef struct micai_slabs {
    micai_slab *first;
    size_t size;     // of a page, a multiple of 8
    uint32_t single; // pages that are out and in no slab
} micai_slabs;

// A page, as one of `wanted` that will be asked for one after the other. It is aligned to 8 bytes, at least.
// NULL on refusal.
void *micai_slabs_take(micai_host *host, micai_slabs *slabs, uint32_t wanted);

// The last one takes the memory of the slabs along. NULL page: nothing happens.
void micai_slabs_release(micai_host *host, micai_slabs *slabs, void *page);

// Moves a page to where others are. Who does so with all pages needs no more slabs than they fill, but for the last of
// these. Returns where the page is now. NULL page: nothing happens.
void *micai_slabs_pack(micai_host *host, micai_slabs *slabs, void *page);

// Is it a page of a slab, and taken? How many of them are?
bool micai_slabs_have(const micai_slabs *slabs, const void *page);
uint32_t micai_slabs_count(const micai_slabs *slabs);

mica_result micai_slabs_validate(micai_host *host, const micai_slabs *slabs);

#endif
