// Reporting: sentences are made here, kept as the host's last error, and handed to its handlers.
// Also the public names and texts of the codes, and the version.
//
// Room:    base. Called by every room.
#include "base/host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sentence {
    char text[sizeof((mica_error *)0)->sentence];
} sentence;

static void print_error(mica_world *world, const mica_error *error, void *user)
{
    (void)world;
    (void)user;
    fprintf(stderr, "mica: %s\n", error->sentence);
}

// Cuts what does not fit. The text is made apart from the last error, because the last error's
// sentence may be one of the arguments.
static sentence make_sentence(const char *format, va_list arguments) MICA_PRINTF(1, 0);
static sentence make_sentence(const char *format, va_list arguments)
{
    sentence made;
    if (vsnprintf(made.text, sizeof made.text, format, arguments) < 0) {
        made.text[0] = '\0';
    }
    return made;
}

static mica_result report(micai_host *host, mica_result code, const sentence *made)
{
    micai_host nobody = {0};
    if (host == NULL) {
        host = &nobody;
    }
    host->last_error.code = code;
    memcpy(host->last_error.sentence, made->text, sizeof made->text);

    mica_error_handler *handler = host->error_handler;
    if (handler == NULL) {
        handler = print_error;
    }
    handler(host->world, &host->last_error, host->error_user);
    if (host->abort_on_error) {
        abort();
    }
    host->failed = code; // after the handler, which may have made calls that failed
    return code;
}

mica_result micai_fail(micai_host *host, mica_result code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sentence made = make_sentence(format, arguments);
    va_end(arguments);
    return report(host, code, &made);
}

mica_result micai_fail_null(micai_host *host, const char *call, const char *what)
{
    return micai_fail(host, MICA_ERROR_NULL, "%s: %s is null", call, what);
}

mica_result micai_fail_invariant(micai_host *host, const char *which, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sentence made = make_sentence(format, arguments);
    va_end(arguments);
    return micai_fail(host, MICA_ERROR_CORRUPT, "invariant %s is broken: %s", which, made.text);
}

void micai_log(micai_host *host, mica_log_level level, const char *format, ...)
{
    if (host == NULL || host->log_handler == NULL) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    sentence made = make_sentence(format, arguments);
    va_end(arguments);
    host->log_handler(host->world, level, made.text, host->log_user);
}

static const struct {
    const char *name;
    const char *text;
} results[] = {
#define RESULT_ROW(name, text) {"MICA_" #name, text},
    MICA_RESULTS(RESULT_ROW)
#undef RESULT_ROW
};

static bool is_result(mica_result code)
{
    return (unsigned)code < MICA_RESULT_COUNT;
}

const char *mica_result_name(mica_result code)
{
    return is_result(code) ? results[code].name : "MICA_ERROR_UNKNOWN";
}

const char *mica_result_text(mica_result code)
{
    return is_result(code) ? results[code].text : "no such code";
}

#define TEXT_OF(number) TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(number) #number

const char *mica_version(void)
{
    return TEXT_OF(MICA_VERSION_MAJOR) "." TEXT_OF(MICA_VERSION_MINOR) "." TEXT_OF(
        MICA_VERSION_PATCH);
}
