// The binary codec.
//
//   image     | magic, 8 | version, 4 | 0, 4 | checksum, 8 | section ... | section "end" |
//   section   | name, 8 | frame ... | frame without payload |
//   frame     | size of the payload, 4 | payload | checksum, 8 |
//
// Numbers are little-endian. Sections are split into frames of limited size, so neither side needs
// to know the size of a section. The reader checks a frame before it uses the payload. The checksum
// of a frame continues from that of the frame before, and the first one from the section's name. So
// frames cannot be missing, repeated or reordered.
//
// A payload contains values without names: numbers, reals and entities in 8 bytes, flags in one,
// list counts in 4. Text and bytes follow their size, in 4 bytes.
//
// Room:    image. Called through micai_codec_binary.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "image/codec_internal.h"

#include <mica/image.h>

#define FRAME_MAX (UINT32_C(1) << 16) // bytes of payload
#define NAME_SIZE 8u
#define SIZE_SIZE 4u // size of the size in front of a payload
#define SUM_SIZE 8u  // size of the checksum behind it

static const unsigned char magic[8] = {0x8e, 'm', 'i', 'c', 'a', '\r', '\n', 0x1a};

// A checksum in progress: four sums of words (base/hash.h) that run side by side, block by block.
#define CHECK_BLOCK 32u

typedef struct checking {
    uint64_t sums[4];
} checking;

static void check_begin(checking *c, uint64_t before)
{
    for (uint32_t i = 0; i < 4; i++) {
        c->sums[i] = micai_hash_unfold(before + i);
    }
}

// check_blocks() adds whole blocks, and copies them to `copy` unless that is NULL: one operation
// proceeds while the other waits for memory. The sums are local variables, because compilers store
// an array of them after every block. check_end() adds the remaining bytes, and the total size.
static inline void check_blocks(checking *c, const unsigned char *bytes, size_t size,
                                unsigned char *copy)
{
    uint64_t sum0 = c->sums[0];
    uint64_t sum1 = c->sums[1];
    uint64_t sum2 = c->sums[2];
    uint64_t sum3 = c->sums[3];
    for (size_t at = 0; at < size; at += CHECK_BLOCK) {
        const unsigned char *block = bytes + at;
        if (copy) {
            memcpy(copy + at, block, CHECK_BLOCK);
        }
        sum0 = micai_hash_step(sum0, micai_get_little_8(block));
        sum1 = micai_hash_step(sum1, micai_get_little_8(block + 8));
        sum2 = micai_hash_step(sum2, micai_get_little_8(block + 16));
        sum3 = micai_hash_step(sum3, micai_get_little_8(block + 24));
    }
    *c = (checking){{sum0, sum1, sum2, sum3}};
}

static uint64_t check_end(const checking *c, const unsigned char *bytes, size_t rest, size_t size)
{
    uint64_t first = c->sums[0];
    for (; rest > 0; rest -= rest < 8 ? rest : 8, bytes += 8) {
        first = micai_hash_step(first, micai_get_little(bytes, rest < 8 ? (uint32_t)rest : 8));
    }
    uint64_t sum = micai_hash_add(micai_hash_mix(size), micai_hash_fold(first));
    for (uint32_t i = 1; i < 4; i++) {
        sum = micai_hash_add(sum, micai_hash_fold(c->sums[i]));
    }
    return sum;
}

static uint64_t check(uint64_t before, const unsigned char *bytes, size_t size)
{
    checking c;
    size_t rest = size % CHECK_BLOCK;
    check_begin(&c, before);
    check_blocks(&c, bytes, size - rest, NULL);
    return check_end(&c, bytes + size - rest, rest, size);
}

static void name_section(unsigned char bytes[NAME_SIZE], const char *name)
{
    memset(bytes, 0, NAME_SIZE);
    for (uint32_t left = NAME_SIZE; left > 0 && *name; left--) {
        *bytes++ = (unsigned char)*name++;
    }
}

typedef struct binary {
    micai_archive base;
    micai_output *output; // for writing
    micai_input *input;   // for reading
    const char *section;
    uint64_t sum;         // checksum of the last frame
    uint32_t at;          // bytes of the payload that were written or read
    uint32_t size;        // reading: size of the payload
    uint32_t checked;     // writing: bytes of the payload in `checking`, whole blocks
    checking checking;    // their sums
    bool ended;           // reading: the section has ended
    unsigned char *bytes; // reading: the buffer of serialize_opaque()
    size_t byte_capacity;
    unsigned char payload[]; // reading: FRAME_MAX bytes; writing uses the output's block
} binary;

// Writing frames

_Static_assert(SIZE_SIZE + FRAME_MAX + SUM_SIZE <= MICAI_OUTPUT_SPACE, "a frame has room");

static void write_bytes(binary *b, const void *data, size_t size)
{
    if (!b->base.failed) {
        micai_output_write(b->output, data, size);
        b->base.failed = b->output->failed;
    }
}

// Adds the payload up to its last whole block to the checksum.
static void check_pending(binary *b, const unsigned char *payload)
{
    if (b->checked == 0) {
        check_begin(&b->checking, b->sum);
    }
    size_t size = (b->at - b->checked) / CHECK_BLOCK * (size_t)CHECK_BLOCK;
    check_blocks(&b->checking, payload + b->checked, size, NULL);
    b->checked += (uint32_t)size;
}

static void write_frame(binary *b)
{
    unsigned char *frame = micai_output_reserve(b->output);
    unsigned char *payload = frame + SIZE_SIZE;
    micai_put_little(frame, b->at, SIZE_SIZE);
    check_pending(b, payload);
    b->sum = check_end(&b->checking, payload + b->checked, b->at - b->checked, b->at);
    micai_put_little(payload + b->at, b->sum, SUM_SIZE);
    micai_output_advance(b->output, SIZE_SIZE + b->at + SUM_SIZE);
    b->base.failed = b->base.failed ? b->base.failed : b->output->failed;
    b->at = b->checked = 0;
}

// Appends enough bytes to check them while they are copied, from the next whole block on.
static void put_blocks(binary *b, unsigned char *payload, const unsigned char *bytes, size_t size)
{
    size_t head = (CHECK_BLOCK - b->at % CHECK_BLOCK) % CHECK_BLOCK;
    memcpy(payload + b->at, bytes, head);
    b->at += (uint32_t)head;
    check_pending(b, payload);
    size_t whole = (size - head) / CHECK_BLOCK * CHECK_BLOCK;
    check_blocks(&b->checking, bytes + head, whole, payload + b->at);
    b->at += (uint32_t)whole;
    b->checked = b->at;
    memcpy(payload + b->at, bytes + head + whole, size - head - whole);
    b->at += (uint32_t)(size - head - whole);
}

static void put(binary *b, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    while (size > 0 && !b->base.failed) {
        size_t some = size < FRAME_MAX - b->at ? size : FRAME_MAX - b->at;
        unsigned char *payload = micai_output_reserve(b->output) + SIZE_SIZE;
        if (some > (size_t)8 * CHECK_BLOCK) {
            put_blocks(b, payload, bytes, some);
        } else {
            memcpy(payload + b->at, bytes, some);
            b->at += (uint32_t)some;
        }
        bytes += some;
        size -= some;
        if (b->at == FRAME_MAX) {
            write_frame(b);
        }
    }
}

// Reading frames

static void fail(binary *b, const char *what)
{
    micai_archive_fail(&b->base, MICA_ERROR_IMAGE, "byte %" PRIu64 ", in '%s': %s",
                       micai_input_position(b->input), b->section, what);
}

// Returns false with a report at the end, or after a failure.
static bool read_bytes(binary *b, void *data, size_t size)
{
    if (b->base.failed) {
        return false;
    }
    size_t got = micai_input_read(b->input, data, size);
    if (got < size && b->input->failed) {
        b->base.failed = b->input->failed;
    } else if (got < size) {
        fail(b, "the image ends in the middle");
    }
    return got == size;
}

static bool next_frame(binary *b)
{
    unsigned char bytes[8];
    b->at = b->size = 0;
    if (!read_bytes(b, bytes, SIZE_SIZE)) {
        return false;
    }
    uint64_t size = micai_get_little(bytes, SIZE_SIZE);
    if (size > FRAME_MAX) {
        fail(b, "a frame is too large");
        return false;
    }
    if (!read_bytes(b, b->payload, (size_t)size) || !read_bytes(b, bytes, SUM_SIZE)) {
        return false;
    }
    b->sum = check(b->sum, b->payload, (size_t)size);
    if (b->sum != micai_get_little(bytes, SUM_SIZE)) {
        fail(b, "the checksum is wrong");
        return false;
    }
    b->size = (uint32_t)size;
    b->ended = size == 0;
    return true;
}

// Reads zeroes after a failure.
static void get(binary *b, void *data, size_t size)
{
    unsigned char *bytes = data;
    for (size_t done = 0; done < size;) {
        if (b->at == b->size && (b->ended || !next_frame(b) || b->ended)) {
            fail(b, "the section is too short");
            memset(bytes, 0, size);
            return;
        }
        size_t some = b->size - b->at < size - done ? b->size - b->at : size - done;
        memcpy(bytes + done, b->payload + b->at, some);
        b->at += (uint32_t)some;
        done += some;
    }
}

// Both directions

static void serialize_bytes(micai_archive *a, void *data, size_t size)
{
    if (a->reading) {
        get((binary *)a, data, size);
    } else {
        put((binary *)a, data, size);
    }
}

// Serializes a number in `size` bytes.
static void serialize_fixed(micai_archive *a, uint64_t *number, uint32_t size)
{
    unsigned char bytes[8];
    if (!a->reading) {
        micai_put_little(bytes, *number, size);
    }
    serialize_bytes(a, bytes, size);
    if (a->reading) {
        *number = micai_get_little(bytes, size);
    }
}

// Serializes numbers, entities or reals of 8 bytes each.
static void serialize_words(micai_archive *a, void *list, uint32_t count)
{
    unsigned char *words = list;
    if (micai_is_little_endian()) {
        serialize_bytes(a, words, (size_t)count * 8);
        return;
    }
    for (uint32_t i = 0; i < count; i++, words += 8) {
        uint64_t word;
        memcpy(&word, words, 8);
        serialize_fixed(a, &word, 8);
        if (a->reading) {
            memcpy(words, &word, 8);
        }
    }
}

static void begin_section(micai_archive *a, const char *name)
{
    binary *b = (binary *)a;
    unsigned char bytes[NAME_SIZE];
    unsigned char wanted[NAME_SIZE];
    name_section(wanted, name);
    b->section = name;
    if (!a->reading) {
        write_bytes(b, wanted, NAME_SIZE);
    } else if (read_bytes(b, bytes, NAME_SIZE) && memcmp(bytes, wanted, NAME_SIZE) != 0) {
        fail(b, "another section is in its place");
    }
    b->sum = check(0, wanted, NAME_SIZE);
    b->at = b->size = b->checked = 0;
    b->ended = false;
}

static void end_section(micai_archive *a, const char *name)
{
    (void)name;
    binary *b = (binary *)a;
    if (!a->reading) {
        if (b->at > 0) {
            write_frame(b);
        }
        write_frame(b);
    } else if (!a->failed && (b->at < b->size || (!b->ended && next_frame(b) && !b->ended))) {
        fail(b, "the section is too long");
    }
}

// The begin and end of objects need no bytes: their content determines them.
static void serialize_nothing(micai_archive *a, const char *name)
{
    (void)a, (void)name;
}

// While reading, rejects counts beyond the bytes that are left: each item has at least one.
static void begin_list(micai_archive *a, const char *name, uint32_t *count, uint32_t max)
{
    binary *b = (binary *)a;
    uint64_t wide = a->reading ? 0 : *count;
    serialize_fixed(a, &wide, 4);
    *count = (uint32_t)wide;
    if (!a->reading) {
        return;
    }
    uint64_t left = micai_input_left(b->input);
    uint64_t most = left > UINT64_MAX - FRAME_MAX ? UINT64_MAX : left + (b->size - b->at);
    if (wide > max || wide > most) {
        micai_archive_fail(a, MICA_ERROR_IMAGE,
                           "byte %" PRIu64 ", in '%s': there cannot be %" PRIu64 " items of '%s'",
                           micai_input_position(b->input), b->section, wide,
                           name ? name : "a list");
        *count = 0;
    }
}

static void serialize_number(micai_archive *a, const char *name, uint64_t *number, uint64_t max)
{
    const binary *b = (const binary *)a;
    serialize_fixed(a, number, 8);
    if (a->reading && *number > max) {
        micai_archive_fail(a, MICA_ERROR_IMAGE,
                           "byte %" PRIu64 ", in '%s': '%s' cannot be %" PRIu64,
                           micai_input_position(b->input), b->section, name ? name : "it", *number);
        *number = 0;
    }
}

static void serialize_integer(micai_archive *a, const char *name, int64_t *number)
{
    (void)name;
    serialize_words(a, number, 1);
}

static void serialize_real(micai_archive *a, const char *name, double *real)
{
    (void)name;
    serialize_words(a, real, 1);
}

static void serialize_entity(micai_archive *a, const char *name, mica_entity *entity)
{
    (void)name;
    serialize_words(a, entity, 1);
}

static void serialize_flags(micai_archive *a, const char *name, unsigned char *list, uint32_t count)
{
    (void)name;
    unsigned char all = 0;
    serialize_bytes(a, list, count);
    for (uint32_t i = 0; a->reading && i < count; i++) {
        all |= list[i];
    }
    if (all > 1) {
        memset(list, 0, count);
        fail((binary *)a, "a flag is neither 0 nor 1");
    }
}

static void serialize_flag(micai_archive *a, const char *name, bool *flag)
{
    unsigned char byte = a->reading ? 0 : *flag;
    serialize_flags(a, name, &byte, 1);
    *flag = byte;
}

static void serialize_text(micai_archive *a, const char *name, const char **text)
{
    (void)name;
    binary *b = (binary *)a;
    uint64_t size = a->reading ? 0 : strlen(*text);
    serialize_fixed(a, &size, 4);
    if (!a->reading) {
        put(b, *text, (size_t)size);
        return;
    }
    if (size > MICA_NAME_SIZE_MAX) {
        fail(b, "a text is too long");
        size = 0;
    }
    get(b, a->text, (size_t)size);
    a->text[size] = '\0';
    if (strlen(a->text) != size) {
        fail(b, "a text has a zero in it");
    }
    *text = a->text;
}

// Grows the buffer while bytes arrive: a damaged size must not allocate much memory.
static void get_bytes(binary *b, size_t size)
{
    micai_archive *a = &b->base;
    for (size_t done = 0; done < size && !a->failed;) {
        size_t some = size - done < FRAME_MAX ? size - done : FRAME_MAX;
        if (done + some > b->byte_capacity) {
            size_t wider = 2 * b->byte_capacity + FRAME_MAX;
            unsigned char *bytes = micai_resize(a->host, b->bytes, b->byte_capacity, wider, 1);
            if (!bytes) {
                micai_archive_fail_memory(a);
                return;
            }
            b->bytes = bytes;
            b->byte_capacity = wider;
        }
        get(b, b->bytes + done, some);
        done += some;
    }
}

static void serialize_opaque(micai_archive *a, const char *name, const unsigned char **data,
                             uint32_t *size)
{
    (void)name;
    binary *b = (binary *)a;
    uint64_t wide = a->reading ? 0 : *size;
    serialize_fixed(a, &wide, 4);
    if (!a->reading) {
        put(b, *data, *size);
        return;
    }
    get_bytes(b, (size_t)wide);
    *size = a->failed ? 0 : (uint32_t)wide;
    *data = a->failed ? NULL : wide > 0 ? b->bytes : b->payload;
}

static void serialize_type(micai_archive *a, const char *name, uint32_t *number)
{
    (void)name;
    uint64_t wide = a->reading ? 0 : *number;
    serialize_fixed(a, &wide, 4);
    if (a->reading && wide >= a->schema->count) {
        fail((binary *)a, "there is no such type");
        wide = 0;
    }
    *number = (uint32_t)wide;
}

static void serialize_numbers(micai_archive *a, const char *name, uint64_t *list, uint32_t count)
{
    (void)name;
    serialize_words(a, list, count);
}

static void serialize_entities(micai_archive *a, const char *name, mica_entity *list,
                               uint32_t count)
{
    (void)name;
    serialize_words(a, list, count);
}

static void serialize_values(micai_archive *a, const char *name, const micai_schema_type *type,
                             unsigned char *values, uint32_t count)
{
    (void)name;
    serialize_bytes(a, values, (size_t)type->size * count);
}

static const micai_archive_calls calls = {
    .begin_section = begin_section,
    .end_section = end_section,
    .begin_object = serialize_nothing,
    .begin_list = begin_list,
    .end = serialize_nothing,
    .number = serialize_number,
    .integer = serialize_integer,
    .real = serialize_real,
    .flag = serialize_flag,
    .text = serialize_text,
    .bytes = serialize_opaque,
    .entity = serialize_entity,
    .type = serialize_type,
    .numbers = serialize_numbers,
    .entities = serialize_entities,
    .flags = serialize_flags,
    .values = serialize_values,
};

// Opening and closing

static void write_head(binary *b)
{
    unsigned char head[24] = {0};
    memcpy(head, magic, sizeof magic);
    micai_put_little(head + 8, MICA_IMAGE_VERSION, 4);
    micai_put_little(head + 16, check(0, head, 16), 8);
    write_bytes(b, head, sizeof head);
}

static void read_head(binary *b)
{
    unsigned char head[24] = {0};
    if (!read_bytes(b, head, sizeof head)) {
        return;
    }
    uint64_t version = micai_get_little(head + 8, 4);
    if (memcmp(head, magic, sizeof magic) != 0) {
        fail(b, "it does not begin like an image");
    } else if (check(0, head, 16) != micai_get_little(head + 16, 8)) {
        fail(b, "the checksum is wrong");
    } else if (version > MICA_IMAGE_VERSION) {
        micai_archive_fail(&b->base, MICA_ERROR_VERSION,
                           "the image is of version %" PRIu64 "; up to %u can be read", version,
                           MICA_IMAGE_VERSION);
    } else if (version == 0 || micai_get_little(head + 12, 4) != 0) {
        fail(b, "there is no such version");
    }
    b->base.version = (uint32_t)version;
}

static void free_binary(binary *b)
{
    micai_host *host = b->base.host;
    micai_release(host, b->bytes, b->byte_capacity, 1);
    micai_release(host, b, sizeof *b + (b->input ? FRAME_MAX : 0), _Alignof(binary));
}

static micai_archive *open_binary(micai_host *host, const char *call, micai_output *output,
                                  micai_input *input)
{
    binary *b = micai_alloc(host, sizeof *b + (input ? FRAME_MAX : 0), _Alignof(binary));
    if (!b) {
        return NULL;
    }
    *b = (binary){
        .base = {.calls = &calls, .reading = input != NULL, .host = host, .call = call},
        .output = output,
        .input = input,
        .section = "head",
    };
    if (input) {
        read_head(b);
    } else {
        write_head(b);
    }
    if (input && b->base.failed) {
        host->failed = b->base.failed;
        free_binary(b);
        return NULL;
    }
    return &b->base;
}

static mica_result close_binary(micai_archive *a, mica_result result)
{
    if (!result) {
        begin_section(a, "end");
        end_section(a, "end");
        result = a->failed;
    }
    free_binary((binary *)a);
    return result;
}

const micai_codec micai_codec_binary = {open_binary, close_binary};
