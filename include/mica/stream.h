// Streams: where images and traces are written to, and images are read from. One of these:
//
//   &(mica_stream){.path = "world.mica"}            a file
//   &(mica_stream){.buffer = &buffer}               memory that grows
//   &(mica_stream){.data = bytes, .size = size}     bytes that are there; to be read only
//   &(mica_stream){.write = send, .user = socket}   a function of yours; .read to be read from
//
// A file is written beside its path and takes its place when it is whole and on the disk: whatever happens,
// a crash or a full disk included, the path has what it had before or all that was written, never a part.
// If writing fails, the file that was there is untouched and nothing is left beside it; a crash may leave a
// file there, of the same name with ".<number>-<number>.tmp" behind it, which can be deleted. A file that is
// replaced hands on its permissions; of a link, the link itself is replaced. Folders, devices and pipes are
// not written to; files of any kind are read.
#ifndef MICA_STREAM_H
#define MICA_STREAM_H

#include <mica/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes in memory. Zero it before its first use; what was written is `data[0]` to `data[size - 1]`. It
// belongs to no world and can outlive all; its memory is not counted by mica_memory().
typedef struct mica_buffer {
    /* read-only */
    unsigned char *data;
    size_t size;
    /* private */
    size_t capacity;
    /* public */
    mica_allocator allocator; // zero: the C library's. Not to be changed while there is data
} mica_buffer;

// Gives its memory back; the buffer is empty and can be used again. [stream.free] NULL: nothing
// happens. [stream.free_null]
MICA_API void mica_buffer_free(mica_buffer *buffer);

// What a function of yours returns that cannot read.
#define MICA_STREAM_FAILED SIZE_MAX

// Exactly one of path, buffer, data, and functions; otherwise MICA_ERROR_ARGUMENT. Functions can be given
// together: one that writes is not needed to read, nor the other way round.
//
// Functions may look at the world but not change it (MICA_ERROR_HANDLER), as error handlers, and must
// return.
typedef struct mica_stream {
    uint32_t first_zero; // must be 0: catches a descriptor that was not zeroed

    const char *path;    // of a file, as the system writes paths
    mica_buffer *buffer; // writing replaces what it has, if all goes well; reading reads all of it
    const void *data;    // `size` bytes to read
    size_t size;

    // Takes all of it, or returns false.
    bool (*write)(void *user, const void *data, size_t size);
    // Gives up to `size` bytes, which is not 0, and returns how many; 0 at the end, and
    // MICA_STREAM_FAILED if it cannot.
    size_t (*read)(void *user, void *data, size_t size);
    // Says why the last of them failed, in a few words that end the sentence of the failure. NULL, of
    // the function or what it returns: nobody knows. May be left out.
    const char *(*explain)(void *user);
    void *user;

    uint32_t last_zero; // must be 0
} mica_stream;

#ifdef __cplusplus
}
#endif

#endif
