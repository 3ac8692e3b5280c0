// Frame memory. mica/frame.h has the contract.
#include <mica/frame.h>

#include <string.h>

#include "system/wave.h"

#define ALIGN_MAX 4096

// Returns false, with a report, if no frame memory may be allocated now.
static bool may_allocate(mica_world *world, const char *call, size_t align)
{
    if (align == 0 || align > ALIGN_MAX || (align & (align - 1)) != 0) {
        micai_fail(&world->host, MICA_ERROR_ALIGNMENT,
                   "%s: an alignment of %llu; it must be a power of two up to %d", call,
                   (unsigned long long)align, ALIGN_MAX);
        return false;
    }
    return !micai_world_guard_own(world, call);
}

// Returns the arena of the world, or of the worker that calls. NULL: there is none yet.
static micai_arena *arena_of(mica_world *world)
{
    micai_worker *worker = world->state->worker;
    micai_systems *all = worker ? NULL : micai_systems_of(world);
    return worker ? &worker->frame : all ? &all->frame : NULL;
}

static void *allocate(mica_world *world, const char *call, size_t count, size_t size, size_t align)
{
    micai_host_begin(&world->host, call);
    micai_arena *arena = world->state->worker || micai_systems_open(world) ? arena_of(world) : NULL;
    void *memory = arena ? micai_arena_alloc_array(&world->host, arena, count, size, align) : NULL;
    micai_host_end(&world->host);
    return memory;
}

void *mica_frame_alloc(mica_world *world, size_t count, size_t size, size_t align)
{
    static const char call[] = "mica_frame_alloc";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    return may_allocate(world, call, align) ? allocate(world, call, count, size, align) : NULL;
}

// The allocator's function. A block is not freed, even if it is the last one: it may be of an
// earlier frame and only have the place of the last one of this frame.
static void *resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    static const char call[] = "mica_frame_allocator";
    mica_world *world = user;
    if (new_size == 0) {
        return NULL;
    }
    if (!may_allocate(world, call, align)) {
        return NULL;
    }
    micai_arena *arena = arena_of(world);
    if (block && arena && micai_arena_resize_last(arena, block, old_size, new_size)) {
        return block;
    }
    if (block && new_size <= old_size) {
        return block;
    }
    void *memory = allocate(world, call, 1, new_size, align);
    if (memory && old_size > 0) {
        memcpy(memory, block, old_size);
    }
    return memory;
}

mica_allocator mica_frame_allocator(mica_world *world)
{
    if (!world) {
        micai_fail_null(NULL, "mica_frame_allocator", "world");
        return (mica_allocator){0};
    }
    return (mica_allocator){.resize = resize, .user = world};
}
