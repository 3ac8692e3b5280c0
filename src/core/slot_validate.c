// The invariants of entity slots: slot.h has them.
#include "core/slot_internal.h"

#include <inttypes.h>

// M6
static mica_result validate_slabs(micai_host *host, const micai_slots *slots)
{
    uint32_t inside = 0;
    uint32_t single = 0;
    for (uint32_t page = 0; page < slots->view.page_count; page++) {
        bool slab = micai_slabs_have(&slots->slabs, slots->view.pages[page]);
        inside += slab;
        single += !slab && slots->view.pages[page];
    }
    return single == slots->slabs.single && inside == micai_slabs_count(&slots->slabs)
               ? MICA_OK
               : micai_fail_invariant(host, "M6", "slabs have other pages than the slots");
}

// S6
static mica_result validate_pages(micai_host *host, const micai_slots *slots)
{
    if (slots->view.page_count > slots->page_capacity ||
        slots->slabs.size != MICAI_SLOT_PAGE_BYTES) {
        return micai_fail_invariant(host, "S6", "pages of slots are damaged");
    }
    mica_result result = micai_slabs_validate(host, &slots->slabs);
    return result ? result : validate_slabs(host, slots);
}

// S7
static mica_result validate_lists(micai_host *host, const micai_slots *slots)
{
    mica_result result = micai_array_validate(host, &slots->floors, "the floors of slots");
    result = result ? result : micai_array_validate(host, &slots->back_links, "ways back");
    bool right = !result && slots->floors.count <= slots->view.page_count;
    for (uint32_t page = 0; right && page < slots->floors.count; page++) {
        right = slots->floors.items[page] - 1 < MICAI_SLOT_FREE - 1;
    }
    return result || right ? result
                           : micai_fail_invariant(host, "S7", "the floors of slots are damaged");
}

static mica_result validate_free_list(micai_host *host, const micai_slots *slots)
{
    uint32_t slot = slots->free_first;
    uint32_t before = MICAI_SLOT_NONE;
    for (uint32_t visited = 0; visited < slots->free_count; visited++) {
        if (!micai_slots_have_page(slots, slot >> MICAI_SLOT_PAGE_SHIFT)) {
            return micai_fail_invariant(
                host, "S2", "the free list leads to slot %" PRIu32 ", unheard of", slot);
        }
        const micai_record *record = micai_slots_at(slots, slot);
        if (record->tag <= MICAI_SLOT_FREE || micai_record_is_pending(record, slot) ||
            micai_slot_is_virgin(slots, slot)) {
            return micai_fail_invariant(host, "S2",
                                        "slot %" PRIu32 " is in the free list but not free", slot);
        }
        // If the previous slot has no link, it joined the list after this link was made.
        if (before != MICAI_SLOT_NONE && micai_slot_has_back_link(slots, before) &&
            micai_slot_has_back_link(slots, slot) &&
            micai_slot_back_link(slots, slot)->before != before) {
            return micai_fail_invariant(host, "S8", "the way back from slot %" PRIu32 " is wrong",
                                        slot);
        }
        before = slot;
        slot = micai_slots_at(slots, slot)->where;
    }
    if (slot != MICAI_SLOT_NONE) {
        return micai_fail_invariant(host, "S2", "the free list is longer than its count %" PRIu32,
                                    slots->free_count);
    }
    return MICA_OK;
}

// Counts over all records.
typedef struct sweep {
    uint32_t alive;
    uint32_t pending;
    uint32_t listed;
    uint32_t ahead;
} sweep;

static mica_result validate_record(micai_host *host, const micai_slots *slots, uint32_t slot,
                                   sweep *counts)
{
    const micai_record *record = micai_slots_at(slots, slot);
    uint32_t floor = micai_slots_floor(slots, slot >> MICAI_SLOT_PAGE_SHIFT);
    uint32_t next = record->tag & ~MICAI_SLOT_FREE;
    bool virgin = micai_slot_is_virgin(slots, slot);
    bool alive = record->tag < MICAI_SLOT_FREE;
    bool pending = micai_record_is_pending(record, slot);
    counts->alive += alive;
    counts->pending += pending;
    counts->listed += record->tag > MICAI_SLOT_FREE && !virgin && !pending;
    counts->ahead += !virgin && slot >= slots->fresh;
    if (next != 0 && next < floor) {
        return micai_fail_invariant(host, "S7", "slot %" PRIu32 " is in a generation that is over",
                                    slot);
    }
    if (virgin && slot < slots->fresh) {
        return micai_fail_invariant(host, "S3", "slot %" PRIu32 " is virgin below fresh %" PRIu32,
                                    slot, slots->fresh);
    }
    if ((virgin || record->tag == MICAI_SLOT_FREE) && record->where != MICAI_SLOT_NONE) {
        return micai_fail_invariant(host, "S3",
                                    "slot %" PRIu32 " is not in use, but leads to %" PRIu32, slot,
                                    record->where);
    }
    if (record->tag == 0) {
        return micai_fail_invariant(host, "S1", "slot %" PRIu32 " is neither alive nor free", slot);
    }
    if (!virgin && slot >= slots->limit) {
        return micai_fail_invariant(host, "S4", "slot %" PRIu32 " is beyond the limit %" PRIu32,
                                    slot, slots->limit);
    }
    return MICA_OK;
}

static mica_result validate_counts(micai_host *host, const micai_slots *slots, const sweep *counts)
{
    if (counts->alive != slots->alive) {
        return micai_fail_invariant(host, "S1", "%" PRIu32 " slots are alive, not %" PRIu32,
                                    counts->alive, slots->alive);
    }
    if (counts->pending != slots->pending) {
        return micai_fail_invariant(host, "S9", "%" PRIu32 " slots are pending, not %" PRIu32,
                                    counts->pending, slots->pending);
    }
    if (counts->listed != slots->free_count) {
        return micai_fail_invariant(host, "S2", "%" PRIu32 " slots are free, not %" PRIu32,
                                    counts->listed, slots->free_count);
    }
    if (counts->ahead != slots->ahead) {
        return micai_fail_invariant(host, "S3", "%" PRIu32 " slots are ahead, not %" PRIu32,
                                    counts->ahead, slots->ahead);
    }
    return MICA_OK;
}

static mica_result validate_ends(micai_host *host, const micai_slots *slots)
{
    if (slots->fresh > slots->limit || slots->limit == 0) {
        return micai_fail_invariant(host, "S4", "fresh %" PRIu32 " is beyond the limit %" PRIu32,
                                    slots->fresh, slots->limit);
    }
    if (slots->ready < slots->fresh || slots->ready > micai_slot_next_page(slots, slots->fresh)) {
        return micai_fail_invariant(host, "S5",
                                    "slots are ready up to %" PRIu32 ", from %" PRIu32 " on",
                                    slots->ready, slots->fresh);
    }
    for (uint32_t slot = slots->fresh; slot < slots->ready; slot++) {
        if (!micai_slots_have_page(slots, slot >> MICAI_SLOT_PAGE_SHIFT) ||
            !micai_slot_is_virgin(slots, slot)) {
            return micai_fail_invariant(host, "S5", "slot %" PRIu32 " is not ready", slot);
        }
    }
    return MICA_OK;
}

mica_result micai_slots_validate(micai_host *host, const micai_slots *slots)
{
    mica_result result = validate_pages(host, slots);
    result = result ? result : validate_lists(host, slots);
    sweep counts = {0};
    for (uint32_t page = 0; !result && page < slots->view.page_count; page++) {
        uint32_t first = page << MICAI_SLOT_PAGE_SHIFT;
        if (!slots->view.pages[page] && first < slots->fresh) {
            return micai_fail_invariant(
                host, "S3", "slot %" PRIu32 " is virgin below fresh %" PRIu32, first, slots->fresh);
        }
        for (uint32_t i = 0; !result && slots->view.pages[page] && i < MICAI_SLOT_PAGE_SIZE; i++) {
            result = validate_record(host, slots, first | i, &counts);
        }
    }
    result = result ? result : validate_counts(host, slots, &counts);
    result = result ? result : validate_ends(host, slots);
    return result ? result : validate_free_list(host, slots);
}
