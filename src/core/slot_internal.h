// What slot.c and slot_validate.c know of pages and lists.
//
// Room:    core.
#ifndef MICAI_CORE_SLOT_INTERNAL_H
#define MICAI_CORE_SLOT_INTERNAL_H

#include "core/slot.h"

#define MICAI_SLOT_PAGE_BYTES (MICAI_SLOT_PAGE_SIZE * sizeof(micai_record))

static inline bool micai_slots_have_page(const micai_slots *slots, uint32_t page)
{
    return page < slots->view.page_count && slots->view.pages[page];
}

// A slot without a page is virgin.
static inline bool micai_slot_is_virgin(const micai_slots *slots, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    if (!micai_slots_have_page(slots, page)) {
        return true;
    }
    const micai_record *record = micai_slots_at(slots, slot);
    return record->tag == (MICAI_SLOT_FREE | micai_slots_floor(slots, page)) &&
           !micai_record_is_pending(record, slot);
}

// Returns the first slot after the page of this slot.
static inline uint32_t micai_slot_next_page(const micai_slots *slots, uint32_t slot)
{
    uint32_t last = slot | (MICAI_SLOT_PAGE_SIZE - 1);
    return last < slots->limit ? last + 1 : slots->limit;
}

static inline micai_back_link *micai_slot_back_link(const micai_slots *slots, uint32_t slot)
{
    return &slots->back_links
                .items[slot >> MICAI_SLOT_PAGE_SHIFT][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

// Returns true if the slot has a valid back link. The slot that it leads to may have left the list
// since.
static inline bool micai_slot_has_back_link(const micai_slots *slots, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    return page < slots->back_links.count && slots->back_links.items[page] &&
           micai_slot_back_link(slots, slot)->tag == micai_slots_at(slots, slot)->tag;
}

#endif
