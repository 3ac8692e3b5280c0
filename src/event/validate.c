// Validation of observers: O1 to O6 of observer.h.
#include <inttypes.h>

#include "base/bits.h"
#include "base/hash.h"
#include "core/field.h"
#include "event/observer.h"

static bool is_right(mica_world *world, const micai_observer *observer, uint32_t number)
{
    const micai_commands *commands = micai_commands_of(world);
    const mica_world *later = commands && commands->later ? &commands->later->face : NULL;
    const mica_observer_event *event = &observer->callback.event;
    const micai_observer *head = observer->head;
    bool queries = !MICA_IS_NONE(observer->query);
    bool set_only = queries && observer->declared == MICA_ON_SET; // its other parts listen
    uint32_t kinds = observer->type ? MICAI_ON_TYPE
                     : queries      ? MICAI_ON_MATCHES
                                    : MICAI_ON_ENTITIES;
    return observer->callback.call &&
           (!observer->callback.name || micai_name_is_valid(observer->callback.name)) &&
           (!observer->type || micai_registry_contains(&world->state->registry, observer->type)) &&
           (!queries || (!observer->type && micai_query_look_up(world, observer->query))) &&
           (observer->events != 0 || set_only) && (observer->events & ~kinds) == 0 &&
           observer->filtered == (observer->type && !MICA_IS_NONE(head->query)) &&
           (observer->type || queries || observer->place == 0) &&
           ((observer->events & MICAI_ON_ENTITIES) != 0 || observer->lifecycle_place == 0) &&
           (observer->freed || !observer->next_freed) && observer->number == number &&
           observer->seed - 1 < world->state->observers_created &&
           (!micai_observer_is_enabled(observer) ||
            (observer->counted && !observer->freed && observer->since >= observer->seed &&
             observer->since <= world->state->observers_created)) &&
           event->type.bits == (observer->type ? observer->type->info.type.bits : 0) &&
           event->later == later &&
           event->observer.bits == micai_observer_handle(world->state, head, head->number).bits;
}

// Returns true if the observer at this place is in the table of handles and knows the place.
static bool is_at(const micai_observers *all, const micai_observer_list *listeners, uint32_t place)
{
    const micai_observer *observer = listeners->list.items[place];
    return micai_handles_at(&all->handles, observer->number) == observer &&
           place == (listeners == &all->lifecycle_observers ? observer->lifecycle_place
                                                            : observer->place);
}

// Checks O2 of one list: its order, and that all its observers are in the table of handles.
static bool is_in_order(const micai_observers *all, const micai_observer_list *listeners)
{
    uint64_t seed = 0;
    uint32_t holes = 0;
    for (uint32_t i = 0; i < listeners->list.count; i++) {
        const micai_observer *observer = listeners->list.items[i];
        if (observer == &micai_observer_hole) {
            holes++;
            continue;
        }
        if (!is_at(all, listeners, i) || observer->seed <= seed) {
            return false;
        }
        seed = observer->seed;
    }
    return holes == listeners->holes && holes <= listeners->list.count / 2;
}

static mica_result validate_listeners(micai_host *host, const micai_observers *all,
                                      const micai_observer_list *listeners)
{
    mica_result result = micai_array_validate(host, &listeners->list, "observers that listen");
    return result || is_in_order(all, listeners)
               ? result
               : micai_fail_invariant(host, "O2", "observers are in the wrong order");
}

// Checks O5.
static bool are_single(const micai_observers *all, const micai_type *type)
{
    const micai_observed_type *of =
        type->number < all->by_type.count ? &all->by_type.items[type->number] : NULL;
    bool right = true;
    for (uint32_t bit = 0; right && bit < MICAI_KINDS_OF_TYPES; bit++) {
        right =
            type->single_listener[bit] == (of ? micai_observers_find_single(all, of, bit) : NULL);
    }
    return right;
}

// Checks O3 and O5 by comparing sums. Each kind of each type has a weight of its own. `sort`
// separates the different counts of a type.
static uint64_t weigh(uint32_t sort, uint64_t type, uint32_t kinds)
{
    uint64_t sum = 0;
    for (; kinds != 0; kinds &= kinds - 1) {
        sum += micai_hash_mix(type << 8 | sort << 4 | micai_bits_lowest(kinds));
    }
    return sum;
}

enum { WATCHING, ACTIVE, NUMBERS, ENTITIES };

static uint64_t weigh_counts(uint32_t sort, uint64_t type, const micai_kind_counts *counts)
{
    uint64_t sum = 0;
    for (uint32_t bit = 0; bit < MICAI_KINDS; bit++) {
        sum += counts->counts[bit] * weigh(sort, type, UINT32_C(1) << bit);
    }
    return sum;
}

// Returns what an observer contributes to the sums.
static uint64_t weigh_observer(mica_world *world, const micai_observer *observer)
{
    uint64_t sum = 0;
    uint32_t on = observer->events;
    if (observer->type && micai_observer_is_enabled(observer)) {
        uint32_t type = observer->type->number;
        sum = weigh(ACTIVE, type, on) + observer->number * weigh(NUMBERS, type, on);
    }
    if (!observer->counted) {
        return sum;
    }
    if (observer->type) {
        sum += weigh(WATCHING, observer->type->number, on);
    }
    const micai_query *query = micai_query_look_up(world, observer->query);
    for (uint32_t t = 0; query && t < query->term_count; t++) {
        sum += weigh(WATCHING, query->terms[t].type->number, on);
    }
    return sum + (micai_observer_is_open(world, observer) ? weigh(ENTITIES, 0, on) : 0);
}

static bool are_counted(mica_world *world, const micai_observers *all)
{
    uint64_t sum = weigh_counts(ENTITIES, 0, &all->watching);
    for (uint32_t n = 0; n < all->by_type.count; n++) {
        const micai_observed_type *of = &all->by_type.items[n];
        sum += weigh_counts(WATCHING, n, &of->watching) + weigh_counts(ACTIVE, n, &of->active) +
               weigh_counts(NUMBERS, n, &of->numbers);
    }
    for (uint32_t i = 0; i < all->handles.list.count; i++) {
        const micai_observer *observer = all->handles.list.items[i];
        sum -= observer ? weigh_observer(world, observer) : 0;
    }
    return sum == 0;
}

static mica_result validate_lists(mica_world *world, const micai_observers *all)
{
    micai_host *host = &world->host;
    const micai_registry *registry = &world->state->registry;
    mica_result result = validate_listeners(host, all, &all->query_observers);
    result = result ? result : validate_listeners(host, all, &all->lifecycle_observers);
    result = result ? result : micai_array_validate(host, &all->by_type, "observers by type");
    for (uint32_t n = 0; !result && n < all->by_type.count; n++) {
        result = validate_listeners(host, all, &all->by_type.items[n].listeners);
    }
    if (!result && !are_counted(world, all)) {
        result = micai_fail_invariant(host, "O3", "the counts of listeners are wrong");
    }
    for (uint32_t n = 0; !result && n < registry->list.count; n++) {
        if (!are_single(all, registry->list.items[n])) {
            result = micai_fail_invariant(host, "O5", "the single listener of a type is wrong");
        }
    }
    return result;
}

static uint32_t count_listeners(const micai_observer_list *listeners)
{
    return listeners->list.count - listeners->holes;
}

// Checks O2: the lists contain as many observers as they should, and only those that belong there.
static bool are_lists_full(const micai_observers *all)
{
    uint32_t typed = 0;
    uint32_t query_observers = 0;
    uint32_t lifecycle_observers = 0;
    for (uint32_t i = 0; i < all->handles.list.count; i++) {
        const micai_observer *observer = all->handles.list.items[i];
        typed += observer && observer->type;
        query_observers += observer && !MICA_IS_NONE(observer->query);
        lifecycle_observers += observer && (observer->events & MICAI_ON_ENTITIES) != 0;
    }
    bool right = query_observers == count_listeners(&all->query_observers) &&
                 lifecycle_observers == count_listeners(&all->lifecycle_observers);
    for (uint32_t i = 0; right && i < all->query_observers.list.count; i++) {
        const micai_observer *observer = all->query_observers.list.items[i];
        right = observer == &micai_observer_hole || !MICA_IS_NONE(observer->query);
    }
    for (uint32_t i = 0; right && i < all->lifecycle_observers.list.count; i++) {
        const micai_observer *observer = all->lifecycle_observers.list.items[i];
        right = observer == &micai_observer_hole || (observer->events & MICAI_ON_ENTITIES) != 0;
    }
    for (uint32_t n = 0; right && n < all->by_type.count; n++) {
        const micai_observer_list *listeners = &all->by_type.items[n].listeners;
        typed -= count_listeners(listeners);
        for (uint32_t i = 0; right && i < listeners->list.count; i++) {
            const micai_observer *observer = listeners->list.items[i];
            right =
                observer == &micai_observer_hole || (observer->type && observer->type->number == n);
        }
    }
    return right && typed == 0;
}

// Checks O3: types and the registry know which kinds are watched.
static bool are_watched_kinds_right(mica_world *world, const micai_observers *all)
{
    const micai_registry *registry = &world->state->registry;
    bool right = registry->watched == micai_kinds_counted(&all->watching) &&
                 world->state->query_observers == all->query_observers.list.count;
    for (uint32_t n = 0; right && n < registry->list.count; n++) {
        uint32_t watched =
            n < all->by_type.count ? micai_kinds_counted(&all->by_type.items[n].watching) : 0;
        right = registry->list.items[n]->watched == watched;
    }
    return right;
}

// Checks O4: the freed observers are in their list, once.
static bool are_freed_listed(const micai_observers *all)
{
    uint32_t count = 0;
    const micai_observer *observer = all->last_freed;
    while (observer && count < all->freed && observer->freed) {
        observer = observer->next_freed;
        count++;
    }
    return !observer && count == all->freed;
}

static mica_result validate_observers(mica_world *world, const micai_observers *all)
{
    micai_host *host = &world->host;
    const micai_state *state = world->state;
    uint32_t heads = 0;
    uint32_t freed = 0;
    bool overdue = false;
    for (uint32_t i = 0; i < all->handles.list.count; i++) {
        const micai_observer *observer = all->handles.list.items[i];
        if (!observer) {
            continue;
        }
        if (!is_right(world, observer, i)) {
            return micai_fail_invariant(host, "O1", "observer %" PRIu32 " is invalid", i);
        }
        freed += observer->freed;
        heads += observer->head == observer && !observer->freed;
        overdue = overdue || (observer->counted && !micai_observer_is_enabled(observer));
    }
    if (freed != all->freed || !are_freed_listed(all) ||
        (overdue && state->notifying == 0 && !state->needs_flush)) {
        return micai_fail_invariant(host, "O4", "freed observers are miscounted");
    }
    if (all->postponed.count > 0 && state->notifying == 0 && !state->needs_flush) {
        return micai_fail_invariant(host, "O6", "a postponed set was never notified");
    }
    const micai_commands *commands = micai_commands_of(world);
    bool records = all->handles.list.count == 0 || (commands && commands->later == all->later);
    return records && heads == state->observers && (state->notifying > 0 || !state->observer)
               ? MICA_OK
               : micai_fail_invariant(host, "O3", "there are %" PRIu32 " observers, not %" PRIu32,
                                      heads, state->observers);
}

mica_result micai_observers_validate(mica_world *world, const void *data)
{
    const micai_observers *all = data;
    micai_host *host = &world->host;
    mica_result result = micai_handles_validate(host, &all->handles, "observers");
    result = result ? result : validate_observers(world, all);
    result = result ? result : validate_lists(world, all);
    if (!result && !are_lists_full(all)) {
        result = micai_fail_invariant(host, "O2", "an observer is in the wrong list");
    }
    if (!result && !are_watched_kinds_right(world, all)) {
        result = micai_fail_invariant(host, "O3", "watched kinds differ from observed kinds");
    }
    return result;
}
