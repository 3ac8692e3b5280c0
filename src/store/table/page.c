// Extents and pages. page.h has the drawing.
#include "store/table/page.h"

#include <assert.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/number.h"

static size_t align_of(uint32_t cell_align)
{
    return cell_align > MICAI_PAGE_ALIGN ? cell_align : MICAI_PAGE_ALIGN;
}

// Mixed extents have the default alignment and a spare gap, so that pages can start at a multiple
// of 64 wherever the block lies. Allocators leave gaps between blocks of a larger alignment. Those
// gaps cost 70 bytes per table in a world with many tables, and each allocation took four times as
// long.
#define MIXED_ALIGN _Alignof(max_align_t)

// Returns the largest number of bytes before the pages of an extent.
static size_t header_size(size_t align)
{
    size_t spare = align < MICAI_PAGE_ALIGN ? MICAI_PAGE_ALIGN - align : 0;
    return micai_round_up(sizeof(micai_extent), align) + spare;
}

// Returns the size of the block, or 0 if it would overflow.
static size_t size_of(size_t unit, uint32_t count, size_t align)
{
    size_t header = header_size(align);
    return unit <= (SIZE_MAX - header) / count ? header + unit * count : 0;
}

// Initializes an extent of `count` units. `pages` of them are pages in use: all of them, or 0 in a
// mixed extent.
static micai_extent *fill(void *block, size_t unit, uint32_t count, size_t align, uint32_t pages)
{
    micai_extent *extent = block;
    if (extent) {
        *extent = (micai_extent){.unit = unit,
                                 .align = (uint32_t)align,
                                 .unit_count = count,
                                 .page_count = pages,
                                 .live = pages};
    }
    return extent;
}

micai_extent *micai_extent_new(micai_host *host, uint32_t cell_size, uint32_t cell_align,
                               uint32_t rows, uint32_t count)
{
    size_t page_size = (size_t)rows * cell_size;
    size_t align = align_of(cell_align);
    size_t size = size_of(page_size, count, align);
    if (size == 0) {
        micai_fail_within(host, MICA_ERROR_MEMORY, "a page of %lu rows of %lu bytes is too large",
                          (unsigned long)rows, (unsigned long)cell_size);
        return NULL;
    }
    return fill(micai_alloc(host, size, align), page_size, count, align, count);
}

micai_extent *micai_extent_try(micai_host *host, uint32_t cell_size, uint32_t cell_align,
                               uint32_t rows, uint32_t count)
{
    size_t page_size = (size_t)rows * cell_size;
    size_t align = align_of(cell_align);
    size_t size = size_of(page_size, count, align);
    return size == 0 ? NULL
                     : fill(micai_alloc_try(host, size, align), page_size, count, align, count);
}

unsigned char *micai_extent_data(const micai_extent *extent)
{
    uintptr_t end = (uintptr_t)(extent + 1);
    size_t beyond = (size_t)(0 - end) & (align_of(extent->align) - 1);
    return (unsigned char *)(extent + 1) + beyond;
}

micai_page micai_extent_page(micai_extent *extent, uint32_t index)
{
    return (micai_page){.data = micai_extent_data(extent) + index * extent->unit, .extent = extent};
}

// Mixed extents

micai_extent *micai_extent_new_mixed(micai_host *host, uint32_t count)
{
    assert(count > 0 && count <= MICAI_UNITS_MAX);
    size_t size = size_of(MICAI_PAGE_ALIGN, count, MIXED_ALIGN);
    return fill(micai_alloc(host, size, MIXED_ALIGN), MICAI_PAGE_ALIGN, count, MIXED_ALIGN, 0);
}

// Pages

void micai_page_release(micai_host *host, micai_page *page)
{
    micai_extent *extent = page->extent;
    if (--extent->live == 0) {
        size_t size = size_of(extent->unit, extent->unit_count, extent->align);
        micai_release(host, extent, size, extent->align);
    }
    *page = (micai_page){0};
}

static size_t distance_of(const micai_page *page)
{
    return (size_t)((uintptr_t)page->data - (uintptr_t)page->extent);
}

// Returns true if the page's extent has units and a valid header.
static bool is_extent(const micai_page *page, size_t align)
{
    const micai_extent *extent = page->extent;
    bool mixed = extent->align == MIXED_ALIGN && extent->unit == MICAI_PAGE_ALIGN &&
                 extent->unit_count <= MICAI_UNITS_MAX && align == MICAI_PAGE_ALIGN;
    return extent->unit_count > 0 && extent->unit > 0 && (mixed || extent->align == align) &&
           sizeof(micai_extent) <= distance_of(page);
}

// Returns true if the page starts at a unit of its extent and the extent has all units that the
// page needs.
static bool has_its_units(const micai_page *page, size_t size)
{
    const micai_extent *extent = page->extent;
    const unsigned char *data = micai_extent_data(extent);
    if (page->data < data || (size_t)(page->data - data) >= extent->unit_count * extent->unit ||
        (size_t)(page->data - data) % extent->unit != 0) {
        return false;
    }
    size_t first = (size_t)(page->data - data) / extent->unit;
    return extent->unit == size ||
           (extent->unit == MICAI_PAGE_ALIGN && micai_units(size) <= extent->unit_count - first);
}

mica_result micai_page_validate(micai_host *host, const micai_page *page, size_t size,
                                uint32_t cell_align)
{
    const micai_extent *extent = page->extent;
    if (!is_extent(page, align_of(cell_align)) || !has_its_units(page, size)) {
        return micai_fail_invariant(host, "T12", "a page lies outside its extent");
    }
    if (extent->live == 0 || extent->live > extent->page_count ||
        extent->page_count > extent->unit_count) {
        return micai_fail_invariant(host, "T13", "the pages of an extent are miscounted");
    }
    return MICA_OK;
}
