// Frame memory: a linear allocator (arena) for temporary data, which is emptied after each step.
//
//   static void sort_by_distance(mica_iter *it)
//   {
//       float *distances = MICA_FRAME_ARRAY(it->world, float, it->count);
#ifndef MICA_FRAME_H
#define MICA_FRAME_H

#include <mica/memory.h>
#include <mica/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// Allocates uninitialized memory for `count` items of `size` bytes. MICA_FRAME_ARRAY(world, float,
// 100) returns a float *. [frame.array] The memory is valid until the running mica_step() returns,
// even with an error. Outside of a step, it is valid until the next mica_step()
// returns. [frame.good_until] The world keeps the underlying blocks until mica_world_reclaim(). So
// a frame that needs no more than the last one does not call the world's allocator. [frame.kept]
// Allowed at any time, except in hooks, in error handlers and on a recording
// world. [frame.any_time] O(1). [frame.cost] A count or size of 0 returns a pointer that must not
// be used. [frame.empty]
//
// Returns NULL on failure: MICA_ERROR_NULL, _MEMORY, or _ALIGNMENT if `align` is not a power of two
// up to 4,096. [frame.fail]
MICA_API void *mica_frame_alloc(mica_world *world, size_t count, size_t size, size_t align);

// Returns frame memory as an allocator, for code that takes one. Its blocks are valid as long as
// those of mica_frame_alloc(), and it fails in the same cases. [frame.allocator] Freeing a block
// does nothing, and is allowed at any time, even when the block is no longer
// valid. [frame.allocator_free] The last allocated block grows and shrinks in place while there is
// space. Growing another block copies it; shrinking leaves it in place. [frame.allocator_resize] Do
// not create a world with this allocator: a world needs its memory for longer than a frame. If
// `world` is NULL, returns all zero and reports MICA_ERROR_NULL. Otherwise `resize` is not
// NULL. [frame.allocator_null]
MICA_API mica_allocator mica_frame_allocator(mica_world *world);

#ifdef __cplusplus
}
#endif

#define MICA_FRAME_ARRAY(world, T, count)                                                          \
    (MICA_CAST_(T *, mica_frame_alloc(world, count, sizeof(T), MICA_ALIGNOF_(T))))

#endif
