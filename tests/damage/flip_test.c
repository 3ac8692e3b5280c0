#include "damage/flip.h"

#include "runner/test.h"

static void flip(const flip_options *options)
{
    static everything e;
    everything_begin(&e, 40, options->apart);
    flip_counts counts;
    bool done = flip_all(&e, options, &counts);
    everything_end(&e);
    if (!done) {
        SKIP("needs fork()");
    }
    CHECK_EQUAL(options->flips, counts.reported + counts.unnoticed + counts.crashed);
    CHECK(counts.crashed < options->flips / 100);
    CHECK(counts.reported > options->flips / 5);
    CHECK(counts.missed < counts.reported / 10);
}

// Whatever bit is flipped, validation says so or does not notice; it follows nothing that is damaged,
// as far as bounds can tell. Nearly all of those that it does follow lead to other blocks.
static void a_flipped_bit_is_reported_and_does_not_crash(void)
{
    flip(&flip_run);
}

// The same where a step aside leads into nothing, so that what was followed wrongly crashes.
static void nor_does_it_where_blocks_lie_apart(void)
{
    flip_options apart = flip_run;
    apart.apart = true;
    flip(&apart);
}

TESTS(flip, a_flipped_bit_is_reported_and_does_not_crash, nor_does_it_where_blocks_lie_apart)
