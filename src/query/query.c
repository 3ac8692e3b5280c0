// Creates, compiles and frees queries, and matches tables.
#include "query/query.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"
#include "core/field.h"
#include "core/stamp.h"
#include "query/filtered_internal.h"
#include "query/segment_internal.h"

static void free_query(micai_host *host, micai_query *query)
{
    micai_release_text(host, query->name);
    micai_types_free(host, &query->required_types);
    micai_types_free(host, &query->excluded_types);
    micai_types_free(host, &query->any_types);
    micai_array_free(host, &query->tables);
    micai_array_free(host, &query->term_columns);
    micai_segment_free_cached(host, query);
    micai_release(host, query, sizeof *query, _Alignof(micai_query));
}

// Matching

static bool has_all_types(const micai_table *table, const mica_type_set *set)
{
    for (uint32_t i = 0; i < micai_types_word_count(set); i++) {
        uint64_t have = i < table->word_count ? table->words[i] : 0;
        if (micai_types_word(set, i) & ~have) {
            return false;
        }
    }
    return true;
}

bool micai_query_table_has_any(const micai_table *table, const mica_type_set *set)
{
    for (uint32_t i = 0; i < table->word_count; i++) {
        if (table->words[i] & micai_types_word(set, i)) {
            return true;
        }
    }
    return false;
}

bool micai_query_matches(const micai_query *query, const micai_table *table)
{
    bool forbidden = query->excluded && micai_query_table_has_any(table, &query->excluded_types);
    if (MICAI_CANARY("query.without")) {
        forbidden = false;
    }
    return !forbidden && !(query->no_facets && table->facet) &&
           has_all_types(table, &query->required_types) &&
           (!query->any_of || (query->any_of & query->sparse) ||
            micai_query_table_has_any(table, &query->any_types));
}

// The matching tables are in the order of their ids.
uint32_t micai_query_find_table(const micai_query *query, const micai_table *table)
{
    uint32_t from = 0;
    uint32_t to = query->tables.count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (query->tables.items[middle]->id < table->id) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    bool found = from < query->tables.count && query->tables.items[from] == table;
    return found ? from : UINT32_MAX;
}

static bool reserve_match(micai_host *host, micai_query *query)
{
    return micai_array_reserve(host, &query->tables, 1) &&
           micai_array_reserve(host, &query->term_columns, query->term_count);
}

static void add_match(micai_query *query, micai_table *table)
{
    query->cached_at = query->last_address_changes = 0;
    query->tables.items[query->tables.count++] = table;
    for (uint32_t t = 0; t < query->term_count; t++) {
        query->term_columns.items[query->term_columns.count++] =
            micai_segment_term_column(table, query->terms[t].type);
    }
}

// All queries reserve capacity in a first pass and add the table in a second one. So a failure
// changes nothing.
static mica_result add_table(void *user, micai_table *table)
{
    mica_world *world = user;
    micai_queries *queries = world->state->modules[MICAI_MODULE_QUERY].data;
    if (MICAI_CANARY("query.table_made")) {
        return MICA_OK;
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        MICAI_FOR_HANDLES(micai_query, query, &queries->handles)
        {
            if (!micai_query_matches(query, table)) {
                continue;
            }
            if (pass == 1) {
                add_match(query, table);
            } else if (!reserve_match(&world->host, query)) {
                return MICA_ERROR_MEMORY;
            }
        }
    }
    return MICA_OK;
}

// Removes dying tables. The others keep their order.
static void remove_dying_tables(micai_query *query)
{
    uint32_t kept = 0;
    uint32_t terms = query->term_count;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        if (query->tables.items[m]->dying) {
            continue;
        }
        query->tables.items[kept] = query->tables.items[m];
        for (uint32_t t = 0; t < terms; t++) {
            query->term_columns.items[(size_t)kept * terms + t] =
                query->term_columns.items[(size_t)m * terms + t];
        }
        kept++;
    }
    query->cached_at = query->last_address_changes = 0;
    query->tables.count = kept;
    query->term_columns.count = kept * terms;
}

static void drop_tables(void *user)
{
    mica_world *world = user;
    micai_queries *queries = world->state->modules[MICAI_MODULE_QUERY].data;
    MICAI_FOR_HANDLES(micai_query, query, &queries->handles)
    {
        remove_dying_tables(query);
    }
}

// Puts the tables into the order of their ids again. They are nearly sorted.
static void sort_tables(micai_query *query)
{
    uint32_t terms = query->term_count;
    micai_table **tables = query->tables.items;
    for (uint32_t m = 1; m < query->tables.count; m++) {
        for (uint32_t at = m; at > 0 && tables[at - 1]->id > tables[at]->id; at--) {
            micai_table *table = tables[at];
            tables[at] = tables[at - 1];
            tables[at - 1] = table;
            for (uint32_t t = 0; t < terms; t++) {
                micai_term_column *columns =
                    query->term_columns.items + (size_t)(at - 1) * terms + t;
                micai_term_column column = columns[0];
                columns[0] = columns[terms];
                columns[terms] = column;
            }
        }
    }
    query->cached_at = query->last_address_changes = 0;
}

static void reorder_tables(void *user)
{
    mica_world *world = user;
    micai_queries *queries = world->state->modules[MICAI_MODULE_QUERY].data;
    MICAI_FOR_HANDLES(micai_query, query, &queries->handles)
    {
        sort_tables(query);
    }
}

// Module

static void close_module(mica_world *world, void *data)
{
    micai_queries *queries = data;
    MICAI_FOR_HANDLES(micai_query, query, &queries->handles)
    {
        free_query(&world->host, query);
    }
    micai_handles_free(&world->host, &queries->handles);
    micai_unclaimed_free(&world->host, &queries->unclaimed);
    micai_release(&world->host, queries, sizeof *queries, _Alignof(micai_queries));
}

micai_listener micai_query_listener(mica_world *world)
{
    return (micai_listener){
        .created = add_table, .freeing = drop_tables, .reordered = reorder_tables, .user = world};
}

bool micai_query_has_term(const micai_query *query, const micai_type *type)
{
    bool named = false;
    for (uint32_t t = 0; t < query->term_count; t++) {
        named = named || query->terms[t].type == type;
    }
    return named;
}

bool micai_query_walk_has_term(const micai_walk *walk, const micai_type *type)
{
    return micai_query_has_term(walk->query, type);
}

void micai_query_describe(const micai_query *query, char *text, size_t size)
{
    if (query->name) {
        snprintf(text, size, "'%.80s'", query->name);
        return;
    }
    uint32_t count = query->term_count;
    const char *first = count > 0 ? query->terms[0].type->info.name : NULL;
    const char *second = count > 1 ? query->terms[1].type->info.name : NULL;
    snprintf(text, size, "a query of %s%.40s%s%s%.40s%s%s", first ? "'" : "",
             first ? first : "all entities", first ? "'" : "", second ? ", '" : "",
             second ? second : "", second ? "'" : "", count > 2 ? " and more" : "");
}

bool micai_query_has_table(const micai_query *query, const micai_table *table)
{
    bool found = false;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        found = found || query->tables.items[m] == table;
    }
    return found;
}

bool micai_query_reads(const micai_query *query, const micai_type *type)
{
    bool reads = false;
    for (uint64_t rest = query->readable; rest != 0; rest &= rest - 1) {
        reads = reads || query->terms[micai_bits_lowest(rest)].type == type;
    }
    return reads;
}

// Cached segments are created again when an iteration needs them.
static void reclaim_module(mica_world *world, void *data)
{
    const micai_queries *queries = data;
    MICAI_FOR_HANDLES(micai_query, query, &queries->handles)
    {
        micai_segment_free_cached(&world->host, query);
    }
}

micai_queries *micai_queries_open(mica_world *world)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_QUERY];
    if (!module->data) {
        micai_queries *queries =
            micai_alloc_zeroed(&world->host, sizeof *queries, _Alignof(micai_queries));
        if (!queries) {
            return NULL;
        }
        if (micai_store_listen(&world->state->store, micai_query_listener(world))) {
            close_module(world, queries);
            return NULL;
        }
        world->state->walks.has_term = micai_query_walk_has_term;
        world->state->walks.describe = micai_query_describe;
        *module = (micai_module){.data = queries, .close = close_module, .reclaim = reclaim_module};
    }
    return module->data;
}

uint32_t micai_query_count_walks(const micai_state *state, const micai_query *query)
{
    uint32_t count = 0;
    for (const micai_walk *walk = state->walks.newest; walk; walk = walk->older) {
        count += walk->query == query;
    }
    return count;
}

micai_query *micai_query_find(mica_world *world, const char *call, mica_query query)
{
    if (micai_world_guard_read(world, call)) {
        return NULL;
    }
    micai_query *found = micai_query_look_up(world, query);
    if (!found) {
        micai_fail(&world->host, MICA_ERROR_QUERY, "%s: the query is %s", call,
                   query.bits ? "freed, or of another world" : "none");
    }
    return found;
}

// Creation

// The start of a sentence about a term, or about the whole query if there is no term.
#define NO_TERM UINT32_MAX
typedef struct sentence_start {
    char text[160];
} sentence_start;

static sentence_start start_sentence(const micai_query_origin *origin, uint32_t term)
{
    sentence_start made;
    const char *name = origin->name;
    int size = snprintf(made.text, sizeof made.text, name ? "%s: %s '%.80s'" : "%s", origin->call,
                        origin->noun, name);
    if (term != NO_TERM) {
        snprintf(made.text + size, sizeof made.text - (size_t)size, "%s term %" PRIu32,
                 name ? "," : ":", term);
    }
    return made;
}

#define FILTERS ((uint32_t)(MICA_INCLUDE_DISABLED | MICA_CHANGED | MICA_ADDED | MICA_TOUCH))

// Returns the end of a sentence about wrong filters of a term with a valid access, or NULL.
static const char *find_fault(const micai_type *type, uint32_t access, uint32_t filters)
{
    const uint32_t changes = filters & (MICA_CHANGED | MICA_ADDED);
    if (type->relation && (access == MICA_WRITE || access == MICA_OPTIONAL_WRITE)) {
        return "is a relation, whose links cannot be written; use mica_link";
    }
    if ((filters & MICA_INCLUDE_DISABLED) && !type->info.toggle) {
        return "has no toggle, and cannot be MICA_INCLUDE_DISABLED";
    }
    if (changes && access == MICA_WITHOUT) {
        return "cannot be MICA_WITHOUT and MICA_CHANGED or MICA_ADDED: what is not there does not change";
    }
    if (changes == (MICA_CHANGED | MICA_ADDED)) {
        return "is MICA_CHANGED and MICA_ADDED: what was added has changed, so the second will do";
    }
    if ((filters & MICA_TOUCH) && access != MICA_WRITE && access != MICA_OPTIONAL_WRITE) {
        return "is not written, and cannot be MICA_TOUCH";
    }
    if ((filters & MICA_TOUCH) && type->info.size == 0) {
        return "is a tag and has no values, and cannot be MICA_TOUCH";
    }
    return NULL;
}

// Returns the access of a term, or MICA_ACCESS_NONE, reported.
static mica_access check_access(mica_world *world, const micai_query_origin *origin, uint32_t term,
                                const micai_type *type, uint32_t word)
{
    const char *name = type->info.name;
    uint32_t access = word & ~FILTERS;
    bool known = access != MICA_ACCESS_NONE && access < MICA_ACCESS_COUNT;
    const char *fault = known ? find_fault(type, access, word & FILTERS) : NULL;
    if (known && !fault) {
        return (mica_access)access;
    }
    sentence_start here = start_sentence(origin, term);
    if (known) {
        micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: '%s' %s", here.text, name, fault);
    } else if (access == MICA_ACCESS_NONE) {
        micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                   "%s: the access of '%s' must be named: MICA_READ, MICA_WITH or another",
                   here.text, name);
    } else if (access >> 8) {
        micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                   "%s: there is no filter %" PRIx32 " (of '%s')", here.text, access >> 8, name);
    } else {
        micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                   "%s: there is no access %" PRIu32 " (of '%s')", here.text, access, name);
    }
    return MICA_ACCESS_NONE;
}

micai_access_flags micai_query_access_flags(mica_access access)
{
    static const micai_access_flags uses[MICA_ACCESS_COUNT] = {
        [MICA_READ] = {.required = true, .read = true},
        [MICA_WRITE] = {.required = true, .read = true, .write = true},
        [MICA_WITH] = {.required = true},
        [MICA_WITHOUT] = {.excluded = true},
        [MICA_OPTIONAL] = {.read = true},
        [MICA_OPTIONAL_WRITE] = {.read = true, .write = true},
        [MICA_ANY] = {.any = true, .read = true},
    };
    return uses[access];
}

void micai_query_add_to_masks(micai_query *query, uint32_t t)
{
    const micai_term *term = &query->terms[t];
    const micai_access_flags use = micai_query_access_flags(term->access);
    bool reads = term->size > 0 && use.read;
    query->change_filtered |= (uint64_t)(term->change_filter != MICAI_FILTER_NONE) << t;
    query->touch |= (uint64_t)term->touch << t;
    query->conditional |= (uint64_t)micai_term_is_conditional(term) << t;
    query->sparse |= (uint64_t)micai_type_is_sparse(term->type) << t;
    query->required |= (uint64_t)use.required << t;
    query->excluded |= (uint64_t)use.excluded << t;
    query->any_of |= (uint64_t)use.any << t;
    query->optional |= (uint64_t)(reads && !use.required) << t;
    query->readable |= (uint64_t)reads << t;
    query->writable |= (uint64_t)(reads && use.write) << t;
    query->split |= (uint64_t)(reads && micai_segment_is_split(term->type)) << t;
    query->pools_only = query->pools_only && (query->sparse >> t & 1);
}

mica_type_set *micai_query_type_set(micai_query *query, uint32_t t)
{
    uint64_t columns = ~query->sparse;
    // A row that has a conditional component matches where the component is off.
    uint64_t excluded = query->excluded & ~query->conditional;
    return query->required & columns & UINT64_C(1) << t ? &query->required_types
           : excluded & columns & UINT64_C(1) << t      ? &query->excluded_types
           : query->any_of & columns & UINT64_C(1) << t ? &query->any_types
                                                        : NULL;
}

mica_result micai_query_add_term(mica_world *world, const micai_query_origin *origin,
                                 micai_query *query, mica_term term)
{
    uint32_t number = query->term_count;
    if (number == MICA_TERMS_MAX) {
        return micai_fail(&world->host, MICA_ERROR_TERMS, "%s: more than %d terms",
                          start_sentence(origin, NO_TERM).text, MICA_TERMS_MAX);
    }
    const micai_type *type = micai_registry_find(&world->state->registry, term.type);
    if (!type) {
        return micai_registry_fail(&world->host, start_sentence(origin, number).text, term.type);
    }
    mica_access access = check_access(world, origin, number, type, term.access);
    if (!access) {
        return MICA_ERROR_ARGUMENT;
    }
    for (uint32_t t = 0; t < query->term_count; t++) {
        if (query->terms[t].type == type) {
            return micai_fail(&world->host, MICA_ERROR_TERMS,
                              "%s: '%s' stands in term %" PRIu32 " already",
                              start_sentence(origin, number).text, type->info.name, t);
        }
    }
    uint32_t t = query->term_count++;
    query->terms[t] =
        (micai_term){.type = type,
                     .access = access,
                     .include_disabled = (term.access & MICA_INCLUDE_DISABLED) != 0,
                     .touch = (term.access & MICA_TOUCH) != 0,
                     .change_filter = term.access & MICA_CHANGED ? MICAI_FILTER_CHANGED
                                      : term.access & MICA_ADDED ? MICAI_FILTER_ADDED
                                                                 : MICAI_FILTER_NONE,
                     .size = type->info.size};
    if (term.access & MICA_TOUCH) {
        world->state->registry.list.items[type->number]->unstamped = true;
    }
    micai_query_add_to_masks(query, t);
    mica_type_set *set = micai_query_type_set(query, t);
    return set ? micai_types_add(&world->host, set, type->number) : MICA_OK;
}

// Adds terms for the types of a set of the descriptor, except types that a listed term already
// requires or excludes.
static mica_result add_set(mica_world *world, const micai_query_origin *origin, micai_query *query,
                           const mica_type_set *set, mica_access access)
{
    mica_result result = MICA_OK;
    const micai_registry *registry = &world->state->registry;
    for (uint32_t n = set ? micai_types_next(set, 0) : MICAI_BITS_END;
         !result && n != MICAI_BITS_END; n = micai_types_next(set, n + 1)) {
        const micai_type *type = micai_registry_at(registry, n);
        if (!type) {
            return micai_fail(&world->host, MICA_ERROR_TYPE, "%s: %s has types of another world",
                              start_sentence(origin, NO_TERM).text,
                              access == MICA_WITH ? ".with" : ".without");
        }
        const uint64_t same = access == MICA_WITH ? query->required : query->excluded;
        bool stands = false;
        for (uint32_t t = 0; t < query->term_count; t++) {
            stands = stands || (query->terms[t].type == type && (same >> t & 1));
        }
        result = stands ? MICA_OK
                        : micai_query_add_term(world, origin, query,
                                               (mica_term){type->info.type, access});
    }
    return result;
}

// The list ends with the last term that is not all zero. A term that lacks only its type has a type
// that was not registered. Dropping it would match unintended entities.
static mica_result add_terms(mica_world *world, const micai_query_origin *origin,
                             micai_query *query, const mica_query_desc *desc)
{
    mica_result result = MICA_OK;
    uint32_t count = MICA_TERMS_INLINE;
    while (count > 0 && !desc->terms[count - 1].type.bits && !desc->terms[count - 1].access) {
        count--;
    }
    for (uint32_t i = 0; !result && i < count; i++) {
        result = micai_query_add_term(world, origin, query, desc->terms[i]);
    }
    for (uint32_t i = 0; !result && i < desc->more_count; i++) {
        result = micai_query_add_term(world, origin, query, desc->more_terms[i]);
    }
    result = result ? result : add_set(world, origin, query, desc->with, MICA_WITH);
    result = result ? result : add_set(world, origin, query, desc->without, MICA_WITHOUT);
    if (!result && !MICA_IS_NONE(desc->of.relation)) {
        result = world->state->walks.filtered->restrict_to(world, origin, query, &desc->of);
    }
    if (!result && desc->everything == (query->term_count > 0)) {
        result = micai_fail(&world->host, MICA_ERROR_TERMS,
                            desc->everything ? "%s: .everything goes with no terms"
                                             : "%s: no terms; a query of all entities says so with "
                                               ".everything = true",
                            start_sentence(origin, NO_TERM).text);
    }
    return result;
}

static mica_result add_matches(mica_world *world, micai_query *query)
{
    for (uint32_t id = 0; id < world->state->store.tables.count; id++) {
        micai_table *table = world->state->store.tables.items[id];
        if (micai_query_matches(query, table)) {
            if (!reserve_match(&world->host, query)) {
                return MICA_ERROR_MEMORY;
            }
            add_match(query, table);
        }
    }
    return MICA_OK;
}

static mica_result check_desc(mica_world *world, const char *call, const mica_query_desc *desc)
{
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(&world->host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if (!desc->more_terms && desc->more_count > 0) {
        return micai_fail_null(&world->host, call, "more_terms");
    }
    if (desc->name && !micai_name_is_valid(desc->name)) {
        return micai_fail(&world->host, MICA_ERROR_NAME, "%s: the name of the query is %s", call,
                          micai_name_fault(desc->name));
    }
    return MICA_OK;
}

static micai_query *compile(mica_world *world, const micai_query_origin *origin,
                            const mica_query_desc *desc)
{
    micai_query *query = micai_alloc_zeroed(&world->host, sizeof *query, _Alignof(micai_query));
    if (!query) {
        return NULL;
    }
    query->no_entities = desc->no_entities;
    query->no_facets = desc->no_facets;
    query->hidden = origin->hidden;
    query->owned = origin->owned;
    query->pools_only = !query->no_facets;
    mica_result result = add_terms(world, origin, query, desc);
    if (!result && desc->name) {
        query->name = micai_copy_text(&world->host, desc->name);
        result = query->name ? MICA_OK : MICA_ERROR_MEMORY;
    }
    result = result ? result : add_matches(world, query);
    query->simple = micai_segment_is_simple(query);
    query->next_segment = micai_segment_choose_next(query);
    if (!result && micai_query_is_filtered(query)) {
        query->filtered = world->state->walks.filtered;
        query->filtered->lay_out(query);
    }
    if (result) {
        free_query(&world->host, query);
        return NULL;
    }
    return query;
}

uint32_t micai_query_term_access(const micai_term *term)
{
    static const uint32_t changes[] = {0, MICA_CHANGED, MICA_ADDED};
    return (uint32_t)term->access | (term->include_disabled ? MICA_INCLUDE_DISABLED : 0u) |
           (term->touch ? MICA_TOUCH : 0u) | changes[term->change_filter];
}

micai_query *micai_query_recompile(mica_world *world, const micai_query *query)
{
    mica_term terms[MICA_TERMS_MAX];
    for (uint32_t t = 0; t < query->term_count; t++) {
        terms[t] =
            (mica_term){query->terms[t].type->info.type, micai_query_term_access(&query->terms[t])};
    }
    mica_query_desc desc = {.more_terms = terms,
                            .more_count = query->term_count,
                            .of = {.target = query->of_target, .below = query->of_below},
                            .everything = query->term_count == 0,
                            .no_entities = query->no_entities,
                            .no_facets = query->no_facets};
    if (query->of) {
        desc.of.relation.bits = query->of->info.type.bits;
    }
    const micai_query_origin origin = {"mica_type_change_storage", "query", query->name,
                                       query->hidden, query->owned};
    return compile(world, &origin, &desc);
}

void micai_query_replace(mica_world *world, micai_query *query, micai_query *recompiled)
{
    micai_query old = *query;
    *query = *recompiled;
    *recompiled = old;
    query->handle = old.handle;
    query->seed = old.seed;
    query->name = old.name;
    query->since = old.since;
    query->declaring_systems = old.declaring_systems;
    recompiled->name = NULL;
    free_query(&world->host, recompiled);
}

void micai_query_discard(mica_world *world, micai_query *query)
{
    free_query(&world->host, query);
}

void micai_query_update_columns(micai_query *query)
{
    query->cached_at = query->last_address_changes = 0;
    query->term_columns.count = 0;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        for (uint32_t t = 0; t < query->term_count; t++) {
            query->term_columns.items[query->term_columns.count++] =
                micai_segment_term_column(query->tables.items[m], query->terms[t].type);
        }
    }
    query->split = 0;
    for (uint64_t rest = query->readable; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        query->split |= (uint64_t)micai_segment_is_split(query->terms[t].type) << t;
    }
    query->simple = micai_segment_is_simple(query);
    query->next_segment = micai_segment_choose_next(query);
}

// Part of the handle, like a type's name hash, to detect handles of freed worlds.
static uint64_t hash_terms(const micai_query *query)
{
    uint64_t hash =
        (uint64_t)query->owned << 2 | (uint64_t)query->no_facets << 1 | query->no_entities;
    hash = query->of ? micai_hash_add(hash, query->of->name_hash + query->of_below) : hash;
    for (uint32_t t = 0; t < query->term_count; t++) {
        hash = micai_hash_add(hash, query->terms[t].type->name_hash +
                                        micai_query_term_access(&query->terms[t]));
    }
    return hash;
}

mica_query micai_query_make_handle(const micai_state *state, const micai_query *query,
                                   uint32_t number)
{
    return (mica_query){
        micai_stamp_make(state->seal, micai_hash_add(query->seed, hash_terms(query)), number)};
}

mica_query micai_query_new(mica_world *world, const micai_query_origin *origin,
                           const mica_query_desc *desc)
{
    const mica_query none = {0};
    micai_queries *queries =
        check_desc(world, origin->call, desc) ? NULL : micai_queries_open(world);
    if (!queries) {
        return none;
    }
    micai_query *query =
        micai_handles_reserve(&world->host, &queries->handles, origin->call, "queries")
            ? compile(world, origin, desc)
            : NULL;
    if (!query) {
        return none;
    }
    uint32_t number = micai_handles_add(&queries->handles, query);
    query->seed = queries->handles.created;
    query->handle = micai_query_make_handle(world->state, query, number);
    world->state->query_count += !query->hidden;
    return query->handle;
}

static mica_query new_query(mica_world *world, const mica_query_desc *desc)
{
    static const char call[] = "mica_query_new";
    if (!world || !desc) {
        micai_fail_null(micai_world_host(world), call, world ? "desc" : "world");
        return (mica_query){0};
    }
    if (micai_world_guard_edit(world, call)) {
        return (mica_query){0};
    }
    micai_host_begin(&world->host, call);
    mica_query query = micai_query_new(
        world, &(micai_query_origin){.call = call, .noun = "query", .name = desc->name}, desc);
    if (!MICA_IS_NONE(query)) {
        micai_query_resume(world, micai_query_look_up(world, query));
    }
    micai_host_end(&world->host);
    return query;
}

uint64_t mica_query_new_(mica_world *world, const mica_query_desc *desc)
{
    return new_query(world, desc).bits;
}

void micai_query_free(mica_world *world, micai_query *query)
{
    micai_queries *queries = world->state->modules[MICAI_MODULE_QUERY].data;
    micai_handles_remove(&queries->handles, micai_stamp_number(query->handle.bits));
    world->state->query_count -= !query->hidden;
    free_query(&world->host, query);
}

mica_result mica_query_free(mica_world *world, mica_query query)
{
    static const char call[] = "mica_query_free";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    micai_query *found =
        micai_world_guard_edit(world, call) ? NULL : micai_query_find(world, call, query);
    if (!found) {
        return micai_world_failed(world);
    }
    if (micai_query_count_walks(world->state, found) > 0) {
        return micai_world_refuse_for(world, call, found);
    }
    if (found->declaring_systems > 0) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: %s%.80s%s is among the .queries of %" PRIu32
                          " system%s, to be removed first",
                          call, found->name ? "query '" : "this query",
                          found->name ? found->name : "", found->name ? "'" : "",
                          found->declaring_systems, found->declaring_systems == 1 ? "" : "s");
    }
    if (found->owned) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: %s%.80s%s is the own one of a system or an observer, and goes with "
                          "that",
                          call, found->name ? "query '" : "this query",
                          found->name ? found->name : "", found->name ? "'" : "");
    }
    micai_query_free(world, found);
    return MICA_OK;
}
