// Phases: added, moved, removed, asked.
#include "system/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "core/field.h"

#define MAX_RUNS 8 // in a step, unless somebody asks for others

uint64_t micai_phase_check(const micai_phase *phase)
{
    return micai_hash_bytes(phase, offsetof(micai_phase, check));
}

static uint32_t place_of(const micai_systems *all, mica_phase phase)
{
    uint32_t i = 0;
    while (i < all->phases.count && all->phases.items[i]->handle.bits != phase.bits) {
        i++;
    }
    return i;
}

// The phase that a world has, and the room is made with.
static mica_phase first_handle(const mica_world *world)
{
    return (mica_phase){micai_systems_stamp(world->core, 1)};
}

static void shift_in(micai_systems *all, micai_phase *phase, uint32_t place)
{
    memmove(&all->phases.items[place + 1], &all->phases.items[place],
            (all->phases.count - place) * sizeof *all->phases.items);
    all->phases.items[place] = phase;
    all->phases.count++;
}

static void shift_out(micai_systems *all, uint32_t place)
{
    all->phases.count--;
    memmove(&all->phases.items[place], &all->phases.items[place + 1],
            (all->phases.count - place) * sizeof *all->phases.items);
}

micai_phase *micai_phase_make(mica_world *world, micai_systems *all, const mica_phase_desc *desc)
{
    micai_phase *phase =
        micai_array_reserve(&world->host, &all->phases, 1)
            ? micai_alloc_zeroed(&world->host, sizeof *phase, _Alignof(micai_phase))
            : NULL;
    if (!phase) {
        return NULL;
    }
    phase->name = micai_copy_text(&world->host, desc->name);
    if (!phase->name) {
        micai_release(&world->host, phase, sizeof *phase, _Alignof(micai_phase));
        return NULL;
    }
    phase->seed = ++all->phases_made;
    phase->handle.bits = micai_systems_stamp(world->core, phase->seed);
    phase->fixed_dt = desc->fixed_dt;
    phase->max_runs = desc->fixed_dt > 0 && desc->max_runs == 0 ? MAX_RUNS : desc->max_runs;
    phase->check = micai_phase_check(phase);
    shift_in(all, phase, desc->before.bits ? place_of(all, desc->before) : all->phases.count);
    return phase;
}

micai_phase *micai_phases_find(mica_world *world, const char *call, mica_phase phase)
{
    phase = phase.bits ? phase : first_handle(world);
    bool first = phase.bits == first_handle(world).bits;
    const micai_systems *all = first ? micai_systems_open(world) : micai_systems_of(world);
    uint32_t place = all ? place_of(all, phase) : 0;
    if (all && place < all->phases.count) {
        return all->phases.items[place];
    }
    if (!first) {
        micai_fail(&world->host, MICA_ERROR_PHASE, "%s: the phase is removed, or of another world",
                   call);
    }
    return NULL; // or there is no memory for the first
}

// One that is named; NULL, reported, for none, too.
static micai_phase *find_named(mica_world *world, const char *call, mica_phase phase)
{
    if (mica_phase_is_none(phase)) {
        micai_fail(&world->host, MICA_ERROR_PHASE, "%s: the phase is none", call);
        return NULL;
    }
    micai_host_begin(&world->host, call);
    micai_phase *found = micai_phases_find(world, call, phase);
    micai_host_end(&world->host);
    return found;
}

static uint32_t find_name(const micai_systems *all, const char *name)
{
    uint32_t i = 0;
    while (i < all->phases.count && strcmp(all->phases.items[i]->name, name) != 0) {
        i++;
    }
    return i;
}

mica_phase mica_phase_find(mica_world *world, const char *name)
{
    static const char call[] = "mica_phase_find";
    if (!world || !name) {
        micai_fail_null(micai_world_host(world), call, world ? "name" : "world");
        return mica_phase_none();
    }
    if (micai_world_enter(world, call)) {
        return mica_phase_none();
    }
    const micai_systems *all = micai_systems_of(world);
    if (!all) {
        return strcmp(name, "update") == 0 ? first_handle(world) : mica_phase_none();
    }
    uint32_t place = find_name(all, name);
    return place < all->phases.count ? all->phases.items[place]->handle : mica_phase_none();
}

static mica_result check_desc(mica_world *world, const char *call, const mica_phase_desc *desc)
{
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(&world->host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if (!micai_name_is_good(desc->name)) {
        return micai_fail(&world->host, MICA_ERROR_NAME, "%s: the name is %s", call,
                          micai_name_fault(desc->name));
    }
    const micai_systems *all = micai_systems_of(world);
    if (all ? find_name(all, desc->name) < all->phases.count : strcmp(desc->name, "update") == 0) {
        return micai_fail(&world->host, MICA_ERROR_NAME, "%s: there is a phase '%s' already", call,
                          desc->name);
    }
    if (!(desc->fixed_dt >= 0 && desc->fixed_dt <= (double)FLT_MAX)) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: a time step of %g for phase '%.80s'; it must be 0 or more, and no "
                          "more than a float can hold",
                          call, desc->fixed_dt, desc->name);
    }
    if (desc->max_runs > 0 && desc->fixed_dt == 0) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: phase '%.80s' runs once in a step, having no time step of its own",
                          call, desc->name);
    }
    return MICA_OK;
}

mica_phase mica_phase_add(mica_world *world, const mica_phase_desc *desc)
{
    static const char call[] = "mica_phase_add";
    if (!world || !desc) {
        micai_fail_null(micai_world_host(world), call, world ? "desc" : "world");
        return mica_phase_none();
    }
    if (micai_world_guard_all(world, call) || check_desc(world, call, desc)) {
        return mica_phase_none();
    }
    micai_host_begin(&world->host, call);
    micai_systems *all = micai_systems_open(world);
    bool known = all && (!desc->before.bits || micai_phases_find(world, call, desc->before));
    micai_phase *made = known ? micai_phase_make(world, all, desc) : NULL;
    if (made) {
        micai_phase_resume(world, all, made);
    }
    micai_host_end(&world->host);
    return made ? made->handle : mica_phase_none();
}

mica_result mica_phase_remove(mica_world *world, mica_phase phase)
{
    static const char call[] = "mica_phase_remove";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_all(world, call);
    micai_phase *one = result ? NULL : find_named(world, call, phase);
    if (!one) {
        return micai_world_failed(world);
    }
    if (one->count > 0 || one->seed == 1) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: phase '%.80s' %s", call,
                          one->name,
                          one->seed == 1 ? "stays" : "has systems; remove or move those first");
    }
    micai_systems *all = micai_systems_of(world);
    shift_out(all, place_of(all, phase));
    micai_release_text(&world->host, one->name);
    micai_release(&world->host, one, sizeof *one, _Alignof(micai_phase));
    return MICA_OK;
}

// The systems of the list in the order of phases, each phase's as they are.
static void gather(micai_systems *all, micai_system **scratch)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < all->phases.count; p++) {
        for (uint32_t i = 0; i < all->list.count; i++) {
            if (all->list.items[i]->phase == all->phases.items[p]) {
                scratch[count++] = all->list.items[i];
            }
        }
    }
    while (all->list.count > 0) {
        micai_systems_take(all, all->list.count - 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        micai_systems_insert(all, scratch[i], i);
    }
}

static mica_result move(mica_world *world, const char *call, micai_phase *phase, mica_phase before)
{
    micai_systems *all = micai_systems_of(world);
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    micai_system **scratch =
        micai_arena_alloc_array(&world->host, &world->scratch, all->list.count,
                                sizeof(micai_system *), _Alignof(micai_system *));
    mica_result result = scratch ? MICA_OK : MICA_ERROR_MEMORY;
    if (!result) {
        uint32_t old = place_of(all, phase->handle);
        shift_out(all, old);
        shift_in(all, phase, before.bits ? place_of(all, before) : all->phases.count);
        gather(all, scratch);
        result = micai_systems_check_order(world, call, all);
        if (result) {
            shift_out(all, place_of(all, phase->handle));
            shift_in(all, phase, old);
            gather(all, scratch);
        }
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

mica_result mica_phase_move(mica_world *world, mica_phase phase, mica_phase before)
{
    static const char call[] = "mica_phase_move";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_all(world, call);
    micai_phase *one = result ? NULL : find_named(world, call, phase);
    if (!one || (before.bits && !find_named(world, call, before))) {
        return micai_world_failed(world);
    }
    if (one->handle.bits == before.bits) {
        return MICA_OK;
    }
    micai_host_begin(&world->host, call);
    result = move(world, call, one, before);
    micai_host_end(&world->host);
    return result;
}

// The first phase may be looked at before there is one.
static const micai_phase *look_at(mica_world *world, const char *call, mica_phase phase)
{
    static const micai_phase first = {0}; // mica_phase_get_stats() has its name
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    if (!micai_systems_of(world) && phase.bits == first_handle(world).bits) {
        return micai_world_enter(world, call) ? NULL : &first;
    }
    return micai_world_enter(world, call) ? NULL : find_named(world, call, phase);
}

double mica_phase_progress(mica_world *world, mica_phase phase)
{
    const micai_phase *one = look_at(world, "mica_phase_progress", phase);
    if (!one || one->fixed_dt == 0) {
        return 0;
    }
    // While it runs itself, there may be time for more than one.
    return fmod(world->core->midway ? one->next.lag : one->now.lag, one->fixed_dt) / one->fixed_dt;
}

mica_phase_stats mica_phase_get_stats(mica_world *world, mica_phase phase)
{
    const micai_phase *one = look_at(world, "mica_phase_get_stats", phase);
    return one ? (mica_phase_stats){.name = one->name ? one->name : "update",
                                    .systems = (uint32_t)one->count,
                                    .runs = one->runs,
                                    .lost = one->now.lost}
               : (mica_phase_stats){0};
}
