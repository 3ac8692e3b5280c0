// Frame memory. mica/frame.h has the contract.
#include <mica/frame.h>

#include "system/system.h"

#define ALIGN_MAX 4096

static void *alloc(mica_world *world, const char *call, size_t count, size_t size, size_t align)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    if (align == 0 || align > ALIGN_MAX || (align & (align - 1)) != 0) {
        micai_fail(&world->host, MICA_ERROR_ALIGNMENT,
                   "%s: an alignment of %llu; it must be a power of two up to %d", call,
                   (unsigned long long)align, ALIGN_MAX);
        return NULL;
    }
    if (micai_world_guard_edit(world, call)) {
        return NULL;
    }
    micai_host_begin(&world->host, call);
    micai_systems *all = micai_systems_open(world);
    void *memory =
        all ? micai_arena_alloc_array(&world->host, &all->frame, count, size, align) : NULL;
    micai_host_end(&world->host);
    return memory;
}

void *mica_frame_alloc(mica_world *world, size_t size, size_t align)
{
    return alloc(world, "mica_frame_alloc", 1, size, align);
}

void *mica_frame_alloc_array(mica_world *world, size_t count, size_t size, size_t align)
{
    return alloc(world, "mica_frame_alloc_array", count, size, align);
}
