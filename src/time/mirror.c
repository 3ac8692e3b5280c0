// Blocks and logs. mirror_internal.h has the contract.
#include "time/mirror_internal.h"

#include <string.h>

#define ALIGN 64

// Smaller blocks are copied rather than swapped.
#define SWAP_SIZE 1024u

bool micai_block_grow(micai_host *host, micai_block *block, size_t size)
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

void micai_block_free(micai_host *host, micai_block *block)
{
    micai_release(host, block->bytes, block->size, ALIGN);
    block->bytes = NULL;
    block->size = 0;
}

static bool write_whole(micai_host *host, micai_time_log *log, micai_range range, const void *bytes)
{
    unsigned char *fresh = micai_alloc(host, range.size, ALIGN);
    if (!fresh) {
        return false;
    }
    memcpy(fresh, bytes, range.size);
    log->changes.items[log->changes.count++] =
        (micai_change){.range = range, .whole = range.block->bytes};
    log->whole_size += range.size;
    range.block->bytes = fresh;
    return true;
}

bool micai_time_log_write(micai_host *host, micai_time_log *log, micai_range range,
                          const void *bytes)
{
    unsigned char *target = range.block->bytes + range.offset;
    if (log) {
        if (!micai_array_reserve(host, &log->changes, 1)) {
            return false;
        }
        if (range.size == range.block->size && range.size >= SWAP_SIZE) {
            return write_whole(host, log, range, bytes);
        }
        if (range.size > UINT32_MAX ||
            !micai_array_reserve(host, &log->bytes, (uint32_t)range.size)) {
            return false;
        }
        memcpy(log->bytes.items + log->bytes.count, target, range.size);
        log->changes.items[log->changes.count++] =
            (micai_change){.range = range, .place = log->bytes.count};
        log->bytes.count += (uint32_t)range.size;
    }
    memcpy(target, bytes, range.size);
    return true;
}

static void swap_bytes(unsigned char *a, unsigned char *b, size_t size)
{
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
static void swap(micai_time_log *log, micai_change *change)
{
    micai_block *block = change->range.block;
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

void micai_log_swap_backward(micai_time_log *log, micai_time_log_mark mark)
{
    for (uint32_t i = log->changes.count; i > mark.changes; i--) {
        swap(log, &log->changes.items[i - 1]);
    }
}

void micai_log_swap_forward(micai_time_log *log)
{
    for (uint32_t i = 0; i < log->changes.count; i++) {
        swap(log, &log->changes.items[i]);
    }
}

void micai_time_log_truncate(micai_host *host, micai_time_log *log, micai_time_log_mark mark)
{
    while (log->changes.count > mark.changes) {
        micai_change *change = &log->changes.items[--log->changes.count];
        if (change->whole) {
            micai_release(host, change->whole, change->range.size, ALIGN);
            log->whole_size -= change->range.size;
        }
    }
    log->bytes.count = mark.bytes;
}

bool micai_time_log_append(micai_host *host, micai_time_log *log, micai_time_log *later,
                           bool undoes)
{
    if (!micai_array_reserve(host, &log->changes, later->changes.count) ||
        later->bytes.count > UINT32_MAX - log->bytes.count ||
        !micai_array_reserve(host, &log->bytes, later->bytes.count)) {
        return false;
    }
    for (uint32_t i = 0; undoes && i < log->changes.count; i++) {
        micai_block *block = log->changes.items[i].range.block;
        block->covered = log->changes.items[i].whole != NULL || block->covered;
    }
    for (uint32_t i = 0; i < later->changes.count; i++) {
        micai_change change = later->changes.items[i];
        if (change.whole && change.range.block->covered) {
            micai_release(host, change.whole, change.range.size, ALIGN);
            continue;
        }
        if (!change.whole) {
            memcpy(log->bytes.items + log->bytes.count, later->bytes.items + change.place,
                   change.range.size);
            change.place = log->bytes.count;
            log->bytes.count += (uint32_t)change.range.size;
        }
        log->whole_size += change.whole ? change.range.size : 0;
        log->changes.items[log->changes.count++] = change;
    }
    for (uint32_t i = 0; i < log->changes.count; i++) {
        log->changes.items[i].range.block->covered = false;
    }
    later->changes.count = 0;
    later->bytes.count = 0;
    later->whole_size = 0;
    micai_time_log_free(host, later);
    return true;
}

void micai_time_log_free(micai_host *host, micai_time_log *log)
{
    micai_time_log_truncate(host, log, (micai_time_log_mark){0});
    micai_array_free(host, &log->changes);
    micai_array_free(host, &log->bytes);
}

size_t micai_time_log_size(const micai_time_log *log)
{
    return log->changes.capacity * sizeof *log->changes.items + log->bytes.capacity +
           log->whole_size;
}
