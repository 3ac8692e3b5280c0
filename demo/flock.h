// A flock of birds, the hawks that hunt them, and their food: the simulation behind `make demo`. It does not draw;
// demo/picture.c makes pictures from its queries.
#ifndef FLOCK_H
#define FLOCK_H

#include <mica.h>

// The plain they live on, in metres. What leaves it on one side comes back on the other.
enum { FLOCK_WIDTH = 1600, FLOCK_HEIGHT = 900, FLOCK_CELL = 8 };

typedef struct {
    float x, y;
} Position;

typedef struct {
    float x, y; // metres per second
} Velocity;

typedef struct {
    float left; // below 0: starved; above 2: enough for two
} Energy;

typedef struct {
    float seconds; // left, while it is enabled
} Panic;

typedef struct {
    uint32_t catches;
} Hawk;

typedef struct {
    float radius;
} Rock;

// Counts that the simulation keeps.
typedef struct {
    uint32_t birds, panicking, born, starved, caught;
} Census;

// A frame to which the flock can go back.
typedef struct flock_moment {
    mica_snapshot snapshot;
    uint32_t frame;
} flock_moment;

enum { FLOCK_MOMENTS = 4096 };

typedef struct flock {
    mica_world *world;
    mica_type position, velocity, energy, panic, leader, hawk, rock; // components
    mica_type grid, census;                                          // resources
    mica_type caught;                                                // events
    mica_query birds;   // position, velocity, panic if it is enabled
    mica_query leaders; // position
    mica_query hawks;   // position
    mica_query rocks;   // position, rock
    uint64_t random;    // goes back and forth with the world, as does the frame
    uint32_t frame;
    flock_moment moments[FLOCK_MOMENTS]; // the oldest first
    uint32_t moment_count;
    uint32_t moment_now; // the one that was taken or restored last
} flock;

// False, if there is no memory.
bool flock_begin(flock *f, uint32_t birds);
void flock_end(flock *f);

// One frame of the simulation. It ends with a snapshot, which drops those of another future.
mica_result flock_step(flock *f, double dt);

// Restores an earlier snapshot (-1), or a later one (1). Returns false if there is no such snapshot.
bool flock_go(flock *f, int by);

// The frame of the newest snapshot.
static inline uint32_t flock_last_frame(const flock *f)
{
    return f->moment_count > 0 ? f->moments[f->moment_count - 1].frame : f->frame;
}

// Brings more birds, or takes some away.
void flock_add(flock *f, uint32_t birds);
void flock_remove(flock *f, uint32_t birds);

// Stores the birds' velocities in another way; which one it is, in a word.
mica_result flock_switch_storage(flock *f);
const char *flock_storage(flock *f);

// Sets the number of threads; 0: as many as the machine has cores. Whatever it is, the flock stays the same, which
// mica_world_digest() shows. The second one goes from 1 to 2, 4, 8, and back to 1.
mica_result flock_set_threads(flock *f, uint32_t threads);
mica_result flock_change_threads(flock *f);
uint32_t flock_threads(flock *f);

#endif
