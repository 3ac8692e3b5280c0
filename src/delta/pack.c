// Bytes of a delta. pack.h has the contract.
#include "delta/pack.h"

#include <string.h>

#include "base/bytes.h"

unsigned char *micai_pack_space(micai_packer *to, size_t size)
{
    if (to->failed || size > UINT32_MAX ||
        !micai_array_reserve(to->host, &to->bytes, (uint32_t)size)) {
        to->failed = true;
        return NULL;
    }
    unsigned char *space = to->bytes.items + to->bytes.count;
    to->bytes.count += (uint32_t)size;
    return space;
}

void micai_pack_bytes(micai_packer *to, const void *bytes, size_t size)
{
    unsigned char *space = size > 0 ? micai_pack_space(to, size) : NULL;
    if (space) {
        memcpy(space, bytes, size);
    }
}

void micai_pack_fixed(micai_packer *to, uint64_t number, uint32_t size)
{
    unsigned char *space = micai_pack_space(to, size);
    if (space) {
        micai_put_little(space, number, size);
    }
}

uint32_t micai_put_number(unsigned char *bytes, uint64_t number)
{
    uint32_t size = 0;
    do {
        unsigned char more = number > 0x7f ? 0x80 : 0;
        bytes[size++] = (unsigned char)((number & 0x7f) | more);
        number >>= 7;
    } while (number > 0);
    return size;
}

void micai_pack_number(micai_packer *to, uint64_t number)
{
    unsigned char bytes[MICAI_NUMBER_SIZE_MAX];
    micai_pack_bytes(to, bytes, micai_put_number(bytes, number));
}

void micai_pack_text(micai_packer *to, const char *text)
{
    size_t size = text ? strlen(text) : 0;
    micai_pack_number(to, size);
    micai_pack_bytes(to, text, size);
}

void micai_pack_free(micai_packer *to)
{
    micai_array_free(to->host, &to->bytes);
}

// Slots

static uint32_t slot_at(const uint32_t *slots, uint32_t place, size_t stride)
{
    uint32_t slot;
    memcpy(&slot, (const unsigned char *)slots + place * stride, sizeof slot);
    return slot;
}

// Returns the place behind the run of adjacent slots that begins at `place`.
static uint32_t run_end(const uint32_t *slots, uint32_t place, uint32_t count, size_t stride)
{
    uint32_t first = slot_at(slots, place, stride);
    uint32_t end = place + 1;
    while (end < count && slot_at(slots, end, stride) == first + (end - place)) {
        end++;
    }
    return end;
}

static bool are_runs_shorter(const uint32_t *slots, uint32_t count, size_t stride)
{
    unsigned char bytes[MICAI_NUMBER_SIZE_MAX];
    int64_t saved = 0;
    for (uint32_t place = 0; place < count;) {
        uint32_t end = run_end(slots, place, count, stride);
        saved += (int64_t)(end - place - 1) - micai_put_number(bytes, end - place - 1);
        place = end;
    }
    return saved > 0;
}

void micai_pack_slots(micai_packer *to, const uint32_t *slots, uint32_t count, size_t stride)
{
    bool runs = are_runs_shorter(slots, count, stride);
    uint32_t next = 0;
    micai_pack_number(to, (uint64_t)count << 1 | runs);
    for (uint32_t place = 0; place < count;) {
        uint32_t slot = slot_at(slots, place, stride);
        uint32_t end = runs ? run_end(slots, place, count, stride) : place + 1;
        micai_pack_number(to, slot - next);
        if (runs) {
            micai_pack_number(to, end - place - 1);
        }
        next = slot + (end - place);
        place = end;
    }
}

// Reading

const unsigned char *micai_unpack_bytes(micai_unpacker *from, size_t size)
{
    if (from->failed || size > micai_unpack_left(from)) {
        from->failed = true;
        return NULL;
    }
    const unsigned char *bytes = from->at;
    from->at += size;
    return bytes;
}

uint64_t micai_unpack_fixed(micai_unpacker *from, uint32_t size)
{
    const unsigned char *bytes = micai_unpack_bytes(from, size);
    return bytes ? micai_get_little(bytes, size) : 0;
}

uint64_t micai_unpack_number(micai_unpacker *from)
{
    uint64_t number = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        const unsigned char *byte = micai_unpack_bytes(from, 1);
        if (!byte) {
            return 0;
        }
        number |= (uint64_t)(*byte & 0x7f) << shift;
        if ((*byte & 0x80) == 0) {
            return number;
        }
    }
    from->failed = true;
    return 0;
}

uint32_t micai_unpack_32(micai_unpacker *from)
{
    uint64_t number = micai_unpack_number(from);
    from->failed = from->failed || number > UINT32_MAX;
    return from->failed ? 0 : (uint32_t)number;
}

bool micai_unpack_text(micai_unpacker *from, char text_out[MICA_NAME_SIZE_MAX + 1])
{
    uint64_t size = micai_unpack_number(from);
    const unsigned char *text =
        size <= MICA_NAME_SIZE_MAX ? micai_unpack_bytes(from, (size_t)size) : NULL;
    if (!text || memchr(text, 0, (size_t)size)) {
        from->failed = true;
        return false;
    }
    memcpy(text_out, text, (size_t)size);
    text_out[size] = '\0';
    return true;
}

micai_slot_list micai_unpack_slots(micai_unpacker *from)
{
    uint64_t head = micai_unpack_number(from);
    return (micai_slot_list){.left = head >> 1, .runs = (head & 1) != 0};
}

uint32_t micai_unpack_slot(micai_unpacker *from, micai_slot_list *list)
{
    if (list->run == 0) {
        uint64_t gap = micai_unpack_32(from);
        list->next += gap;
        list->run = list->runs ? (uint64_t)micai_unpack_32(from) + 1 : 1;
    }
    if (from->failed || list->run > list->left || list->next >= UINT32_MAX) {
        from->failed = true;
        list->left = 0;
        return 0;
    }
    list->run--;
    list->left--;
    return (uint32_t)list->next++;
}
