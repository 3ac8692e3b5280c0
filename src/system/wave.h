// Waves: consecutive systems that run together, on several threads.
//
// Room:    system. Used only by programs that have such systems: mica_use_waves_(), mica_world_start_workers().
//
//   systems of the wave     | move                  | aim     | log |
//   batches                 | 0 | 1 | 2 | 3 | 4     | 0 | 1   | 0   |      taken from the left, by any worker
//   workers                 main    thread 1   thread 2 ...
//
// A wave has five parts. 1. It is *opened* on the calling thread: batches are cut, slots are divided into lanes,
// and the main world is closed. 2. Workers take batches and run them. 3. The world is opened again. 4. The
// results of batches are *joined*, in their order: errors, slots, commands, sums. 5. The first failure, in that
// order, becomes the wave's.
//
// Each worker has a copy of the world's state (state/state.h). The copy shares all memory that the state points to. What
// changes in a wave is the worker's own: open iterations, the gate, the declarations of the running system, recorded
// commands, free slots. So code of other rooms that runs on a worker is the same as elsewhere. The worker's `face` is
// the main world of its copy; systems get the recording world of that.
//
// Nothing depends on which worker runs a batch: a batch begins with the same state wherever it runs, and leaves what
// it has done in `micai_wave_batch`.
//
// Invariants, swept by micai_waves_validate(), between waves:
//   Y6  No batch runs, and no worker has an open iteration, a waiting command, or memory that its host
//       counts. Each worker's face belongs to its copy, and the copy to the world. The world is not closed.
#ifndef MICAI_SYSTEM_WAVE_H
#define MICAI_SYSTEM_WAVE_H

#include <mica/thread.h>

#include "base/thread.h"
#include "command/command.h"
#include "system/system.h"

// Rows of a batch, unless the system says otherwise. There are 64 batches at most then.
#define MICAI_BATCH_ROWS 8192u
#define MICAI_BATCHES 64u
#define MICAI_BATCHES_MAX 65536u // of a system; it has larger ones then

typedef struct micai_waves micai_waves;
typedef struct micai_step_run micai_step_run;

// A system of the wave that runs.
typedef struct micai_wave_system {
    micai_system *one;
    uint32_t first_batch;
    uint32_t batch_count;
    unsigned char *sums; // a value of each batch, for mica_reduce(); NULL: none
    micai_position read[MICA_SYSTEM_USES_MAX]; // how far its batches have read events
} micai_wave_system;

typedef struct micai_wave_batch {
    uint32_t system; // in the wave
    micai_query_part part;
    micai_lane lane;
    uint32_t worker; // that has run it
    uint32_t first;  // its commands in the worker's buffer
    uint32_t end;
    uint32_t error_count; // of its errors; the last eight are kept
    mica_result result;
    uint64_t segments;
    uint64_t rows;
    uint64_t began_ns; // 0: not measured
    uint64_t ended_ns;
} micai_wave_batch;

#define MICAI_BATCH_ERRORS 8u

typedef struct micai_batch_error {
    uint32_t batch;
    uint32_t number; // in the batch
    mica_error error;
} micai_batch_error;

typedef struct micai_worker {
    mica_world face; // the main world of its copy
    micai_state *copy;
    mica_world *recording; // the world that systems get
    micai_waves *waves;
    micai_wave_batch *batch; // the running one; NULL: none
    bool failed;             // its system has called mica_system_fail()
    uint32_t number;
    uint32_t prepared;       // the wave for which it is prepared
    uint32_t copied;         // the copy of the state that it has: waves->copies
    micai_declared declared; // of the running system, with its own positions in events
    MICAI_ARRAY(micai_batch_error) errors;
    micai_arena frame; // of mica_frame_alloc()
    micai_thread thread;
} micai_worker;

// What other files of the room call. They call it like this so that only programs that may have waves link it.
typedef struct micai_wave_functions {
    // Take over and check what a new system declares, before its query exists and after.
    mica_result (*declare)(mica_world *world, const char *call, const mica_system_desc *desc,
                           micai_system *one);
    mica_result (*check)(mica_world *world, const char *call, const mica_system_desc *desc,
                         const micai_system *one);
    // Runs the wave that begins with a system, and passes out its last system. NULL: runs only this one.
    mica_result (*run)(micai_step_run *r, micai_waves *waves, micai_system *one,
                       micai_system **last_out);
    // Ends the frames of workers, which then sleep.
    void (*rest)(micai_waves *waves);
} micai_wave_functions;

struct micai_waves {
    const micai_wave_functions *functions;
    mica_world *world;
    micai_state *state;  // the world's
    micai_state *closed; // takes its place during a wave, and has nothing
    micai_lock lock;     // for the allocator, and for errors of the main world
    bool has_lock;
    bool threads;     // its own threads run
    uint32_t count;   // workers, at least 1. The first runs on the calling thread
    mica_workers own; // of the engine; run is NULL: none
    uint64_t shuffle; // 0: batches are taken in their order
    MICAI_ARRAY(micai_worker *) workers;

    // the wave
    micai_step_run *run;
    MICAI_ARRAY(micai_wave_system) systems;
    MICAI_ARRAY(micai_wave_batch) batches;
    MICAI_ARRAY(uint32_t) order;           // shuffled numbers of batches
    mica_error errors[MICAI_BATCH_ERRORS]; // of the main world and of accessors
    uint32_t error_count;
    micai_arena memory;       // sums
    uint32_t serial;          // number of the wave
    uint32_t copies;          // how often the state had to be copied anew
    const micai_system *last; // of the last wave
    uint64_t last_runs;       // runs of its phase then
    bool measures;            // times of batches are taken
    micai_shared next;        // the next batch to take

    // threads
    micai_shared opened; // how often `open` was set
    micai_shared open;   // 1: batches may be taken
    micai_shared active; // workers that may be taking some
    micai_shared awake;  // 1: a step runs, for which threads wait without sleeping
    micai_shared stop;
    micai_shared sleepers;
    micai_lock bed; // where threads sleep
    bool has_bed;
};

static inline micai_waves *micai_waves_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_WAVES].data;
}

// Returns the data of waves, with one worker, and creates it if needed. Returns NULL with MICA_ERROR_MEMORY.
micai_waves *micai_waves_open(mica_world *world);

// Adds a worker without a thread. Returns false with MICA_ERROR_MEMORY.
bool micai_worker_add(micai_waves *waves);
void micai_worker_remove_last(micai_waves *waves);

// Takes batches and runs them until none is left.
void micai_worker_run(micai_worker *worker);

// Runs all batches: on this thread, on threads, or on those of the engine.
void micai_workers_run(micai_waves *waves, bool alone);

// Joins all threads and removes all workers but the first.
void micai_workers_stop(micai_waves *waves);

// Lets threads sleep. Until then they wait for the next wave without sleeping.
void micai_workers_rest(micai_waves *waves);

// Adds what a worker's host has allocated to the statistics of the world.
void micai_worker_count_memory(micai_worker *worker);

mica_result micai_wave_run(micai_step_run *r, micai_waves *waves, micai_system *one,
                           micai_system **last_out);

mica_result micai_waves_validate(mica_world *world, const void *data);

#endif
