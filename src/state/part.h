// Parts: state that snapshots keep as bytes. A room with such state writes and reads it.
//
// Room:    state. Implemented by entity/, event/, query/ and system/. Called by time/.
//
// The bytes are those of this program's memory: they never leave it. They contain numbers and handles, no
// addresses, so that equal states have equal bytes.
#ifndef MICAI_STATE_PART_H
#define MICAI_STATE_PART_H

#include <string.h>

#include <mica/world.h>

#include "base/array.h"

// Bytes that are written. As long as they are those of `same`, they are only compared.
typedef struct micai_blob {
    micai_host *host;
    const unsigned char *same; // NULL: they differ
    size_t same_size;
    size_t matched; // bytes of `same` that were written again
    MICAI_ARRAY(unsigned char) bytes;
    bool failed; // MICA_ERROR_MEMORY, reported
} micai_blob;

void micai_blob_append(micai_blob *to, const void *bytes, size_t size);

static inline void micai_blob_write(micai_blob *to, const void *bytes, size_t size)
{
    if (to->same && size <= to->same_size - to->matched &&
        (size == 0 || memcmp(to->same + to->matched, bytes, size) == 0)) {
        to->matched += size;
    } else {
        micai_blob_append(to, bytes, size);
    }
}

static inline void micai_blob_write_32(micai_blob *to, uint32_t number)
{
    micai_blob_write(to, &number, sizeof number);
}

static inline void micai_blob_write_64(micai_blob *to, uint64_t number)
{
    micai_blob_write(to, &number, sizeof number);
}

// Bytes that are read. They were written by the same part, so there are enough.
typedef struct micai_bytes {
    const unsigned char *at;
} micai_bytes;

static inline const void *micai_bytes_skip(micai_bytes *from, size_t size)
{
    const void *at = from->at;
    from->at += size;
    return at;
}

static inline void micai_bytes_read(micai_bytes *from, void *bytes_out, size_t size)
{
    if (size > 0) {
        memcpy(bytes_out, micai_bytes_skip(from, size), size);
    }
}

static inline uint32_t micai_bytes_read_32(micai_bytes *from)
{
    uint32_t number;
    micai_bytes_read(from, &number, sizeof number);
    return number;
}

static inline uint64_t micai_bytes_read_64(micai_bytes *from)
{
    uint64_t number;
    micai_bytes_read(from, &number, sizeof number);
    return number;
}

typedef struct micai_part {
    // Returns a number that is another one after each change of the part. NULL: nothing tells.
    uint64_t (*revision)(const mica_world *world);
    void (*write)(mica_world *world, micai_blob *to);
    // Reserves what reading needs, which then cannot fail. Fails with MICA_ERROR_MEMORY and leaves the
    // world as it was. May pass out staged data, which read() or cancel() frees. NULL: nothing to
    // reserve.
    mica_result (*reserve)(mica_world *world, micai_bytes from, void **staged_out);
    void (*read)(mica_world *world, micai_bytes from, void *staged);
    void (*cancel)(mica_world *world, void *staged); // NULL: nothing is ever staged
} micai_part;

#endif
