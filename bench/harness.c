// Timing: sides in turn, smallest sample. See harness.h. Called by main.c.
//
// The runs are reached through function pointers in other files, so nothing of them can be moved
// out of the timed loop or dropped; their results are read by `check` afterwards.
//
// Invariants:
//   H1  all present sides of a case make the same number of runs, in the same order.
//   H2  the time of `prepare`, `setup` and `teardown` is in no figure.
#include "harness.h"

#include "host.h"

#include <string.h>

enum {
    SAMPLE_NS = 200 * 1000,      // a sample is at least this long,
    TRIAL_NS = 20 * 1000 * 1000, // unless a sample of each side, with all preparation, is this long
    CASE_NS = 100 * 1000 * 1000, // samples are taken for at least so long, to outlast a bad moment
    RETURN_RUNS = 3, // before a sample, not timed: the other sides have had the caches meanwhile
    LARGE_COUNT = 1 << 20, // from so many entities on, one will do: they do not fit
    COLD_COUNT = 16384, // from so many entities on, fresh is on new memory; below, it is too little
    CLOCK_TRIES = 1000
};

const char *const bench_policy_names[BENCH_POLICY_COUNT] = {[BENCH_TABLE] = "table",
                                                            [BENCH_SPARSE] = "sparse",
                                                            [BENCH_GROUP] = "group",
                                                            [BENCH_RING] = "ring",
                                                            [BENCH_SPLIT] = "split"};
const char *const bench_unit_names[BENCH_UNIT_COUNT] = {
    [BENCH_NS] = "ns", [BENCH_BYTES] = "bytes", [BENCH_COUNT] = "count"};

// One case while it is measured.
typedef struct measurement {
    const bench_scenario *scenario;
    const bench_case *what;
    void *states[BENCH_SIDE_COUNT];
    bench_result *result;
    uint64_t clock_ns; // what one reading of the clock takes
} measurement;

static bool is_present(const measurement *s, int side)
{
    return s->scenario->sides[side].setup != NULL;
}

static uint64_t measure_clock(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < CLOCK_TRIES; i++) {
        uint64_t start = bench_now_ns();
        uint64_t took = bench_now_ns() - start;
        best = took < best ? took : best;
    }
    return best;
}

static double elapsed_ns(const measurement *s, uint64_t start)
{
    uint64_t took = bench_now_ns() - start;
    return took > s->clock_ns ? (double)(took - s->clock_ns) : 0;
}

static bool set_up(measurement *s, int side)
{
    s->states[side] = s->scenario->sides[side].setup(s->what);
    if (s->states[side] == NULL) {
        s->result->error = "a side could not be set up";
    }
    return s->states[side] != NULL;
}

static void tear_down(measurement *s, int side)
{
    if (s->states[side] != NULL) {
        s->scenario->sides[side].teardown(s->states[side]);
        s->states[side] = NULL;
    }
}

// Takes the result of a side, and compares it with the sides before it.
static void check(measurement *s, int side)
{
    bench_figure *figures = s->result->sides;
    figures[side].check = s->scenario->sides[side].check(s->states[side]);
    for (int other = 0; other < side; other++) {
        if (is_present(s, other) && figures[other].check != figures[side].check) {
            s->result->error = "the sides do not agree on the result";
        }
    }
}

static int return_runs(const measurement *s)
{
    return s->what->n < LARGE_COUNT ? RETURN_RUNS : 1;
}

// The three ways to take a sample of `runs` runs. Each returns nanoseconds, or the scenario's
// value.

static double sample_kept(measurement *s, int side, uint32_t runs)
{
    const bench_side *how = &s->scenario->sides[side];
    void *state = s->states[side];
    for (int i = return_runs(s); i > 0; i--) {
        how->run(state);
    }
    bench_barrier();
    uint64_t start = bench_now_ns();
    for (uint32_t i = 0; i < runs; i++) {
        how->run(state);
        bench_barrier();
    }
    return elapsed_ns(s, start);
}

static double sample_prepared(measurement *s, int side, uint32_t runs)
{
    const bench_side *how = &s->scenario->sides[side];
    void *state = s->states[side];
    double total = 0;
    for (int i = return_runs(s); i > 0; i--) {
        how->prepare(state);
        how->run(state);
    }
    for (uint32_t i = 0; i < runs; i++) {
        how->prepare(state);
        bench_barrier();
        uint64_t start = bench_now_ns();
        how->run(state);
        bench_barrier();
        double took = elapsed_ns(s, start);
        total += how->value != NULL ? how->value(state) : took;
    }
    return total;
}

static double sample_fresh(measurement *s, int side, uint32_t runs)
{
    const bench_side *how = &s->scenario->sides[side];
    double total = 0;
    bool is_cold = s->what->n >= COLD_COUNT;
    for (uint32_t i = 0; i < runs; i++) {
        if (i == 0 || is_cold) {
            bench_trim();
        }
        if (!set_up(s, side)) {
            return 0;
        }
        bench_barrier();
        uint64_t start = bench_now_ns();
        how->run(s->states[side]);
        bench_barrier();
        double took = elapsed_ns(s, start);
        total += how->value != NULL ? how->value(s->states[side]) : took;
        if (i + 1 == runs) {
            check(s, side);
        }
        tear_down(s, side);
    }
    return total;
}

static double sample(measurement *s, int side, uint32_t runs)
{
    if (s->scenario->fresh) {
        return sample_fresh(s, side, runs);
    }
    if (s->scenario->sides[side].prepare != NULL) {
        return sample_prepared(s, side, runs);
    }
    return sample_kept(s, side, runs);
}

// What is looked up once is, and memory is there.
static uint32_t warm_runs(const bench_scenario *scenario)
{
    return scenario->warm_runs > 0 ? scenario->warm_runs : 3;
}

// Sets up what is kept, runs it until it is warm, and compares first results.
static bool begin(measurement *s)
{
    const bench_scenario *scenario = s->scenario;
    uint32_t warm = warm_runs(scenario);
    for (int side = 0; side < BENCH_SIDE_COUNT; side++) {
        if (scenario->fresh || !is_present(s, side)) {
            continue;
        }
        if (!set_up(s, side)) {
            return false;
        }
        const bench_side *how = &scenario->sides[side];
        for (uint32_t i = 0; i < warm; i++) {
            if (how->prepare != NULL) {
                how->prepare(s->states[side]);
            }
            how->run(s->states[side]);
        }
        check(s, side);
    }
    return s->result->error == NULL;
}

// How many runs make a sample long enough for the clock. Every side does every trial (H1).
static uint32_t choose_runs(measurement *s)
{
    for (uint32_t runs = 1;; runs *= 2) {
        double shortest_ns = -1;
        uint64_t start = bench_now_ns();
        for (int side = 0; side < BENCH_SIDE_COUNT; side++) {
            if (is_present(s, side)) {
                double took = sample(s, side, runs);
                shortest_ns = shortest_ns < 0 || took < shortest_ns ? took : shortest_ns;
            }
        }
        bool is_long = shortest_ns >= SAMPLE_NS || bench_now_ns() - start >= TRIAL_NS;
        if (is_long || s->result->error != NULL) {
            return runs;
        }
    }
}

static uint32_t items_of(const bench_scenario *scenario, uint32_t n)
{
    return scenario->items != NULL ? scenario->items(n) : n;
}

static void take_samples(measurement *s, uint32_t repeats, uint32_t runs)
{
    uint32_t items = items_of(s->scenario, s->what->n);
    bool goes_on = s->scenario->unit == BENCH_NS && repeats > 1;
    uint64_t end_ns = goes_on ? bench_now_ns() + CASE_NS : 0;
    for (uint32_t i = 0; i < repeats || bench_now_ns() < end_ns; i++) {
        for (int side = 0; side < BENCH_SIDE_COUNT; side++) {
            if (!is_present(s, side)) {
                continue;
            }
            double per_item = sample(s, side, runs) / ((double)runs * items);
            bench_figure *figure = &s->result->sides[side];
            if (per_item >= 0 && (!figure->known || per_item < figure->per_item)) {
                figure->known = true;
                figure->per_item = per_item;
            }
        }
        if (s->result->error != NULL) {
            return;
        }
    }
}

bool bench_measure(const bench_scenario *scenario, const bench_case *what, uint32_t repeats,
                   bench_result *result_out)
{
    memset(result_out, 0, sizeof *result_out);
    measurement s = {
        .scenario = scenario, .what = what, .result = result_out, .clock_ns = measure_clock()};
    if (begin(&s)) {
        uint32_t runs = scenario->unit != BENCH_NS ? 1 : choose_runs(&s);
        take_samples(&s, repeats, runs);
    }
    for (int side = 0; side < BENCH_SIDE_COUNT; side++) {
        if (s.states[side] != NULL && result_out->error == NULL) {
            check(&s, side);
        }
    }
    for (int side = 0; side < BENCH_SIDE_COUNT; side++) {
        tear_down(&s, side);
    }
    return result_out->error == NULL;
}

// What a profiler counts, with all it calls: never inlined, or it would not be found.
#if defined(__GNUC__)
#define APART __attribute__((noinline))
#else
#define APART
#endif

APART void bench_counted(void (*run)(void *state), void *state);
APART void bench_counted(void (*run)(void *state), void *state)
{
    run(state);
    bench_barrier();
}

bool bench_count(const bench_scenario *scenario, const bench_case *what, uint32_t *items_out)
{
    const bench_side *how = &scenario->sides[BENCH_MICA];
    uint32_t warm = scenario->fresh ? 0 : warm_runs(scenario);
    *items_out = items_of(scenario, what->n);
    void *state = how->setup(what);
    if (state == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < warm; i++) {
        if (how->prepare != NULL) {
            how->prepare(state);
        }
        how->run(state);
    }
    if (how->prepare != NULL) {
        how->prepare(state);
    }
    bench_counted(how->run, state);
    how->teardown(state);
    return true;
}
