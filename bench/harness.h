// A scenario: one piece of work, done by up to three sides, timed side by side.
//
//   mica    the library, through its public headers
//   limit   the same work on plain C arrays, 64-byte aligned, with no bookkeeping
//   floor   the same with the least bookkeeping that has generational handles (floor.h), where
//           handles are part of the work
//
// The sides take turns, sample by sample, in one process; the figure is the smallest sample. A
// scenario's states live in one of three ways:
//
//   kept      set up once; runs follow one another without a pause. A sample is as many runs as the
//             fastest side needs for 200 microseconds, after a few that are not timed.
//   prepared  set up once; `prepare` brings the state back before every run, outside the clock.
//   fresh     set up anew for every run. With many entities, memory freed before is given back to
//             the system first, so that every page is met for the first time.
//
// All sides of a case make the same number of runs, so their results stay comparable to the end.
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The storage policy of the components; `group` is sparse, and owned by groups. To add one: a name here
// and in harness.c, and the bit in `policies` of the scenarios that can do it.
typedef enum bench_policy {
    BENCH_TABLE = 0,
    BENCH_SPARSE,
    BENCH_GROUP,
    BENCH_RING,
    BENCH_SPLIT,
    BENCH_POLICY_COUNT
} bench_policy;

extern const char *const bench_policy_names[BENCH_POLICY_COUNT];

// Of `policies`. Whatever can be sparse can be in a ring; values that are reached by pointers cannot be
// split.
enum {
    BENCH_ALSO_SPARSE = 1 << BENCH_SPARSE | 1 << BENCH_RING,
    BENCH_ALSO_GROUP = BENCH_ALSO_SPARSE | 1 << BENCH_GROUP,
    BENCH_ALSO_SPLIT = 1 << BENCH_SPLIT,
    BENCH_ALSO_ALL = BENCH_ALSO_GROUP | BENCH_ALSO_SPLIT
};

typedef enum bench_unit { BENCH_NS = 0, BENCH_BYTES, BENCH_COUNT, BENCH_UNIT_COUNT } bench_unit;

extern const char *const bench_unit_names[BENCH_UNIT_COUNT];

typedef struct bench_case {
    uint32_t n; // entities
    bench_policy policy;
} bench_case;

// How one side does the work. A side without `setup` is absent.
typedef struct bench_side {
    void *(*setup)(const bench_case *what); // the state; NULL: it could not be made
    void (*prepare)(void *state);           // NULL: the state is kept or fresh
    void (*run)(void *state);               // the work, on all n
    uint64_t (*check)(void *state);         // the results, in whatever order they lie
    void (*teardown)(void *state);
    double (*value)(
        void *state); // NULL: time is measured. What the last run is measured by instead,
                      // for all items together; negative: not known here. Not for kept
} bench_side;

enum { BENCH_MICA = 0, BENCH_LIMIT, BENCH_FLOOR, BENCH_SIDE_COUNT };

enum { BENCH_SIZES_MAX = 4, BENCH_GROWTH_MAX = 9 };

#define BENCH_GROWTH_ENTITIES                                                                      \
    {                                                                                              \
        1000, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216                               \
    }

// Zero is the default of every field.
typedef struct bench_scenario {
    const char *name;
    const char *text;                  // one line for --list
    uint32_t sizes[BENCH_SIZES_MAX];   // values of n, ended by 0 if fewer; all 0: 1,000, 65,536
                                       // and 1,048,576
    uint32_t growth[BENCH_GROWTH_MAX]; // values of n for a growth curve, likewise; all 0: none
    uint32_t policies;                 // bits 1 << policy, beside table, which always runs
    bool sparse_only;                  // but not here: only sparse does
    bool ring_only;                    // nor here: only ring does
    bench_unit unit;
    bool fixed_size;               // --n does not apply
    bool fresh;                    // see above
    uint32_t warm_runs;            // kept: runs before the first check; 0: three
    uint32_t (*items)(uint32_t n); // what a run is divided by; NULL: n
    bench_side sides[BENCH_SIDE_COUNT];
} bench_scenario;

// The scenarios of one file.
typedef struct bench_family {
    const bench_scenario *scenarios;
    size_t count;
} bench_family;

typedef struct bench_figure {
    bool known;
    double per_item;
    uint64_t check;
} bench_figure;

typedef struct bench_result {
    bench_figure sides[BENCH_SIDE_COUNT];
    const char *error; // NULL: the figures stand. Static text.
} bench_result;

// Measures one case: `repeats` samples of each side, more if that takes less than 0.1 s, unless one will
// do. False if it failed: then `error` says why.
bool bench_measure(const bench_scenario *scenario, const bench_case *what, uint32_t repeats,
                   bench_result *result_out);

// Does the work of mica's side once, in bench_counted(), which a profiler finds by its name: on a state
// that has been set up, and warmed unless it is fresh. `items_out` is what to divide by. False if it
// could not be set up.
bool bench_count(const bench_scenario *scenario, const bench_case *what, uint32_t *items_out);

// Between two steps that the compiler must not merge, although together they come to less.
static inline void bench_barrier(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

#endif
