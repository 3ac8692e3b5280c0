// The execution order of systems, and the order that they declare.
#include "system/system.h"

#include "base/canary.h"

micai_system *micai_systems_from(const micai_systems *all, uint64_t phase)
{
    while (phase < all->phases.count && !all->phases.items[phase]->first) {
        phase++;
    }
    return phase < all->phases.count ? all->phases.items[phase]->first : NULL;
}

void micai_system_insert(micai_system *one, micai_system *next)
{
    micai_phase *phase = one->phase;
    one->next = next;
    one->previous = next ? next->previous : phase->last;
    *(one->previous ? &one->previous->next : &phase->first) = one;
    *(next ? &next->previous : &phase->last) = one;
    phase->count++;
    one->rank = one->previous ? one->previous->rank + 1 : 1;
    for (micai_system *behind = one; next && next->rank <= behind->rank; next = next->next) {
        next->rank = behind->rank + 1;
        behind = next;
    }
}

void micai_system_unlink(micai_system *one)
{
    *(one->previous ? &one->previous->next : &one->phase->first) = one->next;
    *(one->next ? &one->next->previous : &one->phase->last) = one->previous;
    one->phase->count--;
}

static bool is_before(const micai_system *one, const micai_system *other)
{
    return one->phase == other->phase ? one->rank < other->rank
                                      : one->phase->place < other->phase->place;
}

micai_system *micai_systems_find_successor(const micai_systems *all, const micai_system *one)
{
    micai_system *next = NULL;
    for (uint32_t i = 0; i < MICA_SYSTEM_ORDER_MAX && !MICA_IS_NONE(one->before[i]); i++) {
        micai_system *other = micai_systems_look_up(all, one->before[i]);
        if (other && other->phase->place < one->phase->place) {
            return one->phase->first; // as early as possible
        }
        bool nearer = other && other->phase == one->phase && (!next || other->rank < next->rank);
        next = nearer ? other : next;
    }
    return next;
}

// The sentence names the two systems that contradict each other, if that is why the order cannot be
// kept.
static mica_result fail_order(mica_world *world, const char *call, const micai_systems *all,
                              const micai_system *one, const micai_system *other, bool before)
{
    const mica_system *opposite = before ? one->after : one->before;
    for (uint32_t k = 0; k < MICA_SYSTEM_ORDER_MAX && !MICA_IS_NONE(opposite[k]); k++) {
        const micai_system *also = micai_systems_look_up(all, opposite[k]);
        const micai_system *next = before ? other : also;     // named by .before
        const micai_system *previous = before ? also : other; // named by .after
        if (also == other) {
            return micai_fail(&world->host, MICA_ERROR_ORDER,
                              "%s: system '%.60s' is to run both before and after '%.60s'", call,
                              one->declared.system, other->declared.system);
        }
        if (also && is_before(next, previous)) {
            return micai_fail(&world->host, MICA_ERROR_ORDER,
                              "%s: system '%.60s' is to run before '%.60s' and after '%.60s', but "
                              "'%.60s' runs before '%.60s'",
                              call, one->declared.system, next->declared.system,
                              previous->declared.system, next->declared.system,
                              previous->declared.system);
        }
    }
    return micai_fail(&world->host, MICA_ERROR_ORDER,
                      "%s: system '%.80s' is to run %s '%.80s', and would not", call,
                      one->declared.system, before ? "before" : "after", other->declared.system);
}

mica_result micai_system_check_place(mica_world *world, const char *call, const micai_systems *all,
                                     const micai_system *one)
{
    for (uint32_t k = 0; k < MICA_SYSTEM_ORDER_MAX; k++) {
        // A system that is named may have been removed.
        const micai_system *before =
            one->before[k].bits ? micai_systems_look_up(all, one->before[k]) : NULL;
        const micai_system *after =
            one->after[k].bits ? micai_systems_look_up(all, one->after[k]) : NULL;
        if (MICAI_CANARY("system.order")) {
            after = NULL;
        }
        if (before && !is_before(one, before)) {
            return fail_order(world, call, all, one, before, true);
        }
        if (after && !is_before(after, one)) {
            return fail_order(world, call, all, one, after, false);
        }
    }
    return MICA_OK;
}

mica_result micai_systems_check_order(mica_world *world, const char *call, const micai_systems *all)
{
    mica_result result = MICA_OK;
    for (const micai_system *one = micai_systems_from(all, 0); !result && one;
         one = micai_systems_after(all, one)) {
        result = micai_system_check_place(world, call, all, one);
    }
    return result;
}

static void link_system(micai_system *one, micai_phase *phase, micai_system *next)
{
    one->phase = phase;
    micai_system_insert(one, next);
}

static mica_result move(mica_world *world, const char *call, micai_system *one, micai_phase *phase,
                        micai_system *next)
{
    micai_phase *old_phase = one->phase;
    micai_system *old_next = one->next;
    micai_systems_of(world)->waves_planned = false;
    micai_system_unlink(one);
    link_system(one, phase, next);
    mica_result result = micai_systems_check_order(world, call, micai_systems_of(world));
    if (result) {
        micai_system_unlink(one);
        link_system(one, old_phase, old_next);
    }
    return result;
}

mica_result mica_system_move(mica_world *world, mica_system system, mica_phase phase,
                             mica_system before)
{
    static const char call[] = "mica_system_move";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_all(world, call);
    micai_system *one = result ? NULL : micai_systems_find(world, call, system);
    micai_phase *to = one ? micai_phases_find(world, call, phase) : NULL;
    micai_system *next = to && before.bits ? micai_systems_find(world, call, before) : NULL;
    if (!to || (before.bits && !next)) {
        return micai_world_failed(world);
    }
    if (next && (next == one || next->phase != to)) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: system '%.80s' is %s%.80s%s",
                          call, next->declared.system, next == one ? "the same" : "not in phase '",
                          next == one ? "" : to->name, next == one ? "" : "'");
    }
    micai_host_begin(&world->host, call);
    result = move(world, call, one, to, next);
    micai_host_end(&world->host);
    return result;
}
