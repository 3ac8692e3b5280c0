// What a world was given by its host: an allocator, an error handler, a log handler. Everything
// below the world works on a host, so that no room needs to know what a world is.
//
// Room:    base. Called by every room.
//
// Handlers are called when the world is whole, so that they may look at all of it. Whoever leaves it
// half done for a while, or calls those who do, says so (micai_host_begin, micai_host_end); what is
// reported meanwhile waits until the outermost of them is done. Only slow ways do that: short cuts
// report nothing. While a handler runs the world is shut, and what fails then is told to standard
// error, since a handler that is told of its own mistakes might never come back.
//
// Invariants, swept by micai_host_validate():
//   I1  sentences that are kept end, and the counts of how often they came are possible. While no
//       handler runs, nothing waits to be told.
//   I2  nobody leaves the world half done or tries anything, and no call is at work; the handler that
//       runs, if one does, is one.
#ifndef MICAI_BASE_HOST_H
#define MICAI_BASE_HOST_H

#include <mica/error.h>
#include <mica/memory.h>

// A sentence that the default error handler has printed.
typedef struct micai_repeated {
    char sentence[sizeof((mica_error *)0)->sentence];
    uint64_t count;   // how often it came; 0: this is none
    uint64_t printed; // the count when it was printed last
    uint64_t moment;  // when it came last, by the host's clock
} micai_repeated;

// How many sentences may take turns, frame after frame, and still be told once each.
#define MICAI_REPEATED_COUNT 8

// Errors, or lines of the log, that wait.
typedef struct micai_waiting {
    uint32_t count;
    uint64_t left_out; // beyond those there is room for
    mica_error items[8];
} micai_waiting;

#define MICAI_WAITING_MAX (sizeof((micai_waiting *)0)->items / sizeof(mica_error))

typedef struct micai_host {
    mica_allocator allocator;
    mica_memory_stats memory;
    size_t memory_max;          // bytes that may be out; 0: any number. base/memory
    const char *beyond_maximum; // what is reported beyond that; NULL: there is no maximum

    mica_error_handler *error_handler; // NULL: a line to standard error
    void *error_user;
    mica_error last_error;
    mica_result failed; // the code of the last failure, whatever a handler did to last_error
    bool abort_on_error;

    mica_log_handler *log_handler; // NULL: silence
    void *log_user;

    mica_world *world;  // handed to the handlers; NULL while there is none
    const char *system; // the system that runs in this moment; NULL: none
    const char *hook;   // the hook that runs in this moment; NULL: none
    const char *hooked; // and the type it is of

    bool trying;      // what fails is done in another way then: what is reported waits
    uint32_t depth;   // how many are at work that leave the world half done
    const char *call; // the public function that the outermost of them is; NULL: none is at work
    const char *
        handler; // that runs in this moment: "error", "log", "compare", "stream", "trace"; NULL: none
    uint32_t *busy; // of the gate, shut while a handler runs; NULL: there is none

    // Several faces of one world have a host each. One of them is the main one, which has the memory
    // and reports for all; the others follow it.
    struct micai_host *main;     // NULL: it is the main one
    struct micai_host *next;     // that follows, after this one; NULL: none
    struct micai_host *previous; // in the same list; NULL: it is the main one
    // From here on sentences, and room for them (micai_host_init).
    micai_waiting errors; // the last of them is always kept
    micai_waiting lines;  // of the log; the code is the level

    micai_repeated repeated[MICAI_REPEATED_COUNT]; // by the default error handler
    uint64_t moment;                               // how many errors it has heard
} micai_host;

// A host of which nothing is known yet. One that goes on where another is: with its allocator, its
// figures, its handlers, and no sentences. Room for sentences is most of a host; it is not touched.
void micai_host_init(micai_host *host);
void micai_host_inherit(micai_host *host, const micai_host *before);

// A host beside the main one. It is always as if a handler ran in it: through it values and entities
// are looked at only. And no more.
void micai_host_follow(micai_host *host, micai_host *main);
void micai_host_leave(micai_host *host);
bool micai_host_follows(const micai_host *host, const micai_host *main);

// Who reports, and has the memory.
static inline micai_host *micai_host_main(micai_host *host)
{
    return host->main ? host->main : host;
}

// Says how often the sentences came that the default handler printed and then only counted. To be
// called before a host is given up; what was told is not told again.
void micai_host_close(micai_host *host);

// The world is not whole from here on, because of this public function; it is again. The outermost end
// calls the handlers for all that waits.
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
    host->call = NULL;
    if (waits && (host->handler == NULL || host->main != NULL)) {
        micai_host_deliver(host);
    }
}

// What fails from here on, until it is judged, is no error yet, because there is another way: it waits. Then
// it is told, or forgotten, and no handler and no last error knows of it.
static inline void micai_host_begin_try(micai_host *host)
{
    host->trying = true;
}

void micai_host_end_try(micai_host *host, bool forget);

// Of the main one: to those who ask meanwhile, what waits is one.
static inline const mica_error *micai_host_last_error(const micai_host *host)
{
    return host->trying && host->errors.count > 0 ? &host->errors.items[host->errors.count - 1]
                                                  : &host->last_error;
}

// A user's comparison, or trace function, is called from here on, for which the same holds as for handlers;
// no more. Beginning returns what ending is to be given.
mica_result micai_host_begin_compare(micai_host *host);
mica_result micai_host_begin_trace(micai_host *host);
void micai_host_end_callback(micai_host *host, mica_result failed);

// The same for a function of a user's stream, or who listens to a load, which are called in the midst of a
// public function: the world is whole for them.
typedef struct micai_host_saved {
    mica_result failed;
    uint32_t depth;
    const char *call;
} micai_host_saved;

micai_host_saved micai_host_begin_stream(micai_host *host);
void micai_host_end_stream(micai_host *host, micai_host_saved saved);

// Reports a failure: fills the last error, calls the handler, now or when the world is whole, aborts
// if asked to (then now, with no world if it is not whole). Returns `code`,
// so that a check can end in `return micai_fail(...)`. For a NULL host the sentence is printed. While
// a system runs, the sentence ends in " (in system 'move')", unless it has that name in quotes
// already. A sentence that does not fit is cut, the system's ending is not.
mica_result micai_fail(micai_host *host, mica_result code, const char *format, ...)
    MICA_PRINTF(3, 4);

// The same for those who do not know what was called: the sentence begins with the call at work.
mica_result micai_fail_within(micai_host *host, mica_result code, const char *format, ...)
    MICA_PRINTF(3, 4);

// MICA_ERROR_NULL for the parameter `what` of the public function `call`.
mica_result micai_fail_null(micai_host *host, const char *call, const char *what);

// MICA_ERROR_CORRUPT: invariant `which` ("T2") is broken.
mica_result micai_fail_invariant(micai_host *host, const char *which, const char *format, ...)
    MICA_PRINTF(3, 4);

// While no call is half way through.
mica_result micai_host_validate(micai_host *host);

void micai_log(micai_host *host, mica_log_level level, const char *format, ...) MICA_PRINTF(3, 4);

#endif
