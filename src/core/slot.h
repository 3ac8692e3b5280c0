// Entity slots: who is alive, in which generation, and where its row is.
//
// Room:    core. Called by world/ (spawn, despawn, every look-up).
//
//   handle   generation + 1 | slot number
//                             page      offset
//   pages    [0] -> records   [1] NULL  [2] -> records {where, tag}      made on demand
//
// A record is 8 bytes, because random access at a million entities costs what the records weigh. Their pages
// come from slabs (base/slab.h) where there are many.
// Its tag is the handle's high half while the slot is alive. While it is free, the tag is that of
// the next occupant with the top bit set, which no handle has, and `where` is the next free slot:
// the free list runs through the records, last freed first.
//
//   tag    1 .. 0x7fffffff   alive
//          FREE | floor      virgin: not used since its page was made. The floor is 1 at first
//          FREE | more       free, in the list
//          FREE              retired: the last generation has died here
//
// A slot that a command has taken for an entity it will spawn is *pending*: its tag is that of a free
// one, so that no handle finds it, and it leads to itself, which no other slot does.
//
// Slots are handed out from the free list first, then at `fresh`. Slots beyond it that were taken
// by handle are stepped over when `fresh` gets there.
//
// The list has no way back, since taking and giving need none and a record has no room for one. Who
// takes a slot out of its middle does, and finds it in `backs`, which is made then: per slot the one
// before it in the list, and the tag it had when that was noted. A slot that has left the list since
// has another tag, and all that were freed since stand before those that have not: walking from the
// head to the first note that is still good brings them up to date, and walks over each slot once.
//
// Reclaiming gives back pages in which nobody lives. What must be remembered of them is that the
// dead stay dead: `floors` keeps, per page, the highest tag that was next in it, with which all its
// slots begin when it is made again.
//
// Invariants, swept by micai_slots_validate() and cited by tests:
//   S1  `alive` records have a living tag, which is not 0.
//   S2  the free list visits each free record once, `free_count` in all, and ends.
//   S3  no record below `fresh` is virgin; `ahead` records at or beyond it are not. What is neither
//       alive nor in the free list leads nowhere.
//   S4  no record at or beyond `limit` is anything but virgin.
//   S5  records from `fresh` to `ready` are virgin, and in one page, which exists.
//   S6  there is room for the pages that are counted.
//   S7  no record has a tag below the floor of its page, unless it is retired; no floor is below 1.
//   S8  a way back that is noted leads to the slot before it in the free list, if that has not changed.
//   S9  `pending` records are pending. They are in no list.
#ifndef MICAI_CORE_SLOT_H
#define MICAI_CORE_SLOT_H

#include <mica/view.h>

#include "base/array.h"
#include "base/canary.h"
#include "base/compiler.h"
#include "base/slab.h"

#define MICAI_SLOT_PAGE_SHIFT MICA_VIEW_SLOT_SHIFT
#define MICAI_SLOT_PAGE_SIZE (UINT32_C(1) << MICAI_SLOT_PAGE_SHIFT)

#define MICAI_FLOOR_SLOTS MICAI_SLOT_PAGE_SIZE // that a floor speaks of

#define MICAI_SLOT_NONE UINT32_MAX // ends the free list; no slot has this number
#define MICAI_SLOT_FREE MICA_VIEW_TAG_END

// where: alive, the row's place, as store/ numbers them; free, the next free slot.
typedef mica_view_record micai_record;

// The way back in the free list, while the slot has this tag.
typedef struct micai_back_link {
    uint32_t before; // MICAI_SLOT_NONE: it is the first
    uint32_t tag;
} micai_back_link;

typedef struct micai_slots {
    mica_view_slots view; // the pages, which accessors look into
    micai_slabs slabs;    // where they come from
    uint32_t page_capacity;
    uint32_t fresh;      // no virgin is below
    uint32_t ready;      // slots from fresh to here can be taken without a look
    uint32_t ahead;      // slots in use or used beyond `fresh`
    uint32_t free_first; // head of the free list
    uint32_t free_count;
    uint32_t alive;
    uint32_t pending;                          // taken by commands, for entities to be
    uint32_t limit;                            // slots are below this
    MICAI_ARRAY(uint32_t) floors;              // by page; 1 beyond them
    MICAI_ARRAY(micai_back_link *) back_links; // by page; NULL: nothing is noted
} micai_slots;

// Pages that are not in use yet, each with the address of the next at its beginning.
typedef struct micai_slot_capacity {
    void *first;
    uint32_t count;
} micai_slot_capacity;

// `limit` 0 means all there can be.
void micai_slots_init(micai_slots *slots, uint32_t limit);
void micai_slots_free(micai_host *host, micai_slots *slots);

// The record of a slot, whoever lives there; NULL if there is none, as it seems to hooks.
static inline micai_record *micai_slots_look(const micai_slots *slots, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    if (page >= slots->view.page_count || !slots->view.pages[page]) {
        return NULL;
    }
    return &slots->view.pages[page][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// Is it this entity that lives there?
static inline bool micai_record_is_of(const micai_record *record, mica_entity entity)
{
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    return MICAI_LIKELY(record->tag == tag) && tag < MICAI_SLOT_FREE;
}

// The record of a living entity; NULL for anything else. Two loads beside the record, three
// branches that are never taken in a healthy program.
static inline micai_record *micai_slots_find(const micai_slots *slots, mica_entity entity)
{
    micai_record *record = micai_slots_look(slots, (uint32_t)entity.bits);
    return record && MICAI_LIKELY(micai_record_is_of(record, entity)) ? record : NULL;
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

// Makes a page of slots, all virgin, unless it is there. MICA_ERROR_MEMORY.
mica_result micai_slots_make_page(micai_host *host, micai_slots *slots, uint32_t page);

// Makes sure that the next `count` takes succeed. MICA_ERROR_LIMIT, MICA_ERROR_MEMORY: nothing is
// kept of what was got until then. In two phases: what there must be beside the slots at hand, which
// may fail; then it is used, or given back.
mica_result micai_slots_prepare(micai_host *host, micai_slots *slots, uint32_t count,
                                micai_slot_capacity *pages_out);
void micai_slots_commit(micai_slots *slots, micai_slot_capacity pages);
void micai_slots_cancel(micai_host *host, micai_slots *slots, micai_slot_capacity pages);

// Between the two phases: from the page of the next fresh slot on there will be all pages up to this
// one, once what was prepared is used.
uint32_t micai_slots_page_end(const micai_slots *slots, micai_slot_capacity pages);

// Both phases, one after the other.
mica_result micai_slots_grow(micai_host *host, micai_slots *slots, uint32_t count);

// Are so many at hand?
static inline bool micai_slots_are_ready(const micai_slots *slots, uint32_t count)
{
    uint64_t at_hand = (uint64_t)slots->free_count + (slots->ready - slots->fresh);
    return count <= at_hand;
}

static inline mica_result micai_slots_reserve(micai_host *host, micai_slots *slots, uint32_t count)
{
    return micai_slots_are_ready(slots, count) ? MICA_OK : micai_slots_grow(host, slots, count);
}

// Moves `fresh` and `ready` to the next slots whose pages exist.
void micai_slots_advance(micai_slots *slots);

// The first slot that was never used. `fresh` is moved up to it late, with the slots that are taken; this is the
// same for the same history, whatever was taken and put back meanwhile.
uint32_t micai_slots_first_virgin(const micai_slots *slots);

// Takes the next slot, which must have been reserved, out of those that are free: cannot fail.
static inline micai_record *micai_slots_pop(micai_slots *slots, uint32_t *slot_out)
{
    uint32_t slot = slots->free_first;
    micai_record *record;
    if (slot != MICAI_SLOT_NONE) {
        slots->free_count--;
        record = micai_slots_at(slots, slot);
        slots->free_first = record->where;
    } else {
        if (slots->fresh == slots->ready) {
            micai_slots_advance(slots);
        }
        slot = slots->fresh++;
        record = micai_slots_at(slots, slot);
    }
    *slot_out = slot;
    return record;
}

// A new entity at a row. A slot must have been reserved; cannot fail.
static inline mica_entity micai_slots_take(micai_slots *slots, uint32_t where)
{
    uint32_t slot;
    micai_record *record = micai_slots_pop(slots, &slot);
    record->where = where;
    record->tag &= ~MICAI_SLOT_FREE;
    slots->alive++;
    return (mica_entity){(uint64_t)record->tag << 32 | slot};
}

// The slots that will be taken next, one after the other, as far as they have been reserved:
//   for (micai_slot_cursor a = micai_slots_peek(slots); ...; micai_slots_peek_next(slots, &a))
typedef struct micai_slot_cursor {
    uint32_t slot;
    bool freed; // it is in the free list
} micai_slot_cursor;

micai_slot_cursor micai_slots_peek(const micai_slots *slots);
void micai_slots_peek_next(const micai_slots *slots, micai_slot_cursor *ahead);

// `count` new entities in rows that follow each other. As many slots must have been reserved.
void micai_slots_take_many(micai_slots *slots, uint32_t where, uint32_t count,
                           mica_entity *entities_out);

// The same in two phases for a given handle: check and make room, then take.
mica_result micai_slots_reserve_at(micai_host *host, micai_slots *slots, mica_entity entity);
void micai_slots_take_at(micai_slots *slots, mica_entity entity, uint32_t where);

// Slots of entities to be. A slot must have been reserved; it is taken as micai_slots_take() would.
// Then it is lived in, at a row; or passed on without that, and nobody ever lives under the handle. The
// one that was taken last, and that nobody has heard of, can be put back as if nothing had happened.
static inline mica_entity micai_slots_pend(micai_slots *slots)
{
    uint32_t slot;
    micai_record *record = micai_slots_pop(slots, &slot);
    record->where = slot;
    slots->pending++;
    return (mica_entity){(uint64_t)(record->tag & ~MICAI_SLOT_FREE) << 32 | slot};
}

static inline void micai_slots_activate(micai_slots *slots, mica_entity entity, uint32_t where)
{
    *micai_slots_at(slots, (uint32_t)entity.bits) =
        (micai_record){.where = where, .tag = (uint32_t)(entity.bits >> 32)};
    slots->pending--;
    slots->alive++;
}

void micai_slots_discard(micai_host *host, micai_slots *slots, mica_entity entity);
void micai_slots_put_back(micai_slots *slots, mica_entity entity);

// Is the record of a slot pending? The last page has a record for MICAI_SLOT_NONE, which is no slot. That
// record is always virgin, and its `where` equals its number.
static inline bool micai_record_is_pending(const micai_record *record, uint32_t slot)
{
    return record->where == slot && record->tag > MICAI_SLOT_FREE && slot != MICAI_SLOT_NONE;
}

// The sum of the handles of all of them, to compare with those that are known.
uint64_t micai_slots_sum_pending(const micai_slots *slots);

static inline bool micai_slots_is_pending(const micai_slots *slots, mica_entity entity)
{
    uint32_t slot = (uint32_t)entity.bits;
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    if (page >= slots->view.page_count || !slots->view.pages[page]) {
        return false;
    }
    const micai_record *record = micai_slots_at(slots, slot);
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    return micai_record_is_pending(record, slot) && tag < MICAI_SLOT_FREE &&
           record->tag == (tag | MICAI_SLOT_FREE);
}

// Ends a living entity: the generation moves on, the slot joins the free list or, if it was the last
// that can live there, retires, which is reported.
void micai_slots_retire(micai_host *host, micai_slots *slots, uint32_t slot);

static inline bool micai_slots_is_last(mica_entity entity)
{
    return (uint32_t)(entity.bits >> 32) == MICAI_SLOT_FREE - 1;
}

// The same for one that is not the last, whose record is known: reports nothing.
static inline void micai_slots_recycle(micai_slots *slots, uint32_t slot, micai_record *record)
{
    record->tag = (record->tag + 1) | MICAI_SLOT_FREE;
    if (MICAI_CANARY("core.generation")) {
        record->tag--;
    }
    record->where = slots->free_first;
    slots->free_first = slot;
    slots->free_count++;
    slots->alive--;
}

static inline void micai_slots_release(micai_host *host, micai_slots *slots, mica_entity entity)
{
    uint32_t slot = (uint32_t)entity.bits;
    micai_record *record = micai_slots_at(slots, slot);
    if (micai_slots_is_last(entity)) {
        record->tag = MICAI_SLOT_FREE;
        slots->alive--;
        micai_slots_retire(host, slots, slot);
    } else {
        micai_slots_recycle(slots, slot, record);
    }
}

// Ends all of them, lowest slot first, as if each had been given.
void micai_slots_clear(micai_host *host, micai_slots *slots);

// Gives back pages in which nobody lives, and the ways back. Slots there are used like virgins
// then: after the free list, lowest first. Pages that stay may move, and the records in them. Reserve may
// fail, MICA_ERROR_MEMORY; reclaiming cannot.
mica_result micai_slots_reserve_reclaim(micai_host *host, micai_slots *slots);
void micai_slots_reclaim(micai_host *host, micai_slots *slots);

// The tag that slots of a page begin with.
static inline uint32_t micai_slots_floor(const micai_slots *slots, uint32_t page)
{
    return page < slots->floors.count ? slots->floors.items[page] : 1;
}

// The first living entity at or after `slot`; none at the end.
mica_entity micai_slots_next(const micai_slots *slots, uint32_t slot);

// How many slots are retired: those that were ever used, and are nothing else (S1, S2, S3, S9). The first of
// them at or after `slot`; MICAI_SLOT_NONE at the end.
static inline uint32_t micai_slots_count_retired(const micai_slots *slots)
{
    return slots->fresh + slots->ahead - slots->alive - slots->free_count - slots->pending;
}

uint32_t micai_slots_next_retired(const micai_slots *slots, uint32_t slot);

// For tests: moves a living slot to a later generation and returns its new handle.
mica_entity micai_slots_age(micai_slots *slots, mica_entity entity, uint32_t generation);

mica_result micai_slots_validate(micai_host *host, const micai_slots *slots);

#endif
