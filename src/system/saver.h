// The time of fixed phases, and what systems have read and when they last ran, for images.
//
// Room:    system. Called by image/.
#ifndef MICAI_SYSTEM_SAVER_H
#define MICAI_SYSTEM_SAVER_H

#include "core/archive.h"

extern const micai_saver micai_system_saver;

#endif
