// Notifications: the net change of one entity for observers, and whether any observer must be
// notified.
//
// Room:    entity. Built by changes and by code that sets or toggles values. event/ calls the
//          observers, through its module. An observed change is reserved, then micai_notify() runs
//          with the kinds before the change. It is committed, then micai_notify() runs again.
//          Notifying cannot fail.
//
// While observers run, the world is complete and shut: rows and values are not moved, added or
// removed, and watched flags do not change. So reserved memory stays reserved, and everything
// computed before the change is still valid after it.
#ifndef MICAI_ENTITY_NOTIFY_H
#define MICAI_ENTITY_NOTIFY_H

#include "base/canary.h"
#include "base/compiler.h"
#include "core/types.h"
#include "core/watch.h"
#include "entity/locate.h"

typedef struct micai_notification {
    const char *call;
    micai_entity_ref ref;       // the entity; none before it was spawned
    bool spawns;                // all its types are added
    bool ends;                  // all its types are removed
    const mica_type_set *more;  // types added to an existing entity; NULL: none
    const mica_type_set *less;  // types removed from an entity that stays; NULL: none
    const mica_type_set *set;   // types whose values are set; NULL: none
    const mica_type_set *flips; // types that are added disabled, or toggled; NULL: none
    const micai_type *one; // the type, if the change is about a single one; the sets are then NULL
    bool comes;
    bool goes;
    bool given;
    const micai_type *toggled; // NULL: none
    bool off;
    // A bit per query observer: whether the entity matched before the change. Reserved by the
    // change and filled in by the observers' module. NULL if there are no query observers, or if
    // the entity is spawned or despawned.
    uint64_t *matched;
    uint64_t made; // number of observers created before; later ones are not notified

    // For calls about several entities. Returns true if observers were already notified of `entity`
    // before the change, or will be after it. Counts only entities to which a type is added, or
    // from which one is removed. NULL: there are no others. `peers` is its data.
    bool (*is_peer)(const micai_state *state, const struct micai_notification *notification,
                    mica_entity entity);
    const void *peers;

    // Set by the observers' module: whether the change is done, and the next type number. Observers
    // know of removed, or added, types with lower numbers.
    bool after;
    uint32_t next_type;
} micai_notification;

// Returns a notification of a call, without an entity yet.
micai_notification micai_notification_begin(const mica_world *world, const char *call);

// A notification for observers of a single type. Only for calls that have not started anything that
// handlers must not see.
typedef struct micai_notice {
    const char *call;
    mica_entity entity;
    const micai_type *type;
    const void *value; // address of the value; NULL: it has none
    uint64_t made;     // as above
} micai_notice;

// Notifies the observers of one kind of event.
void micai_notify_one(mica_world *world, const char *call, mica_entity entity,
                      const micai_type *type, uint32_t what, const void *value);

// Notifies observers of a type that was added, and of its value if the caller set one.
void micai_notify_added(mica_world *world, const char *call, mica_entity entity,
                        const micai_type *type, const void *value, bool given);

// Returns the single observer of an event, which can be called directly if the world is open. Then
// no observer is running and no iteration is open. Returns NULL while commands wait, because it
// would be unknown whether the observer recorded some. Also NULL if there is not exactly one. The
// caller checks the gate.
static inline micai_callback *micai_notify_find_single(const mica_world *world,
                                                       const micai_type *type, uint32_t what)
{
    return world->state->waiting ? NULL : micai_type_single_listener(type, what);
}

// Handles an observer that left iterations open or recorded commands.
void micai_notification_clear_up(mica_world *world, const char *call);

// Ends iterations that an observer began and left open, until `walks` are open.
void micai_notification_end_left(mica_world *world, const char *call, uint32_t walks);

static inline void micai_notify_single(mica_world *world, const char *call,
                                       micai_callback *callback, mica_entity entity, uint32_t what,
                                       const void *value)
{
    callback->event.world = world;
    callback->event.entity = entity;
    callback->event.kind = what;
    callback->event.value = value;
    world->state->notifying = 1;
    world->state->observer = callback;
    world->host.trying = false;
    world->busy = 1;
    callback->call(&callback->event);
    if (!MICAI_LIKELY(world->busy == 1 && !world->state->waiting)) {
        micai_notification_clear_up(world, call);
    }
    world->busy = 0;
    world->state->notifying = 0;
    world->state->observer = NULL;
}

// Do the same as micai_notify_added() in an open world, and finish the call. The common case is a
// single observer of additions.
mica_result micai_notify_added_any(mica_world *world, const char *call, mica_entity entity,
                                   const micai_type *type, const void *value, bool given);

static inline mica_result micai_notify_added_and_finish(mica_world *world, const char *call,
                                                        mica_entity entity, const micai_type *type,
                                                        const void *value, bool given)
{
    micai_callback *callback = micai_notify_find_single(world, type, MICA_ON_ADD);
    if (MICAI_CANARY("entity.unnotified")) {
        return MICA_OK;
    }
    if (!callback || (given && micai_type_is_watched(type, MICA_ON_SET))) {
        return micai_notify_added_any(world, call, entity, type, value, given);
    }
    micai_notify_single(world, call, callback, entity, MICA_ON_ADD, value);
    return micai_world_finish(world, call, MICA_OK);
}

// Notifies observers of new entities in a list, whose values were all set. `set` has capacity for
// all types.
void micai_notify_spawned(mica_world *world, const char *call, const mica_entity *entities,
                          uint32_t count, mica_type_set *set);

// Does the same for all entities of the world, which was loaded.
void micai_notify_loaded(mica_world *world, const char *call, mica_type_set *set);

// Notifies observers of the given kinds, which come before or after the change.
void micai_notify(mica_world *world, micai_notification *notification, uint32_t kinds);

// Return whether the entity has a type before or after the change, and whether it is enabled. For
// `after` false, the change must not be committed, except for a new entity.
bool micai_notification_has(const micai_state *state, const micai_notification *notification,
                            const micai_type *type, bool after);
bool micai_notification_is_on(const micai_state *state, const micai_notification *notification,
                              const micai_type *type, bool after);

// Reserves `matched` for `count` entities in scratch memory. Fails with MICA_ERROR_MEMORY.
// micai_notification_words() is the number of words per entity.
mica_result micai_notification_reserve(mica_world *world, uint32_t count, uint64_t **matched_out);

static inline uint32_t micai_notification_words(const micai_state *state)
{
    return micai_bits_words(state->query_observers);
}

// Returns the kinds of events that are watched for a living entity and its types.
uint32_t micai_notification_watched(const micai_state *state, micai_entity_ref ref);

// Returns true if a value set now belongs to a type whose removal observers already know of (before
// the change). Also if they will be notified of its addition (after the change). Observers must not
// be notified of the value then.
bool micai_notification_holds_back(const micai_state *state, const micai_notification *notification,
                                   mica_entity entity, const micai_type *type);

// Checks that observers can be notified of `count` values set inside an observer. Fails with
// MICA_ERROR_LIMIT at the maximum depth, or MICA_ERROR_MEMORY if they cannot be queued for later.
mica_result micai_notification_reserve_sets(mica_world *world, const char *call, uint32_t count);

// The entities of a call, as `peers` of a notification. Not all of them have to count.
typedef struct micai_listed_peers {
    const mica_entity *entities;
    const bool *count_in; // by place; NULL: all count
    uint32_t count;
} micai_listed_peers;

bool micai_notification_is_listed(const micai_state *state, const micai_notification *notification,
                                  mica_entity entity);

// For new rows, the last of their table: returns true if the entity's row is after that of the
// notification.
bool micai_notification_is_row_behind(const micai_state *state,
                                      const micai_notification *notification, mica_entity entity);

// Watching (observed.c)

// Recompute fast paths after the observed events of a type, or of all entities, have changed.
void micai_watch_type(mica_world *world, const micai_type *type, uint32_t watched);
void micai_watch_entities(mica_world *world, uint32_t watched);

// Updates W6 after a type became sparse or stopped being sparse.
void micai_watch_pools(micai_state *state);

// For validation: whether W6 holds, and whether nothing is watched while no observer was ever
// created.
bool micai_watch_is_right(const micai_state *state);
bool micai_watch_is_idle(const micai_state *state);

#endif
