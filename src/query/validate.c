// Validates the invariants of query.h.
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "core/field.h"
#include "query/candidates_internal.h"
#include "query/filtered_internal.h"
#include "query/gather_internal.h"
#include "query/segment_internal.h"

static bool has_term(const micai_query *query, uint32_t end, const micai_type *type)
{
    for (uint32_t t = 0; t < end; t++) {
        if (query->terms[t].type == type) {
            return true;
        }
    }
    return false;
}

static bool has_terms(const micai_state *state, const micai_query *query)
{
    bool right = query->term_count <= MICA_TERMS_MAX;
    for (uint32_t t = 0; right && t < query->term_count; t++) {
        const micai_term *term = &query->terms[t];
        right =
            micai_registry_contains(&state->registry, term->type) &&
            (!term->include_disabled || term->type->info.toggle) &&
            (uint32_t)term->access > MICA_ACCESS_NONE &&
            (uint32_t)term->access < MICA_ACCESS_COUNT && term->size == term->type->info.size &&
            (!term->touch || (term->size > 0 && micai_query_access_flags(term->access).write)) &&
            (uint32_t)term->change_filter <= (uint32_t)MICAI_FILTER_ADDED &&
            (!term->change_filter || !micai_query_access_flags(term->access).excluded) &&
            !has_term(query, t, term->type);
    }
    for (uint32_t t = query->term_count; right && t < MICA_TERMS_MAX; t++) {
        const micai_term *term = &query->terms[t];
        right = !term->type && term->access == MICA_ACCESS_NONE && !term->include_disabled &&
                !term->touch && !term->change_filter && term->size == 0;
    }
    return right;
}

// Returns true if the masks follow from the terms.
static bool has_masks(const micai_query *query)
{
    micai_query again = {.pools_only = !query->no_facets};
    memcpy(again.terms, query->terms, sizeof again.terms);
    for (uint32_t t = 0; t < query->term_count; t++) {
        micai_query_add_to_masks(&again, t);
    }
    return query->pools_only == again.pools_only && query->readable == again.readable &&
           query->writable == again.writable && query->split == again.split &&
           query->touch == again.touch && query->sparse == again.sparse &&
           query->conditional == again.conditional &&
           query->change_filtered == again.change_filtered && query->required == again.required &&
           query->excluded == again.excluded && query->any_of == again.any_of &&
           query->optional == again.optional;
}

// Returns true if the type sets follow from the masks.
static bool has_sets(const micai_query *query)
{
    const mica_type_set *sets[] = {&query->required_types, &query->excluded_types,
                                   &query->any_types};
    bool right = true;
    for (uint32_t i = 0; right && i < sizeof sets / sizeof sets[0]; i++) {
        uint32_t count = 0;
        for (uint32_t t = 0; right && t < query->term_count; t++) {
            bool has = micai_query_type_set((micai_query *)query, t) == sets[i];
            right = micai_types_has(sets[i], query->terms[t].type->number) == has;
            count += has;
        }
        right = right && mica_type_set_count(sets[i]) == count;
    }
    return right;
}

// Q4
static mica_result validate_terms(mica_world *world, const micai_queries *queries, uint32_t number)
{
    micai_host *host = &world->host;
    const micai_query *query = queries->handles.list.items[number];
    bool right =
        (!query->name || micai_name_is_valid(query->name)) && has_terms(world->state, query);
    right = right && has_masks(query) && has_sets(query) && micai_filtered_is_laid_out(query) &&
            query->simple == micai_segment_is_simple(query) &&
            query->next_segment == micai_segment_choose_next(query) &&
            query->seed <= queries->handles.created &&
            query->handle.bits == micai_query_make_handle(world->state, query, number).bits;
    if (!right) {
        return micai_fail_invariant(host, "Q4", "query %" PRIu32 " differs from its terms", number);
    }
    if (query->change_filtered ? query->since >= world->view.tick : query->since != 0) {
        return micai_fail_invariant(host, "Q7", "query %" PRIu32 " selects future changes", number);
    }
    mica_result result = micai_array_validate(host, &query->tables, "a query's tables");
    return result ? result : micai_array_validate(host, &query->term_columns, "what a query found");
}

// Q1, Q2, Q8
static mica_result validate_matches(mica_world *world, const micai_query *query, uint32_t number)
{
    const micai_store *store = &world->state->store;
    bool right = query->term_columns.count == (uint64_t)query->tables.count * query->term_count;
    uint32_t m = 0;
    for (uint32_t id = 0; right && id < store->tables.count; id++) {
        const micai_table *table = store->tables.items[id];
        if (!micai_query_matches(query, table)) {
            continue;
        }
        right = m < query->tables.count && query->tables.items[m] == table;
        for (uint32_t t = 0; right && t < query->term_count; t++) {
            micai_term_column is = query->term_columns.items[m * query->term_count + t];
            micai_term_column expected = micai_segment_term_column(table, query->terms[t].type);
            if (is.column != expected.column || is.position != expected.position) {
                return micai_fail_invariant(&world->host, "Q2",
                                            "query %" PRIu32 " has a wrong column", number);
            }
        }
        m++;
    }
    if (!right || m != query->tables.count) {
        return micai_fail_invariant(&world->host, "Q1",
                                    "query %" PRIu32 " does not have exactly the matching tables",
                                    number);
    }
    return micai_segment_is_cache_valid(world, query)
               ? MICA_OK
               : micai_fail_invariant(&world->host, "Q8",
                                      "query %" PRIu32 " has a wrong cached segment", number);
}

// Returns true if the room has the query.
static bool has_query(const micai_queries *queries, const micai_query *query)
{
    for (uint32_t i = 0; query && i < queries->handles.list.count; i++) {
        if (queries->handles.list.items[i] == query) {
            return true;
        }
    }
    return false;
}

static bool has_valid_functions(const micai_walk *walk)
{
    if (micai_query_is_filtered(walk->query)) {
        return walk->next == micai_filtered_next && walk->leave == micai_gather_leave;
    }
    if (walk->leave || walk->driver || walk->group) {
        return false;
    }
    bool sweeps = walk->query->next_segment == micai_segment_next_sweep;
    return walk->next == micai_segment_next ||
           (sweeps && (walk->next == micai_segment_next_sweep || walk->next == micai_iter_stop)) ||
           (walk->query->simple &&
            (walk->next == micai_segment_next_cached || walk->next == micai_iter_stop));
}

// Returns true if an open walk continues at a valid place of its query.
static bool is_walk_valid(const mica_world *world, const micai_queries *queries,
                          const micai_walk *walk)
{
    const micai_query *query = walk->query;
    if (!has_query(queries, query) || !has_valid_functions(walk) ||
        (walk->name != query->name && !(walk->name && walk->name == world->host.system))) {
        return false;
    }
    if (walk->segment_table && (!micai_query_has_table(query, walk->segment_table) ||
                                walk->segment_row >= walk->segment_table->count)) {
        return false;
    }
    bool driven = walk->driver || walk->group;
    if (driven && !micai_candidates_are_valid(world->state, walk)) {
        return false;
    }
    if (micai_query_is_filtered(query) && !micai_filtered_is_block_valid(world, walk)) {
        return false;
    }
    if (driven) {
        return walk->match == 0 || walk->match == UINT32_MAX;
    }
    return walk->match < query->tables.count
               ? walk->row == 0 || walk->row < query->tables.items[walk->match]->count
               : (walk->match == query->tables.count && walk->row == 0) ||
                     walk->match == UINT32_MAX;
}

static mica_result validate_walks(mica_world *world, const micai_queries *queries)
{
    for (const micai_walk *walk = world->state->walks.newest; walk; walk = walk->older) {
        if (!is_walk_valid(world, queries, walk)) {
            return micai_fail_invariant(&world->host, "Q3", "an iteration is at an invalid place");
        }
        bool by_rows = micai_query_is_filtered(walk->query);
        if (by_rows &&
            (walk->query->change_filtered ? walk->since >= world->view.tick : walk->since != 0)) {
            return micai_fail_invariant(&world->host, "Q7", "an iteration selects future changes");
        }
    }
    return MICA_OK;
}

// Returns true if the values of a type are hidden because a walk has gathered them (query/gather).
static bool is_hidden(const micai_state *state, const micai_type *type)
{
    const micai_pool *pool = micai_pools_find(&state->pools, type->info.type);
    return pool ? pool->index.view.hidden == 1
                : micai_directory_is_hidden(&state->store.directory, type->number);
}

// Q6
static mica_result validate_hidden(mica_world *world)
{
    const micai_state *state = world->state;
    uint32_t count = 0;
    for (uint32_t n = 0; n < state->registry.list.count; n++) {
        const micai_type *type = state->registry.list.items[n];
        uint32_t gathering = 0;
        uint32_t reading = 0;
        for (const micai_walk *walk = state->walks.newest; walk; walk = walk->older) {
            gathering += micai_query_walk_gathers(walk, type);
            reading += micai_query_reads(walk->query, type);
        }
        if (gathering != is_hidden(state, type) || (gathering > 0 && reading != 1)) {
            return micai_fail_invariant(&world->host, "Q6",
                                        "values of '%s' are hidden but not gathered, or reversed",
                                        type->info.name);
        }
        count += gathering;
    }
    return count == state->walks.gathered
               ? MICA_OK
               : micai_fail_invariant(&world->host, "Q6",
                                      "values of %" PRIu32 " types are hidden, not %" PRIu32, count,
                                      state->walks.gathered);
}

// Q5
static mica_result validate_room(mica_world *world, const micai_queries *queries)
{
    uint32_t hidden = 0;
    MICAI_FOR_HANDLES(micai_query, query, &queries->handles)
    {
        hidden += query->hidden;
    }
    bool right = world->state->walks.has_term == micai_query_walk_has_term &&
                 world->state->walks.describe == micai_query_describe &&
                 (!world->state->walks.filtered || micai_filtered_is_used(&world->state->walks)) &&
                 world->state->query_count == micai_handles_count(&queries->handles) - hidden &&
                 micai_store_has_listener(&world->state->store, micai_query_listener(world));
    return right ? MICA_OK
                 : micai_fail_invariant(&world->host, "Q5",
                                        "the query count, a callback or the listener is wrong");
}

mica_result micai_query_validate(mica_world *world, const void *data)
{
    const micai_queries *queries = data;
    micai_host *host = &world->host;
    mica_result result = micai_handles_validate(host, &queries->handles, "queries");
    for (uint32_t i = 0; !result && i < queries->handles.list.count; i++) {
        const micai_query *query = micai_handles_at(&queries->handles, i);
        result = query ? validate_terms(world, queries, i) : MICA_OK;
        result = result || !query ? result : validate_matches(world, query, i);
    }
    result = result ? result : validate_room(world, queries);
    result = result ? result : micai_unclaimed_validate(host, &queries->unclaimed);
    result = result ? result : validate_walks(world, queries);
    return result ? result : validate_hidden(world);
}
