// Verifying, for debugging: worlds in which every change must be one that a snapshot finds. verify.c has the
// purpose.
//
// Room:    time. Called by world/, when a world is created.
#ifndef MICAI_TIME_VERIFY_H
#define MICAI_TIME_VERIFY_H

#include "state/state.h"

// Begins to verify. Fails with MICA_ERROR_MEMORY.
mica_result micai_verify_begin(mica_world *world);

#endif
