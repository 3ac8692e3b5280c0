// Marks: a number for each slot, which nobody need clear. Whoever finds one has to know himself whether to
// believe it.
//
// Room:    core. Called by command/ (which command was the last of an entity).
#ifndef MICAI_CORE_MARK_H
#define MICAI_CORE_MARK_H

#include "core/slot.h"

typedef struct micai_marks {
    MICAI_ARRAY(uint32_t *) pages; // as those of slots; NULL: not asked for yet
} micai_marks;

// The mark of a slot; NULL if it has none yet.
static inline uint32_t *micai_marks_find(const micai_marks *marks, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    return page < marks->pages.count && marks->pages.items[page]
               ? &marks->pages.items[page][slot & (MICAI_SLOT_PAGE_SIZE - 1)]
               : NULL;
}

// The same, made where it is missing, and 0: NULL for lack of memory.
uint32_t *micai_marks_get_or_add(micai_host *host, micai_marks *marks, uint32_t slot);

void micai_marks_free(micai_host *host, micai_marks *marks);
mica_result micai_marks_validate(micai_host *host, const micai_marks *marks);

#endif
