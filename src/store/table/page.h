// Pages: the memory of one strip for the rows of one sheet, and the extents they are cut from.
//
// Room:    store/table. Called by the sheets of this room only.
//
//   extent   | header, references | page 0 | page 1 | ... | page n-1 |      one block
//                                  \______ data is 64-byte aligned ___/
//
// Pages of neighbouring sheets are cut from one extent, so that they lie side by side and a segment
// can reach across them. Measured on two 8-byte columns of a million rows, pages allocated one by
// one cost 1.35 times a plain array, pages cut from extents 1.00 times.
//
// A page may be shared: its reference count says by how many. Nobody writes a page that is shared;
// who wants to, first makes it his own (micai_sheet_own), which leaves the old bytes to the others.
//
// Invariants, swept by micai_sheet_validate():
//   P1  a page's data lies in its extent, a whole number of pages from the first. The extent is as
//       large as its header and its pages.
//   P2  a page in use has at least one reference; the extent's `live` counts such pages.
#ifndef MICAI_STORE_TABLE_PAGE_H
#define MICAI_STORE_TABLE_PAGE_H

#include "base/bytes.h"
#include "base/host.h"

#define MICAI_PAGE_ALIGN 64

typedef struct micai_extent {
    size_t size;  // of the whole block
    size_t align; // of the block
    unsigned char *data;
    size_t page_size; // bytes
    uint32_t page_count;
    uint32_t live;         // pages that have references
    uint32_t references[]; // of each page
} micai_extent;

// What a sheet knows of one of its pages. 24 bytes, the first of which is what hot paths want.
typedef struct micai_page {
    unsigned char *data;
    uint64_t tick; // of the last write
    micai_extent *extent;
} micai_page;

// `count` pages of `rows` cells side by side, each with one reference. NULL on refusal.
micai_extent *micai_extent_new(micai_host *host, uint32_t cell_size, uint32_t cell_align,
                               uint32_t rows, uint32_t count);

// The same without a word where it is refused.
micai_extent *micai_extent_try(micai_host *host, uint32_t cell_size, uint32_t cell_align,
                               uint32_t rows, uint32_t count);

// Page `index` of an extent.
micai_page micai_extent_page(micai_extent *extent, uint32_t index);

uint32_t micai_page_references(const micai_page *page);
void micai_page_share(micai_page *page);

// Gives one reference up; the extent goes with the last of its pages. Values are not destructed.
void micai_page_release(micai_host *host, micai_page *page);

// Does `b` begin where `a` ends?
static inline bool micai_page_adjoins(const micai_page *a, const micai_page *b)
{
    return b->extent == a->extent && b->data == a->data + a->extent->page_size;
}

// Of a page of `size` bytes (0: as many as its extent says) whose cells have an alignment.
mica_result micai_page_validate(micai_host *host, const micai_page *page, size_t size,
                                uint32_t cell_align);

#endif
