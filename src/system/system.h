// Systems and phases: the work of a step.
//
// Room:    system. Also read by inspect/.
//
// Phases are in an array, in execution order. The systems of a phase are linked in execution order,
// and have ranks that grow in this order. So two systems are compared without following the list.
// Tables find systems and phases by handle, and maps find their numbers in these tables by name.
//
// Invariants, swept by the room's validate:
//   Y1  every system has a good name, a query of its own or none, and at most as many uses as fit;
//       handles name their systems. Names are unique, and all systems are found by them. Queries
//       know how many systems have declared them.
//   Y2  the running system is in the table, and accesses are checked against its declarations.
//   Y3  phases have good, unique names and are found by them. They know their place and the number
//       of their systems, whose ranks grow. The first phase exists. A phase's time is never
//       negative, and its lag is less than a run; it is 0 without a time step of its own. Only a
//       phase without one may be manual, and only manual phases have time of their own runs.
//   Y4  systems run before and after those they name.
//   Y5  no system has read more events than were sent.
#ifndef MICAI_SYSTEM_SYSTEM_H
#define MICAI_SYSTEM_SYSTEM_H

#include <mica/inspect.h>

#include "base/map.h"
#include "core/handles.h"
#include "core/unclaimed.h"
#include "query/query.h"
#include "state/declared.h"

// The time of a phase that has a time step of its own, or is manual.
typedef struct micai_phase_time {
    double lag;    // time that was added and has not run yet
    uint64_t done; // runs that count: `done` times the time step has passed in the phase
    double lost;
    double own; // of a manual phase: `dt` of its successful runs, added up
} micai_phase_time;

typedef struct micai_system micai_system;

typedef struct micai_phase {
    mica_phase handle;
    uint64_t seed; // for the handle: how many phases had been created, including this one
    char *name;
    double fixed_dt;   // 0: the time step of mica_step()
    uint64_t max_runs; // in one step, unless it is 0
    bool manual;       // steps leave it out

    uint64_t place;      // in the order of phases
    micai_system *first; // its first system; NULL: it has none
    micai_system *last;
    uint64_t count; // number of its systems
    uint64_t runs;  // since it was added
    micai_phase_time now;
    micai_phase_time next; // `now` after the current step, if that succeeds; unused between steps
} micai_phase;

struct micai_system {
    mica_system handle;
    uint64_t seed;
    micai_phase *phase;
    mica_update_fn *update;
    mica_update_fn *begin; // NULL: it has none
    mica_update_fn *end;
    mica_condition_fn *when;
    void *user;
    mica_query query;  // null: update is called once, without rows
    micai_query *rows; // that query; NULL: it has none
    micai_declared declared;
    mica_system before[MICA_SYSTEM_ORDER_MAX]; // some may be removed by now
    mica_system after[MICA_SYSTEM_ORDER_MAX];
    uint64_t replay_first; // 1, or 0
    uint64_t special;      // 1: disabled, or runs in a wave, or commands are applied first; or 0
    uint32_t batch_rows;
    uint32_t spawns;
    const micai_type *reduced; // the resource that its batches are combined into; NULL: none
    void (*combine)(void *total, const void *value);
    float row_ns;       // how long a row takes, measured; decides only whether workers are woken
    micai_system *wave; // the first system of its wave; found by micai_waves_plan()

    micai_system *previous; // in its phase; NULL: it is the first
    micai_system *next;     // NULL: it is the last
    uint64_t rank;          // greater than that of the one before
    uint64_t enabled;       // 1, or 0
    // For each event that the system reads: how many had been sent at the start of a run of its
    // phase, so that they are kept for it. How far it has read them is in `declared`. [0] is the
    // current run, [1] the last successful one, [2] the one before that.
    uint64_t sent[MICA_SYSTEM_USES_MAX][3];
    mica_system_stats stats;
};

typedef struct micai_systems {
    micai_handles systems;
    micai_handles phase_handles;
    MICAI_ARRAY(micai_phase *) phases; // in execution order
    micai_map by_name;                 // numbers of systems
    micai_map phases_by_name;          // numbers of phases
    mica_query rowless; // iterated without rows by begin, end and the like; null until needed
    uint64_t made;      // systems, ever
    uint64_t phases_made;
    uint64_t clock_ns; // when the current measurement began
    bool timing;
    bool failed;        // the running system has called mica_system_fail()
    bool by_hand;       // mica_systems_run() runs: conditions are not asked
    bool waves_planned; // no system was added, moved or removed since waves were found
    const char *call;   // the public function that runs systems, or the last one that did
    micai_arena frame;
    micai_unclaimed unclaimed; // from the last image, by names of phases and systems
} micai_systems;

// Kinds of loaded state that have no owner yet.
enum {
    // values: the bits of the lag or, of a manual phase, of its own time; runs
    MICAI_STATE_PHASE,
    // a query of a system: its own is 0, those it declares count from 1; value: its moment
    MICAI_STATE_QUERY,
    // the events of a type that a system has read; values: `sent` of its last two runs
    MICAI_STATE_EVENTS_READ,
    // how far a system has read the events of a type; values: `next` and `missed`
    MICAI_STATE_POSITION
};

static inline micai_systems *micai_systems_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_SYSTEM].data;
}

// Returns the room's state, with its first phase, and creates it if needed. Returns NULL with
// MICA_ERROR_MEMORY.
micai_systems *micai_systems_open(mica_world *world);

// Return NULL with a report for handles that are null, removed or foreign. A null phase means the
// first phase. Every world has it. If the room has no state yet, looking up the first phase creates
// both.
micai_system *micai_systems_find(mica_world *world, const char *call, mica_system system);
micai_phase *micai_phases_find(mica_world *world, const char *call, mica_phase phase);
// The same, but a null phase is refused, too.
micai_phase *micai_phases_find_named(mica_world *world, const char *call, mica_phase phase);
micai_phase *micai_phase_make(mica_world *world, micai_systems *all, const char *call,
                              const mica_phase_desc *desc);

// Returns NULL if there is no such phase.
const micai_phase *micai_phases_find_name(const micai_systems *all, const char *name);

// Returns the system of a handle. Returns NULL without a report if it is null, removed or foreign.
static inline micai_system *micai_systems_look_up(const micai_systems *all, mica_system system)
{
    micai_system *found = micai_handles_at(&all->systems, micai_stamp_number(system.bits));
    return found && found->handle.bits == system.bits ? found : NULL;
}

// The same for phases.
static inline micai_phase *micai_phases_look_up(const micai_systems *all, mica_phase phase)
{
    micai_phase *found = micai_handles_at(&all->phase_handles, micai_stamp_number(phase.bits));
    return found && found->handle.bits == phase.bits ? found : NULL;
}

// Returns how many events of a type were ever sent.
static inline uint64_t micai_events_sent(const mica_world *world, mica_type type)
{
    const micai_module *events = &world->state->modules[MICAI_MODULE_QUEUE];
    return events->data ? events->sent(events->data, type.bits) : 0;
}

// Returns true if the phase has time of its own, which images contain.
static inline bool micai_phase_has_time(const micai_phase *phase)
{
    return phase->fixed_dt > 0 || phase->manual;
}

// Returns the bits of a handle.
uint64_t micai_systems_stamp(const micai_state *state, uint64_t seed, uint32_t number);

// Returns the first system of this phase or those behind it; NULL: they have none. To visit systems
// in execution order:
//   for (micai_system *one = micai_systems_from(all, 0); one; one = micai_systems_after(all, one))
micai_system *micai_systems_from(const micai_systems *all, uint64_t phase);
static inline micai_system *micai_systems_after(const micai_systems *all, const micai_system *one)
{
    return one->next ? one->next : micai_systems_from(all, one->phase->place + 1);
}

// Enables or disables a system.
void micai_system_set_enabled(micai_system *one, bool enabled);

// Insert a system into its phase, before `next` or, if that is NULL, last; unlink it.
// micai_systems_find_successor() returns the system before which it must run, according to its
// declarations, or NULL.
void micai_system_insert(micai_system *one, micai_system *next);
void micai_system_unlink(micai_system *one);
micai_system *micai_systems_find_successor(const micai_systems *all, const micai_system *one);

// Fails with MICA_ERROR_ORDER if this system, or any system, would run on the wrong side of one
// that it names.
mica_result micai_system_check_place(mica_world *world, const char *call, const micai_systems *all,
                                     const micai_system *one);
mica_result micai_systems_check_order(mica_world *world, const char *call,
                                      const micai_systems *all);

// A new phase or system claims the state that the last loaded image has for its name, and continues
// from it.
void micai_phase_resume(mica_world *world, micai_systems *all, micai_phase *phase);
void micai_system_resume(mica_world *world, micai_systems *all, micai_system *one);

// Functions of the module.
mica_result micai_systems_validate(mica_world *world, const void *data);
uint64_t micai_systems_digest(const micai_state *state, const void *data, uint64_t hash);
uint64_t micai_systems_events_read(const void *data, uint64_t type);

#endif
