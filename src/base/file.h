// Files of the operating system: one kind is read from start to end, the other replaces a file
// atomically.
//
// Room:    base. Called by base/stream.
//
// A replacement is written to a temporary file in the same folder. After all bytes are flushed to
// the disk, it is renamed to the target path, and the folder is flushed. So a reader of the path
// finds the old file or the new one, never a partial one, even after a crash.
//
//   file.mica                    the previous file
//   file.mica.1234-0.tmp         the replacement: process id, number of the attempt
//
// These functions report nothing. A function that fails stores the system's error code in `reason`.
// micai_file_reason_text() returns its text, which does not depend on the locale.
#ifndef MICAI_BASE_FILE_H
#define MICAI_BASE_FILE_H

#include "base/memory.h"

typedef struct micai_file {
    intptr_t handle; // the system's handle; MICAI_FILE_CLOSED: none
    uint64_t size;   // size of a file opened for reading; UINT64_MAX: unknown, as for a pipe
    int reason;      // error code of the last failed call
} micai_file;

#define MICAI_FILE_CLOSED ((intptr_t)-1)
#define MICAI_FILE_FAILED SIZE_MAX

// The maximum length that a temporary name adds to a path, with the terminating zero.
#define MICAI_FILE_SUFFIX_SIZE 40u

// Opens a file for reading. On failure, returns false, sets `reason` and leaves the file closed.
bool micai_file_open(micai_file *file, const char *path);

// Reads up to `size` bytes. Returns 0 at the end, or MICAI_FILE_FAILED.
size_t micai_file_read(micai_file *file, void *data, size_t size);

// Creates a temporary file beside `path`, for writing. `path` need not exist; it is refused if it
// names anything but a regular file. The name is stored in `temporary`, which must hold the path
// plus MICAI_FILE_SUFFIX_SIZE bytes.
bool micai_file_create(micai_file *file, const char *path, char *temporary);

// Writes all bytes, or returns false.
bool micai_file_write(micai_file *file, const void *data, size_t size);

// Replaces `path`: flushes and closes the temporary file, renames it and flushes the folder. On
// failure, the temporary file is deleted and `path` is unchanged. The exception is a failure of the
// last step: `renamed_out` is then true and the new file exists, but it may not survive a crash.
// The text in `temporary` is overwritten.
bool micai_file_commit(micai_file *file, char *temporary, const char *path, bool *renamed_out);

// Closes and deletes the temporary file.
void micai_file_discard(micai_file *file, const char *temporary);

// Does nothing if the file is already closed.
void micai_file_close(micai_file *file);

// Returns a short description such as "the disk is full". `text` is a buffer for descriptions that
// contain a number.
#define MICAI_FILE_REASON_SIZE 40u
const char *micai_file_reason_text(int reason, char text[MICAI_FILE_REASON_SIZE]);

#endif
