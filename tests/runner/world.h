// A world for tests, on the tests' allocator and with errors recorded:
//
//   test_world t;
//   mica_world *world = test_world_begin(&t);
//   ...
//   CHECK_ERROR(&t, MICA_ERROR_ENTITY, "...");
//   test_world_end(&t);
//
// For a world with other settings: prepare, change `desc`, open.
#ifndef TEST_RUNNER_WORLD_H
#define TEST_RUNNER_WORLD_H

#include "runner/host.h"

#include <mica.h>

// Must not be moved while in use: its parts point at each other.
typedef struct test_world {
    mica_world *world;
    mica_world_desc desc;
    test_memory memory;
    test_error error;
} test_world;

void test_world_prepare(test_world *t);

// Makes the world; leaves the test if that fails.
#define test_world_open(t) test_world_open_at(t, __FILE__, __LINE__)
mica_world *test_world_open_at(test_world *t, const char *file, int line);

// Prepares and makes a twin of a world (mica_twin_new).
#define test_world_begin_twin(t, original) test_world_open_twin_at(t, original, __FILE__, __LINE__)
mica_world *test_world_open_twin_at(test_world *t, mica_world *original, const char *file,
                                    int line);

// In worlds that a test makes by itself: all bytes are compared after each call (mica_time_verify), if
// MICA_TEST_VERIFYING is set.
void test_world_verify(mica_world *world);

// Prepares and opens.
#define test_world_begin(t) (test_world_prepare(t), test_world_open(t))

// Validates and frees the world if there is one. Checks that all memory is back and that no error
// is left unlooked at.
#define test_world_end(t) test_world_end_at(t, __FILE__, __LINE__)
void test_world_end_at(test_world *t, const char *file, int line);

// Adds several types with their default values, by mica_change().
mica_result test_add_types(mica_world *world, mica_entity entity, const mica_type *types,
                           uint32_t count);

// What mica_system_get_info(), mica_phase_get_info() and mica_group_get_info() return, as values; all zero if they fail.
mica_system_info test_system_info(mica_world *world, mica_system system);
mica_phase_info test_phase_info(mica_world *world, mica_phase phase);
uint32_t test_group_count(mica_world *world, mica_group group);

// The number of registered types, and of events that can be read.
uint32_t test_type_count(mica_world *world);
uint32_t test_event_count(mica_world *world, mica_type type);

#endif
