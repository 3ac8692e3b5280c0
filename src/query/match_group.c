// Which groups serve a query. serve.h has the contract.
#include "query/match_group_internal.h"

// What a group asks of a word of presence; NULL: nothing.
static const micai_group_word *find_word(const micai_group *group, uint32_t number)
{
    for (uint32_t w = 0; w < group->word_count; w++) {
        if (group->words[w].word == number) {
            return &group->words[w];
        }
    }
    return NULL;
}

// What is forbidden and disabled is not in the group, but in the query.
static bool forbids_toggles(const micai_group *group)
{
    bool found = false;
    for (uint32_t i = group->needed_count; i < group->pool_count; i++) {
        found = found || group->pools[i]->type->info.toggle;
    }
    return found;
}

bool micai_serve_is_by(const micai_query *query, const micai_group *group)
{
    if (forbids_toggles(group)) {
        return false;
    }
    uint32_t served = 0;
    for (uint32_t i = 0; i < query->sieves.count; i++) {
        const micai_sieve *sieve = &query->sieves.items[i];
        const micai_group_word *word = find_word(group, sieve->word);
        served +=
            word && !(word->needed & ~sieve->needed) && !(word->forbidden & ~sieve->forbidden);
    }
    return served == group->word_count;
}

const micai_group *micai_serve_find(const micai_state *state, const micai_query *query,
                                    uint64_t most)
{
    const micai_group *best = NULL;
    for (uint32_t n = 0; n < state->pools.groups.list.count; n++) {
        const micai_group *group = state->pools.groups.list.items[n];
        if (!group || micai_group_size(group) >= most || !micai_serve_is_by(query, group)) {
            continue;
        }
        uint32_t size = best ? micai_group_size(best) : UINT32_MAX;
        bool owns_more = best && best->list && !group->list;
        if (!best || micai_group_size(group) < size ||
            (micai_group_size(group) == size && owns_more)) {
            best = group;
        }
    }
    return best;
}

bool micai_serve_is_bare(const micai_query *query, const micai_group *group)
{
    bool bare = query->anywhere && !query->loose_any;
    for (uint32_t i = 0; bare && i < query->sieves.count; i++) {
        const micai_sieve *sieve = &query->sieves.items[i];
        const micai_group_word *word = find_word(group, sieve->word);
        bare = word && sieve->needed == word->needed && sieve->forbidden == word->forbidden &&
               sieve->varying == 0;
    }
    return bare;
}

bool micai_serve_is_whole(const micai_state *state, const micai_query *query,
                          const micai_group *group)
{
    bool whole = true;
    for (uint64_t rest = query->readable; rest != 0; rest &= rest - 1) {
        mica_type type = query->terms[micai_bits_lowest(rest)].type->info.type;
        const micai_pool *pool = micai_pools_find(&state->pools, type);
        whole = whole && pool && pool->owner == group;
    }
    return whole;
}
