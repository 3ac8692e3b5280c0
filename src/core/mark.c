// The memory of marks. mark.h has the contract.
#include "core/mark.h"

uint32_t *micai_marks_get_or_add(micai_host *host, micai_marks *marks, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    uint32_t count = marks->pages.count;
    if (page >= count && !micai_array_reserve(host, &marks->pages, page + 1 - count)) {
        return NULL;
    }
    while (marks->pages.count <= page) {
        marks->pages.items[marks->pages.count++] = NULL;
    }
    if (!marks->pages.items[page]) {
        marks->pages.items[page] =
            micai_alloc_zeroed(host, MICAI_SLOT_PAGE_SIZE * sizeof(uint32_t), _Alignof(uint32_t));
    }
    return micai_marks_find(marks, slot);
}

void micai_marks_free(micai_host *host, micai_marks *marks)
{
    for (uint32_t i = 0; i < marks->pages.count; i++) {
        micai_release(host, marks->pages.items[i], MICAI_SLOT_PAGE_SIZE * sizeof(uint32_t),
                      _Alignof(uint32_t));
    }
    micai_array_free(host, &marks->pages);
}

mica_result micai_marks_validate(micai_host *host, const micai_marks *marks)
{
    return micai_array_validate(host, &marks->pages, "marks of slots");
}
