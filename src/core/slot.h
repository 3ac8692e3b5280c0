// Entity slots: which entities are alive, their generation, and where their rows are.
//
// Room:    core. Called by store/, entity/ (spawn, despawn, look-ups), command/ and image/.
//
//   handle   generation + 1 | slot number
//                             page      offset
//   pages    [0] -> records   [1] NULL  [2] -> records {where, tag}      created on demand
//
// A record has 8 bytes, because the size of records decides the cost of random access to a million
// entities. Pages come from slabs (base/slab.h).
//
// The tag of a living entity's record is the upper half of its handle. The tag of a free slot is
// that of its next entity with the top bit set, which no handle has. `where` of a free slot is the
// next free slot. So the free list runs through the records, last released first.
//
//   tag    1 .. 0x7fffffff   alive
//          FREE | floor      virgin: not used since its page was created. The floor is 1 at first
//          FREE | more       free, in the list
//          FREE              retired: its last generation is used up
//
// A slot is *pending* if a command has taken it for an entity that it will spawn. Its tag is that
// of a free slot, so no handle finds it. Its `where` is its own number, which is true of no other
// record in use.
//
// New slots come from the free list first, then from `fresh`. Slots beyond `fresh` that were taken
// by handle are skipped when `fresh` reaches them.
//
// The free list is singly linked: taking and releasing slots need no back link, and a record has no
// space for one. Only taking a slot from the middle needs one. `back_links` is created then. It
// stores per slot the previous slot in the list, and the slot's tag at that time. A slot that has
// left the list since has another tag. Slots released later stand before those with links. So a
// walk from the head to the first valid link updates all of them, and visits each slot once.
//
// Reclaiming releases pages without living entities. Old handles into them must stay dead. So
// `floors` keeps the highest next tag of each page; its slots start with that tag when the page is
// created again.
//
// Snapshots (time/) find changed records without help from the fast paths. A slot that is taken has a
// row, which tells of it. A slot that is freed is pushed on the free list, so the changed records are at
// its head: a free slot that keeps its tag has never been taken, nor has any slot behind it. `relinked`
// tells of the rare changes elsewhere. The slots only set it.
//
// Invariants, swept by micai_slots_validate() and cited by tests:
//   S1  Exactly `alive` records have the tag of a living entity, which is not 0.
//   S2  The free list visits each free record once, `free_count` in total, and ends.
//   S3  No record below `fresh` is virgin. Exactly `ahead` records from `fresh` on are not virgin.
//       `where` is MICAI_SLOT_NONE in virgin and retired records.
//   S4  All records from `limit` on are virgin.
//   S5  Records from `fresh` up to `ready` are virgin and lie in one existing page.
//   S6  The capacity of the list of pages is at least its count.
//   S7  No tag is below the floor of its page, except those of retired slots. No floor is below 1.
//   S8  A valid back link leads to the previous slot of the free list, unless the list has changed
//       there since.
//   S9  Exactly `pending` records are pending. They are in no list.
#ifndef MICAI_CORE_SLOT_H
#define MICAI_CORE_SLOT_H

#include <mica/detail/view.h>

#include "base/array.h"
#include "base/canary.h"
#include "base/compiler.h"
#include "base/slab.h"

#define MICAI_SLOT_PAGE_SHIFT MICA_VIEW_SLOT_SHIFT
#define MICAI_SLOT_PAGE_SIZE (UINT32_C(1) << MICAI_SLOT_PAGE_SHIFT)

#define MICAI_FLOOR_SLOTS MICAI_SLOT_PAGE_SIZE // slots per floor

#define MICAI_SLOT_NONE UINT32_MAX // ends the free list; not a slot number
#define MICAI_SLOT_FREE MICA_VIEW_TAG_END

// where: the row of a living entity, as store/ numbers rows, or the next free slot.
typedef mica_view_record micai_record;

// A back link in the free list. It is valid while the slot has this tag.
typedef struct micai_back_link {
    uint32_t before; // MICAI_SLOT_NONE: the slot is the first
    uint32_t tag;
} micai_back_link;

typedef struct micai_slots {
    mica_view_slots view; // the pages, also read by accessors
    micai_slabs slabs;    // memory of the pages
    uint32_t page_capacity;
    uint32_t fresh;      // no slot below is virgin
    uint32_t ready;      // slots from `fresh` up to here are known to be virgin
    uint32_t ahead;      // slots from `fresh` on that are not virgin
    uint32_t free_first; // head of the free list
    uint32_t free_count;
    uint32_t alive;
    uint32_t pending;             // taken by commands for future entities
    uint32_t limit;               // slot numbers are below this
    bool relinked;                // records changed that the head of the list does not tell
    bool lane;                    // a copy that shows a lane, whose virgins may be in several pages
    MICAI_ARRAY(uint32_t) floors; // by page; pages beyond have 1
    MICAI_ARRAY(micai_back_link *) back_links; // by page; NULL: no links yet
} micai_slots;

// Prepared pages that are not in use yet. Each begins with the address of the next one.
typedef struct micai_slot_capacity {
    void *first;
    uint32_t count;
} micai_slot_capacity;

// `limit` 0 means no limit but that of handles.
void micai_slots_init(micai_slots *slots, uint32_t limit);
void micai_slots_free(micai_host *host, micai_slots *slots);

// Returns the record of a slot in any state, or NULL if it has no page. During a hook, no slot has
// a page.
static inline micai_record *micai_slots_look(const micai_slots *slots, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    if (page >= slots->view.page_count || !slots->view.pages[page]) {
        return NULL;
    }
    return &slots->view.pages[page][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// Returns true if the record belongs to this living entity.
static inline bool micai_record_is_of(const micai_record *record, mica_entity entity)
{
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    return MICAI_LIKELY(record->tag == tag) && tag < MICAI_SLOT_FREE;
}

// Returns the record of a living entity, or NULL for any other handle. Costs two loads beside the
// record. Its three branches are never taken in a healthy program.
static inline micai_record *micai_slots_find(const micai_slots *slots, mica_entity entity)
{
    micai_record *record = micai_slots_look(slots, (uint32_t)entity.bits);
    return record && MICAI_LIKELY(micai_record_is_of(record, entity)) ? record : NULL;
}

// Returns the record of a slot whose page exists.
static inline micai_record *micai_slots_at(const micai_slots *slots, uint32_t slot)
{
    return &slots->view.pages[slot >> MICAI_SLOT_PAGE_SHIFT][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// Stores the new row of a living entity.
static inline void micai_record_place(micai_record *record, uint32_t where)
{
    record->where = where;
}

static inline void micai_slots_place(const micai_slots *slots, uint32_t slot, uint32_t where)
{
    micai_record_place(micai_slots_at(slots, slot), where);
}

// Reports MICA_ERROR_ENTITY; the sentence tells whether the handle is null, impossible or dead.
// Inside a hook, which cannot see entities, reports MICA_ERROR_HOOK.
mica_result micai_slots_fail(micai_host *host, const char *call, mica_entity entity);
mica_result micai_slots_fail_dead(micai_host *host, const char *call,
                                  mica_entity entity); // no hook runs

// Creates a page of virgins, unless it exists. MICA_ERROR_MEMORY.
mica_result micai_slots_make_page(micai_host *host, micai_slots *slots, uint32_t page);

// Lists at least so many pages, without memory for slots. MICA_ERROR_MEMORY.
mica_result micai_slots_extend(micai_host *host, micai_slots *slots, uint32_t pages);

// Ensures that the next `count` takes succeed, in two phases. prepare allocates the missing pages
// and may fail with MICA_ERROR_LIMIT or MICA_ERROR_MEMORY; it then keeps nothing. After that,
// commit uses the pages, or cancel releases them.
mica_result micai_slots_prepare(micai_host *host, micai_slots *slots, uint32_t count,
                                micai_slot_capacity *pages_out);
void micai_slots_commit(micai_slots *slots, micai_slot_capacity pages);
void micai_slots_cancel(micai_host *host, micai_slots *slots, micai_slot_capacity pages);

// Returns the end of the pages that exist once the prepared ones are committed, counted from the
// page of `fresh`.
uint32_t micai_slots_page_end(const micai_slots *slots, micai_slot_capacity pages);

// Prepares and commits.
mica_result micai_slots_grow(micai_host *host, micai_slots *slots, uint32_t count);

// Returns true if `count` slots can be taken without a reserve.
static inline bool micai_slots_are_ready(const micai_slots *slots, uint32_t count)
{
    uint64_t at_hand = (uint64_t)slots->free_count + (slots->ready - slots->fresh);
    return count <= at_hand;
}

static inline mica_result micai_slots_reserve(micai_host *host, micai_slots *slots, uint32_t count)
{
    return micai_slots_are_ready(slots, count) ? MICA_OK : micai_slots_grow(host, slots, count);
}

// Moves `fresh` to the next virgin and `ready` to the end of the virgins that follow it.
void micai_slots_advance(micai_slots *slots);

// Returns the first slot that was never used. `fresh` may lag behind it. The result depends on the
// history of entities only, not on slots that were taken and put back.
uint32_t micai_slots_first_virgin(const micai_slots *slots);

// Takes the next free slot, which must be reserved. Cannot fail.
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

// Creates an entity at a row. Its slot must be reserved. Cannot fail.
static inline mica_entity micai_slots_take(micai_slots *slots, uint32_t where)
{
    uint32_t slot;
    micai_record *record = micai_slots_pop(slots, &slot);
    record->where = where;
    record->tag &= ~MICAI_SLOT_FREE;
    slots->alive++;
    return (mica_entity){(uint64_t)record->tag << 32 | slot};
}

// Iterates over the reserved slots in the order in which they will be taken:
//   for (micai_slot_cursor a = micai_slots_peek(slots); ...; micai_slots_peek_next(slots, &a))
typedef struct micai_slot_cursor {
    uint32_t slot;
    bool freed; // the slot is in the free list
} micai_slot_cursor;

micai_slot_cursor micai_slots_peek(const micai_slots *slots);
void micai_slots_peek_next(const micai_slots *slots, micai_slot_cursor *ahead);

// Creates `count` entities in consecutive rows. Their slots must be reserved.
void micai_slots_take_many(micai_slots *slots, uint32_t where, uint32_t count,
                           mica_entity *entities_out);

// The same for a given handle, in two phases: reserve may fail, take cannot.
mica_result micai_slots_reserve_at(micai_host *host, micai_slots *slots, mica_entity entity);
void micai_slots_take_at(micai_slots *slots, mica_entity entity, uint32_t where);

// The same for many handles at once, after others were released (deltas). reserve_exchange() checks that each
// of the `taken` can be alive once the living `released` are not. Both are in the order of slots, each slot
// once. Unlike above, a handle may be older than those that its slot has had. Then release all, call
// exchange_released(), and take each. Fails with MICA_ERROR_MEMORY, _LIMIT, and with _CORRUPT, unreported,
// if a slot cannot have the handle.
mica_result micai_slots_reserve_exchange(micai_host *host, micai_slots *slots,
                                         const mica_entity *released, uint32_t released_count,
                                         const mica_entity *taken, uint32_t taken_count);
void micai_slots_exchange_released(micai_slots *slots);

// Pending slots. pend takes a reserved slot, as micai_slots_take() would. Later, activate makes the
// entity alive at a row, or discard ends the handle unused. put_back undoes the last pend, if the
// handle was not passed on; nothing then shows that it happened.
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

// Returns true if the slot is pending. The last page has a record for MICAI_SLOT_NONE, which is not
// a slot. That record is always virgin, and its `where` equals its number.
static inline bool micai_record_is_pending(const micai_record *record, uint32_t slot)
{
    return record->where == slot && record->tag > MICAI_SLOT_FREE && slot != MICAI_SLOT_NONE;
}

// Returns the sum of all pending handles, to compare with those that commands know.
uint64_t micai_slots_sum_pending(const micai_slots *slots);

static inline bool micai_slots_is_pending(const micai_slots *slots, mica_entity entity)
{
    uint32_t slot = (uint32_t)entity.bits;
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    if (page >= slots->view.page_count || !slots->view.pages[page]) {
        return false;
    }
    // Tags are compared first: what else is in the record of another batch's slot may be changing.
    const micai_record *record = micai_slots_at(slots, slot);
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    return tag < MICAI_SLOT_FREE && record->tag == (tag | MICAI_SLOT_FREE) &&
           micai_record_is_pending(record, slot);
}

// Lanes: slots that batches of a system take at the same time, each its own. Each lane has as many slots of the free
// list, and then as many virgins. So the handles that a batch gets follow from the slots and the number of
// batches alone. A batch takes from a copy of the slots, which shares their pages.
typedef struct micai_lane {
    uint32_t free_first; // what is left of its part of the free list
    uint32_t free_count;
    uint32_t last;  // of this part
    uint32_t freed; // slots of this part at first
    uint32_t first; // its virgins begin here
    uint32_t fresh; // the next one
    uint32_t end;
} micai_lane;

// Divides slots among `count` lanes, at most `most` for each; fewer at the limit of slots. MICA_ERROR_MEMORY.
mica_result micai_lanes_open(micai_host *host, micai_slots *slots, uint32_t most,
                             micai_lane *lanes_out, uint32_t count);

// Shows a lane in a copy of the slots, and takes back what is left of it.
void micai_lane_enter(const micai_lane *lane, micai_slots *copy);
void micai_lane_leave(micai_lane *lane, const micai_slots *copy);

// Returns the slots that were not taken. Lanes are closed in reverse order. `above` is false for the last one.
void micai_lane_close(micai_slots *slots, micai_lane *lane, bool *above);

// Marks a slot as retired, which is logged.
void micai_slots_retire(micai_host *host, micai_slots *slots, uint32_t slot);

static inline bool micai_slots_is_last(mica_entity entity)
{
    return (uint32_t)(entity.bits >> 32) == MICAI_SLOT_FREE - 1;
}

// Releases a slot that does not retire. Its record is known.
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

// Releases all living entities, from the lowest slot on.
void micai_slots_clear(micai_host *host, micai_slots *slots);

// reclaim releases pages without living entities, and all back links. Slots of these pages then
// count as virgin: they are used after the free list, lowest first. Other pages and their records
// may move. reserve_reclaim may fail with MICA_ERROR_MEMORY; reclaim cannot fail.
mica_result micai_slots_reserve_reclaim(micai_host *host, micai_slots *slots);
void micai_slots_reclaim(micai_host *host, micai_slots *slots);

// Returns the tag that new slots of a page start with.
static inline uint32_t micai_slots_floor(const micai_slots *slots, uint32_t page)
{
    return page < slots->floors.count ? slots->floors.items[page] : 1;
}

// Returns the first living entity at or after `slot`, or the null handle.
mica_entity micai_slots_next(const micai_slots *slots, uint32_t slot);

// count_retired returns how many slots are retired: those once used that are in no other state (S1,
// S2, S3, S9). next_retired returns the first one at or after `slot`, or MICAI_SLOT_NONE.
static inline uint32_t micai_slots_count_retired(const micai_slots *slots)
{
    return slots->fresh + slots->ahead - slots->alive - slots->free_count - slots->pending;
}

uint32_t micai_slots_next_retired(const micai_slots *slots, uint32_t slot);

// For tests: moves a living slot to a later generation and returns its new handle.
mica_entity micai_slots_age(micai_slots *slots, mica_entity entity, uint32_t generation);

// For snapshots, after the records were restored: sets the numbers of the slots.
void micai_slots_rewind(micai_host *host, micai_slots *slots, uint32_t fresh, uint32_t ahead,
                        uint32_t free_first, uint32_t free_count, uint32_t alive);

mica_result micai_slots_validate(micai_host *host, const micai_slots *slots);

#endif
