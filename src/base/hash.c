// Hashing of bytes and text.
//
// Room:    base. Called by base/map, core/ (names, values), inspect/ (content hash) and image/.
//
// micai_hash_bytes() uses one mix per 8 bytes. A cheaper step (one multiplication, one shift) was
// rejected: with it, flipping the signs of three neighboring floats leaves the hash unchanged. A
// stream has the cheaper step. There, neighboring words enter different sums, and the shift by 29
// takes the sign of no float to the sign of another.
#include "base/hash.h"

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

void micai_hash_begin(micai_hash_stream *stream)
{
    stream->size = 0;
    for (uint32_t i = 0; i < 4; i++) {
        stream->sums[i] = micai_hash_mix(i + UINT64_C(1));
    }
}

// The sums are local variables, because compilers store an array of them after every block.
static void put_blocks(micai_hash_stream *stream, const unsigned char *bytes, size_t size)
{
    uint64_t sum0 = stream->sums[0];
    uint64_t sum1 = stream->sums[1];
    uint64_t sum2 = stream->sums[2];
    uint64_t sum3 = stream->sums[3];
    for (const unsigned char *end = bytes + size; bytes != end; bytes += MICAI_HASH_BLOCK) {
        sum0 = micai_hash_step(sum0, micai_get_little_8(bytes));
        sum1 = micai_hash_step(sum1, micai_get_little_8(bytes + 8));
        sum2 = micai_hash_step(sum2, micai_get_little_8(bytes + 16));
        sum3 = micai_hash_step(sum3, micai_get_little_8(bytes + 24));
    }
    stream->sums[0] = sum0;
    stream->sums[1] = sum1;
    stream->sums[2] = sum2;
    stream->sums[3] = sum3;
}

void micai_hash_put(micai_hash_stream *stream, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    uint32_t used = (uint32_t)(stream->size % MICAI_HASH_BLOCK);
    stream->size += size;
    if (used > 0 || size < MICAI_HASH_BLOCK) {
        uint32_t space = MICAI_HASH_BLOCK - used;
        uint32_t first = size < space ? (uint32_t)size : space;
        micai_copy_bytes(stream->rest + used, next, first);
        if (first < space) {
            return;
        }
        put_blocks(stream, stream->rest, MICAI_HASH_BLOCK);
        next += first;
        size -= first;
    }
    uint32_t rest = (uint32_t)(size % MICAI_HASH_BLOCK);
    put_blocks(stream, next, size - rest);
    micai_copy_bytes(stream->rest, next + size - rest, rest);
}

void micai_hash_put_turned(micai_hash_stream *stream, const void *numbers, uint32_t size,
                           size_t count)
{
    const unsigned char *next = numbers;
    for (; count > 0; count--, next += size) {
        unsigned char turned[8];
        for (uint32_t i = 0; i < size; i++) {
            turned[i] = next[size - 1 - i];
        }
        micai_hash_put(stream, turned, size);
    }
}

uint64_t micai_hash_end(const micai_hash_stream *stream)
{
    uint32_t rest = (uint32_t)(stream->size % MICAI_HASH_BLOCK);
    uint64_t first = stream->sums[0];
    for (uint32_t i = 0; i < rest; i += 8) {
        uint32_t left = rest - i < 8 ? rest - i : 8;
        first = micai_hash_step(first, micai_get_little(stream->rest + i, left));
    }
    uint64_t hash = micai_hash_add(micai_hash_mix(stream->size), micai_hash_fold(first));
    for (uint32_t i = 1; i < 4; i++) {
        hash = micai_hash_add(hash, micai_hash_fold(stream->sums[i]));
    }
    return hash;
}
