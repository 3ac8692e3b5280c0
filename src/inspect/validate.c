// Validation of a world: every room sweeps its own invariants.
#include <mica/debug.h>

#include <float.h>
#include <inttypes.h>

#include "base/memory.h"
#include "command/command.h"
#include "entity/change.h"
#include "entity/data.h"
#include "entity/notify.h"
#include "event/observer.h"
#include "event/queue.h"
#include "inspect/inspect_internal.h"
#include "relation/relation.h"
#include "state/recorder.h"
#include "system/system.h"
#include "system/wave.h"
#include "time/validate.h"

// Checks W1: the face and the state belong together.
static bool face_matches_state(const mica_world *world)
{
    const micai_state *state = world->state;
    const micai_host *host = &world->host;
    return world->view.slots == &state->slots.view &&
           world->view.store == &state->store.directory.view &&
           world->view.flags == &state->store.flags.view && world->view.world == world &&
           host->world == world && !world->recorder && !host->main && state->host == host &&
           state->gate.host == host && state->gate.slots == &state->slots &&
           state->gate.busy == &world->busy && state->store.host == host &&
           state->store.gate == &state->gate && state->store.slots == &state->slots &&
           state->store.registry == &state->registry && state->store.now == &world->view.tick &&
           state->pools.store == &state->store && state->registry.seal == state->seal &&
           host->busy == &world->busy;
}

// Checks the face, and the members of the state that belong to no room.
static mica_result validate_face(mica_world *world)
{
    micai_host *host = &world->host;
    const micai_state *state = world->state;
    if (!face_matches_state(world)) {
        return micai_fail_invariant(host, "W1", "the face and the state of the world do not match");
    }
    if ((host->system || state->declared) && !state->stepping) {
        return micai_fail_invariant(host, "W1", "a system runs without a step");
    }
    if (state->midway != state->stepping && !(state->midway && state->replaying)) {
        return micai_fail_invariant(host, "W1", "a step was not ended");
    }
    mica_result result = micai_host_validate(host);
    result = result ? result : micai_memory_validate(host);
    result = result ? result : micai_arena_validate(host, &world->scratch);
    result = result ? result : micai_walks_validate(host, &state->walks, state->stepping);
    uint32_t busy =
        state->walks.count + state->stepping + (host->handler != NULL) + state->notifying;
    if (!result && world->busy != busy) {
        result = micai_fail_invariant(host, "B1",
                                      "the gate should be shut %" PRIu32 " times, not %" PRIu32,
                                      busy, world->busy);
    }
    if (!result && busy == 0 && world->scratch.current) {
        result = micai_fail_invariant(host, "W7", "scratch memory is in use between calls");
    }
    if (!result && !(state->time >= 0 && state->time <= DBL_MAX)) {
        result = micai_fail_invariant(host, "W5", "the time is %g", state->time);
    }
    return result;
}

// Modules are validated by name. If they registered these functions, every program would link them.
static mica_result (*const validate_module[])(mica_world *world, const void *data) = {
    [MICAI_MODULE_QUERY] = micai_query_validate,
    [MICAI_MODULE_COMMAND] = micai_commands_validate,
    [MICAI_MODULE_QUEUE] = micai_queues_validate,
    [MICAI_MODULE_OBSERVER] = micai_observers_validate,
    [MICAI_MODULE_SYSTEM] = micai_systems_validate,
    [MICAI_MODULE_TRACE] = micai_tracing_validate,
    [MICAI_MODULE_TIME] = micai_history_validate,
    [MICAI_MODULE_VERIFY] = NULL, // through the host
    [MICAI_MODULE_DELTA] = NULL,  // pairs of hashes
    [MICAI_MODULE_TAPE] = NULL,   // an open stream
    [MICAI_MODULE_WAVES] = micai_waves_validate,
    [MICAI_MODULE_RELATION] = micai_relations_validate};
_Static_assert(sizeof validate_module / sizeof validate_module[0] == MICAI_MODULE_COUNT,
               "a function for each module");

static mica_result validate_rooms(mica_world *world)
{
    const micai_state *state = world->state;
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < MICAI_MODULE_COUNT; i++) {
        const void *data = state->modules[i].data;
        result = data && validate_module[i] ? validate_module[i](world, data) : MICA_OK;
    }
    if (!result && !state->modules[MICAI_MODULE_COMMAND].data &&
        (world->host.next || state->waiting || state->replaying || state->slots.pending > 0)) {
        result = micai_fail_invariant(&world->host, "W1", "commands wait, but no buffer exists");
    }
    if (!result && !state->modules[MICAI_MODULE_OBSERVER].data && !micai_watch_is_idle(state)) {
        result =
            micai_fail_invariant(&world->host, "W8", "observer state exists without observers");
    }
    return result;
}

mica_result mica_world_validate(mica_world *world)
{
    static const char call[] = "mica_world_validate";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    world = world->host.main ? micai_world_main(world) : world;
    micai_host *host = &world->host;
    if (!host->hook != !host->hooked) {
        return micai_fail_invariant(host, "B2", "a running hook has no type");
    }
    mica_result result = micai_world_guard_whole(world, call);
    if (result) {
        return result;
    }
    micai_state *state = world->state;
    result = validate_face(world);
    result = result ? result : micai_slots_validate(host, &state->slots);
    result = result ? result : micai_registry_validate(host, &state->registry);
    result = result ? result : micai_store_validate(&state->store);
    result = result ? result : micai_store_validate_ticks(&state->store, world->view.tick);
    result =
        result ? result : micai_pools_validate(&state->pools, &state->registry, world->view.tick);
    result = result ? result : micai_names_validate(world);
    result = result ? result : micai_facets_validate(world);
    result = result ? result : micai_resources_validate(host, state);
    result = result ? result : micai_bundles_validate(state);
    result = result ? result : micai_change_validate(world);
    result = result ? result : validate_rooms(world);
    return !result && host->verify ? host->verify(world, call) : result;
}
