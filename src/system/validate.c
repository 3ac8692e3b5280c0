// The invariants of systems and phases, and what the rest of the world asks of the room. system.h has the
// numbers.
#include "system/system.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"
#include "core/field.h"

static bool is_there(const micai_host *host, const micai_system *one)
{
    return micai_memory_holds(host, one, 1, sizeof *one, _Alignof(micai_system)) &&
           one->check == micai_system_check(one);
}

// Y1 of one, apart from its name's being found.
static bool is_system(mica_world *world, const micai_systems *all, const micai_system *one)
{
    const char *name = one->declared.system;
    bool right = name == one->stats.name && one->enabled <= 1 && one->seed <= all->made &&
                 one->stats.phase.bits == one->phase->handle.bits &&
                 micai_memory_holds_text(&world->host, name, MICA_NAME_SIZE_MAX) &&
                 micai_name_is_good(name) &&
                 one->handle.bits == micai_systems_stamp(world->core, one->seed) &&
                 micai_query_look_up(world, one->query) == one->rows &&
                 mica_query_is_none(one->query) == !one->rows;
    for (uint32_t i = 0; right && i < one->declared.query_count; i++) {
        right = micai_query_look_up(world, one->declared.queries[i]) != NULL;
    }
    return right;
}

static uint32_t count_users(const micai_systems *all, mica_query query)
{
    uint32_t users = 0;
    for (uint32_t i = 0; i < all->list.count; i++) {
        const micai_declared *declared = &all->list.items[i]->declared;
        for (uint32_t k = 0; k < declared->query_count; k++) {
            users += declared->queries[k].bits == query.bits;
        }
    }
    return users;
}

// Do all queries know how many systems have declared them? Those that were declared are asked; the others
// have none if there are no more in all.
static bool are_counted(mica_world *world, const micai_systems *all)
{
    const micai_queries *queries = world->core->rooms[MICAI_ROOM_QUERY].state;
    uint64_t known = 0;
    for (uint32_t n = 0; queries && n < queries->list.count; n++) {
        known += queries->list.items[n] ? queries->list.items[n]->users : 0;
    }
    uint64_t declared = 0;
    bool right = true;
    for (uint32_t i = 0; right && i < all->list.count; i++) {
        const micai_declared *own = &all->list.items[i]->declared;
        declared += own->query_count;
        for (uint32_t k = 0; right && k < own->query_count; k++) {
            const micai_query *query = micai_query_look_up(world, own->queries[k]);
            right = query->users == count_users(all, own->queries[k]);
        }
    }
    return right && known == declared;
}

static mica_result validate_systems(mica_world *world, const micai_systems *all)
{
    const micai_query *nothing = micai_query_look_up(world, all->nothing);
    bool right = nothing ? nothing->hidden : mica_query_is_none(all->nothing);
    for (uint32_t i = 0; right && i < all->list.count; i++) {
        right = is_system(world, all, all->list.items[i]);
    }
    right = right && are_counted(world, all);
    return right ? MICA_OK
                 : micai_fail_invariant(&world->host, "Y1", "a system is not as it was added");
}

// Y1: each is found by its name, and nobody else is.
static mica_result validate_names(mica_world *world, const micai_systems *all)
{
    mica_result result = micai_map_validate(&world->host, &all->by_name, all->list.count);
    bool right = !result && all->by_name.count == all->list.count;
    for (uint32_t i = 0; right && i < all->list.count; i++) {
        mica_system found = mica_system_find(world, all->list.items[i]->declared.system);
        right = found.bits == all->list.items[i]->handle.bits;
    }
    return result || right ? result
                           : micai_fail_invariant(&world->host, "Y1", "a system is not found");
}

// An amount of time; not even a zero has a sign.
static bool is_time(double time)
{
    return !signbit(time) && time <= DBL_MAX;
}

// Y3 of the time that has passed in one.
static bool has_passed(const micai_phase *phase)
{
    const micai_passed *now = &phase->now;
    bool fixed = phase->fixed_dt > 0;
    return is_time(now->lag) && is_time(now->lost) && now->done <= UINT64_MAX >> 1 &&
           (fixed ? now->lag < phase->fixed_dt : now->lag == 0 && now->done == 0 && now->lost == 0);
}

// Y3 of one, which is there.
static bool is_phase(mica_world *world, const micai_systems *all, const micai_phase *phase)
{
    return micai_memory_holds_text(&world->host, phase->name, MICA_NAME_SIZE_MAX) &&
           micai_name_is_good(phase->name) && phase->seed <= all->phases_made &&
           phase->handle.bits == micai_systems_stamp(world->core, phase->seed) && has_passed(phase);
}

static mica_result validate_phases(mica_world *world, const micai_systems *all)
{
    bool first = false;
    bool right = true;
    uint32_t place = 0;
    for (uint32_t p = 0; right && p < all->phases.count; p++) {
        const micai_phase *phase = all->phases.items[p];
        right = micai_memory_holds(&world->host, phase, 1, sizeof *phase, _Alignof(micai_phase)) &&
                phase->check == micai_phase_check(phase) && is_phase(world, all, phase) &&
                phase->count <= all->list.count - place;
        first = first || (right && phase->seed == 1);
        for (uint64_t i = 0; right && i < phase->count; i++) {
            right = all->list.items[place++]->phase == phase;
        }
        for (uint32_t k = 0; right && k < p; k++) {
            right = strcmp(phase->name, all->phases.items[k]->name) != 0;
        }
    }
    right = right && first && place == all->list.count && micai_memory_holds_bool(&all->timing) &&
            micai_memory_holds_bool(&all->failed) && micai_memory_holds_bool(&all->by_hand);
    return right ? MICA_OK : micai_fail_invariant(&world->host, "Y3", "a phase is not in order");
}

// Y2
static mica_result validate_running(mica_world *world, const micai_systems *all)
{
    const char *name = world->host.system;
    const micai_declared *declared = world->core->declared;
    bool named = !name;
    bool asked = !declared;
    for (uint32_t i = 0; i < all->list.count; i++) {
        named = named || all->list.items[i]->declared.system == name;
        asked = asked || (&all->list.items[i]->declared == declared &&
                          all->list.items[i]->declared.system == name);
    }
    if (named && asked) {
        return MICA_OK;
    }
    world->host.system = named ? name : NULL; // no sentence is to end in it
    world->core->declared = NULL;             // nor anybody to ask it
    return micai_fail_invariant(&world->host, "Y2", "a system runs that is none");
}

mica_result micai_systems_validate(mica_world *world, void *state)
{
    const micai_systems *all = state;
    mica_result result = micai_array_validate(&world->host, &all->list, "systems");
    result = result ? result : micai_array_validate(&world->host, &all->phases, "phases");
    for (uint32_t i = 0; !result && i < all->list.count; i++) {
        if (!is_there(&world->host, all->list.items[i])) {
            result = micai_fail_invariant(&world->host, "Y1", "system %" PRIu32 " is lost", i);
        }
    }
    result = result ? result : validate_phases(world, all);
    result = result ? result : validate_systems(world, all);
    result = result ? result : validate_names(world, all);
    result = result ? result : validate_running(world, all);
    result = result ? result : micai_arena_validate(&world->host, &all->frame);
    result = result ? result : micai_unclaimed_validate(&world->host, &all->unclaimed);
    if (!result && micai_systems_check_order(world, "mica_world_validate", all)) {
        result = micai_fail_invariant(&world->host, "Y4", "systems run in the wrong order");
    }
    return result;
}

// The state of a phase, or of what a system has heard: a summand, so that it counts the same whether its owner
// exists or not, and in which order owners were created.
static uint64_t digest_state(const char *name, uint64_t detail, uint64_t a, uint64_t b)
{
    uint64_t hash = micai_hash_add(micai_hash_text(name), detail);
    return micai_hash_add(micai_hash_add(hash, a), b);
}

static uint64_t digest_heard(const micai_core *core, const char *system, uint64_t type,
                             uint64_t last, uint64_t before)
{
    const micai_type *found = micai_registry_find(&core->registry, (mica_type){type});
    return found && (last | before) ? digest_state(system, found->name_hash, last, before) : 0;
}

// What time has done to phases with a time step of their own, and what systems have heard in them: of events
// that they read. How many they send is in the digest of these.
uint64_t micai_systems_digest(const micai_core *core, const void *state, uint64_t hash)
{
    const micai_systems *all = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < all->phases.count; i++) {
        const micai_phase *phase = all->phases.items[i];
        uint64_t lag;
        memcpy(&lag, &phase->now.lag, sizeof lag);
        sum += phase->fixed_dt > 0 ? digest_state(phase->name, 0, lag, phase->now.done) : 0;
    }
    for (uint32_t i = 0; i < all->list.count; i++) {
        const micai_system *one = all->list.items[i];
        for (uint32_t k = 0; k < one->declared.event_count; k++) {
            const mica_term *event = &one->declared.events[k];
            sum += event->access == MICA_READ
                       ? digest_heard(core, one->declared.system, event->type.bits, one->sent[k][1],
                                      one->sent[k][2])
                       : 0;
        }
    }
    const micai_unclaimed_item *item;
    for (uint32_t i = 0; (item = micai_unclaimed_next(&all->unclaimed, MICAI_STATE_PHASE, &i));) {
        sum += digest_state(item->name, 0, item->values[0], item->values[1]);
    }
    for (uint32_t i = 0; (item = micai_unclaimed_next(&all->unclaimed, MICAI_STATE_HEARD, &i));) {
        sum += digest_heard(core, item->name, item->detail, item->values[0], item->values[1]);
    }
    return sum ? micai_hash_add(hash, sum) : hash;
}

uint64_t micai_systems_heard(const void *state, uint64_t type)
{
    const micai_systems *all = state;
    uint64_t heard = UINT64_MAX;
    for (uint32_t i = 0; i < all->list.count; i++) {
        const micai_system *one = all->list.items[i];
        for (uint32_t k = 0; one->phase->fixed_dt > 0 && k < one->declared.event_count; k++) {
            const mica_term *event = &one->declared.events[k];
            bool reads = event->type.bits == type && event->access == MICA_READ;
            uint64_t until = one->sent[k][2];
            if (MICAI_CANARY("system.heard_once")) {
                until = one->sent[k][1];
            }
            heard = reads && until < heard ? until : heard;
        }
    }
    return heard;
}
