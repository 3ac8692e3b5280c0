// Aliases: the names that types and fields had in older programs, indexed for loading.
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
    uint32_t *next; // by number: the next alias with the same key, or MICAI_ALIAS_NONE
    micai_map first;
} micai_aliases;

// Indexes a list of aliases. The index is allocated in the arena; the list stays the caller's.
// Returns false with a report without memory.
bool micai_aliases_index(micai_host *host, micai_arena *arena, const mica_alias *list,
                         uint32_t count, micai_aliases *aliases_out);

// Return the first alias of a type that had this name, and of a field that has this name now.
// Others follow in `next`, in the order of the list. MICAI_ALIAS_NONE: no alias.
uint32_t micai_aliases_find_type(const micai_aliases *aliases, const char *was);
uint32_t micai_aliases_find_field(const micai_aliases *aliases, const char *type,
                                  const char *field);

#endif
