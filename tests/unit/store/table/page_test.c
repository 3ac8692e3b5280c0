#include "store/table/page.h"

#include <string.h>

#include "base/memory.h"
#include "runner/host.h"
#include "runner/test.h"
#include "unit/tracked.h"

// A column of a made-up type.
typedef struct made_column {
    micai_type type;
    micai_column column;
} made_column;

static micai_column *make_column(made_column *made, uint32_t size, uint32_t align)
{
    *made = (made_column){.type.info = {.name = "Made", .size = size, .align = align}};
    made->column = (micai_column){.type = &made->type, .size = size};
    return &made->column;
}

static micai_column *make_tracked(made_column *made, tracker *t, bool has_move)
{
    tracker_begin(t);
    mica_type_desc desc = tracked_desc(t, "Tracked", has_move);
    make_column(made, desc.size, desc.align);
    made->type.info.name = desc.name;
    made->type.info.hooks = desc.hooks;
    made->type.info.user = t;
    made->column.has_move = has_move;
    return &made->column;
}

// What calls hooks wants a gate.
static micai_gate *gate_of(micai_host *host)
{
    static micai_slots slots;
    static micai_gate gate;
    gate = (micai_gate){.host = host, .slots = &slots};
    return &gate;
}

static void release_pages(micai_host *host, micai_extent *extent)
{
    for (uint32_t i = extent->page_count; i-- > 0;) {
        micai_page page = micai_extent_page(extent, i);
        micai_page_release(host, &page);
    }
}

static void an_extent_is_aligned_to_64_bytes_or_as_its_type_wants(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    static const uint32_t shapes[][2] = {{1, 1},  {4, 4},     {12, 4},
                                         {24, 8}, {128, 128}, {4096, 4096}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        made_column made;
        uint32_t align = shapes[i][1];
        for (uint32_t pages = 1; pages < 20; pages += 6) {
            micai_extent *extent =
                micai_extent_new(host, make_column(&made, shapes[i][0], align), 4, pages);
            REQUIRE(extent != NULL);
            CHECK_EQUAL(0, (uintptr_t)extent->data % (align > 64 ? align : 64));
            for (uint32_t p = 0; p < pages; p++) {
                CHECK_EQUAL(0, (uintptr_t)micai_extent_page(extent, p).data % align);
            }
            release_pages(host, extent);
        }
    }
    const micai_column ids = {.size = 8};
    micai_extent *extent = micai_extent_new(host, &ids, 1, 1);
    CHECK_EQUAL(0, (uintptr_t)extent->data % 64);
    release_pages(host, extent);
    test_host_end(&t);
}

static void pages_of_1024_rows_all_begin_on_64_bytes(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    made_column made;
    static const uint32_t sizes[] = {1, 3, 8, 12, 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        micai_extent *extent = micai_extent_new(host, make_column(&made, sizes[i], 1), 1024, 3);
        for (uint32_t p = 0; p < 3; p++) {
            CHECK_EQUAL(0, (uintptr_t)micai_extent_page(extent, p).data % MICAI_PAGE_ALIGN);
        }
        release_pages(host, extent);
    }
    test_host_end(&t);
}

static void pages_lie_side_by_side_and_do_not_overlap(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    made_column made;
    micai_extent *extent = micai_extent_new(host, make_column(&made, 12, 4), 4, 5);
    CHECK_EQUAL(48, extent->page_size);
    for (uint32_t p = 0; p < 5; p++) {
        micai_page page = micai_extent_page(extent, p);
        CHECK_POINTER(extent->data + 48 * p, page.data);
        CHECK_POINTER(extent, page.extent);
        CHECK_EQUAL(0, page.tick);
        memset(page.data, (int)p, 48);
    }
    CHECK(extent->data + 5 * 48 <= (unsigned char *)extent + extent->size);
    for (uint32_t p = 0; p < 5; p++) {
        CHECK_EQUAL(p, extent->data[48 * p]);
        CHECK_EQUAL(p, extent->data[48 * p + 47]);
        CHECK_EQUAL(1, extent->references[p]); // untouched by what was written
    }
    release_pages(host, extent);
    test_host_end(&t);
}

static void an_extent_goes_with_the_last_reference_to_a_page(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    made_column made;
    micai_extent *extent = micai_extent_new(host, make_column(&made, 8, 8), 4, 2);
    micai_page first = micai_extent_page(extent, 0);
    micai_page second = micai_extent_page(extent, 1);
    micai_page again = second;
    CHECK_EQUAL(2, extent->live);
    micai_page_share(&again);
    CHECK_EQUAL(1, micai_page_references(&first));
    CHECK_EQUAL(2, micai_page_references(&second));
    CHECK_EQUAL(2, extent->live);

    micai_page_release(host, &first);
    CHECK_POINTER(NULL, first.data);
    CHECK_EQUAL(1, extent->live);
    micai_page_release(host, &second);
    CHECK_EQUAL(1, extent->live);
    CHECK_EQUAL(1, t.memory.blocks);
    micai_page_release(host, &again);
    CHECK_EQUAL(0, t.memory.blocks);
    test_host_end(&t);
}

// P2
static void a_page_of_ones_own_is_not_copied(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    made_column made;
    micai_column *column = make_column(&made, 8, 8);
    micai_extent *extent = micai_extent_new(host, column, 4, 1);
    micai_page page = micai_extent_page(extent, 0);
    CHECK_EQUAL(MICA_OK, micai_page_own(gate_of(host), &page, column, 4, 4));
    CHECK_POINTER(extent->data, page.data);
    CHECK_EQUAL(1, t.memory.allocations);
    micai_page_release(host, &page);
    test_host_end(&t);
}

// T3
static void owning_a_shared_page_copies_it_and_leaves_the_old_bytes(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    made_column made;
    micai_column *column = make_column(&made, 8, 8);
    micai_extent *extent = micai_extent_new(host, column, 4, 2);
    micai_page page = micai_extent_page(extent, 1);
    page.tick = 42;
    memcpy(page.data, "abcdefghijklmnopqrstuvwxyz01234", 32);
    micai_page other = page;
    micai_page_share(&other);

    CHECK_EQUAL(MICA_OK, micai_page_own(gate_of(host), &page, column, 4, 3));
    CHECK(page.data != other.data);
    CHECK_EQUAL(42, page.tick);
    CHECK_EQUAL(0, (uintptr_t)page.data % MICAI_PAGE_ALIGN);
    CHECK_BYTES("abcdefghijklmnopqrstuvwx", page.data, 24);
    CHECK_EQUAL(1, micai_page_references(&page));
    CHECK_EQUAL(1, micai_page_references(&other));
    memset(page.data, 0, 32);
    CHECK_BYTES("abcdefghijklmnopqrstuvwxyz01234", other.data, 32);
    micai_page_release(host, &page);
    micai_page_release(host, &other);
    micai_page first = micai_extent_page(extent, 0);
    micai_page_release(host, &first);
    test_host_end(&t);
}

static void a_page_that_cannot_be_copied_stays_shared(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    made_column made;
    static tracker watch;
    micai_column *column = make_tracked(&made, &watch, true);
    micai_extent *extent = micai_extent_new(host, column, 4, 1);
    micai_page page = micai_extent_page(extent, 0);
    REQUIRE_EQUAL(MICA_OK, micai_hook_construct(gate_of(host), column->type, page.data, 2));
    micai_page_share(&page);

    test_memory_fail_at(&t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, micai_page_own(gate_of(host), &page, column, 4, 2));
    CHECK_EQUAL(1, test_error_clear(&t.error));
    watch.until_failure = 2;
    CHECK_EQUAL(MICA_ERROR_HOOK, micai_page_own(gate_of(host), &page, column, 4, 2));
    CHECK_ERROR(&t, MICA_ERROR_HOOK, "the copy hook of 'Tracked' failed");
    CHECK_POINTER(extent->data, page.data);
    CHECK_EQUAL(2, micai_page_references(&page));
    CHECK_TRACKED(&watch, 2);

    micai_column_destruct(gate_of(host), column, page.data, 2);
    micai_page other = page;
    micai_page_release(host, &page);
    micai_page_release(host, &other);
    CHECK_TRACKED(&watch, 0);
    test_host_end(&t);
}

static void a_page_beyond_all_memory_is_refused(void)
{
    if (sizeof(size_t) < 8) {
        SKIP("the largest page fits where size_t is 32 bits");
    }
    test_host t;
    micai_host *host = test_host_begin(&t);
    made_column made;
    micai_column *column = make_column(&made, 1u << 20, 1);
    CHECK_POINTER(NULL, micai_extent_new(host, column, 1u << 30, 1u << 20));
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
        made_column made;
        unsigned char moved[65] = {0};
        micai_column_relocate(gate_of(NULL), make_column(&made, size, 1), moved, source,
                              size <= 32 ? 2 : 1);
        CHECK_BYTES(source, moved, size <= 32 ? 2 * size : size);
    }
}

static void values_begin_as_zeroes_defaults_or_what_the_hook_makes(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    made_column made;
    unsigned char bytes[12];
    memset(bytes, 0xA5, sizeof bytes);
    micai_column *column = make_column(&made, 4, 4);
    CHECK_EQUAL(MICA_OK, micai_hook_construct(gate_of(host), column->type, bytes, 2));
    CHECK_BYTES("\0\0\0\0\0\0\0\0\xA5", bytes, 9);
    made.type.info.default_value = "wxyz";
    CHECK_EQUAL(MICA_OK, micai_hook_construct(gate_of(host), column->type, bytes, 2));
    CHECK_BYTES("wxyzwxyz\xA5", bytes, 9);

    static tracker watch;
    tracked values[3];
    memset(values, 0xA5, sizeof values);
    column = make_tracked(&made, &watch, true);
    CHECK_EQUAL(MICA_OK, micai_hook_construct(gate_of(host), column->type, values, 3));
    CHECK(tracked_is(&watch, &values[2], TRACKED_DEFAULT));
    micai_column_destruct(gate_of(host), column, values, 3);
    watch.until_failure = 3;
    CHECK_EQUAL(MICA_ERROR_HOOK, micai_hook_construct(gate_of(host), column->type, values, 3));
    CHECK_ERROR(&t, MICA_ERROR_HOOK, "the construct hook of 'Tracked' failed");
    CHECK_TRACKED(&watch, 0);
    test_host_end(&t);
}

static void hooks_are_not_called_for_no_values(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    made_column made;
    static tracker watch;
    tracked value;
    memset(&value, 0xA5, sizeof value);
    micai_column *column = make_tracked(&made, &watch, true);
    CHECK_EQUAL(MICA_OK, micai_hook_construct(gate_of(host), column->type, &value, 0));
    CHECK_EQUAL(MICA_OK, micai_column_copy(gate_of(host), column, &value, &value, 0));
    micai_column_destruct(gate_of(host), column, &value, 0);
    micai_column_relocate(gate_of(host), column, &value, &value, 0);
    CHECK_TRACKED(&watch, 0); // which counts such calls as errors
    test_host_end(&t);
}

TESTS(page, an_extent_is_aligned_to_64_bytes_or_as_its_type_wants,
      pages_of_1024_rows_all_begin_on_64_bytes, pages_lie_side_by_side_and_do_not_overlap,
      an_extent_goes_with_the_last_reference_to_a_page, a_page_of_ones_own_is_not_copied,
      owning_a_shared_page_copies_it_and_leaves_the_old_bytes,
      a_page_that_cannot_be_copied_stays_shared, a_page_beyond_all_memory_is_refused,
      bytes_of_any_size_are_copied_and_no_more,
      values_begin_as_zeroes_defaults_or_what_the_hook_makes, hooks_are_not_called_for_no_values)
