// Moments of change detection. mica/change_detection.h has the contract.
#include <mica/change_detection.h>

#include <inttypes.h>

#include "base/canary.h"
#include "query/query.h"
#include "state/recorder.h"

// During an iteration only this function advances the tick. So everything that an open iteration
// may still write has the current tick.
uint64_t micai_query_tick(mica_world *world, const micai_walk *ended)
{
    uint64_t now = world->view.tick;
    if (world->state->original) { // a wave of systems has one tick, and the world advances after it
        return now - 1;
    }
    for (const micai_walk *walk = world->state->walks.newest; walk; walk = walk->older) {
        if (MICAI_CANARY("query.outer_writes")) {
            break;
        }
        if (walk != ended && walk->query->writable) {
            return now - 1;
        }
    }
    micai_world_advance(world);
    return now;
}

uint64_t mica_world_tick(mica_world *world)
{
    static const char call[] = "mica_world_tick";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return 0;
    }
    return micai_world_guard_read(world, call) ? 0
                                               : micai_query_tick(micai_world_main(world), NULL);
}

// Returns a query with a change filter. Returns NULL, reported, for others.
static micai_query *find_change_filtered(mica_world *world, const char *call, mica_query query)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    micai_query *found = micai_query_find(world, call, query);
    if (found && !found->change_filtered) {
        micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                   "%s: no term of the query is MICA_CHANGED or MICA_ADDED", call);
        return NULL;
    }
    return found;
}

uint64_t mica_query_since(mica_world *world, mica_query query)
{
    const micai_query *found = find_change_filtered(world, "mica_query_since", query);
    return found ? found->since : 0;
}

mica_result mica_query_set_since(mica_world *world, mica_query query, uint64_t moment)
{
    static const char call[] = "mica_query_set_since";
    micai_query *found = find_change_filtered(world, call, query);
    if (!found) {
        return micai_world_failed(world);
    }
    if (world->state->original) {
        return micai_world_refuse(world, call);
    }
    if (moment >= world->view.tick) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: moment %" PRIu64 " is still to come; the last one was %" PRIu64,
                          call, moment, world->view.tick - 1);
    }
    if (micai_query_count_walks(world->state, found) > 0) {
        return micai_world_refuse_for(world, call, found);
    }
    found->since = moment;
    return MICA_OK;
}
