// Queries over the sources of a target, or over everything below it (mica_query_of).
//
// Room:    query. Only filtered queries call it, through their functions.
#include "query/candidates_internal.h"
#include "query/filtered_internal.h"

// Returns true if a term requires the type.
static bool requires(const micai_query *query, const micai_type *type)
{
    bool found = false;
    for (uint64_t rest = query->required; !found && rest != 0; rest &= rest - 1) {
        found = query->terms[micai_bits_lowest(rest)].type == type;
    }
    return found;
}

// Adds the restriction to sources of a target, and the term that it needs.
mica_result micai_query_restrict(mica_world *world, const micai_query_origin *origin,
                                 micai_query *query, const mica_query_of *of)
{
    const mica_type handle = {of->relation.bits};
    const micai_type *type = micai_registry_find(&world->state->registry, handle);
    if (!type || !type->relation) {
        return micai_fail(&world->host, MICA_ERROR_RELATION,
                          "%s: .of has no such relation; it may be of another world", origin->call);
    }
    if (!MICA_IS_NONE(of->target) && !micai_slots_find(&world->state->slots, of->target)) {
        return micai_slots_fail(&world->host, origin->call, of->target);
    }
    query->of = type;
    query->of_target = of->target;
    query->of_below = of->below;
    return requires(query, type)
               ? MICA_OK
               : micai_query_add_term(world, origin, query, (mica_term){handle, MICA_WITH});
}

void micai_candidates_choose_sources(const micai_state *state, micai_walk *walk)
{
    walk->driver = micai_pools_find(&state->pools, walk->query->of->info.type);
    walk->group = NULL;
    walk->of_at = (mica_entity){0};
}

mica_result mica_query_set_of(mica_world *world, mica_query query, mica_entity target)
{
    static const char call[] = "mica_query_set_of";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    micai_query *found =
        micai_world_guard_edit(world, call) ? NULL : micai_query_find(world, call, query);
    if (!found) {
        return micai_world_failed(world);
    }
    if (!found->of || found->owned) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: the query %s", call,
                          found->of ? "is the own one of a system" : "has no .of");
    }
    if (micai_query_count_walks(world->state, found) > 0) {
        return micai_world_refuse_for(world, call, found);
    }
    if (!MICA_IS_NONE(target) && !micai_slots_find(&world->state->slots, target)) {
        return micai_slots_fail(&world->host, call, target);
    }
    found->of_target = target;
    return MICA_OK;
}
