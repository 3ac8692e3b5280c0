// Allocation through the host, and the default allocator.
//
// Room:    base. Called by every room.
//
// Every block goes through change_block(), the only function that updates the counts (M2).
#ifdef __linux__
// NOLINTNEXTLINE(bugprone-reserved-identifier): the C library defines this name
#define _DEFAULT_SOURCE 1 // for madvise()
#endif

#include "base/memory.h"

#include "base/canary.h"
#include "base/compiler.h"
#include "base/number.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <malloc.h>
#elif defined(__linux__)
#include <sys/mman.h>
#endif

// The alignment must be a power of two.
static bool is_aligned(const void *block, size_t align)
{
    return ((uintptr_t)block & (align - 1)) == 0;
}

static void count_block(mica_memory_stats *memory, size_t old_size, size_t new_size)
{
    memory->bytes = memory->bytes - old_size + new_size;
    if (memory->bytes > memory->peak_bytes) {
        memory->peak_bytes = memory->bytes;
    }
    if (old_size == 0) {
        memory->blocks++;
    }
    if (new_size == 0) {
        memory->blocks--;
    } else {
        memory->allocations++;
    }
}

// The host must have a limit.
MICAI_COLD static bool is_beyond_limit(const micai_host *host, size_t old_size, size_t new_size)
{
    return new_size > old_size && (host->memory.bytes > host->memory_max ||
                                   new_size - old_size > host->memory_max - host->memory.bytes);
}

static size_t add_up_to_most(size_t size, uint64_t extra)
{
    return extra > SIZE_MAX - size ? SIZE_MAX : size + (size_t)extra;
}

void micai_memory_limit(micai_host *host, uint64_t extra, const char *sentence)
{
    host = micai_host_main(host);
    host->memory_max = add_up_to_most(host->memory.bytes, extra);
    host->beyond_maximum = sentence;
}

void micai_memory_raise_limit(micai_host *host, uint64_t extra)
{
    host = micai_host_main(host);
    host->memory_max = host->memory_max > 0 ? add_up_to_most(host->memory_max, extra) : 0;
}

mica_result micai_memory_remove_limit(micai_host *host, mica_result result)
{
    bool limited = result == MICA_ERROR_MEMORY && host->failed == MICA_ERROR_LIMIT;
    host = micai_host_main(host);
    host->memory_max = 0;
    host->beyond_maximum = NULL;
    return limited ? MICA_ERROR_LIMIT : result;
}

// Calls the allocator once and counts the block on success. Reports nothing.
static void *change_block(micai_host *host, void *block, size_t old_size, size_t new_size,
                          size_t align)
{
    assert(align != 0 && (align & (align - 1)) == 0);
    assert((block == NULL) == (old_size == 0));
    host = micai_host_main(host);
    mica_resize_fn *resize = host->allocator.resize;
    if (resize == NULL) {
        resize = micai_system_resize;
    }
    if (host->memory_max > 0 && is_beyond_limit(host, old_size, new_size)) {
        return NULL;
    }
    void *changed = resize(host->allocator.user, block, old_size, new_size, align);
    bool counts = changed != NULL || new_size == 0;
    if (MICAI_CANARY("base.refused_bytes")) {
        counts = true;
    }
    if (counts) {
        count_block(&host->memory, old_size, new_size);
    }
    return changed;
}

MICAI_COLD static void report_refusal(micai_host *host, size_t old_size, size_t new_size)
{
    const micai_host *main = micai_host_main(host);
    if (main->memory_max > 0 && is_beyond_limit(main, old_size, new_size)) {
        micai_fail_within(host, MICA_ERROR_LIMIT, "%s", main->beyond_maximum);
    } else {
        micai_fail_within(host, MICA_ERROR_MEMORY, "the allocator refused %llu bytes",
                          (unsigned long long)new_size);
    }
}

void *micai_resize(micai_host *host, void *block, size_t old_size, size_t new_size, size_t align)
{
    assert(new_size != 0);
    void *changed = change_block(host, block, old_size, new_size, align);
    if (changed == NULL) {
        report_refusal(host, old_size, new_size);
    } else if (block == NULL && !is_aligned(changed, align)) {
        // The allocator ignored `align`. Reporting it here is better than a crash later.
        micai_release(host, changed, new_size, align);
        micai_fail_within(host, MICA_ERROR_MEMORY,
                          "the allocator gave a block not aligned to %llu bytes",
                          (unsigned long long)align);
        changed = NULL;
    }
    return changed;
}

void *micai_alloc(micai_host *host, size_t size, size_t align)
{
    return size == 0 ? NULL : micai_resize(host, NULL, 0, size, align);
}

void *micai_alloc_try(micai_host *host, size_t size, size_t align)
{
    void *block = change_block(host, NULL, 0, size, align);
    if (block != NULL && !is_aligned(block, align)) {
        micai_release(host, block, size, align);
        block = NULL;
    }
    return block;
}

void *micai_alloc_zeroed(micai_host *host, size_t size, size_t align)
{
    void *block = micai_alloc(host, size, align);
    if (block != NULL) {
        memset(block, 0, size);
    }
    return block;
}

void *micai_alloc_array(micai_host *host, size_t count, size_t item_size, size_t align)
{
    if (item_size != 0 && count > SIZE_MAX / item_size) {
        micai_fail_within(host, MICA_ERROR_MEMORY,
                          "%llu items of %llu bytes are more than memory can hold",
                          (unsigned long long)count, (unsigned long long)item_size);
        return NULL;
    }
    return micai_alloc(host, count * item_size, align);
}

// Allocates one block of that size and releases it at once; it is not counted. Skipped below a
// gigabyte: an allocator may be able to serve the parts but not one large block.
bool micai_probe(micai_host *host, uint64_t size)
{
    const size_t align = _Alignof(max_align_t);
    const mica_allocator *allocator = &host->allocator;
    mica_resize_fn *resize = allocator->resize ? allocator->resize : micai_system_resize;
    if (size < UINT64_C(1) << 30) {
        return true;
    }
    void *block =
        size <= SIZE_MAX / 2 ? resize(allocator->user, NULL, 0, (size_t)size, align) : NULL;
    if (block == NULL) {
        micai_fail_within(host, MICA_ERROR_MEMORY, "the allocator refused %llu bytes in all",
                          (unsigned long long)size);
        return false;
    }
    resize(allocator->user, block, (size_t)size, 0, align);
    return true;
}

void micai_release(micai_host *host, void *block, size_t size, size_t align)
{
    if (block != NULL) {
        change_block(host, block, size, 0, align);
    }
}

char *micai_copy_text(micai_host *host, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = micai_alloc(host, size, 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void micai_release_text(micai_host *host, char *text)
{
    if (text != NULL) {
        micai_release(host, text, strlen(text) + 1, 1);
    }
}

mica_result micai_memory_validate(micai_host *host)
{
    const mica_memory_stats *memory = &host->memory;
    if (memory->bytes > memory->peak_bytes || memory->blocks > memory->allocations ||
        memory->blocks > memory->bytes) {
        return micai_fail_invariant(host, "M3", "memory is miscounted");
    }
    if ((host->memory_max > 0 || host->beyond_maximum) && !host->handler) {
        return micai_fail_invariant(host, "M7", "a limit of memory was left behind");
    }
    return MICA_OK;
}

// The alignment that malloc() guarantees. On Windows, it is less than that of max_align_t, because
// gcc includes its 16-byte floats.
#ifdef _WIN32
#define MALLOC_ALIGN (2 * sizeof(void *))
#else
#define MALLOC_ALIGN _Alignof(max_align_t)
#endif

#ifdef _WIN32
static void *allocate_aligned(size_t size, size_t align)
{
    return _aligned_malloc(size, align);
}
#else
static void *allocate_aligned(size_t size, size_t align)
{
    // C11 requires the size to be a multiple of the alignment.
    if (size > SIZE_MAX - (align - 1)) {
        return NULL;
    }
    return aligned_alloc(align, micai_round_up(size, align));
}
#endif

// Puts large blocks on 2 MiB pages where the system offers them on request. One page fault then
// replaces 512, and one TLB entry covers the page. A huge page is resident as a whole, even if only
// part of it is used. So smaller blocks do not ask for one.
#ifdef MADV_HUGEPAGE
#define HUGE_PAGE ((size_t)2 << 20)

static void *allocate(size_t size, size_t align)
{
    if (size < HUGE_PAGE) {
        return allocate_aligned(size, align);
    }
    void *block = NULL; // aligned_alloc() could take up to a page more
    if (size > PTRDIFF_MAX || posix_memalign(&block, align < HUGE_PAGE ? HUGE_PAGE : align, size)) {
        return NULL;
    }
    (void)madvise(block, size & ~(HUGE_PAGE - 1), MADV_HUGEPAGE); // a hint; failure is harmless
    return block;
}
#else
#define allocate allocate_aligned
#endif

static void free_aligned(void *block)
{
#ifdef _WIN32
    _aligned_free(block);
#else
    free(block);
#endif
}

// C has no aligned realloc(), so this allocates, copies and frees.
static void *resize_aligned(void *block, size_t old_size, size_t new_size, size_t align)
{
    if (new_size == 0) {
        free_aligned(block);
        return NULL;
    }
    void *changed = allocate(new_size, align);
    if (changed != NULL && block != NULL) {
        memcpy(changed, block, old_size < new_size ? old_size : new_size);
        free_aligned(block);
    }
    return changed;
}

void *micai_system_resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    (void)user;
    if (align > MALLOC_ALIGN) {
        return resize_aligned(block, old_size, new_size, align);
    }
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}
