// Lanes: slots divided among batches of a system that creates entities. slot.h has the contract.
#include "base/canary.h"
#include "base/number.h"
#include "core/slot_internal.h"

// Makes a virgin free. The generation after the last one does not exist: such a slot retires.
static void free_virgin(micai_record *record, uint32_t next)
{
    record->tag = record->tag == UINT32_MAX ? MICAI_SLOT_FREE : record->tag + 1;
    record->where = record->tag == MICAI_SLOT_FREE ? MICAI_SLOT_NONE : next;
}

// Moves `fresh` to the next virgin. How far it lags behind depends on how slots came into use.
static void skip_taken(micai_slots *slots)
{
    while (slots->ahead > 0 && !micai_slot_is_virgin(slots, slots->fresh)) {
        slots->fresh++;
        slots->ahead--;
    }
    slots->ready = slots->ready > slots->fresh ? slots->ready : slots->fresh;
}

// Returns the last slot of the free list, or MICAI_SLOT_NONE.
static uint32_t find_last_free(const micai_slots *slots)
{
    uint32_t last = MICAI_SLOT_NONE;
    for (uint32_t slot = slots->free_first; slot != MICAI_SLOT_NONE;
         slot = micai_slots_at(slots, slot)->where) {
        last = slot;
    }
    return last;
}

// Appends virgins to the free list until it has `count`, the lowest first; fewer at the limit of slots.
static mica_result free_virgins(micai_host *host, micai_slots *slots, uint64_t count)
{
    uint64_t most = (uint64_t)slots->free_count + (slots->limit - slots->fresh - slots->ahead);
    count = count < most ? count : most;
    if (count <= slots->free_count) {
        return MICA_OK;
    }
    micai_slot_capacity pages;
    if (count > UINT32_MAX || micai_slots_prepare(host, slots, (uint32_t)count, &pages)) {
        return MICA_ERROR_MEMORY;
    }
    micai_slots_commit(slots, pages);
    uint32_t last = find_last_free(slots);
    uint32_t slot = slots->fresh;
    for (uint32_t left = (uint32_t)count - slots->free_count; left > 0; slot++) {
        if (!micai_slot_is_virgin(slots, slot)) {
            continue;
        }
        left--;
        slots->ahead++;
        micai_record *record = micai_slots_at(slots, slot);
        free_virgin(record, MICAI_SLOT_NONE);
        if (record->tag != MICAI_SLOT_FREE) {
            *(last == MICAI_SLOT_NONE ? &slots->free_first : &micai_slots_at(slots, last)->where) =
                slot;
            last = slot;
            slots->free_count++;
        }
    }
    slots->relinked = true;
    slots->ready = slots->fresh;
    skip_taken(slots);
    return MICA_OK;
}

// Ends the back links of a slot: others may come before it now.
static void unlink_back(const micai_slots *slots, uint32_t slot)
{
    if (!MICAI_CANARY("core.lane_links") && micai_slot_has_back_link(slots, slot)) {
        micai_slot_back_link(slots, slot)->tag = 0;
    }
}

// Cuts `count` slots off the free list.
static void cut(micai_slots *slots, uint32_t count, micai_lane *lane)
{
    lane->free_first = lane->last = MICAI_SLOT_NONE;
    lane->free_count = lane->freed = count;
    if (count > 0) {
        lane->free_first = lane->last = slots->free_first;
        unlink_back(slots, lane->last);
        for (uint32_t i = 1; i < count; i++) {
            lane->last = micai_slots_at(slots, lane->last)->where;
            unlink_back(slots, lane->last);
        }
        micai_record *last = micai_slots_at(slots, lane->last);
        slots->free_first = last->where;
        slots->free_count -= count;
        last->where = MICAI_SLOT_NONE;
    }
}

mica_result micai_lanes_open(micai_host *host, micai_slots *slots, uint32_t most,
                             micai_lane *lanes_out, uint32_t count)
{
    skip_taken(slots);
    if (slots->ahead > 0 && free_virgins(host, slots, (uint64_t)most * count)) {
        return MICA_ERROR_MEMORY; // virgins with others between them go by way of the list
    }
    uint32_t freed = micai_smaller(slots->free_count / count, most);
    uint32_t first = slots->fresh;
    uint32_t virgins = slots->ahead > 0 ? 0 : (slots->limit - first) / count;
    uint32_t each = micai_smaller(virgins, most - freed);
    uint32_t end = first + each * count;
    for (uint32_t page = first >> MICAI_SLOT_PAGE_SHIFT;
         each > 0 && page <= (end - 1) >> MICAI_SLOT_PAGE_SHIFT; page++) {
        if (micai_slots_make_page(host, slots, page)) {
            return MICA_ERROR_MEMORY;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        cut(slots, freed, &lanes_out[i]);
        lanes_out[i].first = lanes_out[i].fresh = first + i * each;
        lanes_out[i].end = first + (i + 1) * each;
    }
    slots->ready = each > 0 ? end : slots->ready;
    slots->fresh = end;
    return MICA_OK;
}

void micai_lane_enter(const micai_lane *lane, micai_slots *copy)
{
    copy->free_first = lane->free_first;
    copy->free_count = lane->free_count;
    copy->fresh = lane->fresh;
    copy->ready = lane->end;
    copy->lane = true;
    copy->pending = 0;
}

void micai_lane_leave(micai_lane *lane, const micai_slots *copy)
{
    lane->free_first = copy->free_first;
    lane->free_count = copy->free_count;
    lane->fresh = copy->fresh;
}

// Returns the virgins that were not taken: to the rest of the virgins, if no slot above them is in use, or
// else to the free list, the lowest first.
static void return_virgins(micai_slots *slots, const micai_lane *lane, bool *above)
{
    *above = *above || (lane->fresh > lane->first && !MICAI_CANARY("core.lane_above"));
    if (!*above) {
        slots->fresh -= lane->end - lane->first;
        return;
    }
    for (uint32_t slot = lane->end; slot-- > lane->fresh;) {
        micai_record *record = micai_slots_at(slots, slot);
        free_virgin(record, slots->free_first);
        if (record->tag != MICAI_SLOT_FREE) {
            slots->free_first = slot;
            slots->free_count++;
        }
    }
}

void micai_lane_close(micai_slots *slots, micai_lane *lane, bool *above)
{
    uint32_t taken = lane->freed - lane->free_count;
    slots->pending += taken + (lane->fresh - lane->first);
    slots->relinked = slots->relinked || taken > 0 || lane->fresh > lane->first;
    return_virgins(slots, lane, above);
    if (lane->free_count > 0) {
        micai_slots_at(slots, lane->last)->where = slots->free_first;
        slots->free_first = lane->free_first;
        slots->free_count += lane->free_count;
    }
    slots->ready = slots->fresh;
    *lane = (micai_lane){0};
}
