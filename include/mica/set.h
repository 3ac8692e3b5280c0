// Sets of component types, as values to compute with: what an entity has, what a query needs.
//
//   mica_type_set moving = {0};
//   mica_type_set_add(world, &moving, position);
//   mica_type_set_add(world, &moving, velocity);
//   for (mica_type t = mica_type_set_next(world, &moving, MICA_NO_TYPE); !mica_type_is_none(t);
//        t = mica_type_set_next(world, &moving, t)) { ... }
//   mica_type_set_free(world, &moving);
//
// { 0 } is the empty set. Sets are used with the world whose types they hold. A set over the first
// 256 types of a world never allocates; one that goes further takes memory from the world, which
// mica_type_set_free() gives back (calling it is always right). Do not copy a set by assignment:
// use mica_type_set_copy(). Operations that write a set fail with MICA_ERROR_MEMORY at most, beside
// null pointers and foreign types, and leave the target as it was.
#ifndef MICA_SET_H
#define MICA_SET_H

#include <mica/type.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MICA_SET_INLINE_WORDS = 4 };

typedef struct mica_type_set {
    // private
    uint64_t words[MICA_SET_INLINE_WORDS]; // types 0 to 255, one bit each
    uint64_t *more;                        // types from 256 on; NULL while there are none
    uint32_t more_count;                   // words at `more`
    uint32_t reserved;
} mica_type_set;

// Gives back memory and empties the set.
MICA_API void mica_type_set_free(mica_world *world, mica_type_set *set);

// target = target with type; target = target without type.
MICA_API mica_result mica_type_set_add(mica_world *world, mica_type_set *target, mica_type type);
MICA_API mica_result mica_type_set_remove(mica_world *world, mica_type_set *target, mica_type type);

// target = source; a or b; a and b; a but not b. The target may be one of the sources.
MICA_API mica_result mica_type_set_copy(mica_world *world, mica_type_set *target,
                                        const mica_type_set *source);
MICA_API mica_result mica_type_set_union(mica_world *world, mica_type_set *target,
                                         const mica_type_set *a, const mica_type_set *b);
MICA_API mica_result mica_type_set_intersection(mica_world *world, mica_type_set *target,
                                                const mica_type_set *a, const mica_type_set *b);
MICA_API mica_result mica_type_set_difference(mica_world *world, mica_type_set *target,
                                              const mica_type_set *a, const mica_type_set *b);

// Is the type in the set? Is every type of `part` in `whole`? Have they a type in common?
// Are they the same? A null set counts as empty; a type that is none or foreign is in no set and is
// an error.
MICA_API bool mica_type_set_has(mica_world *world, const mica_type_set *set, mica_type type);
MICA_API bool mica_type_set_contains(const mica_type_set *whole, const mica_type_set *part);
MICA_API bool mica_type_set_overlaps(const mica_type_set *a, const mica_type_set *b);
MICA_API bool mica_type_set_equal(const mica_type_set *a, const mica_type_set *b);

// How many types are in the set, tags included.
MICA_API uint32_t mica_type_set_count(const mica_type_set *set);

// The types of the set in order of registration: the first after `previous`, none at the end.
MICA_API mica_type mica_type_set_next(mica_world *world, const mica_type_set *set,
                                      mica_type previous);

// How many data columns a table of this archetype has (tags have none), and which of them is the
// type's: the number of data-carrying types before it. -1 for a tag and for a type that is not in
// the set.
MICA_API uint32_t mica_type_set_column_count(mica_world *world, const mica_type_set *set);
MICA_API int32_t mica_type_set_column(mica_world *world, const mica_type_set *set, mica_type type);

#ifdef __cplusplus
}
#endif

#endif
