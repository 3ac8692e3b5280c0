// The functions behind the array macros.
//
// Room:    base. Called by every room.
//
// The type of the items pointer is unknown here. The functions copy the pointer as bytes, because
// access through a `void **` would be undefined behavior.
#include "base/array.h"

#include <assert.h>
#include <string.h>

enum { CAPACITY_MIN = 8 };

static void *load_pointer(const void *from)
{
    void *pointer;
    memcpy(&pointer, from, sizeof pointer);
    return pointer;
}

static void store_pointer(void *to, void *pointer)
{
    memcpy(to, &pointer, sizeof pointer);
}

// Grows by half, or to `needed` if that is more. `needed` exceeds `capacity`, so the array never
// shrinks, even when the addition of the half would overflow.
static uint32_t grown_capacity(uint32_t capacity, uint32_t needed)
{
    uint32_t half = capacity / 2;
    uint32_t grown = capacity <= UINT32_MAX - half ? capacity + half : UINT32_MAX;
    if (grown < CAPACITY_MIN) {
        grown = CAPACITY_MIN;
    }
    return grown < needed ? needed : grown;
}

bool micai_array_grow(micai_host *host, void *items, uint32_t *capacity, uint32_t count,
                      uint32_t extra, size_t item_size, size_t align)
{
    assert(count <= *capacity && item_size != 0);
    if (extra <= *capacity - count) {
        return true;
    }
    if (extra > UINT32_MAX - count || count + extra > SIZE_MAX / item_size) {
        micai_fail_within(host, MICA_ERROR_MEMORY,
                          "%llu items of %llu bytes are more than an array can hold",
                          (unsigned long long)count + extra, (unsigned long long)item_size);
        return false;
    }
    uint32_t grown = grown_capacity(*capacity, count + extra);
    if (grown > SIZE_MAX / item_size) {
        grown = count + extra;
    }
    void *changed =
        micai_resize(host, load_pointer(items), *capacity * item_size, grown * item_size, align);
    if (changed == NULL) {
        return false;
    }
    store_pointer(items, changed);
    *capacity = grown;
    return true;
}

void micai_array_drop(micai_host *host, void *items, uint32_t *capacity, size_t item_size,
                      size_t align)
{
    micai_release(host, load_pointer(items), *capacity * item_size, align);
    store_pointer(items, NULL);
    *capacity = 0;
}

mica_result micai_array_check(micai_host *host, uint32_t count, uint32_t capacity, const char *what)
{
    return count <= capacity ? MICA_OK
                             : micai_fail_invariant(host, "L1", "the array of %s is damaged", what);
}
