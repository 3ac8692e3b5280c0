// The host of a world: its allocator, error handler and log handler. The rooms below the world use
// the host, so they need not know what a world is.
//
// Room:    base. Called by every room.
//
// Handlers run only while the world is consistent, so they may read all of it. Code that leaves the
// world inconsistent for a while calls micai_host_begin() and micai_host_end(). Reports made in
// between are deferred until the outermost end. Fast paths report nothing and need neither call.
// While a handler runs, the world is closed to changes. Errors inside a handler go to stderr: a
// handler that received its own errors could recurse forever.
//
// Invariants, swept by micai_host_validate():
//   I1  Stored sentences are terminated, and their occurrence counts are consistent. While no
//       handler runs, no report is deferred.
//   I2  No call is in progress and nothing is being tried. The name of a running handler is a known
//       one.
#ifndef MICAI_BASE_HOST_H
#define MICAI_BASE_HOST_H

#include <mica/error.h>
#include <mica/memory.h>

// A sentence that the default error handler has printed.
typedef struct micai_repeated {
    char sentence[sizeof((mica_error *)0)->sentence];
    uint64_t count;   // occurrences; 0: the entry is unused
    uint64_t printed; // the count when it was last printed
    uint64_t moment;  // the host's `moment` at the last occurrence
} micai_repeated;

// How many different sentences can alternate in every frame and still be counted as repeats.
#define MICAI_REPEATED_COUNT 8

// Deferred errors, or deferred lines of the log.
typedef struct micai_waiting {
    uint32_t count;
    uint64_t left_out; // items dropped because the list was full
    mica_error items[8];
} micai_waiting;

#define MICAI_WAITING_MAX (sizeof((micai_waiting *)0)->items / sizeof(mica_error))

typedef struct micai_host {
    mica_allocator allocator;
    mica_memory_stats memory;
    size_t memory_max;          // limit of allocated bytes; 0: none. See base/memory
    const char *beyond_maximum; // the error beyond that limit; NULL: no limit

    mica_error_handler *error_handler; // NULL: prints to stderr
    void *error_user;
    mica_error last_error;
    mica_result failed; // code of the last failure; handlers cannot change it
    bool abort_on_error;

    mica_log_handler *log_handler; // NULL: lines are dropped
    void *log_user;

    mica_world *world;  // passed to the handlers; NULL during creation and destruction
    const char *system; // the running system; NULL: none
    const char *hook;   // the running hook; NULL: none
    const char *hooked; // the type of that hook
    // 1 while a hook runs, and always in worlds that workers have: fast paths to sparse values are off
    uint32_t closed;

    bool trying;      // errors are deferred, because a fallback may follow
    uint32_t depth;   // open micai_host_begin() calls
    const char *call; // the outermost public function in progress; NULL: none
    // the running handler: "error", "log", "compare", "stream", "trace"; NULL: none
    const char *handler;
    uint32_t *busy; // counter of the gate, raised while a handler runs; NULL: none
    // receives errors instead, from any thread, while systems run together; NULL: nothing does
    mica_result (*divert)(struct micai_host *host, mica_result code, int64_t value,
                          const char *sentence);
    // verifies the world after each call, by its name; NULL: nothing does
    mica_result (*verify)(mica_world *world, const char *call);

    // Each face of a world has its own host. The main host owns the memory and reports for all. The
    // others follow it.
    struct micai_host *main;     // NULL: this is the main host
    struct micai_host *next;     // the next follower; NULL: none
    struct micai_host *previous; // the previous one in that list; NULL: this is the main host
    // micai_host_init() clears the members above with memset and resets those below one by one.
    micai_waiting errors; // the newest error is always kept
    micai_waiting lines;  // lines of the log; the code holds the level

    micai_repeated repeated[MICAI_REPEATED_COUNT]; // for the default error handler
    uint64_t moment;                               // errors that the default handler has received
} micai_host;

// micai_host_init() sets up an empty host. micai_host_inherit() copies the allocator, the
// statistics and the handlers of another host, but no sentences. Both leave the memory for
// sentences untouched, which is most of a host.
void micai_host_init(micai_host *host);
void micai_host_inherit(micai_host *host, const micai_host *before);

// Adds a follower of the main host, and removes it. A follower behaves as if a handler always runs
// in it: values and entities can be read only.
void micai_host_follow(micai_host *host, micai_host *main);
void micai_host_leave(micai_host *host);
bool micai_host_follows(const micai_host *host, const micai_host *main);

// Returns the host that reports errors and owns the memory.
static inline micai_host *micai_host_main(micai_host *host)
{
    return host->main ? host->main : host;
}

// Prints the counts of sentences that the default handler counted but did not print. Call this
// before the host is freed.
void micai_host_close(micai_host *host);

// micai_host_begin() marks the world as inconsistent, on behalf of the public function `call`. The
// outermost micai_host_end() runs the handlers for all deferred reports.
static inline void micai_host_begin(micai_host *host, const char *call)
{
    if (host->depth++ == 0) {
        host->call = call;
    }
}

void micai_host_deliver(micai_host *host);

static inline void micai_host_end(micai_host *host)
{
    bool waits = host->errors.count > 0 || host->lines.count > 0;
    if (--host->depth > 0) {
        return;
    }
    const char *call = host->call;
    host->call = NULL;
    if (waits && (host->handler == NULL || host->main != NULL)) {
        micai_host_deliver(host);
    }
    if (host->verify && host->world && call) {
        host->verify(host->world, call);
    }
}

// Between begin and end, errors are deferred, because a fallback may succeed. micai_host_end_try()
// then reports them or, if `forget` is set, drops them.
static inline void micai_host_begin_try(micai_host *host)
{
    host->trying = true;
}

void micai_host_end_try(micai_host *host, bool forget);

// The host must be the main one. During a try, the newest deferred error counts as the last error.
static inline const mica_error *micai_host_last_error(const micai_host *host)
{
    return host->trying && host->errors.count > 0 ? &host->errors.items[host->errors.count - 1]
                                                  : &host->last_error;
}

// These calls surround a user's comparison or trace function. The restrictions of handlers apply to
// it. Pass the result of begin to micai_host_end_callback().
mica_result micai_host_begin_compare(micai_host *host);
mica_result micai_host_begin_trace(micai_host *host);
void micai_host_end_callback(micai_host *host, mica_result failed);

// The same for a user's stream function or load listener, which runs in the middle of a public
// function. For that function, the world is consistent.
typedef struct micai_host_saved {
    mica_result failed;
    uint32_t depth;
    const char *call;
} micai_host_saved;

micai_host_saved micai_host_begin_stream(micai_host *host);
void micai_host_end_stream(micai_host *host, micai_host_saved saved);

// Reports an error: stores it as the last error and calls the handler, at once or when the
// outermost call ends. Returns `code`, so a check can end in `return micai_fail(...)`. If the host
// is set to abort on errors, it aborts at once; the handler then gets no world if the world is
// inconsistent. For a NULL host, the sentence is printed. While a system runs, " (in system
// 'move')" is appended, unless the sentence already quotes that name. If the sentence is too long,
// it is truncated, but not that ending.
mica_result micai_fail(micai_host *host, mica_result code, const char *format, ...)
    MICA_PRINTF(3, 4);

// The same with a value beside code and sentence, which is 0 in all other errors.
mica_result micai_fail_value(micai_host *host, mica_result code, int64_t value, const char *format,
                             ...) MICA_PRINTF(4, 5);

// For code that does not know the public function: the sentence begins with the outermost call in
// progress.
mica_result micai_fail_within(micai_host *host, mica_result code, const char *format, ...)
    MICA_PRINTF(3, 4);

// MICA_ERROR_NULL for the parameter `what` of the public function `call`.
mica_result micai_fail_null(micai_host *host, const char *call, const char *what);

// MICA_ERROR_CORRUPT: invariant `which` ("T2") is broken.
mica_result micai_fail_invariant(micai_host *host, const char *which, const char *format, ...)
    MICA_PRINTF(3, 4);

// Call this only while no public function is in progress.
mica_result micai_host_validate(micai_host *host);

void micai_log(micai_host *host, mica_log_level level, const char *format, ...) MICA_PRINTF(3, 4);

#endif
