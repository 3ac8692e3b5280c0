#include "store/table/page.h"

#include <string.h>

#include "runner/host.h"
#include "runner/test.h"

static void release_pages(micai_host *host, micai_extent *extent)
{
    for (uint32_t i = extent->unit_count; i-- > 0;) {
        micai_page page = micai_extent_page(extent, i);
        micai_page_release(host, &page);
    }
}

TEST_WITH(test_host, t, an_extent_is_aligned_to_64_bytes_or_as_its_type_wants)
{
    micai_host *host = &t->host;
    static const uint32_t shapes[][2] = {{1, 1},  {4, 4},     {12, 4},
                                         {24, 8}, {128, 128}, {4096, 4096}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        uint32_t align = shapes[i][1];
        for (uint32_t pages = 1; pages < 20; pages += 6) {
            micai_extent *extent = micai_extent_new(host, shapes[i][0], align, 4, pages);
            REQUIRE(extent != NULL);
            CHECK_EQUAL(0, (uintptr_t)micai_extent_data(extent) % (align > 64 ? align : 64));
            for (uint32_t p = 0; p < pages; p++) {
                CHECK_EQUAL(0, (uintptr_t)micai_extent_page(extent, p).data % align);
            }
            release_pages(host, extent);
        }
    }
    micai_extent *extent = micai_extent_new(host, 8, 8, 1, 1);
    CHECK_EQUAL(0, (uintptr_t)micai_extent_data(extent) % 64);
    release_pages(host, extent);
}

TEST_WITH(test_host, t, pages_of_1024_rows_all_begin_on_64_bytes)
{
    micai_host *host = &t->host;
    static const uint32_t sizes[] = {1, 3, 8, 12, 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        micai_extent *extent = micai_extent_new(host, sizes[i], 1, 1024, 3);
        for (uint32_t p = 0; p < 3; p++) {
            CHECK_EQUAL(0, (uintptr_t)micai_extent_page(extent, p).data % MICAI_PAGE_ALIGN);
        }
        release_pages(host, extent);
    }
}

TEST_WITH(test_host, t, pages_lie_side_by_side_and_do_not_overlap)
{
    micai_host *host = &t->host;
    micai_extent *extent = micai_extent_new(host, 12, 4, 4, 5);
    CHECK_EQUAL(48, extent->unit);
    for (uint32_t p = 0; p < 5; p++) {
        micai_page page = micai_extent_page(extent, p);
        CHECK_POINTER(micai_extent_data(extent) + 48 * p, page.data);
        CHECK_POINTER(extent, page.extent);
        CHECK_EQUAL(0, page.tick);
        memset(page.data, (int)p, 48);
    }
    CHECK_POINTER(micai_extent_data(extent) + 5 * 48, (unsigned char *)extent + t->memory.bytes);
    for (uint32_t p = 0; p < 5; p++) {
        CHECK_EQUAL(p, micai_extent_data(extent)[48 * p]);
        CHECK_EQUAL(p, micai_extent_data(extent)[48 * p + 47]);
    }
    CHECK_EQUAL(5, extent->unit_count); // untouched by what was written
    CHECK_EQUAL(5, extent->page_count);
    CHECK_EQUAL(5, extent->live);
    release_pages(host, extent);
}

TEST_WITH(test_host, t, an_extent_goes_with_its_last_page)
{
    micai_host *host = &t->host;
    micai_extent *extent = micai_extent_new(host, 8, 8, 4, 2);
    micai_page first = micai_extent_page(extent, 0);
    micai_page second = micai_extent_page(extent, 1);
    CHECK_EQUAL(2, extent->live);
    micai_page_release(host, &first);
    CHECK_POINTER(NULL, first.data);
    CHECK_EQUAL(1, extent->live);
    CHECK_EQUAL(1, t->memory.blocks);
    micai_page_release(host, &second);
    CHECK_EQUAL(0, t->memory.blocks);
}

TEST_WITH(test_host, t, pages_of_a_mixed_extent_have_the_units_they_need)
{
    micai_host *host = &t->host;
    static const size_t sizes[] = {128, 64, 1, 65};
    static const uint32_t firsts[] = {0, 2, 3, 4};
    micai_extent *extent = micai_extent_new_mixed(host, 6);
    REQUIRE(extent != NULL);
    CHECK_EQUAL(0, extent->live);
    micai_page pages[4];
    for (uint32_t p = 0; p < 4; p++) {
        CHECK_EQUAL((sizes[p] + 63) / 64, micai_units(sizes[p]));
        pages[p] = micai_extent_add_page(extent, micai_extent_data(extent), firsts[p]);
        CHECK_POINTER(micai_extent_data(extent) + (size_t)64 * firsts[p], pages[p].data);
        CHECK_EQUAL(0, (uintptr_t)pages[p].data % 64);
        memset(pages[p].data, (int)p, sizes[p]);
    }
    CHECK_EQUAL(4, extent->live);
    CHECK_EQUAL(4, extent->page_count);
    for (uint32_t p = 0; p < 4; p++) {
        CHECK_EQUAL(p, pages[p].data[0]);
        CHECK_EQUAL(p, pages[p].data[sizes[p] - 1]);
        CHECK_EQUAL(MICA_OK, micai_page_validate(host, &pages[p], sizes[p], 8));
    }
    micai_page_release(host, &pages[0]);
    CHECK_EQUAL(3, extent->live);
    micai_page_release(host, &pages[3]);
    CHECK_EQUAL(2, extent->live);
    CHECK_EQUAL(4, extent->page_count);
    CHECK_EQUAL(MICA_OK, micai_page_validate(host, &pages[1], 64, 8));
    micai_page_release(host, &pages[1]);
    CHECK_EQUAL(1, t->memory.blocks);
    micai_page_release(host, &pages[2]);
    CHECK_EQUAL(0, t->memory.blocks);
}

static void a_page_beyond_all_memory_is_refused(void)
{
    if (sizeof(size_t) < 8) {
        SKIP("the largest page fits where size_t is 32 bits");
    }
    test_host t;
    micai_host *host = test_host_begin(&t);
    CHECK_POINTER(NULL, micai_extent_new(host, 1u << 20, 1, 1u << 30, 1u << 20));
    CHECK_ERROR(&t, MICA_ERROR_MEMORY, "a page of 1073741824 rows of 1048576 bytes is too large");
    test_host_end(&t);
}

static void bytes_of_any_size_are_copied_and_no_more(void)
{
    unsigned char source[64];
    for (uint32_t i = 0; i < 64; i++) {
        source[i] = (unsigned char)(i + 1);
    }
    for (uint32_t size = 1; size <= 40; size++) {
        unsigned char target[65] = {0};
        micai_copy_bytes(target, source, size);
        CHECK_BYTES(source, target, size);
        CHECK_EQUAL(0, target[size]);
    }
}

TEST_WITH(test_host, t, pages_adjoin_where_one_begins_at_the_others_end)
{
    micai_host *host = &t->host;
    micai_extent *extent = micai_extent_new(host, 8, 8, 4, 3);
    micai_extent *other = micai_extent_new(host, 8, 8, 4, 1);
    micai_page pages[] = {micai_extent_page(extent, 0), micai_extent_page(extent, 1),
                          micai_extent_page(extent, 2), micai_extent_page(other, 0)};
    for (uint32_t a = 0; a < 4; a++) {
        for (uint32_t b = 0; b < 4; b++) {
            CHECK_EQUAL(b == a + 1 && b < 3, micai_page_adjoins(&pages[a], &pages[b]));
        }
    }
    // Not by the addresses alone: what another extent happens to follow is no neighbour.
    pages[3].data = pages[0].data + extent->unit;
    CHECK(!micai_page_adjoins(&pages[0], &pages[3]));
    release_pages(host, extent);
    release_pages(host, other);
}

// Is exactly this invariant reported of a page of 32 bytes?
static void check_broken(test_host *t, const micai_page *page, const char *which)
{
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_page_validate(&t->host, page, 32, 8));
    CHECK(strstr(t->error.last.sentence, which) != NULL);
    CHECK_EQUAL(1, test_error_clear(&t->error));
}

TEST_WITH(test_host, t, validate_finds_a_page_outside_its_extent)
{
    micai_host *host = &t->host;
    micai_extent *extent = micai_extent_new(host, 8, 8, 4, 2);
    const micai_page right = micai_extent_page(extent, 1);
    micai_page page = right;
    CHECK_EQUAL(MICA_OK, micai_page_validate(host, &page, 32, 8));
    page.data = right.data + 8;
    check_broken(t, &page, "T12");
    page.data = micai_extent_data(extent) - 32;
    check_broken(t, &page, "T12");
    page.data = micai_extent_data(extent) + 64;
    check_broken(t, &page, "T12");
    page.data = NULL;
    check_broken(t, &page, "T12");
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_page_validate(host, &right, 16, 8)); // another strip's
    CHECK_EQUAL(1, test_error_clear(&t->error));
    release_pages(host, extent);
}

TEST_WITH(test_host, t, validate_finds_miscounted_pages)
{
    micai_host *host = &t->host;
    micai_extent *extent = micai_extent_new(host, 8, 8, 4, 2);
    micai_page page = micai_extent_page(extent, 0);
    CHECK_EQUAL(MICA_OK, micai_page_validate(host, &page, 32, 8));
    extent->live = 0;
    check_broken(t, &page, "T13");
    extent->live = 3;
    check_broken(t, &page, "T13");
    extent->page_count = 3;
    check_broken(t, &page, "T13");
    extent->page_count = 2;
    extent->live = 2;
    release_pages(host, extent);
}

TEST_WITH(test_host, t, validate_finds_a_page_without_the_units_it_needs)
{
    micai_host *host = &t->host;
    micai_extent *extent = micai_extent_new_mixed(host, 4);
    micai_page first = micai_extent_add_page(extent, micai_extent_data(extent), 0);
    micai_page second = micai_extent_add_page(extent, micai_extent_data(extent), 2);
    CHECK_EQUAL(MICA_OK, micai_page_validate(host, &first, 128, 8));
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_page_validate(host, &first, 257, 8));
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK_EQUAL(MICA_OK, micai_page_validate(host, &second, 128, 8));
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_page_validate(host, &second, 129, 8));
    CHECK_EQUAL(1, test_error_clear(&t->error));
    extent->live = 3;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_page_validate(host, &second, 128, 8));
    CHECK(strstr(t->error.last.sentence, "T13") != NULL);
    CHECK_EQUAL(1, test_error_clear(&t->error));
    extent->live = 2;
    micai_page_release(host, &first);
    micai_page_release(host, &second);
}

TESTS(page, pages_of_a_mixed_extent_have_the_units_they_need,
      validate_finds_a_page_without_the_units_it_needs,
      an_extent_is_aligned_to_64_bytes_or_as_its_type_wants,
      pages_of_1024_rows_all_begin_on_64_bytes, pages_lie_side_by_side_and_do_not_overlap,
      an_extent_goes_with_its_last_page, a_page_beyond_all_memory_is_refused,
      bytes_of_any_size_are_copied_and_no_more, pages_adjoin_where_one_begins_at_the_others_end,
      validate_finds_a_page_outside_its_extent, validate_finds_miscounted_pages)
