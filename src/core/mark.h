// Marks: one number per slot. Marks are never cleared, so the reader must check whether a mark is
// still valid.
//
// Room:    core. Called by command/ (the last command of an entity).
#ifndef MICAI_CORE_MARK_H
#define MICAI_CORE_MARK_H

#include "core/slot.h"

typedef struct micai_marks {
    // parallel to the pages of slots; NULL: no mark was requested yet
    MICAI_ARRAY(uint32_t *) pages;
} micai_marks;

// Returns the mark of a slot, or NULL if the slot has none.
static inline uint32_t *micai_marks_find(const micai_marks *marks, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    return page < marks->pages.count && marks->pages.items[page]
               ? &marks->pages.items[page][slot & (MICAI_SLOT_PAGE_SIZE - 1)]
               : NULL;
}

// Adds a mark of 0 if the slot has none. Returns NULL if there is no memory.
uint32_t *micai_marks_get_or_add(micai_host *host, micai_marks *marks, uint32_t slot);

void micai_marks_free(micai_host *host, micai_marks *marks);
mica_result micai_marks_validate(micai_host *host, const micai_marks *marks);

#endif
