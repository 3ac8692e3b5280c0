// Telling observers. observer.h says who they are; mica/observer.h has the order.
#include "event/observer.h"

#include "base/canary.h"
#include "base/compiler.h"

// How things were outside, to be put back.
typedef struct outside {
    uint32_t inside;
    const char *call;
    mica_result failed;
    const micai_ear *observer;
    uint32_t commands;
} outside;

static uint32_t count_commands(const mica_world *world)
{
    return micai_observers_of(world)->later->count;
}

// The world is whole, though a call is half way through: what waits to be reported is. Whoever is tried has
// gone well, since somebody is told of it.
static outside open_ears(mica_world *world)
{
    micai_host *host = &world->host;
    micai_state *state = world->state;
    outside before = {host->inside, host->call, host->failed, state->observer,
                      count_commands(world)};
    host->inside = 0;
    host->call = NULL;
    host->trying = false;
    if (host->errors.count > 0 || host->lines.count > 0) {
        micai_host_deliver(host);
    }
    state->telling++;
    micai_gate_shut(&state->gate);
    return before;
}

static void close_ears(mica_world *world, outside before)
{
    micai_host *host = &world->host;
    micai_state *state = world->state;
    micai_gate_open(&state->gate);
    state->telling--;
    state->observer = before.observer;
    state->owing = state->owing || count_commands(world) != before.commands;
    host->inside = before.inside;
    host->call = before.call;
    host->failed = before.failed;
}

static inline void end_walks(mica_world *world, const char *call, uint32_t walks)
{
    if (world->state->walks.count > walks) {
        micai_tidings_end_left(world, call, walks);
    }
}

// Where a value is, to be looked at; NULL: nowhere, or an iteration has it.
static const void *find_value(const micai_state *state, micai_living who, const micai_type *type)
{
    if (type->info.size == 0) {
        return NULL;
    }
    for (const micai_walk *walk = state->walks.gathered > 0 ? state->walks.newest : NULL; walk;
         walk = walk->older) {
        if (state->walks.gathers(walk, type)) {
            return NULL;
        }
    }
    return micai_value_look_at(state, who, type);
}

// Was it there when the change began, when so many had been made, and is it still?
static bool hears(const micai_observer *observer, uint64_t made)
{
    return !observer->freed && observer->seed <= made;
}

static bool hears_of(const micai_observer *observer, const micai_tidings *tidings)
{
    return hears(observer, tidings->made);
}

// Notifies one, if it listens to this.
static void tell(mica_world *world, const micai_tidings *tidings, const micai_observer *observer,
                 uint32_t what, const micai_type *type)
{
    micai_state *state = world->state;
    bool meant = hears_of(observer, tidings);
    if (MICAI_CANARY("event.freed")) {
        meant = observer != &micai_observer_hole;
    }
    if ((observer->on & what) == 0 || !meant) {
        return;
    }
    const mica_happening happening = {.world = world,
                                      .later = &micai_observers_of(world)->later->face,
                                      .entity = tidings->who.entity,
                                      .type = type ? type->info.type : mica_type_none(),
                                      .what = what,
                                      .value = type ? find_value(state, tidings->who, type) : NULL,
                                      .observer = observer->ear.told.observer,
                                      .user = observer->ear.told.user};
    uint32_t walks = state->walks.count;
    state->observer = &observer->ear;
    observer->ear.call(&happening);
    end_walks(world, tidings->call, walks);
}

// Those of a type. Others may come to listen meanwhile, and the list move.
static void tell_type(mica_world *world, const micai_tidings *tidings, uint32_t what,
                      const micai_type *type)
{
    const micai_observers *all = micai_observers_of(world);
    if (!micai_watches(type, what) || type->number >= all->by_type.count) {
        return;
    }
    for (uint32_t i = 0; i < all->by_type.items[type->number].listeners.list.count; i++) {
        tell(world, tidings, all->by_type.items[type->number].listeners.list.items[i], what, type);
    }
}

static void tell_types(mica_world *world, const micai_tidings *tidings, uint32_t what,
                       const mica_types *set)
{
    const micai_registry *registry = &world->state->registry;
    for (uint32_t n = set ? micai_types_next(set, 0) : MICAI_BITS_END; n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        tell_type(world, tidings, what, registry->list.items[n]);
    }
}

// Of those that are about to be switched off, or have been switched on: what comes disabled is on neither
// before nor after.
static void tell_flips(mica_world *world, const micai_tidings *tidings, uint32_t what)
{
    const micai_state *state = world->state;
    const mica_types *set = tidings->spawns ? NULL : tidings->flips;
    for (uint32_t n = set ? micai_types_next(set, 0) : MICAI_BITS_END; n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        const micai_type *type = state->registry.list.items[n];
        if (micai_value_is_on(state, tidings->who, type)) {
            tell_type(world, tidings, what, type);
        }
    }
}

// Of all types that the entity has.
static void tell_all_types(mica_world *world, const micai_tidings *tidings, uint32_t what)
{
    const micai_state *state = world->state;
    for (uint32_t n = micai_value_next(state, tidings->who, 0); n != MICAI_BITS_END;
         n = micai_value_next(state, tidings->who, n + 1)) {
        tell_type(world, tidings, what, state->registry.list.items[n]);
    }
}

static bool matches(mica_world *world, const micai_observer *observer, const micai_tidings *tidings,
                    bool after)
{
    const micai_query *query = micai_query_look_up(world, observer->query);
    return query && micai_query_fits(world->state, query, tidings, after);
}

// Of a spawn or an end: those who are told of any, of one with their type, of one that matches.
static void tell_comers(mica_world *world, const micai_tidings *tidings, uint32_t what)
{
    const micai_observers *all = micai_observers_of(world);
    for (uint32_t i = 0; i < all->comers.list.count; i++) {
        const micai_observer *observer = all->comers.list.items[i];
        bool meant = observer->type ? micai_value_has(world->state, tidings->who, observer->type)
                                    : mica_query_is_none(observer->query) ||
                                          matches(world, observer, tidings, false);
        if (meant) {
            tell(world, tidings, observer, what, observer->type);
        }
    }
}

static void tell_leavers(mica_world *world, micai_tidings *tidings)
{
    const micai_observers *all = micai_observers_of(world);
    for (uint32_t i = 0; i < all->matchers.list.count; i++) {
        const micai_observer *observer = all->matchers.list.items[i];
        if (!hears_of(observer, tidings)) {
            continue;
        }
        bool before = matches(world, observer, tidings, false);
        bool after = before && !tidings->ends && matches(world, observer, tidings, true);
        if (tidings->matched) {
            uint64_t bit = UINT64_C(1) << (i % 64);
            tidings->matched[i / 64] = (tidings->matched[i / 64] & ~bit) | (before ? bit : 0);
        }
        if (before && !after) {
            tell(world, tidings, observer, MICA_ON_LEAVE, NULL);
        }
    }
}

static void tell_enterers(mica_world *world, const micai_tidings *tidings)
{
    const micai_observers *all = micai_observers_of(world);
    for (uint32_t i = 0; i < all->matchers.list.count; i++) {
        const micai_observer *observer = all->matchers.list.items[i];
        if (!hears_of(observer, tidings)) {
            continue;
        }
        bool before = tidings->matched && (tidings->matched[i / 64] >> (i % 64) & 1);
        if (MICAI_CANARY("event.enter_again")) {
            before = false;
        }
        if (!before && matches(world, observer, tidings, false)) {
            tell(world, tidings, observer, MICA_ON_ENTER, NULL);
        }
    }
}

static void tell_before(mica_world *world, micai_tidings *tidings)
{
    if (tidings->matched || tidings->ends) {
        tell_leavers(world, tidings);
    }
    if (tidings->toggled && tidings->off) {
        tell_type(world, tidings, MICA_ON_DISABLE, tidings->toggled);
    }
    tell_flips(world, tidings, MICA_ON_DISABLE);
    if (tidings->one && tidings->goes) {
        tell_type(world, tidings, MICA_ON_REMOVE, tidings->one);
    }
    tell_types(world, tidings, MICA_ON_REMOVE, tidings->less);
    if (tidings->ends) {
        tell_all_types(world, tidings, MICA_ON_REMOVE);
        tell_comers(world, tidings, MICA_ON_DESPAWN);
    }
}

static void tell_after(mica_world *world, const micai_tidings *tidings)
{
    if (tidings->spawns) {
        tell_comers(world, tidings, MICA_ON_SPAWN);
        tell_all_types(world, tidings, MICA_ON_ADD);
    } else {
        tell_types(world, tidings, MICA_ON_ADD, tidings->more);
    }
    if (tidings->one && tidings->comes) {
        tell_type(world, tidings, MICA_ON_ADD, tidings->one);
    }
    if (tidings->one && tidings->given) {
        tell_type(world, tidings, MICA_ON_SET, tidings->one);
    }
    tell_types(world, tidings, MICA_ON_SET, tidings->set);
    if (tidings->toggled && !tidings->off) {
        tell_type(world, tidings, MICA_ON_ENABLE, tidings->toggled);
    }
    tell_flips(world, tidings, MICA_ON_ENABLE);
    if (tidings->matched || tidings->spawns) {
        tell_enterers(world, tidings);
    }
}

void micai_observers_tell(mica_world *world, void *data, micai_tidings *tidings, uint32_t kinds)
{
    (void)data;
    outside before = open_ears(world);
    if (kinds == MICAI_WATCH_BEFORE) {
        tell_before(world, tidings);
    } else {
        tell_after(world, tidings);
    }
    close_ears(world, before);
}

// The same for one kind of one type, without what only calls need that are half way through. Who comes to
// listen meanwhile is behind the others in the list, which may move then. What is told lies here: who is told may
// have that listens to itself be told, too.
void micai_observers_tell_one(mica_world *world, const void *data, const micai_tiding *news,
                              uint32_t what)
{
    micai_state *state = world->state;
    const micai_observers *all = data;
    const micai_observer_list *listeners = &all->by_type.items[news->type->number].listeners;
    const uint32_t count = listeners->list.count;
    const uint32_t commands = all->later->count;
    const uint32_t walks = state->walks.count;
    const micai_ear *outer = state->observer;
    world->host.trying = false;
    state->telling++;
    micai_gate_shut(&state->gate);
    for (uint32_t i = 0; i < count; i++) {
        const micai_observer *observer = listeners->list.items[i];
        if ((observer->on & what) == 0 || !hears(observer, news->made)) {
            continue;
        }
        mica_happening happening = observer->ear.told;
        happening.world = world;
        happening.entity = news->entity;
        happening.what = what;
        happening.value = news->value;
        state->observer = &observer->ear;
        observer->ear.call(&happening);
        listeners = &all->by_type.items[news->type->number].listeners;
        end_walks(world, news->call, walks);
    }
    micai_gate_open(&state->gate);
    state->telling--;
    state->observer = outer;
    if (all->later->count != commands) {
        state->owing = true;
    }
}
