// The invariants of systems and phases, and the module's functions for digests and queues. system.h
// has the numbers.
#include "system/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"
#include "core/field.h"

// Visits the systems of the table, by number.
#define FOR_SYSTEMS(all, one)                                                                      \
    const micai_system *one;                                                                       \
    for (uint32_t i_ = 0; i_ < (all)->systems.list.count; i_++)                                    \
        if ((one = (all)->systems.list.items[i_]) != NULL)

// Checks Y1 of one system, except that it is found by its name.
static bool is_system(mica_world *world, const micai_systems *all, const micai_system *one,
                      uint32_t number)
{
    const char *name = one->declared.system;
    bool right = one->enabled <= 1 && one->seed <= all->made && micai_name_is_valid(name) &&
                 one->handle.bits == micai_systems_stamp(world->state, one->seed, number) &&
                 micai_query_look_up(world, one->query) == one->rows &&
                 MICA_IS_NONE(one->query) == !one->rows && (!one->rows || one->rows->owned) &&
                 one->declared.query_count <= MICA_SYSTEM_QUERIES_MAX &&
                 one->declared.resource_count <= MICA_SYSTEM_USES_MAX &&
                 one->declared.event_count <= MICA_SYSTEM_USES_MAX;
    for (uint32_t i = 0; right && i < one->declared.query_count; i++) {
        right = micai_query_look_up(world, one->declared.queries[i]) != NULL;
    }
    return right;
}

// Returns true if all queries know how many systems have declared them. Compares sums in which each
// query has its own weight.
static bool are_counted(mica_world *world, const micai_systems *all)
{
    const micai_queries *queries = world->state->modules[MICAI_MODULE_QUERY].data;
    uint64_t difference = 0;
    for (uint32_t n = 0; queries && n < queries->handles.list.count; n++) {
        const micai_query *query = queries->handles.list.items[n];
        difference += query ? query->declaring_systems * micai_hash_mix(query->handle.bits) : 0;
    }
    FOR_SYSTEMS(all, one)
    {
        for (uint32_t k = 0; k < one->declared.query_count; k++) {
            difference -= micai_hash_mix(one->declared.queries[k].bits);
        }
    }
    return difference == 0;
}

static mica_result validate_systems(mica_world *world, const micai_systems *all)
{
    const micai_query *rowless = micai_query_look_up(world, all->rowless);
    bool right = rowless ? rowless->hidden : MICA_IS_NONE(all->rowless);
    FOR_SYSTEMS(all, one)
    {
        right = right && is_system(world, all, one, i_);
    }
    right = right && are_counted(world, all);
    return right ? MICA_OK
                 : micai_fail_invariant(&world->host, "Y1", "a system is not as it was added");
}

// Checks Y1: each system is found by its name, and the map has no other entries.
static mica_result validate_names(mica_world *world, const micai_systems *all)
{
    mica_result result = micai_map_validate(&world->host, &all->by_name, all->systems.list.count);
    bool right = !result && all->by_name.count == micai_handles_count(&all->systems);
    if (right) {
        FOR_SYSTEMS(all, one)
        {
            right = right && mica_system_find(world, one->declared.system).bits == one->handle.bits;
        }
    }
    return result || right
               ? result
               : micai_fail_invariant(&world->host, "Y1", "a system is not found by its name");
}

// Returns true for an amount of time; even zero must be positive.
static bool is_time(double time)
{
    return !signbit(time) && time <= DBL_MAX;
}

// Checks Y3 of the time of a phase.
static bool is_phase_time(const micai_phase *phase)
{
    const micai_phase_time *now = &phase->now;
    bool fixed = phase->fixed_dt > 0;
    return is_time(now->own) && (phase->manual ? !fixed : now->own == 0) && is_time(now->lag) &&
           is_time(now->lost) && now->done <= UINT64_MAX >> 1 &&
           (fixed ? now->lag < phase->fixed_dt : now->lag == 0 && now->done == 0 && now->lost == 0);
}

// Checks Y3 of one phase.
static bool is_phase(mica_world *world, const micai_systems *all, const micai_phase *phase,
                     uint32_t number)
{
    return micai_name_is_valid(phase->name) && phase->seed <= all->phases_made &&
           phase->handle.bits == micai_systems_stamp(world->state, phase->seed, number) &&
           phase->place < all->phases.count && all->phases.items[phase->place] == phase &&
           is_phase_time(phase);
}

// Returns true if the system is in the table.
static bool is_known(const micai_systems *all, const micai_system *one)
{
    return micai_handles_at(&all->systems, micai_stamp_number(one->handle.bits)) == one;
}

// Checks Y3: the systems of a phase are linked both ways, with ranks that grow.
static bool is_linked(const micai_systems *all, const micai_phase *phase)
{
    const micai_system *previous = NULL;
    const micai_system *one = phase->first;
    uint64_t count = 0;
    while (one && count < phase->count && is_known(all, one) && one->phase == phase &&
           one->previous == previous && one->rank > (previous ? previous->rank : 0)) {
        previous = one;
        one = one->next;
        count++;
    }
    return !one && count == phase->count && phase->last == previous;
}

// Checks Y3: each phase is found by its name, and the map has no other entries.
static bool are_phases_named(const micai_systems *all)
{
    bool right = all->phases_by_name.count == all->phases.count;
    for (uint32_t p = 0; right && p < all->phases.count; p++) {
        right = micai_phases_find_name(all, all->phases.items[p]->name) == all->phases.items[p];
    }
    return right;
}

static mica_result validate_phases(mica_world *world, const micai_systems *all)
{
    mica_result result = micai_handles_validate(&world->host, &all->phase_handles, "phases");
    result = result ? result
                    : micai_map_validate(&world->host, &all->phases_by_name,
                                         all->phase_handles.list.count);
    bool first = false;
    bool right = !result && micai_handles_count(&all->phase_handles) == all->phases.count;
    uint64_t systems = 0;
    for (uint32_t n = 0; right && n < all->phase_handles.list.count; n++) {
        const micai_phase *phase = all->phase_handles.list.items[n];
        right = !phase || (is_phase(world, all, phase, n) && is_linked(all, phase));
        first = first || (right && phase && phase->seed == 1);
        systems += right && phase ? phase->count : 0;
    }
    right =
        right && first && systems == micai_handles_count(&all->systems) && are_phases_named(all);
    return result || right ? result
                           : micai_fail_invariant(&world->host, "Y3", "a phase is invalid");
}

// Checks Y2.
static mica_result validate_running(mica_world *world, const micai_systems *all)
{
    const char *name = world->host.system;
    const micai_declared *declared = world->state->declared;
    bool named = !name;
    bool asked = !declared;
    FOR_SYSTEMS(all, one)
    {
        named = named || one->declared.system == name;
        asked = asked || (&one->declared == declared && one->declared.system == name);
    }
    return named && asked
               ? MICA_OK
               : micai_fail_invariant(&world->host, "Y2", "the running system does not exist");
}

// Checks Y5.
static mica_result validate_positions(mica_world *world, const micai_systems *all)
{
    bool right = true;
    FOR_SYSTEMS(all, one)
    {
        for (uint32_t k = 0; k < one->declared.event_count; k++) {
            uint64_t sent = micai_events_sent(world, one->declared.events[k].type);
            right = right && one->declared.read[k].next <= sent + 1;
        }
    }
    return right ? MICA_OK
                 : micai_fail_invariant(&world->host, "Y5", "a system has read too many events");
}

mica_result micai_systems_validate(mica_world *world, const void *data)
{
    const micai_systems *all = data;
    mica_result result = micai_handles_validate(&world->host, &all->systems, "systems");
    result = result ? result : micai_array_validate(&world->host, &all->phases, "phases");
    result = result ? result : validate_phases(world, all);
    result = result ? result : validate_systems(world, all);
    result = result ? result : validate_names(world, all);
    result = result ? result : validate_running(world, all);
    result = result ? result : validate_positions(world, all);
    result = result ? result : micai_arena_validate(&world->host, &all->frame);
    result = result ? result : micai_unclaimed_validate(&world->host, &all->unclaimed);
    if (!result && micai_systems_check_order(world, "mica_world_validate", all)) {
        result = micai_fail_invariant(&world->host, "Y4", "systems run in the wrong order");
    }
    return result;
}

// Returns the hash of a phase's state, or of what a system has read. Hashes are added, so that
// neither the order of creation nor a missing owner makes a difference.
static uint64_t digest_state(const char *name, uint64_t detail, uint64_t a, uint64_t b)
{
    uint64_t hash = micai_hash_add(micai_hash_text(name), detail);
    return micai_hash_add(micai_hash_add(hash, a), b);
}

// Digests two numbers of a system and a type of events: what had been sent, or how far it has read.
static uint64_t digest_numbers(const micai_state *state, uint32_t kind, const char *system,
                               uint64_t type, const uint64_t numbers[2])
{
    const micai_type *found = micai_registry_find(&state->registry, (mica_type){type});
    uint64_t detail = !found                         ? 0
                      : kind == MICAI_STATE_POSITION ? micai_hash_mix(found->name_hash)
                                                     : found->name_hash;
    return found && (numbers[0] | numbers[1]) ? digest_state(system, detail, numbers[0], numbers[1])
                                              : 0;
}

static uint64_t digest_event(const micai_state *state, const micai_system *one, uint32_t event)
{
    const char *name = one->declared.system;
    uint64_t type = one->declared.events[event].type.bits;
    const micai_position *read = &one->declared.read[event];
    const uint64_t position[2] = {read->next, read->missed};
    return digest_numbers(state, MICAI_STATE_EVENTS_READ, name, type, &one->sent[event][1]) +
           digest_numbers(state, MICAI_STATE_POSITION, name, type, position);
}

static uint64_t digest_unclaimed(const micai_state *state, const micai_unclaimed *all,
                                 uint32_t kind)
{
    uint64_t sum = 0;
    const micai_unclaimed_item *item;
    for (uint32_t i = 0; (item = micai_unclaimed_next(all, kind, &i)) != NULL;) {
        sum += digest_numbers(state, kind, item->name, item->detail, item->values);
    }
    return sum;
}

// Digests the time of manual phases and of those with a time step of their own, and the events that
// systems have read. Sent events are in the digest of queues.
uint64_t micai_systems_digest(const micai_state *state, const void *data, uint64_t hash)
{
    const micai_systems *all = data;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < all->phases.count; i++) {
        const micai_phase *phase = all->phases.items[i];
        uint64_t time;
        memcpy(&time, phase->manual ? &phase->now.own : &phase->now.lag, sizeof time);
        sum +=
            micai_phase_has_time(phase) ? digest_state(phase->name, 0, time, phase->now.done) : 0;
    }
    for (const micai_system *one = micai_systems_from(all, 0); one;
         one = micai_systems_after(all, one)) {
        for (uint32_t k = 0; k < one->declared.event_count; k++) {
            sum += one->declared.events[k].access == MICA_READ ? digest_event(state, one, k) : 0;
        }
    }
    const micai_unclaimed_item *item;
    for (uint32_t i = 0; (item = micai_unclaimed_next(&all->unclaimed, MICAI_STATE_PHASE, &i));) {
        sum += digest_state(item->name, 0, item->values[0], item->values[1]);
    }
    sum += digest_unclaimed(state, &all->unclaimed, MICAI_STATE_EVENTS_READ);
    sum += digest_unclaimed(state, &all->unclaimed, MICAI_STATE_POSITION);
    return sum ? micai_hash_add(hash, sum) : hash;
}

uint64_t micai_systems_events_read(const void *data, uint64_t type)
{
    const micai_systems *all = data;
    uint64_t read_up_to = UINT64_MAX;
    FOR_SYSTEMS(all, one)
    {
        for (uint32_t k = 0; one->phase->fixed_dt > 0 && k < one->declared.event_count; k++) {
            const mica_term *event = &one->declared.events[k];
            bool reads = event->type.bits == type && event->access == MICA_READ;
            uint64_t until = one->sent[k][2];
            if (MICAI_CANARY("system.heard_once")) {
                until = one->sent[k][1];
            }
            read_up_to = reads && until < read_up_to ? until : read_up_to;
        }
    }
    return read_up_to;
}
