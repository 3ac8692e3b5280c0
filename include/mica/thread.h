// Threads: systems that run on several threads, with the same result on any number of them.
//
//   static void move(mica_iter *it) { ... }
//   mica_system_add(world, &(mica_system_desc){
//       .name = "move", .update = move, .run = MICA_PARALLEL,
//       .query.terms = {{position, MICA_WRITE}, {velocity, MICA_READ}}});
//   mica_world_start_workers(world, 0);
//   mica_step(world, 1.0 / 60);
//
// `run` says how a system runs: MICA_ALONE, the default, MICA_PARALLEL or MICA_CONCURRENT. Rows of a
// parallel system are divided into batches, which threads run at the same time. A concurrent system
// is one batch: its functions are called as always, but beside other systems. Consecutive systems of
// a phase that do not access the same data form a *wave*, and run together. mica_schedule_print()
// shows the waves, and why a system is not in the wave before it.
//
// Batches and waves follow from what systems declare and from the data, never from threads. So the
// world is the same, byte for byte, after a step with 1 worker and with 64: entities, handles, values,
// order of commands, errors. [thread.same] Small waves run on the calling thread; a step that has
// only these wakes no worker. [thread.small]
//
// In parallel and concurrent systems, `it->world` is a recording world of their own, which mica_later(it)
// returns, too: see mica/command.h. Changes of entities and events that are sent are recorded and
// applied as for other systems, in the order of systems, batches and rows. [thread.commands] The main
// world is closed: calls with it fail with MICA_ERROR_ITERATING. [thread.main]
//
// They reach
// - the rows of their query, through `it`;
// - whether any entity lives, what it has and what it is called: mica_alive(), mica_has() and the
//   like; [thread.has]
// - with mica_get(it->world, ...), mica_try_get() and MICA_LOAD(), components of any entity that
//   `.others` declares. Others fail with MICA_ERROR_UNDECLARED. [thread.others] Accessors read these, too. They
//   are the fastest way, and find nothing that a system of the wave writes: that fails with
//   MICA_ERROR_UNDECLARED; [thread.accessor]
// - declared resources and events, to read. A concurrent system may write resources. [thread.resources]
// Each batch of a parallel system reads all its events. [thread.events]
//
// They do not write through pointers to other entities: mica_get_mut(), mica_accessor_get_mut() and
// mica_touch() of other rows fail with MICA_ERROR_RECORDING. [thread.write] Toggles are recorded, also
// with accessors. Reading the world as a whole, such as mica_world_hash(), fails with
// MICA_ERROR_ITERATING. [thread.whole]
//
// Hooks of types and the world's allocator run on workers. The allocator need not be thread-safe for
// that: calls from one world are made one at a time. [thread.allocator] Errors reach the error handler after the
// wave, on the calling thread, in the order of systems and batches; the last eight of a
// batch. [thread.errors] If systems fail (mica_system_fail()), the rest of their batches is left out, the other batches of the
// wave run, and the first failure ends the step. [thread.fail]
#ifndef MICA_THREAD_H
#define MICA_THREAD_H

#include <mica/system.h>

#ifdef __cplusplus
extern "C" {
#endif

// Starts workers, so that `threads` threads run systems, the one that calls mica_step()
// included. [workers.start] 0: as many as the machine has cores. [workers.cores] 1: stops all
// workers. [workers.stop] Workers sleep between steps. [workers.sleep] They are stopped when the world is
// freed. [workers.free] If a thread cannot be started, fails with MICA_ERROR_THREAD and none runs; steps go on
// with the calling thread. [workers.start_fail] Also fails with MICA_ERROR_NULL, with _ITERATING during iteration and
// while commands wait, with _ARGUMENT for more than MICA_THREADS_MAX, and with _MEMORY. [workers.fail] A library that
// was built without threads (MICA_NO_THREADS, wasm) starts none and succeeds. [workers.none]
enum { MICA_THREADS_MAX = 256 };
MICA_API mica_result mica_world_start_workers(mica_world *world, uint32_t threads);

// Returns how many threads run systems, the calling one included. [workers.count] Fails with
// MICA_ERROR_NULL, and returns 0. [workers.count_fail]
MICA_API uint32_t mica_world_worker_count(mica_world *world);

// Uses the threads of an engine instead. `run` is called with a function, its data and a number of
// calls, `count` at most. It makes these calls, each with another number from 0 on, and returns when all have
// returned. It may make them on any threads, at the same time or in turn, in any order. [workers.own]
typedef void mica_work_fn(void *data, uint32_t number);
typedef struct mica_workers {
    void (*run)(void *user, mica_work_fn *work, void *data, uint32_t count);
    void *user;
    uint32_t count; // how many calls can run at the same time, 1 to MICA_THREADS_MAX
} mica_workers;

// NULL: ends their use. [workers.own_none] Stops workers of mica_world_start_workers(). [workers.own_stops] Fails
// like that function, with MICA_ERROR_NULL also if `run` is NULL. [workers.own_fail]
MICA_API mica_result mica_world_use_workers(mica_world *world, const mica_workers *workers);

// Returns the number of the batch, from 0 on in each run of a system. [batch.number] In other iterations it is
// 0. [batch.none] Fails with MICA_ERROR_ITERATOR, and returns 0. [batch.fail]
MICA_API uint32_t mica_batch(const mica_iter *it);

// Returns a number to begin random numbers with. It follows from the system's name, the batch, and the world's tick; not
// from threads. [batch.seed] Fails with MICA_ERROR_ITERATOR, and returns 0. [batch.seed_fail]
MICA_API uint64_t mica_batch_seed(const mica_iter *it);

// Returns the batch's own value of the resource that the system's `.reduce` names, to add to. It begins as
// the type's default. [reduce.value] After the last batch, the resource becomes the default, into
// which `.reduce.combine` has combined the value of each batch, in their order. So sums of floats do
// not depend on threads. [reduce.combine] Returns NULL, and fails with MICA_ERROR_ITERATOR, if `it` is not
// in an update of a system with `.reduce`. [reduce.fail]
MICA_API void *mica_reduce(const mica_iter *it);

// For tests: delays workers, and lets batches run in another order, on one thread, too. 0: no
// longer. [shuffle.order] The result must be the same: if it is not, a system depends on more than it
// declares. Fails with MICA_ERROR_NULL, _ITERATING and _MEMORY. [shuffle.fail]
MICA_API mica_result mica_world_shuffle_workers(mica_world *world, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
