// What observers listen to, as far as those must know who would change things without telling: kinds
// (MICA_ON_...) by type, in `watched` of each, and of entities whatever they have, in that of the
// registry. Short cuts are stored only for what nobody watches (micai_table_admits, micai_pool_judge,
// micai_type.plain, spots of flags), so that they need not ask.
//
// Room:    core. Kept by entity/observed; asked by the stores and by world/.
#ifndef MICAI_CORE_WATCH_H
#define MICAI_CORE_WATCH_H

#include <mica/observer.h>

#include "core/registry.h"

// Kinds that are told before a change, and after it.
#define MICAI_WATCH_BEFORE (MICA_ON_LEAVE | MICA_ON_DISABLE | MICA_ON_REMOVE | MICA_ON_DESPAWN)
#define MICAI_WATCH_AFTER                                                                          \
    (MICA_ON_SPAWN | MICA_ON_ADD | MICA_ON_SET | MICA_ON_ENABLE | MICA_ON_ENTER)

// All kinds there are.
#define MICAI_ON_ALL (2 * MICA_ON_ENTER - 1)

// Which kinds of a type keep from a short cut: an entity comes or goes with it; it comes or goes, or is
// set; it is disabled or enabled.
#define MICAI_WATCH_ROWS (MICAI_ON_ALL & ~(MICA_ON_DISABLE | MICA_ON_ENABLE))
#define MICAI_WATCH_CHANGES (MICAI_WATCH_ROWS & ~(MICA_ON_DESPAWN | MICA_ON_SPAWN))
#define MICAI_WATCH_TOGGLES (MICA_ON_LEAVE | MICA_ON_DISABLE | MICA_ON_ENABLE | MICA_ON_ENTER)
#define MICAI_WATCH_REMOVALS MICAI_WATCH_BEFORE
#define MICAI_WATCH_MATCHES (MICA_ON_LEAVE | MICA_ON_ENTER)

// Who listens, as far as those know who tell. Of what it is told, `later`, `type`, `observer` and `user` are
// always right; the rest is written when it is the only one to be told, and nobody else is being told.
struct micai_callback {
    mica_observer_event event;
    mica_observer_fn *call;
    char *name; // NULL: none
};

static inline bool micai_type_is_watched(const micai_type *type, uint32_t kinds)
{
    return (type->watched & kinds) != 0;
}

// The only one to listen to a kind that there is of types; NULL: nobody does, or several do.
static inline micai_callback *micai_type_single_listener(const micai_type *type, uint32_t kind)
{
    return type->single_listener[micai_bits_lowest(kind)];
}

#endif
