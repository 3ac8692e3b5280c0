// What is called in a hook of a type.
#ifndef TEST_RUNNER_HOOKED_H
#define TEST_RUNNER_HOOKED_H

#include "runner/world.h"

typedef void test_act(void *user);

// Has `act` called while a construct hook runs; in there, this many errors must be reported, the last of
// them MICA_ERROR_HOOK. A type, "Hooked", stays.
void test_check_hook(test_world *t, mica_world *world, test_act *act, void *user, uint32_t errors);

#endif
