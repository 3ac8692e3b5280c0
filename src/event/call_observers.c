// Notifying observers. observer.h explains the lists, mica/observer.h the order.
#include "event/observer.h"

#include "base/canary.h"
#include "base/compiler.h"

// What a notification replaces and restores at its end.
typedef struct saved_context {
    const mica_observer_event *single;
    uint32_t inside;
    const char *call;
    mica_result failed;
    const micai_callback *observer;
    uint32_t commands;
} saved_context;

static uint32_t count_commands(const mica_world *world)
{
    return micai_observers_of(world)->later->count;
}

// Observers may have recorded commands since there were so many. Those run when the call ends.
static inline void note_recorded(mica_world *world, uint32_t before)
{
    micai_state *state = world->state;
    if (count_commands(world) != before) {
        state->recorded = state->recorded > 0 ? state->recorded : before + 1;
        state->needs_flush = true;
    }
}

// Returns the event of the outermost change, if that is about one component. The inline path that
// calls a single listener does not store the event here. It is then the event of the running
// observer, which is the only one that was notified so far.
static const mica_observer_event *find_single(const micai_state *state, const micai_observers *all)
{
    return all->single || all->change || state->notifying == 0 ? all->single
                                                               : &state->observer->event;
}

// The world is consistent here, although a call is half done. So pending reports are delivered. A
// call that was tried has succeeded, since its observers are being notified.
static inline saved_context begin_notifying(mica_world *world, micai_observers *all,
                                            const micai_notification *notification)
{
    micai_host *host = &world->host;
    micai_state *state = world->state;
    saved_context before = {all->single,  host->depth,     host->call,
                            host->failed, state->observer, count_commands(world)};
    if (MICAI_LIKELY(state->notifying == 0)) {
        all->change = notification;
    } else {
        all->single = find_single(state, all);
    }
    host->depth = 0;
    host->call = NULL;
    host->trying = false;
    if (host->errors.count > 0 || host->lines.count > 0) {
        micai_host_deliver(host);
    }
    state->notifying++;
    micai_gate_shut(&state->gate);
    return before;
}

static inline void end_notifying(mica_world *world, micai_observers *all, saved_context before)
{
    micai_host *host = &world->host;
    micai_state *state = world->state;
    micai_gate_open(&state->gate);
    state->notifying--;
    all->change = state->notifying == 0 ? NULL : all->change;
    all->single = before.single;
    state->observer = before.observer;
    note_recorded(world, before.commands);
    host->depth = before.inside;
    host->call = before.call;
    host->failed = before.failed;
}

static inline void end_walks(mica_world *world, const char *call, uint32_t walks)
{
    if (world->state->walks.count > walks) {
        micai_notification_end_left(world, call, walks);
    }
}

// Returns the place of a value for reading. Returns NULL if it has none, or if an iteration has
// gathered it.
static const void *find_value(const micai_state *state, micai_entity_ref ref,
                              const micai_type *type)
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
    return micai_value_look_at(state, ref, type);
}

// Returns true if the observer existed when the change began, and is neither freed nor disabled.
static bool is_listening(const micai_observer *observer, uint64_t made)
{
    return observer->since <= made;
}

static bool is_listening_to(const micai_observer *observer, const micai_notification *notification)
{
    return is_listening(observer, notification->made);
}

static inline bool matches(mica_world *world, const micai_observer *observer,
                           const micai_notification *notification, bool after)
{
    const micai_query *query = micai_query_look_up(world, observer->query);
    return query && micai_query_matches_entity(world->state, query, notification, after);
}

// Notifies one observer if it listens to this kind.
static inline void notify(mica_world *world, const micai_notification *notification,
                          const micai_observer *observer, uint32_t kind, const micai_type *type)
{
    micai_state *state = world->state;
    bool concerned = is_listening_to(observer, notification);
    if (MICAI_CANARY("event.freed")) {
        concerned = observer != &micai_observer_hole;
    }
    if ((observer->events & kind) == 0 || !concerned ||
        (observer->filtered && !matches(world, observer->head, notification, false))) {
        return;
    }
    const mica_observer_event event = {.world = world,
                                       .later = &micai_observers_of(world)->later->face,
                                       .entity = notification->ref.entity,
                                       .type = type ? type->info.type : (mica_type){0},
                                       .kind = kind,
                                       .value =
                                           type ? find_value(state, notification->ref, type) : NULL,
                                       .observer = observer->callback.event.observer,
                                       .user = observer->callback.event.user};
    uint32_t walks = state->walks.count;
    state->observer = &observer->callback;
    observer->callback.call(&event);
    end_walks(world, notification->call, walks);
}

// Notifies the listeners of a type. They may create observers, which moves the list.
static void notify_type(mica_world *world, const micai_notification *notification, uint32_t kind,
                        const micai_type *type)
{
    const micai_observers *all = micai_observers_of(world);
    if (!micai_type_is_watched(type, kind) || type->number >= all->by_type.count) {
        return;
    }
    for (uint32_t i = 0; i < all->by_type.items[type->number].listeners.list.count; i++) {
        notify(world, notification, all->by_type.items[type->number].listeners.list.items[i], kind,
               type);
    }
}

// The order of additions, values and removals (mica/observer.h)

static micai_postponed_set *find_postponed(const micai_observers *all, mica_entity entity,
                                           const micai_type *type)
{
    for (uint32_t i = 0; i < all->postponed.count; i++) {
        micai_postponed_set *set = &all->postponed.items[i];
        if (MICA_EQUAL(set->entity, entity) && set->type == type) {
            return set;
        }
    }
    return NULL;
}

mica_result micai_observers_reserve(mica_world *world, void *data, uint32_t count)
{
    micai_observers *all = data;
    const mica_observer_event *single = find_single(world->state, all);
    bool adds = single ? single->kind == MICA_ON_ADD : all->change->after;
    return !adds || micai_array_reserve(&world->host, &all->postponed, count) ? MICA_OK
                                                                              : MICA_ERROR_MEMORY;
}

// Returns true if observers must not be notified now of a value that is set inside an observer.
// They have yet to be notified that its component was added, or were notified that it is removed.
static bool is_held(const mica_world *world, const micai_observers *all,
                    const mica_observer_event *single, mica_entity entity, const micai_type *type)
{
    bool held = single ? MICA_EQUAL(single->entity, entity) &&
                             MICA_EQUAL(single->type, type->info.type) &&
                             (single->kind & (MICA_ON_ADD | MICA_ON_REMOVE)) != 0
                       : micai_notification_holds_back(world->state, all->change, entity, type);
    return held && !MICAI_CANARY("event.set_first");
}

// Returns true if observers are to be notified now of a value that was set inside an observer. If
// they have yet to be notified that its component was added, the set is postponed. If they were
// notified that the component is removed, they are not notified of the value at all.
static bool is_notified_now(mica_world *world, micai_observers *all, mica_entity entity,
                            const micai_type *type)
{
    const mica_observer_event *single = find_single(world->state, all);
    bool held = is_held(world, all, single, entity, type);
    if (held && (single ? single->kind == MICA_ON_ADD : all->change->after)) {
        micai_postponed_set *set = find_postponed(all, entity, type);
        set = set ? set : &all->postponed.items[all->postponed.count++];
        *set = (micai_postponed_set){entity, type, world->state->observers_created};
        world->state->needs_flush = true;
    }
    return !held;
}

// Forgets a postponed set. Returns how many observers had been created when it was made. Without a
// postponed set, returns `made`, the count at the start of the change.
static uint64_t take_postponed(micai_observers *all, mica_entity entity, const micai_type *type,
                               uint64_t made)
{
    micai_postponed_set *set = find_postponed(all, entity, type);
    if (set) {
        made = set->made;
        *set = all->postponed.items[--all->postponed.count];
    }
    return made;
}

static bool is_given(const micai_notification *notification, const micai_type *type)
{
    return notification->one
               ? notification->given
               : notification->set && micai_types_has(notification->set, type->number);
}

// Notifies of a value that the change assigns, or that was set since it began.
static void notify_set(mica_world *world, micai_observers *all,
                       const micai_notification *notification, const micai_type *type)
{
    if (notification != all->change) {
        if (micai_type_is_watched(type, MICA_ON_SET) &&
            is_notified_now(world, all, notification->ref.entity, type)) {
            notify_type(world, notification, MICA_ON_SET, type);
        }
    } else if (all->postponed.count > 0) {
        micai_notification now = *notification;
        now.made = take_postponed(all, notification->ref.entity, type, notification->made);
        notify_type(world, &now, MICA_ON_SET, type);
    } else {
        notify_type(world, notification, MICA_ON_SET, type);
    }
}

// Notifies of one type that is added, set or removed.
static void notify_in_order(mica_world *world, micai_notification *notification, uint32_t kind,
                            const micai_type *type)
{
    micai_observers *all = micai_observers_of(world);
    if (kind == MICA_ON_SET) {
        notify_set(world, all, notification, type);
        return;
    }
    notification->next_type = kind == MICA_ON_REMOVE ? type->number + 1 : notification->next_type;
    notify_type(world, notification, kind, type);
    notification->next_type = type->number + 1;
    if (all->postponed.count > 0 && find_postponed(all, notification->ref.entity, type) &&
        !is_given(notification, type)) {
        notify_set(world, all, notification, type);
    }
}

static void notify_types(mica_world *world, micai_notification *notification, uint32_t kind,
                         const mica_type_set *set)
{
    const micai_registry *registry = &world->state->registry;
    for (uint32_t n = micai_types_next(set, 0); n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        notify_in_order(world, notification, kind, registry->list.items[n]);
    }
}

// Notifies of types that are about to be disabled, or were enabled. A component that starts
// disabled is enabled neither before nor after.
static void notify_flips(mica_world *world, const micai_notification *notification, uint32_t kind)
{
    const micai_state *state = world->state;
    const mica_type_set *set = notification->flips;
    for (uint32_t n = micai_types_next(set, 0); n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        const micai_type *type = state->registry.list.items[n];
        if (micai_value_is_on(state, notification->ref, type)) {
            notify_type(world, notification, kind, type);
        }
    }
}

// Notifies of all types that the entity has.
static void notify_all_types(mica_world *world, micai_notification *notification, uint32_t kind)
{
    const micai_state *state = world->state;
    for (uint32_t n = micai_value_next(state, notification->ref, 0); n != MICAI_BITS_END;
         n = micai_value_next(state, notification->ref, n + 1)) {
        notify_in_order(world, notification, kind, state->registry.list.items[n]);
    }
}

// Notifies of a spawn or despawn: observers of any entity, of a type it has, of a query it matches.
static void notify_lifecycle(mica_world *world, const micai_notification *notification,
                             uint32_t kind)
{
    const micai_observers *all = micai_observers_of(world);
    for (uint32_t i = 0; i < all->lifecycle_observers.list.count; i++) {
        const micai_observer *observer = all->lifecycle_observers.list.items[i];
        bool concerned =
            observer->type
                ? micai_value_has(world->state, notification->ref, observer->type)
                : MICA_IS_NONE(observer->query) || matches(world, observer, notification, false);
        if (concerned) {
            notify(world, notification, observer, kind, observer->type);
        }
    }
}

static void notify_left(mica_world *world, micai_notification *notification)
{
    const micai_observers *all = micai_observers_of(world);
    for (uint32_t i = 0; i < all->query_observers.list.count; i++) {
        const micai_observer *observer = all->query_observers.list.items[i];
        if (!is_listening_to(observer, notification)) {
            continue;
        }
        bool before = matches(world, observer, notification, false);
        bool after = before && !notification->ends && matches(world, observer, notification, true);
        if (notification->matched) {
            uint64_t bit = UINT64_C(1) << (i % 64);
            notification->matched[i / 64] =
                (notification->matched[i / 64] & ~bit) | (before ? bit : 0);
        }
        if (before && !after) {
            notify(world, notification, observer, MICA_ON_LEAVE, NULL);
        }
    }
}

static void notify_entered(mica_world *world, const micai_notification *notification)
{
    const micai_observers *all = micai_observers_of(world);
    for (uint32_t i = 0; i < all->query_observers.list.count; i++) {
        const micai_observer *observer = all->query_observers.list.items[i];
        if (!is_listening_to(observer, notification)) {
            continue;
        }
        bool before = notification->matched && (notification->matched[i / 64] >> (i % 64) & 1);
        if (MICAI_CANARY("event.enter_again")) {
            before = false;
        }
        if (!before && matches(world, observer, notification, false)) {
            notify(world, notification, observer, MICA_ON_ENTER, NULL);
        }
    }
}

// Notifies of a value that will be overwritten, unless that is of no interest inside an observer.
static void notify_replaced(mica_world *world, const micai_notification *notification,
                            const micai_type *type)
{
    const micai_observers *all = micai_observers_of(world);
    bool inside = notification != all->change && micai_type_is_watched(type, MICA_ON_REPLACE);
    if (!inside ||
        !is_held(world, all, find_single(world->state, all), notification->ref.entity, type)) {
        notify_type(world, notification, MICA_ON_REPLACE, type);
    }
}

static void notify_all_replaced(mica_world *world, const micai_notification *notification)
{
    const micai_registry *registry = &world->state->registry;
    const mica_type_set *set = notification->set;
    if (notification->one && notification->given && !notification->comes) {
        notify_replaced(world, notification, notification->one);
    }
    for (uint32_t n = set ? micai_types_next(set, 0) : MICAI_BITS_END; n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        if (!notification->more || !micai_types_has(notification->more, n)) {
            notify_replaced(world, notification, registry->list.items[n]);
        }
    }
}

static void notify_before(mica_world *world, micai_notification *notification)
{
    if (notification->matched || notification->ends) {
        notify_left(world, notification);
    }
    if (notification->toggled && notification->off) {
        notify_type(world, notification, MICA_ON_DISABLE, notification->toggled);
    }
    if (notification->flips && !notification->spawns) {
        notify_flips(world, notification, MICA_ON_DISABLE);
    }
    if (!notification->spawns) {
        notify_all_replaced(world, notification);
    }
    if (notification->one && notification->goes) {
        notify_in_order(world, notification, MICA_ON_REMOVE, notification->one);
    }
    if (notification->less) {
        notify_types(world, notification, MICA_ON_REMOVE, notification->less);
    }
    if (notification->ends) {
        notify_all_types(world, notification, MICA_ON_REMOVE);
        notify_lifecycle(world, notification, MICA_ON_DESPAWN);
    }
}

static void notify_after(mica_world *world, micai_notification *notification)
{
    if (notification->spawns) {
        notify_lifecycle(world, notification, MICA_ON_SPAWN);
        notify_all_types(world, notification, MICA_ON_ADD);
    } else if (notification->more) {
        notify_types(world, notification, MICA_ON_ADD, notification->more);
    }
    if (notification->one && notification->comes) {
        notify_in_order(world, notification, MICA_ON_ADD, notification->one);
    }
    if (notification->one && notification->given) {
        notify_in_order(world, notification, MICA_ON_SET, notification->one);
    }
    if (notification->set) {
        notify_types(world, notification, MICA_ON_SET, notification->set);
    }
    if (notification->toggled && !notification->off) {
        notify_type(world, notification, MICA_ON_ENABLE, notification->toggled);
    }
    if (notification->flips && !notification->spawns) {
        notify_flips(world, notification, MICA_ON_ENABLE);
    }
    if (notification->matched || notification->spawns) {
        notify_entered(world, notification);
    }
}

void micai_observers_notify(mica_world *world, void *data, micai_notification *notification,
                            uint32_t kinds)
{
    saved_context before = begin_notifying(world, data, notification);
    notification->after = kinds != MICAI_WATCH_BEFORE;
    notification->next_type = 0;
    if (notification->after) {
        notify_after(world, notification);
    } else {
        notify_before(world, notification);
    }
    end_notifying(world, data, before);
}

static bool is_matching(mica_world *world, const micai_observer *observer, mica_entity entity)
{
    const micai_notification now = {.ref = micai_entity_ref_of(world->state, entity)};
    return matches(world, observer->head, &now, false);
}

// Calls the listeners of one kind of one type that existed when `made` observers had been created.
// They may create observers, which moves the list.
static void call_listeners(mica_world *world, const micai_observers *all,
                           const micai_notice *notice, mica_observer_event *event, uint64_t made)
{
    const uint32_t kind = event->kind;
    const uint32_t walks = world->state->walks.count;
    const micai_observer_list *listeners = &all->by_type.items[notice->type->number].listeners;
    const uint32_t count = listeners->list.count;
    for (uint32_t i = 0; i < count; i++) {
        const micai_observer *observer = listeners->list.items[i];
        if ((observer->events & kind) == 0 || !is_listening(observer, made) ||
            (observer->filtered && !is_matching(world, observer, notice->entity))) {
            continue;
        }
        *event = observer->callback.event;
        event->world = world;
        event->entity = notice->entity;
        event->kind = kind;
        event->value = notice->value;
        world->state->observer = &observer->callback;
        observer->callback.call(event);
        listeners = &all->by_type.items[notice->type->number].listeners;
        end_walks(world, notice->call, walks);
    }
}

// Does the same for one kind of one type, without the state that only unfinished calls need. The
// event lies on the stack: an observer may set values, whose observers are then notified inside
// this call.
void micai_observers_notify_one(mica_world *world, void *data, const micai_notice *notice,
                                uint32_t kind)
{
    micai_state *state = world->state;
    micai_observers *all = data;
    uint64_t made = notice->made;
    if (kind == MICA_ON_SET && state->notifying > 0 &&
        !is_notified_now(world, all, notice->entity, notice->type)) {
        return;
    }
    if (state->notifying == 0 && kind == MICA_ON_SET) {
        made = take_postponed(all, notice->entity, notice->type, made);
    }
    mica_observer_event event = {.kind = kind};
    const mica_observer_event *single = all->single;
    all->single = state->notifying == 0 ? &event : find_single(state, all);
    const uint32_t commands = all->later->count;
    const micai_callback *outer = state->observer;
    world->host.trying = false;
    state->notifying++;
    micai_gate_shut(&state->gate);
    call_listeners(world, all, notice, &event, made);
    micai_gate_open(&state->gate);
    state->notifying--;
    state->observer = outer;
    all->single = single;
    note_recorded(world, commands);
}

void micai_observers_notify_postponed(mica_world *world, const char *call)
{
    micai_observers *all = micai_observers_of(world);
    while (all->postponed.count > 0) {
        const micai_postponed_set *set = &all->postponed.items[0];
        const micai_entity_ref ref = {set->entity,
                                      micai_slots_find(&world->state->slots, set->entity)};
        const micai_notice notice = {call, set->entity, set->type,
                                     micai_value_look_at(world->state, ref, set->type), set->made};
        micai_observers_notify_one(world, all, &notice, MICA_ON_SET);
    }
}

// Existing entities

// Returns the part after `previous` (NULL: the first) in order of registration of its types.
static const micai_observer *next_part(const micai_observer *head, const micai_observer *previous)
{
    const micai_observer *next = NULL;
    for (const micai_observer *part = head; part; part = part->next_part) {
        uint32_t number = part->type ? part->type->number + 1 : 0;
        bool later = !previous || number > (previous->type ? previous->type->number + 1 : 0);
        bool nearer = !next || number < (next->type ? next->type->number + 1 : 0);
        next = later && nearer ? part : next;
    }
    return next;
}

// Notifies one part. Other observers are notified, too, of a value that was set meanwhile.
static void notify_part(mica_world *world, micai_notification *notification,
                        const micai_observer *part, uint32_t kind)
{
    micai_observers *all = micai_observers_of(world);
    const micai_type *type = part->type;
    bool listens = (part->head->declared & MICA_ON_SET) != 0;
    bool set = kind == MICA_ON_SET || !listens;
    if (kind != MICA_ON_SET || MICAI_CANARY("event.set_twice") ||
        !find_postponed(all, notification->ref.entity, type)) {
        notify(world, notification, part, kind, type);
    }
    if (kind == MICA_ON_ADD) {
        notification->next_type = type->number + 1;
    }
    if (type && set && find_postponed(all, notification->ref.entity, type)) {
        notify_set(world, all, notification, type);
    }
}

// Notifies of one kind, if the entity has the type of a part, or matches its query.
static void notify_parts(mica_world *world, micai_notification *notification,
                         const micai_observer *head, uint32_t kind)
{
    for (const micai_observer *part = next_part(head, NULL); part; part = next_part(head, part)) {
        bool listens = (part->events & kind) != 0;
        if (listens &&
            (part->type ? micai_value_has(world->state, notification->ref, part->type)
                        : MICA_IS_NONE(part->query) || matches(world, part, notification, false))) {
            notify_part(world, notification, part, kind);
        }
    }
}

void micai_observers_notify_existing(mica_world *world, const char *call,
                                     const micai_observer *head, mica_entity entity)
{
    micai_observers *all = micai_observers_of(world);
    micai_notification notification = micai_notification_begin(world, call);
    notification.ref = micai_entity_ref_of(world->state, entity);
    notification.spawns = true;
    notification.after = true;
    saved_context before = begin_notifying(world, all, &notification);
    notify_parts(world, &notification, head, MICA_ON_SPAWN);
    notify_parts(world, &notification, head, MICA_ON_ADD);
    notification.next_type = UINT32_MAX;
    notify_parts(world, &notification, head, MICA_ON_SET);
    notify_parts(world, &notification, head, MICA_ON_ENTER);
    end_notifying(world, all, before);
    micai_observers_notify_postponed(world, call);
}
