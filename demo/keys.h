// What keys do, wherever they are pressed.
#ifndef KEYS_H
#define KEYS_H

#include "flock.h"
#include "screen.h"

// What the usage text, the terminal and the window's title say about them.
#define KEYS_SHORT                                                                                 \
    "space pause, . one frame, , one back, r rewind, + - more, fewer birds, s other storage, t threads, q quit"

typedef struct keys {
    bool paused, step, rewind, leave;
    double frame_ms; // to simulate a frame, about
    double back_ms;  // to restore a snapshot
} keys;

static inline void keys_measure(double *ms, double began)
{
    double took = (screen_seconds() - began) * 1000;
    *ms = *ms > 0 ? 0.9 * *ms + 0.1 * took : took;
}

static inline bool keys_back(keys *k, flock *f)
{
    double began = screen_seconds();
    bool went = flock_go(f, -1);
    if (went) {
        keys_measure(&k->back_ms, began);
    }
    return went;
}

static inline void keys_press(keys *k, flock *f, int key)
{
    uint32_t tenth = mica_query_count(f->world, f->birds) / 10 + 1;
    switch (key) {
    case ' ':
        k->paused = !k->paused;
        k->rewind = false;
        break;
    case '.':
        k->paused = k->step = true;
        k->rewind = false;
        break;
    case ',':
        k->paused = true;
        k->rewind = false;
        (void)keys_back(k, f);
        break;
    case 'r':
        k->rewind = !k->rewind;
        k->paused = true;
        break;
    case '+': flock_add(f, tenth); break;
    case '-': flock_remove(f, tenth); break;
    case 's': (void)flock_switch_storage(f); break;
    case 't': (void)flock_change_threads(f); break;
    case 'q':
    case 3: // control and c, where it is not a signal
    case 27: k->leave = true; break;
    default: break;
    }
}

// Plays a frame, backward while it rewinds; or none. Returns false on failure, which has been reported.
static inline bool keys_play(keys *k, flock *f, double dt)
{
    double began = screen_seconds();
    bool good = true;
    if (k->rewind) {
        k->rewind = keys_back(k, f); // it stays paused at the beginning
    } else if (!k->paused || (k->step && !flock_go(f, 1))) {
        good = flock_step(f, dt) == MICA_OK;
        keys_measure(&k->frame_ms, began);
    }
    k->step = false;
    return good;
}

#endif
