// Systems: functions that mica_step() runs, each over the entities that match its query.
//
//   static void move(mica_iter *it) { ... }
//   mica_system_add(world, &(mica_system_desc){
//       .name = "move", .update = move,
//       .query.terms = {{position, MICA_WRITE}, {velocity, MICA_READ}}});
//   mica_step(world, 1.0 / 60);
//
// Phases run in their order (mica/phase.h). Within a phase, systems run in the order in which they
// were added, unless `before` or mica_system_move() says otherwise.
#ifndef MICA_SYSTEM_H
#define MICA_SYSTEM_H

#include <mica/phase.h>
#include <mica/query.h>
#include <mica/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_system {
    uint64_t bits; // private; 0: the null handle
    MICA_HANDLE_BOOL_
} mica_system;

// The function of a system. Structural changes inside it fail, with an error that names the system
// and the call; record them for later instead: mica/command.h. The step controls the iteration
// `it`. The function may begin other iterations and must end them. It must neither advance nor end
// `it` (MICA_ERROR_ITERATOR).
typedef void mica_update_fn(mica_iter *it);
typedef bool mica_condition_fn(const mica_iter *it);

// How a system runs: mica/thread.h.
typedef enum mica_run {
    MICA_ALONE = 0,  // by itself, on the thread that steps
    MICA_CONCURRENT, // beside other systems
    MICA_PARALLEL    // its rows are divided among threads
} mica_run;
MICA_ENUM_(mica_run);

enum { MICA_SYSTEM_QUERIES_MAX = 8, MICA_SYSTEM_USES_MAX = 16, MICA_SYSTEM_ORDER_MAX = 8 };

// Zero is the default of every field. A list ends at its first element that is all zero; only zeros
// may follow.
typedef struct mica_system_desc {
    uint32_t first_zero; // must be 0

    const char *name;       // required, unique among the world's systems; copied
    mica_update_fn *update; // required. Called once per segment of the query
    mica_query_desc query;  // all zero: no query. Then update is called once per run
    void *user;             // user data: it->user

    // `when` is called first in each run and decides whether the system runs this time. NULL: it
    // always runs. `begin` is called before the first update and `end` after the last, even if
    // nothing matches. NULL: not called. None of them has rows: it->count is 0.
    mica_update_fn *begin;
    mica_update_fn *end;
    mica_condition_fn *when;

    // Declarations of what else the system uses. While it runs, all uses of undeclared queries,
    // resources and events fail with MICA_ERROR_UNDECLARED, except in observers and error
    // handlers. [system.undeclared] A system that runs alone may access single entities without declaration, as
    // with mica_get(), and test what a query matches, as with mica_query_count(). [system.entities]
    // Functions that it records with mica_defer_call() may use anything. Recording an event needs
    // its declaration. [system.calls]
    mica_query queries[MICA_SYSTEM_QUERIES_MAX]; // other queries that it iterates
    mica_term resources[MICA_SYSTEM_USES_MAX];   // MICA_READ; or MICA_WRITE, which allows both
    mica_term events[MICA_SYSTEM_USES_MAX];      // MICA_READ: reads them; MICA_WRITE: sends them

    mica_phase phase;                          // null handle: "update"
    mica_system before[MICA_SYSTEM_ORDER_MAX]; // this system runs before these
    mica_system after[MICA_SYSTEM_ORDER_MAX];  // and after these

    bool disabled; // does not run until it is enabled

    // Before this system runs, apply the commands that earlier systems of the phase have recorded.
    // By default they are applied at the end of the phase.
    bool replay_first;

    // Threads: mica/thread.h. Anything else than MICA_ALONE takes rights away: such a system records
    // changes, and reaches other entities only as declared here.
    mica_run run;
    mica_type others[MICA_SYSTEM_USES_MAX]; // components that it reads of any entity
    uint32_t batch_rows; // rows of a batch; 0: 8,192 or more. Few, if a row takes long
    uint32_t spawns;     // entities that a batch may create at most
    struct {
        mica_type into; // a resource whose values are bytes; null handle: none
        void (*combine)(void *total, const void *value);
    } reduce;

    uint32_t last_zero; // must be 0
} mica_system_desc;

// Private: whether it has fields for threads. It has no loop, so that compilers know the result for constants.
MICA_INLINE_ static inline bool mica_system_threads_(const mica_system_desc *desc)
{
    const mica_type *others = desc->others;
    return desc->batch_rows > 0 || desc->spawns > 0 || desc->reduce.into.bits != 0 ||
           desc->reduce.combine ||
           (others[0].bits | others[1].bits | others[2].bits | others[3].bits | others[4].bits |
            others[5].bits | others[6].bits | others[7].bits | others[8].bits | others[9].bits |
            others[10].bits | others[11].bits | others[12].bits | others[13].bits |
            others[14].bits | others[15].bits) != 0;
}

// Adds a system. Returns the null handle on failure: MICA_ERROR_NULL, _DESC, _NAME, _ITERATING, or
// an error of mica_query_new(). Fails with _QUERY, _TYPE, _PHASE or _SYSTEM if it names one that is
// not of this world. Fails with _SIZE for a resource or event that is a tag. Fails with _ORDER if
// no place in the phase satisfies `before` and `after`. Fails with _ARGUMENT for other accesses to
// resources or events, for queries owned by systems or observers, and for a list with a gap. Also
// fails with _ARGUMENT if a query, resource or event is listed twice; an event may be listed once
// to read and once to send. [system.add_fail] Also fails with _ARGUMENT for a parallel or concurrent system that
// declares what it may not do, and for an alone one with fields of the others: mica/thread.h. [system.add_thread] Systems run in the order in which they are added: a
// new one comes last in its phase, or right before the first of `before`. [system.order] The
// systems in `before` and `after` may be removed later and are then ignored. [system.named] With
// `before`, O(systems in the phase). [system.add_cost]
MICA_INLINE_ALWAYS mica_system mica_system_add(mica_world *world, const mica_system_desc *desc)
{
    if (desc) {
        mica_query_use_(world, &desc->query);
        if (desc->run != MICA_ALONE || mica_system_threads_(desc)) {
            mica_use_waves_(world);
        }
    }
    mica_system system = {mica_system_add_(world, desc)};
    return system;
}

// Removes a system. [system.remove] Fails with MICA_ERROR_SYSTEM for null, removed and foreign
// handles. Fails with MICA_ERROR_ITERATING during a step, and while commands are applied, as adding
// does. [system.remove_fail]
MICA_API mica_result mica_system_remove(mica_world *world, mica_system system);

// Moves a system to a phase (null handle: "update"), right before another system of that phase
// (null handle: to the end). [system.move] Fails with MICA_ERROR_ORDER if this would break a
// `before` or `after` of any system. Fails with MICA_ERROR_ARGUMENT if `before` is the system
// itself or not in that phase. [system.move_order] Fails with MICA_ERROR_NULL, _SYSTEM,
// _PHASE. [system.move_fail] Allowed between steps, like removing. [system.move_when]
// O(systems). [system.move_cost]
MICA_API mica_result mica_system_move(mica_world *world, mica_system system, mica_phase phase,
                                      mica_system before);

// Returns the system with that name, or the null handle, without an error, if there is no such
// system. Fails with MICA_ERROR_NULL. [system.find]
MICA_API mica_system mica_system_find(mica_world *world, const char *name);

// Enable or disable a system: steps run only enabled systems. [system.enable] Allowed at any time,
// also in a system, for itself or another. The change takes effect with the next run, which may be
// in the same step. [system.enable_when] Fails in hooks and error handlers: MICA_ERROR_HOOK,
// _HANDLER. [system.enable_hook] Fails with MICA_ERROR_NULL or _SYSTEM; mica_system_is_enabled()
// then returns false. [system.enable_fail]
MICA_API mica_result mica_system_enable(mica_world *world, mica_system system);
MICA_API mica_result mica_system_disable(mica_world *world, mica_system system);
MICA_API bool mica_system_is_enabled(mica_world *world, mica_system system);

// Runs these systems now, in the order of the list. They may belong to any phases and may be
// disabled; `when` is not called. The commands that a system has recorded are applied before the
// next one runs. [systems.run] Their iterations have this `dt`. Their `time` is that of the phase
// if it is manual, otherwise the sum of all earlier steps. No time advances, and no frame
// ends. [systems.run_time]
//
// All handles are checked before the first system runs: fails with MICA_ERROR_SYSTEM if one is
// null, removed or foreign. Fails with MICA_ERROR_NULL, and with the errors of
// mica_step(). [systems.run_fail] If a system fails, or its commands cannot all be applied, the
// later ones do not run; the earlier ones are not undone. [systems.run_stop] To run whole phases,
// call mica_phases_run(). A count of 0 does nothing. [systems.run_none]
MICA_API mica_result mica_systems_run(mica_world *world, const mica_system *systems, uint32_t count,
                                      double dt);

// Reports, from inside a system, that the system has failed. The step ends when the function
// returns. No further system or function is called, not even the `end` of this system. mica_step()
// returns MICA_ERROR_FAILED, with a sentence like "mica_step: system 'load': no such
// level". [system.fail] `value` is an error value of the program, with any meaning. It is part of
// the error: mica_last_error(world)->value. [system.fail_value] Earlier changes stay, recorded
// commands are applied, and iterations that the system left open are ended. [system.fail_done]
// Further calls in the same run have no effect. [system.fail_again] Fails with MICA_ERROR_ITERATOR
// if `it` is not a system's own iteration, and with MICA_ERROR_NULL. [system.fail_iterator]
MICA_API mica_result mica_system_fail(const mica_iter *it, int64_t value, const char *format, ...)
    MICA_PRINTF(3, 4);

// Runs one step: all phases in order, except manual ones. Each runs its enabled systems, and then
// applies the commands that they recorded. [step.runs] The systems' iterations have this `dt`,
// except in phases with a fixed time step. Their `time` is the sum of `dt` of all earlier
// steps. [step.time] A step that stops early does not count: time does not advance in any
// phase. [step.stopped]
//
// Fails with MICA_ERROR_ARGUMENT if `dt` is negative, not a number, or too large for a
// float. [step.dt] Fails with MICA_ERROR_ITERATING inside a step or an iteration, and while
// commands are applied. Also fails with it, naming the system, if a system leaves an iteration
// open: that iteration is ended, and the following systems do not run. [step.iterating] Fails with
// MICA_ERROR_FAILED if a system calls mica_system_fail(). [step.failed] Fails with
// MICA_ERROR_MEMORY or _LIMIT, also if some commands could not be applied: see
// mica/command.h. [step.memory] If an update is left by longjmp() or an exception, the step stays
// unfinished: call mica_world_end_iterations(). [step.left]
MICA_API mica_result mica_step(mica_world *world, double dt);

// Switches the timing of systems on or off; the default is off. Timing reads the clock once per
// system. [timing.clock] Allowed between steps: fails with MICA_ERROR_ITERATING in a step. Fails
// with MICA_ERROR_NULL, _MEMORY. [timing.fail]
MICA_API mica_result mica_world_set_timing(mica_world *world, bool on);

// Returns true if the order of two systems matters: one writes a component, resource or event that
// the other reads or writes. [conflict.write] Queries that can never match the same row, because
// one requires what the other excludes, do not conflict. [conflict.apart] A term with MICA_CHANGED
// or MICA_ADDED conflicts with every term that writes its component, whatever the
// rows. [conflict.changed] Writes the list of conflicts into `text`, truncated to `size` bytes:
// "Position, resource Score, event Hit". [conflict.text] Access to single entities, as with
// mica_get(), is not included. [conflict.single] Returns false on failure: MICA_ERROR_NULL,
// _SYSTEM. [conflict.fail]
MICA_API bool mica_systems_conflict(mica_world *world, mica_system a, mica_system b, char *text,
                                    size_t size);

// Print the schedule of a step, and a table of counts and times. The schedule lists phases and
// systems, and the reads and writes of each system. For each system, it names the earlier systems
// of the phase that conflict with it, and why. In the table, "-" means that timing was off
// (mica_world_set_timing()). [schedule.lines] `stream` is the destination; NULL means standard
// output. They fail like mica_world_print() (mica/debug.h). [schedule.stream]
MICA_API mica_result mica_schedule_print(mica_world *world, const mica_stream *stream);
MICA_API mica_result mica_timings_print(mica_world *world, const mica_stream *stream);

#ifdef __cplusplus
}

MICA_HANDLE_OPERATORS_(mica_system)
#endif

#endif
