// Tests of base/host. Two things can only be seen from outside the program's own code: what is
// printed to standard error, and abort().
#include "base/host.h"

#include "base/memory.h"
#include "runner/capture.h"
#include "runner/host.h"
#include "runner/test.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

TEST_WITH(test_host, t, a_failure_is_kept_reported_and_returned)
{
    micai_host *host = &t->host;
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_fail(host, MICA_ERROR_LIMIT, "%d of %s", 3, "them"));
    CHECK_EQUAL(MICA_ERROR_LIMIT, host->last_error.code);
    CHECK_TEXT("3 of them", host->last_error.sentence);
    CHECK_ERROR(t, MICA_ERROR_LIMIT, "3 of them");
}

TEST_WITH(test_host, t, every_failure_calls_the_handler_once)
{
    micai_host *host = &t->host;
    for (int code = 1; code < MICA_RESULT_COUNT; code++) {
        CHECK_EQUAL(code, micai_fail(host, (mica_result)code, "number %d", code));
    }
    CHECK_EQUAL(MICA_RESULT_COUNT - 1, t->error.calls);
    CHECK_EQUAL(MICA_RESULT_COUNT - 1, test_error_clear(&t->error));
}

typedef struct handled {
    mica_world *world;
    const mica_error *error;
} handled;

static void note_arguments(mica_world *world, const mica_error *error, void *user)
{
    *(handled *)user = (handled){world, error};
}

static void the_handler_gets_the_world_and_the_last_error(void)
{
    handled seen = {0};
    micai_host host = {0};
    host.error_handler = note_arguments;
    host.error_user = &seen;
    CHECK_EQUAL(MICA_ERROR_NAME, micai_fail(&host, MICA_ERROR_NAME, "x"));
    CHECK_POINTER(NULL, seen.world);
    CHECK_POINTER(&host.last_error, seen.error);

    char place;
    host.world = (mica_world *)(void *)&place;
    CHECK_EQUAL(MICA_ERROR_NAME, micai_fail(&host, MICA_ERROR_NAME, "x"));
    CHECK_POINTER(&place, seen.world);
}

TEST_WITH(test_host, t, a_sentence_that_does_not_fit_is_cut)
{
    micai_host *host = &t->host;
    char text[301];
    memset(text, 'x', 300);
    text[300] = '\0';
    CHECK_EQUAL(MICA_ERROR_NAME, micai_fail(host, MICA_ERROR_NAME, "%s", text));
    text[sizeof((mica_error *)0)->sentence - 1] = '\0';
    CHECK_ERROR(t, MICA_ERROR_NAME, text);
    // This one just fits.
    CHECK_EQUAL(MICA_ERROR_NAME, micai_fail(host, MICA_ERROR_NAME, "%s", text));
    CHECK_ERROR(t, MICA_ERROR_NAME, text);
}

TEST_WITH(test_host, t, a_sentence_is_one_line_whatever_it_quotes)
{
    micai_host *host = &t->host;
    micai_fail(host, MICA_ERROR_NAME, "no '%s' here", "a\nb\x1b[2J\x7f\xc2\x9b!\xc3\xa9\xff");
    CHECK_ERROR(t, MICA_ERROR_NAME, "no 'a b [2J   !\xc3\xa9?' here");
}

TEST_WITH(test_host, t, a_sentence_may_quote_the_one_before)
{
    micai_host *host = &t->host;
    micai_fail(host, MICA_ERROR_NAME, "first");
    CHECK_ERROR(t, MICA_ERROR_NAME, "first");
    micai_fail(host, MICA_ERROR_FIELD, "after the %s", host->last_error.sentence);
    CHECK_ERROR(t, MICA_ERROR_FIELD, "after the first");
}

TEST_WITH(test_host, t, a_null_is_reported_with_call_and_parameter)
{
    micai_host *host = &t->host;
    CHECK_EQUAL(MICA_ERROR_NULL, micai_fail_null(host, "mica_spawn_at", "world"));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_spawn_at: world is null");
}

TEST_WITH(test_host, t, a_broken_invariant_is_reported_with_its_number)
{
    micai_host *host = &t->host;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_fail_invariant(host, "T2", "row %d is twice", 5));
    CHECK_ERROR(t, MICA_ERROR_CORRUPT, "invariant T2 is broken: row 5 is twice");
}

typedef struct logged {
    int calls;
    mica_world *world;
    mica_log_level level;
    char sentence[300];
} logged;

static void note_log(mica_world *world, mica_log_level level, const char *sentence, void *user)
{
    logged *log = user;
    log->calls++;
    log->world = world;
    log->level = level;
    snprintf(log->sentence, sizeof log->sentence, "%s", sentence);
}

TEST_WITH(test_host, t, the_log_handler_gets_level_and_sentence)
{
    micai_host *host = &t->host;
    logged log = {0};
    char place;
    host->log_handler = note_log;
    host->log_user = &log;
    host->world = (mica_world *)(void *)&place;
    micai_log(host, MICA_LOG_WARNING, "%d retired", 4);
    CHECK_EQUAL(1, log.calls);
    CHECK_POINTER(&place, log.world);
    CHECK_EQUAL(MICA_LOG_WARNING, log.level);
    CHECK_TEXT("4 retired", log.sentence);
    micai_log(host, MICA_LOG_INFO, "%0400d", 0);
    CHECK_EQUAL(sizeof((mica_error *)0)->sentence - 1, strlen(log.sentence));
    CHECK_EQUAL(MICA_LOG_INFO, log.level);
    CHECK_EQUAL(MICA_OK, host->last_error.code);
}

static void fail_by_default(void)
{
    micai_host host = {0};
    micai_fail(&host, MICA_ERROR_ENTITY, "entity 3.0 is dead");
    micai_fail(NULL, MICA_ERROR_NULL, "%s", "nobody at home");
    micai_fail_null(NULL, "mica_despawn", "world");
    micai_log(&host, MICA_LOG_WARNING, "silence");
    micai_log(NULL, MICA_LOG_WARNING, "silence");
}

static void the_default_handler_prints_a_line_and_the_default_log_is_silent(void)
{
    char text[500];
    test_capture_stderr(fail_by_default, text, sizeof text);
    CHECK_TEXT("mica: entity 3.0 is dead\n"
               "mica: nobody at home\n"
               "mica: mica_despawn: world is null\n",
               text);
}

// Sentences that come again

static void fail_times(micai_host *host, uint32_t times, const char *sentence)
{
    for (uint32_t i = 0; i < times; i++) {
        micai_fail(host, MICA_ERROR_ENTITY, "%s", sentence);
    }
}

static void fail_every_frame(void)
{
    micai_host host = {0};
    fail_times(&host, 60, "entity 3.0 is dead");
    micai_host_close(&host);
    micai_host_close(&host);
}

static void the_default_handler_prints_a_sentence_once_and_then_counts(void)
{
    char text[500];
    test_capture_stderr(fail_every_frame, text, sizeof text);
    CHECK_TEXT("mica: entity 3.0 is dead\n"
               "mica: 10 times: entity 3.0 is dead\n"
               "mica: 60 times: entity 3.0 is dead\n",
               text);
}

static void fail_a_thousand_times(void)
{
    micai_host host = {0};
    fail_times(&host, 9, "x");
    micai_host_close(&host);
    fail_times(&host, 991, "x");
    micai_host_close(&host);
}

static void what_was_reported_is_not_reported_again(void)
{
    char text[500];
    test_capture_stderr(fail_a_thousand_times, text, sizeof text);
    CHECK_TEXT("mica: x\n"
               "mica: 9 times: x\n"
               "mica: 10 times: x\n"
               "mica: 100 times: x\n"
               "mica: 1000 times: x\n",
               text);
}

static void fail_in_turns(void)
{
    micai_host host = {0};
    for (uint32_t frame = 0; frame < 5; frame++) {
        for (uint32_t i = 0; i < MICAI_REPEATED_COUNT; i++) {
            micai_fail(&host, MICA_ERROR_ENTITY, "entity %d.0 is dead", (int)i);
        }
    }
    micai_fail(&host, MICA_ERROR_ENTITY, "entity 0.0 is dead");
    // One sentence too many: of the others, that of entity 1 has not come for longest.
    micai_fail(&host, MICA_ERROR_NAME, "the name is missing");
    micai_fail(&host, MICA_ERROR_ENTITY, "entity 0.0 is dead");
    micai_fail(&host, MICA_ERROR_ENTITY, "entity 1.0 is dead"); // entity 2 gives way
    micai_host_close(&host);
}

static void some_sentences_may_take_turns(void)
{
    char text[2000];
    test_capture_stderr(fail_in_turns, text, sizeof text);
    CHECK_TEXT("mica: entity 0.0 is dead\n"
               "mica: entity 1.0 is dead\n"
               "mica: entity 2.0 is dead\n"
               "mica: entity 3.0 is dead\n"
               "mica: entity 4.0 is dead\n"
               "mica: entity 5.0 is dead\n"
               "mica: entity 6.0 is dead\n"
               "mica: entity 7.0 is dead\n"
               "mica: 5 times: entity 1.0 is dead\n"
               "mica: the name is missing\n"
               "mica: 5 times: entity 2.0 is dead\n"
               "mica: entity 1.0 is dead\n"
               "mica: 7 times: entity 0.0 is dead\n"
               "mica: 5 times: entity 3.0 is dead\n"
               "mica: 5 times: entity 4.0 is dead\n"
               "mica: 5 times: entity 5.0 is dead\n"
               "mica: 5 times: entity 6.0 is dead\n"
               "mica: 5 times: entity 7.0 is dead\n",
               text);
}

static void fail_on_two_hosts_and_on_none(void)
{
    micai_host a = {0};
    micai_host b = {0};
    fail_times(&a, 2, "x");
    fail_times(&b, 1, "x");
    fail_times(NULL, 2, "x");
    micai_host_close(&b);
    micai_host_close(&a);
}

static void hosts_count_on_their_own_and_without_one_every_sentence_is_printed(void)
{
    char text[500];
    test_capture_stderr(fail_on_two_hosts_and_on_none, text, sizeof text);
    CHECK_TEXT("mica: x\nmica: x\nmica: x\nmica: x\nmica: 2 times: x\n", text);
}

static void fail_before_and_after_a_clear(void)
{
    micai_host host = {0};
    micai_fail(&host, MICA_ERROR_NAME, "%s", ""); // looks like a place that is free
    micai_fail(&host, MICA_ERROR_NAME, "x");
    host.last_error = (mica_error){0}; // what mica_clear_error() does
    micai_fail(&host, MICA_ERROR_FIELD, "x");
    micai_host_close(&host);
}

static void only_sentences_are_compared(void)
{
    char text[500];
    test_capture_stderr(fail_before_and_after_a_clear, text, sizeof text);
    CHECK_TEXT("mica: \nmica: x\nmica: 2 times: x\n", text);
}

static test_error calls;

static void fail_with_a_handler_in_between(void)
{
    micai_host host = {.error_user = &calls};
    fail_times(&host, 2, "x");
    host.error_handler = test_error_record;
    fail_times(&host, 25, "x");
    host.error_handler = NULL;
    fail_times(&host, 1, "x");
    micai_host_close(&host);
}

static void another_handler_is_called_every_time(void)
{
    char text[500];
    test_error_clear(&calls);
    test_capture_stderr(fail_with_a_handler_in_between, text, sizeof text);
    CHECK_TEXT("mica: x\nmica: 3 times: x\n", text);
    CHECK_TEXT("x", calls.last.sentence);
    CHECK_EQUAL(25, test_error_clear(&calls));
}

// The system a sentence is from

TEST_WITH(test_host, t, a_sentence_ends_in_the_system_it_is_from)
{
    micai_host *host = &t->host;
    host->system = "move";
    micai_fail(host, MICA_ERROR_ENTITY, "entity 3.0 is dead");
    CHECK_ERROR(t, MICA_ERROR_ENTITY, "entity 3.0 is dead (in system 'move')");
    micai_fail_null(host, "mica_get", "world");
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_get: world is null (in system 'move')");
    micai_fail_invariant(host, "T2", "row 5 is twice");
    CHECK_ERROR(t, MICA_ERROR_CORRUPT, "invariant T2 is broken: row 5 is twice (in system 'move')");
    host->system = NULL;
    micai_fail(host, MICA_ERROR_ENTITY, "entity 3.0 is dead");
    CHECK_ERROR(t, MICA_ERROR_ENTITY, "entity 3.0 is dead");
}

TEST_WITH(test_host, t, a_sentence_that_quotes_the_system_has_no_such_ending)
{
    micai_host *host = &t->host;
    host->system = "move";
    micai_fail(host, MICA_ERROR_ITERATING, "refused while 'move' is being iterated");
    CHECK_ERROR(t, MICA_ERROR_ITERATING, "refused while 'move' is being iterated");
    micai_fail(host, MICA_ERROR_ITERATING, "of 'mov', not of 'move'");
    CHECK_ERROR(t, MICA_ERROR_ITERATING, "of 'mov', not of 'move'");
    micai_fail(host, MICA_ERROR_TYPE, "of 'mover', 'remove' and 'move");
    CHECK_ERROR(t, MICA_ERROR_TYPE, "of 'mover', 'remove' and 'move (in system 'move')");
    // Nor does one that quotes a sentence which has it.
    micai_fail(host, MICA_ERROR_TYPE, "after: %s", host->last_error.sentence);
    CHECK_ERROR(t, MICA_ERROR_TYPE, "after: of 'mover', 'remove' and 'move (in system 'move')");
}

static void a_sentence_that_is_cut_keeps_its_system(void)
{
    static const char ending[] = " (in system 'move')";
    enum { SIZE = (int)sizeof((mica_error *)0)->sentence - 1, CUT = SIZE + 1 - (int)sizeof ending };
    test_host t;
    micai_host *host = test_host_begin(&t);
    host->system = "move";
    char text[301];
    char expected[301];
    memset(text, 'x', 300);
    text[300] = '\0';
    snprintf(expected, sizeof expected, "%.*s%s", CUT, text, ending);
    micai_fail(host, MICA_ERROR_NAME, "%s", text);
    CHECK_ERROR(&t, MICA_ERROR_NAME, expected);
    CHECK_EQUAL(SIZE, strlen(host->last_error.sentence));
    micai_fail(host, MICA_ERROR_NAME, "%.*s", CUT, text); // just fits
    CHECK_ERROR(&t, MICA_ERROR_NAME, expected);
    micai_fail(host, MICA_ERROR_NAME, "%.*s", CUT - 1, text);
    CHECK_ERROR(&t, MICA_ERROR_NAME, expected + 1);
    test_host_end(&t);
}

TEST_WITH(test_host, t, a_system_of_a_long_name_leaves_room_for_the_mistake)
{
    micai_host *host = &t->host;
    char name[256];
    char expected[301];
    memset(name, 'n', 255);
    name[255] = '\0';
    host->system = name;
    micai_fail(host, MICA_ERROR_ENTITY, "entity 3.0 is dead");
    snprintf(expected, sizeof expected, "entity 3.0 is dead (in system '%.96s')", name);
    CHECK_ERROR(t, MICA_ERROR_ENTITY, expected);
}

static void logs_do_not_name_systems(void)
{
    logged log = {0};
    micai_host host = {.system = "move", .log_handler = note_log, .log_user = &log};
    micai_log(&host, MICA_LOG_INFO, "4 retired");
    CHECK_TEXT("4 retired", log.sentence);
}

static jmp_buf after_abort;

static void leave_abort(int number)
{
    (void)number;
    longjmp(after_abort, 1);
}

static void abort_follows_the_handler_where_asked_for(void)
{
    // C lets a handler of abort()'s signal jump away instead of returning.
    test_host t;
    micai_host *host = test_host_begin(&t);
    host->abort_on_error = true;
    void (*previous)(int) = signal(SIGABRT, leave_abort);
    volatile bool aborted = true; // else gcc for s390x stores the false before the call
    if (setjmp(after_abort) == 0) {
        micai_fail(host, MICA_ERROR_ENTITY, "the last words");
        aborted = false;
    }
    signal(SIGABRT, previous);
    CHECK(aborted);
    CHECK_ERROR(&t, MICA_ERROR_ENTITY, "the last words");
    test_host_end(&t);
}

static void fail_until_aborted(void)
{
    micai_host host = {0};
    micai_host *volatile kept = &host; // across longjmp()
    fail_times(&host, 2, "x");
    host.abort_on_error = true;
    void (*previous)(int) = signal(SIGABRT, leave_abort);
    if (setjmp(after_abort) == 0) {
        micai_fail(kept, MICA_ERROR_ENTITY, "x");
    }
    signal(SIGABRT, previous);
}

static void the_last_words_before_an_abort_are_printed_however_often_they_came(void)
{
    char text[500];
    test_capture_stderr(fail_until_aborted, text, sizeof text);
    CHECK_TEXT("mica: x\nmica: 3 times: x\n", text);
}

// While the world is not whole

TEST_WITH(test_host, t, what_is_reported_while_the_world_is_not_whole_waits)
{
    micai_host *host = &t->host;
    logged log = {0};
    host->log_handler = note_log;
    host->log_user = &log;
    micai_host_begin(host, "test");
    micai_host_begin(host, "test");
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_fail(host, MICA_ERROR_LIMIT, "too many"));
    micai_log(host, MICA_LOG_WARNING, "by the way");
    micai_host_end(host);
    CHECK_EQUAL(0, t->error.calls);
    CHECK_EQUAL(0, log.calls);
    CHECK_EQUAL(MICA_ERROR_LIMIT, host->failed);
    CHECK_TEXT("too many", host->last_error.sentence);
    micai_host_end(host);
    CHECK_ERROR(t, MICA_ERROR_LIMIT, "too many");
    CHECK_EQUAL(1, log.calls);
    CHECK_EQUAL(MICA_LOG_WARNING, log.level);
    CHECK_TEXT("by the way", log.sentence);
    micai_host_begin(host, "test");
    micai_host_end(host);
    CHECK_EQUAL(0, t->error.calls); // nothing is reported twice
    CHECK_EQUAL(1, log.calls);
}

TEST_WITH(test_host, t, what_is_tried_and_fails_can_be_forgotten)
{
    micai_host *host = &t->host;
    micai_fail(host, MICA_ERROR_NAME, "before");
    CHECK_ERROR(t, MICA_ERROR_NAME, "before");
    for (int forget = 0; forget < 2; forget++) {
        micai_host_begin_try(host);
        CHECK_EQUAL(MICA_ERROR_HOOK, micai_fail(host, MICA_ERROR_HOOK, "one"));
        micai_host_begin(host, "test");
        CHECK_EQUAL(MICA_ERROR_LIMIT, micai_fail(host, MICA_ERROR_LIMIT, "two"));
        micai_host_end(host);
        CHECK_EQUAL(0, t->error.calls);
        CHECK_TEXT("two", micai_host_last_error(host)->sentence);
        CHECK_TEXT(forget ? "two" : "before", host->last_error.sentence);
        micai_host_end_try(host, forget);
        CHECK_EQUAL(forget ? 0 : 2, test_error_clear(&t->error));
        CHECK_TEXT("two", micai_host_last_error(host)->sentence);
        CHECK_EQUAL(MICA_OK, micai_host_validate(host));
    }
}

typedef struct sequence {
    uint32_t count;
    char first[sizeof((mica_error *)0)->sentence];
    char last[sizeof((mica_error *)0)->sentence];
} sequence;

static void note_order(mica_world *world, const mica_error *error, void *user)
{
    (void)world;
    sequence *seen = user;
    snprintf(seen->count++ ? seen->last : seen->first, sizeof seen->last, "%s", error->sentence);
}

static void of_too_many_that_wait_the_first_and_the_last_are_reported(void)
{
    sequence seen = {0};
    logged log = {0};
    micai_host host = {.error_handler = note_order,
                       .error_user = &seen,
                       .log_handler = note_log,
                       .log_user = &log};
    for (int round = 0; round < 2; round++) {
        micai_host_begin(&host, "test");
        for (int i = 1; i <= 20; i++) {
            micai_fail(&host, MICA_ERROR_HOOK, "number %d", i);
        }
        micai_host_end(&host);
        CHECK_EQUAL(8, seen.count);
        CHECK_TEXT("number 1", seen.first);
        CHECK_TEXT("number 20", seen.last);
        CHECK_TEXT("number 20", host.last_error.sentence);
        CHECK_EQUAL(1, log.calls);
        CHECK_TEXT("12 errors and 0 lines of the log are left out: there were too many in one call",
                   log.sentence);
        seen.count = 0;
        log.calls = 0;
    }
}

typedef struct guarded {
    micai_host host;
    uint32_t busy;
    uint32_t seen; // while a handler ran
    uint32_t calls;
} guarded;

static void fail_again(mica_world *world, const mica_error *error, void *user)
{
    (void)world;
    guarded *g = user;
    g->calls++;
    g->seen = g->busy;
    CHECK_TEXT("first", error->sentence);
    micai_host_begin(&g->host, "test");
    CHECK_EQUAL(MICA_ERROR_NAME, micai_fail(&g->host, MICA_ERROR_NAME, "second"));
    micai_host_end(&g->host);
    CHECK_EQUAL(MICA_ERROR_NAME, g->host.failed);
    CHECK_TEXT("first", error->sentence);
}

static void fail_in_a_handler(void)
{
    guarded g = {.busy = 3};
    g.host = (micai_host){.error_handler = fail_again, .error_user = &g, .busy = &g.busy};
    micai_fail(&g.host, MICA_ERROR_FIELD, "first");
    CHECK_EQUAL(1, g.calls);
    CHECK_EQUAL(4, g.seen);
    CHECK_EQUAL(3, g.busy);
    CHECK_EQUAL(MICA_ERROR_FIELD, g.host.failed);
    CHECK_EQUAL(MICA_ERROR_FIELD, g.host.last_error.code);
    CHECK_TEXT("first", g.host.last_error.sentence);
}

static void what_fails_in_a_handler_is_printed_and_not_reported_to_it(void)
{
    char text[100];
    test_capture_stderr(fail_in_a_handler, text, sizeof text);
    CHECK_TEXT("mica: second\n", text);
}

static void an_abort_does_not_wait_and_shows_no_half_world(void)
{
    handled seen = {0};
    char place;
    micai_host host = {.error_handler = note_arguments,
                       .error_user = &seen,
                       .world = (mica_world *)(void *)&place,
                       .abort_on_error = true};
    micai_host *volatile kept = &host; // across longjmp()
    micai_host_begin(&host, "test");
    void (*previous)(int) = signal(SIGABRT, leave_abort);
    if (setjmp(after_abort) == 0) {
        micai_fail(kept, MICA_ERROR_ENTITY, "x");
    }
    signal(SIGABRT, previous);
    CHECK_POINTER(&kept->last_error, seen.error);
    CHECK_POINTER(NULL, seen.world);
}

static void codes_have_names_and_texts(void)
{
    CHECK_TEXT("MICA_OK", mica_result_name(MICA_OK));
    CHECK_TEXT("no error", mica_result_text(MICA_OK));
    CHECK_TEXT("MICA_ERROR_MEMORY", mica_result_name(MICA_ERROR_MEMORY));
    CHECK_TEXT("the allocator refused", mica_result_text(MICA_ERROR_MEMORY));
    CHECK_TEXT("MICA_ERROR_CORRUPT", mica_result_name(MICA_ERROR_CORRUPT));
    for (int code = 0; code < MICA_RESULT_COUNT; code++) {
        const char *name = mica_result_name((mica_result)code);
        CHECK_EQUAL(0, strncmp(name, "MICA_", 5));
        CHECK(strlen(mica_result_text((mica_result)code)) > 5);
        for (int other = 0; other < code; other++) {
            CHECK(strcmp(name, mica_result_name((mica_result)other)) != 0);
        }
    }
}

static void what_is_no_code_has_a_name_too(void)
{
    static const int numbers[] = {MICA_RESULT_COUNT, MICA_RESULT_COUNT + 1, 1000, -1, INT32_MIN};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        CHECK_TEXT("MICA_ERROR_UNKNOWN", mica_result_name((mica_result)numbers[i]));
        CHECK_TEXT("no such code", mica_result_text((mica_result)numbers[i]));
    }
}

static void the_version_is_made_of_its_parts(void)
{
    char version[50];
    snprintf(version, sizeof version, "%d.%d.%d", MICA_VERSION_MAJOR, MICA_VERSION_MINOR,
             MICA_VERSION_PATCH);
    CHECK_TEXT(version, mica_version());
}

TEST_WITH(test_host, t, who_knows_no_call_names_the_outermost_that_is_at_work)
{
    micai_host *host = &t->host;
    micai_fail_within(host, MICA_ERROR_LIMIT, "%d are too many", 3);
    CHECK_ERROR(t, MICA_ERROR_LIMIT, "3 are too many");
    micai_host_begin(host, "mica_outer");
    micai_host_begin(host, "mica_inner");
    micai_fail_within(host, MICA_ERROR_LIMIT, "%d are too many", 4);
    micai_host_end(host);
    CHECK_TEXT("mica_outer", host->call);
    micai_host_end(host);
    CHECK_ERROR(t, MICA_ERROR_LIMIT, "mica_outer: 4 are too many");
    micai_host_begin(host, "mica_next");
    micai_fail(host, MICA_ERROR_LIMIT, "mica_next: 5");
    micai_host_end(host);
    CHECK_ERROR(t, MICA_ERROR_LIMIT, "mica_next: 5");
    CHECK(!host->call);
}

// Whatever was in its memory before.
static void a_host_that_begins_or_succeeds_has_no_sentences(void)
{
    static micai_host before, host;
    memset(&before, 0xa5, sizeof before);
    micai_host_init(&before);
    CHECK(!before.world && !before.error_handler && before.memory.bytes == 0);
    before.allocator.resize = micai_system_resize;
    before.memory.bytes = before.memory.peak_bytes = 100;
    CHECK_EQUAL(MICA_OK, micai_host_validate(&before));
    before.moment = before.repeated[0].count = before.repeated[0].moment = 1;
    before.errors.count = 1;
    memset(&host, 0xa5, sizeof host);
    micai_host_inherit(&host, &before);
    CHECK_EQUAL(MICA_OK, micai_host_validate(&host));
    CHECK_EQUAL(100, host.memory.bytes);
    CHECK(host.allocator.resize == micai_system_resize);
    CHECK_EQUAL(0, host.errors.count + host.lines.count + host.moment + host.repeated[0].count);
}

TEST_WITH(test_host, t, hosts_that_follow_leave_memory_and_telling_to_the_main_one)
{
    micai_host *main = &t->host;
    static micai_host a, b;
    micai_host_follow(&a, main);
    micai_host_follow(&b, main);
    CHECK(micai_host_main(main) == main && micai_host_main(&a) == main);
    CHECK(micai_host_follows(&a, main) && !micai_host_follows(&a, &b));
    void *block = micai_alloc(&a, 10, 1);
    CHECK_EQUAL(10, main->memory.bytes);
    CHECK_EQUAL(0, a.memory.bytes);
    micai_release(&b, block, 10, 1); // whoever of them does
    micai_fail(&a, MICA_ERROR_LIMIT, "one");
    CHECK_EQUAL(MICA_ERROR_LIMIT, a.failed);
    CHECK_ERROR(t, MICA_ERROR_LIMIT, "one");
    micai_host_begin(&b, "mica_defer_call"); // half done: it waits there, too
    main->system = "move";
    micai_fail_within(&b, MICA_ERROR_SIZE, "two");
    CHECK_EQUAL(0, t->error.calls);
    micai_host_end(&b);
    main->system = NULL;
    CHECK_ERROR(t, MICA_ERROR_SIZE, "mica_defer_call: two (in system 'move')");
    micai_host_leave(&a);
    CHECK(main->next == &b);
    micai_host_leave(&b);
    CHECK(!main->next);
}

// S1.7
TEST_WITH(test_host, t, a_value_goes_with_its_error_alone)
{
    micai_host *host = &t->host;
    CHECK_EQUAL(256, sizeof(mica_error));
    CHECK_EQUAL(MICA_ERROR_FAILED,
                micai_fail_value(host, MICA_ERROR_FAILED, INT64_MIN, "%d of them", 7));
    CHECK(t->error.last.value == INT64_MIN && host->last_error.value == INT64_MIN);
    CHECK_ERROR(t, MICA_ERROR_FAILED, "7 of them");
    micai_fail(host, MICA_ERROR_NAME, "another");
    CHECK(t->error.last.value == 0 && host->last_error.value == 0);
    CHECK_ERROR(t, MICA_ERROR_NAME, "another");
    micai_host_begin(host, "call"); // deferred
    micai_fail_value(host, MICA_ERROR_FAILED, -5, "late");
    micai_host_end(host);
    CHECK(t->error.last.value == -5);
    CHECK_ERROR(t, MICA_ERROR_FAILED, "late");
    micai_host_begin_try(host);
    micai_fail_value(host, MICA_ERROR_FAILED, 6, "tried");
    micai_host_end_try(host, false);
    CHECK(t->error.last.value == 6 && micai_host_last_error(host)->value == 6);
    CHECK_ERROR(t, MICA_ERROR_FAILED, "tried");
}

TESTS(host, a_value_goes_with_its_error_alone, a_failure_is_kept_reported_and_returned,
      every_failure_calls_the_handler_once, the_handler_gets_the_world_and_the_last_error,
      a_sentence_that_does_not_fit_is_cut, a_sentence_is_one_line_whatever_it_quotes,
      a_sentence_may_quote_the_one_before, a_null_is_reported_with_call_and_parameter,
      a_broken_invariant_is_reported_with_its_number, the_log_handler_gets_level_and_sentence,
      the_default_handler_prints_a_line_and_the_default_log_is_silent,
      the_default_handler_prints_a_sentence_once_and_then_counts,
      what_was_reported_is_not_reported_again, some_sentences_may_take_turns,
      hosts_count_on_their_own_and_without_one_every_sentence_is_printed,
      only_sentences_are_compared, another_handler_is_called_every_time,
      a_sentence_ends_in_the_system_it_is_from,
      a_sentence_that_quotes_the_system_has_no_such_ending, a_sentence_that_is_cut_keeps_its_system,
      a_system_of_a_long_name_leaves_room_for_the_mistake, logs_do_not_name_systems,
      the_last_words_before_an_abort_are_printed_however_often_they_came,
      abort_follows_the_handler_where_asked_for,
      what_is_reported_while_the_world_is_not_whole_waits, what_is_tried_and_fails_can_be_forgotten,
      of_too_many_that_wait_the_first_and_the_last_are_reported,
      what_fails_in_a_handler_is_printed_and_not_reported_to_it,
      an_abort_does_not_wait_and_shows_no_half_world, codes_have_names_and_texts,
      what_is_no_code_has_a_name_too, the_version_is_made_of_its_parts,
      who_knows_no_call_names_the_outermost_that_is_at_work,
      a_host_that_begins_or_succeeds_has_no_sentences,
      hosts_that_follow_leave_memory_and_telling_to_the_main_one)
