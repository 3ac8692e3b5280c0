// The binary codec.
//
//   image     | magic, 8 | version, 4 | 0, 4 | checksum, 8 | section ... | section "end" |
//   section   | name, 8 | frame ... | frame without payload |
//   frame     | size of the payload, 4 | payload | checksum, 8 |
//
// Numbers are little-endian. A section is cut into frames wherever one is full, so that neither side
// needs to know how much is still to come: what is read has been checked before anybody looks at it. The
// checksum of a frame goes on from that of the one before, and that of the first from the section's
// name, so that none can be left out, come twice or change places.
//
// In the payload everything stands behind what was before it, without names: numbers, reals and entities
// in 8 bytes, flags in one, counts of lists in 4; text and bytes behind their size, 4.
//
// Room:    image. Reached by micai_codec_binary.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "image/codec.h"

#include <mica/image.h>

#define FRAME_MAX (UINT32_C(1) << 16) // bytes of payload
#define NAME_SIZE 8u
#define SIZE_SIZE 4u // of what stands before a payload
#define SUM_SIZE 8u  // and behind it

static const unsigned char magic[8] = {0x8e, 'm', 'i', 'c', 'a', '\r', '\n', 0x1a};

static bool is_little(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static void put_number(unsigned char *bytes, uint64_t number, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(number >> (8 * i));
    }
}

static uint64_t get_number(const unsigned char *bytes, uint32_t size)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < size; i++) {
        number |= (uint64_t)bytes[i] << (8 * i);
    }
    return number;
}

// The next 8 bytes, written so that compilers see a single load.
static inline uint64_t get_word(const unsigned char *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
           (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

// The checksum. Four sums go side by side, each a bijection of what it was for every word that comes, so
// that no single word can change without being seen: sum = (sum ^ word) * FACTOR, then sum ^ sum >> 29. Sums
// are kept before the last half of that, which is then done while the next word is mixed in: a step less for
// each to wait for. `fold` does it, and `unfold` undoes it.
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t fold(uint64_t sum)
{
    return sum ^ sum >> 29;
}

static inline uint64_t unfold(uint64_t sum)
{
    return sum ^ sum >> 29 ^ sum >> 58;
}

static inline uint64_t step(uint64_t sum, uint64_t word)
{
    return (sum ^ word ^ sum >> 29) * FACTOR;
}

// A checksum that is being worked out, block by block.
#define CHECK_BLOCK 32u

typedef struct checking {
    uint64_t sums[4];
} checking;

static void check_begin(checking *c, uint64_t before)
{
    for (uint32_t i = 0; i < 4; i++) {
        c->sums[i] = unfold(before + i);
    }
}

// Whole blocks; and what remains, of `size` bytes in all. Blocks are copied on the way, unless the copy is NULL: while
// one waits for memory, the other goes on.
static inline void check_blocks(checking *c, const unsigned char *bytes, size_t size,
                                unsigned char *copy)
{
    uint64_t sums[4] = {c->sums[0], c->sums[1], c->sums[2], c->sums[3]};
    for (size_t at = 0; at < size; at += CHECK_BLOCK) {
        const unsigned char *block = bytes + at;
        if (copy) {
            memcpy(copy + at, block, CHECK_BLOCK);
        }
        sums[0] = step(sums[0], get_word(block));
        sums[1] = step(sums[1], get_word(block + 8));
        sums[2] = step(sums[2], get_word(block + 16));
        sums[3] = step(sums[3], get_word(block + 24));
    }
    memcpy(c->sums, sums, sizeof sums);
}

static uint64_t check_end(const checking *c, const unsigned char *bytes, size_t rest, size_t size)
{
    uint64_t first = c->sums[0];
    for (; rest > 0; rest -= rest < 8 ? rest : 8, bytes += 8) {
        first = step(first, get_number(bytes, rest < 8 ? (uint32_t)rest : 8));
    }
    uint64_t sum = micai_hash_add(micai_hash_mix(size), fold(first));
    for (uint32_t i = 1; i < 4; i++) {
        sum = micai_hash_add(sum, fold(c->sums[i]));
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

// Writing

// A frame is put together in the block of the output.
typedef struct binary_writer {
    micai_writer base;
    micai_output *output;
    uint64_t sum;     // of the last frame
    uint32_t used;    // of the payload that is being put together
    uint32_t checked; // of that, whole blocks
    checking checking;
} binary_writer;

_Static_assert(SIZE_SIZE + FRAME_MAX + SUM_SIZE <= MICAI_OUTPUT_ROOM, "a frame has room");

static void write_bytes(binary_writer *b, const void *data, size_t size)
{
    if (!b->base.failed) {
        micai_output_write(b->output, data, size);
        b->base.failed = b->output->failed;
    }
}

// Up to the last whole block.
static void catch_up(binary_writer *b, const unsigned char *payload)
{
    if (b->checked == 0) {
        check_begin(&b->checking, b->sum);
    }
    size_t size = (b->used - b->checked) / CHECK_BLOCK * (size_t)CHECK_BLOCK;
    check_blocks(&b->checking, payload + b->checked, size, NULL);
    b->checked += (uint32_t)size;
}

static void write_frame(binary_writer *b)
{
    unsigned char *frame = micai_output_reserve(b->output);
    unsigned char *payload = frame + SIZE_SIZE;
    put_number(frame, b->used, SIZE_SIZE);
    catch_up(b, payload);
    b->sum = check_end(&b->checking, payload + b->checked, b->used - b->checked, b->used);
    put_number(payload + b->used, b->sum, SUM_SIZE);
    micai_output_advance(b->output, SIZE_SIZE + b->used + SUM_SIZE);
    b->base.failed = b->base.failed ? b->base.failed : b->output->failed;
    b->used = b->checked = 0;
}

// A piece of a payload that is large enough to be checked while it is copied, from a whole block on.
static void put_blocks(binary_writer *b, unsigned char *payload, const unsigned char *bytes,
                       size_t size)
{
    size_t head = (CHECK_BLOCK - b->used % CHECK_BLOCK) % CHECK_BLOCK;
    memcpy(payload + b->used, bytes, head);
    b->used += (uint32_t)head;
    catch_up(b, payload);
    size_t whole = (size - head) / CHECK_BLOCK * CHECK_BLOCK;
    check_blocks(&b->checking, bytes + head, whole, payload + b->used);
    b->used += (uint32_t)whole;
    b->checked = b->used;
    memcpy(payload + b->used, bytes + head + whole, size - head - whole);
    b->used += (uint32_t)(size - head - whole);
}

static void flush(binary_writer *b)
{
    if (b->used > 0) {
        write_frame(b);
    }
}

static void put(micai_writer *w, const void *data, size_t size)
{
    binary_writer *b = (binary_writer *)w;
    const unsigned char *bytes = data;
    while (size > 0 && !w->failed) {
        size_t some = size < FRAME_MAX - b->used ? size : FRAME_MAX - b->used;
        unsigned char *payload = micai_output_reserve(b->output) + SIZE_SIZE;
        if (some > (size_t)8 * CHECK_BLOCK) {
            put_blocks(b, payload, bytes, some);
        } else {
            memcpy(payload + b->used, bytes, some);
            b->used += (uint32_t)some;
        }
        bytes += some;
        size -= some;
        if (b->used == FRAME_MAX) {
            flush(b);
        }
    }
}

static void put_fixed(micai_writer *w, uint64_t number, uint32_t size)
{
    unsigned char bytes[8];
    put_number(bytes, number, size);
    put(w, bytes, size);
}

static void write_section(micai_writer *w, const char *name)
{
    binary_writer *b = (binary_writer *)w;
    unsigned char bytes[NAME_SIZE];
    name_section(bytes, name);
    write_bytes(b, bytes, NAME_SIZE);
    b->sum = check(0, bytes, NAME_SIZE);
}

static void write_object(micai_writer *w, const char *name)
{
    (void)w, (void)name;
}

static void write_list(micai_writer *w, const char *name, uint32_t count)
{
    (void)name;
    put_fixed(w, count, 4);
}

static void end_written(micai_writer *w, const char *name)
{
    (void)w, (void)name;
}

static void end_written_section(micai_writer *w)
{
    binary_writer *b = (binary_writer *)w;
    flush(b);
    write_frame(b);
}

static void write_number(micai_writer *w, const char *name, uint64_t number)
{
    (void)name;
    put_fixed(w, number, 8);
}

static void write_integer(micai_writer *w, const char *name, int64_t number)
{
    (void)name;
    put_fixed(w, (uint64_t)number, 8);
}

static void write_real(micai_writer *w, const char *name, double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    write_number(w, name, bits);
}

static void write_flag(micai_writer *w, const char *name, bool flag)
{
    (void)name;
    put_fixed(w, flag, 1);
}

static void write_blob(micai_writer *w, const char *name, const void *data, uint32_t size)
{
    (void)name;
    put_fixed(w, size, 4);
    put(w, data, size);
}

static void write_text(micai_writer *w, const char *name, const char *text)
{
    write_blob(w, name, text, (uint32_t)strlen(text));
}

static void write_entity(micai_writer *w, const char *name, mica_entity entity)
{
    write_number(w, name, entity.bits);
}

static void write_type(micai_writer *w, const char *name, uint32_t number)
{
    (void)name;
    put_fixed(w, number, 4);
}

static void write_numbers(micai_writer *w, const char *name, const uint64_t *list, uint32_t count)
{
    (void)name;
    if (is_little()) {
        put(w, list, (size_t)count * sizeof *list);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        put_fixed(w, list[i], 8);
    }
}

static void write_entities(micai_writer *w, const char *name, const mica_entity *list,
                           uint32_t count)
{
    (void)name;
    if (is_little()) {
        put(w, list, (size_t)count * sizeof *list);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        put_fixed(w, list[i].bits, 8);
    }
}

static void write_flags(micai_writer *w, const char *name, const unsigned char *list,
                        uint32_t count)
{
    (void)name;
    put(w, list, count);
}

static void write_values(micai_writer *w, const char *name, const micai_schema_type *type,
                         const unsigned char *values, uint32_t count)
{
    (void)name;
    put(w, values, (size_t)type->size * count);
}

static const micai_encoder encoder = {
    .begin_section = write_section,
    .begin_object = write_object,
    .begin_list = write_list,
    .end = end_written,
    .end_section = end_written_section,
    .number = write_number,
    .integer = write_integer,
    .real = write_real,
    .flag = write_flag,
    .text = write_text,
    .bytes = write_blob,
    .entity = write_entity,
    .type = write_type,
    .numbers = write_numbers,
    .entities = write_entities,
    .flags = write_flags,
    .values = write_values,
};

static micai_writer *open_writer(micai_host *host, const char *call, micai_output *output)
{
    binary_writer *b = micai_alloc(host, sizeof *b, _Alignof(binary_writer));
    if (!b) {
        return NULL;
    }
    b->base = (micai_writer){.encoder = &encoder, .host = host, .call = call};
    b->output = output;
    b->sum = 0;
    b->used = b->checked = 0;
    unsigned char head[24] = {0};
    memcpy(head, magic, sizeof magic);
    put_number(head + 8, MICA_IMAGE_VERSION, 4);
    put_number(head + 16, check(0, head, 16), 8);
    write_bytes(b, head, sizeof head);
    return &b->base;
}

static mica_result close_writer(micai_writer *w, mica_result result)
{
    binary_writer *b = (binary_writer *)w;
    if (!result) {
        write_section(w, "end");
        end_written_section(w);
    }
    mica_result failed = w->failed;
    micai_release(w->host, b, sizeof *b, _Alignof(binary_writer));
    return result ? result : failed;
}

// Reading

typedef struct binary_reader {
    micai_reader base;
    micai_input *input;
    const char *section;
    uint64_t sum;
    uint32_t at;
    uint32_t size; // of the frame
    bool ended;    // the section has
    unsigned char *blob;
    size_t blob_capacity;
    unsigned char payload[FRAME_MAX];
} binary_reader;

static void fail(binary_reader *b, const char *what)
{
    micai_reader_fail(&b->base, MICA_ERROR_IMAGE, "byte %" PRIu64 ", in '%s': %s",
                      micai_input_place(b->input), b->section, what);
}

// False, reported, at the end or after a failure.
static bool read_bytes(binary_reader *b, void *data, size_t size)
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

static bool next_frame(binary_reader *b)
{
    unsigned char bytes[8];
    b->at = b->size = 0;
    if (!read_bytes(b, bytes, 4)) {
        return false;
    }
    uint64_t size = get_number(bytes, 4);
    if (size > FRAME_MAX) {
        fail(b, "a frame is larger than frames are");
        return false;
    }
    if (!read_bytes(b, b->payload, (size_t)size) || !read_bytes(b, bytes, 8)) {
        return false;
    }
    b->sum = check(b->sum, b->payload, (size_t)size);
    if (b->sum != get_number(bytes, 8)) {
        fail(b, "the checksum is wrong");
        return false;
    }
    b->size = (uint32_t)size;
    b->ended = size == 0;
    return true;
}

// Zeroes after a failure.
static bool get(micai_reader *r, void *data, size_t size)
{
    binary_reader *b = (binary_reader *)r;
    unsigned char *bytes = data;
    for (size_t done = 0; done < size;) {
        if (b->at == b->size && (b->ended || !next_frame(b) || b->ended)) {
            fail(b, "the section is too short");
            memset(bytes, 0, size);
            return false;
        }
        size_t some = b->size - b->at < size - done ? b->size - b->at : size - done;
        memcpy(bytes + done, b->payload + b->at, some);
        b->at += (uint32_t)some;
        done += some;
    }
    return true;
}

static uint64_t get_fixed(micai_reader *r, uint32_t size)
{
    unsigned char bytes[8];
    return get(r, bytes, size) ? get_number(bytes, size) : 0;
}

static void read_section(micai_reader *r, const char *name)
{
    binary_reader *b = (binary_reader *)r;
    unsigned char bytes[NAME_SIZE];
    unsigned char wanted[NAME_SIZE];
    name_section(wanted, name);
    b->section = name;
    if (read_bytes(b, bytes, NAME_SIZE) && memcmp(bytes, wanted, NAME_SIZE) != 0) {
        fail(b, "another section stands in its place");
    }
    b->sum = check(0, wanted, NAME_SIZE);
    b->at = b->size = 0;
    b->ended = false;
}

static void read_object(micai_reader *r, const char *name)
{
    (void)r, (void)name;
}

// Each item has a byte at least.
static uint32_t read_list(micai_reader *r, const char *name, uint32_t max)
{
    binary_reader *b = (binary_reader *)r;
    uint64_t count = get_fixed(r, 4);
    uint64_t left = micai_input_left(b->input);
    uint64_t most = left > UINT64_MAX - FRAME_MAX ? UINT64_MAX : left + (b->size - b->at);
    if (count > max || count > most) {
        micai_reader_fail(r, MICA_ERROR_IMAGE,
                          "byte %" PRIu64 ", in '%s': %" PRIu64 " items of '%s' cannot be",
                          micai_input_place(b->input), b->section, count, name ? name : "a list");
        return 0;
    }
    return (uint32_t)count;
}

static void end_read(micai_reader *r, const char *name)
{
    (void)r, (void)name;
}

static void end_read_section(micai_reader *r)
{
    binary_reader *b = (binary_reader *)r;
    if (!r->failed && (b->at < b->size || (!b->ended && next_frame(b) && !b->ended))) {
        fail(b, "the section is too long");
    }
}

static uint64_t read_number(micai_reader *r, const char *name, uint64_t max)
{
    const binary_reader *b = (const binary_reader *)r;
    uint64_t number = get_fixed(r, 8);
    if (number > max) {
        micai_reader_fail(r, MICA_ERROR_IMAGE, "byte %" PRIu64 ", in '%s': '%s' cannot be %" PRIu64,
                          micai_input_place(b->input), b->section, name ? name : "it", number);
        return 0;
    }
    return number;
}

static int64_t read_integer(micai_reader *r, const char *name)
{
    (void)name;
    uint64_t bits = get_fixed(r, 8);
    int64_t number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double read_real(micai_reader *r, const char *name)
{
    (void)name;
    uint64_t bits = get_fixed(r, 8);
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static bool read_flag(micai_reader *r, const char *name)
{
    (void)name;
    uint64_t flag = get_fixed(r, 1);
    if (flag > 1) {
        fail((binary_reader *)r, "a flag is neither 0 nor 1");
    }
    return flag == 1;
}

static void read_text(micai_reader *r, const char *name, char text_out[MICA_NAME_SIZE_MAX + 1])
{
    (void)name;
    uint64_t size = get_fixed(r, 4);
    if (size > MICA_NAME_SIZE_MAX) {
        fail((binary_reader *)r, "a text is too long");
        size = 0;
    }
    get(r, text_out, (size_t)size);
    text_out[size] = '\0';
    if (strlen(text_out) != size) {
        fail((binary_reader *)r, "a text has a zero in it");
    }
}

// Room is made as bytes come: a size alone is not believed.
static const unsigned char *read_blob(micai_reader *r, const char *name, uint32_t *size_out)
{
    (void)name;
    binary_reader *b = (binary_reader *)r;
    uint64_t size = get_fixed(r, 4);
    *size_out = 0;
    for (uint64_t done = 0; done < size && !r->failed;) {
        size_t some = size - done < FRAME_MAX ? (size_t)(size - done) : FRAME_MAX;
        if (done + some > b->blob_capacity) {
            size_t wider = 2 * b->blob_capacity + FRAME_MAX;
            unsigned char *blob = micai_resize(r->host, b->blob, b->blob_capacity, wider, 1);
            if (!blob) {
                r->failed = MICA_ERROR_MEMORY;
                return NULL;
            }
            b->blob = blob;
            b->blob_capacity = wider;
        }
        get(r, b->blob + done, some);
        done += some;
    }
    *size_out = r->failed ? 0 : (uint32_t)size;
    return r->failed ? NULL : size > 0 ? b->blob : b->payload;
}

static mica_entity read_entity(micai_reader *r, const char *name)
{
    (void)name;
    return (mica_entity){get_fixed(r, 8)};
}

static uint32_t read_type(micai_reader *r, const char *name)
{
    (void)name;
    uint64_t number = get_fixed(r, 4);
    if (number >= r->schema->count) {
        fail((binary_reader *)r, "there is no such type");
        return 0;
    }
    return (uint32_t)number;
}

static void read_numbers(micai_reader *r, const char *name, uint64_t *list_out, uint32_t count)
{
    (void)name;
    get(r, list_out, (size_t)count * sizeof *list_out);
    for (uint32_t i = 0; !is_little() && i < count; i++) {
        unsigned char bytes[8];
        memcpy(bytes, &list_out[i], 8);
        list_out[i] = get_number(bytes, 8);
    }
}

static void read_entities(micai_reader *r, const char *name, mica_entity *list_out, uint32_t count)
{
    (void)name;
    get(r, list_out, (size_t)count * sizeof *list_out);
    for (uint32_t i = 0; !is_little() && i < count; i++) {
        unsigned char bytes[8];
        memcpy(bytes, &list_out[i], 8);
        list_out[i].bits = get_number(bytes, 8);
    }
}

static void read_flags(micai_reader *r, const char *name, unsigned char *list_out, uint32_t count)
{
    (void)name;
    unsigned char all = 0;
    get(r, list_out, count);
    for (uint32_t i = 0; i < count; i++) {
        all |= list_out[i];
    }
    if (all > 1) {
        memset(list_out, 0, count);
        fail((binary_reader *)r, "a flag is neither 0 nor 1");
    }
}

static void read_values(micai_reader *r, const char *name, const micai_schema_type *type,
                        unsigned char *values_out, uint32_t count)
{
    (void)name;
    get(r, values_out, (size_t)type->size * count);
}

static const micai_decoder decoder = {
    .begin_section = read_section,
    .begin_object = read_object,
    .begin_list = read_list,
    .end = end_read,
    .end_section = end_read_section,
    .number = read_number,
    .integer = read_integer,
    .real = read_real,
    .flag = read_flag,
    .text = read_text,
    .bytes = read_blob,
    .entity = read_entity,
    .type = read_type,
    .numbers = read_numbers,
    .entities = read_entities,
    .flags = read_flags,
    .values = read_values,
};

static void free_reader(binary_reader *b)
{
    micai_host *host = b->base.host;
    micai_release(host, b->blob, b->blob_capacity, 1);
    micai_release(host, b, sizeof *b, _Alignof(binary_reader));
}

static void read_head(binary_reader *b)
{
    unsigned char head[24] = {0};
    if (!read_bytes(b, head, sizeof head)) {
        return;
    }
    uint64_t version = get_number(head + 8, 4);
    if (memcmp(head, magic, sizeof magic) != 0) {
        fail(b, "it does not begin as an image does");
    } else if (check(0, head, 16) != get_number(head + 16, 8)) {
        fail(b, "the checksum is wrong");
    } else if (version > MICA_IMAGE_VERSION) {
        micai_reader_fail(&b->base, MICA_ERROR_VERSION,
                          "the image is of version %" PRIu64 "; up to %u can be read", version,
                          MICA_IMAGE_VERSION);
    } else if (version == 0 || get_number(head + 12, 4) != 0) {
        fail(b, "there is no such version");
    }
    b->base.version = (uint32_t)version;
}

static micai_reader *open_reader(micai_host *host, const char *call, micai_input *input)
{
    binary_reader *b = micai_alloc(host, sizeof *b, _Alignof(binary_reader));
    if (!b) {
        return NULL;
    }
    b->base = (micai_reader){.decoder = &decoder, .host = host, .call = call};
    b->input = input;
    b->section = "head";
    b->sum = 0;
    b->at = b->size = 0;
    b->ended = false;
    b->blob = NULL;
    b->blob_capacity = 0;
    read_head(b);
    if (b->base.failed) {
        host->failed = b->base.failed;
        free_reader(b);
        return NULL;
    }
    return &b->base;
}

static mica_result close_reader(micai_reader *r, mica_result result)
{
    if (!result) {
        read_section(r, "end");
        end_read_section(r);
    }
    mica_result failed = r->failed;
    free_reader((binary_reader *)r);
    return result ? result : failed;
}

const micai_codec micai_codec_binary = {open_writer, close_writer, open_reader, close_reader};
