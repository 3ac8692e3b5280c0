// The watch stands between the world and the tests' allocator. It notes where a refusal comes back to,
// frame by frame: each place once, as "program(+0xoffset) [...]".
#include "oom/sites.h"

#if defined(__GLIBC__)

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES_MAX = 32, PLACES_MAX = 1 << 14 };

static FILE *list;

// Whether this is the first time.
static bool enter(void *place)
{
    static void *places[PLACES_MAX];
    size_t at = (uintptr_t)place % PLACES_MAX;
    while (places[at] && places[at] != place) {
        at = (at + 1) % PLACES_MAX;
    }
    bool is_new = !places[at];
    places[at] = place;
    return is_new;
}

static void note_callers(void)
{
    void *frames[FRAMES_MAX];
    int count = backtrace(frames, FRAMES_MAX);
    for (int i = 0; i < count; i++) {
        // The call stands before the place it comes back to.
        void *place = (char *)frames[i] - 1;
        char **text = enter(place) ? backtrace_symbols(&place, 1) : NULL;
        if (text) {
            fprintf(list, "%s\n", text[0]);
            fflush(list);
            free(text);
        }
    }
}

static void *resize_watched(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    test_memory *memory = user;
    void *changed = memory->allocator.resize(memory, block, old_size, new_size, align);
    if (!changed && new_size > 0) {
        note_callers();
    }
    return changed;
}

void sites_watch(test_world *t)
{
    const char *name = getenv("MICA_OOM_SITES");
    if (name && !list) {
        list = fopen(name, "w");
    }
    if (list) {
        t->desc.allocator = (mica_allocator){resize_watched, &t->memory};
    }
}

#else

void sites_watch(test_world *t)
{
    (void)t;
}

#endif
