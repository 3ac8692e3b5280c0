// Selection of the driver of a walk. candidates_internal.h has the contract.
#include "query/candidates_internal.h"

#include "query/filtered_internal.h"

static bool has_type(const micai_query *query, uint64_t terms, const micai_type *type)
{
    for (uint64_t rest = terms; rest != 0; rest &= rest - 1) {
        if (query->terms[micai_bits_lowest(rest)].type == type) {
            return true;
        }
    }
    return false;
}

// Returns true if every match is in the group. An entity that has an excluded component disabled
// can match, but is not in a group that excludes the type.
static bool contains_matches(const micai_query *query, const micai_group *group)
{
    bool right = true;
    for (uint32_t i = 0; right && i < group->pool_count; i++) {
        const micai_type *type = group->pools[i]->type;
        right = i < group->needed_count
                    ? has_type(query, query->required & query->sparse, type)
                    : !type->info.toggle && has_type(query, query->excluded, type);
    }
    return right;
}

// Returns the smallest group that contains all matches and has fewer than `most` entities, or NULL.
// Among groups of the same size, the first that owns pools is preferred.
static const micai_group *find_group(const micai_state *state, const micai_query *query,
                                     uint64_t most)
{
    const micai_group *best = NULL;
    for (uint32_t n = 0; n < state->pools.groups.list.count; n++) {
        const micai_group *group = state->pools.groups.list.items[n];
        if (!group || micai_group_size(group) >= most || !contains_matches(query, group)) {
            continue;
        }
        uint32_t size = best ? micai_group_size(best) : UINT32_MAX;
        bool owns_more = best && best->list && !group->list;
        if (micai_group_size(group) < size || (micai_group_size(group) == size && owns_more)) {
            best = group;
        }
    }
    return best;
}

static uint64_t count_rows(const micai_query *query)
{
    uint64_t rows = 0;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        rows += query->tables.items[m]->count;
    }
    return rows;
}

// Rows of tables lie side by side, but the entities of a pool may be anywhere in tables. So a pool
// drives instead of tables only if it is much smaller. Nothing matches if a required pool does not
// exist.
void micai_candidates_choose(const micai_state *state, micai_walk *walk)
{
    const micai_query *query = walk->query;
    uint64_t least = query->pools_only ? UINT64_MAX : count_rows(query) / 2;
    walk->driver = NULL;
    for (uint64_t rest = query->sparse & query->required; rest != 0; rest &= rest - 1) {
        micai_pool *pool = micai_term_pool(state, query, micai_bits_lowest(rest));
        if (!pool) {
            walk->match = UINT32_MAX;
        } else if (pool->table.count < least) {
            least = pool->table.count;
            walk->driver = pool;
        }
    }
    // A group is never larger than a pool that it requires.
    walk->group = query->sparse ? find_group(state, query, least + (walk->driver != NULL)) : NULL;
    walk->driver = walk->group ? micai_group_front(walk->group) : walk->driver;
}

bool micai_candidates_are_valid(const micai_state *state, const micai_walk *walk)
{
    const micai_pool *pool = walk->driver;
    const micai_group *group = walk->group;
    if (group) {
        return micai_groups_have(&state->pools, group) && contains_matches(walk->query, group) &&
               pool == micai_group_front(group) && walk->row <= micai_group_size(group);
    }
    bool found = false;
    const micai_query *query = walk->query;
    for (uint64_t rest = query->sparse & query->required; rest != 0; rest &= rest - 1) {
        found = found || micai_term_pool(state, query, micai_bits_lowest(rest)) == pool;
    }
    return found && pool && walk->row <= pool->table.count;
}
