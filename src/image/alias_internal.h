// Aliases: names that types and fields had in older programs, found without going through all of them.
//
// Room:    image. Called by match.c and convert.c.
#ifndef MICAI_IMAGE_ALIAS_INTERNAL_H
#define MICAI_IMAGE_ALIAS_INTERNAL_H

#include <mica/image.h>

#include "base/arena.h"
#include "base/map.h"

#define MICAI_ALIAS_NONE MICAI_MAP_NONE

typedef struct micai_aliases {
    const mica_alias *list;
    uint32_t *
        next; // by number: the next one that is found in the same way; MICAI_ALIAS_NONE: it is the last
    micai_map first;
} micai_aliases;

// Everything but the list is allocated in the arena. False on refusal, which has been reported.
bool micai_aliases_index(micai_host *host, micai_arena *arena, const mica_alias *list,
                         uint32_t count, micai_aliases *aliases_out);

// The first alias that says which type was called so; and the first of a field that is called so now. Others
// follow in `next`, in the order of the list. MICAI_ALIAS_NONE: there is none.
uint32_t micai_aliases_find_type(const micai_aliases *aliases, const char *was);
uint32_t micai_aliases_find_field(const micai_aliases *aliases, const char *type,
                                  const char *field);

#endif
