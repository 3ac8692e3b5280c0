// Selections. selection_internal.h has the contract.
#include "image/selection_internal.h"

#include <string.h>

#include "base/canary.h"
#include "entity/facet.h"
#include "store/table/row.h"

// Returns the number of an entity's row among all rows, or UINT32_MAX if it is not alive.
static uint32_t number_of(const micai_selection *part, mica_entity entity)
{
    const micai_record *record = micai_slots_find(&part->state->slots, entity);
    if (!record) {
        return UINT32_MAX;
    }
    micai_row row = micai_row_of(&part->state->store, record);
    return part->firsts[micai_row_table(row)->id] + micai_row_number(row);
}

static bool has_number(const micai_selection *part, uint32_t number)
{
    return part->words[number / 64] >> number % 64 & 1;
}

static void set_number(micai_selection *part, uint32_t number, bool in)
{
    uint64_t bit = UINT64_C(1) << number % 64;
    part->words[number / 64] =
        in ? part->words[number / 64] | bit : part->words[number / 64] & ~bit;
}

// Returns how many selected rows have smaller numbers.
static uint32_t rank_of(const micai_selection *part, uint32_t number)
{
    uint32_t word = number / 64;
    uint64_t below = number % 64 ? part->words[word] & ((UINT64_C(1) << number % 64) - 1) : 0;
    return part->ranks[word] + micai_bits_ones(below);
}

uint32_t micai_selection_count(const micai_selection *part)
{
    return part->ranks[part->word_count];
}

uint32_t micai_selection_rows(const micai_selection *part, const micai_table *table)
{
    uint32_t first = part->firsts[table->id];
    return rank_of(part, first + table->count) - rank_of(part, first);
}

bool micai_selection_has(const micai_selection *part, mica_entity entity)
{
    uint32_t number = number_of(part, entity);
    return number != UINT32_MAX && has_number(part, number);
}

mica_entity micai_selection_entity(const micai_selection *part, mica_entity entity)
{
    uint32_t number = number_of(part, entity);
    if (number == UINT32_MAX || !has_number(part, number)) {
        return (mica_entity){0};
    }
    return (mica_entity){UINT64_C(1) << 32 | rank_of(part, number)};
}

// Selects exactly the facets whose owners are selected.
static void follow_owners(micai_selection *part)
{
    const micai_facets *facets = micai_facets_of(part->state);
    if (MICAI_CANARY("image.lonely_facet")) {
        return;
    }
    for (uint32_t i = 0; i < facets->list.count; i++) {
        const micai_facet *one = &facets->list.items[i];
        if (!MICA_IS_NONE(one->facet)) {
            set_number(part, number_of(part, one->facet), micai_selection_has(part, one->owner));
        }
    }
}

static mica_result set_matches(micai_selection *part, mica_world *world, const micai_query *query)
{
    uint32_t count = micai_query_count(world, query);
    size_t size = count * sizeof(mica_entity);
    mica_entity *matches = micai_alloc(&world->host, size ? size : 1, _Alignof(mica_entity));
    if (!matches) {
        return MICA_ERROR_MEMORY;
    }
    count = micai_query_list(world, query, matches);
    for (uint32_t i = 0; i < count; i++) {
        set_number(part, number_of(part, matches[i]), true);
    }
    micai_release(&world->host, matches, size ? size : 1, _Alignof(mica_entity));
    return MICA_OK;
}

static void number_rows(micai_selection *part)
{
    part->firsts[0] = 0;
    for (uint32_t id = 0; id < part->table_count; id++) {
        part->firsts[id + 1] = part->firsts[id] + part->state->store.tables.items[id]->count;
    }
}

static void rank_words(micai_selection *part)
{
    part->ranks[0] = 0;
    for (uint32_t i = 0; i < part->word_count; i++) {
        part->ranks[i + 1] = part->ranks[i] + micai_bits_ones(part->words[i]);
    }
}

mica_result micai_selection_begin(micai_selection *part, mica_world *world,
                                  const micai_query *query)
{
    micai_state *state = world->state;
    // One word more than rows need, so that there is a bit behind the last row.
    *part = (micai_selection){.state = state,
                              .table_count = state->store.tables.count,
                              .word_count = state->slots.alive / 64 + 1};
    part->firsts = micai_alloc(&world->host, (part->table_count + (size_t)1) * sizeof(uint32_t),
                               _Alignof(uint32_t));
    part->words =
        micai_alloc_zeroed(&world->host, part->word_count * sizeof(uint64_t), _Alignof(uint64_t));
    part->ranks = micai_alloc(&world->host, (part->word_count + (size_t)1) * sizeof(uint32_t),
                              _Alignof(uint32_t));
    if (!part->firsts || !part->words || !part->ranks) {
        return MICA_ERROR_MEMORY;
    }
    number_rows(part);
    mica_result result = set_matches(part, world, query);
    follow_owners(part);
    rank_words(part);
    return result;
}

void micai_selection_end(micai_host *host, micai_selection *part)
{
    micai_release(host, part->firsts, (part->table_count + (size_t)1) * sizeof(uint32_t),
                  _Alignof(uint32_t));
    micai_release(host, part->words, part->word_count * sizeof(uint64_t), _Alignof(uint64_t));
    micai_release(host, part->ranks, (part->word_count + (size_t)1) * sizeof(uint32_t),
                  _Alignof(uint32_t));
}
