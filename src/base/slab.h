// Slabs: pages of one size, many to a block.
//
// Room:    base. Called by core/ (the pages of slots).
//
//   slabs -> | page 0 | page 1 | ... | page 63 | next, taken | -> the next slab
//
// The first pages are allocated one by one, so a small world stays small. Slabs begin once a slab's
// worth of pages exists, or if a caller wants more than that at once. The default allocator puts a
// block of this size on huge pages (memory.c), so one page fault replaces 512. If a slab cannot be
// allocated, single pages are used as before. A slab is released with its last page.
//
// Invariants, swept by micai_slabs_validate() and by the owners of the pages:
//   M5  At least one page of every slab is taken.
//   M6  `single` pages are in no slab. All other pages in use are marked as taken in their slab.
#ifndef MICAI_BASE_SLAB_H
#define MICAI_BASE_SLAB_H

#include "base/host.h"

#ifdef MICAI_TEST_SMALL_PAGES
#define MICAI_SLAB_PAGES 2u
#else
#define MICAI_SLAB_PAGES 64u
#endif

// Stored after the pages of a slab.
typedef struct micai_slab {
    struct micai_slab *next;
    uint64_t taken; // one bit per page, from the lowest bit
} micai_slab;

typedef struct micai_slabs {
    micai_slab *first;
    size_t size;     // size of a page, a multiple of 8
    uint32_t single; // pages in use outside of slabs
} micai_slabs;

// Allocates a page, aligned to at least 8 bytes. `wanted` is how many pages the caller will take in
// a row. Returns NULL on failure, which is reported.
void *micai_slabs_take(micai_host *host, micai_slabs *slabs, uint32_t wanted);

// Releases a page, and its slab with the last page of it. Does nothing for NULL.
void micai_slabs_release(micai_host *host, micai_slabs *slabs, void *page);

// Moves a page into the fullest other slab, if one has space, and returns its new address. After a
// call for every page, at most one slab has free pages. Does nothing for NULL.
void *micai_slabs_pack(micai_host *host, micai_slabs *slabs, void *page);

// Returns true if the page is a taken page of a slab. The second function counts such pages.
bool micai_slabs_have(const micai_slabs *slabs, const void *page);
uint32_t micai_slabs_count(const micai_slabs *slabs);

mica_result micai_slabs_validate(micai_host *host, const micai_slabs *slabs);

#endif
