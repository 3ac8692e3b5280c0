// Somewhere to watch a flock and press keys: the terminal (screen.c), or a window (window.c).
#ifndef SCREEN_H
#define SCREEN_H

#include "flock.h"

// Seconds since some moment.
double screen_seconds(void);

bool screen_is_there(void);

// Runs the flock until the user quits, or for so many frames (0: no limit). False on failure,
// which has been reported.
bool screen_run(flock *f, uint32_t frames);

#endif
