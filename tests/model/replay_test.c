// Tapes that failed once, cut down, as the suite `model` prints them. A tape that fails is pasted here
// before its cause is mended, and given a name that says what was wrong.
#include "model/tape.h"
#include "runner/test.h"

static void replay(const tape_op *tape, size_t count)
{
    CHECK_TEXT(NULL, tape_run(tape, (uint32_t)count));
}

static void no_operation_at_all(void)
{
    replay(NULL, 0);
}

// The shortest tapes that showed planted bugs.

// A move along an edge that forgot the record of the row which filled the hole.
static void who_fills_a_hole_is_found_again(void)
{
    static const tape_op tape[] = {
        {SPAWN, 0, 0, 0, 0},
        {SPAWN, 0, 0, 0, 0},
        {ADD, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// An end that forgot to move the generation on.
static void a_slot_that_is_used_again_has_a_new_generation(void)
{
    static const tape_op tape[] = {
        {SPAWN, 0, 0, 0, 0},
        {DESPAWN, 0, 0, 0, 0},
        {SPAWN, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

TESTS(replay, no_operation_at_all, who_fills_a_hole_is_found_again,
      a_slot_that_is_used_again_has_a_new_generation)
