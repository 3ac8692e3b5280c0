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

mica_result micai_page_own(micai_host *host, micai_page *page, const micai_column *column,
                           uint32_t rows, uint32_t used)
{
    if (micai_page_references(page) == 1) {
        return MICA_OK;
    }
    micai_extent *extent = micai_extent_new(host, column, rows, 1);
    if (!extent) {
        return MICA_ERROR_MEMORY;
    }
    micai_page copy = micai_extent_page(extent, 0);
    copy.tick = page->tick;
    mica_result result = micai_column_copy(host, column, copy.data, page->data, used);
    if (result) {
        micai_page_release(host, &copy);
        return result;
    }
    micai_page_release(host, page);
    *page = copy;
    return MICA_OK;
}

void micai_column_relocate(const micai_column *column, void *target, void *source, uint32_t count)
{
    if (column->has_move) {
        if (count > 0) {
            column->type->info.hooks.move(target, source, count, &column->type->info);
        }
    } else if (count == 1) {
        micai_copy_bytes(target, source, column->size);
    } else {
        memcpy(target, source, (size_t)count * column->size);
    }
}

static mica_result fail_hook(micai_host *host, const char *hook, const mica_type_info *info)
{
    return micai_fail(host, MICA_ERROR_HOOK, "the %s hook of '%s' failed", hook, info->name);
}

mica_result micai_column_copy(micai_host *host, const micai_column *column, void *target,
                              const void *source, uint32_t count)
{
    if (column->type && column->type->info.hooks.copy && count > 0) {
        const mica_type_info *info = &column->type->info;
        if (info->hooks.copy(target, source, count, info)) {
            return fail_hook(host, "copy", info);
        }
        return MICA_OK;
    }
    if (count == 1) {
        micai_copy_bytes(target, source, column->size);
    } else {
        memcpy(target, source, (size_t)count * column->size);
    }
    return MICA_OK;
}

mica_result micai_column_construct(micai_host *host, const micai_column *column, void *target,
                                   uint32_t count)
{
    const mica_type_info *info = &column->type->info;
    if (info->hooks.construct && count > 0) {
        if (info->hooks.construct(target, count, info)) {
            return fail_hook(host, "construct", info);
        }
    } else if (info->default_value) {
        for (uint32_t i = 0; i < count; i++) {
            memcpy((unsigned char *)target + (size_t)i * info->size, info->default_value,
                   info->size);
        }
    } else {
        memset(target, 0, (size_t)count * info->size);
    }
    return MICA_OK;
}

void micai_column_destruct(const micai_column *column, void *target, uint32_t count)
{
    if (column->type && column->type->info.hooks.destruct && count > 0) {
        column->type->info.hooks.destruct(target, count, &column->type->info);
    }
}
