// Observers: callbacks for changes. They report that entities are spawned or despawned, that
// components are added, removed or set, and that entities begin or cease to match a query.
//
//   static void count(const mica_observer_event *h)
//   {
//       int *burning = h->user;
//       *burning += h->kind == MICA_ON_ADD ? 1 : -1;
//   }
//
//   mica_observer_new(world, &(mica_observer_desc){
//       .type = burning, .events = MICA_ON_ADD | MICA_ON_REMOVE, .call = count, .user = &number});
//
// With `.existing = true`, the observer is also called at once for all that burns already.
//
// Removals are reported before they happen, so that the value can still be read. Additions are
// reported afterwards. [observer.when] An observer sees a consistent world, and may read all of it.
//
// An observer may set values of existing components. Observers are notified of that in turn, up to
// MICA_OBSERVER_DEPTH levels deep. [observer.set] All other changes of entities fail inside an
// observer with MICA_ERROR_ITERATING. Record them with `later`, a recording world
// (mica/command.h). [observer.refused] Recorded commands run when the observed call returns or,
// inside an iteration, together with that iteration's commands. [observer.recorded] Commands that
// the program recorded with mica_world_later() before go on waiting. [observer.others_wait] So an
// observer can spawn and despawn entities, even the observed one, and these changes are observed in
// turn. [observer.despawn] An endless chain of such commands is stopped, as in mica_defer_call().
// The observed call has then taken effect. If it returns a mica_result, it returns
// MICA_ERROR_LIMIT, or MICA_OK if it took ownership of values that cannot be copied.
// [observer.endless] If memory runs out, the commands wait. [observer.memory]
//
// Toggling fails inside an observer, too, if it would notify an observer. This applies to observers
// of MICA_ON_ENABLE or MICA_ON_DISABLE, and to those with a query that names the
// component. [observer.toggle] Other components may be toggled. An iteration that an observer
// leaves open is ended, and reported as an error. [observer.open]
//
// Calls without effect notify no observers: adding a component that is there, or removing one that
// is not. [observer.no_difference] Neither do calls that fail. [observer.failed_call] Several
// changes that are applied as one are reported as one: those of mica_change(), and the combined
// commands of one entity. [observer.as_one] A component that arrives disabled, by a clone or by
// commands, is reported by MICA_ON_ADD, and not by MICA_ON_DISABLE. [observer.disabled]
// mica_type_change_storage() notifies no observers. [observer.silent] mica_world_free() and
// mica_world_load() notify them only with mica_world_desc.notify_on_free and with
// mica_load_desc.notify. [observer.asked]
//
// Order of notifications: a call is one change, whatever the number of its entities. First come the
// notifications before the change, entity by entity; then the change; then the notifications after
// it. For one entity, the kinds come in the order of the list below. Within a kind, components come
// in order of registration; for one component, observers come in order of creation. Entities come
// in the order of the call, or of rows. Facets come right before their owner if it is despawned.
//
// Observers that set values do not change this order. For one change of one component of one
// entity, MICA_ON_ADD comes first and MICA_ON_REMOVE last. If an observer sets the value before all
// are notified of MICA_ON_ADD, one MICA_ON_SET follows right after MICA_ON_ADD. If the change
// itself reports MICA_ON_SET, one notification stands for both. [observer.add_first] After the
// first observer was notified of MICA_ON_REMOVE, setting the value notifies no
// observer. [observer.remove_last] If there is no memory to postpone a notification, the value is
// not set: MICA_ERROR_MEMORY. [observer.set_memory]
//
// Components without observers cost nothing extra. Observed ones take a slower path:
// docs/guide/observers.md.
#ifndef MICA_OBSERVER_H
#define MICA_OBSERVER_H

#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// The kinds of observer events, in the order in which one change reports them.
enum {
    // before the change
    MICA_ON_LEAVE = 1 << 0,   // the entity ceases to match the query
    MICA_ON_DISABLE = 1 << 1, // the component is disabled
    MICA_ON_REPLACE = 1 << 9, // a call will overwrite its value, which is still the old one
    MICA_ON_REMOVE = 1 << 2,  // the component is removed, also with its entity
    MICA_ON_DESPAWN = 1 << 3, // an entity is destroyed
    // after the change
    MICA_ON_SPAWN = 1 << 4,  // an entity was created
    MICA_ON_ADD = 1 << 5,    // the component was added, also with its entity
    MICA_ON_SET = 1 << 6,    // a call has set its value, or one of a match of the query: see below
    MICA_ON_ENABLE = 1 << 7, // the component was enabled
    MICA_ON_ENTER = 1 << 8,  // the entity begins to match the query
    // no change
    MICA_ON_SIGNAL = 1 << 10 // mica_signal() was called for the entity
};

// For a type, MICA_ON_SPAWN and MICA_ON_DESPAWN report entities with the component; for a query,
// entities that match; otherwise all. MICA_ON_SET reports values of mica_set() and similar calls,
// also of spawned, cloned and recorded entities. For a query, it reports values of its terms, of
// entities that match after the change; h->type is the component. Each value is reported on its
// own, before MICA_ON_ENTER. [observer.set_match]
//
// MICA_ON_REPLACE reports the old value of an existing component, before the calls of MICA_ON_SET
// overwrite it: h->value is the value before, and MICA_ON_SET follows. A component that is added or
// removed is not replaced. [observer.replace]
//
// Writes through pointers (mica_get_mut(), accessors, mica_write()) are not reported: call
// mica_modified() after them, or use mica/change_detection.h.

// How deep notifications may nest: one observer sets a value, which notifies the next.
#define MICA_OBSERVER_DEPTH 16

enum { MICA_OBSERVER_TYPES_MAX = 16 };

typedef struct mica_observer {
    uint64_t bits; // private; 0: the null handle
    MICA_HANDLE_BOOL_
} mica_observer;

// An observer event: the argument of an observer. Valid until the observer returns.
typedef struct mica_observer_event {
    mica_world *world; // in its state before or after the change
    mica_world *later; // a recording world, for changes
    mica_entity entity;
    mica_type type;    // the component or signal; null handle: not about a single one
    uint32_t kind;     // one of MICA_ON_...
    const void *value; // the value. NULL: a tag, a split value (use mica_load()), or a value
                       // that an iteration has copied for writing [observer.no_value]; or the
                       // data of a signal
    mica_observer observer;
    void *user;
} mica_observer_event;

typedef void mica_observer_fn(const mica_observer_event *h);

// Zero is the default of every field. With a type, observes that component of all entities. With a
// query, observes which entities match. With neither, observes all entities.
//
// With several types, observes each of them as `type` would, in one observer: h->type is the one
// that an event is about. An entity that is spawned with two of them is reported twice, by
// MICA_ON_SPAWN too. [observer.types]
typedef struct mica_observer_desc {
    uint32_t first_zero; // must be 0

    // Required: MICA_ON_... kinds. With types: all but enter and leave. With a query: enter, leave,
    // spawn, despawn, set. With neither: spawn, despawn.
    uint32_t events;
    mica_type type;
    // Several components, in place of `type`. Ends at the first null handle; only those may follow.
    mica_type types[MICA_OBSERVER_TYPES_MAX];
    // Its terms decide which entities match; read or write makes no difference. Filters for changed
    // or added components are refused. [observer.filter]
    mica_query_desc query;
    mica_observer_fn *call; // required
    void *user;             // h->user
    const char *name;       // for error messages; copied

    // Notifies this observer at once of existing entities, as if all had just been spawned with
    // their values. Reports MICA_ON_SPAWN, _ADD, _SET and _ENTER, if `events` has them, for one
    // entity after the other. [observer.existing]
    bool existing;
    bool disabled; // is not notified until it is enabled

    uint32_t last_zero; // must be 0
} mica_observer_desc;

// Creates an observer, which is notified from the next change on. Also allowed inside an observer
// and during iteration. [observer.from_next] Takes time in proportion to the number of tables, not
// of observers. [observer.cost] With `existing`, takes time in proportion to the entities that
// are reported. If the call fails, none was reported. [observer.existing_cost] A disabled observer
// is not notified of existing entities, then or later. [observer.existing_disabled]
//
// Returns the null handle on failure: MICA_ERROR_NULL, _DESC, _TYPE, _NAME, _LIMIT, _HOOK,
// _HANDLER, _MEMORY, or an error of mica_query_new(). Fails with _ARGUMENT for a type together with
// a query or with `types`, for a type that is listed twice, and for a list with a gap. Also fails
// with _ARGUMENT for no kinds, and for kinds that do not apply. Examples are MICA_ON_ENABLE for a
// type without a toggle, and MICA_ON_SET for a tag or for a query whose terms have no values. Also
// fails with _ARGUMENT for `existing` if `events` has no kind that it reports. [observer.fail] Fails
// with _ITERATING if `existing` is used inside an observer. [observer.existing_inside]
MICA_API mica_observer mica_observer_new(mica_world *world, const mica_observer_desc *desc);

// Frees an observer, which is not notified any more. An observer may free observers, even
// itself. [observer.free] Fails with MICA_ERROR_NULL, _HOOK, _HANDLER, and with MICA_ERROR_OBSERVER
// for null, freed and foreign handles. Fails with MICA_ERROR_ITERATING while the observer's query,
// which mica_observer_get_info() returns, is iterated. [observer.free_fail] Takes time in
// proportion to the number of tables and open iterations, not of observers. [observer.free_cost]
MICA_API mica_result mica_observer_free(mica_world *world, mica_observer observer);

// Says that a value was written through a pointer, such as that of mica_get_mut(), an accessor or
// mica_write(). Notifies observers of MICA_ON_SET, as if the value had been set just
// now. [modified.notify] The value counts as changed (mica/change_detection.h), also if the pointer
// was requested long ago. [modified.change] MICA_ON_REPLACE is not reported: the old value is
// gone. [modified.replace] Allowed during iteration, and inside an observer as mica_set()
// is. [modified.when] O(1) without observers. [modified.cost]
//
// Fails with MICA_ERROR_NULL, _ENTITY, _TYPE, _HOOK, _HANDLER, and with _RECORDING for a recording
// world. Fails with _SIZE for a tag, which has no value, and with _ARGUMENT if the entity does not
// have the component. Also fails with _ITERATING for values that an iteration has copied for
// writing, and with _LIMIT or _MEMORY inside an observer, as mica_set(). [modified.fail]
MICA_API mica_result mica_modified(mica_world *world, mica_entity entity, mica_type type);

// Sends a signal to an entity: calls the observers of MICA_ON_SIGNAL of the type at once, in order
// of creation. h->entity is the entity, h->value is `data`. [signal.call] Any type can be a signal,
// and the entity need not have it as a component. [signal.any] `data` is a value of the type, which
// is not copied; NULL with a size of 0: the signal has no value. [signal.data] For messages that
// wait until systems read them, see mica/event.h.
//
//   mica_signal(world, e, hit, &(Hit){.damage = 5}, sizeof(Hit));
//
// Allowed during iteration, and inside an observer up to MICA_OBSERVER_DEPTH levels deep. What the
// observers record runs when the call returns, as for observed changes. [signal.when] Does nothing
// without such an observer. [signal.unheard] Fails with MICA_ERROR_NULL, _ENTITY, _TYPE, _HOOK,
// _HANDLER, and with _RECORDING for a recording world. Fails with _SIZE if the type has another
// size, and with _LIMIT if it is nested too deep. [signal.fail]
MICA_API mica_result mica_signal(mica_world *world, mica_entity entity, mica_type type,
                                 const void *data, uint32_t size);

// Enable or disable an observer. A disabled one is not called any more, not even by the call that
// is being observed. An enabled one is notified from the next change on. [observer.enable] Allowed
// at any time, also in an observer, for itself or another. [observer.enable_when] What only
// disabled observers listen to costs nothing. [observer.disabled_cost] Switching takes time in
// proportion to the number of tables. [observer.enable_cost] Fails with MICA_ERROR_NULL, _HOOK,
// _HANDLER, _OBSERVER; mica_observer_is_enabled() then returns false. [observer.enable_fail]
MICA_API mica_result mica_observer_enable(mica_world *world, mica_observer observer);
MICA_API mica_result mica_observer_disable(mica_world *world, mica_observer observer);
MICA_API bool mica_observer_is_enabled(mica_world *world, mica_observer observer);

#ifdef __cplusplus
}

MICA_HANDLE_OPERATORS_(mica_observer)
#endif

#endif
