// Systems: functions that a step runs, each over its query.
//
//   static void move(mica_iter *it) { ... }
//   mica_system_add(world, &(mica_system_desc){
//       .name = "move", .update = move,
//       .query.terms = {{position, MICA_WRITE}, {velocity, MICA_READ}}});
//   mica_step(world, 1.0 / 60);
//
// Phases run in their order (mica/phase.h), and the systems of a phase in the order they were added in,
// unless they name others to run before or after.
#ifndef MICA_SYSTEM_H
#define MICA_SYSTEM_H

#include <mica/phase.h>
#include <mica/query.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_system {
    uint64_t bits; // private; 0 is none
    MICA_HANDLE_BOOL_
} mica_system;

// Returns the null handle. [system.none]
MICA_INLINE mica_system mica_system_none(void)
{
    mica_system none = {0};
    return none;
}

// Returns true for the null handle. [system.is_none]
MICA_INLINE bool mica_system_is_none(mica_system system)
{
    return system.bits == 0;
}

// Returns true if both are the same handle. [system.equal]
MICA_INLINE bool mica_system_equal(mica_system a, mica_system b)
{
    return a.bits == b.bits;
}

// What a system does. Structural changes are refused inside, with a sentence that names the system and the
// call, unless they are recorded for later: mica/command.h. The iteration is the step's: a system may
// begin others, which it has to end, but neither advance nor end its own (MICA_ERROR_ITERATOR).
typedef void mica_update_fn(mica_iter *it);
typedef bool mica_condition_fn(const mica_iter *it);

enum { MICA_SYSTEM_QUERIES_MAX = 8, MICA_SYSTEM_USES_MAX = 16, MICA_SYSTEM_ORDER_MAX = 8 };

// Zero is the default of every field. Lists end with the first that is all zero; nothing may follow that.
typedef struct mica_system_desc {
    uint32_t first_zero; // must be 0: catches a descriptor that was not zeroed

    const char *name;       // required, unique among the world's systems; copied
    mica_update_fn *update; // required. Called once per segment of the query
    mica_query_desc query;  // all zero: none. Then update is called once, whatever is in the world
    void *user;             // the system's own state: it->user

    // Called before the first update, and after the last, of each run, also where nothing matches; and
    // before those, to ask whether it is to run at all this time. They have no rows: it->count is 0. NULL:
    // none, and to run each time.
    mica_update_fn *begin;
    mica_update_fn *end;
    mica_condition_fn *when;

    // What else it reaches. While it runs, all others are refused: MICA_ERROR_UNDECLARED, whoever
    // uses them, but for observers and error handlers. [system.undeclared] Single entities are
    // reached freely, as by mica_get(), and so is who matches a query, as by
    // mica_query_count(). [system.entities] Functions that it records with mica_call() are not
    // asked when they are called; an event that it records is when that is recorded. [system.calls]
    mica_query queries[MICA_SYSTEM_QUERIES_MAX]; // that it iterates itself
    mica_term resources[MICA_SYSTEM_USES_MAX];   // MICA_READ, or MICA_WRITE, which is both
    mica_term events[MICA_SYSTEM_USES_MAX];      // MICA_READ, or MICA_WRITE, which is to send

    mica_phase phase;                          // none: "update"
    mica_system before[MICA_SYSTEM_ORDER_MAX]; // systems that run after this one,
    mica_system after[MICA_SYSTEM_ORDER_MAX];  // and before it

    bool disabled; // not to run until it is enabled

    // The commands that the systems before it have recorded in this phase are carried out before it
    // runs. Without this, when the phase has run.
    bool replay_first;

    uint32_t last_zero; // must be 0
} mica_system_desc;

// None on failure: MICA_ERROR_NULL, _DESC, _NAME, _ITERATING, those of mica_query_new(); _QUERY,
// _TYPE, _PHASE, _SYSTEM for what it names and is not of this world; _ARGUMENT for another access
// of resources and events, for a query, resource or event that is listed twice (events once to read
// and once to send), for the own query of a system or an observer, and for a list with a gap; _SIZE
// for a resource or event that is a tag; _ORDER, if it cannot run after and before those it
// names. [system.add_fail] Systems run in the order of addition: a new one comes last in its phase,
// or else right before the first of `before`. [system.order] Those it names may be removed later;
// then they are not asked. [system.named] With `before`, it takes time in proportion to the number
// of systems of the phase. [system.add_cost]
MICA_API mica_system mica_system_add(mica_world *world, const mica_system_desc *desc);

// Takes a system out. [system.remove] MICA_ERROR_SYSTEM for none, removed or foreign ones;
// MICA_ERROR_ITERATING during a step, and, as for adding one, while commands are carried
// out. [system.remove_fail]
MICA_API mica_result mica_system_remove(mica_world *world, mica_system system);

// Makes it run in that phase (none: "update"), right before that system of it (none:
// last). [system.move] MICA_ERROR_ORDER, if it, or one that names it, were then on the wrong side;
// MICA_ERROR_ARGUMENT, if the other is itself, or not of that phase. [system.move_order]
// MICA_ERROR_NULL, _SYSTEM, _PHASE. [system.move_fail] Between steps, as
// removing. [system.move_when] Takes time in proportion to the number of
// systems. [system.move_cost]
MICA_API mica_result mica_system_move(mica_world *world, mica_system system, mica_phase phase,
                                      mica_system before);

// The system of that name; none, silently, if there is none. MICA_ERROR_NULL. [system.find]
MICA_API mica_system mica_system_find(mica_world *world, const char *name);

// Makes steps run it or not. [system.enable] At any time, also from a system, itself or another:
// that counts from the next run on, which may be in the same step. [system.enable_when] Not from
// hooks and error handlers: MICA_ERROR_HOOK, _HANDLER. [system.enable_hook] MICA_ERROR_NULL,
// _SYSTEM, and false. [system.enable_fail]
MICA_API mica_result mica_system_enable(mica_world *world, mica_system system);
MICA_API mica_result mica_system_disable(mica_world *world, mica_system system);
MICA_API bool mica_system_is_enabled(mica_world *world, mica_system system);

// Runs one system by hand, enabled or not, whatever its condition says, with this `dt` and the time
// of all steps before, whatever its phase; then carries out the commands that it has
// recorded. [system.run] Neither time nor frames go on. [system.run_time] The failures are those of
// mica_step(), and MICA_ERROR_SYSTEM. [system.run_fail]
MICA_API mica_result mica_system_run(mica_world *world, mica_system system, double dt);

// Called from a system: it has failed. The step ends when the function returns, and none that would
// come after is called, the system's own `end` included; mica_step() returns MICA_ERROR_FAILED,
// with this sentence: "mica_step: system 'load': no such level". [system.fail] What was done until
// then stays done, what was recorded is carried out, and iterations that it left open are
// ended. [system.fail_done] Later calls in the same run say nothing. [system.fail_again]
// MICA_ERROR_ITERATOR, if this is not a system's own iteration;
// MICA_ERROR_NULL. [system.fail_iterator]
MICA_API mica_result mica_system_fail(const mica_iter *it, const char *format, ...)
    MICA_PRINTF(2, 3);

// Runs every phase, and in it every system that is enabled, and carries out the commands that they
// have recorded. [step.runs] `dt` is what the iterations of systems give as `dt`, in phases without
// a time step of their own; the sum of those of all steps before is what they give as
// `time`. [step.time] A step whose systems do not all run does not count: time does not go on, in
// no phase. [step.stopped]
//
// MICA_ERROR_ARGUMENT if dt is negative, not a number, or more than a float can hold. [step.dt]
// MICA_ERROR_ITERATING inside a step or an iteration, or while commands are carried out; and,
// naming the system, after one that left an iteration open: that is ended, and the systems behind
// it do not run. [step.iterating] MICA_ERROR_FAILED, if a system says so. [step.failed]
// MICA_ERROR_MEMORY, MICA_ERROR_LIMIT, also if not all commands could be carried out:
// mica/command.h. [step.memory] An update that is left by longjmp() or an exception leaves the step
// unfinished: mica_world_end_iterations(). [step.left]
MICA_API mica_result mica_step(mica_world *world, double dt);

typedef struct mica_system_stats {
    const char *name; // until it is removed
    mica_phase phase;
    uint64_t runs;     // ever
    uint64_t skipped;  // times that its condition was false
    uint64_t segments; // that update was called for, and their rows; none without a query
    uint64_t rows;
    uint64_t timed;   // runs, ever, while timing was on
    uint64_t last_ns; // how long the last of those took, and all of them
    uint64_t total_ns;
} mica_system_stats;

// Zeroes on failure: MICA_ERROR_NULL, _SYSTEM. [system.stats_fail]
MICA_API mica_system_stats mica_system_get_stats(mica_world *world, mica_system system);

// Switches on that runs are timed, which takes one look at the clock per system; or off, as it is
// at first. [timing.clock] Between steps: MICA_ERROR_ITERATING. MICA_ERROR_NULL,
// _MEMORY. [timing.fail]
MICA_API mica_result mica_world_set_timing(mica_world *world, bool on);

// Returns true if the order of two systems matters: one writes a component, resource or event that
// the other reads or writes. [conflict.write] Queries that can never match the same row, because
// one needs what the other excludes, do not conflict. [conflict.apart] A term with MICA_CHANGED or
// MICA_ADDED conflicts with every term that writes its component, whatever the
// rows. [conflict.changed] Writes the list of conflicts into `text`, cut to `size` bytes:
// "Position, resource Score, event Hit". [conflict.text] How systems access single entities, as
// with mica_get(), is not known. [conflict.single] False on failure: MICA_ERROR_NULL,
// _SYSTEM. [conflict.fail]
MICA_API bool mica_systems_conflict(mica_world *world, mica_system a, mica_system b, char *text,
                                    size_t size);

// The plan of a step, a line per phase and per system, with what it reads and writes, and those
// before it in its phase that it conflicts with, and on what; and a table of what has been counted
// and timed ("-": it was not, mica_world_set_timing()). [schedule.lines] To standard output, to a
// file, into a text, and with the failures, as mica_world_print() and its kin (mica/debug.h);
// MICA_ERROR_NULL for no world, too. [schedule.forms]
MICA_API void mica_schedule_print(mica_world *world);
MICA_API mica_result mica_schedule_fprint(mica_world *world, FILE *file);
MICA_API size_t mica_schedule_snprint(mica_world *world, char *text, size_t size);
MICA_API void mica_timings_print(mica_world *world);
MICA_API mica_result mica_timings_fprint(mica_world *world, FILE *file);
MICA_API size_t mica_timings_snprint(mica_world *world, char *text, size_t size);

#ifdef __cplusplus
}

MICA_HANDLE_OPERATORS_(mica_system)
#endif

#endif
