// Inspection of phases and systems, in execution order.
#include "inspect/inspect_internal.h"

#include <string.h>

#include "system/system.h"

static mica_phase first_phase(const mica_world *world)
{
    return (mica_phase){micai_systems_stamp(world->state, 1, 0)};
}

mica_phase mica_phase_next(mica_world *world, mica_phase previous)
{
    static const char call[] = "mica_phase_next";
    if (!micai_inspect_enter(world, call)) {
        return (mica_phase){0};
    }
    const micai_systems *all = micai_systems_of(world);
    bool first = MICA_IS_NONE(previous);
    if (!all) { // inspection does not create the room's state
        bool last = MICA_EQUAL(previous, first_phase(world));
        if (first || last) {
            return first ? first_phase(world) : (mica_phase){0};
        }
    }
    if (first) {
        return all->phases.items[0]->handle; // Y3: it exists
    }
    const micai_phase *found = micai_phases_find(world, call, previous);
    if (!found || !all) {
        return (mica_phase){0};
    }
    uint64_t next = found->place + 1;
    return next < all->phases.count ? all->phases.items[next]->handle : (mica_phase){0};
}

bool mica_phase_get_info(mica_world *world, mica_phase phase, mica_phase_info *info_out)
{
    static const char call[] = "mica_phase_get_info";
    if (!micai_inspect_begin(world, call, "info_out", info_out, sizeof *info_out)) {
        return false;
    }
    if (MICA_IS_NONE(phase)) {
        micai_fail(&world->host, MICA_ERROR_PHASE, "%s: the phase is none", call);
        return false;
    }
    if (!micai_systems_of(world) && MICA_EQUAL(phase, first_phase(world))) {
        info_out->name = "update";
        return true;
    }
    const micai_phase *found = micai_phases_find(world, call, phase);
    if (found) {
        *info_out = (mica_phase_info){.name = found->name,
                                      .systems = (uint32_t)found->count,
                                      .fixed_dt = found->fixed_dt,
                                      .max_runs = (uint32_t)found->max_runs,
                                      .manual = found->manual,
                                      .runs = found->runs,
                                      .lost = found->now.lost};
    }
    return found != NULL;
}

mica_system mica_system_next(mica_world *world, mica_system previous)
{
    static const char call[] = "mica_system_next";
    bool first = MICA_IS_NONE(previous);
    bool entered = micai_inspect_enter(world, call);
    const micai_system *found =
        entered && !first ? micai_systems_find(world, call, previous) : NULL;
    const micai_systems *all = entered ? micai_systems_of(world) : NULL;
    const micai_system *next = found          ? micai_systems_after(all, found)
                               : all && first ? micai_systems_from(all, 0)
                                              : NULL;
    return next ? next->handle : (mica_system){0};
}

bool mica_system_get_info(mica_world *world, mica_system system, mica_system_info *info_out)
{
    static const char call[] = "mica_system_get_info";
    const micai_system *found =
        micai_inspect_begin(world, call, "info_out", info_out, sizeof *info_out)
            ? micai_systems_find(world, call, system)
            : NULL;
    if (!found) {
        return false;
    }
    const micai_declared *declared = &found->declared;
    *info_out = (mica_system_info){.name = declared->system,
                                   .phase = found->phase->handle,
                                   .query = found->query,
                                   .user = found->user,
                                   .enabled = found->enabled != 0,
                                   .conditional = found->when != NULL,
                                   .replay_first = found->replay_first != 0,
                                   .stats = found->stats};
    memcpy(info_out->queries, declared->queries, sizeof info_out->queries);
    memcpy(info_out->resources, declared->resources, sizeof info_out->resources);
    memcpy(info_out->events, declared->events, sizeof info_out->events);
    return true;
}
