// Phases: what a step consists of, one after the other. A world has one from the beginning, "update", which
// systems belong to that name no other.
//
//   mica_phase physics = mica_phase_add(world, &(mica_phase_desc){
//       .name = "physics", .fixed_dt = 1.0 / 120, .before = mica_phase_find(world, "update")});
//   mica_system_add(world, &(mica_system_desc){.name = "fall", .phase = physics, ...});
//
// An ordinary phase runs once in every step. One with a time step of its own runs as often as that
// fits into the time that steps have brought: not at all in some, several times in others, always
// with the same `dt`, and with as much `time` as its own runs before have taken. [phase.fixed] When
// a phase has run, the commands that its systems recorded are carried out; of one that runs several
// times, each time. [phase.commands]
#ifndef MICA_PHASE_H
#define MICA_PHASE_H

#include <mica/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_phase {
    uint64_t bits; // private; 0 is none
    MICA_HANDLE_BOOL_
} mica_phase;

// Returns the null handle. [phase.none]
MICA_INLINE mica_phase mica_phase_none(void)
{
    mica_phase none = {0};
    return none;
}

// Returns true for the null handle. [phase.is_none]
MICA_INLINE bool mica_phase_is_none(mica_phase phase)
{
    return phase.bits == 0;
}

// Returns true if both are the same handle. [phase.equal]
MICA_INLINE bool mica_phase_equal(mica_phase a, mica_phase b)
{
    return a.bits == b.bits;
}

// Zero is the default of every field.
typedef struct mica_phase_desc {
    uint32_t first_zero; // must be 0: catches a descriptor that was not zeroed

    const char *name;  // required, unique among the world's phases; copied
    mica_phase before; // it runs right before this one; none: after all there are

    double fixed_dt; // its own time step, in the unit of mica_step(); 0: that of the step
    uint32_t
        max_runs; // of one with a time step of its own, in one step; 0: 8. Time beyond that is lost

    uint32_t last_zero; // must be 0
} mica_phase_desc;

// None on failure: MICA_ERROR_NULL, _DESC, _NAME, _MEMORY; _PHASE, if `before` is not of this
// world; _ARGUMENT, if the time step is negative, not a number or more than a float can hold, or
// `max_runs` is asked for without one. [phase.add_fail] Phases come, go and move between steps:
// MICA_ERROR_ITERATING. [phase.between_steps] Takes time in proportion to the number of phases that
// run after it. [phase.add_cost]
MICA_API mica_phase mica_phase_add(mica_world *world, const mica_phase_desc *desc);

// Takes out a phase that has no systems: MICA_ERROR_ARGUMENT otherwise, and for "update", which
// stays. [phase.remove] MICA_ERROR_PHASE for none, removed or foreign ones. MICA_ERROR_NULL,
// _ITERATING. [phase.remove_fail] Takes time in proportion to the number of phases that run after
// it. [phase.remove_cost]
MICA_API mica_result mica_phase_remove(mica_world *world, mica_phase phase);

// Makes it run right before another; none: after all others. [phase.move] MICA_ERROR_ORDER, if a
// system would then run on the wrong side of one that it names (mica_system_desc.before,
// .after). [phase.move_order] MICA_ERROR_NULL, _PHASE, _ITERATING, _MEMORY. [phase.move_fail] Takes
// time in proportion to the number of phases and systems. [phase.move_cost]
MICA_API mica_result mica_phase_move(mica_world *world, mica_phase phase, mica_phase before);

// The phase of that name; none, silently, if there is none. MICA_ERROR_NULL. [phase.find]
MICA_API mica_phase mica_phase_find(mica_world *world, const char *name);

// How much of its next run a phase with a time step of its own has the time for, from 0 to less
// than 1: what to draw lies so far between the last state and the next. [phase.progress] Inside a
// step, as far as that has come. [phase.progress_step] 0 for others, and on failure:
// MICA_ERROR_NULL, _PHASE. [phase.progress_fail]
MICA_API double mica_phase_progress(mica_world *world, mica_phase phase);

typedef struct mica_phase_stats {
    const char *name; // until it is removed
    uint32_t systems; // in it
    uint64_t runs;    // ever
    double lost;      // time, ever, that was beyond `max_runs`
} mica_phase_stats;

// Zeroes on failure: MICA_ERROR_NULL, _PHASE. [phase.stats_fail]
MICA_API mica_phase_stats mica_phase_get_stats(mica_world *world, mica_phase phase);

#ifdef __cplusplus
}

MICA_HANDLE_OPERATORS_(mica_phase)
#endif

#endif
