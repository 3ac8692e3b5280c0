// Files, as an operating system has them: one that is read from its beginning to its end, and one that
// takes another's place when it is whole.
//
// Room:    base. Called by streams.
//
// What replaces a file is written beside it, under a name of its own in the same folder, and renamed when
// every byte is known to be on the disk; then the folder is made to remember the new name. So whoever looks
// at the path, after a crash too, finds what was there before or what is there now, never a part.
//
//   file.mica                    what was saved before
//   file.mica.1234-0.tmp         what is being saved: number of the process, number of the attempt
//
// Nothing is reported from here: a function that fails leaves the number that the system gave as a reason,
// for which micai_file_reason_text() has words. They are the same in every language that the program may be set to.
#ifndef MICAI_BASE_FILE_H
#define MICAI_BASE_FILE_H

#include "base/memory.h"

typedef struct micai_file {
    intptr_t handle; // the system's; MICAI_FILE_CLOSED: there is none
    uint64_t size;   // of one that is read; UINT64_MAX: it is not known, as of a pipe
    int reason;      // why the last call failed, as the system numbers reasons
} micai_file;

#define MICAI_FILE_CLOSED ((intptr_t)-1)
#define MICAI_FILE_FAILED SIZE_MAX

// What is added to a path to name what is written beside it, terminating zero included.
#define MICAI_FILE_SUFFIX_SIZE 40u

// To be read. False: `reason` says why, and the file is shut.
bool micai_file_open(micai_file *file, const char *path);

// Up to `size` bytes; 0 at the end, MICAI_FILE_FAILED if it cannot.
size_t micai_file_read(micai_file *file, void *data, size_t size);

// To be written, beside `path`, which need not exist; what is there and no ordinary file is refused. The
// name is put into `temporary`, which has room for that of the path and MICAI_FILE_SUFFIX_SIZE bytes more.
bool micai_file_create(micai_file *file, const char *path, char *temporary);

// All of it, or false.
bool micai_file_write(micai_file *file, const void *data, size_t size);

// Puts what was written in the place of `path`: flushed, shut, renamed, the folder flushed. False: all of
// it is gone and the path is what it was; but if the last step failed, which `renamed_out` tells, the new
// file is there, and whether it still is after a crash nobody knows. The name in `temporary` is used up.
bool micai_file_commit(micai_file *file, char *temporary, const char *path, bool *renamed_out);

// Takes back what was written.
void micai_file_discard(micai_file *file, const char *temporary);

// One that is shut: nothing happens.
void micai_file_close(micai_file *file);

// Why, in a few words: "the disk is full". `text` is room for those that have a number in them.
#define MICAI_FILE_REASON_SIZE 40u
const char *micai_file_reason_text(int reason, char text[MICAI_FILE_REASON_SIZE]);

#endif
