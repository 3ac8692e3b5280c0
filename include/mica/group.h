// Groups of sparse components, and the order of their values.
//
//   mica_group movers = mica_group_new(world, &(mica_group_desc){.owned = {place, speed}});
//   mica_sort(world, sprite, by_depth, NULL);
//
// A group keeps an eye on the entities that have all of certain sparse components, and none of certain
// others, as they come and go. It changes what is quick and in which order entities come, never which
// match: everything is still asked for by queries. A query that needs all components of a group, and
// forbids those that the group forbids, walks the group and looks for nothing else; whether the query,
// the group or the entities were made first does not matter.
//
// - Components that are *owned* have the values of the group's entities in front, all in the same
//   order, so that a query of nothing but these gets segments of 1,024 rows or more, but for the
//   last, and runs as over plain arrays. [group.segments] Entering or leaving swaps two values in each. A component has one owner at most.
// - Components that are needed but not owned (`also`) stay where they are: their values are brought
//   together when a query asks for them. They can be in any number of groups.
// - A group that owns nothing keeps a list of its entities, which has an order of its own.
//
// Groups take part in every change of their components: adding or removing one costs three to four
// times as much. Making and freeing groups, and sorting, are structural changes: they end the validity of
// pointers, and are refused with MICA_ERROR_ITERATING during iteration.
#ifndef MICA_GROUP_H
#define MICA_GROUP_H

#include <mica/component.h>

#ifdef __cplusplus
extern "C" {
#endif

// Components of each kind in a group.
enum { MICA_GROUP_TYPES_MAX = 8 };

typedef struct mica_group {
    uint64_t bits; // private; 0: the null handle
    MICA_HANDLE_BOOL_
} mica_group;

// Returns the null handle. [group.none]
MICA_INLINE mica_group mica_group_none(void)
{
    mica_group none = {0};
    return none;
}

// Returns true for the null handle. [group.is_none]
MICA_INLINE bool mica_group_is_none(mica_group group)
{
    return group.bits == 0;
}

// Returns true if both are the same handle. [group.equal]
MICA_INLINE bool mica_group_equal(mica_group a, mica_group b)
{
    return a.bits == b.bits;
}

// Zero is the default of every field. The lists end with the first that is none; nothing may follow
// that. All types are sparse, and stand in one list only.
typedef struct mica_group_desc {
    uint32_t first_zero; // must be 0: catches a descriptor that was not zeroed

    mica_type owned[MICA_GROUP_TYPES_MAX];   // has it; its values are put in order
    mica_type also[MICA_GROUP_TYPES_MAX];    // has it
    mica_type without[MICA_GROUP_TYPES_MAX]; // has it not
    const char *name;                        // for error sentences; copied

    uint32_t last_zero; // must be 0
} mica_group_desc;

// None on failure: MICA_ERROR_NULL, _DESC, _TYPE, _NAME, _LIMIT, _ITERATING, _MEMORY; _TERMS if
// there are fewer than two types, none that is needed, or one twice; _ARGUMENT if a type is not
// sparse, or is to be owned and is stable; _OWNED, naming the other group, if a type has an owner
// already. [group.new_fail]
//
// Entities that are there enter in the order in which the first type has them. [group.enter]
// O(entities that have it), and about two swaps per component for each that
// enters. [group.new_cost]
MICA_API mica_group mica_group_new(mica_world *world, const mica_group_desc *desc);

// The values stay in the order they are in. [group.free] MICA_ERROR_NULL, _ITERATING;
// MICA_ERROR_GROUP for none, freed or foreign ones. [group.free_fail]
MICA_API mica_result mica_group_free(mica_world *world, mica_group group);

// How many entities are in the group. O(1). [group.count] MICA_ERROR_NULL, _GROUP, and
// 0. [group.count_fail]
MICA_API uint32_t mica_group_count(mica_world *world, mica_group group);

// Sorting. Entities come in this order from then on, where a query walks what was sorted, until some
// join or leave: who joins comes last, and who leaves is replaced by the last.

// One of the two that are compared: an entity, and its value of the type that is sorted by; NULL, of
// a tag.
typedef struct mica_sort_item {
    mica_entity entity;
    const void *value;
} mica_sort_item;

// Less than 0: `a` comes before `b`; 0: they stay in the order they are in. [compare.order] It may
// look at the world but not change it (MICA_ERROR_HANDLER), as the error handler, and must
// return. [compare.looks] One that contradicts itself gives some order.
typedef int mica_compare(const mica_sort_item *a, const mica_sort_item *b, void *user);

// Sorts the values of a sparse component. [sort.values] O(n log n) comparisons, O(n) if they are in
// order. [sort.cost] A component that nobody has: nothing happens. [sort.nobody]
// MICA_ERROR_ARGUMENT if it is not sparse, or stable; MICA_ERROR_OWNED, naming the group, if one
// owns it: mica_group_sort() sorts that. [sort.owned] MICA_ERROR_NULL, _TYPE, _ITERATING, _MEMORY.
// A call that fails leaves the order as it was. [sort.fail]
MICA_API mica_result mica_sort(mica_world *world, mica_type type, mica_compare *compare,
                               void *user);

// In the order in which another sparse component has its values: entities that have both come
// first, in that order; the others follow in the order they are in. O(n). [sort.like] The same
// errors; `other` may be owned and stable. [sort.like_fail]
MICA_API mica_result mica_sort_like(mica_world *world, mica_type type, mica_type other);

// Sorts the entities of a group by one of the types it needs: the values of all it owns, together,
// or its list. [group.sort] MICA_ERROR_GROUP; MICA_ERROR_ARGUMENT if the group does not need the
// type. MICA_ERROR_NULL, _TYPE, _ITERATING, _MEMORY. [group.sort_fail]
MICA_API mica_result mica_group_sort(mica_world *world, mica_group group, mica_type type,
                                     mica_compare *compare, void *user);

// The same in the order in which a sparse component has its values, which the group must not own:
// MICA_ERROR_OWNED. [group.sort_like] Entities of the group that do not have it come last, in the
// order they are in. [group.sort_last]
MICA_API mica_result mica_group_sort_like(mica_world *world, mica_group group, mica_type other);

#ifdef __cplusplus
}

MICA_HANDLE_OPERATORS_(mica_group)
#endif

#endif
