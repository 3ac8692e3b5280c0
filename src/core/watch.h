// Which event kinds (MICA_ON_...) have observers: per type in micai_type.watched, and for all
// entities in micai_registry.watched. Fast paths of tables, pools and transitions exist only for
// kinds without observers. So fast paths do not test this themselves.
//
// Room:    core. Set by entity/observed. Read by store/, entity/ and event/.
#ifndef MICAI_CORE_WATCH_H
#define MICAI_CORE_WATCH_H

#include <mica/observer.h>

#include "core/registry.h"

// Kinds whose observers are notified before a change, and after it.
#define MICAI_WATCH_BEFORE                                                                         \
    (MICA_ON_LEAVE | MICA_ON_DISABLE | MICA_ON_REPLACE | MICA_ON_REMOVE | MICA_ON_DESPAWN)
#define MICAI_WATCH_AFTER                                                                          \
    (MICA_ON_SPAWN | MICA_ON_ADD | MICA_ON_SET | MICA_ON_ENABLE | MICA_ON_ENTER)

// All existing kinds.
#define MICAI_ON_ALL (2 * MICA_ON_SIGNAL - 1)

// Groups of kinds that disable fast paths. ROWS: a component or its entity is added, removed or
// set. CHANGES: the same without spawn and despawn. VALUES: an existing value is overwritten.
// TOGGLES: a component is disabled or enabled.
#define MICAI_WATCH_ROWS (MICAI_ON_ALL & ~(MICA_ON_DISABLE | MICA_ON_ENABLE | MICA_ON_SIGNAL))
#define MICAI_WATCH_CHANGES (MICAI_WATCH_ROWS & ~(MICA_ON_DESPAWN | MICA_ON_SPAWN))
#define MICAI_WATCH_VALUES (MICA_ON_REPLACE | MICA_ON_SET)
#define MICAI_WATCH_TOGGLES (MICA_ON_LEAVE | MICA_ON_DISABLE | MICA_ON_ENABLE | MICA_ON_ENTER)
#define MICAI_WATCH_MATCHES (MICA_ON_LEAVE | MICA_ON_ENTER)

// The part of an observer that notifying needs. `later`, `type`, `observer` and `user` of the event
// are always valid. The other members are filled in only for a single listener while no other
// observer runs.
struct micai_callback {
    mica_observer_event event;
    mica_observer_fn *call;
    char *name; // NULL: unnamed
};

static inline bool micai_type_is_watched(const micai_type *type, uint32_t kinds)
{
    return (type->watched & kinds) != 0;
}

// Returns the only listener of a kind that concerns types, or NULL if there is not exactly one.
static inline micai_callback *micai_type_single_listener(const micai_type *type, uint32_t kind)
{
    return type->single_listener[micai_bits_lowest(kind)];
}

#endif
