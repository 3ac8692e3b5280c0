// Selections. selection_internal.h has the contract.
#include "image/selection_internal.h"

#include <string.h>

#include "base/canary.h"
#include "entity/facet.h"
#include "store/table/row.h"

// Returns the number of an entity's row among all rows, or UINT32_MAX if it is not alive.
static uint32_t number_of(const micai_selection *subset, mica_entity entity)
{
    const micai_record *record = micai_slots_find(&subset->state->slots, entity);
    if (!record) {
        return UINT32_MAX;
    }
    micai_row row = micai_row_of(&subset->state->store, record);
    return subset->firsts[micai_row_table(row)->id] + micai_row_number(row);
}

static bool has_number(const micai_selection *subset, uint32_t number)
{
    return subset->words[number / 64] >> number % 64 & 1;
}

static void set_number(micai_selection *subset, uint32_t number, bool in)
{
    uint64_t bit = UINT64_C(1) << number % 64;
    subset->words[number / 64] =
        in ? subset->words[number / 64] | bit : subset->words[number / 64] & ~bit;
}

// Returns how many selected rows have smaller numbers.
static uint32_t rank_of(const micai_selection *subset, uint32_t number)
{
    uint32_t word = number / 64;
    uint64_t below = number % 64 ? subset->words[word] & ((UINT64_C(1) << number % 64) - 1) : 0;
    return subset->ranks[word] + micai_bits_ones(below);
}

uint32_t micai_selection_count(const micai_selection *subset)
{
    return subset->ranks[subset->word_count];
}

uint32_t micai_selection_rows(const micai_selection *subset, const micai_table *table)
{
    uint32_t first = subset->firsts[table->id];
    return rank_of(subset, first + table->count) - rank_of(subset, first);
}

bool micai_selection_has(const micai_selection *subset, mica_entity entity)
{
    uint32_t number = number_of(subset, entity);
    return number != UINT32_MAX && has_number(subset, number);
}

mica_entity micai_selection_entity(const micai_selection *subset, mica_entity entity)
{
    uint32_t number = number_of(subset, entity);
    if (number == UINT32_MAX || !has_number(subset, number)) {
        return (mica_entity){0};
    }
    return (mica_entity){UINT64_C(1) << 32 | rank_of(subset, number)};
}

// Selects exactly the facets whose owners are selected.
static void select_facets(micai_selection *subset)
{
    const micai_facets *facets = micai_facets_of(subset->state);
    if (MICAI_CANARY("image.lonely_facet")) {
        return;
    }
    for (uint32_t i = 0; i < facets->list.count; i++) {
        const micai_facet *one = &facets->list.items[i];
        if (!MICA_IS_NONE(one->facet)) {
            set_number(subset, number_of(subset, one->facet),
                       micai_selection_has(subset, one->owner));
        }
    }
}

static mica_result set_matches(micai_selection *subset, mica_world *world, const micai_query *query)
{
    uint32_t count = micai_query_count(world, query);
    size_t size = count * sizeof(mica_entity);
    mica_entity *matches = micai_alloc(&world->host, size ? size : 1, _Alignof(mica_entity));
    if (!matches) {
        return MICA_ERROR_MEMORY;
    }
    count = micai_query_list(world, query, matches);
    for (uint32_t i = 0; i < count; i++) {
        set_number(subset, number_of(subset, matches[i]), true);
    }
    micai_release(&world->host, matches, size ? size : 1, _Alignof(mica_entity));
    return MICA_OK;
}

static void number_rows(micai_selection *subset)
{
    subset->firsts[0] = 0;
    for (uint32_t id = 0; id < subset->table_count; id++) {
        subset->firsts[id + 1] = subset->firsts[id] + subset->state->store.tables.items[id]->count;
    }
}

static void rank_words(micai_selection *subset)
{
    subset->ranks[0] = 0;
    for (uint32_t i = 0; i < subset->word_count; i++) {
        subset->ranks[i + 1] = subset->ranks[i] + micai_bits_ones(subset->words[i]);
    }
}

mica_result micai_selection_begin(micai_selection *subset, mica_world *world,
                                  const micai_query *query)
{
    micai_state *state = world->state;
    // One word more than rows need, so that there is a bit behind the last row.
    *subset = (micai_selection){.state = state,
                                .table_count = state->store.tables.count,
                                .word_count = state->slots.alive / 64 + 1};
    subset->firsts = micai_alloc(&world->host, (subset->table_count + (size_t)1) * sizeof(uint32_t),
                                 _Alignof(uint32_t));
    subset->words =
        micai_alloc_zeroed(&world->host, subset->word_count * sizeof(uint64_t), _Alignof(uint64_t));
    subset->ranks = micai_alloc(&world->host, (subset->word_count + (size_t)1) * sizeof(uint32_t),
                                _Alignof(uint32_t));
    if (!subset->firsts || !subset->words || !subset->ranks) {
        return MICA_ERROR_MEMORY;
    }
    number_rows(subset);
    mica_result result = set_matches(subset, world, query);
    select_facets(subset);
    rank_words(subset);
    return result;
}

void micai_selection_end(micai_host *host, micai_selection *subset)
{
    micai_release(host, subset->firsts, (subset->table_count + (size_t)1) * sizeof(uint32_t),
                  _Alignof(uint32_t));
    micai_release(host, subset->words, subset->word_count * sizeof(uint64_t), _Alignof(uint64_t));
    micai_release(host, subset->ranks, (subset->word_count + (size_t)1) * sizeof(uint32_t),
                  _Alignof(uint32_t));
}
