// Groups: entities that are in certain pools, and in none of certain others, kept together.
//
//   pools[0]   | a b c d | x y     a b c d are the group's: in front, in the same order
//   pools[1]   | a b c d | z       owned
//   pools[2]     x d a c b         needed, not owned
//
// Room:    store/pool. Called by the pools, world/group and query/candidates.
//
// Who enters an owning group is swapped with the first behind it, in each pool it owns, and who leaves
// with the last of it. A group that owns nothing has a list, a pool without values. Both need no
// memory and cannot fail: a list has capacity wherever its first pool has, and values with a move hook
// are swapped by way of memory that was got when the group was made.
//
// Invariants, swept by micai_groups_validate() and cited by tests:
//   P8   a pool lists the groups it is in, and its owner is the one that owns it. A pool that is owned
//        is not stable.
//   P9   the entities of a group are exactly those that are in the pools it needs and in none that it
//        forbids. Those of an owning group have the same place in all pools it owns, and no place
//        behind the last of them.
//   P10  a list has at least the capacity of the first pool of its group, and leaves wherever that has.
//   P11  a group's handle names it. What it asks
//        of presence is what its pools say. Memory for a value of every type that has a move hook is
//        there.
#ifndef MICAI_STORE_POOL_GROUP_H
#define MICAI_STORE_POOL_GROUP_H

#include <mica/group.h>

#include "store/pool/pool.h"

#define MICAI_GROUP_POOLS (3u * MICA_GROUP_TYPES_MAX)

// What a group asks of a word of presence.
typedef struct micai_group_word {
    uint32_t word;
    uint64_t needed;
    uint64_t forbidden;
} micai_group_word;

struct micai_group {
    mica_group handle;
    uint64_t seed;                        // of the handle: how many had been made with it
    char *name;                           // NULL: none
    micai_pool *pools[MICAI_GROUP_POOLS]; // owned, needed, forbidden
    uint32_t owned_count;
    uint32_t needed_count; // the owned ones included
    uint32_t pool_count;
    uint32_t word_count;
    micai_group_word words[MICAI_GROUP_POOLS];
    uint32_t count;   // of an owning group: its entities
    micai_pool *list; // of one that owns nothing; NULL: of others
    void *scratch;    // for a value on its way; NULL: none needs it
    size_t scratch_size;
    uint32_t scratch_align;
};

// What a group is made of.
typedef struct micai_group_plan {
    const micai_type *types[MICAI_GROUP_POOLS]; // owned, needed, forbidden
    uint32_t owned_count;
    uint32_t needed_count;
    uint32_t type_count;
    const char *name; // NULL: none
} micai_group_plan;

// The list of a group that this pool leads; NULL: it has none, or another leads it.
static inline micai_pool *micai_group_led_list(const micai_group *group, const micai_pool *pool)
{
    return group->pools[0] == pool ? group->list : NULL;
}

#define MICAI_FOR_LISTS(list, pool)                                                                \
    micai_pool *list;                                                                              \
    for (uint32_t g_ = 0; g_ < (pool)->groups.count; g_++)                                         \
        if ((list = micai_group_led_list((pool)->groups.items[g_], pool)) != NULL)

// The pool whose first rows are the group's entities, and how many they are.
static inline micai_pool *micai_group_front(const micai_group *group)
{
    return group->list ? group->list : group->pools[0];
}

static inline uint32_t micai_group_size(const micai_group *group)
{
    return group->list ? group->list->table.count : group->count;
}

// The group of a handle; NULL: it is none, freed or foreign.
static inline micai_group *micai_groups_find(const micai_pools *pools, mica_group handle)
{
    micai_group *group = micai_handles_find(&pools->groups, handle.bits);
    return group && group->handle.bits == handle.bits ? group : NULL;
}

// A new group of what there is, of types that may be in one; NULL: MICA_ERROR_MEMORY, _LIMIT. The seal
// is the state's.
micai_group *micai_group_make(micai_pools *pools, uint64_t seal, const micai_group_plan *plan,
                              uint64_t tick);

// Of one that there is: its pools stay as they are.
void micai_group_end(micai_pools *pools, micai_group *group);

// An entity ends, and leaves all groups it is in; all do; all groups go.
void micai_groups_forget(micai_pools *pools, uint32_t slot, uint64_t tick);
void micai_groups_clear(micai_pools *pools);
void micai_groups_free(micai_pools *pools);

// The order of lists. That of pools is theirs.
uint64_t micai_groups_digest(const micai_pools *pools, uint64_t hash);

// Of pools that are in order.
mica_result micai_groups_validate(const micai_pools *pools, uint64_t seal, uint64_t tick);

// Is it a group of these? It is not looked into.
bool micai_groups_have(const micai_pools *pools, const micai_group *group);

// How sentences name a group: "group 'movers'", "the group of 'Place'".
typedef struct micai_group_label {
    char text[112];
} micai_group_label;

micai_group_label micai_group_describe(const micai_group *group);

// Sorting: the first rows of pools that have the same entities there.
//
//   micai_sorting s;
//   result = micai_sorting_begin(&s, pools, list, 2, count);    room for all of it
//   micai_sorting_by(&s, values, compare, user);                or _like()
//   micai_sorting_carry_out(&s, tick);                          cannot fail
//   micai_sorting_end(&s);                                      always
typedef struct micai_sorting {
    micai_pools *pools;
    micai_pool *list[MICA_GROUP_TYPES_MAX];
    uint32_t list_count;
    uint32_t count; // rows
    uint32_t *from; // by row: where that which is to be there is now
    mica_sort_item *items;
    mica_sort_item *spare;  // as many
    unsigned char *scratch; // a row of each pool
    size_t offsets[MICA_GROUP_TYPES_MAX];
    size_t scratch_size;
    uint32_t scratch_align;
} micai_sorting;

mica_result micai_sorting_begin(micai_sorting *s, micai_pools *pools, micai_pool *const *list,
                                uint32_t list_count, uint32_t count);

// By comparison of the values in a pool that has all of the entities. In the order of a pool, which
// may be none (NULL).
void micai_sorting_by(micai_sorting *s, const micai_pool *values, mica_compare *compare,
                      void *user);
void micai_sorting_like(micai_sorting *s, const micai_pool *other);

void micai_sorting_carry_out(micai_sorting *s, uint64_t tick);
void micai_sorting_end(micai_sorting *s);

#endif
