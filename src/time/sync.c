// The sync test: two runs of the same step must agree.
//
// The mirror is where a step begins, `before`, while it runs; and a log leads from there to where the first
// run has ended. After each system, and after commands, the sums of mica_world_hash() are noted, apart for
// each type. The first sum that is another one in the second run tells the system and the type.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "entity/digest.h"
#include "event/queue.h"
#include "state/trace.h"
#include "system/wave.h"
#include "time/sides_internal.h"

// A point of a run where the state is noted.
typedef struct micai_moment {
    const char *phase;  // NULL: none has begun
    const char *system; // NULL: commands
    uint32_t first;     // of its sums
    uint32_t count;     // the last one is that of events
} micai_moment;

typedef struct moments {
    MICAI_ARRAY(micai_moment) list;
    MICAI_ARRAY(uint64_t) sums;
    const char *phase; // that runs
    bool failed;       // MICA_ERROR_MEMORY
} moments;

typedef struct trial {
    micai_test test;
    const char *call;
    uint64_t synced;       // the tick of the mirror when the test began
    micai_time_log before; // from the last snapshot to the step
    micai_time_log first;  // of the first run
    moments runs[2];
    uint32_t run;
    bool expected; // the step that begins next is the test's
    micai_tracing *tracing;
    micai_module outer; // of the program's trace
} trial;

// Noting

static void note(mica_world *world, trial *s, const char *system)
{
    moments *m = &s->runs[s->run];
    micai_state *state = world->state;
    uint32_t count = MICAI_SUM_TYPES + state->registry.list.count + 1;
    micai_host_begin_try(&world->host);
    bool reserved = micai_array_reserve(&world->host, &m->list, 1) &&
                    micai_array_reserve(&world->host, &m->sums, count);
    if (reserved) {
        uint64_t *sums = m->sums.items + m->sums.count;
        memset(sums, 0, count * sizeof *sums);
        micai_sums to = {.sums = sums, .apart = true};
        reserved = micai_entities_hash(world, s->call, &to) == MICA_OK;
        micai_resources_hash(state, &to);
        const void *queues = state->modules[MICAI_MODULE_QUEUE].data;
        sums[count - 1] = queues ? micai_queues_digest(state, queues, 0) : 0;
        m->list.items[m->list.count++] = (micai_moment){m->phase, system, m->sums.count, count};
        m->sums.count += count;
    }
    m->failed = m->failed || !reserved;
    micai_host_end_try(&world->host, true);
}

// Returns the program's trace to its place.
static void stop_watching(mica_world *world, trial *s)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_TRACE];
    if (module->data == s->tracing) {
        micai_release(&world->host, s->tracing, sizeof *s->tracing, _Alignof(micai_tracing));
        *module = s->outer;
    }
}

// Passes a point on to the program's trace.
static uint64_t pass_on(mica_world *world, trial *s, mica_trace_point *point)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_TRACE];
    micai_module own = *module;
    uint64_t began = 1;
    if (s->outer.data) {
        *module = s->outer;
        began = s->outer.trace(world, s->outer.data, point);
        *module = own;
    }
    return began;
}

static uint64_t watch(mica_world *world, void *data, mica_trace_point *point)
{
    trial *s = ((micai_tracing *)data)->user;
    bool step = point->kind == MICA_TRACE_STEP && !point->ended;
    if (step && !s->expected) { // the test was left
        micai_module outer = s->outer;
        stop_watching(world, s);
        return outer.data ? outer.trace(world, outer.data, point) : 0;
    }
    s->expected = s->expected && !step;
    if (point->kind == MICA_TRACE_PHASE && !point->ended) {
        s->runs[s->run].phase = point->name;
    }
    // The batches of a wave end together.
    if (point->ended && point->batch <= 1 &&
        (point->kind == MICA_TRACE_SYSTEM || point->kind == MICA_TRACE_COMMANDS)) {
        note(world, s, point->kind == MICA_TRACE_SYSTEM ? point->name : NULL);
    }
    return pass_on(world, s, point);
}

// The world is freed during a test that was left.
static void close_watch(mica_world *world, void *data)
{
    trial *s = ((micai_tracing *)data)->user;
    micai_module outer = s->outer;
    stop_watching(world, s);
    world->state->modules[MICAI_MODULE_TRACE] = (micai_module){0};
    if (outer.data) {
        outer.close(world, outer.data);
    }
}

static bool start_watching(mica_world *world, trial *s)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_TRACE];
    s->tracing = micai_alloc_zeroed(&world->host, sizeof *s->tracing, _Alignof(micai_tracing));
    if (s->tracing) {
        s->tracing->user = s;
        s->outer = *module;
        *module = (micai_module){.data = s->tracing, .close = close_watch, .trace = watch};
    }
    return s->tracing != NULL;
}

// Running

static void abandon(mica_world *world, micai_history *h)
{
    trial *s = (trial *)(void *)h->test;
    micai_host *host = &world->host;
    stop_watching(world, s);
    micai_time_log_swap_backward(&s->before);
    h->synced = s->synced;
    micai_time_log_free(&h->heap, &s->before);
    micai_time_log_free(&h->heap, &s->first);
    for (int i = 0; i < 2; i++) {
        micai_array_free(host, &s->runs[i].list);
        micai_array_free(host, &s->runs[i].sums);
    }
    micai_scan_forget(world, h);
    h->test = NULL;
    micai_release(host, s, sizeof *s, _Alignof(trial));
}

// Brings the mirror up to the world, with a log that leads back. On failure, the mirror is as before.
static mica_result advance(mica_world *world, const char *call, micai_history *h,
                           micai_time_log *log)
{
    mica_result result = micai_history_check_types(world, call, &h->types);
    if (result) {
        return result;
    }
    if (!micai_history_is_usable(world, h)) {
        return micai_fail(
            &world->host, MICA_ERROR_TIME,
            "%s: a storage or a group has changed, or an image was loaded, in the step", call);
    }
    micai_host_begin(&world->host, call);
    bool taken = micai_scan_take(world, h, log);
    if (taken) {
        micai_scan_settle(world, h);
    } else {
        micai_time_log_swap_backward(log);
        micai_time_log_free(&h->heap, log);
        micai_scan_forget(world, h);
    }
    micai_host_end(&world->host);
    return taken ? MICA_OK : MICA_ERROR_MEMORY;
}

static mica_result run_once(mica_world *world, trial *s, double dt)
{
    s->expected = true;
    mica_result result = mica_step(world, dt);
    return !result && s->runs[s->run].failed ? micai_fail(&world->host, MICA_ERROR_MEMORY,
                                                          "%s: no memory to note hashes", s->call)
                                             : result;
}

// Restores the world as it was before the first run. On failure, nothing has changed.
static mica_result go_back(mica_world *world, micai_history *h, trial *s)
{
    uint32_t tables = micai_world_begin(world, s->call);
    mica_result result = micai_scan_cover(world, h) ? MICA_OK : MICA_ERROR_MEMORY;
    if (!result) {
        micai_kept first = {.log = s->first};
        micai_restoring r = micai_rewind_begin(world, h, &first, 1);
        micai_time_log_swap_backward(&first.log);
        result = micai_rewind_reserve(&r);
        if (result) {
            micai_rewind_cancel(&r);
            micai_time_log_swap_forward(&first.log);
        } else {
            micai_rewind_commit(&r);
            micai_scan_settle(world, h);
        }
    }
    return micai_world_end(world, tables, result);
}

// Comparing

// The place of the sum that differs first.
typedef struct differing {
    const micai_moment *at; // NULL: no sum differs
    uint32_t sum;           // UINT32_MAX: another system ran, or only one run had commands
} differing;

static uint32_t find_sum(const trial *s, const micai_moment *a, const micai_moment *b)
{
    const uint64_t *x = s->runs[0].sums.items + a->first;
    const uint64_t *y = s->runs[1].sums.items + b->first;
    uint32_t sum = 0;
    while (sum < a->count && sum < b->count && x[sum] == y[sum]) {
        sum++;
    }
    return sum == a->count && sum == b->count ? UINT32_MAX : sum;
}

static differing find_moment(const trial *s)
{
    const moments *a = &s->runs[0];
    const moments *b = &s->runs[1];
    differing found = {NULL, UINT32_MAX};
    for (uint32_t i = 0; !found.at && (i < a->list.count || i < b->list.count); i++) {
        const micai_moment *x = i < a->list.count ? &a->list.items[i] : NULL;
        const micai_moment *y = i < b->list.count ? &b->list.items[i] : NULL;
        bool same = x && y && x->system == y->system && x->phase == y->phase;
        found.sum = same ? find_sum(s, x, y) : UINT32_MAX;
        bool commands = x && !x->system;
        found.at = same && found.sum == UINT32_MAX ? NULL : commands || !y ? x : y;
    }
    return found;
}

// Looks for the difference at the end of the step that belongs to a sum.
typedef struct search {
    uint32_t sum;
    uint32_t types;
    mica_state_difference found;
    bool any;
} search;

static bool belongs(const search *s, const mica_state_difference *difference)
{
    if (s->sum == UINT32_MAX) {
        return true;
    }
    bool existence =
        difference->kind == MICA_STATE_SPAWNED || difference->kind == MICA_STATE_DESPAWNED;
    if (s->sum == MICAI_SUM_ENTITIES || s->sum == MICAI_SUM_FACETS) {
        return existence;
    }
    if (s->sum == MICAI_SUM_NAMES) {
        return difference->kind == MICA_STATE_NAME;
    }
    return !MICA_IS_NONE(difference->type) &&
           micai_stamp_number(difference->type.bits) == s->sum - MICAI_SUM_TYPES;
}

static bool look(const mica_state_difference *difference)
{
    search *s = difference->user;
    s->any = belongs(s, difference);
    if (s->any) {
        s->found = *difference;
    }
    return !s->any;
}

// Finds a difference between the two ends that belongs to the sum. The mirror is where the second run has
// ended, and `second` leads back. Fails with MICA_ERROR_MEMORY.
static mica_result compare_ends(mica_world *world, micai_history *h, trial *s,
                                micai_time_log *second, search *found)
{
    micai_host *host = &world->host;
    micai_side sides[2] = {{.host = host}, {.host = host}};
    micai_ranges ranges = {.host = host};
    micai_host_begin(host, s->call);
    bool copied = micai_ranges_add(&ranges, second) && micai_ranges_add(&ranges, &s->first);
    micai_ranges_join(&ranges);
    copied = copied && micai_side_copy(&sides[1], h, &ranges);
    micai_time_log_swap_backward(second);
    micai_time_log_swap_forward(&s->first);
    copied = copied && micai_side_copy(&sides[0], h, &ranges);
    micai_time_log_swap_backward(&s->first);
    micai_time_log_swap_forward(second);
    micai_ranges_free(&ranges);
    micai_host_end(host);
    mica_result result =
        copied ? micai_sides_compare(world, s->call, &sides[0], &sides[1], look, found)
               : MICA_ERROR_MEMORY;
    micai_side_free(&sides[0]);
    micai_side_free(&sides[1]);
    return result;
}

// Telling

enum { LONGEST = 200 };

static void describe_place(const mica_desync *desync, char text[LONGEST])
{
    if (desync->system) {
        snprintf(text, LONGEST, "system '%.60s'", desync->system);
    } else if (desync->phase) {
        snprintf(text, LONGEST, "the commands of phase '%.60s'", desync->phase);
    } else {
        snprintf(text, LONGEST, "the step");
    }
}

static void describe_what(mica_world *world, const mica_desync *desync, const differing *at,
                          const search *found, char text[LONGEST])
{
    static const char *const others[] = {"the entities", "the names", "the facets", "the events"};
    const micai_registry *types = &world->state->registry;
    char entity[MICA_ENTITY_TEXT_SIZE] = "";
    char of[MICA_ENTITY_TEXT_SIZE + 16] = "";
    if (!MICA_IS_NONE(desync->entity)) {
        mica_entity_text(desync->entity, entity);
        snprintf(of, sizeof of, " of entity %s", entity);
    }
    if (!MICA_IS_NONE(desync->type)) {
        const mica_type_info *info =
            &types->list.items[micai_stamp_number(desync->type.bits)]->info;
        snprintf(text, LONGEST, "'%.60s%s%.40s'%s", info->name, desync->field ? "." : "",
                 desync->field ? desync->field : "", of);
    } else if (found->any && found->found.kind == MICA_STATE_NAME) {
        snprintf(text, LONGEST, "the name%s", of);
    } else if (found->any) {
        snprintf(text, LONGEST, "entity %s exists only once", entity);
    } else if (!at->at) {
        snprintf(text, LONGEST, "the order of rows, or a tick");
    } else if (at->sum == UINT32_MAX) {
        snprintf(text, LONGEST, at->at->system ? "it ran only once" : "there were some only once");
    } else {
        snprintf(text, LONGEST, "%s", others[micai_smaller(at->sum, MICAI_SUM_TYPES)]);
    }
}

static mica_result tell(mica_world *world, const trial *s, const differing *at, const search *found,
                        mica_desync *desync_out)
{
    mica_desync desync = {0};
    if (at->at) {
        desync.phase = at->at->phase;
        desync.system = at->at->system;
    }
    bool of_type = at->at && at->sum >= MICAI_SUM_TYPES && at->sum - MICAI_SUM_TYPES < found->types;
    if (of_type) {
        desync.type = world->state->registry.list.items[at->sum - MICAI_SUM_TYPES]->info.type;
    }
    if (found->any) {
        desync.entity = found->found.entity;
        desync.type = found->found.type;
        desync.field = found->found.field;
    }
    if (desync_out) {
        *desync_out = desync;
    }
    char place[LONGEST], what[LONGEST];
    describe_place(&desync, place);
    describe_what(world, &desync, at, found, what);
    return micai_fail(&world->host, MICA_ERROR_DESYNC,
                      "%s: two runs of the step differ after %s: %s", s->call, place, what);
}

// Compares the two runs.
static mica_result compare_runs(mica_world *world, micai_history *h, trial *s,
                                const uint64_t digests[2], mica_desync *desync_out)
{
    differing at = find_moment(s);
    if (!at.at && digests[0] == digests[1]) {
        return MICA_OK;
    }
    search found = {.sum = at.sum, .types = world->state->registry.list.count};
    micai_time_log second = {0};
    mica_result result = MICA_OK;
    if (at.at) {
        result = advance(world, s->call, h, &second);
        result = result ? result : compare_ends(world, h, s, &second, &found);
        micai_time_log_swap_backward(&second);
        micai_time_log_free(&h->heap, &second);
    }
    return result ? result : tell(world, s, &at, &found, desync_out);
}

// Runs the step twice.
static mica_result run_twice(mica_world *world, micai_history *h, trial *s, double dt,
                             mica_desync *desync_out)
{
    uint64_t digests[2];
    mica_result result = run_once(world, s, dt);
    digests[0] = mica_world_digest(world);
    result = result ? result : advance(world, s->call, h, &s->first);
    result = result ? result : go_back(world, h, s);
    if (result) {
        micai_time_log_swap_backward(&s->first);
        return result;
    }
    s->run = 1;
    // Batches of parallel systems run in another order.
    micai_waves *waves = micai_waves_of(world);
    uint64_t shuffle = waves ? waves->shuffle : 0;
    if (waves && !MICAI_CANARY("time.sync_order")) {
        waves->shuffle = shuffle + 1;
    }
    result = run_once(world, s, dt);
    if (waves) {
        waves->shuffle = shuffle;
    }
    digests[1] = mica_world_digest(world);
    return result ? result : compare_runs(world, h, s, digests, desync_out);
}

mica_result mica_sync_test(mica_world *world, double dt, mica_desync *desync_out)
{
    static const char call[] = "mica_sync_test";
    micai_history *h;
    if (desync_out) {
        *desync_out = (mica_desync){0};
    }
    mica_result result = micai_history_check_begun(world, call, &h);
    result = result ? result : micai_history_check_types(world, call, &h->types);
    if (!result && world->state->modules[MICAI_MODULE_TAPE].data) {
        result =
            micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                       "%s: the world is recorded on a tape, and the test runs a step twice", call);
    }
    if (result) {
        return result;
    }
    micai_host *host = &world->host;
    micai_host_begin(host, call);
    result = micai_history_prepare(world, h);
    trial *s = result ? NULL : micai_alloc_zeroed(host, sizeof *s, _Alignof(trial));
    if (s) {
        s->test.abandon = abandon;
        s->call = call;
        s->synced = h->synced;
        h->test = &s->test;
        result = start_watching(world, s) ? advance(world, call, h, &s->before) : MICA_ERROR_MEMORY;
    }
    micai_host_end(host);
    if (s) {
        result = result ? result : run_twice(world, h, s, dt, desync_out);
        abandon(world, h);
    }
    return s ? result : MICA_ERROR_MEMORY;
}
