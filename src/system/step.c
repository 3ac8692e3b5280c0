// The step: runs all phases, and their systems one after the other.
#include "system/step_internal.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/canary.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "query/cached_segment.h"
#include "state/trace.h"

// Reports that a system has ended the step. The system may be removed by now.
static mica_result fail_ended(const micai_step_run *r, mica_system handle)
{
    const micai_system *there = micai_systems_look_up(micai_systems_of(r->world), handle);
    return micai_fail(&r->world->host, MICA_ERROR_ITERATOR,
                      "%s: %s%s%s has ended the step with mica_world_end_iterations", r->call,
                      there ? "system '" : "a system that is gone",
                      there ? there->declared.system : "", there ? "'" : "");
}

// Prepares an iteration for a function of a system. The first one of a run gets a new tick.
static inline void begin_function(micai_step_run *r, const micai_system *one, micai_walk *walk,
                                  mica_iter *it)
{
    if (!r->ticked && !MICAI_CANARY("system.tick")) {
        micai_world_advance(r->world);
        r->ticked = true;
    }
    walk->held_by_step = true;
    it->user = one->user;
    it->dt = r->dt;
    it->time = r->time;
}

// Checks how a function of a system has left its iteration. Returns MICA_ERROR_ITERATOR with a
// report if the step is over, and MICA_ERROR_ITERATING if the iterator belongs to another iteration
// now.
static inline mica_result check_iteration(const micai_step_run *r, mica_iter *it,
                                          const micai_walk *walk, uint64_t serial,
                                          mica_system handle)
{
    if (MICAI_LIKELY(walk->serial == serial && it->walk == walk && !r->all->failed)) {
        return MICA_OK;
    }
    if (walk->serial != serial) {
        return fail_ended(r, handle);
    }
    if (it->walk != walk) {
        return MICA_ERROR_ITERATING;
    }
    micai_iter_stop(it);
    return MICA_ERROR_FAILED;
}

mica_result micai_run_rowless(micai_step_run *r, const micai_system *one, mica_update_fn *function,
                              bool *runs_out)
{
    micai_query *rowless = micai_query_look_up(r->world, r->all->rowless);
    micai_run_close_walk(r);
    micai_walk *walk = micai_query_open_walk(r->world, r->call, rowless, one->declared.system);
    if (!walk) {
        return r->world->host.failed;
    }
    mica_iter it;
    micai_iter_init(&it, r->world, walk, UINT32_MAX, 0, 1);
    begin_function(r, one, walk, &it);
    uint64_t serial = walk->serial;
    mica_system handle = one->handle;
    if (function) {
        function(&it);
    } else if (runs_out) {
        *runs_out = one->when(&it);
    }
    mica_result result = check_iteration(r, &it, walk, serial, handle);
    if (!result) {
        micai_iter_stop(&it);
    }
    return result;
}

// Moves to the next segment of a system's iteration. At the end, keeps the walk open for the next
// system if only closing is left to do.
static inline bool next_segment(micai_step_run *r, mica_iter *it, micai_walk *walk,
                                const micai_query *query)
{
    if (walk->next != micai_segment_next_cached) {
        return walk->next(it);
    }
    if (micai_segment_step_cached(it, walk, query)) {
        return true;
    }
    if (walk->match < query->tables.count) {
        return walk->next(it);
    }
    r->walk = walk;
    return false;
}

// Calls update for every segment.
static mica_result update_all(micai_step_run *r, micai_system *one)
{
    mica_iter it;
    micai_query *query = one->rows;
    micai_walk *walk =
        micai_iter_begin_all(&it, r->world, r->call, query, one->declared.system, r->walk);
    r->walk = NULL;
    if (!walk) {
        return r->world->host.failed;
    }
    begin_function(r, one, walk, &it);
    uint64_t serial = walk->serial;
    mica_system handle = one->handle;
    mica_update_fn *update = one->update;
    uint64_t segments = 0;
    uint64_t rows = 0;
    mica_result result = MICA_OK;
    while (!result && next_segment(r, &it, walk, query)) {
        segments++;
        rows += it.count;
        update(&it);
        result = check_iteration(r, &it, walk, serial, handle);
    }
    if (result != MICA_ERROR_ITERATOR) { // it still exists
        one->stats.segments += segments;
        one->stats.rows += rows;
    }
    return result ? result : it.result;
}

static mica_result update(micai_step_run *r, micai_system *one)
{
    const micai_query *query = one->rows;
    if (!query) {
        return micai_run_rowless(r, one, one->update, NULL);
    }
    if (query->tables.count == 0 && !micai_query_is_filtered(query)) {
        return MICA_OK; // nothing can match
    }
    return update_all(r, one);
}

// Calls the functions of a system, in their order.
static mica_result call_all(micai_step_run *r, micai_system *one)
{
    bool runs = true;
    mica_result result =
        one->when && !r->all->by_hand ? micai_run_rowless(r, one, NULL, &runs) : MICA_OK;
    if (result) {
        return result;
    }
    if (!runs) {
        one->stats.skipped++;
        return MICA_OK;
    }
    one->stats.runs++;
    result = one->begin ? micai_run_rowless(r, one, one->begin, NULL) : MICA_OK;
    result = result ? result : update(r, one);
    if (MICAI_CANARY("system.end_of_the_failed") && result == MICA_ERROR_FAILED) {
        result = MICA_OK;
    }
    return !result && one->end ? micai_run_rowless(r, one, one->end, NULL) : result;
}

static void record_time(micai_systems *all, micai_system *one, bool ran)
{
    uint64_t now = micai_clock_ns();
    if (ran) {
        one->stats.last_ns = now - all->clock_ns;
        one->stats.total_ns += one->stats.last_ns;
        one->stats.timed++;
    }
    all->clock_ns = now;
}

mica_result micai_run_check_walks(mica_world *world, const char *call, const micai_system *one,
                                  uint32_t expected, mica_result result)
{
    const micai_walks *walks = &world->state->walks;
    if (walks->count <= expected) {
        return result;
    }
    char of[MICAI_WALK_TEXT];
    walks->describe(walks->newest->query, of, sizeof of);
    micai_world_close_walks(world);
    return result == MICA_ERROR_FAILED
               ? result
               : micai_fail(&world->host, MICA_ERROR_ITERATING,
                            "%s: system '%.80s' left an iteration of %s open; mica_iter_end "
                            "ends one",
                            call, one->declared.system, of);
}

static mica_result run_system(micai_step_run *r, micai_system *one)
{
    mica_world *world = r->world;
    uint64_t runs = one->stats.runs;
    r->ticked = false;
    world->host.system = one->declared.system;
    world->state->declared = &one->declared;
    mica_result result = call_all(r, one);
    if (result == MICA_ERROR_ITERATOR) {
        return result; // the step is over, and the system may be removed
    }
    world->state->declared = NULL;
    if (r->all->timing) {
        record_time(r->all, one, one->stats.runs > runs);
    }
    if (MICAI_LIKELY(world->state->walks.count == (r->walk ? 1u : 0u))) {
        return result;
    }
    uint32_t expected = r->walk ? 1 : 0;
    r->walk = NULL;
    return micai_run_check_walks(world, r->call, one, expected, result);
}

// Replays commands in the middle of a step. The step pauses for this, and the world is open.
// Returns MICA_ERROR_ITERATOR with a report if the step is over then: systems and phases may have
// changed.
static mica_result replay_commands(micai_step_run *r)
{
    if (!r->world->state->waiting) {
        return MICA_OK;
    }
    micai_run_close_walk(r);
    micai_world_pause_step(r->world);
    mica_result result = micai_world_replay_waiting(r->world, r->call);
    if (r->world->state->midway) {
        micai_world_begin_step(r->world);
    }
    return result;
}

static void start_clock(micai_systems *all)
{
    if (all->timing) {
        all->clock_ns = micai_clock_ns();
    }
}

// Does the same as run_system() while tracing is on.
MICAI_COLD static mica_result run_traced(micai_step_run *r, micai_system *one)
{
    const char *name = one->declared.system;
    uint64_t rows = one->stats.rows;
    uint64_t segments = one->stats.segments;
    uint64_t began = micai_trace_begin(r->world, MICA_TRACE_SYSTEM, name);
    start_clock(r->all);
    mica_result result = run_system(r, one);
    micai_run_close_walk(r);
    if (MICAI_CANARY("system.trace_end")) {
        began = 0;
    }
    if (result != MICA_ERROR_ITERATOR) {
        micai_trace_end(r->world, MICA_TRACE_SYSTEM, name, began, one->stats.rows - rows,
                        one->stats.segments - segments);
    }
    return result;
}

// How a system, or the wave that begins with it, has run.
typedef struct outcome {
    micai_system *last; // of the wave
    mica_result result;
} outcome;

// Runs a system that runs in a wave, or after commands have been applied, or is disabled.
MICAI_COLD static outcome run_special(micai_step_run *r, micai_system *one, bool traced)
{
    outcome now = {one, one->enabled && one->replay_first ? replay_commands(r) : MICA_OK};
    start_clock(r->all);
    if (!now.result && one->declared.run != MICA_ALONE) {
        micai_waves *waves = micai_waves_of(r->world);
        micai_run_close_walk(r);
        now.result = waves->functions->run(r, waves, one, &now.last);
    } else if (!now.result && one->enabled) {
        now.result = traced ? run_traced(r, one) : run_system(r, one);
    }
    return now;
}

// Runs the systems of a phase. A system that ends the step may be removed by then, with those
// behind it. `traced` is a constant, so that untraced runs have no test for it.
static inline mica_result run_systems(micai_step_run *r, const micai_phase *phase, bool traced)
{
    mica_result result = MICA_OK;
    micai_system *one = phase->first;
    while (!result && one) {
        if (one->special) {
            const outcome now = run_special(r, one, traced);
            result = now.result;
            one = result ? NULL : now.last->next;
        } else {
            result = traced ? run_traced(r, one) : run_system(r, one);
            one = result ? NULL : one->next;
        }
    }
    return result;
}

MICAI_COLD static mica_result run_phase_traced(micai_step_run *r, const micai_phase *phase)
{
    uint64_t began = micai_trace_begin(r->world, MICA_TRACE_PHASE, phase->name);
    mica_result result = run_systems(r, phase, true);
    if (result != MICA_ERROR_ITERATOR) {
        micai_trace_end(r->world, MICA_TRACE_PHASE, phase->name, began, 0, 0);
    }
    return result;
}

// Runs a phase once.
static mica_result run_phase(micai_step_run *r, micai_phase *phase)
{
    phase->runs++;
    if (micai_trace_is_on(r->world)) {
        return run_phase_traced(r, phase);
    }
    start_clock(r->all);
    mica_result result = run_systems(r, phase, false);
    micai_run_close_walk(r);
    return result;
}

// Notes which events the systems of a phase can read in the run that begins.
static void note_events(const micai_step_run *r, const micai_phase *phase)
{
    const micai_module *events = &r->world->state->modules[MICAI_MODULE_QUEUE];
    for (micai_system *one = events->data ? phase->first : NULL; one; one = one->next) {
        for (uint32_t k = 0; k < one->declared.event_count; k++) {
            one->sent[k][0] = events->sent(events->data, one->declared.events[k].type.bits);
        }
    }
}

// Marks these events as read after a successful run. A failed run does not count, since some
// systems did not run.
static void mark_events_read(const micai_phase *phase)
{
    for (micai_system *one = phase->first; one; one = one->next) {
        for (uint32_t k = 0; k < one->declared.event_count; k++) {
            one->sent[k][2] = one->sent[k][1];
            one->sent[k][1] = one->sent[k][0];
        }
    }
}

// Drops the time beyond the maximum number of runs in one step.
static void drop_excess_time(micai_phase *phase)
{
    if (phase->next.lag >= phase->fixed_dt && !MICAI_CANARY("system.catch_up")) {
        double rest = fmod(phase->next.lag, phase->fixed_dt);
        phase->next.lost += phase->next.lag - rest;
        phase->next.lag = rest;
    }
}

// Runs a phase once for each of its time steps that has passed, up to its maximum.
static mica_result run_fixed(micai_step_run *r, micai_phase *phase, double dt)
{
    mica_result result = MICA_OK;
    uint64_t runs = 0;
    phase->next.lag += dt;
    r->dt = (float)phase->fixed_dt;
    while (!result && phase->next.lag >= phase->fixed_dt && runs < phase->max_runs) {
        result = runs > 0 ? replay_commands(r) : MICA_OK;
        if (!result) {
            r->time = (double)phase->next.done * phase->fixed_dt;
            note_events(r, phase);
            result = run_phase(r, phase);
        }
        if (!result) {
            mark_events_read(phase);
            phase->next.lag -= phase->fixed_dt;
            phase->next.done++;
            runs++;
        }
    }
    if (!result) {
        drop_excess_time(phase);
    }
    return result;
}

static mica_result run_phases(mica_world *world, micai_systems *all, const char *call, double dt)
{
    micai_step_run r = {.world = world, .all = all, .call = call};
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < all->phases.count; i++) {
        micai_phase *phase = all->phases.items[i];
        if (phase->manual) {
            continue;
        }
        result = i > 0 ? replay_commands(&r) : MICA_OK;
        if (!result && phase->fixed_dt > 0) {
            result = run_fixed(&r, phase, dt);
        } else if (!result) {
            r.dt = (float)dt;
            r.time = world->state->time;
            result = run_phase(&r, phase);
        }
    }
    return result;
}

// Fails if nothing may run now, or the time step is invalid.
static mica_result check_run(mica_world *world, const char *call, double dt)
{
    if (!(dt >= 0 && dt <= (double)FLT_MAX)) {
        return micai_fail(
            &world->host, MICA_ERROR_ARGUMENT,
            "%s: a time step of %g; it must be 0 or more, and no more than a float can hold", call,
            dt);
    }
    if (world->state->stepping && !world->host.hook) {
        return micai_fail(&world->host, MICA_ERROR_ITERATING,
                          "%s: a step is running, which ends when its systems have returned or, if "
                          "one was left by longjmp or an exception, with mica_world_end_iterations",
                          call);
    }
    return micai_world_guard_all(world, call);
}

static void begin_step(mica_world *world, micai_systems *all, const char *call, bool by_hand)
{
    micai_host_begin(&world->host, call);
    micai_store_compact_rings(&world->state->store, UINT32_MAX);
    micai_host_end(&world->host);
    micai_world_begin_step(world);
    if (all) {
        all->failed = false;
        all->by_hand = by_hand;
        all->call = call;
        for (uint32_t i = 0; i < all->phases.count; i++) {
            all->phases.items[i]->next = all->phases.items[i]->now;
        }
    }
}

// Commits the time of all phases after a successful step.
static void commit_time(mica_world *world, micai_systems *all, double dt)
{
    world->state->time += dt;
    for (uint32_t i = 0; all && i < all->phases.count; i++) {
        all->phases.items[i]->now = all->phases.items[i]->next;
    }
}

// Ends the frames of workers, which then sleep.
static inline void end_frames(mica_world *world)
{
    micai_waves *waves = micai_waves_of(world);
    if (waves) {
        waves->functions->rest(waves);
    }
}

mica_result mica_step(mica_world *world, double dt)
{
    static const char call[] = "mica_step";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = check_run(world, call, dt);
    if (result) {
        return result;
    }
    const micai_module *tape = &world->state->modules[MICAI_MODULE_TAPE];
    if (tape->begin_step) {
        result = tape->begin_step(world, tape->data, dt);
        if (result) {
            return result;
        }
    }
    micai_systems *all = micai_systems_of(world);
    uint64_t began = micai_trace_begin(world, MICA_TRACE_STEP, "step");
    begin_step(world, all, call, false);
    result = all ? run_phases(world, all, call, dt) : MICA_OK;
    mica_result settled = MICA_OK;
    if (result != MICA_ERROR_ITERATOR) { // it is not over already
        micai_world_end_step(world);
        if (!result) {
            commit_time(world, all, dt);
        }
        settled = micai_world_replay_waiting(world, call);
    }
    if (!result) {
        micai_world_end_frame(world);
    }
    if (all && !MICAI_CANARY("system.frame")) {
        micai_arena_reset(&all->frame);
        end_frames(world);
    }
    if (result != MICA_ERROR_ITERATOR) { // another tracing may have begun
        micai_trace_end(world, MICA_TRACE_STEP, "step", began, 0, 0);
    }
    return result ? result : settled;
}

// Running a list of phases or systems

// The time that a phase gives to its systems outside of steps.
static double time_by_hand(const mica_world *world, const micai_phase *phase)
{
    return phase->manual ? phase->now.own : world->state->time;
}

// Runs a phase of a list, whose handles have been checked.
static mica_result run_listed_phase(micai_step_run *r, mica_phase handle, double dt)
{
    micai_phase *phase = micai_phases_look_up(r->all, handle);
    r->time = time_by_hand(r->world, phase);
    mica_result result = run_phase(r, phase);
    if (!result && phase->manual) {
        phase->now.own += dt;
    }
    return result;
}

static mica_result run_listed_system(micai_step_run *r, mica_system handle)
{
    micai_system *one = micai_systems_look_up(r->all, handle);
    r->time = time_by_hand(r->world, one->phase);
    start_clock(r->all);
    micai_waves *waves = micai_waves_of(r->world);
    mica_result result = one->declared.run != MICA_ALONE
                             ? waves->functions->run(r, waves, one, NULL)
                         : micai_trace_is_on(r->world) ? run_traced(r, one)
                                                       : run_system(r, one);
    micai_run_close_walk(r);
    return result;
}

// Runs a list of phases or of systems; the other list is NULL. Commands are applied after each.
static mica_result run_list(mica_world *world, const char *call, const mica_phase *phases,
                            const mica_system *systems, uint32_t count, double dt)
{
    micai_systems *all = micai_systems_of(world);
    uint64_t began = micai_trace_begin(world, MICA_TRACE_STEP, "step");
    begin_step(world, all, call, systems != NULL);
    micai_step_run r = {.world = world, .all = all, .call = call, .dt = (float)dt};
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < count; i++) {
        result = i > 0 ? replay_commands(&r) : MICA_OK;
        if (!result) {
            result =
                phases ? run_listed_phase(&r, phases[i], dt) : run_listed_system(&r, systems[i]);
        }
    }
    if (result == MICA_ERROR_ITERATOR) { // the step is over already
        return result;
    }
    micai_world_end_step(world);
    mica_result settled = micai_world_replay_waiting(world, call);
    micai_trace_end(world, MICA_TRACE_STEP, "step", began, 0, 0);
    return result ? result : settled;
}

// Fails if the call may not run a list now.
static mica_result check_list(mica_world *world, const char *call, const char *what,
                              const void *list, uint32_t count, double dt)
{
    if (!world || (!list && count > 0)) {
        return micai_fail_null(micai_world_host(world), call, world ? what : "world");
    }
    return check_run(world, call, dt);
}

mica_result mica_phases_run(mica_world *world, const mica_phase *phases, uint32_t count, double dt)
{
    static const char call[] = "mica_phases_run";
    mica_result result = check_list(world, call, "phases", phases, count, dt);
    for (uint32_t i = 0; !result && i < count; i++) {
        char label[64];
        (void)snprintf(label, sizeof label, "%s: phases[%u]", call, (unsigned)i);
        result =
            micai_phases_find_named(world, label, phases[i]) ? MICA_OK : micai_world_failed(world);
    }
    return result || count == 0 ? result : run_list(world, call, phases, NULL, count, dt);
}

mica_result mica_systems_run(mica_world *world, const mica_system *systems, uint32_t count,
                             double dt)
{
    static const char call[] = "mica_systems_run";
    mica_result result = check_list(world, call, "systems", systems, count, dt);
    for (uint32_t i = 0; !result && i < count; i++) {
        char label[64];
        (void)snprintf(label, sizeof label, "%s: systems[%u]", call, (unsigned)i);
        result = micai_systems_find(world, label, systems[i]) ? MICA_OK : micai_world_failed(world);
    }
    return result || count == 0 ? result : run_list(world, call, NULL, systems, count, dt);
}

mica_result mica_system_fail(const mica_iter *it, int64_t value, const char *format, ...)
{
    static const char call[] = "mica_system_fail";
    if (!micai_iter_is_open(it)) {
        micai_iter_refuse(it, call);
        return MICA_ERROR_ITERATOR;
    }
    mica_world *world = it->world;
    if (!format) {
        return micai_fail_null(&world->host, call, "format");
    }
    if (!it->walk->held_by_step) {
        return micai_fail(&world->host, MICA_ERROR_ITERATOR,
                          "%s: this is an iteration, but not a system's own", call);
    }
    micai_systems *all = micai_systems_of(world);
    bool *failed = world->state->worker ? &world->state->worker->failed : &all->failed;
    if (!*failed) {
        char why[sizeof((mica_error *)0)->sentence];
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(why, sizeof why, format, arguments);
        va_end(arguments);
        *failed = true;
        micai_fail_value(&world->host, MICA_ERROR_FAILED, value, "%s: system '%.80s': %s",
                         all->call, it->walk->name, why);
    }
    return MICA_OK;
}

mica_result mica_world_set_timing(mica_world *world, bool on)
{
    static const char call[] = "mica_world_set_timing";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_all(world, call);
    if (!result) {
        micai_host_begin(&world->host, call);
        micai_systems *all = micai_systems_open(world);
        result = all ? MICA_OK : MICA_ERROR_MEMORY;
        micai_host_end(&world->host);
        if (all) {
            all->timing = on;
        }
    }
    return result;
}
