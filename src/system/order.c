// The order in which systems run, and what they say about it.
#include "system/system.h"

#include <string.h>

#include "base/canary.h"
#include "base/hash.h"

uint32_t micai_systems_place(const micai_systems *all, mica_system system)
{
    uint32_t i = 0;
    while (i < all->list.count && all->list.items[i]->handle.bits != system.bits) {
        i++;
    }
    return i;
}

uint32_t micai_phases_first(const micai_systems *all, const micai_phase *phase)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < all->phases.count && all->phases.items[i] != phase; i++) {
        first += (uint32_t)all->phases.items[i]->count;
    }
    return first;
}

// Those from this place on have other places now.
static void name_again(micai_systems *all, uint32_t place)
{
    if (place + 1 == all->list.count) { // the last is new
        micai_map_insert(&all->by_name, micai_hash_text(all->list.items[place]->declared.system),
                         place);
        return;
    }
    micai_map_clear(&all->by_name);
    for (uint32_t i = 0; i < all->list.count; i++) {
        micai_map_insert(&all->by_name, micai_hash_text(all->list.items[i]->declared.system), i);
    }
}

void micai_systems_insert(micai_systems *all, micai_system *one, uint32_t place)
{
    memmove(&all->list.items[place + 1], &all->list.items[place],
            (all->list.count - place) * sizeof *all->list.items);
    all->list.items[place] = one;
    all->list.count++;
    one->phase->count++;
    name_again(all, place);
}

void micai_systems_take(micai_systems *all, uint32_t place)
{
    all->list.items[place]->phase->count--;
    all->list.count--;
    memmove(&all->list.items[place], &all->list.items[place + 1],
            (all->list.count - place) * sizeof *all->list.items);
    micai_map_clear(&all->by_name);
    for (uint32_t i = 0; i < all->list.count; i++) {
        micai_map_insert(&all->by_name, micai_hash_text(all->list.items[i]->declared.system), i);
    }
}

uint32_t micai_systems_choose(const micai_systems *all, const micai_system *one)
{
    uint32_t first = micai_phases_first(all, one->phase);
    uint32_t place = first + (uint32_t)one->phase->count;
    for (uint32_t i = 0; i < MICA_SYSTEM_ORDER_MAX && !mica_system_is_none(one->before[i]); i++) {
        uint32_t other = micai_systems_place(all, one->before[i]);
        place = other < place ? other : place;
    }
    return place > first ? place : first;
}

// Does one run before another, which may be gone?
static bool is_before(const micai_systems *all, uint32_t place, mica_system other)
{
    uint32_t found = micai_systems_place(all, other);
    return found == all->list.count || place < found;
}

static bool is_after(const micai_systems *all, uint32_t place, mica_system other)
{
    uint32_t found = micai_systems_place(all, other);
    if (MICAI_CANARY("system.order")) {
        return true;
    }
    return found == all->list.count || place > found;
}

static mica_result fail_order(mica_world *world, const char *call, const micai_systems *all,
                              uint32_t place, mica_system other, bool before)
{
    return micai_fail(&world->host, MICA_ERROR_ORDER,
                      "%s: system '%.80s' is to run %s '%.80s', and would not", call,
                      all->list.items[place]->declared.system, before ? "before" : "after",
                      all->list.items[micai_systems_place(all, other)]->declared.system);
}

mica_result micai_systems_check_place(mica_world *world, const char *call, const micai_systems *all,
                                      uint32_t place)
{
    const micai_system *one = all->list.items[place];
    for (uint32_t k = 0; k < MICA_SYSTEM_ORDER_MAX; k++) {
        if (one->before[k].bits && !is_before(all, place, one->before[k])) {
            return fail_order(world, call, all, place, one->before[k], true);
        }
        if (one->after[k].bits && !is_after(all, place, one->after[k])) {
            return fail_order(world, call, all, place, one->after[k], false);
        }
    }
    return MICA_OK;
}

mica_result micai_systems_check_order(mica_world *world, const char *call, const micai_systems *all)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < all->list.count; i++) {
        result = micai_systems_check_place(world, call, all, i);
    }
    return result;
}

static void put(micai_systems *all, micai_system *one, micai_phase *phase, uint32_t place)
{
    one->phase = phase;
    one->stats.phase = phase->handle;
    one->check = micai_system_check(one);
    micai_systems_insert(all, one, place);
}

static mica_result move(mica_world *world, const char *call, micai_systems *all, micai_system *one,
                        micai_phase *phase, mica_system before)
{
    micai_phase *old_phase = one->phase;
    uint32_t old_place = micai_systems_place(all, one->handle);
    micai_systems_take(all, old_place);
    uint32_t last = micai_phases_first(all, phase) + (uint32_t)phase->count;
    put(all, one, phase, mica_system_is_none(before) ? last : micai_systems_place(all, before));
    mica_result result = micai_systems_check_order(world, call, all);
    if (result) {
        micai_systems_take(all, micai_systems_place(all, one->handle));
        put(all, one, old_phase, old_place);
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
    const micai_system *next = to && before.bits ? micai_systems_find(world, call, before) : NULL;
    if (!to || (before.bits && !next)) {
        return micai_world_failed(world);
    }
    if (next && (next == one || next->phase != to)) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: system '%.80s' is %s%.80s%s",
                          call, next->declared.system, next == one ? "the same" : "not in phase '",
                          next == one ? "" : to->name, next == one ? "" : "'");
    }
    micai_host_begin(&world->host, call);
    result = move(world, call, micai_systems_of(world), one, to, before);
    micai_host_end(&world->host);
    return result;
}
