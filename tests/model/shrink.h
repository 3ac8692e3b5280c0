// Cutting a failing tape down: first whole stretches are left out, then single operations, then the
// numbers are made smaller, as long as it still fails.
#ifndef TEST_MODEL_SHRINK_H
#define TEST_MODEL_SHRINK_H

#include "model/tape.h"

enum { SHRINK_SAID_SIZE = 512 };

// Is there fork()? Without it, everything is a failure.
#ifdef _WIN32
enum { SHRINK_WORKS = 0 };
#else
enum { SHRINK_WORKS = 1 };
#endif

// Runs something in a process of its own, so that one that aborts, crashes or is stopped by a
// sanitizer is a failure like any other. What it prints is put into `said`; saying anything, or
// dying, is failing. Returns whether it failed.
bool shrink_try(void (*run)(const void *user), const void *user, bool quiet,
                char said[SHRINK_SAID_SIZE]);

// Runs a tape like that.
bool shrink_try_tape(const tape_op *tape, uint32_t count, bool quiet, char said[SHRINK_SAID_SIZE]);

// Shrinks a failing tape in place, and returns how many operations are left; `said` is what it says
// then. `trials_out` counts the tapes that were tried.
uint32_t shrink_tape(tape_op *tape, uint32_t count, char said[SHRINK_SAID_SIZE],
                     uint32_t *trials_out);

#endif
