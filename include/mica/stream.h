// Streams: destinations of images, traces and printed text, and sources of images. A stream is one
// of these:
//
//   &(mica_stream){.path = "world.mica"}            a file
//   &(mica_stream){.buffer = &buffer}               memory that grows
//   &(mica_stream){.data = bytes, .size = size}     existing bytes, read-only
//   &(mica_stream){.write = send, .user = socket}   a callback; .read for reading
//
// Files are written atomically: to a temporary file, which replaces the path when it is complete
// and on the disk. Even after a crash or with a full disk, the path has either its old or its
// complete new content. If writing fails, the old file is untouched and the temporary file is
// deleted. A crash may leave a temporary file, named like the path with ".<number>-<number>.tmp"
// appended, which can be deleted. A replaced file keeps its permissions. A link is itself replaced.
// Folders, devices and pipes cannot be written; files of any kind can be read.
#ifndef MICA_STREAM_H
#define MICA_STREAM_H

#include <mica/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes in memory. Zero it before its first use. The content is `data[0]` to `data[size - 1]`. A
// buffer belongs to no world and can outlive all of them. No world counts its memory. A call that
// has written to it leaves a zero after the content, in `data[size]`, so that text can be used as a
// C string. [stream.zero]
typedef struct mica_buffer {
    /* read-only */
    unsigned char *data;
    size_t size;
    /* private */
    size_t capacity;
    /* public */
    mica_allocator allocator; // zero: the C library's. Do not change it while there is data
} mica_buffer;

// Frees the memory of a buffer, which is then empty and can be used again. [stream.free] Does
// nothing if `buffer` is NULL. [stream.free_null]
MICA_API void mica_buffer_free(mica_buffer *buffer);

// The result of a read callback that fails.
#define MICA_STREAM_FAILED SIZE_MAX

// Set exactly one of path, buffer, data, and callbacks; otherwise the call fails with
// MICA_ERROR_ARGUMENT. Reading needs only the read callback, and writing only the write callback.
// Both may be set.
//
// Callbacks may read the world but not change it (MICA_ERROR_HANDLER), like error handlers, and
// must return normally.
typedef struct mica_stream {
    uint32_t first_zero; // must be 0

    const char *path;    // path of a file, in the form of the operating system
    mica_buffer *buffer; // writing replaces its content, on success; reading reads all of it
    const void *data;    // `size` bytes to read
    size_t size;

    // Writes all bytes, or returns false.
    bool (*write)(void *user, const void *data, size_t size);
    // Reads up to `size` bytes, which is above 0, and returns how many: 0 at the end, and
    // MICA_STREAM_FAILED on failure.
    size_t (*read)(void *user, void *data, size_t size);
    // Returns why the last callback failed, in a few words, which become the end of the error
    // message. May be NULL, or return NULL, if the reason is unknown.
    const char *(*explain)(void *user);
    void *user;

    uint32_t last_zero; // must be 0
} mica_stream;

#ifdef __cplusplus
}
#endif

#endif
