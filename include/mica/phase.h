// Phases: the stages of a step, which run one after the other. Every world has one phase at first,
// "update", for systems that name no other.
//
//   mica_phase physics = mica_phase_add(world, &(mica_phase_desc){
//       .name = "physics", .fixed_dt = 1.0 / 120, .before = mica_phase_find(world, "update")});
//   mica_system_add(world, &(mica_system_desc){.name = "fall", .phase = physics, ...});
//
// An ordinary phase runs once in every step. A phase with a fixed time step runs as often as that
// fits into the elapsed time. In some steps it does not run, in others several times. Its `dt` is
// always the same, and its `time` is the sum of its own earlier runs. [phase.fixed] After each run
// of a phase, the commands that its systems recorded are applied. [phase.commands]
//
// mica_step() does not run manual phases. [phase.manual] The program runs them with
// mica_phases_run(), which takes a list. So an array of manual phases is a schedule, and a world
// can have any number of schedules:
//
//   const mica_phase turn[] = {move, fight, score}; // .manual = true
//   if (key_pressed) { mica_phases_run(world, turn, 3, 1); }
#ifndef MICA_PHASE_H
#define MICA_PHASE_H

#include <mica/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_phase {
    uint64_t bits; // private; 0: the null handle
    MICA_HANDLE_BOOL_
} mica_phase;

// Zero is the default of every field.
typedef struct mica_phase_desc {
    uint32_t first_zero; // must be 0

    const char *name;  // required, unique among the world's phases; copied
    mica_phase before; // runs right before this phase; null handle: after all others

    double fixed_dt;   // fixed time step, in the unit of mica_step(); 0: the `dt` of the step
    uint32_t max_runs; // fixed time step: most runs per step; default: 8. Time beyond is lost

    // mica_step() does not run this phase, only mica_phases_run().
    bool manual;

    uint32_t last_zero; // must be 0
} mica_phase_desc;

// Adds a phase. Returns the null handle on failure: MICA_ERROR_NULL, _DESC, _NAME, _MEMORY, or
// _PHASE if `before` is not of this world. Fails with _ARGUMENT if the time step is negative, not a
// number or too large for a float. It also fails with _ARGUMENT if `max_runs` is set without a
// fixed time step, and for a manual phase with one. [phase.add_fail] Phases can be added, removed
// and moved only between steps: otherwise MICA_ERROR_ITERATING. [phase.between_steps] O(phases that
// run after it). [phase.add_cost]
MICA_API mica_phase mica_phase_add(mica_world *world, const mica_phase_desc *desc);

// Removes a phase that has no systems. Fails with MICA_ERROR_ARGUMENT if it has systems, and for
// "update", which cannot be removed. [phase.remove] Fails with MICA_ERROR_PHASE for null, removed
// and foreign handles, and with MICA_ERROR_NULL, _ITERATING. [phase.remove_fail] O(phases that run
// after it). [phase.remove_cost]
MICA_API mica_result mica_phase_remove(mica_world *world, mica_phase phase);

// Moves a phase right before another one, or, for the null handle, after all others. [phase.move]
// Fails with MICA_ERROR_ORDER if this would break the order that a system asks for
// (mica_system_desc.before, .after). [phase.move_order] Fails with MICA_ERROR_NULL, _PHASE,
// _ITERATING, _MEMORY. [phase.move_fail] O(phases and systems). [phase.move_cost]
MICA_API mica_result mica_phase_move(mica_world *world, mica_phase phase, mica_phase before);

// Returns the phase with that name, or the null handle, without an error, if there is no such
// phase. Fails with MICA_ERROR_NULL. [phase.find]
MICA_API mica_phase mica_phase_find(mica_world *world, const char *name);

// Runs these phases now, in the order of the list. Each runs its systems as in a step, with this
// `dt`, and then applies the commands that they recorded. A phase that is listed twice runs
// twice. [phases.run] Any phase may be listed, manual or not. The `time` of a manual phase is the
// sum of `dt` of its own earlier runs, without those that failed. Images contain
// it. [phases.manual_time] The `time` of other phases is the sum of all earlier steps. For a phase
// with a fixed time step, these runs do not count: its own time does not
// change. [phases.other_time]
//
// This is not a step. The time of the world does not advance, and no frame ends: events stay, and
// frame memory stays valid. If a program runs all its phases like this, mica_step(world, 0) ends a
// frame. [phases.frame] Change detection, timings, traces and statistics count these runs like
// those in steps. [phases.counted]
//
// All handles are checked before the first phase runs: fails with MICA_ERROR_PHASE if one is null,
// removed or foreign. Fails with MICA_ERROR_NULL, and with the errors of mica_step(). [phases.fail]
// If a phase fails, or its commands cannot all be applied, the later ones do not run; the earlier
// ones are not undone. [phases.stop] A count of 0 does nothing. [phases.none]
MICA_API mica_result mica_phases_run(mica_world *world, const mica_phase *phases, uint32_t count,
                                     double dt);

// For a phase with a fixed time step, returns how much of its next time step has elapsed: from 0 to
// less than 1. Use it to interpolate between the last two states for drawing. [phase.progress]
// Inside a step, includes the runs of this step so far. [phase.progress_step] Returns 0 for other
// phases, and on failure: MICA_ERROR_NULL, _PHASE. [phase.progress_fail]
MICA_API double mica_phase_progress(mica_world *world, mica_phase phase);

#ifdef __cplusplus
}

MICA_HANDLE_OPERATORS_(mica_phase)
#endif

#endif
