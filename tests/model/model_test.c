// Random operations on the library and on a naive model at once, compared after every one of them.
// A tape that fails is cut down and printed as a test for replay_test.c.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model/options.h"
#include "model/shrink.h"
#include "runner/test.h"

enum { BATCH = 32, STEPS_MAX = 1u << 20 };

static tape_op tape[STEPS_MAX];

// Several tapes share a process.
typedef struct batch {
    uint64_t seed;
    uint32_t count;
} batch;

static bool batch_failed;

static void run_batch(const void *user)
{
    const batch *b = user;
    for (uint32_t i = 0; i < b->count; i++) {
        tape_draw(b->seed + i, tape, model_run.steps);
        const char *difference = tape_run(tape, model_run.steps);
        if (difference) {
            printf("seed %" PRIu64 ": %s\n", b->seed + i, difference);
            batch_failed = true;
            return;
        }
    }
}

// One of these failed: finds out which, and shows it.
static void explain(uint64_t seed, uint32_t count, const char *reason)
{
    for (uint32_t i = 0; i < count; i++) {
        char said[SHRINK_SAID_SIZE];
        tape_draw(seed + i, tape, model_run.steps);
        if (!shrink_try_tape(tape, model_run.steps, true, said)) {
            continue;
        }
        uint32_t trials = 0;
        printf("model: seed %" PRIu64 " fails: %s\n", seed + i, said);
        uint32_t left = shrink_tape(tape, model_run.steps, said, &trials);
        printf("model: from %" PRIu32 " operations to %" PRIu32 " in %" PRIu32 " trials\n\n",
               model_run.steps, left, trials);
        tape_print(tape, left, seed + i, said);
        shrink_try_tape(tape, left, false, said); // once more, aloud
        test_fail(__FILE__, __LINE__, "seed %" PRIu64 ": %s", seed + i, said);
        return;
    }
    test_fail(__FILE__, __LINE__, "seeds from %" PRIu64 " fail together only: %s", seed, reason);
}

static bool runs(const batch *b)
{
    char said[SHRINK_SAID_SIZE] = "";
    if (!SHRINK_WORKS) {
        run_batch(b);
        return !batch_failed;
    }
    bool failed = shrink_try(run_batch, b, false, said);
    if (failed && model_run.whole) {
        test_fail(__FILE__, __LINE__, "of the seeds from %" PRIu64 ": %s", b->seed, said);
    } else if (failed) {
        explain(b->seed, b->count, said);
    }
    return !failed;
}

static void random_tapes_agree_with_the_model(void)
{
    REQUIRE(model_run.steps > 0 && model_run.steps <= STEPS_MAX);
    time_t end = time(NULL) + (time_t)model_run.seconds;
    uint32_t done = 0;
    bool failed = false;
    while (!failed && done < model_run.tapes && (model_run.seconds == 0 || time(NULL) < end)) {
        uint32_t left = model_run.tapes - done;
        batch b = {model_run.seed + done, left < BATCH ? left : BATCH};
        failed = !runs(&b);
        done += b.count;
    }
    CHECK(!failed);
    printf("model: %" PRIu64 " steps on %" PRIu32 " tapes, seeds from %" PRIu64 "\n",
           (uint64_t)done * model_run.steps, done, model_run.seed);
}

// Tapes are what the printed seed says, on every machine.
static void a_seed_is_a_tape(void)
{
    tape_op again[64];
    tape_draw(1, tape, 64);
    tape_draw(1, again, 64);
    CHECK_EQUAL(LIMIT, tape[0].code);
    for (uint32_t i = 0; i < 64; i++) {
        CHECK_EQUAL(again[i].code, tape[i].code);
        CHECK_EQUAL(again[i].a, tape[i].a);
        CHECK_EQUAL(again[i].b, tape[i].b);
        CHECK_EQUAL(again[i].c, tape[i].c);
        CHECK_EQUAL(again[i].d, tape[i].d);
    }
    CHECK(tape_run(tape, 64) == NULL);
}

// A process that dies, or says something, has failed.

static void be_quiet(const void *user)
{
    (void)user;
}

static void talk(const void *user)
{
    printf("%s\n", (const char *)user);
}

static void die(const void *user)
{
    (void)user;
    abort();
}

static void what_dies_or_talks_has_failed(void)
{
    if (!SHRINK_WORKS) {
        SKIP("there is no fork()");
    }
    char said[SHRINK_SAID_SIZE];
    CHECK(!shrink_try(be_quiet, NULL, true, said));
    CHECK(shrink_try(talk, "step 3: wrong", true, said));
    CHECK_TEXT("step 3: wrong", said);
    CHECK(shrink_try(die, NULL, true, said));
    CHECK_TEXT("died of signal 6", said);
}

TESTS(model, a_seed_is_a_tape, what_dies_or_talks_has_failed, random_tapes_agree_with_the_model)
