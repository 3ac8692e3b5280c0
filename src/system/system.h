// Systems and phases: what a step runs.
//
// Room:    system, private to it.
//
// Phases are in an array in the order they run in. The systems of a phase are linked in the order they run in, and
// have ranks that grow in this order: two systems are compared without following the list. Both are found by their
// handles in tables, and by their names in maps of the numbers there.
//
// Invariants, swept by the room's validate:
//   Y1  every system has a good name, a query of its own, and as many uses as fit; names are unique, handles
//       name their systems. All are found by their names. Queries know how many have declared them. Each is in
//       the list of its phase, once.
//   Y2  the system that runs is one of them, and what it has declared is what is asked.
//   Y3  phases have good names, which are unique and by which they are found. They know their place and how many
//       systems they have; the ranks of these grow. The first that was made is there. Their time does not
//       run backwards, and they are behind by less than a run, or have none of their own.
//   Y4  systems run before and after those they name.
#ifndef MICAI_SYSTEM_SYSTEM_H
#define MICAI_SYSTEM_SYSTEM_H

#include <mica/system.h>

#include "base/map.h"
#include "core/handles.h"
#include "core/unclaimed.h"
#include "query/query.h"
#include "state/declared.h"

// How far the time of a phase has come that has a time step of its own.
typedef struct micai_passed {
    double lag;    // time that is there and not yet run
    uint64_t done; // runs of steps that count: so much time has passed in it
    double lost;
} micai_passed;

typedef struct micai_system micai_system;

typedef struct micai_phase {
    mica_phase handle;
    uint64_t seed; // of the handle: how many had been made with it
    char *name;
    double fixed_dt;   // 0: that of the step
    uint64_t max_runs; // in one step, if it is not 0

    uint64_t place;      // in the order of phases
    micai_system *first; // of its systems; NULL: it has none
    micai_system *last;
    uint64_t count; // of its systems
    uint64_t runs;  // ever
    micai_passed now;
    micai_passed next; // when the step that runs has ended well; of no meaning between steps
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
    mica_query query;  // none: update is called once
    micai_query *rows; // that query; NULL: it is none
    micai_declared declared;
    mica_system before[MICA_SYSTEM_ORDER_MAX]; // some may be gone
    mica_system after[MICA_SYSTEM_ORDER_MAX];
    uint64_t replay_first; // 1, or 0

    micai_system *previous;                 // in its phase; NULL: it is the first
    micai_system *next;                     // NULL: it is the last
    uint64_t rank;                          // higher than that of the one before
    uint64_t enabled;                       // 1, or 0
    uint64_t sent[MICA_SYSTEM_USES_MAX][3]; // of events it reads: how many had been sent when its
        // phase began to run; when it did so last and came to its
        // end; and the time before
    mica_system_stats stats;
};

typedef struct micai_systems {
    micai_handles systems;
    micai_handles phase_handles;
    MICAI_ARRAY(micai_phase *) phases; // in the order they run in
    micai_map by_name;                 // numbers of systems
    micai_map phases_by_name;          // numbers of phases
    mica_query nothing; // that begins, ends and the like iterate; none: nobody needed it
    uint64_t made;      // systems, ever
    uint64_t phases_made;
    uint64_t clock_ns; // when what is being timed began
    bool timing;
    bool failed;  // the system that runs has said so
    bool by_hand; // it runs alone
    micai_arena frame;
    micai_unclaimed unclaimed; // of an image that was loaded, by names of phases and systems
} micai_systems;

// Kinds of state that have no owner yet.
enum {
    MICAI_STATE_PHASE, // values: the bits of the lag; runs
    MICAI_STATE_QUERY, // of a system: its own query, 0, or one that it declares, from 1 on. The moment
    MICAI_STATE_EVENTS_READ // of a system: the handle of a type of events. What it has heard: last, before
};

static inline micai_systems *micai_systems_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_SYSTEM].data;
}

// The room, with its first phase. NULL: MICA_ERROR_MEMORY.
micai_systems *micai_systems_open(mica_world *world);

// NULL, reported, for none, removed and foreign ones. No phase is the first that was made, which a world has
// before it has the room: a phase that is known and not there yet is made.
micai_system *micai_systems_find(mica_world *world, const char *call, mica_system system);
micai_phase *micai_phases_find(mica_world *world, const char *call, mica_phase phase);
micai_phase *micai_phase_make(mica_world *world, micai_systems *all, const char *call,
                              const mica_phase_desc *desc);

// NULL, if there is no such phase.
const micai_phase *micai_phases_find_name(const micai_systems *all, const char *name);

// The system of a handle; NULL, unreported, if it is none, removed or foreign.
static inline micai_system *micai_systems_look_up(const micai_systems *all, mica_system system)
{
    micai_system *found = micai_handles_at(&all->systems, micai_stamp_number(system.bits));
    return found && found->handle.bits == system.bits ? found : NULL;
}

// What a handle is made of.
uint64_t micai_systems_stamp(const micai_state *state, uint64_t seed, uint32_t number);

// The first system of this phase and those behind it; NULL: they have none. In the order they run in:
//   for (micai_system *one = micai_systems_from(all, 0); one; one = micai_systems_after(all, one))
micai_system *micai_systems_from(const micai_systems *all, uint64_t phase);
static inline micai_system *micai_systems_after(const micai_systems *all, const micai_system *one)
{
    return one->next ? one->next : micai_systems_from(all, one->phase->place + 1);
}

// Puts a system where it is to run: in its phase, before another (NULL: last). Takes it out. The one that it is to
// run before, because it names it, or NULL.
void micai_system_insert(micai_system *one, micai_system *next);
void micai_system_take(micai_system *one);
micai_system *micai_systems_choose(const micai_systems *all, const micai_system *one);

// MICA_ERROR_ORDER, if one would run on the wrong side of another: any, or this one of those that it names
// itself.
mica_result micai_system_check_place(mica_world *world, const char *call, const micai_systems *all,
                                     const micai_system *one);
mica_result micai_systems_check_order(mica_world *world, const char *call,
                                      const micai_systems *all);

// A phase or system that the program has created claims what the image which was loaded last has for its name, and
// goes on from there.
void micai_phase_resume(mica_world *world, micai_systems *all, micai_phase *phase);
void micai_system_resume(mica_world *world, micai_systems *all, micai_system *one);

// The room's own.
mica_result micai_systems_validate(mica_world *world, void *data);
uint64_t micai_systems_digest(const micai_state *state, const void *data, uint64_t hash);
uint64_t micai_systems_events_read(const void *data, uint64_t type);

#endif
