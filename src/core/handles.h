// Handle tables: things by the number in their handle (core/stamp.h). A thing is found, entered and removed in
// constant time, on average, and keeps its number as long as it is there.
//
// Room:    core. Called by event/ and system/.
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
} micai_handles;

// Room for one thing more. False, reported, if there is no memory, or no number: MICA_ERROR_LIMIT, with what there
// are too many of.
bool micai_handles_reserve(micai_host *host, micai_handles *handles, const char *call,
                           const char *what);

// Room must have been reserved. Returns the number.
uint32_t micai_handles_enter(micai_handles *handles, void *thing);

void micai_handles_remove(micai_handles *handles, uint32_t number);
void micai_handles_free(micai_host *host, micai_handles *handles);

// The thing of a number, of any; NULL: there is none.
static inline void *micai_handles_at(const micai_handles *handles, uint32_t number)
{
    return number < handles->list.count ? handles->list.items[number] : NULL;
}

static inline uint32_t micai_handles_count(const micai_handles *handles)
{
    return handles->list.count - handles->free_list.count;
}

// Are there things at all numbers that are not free? What the things are is not looked at.
mica_result micai_handles_validate(micai_host *host, const micai_handles *handles,
                                   const char *what);

#endif
