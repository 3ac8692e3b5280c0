// Extents, pages, and what is done to the values in them: the only place that calls hooks. page.h
// has the drawing.
#include "store/table/page.h"

#include "base/memory.h"

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

micai_extent *micai_extent_new(micai_host *host, const micai_column *column, uint32_t rows,
                               uint32_t count)
{
    size_t align = MICAI_PAGE_ALIGN;
    if (column->type && column->type->info.align > align) {
        align = column->type->info.align;
    }
    size_t header = round_up(sizeof(micai_extent) + count * sizeof(uint32_t), align);
    size_t page_size = (size_t)rows * column->size;
    if (page_size > (SIZE_MAX - header) / count) {
        micai_fail(host, MICA_ERROR_MEMORY, "a page of %lu rows of %lu bytes is too large",
                   (unsigned long)rows, (unsigned long)column->size);
        return NULL;
    }
    size_t size = header + page_size * count;
    micai_extent *extent = micai_alloc(host, size, align);
    if (!extent) {
        return NULL;
    }
    *extent = (micai_extent){.size = size,
                             .align = align,
                             .data = (unsigned char *)extent + header,
                             .page_size = page_size,
                             .page_count = count,
                             .live = count};
    for (uint32_t i = 0; i < count; i++) {
        extent->references[i] = 1;
    }
    return extent;
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

mica_result micai_page_own(micai_gate *gate, micai_page *page, const micai_column *column,
                           uint32_t rows, uint32_t used)
{
    if (micai_page_references(page) == 1) {
        return MICA_OK;
    }
    micai_extent *extent = micai_extent_new(gate->host, column, rows, 1);
    if (!extent) {
        return MICA_ERROR_MEMORY;
    }
    micai_page copy = micai_extent_page(extent, 0);
    copy.tick = page->tick;
    mica_result result = micai_column_copy(gate, column, copy.data, page->data, used);
    if (result) {
        micai_page_release(gate->host, &copy);
        return result;
    }
    micai_page_release(gate->host, page);
    *page = copy;
    return MICA_OK;
}

void micai_column_relocate(micai_gate *gate, const micai_column *column, void *target, void *source,
                           uint32_t count)
{
    if (column->has_move) {
        micai_hook_relocate(gate, column->type, target, source, count);
    } else if (count == 1) {
        micai_copy_bytes(target, source, column->size);
    } else {
        memcpy(target, source, (size_t)count * column->size);
    }
}

mica_result micai_column_copy(micai_gate *gate, const micai_column *column, void *target,
                              const void *source, uint32_t count)
{
    if (column->type) {
        return micai_hook_copy(gate, column->type, target, source, count);
    }
    memcpy(target, source, (size_t)count * column->size);
    return MICA_OK;
}

void micai_column_destruct(micai_gate *gate, const micai_column *column, void *target,
                           uint32_t count)
{
    if (column->type) {
        micai_hook_destruct(gate, column->type, target, count);
    }
}
