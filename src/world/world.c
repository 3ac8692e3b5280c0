// The public functions on worlds: creating, freeing, clearing, reclaiming, and the last error.
//
// Room:    world.
#include <mica/world.h>

#include <inttypes.h>

#include "entity/change.h"
#include "entity/data.h"
#include "state/recorder.h"

#define FACE_ALIGN 64 // a cache line, because different threads write to faces

// Sets up a host for reports and allocations before the world exists.
static void begin_host(micai_host *host, const mica_world_desc *desc)
{
    micai_host_init(host);
    host->allocator = desc->allocator;
    if (!host->allocator.resize) {
        host->allocator.resize = micai_system_resize;
    }
    host->error_handler = desc->error_handler;
    host->error_user = desc->error_user;
    host->abort_on_error = desc->abort_on_error;
    host->log_handler = desc->log_handler;
    host->log_user = desc->log_user;
}

// Destroys values while all memory is still allocated: their hooks may call accessors and faces,
// which refuse.
static void destroy_values(mica_world *world, micai_state *state)
{
    for (uint32_t i = MICAI_MODULE_COUNT; i-- > 0;) {
        const micai_module *module = &state->modules[i];
        if (module->data && module->destroy_values) {
            module->destroy_values(world, module->data);
        }
    }
    micai_resources_clear(state);
    micai_state_clear(state);
}

static void free_state(mica_world *world, micai_state *state)
{
    destroy_values(world, state);
    for (uint32_t i = MICAI_MODULE_COUNT; i-- > 0;) {
        if (state->modules[i].data) {
            state->modules[i].close(world, state->modules[i].data);
        }
    }
    micai_array_free(state->host, &state->resources);
    micai_state_close(state);
    micai_registry_free(state->host, &state->registry);
    micai_walks_free(state->host, &state->walks);
    micai_state_release(state->host, state);
}

static void free_world(mica_world *world, const char *call)
{
    micai_host_begin(&world->host, call);
    if (world->state) {
        free_state(world, world->state);
    }
    // Deferred reports of hooks are still delivered, but without a world.
    world->host.world = NULL;
    world->host.busy = NULL;
    micai_host_end(&world->host);
    micai_arena_free(&world->host, &world->scratch);
    micai_host_close(&world->host);
    // The world lies in memory of its own host. So a copy of the host releases the last block.
    micai_host host;
    micai_host_inherit(&host, &world->host);
    micai_release(&host, world, sizeof *world, FACE_ALIGN);
}

static mica_result make_state(mica_world *world, const mica_world_desc *desc)
{
    micai_state *state = micai_state_alloc(&world->host);
    if (!state) {
        return MICA_ERROR_MEMORY;
    }
    micai_face_set_state(world, state);
    state->seal = micai_stamp_seal(state);
    state->gate = (micai_gate){.host = state->host, .slots = &state->slots, .busy = &world->busy};
    state->host->busy = &world->busy;
    micai_slots_init(&state->slots, desc->max_entities);
    micai_registry_init(&state->registry, desc->max_types, state->seal);
    mica_result result = micai_state_open(state, &state->gate, &state->registry, &world->view.tick,
                                          desc->relocate_always);
    return result ? result : micai_bundles_listen(state);
}

mica_world *mica_world_new(const mica_world_desc *desc)
{
    static const char call[] = "mica_world_new";
    const mica_world_desc defaults = {0};
    if (!desc) {
        desc = &defaults;
    }
    if ((desc->first_zero | desc->last_zero) != 0) {
        // Nothing in it can be trusted, not even the error handler.
        micai_fail(NULL, MICA_ERROR_DESC,
                   "%s: the descriptor was not zeroed before it was filled in", call);
        return NULL;
    }
    micai_host host;
    begin_host(&host, desc);
    if (desc->max_types > MICAI_STAMP_NUMBER_MAX + 1) {
        micai_fail(&host, MICA_ERROR_ARGUMENT,
                   "%s: a limit of %" PRIu32 " types is beyond %" PRIu32, call, desc->max_types,
                   MICAI_STAMP_NUMBER_MAX + 1);
        return NULL;
    }
    micai_host_begin(&host, call);
    mica_world *world = micai_alloc_zeroed(&host, sizeof *world, FACE_ALIGN);
    micai_host_end(&host);
    if (!world) {
        return NULL;
    }
    micai_host_inherit(&world->host, &host);
    world->view.tick = 1;
    world->notify_on_free = desc->notify_on_free;
    micai_host_begin(&world->host, call);
    mica_result result = make_state(world, desc);
    micai_host_end(&world->host);
    if (result) {
        free_world(world, call);
        return NULL;
    }
    world->host.world = world;
    return world;
}

mica_result mica_world_free(mica_world *world)
{
    if (!world) {
        return MICA_OK;
    }
    static const char call[] = "mica_world_free";
    mica_result result = micai_world_guard_all(world, call);
    if (!result) {
        free_world(world, call);
    }
    return result;
}

mica_result mica_world_clear(mica_world *world)
{
    static const char call[] = "mica_world_clear";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard(world, call);
    if (!result) {
        uint32_t tables = micai_world_begin(world, call);
        micai_despawn_all(world, call);
        micai_world_end(world, tables, MICA_OK);
        result = micai_world_finish(world, call, MICA_OK);
    }
    return result;
}

mica_result mica_world_compact(mica_world *world)
{
    static const char call[] = "mica_world_compact";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard(world, call);
    if (!result) {
        micai_host_begin(&world->host, call);
        if (micai_store_compact_rings(&world->state->store, UINT32_MAX)) {
            result =
                micai_fail_within(&world->host, MICA_ERROR_MEMORY, "no memory for a ring to grow");
        }
        micai_host_end(&world->host);
    }
    return result;
}

static void reclaim_modules(mica_world *world)
{
    for (uint32_t i = 0; i < MICAI_MODULE_COUNT; i++) {
        const micai_module *module = &world->state->modules[i];
        if (module->data && module->reclaim) {
            module->reclaim(world, module->data);
        }
    }
}

mica_result mica_world_reclaim(mica_world *world)
{
    static const char call[] = "mica_world_reclaim";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    micai_state *state = world->state;
    mica_result result = micai_world_guard(world, call);
    if (!result) {
        uint32_t tables = micai_world_begin(world, call);
        result = micai_state_reserve_reclaim(state);
        if (!result) {
            micai_state_reclaim(state);
            reclaim_modules(world);
        }
        if (!result && !world->scratch.current) { // it is empty, as always between calls
            micai_arena_free(&world->host, &world->scratch);
            world->scratch_reserved = 0;
        }
        micai_world_end(world, tables, result);
    }
    return result;
}

uint32_t mica_world_end_iterations(mica_world *world)
{
    static const char call[] = "mica_world_end_iterations";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return 0;
    }
    if (micai_world_guard_edit(world, call) ||
        (world->state->notifying > 0 && micai_world_refuse(world, call))) {
        return 0;
    }
    uint32_t open = world->state->walks.count;
    micai_world_close_walks(world);
    if (world->state->stepping) {
        micai_world_end_step(world);
    }
    world->state->midway = false;
    world->state->replaying = false;
    return open;
}

mica_result mica_world_check_change(mica_world *world)
{
    if (!world) {
        return micai_fail_null(NULL, "mica_world_check_change", "world");
    }
    world = micai_world_main(world);
    const micai_host *host = &world->host;
    return world->state->original ? MICA_ERROR_ITERATING
           : host->hook           ? MICA_ERROR_HOOK
           : host->handler        ? MICA_ERROR_HANDLER
           : world->busy != 0     ? MICA_ERROR_ITERATING
                                  : MICA_OK;
}

const mica_error *mica_last_error(mica_world *world)
{
    return world ? micai_host_last_error(micai_host_main(&world->host)) : NULL;
}

void mica_clear_error(mica_world *world)
{
    if (world) {
        micai_host_main(&world->host)->last_error = (mica_error){0};
    }
}

mica_result mica_world_set_error_handler(mica_world *world, mica_error_handler *handler, void *user)
{
    static const char call[] = "mica_world_set_error_handler";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    if (world->state->original) { // a worker would keep it
        return micai_world_refuse(world, call);
    }
    micai_host *host = micai_host_main(&world->host);
    host->error_handler = handler;
    host->error_user = user;
    return MICA_OK;
}

mica_result mica_world_set_abort_on_error(mica_world *world, bool abort_on_error)
{
    static const char call[] = "mica_world_set_abort_on_error";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    if (world->state->original) {
        return micai_world_refuse(world, call);
    }
    micai_host_main(&world->host)->abort_on_error = abort_on_error;
    return MICA_OK;
}

mica_allocator mica_world_allocator(mica_world *world)
{
    if (!world) {
        micai_fail_null(NULL, "mica_world_allocator", "world");
        return (mica_allocator){0};
    }
    return world->host.allocator;
}
