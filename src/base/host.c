// Reporting: formats sentences, stores the last error, and calls the handlers of the host. Also the
// public names and texts of result codes, and the version.
//
// Room:    base. Called by every room.
#include "base/host.h"

#include "base/canary.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM_SHOWN ((size_t)96) // bytes of a system's name that an ending may show

typedef struct sentence {
    char text[sizeof((mica_error *)0)->sentence];
    int64_t value; // of the error, beside its text
} sentence;

// Replaces control characters: the sentence may quote text from a file, and a terminal must not
// obey it.
static void hide_controls(char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        size_t count = micai_text_character(text, left);
        if (count == 0) { // not UTF-8; other encodings have control bytes here
            count = 1;
            *text = '?';
        } else if (micai_text_is_control(text, left)) {
            memset(text, ' ', count);
        }
        text += count;
        left -= count;
    }
}

// Truncates text that does not fit. The sentence is built in its own buffer, because the last
// error's sentence may be one of the arguments.
static sentence make_sentence(const char *call, const char *format, va_list arguments)
    MICA_PRINTF(2, 0);
static sentence make_sentence(const char *call, const char *format, va_list arguments)
{
    sentence made;
    made.value = 0;
    int begun = call ? snprintf(made.text, sizeof made.text, "%s: ", call) : 0;
    size_t used = begun > 0 && (size_t)begun < sizeof made.text ? (size_t)begun : 0;
    if (vsnprintf(made.text + used, sizeof made.text - used, format, arguments) < 0) {
        made.text[used] = '\0';
    }
    hide_controls(made.text);
    return made;
}

static bool is_quoted(const char *text, const char *name)
{
    size_t size = strlen(name);
    for (const char *quote = strchr(text, '\''); quote != NULL; quote = strchr(quote + 1, '\'')) {
        if (strncmp(quote + 1, name, size) == 0 && quote[1 + size] == '\'') {
            return true;
        }
    }
    return false;
}

// Appends the name of the system. If space is short, the end of the sentence is cut. A name longer
// than SYSTEM_SHOWN is cut, too, so that the error remains readable.
static void name_system(sentence *made, const char *system)
{
    static const char before[] = " (in system '";
    static const char after[] = "')";
    if (is_quoted(made->text, system)) {
        return;
    }
    const char *end = memchr(system, '\0', SYSTEM_SHOWN);
    size_t shown = end != NULL ? (size_t)(end - system) : SYSTEM_SHOWN;
    size_t space = sizeof made->text - sizeof before + 1 - shown - sizeof after;
    size_t used = strlen(made->text);
    char *ending = made->text + (used < space ? used : space);
    memcpy(ending, before, sizeof before - 1);
    memcpy(ending + sizeof before - 1, system, shown);
    memcpy(ending + sizeof before - 1 + shown, after, sizeof after);
    hide_controls(ending); // the cut may split a character
}

// Resets the members from `errors` on.
static void begin_sentences(micai_host *host)
{
    host->errors.count = host->lines.count = 0;
    host->errors.left_out = host->lines.left_out = 0;
    for (uint32_t i = 0; i < MICAI_REPEATED_COUNT; i++) {
        micai_repeated *repeated = &host->repeated[i];
        repeated->sentence[0] = '\0';
        repeated->count = repeated->printed = repeated->moment = 0;
    }
    host->moment = 0;
}

void micai_host_init(micai_host *host)
{
    memset(host, 0, offsetof(micai_host, errors));
    begin_sentences(host);
}

void micai_host_inherit(micai_host *host, const micai_host *before)
{
    memcpy(host, before, offsetof(micai_host, errors));
    begin_sentences(host);
}

static const char in_follower[] = "follower";

void micai_host_follow(micai_host *host, micai_host *main)
{
    micai_host_init(host);
    host->allocator = main->allocator;
    host->handler = in_follower;
    host->main = main;
    host->next = main->next;
    host->previous = main;
    if (host->next) {
        host->next->previous = host;
    }
    main->next = host;
}

void micai_host_leave(micai_host *host)
{
    host->previous->next = host->next;
    if (host->next) {
        host->next->previous = host->previous;
    }
}

bool micai_host_follows(const micai_host *host, const micai_host *main)
{
    return host->main == main && host->handler == in_follower &&
           host->allocator.resize == main->allocator.resize &&
           host->allocator.user == main->allocator.user && host->depth == 0 && !host->call &&
           !host->busy && !host->system && host->errors.count == 0 && host->lines.count == 0;
}

static void print_repeated(micai_repeated *repeated)
{
    if (repeated->count == 1) {
        fprintf(stderr, "mica: %s\n", repeated->sentence);
    } else {
        fprintf(stderr, "mica: %" PRIu64 " times: %s\n", repeated->count, repeated->sentence);
    }
    repeated->printed = repeated->count;
}

static void print_unprinted(micai_repeated *repeated)
{
    if (repeated->count > repeated->printed) {
        print_repeated(repeated);
    }
}

// Returns the entry of the sentence. Otherwise returns the entry with the oldest last occurrence.
static micai_repeated *find_repeated(micai_host *host, const char *text)
{
    micai_repeated *oldest = host->repeated;
    for (uint32_t i = 0; i < MICAI_REPEATED_COUNT; i++) {
        micai_repeated *repeated = &host->repeated[i];
        if (strcmp(repeated->sentence, text) == 0) {
            return repeated;
        }
        if (repeated->moment < oldest->moment) {
            oldest = repeated;
        }
    }
    return oldest;
}

static bool is_power_of_ten(uint64_t number)
{
    while (number % 10 == 0) {
        number /= 10;
    }
    return number == 1;
}

// The default error handler. It prints a sentence at its first, 10th, 100th and 1000th occurrence.
// So an error in every frame does not bury other errors. It compares sentences rather than codes or
// calls, so one printed line speaks for all that it counts.
static void print_error(micai_host *host, const char *text)
{
    micai_repeated *repeated = find_repeated(host, text);
    if (strcmp(repeated->sentence, text) != 0) {
        print_unprinted(repeated);
        *repeated = (micai_repeated){0};
        snprintf(repeated->sentence, sizeof repeated->sentence, "%s", text);
    }
    repeated->moment = ++host->moment;
    repeated->count++;
    if (is_power_of_ten(repeated->count) || host->abort_on_error) {
        print_repeated(repeated);
    }
}

void micai_host_close(micai_host *host)
{
    for (uint32_t i = 0; i < MICAI_REPEATED_COUNT; i++) {
        print_unprinted(&host->repeated[i]);
    }
}

static const char in_error[] = "error";
static const char in_log[] = "log";
static const char in_compare[] = "compare";
static const char in_stream[] = "stream";
static const char in_trace[] = "trace";

// While a handler runs, changes are refused. Failures inside it do not count as failures of the
// caller.
static void begin_handler(micai_host *host, const char *handler)
{
    host->handler = handler;
    if (host->busy != NULL) {
        ++*host->busy;
    }
}

static void end_handler(micai_host *host, mica_result failed)
{
    host->handler = NULL;
    host->failed = failed;
    if (host->busy != NULL) {
        --*host->busy;
    }
}

mica_result micai_host_begin_compare(micai_host *host)
{
    mica_result failed = host->failed;
    begin_handler(host, in_compare);
    return failed;
}

mica_result micai_host_begin_trace(micai_host *host)
{
    mica_result failed = host->failed;
    begin_handler(host, in_trace);
    return failed;
}

void micai_host_end_callback(micai_host *host, mica_result failed)
{
    end_handler(host, failed);
}

micai_host_saved micai_host_begin_stream(micai_host *host)
{
    const micai_host_saved saved = {host->failed, host->depth, host->call};
    begin_handler(host, in_stream);
    host->depth = 0;
    host->call = NULL;
    return saved;
}

void micai_host_end_stream(micai_host *host, micai_host_saved saved)
{
    end_handler(host, saved.failed);
    host->depth = saved.depth;
    host->call = saved.call;
}

static bool is_consistent(const micai_host *host)
{
    if (MICAI_CANARY("base.half_world")) {
        return true;
    }
    return host->depth == 0 && !host->trying;
}

// Returns the world to pass to a handler, or NULL while a call is in progress.
static mica_world *consistent_world(const micai_host *host)
{
    return is_consistent(host) ? host->world : NULL;
}

static void handle_last_error(micai_host *host)
{
    if (host->error_handler == NULL) {
        print_error(host, host->last_error.sentence);
        return;
    }
    mica_result failed = host->failed;
    begin_handler(host, in_error);
    host->error_handler(consistent_world(host), &host->last_error, host->error_user);
    end_handler(host, failed);
}

static void handle_line(micai_host *host, mica_log_level level, const char *text)
{
    mica_result failed = host->failed;
    begin_handler(host, in_log);
    host->log_handler(consistent_world(host), level, text, host->log_user);
    end_handler(host, failed);
}

// If the list is full, the newest item replaces the last one.
static void defer(micai_waiting *waiting, mica_result code, const sentence *made)
{
    if (waiting->count == MICAI_WAITING_MAX) {
        waiting->left_out++;
        waiting->count--;
    }
    mica_error *item = &waiting->items[waiting->count++];
    item->code = code;
    item->value = made->value;
    memcpy(item->sentence, made->text, sizeof made->text);
}

static mica_result report(micai_host *host, mica_result code, const sentence *made)
{
    host->failed = code;
    if (host->handler != NULL) {
        print_error(host, made->text);
        return code;
    }
    if (host->trying) {
        defer(&host->errors, code, made);
        return code;
    }
    host->last_error.code = code;
    host->last_error.value = made->value;
    memcpy(host->last_error.sentence, made->text, sizeof made->text);
    if (host->abort_on_error) {
        handle_last_error(host);
        abort();
    }
    if (is_consistent(host)) {
        handle_last_error(host);
    } else {
        defer(&host->errors, code, made);
    }
    return code;
}

// The main host reports errors that a follower has deferred.
static void forward_to_main(micai_host *host)
{
    uint32_t count = host->errors.count;
    host->errors.count = 0;
    host->errors.left_out = 0;
    for (uint32_t i = 0; i < count; i++) {
        sentence made;
        made.value = host->errors.items[i].value;
        memcpy(made.text, host->errors.items[i].sentence, sizeof made.text);
        report(host->main, host->errors.items[i].code, &made);
    }
}

void micai_host_deliver(micai_host *host)
{
    if (host->main != NULL) {
        forward_to_main(host);
        return;
    }
    if (host->trying) {
        return;
    }
    uint64_t errors = host->errors.left_out;
    uint64_t lines = host->lines.left_out;
    for (uint32_t i = 0; i < host->errors.count; i++) {
        host->last_error = host->errors.items[i];
        handle_last_error(host);
        if (host->abort_on_error) { // an error that a try deferred; other errors abort at once
            abort();
        }
    }
    for (uint32_t i = 0; i < host->lines.count; i++) {
        handle_line(host, (mica_log_level)host->lines.items[i].code, host->lines.items[i].sentence);
    }
    host->errors.count = host->lines.count = 0;
    host->errors.left_out = host->lines.left_out = 0;
    if (errors + lines > 0) {
        micai_log(host, MICA_LOG_WARNING,
                  "%" PRIu64 " errors and %" PRIu64
                  " lines of the log are left out: there were too many in one call",
                  errors, lines);
    }
}

void micai_host_end_try(micai_host *host, bool forget)
{
    host->trying = false;
    if (forget) {
        host->errors.count = 0;
        host->errors.left_out = 0;
    }
    micai_host_deliver(host);
}

static mica_result fail(micai_host *host, mica_result code, sentence made)
{
    if (host == NULL) {
        fprintf(stderr, "mica: %s\n", made.text);
        return code;
    }
    micai_host *main = micai_host_main(host);
    if (main->divert) {
        return main->divert(main, code, made.value, made.text);
    }
    host->failed = code;
    if (main->system != NULL) {
        name_system(&made, main->system);
    }
    if (host != main && host->depth > 0) {
        defer(&host->errors, code, &made);
        return code;
    }
    return report(main, code, &made);
}

mica_result micai_fail(micai_host *host, mica_result code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sentence made = make_sentence(NULL, format, arguments);
    va_end(arguments);
    return fail(host, code, made);
}

mica_result micai_fail_value(micai_host *host, mica_result code, int64_t value, const char *format,
                             ...)
{
    va_list arguments;
    va_start(arguments, format);
    sentence made = make_sentence(NULL, format, arguments);
    va_end(arguments);
    made.value = value;
    return fail(host, code, made);
}

mica_result micai_fail_within(micai_host *host, mica_result code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sentence made = make_sentence(host->call, format, arguments);
    va_end(arguments);
    return fail(host, code, made);
}

mica_result micai_fail_null(micai_host *host, const char *call, const char *what)
{
    return micai_fail(host, MICA_ERROR_NULL, "%s: %s is null", call, what);
}

mica_result micai_fail_invariant(micai_host *host, const char *which, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sentence made = make_sentence(NULL, format, arguments);
    va_end(arguments);
    return micai_fail(host, MICA_ERROR_CORRUPT, "invariant %s is broken: %s", which, made.text);
}

static bool is_terminated(const char *text)
{
    return memchr(text, 0, sizeof((mica_error *)0)->sentence) != NULL;
}

static bool is_result(mica_result code)
{
    return (unsigned)code < MICA_RESULT_COUNT;
}

// I2. Repairs the state before it reports, because a broken state prevents reports.
static mica_result validate_handler(micai_host *host)
{
    bool known = !host->handler || host->handler == in_error || host->handler == in_log ||
                 host->handler == in_compare || host->handler == in_stream ||
                 host->handler == in_trace;
    if (known && host->depth == 0 && !host->call && !host->trying) {
        return MICA_OK;
    }
    host->trying = false;
    host->handler = known ? host->handler : NULL;
    host->depth = 0;
    host->call = NULL;
    return micai_fail_invariant(host, "I2",
                                "the world is half done, or a handler runs that is none");
}

static bool is_valid_list(const micai_waiting *waiting, bool may_wait)
{
    bool right = may_wait ? waiting->count <= MICAI_WAITING_MAX
                          : waiting->count == 0 && waiting->left_out == 0;
    for (uint32_t i = 0; right && i < waiting->count; i++) {
        right = is_terminated(waiting->items[i].sentence);
    }
    return right;
}

mica_result micai_host_validate(micai_host *host)
{
    mica_result result = validate_handler(host);
    if (result) {
        return result;
    }
    bool right = is_terminated(host->last_error.sentence) && is_result(host->last_error.code) &&
                 is_result(host->failed) && host->allocator.resize &&
                 is_valid_list(&host->errors, host->handler) &&
                 is_valid_list(&host->lines, host->handler);
    for (uint32_t i = 0; i < MICAI_REPEATED_COUNT; i++) {
        const micai_repeated *repeated = &host->repeated[i];
        right = right && is_terminated(repeated->sentence) &&
                repeated->printed <= repeated->count && repeated->count <= host->moment &&
                repeated->moment <= host->moment;
    }
    return right ? MICA_OK
                 : micai_fail_invariant(host, "I1", "what was reported is badly remembered");
}

void micai_log(micai_host *host, mica_log_level level, const char *format, ...)
{
    host = host ? micai_host_main(host) : NULL;
    if (host == NULL || host->log_handler == NULL) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    sentence made = make_sentence(NULL, format, arguments);
    va_end(arguments);
    if (is_consistent(host)) {
        handle_line(host, level, made.text);
    } else {
        defer(&host->lines, (mica_result)level, &made);
    }
}

static const struct {
    const char *name;
    const char *text;
} results[] = {
#define RESULT_ROW(name, text) {"MICA_" #name, text},
    MICA_RESULTS(RESULT_ROW)
#undef RESULT_ROW
};

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
