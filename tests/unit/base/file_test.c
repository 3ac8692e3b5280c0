// Tests of base/file: by the calls that the system has and, in file_plain_test.c, by those of C alone.
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runner/folder.h"
#include "runner/test.h"

#ifndef FILE_SUITE
#define FILE_SUITE file
#define FILE_IS_PLAIN 0
#endif

static bool begin_file(micai_file *file, const char *path, char *temporary)
{
    bool made = micai_file_create(file, path, temporary);
    CHECK(made == (file->handle != MICAI_FILE_CLOSED));
    return made;
}

static void check_content(const char *path, const char *expected)
{
    char got[64] = "";
    size_t size = test_file_read(path, got, sizeof got - 1);
    CHECK_EQUAL(strlen(expected), size);
    CHECK_TEXT(expected, got);
}

TEST_WITH(test_folder, folder, a_file_takes_its_place_when_it_is_kept)
{
    const char *path = test_folder_path(folder, "file");
    char temporary[TEST_PATH_SIZE + MICAI_FILE_SUFFIX_SIZE];
    for (int round = 0; round < 2; round++) { // the second time there is one
        micai_file file;
        bool renamed = false;
        REQUIRE(begin_file(&file, path, temporary));
        CHECK(strncmp(temporary, path, strlen(path)) == 0 && strlen(temporary) > strlen(path));
        CHECK(micai_file_write(&file, "some", 4));
        CHECK(micai_file_write(&file, "", 0));
        CHECK(micai_file_write(&file, round ? "thing" : "where", 5));
        CHECK_EQUAL(1 + round, test_folder_count(folder));
        CHECK(micai_file_commit(&file, temporary, path, &renamed));
        CHECK(renamed);
        CHECK_EQUAL(MICAI_FILE_CLOSED, file.handle);
        CHECK_EQUAL(1, test_folder_count(folder));
        check_content(path, round ? "something" : "somewhere");
    }
}

TEST_WITH(test_folder, folder, a_file_that_is_dropped_was_never_there)
{
    const char *path = test_folder_path(folder, "file");
    char temporary[TEST_PATH_SIZE + MICAI_FILE_SUFFIX_SIZE];
    micai_file file;
    test_file_write(path, "old", 3);
    REQUIRE(begin_file(&file, path, temporary));
    CHECK(micai_file_write(&file, "new", 3));
    micai_file_discard(&file, temporary);
    micai_file_discard(&file, temporary); // it is shut: nothing happens
    CHECK_EQUAL(1, test_folder_count(folder));
    check_content(path, "old");
}

TEST_WITH(test_folder, folder, two_at_once_do_not_disturb_each_other)
{
    const char *path = test_folder_path(folder, "file");
    char names[2][TEST_PATH_SIZE + MICAI_FILE_SUFFIX_SIZE];
    micai_file files[2];
    bool renamed;
    for (int i = 0; i < 2; i++) {
        REQUIRE(begin_file(&files[i], path, names[i]));
        CHECK(micai_file_write(&files[i], i ? "second" : "first", i ? 6 : 5));
    }
    CHECK(strcmp(names[0], names[1]) != 0);
    for (int i = 0; i < 2; i++) {
        CHECK(micai_file_commit(&files[i], names[i], path, &renamed));
        check_content(path, i ? "second" : "first");
    }
    CHECK_EQUAL(1, test_folder_count(folder));
}

TEST_WITH(test_folder, folder, a_file_is_read_to_its_end)
{
    const char *path = test_folder_path(folder, "file");
    test_file_write(path, "0123456789", 10);
    micai_file file;
    char got[16];
    REQUIRE(micai_file_open(&file, path));
    CHECK(FILE_IS_PLAIN || file.size == 10);
    CHECK_EQUAL(4, micai_file_read(&file, got, 4));
    CHECK_BYTES("0123", got, 4);
    CHECK_EQUAL(6, micai_file_read(&file, got, sizeof got));
    CHECK_BYTES("456789", got, 6);
    CHECK_EQUAL(0, micai_file_read(&file, got, sizeof got));
    micai_file_close(&file);
    micai_file_close(&file); // it is shut: nothing happens
}

TEST_WITH(test_folder, folder, what_is_not_there_is_not_read_or_written)
{
    micai_file file;
    char temporary[TEST_PATH_SIZE + MICAI_FILE_SUFFIX_SIZE];
    char text[MICAI_FILE_REASON_SIZE];
    CHECK(!micai_file_open(&file, test_folder_path(folder, "none")));
    CHECK_EQUAL(MICAI_FILE_CLOSED, file.handle);
    CHECK_TEXT("there is no such file or folder", micai_file_reason_text(file.reason, text));
    CHECK(!begin_file(&file, test_folder_path(folder, "none/file"), temporary));
    CHECK_TEXT("there is no such file or folder", micai_file_reason_text(file.reason, text));
    CHECK_EQUAL(0, test_folder_count(folder));
}

// A folder cannot be replaced by a file; where it was not seen before, it is when it is renamed.
TEST_WITH(test_folder, folder, a_place_that_is_taken_is_left_alone)
{
    char temporary[TEST_PATH_SIZE + MICAI_FILE_SUFFIX_SIZE];
    char text[MICAI_FILE_REASON_SIZE];
    micai_file file;
    bool renamed = true;
    if (begin_file(&file, folder->name, temporary)) {
        CHECK(micai_file_write(&file, "x", 1));
        CHECK(!micai_file_commit(&file, temporary, folder->name, &renamed));
        CHECK(!renamed);
    }
    CHECK_TEXT("it is a folder", micai_file_reason_text(file.reason, text));
#ifndef _WIN32 // which tells this from what is not there in no way
    CHECK(!begin_file(&file, "/dev/full/x", temporary));
    CHECK_TEXT("a part of the path is no folder", micai_file_reason_text(file.reason, text));
#endif
}

TEST_WITH(test_folder, folder, names_that_are_taken_are_not_used)
{
    const char *path = test_folder_path(folder, "file");
    char first[TEST_PATH_SIZE + MICAI_FILE_SUFFIX_SIZE];
    char second[TEST_PATH_SIZE + MICAI_FILE_SUFFIX_SIZE];
    micai_file file;
    REQUIRE(begin_file(&file, path, first));
    micai_file_discard(&file, first);
    test_file_write(first, "of another", 10); // left behind by somebody who died
    REQUIRE(begin_file(&file, path, second));
    CHECK(strcmp(first, second) != 0);
    micai_file_discard(&file, second);
    check_content(first, "of another");
}

static void reasons_have_words(void)
{
    char text[MICAI_FILE_REASON_SIZE];
    CHECK_TEXT("the disk is full", micai_file_reason_text(ENOSPC, text));
    CHECK_TEXT("permission is denied", micai_file_reason_text(EACCES, text));
    CHECK_TEXT("error 9999 of the system", micai_file_reason_text(9999, text));
}

TESTS(FILE_SUITE, a_file_takes_its_place_when_it_is_kept, a_file_that_is_dropped_was_never_there,
      two_at_once_do_not_disturb_each_other, a_file_is_read_to_its_end,
      what_is_not_there_is_not_read_or_written, a_place_that_is_taken_is_left_alone,
      names_that_are_taken_are_not_used, reasons_have_words)
