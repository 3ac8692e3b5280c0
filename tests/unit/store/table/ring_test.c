// Rings by themselves, without tables: the drawings of docs/guide/ring.md state by state, and random
// batches beside plain arrays.
#include "store/table/ring.h"

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

enum { RUNS = 8, ROWS = 40, ROOM = RUNS * ROWS };

// A ring and what its runs are to have: numbers, in plain arrays.
typedef struct lab {
    fixture f;
    micai_ring ring;
    uint32_t run_count;
    micai_run runs[RUNS];
    uint32_t goals[RUNS];
    uint32_t filled[RUNS];        // rows that have values
    int64_t rows[RUNS][ROWS + 1]; // what they are
    bool hooked;
} lab;

static lab storage; // callbacks are reported of a run only

static uint32_t goal_of(const micai_run *run)
{
    return storage.goals[run - storage.runs];
}

static void put(lab *l, uint32_t slot, int64_t number)
{
    void *target = micai_ring_at(&l->ring, slot);
    if (l->hooked) {
        tracked value = tracked_make(&l->f.tracker, number);
        micai_hook_relocate(&l->f.gate, l->ring.type, target, &value, 1);
    } else {
        memcpy(target, &number, sizeof number);
    }
}

static int64_t take(const lab *l, uint32_t slot)
{
    const void *value = micai_ring_at(&l->ring, slot);
    int64_t number;
    if (l->hooked) {
        number = ((const tracked *)value)->number;
        CHECK(tracked_is(&l->f.tracker, value, number));
    } else {
        memcpy(&number, value, sizeof number);
    }
    return number;
}

static void fill(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t first)
{
    lab *l = &storage;
    uint32_t i = (uint32_t)(run - l->runs);
    CHECK(gate == &l->f.gate && ring == &l->ring);
    CHECK_EQUAL(l->filled[i], first);
    for (uint32_t row = first; row < run->length; row++) {
        put(l, micai_run_slot(run, row), l->rows[i][row]);
    }
    l->filled[i] = run->length;
}

static const micai_ring_batch batch = {goal_of, fill};

static lab *lab_begin(uint32_t run_count, bool hooked)
{
    lab *l = &storage;
    memset(l, 0, sizeof *l);
    fixture_begin(&l->f);
    l->hooked = hooked;
    l->run_count = run_count;
    l->ring.type = l->f.registry.list.items[hooked ? MOVED : A];
    l->ring.capacity = ROOM;
    l->ring.values = micai_ring_alloc(l->f.host, l->ring.type, ROOM);
    REQUIRE(l->ring.values && micai_array_reserve(l->f.host, &l->ring.runs, run_count));
    for (uint32_t i = 0; i < run_count; i++) {
        l->ring.runs.items[l->ring.runs.count++] = &l->runs[i];
    }
    return l;
}

// Values that go end first.
static void end_rows(lab *l, uint32_t i, uint32_t from, uint32_t to)
{
    for (uint32_t row = from; l->hooked && row < to; row++) {
        void *value = micai_ring_at(&l->ring, micai_run_slot(&l->runs[i], row));
        micai_hook_destruct(&l->f.gate, l->ring.type, value, 1);
    }
}

static void lab_end(lab *l)
{
    for (uint32_t i = 0; i < l->run_count; i++) {
        end_rows(l, i, 0, l->filled[i]);
    }
    micai_ring_release(l->f.host, l->ring.type, l->ring.values, l->ring.capacity);
    micai_array_free(l->f.host, &l->ring.runs);
    fixture_end(&l->f);
}

// The drawings

static int64_t name_of(uint32_t run, uint32_t number)
{
    return run * 100 + number;
}

// A run as it is drawn: its slots, and the tip. "_" is raw.
static const char *draw(const lab *l, uint32_t i)
{
    static char text[256];
    const micai_run *run = &l->runs[i];
    size_t size = 0;
    for (uint32_t slot = 0; slot < run->length; slot++) {
        uint32_t row = (slot + run->length - run->tip) % run->length;
        long number = row < l->filled[i] ? (long)take(l, run->base + slot) : -1;
        const char *between = slot == run->tip ? "|" : slot > 0 ? " " : "";
        size += number < 0 ? (size_t)snprintf(text + size, sizeof text - size, "%s_", between)
                           : (size_t)snprintf(text + size, sizeof text - size, "%s%c%ld", between,
                                              (char)('a' + number / 100), number % 100);
    }
    return text;
}

#define CHECK_RUN(l, run, drawing) CHECK_TEXT(drawing, draw(l, run))

enum { RUN_A, RUN_B, RUN_C };

// The state that all drawings begin with.
static lab *begin_drawing(void)
{
    static const micai_run runs[] = {{0, 4, 0}, {4, 6, 5}, {10, 8, 4}};
    lab *l = lab_begin(3, false);
    for (uint32_t i = 0; i < 3; i++) {
        l->runs[i] = runs[i];
        l->filled[i] = l->goals[i] = runs[i].length;
        for (uint32_t row = 0; row < ROWS; row++) {
            l->rows[i][row] = name_of(i, row);
        }
        for (uint32_t row = 0; row < runs[i].length; row++) {
            put(l, micai_run_slot(&runs[i], row), l->rows[i][row]);
        }
    }
    CHECK_RUN(l, RUN_A, "|a0 a1 a2 a3");
    CHECK_RUN(l, RUN_B, "b1 b2 b3 b4 b5|b0");
    CHECK_RUN(l, RUN_C, "c4 c5 c6 c7|c0 c1 c2 c3");
    return l;
}

// a4 b6 b7 c8
static void insert_the_drawn_values(lab *l)
{
    l->goals[RUN_A] = 5;
    l->goals[RUN_B] = 8;
    l->goals[RUN_C] = 9;
    micai_ring_compact(&l->f.gate, &l->ring, &batch);
}

// S4.2, S4.3
static void insertion_is_as_drawn_step_by_step(void)
{
    lab *l = begin_drawing();
    micai_gate *gate = &l->f.gate;
    micai_run *a = &l->runs[RUN_A];
    micai_run *b = &l->runs[RUN_B];
    micai_run *c = &l->runs[RUN_C];
    micai_ring_roll_right(gate, &l->ring, c, 3);
    CHECK_RUN(l, RUN_C, "c7|c0 c1 c2 c3 c4 c5 c6");
    CHECK_EQUAL(13, c->base);
    micai_ring_grow(gate, &l->ring, c, 9);
    CHECK_RUN(l, RUN_C, "_|c0 c1 c2 c3 c4 c5 c6 c7");
    fill(gate, &l->ring, c, 8);
    CHECK_EQUAL(3 + 1, l->ring.moves);
    micai_ring_roll_right(gate, &l->ring, b, 1);
    CHECK_RUN(l, RUN_B, "b2 b3 b4 b5|b0 b1");
    micai_ring_grow(gate, &l->ring, b, 8);
    CHECK_RUN(l, RUN_B, "b4 b5 _ _|b0 b1 b2 b3");
    fill(gate, &l->ring, b, 6);
    micai_ring_grow(gate, &l->ring, a, 5);
    CHECK_RUN(l, RUN_A, "|a0 a1 a2 a3 _");
    fill(gate, &l->ring, a, 4);
    CHECK_EQUAL(3 + 1 + 1 + 4, l->ring.moves);
    CHECK_RUN(l, RUN_A, "|a0 a1 a2 a3 a4");
    CHECK_RUN(l, RUN_B, "b4 b5 b6 b7|b0 b1 b2 b3");
    CHECK_RUN(l, RUN_C, "c8|c0 c1 c2 c3 c4 c5 c6 c7");
    lab_end(l);
}

// S4.3
static void a_batch_of_insertions_ends_as_drawn(void)
{
    lab *l = begin_drawing();
    insert_the_drawn_values(l);
    CHECK_RUN(l, RUN_A, "|a0 a1 a2 a3 a4");
    CHECK_RUN(l, RUN_B, "b4 b5 b6 b7|b0 b1 b2 b3");
    CHECK_RUN(l, RUN_C, "c8|c0 c1 c2 c3 c4 c5 c6 c7");
    CHECK_EQUAL(3 + 1 + 1 + 4, l->ring.moves);
    CHECK_EQUAL(5, l->runs[RUN_B].base);
    CHECK_EQUAL(13, l->runs[RUN_C].base);
    CHECK_EQUAL(MICA_OK, micai_ring_validate(l->f.host, &l->ring));
    lab_end(l);
}

// Rows without the one of this number: those behind it close up, or the last takes its place.
static void remove_row(lab *l, uint32_t i, uint32_t number, bool stable)
{
    const micai_run *run = &l->runs[i];
    uint32_t last = --l->filled[i];
    uint32_t row = 0;
    while (take(l, micai_run_slot(run, row)) != name_of(i, number)) {
        row++;
    }
    for (; row < last; row++) {
        uint32_t from = stable ? row + 1 : last;
        put(l, micai_run_slot(run, row), take(l, micai_run_slot(run, from)));
        if (!stable) {
            break;
        }
    }
    l->goals[i] = last;
}

static lab *remove_the_drawn_values(bool stable)
{
    static const struct {
        uint32_t run, number;
    } removed[] = {{RUN_A, 3}, {RUN_B, 4}, {RUN_B, 7}, {RUN_C, 4}, {RUN_C, 5}, {RUN_C, 8}};
    lab *l = begin_drawing();
    insert_the_drawn_values(l);
    for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++) {
        remove_row(l, removed[i].run, removed[i].number, stable);
    }
    return l;
}

// S4.4
static void stable_removal_is_as_drawn_step_by_step(void)
{
    lab *l = remove_the_drawn_values(true);
    micai_gate *gate = &l->f.gate;
    CHECK_RUN(l, RUN_A, "|a0 a1 a2 a4 _");
    CHECK_RUN(l, RUN_B, "b5 b6 _ _|b0 b1 b2 b3");
    CHECK_RUN(l, RUN_C, "_|c0 c1 c2 c3 c6 c7 _ _");
    micai_ring_shrink(gate, &l->ring, &l->runs[RUN_A], 4);
    CHECK_RUN(l, RUN_A, "|a0 a1 a2 a4");
    micai_ring_shrink(gate, &l->ring, &l->runs[RUN_B], 6);
    CHECK_RUN(l, RUN_B, "b5 b6|b0 b1 b2 b3");
    CHECK_EQUAL(7, l->runs[RUN_B].base); // the gaps are in front of it: that of A, and its own
    micai_ring_roll_left(gate, &l->ring, &l->runs[RUN_B], 3);
    CHECK_RUN(l, RUN_B, "b1 b2 b3 b5 b6|b0");
    micai_ring_shrink(gate, &l->ring, &l->runs[RUN_C], 6);
    CHECK_RUN(l, RUN_C, "|c0 c1 c2 c3 c6 c7");
    CHECK_EQUAL(14, l->runs[RUN_C].base);
    micai_ring_roll_left(gate, &l->ring, &l->runs[RUN_C], 4);
    CHECK_RUN(l, RUN_C, "c2 c3 c6 c7|c0 c1");
    CHECK_EQUAL(10, l->runs[RUN_C].base);
    lab_end(l);
}

// S4.4
static void a_batch_of_stable_removals_ends_as_drawn(void)
{
    lab *l = remove_the_drawn_values(true);
    uint64_t before = l->ring.moves;
    micai_ring_compact(&l->f.gate, &l->ring, &batch);
    CHECK_RUN(l, RUN_A, "|a0 a1 a2 a4");
    CHECK_RUN(l, RUN_B, "b1 b2 b3 b5 b6|b0");
    CHECK_RUN(l, RUN_C, "c2 c3 c6 c7|c0 c1");
    CHECK_EQUAL(2 + 3 + 4, l->ring.moves - before);
    lab_end(l);
}

// S4.4: in a table the last row fills a hole, because all columns must agree.
static void holes_that_are_filled_from_the_end_leave_the_drawn_order(void)
{
    lab *l = remove_the_drawn_values(false);
    micai_ring_compact(&l->f.gate, &l->ring, &batch);
    CHECK_RUN(l, RUN_A, "|a0 a1 a2 a4");
    CHECK_RUN(l, RUN_B, "b1 b2 b3 b6 b5|b0");
    CHECK_RUN(l, RUN_C, "c2 c3 c6 c7|c0 c1");
    lab_end(l);
}

// S4.2: the four drawings of one cyclic array being pushed aside, and on, all around.
static void a_roll_moves_no_more_values_than_slots(void)
{
    static const char *const states[] = {"|a0 a1 a2 a3 a4 a5", "a1 a2 a3 a4 a5|a0",
                                         "a2 a3 a4 a5|a0 a1",  "a3 a4 a5|a0 a1 a2",
                                         "a4 a5|a0 a1 a2 a3",  "a5|a0 a1 a2 a3 a4"};
    lab *l = lab_begin(1, false);
    micai_run *run = &l->runs[0];
    for (uint32_t row = 0; row < 6; row++) {
        l->rows[0][row] = name_of(0, row);
    }
    l->goals[0] = 6;
    micai_ring_compact(&l->f.gate, &l->ring, &batch);
    for (uint32_t i = 0; i < 12; i++) {
        CHECK_RUN(l, 0, states[i % 6]);
        CHECK_EQUAL(i, run->base);
        CHECK_EQUAL(i, l->ring.moves);
        micai_ring_roll_right(&l->f.gate, &l->ring, run, 1);
    }
    for (uint32_t i = 12; i > 0; i--) {
        CHECK_RUN(l, 0, states[i % 6]);
        micai_ring_roll_left(&l->f.gate, &l->ring, run, 1);
    }
    l->ring.moves = 0;
    micai_ring_roll_right(&l->f.gate, &l->ring, run, 100); // it is shorter than that
    CHECK_RUN(l, 0, states[0]);
    CHECK_EQUAL(6, l->ring.moves);
    lab_end(l);
}

// Random batches

static uint32_t less_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

// The most that settling may move for one run (S4.3): to roll it, and for its own change.
static uint32_t allow(const micai_run *run, uint32_t goal, uint32_t base)
{
    uint32_t tip = run->tip;
    if (goal < run->length) {
        // The slots it gives up are in front of it or behind.
        uint32_t front = less_of(tip, run->length - goal);
        uint32_t a = distance(base, run->base);
        uint32_t b = distance(base, run->base + front);
        return less_of(a > b ? a : b, goal) + less_of(tip, run->length - tip);
    }
    uint32_t shift = distance(base, run->base);
    uint32_t length = run->length;
    if (shift < length) {
        tip = base > run->base ? (tip + length - shift) % length : (tip + shift) % length;
    }
    return less_of(shift, length) + (goal > length ? less_of(tip, goal - tip) : 0);
}

static uint64_t allow_all(const lab *l)
{
    uint64_t moves = 0;
    uint32_t base = 0;
    for (uint32_t i = 0; i < l->run_count; i++) {
        moves += allow(&l->runs[i], l->goals[i], base);
        base += l->goals[i];
    }
    return moves;
}

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % limit;
}

static void check_rows(const lab *l)
{
    uint32_t base = 0;
    for (uint32_t i = 0; i < l->run_count; i++) {
        const micai_run *run = &l->runs[i];
        REQUIRE_EQUAL(base, run->base);
        REQUIRE_EQUAL(l->goals[i], run->length);
        for (uint32_t row = 0; row < run->length; row++) {
            REQUIRE_EQUAL(l->rows[i][row], take(l, micai_run_slot(run, row)));
        }
        base += run->length;
    }
}

// Some runs get longer, some shorter, most often by little; the last rows of those are ended first.
static void draw_goals(lab *l, int64_t *next)
{
    for (uint32_t i = 0; i < l->run_count; i++) {
        uint32_t most = random_below(8) == 0 ? ROWS : 4;
        uint32_t change = random_below(3) == 0 ? random_below(most + 1) : 0;
        uint32_t length = l->runs[i].length;
        l->goals[i] =
            random_below(2) ? less_of(length + change, ROWS) : length - less_of(length, change);
        end_rows(l, i, l->goals[i], length);
        l->filled[i] = less_of(l->filled[i], l->goals[i]);
        for (uint32_t row = length; row < l->goals[i]; row++) {
            l->rows[i][row] = (*next)++;
        }
    }
}

static void run_batches(lab *l, uint32_t count)
{
    int64_t next = 1;
    for (uint32_t i = 0; i < count; i++) {
        draw_goals(l, &next);
        uint64_t allowed = allow_all(l);
        uint64_t before = l->ring.moves;
        micai_ring_compact(&l->f.gate, &l->ring, &batch);
        REQUIRE(l->ring.moves - before <= allowed);
        check_rows(l);
    }
    CHECK_EQUAL(MICA_OK, micai_ring_validate(l->f.host, &l->ring));
}

// S4.1, S4.3, S4.4
static void a_hundred_thousand_batches_mean_what_plain_arrays_do_and_move_no_more_than_allowed(void)
{
    random_state = 1;
    lab *l = lab_begin(RUNS, false);
    run_batches(l, 100000);
    lab_end(l);
}

static void values_are_moved_by_their_hook_and_nothing_else_happens_to_them(void)
{
    random_state = 2;
    lab *l = lab_begin(RUNS, true);
    run_batches(l, 2000);
    CHECK_EQUAL(0, l->f.tracker.copies + l->f.tracker.constructs);
    CHECK(l->ring.moves > 0);
    lab_end(l);
}

static void a_larger_array_has_every_run_straight(void)
{
    for (uint32_t hooked = 0; hooked < 2; hooked++) {
        random_state = 3;
        lab *l = lab_begin(RUNS, hooked);
        run_batches(l, 50);
        int64_t next = 1000000;
        draw_goals(l, &next);
        uint32_t room = micai_ring_grown_capacity(&l->ring, ROOM + 1);
        CHECK_EQUAL(ROOM + ROOM / 2, room);
        CHECK_EQUAL(2 * ROOM, micai_ring_grown_capacity(&l->ring, 2 * ROOM));
        unsigned char *old = l->ring.values;
        unsigned char *fresh = micai_ring_alloc(l->f.host, l->ring.type, room);
        REQUIRE(fresh);
        micai_ring_refit(&l->f.gate, &l->ring, &batch, fresh, room);
        micai_ring_release(l->f.host, l->ring.type, old, ROOM);
        check_rows(l);
        for (uint32_t i = 0; i < RUNS; i++) {
            CHECK_EQUAL(0, l->runs[i].tip);
        }
        lab_end(l);
    }
}

static void a_ring_that_is_broken_says_which_invariant(void)
{
    static const struct {
        micai_run run;
        const char *invariant;
    } broken[] = {{{9, 6, 0}, "R1"},
                  {{3, 6, 0}, "R1"},
                  {{ROOM - 5, 6, 0}, "R1"},
                  {{4, 6, 6}, "R2"},
                  {{4, 0, 1}, "R2"}};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        lab *l = begin_drawing();
        micai_run right = l->runs[RUN_B];
        l->runs[RUN_B] = broken[i].run;
        CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_ring_validate(l->f.host, &l->ring));
        CHECK(strstr(l->f.t.error.last.sentence, broken[i].invariant) != NULL);
        l->runs[RUN_B] = right;
        unsigned char *values = l->ring.values;
        l->ring.values = NULL;
        CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_ring_validate(l->f.host, &l->ring));
        CHECK(strstr(l->f.t.error.last.sentence, "R3") != NULL);
        l->ring.values = values;
        CHECK_EQUAL(2, test_error_clear(&l->f.t.error));
        lab_end(l);
    }
}

TESTS(ring, insertion_is_as_drawn_step_by_step, a_batch_of_insertions_ends_as_drawn,
      stable_removal_is_as_drawn_step_by_step, a_batch_of_stable_removals_ends_as_drawn,
      holes_that_are_filled_from_the_end_leave_the_drawn_order,
      a_roll_moves_no_more_values_than_slots,
      a_hundred_thousand_batches_mean_what_plain_arrays_do_and_move_no_more_than_allowed,
      values_are_moved_by_their_hook_and_nothing_else_happens_to_them,
      a_larger_array_has_every_run_straight, a_ring_that_is_broken_says_which_invariant)
