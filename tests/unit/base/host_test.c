// Tests of base/host. Two things can only be seen from outside the program's own code: what is
// printed to standard error, and abort().
#include "base/host.h"

#include "runner/capture.h"
#include "runner/host.h"
#include "runner/test.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void a_failure_is_kept_reported_and_returned(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    CHECK_EQUAL(MICA_ERROR_LIMIT, micai_fail(host, MICA_ERROR_LIMIT, "%d of %s", 3, "them"));
    CHECK_EQUAL(MICA_ERROR_LIMIT, host->last_error.code);
    CHECK_TEXT("3 of them", host->last_error.sentence);
    CHECK_ERROR(&t, MICA_ERROR_LIMIT, "3 of them");
    test_host_end(&t);
}

static void every_failure_calls_the_handler_once(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    for (int code = 1; code < MICA_RESULT_COUNT; code++) {
        CHECK_EQUAL(code, micai_fail(host, (mica_result)code, "number %d", code));
    }
    CHECK_EQUAL(MICA_RESULT_COUNT - 1, t.error.calls);
    CHECK_EQUAL(MICA_RESULT_COUNT - 1, test_error_clear(&t.error));
    test_host_end(&t);
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

static void a_sentence_that_does_not_fit_is_cut(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    char text[301];
    memset(text, 'x', 300);
    text[300] = '\0';
    CHECK_EQUAL(MICA_ERROR_NAME, micai_fail(host, MICA_ERROR_NAME, "%s", text));
    text[251] = '\0';
    CHECK_ERROR(&t, MICA_ERROR_NAME, text);
    // This one just fits.
    CHECK_EQUAL(MICA_ERROR_NAME, micai_fail(host, MICA_ERROR_NAME, "%s", text));
    CHECK_ERROR(&t, MICA_ERROR_NAME, text);
    test_host_end(&t);
}

static void a_sentence_may_quote_the_one_before(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    micai_fail(host, MICA_ERROR_NAME, "first");
    CHECK_ERROR(&t, MICA_ERROR_NAME, "first");
    micai_fail(host, MICA_ERROR_FIELD, "after the %s", host->last_error.sentence);
    CHECK_ERROR(&t, MICA_ERROR_FIELD, "after the first");
    test_host_end(&t);
}

static void a_null_is_reported_with_call_and_parameter(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    CHECK_EQUAL(MICA_ERROR_NULL, micai_fail_null(host, "mica_spawn_at", "world"));
    CHECK_ERROR(&t, MICA_ERROR_NULL, "mica_spawn_at: world is null");
    test_host_end(&t);
}

static void a_broken_invariant_is_reported_with_its_number(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_fail_invariant(host, "T2", "row %d is twice", 5));
    CHECK_ERROR(&t, MICA_ERROR_CORRUPT, "invariant T2 is broken: row 5 is twice");
    test_host_end(&t);
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

static void the_log_handler_gets_level_and_sentence(void)
{
    test_host t;
    micai_host *host = test_host_begin(&t);
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
    CHECK_EQUAL(251, strlen(log.sentence));
    CHECK_EQUAL(MICA_LOG_INFO, log.level);
    CHECK_EQUAL(MICA_OK, host->last_error.code);
    test_host_end(&t);
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

TESTS(host, a_failure_is_kept_reported_and_returned, every_failure_calls_the_handler_once,
      the_handler_gets_the_world_and_the_last_error, a_sentence_that_does_not_fit_is_cut,
      a_sentence_may_quote_the_one_before, a_null_is_reported_with_call_and_parameter,
      a_broken_invariant_is_reported_with_its_number, the_log_handler_gets_level_and_sentence,
      the_default_handler_prints_a_line_and_the_default_log_is_silent,
      abort_follows_the_handler_where_asked_for, codes_have_names_and_texts,
      what_is_no_code_has_a_name_too, the_version_is_made_of_its_parts)
