#include "store/table/layout.h"

#include <string.h>

#include "runner/test.h"
#include "unit/store/table/fixture.h"

// S0.4
TEST_WITH(fixture, f, a_column_is_numbered_by_the_data_carrying_types_below)
{
    const micai_table *table =
        fixture_table(f, BIT(TAG_0) | BIT(A) | BIT(TAG_3) | BIT(MOVED) | BIT(E));
    CHECK_EQUAL(0, micai_table_column(table, TAG_0)); // has no column
    CHECK_EQUAL(1, micai_table_column(table, A));
    CHECK_EQUAL(0, micai_table_column(table, B)); // not in the table
    CHECK_EQUAL(0, micai_table_column(table, TAG_3));
    CHECK_EQUAL(2, micai_table_column(table, MOVED));
    CHECK_EQUAL(3, micai_table_column(table, E));
    CHECK_EQUAL(0, micai_table_column(table, 64));
    CHECK_EQUAL(0, micai_table_column(table, 100000));
    CHECK(micai_table_has(table, TAG_0) && micai_table_has(table, E));
    CHECK(!micai_table_has(table, B) && !micai_table_has(table, 100000));
    CHECK_EQUAL(4, table->layout.column_count);
}

// S0.4
TEST_WITH(fixture, f, columns_are_numbered_across_words_of_64_types)
{
    mica_type_set set = fixture_set(BIT(A) | BIT(TAG_3) | BIT(B));
    for (uint32_t number = TYPES; number < 400; number++) {
        fixture_register(f, number, number % 5 == 0 ? 0 : 2);
        if (number % 3 == 0) {
            REQUIRE_EQUAL(MICA_OK, micai_types_add(f->host, &set, number));
        }
    }
    const micai_table *table = micai_store_table(&f->store, &set);
    uint32_t expected = 2;
    for (uint32_t number = TYPES; number < 400; number++) {
        bool has_column = number % 3 == 0 && number % 5 != 0;
        expected += has_column;
        CHECK_EQUAL(has_column ? expected : 0, micai_table_column(table, number));
    }
    CHECK_EQUAL(expected + 1, table->layout.column_count);
    mica_type_set again = {0};
    CHECK_EQUAL(MICA_OK, micai_store_set_of(&f->store, table, &again));
    CHECK(mica_type_set_equal(&set, &again));
    micai_types_free(f->host, &again);
    micai_types_free(f->host, &set);
}

// The layout of the types with these bits, all of which carry data.
static micai_layout make(fixture *f, uint64_t bits)
{
    micai_layout layout = {0};
    REQUIRE_EQUAL(MICA_OK, micai_layout_make(f->host, f->registry.list.items, &bits, 1, &layout));
    return layout;
}

TEST_WITH(fixture, f, a_column_says_type_kind_size_and_which_strips_are_its_own)
{
    micai_layout layout = make(f, BIT(A) | BIT(B) | BIT(MOVED) | BIT(HOOKED) | BIT(E));
    static const uint32_t types[] = {0, A, B, MOVED, HOOKED, E};
    REQUIRE_EQUAL(6, layout.column_count);
    REQUIRE_EQUAL(6, layout.strip_count);
    CHECK_POINTER(NULL, layout.columns[0].type); // ids
    CHECK_EQUAL(sizeof(mica_entity), layout.strips[0].size);
    CHECK_EQUAL(_Alignof(mica_entity), micai_strip_align(&layout.strips[0]));
    for (uint32_t c = 0; c < 6; c++) {
        const micai_column *column = &layout.columns[c];
        const micai_strip *strip = &layout.strips[column->strip];
        CHECK_POINTER(&micai_kind_paged, micai_column_kind(column));
        CHECK_EQUAL(c, column->strip);
        CHECK_EQUAL(1, column->strip_count);
        CHECK_EQUAL(c, strip->column);
        CHECK_EQUAL(micai_column_value_size(column), strip->size);
        if (c > 0) {
            const micai_type *type = f->registry.list.items[types[c]];
            bool hooked = types[c] == MOVED || types[c] == HOOKED;
            CHECK_POINTER(type, column->type);
            CHECK_EQUAL(type->info.size, strip->size);
            CHECK_EQUAL(type->info.align, micai_strip_align(strip));
            CHECK_POINTER(hooked ? type : NULL, micai_layout_hooked(&layout, column->strip));
            CHECK_EQUAL(types[c] == MOVED, strip->careful);
        }
    }
    micai_layout_free(f->host, &layout);
    CHECK_POINTER(NULL, layout.columns);
}

TEST_WITH(fixture, f, a_layout_is_plain_if_no_type_has_hooks)
{
    static const struct {
        uint64_t bits;
        bool plain;
    } layouts[] = {{0, true},
                   {BIT(A) | BIT(B) | BIT(E), true},
                   {BIT(HOOKED), false},
                   {BIT(A) | BIT(MOVED), false},
                   {BIT(A) | BIT(MOVED) | BIT(E), false}};
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        micai_layout layout = make(f, layouts[i].bits);
        CHECK_EQUAL(layouts[i].plain, layout.plain);
        CHECK(!layout.outside);
        micai_layout_free(f->host, &layout);
    }
}

// S0.3
TEST_WITH(fixture, f, a_tag_costs_a_bit_and_no_column)
{
    micai_table *plain = fixture_table(f, BIT(A));
    micai_table *tagged = fixture_table(f, BIT(A) | BIT(TAG_0) | BIT(TAG_3));
    CHECK_EQUAL(plain->layout.column_count, tagged->layout.column_count);
    CHECK_EQUAL(plain->layout.strip_count, tagged->layout.strip_count);
    size_t before = f->t.memory.bytes;
    fixture_spawn(f, plain, 1);
    size_t with_slot = f->t.memory.bytes;
    fixture_spawn(f, tagged, 2);
    CHECK(f->t.memory.bytes - with_slot <= with_slot - before);
    CHECK_EQUAL(1, tagged->sheets.items[0]->capacity);
}

TEST_WITH(fixture, f, an_entity_has_at_most_65533_columns)
{
    mica_type_set set = {0};
    for (uint32_t number = TYPES; number < TYPES + 65534; number++) {
        fixture_register(f, number, 1);
        REQUIRE_EQUAL(MICA_OK, micai_types_add(f->host, &set, number));
    }
    CHECK_POINTER(NULL, micai_store_table(&f->store, &set));
    CHECK_ERROR(&f->t, MICA_ERROR_LIMIT,
                "one entity would have more than 65533 components, or parts of them");
    CHECK_EQUAL(1, f->store.tables.count);
    micai_types_remove(&set, 100);
    const micai_table *table = micai_store_table(&f->store, &set);
    REQUIRE(table != NULL);
    CHECK_EQUAL(65533, micai_table_column(table, TYPES + 65533));
    micai_types_free(f->host, &set);
}

TEST_WITH(fixture, f, a_layout_without_memory_leaves_nothing)
{
    const uint64_t bits = BIT(A) | BIT(B);
    micai_layout layout = {0};
    test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY,
                micai_layout_make(f->host, f->registry.list.items, &bits, 1, &layout));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_POINTER(NULL, layout.columns);
}

TESTS(layout, a_column_is_numbered_by_the_data_carrying_types_below,
      columns_are_numbered_across_words_of_64_types,
      a_column_says_type_kind_size_and_which_strips_are_its_own,
      a_layout_is_plain_if_no_type_has_hooks, a_tag_costs_a_bit_and_no_column,
      an_entity_has_at_most_65533_columns, a_layout_without_memory_leaves_nothing)
