// Sets of component types, with set operations: for example the components of an entity, or those
// that a query requires.
//
//   mica_type_set moving = {0};
//   mica_type_set_add_list(world, &moving, (mica_type[]){position, velocity}, 2);
//   for (mica_type t = mica_type_set_next(world, &moving, (mica_type){0}); !MICA_IS_NONE(t);
//        t = mica_type_set_next(world, &moving, t)) { ... }
//   mica_type_set_free(world, &moving);
//
// A query takes sets (mica_query_desc), and so does mica_change_sets(). For other calls, write the
// set into a list: mica_type_set_list().
//
// { 0 } is the empty set. Use a set with one world only. A set of types among the first 256 types
// of a world never allocates. A set with later types allocates memory from the world.
// mica_type_set_free() frees it; calling it for a set without memory does nothing. Do not copy a
// set by assignment: use mica_type_set_copy(). Functions that write a set fail only with
// MICA_ERROR_MEMORY, _NULL or _TYPE, and then leave the target as it was.
#ifndef MICA_TYPE_SET_H
#define MICA_TYPE_SET_H

#include <mica/type.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MICA_TYPE_SET_INLINE_WORDS = 4 };

typedef struct mica_type_set {
    // private
    uint64_t words[MICA_TYPE_SET_INLINE_WORDS]; // types 0 to 255, one bit each
    uint64_t *more;                             // types from 256 on; NULL: none
    uint32_t more_count;                        // words at `more`
    uint32_t reserved;
} mica_type_set;

// Frees the memory of a set, which is then empty. [set.free]
MICA_API void mica_type_set_free(mica_world *world, mica_type_set *set);

// Add a type to a set, or remove it. [set.add]
MICA_API mica_result mica_type_set_add(mica_world *world, mica_type_set *target, mica_type type);
MICA_API mica_result mica_type_set_remove(mica_world *world, mica_type_set *target, mica_type type);

// Adds all types of a list, or none if one of them is invalid. [set.add_list] A list may be empty
// (NULL and 0) and may have a type twice. [set.add_list_any]
MICA_API mica_result mica_type_set_add_list(mica_world *world, mica_type_set *target,
                                            const mica_type *types, uint32_t count);

// Copy a set, or compute the union (a or b), the intersection (a and b) or the difference (a but
// not b). [set.join] The target may be one of the sources. [set.target]
MICA_API mica_result mica_type_set_copy(mica_world *world, mica_type_set *target,
                                        const mica_type_set *source);
MICA_API mica_result mica_type_set_union(mica_world *world, mica_type_set *target,
                                         const mica_type_set *a, const mica_type_set *b);
MICA_API mica_result mica_type_set_intersection(mica_world *world, mica_type_set *target,
                                                const mica_type_set *a, const mica_type_set *b);
MICA_API mica_result mica_type_set_difference(mica_world *world, mica_type_set *target,
                                              const mica_type_set *a, const mica_type_set *b);

// Tests. mica_type_set_has() is true if the type is in the set. [set.has] mica_type_set_contains()
// is true if every type of `part` is in `whole`. [set.contains] mica_type_set_overlaps() is true if
// the sets have a common type. [set.overlaps] mica_type_set_equal() is true if they have the same
// types. [set.equal] A null pointer counts as the empty set. A type that is null or foreign is in
// no set and is an error. [set.null]
MICA_API bool mica_type_set_has(mica_world *world, const mica_type_set *set, mica_type type);
MICA_API bool mica_type_set_contains(const mica_type_set *whole, const mica_type_set *part);
MICA_API bool mica_type_set_overlaps(const mica_type_set *a, const mica_type_set *b);
MICA_API bool mica_type_set_equal(const mica_type_set *a, const mica_type_set *b);

// Returns the number of types in the set, tags included. [set.count]
MICA_API uint32_t mica_type_set_count(const mica_type_set *set);

// Iterates the types of the set in order of registration. Returns the first one after `previous`,
// or the null handle at the end. [set.next]
MICA_API mica_type mica_type_set_next(mica_world *world, const mica_type_set *set,
                                      mica_type previous);

// Writes the types of the set into a list, in order of registration, at most `capacity` of them.
// Use it for calls that take a list of types, such as mica_bundle_new(). [set.list] Returns the
// number of types in the set, which may be more. With capacity 0, the list may be
// NULL. [set.list_count] Returns 0 and reports MICA_ERROR_NULL without a world or
// list. [set.list_fail]
MICA_API uint32_t mica_type_set_list(mica_world *world, const mica_type_set *set,
                                     mica_type *types_out, uint32_t capacity);

// Return the number of data columns of a table with these types, and the column number of one type.
// Tags and sparse types have no columns. [set.columns] The column number is -1 for a tag, for a
// sparse type and for a type that is not in the set. [set.no_column]
MICA_API uint32_t mica_type_set_column_count(mica_world *world, const mica_type_set *set);
MICA_API int32_t mica_type_set_column(mica_world *world, const mica_type_set *set, mica_type type);

#ifdef __cplusplus
}
#endif

#endif
