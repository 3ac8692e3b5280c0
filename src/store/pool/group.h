// Groups: keep entities together that are in certain pools and in none of certain others.
//
//     pools[0]   | a b c d | x y     a b c d are the group's entities: at the front, in the same order
//     pools[1]   | a b c d | z       owned
//     pools[2]     x d a c b         needed, not owned
//
// Room:    store/pool. Called by the pools, entity/group and query/candidates.
//
// An entity that enters an owning group is swapped with the first row after the group, in each
// owned pool. One that leaves is swapped with the group's last row. A group that owns no pool has a
// list, which is a pool without values. Both need no memory and cannot fail. A list has the
// capacity of its first pool. Values with a move hook are swapped through memory that was allocated
// with the group.
//
// Invariants, checked by micai_groups_validate() and cited by tests:
//   P8  A pool lists the groups that use it, and its owner is the group that owns it. An owned pool
//       is not stable.
//   P9  The entities of a group are exactly those that are in all its needed pools and in none of
//       the forbidden ones. In all owned pools they have the same rows, which are the first.
//   P10 A list has at least the capacity of its group's first pool, and every leaf that the pool
//       has.
//   P11 A group's handle refers to it. Its presence words agree with its pools. It has scratch
//       memory for a value of every owned type with a move hook.
#ifndef MICAI_STORE_POOL_GROUP_H
#define MICAI_STORE_POOL_GROUP_H

#include <mica/group.h>

#include "store/pool/pool.h"

#define MICAI_GROUP_POOLS (3u * MICA_GROUP_TYPES_MAX)

// The bits that a group tests in one word of presence.
typedef struct micai_group_word {
    uint32_t word;
    uint64_t needed;
    uint64_t forbidden;
} micai_group_word;

struct micai_group {
    mica_group handle;
    uint64_t seed;                        // for the handle: number of groups created so far
    char *name;                           // NULL: none
    micai_pool *pools[MICAI_GROUP_POOLS]; // owned, needed, forbidden
    uint32_t owned_count;
    uint32_t needed_count; // including the owned ones
    uint32_t pool_count;
    uint32_t word_count;
    micai_group_word words[MICAI_GROUP_POOLS];
    uint32_t count;   // number of entities of an owning group
    micai_pool *list; // the list of a group that owns no pool; NULL: it owns some
    void *scratch;    // for swapping a value; NULL: not needed
    size_t scratch_size;
    uint32_t scratch_align;
};

// The description of a new group.
typedef struct micai_group_plan {
    const micai_type *types[MICAI_GROUP_POOLS]; // owned, needed, forbidden
    uint32_t owned_count;
    uint32_t needed_count;
    uint32_t type_count;
    const char *name; // NULL: none
} micai_group_plan;

// Returns the list of a group whose first pool is this one, or NULL.
static inline micai_pool *micai_group_led_list(const micai_group *group, const micai_pool *pool)
{
    return group->pools[0] == pool ? group->list : NULL;
}

#define MICAI_FOR_LISTS(list, pool)                                                                \
    micai_pool *list;                                                                              \
    for (uint32_t g_ = 0; g_ < (pool)->groups.count; g_++)                                         \
        if ((list = micai_group_led_list((pool)->groups.items[g_], pool)) != NULL)

// Return the pool whose first rows are the group's entities, and their number.
static inline micai_pool *micai_group_front(const micai_group *group)
{
    return group->list ? group->list : group->pools[0];
}

static inline uint32_t micai_group_size(const micai_group *group)
{
    return group->list ? group->list->table.count : group->count;
}

// Returns the group of a handle, or NULL if it is null, freed or foreign.
static inline micai_group *micai_groups_find(const micai_pools *pools, mica_group handle)
{
    micai_group *group = micai_handles_find(&pools->groups, handle.bits);
    return group && group->handle.bits == handle.bits ? group : NULL;
}

// Creates a group and enters all existing entities that match. Returns NULL on MICA_ERROR_MEMORY or
// MICA_ERROR_LIMIT. `seal` is the state's.
micai_group *micai_group_new(micai_pools *pools, uint64_t seal, const micai_group_plan *plan,
                             uint64_t tick);

// Frees a group. Its pools keep their order.
void micai_group_free(micai_pools *pools, micai_group *group);

// Remove an entity from all its groups, because it is despawned; remove all entities; free all
// groups.
void micai_groups_forget(micai_pools *pools, uint32_t slot, uint64_t tick);
void micai_groups_clear(micai_pools *pools);
void micai_groups_free(micai_pools *pools);

// Hashes the order of lists. Pools hash their own order.
uint64_t micai_groups_digest(const micai_pools *pools, const micai_registry *types, uint64_t hash);

// Requires valid pools.
mica_result micai_groups_validate(const micai_pools *pools, uint64_t seal, uint64_t tick);

// Returns true if the pointer is a group of this world. Does not read the group.
bool micai_groups_have(const micai_pools *pools, const micai_group *group);

// The name of a group in messages: "group 'movers'", "the group of 'Place'".
typedef struct micai_group_label {
    char text[112];
} micai_group_label;

micai_group_label micai_group_describe(const micai_group *group);

// Sorting: reorders the first rows of pools that have the same entities there.
//
//     micai_sorting s;
//     result = micai_sorting_begin(&s, pools, list, 2, count);    allocates all memory
//     micai_sorting_by(&s, values, compare, user);                or _like()
//     micai_sorting_apply(&s, tick);                          cannot fail
//     micai_sorting_end(&s);                                      always
typedef struct micai_sorting {
    micai_pools *pools;
    micai_pool *list[MICA_GROUP_TYPES_MAX];
    uint32_t list_count;
    uint32_t count; // rows
    uint32_t *from; // by target row: the current row
    mica_sort_item *items;
    mica_sort_item *spare;  // a second array of the same size
    unsigned char *scratch; // one row of each pool
    size_t offsets[MICA_GROUP_TYPES_MAX];
    size_t scratch_size;
    uint32_t scratch_align;
} micai_sorting;

mica_result micai_sorting_begin(micai_sorting *s, micai_pools *pools, micai_pool *const *list,
                                uint32_t list_count, uint32_t count);

// micai_sorting_by() compares the values in a pool that has all these entities.
// micai_sorting_like() uses the order of another pool, or no order (NULL).
void micai_sorting_by(micai_sorting *s, const micai_pool *values, mica_compare *compare,
                      void *user);
void micai_sorting_like(micai_sorting *s, const micai_pool *other);

void micai_sorting_apply(micai_sorting *s, uint64_t tick);
void micai_sorting_end(micai_sorting *s);

#endif
