// Refuses access that a system has not declared. declared.h has the contract.
#include "state/declared.h"

#include "base/canary.h"

mica_result micai_declared_check_query(mica_world *world, const char *call, mica_query query,
                                       const char *name)
{
    const micai_declared *declared = world->state->declared;
    for (uint32_t i = 0; i < declared->query_count; i++) {
        if (declared->queries[i].bits == query.bits) {
            return MICA_OK;
        }
    }
    return micai_fail(&world->host, MICA_ERROR_UNDECLARED,
                      "%s: system '%.80s' has not declared that it iterates %s%.80s%s; add that to "
                      "its .queries",
                      call, declared->system, name ? "query '" : "this query", name ? name : "",
                      name ? "'" : "");
}

// Returns true if the list contains this access. If `both` is set, MICA_WRITE includes reading.
static bool is_listed(const mica_term *list, uint32_t count, mica_type type, mica_access access,
                      bool both)
{
    bool listed = false;
    for (uint32_t i = 0; !listed && i < count; i++) {
        bool fits = list[i].access == (uint32_t)access || (both && list[i].access == MICA_WRITE);
        if (MICAI_CANARY("state.declared_access")) {
            fits = true;
        }
        listed = list[i].type.bits == type.bits && fits;
    }
    return listed;
}

static mica_result refuse(mica_world *world, const char *call, mica_type type, const char *does,
                          const char *what)
{
    const micai_type *found = micai_registry_find(&world->state->registry, type);
    return micai_fail(&world->host, MICA_ERROR_UNDECLARED,
                      "%s: system '%.80s' has not declared that it %s %s '%.80s'; add that to its "
                      ".%ss",
                      call, world->state->declared->system, does, what,
                      found ? found->info.name : "none", what);
}

mica_result micai_declared_check_resource(mica_world *world, const char *call, mica_type type,
                                          mica_access access)
{
    const micai_declared *declared = world->state->declared;
    bool listed = is_listed(declared->resources, declared->resource_count, type, access, true);
    return listed
               ? MICA_OK
               : refuse(world, call, type, access == MICA_WRITE ? "writes" : "reads", "resource");
}

mica_result micai_declared_check_event(mica_world *world, const char *call, mica_type type,
                                       mica_access access)
{
    const micai_declared *declared = world->state->declared;
    bool listed = is_listed(declared->events, declared->event_count, type, access, false);
    return listed ? MICA_OK
                  : refuse(world, call, type, access == MICA_WRITE ? "sends" : "reads", "event");
}

micai_position *micai_declared_position(mica_world *world, const char *call, mica_type type)
{
    micai_declared *declared = world->state->declared;
    if (micai_declared_check_event(world, call, type, MICA_READ)) {
        return NULL;
    }
    uint32_t i = 0;
    while (declared->events[i].type.bits != type.bits || declared->events[i].access != MICA_READ) {
        i++;
    }
    return &declared->read[i];
}

mica_result micai_world_use_other(mica_world *world, const char *call, const micai_type *type)
{
    const micai_declared *declared = world->state->declared;
    uint32_t i = 0;
    while (i < declared->other_count && declared->others[i].bits != type->info.type.bits) {
        i++;
    }
    return i < declared->other_count
               ? MICA_OK
               : micai_fail(
                     &world->host, MICA_ERROR_UNDECLARED,
                     "%s: system '%.80s' runs beside others, and has not declared that it reads '%.80s' of "
                     "any entity: .others; its own rows are in `it`",
                     call, declared->system, type->info.name);
}
