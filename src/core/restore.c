// Restoring the slots of an image. restore.h has the contract.
#include "core/restore.h"

#include <string.h>

static inline bool is_within_limit(const micai_slots *slots, uint32_t slot)
{
    return slot != MICAI_SLOT_NONE && slot < slots->limit;
}

static inline bool is_virgin(const micai_slots *slots, uint32_t slot)
{
    const micai_record *record = micai_slots_look(slots, slot);
    uint32_t floor = micai_slots_floor(slots, slot >> MICAI_SLOT_PAGE_SHIFT);
    return !record || record->tag == (MICAI_SLOT_FREE | floor);
}

// Extends the list of pages up to this one. New entries are NULL.
static mica_result grow_page_list(micai_host *host, micai_slots *slots, uint32_t page)
{
    uint32_t had = slots->view.page_count;
    if (page < had) {
        return MICA_OK;
    }
    if (!micai_array_grow(host, &slots->view.pages, &slots->page_capacity, had, page + 1 - had,
                          sizeof *slots->view.pages, _Alignof(max_align_t))) {
        return MICA_ERROR_MEMORY;
    }
    memset(&slots->view.pages[had], 0, (page + 1 - had) * sizeof *slots->view.pages);
    slots->view.page_count = page + 1;
    return MICA_OK;
}

// Returns the record of a slot that must be virgin. Creates its page if it is missing.
static mica_result open_record(micai_host *host, micai_slots *slots, uint32_t slot,
                               micai_record **record_out)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    if (!is_within_limit(slots, slot) || !is_virgin(slots, slot)) {
        return MICA_ERROR_CORRUPT;
    }
    *record_out = micai_slots_look(slots, slot);
    if (*record_out) { // the usual case
        return MICA_OK;
    }
    mica_result result = micai_slots_make_page(host, slots, page);
    *record_out = result ? NULL : micai_slots_at(slots, slot);
    return result;
}

// The image may come from a build with another page size. Every page that overlaps the range gets
// at least this floor.
mica_result micai_restore_floor(micai_host *host, micai_slots *slots, uint32_t first,
                                uint32_t count, uint32_t floor)
{
    if (!is_within_limit(slots, first) || count == 0 || count - 1 > MICAI_SLOT_NONE - first ||
        floor - 1 >= MICAI_SLOT_FREE - 1) {
        return MICA_ERROR_CORRUPT;
    }
    uint32_t last = first + (count - 1);
    last = last < slots->limit ? last : slots->limit - 1;
    uint32_t end = (last >> MICAI_SLOT_PAGE_SHIFT) + 1;
    mica_result result = grow_page_list(host, slots, end - 1);
    uint32_t had = slots->floors.count;
    if (result || (end > had && !micai_array_reserve(host, &slots->floors, end - had))) {
        return MICA_ERROR_MEMORY;
    }
    while (slots->floors.count < end) {
        slots->floors.items[slots->floors.count++] = 1;
    }
    for (uint32_t page = first >> MICAI_SLOT_PAGE_SHIFT; page < end; page++) {
        uint32_t *at = &slots->floors.items[page];
        *at = floor > *at ? floor : *at;
    }
    return MICA_OK;
}

// Returns the tag, or 0 if no program can hold such a handle.
static inline uint32_t tag_of(const micai_slots *slots, mica_entity entity)
{
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    uint32_t floor = micai_slots_floor(slots, (uint32_t)entity.bits >> MICAI_SLOT_PAGE_SHIFT);
    return tag >= floor && tag < MICAI_SLOT_FREE ? tag : 0;
}

mica_result micai_restore_alive(micai_host *host, micai_slots *slots, mica_entity entity)
{
    micai_record *record;
    uint32_t tag = tag_of(slots, entity);
    mica_result result =
        tag ? open_record(host, slots, (uint32_t)entity.bits, &record) : MICA_ERROR_CORRUPT;
    if (!result) {
        record->tag = tag;
        slots->alive++;
    }
    return result;
}

mica_result micai_restore_free(micai_host *host, micai_slots *slots, mica_entity next,
                               uint32_t *last)
{
    micai_record *record;
    uint32_t slot = (uint32_t)next.bits;
    uint32_t tag = tag_of(slots, next);
    // A free record with the tag of a virgin would be a virgin.
    bool used = tag > micai_slots_floor(slots, slot >> MICAI_SLOT_PAGE_SHIFT);
    mica_result result = used ? open_record(host, slots, slot, &record) : MICA_ERROR_CORRUPT;
    if (!result) {
        record->tag = MICAI_SLOT_FREE | tag;
        if (MICAI_CANARY("core.restore_free")) {
            record->where = slots->free_first;
            *last = MICAI_SLOT_NONE;
        }
        *(*last == MICAI_SLOT_NONE ? &slots->free_first : &micai_slots_at(slots, *last)->where) =
            slot;
        *last = slot;
        slots->free_count++;
    }
    return result;
}

mica_result micai_restore_retired(micai_host *host, micai_slots *slots, uint32_t slot)
{
    micai_record *record;
    mica_result result = open_record(host, slots, slot, &record);
    if (!result) {
        record->tag = MICAI_SLOT_FREE;
    }
    return result;
}

mica_result micai_restore_end(micai_slots *slots, uint32_t fresh)
{
    uint32_t used = 0;
    if (fresh > slots->limit || (uint64_t)fresh > (uint64_t)slots->view.page_count
                                                      << MICAI_SLOT_PAGE_SHIFT) {
        return MICA_ERROR_CORRUPT;
    }
    for (uint32_t slot = 0; slot < fresh; slot++) {
        if (is_virgin(slots, slot)) {
            return MICA_ERROR_CORRUPT;
        }
    }
    for (uint32_t page = 0; page < slots->view.page_count; page++) {
        for (uint32_t i = 0; slots->view.pages[page] && i < MICAI_SLOT_PAGE_SIZE; i++) {
            uint32_t slot = page << MICAI_SLOT_PAGE_SHIFT | i;
            used += slot >= fresh && !is_virgin(slots, slot);
        }
    }
    slots->fresh = slots->ready = fresh;
    slots->ahead = used;
    return MICA_OK;
}
