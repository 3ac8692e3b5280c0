// Observers: functions that are called when components, queries or entities change.
//
// Room:    event. Called by the public functions of observers, and by entity/ through its module
//          (entity/notify.h).
//
// An observer has a number in a table of handles. It is in the list of its type or in the list of
// query observers. If it listens to spawns or despawns, it is also in the list for these. It knows
// its place in each. Listeners are in order of creation. An observer that is freed during a
// notification stays silent in its lists until the observed call ends, because a list may be in
// use. Also, its place among query observers is the index of its bit in micai_notification.matched.
//
// An observer of several components, or of a query and of values that are set, consists of several
// *parts*: observers that share a handle. The first, the head, has the name and the query. Every
// part is in the lists on its own. Only heads are public.
//
// A disabled observer stays in its lists and is skipped. It does not count as listening.
//
// A removed listener leaves a hole in its list. A list is compacted when more than half of it is
// holes. So freeing takes constant time on average. For the same reason, listeners of a type are
// counted by kind of event.
//
// Invariants, swept by the room's validate:
//   O1  every observer has a function, the handle of its head, and a type, a query or neither,
//       which exist. It listens only to kinds of event that its subject has. A part that is
//       filtered has a type, and a head with a query.
//   O2  each is in exactly the lists it belongs to, once, in order of creation. It knows its places
//       in them. Holes are counted, and are at most half of a list.
//   O3  the kinds that types and the registry watch are those that counted observers listen to, by
//       the counts here. All enabled observers are counted. The state knows the number of heads
//       and the length of the list of query observers.
//   O4  freed observers that still exist, and disabled ones that are still counted, exist only while
//       an observed call is unfinished. The freed ones are in a list.
//   O5  a type points to the listener of a kind if it has exactly one that is enabled, and that is
//       not filtered.
//   O6  sets are postponed only during notifications, or while an observed call is unfinished.
#ifndef MICAI_EVENT_OBSERVER_H
#define MICAI_EVENT_OBSERVER_H

#include <mica/observer.h>

#include "base/array.h"
#include "command/command.h"
#include "core/handles.h"
#include "query/match_entity.h"

typedef struct micai_observer {
    micai_callback callback; // the first member: a type knows only this
    // for the order and the handle: how many observers had been created, including this one
    uint64_t seed;
    // It is notified of changes that begin when so many observers had been created, or more.
    // MICAI_OBSERVER_DISABLED: of none.
    uint64_t since;
    uint32_t number; // in the table of handles
    uint32_t events;
    uint32_t declared;        // all events of the descriptor, those of other parts included
    const micai_type *type;   // NULL: no type
    mica_query query;         // owned by the observer; null: no query
    uint32_t place;           // in the list of its type, or of query observers
    uint32_t lifecycle_place; // in the list of observers of spawns and despawns
    bool filtered;            // is notified only of entities that match the query of its head
    bool counted;             // its types, or all entities, are watched for it
    bool freed;
    struct micai_observer *head;       // the first part
    struct micai_observer *next_part;  // NULL: the last
    struct micai_observer *next_freed; // the one freed before it; NULL: none
} micai_observer;

#define MICAI_OBSERVER_DISABLED UINT64_MAX

static inline bool micai_observer_is_enabled(const micai_observer *observer)
{
    return observer->since != MICAI_OBSERVER_DISABLED;
}

// In order of creation. A hole has the address of a static observer that is freed, so that a
// notification needs no test for holes.
typedef struct micai_observer_list {
    MICAI_ARRAY(const micai_observer *) list;
    uint32_t holes;
} micai_observer_list;

extern const micai_observer micai_observer_hole;

#define MICAI_KINDS 11 // kinds that observers can listen to: bits of MICAI_ON_ALL

// How many listeners each kind has, by its bit.
typedef struct micai_kind_counts {
    uint32_t counts[MICAI_KINDS];
} micai_kind_counts;

typedef struct micai_observed_type {
    micai_observer_list listeners;
    // listeners of the type, and observers of queries with a term of it
    micai_kind_counts watching;
    micai_kind_counts active;  // listeners of the type that are not freed
    micai_kind_counts numbers; // the sum of their numbers: the number itself if there is one
} micai_observed_type;

// A value that was set inside an observer, before observers were notified that its component was
// added.
typedef struct micai_postponed_set {
    mica_entity entity;
    const micai_type *type;
    uint64_t made; // observers created so far, at the last set
} micai_postponed_set;

typedef struct micai_observers {
    micai_handles handles;
    MICAI_ARRAY(micai_observed_type) by_type; // by type number
    micai_observer_list query_observers;      // the listeners of queries
    micai_observer_list lifecycle_observers;  // the listeners of spawns and despawns
    micai_kind_counts watching; // entities: observers without a type, or with an open query
    micai_buffer *later;        // the world's own buffer, which observers record into
    micai_observer *last_freed; // freed but not removed yet; NULL: none
    uint32_t freed;             // how many of these
    bool overdue;               // a disabled observer may still be counted

    // The change whose observers are being notified, inside which other observers set values.
    // Either `change` or `single` holds it. Calls inside set values of components that exist, and
    // add and remove none.
    const micai_notification *change;  // NULL: none
    const mica_observer_event *single; // an event about one component; NULL: none, or not known yet
    MICAI_ARRAY(micai_postponed_set) postponed;
} micai_observers;

static inline micai_observers *micai_observers_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_OBSERVER].data;
}

// Returns the observer of a handle. Returns NULL with a report if the handle is null, freed or
// foreign.
micai_observer *micai_observers_find(mica_world *world, const char *call, mica_observer observer);

// For the module: notifies all observers of a change, or the listeners of one kind of one type.
void micai_observers_notify(mica_world *world, void *data, micai_notification *notification,
                            uint32_t kinds);
void micai_observers_notify_one(mica_world *world, void *data, const micai_notice *notice,
                                uint32_t what);

// For the module: reserves capacity to postpone so many sets. Observers are being notified.
mica_result micai_observers_reserve(mica_world *world, void *data, uint32_t count);

// Notifies of values whose notification was postponed while a single component was added.
void micai_observers_notify_postponed(mica_world *world, const char *call);

// Checks the invariants of the room.
mica_result micai_observers_validate(mica_world *world, const void *data);

// Opens the room unless it is open. Returns NULL on MICA_ERROR_MEMORY.
micai_observers *micai_observers_open(mica_world *world);

// Frees an observer that is in no list yet, or not any more.
void micai_observer_release(mica_world *world, micai_observer *observer);

// Reserves space for `count` observers, of which this is one, in every list that will contain it.
// register puts it there, and makes the types watched that it listens to.
bool micai_observer_reserve(mica_world *world, micai_observers *all, const micai_observer *observer,
                            uint32_t count);
void micai_observer_register(mica_world *world, micai_observers *all, micai_observer *observer);

// Entities, for a new observer with `existing`: those that it would be notified of if they were
// spawned. notify does that, in the order of the list, and frees the list.
typedef MICAI_ARRAY(mica_entity) micai_existing;

mica_result micai_existing_list(mica_world *world, const char *call, const micai_observer *head,
                                micai_existing *list_out);
void micai_existing_notify(mica_world *world, const char *call, const micai_observer *head,
                           micai_existing *list);

// Notifies one observer, by its head, as if the entity had just been spawned. No other observer may
// be running.
void micai_observers_notify_existing(mica_world *world, const char *call,
                                     const micai_observer *head, mica_entity entity);

// Returns the kinds whose count is not 0. Returns the only active listener of a kind, or NULL if
// their number is not 1.
uint32_t micai_kinds_counted(const micai_kind_counts *counts);
micai_callback *micai_observers_find_single(const micai_observers *all,
                                            const micai_observed_type *type, uint32_t bit);

// Returns true if an observer listens to entities with any components.
bool micai_observer_is_open(mica_world *world, const micai_observer *observer);

// Returns the handle of an observer.
mica_observer micai_observer_handle(const micai_state *state, const micai_observer *observer,
                                    uint32_t number);

// The kinds of event that a type, a query and an entity have.
#define MICAI_ON_ENTITIES (MICA_ON_SPAWN | MICA_ON_DESPAWN)
#define MICAI_ON_MATCHES (MICAI_ON_ENTITIES | MICA_ON_ENTER | MICA_ON_LEAVE)
#define MICAI_ON_QUERY (MICAI_ON_MATCHES | MICA_ON_SET)
#define MICAI_ON_TYPE (MICAI_ON_ALL & ~(MICA_ON_ENTER | MICA_ON_LEAVE))
// Those of an entity that has just been spawned.
#define MICAI_ON_EXISTING (MICA_ON_SPAWN | MICA_ON_ADD | MICA_ON_SET | MICA_ON_ENTER)
_Static_assert((MICAI_ON_TYPE >> MICAI_KINDS_OF_TYPES) == 0, "a type has a place for each kind");
_Static_assert(MICAI_ON_ALL >> MICAI_KINDS == 0, "there is a count for each kind");

#endif
