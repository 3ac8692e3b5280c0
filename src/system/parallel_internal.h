// What systems declare that run together with others.
//
// Room:    system, private to it.
#ifndef MICAI_SYSTEM_PARALLEL_INTERNAL_H
#define MICAI_SYSTEM_PARALLEL_INTERNAL_H

#include "system/system.h"

// Take over the fields of a new system, and check them: before its query exists, and after.
mica_result micai_parallel_declare(mica_world *world, const char *call,
                                   const mica_system_desc *desc, micai_system *one);
mica_result micai_parallel_check(mica_world *world, const char *call, const mica_system_desc *desc,
                                 const micai_system *one);

#endif
