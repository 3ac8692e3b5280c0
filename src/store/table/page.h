// Pages: the memory of one strip for the rows of one sheet, and the extents they are cut from.
//
// Room:    store/table. Called by the sheets of this room only.
//
//   extent   | header | page 0 | page 1 | ... | page n-1 |      one block
//                      \______ data is 64-byte aligned ___/
//
// Pages of neighbouring sheets are cut from one extent, so that they lie side by side and a segment
// can reach across them. Measured on two 8-byte columns of a million rows, pages allocated one by
// one cost 1.35 times a plain array, pages cut from extents 1.00 times.
//
// The pages of a small sheet lie in one extent, too, those of all its strips: a table of a few rows
// takes one block, and not one for each column. Such an extent is *mixed*: it is divided into units of
// 64 bytes, and a page has as many of them as it needs. They begin on 64 bytes, the block does not.
//
//   mixed    | header | ids    ids | strip 1 | strip 2    strip 2 | ...
//
// A page belongs to one sheet. An extent counts the pages in use, and is freed with the last one.
//
// Invariants, swept by micai_sheet_validate():
//   T12 a page's data lies in its extent, a whole number of units from the first, and the units that it
//       needs are there. The extent has the units that it says it has.
//   T13 `live` counts the pages in use: at least one, and at most `page_count`. There are no more pages
//       than units.
#ifndef MICAI_STORE_TABLE_PAGE_H
#define MICAI_STORE_TABLE_PAGE_H

#include "base/bytes.h"
#include "base/host.h"

#define MICAI_PAGE_ALIGN 64

#define MICAI_UNITS_MAX 1024u // of a mixed extent

typedef struct micai_extent {
    size_t unit;    // bytes: those of a page, or of what pages of a mixed extent consist of
    uint32_t align; // of the block
    uint32_t unit_count;
    uint32_t page_count; // pages that were cut from it
    uint32_t live;       // of these, pages in use
} micai_extent;

// What a sheet knows of one of its pages. 24 bytes, the first of which is what hot paths want.
typedef struct micai_page {
    unsigned char *data;
    uint64_t tick; // of the last write
    micai_extent *extent;
} micai_page;

// `count` pages of `rows` cells side by side, all of them in use. NULL on refusal.
micai_extent *micai_extent_new(micai_host *host, uint32_t cell_size, uint32_t cell_align,
                               uint32_t rows, uint32_t count);

// The same without a word where it is refused.
micai_extent *micai_extent_try(micai_host *host, uint32_t cell_size, uint32_t cell_align,
                               uint32_t rows, uint32_t count);

// Page `index` of an extent.
micai_page micai_extent_page(micai_extent *extent, uint32_t index);

// Units that a page of `size` bytes has in a mixed extent.
static inline uint32_t micai_units(size_t size)
{
    size_t units = (size + MICAI_PAGE_ALIGN - 1) / MICAI_PAGE_ALIGN;
    return units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
}

// A mixed extent of `count` units, without pages; NULL on refusal. And a page from unit `first` on, of an
// extent whose first unit begins at `data`.
micai_extent *micai_extent_new_mixed(micai_host *host, uint32_t count);

static inline micai_page micai_extent_cut(micai_extent *extent, unsigned char *data, uint32_t first)
{
    extent->page_count++;
    extent->live++;
    return (micai_page){.data = data + (size_t)first * MICAI_PAGE_ALIGN, .extent = extent};
}

// Where the first page of an extent begins.
unsigned char *micai_extent_data(const micai_extent *extent);

// Gives a page back; the extent is freed with the last of its pages. Values are not destructed.
void micai_page_release(micai_host *host, micai_page *page);

// Does `b` begin where `a` ends?
static inline bool micai_page_adjoins(const micai_page *a, const micai_page *b)
{
    return b->extent == a->extent && b->data == a->data + a->extent->unit;
}

// Of a page of `size` bytes whose cells have an alignment.
mica_result micai_page_validate(micai_host *host, const micai_page *page, size_t size,
                                uint32_t cell_align);

#endif
