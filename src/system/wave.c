// Running waves. wave.h has the picture and the invariants.
#include "system/step_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/canary.h"
#include "base/clock.h"
#include "base/number.h"
#include "core/hook.h"
#include "entity/data.h"
#include "entity/locate.h"
#include "state/trace.h"
#include "system/conflict_internal.h"
#include "system/parallel_internal.h"

// Nanoseconds of work from which a wave uses threads that wait, and from which it wakes others.
#define WORTH_SHARING 20000.0f
#define WORTH_WAKING 50000.0f
#define ROW_NS 2.0f // assumed until it is measured

enum { MEASURE_EVERY = 16 }; // waves

// Batches

static micai_wave_batch *add_batch(micai_waves *waves, const micai_wave_system *system)
{
    micai_wave_batch *batch = &waves->batches.items[waves->batches.count++];
    *batch = (micai_wave_batch){.system = (uint32_t)(system - waves->systems.items)};
    return batch;
}

// Cuts `total` rows of a query's tables, or of its pool.
static void cut_rows(micai_waves *waves, const micai_wave_system *system, const micai_query *query,
                     bool pool, uint64_t total, uint32_t size)
{
    micai_query_part part = {0, 0, 0};
    while (total > 0) {
        uint32_t rows = total < size ? (uint32_t)total : size;
        part.rows = rows;
        add_batch(waves, system)->part = part;
        total -= rows;
        part.row += rows;
        while (!pool && !MICAI_CANARY("system.batch_cut") && part.match < query->tables.count &&
               part.row >= query->tables.items[part.match]->count) {
            part.row -= query->tables.items[part.match++]->count;
        }
    }
}

static uint64_t count_rows(const micai_query *query)
{
    uint64_t rows = 0;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        rows += query->tables.items[m]->count;
    }
    return rows;
}

// Adds the batches of a system. They follow from the data and from what it declares.
static mica_result cut_batches(micai_waves *waves, micai_wave_system *system)
{
    const micai_system *one = system->one;
    const micai_query *query = one->rows;
    bool parallel =
        one->declared.run == MICA_PARALLEL && !(query && query->of); // sources are not rows
    uint32_t pool_rows = query ? micai_query_pool_rows(waves->state, query) : UINT32_MAX;
    bool pool = pool_rows != UINT32_MAX;
    uint64_t total = pool ? pool_rows : query ? count_rows(query) : 1;
    uint32_t size = one->batch_rows > 0 ? one->batch_rows : MICAI_BATCH_ROWS;
    uint32_t most = one->batch_rows > 0 ? MICAI_BATCHES_MAX : MICAI_BATCHES;
    while (parallel && (total + size - 1) / size > most) {
        size *= 2;
    }
    uint64_t count = total == 0 ? 0 : parallel ? (total + size - 1) / size : 1;
    system->first_batch = waves->batches.count;
    system->batch_count = (uint32_t)count;
    if (!micai_array_reserve(&waves->world->host, &waves->batches, (uint32_t)count)) {
        return MICA_ERROR_MEMORY;
    }
    if (count > 1) {
        cut_rows(waves, system, query, pool, total, size);
    } else if (count == 1) {
        add_batch(waves, system)->part = (micai_query_part){0, 0, UINT32_MAX};
    }
    return MICA_OK;
}

// Prepares the values that batches add to, and the resource that they are combined into.
static mica_result open_sums(micai_waves *waves, micai_wave_system *system)
{
    const micai_type *type = system->one->reduced;
    micai_host *host = &waves->world->host;
    system->sums = micai_arena_alloc_array(host, &waves->memory, system->batch_count + 1,
                                           type->info.size, type->info.align);
    if (!system->sums) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < system->batch_count; i++) {
        unsigned char *sum = system->sums + (size_t)i * type->info.size;
        if (type->info.default_value) {
            memcpy(sum, type->info.default_value, type->info.size);
        } else {
            memset(sum, 0, type->info.size);
        }
    }
    if (micai_resources_find(&waves->state->resources, type->info.type)) {
        return MICA_OK;
    }
    const mica_value value = {.type = type->info.type};
    return mica_resource_set_values(waves->world, &value, 1);
}

static mica_result open_lanes(micai_waves *waves, const micai_wave_system *system)
{
    uint32_t count = system->batch_count;
    micai_lane *lanes = micai_arena_alloc_array(&waves->world->host, &waves->memory, count,
                                                sizeof *lanes, _Alignof(micai_lane));
    mica_result result = lanes ? micai_lanes_open(&waves->world->host, &waves->state->slots,
                                                  system->one->spawns, lanes, count)
                               : MICA_ERROR_MEMORY;
    for (uint32_t i = 0; !result && i < count; i++) {
        waves->batches.items[system->first_batch + i].lane = lanes[i];
    }
    return result;
}

static mica_result open_system(micai_waves *waves, micai_wave_system *system)
{
    mica_result result = cut_batches(waves, system);
    if (!result && system->one->reduced) {
        result = open_sums(waves, system);
    }
    if (!result && system->one->spawns > 0 && system->batch_count > 0) {
        result = open_lanes(waves, system);
    }
    return result;
}

// Returns slots that batches have not taken.
static void close_lanes(micai_waves *waves)
{
    bool above = false;
    for (uint32_t i = waves->batches.count; i-- > 0;) {
        micai_wave_batch *batch = &waves->batches.items[i];
        if (waves->systems.items[batch->system].one->spawns > 0) {
            micai_lane_close(&waves->state->slots, &batch->lane, &above);
        }
    }
}

static void clear(micai_waves *waves)
{
    waves->systems.count = waves->batches.count = 0;
    micai_arena_reset(&waves->memory);
}

// Puts the batches into an order that follows from the seed.
static mica_result shuffle(micai_waves *waves)
{
    uint32_t count = waves->batches.count;
    waves->order.count = 0;
    if (!micai_array_reserve(&waves->world->host, &waves->order, count)) {
        return MICA_ERROR_MEMORY;
    }
    uint64_t random = waves->shuffle + waves->serial;
    for (uint32_t i = 0; i < count; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t k = (uint32_t)((random >> 33) % (i + 1));
        waves->order.items[i] = waves->order.items[k];
        waves->order.items[k] = i;
    }
    waves->order.count = count;
    return MICA_OK;
}

// Has workers copy the state anew, unless this wave follows another one directly.
static void note_changes(micai_waves *waves, const micai_step_run *r)
{
    const micai_system *first = waves->systems.items[0].one;
    const micai_system *last = waves->systems.items[waves->systems.count - 1].one;
    bool follows = waves->last && first->previous == waves->last && first->wave == first &&
                   first->phase->runs == waves->last_runs && !r->all->by_hand &&
                   !first->replay_first;
    for (uint32_t i = 0; i < waves->systems.count; i++) {
        follows = follows && !waves->systems.items[i].one->reduced; // it may add a resource
    }
    waves->copies += !follows;
    waves->last = last;
    waves->last_runs = last->phase->runs;
}

// Does all that can fail before the systems run. Workers may still have values of waiting commands.
static mica_result open_wave(micai_waves *waves, micai_step_run *r)
{
    mica_result result = MICA_OK;
    micai_host_begin(&waves->world->host, r->call);
    waves->run = r;
    waves->serial++;
    note_changes(waves, r);
    for (uint32_t i = 0; !waves->state->waiting && i < waves->workers.count; i++) {
        micai_buffer_reset(micai_buffer_of(waves->workers.items[i]->recording));
    }
    for (uint32_t i = 0; !result && i < waves->systems.count; i++) {
        result = open_system(waves, &waves->systems.items[i]);
    }
    if (!result && waves->shuffle) {
        result = shuffle(waves);
    }
    if (result) {
        close_lanes(waves);
        clear(waves);
    }
    micai_host_end(&waves->world->host);
    return result;
}

// Closing the world

// Notes an error of the main world, or of an accessor. Any thread may make it. Keeps those whose sentences come first
// in the alphabet, so that threads do not decide which, nor in which order.
static mica_result note_error(micai_host *host, mica_result code, int64_t value,
                              const char *sentence)
{
    micai_waves *waves = micai_waves_of(host->world);
    micai_lock_take(&waves->lock);
    uint32_t count = micai_smaller(waves->error_count++, MICAI_BATCH_ERRORS);
    uint32_t place = count;
    while (place > 0 && strcmp(waves->errors[place - 1].sentence, sentence) > 0) {
        place--;
    }
    if (place < MICAI_BATCH_ERRORS) {
        uint32_t moved = micai_smaller(count, MICAI_BATCH_ERRORS - 1) - place;
        mica_error *error = &waves->errors[place];
        memmove(error + 1, error, moved * sizeof *error);
        *error = (mica_error){.code = code, .value = value};
        (void)snprintf(error->sentence, sizeof error->sentence, "%s", sentence);
    }
    host->failed = code;
    micai_lock_leave(&waves->lock);
    return code;
}

// Hides values that the wave writes from accessors, which ask nobody, or shows them.
static void hide_written(const micai_waves *waves, bool hidden)
{
    micai_values_close(waves->state, hidden);
    for (uint32_t i = 0; i < waves->systems.count; i++) {
        const micai_system *one = waves->systems.items[i].one;
        const micai_query *query = one->rows;
        for (uint32_t k = 0; k <= one->declared.query_count; k++) {
            for (uint64_t rest = query ? query->writable : 0; rest != 0; rest &= rest - 1) {
                micai_value_hide(waves->state, query->terms[micai_bits_lowest(rest)].type, hidden);
            }
            query = k < one->declared.query_count
                        ? micai_query_look_up(waves->workers.items[0]->recording,
                                              one->declared.queries[k])
                        : NULL;
        }
    }
}

static mica_result refuse_closed(mica_world *world, const char *call, const micai_type *type)
{
    (void)type;
    return micai_hook_refuse(&world->host, call);
}

// Lets accessors of the main world, and only these, find entities and values.
static void fill_closed(const micai_waves *waves)
{
    micai_state *closed = waves->closed;
    const micai_gate gate = closed->gate;
    memcpy(closed, waves->state, micai_state_size());
    closed->gate = gate;
    closed->original = waves->state;
    closed->stepping = closed->midway = true;
    closed->walks.guard = refuse_closed;
    closed->walks.gathered = 1; // access to single values is guarded: micai_world_check_gathered()
    closed->store.directory.view = (mica_view_store){0};
}

static void close_world(micai_waves *waves)
{
    mica_world *world = waves->world;
    if (waves->state->has_accessors && !MICAI_CANARY("system.wave_hidden")) {
        hide_written(waves, true);
        fill_closed(waves);
    }
    waves->error_count = 0;
    micai_hook_name(&world->host, micai_hook_wave, "systems");
    world->host.divert = note_error;
    world->state = waves->closed;
}

static void open_world(micai_waves *waves)
{
    mica_world *world = waves->world;
    world->state = waves->state;
    world->host.divert = NULL;
    micai_hook_name(&world->host, NULL, NULL);
    if (waves->state->has_accessors) {
        hide_written(waves, false);
    }
}

// Joining

// Appends commands of consecutive batches to those of the world. Returns the first batch behind them.
static uint32_t join_commands(micai_waves *waves, uint32_t i, mica_result *result_out)
{
    const micai_wave_batch *first = &waves->batches.items[i];
    uint32_t end = first->end;
    while (++i < waves->batches.count && waves->batches.items[i].worker == first->worker &&
           (waves->batches.items[i].first == end || MICAI_CANARY("system.batch_order"))) {
        end = waves->batches.items[i].end;
    }
    micai_buffer *buffer = micai_buffer_of(waves->workers.items[first->worker]->recording);
    *result_out = MICA_OK;
    if (end > first->first &&
        micai_commands_append(waves->world, waves->run->call, buffer, first->first, end)) {
        micai_buffer_drop_some(waves->world, buffer, first->first, end);
        *result_out = MICA_ERROR_MEMORY;
    }
    return i;
}

static mica_result join_all_commands(micai_waves *waves)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; i < waves->batches.count;) {
        mica_result failed;
        i = join_commands(waves, i, &failed);
        result = result ? result : failed;
    }
    for (uint32_t i = 0; i < waves->workers.count; i++) {
        micai_worker *worker = waves->workers.items[i];
        micai_buffer_forget(micai_buffer_of(worker->recording));
        worker->copy->waiting = false;
        micai_worker_count_memory(worker);
    }
    return result;
}

// Combines the values of a system's batches, in their order.
static void join_sums(micai_waves *waves, const micai_wave_system *system)
{
    const mica_type_info *info = &system->one->reduced->info;
    unsigned char *total = micai_resources_find(&waves->state->resources, info->type);
    if (info->default_value) {
        memcpy(total, info->default_value, info->size);
    } else {
        memset(total, 0, info->size);
    }
    for (uint32_t i = 0; i < system->batch_count; i++) {
        uint32_t batch = MICAI_CANARY("system.sum_order") ? system->batch_count - 1 - i : i;
        system->one->combine(total, system->sums + (size_t)batch * info->size);
    }
}

// Passes what the batches have done to the trace function.
static void trace_batches(micai_waves *waves)
{
    const micai_module *module = &waves->state->modules[MICAI_MODULE_TRACE];
    for (uint32_t i = 0; module->data && i < waves->batches.count; i++) {
        const micai_wave_batch *batch = &waves->batches.items[i];
        const micai_wave_system *system = &waves->systems.items[batch->system];
        mica_trace_point point = {.kind = MICA_TRACE_SYSTEM,
                                  .ended = true,
                                  .name = system->one->declared.system,
                                  .began_ns = batch->began_ns,
                                  .time_ns = batch->ended_ns,
                                  .rows = batch->rows,
                                  .segments = batch->segments,
                                  .batch = i - system->first_batch + 1,
                                  .thread = batch->worker};
        (void)module->trace(waves->world, module->data, &point);
    }
}

// Adds what the batches of a system have done to its statistics. Returns the first failure.
static mica_result join_system(micai_waves *waves, const micai_wave_system *system)
{
    micai_system *one = system->one;
    mica_result result = MICA_OK;
    uint64_t rows = 0;
    uint64_t time_ns = 0;
    for (uint32_t i = 0; i < system->batch_count; i++) {
        const micai_wave_batch *batch = &waves->batches.items[system->first_batch + i];
        result = result || MICAI_CANARY("system.batch_failed") ? result : batch->result;
        one->stats.segments += batch->segments;
        rows += batch->rows;
        time_ns += batch->ended_ns - batch->began_ns;
    }
    one->stats.rows += rows;
    if (waves->measures && rows > 0) {
        float now = (float)time_ns / (float)rows;
        one->row_ns = one->row_ns > 0 ? (one->row_ns * 3 + now) / 4 : now;
    }
    if (waves->run->all->timing) {
        one->stats.last_ns = time_ns;
        one->stats.total_ns += time_ns;
        one->stats.timed++;
    }
    for (uint32_t k = 0; k < one->declared.event_count; k++) {
        if (system->read[k].next > one->declared.read[k].next) {
            one->declared.read[k] = system->read[k];
        }
    }
    if (one->reduced) {
        join_sums(waves, system);
    }
    return result;
}

// Systems that select changes have seen those up to this wave.
static void join_moments(micai_waves *waves)
{
    bool any = false;
    for (uint32_t i = 0; i < waves->systems.count; i++) {
        micai_query *query = waves->systems.items[i].one->rows;
        if (query && query->change_filtered) {
            query->since = waves->world->view.tick;
            any = true;
        }
    }
    if (any) {
        micai_world_advance(waves->world);
    }
}

// Reports the errors of a batch.
static void report_batch(micai_waves *waves, uint32_t number)
{
    const micai_wave_batch *batch = &waves->batches.items[number];
    micai_host *host = &waves->world->host;
    if (batch->error_count == 0) {
        return;
    }
    const micai_worker *worker = waves->workers.items[batch->worker];
    uint32_t from =
        batch->error_count > MICAI_BATCH_ERRORS ? batch->error_count - MICAI_BATCH_ERRORS : 0;
    const micai_system *one = waves->systems.items[batch->system].one;
    uint32_t lost = batch->error_count - from;
    for (uint32_t n = from; n < batch->error_count; n++) {
        for (uint32_t i = 0; i < worker->errors.count; i++) {
            const micai_batch_error *kept = &worker->errors.items[i];
            if (kept->batch == number && kept->number == n) {
                micai_fail_value(host, kept->error.code, kept->error.value, "%s",
                                 kept->error.sentence);
                lost--;
            }
        }
    }
    if (lost > 0) {
        micai_fail(host, MICA_ERROR_MEMORY,
                   "%s: no memory to keep %" PRIu32 " errors of a batch of system '%.80s'",
                   waves->run->call, lost, one->declared.system);
    }
    if (from > 0) {
        micai_log(host, MICA_LOG_WARNING,
                  "%" PRIu32 " errors of a batch of system '%s' are left out: there were too many",
                  from, one->declared.system);
    }
}

// The first failure ends the step. It is the last error of the world, although others were reported after it.
static void restore_first_failure(micai_waves *waves)
{
    uint32_t n = 0;
    while (n < waves->batches.count && !waves->batches.items[n].result) {
        n++;
    }
    const micai_wave_batch *batch = n < waves->batches.count ? &waves->batches.items[n] : NULL;
    const micai_worker *worker = batch ? waves->workers.items[batch->worker] : NULL;
    for (uint32_t i = 0; worker && i < worker->errors.count; i++) {
        const micai_batch_error *kept = &worker->errors.items[i];
        if (kept->batch == n && kept->number + 1 == batch->error_count) {
            waves->world->host.last_error = kept->error;
            waves->world->host.failed = kept->error.code;
        }
    }
}

static void report_errors(micai_waves *waves)
{
    micai_host *host = &waves->world->host;
    uint32_t count = micai_smaller(waves->error_count, MICAI_BATCH_ERRORS);
    for (uint32_t i = 0; i < count; i++) {
        micai_fail_value(host, waves->errors[i].code, waves->errors[i].value, "%s",
                         waves->errors[i].sentence);
    }
    if (waves->error_count > count) {
        micai_log(host, MICA_LOG_WARNING,
                  "%" PRIu32 " errors of accessors and of the main world are left out: there were "
                  "too many while systems ran together",
                  waves->error_count - count);
    }
    for (uint32_t i = 0; i < waves->batches.count; i++) {
        report_batch(waves, i);
    }
    restore_first_failure(waves);
    for (uint32_t i = 0; i < waves->workers.count; i++) {
        waves->workers.items[i]->errors.count = 0;
    }
}

// Makes what the batches have done a part of the world.
static mica_result join_wave(micai_waves *waves)
{
    mica_result result = MICA_OK;
    micai_host_begin(&waves->world->host, waves->run->call);
    close_lanes(waves);
    mica_result joined = join_all_commands(waves);
    for (uint32_t i = 0; i < waves->systems.count; i++) {
        mica_result failed = join_system(waves, &waves->systems.items[i]);
        result = result ? result : failed;
    }
    join_moments(waves);
    micai_host_end(&waves->world->host);
    trace_batches(waves);
    report_errors(waves);
    clear(waves);
    return result ? result : joined;
}

// Running

// Returns true if the wave is too small for other threads.
static bool is_small(const micai_waves *waves)
{
    float ns = 0;
    for (uint32_t i = 0; i < waves->systems.count; i++) {
        const micai_system *one = waves->systems.items[i].one;
        float row_ns = one->row_ns > 0 ? one->row_ns : ROW_NS;
        for (uint32_t k = 0; k < waves->systems.items[i].batch_count; k++) {
            uint32_t rows = waves->batches.items[waves->systems.items[i].first_batch + k].part.rows;
            ns += row_ns * (float)(rows == UINT32_MAX ? MICAI_BATCH_ROWS : rows);
        }
    }
    bool asleep = waves->threads && micai_shared_get((micai_shared *)&waves->sleepers) > 0;
    return ns < WORTH_SHARING || (asleep && ns < WORTH_WAKING);
}

static mica_result run_batches(micai_step_run *r, micai_waves *waves)
{
    if (!r->ticked) {
        micai_world_advance(r->world);
        r->ticked = true;
    }
    mica_result result = open_wave(waves, r);
    if (result) {
        return result;
    }
    bool alone =
        waves->batches.count < 2 || waves->count < 2 || (!waves->shuffle && is_small(waves));
    waves->measures =
        r->all->timing || micai_trace_is_on(r->world) || waves->serial % MEASURE_EVERY == 1;
    close_world(waves);
    micai_workers_run(waves, alone);
    open_world(waves);
    return join_wave(waves);
}

// Returns the systems of the wave that run now, which are the first one alone if `last_out` is NULL.
static mica_result collect(micai_waves *waves, micai_system *first, micai_system **last_out)
{
    clear(waves);
    for (micai_system *one = first; one && one->wave == first->wave; one = one->next) {
        if (!micai_array_reserve(&waves->world->host, &waves->systems, 1)) {
            return MICA_ERROR_MEMORY;
        }
        if (one->enabled || !last_out) {
            micai_wave_system *system = &waves->systems.items[waves->systems.count++];
            system->one = one;
            system->sums = NULL;
            memset(system->read, 0, one->declared.event_count * sizeof *system->read);
        }
        if (!last_out) {
            break;
        }
        *last_out = one;
    }
    return MICA_OK;
}

// Calls the condition and the first function of a system that has them. Passes out whether it runs.
static mica_result begin_system(micai_step_run *r, micai_system *one, bool *runs_out)
{
    mica_result result = MICA_OK;
    *runs_out = true;
    r->world->host.system = one->declared.system;
    r->world->state->declared = &one->declared;
    if (one->when && !r->all->by_hand) {
        result = micai_run_rowless(r, one, NULL, runs_out);
    }
    if (!result && *runs_out && one->begin) {
        result = micai_run_rowless(r, one, one->begin, NULL);
    }
    return result;
}

// Leaves a function of a system that ran on the main world.
static mica_result leave_system(micai_step_run *r, const micai_system *one, mica_result result)
{
    if (result == MICA_ERROR_ITERATOR) {
        return result; // the step is over, and the system may be removed
    }
    r->world->state->declared = NULL;
    r->world->host.system = NULL;
    return micai_run_check_walks(r->world, r->call, one, 0, result);
}

mica_result micai_wave_run(micai_step_run *r, micai_waves *waves, micai_system *one,
                           micai_system **last_out)
{
    bool runs = true;
    r->ticked = false;
    micai_waves_plan(r->world, r->all);
    micai_host_begin(&r->world->host, r->call);
    mica_result result = collect(waves, one, last_out);
    micai_host_end(&r->world->host);
    if (result || waves->systems.count == 0) {
        return result;
    }
    bool rowless = one->begin || one->end || one->when; // then it is in no wave with others
    if (rowless) {
        result = leave_system(r, one, begin_system(r, one, &runs));
    }
    if (result || !runs) {
        one->stats.skipped += !result;
        return result;
    }
    for (uint32_t i = 0; i < waves->systems.count; i++) {
        waves->systems.items[i].one->stats.runs++;
    }
    result = run_batches(r, waves);
    if (!result && one->end && rowless) {
        r->world->host.system = one->declared.system;
        r->world->state->declared = &one->declared;
        result = leave_system(r, one, micai_run_rowless(r, one, one->end, NULL));
    }
    return result;
}

// The module

static void close_module(mica_world *world, void *data)
{
    micai_waves *waves = data;
    micai_host *host = &world->host;
    micai_workers_stop(waves);
    while (waves->workers.count > 0) {
        micai_worker_remove_last(waves);
    }
    micai_array_free(host, &waves->workers);
    micai_array_free(host, &waves->systems);
    micai_array_free(host, &waves->batches);
    micai_array_free(host, &waves->order);
    micai_arena_free(host, &waves->memory);
    if (waves->closed) {
        micai_state_release_copy(host, waves->closed);
    }
    if (waves->has_lock) {
        micai_lock_close(&waves->lock);
    }
    if (waves->has_bed) {
        micai_lock_close(&waves->bed);
    }
    micai_release(host, waves, sizeof *waves, _Alignof(micai_waves));
}

// Frees unused memory.
static void reclaim_module(mica_world *world, void *data)
{
    micai_waves *waves = data;
    micai_array_free(&world->host, &waves->systems);
    micai_array_free(&world->host, &waves->batches);
    micai_array_free(&world->host, &waves->order);
    micai_arena_free(&world->host, &waves->memory);
    for (uint32_t i = 0; i < waves->workers.count; i++) {
        micai_worker *worker = waves->workers.items[i];
        micai_array_free(&worker->face.host, &worker->errors);
        if (!worker->frame.current) {
            micai_arena_free(&worker->face.host, &worker->frame);
        }
        micai_worker_count_memory(worker);
    }
}

static void rest(micai_waves *waves)
{
    micai_workers_rest(waves);
    for (uint32_t i = 0; i < waves->workers.count; i++) {
        micai_arena_reset(&waves->workers.items[i]->frame);
    }
}

static mica_result make(mica_world *world, micai_waves *waves)
{
    static const micai_wave_functions functions = {.declare = micai_parallel_declare,
                                                   .check = micai_parallel_check,
                                                   .run = micai_wave_run,
                                                   .rest = rest};
    waves->functions = &functions;
    waves->world = world;
    waves->state = world->state;
    waves->count = 1;
    waves->closed = micai_state_alloc_copy(&world->host);
    waves->has_lock = micai_lock_open(&waves->lock);
    waves->has_bed = micai_lock_open(&waves->bed);
    if (!waves->closed || !waves->has_lock || !waves->has_bed) {
        return MICA_ERROR_MEMORY;
    }
    micai_state *closed = waves->closed;
    closed->host = &world->host;
    closed->gate =
        (micai_gate){.host = &world->host, .slots = &closed->slots, .busy = &world->busy};
    closed->original = world->state;
    closed->stepping = closed->midway = true;
    closed->modules[MICAI_MODULE_WAVES].data = waves;
    return micai_worker_add(waves) ? MICA_OK : MICA_ERROR_MEMORY;
}

micai_waves *micai_waves_open(mica_world *world)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_WAVES];
    if (module->data) {
        return module->data;
    }
    micai_waves *waves = micai_alloc_zeroed(&world->host, sizeof *waves, _Alignof(micai_waves));
    if (!waves) {
        return NULL;
    }
    if (make(world, waves)) {
        close_module(world, waves);
        return NULL;
    }
    *module = (micai_module){.data = waves, .close = close_module, .reclaim = reclaim_module};
    return waves;
}

mica_result micai_waves_validate(mica_world *world, const void *data)
{
    const micai_waves *waves = data;
    micai_host *host = &world->host;
    bool right = waves->world == world && waves->state == world->state &&
                 waves->workers.count > 0 && waves->closed->original == world->state;
    for (uint32_t i = 0; right && i < waves->workers.count; i++) {
        const micai_worker *worker = waves->workers.items[i];
        const mica_world *face = &worker->face;
        right = face->state == worker->copy && worker->copy->original == world->state &&
                worker->copy->worker == worker && worker->waves == waves && face->busy == 1 &&
                worker->copy->walks.count == 0 && face->host.depth == 0 && !face->host.system &&
                face->host.memory.bytes == 0 && !worker->batch && worker->number == i;
    }
    return right ? MICA_OK : micai_fail_invariant(host, "Y6", "workers are not as between waves");
}
