// Pages and extents. A page holds one strip for the rows of one sheet. An extent is a memory block
// that is divided into pages.
//
// Room:    store/table. Called by the sheets of this room only.
//
//     extent   | header | page 0 | page 1 | ... | page n-1 |      one block
//                        \______ data is 64-byte aligned ___/
//
// The pages of adjacent sheets come from one extent. They are adjacent in memory, so a segment can
// span several sheets. Measured on two 8-byte columns of a million rows: pages allocated one by one
// cost 1.35 times a plain array, pages from extents 1.00 times.
//
// A small sheet keeps the pages of all its strips in one extent. So a table of a few rows takes one
// block instead of one per column. Such an extent is *mixed*. It is divided into units of 64 bytes,
// and a page takes as many units as it needs. Units are aligned to 64 bytes. The block itself is
// not.
//
//     mixed    | header | ids    ids | strip 1 | strip 2    strip 2 | ...
//
// A page belongs to one sheet. An extent counts its pages in use and is freed together with the
// last one.
//
// Invariants, checked by micai_sheet_validate():
//   T12 A page's data lies in its extent and starts a whole number of units after the first. All
//       the units that the page needs are in the extent. `unit_count` is the number of units.
//   T13 `live` is the number of pages in use, from 1 to `page_count`. `page_count` is at most
//       `unit_count`.
#ifndef MICAI_STORE_TABLE_PAGE_H
#define MICAI_STORE_TABLE_PAGE_H

#include "base/bytes.h"
#include "base/host.h"

#define MICAI_PAGE_ALIGN 64

#define MICAI_UNITS_MAX 1024u // in a mixed extent

typedef struct micai_extent {
    size_t unit;    // size in bytes of a page; of a unit in a mixed extent
    uint32_t align; // alignment of the block
    uint32_t unit_count;
    uint32_t page_count; // pages ever allocated in the extent
    uint32_t live;       // pages in use
} micai_extent;

// A page as its sheet refers to it. 24 bytes. Hot paths read the first 8.
typedef struct micai_page {
    unsigned char *data;
    uint64_t tick; // tick of the last write
    micai_extent *extent;
} micai_page;

// Allocates `count` adjacent pages of `rows` cells, all in use. Returns NULL and reports the error
// if the allocation fails.
micai_extent *micai_extent_new(micai_host *host, uint32_t cell_size, uint32_t cell_align,
                               uint32_t rows, uint32_t count);

// Does the same but does not report a failure.
micai_extent *micai_extent_try(micai_host *host, uint32_t cell_size, uint32_t cell_align,
                               uint32_t rows, uint32_t count);

// Returns page `index` of an extent.
micai_page micai_extent_page(micai_extent *extent, uint32_t index);

// Returns the number of units that a page of `size` bytes takes in a mixed extent.
static inline uint32_t micai_units(size_t size)
{
    size_t units = (size + MICAI_PAGE_ALIGN - 1) / MICAI_PAGE_ALIGN;
    return units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
}

// Allocates a mixed extent of `count` units without pages, or returns NULL. micai_extent_add_page()
// then allocates a page from unit `first` on. `data` is the first unit of the extent.
micai_extent *micai_extent_new_mixed(micai_host *host, uint32_t count);

static inline micai_page micai_extent_add_page(micai_extent *extent, unsigned char *data,
                                               uint32_t first)
{
    extent->page_count++;
    extent->live++;
    return (micai_page){.data = data + (size_t)first * MICAI_PAGE_ALIGN, .extent = extent};
}

// Returns the address of the first page of an extent.
unsigned char *micai_extent_data(const micai_extent *extent);

// Releases a page, and its extent with the last page. Does not destruct values.
void micai_page_release(micai_host *host, micai_page *page);

// Returns true if `b` begins where `a` ends.
static inline bool micai_page_adjoins(const micai_page *a, const micai_page *b)
{
    return b->extent == a->extent && b->data == a->data + a->extent->unit;
}

// Checks a page of `size` bytes whose cells have the given alignment.
mica_result micai_page_validate(micai_host *host, const micai_page *page, size_t size,
                                uint32_t cell_align);

#endif
