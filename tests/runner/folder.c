// Folders for tests, where there are the calls of POSIX, or those of mingw-w64.
#if defined(__unix__) || defined(__APPLE__)
#define HAS_FOLDERS 1
#define _POSIX_C_SOURCE 200809L
#elif defined(__MINGW32__)
#define HAS_FOLDERS 1
#endif

#include "runner/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/test.h"

#ifdef HAS_FOLDERS
#include <dirent.h>
#include <unistd.h>
#endif
#ifdef __MINGW32__
#include <direct.h>
#endif

const char *test_folder_path(test_folder *folder, const char *file)
{
    char *path = folder->paths[folder->next++ % TEST_PATHS];
    size_t size = strlen(folder->name);
    memcpy(path, folder->name, size);
    snprintf(path + size, TEST_PATH_SIZE - size, "/%s", file);
    return path;
}

void test_file_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL);
    size_t written = fwrite(data, 1, size, file);
    fclose(file);
    REQUIRE(written == size);
}

size_t test_file_read(const char *path, void *data, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return SIZE_MAX;
    }
    size_t got = fread(data, 1, size, file);
    fclose(file);
    return got;
}

#ifdef HAS_FOLDERS

#ifdef __MINGW32__
void test_folder_begin(test_folder *folder)
{
    const char *base = getenv("TEMP");
    *folder = (test_folder){.next = 0};
    bool made = false;
    for (int i = 0; !made && i < 1000; i++) {
        snprintf(folder->name, sizeof folder->name, "%s/mica-test-%d-%d", base ? base : ".",
                 (int)getpid(), i);
        made = _mkdir(folder->name) == 0;
    }
    REQUIRE(made);
}
#else
void test_folder_begin(test_folder *folder)
{
    const char *base = getenv("TMPDIR");
    *folder = (test_folder){.next = 0};
    snprintf(folder->name, sizeof folder->name, "%s/mica-test-XXXXXX", base ? base : "/tmp");
    REQUIRE(mkdtemp(folder->name) != NULL);
}
#endif

static uint32_t walk(const test_folder *folder, bool removes)
{
    uint32_t count = 0;
    DIR *list = opendir(folder->name);
    REQUIRE(list != NULL);
    for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            char path[TEST_PATH_SIZE * 2];
            snprintf(path, sizeof path, "%s/%s", folder->name, entry->d_name);
            count++;
            if (removes) {
                remove(path);
            }
        }
    }
    closedir(list);
    return count;
}

uint32_t test_folder_count(const test_folder *folder)
{
    return walk(folder, false);
}

void test_folder_end(test_folder *folder)
{
    walk(folder, true);
    rmdir(folder->name);
}

#else

void test_folder_begin(test_folder *folder)
{
    (void)folder;
    SKIP("no folder can be made for it");
}

uint32_t test_folder_count(const test_folder *folder)
{
    (void)folder;
    return 0;
}

void test_folder_end(test_folder *folder)
{
    (void)folder;
}

#endif
