// Seats: the sources of each target, in their order.
//
//   list    target, first and last block, count
//   block   | s | 0 | s | s | . | . |     up to 64 words: a source in each seat, 0 where one has left
//   nodes   by slot of an entity: its seat as a source, its list as a target
//
// Room:    store/pool. Called by relation/.
//
// A source knows its seat, so it leaves in constant time, whatever the number of its siblings. A
// block begins with 2 words. When it is full, its sources move together, or to a block of 8, 32 and
// then 64 words with the same number, or a block is added behind it. A block that is almost empty
// joins the one before or behind it. So each link costs a constant number of moves on average.
//
// Invariants, swept by micai_seats_validate():
//   R11 A list has a living target, and as many sources as its blocks have, at least one.
//   R12 Blocks of a list are linked in both directions, know the list, and count their sources. None
//       is empty.
//   R13 The node of a source has its seat, that of a target its list. Other nodes are zero.
//   R14 Free lists, blocks and words are in the lists of free ones.
#ifndef MICAI_STORE_POOL_SEATS_H
#define MICAI_STORE_POOL_SEATS_H

#include <mica/entity.h>

#include "base/array.h"
#include "core/slot.h"

#define MICAI_SEAT_SHIFT 6 // a seat is the number of a block and a place in it
#define MICAI_SEAT_NONE UINT32_MAX
#define MICAI_SEAT_SIZES 4

typedef struct micai_seat_node {
    uint32_t seat; // 1 + the seat; 0: it is no source
    uint32_t list; // 1 + the number of its list; 0: it is no target
} micai_seat_node;

typedef struct micai_seat_list {
    mica_entity target; // null: the list is free
    uint32_t first;     // blocks; the first of a free list: the next free one
    uint32_t last;
    uint32_t count;
} micai_seat_list;

typedef struct micai_seat_block {
    uint32_t words; // place of the first word among those of its size
    uint32_t list;  // MICAI_SEAT_NONE: the block is free
    uint32_t next;  // of a free block: the next free one
    uint32_t previous;
    uint8_t size; // number in micai_seat_capacity
    uint8_t used; // words behind these are 0
    uint8_t count;
} micai_seat_block;

// Words of blocks of one size. The first word of free ones is the place of the next.
typedef struct micai_seat_words {
    MICAI_ARRAY(uint64_t) list;
    uint64_t free_first; // UINT64_MAX: none
    uint32_t free_count; // blocks
} micai_seat_words;

typedef struct micai_seats {
    MICAI_ARRAY(micai_seat_node *) pages; // by page of slots; NULL: all nodes are zero
    MICAI_ARRAY(micai_seat_list) lists;
    MICAI_ARRAY(micai_seat_block) blocks;
    micai_seat_words words[MICAI_SEAT_SIZES];
    uint32_t free_list;
    uint32_t free_list_count;
    uint32_t free_block;
    uint32_t free_block_count;
    uint32_t count;    // of all sources
    uint64_t revision; // raised by each change
    bool keep_empty;   // blocks and lists that get empty stay, as they are being iterated
} micai_seats;

void micai_seats_init(micai_seats *seats);
void micai_seats_free(micai_host *host, micai_seats *seats);

static inline micai_seat_node *micai_seats_node(const micai_seats *seats, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    return page < seats->pages.count && seats->pages.items[page]
               ? &seats->pages.items[page][slot & (MICAI_SLOT_PAGE_SIZE - 1)]
               : NULL;
}

// Returns the list of a target, or NULL.
static inline const micai_seat_list *micai_seats_list(const micai_seats *seats, mica_entity target)
{
    const micai_seat_node *node = micai_seats_node(seats, mica_entity_slot(target));
    const micai_seat_list *list = node && node->list ? &seats->lists.items[node->list - 1] : NULL;
    return list && MICA_EQUAL(list->target, target) ? list : NULL;
}

static inline bool micai_seats_is_seated(const micai_seats *seats, mica_entity source)
{
    const micai_seat_node *node = micai_seats_node(seats, mica_entity_slot(source));
    return node && node->seat;
}

// Returns the target of a source that is seated. Returns the null handle for other entities.
mica_entity micai_seats_target(const micai_seats *seats, mica_entity source);

// Return the first source of a list, and the next after a seated source; the null handle at the end.
mica_entity micai_seats_first(const micai_seats *seats, const micai_seat_list *list);
mica_entity micai_seats_next(const micai_seats *seats, mica_entity source);

// Copies sources of a list from number `first` on. Returns how many.
uint32_t micai_seats_copy(const micai_seats *seats, const micai_seat_list *list, uint32_t first,
                          mica_entity *out, uint32_t capacity);

// Reserve the node of a slot; seats for `count` more sources, whose targets change at most `runs` times
// from one to the next. They return false on MICA_ERROR_MEMORY, and for more blocks than seats can
// number.
bool micai_seats_reserve_node(micai_host *host, micai_seats *seats, uint32_t slot);
bool micai_seats_reserve(micai_host *host, micai_seats *seats, uint32_t count, uint32_t runs);

// Returns true if one source can be seated without reserving anything but nodes.
bool micai_seats_has_one(const micai_seats *seats);

// Seat a source that is not seated: as the last one of a target; before another one. Seats and both
// nodes were reserved.
void micai_seats_append(micai_seats *seats, mica_entity source, mica_entity target);
void micai_seats_insert(micai_seats *seats, mica_entity source, mica_entity sibling);

// Removes a seated source.
void micai_seats_remove(micai_seats *seats, mica_entity source);

// Frees what was kept while `keep_empty` was set, of one target.
void micai_seats_drop_empty(micai_seats *seats, mica_entity target);

void micai_seats_clear(micai_seats *seats);

// Orders the sources of a list. Returns false if the entities are not these, each once.
bool micai_seats_reorder(micai_seats *seats, const micai_seat_list *list,
                         const mica_entity *sources, uint32_t count);

// Frees unused memory, as far as blocks are free at the end.
void micai_seats_reclaim(micai_host *host, micai_seats *seats);

mica_result micai_seats_validate(micai_host *host, const micai_seats *seats,
                                 const micai_slots *slots, const char *name);

#endif
