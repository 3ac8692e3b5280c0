// Entity slots: who is alive, in which generation, and where its row is.
//
// Room:    core. Called by world/ (spawn, despawn, every look-up).
//
//   handle   generation + 1 | slot number
//                             page      offset
//   pages    [0] -> records   [1] NULL  [2] -> records {where, tag}      made on demand
//
// A record is 8 bytes, because random access at a million entities costs what the records weigh.
// Its tag is the handle's high half while the slot is alive. While it is free, the tag is that of
// the next occupant with the top bit set, which no handle has, and `where` is the next free slot:
// the free list runs through the records, last freed first.
//
//   tag    1 .. 0x7fffffff   alive
//          FREE | 1          virgin: never used
//          FREE | 2 ..       free, in the list
//          FREE              retired: the last generation has died here
//
// Slots are handed out from the free list first, then at `fresh`. Slots beyond it that were taken
// by handle are stepped over when `fresh` gets there.
//
// Invariants, swept by micai_slots_validate() and cited by tests:
//   S1  `alive` records have a living tag, which is not 0.
//   S2  the free list visits each free record once, `free_count` in all, and ends.
//   S3  no record below `fresh` is virgin; `ahead` records at or beyond it are not. What is neither
//       alive nor in the free list leads nowhere.
//   S4  no record at or beyond `limit` is anything but virgin.
//   S5  records from `fresh` to `ready` are virgin and their pages exist.
//   S6  there is room for the pages that are counted, and they lie in the host's memory.
#ifndef MICAI_CORE_SLOT_H
#define MICAI_CORE_SLOT_H

#include <mica/view.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "base/host.h"

#define MICAI_SLOT_PAGE_SHIFT MICA_VIEW_SLOT_SHIFT
#define MICAI_SLOT_PAGE_SIZE (UINT32_C(1) << MICAI_SLOT_PAGE_SHIFT)

#define MICAI_SLOT_NONE UINT32_MAX // ends the free list; no slot has this number
#define MICAI_SLOT_FREE MICA_VIEW_TAG_END
#define MICAI_SLOT_VIRGIN (MICAI_SLOT_FREE | 1)

// where: alive, the row's place, as store/ numbers them; free, the next free slot.
typedef mica_view_record micai_record;

typedef struct micai_slots {
    mica_view_slots view; // the pages, which accessors look into
    uint32_t page_capacity;
    uint32_t fresh;      // no virgin is below
    uint32_t ready;      // slots from fresh to here can be taken without a look
    uint32_t ahead;      // slots in use or used beyond `fresh`
    uint32_t free_first; // head of the free list
    uint32_t free_count;
    uint32_t alive;
    uint32_t limit; // slots are below this
} micai_slots;

// `limit` 0 means all there can be.
void micai_slots_init(micai_slots *slots, uint32_t limit);
void micai_slots_free(micai_host *host, micai_slots *slots);

// The record of a living entity; NULL for anything else. Two loads beside the record, three
// branches that are never taken in a healthy program.
static inline micai_record *micai_slots_find(const micai_slots *slots, mica_entity entity)
{
    uint32_t slot = (uint32_t)entity.bits;
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    if (page >= slots->view.page_count || !slots->view.pages[page]) {
        return NULL;
    }
    micai_record *record = &slots->view.pages[page][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
    if (MICAI_LIKELY(record->tag == tag && tag < MICAI_SLOT_FREE)) {
        return record;
    }
    return NULL;
}

// The record of a slot that is known to be alive.
static inline micai_record *micai_slots_at(const micai_slots *slots, uint32_t slot)
{
    return &slots->view.pages[slot >> MICAI_SLOT_PAGE_SHIFT][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// A living entity's row is somewhere else now.
static inline void micai_record_place(micai_record *record, uint32_t where)
{
    record->where = where;
}

static inline void micai_slots_place(const micai_slots *slots, uint32_t slot, uint32_t where)
{
    micai_record_place(micai_slots_at(slots, slot), where);
}

// MICA_ERROR_ENTITY with a sentence that says what the handle is: none, impossible or dead. Inside a
// hook, from which the entities are hidden, MICA_ERROR_HOOK.
mica_result micai_slots_fail(micai_host *host, const char *call, mica_entity entity);

// Makes sure that the next `count` takes succeed. MICA_ERROR_LIMIT, MICA_ERROR_MEMORY.
mica_result micai_slots_grow(micai_host *host, micai_slots *slots, uint32_t count);

static inline bool micai_slots_are_ready(const micai_slots *slots, uint32_t count)
{
    return count <= (uint64_t)slots->free_count + (slots->ready - slots->fresh);
}

static inline mica_result micai_slots_reserve(micai_host *host, micai_slots *slots, uint32_t count)
{
    return micai_slots_are_ready(slots, count) ? MICA_OK : micai_slots_grow(host, slots, count);
}

// Moves `fresh` and `ready` to the next slots whose pages exist.
void micai_slots_advance(micai_slots *slots);

// A new entity at a row. A slot must have been reserved; cannot fail.
static inline mica_entity micai_slots_take(micai_slots *slots, uint32_t where)
{
    uint32_t slot = slots->free_first;
    micai_record *record;
    if (slot != MICAI_SLOT_NONE) {
        record = micai_slots_at(slots, slot);
        slots->free_first = record->where;
        slots->free_count--;
    } else {
        if (slots->fresh == slots->ready) {
            micai_slots_advance(slots);
        }
        slot = slots->fresh++;
        record = micai_slots_at(slots, slot);
    }
    record->where = where;
    record->tag &= ~MICAI_SLOT_FREE;
    slots->alive++;
    return (mica_entity){(uint64_t)record->tag << 32 | slot};
}

// `count` new entities in rows that follow each other. As many slots must have been reserved.
void micai_slots_take_many(micai_slots *slots, uint32_t where, uint32_t count,
                           mica_entity *entities_out);

// The same in two phases for a given handle: check and make room, then take.
mica_result micai_slots_reserve_at(micai_host *host, micai_slots *slots, mica_entity entity);
void micai_slots_take_at(micai_slots *slots, mica_entity entity, uint32_t where);

// Ends a living entity: the generation moves on, the slot joins the free list or retires.
void micai_slots_retire(micai_host *host, micai_slots *slots, uint32_t slot);

static inline void micai_slots_give(micai_host *host, micai_slots *slots, mica_entity entity)
{
    uint32_t slot = (uint32_t)entity.bits;
    micai_record *record = micai_slots_at(slots, slot);
    record->tag = (record->tag + 1) | MICAI_SLOT_FREE;
    if (MICAI_CANARY("core.generation")) {
        record->tag--;
    }
    slots->alive--;
    if (record->tag == MICAI_SLOT_FREE) {
        micai_slots_retire(host, slots, slot);
        return;
    }
    record->where = slots->free_first;
    slots->free_first = slot;
    slots->free_count++;
}

// Ends all of them, lowest slot first, as if each had been given.
void micai_slots_clear(micai_host *host, micai_slots *slots);

// The first living entity at or after `slot`; none at the end.
mica_entity micai_slots_next(const micai_slots *slots, uint32_t slot);

// The first retired slot at or after `slot`; MICAI_SLOT_NONE at the end.
uint32_t micai_slots_next_retired(const micai_slots *slots, uint32_t slot);

// For tests: moves a living slot to a later generation and returns its new handle.
mica_entity micai_slots_age(micai_slots *slots, mica_entity entity, uint32_t generation);

mica_result micai_slots_validate(micai_host *host, const micai_slots *slots);

#endif
