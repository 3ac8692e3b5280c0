// Handle tables: objects by the number in their handle (core/stamp.h). Adding, finding and removing
// take constant time on average. An object keeps its number until it is removed.
//
// Room:    core. Called by all rooms that return handles: bundles, groups, queries, observers, systems,
//          phases.
//
// Invariants, swept by micai_handles_validate():
//   L2  The free list contains every number without an object exactly once.
#ifndef MICAI_CORE_HANDLES_H
#define MICAI_CORE_HANDLES_H

#include "base/array.h"
#include "core/stamp.h"

typedef struct micai_handles {
    MICAI_ARRAY(void *) list; // by number; NULL: the number is free
    MICAI_ARRAY(uint32_t) free_list;
    uint64_t created; // objects ever added; seeds the next handle
} micai_handles;

#define MICAI_HANDLES_END UINT32_MAX // not a number of any object

// Reserves space for one more object. Returns false on failure, which is reported. MICA_ERROR_LIMIT
// if there are no numbers left; `what` is the plural noun in that sentence.
bool micai_handles_reserve(micai_host *host, micai_handles *handles, const char *call,
                           const char *what);

// Space must be reserved. Returns the number of the object.
uint32_t micai_handles_add(micai_handles *handles, void *thing);

void micai_handles_remove(micai_handles *handles, uint32_t number);
void micai_handles_free(micai_host *host, micai_handles *handles);

// Returns the object with this number, which may be any number, or NULL.
static inline void *micai_handles_at(const micai_handles *handles, uint32_t number)
{
    return number < handles->list.count ? handles->list.items[number] : NULL;
}

// Returns the object that any handle's number refers to, or NULL. The caller must compare the
// object's own handle.
static inline void *micai_handles_find(const micai_handles *handles, uint64_t bits)
{
    return micai_handles_at(handles, micai_stamp_number(bits));
}

static inline uint32_t micai_handles_count(const micai_handles *handles)
{
    return handles->list.count - handles->free_list.count;
}

// Returns the first used number at or after `number`, or MICAI_HANDLES_END.
static inline uint32_t micai_handles_next(const micai_handles *handles, uint32_t number)
{
    while (number < handles->list.count && !handles->list.items[number]) {
        number++;
    }
    return number < handles->list.count ? number : MICAI_HANDLES_END;
}

// Iterates over all objects:  MICAI_FOR_HANDLES(micai_query, query, &queries->handles) { ... }
#define MICAI_FOR_HANDLES(T, thing, handles)                                                       \
    T *thing;                                                                                      \
    for (uint32_t n_ = 0; n_ < (handles)->list.count; n_++)                                        \
        if (((thing) = (handles)->list.items[n_]) != NULL)

// Checks the numbers (L2). Does not access the objects.
mica_result micai_handles_validate(micai_host *host, const micai_handles *handles,
                                   const char *what);

#endif
