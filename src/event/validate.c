// Validation of observers: O1 to O4 of observer.h.
#include <inttypes.h>

#include "core/field.h"
#include "event/observer.h"

static bool is_right(mica_world *world, const micai_observer *observer, uint32_t number)
{
    const micai_host *host = &world->host;
    if (!micai_memory_holds(host, observer, 1, sizeof *observer, _Alignof(micai_observer)) ||
        !micai_memory_holds_bool(&observer->freed) || !observer->ear.call ||
        (observer->ear.name &&
         (!micai_memory_holds_text(host, observer->ear.name, MICA_NAME_SIZE_MAX) ||
          !micai_name_is_good(observer->ear.name)))) {
        return false;
    }
    const micai_commands *commands = micai_commands_of(world);
    const mica_world *later = commands && commands->later ? &commands->later->face : NULL;
    const mica_happening *told = &observer->ear.told;
    bool queries = !mica_query_is_none(observer->query);
    uint32_t there = observer->type ? MICAI_ON_TYPE : queries ? MICAI_ON_QUERY : MICAI_ON_ENTITIES;
    return (!observer->type || micai_registry_knows(&world->core->registry, observer->type)) &&
           (!queries || (!observer->type && micai_query_look_up(world, observer->query))) &&
           observer->on != 0 && (observer->on & ~there) == 0 &&
           observer->seed - 1 < world->core->observers_made &&
           told->type.bits == (observer->type ? observer->type->info.type.bits : 0) &&
           told->later == later &&
           told->observer.bits == micai_observer_handle(world->core, observer, number).bits;
}

// O2, of a list: in order, and all of them in the list of all.
static bool is_in_order(const micai_observers *all, const micai_ears *ears)
{
    uint64_t seed = 0;
    for (uint32_t i = 0; i < ears->count; i++) {
        const micai_observer *observer = ears->items[i];
        bool known = false;
        for (uint32_t n = 0; !known && n < all->list.count; n++) {
            known = all->list.items[n] == observer;
        }
        if (!observer || !known || observer->seed <= seed) {
            return false;
        }
        seed = observer->seed;
    }
    return true;
}

// Can a list be looked at, and is it in order?
static mica_result validate_ears(micai_host *host, const micai_observers *all,
                                 const micai_ears *ears)
{
    mica_result result = micai_array_validate(host, ears, "observers that listen");
    return result || is_in_order(all, ears)
               ? result
               : micai_fail_invariant(host, "O2", "observers are told in no order");
}

// O5.
static bool are_alone(const micai_observers *all, const micai_type *type)
{
    const micai_ears *ears =
        type->number < all->by_type.count ? &all->by_type.items[type->number] : NULL;
    bool right = true;
    for (uint32_t bit = 0; right && bit < MICAI_KINDS_OF_TYPES; bit++) {
        uint32_t what = UINT32_C(1) << bit;
        right =
            type->alone[bit] ==
            (ears && (what & MICAI_ON_TYPE) != 0 ? micai_observers_find_alone(ears, what) : NULL);
    }
    return right;
}

static mica_result validate_lists(mica_world *world, const micai_observers *all)
{
    micai_host *host = &world->host;
    const micai_registry *registry = &world->core->registry;
    mica_result result = validate_ears(host, all, &all->matchers);
    result = result ? result : validate_ears(host, all, &all->comers);
    result = result ? result : micai_array_validate(host, &all->by_type, "observers by type");
    for (uint32_t n = 0; !result && n < all->by_type.count; n++) {
        result = validate_ears(host, all, &all->by_type.items[n]);
    }
    for (uint32_t n = 0; !result && n < registry->list.count; n++) {
        if (!are_alone(all, registry->list.items[n])) {
            result = micai_fail_invariant(host, "O5", "one who listens alone is told, or not told");
        }
    }
    return result;
}

// O2: those in lists, which are all known and each there once, are those that should be.
static bool are_lists_full(const micai_observers *all)
{
    uint32_t typed = 0;
    uint32_t matchers = 0;
    uint32_t comers = 0;
    for (uint32_t i = 0; i < all->list.count; i++) {
        const micai_observer *observer = all->list.items[i];
        typed += observer && observer->type;
        matchers += observer && !mica_query_is_none(observer->query);
        comers += observer && (observer->on & MICAI_ON_ENTITIES) != 0;
    }
    bool right = matchers == all->matchers.count && comers == all->comers.count;
    for (uint32_t i = 0; right && i < all->matchers.count; i++) {
        right = !mica_query_is_none(all->matchers.items[i]->query);
    }
    for (uint32_t i = 0; right && i < all->comers.count; i++) {
        right = (all->comers.items[i]->on & MICAI_ON_ENTITIES) != 0;
    }
    for (uint32_t n = 0; right && n < all->by_type.count; n++) {
        const micai_ears *ears = &all->by_type.items[n];
        typed -= ears->count;
        for (uint32_t i = 0; right && i < ears->count; i++) {
            right = ears->items[i]->type && ears->items[i]->type->number == n;
        }
    }
    return right && typed == 0;
}

// O3.
static bool are_heard(mica_world *world, const micai_observers *all)
{
    const micai_registry *registry = &world->core->registry;
    bool right = registry->watched == micai_observers_watch_entities(world, all) &&
                 world->core->matchers == all->matchers.count;
    for (uint32_t n = 0; right && n < registry->list.count; n++) {
        const micai_type *type = registry->list.items[n];
        right = type->watched == micai_observers_watch_type(world, all, type);
    }
    return right;
}

static mica_result validate_list(mica_world *world, const micai_observers *all)
{
    micai_host *host = &world->host;
    const micai_core *core = world->core;
    uint32_t count = 0;
    uint32_t freed = 0;
    for (uint32_t i = 0; i < all->list.count; i++) {
        const micai_observer *observer = all->list.items[i];
        if (!observer) {
            bool known = false;
            for (uint32_t n = 0; n < all->free_list.count; n++) {
                known = known || all->free_list.items[n] == i;
            }
            if (!known) {
                return micai_fail_invariant(host, "O1", "the number of an observer is lost");
            }
            continue;
        }
        if (!is_right(world, observer, i)) {
            return micai_fail_invariant(host, "O1", "observer %" PRIu32 " is none", i);
        }
        count++;
        freed += observer->freed;
    }
    if (count + all->free_list.count != all->list.count) {
        return micai_fail_invariant(host, "O1", "the number of an observer is free twice");
    }
    if (freed != all->freed || (freed > 0 && core->telling == 0 && !core->owing)) {
        return micai_fail_invariant(host, "O4", "observers are freed that nobody counts");
    }
    const micai_commands *commands = micai_commands_of(world);
    bool records = all->list.count == 0 || (commands && commands->later == all->later);
    return records && count - freed == core->observers && (core->telling > 0 || !core->observer)
               ? MICA_OK
               : micai_fail_invariant(host, "O3", "there are %" PRIu32 " observers, not %" PRIu32,
                                      count - freed, core->observers);
}

mica_result micai_observers_validate(mica_world *world, void *state)
{
    const micai_observers *all = state;
    micai_host *host = &world->host;
    mica_result result = micai_array_validate(host, &all->list, "observers");
    result =
        result ? result : micai_array_validate(host, &all->free_list, "free numbers of observers");
    result = result ? result : validate_list(world, all);
    result = result ? result : validate_lists(world, all);
    if (!result && !are_lists_full(all)) {
        result = micai_fail_invariant(host, "O2", "an observer is not where it would be told");
    }
    if (!result && !are_heard(world, all)) {
        result = micai_fail_invariant(host, "O3", "what is watched is not what is observed");
    }
    return result;
}
