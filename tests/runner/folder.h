// A folder for the files of one test:
//
//   test_folder folder;
//   test_folder_begin(&folder);
//   const char *path = test_folder_path(&folder, "world.mica");
//   ...
//   test_folder_end(&folder);
#ifndef TEST_RUNNER_FOLDER_H
#define TEST_RUNNER_FOLDER_H

#include <stddef.h>
#include <stdint.h>

enum { TEST_PATH_SIZE = 512, TEST_PATHS = 4 };

typedef struct test_folder {
    char name[TEST_PATH_SIZE / 2];
    char paths[TEST_PATHS][TEST_PATH_SIZE];
    uint32_t next;
} test_folder;

// Makes it, empty; skips the test where there is no way to.
void test_folder_begin(test_folder *folder);

// The path of a file in it; good until TEST_PATHS more were asked for.
const char *test_folder_path(test_folder *folder, const char *file);

// How many files are in it.
uint32_t test_folder_count(const test_folder *folder);

// Removes it, and what is in it.
void test_folder_end(test_folder *folder);

// Writes a file, all of it; reads up to `size` bytes of one and returns how many: SIZE_MAX if there is none.
void test_file_write(const char *path, const void *data, size_t size);
size_t test_file_read(const char *path, void *data, size_t size);

#endif
