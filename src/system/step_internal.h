// A step, as its files see it.
//
// Room:    system, private to it. step.c runs systems that run alone, wave.c those that run together.
#ifndef MICAI_SYSTEM_STEP_INTERNAL_H
#define MICAI_SYSTEM_STEP_INTERNAL_H

#include "system/wave.h"

// The data that all runs of a phase share, or that all runs of a list have.
struct micai_step_run {
    mica_world *world;
    micai_systems *all;
    const char *call;
    float dt;
    double time;
    bool ticked;      // the running system has a tick of its own
    micai_walk *walk; // the previous system's walk, left open for the next system; NULL: none
};

// Closes the walk that the previous system left open.
static inline void micai_run_close_walk(micai_step_run *r)
{
    if (r->walk) {
        micai_walk_close(&r->world->state->walks, &r->world->state->gate, r->walk);
        r->walk = NULL;
    }
}

// Calls a function of a system that gets no rows. Without a function, calls the system's condition
// and passes out its answer.
mica_result micai_run_rowless(micai_step_run *r, const micai_system *one, mica_update_fn *function,
                              bool *runs_out);

// Checks that the running system has closed its iterations, whatever its result. Returns MICA_ERROR_ITERATING with a
// report if not, and closes them.
mica_result micai_run_check_walks(mica_world *world, const char *call, const micai_system *one,
                                  uint32_t expected, mica_result result);

#endif
