// Lanes: slots divided among batches of a system that creates entities. slot.h has the contract.
#include "base/number.h"
#include "core/slot_internal.h"

// Returns the first of the slots that are virgin up to the limit.
static uint32_t find_virgins(const micai_slots *slots)
{
    return slots->ahead == 0
               ? slots->fresh
               : micai_smaller(slots->view.page_count << MICAI_SLOT_PAGE_SHIFT, slots->limit);
}

// Cuts `count` slots off the free list.
static void cut(micai_slots *slots, uint32_t count, micai_lane *lane)
{
    lane->free_first = lane->last = MICAI_SLOT_NONE;
    lane->free_count = lane->freed = count;
    if (count > 0) {
        lane->free_first = lane->last = slots->free_first;
        for (uint32_t i = 1; i < count; i++) {
            lane->last = micai_slots_at(slots, lane->last)->where;
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
    uint32_t freed = micai_smaller(slots->free_count / count, most);
    uint32_t first = find_virgins(slots);
    uint32_t each = micai_smaller((slots->limit - first) / count, most - freed);
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
    if (slots->ahead == 0) {
        slots->fresh = slots->ready = end;
    } else {
        slots->ahead += each * count;
    }
    return MICA_OK;
}

void micai_lane_enter(const micai_lane *lane, micai_slots *copy)
{
    copy->free_first = lane->free_first;
    copy->free_count = lane->free_count;
    copy->fresh = lane->fresh;
    copy->ready = lane->end;
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
    *above = *above || lane->fresh > lane->first;
    if (!*above) {
        uint32_t count = lane->end - lane->first;
        slots->ahead -= lane->end <= slots->fresh ? 0 : count;
        slots->fresh -= lane->end == slots->fresh ? count : 0;
        return;
    }
    for (uint32_t slot = lane->end; slot-- > lane->fresh;) {
        micai_record *record = micai_slots_at(slots, slot);
        *record = (micai_record){.where = slots->free_first, .tag = record->tag + 1};
        slots->free_first = slot;
        slots->free_count++;
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
