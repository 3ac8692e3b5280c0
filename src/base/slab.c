// Slabs. slab.h has the drawing.
#include "base/slab.h"

#include <string.h>

#include "base/bits.h"
#include "base/memory.h"

// Exceeds malloc's alignment: the default allocator uses huge pages only for such blocks.
#define SLAB_ALIGN 64
#define PAGE_ALIGN 8
#define ALL_TAKEN (UINT64_MAX >> (64 - MICAI_SLAB_PAGES))

static size_t pages_size(const micai_slabs *slabs)
{
    return slabs->size * MICAI_SLAB_PAGES;
}

static unsigned char *pages_of(const micai_slabs *slabs, micai_slab *slab)
{
    return (unsigned char *)slab - pages_size(slabs);
}

static micai_slab *find_open(const micai_slabs *slabs)
{
    micai_slab *slab = slabs->first;
    while (slab && slab->taken == ALL_TAKEN) {
        slab = slab->next;
    }
    return slab;
}

// Returns NULL without reporting if there is no memory.
static micai_slab *add_slab(micai_host *host, micai_slabs *slabs)
{
    unsigned char *pages =
        micai_alloc_try(host, pages_size(slabs) + sizeof(micai_slab), SLAB_ALIGN);
    if (!pages) {
        return NULL;
    }
    micai_slab *slab = (micai_slab *)(void *)(pages + pages_size(slabs));
    *slab = (micai_slab){.next = slabs->first};
    slabs->first = slab;
    return slab;
}

// The slab must have a free page.
static void *take_from(const micai_slabs *slabs, micai_slab *slab)
{
    uint32_t page = micai_bits_lowest(~slab->taken);
    slab->taken |= UINT64_C(1) << page;
    return pages_of(slabs, slab) + page * slabs->size;
}

static void *take_single(micai_host *host, micai_slabs *slabs)
{
    void *page = micai_alloc(host, slabs->size, PAGE_ALIGN);
    slabs->single += page != NULL;
    return page;
}

void *micai_slabs_take(micai_host *host, micai_slabs *slabs, uint32_t wanted)
{
    micai_slab *slab = find_open(slabs);
    if (!slab && (slabs->single >= MICAI_SLAB_PAGES || wanted > MICAI_SLAB_PAGES)) {
        slab = add_slab(host, slabs);
    }
    return slab ? take_from(slabs, slab) : take_single(host, slabs);
}

// Returns the offset of a page in a slab. For a page before the slab, the difference wraps to a
// large number.
static uintptr_t offset_in(const micai_slabs *slabs, const micai_slab *slab, const void *page)
{
    return (uintptr_t)page - ((uintptr_t)slab - pages_size(slabs));
}

// Returns the slab that contains the page, or NULL.
static micai_slab *find_slab(const micai_slabs *slabs, const void *page)
{
    micai_slab *slab = slabs->first;
    while (slab && offset_in(slabs, slab, page) >= pages_size(slabs)) {
        slab = slab->next;
    }
    return slab;
}

static void remove_slab(micai_host *host, micai_slabs *slabs, micai_slab *slab)
{
    micai_slab **link = &slabs->first;
    while (*link != slab) {
        link = &(*link)->next;
    }
    *link = slab->next;
    micai_release(host, pages_of(slabs, slab), pages_size(slabs) + sizeof *slab, SLAB_ALIGN);
}

void micai_slabs_release(micai_host *host, micai_slabs *slabs, void *page)
{
    if (!page) {
        return;
    }
    micai_slab *slab = find_slab(slabs, page);
    if (!slab) {
        micai_release(host, page, slabs->size, PAGE_ALIGN);
        slabs->single--;
        return;
    }
    slab->taken &= ~(UINT64_C(1) << (offset_in(slabs, slab, page) / slabs->size));
    if (slab->taken == 0) {
        remove_slab(host, slabs, slab);
    }
}

// Returns the slab with the most taken pages that is not full, or NULL.
static micai_slab *find_fullest(const micai_slabs *slabs)
{
    micai_slab *fullest = NULL;
    for (micai_slab *slab = slabs->first; slab; slab = slab->next) {
        if (slab->taken != ALL_TAKEN &&
            (!fullest || micai_bits_ones(slab->taken) > micai_bits_ones(fullest->taken))) {
            fullest = slab;
        }
    }
    return fullest;
}

void *micai_slabs_pack(micai_host *host, micai_slabs *slabs, void *page)
{
    micai_slab *to = page ? find_fullest(slabs) : NULL;
    const micai_slab *from = to ? find_slab(slabs, page) : NULL;
    if (!to || to == from || (from && from->taken == ALL_TAKEN)) {
        return page;
    }
    void *packed = memcpy(take_from(slabs, to), page, slabs->size);
    micai_slabs_release(host, slabs, page);
    return packed;
}

bool micai_slabs_have(const micai_slabs *slabs, const void *page)
{
    const micai_slab *slab = find_slab(slabs, page);
    uintptr_t offset = slab ? offset_in(slabs, slab, page) : 0;
    return slab && offset % slabs->size == 0 && (slab->taken >> (offset / slabs->size) & 1) != 0;
}

uint32_t micai_slabs_count(const micai_slabs *slabs)
{
    uint32_t count = 0;
    for (const micai_slab *slab = slabs->first; slab; slab = slab->next) {
        count += micai_bits_ones(slab->taken);
    }
    return count;
}

mica_result micai_slabs_validate(micai_host *host, const micai_slabs *slabs)
{
    const micai_slab *slab = slabs->first;
    while (slab && slab->taken - 1 < ALL_TAKEN) {
        slab = slab->next;
    }
    return slab ? micai_fail_invariant(host, "M5", "the slabs of pages are damaged") : MICA_OK;
}
