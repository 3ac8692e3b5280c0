// Blocks and logs. mirror_internal.h has the contract.
#include "time/mirror_internal.h"

#include <string.h>

#include "base/number.h"

#define ALIGN 64

// Smaller blocks are copied rather than swapped.
#define SWAP_SIZE 1024u

// A new log gets as much capacity as the last one needed, up to so many items.
#define LIKE_LAST 16384u

bool micai_time_block_grow(micai_host *host, micai_time_block *block, size_t size)
{
    if (size <= block->size) {
        return true;
    }
    unsigned char *bytes = micai_alloc(host, size, ALIGN);
    if (!bytes) {
        return false;
    }
    if (block->size > 0) {
        memcpy(bytes, block->bytes, block->size);
    }
    memset(bytes + block->size, 0, size - block->size);
    micai_release(host, block->bytes, block->size, ALIGN);
    block->bytes = bytes;
    block->size = size;
    return true;
}

void micai_time_block_free(micai_host *host, micai_time_block *block)
{
    micai_release(host, block->bytes, block->size, ALIGN);
    block->bytes = NULL;
    block->size = 0;
}

// Spare blocks

static void *take_block(micai_time_heap *heap, size_t size)
{
    for (uint32_t i = 0; i < MICAI_SPARE_SIZES; i++) {
        void *first = heap->spares[i].first;
        if (first && heap->spares[i].size == size) {
            memcpy(&heap->spares[i].first, first, sizeof first);
            heap->spare_bytes -= size;
            return first;
        }
    }
    return micai_alloc(heap->host, size, ALIGN);
}

static void give_block(micai_time_heap *heap, void *block, size_t size)
{
    uint32_t i = 0;
    while (i < MICAI_SPARE_SIZES && heap->spares[i].first && heap->spares[i].size != size) {
        i++;
    }
    if (i == MICAI_SPARE_SIZES || heap->spare_bytes + size > MICAI_SPARE_BYTES) {
        micai_release(heap->host, block, size, ALIGN);
        return;
    }
    memcpy(block, &heap->spares[i].first, sizeof(void *));
    heap->spares[i].first = block;
    heap->spares[i].size = size;
    heap->spare_bytes += size;
}

void micai_time_heap_free(micai_time_heap *heap)
{
    for (uint32_t i = 0; i < MICAI_SPARE_SIZES; i++) {
        while (heap->spares[i].first) {
            void *block = heap->spares[i].first;
            memcpy(&heap->spares[i].first, block, sizeof block);
            micai_release(heap->host, block, heap->spares[i].size, ALIGN);
        }
    }
    heap->spare_bytes = 0;
}

// Logs

static bool reserve_bytes(micai_time_heap *heap, micai_time_log *log, size_t size)
{
    if (size > UINT32_MAX - log->bytes.count) {
        micai_fail_within(heap->host, MICA_ERROR_MEMORY,
                          "the changes between two snapshots would take 4 GiB or more");
        return false;
    }
    return micai_array_reserve(heap->host, &log->bytes, (uint32_t)size);
}

// Ensures capacity for a change with so many bytes.
static bool reserve(micai_time_heap *heap, micai_time_log *log, size_t size)
{
    if (log->changes.capacity == 0 && heap->changes > 0 &&
        (!micai_array_reserve(heap->host, &log->changes, micai_smaller(heap->changes, LIKE_LAST)) ||
         !micai_array_reserve(heap->host, &log->bytes, micai_smaller(heap->bytes, LIKE_LAST)))) {
        return false;
    }
    return (log->changes.count < log->changes.capacity ||
            micai_array_reserve(heap->host, &log->changes, 1)) &&
           (size <= log->bytes.capacity - log->bytes.count || reserve_bytes(heap, log, size));
}

static bool write_whole(micai_time_heap *heap, micai_time_log *log, micai_range range,
                        const void *bytes)
{
    unsigned char *fresh = take_block(heap, range.size);
    if (!fresh) {
        return false;
    }
    memcpy(fresh, bytes, range.size);
    log->changes.items[log->changes.count++] =
        (micai_time_change){.range = range, .whole = range.block->bytes};
    log->whole_size += range.size;
    range.block->bytes = fresh;
    return true;
}

bool micai_time_log_write(micai_time_heap *heap, micai_time_log *log, micai_range range,
                          const void *bytes)
{
    unsigned char *target = range.block->bytes + range.offset;
    if (log) {
        bool whole = range.size == range.block->size && range.size >= SWAP_SIZE;
        if (!reserve(heap, log, whole ? 0 : range.size)) {
            return false;
        }
        if (whole) {
            return write_whole(heap, log, range, bytes);
        }
        memcpy(log->bytes.items + log->bytes.count, target, range.size);
        log->changes.items[log->changes.count++] =
            (micai_time_change){.range = range, .place = log->bytes.count};
        log->bytes.count += (uint32_t)range.size;
    }
    memcpy(target, bytes, range.size);
    return true;
}

static void swap_bytes(unsigned char *a, unsigned char *b, size_t size)
{
    if (size == sizeof(uint64_t)) { // a tick, as most are
        uint64_t tick, other;
        memcpy(&tick, a, sizeof tick);
        memcpy(&other, b, sizeof other);
        memcpy(a, &other, sizeof other);
        memcpy(b, &tick, sizeof tick);
        return;
    }
    unsigned char some[256];
    for (size_t done = 0; done < size;) {
        size_t count = size - done < sizeof some ? size - done : sizeof some;
        memcpy(some, a + done, count);
        memcpy(a + done, b + done, count);
        memcpy(b + done, some, count);
        done += count;
    }
}

// A block that grew since keeps its size: the bytes behind those of the change stay.
static void swap(micai_time_log *log, micai_time_change *change)
{
    micai_time_block *block = change->range.block;
    if (change->whole && block->size == change->range.size) {
        unsigned char *bytes = block->bytes;
        block->bytes = change->whole;
        change->whole = bytes;
    } else {
        swap_bytes(block->bytes + change->range.offset,
                   change->whole ? change->whole : log->bytes.items + change->place,
                   change->range.size);
    }
}

void micai_time_log_swap_backward(micai_time_log *log)
{
    for (uint32_t i = log->changes.count; i > 0; i--) {
        swap(log, &log->changes.items[i - 1]);
    }
}

void micai_time_log_swap_forward(micai_time_log *log)
{
    for (uint32_t i = 0; i < log->changes.count; i++) {
        swap(log, &log->changes.items[i]);
    }
}

// Merging

static void unmask(micai_host *host, micai_time_log *log)
{
    for (uint32_t i = 0; i < log->changes.count; i++) {
        micai_time_block *block = log->changes.items[i].range.block;
        micai_release(host, block->mask, block->size, 1);
        block->mask = NULL;
        block->covered = false;
    }
}

// Notes in blocks which bytes a log has. Returns false on MICA_ERROR_MEMORY.
static bool mask(micai_host *host, micai_time_log *log)
{
    for (uint32_t i = 0; i < log->changes.count; i++) {
        micai_range range = log->changes.items[i].range;
        micai_time_block *block = range.block;
        if (range.size == block->size) {
            block->covered = true;
            continue;
        }
        block->mask = block->mask ? block->mask : micai_alloc_zeroed(host, block->size, 1);
        if (!block->mask) {
            unmask(host, log);
            return false;
        }
        memset(block->mask + range.offset, 1, range.size);
    }
    return true;
}

// Returns the next bytes of a range that are not masked, from an offset on. The size is 0 at the end.
static micai_range next_piece(micai_range range, size_t from)
{
    const micai_time_block *block = range.block;
    size_t end = range.offset + range.size;
    if (block->covered) {
        return (micai_range){range.block, end, 0};
    }
    if (!block->mask || from == end) {
        return (micai_range){range.block, from, end - from};
    }
    const unsigned char *first = memchr(block->mask + from, 0, end - from);
    if (!first) {
        return (micai_range){range.block, end, 0};
    }
    size_t start = (size_t)(first - block->mask);
    const unsigned char *behind = memchr(first, 1, end - start);
    return (micai_range){range.block, start, behind ? (size_t)(behind - first) : end - start};
}

// A whole block is appended or left out as one.
static bool is_whole(const micai_time_change *change)
{
    return change->whole != NULL;
}

static uint32_t count_pieces(const micai_time_log *log)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->changes.count; i++) {
        micai_range range = log->changes.items[i].range;
        micai_range piece = next_piece(range, range.offset);
        while (piece.size > 0) {
            count++;
            piece = is_whole(&log->changes.items[i]) ? (micai_range){0}
                                                     : next_piece(range, piece.offset + piece.size);
        }
    }
    return count;
}

static void append_whole(micai_time_heap *heap, micai_time_log *log,
                         const micai_time_change *change)
{
    if (next_piece(change->range, change->range.offset).size == 0) {
        give_block(heap, change->whole, change->range.size);
        return;
    }
    log->whole_size += change->range.size;
    log->changes.items[log->changes.count++] = *change;
}

static void append_pieces(micai_time_log *log, const micai_time_change *change,
                          const unsigned char *bytes)
{
    micai_range range = change->range;
    micai_range piece = next_piece(range, range.offset);
    while (piece.size > 0) {
        memcpy(log->bytes.items + log->bytes.count,
               bytes + change->place + (piece.offset - range.offset), piece.size);
        log->changes.items[log->changes.count++] =
            (micai_time_change){.range = piece, .place = log->bytes.count};
        log->bytes.count += (uint32_t)piece.size;
        piece = next_piece(range, piece.offset + piece.size);
    }
}

bool micai_time_log_append(micai_time_heap *heap, micai_time_log *log, micai_time_log *later,
                           bool undoes)
{
    micai_host *host = heap->host;
    if (undoes && !mask(host, log)) {
        return false;
    }
    bool reserved = micai_array_reserve(host, &log->changes, count_pieces(later)) &&
                    reserve_bytes(heap, log, later->bytes.count);
    for (uint32_t i = 0; reserved && i < later->changes.count; i++) {
        const micai_time_change *change = &later->changes.items[i];
        if (is_whole(change)) {
            append_whole(heap, log, change);
        } else {
            append_pieces(log, change, later->bytes.items);
        }
    }
    unmask(host, log);
    if (!reserved) {
        return false;
    }
    later->changes.count = 0;
    later->bytes.count = 0;
    later->whole_size = 0;
    micai_time_log_free(heap, later);
    return true;
}

void micai_time_log_free(micai_time_heap *heap, micai_time_log *log)
{
    for (uint32_t i = 0; i < log->changes.count; i++) {
        if (log->changes.items[i].whole) {
            give_block(heap, log->changes.items[i].whole, log->changes.items[i].range.size);
        }
    }
    log->whole_size = 0;
    micai_array_free(heap->host, &log->changes);
    micai_array_free(heap->host, &log->bytes);
}

size_t micai_time_log_size(const micai_time_log *log)
{
    return log->changes.capacity * sizeof *log->changes.items + log->bytes.capacity +
           log->whole_size;
}
