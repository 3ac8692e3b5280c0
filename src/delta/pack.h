// Bytes of deltas and tapes, written and read: numbers in as many bytes as they need, texts, and lists of slots.
//
// Room:    delta. Called by its files, and by tape/.
//
// Failures are sticky. A packer that has failed ignores what is written. A reader that has failed reads
// zeros and empty lists.
#ifndef MICAI_DELTA_PACK_H
#define MICAI_DELTA_PACK_H

#include <mica/type.h>

#include "base/array.h"

typedef struct micai_packer {
    micai_host *host;
    MICAI_ARRAY(unsigned char) bytes;
    bool failed; // MICA_ERROR_MEMORY, reported
} micai_packer;

// Appends space for `size` bytes and returns it, or NULL.
unsigned char *micai_pack_space(micai_packer *to, size_t size);
void micai_pack_bytes(micai_packer *to, const void *bytes, size_t size);
void micai_pack_fixed(micai_packer *to, uint64_t number, uint32_t size); // little-endian
void micai_pack_number(micai_packer *to, uint64_t number);               // 7 bits in each byte
void micai_pack_text(micai_packer *to, const char *text);                // NULL: an empty one
void micai_pack_free(micai_packer *to);

// Writes a number as micai_pack_number() does, and returns its size.
#define MICAI_NUMBER_SIZE_MAX 10
uint32_t micai_put_number(unsigned char *bytes, uint64_t number);

// Writes slots in ascending order: their count, then the gaps between them; or, where that is shorter, pairs
// of a gap and the length of a run of adjacent slots. `stride` bytes apart.
void micai_pack_slots(micai_packer *to, const uint32_t *slots, uint32_t count, size_t stride);

typedef struct micai_unpacker {
    const unsigned char *at;
    const unsigned char *end;
    bool failed; // the bytes end too early, or are no numbers
} micai_unpacker;

const unsigned char *micai_unpack_bytes(micai_unpacker *from, size_t size); // NULL: failed
uint64_t micai_unpack_fixed(micai_unpacker *from, uint32_t size);
uint64_t micai_unpack_number(micai_unpacker *from);
uint32_t micai_unpack_32(micai_unpacker *from); // fails if the number is larger

// Reads a text. Returns false if it is longer than a name, or has a zero byte.
bool micai_unpack_text(micai_unpacker *from, char text_out[MICA_NAME_SIZE_MAX + 1]);

static inline uint64_t micai_unpack_left(const micai_unpacker *from) // bytes
{
    return (uint64_t)(from->end - from->at);
}

// The slots of a list, one after the other. The caller checks `left`, which may be any number.
typedef struct micai_slot_list {
    uint64_t left;
    uint64_t run;  // of these, how many follow without a gap
    uint64_t next; // the lowest slot that may come
    bool runs;
} micai_slot_list;

micai_slot_list micai_unpack_slots(micai_unpacker *from);
uint32_t micai_unpack_slot(micai_unpacker *from, micai_slot_list *list);

#endif
