// Groups of sparse components that are iterated together, and sorting.
//
//   mica_group movers = mica_group_new(world, &(mica_group_desc){.owned = {place, speed}});
//   mica_sort(world, sprite, by_depth, NULL);
//
// A group tracks the entities that have all of certain sparse components and none of certain
// others. It changes only speed and order, never which entities match: queries still do all the
// iteration. A query uses a group if it requires all components of the group and excludes those
// that the group excludes. It then checks nothing else. The order in which query, group and
// entities are created does not matter.
//
// - *Owned* components keep the values of the group's entities at the front, all in the same
//   order. A query for only these gets segments of 1,024 rows or more, except for the last one, and
//   runs as fast as over plain arrays. [group.segments] Entering or leaving the group swaps two
//   values per component. A component has at most one owner.
// - Components that are required but not owned (`required`) keep their order. Their values are
//   gathered when a query reads them. They can be in any number of groups.
// - A group that owns nothing keeps a list of its entities in its own order.
//
// Groups make adding and removing their components three to four times slower. Creating and freeing
// groups, and sorting, are structural changes: they invalidate pointers, and fail with
// MICA_ERROR_ITERATING during iteration.
#ifndef MICA_GROUP_H
#define MICA_GROUP_H

#include <mica/component.h>

#ifdef __cplusplus
extern "C" {
#endif

// The limit of components in each list of a group.
enum { MICA_GROUP_TYPES_MAX = 8 };

typedef struct mica_group {
    uint64_t bits; // private; 0: the null handle
    MICA_HANDLE_BOOL_
} mica_group;

// Zero is the default of every field. A list ends at its first null handle; only null handles may
// follow. All types must be sparse, and may be in one list only.
typedef struct mica_group_desc {
    uint32_t first_zero; // must be 0

    mica_type owned[MICA_GROUP_TYPES_MAX];    // required; the group keeps their values in order
    mica_type required[MICA_GROUP_TYPES_MAX]; // required, but not owned
    mica_type without[MICA_GROUP_TYPES_MAX];  // excluded
    const char *name;                         // for error messages; copied

    uint32_t last_zero; // must be 0
} mica_group_desc;

// Creates a group. Returns the null handle on failure: MICA_ERROR_NULL, _DESC, _TYPE, _NAME,
// _LIMIT, _ITERATING, _MEMORY. Fails with _TERMS if there are fewer than two types, none in `owned`
// and `required`, or a type that is listed twice. Fails with _ARGUMENT if a type is not sparse, or
// is owned and stable. Fails with _OWNED, naming the other group, if a type has an owner
// already. [group.new_fail]
//
// Existing entities enter in the order of the first type's values. [group.enter] O(entities with
// that type), plus about two swaps per component for each that enters. [group.new_cost]
MICA_API mica_group mica_group_new(mica_world *world, const mica_group_desc *desc);

// Frees a group. Values keep their order. [group.free] Fails with MICA_ERROR_NULL, _ITERATING, and
// with MICA_ERROR_GROUP for null, freed and foreign handles. [group.free_fail]
MICA_API mica_result mica_group_free(mica_world *world, mica_group group);

// Sorting. The order lasts until entities are added or removed: a new one comes last, and the last
// one takes the place of a removed one. Queries that iterate the sorted values return entities in
// this order.

// One side of a comparison: an entity, and its value of the type to sort by. The value of a tag is
// NULL.
typedef struct mica_sort_item {
    mica_entity entity;
    const void *value;
} mica_sort_item;

// Returns less than 0 if `a` comes before `b`, more than 0 if `b` comes before `a`, and 0 to keep
// their present order. [compare.order] It may read the world but not change it
// (MICA_ERROR_HANDLER), like an error handler, and must return normally. [compare.looks] If
// comparisons contradict each other, the order is unspecified.
typedef int mica_compare(const mica_sort_item *a, const mica_sort_item *b, void *user);

// Sorts the values of a sparse component. [sort.values] O(n log n) comparisons, O(n) if they are
// sorted already. [sort.cost] Does nothing if no entity has the component. [sort.nobody] Fails with
// MICA_ERROR_ARGUMENT if it is not sparse, or is stable. Fails with MICA_ERROR_OWNED, naming the
// group, if a group owns it: use mica_group_sort(). [sort.owned] Fails with MICA_ERROR_NULL, _TYPE,
// _ITERATING, _MEMORY. A failed call leaves the order as it was. [sort.fail]
MICA_API mica_result mica_sort(mica_world *world, mica_type type, mica_compare *compare,
                               void *user);

// Sorts the values of a sparse component in the order of another one. Entities with both come
// first, in that order; the others follow in their present order. O(n). [sort.like] Fails with the
// same errors, except that `other` may be owned and stable. [sort.like_fail]
MICA_API mica_result mica_sort_like(mica_world *world, mica_type type, mica_type other);

// Sorts the entities of a group by one of its owned or required types. Reorders the values of all
// owned components or, in a group that owns nothing, the list of entities. [group.sort] Fails with
// MICA_ERROR_GROUP, and with MICA_ERROR_ARGUMENT if the group does not require the type. Fails with
// MICA_ERROR_NULL, _TYPE, _ITERATING, _MEMORY. [group.sort_fail]
MICA_API mica_result mica_group_sort(mica_world *world, mica_group group, mica_type type,
                                     mica_compare *compare, void *user);

// Sorts the entities of a group in the order of a sparse component. Fails with MICA_ERROR_OWNED if
// the group owns that component. [group.sort_like] Entities of the group without it come last, in
// their present order. [group.sort_last]
MICA_API mica_result mica_group_sort_like(mica_world *world, mica_group group, mica_type other);

#ifdef __cplusplus
}

MICA_HANDLE_OPERATORS_(mica_group)
#endif

#endif
