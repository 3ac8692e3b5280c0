// Validation of the history of a world.
//
// Room:    time. Called by inspect/.
#ifndef MICAI_TIME_VALIDATE_H
#define MICAI_TIME_VALIDATE_H

#include <mica/world.h>

// Fails with MICA_ERROR_CORRUPT. `data` is that of the module.
mica_result micai_history_validate(mica_world *world, const void *data);

#endif
