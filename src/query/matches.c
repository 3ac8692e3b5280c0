// Matches of a query: their number, a list, the first one, and why an entity is not one. Used by
// public calls and by changes of all matches.
#include "query/query.h"

#include <inttypes.h>
#include <stdio.h>

#include "entity/facet.h"
#include "query/filtered_internal.h"
#include "state/declared.h"

uint32_t micai_query_count(const mica_world *world, const micai_query *query)
{
    if (micai_query_is_filtered(query)) {
        return query->filtered->list(world, query, NULL);
    }
    uint32_t count = 0;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        count += query->tables.items[m]->count;
    }
    return count;
}

uint32_t micai_query_list(const mica_world *world, const micai_query *query,
                          mica_entity *entities_out)
{
    if (micai_query_is_filtered(query)) {
        return query->filtered->list(world, query, entities_out);
    }
    uint32_t count = 0;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        for (uint32_t row = 0; row < query->tables.items[m]->count; row++) {
            entities_out[count++] = micai_table_entity(query->tables.items[m], row);
        }
    }
    return count;
}

uint32_t micai_query_first(const mica_world *world, const micai_query *query, uint32_t most,
                           mica_entity *entities_out)
{
    if (micai_query_is_filtered(query)) {
        return query->filtered->first(world, query, most, entities_out);
    }
    uint32_t count = 0;
    for (uint32_t m = 0; count < most && m < query->tables.count; m++) {
        const micai_table *table = query->tables.items[m];
        for (uint32_t row = 0; count < most && row < table->count; row++) {
            entities_out[count++] = micai_table_entity(table, row);
        }
    }
    return count;
}

bool micai_query_has_entity(const mica_world *world, const micai_query *query, micai_entity_ref ref)
{
    if (micai_query_is_filtered(query)) {
        return query->filtered->has(world, query, ref);
    }
    micai_row row = micai_row_of(&world->state->store, ref.record);
    return micai_query_matches(query, micai_row_table(row));
}

static micai_query *find_or_null(mica_world *world, const char *call, mica_query query)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    micai_query *found = micai_query_find(world, call, query);
    // What a system in a wave counts may be what others change: filters of changes.
    bool undeclared =
        found && world->state->original && micai_world_use_query(world, call, query, found->name);
    return undeclared ? NULL : found;
}

uint32_t mica_query_count(mica_world *world, mica_query query)
{
    const micai_query *found = find_or_null(world, "mica_query_count", query);
    return found ? micai_query_count(world, found) : 0;
}

mica_entity mica_query_first(mica_world *world, mica_query query)
{
    const micai_query *found = find_or_null(world, "mica_query_first", query);
    mica_entity first = {0};
    if (found) {
        micai_query_first(world, found, 1, &first);
    }
    return first;
}

mica_entity mica_query_single(mica_world *world, mica_query query)
{
    static const char call[] = "mica_query_single";
    const micai_query *found = find_or_null(world, call, query);
    if (!found) {
        return (mica_entity){0};
    }
    mica_entity entities[2];
    uint32_t count = micai_query_first(world, found, 2, entities);
    if (count == 1) {
        return entities[0];
    }
    char of[MICAI_WALK_TEXT];
    micai_query_describe(found, of, sizeof of);
    micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: %s of %s", call,
               count == 0 ? "there is no match" : "there are several matches", of);
    return (mica_entity){0};
}

bool mica_query_contains(mica_world *world, mica_query query, mica_entity entity)
{
    const micai_query *found = find_or_null(world, "mica_query_contains", query);
    const micai_record *record = found ? micai_slots_find(&world->state->slots, entity) : NULL;
    return record && micai_query_has_entity(world, found, (micai_entity_ref){entity, record});
}

// Explanations

// A text that is truncated if its capacity is too small.
typedef struct writer {
    char *text;
    size_t size;
    size_t used;
} writer;

static void put(writer *out, const char *a, const char *b, const char *c)
{
    const char *parts[] = {a, b, c};
    for (uint32_t i = 0; i < 3; i++) {
        for (const char *s = parts[i]; *s && out->used + 1 < out->size; s++) {
            out->text[out->used++] = *s;
        }
    }
    out->text[out->used] = 0;
}

// Why a component does not count for a term.
typedef enum lack { LACK_NONE, LACK_ALL, LACK_ENABLED, LACK_CHANGED, LACK_ADDED } lack;

static lack find_lack(const micai_state *state, micai_entity_ref ref, const micai_query *query,
                      const micai_term *term)
{
    if (!micai_value_has(state, ref, term->type)) {
        return LACK_ALL;
    }
    if (!term->include_disabled && !micai_value_is_on(state, ref, term->type)) {
        return LACK_ENABLED;
    }
    bool added = term->change_filter == MICAI_FILTER_ADDED;
    return !term->change_filter || micai_value_is_newer(state, ref, term->type, added, query->since)
               ? LACK_NONE
           : added ? LACK_ADDED
                   : LACK_CHANGED;
}

static bool term_fails(micai_access_flags use, lack lacks)
{
    return use.required ? lacks != LACK_NONE : use.excluded && lacks == LACK_NONE;
}

// Returns true if there are MICA_ANY terms and the entity satisfies none.
static bool any_fails(const micai_state *state, micai_entity_ref ref, const micai_query *query)
{
    bool fails = false;
    for (uint32_t t = 0; t < query->term_count; t++) {
        if (query->terms[t].access == MICA_ANY) {
            if (find_lack(state, ref, query, &query->terms[t]) == LACK_NONE) {
                return false;
            }
            fails = true;
        }
    }
    return fails;
}

static void explain_mismatch(const micai_state *state, micai_entity_ref ref,
                             const micai_query *query, writer *out)
{
    static const char *const ends[] = {"'", "'", "' is disabled", "' has not changed",
                                       "' was not added"};
    static const char *const notes[] = {"'", "'", "' (disabled)", "' (not changed)",
                                        "' (not added)"};
    const char *before = " does not match: ";
    if (query->no_facets && micai_facets_get(micai_facets_of(state), ref.entity)) {
        put(out, before, "it is a facet", "");
        before = ", ";
    }
    if (query->of && !state->pools.links->ops->leads_to(query->of->relation, query->of_target,
                                                        query->of_below, ref.entity)) {
        char target[MICA_ENTITY_TEXT_SIZE];
        put(out, before, "'", query->of->info.name);
        put(out, "' does not lead to ", mica_entity_text(query->of_target, target), "");
        before = ", ";
    }
    for (uint32_t t = 0; t < query->term_count; t++) {
        const lack lacks = find_lack(state, ref, query, &query->terms[t]);
        const micai_access_flags use = micai_query_access_flags(query->terms[t].access);
        if (term_fails(use, lacks)) {
            put(out, before,
                lacks == LACK_NONE  ? "it has '"
                : lacks == LACK_ALL ? "it has no '"
                                    : "'",
                query->terms[t].type->info.name);
            put(out, ends[lacks], "", "");
            if (lacks == LACK_CHANGED || lacks == LACK_ADDED) {
                char since[32];
                snprintf(since, sizeof since, " since %" PRIu64, query->since);
                put(out, since, "", "");
            }
            before = ", ";
        }
    }
    if (any_fails(state, ref, query)) {
        put(out, before, "it has none of ", "");
        before = "'";
        for (uint32_t t = 0; t < query->term_count; t++) {
            if (query->terms[t].access == MICA_ANY) {
                const lack lacks = find_lack(state, ref, query, &query->terms[t]);
                put(out, before, query->terms[t].type->info.name, notes[lacks]);
                before = ", '";
            }
        }
    }
}

mica_result mica_query_explain(mica_world *world, mica_query query, mica_entity entity, char *text,
                               size_t size)
{
    static const char call[] = "mica_query_explain";
    if (!world || !text) {
        return micai_fail_null(micai_world_host(world), call, world ? "text" : "world");
    }
    if (size == 0) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: the text has no room", call);
    }
    const micai_query *found = find_or_null(world, call, query);
    if (!found) {
        return micai_world_failed(world);
    }
    char id[MICA_ENTITY_TEXT_SIZE];
    writer out = {text, size, 0};
    put(&out, "entity ", mica_entity_text(entity, id), "");
    const micai_entity_ref ref = {entity, micai_slots_find(&world->state->slots, entity)};
    if (!ref.record) {
        put(&out, " does not match: it is dead, or of another world", "", "");
        return MICA_OK;
    }
    if (micai_query_has_entity(world, found, ref)) {
        put(&out, " matches", "", "");
    } else {
        explain_mismatch(world->state, ref, found, &out);
    }
    return MICA_OK;
}
