// Memory for a frame: cut from large blocks, never given back piece by piece, empty again after each step.
//
//   static void sort_by_distance(mica_iter *it)
//   {
//       float *distances = MICA_FRAME_ARRAY(it->world, float, it->count);
#ifndef MICA_FRAME_H
#define MICA_FRAME_H

#include <mica/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// Not initialised; good until the next mica_step() that is called, or is running, returns, be it
// with an error. [frame.good_until] The blocks are kept, until mica_world_reclaim(), so that a
// frame like the last one asks the allocator for nothing. [frame.kept] At any time, but not from
// hooks and error handlers, nor on a world that records. [frame.any_time] O(1). [frame.cost] Size 0
// gives a pointer not to be used. [frame.empty]
//
// NULL on failure: MICA_ERROR_NULL, _MEMORY; _ALIGNMENT, unless that is a power of two up to
// 4,096. [frame.fail]
MICA_API void *mica_frame_alloc(mica_world *world, size_t size, size_t align);

// For so many items side by side: MICA_FRAME_ARRAY(world, float, 100) gives a float
// *. [frame.array]
MICA_API void *mica_frame_alloc_array(mica_world *world, size_t count, size_t size, size_t align);

#ifdef __cplusplus
}
#endif

#define MICA_FRAME_ARRAY(world, T, count)                                                          \
    (MICA_CAST_(T *, mica_frame_alloc_array(world, count, sizeof(T), MICA_ALIGNOF_(T))))

#endif
