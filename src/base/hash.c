// Hashing of bytes and text.
//
// Room:    base. Called by base/map, core/ (names), world/ (content hash and digest).
//
// One mix per 8 bytes. A lighter step (one multiplication, one shift) was not taken: with it, the
// changed signs of three neighbouring floats cancel each other out.
#include "base/hash.h"

#include "base/bytes.h"

uint64_t micai_hash_bytes(const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    // The size goes in first, so that trailing zero bytes make a difference.
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
