// Tests of src/system/frame.c: S1.3, memory for a frame.
#include <mica/frame.h>

#include <stdint.h>
#include <string.h>

#include "unit/system/stage.h"

TEST_WITH(stage, s, memory_has_the_alignment_that_was_asked_for)
{
    unsigned char *last = NULL;
    for (size_t align = 1; align <= 4096; align *= 2) {
        unsigned char *memory = mica_frame_alloc(s->world, 1, 3, align);
        REQUIRE(memory != NULL);
        CHECK_EQUAL(0, (uintptr_t)memory % align);
        memset(memory, (int)(align % 251), 3);
        CHECK(!last || last[0] == (unsigned char)(align / 2 % 251)); // they do not overlap
        last = memory;
    }
    CHECK(mica_frame_alloc(s->world, 1, 0, 1) != NULL);
    const size_t bad[] = {0, 3, 8192, SIZE_MAX};
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(mica_frame_alloc(s->world, 1, 1, bad[i]) == NULL);
        CHECK_EQUAL(MICA_ERROR_ALIGNMENT, s->t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&s->t.error));
    }
    CHECK(mica_frame_alloc(s->world, 1, 1, 3) == NULL);
    CHECK_ERROR(&s->t, MICA_ERROR_ALIGNMENT,
                "mica_frame_alloc: an alignment of 3; it must be a power of two up to 4096");
}

TEST_WITH(stage, s, arrays_are_typed_and_may_not_be_too_large)
{
    double *numbers = MICA_FRAME_ARRAY(s->world, double, 100);
    REQUIRE(numbers != NULL);
    CHECK_EQUAL(0, (uintptr_t)numbers % _Alignof(double));
    for (uint32_t i = 0; i < 100; i++) {
        numbers[i] = i;
    }
    CHECK(mica_frame_alloc(s->world, SIZE_MAX / 4, 8, 8) == NULL);
    CHECK_EQUAL(MICA_ERROR_MEMORY, s->t.error.last.code);
    CHECK(test_error_names_call(&s->t.error));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK(mica_frame_alloc(s->world, 1, SIZE_MAX, 1) == NULL);
    CHECK_EQUAL(MICA_ERROR_MEMORY, s->t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK(numbers[99] == 99);
}

static unsigned char *taken[16];
static uint32_t sizes[16];

static void take(const mica_iter *it, actor *self)
{
    for (uint32_t i = 0; i < 16; i++) {
        sizes[i] = 100 * (i + 1);
        taken[i] = mica_frame_alloc(it->world, 1, sizes[i], 64);
        REQUIRE(taken[i] != NULL);
        memset(taken[i], (int)i, sizes[i]);
    }
    self->acted++;
}

// By a later system, of a later phase.
static void find(const mica_iter *it, actor *self)
{
    (void)it;
    for (uint32_t i = 0; i < 16; i++) {
        CHECK_EQUAL(i, taken[i][0]);
        CHECK_EQUAL(i, taken[i][sizes[i] - 1]);
    }
    self->acted++;
}

TEST_WITH(stage, s, memory_lasts_through_a_step_and_steady_frames_ask_for_none)
{
    mica_phase late = mica_phase_add(s->world, &(mica_phase_desc){.name = "late"});
    actor a = {.letter = 'a', .act = take};
    actor b = {.letter = 'b', .act = find};
    stage_add_plain(s, &a, (mica_phase){0});
    stage_add_plain(s, &b, late);
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    unsigned char *first = taken[0];
    uint64_t allocations = s->t.memory.allocations;
    for (uint32_t i = 0; i < 100; i++) {
        CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
        CHECK_POINTER(first, taken[0]); // the same again
    }
    CHECK_EQUAL(allocations, s->t.memory.allocations);
    CHECK_EQUAL(101, b.acted);
    stage_read(s);
}

TEST_WITH(stage, s, memory_from_between_steps_lasts_through_the_next_one)
{
    actor b = {.letter = 'b', .act = find};
    stage_add_plain(s, &b, (mica_phase){0});
    take(&(mica_iter){.world = s->world}, &b);
    CHECK_EQUAL(MICA_OK,
                mica_systems_run(s->world, (mica_system[]){mica_system_find(s->world, "b")}, 1, 1));
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(3, b.acted);
    CHECK_POINTER(taken[0], mica_frame_alloc(s->world, 1, 100, 64)); // empty again
    stage_read(s);
}

static void end_all(const mica_iter *it, actor *self)
{
    take(it, self);
    mica_world_end_iterations(it->world);
}

TEST_WITH(stage, s, memory_is_empty_after_a_step_that_failed)
{
    actor a = {.letter = 'a', .act = take, .fails_in = IN_UPDATE};
    stage_add_plain(s, &a, (mica_phase){0});
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(s->world, 1));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    unsigned char *first = taken[0];
    CHECK_POINTER(first, mica_frame_alloc(s->world, 1, 100, 64));
    a.fails_in = IN_NONE;
    a.act = end_all;
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_step(s->world, 1));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK_POINTER(first, mica_frame_alloc(s->world, 1, 100, 64));
    stage_read(s);
}

TEST_WITH(stage, s, unused_blocks_are_given_back_when_the_world_is_reclaimed)
{
    CHECK(mica_frame_alloc(s->world, 1, 1 << 20, 8) != NULL);
    size_t bytes = s->t.memory.bytes;
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(s->world));
    CHECK_EQUAL(bytes, s->t.memory.bytes); // somebody may use it
    CHECK_EQUAL(MICA_OK, mica_step(s->world, 1));
    CHECK_EQUAL(bytes, s->t.memory.bytes);
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(s->world));
    CHECK(s->t.memory.bytes < bytes - (1 << 20));
}

TEST_WITH(stage, s, there_is_no_frame_memory_in_hooks_handlers_and_recordings)
{
    CHECK(mica_frame_alloc(NULL, 1, 1, 1) == NULL); // on standard error
    CHECK(mica_frame_alloc(NULL, 1, 1, 1) == NULL);
    mica_world *later = mica_commands_new(s->world);
    if (later) {
        CHECK(mica_frame_alloc(later, 1, 1, 1) == NULL);
        CHECK_EQUAL(MICA_ERROR_RECORDING, s->t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&s->t.error));
        mica_commands_free(later);
    }
}

// A growing array over any allocator.
typedef struct Numbers {
    mica_allocator from;
    uint64_t *items;
    uint32_t count, capacity;
} Numbers;

static bool push(Numbers *n, uint64_t number)
{
    if (n->count == n->capacity) {
        size_t old_size = n->capacity * sizeof *n->items;
        size_t size = old_size ? 2 * old_size : 4 * sizeof *n->items;
        void *items = n->from.resize(n->from.user, n->items, old_size, size, _Alignof(uint64_t));
        if (!items) {
            return false;
        }
        n->items = items;
        n->capacity = (uint32_t)(size / sizeof *n->items);
    }
    n->items[n->count++] = number;
    return true;
}

static void free_numbers(Numbers *n)
{
    n->from.resize(n->from.user, n->items, n->capacity * sizeof *n->items, 0, _Alignof(uint64_t));
}

static void arrays_grow_in_frame_memory(void) // S1.8
{
    stage s;
    stage_begin(&s);
    uint64_t allocations = 0;
    for (uint32_t frame = 0; frame < 3; frame++) {
        Numbers a = {.from = mica_frame_allocator(s.world)};
        Numbers b = a;
        for (uint32_t i = 0; i < 2000; i++) { // in turns, so that both are copied
            REQUIRE(push(&a, i));
            REQUIRE(push(&b, 2 * i));
        }
        for (uint32_t i = 0; i < 2000; i++) {
            CHECK(a.items[i] == i && b.items[i] == 2 * i);
        }
        free_numbers(&a);
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
        uint64_t *next = MICA_FRAME_ARRAY(s.world, uint64_t, 2048);
        next[2047] = 5;
        free_numbers(&b); // of the frame before: nothing happens
        CHECK(MICA_FRAME_ARRAY(s.world, uint64_t, 2048) != next);
        CHECK_EQUAL(5, next[2047]);
        CHECK_EQUAL(MICA_OK, mica_step(s.world, 1));
        CHECK(frame == 0 || allocations == s.t.memory.allocations);
        allocations = s.t.memory.allocations;
    }
    stage_end(&s);
}

TEST_WITH(stage, s, the_last_block_of_a_frame_grows_in_place)
{
    mica_allocator frame = mica_frame_allocator(s->world);
    char *a = frame.resize(frame.user, NULL, 0, 100, 64);
    REQUIRE(a != NULL);
    CHECK_EQUAL(0, (uintptr_t)a % 64);
    memset(a, 1, 100);
    CHECK_POINTER(a, frame.resize(frame.user, a, 100, 200, 64));
    CHECK_POINTER(a, frame.resize(frame.user, a, 200, 50, 64));
    char *b = frame.resize(frame.user, NULL, 0, 10, 1);
    CHECK_POINTER(a + 50, b);
    CHECK_POINTER(a, frame.resize(frame.user, a, 50, 20, 64)); // not the last: it stays
    char *c = frame.resize(frame.user, a, 20, 5000, 64);
    REQUIRE(c != NULL && c != a);
    CHECK_EQUAL(0, (uintptr_t)c % 64);
    CHECK(c[0] == 1 && c[19] == 1);
    CHECK_POINTER(NULL, frame.resize(frame.user, c, 5000, 0, 64));
    CHECK_POINTER(NULL, frame.resize(frame.user, NULL, 0, 0, 64));
    CHECK_POINTER(NULL, frame.resize(frame.user, NULL, 0, 8, 3));
    CHECK_ERROR(&s->t, MICA_ERROR_ALIGNMENT,
                "mica_frame_allocator: an alignment of 3; it must be a power of two up to 4096");
    CHECK_POINTER(NULL, frame.resize(frame.user, c, 5000, SIZE_MAX, 64));
    CHECK_EQUAL(MICA_ERROR_MEMORY, s->t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK(c[19] == 1);
}

TESTS(frame, arrays_grow_in_frame_memory, the_last_block_of_a_frame_grows_in_place,
      memory_has_the_alignment_that_was_asked_for, arrays_are_typed_and_may_not_be_too_large,
      memory_lasts_through_a_step_and_steady_frames_ask_for_none,
      memory_from_between_steps_lasts_through_the_next_one,
      memory_is_empty_after_a_step_that_failed,
      unused_blocks_are_given_back_when_the_world_is_reclaimed,
      there_is_no_frame_memory_in_hooks_handlers_and_recordings)
