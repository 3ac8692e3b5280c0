// What the running system has declared that it uses, beyond the rows that it gets. Other access is
// refused.
//
// Room:    state. Filled in by system/. Checked by query/ (iterations), world/ (resources), event/
//          (events).
//
// Observers and error handlers that run during a system are not restricted.
#ifndef MICAI_STATE_DECLARED_H
#define MICAI_STATE_DECLARED_H

#include <mica/system.h>

#include "state/state.h"

// How far a reader has read the events of a type. All zero: it has not read.
typedef struct micai_position {
    uint64_t next;   // number of the next event to read; event numbers start at 1
    uint64_t missed; // events that were deleted before it read them
} micai_position;

typedef struct micai_declared {
    const char *system; // name of the system
    mica_query queries[MICA_SYSTEM_QUERIES_MAX];
    mica_term resources[MICA_SYSTEM_USES_MAX];
    mica_term events[MICA_SYSTEM_USES_MAX];
    micai_position read[MICA_SYSTEM_USES_MAX]; // of the events that it reads
    mica_type others[MICA_SYSTEM_USES_MAX];
    uint32_t query_count;
    uint32_t resource_count;
    uint32_t event_count;
    uint32_t other_count;
    mica_run run;
} micai_declared;

// Fail with MICA_ERROR_UNDECLARED. `access` is MICA_READ or MICA_WRITE.
mica_result micai_declared_check_query(mica_world *world, const char *call, mica_query query,
                                       const char *name);
mica_result micai_declared_check_resource(mica_world *world, const char *call, mica_type type,
                                          mica_access access);
mica_result micai_declared_check_event(mica_world *world, const char *call, mica_type type,
                                       mica_access access);

// For systems in a wave: fails with MICA_ERROR_UNDECLARED unless the system has declared that it reads components of
// this type of any entity.
mica_result micai_world_use_other(mica_world *world, const char *call, const micai_type *type);

// Returns true if the system has declared that it sends events of this type.
static inline bool micai_declared_sends(const micai_declared *declared, mica_type type)
{
    uint32_t i = 0;
    while (i < declared->event_count && (declared->events[i].type.bits != type.bits ||
                                         declared->events[i].access != MICA_WRITE)) {
        i++;
    }
    return i < declared->event_count;
}

// Returns how far the running system has read the events of a type. Returns NULL with
// MICA_ERROR_UNDECLARED if it has not declared that it reads them.
micai_position *micai_declared_position(mica_world *world, const char *call, mica_type type);

// Returns true if a system is running and makes the call itself. Otherwise nothing need be checked.
static inline bool micai_declared_applies(const mica_world *world)
{
    const micai_state *state = world->state;
    return state->declared && state->notifying == 0 && !state->host->handler;
}

static inline mica_result micai_world_use_query(mica_world *world, const char *call,
                                                mica_query query, const char *name)
{
    return micai_declared_applies(world) ? micai_declared_check_query(world, call, query, name)
                                         : MICA_OK;
}

static inline mica_result micai_world_use_resource(mica_world *world, const char *call,
                                                   mica_type type, mica_access access)
{
    return micai_declared_applies(world) ? micai_declared_check_resource(world, call, type, access)
                                         : MICA_OK;
}

static inline mica_result micai_world_use_event(mica_world *world, const char *call, mica_type type,
                                                mica_access access)
{
    return micai_declared_applies(world) ? micai_declared_check_event(world, call, type, access)
                                         : MICA_OK;
}

#endif
