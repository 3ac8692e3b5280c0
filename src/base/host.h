// What a world was given by its host: an allocator, an error handler, a log handler. Everything
// below the world works on a host, so that no room needs to know what a world is.
//
// Room:    base. Called by every room.
#ifndef MICAI_BASE_HOST_H
#define MICAI_BASE_HOST_H

#include <mica/error.h>
#include <mica/memory.h>

typedef struct micai_host {
    mica_allocator allocator;
    mica_memory_stats memory;

    mica_error_handler *error_handler; // NULL: one line to standard error
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
} micai_host;

// Reports a failure: fills the last error, calls the handler, aborts if asked to. Returns `code`,
// so that a check can end in `return micai_fail(...)`. A NULL host reports through the default
// handler. A sentence that does not fit is cut.
mica_result micai_fail(micai_host *host, mica_result code, const char *format, ...)
    MICA_PRINTF(3, 4);

// MICA_ERROR_NULL for the parameter `what` of the public function `call`.
mica_result micai_fail_null(micai_host *host, const char *call, const char *what);

// MICA_ERROR_CORRUPT: invariant `which` ("T2") is broken.
mica_result micai_fail_invariant(micai_host *host, const char *which, const char *format, ...)
    MICA_PRINTF(3, 4);

void micai_log(micai_host *host, mica_log_level level, const char *format, ...) MICA_PRINTF(3, 4);

#endif
