// Errors: result codes, the last error of a world, error and log handlers. A failed call changes
// nothing and reports its error in three ways. It returns NULL, a null handle or a result other
// than MICA_OK. It stores code and sentence as the world's last error. It calls the world's error
// handler.
//
// The default handler prints the sentence to standard error. It prints a repeated sentence only
// once. It counts the repetitions, and prints the count at the 10th, 100th, 1000th time and when
// the world is freed:
//
//   mica: mica_get: entity 3.0 is dead, or of another world (in system 'aim')
//   mica: 10 times: mica_get: entity 3.0 is dead, or of another world (in system 'aim')
//
// It remembers the last 8 different sentences. When a new sentence replaces an old one, it prints
// the count of the old one first.
#ifndef MICA_ERROR_H
#define MICA_ERROR_H

#include <mica/api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_world mica_world;

// All codes: X(name, general meaning). The sentence of a particular failure is more precise: which
// entity, which type, how many bytes. The order is part of the binary interface; new codes are
// added at the end.
#define MICA_RESULTS(X)                                                                            \
    X(OK, "no error")                                                                              \
    X(ERROR_NULL, "a pointer that must not be null is null")                                       \
    X(ERROR_MEMORY, "the allocator refused")                                                       \
    X(ERROR_LIMIT, "a limit of the world is reached")                                              \
    X(ERROR_ARGUMENT, "an argument is out of range")                                               \
    X(ERROR_DESC, "the descriptor was not zeroed before it was filled in")                         \
    X(ERROR_NAME, "the name is missing, too long or not printable")                                \
    X(ERROR_ENTITY, "the entity is none, dead, or of another world")                               \
    X(ERROR_OCCUPIED, "the slot is in use, or has moved past this generation")                     \
    X(ERROR_TYPE, "the component type is none, or of another world")                               \
    X(ERROR_SHAPE, "the name is registered with another shape")                                    \
    X(ERROR_SIZE, "the size is impossible, or not the size of the type")                           \
    X(ERROR_ALIGNMENT, "the alignment is impossible")                                              \
    X(ERROR_FIELD, "a field does not fit its type")                                                \
    X(ERROR_CORRUPT, "an invariant of the world is broken")                                        \
    X(ERROR_ITERATING, "the world is being iterated")                                              \
    X(ERROR_HOOK, "a hook of the type failed, or called into its world")                           \
    X(ERROR_BUNDLE, "the bundle is none, freed, or of another world")                              \
    X(ERROR_QUERY, "the query is none, freed, or of another world")                                \
    X(ERROR_TERMS, "the terms are missing, too many, or contradict each other")                    \
    X(ERROR_TERM, "the term does not exist, or is not to be used like this")                       \
    X(ERROR_ITERATOR, "the iteration has ended, is none, or is a system's own")                    \
    X(ERROR_SYSTEM, "the system is none, removed, or of another world")                            \
    X(ERROR_VERSION, "the program was compiled with headers of another version")                   \
    X(ERROR_HANDLER, "a handler, comparison, stream or trace function tried to change its world")  \
    X(ERROR_GROUP, "the group is none, freed, or of another world")                                \
    X(ERROR_OWNED, "a group owns the component")                                                   \
    X(ERROR_STORAGE, "the component is not stored in a way that allows this")                      \
    X(ERROR_RECORDING, "the call cannot be recorded, or this records nothing")                     \
    X(ERROR_KEY, "the entity has a facet under this key already")                                  \
    X(ERROR_OBSERVER, "the observer is none, freed, or of another world")                          \
    X(ERROR_PHASE, "the phase is none, removed, or of another world")                              \
    X(ERROR_ORDER, "systems would not run in the order that they ask for")                         \
    X(ERROR_UNDECLARED, "the system that runs has not declared that it reaches this")              \
    X(ERROR_FAILED, "a system said that it failed")                                                \
    X(ERROR_C_TYPE, "the C type is not the component's")                                           \
    X(ERROR_STREAM, "a file or stream cannot be read or written")                                  \
    X(ERROR_IMAGE, "the image is damaged, or no image at all")                                     \
    X(ERROR_SCHEMA, "the image has types or values that do not fit those of the world")            \
    X(ERROR_TIME, "there is no such snapshot, or time has not begun")                              \
    X(ERROR_DESYNC, "the same step has led to two different states")                               \
    X(ERROR_BASE, "the world is not in the state that the delta or tape begins with")              \
    X(ERROR_THREAD, "a thread could not be started")                                               \
    X(ERROR_RELATION, "the relation is none, or of another world")                                 \
    X(ERROR_CYCLE, "the link would close a cycle")                                                 \
    X(ERROR_LINKED, "the entity is the target of links that do not let it go")

typedef enum mica_result {
#define MICA_RESULT_CODE(name, text) MICA_##name,
    MICA_RESULTS(MICA_RESULT_CODE)
#undef MICA_RESULT_CODE
        MICA_RESULT_COUNT
} mica_result;
MICA_ENUM_(mica_result);

// Return the name of a code ("MICA_ERROR_MEMORY") and its general meaning. For a number that is not
// a code, they return "MICA_ERROR_UNKNOWN" and "no such code". The strings are
// static. [result.texts]
MICA_API const char *mica_result_name(mica_result code);
MICA_API const char *mica_result_text(mica_result code);

// An error. The sentence has no final full stop and fits on one line. Control characters in quoted
// names are written as spaces, and bytes that are not UTF-8 as question marks. While a system runs,
// the sentence ends with the system's name, " (in system 'aim')", unless it already contains that
// name in quotes. Longer sentences are truncated before that ending.
typedef struct mica_error {
    mica_result code;
    char sentence[244];
    int64_t value; // the value of mica_system_fail(); 0 in every other error [error.value]
} mica_error;

// Called once for every failed call, before the call returns, even if the sentence is the same as
// the last one. `world` is NULL if the world does not exist yet, or no longer exists.
//
// When a handler runs, the world is consistent and may be read in every way: get, iterate, hash,
// validate. Failures in the middle of a call (a hook calls into the world, a hook fails, memory is
// refused) are reported at its end. If there are more than 8, the first 7 and the last are
// reported, and a log message has the number of the others. Calls that would change the world fail
// with MICA_ERROR_HANDLER. Only mica_get_mut(), accessors and iterations still return writable
// values. A call that fails inside a handler is reported on standard error and does not become the
// last error.
//
// A handler must return normally. A world whose handler was left by longjmp() or an exception stays
// locked.
typedef void mica_error_handler(mica_world *world, const mica_error *error, void *user);

// Log messages, which are not errors: they are rare, and never come from a hot path. A log handler
// follows the same rules as an error handler. It runs when the world is consistent, and may read
// it. If one call causes more than 8 messages, the first 7 and the last are reported, with the
// number of the others.
typedef enum mica_log_level { MICA_LOG_INFO = 0, MICA_LOG_WARNING } mica_log_level;
MICA_ENUM_(mica_log_level);
typedef void mica_log_handler(mica_world *world, mica_log_level level, const char *sentence,
                              void *user);

// Returns the last error of the world. Its code is MICA_OK and its sentence is empty if no call has
// failed since the world was created or the error was cleared. [error.last] The pointer is valid
// until the world is freed; later failures overwrite the error. [error.valid] Returns NULL, without
// an error, if `world` is NULL. [error.no_world]
MICA_API const mica_error *mica_last_error(mica_world *world);
MICA_API void mica_clear_error(mica_world *world);

// Replaces the error handler of the world. [error.handler] NULL restores the default
// handler. [error.default]
MICA_API mica_result mica_world_set_error_handler(mica_world *world, mica_error_handler *handler,
                                                  void *user);

// For debugging: calls abort() after the handler, so that the debugger stops at the
// mistake. [error.abort] That may be in the middle of a call; the handler then gets a NULL
// world. [error.abort_inside]
MICA_API mica_result mica_world_set_abort_on_error(mica_world *world, bool abort_on_error);

#ifdef __cplusplus
}
#endif

#endif
