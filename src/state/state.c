// The world's state: its faces, modules and steps, and the refusals of its guards. state.h has the
// contract.
#include "state/state.h"

#include "state/recorder.h"

// Attaches a face to a state.
void micai_face_set_state(mica_world *world, micai_state *state)
{
    world->state = state;
    world->view.slots = &state->slots.view;
    world->view.store = &state->store.directory.view;
    world->view.flags = &state->store.flags.view;
    world->view.world = world;
}

// If there was no memory, that is already reported and the rest stays pending. The call itself has
// not failed, so only MICA_ERROR_LIMIT is returned.
mica_result micai_world_flush(mica_world *world, const char *call)
{
    mica_result result = MICA_OK;
    if (world->state->notifying == 0) {
        const micai_module *events = &world->state->modules[MICAI_MODULE_OBSERVER];
        result = events->replay(world, events->data, call);
    }
    return result == MICA_ERROR_LIMIT ? result : MICA_OK;
}

void micai_world_close_walks(mica_world *world)
{
    micai_state *state = world->state;
    while (state->walks.newest) {
        micai_walk_leave(state->walks.newest);
        micai_walk_close(&state->walks, &state->gate, state->walks.newest);
    }
}

void micai_world_set_tick(mica_world *world, uint64_t tick)
{
    world->view.tick = tick;
    for (const micai_host *host = world->host.next; host; host = host->next) {
        host->world->view.tick = tick;
    }
}

void micai_world_advance(mica_world *world)
{
    micai_world_set_tick(world, world->view.tick + 1);
}

void micai_face_open(mica_world *face, mica_world *main, const micai_recorder *recorder)
{
    micai_host_follow(&face->host, &main->host);
    face->host.world = face;
    micai_face_set_state(face, main->state);
    face->view.tick = main->view.tick;
    face->recorder = recorder;
    face->busy = 1;
    face->scratch = (micai_arena){0};
    face->scratch_reserved = 0;
}

void micai_face_close(mica_world *face)
{
    micai_arena_free(&face->host, &face->scratch);
    micai_host_leave(&face->host);
}

void micai_world_begin_step(mica_world *world)
{
    world->state->stepping = world->state->midway = true;
    micai_gate_shut(&world->state->gate);
}

void micai_world_end_step(mica_world *world)
{
    world->state->stepping = world->state->midway = false;
    world->state->declared = NULL;
    world->host.system = NULL;
    micai_gate_open(&world->state->gate);
}

void micai_world_pause_step(mica_world *world)
{
    micai_world_end_step(world);
    world->state->midway = true;
}

// Modules

void micai_world_end_frame(mica_world *world)
{
    for (uint32_t i = 0; i < MICAI_MODULE_FRAME_END; i++) {
        const micai_module *module = &world->state->modules[i];
        if (module->data && module->end_frame) {
            module->end_frame(world, module->data);
        }
    }
}

// Refusals

mica_result micai_world_guard_all(mica_world *world, const char *call)
{
    mica_result result = micai_world_guard(world, call);
    if (!result && world->state->replaying) {
        return micai_fail(&world->host, MICA_ERROR_ITERATING,
                          "%s: refused while commands are carried out; do it afterwards or, if one "
                          "was left by longjmp or an exception, after mica_world_end_iterations",
                          call);
    }
    return result;
}

mica_result micai_world_guard_idle(mica_world *world, const char *call)
{
    mica_result result = micai_world_guard(world, call);
    if (!result && (world->state->waiting || world->state->slots.pending > 0)) {
        result = micai_fail(&world->host, MICA_ERROR_ITERATING,
                            "%s: commands wait; apply them first, with mica_commands_apply", call);
    }
    return result;
}

mica_result micai_world_guard_whole(mica_world *world, const char *call)
{
    mica_result result = micai_world_guard_read(world, call);
    return !result && world->state->original
               ? micai_fail(
                     &world->host, MICA_ERROR_ITERATING,
                     "%s: refused while systems run together, because it reads what others write; do it in "
                     "a system that runs alone",
                     call)
               : result;
}

static mica_result refuse_inside(mica_world *world, const char *call, bool recordable)
{
    const micai_callback *observer = world->state->observer;
    const char *name = observer ? observer->name : NULL;
    return micai_fail(
        &world->host, MICA_ERROR_ITERATING,
        "%s: refused inside %s%.80s%s; %sdo it when the call is over that is observed", call,
        name ? "observer '" : "an observer", name ? name : "", name ? "'" : "",
        recordable ? "record it with its `later`, or " : "");
}

// If the call can be recorded, the sentence says so.
static mica_result refuse(mica_world *world, const char *call, const struct micai_query *query,
                          bool recordable)
{
    micai_host *host = &world->host;
    if (host->hook) {
        return micai_hook_refuse(host, call);
    }
    if (world->recorder) {
        return micai_fail(
            host, MICA_ERROR_RECORDING,
            "%s: cannot be recorded; do it %s, or have a function do "
            "it that is recorded with mica_defer_call",
            call, world->state->original ? "in a system that runs alone" : "on the world itself");
    }
    if (host->handler) {
        return micai_fail(host, MICA_ERROR_HANDLER,
                          "%s: refused inside the %s handler, which may look at the world but not "
                          "change it",
                          call, host->handler);
    }
    if (world->state->notifying > 0) {
        return refuse_inside(world, call, recordable);
    }
    if (host->system) {
        return micai_fail(
            host, MICA_ERROR_ITERATING,
            "%s: refused while system '%s' runs; %s do it after mica_step", call, host->system,
            recordable ? "record it with mica_later, or" : "note what is to be done and");
    }
    char of[MICAI_WALK_TEXT] = "a query";
    if (query) {
        world->state->walks.describe(query, of, sizeof of);
    }
    return micai_fail(host, MICA_ERROR_ITERATING,
                      "%s: refused while %s is being iterated; %sdo it afterwards, or end that "
                      "with mica_iter_end or, if it is lost, mica_world_end_iterations",
                      call, of, recordable ? "record it with mica_later, " : "");
}

mica_result micai_world_refuse_for(mica_world *world, const char *call,
                                   const struct micai_query *query)
{
    return refuse(world, call, query, false);
}

mica_result micai_world_refuse(mica_world *world, const char *call)
{
    const micai_walk *innermost = world->state->walks.newest;
    return refuse(world, call, innermost ? innermost->query : NULL, false);
}

mica_result micai_world_refuse_change(mica_world *world, const char *call)
{
    const micai_walk *innermost = world->state->walks.newest;
    return refuse(world, call, innermost ? innermost->query : NULL, true);
}

mica_result micai_world_check_gathered(mica_world *world, const char *call, const micai_type *type)
{
    const micai_walks *walks = &world->state->walks;
    if (walks->guard) {
        return walks->guard(world, call, type);
    }
    const micai_walk *walk = walks->newest;
    while (walk && !walks->gathers(walk, type)) {
        walk = walk->older;
    }
    if (!walk) {
        return MICA_OK;
    }
    const char *quote = walk->name ? "'" : "";
    return micai_fail(&world->host, MICA_ERROR_ITERATING,
                      "%s: '%.80s' is gathered by the iteration of %s%s%.80s%s, which has "
                      "its values until it goes on; use %s there",
                      call, type->info.name, walk->held_by_step ? "system " : "", quote,
                      walk->name ? walk->name : "a query", quote,
                      micai_kind_of(type)->find ? "mica_load_row and mica_store_row"
                                                : "mica_write_row");
}
