// Growable arrays of one item type:
//
//   MICAI_ARRAY(uint32_t) rows = {0};
//   if (!micai_array_reserve(host, &rows, 1)) return MICA_ERROR_MEMORY;
//   rows.items[rows.count++] = row;
//   micai_array_free(host, &rows);
//
// Only reserve can fail. A call reserves everything it needs first and then changes things without
// any failure path.
//
// Room:    base. Called by every room.
//
// Invariants, swept by micai_array_validate():
//   L1  `count` is at most `capacity`.
#ifndef MICAI_BASE_ARRAY_H
#define MICAI_BASE_ARRAY_H

#include "base/memory.h"

#define MICAI_ARRAY(T)                                                                             \
    struct {                                                                                       \
        T *items;                                                                                  \
        uint32_t count;                                                                            \
        uint32_t capacity;                                                                         \
    }

// Reserves capacity for `extra` items beyond `count`. The capacity grows by half, to at least 8
// items. Returns false on failure, which is reported; the array is unchanged.
#define micai_array_reserve(host, array, extra)                                                    \
    micai_array_grow(host, &(array)->items, &(array)->capacity, (array)->count, extra,             \
                     sizeof *(array)->items, _Alignof(max_align_t))

#define micai_array_free(host, array)                                                              \
    (micai_array_drop(host, &(array)->items, &(array)->capacity, sizeof *(array)->items,           \
                      _Alignof(max_align_t)),                                                      \
     (array)->count = 0)

// Fails with MICA_ERROR_CORRUPT if the items must not be accessed. `what` names the array in the
// sentence.
#define micai_array_validate(host, array, what)                                                    \
    micai_array_check(host, (array)->count, (array)->capacity, what)

// The functions behind the macros. `items` is the address of the items pointer, of any pointer
// type.
bool micai_array_grow(micai_host *host, void *items, uint32_t *capacity, uint32_t count,
                      uint32_t extra, size_t item_size, size_t align);
void micai_array_drop(micai_host *host, void *items, uint32_t *capacity, size_t item_size,
                      size_t align);
mica_result micai_array_check(micai_host *host, uint32_t count, uint32_t capacity,
                              const char *what);

#endif
