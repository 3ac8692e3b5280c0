// Sets of component types, as values to compute with: what an entity has, what a query needs.
//
//   mica_types moving = {0};
//   mica_types_add(world, &moving, position);
//   mica_types_add(world, &moving, velocity);
//   for (mica_type t = mica_types_next(world, &moving, mica_type_none()); !mica_type_is_none(t);
//        t = mica_types_next(world, &moving, t)) { ... }
//   mica_types_free(world, &moving);
//
// { 0 } is the empty set. Sets are used with the world whose types they hold. A set over the first
// 256 types of a world never allocates; one that goes further takes memory from the world, which
// mica_types_free() gives back (calling it is always right). Do not copy a set by assignment:
// use mica_types_copy(). Operations that write a set fail with MICA_ERROR_MEMORY at most, beside
// null pointers and foreign types, and leave the target as it was.
#ifndef MICA_TYPES_H
#define MICA_TYPES_H

#include <mica/type.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MICA_TYPES_INLINE_WORDS = 4 };

typedef struct mica_types {
    // private
    uint64_t words[MICA_TYPES_INLINE_WORDS]; // types 0 to 255, one bit each
    uint64_t *more;                          // types from 256 on; NULL while there are none
    uint32_t more_count;                     // words at `more`
    uint32_t reserved;
} mica_types;

// Gives back memory and empties the set. [set.free]
MICA_API void mica_types_free(mica_world *world, mica_types *set);

// target = target with type; target = target without type. [set.add]
MICA_API mica_result mica_types_add(mica_world *world, mica_types *target, mica_type type);
MICA_API mica_result mica_types_remove(mica_world *world, mica_types *target, mica_type type);

// target = source; a or b; a and b; a but not b. [set.join] The target may be one of the
// sources. [set.target]
MICA_API mica_result mica_types_copy(mica_world *world, mica_types *target,
                                     const mica_types *source);
MICA_API mica_result mica_types_union(mica_world *world, mica_types *target, const mica_types *a,
                                      const mica_types *b);
MICA_API mica_result mica_types_intersection(mica_world *world, mica_types *target,
                                             const mica_types *a, const mica_types *b);
MICA_API mica_result mica_types_difference(mica_world *world, mica_types *target,
                                           const mica_types *a, const mica_types *b);

// Is the type in the set? [set.has] Is every type of `part` in `whole`? [set.contains] Have they a
// type in common? [set.overlaps] Are they the same? [set.equal] A null set counts as empty; a type
// that is none or foreign is in no set and is an error. [set.null]
MICA_API bool mica_types_has(mica_world *world, const mica_types *set, mica_type type);
MICA_API bool mica_types_contains(const mica_types *whole, const mica_types *part);
MICA_API bool mica_types_overlaps(const mica_types *a, const mica_types *b);
MICA_API bool mica_types_equal(const mica_types *a, const mica_types *b);

// How many types are in the set, tags included. [set.count]
MICA_API uint32_t mica_types_count(const mica_types *set);

// The types of the set in order of registration: the first after `previous`, none at the
// end. [set.next]
MICA_API mica_type mica_types_next(mica_world *world, const mica_types *set, mica_type previous);

// How many data columns a table of entities with these types has (tags and sparse types have none),
// and which of them is the type's: the number of columns before it. [set.columns] -1 for a tag, for
// a sparse type and for one that is not in the set. [set.no_column]
MICA_API uint32_t mica_types_column_count(mica_world *world, const mica_types *set);
MICA_API int32_t mica_types_column(mica_world *world, const mica_types *set, mica_type type);

#ifdef __cplusplus
}
#endif

#endif
