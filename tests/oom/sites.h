// Which calls in the library have been refused memory: for sites.sh, which wants to see every one of
// them. With MICA_OOM_SITES set to the name of a file, the callers of every refused allocation are
// listed there, as places in this program. Otherwise, and where the C library cannot tell callers,
// nothing happens.
#ifndef TEST_OOM_SITES_H
#define TEST_OOM_SITES_H

#include "runner/world.h"

// Between test_world_prepare() and test_world_open().
void sites_watch(test_world *t);

#endif
