// Tests of src/inspect/print.c. What it prints is compared by print.c, where it prints it to here.
#include <mica/debug.h>
#include <mica/system.h>

#include <stdlib.h>
#include <string.h>

#include "runner/folder.h"
#include "runner/print.h"
#include "state/state.h"
#include "unit/world/fixture.h"

TEST_WITH(test_world, t, figures_begin_at_zero)
{
    mica_world *world = t->world;
    mica_world_stats stats = mica_world_get_stats(world);
    CHECK_EQUAL(0, stats.entities);
    CHECK_EQUAL(0, stats.types);
    CHECK_EQUAL(1, stats.tables); // that of entities without components
    CHECK_EQUAL(0, stats.rows);
    CHECK_EQUAL(0, stats.queries);
    CHECK_EQUAL(0, stats.row_moves);
    CHECK_EQUAL(0, stats.page_moves);
    CHECK_EQUAL(t->memory.bytes, stats.memory.bytes);
    CHECK_EQUAL(t->memory.blocks, stats.memory.blocks);
}

TEST_WITH(fixture, f, figures_count_what_is_there_and_what_moved)
{
    mica_query query =
        mica_query_new(f->world, &(mica_query_desc){.terms = {{f->position, MICA_READ}}});
    mica_entity entities[3];
    for (int32_t i = 0; i < 3; i++) {
        entities[i] = fixture_spawn(f, i);
    }
    mica_world_stats stats = mica_world_get_stats(f->world);
    CHECK_EQUAL(3, stats.entities);
    CHECK_EQUAL(3, stats.rows);
    CHECK_EQUAL(7, stats.types);
    CHECK_EQUAL(2, stats.tables);
    CHECK_EQUAL(1, stats.queries);
    CHECK_EQUAL(0, stats.row_moves);
    mica_despawn(f->world, entities[2]); // the last: nothing moves
    CHECK_EQUAL(0, mica_world_get_stats(f->world).row_moves);
    mica_add(f->world, entities[0], f->frozen); // it, and the last into its place
    CHECK_EQUAL(2, mica_world_get_stats(f->world).row_moves);
    mica_add(f->world, entities[1], f->frozen); // it alone
    CHECK_EQUAL(3, mica_world_get_stats(f->world).row_moves);
    mica_despawn(f->world, entities[0]); // the last into its place
    CHECK_EQUAL(4, mica_world_get_stats(f->world).row_moves);
    CHECK_EQUAL(3, mica_world_get_stats(f->world).tables);
    CHECK_EQUAL(MICA_OK, mica_query_free(f->world, query));
    CHECK_EQUAL(0, mica_world_get_stats(f->world).queries);
}

TEST_WITH(fixture, f, whole_pages_that_change_hands_are_counted)
{
    mica_bundle bundle = mica_bundle_new(f->world, &f->position, 1);
    mica_spawn_many(f->world, bundle, 2 * MICAI_ROWS, NULL, 0, NULL);
    mica_query query =
        mica_query_new(f->world, &(mica_query_desc){.terms = {{f->position, MICA_READ}}});
    uint32_t changed = 0;
    CHECK_EQUAL(MICA_OK, mica_add_all(f->world, query, f->frozen, &changed));
    CHECK_EQUAL(2 * MICAI_ROWS, changed);
    CHECK_EQUAL(0, mica_world_get_stats(f->world).row_moves);
    CHECK_EQUAL(4, mica_world_get_stats(f->world).page_moves); // ids and positions, of two sheets
}

TEST_WITH(fixture, f, figures_of_a_type_count_its_tables_rows_and_bytes)
{
    mica_type_stats stats = mica_type_get_stats(f->world, f->position);
    CHECK_EQUAL(0, stats.tables + stats.rows + stats.bytes);
    for (int32_t i = 0; i < 3; i++) {
        mica_entity e = fixture_spawn(f, i);
        if (i == 1) {
            mica_add(f->world, e, f->frozen);
        }
    }
    mica_spawn(f->world, MICA_ADD(f->frozen));
    stats = mica_type_get_stats(f->world, f->position);
    CHECK_EQUAL(2, stats.tables);
    CHECK_EQUAL(3, stats.rows);
    CHECK(stats.bytes >= 3 * sizeof(Position));
    CHECK_EQUAL(0, stats.bytes % sizeof(Position));
    stats = mica_type_get_stats(f->world, f->frozen); // a tag has no bytes (S0.3)
    CHECK_EQUAL(2, stats.tables);
    CHECK_EQUAL(2, stats.rows);
    CHECK_EQUAL(0, stats.bytes);
    stats = mica_type_get_stats(f->world, (mica_type){0});
    CHECK_EQUAL(0, stats.tables + stats.rows + stats.bytes);
    CHECK_ERROR(&f->t, MICA_ERROR_TYPE,
                "mica_type_get_stats: the component type is none; was it registered?");
}

// S0.3
static void a_tag_costs_no_memory_per_entity(void)
{
    size_t bytes[2];
    for (uint32_t tags = 0; tags < 2; tags++) {
        fixture f;
        fixture_begin(&f);
        const mica_type types[] = {f.position, f.frozen, f.player};
        mica_bundle bundle = mica_bundle_new(f.world, types, tags ? 3 : 1);
        size_t before = mica_world_get_stats(f.world).memory.bytes;
        mica_spawn_many(f.world, bundle, 1000, NULL, 0, NULL);
        bytes[tags] = mica_world_get_stats(f.world).memory.bytes - before;
        fixture_end(&f);
    }
    CHECK_EQUAL(bytes[0], bytes[1]);
}

TEST_WITH(test_world, t, an_empty_table_costs_at_most_a_kibibyte)
{
    mica_world *world = t->world;
    mica_type types[64];
    for (uint32_t i = 0; i < 64; i++) {
        const char name[] = {'T', (char)('0' + i), '\0'};
        types[i] =
            mica_type_register(world, &(mica_type_desc){.name = name, .size = 8, .align = 8});
    }
    mica_bundle bundles[300];
    size_t before = mica_world_get_stats(world).memory.bytes;
    for (uint32_t i = 0; i < 300; i++) {
        const mica_type list[] = {types[i % 10], types[10 + i / 10 % 10], types[20 + i / 100]};
        bundles[i] = mica_bundle_new(world, list, 3);
    }
    for (uint32_t i = 0; i < 300; i++) {
        CHECK_EQUAL(MICA_OK, mica_bundle_free(world, bundles[i]));
    }
    CHECK_EQUAL(301, mica_world_get_stats(world).tables);
    CHECK((mica_world_get_stats(world).memory.bytes - before) / 300 <= 1024);
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK_EQUAL(1, mica_world_get_stats(world).tables);
}

TEST_WITH(fixture, f, reclaiming_gives_memory_back_and_queries_find_what_comes_again)
{
    mica_query query =
        mica_query_new(f->world, &(mica_query_desc){.terms = {{f->position, MICA_READ}}});
    mica_entity stays = mica_spawn(f->world, MICA_VALUE(f->health, Health, 3));
    mica_entity entities[40];
    for (int32_t i = 0; i < 40; i++) {
        entities[i] = fixture_spawn(f, i);
    }
    mica_despawn_many(f->world, entities, 40);
    size_t before = mica_world_get_stats(f->world).memory.bytes;
    uint64_t hash = mica_world_hash(f->world);
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(f->world));
    CHECK_EQUAL(2, mica_world_get_stats(f->world).tables);
    CHECK(mica_world_get_stats(f->world).memory.bytes < before);
    CHECK_EQUAL(hash, mica_world_hash(f->world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    CHECK_EQUAL(0, mica_query_count(f->world, query));
    CHECK_EQUAL(3, MICA_GET(f->world, stays, f->health, Health)->points);
    mica_entity e = fixture_spawn(f, 5);
    CHECK(fixture_holds(f, e, 5));
    CHECK_EQUAL(1, mica_query_count(f->world, query));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(f->world)); // nothing to do
    CHECK(fixture_holds(f, e, 5));
}

static void a_null_world_has_no_figures(void)
{
    const mica_world_stats stats = mica_world_get_stats(NULL);
    const mica_world_stats zero = {0};
    CHECK_EQUAL(0, memcmp(&stats, &zero, sizeof zero));
    const mica_type_stats of_type = mica_type_get_stats(NULL, (mica_type){0});
    CHECK_EQUAL(0, of_type.tables + of_type.rows + of_type.bytes);
}

// What a printer prints to a buffer and to a callback is the same. Fills `text` with it.
#define CHECK_ALIKE(text, print, ...)                                                              \
    do {                                                                                           \
        char other_[sizeof(text)] = {0};                                                           \
        size_t length_ = TEST_PRINT(text, print, __VA_ARGS__);                                     \
        CHECK_EQUAL(strlen(text), length_);                                                        \
        const mica_stream stream_ = {.write = append_text, .user = other_};                        \
        CHECK_EQUAL(MICA_OK, (print)(__VA_ARGS__, &stream_));                                      \
        CHECK_TEXT(text, other_);                                                                  \
    } while (0)

static bool append_text(void *user, const void *data, size_t size)
{
    return strncat(user, data, size) != NULL;
}

TEST_WITH(fixture, f, entities_are_printed_to_all_streams_alike)
{
    mica_entity e =
        mica_spawn(f->world, MICA_VALUE(f->position, Position, 1, 2), MICA_ADD(f->frozen));
    mica_entity_set_name(f->world, e, "scout");
    char text[64];
    CHECK_ALIKE(text, mica_entity_print, f->world, e);
    CHECK_TEXT("0.0 \"scout\" Frozen Position{x: 1, y: 2}\n", text);
    test_folder folder;
    test_folder_begin(&folder);
    const char *path = test_folder_path(&folder, "entity.txt");
    CHECK_EQUAL(MICA_OK, mica_entity_print(f->world, e, &(mica_stream){.path = path}));
    char back[64] = {0};
    CHECK_EQUAL(strlen(text), test_file_read(path, back, sizeof back));
    CHECK_TEXT(text, back);
    test_folder_end(&folder);
}

typedef struct Label {
    char text[24];
} Label;

// Whatever is in a text or a name, each thing has its one line, and nothing reaches the terminal that it obeys.
TEST_WITH(test_world, t, what_is_printed_is_shown_and_not_obeyed)
{
    mica_world *world = t->world;
    typedef struct Pair {
        Label labels[2];
        mica_entity who;
    } Pair;
    mica_type label = MICA_REGISTER(world, Label, text);
    const mica_field_info fields[] = {
        {.name = "labels", .kind = MICA_KIND_STRUCT, .type = label, .count = 2},
        MICA_FIELD(Pair, who)};
    mica_type both = mica_type_register(world, &(mica_type_desc){.name = "Pair",
                                                                 .size = sizeof(Pair),
                                                                 .align = _Alignof(Pair),
                                                                 .fields = fields,
                                                                 .field_count = 2});
    mica_entity named = mica_spawn_values(world, NULL, 0);
    mica_entity_set_name(world, named, "a \"door\" \\ \xff \xc3\xa9");
    const Pair pair = {{{"a\n1.0 Gold{n: 9}\x1b[2J"}, {"\xc2\x9b\x7f\xe2\x82\xac"}}, named};
    mica_entity e = mica_spawn(world, MICA_COPY_OF(both, pair));
    char text[512];
    TEST_PRINT(text, mica_entity_print, world, e);
    CHECK_TEXT(
        "1.0 Pair{labels: [{text: \"a\\x0a1.0 Gold{n: 9}\\x1b[2J\"}, {text: "
        "\"\\xc2\\x9b\\x7f\xe2\x82\xac\"}], who: \"a \\x22door\\x22 \\x5c \\xff \xc3\xa9\"}\n",
        text);
    TEST_PRINT(text, mica_entity_print, world, named);
    CHECK_TEXT("0.0 \"a \\x22door\\x22 \\x5c \\xff \xc3\xa9\"\n", text);
    mica_despawn(world, e);
    mica_resource_set(world, MICA_VALUE(label, Label, "\r\n"));
    TEST_PRINT(text, mica_world_print, world);
    CHECK(strstr(text, "  resource Label{text: \"\\x0d\\x0a\"}\n") != NULL);
    // Any bytes, of which a field that is full has no zero at its end.
    for (uint32_t c = 1; c < 256; c++) {
        Label value;
        memset(value.text, (int)c, sizeof value.text);
        e = mica_spawn(world, MICA_COPY_OF(label, value));
        TEST_PRINT(text, mica_entity_print, world, e);
        size_t length = strlen(text);
        CHECK(text[length - 1] == '\n' && length >= strlen("0.0 Label{text: \"\"}\n") + 24);
        for (size_t i = 0; i + 1 < length; i++) {
            CHECK(text[i] >= ' ' && text[i] < 0x7f);
        }
        mica_despawn(world, e);
    }
}

TEST_WITH(fixture, f, worlds_are_printed_to_all_streams_alike)
{
    fixture_spawn(f, 1);
    char text[1024];
    CHECK_ALIKE(text, mica_world_print, f->world); // the memory of the printer is not counted
    CHECK(strncmp(text, "1 entities, 7 types, ", 21) == 0);
}

TEST_WITH(test_world, t, a_field_that_is_an_entity_is_printed_as_its_name_or_handle)
{
    mica_world *world = t->world;
    typedef struct Target {
        mica_entity who;
    } Target;
    mica_type target = MICA_REGISTER(world, Target, who);
    mica_entity other = mica_spawn_values(world, NULL, 0);
    mica_entity e = mica_spawn(world, MICA_VALUE(target, Target, (mica_entity){0}));
    char text[64];
    TEST_PRINT(text, mica_entity_print, world, e);
    CHECK_TEXT("1.0 Target{who: none}\n", text);
    mica_set(world, e, MICA_VALUE(target, Target, other));
    TEST_PRINT(text, mica_entity_print, world, e);
    CHECK_TEXT("1.0 Target{who: 0.0}\n", text);
    mica_entity_set_name(world, other, "door");
    TEST_PRINT(text, mica_entity_print, world, e);
    CHECK_TEXT("1.0 Target{who: \"door\"}\n", text);
    mica_despawn(world, other);
    TEST_PRINT(text, mica_entity_print, world, e);
    CHECK_TEXT("1.0 Target{who: 0.0 (dead)}\n", text);
    mica_spawn_values(world, NULL, 0); // in its slot
    TEST_PRINT(text, mica_entity_print, world, e);
    CHECK_TEXT("1.0 Target{who: 0.0 (dead)}\n", text);
}

TEST_WITH(fixture, f, plans_and_times_of_steps_are_printed_to_all_streams_alike)
{
    char text[1024];
    CHECK_ALIKE(text, mica_schedule_print, f->world);
    CHECK_ALIKE(text, mica_timings_print, f->world);
}

TEST_WITH(fixture, f, tables_and_queries_are_printed_to_all_streams_alike)
{
    fixture_spawn(f, 1);
    char text[1024];
    mica_query query =
        mica_query_new(f->world, &(mica_query_desc){.terms = {{f->position, MICA_READ}}});
    CHECK_ALIKE(text, mica_table_print, f->world, mica_query_table(f->world, query, 0));
    CHECK(strstr(text, "\n  Position: table, 8 bytes each, "));
    CHECK_ALIKE(text, mica_query_print, f->world, query);
    CHECK(strstr(text, "\n  Position: read\n  table "));
}

TEST_WITH(test_world, t, a_value_that_cannot_be_put_together_is_not_printed)
{
    mica_world *world = t->world;
    typedef struct Large {
        int32_t before;
        int32_t numbers[20000];
    } Large;
    mica_type_desc desc = MICA_DESCRIBE(Large, before, numbers);
    desc.storage = MICA_SPLIT;
    mica_type large = mica_type_register(world, &desc);
    mica_entity e = mica_spawn(world, MICA_ADD(large));
    mica_buffer buffer = {0};
    const mica_stream stream = {.buffer = &buffer};
    for (uint64_t k = 1; k <= 2; k++) { // the stream's block; the value
        test_memory_fail_at(&t->memory, 0, TEST_MEMORY_ONCE);
        mica_world_reclaim(world);
        test_memory_fail_at(&t->memory, k, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_ERROR_MEMORY, mica_entity_print(world, e, &stream));
        CHECK_EQUAL(1, t->memory.refusals);
        CHECK_EQUAL(1, test_error_clear(&t->error));
        CHECK(!buffer.data);
    }
    test_memory_fail_at(&t->memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_OK, mica_entity_print(world, e, &stream));
    CHECK(buffer.size > 20000);
    CHECK_EQUAL(buffer.size, strlen((const char *)buffer.data));
    mica_buffer_free(&buffer);
}

// A function that looks at the world and prints again, to a buffer; and tries to change it.
typedef struct visitor {
    mica_world *world;
    uint32_t calls;
    char text[1024];
} visitor;

// Cuts the bytes of memory out of the text of a world, and returns them.
static uint64_t cut_bytes(char *text)
{
    char *bytes = strstr(text, "tables, ");
    REQUIRE(bytes);
    bytes += strlen("tables, ");
    char *rest = NULL;
    uint64_t count = strtoull(bytes, &rest, 10);
    memmove(bytes, rest, strlen(rest) + 1);
    return count;
}

// The two texts are the same, except that the world's memory now has the block of the outer stream.
static bool visit(void *user, const void *data, size_t size)
{
    visitor *v = user;
    v->calls++;
    TEST_PRINT(v->text, mica_world_print, v->world);
    CHECK_EQUAL(MICA_ERROR_HANDLER, mica_world_clear(v->world));
    char outer[sizeof v->text];
    REQUIRE(size < sizeof outer);
    memcpy(outer, data, size);
    outer[size] = '\0';
    CHECK(cut_bytes(outer) < cut_bytes(v->text));
    CHECK_TEXT(outer, v->text);
    return true;
}

TEST_WITH(fixture, f, a_callback_reads_the_world_and_does_not_change_it)
{
    fixture_spawn(f, 1);
    mica_world *const worlds[] = {f->world, mica_world_later(f->world)};
    for (uint32_t i = 0; i < 2; i++) {
        visitor v = {.world = f->world};
        const mica_stream stream = {.write = visit, .user = &v};
        CHECK_EQUAL(MICA_OK, mica_world_print(worlds[i], &stream));
        CHECK_EQUAL(1, v.calls);
        CHECK_EQUAL(0, f->t.error.calls); // standard error has what fails inside a handler
        CHECK_EQUAL(1, mica_entity_count(f->world));
    }
}

TEST_WITH(fixture, f, a_world_that_records_is_printed_as_the_world)
{
    fixture_spawn(f, 1);
    mica_world *later = mica_world_later(f->world);
    char text[1024];
    char other[1024];
    TEST_PRINT(text, mica_world_print, f->world);
    TEST_PRINT(other, mica_world_print, later);
    CHECK_TEXT(text, other);
}

TESTS(debug, a_callback_reads_the_world_and_does_not_change_it,
      a_value_that_cannot_be_put_together_is_not_printed,
      a_world_that_records_is_printed_as_the_world, entities_are_printed_to_all_streams_alike,
      what_is_printed_is_shown_and_not_obeyed, tables_and_queries_are_printed_to_all_streams_alike,
      worlds_are_printed_to_all_streams_alike,
      a_field_that_is_an_entity_is_printed_as_its_name_or_handle,
      plans_and_times_of_steps_are_printed_to_all_streams_alike, figures_begin_at_zero,
      figures_count_what_is_there_and_what_moved, whole_pages_that_change_hands_are_counted,
      figures_of_a_type_count_its_tables_rows_and_bytes, a_tag_costs_no_memory_per_entity,
      an_empty_table_costs_at_most_a_kibibyte,
      reclaiming_gives_memory_back_and_queries_find_what_comes_again, a_null_world_has_no_figures)
