// Handle tables: things by the number in their handle (core/stamp.h). A thing is found, entered and removed in
// constant time, on average, and keeps its number as long as it is there.
//
// Room:    core. Called by every room that hands out handles: bundles, groups, queries, observers, systems, phases.
//
// Invariants, swept by micai_handles_validate():
//   L2  numbers without a thing are free, and each is in the list of these once.
#ifndef MICAI_CORE_HANDLES_H
#define MICAI_CORE_HANDLES_H

#include "base/array.h"
#include "core/stamp.h"

typedef struct micai_handles {
    MICAI_ARRAY(void *) list; // by number; NULL: the number is free
    MICAI_ARRAY(uint32_t) free_list;
    uint64_t created; // things ever entered: the seed of the next one's handle
} micai_handles;

#define MICAI_HANDLES_END UINT32_MAX // no number

// Space for one thing more. False, reported, if there is no memory, or no number: MICA_ERROR_LIMIT, with what there
// are too many of.
bool micai_handles_reserve(micai_host *host, micai_handles *handles, const char *call,
                           const char *what);

// Space must have been reserved. Returns the number.
uint32_t micai_handles_add(micai_handles *handles, void *thing);

void micai_handles_remove(micai_handles *handles, uint32_t number);
void micai_handles_free(micai_host *host, micai_handles *handles);

// The thing of a number, of any; NULL: there is none.
static inline void *micai_handles_at(const micai_handles *handles, uint32_t number)
{
    return number < handles->list.count ? handles->list.items[number] : NULL;
}

// The same for the number in a handle, which may be any. The caller compares the handle with the thing's.
static inline void *micai_handles_find(const micai_handles *handles, uint64_t bits)
{
    return micai_handles_at(handles, micai_stamp_number(bits));
}

static inline uint32_t micai_handles_count(const micai_handles *handles)
{
    return handles->list.count - handles->free_list.count;
}

// The first number from one on that has a thing; MICAI_HANDLES_END: there is none.
static inline uint32_t micai_handles_next(const micai_handles *handles, uint32_t number)
{
    while (number < handles->list.count && !handles->list.items[number]) {
        number++;
    }
    return number < handles->list.count ? number : MICAI_HANDLES_END;
}

// All things:  MICAI_FOR_HANDLES(micai_query, query, &queries->handles) { ... }
#define MICAI_FOR_HANDLES(T, thing, handles)                                                       \
    T *thing;                                                                                      \
    for (uint32_t n_ = 0; n_ < (handles)->list.count; n_++)                                        \
        if (((thing) = (handles)->list.items[n_]) != NULL)

// Are there things at all numbers that are not free? What the things are is not looked at.
mica_result micai_handles_validate(micai_host *host, const micai_handles *handles,
                                   const char *what);

#endif
