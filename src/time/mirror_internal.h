// The mirror: a copy of the world's bytes, and logs that take it back in time.
//
// Room:    time. Knows bytes only; scan.c and restore.c know what they mean.
//
//     block    bytes of one page of values, of one page of slots, of one part ...
//     change   what a block had in some of its bytes before they were overwritten
//     log      changes in order, from one snapshot to the next
//
// Undoing a log swaps the bytes of its changes with those of the blocks, the last change first. So
// the log then has the bytes that redo it, first to last. A change of a whole block swaps pointers.
//
// Blocks grow and never shrink. The bytes that growing adds are zero, and belong to every older
// state, too.
#ifndef MICAI_TIME_MIRROR_INTERNAL_H
#define MICAI_TIME_MIRROR_INTERNAL_H

#include "base/array.h"
#include "base/host.h"

typedef struct micai_entry micai_entry;

// What the bytes of a block are.
typedef enum micai_time_block_kind {
    MICAI_BLOCK_HEAD,  // micai_head of an entry
    MICAI_BLOCK_TICKS, // ticks of an entry's pages, sheet by sheet
    MICAI_BLOCK_CELLS, // cells of a strip, in one sheet
    MICAI_BLOCK_SLOTS, // a page of slots
    MICAI_BLOCK_PART   // a part: its size in 8 bytes, then its bytes
} micai_time_block_kind;

typedef struct micai_time_block {
    unsigned char *bytes;
    size_t size;
    micai_entry *entry; // NULL: it belongs to none
    uint32_t number;    // of the sheet, of the page of slots, or of the part
    uint16_t strip;
    uint8_t kind;
    bool covered;        // a restore copies all of it; while logs are merged: the older one has all
    unsigned char *mask; // while logs are merged: 1 for each byte that the older one has; or NULL
} micai_time_block;

// Some bytes of a block.
typedef struct micai_range {
    micai_time_block *block;
    size_t offset;
    size_t size;
} micai_range;

typedef struct micai_time_change {
    micai_range range;
    unsigned char *whole; // the bytes of a whole block; NULL: they are in the log
    size_t place;         // of the bytes in the log
} micai_time_change;

typedef struct micai_time_log {
    MICAI_ARRAY(micai_time_change) changes;
    MICAI_ARRAY(unsigned char) bytes;
    size_t whole_size; // of all whole blocks
} micai_time_log;

// Memory for logs. It keeps blocks of freed logs, because those of the next one have the same sizes.
#define MICAI_SPARE_SIZES 8
#define MICAI_SPARE_BYTES ((size_t)16 << 20) // at most

typedef struct micai_time_heap {
    micai_host *host;
    struct {
        size_t size;
        void *first; // each begins with the address of the next
    } spares[MICAI_SPARE_SIZES];
    size_t spare_bytes;
    uint32_t changes; // of the last log that was begun
    uint32_t bytes;
} micai_time_heap;

void micai_time_heap_free(micai_time_heap *heap);

// Ensures that a block has at least this size. Returns false on MICA_ERROR_MEMORY.
bool micai_time_block_grow(micai_host *host, micai_time_block *block, size_t size);
void micai_time_block_free(micai_host *host, micai_time_block *block);

// Overwrites bytes of a block and logs the old ones, unless `log` is NULL. The block is large enough.
// Returns false on MICA_ERROR_MEMORY; nothing is overwritten then.
bool micai_time_log_write(micai_time_heap *heap, micai_time_log *log, micai_range range,
                          const void *bytes);

// Swap the bytes of changes with those of their blocks: backward() the last one first.
void micai_time_log_swap_backward(micai_time_log *log);
void micai_time_log_swap_forward(micai_time_log *log);

// Appends the changes of a later log, which is then empty. If both undo (`undoes`), bytes that the older
// one has are left out: undoing needs only the older ones. Returns false on MICA_ERROR_MEMORY; both
// logs are as before.
bool micai_time_log_append(micai_time_heap *heap, micai_time_log *log, micai_time_log *later,
                           bool undoes);

void micai_time_log_free(micai_time_heap *heap, micai_time_log *log);

// Returns the memory that a log takes.
size_t micai_time_log_size(const micai_time_log *log);

#endif
