// Saves and loads the moments since which queries select changes.
//
// Room:    query. Called by image/.
#ifndef MICAI_QUERY_SAVER_H
#define MICAI_QUERY_SAVER_H

#include "core/archive.h"
#include "state/state.h"

extern const micai_saver micai_query_saver;

#endif
