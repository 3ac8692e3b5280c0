// Threads: systems that run on several threads, with the same result on any number of them.
//
//   static void move(mica_iter *it) { ... }
//   mica_system_add(world, &(mica_system_desc){
//       .name = "move", .update = move, .run = MICA_PARALLEL,
//       .query.terms = {{position, MICA_WRITE}, {velocity, MICA_READ}}});
//   mica_world_start_workers(world, 0);
//   mica_step(world, 1.0 / 60);
//
//   MICA_ALONE       the default: the system runs by itself, on the thread that steps
//   MICA_PARALLEL    its rows are divided into batches, which threads run at the same time
//   MICA_CONCURRENT  it is one batch: its functions are called as always, but beside other systems
//
// Consecutive systems of a phase that do not access the same data form a *wave*, and run together.
// mica_schedule_print() shows the waves. Batches and waves follow from declarations and data, never
// from threads. So a step has the same result with 1 worker and with 64: entities, handles, values,
// order of commands, errors. [thread.same] A wave with little work runs on the calling thread, and
// wakes no worker. [thread.small]
//
// In parallel and concurrent systems:
// - `it->world` is a recording world, the one that mica_later(it) returns: mica/command.h. Changes
//   of entities, toggles and events are applied as for other systems, in the order of systems,
//   batches and rows. [thread.commands]
// - The main world is closed: calls with it fail with MICA_ERROR_ITERATING, but
//   mica_alive() may answer. [thread.main]
// - Values of the system's rows are read and written with `it`. No other value can be written
//   through a pointer: mica_get_mut() and mica_accessor_get_mut() fail with
//   MICA_ERROR_RECORDING. [thread.write] So does what cannot be recorded, such as reading with a
//   named cursor. [thread.record] mica_enable() and mica_disable() are recorded; those of accessors
//   fail with MICA_ERROR_ITERATING. [thread.toggle]
// - mica_get(), mica_try_get() and MICA_LOAD(), with `it->world`, read components that `.others`
//   declares, of any entity. Others fail with MICA_ERROR_UNDECLARED. [thread.others]
// - Accessors of the main world read the same, and are the fastest way. They fail with
//   MICA_ERROR_UNDECLARED for a component that a system of the wave writes. [thread.accessor]
// - mica_alive(), mica_has(), mica_entity_name() and the like work for any entity. Questions about
//   matches, as with mica_query_count(), need a declared query: MICA_ERROR_UNDECLARED. [thread.has]
// - Declared resources and events can be read. A concurrent system may write
//   resources. [thread.resources] Each batch of a parallel system reads all its
//   events. [thread.events]
// - Reading the world as a whole, as with mica_world_hash(), fails with
//   MICA_ERROR_ITERATING. [thread.whole]
//
// `when`, `begin` and `end` of such a system run as in other systems: alone, on the main
// world. [thread.rowless]
//
// Hooks of types and the world's allocator run on workers. The allocator need not be thread-safe
// for that: calls from one world are made one at a time. [thread.allocator] Errors reach the error
// handler after the wave, on the calling thread, in the order of systems and batches; the last
// eight of a batch. [thread.errors] Those of accessors and of calls with the main world come before
// them, ordered by their text; the first eight of a wave. [thread.main_errors] If mica_system_fail() is called, the rest of
// that batch is left out, and the other batches of the wave run. The first failure ends the
// step, and is its last error. [thread.fail]
#ifndef MICA_THREAD_H
#define MICA_THREAD_H

#include <mica/system.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MICA_THREADS_MAX = 256 };

// Starts workers, so that `threads` threads run systems, including the one that calls
// mica_step(). [workers.start] 0: as many as the machine has cores. [workers.cores] 1: stops all
// workers. [workers.stop] Workers sleep between steps. [workers.sleep] Freeing the world stops
// them. [workers.free] If the system refuses a thread, fails with MICA_ERROR_THREAD and starts
// none; steps then use the calling thread alone. [workers.start_fail] Also fails with
// MICA_ERROR_NULL, _MEMORY, with _ITERATING during iteration and while commands wait, and with
// _ARGUMENT for more than MICA_THREADS_MAX. [workers.fail] A library without threads
// (MICA_NO_THREADS, wasm) starts none and succeeds. [workers.none]
MICA_API mica_result mica_world_start_workers(mica_world *world, uint32_t threads);

// Returns how many threads run systems, including the calling one. [workers.count] Fails with
// MICA_ERROR_NULL, and returns 0. [workers.count_fail]
MICA_API uint32_t mica_world_worker_count(mica_world *world);

// Uses the threads of an engine instead. mica calls `run`, which calls work(data, number) for each
// number from 0 to count - 1, and returns when all these calls have returned. It may make them on
// any threads, at the same time or in turn, in any order. [workers.own]
typedef void mica_work_fn(void *data, uint32_t number);
typedef struct mica_workers {
    void (*run)(void *user, mica_work_fn *work, void *data, uint32_t count);
    void *user;
    uint32_t count; // how many calls may run at the same time, 1 to MICA_THREADS_MAX
} mica_workers;

// Ends their use if `workers` is NULL. [workers.own_none] In both cases, stops workers of
// mica_world_start_workers(). [workers.own_stops] Fails like that function; also with
// MICA_ERROR_NULL if `run` is NULL, and with _ARGUMENT for a count of 0. [workers.own_fail]
MICA_API mica_result mica_world_use_workers(mica_world *world, const mica_workers *workers);

// Returns the number of the batch. Each run of a system counts from 0. [batch.number] The
// matches of a query with .of are one batch. [batch.of] Returns 0 in
// other iterations. [batch.none] Fails with MICA_ERROR_ITERATOR, and returns 0. [batch.fail]
MICA_API uint32_t mica_batch(const mica_iter *it);

// Returns a seed for random numbers. It follows from the system's name, the number of the batch and
// the world's tick, not from threads. [batch.seed] All segments of a batch have the same seed, so
// combine it with the entity. Fails with MICA_ERROR_ITERATOR, and returns 0. [batch.seed_fail]
MICA_API uint64_t mica_batch_seed(const mica_iter *it);

// Returns the batch's own value of the type that `.reduce.into` names, to add to. It begins as the
// default of the type. [reduce.value] After the wave, the resource is set to the default, and
// `.reduce.combine` is called with it and the value of each batch, in the order of batches. So sums
// of floats do not depend on threads. [reduce.combine] Returns NULL, and fails with
// MICA_ERROR_ITERATOR, outside of updates of a system with `.reduce`. [reduce.fail]
MICA_API void *mica_reduce(const mica_iter *it);

// For tests: delays workers and runs batches in another order, also on one thread. 0: ends
// this. [shuffle.order] If the result is not the same, a system depends on more than it declares.
// Fails with MICA_ERROR_NULL, _ITERATING, _MEMORY. [shuffle.fail]
MICA_API mica_result mica_world_shuffle_workers(mica_world *world, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
