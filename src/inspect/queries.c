// Inspection of queries, their terms, and the tables that match.
#include "inspect/inspect_internal.h"

#include <inttypes.h>

#include "base/print.h"
#include "query/query.h"
#include "system/system.h"

mica_query mica_query_next(mica_world *world, mica_query previous)
{
    static const char call[] = "mica_query_next";
    bool first = MICA_IS_NONE(previous);
    if (!micai_inspect_enter(world, call) || (!first && !micai_query_find(world, call, previous))) {
        return (mica_query){0};
    }
    const micai_queries *all = world->state->modules[MICAI_MODULE_QUERY].data;
    uint32_t next = first ? 0 : micai_stamp_number(previous.bits) + 1;
    const micai_query *found = NULL;
    do {
        next = all ? micai_handles_next(&all->handles, next) : MICAI_HANDLES_END;
        found = all ? micai_handles_at(&all->handles, next++) : NULL;
    } while (found && found->hidden);
    return found ? found->handle : (mica_query){0};
}

// Returns the system whose query it is, or the null handle.
static mica_system find_owner(const mica_world *world, mica_query query)
{
    const micai_systems *all = micai_systems_of(world);
    const micai_system *one = all ? micai_systems_from(all, 0) : NULL;
    while (one && one->query.bits != query.bits) {
        one = micai_systems_after(all, one);
    }
    return one ? one->handle : (mica_system){0};
}

bool mica_query_get_info(mica_world *world, mica_query query, mica_query_info *info_out)
{
    static const char call[] = "mica_query_get_info";
    const micai_query *found =
        micai_inspect_begin(world, call, "info_out", info_out, sizeof *info_out)
            ? micai_query_find(world, call, query)
            : NULL;
    if (found) {
        *info_out = (mica_query_info){.name = found->name,
                                      .terms = found->term_count,
                                      .tables = found->tables.count,
                                      .iterations = micai_query_count_walks(world->state, found),
                                      .systems = found->declaring_systems,
                                      .no_entities = found->no_entities,
                                      .no_facets = found->no_facets,
                                      .system = find_owner(world, query),
                                      .since = found->since};
    }
    return found != NULL;
}

mica_term mica_query_term(mica_world *world, mica_query query, uint32_t index)
{
    static const char call[] = "mica_query_term";
    const micai_query *found =
        micai_inspect_enter(world, call) ? micai_query_find(world, call, query) : NULL;
    if (!found || index >= found->term_count) {
        return (mica_term){0};
    }
    const micai_term *term = &found->terms[index];
    return (mica_term){term->type->info.type, micai_query_term_access(term)};
}

uint32_t mica_query_table(mica_world *world, mica_query query, uint32_t index)
{
    static const char call[] = "mica_query_table";
    const micai_query *found =
        micai_inspect_enter(world, call) ? micai_query_find(world, call, query) : NULL;
    return found && index < found->tables.count ? found->tables.items[index]->id : UINT32_MAX;
}

static void print_term(micai_printer *to, const micai_term *term)
{
    static const char *const accesses[MICA_ACCESS_COUNT] = {
        "none", "read", "write", "with", "without", "optional", "optional write", "any"};
    static const char *const filters[] = {"", ", changed", ", added"};
    micai_print(to, "  %s: %s%s%s%s\n", term->type->info.name, accesses[term->access],
                filters[term->change_filter], term->include_disabled ? ", even disabled" : "",
                term->touch ? ", touch" : "");
}

static void print_query(micai_printer *to, mica_world *world, const micai_query *query)
{
    micai_print(to, "query %s: %" PRIu32 " tables match, %" PRIu32 " iterations are open%s%s%s\n",
                query->name ? query->name : "without a name", query->tables.count,
                micai_query_count_walks(world->state, query),
                query->term_count == 0 ? ", of everything" : "",
                query->no_entities ? ", no entities" : "", query->no_facets ? ", no facets" : "");
    if (query->of) {
        char target[MICA_ENTITY_TEXT_SIZE];
        micai_print(to, "  %s entity %s by %s\n", query->of_below ? "below" : "of",
                    mica_entity_text(query->of_target, target), query->of->info.name);
    }
    for (uint32_t t = 0; t < query->term_count; t++) {
        print_term(to, &query->terms[t]);
    }
    for (uint32_t m = 0; m < query->tables.count; m++) {
        micai_print(to, "  table %" PRIu32 ": %" PRIu32 " rows\n", query->tables.items[m]->id,
                    query->tables.items[m]->count);
    }
}

mica_result mica_query_print(mica_world *world, mica_query query, const mica_stream *stream)
{
    micai_printer to;
    mica_result result = micai_world_begin_print(world, "mica_query_print", stream, &to);
    if (result) {
        return result;
    }
    const micai_query *found = micai_query_look_up(world, query);
    if (found) {
        print_query(&to, world, found);
    } else {
        micai_print(&to, "no query\n");
    }
    return micai_print_end(&to, MICA_OK);
}
