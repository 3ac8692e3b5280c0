// Observers: who listens to what.
//
// Room:    event. Nobody calls it but users, and the world through its room (world/tidings.h).
//
// An observer stands in the list by its number, and in those that are gone through when something is
// told: of its type, of all that observe queries, of all that are told of spawns and ends. These are in
// the order of creation. One that is freed while others are told stays in them, silent, until the call
// that was observed is over: somebody may be going through a list, and the place of an observer of a
// query among its like is where tidings remember whether it matched (micai_tidings.matched).
//
// Invariants, swept by the room's validate:
//   O1  every observer has something to call, kinds that there are of such a thing, a type or a query
//       that there is, or neither, and a handle that names it. Numbers without one are free.
//   O2  each is in the lists it should be in, once, in the order of creation, and in no other.
//   O3  what is watched of types and entities is what they listen to. The core knows how many there are,
//       and how many observe queries.
//   O4  those that are freed and not gone are counted, and there are none unless a call owes that.
//   O5  who is the only one to listen to a kind of a type, and not freed, is found by the type.
#ifndef MICAI_EVENT_OBSERVER_H
#define MICAI_EVENT_OBSERVER_H

#include <mica/observer.h>

#include "command/command.h"
#include "query/fit.h"

typedef struct micai_observer {
    micai_ear ear; // the first member: types know no more of it
    uint64_t seed; // of the handle: how many had been made with it
    uint32_t on;
    const micai_type *type; // NULL: none
    mica_query query;       // its own; none: it has none
    bool freed;
} micai_observer;

typedef MICAI_ARRAY(micai_observer *) micai_ears;

typedef struct micai_observers {
    micai_ears list; // NULL where one was freed
    MICAI_ARRAY(uint32_t) free_list;
    MICAI_ARRAY(micai_ears) by_type; // by number
    micai_ears matchers;             // of queries
    micai_ears comers;               // of spawns and ends
    micai_buffer *later;             // the world's own, which observers record into
    uint32_t freed;                  // that are not gone yet
} micai_observers;

static inline micai_observers *micai_observers_of(const mica_world *world)
{
    return world->core->rooms[MICAI_ROOM_OBSERVER].state;
}

// The observer of a handle; NULL, reported, if it is none, freed or foreign.
micai_observer *micai_observers_find(mica_world *world, const char *call, mica_observer observer);

// For the room: tells of tidings.
void micai_observers_tell(mica_world *world, void *state, micai_tidings *tidings, uint32_t kinds);
void micai_observers_tell_one(mica_world *world, const void *state, const micai_tiding *news,
                              uint32_t what);

// The room's validate.
mica_result micai_observers_validate(mica_world *world, void *state);

// What is to be watched of a type, and of all entities. Who is the only one to listen to a kind. What is given
// out for an observer.
uint32_t micai_observers_watch_type(mica_world *world, const micai_observers *all,
                                    const micai_type *type);
uint32_t micai_observers_watch_entities(mica_world *world, const micai_observers *all);
micai_ear *micai_observers_find_alone(const micai_ears *ears, uint32_t what);
mica_observer micai_observer_handle(const micai_core *core, const micai_observer *observer,
                                    uint32_t number);

// The kinds that there are of a type, of a query, of entities.
#define MICAI_ON_ENTITIES (MICA_ON_SPAWN | MICA_ON_DESPAWN)
#define MICAI_ON_QUERY (MICAI_ON_ENTITIES | MICA_ON_ENTER | MICA_ON_LEAVE)
#define MICAI_ON_TYPE (MICAI_ON_ALL & ~(MICA_ON_ENTER | MICA_ON_LEAVE))
_Static_assert((MICAI_ON_TYPE >> MICAI_KINDS_OF_TYPES) == 0, "a type has a place for each kind");

#endif
