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

typedef struct flock {
    mica_world *world;
    mica_type position, velocity, energy, panic, leader, hawk, rock; // components
    mica_type grid, census;                                          // resources
    mica_type caught;                                                // events
    mica_query birds;   // position, velocity, panic if it is enabled
    mica_query leaders; // position
    mica_query hawks;   // position
    mica_query rocks;   // position, rock
    mica_accessor panics;
    uint64_t random;
} flock;

// False, if there is no memory.
bool flock_begin(flock *f, uint32_t birds);
void flock_end(flock *f);

// One frame of the simulation.
mica_result flock_step(flock *f, double dt);

// Brings more birds, or takes some away.
void flock_add(flock *f, uint32_t birds);
void flock_remove(flock *f, uint32_t birds);

// Stores the birds' velocities in another way; which one it is, in a word.
mica_result flock_switch_storage(flock *f);
const char *flock_storage(flock *f);

#endif
