// Phases: add, move, remove, look up.
#include "system/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "core/field.h"

#define MAX_RUNS 8 // in a step, by default

// Returns the handle of the phase that every world has, and with which the room's state is created.
static mica_phase first_handle(const mica_world *world)
{
    return (mica_phase){micai_systems_stamp(world->state, 1, 0)};
}

// Updates the places of all phases from this one on.
static void number_from(const micai_systems *all, uint64_t place)
{
    for (uint64_t i = place; i < all->phases.count; i++) {
        all->phases.items[i]->place = i;
    }
}

// Inserts a phase before another; NULL: last.
static void insert_phase(micai_systems *all, micai_phase *phase, const micai_phase *next)
{
    uint64_t place = next ? next->place : all->phases.count;
    memmove(&all->phases.items[place + 1], &all->phases.items[place],
            (all->phases.count - place) * sizeof *all->phases.items);
    all->phases.items[place] = phase;
    all->phases.count++;
    number_from(all, place);
}

static void extract_phase(micai_systems *all, const micai_phase *phase)
{
    uint64_t place = phase->place;
    all->phases.count--;
    memmove(&all->phases.items[place], &all->phases.items[place + 1],
            (all->phases.count - place) * sizeof *all->phases.items);
    number_from(all, place);
}

static bool match_name(const void *context, uint32_t value, const void *key)
{
    const micai_systems *all = context;
    const micai_phase *phase = all->phase_handles.list.items[value];
    return strcmp(phase->name, key) == 0;
}

const micai_phase *micai_phases_find_name(const micai_systems *all, const char *name)
{
    return micai_handles_at(
        &all->phase_handles,
        micai_map_find(&all->phases_by_name, micai_hash_text(name), match_name, all, name));
}

micai_phase *micai_phase_make(mica_world *world, micai_systems *all, const char *call,
                              const mica_phase_desc *desc)
{
    micai_host *host = &world->host;
    micai_phase *phase = micai_array_reserve(host, &all->phases, 1) &&
                                 micai_handles_reserve(host, &all->phase_handles, call, "phases") &&
                                 micai_map_reserve(host, &all->phases_by_name, 1)
                             ? micai_alloc_zeroed(host, sizeof *phase, _Alignof(micai_phase))
                             : NULL;
    if (!phase) {
        return NULL;
    }
    phase->name = micai_copy_text(host, desc->name);
    if (!phase->name) {
        micai_release(host, phase, sizeof *phase, _Alignof(micai_phase));
        return NULL;
    }
    uint32_t number = micai_handles_add(&all->phase_handles, phase);
    micai_map_insert(&all->phases_by_name, micai_hash_text(phase->name), number);
    phase->seed = ++all->phases_made;
    phase->handle.bits = micai_systems_stamp(world->state, phase->seed, number);
    phase->fixed_dt = desc->fixed_dt;
    phase->manual = desc->manual;
    phase->max_runs = desc->fixed_dt > 0 && desc->max_runs == 0 ? MAX_RUNS : desc->max_runs;
    insert_phase(all, phase, micai_phases_look_up(all, desc->before));
    return phase;
}

micai_phase *micai_phases_find(mica_world *world, const char *call, mica_phase phase)
{
    phase = phase.bits ? phase : first_handle(world);
    bool first = phase.bits == first_handle(world).bits;
    const micai_systems *all = first ? micai_systems_open(world) : micai_systems_of(world);
    micai_phase *found = all ? micai_phases_look_up(all, phase) : NULL;
    if (!found && !first) {
        micai_fail(&world->host, MICA_ERROR_PHASE, "%s: the phase is removed, or of another world",
                   call);
    }
    return found; // NULL for the first phase: no memory
}

micai_phase *micai_phases_find_named(mica_world *world, const char *call, mica_phase phase)
{
    if (MICA_IS_NONE(phase)) {
        micai_fail(&world->host, MICA_ERROR_PHASE, "%s: the phase is none", call);
        return NULL;
    }
    micai_host_begin(&world->host, call);
    micai_phase *found = micai_phases_find(world, call, phase);
    micai_host_end(&world->host);
    return found;
}

mica_phase mica_phase_find(mica_world *world, const char *name)
{
    static const char call[] = "mica_phase_find";
    if (!world || !name) {
        micai_fail_null(micai_world_host(world), call, world ? "name" : "world");
        return (mica_phase){0};
    }
    if (micai_world_guard_read(world, call)) {
        return (mica_phase){0};
    }
    const micai_systems *all = micai_systems_of(world);
    if (!all) {
        return strcmp(name, "update") == 0 ? first_handle(world) : (mica_phase){0};
    }
    const micai_phase *found = micai_phases_find_name(all, name);
    return found ? found->handle : (mica_phase){0};
}

static mica_result check_desc(mica_world *world, const char *call, const mica_phase_desc *desc)
{
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(&world->host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if (!micai_name_is_valid(desc->name)) {
        return micai_fail(&world->host, MICA_ERROR_NAME, "%s: the name is %s", call,
                          micai_name_fault(desc->name));
    }
    const micai_systems *all = micai_systems_of(world);
    if (all ? micai_phases_find_name(all, desc->name) != NULL : strcmp(desc->name, "update") == 0) {
        return micai_fail(&world->host, MICA_ERROR_NAME, "%s: there is a phase '%s' already", call,
                          desc->name);
    }
    if (!(desc->fixed_dt >= 0 && desc->fixed_dt <= (double)FLT_MAX)) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: a time step of %g for phase '%.80s'; it must be 0 or more, and no "
                          "more than a float can hold",
                          call, desc->fixed_dt, desc->name);
    }
    if (desc->manual && desc->fixed_dt > 0) {
        return micai_fail(
            &world->host, MICA_ERROR_ARGUMENT,
            "%s: phase '%.80s' has .manual and .fixed_dt; steps do not run a manual phase, and "
            "give it no time",
            call, desc->name);
    }
    if (desc->max_runs > 0 && desc->fixed_dt == 0) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: phase '%.80s' has .max_runs without .fixed_dt", call, desc->name);
    }
    return MICA_OK;
}

mica_phase mica_phase_add(mica_world *world, const mica_phase_desc *desc)
{
    static const char call[] = "mica_phase_add";
    if (!world || !desc) {
        micai_fail_null(micai_world_host(world), call, world ? "desc" : "world");
        return (mica_phase){0};
    }
    if (micai_world_guard_all(world, call) || check_desc(world, call, desc)) {
        return (mica_phase){0};
    }
    micai_host_begin(&world->host, call);
    micai_systems *all = micai_systems_open(world);
    bool known = all && (!desc->before.bits || micai_phases_find(world, call, desc->before));
    micai_phase *made = known ? micai_phase_make(world, all, call, desc) : NULL;
    if (made) {
        micai_phase_resume(world, all, made);
    }
    micai_host_end(&world->host);
    return made ? made->handle : (mica_phase){0};
}

mica_result mica_phase_remove(mica_world *world, mica_phase phase)
{
    static const char call[] = "mica_phase_remove";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_all(world, call);
    micai_phase *one = result ? NULL : micai_phases_find_named(world, call, phase);
    if (!one) {
        return micai_world_failed(world);
    }
    if (one->count > 0 || one->seed == 1) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: phase '%.80s' %s", call,
                          one->name,
                          one->seed == 1 ? "stays" : "has systems; remove or move those first");
    }
    micai_systems *all = micai_systems_of(world);
    uint32_t number = micai_stamp_number(phase.bits);
    micai_map_remove(&all->phases_by_name, micai_hash_text(one->name), number);
    micai_handles_remove(&all->phase_handles, number);
    extract_phase(all, one);
    micai_release_text(&world->host, one->name);
    micai_release(&world->host, one, sizeof *one, _Alignof(micai_phase));
    return MICA_OK;
}

static mica_result move(mica_world *world, const char *call, micai_phase *phase,
                        const micai_phase *next)
{
    micai_systems *all = micai_systems_of(world);
    uint64_t old = phase->place;
    extract_phase(all, phase);
    insert_phase(all, phase, next);
    mica_result result = micai_systems_check_order(world, call, all);
    if (result) {
        extract_phase(all, phase);
        insert_phase(all, phase, old < all->phases.count ? all->phases.items[old] : NULL);
    }
    return result;
}

mica_result mica_phase_move(mica_world *world, mica_phase phase, mica_phase before)
{
    static const char call[] = "mica_phase_move";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_all(world, call);
    micai_phase *one = result ? NULL : micai_phases_find_named(world, call, phase);
    const micai_phase *next =
        one && before.bits ? micai_phases_find_named(world, call, before) : NULL;
    if (!one || (before.bits && !next)) {
        return micai_world_failed(world);
    }
    if (one == next) {
        return MICA_OK;
    }
    micai_host_begin(&world->host, call);
    result = move(world, call, one, next);
    micai_host_end(&world->host);
    return result;
}

double mica_phase_progress(mica_world *world, mica_phase phase)
{
    static const char call[] = "mica_phase_progress";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return 0;
    }
    bool first = !micai_systems_of(world) && phase.bits == first_handle(world).bits;
    const micai_phase *one = micai_world_guard_read(world, call) || first
                                 ? NULL
                                 : micai_phases_find_named(world, call, phase);
    if (!one || one->fixed_dt == 0) {
        return 0;
    }
    // During a run of the phase, the lag may hold more than one run.
    return fmod(world->state->midway ? one->next.lag : one->now.lag, one->fixed_dt) / one->fixed_dt;
}
