// Hashing of bytes and text.
//
// Room:    base. Called by base/map, core/ (names), inspect/ (content hash) and image/.
//
// This uses one mix per 8 bytes. A cheaper step (one multiplication, one shift) was rejected: with
// it, flipping the signs of three neighboring floats leaves the hash unchanged.
#include "base/hash.h"

#include "base/bytes.h"

uint64_t micai_hash_bytes(const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    // The size is included, so trailing zero bytes change the hash.
    uint64_t hash = (uint64_t)size + UINT64_C(0x9e3779b97f4a7c15);
    for (; size >= 8; size -= 8) {
        hash = micai_hash_mix(hash ^ micai_get_little_8(next));
        next += 8;
    }
    return micai_hash_mix(hash ^ micai_get_little(next, (uint32_t)size));
}

uint64_t micai_hash_text(const char *text)
{
    return micai_hash_bytes(text, strlen(text));
}
