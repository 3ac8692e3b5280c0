// Workers: what runs batches, and the threads that do. wave.h has the picture and the invariants.
#include "base/canary.h"
#include "base/clock.h"
#include "base/hash.h"
#include "entity/data.h"
#include "entity/locate.h"
#include "system/step_internal.h"

#include <string.h>

#define ALIGN 64u // a cache line: workers write beside each other

// Errors

// Keeps the last errors of a batch.
static void keep_error(micai_worker *worker, const mica_error *error)
{
    micai_waves *waves = worker->waves;
    micai_wave_batch *batch = worker->batch;
    uint32_t number = batch ? batch->error_count++ : 0;
    uint32_t place = worker->errors.count;
    uint32_t kept = 0;
    for (uint32_t i = worker->errors.count; batch && i-- > 0 && kept < MICAI_BATCH_ERRORS;) {
        const micai_batch_error *other = &worker->errors.items[i];
        if (other->batch != (uint32_t)(batch - waves->batches.items)) {
            break;
        }
        place = ++kept == MICAI_BATCH_ERRORS
                    ? i + (MICAI_CANARY("system.last_errors") ? 0 : number % MICAI_BATCH_ERRORS)
                    : place;
    }
    if (place == worker->errors.count &&
        !micai_array_reserve(&worker->face.host, &worker->errors, 1)) {
        return; // it counts as left out
    }
    worker->errors.count += place == worker->errors.count;
    worker->errors.items[place] =
        (micai_batch_error){.batch = batch ? (uint32_t)(batch - waves->batches.items) : UINT32_MAX,
                            .number = number,
                            .error = *error};
}

static void handle_error(mica_world *world, const mica_error *error, void *user)
{
    (void)world;
    keep_error(user, error);
}

// Memory

// The allocator of workers: calls that of the world one at a time.
static void *resize_locked(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    micai_waves *waves = user;
    const mica_allocator *allocator = &waves->world->host.allocator;
    micai_lock_take(&waves->lock);
    void *changed = allocator->resize(allocator->user, block, old_size, new_size, align);
    micai_lock_leave(&waves->lock);
    return changed;
}

void micai_worker_count_memory(micai_worker *worker)
{
    mica_memory_stats *all = &worker->waves->world->host.memory;
    mica_memory_stats *own = &worker->face.host.memory;
    all->bytes += own->bytes; // what is negative wraps around
    all->blocks += own->blocks;
    all->allocations += own->allocations;
    all->peak_bytes = all->bytes > all->peak_bytes ? all->bytes : all->peak_bytes;
    *own = (mica_memory_stats){0};
}

// Workers

// Copies the state. What belongs to the worker stays.
static void copy_state(micai_worker *worker)
{
    const micai_waves *waves = worker->waves;
    micai_state *copy = worker->copy;
    micai_walks walks = copy->walks;
    const micai_module commands = copy->modules[MICAI_MODULE_COMMAND];
    memcpy(copy, waves->state, micai_state_size());
    walks.has_term = copy->walks.has_term;
    walks.describe = copy->walks.describe;
    walks.filtered = copy->walks.filtered;
    walks.gathers = copy->walks.gathers;
    walks.guard = micai_world_use_other;
    walks.gathered = 1; // access to single values is guarded: micai_world_check_gathered()
    copy->walks = walks;
    copy->modules[MICAI_MODULE_COMMAND] = commands;
    copy->modules[MICAI_MODULE_TRACE] = (micai_module){0};
    copy->host = &worker->face.host;
    copy->gate =
        (micai_gate){.host = &worker->face.host, .slots = &copy->slots, .busy = &worker->face.busy};
    copy->original = waves->state;
    copy->worker = worker;
    copy->waiting = false;
    copy->stepping = true;
    // Single values are found by the general path, which asks whether they are declared.
    copy->store.directory.view = (mica_view_store){0};
    worker->copied = waves->copies;
}

// Prepares for a new wave. If nothing but the last wave came between, only slots may have changed.
static void prepare(micai_worker *worker)
{
    const micai_waves *waves = worker->waves;
    if (worker->copied == waves->copies) {
        worker->copy->slots = waves->state->slots;
    } else {
        copy_state(worker);
    }
    worker->face.view.tick = waves->world->view.tick;
    worker->recording->view.tick = waves->world->view.tick;
    worker->prepared = waves->serial;
}

static bool open_worker(micai_waves *waves, micai_worker *worker)
{
    micai_host *host = &waves->world->host;
    mica_world *face = &worker->face;
    worker->waves = waves;
    worker->number = waves->workers.count;
    worker->copy = micai_state_alloc_copy(host);
    if (!worker->copy) {
        return false;
    }
    micai_host_init(&face->host);
    face->host.allocator = (mica_allocator){.resize = resize_locked, .user = waves};
    face->host.error_handler = handle_error;
    face->host.error_user = worker;
    face->host.world = face;
    face->host.busy = &face->busy;
    face->host.closed = 1;
    face->busy = 1;
    micai_face_set_state(face, worker->copy);
    copy_state(worker);
    worker->copy->walks = (micai_walks){0};
    worker->copy->modules[MICAI_MODULE_COMMAND] = (micai_module){0};
    copy_state(worker);
    worker->copied = 0; // it is copied for the first wave
    worker->recording = micai_commands_later(face, waves->world->host.call);
    bool open = worker->recording != NULL;
    if (open) {
        worker->recording->host.closed = 1;
    }
    return open;
}

static void close_worker(micai_waves *waves, micai_worker *worker)
{
    micai_host *host = &waves->world->host;
    if (worker->copy) {
        micai_module *commands = &worker->copy->modules[MICAI_MODULE_COMMAND];
        if (commands->data) {
            commands->close(&worker->face, commands->data);
        }
        micai_walks_free(&worker->face.host, &worker->copy->walks);
        micai_array_free(&worker->face.host, &worker->errors);
        micai_arena_free(&worker->face.host, &worker->frame);
        micai_arena_free(&worker->face.host, &worker->face.scratch);
        micai_worker_count_memory(worker);
        micai_state_release_copy(host, worker->copy);
    }
    micai_release(host, worker, sizeof *worker, ALIGN);
}

bool micai_worker_add(micai_waves *waves)
{
    micai_host *host = &waves->world->host;
    micai_worker *worker = micai_array_reserve(host, &waves->workers, 1)
                               ? micai_alloc_zeroed(host, sizeof *worker, ALIGN)
                               : NULL;
    if (!worker) {
        return false;
    }
    if (!open_worker(waves, worker)) {
        if (worker->errors.count > 0) { // its own host has noted why
            micai_fail(host, worker->errors.items[0].error.code, "%s",
                       worker->errors.items[0].error.sentence);
        } else if (worker->copy) {
            micai_fail_within(host, MICA_ERROR_MEMORY, "there is none for a worker");
        }
        close_worker(waves, worker);
        return false;
    }
    micai_worker_count_memory(worker);
    waves->workers.items[waves->workers.count++] = worker;
    return true;
}

void micai_worker_remove_last(micai_waves *waves)
{
    close_worker(waves, waves->workers.items[--waves->workers.count]);
}

// Batches

// Begins the iteration of a batch, or one without rows.
static micai_walk *begin_batch(micai_worker *worker, const micai_system *one, mica_iter *it_out)
{
    const micai_step_run *r = worker->waves->run;
    mica_world *world = worker->recording;
    micai_query *rowless = micai_query_look_up(world, r->all->rowless);
    micai_walk *walk = one->rows
                           ? micai_iter_begin_part(it_out, world, r->call, one->rows,
                                                   one->declared.system, worker->batch->part)
                           : micai_query_open_walk(world, r->call, rowless, one->declared.system);
    if (walk && !one->rows) {
        micai_iter_init(it_out, world, walk, UINT32_MAX, 0, 1);
    }
    if (walk) {
        walk->held_by_step = true;
        it_out->user = one->user;
        it_out->dt = r->dt;
        it_out->time = r->time;
    }
    return walk;
}

// Returns MICA_OK if the system has left its iteration as it was.
static mica_result check_iteration(const micai_worker *worker, mica_iter *it,
                                   const micai_walk *walk)
{
    if (it->walk != walk) {
        return MICA_ERROR_ITERATING;
    }
    if (worker->failed) {
        micai_iter_stop(it);
        return MICA_ERROR_FAILED;
    }
    return MICA_OK;
}

static mica_result update_batch(micai_worker *worker, const micai_system *one)
{
    mica_iter it;
    micai_wave_batch *batch = worker->batch;
    micai_walk *walk = begin_batch(worker, one, &it);
    if (!walk) {
        return worker->face.host.failed;
    }
    mica_result result = MICA_OK;
    if (!one->rows) {
        one->update(&it);
        result = check_iteration(worker, &it, walk);
        if (!result) {
            micai_iter_stop(&it);
        }
        return result;
    }
    while (!result && walk->next(&it)) {
        batch->segments++;
        batch->rows += it.count;
        one->update(&it);
        result = check_iteration(worker, &it, walk);
    }
    return result ? result : it.result;
}

// Passes how far a batch has read events to its system. All batches begin at the same place.
static void keep_positions(const micai_worker *worker, micai_wave_system *system)
{
    micai_waves *waves = worker->waves;
    const micai_declared *declared = &worker->declared;
    for (uint32_t k = 0; k < declared->event_count; k++) {
        if (declared->read[k].next != system->one->declared.read[k].next &&
            !MICAI_CANARY("system.batch_events")) {
            micai_lock_take(&waves->lock);
            if (declared->read[k].next > system->read[k].next) {
                system->read[k] = declared->read[k];
            }
            micai_lock_leave(&waves->lock);
        }
    }
}

static void run_batch(micai_worker *worker, micai_wave_batch *batch)
{
    micai_waves *waves = worker->waves;
    micai_wave_system *system = &waves->systems.items[batch->system];
    const micai_system *one = system->one;
    micai_buffer *buffer = micai_buffer_of(worker->recording);
    micai_state *copy = worker->copy;
    if (waves->measures) {
        batch->began_ns = micai_clock_ns();
    }
    worker->batch = batch;
    worker->failed = false;
    if (worker->face.host.last_error.code && !MICAI_CANARY("system.stale_error")) { // of another
        worker->face.host.last_error = (mica_error){0};
    }
    batch->worker = worker->number;
    batch->first = buffer->first = buffer->count;
    copy->waiting = false;
    micai_lane_enter(&batch->lane, &copy->slots);
    if (one->declared.event_count > 0) {
        worker->declared = one->declared;
        copy->declared = &worker->declared;
    } else {
        copy->declared = (micai_declared *)&one->declared;
    }
    worker->face.host.system = one->declared.system;
    mica_result result = update_batch(worker, one);
    batch->result = micai_run_check_walks(worker->recording, waves->run->call, one, 0, result);
    worker->face.host.system = NULL;
    if (one->declared.event_count > 0) {
        keep_positions(worker, system);
    }
    micai_lane_leave(&batch->lane, &copy->slots);
    batch->end = buffer->count;
    worker->batch = NULL;
    if (waves->measures) {
        batch->ended_ns = micai_clock_ns();
    }
}

void micai_worker_run(micai_worker *worker)
{
    micai_waves *waves = worker->waves;
    if (worker->prepared != waves->serial) {
        prepare(worker);
    }
    uint32_t count = waves->batches.count;
    for (uint32_t i; (i = micai_shared_add(&waves->next, 1)) < count;) {
        uint32_t number = waves->shuffle ? waves->order.items[i] : i;
        if (waves->shuffle && waves->threads) {
            uint64_t hash = micai_hash_add(waves->shuffle, waves->serial + number);
            micai_thread_sleep((uint32_t)(hash % 4) * 20);
        }
        run_batch(worker, &waves->batches.items[number]);
    }
}

// Threads

enum { SPINS = 4000 }; // some 20 microseconds

// Waits a moment for others. After some of these, lets them have the processor.
static void wait_a_moment(uint32_t *spins)
{
    if (++*spins < SPINS) {
        micai_thread_pause();
    } else {
        micai_thread_yield();
    }
}

// Waits until a wave is open, or the threads are to stop. Returns false then.
static bool wait_for_wave(micai_waves *waves, uint32_t *spins)
{
    if (micai_shared_get(&waves->stop)) {
        return false;
    }
    if (micai_shared_get(&waves->open)) {
        return true;
    }
    if (micai_shared_get(&waves->awake) && ++*spins < SPINS) {
        micai_thread_pause();
        return true;
    }
    micai_lock_take(&waves->bed);
    micai_shared_add(&waves->sleepers, 1);
    while (!micai_shared_get(&waves->stop) && !micai_shared_get(&waves->open)) {
        micai_lock_wait(&waves->bed);
    }
    micai_shared_add(&waves->sleepers, UINT32_MAX); // -1
    micai_lock_leave(&waves->bed);
    *spins = 0;
    return !micai_shared_get(&waves->stop);
}

static void live(void *data)
{
    micai_worker *worker = data;
    micai_waves *waves = worker->waves;
    uint32_t spins = 0;
    while (wait_for_wave(waves, &spins)) {
        uint32_t opened = micai_shared_get(&waves->opened);
        if (!micai_shared_get(&waves->open)) {
            continue;
        }
        // The thread that closes the wave waits for those that are counted here. Later ones find it closed.
        micai_shared_add(&waves->active, 1);
        if (micai_shared_get(&waves->open)) {
            micai_worker_run(worker);
        }
        micai_shared_add(&waves->active, UINT32_MAX); // -1
        spins = 0;
        while (micai_shared_get(&waves->open) && micai_shared_get(&waves->opened) == opened &&
               !micai_shared_get(&waves->stop)) {
            wait_a_moment(&spins); // all batches of this wave are taken
        }
        spins = 0;
    }
}

void micai_workers_rest(micai_waves *waves)
{
    if (waves->threads) {
        micai_shared_set(&waves->awake, 0);
    }
}

static void wake(micai_waves *waves)
{
    if (micai_shared_get(&waves->sleepers) > 0) {
        micai_lock_take(&waves->bed);
        micai_lock_wake(&waves->bed);
        micai_lock_leave(&waves->bed);
    }
}

static void run_number(void *data, uint32_t number)
{
    micai_waves *waves = data;
    micai_worker_run(waves->workers.items[number]);
}

void micai_workers_run(micai_waves *waves, bool alone)
{
    micai_shared_set(&waves->next, 0);
    if (!alone && waves->own.run) {
        waves->own.run(waves->own.user, run_number, waves, waves->count);
    }
    if (alone || !waves->threads) {
        micai_worker_run(waves->workers.items[0]);
        return;
    }
    micai_shared_set(&waves->awake, 1);
    micai_shared_add(&waves->opened, 1);
    micai_shared_set(&waves->open, 1);
    wake(waves);
    micai_worker_run(waves->workers.items[0]);
    micai_shared_set(&waves->open, 0);
    uint32_t spins = 0;
    while (micai_shared_get(&waves->active) > 0) {
        wait_a_moment(&spins);
    }
}

static void join_threads(micai_waves *waves, uint32_t end)
{
    micai_shared_set(&waves->stop, 1);
    micai_lock_take(&waves->bed);
    micai_lock_wake(&waves->bed);
    micai_lock_leave(&waves->bed);
    for (uint32_t i = 1; i < end; i++) {
        micai_thread_join(&waves->workers.items[i]->thread);
    }
    micai_shared_set(&waves->stop, 0);
    waves->threads = false;
}

void micai_workers_stop(micai_waves *waves)
{
    if (waves->threads) {
        join_threads(waves, waves->workers.count);
    }
    while (waves->workers.count > 1) {
        micai_worker_remove_last(waves);
    }
    waves->count = 1;
    waves->own = (mica_workers){0};
}

// Starting and stopping

// Fails if workers cannot be changed now, or there would be too many.
static micai_waves *check_start(mica_world *world, const char *call, uint32_t count)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    if (count > MICA_THREADS_MAX) {
        micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: %u threads; there may be %d", call,
                   (unsigned)count, MICA_THREADS_MAX);
        return NULL;
    }
    if (micai_world_guard_all(world, call) || micai_world_guard_idle(world, call)) {
        return NULL;
    }
    return micai_waves_open(world);
}

static bool add_workers(micai_waves *waves, uint32_t count)
{
    while (waves->workers.count < count && micai_worker_add(waves)) {
    }
    return waves->workers.count == count;
}

static mica_result start_threads(micai_waves *waves, const char *call)
{
    for (uint32_t i = 1; i < waves->workers.count; i++) {
        micai_thread *thread = &waves->workers.items[i]->thread;
        *thread = (micai_thread){.run = live, .data = waves->workers.items[i]};
        if (MICAI_CANARY("system.thread") || !micai_thread_start(thread)) {
            join_threads(waves, i);
            return micai_fail(&waves->world->host, MICA_ERROR_THREAD,
                              "%s: the system refuses to start thread %u of %u", call,
                              (unsigned)i + 1, (unsigned)waves->workers.count);
        }
        waves->threads = true;
    }
    return MICA_OK;
}

mica_result mica_world_start_workers(mica_world *world, uint32_t threads)
{
    static const char call[] = "mica_world_start_workers";
    if (world) {
        micai_host_begin(&world->host, call);
    }
    micai_waves *waves = check_start(world, call, threads);
    mica_result result = waves ? MICA_OK : micai_world_failed(world);
    if (waves) {
        threads = threads > 0 ? threads : micai_threads_count_cores();
        threads = threads > MICA_THREADS_MAX ? MICA_THREADS_MAX : threads;
        threads = micai_threads_exist() ? threads : 1;
        micai_workers_stop(waves);
        result = add_workers(waves, threads) ? start_threads(waves, call) : MICA_ERROR_MEMORY;
        if (result) {
            micai_workers_stop(waves);
        }
        waves->count = waves->workers.count;
    }
    if (world) {
        micai_host_end(&world->host);
    }
    return result;
}

mica_result mica_world_use_workers(mica_world *world, const mica_workers *workers)
{
    static const char call[] = "mica_world_use_workers";
    if (world && workers && (!workers->run || workers->count == 0)) {
        return workers->run ? micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                                         "%s: a count of 0; it must be 1 at least", call)
                            : micai_fail_null(&world->host, call, "workers->run");
    }
    if (world) {
        micai_host_begin(&world->host, call);
    }
    micai_waves *waves = check_start(world, call, workers ? workers->count : 0);
    mica_result result = waves ? MICA_OK : micai_world_failed(world);
    if (waves) {
        micai_workers_stop(waves);
        if (workers && !add_workers(waves, workers->count)) {
            micai_workers_stop(waves);
            result = MICA_ERROR_MEMORY;
        } else if (workers) {
            waves->own = *workers;
            waves->count = workers->count;
        }
    }
    if (world) {
        micai_host_end(&world->host);
    }
    return result;
}

uint32_t mica_world_worker_count(mica_world *world)
{
    if (!world) {
        micai_fail_null(NULL, "mica_world_worker_count", "world");
        return 0;
    }
    const micai_waves *waves = micai_waves_of(world);
    return waves ? waves->count : 1;
}

mica_result mica_world_shuffle_workers(mica_world *world, uint64_t seed)
{
    static const char call[] = "mica_world_shuffle_workers";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_all(world, call);
    if (result) {
        return result;
    }
    micai_host_begin(&world->host, call);
    micai_waves *waves = micai_waves_open(world);
    micai_host_end(&world->host);
    if (!waves) {
        return MICA_ERROR_MEMORY;
    }
    waves->shuffle = seed;
    return MICA_OK;
}
