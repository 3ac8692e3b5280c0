// Extents and pages. page.h has the drawing.
#include "store/table/page.h"

#include "base/memory.h"

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

static size_t align_of(uint32_t cell_align)
{
    return cell_align > MICAI_PAGE_ALIGN ? cell_align : MICAI_PAGE_ALIGN;
}

// What stands before the pages of an extent.
static size_t header_size(uint32_t count, size_t align)
{
    return round_up(sizeof(micai_extent) + count * sizeof(uint32_t), align);
}

typedef struct shape {
    size_t align;
    size_t header;
    size_t page_size;
    size_t size; // of the whole block; 0: more than there can be
} shape;

static shape find_shape(uint32_t cell_size, uint32_t cell_align, uint32_t rows, uint32_t count)
{
    size_t align = align_of(cell_align);
    size_t header = header_size(count, align);
    size_t page_size = (size_t)rows * cell_size;
    bool fits = page_size <= (SIZE_MAX - header) / count;
    return (shape){align, header, page_size, fits ? header + page_size * count : 0};
}

static micai_extent *fill(void *block, shape of, uint32_t count)
{
    micai_extent *extent = block;
    if (extent) {
        *extent = (micai_extent){.size = of.size,
                                 .align = of.align,
                                 .data = (unsigned char *)block + of.header,
                                 .page_size = of.page_size,
                                 .page_count = count,
                                 .live = count};
        for (uint32_t i = 0; i < count; i++) {
            extent->references[i] = 1;
        }
    }
    return extent;
}

micai_extent *micai_extent_new(micai_host *host, uint32_t cell_size, uint32_t cell_align,
                               uint32_t rows, uint32_t count)
{
    shape of = find_shape(cell_size, cell_align, rows, count);
    if (of.size == 0) {
        micai_fail_within(host, MICA_ERROR_MEMORY, "a page of %lu rows of %lu bytes is too large",
                          (unsigned long)rows, (unsigned long)cell_size);
        return NULL;
    }
    return fill(micai_alloc(host, of.size, of.align), of, count);
}

micai_extent *micai_extent_try(micai_host *host, uint32_t cell_size, uint32_t cell_align,
                               uint32_t rows, uint32_t count)
{
    shape of = find_shape(cell_size, cell_align, rows, count);
    return of.size == 0 ? NULL : fill(micai_alloc_try(host, of.size, of.align), of, count);
}

micai_page micai_extent_page(micai_extent *extent, uint32_t index)
{
    return (micai_page){.data = extent->data + index * extent->page_size, .extent = extent};
}

static uint32_t *references_of(const micai_page *page)
{
    size_t index = (size_t)(page->data - page->extent->data) / page->extent->page_size;
    return &page->extent->references[index];
}

uint32_t micai_page_references(const micai_page *page)
{
    return *references_of(page);
}

void micai_page_share(micai_page *page)
{
    ++*references_of(page);
}

void micai_page_release(micai_host *host, micai_page *page)
{
    micai_extent *extent = page->extent;
    if (--*references_of(page) == 0 && --extent->live == 0) {
        micai_release(host, extent, extent->size, extent->align);
    }
    *page = (micai_page){0};
}

static uint32_t count_live(const micai_extent *extent)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < extent->page_count; i++) {
        live += extent->references[i] > 0;
    }
    return live;
}

// Before an extent is looked into: a page lies close behind the head of its extent.
static bool can_be_looked_into(const micai_host *host, const micai_page *page, size_t size)
{
    size_t distance = (size_t)((uintptr_t)page->data - (uintptr_t)page->extent);
    return distance >= sizeof(micai_extent) && (size == 0 || distance / size <= UINT16_MAX) &&
           micai_memory_holds(host, page->extent, 1, sizeof(micai_extent), MICAI_PAGE_ALIGN) &&
           micai_memory_holds(host, page->data, 1, 1, 1);
}

static bool is_whole(const micai_host *host, const micai_extent *extent, size_t align)
{
    size_t header = header_size(extent->page_count, align);
    return extent->align == align && extent->page_count > 0 && extent->page_size > 0 &&
           extent->size > header && extent->data == (const unsigned char *)extent + header &&
           (extent->size - header) / extent->page_size == extent->page_count &&
           (extent->size - header) % extent->page_size == 0 &&
           micai_memory_holds(host, extent, 1, extent->size, align);
}

mica_result micai_page_validate(micai_host *host, const micai_page *page, size_t size,
                                uint32_t cell_align)
{
    const micai_extent *extent = page->extent;
    if (!can_be_looked_into(host, page, size) || (size > 0 && extent->page_size != size) ||
        !is_whole(host, extent, align_of(cell_align)) || page->data < extent->data ||
        (size_t)(page->data - extent->data) >= extent->page_count * extent->page_size ||
        (size_t)(page->data - extent->data) % extent->page_size != 0) {
        return micai_fail_invariant(host, "P1", "a page lies outside its extent");
    }
    if (micai_page_references(page) == 0 || extent->live != count_live(extent)) {
        return micai_fail_invariant(host, "P2", "the references of a page are miscounted");
    }
    return MICA_OK;
}
