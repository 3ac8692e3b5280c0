// The time of phases that have a step of their own, for images.
//
// Room:    system. Called by image/.
#ifndef MICAI_SYSTEM_SAVER_H
#define MICAI_SYSTEM_SAVER_H

#include "core/archive.h"

extern const micai_saver micai_system_saver;

#endif
