// What keys do, wherever they are pressed.
#ifndef KEYS_H
#define KEYS_H

#include "flock.h"

// What the usage text, the terminal and the window's title say about them.
#define KEYS_SHORT "space pause, . one frame, + - more, fewer birds, s other storage, q quit"

typedef struct keys {
    bool paused, step, leave;
} keys;

static inline void keys_press(keys *k, flock *f, int key)
{
    uint32_t tenth = mica_query_count(f->world, f->birds) / 10 + 1;
    switch (key) {
    case ' ': k->paused = !k->paused; break;
    case '.': k->paused = k->step = true; break;
    case '+': flock_add(f, tenth); break;
    case '-': flock_remove(f, tenth); break;
    case 's': (void)flock_switch_storage(f); break;
    case 'q':
    case 3: // control and c, where it is not a signal
    case 27: k->leave = true; break;
    default: break;
    }
}

// Is the next frame to be simulated?
static inline bool keys_runs(keys *k)
{
    bool runs = !k->paused || k->step;
    k->step = false;
    return runs;
}

#endif
