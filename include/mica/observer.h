// Observers: functions that are told when entities come and go, get and lose components, or begin and
// cease to match a query.
//
//   static void count(const mica_happening *h)
//   {
//       int *burning = h->user;
//       *burning += h->what == MICA_ON_ADD ? 1 : -1;
//   }
//
//   mica_observe(world, &(mica_observer_desc){.type = burning, .on = MICA_ON_ADD | MICA_ON_REMOVE,
//                                             .call = count, .user = &number});
//
// What goes is told before it goes, while it can still be looked at; what comes, after it has
// come. [observer.when] An observer sees a whole world, and may look at all of it.
//
// It may set values that are there, which is told in turn (up to MICA_OBSERVER_DEPTH
// deep). [observer.set] All else that changes entities is refused inside, with
// MICA_ERROR_ITERATING, and is for `later`: the face of the world that records
// (mica/command.h). [observer.refused] What was recorded is carried out when the call that was
// observed is over; if that was made in an iteration, when its commands are. [observer.recorded] So
// it may spawn and despawn, also who it is told of, and that is observed in
// turn. [observer.despawn] Observers that do so without an end are stopped, as commands are: the
// call that was observed has happened then, and returns MICA_ERROR_LIMIT, if it returns a result
// and was not handed values that cannot be copied. [observer.endless] Where memory is refused, what
// was recorded waits. [observer.memory]
//
// Toggling is refused inside, too, where somebody would be told of it: of MICA_ON_ENABLE or
// _DISABLE of the component, or of who begins and ceases to match a query that names
// it. [observer.toggle] Other components may be toggled. An iteration that an observer leaves open
// is ended, and reported. [observer.open]
//
// Nobody is told of what makes no difference: a component added that is there, or removed that is
// not. [observer.no_difference] A call that fails tells nobody. [observer.failed_call] Several
// changes that are carried out as one are told as one: mica_change(), and commands for one
// entity. [observer.as_one] What comes disabled, with a clone or by commands, has come and is
// disabled when that is told; it was not switched off. [observer.disabled] mica_type_set_storage()
// changes no entity, nor does mica_world_free() tell. [observer.silent]
//
// The order. A call is one change, however many entities it is about: first what goes is told, of one
// entity after the other, then it happens, then what has come is told. For one entity the kinds come in
// the order of the list below; within a kind components in the order they were registered in; for one
// component observers in the order they were made in. Entities come in the order of the call, or of rows;
// facets right before their owner, if that ends.
//
// Observers that set values do not change this order. For one change of one component of one entity, MICA_ON_ADD comes
// first and MICA_ON_REMOVE last. If a value is set before all listeners were notified that its component was added,
// MICA_ON_SET follows right after that, once, or where the change itself notifies of it. [observer.add_first] If it
// is set after the first listener was notified that its component is removed, the value is set, and nobody is
// notified of it. [observer.remove_last] What cannot be noted for lack of memory is not set:
// MICA_ERROR_MEMORY. [observer.set_memory]
//
// Who is not observed costs nothing. What is observed takes longer ways: docs/guide/observers.md.
#ifndef MICA_OBSERVER_H
#define MICA_OBSERVER_H

#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// What can happen. Of one change, in this order:
enum {
    // before it happens
    MICA_ON_LEAVE = 1 << 0,   // ceases to match the query
    MICA_ON_DISABLE = 1 << 1, // the component is switched off
    MICA_ON_REMOVE = 1 << 2,  // it goes, also with its entity
    MICA_ON_DESPAWN = 1 << 3, // the entity ends: any; one that has the component; one that matches
    // after it has happened
    MICA_ON_SPAWN = 1 << 4,  // the entity is new: any; one that has the component; one that matches
    MICA_ON_ADD = 1 << 5,    // the component has come, also with its entity
    MICA_ON_SET = 1 << 6,    // it was given a value, by a call: see below
    MICA_ON_ENABLE = 1 << 7, // it is switched on
    MICA_ON_ENTER = 1 << 8   // begins to match the query
};

// A value is given by mica_set() and its kin, also where it is spawned with, cloned or recorded. What is
// written through pointers (mica_get_mut(), accessors, mica_write()) is not told: mica/change.h is
// for that.

// How deep observers may be told of what other observers set.
#define MICA_OBSERVER_DEPTH 16

typedef struct mica_observer {
    uint64_t bits; // private; 0: the null handle
    MICA_HANDLE_BOOL_
} mica_observer;

// Returns the null handle. [observer.none]
MICA_INLINE mica_observer mica_observer_none(void)
{
    mica_observer none = {0};
    return none;
}

// Returns true for the null handle. [observer.is_none]
MICA_INLINE bool mica_observer_is_none(mica_observer observer)
{
    return observer.bits == 0;
}

// Returns true if both are the same handle. [observer.equal]
MICA_INLINE bool mica_observer_equal(mica_observer a, mica_observer b)
{
    return a.bits == b.bits;
}

// What an observer is told. Good until it returns.
typedef struct mica_happening {
    mica_world *world; // as it is: before, or after
    mica_world *later; // records changes
    mica_entity entity;
    mica_type type;    // of the component; none: it is about no single one
    uint32_t what;     // one of MICA_ON_...
    const void *value; // of the component. NULL: it has none (a tag); it lies nowhere whole:
                       // mica_load(); or an iteration has it just now [observer.no_value]
    mica_observer observer;
    void *user;
} mica_happening;

typedef void mica_observer_fn(const mica_happening *h);

// Zero is the default of every field. With a type: what happens to that component of any entity. With a
// query: which entities match. With neither: all entities.
typedef struct mica_observer_desc {
    uint32_t first_zero; // must be 0: catches a descriptor that was not zeroed

    uint32_t
        on; // required: what it is told of, MICA_ON_... of any of these that there is: of a type,
            // all but enter and leave; of a query, enter, leave, spawn, despawn; else the last two
    mica_type type;
    mica_query_desc
        query; // whose terms say what matches; read or written is the same, and no filter
               // may ask for what changed or was added [observer.filter]
    mica_observer_fn *call; // required
    void *user;             // h->user
    const char *name;       // for error sentences; copied

    uint32_t last_zero; // must be 0
} mica_observer_desc;

// Tells a function from the next change on; also from inside an observer, or an
// iteration. [observer.from_next] Values that exist already are not reported. [observer.existing]
// Takes time in proportion to the number of tables, and not of observers. [observer.cost] None on
// failure: MICA_ERROR_NULL, _DESC, _TYPE, _NAME, _LIMIT, _HOOK, _HANDLER, _MEMORY, those of
// mica_query_new(); _ARGUMENT for no kinds, for kinds that there are not of such a thing, for
// enabling where the type has no toggle, for setting where it is a tag, for a type and a query at
// once. [observer.fail]
MICA_API mica_observer mica_observe(mica_world *world, const mica_observer_desc *desc);

// Tells it no more, from this moment on; also from inside an observer, itself
// included. [observer.free] MICA_ERROR_NULL, _HOOK, _HANDLER; MICA_ERROR_OBSERVER for none, freed
// or foreign ones; MICA_ERROR_ITERATING while its own query is iterated
// (mica_observer_inspect()). [observer.free_fail] Takes time in proportion to the number of tables
// and of open iterations, and not of observers. [observer.free_cost]
MICA_API mica_result mica_observer_free(mica_world *world, mica_observer observer);

#ifdef __cplusplus
}

MICA_HANDLE_OPERATORS_(mica_observer)
#endif

#endif
