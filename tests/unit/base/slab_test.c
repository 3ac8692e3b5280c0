// Tests of base/slab.
#include "base/slab.h"

#include <string.h>

#include "runner/host.h"
#include "runner/test.h"

enum { SIZE = 48, MANY = 3 * MICAI_SLAB_PAGES };

// Pages that are out, each filled with its number.
typedef struct fixture {
    test_host t;
    micai_host *host;
    micai_slabs slabs;
    unsigned char *pages[MANY];
} fixture;

static void fixture_begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    f->slabs.size = SIZE;
    f->host = test_host_begin(&f->t);
}

static void take(fixture *f, uint32_t i, uint32_t wanted)
{
    f->pages[i] = micai_slabs_take(f->host, &f->slabs, wanted);
    REQUIRE(f->pages[i] != NULL);
    memset(f->pages[i], (int)i, SIZE);
}

static void take_all(fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        take(f, i, 1);
    }
}

static void give(fixture *f, uint32_t i)
{
    for (uint32_t at = 0; f->pages[i] && at < SIZE; at++) {
        REQUIRE_EQUAL(i, f->pages[i][at]); // nobody has had it meanwhile
    }
    micai_slabs_release(f->host, &f->slabs, f->pages[i]);
    f->pages[i] = NULL;
}

static void fixture_end(fixture *f)
{
    CHECK_EQUAL(MICA_OK, micai_slabs_validate(f->host, &f->slabs));
    for (uint32_t i = 0; i < MANY; i++) {
        give(f, i);
    }
    CHECK_POINTER(NULL, f->slabs.first);
    CHECK_EQUAL(0, f->slabs.single);
    test_host_end(&f->t);
}

static uint32_t count_slabs(const fixture *f)
{
    uint32_t count = 0;
    for (const micai_slab *slab = f->slabs.first; slab; slab = slab->next) {
        count++;
    }
    return count;
}

TEST_WITH(fixture, f, few_pages_are_blocks_of_their_own)
{
    take_all(f, MICAI_SLAB_PAGES);
    CHECK_EQUAL(MICAI_SLAB_PAGES, f->slabs.single);
    CHECK_EQUAL(MICAI_SLAB_PAGES, f->t.memory.blocks);
    CHECK_EQUAL(MICAI_SLAB_PAGES * SIZE, f->t.memory.bytes);
    CHECK(!micai_slabs_have(&f->slabs, f->pages[0]));
}

TEST_WITH(fixture, f, further_ones_come_from_slabs)
{
    take_all(f, MANY);
    CHECK_EQUAL(MICAI_SLAB_PAGES, f->slabs.single);
    CHECK_EQUAL(2, count_slabs(f));
    CHECK_EQUAL(2 * MICAI_SLAB_PAGES, micai_slabs_count(&f->slabs));
    CHECK_EQUAL(MICAI_SLAB_PAGES + 2, f->t.memory.blocks);
    for (uint32_t i = MICAI_SLAB_PAGES; i < MANY; i++) {
        CHECK(micai_slabs_have(&f->slabs, f->pages[i]));
        CHECK(!micai_slabs_have(&f->slabs, f->pages[i] + 1));
    }
}

TEST_WITH(fixture, f, who_asks_for_many_at_once_gets_slabs)
{
    for (uint32_t i = 0; i < MICAI_SLAB_PAGES + 1; i++) {
        take(f, i, MICAI_SLAB_PAGES + 1 - i);
    }
    CHECK_EQUAL(1, count_slabs(f));
    CHECK_EQUAL(1, f->slabs.single); // of the rest
    take(f, MICAI_SLAB_PAGES + 1, MICAI_SLAB_PAGES);
    CHECK_EQUAL(1, count_slabs(f)); // as many as a slab are not enough
}

TEST_WITH(fixture, f, a_page_that_is_given_back_is_taken_first)
{
    take_all(f, MANY);
    for (uint32_t i = MICAI_SLAB_PAGES; i < MANY; i += MICAI_SLAB_PAGES) {
        unsigned char *given = f->pages[i];
        give(f, i);
        CHECK(!micai_slabs_have(&f->slabs, given));
        take(f, i, 1);
        CHECK_POINTER(given, f->pages[i]);
    }
}

TEST_WITH(fixture, f, a_slab_goes_with_the_last_of_its_pages)
{
    take_all(f, MANY);
    for (uint32_t i = MICAI_SLAB_PAGES; i < 2 * MICAI_SLAB_PAGES; i++) {
        CHECK_EQUAL(2, count_slabs(f));
        give(f, i);
    }
    CHECK_EQUAL(1, count_slabs(f));
    for (uint32_t i = 2 * MICAI_SLAB_PAGES; i < MANY; i++) { // which are in the other
        CHECK(micai_slabs_have(&f->slabs, f->pages[i]));
    }
}

static void refusal_leaves_things_as_they_were(void)
{
    for (uint32_t count = 0; count <= MICAI_SLAB_PAGES; count += MICAI_SLAB_PAGES) {
        fixture f;
        fixture_begin(&f);
        take_all(&f, count);
        test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONWARDS);
        CHECK_POINTER(NULL, micai_slabs_take(f.host, &f.slabs, 1));
        CHECK_REPORTED(&f.t, MICA_ERROR_MEMORY);
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(count, f.slabs.single);
        fixture_end(&f);
    }
}

TEST_WITH(fixture, f, where_a_slab_is_refused_pages_are_got_one_by_one)
{
    take_all(f, MICAI_SLAB_PAGES);
    test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONCE);
    take(f, MICAI_SLAB_PAGES, 1);
    test_memory_fail_at(&f->t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(0, f->t.error.calls);
    CHECK_EQUAL(MICAI_SLAB_PAGES + 1, f->slabs.single);
    CHECK_EQUAL(0, count_slabs(f));
    take(f, MICAI_SLAB_PAGES + 1, 1); // it is tried again
    CHECK_EQUAL(1, count_slabs(f));
}

TEST_WITH(fixture, f, nothing_is_given_back_silently)
{
    take_all(f, 1);
    micai_slabs_release(f->host, &f->slabs, NULL);
    CHECK_EQUAL(1, f->slabs.single);
}

static void pack(fixture *f, uint32_t i)
{
    f->pages[i] = micai_slabs_pack(f->host, &f->slabs, f->pages[i]);
}

static void pages_are_packed_into_the_fewest_slabs(void)
{
    fixture f;
    fixture_begin(&f);
    take_all(&f, MANY);
    for (uint32_t i = MICAI_SLAB_PAGES; i < MANY; i++) { // every other one of both slabs
        if (i % 2 == 0) {
            give(&f, i);
        }
    }
    uint64_t blocks = f.t.memory.blocks;
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONWARDS); // it takes no memory
    for (uint32_t i = MICAI_SLAB_PAGES; i < MANY; i++) {
        pack(&f, i);
    }
    test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(1, count_slabs(&f));
    CHECK_EQUAL(MICAI_SLAB_PAGES, micai_slabs_count(&f.slabs));
    CHECK_EQUAL(blocks - 1, f.t.memory.blocks);
    fixture_end(&f); // each has what it had
}

TEST_WITH(fixture, f, single_pages_are_packed_where_there_is_a_slab)
{
    take_all(f, MICAI_SLAB_PAGES + 1);
    for (uint32_t i = 0; i <= MICAI_SLAB_PAGES; i++) {
        pack(f, i);
    }
    CHECK_EQUAL(1, count_slabs(f));
    CHECK_EQUAL(MICAI_SLAB_PAGES, micai_slabs_count(&f->slabs));
    CHECK_EQUAL(1, f->slabs.single); // it was full by then
}

TEST_WITH(fixture, f, pages_that_cannot_be_packed_stay)
{
    take_all(f, 1);
    unsigned char *single = f->pages[0];
    pack(f, 0);
    CHECK_POINTER(single, f->pages[0]); // there is no slab
    for (uint32_t i = 1; i <= 2 * MICAI_SLAB_PAGES; i++) {
        take(f, i, MICAI_SLAB_PAGES + 1);
    }
    give(f, 2 * MICAI_SLAB_PAGES); // one slab is full, of the other one page is missing
    for (uint32_t i = 1; i < 2 * MICAI_SLAB_PAGES; i++) {
        unsigned char *page = f->pages[i];
        pack(f, i);
        CHECK_POINTER(page, f->pages[i]);
    }
    CHECK_POINTER(NULL, micai_slabs_pack(f->host, &f->slabs, NULL));
}

// M5
TEST_WITH(fixture, f, validate_finds_a_damaged_slab)
{
    take_all(f, MANY);
    micai_slab *slab = f->slabs.first->next;
    uint64_t taken = slab->taken;
    slab->taken = 0;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_slabs_validate(f->host, &f->slabs));
    CHECK_ERROR(&f->t, MICA_ERROR_CORRUPT,
                "invariant M5 is broken: the slabs of pages are damaged");
    slab->taken = taken;
}

TESTS(slab, few_pages_are_blocks_of_their_own, further_ones_come_from_slabs,
      who_asks_for_many_at_once_gets_slabs, a_page_that_is_given_back_is_taken_first,
      a_slab_goes_with_the_last_of_its_pages, pages_are_packed_into_the_fewest_slabs,
      single_pages_are_packed_where_there_is_a_slab, pages_that_cannot_be_packed_stay,
      refusal_leaves_things_as_they_were, where_a_slab_is_refused_pages_are_got_one_by_one,
      nothing_is_given_back_silently, validate_finds_a_damaged_slab)
