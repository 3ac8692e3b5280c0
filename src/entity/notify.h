// Notifications: the net change of one entity, as observers are told of it, and whether anybody has to be.
//
// Room:    entity. Made by changes, and by what sets and toggles values that are there; told by event/,
//          through its room. A change that is observed is reserved, told (micai_notify with the kinds
//          that come before), committed, told again. Telling cannot fail.
//
// While observers are told the world is whole, and shut: nothing moves, no row and no value comes or
// goes, and no flag changes that anybody watches. So what was reserved stays, and what was worked out
// before the change is still right after it.
#ifndef MICAI_ENTITY_NOTIFY_H
#define MICAI_ENTITY_NOTIFY_H

#include "base/canary.h"
#include "base/compiler.h"
#include "core/types.h"
#include "core/watch.h"
#include "entity/locate.h"

typedef struct micai_notification {
    const char *call;
    micai_entity_ref ref;       // before it was spawned: nobody
    bool spawns;                // everything it has has come
    bool ends;                  // everything it has goes
    const mica_type_set *more;  // types that come to one that was there; NULL: none
    const mica_type_set *less;  // that go from one that stays; the same
    const mica_type_set *set;   // that are given values; the same
    const mica_type_set *flips; // that come disabled, or are there and switched off or on; the same
    const micai_type *one; // if it is about one type only, that, instead of sets; NULL: it is not
    bool comes;
    bool goes;
    bool given;
    const micai_type *toggled; // NULL: none
    bool off;
    uint64_t *matched; // a bit for each observer of a query: does it match before? Room for them is
        // reserved, and they are filled in by those who are told. NULL: there are none,
        // or none matches (it is spawned), or it does not matter (it ends)
    uint64_t made; // observers, ever, when it began: those are told

    // Of a call that is about several entities: is this one of the others, whose observers were notified already (before
    // the change), or are to be notified yet (after it)? Only those count to which a type is added, or from which one is
    // removed. NULL: there are no others. Where that is looked up.
    bool (*is_peer)(const micai_state *state, const struct micai_notification *notification,
                    mica_entity entity);
    const void *peers;

    // Written by those who notify: is it after the change? Types with a lower number than this were removed or, after
    // the change, added, as far as observers know.
    bool after;
    uint32_t next_type;
} micai_notification;

// The notification of a call, about nobody yet.
micai_notification micai_notification_begin(const mica_world *world, const char *call);

// The same of one type that only observers of that are told of. For those who have not begun anything that
// handlers must not see.
typedef struct micai_notice {
    const char *call;
    mica_entity entity;
    const micai_type *type;
    const void *value; // where it lies; NULL: nowhere
    uint64_t made;     // as above
} micai_notice;

// Tells those who listen to one kind.
void micai_notify_one(mica_world *world, const char *call, mica_entity entity,
                      const micai_type *type, uint32_t what, const void *value);

// Of a type that has come, and was given a value by the caller: tells those who listen to either.
void micai_notify_added(mica_world *world, const char *call, mica_entity entity,
                        const micai_type *type, const void *value, bool given);

// One who listens alone is told without asking anybody, if the world is open: then nobody else is being told
// and nothing is iterated. Where commands wait already, nobody could say afterwards whether it has recorded
// some. NULL: it is to be told in the other way. The gate is the caller's to look at.
static inline micai_callback *micai_notify_find_single(const mica_world *world,
                                                       const micai_type *type, uint32_t what)
{
    return world->state->waiting ? NULL : micai_type_single_listener(type, what);
}

// It has left iterations open, or recorded something.
void micai_notification_clear_up(mica_world *world, const char *call);

// Ends what an observer began to iterate and left, so that no more than these are open.
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

// The same as micai_notify_added(), of a world that is open, and the end of the call. Mostly one listens, and
// only to what comes.
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

// The same of new entities in a list, all values of which were given. In the set there is room for all types.
void micai_notify_spawned(mica_world *world, const char *call, const mica_entity *entities,
                          uint32_t count, mica_type_set *set);

// Tells those who listen: of kinds that come before the change, or after it.
void micai_notify(mica_world *world, micai_notification *notification, uint32_t kinds);

// Has the entity a type, before the change or after it? Is that enabled? For the first, the change is
// still to come, or the entity is new and its change done.
bool micai_notification_has(const micai_state *state, const micai_notification *notification,
                            const micai_type *type, bool after);
bool micai_notification_is_on(const micai_state *state, const micai_notification *notification,
                              const micai_type *type, bool after);

// Room for `matched` of so many entities, in scratch memory: MICA_ERROR_MEMORY. How many words each of
// them has.
mica_result micai_notification_reserve(mica_world *world, uint32_t count, uint64_t **matched_out);

static inline uint32_t micai_notification_words(const micai_state *state)
{
    return micai_bits_words(state->query_observers);
}

// What is watched of a living entity and all it has.
uint32_t micai_notification_watched(const micai_state *state, micai_entity_ref ref);

// Is a value that is set now one of a type whose removal observers were notified of (before the change), or of whose
// addition they will be (after it)? Then they must not be notified of the value now.
bool micai_notification_holds_back(const micai_state *state, const micai_notification *notification,
                                   mica_entity entity, const micai_type *type);

// May observers be notified of so many values that are set inside an observer? MICA_ERROR_LIMIT, if they are as deep as
// they may be; MICA_ERROR_MEMORY, if it could not be noted that they have to be notified later.
mica_result micai_notification_reserve_sets(mica_world *world, const char *call, uint32_t count);

// An array of entities that a call is about; for a search among them, `peers` of the notification. Not all of them count.
typedef struct micai_listed_peers {
    const mica_entity *entities;
    const bool *count_in; // by place; NULL: all
    uint32_t count;
} micai_listed_peers;

bool micai_notification_is_listed(const micai_state *state, const micai_notification *notification,
                                  mica_entity entity);

// For new rows, behind which there are no others: is it in one behind that of which observers are notified?
bool micai_notification_is_row_behind(const micai_state *state,
                                      const micai_notification *notification, mica_entity entity);

// Watching (observed.c)

// What observers listen to, of a type and of all entities, has changed: fast paths are found anew.
void micai_watch_type(mica_world *world, const micai_type *type, uint32_t watched);
void micai_watch_entities(mica_world *world, uint32_t watched);

// A type is kept in a pool from now on, or no more: is anything watched that is (W6)?
void micai_watch_pools(micai_state *state);

// To validate: is that known? And, while nobody has ever observed anything, is nothing watched?
bool micai_watch_is_right(const micai_state *state);
bool micai_watch_is_idle(const micai_state *state);

#endif
