// Observers: who listens to what.
//
// Room:    event. Called by users, and by the world through its room (world/notification.h).
//
// An observer has a number in a table of handles, and a place in each list of listeners that
// it belongs to: of its type, of observers of queries, of observers of spawns and despawns. Listeners are in the
// order of creation. An observer that is freed during a notification stays in its lists, silent, until the observed
// call ends: a list may be in use, and the place of an observer among those of queries is the place of
// the bit that says whether it matched (micai_notification.matched).
//
// A listener that goes leaves a hole in its list. A list is compacted when half of it is holes, so that freeing
// takes constant time on average. What a type is watched for is counted by kind, for the same reason.
//
// Invariants, swept by the room's validate:
//   O1  every observer has something to call, kinds that there are of such a thing, a type or a query
//       that there is, or neither, and a handle that names it.
//   O2  each is in the lists it should be in, once, in the order of creation, and in no other. It knows its
//       place in them. Holes are counted, and are at most half of a list.
//   O3  what is watched of types and entities is what they listen to, as is counted. The core knows how many there
//       are, and how long the list of observers of queries is.
//   O4  those that are freed and not gone are counted, and there are none unless a call owes that.
//   O5  who is the only one to listen to a kind of a type, and not freed, is found by the type.
//   O6  values of which observers are to be notified later are noted only during notifications, or if a call owes that.
#ifndef MICAI_EVENT_OBSERVER_H
#define MICAI_EVENT_OBSERVER_H

#include <mica/observer.h>

#include "command/command.h"
#include "core/handles.h"
#include "query/match_entity.h"

typedef struct micai_observer {
    micai_callback callback; // the first member: types know no more of it
    uint64_t seed;           // of the handle: how many had been made with it
    uint32_t events;
    const micai_type *type;   // NULL: none
    mica_query query;         // its own; none: it has none
    uint32_t place;           // among the listeners of its type, or of queries
    uint32_t lifecycle_place; // among those of spawns and despawns
    bool freed;
    struct micai_observer *next_freed; // the one that was freed before it; NULL: none
} micai_observer;

// In the order of creation. A hole has the address of an observer that is freed, so that notifying need not ask.
typedef struct micai_observer_list {
    MICAI_ARRAY(const micai_observer *) list;
    uint32_t holes;
} micai_observer_list;

extern const micai_observer micai_observer_hole;

#define MICAI_KINDS 9 // of what observers listen to: bits of MICAI_ON_ALL

// How many listen to each kind, by its bit.
typedef struct micai_kind_counts {
    uint32_t counts[MICAI_KINDS];
} micai_kind_counts;

typedef struct micai_observed_type {
    micai_observer_list listeners;
    micai_kind_counts watching; // its listeners, and observers of queries that have it as a term
    micai_kind_counts active;   // its listeners that are not freed
    micai_kind_counts numbers;  // the sum of the numbers of these: of one alone, its number
} micai_observed_type;

// A value that was set inside an observer before observers were notified that its component was added.
typedef struct micai_postponed_set {
    mica_entity entity;
    const micai_type *type;
    uint64_t made; // observers, ever, when it was set last
} micai_postponed_set;

typedef struct micai_observers {
    micai_handles handles;
    MICAI_ARRAY(micai_observed_type) by_type; // by number
    micai_observer_list query_observers;      // of queries
    micai_observer_list lifecycle_observers;  // of spawns and despawns
    micai_kind_counts
        watching; // entities, whatever they have: those without a type, or with an open query
    micai_buffer *later;        // the world's own, which observers record into
    micai_observer *last_freed; // of those that are not gone yet; NULL: none
    uint32_t freed;             // so many

    // The change that observers are notified of, inside which others set values: one of these, or the listener that is
    // notified alone. Those inside set values that are there, and add and remove nothing.
    const micai_notification *change; // NULL: none
    const mica_observer_event
        *single; // about one component only; NULL: none, or it is not known yet
    MICAI_ARRAY(micai_postponed_set) postponed;
} micai_observers;

static inline micai_observers *micai_observers_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_OBSERVER].data;
}

// The observer of a handle; NULL, reported, if it is none, freed or foreign.
micai_observer *micai_observers_find(mica_world *world, const char *call, mica_observer observer);

// For the room: tells of notification.
void micai_observers_notify(mica_world *world, void *data, micai_notification *notification,
                            uint32_t kinds);
void micai_observers_notify_one(mica_world *world, void *data, const micai_notice *notice,
                                uint32_t what);

// For the room: capacity to note so many values that are set. Observers are being notified.
mica_result micai_observers_reserve(mica_world *world, void *data, uint32_t count);

// Notifies of values that were noted when a single component was added.
void micai_observers_notify_postponed(mica_world *world, const char *call);

// The room's validate.
mica_result micai_observers_validate(mica_world *world, void *data);

// The kinds that are counted at all. The only observer that is counted for a kind; NULL: there are none, or several.
uint32_t micai_kinds_counted(const micai_kind_counts *counts);
micai_callback *micai_observers_find_single(const micai_observers *all,
                                            const micai_observed_type *type, uint32_t bit);

// Does an observer listen to entities whatever they have?
bool micai_observer_is_open(mica_world *world, const micai_observer *observer);

// What is given out for an observer.
mica_observer micai_observer_handle(const micai_state *state, const micai_observer *observer,
                                    uint32_t number);

// The kinds that there are of a type, of a query, of entities.
#define MICAI_ON_ENTITIES (MICA_ON_SPAWN | MICA_ON_DESPAWN)
#define MICAI_ON_QUERY (MICAI_ON_ENTITIES | MICA_ON_ENTER | MICA_ON_LEAVE)
#define MICAI_ON_TYPE (MICAI_ON_ALL & ~(MICA_ON_ENTER | MICA_ON_LEAVE))
_Static_assert((MICAI_ON_TYPE >> MICAI_KINDS_OF_TYPES) == 0, "a type has a place for each kind");
_Static_assert(MICAI_ON_ALL >> MICAI_KINDS == 0, "there is a count for each kind");

#endif
