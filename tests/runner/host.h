// A host for tests of what lies below the world, and the record of errors that world tests use too.
#ifndef TEST_RUNNER_HOST_H
#define TEST_RUNNER_HOST_H

#include "base/host.h"
#include "runner/memory.h"

// What was reported and not yet looked at by CHECK_ERROR(). `last` is the latest.
typedef struct test_error {
    uint32_t calls;
    bool blind;      // the world is broken on purpose, and not to be looked at
    uint32_t looked; // how often a world would have been looked at, ever
    mica_error last;
} test_error;

// Looks at all there is in a world, as a handler may: it must be whole, and looking must leave it as
// it was. Fails the test otherwise.
void test_look(mica_world *world);

// A log handler that looks at every line's world.
void test_log_look(mica_world *world, mica_log_level level, const char *sentence, void *user);

// A mica_error_handler; `user` is a test_error. Looks at the world, unless what is reported is that it
// is broken: the first few times, then now and then.
void test_error_record(mica_world *world, const mica_error *error, void *user);

// Forgets what was reported and returns how many errors that were.
uint32_t test_error_clear(test_error *error);

// Does the last sentence begin with the public function that has failed?
bool test_error_names_call(const test_error *error);

// Fails the test if errors were reported that nothing looked at; then forgets them.
void test_error_end_at(test_error *error, const char *file, int line);

// Exactly one error was reported since the last look, with this code and this sentence. Then it is
// forgotten. `t` is a test_host * or a test_world *.
#define CHECK_ERROR(t, code, sentence)                                                             \
    test_check_error(&(t)->error, code, sentence, __FILE__, __LINE__,                              \
                     "CHECK_ERROR(" #t ", " #code ", " #sentence ")")
// The same, whatever the sentence.
#define CHECK_REPORTED(t, code)                                                                    \
    test_check_error(&(t)->error, code, NULL, __FILE__, __LINE__,                                  \
                     "CHECK_REPORTED(" #t ", " #code ")")
void test_check_error(test_error *error, mica_result code, const char *sentence, const char *file,
                      int line, const char *text);

// Must not be moved while in use: its parts point at each other.
typedef struct test_host {
    micai_host host;
    test_memory memory;
    test_error error;
} test_host;

// Returns &t->host.
micai_host *test_host_begin(test_host *t);

// Checks that all memory is back, by the host's count (M2) and by the allocator's, and that no
// error is left unlooked at.
#define test_host_end(t) test_host_end_at(t, __FILE__, __LINE__)
void test_host_end_at(test_host *t, const char *file, int line);

#endif
