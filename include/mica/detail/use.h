// Private: what only some types and queries need is linked only into programs that have them.
//
// Nothing in the library refers to the code of sparse, split, ring and toggled types, of change
// filters and of systems on threads, except the functions mica_use_...() below. The inline functions that register types and
// create queries call them. If the descriptor is known where they are called, the compiler removes
// the calls that are not needed. The linker then drops that code (-Wl,--gc-sections). If it is not
// known, the program is larger, but the same.
#ifndef MICA_DETAIL_USE_H
#define MICA_DETAIL_USE_H

#include <mica/api.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mica_world;
struct mica_type_desc;
struct mica_query_desc;
struct mica_system_desc;

// They do nothing if `world` is NULL.
MICA_API void mica_use_sparse_(struct mica_world *world);
MICA_API void mica_use_split_(struct mica_world *world);
MICA_API void mica_use_ring_(struct mica_world *world);
MICA_API void mica_use_toggle_(struct mica_world *world);
MICA_API void mica_use_filters_(struct mica_world *world);
MICA_API void mica_use_waves_(struct mica_world *world);

// The functions without the underscore, after what they need is used. They return the bits of the
// handle, whose type is not complete here.
MICA_API uint64_t mica_type_register_(struct mica_world *world, const struct mica_type_desc *desc);
MICA_API uint64_t mica_query_new_(struct mica_world *world, const struct mica_query_desc *desc);
MICA_API uint64_t mica_system_add_(struct mica_world *world, const struct mica_system_desc *desc);

#ifdef __cplusplus
}
#endif

#endif
