// How queries, phases and systems go on after an image was loaded: by their names, whether they were created before
// or after.
#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Pair {
    int32_t a, b;
} Pair;

typedef struct stage {
    test_world t;
    mica_world *world;
    mica_type pair; // with row stamps
    mica_type note; // an event, saved
    mica_phase physics;
    mica_query named, unnamed; // the second is declared by system "declares"
    mica_system own;
    uint32_t seen;     // rows, by system "own"
    uint32_t declared; // rows, by system "declares"
} stage;

static void begin_stage(stage *s)
{
    memset(s, 0, sizeof *s);
    s->world = test_world_begin(&s->t);
    mica_type_desc desc = MICA_DESCRIBE(Pair, a, b);
    desc.row_stamps = true;
    s->pair = mica_type_register(s->world, &desc);
    desc.name = "Note";
    desc.row_stamps = false;
    desc.saved = true;
    s->note = mica_type_register(s->world, &desc);
}

static void count_rows(mica_iter *it)
{
    stage *s = it->user;
    s->seen += it->count;
}

static uint32_t iterate(stage *s, mica_query query)
{
    mica_iter it;
    uint32_t rows = 0;
    mica_iter_begin(s->world, query, &it);
    while (mica_iter_next(&it)) {
        rows += it.count;
    }
    return rows;
}

static void iterate_declared(mica_iter *it)
{
    stage *s = it->user;
    s->declared += iterate(s, s->unnamed);
}

static void send_note(mica_iter *it)
{
    const stage *s = it->user;
    mica_send(s->world, MICA_VALUE(s->note, Pair, 1, 2));
}

static void read_and_send(mica_iter *it)
{
    const stage *s = it->user;
    uint32_t count;
    while (mica_events_unread(it, s->note, &count)) {
    }
    send_note(it);
}

static mica_query add_query(stage *s, const char *name)
{
    return mica_query_new(
        s->world, &(mica_query_desc){.name = name, .terms = {{s->pair, MICA_READ | MICA_CHANGED}}});
}

static mica_system add_own(stage *s, const char *name)
{
    return mica_system_add(
        s->world, &(mica_system_desc){.name = name,
                                      .update = count_rows,
                                      .user = s,
                                      .query.terms = {{s->pair, MICA_READ | MICA_CHANGED}}});
}

static mica_system add_declaring(stage *s, const char *name)
{
    return mica_system_add(s->world, &(mica_system_desc){.name = name,
                                                         .update = iterate_declared,
                                                         .user = s,
                                                         .queries = {s->unnamed}});
}

static mica_system add_noting(stage *s)
{
    return mica_system_add(
        s->world, &(mica_system_desc){.name = "notes",
                                      .update = read_and_send,
                                      .user = s,
                                      .phase = s->physics,
                                      .events = {{s->note, MICA_READ}, {s->note, MICA_WRITE}}});
}

static void add_program(stage *s)
{
    s->physics = mica_phase_add(s->world, &(mica_phase_desc){.name = "physics", .fixed_dt = 1});
    s->named = add_query(s, "named");
    s->unnamed = add_query(s, NULL);
    s->own = add_own(s, "own");
    add_declaring(s, "declares");
    add_noting(s);
}

static void save(stage *s, mica_buffer *image)
{
    mica_buffer_free(image);
    REQUIRE_EQUAL(MICA_OK, mica_world_save(s->world, &(mica_stream){.buffer = image}, NULL));
}

static void load(stage *s, const mica_buffer *image)
{
    const mica_stream stream = {.data = image->data, .size = image->size};
    REQUIRE_EQUAL(MICA_OK, mica_world_load(s->world, &stream, NULL));
    CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
}

// A world that has run for a while: three entities, which everybody has seen.
static void begin_saved(stage *s, mica_buffer *image)
{
    begin_stage(s);
    add_program(s);
    for (int32_t i = 0; i < 3; i++) {
        mica_spawn(s->world, MICA_VALUE(s->pair, Pair, i, i));
    }
    mica_step(s->world, 1.75);
    mica_step(s->world, 1);
    CHECK_EQUAL(3, s->seen);
    CHECK_EQUAL(3, iterate(s, s->named));
    save(s, image);
    s->seen = s->declared = 0;
}

static void check_image(stage *s, const mica_buffer *image)
{
    mica_buffer again = {0};
    save(s, &again);
    REQUIRE_EQUAL(image->size, again.size);
    CHECK_BYTES(image->data, again.data, again.size);
    mica_buffer_free(&again);
}

// It has seen all, and sees what changes then.
static void check_goes_on(stage *s)
{
    CHECK_EQUAL(0, mica_query_count(s->world, s->named));
    CHECK(mica_phase_progress(s->world, s->physics) == 0.75);
    mica_step(s->world, 0.125);
    CHECK_EQUAL(0, s->seen);
    CHECK_EQUAL(0, s->declared);
    mica_entity first = mica_entity_next(s->world, (mica_entity){0});
    mica_set(s->world, first, MICA_VALUE(s->pair, Pair, 9, 9));
    mica_step(s->world, 0.125);
    CHECK_EQUAL(1, s->seen);
    CHECK_EQUAL(1, s->declared);
    CHECK_EQUAL(1, mica_query_count(s->world, s->named));
    CHECK(mica_phase_progress(s->world, s->physics) == 0);
}

static void a_program_created_before_loading_goes_on(void) // S2.9
{
    stage saved, loaded;
    mica_buffer image = {0};
    begin_saved(&saved, &image);
    begin_stage(&loaded);
    add_program(&loaded);
    load(&loaded, &image);
    CHECK_EQUAL(mica_world_digest(saved.world), mica_world_digest(loaded.world));
    check_image(&loaded, &image);
    check_goes_on(&saved);
    check_goes_on(&loaded);
    CHECK_EQUAL(mica_world_digest(saved.world), mica_world_digest(loaded.world));
    load(&loaded, &image); // into itself
    loaded.seen = loaded.declared = 0;
    check_goes_on(&loaded);
    mica_buffer_free(&image);
    test_world_end(&saved.t);
    test_world_end(&loaded.t);
}

static void a_program_created_after_loading_goes_on(void)
{
    stage saved, loaded;
    mica_buffer image = {0};
    begin_saved(&saved, &image);
    begin_stage(&loaded);
    load(&loaded, &image);
    CHECK_EQUAL(mica_world_digest(saved.world), mica_world_digest(loaded.world));
    check_image(&loaded, &image); // it is not lost if it is saved before the program is created
    add_program(&loaded);
    CHECK_EQUAL(MICA_OK, mica_world_validate(loaded.world));
    CHECK_EQUAL(mica_world_digest(saved.world), mica_world_digest(loaded.world));
    check_image(&loaded, &image);
    check_goes_on(&saved);
    check_goes_on(&loaded);
    CHECK_EQUAL(mica_world_digest(saved.world), mica_world_digest(loaded.world));
    mica_buffer_free(&image);
    test_world_end(&saved.t);
    test_world_end(&loaded.t);
}

// The state of a name is claimed once: who comes later begins anew.
static void a_system_that_is_added_again_begins_anew(void)
{
    stage s;
    mica_buffer image = {0};
    begin_saved(&s, &image);
    load(&s, &image);
    mica_system_remove(s.world, s.own);
    add_own(&s, "own");
    mica_step(s.world, 0);
    CHECK_EQUAL(3, s.seen);
    load(&s, &image); // and goes on, as the image is loaded again
    s.seen = 0;
    mica_step(s.world, 0);
    CHECK_EQUAL(0, s.seen);
    mica_buffer_free(&image);
    test_world_end(&s.t);
}

static void a_system_that_is_refused_claims_nothing(void)
{
    stage saved, loaded;
    mica_buffer image = {0};
    begin_saved(&saved, &image);
    begin_stage(&loaded);
    load(&loaded, &image);
    loaded.own = add_own(&loaded, "other");
    CHECK(MICA_IS_NONE(mica_system_add(
        loaded.world, &(mica_system_desc){.name = "own",
                                          .update = count_rows,
                                          .query.terms = {{loaded.pair, MICA_READ | MICA_CHANGED}},
                                          .before = {loaded.own},
                                          .after = {loaded.own}})));
    CHECK_EQUAL(1, test_error_clear(&loaded.t.error));
    mica_step(loaded.world, 0);
    CHECK_EQUAL(3, loaded.seen); // the other one
    add_own(&loaded, "own");
    mica_step(loaded.world, 0);
    CHECK_EQUAL(3, loaded.seen);
    mica_buffer_free(&image);
    test_world_end(&saved.t);
    test_world_end(&loaded.t);
}

// A query that several systems declare goes on with the first that is created, and never goes back.
static void a_query_of_several_systems_does_not_go_back(void)
{
    stage saved, loaded;
    mica_buffer image = {0};
    begin_saved(&saved, &image);
    add_declaring(&saved, "declares, too");
    save(&saved, &image);
    begin_stage(&loaded);
    load(&loaded, &image);
    loaded.unnamed = add_query(&loaded, NULL);
    add_declaring(&loaded, "declares");
    mica_set(loaded.world, mica_entity_next(loaded.world, (mica_entity){0}),
             MICA_VALUE(loaded.pair, Pair, 5, 5));
    mica_step(loaded.world, 0);
    CHECK_EQUAL(1, loaded.declared);
    add_declaring(&loaded, "declares, too");
    mica_step(loaded.world, 0);
    CHECK_EQUAL(1, loaded.declared);
    mica_buffer_free(&image);
    test_world_end(&saved.t);
    test_world_end(&loaded.t);
}

// The first that is created has the moment of the first that was.
static void queries_of_one_name_go_on_in_the_order_of_their_creation(void)
{
    enum { COUNT = 5 };
    for (uint32_t before = 0; before <= COUNT; before++) {
        stage saved, loaded;
        mica_buffer image = {0};
        mica_query queries[COUNT], others[COUNT];
        begin_stage(&saved);
        begin_stage(&loaded);
        for (uint32_t i = 0; i < COUNT; i++) {
            queries[i] = add_query(&saved, "the same");
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            mica_spawn(saved.world, MICA_VALUE(saved.pair, Pair, 1, 1));
            iterate(&saved, queries[(i * 2) % COUNT]);
        }
        save(&saved, &image);
        for (uint32_t i = 0; i < COUNT; i++) {
            if (i == before) {
                load(&loaded, &image);
            }
            others[i] = add_query(&loaded, "the same");
        }
        if (before == COUNT) {
            load(&loaded, &image);
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            CHECK_EQUAL(mica_query_since(saved.world, queries[i]),
                        mica_query_since(loaded.world, others[i]));
        }
        CHECK_EQUAL(0, mica_query_since(loaded.world, add_query(&loaded, "the same")));
        mica_buffer_free(&image);
        test_world_end(&saved.t);
        test_world_end(&loaded.t);
    }
}

// What an image has of a program stays until the next image is loaded; a part, and clearing, leave it alone.
static void state_without_an_owner_stays_until_another_image_is_loaded(void)
{
    stage saved, loaded;
    mica_buffer image = {0}, part = {0}, empty = {0};
    begin_saved(&saved, &image);
    begin_stage(&loaded);
    save(&loaded, &empty);
    REQUIRE_EQUAL(MICA_OK, mica_subset_save(saved.world, saved.named,
                                            &(mica_stream){.buffer = &part}, NULL, NULL));
    load(&loaded, &image);
    CHECK_EQUAL(MICA_OK, mica_subset_load(loaded.world, &(mica_stream){.buffer = &part}, NULL, NULL,
                                          0, NULL));
    CHECK_EQUAL(MICA_OK, mica_subset_load(loaded.world, &(mica_stream){.buffer = &image}, NULL,
                                          NULL, 0, NULL));
    CHECK_EQUAL(MICA_OK, mica_world_clear(loaded.world));
    loaded.named = add_query(&loaded, "named");
    CHECK_EQUAL(mica_query_since(saved.world, saved.named),
                mica_query_since(loaded.world, loaded.named));
    load(&loaded, &empty);
    add_program(&loaded);
    CHECK_EQUAL(0, mica_query_since(loaded.world, loaded.named));
    CHECK(mica_phase_progress(loaded.world, loaded.physics) == 0);
    uint64_t digest = mica_world_digest(loaded.world);
    mica_step(loaded.world, 1.75);
    load(&loaded, &empty); // what it does not know begins anew
    CHECK_EQUAL(digest, mica_world_digest(loaded.world));
    mica_buffer_free(&image);
    mica_buffer_free(&part);
    mica_buffer_free(&empty);
    test_world_end(&saved.t);
    test_world_end(&loaded.t);
}

static void save_json(stage *s, char *text, size_t size)
{
    mica_buffer json = {0};
    REQUIRE_EQUAL(MICA_OK, mica_world_save(s->world, &(mica_stream){.buffer = &json},
                                           &(mica_save_desc){.format = MICA_IMAGE_JSON}));
    REQUIRE(json.size < size);
    memcpy(text, json.data, json.size);
    text[json.size] = '\0';
    mica_buffer_free(&json);
}

static void load_json(stage *s, const char *text)
{
    REQUIRE_EQUAL(MICA_OK, mica_world_load(
                               s->world, &(mica_stream){.data = text, .size = strlen(text)}, NULL));
    CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
}

// Puts a text in the place of another that is there, up to another.
static void replace(char *text, const char *from, const char *to, const char *with)
{
    static char rest[16384];
    char *begin = strstr(text, from);
    REQUIRE(begin != NULL);
    const char *end = strstr(begin, to);
    REQUIRE(end != NULL);
    strcpy(rest, end);
    strcpy(begin, with);
    strcat(begin, rest);
}

// Takes out what images of this version did not have yet.
static void make_older(char *text, uint32_t version)
{
    char number[32];
    snprintf(number, sizeof number, "\"mica_image\": %u", (unsigned)version);
    replace(text, "\"mica_image\": 4", ",", number);
    replace(text, ",\n    \"relations_count\"", "\n  }", "");
    replace(text, ",\n    \"cursors_count\"", "\n  }", "");
    replace(text, version < 2 ? ",\n    \"moments_count\"" : ",\n    \"readers_count\"", "\n  }\n}",
            "");
}

// The readers of notes: system "notes", and a cursor, if it has read.
static void check_readers(stage *s, uint64_t unread_by_system, uint64_t unread_by_cursor)
{
    mica_reader_info info;
    REQUIRE(mica_reader_get_info(s->world, s->note, 0, &info));
    CHECK_TEXT("notes", info.name);
    CHECK_EQUAL(unread_by_system, info.unread);
    CHECK_EQUAL(0, info.missed);
    mica_cursor cursor = {.name = "reader"};
    uint32_t count;
    uint32_t all = 0;
    while (mica_events(s->world, s->note, &cursor, &count)) {
        all += count;
    }
    CHECK_EQUAL(unread_by_cursor, all);
    CHECK_EQUAL(0, cursor.missed);
}

// Two events that all have read, and one that nobody has.
static void save_readers(stage *s, char *text, size_t size)
{
    mica_buffer image = {0};
    begin_saved(s, &image);
    mica_step(s->world, 1);
    mica_send(s->world, MICA_VALUE(s->note, Pair, 1, 2));
    mica_cursor cursor = {.name = "reader"};
    uint32_t count;
    while (mica_events(s->world, s->note, &cursor, &count)) {
    }
    mica_step(s->world, 1);
    save_json(s, text, size);
    mica_buffer_free(&image);
}

static void an_image_of_version_2_has_no_readers_of_events(void)
{
    stage saved, loaded;
    static char text[16384];
    save_readers(&saved, text, sizeof text);
    uint32_t events = test_event_count(saved.world, saved.note);
    begin_stage(&loaded);
    load_json(&loaded, text);
    add_program(&loaded);
    CHECK_EQUAL(mica_world_digest(saved.world), mica_world_digest(loaded.world));
    check_readers(&loaded, 1, 1);
    make_older(text, 2);
    load_json(&loaded, text);
    CHECK_EQUAL(events, test_event_count(loaded.world, loaded.note));
    check_readers(&loaded, events, events);
    test_world_end(&saved.t);
    test_world_end(&loaded.t);
}

// No reader is behind events that were not sent.
static void a_position_that_is_still_to_come_is_that_of_a_new_reader(void)
{
    for (uint32_t after = 0; after < 2; after++) {
        stage saved, loaded;
        static char text[16384];
        save_readers(&saved, text, sizeof text);
        uint32_t events = test_event_count(saved.world, saved.note);
        replace(strstr(text, "\"cursors_count\""), "\"next\"", ",", "\"next\": 1000000");
        replace(strstr(text, "\"readers_count\""), "\"next\"", ",", "\"next\": 1000000");
        begin_stage(&loaded);
        if (!after) {
            add_program(&loaded);
        }
        load_json(&loaded, text);
        if (after) {
            add_program(&loaded);
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(loaded.world));
        check_readers(&loaded, events, events);
        test_world_end(&saved.t);
        test_world_end(&loaded.t);
    }
}

static void names_of_cursors_in_images_are_valid(void)
{
    stage saved, loaded;
    static char text[16384];
    save_readers(&saved, text, sizeof text);
    replace(strstr(text, "\"cursors_count\""), "\"name\"", ",", "\"name\": \"\"");
    begin_stage(&loaded);
    uint64_t digest = mica_world_digest(loaded.world);
    const mica_stream stream = {.data = text, .size = strlen(text)};
    CHECK_EQUAL(MICA_ERROR_IMAGE, mica_world_load(loaded.world, &stream, NULL));
    CHECK_REPORTED(&loaded.t, MICA_ERROR_IMAGE);
    CHECK_EQUAL(digest, mica_world_digest(loaded.world));
    test_world_end(&saved.t);
    test_world_end(&loaded.t);
}

static void an_image_of_version_1_has_no_moments_of_systems(void)
{
    stage saved, loaded;
    mica_buffer image = {0};
    static char text[16384];
    begin_saved(&saved, &image);
    save_json(&saved, text, sizeof text);
    make_older(text, 1);
    begin_stage(&loaded);
    load_json(&loaded, text);
    add_program(&loaded);
    CHECK_EQUAL(0, mica_query_count(loaded.world, loaded.named));
    CHECK(mica_phase_progress(loaded.world, loaded.physics) == 0.75);
    mica_step(loaded.world, 0.125);
    CHECK_EQUAL(3, loaded.seen);
    CHECK_EQUAL(3, loaded.declared);
    mica_buffer_free(&image);
    test_world_end(&saved.t);
    test_world_end(&loaded.t);
}

// No query asks for changes since a moment that is still to come.
static void a_moment_that_is_still_to_come_is_none(void)
{
    for (uint32_t after = 0; after < 2; after++) {
        stage saved, loaded;
        mica_buffer image = {0};
        static char text[16384];
        begin_saved(&saved, &image);
        save_json(&saved, text, sizeof text);
        replace(strstr(text, "\"queries\": {"), "\"since\"", "\n", "\"since\": 1000000");
        replace(strstr(text, "\"moments_count\""), "\"since\"", "\n", "\"since\": 1000000");
        begin_stage(&loaded);
        if (!after) {
            add_program(&loaded);
        }
        load_json(&loaded, text);
        if (after) {
            add_program(&loaded);
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(loaded.world));
        CHECK_EQUAL(3, mica_query_count(loaded.world, loaded.named));
        mica_step(loaded.world, 0);
        CHECK_EQUAL(3, loaded.seen);
        CHECK_EQUAL(0, loaded.declared);
        mica_buffer_free(&image);
        test_world_end(&saved.t);
        test_world_end(&loaded.t);
    }
}

// A phase that has no time step of its own now does not take what one had that did.
static void a_phase_without_a_time_step_claims_nothing(void)
{
    stage saved, loaded;
    mica_buffer image = {0};
    begin_saved(&saved, &image);
    begin_stage(&loaded);
    load(&loaded, &image);
    mica_phase phase = mica_phase_add(loaded.world, &(mica_phase_desc){.name = "physics"});
    CHECK(mica_phase_progress(loaded.world, phase) == 0);
    CHECK_EQUAL(MICA_OK, mica_world_validate(loaded.world));
    mica_phase_remove(loaded.world, phase);
    phase = mica_phase_add(loaded.world, &(mica_phase_desc){.name = "physics", .fixed_dt = 0.5});
    CHECK(mica_phase_progress(loaded.world, phase) == 0); // it was late by more than a run
    CHECK_EQUAL(MICA_OK, mica_world_validate(loaded.world));
    mica_buffer_free(&image);
    test_world_end(&saved.t);
    test_world_end(&loaded.t);
}

// Of events, those that are sent do not count for those who send them.
static void events_sent_in_a_phase_with_a_time_step_are_in_the_digest_once(void)
{
    stage saved, loaded;
    mica_buffer image = {0};
    begin_stage(&saved);
    begin_stage(&loaded);
    stage *both[] = {&saved, &loaded};
    for (uint32_t i = 0; i < 2; i++) {
        stage *s = both[i];
        s->physics = mica_phase_add(s->world, &(mica_phase_desc){.name = "physics", .fixed_dt = 1});
        mica_system_add(s->world, &(mica_system_desc){.name = "sends",
                                                      .update = send_note,
                                                      .user = s,
                                                      .phase = s->physics,
                                                      .events = {{s->note, MICA_WRITE}}});
    }
    mica_step(saved.world, 1);
    mica_step(saved.world, 1);
    save(&saved, &image);
    load(&loaded, &image);
    CHECK_EQUAL(mica_world_digest(saved.world), mica_world_digest(loaded.world));
    check_image(&loaded, &image);
    mica_buffer_free(&image);
    test_world_end(&saved.t);
    test_world_end(&loaded.t);
}

// The k-th allocation fails, for all k: what the image before has of the program is still there.
static void load_without_memory(stage *s, const mica_buffer *before, const mica_buffer *image)
{
    const mica_stream stream = {.data = image->data, .size = image->size};
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = 1; result; k++) {
        test_memory_fail_at(&s->t.memory, k, TEST_MEMORY_ONCE);
        result = mica_world_load(s->world, &stream, NULL);
        test_memory_fail_at(&s->t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            REQUIRE_EQUAL(MICA_ERROR_MEMORY, result);
            CHECK(test_error_clear(&s->t.error) > 0);
            check_image(s, before);
            CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
        }
    }
    check_image(s, image);
}

static void loading_without_memory_keeps_state_without_an_owner(void)
{
    stage saved, loaded;
    mica_buffer empty = {0}, image = {0}, later = {0};
    begin_saved(&saved, &image);
    mica_step(saved.world, 0.125);
    add_query(&saved, "one more");
    save(&saved, &later);
    begin_stage(&loaded);
    save(&loaded, &empty);
    load_without_memory(&loaded, &empty, &image);
    load_without_memory(&loaded, &image, &later);
    mica_buffer_free(&empty);
    mica_buffer_free(&image);
    mica_buffer_free(&later);
    test_world_end(&saved.t);
    test_world_end(&loaded.t);
}

TESTS(resume, a_program_created_before_loading_goes_on, a_program_created_after_loading_goes_on,
      a_system_that_is_added_again_begins_anew, a_system_that_is_refused_claims_nothing,
      a_query_of_several_systems_does_not_go_back,
      queries_of_one_name_go_on_in_the_order_of_their_creation,
      state_without_an_owner_stays_until_another_image_is_loaded,
      an_image_of_version_1_has_no_moments_of_systems,
      an_image_of_version_2_has_no_readers_of_events,
      a_position_that_is_still_to_come_is_that_of_a_new_reader,
      names_of_cursors_in_images_are_valid, a_moment_that_is_still_to_come_is_none,
      a_phase_without_a_time_step_claims_nothing,
      events_sent_in_a_phase_with_a_time_step_are_in_the_digest_once,
      loading_without_memory_keeps_state_without_an_owner)
